/* The stages of tracers; and of the small steps of the wind what its kernels (points.cu) need, whose loops are made of
 * small_steps.sf. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/points.h"

#include "dynamics/advmix_line.h"
#include "dynamics/slow.h"
#include "dynamics/smallstep.h"

/* ---- tendency of a tracer: that of theta' without a base profile; the form is the kind ---- */

struct tracer_line {
    const real *u, *v, *w, *q;
    real *qt;
    ptrdiff_t sj, sk;
    struct weights m;
};

SF_POINT struct tracer_line tracer_line(const int kind, const struct slab *s, const struct dynamics *d,
                                        const struct call *c, ptrdiff_t at, int k)
{
    (void)kind, (void)c;
    struct tracer_line l;
    l.u = s->f[F_U] + at, l.v = s->f[F_V] + at, l.w = s->f[F_W] + at, l.q = s->f[F_Q] + at;
    l.qt = s->w[F_Q + F_FAMILY_TENDENCY] + at;
    l.sj = s->sj, l.sk = s->sk;
    struct level n;
    level_centres(&n, s, k);
    l.m = weights_centre(d, &n);
    return l;
}

SF_POINT void tracer_point(const int kind, const struct tracer_line *l, int i)
{
    const ptrdiff_t sj = l->sj, sk = l->sk;
    const struct star q = STAR(l->q);
    l->qt[i] = theta_tendency(kind, q, FACES(l->u, 1), FACES(l->v, sj), FACES(l->w, sk), l->m, R(0.0), R(0.0));
}

#define KIND(name, kind) SF_POINT_PART(tracer_##name, tracer, kind, struct dynamics)
#include "dynamics/kinds.def"

static void tracer_all(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    switch (kind_of((const struct dynamics *)c->ctx)) {
#define KIND(name, kind)                                                                                               \
    case kind:                                                                                                         \
        tracer_##name(s, b, c, stream);                                                                                \
        break;
#include "dynamics/kinds.def"
    }
}

SF_PART_STAGE(tracer, tracer_all)

/* ---- small steps of u and v, in place or from the other bank; the form is the field of pi' ---- */

struct uv_line {
    const real *u0, *v0, *ut, *vt, *th, *pi;
    real *u, *v;
    ptrdiff_t sj;
    real dtau, cp_rdx, cp_rdy, th0;
};

SF_POINT struct uv_line uv_line(const int pressure, const struct slab *s, const struct dynamics *d,
                                const struct call *c, ptrdiff_t at, int k)
{
    struct uv_line l;
    l.u0 = s->f[F_U] + at, l.v0 = s->f[F_V] + at, l.u = s->w[F_U] + at, l.v = s->w[F_V] + at;
    l.ut = s->f[F_UT] + at, l.vt = s->f[F_VT] + at, l.th = s->f[F_TH] + at, l.pi = s->f[pressure] + at;
    l.sj = s->sj;
    l.dtau = c->dt, l.cp_rdx = d->cp * c->dt * d->rdx, l.cp_rdy = d->cp * c->dt * d->rdy;
    l.th0 = s->f[P_TH0][k];
    return l;
}

/* A value of a cell, and those west and south of it. */
struct cell_around {
    real own, west, south;
};

/* At the western and southern faces of a point. */
struct uv_wind {
    real u, v;
};

SF_POINT struct uv_wind uv_wind(const struct uv_line *l, struct uv_wind start, struct uv_wind tendency,
                                struct cell_around th, struct cell_around pi)
{
    struct uv_wind x;
    x.u = wind_step(start.u, tendency.u, l->dtau, l->th0, th.west, th.own, l->cp_rdx, pi.west, pi.own);
    x.v = wind_step(start.v, tendency.v, l->dtau, l->th0, th.south, th.own, l->cp_rdy, pi.south, pi.own);
    return x;
}

/* ---- theta' and tracers: what it was at the start of the time step + dt tendency ---- */

struct scalar_line {
    const real *q0, *qt;
    real *q;
    real dt;
};

/* Whose step: the op's argument says, 1 for a tracer. */
SF_POINT struct scalar_line scalar_line(const int form, const struct slab *s, const struct dynamics *d,
                                        const struct call *c, ptrdiff_t at, int k)
{
    (void)form, (void)d, (void)k;
    const int tracer = c->arg, now = tracer ? F_Q : F_TH;
    struct scalar_line l;
    l.q0 = s->f[now] + at, l.q = s->w[now] + at;
    l.qt = s->f[tracer ? now + F_FAMILY_TENDENCY : F_THT] + at;
    l.dt = c->dt;
    return l;
}

SF_POINT void scalar_point(const int form, const struct scalar_line *l, int i)
{
    (void)form;
    l->q[i] = scalar_step(l->q0[i], l->qt[i], l->dt);
}

SF_POINT_STAGE(scalar, scalar, 0, struct dynamics)
