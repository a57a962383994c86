/* What the parts of the engine share: engine_size.c plans, engine_open.c allocates, engine.c runs passes over a slab
 * that stays, engine_stream.c passes of many slabs that stream; both push their rows through the ops with
 * engine_sweep.c. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/engine.h"
#include "pipeline/seconds.h"

/* One sweep of windows of rows through all ops of a segment. */
struct sweep {
    const struct plan *plan;
    const struct plan_segment *segment;
    const struct slab *slab;
    const struct layout *lay;
    const struct halo *wrap; /* to copy before the sweep */
    struct halo *now, *trailing,
        *next; /* on its way; to wait for before the far end is read; to send as rows become final */
    const struct slab *next_slab; /* with the names that those rows will have */
    int cut[2], ncuts; /* further edges of windows, in the direction of the sweep */
    int dir;
    int front0, front1; /* rows of the front, in the direction of the sweep */
    int starts, ends; /* 1: ops begin at their first row / run on to their last */
    int window, levels; /* rows and levels pushed through the ops together; levels 0: all */
    int low, high; /* own rows of the slab: ops compute low - south .. high + north, */
    int clip_low, clip_high; /* but no rows outside of these */
    int seam_low, seam_high; /* 1: rows beyond low, high are computed */
    int mirror; /* row j is at mirror - j in a sweep south */
    long step;
    const double *time;
    double dt;
};

/* The slab that stays: the host's, or the device's. */
static inline struct slab *engine_slab(struct engine *e)
{
    return e->backend->is_device ? &e->device.s : &e->state->host.s;
}

/* 1: a pass begins with its exchange while the one before it ends. */
static inline int has_turns(const struct engine *e)
{
    return e->backend->is_device && e->comm.size > 1 && e->slabs == 1;
}

/* 1: the slab that stays does so in memory of a device. */
static inline int is_resident_elsewhere(const struct engine *e) { return e->backend->is_device && e->slabs == 1; }

/* engine_refresh of a state on the host. */
int ghosts_refresh(struct engine *e, struct state *st);
void snapshot_free(struct engine *e);

/* Marks of a batch; the others are of stages. */
enum {
    MARKS_OF_STAGES = 4096,
    MARK_BEGIN = MARKS_OF_STAGES,
    MARK_END,
    MARK_REST,
    MARK_TRIP,
    MARK_TRIP_END,
    MARKS_OF_LANES
};

/* On a device: the kernels of an op, for a slab that holds what it declares; what they are is noted. */
void op_launch(struct engine *e, const struct plan_op *o, const struct slab *s, struct box b, const struct call *c);

/* On a device, where times are taken: the stage that begins now will have computed so many points when a mark is set;
 * at the next one, if there is any before another stage begins, its ghosts are filled. */
void timing_begin(struct engine *e, int stage, double points);
void timing_mark(struct engine *e);
/* Add up what was marked, once the device is at rest. */
void timing_take(struct engine *e);

/* Bring the device up to date, where a slab stays there. Errors: SF_GPU. */
int engine_upload(struct engine *e);

/* Rows that exist on a rank: own, ghost, and those beyond a physical side. */
void sweep_clip(const struct engine *e, struct sweep *w);
/* Errors: SF_COMM, of the exchanges that go on behind it. */
int sweep_run(struct engine *e, struct sweep *w);

/* The engine's team has as many threads as others leave it cores; before each pass, whose first step that is; after
 * it. */
void engine_team_open(struct engine *e);
void engine_team_begin(struct engine *e, long step);
void engine_team_end(struct engine *e, int steps);

/* A thread's share of the i-k plane and of the rows of a window. */
struct share {
    int id, ni_parts, nj_parts, i0, i1; /* columns */
    int part_j; /* -1: nothing to do */
};

struct share share_of(const struct engine *e, int thread, int threads);

/* Rows and levels to push through the ops together: those of the options or, where they leave them open (0), what suits
 * the caches of the team as it is. */
void engine_windows(struct engine *e, const struct layout *l);

/* Wait for ghost rows of one side (0 south, 1 north), and fill what follows from them. Errors: SF_COMM. */
int engine_halo_end(struct engine *e, struct halo *h, const struct slab *s, int side);
/* All ghost rows of an exchange, with nothing computed meanwhile. Errors: SF_COMM. */
int engine_exchange(struct engine *e, struct halo *h, const struct slab *s);

/* Plans and sizes, with as many slabs as it takes. skip: storages that the host does without. Errors: SF_MEMORY,
 * SF_GPU, SF_USAGE. */
int engine_fit(struct engine *e, struct layout *l, unsigned char *skip);
size_t work_bytes(const struct engine *e); /* scratch space of a thread */
size_t device_work_bytes(const struct engine *e); /* and of a device */
int refresh_rows(const struct engine *e, struct plan_rows *rows); /* what engine_refresh exchanges: how many */
int streamed_rows(const struct engine *e,
                  struct plan_rows *rows); /* the same of streamed passes, of one step or several */
int pass_plan(struct engine *e, struct engine_pass *p, int steps, int ghost_rows); /* ghost_rows: see struct cut */
/* Ghost rows that wait on the device: how many, and the storages that they do without. */
int keep_rows(const struct engine *e);
void kept_skip(const struct engine *e, unsigned char *skip);
/* Rows of each storage that the slot of skewed slabs is to have at a time. */
void slot_held(const struct engine *e, int *held);

/* A pass of one segment over slabs that come in, are computed and go out, but for what the next pass takes up where it
 * is. Errors: SF_COMM, SF_GPU. */
int pass_streamed(struct engine *e, struct engine_pass *p, long step, const double *time, double dt);
/* After a pass: send what other ranks still wait for, as it lies in `host`. Errors: SF_COMM, SF_GPU. */
int stream_send(struct engine *e, const struct slab *host);
/* Rows [j0, j1) of what an op settles. */
void rows_settle(const struct engine *e, const struct plan *p, const struct plan_op *o, const struct slab *s, int j0,
                 int j1);
/* Room for levels in time of fields that are fed; all of them to a device. Errors: SF_MEMORY, SF_INTERNAL. */
int feeds_open(struct engine *e);
void feeds_close(struct engine *e);
/* On the host, of levels that are read ahead, for `rows` rows from `first` on. */
size_t feeds_ahead_bytes(const struct engine *e, const struct layout *l, int first, int rows);
void feeds_upload(struct engine *e);
/* On the host: what lies between them now, for who looks beyond a side. */
void feeds_show(const struct engine *e, const struct state *st);
/* Rows [j0, j1) of what an op feeds, at `time` s, and those beyond a side with them. */
void rows_feed(const struct engine *e, const struct plan *p, const struct plan_op *o, const struct slab *s, double time,
               int j0, int j1);
/* Does a storage come to where slabs are computed: fields but scratch, and levels in time? Goes it home? */
static inline int is_brought(const struct engine *e, const struct plan *p, int id)
{
    const struct field *const f = &e->in->field[p->field_of[id]];
    if (f->role == ROLE_FED) return id != p->field_of[id];
    return id == p->field_of[id] && (field_is_kept(f) || f->role == ROLE_STATIC);
}
static inline int goes_home(const struct engine *e, const struct plan *p, int id)
{
    return id == p->field_of[id] && field_is_kept(&e->in->field[id]);
}
/* Is it made and read within a pass alone: scratch, second banks, and what lies between two levels? */
static inline int is_passing(const struct engine *e, const struct plan *p, int id)
{
    const enum role role = e->in->field[p->field_of[id]].role;
    return role == ROLE_FED ? id == p->field_of[id] : role == ROLE_SCRATCH || id != p->field_of[id];
}
/* What stayed on the device, to the host: in LANE_OUT. Returns the bytes of fields that stream. */
double stream_home(struct engine *e);
/* The same between passes. */
void stream_fetch(struct engine *e);
/* For tests: NaN in n reals at `at`, of a device or of the host. */
void reals_poison(const struct engine *e, real *at, size_t n, int is_device);
/* For tests: NaN in rows [j0, j1) of a storage. */
void rows_poison(const struct engine *e, const struct slab *s, const struct form *form, int id, int j0, int j1);
/* For tests: NaN in what the next pass must not read of the slots. */
void stream_poison(struct engine *e, const struct plan *p);

/* Does the slot of skewed slabs have all rows of a storage, always? Then they do not stream. */
static inline int stays_whole(const struct engine *e, const struct form *form)
{
    return !e->opt.overlapped && form_is_short(form, e->in->grid->ny, e->slot_rows);
}

/* Do passes of these slabs follow each other without the host in between? */
static inline int is_flowing(const struct engine *e) { return e->slabs > 1 && e->stream.flows; }

/* On a device: look at rows [j.a, j.b) of a slab that have just become final, and reduce them for a survey. */
void rows_look(struct engine *e, const struct slab *s, struct span_rows j);

/* A batch begins; ends; and once all of the one before it, or of all of them, is done, its times are taken. Errors:
 * SF_GPU. */
void lanes_begin(struct engine *e);
void lanes_end(struct engine *e);
int lanes_take(struct engine *e, int all);
/* Between the two calls a lane does what `s` says; the first tells the second where. */
int lane_mark(struct engine *e, enum lane lane);
void lane_mark_end(struct engine *e, int n, const struct span *s);
void span_keep(struct engine *e, const struct span *s);
/* What comes or goes between batches, for the timeline alone, called by the thread that runs the lanes: with computing
 * at rest; when the lane can begin; at its end; and, before the next one, to wait for it and keep it. Errors:
 * SF_GPU. */
void trip_begin(struct engine *e, enum lane lane);
void trip_mark(struct engine *e);
void trip_end(struct engine *e, double bytes);
int trip_take(struct engine *e);
