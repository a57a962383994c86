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
    struct instructions count; /* of a thread for a point */
    int resident; /* threads that a multiprocessor holds */
    double block; /* threads of a block */
    double threads; /* of all blocks */
    int ni, nk, nj; /* points */
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

/* Values that a point takes from beyond its multiprocessor: those of its tile, which share what they read, and of the
 * rows that a block goes through, over their points. */
double predict_loads(const struct predict_kernel *k);
