/* What a machine can do at most: memory, cache and arithmetic, measured with loops that do nothing else.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

enum ceiling {
    CEILING_STREAM, /* bytes/s read and written: x = c x + d over an array far beyond the caches */
    CEILING_TRIAD, /* bytes/s read and written: a = b + c x, the read of a before it is overwritten not counted */
    CEILING_CACHE, /* bytes/s read and written: x = c x + d over half of the second-level cache */
    CEILING_FMA, /* flop/s: fused multiply-adds in registers */
    CEILINGS
};

/* Memory to measure in, touched; NULL when there is none. The caller frees it. */
real *ceiling_arena(size_t bytes);

/* One measurement on `threads` threads, about a tenth of a second. */
double ceiling_measure(enum ceiling which, int threads, real *arena, size_t bytes);

int threads_most(void); /* OMP_NUM_THREADS or all cores */
double seconds_wall(void);
