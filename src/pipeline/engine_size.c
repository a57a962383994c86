/* Plans and sizes of an engine: how many steps and slabs, and what they take. SPDX-License-Identifier: MIT */
#include "pipeline/engine_parts.h"

#include "pipeline/error.h"
#include "pipeline/outcome.h"
#include "pipeline/traffic.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORK_MARGIN = 64 };

int engine_host_threads(const struct engine_options *o, const struct grid *g, const struct comm *c)
{
    return threads_for(o->threads, (double)g->nx * g->nz * g->ny / c->size, c);
}

int engine_threads(const struct engine_options *o, const struct grid *g, const struct comm *c)
{
    return o->backend && o->backend->is_device ? 1 /* it fills the streams */ : engine_host_threads(o, g, c);
}

/* Steps in a pass where the options leave it open: a program of points alone gains from several, for windows of levels
 * keep them in cache (EM model, 256^3 on one core: 270 Mcell-steps/s with 1, 370 with 4, 480 with 8), unless z repeats,
 * when levels are not cut; but rows that ranks compute for each other should stay few. A program of two steps takes
 * two. */
static int steps_of(const struct engine *e)
{
    enum { ROWS_PER_STEP = 12 };
    const struct instance *in = e->in;
    if (e->opt.slabs > 1) return 1; /* of a device: see steps_hiding */
    for (int n = 0; n < in->nops; n++)
        if (in->model->stage[in->op[n].stage].unit != UNIT_POINT) return 1;
    const int most = !field_is_periodic(in, FACE_B) ? 8 : in->pair ? 2 : 1;
    if (e->comm.size == 1 && !(field_is_periodic(in, FACE_S) && in->grid->ny > 1)) return most;
    const int steps = SF_MIN(most, SF_MAX(1, in->grid->ny / e->comm.size / ROWS_PER_STEP));
    return in->pair && steps > 1 ? steps / 2 * 2 : steps;
}

/* Rows that a step of the plan lags behind the one before it. */
static int lag_of_step(const struct plan *p)
{
    int most = 0;
    for (int n = 0; n < p->nsegments; n++) most = SF_MAX(most, SF_MAX(p->segment[n].lag[0], p->segment[n].lag[1]));
    return most / p->steps;
}

/* Steps that a streamed pass takes at the least for computing to take longer than the transfers: T >= bytes / rate /
 * time of a step, where a step moves what its ops do at the rate of copies on the device. Transfers beside kernels are
 * slower than alone; where a step adds few rows to what a pass holds on the device, more steps than that cost nothing:
 * EM waves of 1024^3 cells in slabs of 64 rows on an H200 made 48 Gcell-steps/s with 32 steps, 50 with 38. Where a step
 * adds many rows, slabs become smaller with each, and kernels take 1.1 to 1.5 times what copies would: weather with
 * rain made, of the rate of slabs that stay, 84 % with four steps and 89 % with two between periodic sides, 94 and 96 %
 * between open ones (1024 x 1024 x 128, a quarter of the memory of an H200). 0: it is not known. */
static int steps_hiding(const struct engine *e, int *steps)
{
    enum { MOST = 64, FEW_ROWS = 4 };
    const double margin = lag_of_step(&e->pass[0].plan) <= FEW_ROWS ? 1.45 : 0.8;
    double in, out, within;
    const struct traffic t = traffic_of(e->in, &e->pass[0].plan);
    SF_TRY(e->backend->rates(&in, &out, &within));
    *steps = 0;
    if (!(in > 0 && out > 0 && within > 0 && t.ops > 0)) return SF_OK;
    const double transfers = SF_MAX(t.in / in, t.out / out), step = t.ops / within;
    *steps = (int)SF_MIN((double)MOST, 1 + margin * transfers / step);
    return SF_OK;
}

/* After an odd number of turns of the program what kept fields have in second banks has to be copied into the first. */
static int steps_even(const struct engine *e, int steps)
{
    const int turns = e->in->pair ? 4 : 2;
    int banks = 1;
    for (const struct field *f = e->in->field; f < e->in->field + e->in->nfields; f++)
        if (field_is_kept(f)) banks = SF_MAX(banks, f->banks);
    return banks > 1 ? (steps + turns - 1) / turns * turns : steps;
}

/* About half as many. */
static int steps_fewer(const struct engine *e, int steps)
{
    const int even = steps_even(e, (steps + 1) / 2);
    return even < steps ? even : steps > 2 ? 2 : 1;
}

/* What one exchange costs beside its bytes, in bytes that a core moves meanwhile: about 20 us between ranks, 1 us
 * within. */
static const double latency_bytes_between = 4e5, latency_bytes_within = 2e4;
/* On a device: 1 us for kernels that copy, 3 us through the network, behind the rows inside. Weather of 512 rows a GPU
 * made, with 3, 6, 12 and 20 exchanges a step, 3.53, 3.54, 3.55 and 3.59 Gpoint-steps/s on one H200; on two, once a
 * step, as often as this asks for, and before every op 7.09, 7.21 and 7.16; through the host 6.63, 6.66 and 6.67. */
static const double latency_bytes_launched = 3e6, latency_bytes_staged = 1e7;

struct engine_options engine_options_of(const struct config *c)
{
    return (struct engine_options){.threads = c->pipeline_threads,
                                   .adapts = ADAPTS_TO_LOAD,
                                   .slabs = c->pipeline_slabs,
                                   .overlapped = c->pipeline_overlapped,
                                   .steps_per_pass = c->pipeline_steps_per_pass,
                                   .window_rows = c->pipeline_window_rows,
                                   .window_levels = c->pipeline_window_levels,
                                   .exchange = c->pipeline_exchange,
                                   .device_memory = (size_t)(c->pipeline_device_memory_mib * 1048576)};
}

int pass_plan(struct engine *e, struct engine_pass *p, int steps, int ghost_rows)
{
    const struct instance *in = e->in;
    const int nj = e->in->grid->ny;
    const double row_bytes = (double)e->in->grid->nx * e->in->grid->nz * sizeof(real);
    const double latency = e->backend->is_device
                               ? (e->comm.size > comm_locals(&e->comm) ? latency_bytes_staged : latency_bytes_launched)
                           : e->comm.size > 1 ? latency_bytes_between
                                              : latency_bytes_within;
    const int cuts = e->slabs > 1 && e->opt.overlapped ? e->slabs : 1;
    const struct cut cut = {.rows = nj / e->comm.size / cuts,
                            .seams = e->periodic || e->comm.size > 1,
                            .sided = !e->periodic && (e->comm.size > 1 || cuts > 1),
                            .streamed = e->slabs > 1,
                            .by_op = e->opt.exchange == EXCHANGE_OP,
                            .by_pass = e->opt.exchange == EXCHANGE_PASS,
                            .row_elements = e->in->grid->nx * e->in->grid->nz,
                            .latency_rows = latency / row_bytes,
                            .on_device = e->backend->is_device,
                            .ghost_rows = ghost_rows};
    const struct plan_program program = {.op = in->op, .pair = in->pair, .nops = in->nops, .npair = in->npair};
    plan_free(&p->plan);
    return plan_make(&p->plan, in->field, in->nfields, in->model->stage, in->model->nstages, &program, steps, &cut);
}

size_t work_bytes(const struct engine *e)
{
    size_t most = 0;
    for (int s = 0; s < e->in->model->nstages; s++) {
        const struct stage *x = &e->in->model->stage[s];
        if (x->work_bytes) most = SF_MAX(most, x->work_bytes(e->in->grid->nx + WORK_MARGIN, e->in->grid->nz));
    }
    return most;
}

size_t device_work_bytes(const struct engine *e)
{
    size_t most = 0;
    for (int s = 0; s < e->in->model->nstages && e->backend->is_device; s++) {
        const struct stage *x = &e->in->model->stage[s];
        if (x->device_bytes) most = SF_MAX(most, x->device_bytes(e->in->grid->nz));
    }
    return most;
}

static void skip_set(const struct engine *e, unsigned char *skip)
{
    const struct plan *p = &e->pass[0].plan;
    for (int id = 0; id < p->nids; id++) {
        const struct field *f = &e->in->field[p->field_of[id]];
        const int away = e->slabs > 1 || e->backend->is_device; /* computing happens elsewhere */
        skip[id] = away && f->shape != SHAPE_LEVELS && f->role != ROLE_FED && is_passing(e, p, id);
    }
}

/* Rows beyond a rank's own that passes need: few steps may be cut into longer segments than many. */
static void plans_reach(const struct engine *e, int *south, int *north)
{
    *south = *north = 0;
    for (int n = 0; n < e->npasses; n++)
        *south = SF_MAX(*south, e->pass[n].plan.south), *north = SF_MAX(*north, e->pass[n].plan.north);
}

/* What engine_refresh exchanges. */
int refresh_rows(const struct engine *e, struct plan_rows *rows)
{
    int n = 0, south, north;
    plans_reach(e, &south, &north);
    for (int f = 0; f < e->in->nfields; f++) {
        const struct field *x = &e->in->field[f];
        if (x->shape == SHAPE_LEVELS || x->role == ROLE_SCRATCH || x->role == ROLE_FED || x->bytes) continue;
        const int all = x->role == ROLE_STATIC;
        rows[n++] = (struct plan_rows){
            .id = f, .south = SF_MAX(all ? south : 0, e->gj), .north = SF_MAX(all ? north : 0, e->gj)};
    }
    return n;
}

/* Bytes that rank r sends and receives in an exchange. At a seam those are the rows from `south` before it to `north`
 * behind it. */
static size_t messages_of(const struct engine *e, const struct layout *l, const struct plan_rows *rows, int n, int r)
{
    const struct plan *p = &e->pass[0].plan;
    size_t bytes = 0;
    int seam[2];
    comm_rows(&e->comm, e->in->grid->ny, r, &seam[0], &seam[1]);
    for (int side = 0; side < 2; side++) {
        if (!e->periodic && (side ? r + 1 == e->comm.size : r == 0)) continue;
        for (int m = 0; m < n; m++) {
            int first = seam[side] - rows[m].south, last = seam[side] + rows[m].north;
            if (e->periodic || form_rows(&p->form[rows[m].id], l->nj, &first, &last))
                bytes += (size_t)(last - first) * layout_row_bytes(l, &p->form[rows[m].id]);
        }
    }
    return bytes;
}

/* What streamed passes exchange, whatever their steps. */
int streamed_rows(const struct engine *e, struct plan_rows *rows)
{
    int n = 0;
    for (int pass = 0; pass < e->npasses; pass++) {
        const struct plan_segment *g = &e->pass[pass].plan.segment[0];
        for (int h = 0; h < g->nhalo; h++) {
            int m = 0;
            while (m < n && rows[m].id != g->halo[h].id) m++;
            if (m == n) rows[n++] = g->halo[h];
            rows[m].south = SF_MAX(rows[m].south, g->halo[h].south);
            rows[m].north = SF_MAX(rows[m].north, g->halo[h].north);
        }
    }
    return n;
}

/* Messages of all exchanges of rank r. Alone, a rank copies its rows without any. On the CPU every other segment
 * has them in the same memory. */
static size_t messages_bytes(const struct engine *e, const struct layout *l, int r)
{
    if (e->comm.size == 1) return 0;
    struct plan_rows rows[2 * SF_MAX_FIELDS];
    const size_t refresh = messages_of(e, l, rows, refresh_rows(e, rows), r);
    if (e->slabs > 1) return refresh + 2 * messages_of(e, l, rows, streamed_rows(e, rows), r);
    size_t all = refresh, most[2] = {refresh, 0};
    for (int n = 0; n < e->npasses; n++) {
        const struct plan *p = &e->pass[n].plan;
        for (int s = 0; s < p->nsegments; s++) {
            const size_t bytes = messages_of(e, l, p->segment[s].halo, p->segment[s].nhalo, r);
            all += (s || !has_turns(e) ? 1 : 2) * bytes;
            most[s % 2] = SF_MAX(most[s % 2], bytes);
        }
    }
    return e->backend->is_device ? all : most[0] + most[1];
}

struct engine_exchange engine_exchange_of(const struct engine *e, int rank)
{
    const struct plan *const p = &e->pass[0].plan;
    const int neighbours = e->comm.size == 1 ? 0 : e->periodic ? 2 : (rank > 0) + (rank + 1 < e->comm.size);
    struct engine_exchange x = {0};
    for (int s = 0; s < p->nsegments && neighbours; s++) {
        const struct plan_segment *const g = &p->segment[s];
        if (!g->nhalo) continue;
        x.times += 1.0 / p->steps, x.messages += (double)neighbours / p->steps;
        x.bytes += 0.5 * (double)messages_of(e, &e->state->host.lay, g->halo, g->nhalo, rank) / p->steps;
    }
    return x;
}

/* Rows that a rank with neighbours on both sides stores beyond its own. */
static void rows_beyond(const struct engine *e, int *south, int *north)
{
    plans_reach(e, south, north);
    *south = SF_MAX(*south, e->gj);
    *north = SF_MAX(*north + e->extend_n, e->gj);
}

static int plans_try(struct engine *e, struct layout *l, int ghost_rows)
{
    const struct grid *g = e->in->grid;
    e->npasses = 0;
    for (int steps = e->opt.steps_per_pass; steps > 0; steps /= 2)
        SF_TRY(pass_plan(e, &e->pass[e->npasses++], steps, ghost_rows));
    const struct plan *p = &e->pass[0].plan;
    e->gj = SF_MAX(p->gj, 1);
    e->extend_e = p->extend_e;
    e->extend_n = p->extend_n;
    e->extend_t = p->extend_t;
    SF_CHECK(SF_MAX(p->gi, SF_MAX(p->gk, e->gj)) <= GHOST_MAX_DEPTH, SF_INTERNAL, "a stage reaches too far");
    *l = layout_make(e->backend->line, g->nx, g->nz, g->ny, SF_MAX(p->gi, 1), SF_MAX(p->gk, 1));
    return SF_OK;
}

/* The least that the plan needs of rank r: every field once on its rows and the ghost rows that any op reads. More of
 * those save exchanges, and are no need. */
static size_t bytes_least(const struct engine *e, const struct layout *l, const unsigned char *skip, int r)
{
    const struct plan *p = &e->pass[0].plan;
    int ja, jb;
    comm_rows(&e->comm, e->in->grid->ny, r, &ja, &jb);
    return storage_least(l, p->nids, p->form, skip, ja - e->gj, jb + e->gj);
}

/* What the rows of a rank may take, as a multiple of the least. With the scratch space of threads it is 1.3. */
static const double memory_share = 1.29;

/* Rows that rank r stores beyond its own. */
static void rows_outside(const struct engine *e, int r, int *south, int *north)
{
    int ja, jb;
    comm_rows(&e->comm, e->in->grid->ny, r, &ja, &jb);
    rows_beyond(e, south, north);
    if (e->periodic) return;
    *south = r > 0 ? SF_MIN(*south, ja + e->gj) : e->gj;
    *north = r + 1 < e->comm.size ? SF_MIN(*north, e->in->grid->ny - jb + e->gj) : e->gj;
}

/* Does the memory of every rank stay within that share? The same on all ranks, as the plan must be. */
static int plans_fit(const struct engine *e, const struct layout *l)
{
    const struct plan *p = &e->pass[0].plan;
    int fit = 1;
    for (int r = 0; r < e->comm.size; r++) {
        int ja, jb, south, north;
        comm_rows(&e->comm, e->in->grid->ny, r, &ja, &jb);
        rows_outside(e, r, &south, &north);
        const size_t bytes =
            storage_bytes(l, p->nids, p->form, NULL, ja - south, jb - ja + south + north) + messages_bytes(e, l, r);
        fit &= (double)bytes <= memory_share * (double)bytes_least(e, l, NULL, r);
    }
    return fit;
}

/* The cheapest plan whose memory stays within that share; where there is none, the cheapest of all. */
static int plans_make(struct engine *e, struct layout *l)
{
    int south, north, most = INT_MAX;
    SF_TRY(plans_try(e, l, 0));
    if (e->slabs > 1 || !(e->periodic || e->comm.size > 1) || e->opt.exchange != EXCHANGE_AUTO) return SF_OK;
    while (!plans_fit(e, l)) {
        rows_beyond(e, &south, &north);
        most = SF_MIN(most, south + north) - 1;
        if (most < 2 * e->gj) return plans_try(e, l, 0);
        SF_TRY(plans_try(e, l, most));
    }
    return SF_OK;
}

/* Rows that slots have at a time, on a rank of so many rows. */
static void slots_size(struct engine *e, int rows)
{
    enum { AT_ONCE = 2 * ROUTE_PIECES + 1 }; /* one slab is computed, one comes in where one goes out */
    const struct plan *p = &e->pass[0].plan;
    const int span = rows + e->gs + e->gn;
    if (e->opt.overlapped) {
        e->slot_rows = rows / e->slabs + 1 + e->gs + e->gn + p->south + p->north;
        return;
    }
    const int some = route_rows(span, e->slabs, 2 * e->gj, e->edge, AT_ONCE);
    e->slot_rows = SF_MAX(some, SF_MAX(e->gs, e->gn)); /* a pass begins with ghost rows */
    e->scratch_rows = route_rows(span, e->slabs, 2 * e->gj, e->edge, ROUTE_PIECES);
}

/* Slabs, and the rows that they touch and lie in, on a rank of so many rows. */
static void slabs_size(struct engine *e, int rows)
{
    const struct plan *p = &e->pass[0].plan;
    int south, north;
    /* Fewer slabs where they would be shorter than what they need of each other, or than what rows beyond a side are
     * made from: row -m of a field on faces is made from row m. The same number on all ranks, for they take turns with
     * each other. */
    const int shortest = e->opt.overlapped ? SF_MAX(p->south, e->gj + 1) : 1, fewest = e->in->grid->ny / e->comm.size;
    e->slabs = SF_MAX(1, SF_MIN(e->slabs, fewest / shortest));
    /* Rows beyond a side change with as many rows inside it, lagging as those do. */
    e->edge = 0;
    for (int n = 0; n < e->npasses; n++)
        for (int dir = 0; dir < 2; dir++) {
            const struct plan_segment *const g = &e->pass[n].plan.segment[0];
            e->edge = SF_MAX(e->edge, SF_MAX(g->edge[dir], g->lag[dir] + 2 * e->gj));
        }
    slots_size(e, rows);
    /* The same on all ranks: do ghost rows come from the next rank alone, and the rows of the two ends not from each
     * other? */
    rows_beyond(e, &south, &north);
    e->stream.deep = SF_MAX(south, north);
    e->stream.flows = !e->opt.overlapped && (!(e->periodic || e->comm.size > 1) ||
                                             e->in->grid->ny / e->comm.size >= south + north + 2 * e->gj);
}

/* Ghost rows that wait on the device: kept fields in their first bank. */
void kept_skip(const struct engine *e, unsigned char *skip)
{
    const struct plan *p = &e->pass[0].plan;
    for (int id = 0; id < p->nids; id++)
        skip[id] = id != p->field_of[id] || !field_is_kept(&e->in->field[p->field_of[id]]);
}

int keep_rows(const struct engine *e) { return e->stream.flows && (e->seam_s || e->seam_n) ? e->stream.deep : 0; }

void slot_held(const struct engine *e, int *held)
{
    const struct plan *p = &e->pass[0].plan;
    for (int id = 0; id < p->nids; id++) {
        held[id] = stays_whole(e, &p->form[id]) ? INT_MAX : is_passing(e, p, id) ? e->scratch_rows : e->slot_rows;
    }
}

/* Of all slots, in the memory where slabs are computed, on a rank that stores so many rows. */
static size_t slots_bytes(const struct engine *e, const struct layout *l, int rows)
{
    const struct plan *p = &e->pass[0].plan;
    unsigned char skip[2 * SF_MAX_FIELDS] = {0};
    int held[SF_MAX_FIELDS];
    if (e->slabs == 1) return 0;
    if (e->opt.overlapped)
        return ENGINE_SLOTS * storage_pages(storage_bytes(l, p->nids, p->form, NULL, STORAGE_MOVES, e->slot_rows));
    slot_held(e, held);
    size_t bytes = storage_bytes_folded(l, e->grain, p->nids, p->form, held, rows);
    kept_skip(e, skip);
    if (keep_rows(e)) bytes += 2 * storage_pages(storage_bytes(l, p->nids, p->form, skip, STORAGE_MOVES, keep_rows(e)));
    return bytes;
}

/* Plans and sizes; no memory of fields. */
static int engine_size(struct engine *e, struct layout *l, unsigned char *skip)
{
    const struct grid *g = e->in->grid;
    const struct comm *comm = &e->comm;
    int ja, jb;
    SF_CHECK(comm->size <= g->ny, SF_USAGE, "%d ranks are more than the %d rows of the grid: use at most %d",
             comm->size, g->ny, g->ny);
    comm_rows(comm, g->ny, comm->rank, &ja, &jb);
    /* One row repeats itself: its ghosts are filled like those beyond a side, and nothing is exchanged. */
    e->periodic = field_is_periodic(e->in, FACE_S) && g->ny > 1;
    e->seam_s = e->periodic || comm->rank > 0;
    e->seam_n = e->periodic || comm->rank + 1 < comm->size;
    e->slabs = e->opt.slabs;
    SF_TRY(plans_make(e, l));
    const struct plan *p = &e->pass[0].plan;
    rows_outside(e, comm->rank, &e->gs, &e->gn);
    if (e->slabs > 1) slabs_size(e, jb - ja);
    if (e->slabs > 1 && !e->opt.overlapped) {
        const int rc = e->backend->grain(&e->grain);
        SF_TRY(e->backend->is_device ? outcome_share(comm, rc) : rc);
    }
    skip_set(e, skip);
    const int rows = jb - ja + e->gs + e->gn;
    const size_t ahead = feeds_ahead_bytes(e, l, ja - e->gs, rows);
    e->bytes_least = bytes_least(e, l, skip, comm->rank) + ahead;
    e->bytes = storage_pages(storage_bytes(l, p->nids, p->form, skip, ja - e->gs, rows)) +
               (e->backend->is_device ? 0 : (size_t)e->opt.threads * work_bytes(e)) + messages_bytes(e, l, comm->rank) +
               ahead;
    const size_t slots = slots_bytes(e, l, rows);
    if (!e->backend->is_device) e->bytes += slots;
    else
        e->device_bytes =
            device_work_bytes(e) +
            (slots ? slots
                   : storage_pages(storage_bytes(l, p->nids, p->form, NULL, ja - e->gs, rows)) +
                         messages_bytes(e, l, comm->rank) +
                         (comm->size > 1 ? BACKEND_PEER_GRAIN : 0)); /* what others write into is rounded up */
    return SF_OK;
}

/* Do so many slabs do with `most` bytes of a device (*fits)? The same on all ranks. */
static int slabs_try(struct engine *e, struct layout *l, unsigned char *skip, size_t most, int slabs, int *fits)
{
    e->opt.slabs = slabs;
    SF_TRY(engine_size(e, l, skip));
    int lacks = e->device_bytes > most;
    SF_TRY(comm_max(&e->comm, &lacks));
    *fits = !lacks;
    return SF_OK;
}

/* With as many slabs as it takes for `most` bytes of a device, from opt.slabs on. *fits 0: no number is enough. */
static int slabs_fit(struct engine *e, struct layout *l, unsigned char *skip, size_t most, int *fits)
{
    enum { GROWTH = 16 }; /* one in so many more each time */
    int slabs = e->opt.slabs, ends = 0;
    if (!e->opt.overlapped) { /* more skewed slabs take less: where the most are too large, no plan is made for the
                                 others */
        SF_TRY(slabs_try(e, l, skip, most, SF_MAX(slabs, e->in->grid->ny), fits));
        ends = !*fits;
    }
    for (; !ends; slabs += 1 + slabs / GROWTH) {
        SF_TRY(slabs_try(e, l, skip, most, slabs, fits));
        ends = *fits || slabs > e->slabs;
        SF_TRY(comm_max(&e->comm, &ends));
    }
    return SF_OK;
}

size_t engine_room(const struct backend *b, const struct comm *c, size_t asked)
{
    const double share = 0.95; /* of what is left: the device takes some itself */
    const size_t left = (size_t)(share * (double)b->room(comm_locals(c)));
    return asked && asked < left ? asked : left;
}

/* The same, with the steps in a streamed pass that were asked for, or hide the transfers, or as many as there is memory
 * for. */
int engine_fit(struct engine *e, struct layout *l, unsigned char *skip)
{
    const int asked = e->opt.steps_per_pass, slabs = SF_MAX(e->opt.slabs, 1);
    const double mib = 1048576.0;
    int fits = 0, steps = asked;
    e->steps_asked = asked;
    if (asked <= 0) e->opt.steps_per_pass = steps_of(e);
    if (e->backend->is_device) e->opt.slabs = 1;
    SF_TRY(engine_size(e, l, skip));
    if (!e->backend->is_device) return SF_OK;
    const size_t most = engine_room(e->backend, &e->comm, e->opt.device_memory);
    e->device_most = most;
    e->device_whole = e->device_bytes;
    int lacks = e->device_bytes > most;
    SF_TRY(comm_max(&e->comm, &lacks));
    if (!lacks && slabs == 1) return SF_OK;
    e->opt.slabs = SF_MAX(slabs, 2);
    if (asked <= 0) {
        enum { USUAL = 4 };
        e->opt.steps_per_pass = steps_even(e, 1);
        SF_TRY(engine_size(e, l, skip));
        SF_TRY(outcome_share(&e->comm, steps_hiding(e, &steps)));
        steps = steps_even(e, steps ? steps : USUAL);
        SF_TRY(comm_max(&e->comm, &steps));
    }
    for (;; steps = steps_fewer(e, steps)) {
        e->opt.steps_per_pass = steps;
        e->opt.slabs = SF_MAX(slabs, 2);
        SF_TRY(slabs_fit(e, l, skip, most, &fits));
        if (fits || steps == 1) break;
    }
    SF_CHECK(
        fits, SF_MEMORY,
        "even in %d slabs this case takes %.3f MiB of the GPU, where %.3f MiB may be used: use fewer cells, more GPUs, a larger "
        "&pipeline device_memory_mib or --backend cpu",
        e->slabs, (double)e->device_bytes / mib, (double)most / mib);
    return SF_OK;
}
