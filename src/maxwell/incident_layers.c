/* The plane wave over layers: what it is at its frequencies, and its tables of a pass. SPDX-License-Identifier: MIT */
/* gcc makes fused operations of complex products where it takes real and imaginary parts as lanes, -ffp-contract=off or
 * not; a plane wave over layers has the bits of any compiler. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("no-tree-vectorize")
#endif

#include "maxwell/incident_parts.h"
#include "maxwell/incident_sums.h"
#include "maxwell/monitor_far.h"
#include "maxwell/place.h"

#include "pipeline/error.h"
#include "pipeline/tables.h"
#include "pipeline/threads.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MOST = 1 << 16, SPARE = 64, MARGIN = 6 };

static const double pi = 3.14159265358979323846;
#define PART 0x1p-24 /* of a step: places are whole ones of, so that their sums are exact wherever a level lies */
static const double faint = 1e-10; /* of the largest of its spectrum: left out */
static const double left = 1e-7; /* of the largest value, at the end of what the tables hold */

/* ---- making ------------------------------------------------------------------------------------------------------ */

int incident_layers_make(struct incident *in, struct geometry *g, const struct media *media,
                         const struct maxwell_params *p)
{
    SF_CHECK(
        in->k[AZ] < -1e-3, SF_NAMELIST,
        "&plane_wave: layers = .true. is for a wave that comes from above: theta, where it travels, must be more than 90 "
        "degrees");
    SF_CHECK(waveform_end(&in->wave) < SFD_INF, SF_NAMELIST,
             "&plane_wave: layers = .true. needs a wave that ends: take another waveform than ramped_sine");
    SF_CHECK(side_of(p, AZ, 1) == EM_CPML, SF_NAMELIST,
             "&plane_wave: layers = .true., and the top of the domain is no absorbing layer: the space above is open");
    struct far_monitor *const f = in->over = calloc(1, sizeof *f);
    SF_CHECK(f, SF_MEMORY, "no memory for layers");
    f->name = "";
    snprintf(f->layers_of, sizeof f->layers_of, "&plane_wave: layers = .true.,");
    memcpy(f->low, in->low, sizeof f->low);
    memcpy(f->high, in->high, sizeof f->high);
    SF_TRY(far_ground_make(f, g, media, p));
    const double off = fabs(f->epsilon / in->eps - 1) + fabs(f->mu / in->mu - 1);
    SF_CHECK(
        off < 1e-9, SF_NAMELIST,
        "&plane_wave: layers = .true., and the highest layer, in which the wave comes, is not the background: give &geometry the "
        "background of the highest layer, and paint those below");
    for (int a = 0; a < 2; a++) {
        const struct axis_lines *const ax = &in->axis[a];
        f->size[a] = ax->size[in->low[a]];
        for (int m = in->low[a] - 1; m <= in->high[a]; m++)
            SF_CHECK(fabs(ax->size[m] / f->size[a] - 1) < 1e-6, SF_NAMELIST,
                     "&plane_wave: layers = .true. needs cells of one size along %c within the box and beside it",
                     "xy"[a]);
    }
    return SF_OK;
}

void incident_layers_free(struct incident *in)
{
    if (!in->over) return;
    far_ground_free(in->over->ground);
    free(in->over);
    if (in->sums) stack_sums_free(in->sums);
    free(in->sums);
    table_free(in->store);
}

/* ---- the wave at its frequencies --------------------------------------------------------------------------------- */

/* All levels at frequency number m, whose share of the waveform is `share`. */
static int frequency_take(const struct incident *in, struct stack_sums *s, int m, double complex share,
                          double complex *const wave[2][3])
{
    const struct far_monitor *const f = in->over;
    const struct far_ground *const q = f->ground;
    /* the lowest stands for its limit, where equations of a layer divide 0 by 0 */
    const double w = 2 * pi * (m ? m : 1e-3) / (s->n * in->dt), swing = 2 * sfd_sin(0.5 * w * in->dt) / in->dt,
                 index = sqrt(in->eps * in->mu) / em_c;
    double k[2], unit[2] = {-in->round[0], -in->round[1]};
    for (int a = 0; a < 2; a++) k[a] = 2 * sfd_sin(0.5 * w * s->slow[a] * f->size[a]) / f->size[a];
    const double across = sqrt(k[0] * k[0] + k[1] * k[1]), square = swing * swing * index * index - across * across,
                 half = 0.5 * sqrt(square) * f->size[AZ];
    if (!(square > 0) || !(half < 1)) return SF_OK; /* far above the band: the grid carries none */
    if (across > 1e-9 * sqrt(square))
        for (int a = 0; a < 2; a++) unit[a] = k[a] / across;
    struct far_stack stack;
    double complex *memory = NULL;
    const int rc = far_ground_at(q, w / (2 * pi), in->dt, &stack, &memory);
    for (int is_tm = 0; is_tm < 2 && !rc; is_tm++)
        far_stack_wave(&stack, is_tm, swing, across, sqrt(square), 2 * asin(half) / f->size[AZ], q->node[in->high[AZ]],
                       wave[is_tm]);
    free(memory);
    SF_TRY(rc);
    const double complex size[2] = {-in->turn[1] * share, in->turn[0] * share};
    const double angle = w * in->dt;
    const double complex later = sfd_cos(angle) + I * sfd_sin(angle); /* H of the same row of a table */
    for (int level = 0; level < s->levels; level++) {
        const int at = level + s->base - q->first;
        if (at < 0 || at > stack.n) continue;
        const int cell = SF_MIN(at, stack.n - 1);
        const double complex e[2] = {size[0] * wave[0][0][at], size[1] * wave[1][0][at]},
                             h[2] = {size[0] * wave[0][1][cell], size[1] * wave[1][1][cell]};
        for (int a = 0; a < 2; a++) {
            const double along = unit[a], normal = a ? unit[0] : -unit[1];
            stack_sums_put(s, level, a, m, e[0] * normal + e[1] * along);
            stack_sums_put(s, level, 3 + a, m, later * (h[0] * along + h[1] * normal));
        }
        stack_sums_put(s, level, 2, m, size[1] * wave[1][2][cell]);
        stack_sums_put(s, level, 5, m, later * size[0] * wave[0][2][at]);
    }
    return SF_OK;
}

static int waves_alloc(int n, double complex *wave[2][3], double complex **memory)
{
    *memory = calloc(6 * ((size_t)n + 1), sizeof **memory);
    SF_CHECK(*memory, SF_MEMORY, "no memory for the plane wave at %d levels", n);
    for (int m = 0; m < 6; m++) wave[m / 3][m % 3] = *memory + (size_t)m * ((size_t)n + 1);
    return SF_OK;
}

/* The waveform's spectrum, from its first frequency that counts to its last; then all levels at each. x: [3 n / 2]. */
static int spectra_take(const struct incident *in, struct stack_sums *s, double complex *x)
{
    const int n = s->n;
    double complex *memory = NULL, *wave[2][3];
    double most = 0;
    int last = 0;
    for (int m = 0; m < n; m++) x[m] = in->amplitude * waveform_value(&in->wave, m * in->dt);
    stack_fourier(x, n, -1);
    for (int m = 0; m < n / 2; m++) most = fmax(most, cabs(x[m]));
    for (int m = n / 2 - 1; m >= 0; m--)
        if (cabs(x[m]) > faint * most) s->first = m, last = SF_MAX(last, m);
    s->count = last - s->first + 1;
    SF_TRY(stack_sums_alloc(s));
    int rc = waves_alloc(in->over->ground->n, wave, &memory);
    for (int m = s->first; m <= last && !rc; m++)
        if (cabs(x[m]) > faint * most) rc = frequency_take(in, s, m, x[m], (double complex *const(*)[3])wave);
    free(memory);
    return rc;
}

static int spectra_make(const struct incident *in, struct stack_sums *s)
{
    double complex *const x = malloc((size_t)s->n * 3 / 2 * sizeof *x);
    SF_CHECK(x, SF_MEMORY, "no memory for %d samples of the plane wave", s->n);
    const int rc = spectra_take(in, s, x);
    free(x);
    return rc;
}

/* ---- in time ----------------------------------------------------------------------------------------------------- */

static int window_nodes(const struct incident *in) { return in->ahead + in->beyond + in->capacity; }

static int places_set(struct incident *in, const struct stack_sums *s, int nodes)
{
    for (int a = 0; a < 3; a++) {
        const int n = in->axis[a].n;
        if (!in->place[a]) in->place[a] = table_alloc((2 * (size_t)n + 1) * sizeof *in->place[a]); /* faces know it */
        SF_CHECK(in->place[a], SF_MEMORY, "no memory for the places of %d cells", n);
        const double corner = place_at(in->grid, a, 1, in->k[a] < 0 ? in->high[a] : in->low[a]);
        for (int m = 0; m <= 2 * n; m++) { /* how much later, steps; levels, one behind the other */
            const double late = s->slow[a == AZ ? 0 : a] * (place_at(in->grid, a, m % 2 == 0, m / 2) - corner) / in->dt;
            in->place[a][m] = a == AZ ? (double)(m / 2 - s->base) * nodes : floor(late / PART + 0.5) * PART;
        }
    }
    return SF_OK;
}

/* The tables of `capacity` steps: how long they are, and where places read them. */
static int window_set(struct incident *in)
{
    const struct stack_sums *const s = in->sums;
    const int nodes = window_nodes(in);
    table_free(in->store);
    in->from = in->until = 0;
    in->store = NULL;
    SF_CHECK(
        (double)LINE_FINE * s->levels * nodes < 2e9, SF_NAMELIST,
        "&plane_wave: layers = .true. takes tables of %d levels and %d steps, which is too much: make its box smaller",
        s->levels, nodes);
    in->length = LINE_FINE * nodes * s->levels;
    return places_set(in, s, nodes);
}

static size_t store_size(const struct incident *in) { return 6 * (size_t)in->length * sizeof *in->store; }

size_t incident_layers_size(const struct incident *in) { return in->store ? 0 : store_size(in); }

/* The tables hold steps [from, until) of the places' own time: those that are to come, and as many as are still there
 * of what was. */
static void window_move(struct incident *in, long from)
{
    const int nodes = window_nodes(in);
    const ptrdiff_t kept = from >= in->from && from < in->until ? in->until - from : 0,
                    row = LINE_FINE * (ptrdiff_t)nodes;
    double *table[6];
    for (int c = 0; c < 6; c++) table[c] = in->store + c * (ptrdiff_t)in->length + LINE_FINE * kept;
    for (int level = 0; kept && level < 6 * in->sums->levels; level++) {
        double *const to = in->store + level * row;
        memmove(to, to + LINE_FINE * (from - in->from), (size_t)(LINE_FINE * kept) * sizeof *to);
    }
    in->from = from, in->until = from + nodes;
    stack_sums_take(in->sums, from - in->ahead + kept, in->until - in->ahead, table, row, threads_decided());
}

int incident_layers_begin(struct incident *in)
{
    const struct far_monitor *const f = in->over;
    if (!in->sums) in->sums = calloc(1, sizeof *in->sums);
    struct stack_sums *const s = in->sums;
    SF_CHECK(s, SF_MEMORY, "no memory for the plane wave");
    s->levels = in->high[AZ] - in->low[AZ] + 3, s->base = in->low[AZ] - 1;
    double low, high, k, wait = 0, edge = 0;
    waveform_band(&in->wave, 0.5, &low, &high);
    const double w = pi * (low + high);
    SF_TRY(incident_number(in, f->size, w, &k));
    for (int a = 0; a < 2; a++) {
        s->slow[a] = -in->k[a] * k / w;
        const double cell = fabs(s->slow[a]) * f->size[a] / in->dt;
        wait += (in->high[a] - in->low[a] + 2) * cell, edge += 2 * cell;
    }
    in->ahead = (int)wait + MARGIN, in->beyond = (int)edge + MARGIN, in->row = LINE_FINE;
    const double steps = waveform_end(&in->wave) / in->dt + 4.0 * s->levels;
    int faded = 0;
    for (s->n = 256; s->n < 2 * steps;) s->n *= 2;
    for (;; s->n *= 2) {
        SF_CHECK(
            s->n <= POINTS_MOST, SF_NAMELIST,
            "&plane_wave: layers = .true., and the wave goes on in the layers for more than %g s: give it a waveform with "
            "less at frequency 0 ('ricker', 'modulated_gaussian'), or a shorter one, or what rings some loss",
            POINTS_MOST * in->dt / 2);
        stack_sums_free(s);
        SF_TRY(spectra_make(in, s));
        SF_TRY(stack_sums_fade(s, left, &faded));
        if (faded) break;
    }
    in->quiet = s->n + in->ahead + 1;
    for (int a = 0; a < 3; a++) in->bend_e[a] = in->bend_h[a] = 1; /* any component may be there */
    in->capacity = SF_MAX(in->capacity, SPARE);
    return window_set(in);
}

int incident_layers_prepare(struct incident *in, long step, int steps)
{
    if (steps > in->capacity) {
        in->capacity = steps;
        SF_TRY(window_set(in));
    }
    if (!in->store) in->store = table_alloc(store_size(in));
    SF_CHECK(in->store, SF_MEMORY, "no memory for the plane wave at %d levels", in->sums->levels);
    const long at = step < in->quiet ? step : in->quiet;
    if (at < in->from || at + steps + in->ahead + in->beyond > in->until) window_move(in, at);
    in->table_e = in->store + LINE_FINE * (at - in->from);
    in->table_h = in->table_e + 3 * (ptrdiff_t)in->length;
    return SF_OK;
}
