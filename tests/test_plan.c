/* Plans small enough to work out by hand: rows to compute and to exchange, lags, fills, cuts of a pass into segments, banks,
 * families, far faces, and the tables that are refused. SPDX-License-Identifier: MIT */
#include "pipeline/plan.h"

#include <criterion/criterion.h>
#include <string.h>

#include "pipeline/error.h"

enum { A, B, C, D, MAX_FIELDS = 6, MAX_STAGES = 4, MAX_OPS = 6 };

struct table {
    struct field field[MAX_FIELDS];
    struct stage stage[MAX_STAGES];
    struct op op[MAX_OPS];
    int nfields, nstages, nops;
};

#define READS(id, ...) {.field = (id), .mode = ACCESS_READ, .reach = {__VA_ARGS__}}
#define UPDATES(id) {.field = (id), .mode = ACCESS_UPDATE}
#define WRITES(id) {.field = (id), .mode = ACCESS_WRITE}
#define READS_OTHER(id, ...) {.field = (id), .mode = ACCESS_READ_OTHER, .reach = {__VA_ARGS__}}
#define REWRITES(id) {.field = (id), .mode = ACCESS_REWRITE}
#define ROWS(south, north) .jm = (south), .jp = (north)

static void field_add(struct table *t, enum role role, unsigned stagger, enum ghost south, enum ghost north)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    t->field[t->nfields] = (struct field){.name = names[t->nfields], .role = role, .shape = SHAPE_FULL, .stagger = stagger,
                                          .banks = 1, .ghost = {[FACE_S] = south, [FACE_N] = north}};
    t->nfields++;
}

static void stage_add(struct table *t, struct stage s)
{
    s.name = "s";
    t->op[t->nops++] = (struct op){.stage = t->nstages, .dt_factor = 1, .every = 1};
    t->stage[t->nstages++] = s;
}

/* b = f(a[j - 1 .. j + 1]); a += g(b[j - 2 .. j + 2]) */
static struct table two_stencils(void)
{
    struct table t = {.nfields = 0};
    field_add(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    field_add(&t, ROLE_SCRATCH, 0, GHOST_EVEN, GHOST_EVEN);
    stage_add(&t, (struct stage){.access = {READS(A, ROWS(1, 1)), WRITES(B)}});
    stage_add(&t, (struct stage){.access = {READS(B, ROWS(2, 2)), UPDATES(A)}});
    return t;
}

static const struct cut by_pass = {.rows = 100, .seams = 1, .by_pass = 1}, by_op = {.rows = 100, .seams = 1, .by_op = 1},
                        streamed = {.rows = 100, .seams = 1, .streamed = 1},
                        on_device = {.rows = 100, .seams = 1, .by_pass = 1, .on_device = 1};

static int make(struct plan *p, const struct table *t, int steps, const struct cut *cut)
{
    sf_error_clear();
    return plan_make(p, t->field, t->nfields, t->stage, t->nstages, t->op, t->nops, steps, cut);
}

static void rows_are(const struct plan *p, int op, int south, int north)
{
    cr_assert(p->op[op].south == south && p->op[op].north == north, "op %d computes %d and %d rows more, not %d and %d", op,
              p->op[op].south, p->op[op].north, south, north);
}

static void lags_are(const struct plan *p, int op, int to_north, int to_south)
{
    cr_assert(p->op[op].lag[0] == to_north && p->op[op].lag[1] == to_south, "op %d lags %d and %d, not %d and %d", op,
              p->op[op].lag[0], p->op[op].lag[1], to_north, to_south);
}

static void halo_is(const struct plan_segment *g, int n, int id, int south, int north)
{
    const struct plan_rows *h = &g->halo[n];
    cr_assert(n < g->nhalo && h->id == id && h->south == south && h->north == north, "storage %d: %d and %d rows", h->id,
              h->south, h->north);
}

/* ---- rows and lags ---- */

Test(plan, one_step_of_two_stencils)
{
    const struct table t = two_stencils();
    struct plan p;
    cr_assert_eq(make(&p, &t, 1, &by_pass), 0);
    cr_assert(p.nops == 2 && p.nsegments == 1 && p.nids == 2);
    /* a's own rows need b 2 beyond them, which needs a 3 beyond. b is made here: not exchanged. */
    rows_are(&p, 1, 0, 0), rows_are(&p, 0, 2, 2);
    cr_assert_eq(p.segment[0].nhalo, 1);
    halo_is(&p.segment[0], 0, A, 3, 3);
    cr_assert(p.south == 3 && p.north == 3 && p.gj == 2 && p.gi == 0 && p.gk == 0);
    /* The first waits for the row of a north of its own; the second for b two rows on, 1 + 2. Behind its 3 rows of lag it
     * still reads 2 more. */
    lags_are(&p, 0, 1, 1), lags_are(&p, 1, 3, 3);
    cr_assert(p.segment[0].lag[0] == 3 && p.segment[0].edge[0] == 5 && p.segment[0].edge[1] == 5);
    plan_free(&p);
}

Test(plan, two_steps_need_twice_the_rows)
{
    const struct table t = two_stencils();
    struct plan p;
    cr_assert_eq(make(&p, &t, 2, &by_pass), 0);
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
        field_add(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
        field_add(&t, ROLE_SCRATCH, staggered ? STAG_Y : STAG_CENTRE, GHOST_ODD, GHOST_ODD);
        stage_add(&t, (struct stage){.access = {READS(A, ROWS(0, 0)), WRITES(B)}});
        stage_add(&t, (struct stage){.access = {READS(B, ROWS(2, 0)), UPDATES(A)}});
        struct plan p;
        cr_assert_eq(make(&p, &t, 1, &by_pass), 0);
        rows_are(&p, 0, 2, 0);
        halo_is(&p.segment[0], 0, A, 2, 0);
        /* Northward, row 0 reads row -2 of b, which is row 1 of cells, row 2 of faces. */
        lags_are(&p, 0, 0, 0), lags_are(&p, 1, staggered ? 2 : 1, 2);
        plan_free(&p);
    }
}

/* v, on faces, from p to both sides of it, and p from v to both sides of that, in turns, in place: a row more with every pair and no
 * more, for face nj is zero and wants nobody to wait. */
Test(plan, small_steps_lag_a_row_a_pair)
{
    enum { PAIRS = 3 };
    struct table t = {.nfields = 0};
    field_add(&t, ROLE_PROGNOSTIC, STAG_Y, GHOST_ODD, GHOST_ODD);
    field_add(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    stage_add(&t, (struct stage){.access = {READS(B, ROWS(1, 0)), UPDATES(A)}});
    stage_add(&t, (struct stage){.access = {READS(A, ROWS(0, 1)), UPDATES(B)}});
    struct plan p;
    const struct cut whole = {.rows = 100, .by_pass = 1};
    cr_assert_eq(make(&p, &t, PAIRS, &whole), SF_OK);
    for (int n = 0; n < PAIRS; n++) lags_are(&p, 2 * n, n, n + 1), lags_are(&p, 2 * n + 1, n + 1, n + 1);
    plan_free(&p);
}

/* The face beyond the last row is computed with that row, and reads one row farther beyond the side than cells do. */
Test(plan, an_op_that_extends_lags_as_if_on_faces)
{
    for (int extend = 0; extend < 2; extend++) {
        struct table t = {.nfields = 0};
        field_add(&t, ROLE_PROGNOSTIC, STAG_Y, GHOST_ODD, GHOST_OPEN);
        field_add(&t, ROLE_SCRATCH, 0, GHOST_EVEN, GHOST_EVEN);
        stage_add(&t, (struct stage){.access = {READS(A, ROWS(0, 0)), WRITES(B)}});
        stage_add(&t, (struct stage){.access = {READS(B, ROWS(0, 2)), UPDATES(A)}, .extend = extend});
        struct plan p;
        cr_assert_eq(make(&p, &t, 1, &by_pass), 0);
        lags_are(&p, 1, 2, extend ? 2 : 1);
        cr_assert_eq(p.gj, extend ? 3 : 2);
        plan_free(&p);
    }
}

Test(plan, rows_without_anything_to_exchange_still_need_room)
{
    struct table t = {.nfields = 0};
    field_add(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    field_add(&t, ROLE_SCRATCH, 0, GHOST_EVEN, GHOST_EVEN);
    field_add(&t, ROLE_STATIC, 0, GHOST_EVEN, GHOST_EVEN);
    t.field[C].shape = SHAPE_LEVELS;
    stage_add(&t, (struct stage){.access = {READS(C, .km = 1), WRITES(B)}});
    stage_add(&t, (struct stage){.access = {READS(B, ROWS(2, 1)), UPDATES(A)}});
    struct plan p;
    cr_assert_eq(make(&p, &t, 1, &by_pass), 0);
    cr_assert_eq(p.segment[0].nhalo, 0);
    cr_assert(p.south == 2 && p.north == 1 && p.gk == 1);
    plan_free(&p);
}

/* Static fields come once, as deep as any op reads them beyond the rows that it computes. */
Test(plan, static_fields_reach_beyond_recomputed_rows)
{
    struct table t = two_stencils();
    field_add(&t, ROLE_STATIC, 0, GHOST_EVEN, GHOST_EVEN);
    t.stage[0].access[2] = (struct access)READS(C, ROWS(3, 1));
    struct plan p;
    cr_assert_eq(make(&p, &t, 1, &by_pass), 0);
    cr_assert_eq(p.segment[0].nhalo, 1);
    cr_assert(p.segment[0].south == 3 && p.south == 2 + 3 && p.north == 3);
    plan_free(&p);
}

/* A rank of few rows between a side and a seam: rows beyond the side are made from rows beyond the seam. */
Test(plan, few_rows_reach_both_ways)
{
    struct table t = two_stencils();
    t.stage[1].access[0].reach = (struct reach){ROWS(2, 0)};
    struct cut cut = by_pass;
    struct plan p;
    cut.sided = 1;
    for (int rows = 1; rows <= 5; rows++) {
        cut.rows = rows;
        cr_assert_eq(make(&p, &t, 1, &cut), 0);
        cr_assert_eq(p.few_rows, rows <= 3); /* ghosts are 2 deep */
        rows_are(&p, 0, 2, rows <= 3 ? 2 : 0);
        plan_free(&p);
    }
}

/* ---- segments ---- */

Test(plan, exchange_at_every_op)
{
    const struct table t = two_stencils();
    struct plan p;
    cr_assert_eq(make(&p, &t, 2, &by_op), 0);
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

/* In rows of one field moved, for r own rows and w a row for a first visit: fused, 3 r for the second op and 3 (r + 4) for
 * the first, 2 w r, 3 x 6 for a's ghost rows, one latency; apart, 3 r + 2 w r + 3 x 4 and 3 r + 2 w r + 3 x 2, two
 * latencies. Apart is cheaper where 2 w r + latency < 12; w, which was measured, is between 0 and 2, and 0 where rows are in no cache
 * when the next op comes. */
Test(plan, exchanges_where_they_are_cheapest)
{
    const struct table t = two_stencils();
    for (int n = 0; n < 2 * 4 * 15; n++) {
        const int device = n % 2, rows = 1 + n / 2 % 4, latency = n / 8;
        const int apart = (device ? 0 : 4 * rows) + latency < 12, fused = latency > 12;
        const struct cut cut = {.rows = rows, .seams = 1, .latency_rows = latency, .on_device = device};
        struct plan p;
        if (!apart && !fused) continue;
        cr_assert_eq(make(&p, &t, 1, &cut), 0);
        cr_assert_eq(p.nsegments, apart ? 2 : 1, "%d rows, latency %d, on a device %d", rows, latency, device);
        plan_free(&p);
    }
}

/* Two steps at once need 6 + 6 rows; where fewer may be stored, the pass is cut until they suffice, or as far as it can be. */
Test(plan, segments_keep_to_the_rows_that_may_be_stored)
{
    const struct table t = two_stencils();
    for (int most = 14; most >= 1; most--) {
        struct plan p;
        const struct cut cut = {.rows = 100, .seams = 1, .latency_rows = 1e4, .ghost_rows = most};
        cr_assert_eq(make(&p, &t, 2, &cut), 0);
        const int segments = most >= 12 ? 1 : most >= 6 ? 2 : 4;
        cr_assert_eq(p.nsegments, segments, "%d rows: %d segments", most, p.nsegments);
        for (int n = 0; n < p.nsegments; n++)
            cr_assert(p.segment[n].south + p.segment[n].north <= SF_MAX(most, 4), "%d rows: %d + %d", most, p.segment[n].south,
                      p.segment[n].north);
        plan_free(&p);
    }
}

Test(plan, one_segment_where_nothing_can_be_exchanged)
{
    const struct table t = two_stencils();
    const struct cut no_seams = {.rows = 1, .by_op = 1}, streamed = {.rows = 1, .seams = 1, .streamed = 1, .by_op = 1};
    struct plan p;
    cr_assert_eq(make(&p, &t, 3, &no_seams), 0);
    cr_assert_eq(p.nsegments, 1);
    plan_free(&p);
    cr_assert_eq(make(&p, &t, 3, &streamed), 0);
    cr_assert_eq(p.nsegments, 1);
    halo_is(&p.segment[0], 0, A, 9, 9);
    plan_free(&p);
}

/* ---- fills ---- */

static void fill_is(const struct plan *p, int op, int id, struct reach depth)
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

Test(plan, fills_as_deep_as_the_next_readers_look)
{
    struct table t = {.nfields = 0};
    field_add(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    field_add(&t, ROLE_SCRATCH, 0, GHOST_EVEN, GHOST_EVEN);
    stage_add(&t, (struct stage){.access = {READS(A, 3, 1, 0, 2, 1, 0), WRITES(B)}});
    stage_add(&t, (struct stage){.access = {READS(B, 1, 0, 0, 0, 0, 2), UPDATES(A)}});
    stage_add(&t, (struct stage){.access = {READS(B, 0, 2, 1, 0, 0, 1), UPDATES(A)}});
    struct plan p;
    cr_assert_eq(make(&p, &t, 1, &by_pass), 0);
    fill_is(&p, 0, B, (struct reach){1, 2, 1, 0, 0, 2}); /* both readers */
    fill_is(&p, 1, A, (struct reach){0});                /* rewritten before anyone looks */
    fill_is(&p, 2, A, (struct reach){3, 1, 0, 2, 1, 0}); /* the next step */
    cr_assert(p.gi == 3 && p.gk == 2 && p.gj == 2);
    plan_free(&p);
}

/* A stage whose kernels find for themselves what lies beyond sides, into the other bank; columns repeat, rows and levels are bounded. */
static struct table without_sides(void)
{
    struct table t = {.nfields = 0};
    field_add(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_ODD);
    field_add(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    t.field[A].banks = 2;
    t.field[A].ghost[FACE_W] = t.field[A].ghost[FACE_E] = GHOST_PERIODIC;
    t.field[A].ghost[FACE_B] = t.field[A].ghost[FACE_T] = GHOST_EVEN;
    stage_add(&t, (struct stage){.access = {READS(A, 1, 2, 1, 1, 2, 1), WRITES(A)}, .sides = SIDES_ZERO | SIDES_BOUND});
    return t;
}

static void fills_nothing(const struct plan *p, int op, int id)
{
    for (int n = 0; n < p->op[op].nfill; n++) cr_assert(p->op[op].fill[n].id != id, "op %d fills storage %d", op, id);
}

Test(plan, sides_that_a_stage_does_without_are_not_filled)
{
    for (int axes = 0; axes < 8; axes++) { /* bits: those that repeat */
        struct table t = without_sides();
        for (int face = 0; face < FACES; face++) t.field[A].ghost[face] = axes >> face / 2 & 1 ? GHOST_PERIODIC : GHOST_ODD;
        struct plan p;
        cr_assert_eq(make(&p, &t, 2, &on_device), 0);
        const int x = axes & 1, y = axes >> FACE_S / 2 & 1, z = axes >> FACE_B / 2 & 1;
        const struct reach depth = {(signed char)x, (signed char)(2 * x), (signed char)z, (signed char)z, (signed char)(2 * y), (signed char)y};
        for (int op = 0; op < 2; op++) {
            const int id = op ? A : p.bank_id[A];
            if (axes) fill_is(&p, op, id, depth);
            else fills_nothing(&p, op, id);
        }
        /* Room and exchanges stay: ranks meet at seams. */
        cr_assert(p.gi == 2 && p.gk == 1 && p.gj == 2);
        halo_is(&p.segment[0], 0, A, 4, 2);
        plan_free(&p);
    }
}

/* Whoever else reads takes ghosts along the axes that it reaches along, and the faces with them. */
Test(plan, sides_are_filled_for_other_readers)
{
    struct table t = without_sides();
    stage_add(&t, (struct stage){.access = {READS(A, .km = 1), WRITES(B)}});
    struct plan p;
    cr_assert_eq(make(&p, &t, 1, &on_device), 0);
    fill_is(&p, 0, p.bank_id[A], (struct reach){1, 2, 1, 0, 0, 0});
    fill_is(&p, 1, B, (struct reach){0}); /* its faces too: it leaves nothing on them */
    plan_free(&p);
    t.stage[1].access[0] = (struct access)READS(A, ROWS(0, 3));
    cr_assert_eq(make(&p, &t, 1, &on_device), 0);
    fill_is(&p, 0, p.bank_id[A], (struct reach){1, 2, 0, 0, 0, 3});
    plan_free(&p);
    /* Of what it reads and another stage writes, sides are not filled for it; but faces are. */
    t = without_sides();
    t.stage[0].access[2] = (struct access)READS(B, 1, 1, 1, 1, 1, 1);
    stage_add(&t, (struct stage){.access = {WRITES(B)}});
    cr_assert_eq(make(&p, &t, 1, &on_device), 0);
    fill_is(&p, 1, B, (struct reach){0});
    plan_free(&p);
}

/* On a CPU they are filled for its loops. */
Test(plan, loops_leave_sides_to_be_filled)
{
    struct table t = without_sides();
    t.field[A].ghost[FACE_W] = t.field[A].ghost[FACE_E] = GHOST_ODD;
    struct plan p;
    cr_assert_eq(make(&p, &t, 1, &by_pass), 0);
    fill_is(&p, 0, p.bank_id[A], (struct reach){1, 2, 1, 1, 2, 1});
    plan_free(&p);
}

/* A wind that is staggered, and a pressure between which steps go to and fro: a to b at i - 1 and j - 1, b to a at i + 1 and j + 1. */
static struct table to_and_fro(enum ghost x, enum ghost y)
{
    struct table t = {.nfields = 0};
    field_add(&t, ROLE_PROGNOSTIC, STAG_X | STAG_Y, y, y);
    field_add(&t, ROLE_PROGNOSTIC, 0, y, y);
    for (int f = A; f <= B; f++) t.field[f].ghost[FACE_W] = t.field[f].ghost[FACE_E] = x;
    stage_add(&t, (struct stage){.access = {READS(B, .im = 1, .jm = 1), UPDATES(A)}});
    stage_add(&t, (struct stage){.access = {READS(A, .ip = 1, .jp = 1), UPDATES(B)}});
    return t;
}

Test(plan, faces_beyond_the_last_cell_that_a_stage_writes_are_not_filled)
{
    for (int round = 0; round < 4; round++) { /* bits: axes that repeat */
        struct table t = to_and_fro(round % 2 ? GHOST_PERIODIC : GHOST_ODD, round / 2 ? GHOST_PERIODIC : GHOST_ODD);
        const signed char y = (signed char)(round / 2);
        struct plan p;
        t.stage[0].sides = SIDES_ZERO | SIDES_FAR | SIDES_BOUND | SIDES_ROUND;
        cr_assert_eq(make(&p, &t, 1, &on_device), 0);
        /* Rows beyond a seam are no side: what else is read with them stays, so that they are whole. */
        if (y) fill_is(&p, 0, A, (struct reach){.ip = 1, .jp = 1});
        else fills_nothing(&p, 0, A);
        fill_is(&p, 1, B, (struct reach){.jm = y}); /* the reader finds the rest, and faces are not spared */
        plan_free(&p);
        /* One that reads deeper has all that it reads filled. */
        t.stage[1].access[0].reach.ip = 2;
        cr_assert_eq(make(&p, &t, 1, &on_device), 0);
        fill_is(&p, 0, A, (struct reach){.ip = 2, .jp = 1});
        plan_free(&p);
        /* Without the word for it, and on a CPU, the far faces are ghosts. */
        t = to_and_fro(t.field[A].ghost[FACE_W], t.field[A].ghost[FACE_S]);
        t.stage[0].sides = SIDES_ZERO | SIDES_BOUND;
        for (int device = 0; device < 2; device++) {
            cr_assert_eq(make(&p, &t, 1, device ? &on_device : &by_pass), 0);
            fill_is(&p, 0, A, (struct reach){.ip = 1, .jp = 1});
            fill_is(&p, 1, B, (struct reach){.im = !device || round % 2, .jm = !device || y});
            plan_free(&p);
        }
    }
}

Test(plan, readers_at_far_faces_look_one_farther)
{
    struct table t = two_stencils();
    t.field[A].stagger = STAG_X | STAG_Y;
    t.field[A].ghost[FACE_E] = GHOST_OPEN;
    t.stage[1].extend = 1;
    struct plan p;
    cr_assert_eq(make(&p, &t, 1, &by_pass), 0);
    cr_assert(p.extend_e == 1 && p.extend_n == 1 && p.extend_t == 0);
    fill_is(&p, 0, B, (struct reach){0, 1, 0, 0, 2, 3});
    fill_is(&p, 1, A, (struct reach){0, 0, 0, 0, 1, 1}); /* its reader does not extend */
    plan_free(&p);
}

Test(plan, who_owns_a_far_face)
{
    static const unsigned staggers[] = {STAG_X, STAG_Y, STAG_Z};
    for (int axis = 0; axis < 3; axis++)
        for (int rule = GHOST_NONE; rule <= GHOST_OPEN; rule++)
            for (int on_face = 0; on_face < 2; on_face++) {
                struct table t = two_stencils();
                for (int n = 0; n < FACES; n++) t.field[A].ghost[n] = GHOST_ODD;
                t.field[A].ghost[2 * axis + 1] = (enum ghost)rule;
                t.field[A].stagger = on_face ? staggers[axis] : 0;
                struct plan p;
                cr_assert_eq(make(&p, &t, 1, &by_pass), 0);
                const int own = on_face && (rule == GHOST_EVEN || rule == GHOST_OPEN);
                cr_assert(p.extend_e == (own && axis == 0) && p.extend_n == (own && axis == 1) &&
                          p.extend_t == (own && axis == 2));
                plan_free(&p);
            }
}

/* ---- banks, skipped steps, families ---- */

Test(plan, banks_alternate_and_settle)
{
    struct table t = {.nfields = 0};
    field_add(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    t.field[A].banks = 2;
    stage_add(&t, (struct stage){.access = {READS(A, ROWS(1, 1)), WRITES(A)}});
    for (int steps = 1; steps <= 4; steps++) {
        struct plan p;
        cr_assert_eq(make(&p, &t, steps, &by_pass), 0);
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

/* A step of two parts: a is stepped from what it is, reaching one row; then from what it was at the start, reaching two. */
static struct table two_parts(void)
{
    struct table t = {.nfields = 0};
    field_add(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    t.field[A].banks = 2;
    stage_add(&t, (struct stage){.access = {READS(A, ROWS(1, 1)), WRITES(A)}});
    stage_add(&t, (struct stage){.access = {READS_OTHER(A, ROWS(2, 2)), REWRITES(A)}});
    return t;
}

Test(plan, a_step_goes_back_to_where_it_started)
{
    const struct table t = two_parts();
    for (int steps = 1; steps <= 3; steps++) {
        struct plan p;
        cr_assert_eq(make(&p, &t, steps, &by_pass), 0, "%s", sf_error_text());
        for (int n = 0; n < 2 * steps; n++) {
            const struct plan_access *from = &p.op[n].access[0], *to = &p.op[n].access[1];
            const int start = n / 2 % 2; /* the bank where it is at the start of the step */
            cr_assert(from->id == start && from->mode == ACCESS_READ && from->reach.jm == 1 + n % 2 && from->reach.jp == 1 + n % 2);
            cr_assert(to->id == !start && to->mode == ACCESS_WRITE && to->reach.jm == 0);
        }
        /* What the second part leaves is read by both parts of the next step; what the first one leaves, by nobody. */
        fill_is(&p, 2 * steps - 2, steps % 2, (struct reach){0});
        fill_is(&p, 2 * steps - 1, steps % 2, (struct reach){ROWS(2, 2)});
        rows_are(&p, 2 * steps - 1, 0, 0);
        halo_is(&p.segment[0], 0, A, 2 * steps, 2 * steps);
        cr_assert(p.last_id[A] == steps % 2 && p.nops == 2 * steps);
        plan_free(&p);
    }
}

/* Where second banks do not outlive a pass, what it leaves there is copied behind all that touches the first; nothing else is. */
Test(plan, a_streamed_pass_of_odd_steps_settles)
{
    struct table t = two_parts();
    field_add(&t, ROLE_SCRATCH, 0, GHOST_EVEN, GHOST_EVEN);
    t.field[B].banks = 2;
    stage_add(&t, (struct stage){.access = {READS(A, ROWS(0, 0)), WRITES(B)}});
    for (int steps = 1; steps <= 4; steps++) {
        struct plan p;
        cr_assert_eq(make(&p, &t, steps, &streamed), 0, "%s", sf_error_text());
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
        cr_assert_eq(make(&p, &t, steps, &by_pass), 0);
        cr_assert(p.nops == 3 * steps && p.last_id[A] == (steps % 2 ? p.bank_id[A] : A));
        plan_free(&p);
    }
}

Test(plan, an_op_that_skips_steps_leaves_old_values)
{
    struct table t = two_stencils();
    field_add(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    stage_add(&t, (struct stage){.access = {READS(A, ROWS(1, 0)), WRITES(C)}});
    t.op[2].every = 3;
    struct plan p;
    cr_assert_eq(make(&p, &t, 1, &by_pass), 0);
    cr_assert_eq(p.op[2].access[1].mode, ACCESS_UPDATE);
    /* c is alive before the step too, on the own rows; nothing of it is exchanged. */
    cr_assert_eq(p.segment[0].nhalo, 1);
    halo_is(&p.segment[0], 0, A, 4, 3);
    plan_free(&p);
}

Test(plan, an_op_works_on_its_member_of_a_family)
{
    struct table t = {.nfields = 0};
    for (int n = 0; n < 6; n++) field_add(&t, n < 2 ? ROLE_PROGNOSTIC : ROLE_TRACER, 0, GHOST_EVEN, GHOST_EVEN);
    stage_add(&t, (struct stage){.access = {{.field = C, .mode = ACCESS_UPDATE, .family = 2}, READS(A, ROWS(1, 1))}});
    for (int n = 1; n < 2; n++) t.op[t.nops++] = (struct op){.dt_factor = 1, .every = 1, .member = n};
    struct plan p;
    cr_assert_eq(make(&p, &t, 1, &by_pass), 0);
    cr_assert(p.op[0].access[0].id == 2 && p.op[1].access[0].id == 4 && p.op[1].access[1].id == A);
    fill_is(&p, 1, 4, (struct reach){0});
    plan_free(&p);
    t.op[1].member = 2;
    cr_assert_eq(make(&p, &t, 1, &by_pass), SF_INTERNAL);
    cr_assert(strstr(sf_error_text(), "beyond the family"), "%s", sf_error_text());
}

/* ---- tables that contradict themselves ---- */

static struct box changes_nothing(const struct call *c, struct box b) { return (void)c, (void)b, (struct box){0}; }

static void refused(const struct table *t, const char *why)
{
    struct plan p;
    cr_assert_eq(make(&p, t, 1, &by_pass), SF_INTERNAL, "not refused: %s", why);
    cr_assert(strstr(sf_error_text(), why), "'%s' does not say '%s'", sf_error_text(), why);
    plan_free(&p);
}

Test(plan, contradictions_are_refused)
{
    struct table t = two_stencils();
    t.stage[1].access[0] = (struct access)READS(A, ROWS(1, 0));
    refused(&t, "has one bank");
    t.field[A].banks = 2;
    refused(&t, "reads and updates");

    t = two_stencils();
    t.stage[0].access[2] = (struct access)UPDATES(B);
    refused(&t, "twice");

    t = two_stencils();
    t.field[B].role = ROLE_STATIC;
    refused(&t, "static field b");

    t = two_stencils();
    t.stage[0].access[0].field = 2;
    refused(&t, "no field 2");

    t = two_stencils();
    for (int n = 0; n < STAGE_MAX_ACCESS; n++) t.stage[0].access[n] = (struct access)READS(A, ROWS(1, 0));
    refused(&t, "too many accesses");

    t = two_stencils();
    t.op[1].stage = 2;
    refused(&t, "no stage 2");

    t = two_parts();
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
    } wrong[] = {{&read, &other, "both banks of field a"},         {&other, &write, "in the bank that it writes"},
                 {&read, &rewrite, "in the bank that it writes"},  {&other, &update, "reads and updates field a"},
                 {&write, &rewrite, "writes field a twice"},       {&update, &rewrite, "writes field a twice"}};
    for (size_t n = 0; n < sizeof wrong / sizeof wrong[0]; n++)
        for (int turned = 0; turned < 2; turned++) {
            t = two_parts();
            t.stage[1].access[turned] = *wrong[n].one, t.stage[1].access[!turned] = *wrong[n].two;
            refused(&t, wrong[n].why);
        }
    t = two_parts();
    t.stage[1].changes = changes_nothing;
    refused(&t, "writes all of a");

    t = two_stencils();
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
    for (int n = 0; n < 5; n++) field_add(&t, n < 2 ? ROLE_PROGNOSTIC : ROLE_TRACER, 0, GHOST_EVEN, GHOST_EVEN);
    stage_add(&t, (struct stage){.access = {member_read, member_update}});
    refused(&t, "reads and changes field c");
    t.op[0].member = 2;
    refused(&t, "reads and changes field e");
    t.stage[0].access[0] = member_write;
    refused(&t, "writes field e twice");
    t.stage[0].access[0] = (struct access){.field = A, .family = 1, .mode = ACCESS_READ, .reach = {ROWS(1, 1)}};
    struct plan p;
    cr_assert_eq(make(&p, &t, 1, &by_pass), 0, "%s", sf_error_text()); /* reads c, the third from a on */
    plan_free(&p);
    /* A family and a field of its own name meet in one member, and in no other. */
    t.stage[0].access[0] = (struct access)READS(D, ROWS(0, 1));
    cr_assert_eq(make(&p, &t, 1, &by_pass), 0);
    plan_free(&p);
    t.op[0].member = 1;
    refused(&t, "reads and changes field d");
    t.stage[0].access[0].field = C; /* whose place in the slab is that of the family */
    refused(&t, "names field c alone and as the first of a family");
    t.field[D].role = ROLE_STATIC;
    refused(&t, "static field d");
    /* In either order. */
    t = two_stencils();
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
    struct table t = two_stencils();
    const struct op first = t.op[0];
    t.op[0] = t.op[1];
    t.op[1] = first;
    refused(&t, "scratch field b");
    t = two_stencils();
    t.op[0].every = 2; /* and in every step */
    refused(&t, "scratch field b");
}

/* What a field was, its second bank does not know before the pass has written it. */
Test(plan, a_second_bank_is_written_before_it_is_read)
{
    struct table t = two_parts();
    const struct op first = t.op[0];
    t.op[0] = t.op[1];
    t.op[1] = first;
    refused(&t, "second bank of field a");
    t = two_parts();
    t.field[A].role = ROLE_SCRATCH; /* nor does the first one of a scratch field */
    t.stage[0].access[0] = t.stage[0].access[1], t.stage[0].access[1].mode = ACCESS_END;
    refused(&t, "scratch field a");
}

Test(plan, banks_change_in_every_step)
{
    struct table t = two_stencils();
    t.field[A].banks = 2;
    t.stage[1].access[1] = (struct access)WRITES(A);
    t.op[1].every = 2;
    refused(&t, "runs every step");
}
