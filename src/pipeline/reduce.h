/* Sums and maxima over the domain with the same bits for every cut: partial results of whole rows, combined in an order
 * that depends on the number of rows alone. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/state.h"

/* out[n]: what row j (an own row, 0 <= j < ny) contributes. Called by several threads at once, each with its own row. */
typedef void reduce_row(const struct state *st, int j, double *out, void *ctx);

/* The sum of n numbers by pairs, in a fixed order; 0 for none. For use inside a row. */
double reduce_tree(const double *x, int n);

/* out[n] on all ranks: the sums (the largest) of what the rows give. Collective. Errors: SF_MEMORY, SF_COMM. */
int reduce_sum(const struct comm *c, const struct state *st, int n, reduce_row *row, void *ctx, double *out);
int reduce_max(const struct comm *c, const struct state *st, int n, reduce_row *row, void *ctx, double *out);
