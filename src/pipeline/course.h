/* The course of a streamed pass over the rows of a rank: which of them each slab brings, and which memory that takes.
 *
 * Rows are counted in the direction of the pass: row j is at q = j in a pass north and at q = mirror - j in one south. Slab c
 * brings rows [edge(c), edge(c + 1)), and its ops touch these and some rows behind them. There is memory for `rows` rows that follow
 * each other (storage.h): a row that comes takes that of rows which lie as far behind it, or farther. A pass that turns back finds
 * the rows that came last. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* A range [a, b). */
struct span_rows {
    int a, b;
};

struct course {
    int dir, mirror;
    int slabs, more; /* the last slab is `more` rows longer */
    int low, high; /* rows that there are, q */
    int rows; /* that there is memory for at a time */
    int held; /* rows below, q, are there when the pass begins */
};

static inline struct span_rows rows_turned(int dir, int mirror, struct span_rows r)
{
    return dir ? (struct span_rows){mirror - r.b + 1, mirror - r.a + 1} : r;
}

static inline struct span_rows rows_common(struct span_rows x, int a, int b)
{
    struct span_rows r = {SF_MAX(x.a, a), SF_MIN(x.b, b)};
    if (r.b < r.a) r.b = r.a;
    return r;
}

/* `n` slabs that follow each other, and as many rows behind them as their ops touch: the most of any in such a pass. */
int course_rows(int span, int slabs, int more, int reach, int n);

/* A pass over rows [j0, j1); the rows `held` are there. */
struct course course_begin(int dir, int mirror, int j0, int j1, int slabs, int more, int rows, struct span_rows held);

/* Where slab c begins. */
int course_edge(const struct course *x, int c);

/* What slab c brings, q: all its rows, but for those that are there. */
struct span_rows course_comes(const struct course *x, int c);

/* Rows whose memory rows `comes` take, q. */
struct span_rows course_displaced(const struct course *x, struct span_rows comes);

/* What is there at the end of the pass, q. */
struct span_rows course_stays(const struct course *x);
