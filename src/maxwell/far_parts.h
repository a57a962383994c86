/* Between the files of the far field: blocks of directions, and tables of phases. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/far.h"

enum { LANES = 8 }; /* directions that are summed together */

/* Of LANES directions: wave vectors, and the unit vectors that waves travel along and E has its components along. */
struct lanes {
    double k[3][LANES], along[3][LANES], theta[3][LANES], phi[3][LANES];
};

/* exp(j k (x - reference)) for n places along an axis, with `sign` times that of the image: table[place][re,
 * im][LANES]. */
struct phases {
    int axis, n;
    const double *place;
    double sign; /* 0: there is no image */
    double (*table)[2][LANES];
};

/* Of one thread: the tables of a block of directions; sheets share those that are alike. */
struct tables {
    struct phases *all;
    int n;
    double (*memory)[2][LANES], (*next)[2][LANES];
};

/* 0: the grid carries no such wave. */
int far_lane_set(struct lanes *l, int m, const struct far_wave *w, const struct far_direction *d);
/* The table of a sheet along axis a, made unless it is there. */
double (*far_phases(struct tables *t, const struct far_box *b, const struct far_sheet *s, int a, int n,
                    const double *place, const struct lanes *l))[2][LANES];
/* Multipoles of a box. */
int far_order(const struct far_box *b, const struct far_wave *w);

/* far_layers.c: directions first .. first + LANES - 1 of n, over layers; 0: the grid carries no such wave. How many
 * places its tables take where phases alone take `places`. */
int far_layers_block(const struct far_box *b, const struct far_wave *w, int n, const struct far_direction *toward,
                     int first, struct tables *t, double (*out)[FAR_VALUES]);
int far_layers_places(const struct far_box *b, int places);

/* sum[re, im] += phase value */
static inline void lanes_add(double sum[2][LANES], const double phase[2][LANES], const double re[LANES],
                             const double im[LANES])
{
#pragma omp simd
    for (int m = 0; m < LANES; m++) {
        sum[0][m] += phase[0][m] * re[m] - phase[1][m] * im[m];
        sum[1][m] += phase[0][m] * im[m] + phase[1][m] * re[m];
    }
}

/* The sum of a line of places. */
static inline void line_sum(double sum[2][LANES], int n, const double *restrict re, const double *restrict im,
                            const double (*restrict phase)[2][LANES])
{
    double c[LANES] = {0}, s[LANES] = {0};
    for (int p = 0; p < n; p++) {
        const double x = re[p], y = im[p];
#pragma omp simd
        for (int m = 0; m < LANES; m++) {
            c[m] += phase[p][0][m] * x - phase[p][1][m] * y;
            s[m] += phase[p][0][m] * y + phase[p][1][m] * x;
        }
    }
    for (int m = 0; m < LANES; m++) sum[0][m] = c[m], sum[1][m] = s[m];
}
