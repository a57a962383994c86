/* Memory of an engine, and what it tells of its plan. SPDX-License-Identifier: MIT */
#include "pipeline/engine_parts.h"

#include "pipeline/error.h"
#include "pipeline/outcome.h"
#include "pipeline/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a field whose ghosts are given or make a gradient. */
static int maker_make(struct engine *e, const struct layout *l, int f)
{
    const struct grid *const g = e->in->grid;
    const struct field *const x = &e->in->field[f];
    const int cells[3] = {g->nx, g->ny, g->nz}, depth[3] = {l->gi, e->gj, l->gk};
    struct ghost_maker *const m = calloc(1, sizeof *m);
    SF_CHECK(m, SF_MEMORY, "no memory for ghosts of %s", x->name);
    e->maps[f].maker = m;
    for (int face = 0; face < FACES; face++)
        if (ghost_is_made(x->ghost[face]))
            m->source[face] = (struct ghost_source){.field = x->beyond[face],
                                                    .is_fed = e->in->field[x->beyond[face]].role == ROLE_FED,
                                                    .form = form_of(&e->in->field[x->beyond[face]])};
    for (int axis = 0; axis < 3; axis++) {
        const enum ghost low = x->ghost[2 * axis], high = x->ghost[2 * axis + 1];
        double (*const at)(const struct grid *, int, int) = axis == 0 ? grid_x : axis == 1 ? grid_y : grid_z;
        double apart[2][GHOST_MAX_DEPTH] = {{0}};
        const int n = cells[axis], deep = axis == 2 && x->shape != SHAPE_FULL ? 0 : depth[axis];
        if (!ghost_is_made(low) && !ghost_is_made(high)) continue;
        SF_CHECK(n >= deep, SF_INTERNAL, "%d cells along an axis are fewer than the ghosts of %s", n, x->name);
        for (int d = 0; d < deep; d++)
            apart[0][d] = at(g, d, 0) - at(g, 0, 1), apart[1][d] = at(g, n, 1) - at(g, n - 1 - d, 0);
        ghost_maker_axis(m, axis, n, deep, x->stagger >> axis & 1, low, high, apart);
    }
    return SF_OK;
}

static int maps_make(struct engine *e, const struct layout *l)
{
    const struct grid *g = e->in->grid;
    e->maps = calloc((size_t)e->in->nfields, sizeof *e->maps);
    SF_CHECK(e->maps, SF_MEMORY, "no memory for ghost maps");
    for (int f = 0; f < e->in->nfields; f++) {
        const struct field *x = &e->in->field[f];
        ghost_map_make(&e->maps[f].x, g->nx, l->gi, x->stagger & STAG_X, x->ghost[FACE_W], x->ghost[FACE_E], 0);
        ghost_map_make(&e->maps[f].y, g->ny, e->gj, !!(x->stagger & STAG_Y), x->ghost[FACE_S], x->ghost[FACE_N],
                       e->periodic);
        ghost_map_make(&e->maps[f].z, g->nz, l->gk, !!(x->stagger & STAG_Z), x->ghost[FACE_B], x->ghost[FACE_T], 0);
        if (field_has_made(x)) SF_TRY(maker_make(e, l, f));
    }
    if (!e->backend->is_device) return SF_OK;
    e->look = table_alloc(sizeof *e->look);
    SF_CHECK(e->look, SF_MEMORY, "no memory on the GPU to look for NaN");
    return SF_OK;
}

/* Where the messages of a segment lie: on the CPU those of two that follow each other are on their way, and passes end
 * with none. */
static struct halo_pool *pool_of(struct engine *e, const struct backend *on, int segment)
{
    if (on->is_device) return &e->pool[0];
    return e->backend->is_device || e->slabs > 1 ? NULL : &e->pool[segment % 2];
}

static int halos_make(struct engine *e, const struct layout *l)
{
    enum { TAGS = 400, PROMISED = 32767 }; /* exchanges of a pass, at most; tags that every MPI has */
    _Static_assert((ENGINE_PASSES * TAGS + 1) * HALO_TAGS <= PROMISED, "too many tags");
    for (int n = 0; n < 2 && e->slabs > 1; n++) {
        struct plan_rows rows[2 * SF_MAX_FIELDS];
        const int nrows = streamed_rows(e, rows);
        SF_TRY(halo_make(&e->stream.halo[n], rows, nrows, e->pass[0].plan.form, &e->comm, l, e->periodic, e->gj, n,
                         &backend_cpu, NULL));
    }
    for (int n = 0; n < e->npasses && e->slabs == 1; n++) {
        const struct plan *p = &e->pass[n].plan;
        const int all = p->nsegments + has_turns(e);
        e->pass[n].halo = calloc((size_t)all, sizeof *e->pass[n].halo);
        SF_CHECK(e->pass[n].halo, SF_MEMORY, "no memory for halos");
        for (int s = 0; s < all; s++) {
            const struct plan_segment *const g = &p->segment[s % p->nsegments];
            SF_TRY(halo_make(&e->pass[n].halo[s], g->halo, g->nhalo, p->form, &e->comm, l, e->periodic, e->gj,
                             n * TAGS + s, e->backend, pool_of(e, e->backend, s)));
        }
    }
    struct plan_rows rows[SF_MAX_FIELDS];
    const int nrows = refresh_rows(e, rows);
    SF_TRY(halo_make(&e->refresh, rows, nrows, e->pass[0].plan.form, &e->comm, l, e->periodic, e->gj,
                     ENGINE_PASSES * TAGS, &backend_cpu, pool_of(e, &backend_cpu, 0)));
    for (int n = 0; n < 2; n++) SF_TRY(halo_pool_make(&e->pool[n], e->backend));
    e->received[0] = e->slabs > 1 && e->backend->is_device ? e->stream.halo[0].nrecv : 0; /* through the host */
    return SF_OK;
}

/* Can the device run all that the program asks for? */
static int stages_check(const struct engine *e)
{
    for (int n = 0; n < e->in->nops + e->in->npair && e->backend->is_device; n++) {
        const struct stage *const s =
            &e->in->model->stage[n < e->in->nops ? e->in->op[n].stage : e->in->pair[n - e->in->nops].stage];
        SF_CHECK(s->launch, SF_GPU, "stage %s of the model has no kernels: use --backend cpu", s->name);
    }
    return SF_OK;
}

static int fetch(void *e) { return engine_fetch(e); }
static int rows(void *e, const struct reduction *r, double *out, int *done) { return engine_rows(e, r, out, done); }

static int slots_make(struct engine *e, const struct layout *l)
{
    const struct plan *p = &e->pass[0].plan;
    const struct slab *const host = &e->state->host.s;
    unsigned char skip[2 * SF_MAX_FIELDS] = {0};
    int held[SF_MAX_FIELDS];
    for (int n = 0; n < ENGINE_SLOTS && e->opt.overlapped; n++)
        SF_TRY(storage_init(&e->slot[n], e->backend, l, p->nids, p->form, NULL, STORAGE_MOVES, e->slot_rows));
    slot_held(e, held);
    if (!e->opt.overlapped)
        SF_TRY(storage_init_folded(&e->slot[0], e->backend, l, e->grain, p->nids, p->form, held, host->j0, host->rows));
    kept_skip(e, skip);
    for (int n = 0; n < 2 && keep_rows(e); n++)
        SF_TRY(storage_init(&e->stream.keep[n], e->backend, l, p->nids, p->form, skip, STORAGE_MOVES, keep_rows(e)));
    e->stream.left = calloc((size_t)host->rows, sizeof *e->stream.left);
    SF_CHECK(e->stream.left, SF_MEMORY, "no memory for streamed slabs");
    return SF_OK;
}

static int engine_fill(struct engine *e, const struct instance *in, struct state *st, const struct engine_options *opt)
{
    unsigned char skip[2 * SF_MAX_FIELDS] = {0};
    struct layout l;
    *e = (struct engine){.in = in,
                         .opt = *opt,
                         .comm = st->comm,
                         .state = st,
                         .backend = opt->backend ? opt->backend : &backend_cpu,
                         .is_watched = 1};
    e->device_is_old = 1;
    e->barrier.spins = barrier_spins();
    st->fetch = fetch;
    st->rows = rows;
    st->engine = e;
    SF_TRY(stages_check(e));
    SF_TRY(periods_make(&e->periods, in));
    e->opt.threads = engine_threads(opt, in->grid, &e->comm);
    st->threads = st->threads_most = engine_host_threads(opt, in->grid, &e->comm);
    engine_team_open(e);
    SF_TRY(engine_fit(e, &l, skip));
    engine_windows(e, &l);
    const struct plan *p = &e->pass[0].plan;
    comm_rows(&e->comm, in->grid->ny, e->comm.rank, &st->ja, &st->jb);
    const int first = st->ja - e->gs, rows = st->jb - st->ja + e->gs + e->gn;
    SF_TRY(storage_init(&st->host, &backend_cpu, &l, p->nids, p->form, skip, first, rows));
    e->backend->pin(st->host.arena, st->host.bytes);
    if (e->slabs == 1 && e->backend->is_device)
        SF_TRY(storage_init(&e->device, e->backend, &l, p->nids, p->form, NULL, first, rows));
    if (e->slabs > 1) SF_TRY(slots_make(e, &l));
    SF_TRY(maps_make(e, &l));
    SF_TRY(feeds_open(e));
    SF_TRY(halos_make(e, &l));
    e->stage_time = calloc((size_t)in->model->nstages + 1, sizeof *e->stage_time);
    SF_CHECK(e->stage_time, SF_MEMORY, "no memory for timings");
    const size_t device_bytes = device_work_bytes(e);
    size_t room = 0;
    if (device_bytes) e->device_work = e->backend->alloc(device_bytes, &room);
    SF_CHECK(!device_bytes || e->device_work, SF_MEMORY,
             "no memory on the GPU for the scratch space of columns: %.1f MiB, where %.1f MiB are free",
             (double)device_bytes / 1048576, (double)room / 1048576);
    const size_t bytes = e->backend->is_device ? 0 : (work_bytes(e) + 4095) / 4096 * 4096;
    for (int t = 0; t < e->opt.threads && bytes; t++) {
        e->work[t] = aligned_alloc(4096, bytes);
        SF_CHECK(e->work[t], SF_MEMORY, "no memory for the scratch space of %d threads", e->opt.threads);
        memset(e->work[t], 0, bytes);
    }
    return SF_OK;
}

int engine_preview(struct engine *e, const struct instance *in, struct state *st, const struct engine_options *opt)
{
    unsigned char skip[2 * SF_MAX_FIELDS] = {0};
    *e = (struct engine){
        .in = in, .opt = *opt, .comm = st->comm, .state = st, .backend = opt->backend ? opt->backend : &backend_cpu};
    e->opt.threads = engine_threads(opt, in->grid, &e->comm);
    comm_rows(&e->comm, in->grid->ny, e->comm.rank, &st->ja, &st->jb);
    return engine_fit(e, &st->host.lay, skip);
}

/* Once all ranks have theirs. One that fails goes on: the others wait for what it says of the next. */
static int halos_share(struct engine *e)
{
    int rc = SF_OK;
    e->shares = 1;
    for (int n = 0; n < e->npasses; n++)
        for (int s = 0; s < e->pass[n].plan.nsegments + 1; s++) {
            struct halo *const h = &e->pass[n].halo[s];
            const int one = halo_share(h);
            if (one == SF_COMM) return one;
            if (!rc) rc = one;
            for (int m = 0; m < h->nrecv; m++) e->received[h->recv[m].is_direct]++;
        }
    return rc;
}

/* What other ranks opened of this one's is given back before it is freed. */
static void halos_leave(struct engine *e)
{
    for (int n = 0; n < e->npasses; n++)
        for (int s = 0; s < e->pass[n].plan.nsegments + 1; s++) halo_leave(&e->pass[n].halo[s]);
    comm_barrier(&e->comm);
    e->shares = 0;
}

int engine_open(struct engine *e, const struct instance *in, struct state *st, const struct engine_options *opt)
{
    int rc = engine_fill(e, in, st, opt);
    if (st->comm.size > 1 && opt->backend && opt->backend->is_device) rc = outcome_share(&st->comm, rc);
    if (!rc && has_turns(e)) rc = outcome_share(&st->comm, halos_share(e));
    if (rc == SF_COMM) e->shares = 0;
    if (rc) engine_close(e);
    return rc;
}

void engine_close(struct engine *e)
{
    for (int lane = 0; lane < LANES && e->backend; lane++)
        e->backend->sync((enum lane)lane); /* after a failure they may be at work */
    feeds_close(e); /* first: a thread of theirs reads what the engine knows */
    if (e->shares) halos_leave(e);
    for (int n = 0; n < ENGINE_PASSES; n++) {
        for (int s = 0; e->pass[n].halo && s < e->pass[n].plan.nsegments + has_turns(e); s++)
            halo_free(&e->pass[n].halo[s]);
        free(e->pass[n].halo);
        plan_free(&e->pass[n].plan);
    }
    for (int n = 0; n < 2; n++) plan_free(&e->even[n].plan);
    halo_free(&e->refresh);
    for (int n = 0; n < 2; n++) halo_pool_free(&e->pool[n]);
    for (int n = 0; n < 2; n++) halo_free(&e->stream.halo[n]), storage_free(&e->stream.keep[n]);
    for (int n = 0; n < ENGINE_SLOTS; n++) storage_free(&e->slot[n]);
    free(e->stream.left);
    free(e->lane_marks);
    free(e->lanes.span);
    snapshot_free(e);
    storage_free(&e->device);
    table_free(e->look);
    table_free(e->rows);
    for (int t = 0; t < THREADS_MOST; t++) free(e->work[t]);
    if (e->device_work) e->backend->free(e->device_work);
    for (int f = 0; e->maps && f < e->in->nfields; f++) free((void *)e->maps[f].maker);
    free(e->maps);
    free(e->since);
    free(e->stage_time);
    free(e->marks);
    if (e->state && e->state->host.arena && e->backend) e->backend->unpin(e->state->host.arena);
    if (e->state) storage_free(&e->state->host);
    memset(e, 0, sizeof *e);
}

int engine_memory(const struct instance *in, const struct comm *c, const struct grid *g,
                  const struct engine_options *opt, size_t *bytes, size_t *minimum)
{
    struct state none = {.comm = *c, .grid = g, .in = in};
    struct engine e;
    const int rc = engine_preview(&e, in, &none, opt);
    *bytes = rc ? 0 : e.bytes;
    *minimum = rc ? 0 : e.bytes_least;
    engine_close(&e);
    return rc;
}

int engine_refresh(struct engine *e)
{
    SF_TRY(engine_fetch(e));
    return ghosts_refresh(e, e->state);
}

int ghosts_refresh(struct engine *e, struct state *st)
{
    const struct layout *l = &st->host.lay;
    const struct reach all = {.im = (signed char)l->gi,
                              .ip = (signed char)l->gi,
                              .km = (signed char)l->gk,
                              .kp = (signed char)l->gk,
                              .jm = (signed char)e->gj,
                              .jp = (signed char)e->gj};
    feeds_show(e, st);
#pragma omp parallel for schedule(dynamic) num_threads(state_threads(st))
    for (int f = 0; f < e->in->nfields; f++) {
        const struct field *x = &e->in->field[f];
        if ((x->shape != SHAPE_FULL && x->shape != SHAPE_MAP) || x->role == ROLE_SCRATCH || x->role == ROLE_FED ||
            x->bytes)
            continue;
        const int far_row = e->extend_n || field_owns_far(x, FACE_N);
        const struct box whole = {.i1 = l->ni + (e->extend_e || field_owns_far(x, FACE_E)),
                                  .k1 = l->nk + (e->extend_t || field_owns_far(x, FACE_T)),
                                  .j0 = st->ja,
                                  .j1 = st->jb + (far_row && st->jb == l->nj)};
        ghost_fill(&st->host.s, l, x->shape, f, &e->maps[f], all, whole);
    }
    return engine_exchange(e, &e->refresh, &st->host.s);
}

static void access_text(char *to, size_t size, const struct instance *in, const struct plan *p, const struct plan_op *o)
{
    size_t at = 0;
    to[0] = '\0';
    for (int a = 0; a < o->naccess && at + 48 < size; a++) {
        const struct plan_access *x = &o->access[a];
        const char *name = in->field[p->field_of[x->id]].name;
        if (p->form[x->id].shape == SHAPE_LEVELS) continue;
        const struct reach r = x->reach;
        const char mark = x->mode == ACCESS_WRITE ? '=' : x->mode == ACCESS_UPDATE ? '+' : ' ';
        if (r.jm || r.jp) at += (size_t)snprintf(to + at, size - at, " %s[-%d,%d]", name, r.jm, r.jp);
        else at += (size_t)snprintf(to + at, size - at, " %s%c", name, mark);
    }
}

void engine_print(const struct engine *e, void (*line)(void *to, const char *text), void *to)
{
    char text[1024], access[768];
    const struct plan *p = &e->pass[0].plan;
    const struct layout *l = &e->state->host.lay;
    snprintf(text, sizeof text, "pass: %d step%s, %d ops in %d segment%s; %d slab%s %s; %d rank%s x %d thread%s",
             p->steps, p->steps > 1 ? "s" : "", p->nops, p->nsegments, p->nsegments > 1 ? "s" : "", e->slabs,
             e->slabs > 1 ? "s" : "", e->slabs > 1 ? (e->opt.overlapped ? "overlapped" : "skewed") : "resident",
             e->comm.size, e->comm.size > 1 ? "s" : "", e->opt.threads, e->opt.threads > 1 ? "s" : "");
    line(to, text);
    snprintf(text, sizeof text,
             "ghosts: %d columns, %d levels, %d rows at sides, %d + %d rows at seams; row %zu bytes of a field", l->gi,
             l->gk, e->gj, e->gs, e->gn, layout_row_bytes(l, &(struct form){.shape = SHAPE_FULL}));
    line(to, text);
    for (int s = 0; s < p->nsegments; s++) {
        const struct plan_segment *g = &p->segment[s];
        const int has_halos = e->slabs > 1 || e->pass[0].halo; /* a preview has none */
        const double mib =
            !has_halos ? 0 : (double)halo_bytes(e->slabs > 1 ? &e->stream.halo[0] : &e->pass[0].halo[s]) / 1048576.0;
        if (mib > 0)
            snprintf(text, sizeof text, "segment %d: exchanges %d fields, %d + %d rows, %.3f MiB; deepest lag %d", s,
                     g->nhalo, g->south, g->north, mib, g->lag[0]);
        else if (!has_halos)
            snprintf(text, sizeof text, "segment %d: exchanges %d fields, %d + %d rows; deepest lag %d", s, g->nhalo,
                     g->south, g->north, g->lag[0]);
        else snprintf(text, sizeof text, "segment %d: exchanges nothing; deepest lag %d", s, g->lag[0]);
        line(to, text);
        for (int n = g->op0; n < g->op1; n++) {
            const struct plan_op *o = &p->op[n];
            access_text(access, sizeof access, e->in, p, o);
            snprintf(text, sizeof text, "  %3d %-10s dt x %-8.5g lag %2d %2d  beyond %d+%d |%s", n, o->stage->name,
                     o->op.dt_factor, o->lag[0], o->lag[1], o->south, o->north, access);
            line(to, text);
        }
    }
    snprintf(text, sizeof text, "memory: %.2f MiB of this rank", (double)e->bytes / 1048576.0);
    line(to, text);
}
