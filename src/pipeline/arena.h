/* Where the rows of a streamed pass lie: an arena of some rows that slides over those of a rank.
 *
 * Rows are counted in the direction of the pass: row j is at q = j in a pass north and at q = mirror - j in one south. Slab c
 * of a pass takes rows [edge(c), edge(c + 1)) into the arena, behind those of the slab before it, so that what its ops still
 * touch there, `reach` rows, needs no copy. Where the arena ends there is a lap: those rows move to its other end, and it goes on
 * from there. A pass that turns back finds the rows of its last lap where they are. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* A range [a, b). */
struct span_rows {
    int a, b;
};

struct slide {
    int dir, mirror;
    int slabs, more; /* the last slab is `more` rows longer */
    int reach; /* rows behind the front of a slab that are touched */
    int rows; /* of the arena */
    int low, high; /* rows that there are, q */
    int base; /* q of the arena's first row */
    int held; /* rows below, q, were in the arena when the pass began */
};

/* Where slab c lies, all in q. */
struct slide_place {
    int front0, front1; /* its rows */
    int base; /* of the arena */
    int lap, base_before; /* 1: it begins a lap */
    struct span_rows moves; /* rows that move to the new place with a lap */
    struct span_rows comes; /* rows that come from the host */
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

/* Rows that an arena needs: with one slab computed, one coming in and one going out, and a lap that takes no row of those. */
int arena_rows(int span, int slabs, int more, int reach);

/* Where slab c begins. */
int slide_edge(const struct slide *x, int c);

/* A pass over rows [j0, j1). base: the row j of the arena's first row, and held: the rows [j0, j1) in it; of none the arena is put
 * where the pass begins. */
struct slide slide_begin(int dir, int mirror, int j0, int j1, int slabs, int more, int reach, int rows, int base,
                         struct span_rows held);

/* The place of the next slab, c; the slide moves with it. Slabs are placed in turn. */
struct slide_place slide_next(struct slide *x, int c);

/* Row j of the arena's first row, where it is at q = base. */
int slide_row(const struct slide *x, int base);

/* Rows j that the arena holds when all slabs have been placed, as the slide would go from here on. */
struct span_rows slide_end(struct slide x, int c);
