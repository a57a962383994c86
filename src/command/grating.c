/* Coupled waves of a lamellar grating. SPDX-License-Identifier: MIT */
#include "command/grating.h"

#include "pipeline/error.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Square matrices of n = 2 waves + 1 rows, one behind the other. */
struct coupled {
    int n;
    double *k; /* [n]: k_x of each wave */
    double *epsilon, *inverse; /* Toeplitz matrices of epsilon, and of 1 / epsilon */
    double *modes, *slopes; /* shapes of modes, columns; those of what goes on across a face: E', or H' / epsilon */
    double *q; /* [n]: squares of their decay, downward */
    double *a, *b; /* work */
    double complex *m; /* [2 n][2 n + 1] */
    void *memory;
};

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* Fourier's coefficient number d of a bar around x = 0. */
static double series(const struct grating *g, double bar, double groove, int d)
{
    const double fill = g->width / g->period;
    return d ? (bar - groove) * sin(pi * d * fill) / (pi * d) : bar * fill + groove * (1 - fill);
}

static void toeplitz(const struct grating *g, double bar, double groove, int n, double *to)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) to[i * n + j] = series(g, bar, groove, i - j);
}

static void product(int n, const double *a, const double *b, double *to)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int m = 0; m < n; m++) sum += a[i * n + m] * b[m * n + j];
            to[i * n + j] = sum;
        }
}

/* Of a symmetric positive matrix; a is overwritten. */
static void invert(int n, double *a, double *to)
{
    for (int i = 0; i < n * n; i++) to[i] = i / n == i % n;
    for (int p = 0; p < n; p++) {
        const double pivot = a[p * n + p];
        for (int c = 0; c < n; c++) a[p * n + c] /= pivot, to[p * n + c] /= pivot;
        for (int r = 0; r < n; r++) {
            const double share = a[r * n + p];
            for (int c = 0; c < n && r != p; c++)
                a[r * n + c] -= share * a[p * n + c], to[r * n + c] -= share * to[p * n + c];
        }
    }
}

/* Lower triangle L of a symmetric positive matrix, a = L L'. */
static void cholesky(int n, const double *a, double *to)
{
    memset(to, 0, (size_t)n * (size_t)n * sizeof *to);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (int m = 0; m < j; m++) sum -= to[i * n + m] * to[j * n + m];
            to[i * n + j] = i == j ? sqrt(sum) : sum / to[j * n + j];
        }
}

/* Eigenvalues, left on the diagonal, and vectors (columns) of a symmetric matrix: rotations of Jacobi. */
static void eigen(int n, double *a, double *v)
{
    for (int i = 0; i < n * n; i++) v[i] = i / n == i % n;
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (fabs(a[p * n + q]) < 1e-300) continue;
                const double t0 = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]),
                             t = (t0 < 0 ? -1 : 1) / (fabs(t0) + sqrt(t0 * t0 + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; k++) {
                    const double x = a[k * n + p], y = a[k * n + q];
                    a[k * n + p] = c * x - s * y, a[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    const double x = a[p * n + k], y = a[q * n + k], u = v[k * n + p], w = v[k * n + q];
                    a[p * n + k] = c * x - s * y, a[q * n + k] = s * x + c * y;
                    v[k * n + p] = c * u - s * w, v[k * n + q] = s * u + c * w;
                }
            }
}

static void solve(int n, double complex *a)
{
    const int wide = n + 1;
    for (int p = 0; p < n; p++) {
        int best = p;
        for (int r = p; r < n; r++)
            if (cabs(a[r * wide + p]) > cabs(a[best * wide + p])) best = r;
        for (int c = 0; c < wide; c++) {
            const double complex x = a[p * wide + c];
            a[p * wide + c] = a[best * wide + c], a[best * wide + c] = x;
        }
        for (int r = 0; r < n; r++) {
            const double complex share = a[r * wide + p] / a[p * wide + p];
            for (int c = p; c < wide && r != p; c++) a[r * wide + c] -= share * a[p * wide + c];
        }
    }
    for (int p = 0; p < n; p++) a[p * wide + n] /= a[p * wide + p];
}

/* ---- modes of the bars ------------------------------------------------------------------------------------------- */

/* E'' = (k k - epsilon) E. */
static void modes_te(struct coupled *w)
{
    const int n = w->n;
    for (int i = 0; i < n * n; i++) w->a[i] = (i / n == i % n ? w->k[i / n] * w->k[i / n] : 0) - w->epsilon[i];
    eigen(n, w->a, w->modes);
    for (int i = 0; i < n; i++) w->q[i] = w->a[i * n + i];
    memcpy(w->slopes, w->modes, (size_t)n * (size_t)n * sizeof *w->slopes);
}

/* inverse H'' = (k epsilon^-1 k - 1) H: with inverse^-1 = L L' its modes are L y, y those of L' (...) L, and what goes
 * on across a face is inverse H'. */
static void modes_tm(struct coupled *w)
{
    const int n = w->n;
    double *const triangle = w->modes;
    memcpy(w->a, w->inverse, (size_t)n * (size_t)n * sizeof *w->a);
    invert(n, w->a, w->b);
    cholesky(n, w->b, triangle);
    memcpy(w->a, w->epsilon, (size_t)n * (size_t)n * sizeof *w->a);
    invert(n, w->a, w->b);
    for (int i = 0; i < n * n; i++) w->b[i] = w->k[i / n] * w->b[i] * w->k[i % n] - (i / n == i % n);
    product(n, w->b, triangle, w->a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int m = 0; m < n; m++) sum += triangle[m * n + i] * w->a[m * n + j];
            w->b[i * n + j] = sum;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) w->b[i * n + j] = w->b[j * n + i] = 0.5 * (w->b[i * n + j] + w->b[j * n + i]);
    eigen(n, w->b, w->slopes);
    for (int i = 0; i < n; i++) w->q[i] = w->b[i * n + i];
    product(n, triangle, w->slopes, w->a);
    memcpy(w->modes, w->a, (size_t)n * (size_t)n * sizeof *w->modes);
    product(n, w->inverse, w->modes, w->slopes);
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */

/* Along the normal, in a medium; of what does not travel it decays outward. */
static double complex normal(double epsilon, double k)
{
    const double square = epsilon - k * k;
    return square > 0 ? sqrt(square) : -I * sqrt(-square);
}

static int coupled_make(struct coupled *w, const struct grating *g)
{
    const size_t n = 2 * (size_t)g->waves + 1, square = n * n;
    const size_t reals = 2 * n + 6 * square, complexes = 2 * n * (2 * n + 1);
    double complex *const at = malloc(complexes * sizeof *at + reals * sizeof(double));
    SF_CHECK(at, SF_MEMORY, "no memory for %zu coupled waves", n);
    double *to = (double *)(at + complexes);
    *w = (struct coupled){.n = (int)n, .m = at, .memory = at};
    w->k = to, w->q = to + n, to += 2 * n;
    w->epsilon = to, w->inverse = to + square, w->modes = to + 2 * square, w->slopes = to + 3 * square,
    w->a = to + 4 * square, w->b = to + 5 * square;
    for (int i = 0; i < w->n; i++) w->k[i] = g->across + (i - g->waves) / g->period;
    toeplitz(g, g->bar, g->groove, w->n, w->epsilon);
    toeplitz(g, 1 / g->bar, 1 / g->groove, w->n, w->inverse);
    return SF_OK;
}

/* Modes that fall downward from the upper face, and upward from the lower one, to what there is outside. */
static void faces_solve(const struct coupled *w, const struct grating *g)
{
    const int n = w->n, wide = 2 * n + 1;
    for (int i = 0; i < n; i++) {
        const double complex up = I * normal(g->above, w->k[i]) / (g->is_tm ? g->above : 1),
                             down = I * normal(g->below, w->k[i]) / (g->is_tm ? g->below : 1);
        double complex *const top = w->m + i * wide, *const bottom = w->m + (n + i) * wide;
        for (int m = 0; m < n; m++) {
            const double complex q = csqrt(w->q[m]), fade = cexp(-2 * pi * q * g->height);
            const double complex slope = w->slopes[i * n + m] * q, shape = w->modes[i * n + m];
            top[m] = slope + up * shape, top[n + m] = (up * shape - slope) * fade;
            bottom[m] = (down * shape - slope) * fade, bottom[n + m] = slope + down * shape;
        }
        top[2 * n] = i == g->waves ? 2 * up : 0, bottom[2 * n] = 0;
    }
    solve(2 * n, w->m);
}

int grating_orders(const struct grating *g, int most, double *back, double *through)
{
    struct coupled w = {0};
    SF_TRY(coupled_make(&w, g));
    if (g->is_tm) modes_tm(&w);
    else modes_te(&w);
    faces_solve(&w, g);
    const int n = w.n, wide = 2 * n + 1;
    const double incident = creal(normal(g->above, g->across)) / (g->is_tm ? g->above : 1);
    for (int p = -most; p <= most; p++) {
        const int i = p + g->waves;
        double complex up = p ? 0 : -1, down = 0;
        for (int m = 0; m < n; m++) {
            const double complex fade = cexp(-2 * pi * csqrt(w.q[m]) * g->height), falls = w.m[m * wide + 2 * n],
                                 rises = w.m[(n + m) * wide + 2 * n];
            up += w.modes[i * n + m] * (falls + fade * rises), down += w.modes[i * n + m] * (fade * falls + rises);
        }
        back[p + most] = creal(up * conj(up)) * creal(normal(g->above, w.k[i])) / (g->is_tm ? g->above : 1) / incident;
        through[p + most] =
            creal(down * conj(down)) * creal(normal(g->below, w.k[i])) / (g->is_tm ? g->below : 1) / incident;
    }
    free(w.memory);
    return SF_OK;
}
