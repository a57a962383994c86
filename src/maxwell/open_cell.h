/* The curls of a cell by itself, and how long a step they take. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/geometry.h"

/* A cell with half of each face and a quarter of each edge (conformal.h): what stands for 1 / epsilon of its edges and
 * for mu of its faces, relative, and the curls from the one to the other, 1/m. Edge 4 a + n goes along a, n & 1 and n
 * >> 1 of the two axes that follow; face 2 c + high is normal to c. */
enum { SIDES_OF_CELL = 6 };
struct open_cell {
    double open[12], area[SIDES_OF_CELL], curl[SIDES_OF_CELL][12];
};

/* 1 / size along an axis, 1/m; 0 where nothing changes along it. */
double geometry_inverse(const struct geometry_axis *a, int m);

/* Of the edges and faces of a cell with numbers at[], what `edge` and `face` say of component c with numbers at[]. */
typedef double open_cell_share(const struct geometry *g, int c, const int at[3]);
void open_cell_fill(struct open_cell *cell, const struct geometry *g, const int at[3], open_cell_share *edge,
                    open_cell_share *face);
/* The largest eigenvalue of its curls, 1/m2, from above by less than 0.2 %; 0 where sums of magnitudes show that it is
 * within the limit. */
double open_cell_square(const struct open_cell *cell, double limit);
