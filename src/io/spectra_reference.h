/* The run that shares count from: does it fit, and what does it have? SPDX-License-Identifier: MIT */
#pragma once

#include "io/writer.h"
#include "pipeline/complaint.h"
#include "pipeline/model.h"

#include <stddef.h>

/* Length of dimension d of a variable of the result, and how many values variable v has. */
int result_length(const struct result *r, const struct result_variable *v, int d);
size_t result_values(const struct result *r, int v);

/* to[nvariables]: of every share what it is a share of, from the file of the result's name in r->reference, in the
 * order of this run; 0 where that is no more than round-off; NULL of what is no share. The file must have the axes and
 * the facts of the result. Read by the writer, NULL: at once. to[] is owned by the caller, after a failure too. Errors:
 * SF_INPUT, with what differs; SF_MEMORY. */
int reference_read(const struct result *r, struct writer *writer, double **to);

/* Warn of what the reference has too little of. */
void reference_judge(const struct result *r, double *const *reference, struct complaints *to);
