/* Heights of hills that the literature computes flow over, m: in double, for the model's ground and for what it is held
 * against. a: half-width or scale, m. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* A round hill, h / (1 + r^2/a^2)^(3/2) (Smith 1980, Tellus 32, 348). */
SF_FORMULA double hill_bell(double h, double a, double x, double y)
{
    const double s = 1 + ((x / a) * (x / a) + (y / a) * (y / a));
    return h / (s * __builtin_sqrt(s));
}

/* A ridge along y, the witch of Agnesi: h / (1 + x^2/a^2) (Queney 1948). */
SF_FORMULA double hill_ridge(double h, double a, double x) { return h / (1 + (x / a) * (x / a)); }

/* Ridges along y, lambda apart, under a bell: h exp(-x^2/a^2) cos^2(pi x / lambda) (Schaer et al. 2002,
 * doi:10.1175/1520-0493(2002)130<2459:ANTFVC>2.0.CO;2). */
SF_FORMULA double hill_schaer(double h, double a, double lambda, double x)
{
    const double c = sfd_cos(3.14159265358979323846 * x / lambda);
    return h * sfd_exp(-(x / a) * (x / a)) * (c * c);
}
