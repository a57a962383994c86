/* Passes over a slab that stays, segment by segment, and the exchanges between them. SPDX-License-Identifier: MIT */
#include "pipeline/engine_parts.h"

#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <limits.h>

/* ---- ghost rows of the rank ---- */

/* Rows beyond a side are made from what came, and where a rank has few rows from its own. */
int engine_halo_end(struct engine *e, struct halo *h, int side)
{
    const struct state *st = e->state;
    const struct plan *p = &e->pass[0].plan;
    SF_TRY(halo_end(h, &st->host.s, side));
    for (int m = 0; m < h->nrecv && !e->periodic; m++)
        for (int n = 0; n < h->recv[m].nparts && h->recv[m].side == side; n++) {
            const struct halo_part *x = &h->recv[m].part[n];
            const struct ghost_map *y = &e->maps[p->field_of[x->id]].y;
            const enum shape shape = h->form[x->id].shape;
            if ((shape != SHAPE_FULL && shape != SHAPE_MAP) || h->form[x->id].bytes) continue; /* nothing lies beyond them */
            ghost_fill_rows(&st->host.s, &st->host.lay, shape, x->id, y, x->to, x->to + x->rows);
            if (p->few_rows)
                ghost_fill_rows(&st->host.s, &st->host.lay, shape, x->id, y, st->ja, st->jb + (st->jb == st->host.lay.nj));
        }
    return SF_OK;
}

int engine_exchange(struct engine *e, struct halo *h)
{
    const struct slab *host = &e->state->host.s;
    SF_TRY(halo_begin(h));
    SF_TRY(halo_send(h, host, INT_MIN, INT_MAX));
    halo_wrap(h, host, 0, 1);
    SF_TRY(engine_halo_end(e, h, 0));
    return engine_halo_end(e, h, 1);
}

/* ---- resident: one slab that stays ---- */

static int segment_run(struct engine *e, struct engine_pass *p, int n, long step, const double *time, double dt)
{
    const struct plan_segment *g = &p->plan.segment[n];
    struct halo *now = g->nhalo ? &p->halo[n] : NULL;
    struct halo *next = n + 1 < p->plan.nsegments && p->plan.segment[n + 1].nhalo ? &p->halo[n + 1] : NULL;
    const int dir = e->direction, few = p->plan.few_rows;
    struct state *st = e->state;
    if (next) SF_TRY(halo_begin(next));
    if (now) {
        SF_TRY(halo_send(now, &st->host.s, INT_MIN, INT_MAX));
        const double t0 = seconds_now();
        SF_TRY(engine_halo_end(e, now, dir));
        if (few) SF_TRY(engine_halo_end(e, now, !dir)); /* one side's rows stand beyond the other */
        e->halo_wait_seconds += seconds_now() - t0;
    }
    struct sweep w = {.plan = &p->plan, .segment = g, .slab = &st->host.s, .lay = &st->host.lay, .wrap = now,
                      .trailing = few || !now || !now->nrecv ? NULL : now,
                      .next = next, .dir = dir, .starts = 1, .ends = 1, .low = st->ja, .high = st->jb,
                      .seam_low = e->seam_s, .seam_high = e->seam_n, .step = step, .time = time, .dt = dt};
    sweep_clip(e, &w);
    w.front0 = st->ja - SF_MAX(g->south, g->north);
    w.front1 = st->jb + SF_MAX(g->south, g->north) + 1;
    w.window = e->opt.window_rows;
    w.levels = e->opt.window_levels;
    SF_TRY(sweep_run(e, &w));
    e->direction = !dir;
    return SF_OK;
}

/* Fields with two banks end a pass in either: what is read next is the first. */
static void banks_settle(const struct engine *e, const struct plan *p, struct slab *s)
{
    for (int f = 0; f < e->in->nfields; f++) {
        if (p->last_id[f] == f) continue;
        real *const last = s->f[p->last_id[f]];
        s->f[p->last_id[f]] = s->f[f];
        s->f[f] = last;
    }
}

static int pass_resident(struct engine *e, struct engine_pass *p, long step, const double *time, double dt)
{
    if (p->plan.segment[0].nhalo) SF_TRY(halo_begin(&p->halo[0]));
    for (int n = 0; n < p->plan.nsegments; n++) SF_TRY(segment_run(e, p, n, step, time, dt));
    banks_settle(e, &p->plan, &e->state->host.s);
    return SF_OK;
}

/* ---- for tests: NaN wherever the plan promises that nothing is read before it is written ---- */

static void rows_poison(const struct slab *s, const struct layout *l, const struct form *form, int id, int j0, int j1)
{
    if (!s->f[id] || form->bytes || !form_rows(form, l->nj, &j0, &j1)) return;
    real *at = storage_row(s, l, form, id, j0);
    const size_t n = (size_t)(j1 - j0) * layout_row_bytes(l, form) / sizeof *at;
    for (size_t i = 0; i < n; i++) at[i] = (real)__builtin_nanf("");
}

static void poison(struct engine *e, const struct plan *p)
{
    const struct state *st = e->state;
    const struct slab *s = &st->host.s;
    for (int id = 0; id < p->nids; id++) {
        const struct field *f = &e->in->field[p->field_of[id]];
        const int first = s->j0, last = s->j0 + s->rows;
        if (f->role == ROLE_STATIC) continue;
        if (f->role == ROLE_SCRATCH || id != p->field_of[id]) {
            rows_poison(s, &st->host.lay, &p->form[id], id, first, last);
            continue;
        }
        /* Rows beyond a physical side are the field's; those of neighbours come with the exchange. */
        const int low = e->seam_s ? st->ja : first, high = e->seam_n ? st->jb : last;
        rows_poison(s, &st->host.lay, &p->form[id], id, first, low);
        rows_poison(s, &st->host.lay, &p->form[id], id, high, last);
    }
    for (int n = 0; n < ENGINE_SLOTS && e->slabs > 1; n++)
        for (int id = 0; id < p->nids; id++)
            rows_poison(&e->slot[n].s, &st->host.lay, &p->form[id], id, e->slot[n].s.j0,
                        e->slot[n].s.j0 + e->slot[n].s.rows);
}

int engine_run(struct engine *e, long step, const double *time, double dt, int steps)
{
    while (steps > 0) {
        struct engine_pass *p = steps >= e->pass[0].plan.steps ? &e->pass[0] : &e->pass[1];
        const struct model *m = e->in->model;
        if (e->opt.poison) poison(e, &p->plan);
        /* Rank by rank they may lack memory, and the others would wait for it. */
        if (m->prepare) SF_TRY(outcome_share(&e->comm, m->prepare(e->in, step, p->plan.steps, time, dt)));
        if (e->slabs > 1) SF_TRY(pass_streamed(e, p, step, time, dt));
        else SF_TRY(pass_resident(e, p, step, time, dt));
        if (m->collect) SF_TRY(outcome_share(&e->comm, m->collect(e->in, step, p->plan.steps)));
        step += p->plan.steps;
        time += p->plan.steps;
        steps -= p->plan.steps;
    }
    return SF_OK;
}
