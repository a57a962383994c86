/* Values of tracers beyond open sides: where air enters, what it brings; where it leaves, the line through the two
 * outermost values. What descriptions of stages (docs/models.md) call open_value is made of the functions here.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/stages.h"
#include "pipeline/printed.h"

/* Cells next to a side whose lines of seven reach beyond it. */
enum { SIDE_CELLS = 3 };

/* Sides that are open and that no file leads, the size of the domain, and the row that is computed. */
struct open_value_sides {
    int open[4], ni, nj, j, unused;
};

SF_POINT struct open_value_sides open_value_sides(const struct slab *s, const struct dynamics *d)
{
    const int is_free = !d->led;
    struct open_value_sides o = {
        {is_free && d->open[0], is_free && d->open[1], is_free && d->open[2], is_free && d->open[3]},
        s->ni,
        s->nj,
        0,
        0};
    return o;
}

/* inward: the wind; edge, inside: the outermost value and the next; cells: beyond the side. */
SF_POINT real beyond_open(real inward, real outside, real edge, real inside, int cells)
{
    return inward > R(0.0) ? outside : edge + (real)cells * (edge - inside);
}

/* The value n columns from column i of a line. u: through western faces; outside: in the air that enters. */
SF_POINT real value_x(const struct open_value_sides *o, const real *u, const real *q, int i, int n, real outside)
{
    const int at = i + n;
    if (o->open[FACE_W] && at < 0) return beyond_open(u[0], outside, q[0], q[1], -at);
    if (o->open[FACE_E] && at >= o->ni)
        return beyond_open(-u[o->ni], outside, q[o->ni - 1], q[o->ni - 2], at - o->ni + 1);
    return q[at];
}

/* n rows from it; v: through southern faces; sj: from row to row. */
SF_POINT real value_y(const struct open_value_sides *o, const real *v, const real *q, ptrdiff_t sj, int i, int n,
                      real outside)
{
    const int at = o->j + n;
    const real *const south = q + i - o->j * sj, *const north = q + i + (o->nj - 1 - o->j) * sj;
    if (o->open[FACE_S] && at < 0) return beyond_open(v[i - o->j * sj], outside, south[0], south[sj], -at);
    if (o->open[FACE_N] && at >= o->nj)
        return beyond_open(-v[i + (o->nj - o->j) * sj], outside, north[0], north[-sj], at - o->nj + 1);
    return q[i + n * sj];
}

/* So many columns or rows from it; away from the sides nothing is asked. */
SF_POINT real open_value(const int form, const struct open_value_sides *o, const real *u, const real *v, const real *q,
                         ptrdiff_t sj, int i, int columns, int rows, real outside)
{
    if (!(form & MADE_SIDES)) return q[i + columns + rows * sj];
    return columns ? value_x(o, u, q, i, columns, outside) : value_y(o, v, q, sj, i, rows, outside);
}

/* The cells of a box within reach of no open side, and those next to each: no cell twice. */
struct open_value_boxes {
    struct box inner, side[4];
};

static inline struct open_value_boxes open_value_boxes(const struct slab *s, struct box b, const struct dynamics *d)
{
    struct open_value_boxes x = {b, {b, b, b, b}};
    if (d->open[FACE_W]) x.inner.i0 = SF_MAX(b.i0, SF_MIN(b.i1, SIDE_CELLS));
    if (d->open[FACE_E]) x.inner.i1 = SF_MIN(b.i1, SF_MAX(x.inner.i0, s->ni - SIDE_CELLS));
    if (d->open[FACE_S]) x.inner.j0 = SF_MAX(b.j0, SF_MIN(b.j1, SIDE_CELLS));
    if (d->open[FACE_N]) x.inner.j1 = SF_MIN(b.j1, SF_MAX(x.inner.j0, s->nj - SIDE_CELLS));
    x.side[FACE_W].i1 = x.side[FACE_S].i0 = x.side[FACE_N].i0 = x.inner.i0;
    x.side[FACE_E].i0 = x.side[FACE_S].i1 = x.side[FACE_N].i1 = x.inner.i1;
    x.side[FACE_S].j1 = x.inner.j0, x.side[FACE_N].j0 = x.inner.j1;
    return x;
}
