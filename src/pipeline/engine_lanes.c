/* How long the lanes were busy, and when. Marks of a batch are read at the end of the batch after it: until then what
 * goes out last may be on its way. SPDX-License-Identifier: MIT */
#include "pipeline/engine_parts.h"

#include "pipeline/error.h"

#include <stdlib.h>

enum { HALF = (BACKEND_MARKS - MARKS_OF_LANES) / 2, SPANS = HALF / 2 - 1 };

/* Two batches by turns: one whose marks are set, one whose marks are read. */
struct engine_marks {
    struct span span[2][SPANS]; /* what lies between two marks */
    int n[2];
    double began[2]; /* when mark 0 of the batch was set, of the host's clock */
    int turn, is_on;
};

static int mark_of(int turn, int n) { return MARKS_OF_LANES + turn * HALF + 2 * (n + 1); }

void lanes_begin(struct engine *e)
{
    if (!e->lane_marks) e->lane_marks = calloc(1, sizeof *e->lane_marks);
    struct engine_marks *const m = e->lane_marks;
    if (!m) return; /* then it is not known */
    m->turn = !m->turn;
    m->n[m->turn] = 0;
    m->is_on = 1;
    e->backend->mark(LANE_COMPUTE, MARKS_OF_LANES + m->turn * HALF);
    m->began[m->turn] = seconds_now();
}

int lane_mark(struct engine *e, enum lane lane)
{
    struct engine_marks *const m = e->lane_marks;
    if (!m || !m->is_on || m->n[m->turn] == SPANS) return -1;
    const int n = m->n[m->turn]++;
    e->backend->mark(lane, mark_of(m->turn, n));
    return n;
}

void lane_mark_end(struct engine *e, int n, const struct span *s)
{
    struct engine_marks *const m = e->lane_marks;
    const int lane = s->lane;
    if (lane < LANES) {
        e->lanes.slabs[lane]++;
        e->lanes.bytes[lane] += s->bytes;
    }
    if (n < 0) return;
    e->backend->mark((enum lane)lane, mark_of(m->turn, n) + 1);
    m->span[m->turn][n] = *s;
}

/* For the timeline: as many as there is memory for. */
void span_keep(struct engine *e, const struct span *s)
{
    struct engine_lanes *const l = &e->lanes;
    if (!e->opt.timeline) return;
    if (l->nspans == l->room) {
        const size_t room = l->room ? 2 * l->room : 1024;
        struct span *const grown = realloc(l->span, room * sizeof *grown);
        if (!grown) {
            l->lost++;
            return;
        }
        l->span = grown, l->room = room;
    }
    l->span[l->nspans++] = *s;
}

static void batch_take(struct engine *e, int turn)
{
    struct engine_marks *const m = e->lane_marks;
    const int base = MARKS_OF_LANES + turn * HALF;
    for (int n = 0; n < m->n[turn]; n++) {
        struct span s = m->span[turn][n];
        const double length = e->backend->seconds(mark_of(turn, n), mark_of(turn, n) + 1);
        e->lanes.seconds[s.lane] += length;
        e->lanes.timed[s.lane]++;
        if (!e->opt.timeline) continue;
        s.begin = m->began[turn] + e->backend->seconds(base, mark_of(turn, n));
        s.end = s.begin + length;
        span_keep(e, &s);
    }
    m->n[turn] = 0;
}

int lanes_take(struct engine *e, int all)
{
    struct engine_marks *const m = e->lane_marks;
    if (!m) return SF_OK;
    for (int lane = 0; lane < LANES && all; lane++) SF_TRY(e->backend->sync((enum lane)lane));
    /* What went out last in the batch before has long done so. */
    if (m->n[!m->turn]) SF_TRY(e->backend->await(LANE_OUT, BACKEND_EVENT_TAKE + !m->turn));
    batch_take(e, !m->turn);
    if (all) batch_take(e, m->turn);
    return SF_OK;
}

/* Behind the last of a batch that goes out. */
void lanes_end(struct engine *e)
{
    if (!e->lane_marks) return;
    e->lane_marks->is_on = 0;
    e->backend->record(LANE_OUT, BACKEND_EVENT_TAKE + e->lane_marks->turn);
}

int engine_lanes_take(struct engine *e)
{
    SF_TRY(lanes_take(e, 1));
    return trip_take(e);
}

void trip_begin(struct engine *e, enum lane lane)
{
    struct engine_lanes *const l = &e->lanes;
    if (!e->opt.timeline) return;
    trip_take(e); /* an error is told by whoever waits next */
    e->backend->mark(LANE_COMPUTE, MARK_REST);
    e->backend->record(LANE_COMPUTE, BACKEND_EVENT_TRIP);
    e->backend->wait(lane, LANE_COMPUTE, BACKEND_EVENT_TRIP);
    l->trip = (struct span){.lane = (int)lane, .slab = -1, .step = e->state->step, .begin = seconds_now()};
}

void trip_mark(struct engine *e)
{
    if (e->opt.timeline) e->backend->mark((enum lane)e->lanes.trip.lane, MARK_TRIP);
}

void trip_end(struct engine *e, double bytes)
{
    struct engine_lanes *const l = &e->lanes;
    if (!e->opt.timeline) return;
    e->backend->mark((enum lane)l->trip.lane, MARK_TRIP_END);
    e->backend->record((enum lane)l->trip.lane, BACKEND_EVENT_TRIP);
    l->trip.bytes = bytes;
    l->is_under_way = 1;
}

int trip_take(struct engine *e)
{
    struct engine_lanes *const l = &e->lanes;
    if (!l->is_under_way) return SF_OK;
    l->is_under_way = 0;
    SF_TRY(e->backend->await((enum lane)l->trip.lane, BACKEND_EVENT_TRIP));
    l->trip.begin += e->backend->seconds(MARK_REST, MARK_TRIP);
    l->trip.end = l->trip.begin + e->backend->seconds(MARK_TRIP, MARK_TRIP_END);
    if (l->trip.bytes > 0) span_keep(e, &l->trip);
    return SF_OK;
}

void engine_span(struct engine *e, int lane, long step, double begin)
{
    span_keep(e, &(struct span){.lane = lane, .slab = -1, .step = step, .begin = begin, .end = seconds_now()});
}

double engine_lane_seconds(const struct engine *e, int lane)
{
    const struct engine_lanes *const l = &e->lanes;
    return l->timed[lane] ? l->seconds[lane] * (double)l->slabs[lane] / (double)l->timed[lane] : 0;
}
