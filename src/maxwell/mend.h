/* What a plane wave mends at the faces of its box: places, and the wave's own value there; see incident.h.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/element.h"

enum { LINE_FINE = 4 }; /* oblique: points per node of the line's tables */

/* How places of the grid lie along the line of the wave. Half cells count from 0 at the domain's first node. */
struct line_view {
    int along, sign; /* of a wave along an axis; along -1: oblique */
    int low[3], high[3]; /* nodes of the box */
    int ahead; /* oblique: nodes of the line before the first corner */
    const double *place[3]; /* oblique: along the line, in nodes, of half cells of each axis */
    int turns, imaginary; /* of complex fields with a phase across the wave, and which part of them */
    const double *phase[2]; /* along the two axes across: cosine and sine of k x, of half cells */
};

/* What one component takes on one face. */
struct mend {
    int target; /* component: 0 .. 5 */
    struct place_range range; /* of the target */
    int part; /* of the table, oblique or turned: which component */
    int axis, shift; /* from target to source, in half cells along the face's axis */
    double factor; /* of the table's value: spacing and sign; direction where the table has one component */
};

/* Lagrange's cubic through the four points around x. */
SF_FORMULA double line_cubic(const double *row, double x)
{
    const int m = (int)x;
    const double f = x - m, *const v = row + m;
    const double outer = f * (1 - f) / 6, inner = (1 + f) * (2 - f) / 2;
    return inner * ((1 - f) * v[0] + f * v[1]) - outer * ((2 - f) * v[-1] + (1 + f) * v[2]);
}

/* The line's value at half cells h[3]; E rows begin at the first face, H rows half a cell before. */
SF_FORMULA double line_value(const struct line_view *l, const double *row, int is_e, const int h[3])
{
    if (l->along >= 0) {
        const int a = l->along, away = l->sign > 0 ? h[a] - 2 * l->low[a] : 2 * l->high[a] - h[a]; /* half cells */
        return row[is_e ? away / 2 : (away + 1) / 2];
    }
    const double x = l->place[0][h[0]] + l->place[1][h[1]] + l->place[2][h[2]] + l->ahead;
    return line_cubic(row, (double)LINE_FINE * (is_e ? x : x - 0.5));
}

/* Elements of a range, whole lines along i first, then levels, then rows. */
SF_FORMULA ptrdiff_t place_range_size(const struct place_range *r)
{
    return (ptrdiff_t)(r->high[0] - r->low[0]) * (r->high[1] - r->low[1]) * (r->high[2] - r->low[2]);
}

SF_FORMULA ptrdiff_t place_range_at(const struct place_range *r, int i, int j, int k)
{
    return ((ptrdiff_t)(j - r->low[1]) * (r->high[2] - r->low[2]) + k - r->low[2]) * (r->high[0] - r->low[0]) + i -
           r->low[0];
}

/* Part of exp(-j (k_u u + k_v v)) at half cells h[3]. */
SF_FORMULA double line_turn(const struct line_view *l, const int h[3])
{
    const double *const u = l->phase[0] + 2 * h[(l->along + 1) % 3], *const v = l->phase[1] + 2 * h[(l->along + 2) % 3];
    return l->imaginary ? -(u[1] * v[0] + u[0] * v[1]) : u[0] * v[0] - u[1] * v[1];
}

/* What element (i, j, k) of the target takes per `turn`. `row`: of the part of the wave's table that the target is
 * not. */
SF_FORMULA real mend_value(const struct line_view *l, const struct mend *m, const double *row, int i, int j, int k)
{
    int h[3] = {2 * i + !on_node(m->target, 0), 2 * j + !on_node(m->target, 1), 2 * k + !on_node(m->target, 2)};
    h[m->axis] += m->shift;
    const double value = m->factor * line_value(l, row, m->target >= 3, h);
    return (real)(l->turns ? value * line_turn(l, h) : value);
}
