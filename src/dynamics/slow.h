/* The slow processes beside advection and mixing, at one point. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* Coriolis force on the f-plane: f times the departure of the other wind, averaged over four points, from the geostrophic
 * wind. Pairs of one line are added first. For u: f (v - v_0); for v the caller passes -f. */
SF_FORMULA real coriolis(real f, real a, real b, real c, real d, real geostrophic)
{
    return f * (R(0.25) * ((a + b) + (c + d)) - geostrophic);
}

/* Newtonian damping towards a profile (Rayleigh layer). */
SF_FORMULA real relax(real rate, real q, real profile) { return -rate * (q - profile); }

/* Radiation through an open side (Klemp and Wilhelmson 1978): the wind at the side is carried outward by itself and by the
 * fastest wave, one-sided; with inflow nothing is carried. It also returns slowly to the base wind, which holds the mean.
 * sign: +1 at an eastern or northern side, -1 at a western or southern. inside: the value next to it. */
SF_FORMULA real open_side(real q, real inside, real base, real sign, real speed, real rdx, real rate)
{
    const real outward = sign * q + speed;
    const real carried = outward > R(0.0) ? outward : R(0.0);
    return -carried * rdx * (q - inside) - rate * (q - base);
}

/* The step of a scalar. */
SF_FORMULA real scalar_step(real start, real tendency, real dt) { return sf_audible(sf_fma(dt, tendency, start)); }
