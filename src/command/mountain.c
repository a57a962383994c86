/* Linear waves over hills, each wavenumber by itself.
 *
 * Steady, U and T constant; what w has of a wavenumber k is sqrt(rho(0)/rho(z)) W(z) exp(i k x), with the ground W(0) =
 * i k U hill(k), and
 *
 *     W'' + (N^2/U^2 - 1/4H^2 - b k^2) W = 0,    b = 1 - U^2/c^2,    g/c^2 = 1/H - N^2/g
 *     b i k u = (g/c^2 - 1/2H) w - sqrt(rho(0)/rho(z)) W'
 *
 * Where the bracket, m^2, is positive W = W(0) exp(i m z): energy goes upward with the sign of m that of k U (Eliassen
 * and Palm 1960), phases tilt against the wind. Elsewhere W falls as exp(-abs(m) z). Boussinesq: 1/H = 1/c = 0.
 *
 * With x = N a / U and s = k U / N a ridge, whose spectrum is exp(-k a), carries, of the same without the root,
 *
 *     integral_0^1 s sqrt(1 - s^2) exp(-2 x s) ds / integral_0^inf s exp(-2 x s) ds
 *         = (2x)^2 integral_0^(pi/2) sin t cos^2 t exp(-2 x sin t) dt
 *         = (2x)^2 (1/3 - pi/4x (I_2(2x) - L_2(2x)))                I: Bessel, L: Struve, modified
 *
 * SPDX-License-Identifier: MIT */
#include "command/mountain.h"

#include "pipeline/error.h"
#include "pipeline/sferic.h"

#include <complex.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* What all wavenumbers share. */
struct column {
    double wind, square; /* U; N^2/U^2 - 1/4H^2 */
    double b, lean; /* 1 - U^2/c^2; g/c^2 - 1/2H */
};

static struct column column_of(const struct mountain_air *a)
{
    const double n2 = a->brunt_vaisala * a->brunt_vaisala, u2 = a->wind * a->wind, thins = 1 / a->scale_height;
    const double squeeze = thins > 0 ? thins - n2 / a->gravity : 0; /* g/c^2 */
    return (struct column){a->wind, n2 / u2 - thins * thins / 4, thins > 0 ? 1 - u2 * squeeze / a->gravity : 1,
                           squeeze - thins / 2};
}

/* w[0] and u, w[1], of wavenumber k >= 0 at height z over a hill of exp(i k x), without what waves grow by. The real
 * part of k = 0 is the mean of the limits from both sides. */
static void wave_at(const struct column *c, double k, double z, double complex w[2])
{
    const double square = c->square - c->b * k * k, m = __builtin_sqrt(__builtin_fabs(square));
    const double up = c->wind > 0 ? m : -m; /* its sign is that of k U */
    const double complex phase = square > 0 ? sfd_cos(up * z) + I * sfd_sin(up * z) : sfd_exp(-m * z);
    const double complex slope = square > 0 ? I * up : -m; /* W' / W */
    w[0] = I * k * c->wind * phase;
    w[1] = c->wind / c->b * (c->lean - slope) * phase; /* as W(0) / i k = U hill(k) */
}

/* turn[n]: exp(2 pi i q / n). form[waves]: what the hill has of j waves a period, twice, for those of -j, but the mean.
 */
static void hill_form(int n, const double *hill, const double complex *turn, int waves, double complex *form)
{
    for (int j = 0; j < waves; j++) {
        double complex sum = 0;
        for (int i = 0, q = 0; i < n; i++) {
            sum += hill[i] * conj(turn[q]);
            q += j, q -= q < n ? 0 : n;
        }
        form[j] = sum * (j ? 2 : 1) / n;
    }
}

/* The real parts of amount[0] and amount[1] times the wave of j a period, added to w and u. */
static void wave_add(int n, int j, const double complex *turn, const double complex amount[2], double *w, double *u)
{
    const double w_re = creal(amount[0]), w_im = cimag(amount[0]), u_re = creal(amount[1]), u_im = cimag(amount[1]);
    for (int i = 0, q = 0; i < n; i++) {
        const double c = creal(turn[q]), s = cimag(turn[q]);
        w[i] += w_re * c - w_im * s;
        u[i] += u_re * c - u_im * s;
        q += j, q -= q < n ? 0 : n;
    }
}

int mountain_linear(const struct mountain_air *air, int n, double dx, const double *hill, int levels, const double *z,
                    const double *growth, double *w, double *u)
{
    const int waves = (n + 1) / 2;
    const struct column c = column_of(air);
    double complex *const turn = malloc(2 * (size_t)n * sizeof *turn), *const form = turn ? turn + n : NULL;
    SF_CHECK(turn, SF_MEMORY, "no memory for waves over a hill of %d points", n);
    for (int q = 0; q < n; q++) turn[q] = sfd_cos(2 * pi * q / n) + I * sfd_sin(2 * pi * q / n);
    hill_form(n, hill, turn, waves, form);
    for (int l = 0; l < levels; l++) {
        const double grown = growth ? growth[l] : sfd_exp(z[l] / (2 * air->scale_height));
        double *const w_here = w + (ptrdiff_t)l * n, *const u_here = u + (ptrdiff_t)l * n;
        for (int i = 0; i < n; i++) w_here[i] = u_here[i] = 0;
        for (int j = 0; j < waves; j++) {
            double complex wave[2];
            wave_at(&c, 2 * pi * j / (n * dx), z[l], wave);
            wave[0] *= grown * form[j], wave[1] *= grown * form[j];
            wave_add(n, j, turn, wave, w_here, u_here);
        }
    }
    free(turn);
    return SF_OK;
}

double mountain_drag_hydrostatic(double rho, double brunt_vaisala, double wind, double h)
{
    return -pi / 4 * rho * brunt_vaisala * wind * h * h;
}

double mountain_flux_ratio(double x)
{
    static const double node[3] = {0, 0.5384693101056831, 0.9061798459386640}; /* Gauss and Legendre */
    static const double weight[3] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    enum { PIECES = 128 };
    const double b = 2 * x, end = SF_MIN(pi / 2, 60 / b), half = end / (2 * PIECES); /* beyond: exp(-38) */
    double sum = 0;
    for (int p = 0; p < PIECES; p++)
        for (int q = -2; q <= 2; q++) {
            const double t = half * (2 * p + 1 + (q < 0 ? -node[-q] : node[q])), s = sfd_sin(t), c = sfd_cos(t);
            sum += weight[q < 0 ? -q : q] * half * (s * c * c * sfd_exp(-b * s));
        }
    return b * b * sum;
}
