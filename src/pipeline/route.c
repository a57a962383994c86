/* Arithmetic of rows that come and go. SPDX-License-Identifier: MIT */
#include "pipeline/route.h"

/* Rows of every slab but the last; 0: they are not even. Long slabs have as many as kernels' tiles take: of 147 rows
 * tiles of 8 leave a 26th of their threads idle. */
static int rows_even(int rows, int slabs)
{
    enum { TILE = 8, LONG = 8 * TILE };
    const int each = (rows + slabs - 1) / slabs, even = (each + TILE - 1) / TILE * TILE;
    return each >= LONG && rows - (long long)(slabs - 1) * even >= even / 2 ? even : 0;
}

int route_rows(int span, int slabs, int more, int reach, int n)
{
    const int all = SF_MAX(span - more, 0), even = rows_even(all, slabs);
    const long long pieces = even ? ROUTE_PIECES : (long long)slabs * ROUTE_PIECES;
    const long long rows = ((long long)n * (even ? even : all) + pieces - 1) / pieces;
    return (int)SF_MIN(reach + rows + more, (long long)span);
}

struct span_rows route_piece(struct span_rows q, int m)
{
    const int n = SF_MAX(q.b - q.a, 0);
    return (struct span_rows){q.a + n * m / ROUTE_PIECES, q.a + n * (m + 1) / ROUTE_PIECES};
}

struct route route_begin(int dir, int mirror, int j0, int j1, int slabs, int more, int rows, struct span_rows held)
{
    const struct span_rows all = rows_turned(dir, mirror, (struct span_rows){j0, j1});
    return (struct route){.dir = dir,
                          .mirror = mirror,
                          .slabs = slabs,
                          .more = more,
                          .low = all.a,
                          .high = all.b,
                          .rows = rows,
                          .held = held.a < held.b ? rows_turned(dir, mirror, held).b : all.a};
}

int route_edge(const struct route *x, int c)
{
    const int all = SF_MAX(x->high - x->more - x->low, 0), even = rows_even(all, x->slabs);
    if (c == x->slabs) return x->high;
    return x->low + (even ? even * c : (int)((long long)all * c / x->slabs));
}

struct span_rows route_comes(const struct route *x, int c)
{
    const int a = route_edge(x, c), b = route_edge(x, c + 1);
    return (struct span_rows){SF_MAX(a, SF_MIN(b, x->held)), b};
}

struct span_rows route_displaced(const struct route *x, struct span_rows comes)
{
    return (struct span_rows){x->low, comes.a < comes.b ? SF_MAX(x->low, comes.b - x->rows) : x->low};
}

struct span_rows route_stays(const struct route *x)
{
    return (struct span_rows){SF_MAX(x->low, x->high - x->rows), x->high};
}
