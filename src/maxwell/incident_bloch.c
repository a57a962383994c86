/* A plane wave of complex fields: the transverse wave numbers of &bloch at all frequencies, so that its angle is one at
 * each, sin(theta) = k c / (w n). SPDX-License-Identifier: MIT */
#include "maxwell/bloch.h"
#include "maxwell/bloch_line.h"
#include "maxwell/incident_parts.h"

#include "maxwell/place.h"
#include "pipeline/error.h"

#include <stdlib.h>

int incident_turns(const struct incident *in)
{
    const int a = in->along;
    return in->bloch && a >= 0 && (in->bloch->turns[(a + 1) % 3] || in->bloch->turns[(a + 2) % 3]);
}

int incident_bloch_check(const struct incident *in)
{
    const struct bloch *const b = in->bloch;
    if (!b) return SF_OK;
    SF_CHECK(
        !b->turns[in->along], SF_NAMELIST,
        "&plane_wave: it travels along %c, where &bloch has a phase from side to side: give &bloch the wave numbers across it",
        "xyz"[in->along]);
    for (int c = 1; c < 3; c++) {
        const int a = (in->along + c) % 3;
        SF_CHECK(
            !in->face[a][0] && !in->face[a][1], SF_NAMELIST,
            "&plane_wave: with &bloch its box spans the domain across the wave, and along %c it does not: let the box reach beyond both sides",
            "xyz"[a]);
        SF_CHECK(!b->turns[a] || b->size[a] > 0, SF_NAMELIST,
                 "&plane_wave: cells along %c differ in size: a wave with a phase along it takes cells of one size",
                 "xyz"[a]);
    }
    return SF_OK;
}

/* The grid's own cells and rounded coefficients from the first face on; beyond the last, cells like the last. */
int incident_bloch_begin(struct incident *in)
{
    const struct axis_lines *const ax = &in->axis[in->along];
    const int cells = incident_cells(in), start = in->sign > 0 ? in->low[in->along] : in->high[in->along];
    if (!in->turned) in->turned = calloc(1, sizeof *in->turned);
    SF_CHECK(in->turned, SF_MEMORY, "no memory for the line of the plane wave");
    struct bloch_line *const l = in->turned;
    free(l->memory);
    SF_TRY(bloch_line_make(l, cells + 1));
    l->sign = in->sign;
    l->turn_e = sf_rounded(in->dt / (em_eps0 * in->eps)), l->turn_h = sf_rounded(in->dt / (em_mu0 * in->mu));
    for (int c = 0; c < 2; c++) {
        const int a = (in->along + 1 + c) % 3;
        l->k[c] = in->bloch->turns[a]
                      ? 2 * sfd_sin(0.5 * in->bloch->k[a] * in->bloch->size[a]) * (double)in->axis[a].h[0]
                      : 0;
    }
    for (int m = 0; m <= l->n; m++) {
        const int step = SF_MIN(m, cells), cell = SF_MIN(m, cells - 1);
        l->rh[m] = (double)ax->h[in->sign > 0 ? start + cell : start - 1 - cell];
        l->re[m] = m > cells ? l->rh[m] : (double)ax->e[start + in->sign * step];
    }
    bloch_line_layer(l, em_c / __builtin_sqrt(in->eps * in->mu), in->dt);
    in->length = cells + 2, in->row = 2 * in->length;
    bloch_line_reset(l, 0);
    return SF_OK;
}

void incident_bloch_free(struct incident *in)
{
    if (in->turned) free(in->turned->memory);
    free(in->turned);
}

/* Both components, one behind the other. */
static void record(const struct incident *in, double *const from[2], const double *before, double *to)
{
    for (int c = 0; c < 2; c++, to += in->length) {
        if (before) to[0] = before[c];
        for (int m = before != NULL; m < in->length; m++) to[m] = from[c][m - (before != NULL)];
    }
}

void incident_bloch_prepare(struct incident *in, long step, int steps)
{
    struct bloch_line *const l = in->turned;
    if (step < l->step) bloch_line_reset(l, 0);
    for (long n = l->step; n < step + steps; n++) {
        const double value = in->amplitude * waveform_value(&in->wave, (double)(n + 1) * in->dt);
        const double next[2] = {in->aim[(in->along + 1) % 3] * value, in->aim[(in->along + 2) % 3] * value};
        const ptrdiff_t row = n >= step ? (n - step) * in->row : -1;
        if (row >= 0) record(in, l->e, NULL, in->table_e + row);
        bloch_line_h(l, next);
        if (row >= 0) record(in, l->h, l->before, in->table_h + row);
        bloch_line_e(l, next);
    }
}

void incident_across(const struct incident *in, double across[2])
{
    for (int c = 0; c < 2; c++) across[c] = incident_turns(in) ? bloch_number(in->bloch, (in->along + 1 + c) % 3) : 0;
}
