/* Absorbing layers: convolutional perfectly matched layers (Roden and Gedney 2000), each before a conducting face.
 *
 * Within a layer along axis a a derivative d/da becomes (1/kappa) d/da + psi, psi = b psi + a' d/da, with
 *     sigma = sigma_max (depth / thickness)^m,  kappa = 1 + (kappa_max - 1) (depth / thickness)^m,  alpha constant,
 *     b = exp(-(sigma / kappa + alpha) dt / eps0),  a' = sigma (b - 1) / (kappa (sigma + kappa alpha)),
 *     sigma_max = factor 0.8 (m + 1) / (eta0 dx sqrt(eps_r mu_r)), eps_r and mu_r those that the layer cuts.
 * E and H take them at their own places. kappa enters the spacings of the whole axis (struct axis_lines), so that the update is
 * the same everywhere; only psi is the layer's own.
 *
 * A face's layer holds four memories, fields of the shape of the layer: of the first and second component of E across its
 * axis (west: Ey, Ez; south: Ez, Ex; bottom: Ex, Ey) and of H likewise.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/maxwell.h"
#include "pipeline/grid.h"

/* Columns of a layer along x are stored in multiples of this, where there are as many: loops over them are whole vectors. The columns beyond the
 * layer have a' = 0 and stay zero. */
enum { CPML_VECTOR = 16 };

/* What one layer is made of; cells 0: there is none. */
struct cpml_face {
    int cells;
    double index; /* sqrt(eps_r mu_r) of what it cuts */
};

struct cpml_options {
    double order, sigma_factor, kappa, alpha;
};

/* Cells stored of a layer of `cells`: whole vectors along x (vector = CPML_VECTOR), elsewhere 1. Never more than there is
 * `room` for before the layer at the other face, whose coefficients are not this one's. */
int cpml_wide(int cells, int room, int vector);

/* The lines of one axis: `edge` are the n + 1 positions of its nodes, m. `periodic`: nodes 0 and n are one. Memory is *memory,
 * to be freed by the caller with table_free. Errors: SF_MEMORY. */
int axis_lines_make(struct axis_lines *l, void **memory, int n, const double *edge, int periodic, const struct cpml_face face[2],
                    const struct cpml_options *o, int vector, double dt);
