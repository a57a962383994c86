/* Plans small enough to work out by hand: rows to compute and to exchange, lags, cuts of a pass into segments, banks,
 * families, far faces, and the tables that are refused. SPDX-License-Identifier: MIT */
#include "support_plan.h"

#include <criterion/criterion.h>
#include <string.h>

#include "pipeline/error.h"

static void rows_are(const struct plan *p, int op, int south, int north)
{
    cr_assert(p->op[op].south == south && p->op[op].north == north, "op %d computes %d and %d rows more, not %d and %d",
              op, p->op[op].south, p->op[op].north, south, north);
}

/* ---- rows and lags ---- */

Test(plan, one_step_of_two_stencils)
{
    const struct table t = table_two_stencils();
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
    cr_assert(p.nops == 2 && p.nsegments == 1 && p.nids == 2);
    /* a's own rows need b 2 beyond them, which needs a 3 beyond. b is made here: not exchanged. */
    rows_are(&p, 1, 0, 0), rows_are(&p, 0, 2, 2);
    cr_assert_eq(p.segment[0].nhalo, 1);
    halo_is(&p.segment[0], 0, A, 3, 3);
    cr_assert(p.south == 3 && p.north == 3 && p.gj == 2 && p.gi == 0 && p.gk == 0);
    /* The first waits for the row of a north of its own; the second for b two rows on, 1 + 2. Behind its 3 rows of lag
     * it still reads 2 more. */
    lags_are(&p, 0, 1, 1), lags_are(&p, 1, 3, 3);
    cr_assert(p.segment[0].lag[0] == 3 && p.segment[0].edge[0] == 5 && p.segment[0].edge[1] == 5);
    plan_free(&p);
}

Test(plan, two_steps_need_twice_the_rows)
{
    const struct table t = table_two_stencils();
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 2, &by_pass), 0);
    rows_are(&p, 3, 0, 0), rows_are(&p, 2, 2, 2), rows_are(&p, 1, 3, 3), rows_are(&p, 0, 5, 5);
    halo_is(&p.segment[0], 0, A, 6, 6);
    /* b must not be made anew before the first step has read it two rows on: 3 + 2, more than 3 + 1 for reading a. */
    lags_are(&p, 2, 5, 5), lags_are(&p, 3, 7, 7);
    cr_assert_eq(p.segment[0].edge[0], 9);
    cr_assert(p.op[0].step == 0 && p.op[2].step == 1);
    plan_free(&p);
}

/* Reaching one way only, a sweep against it must wait, and one along it only where the far side mirrors. */
Test(plan, upwind_stencils_lag_by_direction)
{
    for (int staggered = 0; staggered < 2; staggered++) {
        struct table t = {.nfields = 0};
        table_field(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
        table_field(&t, ROLE_SCRATCH, staggered ? STAG_Y : STAG_CENTRE, GHOST_ODD, GHOST_ODD);
        table_stage(&t, (struct stage){.access = {READS(A, ROWS(0, 0)), WRITES(B)}});
        table_stage(&t, (struct stage){.access = {READS(B, ROWS(2, 0)), UPDATES(A)}});
        struct plan p;
        cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
        rows_are(&p, 0, 2, 0);
        halo_is(&p.segment[0], 0, A, 2, 0);
        /* Northward, row 0 reads row -2 of b, which is row 1 of cells, row 2 of faces. */
        lags_are(&p, 0, 0, 0), lags_are(&p, 1, staggered ? 2 : 1, 2);
        plan_free(&p);
    }
}

/* v, on faces, from p to both sides of it, and p from v to both sides of that, in turns, in place: a row more with
 * every pair and no more, for face nj is zero and wants nobody to wait. */
Test(plan, small_steps_lag_a_row_a_pair)
{
    enum { PAIRS = 3 };
    struct table t = {.nfields = 0};
    table_field(&t, ROLE_PROGNOSTIC, STAG_Y, GHOST_ODD, GHOST_ODD);
    table_field(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    table_stage(&t, (struct stage){.access = {READS(B, ROWS(1, 0)), UPDATES(A)}});
    table_stage(&t, (struct stage){.access = {READS(A, ROWS(0, 1)), UPDATES(B)}});
    struct plan p;
    const struct cut whole = {.rows = 100, .by_pass = 1};
    cr_assert_eq(table_plan(&p, &t, PAIRS, &whole), SF_OK);
    for (int n = 0; n < PAIRS; n++) lags_are(&p, 2 * n, n, n + 1), lags_are(&p, 2 * n + 1, n + 1, n + 1);
    plan_free(&p);
}

/* The face beyond the last row is computed with that row, and reads one row farther beyond the side than cells do. */
Test(plan, an_op_that_extends_lags_as_if_on_faces)
{
    for (int extend = 0; extend < 2; extend++) {
        struct table t = {.nfields = 0};
        table_field(&t, ROLE_PROGNOSTIC, STAG_Y, GHOST_ODD, GHOST_OPEN);
        table_field(&t, ROLE_SCRATCH, 0, GHOST_EVEN, GHOST_EVEN);
        table_stage(&t, (struct stage){.access = {READS(A, ROWS(0, 0)), WRITES(B)}});
        table_stage(&t, (struct stage){.access = {READS(B, ROWS(0, 2)), UPDATES(A)}, .extend = extend});
        struct plan p;
        cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
        lags_are(&p, 1, 2, extend ? 2 : 1);
        cr_assert_eq(p.gj, extend ? 3 : 2);
        plan_free(&p);
    }
}

Test(plan, rows_without_anything_to_exchange_still_need_room)
{
    struct table t = {.nfields = 0};
    table_field(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    table_field(&t, ROLE_SCRATCH, 0, GHOST_EVEN, GHOST_EVEN);
    table_field(&t, ROLE_STATIC, 0, GHOST_EVEN, GHOST_EVEN);
    t.field[C].shape = SHAPE_LEVELS;
    table_stage(&t, (struct stage){.access = {READS(C, .km = 1), WRITES(B)}});
    table_stage(&t, (struct stage){.access = {READS(B, ROWS(2, 1)), UPDATES(A)}});
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
    cr_assert_eq(p.segment[0].nhalo, 0);
    cr_assert(p.south == 2 && p.north == 1 && p.gk == 1);
    plan_free(&p);
}

/* Static fields come once, as deep as any op reads them beyond the rows that it computes. */
Test(plan, static_fields_reach_beyond_recomputed_rows)
{
    struct table t = table_two_stencils();
    table_field(&t, ROLE_STATIC, 0, GHOST_EVEN, GHOST_EVEN);
    t.stage[0].access[2] = (struct access)READS(C, ROWS(3, 1));
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
    cr_assert_eq(p.segment[0].nhalo, 1);
    cr_assert(p.segment[0].south == 3 && p.south == 2 + 3 && p.north == 3);
    plan_free(&p);
}

/* A rank of few rows between a side and a seam: rows beyond the side are made from rows beyond the seam. */
Test(plan, few_rows_reach_both_ways)
{
    struct table t = table_two_stencils();
    t.stage[1].access[0].reach = (struct reach){ROWS(2, 0)};
    struct cut cut = by_pass;
    struct plan p;
    cut.sided = 1;
    for (int rows = 1; rows <= 5; rows++) {
        cut.rows = rows;
        cr_assert_eq(table_plan(&p, &t, 1, &cut), 0);
        cr_assert_eq(p.few_rows, rows <= 3); /* ghosts are 2 deep */
        rows_are(&p, 0, 2, rows <= 3 ? 2 : 0);
        plan_free(&p);
    }
}

/* ---- segments ---- */

Test(plan, exchange_at_every_op)
{
    const struct table t = table_two_stencils();
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 2, &by_op), 0);
    cr_assert_eq(p.nsegments, 4);
    for (int n = 0; n < 4; n++) {
        const struct plan_segment *g = &p.segment[n];
        cr_assert(g->op0 == n && g->op1 == n + 1 && g->nhalo == 1);
        rows_are(&p, n, 0, 0);
        if (n % 2) halo_is(g, 0, B, 2, 2);
        else halo_is(g, 0, A, 1, 1);
    }
    plan_free(&p);
}

/* In rows of one field moved, for r own rows and w a row for a first visit: fused, 3 r for the second op and 3 (r + 4)
 * for the first, 2 w r, 3 x 6 for a's ghost rows, one latency; apart, 3 r + 2 w r + 3 x 4 and 3 r + 2 w r + 3 x 2, two
 * latencies. Apart is cheaper where 2 w r + latency < 12; w, which was measured, is between 0 and 2, and 0 where rows
 * are in no cache when the next op comes. */
Test(plan, exchanges_where_they_are_cheapest)
{
    const struct table t = table_two_stencils();
    for (int n = 0; n < 2 * 4 * 15; n++) {
        const int device = n % 2, rows = 1 + n / 2 % 4, latency = n / 8;
        const int apart = (device ? 0 : 4 * rows) + latency<12, fused = latency> 12;
        const struct cut cut = {.rows = rows, .seams = 1, .latency_rows = latency, .on_device = device};
        struct plan p;
        if (!apart && !fused) continue;
        cr_assert_eq(table_plan(&p, &t, 1, &cut), 0);
        cr_assert_eq(p.nsegments, apart ? 2 : 1, "%d rows, latency %d, on a device %d", rows, latency, device);
        plan_free(&p);
    }
}

/* Two steps at once need 6 + 6 rows; where fewer may be stored, the pass is cut until they suffice, or as far as it can
 * be. */
Test(plan, segments_keep_to_the_rows_that_may_be_stored)
{
    const struct table t = table_two_stencils();
    for (int most = 14; most >= 1; most--) {
        struct plan p;
        const struct cut cut = {.rows = 100, .seams = 1, .latency_rows = 1e4, .ghost_rows = most};
        cr_assert_eq(table_plan(&p, &t, 2, &cut), 0);
        const int segments = most >= 12 ? 1 : most >= 6 ? 2 : 4;
        cr_assert_eq(p.nsegments, segments, "%d rows: %d segments", most, p.nsegments);
        for (int n = 0; n < p.nsegments; n++)
            cr_assert(p.segment[n].south + p.segment[n].north <= SF_MAX(most, 4), "%d rows: %d + %d", most,
                      p.segment[n].south, p.segment[n].north);
        plan_free(&p);
    }
}

Test(plan, one_segment_where_nothing_can_be_exchanged)
{
    const struct table t = table_two_stencils();
    const struct cut no_seams = {.rows = 1, .by_op = 1}, streamed = {.rows = 1, .seams = 1, .streamed = 1, .by_op = 1};
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 3, &no_seams), 0);
    cr_assert_eq(p.nsegments, 1);
    plan_free(&p);
    cr_assert_eq(table_plan(&p, &t, 3, &streamed), 0);
    cr_assert_eq(p.nsegments, 1);
    halo_is(&p.segment[0], 0, A, 9, 9);
    plan_free(&p);
}

/* ---- far faces ---- */

Test(plan, who_owns_a_far_face)
{
    static const unsigned staggers[] = {STAG_X, STAG_Y, STAG_Z};
    for (int axis = 0; axis < 3; axis++)
        for (int rule = GHOST_NONE; rule <= GHOST_OPEN; rule++)
            for (int kind = 0; kind < 5; kind++) { /* in a cell; on its face; there, without columns; static; fed */
                struct table t = table_two_stencils();
                table_field(&t, kind == 4 ? ROLE_FED : ROLE_STATIC, 0, GHOST_ODD, GHOST_ODD);
                struct field *const x = &t.field[kind > 1 ? C : A];
                for (int n = 0; n < FACES; n++) x->ghost[n] = GHOST_ODD;
                x->ghost[2 * axis + 1] = (enum ghost)rule;
                x->stagger = kind ? staggers[axis] : 0;
                if (kind == 2) x->shape = SHAPE_BOX;
                struct plan p;
                cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
                const int own = kind == 1 && (rule == GHOST_EVEN || rule == GHOST_OPEN);
                cr_assert(p.extend_e == (own && axis == 0) && p.extend_n == (own && axis == 1) &&
                          p.extend_t == (own && axis == 2));
                static const enum face far[] = {FACE_E, FACE_N, FACE_T};
                cr_assert_eq(field_owns_far(x, far[axis]),
                             kind && kind != 2 && (rule == GHOST_EVEN || rule == GHOST_OPEN));
                plan_free(&p);
            }
}

/* ---- banks, skipped steps, families ---- */

Test(plan, banks_alternate_and_settle)
{
    struct table t = {.nfields = 0};
    table_field(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    t.field[A].banks = 2;
    table_stage(&t, (struct stage){.access = {READS(A, ROWS(1, 1)), WRITES(A)}});
    for (int steps = 1; steps <= 4; steps++) {
        struct plan p;
        cr_assert_eq(table_plan(&p, &t, steps, &by_pass), 0);
        cr_assert(p.nids == 2 && p.bank_id[A] == 1 && p.field_of[1] == A);
        for (int n = 0; n < steps; n++) {
            cr_assert(p.op[n].access[0].id == n % 2 && p.op[n].access[1].id == (n + 1) % 2);
            fill_is(&p, n, (n + 1) % 2, (struct reach){ROWS(1, 1)}); /* also across the end of the pass */
            rows_are(&p, n, steps - 1 - n, steps - 1 - n);
        }
        cr_assert_eq(p.last_id[A], steps % 2);
        halo_is(&p.segment[0], 0, A, steps, steps);
        plan_free(&p);
    }
}

Test(plan, a_step_goes_back_to_where_it_started)
{
    const struct table t = table_two_parts();
    for (int steps = 1; steps <= 3; steps++) {
        struct plan p;
        cr_assert_eq(table_plan(&p, &t, steps, &by_pass), 0, "%s", sf_error_text());
        for (int n = 0; n < 2 * steps; n++) {
            const struct plan_access *from = &p.op[n].access[0], *to = &p.op[n].access[1];
            const int start = n / 2 % 2; /* the bank where it is at the start of the step */
            cr_assert(from->id == start && from->mode == ACCESS_READ && from->reach.jm == 1 + n % 2 &&
                      from->reach.jp == 1 + n % 2);
            cr_assert(to->id == !start && to->mode == ACCESS_WRITE && to->reach.jm == 0);
        }
        /* What the second part leaves is read by both parts of the next step; what the first one leaves, by nobody. */
        fills_nothing(&p, 2 * steps - 2, steps % 2);
        fill_is(&p, 2 * steps - 1, steps % 2, (struct reach){ROWS(2, 2)});
        rows_are(&p, 2 * steps - 1, 0, 0);
        halo_is(&p.segment[0], 0, A, 2 * steps, 2 * steps);
        cr_assert(p.last_id[A] == steps % 2 && p.nops == 2 * steps);
        plan_free(&p);
    }
}

/* Where second banks do not outlive a pass, what it leaves there is copied behind all that touches the first; nothing
 * else is. */
Test(plan, a_streamed_pass_of_odd_steps_settles)
{
    struct table t = table_two_parts();
    table_field(&t, ROLE_SCRATCH, 0, GHOST_EVEN, GHOST_EVEN);
    t.field[B].banks = 2;
    table_stage(&t, (struct stage){.access = {READS(A, ROWS(0, 0)), WRITES(B)}});
    for (int steps = 1; steps <= 4; steps++) {
        struct plan p;
        cr_assert_eq(table_plan(&p, &t, steps, &streamed), 0, "%s", sf_error_text());
        cr_assert(p.last_id[A] == A && p.nsegments == 1 && p.segment[0].op1 == p.nops);
        cr_assert_eq(p.nops, 3 * steps + steps % 2);
        const struct plan_op *last = &p.op[p.nops - 1];
        cr_assert_eq(last->settles, steps % 2);
        if (last->settles) {
            cr_assert(last->naccess == 2 && last->access[0].id == p.bank_id[A] && last->access[0].mode == ACCESS_READ);
            cr_assert(last->access[1].id == A && last->access[1].mode == ACCESS_WRITE && last->op.every == 1);
            cr_assert(last->step == steps - 1 && last->op.stage == t.nstages);
            fill_is(&p, p.nops - 1, A, (struct reach){ROWS(2, 2)});
            rows_are(&p, p.nops - 1, 0, 0);
            for (int dir = 0; dir < 2; dir++) /* the second part reads two rows of the first bank behind its own */
                cr_assert(last->lag[dir] >= p.op[p.nops - 3].lag[dir] + 2 && last->lag[dir] <= p.segment[0].lag[dir]);
        }
        plan_free(&p);
        cr_assert_eq(table_plan(&p, &t, steps, &by_pass), 0);
        cr_assert(p.nops == 3 * steps && p.last_id[A] == (steps % 2 ? p.bank_id[A] : A));
        plan_free(&p);
    }
}

Test(plan, an_op_that_skips_steps_leaves_old_values)
{
    struct table t = table_two_stencils();
    table_field(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    table_stage(&t, (struct stage){.access = {READS(A, ROWS(1, 0)), WRITES(C)}});
    t.op[2].every = 3;
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
    cr_assert_eq(p.op[2].access[1].mode, ACCESS_UPDATE);
    /* c is alive before the step too, on the own rows; nothing of it is exchanged. */
    cr_assert_eq(p.segment[0].nhalo, 1);
    halo_is(&p.segment[0], 0, A, 4, 3);
    plan_free(&p);
}

Test(plan, an_op_works_on_its_member_of_a_family)
{
    struct table t = {.nfields = 0};
    for (int n = 0; n < 6; n++) table_field(&t, n < 2 ? ROLE_PROGNOSTIC : ROLE_TRACER, 0, GHOST_EVEN, GHOST_EVEN);
    table_stage(&t, (struct stage){.access = {{.field = C, .mode = ACCESS_UPDATE, .family = 2}, READS(A, ROWS(1, 1))}});
    for (int n = 1; n < 2; n++) t.op[t.nops++] = (struct op){.dt_factor = 1, .every = 1, .member = n};
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
    cr_assert(p.op[0].access[0].id == 2 && p.op[1].access[0].id == 4 && p.op[1].access[1].id == A);
    fills_nothing(&p, 1, 4);
    plan_free(&p);
    t.op[1].member = 2;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), SF_INTERNAL);
    cr_assert(strstr(sf_error_text(), "beyond the family"), "%s", sf_error_text());
}

Test(plan, an_op_works_on_all_members_of_a_family)
{
    struct table t = {.nfields = 0};
    for (int n = 0; n < 6; n++) table_field(&t, n < 2 ? ROLE_PROGNOSTIC : ROLE_TRACER, 0, GHOST_EVEN, GHOST_EVEN);
    for (int f = 2; f < 6; f++) t.field[f].banks = 2;
    table_stage(&t, (struct stage){.access = {{.field = C, .mode = ACCESS_WRITE, .family = 2},
                                              {.field = C, .mode = ACCESS_READ, .reach = {ROWS(2, 3)}, .family = 2},
                                              {.field = C + 1, .mode = ACCESS_UPDATE, .family = 2, .nth = 1},
                                              READS(A, ROWS(1, 1))}});
    t.op[0].members = 2;
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0, "%s", sf_error_text());
    static const int id[7] = {6, 8, 2, 4, 3, 5, A}, member[7] = {0, 1, 0, 1, 0, 1, -1}, nth[7] = {0, 0, 0, 0, 1, 1, 0};
    cr_assert_eq(p.op[0].naccess, 7);
    for (int a = 0; a < 7; a++) {
        const struct plan_access *const x = &p.op[0].access[a];
        cr_assert(x->id == id[a] && x->member == member[a] && x->nth == nth[a], "access %d: %d %d %d", a, x->id,
                  x->member, x->nth);
        cr_assert_eq(x->field, a < 4 ? C : a < 6 ? C + 1 : A);
    }
    for (int f = 2; f < 6; f++) cr_assert_eq(p.last_id[f] != f, f % 2 == 0, "field %d", f); /* both have moved */
    plan_free(&p);
    t.op[0].members = 3;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), SF_INTERNAL);
    cr_assert(strstr(sf_error_text(), "beyond the family"), "%s", sf_error_text());
    t.op[0].members = MEMBERS_MOST + 1;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), SF_INTERNAL);
}

/* ---- tables that contradict themselves ---- */

static struct box changes_nothing(const struct call *c, struct box b) { return (void)c, (void)b, (struct box){0}; }

static void refused(const struct table *t, const char *why)
{
    struct plan p;
    cr_assert_eq(table_plan(&p, t, 1, &by_pass), SF_INTERNAL, "not refused: %s", why);
    cr_assert(strstr(sf_error_text(), why), "'%s' does not say '%s'", sf_error_text(), why);
    plan_free(&p);
}

Test(plan, contradictions_are_refused)
{
    struct table t = table_two_stencils();
    t.stage[1].access[0] = (struct access)READS(A, ROWS(1, 0));
    refused(&t, "has one bank");
    t.field[A].banks = 2;
    refused(&t, "reads and updates");

    t = table_two_stencils();
    t.stage[0].access[2] = (struct access)UPDATES(B);
    refused(&t, "twice");

    t = table_two_stencils();
    t.field[B].role = ROLE_STATIC;
    refused(&t, "static field b");

    t = table_two_stencils();
    t.stage[0].access[0].field = 2;
    refused(&t, "no field 2");

    t = table_two_stencils();
    for (int n = 0; n < STAGE_MAX_ACCESS; n++) t.stage[0].access[n] = (struct access)READS(A, ROWS(1, 0));
    refused(&t, "too many accesses");

    t = table_two_stencils();
    t.op[1].stage = 2;
    refused(&t, "no stage 2");

    t = table_two_parts();
    t.field[A].banks = 1;
    t.stage[0].access[0] = (struct access)UPDATES(A), t.stage[0].access[1].mode = ACCESS_END;
    refused(&t, "one bank: declare two");
    t.stage[1].access[0] = (struct access)REWRITES(A), t.stage[1].access[1].mode = ACCESS_END;
    refused(&t, "one bank: declare two");

    static const struct access read = READS(A, ROWS(1, 1)), other = READS_OTHER(A, ROWS(1, 1)), write = WRITES(A),
                               rewrite = REWRITES(A), update = UPDATES(A);
    const struct {
        const struct access *one, *two;
        const char *why;
    } wrong[] = {{&read, &other, "both banks of field a"},        {&other, &write, "in the bank that it writes"},
                 {&read, &rewrite, "in the bank that it writes"}, {&read, &update, "reads and updates field a"},
                 {&write, &rewrite, "writes field a twice"},      {&update, &rewrite, "writes field a twice"}};
    for (size_t n = 0; n < sizeof wrong / sizeof wrong[0]; n++)
        for (int turned = 0; turned < 2; turned++) {
            t = table_two_parts();
            t.stage[1].access[turned] = *wrong[n].one, t.stage[1].access[!turned] = *wrong[n].two;
            refused(&t, wrong[n].why);
        }
    t = table_two_parts();
    t.stage[1].changes = changes_nothing;
    refused(&t, "writes all of a");

    t = table_two_stencils();
    t.nops = 0;
    refused(&t, "no ops");
}

/* Families contradict themselves only as the member that an op names. */
Test(plan, contradictions_of_members_are_refused)
{
    const struct access member_read = {.field = C, .family = 1, .mode = ACCESS_READ, .reach = {ROWS(1, 1)}};
    const struct access member_update = {.field = C, .family = 1, .mode = ACCESS_UPDATE};
    const struct access member_write = {.field = C, .family = 1, .mode = ACCESS_WRITE};
    struct table t = {.nfields = 0};
    for (int n = 0; n < 5; n++) table_field(&t, n < 2 ? ROLE_PROGNOSTIC : ROLE_TRACER, 0, GHOST_EVEN, GHOST_EVEN);
    table_stage(&t, (struct stage){.access = {member_read, member_update}});
    refused(&t, "reads and changes field c");
    t.op[0].member = 2;
    refused(&t, "reads and changes field e");
    t.stage[0].access[0] = member_write;
    refused(&t, "writes field e twice");
    t.stage[0].access[0] = (struct access){.field = A, .family = 1, .mode = ACCESS_READ, .reach = {ROWS(1, 1)}};
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0, "%s", sf_error_text()); /* reads c, the third from a on */
    plan_free(&p);
    /* A family and a field of its own name meet in one member, and in no other. */
    t.stage[0].access[0] = (struct access)READS(D, ROWS(0, 1));
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
    plan_free(&p);
    t.op[0].member = 1;
    refused(&t, "reads and changes field d");
    t.stage[0].access[0].field = C; /* whose place in the slab is that of the family */
    refused(&t, "names field c alone and as the first of a family");
    t.field[D].role = ROLE_STATIC;
    refused(&t, "static field d");
    /* In either order. */
    t = table_two_stencils();
    t.field[A].banks = 2;
    t.stage[1].access[0] = (struct access)UPDATES(A);
    t.stage[1].access[1] = (struct access)READS(A, ROWS(1, 0));
    refused(&t, "reads and updates");
    t.op[0].member = -1;
    t.stage[0].access[0] = member_read;
    refused(&t, "beyond the family");
}

Test(plan, scratch_is_written_before_it_is_read)
{
    struct table t = table_two_stencils();
    const struct op first = t.op[0];
    t.op[0] = t.op[1];
    t.op[1] = first;
    refused(&t, "scratch field b");
    t = table_two_stencils();
    t.op[0].every = 2; /* and in every step */
    refused(&t, "scratch field b");
}

/* What a field was, its second bank does not know before the pass has written it. */
Test(plan, a_second_bank_is_written_before_it_is_read)
{
    struct table t = table_two_parts();
    const struct op first = t.op[0];
    t.op[0] = t.op[1];
    t.op[1] = first;
    refused(&t, "second bank of field a");
    t = table_two_parts();
    t.field[A].role = ROLE_SCRATCH; /* nor does the first one of a scratch field */
    t.stage[0].access[0] = t.stage[0].access[1], t.stage[0].access[1].mode = ACCESS_END;
    refused(&t, "scratch field a");
}

Test(plan, banks_change_in_every_step)
{
    struct table t = table_two_stencils();
    t.field[A].banks = 2;
    t.stage[1].access[1] = (struct access)WRITES(A);
    t.op[1].every = 2;
    refused(&t, "runs every step");
}
