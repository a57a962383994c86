/* What the analytic groups of the EM model share: results of a case in memory, and their own rows.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "command/verify.h"

/* Variable `name` of result file `file`, dimensions in the file's order, to out[0 .. n - 1]; n must be its size. The
 * state is that after the last step. Errors: SF_INTERNAL (there is no such variable of that size), SF_MEMORY. */
int em_result(const struct session *s, const char *file, const char *name, int n, double *out);

/* Run the case to its end, then em_result of flux.nc. */
int em_finish(struct session *s, const char *name, int n, double *out);

/* verify_em_layer.c: long waves, and a face of two media, in layers. */
int em_layer_rows(struct verify *v);
/* verify_em_grazing.c: waves at an angle to layers. */
int em_grazing_rows(struct verify *v);
/* verify_em_ground.c: a plane wave to ground in layers, and a body in it. */
int em_ground_rows(struct verify *v);
/* verify_em_film.c: layers thinner than a cell. */
int em_film_rows(struct verify *v);
/* verify_em_growth.c: surfaces of media across layers. */
int em_growth_rows(struct verify *v);
/* verify_em_metal.c: spheres of gold and silver. */
int em_metal_rows(struct verify *v);
/* verify_em_sheen.c: a patch and a filter of microstrip lines. */
int em_sheen_rows(struct verify *v);
/* verify_em_strip.c: a dipole of two sheets. */
int em_strip_row(struct verify *v);

static const double em_c0 = 299792458.0; /* m/s */
