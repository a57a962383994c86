/* Absorbing layers by value: the grading of every face against the formulas of the documents written anew, alpha from
 * the lowest frequency, and the reflection that is foretold against waves that are sent into a layer step by step.
 * SPDX-License-Identifier: MIT */
#include "maxwell/cpml.h"
#include "maxwell/cpml_reflection.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/tables.h"

static const double eta0 = 376.730313668, eps0 = 8.8541878128e-12, c0 = 299792458.0;

static void expect_near(double got, double want, double tolerance, const char *what)
{
    cr_assert(fabs(got - want) <= tolerance * fabs(want) + 1e-300, "%s: %.17g instead of %.17g", what, got, want);
}

/* The formulas of docs/numerics.md. */
struct want {
    double kappa, b, a;
};
static struct want graded(double s, double cell, double index, double m, double factor, double kappa_max, double A,
                          double p, double dt)
{
    if (s <= 0) return (struct want){1, 0, 0};
    const double sigma = factor * 0.8 * (m + 1) / (eta0 * cell * index) * pow(s, m),
                 kappa = 1 + (kappa_max - 1) * pow(s, m);
    const double alpha = A / (eta0 * cell) * pow(1 - s, p), b = exp(-(sigma / kappa + alpha) * dt / eps0);
    return (struct want){kappa, b, sigma * (b - 1) / (kappa * (sigma + kappa * alpha))};
}

/* Cells of several sizes; layers of 5 cells at the low end and 5 at the high one, of other indices; each on its own and
 * none. */
Test(cpml, grading_of_both_ends)
{
    enum { N = 23, CELLS = 5 };
    double edge[N + 1], size[N];
    edge[0] = -0.3;
    for (int m = 0; m < N; m++) size[m] = 1e-3 * (1 + 0.25 * (m % 4)), edge[m + 1] = edge[m] + size[m];
    const struct cpml_options options[] = {
        {.order = 3, .sigma_factor = 1.3, .kappa = 7, .alpha = 0.08, .alpha_order = 1},
        {.order = 2.5, .sigma_factor = 0.7, .kappa = 1, .alpha = 0.3, .alpha_order = 2},
        {.order = 4, .sigma_factor = 1, .kappa = 12, .alpha = 0.03, .alpha_order = 0},
        {.order = 3, .sigma_factor = 1.3, .kappa = 7, .alpha = -1, .alpha_order = 1, .lowest = 3e8}};
    const double dt = 1.9e-12, tolerance = sizeof(real) == 4 ? 3e-7 : 1e-11;
    for (int t = 0; t < 16; t++) {
        const struct cpml_options *const o = &options[t / 4];
        const struct cpml_face face[2] = {{t & 1 ? CELLS : 0, 1.5}, {t & 2 ? CELLS : 0, 3}};
        struct axis_lines l;
        void *memory;
        cr_assert_eq(axis_lines_make(&l, &memory, N, edge, 0, face, o, 1, dt), 0);
        cr_assert_eq(l.low, face[0].cells);
        cr_assert_eq(l.high, face[1].cells);
        for (int half = 0; half <= 2 * N; half++) {
            const int m = half / 2, on_node = half % 2 == 0;
            const double x = on_node ? edge[m] : edge[m] + size[m] / 2;
            const double low = (edge[CELLS] - x) / (edge[CELLS] - edge[0]),
                         high = (x - edge[N - CELLS]) / (edge[N] - edge[N - CELLS]);
            const int end = low > 0 && face[0].cells ? 0 : high > 0 && face[1].cells ? 1 : -1;
            const double cell = end == 0 ? (edge[CELLS] - edge[0]) / CELLS : (edge[N] - edge[N - CELLS]) / CELLS;
            const double A = o->alpha >= 0 ? o->alpha : fmin(0.08, 6 * M_PI * o->lowest * cell / c0);
            const struct want w =
                graded(end == 0   ? low
                       : end == 1 ? high
                                  : 0,
                       cell, end == 0 ? 1.5 : 3, o->order, o->sigma_factor, o->kappa, A, o->alpha_order, dt);
            const double before = m > 0 ? size[m - 1] : size[0], after = m < N ? size[m] : size[N - 1];
            const double d = on_node ? (before + after) / 2 : size[m];
            expect_near((double)(on_node ? l.e[m] : l.h[m]), 1 / (w.kappa * d), tolerance, "1 / (kappa d)");
            expect_near((double)(on_node ? l.be[m] : l.bh[m]), w.b, tolerance, "b");
            expect_near((double)(on_node ? l.ae[m] : l.ah[m]), w.a / d, tolerance, "a / d");
        }
        table_free(memory);
    }
}

Test(cpml, ends_that_are_one)
{
    enum { N = 6 };
    const double edge[N + 1] = {0, 1, 3, 6, 10, 15, 21};
    const struct cpml_face none[2] = {{0, 1}, {0, 1}};
    const struct cpml_options o = {.order = 3, .sigma_factor = 1, .kappa = 7, .alpha = 0.05};
    for (int periodic = 0; periodic < 2; periodic++) {
        struct axis_lines l;
        void *memory;
        cr_assert_eq(axis_lines_make(&l, &memory, N, edge, periodic, none, &o, 1, 1e-9), 0);
        expect_near(l.size[-1], periodic ? 6 : 1, 0, "the cell before");
        expect_near(l.size[N], periodic ? 1 : 6, 0, "the cell behind");
        expect_near((double)l.e[0], periodic ? 1 / 3.5 : 1, 1e-7, "the first node");
        table_free(memory);
    }
}

Test(cpml, alpha_follows_the_lowest_frequency)
{
    const double cell = 5e-3;
    struct cpml_options o = {.alpha = -1};
    expect_near(cpml_alpha(&o, cell), 0.08, 1e-15, "nothing is known");
    o.lowest = 1e8; /* 599.58 cells a wavelength */
    expect_near(cpml_alpha(&o, cell), 3 * 2 * M_PI / (c0 / 1e8 / cell), 1e-12, "A = 3 w dx / c");
    o.lowest = 1e9;
    expect_near(cpml_alpha(&o, cell), 0.08, 1e-15, "near fields come first");
    o.alpha = 0.2;
    expect_near(cpml_alpha(&o, cell), 0.2, 0, "as given");
    o.alpha = 0;
    expect_near(cpml_alpha(&o, cell), 0, 0, "none");
}

/* ---- what comes back, step by step ------------------------------------------------------------------------------- */

/* One line in double, a pulse from node SOURCE, a layer of `cells` behind FREE cells. A wave at an angle keeps its wave
 * number along the layer, K, and has a third field: mu dh_z/dt = K e, eps de/dt = ... - K h_z.
 *
 * The pulse lasts 1056 steps. It passes the probe to the layer and back, and so does its image from the conductor at
 * node 0; both are over before what came back has been to node 0 and returns: after 3722 and 4000 steps along the
 * normal, 4829 and 5660 at 45 degrees, where waves of the carrier travel at 0.7 of their speed. */
enum { FREE = 1500, SOURCE = 700, PROBE = 1300, NORMAL = 3900, ANGLED = 5200, MOST = FREE + 40 };

struct medium_of {
    double epsilon, mu, index;
};

static void line_run(int cells, const struct medium_of *of, double transverse, double dt, double frequency, double d,
                     int steps, double *trace)
{
    static double e[MOST + 1], h[MOST + 1], hz[MOST + 1], psi_e[MOST + 1], psi_h[MOST + 1];
    memset(e, 0, sizeof e), memset(h, 0, sizeof h), memset(hz, 0, sizeof hz), memset(psi_e, 0, sizeof psi_e),
        memset(psi_h, 0, sizeof psi_h);
    const double mu = of->mu * eta0 / c0, eps = of->epsilon * eps0;
    const int n = FREE + cells;
    struct want at_e[41], at_h[41];
    for (int q = 0; q < cells; q++) {
        at_e[q] = graded((double)q / cells, d, of->index, 3, 1.3, 7, 0.05, 1, dt);
        at_h[q] = graded((q + 0.5) / cells, d, of->index, 3, 1.3, 7, 0.05, 1, dt);
    }
    const struct want free_space = {1, 0, 0};
    for (int step = 0; step < steps; step++) {
        for (int m = 0; m < n; m++) {
            const struct want w = m < FREE ? free_space : at_h[m - FREE];
            const double slope = (e[m + 1] - e[m]) / d;
            psi_h[m] = w.b * psi_h[m] + w.a * slope;
            h[m] -= dt / mu * (slope / w.kappa + psi_h[m]);
        }
        for (int m = 0; m <= n; m++) hz[m] += dt / mu * transverse * e[m];
        for (int m = 1; m < n; m++) {
            const struct want w = m < FREE ? free_space : at_e[m - FREE];
            const double slope = (h[m] - h[m - 1]) / d;
            psi_e[m] = w.b * psi_e[m] + w.a * slope;
            e[m] = e[m] - dt / eps * (slope / w.kappa + psi_e[m] + transverse * hz[m]);
        }
        const double x = (step - 528) / 88.0;
        e[SOURCE] += exp(-x * x / 2) * cos(2 * M_PI * frequency * step * dt);
        trace[step] = e[PROBE];
    }
}

static double amplitude(const double *trace, int steps, double frequency, double dt)
{
    double re = 0, im = 0;
    for (int m = 0; m < steps; m++)
        re += trace[m] * cos(2 * M_PI * frequency * m * dt), im += trace[m] * sin(2 * M_PI * frequency * m * dt);
    return hypot(re, im);
}

/* What comes back is the difference to a layer of 40 cells of the medium's own index, which returns 1e-6 or less. Over
 * what passes first and, as an image, second: the same in both. */
static void expect_foretold(int cells, const struct medium_of *of, double sine2, double d, double at, double tolerance)
{
    static double thin[ANGLED], thick[ANGLED];
    const int steps = sine2 > 0 ? ANGLED : NORMAL;
    const double dt = 0.9 * d / c0 * sqrt(of->epsilon * of->mu), swing = 2 / dt * sin(M_PI * at * dt);
    const double transverse = swing * sqrt(of->epsilon * eps0 * of->mu * eta0 / c0 * sine2);
    line_run(cells, of, transverse, dt, at, d, steps, thin);
    struct medium_of matched = *of;
    matched.index = sqrt(of->epsilon * of->mu);
    line_run(40, &matched, transverse, dt, at, d, steps, thick);
    for (int m = 0; m < steps; m++) thin[m] -= thick[m];
    const struct cpml_face face = {cells, of->index};
    const struct cpml_options o = {.order = 3, .sigma_factor = 1.3, .kappa = 7, .alpha = 0.05, .alpha_order = 1};
    const struct cpml_wave w = {.frequency = at, .epsilon = of->epsilon, .mu = of->mu, .sine2 = sine2};
    const double want = amplitude(thin, steps, at, dt) / amplitude(thick, steps, at, dt),
                 got = cpml_reflection(&face, d, &o, dt, &w);
    cr_assert(fabs(got - want) <= tolerance * want + 2e-6, "%d cells: %g foretold, %g came back", cells, got, want);
    cr_assert(want > 1e-5, "a test of nothing: %g", want);
}

Test(cpml, reflection_is_what_comes_back, .timeout = 60)
{
    const double d = 1e-3;
    const struct medium_of vacuum = {1, 1, 1}, dense = {81, 1, 9}, magnetic = {1, 4, 2}, thin = {1, 1, 3},
                           thick = {81, 1, 3};
    expect_foretold(4, &vacuum, 0, d, c0 / (20 * d), 0.01);
    expect_foretold(3, &vacuum, 0, d, c0 / (50 * d), 0.01);
    expect_foretold(4, &dense, 0, d, c0 / (9 * 20 * d), 0.01);
    expect_foretold(4, &magnetic, 0, d, c0 / (2 * 20 * d), 0.01);
    expect_foretold(6, &thin, 0, d, c0 / (30 * d), 0.01);
    expect_foretold(6, &thick, 0, d, c0 / (9 * 30 * d), 0.01);
    expect_foretold(4, &vacuum, 0.5, d, c0 / (20 * d), 0.02);
    expect_foretold(4, &vacuum, 0, d, c0 / (9 * d), 0.01); /* coarse: the swing of a step is 2 sin(w dt / 2) */
}

/* What must hold whatever the layer: nothing but the conductor is all that comes back; symmetry in what scales
 * alike. */
Test(cpml, reflection_at_its_limits)
{
    const struct cpml_options o = {.order = 3, .sigma_factor = 1.3, .kappa = 7, .alpha = 0.08, .alpha_order = 1},
                              empty = {.kappa = 1, .order = 3};
    const struct cpml_face ten = {10, 1}, dense = {10, 3};
    struct cpml_wave w = {.frequency = 1e9, .epsilon = 1, .mu = 1};
    expect_near(cpml_reflection(&ten, 1e-3, &empty, 1e-12, &w), 1, 1e-12, "a layer that absorbs nothing");
    const double one = cpml_reflection(&ten, 1e-3, &o, 1e-12, &w);
    w.frequency = 1e8;
    expect_near(cpml_reflection(&ten, 1e-2, &o, 1e-11, &w), one, 1e-6, "all ten times as large");
    const struct cpml_wave in = {.frequency = 1e8, .epsilon = 3, .mu = 3},
                           electric = {.frequency = 1e8, .epsilon = 9, .mu = 1};
    expect_near(cpml_reflection(&dense, 1e-2, &o, 1e-11, &in), cpml_reflection(&dense, 1e-2, &o, 1e-11, &electric),
                1e-9, "impedance cancels");
    /* A conductor of 30 nepers to the end of the layer and back: nothing of the conductor behind is seen, whatever is
     * stretched. */
    w = (struct cpml_wave){.frequency = 1e8, .epsilon = 1, .mu = 1, .sigma = 100};
    cr_assert(cpml_reflection(&ten, 1e-2, &(struct cpml_options){.kappa = 1, .order = 3}, 1e-11, &w) < 1e-4);
}
