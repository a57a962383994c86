/* How many threads a rank computes with. Nobody else asks OpenMP or the environment, and every parallel region names
 * its number of threads: so `&pipeline threads` holds for sweeps, sums, set-up and output alike.
 *
 * The number comes from, in this order: `&pipeline threads`; OMP_NUM_THREADS; the cores of the machine, shared by the
 * ranks that are on it. Where nothing was asked for, a thread has THREAD_POINTS points at least. What was asked for is
 * cut to THREADS_A_CORE for every core that the process may run on. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/comm.h"

enum {
    THREADS_MOST = 1024,
    THREAD_POINTS = 8192, /* fewest points worth a thread: about ten times the cost of a barrier */
    THREADS_A_CORE =
        4 /* at most: threads that share a core wait for each other, and 1024 of them on two cores hardly get on */
};

/* Threads that are taken at most, whoever asks: THREADS_A_CORE for every core that the process may run on, and no more
 * than THREADS_MOST. */
int threads_most(void);

/* OMP_NUM_THREADS, at most threads_most(), or the cores that this rank may take. c NULL: it is alone. */
int threads_available(const struct comm *c);

/* For a rank with so many points; `asked` is what the namelist says, 0: nothing. At least 1, at most threads_most(). */
int threads_for(int asked, double points, const struct comm *c);

/* What threads_for said last, 1 before: for memory, which is cleared before anyone knows whose it is. */
int threads_decided(void);

/* Cores of the machine that others leave free at this moment, for each of its ranks, which may have so many threads;
 * negative where the system does not tell, or tells of cores that this process may not run on. It reads a file, about
 * 10 us, and where something else runs one more for each thread of the process. */
int threads_cores_free(int threads, const struct comm *c);

/* Ends OpenMP's threads, which spin for some 10 ms behind a parallel region, in case there is another; the next one
 * makes them anew (50 us). Outside of parallel regions. */
void threads_rest(void);

/* Into text what is doubtful about the number asked for, by the namelist or by OMP_NUM_THREADS; empty when nothing
 * is. */
void threads_doubt(int asked, char *text, unsigned long size);
