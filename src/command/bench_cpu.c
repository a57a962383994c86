/* The weather model's step and stages on a CPU, against memory, cache and arithmetic. SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include "pipeline/traffic.h"
#include "dynamics/flops.h"

#include <stdio.h>
#include <string.h>

static void dry_step_head(const struct bench *b, const struct session *s)
{
    printf(
        "\nThe dry step, %d-bit: %d x %d x %d cells, three Runge-Kutta stages, 6 small steps in the last (10 in all), 4th-order\n"
        "mixing, %s sides, dt %.3g s; ",
        SF_PREC, s->grid.nx, s->grid.ny, s->grid.nz, b->sides, clock_dt(&s->clock, s->step));
}

static void step_print(const struct bench *b, const struct course *course)
{
    const struct session *s = course[0].session;
    const struct traffic f = traffic_of(&s->in, &s->engine.pass[0].plan);
    const double points = bench_points(s), dt = clock_dt(&s->clock, s->step);
    printf(
        "per point and step %.0f flop, %.0f bytes when every stage goes to memory,\n%.1f when a pass stays in cache\n\n",
        f.flops, f.ops, f.least);
    printf("  %-8s %14s %8s %12s %26s %20s %10s\n", "threads", "Mpoint-steps/s", "spread",
           b->of.path ? "ms a step" : "s per hour", "of memory, each stage", "of memory, one pass", "of FMA");
    for (int n = 0; n < b->teams; n++) {
        const double rate = course[n].step.best, memory = b->ceiling[n][CEILING_STREAM].best;
        printf("  %-8d %14.2f %6.0f %% %12.2f %24.0f %% %18.1f %% %8.1f %%\n", b->team[n], rate * 1e-6,
               tally_spread(&course[n].step), (b->of.path ? 1e3 : 3600 / dt) * points / rate,
               100 * rate * f.ops / memory, 100 * rate * f.least / memory,
               100 * rate * f.flops / b->ceiling[n][CEILING_FMA].best);
    }
    printf(
        "\n%s  of memory: the share of the in-place rate that these bytes would take; more than 100 %% cannot come from\n"
        "  memory: rows stay in cache from stage to stage.\n",
        b->of.path ? "" : "  s per hour: wall time of an hour of weather.\n");
}

static void stages_print(const struct bench *b, const struct course *c, int n)
{
    const struct session *s = c->session;
    const struct machine m = bench_machine(b, n);
    printf(
        "\nStages on %d thread%s: each against the longer of its bytes over the memory's rate and its flop over the rate of fused\n"
        "multiply-adds; and against the same with the second-level cache in place of memory\n\n",
        b->team[n], b->team[n] > 1 ? "s" : "");
    printf("  %-12s %6s %10s %6s %6s %12s %8s %8s %14s %8s\n", "stage", "time", "Mpoint/s", "byte", "flop",
           "limit, memory", "by", "share", "limit, cache", "share");
    for (int q = 0; q < course_stages(c); q++) {
        const struct plan_op *o = course_op(c, q);
        if (!o || !c->stage[q].n) continue;
        const struct limit l = limit_of_op(&s->engine, o, &m);
        const double rate = c->stage[q].best, near = SF_MAX(l.bytes / m.cache, l.part[LIMIT_FMA]);
        printf("  %-12s %4.0f %% %10.1f %6.0f %6.0f %12.1f %9s %6.0f %% %14.1f %6.0f %%\n", o->stage->name,
               100 * course_share(c, q), rate * 1e-6, l.bytes, l.flops, 1e-6 / l.seconds, limit_name(l.by),
               100 * rate * l.seconds, 1e-6 / near, 100 * rate * near);
    }
}

/* Instructions bind before flop do where few multiplications and additions go together. */
static void issue_print(const struct bench *b, const struct course *course)
{
    printf(
        "\nThe fused stage (advmix) has %d floating-point instructions per point for its %d flop: their issue alone allows\n",
        INSTRUCTIONS_ADVMIX_FOURTH, FLOPS_ADVMIX_FOURTH);
    for (int n = 0; n < b->teams; n++)
        for (int m = 0; m < course[n].session->model->nstages; m++) {
            if (strcmp(course[n].session->model->stage[m].name, "advmix") || !course[n].stage[m].n) continue;
            const double limit = b->ceiling[n][CEILING_FMA].best / 2 / INSTRUCTIONS_ADVMIX_FOURTH;
            printf("  %8.1f Mpoint/s on %d thread%s, of which it reaches %.0f %%\n", limit * 1e-6, b->team[n],
                   b->team[n] > 1 ? "s" : "", 100 * course[n].stage[m].best / limit);
        }
}

/* Another model's dry step on a machine of this kind, for orientation. */
static void compare_print(const struct bench *b, const struct course *course)
{
    enum { CM1_TEAMS = 2 };
    static const double cm1[CM1_TEAMS] = {3.9e6, 7.4e6};
    static const char *const how[CM1_TEAMS] = {"one core", "two cores, MPI"};
    printf(
        "\nFor comparison: CM1 r21, dry, -O3, 32-bit, 8 acoustic steps, measured on a two-core AVX-512 server guest\n\n");
    for (int n = 0; n < CM1_TEAMS && n < b->teams; n++) {
        const double rate = course[n].step.best;
        printf("  %-16s %6.1f Mpoint-steps/s", how[n], cm1[n] * 1e-6);
        if (b->team[n] == n + 1) printf("; Sferic here %6.1f, %.1f times as many", rate * 1e-6, rate / cm1[n]);
        printf("\n");
    }
}

void bench_teams_print(const struct bench *b, const struct course *course)
{
    step_print(b, course);
    for (int n = 0; n < b->teams; n++) stages_print(b, &course[n], n);
}

void bench_step_print(const struct bench *b, const struct course *course)
{
    dry_step_head(b, course[0].session);
    bench_teams_print(b, course);
    issue_print(b, course);
    compare_print(b, course);
}
