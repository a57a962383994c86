/* The EM model against power in closed form: what a dipole radiates and a sphere scatters.
 * SPDX-License-Identifier: MIT */
#include "command/verify_em_analytic.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdlib.h>

static const double eta0 = 376.730313668; /* ohm */

/* ---- Hertzian dipole ---- */

enum { DIPOLE = 3 };

/* A dipole of 1 A m amid a closed box; `cells` to the shortest of three wavelengths. */
static int dipole_run(struct session *s, int cells, double power[DIPOLE])
{
    const double d = 1e-3, f = em_c0 / (cells * d);
    const int half = 22, box = 6;
    SF_TRY(verify_open(
        s,
        "&case name='dipole' model='maxwell' /\n"
        "&grid nx=%d ny=%d nz=%d dx=1e-3 dy=1e-3 dz=1e-3 origin_x=%.9g origin_y=%.9g origin_z=%.9g /\n"
        "&time duration=%.9g /\n"
        "&cpml alpha=0.005 /\n"
        "&maxwell allow_coarse=.true. /\n"
        "&source kind='electric' axis='z' waveform='differentiated_gaussian' frequency=%.9g /\n"
        "&monitor name='box' kind='flux_box' west=%.9g east=%.9g south=%.9g north=%.9g bottom=%.9g top=%.9g /\n"
        "&spectrum frequencies=%.9g,%.9g,%.9g /\n",
        2 * half, 2 * half, 2 * half, -half * d, -half * d, -half * d, 8 / f + 200 * d / em_c0, 0.75 * f, -box * d,
        box * d, -box * d, box * d, -box * d, box * d, 0.5 * f, 0.75 * f, f));
    return em_finish(s, "power", DIPOLE, power);
}

int verify_dipole(struct verify *v)
{
    static const int finest = 40;
    for (int cells = finest / 2; cells <= finest; cells += finest / 2) {
        double power[DIPOLE];
        struct session s;
        const int rc = dipole_run(&s, cells, power);
        session_close(&s);
        SF_TRY(rc);
        for (int n = 0; n < DIPOLE; n++) {
            const double wavelength = cells * 1e-3 / (0.5 + 0.25 * n),
                         exact = eta0 * M_PI / 3 / (wavelength * wavelength);
            const double cells_each = cells / (0.5 + 0.25 * n);
            const char *const name = verify_name("%.3g cells a wavelength: power over (I l / lambda)^2, W", cells_each);
            const double is = power[n] * wavelength * wavelength, should = exact * wavelength * wavelength;
            if (cells == finest) verify_near(v, name, is, should, 0.005 * should, "eta0 pi / 3");
            else verify_show(v, name, is, should, "eta0 pi / 3");
        }
    }
    return em_strip_row(v);
}

/* ---- Mie ---- */

enum { SIZES = 3 };

static const double mie_size[SIZES] = {1, 2, 3}; /* circumference over wavelength */
static const double mie_exact[SIZES] = {0.79683026, 4.77043984, 3.03617063}; /* Qsca of a sphere of n 2 */

/* A quarter of the sphere: the wave travels upward, its E along x; x = 0 is an electric, y = 0 a magnetic conductor. */
static int mie_run(struct session *s, int cells, double share[SIZES])
{
    const double d = 1.0 / cells, each = em_c0 / (2 * M_PI); /* Hz of a size of 1, radius 1 m */
    const int layer = 10, wide = cells + layer + 14, tall = 2 * wide, wave = cells + 4, box = cells + 8;
    SF_TRY(verify_open(
        s,
        "&case name='mie' model='maxwell' /\n"
        "&grid nx=%d ny=%d nz=%d dx=%.17g dy=%.17g dz=%.17g origin_z=%.17g /\n"
        "&time duration=%.9g /\n"
        "&boundary west='pec' south='pmc' /\n"
        "&cpml alpha=0.005 cells=%d /\n"
        "&maxwell allow_coarse=.true. /\n"
        "&medium name='glass' epsilon=4 /\n"
        "&geometry shape='sphere' medium='glass' radius=1 /\n"
        "&plane_wave direction='+z' waveform='modulated_gaussian' frequency=%.9g bandwidth=%.9g\n"
        "  box=0,%.9g,0,%.9g,%.9g,%.9g /\n"
        "&monitor name='around' kind='flux_box' west=0 east=%.9g south=0 north=%.9g bottom=%.9g top=%.9g /\n"
        "&spectrum frequencies=%.9g,%.9g,%.9g /\n",
        wide, wide, tall, d, d, d, -wide * d, 90 / em_c0, layer, 2 * each, 1.5 * each, wave * d, wave * d, -wave * d,
        wave * d, box * d, box * d, -box * d, box * d, each, 2 * each, 3 * each));
    SF_TRY(em_finish(s, "power", SIZES, share));
    for (int n = 0; n < SIZES; n++) share[n] *= 4 * 2 * eta0 / M_PI; /* four quarters; 1/(2 eta0) W/m2 on pi m2 */
    return SF_OK;
}

static int mie_share_at(int cells, double share[SIZES])
{
    struct session s;
    const int rc = mie_run(&s, cells, share);
    session_close(&s);
    return rc;
}

/* What is left of the error falls with the size of a cell: two grids tell the limit. */
int verify_mie(struct verify *v)
{
    enum { COARSE = 20, FINE = 30, FINEST = 70 };
    double coarse[SIZES], fine[SIZES], finest[SIZES];
    SF_TRY(em_metal_rows(v));
    SF_TRY(mie_share_at(COARSE, coarse));
    SF_TRY(mie_share_at(FINE, fine));
    for (int n = 0; n < SIZES; n++) {
        verify_near(v, verify_name("n 2, x %g, %d cells to the radius: Qsca", mie_size[n], (int)COARSE), coarse[n],
                    mie_exact[n], 0.015 * mie_exact[n], "Mie's series");
        verify_near(v, verify_name("n 2, x %g, %d cells to the radius: Qsca", mie_size[n], (int)FINE), fine[n],
                    mie_exact[n], 0.01 * mie_exact[n], "Mie's series");
    }
    verify_near(v, "n 2, x 1, limit of small cells from both: Qsca",
                fine[0] + (fine[0] - coarse[0]) * COARSE / (FINE - COARSE), mie_exact[0], 0.003 * mie_exact[0],
                "Mie's series");
    if (!v->full) {
        verify_skip(v, verify_name("%d cells to the radius", (int)FINEST), "with --full");
        return SF_OK;
    }
    SF_TRY(mie_share_at(FINEST, finest));
    for (int n = 0; n < SIZES; n++)
        verify_near(v, verify_name("n 2, x %g, %d cells to the radius: Qsca", mie_size[n], (int)FINEST), finest[n],
                    mie_exact[n], 0.01 * mie_exact[n], "Mie's series");
    return SF_OK;
}
