/* The TEM, or quasi-TEM, wave of a line between conductors: coaxial, strip, microstrip, coplanar.
 *
 * Across the line E is the gradient of a potential phi, 1 V on the signal conductor and 0 on all others, and B is along
 * the lines of another potential psi that has the same values there. On the cross-section of Yee's cells
 *
 *     div (epsilon grad phi) = 0        div (1/mu grad psi) = 0
 *
 * hold at every node that does not conduct: then neither E nor H along the line is made, and where one medium fills the
 * line this is the grid's own wave, whatever its length; elsewhere the limit of long waves. With the energies
 *
 *     C = sum of epsilon / l |d phi|^2        K = sum of |d psi|^2 / (mu A)
 *
 * over edges, each difference over the length of its edge and times that of the dual one across it, l the open share
 * of the edge and A that of the face on it (conformal.h), capacitance and inductance are eps0 C and mu0 / K a metre:
 * index sqrt(C / K), impedance eta0 / sqrt(C K). A wave of 1 V has E = -grad phi, and one of 1 A H = n x e, e = -grad
 * psi / (mu A K). As waves of other modes are orthogonal to these,
 *
 *     V = sum E length l . e dual length        I = sum H dual length . (n x (-grad phi)) length
 *
 * of the fields on the plane. In absorbing layers lengths are kappa times those of the cells. Where the window ends
 * within the domain no field crosses its rim. Pozar, Microwave Engineering, 4th ed., 2.2 and 3.8.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/mode.h"
#include "maxwell/section.h"

enum { TEM_TESTS = 4 };

struct tem {
    double capacity, stiffness; /* C, K: of what lies in the window */
    double index, impedance; /* ohm, with mirror images */
    int images; /* of the signal conductor in magnetic conductors, itself included */
    int on_side[3][2]; /* 1: the signal conductor reaches that side, a magnetic conductor */
    int conductors; /* in the window */
    double cutoff; /* Hz, below which nothing but this wave travels; 0: not known, as where media differ or no conductor
                      closes the window */
    double rim; /* share of the energy of phi at the window's rim within the domain, where it does not conduct: of edges
                   that lie or end on it */
    int is_alone; /* 1: but for the signal conductor there is none, only the outer faces of absorbing layers */
    double sheet; /* 1/m: the largest current of a sheet of 1 A in all that makes the wave */
    double signal[3]; /* m: of the signal conductor the node nearest to the centre */
    double *test[TEM_TESTS]; /* weights in V and I of E_b, H_c, E_c, H_b, by plane_index: m, m */
    void *memory;
};

/* From a cross-section, with its signal conductor: of those that do not reach the window's rim, but on sides of the
 * domain that are no layers, the nearest to centre[], m. Fills the profile of `mode`, that of the sheet of current
 * that makes the wave, in units of its largest. To be freed with tem_free, after a failure too. Errors: SF_NAMELIST,
 * with the number of the port; SF_MEMORY. */
int tem_make(struct tem *t, struct mode *mode, const struct section *s, const struct geometry *g,
             const struct axis_lines axis[3], const struct maxwell_params *p, const double centre[3], int number);
void tem_free(struct tem *t);
