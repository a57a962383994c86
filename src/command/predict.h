/* How long a kernel will take for a point, before it is measured: the least that each resource of a GPU allows, after
 * the model that Chemora chooses its tiles by (Schnetter, Blazewicz, Brandt, Koppelman and Loeffler 2015, Computing in
 * Science and Engineering 17(2)). SPDX-License-Identifier: MIT */
#pragma once

#include "command/machine.h"
#include "pipeline/model.h"
#include "pipeline/sass.h"

enum predict_by { PREDICT_ISSUE, PREDICT_LOAD_STORE, PREDICT_L2, PREDICT_DRAM, PREDICT_LATENCY, PREDICTS };

/* A kernel in one of its shapes, on one domain. */
struct predict_kernel {
    struct candidate shape;
    struct instructions count; /* of a thread for a point, and a member */
    int resident; /* threads that a multiprocessor holds */
    double block; /* threads of a block */
    double threads; /* of all blocks */
    int ni, nk, nj; /* points */
    int members; /* of families that it computes one after the other; 0: it is of no family */
    double share; /* of the points, which it computes; 0: all */
    const struct stage *stage; /* what it reads, how far, and what it writes */
    const struct field *field;
};

struct predict_device {
    int multiprocessors;
    double clock; /* Hz */
    size_t l2; /* bytes */
};

struct prediction {
    double part[PREDICTS]; /* s for a point */
    double seconds; /* the longest */
    enum predict_by by;
};

const char *predict_name(enum predict_by by);

struct prediction predict(const struct predict_kernel *k, const struct predict_device *d, const struct machine *m);

/* Where nobody counted instructions: flop, loads and stores of a point, and a member, were what a stage reads of a
 * field the lines along the axes as far as it reaches. */
struct instructions predict_count(const struct stage *s, const struct field *f);

/* A window of a CPU, which all ops of a segment go through: see engine.md. */
struct predict_window {
    double rows, levels; /* of it */
    double lag, lag_k; /* rows and levels that the last op stays behind the first; lag_k 0: windows have all levels */
    int ops_of_pass;
    double line; /* bytes of all fields on a line along i, of one row and level */
    double cache; /* bytes of the second-level caches of all threads */
    double ops, least; /* bytes of a point and step: where every op goes to memory, where a pass stays in cache */
};

/* Bytes of all lines that the ops of a window touch between two visits of the first. */
double predict_window_bytes(const struct predict_window *w);
/* The share of what an op moves that comes from beyond the second-level cache. All of it where the lines of one op
 * exceed that. Else what a pass brings in and out; the rows that an op finds behind those of the op before it, which
 * the last window touched; and such levels, unless the cache holds the lines of all ops. */
double predict_far(const struct predict_window *w);
/* An op on a CPU: issue by the arithmetic units, of which half as many start a second as flop of fused multiply-adds
 * end; the second-level cache; memory. bytes: of a point; far: as above. */
struct prediction predict_on_cpu(const struct instructions *count, double bytes, double far, const struct machine *m);

/* Values that a point takes from beyond its multiprocessor: those of its tile, which share what they read, and of the
 * rows that a block goes through, over their points. */
double predict_loads(const struct predict_kernel *k);
