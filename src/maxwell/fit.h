/* Debye poles of a permittivity that a table gives: of frequencies f, of epsilon' and of the loss epsilon'',
 *
 *     epsilon' - i epsilon'' = epsilon + sum of d / (1 + i w tau) - i sigma / (w eps0),   w = 2 pi f
 *     epsilon >= 1, sigma >= 0, every d >= 0: what comes of it takes energy at all frequencies, whatever the table
 *
 * by least squares of both parts, each line weighted with 1 / |epsilon' - i epsilon''|. Strengths of a grid of tau,
 * even in its logarithm, come first, without negative ones (Lawson and Hanson 1974, Solving Least Squares Problems, ch.
 * 23; of Debye's terms Kelley, Destan and Luebbers 2007, IEEE Trans. Antennas Propag. 55, 1999, fit the like).
 * Neighbours on the grid stand for one pole between them; that many poles, and fewer, of which the nearest are one, are
 * then improved with their tau (Levenberg and Marquardt). Taken are the fewest that keep within FIT_GOOD of the table
 * on all lines, else those that more would not improve by a tenth. In double, in a fixed order: the same on all ranks.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

enum { FIT_POLES = 16 };
#define FIT_GOOD 0.01 /* share of |epsilon| */

struct fit {
    double epsilon, sigma; /* relative, above all poles; S/m */
    int npoles;
    double strength[FIT_POLES], tau[FIT_POLES]; /* d; s, growing */
    double largest, rms; /* |fit - table| / |table|: at the worst line, and over all */
    double worst; /* Hz, of that line */
};

/* row[n][3]: frequency in Hz, above 0 and growing; epsilon'; epsilon'', not negative; not both 0. Two lines at least.
 * Errors: SF_MEMORY. */
int fit_make(struct fit *to, const double *row, int n);

/* epsilon' and epsilon'' of a fit at a frequency in Hz. */
void fit_permittivity(const struct fit *f, double frequency, double epsilon[2]);
