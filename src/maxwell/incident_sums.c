/* Fourier's sums of the plane wave over layers: of its waveform, and of what all levels have at its frequencies, as
 * steps want them. SPDX-License-Identifier: MIT */
/* gcc makes fused operations of complex products where it takes real and imaginary parts as lanes, -ffp-contract=off or
 * not; a plane wave over layers has the bits of any compiler. Lanes of the sums in time are real. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#include "maxwell/incident_sums.h"

#include "maxwell/incident_parts.h"
#include "pipeline/error.h"
#include "pipeline/sfmath.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

__attribute__((noinline)) static void turns(double complex *turn, int n)
{
    for (int m = 0; m < n / 2; m++) turn[m] = sfd_cos(2 * pi * m / n) + I * sfd_sin(2 * pi * m / n);
}

#if defined __GNUC__ && !defined __clang__
__attribute__((optimize("no-tree-vectorize")))
#endif
void stack_fourier(double complex *x, int n, int sign)
{
    double complex *const turn = x + n;
    turns(turn, n);
    for (int m = 1, q = 0; m < n; m++) {
        int bit = n >> 1;
        for (; q & bit; bit >>= 1) q ^= bit;
        q |= bit;
        if (m < q) {
            const double complex other = x[m];
            x[m] = x[q], x[q] = other;
        }
    }
    for (int size = 2; size <= n; size *= 2)
        for (int from = 0; from < n; from += size)
            for (int m = 0; m < size / 2; m++) {
                const double complex one = turn[m * (n / size)], w = sign > 0 ? one : conj(one), a = x[from + m],
                                     b = w * x[from + m + size / 2];
                x[from + m] = a + b, x[from + m + size / 2] = a - b;
            }
}

static int blocks_of(const struct stack_sums *s) { return (6 * s->levels + SUM_LANES - 1) / SUM_LANES; }

static size_t share_size(const struct stack_sums *s)
{
    return (size_t)blocks_of(s) * (size_t)s->count * 2 * SUM_LANES * sizeof *s->share;
}

static size_t turn_size(const struct stack_sums *s) { return (size_t)s->n * LINE_FINE * 2 * sizeof *s->turn; }

size_t stack_sums_size(const struct stack_sums *s) { return share_size(s) + turn_size(s); }

int stack_sums_alloc(struct stack_sums *s)
{
    const int fine = LINE_FINE * s->n;
    s->share = calloc(1, share_size(s)), s->turn = malloc(turn_size(s));
    SF_CHECK(s->share && s->turn, SF_MEMORY, "no memory for %d frequencies of the plane wave at %d levels", s->count,
             s->levels);
    for (int m = 0; m < fine; m++)
        s->turn[2 * m] = sfd_cos(2 * pi * m / fine), s->turn[2 * m + 1] = sfd_sin(2 * pi * m / fine);
    return SF_OK;
}

void stack_sums_free(struct stack_sums *s)
{
    free(s->share);
    free(s->turn);
    s->share = s->turn = NULL;
}

static double *share_of(const struct stack_sums *s, int level, int c, int m)
{
    const int lane = 6 * level + c;
    return s->share + (((size_t)(lane / SUM_LANES) * (size_t)s->count + (size_t)(m - s->first)) * 2) * SUM_LANES +
           lane % SUM_LANES;
}

void stack_sums_put(struct stack_sums *s, int level, int c, int m, double complex value)
{
    double *const to = share_of(s, level, c, m), whole = (m ? 2.0 : 1.0) / s->n;
    to[0] = whole * creal(value), to[SUM_LANES] = whole * cimag(value);
}

int stack_sums_fade(const struct stack_sums *s, double share, int *faded)
{
    const int n = s->n;
    double complex *const x = malloc((size_t)n * 3 / 2 * sizeof *x);
    SF_CHECK(x, SF_MEMORY, "no memory for %d steps of the plane wave", n);
    double most = 0, end = 0;
    for (int level = 0; level < s->levels; level++)
        for (int c = 0; c < 3; c++) {
            memset(x, 0, (size_t)n * sizeof *x);
            for (int m = 0; m < s->count; m++) {
                const double *const v = share_of(s, level, c, s->first + m);
                x[s->first + m] = v[0] + I * v[SUM_LANES];
            }
            stack_fourier(x, n, 1);
            for (int m = 0; m < n; m++) {
                most = fmax(most, fabs(creal(x[m])));
                if (m >= n / 8 * 7) end = fmax(end, fabs(creal(x[m])));
            }
        }
    free(x);
    *faded = end <= share * most;
    return SF_OK;
}

/* SUM_LANES sums at one time, `at` of LINE_FINE n. */
static inline void lanes_take(const struct stack_sums *s, const double *share, unsigned at, double sum[SUM_LANES])
{
    const unsigned round = (unsigned)(LINE_FINE * s->n) - 1;
    unsigned angle = (unsigned)s->first * at & round;
    for (int l = 0; l < SUM_LANES; l++) sum[l] = 0;
    for (int m = 0; m < s->count; m++, angle = (angle + at) & round, share += 2 * SUM_LANES) {
        const double c = s->turn[2 * angle], d = s->turn[2 * angle + 1];
        for (int l = 0; l < SUM_LANES; l++) sum[l] += share[l] * c - share[SUM_LANES + l] * d;
    }
}

void stack_sums_take(const struct stack_sums *s, long from, long to, double *const table[6], ptrdiff_t length,
                     int threads)
{
    const int blocks = blocks_of(s), lanes = 6 * s->levels;
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static)
    for (int b = 0; b < blocks; b++)
        for (long step = from; step < to; step++)
            for (int r = 0; r < LINE_FINE; r++) {
                double sum[SUM_LANES] = {0};
                if (step >= 0 && step < s->n)
                    lanes_take(s, s->share + (size_t)b * (size_t)s->count * 2 * SUM_LANES,
                               (unsigned)step * LINE_FINE + (unsigned)r, sum);
                for (int l = 0; l < SUM_LANES && b * SUM_LANES + l < lanes; l++) {
                    const int lane = b * SUM_LANES + l;
                    table[lane % 6][lane / 6 * length + LINE_FINE * (step - from) + r] = sum[l];
                }
            }
}
