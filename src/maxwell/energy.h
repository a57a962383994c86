/* Energies and magnitudes of elements, line by line: the sums of the time series.
 *
 *     energy = 1/2 eps E^2 V, 1/2 mu H^2 V         V: the part of an element that lies in the domain, m3
 *
 * On edges and faces that conductors cut, eps E^2 is eps / l times the square of what is stored, and mu is A mu
 * (conformal.h): the coefficients say so.
 *
 * A row has lines of its components, E or H: component after component, of each the rows, and of those the levels. What
 * lies on a far magnetic conductor is part of the domain; its row goes with the last. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/element.h"

struct energies {
    const double *part[3][2]; /* m: of each element along an axis, of cells and of nodes; tables */
    const double *half[2]; /* half of eps and of mu, by the number of a medium; tables */
    const real *whole; /* of coefficients of E; NULL: 1 */
    int ni, nk, nj, ext[3]; /* cells; 1: the node beyond the last cell is part of the domain, along x, y, z */
    int wide[2]; /* bytes of the number of a medium of E and H: 0 (there is one), 1, 2 */
    int field; /* Ex, or its imaginary part; the other components are the next five */
    int media; /* the field with those of Ex; of the others the next five */
    int maxima; /* of magnitudes: 2, or none (0) */
    double *memory; /* a table that holds those above */
};

/* A line of one component: n elements, their values, their parts along x, their media. */
struct energy_line {
    const real *f;
    const double *part, *half;
    const real *whole; /* E over what is stored, by medium; NULL: 1 */
    const void *id; /* by bytes of one: NULL, unsigned char, unsigned short */
    double weight; /* m2: of an element across x; 0: no part of the domain */
    int wide, n;
};

SF_FORMULA int energy_levels(const struct energies *e, int c) { return e->nk + (e->ext[2] && on_node(c, 2)); }
SF_FORMULA int energy_rows(const struct energies *e, int c, int j)
{
    return 1 + (j + 1 == e->nj && e->ext[1] && on_node(c, 1));
}

/* Lines of row j of E (kind 0) or H (1). */
SF_FORMULA int energy_lines(const struct energies *e, int kind, int j)
{
    int n = 0;
    for (int c = 3 * kind; c < 3 * kind + 3; c++) n += energy_levels(e, c) * energy_rows(e, c, j);
    return n;
}

SF_FORMULA struct energy_line energy_line(const struct energies *e, const struct slab *s, int kind, int j, int l)
{
    int c = 3 * kind;
    for (; l >= energy_levels(e, c) * energy_rows(e, c, j); c++) l -= energy_levels(e, c) * energy_rows(e, c, j);
    const int row = j + l / energy_levels(e, c), k = l % energy_levels(e, c), wide = e->wide[kind];
    const ptrdiff_t at = (row - s->j0) * s->sj + k * s->sk;
    struct energy_line x;
    x.f = s->f[e->field + c] + at, x.part = e->part[0][on_node(c, 0)], x.half = e->half[kind];
    x.whole = kind == 0 ? e->whole : NULL;
    x.id = wide ? (const char *)s->f[e->media + c] + at * wide : NULL;
    x.weight = e->part[1][on_node(c, 1)][row] * e->part[2][on_node(c, 2)][k];
    x.wide = wide, x.n = e->ni + (e->ext[0] && on_node(c, 0));
    return x;
}

/* Of a value, per area across x. */
SF_FORMULA double energy_of(double half, double part, real f) { return half * part * (double)f * (double)f; }

/* Magnitude of element i. */
SF_FORMULA real magnitude_at(const struct energy_line *l, int i)
{
    return sf_abs(l->whole ? l->f[i] * coefficient_at(l->whole, l->id, i, l->wide) : l->f[i]);
}

/* Of element i. */
SF_FORMULA double energy_at(const struct energy_line *l, int i)
{
    return energy_of(l->half[l->wide ? id_at(l->id, i, l->wide) : 0], l->part[i], l->f[i]);
}
