/* Absorbing layers: convolutional perfectly matched layers (Roden and Gedney 2000), each before a conducting face.
 *
 * Within a layer along axis a a derivative d/da becomes (1/kappa) d/da + psi, psi = b psi + a' d/da, with
 *     sigma = sigma_max s^m,  kappa = 1 + (kappa_max - 1) s^m,  alpha = alpha_max (1 - s)^p,  s = depth / thickness,
 *     b = exp(-(sigma / kappa + alpha) dt / eps0),  a' = sigma (b - 1) / (kappa (sigma + kappa alpha)),
 *     sigma_max = factor 0.8 (m + 1) / (eta0 dx n),  alpha_max = A / (eta0 dx),  n one index for all that the layer
 *     cuts.
 *
 * alpha lets near fields into the layer and keeps long waves out: below the frequency at which w eps0 = alpha the layer
 * absorbs nothing. Unless A is given it follows the lowest frequency f that is asked for, A = min(0.08, 3 w dx / c), w
 * = 2 pi f: ten cells then return -54 to -60 dB at f, however low f is, and less above it, down to 15 cells a
 * wavelength (10: -50; cpml_reflection.h). E and H take them at their own places. kappa enters the spacings of the
 * whole axis (struct axis_lines), so that the update is the same everywhere; only psi is the layer's own.
 *
 * A face's layer holds four memories, fields of the shape of the layer: of the first and second component of E across
 * its axis (west: Ey, Ez; south: Ez, Ex; bottom: Ex, Ey) and of H likewise. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/maxwell.h"
#include "pipeline/grid.h"

/* Columns of a layer along x are stored in multiples of this, where there are as many: loops over them are whole
 * vectors. The columns beyond the layer have a' = 0 and stay zero. */
enum { CPML_VECTOR = 16 };

/* What one layer is made of; cells 0: there is none. */
struct cpml_face {
    int cells;
    double index; /* sqrt(eps_r mu_r) of what it cuts, one for all */
};

struct cpml_options {
    double order, sigma_factor, kappa;
    double alpha; /* A; negative: from `lowest` */
    double alpha_order; /* p */
    double lowest; /* Hz; 0: nothing is known */
};

/* A of a layer with cells of `cell` m. */
double cpml_alpha(const struct cpml_options *o, double cell);

/* kappa, b and a' at `share` of the layer's thickness; 1, 0, 0 where share is not positive. `cell`: size of a cell of
 * the layer, m. */
struct cpml_grade {
    double kappa, b, a;
};
struct cpml_grade cpml_grade_at(double share, double cell, double index, const struct cpml_options *o, double dt);

/* Cells stored of a layer of `cells`: whole vectors along x (vector = CPML_VECTOR), elsewhere 1. Never more than there
 * is `room` for before the layer at the other face, whose coefficients are not this one's. */
int cpml_wide(int cells, int room, int vector);

/* The lines of one axis: `edge` are the n + 1 positions of its nodes, m. `periodic`: nodes 0 and n are one. Memory is
 * *memory, to be freed by the caller with table_free. Errors: SF_MEMORY. */
int axis_lines_make(struct axis_lines *l, void **memory, int n, const double *edge, int periodic,
                    const struct cpml_face face[2], const struct cpml_options *o, int vector, double dt);
