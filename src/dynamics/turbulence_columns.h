/* What turbulence does along z to all that is carried, where it is implicit: each member of the family is solved in
 * each column, from the bottom up and down again, by backward Euler. A scratch field of the member, free by then, keeps
 * the ratios. Descriptions have no columns of families. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/stages.h"
#include "pipeline/points.h"
#include "pipeline/tridiagonal.h"

/* A column is found by its lowest level. */
struct sink_line {
    const real *viscosity, *diffusivity, *near, *rho, *rdz;
    ptrdiff_t sk, energy;
    real dt;
    int nk;
};

SF_POINT struct sink_line sink_line(const struct slab *s, const struct dynamics *d, const struct call *c, ptrdiff_t at)
{
    const struct sink_line l = {s->f[F_KM] + at,
                                s->f[F_KH] + at,
                                s->f[P_ADZC],
                                s->f[P_RHOF],
                                s->f[P_RDZF],
                                s->sk,
                                d->named > d->species ? d->species : -1,
                                c->dt,
                                s->nk};
    return l;
}

struct sink_member {
    real *q, *ratio;
    const real *k;
    real half; /* what makes a face's weight of the sum of both K */
};

SF_POINT struct sink_member sink_member(const struct sink_line *l, const struct member *m, ptrdiff_t at)
{
    const int is_energy = m->n == l->energy;
    const struct sink_member x = {m->w[F_FAMILY_Q] + at, m->w[F_FAMILY_NEAR] + at,
                                  is_energy ? l->viscosity : l->diffusivity, is_energy ? R(1.0) : R(0.5)};
    return x;
}

/* Weight of the face below level k, of a difference over a cell of level `of`. */
SF_POINT real sink_weight(const struct sink_line *l, const struct sink_member *m, int i, int k, int of)
{
    const real *const both = m->k + i + k * l->sk;
    return l->dt * (R(1.5) * l->near[of]) * l->rho[k] * l->rdz[k] * (m->half * (both[0] + both[-l->sk]));
}

/* Level k on the way up, of the equation before it; and down, of the solution behind it. */
SF_POINT struct tridiagonal sink_up(const struct sink_line *l, const struct sink_member *m, int i, int k,
                                    struct tridiagonal before)
{
    const real low = k > 0 ? sink_weight(l, m, i, k, k) : R(0.0),
               high = k + 1 < l->nk ? sink_weight(l, m, i, k + 1, k) : R(0.0);
    return tridiagonal_eliminate(-low, R(1.0) + (low + high), -high, m->q[i + k * l->sk], before.ratio, before.value);
}

SF_POINT void sink_point(const struct sink_line *l, const struct sink_member *m, int i)
{
    struct tridiagonal t = {R(0.0), R(0.0)};
    for (int k = 0; k < l->nk; k++) {
        t = sink_up(l, m, i, k, t);
        m->ratio[i + k * l->sk] = t.ratio, m->q[i + k * l->sk] = t.value;
    }
    real next = R(0.0);
    for (int k = l->nk - 1; k >= 0; k--) {
        const ptrdiff_t at = i + k * l->sk;
        next = tridiagonal_solve(m->ratio[at], m->q[at], next);
        m->q[at] = next;
    }
}
