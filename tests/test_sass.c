/* Instructions of a point, from rows of counted ways through kernels. SPDX-License-Identifier: MIT */
#include "pipeline/sass.h"

#include <criterion/criterion.h>

static const struct sass_row rows[] = {
    /* kernel, part, unrolled, kind, stores, fp, memory, words, other, aside */
    {"boxes", 0, 1, SHORTEST, 0, 0, 20, 20, 44, 64},       {"boxes", 1, 1, SHORTEST, 6, 30, 12, 12, 18, 24},
    {"column", 0, 1, SHORTEST, 0, 0, 0, 0, 100, 0},        {"column", 1, 1, SHORTEST, 2, 4, 6, 6, 12, 0},
    {"column", 1, 1, LONGEST, 2, 10, 6, 6, 14, 0},         {"column", 2, 4, SHORTEST, 12, 40, 24, 24, 16, 0},
    {"eight", 0, 1, SHORTEST, 0, 0, 0, 0, 100, 0},         {"eight", 1, 4, SHORTEST, 0, 4, 36, 48, 16, 0},
    {"eight", 2, 1, SHORTEST, 16, 272, 104, 144, 544, 0},  {"eight", 3, 1, SHORTEST, 24, 80, 72, 88, 288, 0},
    {"layers", 0, 1, SHORTEST, 0, 0, 4, 4, 60, 0},         {"layers", 1, 1, SHORTEST, 0, 0, 1, 1, 2, 0},
    {"layers", 1, 1, SHORTEST, 3, 21, 14, 14, 65, 0},      {"layers", 1, 1, SHORTEST, 5, 27, 20, 20, 84, 0},
    {"layers", 1, 1, SHORTEST, 9, 39, 32, 32, 124, 0},     {"layers", 2, 1, SHORTEST, 3, 21, 1, 1, 1, 0},
    {"pair", 0, 1, SHORTEST, 0, 0, 39, 84, 178, 0},        {"pair", 1, 1, SHORTEST, 0, 336, 24, 90, 85, 0},
    {"pair", 1, 1, SHORTEST, 24, 336, 30, 114, 101, 0},    {"pair", 1, 1, LONGEST, 24, 336, 39, 141, 126, 0},
    {"point", 0, 1, SHORTEST, 0, 0, 0, 0, 14, 0},          {"point", 0, 1, SHORTEST, 5, 356, 114, 114, 259, 0},
    {"tiles", 0, 1, SHORTEST, 0, 0, 26, 26, 117, 0},       {"tiles", 1, 1, SHORTEST, 5, 1667, 335, 440, 81, 0},
    {"tiles", 1, 1, SHORTEST, 20, 1667, 350, 455, 135, 0}, {"tiles", 1, 1, SHORTEST, 25, 1667, 355, 460, 153, 0},
    {"tiles", 1, 1, LONGEST, 25, 1667, 395, 575, 264, 0},  {"vectors", 0, 1, GUARDED, 0, 0, 46, 100, 300, 0},
    {"vectors", 1, 1, GUARDED, 0, 42, 60, 94, 234, 0},     {"vectors", 1, 1, GUARDED, 0, 84, 49, 73, 148, 0},
    {"vectors", 1, 1, GUARDED, 0, 168, 126, 168, 383, 0},  {"vectors", 1, 1, GUARDED, 0, 174, 130, 172, 440, 0},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static struct instructions count(const char *kernel, int stores, double flops, double points, int is_column)
{
    struct instructions i;
    const struct sass_use use = {stores, flops, points, is_column, 4};
    cr_assert_eq(sass_count(rows, ROWS, kernel, &use, &i), 1);
    return i;
}

Test(sass, a_thread_a_point)
{
    const struct instructions i = count("point", 5, 425, 1, 0);
    cr_expect_float_eq(i.fp, 356, 1e-6);
    cr_expect_float_eq(instructions_all(&i), 356 + 114 + 259, 1e-6);
    /* Threads of tiles that stick out are no points. */
    const struct instructions few = count("point", 5, 425, 0.5, 0);
    cr_expect_float_eq(few.fp, 356, 1e-6);
}

Test(sass, rows_of_a_march_and_what_comes_before)
{
    const struct instructions i = count("layers", 3, 21, 32, 0);
    cr_expect_float_eq(i.fp, 21, 1e-6, "the way that stores three values, in the longest loop");
    cr_expect_float_eq(i.memory, 14 + 4.0 / 32, 1e-6);
    cr_expect_float_eq(i.other, 65 + 60.0 / 32, 1e-6);
}

/* Of a pack's columns all that is written says how many there are; those that write nothing compute as much. */
Test(sass, packs_of_two_steps)
{
    struct instructions i = count("pair", 6, 84, 128, 0);
    cr_expect_float_eq(i.fp, 84, 1e-6);
    cr_expect_float_eq(i.turn, 4, 0);
    cr_expect_float_eq(instructions_all(&i), (336 + 30 + 101) / 4.0 + (39 + 178) / 128.0, 1e-6);
    const struct sass_use both = {.stores = 12, .flops = 84, .points = 128, .warps = 16};
    cr_assert_eq(sass_count(rows, ROWS, "pair", &both, &i), 0);
}

Test(sass, rows_unrolled_and_tiles_at_an_edge)
{
    const struct instructions i = count("tiles", 5, 425, 64, 0);
    cr_expect_float_eq(i.fp, 1667.0 / 5, 1e-6, "five rows a turn; ways that store fewer compute as much");
    cr_expect_float_eq(i.words, 460.0 / 5 + 26.0 / 64, 1e-6);
    cr_expect_float_eq(i.turn, 5, 1e-6);
}

Test(sass, vectors_are_told_by_their_arithmetic)
{
    const struct instructions i = count("vectors", 6, 42, 1e9, 0);
    cr_expect_float_eq(i.fp, 42, 1e-6);
    cr_expect_float_eq(i.memory, 126.0 / 4, 1e-6);
    cr_expect_float_eq(i.other, 383.0 / 4, 1e-6);
    cr_expect_float_eq(i.turn, 4, 1e-6);
}

Test(sass, what_one_warp_does_for_all_is_shared)
{
    const struct instructions i = count("boxes", 2, 10, 64, 0);
    cr_expect_float_eq(i.other, (18 + 24 / 4.0) / 3 + (44 + 64 / 4.0) / 64, 1e-6);
    cr_expect_float_eq(i.fp, 10, 1e-6);
    struct instructions alone;
    const struct sass_use of_one = {2, 10, 64, 0, 0};
    cr_assert_eq(sass_count(rows, ROWS, "boxes", &of_one, &alone), 1);
    cr_expect_float_eq(alone.other, (18 + 24) / 3.0 + (44 + 64) / 64.0, 1e-6, "a block of one warp, or fewer threads");
}

Test(sass, columns_go_through_all_loops)
{
    const struct instructions i = count("column", 3, 30, 100, 1);
    cr_expect_float_eq(i.fp, 10 + 10, 1e-6, "the longest way up, a quarter of the unrolled way down");
    cr_expect_float_eq(i.memory, 6 + 6, 1e-6);
    cr_expect_float_eq(i.other, 14 + 4 + 1, 1e-6);
}

Test(sass, levels_together)
{
    const struct instructions i = count("eight", 3, 64, 100, 1);
    cr_expect_float_eq(i.fp, 34 + 10, 1e-6, "eight levels a turn: no more is computed than there are flop");
    cr_expect_float_eq(i.memory, 13 + 9, 1e-6, "loops that store nothing are no levels");
    cr_expect_float_eq(i.turn, 8, 1e-6);
}

Test(sass, what_cannot_be_told_is_not_counted)
{
    struct instructions i = {.fp = 1};
    const struct sass_use use = {1, 0, 1, 0, 4}, other = {7, 425, 1, 0, 4}, much = {5, 2000, 1, 0, 4},
                          vectors = {6, 40, 1, 0, 4};
    cr_expect_eq(sass_count(rows, ROWS, "poin", &use, &i), 0);
    cr_expect_float_eq(instructions_all(&i), 0, 1e-6);
    cr_expect_eq(sass_count(rows, 0, "point", &use, &i), 0);
    cr_expect_eq(sass_count(rows, ROWS, "point", &other, &i), 0);
    cr_expect_eq(sass_count(rows, ROWS, "tiles", &much, &i), 0);
    cr_expect_eq(sass_count(rows, ROWS, "vectors", &vectors, &i), 0);
    cr_expect_float_eq(instructions_all(&i), 0, 1e-6);
}

Test(sass, the_table_of_this_build_can_be_asked)
{
    int n = -1;
    cr_assert(sass_table(&n) != NULL);
    cr_expect_geq(n, 0);
}
