/* Probes: all six components after every step, each at its own place nearest to the probe.
 *
 *     probes_make                                     when the model is bound
 *     probes_rows                                     once the rank knows its rows
 *     probes_prepare, probe_run ..., probes_collect   for every pass
 *
 * A rank keeps what lies in its rows until it is taken (traces.take): io gathers the entries at checks and output
 * times. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/maxwell.h"
#include "maxwell/probe_place.h"
#include "pipeline/grid.h"

struct comm;

enum { PROBE_COMPONENTS = 6 };

struct probes {
    int n;
    int parts; /* 2: behind the six components their imaginary parts (bloch.h), at the same places; else 1 */
    struct trace_place *place; /* [6 parts][n], m and row; the row is that of `at` */
    struct box *at; /* [6][n]: i0, k0, j0 of the element that is read */
    int first_row, last_row; /* of all of `at` */
    int rows; /* of the domain */
    int ja, jb; /* own rows; a place beyond the last row of the domain goes with that row */
    int capacity; /* steps that `pass` holds */
    real *pass; /* [steps][6 parts][n] of this pass */
    real *kept; /* the same, [nkept] since `first` */
    long first, nkept, room;
    int taken;
    real *whole; /* [6][n]: the field over what is stored, of own places: conformal.h */
    double share; /* what an entry must stay below to count as quiet, of the largest |E| of its probe */
    double *peak; /* [n]: largest |E|^2, (V/m)^2; on rank 0 */
    double now, loud; /* s, last entry; last that was not quiet */
};

/* x, y, z: of n probes, m. parts: 2 of complex fields, else 1. open: the node beyond the last cell of this axis is
 * computed. periodic: it is node 0. share: see probes_quiet. Errors: SF_NAMELIST for a probe outside the domain,
 * SF_MEMORY. */
int probes_make(struct probes **out, const struct grid *g, int n, int parts, const double *x, const double *y,
                const double *z, const int open[3], const int periodic[3], double share);
void probes_free(struct probes **at);

void probes_rows(struct probes *p, int ja, int jb);
/* Once media and coefficients are there. */
void probes_media(struct probes *p, const struct maxwell *x, const struct slab *s);

/* Room for a pass of `steps` steps. Errors: SF_MEMORY. */
int probes_prepare(struct probes *p, int steps);
/* Where the step of a call puts real parts, or imaginary ones, behind them: [6][n]. */
real *probes_to(const struct probes *p, const struct call *c, int imaginary);
/* Keep what the pass from `step` on recorded. Errors: SF_MEMORY. */
int probes_collect(struct probes *p, long step, int steps);

/* How io sees them; p is borrowed. */
struct traces probes_traces(struct probes *p);

/* How long |E| at every probe has been below `share` of its maximum, s, up to the last entry that was taken: 0 while a
 * probe has seen nothing at all. The same on all ranks and for every cut, restarted or not. Collective. Errors:
 * SF_COMM. */
int probes_quiet(const struct probes *p, const struct comm *c, double *seconds);
