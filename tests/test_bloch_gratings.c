/* Light at an angle on gratings: each order against coupled waves (command/grating.h), in all nothing is lost; and what
 * is the same from both sides. SPDX-License-Identifier: MIT */
#include "command/grating.h"
#include "command/verify_em_analytic.h"
#include "maxwell/monitor_orders.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void values(const struct session *s, const char *file, const char *name, int n, double *out)
{
    cr_assert_eq(em_result(s, file, name, n, out), SF_OK, "%s: %s", name, sf_error_text());
}

enum { FREQUENCIES = 3 };
static const double frequency[FREQUENCIES] = {2.8e14, 3.2e14, 3.6e14}, cell = 25e-9;

enum { PERIOD = 48, HIGH = 12 };

/* Bars of glass of 24 x 12 cells, and with `lean` half as high ones beside them, on glass; at sin(theta) = 0.5 at 320
 * THz, from the left or from the right. */
static void grating_open(struct session *s, int along, int is_tm, int lean, int sign, const char *background)
{
    char shapes[512];
    const char *const u = along ? "y" : "x";
    const int n =
        snprintf(shapes, sizeof shapes, "&geometry shape='box' medium='glass' %s=%g size_%s=%g z=%g size_z=%g /\n", u,
                 24 * cell, u, 24 * cell, 0.5 * HIGH * cell, HIGH * cell);
    if (lean)
        snprintf(shapes + n, sizeof shapes - (size_t)n,
                 "&geometry shape='box' medium='glass' %s=%g size_%s=%g z=%g size_z=%g /\n", u, 8 * cell, u, 8 * cell,
                 0.25 * HIGH * cell, 0.5 * HIGH * cell);
    cr_assert_eq(
        verify_open(
            s,
            "&case name='grating' model='maxwell' /\n&grid nx=%d ny=%d nz=120 dx=25e-9 dy=25e-9 dz=25e-9 origin_z=-1.5e-6 /\n"
            "&time duration=5e-13 /\n&stop energy=1e-8 /\n"
            "&boundary west='periodic' east='periodic' south='periodic' north='periodic' /\n"
            "&cpml cells=20 /\n&maxwell allow_coarse=.true. /\n&medium name='glass','base' epsilon=4,2.25 /\n%s%s"
            "&bloch k%s=%.17g /\n"
            "&plane_wave direction='-z' polarisation=%d waveform='modulated_gaussian' frequency=3.4e14 bandwidth=0.8e14\n"
            "  box=-1,1,-1,1,-9,0.75e-6 /\n"
            "&monitor name='back','through' kind=2*'orders' bottom=0.9e-6,-0.7e-6 top=0.9e-6,-0.7e-6 orders=2,2 /\n"
            "&spectrum frequencies=2.8e14,3.2e14,3.6e14 /\n",
            along ? 1 : PERIOD, along ? PERIOD : 1, background, shapes, u, sign * M_PI * 3.2e14 / em_c0,
            (along == 1) == is_tm ? 90 : 0),
        SF_OK, "%s", sf_error_text());
    cr_assert_eq(verify_finish(s), SF_OK, "%s", sf_error_text());
}

/* Both polarisations against coupled waves, along x and along y: each order has its share, and all make 1. */
Test(bloch_gratings, gratings_at_an_angle, .timeout = 240)
{
    for (int run = 0; run < 3; run++) {
        const int is_tm = run == 1, along = run == 2;
        enum { ORDERS = 5 };
        static const char *const base = "&geometry shape='half_space' medium='base' axis='z' side='below' z=0 /\n";
        struct session s;
        double is[2][FREQUENCIES][ORDERS];
        const int n = ORDERS * FREQUENCIES;
        grating_open(&s, along, is_tm, 0, 1, base);
        values(&s, "orders_back.nc", "efficiency", n, is[0][0]);
        values(&s, "orders_through.nc", "efficiency", n, is[1][0]);
        for (int f = 0; f < FREQUENCIES; f++) {
            const double wave = em_c0 / frequency[f];
            const struct grating g = {.is_tm = is_tm,
                                      .period = PERIOD * cell / wave,
                                      .width = 24 * cell / wave,
                                      .height = HIGH * cell / wave,
                                      .bar = 4,
                                      .groove = 1,
                                      .above = 1,
                                      .below = 2.25,
                                      .across = 0.5 * 3.2e14 / frequency[f],
                                      .waves = 16};
            double want[2][ORDERS], all = 0;
            cr_assert_eq(grating_orders(&g, 2, want[0], want[1]), SF_OK);
            for (int v = 0; v < 2; v++)
                for (int p = 0; p < ORDERS; p++) {
                    const double share = is[v][f][p] < RESULT_NONE ? is[v][f][p] : 0;
                    cr_expect(fabs(share - want[v][p]) < (is_tm ? 0.02 : 0.012), "run %d, %d, %d, order %d: %g, not %g",
                              run, f, v, p - 2, share, want[v][p]);
                    cr_expect((want[v][p] > 0) == (is[v][f][p] < RESULT_NONE), "order %d travels?", p - 2);
                    all += share;
                }
            cr_expect(fabs(all - 1) < 2e-3, "run %d: %g in all", run, all);
        }
        session_close(&s);
    }
}

/* What bars that lean return straight on is the same of light from the left and from the right, whatever goes into the
 * other orders: reciprocity. */
Test(bloch_gratings, are_reciprocal, .timeout = 240)
{
    enum { ORDERS = 5, STRAIGHT = 2 };
    double is[2][2][FREQUENCIES][ORDERS];
    for (int left = 0; left < 2; left++) {
        struct session s;
        grating_open(&s, 0, 0, 1, left ? 1 : -1, "");
        values(&s, "orders_back.nc", "efficiency", ORDERS * FREQUENCIES, is[left][0][0]);
        values(&s, "orders_through.nc", "efficiency", ORDERS * FREQUENCIES, is[left][1][0]);
        session_close(&s);
    }
    for (int f = 0; f < FREQUENCIES; f++) {
        const double one = is[0][0][f][STRAIGHT], other = is[1][0][f][STRAIGHT];
        cr_expect(fabs(other - one) < 1e-4, "%g, %g", one, other);
    }
    const double leans = is[0][1][1][STRAIGHT + 1] - is[1][1][1][STRAIGHT - 1];
    cr_expect(fabs(leans) > 0.01, "%g", leans);
}
