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

/* Computed by another program with steps of 1 m: CAPE 1889 and CIN -47.3 J/kg, LFC 1596 m, EL 11389 m; steps of 5 m and
 * levels of 10 m differ by a percent at most. LCL and water: of the paper's formulas, to the figures that are told. */
Test(parcel, weisman_klemp)
{
    struct parcel_figures f;
    sounding_make(0.014);
    parcel_figures_make(&f, &air, &constants);
    cr_assert_float_eq(1e5 * pow(pi[1200], 1005.7 / 287.04), 20200, 30);
    cr_assert_float_eq(f.cape, 1889, 19, "CAPE %g", f.cape);
    cr_assert_float_eq(f.cin, -47.3, 1, "CIN %g", f.cin);
    cr_assert_float_eq(f.lcl, 1000, 12, "LCL %g", f.lcl);
    cr_assert_float_eq(f.lfc, 1595, 30, "LFC %g", f.lfc);
    cr_assert_float_eq(f.el, 11389, 15, "EL %g", f.el);
    cr_assert_float_eq(f.water, 45.7, 0.5, "water %g", f.water);
    char text[1024];
    parcel_describe(&f, text, sizeof text);
    cr_assert(strstr(text, "CAPE 18") && strstr(text, "LFC) from: 1"), "%s", text);
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
