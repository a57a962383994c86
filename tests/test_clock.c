/* The sequence of steps: output times are met exactly, whatever the numbers. SPDX-License-Identifier: MIT */
#include "pipeline/clock.h"
#include "pipeline/sferic.h"

#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>

/* Walk over all steps and hold them against what the header promises. */
static void walk(double duration, double interval, double dt, long total, long outputs)
{
    struct clock c;
    cr_assert_eq(clock_init(&c, duration, interval, dt), SF_OK);
    cr_assert_eq(clock_steps_total(&c), total, "%g / %g / %g: %ld steps", duration, interval, dt,
                 clock_steps_total(&c));
    cr_assert_eq(clock_time(&c, 0), 0.0);
    cr_assert_eq(clock_time(&c, total), duration);
    long seen = 0;
    for (long m = 0; m <= total; m++) {
        if (clock_is_output(&c, m)) {
            const double wanted = m == total ? duration : (double)seen * interval;
            cr_assert_eq(clock_time(&c, m), wanted, "step %ld is at %.17g s, output %ld at %.17g s", m,
                         clock_time(&c, m), seen, wanted);
            seen++;
        }
        if (m == total) break;
        const double h = clock_dt(&c, m), next = clock_time(&c, m + 1);
        cr_assert_gt(next, clock_time(&c, m));
        cr_assert_leq(h, dt * (1 + 2e-9));
        cr_assert_lt(fabs(next - clock_time(&c, m) - h), 1e-9 * duration);
        /* The next output is where it is said to be, and all steps until then have this length. */
        const long ahead = clock_steps_to_output(&c, m);
        cr_assert_gt(ahead, 0);
        cr_assert(clock_is_output(&c, m + ahead));
        cr_assert_eq(clock_dt(&c, m + ahead - 1), h);
        for (long n = 1; n < ahead; n++) cr_assert_not(clock_is_output(&c, m + n));
    }
    cr_assert_eq(seen, outputs);
    cr_assert_eq(clock_steps_to_output(&c, total), 0);
}

Test(clock, output_times_are_met)
{
    walk(100, 10, 3, 40, 11); /* 4 steps of 2.5 s */
    walk(100, 10, 10, 10, 11); /* a step an output */
    walk(100, 10, 40, 10, 11); /* dt longer than the interval */
    walk(100, 0, 30, 4, 2); /* first and last only */
    walk(100, 1000, 30, 4, 2); /* interval beyond the end */
    walk(100, 30, 7, 5 * 3 + 2, 5); /* a shorter last gap */
    walk(1, 0.1, 0.1, 10, 11); /* 10 x 0.1 is not 1 in binary, and there is no sliver of a gap */
    walk(0.7, 0.1, 0.05, 14, 8);
    walk(3600, 300, 2.5, 1440, 13);
}

/* 3600 s in sevenths, with as many digits as people write. */
Test(clock, a_sliver_of_an_interval_is_merged)
{
    static const double interval[] = {514.285714, 514.2857, 514.285, 514.2857142857};
    struct clock c;
    for (int n = 0; n < 4; n++) {
        walk(3600, interval[n], 4, 7 * 129, 8); /* 128.57 steps of 4 s; every output but the last is a multiple */
        cr_assert_eq(clock_init(&c, 3600, interval[n], 4), SF_OK);
        for (long m = 0; m < 7 * 129; m++) cr_assert_gt(clock_dt(&c, m), 3.98);
    }
    walk(3600, 514.285715, 4, 7 * 129, 8); /* rounded upward: the last gap is the shorter one */
    walk(100, 9.99, 3, 4 * 10, 11); /* 0.1 s are left: 0.04 of a step */
    walk(100, 9.9, 3, 4 * 10 + 1, 12); /* 1 s is left, a third of a step: a gap of its own */
    walk(10.0000001, 10, 10, 2, 2); /* a single gap is all the duration, in steps no longer than dt */
    cr_assert_eq(clock_init(&c, 10.0000001, 10, 20), SF_OK);
    cr_assert_eq(clock_steps_total(&c), 1);
}

/* Series and checkpoints at multiples of an interval with rounded digits: at the steps that are meant. */
Test(clock, a_multiple_just_past_a_step_is_due_there)
{
    struct clock c;
    cr_assert_eq(clock_init(&c, 3600, 0, 3600.0 / 70), SF_OK);
    for (long m = 1; m <= 70; m++) {
        cr_assert_eq(clock_is_due(&c, m, 514.285714), m % 10 == 0, "rounded down, step %ld", m);
        cr_assert_eq(clock_is_due(&c, m, 514.285715), m % 10 == 0, "rounded up, step %ld", m);
    }
}

Test(clock, rounding_adds_no_step)
{
    struct clock c;
    cr_assert_eq(clock_init(&c, 3 * 0.1, 0, 0.1), SF_OK); /* 0.30000000000000004 / 0.1 > 3 */
    cr_assert_eq(clock_steps_total(&c), 3);
    cr_assert_eq(clock_init(&c, 3.0 + 1e-6, 0, 1), SF_OK);
    cr_assert_eq(clock_steps_total(&c), 4);
}

Test(clock, whole_gaps_have_equal_steps)
{
    struct clock c;
    cr_assert_eq(clock_init(&c, 1, 0.1, 0.03), SF_OK);
    for (long m = 1; m < clock_steps_total(&c); m++) cr_assert_eq(clock_dt(&c, m), clock_dt(&c, 0));
}

/* A longer run takes the steps of the shorter one first: a checkpoint of one is good for the other. */
Test(clock, a_longer_run_begins_the_same)
{
    struct clock a, b;
    cr_assert_eq(clock_init(&a, 90, 30, 7), SF_OK);
    cr_assert_eq(clock_init(&b, 200, 30, 7), SF_OK);
    for (long m = 0; m <= clock_steps_total(&a); m++) cr_assert_eq(clock_time(&a, m), clock_time(&b, m));
}

Test(clock, nothing_to_do)
{
    struct clock c;
    cr_assert_eq(clock_init(&c, 0, 10, 1), SF_OK);
    cr_assert_eq(clock_steps_total(&c), 0);
    cr_assert_eq(clock_time(&c, 0), 0.0);
    cr_assert_eq(clock_steps_to_output(&c, 0), 0);
    cr_assert(clock_is_output(&c, 0));
    cr_assert_eq(clock_dt(&c, 0), 0.0);
}

Test(clock, due_at_the_first_step_at_or_after)
{
    struct clock c;
    cr_assert_eq(clock_init(&c, 100, 50, 7), SF_OK); /* steps of 6.25 s */
    long times = 0;
    for (long m = 0; m <= clock_steps_total(&c); m++) {
        if (!clock_is_due(&c, m, 20)) continue;
        times++;
        cr_assert_geq(clock_time(&c, m), 20.0 * (double)times);
        cr_assert_lt(clock_time(&c, m - 1), 20.0 * (double)times);
    }
    cr_assert_eq(times, 5);
    for (long m = 0; m <= clock_steps_total(&c); m++) cr_assert_not(clock_is_due(&c, m, 0));
    /* As often as every step, however the multiples round. */
    cr_assert_eq(clock_init(&c, 1, 0, 0.1), SF_OK);
    for (long m = 1; m <= 10; m++) cr_assert(clock_is_due(&c, m, 0.1), "step %ld", m);
}

Test(clock, what_cannot_be_counted_is_refused)
{
    struct clock c;
    cr_assert_eq(clock_init(&c, 100, 10, 0), SF_NAMELIST);
    cr_assert_eq(clock_init(&c, 1e9, 0, 1e-9), SF_NAMELIST);
    cr_assert_eq(clock_init(&c, 1e9, 1e-9, 1), SF_NAMELIST);
    cr_assert_eq(clock_init(&c, 1e9, 1e-3, 1e-300), SF_NAMELIST);
}

/* Every step is as asked for, to the last bit; output times are the nearest steps, and the last step is not before the
 * end. */
Test(clock, a_fixed_step_moves_the_output_times)
{
    struct clock c;
    const double dt = 0.3;
    cr_assert_eq(clock_init_fixed(&c, 10, 0.9, dt), SF_OK); /* 34 steps, an output every 3 */
    cr_assert_eq(clock_steps_total(&c), 34);
    for (long m = 0; m <= 34; m++) {
        cr_assert_eq(clock_time(&c, m), (double)m * dt);
        cr_assert_eq(clock_dt(&c, m), dt);
        cr_assert_eq(clock_is_output(&c, m), m % 3 == 0 || m == 34, "step %ld", m);
        cr_assert_eq(clock_steps_to_output(&c, m), m == 34 ? 0 : SF_MIN(3 - m % 3, 34 - m), "step %ld", m);
    }
    cr_assert_eq(c.duration, 34 * dt);
    cr_assert_eq(clock_init_fixed(&c, 10, 0, dt), SF_OK);
    for (long m = 1; m < 34; m++) cr_assert_not(clock_is_output(&c, m));
    cr_assert_eq(clock_init_fixed(&c, 0.9, 0.01, dt), SF_OK); /* shorter than a step: every step */
    cr_assert_eq(clock_steps_total(&c), 3);
    for (long m = 0; m <= 3; m++) cr_assert(clock_is_output(&c, m));
    cr_assert_eq(clock_init_fixed(&c, 0, 0, dt), SF_OK);
    cr_assert_eq(clock_steps_total(&c), 0);
    cr_assert_eq(clock_init_fixed(&c, 1, 0, 0), SF_NAMELIST);
}

/* A run that is over early has its last output there. */
Test(clock, the_end_may_come_early)
{
    for (long last = 1; last <= 34; last++) {
        struct clock c;
        cr_assert_eq(clock_init_fixed(&c, 10, 0.9, 0.3), SF_OK);
        clock_end(&c, last);
        cr_assert_eq(clock_steps_total(&c), last);
        cr_assert(clock_is_output(&c, last));
        cr_assert_eq(clock_steps_to_output(&c, last), 0);
        cr_assert_eq(c.duration, (double)last * 0.3);
        for (long m = 0; m < last; m++) cr_assert_eq(clock_is_output(&c, m), m % 3 == 0);
    }
}

/* Steps of one length: outputs are the nearest steps, never later and later, the end is the last of them and has no
 * neighbour. */
static void walk_fixed(double duration, double interval, double dt, long total, long outputs)
{
    struct clock c;
    cr_assert_eq(clock_init_fixed(&c, duration, interval, dt), SF_OK);
    cr_assert_eq(clock_steps_total(&c), total, "%g / %g / %g: %ld steps", duration, interval, dt,
                 clock_steps_total(&c));
    cr_assert_eq(c.gaps + 1, outputs, "%g / %g / %g: %ld outputs", duration, interval, dt, c.gaps + 1);
    long seen = 0;
    for (long m = 0; m <= total; m++) {
        if (clock_is_output(&c, m)) {
            const double wanted = m == total ? clock_time(&c, total) : (double)seen * interval;
            cr_assert_leq(fabs(clock_time(&c, m) - wanted), 0.5 * dt * (1 + 1e-6), "output %ld is step %ld", seen, m);
            seen++;
        }
        if (m == total) break;
        cr_assert_eq(clock_dt(&c, m), dt);
        cr_assert_eq(clock_time(&c, m), (double)m * dt);
        const long ahead = clock_steps_to_output(&c, m);
        cr_assert_gt(ahead, 0);
        cr_assert(clock_is_output(&c, m + ahead));
        for (long n = 1; n < ahead; n++) cr_assert_not(clock_is_output(&c, m + n));
    }
    cr_assert_eq(seen, outputs);
    cr_assert_eq(clock_steps_to_output(&c, total), 0);
}

Test(clock, fixed_steps_take_the_nearest)
{
    walk_fixed(1.8e-9, 0.3e-9, 5.7203e-12, 315, 7); /* 52.4 steps an interval, 314.7 in all */
    walk_fixed(1.8e-9, 0.3e-9, 5.7325e-12, 314, 7); /* 313.999: the last multiple is the end */
    walk_fixed(100, 30, 7, 15, 5);
    walk_fixed(10, 1, 0.3, 34, 11);
    walk_fixed(10, 0, 3, 4, 2);
    walk_fixed(10, 20, 3, 4, 2);
    walk_fixed(10, 9.9, 0.3, 34, 3);
    walk_fixed(1, 0.1, 0.1, 10, 11);
}

Test(clock, fixed_steps_end_early)
{
    struct clock c;
    cr_assert_eq(clock_init_fixed(&c, 100, 10, 0.3), SF_OK);
    clock_end(&c, 100); /* at 30 s */
    cr_assert_eq(clock_steps_total(&c), 100);
    cr_assert(clock_is_output(&c, 100));
    cr_assert(clock_is_output(&c, 67));
    cr_assert_eq(c.gaps, 3);
    cr_assert_eq(clock_steps_to_output(&c, 67), 33);
    cr_assert_eq(clock_init_fixed(&c, 1, 0.1, 1), SF_OK); /* shorter than a step */
    cr_assert_eq(c.gaps, 1);
    cr_assert_eq(clock_init_fixed(&c, 0, 10, 1), SF_OK);
    cr_assert_eq(clock_steps_total(&c), 0);
    cr_assert(clock_is_output(&c, 0));
}

/* ---- steps that follow the state ---- */

/* A wind that grows and falls: the step that it asks for at a time. */
static double asked(double time) { return 2.5 + 2 * sin(time / 40); }

/* Walk over a run, choosing steps as they come; from step `stop` on with a clock that goes on from numbers. */
static void adapt(double duration, double interval, double least, double most, long stop, double *end, long *steps)
{
    struct clock c;
    cr_assert_eq(clock_init_adaptive(&c, duration, interval, 1, least, most), SF_OK);
    long m = 0, outputs = 1, since = 0, due = 0;
    double wanted = 1, time = 0;
    cr_assert(clock_is_output(&c, 0));
    for (; m < clock_steps_total(&c); m++) {
        const double h = clock_dt(&c, m);
        if (m == stop) {
            double number[CLOCK_NUMBERS];
            struct clock again;
            clock_save(&c, number);
            cr_assert_eq(clock_init_adaptive(&again, duration, interval, 1, least, most), SF_OK);
            cr_assert(clock_restore(&again, number));
            c = again;
            cr_assert_eq(clock_dt(&c, m), h);
        }
        cr_assert_eq(clock_time(&c, m), time);
        cr_assert_gt(h, 0);
        cr_assert_leq(h, wanted * (1 + 1e-12), "step %ld of %.17g s, where %.17g was chosen", m, h, wanted);
        const long ahead = clock_steps_to_output(&c, m);
        cr_assert(ahead >= 1 && ahead <= CLOCK_CADENCE);
        time = clock_time(&c, m + 1);
        cr_assert_lt(fabs(time - clock_time(&c, m) - h), 1e-12 * duration);
        due += clock_is_due(&c, m + 1, 7);
        since++;
        const int output = clock_is_output(&c, m + 1);
        if (output) {
            const double at =
                (double)outputs * interval < duration * (1 - 1e-9) ? (double)outputs * interval : duration;
            cr_assert_eq(time, at, "output %ld at %.17g s, not %.17g", outputs, time, at);
            outputs++;
        }
        cr_assert_eq(clock_is_choice(&c, m + 1), time < duration && (output || since == CLOCK_CADENCE),
                     "after step %ld", m + 1);
        if (!clock_is_choice(&c, m + 1)) continue;
        const double longest = fmin(1.1 * wanted, most), ask = asked(time);
        clock_choose(&c, ask);
        wanted = fmax(fmin(ask, longest), least);
        since = 0;
        cr_assert_eq(clock_time(&c, m + 1), time, "a choice moves no time");
        cr_assert_eq(clock_is_output(&c, m + 1), output);
        cr_assert_gt(clock_dt(&c, m + 1), 0.4 * fmin(wanted, interval), "a step of %g s, where %g was chosen",
                     clock_dt(&c, m + 1), wanted);
    }
    cr_assert_eq(time, duration);
    cr_assert_eq(outputs, 1 + (long)ceil(duration / interval - 1e-9));
    cr_assert_eq(due, (long)floor(duration / 7 + 1e-9));
    cr_assert_eq(clock_steps_to_output(&c, m), 0);
    *end = clock_dt(&c, m), *steps = m;
}

Test(clock, adaptive_steps_meet_output_times)
{
    double end, same;
    long steps, others;
    adapt(350, 35, 0.7, 4, -1, &end, &steps);
    cr_assert(steps > 350 / 4 && (double)steps < 350 / 0.7);
    for (long stop = 0; stop < steps; stop++) { /* gone on with after every step: the same steps */
        adapt(350, 35, 0.7, 4, stop, &same, &others);
        cr_assert(same >= end && same <= end && others == steps, "stopped after step %ld", stop);
    }
    adapt(350, 350.0 / 3, 0.5, 4, -1, &end, &steps);
    adapt(343, 5.5, 0.5, 4, -1, &end, &steps); /* a shorter last gap */
    adapt(70, 1, 0.5, 4, -1, &end, &steps); /* an output every step */
    adapt(350, 350, 3, 3, -1, &end, &steps);
}

Test(clock, what_adapts_is_bounded)
{
    struct clock c;
    double number[CLOCK_NUMBERS];
    cr_assert_eq(clock_init_adaptive(&c, 1000, 0, 2, 0.5, 5), SF_OK);
    for (long m = CLOCK_CADENCE; m < 50 * CLOCK_CADENCE && clock_is_choice(&c, m); m += CLOCK_CADENCE)
        clock_choose(&c, 100);
    cr_assert_lt(fabs(clock_dt(&c, c.stretch.first) - 5), 0.2, "grows to the longest: %g",
                 clock_dt(&c, c.stretch.first));
    cr_assert_eq(clock_init_adaptive(&c, 1000, 0, 2, 0.5, 5), SF_OK);
    clock_choose(&c, 1e-9);
    cr_assert_lt(fabs(clock_dt(&c, CLOCK_CADENCE) - 0.5), 1e-3, "falls to the shortest at once");
    clock_choose(&c, 0.0 / 0.0);
    cr_assert_lt(fabs(clock_dt(&c, 2 * CLOCK_CADENCE) - 0.5), 1e-3, "what is not known changes nothing");
    /* A checkpoint on its way to an output time that the other run has not. */
    clock_save(&c, number);
    struct clock other;
    cr_assert_eq(clock_init_adaptive(&other, 2000, 0, 2, 0.5, 5), SF_OK);
    cr_assert_not(clock_restore(&other, number));
    cr_assert_eq(clock_init_adaptive(&other, 2000, 1000, 2, 0.5, 5), SF_OK);
    cr_assert(clock_restore(&other, number));
    cr_assert_eq(clock_init(&other, 1000, 0, 2), SF_OK);
    cr_assert_not(clock_restore(&other, number));
}
