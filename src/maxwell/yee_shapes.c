/* Shapes of kernels of the EM model, for `sferic bench --tune`; kernels with layers share more where there is room.
 * SPDX-License-Identifier: MIT */
#include "maxwell/yee_both.h"

#define SHAPE(its_rows, its_name)                                                                                      \
    {                                                                                                                  \
        .name = its_name, .tile_i = BOTH_COLUMNS, .tile_k = BOTH_LEVELS, .rows = its_rows,                             \
        .threads = BOTH_THREADS(BOTH_GROUPS, BOTH_LEVELS), .shared = BOTH_SHARED(BOTH_GROUPS, BOTH_LEVELS)             \
    }

const struct candidate both_candidate[BOTH_CANDIDATES] = {SHAPE(12, "12 rows"), SHAPE(16, "16 rows"),
                                                          SHAPE(24, "24 rows"), SHAPE(48, "48 rows")};
