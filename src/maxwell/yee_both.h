/* Shapes of the sweep that takes E and H together: see yee_both.cu. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/model.h"

/* A thread has a pack of columns, 16 bytes; a warp has the columns of a tile. */
enum { BOTH_PACK = 16 / (int)sizeof(real), BOTH_GROUPS = 32, BOTH_COLUMNS = BOTH_PACK * BOTH_GROUPS };

/* Levels of a tile: high ones compute less twice, of low ones more blocks are resident, which wait for each other less. */
enum { BOTH_HIGH = 8, BOTH_LOW = 4 };

/* Rows of a field in shared memory. */
enum { BOTH_RING = 3 };

#define BOTH_THREADS(levels) (BOTH_GROUPS * ((levels) + 2))
/* Three components of E with what lies on all sides, of H with what lies west and below. */
#define BOTH_SHARED(levels) (BOTH_RING * 3 * 16 * (((levels) + 2) * (BOTH_GROUPS + 2) + ((levels) + 1) * (BOTH_GROUPS + 1)))

/* Sources of H that it has room for: faces of a plane wave, magnetic dipoles. */
enum { BOTH_DRIVES = 24 };

enum { BOTH_CANDIDATES = 8 };
extern const struct candidate both_candidate[BOTH_CANDIDATES];
extern int both_choice; /* -1: what suits the size of the domain */
