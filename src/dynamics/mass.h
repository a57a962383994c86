/* The mass of dry air, and the shift of the Exner function that gives it back. In double.
 *
 *     rho = p00 pi^(cv/R) / (R theta)         d rho / d pi = (cv/R) rho / pi
 *     M(shift) = sum V rho(pi + shift)        shift = (target - M) / sum V (cv/R) rho / pi
 *
 * One step of Newton's method: what it leaves is (cv/2R) (cv/R - 1) (shift/pi)^2 of the mass, 1e-11 of it where 1e-6
 * was lacking. A uniform shift leaves gradients of pi', and with them hydrostatic balance, as they are, and theta too;
 * it warms the air by theta times the shift. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

SF_FORMULA double air_density(double theta, double exner, double p00, double R, double cv_over_R)
{
    return p00 * sfd_pow(exner, cv_over_R) / (R * theta);
}

/* Of a kg of dry air with its water, J: `moves`, `lifted`: 1/2 v^2 and g z, J/kg; kelvin: its temperature; latent: J/kg
 * of vapour at 0 K; cvv, cl: heat capacities of vapour and liquid. */
SF_FORMULA double air_energy(int is_wet, double moves, double lifted, double theta, double exner, double cv, double cvv,
                             double cl, double latent, double qv, double ql)
{
    if (!is_wet) return moves + cv * theta * exner + lifted;
    return (1 + qv + ql) * (moves + lifted) + (cv + cvv * qv + cl * ql) * theta * exner + latent * qv;
}

SF_FORMULA double air_density_slope(double rho, double exner, double cv_over_R) { return cv_over_R * rho / exner; }

/* What is known of an interval between two looks, kg: what the next one is expected to lose, and what the last one
 * lost; 0 at first. */
enum { HOLD_EXPECTED, HOLD_LOST, HOLD_KNOWN };

/* What is to be given over an interval, kg, where `lacking` is lacking at its beginning: that, and what the interval is
 * expected to lose, which is what the last one lost and half of what that was beyond the one before. What is lacking at
 * the end of one is what it lost beyond what was expected: nothing where the loss is steady, d/2 where it grows by d an
 * interval. All of d would make more of a loss that swings: four times its amplitude may be lacking, not three. */
static inline double hold_given(double lacking, double *known)
{
    const double lost = lacking + known[HOLD_EXPECTED];
    known[HOLD_EXPECTED] = lost + 0.5 * (lost - known[HOLD_LOST]);
    known[HOLD_LOST] = lost;
    return lacking + known[HOLD_EXPECTED];
}

/* slope: the sum of volume times air_density_slope. */
static inline double mass_shift(double target, double mass, double slope)
{
    return slope > 0 ? (target - mass) / slope : 0;
}
