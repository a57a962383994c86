/* The plane wave over layers: what its tables are made of. SPDX-License-Identifier: MIT */
/* gcc makes fused operations of complex products where it takes real and imaginary parts as lanes, -ffp-contract=off or
 * not; a plane wave over layers has the bits of any compiler. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("no-tree-vectorize")
#endif

#include "maxwell/incident_parts.h"
#include "maxwell/monitor_far.h"
#include "maxwell/place.h"

#include "pipeline/error.h"
#include "pipeline/tables.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MOST = 1 << 16, PAIRS = 3, SPARE = 64, MARGIN = 6 };

static const double pi = 3.14159265358979323846;
#define PART 0x1p-24 /* of a step: places are whole ones of, so that their sums are exact wherever a level lies */
static const double faint = 1e-10; /* of the largest of its spectrum: left out */
static const double left = 1e-7; /* of the largest value, at the end of what the tables hold */

/* ---- Fourier's sums ---------------------------------------------------------------------------------------------- */

/* In place, n a power of two: x[m] exp(sign 2 pi i m q / n) over all m. turn: [n / 2] of exp(2 pi i m / n). */
static void fourier(double complex *x, int n, int sign, const double complex *turn)
{
    for (int m = 1, q = 0; m < n; m++) {
        int bit = n >> 1;
        for (; q & bit; bit >>= 1) q ^= bit;
        q |= bit;
        if (m < q) {
            const double complex other = x[m];
            x[m] = x[q], x[q] = other;
        }
    }
    for (int size = 2; size <= n; size *= 2)
        for (int from = 0; from < n; from += size)
            for (int m = 0; m < size / 2; m++) {
                const double complex one = turn[m * (n / size)], w = sign > 0 ? one : conj(one), a = x[from + m],
                                     b = w * x[from + m + size / 2];
                x[from + m] = a + b, x[from + m + size / 2] = a - b;
            }
}

static void turns(double complex *turn, int n)
{
    for (int m = 0; m < n / 2; m++) turn[m] = sfd_cos(2 * pi * m / n) + I * sfd_sin(2 * pi * m / n);
}

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
    table_free(in->store);
}

/* ---- the wave at its frequencies --------------------------------------------------------------------------------- */

/* Of every level of the box: spectra of E and H along x, y and z at `count` frequencies. */
struct spectra {
    int n, count, levels, base; /* samples of the waveform; the level of the first */
    double complex *value; /* [levels][E, H][x y z][count] */
    double slow[2]; /* s/m along x and y, towards where it comes from */
};

/* All levels at frequency number m, whose share of the waveform is `share`. */
static int frequency_take(const struct incident *in, const struct spectra *s, int m, double complex share,
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
        double complex *const to = s->value + (size_t)level * 6 * (size_t)s->count + m;
        if (at < 0 || at > stack.n) continue;
        const int cell = SF_MIN(at, stack.n - 1);
        const double complex e[2] = {size[0] * wave[0][0][at], size[1] * wave[1][0][at]},
                             h[2] = {size[0] * wave[0][1][cell], size[1] * wave[1][1][cell]};
        for (int a = 0; a < 2; a++) {
            const double along = unit[a], normal = a ? unit[0] : -unit[1];
            to[a * s->count] = e[0] * normal + e[1] * along;
            to[(3 + a) * s->count] = later * (h[0] * along + h[1] * normal);
        }
        to[2 * s->count] = size[1] * wave[1][2][cell];
        to[5 * s->count] = later * size[0] * wave[0][2][at];
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

/* The waveform's spectrum, to its last frequency that counts; then all levels at each. */
static int spectra_make(const struct incident *in, struct spectra *s)
{
    const int n = s->n;
    double complex *const x = malloc((size_t)n * 3 / 2 * sizeof *x), *memory = NULL, *wave[2][3];
    double most = 0;
    SF_CHECK(x, SF_MEMORY, "no memory for %d samples of the plane wave", n);
    turns(x + n, n);
    for (int m = 0; m < n; m++) x[m] = in->amplitude * waveform_value(&in->wave, m * in->dt);
    fourier(x, n, -1, x + n);
    for (int m = 0; m < n / 2; m++) most = fmax(most, cabs(x[m]));
    for (int m = 0; m < n / 2; m++)
        if (cabs(x[m]) > faint * most) s->count = m + 1;
    s->value = calloc((size_t)s->levels * 6 * (size_t)s->count, sizeof *s->value);
    int rc = s->value ? waves_alloc(in->over->ground->n, wave, &memory) : SF_MEMORY;
    for (int m = 0; m < s->count && !rc; m++)
        if (cabs(x[m]) > faint * most) rc = frequency_take(in, s, m, x[m], (double complex *const(*)[3])wave);
    free(memory);
    free(x);
    SF_CHECK(s->value, SF_MEMORY, "no memory for %d frequencies of the plane wave at %d levels", s->count, s->levels);
    return rc;
}

/* ---- in time ----------------------------------------------------------------------------------------------------- */

/* Values of component c of E and of H at a level, LINE_FINE to a step, into the tables' rows; *most, *end: the largest
 * of E, and of its last eighth. */
static void pair_take(const struct incident *in, const struct spectra *s, int level, int c, double complex *x,
                      const double complex *turn, int nodes, double *most, double *end)
{
    const int fine = LINE_FINE * s->n;
    const double complex *const e = s->value + ((size_t)level * 6 + (size_t)c) * (size_t)s->count, *const h =
                                                                                                       e + 3 * s->count;
    memset(x, 0, (size_t)fine * sizeof *x);
    x[0] = creal(e[0]) + I * creal(h[0]);
    for (int m = 1; m < s->count; m++) x[m] = e[m] + I * h[m], x[fine - m] = conj(e[m]) + I * conj(h[m]);
    fourier(x, fine, 1, turn);
    const ptrdiff_t from = LINE_FINE * (((ptrdiff_t)c * s->levels + level) * nodes + in->ahead);
    double *const to_e = in->store + from, *const to_h = to_e + 3 * (ptrdiff_t)in->length;
    for (int m = 0; m < fine; m++) {
        to_e[m] = creal(x[m]) / s->n, to_h[m] = cimag(x[m]) / s->n;
        *most = fmax(*most, fabs(to_e[m]));
        if (m >= fine / 8 * 7) *end = fmax(*end, fabs(to_e[m]));
    }
}

static int tables_make(struct incident *in, const struct spectra *s, int nodes, double *most, double *end)
{
    const size_t fine = (size_t)LINE_FINE * (size_t)s->n;
    table_free(in->store);
    in->length = LINE_FINE * nodes * s->levels;
    in->store = table_alloc(6 * (size_t)in->length * sizeof *in->store);
    double complex *const x = malloc(fine * 3 / 2 * sizeof *x);
    const int good = in->store && x;
    if (good) turns(x + fine, (int)fine);
    for (int level = 0; level < s->levels && good; level++)
        for (int c = 0; c < 3; c++) pair_take(in, s, level, c, x, x + fine, nodes, most, end);
    free(x);
    SF_CHECK(good, SF_MEMORY, "no memory for the plane wave at %d levels, %d steps", s->levels, s->n);
    return SF_OK;
}

static int places_set(struct incident *in, const struct spectra *s, int nodes)
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

int incident_layers_begin(struct incident *in)
{
    const struct far_monitor *const f = in->over;
    struct spectra s = {.levels = in->high[AZ] - in->low[AZ] + 3, .base = in->low[AZ] - 1};
    double low, high, k, most = 0, end = 1, wait = 0;
    waveform_band(&in->wave, 0.5, &low, &high);
    const double w = pi * (low + high);
    SF_TRY(incident_number(in, f->size, w, &k));
    for (int a = 0; a < 2; a++) {
        s.slow[a] = -in->k[a] * k / w;
        wait += fabs(s.slow[a]) * (in->high[a] - in->low[a] + 2) * f->size[a] / in->dt;
    }
    in->ahead = (int)wait + MARGIN, in->row = LINE_FINE;
    in->capacity = SF_MAX(in->capacity, SPARE);
    const double steps = waveform_end(&in->wave) / in->dt + 4.0 * s.levels;
    for (s.n = 256; s.n < 2 * steps;) s.n *= 2;
    int nodes = 0, rc = SF_OK;
    for (; !rc && end > left * most; s.n *= 2) {
        SF_CHECK(
            s.n <= POINTS_MOST, SF_NAMELIST,
            "&plane_wave: layers = .true., and the wave goes on in the layers for more than %g s: give it a waveform with "
            "less at frequency 0 ('ricker', 'modulated_gaussian'), or a shorter one, or what rings some loss",
            POINTS_MOST * in->dt / 2);
        SF_CHECK(
            (double)LINE_FINE * s.levels * (s.n + 2.0 * in->ahead + in->capacity + MARGIN) < 2e9, SF_NAMELIST,
            "&plane_wave: layers = .true. takes tables of %d levels and %d steps, which is too much: make its box lower",
            s.levels, s.n);
        nodes = s.n + 2 * in->ahead + in->capacity + MARGIN, most = end = 0, s.count = 1;
        in->quiet = s.n + in->ahead + 1;
        rc = spectra_make(in, &s);
        if (!rc) rc = tables_make(in, &s, nodes, &most, &end);
        free(s.value);
    }
    SF_TRY(rc);
    for (int a = 0; a < 3; a++) in->bend_e[a] = in->bend_h[a] = 1; /* any component may be there */
    return places_set(in, &s, nodes);
}

int incident_layers_prepare(struct incident *in, long step, int steps)
{
    if (steps > in->capacity) {
        in->capacity = steps;
        SF_TRY(incident_layers_begin(in));
    }
    in->table_e = in->store + LINE_FINE * (step < in->quiet ? step : in->quiet);
    in->table_h = in->table_e + 3 * (ptrdiff_t)in->length;
    return SF_OK;
}
