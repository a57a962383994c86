/* A thread that counts, and looks whether others do. SPDX-License-Identifier: MIT */
#include "pipeline/heartbeat.h"

#include "pipeline/error.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct watched {
    unsigned beats;
    int missed;
};

static struct {
    struct heart *heart;
    struct watched *watched;
    int n, mine, runs, ends;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t end;
} watch;

/* At once and without the main thread, which may be waiting for the lost rank inside the MPI library. */
static void job_end(const struct heart *h)
{
    dprintf(STDERR_FILENO, "sferic: error: rank %d (process %d) has not run for %d s: this job cannot go on\n", h->rank,
            h->pid, HEARTBEAT_MS * HEARTBEAT_MISSED / 1000);
    _exit(SF_COMM);
}

static void others_look(void)
{
    for (int n = 0; n < watch.n; n++) {
        const unsigned beats = atomic_load(&watch.heart[n].beats);
        struct watched *w = &watch.watched[n];
        w->missed = n != watch.mine && beats && beats == w->beats ? w->missed + 1 : 0;
        w->beats = beats;
        if (w->missed >= HEARTBEAT_MISSED) job_end(&watch.heart[n]);
    }
}

static void beat(void)
{
    atomic_uint *own = &watch.heart[watch.mine].beats;
    if (atomic_fetch_add(own, 1) + 1 == 0) atomic_store(own, 1);
}

/* 1 when it is time to end. */
static int pause_taken(void)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += HEARTBEAT_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&watch.lock);
    while (!watch.ends && !pthread_cond_timedwait(&watch.end, &watch.lock, &until)) {}
    const int ends = watch.ends;
    pthread_mutex_unlock(&watch.lock);
    return ends;
}

static void *watch_run(void *none)
{
    while (!pause_taken()) {
        beat();
        others_look();
    }
    return none;
}

/* Signals go to the main thread. */
static int thread_start(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int rc = pthread_create(&watch.thread, NULL, watch_run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

int heartbeat_begin(struct heart *heart, int n, int mine, int rank)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    watch.heart = heart;
    watch.n = n;
    watch.mine = mine;
    watch.ends = 0;
    watch.watched = calloc((size_t)n, sizeof *watch.watched);
    SF_CHECK(watch.watched, SF_MEMORY, "no memory to watch %d ranks", n);
    pthread_mutex_init(&watch.lock, NULL);
    pthread_cond_init(&watch.end, &monotonic);
    pthread_condattr_destroy(&monotonic);
    heart[mine].rank = rank;
    heart[mine].pid = (int)getpid();
    beat(); /* watched from now on */
    watch.runs = !thread_start();
    if (!watch.runs) free(watch.watched);
    SF_CHECK(watch.runs, SF_MEMORY, "no thread to watch the other ranks");
    return SF_OK;
}

void heartbeat_end(void)
{
    if (!watch.runs) return;
    pthread_mutex_lock(&watch.lock);
    watch.ends = 1;
    pthread_cond_signal(&watch.end);
    pthread_mutex_unlock(&watch.lock);
    pthread_join(watch.thread, NULL);
    atomic_store(&watch.heart[watch.mine].beats, 0);
    pthread_cond_destroy(&watch.end);
    pthread_mutex_destroy(&watch.lock);
    free(watch.watched);
    watch.runs = 0;
}
