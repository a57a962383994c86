/* Many slabs through a device: one comes in while the one before it is computed and the one before that goes out.
 *
 * Skewed slabs lie one behind the other in an arena (arena.h). Passes follow each other without a pause: they alternate between
 * north and south, so that a pass begins with the rows that the one before it ended with, which are still there, and what goes on
 * to the host and comes from there travels behind computing on both sides of the turn. Ghost rows of the side where a pass begins
 * come from rows that the one before it has finished first; those of the far side are wanted last. Overlapped slabs, and ranks of
 * so few rows that their ghost rows come from everywhere, bring everything home after each pass.
 * SPDX-License-Identifier: MIT */
#include "pipeline/engine_parts.h"

#include "pipeline/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIVE = INT_MAX, /* a row of the arena that is still wanted */
    LATER = 2       /* slabs after that which finished them, rows leave for other ranks: nobody waits for their way out */
};

/* A slab on its way. */
struct window {
    struct slide_place place; /* of a skewed slab */
    struct slab view, before; /* its rows, and where rows that move with a lap come from */
    int base, base_before;    /* rows j of the arena's first row */
    int number;               /* of all slabs so far */
};

/* A pass. */
struct stream {
    const struct plan *plan;
    struct slide slide;
    struct span_rows own, out; /* rows that are the rank's, and that go out, q */
    int out_next;              /* the first that has not gone out, q */
    struct span_rows stay;     /* rows that the next pass takes over, q */
    int flush;                 /* 1: they go out all the same */
    int home;                  /* the slab with which all that was not in the arena had gone out */
    int far_kept;              /* 1: rows beyond the far side are in keep[1] */
    int near_number, near_end; /* the slab with which rows that other ranks want first have gone out, up to q; -1: they are sent */
    const struct slab *from, *to; /* where rows come from and where they go */
    struct halo *next; /* of the pass to come: what becomes final is sent */
    long step;
    struct window window[2];
};

/* ---- rows between host and device -------------------------------------------------------------------------------- */

static int is_carried(const struct field *f) { return field_is_kept(f) || f->role == ROLE_STATIC; }

/* Does the arena hold all rows of a field, always? Then they do not stream. */
static int stays_whole(const struct engine *e, const struct form *form)
{
    return !e->opt.overlapped && storage_is_whole(&e->slot[0], form);
}

struct transfer {
    const struct slab *host, *device;
    const struct plan *plan;
    int out;
    int settled; /* 1: what the pass leaves in second banks is in the first again */
};

static void rows_copy(const struct engine *e, const struct transfer *t, int f, int first, int last)
{
    const struct layout *l = &e->state->host.lay;
    const struct form *form = &t->plan->form[f];
    if (!form_rows(form, l->nj, &first, &last)) return;
    const size_t bytes = (size_t)(last - first) * layout_row_bytes(l, form);
    if (!bytes) return;
    void *const host = storage_row(t->host, l, form, f, first);
    const int id = t->out && !t->settled ? t->plan->last_id[f] : f;
    if (t->out) e->backend->copy_out(host, storage_row(t->device, l, form, id, first), bytes);
    else e->backend->copy_in(storage_row(t->device, l, form, f, first), host, bytes);
}

static size_t rows_bytes(const struct engine *e, const struct plan *p, int first, int last, int out)
{
    size_t bytes = 0;
    for (int f = 0; f < e->in->nfields; f++) {
        const struct field *x = &e->in->field[f];
        int j0 = first, j1 = last;
        if (!(out ? field_is_kept(x) : is_carried(x)) || stays_whole(e, &p->form[f])) continue;
        if (form_rows(&p->form[f], e->state->host.lay.nj, &j0, &j1))
            bytes += (size_t)(j1 - j0) * layout_row_bytes(&e->state->host.lay, &p->form[f]);
    }
    return bytes;
}

/* Rows [j0, j1) of every field that lives on the host: in, or of kept fields out. Of those that the arena holds for good, what
 * other ranks make or want. */
static void rows_transfer(const struct engine *e, const struct transfer *t, int j0, int j1)
{
    const struct state *st = e->state;
    const int away = e->comm.size > 1;
    for (int f = 0; f < e->in->nfields; f++) {
        const struct field *x = &e->in->field[f];
        if (!(t->out ? field_is_kept(x) : is_carried(x))) continue;
        if (!stays_whole(e, &t->plan->form[f])) {
            rows_copy(e, t, f, j0, j1);
        } else if (away && t->out) {
            rows_copy(e, t, f, SF_MAX(j0, st->ja), SF_MIN(j1, st->ja + e->gn));
            rows_copy(e, t, f, SF_MAX(SF_MAX(j0, st->jb - e->gs), st->ja + e->gn), SF_MIN(j1, st->jb));
        } else if (away) {
            rows_copy(e, t, f, j0, SF_MIN(j1, st->ja));
            rows_copy(e, t, f, SF_MAX(j0, st->jb), j1);
        }
    }
}

/* Fields that the arena holds for good: all rows that the host has. */
static void whole_transfer(const struct engine *e, const struct transfer *t)
{
    const struct slab *s = &e->state->host.s;
    for (int f = 0; f < e->in->nfields; f++) {
        const struct field *x = &e->in->field[f];
        if (!(t->out ? field_is_kept(x) : is_carried(x)) || !stays_whole(e, &t->plan->form[f])) continue;
        rows_copy(e, t, f, t->out ? e->state->ja : s->j0, t->out ? e->state->jb : s->j0 + s->rows);
    }
}

/* Profiles are not cut in rows: every slot has them whole. */
static void profiles_share(struct engine *e)
{
    const struct layout *l = &e->state->host.lay;
    for (int f = 0; f < e->in->nfields; f++)
        if (e->in->field[f].shape == SHAPE_LEVELS)
            for (int n = 0; n < ENGINE_SLOTS && e->slot[n].arena; n++)
                e->backend->copy_in(e->slot[n].s.f[f] - l->gk, e->state->host.s.f[f] - l->gk,
                                    (size_t)(l->nk + 1 + 2 * l->gk) * sizeof(real));
}

/* Rows [j0, j1) of slab `to` from rows `shift` further on of `from`, in LANE_COMPUTE: of all fields and banks, or of kept ones. */
static void rows_within(const struct engine *e, const struct plan *p, const struct slab *to, const struct slab *from, int j0, int j1,
                        int shift, int kept)
{
    const struct layout *l = &e->state->host.lay;
    struct backend_copy copy[BACKEND_BATCH];
    int n = 0;
    for (int id = 0; id < p->nids; id++) {
        int first = j0, last = j1;
        if (kept ? id != p->field_of[id] || !field_is_kept(&e->in->field[id]) : stays_whole(e, &p->form[id])) continue;
        if (!form_rows(&p->form[id], l->nj, &first, &last)) continue;
        const size_t bytes = (size_t)(last - first) * layout_row_bytes(l, &p->form[id]);
        if (!bytes) continue;
        copy[n++] = (struct backend_copy){storage_row(to, l, &p->form[id], id, first), storage_row(from, l, &p->form[id], id, first + shift), bytes};
        if (n == BACKEND_BATCH) e->backend->copy_within(copy, n), n = 0;
    }
    if (n) e->backend->copy_within(copy, n);
}

/* ---- events of slabs ---------------------------------------------------------------------------------------------- */

/* Of a slab that is long gone the last that the ring remembers stands for it. */
static int event_of(const struct engine *e, int number) { return SF_MAX(number, e->stream.number - BACKEND_RING + 1) % BACKEND_RING; }

/* `lane` waits until slab `number` has passed lane `of`; 0: for none. */
static void slab_wait(const struct engine *e, enum lane lane, enum lane of, int number)
{
    if (number > 0) e->backend->wait(lane, of, event_of(e, number));
}

/* ---- the arena ---------------------------------------------------------------------------------------------------- */

/* Rows [j.a, j.b) of an arena that begins with row `base`. */
static void rows_mark(const struct engine *e, int base, struct span_rows j, int number)
{
    for (int at = SF_MAX(j.a - base, 0); at < SF_MIN(j.b - base, e->slot_rows); at++) e->stream.left[at] = number;
}

/* The slab that is the last to use what those rows would replace. */
static int rows_left(const struct engine *e, int base, struct span_rows j)
{
    int last = 0;
    for (int at = SF_MAX(j.a - base, 0); at < SF_MIN(j.b - base, e->slot_rows); at++) last = SF_MAX(last, e->stream.left[at]);
    return last;
}

static struct span_rows rows_of(const struct stream *r, struct span_rows q) { return rows_turned(r->slide.dir, r->slide.mirror, q); }

static struct span_rows rows_between(const struct stream *r, int a, int b) { return rows_of(r, (struct span_rows){a, SF_MAX(a, b)}); }

/* What the next slab, c, needs in the arena comes in. */
static int slab_in(struct engine *e, struct stream *r, int c)
{
    struct engine_stream *const x = &e->stream;
    struct window *const w = &r->window[c & 1];
    struct slide_place *const p = &w->place;
    w->before = e->slot[0].s;
    *p = slide_next(&r->slide, c);
    w->number = ++x->number;
    w->base = slide_row(&r->slide, p->base), w->base_before = slide_row(&r->slide, p->base_before);
    storage_place(&e->slot[0], w->base);
    w->view = e->slot[0].s;
    const struct span_rows taken = rows_between(r, p->lap ? p->moves.a : p->comes.a, p->comes.b), j = rows_of(r, p->comes);
    const int last = rows_left(e, w->base, taken);
    /* What goes out is put into its lane after what comes in for the slab after next. */
    SF_CHECK(last <= w->number - 2 + (c == 0), SF_INTERNAL, "slab %d of %d has no room in an arena of %d rows", c, e->slabs, e->slot_rows);
    slab_wait(e, LANE_IN, LANE_OUT, last);
    if (p->lap) x->home = w->number - 1;
    const int mark = lane_mark(e, LANE_IN);
    if (j.a < j.b) {
        slab_wait(e, LANE_IN, LANE_OUT, r->home);
        rows_transfer(e, &(struct transfer){.host = r->from, .device = &w->view, .plan = r->plan}, j.a, j.b);
    }
    lane_mark_end(e, mark, &(struct span){.lane = SPAN_IN, .slab = c, .step = r->step, .j0 = j.a, .j1 = j.b,
                                          .bytes = (double)rows_bytes(e, r->plan, j.a, j.b, 0)});
    e->backend->record(LANE_IN, w->number % BACKEND_RING);
    rows_mark(e, w->base, taken, LIVE);
    return SF_OK;
}

/* Rows that are in the arena but not where the slab looks for them. */
static void slab_gather(struct engine *e, const struct stream *r, const struct window *w)
{
    const struct slide_place *const p = &w->place;
    if (p->lap) {
        const struct span_rows j = rows_of(r, p->moves);
        rows_within(e, r->plan, &w->view, &w->before, j.a, j.b, 0, 0);
        rows_mark(e, w->base_before, j, w->number);
    }
    if (!r->far_kept || p->front1 <= r->own.b) return;
    const struct span_rows far = rows_between(r, SF_MAX(p->front0, r->own.b), p->front1);
    rows_within(e, r->plan, &w->view, &e->stream.keep[1].s, far.a, far.b, 0, 1);
}

/* ---- ghost rows beyond a seam ------------------------------------------------------------------------------------- */

/* A rank that has no neighbours takes them from its own rows; see stream.c's head. How far those lie from them: */
static int rows_shift(const struct engine *e, struct span_rows ghosts)
{
    return e->comm.size > 1 || !e->periodic ? 0 : ghosts.a < e->state->ja ? e->state->host.lay.nj : -e->state->host.lay.nj;
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

/* Kept fields of ghost rows come from the host into keep[n], but for those whose originals are in the arena. */
static void keep_in(struct engine *e, const struct plan *p, const struct slab *host, int n, struct span_rows ghosts, struct span_rows held)
{
    const struct layout *l = &e->state->host.lay;
    const int shift = rows_shift(e, ghosts);
    struct span_rows part[2];
    const int parts = rows_outside(ghosts, rows_moved(held, -shift), part);
    storage_place(&e->stream.keep[n], ghosts.a);
    for (int f = 0; f < e->in->nfields; f++)
        for (int m = 0; m < parts && field_is_kept(&e->in->field[f]); m++) {
            int first = part[m].a, last = part[m].b;
            if (!form_rows(&p->form[f], l->nj, &first, &last)) continue;
            const size_t bytes = (size_t)(last - first) * layout_row_bytes(l, &p->form[f]);
            if (bytes)
                e->backend->copy_in(storage_row(&e->stream.keep[n].s, l, &p->form[f], f, first),
                                    storage_row(host, l, &p->form[f], f, first + shift), bytes);
        }
}

/* Ghost rows whose originals are in the arena, into `to`. */
static void held_within(struct engine *e, const struct plan *p, const struct slab *to, struct span_rows ghosts, struct span_rows held)
{
    const int shift = rows_shift(e, ghosts);
    const struct span_rows j = rows_common(rows_moved(held, -shift), ghosts.a, ghosts.b);
    if (shift && j.a < j.b) rows_within(e, p, to, &e->slot[0].s, j.a, j.b, shift, 1);
}

static int has_seam(const struct engine *e, int side) { return side ? e->seam_n : e->seam_s; }

/* A pass that follows another: ghost rows of the side where it begins, and of the far side while their originals are as they were. */
static void seams_begin(struct engine *e, struct stream *r)
{
    struct engine_stream *const x = &e->stream;
    struct span_rows part[2];
    const struct span_rows near = rows_between(r, r->slide.low, r->own.a), far = rows_between(r, r->own.b, r->slide.high);
    const int dir = r->slide.dir, alone = e->comm.size == 1;
    if (has_seam(e, dir)) {
        const int parts = rows_outside(near, alone ? rows_moved(x->have, -rows_shift(e, near)) : (struct span_rows){0, 0}, part);
        e->backend->wait(LANE_COMPUTE, LANE_IN, BACKEND_EVENT_START);
        for (int n = 0; n < parts; n++) rows_within(e, r->plan, &e->slot[0].s, &x->keep[0].s, part[n].a, part[n].b, 0, 1);
        if (alone) held_within(e, r->plan, &e->slot[0].s, near, x->have);
    }
    if (!has_seam(e, !dir) || !alone) return;
    slab_wait(e, LANE_IN, LANE_COMPUTE, x->number); /* the last slab has had what is kept there */
    slab_wait(e, LANE_IN, LANE_OUT, r->home);
    keep_in(e, r->plan, r->from, 1, far, x->have);
    held_within(e, r->plan, &x->keep[1].s, far, x->have);
    r->far_kept = 1;
}

/* Rows that other ranks want and that would have stayed here go to the host. */
static void sources_out(struct engine *e, struct stream *r, const struct window *w)
{
    const int deep = SF_MAX(e->gs, e->gn);
    const struct transfer t = {.host = r->to, .device = &w->view, .plan = r->plan, .out = 1};
    const struct span_rows near = rows_common((struct span_rows){r->own.a, r->own.a + deep}, r->stay.a, r->own.b);
    const struct span_rows far = rows_common((struct span_rows){SF_MAX(r->own.b - deep, near.b), r->own.b}, r->stay.a, r->own.b);
    const struct span_rows j = rows_of(r, near), k = rows_of(r, far);
    if (!r->flush && near.a < near.b) rows_transfer(e, &t, j.a, j.b);
    if (!r->flush && far.a < far.b) rows_transfer(e, &t, k.a, k.b);
    e->backend->record(LANE_OUT, BACKEND_EVENT_FAR);
    e->stream.unsent = 1;
}

int stream_send(struct engine *e, const struct slab *host)
{
    struct engine_stream *const x = &e->stream;
    if (!x->unsent) return SF_OK;
    x->unsent = 0;
    SF_TRY(e->backend->await(LANE_OUT, BACKEND_EVENT_FAR));
    return halo_send(&x->halo[x->turn], host, INT_MIN, INT_MAX);
}

/* Rows that the pass has finished first leave for the ranks that will begin with them. */
static int near_send(struct engine *e, struct stream *r)
{
    SF_TRY(e->backend->await(LANE_OUT, event_of(e, r->near_number)));
    const struct span_rows j = rows_between(r, r->own.a, r->near_end);
    r->near_number = -1;
    return halo_send(r->next, r->to, j.a, j.b);
}

static void halo_waited(struct engine *e, long step, double began)
{
    e->halo_wait_seconds += seconds_now() - began;
    engine_span(e, SPAN_HALO, step, began);
}

/* For the pass that follows: ghost rows of the side where this one ends. */
static int seams_end(struct engine *e, struct stream *r, int first)
{
    struct engine_stream *const x = &e->stream;
    const int side = !r->slide.dir;
    const struct span_rows ghosts = rows_between(r, r->own.b, r->slide.high), stay = rows_of(r, r->stay);
    if (!has_seam(e, side)) return SF_OK;
    if (e->comm.size > 1) { /* they are put where those were that this pass began with */
        SF_TRY(e->backend->await(LANE_IN, event_of(e, x->number)));
        const double began = seconds_now();
        SF_TRY(engine_halo_end(e, &x->halo[x->turn], r->to, side));
        halo_waited(e, r->step, began);
    }
    slab_wait(e, LANE_IN, LANE_COMPUTE, first); /* it has had what was kept there */
    slab_wait(e, LANE_IN, LANE_OUT, x->home);
    keep_in(e, r->plan, r->to, 0, ghosts, e->comm.size > 1 ? (struct span_rows){0, 0} : stay);
    e->backend->record(LANE_IN, BACKEND_EVENT_START);
    return SF_OK;
}

/* ---- slabs -------------------------------------------------------------------------------------------------------- */

/* Rows that are final go to the host, and those that the next pass finds in the arena stay, where nobody asks for them. */
static void slab_out(struct engine *e, struct stream *r, int c, const struct window *w, int lag)
{
    const int last = c + 1 == e->slabs;
    int end = last ? r->out.b : SF_MIN(r->out.b, w->place.front1 - lag);
    if (!last && end <= r->out.a + 2 * e->gj) end = r->out_next; /* rows beyond the side may still change */
    end = SF_MAX(end, r->out_next);
    const struct span_rows j = rows_between(r, r->out_next, r->flush ? end : SF_MIN(end, r->stay.a));
    if (e->looks) rows_look(e, r->plan, &w->view, rows_between(r, r->out_next, end));
    r->out_next = end;
    e->backend->record(LANE_COMPUTE, w->number % BACKEND_RING);
    slab_wait(e, LANE_OUT, LANE_COMPUTE, w->number);
    const int mark = lane_mark(e, LANE_OUT);
    if (j.a < j.b) rows_transfer(e, &(struct transfer){.host = r->to, .device = &w->view, .plan = r->plan, .out = 1}, j.a, j.b);
    lane_mark_end(e, mark, &(struct span){.lane = SPAN_OUT, .slab = c, .step = r->step, .j0 = j.a, .j1 = j.b,
                                          .bytes = (double)rows_bytes(e, r->plan, j.a, j.b, 1)});
    e->backend->record(LANE_OUT, w->number % BACKEND_RING);
    const int gone = r->flush ? end : SF_MIN(end, r->stay.a);
    if (r->next && !r->near_number && gone >= r->own.a + SF_MAX(e->gs, e->gn)) r->near_number = w->number, r->near_end = SF_MIN(gone, r->own.b);
}

static int slab_compute(struct engine *e, struct stream *r, int c, struct sweep *s)
{
    const struct window *const w = &r->window[c & 1];
    const struct slide_place *const p = &w->place;
    slab_wait(e, LANE_COMPUTE, LANE_IN, w->number);
    const int mark = lane_mark(e, LANE_COMPUTE);
    slab_gather(e, r, w);
    s->slab = &w->view, s->front0 = p->front0, s->front1 = p->front1;
    s->starts = c == 0, s->ends = c + 1 == e->slabs;
    SF_TRY(sweep_run(e, s));
    const struct span_rows j = rows_between(r, p->front0, p->front1);
    lane_mark_end(e, mark, &(struct span){.lane = SPAN_COMPUTE, .slab = c, .step = r->step, .j0 = j.a, .j1 = j.b});
    rows_mark(e, w->base, rows_between(r, p->front0 - r->slide.reach, SF_MIN(p->front1, r->slide.high) - r->slide.reach), w->number);
    if (s->ends) rows_mark(e, w->base, rows_between(r, r->slide.base, r->slide.high), LIVE);
    SF_TRY(stream_send(e, r->from));
    slab_out(e, r, c, w, s->segment->lag[r->slide.dir]);
    return r->near_number > 0 && e->stream.number >= r->near_number + LATER ? near_send(e, r) : SF_OK;
}

/* ---- passes ------------------------------------------------------------------------------------------------------- */

/* A pass that follows no other: the state is what the host has. */
static int stream_begin(struct engine *e)
{
    struct engine_stream *const x = &e->stream;
    for (int lane = 0; lane < LANES; lane++) SF_TRY(e->backend->sync((enum lane)lane));
    if (x->flows && e->comm.size > 1 && x->awaits) SF_TRY(engine_halo_end(e, &x->halo[x->turn], &e->state->host.s, !x->dir));
    SF_TRY(engine_exchange(e, &x->halo[x->turn], &e->state->host.s));
    profiles_share(e);
    x->awaits = x->dir = x->home = 0;
    x->have = (struct span_rows){0, 0};
    if (x->left) memset(x->left, 0, (size_t)e->slot_rows * sizeof *x->left);
    return SF_OK;
}

static struct stream stream_make(struct engine *e, const struct plan *p, long step, int flush)
{
    const struct state *st = e->state;
    const struct engine_stream *x = &e->stream;
    const int mirror = st->ja + st->jb - 1;
    struct stream r = {.plan = p, .step = step, .home = x->home, .from = &st->host.s, .to = e->leave ? &e->leave_to : &st->host.s};
    r.slide = slide_begin(x->dir, mirror, st->ja - e->gs, st->jb + e->gn, e->slabs, 2 * e->gj, e->edge, e->slot_rows, e->slot[0].s.j0,
                            x->have);
    r.own = rows_of(&r, (struct span_rows){st->ja, st->jb});
    r.out = rows_of(&r, (struct span_rows){e->seam_s ? st->ja : st->ja - e->gs, e->seam_n ? st->jb : st->jb + e->gn});
    r.out_next = r.out.a;
    /* Other ranks have made those beyond the far side anew. */
    if (e->comm.size > 1 && has_seam(e, !x->dir)) r.slide.held = SF_MIN(r.slide.held, r.own.b);
    r.stay = (struct span_rows){r.slide.high, r.slide.high};
    if (x->flows) r.stay = rows_of(&r, slide_end(r.slide, 0));
    r.flush = flush || !x->flows;
    return r;
}

/* The far side's ghost rows that come from other ranks, before they are wanted. */
static int far_take(struct engine *e, struct stream *r, int c)
{
    struct engine_stream *const x = &e->stream;
    if (!x->awaits || slide_edge(&r->slide, c + 1) <= r->own.b) return SF_OK;
    x->awaits = 0;
    const double began = seconds_now();
    SF_TRY(engine_halo_end(e, &x->halo[x->turn], r->from, !r->slide.dir));
    halo_waited(e, r->step, began);
    return SF_OK;
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

static int pass_end(struct engine *e, struct stream *r, int first)
{
    struct engine_stream *const x = &e->stream;
    const struct window *const w = &r->window[(e->slabs - 1) & 1];
    struct slab to = *r->to;
    if (r->next) {
        if (r->near_number > 0) SF_TRY(near_send(e, r));
        sources_out(e, r, w);
    }
    if (r->to != r->from) host_switch(e);
    r->to = r->from = &to;
    banks_settle(e, r->plan, &e->slot[0]);
    if (!x->flows) {
        whole_transfer(e, &(struct transfer){.host = r->to, .device = &e->slot[0].s, .plan = r->plan, .out = 1});
        return e->backend->sync(LANE_OUT);
    }
    x->turn = !x->turn; /* the pass to come */
    if (r->next && !r->near_number) SF_TRY(stream_send(e, r->to)); /* the others begin with rows that have only now gone out */
    SF_TRY(seams_end(e, r, first));
    x->awaits = r->next != NULL;
    x->dir = !x->dir;
    x->have = rows_of(r, r->stay);
    return SF_OK;
}

static int pass_skewed(struct engine *e, struct engine_pass *p, long step, const double *time, double dt, int flush)
{
    struct engine_stream *const x = &e->stream;
    const int follows = x->have.a < x->have.b;
    if (!follows) SF_TRY(stream_begin(e));
    struct stream r = stream_make(e, &p->plan, step, flush);
    if (x->flows && e->comm.size > 1) {
        r.next = &x->halo[!x->turn];
        SF_TRY(halo_begin(r.next));
    }
    if (follows) {
        rows_mark(e, e->slot[0].s.j0, rows_between(&r, r.slide.held, r.slide.high), x->number);
        seams_begin(e, &r);
    }
    else whole_transfer(e, &(struct transfer){.host = r.from, .device = &e->slot[0].s, .plan = r.plan});
    struct sweep s = {.plan = &p->plan, .segment = &p->plan.segment[0], .lay = &e->state->host.lay, .window = e->opt.window_rows,
                      .levels = e->opt.window_levels, .dir = x->dir, .low = e->state->ja, .high = e->state->jb, .seam_low = e->seam_s,
                      .seam_high = e->seam_n, .step = step, .time = time, .dt = dt};
    const int first = x->number + 1;
    sweep_clip(e, &s);
    for (int c = 0; c <= e->slabs; c++) { /* one slab ahead of computing */
        if (c < e->slabs) SF_TRY(far_take(e, &r, c));
        if (c < e->slabs) SF_TRY(slab_in(e, &r, c));
        if (c > 0) SF_TRY(slab_compute(e, &r, c - 1, &s));
    }
    return pass_end(e, &r, first);
}

/* ---- between passes ------------------------------------------------------------------------------------------------ */

struct engine_schedule engine_schedule(const struct engine *e)
{
    const struct plan *p = &e->pass[0].plan;
    const struct state *st = e->state;
    const int low = st->ja - e->gs, high = st->jb + e->gn, mirror = st->ja + st->jb - 1;
    struct engine_schedule s = {.rows = (high - low + e->slabs - 1) / e->slabs, .rows_on_device = e->slot_rows, .skew = e->edge};
    if (!is_flowing(e)) {
        s.in = (double)rows_bytes(e, p, low, high, 0), s.out = (double)rows_bytes(e, p, st->ja, st->jb, 1);
        return s;
    }
    struct span_rows have = {0, 0};
    int base = 0;
    for (int n = 0; n < 3; n++) { /* the first brings all; the mean of the other two */
        struct slide x = slide_begin(n & 1, mirror, low, high, e->slabs, 2 * e->gj, e->edge, e->slot_rows, base, have);
        have = slide_end(x, 0);
        for (int c = 0; c < e->slabs; c++) {
            const struct span_rows j = rows_turned(x.dir, mirror, slide_next(&x, c).comes);
            if (n) s.in += 0.5 * (double)rows_bytes(e, p, j.a, SF_MAX(j.a, j.b), 0);
        }
        base = slide_row(&x, x.base);
        if (n) s.out += 0.5 * (double)(rows_bytes(e, p, st->ja, st->jb, 1) - rows_bytes(e, p, SF_MAX(have.a, st->ja), SF_MIN(have.b, st->jb), 1));
    }
    return s;
}

void stream_fetch(struct engine *e)
{
    whole_transfer(e, &(struct transfer){.host = &e->state->host.s, .device = &e->slot[0].s, .plan = &e->pass[0].plan, .out = 1,
                                         .settled = 1});
}

void stream_poison(struct engine *e, const struct plan *p)
{
    const struct slab *s = &e->slot[0].s;
    const struct span_rows have = e->stream.have;
    for (int lane = 0; lane < LANES; lane++) e->backend->sync((enum lane)lane);
    for (int id = 0; id < p->nids; id++) {
        const int kept = id == p->field_of[id] && is_carried(&e->in->field[id]);
        if (kept && stays_whole(e, &p->form[id])) continue;
        rows_poison(e, s, &p->form[id], id, s->j0, kept ? have.a : s->j0 + s->rows);
        if (kept) rows_poison(e, s, &p->form[id], id, have.b, s->j0 + s->rows);
    }
}

/* ---- overlapped slabs: each by itself, in a slot of its own --------------------------------------------------------- */

static int own_edge(const struct engine *e, int s)
{
    const struct state *st = e->state;
    return s == e->slabs ? st->jb : st->ja + (int)((long long)(st->jb - st->ja) * s / e->slabs);
}

static void overlapped_in(struct engine *e, const struct stream *r, int c)
{
    const int low = e->state->ja - e->gs, high = e->state->jb + e->gn;
    const int j0 = c ? SF_MAX(own_edge(e, c) - r->plan->south, low) : low;
    const int j1 = c + 1 < e->slabs ? SF_MIN(own_edge(e, c + 1) + r->plan->north, high) : high;
    struct storage *const slot = &e->slot[c % ENGINE_SLOTS];
    const int number = ++e->stream.number;
    storage_place(slot, j0);
    slab_wait(e, LANE_IN, LANE_OUT, number - ENGINE_SLOTS);
    const int mark = lane_mark(e, LANE_IN);
    rows_transfer(e, &(struct transfer){.host = r->from, .device = &slot->s, .plan = r->plan}, j0, j1);
    lane_mark_end(e, mark, &(struct span){.lane = SPAN_IN, .slab = c, .step = r->step, .j0 = j0, .j1 = j1,
                                          .bytes = (double)rows_bytes(e, r->plan, j0, j1, 0)});
    e->backend->record(LANE_IN, number % BACKEND_RING);
}

static int overlapped_compute(struct engine *e, struct stream *r, int c, struct sweep *w)
{
    struct slab *const slot = &e->slot[c % ENGINE_SLOTS].s;
    const int last = c + 1 == e->slabs, number = e->stream.number - !last;
    w->low = own_edge(e, c), w->high = own_edge(e, c + 1);
    w->seam_low = c > 0 || e->seam_s, w->seam_high = !last || e->seam_n;
    w->front0 = w->low - w->segment->south, w->front1 = w->high + w->segment->north + 1;
    w->starts = w->ends = 1, w->slab = slot;
    slab_wait(e, LANE_COMPUTE, LANE_IN, number);
    int mark = lane_mark(e, LANE_COMPUTE);
    SF_TRY(sweep_run(e, w));
    lane_mark_end(e, mark, &(struct span){.lane = SPAN_COMPUTE, .slab = c, .step = r->step, .j0 = w->low, .j1 = w->high});
    const struct span_rows j = {c == 0 ? r->out.a : w->low, last ? r->out.b : w->high};
    e->backend->record(LANE_COMPUTE, number % BACKEND_RING);
    slab_wait(e, LANE_OUT, LANE_COMPUTE, number);
    slab_wait(e, LANE_OUT, LANE_IN, e->stream.number); /* rows that go out are read by the next slab as they were */
    mark = lane_mark(e, LANE_OUT);
    rows_transfer(e, &(struct transfer){.host = r->to, .device = slot, .plan = r->plan, .out = 1}, j.a, j.b);
    lane_mark_end(e, mark, &(struct span){.lane = SPAN_OUT, .slab = c, .step = r->step, .j0 = j.a, .j1 = j.b,
                                          .bytes = (double)rows_bytes(e, r->plan, j.a, j.b, 1)});
    e->backend->record(LANE_OUT, number % BACKEND_RING);
    return SF_OK;
}

static int pass_overlapped(struct engine *e, struct engine_pass *p, long step, const double *time, double dt)
{
    SF_TRY(stream_begin(e));
    struct stream r = stream_make(e, &p->plan, step, 1);
    struct sweep s = {.plan = &p->plan, .segment = &p->plan.segment[0], .lay = &e->state->host.lay, .window = e->opt.window_rows,
                      .levels = e->opt.window_levels, .step = step, .time = time, .dt = dt};
    sweep_clip(e, &s);
    for (int c = 0; c <= e->slabs; c++) { /* one slab ahead of computing */
        if (c < e->slabs) overlapped_in(e, &r, c);
        if (c > 0) SF_TRY(overlapped_compute(e, &r, c - 1, &s));
    }
    return e->backend->sync(LANE_OUT);
}

int pass_streamed(struct engine *e, struct engine_pass *p, long step, const double *time, double dt, int flush)
{
    return e->opt.overlapped ? pass_overlapped(e, p, step, time, dt) : pass_skewed(e, p, step, time, dt, flush);
}
