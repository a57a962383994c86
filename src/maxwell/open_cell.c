/* Curls of single cells. SPDX-License-Identifier: MIT */
#include "maxwell/open_cell.h"

#include "pipeline/error.h"

#include <string.h>

double geometry_inverse(const struct geometry_axis *a, int m)
{
    return a->periodic && a->n == 1 ? 0 : 1 / geometry_size(a, geometry_cell(a, m));
}

static void open_cell_edge(const int at[3], int a, int n, int edge[3])
{
    for (int b = 0; b < 3; b++) edge[b] = at[b];
    edge[(a + 1) % 3] += n & 1, edge[(a + 2) % 3] += n >> 1;
}

static void open_cell_begin(struct open_cell *cell, const struct geometry *g, const int at[3])
{
    memset(cell, 0, sizeof *cell);
    for (int e = 0; e < 12; e++) cell->open[e] = 1;
    for (int f = 0; f < SIDES_OF_CELL; f++) {
        const int c = f / 2, high = f % 2, a = (c + 1) % 3, b = (c + 2) % 3;
        cell->area[f] = 1;
        for (int q = 0; q < 2; q++) { /* d E_b / d a - d E_a / d b */
            cell->curl[f][4 * b + high + 2 * q] = (q ? 1 : -1) * geometry_inverse(&g->axis[a], at[a]);
            cell->curl[f][4 * a + q + 2 * high] = (q ? -1 : 1) * geometry_inverse(&g->axis[b], at[b]);
        }
    }
}

void open_cell_fill(struct open_cell *cell, const struct geometry *g, const int at[3], open_cell_share *edge,
                    open_cell_share *face)
{
    open_cell_begin(cell, g, at);
    for (int a = 0; a < 3; a++)
        for (int n = 0; n < 4; n++) {
            int of[3];
            open_cell_edge(at, a, n, of);
            cell->open[4 * a + n] = edge(g, a, of);
        }
    for (int f = 0; f < SIDES_OF_CELL; f++) {
        int of[3] = {at[0], at[1], at[2]};
        of[f / 2] += f % 2;
        cell->area[f] = face(g, f / 2, of);
    }
}

/* The largest eigenvalue of a symmetric matrix without negative ones, from above by less than 0.2 %: the root of the
 * trace of a high power. */
static double eigenvalue_bound(double m[SIDES_OF_CELL][SIDES_OF_CELL])
{
    double bound = 1;
    for (int times = 0; times < 11; times++) {
        double next[SIDES_OF_CELL][SIDES_OF_CELL], trace = 0;
        for (int i = 0; i < SIDES_OF_CELL; i++) trace += m[i][i];
        if (!(trace > 0)) return 0;
        double root = trace;
        for (int n = 0; n < times; n++) root = __builtin_sqrt(root);
        bound *= root;
        for (int i = 0; i < SIDES_OF_CELL; i++)
            for (int j = 0; j < SIDES_OF_CELL; j++) m[i][j] /= trace;
        for (int i = 0; i < SIDES_OF_CELL; i++)
            for (int j = 0; j < SIDES_OF_CELL; j++) {
                double sum = 0;
                for (int q = 0; q < SIDES_OF_CELL; q++) sum += m[i][q] * m[q][j];
                next[i][j] = sum;
            }
        for (int i = 0; i < SIDES_OF_CELL; i++)
            for (int j = 0; j < SIDES_OF_CELL; j++) m[i][j] = next[i][j];
    }
    return bound;
}

/* Are the sums of magnitudes of all rows within the limit? Then all eigenvalues are. */
static int rows_bound(double m[SIDES_OF_CELL][SIDES_OF_CELL], double limit)
{
    int within = 1;
    for (int i = 0; i < SIDES_OF_CELL; i++) {
        double sum = 0;
        for (int j = 0; j < SIDES_OF_CELL; j++) sum += __builtin_fabs(m[i][j]);
        within = within && sum <= limit;
    }
    return within;
}

/* 2 A^-1/2 C l C' A^-1/2: half of each face and a quarter of each edge belong to the cell. */
double open_cell_square(const struct open_cell *cell, double limit)
{
    double m[SIDES_OF_CELL][SIDES_OF_CELL] = {{0}}, root[SIDES_OF_CELL];
    for (int f = 0; f < SIDES_OF_CELL; f++) root[f] = cell->area[f] > 0 ? 1 / __builtin_sqrt(cell->area[f]) : 0;
    for (int i = 0; i < SIDES_OF_CELL; i++)
        for (int j = 0; j < SIDES_OF_CELL; j++) {
            double sum = 0;
            for (int e = 0; e < 12; e++) sum += cell->curl[i][e] * cell->open[e] * cell->curl[j][e];
            m[i][j] = 2 * root[i] * sum * root[j];
        }
    return rows_bound(m, limit) ? 0 : eigenvalue_bound(m);
}
