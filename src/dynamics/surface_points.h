/* The stages of the surface layer: `surface` finds fluxes of every column, as maps; `ground` gives them to the lowest
 * level, as the flux through its bottom. Both are points of one level. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/stages.h"
#include "dynamics/surface.h"
#include "dynamics/water.h"
#include "pipeline/points.h"

enum { SURFACE_DRY, SURFACE_WET };

struct surface_line {
    const real *u, *v, *theta, *exner, *qv;
    const real *warmer, *roughness, *wetness; /* of the ground */
    real *transfer, *heat, *sensible, *evaporation, *u_star, *inverse_length, *warmth, *breeze, *moist, *skin;
    ptrdiff_t sj;
    real theta_0, exner_0, rho;
    real share; /* dt rho / (rho dz), s/m: what a transfer takes of the lowest level in a step */
    double warm; /* temperature of the ground now, K, where it is not warmer */
    const struct dynamics *d;
    struct surface_numbers n;
};

SF_POINT struct surface_line surface_line(const int form, const struct slab *s, const struct dynamics *d,
                                          const struct call *c, ptrdiff_t at, int k)
{
    const ptrdiff_t map = (at - k * s->sk) / s->sj * s->sm;
    const struct surface_numbers n = d->surface;
    struct surface_line l;
    l.u = s->f[F_U] + at, l.v = s->f[F_V] + at, l.theta = s->f[F_TH] + at, l.exner = s->f[F_PI] + at;
    l.qv = form == SURFACE_WET ? s->f[F_QV] + at : NULL;
    l.transfer = s->w[F_TRANSFER] + map, l.heat = s->w[F_THETA_FLUX] + map, l.sensible = s->w[F_SENSIBLE] + map;
    l.evaporation = s->w[F_EVAPORATION] + map, l.u_star = s->w[F_USTAR] + map;
    l.inverse_length = s->w[F_INVERSE_L] + map, l.warmth = s->w[F_T2M] + map, l.breeze = s->w[F_WIND10M] + map;
    l.moist = s->w[F_QV2M] + map, l.skin = s->w[F_SKIN] + map;
    l.warmer = s->f[F_GROUND_WARMER] + map, l.roughness = s->f[F_ROUGHNESS] + map, l.wetness = s->f[F_WETNESS] + map;
    l.sj = s->sj;
    l.theta_0 = s->f[P_THA][k], l.exner_0 = s->f[P_PI0][k], l.rho = s->f[P_RHOF][k];
    l.share = c->dt * (R(1.5) * s->f[P_ADZC][k]) * l.rho;
    l.warm = n.temperature + n.rate * c->time;
    l.n = n, l.d = d;
    return l;
}

/* What a column is at its lowest level, and the ground below. */
struct surface_air {
    real wind, theta, qv, lift; /* lift: theta_v / theta */
    real ground, full; /* its potential temperature, K; mixing ratio of vapour at saturation there */
    real roughness, wetness; /* m, 0: sea; its share that evaporates */
};

/* Of a ground whose temperature is given. */
SF_POINT void surface_below(const int form, const struct surface_line *l, int i, struct surface_air *a)
{
    const struct dynamics *const d = l->d;
    a->roughness = l->roughness[i], a->wetness = l->wetness[i], a->ground = a->full = R(0.0);
    if (l->n.heat != HEAT_TEMPERATURE) return;
    const real warm = (real)(l->warm + (double)l->warmer[i]);
    l->skin[i] = warm, a->ground = warm / l->n.exner;
    if (form == SURFACE_WET)
        a->full = water_saturated(warm, l->n.pressure, d->vapour_ratio, d->vapour_at_zero, d->vapour_slope,
                                  d->zero_celsius, d->vapour_offset);
}

/* u_star; over it, what of u_star and of scalars the ground takes, m/s; zeta of the level. */
struct surface_pull {
    real u_star, transfer, heat, zeta;
};

SF_POINT real surface_buoyancy(const struct surface_line *l, struct surface_air a, real heat, real vapour)
{
    const real light = l->d->vapour_ratio - R(1.0);
    return l->d->gravity / (a.theta * a.lift) * sf_fma(heat, a.lift, light * a.theta * vapour);
}

SF_POINT real surface_richardson(const struct surface_line *l, struct surface_air a)
{
    const real light = l->d->vapour_ratio - R(1.0), qs = a.qv + a.wetness * (a.full - a.qv);
    const real there = a.ground * sf_fma(light, qs, R(1.0)), here = a.theta * a.lift;
    return l->d->gravity * l->n.height * (here - there) / (here * (a.wind * a.wind));
}

SF_POINT struct surface_pull surface_pull(const struct surface_line *l, struct surface_air a, real before)
{
    const struct surface_numbers *const n = &l->n;
    struct surface_pull p = {R(0.0), R(0.0), R(0.0), R(0.0)};
    if (n->drag == DRAG_NONE) return p;
    if (n->drag == DRAG_NO_SLIP) {
        p.transfer = p.heat = n->viscosity / n->height;
        p.u_star = sf_sqrt(p.transfer * a.wind);
        return p;
    }
    if (n->drag == DRAG_COEFFICIENT) {
        p.transfer = p.heat = n->coefficient * a.wind;
        p.u_star = sf_sqrt(p.transfer * a.wind);
    } else if (n->drag == DRAG_FRICTION) {
        p.u_star = n->friction, p.transfer = p.u_star * p.u_star / a.wind;
        p.heat = SURFACE_KARMAN * p.u_star / surface_rough(n->height, n->roughness_heat).log;
    } else {
        const int is_sea = n->drag == DRAG_SEA || !(a.roughness > R(0.0));
        const real length = is_sea ? surface_sea(before, l->d->gravity) : a.roughness;
        const struct surface_rough m = surface_rough(n->height, length),
                                   h = surface_rough(n->height,
                                                     n->roughness_heat > R(0.0) && (n->drag == DRAG_SEA || !is_sea)
                                                         ? n->roughness_heat
                                                         : length);
        if (n->heat == HEAT_TEMPERATURE) {
            p.zeta = surface_from_bulk(surface_richardson(l, a), m, h);
            p.u_star = SURFACE_KARMAN * a.wind / surface_profile(0, m, p.zeta);
            p.heat = SURFACE_KARMAN * p.u_star / surface_profile(1, h, p.zeta);
        } else p.u_star = surface_from_flux(a.wind, surface_buoyancy(l, a, n->flux, n->vapour), n->height, m);
        p.transfer = p.u_star * p.u_star / a.wind;
    }
    return p;
}

/* From the level down to another height, in units of what a profile turns by: ln(z/h) - psi(z/L) + psi(h/L). */
SF_POINT real surface_down(int is_heat, real height, real to, real zeta)
{
    return (sf_log(height / to) - surface_psi(is_heat, zeta)) + surface_psi(is_heat, zeta * (to / height));
}

/* theta at 2 m, held to what can be. Over a ground of a known temperature it lies between that and the level's, where
 * that is higher than 2 m. Of a downward flux that is given, which may be more than any wind as weak as this can carry,
 * no more lies between 2 m and the level than a bulk Richardson number of 1: turbulence does not last beyond. */
SF_POINT real surface_bounded(const struct surface_line *l, struct surface_air a, real theta, real heat, real u_star)
{
    real low = theta, high = theta;
    if (l->n.heat == HEAT_TEMPERATURE && l->n.height > R(2.0)) {
        low = a.ground < a.theta ? a.ground : a.theta, high = a.ground < a.theta ? a.theta : a.ground;
    } else if (l->n.heat == HEAT_FLUX && heat < R(0.0)) {
        const real turn = u_star / SURFACE_KARMAN, speed = a.wind > turn ? a.wind : turn;
        const real most = a.theta * (speed * speed) / (l->d->gravity * l->n.height);
        low = a.theta - most, high = a.theta + most;
    }
    theta = theta > low ? theta : low;
    return theta < high ? theta : high;
}

/* Vapour at 2 m, which similarity has `more` than the level: as much of that as theta, which had `went`, was let go;
 * over a ground of a known temperature no farther than to what it evaporates at. */
SF_POINT real surface_moist(const struct surface_line *l, struct surface_air a, real more, real went, real goes)
{
    real wet = sf_fma(more, went > R(0.0) || went < R(0.0) ? goes / went : R(1.0), a.qv);
    if (l->n.heat == HEAT_TEMPERATURE && l->n.height > R(2.0)) {
        const real there = a.qv + a.wetness * (a.full - a.qv), low = there < a.qv ? there : a.qv,
                   high = there < a.qv ? a.qv : there;
        wet = wet > low ? wet : low, wet = wet < high ? wet : high;
    }
    return wet > R(0.0) ? wet : R(0.0);
}

/* What a level gains of a transfer towards a difference, by what it has at the end of the step: no step is too long. */
SF_POINT real surface_gained(real share, real transfer, real difference)
{
    return transfer * difference / sf_fma(share, transfer, R(1.0));
}

SF_POINT void surface_point(const int form, const struct surface_line *l, int i)
{
    const struct surface_numbers *const n = &l->n;
    const real u = R(0.5) * (l->u[i] + l->u[i + 1]) + n->translation[0],
               v = R(0.5) * (l->v[i] + l->v[i + l->sj]) + n->translation[1], square = sf_fma(u, u, v * v);
    const real qv = form == SURFACE_WET ? l->qv[i] : R(0.0);
    struct surface_air a;
    a.wind = sf_sqrt(square > R(0.01) ? square : R(0.01));
    a.theta = l->theta_0 + l->theta[i], a.qv = qv, a.lift = sf_fma(l->d->vapour_ratio - R(1.0), qv, R(1.0));
    surface_below(form, l, i, &a);
    struct surface_pull p = surface_pull(l, a, l->u_star[i]);
    const int bulk = n->heat == HEAT_TEMPERATURE;
    const real heat = bulk ? surface_gained(l->share, p.heat, a.ground - a.theta) : n->flux,
               vapour =
                   bulk && form == SURFACE_WET ? surface_gained(l->share, a.wetness * p.heat, a.full - qv) : n->vapour;
    const real cube = p.u_star * p.u_star * p.u_star;
    const real inverse = cube > R(0.0) ? -(SURFACE_KARMAN * surface_buoyancy(l, a, heat, vapour)) / cube : R(0.0);
    const real exner = l->exner_0 + l->exner[i], zeta = inverse * n->height;
    l->transfer[i] = p.transfer, l->heat[i] = heat, l->u_star[i] = p.u_star, l->inverse_length[i] = inverse;
    l->sensible[i] = l->rho * l->d->cp * exner * heat;
    l->evaporation[i] = l->rho * vapour / (R(1.0) + qv); /* by dry air, of which rho has a share */
    real wind = a.wind * (R(10.0) / n->height), theta = a.theta, wet = qv;
    if (n->drag == DRAG_NONE) wind = a.wind;
    else if (n->drag != DRAG_NO_SLIP) {
        const real turns = R(1.0) / (SURFACE_KARMAN * p.u_star);
        wind = a.wind - p.u_star / SURFACE_KARMAN * surface_down(0, n->height, R(10.0), zeta);
        const real down = turns * surface_down(1, n->height, R(2.0), zeta);
        theta = sf_fma(heat, down, a.theta);
        if (n->height < R(10.0) && wind > a.wind * (R(10.0) / n->height)) wind = a.wind * (R(10.0) / n->height);
        const real went = theta - a.theta;
        theta = surface_bounded(l, a, theta, heat, p.u_star);
        if (form == SURFACE_WET) wet = surface_moist(l, a, vapour * down, went, theta - a.theta);
    }
    l->breeze[i] = wind > R(0.0) ? wind : R(0.0);
    l->warmth[i] = theta * (exner + n->exner_down);
    if (form == SURFACE_WET) l->moist[i] = wet;
}

/* ---- what the lowest level gains ---- */

struct ground_line {
    const real *transfer, *heat, *evaporation;
    real *u, *v, *theta, *exner, *qv;
    ptrdiff_t sm;
    real share, theta_0, exner_0, rcv, ratio, translation[2]; /* share: dt rho / (rho dz) */
    real density_0, power, over; /* as water_dry_density takes them; over: dt / dz */
};

SF_POINT struct ground_line ground_line(const int form, const struct slab *s, const struct dynamics *d,
                                        const struct call *c, ptrdiff_t at, int k)
{
    const ptrdiff_t map = (at - k * s->sk) / s->sj * s->sm;
    struct ground_line l;
    l.transfer = s->f[F_TRANSFER] + map, l.heat = s->f[F_THETA_FLUX] + map, l.evaporation = s->f[F_EVAPORATION] + map;
    l.u = s->w[F_U] + at, l.v = s->w[F_V] + at, l.theta = s->w[F_TH] + at, l.exner = s->w[F_PI] + at;
    l.qv = form == SURFACE_WET ? s->w[F_QV] + at : NULL;
    l.sm = s->sm;
    l.share = c->dt * (R(1.5) * s->f[P_ADZC][k]) * s->f[P_RHOF][k];
    l.density_0 = l.power = l.over = R(0.0);
    if (form == SURFACE_WET)
        l.density_0 = s->f[P_DEN0][k], l.power = d->exner_density, l.over = c->dt * s->f[P_RDZC][k];
    l.theta_0 = s->f[P_THA][k], l.exner_0 = s->f[P_PI0][k], l.rcv = d->rcv, l.ratio = d->vapour_ratio;
    l.translation[0] = d->surface.translation[0], l.translation[1] = d->surface.translation[1];
    return l;
}

SF_POINT void ground_point(const int form, const struct ground_line *l, int i)
{
    const real along = R(0.5) * (l->transfer[i - 1] + l->transfer[i]),
               across = R(0.5) * (l->transfer[i - l->sm] + l->transfer[i]);
    const real gain = l->share * l->heat[i], theta = l->theta_0 + l->theta[i];
    real warmer = gain / theta;
    if (form == SURFACE_WET) { /* the dry air that there is takes all of it up */
        const real rho = water_dry_density(l->density_0, l->exner[i] / l->exner_0, l->power, theta, l->ratio, l->qv[i]);
        const real wet = l->over * l->evaporation[i] / rho, qv = l->qv[i] + wet;
        warmer = warmer + l->ratio * wet / sf_fma(l->ratio, qv, R(1.0));
        l->qv[i] = qv > R(0.0) ? qv : R(0.0);
    }
    l->u[i] = l->u[i] - l->share * surface_gained(l->share, along, l->u[i] + l->translation[0]);
    l->v[i] = l->v[i] - l->share * surface_gained(l->share, across, l->v[i] + l->translation[1]);
    l->theta[i] = l->theta[i] + gain;
    l->exner[i] = sf_fma(l->rcv * (l->exner_0 + l->exner[i]), warmer, l->exner[i]);
}

/* ---- stages ---- */

static struct box lowest(struct box b)
{
    b.k0 = 0, b.k1 = 1;
    return b;
}

#define SURFACE_STAGE(stage, family, form)                                                                             \
    SF_POINT_PART_PLAIN(stage##_points, family, form, struct dynamics)                                                 \
    static void stage##_all(const struct slab *s, struct box b, const struct call *c, void *stream)                    \
    {                                                                                                                  \
        stage##_points(s, lowest(b), c, stream);                                                                       \
    }                                                                                                                  \
    SF_PART_STAGE(stage, stage##_all)

SURFACE_STAGE(surface, surface, SURFACE_DRY)
SURFACE_STAGE(surface_wet, surface, SURFACE_WET)
SURFACE_STAGE(ground, ground, SURFACE_DRY)
SURFACE_STAGE(ground_wet, ground, SURFACE_WET)
