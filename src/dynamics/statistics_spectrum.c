/* Spectra along lines of a level, by a transform of any length, in double. SPDX-License-Identifier: MIT */
#include "dynamics/statistics.h"

#include "pipeline/error.h"

#include <stdlib.h>

struct complex_number {
    double re, im;
};

/* `turn`: exp(-2 pi i m / whole). */
struct transform {
    int whole;
    struct complex_number *turn, *work;
};

static int factor_of(int n)
{
    for (int p = 2; p * p <= n; p++)
        if (n % p == 0) return p;
    return n;
}

static struct complex_number turned(struct complex_number a, struct complex_number b)
{
    return (struct complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Cooley and Tukey 1965, by the smallest factor p of n: p transforms of every p-th value, then, for every wavenumber of
 * these, one of p values. Costs n times the sum of the factors. */
static void transform_run(const struct transform *t, int n, const double *in, int step, struct complex_number *out)
{
    if (n == 1) {
        out[0] = (struct complex_number){in[0], 0};
        return;
    }
    const int p = factor_of(n), m = n / p, unit = t->whole / n;
    for (int r = 0; r < p; r++) transform_run(t, m, in + r * step, step * p, out + r * m);
    for (int q = 0; q < m; q++) {
        for (int r = 0; r < p; r++) t->work[r] = turned(out[r * m + q], t->turn[r * q * unit]);
        for (int c = 0; c < p; c++) {
            struct complex_number sum = {0, 0};
            for (int r = 0; r < p; r++) {
                const struct complex_number x = turned(t->work[r], t->turn[(int)((long)r * c * m * unit % t->whole)]);
                sum.re += x.re, sum.im += x.im;
            }
            out[c * m + q] = sum;
        }
    }
}

int statistics_prime(int n)
{
    int most = 1;
    while (n > 1) {
        const int p = factor_of(n);
        most = p > most ? p : most, n /= p;
    }
    return most;
}

int statistics_spectrum(const real *plane, double mean, int n, ptrdiff_t along, int lines, ptrdiff_t across,
                        double *out)
{
    static const double pi_number = 3.14159265358979323846;
    const size_t size = (size_t)n;
    struct complex_number *const memory = malloc(3 * size * sizeof *memory);
    double *const line = malloc(size * sizeof *line);
    const struct transform t = {n, memory, memory ? memory + n : NULL};
    struct complex_number *const value = memory ? memory + 2 * size : NULL;
    const double scale = 1 / ((double)n * n * lines);
    if (!memory || !line) {
        free(memory);
        free(line);
        SF_FAIL(SF_MEMORY, "no memory for a spectrum of %d values", n);
    }
    for (int m = 0; m < n; m++)
        t.turn[m] = (struct complex_number){sfd_cos(2 * pi_number * m / n), -sfd_sin(2 * pi_number * m / n)};
    for (int m = 0; m <= n / 2; m++) out[m] = 0;
    for (int j = 0; j < lines; j++) {
        for (int i = 0; i < n; i++) line[i] = (double)plane[j * across + i * along] - mean;
        transform_run(&t, n, line, 1, value);
        for (int m = 0; m <= n / 2; m++) {
            const double twice = m > 0 && 2 * m < n ? 2 : 1; /* the wave of number n - m has as much */
            out[m] += twice * scale * (value[m].re * value[m].re + value[m].im * value[m].im);
        }
    }
    free(memory);
    free(line);
    return SF_OK;
}
