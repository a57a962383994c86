/* Which ghosts the ops of a plan fill, see plan.h. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/plan.h"

/* Behind every op all that it writes, as deep as it is read before it is written again; and how deep ghosts are in all:
 * gi, gk, gj. Errors: SF_INTERNAL. */
int fills_make(struct plan *p, const struct field *field);
/* Before that, where passes of another program may follow: what these ops read, of the pass to come at the latest. */
void fills_foresee(struct plan *p, const struct field *field, const struct stage *stage, const struct op *op, int nops);

/* Once segments have their lags: ghosts are filled as late as that changes nothing, behind ops that fill some anyway,
 * for on a GPU every fill is a kernel. */
void fills_gather(struct plan *p, const struct field *field);
