/* What a larger scale does to the air of the domain, which it cannot make itself: wind that the pressure field of the
 * surroundings balances, air that sinks, tendencies, and a pull towards given profiles.
 *
 *     du/dt = ... - f (v_g - v) , dv/dt = ... + f (u_g - u)                  in every Runge-Kutta stage (forcing.sf)
 *     dq/dt = R_q - w_s dq/dz + n_q (q_n - q)      q = theta, qv, u, v       once a step, or once in &forcing interval
 *     dq/dt = - w_s dq/dz                          q = qc, qr
 *
 * u_g, v_g, R, w_s, n, q_n are functions of height and time, given by &forcing. d/dz is taken against w_s, of first
 * order: from the level that the air comes from, so that no new extremes arise while |w_s| dt < dz. At the lid and on
 * the ground, where nothing lies beyond, the gradient is that of the only side; so profiles that are linear stay so.
 * The second line comes behind the Runge-Kutta stages and before turbulence, forward in time: what it adds is small
 * against what the stages do, and they stay as fast as they are. pi' follows theta and qv at constant volume, as that
 * of turbulence does, so that the mass of dry air stays.
 *
 * Values at a time are straight lines between the times of a file, taken at the beginning of the step.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* What q gains in dt. above, below: dq/dz towards the level above and the one below. */
SF_FORMULA real forcing_gain(real q, real sinks, real above, real below, real rate, real nudging, real target, real dt)
{
    const real slope = sinks < R(0.0) ? above : below;
    return dt * sf_fma(-sinks, slope, sf_fma(nudging, target - q, rate));
}

/* pi' at constant volume, of what theta and qv gain. */
SF_FORMULA real forcing_exner(real rcv, real exner, real theta, real theta_gain, real ratio, real qv, real qv_gain)
{
    return rcv * exner * (theta_gain / theta + ratio * qv_gain / sf_fma(ratio, qv, R(1.0)));
}

/* J/kg of dry air that internal, latent and potential energy gain, where theta, pi, vapour and liquid gain so much.
 * heat: J/kg/K, afterwards; theta is that afterwards, and pi that before. */
SF_FORMULA real forcing_energy(real heat, real theta, real exner, real theta_gain, real exner_gain, real heat_vapour,
                               real heat_liquid, real latent, real height, real vapour_gain, real liquid_gain)
{
    const real warmer = sf_fma(theta, exner_gain, theta_gain * exner), before = (theta - theta_gain) * exner;
    const real heavier = sf_fma(heat_vapour, vapour_gain, heat_liquid * liquid_gain);
    return sf_fma(heat, warmer, sf_fma(heavier, before, latent * vapour_gain)) + height * (vapour_gain + liquid_gain);
}
