/* Which reaches are declared by nobody else: found from the plan that follows from a program's tables, by following row
 * by row what is NaN where no value was due.
 *
 * A stage that reaches a row less than it does is covered as long as the rows that it reads beyond its word are there
 * all the same: another stage reaches as far at the same state of the field, another field or an op later in the pass
 * asks for as many rows, ghosts are filled for a deeper read, a lag follows from something else. All of that is in the
 * plan of the tables with the lie. What is NaN is underrated: numbers that are old, single points, columns, boxes and
 * what may be zero on a face count as right; and memory that is no row of the field may hold anything.
 * SPDX-License-Identifier: MIT */
#include "support_lie.h"

#include "pipeline/plan.h"
#include "pipeline/plan_lags.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Rows by their distance beyond an edge, from those INSIDE - 1 within it up; bit INSIDE is the last row within. */
enum { INSIDE = 24, ROWS = 64 };
typedef uint64_t rows_set;

static rows_set rows_to(int distance)
{
    const int n = distance + INSIDE + 1;
    return n <= 0 ? 0 : n >= ROWS ? ~(rows_set)0 : ((rows_set)1 << n) - 1;
}

/* Rows whose neighbours at this distance are in the set. */
static rows_set rows_seeing(rows_set of, int away) { return away >= 0 ? of >> away : of << -away; }

struct walk {
    const struct program *p;
    const struct plan *plan;
    enum lie kind;
    int north; /* 1: the edge is the northern one of a slab, a rank or the domain */
    int own; /* rows within it */
    rows_set bad[2 * SF_MAX_FIELDS]; /* by storage: rows that are NaN, but for what a stage or a side makes zero */
};

static const struct engine_options cuts[LIE_KINDS] = {
    [LIE_SLABS] = {.threads = 1, .slabs = 2, .overlapped = 1, .window_rows = 1000, .window_levels = 1000, .poison = 1},
    [LIE_EXCHANGE] =
        {.threads = 1, .slabs = 1, .window_rows = 1000, .window_levels = 1000, .exchange = EXCHANGE_OP, .poison = 1},
    [LIE_SIDE] = {.threads = 1, .slabs = 1, .window_rows = 1000, .window_levels = 1000, .poison = 1},
    [LIE_LAG] = {.threads = 1, .slabs = 1, .window_rows = 1, .window_levels = 1000, .poison = 1},
};

/* Is all of a row NaN where what it is made from is? Not where a side makes a face zero. */
static int has_whole_rows(const struct walk *w, int f)
{
    const struct field *x = &w->p->in.field[f];
    if (x->bytes || x->shape == SHAPE_BOX || x->shape == SHAPE_LEVELS) return 0;
    for (int axis = 0; axis < 3; axis++)
        if ((x->stagger >> axis & 1) && (x->ghost[2 * axis] == GHOST_ODD || x->ghost[2 * axis + 1] == GHOST_ODD))
            return 0;
    return w->kind != LIE_SIDE || !(x->stagger & STAG_Y);
}

static void walk_begin(struct walk *w)
{
    const struct plan *plan = w->plan;
    const int loaded = w->north ? plan->north : plan->south, ghosts = max_int(plan->gj, 1);
    const int stored = w->kind == LIE_SLABS      ? loaded + (w->north ? 2 : 0)
                       : w->kind == LIE_EXCHANGE ? max_int(loaded, ghosts)
                                                 : ghosts;
    for (int id = 0; id < plan->nids; id++) {
        const struct field *x = &w->p->in.field[plan->field_of[id]];
        const int passing = x->role == ROLE_SCRATCH || id != plan->field_of[id];
        const rows_set there = passing                                             ? 0
                               : w->kind == LIE_SLABS                              ? rows_to(loaded)
                               : w->kind == LIE_EXCHANGE && x->role != ROLE_STATIC ? rows_to(0)
                                                                                   : ~(rows_set)0;
        w->bad[id] = has_whole_rows(w, plan->field_of[id]) && w->kind != LIE_LAG ? rows_to(stored) & ~there : 0;
    }
}

/* Rows of the own ones where op n reads what no op has written yet, for its window comes first. */
static rows_set rows_early(const struct walk *w, int n, int id, int dj)
{
    const struct plan_op *o = &w->plan->op[n];
    const struct field *x = &w->p->in.field[w->plan->field_of[id]];
    const struct plan_op *writer = NULL;
    int writes = 0;
    for (int m = 0; m < n; m++)
        for (int a = 0; a < w->plan->op[m].naccess; a++)
            if (w->plan->op[m].access[a].id == id && access_writes(w->plan->op[m].access[a].mode))
                writer = &w->plan->op[m], writes++;
    if (x->role != ROLE_SCRATCH && id == w->plan->field_of[id]) return 0; /* a kept field's own bank: old numbers */
    if (w->kind != LIE_LAG || !has_whole_rows(w, w->plan->field_of[id]) || writes != 1 ||
        dj + writer->lag[0] <= o->lag[0])
        return 0;
    return rows_to(0) & ~rows_to(dj - w->own); /* row r, -r beyond the southern side, reads row r + dj */
}

static void op_walk(struct walk *w, int n)
{
    const struct plan_op *o = &w->plan->op[n];
    const struct spec *x = &w->p->spec[o->op.arg];
    const rows_set done = rows_to(w->kind == LIE_SIDE || w->kind == LIE_LAG ? 0 : w->north ? o->north : o->south);
    const int to = o->access[o->settles].id;
    if (o->settles) w->bad[to] = (w->bad[to] & ~done) | (w->bad[o->access[0].id] & done);
    if (o->settles || x->column || x->sparse || !has_whole_rows(w, w->plan->field_of[to])) return;
    rows_set bad = x->how == ACCESS_UPDATE ? w->bad[to] : 0;
    for (int t = 0; t < x->nterms; t++) {
        const int id = o->access[t + 1].id, dj = x->term[t].dj;
        bad |= rows_seeing(w->bad[id], w->north ? dj : -dj) | rows_early(w, n, id, dj);
    }
    w->bad[to] = (w->bad[to] & ~done) | (bad & done);
}

/* Ghost rows are filled this deep, or come from others. */
static void rows_arrive(struct walk *w, int id, int south, int north)
{
    w->bad[id] &= ~rows_to(w->north ? north : south) | rows_to(0);
}

/* Does NaN come to a row of the domain in a pass from the start? */
static int walk_ends_badly(struct walk *w)
{
    walk_begin(w);
    for (int s = 0; s < w->plan->nsegments; s++) {
        const struct plan_segment *g = &w->plan->segment[s];
        for (int h = 0; h < g->nhalo; h++) rows_arrive(w, g->halo[h].id, g->halo[h].south, g->halo[h].north);
        for (int n = g->op0; n < g->op1; n++) {
            const struct plan_op *o = &w->plan->op[n];
            if (o->op.every > 1 && o->step % o->op.every) continue;
            op_walk(w, n);
            for (int m = 0; m < o->nfill && w->kind == LIE_SIDE; m++)
                rows_arrive(w, o->fill[m].id, o->fill[m].depth.jm, o->fill[m].depth.jp);
        }
    }
    for (int f = 0; f < w->p->nkept; f++)
        if (has_whole_rows(w, f) && (w->bad[w->plan->last_id[f]] & rows_to(0) & ~rows_to(-w->own))) return 1;
    return 0;
}

/* Are there enough rows for what is beyond an edge to be beyond no other? */
static int has_room(const struct walk *w)
{
    const struct plan *plan = w->plan;
    const int beyond = max_int(plan->south, plan->north) + plan->gj + 2;
    if (w->p->grid.nx < 2 || beyond + INSIDE >= ROWS || w->own <= beyond) return 0;
    return w->kind != LIE_SIDE || !w->north || !plan->extend_n; /* else the row beyond the last is a face */
}

/* Does this cut of the program, as it is declared, come to NaN by itself? -1: it is none of the kind, or an error. */
static int cut_fails(const struct program *p, int steps, enum lie kind)
{
    const int periodic = p->sides == SIDE_PERIODIC, rows = kind == LIE_SLABS ? p->grid.ny / 2 : p->grid.ny;
    const struct cut cut = {.rows = rows,
                            .seams = periodic,
                            .sided = kind == LIE_SLABS && !periodic,
                            .streamed = kind == LIE_SLABS,
                            .by_op = kind == LIE_EXCHANGE};
    struct plan plan;
    if (kind != LIE_SLABS && periodic != (kind == LIE_EXCHANGE)) return -1;
    const struct plan_program program = {.op = p->op, .nops = p->in.nops};
    if (plan_make(&plan, p->in.field, p->in.nfields, p->stage, p->model.nstages, &program, steps, &cut)) return -1;
    int fails = -1;
    for (int north = 0; north < (kind == LIE_LAG ? 1 : 2) && fails < 1; north++) {
        struct walk w = {.p = p, .plan = &plan, .kind = kind, .north = north, .own = rows};
        if (has_room(&w)) fails = walk_ends_badly(&w);
    }
    plan_free(&plan);
    return fails;
}

int program_lie(struct program *p, int steps, enum lie kind, struct engine_options *o)
{
    *o = cuts[kind];
    o->steps_per_pass = steps;
    const int honest = cut_fails(p, steps, kind);
    if (honest) return honest > 0 ? -1 : 0;
    for (int n = 0; n < p->model.nstages; n++)
        for (int t = 0; t < p->spec[n].nterms; t++) {
            struct reach *const reach = &p->stage[n].access[t + 1].reach, was = *reach;
            if (reach->jm) reach->jm--;
            if (reach->jp) reach->jp--;
            if (memcmp(reach, &was, sizeof was) != 0 && cut_fails(p, steps, kind) == 1) return 1;
            *reach = was;
        }
    return 0;
}
