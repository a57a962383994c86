/* What the absorbing layers reflect: the conducting plate of Roden and Gedney (2000, Microw. Opt. Technol. Lett. 27,
 * 334-339), a grazing wave along a plate three cells from the layers, against the same without boundaries.
 *
 * 51 x 126 x 26 cells of 1 mm, 10 of them layer on every side; a plate of 25 x 100 mm at z = 13 mm, a vertical dipole
 * at one corner of it, a probe at the other. The error is the largest difference in 420 steps over the largest value
 * without boundaries. That run is so much larger that nothing comes back in time. SPDX-License-Identifier: MIT */
#include "command/verify_em_analytic.h"

#include "maxwell/maxwell.h"
#include "pipeline/error.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 420, RECORD = 3 * STEPS };

static const int plate_cells[3] = {51, 126, 26};

/* Cells added on each side, and what the sides are. */
struct surroundings {
    int pad[3];
    const char *side, *layer;
};

static int plate_run(struct session *s, const struct surroundings *w, double *record)
{
    const char *const side = w->side;
    SF_TRY(verify_open(s,
                       "&case name='plate' model='maxwell' /\n"
                       "&grid nx=%d ny=%d nz=%d dx=1e-3 dy=1e-3 dz=1e-3 origin_x=%.9g origin_y=%.9g origin_z=%.9g /\n"
                       "&time duration=1e-9 /\n"
                       "&boundary west='%s' east='%s' south='%s' north='%s' bottom='%s' top='%s' /\n"
                       "&cpml %s /\n"
                       "&maxwell allow_coarse=.true. /\n"
                       "&geometry shape='sheet' axis='z' x=0.0255 y=0.063 z=0.013 size_x=0.025 size_y=0.1 /\n"
                       "&source kind='electric' axis='z' x=0.013 y=0.013 z=0.0145 waveform='differentiated_gaussian'\n"
                       "  frequency=9.42e9 delay=1.0615711e-10 /\n",
                       plate_cells[0] + 2 * w->pad[0], plate_cells[1] + 2 * w->pad[1], plate_cells[2] + 2 * w->pad[2],
                       -1e-3 * w->pad[0], -1e-3 * w->pad[1], -1e-3 * w->pad[2], side, side, side, side, side, side,
                       w->layer));
    for (int n = 0; n < STEPS; n++) {
        SF_TRY(session_advance(s, 1));
        for (int c = 0; c < 3; c++)
            record[3 * n + c] = (double)verify_line(s, F_EX + c, 114 + w->pad[1], 13 + w->pad[2])[38 + w->pad[0]];
    }
    return SF_OK;
}

static int plate_record(const struct surroundings *w, double *record)
{
    struct session s;
    const int rc = plate_run(&s, w, record);
    session_close(&s);
    return rc;
}

static double plate_error(const double *is, const double *should, int c)
{
    double worst = 0, most = 0;
    for (int n = c; n < RECORD; n += 3)
        worst = fmax(worst, fabs(is[n] - should[n])), most = fmax(most, fabs(should[n]));
    return 20 * log10(worst / most);
}

static int plate_rows(struct verify *v, double *reference, double *is)
{
    static const char component[] = "xyz";
    const struct surroundings open_space = {{84, 58, 96}, "pec", "cells=1"}, far = {{25, 25, 25}, "cpml", "cells=20"};
    const struct surroundings own = {{0}, "cpml", "cells=10"};
    const struct surroundings simple = {{0}, "cpml", "cells=10 sigma_factor=1 kappa=1 alpha=0"};
    const char *const source = v->full ? "no boundaries" : "layers of 20 cells, 25 mm away";
    SF_TRY(plate_record(v->full ? &open_space : &far, reference));
    SF_TRY(plate_record(&own, is));
    for (int c = 0; c < 3; c++)
        verify_most(v, verify_name("E%c at the corner, dB", component[c]), plate_error(is, reference, c),
                    c < 2 ? -84 : -79, source);
    SF_TRY(plate_record(&simple, is));
    for (int c = 0; c < 3; c++)
        verify_show(v, verify_name("E%c, sigma_opt, kappa 1, alpha 0, dB", component[c]), plate_error(is, reference, c),
                    NAN, source);
    return SF_OK;
}

int verify_cpml(struct verify *v)
{
    double *const work = malloc(2 * RECORD * sizeof *work);
    SF_CHECK(work, SF_MEMORY, "no memory for a record of %d steps", (int)STEPS);
    const int rc = plate_rows(v, work, work + RECORD);
    free(work);
    SF_TRY(rc);
    SF_TRY(em_layer_rows(v));
    SF_TRY(em_grazing_rows(v));
    return em_growth_rows(v);
}
