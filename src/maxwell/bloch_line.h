/* The plane wave of Bloch-periodic sides: all fields turn by exp(-j (k_u u + k_v v)) across the axis a that the wave
 * travels along, u and v those that follow it, so that Maxwell's equations on the grid are those of a line,
 *
 *     mu dH_u = - K_v e_a + D E_v      mu dH_v = K_u e_a - D E_u      mu dh_a = K_u E_v - K_v E_u
 *     eps dE_u = K_v h_a - D H_v       eps dE_v = D H_u - K_u h_a     eps de_a = K_v H_u - K_u H_v
 *
 * with K = 2 sin(k d / 2) / d (bloch.h), D the difference along a, and E_a = j e_a, H_a = j h_a: real, in double, with
 * the cells and the rounded coefficients of the grid. E across a is given at node 0; the end is an absorbing layer
 * (cpml.h), whatever the angle. Below the light line, w = c K / n, nothing of it travels, and just above it leaves
 * slowly. SPDX-License-Identifier: MIT */
#pragma once

enum { BLOCH_LINE_LAYER = 400 }; /* cells: 1e-9 comes back at 80 degrees, 3e-5 at 85 */

struct bloch_line {
    int n; /* cells; nodes 0 .. n, the last a conductor */
    int sign; /* 1: along a; -1: against it */
    long step; /* E at step dt, H at (step - 1/2) dt */
    double turn_e, turn_h; /* dt / eps, dt / mu */
    double k[2]; /* K_u and K_v, rad/m */
    double *e[2], *h[2]; /* E_u, E_v at nodes; H_u, H_v half a cell behind each */
    double *e_along, *h_along; /* e_a half a cell behind each node, h_a at nodes */
    double *re, *rh; /* 1 / distance around a node, and behind it, 1/m */
    double *psi_e[2], *psi_h[2]; /* memories of D of E_u and E_v (behind nodes), of H_u and H_v (at nodes) */
    double *be, *ae, *bh, *ah; /* their recursion */
    double before[2]; /* H_u and H_v half a cell before node 0 */
    double *memory;
};

/* `cells` without loss and the layer; all at rest, numbers unset. line->memory is to be freed. Errors: SF_MEMORY. */
int bloch_line_make(struct bloch_line *line, int cells);

/* The layer, once re and rh are there: speed of light and dt. */
void bloch_line_layer(struct bloch_line *line, double speed, double dt);

void bloch_line_reset(struct bloch_line *line, long step);

/* H to (step + 1/2) dt, then E to (step + 1) dt, where node 0 is `next`, u and v; `before` is the H that makes it
 * so. */
void bloch_line_h(struct bloch_line *line, const double next[2]);
void bloch_line_e(struct bloch_line *line, const double next[2]);
