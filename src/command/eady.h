/* Linear baroclinic waves in a channel with a uniform shear (Eady 1949, Tellus 1 (3), 33-52), in double. The wind is
 * shear z along x between rigid lids at 0 and H, N is constant, f too, and waves are exp(i k (x - c t)) sin(l y)
 * between walls pi / l apart.
 *
 * Eady's air does not get thinner upward and does not compress. Then, with mu = N H sqrt(k^2 + l^2) / f,
 *
 *     c = shear H / 2 +- (shear H / mu) sqrt((mu/2 - tanh(mu/2)) (mu/2 - coth(mu/2)))
 *
 * Air of a depth near its scale height does both. With the stream function phi = cp theta_0 pi' / f of the geostrophic
 * wind and w = i k W exp(...), the linear equations of compressible hydrostatic air are, to leading order in the Rossby
 * number,
 *
 *     N^2 W / f = -((U - c) dphi/dz - shear phi + c N^2 phi / g)                      theta', thermal wind
 *     dW/dz = g W / a^2 + f c phi / a^2 - (k^2 + l^2) (U - c) phi / f                 vorticity, pi'
 *
 * a^2 = (cp / cv) R T of the base state, W = 0 at 0 and H. In the limit of large g / N^2 and a they are Eady's. What
 * the next order takes is told by Richardson's number Ri = (N / shear)^2: a growth less by sqrt(1 + 1 / Ri), where l =
 * 0 (Stone 1966, J. Atmos. Sci. 23, 390-400). SPDX-License-Identifier: MIT */
#pragma once

struct eady_case {
    double k, l; /* 1/m */
    double shear, height, N, f; /* 1/s, m, 1/s, 1/s */
    double theta, g, cp, R; /* of the base state at the ground, K; its pressure there is the reference pressure */
};

/* Of the growing wave: rate, 1/s, and speed, m/s. A rate of 0: none grows, and the speed is that of the faster one. */
struct eady_wave {
    double growth, speed;
};

struct eady_wave eady_boussinesq(const struct eady_case *e);
/* By shooting from the ground, from Boussinesq's wave on: that has to grow. */
struct eady_wave eady_compressible(const struct eady_case *e);
