/* Plates and gratings in a wave at an angle: what returns and what goes through, of each order, both polarisations.
 * SPDX-License-Identifier: MIT */
#include "command/grating.h"
#include "command/verify_em_bloch.h"

#include "pipeline/error.h"
#include "pipeline/model.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

#define DEGREE (M_PI / 180)

/* ---- a plate ----------------------------------------------------------------------------------------------------- */

enum { PLATE_FREQUENCIES = 5 };
static const double angled = 3.8e14; /* Hz, where the wave comes at the angle */

/* Through a plate of index 2, 0.5 um thick, in vacuum, of the wave numbers of `degrees` at 380 THz (Airy). */
static double plate_through(double frequency, double degrees, int is_tm)
{
    const double k = 2 * M_PI * frequency / em_c0, across = 2 * M_PI * angled / em_c0 * sin(degrees * DEGREE);
    const double complex a = csqrt(k * k - across * across), b = csqrt(4 * k * k - across * across),
                         of = is_tm ? b / 4 : b, r = (a - of) / (a + of), turn = cexp(-2 * I * b * 0.5e-6);
    const double complex back = r * (1 - turn) / (1 - r * r * turn);
    return 1 - creal(back * conj(back));
}

/* One cell wide; `cells` of 0.5 um. */
static int plate_run(struct verify *v, struct session *s, double degrees, int is_tm)
{
    enum { CELLS = 120 };
    const double d = 0.5e-6 / CELLS;
    SF_TRY(verify_open(
        s,
        "&case name='plate' model='maxwell' /\n&grid nx=1 ny=1 nz=%d dx=%.9g dy=%.9g dz=%.9g origin_z=%.9g /\n"
        "&time duration=4e-13 /\n&boundary west='periodic' east='periodic' south='periodic' north='periodic' /\n"
        "&cpml cells=40 /\n&medium name='glass' epsilon=4 /\n"
        "&geometry shape='layer' medium='glass' axis='z' z=0.25e-6 size_z=0.5e-6 /\n"
        "&bloch theta=%.9g frequency=3.8e14 /\n"
        "&plane_wave direction='-z' polarisation=%d waveform='modulated_gaussian' frequency=4e14 bandwidth=0.4e14\n"
        "  box=-1,1,-1,1,-9,%.9g /\n"
        "&monitor name='up','down' kind=2*'orders' bottom=%.9g,%.9g top=%.9g,%.9g /\n"
        "&spectrum from=3.8e14 to=4.2e14 count=%d /\n",
        3 * CELLS, d, d, d, -CELLS * d, degrees, is_tm ? 0 : 90, 1.2 * 0.5e-6, 1.3 * 0.5e-6, -0.2 * 0.5e-6,
        1.3 * 0.5e-6, -0.2 * 0.5e-6, (int)PLATE_FREQUENCIES));
    SF_TRY(verify_finish(s));
    double back[PLATE_FREQUENCIES], through[PLATE_FREQUENCIES], most = 0, lost = 0;
    SF_TRY(em_result(s, "orders_up.nc", "efficiency", PLATE_FREQUENCIES, back));
    SF_TRY(em_result(s, "orders_down.nc", "efficiency", PLATE_FREQUENCIES, through));
    for (int f = 0; f < PLATE_FREQUENCIES; f++) {
        const double want = plate_through((3.8 + 0.1 * f) * 1e14, degrees, is_tm);
        most = fmax(most, fmax(fabs(through[f] - want), fabs(1 - back[f] - want)));
        lost = fmax(lost, fabs(back[f] + through[f] - 1));
    }
    const char *const wave = is_tm ? "TM" : "TE";
    verify_most(v, verify_name("plate n 2 at %g degrees, %s: largest error of R and T", degrees, wave), most, 1e-3,
                "Airy; 86 to 95 cells a wavelength in it");
    verify_most(v, verify_name("  |R + T - 1|, %s", wave), lost, 1e-4, "nothing is lost");
    return SF_OK;
}

/* ---- a grating --------------------------------------------------------------------------------------------------- */

enum { GRATING_FREQUENCIES = 3, MOST = 2, ORDERS = 2 * MOST + 1 };

/* Bars of the case oblique_grating, 24 x 12 cells of 25 nm on glass, at 30 degrees at 320 THz. Shares of orders back
 * and through; `lean`: half as high beside them as well; sign: of kx. */
static int grating_run(struct session *s, int is_tm, int lean, int sign, double is[2][GRATING_FREQUENCIES][ORDERS])
{
    SF_TRY(verify_open(
        s,
        "&case name='grating' model='maxwell' /\n&grid nx=48 ny=1 nz=120 dx=25e-9 dy=25e-9 dz=25e-9 origin_z=-1.5e-6 /\n"
        "&time duration=5e-13 /\n&stop energy=1e-6 /\n"
        "&boundary west='periodic' east='periodic' south='periodic' north='periodic' /\n"
        "&cpml cells=20 /\n&medium name='glass','base' epsilon=4,2.25 /\n"
        "&geometry shape='half_space','box','%s' medium='base','glass','glass' axis=3*'z' side=3*'below'\n"
        "  x=0,0.6e-6,0.2e-6 z=0,0.15e-6,0.075e-6 size_x=0,0.6e-6,0.2e-6 size_z=0,0.3e-6,0.15e-6 /\n"
        "&bloch kx=%.17g /\n"
        "&plane_wave direction='-z' polarisation=%d waveform='modulated_gaussian' frequency=3.4e14 bandwidth=8e13\n"
        "  box=-1,1,-1,1,-9,0.75e-6 /\n"
        "&monitor name='up','down' kind=2*'orders' bottom=0.9e-6,-0.7e-6 top=0.9e-6,-0.7e-6 orders=2*%d /\n"
        "&spectrum from=2.8e14 to=3.6e14 count=%d /\n",
        lean ? "box" : "none", sign * M_PI * 3.2e14 / em_c0, is_tm ? 0 : 90, (int)MOST, (int)GRATING_FREQUENCIES));
    SF_TRY(verify_finish(s));
    SF_TRY(em_result(s, "orders_up.nc", "efficiency", GRATING_FREQUENCIES * ORDERS, is[0][0]));
    return em_result(s, "orders_down.nc", "efficiency", GRATING_FREQUENCIES * ORDERS, is[1][0]);
}

static int grating_compare(struct verify *v, int is_tm, double is[2][GRATING_FREQUENCIES][ORDERS])
{
    double most = 0, lost = 0;
    for (int f = 0; f < GRATING_FREQUENCIES; f++) {
        const double frequency = (2.8 + 0.4 * f) * 1e14, wave = em_c0 / frequency;
        const struct grating g = {.is_tm = is_tm,
                                  .period = 1.2e-6 / wave,
                                  .width = 0.6e-6 / wave,
                                  .height = 0.3e-6 / wave,
                                  .bar = 4,
                                  .groove = 1,
                                  .above = 1,
                                  .below = 2.25,
                                  .across = 0.5 * 3.2e14 / frequency,
                                  .waves = 16};
        double want[2][ORDERS], all = 0;
        SF_TRY(grating_orders(&g, MOST, want[0], want[1]));
        for (int n = 0; n < 2 * ORDERS; n++) {
            const double share = is[n / ORDERS][f][n % ORDERS], has = share < RESULT_NONE ? share : 0;
            most = fmax(most, fabs(has - want[n / ORDERS][n % ORDERS])), all += has;
        }
        lost = fmax(lost, fabs(all - 1));
    }
    const char *const wave = is_tm ? "TM" : "TE";
    verify_most(v, verify_name("grating at 30 degrees, %s: largest error of an order", wave), most,
                is_tm ? 0.015 : 0.01, "coupled waves; 17 cells a wavelength in the bars");
    verify_most(v, verify_name("  |all orders - 1|, %s", wave), lost, 2e-3, "nothing is lost");
    return SF_OK;
}

static int reciprocal_row(struct verify *v)
{
    double is[2][2][GRATING_FREQUENCIES][ORDERS], most = 0;
    for (int left = 0; left < 2; left++) {
        struct session s;
        const int rc = grating_run(&s, 0, 1, left ? 1 : -1, is[left]);
        session_close(&s);
        SF_TRY(rc);
    }
    for (int f = 0; f < GRATING_FREQUENCIES; f++) most = fmax(most, fabs(is[0][0][f][MOST] - is[1][0][f][MOST]));
    verify_most(v, "bars that lean: order 0 back, from the left less from the right", most, 1e-5, "reciprocity");
    return SF_OK;
}

int em_angle_rows(struct verify *v)
{
    static const double angle[] = {30, 60};
    for (int n = 0; n < 4; n++) {
        struct session s;
        const int rc = plate_run(v, &s, angle[n / 2], n % 2);
        session_close(&s);
        SF_TRY(rc);
    }
    for (int is_tm = 0; is_tm < 2; is_tm++) {
        struct session s;
        double is[2][GRATING_FREQUENCIES][ORDERS];
        int rc = grating_run(&s, is_tm, 0, 1, is);
        session_close(&s);
        if (!rc) rc = grating_compare(v, is_tm, is);
        SF_TRY(rc);
    }
    return reciprocal_row(v);
}
