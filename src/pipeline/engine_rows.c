/* Rows of a streamed pass between the host, the slots and within them. SPDX-License-Identifier: MIT */
#include "pipeline/engine_stream.h"

static int moves(const struct engine *e, const struct plan *p, int id, int out)
{
    return out ? goes_home(e, p, id) : is_brought(e, p, id);
}

static void rows_copy(const struct engine *e, const struct transfer *t, int f, int first, int last)
{
    const struct layout *l = &e->state->host.lay;
    const struct form *form = &t->plan->form[f];
    if (!form_rows(form, l->nj, &first, &last)) return;
    const size_t bytes = (size_t)(last - first) * layout_row_bytes(l, form);
    if (!bytes) return;
    void *const host = storage_row(t->host, l, form, f, first);
    void *const device = storage_row(t->device, l, form, f, first);
    if (t->out) e->backend->copy_out(host, device, bytes);
    else e->backend->copy_in(device, host, bytes);
}

size_t rows_bytes(const struct engine *e, const struct plan *p, int first, int last, int out)
{
    size_t bytes = 0;
    for (int f = 0; f < p->nids; f++) {
        int j0 = first, j1 = last;
        if (!moves(e, p, f, out) || stays_whole(e, &p->form[f])) continue;
        if (form_rows(&p->form[f], e->state->host.lay.nj, &j0, &j1))
            bytes += (size_t)(j1 - j0) * layout_row_bytes(&e->state->host.lay, &p->form[f]);
    }
    return bytes;
}

void rows_transfer(const struct engine *e, const struct transfer *t, int j0, int j1)
{
    const struct state *st = e->state;
    const int away = e->comm.size > 1, deep = e->stream.deep;
    for (int f = 0; f < t->plan->nids; f++) {
        if (!moves(e, t->plan, f, t->out)) continue;
        if (!stays_whole(e, &t->plan->form[f])) {
            rows_copy(e, t, f, j0, j1);
        } else if (away && t->out) {
            rows_copy(e, t, f, SF_MAX(j0, st->ja), SF_MIN(j1, st->ja + deep));
            rows_copy(e, t, f, SF_MAX(SF_MAX(j0, st->jb - deep), st->ja + deep), SF_MIN(j1, st->jb));
        } else if (away) {
            rows_copy(e, t, f, j0, SF_MIN(j1, st->ja));
            rows_copy(e, t, f, SF_MAX(j0, st->jb), j1);
        }
    }
}

void whole_transfer(const struct engine *e, const struct transfer *t)
{
    const struct slab *s = &e->state->host.s;
    for (int f = 0; f < t->plan->nids; f++) {
        if (!moves(e, t->plan, f, t->out) || !stays_whole(e, &t->plan->form[f])) continue;
        rows_copy(e, t, f, t->out ? e->state->ja : s->j0, t->out ? e->state->jb : s->j0 + s->rows);
    }
}

void profiles_share(struct engine *e)
{
    const struct layout *l = &e->state->host.lay;
    for (int f = 0; f < e->in->nfields; f++)
        if (e->in->field[f].shape == SHAPE_LEVELS)
            for (int n = 0; n < ENGINE_SLOTS && e->slot[n].arena; n++)
                e->backend->copy_in(e->slot[n].s.f[f] - l->gk, e->state->host.s.f[f] - l->gk,
                                    (size_t)(l->nk + 1 + 2 * l->gk) * sizeof(real));
}

void rows_within(const struct engine *e, const struct plan *p, const struct slab *to, const struct slab *from, int j0,
                 int j1, int shift)
{
    const struct layout *l = &e->state->host.lay;
    struct backend_copy copy[BACKEND_BATCH];
    int n = 0;
    for (int f = 0; f < e->in->nfields; f++) {
        int first = j0, last = j1;
        if (!field_is_kept(&e->in->field[f]) || !form_rows(&p->form[f], l->nj, &first, &last)) continue;
        const size_t bytes = (size_t)(last - first) * layout_row_bytes(l, &p->form[f]);
        if (!bytes) continue;
        copy[n++] = (struct backend_copy){storage_row(to, l, &p->form[f], f, first),
                                          storage_row(from, l, &p->form[f], f, first + shift), bytes};
        if (n == BACKEND_BATCH) e->backend->copy_within(copy, n), n = 0;
    }
    if (n) e->backend->copy_within(copy, n);
}

void rows_settle(const struct engine *e, const struct plan *p, const struct plan_op *o, const struct slab *s, int j0,
                 int j1)
{
    const struct layout *l = &e->state->host.lay;
    const int from = o->access[0].id, to = o->access[1].id;
    const struct form *const form = &p->form[to];
    const size_t bytes = form_rows(form, l->nj, &j0, &j1) ? (size_t)(j1 - j0) * layout_row_bytes(l, form) : 0;
    if (bytes)
        e->backend->copy_within(
            &(struct backend_copy){storage_row(s, l, form, to, j0), storage_row(s, l, form, from, j0), bytes}, 1);
}

double stream_home(struct engine *e)
{
    const struct state *st = e->state;
    const struct transfer t = {.host = &e->state->host.s, .device = &e->slot[0].s, .plan = &e->pass[0].plan, .out = 1};
    const struct span_rows j =
        rows_common(e->stream.have, e->seam_s ? st->ja : st->ja - e->gs, e->seam_n ? st->jb : st->jb + e->gn);
    whole_transfer(e, &t);
    if (j.a >= j.b) return 0;
    rows_transfer(e, &t, j.a, j.b);
    return (double)rows_bytes(e, t.plan, j.a, j.b, 1);
}

void stream_fetch(struct engine *e)
{
    trip_begin(e, LANE_OUT);
    trip_mark(e);
    const double bytes = stream_home(e);
    trip_end(e, bytes);
    e->lanes.fetched += bytes;
}

/* Of a storage that is folded, all its memory but that of rows `but`. */
static void fold_poison(const struct engine *e, const struct storage *st, int id, struct span_rows but)
{
    const struct form *const form = &st->form[id];
    const struct fold *const fold = &st->fold[id];
    const int some = form_rows(form, st->lay.nj, &but.a, &but.b);
    const size_t stays = some ? (size_t)(but.b - but.a) * layout_row_bytes(&st->lay, form) : 0;
    const char *const end = some ? storage_row(&st->s, &st->lay, form, id, but.b) : fold->at;
    char *const at = fold->at + (size_t)(end - fold->at) % fold->period;
    if (!form->bytes) reals_poison(e, (real *)(void *)at, (fold->period - stays) / sizeof(real), e->backend->is_device);
}

void stream_poison(struct engine *e, const struct plan *p)
{
    for (int n = 0; n < ENGINE_SLOTS && e->slot[n].arena; n++) {
        const struct storage *const st = &e->slot[n];
        const int first = st->s.j0, last = first + st->s.rows;
        for (int id = 0; id < p->nids; id++) {
            const int stays = e->stream.have.a < e->stream.have.b && is_brought(e, p, id);
            const struct span_rows but = stays ? e->stream.have : (struct span_rows){first, first};
            if (stays && stays_whole(e, &p->form[id])) continue;
            if (st->fold[id].period) {
                fold_poison(e, st, id, but);
                continue;
            }
            rows_poison(e, &st->s, &p->form[id], id, first, but.a);
            rows_poison(e, &st->s, &p->form[id], id, but.b, last);
        }
    }
}

void slab_transfer(struct engine *e, const struct transfer *t, int slab, long step, struct span_rows j)
{
    const int mark = lane_mark(e, t->out ? LANE_OUT : LANE_IN);
    if (j.a < j.b) rows_transfer(e, t, j.a, j.b);
    lane_mark_end(e, mark,
                  &(struct span){.lane = t->out ? SPAN_OUT : SPAN_IN,
                                 .slab = slab,
                                 .step = step,
                                 .j0 = j.a,
                                 .j1 = j.b,
                                 .bytes = (double)rows_bytes(e, t->plan, j.a, j.b, t->out)});
}
