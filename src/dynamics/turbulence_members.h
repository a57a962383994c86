/* What turbulence does to all that is carried: water and tracers are mixed with K_h, its own energy with 2 K_m, all
 * members of the family at once, from one bank into the other. Of a step
 *
 *     q' = q + dt / rho_0 div(rho_0 K grad q)
 *
 * no part is more than what is there, for K dt (1/dx2 + 1/dy2 + 1/dz2) is below 1/2: what is not below zero stays so.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/stages.h"
#include "dynamics/turbulence.h"
#include "pipeline/points.h"

struct stir_line {
    const real *viscosity, *diffusivity;
    ptrdiff_t sj, sk;
    real x, y, low,
        high; /* time step over squares of spacings; along z times rho_0 of the face over that of the cell */
    ptrdiff_t energy; /* which member is the energy of turbulence; -1: none */
};

SF_POINT struct stir_line stir_line(const int form, const struct slab *s, const struct dynamics *d,
                                    const struct call *c, ptrdiff_t at, int k)
{
    (void)form;
    const real over = c->dt * (R(1.5) * s->f[P_ADZC][k]), level = c->dt * s->f[P_FLAT][k];
    const struct stir_line l = {s->f[F_KM] + at,
                                s->f[F_KH] + at,
                                s->sj,
                                s->sk,
                                level * d->rdx * d->rdx,
                                level * d->rdy * d->rdy,
                                over * s->f[P_RHOF][k] * s->f[P_RDZF][k],
                                over * s->f[P_RHOF][k + 1] * s->f[P_RDZF][k + 1],
                                d->named > d->species ? d->species : -1};
    return l;
}

/* Weights of the differences across the six faces of a cell. */
struct stir_here {
    real west, east, south, north, below, above;
};

SF_POINT struct stir_here stir_weights(const struct stir_line *l, const real *k, int i, real times)
{
    const real half = R(0.5) * times;
    const struct stir_here h = {l->x * (half * (k[i] + k[i - 1])),       l->x * (half * (k[i] + k[i + 1])),
                                l->y * (half * (k[i] + k[i - l->sj])),   l->y * (half * (k[i] + k[i + l->sj])),
                                l->low * (half * (k[i] + k[i - l->sk])), l->high * (half * (k[i] + k[i + l->sk]))};
    return h;
}

SF_POINT struct stir_here stir_here(const int form, const struct stir_line *l, int i)
{
    (void)form;
    return stir_weights(l, l->diffusivity, i, R(1.0));
}

struct stir_member {
    const real *q;
    real *to;
    int is_energy;
};

SF_POINT struct stir_member stir_member(const int form, const struct stir_line *l, const struct member *m, ptrdiff_t at)
{
    (void)form;
    const struct stir_member x = {m->f[F_FAMILY_Q] + at, m->w[F_FAMILY_Q] + at, m->n == l->energy};
    return x;
}

SF_POINT void stir_point(const int form, const struct stir_line *l, const struct stir_here *shared,
                         const struct stir_member *m, int i)
{
    (void)form;
    const struct stir_here h = m->is_energy ? stir_weights(l, l->viscosity, i, R(2.0)) : *shared;
    const real *const q = m->q + i;
    const real x = eddy_level(h.west, h.east, q[0] - q[-1], q[1] - q[0]),
               y = eddy_level(h.south, h.north, q[0] - q[-l->sj], q[l->sj] - q[0]),
               z = eddy_level(h.below, h.above, q[0] - q[-l->sk], q[l->sk] - q[0]);
    m->to[i] = eddy_step(q[0], (x + y) + z);
}
