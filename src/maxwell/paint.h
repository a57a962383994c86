/* What every component of E and H is surrounded by, as a small number: an index into tables of coefficients.
 *
 * Ex lies on the edge that cells j - 1, j and k - 1, k share. E is continuous along it, so the flux through the dual
 * face around it is the sum over four cells: epsilon and sigma are means weighted by area. It is a perfect conductor
 * when one of the four is, or a sheet holds it. Hx lies on the face between cells i - 1 and i. B is continuous through
 * it, so the dual edge that crosses it holds the sum of B / mu over two lengths:
 *
 *     epsilon = sum w epsilon_n,  sigma = sum w sigma_n        1 / mu = sum w / mu_n,  sigma_m = mu^2 sum w sigma_m,n /
 *                                                              mu_n^2
 *
 * as in the finite integration technique (Clemens and Weiland 2001, PIER 32, 65-87). That sigma_m is the one of weak
 * loss (to first order in sigma_m / (omega mu); exact where sigma_m / mu does not change). A perfect conductor on one
 * side of a face counts for nothing; between two, H stays zero. On each side the error is second order where an
 * interface follows the cells, first order where it is drawn as stairs.
 *
 * Of E beside surfaces that do not follow the cells, the volumes w of the media in its own cell and the normal n of
 * their interface are known (paint_smooth.h). Along n it is D that is continuous, not E:
 *
 *     1 / epsilon = g <1 / epsilon> + (1 - g) / <epsilon>,    <f> = sum w f_n,    g = n_c^4 / (n_x^4 + n_y^4 + n_z^4)
 *     sigma / epsilon^2 = g <sigma / epsilon^2> + (1 - g) <sigma> / <epsilon>^2
 *
 * The latter is the former of epsilon - i sigma / omega, to first order in sigma / (omega epsilon); with g = 0 both are
 * the means above. The tensor that makes the error second order (Farjadpour et al. 2006, Opt. Lett. 31, 2972; Kottke et
 * al. 2008, Phys. Rev. E 77, 036611) has n_c^2 in place of g on its diagonal, the same where n lies along an axis or
 * halfway between two. Its other elements couple the components and are left out here: normal D then seems to cost too
 * little energy, and a sphere scatters too much. g gives back some of it and keeps the sum of the three at 1: error of
 * Qsca of spheres with 20 cells to the radius, n = 2, x = 1: 1.33 % (n_c^2: 1.51 %, cells in or out: 5.0 %); n = 1.5, x
 * = 1: 0.47 % (0.56 %, 2.4 %). The error is first order still, and smaller. epsilon is no less than the least of the
 * media: the longest stable time step stays as it is.
 *
 * Edges and faces that conductors cut (conformal.h) are of the cells around them that do not conduct, by the same
 * shares; where all do, of what is painted in the middle of their open part.
 *
 * An edge of a lumped element (lump.h) has the element's medium beside its own: epsilon, sigma and poles are added.
 * Beside thin wires epsilon and sigma are times m, mu and sigma_m over m (wire.h).
 *
 * In absorbing layers another medium stands for some (medium_layer.c), with the same share.
 *
 * Each different mixture has one number, given in the order of first sight: numbers may differ between ranks and runs,
 * what they stand for may not. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/dispersion.h"
#include "maxwell/geometry.h"

#include <stdint.h>

/* Media and their weights (in 2^-48, together 2^48) as weight << 8 | medium, by growing medium, 0 where there is no
 * other. All zero: a perfect conductor. */
enum { MIXTURE_PARTS = 8 }; /* media at most: four cells have no more than four, a cell that surfaces cross may */
struct mixture {
    uint64_t part[MIXTURE_PARTS];
    uint64_t normal; /* g in 1/64 */
    uint64_t load; /* number of the lumped element that the edge belongs to, from 1; 0: none */
    uint64_t open; /* of what conductors cut: l in 1/512, A in 1/4096 (conformal.h); 0: nothing is cut */
    uint64_t wire; /* m of what lies beside a thin wire, in 2^-32 (wire.h); 0: there is none */
};

/* All mixtures of E, or of H, by number; `slot` is a hash table of numbers, -1 where it is empty. */
struct dictionary {
    int n, limit, slots;
    struct mixture *mixture;
    int *slot;
};

struct paint {
    int wide[2]; /* bytes of a number, of E and H: 0, 1 or 2; 0: one medium everywhere, number 0 */
    unsigned char alike[2][MEDIA_MAX]; /* the first medium in use whose coefficients of E, of H, are the same */
    unsigned char metal[MEDIA_MAX]; /* 1: a metal, which is in no mean by curved surfaces */
    unsigned char in_layer[MEDIA_MAX]; /* the medium that stands for one in absorbing layers; 0: itself */
    int stands; /* 1: there are some */
    int layer[3][2]; /* cells of these at both ends of an axis */
    struct dictionary dictionary[2];
    const struct lump *lump; /* of the geometry */
    void *memory; /* of the coefficients */
    int threads; /* that share rows; 0: one */
};

/* Bytes that numbers of E (wide[0]) and H (wide[1]) take, from namelist and grid alone. One byte: the media in use can
 * have no more than 255 mixtures. Two for E where the surface of a solid does not follow the cells. */
void paint_width(const struct geometry *g, const struct media *m, int wide[2]);

/* An empty dictionary of that width. Errors: SF_MEMORY. */
int paint_init(struct paint *p, const struct geometry *g, const struct media *m);
void paint_free(struct paint *p); /* the coefficients too; also of a zeroed one */

/* Numbers of rows j0 .. j1 - 1, which may lie beyond the domain, into id[0 .. 5], E then H: element (j - j0) sj + k sk
 * + i, i 0 .. ni, k 0 .. nk, of paint.wide bytes. NULL: not wanted. Rows are shared by threads; a file is read by the
 * thread that calls. Errors: SF_NAMELIST (more mixtures than numbers), SF_INPUT (a file), SF_MEMORY. */
int paint_rows(struct paint *p, struct geometry *g, int j0, int j1, void *const id[6], ptrdiff_t sj, ptrdiff_t sk);

/* What mixture `number` of E (is_h 0) or of H stands for. */
struct paint_means {
    int conducts; /* and nothing else is said */
    double inertia, loss; /* epsilon or mu, relative; sigma or sigma_m, S/m or ohm/m */
    double open; /* share of its edge or face */
    int has_poles, has_load;
};
struct paint_means paint_means(const struct paint *p, const struct media *m, int is_h, int number);
/* Relative epsilon of E, or mu of H, as steps of dt s make it at a frequency, value[0] - i value[1], losses and poles
 * included (medium_stepped). */
void paint_stepped(const struct paint *p, const struct media *m, int is_h, int number, double frequency, double dt,
                   double value[2]);

/* Coefficients of all mixtures seen so far, with a time step of dt s; they belong to `p` and replace earlier ones. With
 * them the tables of media that disperse (d NULL: there are none). Computed in double and rounded once. Errors:
 * SF_MEMORY. */
int paint_coefficients(struct paint *p, const struct media *m, struct dispersions *d, double dt, struct coefficients *e,
                       struct coefficients *h);
