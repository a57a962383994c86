/* The steps of a run, laid out before the first: a function of &time alone, so that neither restarts nor signals nor
 * the way the domain is cut ever change them.
 *
 * Output times are 0, interval, 2 interval ... and the duration. Each gap between two of them is cut into the fewest
 * equal steps that are no longer than dt, so that output times are met exactly. What an interval with rounded digits
 * leaves of the duration is no gap: where less than a tenth of a step would follow the last multiple of the interval,
 * the gap before it ends at the duration instead. SPDX-License-Identifier: MIT */
#pragma once

struct clock {
    double duration, interval; /* s; interval: between outputs, the duration when there is only one gap */
    long gaps, full; /* gaps between outputs; those that are a whole interval: all, or all but the last */
    long n_full, n_last; /* steps of a whole gap, and of the last one */
    double fixed; /* s, of every step; 0: the gaps decide */
    long steps; /* of a clock with a fixed step: all; it has no use for full, n_full and n_last */
    int is_adaptive; /* 1: the step is chosen again every CLOCK_CADENCE steps, and at every output time */
    double least, most; /* s: bounds of what is chosen */
    struct clock_stretch { /* steps of one length, the last ones that were chosen: all that a restart needs to know */
        long first, n, gap; /* the step that they follow, how many they are, and the gap that they lie in */
        double start, dt; /* s: when they begin, and the length of each */
        double wanted; /* s: what was chosen, of which dt is the nearest that meets the output time, and no longer */
        double before; /* s: the length of the step before them */
        double aim; /* s: the output time at the end of the gap */
        int begins, ends; /* 1: an output time is their beginning; their end */
    } stretch;
};

enum { CLOCK_CADENCE = 10, CLOCK_NUMBERS = 10 };

/* interval 0: first and last state only. duration 0: no step. Errors: SF_NAMELIST. */
int clock_init(struct clock *c, double duration, double interval, double dt);

/* Steps of dt s each, all the same: output times are the steps nearest to the multiples of interval, and the duration
 * is made a whole number of steps, not less than asked for. Errors: SF_NAMELIST. */
int clock_init_fixed(struct clock *c, double duration, double interval, double dt);

/* Steps that follow the state: dt s at first, and from then on what clock_choose is told. Output times are met exactly:
 * a gap is cut into equal steps, as many as the length chosen last asks for, and what is left of it again at every
 * choice. Where a choice falls depends on nothing but the step number and output times. Only the steps of one stretch
 * are known; beyond it the functions below guess. Errors: SF_NAMELIST. */
int clock_init_adaptive(struct clock *c, double duration, double interval, double dt, double least, double most);

/* After step m: is the length of the next one to be chosen? */
int clock_is_choice(const struct clock *c, long m);

/* What follows the stretch is to be `dt` s long, if it lies within the bounds and is no more than a tenth longer than
 * what was chosen before. NaN: as before. */
void clock_choose(struct clock *c, double dt);

/* The stretch as numbers for a checkpoint; and back (0: it is none of this clock's). */
void clock_save(const struct clock *c, double number[CLOCK_NUMBERS]);
int clock_restore(struct clock *c, const double number[CLOCK_NUMBERS]);

/* Step m is the last: of a clock with a fixed step. */
void clock_end(struct clock *c, long m);

long clock_steps_total(const struct clock *c);

/* Time in s after m steps, 0 <= m <= total; computed directly, never accumulated. */
double clock_time(const struct clock *c, long m);

/* Length in s of the step that follows m steps. */
double clock_dt(const struct clock *c, long m);

/* Steps from m to the next output time, or to the next choice of the step; 0 only at the end. All of them have the
 * length clock_dt(m). */
long clock_steps_to_output(const struct clock *c, long m);

/* Is the state after m steps one of an output time? */
int clock_is_output(const struct clock *c, long m);

/* Is step m the first at or after a multiple of `interval` s, or within a tenth of a step before it? 0 for an interval
 * of 0, and before the first step. */
int clock_is_due(const struct clock *c, long m, double interval);
/* Which multiple that is. */
long clock_multiple(const struct clock *c, long m, double interval);
