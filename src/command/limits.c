/* Limits by memory, instructions and arithmetic. SPDX-License-Identifier: MIT */
#include "command/limits.h"

#include "pipeline/traffic.h"

const char *limit_name(enum limit_by by)
{
    static const char *const name[LIMITS] = {"memory", "issue", "FMA"};
    return name[by];
}

/* Instructions of a point of a stage's kernel, where it has run. */
static int count_of_op(const struct engine *e, const struct plan_op *o, struct instructions *to)
{
    if (!e->stage_time) return 0;
    const struct engine_stage_time *const t = &e->stage_time[o->op.stage];
    enum { WARP = 32 };
    struct kernel_figures f;
    int n, stored = 0;
    const struct sass_row *const table = sass_table(&n);
    if (!e->backend->is_device || !t->launch.kernel || e->backend->kernel(&t->launch, &f)) return 0;
    /* What lies on a part of the domain is written by other kernels of the stage. */
    for (int a = 0; a < o->naccess; a++)
        stored += e->pass[0].plan.form[o->access[a].id].shape == SHAPE_FULL && o->access[a].mode != ACCESS_READ &&
                  !(e->in->field[e->pass[0].plan.field_of[o->access[a].id]].share > 0);
    const struct sass_use use = {.stores = stored * (int)(sizeof(real) / 4),
                                 .flops = o->stage->flops,
                                 .points = t->launch_points / t->launch.threads,
                                 .is_column = o->stage->unit == UNIT_COLUMN,
                                 .warps = (t->launch.block + WARP - 1) / WARP};
    return sass_count(table, n, f.name, &use, to);
}

static double share(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

static void longest_find(struct limit *l)
{
    for (int n = 0; n < LIMITS; n++)
        if (l->part[n] > l->part[l->by]) l->by = (enum limit_by)n;
}

struct limit limit_of_op(const struct engine *e, const struct plan_op *o, const struct machine *m)
{
    struct limit l = {.bytes = traffic_of_op(e->in, &e->pass[0].plan, o), .flops = flops_of_op(o)};
    l.is_counted = count_of_op(e, o, &l.count);
    l.part[LIMIT_MEMORY] = share(l.bytes, m->memory);
    l.part[LIMIT_ISSUE] = share(instructions_all(&l.count), m->issue);
    l.part[LIMIT_FMA] = share(l.flops, m->fma);
    longest_find(&l);
    l.seconds = l.part[l.by];
    return l;
}

static void op_add(struct limit *sum, const struct limit *l, double times, double by[LIMITS])
{
    sum->bytes += times * l->bytes, sum->flops += times * l->flops;
    sum->count.fp += times * l->count.fp, sum->count.memory += times * l->count.memory;
    sum->count.words += times * l->count.words, sum->count.other += times * l->count.other;
    sum->seconds += times * l->seconds;
    by[l->by] += times * l->seconds;
    for (int n = 0; n < LIMITS; n++) sum->part[n] += times * l->part[n];
}

struct limit limit_of_step(const struct engine *e, const struct machine *m)
{
    const struct plan *const p = &e->pass[0].plan;
    const int cuts = e->opt.overlapped ? e->slabs - 1 : 0;
    struct limit sum = {.is_counted = 1};
    double by[LIMITS] = {0}, beyond = 0; /* s, times rows that are computed beyond the own ones */
    for (int n = 0; n < p->nops; n++) {
        const struct plan_op *const o = &p->op[n];
        if (!op_is_everywhere(e->in, p, o)) continue;
        const struct limit l = limit_of_op(e, o, m);
        const double times = 1.0 / SF_MAX(o->op.every, 1) / p->steps;
        op_add(&sum, &l, times, by);
        beyond += times * l.seconds * ((e->seam_s + cuts) * o->south + (e->seam_n + cuts) * o->north);
        sum.is_counted &= plan_op_is_own(o) || l.is_counted; /* of its own the engine computes next to nothing */
    }
    sum.rows = sum.seconds > 0 ? 1 + beyond / sum.seconds / (e->state->jb - e->state->ja) : 1;
    if (!e->backend->is_device) {
        sum.part[LIMIT_MEMORY] = share(traffic_of(e->in, p).least, m->memory);
        longest_find(&sum);
        sum.seconds = sum.part[sum.by];
        return sum;
    }
    for (int n = 0; n < LIMITS; n++)
        if (by[n] > by[sum.by]) sum.by = (enum limit_by)n;
    return sum;
}
