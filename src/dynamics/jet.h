/* A jet at the start (&initial jet): a wind along x that is the same all along x, and the air that it is in balance
 * with.
 *
 *     f u = -cp theta dpi/dy        cp theta dpi/dz = -g        theta = theta_0 + theta', pi = pi_0 + pi'
 *
 * Such air is an exact steady solution between walls in the south and north. The balance is that of the differences of
 * the model, on the southern faces (j) and the lower faces (k) of its cells,
 *
 *     cp (theta_0 + [theta']_y) (pi'_j - pi'_j-1) / dy = -f [u]_y
 *     cp (theta_0f + [theta']_z) (pi'_k - pi'_k-1) / dz = g [theta']_z / theta_0f
 *
 * with [q]_y and [q]_z means of two neighbours, so nothing moves but what rounding moves. On the axis of the jet,
 * between two rows in the mean of both, the air is that of the base state. SPDX-License-Identifier: MIT */
#pragma once

struct dynamics_own;
struct instance;

enum jet_kind { JET_NONE, JET_SHEAR, JET_CORE };

/* Of every row and level, [ny][nz]. */
struct jet {
    double *u, *theta, *pi; /* m/s; less those of the base state, K, 1; NULL: there is no jet */
    double n2_most, sound_most; /* 1/s2, m/s: of its air, N^2 and the speed of sound where they are largest */
};

/* The wind of the jet at y, z, m/s. */
double jet_wind(const struct dynamics_own *own, double y, double z);

/* Judge the jet of the namelist and make it, behind base state, map and terrain. Complains of keys that contradict it.
 * Errors: SF_NAMELIST (without a message), SF_MEMORY. */
int jet_make(const struct instance *in, struct dynamics_own *own);
void jet_free(struct jet *j);
