/* Conductors without thickness, of any orientation and curvature: sheets that are turned, discs, and the surface alone
 * of solids and of files, open or closed.
 *
 * A face of the grid conducts, and with it its four edges, where the line between the centres of the two cells beside
 * it crosses a triangle of the surface. At a side of the domain half of that line lies within it, and counts. So the
 * surface is drawn as stairs; an edge is of the medium around it or shut, and the step is that of whole cells.
 *
 * No wall leaks: a closed surface is crossed an odd number of times between a cell within and one outside, if every
 * crossing is decided as if it were exact and no line met an edge or a corner. Both are so. Places are rounded once, to
 * 2^-36 of the domain's longest extent (less than a cell by a factor of ten millions and more), corners as centres, and
 * whole numbers of 128 bits decide on which side of an edge or a plane a centre lies. Where it lies on it, it is taken
 * as one that lies an arbitrarily small step further along x, a smaller one along y, and the least along z, whatever
 * way the line goes (Edelsbrunner and Muecke 1990, ACM Trans. Graph. 9, 66): all lines of a cell agree. mesh.h asks
 * lines along one axis alone, and may take the steps in the order of that axis. Surfaces that have an edge in common
 * are one, if its corners are the same numbers.
 *
 * A ball, and a cylinder that is not turned, are drawn between the cells that the solid holds and those that it does
 * not (geometry.h): they are as round as it. So a ball thinner than a cell has no face; two sides of another surface
 * that lie between the same centres are one.
 *
 * All of it depends on global cell numbers and the namelist alone. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/geometry.h"

#include <stddef.h>

/* What is told of one; in struct geometry. */
struct shell {
    int number; /* in the namelist, from 0 */
    int triangles, is_closed, is_of_file;
    double area; /* m2, of its triangles, or of what is round */
    long long faces; /* of the grid that conduct */
    double drawn; /* m2, theirs */
};

/* Draw a surface: that of s->mesh, or, where there is none, that of a round solid. `ends` 0: without the faces normal
 * to `axis`. Fills sh->faces and sh->drawn, and adds its edges to those of the geometry. Errors: SF_NAMELIST (it
 * reaches too far beyond the domain), SF_MEMORY. */
int shell_draw(struct geometry *g, const struct solid *s, int axis, int ends, struct shell *sh);

/* Does a shell hold the edge of component c with numbers at[0 .. 2], which may lie beyond the domain? */
int shells_have_edge(const struct geometry *g, int c, const int at[3]);
/* 1 in mark[i] of the edges of component c in the line of rows j and levels k, columns of the domain i 0 .. n of the
 * axis; 0 in the others. Returns whether there is one. */
int shells_line(const struct geometry *g, int c, int j, int k, unsigned char *mark);
/* Is there an edge that lies on, or ends at, nodes low .. high? */
int shells_meet(const struct geometry *g, const int low[3], const int high[3]);
