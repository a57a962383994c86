/* Tables of stages small enough to plan by hand. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/plan.h"

enum { A, B, C, D, MAX_FIELDS = 6, MAX_STAGES = 4, MAX_OPS = 6 };

struct table {
    struct field field[MAX_FIELDS];
    struct stage stage[MAX_STAGES];
    struct op op[MAX_OPS];
    int nfields, nstages, nops;
};

#define READS(id, ...)                                                                                                 \
    {                                                                                                                  \
        .field = (id), .mode = ACCESS_READ, .reach = { __VA_ARGS__ }                                                   \
    }
#define UPDATES(id)                                                                                                    \
    {                                                                                                                  \
        .field = (id), .mode = ACCESS_UPDATE                                                                           \
    }
#define WRITES(id)                                                                                                     \
    {                                                                                                                  \
        .field = (id), .mode = ACCESS_WRITE                                                                            \
    }
#define READS_OTHER(id, ...)                                                                                           \
    {                                                                                                                  \
        .field = (id), .mode = ACCESS_READ_OTHER, .reach = { __VA_ARGS__ }                                             \
    }
#define REWRITES(id)                                                                                                   \
    {                                                                                                                  \
        .field = (id), .mode = ACCESS_REWRITE                                                                          \
    }
#define ROWS(south, north) .jm = (south), .jp = (north)

/* A full field of one bank, with rules for its rows; a stage, and an op of it. */
void table_field(struct table *t, enum role role, unsigned stagger, enum ghost south, enum ghost north);
void table_stage(struct table *t, struct stage s);

/* b = f(a[j - 1 .. j + 1]); a += g(b[j - 2 .. j + 2]) */
struct table table_two_stencils(void);

/* A step of two parts: a is stepped from what it is, reaching one row; then from what it was at the start, reaching
 * two. */
struct table table_two_parts(void);

extern const struct cut by_pass, by_op, streamed, on_device;

/* plan_make, after what was said before is forgotten. */
int table_plan(struct plan *p, const struct table *t, int steps, const struct cut *cut);

/* Or the test fails: op lags so many rows; exchange n of a segment is of so many rows; op fills ghosts of a storage so
 * deep; none. */
void lags_are(const struct plan *p, int op, int to_north, int to_south);
void halo_is(const struct plan_segment *g, int n, int id, int south, int north);
void fill_is(const struct plan *p, int op, int id, struct reach depth);
void fills_nothing(const struct plan *p, int op, int id);
