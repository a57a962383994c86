/* The route of a streamed pass over the rows of a rank: which of them each slab brings, and which memory that takes.
 *
 * Rows are counted in the direction of the pass: row j is at q = j in a pass north and at q = mirror - j in one south.
 * Slab c brings rows [edge(c), edge(c + 1)), and its ops touch these and some rows behind them. There is memory for
 * `rows` rows that follow each other (storage.h): a row that comes takes that of rows which lie as far behind it, or
 * farther. Slabs come and go in pieces: one slab is computed, and a piece of the next comes where one of the slab
 * before has just gone, so that two slabs and a piece of memory do. A pass that turns back finds the rows that came
 * last. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

enum { ROUTE_PIECES = 8 }; /* of a slab */

/* A range [a, b). */
struct span_rows {
    int a, b;
};

struct route {
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

/* `n` pieces of slabs that follow each other, and as many rows behind them as their ops touch: the most of any in such
 * a pass. */
int route_rows(int span, int slabs, int more, int reach, int n);

/* Piece m of some rows. */
struct span_rows route_piece(struct span_rows q, int m);

/* A pass over rows [j0, j1); the rows `held` are there. */
struct route route_begin(int dir, int mirror, int j0, int j1, int slabs, int more, int rows, struct span_rows held);

/* Where slab c begins. */
int route_edge(const struct route *x, int c);

/* What slab c brings, q: all its rows, but for those that are there. */
struct span_rows route_comes(const struct route *x, int c);

/* Rows whose memory rows `comes` take, q. */
struct span_rows route_displaced(const struct route *x, struct span_rows comes);

/* What is there at the end of the pass, q. */
struct span_rows route_stays(const struct route *x);
