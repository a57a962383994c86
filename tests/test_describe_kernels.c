/* Which kernels a stage of a description has: columns whose levels warps share out, levels that a thread takes
 * together. SPDX-License-Identifier: MIT */
#include "stages/describe.h"

#include <criterion/criterion.h>
#include <stdio.h>

static void settle(struct description *d, const char *text)
{
    *d = (struct description){0};
    describe_read(d, "m.sf", text);
    describe_settle(d);
    cr_assert_eq(d->nerrors, 0, "%s", d->errors);
}

/* Warps may share out the levels of columns that go up with systems and down with their solution, if on the way up a
 * level needs few below it, and on the way down none. */
Test(describe_kernels, columns_whose_levels_warps_share_out)
{
    enum { NOT = -1 };
    static const struct {
        const char *lines;
        int deep;
    } column[] = {
        {"up {\n solve c = tridiagonal(-1, 3, -1, q)\n }\n down {\n q = c\n }", 0},
        {"carry m = 0\n up {\n solve c = tridiagonal(-1, 3, -1, q + m)\n m = u[0, 0, 1]\n }\n down {\n q = c\n }", 1},
        {"carry m = 0\n carry n = 0\n up {\n f = u - m\n solve c = tridiagonal(-1, 3, -1, q + n)\n n = f\n m = u\n }\n"
         " down {\n q = c + f\n }",
         2},
        /* what a line of the level has made already is no level further */
        {"carry m = 0\n carry n = 0\n up {\n m = u\n n = m\n solve c = tridiagonal(-1, 3, -1, q + n)\n }\n down {\n q = c\n }",
         0},
        {"carry l = 0\n carry m = 0\n carry n = 0\n up {\n solve c = tridiagonal(-1, 3, -1, q + n)\n n = m\n m = l\n l = u\n }\n"
         " down {\n q = c\n }",
         3},
        {"carry k = 0\n carry l = 0\n carry m = 0\n carry n = 0\n up {\n solve c = tridiagonal(-1, 3, -1, q + n)\n n = m\n m = l\n"
         " l = k\n k = u\n }\n down {\n q = c\n }",
         NOT},
        {"carry m = 0\n up {\n solve c = tridiagonal(-1, 3, -1, q + m)\n m = 0.5 * m + u\n }\n down {\n q = c\n }",
         NOT},
        {"carry m = 0\n up {\n solve c = tridiagonal(-1, 3, -1, q)\n m = u\n }\n down {\n q = c + m\n }", NOT},
        {"carry m = 0\n up {\n solve c = tridiagonal(-1, 3, -1, q)\n }\n down {\n q = c + m\n m = c\n }", NOT},
        {"up {\n solve c = tridiagonal(-1, 3, -1, q)\n }\n down {\n q = c + (at_bottom ? 0 : q[0, 0, -1])\n }", NOT},
        {"up {\n solve c = tridiagonal(-1, 3, -1, q)\n }\n down {\n new q = c + (at_bottom ? 0 : q[0, 0, -1])\n }", 0},
        {"up {\n u = q\n solve c = tridiagonal(-1, 3, -1, q)\n }\n down {\n q = c\n }", NOT},
        {"down {\n solve c = tridiagonal(-1, 3, -1, q)\n }\n up {\n q = c\n }", NOT},
        {"carry m = 0\n up {\n m = m + u\n }\n down {\n q = 0.5 * m\n }", NOT},
        {"up {\n solve c = tridiagonal(-1, 3, -1, q)\n }\n down {\n q = c\n }\n up {\n u = 2 * u\n }", NOT},
    };
    for (size_t n = 0; n < sizeof column / sizeof column[0]; n++) {
        struct description d;
        char text[1024];
        snprintf(text, sizeof text,
                 "model m \"m\"\nfield q\nfield u\ncolumn mix {\n%s\n}\n"
                 "point other {\n u = 0.5 * u\n}\nstep {\n    mix\n    other\n}\n",
                 column[n].lines);
        settle(&d, text);
        int deep = NOT;
        const int is = describe_by_blocks(&d.stage[0], &deep);
        cr_assert(is == (column[n].deep != NOT) && (!is || deep == column[n].deep), "%s: %d, %d deep", text, is, deep);
        describe_free(&d);
    }
}

/* The columns that tests/gpu_bits.sh runs on a GPU are of both kinds; and a number by level is not where a warp looks.
 */
Test(describe_kernels, columns_of_the_bits_on_a_gpu)
{
    static const char by_level[] = "numbers s {\n}\nline a along z \"a\"\nfield q\ncolumn mix {\n up {\n"
                                   " solve c = tridiagonal(-1, 3 + a, -1, q)\n }\n down {\n q = c\n }\n}\n";
    struct description d = {0};
    char text[8192];
    int deep;
    FILE *const f = fopen("tests/support_columns.sf", "r");
    cr_assert_not_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    settle(&d, text);
    cr_assert(describe_by_blocks(&d.stage[0], &deep));
    cr_assert_eq(deep, 3, "%d", deep);
    cr_assert(describe_by_blocks(&d.stage[1], &deep) && deep == 1);
    cr_assert_not(describe_by_blocks(&d.stage[2], &deep));
    describe_free(&d);
    settle(&d, by_level);
    cr_assert_not(describe_by_blocks(&d.stage[0], &deep));
    describe_free(&d);
}

#define UPWARD(f) f "[0, 0, -2] + " f "[0, 0, -1] + " f " + " f "[0, 0, 1] + " f "[0, 0, 2]"
#define NORTHWARD(f) f "[0, -2, 0] + " f "[0, -1, 0] + " f " + " f "[0, 1, 0] + " f "[0, 2, 0]"

/* A thread takes levels together where eight values and more are those of the level above, and rows share fewer. */
Test(describe_kernels, levels_that_share_what_they_read_go_together)
{
    static const struct {
        const char *value;
        int levels;
    } of[] = {
        {"t + t[0, 0, 1]", 1},
        {UPWARD("t") " + " UPWARD("u"), 4},
        {UPWARD("t") " + u[0, 0, -1] + u + u[0, 0, 1] + u[0, 0, 2]", 1}, /* 4 and 3 */
        {UPWARD("t") " + " UPWARD("u") " + " NORTHWARD("t") " + " NORTHWARD("u"), 1},
        {UPWARD("t") " + " UPWARD("u") " + " NORTHWARD("t"), 4},
    };
    for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) {
        struct description d;
        char text[1024];
        snprintf(text, sizeof text,
                 "model m \"m\"\nfield q\nstatic t\nstatic u\n"
                 "point mix {\n q += %s\n}\nstep {\n    mix\n}\n",
                 of[n].value);
        settle(&d, text);
        cr_assert_eq(describe_levels_together(&d.stage[0]), of[n].levels, "%s", of[n].value);
        describe_free(&d);
    }
}

/* Threads take vectors of columns of what reads few enough of them, no further than the vectors beside, and is computed
 * at all points alike. */
Test(describe_kernels, points_that_threads_take_in_vectors)
{
    enum { NOT = 0 };
    static const struct {
        const char *lines;
        int blocks; /* of a multiprocessor */
    } of[] = {
        {"q += dt * q", 4},
        {"new q = t[-1, 0, 0] + t[1, 0, 0] + t[0, -1, 0] + t[0, 1, 0] + t[0, 0, -1] + t[0, 0, 1]",
         4}, /* 4 rows, 2 beside, 2 levels */
        {"new q = t[-4, 0, 0] + t[4, 0, 0]", 4},
        {"new q = t[-5, 0, 0] + t", NOT}, /* further than the vector beside */
        {"new q = " NORTHWARD("t") " + " UPWARD("t") " + t[1, 0, 0] + t[-1, 0, 0]",
         4}, /* 6, 4 and 2, and 2 pointers: 52 */
        {"new q = " NORTHWARD("t") " + " UPWARD("t") " + t[1, 0, 0] + t[-1, 0, 0] + u",
         3}, /* 2 and a pointer more: 62 */
        {"new q = " NORTHWARD("t") " + " NORTHWARD("u") " + t[1, 0, 0] + t[-1, 0, 0] + t[0, 0, 1] + t[0, 0, 2] + q",
         2}, /* 6, 6, 4 and 2, and 4 pointers: 80 */
        {"new q = " NORTHWARD("t") " + " NORTHWARD("u") " + " NORTHWARD("q") " + " UPWARD("t") " + " UPWARD("u"),
         2}, /* 26 */
        {"new q = " NORTHWARD("t") " + " NORTHWARD("u") " + " NORTHWARD("q") " + " UPWARD("t") " + " UPWARD(
             "u") " + " UPWARD("q"),
         NOT}, /* 30 */
        {"only where t > 0\n q += dt * t", NOT},
        {"new q = m[1, 0] + a", NOT}, /* no field */
    };
    for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) {
        struct description d;
        char text[2048];
        snprintf(text, sizeof text,
                 "model m \"m\"\nfield q\nstatic t\nstatic u\nmap m\nlevels a = z\n"
                 "point mix {\n %s\n}\nstep {\n    mix\n}\n",
                 of[n].lines);
        settle(&d, text);
        cr_assert_eq(describe_by_vectors(&d.stage[0]), of[n].blocks > 0, "%s", of[n].lines);
        if (of[n].blocks)
            cr_assert_eq(describe_vector_blocks(&d.stage[0]), of[n].blocks, "%s: %d", of[n].lines,
                         describe_vector_blocks(&d.stage[0]));
        describe_free(&d);
    }
}

/* The stages that tests/gpu_bits.sh runs on a GPU are of that kind. */
Test(describe_kernels, vectors_of_the_bits_on_a_gpu)
{
    struct description d = {0};
    char text[8192];
    FILE *const f = fopen("tests/support_vectors.sf", "r");
    cr_assert_not_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    settle(&d, text);
    for (int n = 0; n < 3; n++) cr_assert(describe_by_vectors(&d.stage[n]), "%s", d.stage[n].name);
    for (int n = 0; n < 3; n++)
        cr_assert_eq(describe_vector_blocks(&d.stage[n]), n == 1 ? 3 : 4, "%s", d.stage[n].name);
    describe_free(&d);
}
