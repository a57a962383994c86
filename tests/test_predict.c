/* The prediction of a kernel's time follows its causes. SPDX-License-Identifier: MIT */
#include "command/predict.h"

#include <criterion/criterion.h>

#define SAME(a, b) cr_expect_float_eq((a) / (b), 1, 1e-12)

enum { A, B, LEVELS };

static const struct field field[] = {
    [A] = {.name = "a"}, [B] = {.name = "b"}, [LEVELS] = {.name = "l", .shape = SHAPE_LEVELS}};
static const struct stage stage = {.name = "s",
                                   .access = {{.field = A, .mode = ACCESS_READ, .reach = {2, 2, 2, 2, 2, 2}},
                                              {.field = B, .mode = ACCESS_UPDATE},
                                              {.field = LEVELS, .mode = ACCESS_READ}}};
static const struct predict_device device = {.multiprocessors = 132, .clock = 1.98e9, .l2 = 60 << 20};
static const struct machine machine = {.memory = 4e12, .cache = 8e12, .fma = 6e13, .issue = 3.3e13};

static struct predict_kernel usual(void)
{
    return (struct predict_kernel){.shape = {.name = "x", .tile_i = 64, .tile_k = 4, .rows = 16, .threads = 256},
                                   .count = {.fp = 300, .memory = 40, .words = 40, .other = 160},
                                   .resident = 1024,
                                   .block = 256,
                                   .threads = 512.0 * 128 * 512 / 16,
                                   .ni = 512,
                                   .nk = 128,
                                   .nj = 512,
                                   .stage = &stage,
                                   .field = field};
}

Test(predict, what_is_loaded_falls_with_the_tile)
{
    struct predict_kernel k = usual();
    const double exact = 68.0 * 8 * 20 / (64 * 4 * 16) + 1;
    SAME(predict_loads(&k), exact);
    double last = 1e30;
    for (int side = 4; side <= 64; side *= 2) {
        k.shape.tile_i = k.shape.tile_k = side;
        cr_expect_lt(predict_loads(&k), last);
        last = predict_loads(&k);
    }
    k.shape.rows = 0; /* all of them */
    cr_expect_lt(predict_loads(&k), last);
    cr_expect_gt(predict_loads(&k), 2);
}

Test(predict, each_term_follows_its_cause)
{
    const struct predict_kernel k = usual();
    const struct prediction p = predict(&k, &device, &machine);
    struct predict_kernel more = k;
    more.count.other *= 2;
    cr_expect_gt(predict(&more, &device, &machine).part[PREDICT_ISSUE], p.part[PREDICT_ISSUE]);
    cr_expect_gt(predict(&more, &device, &machine).part[PREDICT_LATENCY], p.part[PREDICT_LATENCY]);
    more = k, more.count.words *= 2;
    SAME(predict(&more, &device, &machine).part[PREDICT_LOAD_STORE], 2 * p.part[PREDICT_LOAD_STORE]);
    more = k, more.shape.tile_k = 8;
    cr_expect_lt(predict(&more, &device, &machine).part[PREDICT_L2], p.part[PREDICT_L2]);
    more = k, more.count.turn = 4;
    cr_expect_lt(predict(&more, &device, &machine).part[PREDICT_LATENCY], p.part[PREDICT_LATENCY]);
    more = k, more.threads *= 2; /* each with half of the points */
    SAME(predict(&more, &device, &machine).part[PREDICT_LATENCY] / p.part[PREDICT_LATENCY],
         (1900 * 2.0 / 16 + 650 + 2 * 500) / (1900.0 / 16 + 650 + 2 * 500));
    more = k, more.resident *= 2;
    cr_expect_lt(predict(&more, &device, &machine).part[PREDICT_LATENCY], p.part[PREDICT_LATENCY]);
    struct machine slow = machine;
    slow.memory /= 2;
    SAME(predict(&k, &device, &slow).part[PREDICT_DRAM], 2 * p.part[PREDICT_DRAM]);
}

Test(predict, rows_between_blocks_come_twice_where_the_cache_is_small)
{
    struct predict_kernel k = usual();
    struct predict_device small = device;
    small.l2 = 1 << 20;
    cr_expect_gt(predict(&k, &small, &machine).part[PREDICT_DRAM], predict(&k, &device, &machine).part[PREDICT_DRAM]);
    k.shape.rows = 0;
    SAME(predict(&k, &small, &machine).part[PREDICT_DRAM], predict(&k, &device, &machine).part[PREDICT_DRAM]);
}

Test(predict, threads_beyond_the_domain_cost_too)
{
    struct predict_kernel k = usual();
    const double whole = predict(&k, &device, &machine).part[PREDICT_LOAD_STORE];
    k.ni = 449; /* as many tiles */
    k.threads = 512.0 * 128 * 512 / 16;
    SAME(predict(&k, &device, &machine).part[PREDICT_LOAD_STORE], whole * 512 / 449);
}

Test(predict, the_longest_term_is_the_time)
{
    struct predict_kernel k = usual();
    struct prediction p = predict(&k, &device, &machine);
    for (int n = 0; n < PREDICTS; n++) cr_expect_leq(p.part[n], p.seconds);
    SAME(p.part[p.by], p.seconds);
    k.count.fp = 1e6;
    k.resident = 2048;
    p = predict(&k, &device, &machine);
    cr_expect_eq((int)p.by, PREDICT_ISSUE);
    const struct machine unknown = {.memory = 4e12};
    cr_expect_gt(predict(&k, &device, &unknown).seconds, 0, "what was not measured is left out");
}

Test(predict, instructions_are_estimated_of_flop_and_reaches)
{
    static const struct stage s = {.name = "s",
                                   .flops = 27,
                                   .access = {{.field = A, .mode = ACCESS_READ, .reach = {2, 2, 2, 2, 1, 0}},
                                              {.field = B, .mode = ACCESS_UPDATE},
                                              {.field = LEVELS, .mode = ACCESS_READ}}};
    const struct instructions n = predict_count(&s, field);
    SAME(n.fp, 27);
    SAME(n.memory, 10 + 2);
    SAME(n.words, 12 * sizeof(real) / 4.0);
    SAME(instructions_all(&n), 39);
}

/* What is touched at few points is left out; of a family every member counts, of an op from a level on its share. */
Test(predict, members_shares_and_what_is_rare)
{
    static const struct stage s = {
        .name = "s",
        .flops = 3,
        .access = {{.field = A, .mode = ACCESS_READ, .reach = {1, 1, 0, 0, 0, 0}, .family = 1},
                   {.field = B, .mode = ACCESS_READ},
                   {.field = B, .mode = ACCESS_WRITE, .rare = RARE_ALL}}};
    static const struct stage looks = {.access = {{.field = B, .mode = ACCESS_UPDATE, .rare = RARE_CHANGES}}};
    const struct instructions n = predict_count(&s, field), seen = predict_count(&looks, field);
    SAME(n.memory, 3 + 1);
    SAME(seen.memory, 1);
    struct predict_kernel k = usual();
    k.stage = &s, k.shape.rows = 0;
    const struct prediction one = predict(&k, &device, &machine);
    SAME(one.part[PREDICT_DRAM], 2 * sizeof(real) / machine.memory);
    k.members = 3;
    const struct prediction three = predict(&k, &device, &machine);
    SAME(three.part[PREDICT_DRAM], 4 * sizeof(real) / machine.memory);
    SAME(three.part[PREDICT_ISSUE], 3 * one.part[PREDICT_ISSUE]);
    SAME(three.part[PREDICT_LOAD_STORE], 3 * one.part[PREDICT_LOAD_STORE]);
    cr_expect_gt(three.part[PREDICT_L2], 1.5 * one.part[PREDICT_L2]);
    cr_expect_gt(three.part[PREDICT_LATENCY], 2 * one.part[PREDICT_LATENCY]);
    k.share = 0.25;
    const struct prediction part = predict(&k, &device, &machine);
    k.stage = &looks, k.share = k.members = 0;
    SAME(predict(&k, &device, &machine).part[PREDICT_DRAM], sizeof(real) / machine.memory);
    for (int p = 0; p < PREDICTS; p++) SAME(part.part[p], 0.25 * three.part[p]);
}

/* Ops of a pass of 8 steps, 2 rows and levels behind each other, of fields that take 3 KiB a line. */
static struct predict_window window(void)
{
    return (struct predict_window){.rows = 8,
                                   .levels = 10,
                                   .lag = 32,
                                   .lag_k = 16,
                                   .ops_of_pass = 16,
                                   .line = 3072,
                                   .cache = 524288,
                                   .ops = 28,
                                   .least = 2.5};
}

Test(predict, a_window_of_a_cpu_and_what_comes_from_memory)
{
    struct predict_window w = window();
    SAME(predict_window_bytes(&w), 3072.0 * (80 + 320 + 128));
    SAME(predict_far(&w), 2.5 / 28 + 2.0 / 8 + 1.0 / 10);
    w.cache = 3072.0 * 528;
    SAME(predict_far(&w), 2.5 / 28 + 2.0 / 8); /* levels stay from op to op */
    w.lag_k = 0; /* windows have all levels, and stay from one to the next */
    SAME(predict_far(&w), 2.5 / 28);
    w = window(), w.cache = 3072.0 * 79;
    SAME(predict_far(&w), 1);
    w = window(), w.rows = 2;
    SAME(predict_far(&w), 1);
}

Test(predict, an_op_on_a_cpu)
{
    const struct machine m = {.memory = 40e9, .cache = 200e9, .fma = 100e9};
    const struct instructions n = {.fp = 27, .memory = 16};
    const struct prediction p = predict_on_cpu(&n, 16, 0.5, &m), far = predict_on_cpu(&n, 160, 1, &m);
    SAME(p.part[PREDICT_ISSUE], 43 / 50e9);
    SAME(p.part[PREDICT_L2], 16 / 200e9);
    SAME(p.part[PREDICT_DRAM], 8 / 40e9);
    SAME(p.seconds, 43 / 50e9);
    cr_expect_eq((int)p.by, PREDICT_ISSUE);
    cr_expect_eq((int)far.by, PREDICT_DRAM);
    SAME(far.seconds, 4e-9);
}

Test(predict, a_tile_that_is_not_known_is_the_domain)
{
    struct predict_kernel k = usual();
    k.shape = (struct candidate){.name = "own"};
    SAME(predict_loads(&k), 516.0 * 132 * 516 / (512.0 * 128 * 512) + 1);
    SAME(predict(&k, &device, &machine).part[PREDICT_DRAM], 3 * sizeof(real) / machine.memory);
}

Test(predict, a_round_that_is_not_full_is_waited_for)
{
    struct predict_kernel k = usual();
    k.resident = 256; /* a block a multiprocessor */
    k.threads = 132 * 256.0;
    const double full = predict(&k, &device, &machine).part[PREDICT_LOAD_STORE];
    k.threads = 133 * 256.0;
    cr_expect_gt(predict(&k, &device, &machine).part[PREDICT_LOAD_STORE], 1.9 * full);
}
