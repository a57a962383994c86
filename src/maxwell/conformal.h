/* Conductors true to their shape: of every edge that surfaces of 'pec' cut the share l of its length outside of them,
 * of every face the share A of its area (Dey and Mittra 1997, IEEE Microw. Guided Wave Lett. 7, 273).
 *
 *     A mu area dH/dt = - sum l E length        eps dE/dt = curl H        E on the open part of an edge, H on that of a
 * face
 *
 * is Faraday's law around the open part of a face. The field that is stored on a cut edge is F = l E:
 *
 *     F = keep F + (l turn) curl H,    H = keep H - (turn / A) curl F
 *
 * so the sweeps are those of whole cells, and l and A belong to the coefficients (paint.h). Who asks for E divides by
 * l: maxwell.h, `whole` of coefficients. Energy is 1/2 eps F^2 / l and 1/2 mu A H^2; power through a plane is that of F
 * and H, whose F is what E brings through the open part.
 *
 * Small faces beside long edges would ask for short steps. An area is therefore no less than
 *
 *     A >= s^2 [(l_1 + l_2) / b^2 + (l_3 + l_4) / a^2] / (2 / a^2 + 2 / b^2)
 *
 * a x b: the face; l_1 and l_2 along a, l_3 and l_4 along b. Steps are no longer than s times the longest of whole
 * cells. That is all it takes in a plane, and nearly all in space. What is left is found cell by cell: with half of
 * each face and a quarter of each edge a cell has curls of its own, whose largest eigenvalue bounds that of all (Irons
 * and Treharne 1971; Fried 1972, J. Sound Vib. 22, 407). Of a cell whose eigenvalue is beyond 4 / (c dt)^2 the areas
 * grow together, none beyond 1, until it is not: of whole cells it is the limit of the step itself. So steps are stable
 * for any s up to 1.
 *
 * l is rounded to 1/512, A too, then raised in 1/4096, so that tables stay short. l and A are found by
 * lines: a solid and a line have one piece in common, and pieces are painted in the order of solids. An area is the
 * integral of the open length of lines, by Gauss' rule between places where that has a kink: exact for flat faces, to
 * 1e-5 for round ones, to 1e-3 where two outlines cross within the face. All of it follows from the namelist and the
 * places of nodes, in double.
 *
 * Left in whole cells: conductors of a file, and solids that are too thin (geometry.h); sheets are sheets.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/geometry.h"

enum { OPEN_WHOLE = 512, AREA_WHOLE = 4096 };

/* Hold what elements of rows j0 .. j1 - 1 ask for, as geometry_load does. Errors: SF_INPUT, SF_MEMORY. */
int conformal_load(struct geometry *g, int j0, int j1);

/* l of an edge of component c with numbers at[0 .. 2], in 1/512; `place`, if not NULL: the middle of its longest open
 * part, where l is not 0. Its row must be loaded. */
int conformal_edge(const struct geometry *g, int c, const int at[3], double place[3]);
/* A of a face of component c, in 1/4096; `place` the same of one of its edges. */
int conformal_face(const struct geometry *g, int c, const int at[3], double place[3]);
/* Unrounded and unraised, of an element that lies in the domain. */
double conformal_length(const struct geometry *g, int c, const int at[3]);
double conformal_area(const struct geometry *g, int c, const int at[3]);

/* The medium of a place outside of conductors; MEDIUM_PEC where there is none. The file's is that of cell at[]. */
int conformal_medium(const struct geometry *g, const double place[3], const int at[3]);

struct cuts {
    long long edges, faces; /* cut ones of the domain */
    long long raised; /* faces whose area was too small */
    long long walled; /* edges that a wall thinner than a cell crosses */
    int wall[3], wall_along; /* the first of them */
};

/* Where nothing is cut, g has no solids that cut from then on. Errors: SF_INPUT, SF_MEMORY. */
int conformal_count(struct geometry *g, struct cuts *cuts);

/* Is an edge (component < 3) or face cut: neither whole nor shut? 0 where nothing cuts. */
int conformal_is_cut(const struct geometry *g, int component, const int at[3]);
/* Is any element of these ranges of all components cut? low, high: cells of the domain, half open, and the edges and
 * faces that belong to them. Errors: SF_INPUT, SF_MEMORY. */
int conformal_meets(struct geometry *g, const int low[3], const int high[3], int *meets);
