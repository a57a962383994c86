/* Maxwell's equations in one dimension, for the plane wave: E at nodes 0 .. n, H half a cell beyond each, in double,
 *
 *     h = keep h + turn (e - next e),    e = keep e + turn (h before - h).
 *
 * H is positive along k x E, k towards higher nodes. E of node 0 is given; the last node is a conductor behind an
 * absorber, whose electric and magnetic loss are matched and grow with the sixth power of depth.
 * SPDX-License-Identifier: MIT */
#pragma once

enum { WAVE_LINE_ABSORBER = 400 }; /* cells: less than 1e-10 comes back of what has 10 cells per wavelength or more */

struct wave_line {
    int n;
    long step; /* E at step dt, H at (step - 1/2) dt */
    double *e, *h;
    double *keep_e, *turn_e, *keep_h, *turn_h; /* turn holds the spacing */
    double before; /* H half a cell before node 0 */
    double *work; /* for its owner: n + 1 values */
    double *memory;
};

/* `nodes` without loss, and the absorber; all at rest, coefficients unset. line->memory is to be freed. Errors:
 * SF_MEMORY. */
int wave_line_make(struct wave_line *line, int nodes);

/* Coefficients at and half a cell after node m; turn_e and turn_h as they are without loss. */
void wave_line_set(struct wave_line *line, int m, double turn_e, double turn_h);

/* At rest at a step. */
void wave_line_reset(struct wave_line *line, long step);

/* H to (step + 1/2) dt, then E to (step + 1) dt, where node 0 is `next`; `before` is the H that makes it so. */
void wave_line_h(struct wave_line *line, double next);
void wave_line_e(struct wave_line *line, double next);
