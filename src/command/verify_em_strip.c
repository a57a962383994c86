/* The EM model's sheets: at which frequency a strip dipole resonates.
 *
 * Two strips as wide as a cell and a gap of one cell between them, 31 cells from end to end, fed in the gap: a
 * half-wave dipole. A strip is as good as a wire whose radius is a quarter of its width. Of that wire, 31 cells long
 * and a quarter of a cell thick, Galerkin's method with piecewise sinusoidal currents (Richmond 1974, NASA CR-2399; 61
 * of them, 41 give 0.03 % more) makes the reactance zero where 31 cells are 0.4669 wavelengths. The grid places either
 * end of a conductor to half a cell, so the length is good to one. A strip with edges across its rim would be a comb,
 * which slows the wave down: 0.36 wavelengths.
 *
 * A quarter of the dipole is computed: both planes of symmetry are magnetic conductors. SPDX-License-Identifier: MIT */
#include "command/verify_em_analytic.h"

#include "pipeline/error.h"

#include <math.h>

enum { LENGTH = 31, AROUND = 20, BANDS = 31 };

static const double resonance = 0.4669; /* cells of its length over those of the wave */

/* The first of `each` values of a component at every frequency: where the gap is, in the corner of two magnetic
 * conductors. */
static int gap_result(const struct session *s, const char *name, int each, double value[BANDS])
{
    enum { MOST = 4 };
    double all[MOST * BANDS];
    SF_TRY(em_result(s, "dft_gap.nc", name, each * BANDS, all));
    for (int f = 0; f < BANDS; f++) value[f] = all[each * f];
    return SF_OK;
}

static int strip_run(struct session *s, double e[2][BANDS], double h[2][BANDS])
{
    const double d = 0.01, arm = (LENGTH - 1) / 2 * d, middle = (arm + d) / 2;
    SF_TRY(verify_open(s,
                       "&case name='strip' model='maxwell' /\n"
                       "&grid nx=%d ny=%d nz=%d dx=%g dy=%g dz=%g origin_z=%.9g /\n"
                       "&time duration=2e-8 /\n"
                       "&output staggered=.true. /\n"
                       "&boundary west='pmc' south='pmc' /\n"
                       "&geometry shape=2*'sheet' medium=2*'pec' axis=2*'x' z=%.9g,%.9g size_y=2*%.9g size_z=2*%.9g /\n"
                       "&source kind='electric' axis='z' waveform='differentiated_gaussian' frequency=%.9g /\n"
                       "&monitor name='gap' kind='fields' west=0 east=0 south=0 north=0 bottom=%.9g top=%.9g /\n"
                       "&spectrum from=%.9g to=%.9g count=%d /\n",
                       (int)AROUND, (int)AROUND, LENGTH + 2 * AROUND, d, d, d, -(0.5 * LENGTH + AROUND) * d, -middle,
                       middle, d, arm, 0.5 * em_c0 / (LENGTH * d), -0.5 * d, 0.5 * d, 0.3 * em_c0 / (LENGTH * d),
                       0.6 * em_c0 / (LENGTH * d), (int)BANDS));
    SF_TRY(verify_finish(s));
    SF_TRY(gap_result(s, "Ez_re", 4, e[0])); /* nodes of x and y around a column of cells */
    SF_TRY(gap_result(s, "Ez_im", 4, e[1]));
    SF_TRY(gap_result(s, "Hy_re", 2, h[0]));
    return gap_result(s, "Hy_im", 2, h[1]);
}

/* Where the voltage, -Ez, and the current, the ring of H around the gap, are in phase. NAN: nowhere. */
static double resonance_find(double e[2][BANDS], double h[2][BANDS])
{
    double before = NAN;
    for (int f = 0; f < BANDS; f++) {
        const double reactance = -(e[1][f] * h[0][f] - e[0][f] * h[1][f]) / (h[0][f] * h[0][f] + h[1][f] * h[1][f]);
        if (before < 0 && reactance >= 0) return 0.3 + 0.3 / (BANDS - 1) * (f - reactance / (reactance - before));
        before = reactance;
    }
    return NAN;
}

int em_strip_row(struct verify *v)
{
    static double e[2][BANDS], h[2][BANDS];
    struct session s;
    const int rc = strip_run(&s, e, h);
    session_close(&s);
    SF_TRY(rc);
    verify_near(v, "strip dipole of 31 cells at resonance: wavelengths", resonance_find(e, h), resonance,
                resonance / LENGTH, "moment method, wire of the same; 1 cell");
    return SF_OK;
}
