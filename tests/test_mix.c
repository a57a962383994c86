/* The formulas of mixing by value: fluxes, polynomials, weights of the two faces in the vertical, the limit of the
 * monotone form. SPDX-License-Identifier: MIT */
#include "dynamics/mix.h"

#include <criterion/criterion.h>
#include <math.h>

static const double eps = SF_PREC == 64 ? 2.3e-16 : 1.2e-7;

static void near_to(double is, double should, const char *what)
{
    cr_assert(fabs(is - should) <= 400 * eps, "%s: %.9g, not %.9g", what, is, should);
}

static struct line5 line_of(int degree)
{
    real q[5];
    for (int n = 0; n < 5; n++) {
        q[n] = R(1.0);
        for (int m = 0; m < degree; m++) q[n] *= (real)(n - 2);
    }
    return (struct line5){q[0], q[1], q[2], q[3], q[4]};
}

static double level(int kind, int degree) { return (double)mix_level(kind, line_of(degree)); }
static double upright(int kind, int degree) { return (double)mix_upright(kind, line_of(degree), R(1.0), R(1.0)); }

/* Second: the second difference, 2 of x^2. Fourth: less the fourth difference, -24 of x^4 and 0 of all below: a wave is
 * damped by both. */
Test(mix, differences_of_polynomials)
{
    static const double second[5] = {0, 0, 2, 0, 2}, fourth[5] = {0, 0, 0, 0, -24};
    for (int degree = 0; degree <= 4; degree++) {
        near_to(level(MIX_SECOND, degree), second[degree], "second, level");
        near_to(upright(MIX_SECOND, degree), second[degree], "second, upright");
        near_to(level(MIX_FOURTH, degree), fourth[degree], "fourth, level");
        near_to(upright(MIX_FOURTH, degree), fourth[degree], "fourth, upright");
    }
}

/* Flux through a face of x^d about its lower point: second -(1 - 0); fourth the third difference, 6 of x^3. */
Test(mix, fluxes_of_polynomials)
{
    near_to((double)mix_flux(MIX_SECOND, R(-1.0), R(0.0), R(1.0), R(2.0)), -1, "second, x");
    near_to((double)mix_flux(MIX_FOURTH, R(-1.0), R(0.0), R(1.0), R(2.0)), 0, "fourth, x");
    near_to((double)mix_flux(MIX_FOURTH, R(1.0), R(0.0), R(1.0), R(4.0)), 0, "fourth, x^2");
    near_to((double)mix_flux(MIX_FOURTH, R(-1.0), R(0.0), R(1.0), R(8.0)), 6, "fourth, x^3");
    near_to((double)mix_flux(MIX_FOURTH, R(-8.0), R(-1.0), R(0.0), R(1.0)), 6, "fourth, x^3 below");
}

/* Waves: of two points, q = (-1)^i, second takes 4 q and fourth 16 q; of four points, q = cos(pi i/2), 2 q and 4 q. */
Test(mix, waves_decay_at_the_rates_of_the_orders)
{
    const struct line5 two = {R(1.0), R(-1.0), R(1.0), R(-1.0), R(1.0)},
                       four = {R(-1.0), R(0.0), R(1.0), R(0.0), R(-1.0)};
    near_to((double)mix_level(MIX_SECOND, two), -4, "second, two points");
    near_to((double)mix_level(MIX_FOURTH, two), -16, "fourth, two points");
    near_to((double)mix_level(MIX_MONOTONE, two), -16, "monotone, two points");
    near_to((double)mix_level(MIX_SECOND, four), -2, "second, four points");
    near_to((double)mix_level(MIX_FOURTH, four), -4, "fourth, four points");
    near_to((double)mix_level(MIX_MONOTONE, four), -4, "monotone, four points");
}

/* Each face has its weight: the flux in through the bottom times that of the bottom, less the flux out through the top
 * times that of the top. */
Test(mix, faces_of_the_vertical_have_weights_of_their_own)
{
    near_to((double)mix_between(R(3.0), R(5.0), R(7.0), R(11.0)), 11 * 3 - 7 * 5, "between");
    for (int kind = MIX_SECOND; kind <= MIX_MONOTONE; kind++) {
        const struct line5 q = {R(0.5), R(-1.25), R(2.0), R(0.75), R(-3.0)};
        const double low = (double)mix_flux(kind, q.m2, q.m1, q.c, q.p1),
                     high = (double)mix_flux(kind, q.m1, q.c, q.p1, q.p2);
        near_to((double)mix_upright(kind, q, R(0.5), R(0.25)), 0.25 * low - 0.5 * high, "upright");
        near_to((double)mix_upright(kind, q, R(1.0), R(1.0)), (double)mix_level(kind, q), "the same weights");
    }
    /* x: a flux of -1 through both faces gathers where less goes out at the top */
    near_to(upright(MIX_SECOND, 1), 0, "x");
    near_to((double)mix_upright(MIX_SECOND, line_of(1), R(0.5), R(1.0)), -0.5, "x, lighter top");
}

/* The flux of the monotone form is the fourth's where that goes down the gradient, and nothing where it would go up. */
Test(mix, monotone_flux_goes_down_the_gradient_or_is_nothing)
{
    unsigned r = 5;
    int kept = 0, cut = 0;
    for (int n = 0; n < 1000; n++) {
        real q[4];
        for (int m = 0; m < 4; m++) r = r * 1664525u + 1013904223u, q[m] = (real)((double)(r >> 8) / (1 << 23) - 1);
        const double slope = (double)q[2] - (double)q[1], full = (double)mix_flux(MIX_FOURTH, q[0], q[1], q[2], q[3]);
        const double is = (double)mix_flux(MIX_MONOTONE, q[0], q[1], q[2], q[3]);
        const int is_up = full * slope > 0;
        const double should = is_up ? 0 : full;
        cut += is_up, kept += !is_up;
        cr_assert(is >= should && is <= should, "%g in place of %g, gradient %g", is, should, slope);
    }
    cr_assert(kept > 50 && cut > 50, "%d kept, %d cut", kept, cut);
    /* A front, 0 0 0 1: up the gradient beside it, where q has none: the flux stays; on the front itself 0 0 1 1 it
     * goes down. */
    near_to((double)mix_flux(MIX_MONOTONE, R(0.0), R(0.0), R(1.0), R(1.0)), -2, "front");
    near_to((double)mix_flux(MIX_MONOTONE, R(0.0), R(0.1), R(0.2), R(3.0)), 0, "foot of a front");
}

/* Mirror images: a flux changes its sign, a tendency none of its bits. */
Test(mix, mirror_images_have_the_same_bits)
{
    unsigned r = 3;
    for (int n = 0; n < 200; n++) {
        real q[5];
        for (int m = 0; m < 5; m++) r = r * 1664525u + 1013904223u, q[m] = (real)((double)(r >> 8) / (1 << 23) - 1);
        const struct line5 a = {q[0], q[1], q[2], q[3], q[4]}, b = {q[4], q[3], q[2], q[1], q[0]};
        for (int kind = MIX_SECOND; kind <= MIX_MONOTONE; kind++) {
            const real one = mix_flux(kind, q[0], q[1], q[2], q[3]), other = -mix_flux(kind, q[3], q[2], q[1], q[0]);
            cr_assert(!(one < other || one > other));
            const real x = mix_level(kind, a), y = mix_level(kind, b);
            cr_assert(!(x < y || x > y));
        }
    }
}
