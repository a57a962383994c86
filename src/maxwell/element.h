/* Elements of components: where in their cell they lie, which row they repeat, and the numbers of their media. Axes: 0
 * x, 1 y, 2 z. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* Elements of one component: low <= n < high along each axis. */
struct place_range {
    int low[3], high[3];
};

SF_FORMULA int place_range_has(const struct place_range *r, int i, int j, int k)
{
    return i >= r->low[0] && i < r->high[0] && j >= r->low[1] && j < r->high[1] && k >= r->low[2] && k < r->high[2];
}

/* A component: 0, 1, 2 of E, 3, 4, 5 of H. Position of element n along axis a is on a node, or at the centre of a
 * cell. */
SF_FORMULA int on_node(int component, int a) { return component < 3 ? component != a : component - 3 == a; }

/* Row j as the domain counts it; beyond a seam of a periodic domain of `rows` (0: it has none) its rows repeat. */
SF_FORMULA int place_row(int j, int rows) { return rows ? (j % rows + rows) % rows : j; }

/* Do rows low .. high - 1, or where there is a seam an image of them, lie among j0 .. j1 - 1? None of them is none. */
SF_FORMULA int place_rows_meet(int low, int high, int rows, int j0, int j1)
{
    const int first = rows ? j0 + place_row(low - j0, rows)
                           : low; /* of the first image that begins at j0 or later; one is before it */
    return low < high && j0 < j1 &&
           ((first < j1 && first + high - low > j0) || (rows && first - rows + high - low > j0));
}

/* The id of `wide` bytes, 1 or 2, at an offset of its field. */
SF_FORMULA unsigned id_at(const void *ids, ptrdiff_t at, int wide)
{
    return wide == 1 ? ((const unsigned char *)ids)[at] : ((const unsigned short *)ids)[at];
}

/* What a table of coefficients has for it; ids of 0 bytes: one medium everywhere, number 0. */
SF_FORMULA real coefficient_at(const real *table, const void *ids, ptrdiff_t at, int wide)
{
    return table[wide ? id_at(ids, at, wide) : 0];
}

/* Of an element of a plane in a table of lines of `wide`: its numbers are n_b and n_c along the axes b and c across it,
 * those of the corner low_b and low_c. */
SF_FORMULA ptrdiff_t plane_index(int wide, int low_b, int low_c, int n_b, int n_c)
{
    return (ptrdiff_t)(n_c - low_c) * wide + n_b - low_b;
}
