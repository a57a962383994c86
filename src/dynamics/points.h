/* Of the small steps of the wind what its kernels (points.cu) need: the loops are made of small_steps.sf.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/points.h"

#include "dynamics/slow.h"
#include "dynamics/smallstep.h"
#include "dynamics/stages.h"

/* ---- small steps of u and v, in place or from the other bank; the form is the field of pi'; moist air gives theta_rho
 * in place of theta' ---- */

struct wind_line {
    const real *u0, *v0, *ut, *vt, *th, *pi;
    real *u, *v;
    ptrdiff_t sj;
    real dtau, cp_rdx, cp_rdy, th0;
};

SF_POINT struct wind_line wind_line(const int pressure, const struct slab *s, const struct dynamics *d,
                                    const struct call *c, ptrdiff_t at, int k)
{
    struct wind_line l;
    l.u0 = s->f[F_U] + at, l.v0 = s->f[F_V] + at, l.u = s->w[F_U] + at, l.v = s->w[F_V] + at;
    l.ut = s->f[F_UT] + at, l.vt = s->f[F_VT] + at, l.th = s->f[d->species ? F_THR : F_TH] + at,
    l.pi = s->f[pressure] + at;
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

SF_POINT struct uv_wind uv_wind(const struct wind_line *l, struct uv_wind start, struct uv_wind tendency,
                                struct cell_around th, struct cell_around pi)
{
    struct uv_wind x;
    x.u = wind_step(start.u, tendency.u, l->dtau, l->th0, th.west, th.own, l->cp_rdx, pi.west, pi.own);
    x.v = wind_step(start.v, tendency.v, l->dtau, l->th0, th.south, th.own, l->cp_rdy, pi.south, pi.own);
    return x;
}
