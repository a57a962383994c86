/* What `sferic verify` holds the model against: the exact solutions solve their equations, and the table fails what is
 * out of its tolerance. SPDX-License-Identifier: MIT */
#include "command/verify_exact.h"

#include "command/verify.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <math.h>
#include <stdlib.h>

static const struct gravity_case channel = {.length = 300e3,
                                            .height = 10e3,
                                            .centre = 100e3,
                                            .radius = 5e3,
                                            .amplitude = 0.01,
                                            .T0 = 250,
                                            .surface_pressure = 1e5,
                                            .wind = 20,
                                            .g = 9.80665,
                                            .cp = 1004.5,
                                            .R = 287};

static struct gravity_wave *wave_at(double time)
{
    struct gravity_wave *const g = malloc(sizeof *g);
    cr_assert(g);
    gravity_wave_make(g, &channel, time);
    return g;
}

static double largest(double a, double b) { return a > b ? a : b; }
static double smallest(double a, double b) { return a < b ? a : b; }

/* Extremes at 1800 s of a solution evaluated independently, five digits. */
Test(verify_exact, gravity_wave_has_the_known_extremes)
{
    struct gravity_wave *const g = wave_at(1800);
    double w_max = 0, w_min = 0, T_max = 0, T_min = 0, u_max = 0, u_min = 0;
    for (double x = 0; x < channel.length; x += 125) {
        const struct gravity_column c = gravity_wave_column(g, x);
        for (double z = 0; z <= channel.height; z += 50) {
            const struct gravity_point p = gravity_column_at(g, &c, z);
            w_max = largest(w_max, p.w), w_min = smallest(w_min, p.w);
            T_max = largest(T_max, p.T), T_min = smallest(T_min, p.T);
            u_max = largest(u_max, p.u), u_min = smallest(u_min, p.u);
        }
    }
    cr_expect_float_eq(w_max, 3.3295e-3, 1e-6, "largest w %.6g", w_max);
    cr_expect_float_eq(w_min, -2.3355e-3, 1e-6, "smallest w %.6g", w_min);
    cr_expect_float_eq(T_max, 3.0425e-3, 1e-6, "largest T' %.6g", T_max);
    cr_expect_float_eq(T_min, -2.5369e-3, 1e-6, "smallest T' %.6g", T_min);
    cr_expect_float_eq(u_max, 7.6235e-3, 3e-6, "largest u' %.6g", u_max);
    cr_expect_float_eq(u_min, -7.6235e-3, 3e-6, "smallest u' %.6g", u_min);
    free(g);
}

Test(verify_exact, gravity_wave_begins_as_the_warm_spot)
{
    struct gravity_wave *const g = wave_at(0);
    for (double x = 80e3; x < 120e3; x += 1700)
        for (double z = 0; z <= channel.height; z += 700) {
            const struct gravity_point p = gravity_wave_at(g, x, z);
            const double X = (x - channel.centre) / channel.radius;
            const double T = channel.amplitude * exp(channel.g / (channel.R * channel.T0) * z / 2) * exp(-X * X) *
                             sin(M_PI * z / channel.height);
            cr_expect_float_eq(p.T, T, 1e-15);
            cr_expect_float_eq(p.u, 0, 0);
            cr_expect_float_eq(p.w, 0, 0);
            cr_expect_float_eq(p.p, 0, 0);
        }
    free(g);
}

Test(verify_exact, gravity_wave_keeps_to_its_channel)
{
    struct gravity_wave *const g = wave_at(1800);
    for (double x = 0; x < channel.length; x += 5000) {
        cr_expect_lt(fabs(gravity_wave_at(g, x, 0).w), 1e-18);
        cr_expect_lt(fabs(gravity_wave_at(g, x, channel.height).w), 1e-17);
        cr_expect_float_eq(gravity_wave_at(g, x, 3000).T, gravity_wave_at(g, x + channel.length, 3000).T, 1e-14);
    }
    free(g);
}

/* A term of an equation is as large as `size`: the sum of all terms must vanish against it. */
static void vanishes(double sum, double size, const char *what)
{
    cr_expect_lt(fabs(sum), 1e-5 * size, "%s: terms of %.3g leave %.3g", what, size, sum);
}

/* The linear equations of motion, continuity and energy, by centred differences of the solution. */
Test(verify_exact, gravity_wave_solves_the_linear_equations)
{
    const double t = 900, ht = 0.02, h = 20, gamma = channel.cp / (channel.cp - channel.R), U = channel.wind;
    struct gravity_wave *const before = wave_at(t - ht), *const now = wave_at(t), *const after = wave_at(t + ht);
    for (int n = 0; n < 24; n++) {
        const double x = 112e3 + 1300 * n, z = 900 + 350 * n;
        const double rho_0 =
            channel.surface_pressure / (channel.R * channel.T0) * exp(-channel.g * z / (channel.R * channel.T0));
        const double p_0 = rho_0 * channel.R * channel.T0, scale = channel.g / (channel.R * channel.T0);
        const struct gravity_point a = gravity_wave_at(before, x, z), b = gravity_wave_at(after, x, z);
        const struct gravity_point e = gravity_wave_at(now, x + h, z), w = gravity_wave_at(now, x - h, z);
        const struct gravity_point up = gravity_wave_at(now, x, z + h), down = gravity_wave_at(now, x, z - h);
        const struct gravity_point c = gravity_wave_at(now, x, z);
#define RATE(q) ((b.q - a.q) / (2 * ht) + U * (e.q - w.q) / (2 * h))
        const double p_x = (e.p - w.p) / (2 * h), p_z = (up.p - down.p) / (2 * h);
        const double div = (e.u - w.u) / (2 * h) + (up.w - down.w) / (2 * h);
        vanishes(rho_0 * RATE(u) + p_x, 1e-4, "eastward motion");
        vanishes(rho_0 * RATE(w) + p_z + channel.g * c.rho, 1e-3, "upward motion");
        vanishes(RATE(rho) + rho_0 * div - scale * rho_0 * c.w, 1e-6, "continuity");
        vanishes(RATE(p) - channel.g * rho_0 * c.w + gamma * p_0 * div, 0.1, "pressure");
        vanishes(c.T / channel.T0 - c.p / p_0 + c.rho / rho_0, 1e-5, "gas law");
#undef RATE
    }
    free(before);
    free(now);
    free(after);
}

Test(verify_exact, phase_speeds_are_the_published_ones)
{
    cr_expect_float_eq(phase_ratio(4), 0.849, 5e-4);
    cr_expect_float_eq(phase_ratio(8), 0.988, 5e-4);
    cr_expect_float_eq(phase_ratio(16), 0.9992, 5e-5);
    cr_expect_float_eq((1 - phase_ratio(200)) / (1 - phase_ratio(400)), 16, 0.01, "fourth order");
    cr_expect_float_eq(phase_ratio(2), 0, 1e-15, "the shortest wave stands");
    cr_expect_float_eq((1 - phase_ratio_tracer(40)) / (1 - phase_ratio_tracer(80)), 64, 1, "sixth order");
    cr_expect_float_eq(phase_ratio_tracer(4), 44 / 30. / (M_PI / 2), 1e-15);
    cr_expect_float_eq(phase_amplitude_tracer(4), exp(-4 * 8 / 60.), 1e-15);
    cr_expect_float_eq(log(phase_amplitude_tracer(80)) / log(phase_amplitude_tracer(160)), 32, 0.2, "fifth order");
}

/* exp(iz) to third order: the first missing term is (iz)^4/24. */
Test(verify_exact, rk3_factor_is_third_order)
{
    for (double z = 0.4; z > 0.01; z /= 2) {
        double re, im;
        rk3_factor(z, &re, &im);
        cr_expect_float_eq((cos(z) - re) / (z * z * z * z / 24), 1, 0.01);
        cr_expect_float_eq((sin(z) - im) / pow(z, 5), 1.0 / 120, 1e-4);
        cr_expect_float_eq(re * re + im * im, 1 - pow(z, 4) / 12 + pow(z, 6) / 36, 1e-15);
    }
}

/* Curl parallel to the flow, no divergence, and advection as the gradient of -|u|^2/2. */
Test(verify_exact, beltrami_flow_is_one)
{
    const struct beltrami b = {.A = 3, .k = 1.1, .l = 0.7, .m = 1.9};
    const double h = 1e-4, lambda = sqrt(b.k * b.k + b.l * b.l + b.m * b.m);
    for (int n = 0; n < 20; n++) {
        const double at[3] = {0.37 * n, 0.21 * n + 1, 0.53 * n - 2};
        double u[3], by[3][3], half[3], t[3];
        beltrami_at(&b, at[0], at[1], at[2], u);
        for (int a = 0; a < 3; a++) {
            double low[3], high[3];
            beltrami_at(&b, at[0] - (a == 0) * h, at[1] - (a == 1) * h, at[2] - (a == 2) * h, low);
            beltrami_at(&b, at[0] + (a == 0) * h, at[1] + (a == 1) * h, at[2] + (a == 2) * h, high);
            for (int c = 0; c < 3; c++) by[a][c] = (high[c] - low[c]) / (2 * h);
            half[a] = (high[0] * high[0] + high[1] * high[1] + high[2] * high[2] - low[0] * low[0] - low[1] * low[1] -
                       low[2] * low[2]) /
                      (4 * h);
        }
        const double curl[3] = {by[1][2] - by[2][1], by[2][0] - by[0][2], by[0][1] - by[1][0]};
        beltrami_advection(&b, at[0], at[1], at[2], t);
        cr_expect_float_eq(by[0][0] + by[1][1] + by[2][2], 0, 1e-6);
        for (int c = 0; c < 3; c++) {
            cr_expect_float_eq(fabs(curl[c]), lambda * fabs(u[c]), 1e-6, "curl %g, u %g", curl[c], u[c]);
            cr_expect_float_eq(t[c], -half[c], 1e-5, "advection %g, gradient %g", t[c], -half[c]);
        }
    }
}

Test(verify_exact, table_fails_what_is_out_of_tolerance)
{
    struct verify v = {.full = 0};
    cr_redirect_stdout();
    verify_near(&v, "inside", 1.0, 1.1, 0.2, "");
    verify_near(&v, "exactly", 2.0, 2.0, 0, "");
    verify_least(&v, "enough", 1.9, 1.9, "");
    verify_most(&v, "little", 0.5, 0.6, "");
    verify_show(&v, "shown", NAN, 1, "");
    verify_skip(&v, "left out", "");
    cr_expect_eq(v.verified, 4);
    cr_expect_eq(v.failed, 0);
    cr_expect_eq(v.skipped, 1);
    verify_near(&v, "outside", 1.0, 1.3, 0.2, "");
    verify_near(&v, "no number", NAN, 1, 1e9, "");
    verify_least(&v, "too little", 1.8, 1.9, "");
    verify_least(&v, "no number", NAN, 1.9, "");
    verify_most(&v, "too much", 0.7, 0.6, "");
    verify_most(&v, "no number", NAN, 0.6, "");
    cr_expect_eq(v.verified, 10);
    cr_expect_eq(v.failed, 6);
    cr_expect_eq(v.guarded, 0);
}

Test(verify_exact, table_tells_guards_from_verifications)
{
    struct verify v = {.full = 0};
    cr_redirect_stdout();
    verify_guard_near(&v, "as before", 1.0, 1.1, 0.2);
    verify_guard_most(&v, "no more than before", 0.5, 0.6);
    verify_most_guarded(&v, "within both", 0.5, 0.9, 0.6, "");
    cr_expect(v.guarded == 3 && v.changed == 0 && v.verified == 1 && v.failed == 0);
    verify_guard_near(&v, "changed", 1.0, 1.3, 0.2);
    verify_guard_near(&v, "no number", NAN, 1.3, 0.2);
    verify_guard_most(&v, "more than before", 0.7, 0.6);
    cr_expect(v.guarded == 6 && v.changed == 3);
    verify_most_guarded(&v, "verified, yet changed", 0.7, 0.9, 0.6, "");
    cr_expect(v.changed == 4 && v.failed == 0);
    verify_most_guarded(&v, "wrong", 1.0, 0.9, 0.6, ""); /* counts once, as wrong */
    verify_most_guarded(&v, "no number", NAN, 0.9, 0.6, "");
    cr_expect(v.changed == 4 && v.failed == 2 && v.verified == 4 && v.guarded == 9);
}
