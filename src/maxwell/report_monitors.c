/* What `check` tells of monitors: the layers that a far field assumes, and the diffraction orders that travel.
 * SPDX-License-Identifier: MIT */
#include "maxwell/monitor_far.h"
#include "maxwell/monitor_orders.h"
#include "maxwell/own.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAYERS_SAID = 12, ORDERS_SAID = 9 };

/* ---- layers ---- */

static int is_same(const struct far_ground *q, int k, int other)
{
    return q->number[0][1][k] == q->number[0][1][other] && q->number[1][1][k] == q->number[1][1][other];
}

/* Cells k0 .. k1 - 1 of the column, which are of one medium. */
static void layer_print(char *text, size_t size, const struct far_ground *q, int k0, int k1)
{
    const struct paint_means e = paint_means(&q->paint, q->media, 0, (int)q->number[0][1][k0]),
                             h = paint_means(&q->paint, q->media, 1, (int)q->number[1][1][k0]);
    char extent[96], mu[48] = "";
    const int is_top = k1 == q->n, goes_down = k0 == q->first && q->floor == FAR_NO_IMAGE;
    if (is_top && goes_down) snprintf(extent, sizeof extent, "everywhere");
    else if (is_top) snprintf(extent, sizeof extent, "above z = %.6g m, without end", q->node[k0]);
    else if (goes_down) snprintf(extent, sizeof extent, "below z = %.6g m, without end", q->node[k1]);
    else
        snprintf(extent, sizeof extent, "%.6g m thick, z = %.6g to %.6g m", q->node[k1] - q->node[k0], q->node[k0],
                 q->node[k1]);
    if (h.inertia < 1 || h.inertia > 1) snprintf(mu, sizeof mu, ", mu_r %.6g", h.inertia);
    snprintf(text, size, "  %s: eps_r %.6g, sigma %.6g S/m%s%s", extent, e.inertia, e.loss, mu,
             e.has_poles ? ", and poles" : "");
}

static void ground_lines(const struct far_monitor *f, void (*line)(void *, const char *), void *to)
{
    const struct far_ground *const q = f->ground;
    char text[256];
    int said = 0;
    snprintf(text, sizeof text, "monitor %s: its far field is that over layers, from the top:", f->name);
    line(to, text);
    for (int k1 = q->n, k0; k1 > q->first; k1 = k0) {
        for (k0 = k1 - 1; k0 > q->first && is_same(q, k0 - 1, k1 - 1);) k0--;
        if (++said > LAYERS_SAID && k0 > q->first) continue;
        layer_print(text, sizeof text, q, k0, k1);
        line(to, text);
    }
    if (said > LAYERS_SAID + 1) {
        snprintf(text, sizeof text, "  and %d more above the last", said - LAYERS_SAID - 1);
        line(to, text);
    }
    if (q->floor == FAR_NO_IMAGE) return;
    snprintf(text, sizeof text, "  at z = %.6g m: %s", q->node[q->first],
             q->floor == FAR_ELECTRIC ? "a conductor" : "a magnetic conductor");
    line(to, text);
}

/* ---- orders ---- */

/* Orders along u and v whose waves travel at a frequency: sin theta < 1. */
static void orders_line(const struct orders_monitor *o, double frequency, void (*line)(void *, const char *), void *to)
{
    const double k = frequency * o->index / em_c;
    int most[2];
    for (int d = 0; d < 2; d++) most[d] = (int)(o->period[d] * k + fabs(o->shift[d]));
    char text[512], list[256] = "";
    int travel = 0, left_out = 0;
    size_t used = 0;
    for (int p = -most[0]; p <= most[0]; p++)
        for (int q = -most[1]; q <= most[1]; q++) {
            const double u = (p + o->shift[0]) / o->period[0], v = (q + o->shift[1]) / o->period[1];
            if (!(u * u + v * v < k * k)) continue;
            left_out += abs(p) > o->most[0] || abs(q) > o->most[1];
            if (travel++ < ORDERS_SAID)
                used += (size_t)snprintf(list + used, sizeof list - used, "%s(%d, %d)", used ? ", " : "", p, q);
        }
    const int end =
        snprintf(text, sizeof text, "monitor %s: at %.6g Hz %d order%s travel%s along %c and %c: %s%s", o->name,
                 frequency, travel, travel == 1 ? "" : "s", travel == 1 ? "s" : "", "xyz"[(o->normal + 1) % 3],
                 "xyz"[(o->normal + 2) % 3], list, travel > ORDERS_SAID ? ", ..." : "");
    if (left_out)
        snprintf(text + end, sizeof text - (size_t)end, "; %d of them are not in its file: raise orders, or cells",
                 left_out);
    line(to, text);
}

void monitors_report(const struct monitors *m, void (*line)(void *, const char *), void *to)
{
    for (int n = 0; n < m->nfar; n++)
        if (m->far[n]->ground) ground_lines(m->far[n], line, to);
    for (int n = 0; n < m->norders; n++) {
        orders_line(m->orders[n], m->frequency[0], line, to);
        if (m->nfrequencies > 1) orders_line(m->orders[n], m->frequency[m->nfrequencies - 1], line, to);
    }
}
