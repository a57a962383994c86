/* The timeline of a run: what every rank did when, as a file that trace viewers open (ui.perfetto.dev,
 * chrome://tracing) and sferic-plot draws. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/comm.h"
#include "pipeline/span.h"

#include <stddef.h>

/* Can one be written there? Leaves nothing behind. Errors: SF_IO, SF_MEMORY. */
int timeline_check(const char *path);

/* Write the n spans of this rank and those of all others as `path`, a whole file or none: JSON in Chrome's Trace Event
 * Format, a process for each rank, a thread for each lane. Times count from the earliest span of all ranks, in us to
 * the ns; spans lie in the file by rank, then as they were given. Clocks of several machines are brought together at
 * this call, to what a barrier takes. A span is left out when its times are no numbers or it is of no lane.
 *
 * Collective. Rank 0 holds some 16,000 spans at a time, however many there are.
 * Errors, the same on all ranks: SF_IO, SF_MEMORY, SF_COMM. */
int timeline_write(const char *path, const struct comm *c, const struct span *span, size_t n);
