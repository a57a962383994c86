/* The parts of the group `em-exact`. SPDX-License-Identifier: MIT */
#pragma once

#include "command/verify_em.h"

/* A guard: four times what builds of both precisions were seen to leave. */
#define EM_LEVEL(fp64, fp32) (4 * (SF_PREC == 64 ? (fp64) : (fp32)))

#define EM_SIDES(of)                                                                                                   \
    "&boundary west='" of "' east='" of "' south='" of "' north='" of "' bottom='" of "' top='" of "' /\n"

int em_invariants(struct verify *v); /* verify_em_invariant.c: energy, time reversal, reciprocity */
int em_lines(struct verify *v); /* verify_em_line.c: absorbing layers */
int em_images(struct verify *v); /* verify_em_image.c: plane wave in an empty box, symmetry */
/* verify_em_conformal.c: noise on every open edge of a closed case, and its energy 20000 steps later. */
int em_growth(struct verify *v, struct session *s, const char *name);
/* A component of E of a mode at a place, of any amplitude. */
typedef double em_mode(const void *of, int c, const double place[3]);
/* A case that begins as the mode and runs so many steps: its wave number, rad/m, from the amplitude a of the mode in E,
 * of which a(n+1) + a(n-1) = 2 cos(w dt) a(n) by least squares. Errors: those of running. */
int em_oscillation(struct session *s, int steps, em_mode *mode, const void *of, double *found);
int em_shell_rows(struct verify *v); /* verify_em_shell.c: sheets of any orientation */
/* Noise on every edge of E that is open, H at rest; and the energy of the fields, J. */
int em_noise(struct session *s, double *energy);
int em_energy(const struct session *s, double *energy);
