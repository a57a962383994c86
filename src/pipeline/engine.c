/* Passes over a slab that stays, segment by segment, and the exchanges between them. SPDX-License-Identifier: MIT */
#include "pipeline/engine_parts.h"

#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* ---- ghost rows of the rank ---- */

static void rows_fill(const struct halo *h, const struct slab *s, enum shape shape, int id, const struct ghost_map *y,
                      int j0, int j1)
{
    if (h->on->is_device) h->on->ghost_rows(s, &h->lay, shape, id, y, j0, j1);
    else ghost_fill_rows(s, &h->lay, shape, id, y, j0, j1);
}

static void rows_make(const struct halo *h, const struct slab *s, enum shape shape, int id, const struct ghost_maker *m,
                      int j0, int j1)
{
    if (!m) return;
    if (h->on->is_device) h->on->make_rows(s, &h->lay, shape, id, m, j0, j1);
    else ghost_make_rows(s, &h->lay, shape, id, m, j0, j1);
}

/* Rows beyond a side are made from what came, and where a rank has few rows from its own. */
int engine_halo_end(struct engine *e, struct halo *h, const struct slab *s, int side)
{
    const struct state *st = e->state;
    const struct plan *p = &e->pass[0].plan;
    SF_TRY(halo_end(h, s, side));
    for (int m = 0; m < h->nrecv && !e->periodic; m++)
        for (int n = 0; n < h->recv[m].nparts && h->recv[m].side == side; n++) {
            const struct halo_part *x = &h->recv[m].part[n];
            const struct ghost_map *y = &e->maps[p->field_of[x->id]].y;
            const struct ghost_maker *const maker = e->maps[p->field_of[x->id]].maker;
            const enum shape shape = h->form[x->id].shape;
            if ((shape != SHAPE_FULL && shape != SHAPE_MAP) || h->form[x->id].bytes)
                continue; /* nothing lies beyond them */
            rows_fill(h, s, shape, x->id, y, x->to, x->to + x->rows);
            if (p->few_rows) rows_fill(h, s, shape, x->id, y, st->ja, st->jb + (st->jb == st->host.lay.nj));
            rows_make(h, s, shape, x->id, maker, x->to, x->to + x->rows);
            if (p->few_rows) rows_make(h, s, shape, x->id, maker, st->ja, st->jb);
        }
    return SF_OK;
}

int engine_exchange(struct engine *e, struct halo *h, const struct slab *s)
{
    SF_TRY(halo_begin(h));
    SF_TRY(halo_send(h, s, INT_MIN, INT_MAX));
    SF_TRY(halo_post(h, HALO_BOTH));
    halo_wrap(h, s, 0, 1);
    SF_TRY(engine_halo_end(e, h, s, 0));
    return engine_halo_end(e, h, s, 1);
}

/* ---- resident: one slab that stays ---- */

/* A pass under way, and the one that follows it. */
struct passing {
    struct engine_pass *pass, *after; /* after: NULL where none does, or begins with its exchange */
    long step;
    const double *time;
    double dt;
};

static struct halo *halo_of(struct engine_pass *p, int segment, int turn)
{
    if (!p->plan.segment[segment].nhalo) return NULL;
    return &p->halo[segment == 0 && turn ? p->plan.nsegments : segment];
}

/* The rows of a device's sweep in three windows where its exchanges go through the host: those that others need first,
 * those that wait for nobody, and those that need the far ghost rows. From device to device rows take less time than
 * more launches do: on two H200s with 512 x 512 x 128 cells each weather makes 6.95 Gpoint-steps/s with windows, 7.21
 * without. */
static void sweep_cut(const struct engine *e, struct sweep *w)
{
    enum { LEAST = 2 }; /* windows of rows so few would each cost more than they hide */
    int deep = 0;
    for (int m = 0; w->next && m < w->next->nrecv; m++)
        for (int n = 0; n < w->next->recv[m].nparts; n++) deep = SF_MAX(deep, w->next->recv[m].part[n].rows);
    const int head = SF_MAX(deep, e->gj) + w->segment->lag[w->dir] + 1;
    if (!has_turns(e) || w->high - w->low < LEAST * (head + w->segment->lag[w->dir])) return;
    if (w->next && !halo_is_direct(w->next)) w->cut[w->ncuts++] = w->low + head;
    if (w->trailing && !halo_is_direct(w->trailing)) w->cut[w->ncuts++] = w->high;
}

static int segment_run(struct engine *e, const struct passing *x, int n)
{
    struct engine_pass *const p = x->pass;
    const struct plan_segment *g = &p->plan.segment[n];
    const int last = n + 1 == p->plan.nsegments, dir = e->direction, few = p->plan.few_rows;
    struct halo *now = halo_of(p, n, e->turn);
    struct halo *next = !last ? halo_of(p, n + 1, 0) : x->after ? halo_of(x->after, 0, !e->turn) : NULL;
    const struct state *st = e->state;
    const struct slab *const slab = engine_slab(e);
    struct slab settled = *slab; /* a field's name is that of the bank in which the pass leaves it */
    for (int f = 0; f < e->in->nfields && last; f++) settled.f[f] = slab->f[p->plan.last_id[f]];
    struct halo *const trailing = few || !now || !now->nrecv ? NULL : now;
    if (next) SF_TRY(halo_begin(next));
    if (now) {
        const int begins = n == 0 && !e->is_early;
        SF_TRY(halo_send(now, slab, INT_MIN, INT_MAX));
        const double t0 = seconds_now();
        SF_TRY(halo_post(now, begins || !trailing ? HALO_BOTH : dir));
        SF_TRY(engine_halo_end(e, now, slab, dir));
        if (few) SF_TRY(engine_halo_end(e, now, slab, !dir)); /* one side's rows stand beyond the other */
        e->halo_wait_seconds += seconds_now() - t0;
        engine_span(e, SPAN_HALO, x->step, t0);
    }
    const int mark = e->opt.timeline ? lane_mark(e, LANE_COMPUTE) : -1;
    struct sweep w = {.plan = &p->plan,
                      .segment = g,
                      .slab = slab,
                      .lay = &st->host.lay,
                      .wrap = now,
                      .now = now,
                      .trailing = trailing,
                      .next = next,
                      .next_slab = last ? &settled : slab,
                      .dir = dir,
                      .starts = 1,
                      .ends = 1,
                      .low = st->ja,
                      .high = st->jb,
                      .seam_low = e->seam_s,
                      .seam_high = e->seam_n,
                      .step = x->step,
                      .time = x->time,
                      .dt = x->dt};
    sweep_clip(e, &w);
    sweep_cut(e, &w);
    w.front0 = st->ja - SF_MAX(g->south, g->north);
    w.front1 = st->jb + SF_MAX(g->south, g->north) + 1;
    w.window = e->window_rows;
    w.levels = e->window_levels;
    SF_TRY(sweep_run(e, &w));
    if (e->opt.timeline)
        lane_mark_end(e, mark,
                      &(struct span){.lane = SPAN_COMPUTE, .slab = -1, .step = x->step, .j0 = st->ja, .j1 = st->jb});
    e->direction = !dir;
    return SF_OK;
}

/* Fields with two banks end a pass in either: what is read next is the first. */
static void banks_settle(const struct engine *e, const struct plan *p, struct storage *st)
{
    for (int f = 0; f < e->in->nfields; f++) {
        const int last = p->last_id[f];
        if (last == f) continue;
        real *const at = st->s.f[last];
        char *const base = st->base[last];
        st->s.f[last] = st->s.f[f], st->base[last] = st->base[f];
        st->s.f[f] = at, st->base[f] = base;
    }
}

static int pass_resident(struct engine *e, const struct passing *x)
{
    const struct plan *const p = &x->pass->plan;
    struct halo *const first = halo_of(x->pass, 0, e->turn);
    if (first && !e->is_early) SF_TRY(halo_begin(first));
    for (int n = 0; n < p->nsegments; n++) SF_TRY(segment_run(e, x, n));
    banks_settle(e, p, e->backend->is_device ? &e->device : &e->state->host);
    if (has_turns(e)) e->turn = !e->turn;
    e->is_early = x->after && halo_of(x->after, 0, e->turn);
    return SF_OK;
}

/* ---- for tests: NaN wherever the plan promises that nothing is read before it is written ---- */

void reals_poison(const struct engine *e, real *at, size_t n, int is_device)
{
    real *const nans = is_device ? malloc(n * sizeof *nans) : at;
    for (size_t i = 0; i < n && nans; i++) nans[i] = (real)__builtin_nanf("");
    if (!is_device || !nans) return;
    e->backend->copy_in(at, nans, n * sizeof *nans);
    e->backend->sync(LANE_IN);
    free(nans);
}

void rows_poison(const struct engine *e, const struct slab *s, const struct form *form, int id, int j0, int j1)
{
    const struct layout *const l = &e->state->host.lay;
    if (!s->f[id] || form->bytes || !form_rows(form, l->nj, &j0, &j1)) return;
    const size_t n = (size_t)(j1 - j0) * layout_row_bytes(l, form) / sizeof(real);
    reals_poison(e, storage_row(s, l, form, id, j0), n, e->backend->is_device && s != &e->state->host.s);
}

static void poison(struct engine *e, const struct plan *p)
{
    const struct state *st = e->state;
    const struct slab *s = e->slabs > 1 ? &st->host.s : engine_slab(e);
    for (int lane = 0; lane < LANES; lane++) e->backend->sync((enum lane)lane);
    if (e->slabs > 1) stream_poison(e, p);
    if (is_flowing(e) && e->stream.have.a < e->stream.have.b) return;
    for (int id = 0; id < p->nids; id++) {
        const struct field *f = &e->in->field[p->field_of[id]];
        const int first = s->j0, last = s->j0 + s->rows;
        if (f->role == ROLE_STATIC || (f->role == ROLE_FED && !is_passing(e, p, id))) continue;
        if (is_passing(e, p, id)) {
            rows_poison(e, s, &p->form[id], id, first, last);
            continue;
        }
        /* Rows beyond a physical side are the field's; those of neighbours come with the exchange. */
        const int low = e->seam_s ? st->ja : first, high = e->seam_n ? st->jb : last;
        rows_poison(e, s, &p->form[id], id, first, low);
        rows_poison(e, s, &p->form[id], id, high, last);
    }
}

/* The model makes its tables for so many: of a device many, since it must come to rest before they may change; of
 * streamed slabs too, for passes to follow each other. */
int engine_batch(const struct engine *e)
{
    enum { MOST = 128 };
    const int pass = e->pass[0].plan.steps;
    return e->backend->is_device || e->slabs > 1 ? SF_MAX(MOST, pass) / pass * pass : pass;
}

long engine_passes(const struct engine *e, long steps)
{
    const long most = e->pass[0].plan.steps;
    long passes = 0;
    if (e->stream.flows) return (steps + most - 1) / most; /* pass_even */
    for (int n = 0; n < e->npasses; n++) passes += steps / e->pass[n].plan.steps, steps %= e->pass[n].plan.steps;
    return passes;
}

/* What the host has to do while a device computes, in a thread of its own where it talks to no other rank: the lanes
 * are to be fed. */
struct meanwhile {
    int (*call)(void *of, double seconds);
    void *of;
    double seconds;
    pthread_t thread;
    int runs, rc;
    double began, ended;
};

static void *meanwhile_main(void *arg)
{
    struct meanwhile *const m = arg;
    m->began = seconds_now();
    m->rc = m->call(m->of, m->seconds);
    m->ended = seconds_now();
    return NULL;
}

static void meanwhile_keep(struct engine *e, struct meanwhile *m, long step)
{
    span_keep(e, &(struct span){.lane = SPAN_OUTPUT, .slab = -1, .step = step, .begin = m->began, .end = m->ended});
}

/* Behind a pass of so many steps. */
static void meanwhile_begin(struct engine *e, struct meanwhile *m, long step, int steps)
{
    static const double share = 0.5; /* of the pass: then there is the next one to be given */
    sigset_t all, before;
    if (!e->meanwhile || m->runs || m->rc) return;
    m->call = e->meanwhile, m->of = e->meanwhile_of, m->seconds = share * steps * e->step_seconds;
    e->meanwhile = NULL;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals go to the main thread */
    m->runs = e->comm.size == 1 && !pthread_create(&m->thread, NULL, meanwhile_main, m);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (m->runs) return;
    meanwhile_main(m);
    meanwhile_keep(e, m, step);
}

static int meanwhile_end(struct engine *e, struct meanwhile *m, long step)
{
    if (m->runs) {
        pthread_join(m->thread, NULL);
        meanwhile_keep(e, m, step);
    }
    return m->rc;
}

/* Do the sizes that were made for all passes serve this one, too? */
static int plan_suits(const struct engine *e, const struct plan *p)
{
    const struct plan_segment *const g = &p->segment[0];
    struct plan_rows rows[2 * SF_MAX_FIELDS];
    const int n = streamed_rows(e, rows);
    int suits = p->nsegments == 1 && p->nids == e->pass[0].plan.nids && !p->few_rows == !e->pass[0].plan.few_rows;
    for (int dir = 0; dir < 2; dir++) suits &= SF_MAX(g->edge[dir], g->lag[dir] + 2 * e->gj) <= e->edge;
    for (int h = 0; h < g->nhalo; h++) {
        int m = 0;
        while (m < n && rows[m].id != g->halo[h].id) m++;
        suits &= m < n && rows[m].south >= g->halo[h].south && rows[m].north >= g->halo[h].north;
    }
    return suits;
}

/* Streamed, every pass moves all rows: as many steps in each of as few as can be. NULL: none is made for so many.
 * Collective. */
static int pass_even(struct engine *e, int steps, struct engine_pass **pass)
{
    const int most = e->pass[0].plan.steps, passes = (steps + most - 1) / most, even = (steps + passes - 1) / passes;
    struct engine_pass *const p = &e->even[even & 1]; /* two that follow each other in number */
    *pass = NULL;
    if (p->plan.steps != even) SF_TRY(outcome_share(&e->comm, pass_plan(e, p, even, 0)));
    if (plan_suits(e, &p->plan)) *pass = p;
    return SF_OK;
}

/* The pass to take with so many steps to go; NULL: none. */
static int pass_of(struct engine *e, int steps, struct engine_pass **pass)
{
    *pass = NULL;
    if (steps > 0 && is_flowing(e) && steps % e->pass[0].plan.steps) SF_TRY(pass_even(e, steps, pass));
    for (struct engine_pass *p = e->pass; steps > 0 && !*pass; p++)
        if (p->plan.steps <= steps) *pass = p;
    return SF_OK;
}

static int passes_run(struct engine *e, long step, const double *time, double dt, int steps,
                      struct meanwhile *meanwhile)
{
    for (int n = 0; n < steps;) {
        struct engine_pass *p, *after;
        SF_TRY(pass_of(e, steps - n, &p));
        SF_TRY(pass_of(e, steps - n - p->plan.steps, &after));
        const struct passing x = {p, has_turns(e) && after && !after->plan.few_rows ? after : NULL, step + n, time + n,
                                  dt};
        if (e->opt.poison) poison(e, &p->plan);
        const int ends = e->is_last && !after && is_flowing(e) && e->backend->is_device;
        e->looks = ends && e->is_watched, e->surveys = ends && e->survey.launch;
        engine_team_begin(e, step + n);
        if (e->slabs > 1) SF_TRY(pass_streamed(e, p, step + n, time + n, dt));
        else SF_TRY(pass_resident(e, &x));
        SF_TRY(e->backend->check("launching kernels"));
        engine_team_end(e, p->plan.steps);
        n += p->plan.steps;
        meanwhile_begin(e, meanwhile, step,
                        p->plan.steps); /* the first pass has taken what it is about out of the way */
    }
    return SF_OK;
}

/* *is_shared 1: the failure is told on all ranks. */
static int batch_run(struct engine *e, long step, const double *time, double dt, int steps, int *is_shared)
{
    const int resident = is_resident_elsewhere(e);
    struct meanwhile meanwhile = {.rc = SF_OK};
    if (resident) e->backend->mark(LANE_COMPUTE, MARK_BEGIN);
    if (e->slabs > 1 || e->opt.timeline) lanes_begin(e);
    const int rc = passes_run(e, step, time, dt, steps, &meanwhile);
    if (resident) e->backend->mark(LANE_COMPUTE, MARK_END);
    lanes_end(e);
    const int rc_meanwhile = meanwhile_end(e, &meanwhile, step);
    SF_TRY(rc);
    *is_shared = rc_meanwhile != SF_OK;
    SF_TRY(rc_meanwhile);
    SF_TRY(stream_send(e, &e->state->host.s));
    SF_TRY(e->backend->sync(LANE_COMPUTE));
    timing_take(e);
    if (resident) e->seconds += e->backend->seconds(MARK_BEGIN, MARK_END);
    return lanes_take(e, 0);
}

/* Which of the next n steps ops of a period run in. */
static int periods_prepare(struct engine *e, const double *time, int n)
{
    const int periods = e->periods.n;
    if (!periods) return SF_OK;
    double *const since = realloc(e->since, (size_t)n * (size_t)periods * sizeof *since);
    SF_CHECK(since, SF_MEMORY, "no memory for the times of %d steps", n);
    e->since = since;
    for (int s = 0; s < n; s++)
        for (int q = 0; q < periods; q++)
            since[s * periods + q] = periods_step(&e->periods, q, e->prepared + s, time[s]);
    return SF_OK;
}

/* Levels for the next steps: as many of the *n as lie before other levels are wanted. */
static int feeds_prepare(struct engine *e, const double *time, int *n)
{
    SF_TRY(outcome_share(&e->comm, engine_feed(e, time[0])));
    SF_TRY(outcome_share(&e->comm, engine_upload(e)));
    for (int m = 1; m < *n; m++)
        if (time[m] >= e->fed_until) *n = m;
    return SF_OK;
}

static int steps_run(struct engine *e, long step, const double *time, double dt, int steps)
{
    const struct model *m = e->in->model;
    const double began = seconds_now();
    const int all = steps;
    if (steps <= 0) return SF_OK;
    e->state->step = step;
    SF_TRY(outcome_share(&e->comm, engine_upload(e)));
    while (steps > 0) {
        int n = SF_MIN(steps, engine_batch(e));
        if (e->fed) SF_TRY(feeds_prepare(e, time, &n));
        e->prepared = step;
        e->is_last = n == steps;
        SF_TRY(outcome_share(&e->comm, periods_prepare(e, time, n)));
        if (e->look) e->look->bad = 0, e->look->courant = 0;
        e->look_dt = dt;
        /* Rank by rank they may lack memory, and the others would wait for it. */
        if (m->prepare) SF_TRY(outcome_share(&e->comm, m->prepare(e->in, step, n, time, dt)));
        int is_shared = 0, rc = batch_run(e, step, time, dt, n, &is_shared);
        if (rc == SF_GPU && e->comm.size > 1 && !is_shared)
            rc = SF_COMM; /* of this rank alone: the others wait for what it would send */
        if (rc && !is_shared) e->shares = 0; /* the others may not know: see below */
        SF_TRY(rc);
        if (m->collect) SF_TRY(outcome_share(&e->comm, m->collect(e->in, step, n)));
        step += n;
        time += n;
        steps -= n;
        e->fed_time = time[-1];
        e->state->step = step;
        e->host_is_old = is_resident_elsewhere(e) || is_flowing(e);
    }
    const double took = seconds_now() - began;
    e->step_seconds = took / all;
    if (!is_resident_elsewhere(e)) e->seconds += took;
    e->lanes.wall += took;
    return SF_OK;
}

void engine_watch(struct engine *e, int is_watched) { e->is_watched = is_watched; }

int engine_run(struct engine *e, long step, const double *time, double dt, int steps)
{
    const int rc = steps_run(e, step, time, dt, steps);
    if (rc == SF_COMM) e->shares = 0; /* this rank may be alone, and waits for nobody when it closes */
    return rc;
}
