/* A GPU on paper: what plans and sizes ask of a device, so that the schedule of a case can be told for a machine that
 * is not at hand. Nothing is computed there. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/backend.h"

/* The GPU of that name, "h100" or "h200", in small letters or large ones, one of `node` of its machine; NULL: it is not
 * known. It lasts until the next call. */
const struct backend *backend_paper(const char *name, int node);
