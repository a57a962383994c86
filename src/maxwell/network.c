/* Conjugate gradients on a plane network. SPDX-License-Identifier: MIT */
#include "maxwell/network.h"

#include "pipeline/error.h"

#include <stdlib.h>

static const double kept = 0.97; /* share of what the factorisation leaves out that its diagonal gets */
static const double converged = 1e-28; /* of the square of the first residual */

/* The vectors of a solution; inverse: of the pivots. */
struct work {
    double *inverse, *residual, *direction, *image, *better;
};

/* Is there a node with the number of the next, or the last one? Across the ends of lines no conductance leads. */
static int has_next(const struct network *n, int at, int which)
{
    return at + (which ? n->wide : 1) < n->wide * n->lines;
}

static int has_last(const struct network *n, int at, int which) { return at >= (which ? n->wide : 1); }

/* Conductance to the next node along a line (0) or across (1), between nodes that are not held. */
static double joined(const struct network *n, int at, int which)
{
    const int next = at + (which ? n->wide : 1);
    return n->held[at] || n->held[next] ? 0 : n->along[which][at];
}

static double sum_of(const struct network *n, int at)
{
    double sum = 0;
    for (int which = 0; which < 2; which++) {
        const int step = which ? n->wide : 1;
        sum += (has_last(n, at, which) ? n->along[which][at - step] : 0) +
               (has_next(n, at, which) ? n->along[which][at] : 0);
    }
    return sum;
}

double network_current(const struct network *n, int at)
{
    double sum = 0;
    for (int which = 0; which < 2; which++) {
        const int step = which ? n->wide : 1;
        if (has_last(n, at, which)) sum += n->along[which][at - step] * (n->x[at] - n->x[at - step]);
        if (has_next(n, at, which)) sum += n->along[which][at] * (n->x[at] - n->x[at + step]);
    }
    return sum;
}

/* ---- the factorisation ------------------------------------------------------------------------------------------- */

/* Each node before passes on what it does not keep: to its other neighbour goes what would be filled in. */
static void pivots_make(const struct network *n, double *inverse)
{
    for (int at = 0; at < n->wide * n->lines; at++) {
        inverse[at] = 0;
        const double whole = sum_of(n, at);
        if (n->held[at] || !(whole > 0)) continue;
        double pivot = whole;
        for (int which = 0; which < 2; which++) {
            const int last = at - (which ? n->wide : 1);
            if (!has_last(n, at, which)) continue;
            const double g = joined(n, last, which), other = has_next(n, last, !which) ? joined(n, last, !which) : 0;
            pivot -= g * (g + kept * other) * inverse[last];
        }
        inverse[at] = 1 / (pivot > 1e-3 * whole ? pivot : whole);
    }
}

/* to = inverse(M) from, M = (D + L) inverse(D) (D + L'). */
static void precondition(const struct network *n, const double *inverse, const double *from, double *to)
{
    const int nodes = n->wide * n->lines;
    for (int at = 0; at < nodes; at++) {
        double sum = from[at];
        for (int which = 0; which < 2; which++) {
            const int last = at - (which ? n->wide : 1);
            if (has_last(n, at, which)) sum += joined(n, last, which) * to[last];
        }
        to[at] = sum * inverse[at];
    }
    for (int at = nodes - 1; at >= 0; at--) {
        double sum = 0;
        for (int which = 0; which < 2; which++)
            if (has_next(n, at, which)) sum += joined(n, at, which) * to[at + (which ? n->wide : 1)];
        to[at] += sum * inverse[at];
    }
}

/* ---- iterations -------------------------------------------------------------------------------------------------- */

static double product(const double *a, const double *b, int nodes)
{
    double sum = 0;
    for (int at = 0; at < nodes; at++) sum += a[at] * b[at];
    return sum;
}

/* What flows out of each node that is not held, of potentials that are 0 at those that are. */
static void image_make(const struct network *n, const double *of, double *to)
{
    struct network one = *n;
    one.x = (double *)of;
    for (int at = 0; at < n->wide * n->lines; at++) to[at] = n->held[at] ? 0 : network_current(&one, at);
}

static int iterate(struct network *n, struct work *w)
{
    const int nodes = n->wide * n->lines, most = 1000 + 20 * (n->wide + n->lines);
    for (int at = 0; at < nodes; at++)
        if (!n->held[at]) n->x[at] = 0;
    for (int at = 0; at < nodes; at++)
        w->residual[at] = n->held[at] ? 0 : (n->current ? n->current[at] : 0) - network_current(n, at);
    precondition(n, w->inverse, w->residual, w->better);
    double square = product(w->residual, w->better, nodes);
    const double enough = converged * square;
    for (int at = 0; at < nodes; at++) w->direction[at] = w->better[at];
    for (int times = 0; times < most && square > enough; times++) {
        image_make(n, w->direction, w->image);
        const double length = square / product(w->direction, w->image, nodes);
        for (int at = 0; at < nodes; at++)
            n->x[at] += length * w->direction[at], w->residual[at] -= length * w->image[at];
        precondition(n, w->inverse, w->residual, w->better);
        const double next = product(w->residual, w->better, nodes), share = next / square;
        square = next;
        for (int at = 0; at < nodes; at++) w->direction[at] = w->better[at] + share * w->direction[at];
    }
    SF_CHECK(!(square > 1e8 * enough), SF_INTERNAL, "potentials of %d x %d nodes do not converge", n->wide, n->lines);
    return SF_OK;
}

int network_solve(struct network *n)
{
    const size_t nodes = (size_t)n->wide * (size_t)n->lines;
    double *const memory = calloc(5 * nodes, sizeof *memory);
    SF_CHECK(memory, SF_MEMORY, "no memory for the potentials of %zu nodes", nodes);
    struct work w = {memory, memory + nodes, memory + 2 * nodes, memory + 3 * nodes, memory + 4 * nodes};
    pivots_make(n, w.inverse);
    const int rc = iterate(n, &w);
    free(memory);
    return rc;
}
