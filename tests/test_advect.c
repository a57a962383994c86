/* The formulas of advection by value: polynomials on which each order is exact and the next term of its error,
 * symmetry, and what rings of points keep. Unit spacing; weights are those that documents name, 2/3 and 1/24 over dx
 * for a wind on faces. SPDX-License-Identifier: MIT */
#include "dynamics/advect6.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Rounding: sums of some twenty terms of size up to 3^6. */
static const double eps = SF_PREC == 64 ? 2.3e-16 : 1.2e-7;

/* A wind on the faces -5/2 .. 5/2. */
struct faces6 {
    real f0, f1, f2, f3, f4, f5;
};

#define NEAR (R(2.0) / R(3.0))
#define WIDE (R(1.0) / R(24.0))

static double power(double x, int n)
{
    double y = 1;
    while (n-- > 0) y *= x;
    return y;
}

static struct line7 line_of(int degree)
{
    real q[7];
    for (int n = 0; n < 7; n++) q[n] = (real)power(n - 3, degree);
    return (struct line7){q[0], q[1], q[2], q[3], q[4], q[5], q[6]};
}

static struct line5 inner(struct line7 q) { return (struct line5){q.m2, q.m1, q.c, q.p1, q.p2}; }

static struct line7 mirrored(struct line7 q, real sign)
{
    return (struct line7){sign * q.p3, sign * q.p2, sign * q.p1, sign * q.c, sign * q.m1, sign * q.m2, sign * q.m3};
}

static struct line7 sum_of(struct line7 a, struct line7 b)
{
    return (struct line7){a.m3 + b.m3, a.m2 + b.m2, a.m1 + b.m1, a.c + b.c, a.p1 + b.p1, a.p2 + b.p2, a.p3 + b.p3};
}

/* Order 3 and 4 with winds on the faces in advective form and in flux form less q_0 times the divergence; 5 and 6 have
 * the latter alone. */
enum { ADVECTIVE, FLUX, FORMS };

static double carried_as(int form, int order, struct line7 q, struct faces6 f)
{
    if (order > 4) return (double)advect6(order == 5, q, f.f2, f.f3, axis6_faces(NEAR, WIDE));
    const struct line5 l = inner(q);
    const real centred =
        form == FLUX ? advect4_flux(l, f.f2, f.f3, NEAR, WIDE) : advect4_faces(l, f.f1, f.f2, f.f3, f.f4, NEAR, WIDE);
    return (double)(order == 3 ? centred + upwind3(l, f.f2, f.f3, R(2.0) * WIDE) : centred);
}

static double carried(int order, struct line7 q, struct faces6 f) { return carried_as(ADVECTIVE, order, q, f); }

static struct faces6 uniform(real u) { return (struct faces6){u, u, u, u, u, u}; }

static void near_to(double is, double should, double size, const char *what, int order, int degree)
{
    cr_assert(fabs(is - should) <= 40 * eps * size, "%s, order %d, degree %d: %.9g, not %.9g", what, order, degree, is,
              should);
}

/* A constant wind of either sign: -U dq/dx at 0 of x^d is -U for d = 1 and 0 for any other d, up to the order. */
Test(advect, constant_wind_is_exact_up_to_the_order)
{
    for (int form = 0; form < FORMS; form++)
        for (int order = 3; order <= 6; order++)
            for (int degree = 0; degree <= order; degree++)
                for (int sign = -1; sign <= 1; sign += 2) {
                    const double U = 1.75 * sign;
                    near_to(carried_as(form, order, line_of(degree), uniform((real)U)), degree == 1 ? -U : 0,
                            power(3, degree), "constant wind", order, degree);
                }
}

/* The first degree that is not exact. Odd orders: the difference of two differences at faces, that is the 4th and the
 * 6th, of x^4 and x^6 is 4! and 6!: they take |U| 24/12 and |U| 720/60 off, in the sense that damps. Even orders: the
 * even degrees vanish by symmetry; of x^5 and x^7 the Taylor series gives -U (-1/30) 5! and -U (1/140) 7!. */
Test(advect, first_error_beyond_the_order)
{
    for (int form = 0; form < FORMS; form++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double U = 1.75 * sign, up = fabs(U);
            near_to(carried_as(form, 3, line_of(4), uniform((real)U)), -up * 24 / 12, 81, "error", 3, 4);
            near_to(carried_as(form, 5, line_of(6), uniform((real)U)), up * 720 / 60, 729, "error", 5, 6);
            near_to(carried_as(form, 4, line_of(5), uniform((real)U)), U * 4, 243, "error", 4, 5);
            near_to(carried_as(form, 6, line_of(7), uniform((real)U)), -U * 36, 2187, "error", 6, 7);
        }
}

static double self6(int upwind, struct line7 q)
{
    return (double)advect6_self(upwind, q, q.m1, q.c, q.p1, axis6_self(R(0.5) * NEAR, WIDE));
}

/* -q dq/dx at 0 of q = 1 + x^d, and of 1 + x + x^2, where q^2/2 is of a degree for which differences are exact. In flux
 * form with the mean of two points on a face it is the difference of q_f times that mean less q_0 times the mean's. */
Test(advect, self_advection_is_a_difference_of_half_the_square)
{
    const struct line7 one = line_of(0);
    for (int degree = 1; degree <= 2; degree++) {
        const struct line7 q = sum_of(one, line_of(degree));
        near_to((double)advect4_self(inner(q), R(0.5) * NEAR, WIDE), degree == 1 ? -1 : 0, 81, "self", 4, degree);
    }
    const struct line7 square = sum_of(sum_of(one, line_of(1)), line_of(2));
    near_to((double)advect4_self(inner(square), R(0.5) * NEAR, WIDE), -1, 169, "self, square", 4, 2);
    const struct line7 q = {R(0.5), R(-1.25), R(2.0), R(0.75), R(-3.0), R(1.5), R(0.25)};
    const double west = (37 * (2.0 + 0.75) - 8 * (-1.25 - 3.0) + (0.5 + 1.5)) / 60,
                 east = (37 * (0.75 - 3.0) - 8 * (2.0 + 1.5) + (-1.25 + 0.25)) / 60;
    near_to(self6(0, q), -((0.75 - 3.0) / 2 * (east - 0.75) - (2.0 + 0.75) / 2 * (west - 0.75)), 20, "self", 6, 0);
}

/* The upwind part of self-advection is that of the wind on the faces, the mean of two points. */
Test(advect, self_advection_upwind_has_the_mean_of_two_points_on_a_face)
{
    const struct line7 q = {R(0.5), R(-1.25), R(2.0), R(0.75), R(-3.0), R(1.5), R(0.25)};
    const struct faces6 f = {0, 0, R(0.5) * (q.m1 + q.c), R(0.5) * (q.c + q.p1), 0, 0};
    const double part = self6(1, q) - self6(0, q);
    const double should =
        fabs((double)f.f3) / 60 *
            (((double)q.p3 - (double)q.m2) - 5 * ((double)q.p2 - (double)q.m1) + 10 * ((double)q.p1 - (double)q.c)) -
        fabs((double)f.f2) / 60 *
            (((double)q.p2 - (double)q.m3) - 5 * ((double)q.p1 - (double)q.m2) + 10 * ((double)q.c - (double)q.m1));
    near_to(part, should, 10, "self, upwind part", 5, 0);
}

/* The advective form of 4th order. A wind x^2 that carries q = x: dq/dx = 1 everywhere, and the means over faces make
 * of U at 0 U - U''/24 = -1/12. */
Test(advect, wind_that_varies_enters_by_second_order_means)
{
    const struct faces6 f = {R(6.25), R(2.25), R(0.25), R(0.25), R(2.25), R(6.25)};
    near_to(carried(4, line_of(1), f), 1.0 / 12, 20, "wind x^2", 4, 1);
    /* a wind x carries q = x: U is 0 at the point, and by symmetry so is the mean */
    const struct faces6 g = {R(-2.5), R(-1.5), R(-0.5), R(0.5), R(1.5), R(2.5)};
    for (int order = 3; order <= 6; order++) near_to(carried(order, line_of(1), g), 0, 10, "wind x", order, 1);
    /* and q = x^2: A_n is n^2/2 on either side, and 4/3 1 - 1/3 4 = 0 */
    near_to(carried(4, line_of(2), g), 0, 40, "wind x", 4, 2);
}

/* The flux form less q_0 times the divergence: q of 4th or 6th order on the faces, whose values of x are exact, and the
 * wind there. x^2 that carries x gives -(1/4 1/2 + 1/4 1/2), x that carries x nothing, and x that carries x^2, which is
 * 1/6 on either face, -(1/2 1/6 + 1/2 1/6): the leading error is -(U'' q'/8 + U' q''/12). */
Test(advect, flux_form_is_what_comes_through_the_faces)
{
    const struct faces6 square = {R(6.25), R(2.25), R(0.25), R(0.25), R(2.25), R(6.25)},
                        line = {R(-2.5), R(-1.5), R(-0.5), R(0.5), R(1.5), R(2.5)};
    for (int order = 4; order <= 6; order += 2) {
        near_to(carried_as(FLUX, order, line_of(1), square), -0.25, 20, "wind x^2", order, 1);
        near_to(carried_as(FLUX, order, line_of(1), line), 0, 10, "wind x", order, 1);
        near_to(carried_as(FLUX, order, line_of(2), line), -1.0 / 6, 40, "wind x", order, 2);
    }
    /* by coefficients: (7, -1)/12 and (37, -8, 1)/60 */
    const struct line7 q = {R(0.5), R(-1.25), R(2.0), R(0.75), R(-3.0), R(1.5), R(0.25)};
    const struct faces6 f = {0, 0, R(-1.5), R(2.5), 0, 0};
    const double west4 = (7 * (2.0 + 0.75) - (-1.25 - 3.0)) / 12, east4 = (7 * (0.75 - 3.0) - (2.0 + 1.5)) / 12,
                 west6 = (37 * (2.0 + 0.75) - 8 * (-1.25 - 3.0) + (0.5 + 1.5)) / 60,
                 east6 = (37 * (0.75 - 3.0) - 8 * (2.0 + 1.5) + (-1.25 + 0.25)) / 60;
    near_to(carried_as(FLUX, 4, q, f), -(2.5 * (east4 - 0.75) + 1.5 * (west4 - 0.75)), 20, "flux", 4, 0);
    near_to(carried_as(FLUX, 6, q, f), -(2.5 * (east6 - 0.75) + 1.5 * (west6 - 0.75)), 20, "flux", 6, 0);
}

static struct line7 random_line(unsigned *r)
{
    real q[7];
    for (int n = 0; n < 7; n++) *r = *r * 1664525u + 1013904223u, q[n] = (real)((double)(*r >> 8) / (1 << 23) - 1);
    return (struct line7){q[0], q[1], q[2], q[3], q[4], q[5], q[6]};
}

/* Where the line and the wind are mirrored, every bit of the tendency is the same. */
Test(advect, mirror_images_have_the_same_bits)
{
    unsigned r = 7;
    for (int n = 0; n < 200; n++) {
        const struct line7 q = random_line(&r), w = random_line(&r);
        const struct faces6 f = {w.m3, w.m2, w.m1, w.c, w.p1, w.p2}, g = {-f.f5, -f.f4, -f.f3, -f.f2, -f.f1, -f.f0};
        for (int form = 0; form < FORMS; form++)
            for (int order = 3; order <= 6; order++) {
                const double one = carried_as(form, order, q, f),
                             other = carried_as(form, order, mirrored(q, R(1.0)), g);
                cr_assert(!(one < other || one > other), "order %d: %g, %g", order, one, other);
            }
        for (int up = 0; up < 2; up++) {
            const double one = self6(up, q), other = self6(up, mirrored(q, R(-1.0)));
            cr_assert(!(one < -other || one > -other));
        }
    }
}

enum { RING = 16 };

static double ring_at(const double *q, int i) { return q[(i + 4 * RING) % RING]; }

static struct line7 ring_line(const double *q, int i)
{
    return (struct line7){(real)ring_at(q, i - 3), (real)ring_at(q, i - 2), (real)ring_at(q, i - 1),
                          (real)ring_at(q, i),     (real)ring_at(q, i + 1), (real)ring_at(q, i + 2),
                          (real)ring_at(q, i + 3)};
}

/* On a ring a constant wind keeps the sum of q; even orders keep that of q^2, odd ones lose it. A wind that varies
 * keeps the sum in the upwind part, which is a difference of fluxes through faces. */
Test(advect, rings_keep_sums_and_upwind_loses_squares)
{
    double q[RING], u[RING];
    unsigned r = 11;
    for (int i = 0; i < RING; i++) q[i] = (double)random_line(&r).c, u[i] = (double)random_line(&r).c;
    for (int order = 3; order <= 6; order++) {
        double sum = 0, squares = 0, part = 0;
        for (int i = 0; i < RING; i++) {
            const double t = carried(order, ring_line(q, i), uniform(R(1.5)));
            sum += t, squares += q[i] * t;
            const struct faces6 f = {(real)ring_at(u, i - 2), (real)ring_at(u, i - 1), (real)ring_at(u, i),
                                     (real)ring_at(u, i + 1), (real)ring_at(u, i + 2), (real)ring_at(u, i + 3)};
            if (order % 2) part += carried(order, ring_line(q, i), f) - carried(order + 1, ring_line(q, i), f);
        }
        near_to(sum, 0, 30, "sum on a ring", order, 0);
        near_to(part, 0, 30, "upwind part on a ring", order, 0);
        if (order % 2) cr_assert(squares < -0.1, "order %d: %g", order, squares);
        else near_to(squares, 0, 30, "squares on a ring", order, 0);
    }
}

/* In flux form whatever wind keeps the sum but for q times the divergence that the air itself has, and a constant stays
 * one to the bit. In advective form it is a divergence of higher order that the sum changes by. */
Test(advect, flux_form_keeps_the_sum_of_what_the_air_keeps)
{
    double q[RING], u[RING];
    unsigned r = 13;
    for (int i = 0; i < RING; i++) q[i] = (double)random_line(&r).c, u[i] = (double)random_line(&r).c;
    for (int order = 3; order <= 6; order++) {
        double sum[FORMS] = {0};
        for (int i = 0; i < RING; i++) {
            const struct faces6 f = {(real)ring_at(u, i - 2), (real)ring_at(u, i - 1), (real)ring_at(u, i),
                                     (real)ring_at(u, i + 1), (real)ring_at(u, i + 2), (real)ring_at(u, i + 3)};
            for (int form = 0; form < FORMS; form++)
                sum[form] += carried_as(form, order, ring_line(q, i), f) - q[i] * (ring_at(u, i + 1) - ring_at(u, i));
            const struct line7 even = {R(0.3), R(0.3), R(0.3), R(0.3), R(0.3), R(0.3), R(0.3)};
            const double of_even = carried_as(FLUX, order, even, f);
            cr_assert(!(of_even > 0 || of_even < 0), "order %d: a constant gains %g", order, of_even);
        }
        near_to(sum[FLUX], 0, 30, "sum on a ring", order, 0);
        if (order > 4) continue;
        cr_assert(fabs(sum[ADVECTIVE]) > 0.01, "order %d: the advective form keeps it, too: %g", order, sum[ADVECTIVE]);
    }
}
