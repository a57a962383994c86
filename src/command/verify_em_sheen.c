/* The microstrip patch and low-pass filter of Sheen, Ali, Abouzahra and Kong 1990, IEEE Trans. Microwave Theory Tech.
 * 38, 849-857, on cells of their size: the cases patch_antenna and microstrip_filter.
 *
 * They give curves, calculated and measured, and no numbers: what is read from those is good to 0.15 GHz, a tenth of
 * the distance of marks on their axis. A sheet ends to half a cell of the grid, and the patch is 40 cells long, the bar
 * of the filter 50: 1 / 80 of a frequency besides. SPDX-License-Identifier: MIT */
#include "command/verify_em_analytic.h"

#include "pipeline/error.h"

#include <math.h>

enum { FROM = 20, TO = 200, COUNT = TO - FROM + 1, PORTS_MOST = 2 }; /* in 0.1 GHz */

static double off(double ghz) { return 0.15 + ghz / 80; }

#define SHEEN_AROUND                                                                                                   \
    "&time duration=4e-9 /\n"                                                                                          \
    "&boundary bottom='pec' /\n&cpml cells=8 /\n"                                                                      \
    "&medium name='duroid' epsilon=2.2 /\n"                                                                            \
    "&excitation port=1 waveform='modulated_gaussian' frequency=10e9 bandwidth=18e9 /\n"                               \
    "&spectrum from=2e9 to=20e9 count=181 /\n"

/* |S| of port `to` from the first, dB. */
static int magnitudes(const struct session *s, int ports, int to, double db[COUNT])
{
    double re[COUNT * PORTS_MOST], im[COUNT * PORTS_MOST];
    SF_TRY(em_result(s, "ports.nc", "s_re", COUNT * ports, re));
    SF_TRY(em_result(s, "ports.nc", "s_im", COUNT * ports, im));
    for (int f = 0; f < COUNT; f++) db[f] = 20 * log10(hypot(re[f * ports + to], im[f * ports + to]));
    return SF_OK;
}

static int patch_rows(struct verify *v, struct session *s)
{
    static const double read[] = {7.5, 10, 12.2, 18};
    double db[COUNT];
    SF_TRY(verify_open(
        s,
        "&case name='patch' model='maxwell' /\n&grid nx=72 ny=90 nz=26 dx=0.389e-3 dy=0.4e-3 dz=0.2647e-3 /\n" SHEEN_AROUND
        "&geometry shape='box','sheet','sheet' medium='duroid','pec','pec' axis='z','z','z' x=0,14.004e-3,10.892e-3\n"
        "  y=0,24e-3,6e-3 z=0.39705e-3,0.7941e-3,0.7941e-3 size_x=1,12.448e-3,2.334e-3 size_y=1,16e-3,20e-3\n"
        "  size_z=0.7941e-3 /\n"
        "&port kind='line' axis='y' x=10.892e-3 y=6e-3 z=0.7941e-3 /\n"));
    SF_TRY(verify_finish(s));
    SF_TRY(magnitudes(s, 1, 0, db));
    for (int n = 0; n < (int)(sizeof read / sizeof read[0]); n++) {
        int best = -1;
        for (int f = 0; f < COUNT; f++)
            if (fabs(0.1 * (FROM + f) - read[n]) < 0.08 * read[n] && (best < 0 || db[f] < db[best])) best = f;
        verify_near(v, verify_name("Sheen's patch: dip of S11 at %g GHz", read[n]), 0.1 * (FROM + best), read[n],
                    off(read[n]), "Sheen et al. 1990, read from curves");
    }
    return SF_OK;
}

static int filter_rows(struct verify *v, struct session *s)
{
    double db[COUNT];
    int half = 0;
    SF_TRY(verify_open(
        s,
        "&case name='filter' model='maxwell' /\n&grid nx=80 ny=76 nz=26 dx=0.4064e-3 dy=0.4233e-3 dz=0.2647e-3 /\n" SHEEN_AROUND
        "&geometry shape='box',3*'sheet' medium='duroid',3*'pec' axis=4*'z' x=0,16.256e-3,13.0048e-3,19.5072e-3\n"
        "  y=0,16.0854e-3,4e-3,28.1708e-3 z=0.39705e-3,3*0.7941e-3 size_x=1,20.32e-3,2*2.4384e-3\n"
        "  size_y=1,2.5398e-3,2*21.631e-3 size_z=0.7941e-3 /\n"
        "&port kind=2*'line' axis=2*'y' toward='+','-' x=13.0048e-3,19.5072e-3 y=6.3495e-3,25.8213e-3 z=2*0.7941e-3 /\n"));
    SF_TRY(verify_finish(s));
    SF_TRY(magnitudes(s, 2, 1, db));
    while (half < COUNT && db[half] > 10 * log10(0.5)) half++;
    verify_near(v, "Sheen's filter: half of the power passes at, GHz", 0.1 * (FROM + half), 5.5, off(5.5),
                "Sheen et al. 1990, read from curves");
    double most = -INFINITY;
    for (int f = 0; f < COUNT; f++)
        if (fabs(0.1 * (FROM + f) - 7) < off(7)) most = fmax(most, db[f]);
    verify_most(v, "Sheen's filter: S21 around 7 GHz, dB", most, -20, "the same");
    return SF_OK;
}

int em_sheen_rows(struct verify *v)
{
    static int (*const rows[])(struct verify *, struct session *) = {patch_rows, filter_rows};
    for (int n = 0; n < 2; n++) {
        struct session s;
        const int rc = rows[n](v, &s);
        session_close(&s);
        SF_TRY(rc);
    }
    return SF_OK;
}
