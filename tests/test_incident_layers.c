/* The plane wave over layers: nothing of it is outside of its box, whatever lies in layers below, and inside it is what
 * Fresnel's formulas say. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "command/verify_em_analytic.h"
#include "maxwell/incident.h"
#include "maxwell/own.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#if SF_PREC == 64
static const double leak = 1e-6;
#else
static const double leak = 3e-6;
#endif
static struct session session;

/* Largest |E| and eta0 |H| in the box of total field and beyond it. */
static void largest(double *inside, double *outside)
{
    const struct maxwell_own *const own = session.in.own;
    int low[3], high[3];
    incident_box(own->incident, low, high);
    for (int c = 0; c < 6; c++)
        for (int j = 0; j < session.grid.ny; j++)
            for (int k = 0; k < session.grid.nz; k++)
                for (int i = 0; i < session.grid.nx; i++) {
                    const int at[3] = {i, j, k};
                    int in = 1;
                    for (int a = 0; a < 3; a++) in &= at[a] >= low[a] && at[a] < high[a] + on_node(c, a);
                    double *const most = in ? inside : outside;
                    *most = fmax(*most, fabs((double)*weather_at(&session, c, i, j, k)) * (c < 3 ? 1 : em_eta0));
                }
}

/* `shapes`: media, and layers of them below z = 0. */
static void leaks(const char *shapes, double theta, double bandwidth)
{
    char text[4096];
    snprintf(text, sizeof text,
             "&case model = 'maxwell' /\n"
             "&grid nx = 26, ny = 24, nz = 40, dx = 1e-3, dy = 1.2e-3, dz = 0.9e-3, origin_z = -18e-3 /\n"
             "&time duration = 1e-9 /\n"
             "&cpml cells = 4 /\n&maxwell allow_coarse = .true. /\n"
             "%s\n"
             "&plane_wave direction = 'oblique', theta = %g, phi = 35, polarisation = 40, layers = .true.,\n"
             "    waveform = 'modulated_gaussian', frequency = 1e10, bandwidth = %g,\n"
             "    box = 8e-3, 18e-3, 8e-3, 20e-3, -10e-3, 9e-3 /\n",
             shapes, theta, bandwidth);
    weather_open(&session, text);
    double inside = 0, outside = 0;
    for (int n = 0; n < 40; n++) {
        cr_assert_eq(session_advance(&session, 10), SF_OK, "%s", sf_error_text());
        largest(&inside, &outside);
    }
    if (getenv("SHOW")) fprintf(stderr, "theta %g: in %.4g out %.3g\n", theta, inside, outside);
    cr_expect(inside > 0.7 && inside < 4, "no wave: %g", inside);
    cr_expect(outside < leak, "theta %g leaks %g of %g", theta, outside, inside);
    session_close(&session);
}

#define GLASS "&medium name = 'glass', epsilon = 4, mu = 1.3 /\n"
#define BELOW(medium, z) "&geometry shape = 'half_space', medium = '" medium "', side = 'below', z = " #z " /\n"

/* One medium; a half space with its face between nodes; films, losses and poles; a conductor below; total reflection.
 */
Test(incident_layers, leaks_nothing)
{
    leaks("", 140, 8e9);
    leaks("", 180, 8e9);
    leaks(GLASS BELOW("glass", 0), 140, 8e9);
    leaks(GLASS BELOW("glass", 0), 180, 8e9);
    leaks(GLASS BELOW("glass", 1.3e-4), 110, 8e9);
    leaks(GLASS
          "&medium name = 'wet', epsilon = 6, sigma = 2, sigma_m = 3e3 /\n&medium name = 'water', epsilon = 5.16 /\n"
          "&pole medium = 'water', kind = 'debye', strength = 30, tau = 8e-12 /\n"
          "&pole medium = 'water', kind = 'lorentz', strength = 1, omega = 7e10, gamma = 5e9 /\n" BELOW("glass", 5e-3)
              BELOW("wet", 1.2e-3) BELOW("water", -5e-3),
          125, 8e9);
    leaks(GLASS BELOW("glass", 0) BELOW("pec", -12e-3), 140, 8e9);
    leaks(GLASS "&medium name = 'air' /\n&geometry background = 'glass' /\n" BELOW("air", 0), 125, 3e9);
}

enum { STEPS = 650 };

/* E at the node `at`, step by step. */
static void trace(const char *more, const int at[3], double out[3][STEPS])
{
    char text[4096];
    snprintf(text, sizeof text,
             "&case model = 'maxwell' /\n"
             "&grid nx = 30, ny = 30, nz = 42, dx = 0.5e-3, dy = 0.5e-3, dz = 0.5e-3, origin_z = -10.5e-3 /\n"
             "&time duration = 1e-9 /\n&cpml cells = 8 /\n&maxwell allow_coarse = .true. /\n"
             "&medium name = 'glass', epsilon = 4 /\n%s\n",
             more);
    weather_open(&session, text);
    for (int n = 0; n < STEPS; n++) {
        cr_assert_eq(session_advance(&session, 1), SF_OK, "%s", sf_error_text());
        for (int c = 0; c < 3; c++) out[c][n] = (double)*weather_at(&session, c, at[0], at[1], at[2]);
    }
}

#define WAVE_AT(theta)                                                                                                 \
    "&plane_wave direction = 'oblique', theta = " #theta                                                               \
    ", phi = 30, waveform = 'modulated_gaussian', frequency = 1.2e10, bandwidth = 8e9, "                               \
    "box = 5e-3, 10e-3, 5e-3, 10e-3, -5e-3, 5e-3"
#define WAVE WAVE_AT(140)

/* Of one medium it is the wave without layers, to what that one leaks and turns by; straight down, too. */
Test(incident_layers, one_medium)
{
    static double is[3][STEPS], should[3][STEPS];
    static const int at[3] = {15, 15, 21};
    for (int down = 0; down < 2; down++) {
        trace(down ? WAVE_AT(180) ", polarisation = 40, layers = .true. /\n"
                   : WAVE ", polarisation = 40, layers = .true. /\n",
              at, is);
        session_close(&session);
        trace(down ? WAVE_AT(180) ", polarisation = 40 /\n" : WAVE ", polarisation = 40 /\n", at, should);
        session_close(&session);
        for (int c = 0; c < 3 - down; c++) {
            double worst = 0, most = 0;
            for (int n = 0; n < STEPS; n++)
                worst = fmax(worst, fabs(is[c][n] - should[c][n])), most = fmax(most, fabs(should[c][n]));
            if (getenv("SHOW")) fprintf(stderr, "one medium: %.3g of %.3g\n", worst, most);
            cr_expect(most > 0.15 && worst < 1e-3, "%d: %g of %g", c, worst, most);
        }
    }
}

/* |spectrum at f| of a trace over that of the waveform. */
static double share(const double *value, double f)
{
    const struct maxwell_own *const own = session.in.own;
    const double dt = own->ctx.dt;
    double re[2] = {0}, im[2] = {0};
    for (int n = 0; n < STEPS; n++) {
        const double t = (n + 1) * dt, v[2] = {value[n], waveform_value(incident_waveform(own->incident), t)};
        for (int q = 0; q < 2; q++) re[q] += v[q] * cos(2 * M_PI * f * t), im[q] -= v[q] * sin(2 * M_PI * f * t);
    }
    return hypot(re[0], im[0]) / hypot(re[1], im[1]);
}

/* 20 cells a wavelength in the glass: what passes into it has Fresnel's size. */
Test(incident_layers, passes_as_fresnel_says)
{
    static double e[3][STEPS];
    static const int at[3] = {15, 15, 16}; /* 2.5 mm below */
    const double f = 1.5e10, c = cos(40 * M_PI / 180), q = sqrt(4 - 1 + c * c) / 2; /* cosines in air, in the glass */
    const double pass[2] = {2 * c / (2 * c + q), 2 * c / (c + 2 * q)}; /* in the plane of incidence, and across it */
    for (int across = 0; across < 2; across++) {
        double square = 0;
        trace(across ? WAVE ", polarisation = 90, layers = .true. /\n" BELOW("glass", 0)
                     : WAVE ", polarisation = 0, layers = .true. /\n" BELOW("glass", 0),
              at, e);
        for (int m = 0; m < 3; m++) square += pow(share(e[m], f), 2);
        session_close(&session);
        if (getenv("SHOW")) fprintf(stderr, "passes %.5f, %.5f\n", sqrt(square), pass[across]);
        cr_expect(fabs(sqrt(square) / pass[across] - 1) < 0.01, "%d: %g, %g", across, sqrt(square), pass[across]);
    }
}

/* ---- what is scattered ------------------------------------------------------------------------------------------- */

/* A brick half in wet ground, in the wave from direction `from` (degrees from the z axis, and around it): the far field
 * towards `to`, along growing theta and phi, size of both. */
static void scatter(const double from[2], const double to[2], double polarisation, double field[2])
{
    static const char *const name[4] = {"E_theta_re", "E_theta_im", "E_phi_re", "E_phi_im"};
    double value[4];
    char text[4096];
    snprintf(
        text, sizeof text,
        "&case model = 'maxwell' /\n"
        "&grid nx = 34, ny = 32, nz = 40, dx = 1e-3, dy = 1e-3, dz = 1e-3, origin_x = -17e-3, origin_y = -16e-3, "
        "origin_z = -22e-3 /\n"
        "&time duration = 1.1e-9 /\n&cpml cells = 6 /\n&maxwell allow_coarse = .true. /\n"
        "&medium name = 'wet', epsilon = 4, sigma = 0.2 /\n&medium name = 'stone', epsilon = 9 /\n"
        "&geometry shape = 'half_space', 'box', medium = 'wet', 'stone', side = 'below', z = 0, -1e-3, x = 0, 1e-3,\n"
        "    size_x = 1, 5e-3, size_y = 1, 3e-3, size_z = 1, 7e-3 /\n"
        "&plane_wave direction = 'oblique', theta = %g, phi = %g, polarisation = %g, layers = .true.,\n"
        "    waveform = 'modulated_gaussian', frequency = 9e9, bandwidth = 8e9, box = -5e-3, 6e-3, -5e-3, 5e-3, -8e-3, 5e-3 /\n"
        "&monitor name = 'sky', kind = 'far', mirror = 'layers', west = -8e-3, east = 8e-3, south = -7e-3, north = 7e-3,\n"
        "    bottom = -11e-3, top = 8e-3, theta_from = %g, theta_count = 1, phi_from = %g, phi_count = 1 /\n"
        "&spectrum frequencies = 9e9 /\n",
        180 - from[0], from[1] - 180, polarisation, to[0], to[1]);
    weather_open(&session, text);
    cr_assert_eq(verify_finish(&session), SF_OK, "%s", sf_error_text());
    for (int n = 0; n < 4; n++)
        cr_assert_eq(em_result(&session, "far_sky.nc", name[n], 1, &value[n]), SF_OK, "%s", sf_error_text());
    session_close(&session);
    field[0] = hypot(value[0], value[1]), field[1] = hypot(value[2], value[3]);
}

/* Who sends and who listens change places: of both polarisations, and across. */
Test(incident_layers, is_reciprocal)
{
    static const double a[2] = {40, 210}, b[2] = {62, 280};
    double there[2][2], back[2][2];
    for (int across = 0; across < 2; across++)
        scatter(a, b, 90 * across, there[across]), scatter(b, a, 90 * across, back[across]);
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++) {
            if (getenv("SHOW")) fprintf(stderr, "scattered %.6g, %.6g\n", there[p][q], back[q][p]);
            cr_expect(there[p][q] > 0 && fabs(there[p][q] / back[q][p] - 1) < 1e-4, "%d %d: %g, %g", p, q, there[p][q],
                      back[q][p]);
        }
}
