/* Windows of rows through the ops of a segment, by a team of threads. SPDX-License-Identifier: MIT */
#include "pipeline/engine_parts.h"

#include "pipeline/error.h"

#include <limits.h>
#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>
#else
#include <pthread.h>
#endif

/* ---- one op on some rows ---- */

static void rows_of_op(const struct sweep *w, const struct plan_op *o, int *j0, int *j1)
{
    *j0 = w->seam_low ? SF_MAX(w->low - o->south, w->clip_low) : w->low;
    *j1 = w->seam_high ? SF_MIN(w->high + o->north, w->clip_high) : w->high;
}

/* Behind what an op has changed of a box. Returns how many fields have any there. */
static int ghosts_fill(const struct engine *e, const struct sweep *w, const struct plan_op *o, const struct call *c,
                       struct box filled)
{
    struct backend_ghosts fill[PLAN_MAX_WRITES];
    const struct box changed = o->stage->changes ? o->stage->changes(c, filled) : filled;
    int n = 0;
    for (const struct plan_fill *f = o->fill; f < o->fill + o->nfill; f++)
        if (!o->stage->changes || ghosts_follow(&e->maps[f->field], f->depth, changed))
            fill[n++] = (struct backend_ghosts){
                .id = f->id, .shape = w->plan->form[f->id].shape, .maps = &e->maps[f->field], .depth = f->depth};
    if (n && e->backend->is_device) e->backend->ghosts(w->slab, w->lay, fill, n, filled);
    for (int m = 0; m < n && e->backend->is_device; m++)
        if (fill[m].maps->maker) e->backend->make(w->slab, w->lay, &fill[m], filled);
    for (int m = 0; m < n && !e->backend->is_device; m++)
        ghost_fill(w->slab, w->lay, fill[m].shape, fill[m].id, fill[m].maps, fill[m].depth, filled);
    return n;
}

/* The time step that an op takes its share of; negative: it leaves this step out. */
static double step_of(const struct engine *e, const struct sweep *w, const struct plan_op *o)
{
    const long step = w->step + o->step;
    if (o->op.every_s > 0)
        return e->since[(step - e->prepared) * e->periods.n + periods_find(&e->periods, o->op.every_s)];
    return o->op.every > 1 && step % o->op.every ? -1 : w->dt;
}

/* Puts a pointer where a stage finds what it reads, or writes. */
static void access_show(const struct plan_access *x, const struct slab *all, real **read, real **written)
{
    const int is_read = x->mode == ACCESS_READ && !x->is_beside;
    if (!is_read) *written = all->f[x->id];
    if (is_read || !*read) *read = all->f[x->id];
}

static void op_run(struct engine *e, const struct sweep *w, const struct plan_op *o, const struct share *mine, int j0,
                   int j1, int k0, int k1)
{
    const int rows = j1 - j0, p = mine->part_j, last_k = k1 == w->lay->nk;
    const int r0 = j0 + rows * p / mine->nj_parts, r1 = j0 + rows * (p + 1) / mine->nj_parts;
    /* The engine makes whole rows, by the thread that has their first column. */
    const int own = plan_op_is_own(o);
    const int i0 = mine->i0, i1 = !own ? mine->i1 : i0 ? i0 : w->lay->ni, last = i1 == w->lay->ni;
    if (r0 >= r1 || i0 >= i1) return; /* never on a device, which has one thread */
    /* A stage sees what it declared and nothing else; one of a family sees any member as the first. */
    const struct slab *all = w->slab;
    struct slab view = {.sk = all->sk,
                        .sj = all->sj,
                        .sm = all->sm,
                        .ni = all->ni,
                        .nk = all->nk,
                        .nj = all->nj,
                        .j0 = all->j0,
                        .rows = all->rows};
    struct member member[MEMBERS_MOST];
    for (int m = 0; m < o->op.members; m++) member[m] = (struct member){.n = o->op.member + m};
    for (int n = 0; n < o->ndeclared && !own; n++) {
        const struct plan_access *const x = &o->access[n];
        if (x->member <= 0)
            access_show(x, all, &view.f[x->field], x->mode == ACCESS_READ && !x->is_beside ? NULL : &view.w[x->field]);
        if (x->member >= 0 && o->op.members)
            access_show(x, all, &member[x->member].f[x->nth], &member[x->member].w[x->nth]);
    }
    const struct call call = {.dt = (real)(step_of(e, w, o) * o->op.dt_factor),
                              .arg = o->op.arg,
                              .member = o->op.member,
                              .members = o->op.members,
                              .of = member,
                              .step = w->step + o->step,
                              .pass_step = (int)(w->step + o->step - e->prepared),
                              .time = w->time[o->step],
                              .ctx = e->in->ctx,
                              .work = e->backend->is_device ? e->device_work : e->work[mine->id],
                              .shape = e->opt.shape ? e->opt.shape[o->op.stage] : NULL};
    /* Faces beyond the last cell go with that cell: where a field owns none, they are ghosts that are filled from
     * it. */
    const int extend = o->stage->extend;
    const struct box box = {.i0 = i0,
                            .i1 = i1 + (last && extend && e->extend_e),
                            .k0 = k0,
                            .k1 = k1 + (last_k && extend && e->extend_t),
                            .j0 = r0,
                            .j1 = r1 + (r1 == w->lay->nj && extend && e->extend_n)};
    struct box filled = box;
    filled.i1 = i1 + (last && e->extend_e);
    filled.k1 = k1 + (last_k && e->extend_t);
    if (o->settles) rows_settle(e, w->plan, o, w->slab, box.j0, box.j1);
    else if (o->feeds) rows_feed(e, w->plan, o, w->slab, call.time, r0, r1);
    else if (o->makes) (void)0; /* what follows is all */
    else if (e->backend->is_device) op_launch(e, o, &view, box, &call);
    else o->stage->run(&view, box, &call);
    const int marks = e->backend->is_device && e->opt.timing;
    if (marks) timing_mark(e);
    if (ghosts_fill(e, w, o, &call, filled) && marks) timing_mark(e);
}

/* ---- windows ---- */

void sweep_clip(const struct engine *e, struct sweep *w)
{
    w->clip_low = e->periodic ? INT_MIN / 2 : 0;
    w->clip_high = e->periodic ? INT_MAX / 2 : w->lay->nj;
}

/* Rows of op `o` in the window between two fronts, in the direction of the sweep; 0: none. */
static int rows_of_window(const struct sweep *w, const struct plan_op *o, int front, int next, int *q0, int *q1)
{
    int j0, j1;
    rows_of_op(w, o, &j0, &j1);
    *q0 = w->dir ? w->mirror - j1 + 1 : j0, *q1 = w->dir ? w->mirror - j0 + 1 : j1;
    if (!(w->starts && front == w->front0)) *q0 = SF_MAX(*q0, front - o->lag[w->dir]);
    *q1 = SF_MIN(*q1, next - o->lag[w->dir]);
    return *q0 < *q1;
}

/* Levels [base, top) of a window of rows, by all ops; the levels of op `o` lie its lag behind. */
static void levels_run(struct engine *e, const struct sweep *w, const struct share *mine, int front, int next, int base,
                       int top)
{
    const struct plan_segment *g = w->segment;
    const int nk = w->lay->nk;
    for (int n = g->op0; n < g->op1; n++) {
        const struct plan_op *o = &w->plan->op[n];
        int q0, q1;
        if (op_skips(&o->op) && step_of(e, w, o) < 0) continue;
        if (!rows_of_window(w, o, front, next, &q0, &q1)) continue;
        const int k0 = base > 0 ? SF_MAX(base - o->lag_k, 0) : 0, k1 = SF_MIN(top - o->lag_k, nk);
        if (k0 >= k1) continue;
        const int times = e->opt.timing && mine->id == 0, marks = times && e->backend->is_device;
        const double t0 = times ? seconds_now() : 0, points = (double)(q1 - q0) * w->lay->ni * (k1 - k0);
        if (marks) timing_begin(e, o->op.stage, points);
        if (mine->part_j >= 0)
            op_run(e, w, o, mine, w->dir ? w->mirror - q1 + 1 : q0, w->dir ? w->mirror - q0 + 1 : q1, k0, k1);
        barrier_wait(&e->barrier);
        if (times && !marks) {
            struct engine_stage_time *t = &e->stage_time[o->op.stage];
            t->seconds += seconds_now() - t0;
            t->points += points;
        }
    }
}

static void window_run(struct engine *e, const struct sweep *w, const struct share *mine, int front, int next)
{
    const int lag = w->segment->lag_k, nk = w->lay->nk, parts = lag >= 0 && w->levels > 0 && w->levels < nk;
    if (!parts) levels_run(e, w, mine, front, next, 0, nk + SF_MAX(lag, 0));
    else
        for (int base = 0; base < nk + lag; base += w->levels)
            levels_run(e, w, mine, front, next, base, base + w->levels);
}

/* The edge of the window after a front. */
static int front_after(const struct sweep *w, int front)
{
    int next = SF_MIN(front + w->window, w->ends ? INT_MAX : w->front1);
    for (int c = 0; c < w->ncuts; c++)
        if (w->cut[c] > front) next = SF_MIN(next, w->cut[c]);
    return next;
}

/* Rows of a device that were put on their way before the last window: it is busy with that while they are waited
 * for. */
static int rows_post(const struct sweep *w)
{
    if (w->now) SF_TRY(halo_post(w->now, HALO_BOTH));
    return w->next ? halo_post(w->next, HALO_BOTH) : SF_OK;
}

/* Wait for the rows that the far end reads. */
static void trailing_end(struct engine *e, const struct sweep *w, int *rc)
{
    const double t0 = seconds_now();
    if (!*rc) *rc = halo_post(w->now, HALO_BOTH);
    if (!*rc) *rc = engine_halo_end(e, w->trailing, w->slab, !w->dir);
    e->halo_wait_seconds += seconds_now() - t0;
    engine_span(e, SPAN_HALO, w->step, t0);
}

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
    for (int front = w->front0, next; front < last_front; front = next) {
        next = front_after(w, front);
        if (mine->id == 0 && front > w->front0 && !*rc) *rc = rows_post(w);
        if (waiting && next > w->high) { /* lags hold reads behind the front */
            waiting = 0;
            barrier_wait(&e->barrier);
            if (mine->id == 0) trailing_end(e, w, rc);
            barrier_wait(&e->barrier);
        }
        window_run(e, w, mine, front, next);
        if (mine->id == 0) {
            const int done = next - g->lag[dir]; /* rows before it are final */
            if (w->next && !*rc)
                *rc = halo_send(w->next, w->next_slab, dir ? w->mirror - done + 1 : w->low,
                                dir ? w->high : SF_MIN(done, w->high));
            if (w->trailing && !*rc) *rc = halo_progress(w->trailing);
        }
    }
    if (waiting) {
        if (mine->id == 0) trailing_end(e, w, rc);
        barrier_wait(&e->barrier);
    }
}

static void sweep_member(struct engine *e, struct sweep *w, int thread, int threads, int *rc)
{
    const struct share mine = share_of(e, thread, threads);
    sweep_team(e, w, &mine, rc);
}

#ifdef _OPENMP
static void team_run(struct engine *e, struct sweep *w, int *rc)
{
#pragma omp parallel num_threads(e->team.size)
    {
#pragma omp single
        barrier_init(&e->barrier, omp_get_num_threads());
        sweep_member(e, w, omp_get_thread_num(), omp_get_num_threads(), rc);
    }
}
#else
/* Without OpenMP a team is made for every sweep: slow, but ThreadSanitizer sees all that its threads do to each
 * other. */
struct crew {
    struct engine *engine;
    struct sweep *sweep;
    int *rc;
    pthread_mutex_t start; /* held until it is known how many there are */
    int threads;
};

struct crew_member {
    struct crew *crew;
    pthread_t thread;
    int id;
};

static void *member_run(void *arg)
{
    const struct crew_member *m = arg;
    struct crew *t = m->crew;
    pthread_mutex_lock(&t->start);
    pthread_mutex_unlock(&t->start);
    sweep_member(t->engine, t->sweep, m->id, t->threads, t->rc);
    return NULL;
}

static void team_run(struct engine *e, struct sweep *w, int *rc)
{
    struct crew t = {.engine = e, .sweep = w, .rc = rc, .threads = 1};
    struct crew_member *m = calloc((size_t)e->team.size, sizeof *m);
    pthread_mutex_init(&t.start, NULL);
    pthread_mutex_lock(&t.start);
    for (; m && t.threads < e->team.size; t.threads++) {
        m[t.threads] = (struct crew_member){.crew = &t, .id = t.threads};
        if (pthread_create(&m[t.threads].thread, NULL, member_run, &m[t.threads])) break;
    }
    barrier_init(&e->barrier, t.threads);
    pthread_mutex_unlock(&t.start);
    sweep_member(e, w, 0, t.threads, rc);
    for (int n = 1; n < t.threads; n++) pthread_join(m[n].thread, NULL);
    pthread_mutex_destroy(&t.start);
    free(m);
}
#endif

int sweep_run(struct engine *e, struct sweep *w)
{
    int rc = SF_OK;
    const double began = seconds_now(), waited = e->halo_wait_seconds, late = barrier_late(&e->barrier);
    w->mirror = w->low + w->high - 1;
    team_run(e, w, &rc);
    const double others =
        e->halo_wait_seconds - waited; /* while which the team waits as well, for no thread of its own */
    e->swept += seconds_now() - began - others;
    e->late += SF_MAX(barrier_late(&e->barrier) - late - others, 0);
    return rc;
}
