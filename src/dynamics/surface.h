/* The surface layer: what the ground does to the wind, the heat and the vapour of the air at the lowest level, by Monin
 * and Obukhov's similarity. z: height of that level, z0 and z0h: roughness to wind and to scalars, zeta = z / L,
 *
 *     U = u_star / k f_m(zeta)        theta_s - theta = Q / (k u_star) f_h(zeta)        f = ln(z/z0) - psi(zeta) +
 * psi(zeta z0/z) zeta = -k z B / u_star^3,  B = g / theta_v (w'theta_v')                            k = 0.4
 *
 * unstable (Wilson 2001)                phi = (1 + c |zeta|^(2/3))^(-1/2), c = 3.6 of wind, 7.9 of scalars; psi = 3
 * ln((1 + 1/phi)/2) stable (Beljaars and Holtslag 1991)   -psi_m = zeta + b, -psi_h = (1 + 2/3 zeta)^(3/2) - 1 + b, b =
 * 2/3 (zeta - 5/0.35) exp(-0.35 zeta) + 2/3 5/0.35
 *
 * zeta phi' of f, zeta f' = phi(zeta) - phi(zeta z0/z), is all that Newton's steps need. They are so many, always:
 * three from a bulk Richardson number, to 2e-5 of the drag coefficient for -10 < Ri < 0.35; six from fluxes that are
 * given, to 1e-6 for winds from 0.1 m/s on. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* In the order of &surface drag and heat. */
#define SURFACE_DRAGS "none roughness sea coefficient friction no_slip"
#define SURFACE_HEATS "none flux temperature"
enum drag { DRAG_NONE, DRAG_ROUGHNESS, DRAG_SEA, DRAG_COEFFICIENT, DRAG_FRICTION, DRAG_NO_SLIP };
enum heat { HEAT_NONE, HEAT_FLUX, HEAT_TEMPERATURE };

#define SURFACE_KARMAN R(0.4)
enum { SURFACE_BULK_STEPS = 3, SURFACE_FLUX_STEPS = 6 };

/* ---- functions of zeta; is_heat: of scalars ---- */

SF_FORMULA real surface_root(int is_heat, real zeta)
{
    const real size = -zeta;
    const real third = size > R(1e-30) ? sf_exp(R(2.0) / R(3.0) * sf_log(size)) : R(0.0);
    return sf_sqrt(sf_fma(is_heat ? R(7.9) : R(3.6), third, R(1.0)));
}

SF_FORMULA real surface_phi(int is_heat, real zeta)
{
    if (zeta < R(0.0)) return R(1.0) / surface_root(is_heat, zeta);
    const real tail = R(2.0) / R(3.0) * sf_exp(R(-0.35) * zeta) * (R(6.0) - R(0.35) * zeta);
    return sf_fma(zeta, (is_heat ? sf_sqrt(sf_fma(R(2.0) / R(3.0), zeta, R(1.0))) : R(1.0)) + tail, R(1.0));
}

SF_FORMULA real surface_psi(int is_heat, real zeta)
{
    if (zeta < R(0.0)) return R(3.0) * sf_log(R(0.5) * (R(1.0) + surface_root(is_heat, zeta)));
    const real far = R(5.0) / R(0.35), most = sf_fma(R(2.0) / R(3.0), zeta, R(1.0));
    const real tail = R(2.0) / R(3.0) * sf_fma(zeta - far, sf_exp(R(-0.35) * zeta), far);
    return -((is_heat ? most * sf_sqrt(most) - R(1.0) : zeta) + tail);
}

/* A roughness: ln(z/z0) and z0/z. */
struct surface_rough {
    real log, share;
};

SF_FORMULA struct surface_rough surface_rough(real height, real length)
{
    const struct surface_rough r = {sf_log(height / length), length / height};
    return r;
}

/* f, and zeta f'. */
SF_FORMULA real surface_profile(int is_heat, struct surface_rough r, real zeta)
{
    return (r.log - surface_psi(is_heat, zeta)) + surface_psi(is_heat, zeta * r.share);
}
SF_FORMULA real surface_turn(int is_heat, struct surface_rough r, real zeta)
{
    return surface_phi(is_heat, zeta) - surface_phi(is_heat, zeta * r.share);
}

/* ---- zeta ---- */

/* Of Ri = g z (theta_v - theta_vs) / (theta_v U^2) = zeta f_h / f_m^2. */
SF_FORMULA real surface_from_bulk(real richardson, struct surface_rough m, struct surface_rough h)
{
    const real slow = R(5.0) * richardson < R(0.8) ? R(5.0) * richardson : R(0.8);
    real zeta = richardson * m.log * m.log / h.log / (richardson > R(0.0) ? R(1.0) - slow : R(1.0));
    for (int n = 0; n < SURFACE_BULK_STEPS; n++) {
        const real fm = surface_profile(0, m, zeta), fh = surface_profile(1, h, zeta);
        const real steep = ((fh + surface_turn(1, h, zeta)) - R(2.0) * fh * surface_turn(0, m, zeta) / fm) / fm;
        zeta = zeta - (zeta * fh / fm - richardson * fm) / steep;
        if (richardson > R(0.0) ? zeta < R(0.0) : zeta > R(0.0)) zeta = R(0.0);
    }
    return zeta;
}

/* u_star of a wind and a buoyancy flux B, m2/s3; in stable air, where no wind may have such a flux, between a tenth
 * of that of neutral air and that. */
SF_FORMULA real surface_from_flux(real wind, real buoyancy, real height, struct surface_rough m)
{
    const real neutral = SURFACE_KARMAN * wind / m.log;
    real u = neutral;
    for (int n = 0; n < SURFACE_FLUX_STEPS; n++) {
        const real zeta = -(SURFACE_KARMAN * height * buoyancy) / (u * u * u), f = surface_profile(0, m, zeta);
        const real next = u - (u * f - SURFACE_KARMAN * wind) / (f - R(3.0) * surface_turn(0, m, zeta));
        u = next > R(0.1) * neutral ? next : R(0.1) * neutral;
        if (buoyancy < R(0.0) && u > neutral) u = neutral;
    }
    return u;
}

/* ---- the sea ---- */

/* Charnock (1955) with the smooth flow of light winds: 0.011 u_star^2 / g + 0.11 nu / u_star, m. */
SF_FORMULA real surface_sea(real u_star, real gravity)
{
    const real u = u_star > R(0.01) ? u_star : R(0.01);
    return sf_fma(R(0.011) / gravity * u, u, R(1.65e-6) / u);
}

/* ---- a column: surface.sf ---- */

/* What is given of the ground: struct surface_numbers; light: Rv / R - 1. */
struct surface_given {
    real drag, heat; /* enum drag, enum heat */
    real height, roughness_heat, coefficient, friction, flux, vapour, viscosity, gravity, light;
};

/* What a column is at its lowest level, and the ground below. */
struct surface_air {
    real wind, theta, qv, lift; /* lift: theta_v / theta */
    real ground, full; /* where its temperature is given: potential, K; mixing ratio of vapour at saturation there */
    real roughness, wetness; /* m, 0: sea; its share that evaporates */
};

/* u_star; over it, what of u_star and of scalars the ground takes, m/s. */
struct surface_pull {
    real u_star, transfer, heat;
};

SF_FORMULA real surface_is_known(real heat) { return (int)heat == HEAT_TEMPERATURE ? R(1.0) : R(0.0); }

/* Temperature of the ground, which is now so warm where a map does not say more. */
SF_FORMULA real surface_skin(double warm, real warmer) { return (real)(warm + (double)warmer); }

SF_FORMULA real surface_buoyancy(struct surface_given n, struct surface_air a, real heat, real vapour)
{
    return n.gravity / (a.theta * a.lift) * sf_fma(heat, a.lift, n.light * a.theta * vapour);
}

SF_FORMULA real surface_richardson(struct surface_given n, struct surface_air a)
{
    const real qs = a.qv + a.wetness * (a.full - a.qv);
    const real there = a.ground * sf_fma(n.light, qs, R(1.0)), here = a.theta * a.lift;
    return n.gravity * n.height * (here - there) / (here * (a.wind * a.wind));
}

/* before: u_star of the step before, which made the sea as rough as it is. */
SF_FORMULA struct surface_pull surface_pull(struct surface_given n, struct surface_air a, real before)
{
    const int drag = (int)n.drag;
    struct surface_pull p = {R(0.0), R(0.0), R(0.0)};
    if (drag == DRAG_NONE) return p;
    if (drag == DRAG_NO_SLIP) {
        p.transfer = p.heat = n.viscosity / n.height;
        p.u_star = sf_sqrt(p.transfer * a.wind);
        return p;
    }
    if (drag == DRAG_COEFFICIENT) {
        p.transfer = p.heat = n.coefficient * a.wind;
        p.u_star = sf_sqrt(p.transfer * a.wind);
    } else if (drag == DRAG_FRICTION) {
        p.u_star = n.friction, p.transfer = p.u_star * p.u_star / a.wind;
        p.heat = SURFACE_KARMAN * p.u_star / surface_rough(n.height, n.roughness_heat).log;
    } else {
        const int is_sea = drag == DRAG_SEA || !(a.roughness > R(0.0));
        const real length = is_sea ? surface_sea(before, n.gravity) : a.roughness;
        const struct surface_rough m = surface_rough(n.height, length),
                                   h = surface_rough(n.height,
                                                     n.roughness_heat > R(0.0) && (drag == DRAG_SEA || !is_sea)
                                                         ? n.roughness_heat
                                                         : length);
        if (surface_is_known(n.heat) > R(0.0)) {
            const real zeta = surface_from_bulk(surface_richardson(n, a), m, h);
            p.u_star = SURFACE_KARMAN * a.wind / surface_profile(0, m, zeta);
            p.heat = SURFACE_KARMAN * p.u_star / surface_profile(1, h, zeta);
        } else p.u_star = surface_from_flux(a.wind, surface_buoyancy(n, a, n.flux, n.vapour), n.height, m);
        p.transfer = p.u_star * p.u_star / a.wind;
    }
    return p;
}

/* 1 / L; 0 without friction. */
SF_FORMULA real surface_inverse(struct surface_given n, struct surface_air a, real u_star, real heat, real vapour)
{
    const real cube = u_star * u_star * u_star;
    return cube > R(0.0) ? -(SURFACE_KARMAN * surface_buoyancy(n, a, heat, vapour)) / cube : R(0.0);
}

/* From the level down to another height, in units of what a profile turns by: ln(z/h) - psi(z/L) + psi(h/L). */
SF_FORMULA real surface_down(int is_heat, real height, real to, real zeta)
{
    return (sf_log(height / to) - surface_psi(is_heat, zeta)) + surface_psi(is_heat, zeta * (to / height));
}

/* theta at 2 m, held to what can be. Over a ground of a known temperature it lies between that and the level's, where
 * that is higher than 2 m. Of a downward flux that is given, which may be more than any wind as weak as this can carry,
 * no more lies between 2 m and the level than a bulk Richardson number of 1: turbulence does not last beyond. */
SF_FORMULA real surface_bounded(struct surface_given n, struct surface_air a, real theta, real heat, real u_star)
{
    real low = theta, high = theta;
    if (surface_is_known(n.heat) > R(0.0) && n.height > R(2.0)) {
        low = a.ground < a.theta ? a.ground : a.theta, high = a.ground < a.theta ? a.theta : a.ground;
    } else if ((int)n.heat == HEAT_FLUX && heat < R(0.0)) {
        const real turn = u_star / SURFACE_KARMAN, speed = a.wind > turn ? a.wind : turn;
        const real most = a.theta * (speed * speed) / (n.gravity * n.height);
        low = a.theta - most, high = a.theta + most;
    }
    theta = theta > low ? theta : low;
    return theta < high ? theta : high;
}

/* Vapour at 2 m, which similarity has `more` than the level: as much of that as theta, which had `went`, was let go;
 * over a ground of a known temperature no farther than to what it evaporates at. */
SF_FORMULA real surface_moist(struct surface_given n, struct surface_air a, real more, real went, real goes)
{
    real wet = sf_fma(more, went > R(0.0) || went < R(0.0) ? goes / went : R(1.0), a.qv);
    if (surface_is_known(n.heat) > R(0.0) && n.height > R(2.0)) {
        const real there = a.qv + a.wetness * (a.full - a.qv), low = there < a.qv ? there : a.qv,
                   high = there < a.qv ? a.qv : there;
        wet = wet > low ? wet : low, wet = wet < high ? wet : high;
    }
    return wet > R(0.0) ? wet : R(0.0);
}

/* Wind at 10 m; theta and vapour at 2 m. inverse: 1 / L. */
struct surface_low {
    real wind, theta, qv;
};

SF_FORMULA struct surface_low surface_low(struct surface_given n, struct surface_air a, real u_star, real heat,
                                          real vapour, real inverse)
{
    const real zeta = inverse * n.height;
    struct surface_low x = {a.wind, a.theta, a.qv};
    if ((int)n.drag == DRAG_NO_SLIP) x.wind = a.wind * (R(10.0) / n.height);
    else if ((int)n.drag != DRAG_NONE) {
        const real turns = R(1.0) / (SURFACE_KARMAN * u_star);
        x.wind = a.wind - u_star / SURFACE_KARMAN * surface_down(0, n.height, R(10.0), zeta);
        const real down = turns * surface_down(1, n.height, R(2.0), zeta), theta = sf_fma(heat, down, a.theta);
        if (n.height < R(10.0) && x.wind > a.wind * (R(10.0) / n.height)) x.wind = a.wind * (R(10.0) / n.height);
        x.theta = surface_bounded(n, a, theta, heat, u_star);
        x.qv = surface_moist(n, a, vapour * down, theta - a.theta, x.theta - a.theta);
    }
    if (!(x.wind > R(0.0))) x.wind = R(0.0);
    return x;
}
