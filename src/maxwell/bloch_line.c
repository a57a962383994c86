/* The line of the plane wave of Bloch-periodic sides. SPDX-License-Identifier: MIT */
#include "maxwell/bloch_line.h"

#include "pipeline/error.h"
#include "pipeline/sferic.h"

#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 16, MOVING = 10 }; /* the first hold what moves */

static const double layer_loss = 100; /* nepers of one way through it, along the normal */
static const double layer_alpha = 0.05; /* of the angular frequency of the light line */

int bloch_line_make(struct bloch_line *l, int cells)
{
    const size_t n = (size_t)cells + BLOCH_LINE_LAYER + 1;
    *l = (struct bloch_line){.n = (int)n - 1, .memory = calloc(ARRAYS * n, sizeof *l->memory)};
    SF_CHECK(l->memory, SF_MEMORY, "no memory for a line of %zu nodes of the plane wave", n);
    double **const to[ARRAYS] = {&l->e[0],     &l->e[1],     &l->h[0],     &l->h[1],     &l->e_along, &l->h_along,
                                 &l->psi_e[0], &l->psi_e[1], &l->psi_h[0], &l->psi_h[1], &l->re,      &l->rh,
                                 &l->be,       &l->ae,       &l->bh,       &l->ah};
    for (int m = 0; m < ARRAYS; m++) *to[m] = l->memory + (size_t)m * n;
    return SF_OK;
}

/* Recursion of a memory `depth` cells in the layer: psi = b psi + a D. */
static void recursion(const struct bloch_line *l, double depth, double speed, double dt, double *b, double *a)
{
    const double share = depth / BLOCH_LINE_LAYER, cell = 1 / l->rh[l->n];
    const double sigma = 4 * layer_loss * speed / (BLOCH_LINE_LAYER * cell) * (share * share * share);
    const double alpha = layer_alpha * speed * __builtin_sqrt(l->k[0] * l->k[0] + l->k[1] * l->k[1]);
    *b = 1, *a = 0;
    if (!(depth > 0)) return;
    *b = sfd_exp(-(sigma + alpha) * dt), *a = sigma / (sigma + alpha) * (*b - 1);
}

void bloch_line_layer(struct bloch_line *l, double speed, double dt)
{
    for (int m = 0; m <= l->n; m++) {
        recursion(l, m - (l->n - BLOCH_LINE_LAYER), speed, dt, &l->be[m], &l->ae[m]);
        recursion(l, m + 0.5 - (l->n - BLOCH_LINE_LAYER), speed, dt, &l->bh[m], &l->ah[m]);
    }
}

void bloch_line_reset(struct bloch_line *l, long step)
{
    memset(l->memory, 0, MOVING * ((size_t)l->n + 1) * sizeof *l->memory);
    l->before[0] = l->before[1] = 0;
    l->step = step;
}

void bloch_line_h(struct bloch_line *l, const double next[2])
{
    const double ku = l->k[0], kv = l->k[1], turn = l->turn_h;
    for (int m = 0; m < l->n; m++) {
        double d[2];
        for (int c = 0; c < 2; c++) {
            const double plain = l->sign * l->rh[m] * (l->e[c][m + 1] - l->e[c][m]);
            l->psi_e[c][m] = l->bh[m] * l->psi_e[c][m] + l->ah[m] * plain;
            d[c] = plain + l->psi_e[c][m];
        }
        l->h[0][m] += turn * (d[1] - kv * l->e_along[m]);
        l->h[1][m] += turn * (ku * l->e_along[m] - d[0]);
        l->h_along[m] += turn * (ku * l->e[1][m] - kv * l->e[0][m]);
    }
    const double du = (next[0] - l->e[0][0]) / l->turn_e, dv = (next[1] - l->e[1][0]) / l->turn_e;
    l->before[1] = l->h[1][0] + l->sign * (du - kv * l->h_along[0]) / l->re[0];
    l->before[0] = l->h[0][0] - l->sign * (dv + ku * l->h_along[0]) / l->re[0];
}

void bloch_line_e(struct bloch_line *l, const double next[2])
{
    const double ku = l->k[0], kv = l->k[1], turn = l->turn_e;
    for (int m = 1; m < l->n; m++) {
        double d[2];
        for (int c = 0; c < 2; c++) {
            const double plain = l->sign * l->re[m] * (l->h[c][m] - l->h[c][m - 1]);
            l->psi_h[c][m] = l->be[m] * l->psi_h[c][m] + l->ae[m] * plain;
            d[c] = plain + l->psi_h[c][m];
        }
        l->e[0][m] += turn * (kv * l->h_along[m] - d[1]);
        l->e[1][m] += turn * (d[0] - ku * l->h_along[m]);
    }
    for (int m = 0; m < l->n; m++) l->e_along[m] += turn * (kv * l->h[0][m] - ku * l->h[1][m]);
    l->e[0][0] = next[0], l->e[1][0] = next[1];
    l->step++;
}
