/* The plane wave: nothing leaks out of its box but round-off where it travels along an axis, little where it does not;
 * inside it is the waveform; and it is the same however the domain and time are cut. SPDX-License-Identifier: MIT */
#include "support_yee.h"

#include "maxwell/wave_line.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/error.h"

#if SF_PREC == 64
static const double leak = 1e-12;
#else
static const double leak = 2e-6;
#endif

enum { PLUS_X = 1, MINUS_Z = 6, OBLIQUE };
static const int closed[3] = {0, 0, 0};
static struct yee_world world, other;

/* Set from outside to see the figures. */
static void show(const char *what, double figure)
{
    if (getenv("SHOW")) fprintf(stderr, "%s: %.3g\n", what, figure);
}

/* A gaussian of `cells` per wavelength at the frequency where its spectrum has fallen to half. */
static void wave_set(struct yee_world *w, int direction, double cells, double cell)
{
    w->p.plane_wave_direction = direction;
    w->p.plane_wave_margin = 5;
    w->p.plane_wave_waveform = WAVE_GAUSSIAN;
    w->p.plane_wave_frequency = em_c / (cells * cell);
    w->p.plane_wave_polarisation = 37;
}

/* Largest |component| beyond the box, and in it: 0 .. 2 of E, 3 .. 5 of H. */
static void largest(const struct yee_world *w, int component, double *outside, double *inside)
{
    int low[3], high[3];
    incident_box(w->incident, low, high);
    for (int j = 0; j < w->n[1]; j++)
        for (int k = 0; k < w->n[2]; k++)
            for (int i = 0; i < w->n[0]; i++) {
                const int at[3] = {i, j, k};
                int in = 1;
                for (int a = 0; a < 3; a++) in &= at[a] >= low[a] && at[a] < high[a] + on_node(component, a);
                double *const most = in ? inside : outside;
                *most = fmax(*most, fabs((double)w->s.f[F_EX + component][yee_at(w, i, j, k)]));
            }
}

/* Steps until the wave has left the domain, and what it left outside of its box, at most, of E and of eta H, per
 * amplitude. */
static double leakage(struct yee_world *w, int steps)
{
    double outside = 0, inside = 0;
    for (int n = 0; n < steps; n++) {
        yee_world_step(w);
        for (int c = 0; c < 6; c++) {
            double out = 0, in = 0;
            largest(w, c, &out, &in);
            outside = fmax(outside, out * (c < 3 ? 1 : em_eta0)), inside = fmax(inside, in * (c < 3 ? 1 : em_eta0));
        }
    }
    cr_assert(inside > 0.3, "no wave: %g", inside);
    return outside;
}

/* All directions, on cells of three sizes that grow. */
Test(incident, leaks_round_off, .timeout = 120)
{
    const int n[3] = {22, 19, 24};
    const double d[3] = {0.01, 0.012, 0.009};
    for (int direction = PLUS_X; direction <= MINUS_Z; direction++) {
        yee_world_make(&world, n, d, 1.01, closed, 0.99, 1, 1);
        wave_set(&world, direction, 15, 0.012);
        cr_assert_eq(yee_world_bind(&world, 0), SF_OK, "%s", sf_error_text());
        const double out = leakage(&world, 150);
        show("along an axis", out);
        cr_assert(out < leak, "direction %d leaks %g", direction, out);
        double rest = 0;
        for (int c = 0; c < 6; c++) largest(&world, c, &rest, &rest);
        cr_assert(rest < 1e-4, "%g stays", rest);
        yee_world_free(&world);
    }
}

/* E on the face that the wave meets is the waveform, E at the centre follows at the speed of light of the background,
 * H = E / eta. */
Test(incident, is_the_waveform, .timeout = 120)
{
    const int n[3] = {30, 16, 16};
    const double d[3] = {0.01, 0.01, 0.01}, eps = 2.25, mu = 1.5, v = em_c / sqrt(eps * mu),
                 eta = em_eta0 * sqrt(mu / eps);
    for (int minus = 0; minus < 2; minus++) {
        yee_world_make(&world, n, d, 1, closed, 0.99, eps, mu);
        wave_set(&world, PLUS_X + minus, 60, 0.01 * sqrt(eps * mu));
        world.p.plane_wave_amplitude = 3;
        cr_assert_eq(yee_world_bind(&world, 0), SF_OK, "%s", sf_error_text());
        const struct waveform *const w = incident_waveform(world.incident);
        const double c = cos(37 * M_PI / 180), s = sin(37 * M_PI / 180), sign = minus ? -1 : 1;
        double most = 0;
        for (int step = 0; step < 330; step++) {
            yee_world_step(&world);
            const double t = (step + 1) * world.x.dt, face = 3 * waveform_value(w, t);
            const ptrdiff_t first = yee_at(&world, minus ? 25 : 5, 8, 8), middle = yee_at(&world, 15, 8, 8);
            cr_assert(fabs((double)world.s.f[F_EY][first] - c * face) < 6 * leak);
            cr_assert(fabs((double)world.s.f[F_EZ][first] - s * face) < 6 * leak);
            const double late = 3 * waveform_value(w, t - 0.1 / v);
            cr_assert(fabs((double)world.s.f[F_EY][middle] - c * late) < 2e-3);
            /* H half a cell farther east and half a step earlier. */
            const double h = 3 * waveform_value(w, t - world.x.dt / 2 - (0.1 + sign * 0.005) / v) / eta;
            cr_assert(fabs(sign * (double)world.s.f[F_HZ][middle] - c * h) < 2e-3 / eta);
            cr_assert(fabs(sign * (double)world.s.f[F_HY][middle] + s * h) < 2e-3 / eta);
            most = fmax(most, fabs(late));
        }
        cr_assert(most > 2.99);
        yee_world_free(&world);
    }
}

Test(incident, periodic_sides, .timeout = 120)
{
    const int n[3] = {8, 6, 30}, periodic[3] = {1, 1, 0};
    const double d[3] = {0.01, 0.01, 0.01};
    yee_world_make(&world, n, d, 1, periodic, 0.99, 1, 1);
    wave_set(&world, MINUS_Z, 15, 0.01);
    cr_assert_eq(yee_world_bind(&world, 0), SF_OK, "%s", sf_error_text());
    int low[3], high[3];
    incident_box(world.incident, low, high);
    cr_assert(low[0] == 0 && high[0] == 8 && low[1] == 0 && high[1] == 6 && low[2] == 5 && high[2] == 25);
    const double out = leakage(&world, 150);
    show("across periodic sides", out);
    cr_assert(out < leak, "leaks %g", out);
    yee_world_free(&world);
}

/* What oblique incidence leaks, as measured and half as much again: by direction, polarisation, and cells per
 * wavelength where the spectrum has fallen to half (2.6 times fewer where it has fallen by 40 dB). */
Test(incident, oblique, .timeout = 300)
{
    const struct {
        double theta, phi, polarisation, cells, tolerance;
    } to[] = {{90, 30, 20, 20, 7e-5},     {60, 45, 90, 20, 8e-6}, {40, 200, 10, 20, 4e-5}, {125, 300, 70, 20, 4e-5},
              {54.7356, 45, 0, 20, 2e-6}, {60, 45, 90, 40, 2e-6}, {60, 45, 90, 10, 2e-4}};
    const int n[3] = {26, 26, 26};
    const double d[3] = {0.01, 0.01, 0.01};
    for (size_t m = 0; m < sizeof to / sizeof *to; m++) {
        yee_world_make(&world, n, d, 1, closed, 0.95, 1, 1);
        wave_set(&world, OBLIQUE, to[m].cells, 0.01);
        world.p.plane_wave_theta = to[m].theta, world.p.plane_wave_phi = to[m].phi;
        world.p.plane_wave_polarisation = to[m].polarisation;
        cr_assert_eq(yee_world_bind(&world, 0), SF_OK, "%s", sf_error_text());
        const double out = leakage(&world, 260);
        if (getenv("SHOW")) fprintf(stderr, "%g %g %g %g ", to[m].theta, to[m].phi, to[m].polarisation, to[m].cells);
        show("oblique", out);
        cr_assert(out < to[m].tolerance, "theta %g phi %g leaks %g", to[m].theta, to[m].phi, out);
        yee_world_free(&world);
    }
}

/* Oblique: E and H at a place r from the first corner are aim and k x aim times the waveform at t - k r / v, in vacuum
 * and in a medium, E towards growing theta and turned from there towards growing phi. */
Test(incident, oblique_is_the_waveform, .timeout = 240)
{
    const int n[3] = {24, 24, 24};
    const double d[3] = {0.01, 0.01, 0.01},
                 k[3] = {0.5 * sqrt(0.5), -0.5 * sqrt(0.5), -sqrt(0.75)}; /* theta 150, phi -45 */
    const double of_theta[3] = {-sqrt(0.75) * sqrt(0.5), sqrt(0.75) * sqrt(0.5), -0.5},
                 of_phi[3] = {sqrt(0.5), sqrt(0.5), 0};
    for (int m = 0; m < 2; m++) {
        const double eps = m ? 2.25 : 1, mu = m ? 1.5 : 1, turn = m ? 30 : 0, v = em_c / sqrt(eps * mu),
                     eta = em_eta0 * sqrt(mu / eps);
        double aim[3];
        for (int a = 0; a < 3; a++) aim[a] = cos(turn * M_PI / 180) * of_theta[a] + sin(turn * M_PI / 180) * of_phi[a];
        yee_world_make(&world, n, d, 1, closed, 0.95, eps, mu);
        wave_set(&world, OBLIQUE, 60, 0.01 * sqrt(eps * mu));
        world.p.plane_wave_theta = 150, world.p.plane_wave_phi = -45, world.p.plane_wave_polarisation = turn;
        cr_assert_eq(yee_world_bind(&world, 0), SF_OK, "%s", sf_error_text());
        const struct waveform *const w = incident_waveform(world.incident);
        double most = 0;
        for (int step = 0; step < (m ? 480 : 260); step++) {
            yee_world_step(&world);
            for (int c = 0; c < 6; c++) {
                double far = 0;
                for (int a = 0; a < 3; a++) { /* element (13, 12, 11) from the corner (5, 19, 19) */
                    const int at[3] = {13, 12, 11}, corner[3] = {5, 19, 19};
                    far += k[a] * 0.01 * (at[a] + (on_node(c, a) ? 0 : 0.5) - corner[a]);
                }
                const int p = (c + 1) % 3, q = (c + 2) % 3;
                const double share = c < 3 ? aim[c] : (k[p] * aim[q] - k[q] * aim[p]) / eta;
                const double t = (step + (c < 3 ? 1 : 0.5)) * world.x.dt, want = share * waveform_value(w, t - far / v);
                const double got = (double)world.s.f[F_EX + c][yee_at(&world, 13, 12, 11)];
                cr_assert(fabs(got - want) < 1e-3 * (c < 3 ? 1 : 1 / eta), "component %d: %g for %g", c, got, want);
                most = fmax(most, fabs(want));
            }
        }
        cr_assert(most > 0.6);
        yee_world_free(&world);
    }
}

/* The table of a pass depends on its steps alone: whether the line came there by itself, had to begin again, or was
 * asked for other passes before. */
Test(incident, any_passes)
{
    const int n[3] = {20, 18, 16};
    const double d[3] = {0.01, 0.012, 0.009};
    for (int direction = PLUS_X; direction <= OBLIQUE; direction += 3) {
        yee_world_make(&world, n, d, 1, closed, 0.99, 1, 1);
        wave_set(&world, direction, 15, 0.01);
        world.p.plane_wave_theta = 50, world.p.plane_wave_phi = 70;
        yee_world_make(&other, n, d, 1, closed, 0.99, 1, 1);
        other.p = world.p;
        cr_assert(!yee_world_bind(&world, 0) && !yee_world_bind(&other, 0));
        const double dt = world.x.dt;
        for (long step = 0; step < 45; step += 9) incident_prepare(world.incident, step, 9, dt);
        incident_prepare(other.incident, 120, 3, dt);
        incident_prepare(other.incident, 40, 2, dt);
        incident_prepare(other.incident, 38, 6, dt);
        for (int is_e = 0; is_e < 2; is_e++)
            for (int m = 0; m < 6; m++) {
                struct call c = {.ctx = &world.x, .pass_step = 2 + m};
                const struct box all = {0, n[0], 0, n[2], 0, n[1]};
                (is_e ? source_e_run : source_h_run)(&world.s, all, &c);
                c.pass_step = m;
                c.ctx = &other.x;
                (is_e ? source_e_run : source_h_run)(&other.s, all, &c);
            }
        double out = 0, in = 0;
        for (int m = 0; m < 3; m++) largest(&world, m, &out, &in);
        cr_assert(in > 1e-3 && out <= 0); /* E lies on the faces, within */
        cr_assert_eq(memcmp(world.memory, other.memory, 6 * world.size * sizeof(real)), 0, "direction %d", direction);
        yee_world_free(&world);
        yee_world_free(&other);
    }
}

Test(incident, any_cut)
{
    const int n[3] = {20, 18, 16};
    const double d[3] = {0.01, 0.012, 0.009};
    for (int direction = PLUS_X; direction <= OBLIQUE; direction++) {
        yee_world_make(&world, n, d, 1, closed, 0.99, 1, 1);
        wave_set(&world, direction, 15, 0.01);
        world.p.plane_wave_theta = 50, world.p.plane_wave_phi = 70;
        yee_world_make(&other, n, d, 1, closed, 0.99, 1, 1);
        other.p = world.p;
        other.pieces = 1;
        cr_assert(!yee_world_bind(&world, 0) && !yee_world_bind(&other, 0));
        for (int step = 0; step < 60; step++) yee_world_step(&world), yee_world_step(&other);
        cr_assert_eq(memcmp(world.memory, other.memory, 6 * world.size * sizeof(real)), 0, "direction %d", direction);
        yee_world_free(&world);
        yee_world_free(&other);
    }
}

/* Rows beyond the seam of a periodic domain get what the rows get that they repeat. */
Test(incident, rows_beyond_the_seam)
{
    const int n[3] = {20, 6, 16}, periodic[3] = {0, 1, 0};
    const double d[3] = {0.01, 0.01, 0.01};
    yee_world_make(&world, n, d, 1, periodic, 0.99, 1, 1);
    wave_set(&world, PLUS_X, 15, 0.01);
    cr_assert(!yee_world_bind(&world, 0));
    incident_prepare(world.incident, 70, 1, world.x.dt);
    const struct call c = {.ctx = &world.x};
    const struct box all = {0, n[0], 0, n[2], -1, n[1] + 1};
    yee_sources_run(&world, 1, all, &c);
    int changed = 0;
    for (int k = 0; k < n[2]; k++)
        for (int i = 0; i < n[0]; i++)
            for (int f = F_EX; f <= F_EZ; f++) {
                const real *const v = world.s.f[f];
                cr_assert_eq(v[yee_at(&world, i, -1, k)], v[yee_at(&world, i, 5, k)]);
                cr_assert_eq(v[yee_at(&world, i, 6, k)], v[yee_at(&world, i, 0, k)]);
                changed |= v[yee_at(&world, i, 6, k)] > 0 || v[yee_at(&world, i, 6, k)] < 0;
            }
    cr_assert(changed);
    yee_world_free(&world);
}

static void expect_refused(const char *message)
{
    sf_error_clear();
    cr_assert_eq(yee_world_bind(&world, 0), SF_NAMELIST);
    cr_assert(strstr(sf_error_text(), message), "'%s' lacks '%s'", sf_error_text(), message);
    yee_world_free(&world);
}

Test(incident, refused)
{
    const int n[3] = {20, 18, 16}, periodic[3] = {1, 1, 1};
    const double d[3] = {0.01, 0.01, 0.01};
    yee_world_make(&world, n, d, 1, closed, 0.99, 1, 1);
    wave_set(&world, PLUS_X, 15, 0.01);
    world.p.plane_wave_margin = 9;
    expect_refused("no room for its box along y");
    yee_world_make(&world, n, d, 1, closed, 0.99, 1, 1);
    wave_set(&world, PLUS_X, 15, 0.01);
    const double box[6] = {0.1, 0.2, -0.15, -0.1, 0.35, 0.4};
    memcpy(world.p.plane_wave_box, box, sizeof box);
    expect_refused("a cell before the west side");
    yee_world_make(&world, n, d, 1, periodic, 0.99, 1, 1);
    wave_set(&world, PLUS_X, 15, 0.01);
    memcpy(world.p.plane_wave_box, box, sizeof box);
    world.p.plane_wave_box[0] = 0.15, world.p.plane_wave_box[3] = 9;
    expect_refused("both faces or none");
}

/* A box that reaches a conductor: E must be normal to an electric one, H to a magnetic one. Waves along x, E at `turn`
 * from y. */
Test(incident, conductors_that_the_box_reaches)
{
    const int n[3] = {20, 18, 16};
    const double d[3] = {0.01, 0.01, 0.01};
    static const double whole[6] = {0.15, 0.25, -9, 9, -9, 9};
    static const double turns[] = {0, 30, 90, 180, 270};
    for (int a = AY; a <= AZ; a++)
        for (int high = 0; high < 2; high++)
            for (int magnetic = 0; magnetic < 2; magnetic++)
                for (int t = 0; t < 10; t++) {
                    const int along_y = t % 5 % 3 == 0, along_z = t % 5 == 2 || t % 5 == 4;
                    char message[64];
                    yee_world_make(&world, n, d, 1, closed, 0.99, 1, 1);
                    int *const side[3][2] = {{0},
                                             {&world.p.boundary_south, &world.p.boundary_north},
                                             {&world.p.boundary_bottom, &world.p.boundary_top}};
                    wave_set(&world, t < 5 ? PLUS_X : OBLIQUE, 15, 0.01);
                    world.p.plane_wave_theta = 90; /* E from -z on, towards y */
                    world.p.plane_wave_polarisation = t < 5 ? turns[t] : turns[t - 5] + 90;
                    memcpy(world.p.plane_wave_box, whole, sizeof whole);
                    world.p.plane_wave_box[2 * (3 - a)] =
                        place_at(&world.grid, 3 - a, 1, 4); /* across: before both sides */
                    world.p.plane_wave_box[2 * (3 - a) + 1] = place_at(&world.grid, 3 - a, 1, 12);
                    world.p.plane_wave_box[2 * a + !high] = place_at(&world.grid, a, 1, high ? 4 : 12);
                    *side[a][high] = magnetic ? EM_PMC : EM_PEC;
                    snprintf(message, sizeof message, "%s', and %c is not normal", magnetic ? "pmc" : "pec",
                             magnetic ? 'H' : 'E');
                    const int fits = (a == AY) != magnetic ? along_y : along_z;
                    if (!fits) expect_refused(message);
                    else {
                        cr_assert_eq(yee_world_bind(&world, 0), SF_OK, "%s", sf_error_text());
                        yee_world_free(&world);
                    }
                }
}

Test(incident, backgrounds)
{
    const int n[3] = {20, 18, 16};
    const double d[3] = {0.01, 0.01, 0.01};
    static const struct medium medium[] = {{.name = "glass", .epsilon = 4, .mu = 2},
                                           {.name = "wet", .epsilon = 4, .mu = 1, .sigma = 1e-9},
                                           {.name = "dull", .epsilon = 4, .mu = 1, .sigma_m = 1e-9}};
    static const char *const message[] = {NULL, "'wet', has losses", "'dull', has losses", "'pec'"};
    yee_world_make(&world, n, d, 1, closed, 0.99, 1, 1);
    for (int m = 0; m < 4; m++) {
        world.p.plane_wave_direction = 0; /* without a wave nothing matters */
        cr_assert_eq(
            incident_make(&world.incident, &world.p, &world.grid, world.axis, NULL, m < 3 ? &medium[m] : NULL, ""),
            SF_OK);
        cr_assert_null(world.incident);
        wave_set(&world, PLUS_X, 15, 0.01);
        world.p.plane_wave_margin = 4;
        sf_error_clear();
        const int rc =
            incident_make(&world.incident, &world.p, &world.grid, world.axis, NULL, m < 3 ? &medium[m] : NULL, "");
        cr_assert_eq(rc, m ? SF_NAMELIST : SF_OK, "%s", sf_error_text());
        if (m) cr_assert(strstr(sf_error_text(), message[m]), "%s", sf_error_text());
        incident_free(world.incident), world.incident = NULL;
    }
    yee_world_free(&world);
}

/* The line by itself: a pulse goes by, and nothing of it comes back from the absorber at the end. */
Test(incident, line_ends_in_nothing)
{
    enum { NODES = 30 };
    struct wave_line l;
    cr_assert_eq(wave_line_make(&l, NODES), SF_OK);
    for (int m = 0; m <= l.n; m++) wave_line_set(&l, m, 0.9 / 377, 0.9 * 377);
    wave_line_reset(&l, 0);
    double most = 0, back = 0;
    for (int step = 0; step < 4 * l.n; step++) {
        const double x = (step - 60) / 10.0, next = exp(-x * x / 2);
        wave_line_h(&l, next);
        wave_line_e(&l, next);
        for (int m = 1; m <= NODES; m++) *(step < 180 ? &most : &back) = fmax(step < 180 ? most : back, fabs(l.e[m]));
    }
    show("the end of the line", back);
    cr_assert(most > 0.99 && back < 1e-6, "%g of %g comes back", back, most);
    free(l.memory);
}
