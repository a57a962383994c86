/* A GPU's ceilings, by its own clock; transfers by the host's. SPDX-License-Identifier: MIT */
#if SF_CUDA
#include "command/ceilings_parts.h"

#include "pipeline/error.h"

static const double goal = 1e-3, enough = 0.3e-3; /* s of a kernel: what is aimed at, and what need not grow */

enum { MEMORY_FIRST = 1 << 20, ROUNDS_FIRST = 16, GROWTH = 16, LAUNCHES = 512, LAUNCHES_FIRST = 8 };

static int is_of_memory(enum ceiling c)
{
    return c == CEILING_STREAM || c == CEILING_TRIAD || c == CEILING_COPY || c == CEILING_READ;
}

/* Seconds that n kernels take; *done: what one of them does. */
static double kernels_time(const struct ceiling_site *s, enum ceiling which, const struct ceiling_work *w, int n,
                           double *done)
{
    s->backend->mark(LANE_COMPUTE, 0);
    for (int m = 0; m < n; m++) *done = ceiling_launch(which, w);
    s->backend->mark(LANE_COMPUTE, 1);
    if (s->backend->sync(LANE_COMPUTE)) return 0;
    return s->backend->seconds(0, 1);
}

/* One measurement of so much. */
static double turns_take(const struct ceiling_site *s, enum ceiling which, double turns, double *done)
{
    const struct device_figures *const d = s->backend->device();
    struct ceiling_work w = {.memory = s->memory,
                             .bytes = s->bytes,
                             .multiprocessors = d->multiprocessors,
                             .stream = s->backend->stream(),
                             .rounds = 1};
    if (which == CEILING_LAUNCH) return kernels_time(s, which, &w, (int)turns, done) / turns;
    if (is_of_memory(which)) w.bytes = (size_t)turns;
    else w.rounds = (long)turns;
    if (which == CEILING_CACHE) w.bytes = SF_MIN(s->bytes, d->l2 / 4);
    return kernels_time(s, which, &w, 1, done);
}

/* As much as takes long enough to be timed: memory as far as there is, and far beyond the cache of any device that gets
 * that far. (An emulated device is slow, and is through with the first.) */
static double turns_find(const struct ceiling_site *s, enum ceiling which)
{
    const int memory = is_of_memory(which);
    const double first = which == CEILING_LAUNCH ? LAUNCHES_FIRST : ROUNDS_FIRST;
    double done, turns = memory ? SF_MIN((double)s->bytes, MEMORY_FIRST) : first;
    turns_take(s, which, turns, &done); /* code that is loaded when it is first used */
    for (;;) {
        const double seconds = turns_take(s, which, turns, &done) * (which == CEILING_LAUNCH ? turns : 1);
        const double most = memory ? (double)s->bytes : which == CEILING_LAUNCH ? LAUNCHES : 1e9;
        if (turns >= most || seconds > goal || (seconds > enough && !memory)) return turns;
        turns = SF_MIN(turns * GROWTH, most);
    }
}

/* ---- transfers --------------------------------------------------------------------------------------------------- */

/* Bytes that a transfer moves, within a half of the memory each way. */
static size_t transfer_bytes(const struct ceiling_site *s)
{
    enum { MOST = 256 << 20 };
    return SF_MIN(s->bytes / 2, (size_t)(s->effort * MOST)) / sizeof(real) * sizeof(real);
}

static int host_make(struct ceiling_site *s)
{
    size_t room;
    for (int n = 0; n < 2; n++) {
        if (s->host[n]) continue;
        s->host[n] = backend_cpu.alloc(transfer_bytes(s), &room);
        if (!s->host[n]) return 0;
        s->backend->pin(s->host[n], transfer_bytes(s));
    }
    return 1;
}

static double transfer_rate(struct ceiling_site *s, int in, int out)
{
    const size_t bytes = transfer_bytes(s);
    if (!bytes || !host_make(s)) return 0;
    const double began = seconds_now();
    if (in) s->backend->copy_in(s->memory, s->host[0], bytes);
    if (out) s->backend->copy_out(s->host[1], s->memory + bytes / sizeof(real), bytes);
    if (s->backend->sync(LANE_IN) || s->backend->sync(LANE_OUT)) return 0;
    return (double)bytes * (in + out) / (seconds_now() - began);
}

double ceiling_of_device(struct ceiling_site *s, enum ceiling which)
{
    double done = 0;
    if (which >= CEILING_IN) return transfer_rate(s, which != CEILING_OUT, which != CEILING_IN);
    if (!(s->turns[which] > 0)) s->turns[which] = turns_find(s, which);
    const double seconds = turns_take(s, which, s->turns[which], &done);
    return seconds > 0 ? done / seconds : 0;
}
#endif
