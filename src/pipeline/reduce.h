/* Sums and maxima over the domain with the same bits for every cut and on every device: partial results of whole rows,
 * combined in an order that depends on the number of rows alone.
 *
 * n numbers are added as a tree: n/2 of them and the other n - n/2 by themselves, and so on down to parts of at most
 * REDUCE_LEAF numbers, which are added one after the other. At one depth, parts differ by one number at most. Example:
 * 11 are 5 and 6, which are 2, 3, 3 and 3. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

enum { REDUCE_LEAF = 4 };

/* Numbers first .. first + n - 1. */
struct reduce_part {
    int first, n;
};

/* The depth from which on no part of n numbers is divided. */
SF_FORMULA int reduce_depth(int n)
{
    int depth = 0;
    for (int largest = n; largest > REDUCE_LEAF; largest -= largest / 2) depth++;
    return depth;
}

/* Part `number` of the 2^depth into which a part is divided; of one that is not divided as often, the first of the
 * parts that would come from it holds all, and the others are empty. */
SF_FORMULA struct reduce_part reduce_part(struct reduce_part of, int depth, int number)
{
    for (int bit = depth - 1; bit >= 0; bit--) {
        const int upper = number >> bit & 1, low = of.n > REDUCE_LEAF ? of.n / 2 : of.n;
        of.first += upper ? low : 0;
        of.n = upper ? of.n - low : low;
    }
    return of;
}

SF_FORMULA double reduce_larger(double a, double b) { return a > b ? a : b; }

struct comm;
struct instance;
struct state;

/* The sum of n numbers by that tree; 0 for none. For use inside a row. */
double reduce_tree(const double *x, int n);

/* out: what row j (an own row, 0 <= j < ny) contributes. Called by several threads at once, each with its own row. */
typedef void reduce_row(const struct state *st, int j, double *out, void *ctx);

/* The same of rows ja .. jb - 1 of a slab on a GPU, out[rows][sums + maxima]: puts kernels into `stream` and returns;
 * see reduce.cuh. `out` is a table (tables.h). */
typedef void reduce_launch(const struct slab *s, int ja, int jb, double *out, const void *ctx, void *stream);

struct reduction {
    int sums, maxima; /* of the numbers of a row: those to add, and behind them those of which the largest counts */
    reduce_row *row;
    reduce_launch *launch; /* NULL: there are no kernels */
    void *ctx;
};

/* out[sums + maxima] on all ranks. No maximum is a zero with a sign. Where a GPU is ahead of the host, and holds all
 * rows of its rank, kernels make the rows there, unless there are none; else the state is fetched. Collective. Errors:
 * SF_MEMORY, SF_COMM, SF_GPU. */
int reduce_rows(const struct comm *c, const struct state *st, const struct reduction *r, double *out);
