/* Ghost values: what stands beyond the faces of the domain, filled behind every row that is written.
 *
 * A map lists, for one field and axis, the ghost index, the index inside that it comes from, and its sign. The thread
 * that wrote the source fills the ghost, so that one barrier after an op suffices. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/made.h"
#include "pipeline/plan.h"
#include "pipeline/storage.h"

enum { GHOST_MAX_DEPTH = 8, GHOST_MAP_SIZE = 2 * GHOST_MAX_DEPTH + 2 };

struct ghost_entry {
    short beyond; /* distance beyond the low (< 0) or high (> 0) face; 0: the face itself, always filled */
    signed char sign; /* +1, -1, 0: zero */
    int to, from;
};

struct ghost_map {
    int n;
    struct ghost_entry entry[GHOST_MAP_SIZE];
};

/* Entries for `depth` ghosts on both sides of n cells. `staggered`: the quantity sits on the faces of this axis. Rules
 * NONE and, where `seam` is set, PERIODIC fill nothing. */
void ghost_map_make(struct ghost_map *m, int n, int depth, int staggered, enum ghost low, enum ghost high, int seam);

/* A ghost that is given or makes a gradient, see enum ghost. */
struct ghost_made {
    short beyond; /* as above */
    short is_flux;
    int face, to, from; /* from: the value that mirrors it, or the outermost: who writes it makes the ghost */
    int place; /* on its axis, where the source is looked at */
    real along; /* m */
};

/* The field that what stands beyond a side comes from. */
struct ghost_source {
    int field, is_fed;
    struct form form;
};

/* What is made of a field, across x, y and z, and the source of every side. */
struct ghost_maker {
    int n[3];
    struct ghost_made entry[3][GHOST_MAP_SIZE];
    struct ghost_source source[FACES];
};

/* Entries of an axis. apart: m from the low and the high side to the centres of the first `depth` cells inside. */
void ghost_maker_axis(struct ghost_maker *m, int axis, int n, int depth, int staggered, enum ghost low, enum ghost high,
                      const double apart[2][GHOST_MAX_DEPTH]);

/* The source of a side, where it lies in a slab. */
struct made_view ghost_source_view(const struct slab *s, const struct layout *l, const struct ghost_source *from);

struct ghost_maps {
    struct ghost_map x, y, z;
    const struct ghost_maker *maker; /* NULL: nothing is made */
};

/* Is an entry filled where ghosts are asked for `low` and `high` deep? A face always is. */
int ghost_is_due(const struct ghost_entry *g, int low, int high);

/* Is anything filled behind box `b`, `depth` deep: do a map's entries take from its columns, levels or rows, or lie
 * there? */
int ghosts_follow(const struct ghost_maps *m, struct reach depth, struct box b);

/* Does the window of levels of box `b` hold what one is made from? The face beyond the last of nk goes with that. */
int ghost_level_is_written(const struct ghost_entry *g, struct box b, int nk);

/* Fill behind the units of box `b` of one storage, as far as `depth` asks. The thread that wrote them calls it; i0 is 0
 * for the first columns, i1 is beyond the last cell for the last, and so are k0 and k1 where a window holds some of the
 * levels. */
void ghost_fill(const struct slab *s, const struct layout *l, enum shape shape, int id, const struct ghost_maps *m,
                struct reach depth, struct box b);

/* Fill the rows beyond physical sides that are made from rows [j0, j1), ghost columns and levels with them. */
void ghost_fill_rows(const struct slab *s, const struct layout *l, enum shape shape, int id, const struct ghost_map *y,
                     int j0, int j1);

/* Make the rows beyond sides that are made from rows [j0, j1), ghost columns and levels with them. */
void ghost_make_rows(const struct slab *s, const struct layout *l, enum shape shape, int id,
                     const struct ghost_maker *m, int j0, int j1);
