/* Sums and maxima over the domain with the same bits for every cut: partial results of whole rows, combined in an order
 * that depends on the number of rows alone. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/state.h"

/* out: what row j (an own row, 0 <= j < ny) contributes. Called by several threads at once, each with its own row. */
typedef void reduce_row(const struct state *st, int j, double *out, void *ctx);

/* The sum of n numbers by pairs, in a fixed order; 0 for none. For use inside a row. */
double reduce_tree(const double *x, int n);

/* out[sums + maxima] on all ranks: of the first numbers that rows give the sums, of those behind them the largest. Collective. Errors:
 * SF_MEMORY, SF_COMM. */
int reduce_rows(const struct comm *c, const struct state *st, int sums, int maxima, reduce_row *row, void *ctx, double *out);
