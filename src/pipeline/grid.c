/* Heights of faces and centres: uniform up to stretch_from, then growing by a constant ratio up to dz_max.
 * SPDX-License-Identifier: MIT */
#include "pipeline/grid.h"

#include "pipeline/error.h"

#include <stdlib.h>
#include <string.h>

int grid_init(struct grid *g, const struct config *c)
{
    enum { G = GRID_GHOST_LEVELS };
    const int nz = c->grid_nz;
    *g = (struct grid){.nx = c->grid_nx, .ny = c->grid_ny, .nz = nz, .dx = c->grid_dx, .dy = c->grid_dy,
                       .x0 = c->grid_origin_x, .y0 = c->grid_origin_y};
    const size_t levels = (size_t)nz + 2 * G + 1;
    g->memory = malloc(2 * levels * sizeof *g->memory);
    SF_CHECK(g->memory, SF_MEMORY, "no memory for %zu levels of the grid", levels);
    g->z_f = g->memory + G;
    g->z_c = g->memory + levels + G;

    double height = c->grid_dz;
    g->z_f[0] = 0;
    for (int k = 0; k < nz; k++) {
        if (k > 0 && g->z_f[k] >= c->grid_stretch_from && c->grid_stretch_ratio > 1)
            height = SF_MIN(height * c->grid_stretch_ratio, c->grid_dz_max);
        /* A uniform grid is k dz to the last bit. */
        g->z_f[k + 1] = c->grid_stretch_ratio > 1 ? g->z_f[k] + height : (k + 1) * c->grid_dz;
    }
    g->top = g->z_f[nz];
    for (int m = 1; m <= G; m++) {
        const int below = SF_MIN(m, nz), above = SF_MAX(nz - m, 0);
        g->z_f[-m] = -g->z_f[below] - (m - below) * c->grid_dz;
        g->z_f[nz + m] = 2 * g->top - g->z_f[above] + (m - (nz - above)) * c->grid_dz;
    }
    for (int k = -G; k < nz + G; k++) g->z_c[k] = 0.5 * (g->z_f[k] + g->z_f[k + 1]);
    return SF_OK;
}

void grid_free(struct grid *g)
{
    free(g->memory);
    memset(g, 0, sizeof *g);
}
