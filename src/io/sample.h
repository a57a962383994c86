/* Horizontal means and values at points, taken from the diagnostics of all ranks. The same bits for every cut of the
 * domain: a mean is summed in double along i, then over the global j; a probe is interpolated within rows by the ranks
 * that own them and between rows on rank 0. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/state.h"

/* A point between cell centres: cells (i, j, k) and the next ones, which weigh wi, wj, wk. Nearer to the edge of the
 * domain than the outermost centre the weight is 0. */
struct probe {
    double x, y, z; /* m */
    int i, j, k;
    double wi, wj, wk;
};

struct sample {
    const struct diagnostic **shown;
    int nshown;
    int profiles; /* are means wanted? */
    struct probe *probe;
    int nprobes;
    double *sum; /* [rows][nshown][nk]: along i; all rows on rank 0, own rows elsewhere */
    double *pick; /* [nprobes][2][nshown]: within rows j and j + 1; of each rank in turn on rank 0 */
    real *scratch; /* [threads][nk][ni] */
    size_t *bytes; /* [ranks] */
    int threads;
};

/* Complain of probes outside the domain. */
void sample_check(const struct grid *g, const struct config *c, int nprobes, struct complaints *to);

/* How many diagnostics have means and values at probes. */
int sample_shown(const struct instance *in);

/* Bytes on rank 0, which keeps the sums of all `rows` rows of the domain, or on a rank of so many. */
size_t sample_size(const struct instance *in, int rows, int ranks, int threads, int nprobes);

/* Shown are the diagnostics that the model chose and those that &output fields names. Probes are those of sample_check.
 * Errors: SF_MEMORY. */
int sample_init(struct sample *p, const struct instance *in, const struct state *st, int nprobes);
void sample_free(struct sample *p);

/* On rank 0: mean[nshown][nk] where profiles are wanted, point[nshown][nprobes]. Collective. Errors: SF_COMM. */
int sample_take(const struct sample *p, const struct state *st, double *mean, double *point);
