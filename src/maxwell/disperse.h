/* The memories of a medium's poles at a point: dispersion.h says what they are. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/element.h"
#include "pipeline/sferic.h"

/* What a mixture has of a medium with poles: nothing; of all such media this one alone; this one among others. */
enum disperse_share { DISPERSE_NONE, DISPERSE_ALONE, DISPERSE_AMONG };

/* What stages need of a medium: a table has a row of n for each number of E's mixtures. */
struct disperse {
    int singles, n; /* reals of a component's memories: of real poles and, behind them, the two of each pair */
    real *decay, *gain; /* [n], [ids][n] */
    unsigned char *has; /* [ids], of mixtures: enum disperse_share */
    int i0, k0, columns, levels; /* of its box */
};

/* A line of one component along x: column 0 of it. */
struct disperse_line {
    real *memory;
    const void *ids;
    ptrdiff_t at, stride; /* of E, from column 0, level 0, row 0 on; from one memory of a point to the next */
    int wide;
};

/* Row `row` of those that are there, level k; ids, memory: column 0, level 0, row 0 of the numbers of the component's
 * media, and the first memory. */
SF_FORMULA struct disperse_line disperse_line(const struct disperse *d, const void *ids, int wide, real *memory,
                                              ptrdiff_t sj, ptrdiff_t sk, int row, int k, int component)
{
    const ptrdiff_t stride = (ptrdiff_t)d->levels * d->columns, at = row * sj + k * sk;
    struct disperse_line l;
    l.at = at, l.ids = wide ? (const char *)ids + at * wide : (const char *)ids, l.wide = wide, l.stride = stride;
    l.memory = memory + ((ptrdiff_t)row * 3 + component) * d->n * stride + (ptrdiff_t)(k - d->k0) * d->columns - d->i0;
    return l;
}

/* E once it has gained from memories y, `stride` apart: `singles` of real poles, and behind them those of pairs. */
SF_FORMULA real disperse_gained(int singles, int n, const real *y, ptrdiff_t stride, real e)
{
    for (int m = 0; m < singles; m++) e += y[m * stride];
    for (int m = singles; m < n; m += 2) e += y[m * stride];
    return e;
}

/* They follow E, by what a mixture has of each. */
SF_FORMULA void disperse_memories(int singles, int n, const real *decay, const real *gain, real *y, ptrdiff_t stride,
                                  real e)
{
    for (int m = 0; m < singles; m++) y[m * stride] = sf_fma(decay[m], y[m * stride], gain[m] * e);
    for (int m = singles; m < n; m += 2) {
        const real re = y[m * stride], im = y[(m + 1) * stride];
        y[m * stride] = sf_fma(decay[m], re, sf_fma(-decay[m + 1], im, gain[m] * e));
        y[(m + 1) * stride] = sf_fma(decay[m], im, sf_fma(decay[m + 1], re, gain[m + 1] * e));
    }
}

/* Memories that follow E, of mixture `id`. */
SF_FORMULA void disperse_follow(const struct disperse *d, const struct disperse_line *l, int i, unsigned id, real e)
{
    disperse_memories(d->singles, d->n, d->decay, d->gain + (ptrdiff_t)id * d->n, l->memory + i, l->stride, e);
}

/* Point i of the line, of which e is column 0. */
SF_FORMULA void disperse_point(const struct disperse *d, const struct disperse_line *l, real *e, int i)
{
    const unsigned id = l->wide ? id_at(l->ids, i, l->wide) : 0;
    if (d->has[id] == DISPERSE_NONE) return;
    const real *const y = l->memory + i;
    const real gained = disperse_gained(d->singles, d->n, y, l->stride, e[i]);
    e[i] = gained;
    if (d->has[id] == DISPERSE_ALONE) disperse_follow(d, l, i, id, gained);
}

/* Once E has gained from all media of its mixture. */
SF_FORMULA void disperse_point_among(const struct disperse *d, const struct disperse_line *l, const real *e, int i)
{
    const unsigned id = l->wide ? id_at(l->ids, i, l->wide) : 0;
    if (d->has[id] == DISPERSE_AMONG) disperse_follow(d, l, i, id, e[i]);
}
