/* What a run of monitors says of itself for those that take it as their reference: the facts of flux.nc by value, and
 * which keys of a namelist change them. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "maxwell/maxwell.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A plane wave along z in glass between periodic sides, a dipole, a guided mode, a plane and a box. */
static const char base[] =
    "&case model = 'maxwell' /\n&time duration = 1e-9 /\n&maxwell allow_coarse = .true. /\n"
    "&grid nx = 8, ny = 6, nz = 40, dx = 1e-3, dy = 2e-3, dz = 1e-3, origin_x = -4e-3 /\n&cpml cells = 5 /\n"
    "&boundary west = 'periodic', east = 'periodic', south = 'pec', north = 'pec' /\n"
    "&medium name = 'glass', epsilon = 2.25, mu = 1.5 /\n&geometry background = 'glass' /\n"
    "&source kind = 'electric', 'mode', axis = 'z', 'z', x = 1.2e-3, 0, y = 4e-3, 6e-3, z = 10.4e-3, 30e-3, amplitude = 3, 4, mode_m = 0, 0,\n"
    "        mode_n = 1, 1, waveform = 'ricker', 'gaussian', frequency = 5e9, 6e9 /\n"
    "&plane_wave direction = '+z', polarisation = 90, box = -1, 1, -1, 1, 8e-3, 32e-3, amplitude = -2, waveform = 'modulated_gaussian',\n"
    "            frequency = 7e9, bandwidth = 3e9, phase = 30, delay = 1e-10 /\n"
    "&monitor name = 'plane', 'box', kind = 'flux', 'flux_box', west = -1e9, -2e-3, east = 1e9, 3.1e-3, south = 2e-3, 4e-3, north = 1e9, 8e-3,\n"
    "         bottom = 20e-3, 15e-3, top = 20e-3, 25e-3 /\n&spectrum frequencies = 5e9, 6e9 /\n";

static struct session session;

static void case_open(const char *more)
{
    static char text[4096];
    snprintf(text, sizeof text, "%s%s", base, more);
    weather_open(&session, text);
}

static const struct result *flux_of(void)
{
    for (int n = 0; n < session.in.nresults; n++)
        if (!strcmp(session.in.result[n].file, "flux.nc")) return &session.in.result[n];
    cr_assert(0, "no flux.nc");
    return NULL;
}

static const struct result_fact *fact_of(const char *of, const char *name)
{
    const struct result *const r = flux_of();
    for (int n = 0; n < r->nfacts; n++)
        if (!strcmp(r->fact[n].of, of) && !strcmp(r->fact[n].name, name)) return &r->fact[n];
    cr_assert(0, "no %s of %s", name, of);
    return NULL;
}

static void numbers_are(const char *of, const char *name, const char *unit, int n, const double *value)
{
    const struct result_fact *const f = fact_of(of, name);
    cr_assert_eq(f->n, n, "%s of %s: %d numbers", name, of, f->n);
    cr_expect_str_eq(f->unit, unit, "%s of %s", name, of);
    for (int m = 0; m < n; m++)
        cr_expect_float_eq(f->value[m], value[m], 1e-12 * (1 + fabs(value[m])), "%s of %s, %d: %.12g, not %.12g", name,
                           of, m, f->value[m], value[m]);
}

static void number_is(const char *of, const char *name, const char *unit, double value)
{
    numbers_are(of, name, unit, 1, &value);
}

static void text_is(const char *of, const char *name, const char *text)
{
    cr_expect_str_eq(fact_of(of, name)->text, text, "%s of %s", name, of);
}

Test(reference, facts_by_value)
{
    case_open("");
    number_is("sources", "number", "1", 2);
    text_is("sources", "plane_wave", "yes");
    numbers_are("plane_wave", "direction", "1", 3, (const double[]){0, 0, 1});
    numbers_are("plane_wave", "polarisation", "1", 3, (const double[]){0, 1, 0});
    numbers_are("plane_wave", "box", "m", 6, (const double[]){-4e-3, 4e-3, 0, 12e-3, 8e-3, 32e-3});
    number_is("plane_wave", "amplitude", "V m-1", -2);
    number_is("plane_wave", "epsilon", "1", 2.25);
    number_is("plane_wave", "mu", "1", 1.5);
    text_is("plane_wave", "waveform", "modulated_gaussian");
    number_is("plane_wave", "frequency", "Hz", 7e9);
    number_is("plane_wave", "bandwidth", "Hz", 3e9);
    number_is("plane_wave", "phase", "degree", 30);
    number_is("plane_wave", "delay", "s", 1e-10);
    text_is("source_1", "kind", "electric");
    text_is("source_1", "drive", "current");
    text_is("source_1", "axis", "z");
    numbers_are("source_1", "position", "m", 3,
                (const double[]){1e-3, 4e-3, 10.5e-3}); /* of the edge along z that is nearest */
    number_is("source_1", "amplitude", "A m", 3);
    text_is("source_1", "waveform", "ricker");
    number_is("source_1", "frequency", "Hz", 5e9);
    number_is("source_1", "delay", "s", 4.75 / (3.14159265358979323846 * 5e9));
    text_is("source_2", "kind", "mode");
    numbers_are("source_2", "bounds", "m", 6, (const double[]){-4e-3, 4e-3, 0, 12e-3, 30e-3, 30e-3});
    numbers_are("source_2", "half_waves", "1", 2, (const double[]){0, 1});
    number_is("source_2", "amplitude", "A m-1", 4);
    text_is("monitor_plane", "kind", "flux");
    numbers_are("monitor_plane", "bounds", "m", 6, (const double[]){-4e-3, 4e-3, 2e-3, 12e-3, 20e-3, 20e-3});
    number_is("monitor_plane", "area", "m2", 8e-3 * 10e-3);
    text_is("monitor_box", "kind", "flux_box");
    numbers_are("monitor_box", "bounds", "m", 6, (const double[]){-2e-3, 3e-3, 4e-3, 8e-3, 15e-3, 25e-3});
    number_is("monitor_box", "area", "m2", 2 * (5e-3 * 4e-3 + 5e-3 * 10e-3 + 4e-3 * 10e-3));
    const struct result *const r = flux_of();
    static const char *const node[3] = {"x_f", "y_f", "z_f"};
    static const double first[3] = {-4e-3, 0, 0}, size[3] = {1e-3, 2e-3, 1e-3};
    static const int cells[3] = {8, 6, 40};
    for (int a = 0; a < 3; a++)
        for (int m = 0, seen = 0; m <= r->naxes; m++) {
            cr_assert(m < r->naxes || seen, "no %s", node[a]);
            if (m == r->naxes || strcmp(r->axis[m].name, node[a])) continue;
            seen = 1;
            cr_assert_eq(r->axis[m].n, cells[a] + 1);
            for (int q = 0; q <= cells[a];
                 q++) { /* a node's cell reaches half-way to the next, and no further than the domain */
                const double *const end = &r->axis[m].bounds[2 * q];
                cr_expect_float_eq(r->axis[m].value[q], first[a] + q * size[a], 1e-12);
                cr_expect_float_eq(end[0], first[a] + fmax(q - 0.5, 0) * size[a], 1e-12);
                cr_expect_float_eq(end[1], first[a] + fmin(q + 0.5, cells[a]) * size[a], 1e-12);
            }
        }
    session_close(&session);
}

/* All facts of the open case, as text. */
static void facts_print(char *to, size_t size)
{
    const struct result *const r = flux_of();
    size_t at = 0;
    for (int n = 0; n < r->nfacts && at < size; n++) {
        const struct result_fact *const f = &r->fact[n];
        at += (size_t)snprintf(to + at, size - at, "%s %s %s", f->of, f->name, f->text);
        for (int m = 0; m < f->n && at < size; m++) at += (size_t)snprintf(to + at, size - at, " %.9g", f->value[m]);
        at += at < size ? (size_t)snprintf(to + at, size - at, "\n") : 0;
    }
    cr_assert(at < size);
}

static char usual[8192], other[8192];

static void same(const char *more)
{
    case_open(more);
    facts_print(other, sizeof other);
    cr_expect_str_eq(other, usual, "%s", more);
    session_close(&session);
}

static void differs(const char *more)
{
    case_open(more);
    facts_print(other, sizeof other);
    cr_expect(strcmp(other, usual), "the same facts: %s", more);
    session_close(&session);
}

Test(reference, what_a_reference_may_have_of_its_own)
{
    case_open("");
    facts_print(usual, sizeof usual);
    session_close(&session);
    same("&time duration = 2e-9, output_interval = 1e-10 /\n");
    same(
        "&geometry shape = 'box', medium = 'pec', x = 0, y = 6e-3, z = 18e-3, size_x = 2e-3, size_y = 2e-3, size_z = 2e-3 /\n");
    same("&cpml cells = 6 /\n&pipeline threads = 1 /\n&spectrum every = 1 /\n");
    same("&output probe_x = 0, probe_y = 4e-3, probe_z = 15e-3 /\n");
    differs("&plane_wave amplitude = 1 /\n");
    differs("&plane_wave polarisation = 0, box = -1, 1, 2e-3, 10e-3, 8e-3, 32e-3 /\n");
    differs("&plane_wave direction = '-z' /\n");
    differs("&plane_wave box = -1, 1, -1, 1, 9e-3, 32e-3 /\n");
    differs("&plane_wave bandwidth = 2e9 /\n");
    differs("&plane_wave waveform = 'ricker' /\n");
    differs("&plane_wave phase = 0 /\n");
    differs("&geometry background = 'vacuum' /\n"); /* what the wave travels in */
}
