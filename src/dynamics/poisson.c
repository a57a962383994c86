/* See poisson.h. SPDX-License-Identifier: MIT */
#include "dynamics/poisson.h"

#include "pipeline/error.h"
#include "pipeline/sferic.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static double west_of(const struct poisson *p, int i, int j) { return p->west[(ptrdiff_t)j * (p->ni + 1) + i]; }
static double south_of(const struct poisson *p, int i, int j) { return p->south[(ptrdiff_t)j * p->ni + i]; }

static double all_of(const struct poisson *p, int i, int j)
{
    return (west_of(p, i, j) + west_of(p, i + 1, j)) + (south_of(p, i, j) + south_of(p, i, j + 1));
}

double poisson_beyond(const struct poisson *p, const double *x, int i, int j)
{
    if (p->periodic[0]) i = (i + p->ni) % p->ni;
    if (p->periodic[1]) j = (j + p->nj) % p->nj;
    return i < 0 || i >= p->ni || j < 0 || j >= p->nj ? 0 : x[(ptrdiff_t)j * p->ni + i];
}

/* to = sum of a (x - x beyond), which is positive definite. */
static void minus_sum(const struct poisson *p, const double *x, double *to)
{
    for (int j = 0; j < p->nj; j++)
        for (int i = 0; i < p->ni; i++) {
            const ptrdiff_t n = (ptrdiff_t)j * p->ni + i;
            const double along_x = west_of(p, i, j) * (x[n] - poisson_beyond(p, x, i - 1, j)) +
                                   west_of(p, i + 1, j) * (x[n] - poisson_beyond(p, x, i + 1, j)),
                         along_y = south_of(p, i, j) * (x[n] - poisson_beyond(p, x, i, j - 1)) +
                                   south_of(p, i, j + 1) * (x[n] - poisson_beyond(p, x, i, j + 1));
            to[n] = along_x + along_y;
        }
}

/* One over the pivots of the factors. What they lack where a row and a column meet goes to the diagonal, but for a
 * little, without which the last pivot of cells that nothing holds is 0. Faces that go round are left out. */
static void pivots_fill(const struct poisson *p, double *one_over)
{
    const double kept = 0.97;
    for (int j = 0; j < p->nj; j++)
        for (int i = 0; i < p->ni; i++) {
            const double all = all_of(p, i, j), w = i ? west_of(p, i, j) : 0, s = j ? south_of(p, i, j) : 0;
            const ptrdiff_t n = (ptrdiff_t)j * p->ni + i;
            double pivot = all;
            if (i) pivot -= w * (w + kept * (j + 1 < p->nj ? south_of(p, i - 1, j + 1) : 0)) * one_over[n - 1];
            if (j) pivot -= s * (s + kept * (i + 1 < p->ni ? west_of(p, i + 1, j - 1) : 0)) * one_over[n - p->ni];
            if (!(pivot > 0.1 * all)) pivot = all;
            one_over[n] = all > 0 ? 1 / pivot : 0;
        }
}

/* z = what the factors make of r. */
static void factors_solve(const struct poisson *p, const double *one_over, const double *r, double *z)
{
    const int ni = p->ni;
    for (int j = 0; j < p->nj; j++)
        for (int i = 0; i < ni; i++) {
            const ptrdiff_t n = (ptrdiff_t)j * ni + i;
            z[n] = one_over[n] *
                   (r[n] + ((i ? west_of(p, i, j) * z[n - 1] : 0) + (j ? south_of(p, i, j) * z[n - ni] : 0)));
        }
    for (int j = p->nj - 1; j >= 0; j--)
        for (int i = ni - 1; i >= 0; i--) {
            const ptrdiff_t n = (ptrdiff_t)j * ni + i;
            z[n] += one_over[n] * ((i + 1 < ni ? west_of(p, i + 1, j) * z[n + 1] : 0) +
                                   (j + 1 < p->nj ? south_of(p, i, j + 1) * z[n + ni] : 0));
        }
}

static double product(const double *a, const double *b, ptrdiff_t n)
{
    double sum = 0;
    for (ptrdiff_t m = 0; m < n; m++) sum += a[m] * b[m];
    return sum;
}

static double largest(const double *a, ptrdiff_t n)
{
    double most = 0;
    for (ptrdiff_t m = 0; m < n; m++) most = SF_MAX(most, fabs(a[m]));
    return most;
}

static void mean_remove(double *a, ptrdiff_t n)
{
    double sum = 0;
    for (ptrdiff_t m = 0; m < n; m++) sum += a[m];
    for (ptrdiff_t m = 0; m < n; m++) a[m] -= sum / (double)n;
}

/* Does nothing hold x where it is? */
static int is_loose(const struct poisson *p)
{
    double held = 0;
    for (int j = 0; j < p->nj && !p->periodic[0]; j++) held += west_of(p, 0, j) + west_of(p, p->ni, j);
    for (int i = 0; i < p->ni && !p->periodic[1]; i++) held += south_of(p, i, 0) + south_of(p, i, p->nj);
    return !(held > 0);
}

int poisson_solve(const struct poisson *p, const double *right, double *x, int *turns)
{
    const ptrdiff_t n = (ptrdiff_t)p->ni * p->nj;
    const int loose = is_loose(p), most = 100 + 20 * (p->ni + p->nj);
    double *const memory = malloc(5 * (size_t)n * sizeof *memory);
    SF_CHECK(memory, SF_MEMORY, "no memory to solve for %d x %d columns", p->ni, p->nj);
    double *const r = memory, *const z = r + n, *const way = z + n, *const risen = way + n, *const one_over = risen + n;
    pivots_fill(p, one_over);
    for (ptrdiff_t m = 0; m < n; m++) x[m] = 0, r[m] = -right[m];
    if (loose) mean_remove(r, n);
    const double enough = 1e-9 * largest(r, n);
    double weight = 0;
    for (*turns = 0; *turns < most && largest(r, n) > enough; ++*turns) {
        factors_solve(p, one_over, r, z);
        const double now = product(r, z, n);
        for (ptrdiff_t m = 0; m < n; m++) way[m] = z[m] + (*turns ? now / weight * way[m] : 0);
        weight = now;
        minus_sum(p, way, risen);
        const double step = now / product(way, risen, n);
        for (ptrdiff_t m = 0; m < n; m++) x[m] += step * way[m], r[m] -= step * risen[m];
    }
    const int ends = largest(r, n) <= enough && isfinite(product(r, r, n));
    if (loose) mean_remove(x, n);
    free(memory);
    SF_CHECK(ends, SF_INTERNAL, "Poisson's equation of %d x %d columns is not solved in %d turns", p->ni, p->nj, most);
    return SF_OK;
}
