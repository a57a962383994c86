/* Layers from what the program knows of a case, and what comes back from them. SPDX-License-Identifier: MIT */
#include "maxwell/layers.h"

#include "maxwell/cpml_reflection.h"
#include "maxwell/place.h"
#include "pipeline/error.h"
#include "pipeline/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double accepted = 0.01; /* of the amplitude of a wave that meets a layer squarely: -40 dB */
static const double conductor_loss = 10,
                    conductor_depth = 7; /* loss tangent; nepers to the layer's end and back, -60 dB */
enum { CELLS_MOST = 100 }; /* as in params.def */

struct cpml_options layers_options(const struct maxwell_own *own)
{
    const struct maxwell_params *const p = &own->params;
    return (struct cpml_options){.order = p->cpml_order,
                                 .sigma_factor = p->cpml_sigma_factor,
                                 .kappa = p->cpml_kappa,
                                 .alpha = p->cpml_alpha,
                                 .alpha_order = p->cpml_alpha_order,
                                 .lowest = own->layer_lowest};
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

int layers_lines(struct maxwell_own *own, const struct grid *g, const int side[FACES], double dt)
{
    const struct maxwell_params *const p = &own->params;
    const struct cpml_options o = layers_options(own);
    const int n[3] = {g->nx, g->ny, g->nz};
    for (int a = 0; a < 3; a++) {
        double *edge = malloc(((size_t)n[a] + 1) * sizeof *edge);
        SF_CHECK(edge, SF_MEMORY, "no memory for %d cells of an axis", n[a]);
        for (int m = 0; m <= n[a]; m++) edge[m] = place_at(g, a, 1, m);
        struct cpml_face face[2];
        for (int high = 0; high < 2; high++)
            face[high] =
                (struct cpml_face){side[2 * a + high] == EM_CPML ? p->cpml_cells : 0, own->index[2 * a + high]};
        table_free(own->lines[a]);
        own->lines[a] = NULL;
        const int rc = axis_lines_make(&own->ctx.axis[a], &own->lines[a], n[a], edge, side[2 * a] == EM_PERIODIC, face,
                                       &o, a == AX ? CPML_VECTOR : 1, dt);
        free(edge);
        SF_TRY(rc);
    }
    return SF_OK;
}

/* Size of a cell of the layer at a face, the mean, m. */
static double layer_cell(const struct maxwell_own *own, int face)
{
    const struct axis_lines *const l = &own->ctx.axis[face / 2];
    const int cells = face % 2 ? l->high : l->low;
    double sum = 0;
    for (int m = 0; m < cells; m++) sum += l->size[face % 2 ? l->n - 1 - m : m];
    return cells ? sum / cells : 0;
}

static int layer_cells(const struct maxwell_own *own, int face)
{
    return face % 2 ? own->ctx.axis[face / 2].high : own->ctx.axis[face / 2].low;
}

/* A conductor in which nothing reaches the layer's end and comes back: how the layer is graded does not matter in
 * it. */
static int is_shut(const struct maxwell_own *own, const struct medium *m, double thickness)
{
    const double low = own->layer_lowest, high = own->layer_highest;
    return high > 0 && medium_loss(m, high) >= conductor_loss &&
           2 * thickness * medium_decay(m, low) >= conductor_depth;
}

/* What is in the layers where medium number n is before them. */
static const struct medium *medium_of(const struct maxwell_own *own, int n)
{
    const int other = own->media.medium[n].in_layer;
    return &own->media.medium[other ? other : n];
}

/* Geometric mean of the least and the largest index that waves at a face have. */
static double face_index(const struct maxwell_own *own, int face)
{
    const double thickness = layer_cells(own, face) * layer_cell(own, face);
    double least = 0, most = 0;
    for (int n = 0; n < own->media.n; n++) {
        const struct medium *const m = medium_of(own, n);
        if (n == MEDIUM_PEC || !own->face_medium[face][n] || is_shut(own, m, thickness)) continue;
        const double index = medium_index(m, __builtin_sqrt(own->layer_lowest * own->layer_highest));
        if (!(least > 0) || index < least) least = index;
        if (index > most) most = index;
    }
    return least < most ? __builtin_sqrt(least * most) : least > 0 ? least : 1;
}

/* Frequencies at which a spectrum has a quarter of its largest amplitude; of one that reaches down to 0 a twentieth of
 * the highest, since no layer absorbs what never swings. */
static void band_join(const struct waveform *w, double *lowest, double *highest)
{
    double low, high;
    waveform_band(w, 0.25, &low, &high);
    low = SF_MAX(low, high / 20);
    if (!(*lowest > 0) || low < *lowest) *lowest = low;
    if (high > *highest) *highest = high;
}

int layers_settle(struct maxwell_own *own, const struct grid *g, const int side[FACES], double dt, double spectrum)
{
    double low = 0, high = 0;
    for (int n = 0; n < own->ctx.nsources; n++) band_join(&own->source[n].wave, &low, &high);
    if (own->incident) band_join(incident_waveform(own->incident), &low, &high);
    if (spectrum > 0 && (!(low > 0) || spectrum < low)) low = spectrum;
    own->layer_lowest = low, own->layer_highest = high;
    for (int face = 0; face < FACES; face++) own->index[face] = face_index(own, face);
    return layers_lines(own, g, side, dt);
}

/* ---- what comes back --------------------------------------------------------------------------------------------- */

static double returned(const struct maxwell_own *own, int face, int cells, const struct medium *m, double frequency,
                       double sine2)
{
    const struct cpml_options o = layers_options(own);
    const struct cpml_face f = {cells, own->index[face]};
    double of[2]; /* a medium with poles reflects as one of that permittivity and loss */
    medium_permittivity(m, frequency, of);
    const double epsilon = m->npoles ? SF_MAX(of[0], 1) : m->epsilon,
                 sigma = m->npoles ? of[1] * 2 * 3.14159265358979323846 * frequency * em_eps0 : m->sigma;
    const struct cpml_wave w = {frequency, epsilon, m->mu, sigma, m->sigma_m, sine2};
    return cpml_reflection(&f, layer_cell(own, face), &o, own->ctx.dt, &w);
}

static double decibels(double share) { return 20 * log10(share > 1e-10 ? share : 1e-10); }

/* No more than the sources make, and than a wave of 10 cells has. */
static double highest_in(const struct maxwell_own *own, int face, const struct medium *m)
{
    return SF_MIN(own->layer_highest, em_c / (10 * medium_index(m, own->layer_highest) * layer_cell(own, face)));
}

static int counts(const struct maxwell_own *own, int face, int n)
{
    const double thickness = layer_cells(own, face) * layer_cell(own, face);
    return n != MEDIUM_PEC && own->face_medium[face][n] && !is_shut(own, medium_of(own, n), thickness);
}

/* The most cells of a layer that leave every axis one cell of its own. */
static int cells_fitting(const struct maxwell_own *own)
{
    int most = CELLS_MOST;
    for (int a = 0; a < 3; a++) {
        const struct axis_lines *const l = &own->ctx.axis[a];
        const int layers = (l->low > 0) + (l->high > 0);
        if (layers) most = SF_MIN(most, (l->n - 1) / layers);
    }
    return most;
}

struct worst {
    int face, medium;
    double frequency, share;
};

/* The most that comes back at a face from `cells` cells, of waves along its normal. */
static struct worst worst_of(const struct maxwell_own *own, int face, int cells)
{
    struct worst w = {.face = face};
    for (int n = 0; n < own->media.n; n++) {
        const struct medium *const m = medium_of(own, n);
        const double low = own->layer_lowest, high = highest_in(own, face, m);
        for (int f = 0; counts(own, face, n) && f < 3; f++) {
            if (f && high <= low) break;
            const double frequency = f == 0 ? low : f == 1 ? __builtin_sqrt(low * high) : high;
            const double share = returned(own, face, cells, m, frequency, 0);
            if (share > w.share) w = (struct worst){face, n, frequency, share};
        }
    }
    return w;
}

void layers_judge(const struct instance *in, const struct maxwell_own *own)
{
    struct worst w = {0};
    if (!(own->layer_highest > 0)) return;
    if (in->dt_fixed > in->dt_limit) return; /* it is told; with a step in bounds the layers may well do */
    for (int face = 0; face < FACES; face++) {
        if (!layer_cells(own, face)) continue;
        const struct worst here = worst_of(own, face, layer_cells(own, face));
        if (here.share > 1.001 * w.share) w = here; /* of sides that are alike the first */
    }
    if (!(w.share > accepted)) return;
    const int fitting = cells_fitting(own);
    int cells = layer_cells(own, w.face);
    double then = w.share;
    while (then > accepted && cells < CELLS_MOST) then = worst_of(own, w.face, ++cells).share;
    char advice[160];
    if (then <= accepted && cells > fitting)
        snprintf(advice, sizeof advice, "cells = %d would return %.0f dB, in a domain of more cells: %d fit this one",
                 cells, decibels(then), fitting);
    else if (then <= accepted)
        snprintf(advice, sizeof advice, "cells = %d would return %.0f dB", cells, decibels(then));
    else snprintf(advice, sizeof advice, "leave alpha, sigma_factor and kappa out, or end the domain in one medium");
    sf_complain_mildly(in->complaints, "cpml%cells cpml%alpha", -1,
                       "the absorbing layer at the %s side returns %.0f dB of waves of %.4g Hz in '%.64s': %s",
                       side_name(w.face / 2, w.face % 2), decibels(w.share), w.frequency,
                       medium_of(own, w.medium)->name, advice);
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

/* One layer and one medium. A near field: twice the layer's thickness from one crest to the next along it. */
static void face_text(const struct maxwell_own *own, int face, int n, char *text, size_t size)
{
    const struct medium *const m = medium_of(own, n);
    const struct cpml_options o = layers_options(own);
    const int cells = layer_cells(own, face);
    const double low = own->layer_lowest, high = SF_MAX(highest_in(own, face, m), low),
                 angle = 75 * 3.14159265358979323846 / 180;
    const double near = em_c / (high * medium_index(m, high) * 2 * cells * layer_cell(own, face));
    snprintf(
        text, size,
        "%d cells, index %.4g, alpha %.3g: %.0f dB of %.4g Hz come back in %.64s, %.0f of %.4g Hz; %.0f at 75 degrees, %.0f of near fields",
        cells, own->index[face], cpml_alpha(&o, layer_cell(own, face)), decibels(returned(own, face, cells, m, low, 0)),
        low, m->name, decibels(returned(own, face, cells, m, high, 0)), high,
        decibels(returned(own, face, cells, m, high, sin(angle) * sin(angle))),
        decibels(returned(own, face, cells, m, high, SF_MAX(near * near, 4))));
}

void layers_report(const struct maxwell_own *own, double dt, void (*line)(void *to, const char *text), void *to)
{
    (void)dt;
    if (!(own->layer_highest > 0)) return;
    for (int n = 0; n < own->media.n; n++) {
        int told[FACES] = {0};
        for (int face = 0; face < FACES; face++) {
            if (told[face] || !layer_cells(own, face) || !counts(own, face, n)) continue;
            char text[320], other[320], all[512];
            face_text(own, face, n, text, sizeof text);
            int end = snprintf(all, sizeof all, "layers");
            for (int f = face; f < FACES; f++) {
                if (!layer_cells(own, f) || !counts(own, f, n)) continue;
                face_text(own, f, n, other, sizeof other);
                if (strcmp(text, other)) continue;
                told[f] = 1;
                end += snprintf(all + end, sizeof all - (size_t)end, " %s", side_name(f / 2, f % 2));
            }
            snprintf(all + end, sizeof all - (size_t)end, ": %s", text);
            line(to, all);
        }
    }
}
