/* Spheres of gold and silver in light: what they scatter and absorb, against Mie's series of the same poles.
 *
 * The surface is drawn as stairs (maxwell/dispersion.h), so errors fall with the size of a cell, and where the
 * efficiency falls steeply with the wavelength, on the red side of the resonance, they are several times as large as
 * elsewhere. There the limit of two grids is held to the same bound. SPDX-License-Identifier: MIT */
#include "command/mie.h"
#include "command/verify_em.h"
#include "command/verify_em_analytic.h"

#include "maxwell/own.h"
#include "pipeline/error.h"

#include <math.h>

enum { COLOURS = 5, EXTINCTION = 0, SCATTERING, ABSORPTION, EFFICIENCIES };

static const double colour[COLOURS] = {0.40e-6, 0.50e-6, 0.55e-6, 0.60e-6, 0.80e-6}, /* m */
    radius = 50e-9;

struct metal {
    const char *material;
    double tolerance;
    int steep[COLOURS]; /* 1: there the limit of two grids counts */
    double absorbed; /* the tolerance of what is absorbed, where that is the lesser part; 0: it is shown */
};

/* A quarter again; a box in the whole field and one in the scattered field alone tell what is absorbed and scattered.
 * is, should: over what falls on pi radius^2. */
static int metal_run(struct session *s, const char *material, int cells, double is[COLOURS][EFFICIENCIES],
                     double should[COLOURS][EFFICIENCIES])
{
    const double d = radius / cells, f[COLOURS] = {em_c0 / colour[4], em_c0 / colour[3], em_c0 / colour[2],
                                                   em_c0 / colour[1], em_c0 / colour[0]};
    const int wide = cells + 10 + 9, inner = cells + 1, wave = cells + 3, outer = cells + 6;
    double section[2 * COLOURS];
    SF_TRY(verify_open(
        s,
        "&case name='metal' model='maxwell' /\n"
        "&grid nx=%d ny=%d nz=%d dx=%.17g dy=%.17g dz=%.17g origin_z=%.17g /\n"
        "&time duration=2.2e-14 /\n"
        "&boundary west='pec' south='pmc' /\n"
        "&medium name='metal' material='%s' /\n"
        "&geometry shape='sphere' medium='metal' radius=%.17g /\n"
        "&plane_wave direction='+z' waveform='modulated_gaussian' frequency=5.6e14 bandwidth=5e14\n"
        "  box=0,%.17g,0,%.17g,%.17g,%.17g /\n"
        "&monitor name='absorbed','scattered' kind=2*'flux_box' west=2*0 east=%.17g,%.17g south=2*0 north=%.17g,%.17g\n"
        "  bottom=%.17g,%.17g top=%.17g,%.17g /\n"
        "&spectrum frequencies=%.17g,%.17g,%.17g,%.17g,%.17g /\n",
        wide, wide, 2 * wide, d, d, d, -wide * d, material, radius, wave * d, wave * d, -wave * d, wave * d, inner * d,
        outer * d, inner * d, outer * d, -inner * d, -outer * d, inner * d, outer * d, f[0], f[1], f[2], f[3], f[4]));
    SF_TRY(em_finish(s, "cross_section", 2 * COLOURS, section));
    const struct maxwell_own *const own = s->in.own;
    for (int n = 0; n < COLOURS; n++) { /* frequencies grow; four quarters */
        const double *const of = section + 2 * (COLOURS - 1 - n), whole = 4 / (M_PI * radius * radius),
                            size = 2 * M_PI * radius / colour[n];
        double epsilon[2];
        is[n][ABSORPTION] = -of[0] * whole, is[n][SCATTERING] = of[1] * whole;
        is[n][EXTINCTION] = is[n][ABSORPTION] + is[n][SCATTERING];
        medium_permittivity(&own->media.medium[MEDIUM_GIVEN], em_c0 / colour[n], epsilon);
        const double complex index = csqrt(epsilon[0] - I * epsilon[1]);
        should[n][EXTINCTION] = mie_extinction(size, index), should[n][SCATTERING] = mie_scattering(size, index);
        should[n][ABSORPTION] = should[n][EXTINCTION] - should[n][SCATTERING];
    }
    return SF_OK;
}

static int metal_at(const char *material, int cells, double is[COLOURS][EFFICIENCIES],
                    double should[COLOURS][EFFICIENCIES])
{
    struct session s;
    const int rc = metal_run(&s, material, cells, is, should);
    session_close(&s);
    return rc;
}

static int metal_rows(struct verify *v, const struct metal *m)
{
    enum { COARSE = 20, FINE = 30 };
    static const char *const what[EFFICIENCIES] = {"Qext", "Qsca", "Qabs"};
    double is[COLOURS][EFFICIENCIES], fine[COLOURS][EFFICIENCIES], should[COLOURS][EFFICIENCIES];
    SF_TRY(metal_at(m->material, COARSE, is, should));
    if (v->full) SF_TRY(metal_at(m->material, FINE, fine, should));
    for (int n = 0; n < COLOURS; n++)
        for (int q = 0; q < EFFICIENCIES; q++) {
            const double exact = should[n][q], tolerance = q == ABSORPTION ? m->absorbed : m->tolerance,
                         limit = fine[n][q] + (fine[n][q] - is[n][q]) * COARSE / (FINE - COARSE);
            const char *const of = verify_name("%s, 50 nm, %g um: %s", m->material, colour[n] * 1e6, what[q]);
            if (m->steep[n] || !(tolerance > 0)) verify_show(v, of, is[n][q], exact, "Mie's series");
            else verify_near(v, of, is[n][q], exact, tolerance * exact, "Mie's series, 20 cells to the radius");
            if (v->full && q != ABSORPTION)
                verify_near(v, "limit of small cells, from 20 and 30", limit, exact, m->tolerance * exact,
                            "Mie's series");
        }
    if (!v->full) verify_skip(v, verify_name("%s: limits of small cells", m->material), "with --full");
    return SF_OK;
}

int em_metal_rows(struct verify *v)
{
    static const struct metal gold = {"gold", 0.05, {0, 0, 1, 1, 1}, 0.05},
                              silver = {"silver", 0.1, {0, 1, 1, 0, 0}, 0};
    SF_TRY(metal_rows(v, &gold));
    return metal_rows(v, &silver);
}
