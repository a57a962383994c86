/* The state between host and device, where a slab stays on the device. SPDX-License-Identifier: MIT */
#include "pipeline/engine_parts.h"

#include "pipeline/error.h"
#include "pipeline/outcome.h"
#include "pipeline/reduce.h"
#include "pipeline/tables.h"

#include <stdlib.h>
#include <string.h>

/* All stored rows of the fields that live on both sides: in, or of kept fields out. */
static void state_transfer(struct engine *e, int out)
{
    const struct layout *l = &e->state->host.lay;
    struct slab *host = &e->state->host.s, *device = &e->device.s;
    double moved = 0;
    trip_begin(e, out ? LANE_OUT : LANE_IN);
    trip_mark(e);
    for (int f = 0; f < e->in->nfields; f++) {
        const struct field *x = &e->in->field[f];
        const struct form form = form_of(x);
        int first = host->j0, last = host->j0 + host->rows;
        if (!field_is_kept(x) && (out || x->role != ROLE_STATIC)) continue;
        size_t bytes;
        char *from, *to;
        if (x->shape == SHAPE_LEVELS) {
            bytes = (size_t)(l->nk + 1 + 2 * l->gk) * sizeof(real);
            from = (char *)(host->f[f] - l->gk), to = (char *)(device->f[f] - l->gk);
        } else {
            if (!form_rows(&form, l->nj, &first, &last)) continue;
            bytes = (size_t)(last - first) * layout_row_bytes(l, &form);
            if (!bytes) continue;
            from = storage_row(host, l, &form, f, first), to = storage_row(device, l, &form, f, first);
        }
        if (out) e->backend->copy_out(from, to, bytes);
        else e->backend->copy_in(to, from, bytes);
        moved += (double)bytes;
    }
    trip_end(e, moved);
}

int engine_upload(struct engine *e)
{
    if (!e->device_is_old) return SF_OK;
    if (!is_resident_elsewhere(e)) {
        e->stream.have = (struct span_rows){0, 0};
        e->device_is_old = 0;
        return SF_OK;
    }
    state_transfer(e, 0);
    feeds_upload(e);
    SF_TRY(e->backend->sync(LANE_IN));
    SF_TRY(trip_take(e));
    e->device_is_old = 0;
    return SF_OK;
}

int engine_fetch(struct engine *e)
{
    if (!e->host_is_old) return SF_OK;
    SF_TRY(e->backend->sync(LANE_COMPUTE));
    SF_TRY(e->backend->sync(LANE_IN)); /* it reads what whoever fetches may change */
    if (is_flowing(e)) stream_fetch(e);
    else state_transfer(e, 1);
    SF_TRY(e->backend->sync(LANE_OUT));
    SF_TRY(trip_take(e));
    e->host_is_old = 0;
    return SF_OK;
}

void engine_changed(struct engine *e) { e->device_is_old = 1; }

/* ---- stages ------------------------------------------------------------------------------------------------------ */

/* Of all launches of a stage the largest is kept. */
static void launch_keep(struct engine_stage_time *t, const struct backend_launch *noted, struct box b, int rows)
{
    if (!noted->kernel || noted->threads < t->launch.threads) return;
    t->launch = *noted;
    t->launch_points = (double)(b.i1 - b.i0) * (b.k1 - b.k0) * SF_MIN(b.j1 - b.j0, rows);
}

void op_launch(struct engine *e, const struct plan_op *o, const struct slab *s, struct box b, const struct call *c)
{
    enum { MOST = 32768 }; /* rows of a launch: its blocks are numbered by 16 bits in two of three dimensions */
    struct backend_launch noted = {.kernel = NULL};
    e->backend->watch(&noted);
    e->backend->range(o->stage->name);
    for (struct box part = b; part.j0 < b.j1; part.j0 += MOST) {
        part.j1 = SF_MIN(part.j0 + MOST, b.j1);
        o->stage->launch(s, part, c, e->backend->stream());
    }
    e->backend->range(NULL);
    e->backend->watch(NULL);
    launch_keep(&e->stage_time[o->op.stage], &noted, b, MOST);
}

/* ---- timing ------------------------------------------------------------------------------------------------------ */

struct engine_mark {
    int stage, first; /* of its marks: at its beginning, behind it and behind its ghosts */
    double points;
};

enum { MARKS = 3 }; /* of an op, at most; two at least */

void timing_begin(struct engine *e, int stage, double points)
{
    if (e->nmarks + MARKS > MARKS_OF_STAGES) {
        e->backend->sync(LANE_COMPUTE);
        timing_take(e);
    }
    if (!e->marks) e->marks = calloc(MARKS_OF_STAGES / (MARKS - 1), sizeof *e->marks);
    if (e->marks) e->marks[e->nmarked++] = (struct engine_mark){stage, e->nmarks, points};
    timing_mark(e);
}

void timing_mark(struct engine *e) { e->backend->mark(LANE_COMPUTE, e->nmarks++); }

void timing_take(struct engine *e)
{
    for (int n = 0; n < e->nmarked; n++) {
        const struct engine_mark *const m = &e->marks[n];
        struct engine_stage_time *t = &e->stage_time[m->stage];
        t->seconds += e->backend->seconds(m->first, m->first + 1);
        if ((n + 1 < e->nmarked ? m[1].first : e->nmarks) - m->first == MARKS)
            t->ghosts += e->backend->seconds(m->first + 1, m->first + 2);
        t->points += m->points;
    }
    e->nmarks = e->nmarked = 0;
}

/* ---- looks at the state ------------------------------------------------------------------------------------------ */

/* Of kept fields. */
static void rows_find_bad(struct engine *e, const struct slab *s, struct span_rows j)
{
    const struct layout *l = &e->state->host.lay;
    for (int f = 0; f < e->in->nfields; f++) {
        const struct form form = form_of(&e->in->field[f]);
        int first = j.a, last = j.b;
        if (!field_is_kept(&e->in->field[f]) || !form_rows(&form, l->nj, &first, &last)) continue;
        const size_t n = (size_t)(last - first) * layout_row_bytes(l, &form) / sizeof(real);
        if (n) e->backend->find_bad(storage_row(s, l, &form, f, first), n, &e->look->bad);
    }
}

int engine_find_bad(struct engine *e, int *found)
{
    const int looks = e->host_is_old && e->backend->is_device; /* the same on all ranks */
    *found = !looks;
    if (!looks) return SF_OK;
    if (is_flowing(e)) { /* it was looked at on its way, or is to be */
        *found = !e->looks || e->look->bad;
        return comm_max(&e->comm, found);
    }
    e->look->bad = 0;
    rows_find_bad(e, &e->device.s, (struct span_rows){e->state->ja, e->state->jb});
    SF_TRY(outcome_share(&e->comm, e->backend->sync(LANE_COMPUTE)));
    *found = e->look->bad;
    return comm_max(&e->comm, found);
}

void rows_look(struct engine *e, const struct slab *s, struct span_rows j)
{
    const struct model *m = e->in->model;
    const struct reduction *const r = &e->survey;
    j = rows_common(j, e->state->ja, e->state->jb);
    if (j.a >= j.b) return;
    if (e->surveys)
        r->launch(s, j.a, j.b, e->rows + (ptrdiff_t)(j.a - e->state->ja) * (r->sums + r->maxima), r->ctx,
                  e->backend->stream());
    if (!e->looks) return;
    rows_find_bad(e, s, j);
    if (m->courant_launch) m->courant_launch(e->in, s, j.a, j.b, e->look_dt, &e->look->courant, e->backend->stream());
}

int engine_courant(struct engine *e, double dt, double *courant, int *known)
{
    const struct model *m = e->in->model;
    *known = e->host_is_old && e->backend->is_device && m->courant_launch && (!is_flowing(e) || e->looks);
    if (!*known) return SF_OK;
    if (is_flowing(e)) {
        *courant = e->look->courant * (e->look_dt > 0 ? dt / e->look_dt : 1);
        return comm_max_double(&e->comm, courant);
    }
    e->look->courant = 0;
    m->courant_launch(e->in, &e->device.s, e->state->ja, e->state->jb, dt, &e->look->courant, e->backend->stream());
    SF_TRY(outcome_share(&e->comm, e->backend->sync(LANE_COMPUTE)));
    *courant = e->look->courant;
    return comm_max_double(&e->comm, courant);
}

int engine_is_ahead(const struct engine *e) { return e->host_is_old && is_resident_elsewhere(e); }

/* Room for the rows of a reduction. */
static int reduction_room(struct engine *e, const struct reduction *r, size_t *bytes)
{
    *bytes = (size_t)(e->state->jb - e->state->ja) * (size_t)(r->sums + r->maxima) * sizeof(double);
    if (e->rows_bytes >= *bytes) return SF_OK;
    table_free(e->rows);
    e->rows = table_alloc(*bytes);
    e->rows_bytes = e->rows ? *bytes : 0;
    SF_CHECK(e->rows, SF_MEMORY, "no memory on the GPU for the sums of %d rows", e->state->jb - e->state->ja);
    return SF_OK;
}

int engine_survey(struct engine *e, const struct reduction *r)
{
    size_t bytes;
    e->survey = (struct reduction){0};
    if (!r || !r->launch || !is_flowing(e) || !e->backend->is_device) return SF_OK;
    SF_TRY(reduction_room(e, r, &bytes));
    e->survey = *r;
    return SF_OK;
}

int engine_rows(struct engine *e, const struct reduction *r, double *out, int *done)
{
    size_t bytes;
    const int is_made = e->surveys && r->launch == e->survey.launch; /* on the way of the last pass */
    *done = engine_is_ahead(e) || is_made;
    if (!*done) return SF_OK;
    SF_TRY(reduction_room(e, r, &bytes));
    if (!is_made) r->launch(&e->device.s, e->state->ja, e->state->jb, e->rows, r->ctx, e->backend->stream());
    SF_TRY(e->backend->sync(LANE_COMPUTE));
    memcpy(out, e->rows, bytes);
    return SF_OK;
}
