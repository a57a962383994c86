/* The EM model in guides: a rectangular one, and waves at an angle as modes between parallel plates.
 * SPDX-License-Identifier: MIT */
#include "command/verify_em_analytic.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- oblique incidence ---- */

/* Between plates a apart a mode of one half wave is two plane waves that travel at the angle of sin t = fc / f, fc = c
 * / 2a, to the guide: with E across the plane of incidence (TE, reflection Rs) or in it (TM, Rp). Half of the guide is
 * computed: its plane of symmetry is a magnetic conductor. A sheet of dipoles, one to a cell, makes the mode and no
 * other. */
struct incidence {
    double angle, rs, rp; /* degrees; those of the note by Fresnel's formulas, 1 to 1.5 */
};

static const double plate_index = 1.5;

enum { SHEET = 64, TEXT = 2048 };

static void fresnel(double index, double degrees, double *rs, double *rp)
{
    const double t = degrees * M_PI / 180, c = cos(t), q = sqrt(index * index - sin(t) * sin(t)),
                 square = index * index;
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
    const double width = 0.6 * (f - cutoff),
                 wave = em_c0 / f / cos(angle * M_PI / 180) / d; /* along the guide, cells */
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
                       there ? "half_space" : "none", (LAYER + span) * d, cells, is_tm ? "magnetic" : "electric", cells,
                       place, cells, cells, (LAYER + gap) * d, amplitude, cells, cells, f, cells, width,
                       (LAYER + span + gap) * d, (LAYER + span + gap) * d, f));
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
            verify_near(v, verify_name("%g degrees, n 1.5: %s", angles[n], is_tm ? "Rp" : "Rs"), is, exact[is_tm],
                        0.005, "Fresnel; 40 cells a wavelength in it");
        }
    }
    return SF_OK;
}

/* ---- rectangular guide ---- */

/* WR-90, TE10, a gaussian around the middle of its band; spectra of Ey and Hx on the axis at two places. */
enum { GUIDE_X = 36, GUIDE_Y = 4, GUIDE_Z = 220, FREQUENCIES = 6 };

static const double guide_width = 22.86e-3; /* m */
static const double guide_frequency[FREQUENCIES] = {5e9, 8.2e9, 9e9, 10e9, 11e9, 12.4e9};
static const int guide_place[2] = {60, 90}; /* cells from the bottom */

/* Of one place: E at two nodes, H between them; of the cells on both sides of the axis, in which the mode is alike. */
enum { SIDES = 2 };
struct at_place {
    double ey_re[FREQUENCIES][2][SIDES], ey_im[FREQUENCIES][2][SIDES], hx_re[FREQUENCIES][SIDES],
        hx_im[FREQUENCIES][SIDES];
};

static int place_take(const struct session *s, const char *file, struct at_place *a)
{
    SF_TRY(em_result(s, file, "Ey_re", 2 * SIDES * FREQUENCIES, a->ey_re[0][0]));
    SF_TRY(em_result(s, file, "Ey_im", 2 * SIDES * FREQUENCIES, a->ey_im[0][0]));
    SF_TRY(em_result(s, file, "Hx_re", SIDES * FREQUENCIES, a->hx_re[0]));
    return em_result(s, file, "Hx_im", SIDES * FREQUENCIES, a->hx_im[0]);
}

/* The pulse keeps away from the cutoff, where waves stay for ever. */
static int guide_run(struct session *s, double middle_frequency, double bandwidth, struct at_place at[2])
{
    const double d = guide_width / GUIDE_X, height = 10.16e-3 / GUIDE_Y, middle = (GUIDE_X / 2) * d;
    const double level = (GUIDE_Y / 2) * height;
    SF_TRY(verify_open(s,
                       "&case name='guide' model='maxwell' /\n"
                       "&grid nx=%d ny=%d nz=%d dx=%.17g dy=%.17g dz=%.17g /\n"
                       "&time duration=8e-9 /\n"
                       "&boundary west='pec' east='pec' south='pec' north='pec' /\n"
                       "&cpml cells=20 alpha=0.001 /\n"
                       "&maxwell allow_coarse=.true. /\n"
                       "&output staggered=.true. /\n"
                       "&source kind='mode' axis='z' x=%.9g y=%.9g z=%.9g mode_m=1 waveform='modulated_gaussian'\n"
                       "  frequency=%.9g bandwidth=%.9g /\n"
                       "&monitor name='near','far' kind=2*'fields' west=2*%.9g east=2*%.9g south=2*%.9g north=2*%.9g\n"
                       "  bottom=%.9g,%.9g top=%.9g,%.9g /\n"
                       "&spectrum frequencies=5e9,8.2e9,9e9,10e9,11e9,12.4e9 /\n",
                       (int)GUIDE_X, (int)GUIDE_Y, (int)GUIDE_Z, d, height, d, middle, level, 30 * d, middle_frequency,
                       bandwidth, middle, middle, level, level, guide_place[0] * d, guide_place[1] * d,
                       (guide_place[0] + 1) * d, (guide_place[1] + 1) * d));
    SF_TRY(verify_finish(s));
    SF_TRY(place_take(s, "dft_near.nc", &at[0]));
    return place_take(s, "dft_far.nc", &at[1]);
}

static void guide_row(struct verify *v, int f, const struct at_place at[2])
{
    const double cutoff = em_c0 / (2 * guide_width), d = guide_width / GUIDE_X,
                 length = (guide_place[1] - guide_place[0]) * d;
    const double k = 2 * M_PI / em_c0, frequency = guide_frequency[f], eta = 376.730313668;
    double size[2], angle[2];
    for (int p = 0; p < 2; p++) {
        size[p] = hypot(at[p].ey_re[f][0][0], at[p].ey_im[f][0][0]);
        angle[p] = atan2(at[p].ey_im[f][0][0], at[p].ey_re[f][0][0]);
    }
    if (frequency < cutoff) {
        verify_near(v, verify_name("%.3g GHz: attenuation, Np/m", frequency / 1e9), log(size[0] / size[1]) / length,
                    k * sqrt(cutoff * cutoff - frequency * frequency), 0.5, "below cutoff: k sqrt((fc/f)^2 - 1)");
        return;
    }
    const double exact = k * sqrt(frequency * frequency - cutoff * cutoff);
    double beta = (angle[0] - angle[1]) / length;
    beta += 2 * M_PI / length * round((exact - beta) * length / (2 * M_PI));
    const double e = sqrt(size[0] * hypot(at[0].ey_re[f][1][0], at[0].ey_im[f][1][0])),
                 h = hypot(at[0].hx_re[f][0], at[0].hx_im[f][0]);
    verify_near(v, verify_name("%.3g GHz: cutoff from the phase, GHz", frequency / 1e9),
                sqrt(frequency * frequency - beta * beta / (k * k)) / 1e9, cutoff / 1e9, 0.005 * cutoff / 1e9,
                "c / 2a");
    verify_near(v, verify_name("%.3g GHz: wave impedance, ohm", frequency / 1e9), e / h,
                eta / sqrt(1 - pow(cutoff / frequency, 2)), 0.005 * eta, "eta0 / sqrt(1 - (fc/f)^2)");
}

int verify_guide(struct verify *v)
{
    static const struct {
        double frequency, bandwidth;
        int from, to;
    } pulses[] = {{4.5e9, 1.5e9, 0, 1}, {10.3e9, 3e9, 1, FREQUENCIES}};
    for (int n = 0; n < 2; n++) {
        struct session s;
        struct at_place at[2];
        const int rc = guide_run(&s, pulses[n].frequency, pulses[n].bandwidth, at);
        session_close(&s);
        SF_TRY(rc);
        for (int f = pulses[n].from; f < pulses[n].to; f++) guide_row(v, f, at);
    }
    return SF_OK;
}
