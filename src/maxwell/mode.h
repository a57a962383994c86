/* The transverse profile of a TE_mn mode of a rectangular guide with conducting walls, as the grid has it.
 *
 * The guide runs along axis a; b and c follow it (x: y, z; y: z, x; z: x, y). With P = cos(m pi u) cos(n pi v) at the
 * centres of the guide's cells, u and v from 0 to 1 across it, E_b = -dP/dc and E_c = dP/db (times -1 for m > 0) are
 * differences of P at the components' own places: free of divergence on the grid, and, where cells are of one size,
 * eigenvectors of its transverse operator. Its largest component is 1 and, for TE_m0 and TE_0n, positive in the first
 * half wave. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/place.h"

struct mode {
    int axis;
    int low[3], high[3]; /* nodes of the walls; along the axis both are the plane */
    int wide; /* nodes along b */
    real *profile[2]; /* of E_b and E_c, by plane_index */
    void *memory;
};

struct mode_keys {
    int axis, m, n;
    double centre[3], size_b, size_c; /* m; size 0: the whole domain */
    const char *group; /* whose it is, for messages: "&source: source", "&port: port" */
};

/* Errors: SF_NAMELIST, with `number` of whose it is; SF_MEMORY. */
int mode_make(struct mode *mode, const struct mode_keys *keys, const struct grid *grid, const struct axis_lines axis[3],
              int number);
void mode_free(struct mode *mode);
/* Room for the profile of a mode whose walls are known. Errors: SF_MEMORY. */
int mode_alloc(struct mode *mode);
/* The same mode on another plane. Errors: SF_MEMORY. */
int mode_copy(struct mode *to, const struct mode *from, int plane);
/* The plane of nodes and the nodes of the walls. Errors: SF_NAMELIST. */
int mode_walls(struct mode *mode, const struct mode_keys *keys, const struct grid *grid,
               const struct axis_lines axis[3], int number);

/* Elements of component c (0 .. 2, not the axis) on the plane. */
struct place_range mode_range(const struct mode *mode, int c);
