/* Closed surfaces of triangles, for solids of any shape: what of a line lies within.
 *
 * A line along an axis crosses a triangle where it has all three edges, seen along the axis, on one side. An edge is
 * looked at in one order of its ends, whichever triangle asks, and a line that meets an edge or a corner is taken as
 * one that lies an arbitrarily small step further along both other axes (Edelsbrunner and Muecke 1990, ACM Trans.
 * Graph. 9, 66): triangles that share an edge agree, and a closed surface is crossed an even number of times.
 *
 * Where every edge is run along as often one way as the other, triangles are turned alike, and a line counts them by
 * their side: within is where that number is not 0. So shells that overlap are one solid, and a shell turned inward is
 * a hole. Of other surfaces what lies between an odd crossing and the next is within, whatever way triangles are
 * turned.
 *
 * All in double, of places alone. A surface that is no solid's (shell.h) has triangles alone, and may be open or flat.
 * SPDX-License-Identifier: MIT */
#pragma once

enum { MESH_MOST = 4096, MESH_ALLOWED = 2048 }; /* crossings of a line: room, and how many a solid may have */

/* Triangles by where they lie, seen along an axis: those of bin m from list[first[m]] up to list[first[m + 1]]. */
struct mesh_bins {
    int n[2];
    double low[2], size[2]; /* m, of a bin, along the two axes that follow */
    int *first, *list;
};

struct mesh {
    int n;
    double (*corner)[3][3]; /* [n][corner][axis], m */
    double low[3], high[3]; /* m: the box around it */
    double volume, area; /* m3, m2 */
    int is_turned_alike; /* its triangles are */
    int is_closed; /* every edge belongs to an even number of triangles */
    struct mesh_bins bins[3]; /* of lines along each axis */
};

/* Takes n triangles, which it owns from then on, a failure included. Errors: SF_INPUT, with `what` it is, where it is
 * not closed or nothing; SF_MEMORY. */
int mesh_make(struct mesh **out, double (*corner)[3][3], int n, const char *what);
/* The same of a surface that is no solid's: one triangle or more, flat, open or closed. It has no bins, and no line may
 * be asked of it. */
int mesh_surface(struct mesh **out, double (*corner)[3][3], int n, const char *what);
void mesh_free(struct mesh *m); /* NULL: nothing */

/* Where a line along `axis` goes into the solid and out of it, at[] along the other axes, m: to[MESH_MOST], growing.
 * Returns how many, an even number. What would be more than MESH_MOST is left out: solids are asked first
 * (geometry_mesh.c). */
int mesh_line(const struct mesh *m, int axis, const double at[3], double *to);

/* Tells `see` from where to where along x each triangle reaches that meets a slab of y and z, m. */
void mesh_reach(const struct mesh *m, const double low[3], const double high[3],
                void (*see)(void *to, double from, double until), void *to);

/* ---- making triangles: mesh_form.c ---- */

/* Where a shape is turned and moved to, and what of it is wanted. */
enum mesh_part { MESH_SOLID, MESH_SURFACE, MESH_TUBE }; /* a surface without its two ends: of cones and polygons */
struct mesh_place {
    double centre[3]; /* m */
    double turn[3]; /* degrees about x, then y, then z, right-handed */
    double scale;
    enum mesh_part part;
};

/* A file in STL, binary or ASCII, scaled, turned about its origin, then moved. Errors: SF_INPUT, SF_MEMORY. */
int mesh_read(struct mesh **out, const char *path, const struct mesh_place *at);
/* A box of whole extents size[], around its centre. */
int mesh_box(struct mesh **out, const double size[3], const struct mesh_place *at);
/* A polygon of n corners (pairs along the two axes that follow `axis`, in either direction, around the centre), as long
 * as `length` along that axis. Errors: SF_NAMELIST, where its sides meet. */
int mesh_polygon(struct mesh **out, int axis, double length, int n, const double *corner, const struct mesh_place *at);
enum { MESH_FACETS = 256 };
/* A cone, cut or whole, or a cylinder, along an axis: radii at its low and high end, in MESH_FACETS flat faces of the
 * same volume. */
int mesh_cone(struct mesh **out, int axis, double length, const double radius[2], const struct mesh_place *at);
/* Surfaces normal to an axis: a rectangle of whole extents size[], and a disc of MESH_FACETS triangles, whose rim is
 * that of a cone's end. */
int mesh_rectangle(struct mesh **out, int axis, const double size[3], const struct mesh_place *at);
int mesh_disc(struct mesh **out, int axis, double radius, const struct mesh_place *at);
