/* The first mode above the TEM wave, of a line that a conductor closes around one medium: the lowest TE mode, below all
 * of TM (Payne 1955, J. Rational Mech. Anal. 4, 517). With H along the line at the centres of cells, E across it
 * follows, and
 *
 *     sum over the edges of a cell of length l / (epsilon dual length) (H - H of the cell beyond) = k^2 mu A area H
 *
 * whose least k above 0 inverse iteration finds. SPDX-License-Identifier: MIT */
#include "maxwell/network.h"
#include "maxwell/tem_parts.h"
#include "pipeline/error.h"

#include <stdlib.h>

enum { ROUNDS = 40 };
static const double settled = 1e-6; /* change of k^2 from round to round */

/* Cells of the window as a network: as wide as its nodes, the last of each line and the last line unused. */
struct cells {
    const struct tem_work *w;
    int n;
    struct network net;
    double *mass, *current; /* mu A area, m2 */
    int *list;
    unsigned char *in, *seen; /* that hang together, those now looked at; those that were */
};

static int rim_conducts(const struct tem_work *w)
{
    int all = 1;
    for (int n = 0; n < w->s->wide * w->s->lines; n++) {
        const int x = n % w->s->wide, y = n / w->s->wide;
        if (x == 0 || x == w->s->wide - 1 || y == 0 || y == w->s->lines - 1) all &= w->label[n] > 0;
    }
    return all;
}

/* Epsilon and mu where the wave has a field; 0: more than one. */
static double medium_of(const struct tem_work *w)
{
    double square = 0;
    for (int n = 0; n < w->s->wide * w->s->lines; n++)
        for (int which = 0; which < 2; which++) {
            const struct section_edge *const e = &w->s->node[n].edge[which];
            if (e->conducts || __builtin_fabs(tem_difference(w, n, which, TEM_PHI)) < 1e-6) continue;
            const double here = e->epsilon * e->mu;
            if (square > 0 && __builtin_fabs(here - square) > 1e-3 * square) return 0;
            square = here;
        }
    return square;
}

/* The edge along b (0) at node n parts the cells n - wide and n, that along c the cells n - 1 and n. */
static void cells_join(struct cells *c)
{
    const struct section *const s = c->w->s;
    for (int n = 0; n < c->n; n++)
        for (int which = 0; which < 2; which++) {
            const int x = n % s->wide, y = n / s->wide;
            if ((which ? x : y) == 0 || x == s->wide - 1 || y == s->lines - 1) continue;
            const struct section_edge *const e = &s->node[n].edge[which];
            c->net.along[!which][n - (which ? 1 : s->wide)] =
                e->conducts
                    ? 0
                    : e->open * tem_edge_length(c->w, n, which) / (e->epsilon * tem_dual_length(c->w, n, which));
        }
}

static void masses_fill(struct cells *c)
{
    const struct section *const s = c->w->s;
    for (int n = 0; n < c->n; n++) {
        if (n % s->wide == s->wide - 1 || n / s->wide == s->lines - 1 || s->node[n].cell_conducts) continue;
        c->mass[n] =
            s->node[n].cell_mu * s->node[n].cell_area * tem_edge_length(c->w, n, 0) * tem_edge_length(c->w, n, 1);
    }
}

/* The cell on side `q` of a cell, where an edge joins them; -1: none. Nothing joins the cells within a conductor. */
static int joined(const struct cells *c, int at, int q)
{
    const int step = q >> 1 ? c->w->s->wide : 1, next = q & 1 ? at + step : at - step, low = q & 1 ? at : next;
    return low >= 0 && next < c->n && c->net.along[q >> 1][low] > 0 ? next : -1;
}

/* Takes the cells that hang together with the first, one of which is held: the others are known but for a constant. Is
 * the wave there, between the signal conductor and another? In a hollow conductor and around a shield it is not. */
static int cells_gather(struct cells *c, int first)
{
    int left = 0, cells = 0, beside[2] = {0, 0};
    for (int n = 0; n < c->n; n++) c->in[n] = 0, c->net.held[n] = 1;
    c->list[left++] = first, c->seen[first] = 1;
    while (left) {
        const int at = c->list[--left];
        c->in[at] = c->mass[at] > 0, cells += c->in[at];
        c->net.held[at] = at == first || !c->in[at];
        for (int q = 0; q < 4; q++) {
            const int label = c->w->label[at + (q & 1) + (q >> 1) * c->w->s->wide], next = joined(c, at, q);
            if (label) beside[label == c->w->signal] = 1;
            if (next >= 0 && !c->seen[next]) c->seen[next] = 1, c->list[left++] = next;
        }
    }
    return cells > 1 && beside[0] && beside[1];
}

/* What is left of x without the constant, which is the mode of k = 0. */
static void constant_take(struct cells *c)
{
    double sum = 0, all = 0;
    for (int n = 0; n < c->n; n++)
        if (c->in[n]) sum += c->mass[n] * c->net.x[n], all += c->mass[n];
    for (int n = 0; n < c->n; n++) c->net.x[n] = c->in[n] ? c->net.x[n] - sum / all : 0;
}

static double square_of(const struct cells *c)
{
    double energy = 0, norm = 0;
    for (int n = 0; n < c->n; n++) {
        if (!c->in[n]) continue;
        energy += c->net.x[n] * network_current(&c->net, n), norm += c->mass[n] * c->net.x[n] * c->net.x[n];
    }
    return energy / norm;
}

static int iterate(struct cells *c, double *square)
{
    for (int n = 0; n < c->n; n++) c->net.x[n] = n % c->w->s->wide + 0.61 * (n / c->w->s->wide);
    constant_take(c);
    *square = square_of(c);
    for (int round = 0; round < ROUNDS; round++) {
        const double last = *square;
        for (int n = 0; n < c->n; n++) c->current[n] = last * c->mass[n] * c->net.x[n];
        for (int n = 0; n < c->n; n++)
            if (c->net.held[n]) c->net.x[n] = 0;
        SF_TRY(network_solve(&c->net));
        constant_take(c);
        *square = square_of(c);
        if (__builtin_fabs(*square - last) < settled * last) break;
    }
    return SF_OK;
}

/* The least of all cells that hang together; 0: none. */
static int least_find(struct cells *c, double *least)
{
    *least = 0;
    for (int first = 0; first < c->n; first++) {
        double square = 0;
        if (c->seen[first] || !(c->mass[first] > 0) || !cells_gather(c, first)) continue;
        SF_TRY(iterate(c, &square));
        if (!(*least > 0) || square < *least) *least = square;
    }
    return SF_OK;
}

int tem_cutoff(const struct tem_work *w, double *frequency)
{
    const size_t nodes = (size_t)w->s->wide * (size_t)w->s->lines;
    struct cells c = {.w = w, .n = (int)nodes};
    double square = 0;
    *frequency = 0;
    if (!rim_conducts(w) || !(medium_of(w) > 0)) return SF_OK;
    double *const memory = calloc(nodes, 5 * sizeof(double) + sizeof(int) + 3);
    SF_CHECK(memory, SF_MEMORY, "no memory for the modes of %zu cells", nodes);
    c.mass = memory + 3 * nodes, c.current = memory + 4 * nodes;
    c.list = (int *)(void *)(memory + 5 * nodes), c.in = (unsigned char *)(c.list + nodes);
    c.seen = c.in + 2 * nodes;
    c.net = (struct network){w->s->wide,   w->s->lines,        {memory, memory + nodes},
                             c.in + nodes, memory + 2 * nodes, c.current};
    cells_join(&c);
    masses_fill(&c);
    const int rc = least_find(&c, &square);
    if (!rc) *frequency = em_c * __builtin_sqrt(square) / (2 * 3.14159265358979323846);
    free(memory);
    return rc;
}
