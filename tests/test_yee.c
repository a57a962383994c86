/* The updates of E and H along a line of several media: every column has the coefficients of its own medium, wherever
 * on the line and in which component it differs. SPDX-License-Identifier: MIT */
#include "support_yee.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 64 + 64 + 7 }; /* two whole pieces of a line, and a rest */

static const int cells[3] = {COLUMNS, 2, 2}, closed[3] = {0, 0, 0};
static const double brick[3] = {0.01, 0.012, 0.009};
static struct yee_world world;
static real *start, *whole[2]; /* of all fields: before, and after with either medium everywhere */

static void update(int is_e)
{
    const struct box all = {0, cells[AX], 0, cells[AZ], 0, cells[AY]};
    const struct call c = {.ctx = &world.x};
    memcpy(world.memory, start, 6 * world.size * sizeof *start);
    (is_e ? e_run : h_run)(&world.s, all, &c);
}

static void begin(int is_e, struct coefficients *two)
{
    struct coefficients *const one = is_e ? &world.x.e : &world.x.h;
    const size_t bytes = 6 * world.size * sizeof *start;
    start = malloc(bytes);
    unsigned long long random = 1;
    for (size_t m = 0; m < 6 * world.size; m++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        start[m] = (real)((double)(random >> 40) / (1 << 24) - 0.5);
    }
    for (int medium = 0; medium < 2; medium++) {
        *one = (struct coefficients){1, two->keep + medium, two->turn + medium, NULL, NULL};
        update(is_e);
        whole[medium] = malloc(bytes);
        memcpy(whole[medium], world.memory, bytes);
    }
    *one = *two;
}

/* All fields are those of medium 0, but one element of one component that of medium 1. */
static void expect_one(int component, ptrdiff_t at)
{
    const size_t one = (size_t)(world.s.f[component] - world.memory + at);
    cr_assert_neq(whole[0][one], whole[1][one]);
    cr_assert_eq(world.memory[one], whole[1][one], "component %d at %td", component, at);
    world.memory[one] = whole[0][one];
    cr_assert_eq(memcmp(world.memory, whole[0], 6 * world.size * sizeof *start), 0, "component %d at %td", component,
                 at);
}

static void columns_differ(int is_e, int wide)
{
    real keep[2] = {1, R(0.5)}, turn[2] = {R(0.003), R(0.001)};
    struct coefficients two = {2, keep, turn, NULL, NULL};
    yee_world_make(&world, cells, brick, 1, closed, 0.99, 1, 1);
    begin(is_e, &two);
    *(is_e ? &world.x.e_wide : &world.x.h_wide) = wide;
    unsigned char *ids[3];
    const ptrdiff_t first = world.s.f[0] - world.memory;
    for (int c = 0; c < 3; c++) {
        ids[c] = calloc(world.size, (size_t)wide);
        world.s.f[F_MEX + c + (is_e ? 0 : 3)] = (real *)(void *)(ids[c] + first * wide);
    }
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < COLUMNS; i++) {
            const ptrdiff_t at = yee_at(&world, i, 1, 0), place = first + at;
            if (wide == 1) ids[c][place] = 1;
            else ((unsigned short *)(void *)ids[c])[place] = 1;
            update(is_e);
            expect_one(c + (is_e ? 0 : 3), at);
            memset(ids[c], 0, world.size * (size_t)wide);
        }
    for (int c = 0; c < 3; c++) free(ids[c]);
    for (int m = 0; m < 2; m++) free(whole[m]);
    free(start);
    yee_world_free(&world);
}

Test(yee, one_column_differs)
{
    for (int is_e = 0; is_e < 2; is_e++)
        for (int wide = 1; wide <= 2; wide++) columns_differ(is_e, wide);
}
