/* Shapes of the sweep that takes E and H together: see yee_both.cu. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/tiles.h"
#include "pipeline/model.h"

/* A thread has a pack of columns, 16 bytes. */
enum { BOTH_PACK = 16 / (int)sizeof(real), BOTH_GROUPS = 32, BOTH_COLUMNS = BOTH_PACK * BOTH_GROUPS };

/* Levels of a tile. Of four, more blocks are resident, and more is computed twice: slower. */
enum { BOTH_LEVELS = 8 };

/* Packs and levels of a narrow tile, for the layer at a side that fits in: so many columns that wide tiles beside it
 * begin with a line of memory. */
enum { BOTH_STRIP = 32 / BOTH_PACK, BOTH_STRIP_LEVELS = sizeof(real) == 4 ? 27 : 14 };

/* Rows of a field in shared memory. */
enum { BOTH_RING = 3 };

/* A thread for each pack that is copied, and for each that is computed: of the tile, of the level below and of the
 * west. */
#define BOTH_MOST(a, b) ((a) > (b) ? (a) : (b))
#define BOTH_THREADS(groups, levels)                                                                                   \
    ((BOTH_MOST((groups) * ((levels) + 2), (groups) * ((levels) + 1) + (levels)) + 31) / 32 * 32)
/* Three components of E with what lies on all sides, of H with what lies west and below. */
#define BOTH_SHARED(groups, levels)                                                                                    \
    (BOTH_RING * 3 * 16 * (((levels) + 2) * ((groups) + 2) + ((levels) + 1) * ((groups) + 1)))
/* And of both memories of a layer, of E and H, a pack a thread. */
#define BOTH_SHARED_LAYERS(groups, levels) (BOTH_SHARED(groups, levels) + 4 * 16 * BOTH_THREADS(groups, levels))

/* Sources of H that it has room for: faces of a plane wave, magnetic dipoles. */
enum { BOTH_DRIVES = TILE_RANGES };

enum { BOTH_CANDIDATES = 4 };
extern const struct candidate both_candidate[BOTH_CANDIDATES];
