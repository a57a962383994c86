/* Steps and their times. SPDX-License-Identifier: MIT */
#include "pipeline/clock.h"

#include "pipeline/error.h"
#include "pipeline/sferic.h"

#include <math.h>

/* What rounding in the namelist may add to a ratio of times. */
static const double slack = 1e-9;
static const double steps_most = 1e15;
/* A rest of the duration, or a step beside a multiple of an interval, that is a smaller part of a step than this stands
 * for an interval that the namelist rounds: 514.2857 s for a seventh of 3600 s. */
static const double sliver = 0.1;

static int steps_of(double gap, double dt, long *n)
{
    const double steps = ceil(gap / dt - slack);
    SF_CHECK(steps < steps_most, SF_NAMELIST, "&time: dt = %g s makes more steps of %g s than can be counted", dt, gap);
    *n = steps < 1 ? 1 : (long)steps;
    return SF_OK;
}

int clock_init(struct clock *c, double duration, double interval, double dt)
{
    *c = (struct clock){.duration = duration};
    SF_CHECK(dt > 0 && isfinite(dt), SF_NAMELIST, "&time: dt must be more than 0 s, and is %g s", dt);
    if (!(duration > 0)) return SF_OK;
    c->interval = interval > 0 && interval < duration ? interval : duration;
    const double whole = floor(duration / c->interval + slack);
    SF_CHECK(whole < steps_most, SF_NAMELIST, "&time: output_interval = %g s is too short for a duration of %g s",
             c->interval, duration);
    c->full = c->gaps = (long)whole;
    SF_TRY(steps_of(c->interval, dt, &c->n_full));
    const double rest = duration - whole * c->interval;
    if (rest > slack * c->interval) {
        const int is_sliver = rest < sliver * c->interval / (double)c->n_full;
        if (is_sliver) c->full--; /* the last whole gap ends at the duration */
        else c->gaps++;
        SF_TRY(steps_of(is_sliver ? c->interval + rest : rest, dt, &c->n_last));
    }
    SF_CHECK(whole * (double)c->n_full + (double)c->n_last < steps_most, SF_NAMELIST,
             "&time: dt = %g s makes more steps of %g s than can be counted", dt, duration);
    return SF_OK;
}

/* ---- steps that follow the state --------------------------------------------------------------------------------- */

static const double growth = 1.1; /* of one choice over the one before it */

static double output_time(const struct clock *c, long k)
{
    return k >= c->gaps ? c->duration : (double)k * c->interval;
}

/* Steps of about x->wanted from x->start on, in the gap that follows output x->gap. */
static int stretch_set(const struct clock *c, struct clock_stretch *x)
{
    long all = 1;
    x->aim = output_time(c, x->gap + 1);
    SF_TRY(steps_of(x->aim - x->start, x->wanted, &all));
    x->dt = (x->aim - x->start) / (double)all;
    x->ends = all <= CLOCK_CADENCE;
    x->n = x->ends ? all : CLOCK_CADENCE;
    return SF_OK;
}

/* Of a step of the stretch, or of the one before it; beyond it of one that is guessed. */
static double stretch_time(const struct clock *c, long m)
{
    const struct clock_stretch *const x = &c->stretch;
    if (m < x->first) return x->start - (double)(x->first - m) * x->before;
    if (x->ends && m == x->first + x->n) return x->aim;
    const double time = x->start + (double)(m - x->first) * x->dt;
    return time < c->duration ? time : c->duration;
}

static int stretch_is_last(const struct clock *c) { return c->stretch.ends && c->stretch.gap + 1 >= c->gaps; }

static long stretch_total(const struct clock *c)
{
    const struct clock_stretch *const x = &c->stretch;
    const long end = x->first + x->n;
    if (c->gaps == 0 || stretch_is_last(c)) return end;
    const double left = ceil((c->duration - stretch_time(c, end)) / x->dt - slack);
    return end + (left > 1 ? (long)left : 1);
}

int clock_init_adaptive(struct clock *c, double duration, double interval, double dt, double least, double most)
{
    SF_TRY(clock_init(c, duration, interval, dt));
    c->is_adaptive = 1, c->least = least, c->most = most;
    c->stretch = (struct clock_stretch){.wanted = dt, .begins = 1};
    return c->gaps ? stretch_set(c, &c->stretch) : SF_OK;
}

int clock_is_choice(const struct clock *c, long m)
{
    return c->is_adaptive && c->gaps && m == c->stretch.first + c->stretch.n && !stretch_is_last(c);
}

void clock_choose(struct clock *c, double dt)
{
    struct clock_stretch *const x = &c->stretch;
    const double longest = SF_MIN(growth * x->wanted, c->most),
                 chosen = isnan(dt) ? x->wanted : SF_MAX(SF_MIN(dt, longest), c->least);
    *x = (struct clock_stretch){.first = x->first + x->n,
                                .gap = x->gap + x->ends,
                                .start = stretch_time(c, x->first + x->n),
                                .wanted = chosen,
                                .before = x->dt,
                                .begins = x->ends};
    stretch_set(c, x); /* of no more steps than c->least, which was looked at, makes of the duration */
}

void clock_save(const struct clock *c, double number[CLOCK_NUMBERS])
{
    const struct clock_stretch *const x = &c->stretch;
    const double all[CLOCK_NUMBERS] = {(double)x->first, (double)x->n, (double)x->gap, x->start,  x->dt,
                                       x->wanted,        x->before,    x->aim,         x->begins, x->ends};
    for (int n = 0; n < CLOCK_NUMBERS; n++) number[n] = all[n];
}

int clock_restore(struct clock *c, const double number[CLOCK_NUMBERS])
{
    const struct clock_stretch x = {.first = (long)number[0],
                                    .n = (long)number[1],
                                    .gap = (long)number[2],
                                    .start = number[3],
                                    .dt = number[4],
                                    .wanted = number[5],
                                    .before = number[6],
                                    .aim = number[7],
                                    .begins = number[8] > 0,
                                    .ends = number[9] > 0};
    const double aim = output_time(c, x.gap + 1);
    if (!c->is_adaptive || x.gap < 0 || x.gap >= c->gaps || aim < x.aim || aim > x.aim) return 0;
    c->stretch = x;
    return 1;
}

/* ---- steps of one length ----------------------------------------------------------------------------------------- */

/* The step of output k of a clock with a fixed step: no other before the last has it, the outputs being a step apart or
 * more. */
static long fixed_output(const struct clock *c, long k)
{
    const double step = floor((double)k * c->interval / c->fixed + 0.5);
    return k >= c->gaps || step >= (double)c->steps ? c->steps : (long)step;
}

/* `span` s of steps; the last is an output, and no multiple of the interval at or past it another. */
static void fixed_set(struct clock *c, double span)
{
    c->duration = (double)c->steps * c->fixed;
    c->gaps = c->steps ? (long)SF_MAX(ceil(span / c->interval - slack), 1) : 0;
    while (c->gaps > 1 && fixed_output(c, c->gaps - 1) >= c->steps) c->gaps--;
}

int clock_init_fixed(struct clock *c, double duration, double interval, double dt)
{
    *c = (struct clock){.fixed = dt};
    SF_CHECK(dt > 0 && isfinite(dt), SF_NAMELIST, "&time: dt must be more than 0 s, and is %g s", dt);
    if (!(duration > 0)) return SF_OK;
    SF_TRY(steps_of(duration, dt, &c->steps));
    c->interval = interval > 0 ? SF_MIN(SF_MAX(interval, dt), duration) : duration;
    fixed_set(c, duration);
    return SF_OK;
}

void clock_end(struct clock *c, long m)
{
    c->steps = m;
    fixed_set(c, (double)m * c->fixed);
}

long clock_steps_total(const struct clock *c)
{
    if (c->is_adaptive) return stretch_total(c);
    return c->fixed > 0 ? c->steps : c->full * c->n_full + (c->gaps - c->full) * c->n_last;
}

/* The last output of a clock with a fixed step that is not after step m. */
static long fixed_gap(const struct clock *c, long m)
{
    long k = (long)((double)m * c->fixed / c->interval);
    while (k > 0 && fixed_output(c, k) > m) k--;
    while (k < c->gaps && fixed_output(c, k + 1) <= m) k++;
    return k;
}

/* The gap that the step after m lies in, and how many of its steps are done. */
static long gap_of(const struct clock *c, long m, long *done)
{
    const long before = c->full * c->n_full;
    *done = m < before ? m % c->n_full : m - before;
    return m < before ? m / c->n_full : c->full;
}

double clock_time(const struct clock *c, long m)
{
    if (c->is_adaptive) return stretch_time(c, m);
    if (c->fixed > 0) return (double)m * c->fixed;
    if (m >= clock_steps_total(c)) return c->duration;
    long done;
    const long gap = gap_of(c, m, &done);
    const double start = (double)gap * c->interval;
    return gap < c->full ? start + (double)done * c->interval / (double)c->n_full
                         : start + (double)done * (c->duration - start) / (double)c->n_last;
}

double clock_dt(const struct clock *c, long m)
{
    if (c->gaps == 0) return 0;
    if (c->is_adaptive) return c->stretch.dt;
    if (c->fixed > 0) return c->fixed;
    long done;
    const long gap = gap_of(c, m < clock_steps_total(c) ? m : m - 1, &done);
    if (gap < c->full) return c->interval / (double)c->n_full;
    return (c->duration - (double)c->full * c->interval) / (double)c->n_last;
}

long clock_steps_to_output(const struct clock *c, long m)
{
    if (m >= clock_steps_total(c)) return 0;
    if (c->is_adaptive) return SF_MAX(c->stretch.first + c->stretch.n - m, 1);
    if (c->fixed > 0) return fixed_output(c, fixed_gap(c, m) + 1) - m;
    long done;
    const long gap = gap_of(c, m, &done);
    return (gap < c->full ? c->n_full : c->n_last) - done;
}

int clock_is_output(const struct clock *c, long m)
{
    if (m == 0 || m == clock_steps_total(c)) return 1;
    if (c->is_adaptive)
        return (c->stretch.begins && m == c->stretch.first) ||
               (c->stretch.ends && m == c->stretch.first + c->stretch.n);
    if (c->fixed > 0) return fixed_output(c, fixed_gap(c, m)) == m;
    long done;
    gap_of(c, m, &done);
    return done == 0;
}

/* Multiples of an interval up to step m, 0 among them; one that the step all but reaches counts. */
static double multiples(const struct clock *c, long m, double interval)
{
    const double time = clock_time(c, m);
    const double step = c->is_adaptive && m < c->stretch.first ? c->stretch.before
                        : m > 0                                ? time - clock_time(c, m - 1)
                                                               : 0;
    return floor((time + SF_MAX(sliver * step, slack * interval)) / interval);
}

int clock_is_due(const struct clock *c, long m, double interval)
{
    if (!(interval > 0) || m < 1) return 0;
    return multiples(c, m, interval) > multiples(c, m - 1, interval);
}

long clock_multiple(const struct clock *c, long m, double interval) { return (long)multiples(c, m, interval); }
