/* Shapes of kernels of the EM model, for `sferic bench --tune`. SPDX-License-Identifier: MIT */
#include "maxwell/yee_both.h"

#define SHAPE(levels, its_rows, its_name) \
    {.name = its_name, .tile_i = BOTH_COLUMNS, .tile_k = levels, .rows = its_rows, .threads = BOTH_THREADS(levels), \
     .shared = BOTH_SHARED(levels)}

const struct candidate both_candidate[BOTH_CANDIDATES] = {
    SHAPE(BOTH_HIGH, 8, "12 levels, 8 rows"),     SHAPE(BOTH_LOW, 8, "4 levels, 8 rows"),
    SHAPE(BOTH_HIGH, 32, "12 levels, 32 rows"),   SHAPE(BOTH_LOW, 32, "4 levels, 32 rows"),
    SHAPE(BOTH_HIGH, 128, "12 levels, 128 rows"), SHAPE(BOTH_LOW, 128, "4 levels, 128 rows"),
    SHAPE(BOTH_HIGH, 0, "12 levels, all rows"),   SHAPE(BOTH_LOW, 0, "4 levels, all rows"),
};

int both_choice = -1;
