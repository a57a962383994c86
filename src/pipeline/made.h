/* A value beyond a side that is given, or makes a gradient on the side: for the CPU and for kernels.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* Values of a field of any shape at global indices; beyond what it has (first .. last of each axis) stands the nearest
 * that it has. */
struct made_view {
    const real *at;
    ptrdiff_t origin, si, sk, sj;
    int i0, i1, k0, k1, j0, j1;
};

SF_FORMULA int made_held(int n, int first, int last) { return n < first ? first : n > last ? last : n; }

SF_FORMULA real made_look(const struct made_view *v, int j, int k, int i)
{
    return v->at[v->origin + made_held(j, v->j0, v->j1) * v->sj + made_held(k, v->k0, v->k1) * v->sk +
                 made_held(i, v->i0, v->i1) * v->si];
}

/* inside: the value that mirrors the ghost; along: from its place to the ghost's, m, up the axis more than 0;
 * gradient: up the axis, on the side. */
SF_FORMULA real made_by_gradient(real inside, real along, real gradient) { return sf_fma(along, gradient, inside); }
