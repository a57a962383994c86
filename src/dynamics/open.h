/* Open sides: what the wind through a side, and what it carries, do there. SPDX-License-Identifier: MIT
 *
 * Normal wind, on the side itself (Klemp and Wilhelmson 1978): waves leave with the wind and the speed c of the
 * fastest,
 *
 *     du/dt = -C (u - u_inside) / dx  -  (u_m - u_0m) / tau  -  (u - u_0) / tau_in   the last where air enters, n u < 0
 *     C = max(0, n u + c) where air enters, max(n u, c_out) where it leaves
 *
 * with c_out = c unless it is given, n = 1 at an eastern or northern side, -1 at a western or southern; u_0: base wind;
 * u_m, u_0m: means over the column, weighted with rho_0. Against the wind waves leave with c less the wind. Where air
 * leaves, what it carries leaves with it, and waves at least with c: of a wave of speed s the side returns (s - C) / (s
 * + C). The relaxation of the mean holds the mass; it touches neither shear nor waves that a column has a whole number
 * of. A relaxation in tau of every level would return 1 / sqrt(1 + 4 omega^2 tau^2) of a wave of frequency omega, and
 * so tau_in is long.
 *
 * What the wind carries: ghosts beyond the side repeat the outermost value q_0. They should hold the inflow value where
 * air enters, and the line through q_0 and the value q_1 inside of it where air leaves. Advection is linear in the
 * ghosts; what is missing is
 *
 *     -U / dx sum_g w_(m+g) (ghost_g - q_0)           g = 1, 2, 3: the ghosts, m = 0, 1: the cell and its neighbour
 *                                                     inside
 *
 * w_n: weight of the value n cells upstream in the difference of the scheme, U: wind inward. A third cell, of the
 * schemes that reach three cells, would miss no more than 1/30 of the jump and is left. */
#pragma once

#include "pipeline/sferic.h"

/* inside: the value next to the side. speed, leaving_speed: c, c_out. mean_rate, inflow_rate: 1 / tau, 1 / tau_in;
 * mean: u_m - u_0m. */
SF_FORMULA real open_wind(real q, real inside, real base, real sign, real speed, real leaving_speed, real rdx,
                          real mean, real mean_rate, real inflow_rate)
{
    const real through = sign * q, against = through + speed;
    const real entering = against > R(0.0) ? against : R(0.0),
               leaving = through > leaving_speed ? through : leaving_speed;
    const real carried = through < R(0.0) ? entering : leaving, rate = through < R(0.0) ? inflow_rate : R(0.0);
    return -(carried * rdx) * (q - inside) - rate * (q - base) - mean_rate * mean;
}

/* in: sum of w_(m+g), out: - sum of g w_(m+g); inward: the wind; outside: the inflow value; edge: q_0; inside: q_1. */
SF_FORMULA real open_carried(real inward, real outside, real edge, real inside, real in, real out, real rdx)
{
    const real missing = inward > R(0.0) ? in * (outside - edge) : out * (inside - edge);
    return -(inward * rdx) * missing;
}
