/* Systems of columns side by side in shared memory, and the warp that solves them: of kernels by hand and of those that
 * are made.
 *
 * An equation of a column takes four numbers, each WIDE columns behind the one before:
 *
 *     before x[n-1] + here x[n] + after x[n+1] = right
 *
 * Where it was solved x lies in place of `right`, and of `after` the ratio by which x[n+1] enters.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/tridiagonal.h"

struct column_equation {
    real before, here, after, right;
};

#ifdef __cplusplus
#include "pipeline/launch.h"

__device__ static inline void column_equation_put(real *at, int wide, const struct column_equation &e)
{
    at[0] = e.before, at[wide] = e.here, at[2 * wide] = e.after, at[3 * wide] = e.right;
}

__device__ static inline struct column_equation column_equation_get(const real *at, int wide)
{
    return {at[0], at[wide], at[2 * wide], at[3 * wide]};
}

/* Where an equation's solution lies. */
__device__ static inline const real *column_found(const real *at, int wide) { return at + 3 * wide; }

/* Up and down a thread's column, whose equations lie LEVEL numbers apart. Some are fetched together, before those at
 * hand are solved: nothing but the elimination itself is waited for. `levels` are even in number; of those beyond the
 * last of a column x is 0. */
template <int LEVEL, int WIDE> __device__ static inline void column_solve(real *of, int levels)
{
    enum { AHEAD = 2 };
    struct column_equation next[AHEAD];
    real ratio = R(0.0), value = R(0.0);
    for (int m = 0; m < AHEAD; m++) next[m] = column_equation_get(of + m * LEVEL, WIDE);
    for (int k = 0; k < levels; k += AHEAD) {
        struct column_equation now[AHEAD];
        for (int m = 0; m < AHEAD; m++) {
            now[m] = next[m];
            if (k + AHEAD < levels) next[m] = column_equation_get(of + (k + AHEAD + m) * LEVEL, WIDE);
        }
        for (int m = 0; m < AHEAD; m++) {
            const struct tridiagonal t =
                tridiagonal_eliminate(now[m].before, now[m].here, now[m].after, now[m].right, ratio, value);
            ratio = t.ratio, value = t.value;
            of[(k + m) * LEVEL + 2 * WIDE] = ratio, of[(k + m) * LEVEL + 3 * WIDE] = value;
        }
    }
    struct tridiagonal below[AHEAD];
    for (int m = 0; m < AHEAD; m++)
        below[m] = {of[(levels - 1 - m) * LEVEL + 2 * WIDE], of[(levels - 1 - m) * LEVEL + 3 * WIDE]};
    real x = R(0.0);
    for (int k = levels - 1; k >= 0; k -= AHEAD) {
        struct tridiagonal now[AHEAD];
        for (int m = 0; m < AHEAD; m++) {
            now[m] = below[m];
            if (k - AHEAD >= 0)
                below[m] = {of[(k - AHEAD - m) * LEVEL + 2 * WIDE], of[(k - AHEAD - m) * LEVEL + 3 * WIDE]};
        }
        for (int m = 0; m < AHEAD; m++) {
            x = tridiagonal_solve(now[m].ratio, now[m].value, x);
            of[(k - m) * LEVEL + 3 * WIDE] = x;
        }
    }
}

#endif
