/* Mie's series. SPDX-License-Identifier: MIT */
#include "command/mie.h"

#include <complex.h>
#include <math.h>

enum { TERMS = 120 };

struct coefficients {
    int n; /* terms */
    double complex a[TERMS + 1], b[TERMS + 1];
};

/* psi_n(x) = x j_n(x) by recurrence downward from far beyond what is needed, normalised by psi_0 = sin x or psi_1. */
static void psi_fill(double x, int n, double *psi)
{
    double above = 0, here = 1e-300;
    for (int m = n + 60; m >= 0; m--) {
        if (m <= n) psi[m] = here;
        const double below = m ? (2 * m + 1) / x * here - above : 0; /* psi_(m-1) */
        above = here, here = below;
        if (fabs(here) < 1e200) continue;
        here *= 1e-200, above *= 1e-200;
        for (int q = m; q <= n; q++) psi[q] *= 1e-200;
    }
    const double first = sin(x), second = sin(x) / x - cos(x);
    const double scale = fabs(first) > fabs(second) ? first / psi[0] : second / psi[1];
    for (int m = 0; m <= n; m++) psi[m] *= scale;
}

/* slope[m] = psi'_m(z) / psi_m(z), the logarithmic derivative, by recurrence downward, which forgets where it began:
 * that of complex z, too, where psi itself grows beyond all numbers. */
static void slope_fill(double complex z, int n, double complex *slope)
{
    double complex here = 0;
    for (int m = (int)fmax(n, cabs(z)) + 60; m > 0; m--) {
        if (m <= n) slope[m] = here;
        here = m / z - 1 / (here + m / z);
    }
}

static void coefficients_make(struct coefficients *c, double x, double complex index)
{
    const double complex inside = conj(index); /* the series is for exp(-i w t) */
    const int conducts = !(cabs(index) > 0);
    double psi[TERMS + 1];
    double complex slope[TERMS + 1];
    c->n = (int)fmin(x + 4.05 * cbrt(x) + 6, TERMS);
    psi_fill(x, c->n, psi);
    if (!conducts) slope_fill(inside * x, c->n, slope);
    /* xi_n = psi_n - i chi_n, chi_0 = cos x, chi_1 = cos x / x + sin x */
    double chi = cos(x) / x + sin(x), chi_before = cos(x);
    for (int n = 1; n <= c->n; n++) {
        const double complex xi = psi[n] - I * chi, xi_before = psi[n - 1] - I * chi_before;
        if (!conducts) {
            const double complex p = slope[n] / inside + n / x, q = slope[n] * inside + n / x;
            c->a[n] = (p * psi[n] - psi[n - 1]) / (p * xi - xi_before);
            c->b[n] = (q * psi[n] - psi[n - 1]) / (q * xi - xi_before);
        } else {
            c->a[n] = (psi[n - 1] - n * psi[n] / x) / (xi_before - n * xi / x);
            c->b[n] = psi[n] / xi;
        }
        const double next = (2 * n + 1) / x * chi - chi_before;
        chi_before = chi, chi = next;
    }
}

void mie_amplitudes(double size, double complex index, double theta, double complex s[2])
{
    struct coefficients c;
    coefficients_make(&c, size, index);
    const double mu = cos(theta * (3.14159265358979323846 / 180));
    double pi_before = 0, pi_here = 1; /* pi_0, pi_1 */
    double complex across = 0, along = 0;
    for (int n = 1; n <= c.n; n++) {
        const double tau = n * mu * pi_here - (n + 1) * pi_before, share = (2.0 * n + 1) / (n * (n + 1.0));
        across += share * (c.a[n] * pi_here + c.b[n] * tau);
        along += share * (c.a[n] * tau + c.b[n] * pi_here);
        const double next = ((2 * n + 1) * mu * pi_here - (n + 1) * pi_before) / n;
        pi_before = pi_here, pi_here = next;
    }
    s[0] = along, s[1] = across;
}

void mie_bistatic(double size, double complex index, double theta, double section[2])
{
    double complex s[2];
    mie_amplitudes(size, index, theta, s);
    for (int m = 0; m < 2; m++) section[m] = 4 * pow(cabs(s[m]) / size, 2);
}

double mie_scattering(double size, double complex index)
{
    struct coefficients c;
    double sum = 0;
    coefficients_make(&c, size, index);
    for (int n = 1; n <= c.n; n++) sum += (2 * n + 1) * (pow(cabs(c.a[n]), 2) + pow(cabs(c.b[n]), 2));
    return 2 * sum / (size * size);
}

double mie_extinction(double size, double complex index)
{
    struct coefficients c;
    double sum = 0;
    coefficients_make(&c, size, index);
    for (int n = 1; n <= c.n; n++) sum += (2 * n + 1) * creal(c.a[n] + c.b[n]);
    return 2 * sum / (size * size);
}
