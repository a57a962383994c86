/* What the groups of `sferic verify` share that hold the EM model against the truth: fields filled from formulas,
 * copies of them, exact modes of the grid, random numbers.
 *
 * A component is 0, 1, 2 of E or 3, 4, 5 of H; an element of it is named by its indices along x, y, z.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "command/verify.h"
#include "maxwell/maxwell.h"

/* Units in the last place of the build's reals, relative. */
extern const double em_epsilon;

static inline const struct maxwell *em_of(const struct session *s) { return s->in.ctx; }

/* How many elements of a component are computed along an axis; the low node of a conductor counts, and stays zero. */
int em_count(const struct session *s, int component, int axis);
real *em_at(const struct session *s, int component, const int at[3]);
/* Where an element lies, m, and the dual cell (E) or cell (H) around it: its part that lies in the domain, m3. */
double em_place(const struct session *s, int component, int axis, int n);
double em_volume(const struct session *s, int component, const int at[3]);

/* Elements of a component one after the other: at = {0, 0, 0} first; 0 when there are no more. */
int em_next(const struct session *s, int component, int at[3]);

/* A field: component `c` at x, m, and time t, s. */
typedef double em_function(const void *of, int c, const double x[3], double t);

/* E at time t, H half a step before; ghosts too. */
int em_fill(struct session *s, em_function *f, const void *of, double t);
/* The largest |field - formula|, H times the wave impedance of vacuum, E at time t and H half a step before. */
double em_error(const struct session *s, em_function *f, const void *of, double t);

/* What round-off may leave of fields of size 1 after so many steps. An element is rounded some three times a step in E
 * and as often in H, each time by at most u = epsilon / 2 and as if at random, u / sqrt(3) rms; the update preserves
 * energy, so that these errors add up as a random walk: sigma = u sqrt(6 steps / 3). Six sigma are not exceeded in a
 * million elements. Besides, the coefficients of the update are rounded once, which shifts every frequency by up to u:
 * a mode that is compared with a formula has turned by `radians`, and is off by u radians. */
double em_rounding(long steps, double radians);

/* All six components, one after the other. em_save: *to is allocated where NULL; the caller frees it. em_load: times
 * `e` and `h`; ghosts too. */
int em_save(const struct session *s, real **to);
int em_load(struct session *s, const real *from_e, real e, const real *from_h, real h);
size_t em_values(const struct session *s);

/* Equally likely between -1 and 1, of the number of an element: the same on every machine. */
double em_random(unsigned long n);

/* A mode that solves the equations of a uniform grid without loss exactly: with K_a = 2 sin(k_a d_a / 2) / d_a,
 * W = 2 sin(omega dt / 2) / dt,
 *
 *     W^2 = c^2 (K_x^2 + K_y^2 + K_z^2),    K . E = 0,    mu W H = K x E
 *
 * running: all components cos(k . x - omega t); standing between conductors: E_x cos(k_x x) sin(k_y y) sin(k_z z)
 * cos(omega t), E_y and E_z by rotation, - H_x sin(k_x x) cos(k_y y) cos(k_z z) sin(omega t) and so on. Amplitudes: of
 * the largest component of E 1 V/m. */
struct em_mode {
    double k[3], amplitude[6];
    long double omega;
    int standing;
};
void em_mode_make(struct em_mode *m, const double d[3], const double k[3], double dt, int standing);
em_function em_mode_at;
