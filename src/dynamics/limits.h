/* The longest time steps that are stable. SPDX-License-Identifier: MIT */
#pragma once

/* What limits follow from: m, m/s, s. */
struct limits_of {
    double sound; /* the fastest */
    double dx, dy, dz; /* dz: the thinnest cell; dy 0: a vertical section, nothing moves across it */
    double wind_u, wind_v; /* the largest base wind relative to the grid, in magnitude */
    double speed, vertical; /* wind expected beside it: along x and y, and upward or downward */
    double courant; /* the largest sum of advective Courant numbers */
    double n2; /* the largest N^2, 1/s2 */
    double viscosity; /* m2/s; 0: none */
    double filter_rate; /* of mixing along the grid, 1/s; 0: none */
    int filter_order; /* 2 or 4 */
    double eddies; /* the longest step of the diffusivity that is expected of turbulence, s; 0: none */
    double sinking, nudging; /* the longest steps of &forcing, s; 0: none */
    double damping_time; /* of the Rayleigh layer; 0: none */
    double open_speed; /* of waves that an open side lets out */
    int open_x, open_y; /* 1: a side is open there */
    int small_steps, first_steps;
    double divergence_damping; /* of small steps, but for the first of a stage */
    double slope, off_centring; /* the steepest of coordinate surfaces, 0: all are flat; of the implicit small steps */
};

/* s; NO_LIMIT where there is none. A Runge-Kutta step of three stages is stable for q' = i a q while a dt < sqrt(3),
 * and for q' = -a q while a dt < 2.51. */
#define NO_LIMIT 1e30
struct limits {
    double stage1, small; /* forward-backward sound on the staggered grid: c dtau sqrt(1/dx2 + 1/dy2) < 1, and less by
                             sqrt(1 + 2 damping) behind the first step, for dtau = dt/3 over the first stage's small
                             steps, and dt/N. Of two steps, one without damping and one with it, waves grow from
                             sqrt(2/(1 + damping)) = c dt sqrt(1/dx2 + 1/dy2) on. What grows within the first stage
                             ends with it, for the next begins at the start of the step */
    double advection; /* (|u| + speed)/dx + (|v| + speed)/dy + vertical/dz < courant / dt */
    double buoyancy; /* N dt < 1.7 */
    double mixing; /* 4 nu (1/dx2 + 1/dy2 + 1/dz2) dt < 2.5; of a filter rate times directions dt < 5/8 (2nd order) or
                      1/8 (4th) */
    double turbulence; /* forward in time, and no part of what a cell has is more than 0.9 of it */
    double sinking, nudging; /* w_s dt < dz; dt < nudging_time: forward in time, and nothing overshoots */
    double terrain; /* c dtau sqrt(1/dx2 + 1/dy2) (1 + slope) < 1.17 where off-centring is 0.6, 1.47 at 0.7 */
    double damping; /* dt < 2.5 damping_time */
    double open; /* (|u| + speed + open_speed) dt / dx < 1.25: one-sided differences, whose numbers fill a circle */
};

struct limits limits_make(const struct limits_of *x);

/* Where the namelist leaves them open. Cells up to 2.5 km long hold updrafts as fast as the wind, and are mixed at 5e-4
 * 1/s. The ascent that longer cells hold falls with the square of their length, which is a choice that leaves room: 1.2
 * m/s of 20 in 10 km, 0.14 m/s in 30 km. The wind crosses a cell in a time that grows with its length, and the rate of
 * mixing falls as that grows. */
double limits_vertical(double speed, double length);
double limits_filter_rate(double length);

/* Of the amplitude of a wave of speed `waves` that goes against the wind, what an open side gives back where the wind
 * enters: it leaves with C = max(0, speed - wind) (open.h), and u_t = C u_x of a wave there and one back has
 *
 *     (1 - C / (waves - wind)) / (1 + C / (waves + wind))
 *
 * m/s; 0 where no wave goes against the wind, waves <= wind. */
double limits_returned(double waves, double wind, double speed);
