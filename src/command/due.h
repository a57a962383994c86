/* What is to be done between the steps of a run. SPDX-License-Identifier: MIT */
#pragma once

#include "command/session.h"

enum due { DUE_CHECK = 1, DUE_OUTPUT = 2, DUE_RESTART = 4, DUE_SAMPLE = 8 };

/* Steps between looks at the state. */
int due_check_interval(const struct session *s);

/* After step m: some of enum due. */
int due_at(const struct session *s, long m);

/* Steps from step m on until something is due, 1 at least and `most` at most. */
long due_ahead(const struct session *s, long m, long most);

/* Steps of a pass in the mean of all passes of the run, or of its beginning where it is long. e: the engine that it
 * would have. */
double due_mean(const struct session *s, const struct engine *e);
