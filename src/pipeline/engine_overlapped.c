/* Slabs that overlap: each by itself, in a slot of its own, computing again what the one beside it needs of it.
 * SPDX-License-Identifier: MIT */
#include "pipeline/engine_stream.h"

#include "pipeline/error.h"

static int own_edge(const struct engine *e, int s)
{
    const struct state *st = e->state;
    return s == e->slabs ? st->jb : st->ja + (int)((long long)(st->jb - st->ja) * s / e->slabs);
}

struct span_rows overlapped_rows(const struct engine *e, const struct plan *p, int c)
{
    const int low = e->state->ja - e->gs, high = e->state->jb + e->gn;
    return (struct span_rows){c ? SF_MAX(own_edge(e, c) - p->south, low) : low,
                              c + 1 < e->slabs ? SF_MIN(own_edge(e, c + 1) + p->north, high) : high};
}

static void overlapped_in(struct engine *e, const struct stream *r, int c)
{
    const struct span_rows j = overlapped_rows(e, r->plan, c);
    struct storage *const slot = &e->slot[c % ENGINE_SLOTS];
    const long number = ++e->stream.number;
    storage_place(slot, j.a);
    slab_wait(e, LANE_IN, LANE_OUT, number - ENGINE_SLOTS);
    slab_transfer(e, &(struct transfer){.host = r->from, .device = &slot->s, .plan = r->plan}, c, r->step, j);
    slab_record(e, LANE_IN, number);
}

static int overlapped_compute(struct engine *e, struct stream *r, int c, struct sweep *w)
{
    struct slab *const slot = &e->slot[c % ENGINE_SLOTS].s;
    const int last = c + 1 == e->slabs;
    const long number = e->stream.number - !last;
    w->low = own_edge(e, c), w->high = own_edge(e, c + 1);
    w->seam_low = c > 0 || e->seam_s, w->seam_high = !last || e->seam_n;
    w->front0 = w->low - w->segment->south, w->front1 = w->high + w->segment->north + 1;
    w->starts = w->ends = 1, w->slab = slot;
    slab_wait(e, LANE_COMPUTE, LANE_IN, number);
    const int mark = lane_mark(e, LANE_COMPUTE);
    SF_TRY(sweep_run(e, w));
    lane_mark_end(e, mark,
                  &(struct span){.lane = SPAN_COMPUTE, .slab = c, .step = r->step, .j0 = w->low, .j1 = w->high});
    const struct span_rows j = {c == 0 ? r->out.a : w->low, last ? r->out.b : w->high};
    slab_record(e, LANE_COMPUTE, number);
    slab_wait(e, LANE_OUT, LANE_COMPUTE, number);
    slab_wait(e, LANE_OUT, LANE_IN, e->stream.number); /* rows that go out are read by the next slab as they were */
    slab_transfer(e, &(struct transfer){.host = r->to, .device = slot, .plan = r->plan, .out = 1}, c, r->step, j);
    slab_record(e, LANE_OUT, number);
    return SF_OK;
}

int pass_overlapped(struct engine *e, struct engine_pass *p, long step, const double *time, double dt)
{
    SF_TRY(stream_begin(e));
    struct stream r = stream_make(e, &p->plan, step);
    struct sweep s = {.plan = &p->plan,
                      .segment = &p->plan.segment[0],
                      .lay = &e->state->host.lay,
                      .window = e->window_rows,
                      .levels = e->window_levels,
                      .step = step,
                      .time = time,
                      .dt = dt};
    sweep_clip(e, &s);
    for (int c = 0; c <= e->slabs; c++) { /* one slab ahead of computing */
        if (c < e->slabs) overlapped_in(e, &r, c);
        if (c > 0) SF_TRY(overlapped_compute(e, &r, c - 1, &s));
    }
    return e->backend->sync(LANE_OUT);
}
