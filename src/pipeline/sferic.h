/* All that a formula may know: numbers, a slab, a box, and the arithmetic that has the same bits everywhere.
 *
 * Order in memory is [j][k][i]: i (x, west-east) fastest, k (z, up) next, j (y, south-north) slowest. A row is one j:
 * a whole west-east by vertical cross-section. Indices are global and ranges are half open.
 *
 * Only + - * /, sqrt, fabs, sf_fma and the functions of sfmath.h may enter the state; minimum and maximum are written
 * with `<`, mirror pairs are added first, (a + c) - 2 b, and no sf_fma spans a pair.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

#ifndef SF_PREC
#define SF_PREC 32
#endif

#if SF_PREC == 64
typedef double real;
#define R(x) x
#define sf_fma(a, b, c) __builtin_fma(a, b, c)
#define sf_sqrt(x) __builtin_sqrt(x)
#define sf_abs(x) __builtin_fabs(x)
#else
typedef float real;
#define R(x) x##f
#define sf_fma(a, b, c) __builtin_fmaf(a, b, c)
#define sf_sqrt(x) __builtin_sqrtf(x)
#define sf_abs(x) __builtin_fabsf(x)
#endif

/* A formula is a function of values: inlined in the CPU loop and in every kernel. */
#ifdef __CUDACC__
#define SF_FORMULA static inline __host__ __device__
#else
#define SF_FORMULA static inline __attribute__((always_inline))
#endif

/* x as a `real` has it. gcc 12 leaves the rounding of (double)(real)x out where it takes two of them as lanes. */
static inline double sf_rounded(double x)
{
    volatile const real y = (real)x;
    return (double)y;
}

#ifdef __cplusplus
#define restrict __restrict__
#endif

#define SF_MIN(a, b) ((a) < (b) ? (a) : (b))
#define SF_MAX(a, b) ((a) > (b) ? (a) : (b))

/* Zero in place of a magnitude that no product of two could keep normal. A disturbance that spreads into still air has
 * such a front, and arithmetic on denormal numbers is a hundred times slower on many processors. */
#if SF_PREC == 64
#define SF_FAINT 1e-120
#else
#define SF_FAINT 1e-16f
#endif
SF_FORMULA real sf_audible(real x) { return sf_abs(x) < SF_FAINT ? R(0.0) : x; }

/* 1 / x, to the nearest, for magnitudes from 2^-125 to 2^125: without the branch for all others that a GPU's division
 * has, which costs as much again where one waits for another. Of 0 and infinity a GPU makes NaN. */
SF_FORMULA real sf_reciprocal(real x)
{
#if defined __CUDA_ARCH__ && SF_PREC == 32
    real r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return sf_fma(r, sf_fma(-x, r, R(1.0)), r);
#else
    return R(1.0) / x;
#endif
}

/* Fields with their second banks; those that stages may change, of a family the first member alone. Every launch of a
 * kernel takes a slab along, 3.6 KiB; with what else it takes, in 64 bits more than the 4 KiB that CUDA before 12.1
 * passes. */
enum { SF_MAX_FIELDS = 292, SF_MAX_CHANGED = 162 };

/* Rows j0 .. j0 + rows - 1 of every field. f[n] points at element (i 0, k 0) of row j0; ghost columns and levels lie at
 * negative i and k and beyond ni and nk. Element (j, k, i) of a full field: f[n][(j - j0) sj + k sk + i]; of a level
 * profile: f[n][k]; of a map: f[n][(j - j0) sm + i]. A stage finds NULL where it declared no access, and the member of
 * a family that it works on where the first one would be. A field with two banks is read at f[n] and written at w[n];
 * for all others, and where it is updated, the two are the same. */
struct slab {
    real *f[SF_MAX_FIELDS], *w[SF_MAX_CHANGED];
    ptrdiff_t sk, sj, sm;
    int ni, nk, nj; /* global extents */
    int j0, rows;
};

/* The units to compute: half open, global. */
struct box {
    int i0, i1, k0, k1, j0, j1;
};

/* What two boxes have in common; it may be empty. */
static inline struct box box_common(struct box a, struct box b)
{
    a.i0 = SF_MAX(a.i0, b.i0), a.k0 = SF_MAX(a.k0, b.k0), a.j0 = SF_MAX(a.j0, b.j0);
    a.i1 = SF_MIN(a.i1, b.i1), a.k1 = SF_MIN(a.k1, b.k1), a.j1 = SF_MIN(a.j1, b.j1);
    return a;
}

static inline int box_is_empty(struct box b) { return b.i0 >= b.i1 || b.k0 >= b.k1 || b.j0 >= b.j1; }

#include "pipeline/sfmath.h"
#include "pipeline/sfquick.h"
