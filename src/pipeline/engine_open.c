/* Plans, sizes and memory of an engine. SPDX-License-Identifier: MIT */
#include "pipeline/engine_parts.h"

#include "pipeline/error.h"
#include "pipeline/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_max_threads(void) { return 1; }
#endif

enum {
    WORK_MARGIN = 64,
    THREAD_POINTS = 8192 /* fewest points of a window worth a thread: about ten times the cost of a barrier */
};

/* What was asked for, else all, but no more than a window of rows feeds. */
int engine_threads(const struct engine_options *o, const struct grid *g)
{
    if (o->backend && o->backend->is_device) return 1; /* it fills the streams */
    if (o->threads > 0) return SF_MIN(o->threads, ENGINE_MAX_THREADS);
    const double points = (double)g->nx * g->nz * SF_MIN(g->ny, 4);
    const int fed = points > 1e9 ? ENGINE_MAX_THREADS : SF_MAX(1, (int)(points / THREAD_POINTS));
    return SF_MIN(SF_MIN(omp_get_max_threads(), fed), ENGINE_MAX_THREADS);
}

/* Steps in a pass where the options leave it open: a program of points alone gains from several, for windows of levels keep them in
 * cache (EM model, 256^3 on one core: 270 Mcell-steps/s with 1, 370 with 4, 480 with 8); but rows that ranks compute for each
 * other should stay few. */
static int steps_of(const struct engine *e)
{
    enum { MOST = 8, ROWS_PER_STEP = 12, STREAMED = 4 };
    const struct instance *in = e->in;
    if (e->opt.slabs > 1) return e->backend->is_device ? STREAMED : 1; /* several hide the transfers */
    for (int n = 0; n < in->nops; n++)
        if (in->model->stage[in->op[n].stage].unit != UNIT_POINT) return 1;
    if (field_is_periodic(in, FACE_B)) return 1;
    if (e->comm.size == 1 && !(field_is_periodic(in, FACE_S) && in->grid->ny > 1)) return MOST;
    return SF_MIN(MOST, SF_MAX(1, in->grid->ny / e->comm.size / ROWS_PER_STEP));
}

/* What one exchange costs beside its bytes, in bytes that a core moves meanwhile: about 20 us between ranks, 1 us within. */
static const double latency_bytes_between = 4e5, latency_bytes_within = 2e4;
/* On a device: about 3 us for a kernel that copies, 50 us through the host. */
static const double latency_bytes_launched = 1e7, latency_bytes_staged = 2e8;

struct engine_options engine_options_of(const struct config *c)
{
    return (struct engine_options){.threads = c->pipeline_threads, .slabs = c->pipeline_slabs,
                                   .overlapped = c->pipeline_overlapped, .steps_per_pass = c->pipeline_steps_per_pass,
                                   .window_rows = c->pipeline_window_rows,
                                   .window_levels = c->pipeline_window_levels, .exchange = c->pipeline_exchange,
                                   .device_memory = (size_t)(c->pipeline_device_memory_mib * 1048576)};
}

static int pass_plan(struct engine *e, struct engine_pass *p, int steps, int ghost_rows)
{
    const struct instance *in = e->in;
    const int nj = e->in->grid->ny;
    const double row_bytes = (double)e->in->grid->nx * e->in->grid->nz * sizeof(real);
    const double latency = e->backend->is_device ? (e->comm.size > 1 ? latency_bytes_staged : latency_bytes_launched)
                                                 : e->comm.size > 1 ? latency_bytes_between : latency_bytes_within;
    const int cuts = e->slabs > 1 && e->opt.overlapped ? e->slabs : 1;
    const struct cut cut = {
        .rows = nj / e->comm.size / cuts,
        .seams = e->periodic || e->comm.size > 1,
        .sided = !e->periodic && (e->comm.size > 1 || cuts > 1),
        .streamed = e->slabs > 1,
        .by_op = e->opt.exchange == EXCHANGE_OP,
        .by_pass = e->opt.exchange == EXCHANGE_PASS,
        .row_elements = e->in->grid->nx * e->in->grid->nz,
        .latency_rows = latency / row_bytes,
        .ghost_rows = ghost_rows};
    plan_free(&p->plan);
    return plan_make(&p->plan, in->field, in->nfields, in->model->stage, in->model->nstages, in->op, in->nops, steps, &cut);
}

static size_t work_bytes(const struct engine *e)
{
    size_t most = 0;
    for (int s = 0; s < e->in->model->nstages; s++) {
        const struct stage *x = &e->in->model->stage[s];
        if (x->work_bytes) most = SF_MAX(most, x->work_bytes(e->in->grid->nx + WORK_MARGIN, e->in->grid->nz));
    }
    return most;
}

static void skip_set(const struct engine *e, unsigned char *skip)
{
    const struct plan *p = &e->pass[0].plan;
    for (int id = 0; id < p->nids; id++) {
        const struct field *f = &e->in->field[p->field_of[id]];
        const int away = e->slabs > 1 || e->backend->is_device; /* computing happens elsewhere */
        skip[id] = away && f->shape != SHAPE_LEVELS && (f->role == ROLE_SCRATCH || id != p->field_of[id]);
    }
}

/* What engine_refresh exchanges. */
static int refresh_rows(const struct engine *e, struct plan_rows *rows)
{
    /* A single step may be cut into longer segments than several. */
    const struct plan *p = &e->pass[0].plan, *one = &e->pass[1].plan;
    const int south = SF_MAX(p->south, one->south), north = SF_MAX(p->north, one->north);
    int n = 0;
    for (int f = 0; f < e->in->nfields; f++) {
        const struct field *x = &e->in->field[f];
        if (x->shape == SHAPE_LEVELS || x->role == ROLE_SCRATCH || x->bytes) continue;
        const int all = x->role == ROLE_STATIC;
        rows[n++] = (struct plan_rows){.id = f, .south = SF_MAX(all ? south : 0, e->gj),
                                       .north = SF_MAX(all ? north : 0, e->gj)};
    }
    return n;
}

static size_t rows_bytes(const struct plan *p, const struct layout *l, const struct plan_rows *rows, int n)
{
    size_t bytes = 0;
    for (int r = 0; r < n; r++)
        bytes += (size_t)(rows[r].south + rows[r].north) * layout_row_bytes(l, &p->form[rows[r].id]);
    return bytes;
}

/* Messages of all exchanges, sent and received. Alone, a rank copies its rows without any. */
static size_t messages_bytes(const struct engine *e, const struct layout *l)
{
    if (e->comm.size == 1) return 0;
    struct plan_rows rows[SF_MAX_FIELDS];
    const int passes = e->pass[0].plan.steps > 1 ? 2 : 1; /* the second serves the steps that are left over */
    size_t bytes = rows_bytes(&e->pass[0].plan, l, rows, refresh_rows(e, rows));
    for (int n = 0; n < passes; n++) {
        const struct plan *p = &e->pass[n].plan;
        for (int s = 0; s < p->nsegments; s++) bytes += rows_bytes(p, l, p->segment[s].halo, p->segment[s].nhalo);
    }
    return 2 * bytes;
}

/* Rows that a rank with neighbours on both sides stores beyond its own. */
static void rows_beyond(const struct engine *e, int *south, int *north)
{
    /* A single step may be cut into longer segments than several. */
    const struct plan *p = &e->pass[0].plan, *one = &e->pass[1].plan;
    *south = SF_MAX(SF_MAX(p->south, one->south), e->gj);
    *north = SF_MAX(SF_MAX(p->north, one->north) + e->extend_n, e->gj);
}

static int plans_try(struct engine *e, struct layout *l, int ghost_rows)
{
    const struct grid *g = e->in->grid;
    SF_TRY(pass_plan(e, &e->pass[0], e->opt.steps_per_pass, ghost_rows));
    SF_TRY(pass_plan(e, &e->pass[1], 1, ghost_rows));
    const struct plan *p = &e->pass[0].plan;
    e->gj = SF_MAX(p->gj, 1);
    e->extend_e = p->extend_e;
    e->extend_n = p->extend_n;
    e->extend_t = p->extend_t;
    SF_CHECK(SF_MAX(p->gi, SF_MAX(p->gk, e->gj)) <= GHOST_MAX_DEPTH, SF_INTERNAL, "a stage reaches too far");
    *l = layout_make(e->backend->line, g->nx, g->nz, g->ny, SF_MAX(p->gi, 1), SF_MAX(p->gk, 1));
    return SF_OK;
}

/* One copy of every full field on `rows` rows, without ghosts and padding. */
static size_t bytes_least(const struct engine *e, int rows)
{
    const struct plan *p = &e->pass[0].plan;
    size_t bytes = 0;
    for (int id = 0; id < p->nids; id++)
        if (p->form[id].shape == SHAPE_FULL) bytes += p->form[id].bytes ? (size_t)p->form[id].bytes : sizeof(real);
    return bytes * (size_t)e->in->grid->nx * (size_t)e->in->grid->nz * (size_t)rows;
}

/* What the rows of a rank may take, as a multiple of one copy of every field. With the scratch space of threads it is 1.3. */
static const double memory_share = 1.29;

/* Ghost rows that may be added to the memory of the fewest rows of any rank: the same on all ranks, as the plan must be. */
static int ghost_rows_most(const struct engine *e, const struct layout *l)
{
    const struct plan *p = &e->pass[0].plan;
    const int rows = e->in->grid->ny / e->comm.size;
    const size_t own = storage_bytes(l, p->nids, p->form, NULL, rows) + messages_bytes(e, l);
    const size_t row = storage_bytes(l, p->nids, p->form, NULL, rows + 1) - storage_bytes(l, p->nids, p->form, NULL, rows);
    const double room = memory_share * (double)bytes_least(e, rows) - (double)own;
    return room > 0 ? (int)(room / (double)row) : 0;
}

/* The cheapest plan whose memory stays within that share; where there is none, the cheapest of all. */
static int plans_make(struct engine *e, struct layout *l)
{
    SF_TRY(plans_try(e, l, 0));
    if (e->slabs > 1 || !(e->periodic || e->comm.size > 1) || e->opt.exchange != EXCHANGE_AUTO) return SF_OK;
    int south, north;
    rows_beyond(e, &south, &north);
    int most = ghost_rows_most(e, l), limit = SF_MIN(most, south + north);
    while (south + north > most && limit > 0) {
        SF_TRY(plans_try(e, l, limit--));
        rows_beyond(e, &south, &north);
        most = ghost_rows_most(e, l);
    }
    return south + north > most ? plans_try(e, l, 0) : SF_OK;
}

/* Plans and sizes; no memory of fields. */
static int engine_size(struct engine *e, struct layout *l, unsigned char *skip)
{
    const struct grid *g = e->in->grid;
    const struct comm *comm = &e->comm;
    int ja, jb;
    SF_CHECK(comm->size <= g->ny, SF_USAGE, "%d ranks are more than the %d rows of the grid: use at most %d", comm->size,
             g->ny, g->ny);
    comm_rows(comm, g->ny, comm->rank, &ja, &jb);
    /* One row repeats itself: its ghosts are filled like those beyond a side, and nothing is exchanged. */
    e->periodic = field_is_periodic(e->in, FACE_S) && g->ny > 1;
    e->seam_s = e->periodic || comm->rank > 0;
    e->seam_n = e->periodic || comm->rank + 1 < comm->size;
    e->slabs = e->opt.slabs;
    SF_TRY(plans_make(e, l));
    const struct plan *p = &e->pass[0].plan, *one = &e->pass[1].plan;
    rows_beyond(e, &e->gs, &e->gn);
    if (!e->seam_s) e->gs = e->gj;
    if (!e->seam_n) e->gn = e->gj;
    if (!e->periodic) {
        e->gs = SF_MIN(e->gs, ja + e->gj);
        e->gn = SF_MIN(e->gn, g->ny - jb + e->gj);
    }
    if (e->slabs > 1) {
        /* Fewer slabs where they would be shorter than what they need of each other, or than what rows beyond a side are made from:
         * row -m of a field on faces is made from row m. */
        const int rows = jb - ja, shortest = e->opt.overlapped ? SF_MAX(p->south, e->gj + 1) : 1;
        e->slabs = SF_MAX(1, SF_MIN(e->slabs, rows / shortest));
        const struct plan_segment *s = &p->segment[0];
        /* Rows beyond the southern side change with as many rows inside it, lagging as those do. */
        e->edge = SF_MAX(SF_MAX(s->edge[0], one->segment[0].edge[0]), s->lag[0] + 2 * e->gj);
        const int span = rows + e->gs + e->gn, width = (span + e->slabs - 1) / e->slabs + 1 + 2 * e->gj;
        e->slot_rows = e->opt.overlapped ? rows / e->slabs + 1 + e->gs + e->gn + p->south + p->north : width + e->edge;
    }
    skip_set(e, skip);
    e->bytes = storage_pages(storage_bytes(l, p->nids, p->form, skip, jb - ja + e->gs + e->gn)) +
               (size_t)e->opt.threads * work_bytes(e) + messages_bytes(e, l);
    const size_t slots = e->slabs > 1 ? ENGINE_SLOTS * storage_pages(storage_bytes(l, p->nids, p->form, NULL, e->slot_rows)) : 0;
    if (!e->backend->is_device) e->bytes += slots;
    else e->device_bytes = slots ? slots : storage_pages(storage_bytes(l, p->nids, p->form, NULL, jb - ja + e->gs + e->gn));
    return SF_OK;
}

/* The same, with as many slabs as it takes for the memory of a device. The same number on all ranks. */
static int engine_fit(struct engine *e, struct layout *l, unsigned char *skip)
{
    const int asked = e->opt.steps_per_pass;
    const double mib = 1048576.0, share = 0.95; /* of what is left: the device takes some itself */
    for (;;) {
        if (asked <= 0) e->opt.steps_per_pass = steps_of(e);
        SF_TRY(engine_size(e, l, skip));
        if (!e->backend->is_device) return SF_OK;
        const size_t left = (size_t)(share * (double)e->backend->room(comm_locals(&e->comm)));
        const size_t most = e->opt.device_memory && e->opt.device_memory < left ? e->opt.device_memory : left;
        int lacks = e->device_bytes > most, stuck = lacks && e->opt.slabs > e->slabs;
        SF_TRY(comm_max(&e->comm, &lacks));
        SF_TRY(comm_max(&e->comm, &stuck));
        if (!lacks) return SF_OK;
        SF_CHECK(!stuck, SF_MEMORY,
                 "even in %d slabs this case takes %.1f MiB of the GPU, where %.1f MiB may be used: use fewer cells, more GPUs, a larger "
                 "&pipeline device_memory_mib or --backend cpu", e->slabs, (double)e->device_bytes / mib, (double)most / mib);
        e->opt.slabs = 2 * e->opt.slabs;
    }
}

static int maps_make(struct engine *e, const struct layout *l)
{
    const struct grid *g = e->in->grid;
    e->maps = calloc((size_t)e->in->nfields, sizeof *e->maps);
    SF_CHECK(e->maps, SF_MEMORY, "no memory for ghost maps");
    for (int f = 0; f < e->in->nfields; f++) {
        const struct field *x = &e->in->field[f];
        ghost_map_make(&e->maps[f].x, g->nx, l->gi, x->stagger & STAG_X, x->ghost[FACE_W], x->ghost[FACE_E], 0);
        ghost_map_make(&e->maps[f].y, g->ny, e->gj, !!(x->stagger & STAG_Y), x->ghost[FACE_S], x->ghost[FACE_N], e->periodic);
        ghost_map_make(&e->maps[f].z, g->nz, l->gk, !!(x->stagger & STAG_Z), x->ghost[FACE_B], x->ghost[FACE_T], 0);
    }
    if (!e->backend->is_device) return SF_OK;
    const size_t bytes = (size_t)e->in->nfields * sizeof *e->maps;
    e->device_maps = table_alloc(bytes);
    e->look = table_alloc(sizeof *e->look);
    SF_CHECK(e->device_maps && e->look, SF_MEMORY, "no memory on the GPU for ghost maps");
    memcpy(e->device_maps, e->maps, bytes);
    return SF_OK;
}

static int halos_make(struct engine *e, const struct layout *l)
{
    for (int n = 0; n < 2; n++) {
        const struct plan *p = &e->pass[n].plan;
        e->pass[n].halo = calloc((size_t)p->nsegments, sizeof *e->pass[n].halo);
        SF_CHECK(e->pass[n].halo, SF_MEMORY, "no memory for halos");
        for (int s = 0; s < p->nsegments; s++)
            SF_TRY(halo_make(&e->pass[n].halo[s], p->segment[s].halo, p->segment[s].nhalo, p->form, &e->comm, l,
                             e->periodic, e->gj, s, e->slabs > 1 ? &backend_cpu : e->backend));
    }
    struct plan_rows rows[SF_MAX_FIELDS];
    const int nrows = refresh_rows(e, rows);
    return halo_make(&e->refresh, rows, nrows, e->pass[0].plan.form, &e->comm, l, e->periodic, e->gj, 4096, &backend_cpu);
}

/* Can the device run all that the program asks for? */
static int stages_check(const struct engine *e)
{
    for (int n = 0; n < e->in->nops && e->backend->is_device; n++) {
        const struct stage *const s = &e->in->model->stage[e->in->op[n].stage];
        SF_CHECK(s->launch, SF_GPU, "stage %s of the model has no kernels: use --backend cpu", s->name);
    }
    return SF_OK;
}

static int fetch(void *e) { return engine_fetch(e); }

static int engine_fill(struct engine *e, const struct instance *in, struct state *st, const struct engine_options *opt)
{
    unsigned char skip[2 * SF_MAX_FIELDS] = {0};
    struct layout l;
    *e = (struct engine){.in = in, .opt = *opt, .comm = st->comm, .state = st, .backend = opt->backend ? opt->backend : &backend_cpu};
    e->device_is_old = 1;
    e->barrier.spins = barrier_spins();
    st->fetch = fetch;
    st->engine = e;
    SF_TRY(stages_check(e));
    e->opt.threads = engine_threads(opt, in->grid);
    SF_TRY(engine_fit(e, &l, skip));
    engine_windows(e, &l, &e->opt.window_rows, &e->opt.window_levels);
    const struct plan *p = &e->pass[0].plan;
    comm_rows(&e->comm, in->grid->ny, e->comm.rank, &st->ja, &st->jb);
    const int first = st->ja - e->gs, rows = st->jb - st->ja + e->gs + e->gn;
    SF_TRY(storage_init(&st->host, &backend_cpu, &l, p->nids, p->form, skip, first, rows));
    e->backend->pin(st->host.arena, st->host.bytes);
    if (e->slabs == 1 && e->backend->is_device)
        SF_TRY(storage_init(&e->device, e->backend, &l, p->nids, p->form, NULL, first, rows));
    for (int n = 0; n < ENGINE_SLOTS && e->slabs > 1; n++)
        SF_TRY(storage_init(&e->slot[n], e->backend, &l, p->nids, p->form, NULL, 0, e->slot_rows));
    SF_TRY(maps_make(e, &l));
    SF_TRY(halos_make(e, &l));
    e->stage_time = calloc((size_t)in->model->nstages, sizeof *e->stage_time);
    SF_CHECK(e->stage_time, SF_MEMORY, "no memory for timings");
    const size_t bytes = (work_bytes(e) + 4095) / 4096 * 4096;
    for (int t = 0; t < e->opt.threads && bytes; t++) {
        e->work[t] = aligned_alloc(4096, bytes);
        SF_CHECK(e->work[t], SF_MEMORY, "no memory for the scratch space of %d threads", e->opt.threads);
        memset(e->work[t], 0, bytes);
    }
    return SF_OK;
}

int engine_open(struct engine *e, const struct instance *in, struct state *st, const struct engine_options *opt)
{
    const int rc = engine_fill(e, in, st, opt);
    if (rc) engine_close(e);
    return rc;
}

void engine_close(struct engine *e)
{
    for (int n = 0; n < 2; n++) {
        for (int s = 0; s < e->pass[n].plan.nsegments && e->pass[n].halo; s++) halo_free(&e->pass[n].halo[s]);
        free(e->pass[n].halo);
        plan_free(&e->pass[n].plan);
    }
    halo_free(&e->refresh);
    for (int n = 0; n < ENGINE_SLOTS; n++) storage_free(&e->slot[n]);
    snapshot_free(e);
    storage_free(&e->device);
    table_free(e->device_maps);
    table_free(e->look);
    for (int t = 0; t < ENGINE_MAX_THREADS; t++) free(e->work[t]);
    free(e->maps);
    free(e->stage_time);
    free(e->marks);
    if (e->state && e->state->host.arena && e->backend) e->backend->unpin(e->state->host.arena);
    if (e->state) storage_free(&e->state->host);
    memset(e, 0, sizeof *e);
}

int engine_memory(const struct instance *in, const struct comm *c, const struct grid *g, const struct engine_options *opt,
                  size_t *bytes, size_t *minimum)
{
    struct state none = {.comm = *c, .grid = g, .in = in};
    struct engine e = {.in = in, .opt = *opt, .comm = *c, .state = &none, .backend = opt->backend ? opt->backend : &backend_cpu};
    unsigned char skip[2 * SF_MAX_FIELDS] = {0};
    struct layout l;
    e.opt.threads = engine_threads(opt, g);
    const int rc = engine_fit(&e, &l, skip);
    *bytes = e.bytes;
    *minimum = 0;
    int ja, jb;
    comm_rows(c, g->ny, c->rank, &ja, &jb);
    if (!rc) *minimum = bytes_least(&e, jb - ja);
    plan_free(&e.pass[0].plan);
    plan_free(&e.pass[1].plan);
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
    const struct reach all = {.im = (signed char)l->gi, .ip = (signed char)l->gi, .km = (signed char)l->gk,
                              .kp = (signed char)l->gk, .jm = (signed char)e->gj, .jp = (signed char)e->gj};
    for (int f = 0; f < e->in->nfields; f++) {
        const struct field *x = &e->in->field[f];
        if ((x->shape != SHAPE_FULL && x->shape != SHAPE_MAP) || x->role == ROLE_SCRATCH || x->bytes) continue;
        const struct box whole = {.i1 = l->ni + e->extend_e, .k1 = l->nk + e->extend_t, .j0 = st->ja,
                                  .j1 = st->jb + (e->extend_n && st->jb == l->nj)};
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
    snprintf(text, sizeof text, "pass: %d step%s, %d ops in %d segment%s; %d slab%s %s; %d rank%s x %d thread%s", p->steps,
             p->steps > 1 ? "s" : "", p->nops, p->nsegments, p->nsegments > 1 ? "s" : "", e->slabs, e->slabs > 1 ? "s" : "",
             e->slabs > 1 ? (e->opt.overlapped ? "overlapped" : "skewed") : "resident", e->comm.size,
             e->comm.size > 1 ? "s" : "", e->opt.threads, e->opt.threads > 1 ? "s" : "");
    line(to, text);
    snprintf(text, sizeof text, "ghosts: %d columns, %d levels, %d rows at sides, %d + %d rows at seams; row %zu bytes of a field",
             l->gi, l->gk, e->gj, e->gs, e->gn, layout_row_bytes(l, &(struct form){.shape = SHAPE_FULL}));
    line(to, text);
    for (int s = 0; s < p->nsegments; s++) {
        const struct plan_segment *g = &p->segment[s];
        snprintf(text, sizeof text, "segment %d: exchanges %d fields, %d + %d rows, %.3f MiB; deepest lag %d", s, g->nhalo,
                 g->south, g->north, (double)halo_bytes(&e->pass[0].halo[s]) / 1048576.0, g->lag[0]);
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
