/* Where two steps go together: the core of the domain, whose elements, for two steps back, meet no side, layer, source
 * or pole of a medium, and one medium. What lies around it, the rim, takes one step after the other, and for the second
 * needs the first on the elements beside it as well: the rim with its fringe. The first step alone is made where probes
 * and, when it is a sample, monitors read it.
 *
 * The core is cut from the domain in blocks, as wide and high as a tile: what of them it has is a mask for tiles
 * (tiles.h). The rim is a list of boxes. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/maxwell.h"
#include "maxwell/yee_both.h"

/* Of a block of the core. Columns: those that are of use to a warp, see yee_pair.cuh. */
enum { PAIR_COLUMNS = 30 * BOTH_PACK, PAIR_LEVELS = 12, PAIR_ROWS = 32, PAIR_BLOCK_ROWS = 16 };

/* Elements around a block that may be nothing special: what two steps reach, and one more. */
enum { PAIR_REACH = 2, PAIR_GUARD = 3 };

struct pairs {
    int low[3], high[3]; /* the core lies within */
    int periodic_j, n[3];
    struct tile_mask core; /* of blocks: those of one medium that two steps may take together */
    struct box *hole; /* the others, of the rim */
    struct box *seen; /* what is read of the first step, */
    int ncore, nholes, nseen, nprobes; /* ncore: blocks */
    int every; /* steps between samples of monitors */
};

/* Elements of any component. */
struct pairs_places {
    const struct place_range *driven, *seen; /* that sources and poles change; that are read, those of probes first */
    int ndriven, nseen, nprobes, every; /* every: as in struct pairs */
};

/* Errors: SF_MEMORY. */
int pairs_make(struct pairs **out, const struct maxwell *x, const struct pairs_places *places);
void pairs_free(struct pairs *p); /* NULL: nothing */

/* The share of elements that could belong to the core, of a domain without sources, probes, and media but those that
 * disperse. */
double pairs_can(const struct maxwell *x);

/* The blocks' part of box b: of that, the core is what the mask has. Empty where there is no core. */
struct box pairs_core(const struct pairs *p, struct box b);

/* The rim's part of box b, boxes, into to[pairs_most]; returns how many. The first step, number `step` of the run: of
 * the rim with its fringe, and of what is read. */
int pairs_most(const struct pairs *p);
int pairs_first(const struct pairs *p, long step, struct box b, struct box *to);
int pairs_rim(const struct pairs *p, struct box b, struct box *to);
