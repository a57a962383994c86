/* The EM model against what is known in closed form: resonances of a cavity, half space and slab at normal incidence.
 * SPDX-License-Identifier: MIT */
#include "command/verify_em_analytic.h"

#include "maxwell/maxwell.h"
#include "pipeline/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int em_result(const struct session *s, const char *file, const char *name, int n, double *out)
{
    for (int r = 0; r < s->in.nresults; r++) {
        const struct result *const of = &s->in.result[r];
        for (int v = 0; v < of->nvariables && !strcmp(of->file, file); v++) {
            int size = 1;
            for (int d = 0; d < of->variable[v].ndims; d++) size *= of->axis[of->variable[v].dim[d]].n;
            if (strcmp(of->variable[v].name, name) || size != n) continue;
            double **const to = calloc((size_t)of->nvariables, sizeof *to);
            SF_CHECK(to, SF_MEMORY, "no memory for %s in %s", name, file);
            to[v] = out;
            const int rc = of->fill(of, &s->state, to);
            free(to);
            return rc;
        }
    }
    SF_FAIL(SF_INTERNAL, "the case has no %d values %s in %s", n, name, file);
}

int em_finish(struct session *s, const char *name, int n, double *out)
{
    SF_TRY(verify_finish(s));
    return em_result(s, "flux.nc", name, n, out);
}

/* ---- cavity ---- */

static const double cavity_size[3] = {1.0, 0.8, 0.6};
static const int cavity_cells[3] = {20, 16, 12};

struct resonance {
    int mode[3];
};

/* f = c/2 sqrt(sum (m/L)^2), and that of the grid: sin^2(w dt/2) / (c dt)^2 = sum sin^2(k d/2) / d^2. */
static double cavity_frequency(const struct resonance *r, double dt)
{
    double exact = 0, sum = 0;
    for (int a = 0; a < 3; a++) {
        const double k = M_PI * r->mode[a] / cavity_size[a], d = cavity_size[a] / cavity_cells[a],
                     x = sin(k * d / 2) / d;
        exact += k * k, sum += x * x;
    }
    return dt > 0 ? asin(em_c0 * dt * sqrt(sum)) / (M_PI * dt) : em_c0 * sqrt(exact) / (2 * M_PI);
}

/* Amplitude of a record at a frequency, through the window of Blackman and Harris (sidelobes below -92 dB). */
static double record_tone(const double *record, int n, double cycles_a_step)
{
    double re = 0, im = 0;
    for (int m = 0; m < n; m++) {
        const double u = 2 * M_PI * (m + 0.5) / n, turn = 2 * M_PI * cycles_a_step * m;
        const double value = record[m] * (0.35875 - 0.48829 * cos(u) + 0.14128 * cos(2 * u) - 0.01168 * cos(3 * u));
        re += value * cos(turn), im -= value * sin(turn);
    }
    return hypot(re, im);
}

/* Where the amplitude is largest within a step of the record's resolution around `near`: golden sections. */
static double record_peak(const double *record, int n, double near)
{
    const double share = 0.6180339887498949;
    double low = near - 2.0 / n, high = near + 2.0 / n;
    double a = high - share * (high - low), b = low + share * (high - low);
    double at_a = record_tone(record, n, a), at_b = record_tone(record, n, b);
    while (high - low > 1e-4 / n) {
        if (at_a > at_b)
            high = b, b = a, at_b = at_a, a = high - share * (high - low), at_a = record_tone(record, n, a);
        else low = a, a = b, at_a = at_b, b = low + share * (high - low), at_b = record_tone(record, n, b);
    }
    return 0.5 * (low + high);
}

/* Three dipoles ring, whose charge is gone after the pulse; the sum of E at another point is recorded. */
static int cavity_record(struct session *s, int skip, int n, double *record)
{
    SF_TRY(session_advance(s, skip));
    for (int m = 0; m < n; m++) {
        SF_TRY(session_advance(s, 1));
        record[m] = 0;
        for (int c = 0; c < 3; c++) record[m] += (double)verify_line(s, F_EX + c, 11, 8)[14];
    }
    return SF_OK;
}

static int cavity_run(struct verify *v, struct session *s, double *record, int n)
{
    static const struct resonance modes[] = {{{1, 1, 0}}, {{1, 0, 1}}, {{0, 1, 1}},
                                             {{1, 1, 1}}, {{2, 1, 0}}, {{2, 0, 1}}};
    const int skip = 100;
    SF_TRY(verify_open(s, "&case name='cavity' model='maxwell' /\n"
                          "&grid nx=20 ny=16 nz=12 dx=0.05 dy=0.05 dz=0.05 /\n"
                          "&time duration=1e-4 /\n"
                          "&boundary west='pec' east='pec' south='pec' north='pec' bottom='pec' top='pec' /\n"
                          "&maxwell allow_coarse=.true. /\n"
                          "&source kind=3*'electric' axis='x','y','z' x=3*0.23 y=3*0.17 z=3*0.13\n"
                          "  waveform=3*'differentiated_gaussian' frequency=3*3.2e8 /\n"));
    SF_TRY(cavity_record(s, skip, n, record));
    for (int m = 0; m < (int)(sizeof modes / sizeof modes[0]); m++) {
        const struct resonance *const r = &modes[m];
        const double grid = cavity_frequency(r, s->dt), exact = cavity_frequency(r, 0);
        const double is = record_peak(record, n, grid * s->dt) / s->dt;
        const char *const name = verify_name("mode %d%d%d, MHz", r->mode[0], r->mode[1], r->mode[2]);
        verify_near(v, name, is / 1e6, exact / 1e6, 0.002 * exact / 1e6, "c/2 sqrt((m/a)^2 + (n/b)^2 + (p/d)^2)");
        verify_near(v, "the same against the resonance of the grid, MHz", is / 1e6, grid / 1e6, 2e-6 * grid / 1e6,
                    "discrete dispersion");
    }
    return SF_OK;
}

int verify_cavity(struct verify *v)
{
    const int n = 20000;
    struct session s = {0};
    double *const record = malloc((size_t)n * sizeof *record);
    SF_CHECK(record, SF_MEMORY, "no memory for a record of %d steps", n);
    const int rc = cavity_run(v, &s, record, n);
    session_close(&s);
    free(record);
    return rc;
}

/* ---- normal incidence ---- */

enum { BAND = 21 };

/* Slab of 0.1 m, thinner than a quarter of the shortest wave, or half a space; `cells` to the slab. */
struct layers {
    const char *name;
    double index;
    int is_slab;
};

static const double slab_thickness = 0.1;
static const double highest = 0.25; /* thickness over wavelength in vacuum */

static double slab_share(double index, double d)
{
    const double mismatch = (index * index - 1) / (2 * index), s = sin(2 * M_PI * index * d);
    return 1 / (1 + mismatch * mismatch * s * s);
}

/* Power through a plane behind, of a wave through one column of cells. A pulse without slow parts, and layers of small
 * alpha: below the frequency alpha / (2 pi eps0) an absorbing layer lets all come back. */
static int layers_run(struct session *s, const struct layers *l, int there, int cells, double *power)
{
    enum { LAYER = 20 };
    const double d = slab_thickness, dz = d / cells, top = em_c0 * highest / d;
    const double gap = 0.2 * d; /* from source to slab, and behind it to the plane */
    SF_TRY(verify_open(
        s,
        "&case name='layers' model='maxwell' /\n"
        "&grid nx=1 ny=1 nz=%d dx=%.17g dy=%.17g dz=%.17g origin_z=%.17g /\n"
        "&time duration=%.17g /\n"
        "&boundary west='periodic' east='periodic' south='periodic' north='periodic' /\n"
        "&cpml cells=%d alpha=0.001 /\n"
        "&maxwell allow_coarse=.true. /\n"
        "&medium name='glass' epsilon=%.17g /\n"
        "&geometry shape='%s' medium='glass' axis='z' z=%.17g size_z=%.17g /\n"
        "&source kind='electric' axis='x' z=%.17g waveform='modulated_gaussian' frequency=%.17g bandwidth=%.17g /\n"
        "&monitor name='behind' kind='flux' bottom=%.17g top=%.17g /\n"
        "&spectrum from=%.17g to=%.17g count=%d /\n",
        3 * cells + 2 * LAYER, dz, dz, dz, -d - LAYER * dz, 60 * d / em_c0, (int)LAYER, l->index * l->index,
        !there       ? "none"
        : l->is_slab ? "layer"
                     : "half_space",
        l->is_slab ? 0.5 * d : 0, d, -gap, 0.6 * top, 0.6 * top, d + gap, d + gap, 0.2 * top, top, BAND));
    return em_finish(s, "flux", BAND, power);
}

static int layers_error(const struct layers *l, int cells, double *worst, double *share)
{
    double power[2][BAND];
    for (int there = 0; there < 2; there++) {
        struct session s;
        const int rc = layers_run(&s, l, there, cells, power[there]);
        session_close(&s);
        SF_TRY(rc);
    }
    *worst = 0;
    for (int f = 0; f < BAND; f++) {
        const double wavelengths = highest * (0.2 + 0.8 * f / (BAND - 1));
        const double exact = l->is_slab ? slab_share(l->index, wavelengths) : 4 * l->index / pow(1 + l->index, 2);
        share[f] = power[1][f] / power[0][f];
        *worst = fmax(*worst, fabs(share[f] - exact));
    }
    return SF_OK;
}

static int layers_rows(struct verify *v, const struct layers *l)
{
    const int finest = (int)lround(40 * highest * l->index); /* 40 cells a wavelength in the medium */
    const int cells[3] = {finest / 4, finest / 2, finest};
    double worst[3], order[3] = {0}, share[BAND];
    for (int n = 0; n < 3; n++) {
        SF_TRY(layers_error(l, cells[n], &worst[n], share));
        if (n) order[n] = log(worst[n - 1] / worst[n]) / log((double)cells[n] / cells[n - 1]);
    }
    verify_most(v, verify_name("%s: largest error of the power behind", l->name), worst[2], 0.005,
                "40 cells a wavelength in it; incident = 1");
    verify_least(v, verify_name("%s: order, 20 to 40 cells a wavelength", l->name), order[2], 1.8, "second order");
    verify_show(v, verify_name("%s: order, 10 to 20 cells", l->name), order[1], 2, "second order");
    if (!l->is_slab) return SF_OK;
    verify_near(v, verify_name("%s, d = 0.1 wavelengths: transmission", l->name), share[5], slab_share(l->index, 0.1),
                0.005, "Airy's formula");
    verify_near(v, verify_name("%s, d = 0.25 wavelengths: transmission", l->name), share[BAND - 1], 1, 0.005,
                "Airy's formula");
    return SF_OK;
}

int verify_layers(struct verify *v)
{
    static const struct layers cases[] = {{"half space n 1.5", 1.5, 0}, {"half space n 2", 2, 0}, {"slab n 2", 2, 1}};
    for (int n = 0; n < (int)(sizeof cases / sizeof cases[0]); n++) SF_TRY(layers_rows(v, &cases[n]));
    return em_film_rows(v);
}
