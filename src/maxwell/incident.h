/* A plane wave inside a box, the total field; outside of it lies the scattered field alone (Taflove and Hagness,
 * chapter 5).
 *
 * The faces of the box are planes of nodes; E on them is total, H half a cell beyond them scattered. A difference that
 * crosses a face takes one value of each kind, and the wave's own value, which a line of one dimension carries, mends
 * it:
 *
 *     E on a face += turn (incident H half a cell outside) / spacing,    H outside += turn (incident E on the face) /
 *                                                                        spacing
 *
 * with the signs of the curl. Time: H from (n - 1/2) dt to (n + 1/2) dt takes incident E at n dt, E from n dt to (n +
 * 1) dt incident H at (n + 1/2) dt.
 *
 * Along an axis the line has the cells, the coefficients and the time step of the grid, in double: the wave inside
 * solves the equations of the grid to the last digits and nothing leaks but round-off. E on the face that the wave
 * meets first is the waveform itself; H before it follows from the equation of that E. 400 cells beyond the last face
 * absorb the wave (below 1e-10 from 10 cells per wavelength on; what returns is a solution too, and leaks nothing).
 *
 * In any other direction the line lies along the wave's own, its spacing d such that at the middle of the waveform's
 * band it is as dispersive as the grid in that direction (Guiffaut and Mahdjoubi 2000),
 *
 *     sin^2(k d / 2) / d^2 = sum over x, y, z of sin^2(k_a d_a / 2) / d_a^2 = sin^2(w dt / 2) / (v dt)^2,
 *
 * and values between its nodes are interpolated: with eight points to a quarter of d, with four between those. On the
 * grid E is normal to K_a = 2 sin(k_a d_a / 2) / d_a and H along K x E, which turn with frequency: their directions
 * follow with a second difference of the line, exact for long waves and at the middle of the band. What leaks is of
 * fourth order in cell size: 4e-5 of the amplitude and less with 20 cells per wavelength where a gaussian's spectrum
 * has fallen to half (7.8 where to a hundredth), 1.3e-4 with 10, at round-off along a diagonal of cubes: measured in
 * tests/test_incident.c. The waveform's time is that of the first corner. Cells should be of one size along each axis.
 *
 * Over layers normal to z (&plane_wave layers) the line is one of time. Along x and y all frequencies pass a place
 * after the same time, k_x = w p_x, and along z each follows from the recursions of the grid over the whole stack
 * (far.h), of losses and poles too; Fourier's sums of them are tables of E and H in time at every level, and what waits
 * for the wave along x and y is read that much later. Nothing leaks but what is read between the points of a table, a
 * quarter of a step apart.
 *
 * Complex fields (bloch.h) have the wave numbers of &bloch across the axis that the wave travels along, at all
 * frequencies: E across it is the waveform times exp(-j (k_u u + k_v v)), u and v from the low sides, on the face that
 * the wave meets first, and the line is that of bloch_line.h. Nothing leaks but round-off.
 *
 * Along an axis the box may go on to the far side, into an absorbing layer there, through whatever lies between: it has
 * no face there, and nothing of the wave is taken out.
 *
 * A side of the box that reaches the domain's own has no face; that must be periodic, or a conductor to which E (of a
 * magnetic one H) is normal, and the wave travel along it. Media: the box's faces lie in the background, without loss.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/element.h"
#include "maxwell/geometry.h"
#include "maxwell/waveform.h"
#include "pipeline/grid.h"

struct bloch;
struct incident;
struct source_pack;

/* From &plane_wave; *in is NULL where its direction is none. `grid`, `axis` and `bloch` (NULL: real fields) are kept,
 * and read by incident_prepare too. background: NULL where it is a perfect conductor. dir: of the namelist. Errors:
 * SF_NAMELIST, SF_INPUT, SF_MEMORY. */
int incident_make(struct incident **in, const struct maxwell_params *p, const struct grid *grid,
                  const struct axis_lines axis[3], const struct bloch *bloch, const struct medium *background,
                  const char *dir);
void incident_free(struct incident *in);

/* Do the faces of the box lie in the background, with all cells beside them? Reads the file of the geometry, as
 * geometry_load does; the same on all ranks. in NULL: there is no wave. Errors: SF_NAMELIST; SF_INPUT, SF_MEMORY. */
int incident_check(struct incident *in, struct geometry *g, const struct media *media, const struct maxwell_params *p);

/* Tables of the wave for `steps` steps from `step` on. What they hold depends on the number of the step alone: the line
 * goes on from where it was, or starts anew where that is later. Errors: SF_MEMORY; SF_NAMELIST for an oblique wave
 * that the grid cannot carry. */
int incident_prepare(struct incident *in, long step, int steps, double dt);

/* Bytes that incident_prepare has yet to take, as far as they count. Errors: as there. */
int incident_size(struct incident *in, double dt, size_t *bytes);

/* Mend H, or E, in what lies in the box of units. */
void incident_run(const struct incident *in, const struct source_pack *p, struct box b, const struct call *c, int is_e);

/* A range that holds all elements of H, or of E, that change so. */
struct place_range incident_range(const struct incident *in, int is_e);

/* What H takes will be written down in every step, for a sweep that takes it from there. Before the first
 * incident_prepare. */
void incident_keep_values(struct incident *in);

const struct waveform *incident_waveform(const struct incident *in);
/* Magnitude of its amplitude, V/m, and the wave impedance, ohm, and refractive index of what it travels in. */
void incident_strength(const struct incident *in, double *amplitude, double *impedance, double *index);
/* Directions of travel and of E, and where E is amplitude times waveform, m: the face, oblique the corner, that the
 * wave meets first. */
void incident_travel(const struct incident *in, double toward[3], double aim[3], double origin[3]);
/* Wave numbers of the grid across an axis that it travels along, along the two axes that follow, rad/m. */
void incident_across(const struct incident *in, double across[2]);
/* Has it a phase across its way, and so an imaginary part? */
int incident_turns(const struct incident *in);
/* Does it come to layers? */
int incident_is_layered(const struct incident *in);
/* Nodes of the box of total field: low[3] and high[3], x y z. */
void incident_box(const struct incident *in, int low[3], int high[3]);
