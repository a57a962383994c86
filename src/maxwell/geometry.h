/* Which medium every cell is of: the background or a file, then the solids of &geometry in their order, then sheets.
 *
 * A cell is of a solid when its centre lies within it, a millionth of the smallest cell more or less; a later solid
 * covers an earlier one. A sheet is a conductor without thickness on the nearest plane of nodes: every edge on that
 * plane both of whose ends lie within the sheet, its rim included, is a perfect conductor, whatever solids lie there.
 * So no edge reaches beyond the rim: of a strip that holds a single line of nodes the edges of that line conduct, and
 * none across it.
 *
 * A sheet that is turned, a disc, and the surface alone of a solid (`shell`) are drawn by faces of cells (shell.h),
 * whatever solids lie there.
 *
 * A wire is a row of such edges, the nodes nearest to its ends and its line; with a radius, what lies beside it changes
 * too (wire.h).
 *
 * Beyond a periodic side the cells of the other side follow; beyond any other the mirror image, so that a mean over the
 * cells around a node of the side is that over the cells inside.
 *
 * What is turned, a cone and what a file has are surfaces of triangles (mesh.h), and their box is that around them.
 *
 * A solid is `smooth` when some of its surface does not follow the cells: a sphere, a cylinder, triangles, or a face
 * that lies more than the millionth of a cell from every node. paint_smooth.h says what becomes of E there. Such a
 * solid counts without the centre of any cell: a film thinner than a cell has its share of E's cells.
 *
 * With conformal conductors (conformal.h) a solid `cuts` when its surface may bound a conductor and does not follow the
 * cells: one of 'pec', or one painted over such a one or over a background of 'pec'. A solid of 'pec' that is thinner
 * than a cell, or whose diameter is less than two, stays in whole cells.
 *
 * All of it depends on global cell numbers and the namelist alone. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/lump.h"
#include "maxwell/medium.h"
#include "maxwell/mesh.h"
#include "pipeline/grid.h"

#include <stddef.h>
#include <stdint.h>

/* Media of rows j0 .. j1 - 1 of cells from a file: medium[j - j0][k][i], each less than `media`; no rows: is the file
 * what is wanted? Errors: SF_INPUT, SF_MEMORY. */
typedef int volume_reader(const char *path, int ni, int nk, int nj, int j0, int j1, int media, unsigned char *medium);

/* One axis: n cells between n + 1 nodes. */
struct geometry_axis {
    int n, periodic, graded;
    double *node, *centre; /* m */
};

/* Cells of a box whose distance from a centre is no more than a radius, counted along the axes of `round` (bit 1 <<
 * axis). */
struct solid {
    int number; /* in the namelist, from 0 */
    int medium, low[3], high[3]; /* half open */
    unsigned round;
    double centre[3], square; /* m, m2 */
    double face[3][2]; /* its faces as the namelist has them, m */
    unsigned off_low, off_high; /* 1 << axis: its face there lies between nodes */
    int smooth;
    double radius; /* m; 0: not round */
    struct mesh *mesh; /* its surface; NULL: that of its box, or round */
    int is_of_file; /* 1: an STL file's */
    int cuts, in_cells; /* of conformal conductors */
};

/* Along its axis a sheet is one node, `plane`; along the others it holds nodes low .. high - 1 and the cells between
 * them. */
struct sheet {
    int number; /* in the namelist, from 0; of a wire, too */
    int axis, plane;
    int low[3], high[3];
};

/* A row of edges that conduct, from node `low` to node `high` along its axis; along the others it lies on node at[]
 * (wire.h). */
struct wire {
    int number; /* in the namelist, from 0 */
    int axis, low, high, at[3];
    int sheet; /* that makes its edges conduct */
    int feeds; /* 1: a wire like it goes on behind the edge that follows `high` */
    double radius, own; /* m: as asked for, 0: its own, which is that of the grid */
    uint64_t factor[3]; /* of elements beside it, by the axis that leads to them, in 2^-32; 0: as they are */
};

struct geometry {
    struct geometry_axis axis[3];
    int background, nsolids, nsheets;
    int nwires, nthin; /* all, and those with a radius of their own */
    const struct lump *lump; /* lumped elements, which edges have beside their media; not owned */
    int nlumps;
    int nmeshes; /* solids that have one */
    int ncuts; /* solids that cut cells; 0: conductors are made of whole cells */
    double conformal; /* share of the step that areas leave room for, see conformal.h; 0: whole cells */
    double largest_square; /* of the curls, 1/m2, that such a step can take */
    int nshells;
    struct shell *shell; /* what is told of sheets of any orientation (shell.h) */
    uint64_t *edge; /* theirs, by number, growing: allocated by itself */
    size_t nedges;
    struct solid *solid;
    struct sheet *sheet;
    struct wire *wire;
    double slack; /* m: what lies closer lies on it */
    unsigned char used[MEDIA_MAX]; /* 1: some cell may be of it */
    int media;
    char *path; /* of the file; NULL: none */
    volume_reader *read;
    unsigned char *volume; /* of rows volume_j0 .. volume_j1 - 1 */
    int volume_j0, volume_j1;
    void *memory;
};

/* `dir`: where the file of &geometry is sought when it is not found from the current directory. `read` may be NULL when
 * no file is given. What is wrong, and a solid that paints no cell, is complained of in `to`. Errors: SF_MEMORY; where
 * `to` is NULL SF_NAMELIST and SF_INPUT. */
int geometry_make(struct geometry *g, const struct maxwell_params *p, const struct media *m, const struct grid *grid,
                  const char *dir, volume_reader *read, struct complaints *to);
void geometry_free(struct geometry *g); /* also of a zeroed one */

/* Hold the file's media of rows j0 .. j1 - 1; nothing to do without a file. From the thread that makes all netCDF
 * calls. */
int geometry_load(struct geometry *g, int j0, int j1);
/* How many rows to load at once: 64 MiB of a file, all without one. */
int geometry_rows_at_once(const struct geometry *g);
/* Media of row j, also beyond the domain: of cells i -1 .. ni at levels k -1 .. nk, cell[(k + 1) (ni + 2) + i + 1]. The
 * row must be loaded. */
void geometry_row(const struct geometry *g, int j, unsigned char *cell);

/* The file's medium of one cell, also beyond the domain. Its row must be loaded. */
int geometry_of_file(const struct geometry *g, int j, int k, int i);

/* Size of a cell of the domain, m. */
double geometry_size(const struct geometry_axis *a, int m);
/* The cell or node of the domain that stands for number m. */
int geometry_cell(const struct geometry_axis *a, int m);
int geometry_node(const struct geometry_axis *a, int m);
/* Of a solid: square of the distance of a cell's centre along one axis, m2, 0 where the solid is not round along it
 * (squares are added x, y, z); and the cell of its box whose centre is nearest to its own. */
double solid_square(const struct geometry *g, const struct solid *s, int axis, int m);
/* Columns low .. high - 1 of a solid with a mesh whose centres lie within it, on a line along x at y and z: calls `see`
 * for each run of them. */
void solid_columns(const struct geometry *g, const struct solid *s, double y, double z,
                   void (*see)(void *to, int low, int high), void *to);
/* Volume of a solid with a mesh as lines through the centres of cells see it, m3. */
double solid_volume(const struct geometry *g, const struct solid *s);
/* Does a solid with a mesh hold a place? */
int solid_has_place(const struct solid *s, const double at[3]);
/* geometry_mesh.c: are the `given` numbers of corners as many as the polygons of &geometry need? Errors: SF_NAMELIST.
 */
int geometry_corners(const struct maxwell_params *p, int given);
/* geometry_mesh.c: has entry n of &geometry an angle of turn? */
int geometry_is_turned(const struct maxwell_params *p, int n);
/* geometry_mesh.c: the surface of a sheet, disc or shell. NULL: that of a sphere, or of a cylinder that is not turned.
 * Errors as below. */
int geometry_surface(struct mesh **out, const struct maxwell_params *p, int n, const char *dir);
/* geometry_mesh.c: the mesh of entry n of &geometry, *out NULL: it needs none. dir: the namelist's. Errors:
 * SF_NAMELIST, SF_INPUT, SF_MEMORY. */
int geometry_mesh(struct mesh **out, const struct geometry *g, const struct maxwell_params *p, int n, const char *dir);
/* Does it hold the centre of the cell with numbers at[0 .. 2] of the domain? */
int solid_has_cell(const struct geometry *g, const struct solid *s, const int at[3]);
/* Does it hold the centre of a cell? */
int solid_has_centre(const struct geometry *g, const struct solid *s);
/* Complain of solids without the centre of a cell that a conductor comes so near that cells of E leave them out. to may
 * be NULL. */
void geometry_films_check(const struct geometry *g, struct complaints *to);
int solid_nearest(const struct geometry *g, const struct solid *s, int axis);
/* Does the sheet hold the edge of component c (0 x, 1 y, 2 z) whose numbers are at[0 .. 2]? All three axes must
 * say so; this is one. */
int sheet_has_along(const struct sheet *s, const struct geometry_axis *a, int c, int axis, int at);

/* All three. */
int sheet_has_edge(const struct geometry *g, const struct sheet *s, int c, const int at[3]);

/* Does anything without thickness conduct: a sheet, wire or shell? */
static inline int geometry_has_thin(const struct geometry *g) { return g->nsheets || g->nedges; }
/* Does a sheet, wire or shell hold the edge of component c with numbers at[0 .. 2]? */
int geometry_thin_has(const struct geometry *g, int c, const int at[3]);

/* ---- figures ---- */

/* Share of cell m - 1 at node m of an axis, in 2^-24: 2^23 of equal cells. */
enum { SHARE_WHOLE = 1 << 24 };
int geometry_share(const struct geometry_axis *a, int m);

int geometry_media_used(const struct geometry *g);
/* 1 in used[] of every medium that cells low .. high - 1 of the domain are of. Reads the file, as geometry_load does.
 * Errors: SF_INPUT, SF_MEMORY. */
int geometry_media_of(struct geometry *g, const int low[3], const int high[3], unsigned char used[MEDIA_MAX]);
/* Does a sheet, shell or wire hold an edge that lies on, or ends at, nodes low .. high, or change what is beside them?
 */
int geometry_has_sheet(const struct geometry *g, const int low[3], const int high[3]);
/* Size of the largest cell, m, an axis of one cell left out. */
double geometry_largest_cell(const struct geometry *g);
/* Which media the outermost cells at each face are made of: 1 where there is one. The same on all ranks, each of which
 * finds it by itself. Errors: SF_INPUT, SF_MEMORY of a file. */
int geometry_face_media(struct geometry *g, unsigned char used[FACES][MEDIA_MAX]);
