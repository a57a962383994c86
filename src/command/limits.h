/* The speed limit of a plan: what its bytes, instructions and arithmetic allow on a machine.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "command/machine.h"
#include "pipeline/engine.h"
#include "pipeline/sass.h"

#include <stdio.h>

enum limit_by { LIMIT_MEMORY, LIMIT_ISSUE, LIMIT_FMA, LIMITS };

/* Per point of an op, or per point and step. */
struct limit {
    double bytes, flops;
    struct instructions count; /* of a GPU */
    int is_counted; /* 1: `count` is known */
    double part[LIMITS]; /* s that each of them takes at the least */
    double seconds; /* and all: of an op the longest; of steps the sum over ops, or where a pass stays in cache the
                       longest */
    enum limit_by by; /* what takes the most of it */
    double rows; /* of steps: those computed for each own one, with those beyond seams and where slabs overlap */
};

const char *limit_name(enum limit_by by);

/* Of an op, on what its kernel is known to be once the engine has launched it. */
struct limit limit_of_op(const struct engine *e, const struct plan_op *o, const struct machine *m);

/* Of a step. On a GPU every op goes to memory; on a CPU the fields of a pass do, once, for rows stay in cache from op
 * to op. */
struct limit limit_of_step(const struct engine *e, const struct machine *m);

/* Rows of text: operations to memory, the limit, and the share of it that a trial of `rate` points/s reached (0: there
 * was none). */
void limit_print(FILE *to, const struct engine *e, const struct machine *m, double rate);
/* One line: what a run of `rate` points/s came to. */
void limit_print_run(const struct engine *e, const struct machine *m, double rate);
