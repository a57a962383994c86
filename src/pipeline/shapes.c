/* Shapes that kernels of points can be launched in. SPDX-License-Identifier: MIT */
#include "pipeline/model.h"

#include <stddef.h>

/* Of blocks of 256 threads. */
#define SHAPE(its_name, columns, levels, its_rows)                                                                     \
    {                                                                                                                  \
        .name = its_name, .tile_i = columns, .tile_k = levels, .rows = its_rows, .threads = 256                        \
    }
#define ROWS(columns, levels)                                                                                          \
    SHAPE(#columns " x " #levels ", 1 row", columns, levels, 1),                                                       \
        SHAPE(#columns " x " #levels ", 2 rows", columns, levels, 2),                                                  \
        SHAPE(#columns " x " #levels ", 4 rows", columns, levels, 4),                                                  \
        SHAPE(#columns " x " #levels ", 8 rows", columns, levels, 8),                                                  \
        SHAPE(#columns " x " #levels ", 16 rows", columns, levels, 16)

const struct candidate row_shape[ROW_SHAPES] = {ROWS(32, 8), ROWS(64, 4), ROWS(128, 2)};
const struct candidate vector_shape[ROW_SHAPES] = {ROWS(64, 16), ROWS(128, 8), ROWS(256, 4)};

const struct tunable *tunable_of(const struct model *m, int stage)
{
    for (int n = 0; n < m->ntunables; n++)
        if (m->stage[stage].launch && m->tunable[n].launch == m->stage[stage].launch) return &m->tunable[n];
    return NULL;
}
