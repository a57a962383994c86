/* What absorbing layers return of long waves, and where two media meet at a face: against the same guides continued so
 * far that nothing comes back in time.
 *
 * Two guides of two cells lie side by side, a conducting wall between them, and carry waves along z that are uniform
 * across: one is filled with vacuum, one with the second medium, and both end in the same layers, which one index
 * grades. The largest difference to the continued guides, over the largest value, is at most
 *
 *     2 layers x integral of |R(f)| (4 / sqrt(pi)) y^2 exp(-y^2) dy,  y = f / frequency,
 *
 * R what theory has for a layer (maxwell/cpml_reflection.h) and the rest the spectrum of a ricker of peak 1: no phases
 * can add to more. SPDX-License-Identifier: MIT */
#include "command/verify_em.h"
#include "command/verify_em_analytic.h"

#include "maxwell/cpml_reflection.h"
#include "maxwell/layers.h"
#include "pipeline/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GUIDE = 2, INSIDE = 80 }; /* cells across a guide, cells between the layers */

struct guides {
    double frequency, cell, duration; /* Hz, m, s */
    double epsilon; /* of the second guide */
    int layer; /* cells */
};

struct record {
    int steps;
    double *value; /* Ex in the first guide, then in the second, step by step */
    double bound[2];
};

static double ricker_share(double y) { return 4 / sqrt(3.14159265358979323846) * y * y * exp(-y * y); }

/* Of both layers; `epsilon`: of the guide. */
static double bound_of(const struct maxwell_own *own, const struct guides *g, double epsilon)
{
    const struct cpml_options o = layers_options(own);
    const struct cpml_face face = {g->layer, own->index[FACE_T]};
    double sum = 0;
    for (int n = 0; n < 2000; n++) {
        const double y = (n + 0.5) * 4 / 2000;
        const struct cpml_wave w = {.frequency = y * g->frequency, .epsilon = epsilon, .mu = 1};
        sum += 2 * cpml_reflection(&face, g->cell, &o, own->ctx.dt, &w) * ricker_share(y) * 4 / 2000;
    }
    return sum;
}

/* `pad` cells more on either end. */
static int guides_run(struct session *s, const struct guides *g, int pad, struct record *r)
{
    const int nz = INSIDE + 2 * (g->layer + pad), middle = nz / 2, from = middle - INSIDE / 4, at = middle + INSIDE / 4;
    SF_TRY(verify_open(
        s,
        "&case name='layers' model='maxwell' /\n"
        "&grid nx=%d ny=1 nz=%d dx=%.9g dy=%.9g dz=%.9g /\n"
        "&time duration=%.9g /\n"
        "&boundary west='pec' east='pec' south='periodic' north='periodic' /\n"
        "&cpml cells=%d /\n"
        "&medium name='second' epsilon=%.9g /\n"
        "&geometry shape='half_space','sheet' medium='second','pec' axis=2*'x' side='above' x=2*%.9g /\n"
        "&source kind=4*'electric' axis=4*'x' x=%.9g,%.9g,%.9g,%.9g z=4*%.9g waveform=4*'ricker' frequency=4*%.9g /\n",
        2 * GUIDE, nz, g->cell, g->cell, g->cell, g->duration, g->layer, g->epsilon, GUIDE * g->cell, 0.5 * g->cell,
        1.5 * g->cell, 2.5 * g->cell, 3.5 * g->cell, from * g->cell, g->frequency));
    r->steps = (int)(g->duration / em_of(s)->dt);
    double *const more = realloc(r->value, 2 * (size_t)r->steps * sizeof *more);
    SF_CHECK(more, SF_MEMORY, "no memory for a record of %d steps", r->steps);
    r->value = more;
    for (int n = 0; n < r->steps; n++) {
        SF_TRY(session_advance(s, 1));
        const real *const line = verify_line(s, F_EX, 0, at);
        r->value[2 * n] = (double)line[0], r->value[2 * n + 1] = (double)line[GUIDE];
    }
    r->bound[0] = bound_of(s->in.own, g, 1), r->bound[1] = bound_of(s->in.own, g, g->epsilon);
    return SF_OK;
}

static int guides_record(const struct guides *g, int pad, struct record *r)
{
    struct session s;
    const int rc = guides_run(&s, g, pad, r);
    session_close(&s);
    return rc;
}

static double worst_of(const struct record *is, const struct record *should, int which)
{
    double worst = 0, most = 0;
    for (int n = which; n < 2 * is->steps; n += 2)
        worst = fmax(worst, fabs(is->value[n] - should->value[n])), most = fmax(most, fabs(should->value[n]));
    return worst / most;
}

static int guides_compare(const struct guides *g, struct record *is, struct record *should)
{
    SF_TRY(guides_record(g, 0, is));
    return guides_record(g, (int)(em_c0 * g->duration / g->cell / 2), should);
}

int em_layer_rows(struct verify *v)
{
    /* 600 cells a wavelength; 24 in the second guide where media are mixed, which is 9 times as slow. */
    const struct guides is_long = {.frequency = 1e8, .cell = 5e-3, .duration = 5e-8, .epsilon = 1, .layer = 10};
    const struct guides mixed = {
        .frequency = em_c0 / (9 * 24 * 5e-3), .cell = 5e-3, .duration = 2.6e-8, .epsilon = 81, .layer = 16};
    const double digits = 1e-5; /* of runs in 32 bits, over some thousand steps */
    struct record is = {0}, should = {0};
    int rc = guides_compare(&is_long, &is, &should);
    if (!rc) {
        verify_most(v, "long waves, 600 cells, default layers: error", worst_of(&is, &should, 0), 0.01,
                    "a line without layers; 1 %");
        verify_most(v, "the same", worst_of(&is, &should, 0), is.bound[0] + digits,
                    "the layer's reflection, summed over the pulse");
        rc = guides_compare(&mixed, &is, &should);
    }
    for (int which = 0; which < 2 && !rc; which++) {
        verify_most(v, verify_name("a face of n 1 and 9, 16 cells: n %d, error", which ? 9 : 1),
                    worst_of(&is, &should, which), is.bound[which] + digits,
                    "the layer's reflection, summed over the pulse");
        verify_most(v, "the same", worst_of(&is, &should, which), 0.02, "a line without layers; 1 % a layer");
    }
    free(is.value);
    free(should.value);
    return rc;
}
