/* The cell of a component of E along one axis, as whole or half cells of the domain. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/geometry.h"

/* A whole or half cell of the domain. Samples lie in it at a distance from its lower end, or from its upper one. */
struct piece {
    double low, high;
    int number, from_high; /* number: of the cell, before it is brought into the domain */
};

static inline int is_mirrored(const struct geometry_axis *a, int m)
{
    return !a->periodic && ((m % (2 * a->n)) + 2 * a->n) % (2 * a->n) >= a->n;
}

/* The half of cell m next to its upper node, or its lower one; beyond the domain the image in it. */
static inline struct piece half_piece(const struct geometry_axis *a, int m, int upper)
{
    const int cell = geometry_cell(a, m), high = upper != is_mirrored(a, m);
    return (struct piece){.low = high ? a->centre[cell] : a->node[cell],
                          .high = high ? a->node[cell + 1] : a->centre[cell],
                          .number = m,
                          .from_high = high};
}

/* Before and behind node m, or cell m alone; returns how many. */
static inline int pieces_find(const struct geometry_axis *a, int on_node, int m, struct piece piece[2])
{
    if (on_node) {
        piece[0] = half_piece(a, m - 1, 1), piece[1] = half_piece(a, m, 0);
        return 2;
    }
    const int cell = geometry_cell(a, m);
    piece[0] = (struct piece){.low = a->node[cell], .high = a->node[cell + 1], .number = m};
    return 1;
}
