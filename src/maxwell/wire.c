/* Rows of edges and the factors beside them. SPDX-License-Identifier: MIT */
#include "maxwell/wire.h"

#include "maxwell/element.h"
#include "maxwell/open_cell.h"
#include "pipeline/complaint.h"
#include "pipeline/error.h"
#include "pipeline/sfmath.h"

static const char axis_name[] = "xyz";

/* ---- formulas ---------------------------------------------------------------------------------------------------- */

double wire_own_radius(double a, double b)
{
    static const double of_euler = 0.56145948356688516982; /* exp(-gamma) */
    return of_euler / 4 * __builtin_sqrt(a * a + b * b);
}

/* Of x > 0: angles are halved until a few terms of the series do. */
static double arctan(double x)
{
    double sum = 0;
    for (int n = 0; n < 4; n++) x = x / (1 + __builtin_sqrt(1 + x * x));
    for (int n = 17; n > 0; n -= 2) sum = 1.0 / n - x * x * sum;
    return 16 * x * sum;
}

double wire_factor(double radius, double a, double b)
{
    const double p = b / a;
    return 1 / (1 + p / (2 * arctan(p)) * sfd_log(wire_own_radius(a, b) / radius));
}

/* Linear in the logarithm of the radius. */
double wire_end(double radius, double cell)
{
    static const double at[4] = {0.03, 0.1, 0.1985, 0.3}, end[4] = {0.84, 0.61, 0.46, 0.35};
    const double r = radius / cell;
    const int n = r < at[1] ? 0 : r < at[2] ? 1 : 2;
    return end[n] + (end[n + 1] - end[n]) * sfd_log(r / at[n]) / sfd_log(at[n + 1] / at[n]);
}

/* ---- from the namelist ------------------------------------------------------------------------------------------- */

/* The node nearest to a place; beyond an end that end. */
static int node_nearest(const struct geometry_axis *a, double at)
{
    int m = 0;
    while (m < a->n && at - a->node[m] > a->node[m + 1] - at) m++;
    return m;
}

/* Mean of the cells before and after a node, m. */
static double size_around(const struct geometry_axis *a, int node)
{
    return 0.5 * (geometry_size(a, geometry_cell(a, node - 1)) + geometry_size(a, geometry_cell(a, node)));
}

static int is_outside(const struct geometry_axis *a, double at, double slack)
{
    return at < a->node[0] - slack || at > a->node[a->n] + slack;
}

static int radius_take(const struct geometry *g, struct wire *w, double wanted)
{
    static const double most = 0.4;
    const int b = (w->axis + 1) % 3, c = (w->axis + 2) % 3;
    const double size_b = size_around(&g->axis[b], w->at[b]), size_c = size_around(&g->axis[c], w->at[c]);
    w->own = wire_own_radius(size_b, size_c);
    if (!(wanted > 0)) return SF_OK;
    SF_CHECK(
        wanted <= most * SF_MIN(size_b, size_c) * (1 + 1e-9), SF_NAMELIST,
        "&geometry: shape(%d), a wire, has a radius of %g m, more than %g of the cells across it, %g m: use larger "
        "cells, or a 'cylinder' of a diameter of two cells or more with &maxwell conformal = 0.8",
        w->number + 1, wanted, most, SF_MIN(size_b, size_c));
    w->radius = wanted;
    w->factor[b] = (uint64_t)((double)(1ULL << WIRE_BITS) * wire_factor(wanted, size_b, size_c) + 0.5);
    w->factor[c] = (uint64_t)((double)(1ULL << WIRE_BITS) * wire_factor(wanted, size_c, size_b) + 0.5);
    return SF_OK;
}

/* The row of edges, as a sheet that holds a single line of nodes. */
static void sheet_put(struct geometry *g, struct wire *w)
{
    struct sheet *const s = &g->sheet[g->nsheets];
    const int normal = (w->axis + 1) % 3, c = (w->axis + 2) % 3;
    *s = (struct sheet){.number = w->number, .axis = normal, .plane = w->at[normal]};
    s->low[w->axis] = w->low, s->high[w->axis] = w->high + 1;
    s->low[c] = w->at[c], s->high[c] = w->at[c] + 1;
    w->sheet = g->nsheets++;
}

int wire_add(struct geometry *g, const struct maxwell_params *p, int n, struct complaints *to)
{
    const int axis = p->geometry_axis[n];
    const double centre[3] = {p->geometry_x[n], p->geometry_y[n], p->geometry_z[n]},
                 size[3] = {p->geometry_size_x[n], p->geometry_size_y[n], p->geometry_size_z[n]};
    struct wire w = {.number = n, .axis = axis};
    for (int a = 0; a < 3; a++) {
        SF_CHECK(a == axis || !is_outside(&g->axis[a], centre[a], g->slack), SF_NAMELIST,
                 "&geometry: shape(%d), a wire, lies outside of the domain: %c(%d) = %g m", n + 1, axis_name[a], n + 1,
                 centre[a]);
        w.at[a] = a == axis ? 0 : node_nearest(&g->axis[a], centre[a]);
        if (a != axis && g->axis[a].periodic) w.at[a] = geometry_node(&g->axis[a], w.at[a]);
    }
    w.low = node_nearest(&g->axis[axis], centre[axis] - 0.5 * size[axis]);
    w.high = node_nearest(&g->axis[axis], centre[axis] + 0.5 * size[axis]);
    SF_TRY(radius_take(g, &w, p->geometry_radius[n]));
    if (w.low == w.high) {
        sf_complain_mildly(
            to, "geometry%shape", n,
            "&geometry: shape(%d), a wire, is shorter than half a cell or outside of the domain: it holds no "
            "edge and is left out",
            n + 1);
        return SF_OK;
    }
    sheet_put(g, &w);
    g->wire[g->nwires++] = w;
    g->nthin += w.radius > 0;
    return SF_OK;
}

static int goes_on(const struct wire *w, const struct wire *next)
{
    int like = next->axis == w->axis && next->low == w->high + 1;
    for (int a = 0; a < 3; a++) like = like && next->at[a] == w->at[a] && next->factor[a] == w->factor[a];
    return like;
}

void wires_join(struct geometry *g)
{
    for (int n = 0; n < g->nwires; n++)
        for (int m = 0; m < g->nwires; m++) g->wire[n].feeds |= goes_on(&g->wire[n], &g->wire[m]);
}

/* ---- beside wires ------------------------------------------------------------------------------------------------ */

/* The number that stands for element m of the domain. */
static int inside(const struct geometry_axis *a, int on_node, int m)
{
    return on_node ? geometry_node(a, m) : geometry_cell(a, m);
}

/* Is a node, or cell, of the axis one of the wire's, or of the gap behind it? Where it goes round, the last node is the
 * first. */
static int along_has(const struct geometry_axis *a, const struct wire *w, int on_node, int m)
{
    const int end = w->high + (on_node || w->feeds);
    return (m >= w->low && m < end) || (a->periodic && m + a->n >= w->low && m + a->n < end);
}

/* The axis that leads from the wire to an element beside it; -1: it is not. */
static int beside(const struct geometry *g, const struct wire *w, int component, const int at[3])
{
    const int c = component % 3, to = component < 3 ? c : 3 - w->axis - c, other = 3 - w->axis - to;
    if (c == w->axis || at[other] != w->at[other] || !along_has(&g->axis[w->axis], w, component < 3, at[w->axis]))
        return -1;
    const int before = geometry_cell(&g->axis[to], w->at[to] - 1), after = geometry_cell(&g->axis[to], w->at[to]);
    return at[to] == before || at[to] == after ? to : -1;
}

uint64_t wire_number(const struct geometry *g, int component, const int at[3])
{
    uint64_t least = 0;
    int m[3];
    for (int a = 0; a < 3; a++) m[a] = inside(&g->axis[a], on_node(component, a), at[a]);
    for (int n = 0; n < g->nwires && g->nthin; n++) {
        const struct wire *const w = &g->wire[n];
        const int to = w->radius > 0 ? beside(g, w, component, m) : -1;
        if (to >= 0 && (!least || w->factor[to] < least)) least = w->factor[to];
    }
    return least;
}

/* Nodes that elements beside a wire lie on or end at, along an axis. */
static void nodes_beside(const struct wire *w, int axis, int *low, int *high)
{
    *low = axis == w->axis ? w->low : w->at[axis] - 1;
    *high = axis == w->axis ? w->high : w->at[axis] + 1;
}

static int near_along(const struct geometry *g, const struct wire *w, int axis, int m)
{
    const struct geometry_axis *const a = &g->axis[axis];
    const int node = geometry_node(a, m), cell = geometry_cell(a, m);
    int low, high;
    nodes_beside(w, axis, &low, &high);
    for (int turn = a->periodic ? -1 : 0; turn <= a->periodic; turn++) {
        const int first = low + turn * a->n, last = high + turn * a->n;
        if ((node >= first && node <= last) || (cell >= first && cell <= last)) return 1;
    }
    return 0;
}

int wire_is_near(const struct geometry *g, int j, int k)
{
    for (int n = 0; n < g->nwires && g->nthin; n++)
        if (g->wire[n].radius > 0 && near_along(g, &g->wire[n], AY, j) && near_along(g, &g->wire[n], AZ, k)) return 1;
    return 0;
}

int wires_meet(const struct geometry *g, const int low[3], const int high[3])
{
    for (const struct wire *w = g->wire; w < g->wire + g->nwires; w++) {
        int meets = w->radius > 0;
        for (int a = 0; a < 3; a++) {
            int first, last;
            nodes_beside(w, a, &first, &last);
            meets = meets && first <= high[a] && last >= low[a];
        }
        if (meets) return 1;
    }
    return 0;
}

/* ---- the longest step -------------------------------------------------------------------------------------------- */

static int is_wire_edge(const struct geometry *g, int c, const int at[3])
{
    for (int n = 0; n < g->nwires; n++)
        if (sheet_has_edge(g, &g->sheet[g->wire[n].sheet], c, at)) return 1;
    return 0;
}

static double share_of(uint64_t number) { return number ? (double)number / (double)(1ULL << WIRE_BITS) : 1; }

/* Whatever else conducts is taken for open, and media for vacuum: both bound. */
static double open_of_edge(const struct geometry *g, int c, const int at[3])
{
    return is_wire_edge(g, c, at) ? 0 : 1 / share_of(wire_number(g, c, at));
}

static double open_of_face(const struct geometry *g, int c, const int at[3])
{
    return 1 / share_of(wire_number(g, 3 + c, at));
}

static double cell_square(const struct geometry *g, const int at[3])
{
    struct open_cell cell;
    open_cell_fill(&cell, g, at, open_of_edge, open_of_face);
    return open_cell_square(&cell, 0);
}

/* All cells that have an element beside the wire: those around it, and one beyond each of its ends. */
static double wire_square(const struct geometry *g, const struct wire *w)
{
    const int b = (w->axis + 1) % 3, c = (w->axis + 2) % 3;
    double most = 0;
    for (int m = w->low - 1; m <= w->high; m++)
        for (int n = 0; n < 4; n++) {
            int at[3];
            at[w->axis] = m, at[b] = w->at[b] - (n & 1), at[c] = w->at[c] - (n >> 1);
            for (int a = 0; a < 3; a++) at[a] = geometry_cell(&g->axis[a], at[a]);
            const double one = cell_square(g, at);
            most = SF_MAX(most, one);
        }
    return most;
}

double wires_square(const struct geometry *g)
{
    double most = 0;
    for (const struct wire *w = g->wire; w < g->wire + g->nwires; w++) {
        const double one = w->radius > 0 ? wire_square(g, w) : 0;
        most = SF_MAX(most, one);
    }
    return most;
}
