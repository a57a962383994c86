/* The sum of the advective Courant numbers at a point. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

static const double courant_limit = 1.26; /* Wicker and Skamarock (2002), RK3 with 4th-order centred differences */

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
