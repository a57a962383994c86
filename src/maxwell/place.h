/* Places on the grid, and what the domain ends with. Axes: 0 x, 1 y, 2 z.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/maxwell.h"
#include "pipeline/grid.h"

/* What an end of an axis is, enum em_side, and its name. */
static inline int side_of(const struct maxwell_params *p, int axis, int high)
{
    const int side[3][2] = {{p->boundary_west, p->boundary_east},
                            {p->boundary_south, p->boundary_north},
                            {p->boundary_bottom, p->boundary_top}};
    return side[axis][high];
}

static inline const char *side_name(int axis, int high)
{
    static const char *const name[3][2] = {{"west", "east"}, {"south", "north"}, {"bottom", "top"}};
    return name[axis][high];
}

/* Position of a node or of a cell's centre, m. */
static inline double place_at(const struct grid *g, int axis, int on_node, int m)
{
    return axis == AX ? grid_x(g, m, on_node) : axis == AY ? grid_y(g, m, on_node) : grid_z(g, m, on_node);
}

/* m: how long the cell that surrounds element m is along `axis`: a cell, or half of each neighbour of a node. */
static inline double place_size(const struct axis_lines *l, int node, int m)
{
    return node ? 0.5 * (l->size[m - 1] + l->size[m]) : l->size[m];
}

static inline int axis_cells(const struct grid *g, int axis) { return axis == AX ? g->nx : axis == AY ? g->ny : g->nz; }

/* m: size of cell m along an axis; beyond an end that of the last. */
static inline double place_cell(const struct grid *g, int axis, int m)
{
    const int n = SF_MIN(SF_MAX(m, 0), axis_cells(g, axis) - 1);
    return place_at(g, axis, 1, n + 1) - place_at(g, axis, 1, n);
}
