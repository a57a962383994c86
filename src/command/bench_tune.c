/* Shapes of kernels on a GPU: predicted, measured, and the best of them kept for run.
 * SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include "command/predict.h"
#include "command/tune.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 64, WARM_UP = 2 };

/* One shape. */
struct trial {
    int fits; /* the device, and a block what it shares */
    struct kernel_figures figures;
    struct predict_kernel kernel;
    struct prediction predicted;
    struct tally rate; /* points/s */
};

struct tuning {
    const struct bench *b;
    const struct tunable *tunable;
    int stage;
    struct course course;
    struct machine machine;
    struct predict_device device;
    struct trial trial[CANDIDATES + 1]; /* the last: what the stage picks itself */
};

/* Of the stages of that name the one that the program runs; -1: none. */
static int stage_find(const struct course *c, const char *name)
{
    const struct model *const m = c->session->model;
    for (int n = 0; n < m->nstages; n++)
        if (!strcmp(m->stage[n].name, name) && course_op(c, n)) return n;
    return -1;
}

/* The trial of a choice. */
static struct trial *trial_of(struct tuning *t, int choice)
{
    return &t->trial[choice < 0 ? t->tunable->ncandidates : choice];
}

/* ---- one shape --------------------------------------------------------------------------------------------------- */

/* What the launch of a shape shows of it. */
static int trial_know(struct tuning *t, int n)
{
    const struct session *const s = t->course.session;
    const struct engine_stage_time *const time = &s->engine.stage_time[t->stage];
    struct trial *const r = trial_of(t, n);
    const struct limit l = limit_of_op(&s->engine, course_op(&t->course, t->stage), &t->machine);
    if (!time->launch.kernel) return SF_OK;
    SF_TRY(s->backend->kernel(&time->launch, &r->figures));
    if (n < 0) return SF_OK; /* its tile is not known */
    r->kernel = (struct predict_kernel){.shape = t->tunable->candidate[n],
                                        .count = l.count,
                                        .resident = r->figures.resident,
                                        .block = time->launch.block,
                                        .threads = time->launch.threads,
                                        .ni = s->grid.nx,
                                        .nk = s->grid.nz,
                                        .nj = s->grid.ny,
                                        .stage = &s->model->stage[t->stage],
                                        .field = s->in.field};
    r->predicted = predict(&r->kernel, &t->device, &t->machine);
    return SF_OK;
}

static int trial_run(struct tuning *t, int n)
{
    struct session *const s = t->course.session;
    const int repeats = t->b->quick ? 3 : 5;
    *t->tunable->choice = n;
    memset(&s->engine.stage_time[t->stage].launch, 0, sizeof s->engine.stage_time[0].launch);
    t->course = (struct course){.session = s, .stages = 1};
    memcpy(t->course.last, s->engine.stage_time, (size_t)course_stages(&t->course) * sizeof t->course.last[0]);
    SF_TRY(course_begin(&t->course, t->b, WARM_UP));
    for (int r = 0; r < repeats; r++) SF_TRY(course_measure(&t->course));
    trial_of(t, n)->rate = t->course.stage[t->stage];
    return trial_know(t, n);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const double pico = 1e12;

static double seconds_of(const struct trial *r) { return r->rate.n ? 1 / tally_median(&r->rate) : 0; }

/* The fastest candidate, measured or as predicted; NULL: none. */
static const struct trial *best_of(const struct tuning *t, int predicted)
{
    const struct trial *best = NULL;
    double least = 0;
    for (int n = 0; n < t->tunable->ncandidates; n++) {
        const struct trial *const r = &t->trial[n];
        const double seconds = predicted ? r->predicted.seconds : seconds_of(r);
        if (!r->rate.n || !(seconds > 0) || (best && seconds >= least)) continue;
        best = r, least = seconds;
    }
    return best;
}

static void heads_print(const struct tuning *t)
{
    const struct session *const s = t->course.session;
    printf("\nShapes of %s, %s, %d x %d x %d: ps a point, predicted and measured\n\n", t->tunable->stage,
           s->model->name, s->grid.nx, s->grid.ny, s->grid.nz);
    printf("  %-24s %7s %5s %8s %7s %6s %6s", "shape", "threads", "regs", "resident", "shared", "instr", "loads");
    for (int p = 0; p < PREDICTS; p++) printf(" %10s", predict_name((enum predict_by)p));
    printf(" %10s %10s %6s\n", "predicted", "measured", "ratio");
}

static void trial_print(const struct tuning *t, int n)
{
    const struct trial *const r = &t->trial[n];
    const char *const name = t->tunable->candidate[n].name;
    if (!r->fits || !r->rate.n) {
        printf("  %-24s %s\n", name,
               r->fits ? "not measured"
                       : "more threads or shared memory than the device has, or fewer levels than the domain");
        return;
    }
    const double measured = pico * seconds_of(r), predicted = pico * r->predicted.seconds;
    printf("  %-24s %7.0f %5d %8d %7zu %6.0f %6.2f", name, r->kernel.block, r->figures.registers, r->figures.resident,
           r->figures.shared, instructions_all(&r->kernel.count), predict_loads(&r->kernel));
    for (int p = 0; p < PREDICTS; p++) printf(" %10.2f", pico * r->predicted.part[p]);
    printf(" %10.2f %10.2f %6.2f\n", predicted, measured, measured / predicted);
}

static void tuning_print(const struct tuning *t, const struct trial *own)
{
    const struct trial *const best = best_of(t, 0), *const pick = best_of(t, 1);
    heads_print(t);
    for (int n = 0; n < t->tunable->ncandidates; n++) trial_print(t, n);
    if (!best) return;
    printf("\n  fastest: %s, %.2f Gpoint/s", t->tunable->candidate[best - t->trial].name, 1e-9 / seconds_of(best));
    if (pick)
        printf("; the model would pick %s, %+.1f %% of time", t->tunable->candidate[pick - t->trial].name,
               100 * (seconds_of(pick) / seconds_of(best) - 1));
    if (own->rate.n) printf("; the stage's own pick %+.1f %%", 100 * (seconds_of(own) / seconds_of(best) - 1));
    printf("\n");
    fflush(stdout);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int trials_run(struct tuning *t, int own)
{
    const struct device_figures *const d = t->b->backend->device();
    for (int n = 0; n < t->tunable->ncandidates; n++) {
        const struct candidate *const c = &t->tunable->candidate[n];
        const int levels = t->course.session->grid.nz;
        t->trial[n].fits = c->shared <= d->shared && c->threads <= d->threads && (!c->levels || levels <= c->levels);
        if (t->trial[n].fits) SF_TRY(trial_run(t, n));
    }
    return own < 0 ? trial_run(t, own) : SF_OK;
}

/* The fastest, unless the stage's own pick is as fast. */
static void best_keep(struct tuning *t, int own)
{
    const struct trial *const best = best_of(t, 0), *const mine = trial_of(t, own);
    if (!best) return;
    const int keep = mine->rate.n && seconds_of(mine) <= seconds_of(best) ? own : (int)(best - t->trial);
    tune_keep(t->b->backend, t->course.session->model, t->tunable, bench_points(t->course.session), keep);
}

static int stage_tune(const struct bench *b, struct session *s, const struct tunable *tunable, int *found)
{
    const struct device_figures *const d = b->backend->device();
    struct tuning *const t = calloc(1, sizeof *t);
    SF_CHECK(t, SF_MEMORY, "no memory for the benchmark");
    *t = (struct tuning){.b = b,
                         .tunable = tunable,
                         .course = {.session = s},
                         .machine = bench_machine(b, 0),
                         .device = {d->multiprocessors, d->clock, d->l2}};
    t->stage = stage_find(&t->course, tunable->stage);
    const int own = *tunable->choice, used = t->stage >= 0;
    *found += used;
    int rc = tunable->ncandidates <= CANDIDATES
                 ? SF_OK
                 : sf_fail(SF_INTERNAL, __FILE__, __LINE__, "more shapes than bench can hold");
    if (!rc && used) rc = trials_run(t, own);
    if (!rc && used) {
        tuning_print(t, trial_of(t, own));
        best_keep(t, own);
    }
    *tunable->choice = own;
    free(t);
    return rc;
}

static int case_tune(const struct bench *b, struct session *s, int *found)
{
    for (int n = 0; n < s->model->ntunables; n++) SF_TRY(stage_tune(b, s, &s->model->tunable[n], found));
    return SF_OK;
}

/* From small domains to that of the step that is taken apart. */
static int sizes_tune(struct bench *b, int is_wave, int *found)
{
    static const int small[][3] = {{64, 64, 64}, {128, 128, 128}, {256, 256, 128}};
    const int n = b->sized ? 0 : b->quick ? 1 : (int)(sizeof small / sizeof small[0]);
    int rc = SF_OK;
    for (int q = 0; q <= n && !rc; q++) {
        struct session *s = NULL;
        rc = is_wave ? bench_wave_open(&s, b, q < n ? small[q][0] : bench_wave_cells(b))
                     : bench_open(&s, b, q < n ? small[q] : b->size, 1);
        if (!rc) rc = case_tune(b, s, found);
        bench_close(&s);
    }
    return rc;
}

int bench_tune(struct bench *b)
{
    int found = 0;
    if (strcmp(b->model, "maxwell")) SF_TRY(sizes_tune(b, 0, &found));
    if (strcmp(b->model, "dynamics")) SF_TRY(sizes_tune(b, 1, &found));
    if (!found)
        printf("\nNo kernel that %s uses at these sizes comes in several shapes.\n",
               strcmp(b->model, "all") ? b->model : "a model");
    return SF_OK;
}
