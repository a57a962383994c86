/* Heights of faces and centres: uniform up to stretch_from, then growing by a constant ratio up to dz_max.
 * SPDX-License-Identifier: MIT */
#include "pipeline/grid.h"

#include "pipeline/error.h"

#include <stdlib.h>
#include <string.h>

/* Faces from the sizes of the cells. */
static void faces_fill(double *face, double start, const double *size, int n)
{
    face[0] = start;
    for (int m = 0; m < n; m++) face[m + 1] = face[m] + size[m];
}

static int is_graded(const double *size, int n)
{
    for (int m = 1; m < n; m++)
        if (size[m] < size[0] || size[m] > size[0]) return 1;
    return 0;
}

static int count_check(int given, int n, const char *axis)
{
    SF_CHECK(!given || given == n, SF_NAMELIST,
             "&grid: %d values of size_%s, but %d cells: give a size for each cell, or none", given, axis, n);
    return SF_OK;
}

/* Along x or y: equal sizes are a step, others faces of their own. */
static void axis_fill(struct grid *g, const double *size, int given, int n, double start, double *step, double *memory,
                      double **face)
{
    if (!given) return;
    *step = size[0];
    if (!is_graded(size, n)) return;
    faces_fill(memory, start, size, n);
    *face = memory;
    *step = (memory[n] - memory[0]) / n;
    g->graded = 1;
}

static void heights_fill(struct grid *g, const struct config *c, int given)
{
    double height = c->grid_dz;
    g->z_f[0] = c->grid_origin_z;
    if (given && is_graded(c->grid_size_z, g->nz)) {
        faces_fill(g->z_f, c->grid_origin_z, c->grid_size_z, g->nz);
        return;
    }
    if (given) height = c->grid_size_z[0];
    const double step = height, ratio = given ? 1 : c->grid_stretch_ratio;
    for (int k = 0; k < g->nz; k++) {
        if (k > 0 && g->z_f[k] >= c->grid_stretch_from && ratio > 1) height = SF_MIN(height * ratio, c->grid_dz_max);
        /* A uniform grid is k dz to the last bit. */
        g->z_f[k + 1] = ratio > 1 ? g->z_f[k] + height : c->grid_origin_z + (k + 1) * step;
    }
}

int grid_init(struct grid *g, const struct config *c, const struct grid_sizes *given)
{
    enum { G = GRID_GHOST_LEVELS };
    const int nz = c->grid_nz;
    *g = (struct grid){.nx = c->grid_nx,
                       .ny = c->grid_ny,
                       .nz = nz,
                       .dx = c->grid_dx,
                       .dy = c->grid_dy,
                       .x0 = c->grid_origin_x,
                       .y0 = c->grid_origin_y};
    SF_TRY(count_check(given->x, g->nx, "x"));
    SF_TRY(count_check(given->y, g->ny, "y"));
    SF_TRY(count_check(given->z, g->nz, "z"));
    const size_t levels = (size_t)nz + 2 * G + 1, columns = (size_t)g->nx + 1, rows = (size_t)g->ny + 1;
    g->memory = malloc((2 * levels + columns + rows) * sizeof *g->memory);
    SF_CHECK(g->memory, SF_MEMORY, "no memory for %zu levels of the grid", levels);
    g->z_f = g->memory + G;
    g->z_c = g->memory + levels + G;
    axis_fill(g, c->grid_size_x, given->x, g->nx, g->x0, &g->dx, g->memory + 2 * levels, &g->x_f);
    axis_fill(g, c->grid_size_y, given->y, g->ny, g->y0, &g->dy, g->memory + 2 * levels + columns, &g->y_f);
    heights_fill(g, c, given->z);
    const double bottom = g->z_f[0], lowest = g->z_f[1] - bottom;
    g->top = g->z_f[nz];
    for (int m = 1; m <= G; m++) {
        const int below = SF_MIN(m, nz), above = SF_MAX(nz - m, 0);
        g->z_f[-m] = 2 * bottom - g->z_f[below] - (m - below) * lowest;
        g->z_f[nz + m] = 2 * g->top - g->z_f[above] + (m - (nz - above)) * lowest;
    }
    for (int k = -G; k < nz + G; k++) g->z_c[k] = 0.5 * (g->z_f[k] + g->z_f[k + 1]);
    return SF_OK;
}

static double place(const struct grid *g, int axis, int on_face, int m)
{
    return axis == 0 ? grid_x(g, m, on_face) : axis == 1 ? grid_y(g, m, on_face) : grid_z(g, m, on_face);
}

int grid_nearest(const struct grid *g, int axis, int on_face, double at)
{
    const int n = axis == 0 ? g->nx : axis == 1 ? g->ny : g->nz, last = on_face ? n : n - 1;
    const double low = place(g, axis, 1, 0), high = place(g, axis, 1, n);
    const double first = place(g, axis, 1, 1) - low, final = high - place(g, axis, 1, n - 1);
    const double beyond = 0.5 + GRID_TIE;
    if (!(at >= low - beyond * first && at <= high + beyond * final)) return -1;
    int best = 0, end = last;
    while (best < end) { /* the first whose middle to the next lies beyond `at` */
        const int m = (best + end) / 2;
        const double here = place(g, axis, on_face, m), next = place(g, axis, on_face, m + 1);
        if (0.5 * (here + next) - GRID_TIE * (next - here) > at) end = m;
        else best = m + 1;
    }
    return best;
}

void grid_free(struct grid *g)
{
    free(g->memory);
    memset(g, 0, sizeof *g);
}
