/* What a stage computes and touches at every point, as its description says it. SPDX-License-Identifier: MIT */
#include "stages/describe.h"
#include "pipeline/sfmath_flops.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const struct description *d)
{
    static char text[8192];
    FILE *const to = fmemopen(text, sizeof text, "w");
    cr_assert(to);
    describe_print_table(d, to);
    fclose(to);
    return text;
}

static void settle(struct description *d, const char *text)
{
    *d = (struct description){0};
    describe_read(d, "m.sf", text);
    describe_settle(d);
    cr_assert_null(d->errors, "%s", d->errors);
}

#define FIELDS                                                                                                         \
    "numbers n {\n    rate\n}\nturn a b\nuse \"toy.h\" mixed far\nfield a id F_A\nfield b id F_B\n"                    \
    "map m id F_M\nlevels l id P_L\n"

static void expect_flops(const char *lines, double flops, const char *formulas)
{
    struct description d;
    char text[2048], told[256];
    snprintf(text, sizeof text, FIELDS "%s", lines);
    settle(&d, text);
    snprintf(told, sizeof told, ", %g%s,", flops, formulas);
    cr_assert_eq(d.stage[0].flops, flops, "%s: %g flop", lines, d.stage[0].flops);
    cr_assert(strstr(text_of(&d), told), "%s: no '%s' in %s", lines, told, text_of(&d));
    describe_free(&d);
}

Test(describe_counts, arithmetic_of_every_point)
{
    expect_flops("point p id S_P {\n    a = b * b + a - l / 2\n}\n", 4, "");
    expect_flops("point p id S_P {\n    a = -abs(min(a, max(b, 2)))\n}\n", 0, "");
    expect_flops("point p id S_P {\n    a = fma(a, b, sqrt(a))\n}\n", 3, "");
    expect_flops("point p id S_P {\n    a = exp(a) + log(b)\n}\n", FLOPS_EXP + FLOPS_LOG + 1, "");
    expect_flops("point p id S_P {\n    a = pow(a, b) + (sin(a) - cos(b))\n}\n", FLOPS_POW + FLOPS_SIN + FLOPS_COS + 2,
                 "");
    /* of two ways the longer */
    expect_flops("point p id S_P {\n    a = a > b + 1 ? a : a * b - 2\n}\n", 3, "");
    expect_flops("point p id S_P {\n    a = a > b ? mixed(a * b) : b\n}\n", 1, " + 1 * FLOPS_IN_mixed");
    /* once for all points */
    expect_flops("point p id S_P {\n    twice = 2 * rate * mixed(rate)\n    a = twice * b\n}\n", 1, "");
    expect_flops("point p id S_P {\n    a = mixed(b) + mixed(a) * far(a, b)\n}\n", 2,
                 " + 2 * FLOPS_IN_mixed + 1 * FLOPS_IN_far");
    /* what a question takes, and not what happens then */
    expect_flops("point p id S_P {\n    sum = a + b\n    only where sum * 2 > 1\n    a = sum * b * mixed(a)\n}\n", 2,
                 "");
    /* a column's own is once for many points; a system is 9 flop of a level */
    expect_flops(
        "column p id S_P {\n    low = m * m\n    carry flow = low\n    up {\n        flow = flow + a\n        a = flow * b\n"
        "    }\n}\n",
        2, "");
    expect_flops(
        "column p id S_P {\n    up {\n        solve found = tridiagonal(at_bottom ? 0 : a, 1 + b, at_top ? 0 : b, a)\n"
        "    }\n    down {\n        a = found\n    }\n}\n",
        10, "");
    expect_flops("column p id S_P beside open 1 {\n    up {\n        a = a * b\n    }\n}\n", 0, "");
    /* what kernels by hand compute is told */
    expect_flops("point p id S_P flops F {\n    a = a * mixed(b)\n}\n", 0, "");
}

/* The rows of a table: 1 behind the field where it is not touched at every point, 2 where it is read there, and not
 * changed. */
static void expect_rows(const char *lines, const char *const *row)
{
    struct description d;
    char text[2048];
    snprintf(text, sizeof text, FIELDS "%s", lines);
    settle(&d, text);
    for (; *row; row++) cr_assert(strstr(text_of(&d), *row), "%s: no '%s' in %s", lines, *row, text_of(&d));
    describe_free(&d);
}

Test(describe_counts, what_is_touched_at_every_point)
{
#define ROWS(...) ((const char *const[]){__VA_ARGS__, NULL})
    expect_rows("point p id S_P {\n    a = b\n}\n", ROWS("READ(F_B, 0, 0, 0, 0, 0, 0, 0)", "WRITE(F_A, 0))"));
    expect_rows("point p id S_P {\n    only where b > 0\n    a = a + b\n}\n",
                ROWS("READ(F_B, 0, 0, 0, 0, 0, 0, 0)", "UPDATE(F_A, 1))"));
    expect_rows("point p id S_P {\n    only where a > 0\n    a = a + b\n}\n",
                ROWS("UPDATE(F_A, 2)", "READ(F_B, 1, 0, 0, 0, 0, 0, 0)"));
    expect_rows("point p id S_P {\n    only where old a > 0\n    a = b\n}\n",
                ROWS("READ_OTHER(F_A, 0, 0, 0, 0, 0, 0, 0)", "UPDATE(F_A, 1)"));
    expect_rows("column p id S_P {\n    low = a\n    m = low\n}\n",
                ROWS("READ(F_A, 1, 0, 0, 0, 0, 0, 0)", "WRITE(F_M, 1))"));
    expect_rows("column p id S_P {\n    carry flow = a\n    up {\n        only where b > 0\n        flow = flow + m\n"
                "        a = flow\n    }\n    down {\n        b = b + 1\n    }\n}\n",
                ROWS("UPDATE(F_A, 1)", "READ(F_M, 1, 0, 0, 0, 0, 0, 0)", "UPDATE(F_B, 0)"));
    expect_rows("column p id S_P beside open 1 {\n    up {\n        a = a * b\n    }\n}\n",
                ROWS("UPDATE(F_A, 1)", "UPDATE(F_B, 1)"));
}

/* Kernels of points that are made come in several shapes; not those by hand, of columns, or of few points. */
Test(describe_counts, shapes_of_kernels)
{
    static const struct {
        const char *lines, *shapes; /* NULL: in one alone */
    } stage[] = {{"point p id S_P {\n    a = b\n}\n", "vector_shape"},
                 {"point p id S_P {\n    only where b > 0\n    a = a + b\n}\n", "row_shape"},
                 {"point p id S_P {\n    only where m > 0\n    a = a + b\n}\n", NULL},
                 {"point p id S_P gpu by_hand {\n    a = b\n}\n", NULL},
                 {"column p id S_P {\n    up {\n        a = b\n    }\n}\n", NULL},
                 {"column p id S_P beside open 1 {\n    up {\n        a = a * b\n    }\n}\n", NULL}};
    for (size_t n = 0; n < sizeof stage / sizeof stage[0]; n++) {
        struct description d;
        char text[2048], row[64];
        snprintf(text, sizeof text, FIELDS "%s", stage[n].lines);
        snprintf(row, sizeof row, "SHAPED(p_run_gpu%s%s", stage[n].shapes ? ", " : "",
                 stage[n].shapes ? stage[n].shapes : "");
        settle(&d, text);
        cr_assert_eq(strstr(text_of(&d), row) != NULL, stage[n].shapes != NULL, "%s", stage[n].lines);
        describe_free(&d);
    }
}
