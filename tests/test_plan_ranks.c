/* What a second cut of the domain sends and computes again, against numbers by hand. SPDX-License-Identifier: MIT */
#include "command/plan_ranks.h"

#include <criterion/criterion.h>

static void expect(int parts_x, int parts_y, double bytes, double again)
{
    const struct grid g = {.nx = 100, .ny = 80, .nz = 7};
    /* 8 ranks of 10 rows, of which 2 more are computed. */
    const struct cut_cost rows = {.parts_x = 1, .parts_y = 8, .bytes = 1000, .again = 0.2},
                          cut = cut_cost(&g, 8, parts_x, &rows);
    cr_expect_eq(cut.parts_x, parts_x);
    cr_expect_eq(cut.parts_y, parts_y);
    cr_expect_float_eq(cut.bytes, bytes, 1e-9, "%d columns: %g bytes", parts_x, cut.bytes);
    cr_expect_float_eq(cut.again, again, 1e-12, "%d columns: %g again", parts_x, cut.again);
}

Test(plan_ranks, a_second_cut)
{
    expect(1, 8, 1000, 0.2);
    expect(2, 4, 1000 * (50.0 + 20) / 100, (1 + 2.0 / 20) * (1 + 2.0 / 50) - 1);
    expect(4, 2, 1000 * (25.0 + 40) / 100, (1 + 2.0 / 40) * (1 + 2.0 / 25) - 1);
    expect(8, 1, 1000 * 80.0 / 100, 2 / 12.5);
}
