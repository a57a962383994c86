/* The EM model's layers that surfaces of media cross: nothing grows (maxwell/medium_layer.c).
 *
 * Two opposite quadrants of a plane, turned by 20 degrees, are of the medium, so that its surface crosses the layers of
 * four sides; there is noise on every edge at the beginning. Energy is that of the fields: what poles hold comes beside
 * it, so it may rise and fall, yet never above what there was. SPDX-License-Identifier: MIT */
#include "command/verify_em.h"
#include "command/verify_em_analytic.h"
#include "command/verify_em_parts.h"

#include "maxwell/material.h"
#include "maxwell/own.h"
#include "pipeline/error.h"

#include <math.h>
#include <stdio.h>

enum { SIDE = 40, LONG = 50000, SHORT = 2500 };

/* A cell that is small for the medium, m, and its keys. */
struct matter {
    const char *name, *keys;
    double cell;
};

static int growth_run(struct session *s, const struct matter *m, int across, long steps, double *ratio)
{
    const double big = 2 * SIDE * m->cell, far = sqrt(0.5) * big, angle = 20 + 45, cell = m->cell,
                 x = far * cos(angle * M_PI / 180), y = far * sin(angle * M_PI / 180);
    const int a = (across + 1) % 3, b = (across + 2) % 3,
              n[3] = {across == 0 ? 1 : SIDE, across == 1 ? 1 : SIDE, across == 2 ? 2 : SIDE};
    double centre[3] = {0}, origin[3], turn[3] = {0}, begin, end;
    centre[a] = x, centre[b] = y, turn[across] = 20;
    for (int q = 0; q < 3; q++) origin[q] = -0.5 * n[q] * cell;
    const char *const round = "periodic", *const layer = "cpml";
    SF_TRY(verify_open(
        s,
        "&case name='growth' model='maxwell' /\n"
        "&grid nx=%d ny=%d nz=%d dx=%.17g dy=%.17g dz=%.17g origin_x=%.17g origin_y=%.17g origin_z=%.17g /\n"
        "&time duration=%.17g /\n"
        "&boundary west='%s' east='%s' south='%s' north='%s' bottom='%s' top='%s' /\n"
        "%s\n"
        "&geometry shape=2*'box' medium=2*'matter' x=%.17g,%.17g y=%.17g,%.17g z=%.17g,%.17g\n"
        "  size_x=2*%.17g size_y=2*%.17g size_z=2*%.17g turn_x=2*%g turn_y=2*%g turn_z=2*%g /\n",
        n[0], n[1], n[2], cell, cell, cell, origin[0], origin[1], origin[2], 2 * LONG * cell / em_c0,
        across == 0 ? round : layer, across == 0 ? round : layer, across == 1 ? round : layer,
        across == 1 ? round : layer, across == 2 ? round : layer, across == 2 ? round : layer, m->keys, centre[0],
        -centre[0], centre[1], -centre[1], centre[2], -centre[2], big, big, big, turn[0], turn[1], turn[2]));
    SF_TRY(em_noise(s, &begin));
    SF_TRY(session_advance(s, steps));
    SF_TRY(em_energy(s, &end));
    *ratio = end / begin;
    return SF_OK;
}

/* The most of three planes, so of all sides. */
static int growth_row(struct verify *v, const struct matter *m, long steps)
{
    double most = 0;
    for (int across = 0; across < 3; across++) {
        struct session s;
        double ratio = 0;
        const int rc = growth_run(&s, m, across, steps, &ratio);
        session_close(&s);
        SF_TRY(rc);
        most = ratio <= most ? most : ratio; /* no number counts as the most */
    }
    verify_most(v, verify_name("%s across layers: energy after %ld steps", m->name, steps), most, 1,
                "of the beginning's");
    return SF_OK;
}

int em_growth_rows(struct verify *v)
{
    static const struct matter plain[] = {
        {"lossless metal", "&medium name='matter' /\n&pole medium='matter' kind='drude' omega=1.2e11 gamma=0 /",
         0.5e-3},
        {"lossless resonance",
         "&medium name='matter' epsilon=2 /\n&pole medium='matter' kind='lorentz' strength=3 omega=1.2e11 gamma=0 /",
         0.5e-3}};
    const long steps = v->full ? LONG : SHORT;
    for (int n = 0; n < 2; n++) SF_TRY(growth_row(v, &plain[n], steps));
    for (int n = 0; material_of(n); n++) {
        const struct material *const of = material_of(n);
        char keys[128];
        snprintf(keys, sizeof keys, "&medium name='matter' material='%s' /", of->name);
        const struct matter m = {of->name, keys, em_c0 / of->highest / 100};
        if (v->full) SF_TRY(growth_row(v, &m, steps));
    }
    if (!v->full) verify_skip(v, "all materials that have names, 50000 steps", "with --full");
    return SF_OK;
}
