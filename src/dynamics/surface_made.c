/* The loops of the stages of surface.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"

/* A column goes through Newton's steps, which clang does not compute for several at once: a loop of one level may be
 * plain. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
#include "dynamics/surface_made.h"
