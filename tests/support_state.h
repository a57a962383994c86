/* A small model bound to a small grid on one rank, by hand: fields of every stagger and shape, whose values tell where
 * they belong. x is periodic, y and z have walls. SPDX-License-Identifier: MIT */
#pragma once

#include "io/meta.h"
#include "pipeline/state.h"

enum { TOY_S, TOY_U, TOY_V, TOY_W, TOY_MAP, TOY_SCRATCH, TOY_FIELDS };

struct toy {
    struct config config;
    struct grid grid;
    struct instance in;
    struct state st;
    struct output_info info;
    double base[64];
    char directory[256];
};

/* only: the field that gets memory, -1 for all. The directory is new and empty. */
void toy_open(struct toy *t, int nx, int ny, int nz, int only);
/* Fill all fields, one layer of ghosts included, with toy_value + shift. */
void toy_fill(struct toy *t, double shift);
/* Closes the writer and removes the directory. */
void toy_close(struct toy *t);

/* A number that no other place of no other field has. */
real toy_value(int field, int j, int k, int i, double shift);
/* The diagnostics theta, u_c (between two faces) and the unasked hidden, in the arithmetic of the model. */
real toy_theta(int j, int k, int i, double shift);
real toy_u_centre(int j, int k, int i, double shift);

/* directory/name, overwritten by the next call. */
const char *toy_path(const struct toy *t, const char *name);
int toy_exists(const struct toy *t, const char *name);
/* Names in the directory that hold `part`. */
int toy_count(const struct toy *t, const char *part);

/* All values of a variable of a file, to be freed; *n of them, and the extents. Ends the test when there is none. */
double *toy_read(const struct toy *t, const char *file, const char *variable, size_t *n, size_t extent[4]);
/* A text attribute ("" when there is none) of a variable, or of the file with NULL. */
const char *toy_attribute(const struct toy *t, const char *file, const char *variable, const char *name);
