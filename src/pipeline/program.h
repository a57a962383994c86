/* A program of a time step grows as its model adds ops. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/model.h"

/* Appends `op` to the list *list of *n ops, which begins as NULL with 0 ops and belongs to the caller, who frees it.
 * Error: SF_MEMORY; the list is then what it was. */
int program_add(struct op **list, int *n, struct op op);
