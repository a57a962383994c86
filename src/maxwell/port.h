/* Ports: where a device is driven and seen from, and what waves there say of it.
 *
 * A lumped port is a source with its resistance R between two ends (lump.h). With V across them, + at the upper end of
 * its axis, and I into the device,
 *
 *     V = - mean over its lines of edges, by area, of sum E length      V_s - V = R I
 *     a = (V + R I) / (2 sqrt R)      b = (V - R I) / (2 sqrt R)
 *
 * V_s the source's voltage, 0 of a port that is not driven: its resistance takes what comes. V is that in the middle of
 * steps, where E is the mean of the two times around it: of E's spectrum cos(pi f dt).
 *
 * A guide port is a plane across a rectangular guide with conducting walls. The sheet of current that drives the TE_mn
 * mode lies two cells behind it, seen from the device, and there must be guide and something that absorbs behind that.
 * With e the mode's profile (mode.h), h = n x e and n along the axis, the grid's own mode of numbers k along the axis
 * and k_b, k_c across has
 *
 *     sin^2(k d / 2) / d^2 = sin^2(pi f dt) / (v dt)^2 - sin^2(k_b d_b / 2) / d_b^2 - sin^2(k_c d_c / 2) / d_c^2
 *     Z = mu (sin(pi f dt) / dt) / (sin(k d / 2) / d) / cos(k d / 2)
 *
 * with d, d_b, d_c the sizes of cells, v the speed of light in the guide's medium; Z is E on the plane over the mean of
 * H half a cell below and above it. From the sums U = sum E.e dA and J = sum H.h dA, N = sum e.e dA,
 *
 *     A+- = (U +- Z J) / (2 N)      a, b = A sqrt(N / Z), A of the waves towards and away from the device
 *
 * both of a mode above its cut-off; |a|^2 / 2 is the power of the wave, of all kinds of ports. Waves are counted at
 * the plane, or `shift` further towards the device: a times exp(-j k shift), b times exp(j k shift).
 *
 * A line port is the same plane across two conductors or more, and its wave the TEM one that these guide (tem.h). With
 * the weights given there V is a sum over E on the plane, I one over the mean of H below and above it, and
 *
 *     sin(k d / 2) / d = index sin(pi f dt) / (c dt)        Z = Z0 / cos(k d / 2)        a, b = (V +- Z I) / (2 sqrt Z)
 *
 * which is exact where one medium fills the line. The source's amplitude V_s is that of a source of Z0 in series:
 * without load there would be V_s, and the wave has V_s / 2.
 *
 * S of the driven port's column is b / a of the driven one: a of the others is what their ends return. Pozar, Microwave
 * Engineering, 4th ed., 4.3. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/mode.h"
#include "maxwell/monitor.h"
#include "maxwell/tem.h"
#include "maxwell/waveform.h"

struct geometry;
struct lump;
struct media;
struct source;

enum port_kind { PORT_NONE, PORT_LUMPED, PORT_GUIDE, PORT_LINE }; /* of PORT_KINDS */
enum { PORTS_MOST = 32, PORT_BEHIND = 2 }; /* cells from a guide port's plane to its source */

enum port_variable {
    PORT_S_RE,
    PORT_S_IM,
    PORT_A_RE,
    PORT_A_IM,
    PORT_B_RE,
    PORT_B_IM,
    PORT_VOLTAGE_RE,
    PORT_VOLTAGE_IM,
    PORT_CURRENT_RE,
    PORT_CURRENT_IM,
    PORT_POWER,
    PORT_Z_RE,
    PORT_Z_IM,
    PORT_RESISTANCE,
    PORT_INDEX,
    PORT_DRIVEN,
    PORT_VARIABLES
};
enum { PORT_FREQUENCY, PORT_NUMBER, PORT_AXES };

struct port {
    int number; /* in &port, from 1 */
    enum port_kind kind;
    int toward; /* 1, -1 */
    double resistance, shift; /* ohm, m */
    const struct lump *lump; /* of a lumped one */
    struct mode mode; /* of a plane */
    double size[3]; /* m: of its cells, of a line along its axis */
    double *test[TEM_TESTS]; /* of a plane: weights of E_b, H_c, E_c, H_b, by plane_index */
    int waves[3]; /* of a guide: half waves across it, by axis */
    double epsilon, mu; /* relative, of what fills it */
    void *memory; /* its test[] */
    double centre[3]; /* m, of a line's window */
    struct tem tem; /* of a line */
    int part; /* its field of sums, of the monitors */
};

struct ports {
    int n, driven; /* number of the port that is driven; 0: none */
    double amplitude; /* of the excitation */
    int cells[3]; /* of the domain */
    struct port *of;
    double *number; /* [n] */
    struct monitors *monitors; /* that hold the sums */
    int wave; /* of the excitation, among the waveforms of monitors */
    struct result_axis axis[PORT_AXES];
    struct result_variable var[PORT_VARIABLES];
};

/* All of &port, `given` entries; *out NULL: there are none. Complains of ports that lie nowhere. Errors: SF_MEMORY;
 * where `to` is NULL SF_NAMELIST. */
int ports_make(struct ports **out, const struct maxwell_params *p, int given, const struct lump *lump, int nlumps,
               const struct grid *grid, const struct axis_lines axis[3], struct complaints *to);
void ports_free(struct ports **at);

/* What fills guides must be one medium without losses, and their walls must conduct; of lines the wave is found. Reads
 * the geometry's file, as geometry_load does. Errors: SF_INPUT, SF_MEMORY; where `to` is NULL SF_NAMELIST. */
int ports_check(struct ports *all, const struct maxwell_params *p, struct geometry *g, const struct media *m,
                const struct axis_lines axis[3], struct complaints *to);
/* port_line.c: the wave of one line. Errors: SF_NAMELIST, SF_INPUT, SF_MEMORY. */
int port_line_settle(struct port *q, const struct maxwell_params *p, struct geometry *g, const struct media *m,
                     const struct axis_lines axis[3]);
/* Is it a plane that waves pass, a guide's or a line's? */
static inline int port_is_plane(const struct port *q) { return q->kind >= PORT_GUIDE; }

/* The source of the port that is driven, behind the *n that are there. Errors: SF_INPUT, SF_MEMORY. */
int ports_drive(const struct ports *p, const struct maxwell_params *params, const struct axis_lines axis[3],
                const char *dir, struct source *source, int *n, struct complaints *to);

/* Of the wave of a plane at a frequency: the sine of half the phase from cell to cell over the size of a cell, 1/m, 0
 * at and below a guide's cut-off; and its impedance there, ohm. */
double port_wave(const struct port *q, double frequency, double dt);
double port_impedance(const struct port *q, double frequency, double dt);

/* port_result.c: its field of sums among those of monitors; the file ports.nc. Errors: SF_NAMELIST, SF_MEMORY. */
int ports_sums(struct ports *p, struct monitors *all, const struct monitor_setup *t);
void ports_describe(struct ports *p, struct result *r);
/* At every frequency the power that the device takes at all ports, and what the driven port's source offers, W Hz-2,
 * RESULT_NONE where waves are not said: power[2][nfrequencies], NULL but on rank 0. Collective. Errors: SF_COMM,
 * SF_MEMORY. */
int ports_power(const struct ports *p, const struct state *st, double *power);
/* Do all of them lie on the low, or high, side of an axis? */
int ports_lie_on(const struct ports *p, int axis, int high);
/* As struct result has it. */
int ports_fill(const struct result *r, const struct state *st, double *const *out);
