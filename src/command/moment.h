/* A thin straight wire fed in its middle, by the method of moments. SPDX-License-Identifier: MIT */
#pragma once

#include <complex.h>

/* Impedance of a dipole, ohm, exp(+i w t); length and radius in wavelengths, the radius below 0.005. Galerkin's method
 * with `count` overlapping halves of a sine, an odd number up to 99 (Richmond and Geary 1975, IEEE Trans. Antennas
 * Propag. 23, 412), the current on the axis and the field on the surface. */
double complex moment_dipole(double length, double radius, int count);
