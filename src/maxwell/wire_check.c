/* What wires are not made for, and what `check` says of them. SPDX-License-Identifier: MIT */
#include "maxwell/conformal.h"
#include "maxwell/place.h"
#include "maxwell/shell.h"
#include "maxwell/wire.h"
#include "pipeline/complaint.h"
#include "pipeline/error.h"

#include <stdio.h>

enum { NEAR = 2, SAID = 8 }; /* cells that should be alike; wires that `check` tells of */

/* Cells within `wide` of the wire, of the domain. */
static void cells_near(const struct geometry *g, const struct wire *w, int wide, int low[3], int high[3])
{
    for (int a = 0; a < 3; a++) {
        low[a] = a == w->axis ? w->low : SF_MAX(w->at[a] - wide, 0);
        high[a] = a == w->axis ? w->high : SF_MIN(w->at[a] + wide, g->axis[a].n);
    }
}

/* In a layer, or with an edge beside it that ends there. */
static void layers_check(const struct geometry *g, const struct wire *w, const struct maxwell_params *p,
                         struct complaints *to)
{
    for (int side = 0; side < FACES; side++) {
        const int a = side / 2, high = side % 2, depth = high ? g->axis[a].n - w->at[a] : w->at[a];
        if (a == w->axis || side_of(p, a, high) != EM_CPML || depth > p->cpml_cells) continue;
        const double inner = g->axis[a].node[high ? g->axis[a].n - p->cpml_cells - 1 : p->cpml_cells + 1];
        sf_complain(
            to, "geometry%shape", w->number,
            "&geometry: shape(%d), a wire with a radius, lies in the absorbing layer at the %s side or touches it: its line "
            "must lie at %c = %.6g m or farther from that side; only along its axis may a wire run into a layer",
            w->number + 1, side_name(a, high), "xyz"[a], inner);
    }
}

static int cuts_check(struct geometry *g, const struct wire *w, struct complaints *to)
{
    int low[3], high[3], meets;
    cells_near(g, w, 1, low, high);
    SF_TRY(conformal_meets(g, low, high, &meets));
    if (meets)
        sf_complain(
            to, "geometry%shape maxwell%conformal", w->number,
            "&geometry: shape(%d), a wire with a radius, lies beside cells that a conductor cuts (maxwell%%conformal): let "
            "it end on a face that follows the cells, or set radius(%d) = 0",
            w->number + 1, w->number + 1);
    return SF_OK;
}

static int media_differ(const struct medium *a, const struct medium *b)
{
    return a->epsilon < b->epsilon || a->epsilon > b->epsilon || a->mu < b->mu || a->mu > b->mu ||
           a->sigma < b->sigma || a->sigma > b->sigma || a->npoles || b->npoles;
}

static int media_near(struct geometry *g, const struct wire *w, const struct media *m, const char **what)
{
    unsigned char used[MEDIA_MAX];
    int low[3], high[3], first = -1;
    cells_near(g, w, NEAR, low, high);
    SF_TRY(geometry_media_of(g, low, high, used));
    for (int n = 0; n < m->n; n++) {
        if (!used[n]) continue;
        if (n == MEDIUM_PEC) *what = "a conductor lies";
        else if (first >= 0 && media_differ(&m->medium[first], &m->medium[n])) *what = "an interface of media lies";
        else first = n;
    }
    return SF_OK;
}

/* Does a row of edges or a sheet come near it, and neither at its ends nor through one of its nodes? */
static int sheet_is_near(const struct wire *w, const struct sheet *s, int is_wire)
{
    int near = 1, crosses = is_wire;
    for (int a = 0; a < 3; a++) {
        const int first = a == s->axis ? s->plane : s->low[a], last = a == s->axis ? s->plane : s->high[a] - 1;
        const int wide = a == w->axis ? -1 : NEAR;
        const int low = (a == w->axis ? w->low : w->at[a]) - wide, high = (a == w->axis ? w->high : w->at[a]) + wide;
        near = near && first <= high && last >= low;
        crosses = crosses && (a == w->axis || (first <= w->at[a] && last >= w->at[a]));
    }
    return near && !crosses;
}

static const char *conductors_near(const struct geometry *g, const struct wire *w)
{
    const char *what = NULL;
    for (int n = 0; n < g->nsheets; n++) {
        int is_wire = 0;
        for (int m = 0; m < g->nwires; m++) is_wire |= g->wire[m].sheet == n;
        if (n != w->sheet && sheet_is_near(w, &g->sheet[n], is_wire))
            what = is_wire ? "another wire lies" : "a sheet lies";
    }
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        const int wide = a == w->axis ? -1 : NEAR;
        low[a] = (a == w->axis ? w->low : w->at[a]) - wide, high[a] = (a == w->axis ? w->high : w->at[a]) + wide;
    }
    return shells_meet(g, low, high) ? "a sheet lies" : what;
}

static const char *sides_near(const struct geometry *g, const struct wire *w, const struct maxwell_params *p)
{
    for (int side = 0; side < FACES; side++) {
        const int a = side / 2, high = side % 2, depth = high ? g->axis[a].n - w->at[a] : w->at[a];
        if (a != w->axis && side_of(p, a, high) == EM_PEC && depth < NEAR) return "a conducting side lies";
        if (a != w->axis && g->axis[a].periodic && g->axis[a].n < 2 * NEAR)
            return "its own image, across a periodic side, lies";
    }
    return NULL;
}

static int is_uneven(const struct geometry *g, const struct wire *w)
{
    int low[3], high[3], uneven = 0;
    cells_near(g, w, NEAR, low, high);
    for (int a = 0; a < 3; a++) {
        const double first = geometry_size(&g->axis[a], low[a]);
        for (int m = low[a]; m < high[a] && a != w->axis; m++)
            uneven |= __builtin_fabs(geometry_size(&g->axis[a], m) / first - 1) > 0.01;
    }
    return uneven;
}

static int wire_check(struct geometry *g, const struct wire *w, const struct media *m, const struct maxwell_params *p,
                      struct complaints *to)
{
    const char *near = NULL, *other;
    layers_check(g, w, p, to);
    SF_TRY(cuts_check(g, w, to));
    SF_TRY(media_near(g, w, m, &near));
    if ((other = conductors_near(g, w))) near = other;
    if ((other = sides_near(g, w, p))) near = other;
    if (near)
        sf_complain_mildly(
            to, "geometry%shape", w->number,
            "&geometry: shape(%d), a wire: %s within two cells of it, where its radius of %g m is not exact",
            w->number + 1, near, w->radius);
    if (is_uneven(g, w))
        sf_complain_mildly(
            to, "geometry%shape", w->number,
            "&geometry: shape(%d), a wire: cells across it differ, and its radius of %g m is not exact: use equal "
            "cells two to each side",
            w->number + 1, w->radius);
    return SF_OK;
}

int wires_check(struct geometry *g, const struct media *m, const struct maxwell_params *p, struct complaints *to)
{
    for (int n = 0; n < g->nwires; n++)
        if (g->wire[n].radius > 0) SF_TRY(wire_check(g, &g->wire[n], m, p, to));
    return SF_OK;
}

/* ---- what is told ------------------------------------------------------------------------------------------------ */

static void wire_line(const struct geometry *g, const struct wire *w, void (*line)(void *, const char *), void *to)
{
    const struct geometry_axis *const along = &g->axis[w->axis];
    const int b = (w->axis + 1) % 3, c = (w->axis + 2) % 3;
    const double radius = w->radius > 0 ? w->radius : w->own, cell = geometry_size(along, w->low);
    char text[512];
    int end = snprintf(text, sizeof text,
                       "wire, shape(%d): %d edges along %c from %.6g to %.6g m; radius %.4g m, that of the grid %.4g m",
                       w->number + 1, w->high - w->low, "xyz"[w->axis], along -> node[w->low], along -> node[w->high],
                       radius, w -> own);
    if (w->radius > 0)
        end += snprintf(text + end, sizeof text - (size_t)end, "; epsilon beside it times %.4g along %c, %.4g along %c",
                        (double)w->factor[b] / (double)(1ULL << WIRE_BITS), "xyz"[b],
                        (double)w -> factor[c] / (double)(1ULL << WIRE_BITS), "xyz"[c]);
    const double cubic = wire_own_radius(cell, cell) / w->own;
    if (cubic > 0.99 && cubic < 1.01)
        snprintf(text + end, sizeof text - (size_t)end,
                 "; an open end acts as if it lay %.2g cells, %.3g m, farther out", wire_end(radius, cell),
                 wire_end(radius, cell) * cell);
    line(to, text);
}

void wires_report(const struct geometry *g, double share, void (*line)(void *to, const char *text), void *to)
{
    char text[256];
    for (int n = 0; n < SF_MIN(g->nwires, SAID); n++) wire_line(g, &g->wire[n], line, to);
    if (g->nwires > SAID) {
        snprintf(text, sizeof text, "and %d more wires", g->nwires - SAID);
        line(to, text);
    }
    if (!g->nthin) return;
    snprintf(
        text, sizeof text,
        "thin wires leave %.3g of the longest step of the grid; H has media of its own: on a GPU each step takes two passes",
        share);
    line(to, text);
}
