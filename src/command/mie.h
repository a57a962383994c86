/* A plane wave on a sphere, exactly: Mie's series (Bohren and Huffman, Absorption and Scattering of Light by Small
 * Particles, 1983, chapter 4). SPDX-License-Identifier: MIT */
#pragma once

#include <complex.h>

/* sigma / (pi a^2) at `theta` degrees from straight ahead, in the plane of E (0) and across it (1). size: 2 pi a /
 * wavelength, up to some 50; index: of the sphere against what is around it, n - i k where it takes from the wave; 0: a
 * perfect conductor. */
void mie_bistatic(double size, double complex index, double theta, double section[2]);
/* The amplitudes whose squares these are, time as exp(-i w t): E = exp(i k r) / (- i k r) times s[0] of the part of E
 * in the plane of both directions, s[1] of that across it. */
void mie_amplitudes(double size, double complex index, double theta, double complex s[2]);

/* Scattered power over that on pi a^2. */
double mie_scattering(double size, double complex index);
/* What the wave loses, by scattering and to the sphere, over that on pi a^2. */
double mie_extinction(double size, double complex index);
