/* Plane waves of complex fields: nothing leaks out of their box; plates at an angle against the recursions of the grid,
 * orders that make up the flux. SPDX-License-Identifier: MIT */
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
