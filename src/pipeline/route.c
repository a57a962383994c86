/* Arithmetic of rows that come and go. SPDX-License-Identifier: MIT */
#include "pipeline/route.h"

int route_rows(int span, int slabs, int more, int reach, int n)
{
    const long long pieces = (long long)slabs * ROUTE_PIECES, rows = ((long long)n * SF_MAX(span - more, 0) + pieces - 1) / pieces;
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
    return c == x->slabs ? x->high : x->low + (int)((long long)SF_MAX(x->high - x->more - x->low, 0) * c / x->slabs);
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
