/* A file that leads the air at open sides (Davies 1976): at the beginning of every step
 *
 *     q = (1 - w) q + w q_file        w = 1 - tanh(d / scale) where d < rows, else 0
 *
 * of u, v, theta', pi' and vapour; w, cloud and rain go to 0, over terrain w to what the file's wind along the surfaces
 * makes. d: cells from the nearest side, 0 for the outermost; of a wind on faces half a cell less on either side, on
 * the side itself 0. q_file: between two times of the file on a straight line. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/outflow.h"

SF_FORMULA real driver_toward(real weight, real q, real to) { return sf_fma(weight, to - q, q); }

/* ---- what that gives ---- */

/* A cell: winds on its faces, m/s; what base state and air have of theta, K, and the Exner function; water. */
struct driven_air {
    real u_low, u_high, v_low, v_high, w_low, w_high, theta_0, theta, pi_0, pi, qv, qc, qr;
};

/* Of a level over a square metre: kg, J and kg, as the series counts them (budget.h). is_wet: 0 or 1; lifted: g z,
 * J/kg; rdz: 1 / its height, 1/m. */
SF_FORMULA struct outflow driven_level(real is_wet, struct outflow_gas gas, struct driven_air x, real lifted, real rdz)
{
    struct vapour wet;
    wet.Rv = gas.Rv, wet.cpv = gas.cpv, wet.cl = gas.cl, wet.latent = gas.latent;
    const double theta = (double)x.theta_0 + (double)x.theta, exner = (double)x.pi_0 + (double)x.pi;
    const double vapour = (double)x.qv, liquid = (double)x.qc + (double)x.qr;
    const double u = 0.5 * ((double)x.u_low + (double)x.u_high), v = 0.5 * ((double)x.v_low + (double)x.v_high);
    const double w = 0.5 * ((double)x.w_low + (double)x.w_high);
    const double mass =
        air_density(theta * (1 + gas.Rv / gas.R * vapour), exner, gas.p00, gas.R, gas.cv_over_R) / (double)rdz;
    const double energy = air_energy(is_wet > R(0.0), 0.5 * (u * u + v * v + w * w), (double)lifted, theta, exner,
                                     gas.cv, gas.cpv - gas.Rv, gas.cl, vapour_latent(&wet, 0), vapour, liquid);
    const struct outflow of = {mass, mass * energy, mass * (vapour + liquid)};
    return of;
}

/* What a map of what left gains in a step of what came, with what it has lost so far to rounding. */
SF_FORMULA real driven_gain(double came, real lost) { return (real)-came - lost; }
