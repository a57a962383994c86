/* Between the files that find the wave of a line: its cross-section with conductors and potentials.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/tem.h"

enum { TEM_PHI, TEM_PSI, TEM_POTENTIALS };

struct conductor;

struct tem_work {
    const struct section *s;
    const struct geometry *g;
    const struct axis_lines *axis;
    const struct maxwell_params *p;
    int number;
    int *label; /* [node]: conductor, from 1; 0: none */
    int *list; /* [node] */
    unsigned char *held;
    double *x[TEM_POTENTIALS], *along[TEM_POTENTIALS][2];
    int n, signal;
    struct conductor *conductor; /* [n + 1] */
};

/* Of the edge that begins at a node, along b (0) or c: its length, that of the dual edge across it, m; the difference
 * of a potential, V. */
double tem_edge_length(const struct tem_work *w, int node, int which);
double tem_dual_length(const struct tem_work *w, int node, int which);
double tem_difference(const struct tem_work *w, int node, int which, int of);

/* tem_cutoff.c: the lowest frequency of another mode, Hz; 0: not known. Errors: SF_MEMORY. */
int tem_cutoff(const struct tem_work *w, double *frequency);
