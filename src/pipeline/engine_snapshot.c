/* A copy of the state for output and checkpoints, taken on the device and brought to the host while it computes on.
 * SPDX-License-Identifier: MIT */
#include "pipeline/engine_parts.h"

#include "pipeline/error.h"
#include "pipeline/memory.h"
#include "pipeline/outcome.h"

#include <stdlib.h>
#include <string.h>

struct engine_snapshot {
    struct storage device,
        host; /* kept fields; on the host the others are those of the state; of streamed slabs the host's alone */
    struct state state;
    long step; /* of the state that it is a copy of */
};

/* Memory for copies. One that cannot be had is done without: then output waits. */
static struct engine_snapshot *snapshot_make(struct engine *e)
{
    enum { SPARED = 2 }; /* one in so many bytes that are left may be taken: the files want some, too */
    const size_t left = memory_available() / (size_t)comm_locals(&e->comm), bytes = e->state->host.bytes;
    if (left && bytes > left / SPARED) return NULL;
    struct engine_snapshot *s = calloc(1, sizeof *s);
    unsigned char skip[2 * SF_MAX_FIELDS] = {0};
    const struct plan *p = &e->pass[0].plan;
    const struct storage *of = &e->state->host;
    kept_skip(e, skip);
    int rc = s ? SF_OK : SF_MEMORY;
    if (!rc && e->slabs == 1)
        rc = storage_init(&s->device, e->backend, &of->lay, p->nids, p->form, skip, of->s.j0, of->s.rows);
    if (!rc) rc = storage_init(&s->host, &backend_cpu, &of->lay, p->nids, p->form, skip, of->s.j0, of->s.rows);
    if (!rc) e->backend->pin(s->host.arena, s->host.bytes);
    if (!rc) return s;
    sf_error_clear();
    if (s) storage_free(&s->device);
    free(s);
    return NULL;
}

void snapshot_free(struct engine *e)
{
    struct engine_snapshot *s = e->snapshot;
    if (!s) return;
    e->backend->sync(LANE_OUT);
    e->backend->unpin(s->host.arena);
    storage_free(&s->device);
    storage_free(&s->host);
    free(s);
    e->snapshot = NULL;
}

/* Rows of field f that are stored, and their bytes. */
static size_t stored_rows(const struct engine *e, int f, int *first)
{
    const struct slab *s = &e->state->host.s;
    const struct form form = form_of(&e->in->field[f]);
    int last = s->j0 + s->rows;
    *first = s->j0;
    if (!field_is_kept(&e->in->field[f]) || !form_rows(&form, e->state->host.lay.nj, first, &last)) return 0;
    return (size_t)(last - *first) * layout_row_bytes(&e->state->host.lay, &form);
}

static void snapshot_copy(struct engine *e)
{
    struct engine_snapshot *s = e->snapshot;
    const struct layout *l = &e->state->host.lay;
    struct backend_copy copy[SF_MAX_FIELDS];
    double moved = 0;
    int n = 0, first;
    trip_begin(e, LANE_OUT);
    for (int f = 0; f < e->in->nfields; f++) {
        const struct form form = form_of(&e->in->field[f]);
        const size_t bytes = stored_rows(e, f, &first);
        if (bytes)
            copy[n++] = (struct backend_copy){storage_row(&s->device.s, l, &form, f, first),
                                              storage_row(&e->device.s, l, &form, f, first), bytes};
    }
    e->backend->wait(LANE_COMPUTE, LANE_OUT, BACKEND_EVENT_SNAPSHOT); /* what went out last, see below */
    e->backend->copy_within(copy, n);
    e->backend->record(LANE_COMPUTE, BACKEND_EVENT_SNAPSHOT);
    e->backend->wait(LANE_OUT, LANE_COMPUTE, BACKEND_EVENT_SNAPSHOT);
    trip_mark(e);
    for (int f = 0; f < e->in->nfields; f++) {
        const struct form form = form_of(&e->in->field[f]);
        const size_t bytes = stored_rows(e, f, &first);
        if (bytes)
            e->backend->copy_out(storage_row(&s->host.s, l, &form, f, first),
                                 storage_row(&s->device.s, l, &form, f, first), bytes);
        moved += (double)bytes;
    }
    trip_end(e, moved);
    e->backend->record(LANE_OUT, BACKEND_EVENT_SNAPSHOT);
}

/* Streamed slabs: what goes out in the next pass goes to the other copy of the state, and this one stays as it is. */
static void snapshot_leave(struct engine *e)
{
    struct engine_snapshot *s = e->snapshot;
    stream_fetch(e);
    e->backend->record(LANE_OUT, BACKEND_EVENT_SNAPSHOT);
    e->backend->record(LANE_OUT, BACKEND_EVENT_HOLD);
    e->stream.hold = 1;
    e->leave_to = e->state->host.s;
    for (int f = 0; f < e->in->nfields; f++) {
        if (!field_is_kept(&e->in->field[f])) continue;
        e->leave_to.f[f] = s->host.s.f[f];
        s->host.s.f[f] = e->state->host.s.f[f];
    }
    e->leave = 1;
}

int engine_snapshot(struct engine *e, int *taken)
{
    int lacks = 0;
    *taken = 0;
    if (!e->host_is_old || !e->backend->is_device) return SF_OK; /* the same on all ranks */
    if (!e->snapshot && !e->snapshot_refused) {
        e->snapshot = snapshot_make(e);
        lacks = !e->snapshot;
        SF_TRY(comm_max(&e->comm, &lacks));
        if (lacks) {
            snapshot_free(e);
            e->snapshot_refused = 1;
        }
    }
    if (!e->snapshot) return SF_OK;
    if (is_flowing(e)) snapshot_leave(e);
    else snapshot_copy(e);
    e->snapshot->step = e->state->step;
    *taken = 1;
    return outcome_share(&e->comm, e->backend->check("taking a snapshot"));
}

int engine_snapshot_state(struct engine *e, const struct state **st)
{
    struct engine_snapshot *s = e->snapshot;
    const struct slab *of = &e->state->host.s;
    SF_TRY(outcome_share(&e->comm, e->backend->await(LANE_OUT, BACKEND_EVENT_SNAPSHOT)));
    s->state = *e->state;
    s->state.fetch = NULL, s->state.rows = NULL, s->state.step = s->step;
    for (int f = 0; f < e->in->nfields; f++)
        if (field_is_kept(&e->in->field[f])) s->state.host.s.f[f] = s->host.s.f[f];
    s->state.host.s.j0 = of->j0;
    *st = &s->state;
    return ghosts_refresh(e, &s->state);
}
