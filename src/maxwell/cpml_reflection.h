/* What an absorbing layer sends back of a plane wave, by the equations of the grid: no run, and no more approximation
 * than the rounding of the layer's coefficients.
 *
 * A wave of angular frequency w in a medium (eps, mu), at an angle t to the layer's normal, on cells of one size d.
 * With W = (2 / dt) sin(w dt / 2), E along the layer at nodes q and H along it half a cell after each, a distance is
 * stretched by
 *
 *     1 / s = 1 / kappa + a' / (1 - b exp(-i w dt)),
 *
 *     H(q - 1/2) = H(q + 1/2) + i W eps' d s_e E(q),   E(q - 1) = E(q) + i W mu d s_h H(q - 1/2),   eps' = eps - (K /
 *                                                      W)^2 / mu,
 *
 * K^2 = W^2 Re(eps) Re(mu) sin^2 t: the wave whose E lies along the layer (the other gives the same without losses).
 * From E = 0 on the conductor behind the layer this leads to its front, where E and H are a wave towards the layer and
 * one that leaves it. sin^2 t > 1: near fields. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/cpml.h"

struct cpml_wave {
    double frequency; /* Hz */
    double epsilon, mu, sigma, sigma_m; /* of the medium: relative, S/m, ohm/m */
    double sine2; /* sin^2 t */
};

/* Amplitude of E that comes back at the front of the layer, over that which goes in. `cell`: size of its cells, m. */
double cpml_reflection(const struct cpml_face *face, double cell, const struct cpml_options *o, double dt,
                       const struct cpml_wave *w);
