/* Figures of a sounding: that of Weisman and Klemp (1982) by value, exact winds, and air without a parcel that rises.
 * SPDX-License-Identifier: MIT */
#include "dynamics/parcel.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { LEVELS = 1801 };
static double z[LEVELS], pi[LEVELS], theta[LEVELS], qv[LEVELS], u[LEVELS], v[LEVELS];
static const struct parcel_air air = {LEVELS, z, pi, theta, qv, u, v, 1e5};
static const struct vapour water = {461.5, 1870, 4190, 2.501e6, 611.2, 17.67, 29.65};
static const struct base_constants constants = {.g = 9.81, .cp = 1005.7, .R = 287.04, .p00 = 1e5, .vapour = &water};

/* Levels of 10 m in hydrostatic balance; qv at saturation is taken with the pressure of the level below, 10 m lower. */
static void sounding_make(double most)
{
    for (int k = 0; k < LEVELS; k++) {
        z[k] = 10 * k;
        const double share = pow(z[k] / 12000, 1.25);
        theta[k] = z[k] <= 12000 ? 300 + 43 * share : 343 * exp(9.81 * (z[k] - 12000) / (1005.7 * 213));
        pi[k] = k ? pi[k - 1] : 1;
        for (int turn = 0; turn < 5; turn++) {
            const double t = theta[k] * pi[k], p = 1e5 * pow(pi[k], 1005.7 / 287.04),
                         es = 611.2 * exp(17.67 * (t - 273.15) / (t - 29.65)), full = 287.04 / 461.5 * es / (p - es);
            qv[k] = fmin(most, (z[k] <= 12000 ? 1 - 0.75 * share : 0.25) * full);
            const double rho = theta[k] * (1 + 461.5 / 287.04 * qv[k]) / (1 + qv[k]);
            static double below;
            if (k) pi[k] = pi[k - 1] - 9.81 * 10 / (1005.7 * (rho + below) / 2);
            if (turn == 4) below = rho;
        }
    }
}

/* Computed by another program with steps of 1 m: CAPE 1939 and CIN -47.4 J/kg, LFC 1597 m, EL 11523 m; steps of 5 m and
 * levels of 10 m differ by a percent at most. LCL and water: of the paper's formulas, to the figures that are told. */
Test(parcel, weisman_klemp)
{
    struct parcel_figures f;
    sounding_make(0.014);
    parcel_figures_make(&f, &air, &constants);
    cr_assert_float_eq(1e5 * pow(pi[1200], 1005.7 / 287.04), 20200, 30);
    cr_assert_float_eq(f.cape, 1939, 19, "CAPE %g", f.cape);
    cr_assert_float_eq(f.cin, -47.4, 1, "CIN %g", f.cin);
    cr_assert_float_eq(f.lcl, 1000, 12, "LCL %g", f.lcl);
    cr_assert_float_eq(f.lfc, 1595, 30, "LFC %g", f.lfc);
    cr_assert_float_eq(f.el, 11523, 15, "EL %g", f.el);
    cr_assert_float_eq(f.water, 45.7, 0.5, "water %g", f.water);
    char text[1024];
    parcel_describe(&f, text, sizeof text);
    cr_assert(strstr(text, "CAPE 19") && strstr(text, "LFC) from: 1"), "%s", text);
}

Test(parcel, dry_air_does_not_rise)
{
    struct parcel_figures f;
    sounding_make(0);
    parcel_figures_make(&f, &air, &constants);
    cr_assert(f.cape <= 0 && f.water <= 0 && f.lcl < 0 && f.lfc < 0 && f.el < 0, "%g %g", f.cape, f.lcl);
    char text[1024];
    parcel_describe(&f, text, sizeof text);
    cr_assert(strstr(text, "(LCL) at: none"), "%s", text);
}

/* A straight shear of 5e-3 /s along x: mean 15 m/s, 7.5 m/s to the right (south) of it, and helicity 7.5 times the
 * shear of the layer. */
Test(parcel, helicity_of_a_straight_shear)
{
    struct parcel_figures f;
    sounding_make(0.014);
    for (int k = 0; k < LEVELS; k++) u[k] = 5e-3 * z[k], v[k] = 0;
    parcel_figures_make(&f, &air, &constants);
    cr_assert_float_eq(f.storm[0], 15, 1e-9);
    cr_assert_float_eq(f.storm[1], -7.5, 1e-9);
    cr_assert_float_eq(f.shear, 30, 1e-9);
    cr_assert_float_eq(f.helicity[0], 7.5 * 5, 1e-9, "%g", f.helicity[0]);
    cr_assert_float_eq(f.helicity[1], 7.5 * 15, 1e-9, "%g", f.helicity[1]);
}

/* A wind that turns clockwise with height, a quarter of a circle of 10 m/s about the storm in a kilometre: twice its
 * area. */
Test(parcel, helicity_of_a_circle)
{
    struct parcel_figures f;
    for (int k = 0; k < LEVELS; k++) {
        const double angle = acos(0.0) * fmin(z[k] = 10 * k, 1000) / 1000;
        u[k] = -10 * cos(angle), v[k] = 10 * sin(angle);
    }
    sounding_make(0.014);
    parcel_figures_make(&f, &air, &constants);
    /* Relative to (0, 0) it is 10^2 pi / 2; a storm that moves adds the cross product of its motion and the shear. */
    const double around = 100 * acos(0.0), moved = (10 - 0) * f.storm[0] * 1 + (0 - -10) * -f.storm[1];
    /* of a circle in 20 straight pieces, which lie within it */
    cr_assert_float_eq(f.helicity[0], around - moved, 0.4, "%g, not %g", f.helicity[0], around - moved);
}

/* ---- exact: pi falls in a straight line, so that the 5 m steps of the parcel meet it without error, and the parcel is
 * full at 1000 m, where such a step ends. es obeys Clausius and Clapeyron with the L of the parcel. ---- */

enum { FULL = 100, TOP = 1200 }; /* levels of 10 m: where the parcel is full, and the highest */
static const double step = 5, lid = 12000, gas = 287.04, latent = 2.501e6;
static const struct vapour exact_water = {461.5, 1870, 4190, 2.501e6, 611.2, 2.501e6 / (461.5 * 273.15), 0};
static const struct base_constants exact = {.g = 9.81, .cp = 1005.7, .R = 287.04, .p00 = 1e5, .vapour = &exact_water};
static const struct parcel_air column = {TOP + 1, z, pi, theta, qv, u, v, 1e5};

static double pi_at(double height) { return 1 - 9.81 * height / (1005.7 * 300); }

static double full_at(double t, double height)
{
    const double p = 1e5 * pow(pi_at(height), 1005.7 / 287.04), es = 611.2 * exp(latent / 461.5 * (1 / 273.15 - 1 / t));
    return gas / 461.5 * es / (p - es);
}

/* 300 K at the ground, and as much vapour as is saturated at 1000 m: a little more, for the last digits. */
static double column_make(void)
{
    const double most = full_at(300 * pi_at(1000), 1000) * (1 + 1e-12);
    for (int k = 0; k <= TOP; k++) z[k] = 10 * k, pi[k] = pi_at(z[k]), theta[k] = 300, qv[k] = most, u[k] = v[k] = 0;
    return most;
}

/* What the energy of a saturated parcel gains between two heights: cp dT + L dw - R T dp/p. */
static double energy_gained(double low, double t0, double high, double t1)
{
    const double fall = 1005.7 / 287.04 * log(pi_at(high) / pi_at(low));
    return 1005.7 * (t1 - t0) - gas * (t0 + t1) / 2 * fall + latent * (full_at(t1, high) - full_at(t0, low));
}

/* From 1000 m on the air's virtual temperature is 1 % below that of a parcel that keeps its energy, found by bisection
 * in steps of 5 m: CAPE is g times 0.01 times the height from there to the top, less the 10 m in which the two airs are
 * joined. Bound: one step of the sum. To reach 5 m in 11 km the parcel may be off by 1.3 mK. */
Test(parcel, keeps_its_energy)
{
    struct parcel_figures f;
    column_make();
    double t = 300 * pi[FULL];
    for (int k = FULL + 1; k <= TOP; k++) {
        for (int half = 0; half < 2; half++) {
            const double from = z[k - 1] + 5 * half;
            double low = t - 1, high = t;
            for (int n = 0; n < 60; n++) {
                const double middle = (low + high) / 2;
                if (energy_gained(from, t, from + 5, middle) < 0) low = middle;
                else high = middle;
            }
            t = low;
        }
        const double w = full_at(t, z[k]);
        theta[k] = t * (1 + 461.5 / 287.04 * w) / (1 + w) / 1.01 / pi[k], qv[k] = 0;
    }
    parcel_figures_make(&f, &column, &exact);
    cr_assert_float_eq(f.cape, 9.81 * 0.01 * (lid - 1000 - step), 9.81 * 0.01 * step, "CAPE %.9g", f.cape);
    cr_assert_float_eq(f.lcl, 1000, 1e-9, "LCL %g", f.lcl);
    cr_assert_float_eq(f.lfc, 1000, step, "LFC %g", f.lfc);
    cr_assert_float_eq(f.el, lid, 1e-9, "EL %g", f.el);
    cr_assert_float_eq(f.cin, 0, 1e-9, "CIN %g", f.cin); /* the same air as the parcel: rounding */
}

/* With the parcel's vapour everywhere below it, air of theta = 300 K + s z: the integral of g (300 / theta - 1) is
 * g (300/s ln(1 + s z/300) - z). Above it is cold to 8 km, then hot. The sum takes the end of each step: half a step
 * of the last. */
Test(parcel, what_holds_it_down_is_exact)
{
    struct parcel_figures f;
    const double s = 2e-3;
    column_make();
    for (int k = 0; k <= TOP; k++) theta[k] = k <= FULL ? 300 + s * z[k] : z[k] <= 8000 ? 280 : 1000;
    parcel_figures_make(&f, &column, &exact);
    cr_assert_float_eq(f.cin, 9.81 * (300 / s * log(1 + s * 1000 / 300) - 1000), 0.5 * step * 9.81 * s * 1000 / 300,
                       "CIN %.9g", f.cin);
    cr_assert_float_eq(f.lfc, 1005, step, "LFC %g", f.lfc);
    cr_assert_float_eq(f.el, 8005, 5, "EL %g", f.el); /* between two levels */
}

/* Neutral dry air: the parcel is what is around it, to the last bit. */
Test(parcel, neutral_dry_air_is_still)
{
    struct parcel_figures f;
    column_make();
    for (int k = 0; k <= TOP; k++) qv[k] = 0;
    parcel_figures_make(&f, &column, &exact);
    cr_assert(f.cape == 0 && f.cin == 0 && f.water == 0 && f.lcl < 0 && f.lfc < 0 && f.el < 0);
}

/* Isothermal air of even vapour, its lowest level 5 hPa above the ground: q/(1+q) of all air below the top. */
Test(parcel, water_begins_at_the_ground)
{
    struct parcel_figures f;
    for (int k = 0; k <= TOP; k++) {
        const double p = 99500 * exp(-9.81 * 10 * k / (287.04 * 250));
        z[k] = 10 * k, pi[k] = pow(p / 1e5, 287.04 / 1005.7), theta[k] = 250 / pi[k], qv[k] = 1e-4;
    }
    parcel_figures_make(&f, &column, &exact);
    const double top = 99500 * exp(-9.81 * 12000 / (287.04 * 250)), want = 1e-4 / (1 + 1e-4) * (1e5 - top) / 9.81;
    cr_assert_float_eq(f.water, want, 1e-12 * want, "%.17g, not %.17g", f.water, want); /* a sum of 1200 */
    cr_assert(f.cape <= 0 && f.lfc < 0, "%g", f.cape); /* every parcel is colder */
}

/* One level, and that above 6 km: no height to turn in, and numbers all the same. */
Test(parcel, one_high_level)
{
    struct parcel_figures f;
    column_make();
    z[0] = 7500, u[0] = 3, v[0] = 4;
    const struct parcel_air one = {1, z, pi, theta, qv, u, v, 1e5};
    parcel_figures_make(&f, &one, &exact);
    cr_assert(f.storm[0] == 3 && f.storm[1] == 4, "%g %g", f.storm[0], f.storm[1]);
    cr_assert(f.shear == 0 && f.helicity[0] == 0 && f.helicity[1] == 0 && f.cape == 0);
}
