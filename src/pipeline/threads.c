/* How many threads a rank computes with. SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* CPU_COUNT */
#include "pipeline/threads.h"

#include "pipeline/sferic.h"

#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_max_threads(void) { return 1; }
#endif

/* Of the machine. */
static long cores(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? n : 1;
}

/* That the process may run on: a container, taskset or mpirun may leave it fewer. */
static long cores_allowed(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
#endif
    return cores();
}

int threads_most(void) { return (int)SF_MIN(THREADS_A_CORE * cores_allowed(), (long)THREADS_MOST); }

void threads_rest(void)
{
#if defined(_OPENMP) &&                                                                                                \
    (_OPENMP >= 201811 || __GNUC__ >= 9) /* gcc has it since 9, whatever it says of its version of OpenMP */
    omp_pause_resource(omp_pause_soft, omp_get_initial_device());
#endif
}

/* 1: the thread with this name in /proc/self/task runs, or waits for a core. */
static int task_runs(const char *name)
{
    char path[64], line[128] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", name);
    FILE *const f = fopen(path, "r");
    if (f && !fgets(line, sizeof line, f)) line[0] = '\0';
    if (f) fclose(f);
    const char *const behind = strrchr(line, ')'); /* a program's name may have blanks */
    return behind && behind[1] && behind[2] == 'R';
}

static int own_tasks_running(void)
{
    int n = 0;
    DIR *const all = opendir("/proc/self/task");
    for (const struct dirent *d; all && (d = readdir(all));) n += d->d_name[0] != '.' && task_runs(d->d_name);
    if (all) closedir(all);
    return n;
}

int threads_cores_free(int threads, const struct comm *c)
{
    int running = 0;
    if (cores_allowed() < cores()) return -1; /* of which others keep which busy is not told */
    FILE *const f = fopen("/proc/loadavg", "r"); /* three means, and how many tasks run or wait for a core */
    const int told = f && fscanf(f, "%*f %*f %*f %d/", &running) == 1 && running > 0;
    if (f) fclose(f);
    if (!told) return -1;
    const int ranks = c ? comm_locals(c) : 1;
    const int others = running > 1 ? running - SF_MAX(own_tasks_running(), 1) - (ranks - 1) * threads : 0;
    return SF_MAX((int)cores() - SF_MAX(others, 0), 0) / ranks;
}

int threads_available(const struct comm *c)
{
    /* Ranks of a machine that are bound to no cores see all of them. */
    const long most = getenv("OMP_NUM_THREADS") ? THREADS_MOST : SF_MAX(cores() / (c ? comm_locals(c) : 1), 1);
    return (int)SF_MIN((long)SF_MAX(omp_get_max_threads(), 1), SF_MIN(most, (long)threads_most()));
}

static int decided = 1;

int threads_for(int asked, double points, const struct comm *c)
{
    const int fed = points > 1e9 ? THREADS_MOST : SF_MAX(1, (int)(points / THREAD_POINTS));
    decided = asked > 0 ? SF_MIN(asked, threads_most()) : SF_MIN(threads_available(c), fed);
    return decided;
}

int threads_decided(void) { return decided; }

void threads_doubt(int asked, char *text, unsigned long size)
{
    const char *const given = getenv("OMP_NUM_THREADS");
    const long n = asked > 0 ? asked
                   : given   ? strtol(given, NULL, 10)
                             : 0,
               most = threads_most(), few = cores_allowed();
    text[0] = '\0';
    if (n > most)
        snprintf(text, size,
                 "%s = %ld, and this process may run on %ld core%s: %ld threads are taken, %d a core at most",
                 asked > 0 ? "threads" : "OMP_NUM_THREADS", n, few, few == 1 ? "" : "s", most, THREADS_A_CORE);
}
