/* The loops of the stages of terrain_moist.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
/* The ground goes through Newton's steps, as in surface_made.c: a loop of one level may be plain. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
#include "dynamics/terrain_moist_made.h"
