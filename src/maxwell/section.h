/* The cross-section of a line, as painting makes it: what lies on nodes low .. high of a plane.
 *
 * The line runs along axis a; b and c follow it, as in mode.h. A node conducts where the edge along a that begins at it
 * does. Each edge across the line spans a face together with an edge along it: E is on the one, H on the other.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/geometry.h"
#include "maxwell/maxwell.h"

struct section_edge {
    int conducts;
    double epsilon, open; /* of the edge: relative; share of it that is open */
    double mu, area; /* of its face: relative; share */
    int face_conducts;
    int loses, has_poles, has_load; /* a conductivity; poles; an element's edge */
};

struct section_node {
    int conducts;
    int cell_conducts; /* the face normal to the axis that begins here */
    double cell_area, cell_mu;
    struct section_edge edge[2]; /* to the next node along b, along c */
};

struct section {
    int axis, low[3], high[3]; /* along the axis both are the plane */
    int wide, lines; /* nodes along b, along c */
    struct section_node *node; /* [lines][wide] */
};

/* Reads the geometry's file, as geometry_load does. To be freed with section_free, after a failure too. Errors:
 * SF_INPUT, SF_NAMELIST, SF_MEMORY. */
int section_take(struct section *s, struct geometry *g, const struct media *m, const struct maxwell_params *p, int axis,
                 const int low[3], const int high[3], int plane);
void section_free(struct section *s);

/* Are two of the same line? */
int section_same(const struct section *a, const struct section *b);
