/* Thin wires with a radius of their own: rows of conducting edges, and coefficients beside them.
 *
 * Around a row of edges E falls as around a wire of radius r0, in cells of a x b across it: of the lattice with
 * conductances b / a and a / b, whose potential G of a node is known (McCrea and Whipple 1940, Proc. R. Soc. Edinburgh
 * 60, 281; as a well between nodes: Peaceman 1983, SPE J. 23, 531),
 *
 *     G(0) - G(r) = (ln(r / r0)) / (2 pi) + O(r^-2)        r0 = exp(-gamma) sqrt(a^2 + b^2) / 4        gamma: Euler's
 *     G(0) - G(a) = arctan(b / a) / (pi b / a)
 *
 * so r0 = 0.19851 of square cells. Between the wire and the four nodes beside it lie the edges that carry all of its
 * charge, arctan(b / a) / pi of it along a each. A radius r asks for ln(r0 / r) / (2 pi) more of potential there; with
 * epsilon of these edges times
 *
 *     m_a = 1 / (1 + p / (2 arctan p) ln(r0 / r)),    p = b / a,    and m_b with a and b exchanged
 *
 * they drop that much more, and all else stays as it is. mu of the four faces around each edge of the wire is divided
 * by the same: along the wire the field is TEM with the speed of light, C ln(R / r) = 2 pi eps. Of square cells m = 1 /
 * (1 + (2 / pi) ln(r0 / r)). Conductivity goes with epsilon, magnetic loss with mu. Exact in a homogeneous medium among
 * equal cells, far from all else; where cells across it differ a and b are means of the two beside it.
 *
 * A single open edge between two wires of one radius on one line is the gap of a feed: the current goes on in it, in a
 * source or a load as thin as the wire, and the faces around it are as those of the wire.
 *
 * Of elements that several wires ask for, the smallest m counts: where wires of one radius meet at a node, as a corner,
 * a branch or a cross, each element has the m that a single wire would give it. What conducts stays as it is.
 *
 * A thin wire takes shorter steps. A cell by itself, with half of each face and a quarter of each edge, has curls whose
 * largest eigenvalue bounds that of all (conformal.h): with the m of its edges and faces it says how long a step may
 * be, media at least as slow as vacuum. By a radius of a tenth, 3, 1 and 0.1 hundredths of a cell 0.93, 0.82, 0.74,
 * 0.63 of the longest step of cubes; the true limits are 0.98, 0.89, 0.81 and 0.69. None for wires of r0 to 0.4 cells.
 *
 * An open end carries charge of its own, and a wire of n edges acts as one of n + 2 d: wire_end has d.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/geometry.h"

/* 2^-32: what factors are stored in. */
enum { WIRE_BITS = 32 };

/* r0 of cells a x b, m. */
double wire_own_radius(double a, double b);
/* m of edges along a, that many m long, in cells that are b wide, of a wire of radius r. */
double wire_factor(double radius, double a, double b);
/* d, in cells, of an open end in cubic cells: a fit to a dipole of 41 edges whose impedance was compared with that of
 * Galerkin's method of moments, 0.03 to 0.3 cells. */
double wire_end(double radius, double cell);

/* Shape n of the namelist, a wire: g gains the row of edges that conduct, and what is beside it. `to` may be NULL.
 * Errors: SF_NAMELIST. */
int wire_add(struct geometry *g, const struct maxwell_params *p, int n, struct complaints *to);

/* Find the gaps, once all wires are there. */
void wires_join(struct geometry *g);

/* m of an element (component 0 .. 2 of E, 3 .. 5 of H) in 2^-32; 0: no wire asks. Elements beyond the domain are their
 * images'. */
uint64_t wire_number(const struct geometry *g, int component, const int at[3]);
/* May one of row j, level k be beside a wire? */
int wire_is_near(const struct geometry *g, int j, int k);
/* Is an element that lies on, or ends at, nodes low .. high, or within a cell of them, beside a wire? */
int wires_meet(const struct geometry *g, const int low[3], const int high[3]);

/* The largest eigenvalue of the curls of all cells beside wires, from above, 1/m2: (c dt)^2 is no more than 4 over it.
 * 0: no wire has a radius of its own. */
double wires_square(const struct geometry *g);

/* wire_check.c: complain of what wires are not made for. After conformal_count. Errors: SF_INPUT, SF_MEMORY of a file.
 */
int wires_check(struct geometry *g, const struct media *m, const struct maxwell_params *p, struct complaints *to);
/* A line for each wire; share: of the longest step of the grid, which they leave. */
void wires_report(const struct geometry *g, double share, void (*line)(void *to, const char *text), void *to);
