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

/* Bytes of an op: of what it reads and writes at every point. Of sources, monitors, open sides, the ground none; where
 * a stage finds something to do at some points, what it looks at to find them. */
double traffic_of_op(const struct instance *in, const struct plan *p, const struct plan_op *o);
/* Does it look at every point? */
int op_is_everywhere(const struct instance *in, const struct plan *p, const struct plan_op *o);
double flops_of_op(const struct plan_op *o);
struct traffic traffic_of(const struct instance *in, const struct plan *p);
