/* What loops by lines (tracers.c) and kernels by tiles (tracers_tiles.cuh) of the stages of tracers.sf begin with.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/open_value.h"
#include "dynamics/transport.h"

/* A form is the sum of a stage and a kind of mixing. */
enum { CARRY_FIRST = 0, CARRY_SECOND = 16, CARRY_SHARE = 32, CARRY_STAGE = 48, CARRY_KIND = 15 };

struct carry_line {
    const real *u, *v, *w;
    ptrdiff_t sj, sk;
    real x, y, bottom, top; /* time step over spacing, times rho_0 of the face over that of the cell */
    struct mix_weights mix;
    struct open_value_sides sides;
    real inflow, vapour, cloud; /* of tracers, of vapour and of cloud in the air that enters */
    int species, named; /* so many first members are water; and have names */
};

SF_POINT struct carry_line carry_line(const int form, const struct slab *s, const struct dynamics *d,
                                      const struct call *c, ptrdiff_t at, int k)
{
    (void)form;
    struct carry_line l;
    const real dt = c->dt, above = dt * (R(1.5) * s->f[P_ADZC][k]);
    l.u = s->f[F_U] + at, l.v = s->f[F_V] + at, l.w = s->f[F_W] + at;
    l.sj = s->sj, l.sk = s->sk;
    l.x = dt * d->rdx, l.y = dt * d->rdy;
    l.bottom = above * s->f[P_RHOF][k], l.top = above * s->f[P_RHOF][k + 1];
    l.mix.x = dt * d->mix_x, l.mix.y = dt * d->mix_y;
    l.mix.z.low = dt * s->f[P_MBQ][k], l.mix.z.high = dt * s->f[P_MTQ][k];
    l.sides = open_value_sides(s, d), l.sides.j = (int)((at - k * s->sk) / s->sj) + s->j0;
    l.inflow = d->tracer_inflow, l.species = d->species, l.named = d->named, l.vapour = s->f[P_QV0][k],
    l.cloud = s->f[P_QC0][k];
    return l;
}

/* Where lines of one tracer lie: at the start of the time step, in this stage, the factor, the result. */
struct carry_member {
    const real *start, *now;
    real *factor, *to;
};

/* What is carried in the stage. */
SF_POINT const real *carry_now(const int form, const struct member *m)
{
    const int stage = form & CARRY_STAGE;
    return m->f[stage == CARRY_FIRST ? F_FAMILY_Q : stage == CARRY_SECOND ? F_FAMILY_NEAR : F_FAMILY_FAR];
}

SF_POINT struct carry_member carry_member(const int form, const struct member *m, ptrdiff_t at)
{
    const int stage = form & CARRY_STAGE;
    struct carry_member x;
    x.start = m->f[F_FAMILY_Q] + at;
    x.now = carry_now(form, m) + at;
    x.factor = stage == CARRY_SHARE ? m->w[F_FAMILY_NEAR] + at : NULL;
    x.to = m->w[stage == CARRY_FIRST ? F_FAMILY_NEAR : stage == CARRY_SECOND ? F_FAMILY_FAR : F_FAMILY_Q] + at;
    return x;
}

/* In the air that enters. */
SF_POINT real carry_inflow(const struct carry_line *l, const struct member *m)
{
    if (m->n >= l->species) return m->n >= l->named ? l->inflow : R(0.0);
    return m->n == 0 ? l->vapour : m->n == 1 ? l->cloud : R(0.0);
}
