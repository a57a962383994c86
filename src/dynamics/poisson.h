/* Poisson's equation on a plane with a coefficient a of each face: of every cell
 *
 *     sum over its four faces of a (x of the cell beyond - x) = right
 *
 * Conjugate gradients behind a modified incomplete Cholesky factorisation (Gustafsson 1978), in double and in one
 * order: the same numbers give the same bits. SPDX-License-Identifier: MIT */
#pragma once

/* a >= 0. west: [nj][ni + 1], of the face west of each cell and of the eastern one of the last; south: [nj + 1][ni].
 * Along a periodic axis the last face is the first. Elsewhere x is 0 beyond the outermost faces; a 0: nothing passes.
 */
struct poisson {
    int ni, nj, periodic[2];
    const double *west, *south;
};

/* right, x: [nj][ni]. What is left of `right` is 1e-9 of its largest value. Where no outermost face passes anything and
 * all cells hang together, `right` loses its mean, without which there is a solution, and x has the mean 0. *turns: of
 * the iteration. Errors: SF_MEMORY; SF_INTERNAL: it did not end. */
int poisson_solve(const struct poisson *p, const double *right, double *x, int *turns);
/* x of a cell; beyond a side of the one that stands for it, or 0. */
double poisson_beyond(const struct poisson *p, const double *x, int i, int j);
