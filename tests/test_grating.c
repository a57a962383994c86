/* Coupled waves of a lamellar grating: a plate is Airy's, nothing is lost, light takes the same share either way, and
 * twice as many waves change little. SPDX-License-Identifier: MIT */
#include "command/grating.h"
#include "pipeline/error.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>

enum { MOST = 3, ORDERS = 2 * MOST + 1 };

/* Bars of glass on glass, at 30 degrees. */
static struct grating bars(int is_tm, int waves)
{
    return (struct grating){.is_tm = is_tm,
                            .period = 1.4,
                            .width = 0.6,
                            .height = 0.45,
                            .bar = 4,
                            .groove = 1,
                            .above = 1,
                            .below = 2.25,
                            .across = 0.5,
                            .waves = waves};
}

static void shares(const struct grating *g, double share[2][ORDERS])
{
    cr_assert_eq(grating_orders(g, MOST, share[0], share[1]), SF_OK, "%s", sf_error_text());
}

/* What a plate of index n, `high` wavelengths, in vacuum returns at sine `across`. */
static double airy(double n, double high, double across, int is_tm)
{
    const double complex a = sqrt(1 - across * across), b = sqrt(n * n - across * across), of = is_tm ? b / (n * n) : b,
                         r = (a - of) / (a + of), turn = cexp(-4 * M_PI * I * b * high);
    return pow(cabs(r * (1 - turn) / (1 - r * r * turn)), 2);
}

Test(grating, of_one_medium_is_a_plate)
{
    for (int is_tm = 0; is_tm < 2; is_tm++) {
        double share[2][ORDERS];
        struct grating g = bars(is_tm, 6);
        g.groove = g.bar, g.below = 1;
        shares(&g, share);
        cr_expect(fabs(share[0][MOST] - airy(2, 0.45, 0.5, is_tm)) < 1e-12, "%.15g", share[0][MOST]);
        cr_expect(fabs(share[0][MOST] + share[1][MOST] - 1) < 1e-12);
        g.bar = g.groove = 1;
        shares(&g, share);
        cr_expect(fabs(share[1][MOST] - 1) < 1e-12 && share[0][MOST] < 1e-20);
    }
}

Test(grating, loses_nothing)
{
    for (int is_tm = 0; is_tm < 2; is_tm++) {
        double share[2][ORDERS], more[2][ORDERS], all = 0;
        struct grating g = bars(is_tm, 12);
        shares(&g, share);
        for (int n = 0; n < 2 * ORDERS; n++) all += share[n / ORDERS][n % ORDERS];
        cr_expect(fabs(all - 1) < 1e-10, "%.12g", all);
        g.waves = 24;
        shares(&g, more);
        for (int n = 0; n < 2 * ORDERS; n++)
            cr_expect(fabs(share[n / ORDERS][n % ORDERS] - more[n / ORDERS][n % ORDERS]) < 5e-4,
                      "tm %d, %d: %g, with more waves %g", is_tm, n, share[n / ORDERS][n % ORDERS],
                      more[n / ORDERS][n % ORDERS]);
        cr_expect(share[1][MOST - 1] > 0.1 && share[0][MOST] > 0.01);
    }
}

/* From above into order -1 below, and from below back along it, of which other waves are left out. */
Test(grating, is_reciprocal)
{
    for (int is_tm = 0; is_tm < 2; is_tm++) {
        double down[2][ORDERS], up[2][ORDERS];
        struct grating g = bars(is_tm, 12);
        shares(&g, down);
        const double below = g.below;
        g.below = g.above, g.above = below, g.across = -(g.across - 1 / g.period);
        shares(&g, up);
        cr_expect(fabs(down[1][MOST - 1] - up[1][MOST - 1]) < 1e-4, "%g, %g", down[1][MOST - 1], up[1][MOST - 1]);
    }
}

/* Half of the period wide: of the same thickness a plate of the mean permittivity, where bars are thin against the wave
 * (E along them). */
Test(grating, of_thin_bars_is_their_mean)
{
    double share[2][ORDERS];
    const struct grating g = {.period = 0.02,
                              .width = 0.01,
                              .height = 0.3,
                              .bar = 4,
                              .groove = 1,
                              .above = 1,
                              .below = 1,
                              .across = 0.3,
                              .waves = 10};
    shares(&g, share);
    cr_expect(fabs(share[0][MOST] - airy(sqrt(2.5), 0.3, 0.3, 0)) < 1e-3, "%g, not %g", share[0][MOST],
              airy(sqrt(2.5), 0.3, 0.3, 0));
    /* H along them: the mean of 1 / epsilon across, that of epsilon along the normal. */
    struct grating across = g;
    across.is_tm = 1;
    shares(&across, share);
    const double ex = 1.6, ez = 2.5, a = sqrt(1 - 0.09), q = sqrt(ex * (1 - 0.09 / ez)), of = q / ex,
                 r = (a - of) / (a + of);
    const double complex turn = cexp(-4 * M_PI * I * q * 0.3);
    cr_expect(fabs(share[0][MOST] - pow(cabs(r * (1 - turn) / (1 - r * r * turn)), 2)) < 1e-3);
}
