/* Mixing along one axis: the flux through the high face of a point less that through its low face.
 *
 *     second    G = -(q_1 - q_0)                                  dq/dt = -(G_+ - G_-) c
 *     fourth    G = (q_2 - q_-1) - 3 (q_1 - q_0)
 *     monotone  the same, zero where it would flow up the gradient (Xue 2000)
 *
 * c is a rate (1/s) in index space, or viscosity / dx^2. The weights of the two faces may differ: rho_0 in the
 * vertical. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/advect.h"

enum mix_kind { MIX_NONE, MIX_SECOND, MIX_FOURTH, MIX_MONOTONE };

/* Flux through the face between c and p1. `kind` is a literal. */
SF_FORMULA SF_NUMBER mix_flux(int kind, SF_NUMBER m1, SF_NUMBER c, SF_NUMBER p1, SF_NUMBER p2)
{
    const SF_NUMBER step = p1 - c;
    if (kind == MIX_SECOND) return -step;
    const SF_NUMBER third = SF_NUMBER_FMA(R(-3.0), step, p2 - m1);
    if (kind == MIX_MONOTONE) return third * step > R(0.0) ? R(0.0) : third;
    return third;
}

/* In x or y: both faces weigh the same. */
SF_FORMULA SF_NUMBER mix_level(int kind, struct line5 q)
{
    if (kind == MIX_SECOND) return SF_NUMBER_FMA(R(-2.0), q.c, q.p1 + q.m1);
    if (kind == MIX_FOURTH) return SF_NUMBER_FMA(R(4.0), q.p1 + q.m1, -SF_NUMBER_FMA(R(6.0), q.c, q.p2 + q.m2));
    return mix_flux(kind, q.m2, q.m1, q.c, q.p1) - mix_flux(kind, q.m1, q.c, q.p1, q.p2);
}

/* In z, of the fluxes through the bottom and the top; their weights. */
SF_FORMULA SF_NUMBER mix_between(SF_NUMBER low, SF_NUMBER high, SF_NUMBER top, SF_NUMBER bottom)
{
    return bottom * low - top * high;
}

/* q: less the base profile, whose fluxes are taken off. */
SF_FORMULA SF_NUMBER mix_upright(int kind, struct line5 q, SF_NUMBER top, SF_NUMBER bottom)
{
    return mix_between(mix_flux(kind, q.m2, q.m1, q.c, q.p1), mix_flux(kind, q.m1, q.c, q.p1, q.p2), top, bottom);
}
