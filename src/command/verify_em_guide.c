/* The EM model in guides: a rectangular one, and waves at an angle as modes between parallel plates.
 * SPDX-License-Identifier: MIT */
#include "command/verify_em_analytic.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- oblique incidence ---- */

/* Between plates a apart a mode of one half wave is two plane waves that travel at the angle of sin t = fc / f, fc = c / 2a, to
 * the guide: with E across the plane of incidence (TE, reflection Rs) or in it (TM, Rp). Half of the guide is computed: its
 * plane of symmetry is a magnetic conductor. A sheet of dipoles, one to a cell, makes the mode and no other. */
struct incidence {
    double angle, rs, rp; /* degrees; those of the note by Fresnel's formulas, 1 to 1.5 */
};

static const double plate_index = 1.5;

enum { SHEET = 64, TEXT = 2048 };

static void fresnel(double index, double degrees, double *rs, double *rp)
{
    const double t = degrees * M_PI / 180, c = cos(t), q = sqrt(index * index - sin(t) * sin(t)), square = index * index;
    *rs = pow((c - q) / (c + q), 2);
    *rp = pow((square * c - q) / (square * c + q), 2);
}

/* Places and amplitudes of the dipoles: magnetic ones at the centres of the cells, electric ones at the nodes. */
static void sheet_text(int is_tm, int cells, double dx, char *place, char *amplitude)
{
    size_t p = 0, q = 0;
    for (int i = 0; i < cells; i++) {
        const double at = is_tm ? i + 0.5 : i + 1;
        const double share = is_tm ? cos(0.5 * M_PI * at / cells) : sin(0.5 * M_PI * at / cells);
        p += (size_t)snprintf(place + p, TEXT - p, "%.9g,", at * dx);
        q += (size_t)snprintf(amplitude + q, TEXT - q, "%.7f,", share);
    }
}

/* `cells` to half of the distance between the plates, all lengths in those of a cell of 1 mm. */
static int plates_run(struct session *s, int is_tm, int there, int cells, double angle, double *power)
{
    enum { LAYER = 20 };
    static char place[TEXT], amplitude[TEXT];
    const double d = 1e-3, cutoff = em_c0 / (4 * cells * d), f = cutoff / sin(angle * M_PI / 180);
    const double width = 0.6 * (f - cutoff), wave = em_c0 / f / cos(angle * M_PI / 180) / d; /* along the guide, cells */
    const int gap = 10, span = (int)(wave / 2) + 2 * gap, duration = (int)(12 * 0.375 / width * em_c0 / d + 40 * wave);
    sheet_text(is_tm, cells, d, place, amplitude);
    SF_TRY(verify_open(s,
                       "&case name='plates' model='maxwell' /\n"
                       "&grid nx=%d ny=1 nz=%d dx=1e-3 dy=1e-3 dz=1e-3 /\n"
                       "&time duration=%.9g /\n"
                       "&boundary west='pec' east='pmc' south='periodic' north='periodic' /\n"
                       "&cpml cells=%d alpha=0.001 /\n"
                       "&maxwell allow_coarse=.true. /\n"
                       "&medium name='glass' epsilon=%.9g /\n"
                       "&geometry shape='%s' medium='glass' axis='z' z=%.9g /\n"
                       "&source kind=%d*'%s' axis=%d*'y' x=%s y=%d*0 z=%d*%.9g\n"
                       "  amplitude=%s\n"
                       "  waveform=%d*'modulated_gaussian' frequency=%d*%.9g bandwidth=%d*%.9g /\n"
                       "&monitor name='behind' kind='flux' bottom=%.9g top=%.9g /\n"
                       "&spectrum frequencies=%.9g /\n",
                       cells, 2 * span + 2 * LAYER, duration * d / em_c0, (int)LAYER, plate_index * plate_index,
                       there ? "half_space" : "none", (LAYER + span) * d, cells, is_tm ? "magnetic" : "electric", cells, place,
                       cells, cells, (LAYER + gap) * d, amplitude, cells, cells, f, cells, width, (LAYER + span + gap) * d,
                       (LAYER + span + gap) * d, f));
    return em_finish(s, "flux", 1, power);
}

static int plates_reflection(int is_tm, int cells, double angle, double *reflection)
{
    double power[2];
    for (int there = 0; there < 2; there++) {
        struct session s;
        const int rc = plates_run(&s, is_tm, there, cells, angle, &power[there]);
        session_close(&s);
        SF_TRY(rc);
    }
    *reflection = 1 - power[1] / power[0];
    return SF_OK;
}

int verify_plates(struct verify *v)
{
    static const double angles[] = {20, 40, 60};
    for (int n = 0; n < 3; n++) {
        /* 40 cells a wavelength in the medium */
        const int cells = (int)ceil(10 * plate_index / sin(angles[n] * M_PI / 180));
        double exact[2];
        fresnel(plate_index, angles[n], &exact[0], &exact[1]);
        for (int is_tm = 0; is_tm < 2; is_tm++) {
            double is;
            SF_TRY(plates_reflection(is_tm, cells, angles[n], &is));
            verify_near(v, verify_name("%g degrees, n 1.5: %s", angles[n], is_tm ? "Rp" : "Rs"), is, exact[is_tm], 0.005,
                        "Fresnel; 40 cells a wavelength in it");
        }
    }
    return SF_OK;
}

/* ---- rectangular guide ---- */
