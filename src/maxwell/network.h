/* Potentials of a plane network of conductances, as the cross-section of a line is one (tem.h).
 *
 * Nodes lie in lines of `wide`; each is joined to its neighbours. Where a node is not held its current is given,
 *
 *     sum over neighbours of g (x - x_neighbour) = current
 *
 * Conjugate gradients with an incomplete factorisation that keeps the sums of rows (Gustafsson 1978, BIT 18, 142), in
 * double, by one thread in a fixed order: the same bits everywhere. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

struct network {
    int wide, lines;
    double *along[2]; /* [node]: conductance to the next node of its line, and to that of the next line; 0: none,
                         as where there is no such node */
    unsigned char *held; /* [node]: 1: its potential is given */
    double *x; /* [node]: potential */
    const double *current; /* [node]; NULL: none */
};

/* Errors: SF_MEMORY; SF_INTERNAL where it does not converge. Some node is held; nodes that nothing is joined to are 0.
 */
int network_solve(struct network *n);

/* What flows out of a node into its neighbours. */
double network_current(const struct network *n, int node);
