/* Shapes of kernels of the EM model, for `sferic bench --tune`. SPDX-License-Identifier: MIT */
#include "maxwell/yee_both.h"

#define SHAPE(levels, its_rows, its_name) \
    {.name = its_name, .tile_i = BOTH_COLUMNS, .tile_k = levels, .rows = its_rows, .threads = BOTH_THREADS(levels), \
     .shared = BOTH_SHARED(levels)}

const struct candidate both_candidate[BOTH_CANDIDATES] = {
    SHAPE(BOTH_HIGH, 8, "14 levels, 8 rows"),     SHAPE(BOTH_LOW, 8, "6 levels, 8 rows"),
    SHAPE(BOTH_HIGH, 32, "14 levels, 32 rows"),   SHAPE(BOTH_LOW, 32, "6 levels, 32 rows"),
    SHAPE(BOTH_HIGH, 128, "14 levels, 128 rows"), SHAPE(BOTH_LOW, 128, "6 levels, 128 rows"),
    SHAPE(BOTH_HIGH, 0, "14 levels, all rows"),   SHAPE(BOTH_LOW, 0, "6 levels, all rows"),
};

int both_choice = -1;
