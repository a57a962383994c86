/* Linear waves over hills: against closed forms, what steady linear flow obeys, and integrals made otherwise.
 * SPDX-License-Identifier: MIT */
#include "command/mountain.h"
#include "dynamics/hill.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { POINTS = 48, MOST = 1024 };

static const double pi = 3.14159265358979323846;
static const double g = 9.80665;

static struct mountain_air boussinesq(double wind, double n) { return (struct mountain_air){wind, n, INFINITY, 0}; }

/* At rest at 250 K: R 287 J/kg/K, cp 1004.5 J/kg/K. */
static struct mountain_air isothermal(double wind)
{
    return (struct mountain_air){wind, g / sqrt(1004.5 * 250), 287 * 250 / g, g};
}

static const double begins = 0.4; /* no hill is the same turned round */

/* Waves at z over h cos(k x + begins), k of `waves` in POINTS points. */
static void sinusoid(const struct mountain_air *air, double h, int waves, double k, double z, double w[POINTS],
                     double u[POINTS])
{
    double hill[POINTS];
    for (int i = 0; i < POINTS; i++) hill[i] = h * cos(2 * pi * waves * i / POINTS + begins);
    cr_assert_eq(mountain_linear(air, POINTS, 2 * pi * waves / (k * POINTS), hill, 1, &z, NULL, w, u), 0);
}

/* Air goes over h cos(k x) as h cos(k x + m z), m with the sign of k U: phases tilt against the wind. w = U d/dx, u =
 * -U d/dz of that. */
Test(mountain, upward)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        const double U = 12.0 * sign, N = 0.011, k = 2 * pi / 20e3, m = sign * sqrt(N * N / (U * U) - k * k), z = 3100;
        const struct mountain_air air = boussinesq(U, N);
        double w[POINTS], u[POINTS];
        sinusoid(&air, 7, 3, k, z, w, u);
        for (int i = 0; i < POINTS; i++) {
            const double phase = 6 * pi * i / POINTS + begins + m * z;
            cr_expect(fabs(w[i] + 7 * U * k * sin(phase)) < 1e-12, "%d: w %.15g", i, w[i]);
            cr_expect(fabs(u[i] - 7 * U * m * sin(phase)) < 1e-12, "%d: u %.15g", i, u[i]);
        }
    }
}

/* k U > N: air goes as h cos(k x) exp(-q z). */
Test(mountain, evanescent)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        const double U = 20.0 * sign, N = 0.01, k = 2 * pi / 3e3, q = sqrt(k * k - N * N / (U * U)), z = 400;
        const struct mountain_air air = boussinesq(U, N);
        double w[POINTS], u[POINTS];
        sinusoid(&air, 7, 5, k, z, w, u);
        for (int i = 0; i < POINTS; i++) {
            const double phase = 10 * pi * i / POINTS + begins, falls = 7 * U * exp(-q * z);
            cr_expect(fabs(w[i] + falls * k * sin(phase)) < 1e-12, "%d: w %.15g", i, w[i]);
            cr_expect(fabs(u[i] - falls * q * cos(phase)) < 1e-12, "%d: u %.15g", i, u[i]);
        }
    }
}

/* An isothermal atmosphere obeys, p' = -rho U u, w = U eta_x, theta' / theta = -N^2 / g eta,
 *
 *     U p'_x - rho g w + rho c^2 (u_x + w_z) = 0
 *     rho U w_x + p'_z + g (p' / c^2 - rho theta' / theta) = 0
 *
 * with c^2 = 1.4 R T. Values of k x = 0 are amplitudes of cosines, those of a quarter of a wave further of -sines. */
static void compressible_check(double U, double k)
{
    enum { STEPS = 2 }; /* to each side, for slopes of the fourth order */
    const double c2 = 1004.5 / (1004.5 - 287) * 287 * 250, H = 287 * 250 / g, N2 = g * g / (1004.5 * 250), dz = 20,
                 z0 = 4e3;
    const struct mountain_air air = isothermal(U);
    double complex w[2 * STEPS + 1], p[2 * STEPS + 1]; /* p' / (rho(0) U) and w, over exp(i k x) */
    for (int s = 0; s <= 2 * STEPS; s++) {
        double x[POINTS], y[POINTS];
        const double z = z0 + (s - STEPS) * dz;
        sinusoid(&air, 7, 1, k, z, x, y);
        w[s] = x[0] - I * x[POINTS / 4];
        p[s] = -exp(-z / H) * (y[0] - I * y[POINTS / 4]);
    }
    const double complex w_z = (w[0] - 8 * w[1] + 8 * w[3] - w[4]) / (12 * dz), here = w[STEPS];
    const double complex p_z = (p[0] - 8 * p[1] + 8 * p[3] - p[4]) / (12 * dz);
    const double rho = exp(-z0 / H);
    const double complex u = -p[STEPS] / rho, eta = here / (I * k * U);
    const double complex mass = -U * U * I * k * u - g * here + c2 * (I * k * u + w_z);
    const double complex up = rho * U * I * k * here + U * p_z + g * (U * p[STEPS] / c2 + rho * N2 / g * eta);
    cr_expect(cabs(mass) < 1e-5 * c2 * cabs(w_z), "mass: %g of %g", cabs(mass), c2 * cabs(w_z));
    cr_expect(cabs(up) < 1e-5 * U * cabs(p_z), "momentum: %g of %g", cabs(up), U * cabs(p_z));
}
Test(mountain, compressible)
{
    compressible_check(60, 2 * pi / 60e3);
    compressible_check(60, 2 * pi / 6e3);
    compressible_check(20, 2 * pi / 200e3);
}

/* Queney's hydrostatic flow over a ridge, repeated every L: with q = exp(2 pi (i x - a) / L) the hill is h a pi/L (1 +
 * 2 Re q/(1 - q)), what air at z has risen h a pi/L Re exp(i z N/U) (1 + 2 q/(1 - q)). N a / U = 2000. */
Test(mountain, queney)
{
    enum { N = 512 };
    const double U = 1, brunt = 0.02, a = 100e3, h = 10, dx = a / 8, L = N * dx;
    const double z[2] = {0, 90}, l = brunt / U;
    const struct mountain_air air = boussinesq(U, brunt);
    double hill[N], w[2 * N], u[2 * N];
    for (int i = 0; i < N; i++) {
        const double x = (i - N / 2) * dx;
        const double complex q = cexp(2 * pi / L * (I * x - a));
        hill[i] = h * a * pi / L * (1 + 2 * creal(q / (1 - q)));
    }
    cr_expect(fabs(hill[N / 2] - hill_ridge(h, a, 0)) < 0.01 && fabs(hill[N / 2 + 8] - hill_ridge(h, a, a)) < 0.01);
    cr_assert_eq(mountain_linear(&air, N, dx, hill, 2, z, NULL, w, u), 0);
    for (int i = 0; i < 2 * N; i++) {
        const double x = (i % N - N / 2) * dx;
        const double complex q = cexp(2 * pi / L * (I * x - a)),
                             risen = 2 * h * a * pi / L * cexp(I * l * z[i / N]) * q / (1 - q);
        const double complex changes = 2 * pi / L * I * risen / (1 - q), mean = h * a * pi / L * cexp(I * l * z[i / N]);
        cr_expect(fabs(w[i] - U * creal(changes)) < 2e-6 * U * h / a, "%d: w %.9g", i, w[i]);
        cr_expect(fabs(u[i] + U * l * creal(I * (risen + mean))) < 2e-6 * brunt * h, "%d: u %.9g", i, u[i]);
        /* alone, h a (a cos l z - x sin l z) / (a^2 + x^2): what the others add is some (a / L)^2 */
        const double c = cos(l * z[i / N]), s = sin(l * z[i / N]), square = a * a + x * x;
        const double rises = -h * a * (s + 2 * x * (a * c - x * s) / square) / square;
        cr_expect(fabs(w[i] - U * rises) < 2e-3 * U * h / a, "%d: w %.9g, alone %.9g", i, w[i], U * rises);
    }
}

/* rho <u w> of waves over a ridge, 256 half-widths a period: of 1 kg/m3 at the ground. */
static double ridge_flux(const struct mountain_air *air, double a, double z)
{
    const double dx = a / 4, grown = exp(z / (2 * air->scale_height));
    double hill[MOST], sum = 0;
    static double w[MOST], u[MOST];
    for (int i = 0; i < MOST; i++) hill[i] = hill_ridge(1, a, (i - MOST / 2) * dx);
    cr_assert_eq(mountain_linear(air, MOST, dx, hill, 1, &z, NULL, w, u), 0);
    for (int i = 0; i < MOST; i++) sum += w[i] * u[i] * dx;
    return sum / (grown * grown);
}

Test(mountain, flux)
{
    const struct mountain_air plain = boussinesq(10, 0.01), other = boussinesq(-10, 0.01);
    const double wide = mountain_drag_hydrostatic(1, 0.01, 10, 1);
    cr_expect(fabs(wide + pi / 40) < 1e-15);
    cr_expect(fabs(mountain_drag_hydrostatic(1.2, 0.01, 10, 3) / wide - 10.8) < 1e-12);
    for (int z = 0; z <= 9000; z += 4500)
        for (int half = 1; half <= 4; half *= 2) {
            const double flux = ridge_flux(&plain, 1e3 * half, z) / wide, ratio = mountain_flux_ratio(half);
            cr_expect(fabs(flux - ratio) < 5e-4, "%d a U/N, %d m: %.7g for %.7g", half, z, flux, ratio);
            cr_expect(fabs(ridge_flux(&other, 1e3 * half, z) / wide + flux) < 1e-12, "%d a U/N: turned round", half);
        }
}

/* -0.428424 N/m of a ridge of 1 m in 20 m/s at 250 K and 1e5 Pa: with the model's constants, g 9.80665, cp 1004.5 and
 * R 287 (not with g 9.81 or R 287.05). What thins and compresses makes 1.0016 of it. */
Test(mountain, isothermal)
{
    const struct mountain_air air = isothermal(20);
    const double rho = 1e5 / (287.0 * 250), M2 = 400 / (1.4 * 287 * 250),
                 share = 20 / (2 * air.brunt_vaisala * air.scale_height);
    const double wide = mountain_drag_hydrostatic(rho, air.brunt_vaisala, 20, 1);
    cr_expect(fabs(wide + 0.428424) < 5e-7, "%.7f", wide);
    for (int z = 0; z <= 10000; z += 10000) {
        const double flux = rho * ridge_flux(&air, 100e3, z) / wide, exact = sqrt(1 - share * share) / (1 - M2);
        cr_expect(fabs(flux / exact - 1) < 3e-4, "%d m: %.7g for %.7g", z, flux, exact);
    }
}

/* 4 x^2 / 3 - pi x (I_2(2x) - L_2(2x)), by mpmath with 30 digits; both ends by their laws. */
Test(mountain, ratio)
{
    static const double known[][2] = {{0.01, 0.000131773151515849}, {0.1, 0.011864164491396}, {0.5, 0.190014132940549},
                                      {1, 0.457810232261685},       {2, 0.780509355737763},   {5, 0.967997061504073},
                                      {10, 0.992400609905593},      {20, 0.998119061445148},  {100, 0.999924990620073}};
    for (unsigned n = 0; n < sizeof known / sizeof known[0]; n++)
        cr_expect(fabs(mountain_flux_ratio(known[n][0]) - known[n][1]) < 1e-13, "%g: %.15g", known[n][0],
                  mountain_flux_ratio(known[n][0]));
    cr_expect(fabs(mountain_flux_ratio(0)) < 1e-15);
    cr_expect(fabs(mountain_flux_ratio(1e4) - (1 - 0.75e-8)) < 1e-13);
}

/* Schaer et al. (2002): h 250 m, a 5 km, lambda 4 km, U 10 m/s, N 0.01 1/s, Boussinesq; x from the summit. By Python:
 * Gauss's rule of 4000 points over k = N/U sin t and over k = N/U (1 + s^2) of the hill's spectrum, in closed form, one
 * hill alone. Here there is one every 512 km: waves of k = N/U trail far behind each. */
static const struct {
    int km;
    double x, w, u; /* km, m/s */
} schaer[] = {{0, 1, -1.98258, .12508}, {0, 3, 1.16058, .92034}, {2, -2, -.15571, .96969}, {2, 1, -.44682, 1.02615},
              {4, -6, -.10704, .20308}, {4, 0, .11419, -.73410}, {4, 3, .30977, -1.13885}, {8, -2, -.09889, .85215},
              {8, 1, -.24459, 1.14250}, {8, 7, .07862, .21494}};
static const struct {
    int km;
    double most, least; /* of w at all multiples of 250 m */
} extremes[] = {{0, 1.98258, -1.98258}, {2, 0.12573, -0.44682}, {4, 0.31386, -0.12571}, {8, 0.16856, -0.25233}};

Test(mountain, schaer)
{
    enum { N = 2048, LEVELS = 9 };
    const struct mountain_air air = boussinesq(10, 0.01);
    static double hill[N], z[LEVELS], w[LEVELS][N], u[LEVELS][N];
    for (int i = 0; i < N; i++) hill[i] = hill_schaer(250, 5000, 4000, (i - N / 2) * 250.0);
    for (int l = 0; l < LEVELS; l++) z[l] = 1000 * l;
    cr_assert_eq(mountain_linear(&air, N, 250, hill, LEVELS, z, NULL, w[0], u[0]), 0);
    for (unsigned n = 0; n < sizeof schaer / sizeof schaer[0]; n++) {
        const int i = N / 2 + (int)lround(4 * schaer[n].x), l = schaer[n].km;
        cr_expect(fabs(w[l][i] - schaer[n].w) < 3e-4, "%u: w %.6f", n, w[l][i]);
        cr_expect(fabs(u[l][i] - schaer[n].u) < 3e-4, "%u: u %.6f", n, u[l][i]);
    }
    for (unsigned n = 0; n < sizeof extremes / sizeof extremes[0]; n++) {
        double most = 0, least = 0;
        for (int i = 0; i < N; i++) most = fmax(most, w[extremes[n].km][i]), least = fmin(least, w[extremes[n].km][i]);
        cr_expect(fabs(most - extremes[n].most) < 5e-4, "%d km: most w %.6f", extremes[n].km, most);
        cr_expect(fabs(least - extremes[n].least) < 5e-4, "%d km: least w %.6f", extremes[n].km, least);
    }
}

/* What waves grow by, where it is given, multiplies all: levels lie one behind the other. */
Test(mountain, growth)
{
    const struct mountain_air air = isothermal(15);
    const double z[2] = {2e3, 5e3}, grown[2] = {1.25, 1.5};
    double hill[POINTS], w[2][2][POINTS], u[2][2][POINTS];
    for (int i = 0; i < POINTS; i++) hill[i] = hill_ridge(100, 5e3, (i - POINTS / 2) * 2e3);
    cr_assert_eq(mountain_linear(&air, POINTS, 2e3, hill, 2, z, NULL, w[0][0], u[0][0]), 0);
    cr_assert_eq(mountain_linear(&air, POINTS, 2e3, hill, 2, z, grown, w[1][0], u[1][0]), 0);
    for (int l = 0; l < 2; l++)
        for (int i = 0; i < POINTS; i++) {
            const double share = exp(z[l] / (2 * air.scale_height)) / grown[l];
            cr_expect(fabs(w[1][l][i] * share - w[0][l][i]) < 1e-12);
            cr_expect(fabs(u[1][l][i] * share - u[0][l][i]) < 1e-12);
        }
}

/* The shortest wave, of two dx, is left out; of an odd number of points there is none. */
Test(mountain, shortest)
{
    const struct mountain_air air = boussinesq(10, 0.01);
    const double z = 100, even[6] = {1, -1, 1, -1, 1, -1}, odd[3] = {1, -0.5, -0.5};
    double w[6], u[6];
    cr_assert_eq(mountain_linear(&air, 6, 500, even, 1, &z, NULL, w, u), 0);
    for (int i = 0; i < 6; i++) cr_expect(fabs(w[i]) < 1e-12 && fabs(u[i]) < 1e-12);
    cr_assert_eq(mountain_linear(&air, 3, 500, odd, 1, &z, NULL, w, u), 0);
    cr_expect(fabs(u[0]) > 1e-3 && fabs(w[1] + w[2]) < 1e-12 && fabs(w[1]) > 1e-3);
}
