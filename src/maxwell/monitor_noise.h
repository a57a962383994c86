/* What round-off leaves in spectra of monitors, which decides where their quotients say something.
 *
 * Of a waveform w at the samples of a run, with a = sum |w|, b^2 = sum w^2 and u the unit round-off of fields (2^-24 in
 * single precision, 2^-53 in double), sum of w exp(-2 pi i f t), in units of a sample, is off by no more than about
 *
 *     2 a u           samples and phases are rounded, each by a share u of every term
 *     a^2 / b u       the sum is rounded at every sample while it is no larger than a; a^2 / b^2 is the number of
 *                     samples that
 *                     count, and errors add as a random walk (Higham and Mary, SIAM J. Sci. Comput. 41, A2815, 2019)
 *     sqrt(n) b u     the fields are rounded in each of the n steps: a random walk in each sample, and one over the
 *                     samples
 *     2 p a v         the angles of phases, p = 2 pi f t at the end of the run, are rounded in double, v = 2^-53, as t
 *                     and as f t are
 *
 * with the highest frequency for f; the last counts in double precision only. Where the spectrum of the waveform is not
 * much more, spectra of fields are round-off.
 *
 * Of a plane of area A with spectra E and H, off by de and dh, 1/2 Re (E x H*) is off by
 *
 *     1/2 (de integral |H| + dh integral |E| + de dh A)      integral |E| <= sqrt(A integral |E|^2)
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/model.h"

static const double monitor_unit_of_angles = 1.0 / 9007199254740992;
static const double monitor_unit = sizeof(real) == 4 ? 1.0 / 16777216 : 1.0 / 9007199254740992;

/* a, b2 = b^2 as above; steps: n; angle: p, rad. */
static inline double monitor_round_off(double a, double b2, double steps, double angle)
{
    if (!(b2 > 0)) return 0;
    const double b = __builtin_sqrt(b2);
    return monitor_unit * (2 * a + a * (a / b) + __builtin_sqrt(steps) * b) + monitor_unit_of_angles * 2 * angle * a;
}

/* area: m2; e2, h2: integrals of |E|^2 and |H|^2 over it; de, dh: what each place is off by. */
static inline double monitor_flux_round_off(double area, double e2, double h2, double de, double dh)
{
    return 0.5 * (de * __builtin_sqrt(area * h2) + dh * __builtin_sqrt(area * e2) + de * dh * area);
}

/* Is a spectrum of which round-off is the share q worth to divide by its square, which is then off by (1 + q)^2 - 1? */
static inline int monitor_is_worth(double q) { return RESULT_LEAST * (2 * q + q * q) <= 1; }
