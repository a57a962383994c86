/* Sheets of fewer places. SPDX-License-Identifier: MIT */
#include "maxwell/far.h"

#include "pipeline/error.h"
#include "pipeline/sferic.h"
#include "pipeline/sfmath.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* The longest wave vector along an axis. */
static double longest(const struct far_wave *w)
{
    double most = w->omega / w->speed;
    for (int a = 0; a < 3; a++) {
        const double toward[3] = {a == 0, a == 1, a == 2};
        double k[3];
        if (far_wave_vector(w, toward, k)) most = SF_MAX(most, k[a]);
    }
    return most;
}

int far_shorter(const struct far_wave *w, double length, int n)
{
    /* By Chebyshev's nodes exp(j k x) on |x| <= h is off by less than 4 (k h / 2)^m / m!. */
    const double quarter = longest(w) * length / 4;
    double off = 4;
    for (int m = 1; m < n; m++) {
        off *= quarter / m;
        if (m > quarter && off < 1e-12) return m;
    }
    return n;
}

/* What each of n places gives to m nodes: weight[m][n], Lagrange's polynomials in the barycentric form (Berrut and
 * Trefethen, SIAM Review 46, 501, 2004). A place that is its own image counts half, for nodes have images that are not
 * themselves. */
static void weights_make(const double *place, int n, const struct far_box *b, int a, double *node, int m,
                         double *weight)
{
    const double middle = 0.5 * (place[0] + place[n - 1]), half = 0.5 * (place[n - 1] - place[0]);
    for (int q = 0; q < m; q++) node[q] = middle - half * sfd_cos(pi * (q + 0.5) / m);
    for (int p = 0; p < n; p++) {
        const int is_own = b->image[a] && !(place[p] < b->mirror[a] || place[p] > b->mirror[a]);
        double sum = 0;
        int on = -1;
        for (int q = 0; q < m; q++) {
            const double from = place[p] - node[q];
            if (!(from < 0 || from > 0)) on = q;
            sum += weight[(long)q * n + p] = (q % 2 ? -1 : 1) * sfd_sin(pi * (q + 0.5) / m) / from;
        }
        for (int q = 0; q < m; q++) {
            double *const to = &weight[(long)q * n + p];
            *to = (on >= 0 ? q == on : *to / sum) * (is_own ? 0.5 : 1);
        }
    }
}

/* to[rows][m] of from[rows][n]; across_take: to[m][columns] of from[n][columns]. */
static void along_take(double *to, const double *from, const double *weight, int n, int m, int rows)
{
    for (int r = 0; r < rows; r++)
        for (int q = 0; q < m; q++) {
            double sum = 0;
            for (int p = 0; p < n; p++) sum += weight[(long)q * n + p] * from[(long)r * n + p];
            to[(long)r * m + q] = sum;
        }
}

static void across_take(double *restrict to, const double *restrict from, const double *weight, int n, int m,
                        int columns)
{
    for (int q = 0; q < m; q++) {
        double *const line = to + (long)q * columns;
        for (int c = 0; c < columns; c++) line[c] = 0;
        for (int p = 0; p < n; p++) {
            const double share = weight[(long)q * n + p];
            for (int c = 0; c < columns; c++) line[c] += share * from[(long)p * columns + c];
        }
    }
}

static int sheet_shorten(const struct far_box *b, const struct far_wave *w, const struct far_sheet *s,
                         struct far_sheet *out, double **memory)
{
    const int axis[2] = {(s->normal + 1) % 3, (s->normal + 2) % 3};
    int m[2];
    *out = *s, *memory = NULL;
    for (int d = 0; d < 2; d++) /* along z layers have a wave of their own, at the places of the grid */
        m[d] = b->stack && axis[d] == 2 ? s->n[d] : far_shorter(w, s->place[d][s->n[d] - 1] - s->place[d][0], s->n[d]);
    if (m[0] == s->n[0] && m[1] == s->n[1]) return SF_OK;
    const size_t all = (size_t)m[0] * (size_t)m[1], between = (size_t)m[0] * (size_t)s->n[1],
                 table = (size_t)SF_MAX(m[0] * s->n[0], m[1] * s->n[1]);
    double *const kept = *memory = malloc((2 * all + (size_t)m[0] + (size_t)m[1]) * sizeof *kept);
    double *const half = malloc((2 * between + table) * sizeof *half), *const weight = half + 2 * between;
    if (!kept || !half) {
        free(half);
        return sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the currents of a far field");
    }
    double *const node[2] = {kept + 2 * all, kept + 2 * all + m[0]};
    const double *from[2] = {s->moment[0], s->moment[1]};
    if (m[0] < s->n[0]) {
        weights_make(s->place[0], s->n[0], b, axis[0], node[0], m[0], weight);
        for (size_t q = 0; q < 2; q++) along_take(half + q * between, from[q], weight, s->n[0], m[0], s->n[1]);
        from[0] = half, from[1] = half + between, out->place[0] = node[0];
    }
    if (m[1] < s->n[1]) {
        weights_make(s->place[1], s->n[1], b, axis[1], node[1], m[1], weight);
        for (size_t q = 0; q < 2; q++) across_take(kept + q * all, from[q], weight, s->n[1], m[1], m[0]);
        out->place[1] = node[1];
    } else {
        for (size_t p = 0; p < all; p++) kept[p] = from[0][p], kept[all + p] = from[1][p];
    }
    for (int d = 0; d < 2; d++) out->n[d] = m[d];
    out->moment[0] = kept, out->moment[1] = kept + all;
    free(half);
    return SF_OK;
}

int far_shorten(const struct far_box *b, const struct far_wave *w, struct far_box *out, struct far_sheet *sheet,
                double **memory)
{
    const struct far_stack *const stack = b->stack;
    int rc = SF_OK;
    if (stack && stack->has_below && stack->below.speed < w->speed) w = &stack->below; /* whose waves are shorter */
    *out = *b, out->sheet = sheet;
    for (int s = 0; s < b->nsheets; s++) memory[s] = NULL;
    for (int s = 0; s < b->nsheets && !rc; s++) rc = sheet_shorten(b, w, &b->sheet[s], &sheet[s], &memory[s]);
    return rc;
}
