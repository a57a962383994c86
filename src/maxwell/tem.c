/* TEM waves of lines: conductors, potentials, what follows from them. SPDX-License-Identifier: MIT */
#include "maxwell/network.h"
#include "maxwell/place.h"
#include "maxwell/tem_parts.h"
#include "pipeline/error.h"

#include <stdlib.h>

struct conductor {
    int reaches; /* the window's rim within the domain */
    int is_there; /* not on the outer faces of absorbing layers alone, which conduct */
    int on_side[2][2]; /* sides that are magnetic conductors, along b and c */
    double distance; /* m2, from the centre */
    int nearest; /* node */
};

/* ---- places ------------------------------------------------------------------------------------------------------ */

static int across(const struct tem_work *w, int which) { return (w->s->axis + 1 + which) % 3; }
static int node_along(const struct tem_work *w, int node, int which)
{
    return which ? node / w->s->wide : node % w->s->wide;
}
static int nodes_along(const struct tem_work *w, int which) { return which ? w->s->lines : w->s->wide; }
static int step_of(const struct tem_work *w, int which) { return which ? w->s->wide : 1; }
static int has_next(const struct tem_work *w, int node, int which)
{
    return node_along(w, node, which) < nodes_along(w, which) - 1;
}

/* Length of the edge that begins at a node of the window, m, and of what a node has along an axis. */
static double cell_length(const struct tem_work *w, int which, int m)
{
    const int a = across(w, which);
    return 1 / (double)w->axis[a].h[w->s->low[a] + m];
}

static double node_length(const struct tem_work *w, int which, int m)
{
    const int a = across(w, which), last = nodes_along(w, which) - 1;
    if (m == 0 || m == last) return 0.5 * cell_length(w, which, m ? m - 1 : 0);
    return 1 / (double)w->axis[a].e[w->s->low[a] + m];
}

double tem_edge_length(const struct tem_work *w, int node, int which)
{
    return cell_length(w, which, node_along(w, node, which));
}

double tem_dual_length(const struct tem_work *w, int node, int which)
{
    return node_length(w, !which, node_along(w, node, !which));
}

/* ---- conductors -------------------------------------------------------------------------------------------------- */

static const struct section_edge *edge_of(const struct tem_work *w, int node, int which)
{
    return &w->s->node[node].edge[which];
}

/* All nodes that conduct and hang together with the first of them. */
static void conductor_spread(struct tem_work *w, int first, int label)
{
    int n = 0;
    w->list[n++] = first, w->label[first] = label;
    while (n) {
        const int at = w->list[--n];
        for (int side = 0; side < 4; side++) {
            const int which = side & 1, back = side >> 1;
            if (back ? !node_along(w, at, which) : !has_next(w, at, which)) continue;
            const int next = at + (back ? -step_of(w, which) : step_of(w, which));
            if (!edge_of(w, back ? next : at, which)->conducts || !w->s->node[next].conducts || w->label[next])
                continue;
            w->label[next] = label, w->list[n++] = next;
        }
    }
}

static void conductor_look(struct tem_work *w, int node, const double centre[3])
{
    struct conductor *const c = &w->conductor[w->label[node]];
    double distance = 0;
    int on_layer = 0;
    for (int which = 0; which < 2; which++) {
        const int a = across(w, which), m = node_along(w, node, which), last = nodes_along(w, which) - 1;
        const double off = w->g->axis[a].node[w->s->low[a] + m] - centre[a];
        distance += off * off;
        for (int high = 0; high < 2; high++) {
            const int is_side = (high ? w->s->high[a] : w->s->low[a]) == (high ? w->g->axis[a].n : 0),
                      side = side_of(w->p, a, high);
            if (m != (high ? last : 0)) continue;
            if (!is_side || side == EM_CPML) c->reaches = 1;
            on_layer |= is_side && side == EM_CPML;
            if (is_side && side == EM_PMC) c->on_side[which][high] = 1;
        }
    }
    c->is_there |= !on_layer;
    if (c->nearest < 0 || distance < c->distance) c->distance = distance, c->nearest = node;
}

static int conductors_find(struct tem_work *w, const double centre[3])
{
    const int nodes = w->s->wide * w->s->lines;
    for (int n = 0; n < nodes; n++)
        if (w->s->node[n].conducts && !w->label[n]) conductor_spread(w, n, ++w->n);
    w->conductor = calloc((size_t)w->n + 1, sizeof *w->conductor);
    SF_CHECK(w->conductor, SF_MEMORY, "no memory for %d conductors", w->n);
    for (int n = 0; n <= w->n; n++) w->conductor[n].nearest = -1;
    for (int n = 0; n < nodes; n++)
        if (w->label[n]) conductor_look(w, n, centre);
    for (int n = 1; n <= w->n; n++)
        if (!w->conductor[n].reaches && (!w->signal || w->conductor[n].distance < w->conductor[w->signal].distance))
            w->signal = n;
    SF_CHECK(
        w->n > 1, SF_NAMELIST,
        "&port: port %d: %s in its window, and a line has two conductors at least: give the port's window, its sizes and centre, or paint "
        "conductors that go through its plane",
        w->number, w->n ? "there is one conductor alone" : "no conductor lies");
    SF_CHECK(
        w->signal, SF_NAMELIST,
        "&port: port %d: all %d conductors in its window reach its rim, and one that the rim does not cut is to carry the signal: make the window "
        "wider, or move it",
        w->number, w->n);
    return SF_OK;
}

/* ---- potentials -------------------------------------------------------------------------------------------------- */

static double conductance(const struct tem_work *w, int node, int which, int of)
{
    const struct section_edge *const e = edge_of(w, node, which);
    if (e->conducts || e->face_conducts || !has_next(w, node, which)) return 0;
    return (of == TEM_PHI ? e->epsilon / e->open : 1 / (e->mu * e->area)) * tem_dual_length(w, node, which) /
           tem_edge_length(w, node, which);
}

static int potential_find(struct tem_work *w, int of)
{
    const int nodes = w->s->wide * w->s->lines;
    for (int n = 0; n < nodes; n++) {
        for (int which = 0; which < 2; which++) w->along[of][which][n] = conductance(w, n, which, of);
        w->held[n] = w->label[n] > 0;
        w->x[of][n] = w->label[n] == w->signal;
    }
    struct network network = {w->s->wide, w->s->lines, {w->along[of][0], w->along[of][1]}, w->held, w->x[of], NULL};
    return network_solve(&network);
}

double tem_difference(const struct tem_work *w, int node, int which, int of)
{
    return has_next(w, node, which) ? w->x[of][node] - w->x[of][node + step_of(w, which)] : 0;
}

static double energy_of(const struct tem_work *w, int of)
{
    double sum = 0;
    for (int n = 0; n < w->s->wide * w->s->lines; n++)
        for (int which = 0; which < 2; which++) {
            const double d = tem_difference(w, n, which, of);
            sum += w->along[of][which][n] * d * d;
        }
    return sum;
}

/* Does an edge lie on an end of the window's axis within the domain, or end there beside no conductor? */
static int is_at_rim(const struct tem_work *w, int node, int which, int axis, int high)
{
    const int a = across(w, axis), crosses = which == axis, at = high && crosses ? node + step_of(w, which) : node;
    if ((high ? w->s->high[a] : w->s->low[a]) == (high ? w->g->axis[a].n : 0) || !has_next(w, node, which)) return 0;
    return node_along(w, at, axis) == (high ? nodes_along(w, axis) - 1 : 0) && !(crosses && w->label[at]);
}

static double rim_share(const struct tem_work *w)
{
    double sum = 0;
    for (int n = 0; n < w->s->wide * w->s->lines; n++)
        for (int which = 0; which < 2; which++) {
            const double d = tem_difference(w, n, which, TEM_PHI);
            int any = 0;
            for (int q = 0; q < 4; q++) any |= is_at_rim(w, n, which, q >> 1, q & 1);
            if (any) sum += w->along[TEM_PHI][which][n] * d * d;
        }
    return sum / energy_of(w, TEM_PHI);
}

/* What fills the line has no losses: where there is a field. */
static int filling_check(const struct tem_work *w)
{
    static const double least = 1e-6; /* V, across an edge */
    for (int n = 0; n < w->s->wide * w->s->lines; n++)
        for (int which = 0; which < 2; which++) {
            const struct section_edge *const e = edge_of(w, n, which);
            if (e->conducts || __builtin_fabs(tem_difference(w, n, which, TEM_PHI)) < least) continue;
            SF_CHECK(
                !e->loses && !e->has_poles && !e->has_load, SF_NAMELIST,
                "&port: port %d: its line is filled by what %s: waves are told apart on lines without; let the port's plane, and the cells up to "
                "its source, lie where media have epsilon and mu alone",
                w->number,
                e->has_load    ? "belongs to an element"
                : e->has_poles ? "has poles"
                               : "loses energy");
        }
    return SF_OK;
}

/* ---- what follows ------------------------------------------------------------------------------------------------ */

static void numbers_fill(struct tem *t, const struct tem_work *w)
{
    const struct conductor *const c = &w->conductor[w->signal];
    t->capacity = energy_of(w, TEM_PHI), t->stiffness = energy_of(w, TEM_PSI);
    t->conductors = w->n, t->images = 1;
    t->rim = rim_share(w), t->is_alone = 1;
    for (int n = 1; n <= w->n; n++) t->is_alone &= n == w->signal || !w->conductor[n].is_there;
    for (int which = 0; which < 2; which++) {
        const int a = across(w, which);
        for (int high = 0; high < 2; high++) t->on_side[a][high] = c->on_side[which][high];
        if (c->on_side[which][0] != c->on_side[which][1]) t->images *= 2;
        t->signal[a] = w->g->axis[a].node[w->s->low[a] + node_along(w, c->nearest, which)];
    }
    t->signal[w->s->axis] = w->g->axis[w->s->axis].node[w->s->low[w->s->axis]];
    t->index = __builtin_sqrt(t->capacity / t->stiffness);
    t->impedance = em_eta0 / __builtin_sqrt(t->capacity * t->stiffness) / t->images;
}

/* The sheet of current and the weights of E and H. */
static void profiles_fill(struct tem *t, struct mode *mode, const struct tem_work *w)
{
    for (int n = 0; n < w->s->wide * w->s->lines; n++)
        for (int which = 0; which < 2; which++) {
            const double dual = tem_dual_length(w, n, which), voltage = tem_difference(w, n, which, TEM_PHI),
                         current = w->along[TEM_PSI][which][n] * tem_difference(w, n, which, TEM_PSI) / t->stiffness;
            t->sheet = SF_MAX(t->sheet, __builtin_fabs(current / dual));
            if (!has_next(w, n, which)) continue;
            t->test[2 * which][n] = edge_of(w, n, which)->open * tem_edge_length(w, n, which) * current;
            t->test[2 * which + 1][n] = (which ? -1 : 1) * t->images * dual * voltage;
        }
    for (int n = 0; n < w->s->wide * w->s->lines; n++)
        for (int which = 0; which < 2; which++)
            mode->profile[which][n] = (real)(w->along[TEM_PSI][which][n] * tem_difference(w, n, which, TEM_PSI) /
                                             t->stiffness / tem_dual_length(w, n, which) / t->sheet);
}

static int work_make(struct tem_work *w)
{
    const size_t nodes = (size_t)w->s->wide * (size_t)w->s->lines;
    double *const reals = calloc(nodes, 3 * TEM_POTENTIALS * sizeof(double) + 2 * sizeof(int) + 1);
    SF_CHECK(reals, SF_MEMORY, "no memory for the potentials of %zu nodes", nodes);
    for (int of = 0; of < TEM_POTENTIALS; of++) {
        w->x[of] = reals + (size_t)(3 * of) * nodes;
        for (int which = 0; which < 2; which++) w->along[of][which] = reals + (size_t)(3 * of + 1 + which) * nodes;
    }
    w->label = (int *)(void *)(reals + 3 * TEM_POTENTIALS * nodes), w->list = w->label + nodes;
    w->held = (unsigned char *)(w->list + nodes);
    return SF_OK;
}

static int work_do(struct tem_work *w, const double centre[3])
{
    SF_TRY(conductors_find(w, centre));
    for (int of = 0; of < TEM_POTENTIALS; of++) SF_TRY(potential_find(w, of));
    return filling_check(w);
}

int tem_make(struct tem *t, struct mode *mode, const struct section *s, const struct geometry *g,
             const struct axis_lines axis[3], const struct maxwell_params *p, const double centre[3], int number)
{
    const size_t nodes = (size_t)s->wide * (size_t)s->lines;
    struct tem_work w = {.s = s, .g = g, .axis = axis, .p = p, .number = number};
    *t = (struct tem){.memory = calloc(TEM_TESTS * nodes, sizeof(double))};
    SF_CHECK(t->memory, SF_MEMORY, "no memory for the wave of a line");
    for (int n = 0; n < TEM_TESTS; n++) t->test[n] = (double *)t->memory + (size_t)n * nodes;
    SF_TRY(work_make(&w));
    int rc = work_do(&w, centre);
    if (!rc) numbers_fill(t, &w), profiles_fill(t, mode, &w);
    if (!rc) rc = tem_cutoff(&w, &t->cutoff);
    free(w.x[0]);
    free(w.conductor);
    return rc;
}

void tem_free(struct tem *t)
{
    free(t->memory);
    t->memory = NULL;
}
