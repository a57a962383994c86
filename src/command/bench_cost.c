/* What a step costs in time and memory at every size. SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include "pipeline/error.h"
#include "pipeline/memory.h"
#include "pipeline/seconds.h"

#include <stdio.h>

/* Of one size. */
struct cost {
    struct course course;
    double predicted, grown, device; /* bytes: of the host before the run and by it, of a device */
};

static int cost_open(const struct bench *b, const struct bench_sweep *w, const int size[3], struct cost *c)
{
    struct session **const s = &c->course.session;
    size_t bytes = 0, minimum;
    memory_trim();
    c->grown = -(double)memory_resident();
    SF_TRY(w->open(s, b, size));
    SF_TRY(engine_memory(&(*s)->in, &(*s)->comm, &(*s)->grid, &(*s)->engine_options, &bytes, &minimum));
    c->predicted = (double)bytes;
    c->device = (double)(*s)->engine.device_bytes;
    return SF_OK;
}

static void cost_close(struct cost *c)
{
    c->grown += (double)memory_resident();
    bench_close(&c->course.session);
}

/* beside: bytes that a session takes beside those that its engine foretells. */
static int size_measure(const struct bench *b, const struct bench_sweep *w, const int size[3], double beside,
                        struct cost *c)
{
    enum { LEAST_STEPS = 2, TIMES = 3 };
    int rc = cost_open(b, w, size, c);
    if (!rc) rc = course_begin(&c->course, b, LEAST_STEPS); /* pages and caches */
    for (int r = 0; r < TIMES && !rc; r++) rc = course_measure(&c->course);
    c->predicted += beside;
    cost_close(c);
    return rc;
}

/* Tables of a session, whatever its cells: found with a few of them, in the second session, for pages of code and
 * thread stacks come with the first of a process. */
static int session_measure(const struct bench *b, const struct bench_sweep *w, double *beside)
{
    enum { STEPS = 2 };
    static const int small[3] = {32, 32, 32};
    for (int n = 0; n < 2; n++) {
        struct cost c = {0};
        int rc = cost_open(b, w, small, &c);
        if (!rc) rc = session_advance(c.course.session, STEPS);
        cost_close(&c);
        SF_TRY(rc);
        *beside = SF_MAX(c.grown - c.predicted, 0);
    }
    return SF_OK;
}

static void heads_print(const struct bench *b, const struct bench_sweep *w)
{
    const int gpu = b->backend->is_device;
    char rate[32];
    snprintf(rate, sizeof rate, "%c%s-steps/s", gpu ? 'G' : 'M', w->unit);
    printf("\n%s\n\n  %-18s %8s %16s %8s %12s", w->title, "cells", "million", rate, "spread", "of the first");
    if (gpu) printf(" %12s %12s\n", "ms a step", "bytes a cell");
    else printf(" %12s %12s %8s\n", "bytes/point", "measured", "off");
}

static void cost_print(const struct bench *b, const char *name, double points, const struct cost *c, double first)
{
    const int gpu = b->backend->is_device;
    const double rate = tally_told(&c->course.step, b);
    printf("  %-18s %8.2f %16.2f %6.0f %% %10.0f %%", name, points * 1e-6, rate * (gpu ? 1e-9 : 1e-6),
           tally_spread(&c->course.step), 100 * rate / first);
    if (gpu) printf(" %12.4g %12.1f\n", 1e3 * points / rate, c->device / points);
    else
        printf(" %12.1f %12.1f %6.1f %%\n", c->predicted / points, c->grown / points,
               100 * (c->grown - c->predicted) / c->predicted);
    fflush(stdout);
}

int bench_sweep(const struct bench *b, const struct bench_sweep *w)
{
    const double began = seconds_now();
    double last = 0, first = 0, before = 0;
    double beside = 0;
    SF_TRY(session_measure(b, w, &beside));
    heads_print(b, w);
    for (int n = 0; n < w->nsizes; n++) {
        const int *z = w->size[n];
        const double points = (double)z[0] * z[1] * z[2], left = w->seconds - (seconds_now() - began);
        char name[64];
        snprintf(name, sizeof name, "%d x %d x %d", z[0], z[1], z[2]);
        if (last * points / (before > 0 ? before : points) > left) {
            printf("  %-18s not measured: it would take longer than the %.0f s set aside\n", name, w->seconds);
            break;
        }
        struct cost cost = {.course = {.session = NULL}};
        const double start = seconds_now();
        const int rc = size_measure(b, w, z, beside, &cost);
        if (rc == SF_MEMORY) {
            printf("  %-18s not measured: %s\n", name, sf_error_text());
            sf_error_clear();
            break;
        }
        SF_TRY(rc);
        last = seconds_now() - start, before = points;
        if (n == 0) first = tally_told(&cost.course.step, b);
        cost_print(b, name, points, &cost, first);
    }
    return SF_OK;
}

/* ---- the weather ------------------------------------------------------------------------------------------------- */

static int weather_open(struct session **s, const struct bench *b, const int size[3])
{
    return bench_open(s, b, size, b->threads);
}

int bench_sizes(const struct bench *b)
{
    static const int cpu[][3] = {{64, 64, 64},   {128, 128, 64},   {256, 256, 64},
                                 {512, 512, 64}, {1024, 1024, 64}, {2048, 2048, 64}};
    static const int gpu[][3] = {{64, 64, 64},      {128, 128, 128},   {256, 256, 128}, {256, 256, 256},
                                 {512, 512, 128},   {512, 512, 256},   {512, 512, 512}, {1024, 1024, 256},
                                 {1024, 1024, 512}, {1024, 1024, 1024}};
    const int is_device = b->backend->is_device;
    char title[160];
    snprintf(title, sizeof title, "Cost by size, %s: the same case on more cells; memory %s",
             is_device        ? "on the GPU"
             : b->threads > 1 ? "all threads"
                              : "1 thread",
             is_device ? "of the device" : "predicted before the run and grown by it");
    return bench_sweep(b, &(struct bench_sweep){.title = title,
                                                .unit = "point",
                                                .size = is_device ? gpu : cpu,
                                                .nsizes = is_device ? (int)(sizeof gpu / sizeof gpu[0])
                                                                    : (int)(sizeof cpu / sizeof cpu[0]),
                                                .seconds = is_device ? (b->quick ? 8 : 30) : (b->quick ? 10 : 90),
                                                .open = weather_open});
}
