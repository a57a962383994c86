/* A barrier of a team of threads that spins briefly and then gives its core away.
 *
 * Windows are short, so a barrier must cost a fraction of a microsecond when every thread has a core; on a machine
 * shared with others it must not burn the core that the last thread of the team is waiting for. There,
 * OMP_WAIT_POLICY=passive says not to spin at all, as it does to OpenMP.
 *
 * A barrier also tells how long its team was held up: what remains, once half of the threads are there and have spun,
 * until the last one comes. Threads that have nothing to do in a window come first, and shares that differ a little are
 * less than a spin. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/seconds.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <strings.h>

enum { BARRIER_SPINS = 4000 }; /* 20 to 130 us: longer than threads of one window differ when each has a core */

struct barrier {
    int spins, threads;
    atomic_int waiting;
    atomic_uint phase;
    atomic_long late; /* ns that the team was held up, so far */
};

static inline int barrier_spins(void)
{
    const char *policy = getenv("OMP_WAIT_POLICY");
    return policy && !strcasecmp(policy, "passive") ? 0 : BARRIER_SPINS;
}

static inline void barrier_init(struct barrier *b, int threads)
{
    b->threads = threads;
    atomic_store(&b->waiting, 0);
}

/* Returns when all threads have called it; what each wrote before is seen by all. */
static inline void barrier_wait(struct barrier *b)
{
    if (b->threads == 1) return;
    const unsigned phase = atomic_load_explicit(&b->phase, memory_order_relaxed);
    const int before = atomic_fetch_add_explicit(&b->waiting, 1, memory_order_acq_rel),
              counts = before == (b->threads - 1) / 2;
    if (before + 1 == b->threads) {
        atomic_store_explicit(&b->waiting, 0, memory_order_relaxed);
        atomic_store_explicit(&b->phase, phase + 1, memory_order_release);
        return;
    }
    double since = 0;
    for (int n = 0; atomic_load_explicit(&b->phase, memory_order_acquire) == phase; n++)
        if (n >= b->spins) {
            if (counts && n == b->spins) since = seconds_now();
            sched_yield();
        }
#if defined(__x86_64__)
        else
            __builtin_ia32_pause();
#endif
    if (since > 0) atomic_fetch_add_explicit(&b->late, (long)((seconds_now() - since) * 1e9), memory_order_relaxed);
}

/* s that the team was held up, so far. */
static inline double barrier_late(const struct barrier *b)
{
    return 1e-9 * (double)atomic_load_explicit(&b->late, memory_order_relaxed);
}
