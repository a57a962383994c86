/* The weights of a level, and the profiles around it: for the kernels of advmix. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/points.h"

#include "dynamics/advmix.h"
#include "dynamics/stages.h"

SF_POINT struct line5 profile_line(const real *p, int k)
{
    const struct line5 l = {p[k - 2], p[k - 1], p[k], p[k + 1], p[k + 2]};
    return l;
}

/* The numbers of a level: at its centres, and at the faces below them (_f); _half: where the wind comes as sums of
 * two. */
struct rung {
    real near, wide, near_half, wide_half, top, bottom;
    real near_f, wide_f, top_f, bottom_f, buoyancy_f;
    real slope_bottom, slope_top; /* half of d theta_0 / dz at its two faces */
};

/* And the profiles around it. */
struct level {
    struct rung at;
    struct line5 rho_f, u0, v0;
};

SF_POINT struct level level_make(const struct slab *s, int k)
{
    struct level l;
    l.at.near = s->f[P_ADZC][k], l.at.wide = s->f[P_BDZC][k];
    l.at.top = s->f[P_MTC][k], l.at.bottom = s->f[P_MBC][k];
    l.rho_f = profile_line(s->f[P_RHOF], k);
    l.at.near_half = R(0.5) * l.at.near, l.at.wide_half = R(0.5) * l.at.wide;
    l.at.near_f = s->f[P_ADZF][k], l.at.wide_f = s->f[P_BDZF][k];
    l.at.top_f = s->f[P_MTF][k], l.at.bottom_f = s->f[P_MBF][k], l.at.buoyancy_f = s->f[P_BUOY][k];
    l.at.slope_bottom = s->f[P_DTH0H][k], l.at.slope_top = s->f[P_DTH0H][k + 1];
    l.u0 = profile_line(s->f[P_U0], k), l.v0 = profile_line(s->f[P_V0], k);
    return l;
}

/* For theta' and pi'. */
SF_POINT struct weights weights_centre(const struct dynamics *d, const struct level *l)
{
    struct weights m;
    m.x_near = d->ax, m.x_wide = d->bx, m.y_near = d->ay, m.y_wide = d->by;
    m.z_near = l->at.near, m.z_wide = l->at.wide;
    m.x_mix = d->mix_x, m.y_mix = d->mix_y, m.z_top = l->at.top, m.z_bottom = l->at.bottom;
    m.rho.f0 = l->rho_f.m1, m.rho.f1 = l->rho_f.c, m.rho.f2 = l->rho_f.p1, m.rho.f3 = l->rho_f.p2;
    return m;
}

SF_POINT struct weights weights_u(const struct dynamics *d, const struct level *l)
{
    struct weights m = weights_centre(d, l);
    m.x_near = d->ax_self, m.x_wide = d->bx_self, m.y_near = d->ay_cross, m.y_wide = d->by_cross;
    m.z_near = l->at.near_half, m.z_wide = l->at.wide_half;
    return m;
}

SF_POINT struct weights weights_v(const struct dynamics *d, const struct level *l)
{
    struct weights m = weights_centre(d, l);
    m.x_near = d->ax_cross, m.x_wide = d->bx_cross, m.y_near = d->ay_self, m.y_wide = d->by_self;
    m.z_near = l->at.near_half, m.z_wide = l->at.wide_half;
    return m;
}

SF_POINT struct weights weights_w(const struct dynamics *d, const struct level *l)
{
    struct weights m = weights_centre(d, l);
    m.x_near = d->ax_cross, m.x_wide = d->bx_cross, m.y_near = d->ay_cross, m.y_wide = d->by_cross;
    m.z_near = l->at.near_f, m.z_wide = l->at.wide_f, m.z_top = l->at.top_f, m.z_bottom = l->at.bottom_f;
    m.rho.f0 = l->rho_f.m2, m.rho.f1 = l->rho_f.m1, m.rho.f2 = l->rho_f.p1, m.rho.f3 = l->rho_f.p2;
    return m;
}
