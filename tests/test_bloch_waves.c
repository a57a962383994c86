/* Plane waves of complex fields: nothing leaks out of their box, plates at an angle against the recursions of the grid,
 * gratings against coupled waves, orders that make up the flux. SPDX-License-Identifier: MIT */
#include "command/grating.h"
#include "command/verify_em.h"
#include "command/verify_em_analytic.h"
#include "maxwell/monitor_orders.h"
#include "maxwell/own.h"
#include "pipeline/error.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if SF_PREC == 64
static const double leak = 1e-12;
#else
static const double leak = 3e-6;
#endif

/* Set from outside to see the figures. */
static void show(const char *what, double figure)
{
    if (getenv("SHOW")) fprintf(stderr, "%s: %.3g\n", what, figure);
}

static void values(const struct session *s, const char *file, const char *name, int n, double *out)
{
    cr_assert_eq(em_result(s, file, name, n, out), SF_OK, "%s: %s", name, sf_error_text());
}

/* ---- the box ----------------------------------------------------------------------------------------------------- */

static double largest(const struct session *s, int along, int from, int to)
{
    double most = 0;
    for (int part = 0; part < 2; part++)
        for (int c = 0; c < 6; c++) {
            int at[3] = {0};
            do {
                const struct slab *const x = &s->state.host.s;
                const real f = x->f[(part ? F_EX_IM : F_EX) + c][(at[AY] - x->j0) * x->sj + at[AZ] * x->sk + at[AX]];
                if (at[along] >= from && at[along] < to) most = fmax(most, fabs((double)f) * (c < 3 ? 1 : em_eta0));
            } while (em_next(s, c, at));
        }
    return most;
}

/* Along every axis, both ways, in cells of three sizes: beyond the box there is nothing, in it the wave; a box without
 * a far face goes on into the layer, and there is what that returns. */
Test(bloch_waves, leak_round_off, .timeout = 120)
{
    static const char *const side[3][2] = {{"west", "east"}, {"south", "north"}, {"bottom", "top"}};
    static const char letter[3] = {'x', 'y', 'z'};
    const double d[3] = {0.01, 0.012, 0.009};
    for (int mode = 0; mode < 12; mode++) {
        const int a = mode % 6 / 2, minus = mode % 2, through = mode >= 6, u = (a + 1) % 3, v = (a + 2) % 3;
        struct session s;
        int n[3] = {4, 5, 3};
        double end[6] = {-9, 9, -9, 9, -9, 9};
        n[a] = 40;
        end[2 * a] = through && minus ? -9 : 15 * d[a], end[2 * a + 1] = through && !minus ? 9 : 25 * d[a];
        cr_assert_eq(verify_open(&s,
                                 "&case name='leak' model='maxwell' /\n&grid nx=%d ny=%d nz=%d dx=%g dy=%g dz=%g /\n"
                                 "&time duration=1e-8 /\n&cpml cells=10 /\n"
                                 "&boundary %s='periodic' %s='periodic' %s='periodic' %s='periodic' /\n"
                                 "&bloch k%c=14 k%c=-9 /\n&plane_wave direction='%c%c' polarisation=37 frequency=1.6e9 "
                                 "waveform='modulated_gaussian' bandwidth=0.6e9 box=%g,%g,%g,%g,%g,%g /\n",
                                 n[0], n[1], n[2], d[0], d[1], d[2], side[u][0], side[u][1], side[v][0], side[v][1],
                                 letter[u], letter[v], minus ? '-' : '+', letter[a], end[0], end[1], end[2], end[3],
                                 end[4], end[5]),
                     SF_OK, "%s", sf_error_text());
        double out = 0, in = 0;
        for (int block = 0; block < 12; block++) {
            cr_assert_eq(session_advance(&s, 25), SF_OK, "%s", sf_error_text());
            if (!through || !minus) out = fmax(out, largest(&s, a, 0, 14));
            if (!through || minus) out = fmax(out, largest(&s, a, 27, 40));
            in = fmax(in, largest(&s, a, 17, 24));
        }
        show("outside of the box", out);
        cr_expect(in > 0.5, "mode %d: no wave: %g", mode, in);
        cr_expect(out < (through ? 3e-4 : leak), "mode %d leaks %g", mode, out);
        session_close(&s);
    }
}

/* ---- plates ------------------------------------------------------------------------------------------------------ */

enum { FREQUENCIES = 3, THICK = 14 };
static const double frequency[FREQUENCIES] = {2.8e14, 3.2e14, 3.6e14}, cell = 25e-9;

/* What a plate of `THICK` cells of epsilon 4 (and mu 1) returns of a wave on the grid, W = 2 sin(w dt / 2) / dt / c and
 * K the wave number across: E along it obeys D D E + (W^2 eps - K^2) E = 0 at nodes, H along it D (1 / eps D H) + (W^2
 * - K^2 / eps) H = 0 half a cell beside. From below, where one wave leaves. */
static double returned(int is_tm, double W, double K)
{
    const double kappa = 2 / cell * asin(0.5 * cell * sqrt(W * W - K * K));
    double complex low = 1, high = cexp(I * kappa * cell), next = 0;
    const int cells = THICK + 8;
    for (int m = 0; m < cells;
         m++) { /* the plate's faces are at nodes 4 and 4 + THICK; `high` is at node, or cell, m */
        const double cell_of = m >= 4 && m < 4 + THICK ? 4 : 1, cell_before = m > 4 && m <= 4 + THICK ? 4 : 1,
                     cell_next = m + 1 >= 4 && m + 1 < 4 + THICK ? 4 : 1;
        if (is_tm)
            next = high + 0.5 * (cell_of + cell_next) *
                              ((high - low) / (0.5 * (cell_of + cell_before)) -
                               cell * cell * (W * W - K * K / cell_of) * high);
        else next = (2 - cell * cell * (W * W * 0.5 * (cell_of + cell_before) - K * K)) * high - low;
        low = high, high = next;
    }
    const double complex turn = cexp(I * kappa * cell); /* low = A + B, high = A turn + B / turn */
    const double complex A = (high - low / turn) / (turn - 1 / turn), B = low - A;
    return creal(B * conj(B)) / creal(A * conj(A));
}

/* At 40 degrees at 320 THz, in the plane x z, or turned by `phi`. */
static void plate_open(struct session *s, int polarisation, double phi, const char *direction)
{
    cr_assert_eq(
        verify_open(
            s,
            "&case name='plate' model='maxwell' /\n&grid nx=2 ny=3 nz=120 dx=25e-9 dy=25e-9 dz=25e-9 origin_z=-1.5e-6 /\n"
            "&time duration=3e-13 /\n&boundary west='periodic' east='periodic' south='periodic' north='periodic' /\n"
            "&cpml cells=20 /\n&maxwell allow_coarse=.true. /\n&medium name='glass' epsilon=4 /\n"
            "&geometry shape='layer' medium='glass' axis='z' z=%.9g size_z=%.9g /\n"
            "&bloch theta=40 phi=%g frequency=3.2e14 /\n"
            "&plane_wave direction='%s' polarisation=%.9g waveform='modulated_gaussian' frequency=3.4e14 bandwidth=0.8e14\n"
            "  box=-1,1,-1,1,%s /\n"
            "&monitor name='above','below','flux_above','flux_below' kind=2*'orders',2*'flux' bottom=0.85e-6,-0.85e-6,0.85e-6,-0.85e-6\n"
            "  top=0.85e-6,-0.85e-6,0.85e-6,-0.85e-6 /\n&spectrum frequencies=2.8e14,3.2e14,3.6e14 /\n",
            0.5 * THICK * cell, THICK * cell, phi, direction, polarisation + phi,
            direction[0] == '-' ? "-9,0.7e-6" : "-0.7e-6,9"),
        SF_OK, "%s", sf_error_text());
    cr_assert_eq(verify_finish(s), SF_OK, "%s", sf_error_text());
}

Test(bloch_waves, plates_at_an_angle, .timeout = 120)
{
    for (int run = 0; run < 6; run++) {
        const int is_tm = run % 2, up = run / 2 == 1;
        const double phi = run / 2 == 2 ? 60 : 0;
        struct session s;
        double is[2][FREQUENCIES], theta[FREQUENCIES], flux[2][FREQUENCIES], whole[FREQUENCIES][2];
        plate_open(&s, is_tm ? 0 : 90, phi, up ? "+z" : "-z");
        const char *const files[2] = {up ? "orders_below.nc" : "orders_above.nc",
                                      up ? "orders_above.nc" : "orders_below.nc"};
        for (int v = 0; v < 2; v++) values(&s, files[v], "efficiency", FREQUENCIES, is[v]);
        for (int v = 0; v < 2; v++) values(&s, files[v], "flux", FREQUENCIES, flux[v]);
        values(&s, files[0], "theta", FREQUENCIES, theta);
        values(&s, "flux.nc", "flux", 2 * FREQUENCIES, whole[0]);
        const double k = 2 * M_PI * 3.2e14 / em_c0 * sin(40 * M_PI / 180), dt = em_of(&s)->dt;
        const double ku = 2 / cell * sin(0.5 * k * cell * cos(phi * M_PI / 180)),
                     kv = 2 / cell * sin(0.5 * k * cell * sin(phi * M_PI / 180));
        for (int f = 0; f < FREQUENCIES; f++) {
            const double W = 2 / dt * sin(M_PI * frequency[f] * dt) / em_c0, want = returned(is_tm, W, hypot(ku, kv));
            show("a plate returns", is[0][f]);
            show("   more than it should", is[0][f] - want);
            cr_expect(fabs(is[0][f] - want) < 1e-4, "run %d, %d: %g, not %g", run, f, is[0][f], want);
            cr_expect(fabs(is[0][f] + is[1][f] - 1) < 1e-4, "run %d: in all %g", run, is[0][f] + is[1][f]);
            cr_expect(fabs(theta[f] - asin(k * em_c0 / (2 * M_PI * frequency[f])) * 180 / M_PI) < 1e-6);
            for (int v = 0; v < 2; v++)
                cr_expect(fabs(flux[v][f] / whole[f][v ^ up] - 1) < 1e-5, "run %d: an order is %g of the flux", run,
                          flux[v][f] / whole[f][v ^ up]);
        }
        session_close(&s);
    }
}

/* ---- gratings ---------------------------------------------------------------------------------------------------- */

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
Test(bloch_waves, gratings_at_an_angle, .timeout = 240)
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
                    if (want[v][p] > 0) show("an order is off by", share - want[v][p]);
                    cr_expect(fabs(share - want[v][p]) < (is_tm ? 0.02 : 0.012), "run %d, %d, %d, order %d: %g, not %g",
                              run, f, v, p - 2, share, want[v][p]);
                    cr_expect((want[v][p] > 0) == (is[v][f][p] < RESULT_NONE), "order %d travels?", p - 2);
                    all += share;
                }
            show("all orders, less 1", all - 1);
            cr_expect(fabs(all - 1) < 2e-3, "run %d: %g in all", run, all);
        }
        session_close(&s);
    }
}

/* What bars that lean return straight on is the same of light from the left and from the right, whatever goes into the
 * other orders: reciprocity. */
Test(bloch_waves, are_reciprocal, .timeout = 240)
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
        show("light from the other side, more than from the one", other - one);
        cr_expect(fabs(other - one) < 1e-4, "%g, %g", one, other);
    }
    const double leans = is[0][1][1][STRAIGHT + 1] - is[1][1][1][STRAIGHT - 1];
    show("other orders are apart", leans);
    cr_expect(fabs(leans) > 0.01, "%g", leans);
}
