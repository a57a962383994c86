/* Which ghosts ops fill, how deep and behind which of them. SPDX-License-Identifier: MIT */
#include "support_plan.h"

#include <criterion/criterion.h>

#include "pipeline/error.h"

Test(plan_fills, fills_as_deep_as_the_next_readers_look)
{
    struct table t = {.nfields = 0};
    table_field(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    table_field(&t, ROLE_SCRATCH, 0, GHOST_EVEN, GHOST_EVEN);
    table_stage(&t, (struct stage){.access = {READS(A, 3, 1, 0, 2, 1, 0), WRITES(B)}});
    table_stage(&t, (struct stage){.access = {READS(B, 1, 0, 0, 0, 0, 2), UPDATES(A)}});
    table_stage(&t, (struct stage){.access = {READS(B, 0, 2, 1, 0, 0, 1), UPDATES(A)}});
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
    fill_is(&p, 0, B, (struct reach){1, 2, 1, 0, 0, 2}); /* both readers */
    fills_nothing(&p, 1, A); /* rewritten before anyone looks */
    fill_is(&p, 2, A, (struct reach){3, 1, 0, 2, 1, 0}); /* the next step */
    cr_assert(p.gi == 3 && p.gk == 2 && p.gj == 2);
    plan_free(&p);
}

/* A program of one step that looks one row far, and one of two together that looks two: passes of either may follow the
 * other. */
Test(plan_fills, passes_of_two_programs_fill_for_each_other)
{
    struct table t = {.nfields = 0};
    table_field(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    t.field[A].banks = 2;
    table_stage(&t, (struct stage){.access = {READS(A, ROWS(1, 1)), WRITES(A)}});
    table_stage(&t, (struct stage){.access = {READS(A, ROWS(2, 2)), WRITES(A)}});
    const struct plan_program program = {.op = &t.op[0], .nops = 1, .pair = &t.op[1], .npair = 1};
    for (int steps = 1; steps <= 6; steps++) {
        const int turns = steps % 2 ? steps : steps / 2;
        struct plan p;
        cr_assert_eq(plan_make(&p, t.field, t.nfields, t.stage, t.nstages, &program, steps, &by_pass), 0);
        cr_assert(p.gj == 2 && p.nops == turns && p.period == (steps % 2 ? 1 : 2), "%d steps: %d ops", steps, p.nops);
        for (int n = 0; n < p.nops; n++) cr_assert(p.op[n].step == n * p.period && p.op[n].op.stage == p.period - 1);
        const int last = p.nops - 1,
                  own = p.period; /* for the next pass, and within this one as deep as its own ops look */
        fill_is(&p, last, last % 2 ? A : p.bank_id[A], (struct reach){ROWS(2, 2)});
        if (last) fill_is(&p, 0, p.bank_id[A], (struct reach){.jm = (signed char)own, .jp = (signed char)own});
        plan_free(&p);
    }
    t.op[1].step = 2;
    struct plan p;
    cr_assert_eq(plan_make(&p, t.field, t.nfields, t.stage, t.nstages, &program, 2, &by_pass), SF_INTERNAL);
}

/* A stage whose kernels find for themselves what lies beyond sides, into the other bank; columns repeat, rows and
 * levels are bounded. */
static struct table without_sides(void)
{
    struct table t = {.nfields = 0};
    table_field(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_ODD);
    table_field(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    t.field[A].banks = 2;
    t.field[A].ghost[FACE_W] = t.field[A].ghost[FACE_E] = GHOST_PERIODIC;
    t.field[A].ghost[FACE_B] = t.field[A].ghost[FACE_T] = GHOST_EVEN;
    table_stage(&t,
                (struct stage){.access = {READS(A, 1, 2, 1, 1, 2, 1), WRITES(A)}, .sides = SIDES_ZERO | SIDES_BOUND});
    return t;
}

Test(plan_fills, sides_that_a_stage_does_without_are_not_filled)
{
    for (int axes = 0; axes < 8; axes++) { /* bits: those that repeat */
        struct table t = without_sides();
        for (int face = 0; face < FACES; face++)
            t.field[A].ghost[face] = axes >> face / 2 & 1 ? GHOST_PERIODIC : GHOST_ODD;
        struct plan p;
        cr_assert_eq(table_plan(&p, &t, 2, &on_device), 0);
        const int x = axes & 1, y = axes >> FACE_S / 2 & 1, z = axes >> FACE_B / 2 & 1;
        const struct reach depth = {(signed char)x, (signed char)(2 * x), (signed char)z,
                                    (signed char)z, (signed char)(2 * y), (signed char)y};
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
Test(plan_fills, sides_are_filled_for_other_readers)
{
    struct table t = without_sides();
    table_stage(&t, (struct stage){.access = {READS(A, .km = 1), WRITES(B)}});
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 1, &on_device), 0);
    fill_is(&p, 0, p.bank_id[A], (struct reach){1, 2, 1, 0, 0, 0});
    fills_nothing(&p, 1, B);
    plan_free(&p);
    t.stage[1].access[0] = (struct access)READS(A, ROWS(0, 3));
    cr_assert_eq(table_plan(&p, &t, 1, &on_device), 0);
    fill_is(&p, 0, p.bank_id[A], (struct reach){1, 2, 0, 0, 0, 3});
    plan_free(&p);
    /* Of what it reads and another stage writes, sides are not filled for it; but zeros on them are. */
    for (int stagger = 0; stagger < 2; stagger++) {
        t = without_sides();
        t.stage[0].access[2] = (struct access)READS(B, 1, 1, 1, 1, 1, 1);
        table_stage(&t, (struct stage){.access = {WRITES(B)}});
        t.field[B].stagger = stagger ? STAG_X : 0;
        t.field[B].ghost[FACE_W] = t.field[B].ghost[FACE_E] = GHOST_ODD;
        cr_assert_eq(table_plan(&p, &t, 1, &on_device), 0);
        if (stagger) fill_is(&p, 1, B, (struct reach){0});
        else fills_nothing(&p, 1, B);
        plan_free(&p);
    }
}

/* On a CPU they are filled for its loops. */
Test(plan_fills, loops_leave_sides_to_be_filled)
{
    struct table t = without_sides();
    t.field[A].ghost[FACE_W] = t.field[A].ghost[FACE_E] = GHOST_ODD;
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
    fill_is(&p, 0, p.bank_id[A], (struct reach){1, 2, 1, 1, 2, 1});
    plan_free(&p);
}

/* A wind that is staggered, and a pressure between which steps go to and fro: a to b at i - 1 and j - 1, b to a at i +
 * 1 and j + 1. */
static struct table to_and_fro(enum ghost x, enum ghost y)
{
    struct table t = {.nfields = 0};
    table_field(&t, ROLE_PROGNOSTIC, STAG_X | STAG_Y, y, y);
    table_field(&t, ROLE_PROGNOSTIC, 0, y, y);
    for (int f = A; f <= B; f++) t.field[f].ghost[FACE_W] = t.field[f].ghost[FACE_E] = x;
    table_stage(&t, (struct stage){.access = {READS(B, .im = 1, .jm = 1), UPDATES(A)}});
    table_stage(&t, (struct stage){.access = {READS(A, .ip = 1, .jp = 1), UPDATES(B)}});
    return t;
}

Test(plan_fills, faces_beyond_the_last_cell_that_a_stage_writes_are_not_filled)
{
    for (int round = 0; round < 4; round++) { /* bits: axes that repeat */
        struct table t = to_and_fro(round % 2 ? GHOST_PERIODIC : GHOST_ODD, round / 2 ? GHOST_PERIODIC : GHOST_ODD);
        const signed char y = (signed char)(round / 2);
        struct plan p;
        t.stage[0].sides = SIDES_ZERO | SIDES_FAR | SIDES_BOUND | SIDES_ROUND;
        cr_assert_eq(table_plan(&p, &t, 1, &on_device), 0);
        /* Rows beyond a seam are no side: what else is read with them stays, so that they are whole. */
        if (y) fill_is(&p, 0, A, (struct reach){.ip = 1, .jp = 1});
        else fills_nothing(&p, 0, A);
        if (y) fill_is(&p, 1, B, (struct reach){.jm = y}); /* the reader finds the rest */
        else fills_nothing(&p, 1, B);
        plan_free(&p);
        /* One that reads deeper has all that it reads filled. */
        t.stage[1].access[0].reach.ip = 2;
        cr_assert_eq(table_plan(&p, &t, 1, &on_device), 0);
        fill_is(&p, 0, A, (struct reach){.ip = 2, .jp = 1});
        plan_free(&p);
        /* Without the word for it, and on a CPU, the far faces are ghosts. */
        t = to_and_fro(t.field[A].ghost[FACE_W], t.field[A].ghost[FACE_S]);
        t.stage[0].sides = SIDES_ZERO | SIDES_BOUND;
        for (int device = 0; device < 2; device++) {
            cr_assert_eq(table_plan(&p, &t, 1, device ? &on_device : &by_pass), 0);
            fill_is(&p, 0, A, (struct reach){.ip = 1, .jp = 1});
            const struct reach depth = {.im = !device || round % 2, .jm = !device || y};
            if (depth.im || depth.jm) fill_is(&p, 1, B, depth);
            else fills_nothing(&p, 1, B);
            plan_free(&p);
        }
    }
}

Test(plan_fills, readers_at_far_faces_look_one_farther)
{
    struct table t = table_two_stencils();
    t.field[A].stagger = STAG_X | STAG_Y;
    t.field[A].ghost[FACE_E] = GHOST_OPEN;
    t.stage[1].extend = 1;
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
    cr_assert(p.extend_e == 1 && p.extend_n == 1 && p.extend_t == 0);
    fill_is(&p, 0, B, (struct reach){0, 1, 0, 0, 2, 3});
    fill_is(&p, 1, A, (struct reach){0, 0, 0, 0, 1, 1}); /* its reader does not extend */
    plan_free(&p);
}

/* Zeros on odd sides of what is staggered, for who reads there: a scratch field b, made by the first op, read by the
 * second. */
static int zeros_are_filled(unsigned stagger, enum role role, int sides, int reach, int updates, const struct cut *cut)
{
    struct table t = table_two_stencils();
    t.field[B].stagger = stagger, t.field[B].role = role;
    t.field[B].ghost[FACE_W] = t.field[B].ghost[FACE_E] = GHOST_ODD;
    t.stage[1].sides = sides;
    t.stage[1].access[0] = updates ? (struct access)UPDATES(B) : (struct access)READS(B, .ip = (signed char)reach);
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 1, cut), 0, "%s", sf_error_text());
    const int nfill = p.op[0].nfill;
    if (nfill) fill_is(&p, 0, B, (struct reach){.ip = sides & SIDES_BOUND ? 0 : (signed char)reach});
    plan_free(&p);
    return nfill;
}

Test(plan_fills, zeros_on_sides_are_for_those_who_read_there)
{
    cr_assert(zeros_are_filled(STAG_X, ROLE_SCRATCH, 0, 0, 0, &on_device));
    cr_assert(!zeros_are_filled(STAG_X, ROLE_SCRATCH, SIDES_UNREAD, 0, 0, &on_device));
    cr_assert(zeros_are_filled(STAG_X, ROLE_SCRATCH, SIDES_UNREAD | SIDES_BOUND, 1, 0, &on_device),
              "it reads the next one as well");
    cr_assert(zeros_are_filled(STAG_X, ROLE_SCRATCH, SIDES_UNREAD, 0, 0, &by_pass), "loops are as they are");
    cr_assert(zeros_are_filled(STAG_X, ROLE_PROGNOSTIC, SIDES_UNREAD, 0, 0, &on_device), "output reads it, too");
    cr_assert(zeros_are_filled(STAG_X, ROLE_SCRATCH, 0, 0, 1, &on_device), "who updates it reads");
    cr_assert(!zeros_are_filled(STAG_Y, ROLE_SCRATCH, 0, 0, 0, &on_device), "it lies on no odd side");
    cr_assert(!zeros_are_filled(0, ROLE_SCRATCH, 0, 0, 0, &by_pass));
}

/* A step that reads a, b and c two away into d, and then goes on with each by itself. */
static struct table one_by_one(void)
{
    struct table t = {.nfields = 0};
    for (int f = A; f <= C; f++) table_field(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    table_field(&t, ROLE_SCRATCH, 0, GHOST_EVEN, GHOST_EVEN);
    table_stage(&t, (struct stage){.access = {READS(A, 2, 2, 0, 0, 2, 2), READS(B, 2, 2, 0, 0, 2, 2),
                                              READS(C, 2, 2, 0, 0, 2, 2), WRITES(D)}});
    for (int f = A; f <= C; f++) table_stage(&t, (struct stage){.access = {READS(D), UPDATES(f)}});
    return t;
}

/* The op that fills field f, of a pass of one step; -1: none does. */
static int filler(const struct table *t, const struct cut *cut, int f)
{
    struct plan p;
    int op = -1, times = 0;
    cr_assert_eq(table_plan(&p, t, 1, cut), 0, "%s", sf_error_text());
    for (int n = 0; n < p.nops; n++)
        for (int m = 0; m < p.op[n].nfill; m++)
            if (p.op[n].fill[m].field == f) op = n, times++;
    if (op >= 0) fill_is(&p, op, f, (struct reach){2, 2, 0, 0, 2, 2});
    cr_assert(times <= 1, "field %d is filled %d times", f, times);
    plan_free(&p);
    return op;
}

Test(plan_fills, one_op_fills_for_those_before_it)
{
    const struct cut *const cuts[] = {&by_pass, &streamed, &on_device};
    const struct table t = one_by_one();
    for (int c = 0; c < 3; c++)
        for (int f = A; f <= C; f++) cr_assert_eq(filler(&t, cuts[c], f), 3, "%d of cut %d", filler(&t, cuts[c], f), c);
    cr_assert_eq(filler(&t, &by_op, A), 1, "behind the cut there are other rows");
}

/* Where that costs nothing. */
Test(plan_fills, an_op_waits_for_those_that_it_fills_for)
{
    struct table t = one_by_one();
    t.stage[1].access[0] = (struct access)READS(D, ROWS(0, 3));
    struct plan p;
    for (int steps = 1; steps <= 2; steps++) {
        cr_assert_eq(table_plan(&p, &t, steps, &streamed), 0);
        lags_are(&p, 1, 5, 4), lags_are(&p, 2, 4, 4), lags_are(&p, 3, 5, 4);
        cr_assert(p.op[1].nfill == 0 && p.op[2].nfill == 0 && p.op[3].nfill == 3);
        plan_free(&p);
    }
}

Test(plan_fills, who_is_read_before_is_filled_before)
{
    /* Op 2 reads a: without reach, the ghosts can wait where zeros are not at stake and sides are seen to; else they
     * come before it. */
    for (int reach = 0; reach < 2; reach++) {
        struct table t = one_by_one();
        t.stage[2].access[2] = (struct access)READS(A, .im = (signed char)reach, .ip = (signed char)reach);
        cr_assert_eq(filler(&t, &by_pass, A), 1);
        t.stage[1].sides = SIDES_ZERO;
        cr_assert_eq(filler(&t, &on_device, A), reach ? 1 : 3);
        t.stage[2].sides = SIDES_BOUND;
        cr_assert_eq(filler(&t, &on_device, A), 3);
        cr_assert_eq(filler(&t, &on_device, B), 3);
    }
    /* It changes a: it fills it as well, and what op 1 left is read by nobody. */
    struct table t = one_by_one();
    t.stage[2].access[2] = (struct access)UPDATES(A);
    cr_assert_eq(filler(&t, &by_pass, A), 3);
}

/* What the writer leaves open counts, not what the op in between sees to that fills for it: zeros on sides, and the far
 * face. */
Test(plan_fills, ghosts_that_move_on_are_the_writers)
{
    struct table t = {.nfields = 0};
    for (int f = A; f <= C; f++) table_field(&t, ROLE_PROGNOSTIC, 0, GHOST_EVEN, GHOST_EVEN);
    t.field[A].stagger = STAG_X;
    table_stage(&t, (struct stage){.access = {UPDATES(A), READS(B, .im = 1, .ip = 1), READS(C, .im = 1, .ip = 1)}});
    table_stage(&t, (struct stage){.access = {UPDATES(B)}});
    table_stage(&t, (struct stage){.access = {READS(A), UPDATES(C)}});
    for (int round = 0; round < 2; round++) {
        t.field[A].ghost[FACE_W] = t.field[A].ghost[FACE_E] = round ? GHOST_PERIODIC : GHOST_ODD;
        t.stage[1].sides = SIDES_ZERO | SIDES_FAR;
        t.stage[2].access[0].reach.ip = (signed char)round;
        struct plan p;
        cr_assert_eq(table_plan(&p, &t, 1, &on_device), 0);
        fill_is(&p, 1, A, (struct reach){.ip = (signed char)round});
        plan_free(&p);
    }
}

Test(plan_fills, an_op_that_does_not_see_all_of_it_fills_its_own)
{
    struct table t = one_by_one();
    t.op[3].every = 2;
    cr_assert(filler(&t, &by_pass, A) == 2 && filler(&t, &by_pass, C) == 3, "it does not run in every step");
    t = one_by_one();
    t.op[1].every = 2;
    cr_assert(filler(&t, &by_pass, A) == 1 && filler(&t, &by_pass, B) == 3, "nor does this one");
    t = one_by_one();
    t.stage[0].access[2].reach = (struct reach){2, 2, 0, 0, 2, 1};
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 2, &by_pass), 0);
    cr_assert(p.op[3].north < p.op[2].north && p.op[3].nfill == 1,
              "it computes fewer rows of the first step than others read ghosts of");
    plan_free(&p);
    /* It is further ahead than the op whose ghosts they are, and cannot wait without a row more that is touched. */
    t = one_by_one();
    t.stage[1].access[0] = (struct access)READS(D, ROWS(0, 3));
    t.stage[3].access[0] = (struct access)READS(D, ROWS(2, 0));
    cr_assert_eq(table_plan(&p, &t, 1, &streamed), 0);
    lags_are(&p, 1, 5, 4), lags_are(&p, 2, 5, 4), lags_are(&p, 3, 4, 4);
    cr_assert(p.op[1].nfill == 0 && p.op[2].nfill == 2 && p.op[3].nfill == 1);
    plan_free(&p);
    /* Who reads a in the next step is nearer than the op that could fill it; behind the last step nobody is. */
    t = one_by_one();
    t.stage[0] = (struct stage){.name = "s", .access = {READS(A, 2, 2, 0, 0, 2, 2), WRITES(D)}};
    t.stage[2] = (struct stage){.name = "s", .access = {READS(D), UPDATES(B), READS(C, ROWS(5, 5))}};
    t.stage[3] = (struct stage){.name = "s", .access = {READS(B, ROWS(4, 4)), UPDATES(C)}};
    cr_assert_eq(table_plan(&p, &t, 2, &streamed), 0);
    lags_are(&p, 1, 4, 4), lags_are(&p, 3, 10, 10), lags_are(&p, 4, 6, 6);
    cr_assert(p.op[3].south >= p.op[1].south && p.op[3].north >= p.op[1].north);
    cr_assert(p.op[1].nfill == 1 && p.op[5].nfill == 0, "%d and %d", p.op[1].nfill, p.op[5].nfill);
    plan_free(&p);
    /* It could wait, but who reads what it writes is as near as can be. */
    t = one_by_one();
    t.stage[0] =
        (struct stage){.name = "s", .access = {READS(A, 2, 2, 0, 0, 2, 2), READS(B, 2, 2, 0, 0, 2, 2), WRITES(D)}};
    t.stage[1].access[0] = (struct access)READS(D, ROWS(0, 3));
    t.stage[3] = (struct stage){.name = "s", .access = {READS(B, ROWS(1, 1)), UPDATES(C)}};
    cr_assert_eq(table_plan(&p, &t, 1, &streamed), 0);
    lags_are(&p, 1, 5, 4), lags_are(&p, 2, 4, 4), lags_are(&p, 3, 5, 5);
    cr_assert(p.op[1].nfill == 1 && p.op[2].nfill == 1 && p.op[3].nfill == 0);
    plan_free(&p);
    /* Rows of faces beyond the last cell go with stages that extend. */
    t = one_by_one();
    t.field[A].stagger = STAG_Y;
    t.field[A].ghost[FACE_N] = GHOST_OPEN;
    t.stage[1].extend = 1;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
    cr_assert(p.extend_n && p.op[1].nfill == 1 && p.op[3].nfill == 2);
    plan_free(&p);
}
