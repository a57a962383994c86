/* Ranks of one machine watch over each other: a process that does not run any more ends the job.
 *
 * A thread of every rank counts in memory that all ranks of the machine share, twice a second and whatever the rank is
 * busy with, and looks at the others' counts. When one stands still for many of the watcher's own beats, its process
 * was stopped or starved; the others would wait for it for ever. Slow ranks go on counting, and ranks that are stopped
 * together stop watching together. Not seen: a rank that is alone on its machine, and one that computes without end.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stdatomic.h>

enum { HEARTBEAT_MS = 500, HEARTBEAT_MISSED = 12 };

/* One rank's place in the shared memory, zero before it begins. Zero beats: not watched, not yet or no more. */
struct heart {
    _Alignas(64) atomic_uint beats;
    int rank, pid;
};

/* `heart` holds n, of which this process is number `mine`; it stays until heartbeat_end. The process ends with the code
 * SF_COMM and a line on stderr when one of the others has missed HEARTBEAT_MISSED beats. Errors: SF_MEMORY, no
 * thread. */
int heartbeat_begin(struct heart *heart, int n, int mine, int rank);
void heartbeat_end(void);
