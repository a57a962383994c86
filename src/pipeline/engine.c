/* The schedule at work. SPDX-License-Identifier: MIT */
#include "pipeline/engine.h"

#include "pipeline/backend.h"
#include "pipeline/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_thread_num(void) { return 0; }
static int omp_get_num_threads(void) { return 1; }
#endif

enum { COLUMNS_PER_THREAD = 32, COLUMN_GRAIN = 16, ROWS_PER_THREAD = 8 };

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- a thread's share of the i-k plane and of the rows of a window ---- */

struct share {
    int id, ni_parts, nj_parts, i0, i1; /* columns */
    int part_j;                         /* -1: nothing to do */
};

/* Rows are shared where there are enough: threads that share a row fetch each other's lines ahead (two threads on two cores:
 * 36 Mpoint-steps/s by rows, 17 by columns, 22 with one). */
static struct share share_of(int thread, int threads, int ni, int nj)
{
    struct share s = {.id = thread, .part_j = -1};
    s.ni_parts = nj >= ROWS_PER_THREAD * threads ? 1 : SF_MIN(threads, SF_MAX(1, ni / COLUMNS_PER_THREAD));
    s.nj_parts = threads / s.ni_parts;
    const int p = thread % s.ni_parts;
    if (thread / s.ni_parts < s.nj_parts) s.part_j = thread / s.ni_parts;
    const int grains = (ni + COLUMN_GRAIN - 1) / COLUMN_GRAIN;
    s.i0 = SF_MIN(ni, grains * p / s.ni_parts * COLUMN_GRAIN);
    s.i1 = p + 1 == s.ni_parts ? ni : SF_MIN(ni, grains * (p + 1) / s.ni_parts * COLUMN_GRAIN);
    return s;
}

/* What one op touches of a thread's columns stays in the second-level cache for the next op. Best of 1 to 12 rows for the
 * weather model on a core with 2 MiB: 6 to 8 at 64 columns of 64 levels, 4 to 6 at 128, 3 at 256; within 10 % of each other. */
int engine_window(const struct engine *e, const struct layout *l)
{
    enum { CACHE_ASSUMED = 1 << 20, LEAST = 4, MOST = 8 };
    const struct plan *p = &e->pass[0].plan;
    const struct share share = share_of(0, e->opt.threads, l->ni, l->nj);
    long cache = 0;
    int most = 1;
#ifdef _SC_LEVEL2_CACHE_SIZE
    cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    for (int n = 0; n < p->nops; n++) {
        int fields = 0;
        for (int a = 0; a < p->op[n].naccess; a++) fields += p->shape[p->op[n].access[a].id] == SHAPE_FULL;
        most = SF_MAX(most, fields);
    }
    const double row = (double)most * (double)layout_row_bytes(l, SHAPE_FULL) / share.ni_parts;
    const double rows = (double)(cache > 0 ? cache : CACHE_ASSUMED) / row;
    return (rows > MOST ? MOST : SF_MAX((int)(rows + 0.5), LEAST)) * share.nj_parts;
}

/* ---- one op on some rows ---- */

struct sweep {
    const struct plan *plan;
    const struct plan_segment *segment;
    const struct slab *slab;
    const struct layout *lay;
    const struct halo *wrap;      /* to copy before the sweep */
    struct halo *trailing, *next; /* to wait for before the far end is read; to send as rows become final */
    int dir;
    int front0, front1; /* rows of the front, in the direction of the sweep */
    int starts, ends;   /* 1: ops begin at their first row / run on to their last */
    int window;
    int low, high;      /* own rows of the slab: ops compute low - south .. high + north, */
    int clip_low, clip_high; /* but no rows outside of these */
    int seam_low, seam_high; /* 1: rows beyond low, high are computed */
    int mirror;         /* row j is at mirror - j in a sweep south */
    long step;
    const double *time;
    double dt;
};

static void rows_of_op(const struct sweep *w, const struct plan_op *o, int *j0, int *j1)
{
    *j0 = w->seam_low ? SF_MAX(w->low - o->south, w->clip_low) : w->low;
    *j1 = w->seam_high ? SF_MIN(w->high + o->north, w->clip_high) : w->high;
}

static void op_run(struct engine *e, const struct sweep *w, const struct plan_op *o, const struct share *mine, int j0, int j1)
{
    const int rows = j1 - j0, p = mine->part_j, last = mine->i1 == w->lay->ni;
    const int r0 = j0 + rows * p / mine->nj_parts, r1 = j0 + rows * (p + 1) / mine->nj_parts;
    if (r0 >= r1 || mine->i0 >= mine->i1) return;
    /* A stage sees what it declared and nothing else. */
    const struct slab *all = w->slab;
    struct slab view = {.sk = all->sk, .sj = all->sj, .sm = all->sm, .ni = all->ni, .nk = all->nk, .nj = all->nj,
                        .j0 = all->j0, .rows = all->rows};
    for (int n = 0; n < o->naccess; n++) {
        const int id = o->access[n].id, f = w->plan->field_of[id], written = o->access[n].mode != ACCESS_READ;
        if (written) view.w[f] = all->f[id];
        if (!written || !view.f[f]) view.f[f] = all->f[id];
    }
    const struct call call = {.dt = (real)(w->dt * o->op.dt_factor), .arg = o->op.arg, .member = o->op.member,
                              .step = w->step + o->step, .time = w->time[o->step], .ctx = e->in->ctx,
                              .work = e->work[mine->id]};
    /* Faces beyond the last cell go with that cell: where a field owns none, they are ghosts that are filled from it. */
    const struct box box = {.i0 = mine->i0, .i1 = mine->i1 + (last && o->stage->extend && e->extend_e), .k0 = 0,
                            .k1 = w->lay->nk, .j0 = r0,
                            .j1 = r1 + (r1 == w->lay->nj && o->stage->extend && e->extend_n)};
    o->stage->run(&view, box, &call);
    for (int n = 0; n < o->nfill; n++)
        ghost_fill(w->slab, w->lay, w->plan->shape[o->fill[n].id], o->fill[n].id, &e->maps[o->fill[n].field],
                   o->fill[n].depth, mine->i0, mine->i1 + (last && e->extend_e), r0, box.j1);
}

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
            ghost_fill_rows(&st->host.s, &st->host.lay, h->shape[x->id], x->id, y, x->to, x->to + x->rows);
            if (p->few_rows)
                ghost_fill_rows(&st->host.s, &st->host.lay, h->shape[x->id], x->id, y, st->ja,
                                st->jb + (st->jb == st->host.lay.nj));
        }
    return SF_OK;
}

/* ---- a sweep: windows of rows through all ops of a segment ---- */

/* Called by all threads of the team. Errors of exchanges are left in *rc by the main thread. */
static void sweep_team(struct engine *e, struct sweep *w, const struct share *mine, int *rc)
{
    const struct plan_segment *g = w->segment;
    const int dir = w->dir, last_front = w->front1 + (w->ends ? g->lag[dir] : 0);
    int waiting = w->trailing != NULL;
    if (w->wrap) {
        halo_wrap(w->wrap, w->slab, mine->id, e->barrier.threads);
        barrier_wait(&e->barrier);
    }
    for (int front = w->front0; front < last_front; front += w->window) {
        const int next = SF_MIN(front + w->window, w->ends ? INT_MAX : w->front1);
        if (waiting && next > w->high) { /* lags hold reads behind the front */
            waiting = 0;
            barrier_wait(&e->barrier);
#pragma omp master
            {
                const double t0 = seconds_now();
                if (!*rc) *rc = engine_halo_end(e, w->trailing, !dir);
                e->halo_wait_seconds += seconds_now() - t0;
            }
            barrier_wait(&e->barrier);
        }
        for (int n = g->op0; n < g->op1; n++) {
            const struct plan_op *o = &w->plan->op[n];
            if (o->op.every > 1 && (w->step + o->step) % o->op.every) continue;
            int j0, j1;
            rows_of_op(w, o, &j0, &j1);
            const int lag = o->lag[dir];
            int q0 = dir ? w->mirror - j1 + 1 : j0, q1 = dir ? w->mirror - j0 + 1 : j1;
            if (!(w->starts && front == w->front0)) q0 = SF_MAX(q0, front - lag);
            q1 = SF_MIN(q1, next - lag);
            if (q0 >= q1) continue;
            const double t0 = e->opt.timing && mine->id == 0 ? seconds_now() : 0;
            if (mine->part_j >= 0) op_run(e, w, o, mine, dir ? w->mirror - q1 + 1 : q0, dir ? w->mirror - q0 + 1 : q1);
            barrier_wait(&e->barrier);
            if (e->opt.timing && mine->id == 0) {
                struct engine_stage_time *t = &e->stage_time[o->op.stage];
                t->seconds += seconds_now() - t0;
                t->points += (double)(q1 - q0) * w->lay->ni * w->lay->nk;
            }
        }
#pragma omp master
        {
            const int done = next - g->lag[dir]; /* rows before it are final */
            if (w->next && !*rc)
                *rc = halo_send(w->next, w->slab, dir ? w->mirror - done + 1 : w->low, dir ? w->high : SF_MIN(done, w->high));
            if (w->trailing && !*rc) *rc = halo_progress(w->trailing);
        }
    }
    if (waiting) {
#pragma omp master
        if (!*rc) *rc = engine_halo_end(e, w->trailing, !dir);
        barrier_wait(&e->barrier);
    }
}

static int sweep_run(struct engine *e, struct sweep *w)
{
    int rc = SF_OK;
    w->mirror = w->low + w->high - 1;
#pragma omp parallel num_threads(e->opt.threads)
    {
#pragma omp single
        barrier_init(&e->barrier, omp_get_num_threads());
        const struct share mine = share_of(omp_get_thread_num(), omp_get_num_threads(), w->lay->ni, w->lay->nj);
        sweep_team(e, w, &mine, &rc);
    }
    return rc;
}

/* ---- resident: one slab that stays ---- */

/* Rows that exist on a rank: own, ghost, and those beyond a physical side. */
static void clips_set(const struct engine *e, struct sweep *w)
{
    w->clip_low = e->periodic ? INT_MIN / 2 : 0;
    w->clip_high = e->periodic ? INT_MAX / 2 : w->lay->nj;
}

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
    clips_set(e, &w);
    w.front0 = st->ja - SF_MAX(g->south, g->north);
    w.front1 = st->jb + SF_MAX(g->south, g->north) + 1;
    w.window = e->opt.window_rows;
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

/* ---- streamed: many slabs through slots ---- */

static int is_carried(const struct field *f) { return field_is_kept(f) || f->role == ROLE_STATIC; }

/* Rows [j0, j1) of every field that lives on the host: in, or of kept fields out. */
static void rows_transfer(const struct engine *e, const struct plan *p, struct slab *slot, int j0, int j1, int out)
{
    const struct layout *l = &e->state->host.lay;
    if (j0 >= j1) return;
    for (int f = 0; f < e->in->nfields; f++) {
        const struct field *x = &e->in->field[f];
        if (x->shape == SHAPE_LEVELS || !(out ? field_is_kept(x) : is_carried(x))) continue;
        const size_t bytes = (size_t)(j1 - j0) * layout_row_bytes(l, x->shape);
        real *host = storage_row(&e->state->host.s, l, x->shape, f, j0);
        if (out) backend_cpu.copy_out(host, storage_row(slot, l, x->shape, p->last_id[f], j0), bytes);
        else backend_cpu.copy_in(storage_row(slot, l, x->shape, f, j0), host, bytes);
    }
}

/* Skewed slabs: the rows behind the front, at whatever level each field has them there, go on to the next slot. */
static void edge_carry(const struct engine *e, const struct plan *p, const struct slab *from, const struct slab *to, int j0,
                       int j1)
{
    const struct layout *l = &e->state->host.lay;
    j0 = SF_MAX(j0, SF_MAX(from->j0, to->j0));
    for (int id = 0; id < p->nids; id++)
        if (p->shape[id] != SHAPE_LEVELS && j0 < j1)
            backend_cpu.copy_within(storage_row(to, l, p->shape[id], id, j0), storage_row(from, l, p->shape[id], id, j0),
                                    (size_t)(j1 - j0) * layout_row_bytes(l, p->shape[id]));
}

/* Where slab s of n begins, of rows [low, high). The last is `more` rows longer. */
static int slab_edge(int low, int high, int s, int n, int more)
{
    return s == n ? high : low + (int)((long long)(high - more - low) * s / n);
}

struct stream {
    int low, high;   /* rows that come in: own, ghost, beyond physical sides */
    int out_low, out_high; /* rows that go out: own and beyond physical sides */
};

static struct stream stream_of(const struct engine *e, const struct plan *p)
{
    const struct state *st = e->state;
    struct stream r;
    r.low = e->seam_s ? st->ja - SF_MAX(p->south, 0) : -e->gj;
    r.high = e->seam_n ? st->jb + p->north : st->jb + e->gj;
    if (!e->periodic) {
        r.low = SF_MAX(r.low, -e->gj);
        r.high = SF_MIN(r.high, st->host.lay.nj + e->gj);
    }
    r.out_low = e->seam_s ? st->ja : r.low;
    r.out_high = e->seam_n ? st->jb : r.high;
    return r;
}

static void slot_place(struct engine *e, int s, int j0)
{
    struct slab *slot = &e->slot[s % ENGINE_SLOTS].s;
    slot->j0 = j0;
}

/* Profiles are not cut in rows: every slot has them whole. */
static void profiles_share(struct engine *e)
{
    const struct layout *l = &e->state->host.lay;
    for (int f = 0; f < e->in->nfields; f++)
        if (e->in->field[f].shape == SHAPE_LEVELS)
            for (int n = 0; n < ENGINE_SLOTS; n++)
                backend_cpu.copy_in(e->slot[n].s.f[f] - l->gk, e->state->host.s.f[f] - l->gk,
                                    (size_t)(l->nk + 1 + 2 * l->gk) * sizeof(real));
}

static int pass_streamed(struct engine *e, struct engine_pass *p, long step, const double *time, double dt)
{
    const struct plan_segment *g = &p->plan.segment[0];
    const struct state *st = e->state;
    const struct stream r = stream_of(e, &p->plan);
    /* Rows beyond the northern side are made from as many inside it, by one and the same slab: the last. */
    const int skewed = !e->opt.overlapped, slabs = e->slabs, more = 2 * e->gj;
    if (g->nhalo) {
        SF_TRY(halo_begin(&p->halo[0]));
        SF_TRY(halo_send(&p->halo[0], &st->host.s, INT_MIN, INT_MAX));
        halo_wrap(&p->halo[0], &st->host.s, 0, 1);
        SF_TRY(engine_halo_end(e, &p->halo[0], 0));
        SF_TRY(engine_halo_end(e, &p->halo[0], 1));
    }
    profiles_share(e);
    struct sweep w = {.plan = &p->plan, .segment = g, .lay = &st->host.lay, .step = step, .time = time, .dt = dt};
    clips_set(e, &w);
    w.window = e->opt.window_rows;
    int out_next = r.out_low;
    for (int s = 0; s <= slabs; s++) {
        if (s < slabs) { /* the lane in: one slab ahead of computing */
            struct slab *slot = &e->slot[s % ENGINE_SLOTS].s;
            int in0, in1;
            if (skewed) {
                in0 = slab_edge(r.low, r.high, s, slabs, more);
                in1 = slab_edge(r.low, r.high, s + 1, slabs, more);
                slot_place(e, s, in0 - e->edge);
            } else {
                in0 = s ? slab_edge(st->ja, st->jb, s, slabs, 0) - p->plan.south : r.low;
                in1 = s + 1 < slabs ? slab_edge(st->ja, st->jb, s + 1, slabs, 0) + p->plan.north : r.high;
                in0 = SF_MAX(in0, r.low);
                in1 = SF_MIN(in1, r.high);
                slot_place(e, s, in0);
            }
            backend_cpu.wait(LANE_IN, s % ENGINE_SLOTS);
            rows_transfer(e, &p->plan, slot, in0, in1, 0);
            backend_cpu.record(LANE_IN, s % ENGINE_SLOTS);
        }
        if (s == 0) continue;
        const int c = s - 1; /* the slab that is computed now */
        struct slab *slot = &e->slot[c % ENGINE_SLOTS].s;
        backend_cpu.wait(LANE_COMPUTE, c % ENGINE_SLOTS);
        w.slab = slot;
        int out0, out1;
        if (skewed) {
            w.low = st->ja, w.high = st->jb, w.seam_low = e->seam_s, w.seam_high = e->seam_n;
            w.front0 = slab_edge(r.low, r.high, c, slabs, more);
            w.front1 = slab_edge(r.low, r.high, c + 1, slabs, more);
            w.starts = c == 0, w.ends = c + 1 == slabs;
            out0 = out_next;
            out1 = c + 1 == slabs ? r.out_high : SF_MIN(r.out_high, w.front1 - g->lag[0]);
            if (c + 1 < slabs && out1 <= r.out_low + 2 * e->gj) out1 = out0; /* rows beyond the side may still change */
            out_next = SF_MAX(out0, out1);
        } else {
            w.low = slab_edge(st->ja, st->jb, c, slabs, 0), w.high = slab_edge(st->ja, st->jb, c + 1, slabs, 0);
            w.seam_low = c > 0 || e->seam_s, w.seam_high = c + 1 < slabs || e->seam_n;
            w.front0 = w.low - g->south, w.front1 = w.high + g->north + 1;
            w.starts = w.ends = 1;
            out0 = c == 0 ? r.out_low : w.low;
            out1 = c + 1 == slabs ? r.out_high : w.high;
        }
        SF_TRY(sweep_run(e, &w));
        if (skewed && c + 1 < slabs)
            edge_carry(e, &p->plan, slot, &e->slot[(c + 1) % ENGINE_SLOTS].s, w.front1 - e->edge, w.front1);
        backend_cpu.record(LANE_COMPUTE, c % ENGINE_SLOTS);
        backend_cpu.wait(LANE_OUT, c % ENGINE_SLOTS);
        rows_transfer(e, &p->plan, slot, out0, out1, 1);
        backend_cpu.record(LANE_OUT, c % ENGINE_SLOTS);
    }
    backend_cpu.sync();
    return SF_OK;
}

/* ---- for tests: NaN wherever the plan promises that nothing is read before it is written ---- */

static void rows_poison(const struct slab *s, const struct layout *l, enum shape shape, int id, int j0, int j1)
{
    if (shape == SHAPE_LEVELS || !s->f[id] || j0 >= j1) return;
    real *at = storage_row(s, l, shape, id, j0);
    const size_t n = (size_t)(j1 - j0) * layout_row_bytes(l, shape) / sizeof *at;
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
            rows_poison(s, &st->host.lay, p->shape[id], id, first, last);
            continue;
        }
        /* Rows beyond a physical side are the field's; those of neighbours come with the exchange. */
        const int low = e->seam_s ? st->ja : first, high = e->seam_n ? st->jb : last;
        rows_poison(s, &st->host.lay, p->shape[id], id, first, low);
        rows_poison(s, &st->host.lay, p->shape[id], id, high, last);
    }
    for (int n = 0; n < ENGINE_SLOTS && e->slabs > 1; n++)
        for (int id = 0; id < p->nids; id++)
            rows_poison(&e->slot[n].s, &st->host.lay, p->shape[id], id, e->slot[n].s.j0,
                        e->slot[n].s.j0 + e->slot[n].s.rows);
}

int engine_run(struct engine *e, long step, const double *time, double dt, int steps)
{
    while (steps > 0) {
        struct engine_pass *p = steps >= e->pass[0].plan.steps ? &e->pass[0] : &e->pass[1];
        if (e->opt.poison) poison(e, &p->plan);
        if (e->slabs > 1) SF_TRY(pass_streamed(e, p, step, time, dt));
        else SF_TRY(pass_resident(e, p, step, time, dt));
        step += p->plan.steps;
        time += p->plan.steps;
        steps -= p->plan.steps;
    }
    return SF_OK;
}
