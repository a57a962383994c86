/* Diffraction orders of a grating of dielectric bars, against coupled waves (command/grating.h); all orders together
 * are the flux. SPDX-License-Identifier: MIT */
#include "command/grating.h"
#include "command/verify.h"
#include "command/verify_em_analytic.h"
#include "maxwell/monitor_orders.h"
#include "maxwell/own.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* ---- coupled waves ----------------------------------------------------------------------------------------------- */

/* E along bars of epsilon, half of the period wide, `high` (all in wavelengths) in vacuum; a wave along the normal.
 * share[0] of what returns, [1] of what goes through, of orders -1, 0, 1. */
static void bars(double period, double high, double epsilon, double share[2][3])
{
    const struct grating g = {.period = period,
                              .width = 0.5 * period,
                              .height = high,
                              .bar = epsilon,
                              .groove = 1,
                              .above = 1,
                              .below = 1,
                              .waves = 12};
    cr_assert_eq(grating_orders(&g, 1, share[0], share[1]), SF_OK);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

enum { FREQUENCIES = 2 };

/* Bars of 12 cells high along `along` (0 x, 1 y), E along them or across; a period of 48 cells across. */
static void grating_open(struct session *s, int along, int across_bars, const char *more)
{
    const int nx = along ? 48 : 1, ny = along ? 1 : 48;
    const double middle = 0.6e-6;
    cr_assert_eq(
        verify_open(
            s,
            "&case name='grating' model='maxwell' /\n&grid nx=%d ny=%d nz=120 dx=25e-9 dy=25e-9 dz=25e-9 origin_z=-1.5e-6 /\n"
            "&time duration=2e-13 /\n&boundary west='periodic' east='periodic' south='periodic' north='periodic' /\n"
            "&cpml cells=20 /\n&maxwell allow_coarse=.true. /\n&medium name='glass' epsilon=4 /\n"
            "&geometry shape='box' medium='glass' %s=%g size_%s=0.6e-6 z=0 size_z=0.3e-6 /\n"
            "&plane_wave direction='-z' polarisation=%d waveform='modulated_gaussian' frequency=3.2e14 bandwidth=1.2e14\n"
            "  box=-1,1,-1,1,-0.85e-6,0.7e-6 /\n"
            "&monitor name='back','through','flux_back','flux_through' kind=2*'orders',2*'flux' bottom=0.85e-6,-0.6e-6,0.85e-6,-0.6e-6\n"
            "  top=0.85e-6,-0.6e-6,0.85e-6,-0.6e-6 /\n&spectrum frequencies=3e14,3.5e14 /\n%s",
            nx, ny, along ? "x" : "y", middle, along ? "x" : "y", (along == 1) != (across_bars == 1) ? 90 : 0, more),
        SF_OK, "%s", sf_error_text());
    cr_assert_eq(verify_finish(s), SF_OK, "%s", sf_error_text());
}

static void values(const struct session *s, const char *file, const char *name, int n, double *out)
{
    cr_assert_eq(em_result(s, file, name, n, out), SF_OK, "%s: %s", name, sf_error_text());
}

/* Of E along the bars each order has its share; 40 and 34 cells a wavelength, 20 and 17 of glass. */
Test(orders, of_a_grating, .timeout = 120)
{
    for (int along = 0; along < 2; along++) {
        struct session s;
        double is[2][FREQUENCIES][3], theta[FREQUENCIES][3], flux[2][FREQUENCIES][3], whole[FREQUENCIES][2];
        grating_open(&s, along, 0, "");
        static const char *const files[2] = {"orders_back.nc", "orders_through.nc"};
        for (int v = 0; v < 2; v++) values(&s, files[v], "efficiency", 3 * FREQUENCIES, is[v][0]);
        for (int v = 0; v < 2; v++) values(&s, files[v], "flux", 3 * FREQUENCIES, flux[v][0]);
        values(&s, files[0], "theta", 3 * FREQUENCIES, theta[0]);
        values(&s, "flux.nc", "flux", 2 * FREQUENCIES, whole[0]);
        for (int f = 0; f < FREQUENCIES; f++) {
            const double wave = em_c0 / (f ? 3.5e14 : 3e14);
            double want[2][3], all = 0;
            bars(1.2e-6 / wave, 0.3e-6 / wave, 4, want);
            for (int v = 0; v < 2; v++) {
                double sum = 0;
                for (int p = 0; p < 3; p++) {
                    cr_expect(fabs(is[v][f][p] - want[v][p]) < 0.01, "along %d, %d, %d, order %d: %g, not %g", along, f,
                              v, p - 1, is[v][f][p], want[v][p]);
                    all += is[v][f][p], sum += flux[v][f][p];
                }
                cr_expect(fabs(sum / whole[f][v] - 1) < 1e-5, "orders are %g of the flux", sum / whole[f][v]);
                cr_expect(v ? sum < 0 : sum > 0);
            }
            cr_expect(fabs(all - 1) < 2e-3, "%g in all", all);
            cr_expect(fabs(theta[f][0] - asin(wave / 1.2e-6) * 180 / M_PI) < 1e-4 && fabs(theta[f][1]) < 1e-4);
        }
        session_close(&s);
    }
}

/* E across the bars: nothing is lost, and `power` is that of a wave of 1 V/m. */
Test(orders, across_the_bars, .timeout = 120)
{
    struct session s;
    double is[2][FREQUENCIES][3], power[FREQUENCIES][3];
    grating_open(&s, 1, 1, "");
    values(&s, "orders_back.nc", "efficiency", 3 * FREQUENCIES, is[0][0]);
    values(&s, "orders_through.nc", "efficiency", 3 * FREQUENCIES, is[1][0]);
    values(&s, "orders_back.nc", "power", 3 * FREQUENCIES, power[0]);
    for (int f = 0; f < FREQUENCIES; f++) {
        double all = 0;
        for (int n = 0; n < 6; n++) all += is[n / 3][f][n % 3];
        cr_expect(fabs(all - 1) < 2e-3, "%g in all", all);
        const double area = 1.2e-6 * 25e-9, carried = area / (2 * 376.730313668);
        cr_expect(fabs(power[f][1] / (is[0][f][1] * carried) - 1) < 0.01, "%g", power[f][1] / (is[0][f][1] * carried));
    }
    session_close(&s);
}

/* A plane within a plate of index 2, below a wave in vacuum. */
static void plate_open(struct session *s, int nx)
{
    cr_assert_eq(
        verify_open(
            s,
            "&case name='plate' model='maxwell' /\n&grid nx=%d ny=1 nz=120 dx=25e-9 dy=25e-9 dz=25e-9 origin_z=-1.5e-6 /\n"
            "&time duration=2e-13 /\n&boundary west='periodic' east='periodic' south='periodic' north='periodic' /\n"
            "&cpml cells=20 /\n&maxwell allow_coarse=.true. /\n&medium name='glass' epsilon=4 /\n"
            "&geometry shape='box' medium='glass' z=-0.05e-6 size_z=0.3e-6 /\n"
            "&plane_wave direction='-z' waveform='modulated_gaussian' frequency=3.2e14 bandwidth=1.2e14\n"
            "  box=-1,1,-1,1,-0.85e-6,0.7e-6 /\n"
            "&monitor name='back','within' kind=2*'orders' bottom=0.85e-6,-0.05e-6 top=0.85e-6,-0.05e-6 /\n"
            "&spectrum frequencies=3e14,3.5e14 /\n",
            nx),
        SF_OK, "%s", sf_error_text());
}

/* Index and cells are those where the wave comes from: what returns and what passes the plane within are all of it. */
Test(orders, within_another_medium)
{
    struct session s;
    double back[FREQUENCIES], within[FREQUENCIES];
    plate_open(&s, 1);
    cr_assert_eq(verify_finish(&s), SF_OK, "%s", sf_error_text());
    values(&s, "orders_back.nc", "efficiency", FREQUENCIES, back);
    values(&s, "orders_within.nc", "efficiency", FREQUENCIES, within);
    for (int f = 0; f < FREQUENCIES; f++) {
        cr_expect(fabs(back[f] + within[f] - 1) < 1e-3, "%g + %g", back[f], within[f]);
        cr_expect(back[f] > 0.05);
    }
    session_close(&s);
}

/* 1.4 waves of vacuum a period, 2.8 of glass. */
Test(orders, as_many_as_travel)
{
    struct session s;
    plate_open(&s, 48);
    const struct monitors *const m = ((const struct maxwell_own *)s.in.own)->monitors;
    cr_assert_eq(m->norders, 2);
    for (int n = 0; n < 2; n++) {
        const struct orders_monitor *const o = m->orders[n];
        cr_expect_eq(o->most[0], n ? 2 : 1);
        cr_expect_eq(o->axis[ORDERS_U].n, n ? 5 : 3);
        for (int q = 0; q < o->axis[ORDERS_U].n; q++)
            cr_expect_float_eq(o->axis[ORDERS_U].value[q], q - o->most[0], 1e-12);
    }
    session_close(&s);
}

/* A box without a far face: the wave goes on into glass without end, 4 n / (1 + n)^2 of it; up as well as down. */
Test(orders, of_a_half_space)
{
    for (int up = 0; up < 2; up++) {
        struct session s;
        double back[FREQUENCIES], through[FREQUENCIES];
        cr_assert_eq(
            verify_open(
                &s,
                "&case name='half' model='maxwell' /\n&grid nx=1 ny=1 nz=160 dx=25e-9 dy=25e-9 dz=12.5e-9 origin_z=-1e-6 /\n"
                "&time duration=1.5e-13 /\n&boundary west='periodic' east='periodic' south='periodic' north='periodic' /\n"
                "&cpml cells=20 /\n&maxwell allow_coarse=.true. /\n&medium name='glass' epsilon=2.25 /\n"
                "&geometry shape='half_space' medium='glass' axis='z' side='%s' z=0 /\n"
                "&plane_wave direction='%s' waveform='modulated_gaussian' frequency=3.2e14 bandwidth=1.2e14\n"
                "  box=-1,1,-1,1,%s /\n"
                "&monitor name='back','through' kind=2*'orders' bottom=%s top=%s /\n"
                "&spectrum frequencies=3e14,3.5e14 /\n",
                up ? "above" : "below", up ? "+z" : "-z", up ? "-0.5e-6,9" : "-9,0.5e-6",
                up ? "-0.6e-6,0.4e-6" : "0.6e-6,-0.4e-6", up ? "-0.6e-6,0.4e-6" : "0.6e-6,-0.4e-6"),
            SF_OK, "%s", sf_error_text());
        cr_assert_eq(verify_finish(&s), SF_OK, "%s", sf_error_text());
        values(&s, "orders_back.nc", "efficiency", FREQUENCIES, back);
        values(&s, "orders_through.nc", "efficiency", FREQUENCIES, through);
        for (int f = 0; f < FREQUENCIES; f++) {
            cr_expect(fabs(through[f] - 0.96) < 1e-3, "%g goes on", through[f]);
            cr_expect(fabs(back[f] + through[f] - 1) < 1e-4, "%g + %g", back[f], through[f]);
        }
        session_close(&s);
    }
}
