/* Lumped elements: resistance, inductance and capacitance between two ends, and the resistance of a port's source.
 *
 * An element fills edges of one component, in a box: `length` from end to end, one line of them or several side by
 * side, whose dual faces have `area` together. Spread evenly over that volume it is a medium that is added to what lies
 * there (Taflove and Hagness, Computational Electrodynamics, 3rd ed., 15.10; here in a step's own middle, so that any
 * value is stable at the longest step):
 *
 *     R: sigma += length / (R area)    C: eps += C length / area    L: a drude, eps0 omega^2 = length / (L area)
 *
 * Resistance and inductance in series are a drude with gamma = R / L; with a capacitance in series a lorentz,
 * omega^2 = 1 / (L C), gamma = R / L, eps0 strength = C length / area; resistance and capacitance a debye, tau = R C,
 * of that same strength. Each line of edges, and each edge in it, has its share, whatever the sizes of cells.
 *
 * What lies on one plane of a magnetic conductor is shared with its mirror image: values are those of both together.
 * From such a plane to the opposite one they are those of what lies between.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/element.h"
#include "maxwell/pole.h"

struct complaints;
struct geometry;
struct geometry_axis;
struct grid;
struct maxwell_params;

enum { LUMP_POLES = 2 };

struct lump {
    int number; /* in &element, or &port, from 1 */
    int is_port;
    int axis; /* of its edges */
    struct place_range at; /* elements of that component */
    double length, area; /* m, m2 */
    double *share[3]; /* of its elements along each axis: m along its own; across it shares of the whole */
    double epsilon, sigma; /* relative, S/m: what it adds */
    int npoles;
    struct pole pole[LUMP_POLES];
};

/* Values of an element; 0: it has none of that. */
struct lump_keys {
    double resistance, inductance, capacitance; /* ohm, H, F */
    int in_series;
};

/* The medium of an element whose length and area are known. */
void lump_medium(struct lump *l, const struct lump_keys *k);

/* Elements of &element and ports of &port, `elements` and `ports` entries, in *lumps, to be freed with
 * lumps_free, after a failure too; both zero when there are none. Complains of what lies outside of the domain, has no
 * value, or shares an edge with another. Errors: SF_MEMORY; where `to` is NULL SF_NAMELIST. */
int lumps_make(struct lump **lumps, int *n, const struct maxwell_params *p, int elements, int ports,
               const struct geometry *g, const struct grid *grid, struct complaints *to);

/* Complains of elements on edges that conduct or that conductors cut, and mildly of those an end of which touches no
 * conductor and no other element. Reads the geometry's file, as geometry_load does. Errors: SF_INPUT, SF_MEMORY; where
 * `to` is NULL SF_NAMELIST. */
int lumps_check(struct geometry *g, const struct maxwell_params *p, struct complaints *to);

/* What it is called: "element 3", "port 1". */
const char *lump_name(const struct lump *l, char name[32]);

void lumps_free(struct lump *lumps, int n);

/* What E of an edge of its counts in its voltage, m: length times the share of the line's dual face. */
double lump_weight(const struct lump *l, const int at[3]);

/* Does it have the edge of component c with numbers at[], which may lie beyond the domain? */
int lump_has(const struct lump *l, const struct geometry *g, int c, const int at[3]);
/* The same of one axis, for edges along its own; all three must say so. */
int lump_has_along(const struct lump *l, const struct geometry_axis *a, int axis, int at);
