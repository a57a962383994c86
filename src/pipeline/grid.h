/* The grid: a box of cells, of any sizes along each axis. Coordinates are in metres, in double, and depend on
 * the namelist alone, so that every way of cutting the domain sees the same numbers. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/config.h"

enum { GRID_GHOST_LEVELS = 4 };

struct grid {
    int nx, ny, nz;
    double dx, dy, x0, y0; /* cell sizes (means where `graded`), western and southern edge */
    double *z_f; /* height of the faces, [-GRID_GHOST_LEVELS .. nz + GRID_GHOST_LEVELS] */
    double *z_c; /* height of the centres, [-GRID_GHOST_LEVELS .. nz - 1 + GRID_GHOST_LEVELS] */
    double *x_f, *y_f; /* of faces, [0 .. nx] and [0 .. ny], where the grid is graded along x or y; else NULL */
    double top; /* z_f[nz] */
    int graded; /* 1: cells of &grid size_x or size_y are not all the same */
    double *memory;
};

/* How many values of &grid size_x, size_y and size_z are given. */
struct grid_sizes {
    int x, y, z;
};

/* Fill `g` from &grid. Ghost levels mirror the heights of the cells inside. Errors: SF_MEMORY; SF_NAMELIST when the
 * sizes given are not one for each cell. */
int grid_init(struct grid *g, const struct config *c, const struct grid_sizes *given);
void grid_free(struct grid *g);

static inline double grid_along(const double *face, double start, double step, int n, int m, int on_face)
{
    if (!face || m < 0 || m + !on_face > n) return start + (m + (on_face ? 0.0 : 0.5)) * step;
    return on_face ? face[m] : 0.5 * (face[m] + face[m + 1]);
}
static inline double grid_x(const struct grid *g, int i, int on_face)
{
    return grid_along(g->x_f, g->x0, g->dx, g->nx, i, on_face);
}
static inline double grid_y(const struct grid *g, int j, int on_face)
{
    return grid_along(g->y_f, g->y0, g->dy, g->ny, j, on_face);
}
static inline double grid_z(const struct grid *g, int k, int on_face) { return on_face ? g->z_f[k] : g->z_c[k]; }

/* What counts as half-way between two places, in parts of their distance: far more than round-off of positions in
 * metres, far less than anyone means. */
#define GRID_TIE 1e-6

/* Index of the face or centre of one axis (0 x, 1 y, 2 z) that lies nearest to `at` m; -1 beyond the domain by more
 * than half a cell. Half-way between two, within GRID_TIE, it is the upper one: round-off of `at` and of the grid
 * decides nothing. */
int grid_nearest(const struct grid *g, int axis, int on_face, double at);
