/* Shapes of kernels of the EM model, for `sferic bench --tune`. SPDX-License-Identifier: MIT */
#include "maxwell/yee_both.h"

#define SHAPE(levels, its_rows, its_name) \
    {.name = its_name, .tile_i = BOTH_COLUMNS, .tile_k = levels, .rows = its_rows, .threads = BOTH_THREADS(BOTH_GROUPS, levels), \
     .shared = BOTH_SHARED(BOTH_GROUPS, levels)}

const struct candidate both_candidate[BOTH_CANDIDATES] = {
    SHAPE(BOTH_HIGH, 12, "8 levels, 12 rows"), SHAPE(BOTH_LOW, 12, "4 levels, 12 rows"),
    SHAPE(BOTH_HIGH, 24, "8 levels, 24 rows"), SHAPE(BOTH_LOW, 24, "4 levels, 24 rows"),
    SHAPE(BOTH_HIGH, 48, "8 levels, 48 rows"), SHAPE(BOTH_LOW, 48, "4 levels, 48 rows"),
    SHAPE(BOTH_HIGH, 96, "8 levels, 96 rows"), SHAPE(BOTH_LOW, 96, "4 levels, 96 rows"),
};

int both_choice = -1;
