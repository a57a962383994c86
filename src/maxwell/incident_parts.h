/* The plane wave's own: what its files, and the stages of sources, share. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/incident.h"
#include "maxwell/mend.h"
#include "maxwell/wave_line.h"

enum { LINE_POINTS = 8 }; /* of the first interpolation */
enum { INCIDENT_MENDS = 12 }; /* six faces, two components each */

struct bloch_line;

struct incident {
    const struct grid *grid;
    const struct axis_lines *axis;
    struct waveform wave;
    double amplitude, eps, mu;
    int along, sign; /* of a wave along an axis; along -1: oblique */
    int low[3], high[3]; /* nodes of the box */
    int face[3][2]; /* 1: the box has it */
    int rows; /* rows after which y repeats; 0: never */
    double k[3], aim[3]; /* directions of travel and of E, units */
    double e[3], h[3]; /* components of E and H per value of the line's table */
    double bend_e[3], bend_h[3]; /* oblique: what directions change by, per -(second difference of the line) */
    double dt; /* of the line; 0: there is none yet */
    struct wave_line line;
    const struct bloch *bloch; /* of complex fields; NULL: real ones */
    struct bloch_line *turned; /* the line of a wave that &bloch turns across its way (incident_bloch.c) */
    double step_line; /* oblique: its spacing, m */
    int ahead; /* oblique: nodes before the first corner, for what lies outside of it and for interpolation */
    struct far_monitor *over; /* layers that it comes to (incident_layers.c), whose faces are its box's; NULL: none */
    double turn[2], round[2]; /* cosine and sine of the polarisation, and of phi */
    struct stack_sums *sums; /* over layers: what all levels have at the wave's frequencies */
    double *store; /* over layers: the tables of E and of H, of all levels: steps [from, until) */
    long from, until;
    int beyond; /* over layers: nodes after the first corner */
    long quiet; /* over layers: from this step on nothing is left */
    double lead; /* s, how much later the wave passes the corner than the line's first node */
    long first; /* step of the line's start, at most 0 */
    double *place[3]; /* oblique: along the line, in nodes, of half cells 0 .. 2n of each axis */
    double weight[LINE_FINE][LINE_POINTS];
    int length,
        row; /* of a table: values of a component; of a step, one component, oblique three, of complex fields two */
    int capacity; /* steps for which there is memory */
    double *table_e, *table_h;
    struct line_view view; /* what the faces know of it */
    struct mend mend[2][INCIDENT_MENDS]; /* of H, of E */
    int nmends[2];
    int keeps_values; /* 1: what H takes is written down before it is taken */
    real *value[INCIDENT_MENDS]; /* of each mend of H, for all of its range; one table */
};

/* incident_layers.c: the layers around the box, once the geometry is painted; what it is, once the step is known; the
 * tables of a pass; bytes of these, unless they are there. Errors: SF_NAMELIST, SF_INPUT, SF_MEMORY. */
int incident_layers_make(struct incident *in, struct geometry *g, const struct media *media,
                         const struct maxwell_params *p);
int incident_layers_begin(struct incident *in);
int incident_layers_prepare(struct incident *in, long step, int steps);
size_t incident_layers_size(const struct incident *in);
void incident_layers_free(struct incident *in);
/* incident_bloch.c: can the wave have a phase across its way (errors: SF_NAMELIST); its line, once the step is known
 * (SF_MEMORY); the tables of a pass. */
int incident_bloch_check(const struct incident *in);
int incident_bloch_begin(struct incident *in);
void incident_bloch_prepare(struct incident *in, long step, int steps);
void incident_bloch_free(struct incident *in);

/* incident.c: cells of its box along the axis that it travels along, before the absorbing layer that a box without a
 * far face goes on into. */
int incident_cells(const struct incident *in);
/* incident.c: the wave number of a frequency, rad/m, in the wave's own direction on cells d[3]. Errors: SF_NAMELIST. */
int incident_number(const struct incident *in, const double d[3], double omega, double *k);

/* Once the line is there: what is mended at the faces. Errors: SF_MEMORY. */
int incident_faces_make(struct incident *in);

/* On a GPU: write down what H takes in rows [j0, j1) and their images (source.cu). */
void incident_values_launch(const struct incident *in, int j0, int j1, int pass_step, void *stream);

/* The step's row of the table that mend m takes from, of H where it mends E. */
static inline const double *incident_row(const struct incident *in, const struct mend *m, int pass_step)
{
    return (m->target < 3 ? in->table_h : in->table_e) + (ptrdiff_t)pass_step * in->row + m->part * in->length;
}
