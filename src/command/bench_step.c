/* The machine's ceilings and the model's step, measured in turns, and what share of its limit each stage reaches.
 * SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include "command/traffic.h"
#include "dynamics/flops.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 20, STAGES_MOST = 64 };

static const double work = 25e6, work_quick = 8e6; /* point-steps of one measurement */
static const double gib = 1024.0 * 1024.0 * 1024.0;

/* One number of threads. */
struct team {
    struct session *session;
    struct tally step;
    struct engine_stage_time last[STAGES_MOST], best[STAGES_MOST]; /* best: seconds of the points of one measurement */
};

static long steps_of(const struct bench *b, const int size[3])
{
    const double points = (double)size[0] * size[1] * size[2];
    return SF_MAX(2, (long)((b->quick ? work_quick : work) / points));
}

static void stages_note(struct team *t, int nstages)
{
    for (int n = 0; n < nstages; n++) {
        const struct engine_stage_time *now = &t->session->engine.stage_time[n], *last = &t->last[n];
        const struct engine_stage_time part = {.seconds = now->seconds - last->seconds,
                                               .points = now->points - last->points};
        const double rate = part.seconds > 0 ? part.points / part.seconds : 0;
        const double best = t->best[n].seconds > 0 ? t->best[n].points / t->best[n].seconds : 0;
        if (rate > best) t->best[n] = part;
        t->last[n] = *now;
    }
}

static int team_measure(struct team *t, long steps)
{
    struct session *s = t->session;
    const double before = s->seconds, points = (double)s->grid.nx * s->grid.ny * s->grid.nz;
    SF_TRY(session_advance(s, steps));
    tally_add(&t->step, (double)steps * points / (s->seconds - before));
    stages_note(t, s->model->nstages);
    return SF_OK;
}

static int turns_take(struct bench *b, struct team *team, real *arena, size_t bytes)
{
    const long steps = steps_of(b, b->size);
    for (int n = 0; n < b->teams; n++) {
        SF_TRY(bench_open(&team[n].session, b, b->size, b->team[n]));
        SF_CHECK(team[n].session->model->nstages <= STAGES_MOST, SF_INTERNAL, "more stages than bench can hold");
        SF_TRY(session_advance(team[n].session, WARM_UP)); /* a flow, not the state at rest */
        stages_note(&team[n], team[n].session->model->nstages);
        memset(team[n].best, 0, sizeof team[n].best);
    }
    for (int r = 0; r < b->repeats; r++)
        for (int n = 0; n < b->teams; n++) {
            for (int c = 0; c < CEILINGS; c++)
                tally_add(&b->ceiling[n][c], ceiling_measure((enum ceiling)c, b->team[n], arena, bytes));
            SF_TRY(team_measure(&team[n], steps));
        }
    for (int n = 0; n < b->teams; n++) b->rate[n] = team[n].step.best;
    return SF_OK;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void ceilings_print(const struct bench *b, size_t bytes)
{
    static const char *const name[CEILINGS] = {"memory, read and written in place", "memory, triad a = b + c x",
                                               "second-level cache, in place", "fused multiply-adds"};
    printf("Ceilings of this machine: best of %d, and how far the worst was below it; arrays of %.2g GiB\n\n",
           b->repeats, (double)bytes / gib);
    printf("  %-36s", "");
    for (int n = 0; n < b->teams; n++) printf("  %6d thread%s    ", b->team[n], b->team[n] > 1 ? "s" : " ");
    printf("\n");
    for (int c = 0; c < CEILINGS; c++) {
        printf("  %-36s", name[c]);
        for (int n = 0; n < b->teams; n++) {
            const struct tally *t = &b->ceiling[n][c];
            printf("  %8.1f %s -%2.0f %%", t->best * 1e-9, c == CEILING_FMA ? "GF/s" : "GB/s", tally_spread(t));
        }
        printf("\n");
    }
}

static void step_print(const struct bench *b, const struct team *team)
{
    const struct session *s = team[0].session;
    const struct traffic f = traffic_of(&s->in, &s->engine.pass[0].plan);
    const double points = (double)s->grid.nx * s->grid.ny * s->grid.nz, dt = clock_dt(&s->clock, s->step);
    printf(
        "\nThe dry step, %d-bit: %d x %d x %d cells, three Runge-Kutta stages, 6 small steps in the last (10 in all), "
        "4th-order\nmixing, %s sides, dt %.3g s, from a flow of %d steps; per point and step %.0f flop, %.0f bytes "
        "when "
        "every\nstage goes to memory, %.0f when a step stays in cache\n\n",
        SF_PREC, s->grid.nx, s->grid.ny, s->grid.nz, b->sides, dt, WARM_UP, f.flops, f.ops, f.least);
    printf("  %-8s %14s %8s %12s %26s %20s %10s\n", "threads", "Mpoint-steps/s", "spread", "s per hour",
           "of memory, each stage", "of memory, one pass", "of FMA");
    for (int n = 0; n < b->teams; n++) {
        const double rate = team[n].step.best, memory = b->ceiling[n][CEILING_STREAM].best;
        printf("  %-8d %14.2f %6.0f %% %12.2f %24.0f %% %18.1f %% %8.1f %%\n", b->team[n], rate * 1e-6,
               tally_spread(&team[n].step), 3600 / dt * points / rate, 100 * rate * f.ops / memory,
               100 * rate * f.least / memory, 100 * rate * f.flops / b->ceiling[n][CEILING_FMA].best);
    }
    printf("\n  s per hour: wall time of an hour of weather. of memory: the share of the in-place rate that these "
           "bytes would "
           "take;\n  more than 100 %% cannot come from memory: rows stay in cache from stage to stage.\n");
}

static const struct plan_op *op_of(const struct session *s, int stage)
{
    const struct plan *p = &s->engine.pass[0].plan;
    for (int n = 0; n < p->nops; n++)
        if (p->op[n].op.stage == stage) return &p->op[n];
    return NULL;
}

static void stages_print(const struct bench *b, const struct team *t, int n)
{
    const struct session *s = t->session;
    double sum = 0;
    for (int m = 0; m < s->model->nstages; m++) sum += t->last[m].seconds;
    printf("\nStages on %d thread%s: each against the longer of its bytes over the memory's rate and its flop over "
           "the rate of "
           "fused\nmultiply-adds; and against the same with the second-level cache in place of memory\n\n",
           b->team[n], b->team[n] > 1 ? "s" : "");
    printf("  %-12s %6s %10s %6s %6s %12s %8s %8s %14s %8s\n", "stage", "time", "Mpoint/s", "byte", "flop",
           "limit, memory", "by", "share", "limit, cache", "share");
    for (int m = 0; m < s->model->nstages; m++) {
        const struct plan_op *o = op_of(s, m);
        if (!o || !(t->best[m].seconds > 0)) continue;
        const double bytes = traffic_of_op(&s->engine.pass[0].plan, o), flops = o->stage->flops;
        const double rate = t->best[m].points / t->best[m].seconds, fma = flops / b->ceiling[n][CEILING_FMA].best;
        const double memory = bytes / b->ceiling[n][CEILING_STREAM].best,
                     cache = bytes / b->ceiling[n][CEILING_CACHE].best;
        const double limit = 1 / SF_MAX(memory, fma), near = 1 / SF_MAX(cache, fma);
        printf("  %-12s %4.0f %% %10.1f %6.0f %6.0f %12.1f %9s %6.0f %% %14.1f %6.0f %%\n", o->stage->name,
               100 * t->last[m].seconds / sum, rate * 1e-6, bytes, flops, limit * 1e-6,
               memory > fma ? "memory" : "FMA", 100 * rate / limit, near * 1e-6, 100 * rate / near);
    }
}

/* Instructions bind before flop do where few multiplications and additions go together. */
static void issue_print(const struct bench *b, const struct team *team)
{
    printf("\nThe fused stage (advmix) has %d floating-point instructions per point for its %d flop: their issue "
           "alone allows\n",
           INSTRUCTIONS_ADVMIX_FOURTH, FLOPS_ADVMIX_FOURTH);
    for (int n = 0; n < b->teams; n++)
        for (int m = 0; m < team[n].session->model->nstages; m++) {
            const struct engine_stage_time *t = &team[n].best[m];
            if (strcmp(team[n].session->model->stage[m].name, "advmix") || !(t->seconds > 0)) continue;
            const double limit = b->ceiling[n][CEILING_FMA].best / 2 / INSTRUCTIONS_ADVMIX_FOURTH;
            printf("  %8.1f Mpoint/s on %d thread%s, of which it reaches %.0f %%\n", limit * 1e-6, b->team[n],
                   b->team[n] > 1 ? "s" : "", 100 * t->points / t->seconds / limit);
        }
}

/* Another model's dry step on a machine of this kind, for orientation. */
static void compare_print(const struct bench *b)
{
    enum { CM1_TEAMS = 2 };
    static const double cm1[CM1_TEAMS] = {3.9e6, 7.4e6};
    static const char *const how[CM1_TEAMS] = {"one core", "two cores, MPI"};
    printf("\nFor comparison: CM1 r21, dry, -O3, 32-bit, 8 acoustic steps, measured on a two-core AVX-512 server "
           "guest\n\n");
    for (int n = 0; n < CM1_TEAMS && n < b->teams; n++) {
        printf("  %-16s %6.1f Mpoint-steps/s", how[n], cm1[n] * 1e-6);
        if (b->team[n] == n + 1)
            printf("; Sferic here %6.1f, %.1f times as many", b->rate[n] * 1e-6, b->rate[n] / cm1[n]);
        printf("\n");
    }
}

int bench_step(struct bench *b)
{
    const size_t bytes = (size_t)(b->quick ? gib / 2 : gib);
    struct team *team = calloc(BENCH_TEAMS, sizeof *team);
    real *arena = ceiling_arena(bytes);
    int rc = SF_OK;
    if (!team || !arena)
        rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no %.2g GiB of memory to measure in", (double)bytes / gib);
    if (!rc) rc = turns_take(b, team, arena, bytes);
    if (!rc) {
        ceilings_print(b, bytes);
        step_print(b, team);
        for (int n = 0; n < b->teams; n++) stages_print(b, &team[n], n);
        issue_print(b, team);
        compare_print(b);
        fflush(stdout);
    }
    free(arena);
    for (int n = 0; team && n < b->teams; n++) bench_close(&team[n].session);
    free(team);
    return rc;
}
