/* Arithmetic of rows that slide. SPDX-License-Identifier: MIT */
#include "pipeline/arena.h"

static int width_most(int span, int slabs, int more) { return (SF_MAX(span - more, 0) + slabs - 1) / slabs + more; }

int arena_rows(int span, int slabs, int more, int reach)
{
    enum { AHEAD = 4 }; /* computed, before and behind it, and what a lap writes meanwhile */
    const long long rows = 2LL * reach + (long long)AHEAD * width_most(span, slabs, more);
    return (int)SF_MIN(rows, (long long)span);
}

int slide_edge(const struct slide *x, int c)
{
    return c == x->slabs ? x->high : x->low + (int)((long long)SF_MAX(x->high - x->more - x->low, 0) * c / x->slabs);
}

struct slide slide_begin(int dir, int mirror, int j0, int j1, int slabs, int more, int reach, int rows, int base,
                         struct span_rows held)
{
    const struct span_rows all = rows_turned(dir, mirror, (struct span_rows){j0, j1}),
                           in = rows_turned(dir, mirror, held);
    struct slide x = {.dir = dir,
                      .mirror = mirror,
                      .slabs = slabs,
                      .more = more,
                      .reach = reach,
                      .rows = rows,
                      .low = all.a,
                      .high = all.b,
                      .base = all.a,
                      .held = all.a};
    if (held.b > held.a) {
        x.base = dir ? mirror - (base + rows) + 1 : base;
        x.held = in.b;
    }
    return x;
}

int slide_row(const struct slide *x, int base) { return x->dir ? x->mirror - (base + x->rows) + 1 : base; }

struct slide_place slide_next(struct slide *x, int c)
{
    struct slide_place p = {.front0 = slide_edge(x, c), .front1 = slide_edge(x, c + 1), .base_before = x->base};
    const int first = SF_MAX(x->low, p.front0 - x->reach);
    const int there = SF_MAX(p.front0, SF_MIN(p.front1, x->held)); /* rows below it are in the arena */
    if (first < x->base || p.front1 > x->base + x->rows) {
        p.lap = 1;
        p.moves = (struct span_rows){first, there};
        x->base = first;
    }
    p.base = x->base;
    p.comes = (struct span_rows){there, p.front1};
    return p;
}

struct span_rows slide_end(struct slide x, int c)
{
    for (; c < x.slabs; c++) slide_next(&x, c);
    return rows_turned(x.dir, x.mirror, rows_common((struct span_rows){x.base, x.base + x.rows}, x.low, x.high));
}
