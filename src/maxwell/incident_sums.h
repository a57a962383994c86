/* The plane wave over layers at its frequencies, and Fourier's sums of them in time. SPDX-License-Identifier: MIT */
#pragma once

#include <complex.h>
#include <stddef.h>

enum { SUM_LANES = 8 }; /* components of levels that are summed side by side */

/* Of every level of the box: spectra of E and H along x, y and z. */
struct stack_sums {
    int n, first, count; /* samples of the waveform; the numbers of its frequencies that count */
    int levels, base; /* of the box, and the level of the first */
    double slow[2]; /* s/m along x and y, towards where it comes from */
    double *share; /* [levels x 6 / SUM_LANES][count][real, imaginary][SUM_LANES] */
    double *turn; /* [LINE_FINE n][2]: cosines and sines of a circle's parts */
};

/* In place, n a power of two: x[m] exp(sign 2 pi i m q / n) over all m; memory for n / 2 more values lies behind x. */
void stack_fourier(double complex *x, int n, int sign);

/* Memory for n, first, count and levels, all 0. Errors: SF_MEMORY. */
int stack_sums_alloc(struct stack_sums *s);
void stack_sums_free(struct stack_sums *s);
/* Bytes of one of that size. */
size_t stack_sums_size(const struct stack_sums *s);
/* Component c, x y z of E and of H, of frequency number m. */
void stack_sums_put(struct stack_sums *s, int level, int c, int m, double complex value);
/* Is nothing left of E after seven eighths of n steps, no more than `share` of its largest? Errors: SF_MEMORY. */
int stack_sums_fade(const struct stack_sums *s, double share, int *faded);
/* Values of steps [from, to), LINE_FINE each: component c of a level at table[c][level x length], 0 before the first
 * step and after the last. */
void stack_sums_take(const struct stack_sums *s, long from, long to, double *const table[6], ptrdiff_t length,
                     int threads);
