/* From tables to a schedule: which rows every op computes, how far it lags behind the front of a sweep, which ghost
 * rows are exchanged and when.
 *
 * A pass is a flat list of ops over one or more time steps, cut into segments. Before a segment, ranks (and the two
 * ends of a periodic domain) exchange ghost rows; within it, nothing is exchanged and ops recompute what they need
 * beyond the rank's own rows. Walking a segment backwards gives, for every op, the rows beyond the own ones (`south`,
 * `north`), and for every field the ghost rows to exchange.
 *
 * A sweep pushes a window of rows through all ops of a segment. Op o computes the rows of the window shifted back by
 * its lag, so that every value it reads has been made and no value is overwritten before its last reader has had it. A
 * slab boundary in a streamed pass is one such window boundary. Within a window of rows the levels can be cut in the
 * same way, upward: lags along j and k hold independently. Sweeps go north (direction 0) or south (1); alternating them
 * lets the rows that a neighbour needs first be finished first. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/model.h"
#include "pipeline/storage.h"

enum { PLAN_MAX_WRITES = 60, PLAN_MAX_ACCESS = STAGE_MAX_ACCESS + MEMBER_FIELDS * MEMBERS_MOST };

struct plan_access {
    int id; /* storage: the field, or its second bank */
    int field; /* where the stage finds it: that of the first member of a family */
    int member, nth; /* of a family: which of the members that the op works on, and which of its fields; -1: of none */
    enum access_mode mode;
    int is_beside; /* a read, whose stage finds it at w: ACCESS_READ_BESIDE */
    enum rare rare; /* as access.rare */
    struct reach reach;
};

/* Ghosts to fill behind each row that is written, by op `writer`: depth on every side. */
struct plan_fill {
    int id, field, writer;
    struct reach depth;
};

/* The stages of the engine's own ops; their number is behind those of the model. */
extern const struct stage plan_settle, plan_feed, plan_make_ghosts;

struct plan_op {
    const struct stage *stage;
    struct op op;
    int step; /* within the pass */
    int feeds; /* 1: no stage of the model's: access 2 becomes what lies between its levels in time, accesses 0 and 1 */
    int settles; /* 1: no stage of the model's: a second bank, access 0, is copied into the first, access 1 */
    int makes; /* 1: no stage of the model's: ghosts of access 0 are made anew */
    int ndeclared, naccess; /* what the stage declares, and behind it sources of ghosts that are made (enum ghost) */
    struct plan_access access[PLAN_MAX_ACCESS];
    int nfill;
    struct plan_fill fill[PLAN_MAX_WRITES];
    int south, north; /* rows computed beyond the own ones at a seam */
    int lag[2]; /* by direction of the sweep */
    int lag_k; /* behind the front of a window of levels */
};

/* Is it one of the engine's own? */
static inline int plan_op_is_own(const struct plan_op *o) { return o->settles || o->feeds || o->makes; }

struct plan_rows {
    int id, south, north;
};

struct plan_segment {
    int op0, op1;
    int nhalo;
    struct plan_rows halo[2 * SF_MAX_FIELDS]; /* ghost rows to exchange before it */
    int south, north; /* the deepest of them */
    int lag[2]; /* the largest */
    int edge[2]; /* rows behind the front of a slab that its ops still touch */
    int lag_k; /* the largest; -1: its levels stay together, for some stage solves columns or z is periodic */
};

/* How the domain is cut, and what an exchange costs beside computing. */
struct cut {
    int rows; /* own rows of a rank, or of an overlapped slab: the fewest of any */
    int seams; /* 1: some end of a rank's rows is no physical side */
    int sided; /* 1: some of them have a seam on one side and a physical side on the other */
    int streamed; /* 1: scratch fields and second banks do not outlive a pass: one segment, and what is left there
                     settles */
    int by_op; /* 1: exchange wherever an op needs it */
    int by_pass; /* 1: exchange once a pass */
    int row_elements; /* of a full field: what the rows of others are weighed by; 0: all weigh the same */
    double latency_rows; /* cost of one exchange in rows of one field */
    int on_device; /* 1: every op is a kernel that goes through all rows before the next: no cut loses what a cache
                    * still holds, and stages see to `sides` */
    int ghost_rows; /* most rows beyond the own ones, south and north together, where cuts can keep to it; 0: any */
};

struct plan {
    int steps;
    int period; /* steps of the program that it repeats: 1, or 2 */
    int nops, nsegments;
    struct plan_op *op;
    struct plan_segment *segment;
    int nids; /* storages: fields and second banks */
    int field_of[2 * SF_MAX_FIELDS];
    struct form form[2 * SF_MAX_FIELDS];
    int bank_id[SF_MAX_FIELDS]; /* storage of the second bank, -1 */
    int level_id[2][SF_MAX_FIELDS]; /* storages of the earlier and the later level of a field that is fed, -1 */
    int last_id[SF_MAX_FIELDS]; /* storage that holds the field after the pass */
    int gi, gk,
        gj; /* ghost columns, levels, and rows at physical sides, that any op needs, of passes of either program */
    struct reach
        after[SF_MAX_FIELDS]; /* where there are two programs: ghosts of each field that a pass of either may read */
    int south, north; /* ghost rows that any segment or static field needs at a seam */
    int on_device; /* see struct cut */
    int few_rows; /* 1: reaches count on both sides; see struct cut sided */
    int extend_e, extend_n, extend_t; /* 1: some field that ops compute owns the face beyond the last cell */
};

/* Does the field have a value of its own on the face beyond the last cell, of FACE_E, FACE_N, FACE_T? Ops that extend
 * compute it, or the model that sets the field; else it follows from the cells inside. */
int field_owns_far(const struct field *f, enum face face);

/* What a pass repeats: the ops of one step, and of two together, which even numbers of steps take where there are
 * any. */
struct plan_program {
    const struct op *op, *pair; /* pair NULL: there are none */
    int nops, npair;
};

/* Errors: SF_INTERNAL when the tables contradict themselves (a field read beyond its unit and changed in one stage, too
 * many accesses); SF_MEMORY. */
int plan_make(struct plan *p, const struct field *field, int nfields, const struct stage *stage, int nstages,
              const struct plan_program *program, int steps, const struct cut *cut);
void plan_free(struct plan *p);
