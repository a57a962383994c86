/* Lags of the ops of a segment, see plan.h. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/plan.h"

static inline int max_int(int a, int b) { return a > b ? a : b; }

/* For the ops [op0, op1) of a segment, and the largest of them. Errors: SF_MEMORY. */
int plan_lags(struct plan *p, const struct field *field, struct plan_segment *g);
