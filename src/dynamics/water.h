/* Water in the air, at one point: what vapour, cloud and rain do to density and pressure, and how they change into each
 * other. Mixing ratios are kg per kg of dry air; q_t = qv + qc + qr, eps = R / Rv.
 *
 *     theta_rho = theta (1 + qv/eps) / (1 + q_t)             rho_d = p00 pi^(cv/R) / (R theta (1 + qv/eps))
 *     cvm = cv + cvv qv + cl (qc + qr)       cpm = cp + cpv qv + cl (qc + qr)       Rm = R + Rv qv
 *     dpi/dt = -Pi1 pi div      Pi1 = (R/cp) cpm / cvm                   (of dry air: R/cv)
 *     dtheta/dt = -Theta1 theta div      Theta1 = (Rm - (R/cp) cpm) / cvm     (of dry air: 0)
 *
 * (Bryan and Fritsch 2002; Bryan and Morrison 2012.) Small steps keep the dry R/cv; what Pi1 differs by is a slow term.
 *
 * Phase changes leave rho_d and the internal energy cvm T + (L0 - (cpv - cl) T0) qv as they are. A mass c that
 * condenses warms by c (L - Rv T) / cvm, cvm of what is left: exactly. Saturation: two Newton steps, always.
 *
 * Kessler's rain as Klemp and Wilhelmson (1978) have it: autoconversion of what exceeds a threshold, accretion,
 * evaporation, and a fall that backward Euler upwind solves from the top down. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* What a call of the phase changes computes: enum phase of dynamics/stages.h. */
enum { PHASE_RAINS = 1, PHASE_SIMPLE = 2 };

/* ---- density ---- */

/* theta_rho / theta - 1. ratio: Rv / R. */
SF_FORMULA real water_excess(real ratio, real qv, real qc, real qr)
{
    const real all = qv + (qc + qr);
    return sf_fma(ratio, qv, -all) / (R(1.0) + all);
}

/* theta_rho less that of the base state. theta_p, theta_0: theta' and the base theta; excess_0: of the base state. What
 * is the same in both drops out by itself, so that no digit is lost. */
SF_FORMULA real water_theta_rho(real theta_p, real theta_0, real excess, real excess_0)
{
    return sf_fma(theta_p, excess, theta_p) + theta_0 * (excess - excess_0);
}

/* (1 + y)^a = 1 + a y series for |y| < 0.03, to 1e-9 for the powers of an Exner function: the binomial series to the
 * 4th power. */
SF_FORMULA real water_series(real y, real a)
{
    const real fourth = sf_fma((a - R(3.0)) * R(0.25), y, R(1.0));
    const real third = sf_fma((a - R(2.0)) * (R(1.0) / R(3.0)) * y, fourth, R(1.0));
    return sf_fma((a - R(1.0)) * R(0.5) * y, third, R(1.0));
}
SF_FORMULA real water_power(real y, real a) { return sf_fma(a * y, water_series(y, a), R(1.0)); }

/* kg/m3. density_0: p00 pi_0^(cv/R) / R; y: pi' / pi_0; power: cv / R. */
SF_FORMULA real water_dry_density(real density_0, real y, real power, real theta, real ratio, real qv)
{
    return density_0 * water_power(y, power) / (theta * sf_fma(ratio, qv, R(1.0)));
}

/* ---- what a mass of water does to pressure and theta where air converges ---- */

/* cvm. */
SF_FORMULA real water_heat(real dry, real vapour, real liquid, real qv, real ql)
{
    return sf_fma(liquid, ql, sf_fma(vapour, qv, dry));
}

/* -(Pi1 - R/cv) pi div. by_vapour: (R / cp cv) (cp Rv - R cpv), by_liquid: (R / cp cv) R cl, both J/kg/K. */
SF_FORMULA real water_pressure_tendency(real by_vapour, real by_liquid, real heat, real qv, real ql, real exner,
                                        real divergence)
{
    return -((by_vapour * qv - by_liquid * ql) / heat * (exner * divergence));
}

/* (R/cv) pi div, of the mean divergence over a Runge-Kutta stage, out of what pi' became in its small steps, so that no
 * sum need be kept: pi_t + (pi_start - pi_end) / dt - G (w_start + w_end) / 2, G w the mean of w dpi_0/dz over both
 * faces. low, high: w on them, of the start and the end; half: dpi_0/dz / 2. */
SF_FORMULA real water_spread(real pi_t, real pi_start, real pi_end, real per_dt, real half_low, real half_high,
                             real low_start, real high_start, real low_end, real high_end)
{
    const real lifted = sf_fma(half_low, low_start + low_end, half_high * (high_start + high_end));
    return sf_fma(R(-0.5), lifted, sf_fma(pi_start - pi_end, per_dt, pi_t));
}

/* -Theta1 theta div. by_vapour: Rv - (R/cp) cpv, by_liquid: (R/cp) cl. */
SF_FORMULA real water_theta_tendency(real by_vapour, real by_liquid, real heat, real qv, real ql, real theta,
                                     real divergence)
{
    return -((by_vapour * qv - by_liquid * ql) / heat * (theta * divergence));
}

/* ---- saturation ---- */

/* Mixing ratio of vapour over water: es = at_zero exp(slope (T - T0) / (T - offset)), no more than half of p. */
SF_FORMULA real water_saturated(real temperature, real pressure, real ratio, real at_zero, real slope, real zero,
                                real offset)
{
    const real x = slope * (temperature - zero) / (temperature - offset);
    const real e = at_zero * sf_exp_quick(x < R(-80.0)  ? R(-80.0)
                                          : x > R(40.0) ? R(40.0)
                                                        : x),
               most = R(0.5) * pressure;
    const real es = e < most ? e : most;
    return es / (ratio * (pressure - es));
}

/* K by kg/kg that condenses: (L - Rv T) / cvm at constant volume, L / cp where the set of equations is simple.
 * latent_0: L - Rv T at 0 K, latent_slope: cvv - cl; simple: L0 / cp. */
SF_FORMULA real water_warming(int phase, real latent_0, real latent_slope, real simple, real temperature, real heat)
{
    if (phase & PHASE_SIMPLE) return simple;
    return sf_fma(latent_slope, temperature, latent_0) / heat;
}

/* What vapour lacks to saturation, by one Newton step: above 0 where the air is dry. d qs / dT = qs (1 + qs Rv/R)
 * (curve / (T - offset)^2 - d ln p / dT), and at constant volume p grows with T and with what evaporates. curve: slope
 * (T0 - offset). */
SF_FORMULA real water_lack(int phase, real saturated, real qv, real temperature, real offset, real curve, real warming,
                           real ratio)
{
    const real away = temperature - offset, share = ratio / sf_fma(ratio, qv, R(1.0));
    const real pressure = phase & PHASE_SIMPLE ? R(0.0) : R(1.0) / temperature - share / warming;
    const real steep = saturated * sf_fma(ratio, saturated, R(1.0)) * (curve / (away * away) - pressure);
    return (saturated - qv) / sf_fma(warming, steep, R(1.0));
}

/* Pa, after a phase change: that of the ideal gas, or, where the set of equations is simple, what it was. */
SF_FORMULA real water_pressure(int phase, real was, real density, real gas, real vapour_gas, real qv, real temperature)
{
    if (phase & PHASE_SIMPLE) return was;
    return density * sf_fma(vapour_gas, qv, gas) * temperature;
}

/* ---- rain ---- */

/* Cloud that becomes rain in dt: autoconversion and accretion, no more than there is. */
SF_FORMULA real water_rain_made(int phase, real qc, real qr, real dt, real rate, real from, real accretion)
{
    if (!(phase & PHASE_RAINS)) return R(0.0);
    const real drops = qr > R(0.0) ? qr : R(0.0), cloud = qc > R(0.0) ? qc : R(0.0);
    const real eighth = sf_sqrt(sf_sqrt(sf_sqrt(drops > R(1e-30) ? drops : R(1e-30))));
    const real above = cloud > from ? cloud - from : R(0.0);
    const real made = dt * (rate * above + accretion * cloud * (drops / eighth));
    return made < cloud ? made : cloud;
}

/* Rain that evaporates in dt into air that lacks vapour: no more than there is, nor than saturates. Ogura and Takahashi
 * (1971) as Klemp and Wilhelmson (1978) have it, in g/cm3 and hPa:
 *     (1 - qv / qs) (1.6 + 124.9 (rho qr)^0.2046) (rho qr)^0.525 / (rho (5.4e5 + 2.55e6 / (p qs)))
 * In kg/m3 and Pa 30.3922 is 124.9 1e-3^0.2046, 2.03e4 and 9.584e6 are 5.4e5 and 2.55e8, each by 1e3 1e-3^0.525. */
SF_FORMULA real water_rain_lost(int phase, real qr, real qv, real saturated, real lack, real density, real pressure,
                                real dt)
{
    if (!(phase & PHASE_RAINS)) return R(0.0);
    const real drops = density * qr;
    const struct sf_log_parts l = sf_log_parts(drops > R(1e-30) ? drops : R(1e-30));
    const real ventilated = sf_fma(R(30.3922), sf_power_quick(l, R(0.2046)), R(1.6));
    const real rate = ventilated * (R(1.0) - qv / saturated) * sf_power_quick(l, R(0.525)) /
                      (density * (R(2.03e4) + R(9.584e6) / (saturated * pressure)));
    const real lost = dt * rate, least = lost < qr ? lost : qr, to = least < lack ? least : lack;
    return qr > R(0.0) && lack > R(0.0) ? to : R(0.0);
}

/* m/s: speed (rho qr)^power sqrt(density_0 / rho). */
SF_FORMULA real water_fall_speed(real density, real qr, real speed, real power, real density_0)
{
    const real drops = density * qr;
    return speed * sf_power_quick(sf_log_parts(drops > R(1e-30) ? drops : R(1e-30)), power) *
           sf_sqrt(density_0 / density);
}

/* rho qr' (1 + dt V / dz) = rho qr + dt / dz F, F kg/m2/s from above. */
SF_FORMULA real water_fallen(real density, real qr, real flux, real speed, real share)
{
    return sf_audible((density * qr + share * flux) / (density * sf_fma(share, speed, R(1.0))));
}

/* ---- the new state ---- */

SF_FORMULA real water_more(real a, real b) { return a > b ? a : b; }

/* What pi gains where c condensed and T rose by warmer, at constant rho_d: pi ((1 + x)^(R/cp) - 1), 1 + x the change of
 * Rm T. Differences, for a power of p would round pi' away. */
SF_FORMULA real water_exner_gain(int phase, real exner, real temperature, real warmer, real condensed, real gas,
                                 real vapour_gas, real qv, real kappa)
{
    if (phase & PHASE_SIMPLE) return R(0.0);
    const real all = sf_fma(vapour_gas, qv, gas);
    const real x = (all * warmer - vapour_gas * condensed * (temperature + warmer)) / (all * temperature);
    return exner * (kappa * x * water_series(x, kappa));
}

SF_FORMULA real water_theta_gain(real theta, real exner, real warmer, real exner_gain)
{
    return (warmer - theta * exner_gain) / (exner + exner_gain);
}
