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
