/* How many threads a rank computes with. SPDX-License-Identifier: MIT */
#include "pipeline/threads.h"

#include "pipeline/sferic.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_max_threads(void) { return 1; }
#endif

static long cores(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? n : 1;
}

int threads_available(const struct comm *c)
{
    /* Ranks of a machine that are bound to no cores see all of them. */
    const long most = getenv("OMP_NUM_THREADS") ? THREADS_MOST : SF_MAX(cores() / (c ? comm_locals(c) : 1), 1);
    return (int)SF_MIN((long)SF_MAX(omp_get_max_threads(), 1), SF_MIN(most, (long)THREADS_MOST));
}

int threads_for(int asked, double points, const struct comm *c)
{
    if (asked > 0) return SF_MIN(asked, THREADS_MOST);
    const int fed = points > 1e9 ? THREADS_MOST : SF_MAX(1, (int)(points / THREAD_POINTS));
    return SF_MIN(threads_available(c), fed);
}

void threads_doubt(int asked, char *text, unsigned long size)
{
    const char *const given = getenv("OMP_NUM_THREADS");
    const long n = asked > 0 ? asked : given ? strtol(given, NULL, 10) : 0, most = SF_MIN(THREADS_A_CORE * cores(), (long)THREADS_MOST);
    text[0] = '\0';
    if (n <= most) return;
    const int used = snprintf(text, size, "%s = %ld, and the machine has %ld core%s: threads that share a core wait for each other",
                              asked > 0 ? "threads" : "OMP_NUM_THREADS", n, cores(), cores() == 1 ? "" : "s");
    if (n > THREADS_MOST && used > 0 && (unsigned long)used < size)
        snprintf(text + used, size - (unsigned long)used, "; %d threads are taken at most", THREADS_MOST);
}
