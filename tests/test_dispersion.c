/* Media that disperse, by whole steps of the program: waves of one wavelength against the exact frequencies of the
 * scheme, energy that never grows, mixtures at interfaces, and what is refused. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "maxwell/own.h"
#include "pipeline/error.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 24 };

static struct session session;
static const struct maxwell_own *own;

static void open_case(const char *text)
{
    weather_open(&session, text);
    own = session.in.own;
}

static real *at(int field, int i) { return weather_at(&session, field, i, 0, 0); }

/* ---- a wave ---- */

static double complex epsilon_of(const struct medium *m, double complex w, double dt)
{
    const double complex s = I * 2 / dt * ctan(0.5 * w * dt);
    double complex e = m->epsilon + m->sigma / (em_eps0 * s);
    for (int n = 0; n < m->npoles; n++) {
        const struct pole p = pole_stepped(&m->pole[n], dt);
        const double complex of = p.s[0] + I * p.s[1], r = p.r[0] + I * p.r[1];
        e += r / (s - of);
        if (fabs(p.s[1]) > 0) e += conj(r) / (s - conj(of));
    }
    return e;
}

/* (2 / dt sin(w dt / 2))^2 eps = c^2 K^2. */
static double complex frequency_of(const struct medium *m, double K, double complex w, double dt)
{
    for (int n = 0; n < 80; n++) {
        double complex f[3];
        const double complex d = 1e-6 * w, at_w[3] = {w, w + d, w - d};
        for (int q = 0; q < 3; q++) {
            const double complex sine = 2 / dt * csin(0.5 * at_w[q] * dt);
            f[q] = (sine * sine * epsilon_of(m, at_w[q], dt) - em_c * em_c * K * K) * dt * dt;
        }
        w -= f[0] * 2 * d / (f[1] - f[2]);
    }
    return w;
}

static double amplitude(int field, double half)
{
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (double)*at(field, i) * cos(2 * M_PI * (i + half) / N);
    return 2 * sum / N;
}

/* One wave of Ez and Hy in a periodic line begins with E alone. After a while E is a sum of the scheme's own
 * frequencies: those of the wave and of each pole. The recursion that a sum of so many exponentials obeys is made of
 * the exact frequencies and must annul what the program makes. */
static void wave_check(const char *poles, double epsilon, const double complex *guess, int modes)
{
    char text[2048];
    const double dx = 1e-3, dt = 0.9 * dx / em_c;
    snprintf(
        text, sizeof text,
        "&case model = 'maxwell' /\n&grid nx = %d, ny = 1, nz = 2, dx = %.17g, dy = 1, dz = 1 /\n"
        "&time duration = 1, dt = %.17g /\n"
        "&boundary west = 'periodic', east = 'periodic', south = 'periodic', north = 'periodic', bottom = 'periodic', top = "
        "'periodic' /\n&medium name = 'matter', epsilon = %g /\n%s\n&geometry background = 'matter' /\n",
        N, dx, dt, epsilon, poles);
    open_case(text);
    const struct medium *const m = &own->media.medium[MEDIUM_GIVEN];
    const double K = 2 / dx * sin(M_PI / N);
    /* Roots z = exp(i w dt) and their conjugates: coefficients of the polynomial that has them. */
    double c[17] = {1};
    int order = 0;
    for (int n = 0; n < modes; n++) {
        const double complex w = frequency_of(m, K, guess[n] / dt, dt), z = cexp(I * w * dt);
        const int is_real = fabs(cimag(z)) < 1e-9;
        double next[17] = {0};
        for (int q = 0; q <= order; q++) {
            next[q] += c[q];
            next[q + 1] += -(is_real ? 1 : 2) * creal(z) * c[q];
            if (!is_real) next[q + 2] += creal(z) * creal(z) * c[q] + cimag(z) * cimag(z) * c[q];
        }
        memcpy(c, next, sizeof c);
        order += is_real ? 1 : 2;
    }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 2; k++) *weather_at(&session, F_EZ, i, 0, k) = (real)cos(2 * M_PI * i / N);
    double e[300], most = 0, off = 0;
    for (int n = 0; n < 300; n++) {
        e[n] = amplitude(F_EZ, 0);
        cr_assert_eq(session_advance(&session, 1), SF_OK, "%s", sf_error_text());
    }
    for (int n = 1; n + order < 300; n++) {
        double sum = 0, size = 0;
        for (int q = 0; q <= order; q++) sum += c[q] * e[n + order - q], size += fabs(c[q] * e[n + order - q]);
        off = fmax(off, fabs(sum)), most = fmax(most, size);
    }
    cr_assert(off <= (sizeof(real) == 8 ? 1e-12 : 2e-6) * most, "%s: off by %g of %g", poles, off, most);
    cr_assert(fabs(e[40] - e[0]) > 1e-3);
    session_close(&session);
}

Test(dispersion, waves_have_the_frequencies_of_the_scheme, .timeout = 120)
{
    const double dt = 0.9e-3 / em_c;
    char text[512];
    snprintf(text, sizeof text, "&pole medium = 'matter', kind = 'debye', strength = 3, tau = %.17g /", 4 * dt);
    wave_check(text, 2, (const double complex[]){0.13 + 0.01 * I, 0.4 * I}, 2);
    snprintf(text, sizeof text, "&pole medium = 'matter', kind = 'drude', omega = %.17g, gamma = %.17g /", 0.2 / dt,
             0.01 / dt);
    wave_check(text, 1, (const double complex[]){0.31 + 0.002 * I, 0.006 * I}, 2);
    snprintf(text, sizeof text,
             "&pole medium = 'matter', kind = 'lorentz', strength = 1.5, omega = %.17g, gamma = %.17g /", 0.2 / dt,
             0.02 / dt);
    wave_check(text, 2.25, (const double complex[]){0.11 + 0.001 * I, 0.29 + 0.008 * I}, 2);
    snprintf(
        text, sizeof text,
        "&pole medium = 'matter', kind = 'pair', pole_re = %.17g, pole_im = %.17g, residue_re = %.17g, residue_im = %.17g /",
        -0.02 / dt, 0.3 / dt, 0.01 / dt, -0.1 / dt);
    wave_check(text, 1.5, (const double complex[]){0.17 + 0.001 * I, 0.36 + 0.01 * I}, 2);
}
