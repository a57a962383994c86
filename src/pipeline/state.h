/* The fields of one rank between two passes: own rows [ja, jb) with ghost rows around them.
 *
 * The state on host memory holds prognostic, tracer and static fields always, scratch fields only where one slab stays.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/comm.h"
#include "pipeline/grid.h"
#include "pipeline/storage.h"

#include <string.h>

struct reduction; /* reduce.h */

struct state {
    struct comm comm;
    const struct grid *grid;
    const struct instance *in;
    struct storage host;
    int ja, jb; /* own rows */
    long step; /* steps that it has taken: results are made of it while a device takes others */
    int threads; /* that look at it and fill it; 0: one */
    int threads_most; /* what `threads` may become; 0: it stays */
    int (*fetch)(void *engine); /* brings `host` up to date where a device is ahead of it; NULL: it always is */
    /* Rows of a reduction made on a device that is ahead of the host: out[own rows][r->sums + r->maxima]. *done 0:
     * there is none, or it does not hold all rows; the same on all ranks. NULL: never. Errors: SF_GPU, SF_MEMORY. */
    int (*rows)(void *engine, const struct reduction *r, double *out, int *done);
    void *engine;
};

static inline int state_threads(const struct state *st) { return st->threads > 0 ? st->threads : 1; }

/* Before anybody reads `host`: all that follows here does so itself. Collective. Errors: SF_GPU. */
int state_fetch(const struct state *st);

/* Is field id stored, restarted and digested? */
static inline int field_is_kept(const struct field *f)
{
    return f->role == ROLE_PROGNOSTIC || f->role == ROLE_TRACER || f->role == ROLE_KEPT;
}

/* Is it a map that the history shows beside the diagnostics? One that is kept or never changes, but for those without a
 * long name, which are for checkpoints, or for stages, alone. */
static inline int field_is_shown(const struct field *f)
{
    return f->shape == SHAPE_MAP && (field_is_kept(f) || f->role == ROLE_STATIC) && f->long_name[0];
}

/* Field n of the model where it is such a map with other parameters alone, else NULL. */
static inline const struct field *field_of_others(const struct instance *in, int n)
{
    const struct field *const f = &in->model->field[n];
    for (int m = 0; m < in->nfields; m++)
        if (!strcmp(in->field[m].name, f->name) && field_is_shown(&in->field[m])) return NULL;
    return f->shape == SHAPE_MAP && f->long_name[0] ? f : NULL;
}

/* Is the domain periodic across this face? Either all fields of three dimensions are, or none. */
int field_is_periodic(const struct instance *in, enum face face);

/* Columns, levels and rows of a field in native (staggered) form: nx, and one more where it sits on faces and the face
 * beyond the last cell is its own: every side but a periodic one. */
void field_extent(const struct field *f, const struct grid *g, int *ni, int *nk, int *nj);

/* Has a checkpoint values of it: kept, and not a box of nothing? */
int field_is_saved(const struct field *f, const struct grid *g);

/* Native rows [*ja, *jb) of a field on a rank, global: its own, and on the last rank the face beyond the last cell; of
 * a box those that it covers (*jb <= *ja: none). The first row of all is *first. */
void field_rows(const struct field *f, const struct comm *c, const struct grid *g, int rank, int *ja, int *jb,
                int *first);

/* Line k of row j of a field in native form: its first column. Of a box k counts its levels, value after value. */
real *state_line(const struct state *st, int id, int j, int k);

/* XXH3-64 of all kept fields in native form, the same for every cut of the domain; on all ranks. Collective. */
int state_digest(const struct state *st, unsigned long long *digest);

/* Look for NaN and Inf in kept fields. *found: 1 and `where` names field, value and global cell (the first in j, k, i
 * order), the same on all ranks. Collective. */
int state_find_bad(const struct state *st, int *found, char *where, size_t where_size);

/* The staggered value (a speed, where faces hold speeds) that crosses its cell fastest: what to look at when a Courant
 * number is out of bounds. `where` is empty when the model has none. The same on all ranks. Collective. */
int state_find_fastest(const struct state *st, char *where, size_t where_size);
