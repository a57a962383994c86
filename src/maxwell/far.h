/* The far field of currents on a closed box, in double.
 *
 * Discrete equivalence. The faces of the box are planes of nodes. On a face with the normal n, outward,
 *
 *     J = n x H, with H half a cell outside of the plane, at the places of E on the plane,
 *     M = -n x E, with E on the plane, at the places of that H,
 *
 * carry the whole field outside: the curls of the grid see nothing else when the field inside is taken away. So each
 * counts with its own place and time, no mean is taken, and places on a rim count whole: an edge of two faces twice,
 * once with the current of each. A place stands for the area dA of its own cell, of sizes along the grid at a face of
 * even cells.
 *
 *     N = sum of J exp(j k.r') dA,   L = sum of M exp(j k.r') dA,   r' from a reference place, time as exp(+j w t)
 *     F = -(j w mu / 4 pi) [N - K (K.N) - K x L / eta],             E = F exp(-j w r / v) / r at a distance r
 *
 * k is the wave vector of the grid in the direction of the observer, and K the unit vector that E and H are normal to,
 *
 *     sum of sin^2(k_a d_a / 2) / d_a^2 = sin^2(w dt / 2) / (v dt)^2,   K_a ~ 2 sin(k_a d_a / 2) / d_a :
 *
 * with them a plane wave of the grid and what lies in the box act on each other as the box and that wave do, whatever
 * box that is (reciprocity; Taflove and Hagness, Computational Electrodynamics, 3rd ed., chapter 8, has the continuous
 * form). A current of the grid radiates into a space without dispersion: a dipole's power is that of the formula.
 *
 * Conductors. A plane of a perfect electric conductor returns a current along it with the other sign and one normal to
 * it with the same, and magnetic currents the other way round; a magnetic conductor does the opposite of each. A place
 * on the plane is its own image, and counts once.
 *
 * Layers. Over layers normal to z the plane wave that the currents act on is that of the whole stack: along x and y it
 * goes as the wave from the observer, along z as the grid has it, level by level, with whatever epsilon and mu the
 * levels have, losses and poles too. With K_t the wave's number across z, W = 2 sin(w dt / 2) / dt, and a, b along z at
 * nodes and in cells,
 *
 *     TE: E = phi a, H = b across z and - K_t a / (W mu) along it        d_k (b_k - b_k-1) = P a_k
 *     TM: H = phi b, E = a across z and K_t b / (W epsilon) along it     d_k (a_k+1 - a_k) = Q b_k
 *
 *     TE: P = j W epsilon - j K_t^2 / (W mu),  Q = j W mu        TM: P = - j W epsilon,  Q = j K_t^2 / (W epsilon) - j
 * W mu
 *
 * (d_k: difference over the distance), from the wave that leaves on the other side up to where it is the wave from the
 * observer and what the layers return of that. Directions below the horizon take the wave from below, where nothing is
 * lost there. Waves that are guided along the layers are no part of a far field.
 *
 * Sums. The phase is a product of one factor an axis: a face is summed along its first axis, then along the second,
 * always in the order of places. The directions are shared out among threads; a sum is made by one.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <complex.h>

/* What the grid's waves are made by. */
struct far_wave {
    double omega, dt; /* rad/s; s */
    double speed, impedance, mu; /* m/s, ohm, H/m, of the medium */
    double size[3]; /* m, of the cells at the faces */
};

/* The wave vector in the direction `toward`, a unit vector, rad/m. Returns 1, and 0 where the grid carries no such
 * wave. */
int far_wave_vector(const struct far_wave *w, const double toward[3], double k[3]);

/* One component of the currents on one face: n[1] rows of n[0] places, along the two axes that follow the normal. */
struct far_sheet {
    int normal, axis; /* of the face; of the current: 0 x, 1 y, 2 z */
    int is_magnetic;
    int n[2];
    const double *place[2]; /* m, along the two axes */
    double at; /* m, along the normal */
    const double *moment[2]; /* re, im [n[1]][n[0]]: current times area, A m or V m, of a spectrum per Hz */
};

enum far_image { FAR_NO_IMAGE, FAR_ELECTRIC, FAR_MAGNETIC };

/* Layers: cells of a column, from the lowest, and the nodes between them. The lowest and the highest medium go on for
 * ever; the highest has no losses. */
struct far_stack {
    int n; /* cells */
    const double *node; /* [n + 1], m */
    const double complex *epsilon[2], *mu[2]; /* relative, exp(+j w t): [0] of nodes, epsilon of E across z, mu of H
                                                  along it; [1] of cells, epsilon of E along z, mu of H across it */
    enum far_image floor; /* the lowest node is a conductor; none: the lowest medium goes on */
    int has_below; /* the lowest medium has no losses: */
    struct far_wave below; /* waves in it */
};

struct far_box {
    const struct far_sheet *sheet;
    int nsheets;
    enum far_image image[3]; /* a conductor normal to each axis */
    double mirror[3]; /* m: where it lies */
    double reference[3]; /* m: where r' and r begin */
    const struct far_stack *stack; /* layers that it lies in; NULL: none */
};

/* The plane wave of the grid that comes to a stack, from above where along > 0, and all that becomes of it there: E of
 * 1 where it would be at the height `reference`, E across the plane of incidence or (is_tm) in it. swing: 2 sin(w dt /
 * 2) / dt, 1/s; across, along: K_t and K_z, 1/m, towards where it comes from; phase: k_z, rad/m. To to[3][n + 1]: at
 * nodes E, in cells H, along x and y; along z H at nodes or (is_tm) E in cells. E lies along the unit vector z x u, of
 * u of across, and H along u; is_tm: the other way round. */
void far_stack_wave(const struct far_stack *s, int is_tm, double swing, double across, double along, double phase,
                    double reference, double complex *const to[3]);

/* A direction: theta from the z axis, phi from the x axis. theta below 0 is the other side of the axis. */
struct far_direction {
    double cos_theta, sin_theta, cos_phi, sin_phi;
};

/* Degrees; exact at multiples of 90. */
struct far_direction far_direction(double theta, double phi);

/* F along growing theta and phi in each direction, V: out[n][theta re, im, phi re, im]. Errors: SF_MEMORY; SF_NAMELIST
 * where the grid carries no wave in a direction. */
enum { FAR_VALUES = 4 };
int far_fields(const struct far_box *b, const struct far_wave *w, int n, const struct far_direction *toward,
               double (*out)[FAR_VALUES]);

/* Of a box without layers: power through the sphere, images included, W of amplitudes (W/Hz^2 of spectra): |F|^2 / (2
 * eta) over all directions by Gauss and Legendre's rule along cos(theta) and even steps of phi, as many as waves from a
 * source as large as the box need. Errors: as far_fields. */
int far_power(const struct far_box *b, const struct far_wave *w, double *power);
/* *squares gains the integral of |field|^2, V^2, over directions between two cosines of theta, by Gauss and Legendre's
 * rule of so many of them. Errors: as far_fields. */
int far_zone(const struct far_box *b, const struct far_wave *w, double from, double to, int order, double *squares);
/* far_layers.c: of a box in layers, what goes up and what goes down. Errors: as far_fields. */
int far_layers_power(const struct far_box *b, const struct far_wave *w, double power[2]);
/* How many directions far_power takes for a box of that half diagonal, m. */
int far_power_directions(const struct far_wave *w, double radius);

/* far_shorten.c: the same far field, to 1e-12 of the sum of all currents, from fewer places. exp(j k x) along a side of
 * a face is a polynomial of little more terms than the side has half radians: each place is spread to Chebyshev's nodes
 * of the side as that polynomial weighs it. sheet: [nsheets], what the new box is made of; memory: [nsheets], each to
 * be freed, after a failure too. Errors: SF_MEMORY. */
int far_shorten(const struct far_box *b, const struct far_wave *w, struct far_box *out, struct far_sheet *sheet,
                double **memory);
/* How many nodes a side of that length, m, and n places takes: at most n. */
int far_shorter(const struct far_wave *w, double length, int n);

/* Nodes and weights of Gauss and Legendre's rule on -1 .. 1. */
void far_gauss(int n, double *node, double *weight);
