/* What leaves through an open side: of a column there, over its ground, in a step dt, from the state in its middle, n
 * the wind outward,
 *
 *     dry air   dt sum of dz/dx  rho n          energy   dt sum of dz/dx (rho n e + p n_g)
 *     water     dt sum of dz/dx  rho n q        n_g: n as the ground sees it, for the side may travel
 *
 * rho, T, p and the wind of e are those of the outermost cell; q is that of the side as tracers have it there:
 * 5th-order upwind. In double; maps are sums in two reals. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/mass.h"
#include "dynamics/transport.h"
#include "dynamics/vapour.h"

/* Of a level, or a column: kg, J, kg in a second over a square metre of the column's ground. */
struct outflow {
    double mass, energy, water;
};

/* The gas: Pa, J/kg/K, m/s2; and water: of vapour gas constant and heat at constant pressure, heat of liquid water,
 * J/kg/K, latent heat at 0 degrees Celsius, J/kg; 0 in dry air. */
struct outflow_gas {
    double p00, R, cv, cv_over_R, g;
    double Rv, cpv, cl, latent;
};

/* The outermost cell of a level: the wind outward through the side; its faces' winds, m/s; what the base state and the
 * air have of theta, K, and the Exner function; 1 / height, 1/m. */
struct outflow_air {
    real outward, u_low, u_high, v_low, v_high, w_low, w_high, theta_0, theta, pi_0, pi, rdz;
};

/* Water there: on the side, and vapour within the cell. */
struct outflow_water {
    real qv, qc, qr, here;
};

/* Water on the side, of the values from the third one inward to the outermost, and what enters; led: 1 where a file
 * leads the air there, and beyond the side stands what is next to it. */
SF_FORMULA real outflow_side(real outward, real third, real second, real outermost, real entering, real led)
{
    const int is_led = led > R(0.0), is_in = outward < R(0.0);
    const real slope = is_led ? R(0.0) : outermost - second, enters = is_led ? outermost : entering;
    const struct line6 line = {third,
                               second,
                               outermost,
                               is_in ? enters : outermost + slope,
                               is_in ? enters : outermost + R(2.0) * slope,
                               is_in ? enters : outermost + R(3.0) * slope};
    return face_of(MIX_NONE, outward, line).value;
}

/* is_wet: 0 or 1; bottom: of the level, m; inward: 1 or -1, along the axis across the side, of which rdx, 1/m, and
 * drift_u, of the grid, m/s, are. */
SF_FORMULA struct outflow outflow_level(real is_wet, struct outflow_gas gas, struct outflow_air x,
                                        struct outflow_water q, double bottom, real inward, real rdx, double drift_u,
                                        double drift_v)
{
    struct vapour wet;
    wet.Rv = gas.Rv, wet.cpv = gas.cpv, wet.cl = gas.cl, wet.latent = gas.latent;
    const double dz = 1 / (double)x.rdz, out = (double)x.outward;
    const double theta = (double)x.theta_0 + (double)x.theta, exner = (double)x.pi_0 + (double)x.pi;
    const double virtual_theta = theta * (1 + gas.Rv / gas.R * (double)q.here);
    const double rho = air_density(virtual_theta, exner, gas.p00, gas.R, gas.cv_over_R);
    const double u = 0.5 * ((double)x.u_low + (double)x.u_high) + drift_u;
    const double v = 0.5 * ((double)x.v_low + (double)x.v_high) + drift_v;
    const double w = 0.5 * ((double)x.w_low + (double)x.w_high);
    const double vapour = (double)q.qv, liquid = (double)q.qc + (double)q.qr;
    const double energy = air_energy(is_wet > R(0.0), 0.5 * (u * u + v * v + w * w), gas.g * (bottom + 0.5 * dz), theta,
                                     exner, gas.cv, gas.cpv - gas.Rv, gas.cl, vapour_latent(&wet, 0), vapour, liquid);
    const double part = (double)rdx * dz, moving = -(double)inward * drift_u, mass = part * rho * out;
    const struct outflow of = {mass, mass * energy + part * (rho * gas.R * virtual_theta * exner) * (out + moving),
                               mass * (vapour + liquid)};
    return of;
}

/* The top of a level, m. */
SF_FORMULA double outflow_top(double bottom, real rdz) { return bottom + 1 / (double)rdz; }

/* What a map gains in a step of dt, s, with what it has lost so far to rounding. */
SF_FORMULA real outflow_gain(double dt, double sum, real lost) { return (real)(dt * sum) - lost; }
