/* The directory of a benchmark, which goes when it ends or is stopped. SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include "pipeline/error.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOPS = sizeof stops / sizeof *stops };

/* A handler may do little: it wakes a thread that removes the directory and ends the process as the signal would
 * have. */
static struct {
    sem_t wake;
    volatile sig_atomic_t signal; /* that came, 0: none */
    pthread_t thread;
    struct sigaction before[STOPS];
    int is_on;
} guard;

static void signal_caught(int number)
{
    const int error = errno;
    guard.signal = number;
    sem_post(&guard.wake);
    errno = error;
}

/* Not those that are ignored, as under nohup. */
static void handlers_begin(void)
{
    struct sigaction action = {.sa_handler = signal_caught, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int n = 0; n < STOPS; n++) {
        sigaction(stops[n], NULL, &guard.before[n]);
        if (guard.before[n].sa_handler != SIG_IGN) sigaction(stops[n], &action, NULL);
    }
}

/* How: SIG_BLOCK, SIG_UNBLOCK. What comes meanwhile is delivered then. */
static void stops_mask(int how)
{
    sigset_t set;
    sigemptyset(&set);
    for (int n = 0; n < STOPS; n++) sigaddset(&set, stops[n]);
    pthread_sigmask(how, &set, NULL);
}

static void empty_and_remove(const char *directory)
{
    char path[BENCH_PATH + 300];
    DIR *d = opendir(directory);
    if (!d) return;
    for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
        snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
        if (e->d_name[0] != '.') unlink(path);
    }
    closedir(d);
    rmdir(directory);
}

static void *guard_run(void *directory)
{
    stops_mask(SIG_UNBLOCK);
    while (sem_wait(&guard.wake)) {} /* a signal was handled here */
    const int number = guard.signal;
    if (!number) return NULL;
    empty_and_remove(directory);
    signal(number, SIG_DFL);
    kill(getpid(), number);
    return NULL;
}

static int guard_begin(struct bench *b)
{
    guard.signal = 0;
    SF_CHECK(!sem_init(&guard.wake, 0, 0) && !pthread_create(&guard.thread, NULL, guard_run, b->dir), SF_INTERNAL,
             "no thread can be made that looks after %s", b->dir);
    guard.is_on = 1;
    handlers_begin();
    return SF_OK;
}

static void guard_end(void)
{
    if (!guard.is_on) return;
    for (int n = 0; n < STOPS; n++) sigaction(stops[n], &guard.before[n], NULL);
    sem_post(&guard.wake);
    pthread_join(guard.thread, NULL);
    sem_destroy(&guard.wake);
    guard.is_on = 0;
}

static int directory_make(struct bench *b)
{
    const char *tmp = getenv("TMPDIR");
    const int n = snprintf(b->dir, sizeof b->dir, "%s/sferic-bench-XXXXXX", tmp && tmp[0] ? tmp : "/tmp");
    SF_CHECK(n > 0 && (size_t)n < sizeof b->dir, SF_USAGE, "the path of TMPDIR is too long");
    if (!mkdtemp(b->dir)) {
        b->dir[0] = '\0';
        SF_FAIL(SF_IO, "no directory for the benchmark can be made in %s: set TMPDIR", tmp && tmp[0] ? tmp : "/tmp");
    }
    return guard_begin(b);
}

int bench_directory_make(struct bench *b)
{
    stops_mask(SIG_BLOCK);
    const int rc = directory_make(b);
    stops_mask(SIG_UNBLOCK);
    SF_TRY(rc);
    snprintf(b->path, sizeof b->path, "%s/bench.nml", b->dir);
    FILE *f = fopen(b->path, "wxe");
    SF_CHECK(f, SF_IO, "%s cannot be written", b->path);
    fprintf(f, "&case name = 'bench' /\n&grid dx = 1000, dy = 1000 /\n&time duration = 1e9 /\n"
               "&base profile = 'constant_n' /\n&dynamics small_steps = 6 /\n"
               "&initial shape = 'cosine_squared', amplitude = 3, z = 2000, radius_x = 8000, radius_y = 8000,\n"
               "    radius_z = 1500, noise = 0.5, noise_top = 3000 /\n");
    const int bad = ferror(f), unclosed = fclose(f);
    SF_CHECK(!bad && !unclosed, SF_IO, "%s cannot be written", b->path);
    return SF_OK;
}

void bench_directory_remove(struct bench *b)
{
    if (b->dir[0]) empty_and_remove(b->dir);
    guard_end();
}
