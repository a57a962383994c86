/* When output, checkpoints and looks at the state are due. SPDX-License-Identifier: MIT */
#include "command/due.h"

int due_check_interval(const struct session *s)
{
    enum { USUAL = 10 };
    if (s->config.time_check_interval > 0) return s->config.time_check_interval;
    return s->in.check_interval > 0 ? s->in.check_interval : USUAL;
}

int due_at(const struct session *s, long m)
{
    const struct config *c = &s->config;
    const int last = m == clock_steps_total(&s->clock);
    int due = 0;
    const int chosen =
        s->clock.is_adaptive && (m == s->clock.stretch.first || m == s->clock.stretch.first + s->clock.stretch.n);
    if (last || chosen || m % due_check_interval(s) == 0) due |= DUE_CHECK;
    if (clock_is_output(&s->clock, m) || clock_is_due(&s->clock, m, c->time_series_interval)) due |= DUE_OUTPUT;
    if (c->time_restart_interval > 0 && (last || clock_is_due(&s->clock, m, c->time_restart_interval)))
        due |= DUE_RESTART;
    if (clock_is_due(&s->clock, m, s->in.sample_every)) due |= DUE_SAMPLE;
    return due;
}

long due_ahead(const struct session *s, long m, long most)
{
    long n = 1;
    while (n < most && !due_at(s, m + n)) n++;
    return n;
}

double due_mean(const struct session *s, const struct engine *e)
{
    enum { MANY = 20000 };
    const long total = SF_MIN(clock_steps_total(&s->clock), (long)MANY);
    long passes = 0, step = 0;
    while (step < total) {
        const long ahead = due_ahead(s, step, SF_MIN(engine_batch(e), total - step));
        step += ahead;
        passes += engine_passes(e, ahead);
    }
    return passes ? (double)step / (double)passes : 0;
}
