/* What media that disperse return and let through, in a line: a half space of water against Fresnel's formula, slabs of
 * a metal and of a resonant dielectric against that of a film.
 *
 * A sheet of current sends a pulse up the line. The same line without the medium gives the wave that comes: what
 * returns is the difference in front of the medium, and what is let through the ratio behind it.
 * SPDX-License-Identifier: MIT */
#include "command/verify_em.h"
#include "command/verify_em_analytic.h"

#include "maxwell/own.h"
#include "pipeline/error.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

enum {
    FREQUENCIES = 5,
    BEFORE = 160,
    SOURCE = 60,
    FRONT = 120,
    LAYER = 20
}; /* cells: to the medium, to the source, to what is seen */

struct line {
    const char *medium; /* keys of the medium 'matter' */
    double cell, frequency, duration; /* m, Hz of a ricker's peak, s */
    int thick, behind; /* cells of the medium, and beyond it */
    double at[FREQUENCIES]; /* Hz */
};

/* E in front of the medium and behind it, as spectra. */
struct seen {
    double complex front[FREQUENCIES], behind[FREQUENCIES];
    double epsilon[FREQUENCIES][2]; /* of the medium */
};

static int line_run(struct session *s, const struct line *l, int filled, struct seen *x)
{
    const int nz = BEFORE + l->thick + l->behind;
    SF_TRY(verify_open(s,
                       "&case name='dispersion' model='maxwell' /\n"
                       "&grid nx=1 ny=1 nz=%d dx=%.9g dy=%.9g dz=%.9g /\n"
                       "&time duration=%.9g /\n"
                       "&maxwell allow_coarse=true /\n"
                       "&cpml cells=%d /\n"
                       "&boundary west='periodic' east='periodic' south='periodic' north='periodic' /\n"
                       "%s\n"
                       "&geometry shape='layer' medium='%s' axis='z' z=%.9g size_z=%.9g /\n"
                       "&source kind='electric' axis='x' z=%.9g waveform='ricker' frequency=%.9g /\n",
                       nz, l->cell, l->cell, l->cell, l->duration, LAYER, l->medium, filled ? "matter" : "vacuum",
                       (BEFORE + 0.5 * l->thick) * l->cell, l->thick * l->cell, SOURCE * l->cell, l->frequency));
    const struct maxwell_own *const own = s->in.own;
    const double dt = own->ctx.dt;
    *x = (struct seen){.front = {0}};
    for (int f = 0; f < FREQUENCIES; f++)
        medium_permittivity(&own->media.medium[MEDIUM_GIVEN], l->at[f], x->epsilon[f]);
    for (long n = 1; session_steps_left(s) > 0; n++) {
        SF_TRY(session_advance(s, 1));
        const double front = (double)verify_line(s, F_EX, 0, FRONT)[0],
                     behind = (double)verify_line(s, F_EX, 0, BEFORE + l->thick + l->behind / 3)[0];
        for (int f = 0; f < FREQUENCIES; f++) {
            const double complex phase = cexp(-2 * 3.14159265358979323846 * I * l->at[f] * (double)n * dt);
            x->front[f] += front * phase, x->behind[f] += behind * phase;
        }
    }
    return SF_OK;
}

static int line_compare(const struct line *l, struct seen *is, struct seen *empty)
{
    for (int filled = 0; filled < 2; filled++) {
        struct session s;
        const int rc = line_run(&s, l, filled, filled ? is : empty);
        session_close(&s);
        SF_TRY(rc);
    }
    return SF_OK;
}

/* What a film of so many m returns and lets through, of amplitude, at normal incidence. */
static void film(const double epsilon[2], double thickness, double frequency, double *returned, double *through)
{
    const double complex n = csqrt(epsilon[0] - I * epsilon[1]), r = (1 - n) / (1 + n);
    const double complex once = cexp(-2 * 3.14159265358979323846 * I * frequency / em_c0 * n * thickness);
    *returned = cabs(r * (1 - once * once) / (1 - r * r * once * once));
    *through = cabs((1 - r * r) * once / (1 - r * r * once * once));
}

/* Largest errors of amplitudes over all frequencies, of the wave that comes. */
static int film_errors(const struct line *l, double *returned, double *through)
{
    struct seen is, empty;
    SF_TRY(line_compare(l, &is, &empty));
    *returned = *through = 0;
    for (int f = 0; f < FREQUENCIES; f++) {
        double r, t;
        film(is.epsilon[f], l->thick * l->cell, l->at[f], &r, &t);
        *returned = fmax(*returned, fabs(cabs((is.front[f] - empty.front[f]) / empty.front[f]) - r));
        *through = fmax(*through, fabs(cabs(is.behind[f] / empty.behind[f]) - t));
    }
    return SF_OK;
}

/* Power that water of Kaatze (1989) returns, by Fresnel's formula. */
static int water_rows(struct verify *v)
{
    static const double known[FREQUENCIES] = {.635098305, .634245363, .625287182, .602185146, .521667369};
    const struct line l = {.medium = "&medium name='matter' material='water' /",
                           .cell = 5e-5,
                           .frequency = 20e9,
                           .duration = 4e-10,
                           .thick = 240,
                           .behind = 60,
                           .at = {1e9, 3e9, 10e9, 20e9, 50e9}};
    struct seen is, empty;
    SF_TRY(line_compare(&l, &is, &empty));
    for (int f = 0; f < FREQUENCIES; f++)
        verify_near(v, verify_name("water, %g GHz: power that returns", l.at[f] / 1e9),
                    pow(cabs((is.front[f] - empty.front[f]) / empty.front[f]), 2), known[f], f < 4 ? 1e-3 : 5e-3,
                    "Fresnel");
    return SF_OK;
}

static int film_rows(struct verify *v, const char *what, struct line l, double tolerance)
{
    double returned[2], through[2];
    for (int fine = 0; fine < 2; fine++) {
        SF_TRY(film_errors(&l, &returned[fine], &through[fine]));
        l.cell /= 2, l.thick *= 2, l.behind *= 2;
    }
    verify_most(v, verify_name("%s: error of what returns", what), returned[0], tolerance,
                "film; of the wave that comes");
    verify_most(v, verify_name("%s: error of what is let through", what), through[0], tolerance, "film");
    verify_least(v, "order, of what returns", log2(returned[0] / returned[1]), 1.8, "2, with half the cells");
    verify_least(v, "order, of what is let through", log2(through[0] / through[1]), 1.8, "2, with half the cells");
    return SF_OK;
}

int verify_dispersion(struct verify *v)
{
    SF_TRY(water_rows(v));
    /* omega d / c = 2, 40 cells to the wavelength of 10 GHz, the plasma's frequency. */
    const double plasma = 2 * 3.14159265358979323846 * 10e9, thickness = 2 * em_c0 / plasma;
    char medium[256];
    snprintf(medium, sizeof medium,
             "&medium name='matter' /\n&pole medium='matter' kind='drude' omega=%.17g gamma=%.17g /", plasma,
             0.1 * plasma);
    const struct line metal = {.medium = medium,
                               .cell = thickness / 13,
                               .frequency = 10e9,
                               .duration = 4e-9,
                               .thick = 13,
                               .behind = 120,
                               .at = {4e9, 7e9, 10e9, 13e9, 17e9}};
    SF_TRY(film_rows(v, "slab of a Drude metal", metal, 0.01));
    const struct line glass = {
        .medium = "&medium name='matter' epsilon=2.25 /\n"
                  "&pole medium='matter' kind='lorentz' strength=0.5 omega=1.2566370614e11 gamma=1.2566370614e10 /",
        .cell = 2.5e-4,
        .frequency = 15e9,
        .duration = 3e-9,
        .thick = 20,
        .behind = 120,
        .at = {5e9, 10e9, 15e9, 20e9, 25e9}};
    return film_rows(v, "slab of a Lorentz dielectric", glass, 0.01);
}
