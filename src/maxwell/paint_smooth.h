/* Media in the cell of a component of E that the surface of a smooth solid crosses.
 *
 * The cell of Ex is as long as cell i and reaches half a cell to each side of its edge along y and z. Where all
 * surfaces in it are flat faces (boxes, layers, half spaces, the ends of cylinders), volumes are products of overlaps
 * along the axes and the normal is that of the faces, by their areas: paint_flat.c, good to some 1e-9 of the cell. A
 * film inside the cell has its share, and its normal.
 *
 * Where a curved surface crosses it, it is sampled at 8 x 8 x 8 points: a point is of the last solid that holds it, of
 * the background or of the file's cell. Their numbers, in 1/64 of all, are the volumes. By Gauss' theorem the normal of
 * an interface is the integral of its medium's indicator over the faces of a box, each with its outward direction. The
 * box ends with the outermost samples: along each axis those in the last layer less those in the first, a sample on an
 * edge being half a sample, over the length; of more than two media, the one with the longest such normal counts. Where
 * that is zero (a speck inside the cell) g of paint.h is 1/3. It too is in 1/64: two media make 4095 mixtures at most
 * that are sampled. On a plane at any angle the volumes are good to 1/64, epsilon to 1 % on average. Flat faces lie at
 * one place each and make few mixtures.
 *
 * Only whole numbers are added where the order could matter (cells being cubes), so mirror images have the same
 * mixtures to the last bit, and so have places that differ by an exchange of axes. Left as the cells say: H; E beside a
 * conductor, and in a cell that holds a part of one or more than eight media. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/paint.h"

/* Squares of the least and the largest distance of a component's cell from the centre of a solid along one axis, m2; 0
 * along an axis where it is not round. The least is huge outside of its box, the largest where a face between nodes is
 * crossed. */
struct span {
    double near, far;
};

/* Spans of a smooth solid along x and z: of whole cells, and of those around nodes. */
struct smooth_solid {
    const struct solid *solid;
    struct span *x[2], *z[2];
    int first[2], end[2]; /* where it is not too far along x */
};

struct smooth {
    const struct geometry *g;
    int n;
    struct smooth_solid *solid;
    void *memory;
};

/* One component in one row: the smooth solids whose surface may be near, with their spans along y. */
struct smooth_row {
    int component, j, n;
    struct {
        int number;
        struct span y;
    } near[256];
};

/* Is the surface of some solid smooth? */
int smooth_has(const struct geometry *g);

/* Of which solids: those that are smooth, or those that cut conductors (geometry.h). */
enum smooth_of { SURFACES_SMOOTH, SURFACES_CUT };

/* `g` must outlive it. Errors: SF_MEMORY. */
int smooth_init(struct smooth *s, const struct geometry *g, enum smooth_of of);
void smooth_free(struct smooth *s);

/* How many surfaces the cells of a component, 0 .. 2 of E, 3 .. 5 of H, may meet in row j. */
int smooth_row_find(const struct smooth *s, int component, int j, struct smooth_row *row);
/* mark[i] = 1 where a surface crosses the cell of the component at level k, 0 elsewhere; returns 0, and may mark
 * nothing, when there is none. */
int smooth_line(const struct smooth *s, const struct smooth_row *row, int k, unsigned char *mark);
/* What is in the cell of component c with numbers at[0 .. 2], if its surfaces are flat or some are curved; SMOOTH_NONE:
 * leave it as the cells say. The file's rows must be loaded. */
enum smooth_kind { SMOOTH_NONE, SMOOTH_FLAT, SMOOTH_CURVED };
enum smooth_kind smooth_mixture(const struct geometry *g, const unsigned char *alike, int c, const int at[3],
                                struct mixture *x);
