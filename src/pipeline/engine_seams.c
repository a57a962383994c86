/* Ghost rows of streamed passes that follow each other, and what other ranks get of theirs.
 *
 * Those of the side where a pass begins are rows that the pass before it finished first: they wait in keep[0]. Those of
 * the far side are wanted last: a rank by itself keeps a copy of their originals, in keep[1], for by then they have
 * changed; between ranks they come in time. SPDX-License-Identifier: MIT */
#include "pipeline/engine_stream.h"

#include "pipeline/error.h"

#include <limits.h>

/* A rank that has no neighbours takes them from its own rows. How far those lie from them: */
static int rows_shift(const struct engine *e, struct span_rows ghosts)
{
    return e->comm.size > 1 || !e->periodic ? 0
           : ghosts.a < e->state->ja        ? e->state->host.lay.nj
                                            : -e->state->host.lay.nj;
}

/* The parts of r that are not in `held`. */
static int rows_outside(struct span_rows r, struct span_rows held, struct span_rows part[2])
{
    int n = 0;
    const struct span_rows in = rows_common(held, r.a, r.b);
    if (in.a >= in.b) {
        part[n++] = r;
        return r.a < r.b;
    }
    if (r.a < in.a) part[n++] = (struct span_rows){r.a, in.a};
    if (in.b < r.b) part[n++] = (struct span_rows){in.b, r.b};
    return n;
}

static struct span_rows rows_moved(struct span_rows r, int by) { return (struct span_rows){r.a + by, r.b + by}; }

/* Rows of field f in part of some ghost rows, and their bytes. */
static size_t ghosts_of(const struct engine *e, const struct plan *p, int f, struct span_rows part, int *first)
{
    const struct layout *l = &e->state->host.lay;
    int last = part.b;
    *first = part.a;
    if (!field_is_kept(&e->in->field[f]) || !form_rows(&p->form[f], l->nj, first, &last)) return 0;
    return (size_t)(last - *first) * layout_row_bytes(l, &p->form[f]);
}

/* Of ghost rows those whose originals are not in rows `held` of the slot. */
static int ghosts_outside(const struct engine *e, struct span_rows ghosts, struct span_rows held,
                          struct span_rows part[2])
{
    return rows_outside(ghosts, rows_moved(held, -rows_shift(e, ghosts)), part);
}

static double ghosts_bytes(const struct engine *e, const struct plan *p, struct span_rows ghosts, struct span_rows held)
{
    struct span_rows part[2];
    const int parts = ghosts_outside(e, ghosts, held, part);
    double bytes = 0;
    int first;
    for (int f = 0; f < e->in->nfields; f++)
        for (int m = 0; m < parts; m++) bytes += (double)ghosts_of(e, p, f, part[m], &first);
    return bytes;
}

/* Kept fields of ghost rows come from the host into keep[n], but for those whose originals are in the slot. What the
 * host has of them has arrived: the rows that came in their place waited for that. */
static void keep_in(struct engine *e, const struct stream *r, const struct slab *host, int n, struct span_rows ghosts,
                    struct span_rows held)
{
    const struct layout *l = &e->state->host.lay;
    const int shift = rows_shift(e, ghosts), mark = lane_mark(e, LANE_IN);
    struct span_rows part[2];
    const int parts = ghosts_outside(e, ghosts, held, part);
    double moved = 0;
    int first;
    storage_place(&e->stream.keep[n], ghosts.a);
    for (int f = 0; f < e->in->nfields; f++)
        for (int m = 0; m < parts; m++) {
            const size_t bytes = ghosts_of(e, r->plan, f, part[m], &first);
            if (bytes)
                e->backend->copy_in(storage_row(&e->stream.keep[n].s, l, &r->plan->form[f], f, first),
                                    storage_row(host, l, &r->plan->form[f], f, first + shift), bytes);
            moved += (double)bytes;
        }
    lane_mark_end(
        e, mark,
        &(struct span){.lane = SPAN_IN, .slab = -1, .step = r->step, .j0 = ghosts.a, .j1 = ghosts.b, .bytes = moved});
}

/* Ghost rows whose originals are in the slot, into `to`. */
static void held_within(struct engine *e, const struct plan *p, const struct slab *to, struct span_rows ghosts,
                        struct span_rows held)
{
    const int shift = rows_shift(e, ghosts);
    const struct span_rows j = rows_common(rows_moved(held, -shift), ghosts.a, ghosts.b);
    if (shift && j.a < j.b) rows_within(e, p, to, &e->slot[0].s, j.a, j.b, shift);
}

/* A pass that follows another: ghost rows of the side where it begins, and of the far side while their originals are as
 * they were. */
void seams_begin(struct engine *e, struct stream *r)
{
    struct engine_stream *const x = &e->stream;
    struct span_rows part[2];
    const struct span_rows near = rows_between(r, r->route.low, r->own.a),
                           far = rows_between(r, r->own.b, r->route.high);
    const int dir = r->route.dir, alone = e->comm.size == 1;
    if (has_seam(e, dir)) {
        const int parts =
            rows_outside(near, alone ? rows_moved(x->have, -rows_shift(e, near)) : (struct span_rows){0, 0}, part);
        e->backend->wait(LANE_COMPUTE, LANE_IN, BACKEND_EVENT_NEAR);
        for (int n = 0; n < parts; n++) rows_within(e, r->plan, &e->slot[0].s, &x->keep[0].s, part[n].a, part[n].b, 0);
        if (alone) held_within(e, r->plan, &e->slot[0].s, near, x->have);
    }
    if (!has_seam(e, !dir) || !alone) return;
    slab_wait(e, LANE_IN, LANE_COMPUTE, x->number); /* the last slab has had what is kept there */
    keep_in(e, r, r->from, 1, far, x->have);
    held_within(e, r->plan, &x->keep[1].s, far, x->have);
    r->far_kept = 1;
}

/* Rows that other ranks want and that stay in the slot: near to where the pass begins, of a rank so short that nothing
 * of it leaves, and far, with which the next pass begins. q. */
static void sources_find(const struct engine *e, const struct stream *r, struct span_rows *near, struct span_rows *far)
{
    const int deep = e->stream.deep;
    *near = rows_common((struct span_rows){r->own.a, r->own.a + deep}, r->stay.a, r->own.b);
    *far = rows_common((struct span_rows){SF_MAX(r->own.b - deep, near->b), r->own.b}, r->stay.a, r->own.b);
    if (!has_seam(e, r->route.dir)) near->b = near->a;
    if (!has_seam(e, !r->route.dir)) far->b = far->a;
}

/* Those of the far side go out from a copy that the next pass does not change. */
void sources_out(struct engine *e, struct stream *r)
{
    struct engine_stream *const x = &e->stream;
    struct span_rows near, far;
    sources_find(e, r, &near, &far);
    const struct span_rows j = rows_of(r, near), k = rows_of(r, far);
    struct transfer t = {.host = r->to, .device = &e->slot[0].s, .plan = r->plan, .out = 1};
    if (near.a < near.b) {
        slab_transfer(e, &t, -1, r->step, j);
        x->hold = 1;
    }
    if (far.a < far.b) {
        e->backend->wait(LANE_COMPUTE, LANE_OUT, BACKEND_EVENT_FAR); /* of the pass before */
        storage_place(&x->keep[1], k.a);
        rows_within(e, r->plan, &x->keep[1].s, &e->slot[0].s, k.a, k.b, 0);
        e->backend->record(LANE_COMPUTE, BACKEND_EVENT_FAR);
        e->backend->wait(LANE_OUT, LANE_COMPUTE, BACKEND_EVENT_FAR);
        t.device = &x->keep[1].s;
        slab_transfer(e, &t, -1, r->step, k);
    }
    e->backend->record(LANE_OUT, BACKEND_EVENT_FAR);
    x->unsent = 1;
}

/* What passes move beside slabs, for those that follow them. */
void seams_bytes(const struct engine *e, const struct stream *r, struct span_rows have, double *in, double *out)
{
    const struct span_rows ghosts = rows_between(r, r->own.b, r->route.high), none = {0, 0};
    const int alone = e->comm.size == 1;
    *in = *out = 0;
    if (has_seam(e, !r->route.dir)) {
        *in = ghosts_bytes(e, r->plan, ghosts, alone ? rows_of(r, r->stay) : none);
        if (alone) *in += ghosts_bytes(e, r->plan, ghosts, have);
    }
    if (alone) return;
    struct span_rows near, far;
    sources_find(e, r, &near, &far);
    near = rows_of(r, near), far = rows_of(r, far);
    if (near.a < near.b) *out += (double)rows_bytes(e, r->plan, near.a, near.b, 1);
    if (far.a < far.b) *out += (double)rows_bytes(e, r->plan, far.a, far.b, 1);
}

int stream_send(struct engine *e, const struct slab *host)
{
    struct engine_stream *const x = &e->stream;
    if (!x->unsent) return SF_OK;
    x->unsent = 0;
    SF_TRY(e->backend->await(LANE_OUT, BACKEND_EVENT_FAR));
    return halo_send(&x->halo[x->turn], host, INT_MIN, INT_MAX);
}

static void halo_waited(struct engine *e, long step, double began)
{
    e->halo_wait_seconds += seconds_now() - began;
    engine_span(e, SPAN_HALO, step, began);
}

/* The far side's ghost rows that come from other ranks, before they are wanted. */
int far_take(struct engine *e, struct stream *r, int c)
{
    struct engine_stream *const x = &e->stream;
    if (!x->awaits || route_edge(&r->route, c + 1) <= r->own.b) return SF_OK;
    x->awaits = 0;
    const double began = seconds_now();
    SF_TRY(engine_halo_end(e, &x->halo[x->turn], r->from, !r->route.dir));
    halo_waited(e, r->step, began);
    return SF_OK;
}

/* Rows that the pass has finished first leave for the ranks that will begin with them. */
int near_send(struct engine *e, struct stream *r)
{
    SF_TRY(e->backend->await(LANE_OUT, event_of(e, last_of(r->near_number))));
    const struct span_rows j = rows_between(r, r->own.a, r->near_end);
    r->near_number = -1;
    return halo_send(r->next, r->to, j.a, j.b);
}

/* For the pass that follows: ghost rows of the side where this one ends. */
int seams_end(struct engine *e, struct stream *r, long first)
{
    struct engine_stream *const x = &e->stream;
    const int side = !r->route.dir;
    const struct span_rows ghosts = rows_between(r, r->own.b, r->route.high), stay = rows_of(r, r->stay);
    if (!has_seam(e, side)) return SF_OK;
    if (e->comm.size > 1) { /* they are put where those were that this pass began with */
        SF_TRY(e->backend->await(LANE_IN, event_of(e, last_of(x->number))));
        const double began = seconds_now();
        SF_TRY(engine_halo_end(e, &x->halo[x->turn], r->to, side));
        halo_waited(e, r->step, began);
    }
    slab_wait(e, LANE_IN, LANE_COMPUTE, first); /* it has had what was kept there */
    keep_in(e, r, r->to, 0, ghosts, e->comm.size > 1 ? (struct span_rows){0, 0} : stay);
    e->backend->record(LANE_IN, BACKEND_EVENT_NEAR);
    return SF_OK;
}
