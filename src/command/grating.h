/* Diffraction orders of a lamellar grating without losses, by coupled waves in double: Moharam, Grann, Pommet and
 * Gaylord 1995, J. Opt. Soc. Am. A 12, 1068-1076; of H along the bars with the product rules of Li 1996, J. Opt. Soc.
 * Am. A 13, 1870-1876, without which they converge slowly. SPDX-License-Identifier: MIT */
#pragma once

/* Lengths in wavelengths of vacuum. A wave comes from above; x is across the bars. */
struct grating {
    int is_tm; /* 0: E along the bars; 1: H along them */
    double period, width, height; /* of the bars: one every period */
    double bar, groove, above, below; /* relative permittivities */
    double across; /* k_x of the wave over that of vacuum: n sin(theta) */
    int waves; /* coupled, on each side of order 0 */
};

/* Share of the wave's power that returns (back) and goes through in orders -most .. most; 0 of those that do not
 * travel. Errors: SF_MEMORY. */
int grating_orders(const struct grating *g, int most, double *back, double *through);
