/* Random programs for the engine, and their result worked out without it. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/engine.h"

enum { PROGRAM_MAX_STAGES = 6, PROGRAM_MAX_OPS = 12, PROGRAM_MAX_FIELDS = 6, PROGRAM_MAX_TERMS = 4 };

struct term {
    int field, di, dk, dj;
    real weight;
};

struct spec {
    int nterms, target, update, column, other_bank;
    struct term term[PROGRAM_MAX_TERMS];
};

struct program {
    struct config config;
    struct grid grid;
    struct model model;
    struct instance in;
    struct stage stage[PROGRAM_MAX_STAGES];
    struct spec spec[PROGRAM_MAX_STAGES];
    struct op op[PROGRAM_MAX_OPS];
    int lie; /* stage whose declared reach is too short by one row, -1 */
};

/* A program drawn from `seed`; every field is written before it is read, kept fields aside. */
void program_make(struct program *p, unsigned seed);
void program_free(struct program *p);

/* Declare one row less than some stage reads in j. 0 when no stage reads beyond its row. */
int program_lie(struct program *p);

/* Kept fields after `steps` steps, [field][nj][nk][ni], by plain loops over the whole domain. Caller frees. */
real *program_reference(const struct program *p, int steps);

/* The same from the engine on rank 0 (NULL elsewhere); *rc its error. */
real *program_run(const struct program *p, const struct comm *c, const struct engine_options *o, int steps, int *rc);

size_t program_size(const struct program *p);

/* Random engine options within a rank. */
struct engine_options program_options(unsigned seed);
