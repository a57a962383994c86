/* What absorbing layers return of waves at an angle: modes between two plates, sin t = fc / f, into the default layers
 * of 10 cells, less the same in a guide that goes on. In half of the guide, whose middle is a magnetic conductor, a
 * sheet of dipoles makes the mode of one half wave and no other. Spectra at one place of what came back and of what
 * went in have the reflection as their quotient, for nothing fades along a guide. SPDX-License-Identifier: MIT */
#include "command/verify_em.h"
#include "command/verify_em_analytic.h"

#include "maxwell/cpml_reflection.h"
#include "maxwell/layers.h"
#include "maxwell/own.h"
#include "pipeline/error.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HALF = 5, LAYER = 10, SOURCE = 20, PLACE = 30, FRONT = 40, TEXT = 512 }; /* cells; from the low layer */

static const double cell = 1e-3; /* m */

struct angled {
    double frequency, sine2, dt; /* Hz, that of the grid, s */
    double length; /* of the run in cells that light passes in vacuum */
    int before, behind; /* cells that the guide goes on at its low and its high end, absorbing layers beyond */
};

static int angled_open(struct session *s, const struct angled *a, double width)
{
    char place[TEXT], share[TEXT];
    size_t p = 0, q = 0;
    for (int i = 0; i < HALF; i++) {
        p += (size_t)snprintf(place + p, TEXT - p, "%.9g,", (i + 1) * cell);
        q += (size_t)snprintf(share + q, TEXT - q, "%.9g,", sin(0.5 * M_PI * (i + 1) / HALF));
    }
    return verify_open(s,
                       "&case name='grazing' model='maxwell' /\n"
                       "&grid nx=%d ny=1 nz=%d dx=%g dy=%g dz=%g origin_z=%.9g /\n"
                       "&time duration=%.9g /\n"
                       "&boundary west='pec' east='pmc' south='periodic' north='periodic' /\n"
                       "&cpml cells=%d /\n"
                       "&source kind=%d*'electric' axis=%d*'y' x=%s z=%d*%.9g amplitude=%s\n"
                       "  waveform=%d*'modulated_gaussian' frequency=%d*%.9g bandwidth=%d*%.9g /\n",
                       (int)HALF, LAYER + a->before + FRONT + a->behind + LAYER, cell, cell, cell,
                       -(LAYER + a->before) * cell, a->length * cell / em_c0, (int)LAYER, (int)HALF, (int)HALF, place,
                       (int)HALF, SOURCE * cell, share, (int)HALF, (int)HALF, a->frequency, (int)HALF, width);
}

/* E in the middle of the guide, step by step, to *record; *theory: what check foretells of the high layer. */
static int angled_run(struct session *s, struct angled *a, double width, double **record, int *steps, double *theory)
{
    SF_TRY(angled_open(s, a, width));
    const struct maxwell_own *const own = s->in.own;
    const double w = 2 * M_PI * a->frequency, dt = own->ctx.dt, swing = 2 / dt * sin(0.5 * w * dt) / em_c0;
    a->dt = dt, a->sine2 = pow(2 / cell * sin(M_PI / (4 * HALF)) / swing, 2);
    const struct cpml_options o = layers_options(own);
    const struct cpml_face face = {LAYER, own->index[FACE_T]};
    const struct cpml_wave wave = {.frequency = a->frequency, .epsilon = 1, .mu = 1, .sine2 = a->sine2};
    *theory = cpml_reflection(&face, cell, &o, dt, &wave);
    *steps = (int)(a->length * cell / em_c0 / dt);
    *record = malloc((size_t)*steps * sizeof **record);
    SF_CHECK(*record, SF_MEMORY, "no memory for a record of %d steps", *steps);
    for (int n = 0; n < *steps; n++) {
        SF_TRY(session_advance(s, 1));
        (*record)[n] = (double)verify_line(s, F_EY, 0, LAYER + a->before + PLACE)[HALF - 1];
    }
    return SF_OK;
}

/* |spectrum of is - should| over |spectrum of should|. */
static double share_back(const double *is, const double *should, int steps, const struct angled *a)
{
    double complex back = 0, in = 0;
    for (int n = 0; n < steps; n++) {
        const double complex turn = cexp(-I * 2 * M_PI * a->frequency * a->dt * n);
        back += (is[n] - should[n]) * turn, in += should[n] * turn;
    }
    return cabs(back / in);
}

static int grazing_row(struct verify *v, double degrees, double most)
{
    /* The band keeps off the cutoff, where waves stand still; the guide goes on for as long as any come back. */
    const double cutoff = em_c0 / (4 * HALF * cell), f = cutoff / sin(degrees * M_PI / 180), width = 0.5 * (f - cutoff),
                 length = 12 * 0.375 / width * em_c0 / cell + 60 / cos(degrees * M_PI / 180);
    const int far = (int)(0.5 * length * sqrt(1 - pow(cutoff / (f + 1.5 * width), 2)));
    double *record[2] = {NULL, NULL}, theory[2];
    int rc = SF_OK, steps = 0;
    struct angled a = {.frequency = f, .length = length, .before = far};
    for (int n = 0; n < 2 && !rc; n++) {
        struct session s;
        a.behind = n ? far : 0;
        rc = angled_run(&s, &a, width, &record[n], &steps, &theory[n]);
        session_close(&s);
    }
    if (!rc) {
        const double is = share_back(record[0], record[1], steps, &a);
        verify_most(v, verify_name("%g degrees, default layers: what comes back, dB", degrees), 20 * log10(is), most,
                    "a guide that goes on");
        verify_near(v, "the same", 20 * log10(is), 20 * log10(theory[0]), 0.1, "what check foretells");
    }
    free(record[0]);
    free(record[1]);
    return rc;
}

int em_grazing_rows(struct verify *v)
{
    SF_TRY(grazing_row(v, 45, -60));
    SF_TRY(grazing_row(v, 60, -60));
    return grazing_row(v, 75, -40);
}
