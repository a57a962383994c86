/* Which edges and faces conduct, as the geometry paints them: asked of one element after the other, in any order.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/geometry.h"

/* Two rows of cells, of even and odd number. */
struct conductors {
    struct geometry *g;
    unsigned char *cell[2];
    int j[2], held[2];
};

/* Errors: SF_MEMORY. */
int conductors_open(struct conductors *r, struct geometry *g);
void conductors_close(struct conductors *r);

/* Does the edge of component c (0 .. 2) with numbers at[] lie in a cell or a sheet that conducts, or, with conformal
 * conductors, wholly within one? Reads the geometry's file, as geometry_load does. Errors: SF_INPUT, SF_MEMORY. */
int conductors_edge(struct conductors *r, int c, const int at[3], int *pec);
/* The same of any component (0 .. 5). */
int conductors_hold(struct conductors *r, int component, const int at[3], int *pec);
