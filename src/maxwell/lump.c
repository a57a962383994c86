/* Lumped elements from the namelist: where they are, and their media. SPDX-License-Identifier: MIT */
#include "maxwell/lump.h"

#include "maxwell/conductors.h"
#include "maxwell/conformal.h"
#include "maxwell/place.h"
#include "pipeline/complaint.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- media ------------------------------------------------------------------------------------------------------- */

static void pole_take(struct lump *l, struct pole_keys keys)
{
    double sigma;
    l->npoles = pole_make(l->pole, &keys, &sigma);
    l->sigma += sigma;
}

static void series_make(struct lump *l, const struct lump_keys *k, double shape)
{
    const double r = k->resistance, h = k->inductance, c = k->capacitance;
    if (h > 0 && c > 0)
        pole_take(l, (struct pole_keys){.kind = POLE_LORENTZ,
                                        .strength = c * shape / em_eps0,
                                        .omega = 1 / __builtin_sqrt(h * c),
                                        .gamma = r / h});
    else if (h > 0)
        pole_take(
            l, (struct pole_keys){.kind = POLE_DRUDE, .omega = __builtin_sqrt(shape / (h * em_eps0)), .gamma = r / h});
    else if (c > 0 && r > 0)
        pole_take(l, (struct pole_keys){.kind = POLE_DEBYE, .strength = c * shape / em_eps0, .tau = r * c});
    else if (c > 0) l->epsilon = c * shape / em_eps0;
    else l->sigma = shape / r;
}

void lump_medium(struct lump *l, const struct lump_keys *k)
{
    const double shape = l->length / l->area;
    l->epsilon = l->sigma = 0, l->npoles = 0;
    if (k->in_series) {
        series_make(l, k, shape);
        return;
    }
    if (k->inductance > 0) series_make(l, &(struct lump_keys){.inductance = k->inductance}, shape);
    if (k->resistance > 0) l->sigma += shape / k->resistance;
    if (k->capacitance > 0) l->epsilon += k->capacitance * shape / em_eps0;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* One entry of either group. */
struct lump_entry {
    const char *group;
    const char *keys[3]; /* of its place, by axis */
    int axis;
    double centre[3], size[3];
};

static struct lump_entry entry_of(const struct maxwell_params *p, int is_port, int m)
{
    if (is_port)
        return (struct lump_entry){
            "&port",
            {"port%x port%size_x port%kind", "port%y port%size_y port%kind", "port%z port%size_z port%kind"},
            p->port_axis[m],
            {p->port_x[m], p->port_y[m], p->port_z[m]},
            {p->port_size_x[m], p->port_size_y[m], p->port_size_z[m]}};
    return (struct lump_entry){"&element",
                               {"element%x element%size_x", "element%y element%size_y", "element%z element%size_z"},
                               p->element_axis[m],
                               {p->element_x[m], p->element_y[m], p->element_z[m]},
                               {p->element_size_x[m], p->element_size_y[m], p->element_size_z[m]}};
}

/* Along its axis cells between two nodes, across it nodes. */
static int along_find(struct lump *l, const struct lump_entry *e, const struct grid *grid, int a)
{
    const double half = 0.5 * e->size[a];
    const int is_point = !(half > 0), node = a != l->axis || !is_point;
    int low = grid_nearest(grid, a, node, e->centre[a] - half), high = grid_nearest(grid, a, node, e->centre[a] + half);
    SF_CHECK(low >= 0 && high >= 0, SF_NAMELIST,
             "%s: number %d: along %c it reaches from %g to %g m, out of the domain", e->group, l->number, "xyz"[a],
             e -> centre[a] - half, e -> centre[a] + half);
    if (a != l->axis || is_point) high++;
    SF_CHECK(
        high > low, SF_NAMELIST,
        "%s: number %d: %g m along %c is less than half a cell there, and both ends are one node: give it a cell, or 0",
        e->group, l->number, e->size[a], "xyz"[a]);
    l->at.low[a] = low, l->at.high[a] = high;
    return SF_OK;
}

/* Size of what node m has of the domain: half of the cells beside it, of a periodic axis those of the other end. */
static double dual_size(const struct geometry_axis *a, int m)
{
    const int below = m > 0 ? m - 1 : a->periodic ? a->n - 1 : -1, above = m < a->n ? m : a->periodic ? 0 : -1;
    return 0.5 * ((below < 0 ? 0 : geometry_size(a, below)) + (above < 0 ? 0 : geometry_size(a, above)));
}

/* 2 where it lies on one plane of a magnetic conductor, and has a mirror image behind that. */
static double images_of(const struct lump *l, const struct geometry_axis *x, int a)
{
    const int on_low = l->at.low[a] == 0, on_high = l->at.high[a] == x->n + 1;
    return !x->periodic && on_low != on_high ? 2 : 1;
}

static int extents_find(struct lump *l, const struct geometry *g)
{
    l->area = 1;
    for (int a = 0; a < 3; a++) {
        const struct geometry_axis *const x = &g->axis[a];
        const int low = l->at.low[a], high = l->at.high[a];
        double sum = 0, *const share = l->share[a] = calloc((size_t)(high - low), sizeof *share);
        SF_CHECK(share, SF_MEMORY, "no memory for a lumped element");
        for (int m = low; m < high; m++) sum += share[m - low] = a == l->axis ? geometry_size(x, m) : dual_size(x, m);
        if (a == l->axis) l->length = sum;
        else l->area *= sum * images_of(l, x, a);
        for (int m = 0; m < high - low && a != l->axis; m++) share[m] /= sum;
    }
    return SF_OK;
}

double lump_weight(const struct lump *l, const int at[3])
{
    double weight = 1;
    for (int a = 0; a < 3; a++) weight *= l->share[a][at[a] - l->at.low[a]];
    return weight;
}

void lumps_free(struct lump *lumps, int n)
{
    for (int m = 0; m < n; m++)
        for (int a = 0; a < 3; a++) free(lumps[m].share[a]);
    free(lumps);
}

/* In a conducting side E along it is zero; where a layer absorbs, its own conductors are. */
static int side_check(const struct lump *l, const struct lump_entry *e, const struct maxwell_params *p,
                      const struct geometry *g, int a)
{
    for (int high = 0; high < 2 && a != l->axis; high++) {
        const int side = side_of(p, a, high), is_on = high ? l->at.high[a] > g->axis[a].n : l->at.low[a] == 0;
        SF_CHECK(
            !is_on || (side != EM_PEC && side != EM_CPML), SF_NAMELIST,
            "%s: number %d: edges of it lie in the %s side of the domain, which conducts: move it, or make it narrower",
            e->group, l->number, side_name(a, high));
        SF_CHECK(
            !is_on || !high || side != EM_PERIODIC, SF_NAMELIST,
            "%s: number %d: it reaches the %s side, which is the other end of a periodic axis: end it a cell before",
            e->group, l->number, side_name(a, high));
    }
    for (int high = 0; high < 2 && side_of(p, a, high) == EM_CPML; high++) {
        const int cells = p->cpml_cells,
                  in_layer = high ? l->at.high[a] > g->axis[a].n - cells + (a != l->axis) : l->at.low[a] < cells;
        SF_CHECK(!in_layer, SF_NAMELIST, "%s: number %d: it lies in the absorbing layer at the %s side: move it out",
                 e->group, l->number, side_name(a, high));
    }
    return SF_OK;
}

static int place_find(struct lump *l, const struct lump_entry *e, const struct maxwell_params *p,
                      const struct geometry *g, const struct grid *grid, int a)
{
    SF_TRY(along_find(l, e, grid, a));
    return side_check(l, e, p, g, a);
}

static int ranges_meet(const struct place_range *a, const struct place_range *b)
{
    int meet = 1;
    for (int d = 0; d < 3; d++) meet &= a->low[d] < b->high[d] && b->low[d] < a->high[d];
    return meet;
}

static int alone_check(const struct lump *all, const struct lump *l, const char *group)
{
    char other[32];
    for (const struct lump *m = all; m < l; m++)
        SF_CHECK(
            m->axis != l->axis || !ranges_meet(&m->at, &l->at), SF_NAMELIST,
            "%s: number %d: it shares an edge with %s: let them lie beside each other, or be one element in parallel",
            group, l->number, lump_name(m, other));
    return SF_OK;
}

const char *lump_name(const struct lump *l, char name[32])
{
    snprintf(name, 32, "%s %d", l->is_port ? "port" : "element", l->number);
    return name;
}

/* ---- the namelist ------------------------------------------------------------------------------------------------ */

static int lump_make(struct lump *l, const struct lump *all, const struct maxwell_params *p, const struct geometry *g,
                     const struct grid *grid, struct complaints *to)
{
    const int m = l->number - 1, before = to ? to->errors : 0;
    const struct lump_entry e = entry_of(p, l->is_port, m);
    const char *const of = l->is_port ? "port%kind" : "element%resistance element%inductance element%capacitance";
    struct lump_keys k = {.resistance = l->is_port ? p->port_resistance[m] : p->element_resistance[m]};
    if (!l->is_port)
        k.inductance = p->element_inductance[m], k.capacitance = p->element_capacitance[m],
        k.in_series = p->element_connection[m] == 1;
    l->axis = e.axis;
    if (!(k.resistance > 0 || k.inductance > 0 || k.capacitance > 0))
        SF_TRY(sf_complain_or_fail(
            to, of, m,
            sf_fail(SF_NAMELIST, __FILE__, __LINE__,
                    "&element: number %d has neither resistance nor inductance nor capacitance: give it one of them",
                    l->number)));
    for (int a = 0; a < 3; a++) SF_TRY(sf_complain_or_fail(to, e.keys[a], m, place_find(l, &e, p, g, grid, a)));
    if (to && to->errors > before) return SF_OK;
    SF_TRY(extents_find(l, g));
    lump_medium(l, &k);
    return sf_complain_or_fail(to, of, m, alone_check(all, l, e.group));
}

int lumps_make(struct lump **lumps, int *n, const struct maxwell_params *p, int elements, int ports,
               const struct geometry *g, const struct grid *grid, struct complaints *to)
{
    enum { LUMPED = 1 }; /* of PORT_KINDS */
    *lumps = NULL, *n = 0;
    if (elements + ports == 0) return SF_OK;
    *lumps = calloc((size_t)elements + (size_t)ports, sizeof **lumps);
    SF_CHECK(*lumps, SF_MEMORY, "no memory for %d lumped elements", elements + ports);
    for (int m = 0; m < elements + ports; m++) {
        const int is_port = m >= elements, number = 1 + (is_port ? m - elements : m);
        if (is_port && p->port_kind[number - 1] != LUMPED) continue;
        struct lump *const l = &(*lumps)[(*n)++]; /* counted before: what fails is freed, too */
        *l = (struct lump){.number = number, .is_port = is_port};
        SF_TRY(lump_make(l, *lumps, p, g, grid, to));
    }
    return SF_OK;
}

int lump_has(const struct lump *l, const struct geometry *g, int c, const int at[3])
{
    int has = c == l->axis;
    for (int a = 0; a < 3; a++) has = has && lump_has_along(l, &g->axis[a], a, at[a]);
    return has;
}

int lump_has_along(const struct lump *l, const struct geometry_axis *a, int axis, int at)
{
    const int m = axis == l->axis ? geometry_cell(a, at) : geometry_node(a, at);
    return m >= l->at.low[axis] && m < l->at.high[axis];
}

/* ---- conductors -------------------------------------------------------------------------------------------------- */

static const char *keys_of(const struct lump *l)
{
    return l->is_port ? "port%kind port%x port%y port%z" : "element%axis element%x element%y element%z";
}

/* One of its edges. */
static int edge_check(const struct lump *l, struct conductors *r, const int at[3])
{
    const struct geometry_axis *const a = r->g->axis;
    int pec;
    char name[32];
    SF_TRY(conductors_edge(r, l->axis, at, &pec));
    const int cut = !pec && conformal_is_cut(r->g, l->axis, at);
    SF_CHECK(!pec && !cut, SF_NAMELIST,
             "%s: its edge from (%.6g, %.6g, %.6g) m along %c %s 'pec' that &geometry paints: leave a gap for it there",
             lump_name(l, name), a[AX].node[at[AX]], a[AY].node[at[AY]], a[AZ].node[at[AZ]], "xyz"[l->axis],
             pec ? "lies in" : "is cut by");
    return SF_OK;
}

static int edges_check(const struct lump *l, struct conductors *r)
{
    int at[3];
    for (at[AY] = l->at.low[AY]; at[AY] < l->at.high[AY]; at[AY]++)
        for (at[AZ] = l->at.low[AZ]; at[AZ] < l->at.high[AZ]; at[AZ]++)
            for (at[AX] = l->at.low[AX]; at[AX] < l->at.high[AX]; at[AX]++) SF_TRY(edge_check(l, r, at));
    return SF_OK;
}

/* Does an edge carry current: a conductor, or of an element? */
static int edge_carries(struct conductors *r, int c, const int at[3], int *carries)
{
    SF_TRY(conductors_edge(r, c, at, carries));
    for (int n = 0; n < r->g->nlumps && !*carries; n++) *carries = lump_has(&r->g->lump[n], r->g, c, at);
    return SF_OK;
}

/* Some edge at a node of its end, its own left out; `alone`: its own image beyond a side, too. */
static int node_touches(const struct lump *l, struct conductors *r, const int node[3], int is_high, int alone,
                        int *touches)
{
    *touches = 0;
    for (int c = 0; c < 3; c++)
        for (int before = 0; before < 2 && !*touches; before++) {
            int at[3] = {node[0], node[1], node[2]};
            if (c == l->axis && (before == is_high || alone)) continue;
            at[c] -= before;
            SF_TRY(edge_carries(r, c, at, touches));
        }
    return SF_OK;
}

/* How many of its lines of edges end in nothing there. */
static int end_loose(const struct lump *l, const struct maxwell_params *p, struct conductors *r, int is_high,
                     int *loose)
{
    const int c = l->axis, b = (c + 1) % 3, d = (c + 2) % 3;
    int node[3];
    *loose = 0;
    node[c] = is_high ? l->at.high[c] : l->at.low[c];
    const int on_side = node[c] == 0 || node[c] == r->g->axis[c].n, side = side_of(p, c, node[c] > 0);
    if (on_side && side == EM_PEC) return SF_OK;
    for (node[b] = l->at.low[b]; node[b] < l->at.high[b]; node[b]++)
        for (node[d] = l->at.low[d]; node[d] < l->at.high[d]; node[d]++) {
            int touches;
            SF_TRY(node_touches(l, r, node, is_high, on_side && side == EM_PMC, &touches));
            *loose += !touches;
        }
    return SF_OK;
}

static int ends_check(const struct lump *l, const struct maxwell_params *p, struct conductors *r, struct complaints *to)
{
    const int c = l->axis, b = (c + 1) % 3, d = (c + 2) % 3,
              lines = (l->at.high[b] - l->at.low[b]) * (l->at.high[d] - l->at.low[d]);
    int loose;
    char name[32];
    for (int high = 0; high < 2; high++) {
        SF_TRY(end_loose(l, p, r, high, &loose));
        if (loose)
            sf_complain_mildly(
                to, keys_of(l), l->number - 1,
                "%s: its %s end along %c, at %.6g m, touches no conductor with %d of its %d lines of edges, whose current ends there as charge: let it "
                "reach from one conductor to the other, and be no wider than they are",
                lump_name(l, name), high ? "upper" : "lower", "xyz"[c],
                r -> g -> axis[c].node[high ? l->at.high[c] : l->at.low[c]], loose, lines);
    }
    return SF_OK;
}

int lumps_check(struct geometry *g, const struct maxwell_params *p, struct complaints *to)
{
    struct conductors r;
    int rc = SF_OK;
    if (!g->nlumps) return SF_OK;
    SF_TRY(conductors_open(&r, g));
    for (const struct lump *l = g->lump; l < g->lump + g->nlumps && !rc; l++) {
        const int before = to ? to->errors : 0;
        rc = sf_complain_or_fail(to, keys_of(l), l->number - 1, edges_check(l, &r));
        if (!rc && to && to->errors == before) rc = ends_check(l, p, &r, to);
    }
    conductors_close(&r);
    return rc;
}
