/* Two steps of the EM model by value, on graded meshes, in a medium that loses both ways, between sides of every kind:
 * against Maxwell's equations as maxwell.h has them and the layers as cpml.h has them, in plain double. The reference
 * turns axis by axis, so that each of the six components comes from one line. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "maxwell/maxwell.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 14, GHOSTED = MOST + 2, STEPS = 2, LAYER = 4 };

static const int cells[3] = {13, 11, 12};
static const double epsilon = 2.5, mu = 1.7, sigma = 0.3, sigma_m = 4e4;
static struct session session;

/* One component, elements -1 .. n of every axis. */
typedef double field[GHOSTED][GHOSTED][GHOSTED];
static field now[6], memory[6][3]; /* of the difference along each axis in each component */
static double size[3][GHOSTED]; /* of cells -1 .. n */
static enum em_side side[3][2];
static double dt;

static double *cell_size(int a, int m) { return &size[a][m + 1]; }
static double *at(field f, const int m[3]) { return &f[m[0] + 1][m[1] + 1][m[2] + 1]; }

static real *stored(int c, const int m[3])
{
    const struct slab *const s = &session.state.host.s;
    return s->f[c] + (m[1] - s->j0) * s->sj + m[2] * s->sk + m[0];
}

/* mu0 was 4 pi 10^-7 H/m until 2019 and is so to ten digits; eps0 and the wave impedance as CODATA gives them. */
Test(curl, constants)
{
    cr_assert_eq(em_c, 299792458);
    cr_assert_float_eq(em_mu0, 4e-7 * acos(-1), 1e-9 * em_mu0);
    cr_assert_float_eq(em_eps0, 8.8541878128e-12, 1e-10 * em_eps0);
    cr_assert_float_eq(em_eta0, 376.730313668, 1e-10 * em_eta0);
}

/* ---- the mesh and its layers ---- */

/* Distance from the low end of an axis of node m, or of the centre of cell m. */
static double place(int a, double m)
{
    double x = 0;
    for (int n = 0; n < (int)m; n++) x += *cell_size(a, n);
    return x + (m - (int)m) * *cell_size(a, (int)m);
}

struct stretch {
    double kappa, b, a; /* psi = b psi + a d/dx */
};

/* m: of a node, plus one half: of a centre. */
static struct stretch stretch_at(int a, double m)
{
    const int n = cells[a];
    for (int high = 0; high < 2; high++) {
        if (side[a][high] != EM_CPML) continue;
        const double thick = high ? place(a, n) - place(a, n - LAYER) : place(a, LAYER);
        const double deep = high ? place(a, m) - place(a, n - LAYER) : place(a, LAYER) - place(a, m);
        if (!(deep > 1e-9 * thick)) continue;
        const double share = pow(deep / thick, 3), dx = thick / LAYER;
        const double most = 1.3 * 0.8 * 4 / (em_eta0 * dx * sqrt(epsilon * mu)), s = most * share,
                     kappa = 1 + 6 * share;
        const double alpha = 0.03 / (em_eta0 * dx) * pow(1 - deep / thick, 1.5),
                     b = exp(-(s / kappa + alpha) * dt / em_eps0);
        return (struct stretch){kappa, b, s * (b - 1) / (kappa * (s + kappa * alpha))};
    }
    return (struct stretch){1, 0, 0};
}

static int is_round(int a) { return side[a][0] == EM_PERIODIC; }
static int conducts(int a, int high) { return side[a][high] == EM_PEC || side[a][high] == EM_CPML; }

/* ---- the reference ---- */

/* Elements of component c that move: nodes on a conductor stay zero, of a periodic axis node n is node 0. */
static int moves(int c, const int m[3])
{
    for (int a = 0; a < 3; a++) {
        if (m[a] < 0 || m[a] > cells[a] || (m[a] == cells[a] && (!on_node(c, a) || is_round(a)))) return 0;
        if (on_node(c, a) && !is_round(a) && ((m[a] == 0 && conducts(a, 0)) || (m[a] == cells[a] && conducts(a, 1))))
            return 0;
    }
    return 1;
}

#define FOR_ELEMENTS(m, low)                                                                                           \
    for (m[0] = low; m[0] <= cells[0]; m[0]++)                                                                         \
        for (m[1] = low; m[1] <= cells[1]; m[1]++)                                                                     \
            for (m[2] = low; m[2] <= cells[2]; m[2]++)

/* An element and what a side makes of one beyond: a magnetic conductor has H along it on both sides with opposite
 * signs. */
static double value(int c, const int m[3])
{
    int n[3];
    double sign = 1;
    for (int a = 0; a < 3; a++) {
        n[a] = m[a];
        if (is_round(a)) n[a] = (m[a] + cells[a]) % cells[a];
        else if (!on_node(c, a) && (m[a] < 0 || m[a] >= cells[a])) n[a] = m[a] < 0 ? 0 : cells[a] - 1, sign = -sign;
    }
    return sign * *at(now[c], n);
}

/* What of the derivative of component `of` along axis a is seen at element m of component c: with the layer's
 * memory. */
static double derivative(int c, int of, int a, const int m[3])
{
    const int is_e = c < 3;
    int other[3] = {m[0], m[1], m[2]};
    other[a] += is_e ? -1 : 1;
    const double d = is_e ? value(of, m) - value(of, other) : value(of, other) - value(of, m);
    const double apart = is_e ? (*cell_size(a, m[a] - 1) + *cell_size(a, m[a])) / 2 : *cell_size(a, m[a]);
    const struct stretch s = stretch_at(a, m[a] + (is_e ? 0 : 0.5));
    double *const psi = at(memory[c][a], m);
    *psi = s.b * *psi + s.a * d / apart;
    return d / (s.kappa * apart) + *psi;
}

/* m (f' - f) / dt + loss (f' + f) / 2 = +- curl: the loss acts on the mean of before and after. */
static void advance(int is_e)
{
    static field then[3];
    const double matter = is_e ? epsilon * em_eps0 : mu * em_mu0, loss = is_e ? sigma : sigma_m;
    int m[3];
    for (int n = 0; n < 3; n++) {
        const int c = n + (is_e ? 0 : 3), b = (n + 1) % 3, d = (n + 2) % 3, from = is_e ? 3 : 0;
        FOR_ELEMENTS(m, 0)
        if (moves(c, m)) {
            const double curl = derivative(c, from + d, b, m) - derivative(c, from + b, d, m);
            *at(then[n], m) =
                (*at(now[c], m) * (matter / dt - loss / 2) + (is_e ? curl : -curl)) / (matter / dt + loss / 2);
        }
    }
    for (int n = 0; n < 3; n++) {
        const int c = n + (is_e ? 0 : 3);
        FOR_ELEMENTS(m, 0)
        if (moves(c, m)) *at(now[c], m) = *at(then[n], m);
    }
}

/* ---- the model ---- */

static void open_case(const enum em_side sides[3][2])
{
    static const char *const word[] = {
        [EM_PERIODIC] = "periodic", [EM_PEC] = "pec", [EM_PMC] = "pmc", [EM_CPML] = "cpml"};
    static char text[8192];
    int used = snprintf(
        text, sizeof text,
        "&case model = 'maxwell' /\n&time duration = 1e-9 /\n&maxwell allow_coarse = .true. /\n"
        "&cpml cells = %d, order = 3, sigma_factor = 1.3, kappa = 7, alpha = 0.03, alpha_order = 1.5 /\n"
        "&medium name = 'matter', epsilon = %g, mu = %g, sigma = %g, sigma_m = %g /\n&geometry background = 'matter' /\n"
        "&grid nx = %d, ny = %d, nz = %d",
        LAYER, epsilon, mu, sigma, sigma_m, cells[0], cells[1], cells[2]);
    for (int a = 0; a < 3; a++) {
        for (int m = 0; m < cells[a]; m++) {
            *cell_size(a, m) = floor(air_random(900, 1500)) * 1e-6;
            if (m == 0) used += snprintf(text + used, sizeof text - (size_t)used, ", size_%c", 'x' + a);
            used += snprintf(text + used, sizeof text - (size_t)used, "%s %.6e", m ? "," : " =", *cell_size(a, m));
        }
        for (int high = 0; high < 2; high++) side[a][high] = sides[a][high];
        *cell_size(a, -1) = *cell_size(a, is_round(a) ? cells[a] - 1 : 0);
        *cell_size(a, cells[a]) = *cell_size(a, is_round(a) ? 0 : cells[a] - 1);
    }
    snprintf(text + used, sizeof text - (size_t)used,
             " /\n&boundary west = '%s', east = '%s', south = '%s', north = '%s', bottom = '%s', "
             "top = '%s' /\n",
             word[side[0][0]], word[side[0][1]], word[side[1][0]], word[side[1][1]], word[side[2][0]],
             word[side[2][1]]);
    weather_open(&session, text);
    dt = session.in.dt_fixed;
}

/* Random fields of like size: |H| up to 1 A/m, |E| up to the wave impedance of vacuum. Elements beyond the domain that
 * the first step looks at hold what the engine would put there. */
static void stir(void)
{
    int m[3];
    memset(now, 0, sizeof now), memset(memory, 0, sizeof memory);
    for (int c = 0; c < 6; c++) {
        FOR_ELEMENTS(m, 0)
        if (moves(c, m)) {
            *stored(c, m) = (real)(air_random(-1, 1) * (c < 3 ? em_eta0 : 1));
            *at(now[c], m) = (double)*stored(c, m);
        }
    }
    for (int c = 0; c < 3; c++) FOR_ELEMENTS(m, 0)
    if (!moves(c, m)) *stored(c, m) = (real)value(c, m);
}

/* Every half step rounds fields, spacings and coefficients some ten times; curls amplify by up to dt / m times two
 * neighbours of each of two axes, which the Courant number keeps near the size of the field itself: 4 half steps of 20
 * roundings. */
static void expect_steps(const enum em_side sides[3][2])
{
    const double digits = 80 * (sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON);
    int m[3];
    open_case(sides);
    stir();
    for (int step = 0; step < STEPS; step++) advance(0), advance(1);
    cr_assert_eq(session_advance(&session, STEPS), SF_OK, "%s", sf_error_text());
    for (int c = 0; c < 6; c++) FOR_ELEMENTS(m, 0)
    if (moves(c, m)) {
        const double got = (double)*stored(c, m), want = *at(now[c], m), scale = c < 3 ? em_eta0 : 1;
        cr_assert(fabs(got - want) <= digits * scale, "component %d at %d %d %d: %.9g, not %.9g", c, m[0], m[1], m[2],
                  got, want);
    }
    session_close(&session);
}

Test(curl, between_conductors)
{
    const enum em_side sides[3][2] = {{EM_PEC, EM_PEC}, {EM_PEC, EM_PEC}, {EM_PEC, EM_PEC}};
    expect_steps(sides);
}

Test(curl, periodic_and_magnetic_sides)
{
    const enum em_side sides[3][3][2] = {{{EM_PERIODIC, EM_PERIODIC}, {EM_PMC, EM_PEC}, {EM_PEC, EM_PMC}},
                                         {{EM_PEC, EM_PMC}, {EM_PERIODIC, EM_PERIODIC}, {EM_PMC, EM_PEC}},
                                         {{EM_PMC, EM_PEC}, {EM_PEC, EM_PMC}, {EM_PERIODIC, EM_PERIODIC}}};
    for (int n = 0; n < 3; n++) expect_steps(sides[n]);
}

Test(curl, absorbing_layers)
{
    const enum em_side sides[3][2] = {{EM_CPML, EM_CPML}, {EM_CPML, EM_CPML}, {EM_CPML, EM_CPML}};
    expect_steps(sides);
}

Test(curl, a_layer_at_one_end)
{
    const enum em_side sides[3][3][2] = {{{EM_CPML, EM_PMC}, {EM_PEC, EM_CPML}, {EM_PERIODIC, EM_PERIODIC}},
                                         {{EM_PERIODIC, EM_PERIODIC}, {EM_CPML, EM_PMC}, {EM_PEC, EM_CPML}},
                                         {{EM_PEC, EM_CPML}, {EM_PERIODIC, EM_PERIODIC}, {EM_CPML, EM_PMC}}};
    for (int n = 0; n < 3; n++) expect_steps(sides[n]);
}
