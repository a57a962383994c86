/* What persists from step to step, is fed, or stands beyond sides: random cases of a model that has it all, and values.
 * tests/roles.sh does so on several ranks and on a GPU. SPDX-License-Identifier: MIT */
#include "support_plan.h"
#include "support_roles.h"
#include "support_state.h"

#include "pipeline/between.h"
#include "pipeline/error.h"
#include "pipeline/ghost.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(roles, random_cases_give_the_same_bits, .timeout = 120)
{
    const struct comm alone = {.rank = 0, .size = 1};
    char dir[] = "/tmp/sferic_roles_XXXXXX", remove[64];
    cr_assert_not_null(mkdtemp(dir));
    const int bad = roles_check(&alone, 5000, 60, 2, NULL, dir);
    snprintf(remove, sizeof remove, "rm -rf %s", dir);
    cr_assert_eq(system(remove), 0);
    cr_assert_eq(bad, 0);
    /* What comes behind the levels at hand is read meanwhile, unless a run goes on in the middle, or passes them by. */
    const struct roles_levels of = roles_levels();
    cr_assert(of.ahead > 0 && 2 * of.late < of.ahead, "%ld levels ahead, %ld late", of.ahead, of.late);
}

/* ---- ops of a period -----------------------------------------------------------------------------------------------
 */

static struct periods periods_of(double every)
{
    static struct op op[2];
    const struct instance in = {.op = op, .nops = 2};
    struct periods p;
    op[0] = (struct op){.every = 1}, op[1] = (struct op){.every_s = every};
    cr_assert_eq(periods_make(&p, &in), 0);
    cr_assert_eq(p.n, 1);
    return p;
}

Test(roles, an_op_of_a_period_runs_first_behind_each_multiple)
{
    struct periods p = periods_of(10);
    static const double time[] = {0, 4, 8, 12, 16, 20, 24, 47, 49, 50}, since[] = {0, -1, -1, 12, -1, 8, -1, 27, -1, 3};
    for (int n = 0; n < 10; n++)
        cr_assert_float_eq(periods_step(&p, 0, n, time[n]), since[n], 1e-12, "step %d: %g", n,
                           periods_step(&p, 0, n, time[n]));
}

Test(roles, round_off_loses_no_multiple)
{
    struct periods p = periods_of(0.3);
    for (int n = 0; n < 10000; n++) /* three steps of 0.1 s, added up or multiplied, make a period */
        cr_assert_eq(periods_step(&p, 0, n, n * 0.1) >= 0, n % 3 == 0, "step %d", n);
    p = periods_of(0.1 * 3); /* which is more than 0.3 */
    for (int n = 0; n < 10000; n++) cr_assert_eq(periods_step(&p, 0, n, n * 0.1) >= 0, n % 3 == 0, "step %d", n);
}

Test(roles, a_run_begins_again_with_its_first_step)
{
    struct periods p = periods_of(10);
    periods_step(&p, 0, 0, 0);
    periods_step(&p, 0, 3, 31);
    cr_assert_float_eq(p.last[0], 31, 0);
    cr_assert_float_eq(periods_step(&p, 0, 0, 0), 0, 0);
    cr_assert(periods_step(&p, 0, 1, 9) < 0);
}

Test(roles, ops_of_one_period_share_it_and_too_many_are_told)
{
    static struct op op[PERIODS_MOST + 1];
    struct instance in = {.op = op, .nops = 3, .pair = op + 3, .npair = 2};
    struct periods p;
    op[0].every_s = 7, op[1].every_s = 5, op[2].every_s = 7, op[3].every_s = 5, op[4].every_s = 2;
    cr_assert_eq(periods_make(&p, &in), 0);
    cr_assert_eq(p.n, 3);
    cr_assert_eq(periods_find(&p, 7), 0);
    cr_assert_eq(periods_find(&p, 5), 1);
    cr_assert_eq(periods_find(&p, 2), 2);
    for (int n = 0; n <= PERIODS_MOST; n++) op[n].every_s = 1 + n;
    in.npair = 0, in.nops = PERIODS_MOST;
    cr_assert_eq(periods_make(&p, &in), 0);
    in.nops++;
    cr_assert_eq(periods_make(&p, &in), SF_INTERNAL);
    cr_assert_not_null(strstr(sf_error_text(), "more than 8 periods"), "%s", sf_error_text());
    sf_error_clear();
}

/* ---- what the plan refuses -----------------------------------------------------------------------------------------
 */

static void is_refused(struct table *t, const char *why)
{
    struct plan p;
    cr_assert_eq(table_plan(&p, t, 1, &by_pass), SF_INTERNAL);
    cr_assert_not_null(strstr(sf_error_text(), why), "%s", sf_error_text());
}

Test(roles, what_is_kept_has_one_bank_and_maps_are_of_columns)
{
    struct table t = table_two_stencils();
    struct plan p;
    t.field[A].role = ROLE_KEPT;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
    plan_free(&p);
    t.field[A].banks = 2;
    is_refused(&t, "it has one bank");
    t = table_two_stencils();
    t.field[B].shape = SHAPE_MAP;
    is_refused(&t, "its unit is the column");
}

/* ---- what is fed ----------------------------------------------------------------------------------------------------
 */

Test(roles, between_two_levels_lies_a_straight_line)
{
    cr_assert_float_eq(between_levels(R(3.0), R(11.0), R(0.25)), R(5.0), 0);
    cr_assert_float_eq(between_levels(R(3.0), R(11.0), R(0.0)), R(3.0), 0);
    cr_assert_float_eq(between_levels(R(-2.0), R(6.0), R(0.75)), R(4.0), 0);
}

Test(roles, what_is_fed_is_changed_by_nobody_and_no_profile)
{
    struct table t = table_two_stencils();
    struct plan p;
    t.field[B].role = ROLE_FED;
    is_refused(&t, "which is fed");
    t = table_two_stencils();
    table_field(&t, ROLE_FED, 0, GHOST_NONE, GHOST_NONE);
    cr_assert_eq(table_plan(&p, &t, 3, &by_pass), 0);
    cr_assert_eq(p.nops, 9); /* one of the engine's a step */
    cr_assert(p.op[3].feeds && p.op[3].step == 1 && !p.op[4].feeds);
    plan_free(&p);
    t.field[t.nfields - 1].shape = SHAPE_LEVELS;
    is_refused(&t, "is no profile");
}

/* ---- what stands beyond sides ---------------------------------------------------------------------------------------
 */

enum { NI = 6, NK = 4, NJ = 5, DEEP = 2, TEMP = 0, SLOPE = 1, STRIP = 2 };

struct beyond {
    struct storage st;
    struct ghost_maker maker;
    struct ghost_maps maps;
};

static real inside_value(int j, int k, int i) { return (real)(100 * j + 10 * k + i); }

static real *temp_at(struct beyond *b, int j, int k, int i)
{
    return &b->st.s.f[TEMP][(j - b->st.s.j0) * b->st.s.sj + k * b->st.s.sk + i];
}

/* Full fields with all else NaN; a map of slopes 0.5 + i; a strip of columns -2 .. 0 that holds 1000 + i. */
static void beyond_open(struct beyond *b)
{
    static const struct form form[] = {{.shape = SHAPE_FULL},
                                       {.shape = SHAPE_MAP},
                                       {.shape = SHAPE_BOX, .box = {.i0 = -2, .i1 = 1, .k1 = NK, .j1 = NJ, .n = 1}}};
    const struct layout l = layout_make(LAYOUT_LINE, NI, NK, NJ, DEEP, DEEP);
    memset(b, 0, sizeof *b);
    cr_assert_eq(storage_init(&b->st, &backend_cpu, &l, 3, form, NULL, -DEEP, NJ + 2 * DEEP), 0);
    const struct slab *const s = &b->st.s;
    for (int j = -DEEP; j < NJ + DEEP; j++)
        for (int k = -DEEP; k < NK + DEEP; k++)
            for (int i = -DEEP; i < NI + DEEP; i++)
                *temp_at(b, j, k, i) =
                    j < 0 || j >= NJ || k < 0 || k >= NK || i < 0 || i >= NI ? (real)NAN : inside_value(j, k, i);
    for (int j = 0; j < NJ; j++)
        for (int i = 0; i < NI; i++) s->f[SLOPE][(j - s->j0) * s->sm + i] = R(0.5) + (real)i;
    for (int j = -DEEP; j < NJ + DEEP; j++)
        for (int n = 0; n < 3 * NK; n++) s->f[STRIP][(j - s->j0) * 3 * NK + n] = (real)(1000 + n % 3 - 2);
    for (int face = 0; face < FACES; face++)
        b->maker.source[face] = (struct ghost_source){.field = SLOPE, .form = form[SLOPE]};
    b->maker.source[FACE_W] = (struct ghost_source){.field = STRIP, .is_fed = 1, .form = form[STRIP]};
    b->maps.maker = &b->maker;
}

static void beyond_fill(struct beyond *b)
{
    const struct reach all = {DEEP, DEEP, DEEP, DEEP, DEEP, DEEP};
    ghost_fill(&b->st.s, &b->st.lay, SHAPE_FULL, TEMP, &b->maps, all, (struct box){.i1 = NI, .k1 = NK, .j1 = NJ});
}

static const double apart[2][GHOST_MAX_DEPTH] = {{0.5, 2}, {0.25, 1.5}};

Test(roles, a_gradient_on_floor_lid_and_sides_is_what_a_stage_sees)
{
    struct beyond b;
    beyond_open(&b);
    for (int axis = 1; axis < 3; axis++)
        ghost_maker_axis(&b.maker, axis, axis == 1 ? NJ : NK, DEEP, 0, GHOST_FLUX, GHOST_FLUX, apart);
    beyond_fill(&b);
    for (int i = 0; i < NI; i++) {
        const double slope = 0.5 + i; /* over 1 m and 4 m below, 0.5 m and 3 m above */
        cr_assert_float_eq(*temp_at(&b, 2, -1, i), inside_value(2, 0, i) - 1 * slope, 0);
        cr_assert_float_eq(*temp_at(&b, 2, -2, i), inside_value(2, 1, i) - 4 * slope, 0);
        cr_assert_float_eq(*temp_at(&b, 2, NK, i), inside_value(2, NK - 1, i) + 0.5 * slope, 0);
        cr_assert_float_eq(*temp_at(&b, 2, NK + 1, i), inside_value(2, NK - 2, i) + 3 * slope, 0);
        cr_assert_float_eq(*temp_at(&b, -1, 1, i), inside_value(0, 1, i) - 1 * slope, 0);
        cr_assert_float_eq(*temp_at(&b, -2, 1, i), inside_value(1, 1, i) - 4 * slope, 0);
        cr_assert_float_eq(*temp_at(&b, NJ, 1, i), inside_value(NJ - 1, 1, i) + 0.5 * slope, 0);
        cr_assert_float_eq(*temp_at(&b, NJ + 1, 1, i), inside_value(NJ - 2, 1, i) + 3 * slope, 0);
        cr_assert_float_eq(*temp_at(&b, -1, -1, i), inside_value(0, 0, i) - 2 * slope, 0); /* z, then y */
    }
    storage_free(&b.st);
}

Test(roles, given_values_stand_at_their_places_and_on_faces)
{
    struct beyond b;
    beyond_open(&b);
    ghost_maker_axis(&b.maker, 0, NI, DEEP, 0, GHOST_GIVEN, GHOST_NONE, apart);
    ghost_map_make(&b.maps.z, NK, DEEP, 0, GHOST_ODD, GHOST_EVEN, 0);
    ghost_map_make(&b.maps.y, NJ, DEEP, 0, GHOST_ODD, GHOST_EVEN, 0);
    beyond_fill(&b);
    cr_assert_float_eq(*temp_at(&b, 2, 1, -1), 999, 0);
    cr_assert_float_eq(*temp_at(&b, 2, 1, -2), 998, 0);
    cr_assert_float_eq(*temp_at(&b, 2, 1, 0), inside_value(2, 1, 0), 0);
    cr_assert_float_eq(*temp_at(&b, 2, -1, -1), -999, 0); /* other rules mirror what was given */
    cr_assert_float_eq(*temp_at(&b, -2, 1, -2), -998, 0);
    cr_assert_float_eq(*temp_at(&b, -1, -1, -2), 998, 0);
    cr_assert_float_eq(*temp_at(&b, NJ, NK, -1), 999, 0);
    storage_free(&b.st);
    /* What is staggered onto sides is given there as well; the nearest stands for what the source has not. */
    beyond_open(&b);
    b.maker.source[FACE_E] = b.maker.source[FACE_W];
    ghost_maker_axis(&b.maker, 0, NI, DEEP, 1, GHOST_GIVEN, GHOST_GIVEN, apart);
    beyond_fill(&b);
    cr_assert_float_eq(*temp_at(&b, 2, 1, 0), 1000, 0);
    cr_assert_float_eq(*temp_at(&b, 2, 1, -2), 998, 0);
    cr_assert_float_eq(*temp_at(&b, 2, 1, 1), inside_value(2, 1, 1), 0);
    cr_assert_float_eq(*temp_at(&b, 2, 1, NI), 1000, 0);
    cr_assert_float_eq(*temp_at(&b, 2, 1, NI + 1), 1000, 0);
    cr_assert_float_eq(*temp_at(&b, 2, 1, NI - 1), inside_value(2, 1, NI - 1), 0);
    storage_free(&b.st);
}

Test(roles, gradients_across_x_and_a_static_source_are_looked_at_inside)
{
    struct beyond b;
    beyond_open(&b);
    b.maker.source[FACE_W] = b.maker.source[FACE_E];
    ghost_maker_axis(&b.maker, 0, NI, DEEP, 0, GHOST_FLUX, GHOST_GIVEN, apart);
    beyond_fill(&b);
    cr_assert_float_eq(*temp_at(&b, 2, 1, -1), inside_value(2, 1, 0) - 1 * 0.5, 0);
    cr_assert_float_eq(*temp_at(&b, 2, 1, -2), inside_value(2, 1, 1) - 4 * 0.5, 0);
    cr_assert_float_eq(*temp_at(&b, 2, 1, NI), NI - 0.5, 0);
    cr_assert_float_eq(*temp_at(&b, 2, 1, NI + 1), NI - 0.5, 0);
    storage_free(&b.st);
    beyond_open(&b);
    ghost_maker_axis(&b.maker, 1, NJ, DEEP, 0, GHOST_GIVEN, GHOST_NONE, apart);
    beyond_fill(&b);
    cr_assert_float_eq(*temp_at(&b, -1, 1, 3), 3.5, 0);
    cr_assert_float_eq(*temp_at(&b, -2, 1, 3), 3.5, 0);
    storage_free(&b.st);
}

static struct table table_beyond(enum role role, enum ghost rule)
{
    struct table t = table_two_stencils();
    table_field(&t, role, 0, GHOST_EVEN, GHOST_EVEN);
    t.field[A].ghost[FACE_B] = rule, t.field[A].beyond[FACE_B] = t.nfields - 1;
    return t;
}

Test(roles, ghosts_come_from_fields_that_last)
{
    struct table t = table_beyond(ROLE_FED, GHOST_GIVEN);
    struct plan p;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
    cr_assert_eq(p.nops, 4); /* feed, make, and the two of the model's */
    cr_assert(p.op[0].feeds && p.op[1].makes && p.op[1].access[0].id == A && p.op[1].access[1].id == t.nfields - 1);
    cr_assert_eq(p.op[3].naccess, p.op[3].ndeclared + 1); /* who writes the field looks at the source */
    plan_free(&p);
    t = table_beyond(ROLE_STATIC, GHOST_FLUX);
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
    cr_assert_eq(p.nops, 2);
    plan_free(&p);
    t = table_beyond(ROLE_KEPT, GHOST_FLUX);
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
    plan_free(&p);
    t.field[A].ghost[FACE_B] = GHOST_GIVEN;
    is_refused(&t, "which is not fed, static");
    t = table_beyond(ROLE_SCRATCH, GHOST_FLUX);
    is_refused(&t, "which is not fed, static");
    t = table_beyond(ROLE_STATIC, GHOST_FLUX);
    t.field[A].stagger = STAG_Z;
    is_refused(&t, "staggered onto a side");
    t.field[A].stagger = STAG_X;
    cr_assert_eq(table_plan(&p, &t, 1, &by_pass), 0);
    plan_free(&p);
    t.field[A].beyond[FACE_B] = A;
    is_refused(&t, "no field of reals");
    t = table_beyond(ROLE_STATIC, GHOST_FLUX);
    t.field[B].ghost[FACE_T] = GHOST_FLUX, t.field[B].beyond[FACE_T] = t.nfields - 1;
    is_refused(&t, "has no restart");
}
