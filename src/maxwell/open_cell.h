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

/* All open: a whole cell. */
void open_cell_begin(struct open_cell *cell, const struct geometry *g, const int at[3]);
/* Numbers of its edge 4 a + n. */
void open_cell_edge(const int at[3], int a, int n, int edge[3]);
/* The largest eigenvalue of its curls, 1/m2, from above by less than 0.2 %; 0 where sums of magnitudes show that it is
 * within the limit. */
double open_cell_square(const struct open_cell *cell, double limit);
