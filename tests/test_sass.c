/* Instructions of a point, from rows of counted ways through kernels. SPDX-License-Identifier: MIT */
#include "pipeline/sass.h"

#include <criterion/criterion.h>

static const struct sass_row rows[] = {
    /* kernel, part, unrolled, stores, fp, memory, words, other */
    {"column", 0, 1, 0, 0, 0, 0, 100},
    {"column", 1, 1, 2, 10, 6, 6, 14},
    {"column", 2, 4, 12, 40, 24, 24, 16},
    {"layers", 0, 1, 0, 0, 4, 4, 60},
    {"layers", 1, 1, 0, 0, 1, 1, 2},
    {"layers", 1, 1, 3, 21, 14, 14, 65},
    {"layers", 1, 1, 5, 27, 20, 20, 84},
    {"layers", 2, 1, 3, 1, 1, 1, 1},
    {"point", 0, 1, 0, 0, 0, 0, 14},
    {"point", 0, 1, 5, 356, 114, 114, 259},
    {"wide", 0, 1, 0, 0, 2, 2, 20},
    {"wide", 1, 1, 4, 40, 4, 10, 20},
    {"wide", 1, 1, 8, 80, 8, 20, 40},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static struct instructions count(const char *kernel, int stores, double points, int is_column)
{
    struct instructions i;
    const struct sass_use use = {stores, points, is_column};
    cr_assert_eq(sass_count(rows, ROWS, kernel, &use, &i), 1);
    return i;
}

Test(sass, a_thread_a_point)
{
    const struct instructions i = count("point", 5, 1, 0);
    cr_expect_float_eq(i.fp, 356, 1e-6);
    cr_expect_float_eq(instructions_all(&i), 356 + 114 + 259, 1e-6);
    /* Threads of tiles that stick out are no points. */
    const struct instructions few = count("point", 5, 0.5, 0);
    cr_expect_float_eq(few.fp, 356, 1e-6);
}

Test(sass, rows_of_a_march_and_what_comes_before)
{
    const struct instructions i = count("layers", 3, 32, 0);
    cr_expect_float_eq(i.fp, 21, 1e-6, "the way that stores three values, in the longest loop");
    cr_expect_float_eq(i.memory, 14 + 4.0 / 32, 1e-6);
    cr_expect_float_eq(i.other, 65 + 60.0 / 32, 1e-6);
}

Test(sass, two_points_a_turn)
{
    const struct instructions i = count("wide", 2, 1e9, 0);
    cr_expect_float_eq(i.fp, 20, 1e-6);
    cr_expect_float_eq(i.words, 5 + 2e-9, 1e-6);
}

Test(sass, columns_go_through_all_loops)
{
    const struct instructions i = count("column", 3, 100, 1);
    cr_expect_float_eq(i.fp, 10 + 10, 1e-6);
    cr_expect_float_eq(i.memory, 6 + 6, 1e-6);
    cr_expect_float_eq(i.other, 14 + 4 + 1, 1e-6);
}

Test(sass, unknown_kernels_have_no_count)
{
    struct instructions i = {.fp = 1};
    const struct sass_use use = {1, 1, 0};
    cr_expect_eq(sass_count(rows, ROWS, "poin", &use, &i), 0);
    cr_expect_float_eq(instructions_all(&i), 0, 1e-6);
    cr_expect_eq(sass_count(rows, 0, "point", &use, &i), 0);
}

Test(sass, the_table_of_this_build_can_be_asked)
{
    int n = -1;
    cr_assert_neq((void *)sass_table(&n), NULL);
    cr_expect_geq(n, 0);
}
