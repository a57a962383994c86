/* What the machine of a run can do at most: its ceilings, measured once in a fraction of a second and then remembered
 * (cache.h). SPDX-License-Identifier: MIT */
#pragma once

#include "command/ceilings.h"
#include "pipeline/comm.h"

/* Of all ranks together, per second. 0: not known. */
struct machine {
    const struct backend *backend;
    double memory; /* bytes read and written */
    double cache; /* the same in the second-level cache */
    double fma; /* flop */
    double issue; /* instructions of threads, of a GPU */
};

/* By `threads` threads a rank, or on the GPU of each. Without memory to measure in nothing is known. Collective.
 * Errors: SF_GPU, SF_COMM. */
int machine_know(struct machine *m, const struct comm *c, const struct backend *backend, int threads);

/* From rates [CEILINGS] that were measured with more care: remembered in place of others for this rank alone. */
void machine_learn(struct machine *m, const struct backend *backend, int threads, const double *rate);
