/* What a step costs in time and memory at every size, and what history output costs. SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include "command/command.h"
#include "io/history.h"
#include "io/writer.h"
#include "pipeline/error.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

static const double mib = 1024.0 * 1024.0;

/* ---- size -------------------------------------------------------------------------------------------------------- */

static const int sizes[][3] = {{64, 64, 64},   {128, 128, 64},   {256, 256, 64},
                               {512, 512, 64}, {1024, 1024, 64}, {2048, 2048, 64}};
static const double sizes_seconds = 90, sizes_seconds_quick = 10;

/* Bytes of memory in use by this process. */
static double resident_bytes(void)
{
    long pages = 0, all;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &all, &pages) != 2) pages = 0;
    if (f) fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* Rates of one size, and the memory that came with it. */
static int size_measure(const struct bench *b, const int size[3], struct tally *rate, double *predicted, double *grown)
{
    enum { LEAST_STEPS = 2 };
    const double points = (double)size[0] * size[1] * size[2], work = b->quick ? 4e6 : 15e6;
    const long steps = SF_MAX(LEAST_STEPS, (long)(work / points));
    struct session *s = NULL;
    size_t bytes = 0, minimum;
    malloc_trim(0);
    const double before = resident_bytes();
    int rc = bench_open(&s, b, size, b->threads);
    if (!rc) rc = engine_memory(&s->in, &s->comm, &s->grid, &s->engine_options, &bytes, &minimum);
    if (!rc) rc = session_advance(s, LEAST_STEPS); /* pages and caches */
    for (int r = 0; r < 3 && !rc; r++) {
        const double began = s->seconds;
        rc = session_advance(s, steps);
        tally_add(rate, (double)steps * points / (s->seconds - began));
    }
    *predicted = (double)bytes;
    *grown = resident_bytes() - before;
    bench_close(&s);
    return rc;
}

/* Pages of code and thread stacks come with the first session of a process, not with the cells. */
static int libraries_touch(const struct bench *b)
{
    static const int small[3] = {16, 16, 16};
    struct session *s = NULL;
    int rc = bench_open(&s, b, small, b->threads);
    if (!rc) rc = session_advance(s, 1);
    bench_close(&s);
    return rc;
}

int bench_sizes(const struct bench *b)
{
    const double began = seconds_wall(), most = b->quick ? sizes_seconds_quick : sizes_seconds;
    double last = 0, first_rate = 0;
    SF_TRY(libraries_touch(b));
    printf("\nCost by size, %d thread%s: the same case on more cells; memory predicted before the run and grown by "
           "it\n\n",
           b->threads, b->threads > 1 ? "s" : "");
    printf("  %-18s %8s %16s %8s %12s %12s %12s %8s\n", "cells", "million", "Mpoint-steps/s", "spread", "of the first",
           "bytes/point", "measured", "off");
    for (int n = 0; n < (int)(sizeof sizes / sizeof sizes[0]); n++) {
        const int *z = sizes[n];
        const double points = (double)z[0] * z[1] * z[2], left = most - (seconds_wall() - began);
        char name[64];
        snprintf(name, sizeof name, "%d x %d x %d", z[0], z[1], z[2]);
        const double more = n ? points / ((double)sizes[n - 1][0] * sizes[n - 1][1] * sizes[n - 1][2]) : 1;
        if (last * more > left) {
            printf("  %-18s not measured: it would take longer than the %.0f s set aside\n", name, most);
            break;
        }
        struct tally rate = {0};
        double predicted, grown;
        const double start = seconds_wall();
        const int rc = size_measure(b, z, &rate, &predicted, &grown);
        if (rc == SF_MEMORY) {
            printf("  %-18s not measured: %s\n", name, sf_error_text());
            sf_error_clear();
            break;
        }
        SF_TRY(rc);
        last = seconds_wall() - start;
        if (n == 0) first_rate = rate.best;
        printf("  %-18s %8.2f %16.2f %6.0f %% %10.0f %% %12.1f %12.1f %6.1f %%\n", name, points * 1e-6,
               rate.best * 1e-6, tally_spread(&rate), 100 * rate.best / first_rate, predicted / points, grown / points,
               100 * (grown - predicted) / predicted);
        fflush(stdout);
    }
    return SF_OK;
}

/* ---- history ----------------------------------------------------------------------------------------------------- */

enum { EVERY = 100 }; /* steps between frames, the figure that is told */

/* Seconds of `steps` steps, with a frame before them or without. */
static int stretch(struct session *s, struct history *h, long steps, double *seconds)
{
    const double began = seconds_wall();
    if (h) {
        SF_TRY(engine_refresh(&s->engine));
        SF_TRY(history_write(h, &s->state, session_time(s)));
    }
    SF_TRY(session_advance(s, steps));
    *seconds = seconds_wall() - began;
    return SF_OK;
}

/* Stretches with and without take turns; *with and *without: the best of each; *asked: what the model itself waited. */
static int history_turns(const struct bench *b, struct session *s, struct history *h, struct writer *w, long steps,
                         double *without, double *with, double *asked)
{
    *without = *with = *asked = 1e30;
    for (int r = 0; r < b->repeats; r++) {
        double seconds = 0;
        SF_TRY(stretch(s, NULL, steps, &seconds));
        *without = SF_MIN(*without, seconds);
        const double computed = s->seconds;
        SF_TRY(stretch(s, h, steps, &seconds));
        *with = SF_MIN(*with, seconds);
        *asked = SF_MIN(*asked, seconds - (s->seconds - computed));
        SF_TRY(writer_drain(w));
    }
    return SF_OK;
}

static void history_print(const struct bench *b, const struct session *s, long steps, const struct history_rate *rate,
                          double without, double with, double asked)
{
    const double every = without / (double)steps * EVERY, frame = rate->busy / rate->frames;
    printf("\nHistory output, %d x %d x %d cells, %d thread%s, a frame of %.1f MiB every %d steps, to %s\n\n",
           s->grid.nx, s->grid.ny, s->grid.nz, b->threads, b->threads > 1 ? "s" : "", rate->bytes / rate->frames / mib,
           EVERY, b->dir);
    printf("  %-44s %8.3f s\n", "100 steps without output", every);
    printf("  %-44s %8.3f s  %+5.1f %%\n", "the same and one frame", every + with - without,
           100 * (with - without) / every);
    printf("  %-44s %8.3f s  %+5.1f %%\n", "of which the model stood still", asked, 100 * asked / every);
    printf("  %-44s %8.3f s  %5.0f MiB/s\n", "the writer's thread, beside the model", frame,
           rate->bytes / rate->busy / mib);
}

static int history_measure(const struct bench *b, struct session *s, struct writer *w, long steps)
{
    const struct output_info info = {.directory = b->dir,
                                     .case_name = "bench",
                                     .model = s->model->name,
                                     .backend = version_backend(),
                                     .source = version_source(),
                                     .namelist_text = s->text,
                                     .history = "sferic bench",
                                     .writer = w};
    struct history *h = NULL;
    double without, with, asked;
    SF_TRY(history_open(&h, &s->in, &s->state, &info));
    int rc = session_advance(s, 4); /* pages and caches */
    if (!rc) rc = history_turns(b, s, h, w, steps, &without, &with, &asked);
    if (!rc) {
        const struct history_rate rate = history_report(h);
        history_print(b, s, steps, &rate, without, with, asked);
    }
    const int closed = history_close(&h, &s->state);
    return rc ? rc : closed;
}

int bench_history(const struct bench *b)
{
    static const int size[3] = {256, 128, 64};
    struct session *s = NULL;
    struct writer *w = NULL;
    int rc = bench_open(&s, b, size, b->threads);
    if (!rc) rc = writer_open(&w);
    if (!rc) rc = history_measure(b, s, w, b->quick ? EVERY / 5 : EVERY);
    const int closed = writer_close(&w);
    bench_close(&s);
    return rc ? rc : closed;
}
