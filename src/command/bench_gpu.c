/* Stages and steps on a GPU against what memory, instructions and arithmetic allow. SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include <stdio.h>
#include <string.h>

static const double giga = 1e-9;

static void figure_print(int width, double value, int is_known)
{
    if (is_known) printf(" %*.0f", width, value);
    else printf(" %*s", width, "-");
}

/* What the kernel of a stage is: registers of a thread, threads that a multiprocessor holds, bytes that a block shares,
 * and instructions of a point. */
static void kernel_print(const struct course *c, int stage, const struct limit *l)
{
    const struct engine *const e = &c->session->engine;
    const struct backend_launch *const launch = &e->stage_time[stage].launch;
    struct kernel_figures f = {.name = ""};
    const int known = launch->kernel && !e->backend->kernel(launch, &f);
    figure_print(5, f.registers, known);
    figure_print(8, f.resident, known);
    figure_print(7, (double)f.shared, known);
    figure_print(6, (double)f.local, known);
    figure_print(6, l->count.fp, l->is_counted);
    figure_print(6, l->count.memory, l->is_counted);
    figure_print(6, l->count.other, l->is_counted);
}

static void limit_cell(double seconds)
{
    if (seconds > 0) printf(" %8.1f", giga / seconds);
    else printf(" %8s", "-");
}

static void stage_print(const struct course *c, int n, const struct machine *m)
{
    const struct session *s = c->session;
    const struct plan_op *const o = course_op(c, n);
    if (!o || !c->stage[n].n) return;
    const struct limit l = limit_of_op(&s->engine, o, m);
    const double rate = tally_median(&c->stage[n]);
    printf("  %-12s %4.0f %% %8.2f -%2.0f %% %6.0f %6.0f", o->stage->name, 100 * course_share(c, n), rate * giga,
           tally_spread(&c->stage[n]), rate * l.bytes * giga, rate * l.flops * giga);
    kernel_print(c, n, &l);
    for (int p = 0; p < LIMITS; p++) limit_cell(l.part[p]);
    if (l.seconds > 0) printf("  %-6s %4.0f %%\n", limit_name(l.by), 100 * rate * l.seconds);
    else printf("\n");
}

void bench_stages_print(const struct bench *b, const struct course *c)
{
    const struct machine m = bench_machine(b, 0);
    int counted;
    sass_table(&counted);
    printf("  %-12s %6s %8s %5s %6s %6s %5s %8s %7s %6s %20s %26s  %s\n", "stage", "time", "Gpoint/s", "", "GB/s",
           "GF/s", "regs", "resident", "shared", "local", "instructions", "limits, Gpoint/s", "set by, share");
    printf("  %-12s %6s %8s %5s %6s %6s %5s %8s %7s %6s %6s %6s %6s %8s %8s %8s\n", "", "", "", "", "", "", "",
           "threads", "bytes", "bytes", "fp", "memory", "other", "memory", "issue", "FMA");
    for (int n = 0; n < course_stages(c); n++) stage_print(c, n, &m);
    const double ghosts = course_share(c, course_stages(c));
    if (ghosts > 0) printf("  %-12s %4.0f %%\n", "ghosts", 100 * ghosts);
    printf(
        "\n  Medians of %d. Limits: memory, bytes of the declared accesses over the rate of copying; issue, instructions of a point over the\n"
        "  rate of instructions of threads; FMA, flop over the rate of fused multiply-adds. What one warp of a block does for all is shared\n"
        "  by its warps. -n %%: how far the worst was below the best. ghosts: what lies beyond sides, filled behind stages by kernels of\n"
        "  its own, which no rate has. Stages that touch few points have no limits.\n",
        b->repeats);
    if (!counted) printf("  Instructions are not known: the program was built without cuobjdump or python3.\n");
}

void bench_rate_print(const struct bench *b, const struct course *c, const char *unit)
{
    const struct session *s = c->session;
    const struct machine m = bench_machine(b, 0);
    const struct limit l = limit_of_step(&s->engine, &m);
    const double rate = tally_median(&c->step), points = bench_points(s);
    printf(
        "\n  The step: %.3f G%s-steps/s, best %.3f, worst -%.0f %%, %d times %ld steps without marks; %.4g ms a step",
        rate * giga, unit, c->step.best * giga, tally_spread(&c->step), c->step.n, c->steps, 1e3 * points / rate);
    if (l.seconds > 0)
        printf(";\n  %.0f bytes and %.0f flop a %s and step; limit %.3f, of which it reaches %.0f %%", l.bytes, l.flops,
               unit, giga / l.seconds, 100 * rate * l.seconds);
    printf("\n");
}
