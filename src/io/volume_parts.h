/* Reading rows of a variable of up to three dimensions and time, piece by piece, whatever its numbers become: volume.c
 * reads media, filed.c fields. SPDX-License-Identifier: MIT */
#pragma once

#include "io/nc.h"
#include "pipeline/error.h"
#include "pipeline/filed.h"

enum { AXIS_TIME = FILED_AXES, AXIS_UNKNOWN = -1, VOLUME_DIMS = FILED_AXES + 1 };

struct volume {
    const char *path, *name;
    int nc, var;
    int dims, dim[VOLUME_DIMS], axis[VOLUME_DIMS]; /* its dimensions; the axis of each */
    int n[FILED_AXES]; /* 1 along an axis that it lacks */
    size_t time; /* number of the time to read, where it has that dimension */
    int levels; /* of a chunk; 1: not chunked */
    size_t bytes; /* of a number of a piece: a short, or a double */
    const char *beyond; /* what a number is that such a piece cannot hold: "no media" */
    /* Take rows j0 .. j1 - 1 and levels k0 .. k1 - 1 of a piece [k][j][i] to values[j - j0][k][i], whose rows hold all
     * levels. Errors: SF_INPUT. */
    int (*take)(const struct volume *v, const void *piece, int j0, int j1, int k0, int k1, void *values);
    size_t taken; /* bytes of a number of values */
    const void *own; /* of take */
};

#define NC_READ(path, call, what)                                                                                      \
    do {                                                                                                               \
        LIBRARY_DEMAND();                                                                                              \
        const int nc_rc_ = (call);                                                                                     \
        SF_CHECK(nc_rc_ == NC_NOERR, SF_INPUT, "cannot read '%s': %s: %s", path, what, nc_strerror(nc_rc_));           \
    } while (0)

/* What the order of dimensions comes to. */
struct volume_order {
    char given[4 * 66 + 72], wrong[1024]; /* "medium(x, y, z)"; what is wrong with it and what to do, "" nothing */
    int is_guess; /* neither names nor sizes tell two of them apart */
};

/* Find v->axis: what names and coordinates do not tell follows from the place, of three or of one alone. Time may stand
 * before them, where there is to be one. Sizes cannot tell where they agree: no dimension that tells its axis may stand
 * where another is wanted. Errors: SF_INPUT of the library alone. */
int volume_order(struct volume *v, int with_time, struct volume_order *o);
/* A foreign chunk shape could make the library ask for any amount of memory. */
int volume_chunks(struct volume *v);
/* Rows j0 .. j1 - 1, all levels. Errors: SF_INPUT, SF_MEMORY. */
int volume_rows(const struct volume *v, int j0, int j1, void *values);
