/* A state of every kind of field, made by hand, its directory, and files as bytes: for the tests of checkpoints.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "io/restart.h"
#include "pipeline/config.h"
#include "pipeline/model.h"
#include "pipeline/state.h"

#include <stddef.h>

enum { NX = 13, NY = 7, NZ = 5, U = 0, V, W, THETA, QV, BASE, U_T, RAIN, EMPTY, PART, FIELDS };

extern const struct field small_run_fields[FIELDS];
extern const char small_run_settings[]; /* what identifies it */

struct small_run {
    struct grid grid;
    struct config config;
    struct model model;
    struct instance in;
    struct state st;
    char dir[64];
};

/* Ghosts of gi columns, gk levels and gj rows around. Lives as long as the test's process. */
struct small_run *small_run_make(int nx, int ny, int nz, int gi, int gk, int gj);
struct small_run *small_run_plain(void);
void small_run_end(struct small_run *r);
/* Remove all files of a directory. */
void small_run_clear(const char *dir);

/* The first value of a line of a field. */
real *small_run_at(const struct state *st, int id, int j, int k, int i);
/* Every native value of every kept field has all bit patterns, of `seed`: set them; how many have another; call visit
 * for each. */
void small_run_fill(struct small_run *r, long seed);
long small_run_wrong(struct small_run *r, long seed);
long small_run_each(const struct state *st, long seed, int (*visit)(real *x, real wanted));
int value_poison(real *x, real wanted); /* a visit */

struct restart_info small_run_info(long step);
/* The checkpoint of a step, filled with its number. */
void small_run_write(struct small_run *r, long step);
/* What a reader says to `path`, with the promise that a refused file has changed nothing. */
int small_run_read(struct small_run *r, const char *path, const char *identity);
/* Paths in its directory, one of four that are used by turns: of any file, of the checkpoint of a step. */
char *small_run_path(const struct small_run *r, const char *name);
char *small_run_nc(const struct small_run *r, long step);
int small_run_files(const struct small_run *r, const char *part); /* with this in their names */

struct bytes {
    unsigned char *data;
    size_t size;
};

struct bytes bytes_load(const char *path);
void bytes_store(const char *path, const unsigned char *data, size_t size);
/* Make the digest file agree with whatever the checkpoint is now, so that only the digests inside can tell. */
void bytes_seal(const char *path);
