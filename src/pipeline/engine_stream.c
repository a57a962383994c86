/* Many slabs through slots: one comes in while the one before it is computed and the one before that goes out.
 * SPDX-License-Identifier: MIT */
#include "pipeline/engine_parts.h"

#include "pipeline/backend.h"
#include "pipeline/error.h"

static int is_carried(const struct field *f) { return field_is_kept(f) || f->role == ROLE_STATIC; }

/* Rows [j0, j1) of every field that lives on the host: in, or of kept fields out. */
static void rows_transfer(const struct engine *e, const struct plan *p, struct slab *slot, int j0, int j1, int out)
{
    const struct layout *l = &e->state->host.lay;
    for (int f = 0; f < e->in->nfields; f++) {
        const struct field *x = &e->in->field[f];
        const struct form *form = &p->form[f];
        int first = j0, last = j1;
        if (!(out ? field_is_kept(x) : is_carried(x)) || !form_rows(form, l->nj, &first, &last)) continue;
        const size_t bytes = (size_t)(last - first) * layout_row_bytes(l, form);
        if (!bytes) continue;
        void *host = storage_row(&e->state->host.s, l, form, f, first);
        if (out) e->backend->copy_out(host, storage_row(slot, l, form, p->last_id[f], first), bytes);
        else e->backend->copy_in(storage_row(slot, l, form, f, first), host, bytes);
    }
}

/* Skewed slabs: the rows behind the front, at whatever level each field has them there, go on to the next slot. */
static void edge_carry(const struct engine *e, const struct plan *p, const struct slab *from, const struct slab *to, int j0,
                       int j1)
{
    const struct layout *l = &e->state->host.lay;
    for (int id = 0; id < p->nids; id++) {
        int first = SF_MAX(j0, SF_MAX(from->j0, to->j0)), last = j1;
        if (!form_rows(&p->form[id], l->nj, &first, &last)) continue;
        const size_t bytes = (size_t)(last - first) * layout_row_bytes(l, &p->form[id]);
        if (bytes) e->backend->copy_within(&(struct backend_copy){storage_row(to, l, &p->form[id], id, first), storage_row(from, l, &p->form[id], id, first), bytes}, 1);
    }
}

/* Where slab s of n begins, of rows [low, high). The last is `more` rows longer. */
static int slab_edge(int low, int high, int s, int n, int more)
{
    return s == n ? high : low + (int)((long long)(high - more - low) * s / n);
}

struct stream {
    const struct plan *plan;
    int low, high;         /* rows that come in: own, ghost, beyond physical sides */
    int out_low, out_high; /* rows that go out: own and beyond physical sides */
    int out_next;          /* the first that has not gone out: of skewed slabs */
};

static struct stream stream_of(const struct engine *e, const struct plan *p)
{
    const struct state *st = e->state;
    struct stream r = {.plan = p};
    r.low = e->seam_s ? st->ja - SF_MAX(p->south, 0) : -e->gj;
    r.high = e->seam_n ? st->jb + p->north : st->jb + e->gj;
    if (!e->periodic) {
        r.low = SF_MAX(r.low, -e->gj);
        r.high = SF_MIN(r.high, st->host.lay.nj + e->gj);
    }
    r.out_low = e->seam_s ? st->ja : r.low;
    r.out_high = e->seam_n ? st->jb : r.high;
    r.out_next = r.out_low;
    return r;
}

/* Profiles are not cut in rows: every slot has them whole. */
static void profiles_share(struct engine *e)
{
    const struct layout *l = &e->state->host.lay;
    for (int f = 0; f < e->in->nfields; f++)
        if (e->in->field[f].shape == SHAPE_LEVELS)
            for (int n = 0; n < ENGINE_SLOTS; n++)
                e->backend->copy_in(e->slot[n].s.f[f] - l->gk, e->state->host.s.f[f] - l->gk,
                                    (size_t)(l->nk + 1 + 2 * l->gk) * sizeof(real));
}

/* Where the front of slab s of a skewed pass begins. Rows beyond the northern side are made from as many inside it, by one and
 * the same slab: the last. */
static int front_edge(const struct engine *e, const struct stream *r, int s)
{
    return slab_edge(r->low, r->high, s, e->slabs, 2 * e->gj);
}

/* Where overlapped slab s begins. */
static int own_edge(const struct engine *e, int s)
{
    return slab_edge(e->state->ja, e->state->jb, s, e->slabs, 0);
}

static struct storage *slot_of(struct engine *e, int s) { return &e->slot[s % ENGINE_SLOTS]; }

static void slab_in(struct engine *e, const struct stream *r, int s)
{
    struct storage *slot = slot_of(e, s);
    int in0, in1;
    if (!e->opt.overlapped) {
        in0 = front_edge(e, r, s);
        in1 = front_edge(e, r, s + 1);
        storage_place(slot, in0 - e->edge);
    } else {
        in0 = s ? SF_MAX(own_edge(e, s) - r->plan->south, r->low) : r->low;
        in1 = s + 1 < e->slabs ? SF_MIN(own_edge(e, s + 1) + r->plan->north, r->high) : r->high;
        storage_place(slot, in0);
    }
    e->backend->wait(LANE_IN, s % ENGINE_SLOTS);
    rows_transfer(e, r->plan, &slot->s, in0, in1, 0);
    e->backend->record(LANE_IN, s % ENGINE_SLOTS);
}

/* The sweep over skewed slab c, and the rows that are final after it. */
static void skewed_place(const struct engine *e, struct stream *r, int c, struct sweep *w, int *out0, int *out1)
{
    const struct state *st = e->state;
    const int last = c + 1 == e->slabs;
    w->low = st->ja, w->high = st->jb, w->seam_low = e->seam_s, w->seam_high = e->seam_n;
    w->front0 = front_edge(e, r, c);
    w->front1 = front_edge(e, r, c + 1);
    w->starts = c == 0, w->ends = last;
    *out0 = r->out_next;
    *out1 = last ? r->out_high : SF_MIN(r->out_high, w->front1 - w->segment->lag[0]);
    if (!last && *out1 <= r->out_low + 2 * e->gj) *out1 = *out0; /* rows beyond the side may still change */
    r->out_next = SF_MAX(*out0, *out1);
}

/* The same of an overlapped one. */
static void overlapped_place(const struct engine *e, const struct stream *r, int c, struct sweep *w, int *out0, int *out1)
{
    const int last = c + 1 == e->slabs;
    w->low = own_edge(e, c), w->high = own_edge(e, c + 1);
    w->seam_low = c > 0 || e->seam_s, w->seam_high = !last || e->seam_n;
    w->front0 = w->low - w->segment->south, w->front1 = w->high + w->segment->north + 1;
    w->starts = w->ends = 1;
    *out0 = c == 0 ? r->out_low : w->low;
    *out1 = last ? r->out_high : w->high;
}

static int slab_compute(struct engine *e, struct stream *r, int c, struct sweep *w)
{
    struct slab *slot = &slot_of(e, c)->s;
    const int skewed = !e->opt.overlapped;
    int out0, out1;
    e->backend->wait(LANE_COMPUTE, c % ENGINE_SLOTS);
    /* Overlapped: rows that go out are read by the next slab as they were. */
    if (!skewed && c + 1 < e->slabs) e->backend->wait(LANE_COMPUTE, (c + 1) % ENGINE_SLOTS);
    w->slab = slot;
    if (skewed) skewed_place(e, r, c, w, &out0, &out1);
    else overlapped_place(e, r, c, w, &out0, &out1);
    SF_TRY(sweep_run(e, w));
    if (skewed && c + 1 < e->slabs) edge_carry(e, r->plan, slot, &slot_of(e, c + 1)->s, w->front1 - e->edge, w->front1);
    e->backend->record(LANE_COMPUTE, c % ENGINE_SLOTS);
    e->backend->wait(LANE_OUT, c % ENGINE_SLOTS);
    rows_transfer(e, r->plan, slot, out0, out1, 1);
    e->backend->record(LANE_OUT, c % ENGINE_SLOTS);
    return SF_OK;
}

int pass_streamed(struct engine *e, struct engine_pass *p, long step, const double *time, double dt)
{
    const struct plan_segment *g = &p->plan.segment[0];
    struct stream r = stream_of(e, &p->plan);
    if (g->nhalo) SF_TRY(engine_exchange(e, &p->halo[0], &e->state->host.s));
    profiles_share(e);
    struct sweep w = {.plan = &p->plan, .segment = g, .lay = &e->state->host.lay, .window = e->opt.window_rows, .levels = e->opt.window_levels, .step = step,
                      .time = time, .dt = dt};
    sweep_clip(e, &w);
    for (int s = 0; s <= e->slabs; s++) {
        if (s < e->slabs) slab_in(e, &r, s); /* one slab ahead of computing */
        if (s > 0) SF_TRY(slab_compute(e, &r, s - 1, &w));
    }
    for (int lane = 0; lane < LANES; lane++) SF_TRY(e->backend->sync((enum lane)lane));
    return SF_OK;
}
