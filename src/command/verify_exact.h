/* Exact solutions that `sferic verify` holds the model against, all in double. SPDX-License-Identifier: MIT */
#pragma once

/* ---- the gravity wave of Baldauf and Brdar (2013) ----
 *
 * Linear, compressible, non-hydrostatic waves in an isothermal channel of height H with rigid lids, periodic in x, that
 * start from a warm spot at rest in the air: T' = e^{delta z/2} A exp(-(x-xc)^2/d^2) sin(pi z/H), p' = 0. With
 * delta = g/(R T0), m = pi/H, c^2 = gamma R T0, rho_s = p_s/(R T0), s = (delta/2 - g/c^2)/m, every wave number k has
 *
 *     w_b = W sin mz   p_b = P (cos mz + s sin mz)   u_b = U (cos mz + s sin mz), D = i k U
 *     rho_b = B sin mz + P/c^2 cos mz
 *     dW/dt = (m + s delta/2) P/rho_s - g B/rho_s         dP/dt = -rho_s c^2 (D + m W)
 *     dD/dt = k^2 P/rho_s                                  dB/dt = rho_s (delta W/2 - s D)
 *
 * and (u', w') = e^{delta z/2} (u_b, w_b), (p', rho') = e^{-delta z/2} (p_b, rho_b). */

struct gravity_case {
    double length, height; /* m; the channel */
    double centre, radius, amplitude; /* m, m, K; the spot */
    double T0, surface_pressure, wind; /* K, Pa, m/s */
    double g, cp, R;
};

enum { GRAVITY_MODES = 160 };

/* Amplitudes of every wave number at one time. */
struct gravity_wave {
    struct gravity_case c;
    double time;
    double W[GRAVITY_MODES], P[GRAVITY_MODES], D[GRAVITY_MODES], B[GRAVITY_MODES];
};

struct gravity_point {
    double u, w, p, rho, T; /* departures from the isothermal air in its wind */
};

/* Integrate the 4x4 system of every wave number to `time`, by Taylor series of 24 terms over steps of at most 1/2 s. */
void gravity_wave_make(struct gravity_wave *g, const struct gravity_case *c, double time);
struct gravity_point gravity_wave_at(const struct gravity_wave *g, double x, double z);

/* The factors of a sum over wave numbers at one x, for many z: u, w, p and the two parts of rho. */
struct gravity_column {
    double u, w, p, b;
};
struct gravity_column gravity_wave_column(const struct gravity_wave *g, double x);
struct gravity_point gravity_column_at(const struct gravity_wave *g, const struct gravity_column *c, double z);

/* ---- waves ---- */

/* Numerical over true phase speed of a wave of n points, 4th-order centred differences: (8 sin a - sin 2a) / 6a. */
double phase_ratio(double points);
/* Of 5th-order upwind differences: (45 sin a - 9 sin 2a + sin 3a) / 30 a; and what is left of a wave that has gone its
 * own length with the wind: exp(- n (2 - 2 cos a)^3 / 60). */
double phase_ratio_tracer(double points);
double phase_amplitude_tracer(double points);

/* The complex factor that one Runge-Kutta step gives a mode of i z = i (frequency) dt: 1 + iz + (iz)^2/2 + (iz)^3/6. */
void rk3_factor(double z, double *re, double *im);

/* ---- a tracer that turns ---- */

/* Is a point in the cylinder with a slot of Zalesak (1979), of 10 cells radius? x, y: cells from the axis that it is
 * turned about. */
int slotted_cylinder(double x, double y);

/* ---- Beltrami flow (curl u = -lambda u) ---- */

struct beltrami {
    double A, k, l, m;
};

/* u, v, w at a point. */
void beltrami_at(const struct beltrami *b, double x, double y, double z, double uvw[3]);
/* -(u . grad) u there: the gradient of -|u|^2/2, for curl u is parallel to u. */
void beltrami_advection(const struct beltrami *b, double x, double y, double z, double uvw_t[3]);
