/* The absorbing layers of a run: how they are graded, and what they will send back. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/own.h"

/* How the layers of a run are graded. */
struct cpml_options layers_options(const struct maxwell_own *own);

/* The lines of all axes, layers as far as they are known. Once media and sources are, layers_settle gives each layer
 * its index and its alpha, and the lines are made anew: sizes of cells stay. Errors: SF_MEMORY. */
int layers_lines(struct maxwell_own *own, const struct grid *g, const int side[FACES], double dt);

/* From the media at each face and the frequencies of sources and spectrum (`spectrum`: the lowest that monitors look
 * at, 0: none). The index of a face: of the media that it cuts the geometric mean of the least and the largest,
 * conductors left out that let no wave through the layer. Errors: SF_MEMORY. */
int layers_settle(struct maxwell_own *own, const struct grid *g, const int side[FACES], double dt, double spectrum);

/* Complains where a layer will send back more than 1 % of a wave that the sources make. */
void layers_judge(const struct instance *in, const struct maxwell_own *own);
/* What `check` tells of layers. */
void layers_report(const struct maxwell_own *own, double dt, void (*line)(void *to, const char *text), void *to);
