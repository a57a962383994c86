/* Spectra of fields and of power flow: sums over time, taken while the model runs.
 *
 *     F(f) = sum over samples of F(t) exp(-2 pi i f t) dt_sample                    E at its time t, H at t - dt/2
 *
 * is the Fourier integral of a pulse by the rectangle rule, which has no error but aliasing where the pulse begins and
 * ends at rest: V/m/Hz of E, A/m/Hz of H. The sums are fields of the engine (SHAPE_BOX), one of each box, plane or side
 * of a closed box, and so part of digest and restart; they hold the sum without its factor dt_sample, which keeps them
 * in range whatever the unit of time. Only every n-th step is a sample: see monitors_every.
 *
 * Power flow through a plane of nodes, normal a, u and v the axes that follow it:
 *
 *     flux(f) = 1/2 Re sum over the plane of (E_u H_v* - E_v H_u*) dA
 *
 * E_u lies on the plane at (u + 1/2, v), as H_v does once it is interpolated from half a cell below and above the
 * plane; dA is the part of their cell on the dual grid that lies within the rim: half of it on the rim (trapezium
 * rule). Of complex fields (bloch.h) F is the spectrum of both parts, F_re + j F_im, at the frequencies of waves
 * exp(+j (w t - k x)). W/Hz^2: the mean power of a steady wave whose amplitudes are the spectra. The energy that passes
 * is the integral over f > 0 of 4 flux, J. Taflove and Hagness, Computational Electrodynamics, 3rd ed., 5.6 and 8.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/maxwell.h"
#include "pipeline/complaint.h"

/* TOGETHER: samples that are added in one visit of the sums, at most. */
enum { MONITOR_COMPONENTS = 6, MONITOR_NAME = 96, MONITOR_TOGETHER = 4 };

/* One field of sums: [row][component][frequency][re, im][level][column]; and behind those of each row, samples that
 * wait to be added: [row][component][together - 1][level][column]. Many frequencies are many sums, which take longer to
 * read and write than a sample; so that of `together` samples the last adds all of them, in their order. What waits is
 * part of the state, and is added in results (monitor_view): neither depends on where passes end, nor on what a device
 * has begun since. */
/* What the node beyond the last cell of an axis is where no node that a monitor keeps stands for it: components there
 * are 0, at a conductor; or are kept by nobody, node 0 of a region that ends at a seam and begins elsewhere. */
enum { FAR_ZERO = -1, FAR_UNKNOWN = -2 };

struct monitor {
    char name[MONITOR_NAME], name_im[MONITOR_NAME + 4]; /* of its field; of that of imaginary parts, if there are any */
    struct extent box;
    int is_port; /* 1: of a port, port.h: of a lumped one one component of E, of a guide's what a plane of flux has */
    int is_orders; /* 1: of diffraction orders */
    int is_far; /* 1: a face of a box of far fields, whose H is the one half a cell outside */
    int normal; /* of a plane of flux or far field, whose components are E_u, H_v, E_v, H_u; -1: the fields themselves,
                   Ex .. Hz */
    int ncomponents;
    int component[MONITOR_COMPONENTS]; /* 0 .. 5: Ex .. Hz */
    struct box range[MONITOR_COMPONENTS]; /* where each exists; elsewhere its sums stay 0 */
    real below, above; /* weights of H half a cell below and above the plane */
    int nfrequencies, every, together; /* every: steps between samples */
    const real *phase; /* of the pass: [steps][together][of E, of H][frequency][cos, -sin], of steps that add samples */
    const struct monitors *all;
    /* For results. */
    int of; /* number of the monitor in the namelist, from 0; -1: of a port */
    double sign; /* 1, -1: the flux of a closed box is counted outward */
    int plane[3][2]; /* its nodes along each axis, both ends included; of fields without extent along one the same
                        twice, or those of a cell */
    int far[3]; /* of fields: the node that stands for the one beyond the last cell of an axis; FAR_ZERO, FAR_UNKNOWN */
    unsigned char *medium; /* of the cells of fields, [z][y][x]; NULL where nothing asks, and but on rank 0 */
    double area; /* of a plane, m2 */
    double *node[3],
        *cell[3]; /* of a plane: shares of its area along each axis, m, from i0, j0, k0 on; 1 along the normal */
};

/* A function of time that drives sources. */
struct monitor_wave {
    double (*value)(const void *source, double time);
    const void *source;
};

/* A plane wave, for cross-sections. */
struct monitor_travel {
    int is_there;
    int is_layered; /* it comes to layers, which return it */
    double toward[3], aim[3]; /* directions of travel and of E, units */
    double origin[3]; /* m: where E is amplitude times waveform */
    int low[3], high[3]; /* nodes of its box */
    double across[2]; /* of complex fields: wave numbers of the grid along the two axes across, rad/m; else 0 */
    double index, size; /* of what it travels in; of the cell behind the origin along the axis it is nearest to, m */
};

/* What monitors are made from. */
struct monitor_setup {
    const struct maxwell_params *params;
    const struct grid *grid;
    int given, listed; /* values of &monitor name and of &spectrum frequencies */
    const struct bloch *bloch; /* of complex fields; NULL: real ones */
    int periodic[3], open[3]; /* by axis; open: the node beyond the last cell is computed */
    int staggered; /* 1: fields are written where their components lie; 0: all at the centres of cells */
    int layer[3][2]; /* cells of the absorbing layers at the low and high side */
    double highest; /* Hz, of the sources; 0: none */
    double dt; /* s */
    int room; /* fields of sums that the model has room for */
    const struct monitor_wave *wave; /* [nwaves], each once; `power` is normalised by the first, with `amplitude` */
    int nwaves;
    double amplitude;
    double incident, impedance; /* of a plane wave, whose waveform is the first: V/m, ohm; incident 0: there is none */
    struct monitor_travel travel; /* the same wave */
    struct ports *ports; /* whose sums come behind the monitors'; NULL: there are none */
    int port_wave; /* of &excitation, among the waveforms; -1: none */
    struct complaints *complaints; /* NULL: the first thing that is wrong is a failure */
};

struct far_monitor;
struct orders_monitor;
struct monitor_results;
struct ports;

struct monitors {
    struct monitor *part; /* one a field: field F_SUMS + n, member n of the stage */
    int nparts;
    int every; /* of the ops: steps between samples */
    int together; /* see monitors_together */
    int nfrequencies;
    double *frequency; /* Hz */
    unsigned char *beyond; /* [nfrequencies] 1: beyond the band of the sources */
    double dt, dt_sample; /* s */
    int capacity; /* steps that `phase` holds */
    real *phase;
    struct monitor_look {
        long step; /* of the state that results are made of; -1: of none yet */
        int nwaiting; /* its samples that wait */
        real *waiting; /* [nwaiting][of E, of H][frequency][cos, -sin] */
    } * look; /* owned */
    struct monitor_wave *wave; /* owned, as all that follows */
    int nwaves;
    double amplitude, incident, impedance;
    struct monitor_travel travel;
    const struct bloch *bloch; /* see monitor_setup; not owned */
    struct far_monitor **far; /* boxes of far fields, in the order of the namelist */
    int nfar;
    struct orders_monitor **orders; /* planes of diffraction orders, likewise */
    int norders;
    struct ports *ports; /* not owned */
    struct result_fact *fact;
    int nfacts;
    int staggered; /* see monitor_setup */
    struct monitor_results *results;
};

/* *out: NULL when no monitor is given and there are no ports. Complains of all that is wrong (a name missing, wrong or
 * used twice; outside of the domain or on its side; no plane; no frequencies; sampled too seldom; too many). Errors:
 * SF_MEMORY; without complaints SF_NAMELIST. */
int monitors_make(struct monitors **out, const struct monitor_setup *setup);
void monitors_free(struct monitors **at);

/* Is it a plane of flux? */
static inline int monitor_is_flux(const struct monitor *m)
{
    return m->normal >= 0 && !m->is_far && !m->is_port && !m->is_orders;
}

/* Is there a flux among them? m NULL: there are none. */
int monitors_have_flux(const struct monitors *m);

/* Steps between samples: the highest frequency of sources and spectrum stays 2.5 times below half the sampling rate, so
 * that what is folded onto a frequency of the spectrum comes from four times the highest and beyond. */
int monitors_every(double highest, double dt);

/* Samples that are added in one visit of the sums of `frequencies`: as many as take a sixteenth of their memory, and no
 * more than MONITOR_TOGETHER. */
static inline int monitors_together(int frequencies) { return SF_MIN(1 + frequencies / 8, (int)MONITOR_TOGETHER); }

/* Which of those that are added together is the sample of a step, from 0? */
static inline int monitor_turn(const struct monitor *m, long step) { return (int)(step / m->every % m->together); }

/* Values a point of a monitor's field. */
static inline int monitor_values(const struct monitor *m)
{
    return m->ncomponents * (2 * m->nfrequencies + m->together - 1);
}

/* Tables of a pass of `steps` steps from `step` on, beginning at time[] s. Errors: SF_MEMORY. */
int monitors_prepare(struct monitors *m, long step, int steps, const double *time, double dt);

/* flux.nc, and dft_NAME.nc of every monitor of fields. *n of them, owned by m. */
const struct result *monitors_results(const struct monitors *m, int *n);

/* At how many of the frequencies is the spectrum of the sources, over at `end` s whatever the run's end, no more than
 * what round-off leaves in a run of `steps` steps? These are marked, and nothing is divided by the spectrum there.
 * *first, *last: the lowest and the highest of these, Hz. Errors: none; 0 without memory. */
int monitors_beyond(struct monitors *m, long steps, double end, double *first, double *last);

/* monitor_loss.c: media of the cells of fields, where some medium has a density. On rank 0; reads the file of the
 * geometry. Errors: SF_INPUT, SF_MEMORY. */
struct geometry;
int monitors_media(struct monitors *m, const struct maxwell_params *p, struct geometry *g);

/* monitor_identity.c: what a reference must have in common with the run, for the result of flux. Errors: SF_MEMORY. */
struct maxwell_own;
int monitors_identify(struct monitors *m, const struct maxwell_own *own, const struct grid *grid);

/* monitor_result.c: build and free what monitors_results returns. Errors: SF_MEMORY. */
int monitor_results_make(struct monitors *m, const struct monitor_setup *setup);
void monitor_results_identify(struct monitors *m); /* hand them the facts of m */
void monitor_results_free(struct monitors *m);
