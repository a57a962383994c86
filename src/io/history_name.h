/* Names of history files: history_<time in s, or number of the step>.nc, with leading zeros, so that the names of a run
 * sort as its times do.
 *
 * A time has 8 digits before the point and a step 9, and more where the run is longer. A run that goes on past the last
 * time that its names can tell finds files of fewer digits: they are renamed. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/model.h"

#include <stddef.h>

/* Digits before the point that the names of a run need: those of &time duration, or of its last step. */
int history_digits(const struct instance *in);

/* The name of the file whose first frame is at `time` s. */
void history_name(const struct instance *in, int digits, double time, char *name, size_t size);

/* Give every history file of the directory, which belongs to the caller, `digits` digits, or as many as the longest
 * name there has: *digits tells. Errors: SF_IO, SF_MEMORY. */
int history_names_widen(const char *directory, int *digits);
