/* Shapes of the sweep that takes E and H together: see yee_both.cu. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/model.h"

/* A thread has a pack of columns, 16 bytes. Each level of a plane in shared memory has a pack more at both ends. */
enum {
    BOTH_PACK = 16 / (int)sizeof(real),
    BOTH_GROUPS = 16,
    BOTH_COLUMNS = BOTH_PACK * BOTH_GROUPS,
    BOTH_PITCH = BOTH_COLUMNS + 2 * BOTH_PACK
};

/* Levels of a tile: high ones compute less twice, of low ones more blocks are resident, which wait for each other less. */
enum { BOTH_HIGH = 12, BOTH_LOW = 4 };

#define BOTH_THREADS(levels) (BOTH_GROUPS * ((levels) + 4))
/* Two rows of old E and new H: three components each, of the levels beside the tile, too. */
#define BOTH_SHARED(levels) (2 * 3 * BOTH_PITCH * (2 * (levels) + 3) * sizeof(real))

/* Sources of H that it has room for: faces of a plane wave, magnetic dipoles. */
enum { BOTH_DRIVES = 24 };

enum { BOTH_CANDIDATES = 8 };
extern const struct candidate both_candidate[BOTH_CANDIDATES];
extern int both_choice; /* -1: what suits the size of the domain */
