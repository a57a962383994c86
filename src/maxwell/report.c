/* What `check` says of a case: wavelengths, layers, media, monitors. SPDX-License-Identifier: MIT */
#include "maxwell/layers.h"
#include "maxwell/material.h"
#include "maxwell/shell.h"
#include "maxwell/wire.h"

#include <math.h>
#include <stdio.h>

static void medium_line(const struct maxwell_own *own, int n, void (*line)(void *, const char *), void *to)
{
    char text[512];
    const struct medium *const m = &own->media.medium[n];
    const double largest = geometry_largest_cell(&own->geometry);
    if (m->stands_for) {
        snprintf(
            text, sizeof text,
            "                   in absorbing layers with its resonances damped, where waves along its surface would grow without bounds");
        line(to, text);
        return;
    }
    if (n == MEDIUM_PEC) snprintf(text, sizeof text, "  %-16.64s perfect conductor", m->name);
    else {
        int end = snprintf(text, sizeof text, "  %-16.64s eps_r %-8.4g mu_r %-8.4g sigma %-9.4g S/m", m->name,
                           m->epsilon, m->mu, m->sigma);
        if (m->npoles && own->highest > 0) {
            double of[2];
            medium_permittivity(m, own->highest, of);
            end += snprintf(text + end, sizeof text - (size_t)end, " and poles: %d, in all %.4g %+.4gi at %.4g Hz",
                            m->npoles, of[0], -of[1], own->highest);
        }
        if (own->highest > 0) /* there is a source */
            snprintf(text + end, sizeof text - (size_t)end, "   %.3g cells a wavelength at %.4g Hz",
                     medium_wavelength(m, own->highest) / largest, own->highest);
    }
    line(to, text);
    if (m->table) {
        snprintf(
            text, sizeof text,
            "                   fitted to %d lines of '%.200s', %.4g to %.4g Hz: %d Debye pole%s, off by %.3g %% at most (at %.4g Hz), %.3g %% rms",
            m->rows, m->table, m->lowest, m->highest, m->fit.npoles, m->fit.npoles == 1 ? "" : "s",
            100 * m->fit.largest, m->fit.worst, 100 * m->fit.rms);
        line(to, text);
    }
    if (!m->material) return;
    snprintf(text, sizeof text, "                   %s", m->material->source);
    line(to, text);
}

/* The price: more steps, and numbers of the media of H. */
static void cuts_line(const struct maxwell_own *own, double dt, void (*line)(void *, const char *), void *to)
{
    const struct maxwell_params *const p = &own->params;
    const struct cuts *const c = &own->cuts;
    const double whole = SF_MAX(dt, p->maxwell_courant * own->whole_limit), more = whole / dt;
    char text[512];
    snprintf(
        text, sizeof text,
        "conformal conductors, s = %g: %lld edges and %lld faces are cut, %lld of these have their area raised; steps of %.4g s where "
        "whole cells (conformal = 0) would take %.4g s: %.3g times as many; H has media of its own: on a GPU each step takes two passes",
        p->maxwell_conformal, c->edges, c->faces, c->raised, dt, whole, more);
    line(to, text);
}

/* Conductors whose surface does not follow the cells, where they are drawn in whole ones. */
static void stairs_line(const struct geometry *g, void (*line)(void *, const char *), void *to)
{
    int first = 0, stairs = 0;
    for (const struct solid *s = g->solid + g->nsolids; s-- > g->solid;)
        if (s->medium == MEDIUM_PEC && (s->round || s->off_low || s->off_high)) first = s->number + 1, stairs++;
    char text[256];
    if (!stairs || g->conformal > 0) return;
    snprintf(
        text, sizeof text,
        "conductors of whole cells: the surface of shape(%d)%s does not follow them, and is drawn as stairs; &maxwell conformal = 0.8 follows it",
        first, stairs > 1 ? " and others" : "");
    line(to, text);
}

/* As what a sheet acts: charge crowds at a rim, and a strip of n cells has the capacitance and the inductance of one
 * that is n + 2 x sqrt(2) / 4 cells wide, where cells across the rim are square. */
static void sheet_line(const struct geometry *g, const struct sheet *s, void (*line)(void *, const char *), void *to)
{
    static const double rim = 0.35355339;
    const double normal = geometry_size(&g->axis[s->axis], geometry_cell(&g->axis[s->axis], s->plane));
    char text[512];
    int end = snprintf(text, sizeof text, "sheet, shape(%d):", s->number + 1), any = 0;
    for (int a = 0; a < 3; a++) {
        const struct geometry_axis *const x = &g->axis[a];
        const int first = s->low[a], last = s->high[a] - 1, free = (first > 0) + (last < x->n);
        if (a == s->axis || !free || last <= first) continue;
        const double cell = geometry_size(x, first), wide = x->node[last] - x->node[first];
        const int square = cell > 0.99 * normal && cell < 1.01 * normal;
        end += snprintf(text + end, sizeof text - (size_t)end, "%s %d cells, %.6g m along %c", any ? ";" : "",
                        last - first, wide, "xyz"[a]);
        if (square)
            end += snprintf(text + end, sizeof text - (size_t)end, ", which act as %.6g m: %d free rim%s of %.4g cells",
                            wide + free * rim * cell, free, free > 1 ? "s" : "", rim);
        any = 1;
    }
    if (any) line(to, text);
}

/* Stairs have the area of all their steps: of a plane the sum of its normal's parts times its own. */
static void shells_lines(const struct geometry *g, void (*line)(void *, const char *), void *to)
{
    enum { SAID = 8 };
    char text[512], made[64];
    for (int n = 0; n < SF_MIN(g->nshells, SAID); n++) {
        const struct shell *const s = &g->shell[n];
        snprintf(made, sizeof made, s->triangles ? "%d triangles, " : "round, ", s->triangles);
        snprintf(
            text, sizeof text,
            "sheet, shape(%d): %s%s, %.5g m2; drawn as stairs of %lld faces of cells, %.5g m2 in all, which places it to half a "
            "cell: its errors are of first order",
            s->number + 1, made, s->is_closed ? "closed" : "open", s->area, s->faces, s->drawn);
        line(to, text);
    }
}

static void sheets_lines(const struct geometry *g, void (*line)(void *, const char *), void *to)
{
    enum { SAID = 8 };
    int said = 0;
    for (int n = 0; n < g->nsheets; n++) {
        int is_wire = 0;
        for (int m = 0; m < g->nwires; m++) is_wire |= g->wire[m].sheet == n;
        if (!is_wire && said++ < SAID) sheet_line(g, &g->sheet[n], line, to);
    }
}

/* Lumped elements and lumped ports: where they lie, and what their own cells add. */
static void lump_line(const struct geometry *g, const struct lump *l, void (*line)(void *, const char *), void *to)
{
    const double capacitance = em_eps0 * l->area / l->length;
    const int lines = (l->at.high[(l->axis + 1) % 3] - l->at.low[(l->axis + 1) % 3]) *
                      (l->at.high[(l->axis + 2) % 3] - l->at.low[(l->axis + 2) % 3]);
    char text[512], name[32];
    snprintf(
        text, sizeof text,
        "%s: along %c from %.6g to %.6g m, %d line%s of edges of %.4g m2 in all; cells of vacuum there have %.3g F beside it",
        lump_name(l, name), "xyz"[l->axis], g -> axis[l->axis].node[l->at.low[l->axis]],
        g->axis[l->axis].node[l->at.high[l->axis]], lines, lines > 1 ? "s" : "", l->area, capacitance);
    line(to, text);
}

/* Guides: their cut-off on the grid, and the impedance that waves are counted by. */
static void guide_line(const struct port *q, double dt, void (*line)(void *, const char *), void *to)
{
    double low = 0, high = 0.4 / dt;
    char text[512];
    for (int n = 0; n < 60; n++) { /* the least frequency that has a wave */
        const double middle = 0.5 * (low + high);
        if (port_wave(q, middle, dt) > 0) high = middle;
        else low = middle;
    }
    const int b = (q->mode.axis + 1) % 3, c = (q->mode.axis + 2) % 3;
    snprintf(
        text, sizeof text,
        "port %d: TE_%d,%d of a guide of %d x %d cells, normal to %c; cut-off at %.5g Hz, below which it has no waves",
        q->number, q->waves[b], q->waves[c], q->mode.high[b] - q->mode.low[b], q->mode.high[c] - q->mode.low[c],
        "xyz"[q->mode.axis], high);
    line(to, text);
}

/* Lines: what their potentials make of them. */
static void tem_line(const struct port *q, void (*line)(void *, const char *), void *to)
{
    const struct tem *const t = &q->tem;
    char text[512];
    snprintf(
        text, sizeof text,
        "port %d: a line of %d conductors, normal to %c; the signal is on that at (%.6g, %.6g, %.6g) m%s; Z0 %.5g ohm, epsilon_eff mu_eff %.5g, "
        "%.4g F and %.4g H a metre",
        q->number, t->conductors, "xyz"[q->mode.axis], t -> signal[0], t -> signal[1], t -> signal[2],
        t -> images > 1 ? ", with its mirror images" : "", t->impedance, t->index * t->index,
        t->images * em_eps0 * t->capacity, em_mu0 / (t->images * t->stiffness));
    line(to, text);
    if (!(t->cutoff > 0)) return;
    snprintf(text, sizeof text, "port %d: other modes travel on its line above %.5g Hz", q->number, t->cutoff);
    line(to, text);
}

static void ports_lines(const struct maxwell_own *own, double dt, void (*line)(void *, const char *), void *to)
{
    const struct ports *const p = own->ports;
    char text[128];
    for (int n = 0; n < own->geometry.nlumps; n++) lump_line(&own->geometry, &own->geometry.lump[n], line, to);
    for (int n = 0; p && n < p->n; n++)
        if (p->of[n].kind == PORT_GUIDE) guide_line(&p->of[n], dt, line, to);
        else if (p->of[n].kind == PORT_LINE) tem_line(&p->of[n], line, to);
    if (!p) return;
    snprintf(text, sizeof text, "ports: %d, of which number %d is driven; `sferic ports` drives one after the other",
             p->n, p->driven);
    line(to, text);
}

static void meshes_lines(const struct geometry *g, void (*line)(void *, const char *), void *to)
{
    char text[256];
    for (const struct solid *s = g->solid; s < g->solid + g->nsolids; s++) {
        if (!s->mesh) continue;
        snprintf(text, sizeof text,
                 "shape(%d): %d triangles around %.6g m3, x %.6g to %.6g, y %.6g to %.6g, z %.6g to %.6g m",
                 s->number + 1, s->mesh->n, s->mesh->volume, s->mesh->low[0], s->mesh->high[0], s->mesh->low[1],
                 s->mesh->high[1], s->mesh->low[2], s->mesh->high[2]);
        line(to, text);
    }
}

void maxwell_report(const struct instance *in, double dt, void (*line)(void *to, const char *text), void *to)
{
    const struct maxwell_own *const own = in->own;
    char text[512];
    snprintf(text, sizeof text, "Courant number %.4g of 1 (c dt sqrt(1/dx2 + 1/dy2 + 1/dz2) of the smallest cells)",
             dt / own->whole_limit);
    line(to, text);
    if (own->geometry.ncuts) cuts_line(own, dt, line, to);
    stairs_line(&own->geometry, line, to);
    sheets_lines(&own->geometry, line, to);
    shells_lines(&own->geometry, line, to);
    wires_report(&own->geometry, own->wire_share, line, to);
    meshes_lines(&own->geometry, line, to);
    ports_lines(own, dt, line, to);
    const double end = sources_end(own->source, own->ctx.nsources, own->incident);
    char over[40] = "without an end";
    if (isfinite(end)) snprintf(over, sizeof over, "over after %.4g s", end);
    snprintf(text, sizeof text, "sources: %d, %s; power above 1e-4 of its peak from %.4g to %.4g Hz; %s",
             own->ctx.nsources, own->incident ? "a plane wave" : "no plane wave", own->lowest, own->highest, over);
    line(to, text);
    if (own->bloch.is_there) bloch_report(own, line, to);
    if (in->may_end) {
        snprintf(text, sizeof text,
                 "ends when%s%s of &stop, at the latest at time%%duration = %.4g s, and then tells how far it was",
                 own->params.stop_energy > 0 ? " the energy" : "",
                 own->params.stop_probe > 0 ? own->params.stop_energy > 0 ? " or the probes are so low as those"
                                                                          : " the probes are so low as that"
                                            : " is so low as that",
                 in->config->time_duration);
        line(to, text);
    }
    if (in->way) line(to, in->way);
    line(to, "media:");
    for (int n = 0; n < own->media.n; n++)
        if (own->geometry.used[n] && !own->media.medium[n].stands_for) {
            medium_line(own, n, line, to);
            if (own->media.medium[n].in_layer) medium_line(own, own->media.medium[n].in_layer, line, to);
        }
    layers_report(own, dt, line, to);
    if (own->monitors) {
        snprintf(text, sizeof text, "monitors: %d boxes and planes of sums at %d frequencies, a sample every %d steps",
                 own->monitors->nparts, own->monitors->nfrequencies, own->monitors->every);
        line(to, text);
        monitors_report(own->monitors, line, to);
    }
}
