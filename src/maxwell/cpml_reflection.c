/* The layer's recursion. Figures for a reader: nothing of a run's state follows from them.
 * SPDX-License-Identifier: MIT */
#include "maxwell/cpml_reflection.h"

#include <complex.h>
#include <math.h>

/* What a distance is stretched by at `share` of the layer's thickness. */
static double complex stretch_at(double share, const struct cpml_face *f, double cell, const struct cpml_options *o,
                                 double dt, double complex later)
{
    const struct cpml_grade g = cpml_grade_at(share, cell, f->index, o, dt);
    return 1 / (1 / g.kappa + g.a / (1 - g.b * later));
}

double cpml_reflection(const struct cpml_face *face, double cell, const struct cpml_options *o, double dt,
                       const struct cpml_wave *w)
{
    const double pi = 3.14159265358979323846, phase = pi * w->frequency * dt, swing = 2 / dt * sin(phase);
    const double square = w->sine2 * swing * swing * w->epsilon * em_eps0 * w->mu * em_mu0;
    const double complex later = cexp(-2 * I * phase);
    const double complex mu = w->mu * em_mu0 - I * (w->sigma_m * cos(phase) / swing);
    const double complex eps =
        w->epsilon * em_eps0 - I * (w->sigma * cos(phase) / swing) - square / (swing * swing * mu);
    double complex e = 0, h = 1;
    for (int q = face->cells - 1; q >= 0; q--) {
        e += I * swing * mu * cell * h * stretch_at((q + 0.5) / face->cells, face, cell, o, dt, later);
        h += I * swing * eps * cell * e * stretch_at((double)q / face->cells, face, cell, o, dt, later);
    }
    double complex half = csqrt(eps * mu) * (swing * cell / 2); /* sin(k d / 2) */
    if (cimag(half) > 0) half = -half; /* a wave towards the layer decays that way */
    const double complex turn = cexp(I * casin(half)), admittance = 2 * half / (swing * mu * cell);
    const double complex to = admittance * turn,
                         from = -admittance / turn; /* H half a cell before the front, over E on it */
    const double complex back = (to * e - h) / (to - from);
    return cabs(back / (e - back));
}
