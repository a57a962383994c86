/* Many slabs through a device: one comes in while the one before it is computed and the one before that goes out.
 *
 * Skewed slabs lie one behind the other in a slot that is folded (storage.h): rows come in where rows are that have
 * gone out (route.h). Passes follow each other without a pause: they alternate between north and south, so that a pass
 * begins with the rows that the one before it ended with, which are still there, and what goes on to the host and comes
 * from there travels behind computing on both sides of the turn. Overlapped slabs, and ranks of so few rows that their
 * ghost rows come from everywhere, bring everything home after each pass. SPDX-License-Identifier: MIT */
#include "pipeline/engine_stream.h"

#include "pipeline/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define LIVE LONG_MAX /* a row of the slot that is still wanted */
enum {
    LATER = 2 /* slabs after that which finished them, rows leave for other ranks: nobody waits for their way out */
};

/* ---- rows of the slot -------------------------------------------------------------------------------------------- */

static void rows_mark(const struct engine *e, struct span_rows j, long piece)
{
    const struct slab *const s = &e->slot[0].s;
    j = rows_common(j, s->j0, s->j0 + s->rows);
    for (int row = j.a; row < j.b; row++) e->stream.left[row - s->j0] = piece;
}

/* The piece that is the last to want any of them. */
static long rows_left(const struct engine *e, struct span_rows j)
{
    long last = 0;
    for (int row = j.a; row < j.b; row++) last = SF_MAX(last, e->stream.left[row - e->slot[0].s.j0]);
    return last;
}

/* What the next slab, c, brings comes in, each piece where rows lay that have gone out. */
static int slab_in(struct engine *e, struct stream *r, int c)
{
    struct window *const w = &r->window[c & 1];
    const struct span_rows comes = route_comes(&r->route, c);
    *w = (struct window){route_edge(&r->route, c), route_edge(&r->route, c + 1), ++e->stream.number};
    for (int m = 0; m < ROUTE_PIECES; m++) {
        const struct span_rows piece = route_piece(comes, m), j = rows_of(r, piece);
        if (j.a >= j.b) continue;
        const long last = SF_MAX(rows_left(e, rows_of(r, route_displaced(&r->route, piece))), rows_left(e, j));
        /* What goes out is put into its lane after what comes in for the slab after next. */
        SF_CHECK(last <= last_of(w->number - 2 + (c == 0)), SF_INTERNAL, "slab %d of %d has no room among %d rows", c,
                 e->slabs, e->slot_rows);
        piece_wait(e, LANE_IN, LANE_OUT, last);
        slab_transfer(e, &(struct transfer){.host = r->from, .device = &e->slot[0].s, .plan = r->plan}, c, r->step, j);
        rows_mark(e, j, LIVE);
    }
    slab_record(e, LANE_IN, w->number);
    return SF_OK;
}

/* Ghost rows of the far side that were kept. */
static void slab_gather(struct engine *e, const struct stream *r, const struct window *w)
{
    if (!r->far_kept || w->front1 <= r->own.b) return;
    const struct span_rows far = rows_between(r, SF_MAX(w->front0, r->own.b), w->front1);
    rows_within(e, r->plan, &e->slot[0].s, &e->stream.keep[1].s, far.a, far.b, 0);
}

/* ---- slabs ------------------------------------------------------------------------------------------------------- */

/* Rows that are final go to the host piece by piece, and those that the next pass finds in the slot stay, where nobody
 * asks for them. `done`: rows that nobody touches any more, q. */
static void pieces_out(struct engine *e, struct stream *r, int c, long number, struct span_rows out,
                       struct span_rows done)
{
    const struct transfer t = {.host = r->to, .device = &e->slot[0].s, .plan = r->plan, .out = 1};
    rows_mark(e, rows_of(r, done), piece_of(number, 0)); /* some have gone with the slab before */
    for (int m = 0; m < ROUTE_PIECES; m++) {
        const struct span_rows piece = route_piece(out, m), j = rows_of(r, piece);
        if (j.a < j.b) slab_transfer(e, &t, c, r->step, j);
        e->backend->record(LANE_OUT, (int)(piece_of(number, m) % BACKEND_RING));
        rows_mark(e, rows_of(r, rows_common(piece, done.a, done.b)), piece_of(number, m));
    }
}

static void slab_out(struct engine *e, struct stream *r, int c, const struct window *w, int lag)
{
    const int last = c + 1 == e->slabs;
    int end = last ? r->out.b : SF_MIN(r->out.b, w->front1 - lag);
    if (!last && end <= r->out.a + 2 * e->gj) end = r->out_next; /* rows beyond the side may still change */
    end = SF_MAX(end, r->out_next);
    const struct span_rows out = {r->out_next, SF_MAX(r->out_next, SF_MIN(end, r->stay.a))};
    if (e->looks || e->surveys) rows_look(e, &e->slot[0].s, rows_between(r, r->out_next, end));
    r->out_next = end;
    slab_record(e, LANE_COMPUTE, w->number);
    slab_wait(e, LANE_OUT, LANE_COMPUTE, w->number);
    pieces_out(e, r, c, w->number, out, (struct span_rows){w->front0 - e->edge, w->front1 - e->edge});
    if (last) rows_mark(e, rows_of(r, r->stay), LIVE);
    const int gone = SF_MIN(end, r->stay.a);
    if (r->next && !r->near_number && gone >= r->own.a + e->stream.deep)
        r->near_number = w->number, r->near_end = SF_MIN(gone, r->own.b);
}

static int slab_compute(struct engine *e, struct stream *r, int c, struct sweep *s)
{
    const struct window *const w = &r->window[c & 1];
    slab_wait(e, LANE_COMPUTE, LANE_IN, w->number);
    const int mark = lane_mark(e, LANE_COMPUTE);
    slab_gather(e, r, w);
    s->slab = &e->slot[0].s, s->front0 = w->front0, s->front1 = w->front1;
    s->starts = c == 0, s->ends = c + 1 == e->slabs;
    SF_TRY(sweep_run(e, s));
    const struct span_rows j = rows_between(r, w->front0, w->front1);
    lane_mark_end(e, mark, &(struct span){.lane = SPAN_COMPUTE, .slab = c, .step = r->step, .j0 = j.a, .j1 = j.b});
    SF_TRY(stream_send(e, r->from));
    slab_out(e, r, c, w, s->segment->lag[r->route.dir]);
    return r->near_number > 0 && e->stream.number >= r->near_number + LATER ? near_send(e, r) : SF_OK;
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

/* A pass that follows no other: the state is what the host has. */
int stream_begin(struct engine *e)
{
    struct engine_stream *const x = &e->stream;
    for (int lane = 0; lane < LANES; lane++) SF_TRY(e->backend->sync((enum lane)lane));
    if (x->flows && e->comm.size > 1 && x->awaits)
        SF_TRY(engine_halo_end(e, &x->halo[x->turn], &e->state->host.s, !x->dir));
    SF_TRY(engine_exchange(e, &x->halo[x->turn], &e->state->host.s));
    profiles_share(e);
    x->awaits = x->dir = x->hold = 0;
    x->have = (struct span_rows){0, 0};
    if (x->left) memset(x->left, 0, (size_t)e->state->host.s.rows * sizeof *x->left);
    return SF_OK;
}

/* A pass that goes in direction `dir` and finds rows `have`. */
static struct stream stream_of(const struct engine *e, const struct plan *p, int dir, struct span_rows have)
{
    const struct state *st = e->state;
    const int mirror = st->ja + st->jb - 1;
    struct stream r = {.plan = p};
    r.route = route_begin(dir, mirror, st->ja - e->gs, st->jb + e->gn, e->slabs, 2 * e->gj, e->slot_rows, have);
    r.own = rows_of(&r, (struct span_rows){st->ja, st->jb});
    r.out = rows_of(&r, (struct span_rows){e->seam_s ? st->ja : st->ja - e->gs, e->seam_n ? st->jb : st->jb + e->gn});
    r.out_next = r.out.a;
    /* Other ranks have made those beyond the far side anew. */
    if (e->comm.size > 1 && has_seam(e, !dir)) r.route.held = SF_MIN(r.route.held, r.own.b);
    r.stay = (struct span_rows){r.route.high, r.route.high};
    if (e->stream.flows) r.stay = route_stays(&r.route);
    return r;
}

struct stream stream_make(struct engine *e, const struct plan *p, long step)
{
    struct stream r = stream_of(e, p, e->stream.dir, e->stream.have);
    r.step = step, r.from = &e->state->host.s, r.to = e->leave ? &e->leave_to : &e->state->host.s;
    return r;
}

/* What goes out from now on goes to the other copy of the state, and this one stays as it was: see engine_snapshot. */
static void host_switch(struct engine *e)
{
    struct slab *const host = &e->state->host.s;
    for (int f = 0; f < e->in->nfields; f++) {
        if (!e->leave_to.f[f]) continue;
        real *const was = host->f[f];
        host->f[f] = e->leave_to.f[f];
        e->leave_to.f[f] = was;
    }
    e->leave = 0;
}

static int pass_end(struct engine *e, struct stream *r, long first)
{
    struct engine_stream *const x = &e->stream;
    struct slab to = *r->to;
    if (r->near_number > 0) SF_TRY(near_send(e, r));
    if (r->to != r->from) host_switch(e);
    r->to = r->from = &to;
    if (!x->flows) {
        const int mark = lane_mark(e, LANE_OUT);
        const double bytes = stream_home(e);
        lane_mark_end(e, mark, &(struct span){.lane = SPAN_OUT, .slab = -1, .step = r->step, .bytes = bytes});
        return e->backend->sync(LANE_OUT);
    }
    x->hold = 0;
    if (r->next) sources_out(e, r);
    if (x->hold) e->backend->record(LANE_OUT, BACKEND_EVENT_HOLD);
    x->turn = !x->turn; /* the pass to come */
    if (r->next && !r->near_number)
        SF_TRY(stream_send(e, r->to)); /* the others begin with rows that have only now gone out */
    SF_TRY(seams_end(e, r, first));
    x->awaits = r->next != NULL;
    x->dir = !x->dir;
    x->have = rows_of(r, r->stay);
    return SF_OK;
}

static int pass_skewed(struct engine *e, struct engine_pass *p, long step, const double *time, double dt)
{
    struct engine_stream *const x = &e->stream;
    const int follows = x->have.a < x->have.b;
    if (!follows) SF_TRY(stream_begin(e));
    struct stream r = stream_make(e, &p->plan, step);
    if (x->flows && e->comm.size > 1) {
        r.next = &x->halo[!x->turn];
        SF_TRY(halo_begin(r.next));
    }
    if (follows) {
        if (x->hold) e->backend->wait(LANE_COMPUTE, LANE_OUT, BACKEND_EVENT_HOLD);
        x->hold = 0;
        const struct span_rows had = rows_common(rows_of(&r, x->have), r.route.held, r.route.high);
        rows_mark(e, rows_of(&r, had), last_of(x->number)); /* those come in anew */
        seams_begin(e, &r);
    } else whole_transfer(e, &(struct transfer){.host = r.from, .device = &e->slot[0].s, .plan = r.plan});
    struct sweep s = {.plan = &p->plan,
                      .segment = &p->plan.segment[0],
                      .lay = &e->state->host.lay,
                      .window = e->window_rows,
                      .levels = e->window_levels,
                      .dir = x->dir,
                      .low = e->state->ja,
                      .high = e->state->jb,
                      .seam_low = e->seam_s,
                      .seam_high = e->seam_n,
                      .step = step,
                      .time = time,
                      .dt = dt};
    const long first = x->number + 1;
    const double had = e->lanes.bytes[SPAN_IN];
    sweep_clip(e, &s);
    for (int c = 0; c <= e->slabs; c++) { /* one slab ahead of computing */
        if (c < e->slabs) SF_TRY(far_take(e, &r, c));
        if (c < e->slabs) SF_TRY(slab_in(e, &r, c));
        if (c > 0) SF_TRY(slab_compute(e, &r, c - 1, &s));
    }
    SF_TRY(pass_end(e, &r, first));
    if (x->flows && !follows) {
        e->lanes.begun++;
        e->lanes.brought += e->lanes.bytes[SPAN_IN] - had;
    }
    return SF_OK;
}

int pass_streamed(struct engine *e, struct engine_pass *p, long step, const double *time, double dt)
{
    return e->opt.overlapped ? pass_overlapped(e, p, step, time, dt) : pass_skewed(e, p, step, time, dt);
}

/* ---- what it moves ----------------------------------------------------------------------------------------------- */

struct engine_schedule engine_schedule(const struct engine *e)
{
    const struct plan *p = &e->pass[0].plan;
    const struct state *st = e->state;
    const int low = st->ja - e->gs, high = st->jb + e->gn;
    struct engine_schedule s = {
        .rows = (high - low + e->slabs - 1) / e->slabs, .rows_on_device = e->slot_rows, .skew = e->edge};
    if (!is_flowing(e)) {
        const struct stream r = stream_of(e, p, 0, (struct span_rows){0, 0});
        s.out = (double)rows_bytes(e, p, r.out.a, r.out.b, 1);
        for (int c = 0; c < (e->opt.overlapped ? e->slabs : 1); c++) {
            const struct span_rows j = e->opt.overlapped ? overlapped_rows(e, p, c) : (struct span_rows){low, high};
            s.in += (double)rows_bytes(e, p, j.a, j.b, 0);
        }
        return s;
    }
    for (int dir = 0; dir < 2; dir++) { /* the mean of both */
        const struct stream before = stream_of(e, p, !dir, (struct span_rows){0, 0});
        const struct span_rows have = rows_of(&before, before.stay);
        const struct stream r = stream_of(e, p, dir, have);
        const struct span_rows comes = rows_between(&r, SF_MIN(r.route.held, r.route.high), r.route.high),
                               stays = rows_of(&r, r.stay);
        double in, out;
        seams_bytes(e, &r, have, &in, &out);
        s.rows = SF_MAX(route_edge(&r.route, 1) - r.route.low, 1);
        s.in += 0.5 * ((double)rows_bytes(e, p, comes.a, comes.b, 0) + in);
        const struct span_rows goes = rows_of(&r, r.out), left = rows_common(stays, goes.a, goes.b);
        s.out += 0.5 * ((double)(rows_bytes(e, p, goes.a, goes.b, 1) - rows_bytes(e, p, left.a, left.b, 1)) + out);
    }
    return s;
}
