/* Dipoles and guided modes that the namelist asks for.
 *
 * A current enters as in Maxwell's equations, with the medium's own coefficient, f = ... + turn (curl - J): of E at
 * (n + 1/2) dt, of H at n dt. A dipole of moment p (A m; of a magnetic one V m) is J = p / volume of the cell around
 * its component; on the plane of a magnetic conductor that cell and its moment are shared with the mirror image. A
 * mode's current is a sheet of amplitude A/m times its profile, on a plane of nodes: it launches the mode to both
 * sides, E = -Z/2 times the sheet, Z its wave impedance. A soft source adds amplitude x waveform to the field each
 * step, a hard one sets it; both take the waveform at the time of the field that they change, (n + 1) dt of E, (n +
 * 1/2) dt of H. The walls of its guide are sides of the domain that conduct, or painted. It may be uniform along a
 * periodic axis.
 *
 * A lumped port's source (port.h) is a current that is the same all over its edges.
 *
 * Each acts where an element of its component lies in the box of units, and depends on nothing but the element and the
 * step. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/drive.h"
#include "maxwell/geometry.h"
#include "maxwell/mode.h"
#include "maxwell/waveform.h"
#include "pipeline/grid.h"

struct source {
    int number; /* in &source, or of the port that it drives, from 1 */
    int is_port;
    enum source_drive drive;
    int is_mode;
    int is_line; /* a mode of a line, whose profile follows from its conductors */
    int component; /* of what is no mode, 0 .. 5 */
    struct place_range at; /* its elements: one of a dipole */
    struct mode mode;
    struct waveform wave;
    double given; /* amplitude as the namelist has it */
    double amplitude; /* of what is added or set: J, or the field; - J of a current */
    int rows; /* rows after which y repeats; 0: never */
    int capacity;
    real *value; /* of the steps of the coming pass */
};

/* All of &source, `given` entries, with room for one more; *source is to be freed with sources_free, after a failure
 * too. dir: the namelist's. What is wrong is complained of in `to`. Errors: SF_MEMORY; where `to` is NULL
 * SF_NAMELIST, SF_INPUT. */
int sources_make(struct source **source, int *n, const struct maxwell_params *p, int given, const struct grid *grid,
                 const struct axis_lines axis[3], const char *dir, struct complaints *to);
void sources_free(struct source *source, int n);

/* How messages call it: "source 3", "port 1". */
const char *source_name(const struct source *s, char name[32]);
/* Which keys they are about, with the element source_index: those of &source, or of &excitation and &port. */
const char *source_keys(const struct source *s, const char *of_source, const char *of_port);
int source_index(const struct source *s);

/* Do all dipoles lie where there is a field, outside of what the geometry paints as perfect conductor? Reads its file,
 * as geometry_load does. Complains, and errors, as sources_make. */
int sources_check(const struct source *source, int n, struct geometry *g, struct complaints *to);

/* Values of `steps` steps that begin at time[0 .. steps - 1] s. Errors: SF_MEMORY. */
int sources_prepare(struct source *source, int n, int steps, const double *time, double dt);

/* Over all sources and the plane wave (NULL: none): the lowest and highest frequency at which a spectrum has `share` of
 * its largest amplitude, and when all are over, s. Zeros when there are none. */
struct incident;
void sources_band(const struct source *source, int n, const struct incident *in, double share, double *lowest,
                  double *highest);
double sources_end(const struct source *source, int n, const struct incident *in);
