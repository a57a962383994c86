/* Which kernels a stage of a description has: columns whose levels warps share out, levels that a thread takes
 * together. SPDX-License-Identifier: MIT */
#include "stages/describe.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        cr_assert_eq(describe_kernels(&d.stage[0]) == KERNELS_VECTORS, of[n].blocks > 0, "%s", of[n].lines);
        if (of[n].blocks)
            cr_assert_eq(describe_vector_blocks(&d.stage[0]), of[n].blocks, "%s: %d", of[n].lines,
                         describe_vector_blocks(&d.stage[0]));
        describe_free(&d);
    }
}

/* Of the program's own: what is computed in other ways has other kernels, though it reads as little. */
Test(describe_kernels, other_stages_take_no_vectors)
{
#define ON                                                                                                             \
    "numbers s {\n}\nuse \"h.h\" made_in\nform which { ONE TWO }\nfield a id A\nfield u id U\nlevels p id P metric\n"
    static const struct {
        const char *text;
        enum kernels kernels;
    } of[] = {
        {ON "point p1 id S {\n    a = 2 * u\n}\n", KERNELS_VECTORS},
        {ON "point p1 id S {\n    a = p * u\n}\n",
         KERNELS_VECTORS}, /* a metric term that may be a field goes by points */
        {ON "point p1 id S apart {\n    a = 2 * u\n}\n", KERNELS_NEAR},
        {ON "point p1 id S beside open 1 {\n    a = 2 * u\n}\n", KERNELS_ROWS},
        {ON "point p1 id S {\n    a = made_in(which, u)\n}\n", KERNELS_ROWS},
        {ON "column p1 id S {\n    up {\n        a = 2 * u\n    }\n}\n", KERNELS_ROWS},
        {ON "elements p1 id S {\n    changes f {a}\n    reads g {u}\n}\n", KERNELS_ROWS},
        {ON "show x \"y\" \"1\" = 2 * u\n", KERNELS_ROWS},
    };
    for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) {
        struct description d;
        settle(&d, of[n].text);
        cr_assert_eq(describe_kernels(&d.stage[0]), of[n].kernels, "%s: %d", of[n].text, describe_kernels(&d.stage[0]));
        for (int m = 0; m < d.stage[0].nsides; m++) cr_assert_eq(describe_kernels(&d.stage[0].side[m]), KERNELS_ROWS);
        describe_free(&d);
    }
#undef ON
}

/* As many fields as a stage touches, each as it was and as it is: more vectors than there are places for. */
Test(describe_kernels, more_fields_than_vectors)
{
    enum { FIELDS = 39 };
    char text[16384];
    size_t n = (size_t)snprintf(text, sizeof text, "model m \"m\"\nfield s\n");
    for (int k = 0; k < FIELDS; k++) n += (size_t)snprintf(text + n, sizeof text - n, "field u%d\n", k);
    n += (size_t)snprintf(text + n, sizeof text - n, "point move {\n");
    for (int k = 0; k < FIELDS; k++) n += (size_t)snprintf(text + n, sizeof text - n, "    new u%d = u%d + 1\n", k, k);
    n += (size_t)snprintf(text + n, sizeof text - n, "}\npoint p {\n    s = 0");
    for (int k = 0; k < FIELDS; k++) n += (size_t)snprintf(text + n, sizeof text - n, " + (u%d - old u%d)", k, k);
    snprintf(text + n, sizeof text - n, "\n}\nstep {\n    move\n    p\n}\n");
    struct description d;
    settle(&d, text);
    for (int m = 0; m < 2; m++) cr_assert_eq(describe_kernels(&d.stage[m]), KERNELS_ROWS);
    describe_free(&d);
}

static char *code_of(const struct description *d)
{
    char *code = NULL;
    size_t n;
    FILE *const to = open_memstream(&code, &n);
    describe_print_code(d, to);
    fclose(to);
    return code;
}

/* What kernels are given of far columns, rows, levels, of fields as they were and are, of maps. */
Test(describe_kernels, what_vectors_are_read)
{
    static const char *const part[] = {
        "struct s1_p_around {\n    points<MADE_VECTOR> gw_u[4];\n    points<MADE_VECTOR> gr_u[2];\n",
        "SF_POINT void s1_p_on(struct s1_p_line *l)\n{\n    (void)l;\n    l->r_u += l->sj;\n    l->w_u += l->sj;\n    l->r_m += l->sm;\n"
        "    l->w_q += l->sj;\n}\n",
        "    around->gw_u[1] = made_vector_at(l->w_u + i + (-1) * l->sj);\n    around->gw_u[2] = made_vector_at(l->w_u + i);\n"
        "    around->gw_u[3] = made_vector_at(l->w_u + i + (1) * l->sj);\n    around->gr_u[1] = made_vector_at(l->r_u + i);\n}\n",
        "    around->gw_u[0] = around->gw_u[1];\n    around->gw_u[1] = around->gw_u[2];\n    around->gw_u[2] = around->gw_u[3];\n"
        "    if (goes_on) around->gw_u[3] = made_vector_at(l->w_u + i + (2) * l->sj);\n",
        "    around->pw_u_p1_0.of[1] = around->gw_u[2];\n",
        "    around->pw_u_m1_0.of[0] = made_vector_at(l->w_u + i - MADE_VECTOR + (-1) * l->sj);\n"
        "    around->pw_u_m1_0.of[1] = around->gw_u[0];\n",
        "    if (i + MADE_VECTOR < end + 3) around->pr_u_0_0.of[2] = made_vector_at(l->r_u + i + MADE_VECTOR);\n",
        "    around->pr_u_m1_p1.of[1] = made_vector_at(l->r_u + i + (-1) * l->sj + (1) * l->sk);\n",
        "SF_IN_VECTOR(around->pr_u_0_0, m + 3)",
        "l->r_m[i + 1]",
        "    made_vector_put(l->w_q + i, x[0].q, x[1].q, x[2].q, x[3].q);\n",
        "SF_MADE_VECTORS_POINT(s1_p, s1_p)\n",
    };
    struct description d;
    settle(&d, "model m \"m\"\nfield q\nfield u\nmap m\nlevels a = z\npoint move {\n    new u = u + 1\n}\n"
               "point p {\n    q = u[0, 1, 0] + u[-2, -1, 0] + old u[3, 0, 0] + old u[0, -1, 1] + m[1, 0] * a\n}\n"
               "step {\n    move\n    p\n}\n");
    char *const code = code_of(&d);
    for (size_t n = 0; n < sizeof part / sizeof part[0]; n++)
        cr_assert(strstr(code, part[n]), "no %s in\n%s", part[n], code);
    free(code);
    describe_free(&d);
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
    for (int n = 0; n < 3; n++) cr_assert(describe_kernels(&d.stage[n]) == KERNELS_VECTORS, "%s", d.stage[n].name);
    for (int n = 0; n < 3; n++)
        cr_assert_eq(describe_vector_blocks(&d.stage[n]), n == 1 ? 3 : 4, "%s", d.stage[n].name);
    describe_free(&d);
}
