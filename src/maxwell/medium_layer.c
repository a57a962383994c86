/* Media that stand for others in absorbing layers.
 *
 * Along the surface of a medium whose permittivity is negative at some frequency the grid has waves whose energy
 * travels against their phase. A layer that such a surface crosses feeds them, and they grow without bounds (Becache,
 * Fauqueux and Joly 2003, J. Comput. Phys. 188, 399). Damped well they fade: in the layer, and there alone, such a
 * medium has its resonances damped by three tenths of their frequency. Half spaces turned by 5 to 40 degrees, omega dt
 * 0.05 to 0.5: without it energies grow by 1e20 to 1e80 in 50,000 steps, with a tenth some still do, with two tenths
 * none. What travels along the surface is partly returned where the layer begins; what travels beside it is not.
 * SPDX-License-Identifier: MIT */
#include "maxwell/medium.h"

#include "pipeline/error.h"

#include <stdio.h>
#include <string.h>

static const double damped = 0.3; /* gamma over omega */

/* Is the permittivity that steps of dt s make of it negative anywhere? Looked at as medium_passive does. */
static int is_negative_somewhere(const struct medium *m, double dt)
{
    enum { EACH = 400 };
    struct pole pole[POLES_MOST];
    for (int q = 0; q < m->npoles; q++) pole[q] = pole_stepped(&m->pole[q], dt);
    for (int q = -1; q < m->npoles; q++)
        for (int at = 0; at <= EACH; at++) {
            const double share = (double)at / EACH,
                         w = q < 0 ? 1e4 / dt * __builtin_pow(10, -16 * share)
                                   : __builtin_fabs(pole[q].s[1] - 10 * (share - 0.5) * pole[q].s[0]);
            double chi[2] = {0, 0};
            for (int p = 0; p < m->npoles && w > 0; p++) pole_add(&pole[p], w, chi);
            if (m->epsilon + chi[0] < 0) return 1;
        }
    return 0;
}

/* Does its surface with another medium cross a layer, or lie within it? */
static int crosses(const unsigned char *const layer[FACES], int number, int media)
{
    for (int f = 0; f < FACES; f++) {
        int others = 0;
        for (int n = 0; layer[f] && n < media; n++) others += n != MEDIUM_PEC && layer[f][n];
        if (others > 1 && layer[f][number]) return 1;
    }
    return 0;
}

static int layer_put(struct media *m, int number, double dt, unsigned char used[MEDIA_MAX])
{
    struct medium one = m->medium[number];
    int changed = 0;
    for (int p = 0; p < one.npoles; p++) changed |= pole_damp(&one.pole[p], damped, &one.sigma);
    if (!changed) return SF_OK;
    const int passive = medium_passive(&one, dt) == SF_OK;
    if (!passive) sf_error_clear(); /* told below as what it means here */
    SF_CHECK(
        passive, SF_NAMELIST,
        "the surface of '%.64s', whose permittivity is negative at some frequency, crosses an absorbing layer, where waves along it grow "
        "without bounds, and with its resonances damped there it would give energy: let it end two cells before the layer, or fill the "
        "side with it",
        m->medium[number].name);
    SF_CHECK(m->n < MEDIA_MAX, SF_NAMELIST,
             "&medium: there is no room for a medium that stands for '%.64s' in layers: give fewer",
             m->medium[number].name);
    one.stands_for = number, one.in_layer = 0;
    m->medium[number].in_layer = m->n;
    used[m->n] = 1;
    m->medium[m->n++] = one;
    return SF_OK;
}

int media_layers(struct media *m, const unsigned char *const layer[FACES], double dt, unsigned char used[MEDIA_MAX],
                 struct complaints *to)
{
    const int given = m->n;
    for (int n = MEDIUM_GIVEN; n < given; n++)
        if (m->medium[n].npoles && crosses(layer, n, given) && is_negative_somewhere(&m->medium[n], dt))
            SF_TRY(sf_complain_or_fail(to, "geometry%medium pole%gamma", -1, layer_put(m, n, dt, used)));
    return SF_OK;
}
