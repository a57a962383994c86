/* What media take from the fields of a monitor: power per volume, and per mass where their density is known.
 *
 *     p = w eps0 epsilon'' |E|^2 / 2,    |E|^2 of a cell the sum over axes of the mean over its four edges
 *
 * so that all cells together take what flows in: an edge between flat surfaces has the mean of epsilon'' of its four
 * cells. With epsilon'' of the cell's medium as the steps make it of poles and conductivity (medium_stepped), and of a
 * steady wave from a source of amplitude 1, as `power` of flux.nc. The mean over a mass is for whoever asks: the file
 * has the places of the cells. SPDX-License-Identifier: MIT */
#include "maxwell/own.h"
#include "maxwell/monitor_parts.h"

#include "pipeline/error.h"

#include <stdlib.h>
#include <string.h>

int monitor_has_loss(const struct maxwell_params *p)
{
    const int most = (int)(sizeof p->medium_density / sizeof p->medium_density[0]);
    int any = 0;
    for (int n = 0; n < most; n++) any |= p->medium_density[n] > 0;
    return any;
}

static int cells_of(const struct monitor *m, int a) { return SF_MAX(m->plane[a][1] - m->plane[a][0], 1); }

/* Media of the cells of one part; of a plane of nodes those of the cells that follow it, or the last. */
static int part_media(struct monitor *m, struct geometry *g)
{
    const int n[3] = {cells_of(m, AX), cells_of(m, AY), cells_of(m, AZ)};
    const ptrdiff_t stride = g->axis[AX].n + 2;
    unsigned char *const row = malloc((size_t)stride * (size_t)(g->axis[AZ].n + 2));
    free(m->medium);
    m->medium = malloc((size_t)n[AX] * (size_t)n[AY] * (size_t)n[AZ]);
    int rc = row && m->medium
                 ? SF_OK
                 : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the media of monitor %s", m->name);
    for (int j = 0; j < n[AY] && !rc; j++) {
        const int cell = SF_MIN(m->plane[AY][0] + j, g->axis[AY].n - 1);
        rc = geometry_load(g, cell, cell + 1);
        if (rc) break;
        geometry_row(g, cell, row);
        for (int k = 0; k < n[AZ]; k++)
            for (int i = 0; i < n[AX]; i++) {
                const int x = SF_MIN(m->plane[AX][0] + i, g->axis[AX].n - 1),
                          z = SF_MIN(m->plane[AZ][0] + k, g->axis[AZ].n - 1);
                m->medium[((ptrdiff_t)k * n[AY] + j) * n[AX] + i] = row[(z + 1) * stride + x + 1];
            }
    }
    free(row);
    return rc;
}

int monitors_media(struct monitors *m, const struct maxwell_params *p, struct geometry *g)
{
    for (int part = 0; m && !m->staggered && monitor_has_loss(p) && part < m->nparts; part++)
        if (m->part[part].normal < 0 && !m->part[part].is_port) SF_TRY(part_media(&m->part[part], g));
    return SF_OK;
}

void monitor_loss_fill(const struct monitors *all, const struct monitor *m, const struct maxwell_own *own, long step,
                       const double *square, double *loss, double *sar)
{
    const ptrdiff_t cells = (ptrdiff_t)cells_of(m, AX) * cells_of(m, AY) * cells_of(m, AZ);
    monitor_waves_advance(all, step);
    for (int f = 0; f < m->nfrequencies; f++) {
        double wave[2] = {0}, factor[MEDIA_MAX];
        const int said = monitor_wave_spectrum(all, f, wave) && all->frequency[f] > 0;
        const double strength = wave[0] * wave[0] + wave[1] * wave[1];
        for (int n = 0; n < own->media.n && said; n++) {
            double epsilon[2];
            medium_stepped(&own->media.medium[n], all->frequency[f], all->dt, epsilon);
            factor[n] = 3.14159265358979323846 * all->frequency[f] * em_eps0 * epsilon[1] / strength;
        }
        for (ptrdiff_t q = 0; q < cells; q++) {
            const int medium = m->medium[q];
            const double density = medium >= MEDIUM_GIVEN ? own->params.medium_density[medium - MEDIUM_GIVEN] : 0,
                         taken = said && square[f * cells + q] < RESULT_NONE ? factor[medium] * square[f * cells + q]
                                                                             : RESULT_NONE;
            if (loss) loss[f * cells + q] = taken;
            if (sar) sar[f * cells + q] = density > 0 && taken < RESULT_NONE ? taken / density : RESULT_NONE;
        }
    }
}
