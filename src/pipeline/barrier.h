/* A barrier of a team of threads that spins briefly and then sleeps.
 *
 * Windows are short, so a barrier must cost a fraction of a microsecond when every thread has a core; on a machine shared with others
 * it must not burn the core that the last thread of the team is waiting for, so a thread that has waited for longer sleeps until it is
 * woken (Linux: futex; elsewhere it yields). How long it spins adapts: a wait that ended in sleep halves it, one that did not lets it
 * grow again. OMP_WAIT_POLICY=passive says not to spin at all, as it does to OpenMP. SPDX-License-Identifier: MIT */
#pragma once

#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <strings.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum {
    BARRIER_SPINS = 4000,     /* 20 to 130 us: longer than threads of one window differ when each has a core */
    BARRIER_SPINS_LEAST = 500 /* where threads keep sleeping: as long as to sleep and be woken takes, so at most twice what the better of both would */
};

struct barrier {
    int spins;           /* at most */
    atomic_int now;      /* of the next wait */
    atomic_int threads;
    atomic_int waiting, sleeping;
    atomic_uint phase;
};

static inline int barrier_spins(void)
{
    const char *policy = getenv("OMP_WAIT_POLICY");
    return policy && !strcasecmp(policy, "passive") ? 0 : BARRIER_SPINS;
}

/* Every thread of a team may say how many they are, before it waits for the first time; all say the same. Nobody waits meanwhile. */
static inline void barrier_init(struct barrier *b, int threads) { atomic_store_explicit(&b->threads, threads, memory_order_relaxed); }

static inline void barrier_sleep(struct barrier *b, unsigned phase)
{
#ifdef __linux__
    atomic_fetch_add(&b->sleeping, 1);
    while (atomic_load(&b->phase) == phase) syscall(SYS_futex, &b->phase, FUTEX_WAIT_PRIVATE, phase, NULL, NULL, 0);
    atomic_fetch_sub(&b->sleeping, 1);
#else
    while (atomic_load(&b->phase) == phase) sched_yield();
#endif
}

static inline void barrier_open(struct barrier *b, unsigned phase)
{
    atomic_store_explicit(&b->waiting, 0, memory_order_relaxed);
    atomic_store(&b->phase, phase + 1); /* in one order with the count of sleepers: each of both sees the other */
#ifdef __linux__
    if (atomic_load(&b->sleeping)) syscall(SYS_futex, &b->phase, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
#endif
}

/* Returns when all threads have called it; what each wrote before is seen by all. */
static inline void barrier_wait(struct barrier *b)
{
    const int threads = atomic_load_explicit(&b->threads, memory_order_relaxed);
    if (threads == 1) return;
    const unsigned phase = atomic_load_explicit(&b->phase, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&b->waiting, 1, memory_order_acq_rel) + 1 == threads) {
        barrier_open(b, phase);
        return;
    }
    const int spins = b->spins ? atomic_load_explicit(&b->now, memory_order_relaxed) : 0, most = spins ? spins : b->spins;
    for (int n = 0; n < most; n++) {
        if (atomic_load_explicit(&b->phase, memory_order_acquire) != phase) {
            const int more = most + most / 8 + 1;
            if (most < b->spins) atomic_store_explicit(&b->now, more < b->spins ? more : b->spins, memory_order_relaxed);
            return;
        }
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    if (most) atomic_store_explicit(&b->now, most / 2 > BARRIER_SPINS_LEAST ? most / 2 : BARRIER_SPINS_LEAST, memory_order_relaxed);
    barrier_sleep(b, phase);
}
