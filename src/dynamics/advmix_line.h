/* Where the operands of the tendencies lie, and the weights of a level: for the loops and kernels of advmix.
 *
 * The macros take a pointer p to a line (one j and k); i, sj and sk are the caller's. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/points.h"

#include "dynamics/advmix.h"
#include "dynamics/stages.h"

/* The kind of kinds.def that the namelist asks for. */
static inline int kind_of(const struct dynamics *d)
{
    const int mixing = d->mixing == MIXING_OFF        ? MIX_NONE
                       : d->mixing == MIXING_FOURTH   ? MIX_FOURTH
                       : d->mixing == MIXING_MONOTONE ? MIX_MONOTONE
                                                      : MIX_SECOND;
    return mixing | (d->upwind ? ADVECT_UPWIND : 0);
}

#define LINE_X(p) {p[i - 2], p[i - 1], p[i], p[i + 1], p[i + 2]}
#define LINE_Y(p) {p[i - 2 * sj], p[i - sj], p[i], p[i + sj], p[i + 2 * sj]}
#define LINE_Z(p) {p[i - 2 * sk], p[i - sk], p[i], p[i + sk], p[i + 2 * sk]}
#define STAR(p) {LINE_X(p), LINE_Y(p), LINE_Z(p)}
#define PAIRS(p, step, other)                                                                                         \
    {{p[i - (step)], p[i], p[i + (step)], p[i + 2 * (step)]},                                                         \
     {p[i - (step) - (other)], p[i - (other)], p[i + (step) - (other)], p[i + 2 * (step) - (other)]}}
#define FACES(p, step) p[i - (step)], p[i], p[i + (step)], p[i + 2 * (step)]

SF_POINT struct line5 profile_line(const real *p, int k)
{
    const struct line5 l = {p[k - 2], p[k - 1], p[k], p[k + 1], p[k + 2]};
    return l;
}

/* At the centres of level k; half: 1/2 where the wind comes as sums of two, else 1. */
SF_POINT struct weights weights_centre(const struct slab *s, const struct dynamics *d, int k, real half)
{
    const real *rho = s->f[P_RHOF];
    struct weights m;
    m.x_near = d->ax, m.x_wide = d->bx, m.y_near = d->ay, m.y_wide = d->by;
    m.z_near = half * s->f[P_ADZC][k], m.z_wide = half * s->f[P_BDZC][k];
    m.x_mix = d->mix_x, m.y_mix = d->mix_y, m.z_top = s->f[P_MTC][k], m.z_bottom = s->f[P_MBC][k];
    m.rho.f0 = rho[k - 1], m.rho.f1 = rho[k], m.rho.f2 = rho[k + 1], m.rho.f3 = rho[k + 2];
    return m;
}

SF_POINT struct weights weights_u(const struct slab *s, const struct dynamics *d, int k)
{
    struct weights m = weights_centre(s, d, k, R(0.5));
    m.x_near = d->ax_self, m.x_wide = d->bx_self, m.y_near = d->ay_cross, m.y_wide = d->by_cross;
    return m;
}

SF_POINT struct weights weights_v(const struct slab *s, const struct dynamics *d, int k)
{
    struct weights m = weights_centre(s, d, k, R(0.5));
    m.x_near = d->ax_cross, m.x_wide = d->bx_cross, m.y_near = d->ay_self, m.y_wide = d->by_self;
    return m;
}

SF_POINT struct weights weights_w(const struct slab *s, const struct dynamics *d, int k)
{
    const real *rho = s->f[P_RHOF];
    struct weights m;
    m.x_near = d->ax_cross, m.x_wide = d->bx_cross, m.y_near = d->ay_cross, m.y_wide = d->by_cross;
    m.z_near = s->f[P_ADZF][k], m.z_wide = s->f[P_BDZF][k];
    m.x_mix = d->mix_x, m.y_mix = d->mix_y, m.z_top = s->f[P_MTF][k], m.z_bottom = s->f[P_MBF][k];
    m.rho.f0 = rho[k - 2], m.rho.f1 = rho[k - 1], m.rho.f2 = rho[k + 1], m.rho.f3 = rho[k + 2];
    return m;
}
