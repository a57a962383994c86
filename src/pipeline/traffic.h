/* What a plan moves through memory and computes, per point. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/plan.h"

struct traffic {
    double
        ops; /* bytes per step when every op goes to memory: each field of an op read or written once, updated twice */
    double least; /* bytes per step when a pass stays in cache: kept fields in and out, static ones in */
    double flops; /* per step */
    double in, out; /* bytes of a pass when the host keeps the state: kept and static fields, kept fields */
};

/* Does it compute every point? Sources, monitors and open sides touch few; their flop are not counted, nor their
 * bytes. */
static inline int op_is_everywhere(const struct plan_op *o) { return plan_op_is_own(o) || o->stage->flops > 0; }

double traffic_of_op(const struct instance *in, const struct plan *p, const struct plan_op *o); /* bytes */
double flops_of_op(const struct plan_op *o);
struct traffic traffic_of(const struct instance *in, const struct plan *p);
