/* Ops that run every so many seconds of model time (op.every_s): in which steps, and how long after the last time.
 *
 * One number a period says all that a later step needs to know: the time of the step in which its ops ran last. So
 * neither the way the steps are cut into passes nor their lengths enter, and a checkpoint keeps these numbers.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/model.h"

enum { PERIODS_MOST = 8 };

struct periods {
    int n;
    double every[PERIODS_MOST]; /* s, of the ops of a program: no two the same */
    double last[PERIODS_MOST]; /* s: the beginning of the step in which they ran last */
};

/* Those of both programs. Errors: SF_INTERNAL, where there are too many. */
int periods_make(struct periods *p, const struct instance *in);

/* Which period an op has; its every_s is one of them. */
int periods_find(const struct periods *p, double every_s);

/* Step `step` begins at `time` s: seconds since the ops of period n ran last, which run in it, or -1, for they do not.
 * A multiple that a step misses by no more than round-off counts as met. Steps are told in their order. */
double periods_step(struct periods *p, int n, long step, double time);
