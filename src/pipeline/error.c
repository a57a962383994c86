/* Keeps the message and the trace of the one failure that ends a run. SPDX-License-Identifier: MIT */
#include "pipeline/error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* One failure for all threads, since main tells what the writer's thread met; the lock keeps a message and a line
 * whole. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[2048];
static char trace[4096];
static int log_rank, log_quiet;
static atomic_int warnings;
static _Thread_local int is_muted;

static void trace_add(const char *file, int line, const char *what)
{
    const size_t used = strlen(trace);
    const char *name = strrchr(file, '/');
    snprintf(trace + used, sizeof trace - used, "  at %s:%d %s\n", name ? name + 1 : file, line, what);
}

int sf_fail(int code, const char *file, int line, const char *fmt, ...)
{
    if (is_muted) return code;
    pthread_mutex_lock(&lock);
    if (!text[0]) {
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(text, sizeof text, fmt, ap);
        va_end(ap);
    }
    trace_add(file, line, "");
    pthread_mutex_unlock(&lock);
    return code;
}

int sf_trace(int code, const char *file, int line, const char *call)
{
    if (is_muted) return code;
    pthread_mutex_lock(&lock);
    trace_add(file, line, call);
    pthread_mutex_unlock(&lock);
    return code;
}

void sf_error_mute(int is) { is_muted = is; }

const char *sf_error_text(void) { return text; }
const char *sf_error_trace(void) { return trace; }

void sf_error_clear(void)
{
    pthread_mutex_lock(&lock);
    text[0] = trace[0] = '\0';
    pthread_mutex_unlock(&lock);
}

void sf_log_setup(int rank, int quiet)
{
    log_rank = rank;
    log_quiet = quiet;
}

static void log_line(const char *label, const char *fmt, va_list ap)
{
    char line[2048];
    vsnprintf(line, sizeof line, fmt, ap);
    fprintf(stderr, "sferic: %s%s\n", label, line);
}

void sf_warn(const char *fmt, ...)
{
    if (log_rank != 0) return;
    sf_warnings_add(1);
    va_list ap;
    va_start(ap, fmt);
    log_line("warning: ", fmt, ap);
    va_end(ap);
}

void sf_note(const char *fmt, ...)
{
    if (log_rank != 0 || log_quiet) return;
    va_list ap;
    va_start(ap, fmt);
    log_line("", fmt, ap);
    va_end(ap);
}

int sf_warnings(void) { return atomic_load(&warnings); }
void sf_warnings_add(int n) { atomic_fetch_add(&warnings, n); }
