/* The EM model's films: what a layer that is thinner than a cell, or ends between nodes, reflects at normal incidence.
 *
 * By Airy's formula a film of index n and thickness d reflects R = X^2 / (1 + X^2) of the power, X = (n^2 - 1) / (2 n) sin(n k d). On the
 * grid the edges along it have its share of their cells, so what counts is the integral of epsilon - 1: a film whose share is right has
 * n k d in place of the sine, where it lies about one node. About two nodes, a cell apart, it is off by less the other way. So X is right
 * to (n k dx)^2 / 6, and R to twice that. SPDX-License-Identifier: MIT */
#include "command/verify_em_analytic.h"

#include "pipeline/error.h"

#include <math.h>

/* Thickness and middle in cells, the middle from a node. */
struct film {
    double thickness, middle;
};

static const double film_index = 3.5;
enum { CELLS = 40 }; /* a wavelength in the film */

/* Power that comes back, and that goes through. */
static int film_run(struct session *s, const struct film *of, double power[2])
{
    const double d = 1e-3, f = em_c0 / (film_index * CELLS * d), node = 60;
    SF_TRY(verify_open(s,
                       "&case name='film' model='maxwell' /\n"
                       "&grid nx=1 ny=1 nz=120 dx=1e-3 dy=1e-3 dz=1e-3 /\n"
                       "&time duration=%.9g /\n"
                       "&boundary west='periodic' east='periodic' south='periodic' north='periodic' /\n"
                       "&cpml cells=20 /\n"
                       "&maxwell allow_coarse=.true. /\n"
                       "&medium name='glass' epsilon=%.17g /\n"
                       "&geometry shape='%s' medium='glass' axis='z' z=%.17g size_z=%.17g /\n"
                       "&plane_wave direction='+z' box=-1,1,-1,1,0.04,0.08 waveform='modulated_gaussian' frequency=%.9g bandwidth=%.9g /\n"
                       "&monitor name='back','through' kind=2*'flux' bottom=0.03,0.07 top=0.03,0.07 /\n"
                       "&spectrum frequencies=%.9g /\n",
                       10 / f, film_index * film_index, of->thickness > 0 ? "layer" : "none", (node + of->middle) * d,
                       of->thickness * d, f, 0.75 * f, f));
    return em_finish(s, "flux", 2, power);
}

static int film_reflection(const struct film *of, double *reflection)
{
    const struct film none = {0, 0};
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

int em_film_rows(struct verify *v)
{
    static const struct film films[] = {{0.98, 0}, {0.2, 0.31}, {0.5, 0.5}, {1.6, 0.77}};
    for (int n = 0; n < (int)(sizeof films / sizeof films[0]); n++) {
        const struct film *const of = &films[n];
        const double x = (film_index * film_index - 1) / (2 * film_index) * sin(2 * M_PI / CELLS * of->thickness), exact = x * x / (1 + x * x);
        double is;
        SF_TRY(film_reflection(of, &is));
        verify_near(v, verify_name("film of %g cells, n %g: reflection", of->thickness, film_index), is, exact,
                    exact * pow(2 * M_PI / CELLS, 2) / 3, "Airy's formula; (n k dx)^2 / 3");
    }
    return SF_OK;
}
