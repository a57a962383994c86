/* Windows of a CPU: how many steps, rows and levels go through the ops together, and how many threads.
 * SPDX-License-Identifier: MIT */
#include "command/bench_tune.h"

#include "pipeline/error.h"
#include "pipeline/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 24, WARM_UP = 2 };

struct window {
    int steps, rows, levels, threads; /* 0: as the engine picks */
    char name[48];
};

/* Of the stages, and behind them of the step as a whole. */
struct tuning {
    struct bench *b;
    int (*open)(struct session **s, const struct bench *b, int threads);
    struct window window[WINDOWS];
    int nwindows, nstages;
    struct trial *trial; /* [nstages + 1][WINDOWS] */
};

static struct trial *trial_of(const struct tuning *t, int stage, int window)
{
    return &t->trial[stage * WINDOWS + window];
}

/* What is to be tried, by what the engine picks: as that, on one thread and on all; fewer and more steps in a pass
 * where it takes several; smaller and larger windows. */
static void windows_make(struct tuning *t, const struct session *s)
{
    static const int step[] = {1, 2, 4, 8, 16}, row[] = {2, 4, 8, 16, 32};
    const struct engine *const e = &s->engine;
    const int threads = t->b->threads, parts = e->window_levels > 0, own = e->pass[0].plan.steps;
    t->window[t->nwindows++] = (struct window){.threads = threads};
    if (threads > 1) t->window[t->nwindows++] = (struct window){.threads = 1};
    for (int n = 0; n < 5 && parts; n++)
        if (step[n] != own) t->window[t->nwindows++] = (struct window){.steps = step[n], .threads = threads};
    for (int n = 0; n < 5; n++)
        t->window[t->nwindows++] =
            (struct window){.rows = row[n] * threads, .levels = parts ? row[n] : 0, .threads = threads};
    for (int n = 2; n < 5 && parts; n++)
        t->window[t->nwindows++] = (struct window){.rows = row[n] * threads, .levels = 2 * row[n], .threads = threads};
    if (parts)
        t->window[t->nwindows++] =
            (struct window){.steps = 1, .rows = 4 * threads, .levels = s->grid.nz, .threads = threads};
}

static void window_name(struct window *w, const struct engine *e)
{
    int n = snprintf(w->name, sizeof w->name, "%d step%s, %d rows", e->pass[0].plan.steps,
                     e->pass[0].plan.steps > 1 ? "s" : "", e->window_rows);
    if (e->window_levels) n += snprintf(w->name + n, sizeof w->name - (size_t)n, " x %d levels", e->window_levels);
}

static struct predict_window window_of(const struct session *s, int threads)
{
    const struct engine *const e = &s->engine;
    const struct plan *const p = &e->pass[0].plan;
    const struct traffic f = traffic_of(&s->in, p);
    struct predict_window w = {.rows = e->window_rows,
                               .levels = e->window_levels ? SF_MIN(e->window_levels, s->grid.nz) : s->grid.nz,
                               .ops_of_pass = p->nops,
                               .cache = threads * engine_cache_bytes(),
                               .ops = f.ops,
                               .least = f.least};
    for (int n = 0; n < p->nsegments; n++) {
        w.lag = SF_MAX(w.lag, SF_MAX(p->segment[n].lag[0], p->segment[n].lag[1]));
        if (w.levels < s->grid.nz) w.lag_k = SF_MAX(w.lag_k, p->segment[n].lag_k);
    }
    w.rows = SF_MIN(w.rows, s->grid.ny);
    for (int id = 0; id < p->nids; id++)
        if (p->form[id].shape == SHAPE_FULL) w.line += (double)s->grid.nx * (double)sizeof(real);
    return w;
}

/* What is known of a window before it is measured: of each stage, and of the step, all its ops one after the other. */
static void trials_know(struct tuning *t, const struct session *s, int window)
{
    const struct machine m = bench_machine(t->b, t->b->teams > 1 && t->window[window].threads > 1);
    const struct predict_window w = window_of(s, t->window[window].threads);
    const struct plan *const p = &s->engine.pass[0].plan;
    const double far = predict_far(&w);
    struct trial *const step = trial_of(t, t->nstages, window);
    if (step->rate.n) return; /* in a turn before */
    for (int n = 0; n < p->nops; n++) {
        const struct plan_op *const o = &p->op[n];
        if (plan_op_is_own(o) || !op_is_everywhere(&s->in, p, o)) continue;
        struct trial *const r = trial_of(t, o->op.stage, window);
        const double part = SF_MAX(o->op.members, 1) * (o->op.share > 0 ? o->op.share : 1);
        r->count = predict_count(o->stage, s->in.field);
        r->count.fp *= part, r->count.memory *= part;
        r->predicted = predict_on_cpu(&r->count, traffic_of_op(&s->in, p, o), far, &m);
        const double times = 1.0 / SF_MAX(o->op.every, 1) / p->steps;
        step->count.fp += times * r->count.fp, step->count.memory += times * r->count.memory;
        for (int q = 0; q < PREDICTS; q++) step->predicted.part[q] += times * r->predicted.part[q];
        step->predicted.seconds += times * r->predicted.seconds;
    }
    for (int n = 0; n <= t->nstages; n++) {
        struct trial *const r = trial_of(t, n, window);
        r->name = t->window[window].name, r->threads = t->window[window].threads, r->kept = predict_window_bytes(&w);
    }
}

static void rates_note(struct tuning *t, const struct course *c, int window)
{
    for (int n = 0; n <= t->nstages; n++) {
        const struct tally *const of = n < t->nstages ? &c->stage[n] : &c->step;
        for (int r = 0; r < SF_MIN(of->n, TALLY_MOST); r++) tally_add(&trial_of(t, n, window)->rate, of->value[r]);
    }
}

static int window_open(struct session **s, const struct tuning *t, const struct window *w)
{
    struct bench b = *t->b;
    char set[3][64];
    const int value[3] = {w->steps, w->rows, w->levels};
    static const char *const key[3] = {"steps_per_pass", "window_rows", "window_levels"};
    for (int n = 0; n < 3; n++)
        if (value[n]) {
            snprintf(set[n], sizeof set[n], "pipeline%%%s=%d", key[n], value[n]);
            b.set[b.nsets++] = set[n];
        }
    return t->open(s, &b, w->threads);
}

static int window_run(struct tuning *t, int n)
{
    struct course c = {.stages = 1};
    const int repeats = t->b->quick ? 1 : 2;
    int rc = window_open(&c.session, t, &t->window[n]);
    if (!rc) rc = course_begin(&c, t->b, WARM_UP);
    for (int r = 0; r < repeats && !rc; r++) rc = course_measure(&c);
    if (!rc) {
        window_name(&t->window[n], &c.session->engine);
        trials_know(t, c.session, n);
        rates_note(t, &c, n);
    }
    bench_close(&c.session);
    return rc;
}

/* Windows take turns, each with a session of its own, for some turns. */
static int windows_run(struct tuning *t)
{
    enum { TURNS = 3 };
    struct ceiling_site site;
    int rc = bench_site_open(t->b, &site);
    for (int r = 0; r < t->b->repeats; r++)
        for (int q = 0; q < t->b->teams && !rc; q++) rc = bench_ceilings_turn(t->b, &site, q);
    ceilings_close(&site);
    for (int r = 0; r < TURNS; r++)
        for (int n = 0; n < t->nwindows && !rc; n++) rc = window_run(t, n);
    return rc;
}

int bench_tune_windows(struct bench *b, int (*open)(struct session **s, const struct bench *b, int threads))
{
    struct tuning t = {.b = b, .open = open};
    struct session *s = NULL;
    int rc = open(&s, b, b->threads);
    if (!rc) windows_make(&t, s), t.nstages = s->model->nstages;
    if (!rc) t.trial = calloc((size_t)(t.nstages + 1) * WINDOWS, sizeof *t.trial);
    if (!rc && !t.trial) rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the benchmark");
    if (!rc) rc = windows_run(&t);
    for (int n = 0; n <= t.nstages && !rc; n++)
        if (trial_of(&t, n, 0)->rate.n)
            trials_print(b, s, n < t.nstages ? s->model->stage[n].name : "the step", trial_of(&t, n, 0), t.nwindows, 0);
    bench_close(&s);
    free(t.trial);
    return rc;
}
