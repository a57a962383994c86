/* Bloch-periodic sides: from one period to the next fields turn by a phase,
 *
 *     F(x + L) = F(x) exp(-j k L)          time as exp(+j w t), so that a wave exp(j (w t - k x)) travels along k
 *
 * as those of an oblique plane wave on a grating do, and the modes of a crystal (Taflove and Hagness, Computational
 * Electrodynamics, 3rd ed., chapter 13; Bloch 1928). Fields are complex then: all six have an imaginary part, a field
 * of its own with its own memories of layers, of poles and of monitors, and the equations, which are real, take each
 * part by itself: stages of imaginary parts follow from those of the real ones (`imaginary` in waves.sf).
 *
 * The two parts meet at the seam alone. Ghosts across it are plain copies of the other end, as without a phase, and so
 * every cut, exchange and recomputed row has the bits that it has there. A difference across the seam wants them
 * turned; a stage behind each half step adds what the turn changes, to the elements beside the seam:
 *
 *     of H in the last cell:   z F - F of E beyond it, z = exp(-j k L);    of E on the first node: z* F - F of H before
 *
 * z and z* are conjugate to the last digit, so that the curl of E and that of H stay adjoint, and frequencies real. An
 * axis whose phase is zero has no such stage: with k = 0 real parts have the bits of real fields.
 *
 * Across one cell of size d, with N periods of it in L, the wave number k counts as K = 2 sin(k d / 2) / d.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/maxwell.h"
#include "pipeline/complaint.h"
#include "pipeline/grid.h"

struct bloch {
    int is_there; /* 0: fields are real, and nothing else is set */
    double k[3]; /* rad/m along x, y, z */
    double period[3]; /* m; of an axis without a phase too */
    double size[3]; /* m: of the cells along an axis with a phase, all of one size; 0: they differ */
    int turns[3]; /* 1: the axis has a phase that is not zero */
    real less[3], sine[3]; /* cos(k L) - 1 and sin(k L) */
    double *phase[3]; /* tables: cos(k x) and sin(k x) of half cells 0 .. 2 n, x from the low side */
};

/* From &bloch. index: refractive index of what the angle is meant in. What is wrong is complained of. Errors:
 * SF_MEMORY. */
int bloch_make(struct bloch *b, const struct maxwell_params *p, const struct grid *g, double index,
               struct complaints *to);
/* Complains of what complex fields do not go with: ports, modes, hard sources, oblique waves, far fields. */
void bloch_refuse(const struct maxwell_params *p, struct complaints *to);
void bloch_free(struct bloch *b);

/* K of the grid along an axis, rad/m: 2 sin(k d / 2) / d; cells of one size. */
double bloch_number(const struct bloch *b, int axis);

/* Frequency below which nothing of that k travels in a medium of that index, Hz: its light line. */
double bloch_light_line(const struct bloch *b, double index);

/* What the stages at the seam of axis call.arg change of a box. */
stage_changes bloch_h_changes, bloch_e_changes;
