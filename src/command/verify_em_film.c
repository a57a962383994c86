/* The EM model's films: what a layer that is thinner than a cell, or ends between nodes, reflects at normal incidence.
 *
 * By Airy's formula a film of index n and thickness d reflects R = X^2 / (1 + X^2) of the power, X = (n^2 - 1) / (2 n)
 * sin(n k d). On the grid the edges along it have its share of their cells, so what counts is the integral of epsilon -
 * 1: a film whose share is right has n k d in place of the sine, where it lies about one node. About two nodes, a cell
 * apart, it is off by less the other way. So X is right to (n k dx)^2 / 6, and R to twice that.
 *
 * A film that conducts, thin against its skin depth, is a sheet of conductance G = sigma d: R = (g / (1 + g))^2, g = G
 * eta0 / 2. SPDX-License-Identifier: MIT */
#include "command/verify_em_analytic.h"

#include "pipeline/error.h"

#include <math.h>

/* Thickness and middle in cells, the middle from a node; n and S/m. */
struct film {
    double thickness, middle, index, sigma;
};

#define FILM_INDEX 3.5

enum { CELLS = 40 }; /* a wavelength in a film of that index */

/* Power that comes back, and that goes through. */
static int film_run(struct session *s, const struct film *of, double power[2])
{
    const double d = 1e-3, f = em_c0 / (FILM_INDEX * CELLS * d), node = 60;
    SF_TRY(verify_open(
        s,
        "&case name='film' model='maxwell' /\n"
        "&grid nx=1 ny=1 nz=120 dx=1e-3 dy=1e-3 dz=1e-3 /\n"
        "&time duration=%.9g /\n"
        "&boundary west='periodic' east='periodic' south='periodic' north='periodic' /\n"
        "&cpml cells=20 /\n"
        "&maxwell allow_coarse=.true. /\n"
        "&medium name='glass' epsilon=%.17g sigma=%.17g /\n"
        "&geometry shape='%s' medium='glass' axis='z' z=%.17g size_z=%.17g /\n"
        "&plane_wave direction='+z' box=-1,1,-1,1,0.04,0.08 waveform='modulated_gaussian' frequency=%.9g bandwidth=%.9g /\n"
        "&monitor name='back','through' kind=2*'flux' bottom=0.03,0.07 top=0.03,0.07 /\n"
        "&spectrum frequencies=%.9g /\n",
        10 / f, of->index * of->index, of->sigma, of->thickness > 0 ? "layer" : "none", (node + of->middle) * d,
        of->thickness * d, f, 0.75 * f, f));
    return em_finish(s, "flux", 2, power);
}

static int film_reflection(const struct film *of, double *reflection)
{
    const struct film none = {0, 0, 1, 0};
    double power[2][2];
    for (int there = 0; there < 2; there++) {
        struct session s;
        const int rc = film_run(&s, there ? of : &none, power[there]);
        session_close(&s);
        SF_TRY(rc);
    }
    *reflection = -power[1][0] / power[0][1];
    return SF_OK;
}

static int film_row(struct verify *v, const struct film *of, double exact, const char *name, const char *source)
{
    const double tolerance = exact * pow(2 * M_PI / CELLS * of->index / FILM_INDEX, 2) / 3;
    double is;
    SF_TRY(film_reflection(of, &is));
    verify_near(v, name, is, exact, tolerance, source);
    return SF_OK;
}

int em_film_rows(struct verify *v)
{
    static const struct film films[] = {
        {0.98, 0, FILM_INDEX, 0}, {0.2, 0.31, FILM_INDEX, 0}, {0.5, 0.5, FILM_INDEX, 0}, {1.6, 0.77, FILM_INDEX, 0}};
    for (int n = 0; n < (int)(sizeof films / sizeof films[0]); n++) {
        const struct film *const of = &films[n];
        const double x = (FILM_INDEX * FILM_INDEX - 1) / (2 * FILM_INDEX) * sin(2 * M_PI / CELLS * of->thickness);
        SF_TRY(film_row(v, of, x * x / (1 + x * x),
                        verify_name("film of %g cells, n %g: reflection", of->thickness, FILM_INDEX),
                        "Airy's formula; (n k dx)^2 / 3"));
    }
    const double eta0 = 376.730313668, thickness = 2e-5, d = 1e-3;
    const struct film resists = {thickness, 0.31, 1, 2 / (eta0 * thickness * d)};
    return film_row(v, &resists, 0.25, "film of 0.00002 cells, eta0 / 2 ohm a square: reflection",
                    "(g / (1 + g))^2, g = 1; (k dx)^2 / 3");
}
