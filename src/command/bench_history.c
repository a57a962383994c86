/* What history output costs a run. SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include "command/command.h"
#include "io/history.h"
#include "io/writer.h"
#include "pipeline/error.h"
#include "pipeline/seconds.h"

#include <stdio.h>

static const double mib = 1024.0 * 1024.0;

enum { EVERY = 100 }; /* steps between frames, the figure that is told */

/* A frame of a snapshot that a device brings while it goes on. */
struct frame {
    struct session *session;
    struct history *history;
    double time;
    int is_due;
};

static int frame_write(void *of, double seconds)
{
    (void)seconds; /* all of it */
    struct frame *f = of;
    const struct state *st;
    if (!f->is_due) return SF_OK;
    f->is_due = 0;
    SF_TRY(engine_snapshot_state(&f->session->engine, &st));
    return history_write(f->history, st, f->time);
}

/* As a run has it: from a snapshot where there is one. */
static int frame_begin(struct frame *f)
{
    struct engine *const e = &f->session->engine;
    f->time = session_time(f->session);
    SF_TRY(engine_snapshot(e, &f->is_due));
    if (f->is_due) {
        e->meanwhile = frame_write, e->meanwhile_of = f;
        return SF_OK;
    }
    SF_TRY(engine_refresh(e));
    return history_write(f->history, &f->session->state, f->time);
}

/* Seconds of `steps` steps, with a frame before them or without. */
static int stretch(struct session *s, struct history *h, long steps, double *seconds)
{
    struct frame f = {.session = s, .history = h};
    const double began = seconds_now();
    if (h) SF_TRY(frame_begin(&f));
    SF_TRY(session_advance(s, steps));
    SF_TRY(frame_write(&f, 0));
    *seconds = seconds_now() - began;
    return SF_OK;
}

/* Of the best of each. */
struct cost {
    double without, with; /* s */
    double asked; /* s that the model itself waited */
};

/* Stretches with and without take turns. */
static int history_turns(const struct bench *b, struct session *s, struct history *h, struct writer *w, long steps,
                         struct cost *c)
{
    *c = (struct cost){1e30, 1e30, 1e30};
    for (int r = 0; r < b->repeats; r++) {
        double seconds = 0;
        SF_TRY(stretch(s, NULL, steps, &seconds));
        c->without = SF_MIN(c->without, seconds);
        const double computed = s->seconds;
        SF_TRY(stretch(s, h, steps, &seconds));
        c->with = SF_MIN(c->with, seconds);
        c->asked = SF_MIN(c->asked, seconds - (s->seconds - computed));
        SF_TRY(writer_drain(w));
    }
    return SF_OK;
}

static void history_print(const struct bench *b, const struct session *s, long steps, const struct history_rate *rate,
                          const struct cost *c)
{
    const double every = c->without / (double)steps * EVERY, frame = rate->busy / rate->frames,
                 bytes = rate->bytes / rate->frames;
    printf("\nHistory output, %d x %d x %d cells, a frame of %.1f MiB every %d steps, to %s\n\n", s->grid.nx,
           s->grid.ny, s->grid.nz, bytes / mib, EVERY, b->dir);
    printf("  %-44s %8.3f s\n", "100 steps without output", every);
    printf("  %-44s %8.3f s  %+5.1f %%\n", "the same and one frame", every + c->with - c->without,
           100 * (c->with - c->without) / every);
    printf("  %-44s %8.3f s  %+5.1f %%\n", "of which the model stood still", c->asked, 100 * c->asked / every);
    printf("  %-44s %8.3f s  %5.0f MiB/s\n", "the writer's thread, beside the model", frame,
           rate->bytes / rate->busy / mib);
    const double share = bytes / every / (rate->bytes / rate->busy);
    printf("  %-44s %8.0f MiB/s, %.0f %% of the writer's rate%s\n", "a frame every 100 steps asks for",
           bytes / every / mib, 100 * share,
           share > 1     ? ": it binds"
           : share > 0.5 ? ": more than half"
                         : "");
}

static int history_measure(const struct bench *b, struct session *s, struct writer *w, long steps)
{
    const struct output_info info = {.directory = b->dir,
                                     .case_name = "bench",
                                     .model = s->model->name,
                                     .backend = backend_label(b->backend),
                                     .source = version_source(),
                                     .namelist_text = s->text,
                                     .history = "sferic bench",
                                     .writer = w};
    struct history *h = NULL;
    struct cost cost;
    SF_TRY(history_open(&h, &s->in, &s->state, &info));
    int rc = session_advance(s, 4); /* pages and caches */
    if (!rc) rc = history_turns(b, s, h, w, steps, &cost);
    if (!rc) {
        const struct history_rate rate = history_report(h);
        history_print(b, s, steps, &rate, &cost);
    }
    const int closed = history_close(&h, &s->state);
    return rc ? rc : closed;
}

/* Steps of a stretch: those between frames, or where so many take too long fewer. */
static int steps_find(struct session *s, double most, long *steps)
{
    SF_TRY(session_advance(s, 2));
    const double before = s->seconds;
    SF_TRY(session_advance(s, 2));
    const double fit = 2 * most / SF_MAX(s->seconds - before, 1e-9);
    *steps = fit > EVERY ? EVERY : SF_MAX(1, (long)fit);
    return SF_OK;
}

int bench_history(const struct bench *b)
{
    static const int cpu[3] = {256, 128, 64}, gpu[3] = {256, 256, 128};
    const int *const size = b->sized ? b->size : b->backend->is_device ? gpu : cpu;
    struct session *s = NULL;
    struct writer *w = NULL;
    long steps = 0;
    int rc = bench_open(&s, b, size, b->threads);
    if (!rc) rc = steps_find(s, b->quick ? 1 : 5, &steps);
    if (!rc) rc = writer_open(&w);
    if (!rc) rc = history_measure(b, s, w, steps);
    const int closed = writer_close(&w);
    bench_close(&s);
    return rc ? rc : closed;
}
