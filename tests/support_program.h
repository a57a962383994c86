/* Random programs for the engine, and their result worked out without it.
 *
 * A program has prognostic fields, a family of tracers, scratch fields and static ones of every shape; stencils that
 * reach up to two cells, columns, second banks that stages go to and back to, ops that skip steps, and every kind of
 * side; fields of several values a point that cover part of the domain, or all rows of it, which stages update and read
 * within that part; and static fields of small numbers that stand for the same on one rank only. Where a side is open,
 * fields staggered onto it own the face beyond the last cell, and the stages that write them extend to it. (Only in x
 * and y: the engine extends no box upwards.) SPDX-License-Identifier: MIT */
#pragma once

#include "support_sides.h"
#include "pipeline/engine.h"

enum { PROGRAM_MAX_STAGES = 7, PROGRAM_MAX_OPS = 16, PROGRAM_MAX_FIELDS = 14, PROGRAM_MAX_TERMS = 4 };

struct term {
    int field, family, di, dk, dj;
    int value; /* which of a box's values */
    real weight;
};

/* What a stage computes: dt (own + sum of weight * neighbour), where own is half of the target where it is updated. */
struct spec {
    int nterms, target, family, column;
    enum access_mode how; /* it treats its target */
    int own; /* 1: it reads its target, too, in the bank that it does not write */
    unsigned back; /* bit f: of field f, where it reads it, the other bank */
    int clock; /* 1: the step's number and time enter */
    int sparse; /* 1: only points in `few` are changed */
    struct box few;
    struct term term[PROGRAM_MAX_TERMS];
};

struct program {
    struct config config;
    int sides; /* south and north */
    struct grid grid;
    struct model model;
    struct instance in;
    struct stage stage[PROGRAM_MAX_STAGES];
    struct spec spec[PROGRAM_MAX_STAGES];
    struct op op[PROGRAM_MAX_OPS];
    int nkept, tracer0, ntracers,
        nchanging; /* kept fields, the last nboxes of them boxes, then scratch ones, then static ones */
    int nboxes;
    unsigned went; /* bit f: while stages are drawn, both banks of field f hold what it was or is */
    int open_e, open_n, open_t; /* 1: fields may own the far face in x, in y, in z */
    int wrap_z, columns; /* 1: fields may be periodic in z; stages may be of columns */
    int *strangers; /* calls that were handed an undeclared field, or not handed a declared one */
    int *shift; /* of small numbers on this rank */
};

/* A program drawn from `seed`; every field is written before it is read, kept fields aside. */
void program_make(struct program *p, unsigned seed);
void program_free(struct program *p);

/* Does a stage change point (j, k, i) of the domain? */
int program_changes(const struct spec *x, int j, int k, int i);

/* Does the field own the face beyond the last cell in x (axis 0), y (1) or z (2)? */
int program_owns(const struct field *f, int axis);

/* Value of a field at time 0, and of a static field for ever. Profiles take j = i = 0. */
real program_start(const struct program *p, int f, int j, int k, int i);

/* Extents of a kept field as it is compared: [nj][nk][ni] from row j0 on, one more where a face is owned; a box's
 * levels are n values of each of its own. */
struct program_extent {
    int j0, nj, nk, ni;
};
struct program_extent program_extent_of(const struct program *p, int f);

/* Value m at a point of box f, whose place in its nk levels and ni columns that is; is the point in it? */
int program_in_box(const struct program *p, const struct field *f, int j, int k, int i);
int program_box_level(const struct field *f, int m, int k);

/* The number that a static field of small numbers has at a point, for ever. */
int program_number(const struct program *p, int f, int j, int k, int i);

/* Values in one state: kept fields one after the other. */
size_t program_size(const struct program *p);

/* The time of step s, the same for all programs. */
double program_time(long s);

/* Kept fields after `steps` steps by plain loops over the whole domain. Caller frees. */
real *program_reference(const struct program *p, int steps);

/* The same from the engine on rank 0 (NULL elsewhere); *rc its error. */
real *program_run(const struct program *p, const struct comm *c, const struct engine_options *o, int steps, int *rc);

/* Steps [first, first + part[0] + part[1] + ...) with one call of engine_run for each part, from the state `from` of
 * all rows, which every rank has, or from time 0 where it is NULL. */
real *program_run_parts(const struct program *p, const struct comm *c, const struct engine_options *o, const real *from,
                        int first, const int *part, int nparts, int *rc);

/* Random engine options within a rank. */
struct engine_options program_options(unsigned seed);

/* "" when the two states have the same bits, else where they differ first. The text is overwritten by the next call. */
const char *program_difference(const struct program *p, const real *a, const real *b);
