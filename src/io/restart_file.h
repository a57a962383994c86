/* One checkpoint file on rank 0: its header, and its fields piece by piece. Part of restart.h.
 *
 * A piece is a block of rows, or a block of levels of one row where a row is large; it is one chunk of the file, so no
 * more than PIECE_BYTES (or one line of i) is ever held. Everything that a reader believes is checked first: hostile
 * headers are refused before memory is asked for. All functions may be called by a job of a writer.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "io/nc.h"
#include "io/restart.h"

enum { RESTART_FORMAT = 1, RESTART_NAME = 64, PIECE_BYTES = 4 << 20 };

typedef unsigned long long restart_digest;

struct restart_field {
    char name[RESTART_NAME];
    int ni, nk, nj; /* native extents; nk is 1 for a map */
    int is_map;
    int is_box; /* part of the domain, with dimensions of its own */
    int var;
    int id; /* of the state's fields, where the header is of a state */
    restart_digest digest; /* XXH3-64 of the values in memory order */
};

struct restart_head {
    char model[RESTART_NAME], case_name[PARAM_STRING_SIZE];
    int precision; /* bits of a value */
    int nx, ny, nz;
    double dx, dy;
    double time;
    long long step;
    double extra[RESTART_MAX_EXTRA];
    int nextra;
    double *sampled; /* owned; [nsampled] */
    long long nsampled;
    char *identity; /* owned */
    int nfields;
    struct restart_field field[SF_MAX_FIELDS];
    restart_digest data; /* of the values of all fields, in order */
};

struct piece {
    int j0, j1, k0, k1;
};

/* The piece after `p` in memory order (a zeroed piece: the first); 0 when there is none. */
int piece_next(const struct restart_field *f, size_t value_bytes, struct piece *p);
size_t piece_bytes(const struct restart_head *h, const struct restart_field *f, struct piece p);
/* Bytes of the largest piece of any field. */
size_t piece_largest(const struct restart_head *h);
/* Of what it takes on rank 0 to write them: pieces at hand, those that netCDF keeps, and the two that HDF5 makes of one
 * on its way out. */
size_t restart_head_writing(const struct restart_head *h, int at_hand);
size_t restart_head_bytes(const struct restart_head *h); /* of all values */
void restart_head_free(struct restart_head *h);

/* Begin the file `path` under a temporary name; fills `var` of the fields, whose units come from `in`. After a failure
 * of any of the three: ncfile_abandon. Errors: SF_IO, SF_MEMORY. */
int restart_file_create(struct ncfile *to, const char *path, struct restart_head *h, const struct instance *in);
int restart_file_put(struct ncfile *to, const struct restart_head *h, const struct restart_field *f, struct piece p,
                     const void *values);
/* Write the digests, which are known now, and close. */
int restart_file_seal(struct ncfile *to, const struct restart_head *h);

/* Open and check the header. On failure nothing stays open and *h is empty. Errors: SF_RESTART, SF_MEMORY. */
int restart_file_open(const char *path, struct restart_head *h, int *nc);
int restart_file_get(const char *path, const struct restart_field *f, int nc, struct piece p, void *values);
/* Read all values and compare every digest. Errors: SF_RESTART, SF_MEMORY. */
int restart_file_verify(const char *path, const struct restart_head *h, int nc);
