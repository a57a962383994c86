/* Linear baroclinic waves that `sferic verify` holds the model against. SPDX-License-Identifier: MIT */
#include "command/eady.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>

static const struct eady_case channel = {.k = 2 * M_PI / 4e6,
                                         .l = M_PI / 5e6,
                                         .shear = 3e-3,
                                         .height = 10e3,
                                         .N = 0.011,
                                         .f = 1e-4,
                                         .theta = 290,
                                         .g = 9.80665,
                                         .cp = 1004.5,
                                         .R = 287};

/* The figures of Eady's problem that books have: without walls the rate is at most 0.3098 f shear / N, at a wavelength
 * of 3.9 N H / f, and waves shorter than 2.6 N H / f do not grow. */
Test(eady, known_figures)
{
    struct eady_case e = channel;
    double most = 0, at = 0;
    e.l = 0;
    for (double mu = 0.01; mu < 2.39; mu += 0.001) {
        e.k = mu * e.f / (e.N * e.height);
        const struct eady_wave w = eady_boussinesq(&e);
        cr_assert_float_eq(w.speed, 15, 1e-12);
        if (w.growth > most) most = w.growth, at = mu;
    }
    cr_assert_float_eq(most / (e.f * e.shear / e.N), 0.3098, 1e-4, "%g", most / (e.f * e.shear / e.N));
    cr_assert_float_eq(2 * M_PI / at, 3.912, 0.005, "%g", 2 * M_PI / at);
    e.k = 2.41 * e.f / (e.N * e.height);
    const struct eady_wave neutral = eady_boussinesq(&e);
    cr_assert(!(neutral.growth > 0) && neutral.speed > 15 && neutral.speed < 30);
}

/* Heavy gravity and much heat make air that neither thins nor compresses in so few metres. */
Test(eady, boussinesq_is_the_limit)
{
    struct eady_case e = channel;
    const struct eady_wave b = eady_boussinesq(&e);
    double before = INFINITY;
    for (double scale = 10; scale < 2e3; scale *= 10) {
        e.height = channel.height / scale, e.f = channel.f / scale; /* the same mu */
        e.shear = channel.shear * scale;
        const struct eady_wave c = eady_compressible(&e);
        const double off = hypot(c.growth / b.growth - 1, c.speed / b.speed - 1);
        cr_assert(off < 0.3 / scale && off < before / 5, "%g: %g", scale, off);
        before = off;
    }
}

/* The same from differences: phi at centres and W at faces of n levels, all on one column, whose equations are linear
 * in c; what is left of the last of them is 0 at an eigenvalue. */
static double complex differences(const struct eady_case *e, int n, double complex c)
{
    const double h = e->height / n, square = e->N * e->N, K = e->k * e->k + e->l * e->l;
    double complex phi = 1, W = 0;
    for (int k = 0; k < n; k++) {
        const double z = (k + 0.5) * h, lift = square * z / e->g,
                     pi = 1 + e->g * e->g / (e->cp * square * e->theta) * expm1(-lift),
                     sound = e->cp * e->R / (e->cp - e->R) * e->theta * exp(lift) * pi, U = e->shear * z;
        /* Both equations centred at z, of means and differences of the level: two unknowns above. With q the mean:
         * (U - c) d phi - shear phi + c N2 phi / g + N2 W / f = 0, and so on. */
        const double complex a = (U - c) / h, b = 0.5 * (c * square / e->g - e->shear), d = 0.5 * square / e->f;
        const double complex p = e->f * U / (e->g * h),
                             q = 0.5 * (K * (U - c) / e->f - e->f * c / sound - e->f * e->shear / e->g), r = 1 / h,
                             t = -0.5 * e->g / sound;
        /* (a + b) phi' + d W' = (a - b) phi - d W;  (p + q) phi' + (r + t) W' = (p - q) phi + (r - t) W */
        const double complex one = (a - b) * phi - d * W, two = (p - q) * phi + (r - t) * W,
                             det = (a + b) * (r + t) - d * (p + q);
        phi = (one * (r + t) - d * two) / det, W = ((a + b) * two - (p + q) * one) / det;
    }
    return W;
}

Test(eady, compressible_against_differences)
{
    double off[2];
    const struct eady_wave w = eady_compressible(&channel);
    for (int turn = 0; turn < 2; turn++) {
        const int n = 100 << turn;
        double complex before = w.speed + w.growth / channel.k * I, c = 1.02 * before,
                       at = differences(&channel, n, before);
        for (int step = 0; step < 30 && cabs(c - before) > 1e-11; step++) {
            const double complex now = differences(&channel, n, c), next = c - now * (c - before) / (now - at);
            before = c, at = now, c = next;
        }
        off[turn] = cabs(c - (w.speed + w.growth / channel.k * I));
        cr_assert(off[turn] < 0.02 / (1 << 2 * turn), "%d: %g m/s", n, off[turn]);
    }
    cr_assert(off[0] / off[1] > 3.9 && off[0] / off[1] < 4.1, "%g %g", off[0], off[1]);
}
