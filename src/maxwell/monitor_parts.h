/* The results of monitors, between the files that make them: monitor_flux.c fills flux.nc, monitor_result.c describes
 * all and fills dft_NAME.nc. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/monitor.h"
#include "maxwell/monitor_sum.h"
#include "pipeline/state.h"

enum { FREQUENCY, MONITOR, FLUX_Z, FLUX_Y, FLUX_X, FLUX_AXES };
enum { FLUX, POWER, SECTION, ROUND_OFF, TRANSMISSION, FLUX_VARIABLES };
enum {
    FIELD_Z = 1,
    FIELD_ZF,
    FIELD_Y,
    FIELD_YF,
    FIELD_X,
    FIELD_XF,
    FIELD_AXES,
    FIELD_PLACE = 1
}; /* after FREQUENCY; FIELD_PLACE: z, y, x of all */
enum { FIELD_PARTS = 2 * MONITOR_COMPONENTS, FIELD_LOSS = FIELD_PARTS, FIELD_SAR, FIELD_VARIABLES, RESULT_NAME = 96 };

/* What one file is made of: its result points to this. */
struct source_of {
    const struct monitors *all;
    int part; /* of fields: its number */
    int variable[FLUX_VARIABLES]; /* of flux.nc: what each is */
    struct result_axis axis[FIELD_AXES];
    struct result_variable var[FIELD_VARIABLES];
    char file[RESULT_NAME], name[FIELD_VARIABLES][8];
    double *place[FIELD_AXES];
};

/* Of a waveform over the samples so far, as monitor_noise.h has them. */
struct wave_sums {
    double *sum; /* [nfrequencies][re, im] */
    double a, b2;
};

struct monitor_results {
    int n, fluxes;
    const char **label; /* [fluxes]: names of the monitors of flux */
    int *of; /* [fluxes]: their numbers in the namelist */
    struct result *result; /* [n] */
    struct source_of *source; /* [n] */
    struct wave_sums *wave; /* [nwaves]: sums over the samples before wave_step; on rank 0 */
    long wave_step;
};

/* Nodes lo .. hi of each axis, both included. */
struct region {
    int lo[3], hi[3];
};

/* monitor.c: one more field of sums, `of` the monitor in the namelist, and a side of its box; of a port -1, and its
 * name. Errors: SF_NAMELIST when there is no room. */
int monitor_part_new(struct monitors *all, const struct monitor_setup *t, int of, const char *side,
                     struct monitor **out);
/* Where its components exist in a region, and the box of all; shares of the area of a plane. Errors: SF_MEMORY. */
void monitor_ranges_make(struct monitor *m, const struct monitor_setup *t, const struct region *r);
int monitor_areas_make(struct monitor *m, const struct monitor_setup *t, const struct region *r);

/* From the field of sums of real parts to that of imaginary ones; 0: fields are real. */
static inline int monitor_imaginary(const struct state *st)
{
    const struct maxwell *const x = st->in->ctx;
    return x && x->bloch ? x->nmonitors + x->ndispersions : 0;
}

/* monitor.c: a line of sums with what samples that wait would add to them. */
struct monitor_view {
    const real *sum, *sample[MONITOR_TOGETHER - 1];
    real phase[MONITOR_TOGETHER - 1];
    int n; /* samples */
};

/* Row j, level k of the box, of component number c at frequency number f, re (0) or im (1), of field `id` of a state,
 * which may be that of an earlier step than the passes that are prepared: a copy, while a device goes on. */
struct monitor_view monitor_view(const struct monitor *m, const struct state *st, int id, int j, int k, int c, int f,
                                 int part);

/* Of column i of the box, from 0. */
static inline real monitor_view_at(const struct monitor_view *v, int i)
{
    real sum = v->sum[i];
    for (int w = 0; w < v->n; w++) sum = monitor_sum(sum, v->phase[w], v->sample[w][i]);
    return sum;
}

/* monitor_result.c: rows of component number c of field `id`, re or im, as sums, [row][frequency][level][column], of
 * all ranks in order on rank 0. bytes: room for as many as there are ranks. Collective. Errors: SF_COMM. */
int monitor_rows_gather(const struct monitor *m, const struct state *st, int id, int c, int part, double *rows,
                        size_t *bytes);

/* Spectrum of waveform number `wave`, over the samples so far, without its amplitude: value[re, im], s. Returns 0 where
 * it may be no more than round-off. On rank 0, once the waveforms are taken so far. */
int monitor_waveform_spectrum(const struct monitors *m, int wave, int f, double value[2]);

/* As struct result has it, of flux.nc: variables are [nfrequencies][fluxes]. */
int monitor_flux_fill(const struct result *r, const struct state *st, double *const *out);

/* monitor_loss.c: has some medium a density? */
int monitor_has_loss(const struct maxwell_params *p);
/* Power per volume and per mass from squares of |E|, (V/m/Hz)^2, [frequency][z][y][x] of the cells, RESULT_NONE where
 * unknown, of a state of so many steps. loss, sar: as many; NULL: not wanted. On rank 0. */
struct maxwell_own;
void monitor_loss_fill(const struct monitors *all, const struct monitor *m, const struct maxwell_own *own, long step,
                       const double *square, double *loss, double *sar);

/* Of the samples that wait in a state of so many steps, how many there are, and their phases. */
void monitors_look(const struct monitors *m, long step);

/* Take the waveforms up to where the sums of fields of a state are. On rank 0. */
void monitor_waves_advance(const struct monitors *m, long step);
/* Spectrum of amplitude times waveform of what `power` counts from: value[re, im], V/m/Hz of a plane wave. Returns 0
 * where it may be no more than round-off. */
int monitor_wave_spectrum(const struct monitors *m, int f, double value[2]);

/* [nwaves], all 0; NULL without memory. */
struct wave_sums *wave_sums_new(const struct monitors *m);
void wave_sums_free(struct wave_sums *w, const struct monitors *m);
