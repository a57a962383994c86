/* The schedule of streamed slabs, and what came of it. SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>

#include "command/machine.h"
#include "pipeline/engine.h"

/* Before a run: slabs, rows, steps of a pass, skew, bytes each way, the least time of each lane and which of them
 * binds. Nothing where one slab stays. mean: steps of its passes in the mean. */
void schedule_print(FILE *to, const struct engine *e, const struct machine *m, double mean);

/* s that lanes were busy, of this rank, and the share of transfers hidden behind computing: (in + compute + out - wall)
 * / (in + compute
 * + out - the longest of them). */
struct schedule_lanes {
    double in, compute, out, wall, hidden;
};
struct schedule_lanes schedule_lanes(const struct engine *e);
struct schedule_lanes schedule_lanes_since(const struct engine *e, const struct schedule_lanes *before);

/* After it, of rank 0: the share of transfers hidden behind computing, (in + compute + out - wall) / (in + compute +
 * out - the longest of them), bytes beside the plan's, and the share of the speed of the kernels alone. */
void schedule_print_run(const struct engine *e, long steps);
