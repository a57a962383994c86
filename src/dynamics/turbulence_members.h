/* What turbulence does to all that is carried: water and tracers are mixed with K_h, its own energy with 2 K_m, all
 * members of the family at once, from one bank into the other. Of a step
 *
 *     q' = q + dt / rho_0 div(rho_0 K grad q)
 *
 * no part is more than what is there, for K dt (1/dx2 + 1/dy2 + 1/dz2) is below 1/2: what is not below zero stays so.
 * Where turbulence is implicit along z, `stir` leaves that out, and `sink` solves it in each column, from the bottom up
 * and down again; a scratch field of the member, free by then, keeps the ratios. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/stages.h"
#include "dynamics/turbulence.h"
#include "pipeline/points.h"
#include "pipeline/tridiagonal.h"

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
                                d->upright * (over * s->f[P_RHOF][k] * s->f[P_RDZF][k]),
                                d->upright * (over * s->f[P_RHOF][k + 1] * s->f[P_RDZF][k + 1]),
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

/* ---- columns ---- */

/* A column is found by its lowest level. */
struct sink_line {
    const real *viscosity, *diffusivity, *near, *rho, *rdz;
    ptrdiff_t sk, energy;
    real dt;
    int nk;
};

SF_POINT struct sink_line sink_line(const int form, const struct slab *s, const struct dynamics *d,
                                    const struct call *c, ptrdiff_t at, int k)
{
    (void)form, (void)k;
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

struct sink_here {
    int nothing;
};

SF_POINT struct sink_here sink_here(const int form, const struct sink_line *l, int i)
{
    (void)form, (void)l, (void)i;
    const struct sink_here h = {0};
    return h;
}

struct sink_member {
    real *q, *ratio;
    const real *k;
    real half; /* what makes a face's weight of the sum of both K */
};

SF_POINT struct sink_member sink_member(const int form, const struct sink_line *l, const struct member *m, ptrdiff_t at)
{
    (void)form;
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

SF_POINT void sink_point(const int form, const struct sink_line *l, const struct sink_here *h,
                         const struct sink_member *m, int i)
{
    (void)form, (void)h;
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

/* Of the columns of a box the lowest level. */
static inline struct box sink_box(struct box b)
{
    b.k0 = 0, b.k1 = 1;
    return b;
}
