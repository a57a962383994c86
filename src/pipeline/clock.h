/* The steps of a run, laid out before the first: a function of &time alone, so that neither restarts nor signals nor the
 * way the domain is cut ever change them.
 *
 * Output times are 0, interval, 2 interval ... and the duration. Each gap between two of them is cut into the fewest
 * equal steps that are no longer than dt, so that output times are met exactly. What an interval with rounded digits leaves of the duration is no
 * gap: where less than a tenth of a step would follow the last multiple of the interval, the gap before it ends at the duration instead.
 * SPDX-License-Identifier: MIT */
#pragma once

struct clock {
    double duration, interval; /* s; interval: between outputs, the duration when there is only one gap */
    long gaps, full;           /* gaps between outputs; those that are a whole interval: all, or all but the last */
    long n_full, n_last;       /* steps of a whole gap, and of the last one */
    double fixed;              /* s, of every step; 0: the gaps decide */
    long steps;                /* of a clock with a fixed step: all; it has no use for full, n_full and n_last */
};

/* interval 0: first and last state only. duration 0: no step. Errors: SF_NAMELIST. */
int clock_init(struct clock *c, double duration, double interval, double dt);

/* Steps of dt s each, all the same: output times are the steps nearest to the multiples of interval, and the duration is made a
 * whole number of steps, not less than asked for. Errors: SF_NAMELIST. */
int clock_init_fixed(struct clock *c, double duration, double interval, double dt);

/* Step m is the last: of a clock with a fixed step. */
void clock_end(struct clock *c, long m);

long clock_steps_total(const struct clock *c);

/* Time in s after m steps, 0 <= m <= total; computed directly, never accumulated. */
double clock_time(const struct clock *c, long m);

/* Length in s of the step that follows m steps. */
double clock_dt(const struct clock *c, long m);

/* Steps from m to the next output time, 0 only at the end. All of them have the length clock_dt(m). */
long clock_steps_to_output(const struct clock *c, long m);

/* Is the state after m steps one of an output time? */
int clock_is_output(const struct clock *c, long m);

/* Is step m the first at or after a multiple of `interval` s, or within a tenth of a step before it? 0 for an interval of 0, and before
 * the first step. */
int clock_is_due(const struct clock *c, long m, double interval);
