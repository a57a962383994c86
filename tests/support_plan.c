/* Tables of stages small enough to plan by hand. SPDX-License-Identifier: MIT */
#include "support_plan.h"

#include <criterion/criterion.h>
#include <string.h>

#include "pipeline/error.h"

void table_field(struct table *t, enum role role, unsigned stagger, enum ghost south, enum ghost north)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    t->field[t->nfields] = (struct field){.name = names[t->nfields],
                                          .role = role,
                                          .shape = SHAPE_FULL,
                                          .stagger = stagger,
                                          .banks = 1,
                                          .ghost = {[FACE_S] = south, [FACE_N] = north}};
    t->nfields++;
}

void table_stage(struct table *t, struct stage s)
{
    s.name = "s";
    t->op[t->nops++] = (struct op){.stage = t->nstages, .dt_factor = 1, .every = 1};
    t->stage[t->nstages++] = s;
}

struct table table_two_stencils(void)
{
    struct table t = {.nfields = 0};
    table_field(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    table_field(&t, ROLE_SCRATCH, 0, GHOST_EVEN, GHOST_EVEN);
    table_stage(&t, (struct stage){.access = {READS(A, ROWS(1, 1)), WRITES(B)}});
    table_stage(&t, (struct stage){.access = {READS(B, ROWS(2, 2)), UPDATES(A)}});
    return t;
}

const struct cut by_pass = {.rows = 100, .seams = 1, .by_pass = 1}, by_op = {.rows = 100, .seams = 1, .by_op = 1},
                 streamed = {.rows = 100, .seams = 1, .streamed = 1},
                 on_device = {.rows = 100, .seams = 1, .by_pass = 1, .on_device = 1};

int table_plan(struct plan *p, const struct table *t, int steps, const struct cut *cut)
{
    sf_error_clear();
    const struct plan_program program = {.op = t->op, .nops = t->nops};
    return plan_make(p, t->field, t->nfields, t->stage, t->nstages, &program, steps, cut);
}

struct table table_two_parts(void)
{
    struct table t = {.nfields = 0};
    table_field(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    t.field[A].banks = 2;
    table_stage(&t, (struct stage){.access = {READS(A, ROWS(1, 1)), WRITES(A)}});
    table_stage(&t, (struct stage){.access = {READS_OTHER(A, ROWS(2, 2)), REWRITES(A)}});
    return t;
}

void fill_is(const struct plan *p, int op, int id, struct reach depth)
{
    for (int n = 0; n < p->op[op].nfill; n++) {
        const struct plan_fill *f = &p->op[op].fill[n];
        if (f->id != id) continue;
        cr_assert(memcmp(&f->depth, &depth, sizeof depth) == 0, "op %d fills storage %d to %d %d %d %d %d %d", op, id,
                  f->depth.im, f->depth.ip, f->depth.km, f->depth.kp, f->depth.jm, f->depth.jp);
        return;
    }
    cr_assert_fail("op %d does not fill storage %d", op, id);
}

void fills_nothing(const struct plan *p, int op, int id)
{
    for (int n = 0; n < p->op[op].nfill; n++) cr_assert(p->op[op].fill[n].id != id, "op %d fills storage %d", op, id);
}

void halo_is(const struct plan_segment *g, int n, int id, int south, int north)
{
    const struct plan_rows *h = &g->halo[n];
    cr_assert(n < g->nhalo && h->id == id && h->south == south && h->north == north, "storage %d: %d and %d rows",
              h->id, h->south, h->north);
}

void lags_are(const struct plan *p, int op, int to_north, int to_south)
{
    cr_assert(p->op[op].lag[0] == to_north && p->op[op].lag[1] == to_south, "op %d lags %d and %d, not %d and %d", op,
              p->op[op].lag[0], p->op[op].lag[1], to_north, to_south);
}
