/* What the parts of a streamed pass share: engine_stream.c sends slabs through a slot, engine_seams.c brings their
 * ghost rows, engine_rows.c moves rows, engine_overlapped.c does with slabs that overlap.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/engine_parts.h"

/* A skewed slab on its way. */
struct window {
    int front0, front1; /* its rows, q */
    long number; /* of all slabs so far */
};

/* A pass. */
struct stream {
    const struct plan *plan;
    struct route route;
    struct span_rows own, out; /* rows that are the rank's, and that go out, q */
    int out_next; /* the first that has not gone out, q */
    struct span_rows stay; /* rows that the next pass takes over, q */
    int far_kept; /* 1: rows beyond the far side are in keep[1] */
    long near_number; /* the slab with which rows that other ranks want first have gone out; -1: they are sent; 0: not
                         yet */
    int near_end; /* up to q */
    const struct slab *from, *to; /* where rows come from and where they go */
    struct halo *next; /* of the pass to come: what becomes final is sent */
    long step;
    struct window window[2];
};

/* Between the rows of the host and of a device: in, or out. */
struct transfer {
    const struct slab *host, *device;
    const struct plan *plan;
    int out;
};

/* Rows [j0, j1) of every field that lives on the host: in, or of kept fields out. Of those that a slot holds for good,
 * what other ranks make or want. */
void rows_transfer(const struct engine *e, const struct transfer *t, int j0, int j1);
/* The same of a slab, for its lane and the timeline. */
void slab_transfer(struct engine *e, const struct transfer *t, int slab, long step, struct span_rows j);
/* Fields that a slot holds for good: all rows that the host has. */
void whole_transfer(const struct engine *e, const struct transfer *t);
/* Bytes of rows_transfer, those fields aside. */
size_t rows_bytes(const struct engine *e, const struct plan *p, int first, int last, int out);
/* Profiles are not cut in rows: every slot has them whole. */
void profiles_share(struct engine *e);
/* Rows [j0, j1) of slab `to` from rows `shift` further on of `from`, in LANE_COMPUTE: of kept fields. */
void rows_within(const struct engine *e, const struct plan *p, const struct slab *to, const struct slab *from, int j0,
                 int j1, int shift);

_Static_assert(BACKEND_RING % ROUTE_PIECES == 0, "the ring holds whole slabs");

/* Pieces of all slabs so far; a slab has passed a lane when its last piece has. */
static inline long piece_of(long number, int m) { return number * ROUTE_PIECES + m; }
static inline long last_of(long number) { return piece_of(number, ROUTE_PIECES - 1); }

/* Of what is long gone the last that the ring remembers stands for it. */
static inline int event_of(const struct engine *e, long piece)
{
    return (int)(SF_MAX(piece, last_of(e->stream.number - BACKEND_RING / ROUTE_PIECES + 1)) % BACKEND_RING);
}

/* `lane` waits until a piece has passed lane `of`, or slab `number` has; 0: for none. */
static inline void piece_wait(const struct engine *e, enum lane lane, enum lane of, long piece)
{
    if (piece > 0) e->backend->wait(lane, of, event_of(e, piece));
}

static inline void slab_wait(const struct engine *e, enum lane lane, enum lane of, long number)
{
    if (number > 0) piece_wait(e, lane, of, last_of(number));
}

/* Slab `number` passes a lane here. */
static inline void slab_record(const struct engine *e, enum lane lane, long number)
{
    e->backend->record(lane, (int)(last_of(number) % BACKEND_RING));
}

static inline struct span_rows rows_of(const struct stream *r, struct span_rows q)
{
    return rows_turned(r->route.dir, r->route.mirror, q);
}

/* Rows of the domain from q = a to b; none where b lies before a. */
static inline struct span_rows rows_between(const struct stream *r, int a, int b)
{
    return rows_of(r, (struct span_rows){a, SF_MAX(a, b)});
}

static inline int has_seam(const struct engine *e, int side) { return side ? e->seam_n : e->seam_s; }

/* A pass that follows another: ghost rows of the side where it begins, and of the far side while their originals are as
 * they were. */
void seams_begin(struct engine *e, struct stream *r);
/* After a pass: rows that other ranks want and that would have stayed here go to the host. */
void sources_out(struct engine *e, struct stream *r);
/* Bytes that both and seams_end move in a pass which finds rows `have`. */
void seams_bytes(const struct engine *e, const struct stream *r, struct span_rows have, double *in, double *out);
/* Rows that the pass has finished first leave for the ranks that will begin with them. Errors: SF_COMM, SF_GPU. */
int near_send(struct engine *e, struct stream *r);
/* The far side's ghost rows that come from other ranks, before slab c wants them. Errors: SF_COMM. */
int far_take(struct engine *e, struct stream *r, int c);
/* For the pass that follows: ghost rows of the side where this one ends; `first`: this one's first slab. Errors:
 * SF_COMM, SF_GPU. */
int seams_end(struct engine *e, struct stream *r, long first);

/* The state is what the host has: exchange, and have nothing in the slot. Errors: SF_COMM, SF_GPU. */
int stream_begin(struct engine *e);
/* Rows that slab c comes in with, where slabs overlap. engine_overlapped.c */
struct span_rows overlapped_rows(const struct engine *e, const struct plan *p, int c);

struct stream stream_make(struct engine *e, const struct plan *p, long step);
int pass_overlapped(struct engine *e, struct engine_pass *p, long step, const double *time, double dt);
