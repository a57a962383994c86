/* Tiles of the sweep that takes E and H together (yee_both.cu): where they lie and what each of them is, so that
 * kernels meet tiles of their own kind alone. Lists are made once for every box that is computed, on the host, and sent
 * (pipeline/tables.h). SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/element.h"
#include "pipeline/sferic.h"

#include <stddef.h>

/* What a tile takes beyond the update, in the order of lists. ONE: all of its E is of one medium. */
enum tile_kind {
    TILE_ANY, /* sources, packs of columns that are cut or lie beside 16 bytes, several media of H: whatever there is */
    TILE_LAYERS, /* layers, sides */
    TILE_LAYERS_ONE, /* the same */
    TILE_ACROSS_ONE, /* the same along x alone */
    TILE_ALONG_ONE, /* the same along y and z alone */
    TILE_PLAIN, /* nothing */
    TILE_PLAIN_ONE, /* the same */
    TILE_KINDS
};

struct tile {
    int i, k, ja, jb; /* the first column and level; rows ja <= j < jb */
    int i1, k1; /* columns and levels before these, where the tile's own end later */
    int kind, medium; /* medium: of TILE_..._ONE */
};

/* Blocks of a box, some of which are had: as many columns and levels as the tiles of those who ask, and `rows`; the
 * last along an axis may be cut. */
struct tile_mask {
    struct box b;
    int rows;
    unsigned char *has; /* [rows of blocks][levels][columns] */
};

/* How a box is cut into tiles: `step` columns from one to the next, about `rows` each, as even as can be. `together` of
 * them run at a time: they lie beside each other, and those of the next rows follow them, while the rows between are
 * still in the cache. */
struct tiling {
    struct box b;
    int columns, levels, step, rows, together;
    const struct tile_mask
        *mask; /* NULL: all of the box; else what of it the mask, which holds it all, has, and step is columns */
};

enum { TILE_RANGES = 24 };

/* What tiles lie among, by axis. */
struct terrain {
    int n[3], low[3], high[3]; /* cells; those of layers, as many as are stored */
    int repeats[3]; /* elements after which an axis repeats; 0: never */
    int pack; /* columns that are computed together */
    int whole; /* 1: packs of the layers' memories lie at multiples of 16 bytes */
    int media_of_e, media_of_h; /* 1: it has several */
    int nranges;
    struct place_range range[TILE_RANGES]; /* elements of H that sources change */
};

/* A list of them: those of a kind from first[kind] up to first[kind + 1]. */
struct tile_list {
    const struct tile *tile;
    int first[TILE_KINDS + 1];
};

/* Where E has one medium: bricks of columns and levels of a row. */
struct bricks;
enum { BRICK_COLUMNS = 32, BRICK_LEVELS = 8 };
/* Of rows j0 .. j0 + rows - 1 of the numbers of the media of Ex, Ey and Ez, `wide` bytes each; sj, sk: elements from a
 * row and a level to the next. NULL when there is no memory. */
struct bricks *bricks_make(const void *const id[3], int wide, ptrdiff_t sj, ptrdiff_t sk, int ni, int nk, int j0,
                           int rows);
void bricks_free(struct bricks *b); /* NULL: nothing */
/* Has E one medium in all bricks that box b touches, and which? b NULL: in none. */
int bricks_agree(const struct bricks *b, struct box box, int *medium);

/* The tiles of a box, into to[]; returns how many, with to NULL only that. One row of H more is computed behind a tile,
 * where there is one: what lies there counts as well. */
int tiles_make(const struct tiling *c, const struct terrain *t, const struct bricks *b, struct tile *to);

/* Lists that were made so far. */
struct tile_lists;
struct tile_lists *tile_lists_new(void); /* NULL when there is no memory */
void tile_lists_free(struct tile_lists *l);
/* Of n boxes, one behind the other within each kind; of this run's terrain and bricks, which stay what they are. No
 * tile at all when there is no memory, which tile_lists_lack tells. */
struct tile_list tile_list_of(struct tile_lists *l, const struct tiling *c, int n, const struct terrain *t,
                              const struct bricks *b);
int tile_lists_lack(const struct tile_lists *l);
void tile_lists_fail(struct tile_lists *l); /* from here on they lack some */
