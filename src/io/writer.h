/* The writer: one thread that runs jobs in the order they were given, so that the model goes on computing while files
 * are written. A job holds the library (library.h).
 *
 * A job that fails stops the writer: later jobs are released without being run, and every later submit, check and
 * drain returns the first failure, told on the thread that asks. SPDX-License-Identifier: MIT */
#pragma once

#include "io/library.h"
#include "pipeline/error.h"

struct writer;

/* Start the thread. It takes no signals. Errors: SF_MEMORY. */
int writer_open(struct writer **w);

/* Queue `job(arg)`; `release(arg)` (may be NULL) follows on the writer's thread whether the job was run or not, and
 * before this call returns when it returns an error. Waits while the queue is full. Errors: those of earlier jobs. */
int writer_submit(struct writer *w, int (*job)(void *), void *arg, void (*release)(void *));

/* The failure of an earlier job, SF_OK when there is none. */
int writer_check(struct writer *w);

/* Wait until all jobs have been run and released. Errors: those of earlier jobs. */
int writer_drain(struct writer *w);

/* Drain, end the thread, free. NULL is allowed. Errors: those of earlier jobs. */
int writer_close(struct writer **w);

/* sf_fail and sf_trace for code that runs in a job or on the main thread: in a job the message stays with the
 * writer. */
int io_fail(int code, const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
int io_trace(int code, const char *file, int line, const char *call);
/* Forget a failure that is none after all. */
void io_clear(void);

#define IO_CHECK(cond, code, ...)                                                                                      \
    do {                                                                                                               \
        if (!(cond)) return io_fail(code, __FILE__, __LINE__, __VA_ARGS__);                                            \
    } while (0)
#define IO_TRY(call)                                                                                                   \
    do {                                                                                                               \
        const int io_rc_ = (call);                                                                                     \
        if (io_rc_) return io_trace(io_rc_, __FILE__, __LINE__, #call);                                                \
    } while (0)
