/* Which shape of a kernel was found to be the fastest here: by device, stage and size of the domain (cache.h).
 * SPDX-License-Identifier: MIT */
#pragma once

#include "command/session.h"

/* Domains within a factor of two in points are alike. */
int tune_class(double points);

enum { TUNE_NONE = -2 };

/* What was found for the class nearest to that of `points`: the candidate (-1: the stage's own pick), or TUNE_NONE when
 * nothing was, or the candidates are others now. */
int tune_find(const struct backend *b, const struct model *m, int stage, double points);
/* Of a stage that has candidates. */
void tune_keep(const struct backend *b, const struct model *m, int stage, double points, int candidate);

/* Let the stages of a session take what was found for them. Collective. Errors: SF_COMM. */
int tune_apply(struct session *s);
