/* A barrier of a team of threads that spins briefly and then gives its core away.
 *
 * Windows are short, so a barrier must cost a fraction of a microsecond when every thread has a core; on a machine shared
 * with others it must not burn the core that the last thread of the team is waiting for. There, OMP_WAIT_POLICY=passive says
 * not to spin at all, as it does to OpenMP. SPDX-License-Identifier: MIT */
#pragma once

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <strings.h>

enum { BARRIER_SPINS = 4000 }; /* 20 to 130 us: longer than threads of one window differ when each has a core */

struct barrier {
    int spins, threads;
    atomic_int waiting;
    atomic_uint phase;
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
    if (atomic_fetch_add_explicit(&b->waiting, 1, memory_order_acq_rel) + 1 == b->threads) {
        atomic_store_explicit(&b->waiting, 0, memory_order_relaxed);
        atomic_store_explicit(&b->phase, phase + 1, memory_order_release);
        return;
    }
    for (int n = 0; atomic_load_explicit(&b->phase, memory_order_acquire) == phase; n++)
        if (n >= b->spins) sched_yield();
#if defined(__x86_64__)
        else __builtin_ia32_pause();
#endif
}
