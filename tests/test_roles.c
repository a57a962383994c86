/* What persists from step to step, is fed, or stands beyond sides: random cases of a model that has it all, and values.
 * tests/roles.sh does so on several ranks and on a GPU. SPDX-License-Identifier: MIT */
#include "support_plan.h"
#include "support_roles.h"
#include "support_state.h"

#include "pipeline/between.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
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
