/* Random cases of the model of roles, cut at random, run by the engine and by plain loops.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "toy_roles.h"
#include "pipeline/engine.h"

/* Levels so far that a thread of their own read, and those that were read when they were wanted, but for first ones. */
struct roles_levels {
    long ahead, late;
};
struct roles_levels roles_levels(void);

/* Cases first .. first + n - 1, each in `cuts` ways, on one backend (NULL: the CPU); checkpoints go below directory
 * `dir`. Steps differ in length, and one run goes on from the checkpoint of another cut. 1 when bits differ or
 * something fails, which rank 0 prints. */
int roles_check(const struct comm *c, unsigned first, int n, int cuts, const struct backend *on, const char *dir);
