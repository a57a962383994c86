/* The grid: a box of cells, regular in x and y, stretched in z. Coordinates are in metres, in double, and depend on
 * the namelist alone, so that every way of cutting the domain sees the same numbers. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/config.h"

enum { GRID_GHOST_LEVELS = 4 };

struct grid {
    int nx, ny, nz;
    double dx, dy, x0, y0; /* cell sizes, western and southern edge */
    double *z_f;           /* height of the faces, [-GRID_GHOST_LEVELS .. nz + GRID_GHOST_LEVELS] */
    double *z_c;           /* height of the centres, [-GRID_GHOST_LEVELS .. nz - 1 + GRID_GHOST_LEVELS] */
    double top;            /* z_f[nz] */
    double *memory;
};

/* Fill `g` from &grid. Ghost levels mirror the heights of the cells inside. Errors: SF_MEMORY. */
int grid_init(struct grid *g, const struct config *c);
void grid_free(struct grid *g);

static inline double grid_x(const struct grid *g, int i, int on_face)
{
    return g->x0 + (i + (on_face ? 0.0 : 0.5)) * g->dx;
}
static inline double grid_y(const struct grid *g, int j, int on_face)
{
    return g->y0 + (j + (on_face ? 0.0 : 0.5)) * g->dy;
}
