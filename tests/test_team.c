/* How many threads sweep a pass: the guess, trials and what they wait for, by value. SPDX-License-Identifier: MIT */
#include "pipeline/team.h"

#include <criterion/criterion.h>

enum { UNKNOWN = -1 };

/* A machine of its own: s a step of each number of threads, and the share of it that the team waits for a thread. */
struct load {
    double pace[17], late[17];
    int cores_free;
};

/* Passes of one step for so many seconds; returns how many threads the last had. */
static int run(struct team *t, const struct load *l, double seconds)
{
    int size = t->size;
    for (double at = 0; at < seconds; at += l->pace[size]) {
        size = t->size;
        if (team_add(t, 1, l->pace[size], l->late[size] * l->pace[size])) team_judge(t, l->cores_free);
    }
    return size;
}

/* A block of `steps` steps. */
static void block(struct team *t, int steps, double pace, double late, int cores_free)
{
    cr_assert(team_add(t, steps, steps * pace, late * steps * pace));
    team_judge(t, cores_free);
}

static struct team team_of(int most, int cores_free)
{
    struct team t;
    team_init(&t, most);
    team_guess(&t, cores_free);
    return t;
}

Test(team, first_guess)
{
    static const int most[] = {1, 2, 2, 2, 2, 4, 4, 16, 3}, cores_free[] = {0, UNKNOWN, 0, 1, 2, 3, 9, 15, 2},
                     want[] = {1, 2, 1, 1, 2, 3, 4, 15, 2};
    for (int n = 0; n < 9; n++)
        cr_assert_eq(team_of(most[n], cores_free[n]).size, want[n], "%d of %d", cores_free[n], most[n]);
    struct team t = team_of(4, 1);
    team_guess(&t, 3);
    cr_assert_eq(t.size, 3); /* what ran at the first look is gone */
    team_guess(&t, 2);
    cr_assert_eq(t.size, 3);
    team_init(&t, 4);
    cr_assert_eq(t.size, 4);
}

Test(team, blocks)
{
    struct team t = team_of(2, 2);
    cr_assert_not(team_add(&t, 1, 0.02, 0));
    cr_assert(team_add(&t, 1, 0.02, 0));
    team_judge(&t, 2);
    cr_assert_not(team_add(&t, 1, 0.02, 0), "a block begins anew");
}

Test(team, who_is_not_disturbed_stays)
{
    /* Fewer would be faster, if they were tried. */
    const struct load calm = {.pace = {[1] = 1e-4, [2] = 1e-3}, .late = {[2] = 0.19}, .cores_free = 0};
    struct team t = team_of(2, UNKNOWN);
    cr_assert_eq(run(&t, &calm, 100), 2);
    cr_assert_eq(t.fewer, 0);
    cr_assert_not(team_asks(&t));
    for (int n = 0; n < 100; n++) {
        block(&t, 1000, 1e-3, 0, UNKNOWN);
        cr_assert_eq(t.tried_from, 0);
    }
}

/* Passes have different numbers of steps. */
Test(team, pace_is_that_of_a_step)
{
    struct team t = team_of(2, 2);
    block(&t, 10, 0.01, 0.5, 0);
    cr_assert_eq(t.size, 1);
    block(&t, 40, 0.005, 0, 0);
    cr_assert_eq(t.size, 1);
    cr_assert_float_eq(t.pace, 0.005, 1e-12);
}

Test(team, who_is_disturbed_shrinks)
{
    struct team t = team_of(16, 16);
    block(&t, 10, 0.01, 0.21, 8);
    cr_assert_eq(t.size, 8);
    cr_assert_not(team_asks(&t)); /* a trial goes by time alone */
    block(&t, 10, 0.0089, 0.5, 8);
    cr_assert_eq(t.size, 8); /* a gain of more than a tenth, and the next disturbed block shows what follows */
    block(&t, 10, 0.0089, 0.5, 2);
    cr_assert_eq(t.size, 4);
    block(&t, 10, 0.0085, 0.5, 2);
    cr_assert_eq(t.size, 8); /* less than a tenth */
    cr_assert_float_eq(t.wait_fewer, 1, 1e-12);
}

Test(team, fewer_are_as_many_as_have_cores)
{
    static const int cores_free[] = {15, 9, 8, 7, 0, UNKNOWN}, want[] = {15, 9, 8, 8, 8, 8};
    for (int n = 0; n < 6; n++) {
        struct team t = team_of(16, UNKNOWN);
        block(&t, 10, 0.01, 0.5, cores_free[n]);
        cr_assert_eq(t.size, want[n], "%d free", cores_free[n]);
    }
}

Test(team, where_cores_are_free_a_disturbance_may_pass)
{
    struct team t = team_of(2, 2);
    block(&t, 10, 0.01, 0.5, 2);
    block(&t, 10, 0.01, 0.5, 2);
    cr_assert_eq(t.size, 2);
    block(&t, 10, 0.01, 0.0, 2);
    block(&t, 10, 0.01, 0.5, 2);
    block(&t, 10, 0.01, 0.5, 2);
    cr_assert_eq(t.size, 2); /* in a row */
    block(&t, 10, 0.01, 0.5, 2);
    cr_assert_eq(t.size, 1);
}

/* Disturbed, and yet faster than fewer: tried after 1, 2, 4, 8, 16, 16 s, or once it has become slower by half. */
Test(team, fewer_that_lose)
{
    struct load l = {.pace = {[1] = 0.01, [2] = 0.009}, .late = {[2] = 0.5}, .cores_free = 1};
    struct team t = team_of(2, 2);
    double wait = 1;
    block(&t, 10, 0.009, 0.5, 1);
    cr_assert_eq(t.size, 1);
    for (int n = 0; n < 7; n++) {
        block(&t, 10, 0.01, 0, 1);
        cr_assert_eq(t.size, 2);
        cr_assert_float_eq(t.wait_fewer, wait, 1e-9);
        cr_assert_eq(run(&t, &l, wait - 0.2), 2);
        cr_assert_eq(t.size, 2);
        while (t.size == 2) {
            block(&t, 10, 0.009, 0.5, 1);
            cr_assert_lt(t.since, wait + 0.2);
        }
        wait = wait < 16 ? 2 * wait : 16;
    }
    block(&t, 10, 0.01, 0, 1);
    block(&t, 10, 0.0134, 0.5, 1);
    cr_assert_eq(t.size, 2);
    block(&t, 10, 0.0136, 0.5, 1);
    cr_assert_eq(t.size, 1);
}

/* Two blocks in a row that see cores free. */
Test(team, more_where_cores_become_free)
{
    struct team t = team_of(16, 3);
    block(&t, 10, 0.01, 0, 5);
    block(&t, 10, 0.01, 0, 3);
    block(&t, 10, 0.01, 0, 5);
    cr_assert_eq(t.size, 3);
    cr_assert(team_asks(&t));
    block(&t, 10, 0.01, 0, 5);
    cr_assert_eq(t.size, 5);
    block(&t, 10, 0.008, 0, 5);
    cr_assert_eq(t.size, 5);
    block(&t, 10, 0.008, 0, 40);
    block(&t, 10, 0.008, 0, 40);
    cr_assert_eq(t.size, 16);
    block(&t, 10, 0.0075, 0, 40);
    cr_assert_eq(t.size, 5); /* no gain */
    cr_assert_float_eq(t.wait_more, 1, 1e-12);
}

/* s until a team of one tries two, with passes of so many seconds. */
static double first_trial(double pass, int cores_free)
{
    struct team t = team_of(2, 0);
    double at = 0;
    for (; t.size == 1 && at < 1000; at += pass)
        if (team_add(&t, 1, pass, 0)) team_judge(&t, cores_free);
    return at;
}

Test(team, more_now_and_then)
{
    cr_assert_float_eq(first_trial(0.01, UNKNOWN), 1, 0.05);
    cr_assert_float_eq(first_trial(0.01, 1), 16, 0.05);
    cr_assert_float_eq(first_trial(0.02, 2), 0.08, 0.001);
    cr_assert_float_eq(first_trial(0.5, UNKNOWN), 20, 0.6); /* 40 passes */
    cr_assert_float_eq(first_trial(0.5, 1), 20, 0.6);
    cr_assert_float_eq(first_trial(0.5, 2), 1, 0.01);
}

/* Trials that fail wait longer each time, and cost little however slow they are. */
Test(team, more_that_lose)
{
    static const int cores_free[] = {UNKNOWN, 1, 2};
    static const double slow[] = {1.01, 3, 20};
    for (int c = 0; c < 3; c++)
        for (int s = 0; s < 3; s++) {
            const struct load l = {
                .pace = {[1] = 0.01, [2] = 0.01 * slow[s]}, .late = {[2] = 0.6}, .cores_free = cores_free[c]};
            struct team t = team_of(2, 0);
            double all = 0, lost = 0;
            int trials = 0, before = 1;
            while (all < 300) {
                const int size = t.size;
                trials += size == 2 && before == 1;
                before = size;
                all += l.pace[size];
                lost += l.pace[size] - l.pace[1];
                if (team_add(&t, 1, l.pace[size], l.late[size] * l.pace[size])) team_judge(&t, l.cores_free);
            }
            cr_assert_lt(lost, 0.03 * all, "%g of %g s", lost, all);
            cr_assert(trials >= 10 && trials <= 24, "%d trials", trials);
            cr_assert_leq(t.wait_more, 16.0 + 1e-9);
        }
}

Test(team, a_trial_is_repaid)
{
    struct team t = team_of(2, 0);
    block(&t, 1, 0.5, 0, 2);
    block(&t, 1, 0.5, 0, 2);
    cr_assert_eq(t.size, 2);
    block(&t, 1, 1.5, 0.6, 2);
    cr_assert_eq(t.size, 1);
    cr_assert_float_eq(t.wait_more, 40, 1e-9);
}

/* Threads that were more for a moment only are waited for; what held begins anew. */
Test(team, more_that_do_not_last)
{
    struct team t = team_of(2, 0);
    for (int n = 0; n < 3; n++) {
        while (t.size == 1) block(&t, 10, 0.01, 0, 2);
        block(&t, 10, 0.006, 0, 2);
        cr_assert_eq(t.size, 2);
        block(&t, 10, 0.03, 0.6, 0);
        cr_assert_eq(t.size, 1);
        block(&t, 10, 0.01, 0, 0);
        cr_assert_float_eq(t.wait_more, 1 << n, 1e-9);
    }
    while (t.size == 1) block(&t, 10, 0.01, 0, 2);
    block(&t, 10, 0.006, 0, 2);
    for (double at = 0; at < 5; at += 0.06) block(&t, 10, 0.006, 0, 2);
    block(&t, 10, 0.03, 0.6, 0);
    block(&t, 10, 0.01, 0, 0);
    cr_assert_eq(t.size, 1);
    cr_assert_eq(t.wait_more, 0);
}

Test(team, steps_are_counted)
{
    struct team t = team_of(4, 3);
    team_add(&t, 5, 0.001, 0);
    t.size = 2;
    team_add(&t, 6, 0.001, 0);
    t.size = 4;
    team_add(&t, 7, 0.001, 0);
    cr_assert_eq(t.all, 18);
    cr_assert_eq(t.fewer, 11);
    cr_assert_eq(t.fewest, 2);
    cr_assert_eq(t.next, 3);
}
