/* The sum of the advective Courant numbers at a point. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* The largest sum that three Runge-Kutta stages hold stable with centred differences of 4th order, which pi' has beside
 * upwind3; and of 6th, which it has beside upwind5: sqrt(3) over the largest of (8 sin a - sin 2a)/6 and (45 sin a - 9
 * sin 2a + sin 3a)/30 (Wicker and Skamarock 2002 have 1.26 and 1.08). */
static inline double courant_stable(int wide) { return wide ? 1.09 : 1.26; }

/* Tracers stay above zero while no more air enters a cell in a step than it holds: half of the sum over the faces, of
 * air that converges as little as this model's. */
static inline double courant_limit(int wide, int tracers) { return tracers ? 1.0 : courant_stable(wide); }

SF_FORMULA double courant_magnitude(double x) { return x < 0 ? -x : x; }

/* dtx, dty, dtz: time step over spacing, s/m; across a domain of one row dty is 0. */
SF_FORMULA double courant_sum(real u, real v, real w, double dtx, double dty, double dtz)
{
    return courant_magnitude((double)u) * dtx + courant_magnitude((double)v) * dty + courant_magnitude((double)w) * dtz;
}

/* 1/m: of the thinner of the cells below and above face k. */
SF_FORMULA double courant_thin(real rdz_above, real rdz_below)
{
    return (double)(rdz_above > rdz_below ? rdz_above : rdz_below);
}
