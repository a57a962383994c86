/* Eddies smaller than a cell, at one point: what they mix by, and what becomes of their energy. Stresses are those of
 * S_ij = (du_i/dx_j + du_j/dx_i) / 2, without a part of the divergence; S2 = 2 S_ij S_ij, N2 the square of the buoyancy
 * frequency, D the size of a cell.
 *
 * Smagorinsky (1963) with the stability of Lilly (1962), Pr = 1/3:
 *
 *     K_m = (C D)^2 sqrt(S2 - N2 / Pr), 0 where that is below 0       K_h = K_m / Pr
 *
 * Energy e of turbulence (Deardorff 1980, with the constants of Bryan's CM1, which make Ri = 1/4 the limit of growth):
 *
 *     K_m = 0.1 l sqrt(e)      K_h = (1 + 2 l/D) K_m      l = D, in stable air no more than sqrt(2/3) sqrt(e) / N
 *     de/dt = K_m S2 - K_h N2 - (c1 + c2 l/D) e^(3/2) / l      c1 = 0.1 (2/3) (1/Ri - 1) = 0.2, c1 + c2 = 0.1 pi^2
 *
 * For q = sqrt(e) that is dq/dt = A - B q^2, of which a step is q' = (q + A dt) / (1 + B dt q), symmetric in time
 * (Kahan 1993): it has the tanh of the equation itself, but for a clock that is off by A B dt^2 / 3, and stays
 * positive. A and l are those before it. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* Squares of the three off-diagonal doubles of S are means of four around the centre: a mean of the doubles themselves
 * would not see waves of two cells. */
SF_FORMULA real eddy_square(real a) { return a * a; }
SF_FORMULA real eddy_mean(real a, real b, real c, real d) { return R(0.25) * ((a + b) + (c + d)); }

/* ---- stratification ---- */

/* N2 at a centre of slopes of theta below and above. */
SF_FORMULA real eddy_stability(real gravity, real slope_low, real slope_high, real theta)
{
    return R(0.5) * gravity * (slope_low + slope_high) / theta;
}

/* Less cloud than this, kg/kg, is none. */
#define EDDY_CLOUD R(1e-6)

/* N2 at the face between two levels; theta, exner, qv, liquid: their means; cloud: of both the lesser. In cloud that of
 * saturated air (Durran and Klemp 1982, eq. 36), else that of theta_rho. latent_0, latent_slope: L at 0 K, and what it
 * gains by a K; ratio: Rv / R. */
SF_FORMULA real eddy_stability_moist(real gravity, real cloud, real theta, real exner, real qv, real liquid,
                                     real theta_slope, real qv_slope, real liquid_slope, real ratio, real gas, real cp,
                                     real latent_0, real latent_slope)
{
    const real dry = theta_slope / theta, all = qv_slope + liquid_slope;
    const real clear = dry + ratio * qv_slope / sf_fma(ratio, qv, R(1.0)) - all / (R(1.0) + (qv + liquid));
    const real t = theta * exner, latent = sf_fma(latent_slope, t, latent_0);
    const real heat = latent / (cp * t), x = latent * qv / (gas * t);
    const real full = (R(1.0) + x) / (R(1.0) + x * heat / ratio) * sf_fma(heat, qv_slope, dry) - all;
    return gravity * (cloud > EDDY_CLOUD ? full : clear);
}

/* ---- what they mix by ---- */

/* No more than a step takes. */
SF_FORMULA real eddy_most(real k, real most) { return k < most ? k : most; }

SF_FORMULA real eddy_smagorinsky(real constant, real size, real shear, real stability)
{
    const real length = constant * size, square = shear - R(3.0) * stability;
    return square > R(0.0) ? length * length * sf_sqrt(square) : R(0.0);
}

/* l of q = sqrt(e), no less than a thousandth of the cell's size. */
SF_FORMULA real eddy_length(real q, real stability, real size)
{
    const real least = R(1e-3) * size;
    if (!(stability > R(1e-6))) return size;
    const real l = R(0.81649658092772603) * q / sf_sqrt(stability);
    return l < least ? least : l < size ? l : size;
}

SF_FORMULA real eddy_prandtl(real length, real size) { return R(1.0) + R(2.0) * length / size; }

/* e after dt, no less than 1e-10 m2/s2. */
SF_FORMULA real eddy_energy(real q, real length, real size, real shear, real stability, real dt)
{
    const real gain = R(0.05) * length * (shear - eddy_prandtl(length, size) * stability);
    const real loss = (R(0.2) + R(0.78696044010893586) * length / size) / (R(2.0) * length);
    const real next = sf_fma(gain, dt, q) / sf_fma(loss * dt, q, R(1.0));
    return next > R(1e-5) ? next * next : R(1e-10);
}

/* ---- fluxes ---- */

/* d/dx of K dq/dx along a level: K on both faces, differences across them. */
SF_FORMULA real eddy_level(real k_low, real k_high, real low, real high) { return k_high * high - k_low * low; }

/* The same along z, of a profile; weighed by the density on the faces over that of the cell. */
SF_FORMULA real eddy_upright(real rho_low, real rho_high, real k_low, real k_high, real low, real high)
{
    return (rho_high * k_high) * high - (rho_low * k_low) * low;
}

/* A step of e or another scalar; of what is never below 0 nothing rounds below it. */
SF_FORMULA real eddy_step(real q, real gain) { return sf_audible(q + gain); }
