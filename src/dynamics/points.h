/* The stages that compute each point by itself: Coriolis force, Rayleigh layer, small steps of
 * the wind, the step of theta'. pipeline/points.h makes loops or kernels of them, but for the kernels of the wind,
 * which do more: points.cu. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/points.h"

#include "dynamics/slow.h"
#include "dynamics/smallstep.h"
#include "dynamics/stages.h"

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

#ifndef __cplusplus /* a loop; the kernels are those of points.cu */
SF_POINT void uv_point(const int pressure, const struct uv_line *l, int i)
{
    (void)pressure;
    const real *const th = l->th + i, *const pi = l->pi + i;
    const struct uv_wind start = {l->u0[i], l->v0[i]}, tendency = {l->ut[i], l->vt[i]};
    const struct cell_around th_here = {th[0], th[-1], th[-l->sj]}, pi_here = {pi[0], pi[-1], pi[-l->sj]};
    const struct uv_wind x = uv_wind(l, start, tendency, th_here, pi_here);
    l->u[i] = x.u, l->v[i] = x.v;
}

SF_POINT_STAGE(uv_start, uv, F_PI, struct dynamics)
SF_POINT_STAGE(uv_next, uv, F_PID, struct dynamics)
#endif

/* ---- Coriolis force ---- */

struct coriolis_line {
    const real *u, *v;
    real *ut, *vt;
    ptrdiff_t sj;
    real f, u0, v0;
};

SF_POINT struct coriolis_line coriolis_line(const int form, const struct slab *s, const struct dynamics *d,
                                            const struct call *c, ptrdiff_t at, int k)
{
    (void)form, (void)c;
    struct coriolis_line l;
    l.u = s->f[F_U] + at, l.v = s->f[F_V] + at, l.ut = s->w[F_UT] + at, l.vt = s->w[F_VT] + at;
    l.sj = s->sj, l.f = d->f, l.u0 = s->f[P_U0][k], l.v0 = s->f[P_V0][k];
    return l;
}

SF_POINT void coriolis_point(const int form, const struct coriolis_line *l, int i)
{
    (void)form;
    const real *const u = l->u, *const v = l->v;
    const ptrdiff_t sj = l->sj;
    const real ut = l->ut[i] + coriolis(l->f, v[i - 1], v[i], v[i - 1 + sj], v[i + sj], l->v0);
    const real vt = l->vt[i] + coriolis(-l->f, u[i - sj], u[i], u[i + 1 - sj], u[i + 1], l->u0);
    l->ut[i] = ut, l->vt[i] = vt;
}

SF_POINT_STAGE(coriolis, coriolis, 0, struct dynamics)

/* ---- Rayleigh layer, from its lowest level on ---- */

struct rayleigh_line {
    const real *u, *v, *w, *th;
    real *ut, *vt, *wt, *tht;
    real rate, rate_f, u0, v0;
};

SF_POINT struct rayleigh_line rayleigh_line(const int form, const struct slab *s, const struct dynamics *d,
                                            const struct call *c, ptrdiff_t at, int k)
{
    (void)form, (void)d, (void)c;
    struct rayleigh_line l;
    l.u = s->f[F_U] + at, l.v = s->f[F_V] + at, l.w = s->f[F_W] + at, l.th = s->f[F_TH] + at;
    l.ut = s->w[F_UT] + at, l.vt = s->w[F_VT] + at, l.wt = s->w[F_WT] + at, l.tht = s->w[F_THT] + at;
    l.rate = s->f[P_RAYC][k], l.rate_f = s->f[P_RAYF][k], l.u0 = s->f[P_U0][k], l.v0 = s->f[P_V0][k];
    return l;
}

SF_POINT void rayleigh_point(const int form, const struct rayleigh_line *l, int i)
{
    (void)form;
    const real ut = l->ut[i] + relax(l->rate, l->u[i], l->u0), vt = l->vt[i] + relax(l->rate, l->v[i], l->v0);
    const real wt = l->wt[i] + relax(l->rate_f, l->w[i], R(0.0)), tht = l->tht[i] + relax(l->rate, l->th[i], R(0.0));
    l->ut[i] = ut, l->vt[i] = vt, l->wt[i] = wt, l->tht[i] = tht;
}

SF_POINT_PART(rayleigh_points, rayleigh, 0, struct dynamics)

static void rayleigh_all(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    b.k0 = SF_MAX(b.k0, ((const struct dynamics *)c->ctx)->ray_k);
    rayleigh_points(s, b, c, stream);
}

SF_PART_STAGE(rayleigh, rayleigh_all)

/* ---- theta': what it was at the start of the time step + dt tendency ---- */

struct scalar_line {
    const real *q0, *qt;
    real *q;
    real dt;
};

SF_POINT struct scalar_line scalar_line(const int form, const struct slab *s, const struct dynamics *d,
                                        const struct call *c, ptrdiff_t at, int k)
{
    (void)form, (void)d, (void)k;
    struct scalar_line l;
    l.q0 = s->f[F_TH] + at, l.q = s->w[F_TH] + at, l.qt = s->f[F_THT] + at;
    l.dt = c->dt;
    return l;
}

SF_POINT void scalar_point(const int form, const struct scalar_line *l, int i)
{
    (void)form;
    l->q[i] = scalar_step(l->q0[i], l->qt[i], l->dt);
}

SF_POINT_STAGE(scalar, scalar, 0, struct dynamics)

/* ---- pi' of a domain whose mass is held ---- */

struct hold_line {
    real *pi;
    real shift;
};

SF_POINT struct hold_line hold_line(const int form, const struct slab *s, const struct dynamics *d,
                                    const struct call *c, ptrdiff_t at, int k)
{
    (void)form, (void)c, (void)k;
    struct hold_line l;
    l.pi = s->f[F_PI] + at, l.shift = d->pi_shift;
    return l;
}

SF_POINT void hold_point(const int form, const struct hold_line *l, int i)
{
    (void)form;
    l->pi[i] += l->shift;
}

SF_POINT_STAGE(hold, hold, 0, struct dynamics)
