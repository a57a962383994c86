/* The clock that everything is timed with. SPDX-License-Identifier: MIT */
#pragma once

#include <time.h>

/* s; the processes of a machine have the same. */
static inline double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
