/* A queue, a thread, and the first failure. SPDX-License-Identifier: MIT */
#include "io/writer.h"

#include "io/nc.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS = 64, TEXT = 2048 };

struct job {
    int (*run)(void *);
    void *arg;
    void (*release)(void *);
};

struct writer {
    pthread_t thread;
    pthread_mutex_t lock; /* guards all that follows */
    pthread_cond_t changed; /* a job came or went, or the end is near */
    struct job job[JOBS]; /* a ring; the first one is under way */
    int first, count, stop;
    int code; /* of the first failure */
    char text[TEXT];
};

/* The writer whose thread this is, NULL on every other thread. */
static _Thread_local struct writer *here;

int io_fail(int code, const char *file, int line, const char *fmt, ...)
{
    char text[TEXT];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!here) return sf_fail(code, file, line, "%s", text);
    pthread_mutex_lock(&here->lock);
    if (!here->text[0]) memcpy(here->text, text, sizeof text);
    pthread_mutex_unlock(&here->lock);
    return code;
}

int io_trace(int code, const char *file, int line, const char *call)
{
    return here ? code : sf_trace(code, file, line, call);
}

void io_clear(void)
{
    if (!here) {
        sf_error_clear();
        return;
    }
    pthread_mutex_lock(&here->lock);
    here->text[0] = '\0'; /* of the job under way: where an earlier one had failed, it would not be run */
    pthread_mutex_unlock(&here->lock);
}

static int job_run(const struct job *j)
{
    LIBRARY_HELD;
    return j->run(j->arg);
}

static void *writer_main(void *arg)
{
    struct writer *w = here = arg;
    ncfile_quiet();
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (!w->count && !w->stop) pthread_cond_wait(&w->changed, &w->lock);
        if (!w->count) break;
        const struct job j = w->job[w->first];
        const int failed = w->code;
        pthread_mutex_unlock(&w->lock);
        const int rc = failed ? SF_OK : job_run(&j);
        pthread_mutex_lock(&w->lock);
        if (rc && !w->code) w->code = rc;
        pthread_mutex_unlock(&w->lock);
        if (j.release) j.release(j.arg);
        pthread_mutex_lock(&w->lock);
        w->first = (w->first + 1) % JOBS;
        w->count--;
        pthread_cond_broadcast(&w->changed);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

int writer_open(struct writer **out)
{
    struct writer *w = calloc(1, sizeof *w);
    SF_CHECK(w, SF_MEMORY, "no memory for the writer");
    ncfile_quiet();
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int rc = pthread_create(&w->thread, NULL, writer_main, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc) free(w);
    SF_CHECK(!rc, SF_MEMORY, "cannot start the writer's thread: %s", strerror(rc));
    *out = w;
    return SF_OK;
}

/* The failure so far; the lock is held. */
static int failure(const struct writer *w)
{
    if (!w->code) return SF_OK;
    return sf_fail(w->code, __FILE__, __LINE__, "%s", w->text[0] ? w->text : "writing failed for an unknown reason");
}

int writer_submit(struct writer *w, int (*job)(void *), void *arg, void (*release)(void *))
{
    pthread_mutex_lock(&w->lock);
    while (w->count == JOBS && !w->code) pthread_cond_wait(&w->changed, &w->lock);
    const int rc = failure(w);
    if (!rc) {
        w->job[(w->first + w->count) % JOBS] = (struct job){job, arg, release};
        w->count++;
        pthread_cond_broadcast(&w->changed);
    }
    pthread_mutex_unlock(&w->lock);
    if (rc && release) release(arg);
    return rc;
}

int writer_check(struct writer *w)
{
    pthread_mutex_lock(&w->lock);
    const int rc = failure(w);
    pthread_mutex_unlock(&w->lock);
    return rc;
}

static int jobs_can_run(void)
{
    SF_CHECK(!library_is_held(), SF_INTERNAL, "jobs of the writer wait for this thread to let netCDF go");
    return SF_OK;
}

int writer_drain(struct writer *w)
{
    SF_TRY(jobs_can_run());
    pthread_mutex_lock(&w->lock);
    while (w->count) pthread_cond_wait(&w->changed, &w->lock);
    const int rc = failure(w);
    pthread_mutex_unlock(&w->lock);
    return rc;
}

int writer_close(struct writer **at)
{
    struct writer *w = *at;
    if (!w) return SF_OK;
    SF_TRY(jobs_can_run());
    const int rc = writer_drain(w);
    pthread_mutex_lock(&w->lock);
    w->stop = 1;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
    *at = NULL;
    return rc;
}
