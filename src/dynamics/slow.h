/* The slow processes beside advection and mixing, at one point. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* Coriolis force on the f-plane: f times the departure of the other wind, averaged over four points, from the
 * geostrophic wind. Pairs of one line are added first. For u: f (v - v_0); for v the caller passes -f. */
SF_FORMULA real coriolis(real f, real a, real b, real c, real d, real geostrophic)
{
    return f * (R(0.25) * ((a + b) + (c + d)) - geostrophic);
}

/* Newtonian damping towards a profile (Rayleigh layer). */
SF_FORMULA real relax(real rate, real q, real profile) { return -rate * (q - profile); }

/* The step of a scalar. */
SF_FORMULA real scalar_step(real start, real tendency, real dt) { return sf_audible(sf_fma(dt, tendency, start)); }
