/* Shapes of kernels on a GPU. A trial takes one candidate of every stage. SPDX-License-Identifier: MIT */
#include "command/bench_tune.h"

#include "command/tune.h"
#include "pipeline/error.h"
#include "pipeline/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 64, WARM_UP = 2 };

/* A stage that the program runs: its candidates, and behind them what its launch picks itself. */
struct tuned {
    int stage, ncandidates;
    const struct tunable *tunable; /* NULL: its kernels come in one shape */
    struct trial trial[CANDIDATES + 1];
};

struct tuning {
    const struct bench *b;
    struct course course;
    struct machine machine;
    struct predict_device device;
    struct tuned *of;
    int n;
};

/* What the launch of a shape shows of it. */
static int trial_know(struct tuning *t, const struct tuned *of, struct trial *r, const struct candidate *shape)
{
    const struct session *const s = t->course.session;
    const struct engine_stage_time *const time = &s->engine.stage_time[of->stage];
    const struct stage *const stage = &s->model->stage[of->stage];
    const struct limit l = limit_of_op(&s->engine, course_op(&t->course, of->stage), &t->machine);
    struct kernel_figures f;
    if (!time->launch.kernel) return SF_OK;
    SF_TRY(s->backend->kernel(&time->launch, &f));
    r->threads = time->launch.block, r->registers = f.registers, r->resident = f.resident;
    r->kept = (double)f.shared;
    r->is_counted = l.is_counted, r->count = l.is_counted ? l.count : predict_count(stage, s->in.field);
    const struct plan_op *const o = course_op(&t->course, of->stage);
    if (!op_is_everywhere(&s->in, &s->engine.pass[0].plan, o)) return SF_OK;
    const struct predict_kernel k = {.shape = shape ? *shape : (struct candidate){.tile_i = 0},
                                     .count = r->count,
                                     .resident = f.resident,
                                     .block = time->launch.block,
                                     .threads = time->launch.threads,
                                     .ni = s->grid.nx,
                                     .nk = s->grid.nz,
                                     .nj = s->grid.ny,
                                     .members = o->op.members,
                                     .share = o->op.share,
                                     .stage = stage,
                                     .field = s->in.field};
    r->predicted = predict(&k, &t->device, &t->machine);
    r->loads = shape ? predict_loads(&k) : 0; /* of a tile that is not known, every value once */
    return SF_OK;
}

static const char *misfit_of(const struct session *s, const struct candidate *c)
{
    const struct device_figures *const d = s->backend->device();
    if (c->shared > d->shared || c->threads > d->threads) return "more threads or shared memory than the device has";
    return c->levels && s->grid.nz > c->levels ? "fewer levels than the domain" : NULL;
}

/* Candidate n of every stage that has so many, where it fits; of others their own pick. */
static void shapes_set(const struct tuning *t, int n)
{
    const struct session *const s = t->course.session;
    for (struct tuned *of = t->of; of < t->of + t->n; of++) {
        const int some = n < of->ncandidates && !of->trial[n].without;
        s->shape[of->stage] = some ? &of->tunable->candidate[n] : NULL;
    }
}

static int trial_run(struct tuning *t, int n)
{
    struct session *const s = t->course.session;
    const int repeats = t->b->quick ? 3 : 5;
    shapes_set(t, n);
    for (int m = 0; m < s->model->nstages; m++)
        memset(&s->engine.stage_time[m].launch, 0, sizeof s->engine.stage_time[m].launch);
    t->course = (struct course){.session = s, .stages = 1};
    memcpy(t->course.last, s->engine.stage_time, (size_t)course_stages(&t->course) * sizeof t->course.last[0]);
    SF_TRY(course_begin(&t->course, t->b, WARM_UP));
    for (int r = 0; r < repeats; r++) SF_TRY(course_measure(&t->course));
    for (struct tuned *of = t->of; of < t->of + t->n; of++) {
        const int is_own = n == CANDIDATES, m = is_own ? of->ncandidates : n;
        if (m > of->ncandidates || (m == of->ncandidates && !is_own) || of->trial[m].without) continue;
        of->trial[m].rate = t->course.stage[of->stage];
        SF_TRY(trial_know(t, of, &of->trial[m], is_own ? NULL : &of->tunable->candidate[m]));
    }
    return SF_OK;
}

static int tuned_make(struct tuning *t, int stage)
{
    const struct session *const s = t->course.session;
    struct tuned *const of = &t->of[t->n++];
    of->stage = stage, of->tunable = tunable_of(s->model, stage);
    of->ncandidates = of->tunable ? of->tunable->ncandidates : 0;
    SF_CHECK(of->ncandidates <= CANDIDATES, SF_INTERNAL, "more shapes than bench can hold");
    for (int n = 0; n < of->ncandidates; n++) {
        const struct candidate *const c = &of->tunable->candidate[n];
        of->trial[n].name = c->name, of->trial[n].without = misfit_of(s, c);
    }
    of->trial[of->ncandidates].name = of->tunable ? "as the launch picks" : "the only one";
    return SF_OK;
}

static int trials_run(struct tuning *t)
{
    const struct model *const m = t->course.session->model;
    int most = 0;
    for (int n = 0; n < m->nstages; n++) {
        const struct plan_op *const o = course_op(&t->course, n);
        if (o && m->stage[n].launch) SF_TRY(tuned_make(t, n));
    }
    for (int n = 0; n < t->n; n++) most = SF_MAX(most, t->of[n].ncandidates);
    for (int n = 0; n < most; n++) SF_TRY(trial_run(t, n));
    return trial_run(t, CANDIDATES);
}

/* The fastest, unless what the launch picks is as fast. */
static void best_keep(const struct tuning *t, const struct tuned *of)
{
    const struct session *const s = t->course.session;
    const int best = trials_best(t->b, of->trial, of->ncandidates + 1, 0);
    if (best >= 0 && of->tunable)
        tune_keep(s->backend, s->model, of->stage, bench_points(s), best < of->ncandidates ? best : -1);
}

int bench_tune_kernels(const struct bench *b, struct session *s)
{
    const struct device_figures *const d = b->backend->device();
    struct tuning t = {.b = b,
                       .course = {.session = s},
                       .machine = bench_machine(b, 0),
                       .device = {d->multiprocessors, d->clock, d->l2},
                       .of = calloc((size_t)s->model->nstages + 1, sizeof *t.of)};
    SF_CHECK(t.of, SF_MEMORY, "no memory for the benchmark");
    const int rc = trials_run(&t);
    for (const struct tuned *of = t.of; !rc && of < t.of + t.n; of++) {
        if (!of->trial[of->ncandidates].rate.n) continue;
        trials_print(b, s, s->model->stage[of->stage].name, of->trial, of->ncandidates + 1, of->ncandidates);
        best_keep(&t, of);
    }
    free(t.of);
    return rc;
}
