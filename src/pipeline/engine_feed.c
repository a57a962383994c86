/* Fields that are fed: levels in time come between passes, and every step finds its values between two of them.
 * SPDX-License-Identifier: MIT */
#include "pipeline/engine_parts.h"

#include "pipeline/between.h"
#include "pipeline/error.h"
#include "pipeline/feed.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- levels on the host ------------------------------------------------------------------------------------------ */

/* The two levels of a field that are at hand, and the one that a thread has read behind them. */
struct engine_fed {
    int is_there;
    double time[2]; /* s */
    int is_ahead;
    double follows, ahead; /* s: of the level that it comes after, and its own */
};

/* Bytes of a level on the host, from row *first on. */
static size_t level_bytes(const struct engine *e, int id, int *first)
{
    const struct form *const form = &e->pass[0].plan.form[id];
    const struct storage *const host = &e->state->host;
    int last = host->s.j0 + host->s.rows;
    *first = host->s.j0;
    if (!form_rows(form, host->lay.nj, first, &last)) return 0;
    return (size_t)(last - *first) * layout_row_bytes(&host->lay, form);
}

static real *level_row(const struct engine *e, const struct slab *s, int id, int j)
{
    return storage_row(s, &e->state->host.lay, &e->pass[0].plan.form[id], id, j);
}

/* Behind the last field that is fed along with field f. */
static int along_end(const struct engine *e, int f)
{
    int end = f + 1;
    while (end < e->in->nfields && e->in->field[end].role == ROLE_FED && e->in->field[end].is_fed_along) end++;
    return end;
}

/* Is it one that others are fed along with, or that is fed alone? */
static int is_fed(const struct instance *in, int f)
{
    return in->field[f].role == ROLE_FED && !in->field[f].is_fed_along;
}

/* Level `later` of field f, and of those along with it, becomes that at or before time[0], or the first one after it;
 * the one before it again where none follows. */
static int level_fill(struct engine *e, int f, int later)
{
    struct slab to = e->state->host.s;
    const int *const id[2] = {e->pass[0].plan.level_id[0], e->pass[0].plan.level_id[1]};
    const int end = along_end(e, f);
    double time = e->fed[f].time[0];
    for (int m = f; m < end; m++) to.f[m] = to.f[id[later][m]];
    SF_TRY(e->in->model->feed(e->in, &to, &e->state->host.lay, f, later, &time));
    for (int m = f; m < end; m++) {
        int j;
        const size_t bytes = later && isinf(time) ? level_bytes(e, id[0][m], &j) : 0;
        e->fed[m].time[later] = time;
        if (bytes)
            memcpy(level_row(e, &e->state->host.s, id[1][m], j), level_row(e, &e->state->host.s, id[0][m], j), bytes);
    }
    return SF_OK;
}

/* Storages change places: a of x, b of y. */
static void places_swap(struct storage *x, int a, struct storage *y, int b)
{
    real *const at = x->s.f[a];
    char *const base = x->base[a];
    x->s.f[a] = y->s.f[b], x->base[a] = y->base[b];
    y->s.f[b] = at, y->base[b] = base;
}

/* What was the later level of field f, and of those along with it, is the earlier one. */
static void levels_turn(struct engine *e, int f)
{
    const struct plan *const p = &e->pass[0].plan;
    for (int m = f; m < along_end(e, f); m++) {
        places_swap(&e->state->host, p->level_id[0][m], &e->state->host, p->level_id[1][m]);
        e->fed[m].time[0] = e->fed[m].time[1];
    }
}

/* ---- levels to come ---------------------------------------------------------------------------------------------- */

/* A thread that reads what follows the later levels while steps go on. It has memory for one level of every field. */
struct engine_feeder {
    const struct engine *of;
    struct instance in; /* as the engine's, with the threads that it may take */
    struct storage ahead; /* by the numbers of fields */
    pthread_t thread;
    int runs, stops; /* stops: 1: what is left need not be read */
};

static int reads_ahead(const struct instance *in)
{
    enum { AT_HAND = 2 };
    return in->levels > AT_HAND;
}

static void fed_skip(const struct engine *e, unsigned char *skip)
{
    memset(skip, 1, 2 * SF_MAX_FIELDS);
    for (int f = 0; f < e->in->nfields; f++) skip[f] = e->in->field[f].role != ROLE_FED;
}

size_t feeds_ahead_bytes(const struct engine *e, const struct layout *l, int first, int rows)
{
    const struct plan *const p = &e->pass[0].plan;
    unsigned char skip[2 * SF_MAX_FIELDS];
    if (!reads_ahead(e->in)) return 0;
    fed_skip(e, skip);
    return storage_pages(storage_bytes(l, p->nids, p->form, skip, first, rows));
}

/* What fails here is met again, and told, by who wants the level. */
static void *ahead_read(void *of)
{
    struct engine_feeder *const x = of;
    const struct engine *const e = x->of;
    sf_error_mute(1);
    for (int f = 0; f < x->in.nfields && !__atomic_load_n(&x->stops, __ATOMIC_RELAXED); f++) {
        struct engine_fed *const fed = &e->fed[f];
        if (!is_fed(&x->in, f) || isinf(fed->time[1])) continue;
        double time = fed->time[1];
        if (x->in.model->feed(&x->in, &x->ahead.s, &x->ahead.lay, f, 1, &time)) break;
        fed->follows = fed->time[1], fed->ahead = time, fed->is_ahead = 1;
    }
    return NULL;
}

static int feeder_make(struct engine *e)
{
    const struct storage *const host = &e->state->host;
    const struct plan *const p = &e->pass[0].plan;
    unsigned char skip[2 * SF_MAX_FIELDS];
    if (!reads_ahead(e->in)) return SF_OK;
    struct engine_feeder *const x = e->feeder = calloc(1, sizeof *x);
    SF_CHECK(x, SF_MEMORY, "no memory for levels in time to come");
    fed_skip(e, skip);
    x->of = e, x->in = *e->in;
    if (!e->backend->is_device) x->in.threads = 1; /* the others compute */
    SF_TRY(storage_init(&x->ahead, host->on, &host->lay, p->nids, p->form, skip, host->s.j0, host->s.rows));
    e->backend->pin(x->ahead.arena, x->ahead.bytes);
    return SF_OK;
}

static void feeder_wait(struct engine *e)
{
    if (!e->feeder || !e->feeder->runs) return;
    pthread_join(e->feeder->thread, NULL);
    e->feeder->runs = 0;
}

/* Without a thread the level is read when it is wanted. */
static void feeder_begin(struct engine *e)
{
    struct engine_feeder *const x = e->feeder;
    sigset_t all, before;
    int more = 0;
    for (int f = 0; f < e->in->nfields && x; f++) {
        more |= e->in->field[f].role == ROLE_FED && !isinf(e->fed[f].time[1]);
        e->fed[f].is_ahead = 0;
    }
    if (!more) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals go to the main thread */
    x->runs = !pthread_create(&x->thread, NULL, ahead_read, x);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The later level of field f, and of those along with it, becomes the one that was read ahead: 1, or 0 where it is not
 * there, or the last. */
static int ahead_take(struct engine *e, int f)
{
    struct engine_fed *const x = &e->fed[f];
    const int is_there = x->is_ahead && !(x->follows < x->time[0]) && !(x->follows > x->time[0]) && !isinf(x->ahead);
    x->is_ahead = 0;
    if (!is_there) return 0;
    for (int m = f; m < along_end(e, f); m++) {
        places_swap(&e->state->host, e->pass[0].plan.level_id[1][m], &e->feeder->ahead, m);
        e->fed[m].time[1] = x->ahead;
    }
    return 1;
}

int feeds_open(struct engine *e)
{
    int n = 0;
    for (int f = 0; f < e->in->nfields; f++) n += e->in->field[f].role == ROLE_FED;
    if (!n) return SF_OK;
    SF_CHECK(e->in->model->feed, SF_INTERNAL, "nobody feeds the fields of model %s", e->in->model->name);
    e->fed = calloc((size_t)e->in->nfields, sizeof *e->fed);
    SF_CHECK(e->fed, SF_MEMORY, "no memory for fields that are fed");
    return feeder_make(e);
}

void feeds_close(struct engine *e)
{
    if (e->feeder) __atomic_store_n(&e->feeder->stops, 1, __ATOMIC_RELAXED);
    feeder_wait(e);
    if (e->feeder && e->feeder->ahead.arena && e->backend) e->backend->unpin(e->feeder->ahead.arena);
    if (e->feeder) storage_free(&e->feeder->ahead);
    free(e->feeder);
    free(e->fed);
}

/* ---- those at hand ----------------------------------------------------------------------------------------------- */

static int lies_between(const struct engine_fed *x, double time) { return time >= x->time[0] && time < x->time[1]; }

static int field_feed(struct engine *e, int f, double time)
{
    struct engine_fed *const x = &e->fed[f];
    const int turns = x->is_there && time >= x->time[1], end = along_end(e, f);
    for (int m = f; m < end; m++) e->fed[m].is_there = 0;
    if (turns) {
        levels_turn(e, f);
        if (!ahead_take(e, f)) SF_TRY(level_fill(e, f, 1));
    }
    if (!turns || !lies_between(x, time)) {
        x->time[0] = time;
        SF_TRY(level_fill(e, f, 0));
        SF_TRY(level_fill(e, f, 1));
    }
    SF_CHECK(lies_between(x, time), SF_INTERNAL, "field %s: %g s lies not between its levels of %g and %g s",
             e->in->field[f].name, time, x->time[0], x->time[1]);
    for (int m = f; m < end; m++) e->fed[m].is_there = 1;
    return SF_OK;
}

static void level_upload(struct engine *e, int id)
{
    int first;
    const size_t bytes = level_bytes(e, id, &first);
    if (bytes)
        e->backend->copy_in(level_row(e, &e->device.s, id, first), level_row(e, &e->state->host.s, id, first), bytes);
}

void feeds_upload(struct engine *e)
{
    for (int f = 0; f < e->in->nfields && e->fed; f++)
        for (int later = 0; later < 2 && e->in->field[f].role == ROLE_FED; later++)
            level_upload(e, e->pass[0].plan.level_id[later][f]);
}

int engine_feed(struct engine *e, double time)
{
    int stale = 0;
    if (!e->fed) return SF_OK;
    e->fed_time = time;
    e->fed_until = INFINITY;
    for (int f = 0; f < e->in->nfields; f++) {
        if (!is_fed(e->in, f)) continue;
        if (!e->fed[f].is_there || !lies_between(&e->fed[f], time)) {
            if (!stale) feeder_wait(e);
            if (!stale && e->slabs > 1) SF_TRY(engine_fetch(e)); /* slabs bring levels with them: all of them anew */
            stale = 1;
            SF_TRY(field_feed(e, f, time));
        }
        e->fed_until = SF_MIN(e->fed_until, e->fed[f].time[1]);
    }
    if (!stale) return SF_OK;
    feeder_begin(e);
    if (e->slabs > 1) engine_changed(e);
    else if (e->backend->is_device) {
        feeds_upload(e);
        return e->backend->sync(LANE_IN);
    }
    return SF_OK;
}

/* ---- between them ------------------------------------------------------------------------------------------------ */

static real share_of_way(const struct engine_fed *x, double time)
{
    return (real)((time - x->time[0]) / (x->time[1] - x->time[0]));
}

/* Rows [j0, j1) of field f, all of which it has. */
static void levels_mix(const struct engine *e, const struct plan *p, const struct slab *s, int f, double time, int j0,
                       int j1, int is_device)
{
    const struct layout *const l = &e->state->host.lay;
    const struct form *const form = &p->form[f];
    const size_t n = (size_t)(j1 - j0) * layout_row_bytes(l, form) / sizeof(real);
    const real share = share_of_way(&e->fed[f], time);
    real *const to = storage_row(s, l, form, f, j0);
    const real *const a = storage_row(s, l, form, p->level_id[0][f], j0), *const b = storage_row(s, l, form,
                                                                                                 p->level_id[1][f], j0);
    if (n && is_device) e->backend->between(to, a, b, share, n);
    for (size_t m = 0; m < n && !is_device; m++) to[m] = between_levels(a[m], b[m], share);
}

void rows_feed(const struct engine *e, const struct plan *p, const struct plan_op *o, const struct slab *s, double time,
               int j0, int j1)
{
    const int nj = e->state->host.lay.nj, f = o->access[2].id;
    /* Rows beyond a side go with the outermost one. */
    if (!e->periodic && j0 == 0) j0 = SF_MAX(-e->gj, s->j0);
    if (!e->periodic && j1 >= nj) j1 = SF_MIN(nj + e->gj, s->j0 + s->rows);
    if (form_rows(&p->form[f], nj, &j0, &j1)) levels_mix(e, p, s, f, time, j0, j1, e->backend->is_device);
}

void feeds_show(const struct engine *e, const struct state *st)
{
    const struct plan *const p = &e->pass[0].plan;
    const struct slab *const s = &st->host.s;
    for (int f = 0; f < e->in->nfields && e->fed; f++) {
        if (e->in->field[f].role != ROLE_FED || !e->fed[f].is_there) continue;
        int first = s->j0, last = s->j0 + s->rows;
        if (form_rows(&p->form[f], s->nj, &first, &last)) levels_mix(e, p, s, f, e->fed_time, first, last, 0);
    }
}

/* ---- for models -------------------------------------------------------------------------------------------------- */

void feed_fill_along(const struct slab *to, const struct layout *l, const struct field *about, int f, int n,
                     real (*value)(const void *of, int j, int k, int i), const void *const *of)
{
    const struct form form = form_of(about);
    const struct extent *const b = &about->box;
    const int box = about->shape == SHAPE_BOX, map = about->shape == SHAPE_MAP;
    const int i0 = box ? b->i0 : -l->gi, i1 = box ? b->i1 : l->ni + l->gi;
    const int k0 = box ? b->k0 : map ? 0 : -l->gk, k1 = box ? b->k1 : map ? 1 : l->nk + l->gk;
    int j0 = to->j0, j1 = to->j0 + to->rows;
    if (!form_rows(&form, l->nj, &j0, &j1)) return;
    for (int row = 0; row < (j1 - j0) * n; row++) {
        const int j = j0 + row / n, which = row % n;
        real *line = storage_row(to, l, &form, f + which, j);
        for (int m = 0; m < (box ? b->n : 1); m++)
            for (int k = k0; k < k1; k++, line += box ? i1 - i0 : l->sk)
                for (int i = i0; i < i1; i++) line[i - i0] = value(of[which], j, k, i);
    }
}

void feed_fill(const struct slab *to, const struct layout *l, const struct field *about, int f,
               real (*value)(const void *of, int j, int k, int i), const void *of)
{
    feed_fill_along(to, l, about, f, 1, value, &of);
}
