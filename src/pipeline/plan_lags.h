/* Lags of the ops of a segment, see plan.h. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/plan.h"

static inline int max_int(int a, int b) { return a > b ? a : b; }

/* Ops further apart than this have others like them between, which lag as far at least: banks alternate every second
 * step. */
int plan_far(const struct plan *p);

/* For the ops [op0, op1) of a segment, and the largest of them. Errors: SF_MEMORY. */
int plan_lags(struct plan *p, const struct field *field, struct plan_segment *g);

/* Once lags of a segment are known: does op `b`, for its access y, keep less behind op `a` with its access x to the
 * same storage, in any direction, than lags would be planned for? */
int plan_lag_missing(const struct plan *p, const struct field *field, const struct plan_segment *g,
                     const struct plan_op *a, const struct plan_access *x, const struct plan_op *b,
                     const struct plan_access *y);

/* Let op n lag as far as op `ahead`, either way, if what follows it, and the rows that the segment touches, may stay as
 * they are. */
void plan_lag_raise(struct plan *p, const struct field *field, const struct plan_segment *g, int n,
                    const struct plan_op *ahead);
