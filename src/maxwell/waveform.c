/* Waveforms: formulas, and pairs read from a file. SPDX-License-Identifier: MIT */
#include "maxwell/waveform.h"

#include "maxwell/rows.h"
#include "pipeline/error.h"
#include "pipeline/sferic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi_number = 3.14159265358979323846;
static const double ln2 = 0.69314718055994530942;

enum { MAX_PAIRS = 10000000, BAND_POINTS = 4096, SAMPLES_LEAST = 1 << 12, SAMPLES_MOST = 1 << 20 };

/* ---- files ------------------------------------------------------------------------------------------------------- */

static const struct rows_form pairs_form = {.columns = 2,
                                            .least = 2,
                                            .most = MAX_PAIRS,
                                            .line = "a time in s and a value",
                                            .count = "two numbers",
                                            .lines = "pairs of time and value",
                                            .first = "time",
                                            .units = "s"};

/* All times, then all values. */
static int file_read(struct waveform *w, const char *file, const char *dir)
{
    struct rows pairs;
    SF_CHECK(file && *file, SF_INPUT, "a waveform 'file' needs the name of its file");
    SF_TRY(rows_read(&pairs, &pairs_form, file, dir));
    const size_t n = (size_t)pairs.n;
    double *const block = malloc(2 * n * sizeof *block);
    for (size_t m = 0; block && m < n; m++) block[m] = pairs.value[2 * m], block[n + m] = pairs.value[2 * m + 1];
    free(pairs.value);
    SF_CHECK(block, SF_MEMORY, "%s: no memory for %d pairs", file, pairs.n);
    w->n = pairs.n, w->time = block, w->value = block + n;
    return SF_OK;
}

static double file_value(const struct waveform *w, double t)
{
    if (!w->n || !(t >= w->time[0] && t <= w->time[w->n - 1])) return 0;
    int low = 0, high = w->n - 1;
    while (high - low > 1) {
        const int m = (low + high) / 2;
        if (w->time[m] <= t) low = m;
        else high = m;
    }
    return w->value[low] + (w->value[high] - w->value[low]) * ((t - w->time[low]) / (w->time[high] - w->time[low]));
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

void waveform_free(struct waveform *w)
{
    free(w->time);
    w->time = w->value = NULL;
    w->n = 0;
}

static double gauss(double x) { return sfd_exp(-0.5 * x * x); }

int waveform_make(struct waveform *w, const struct waveform_keys *keys, const char *dir)
{
    const double f = keys->frequency, half = __builtin_sqrt(2 * ln2); /* exp(-half^2 / 2) = 1/2 */
    *w = (struct waveform){.kind = (enum waveform_kind)keys->kind,
                           .frequency = f,
                           .bandwidth = keys->bandwidth > 0 ? keys->bandwidth : 0.5 * f,
                           .phase = keys->phase * (pi_number / 180)};
    double delay = 0;
    switch (w->kind) {
    case WAVE_GAUSSIAN:
        w->scale = half / (2 * pi_number * f), delay = 6 * w->scale;
        break;
    case WAVE_DIFFERENTIATED_GAUSSIAN:
        w->scale = 1 / (2 * pi_number * f), delay = 6.5 * w->scale;
        break;
    case WAVE_RICKER:
        w->scale = 1 / (pi_number * f), delay = 4.75 * w->scale;
        break;
    case WAVE_MODULATED_GAUSSIAN:
        w->scale = half / (pi_number * w->bandwidth), delay = 6 * w->scale;
        break;
    case WAVE_RAMPED_SINE:
        delay = 5 / f;
        break;
    case WAVE_FILE:
        break;
    }
    w->delay = keys->delay >= 0 ? keys->delay : delay;
    if (w->kind == WAVE_MODULATED_GAUSSIAN) w->mean = sfd_cos(w->phase) * gauss(2 * pi_number * f * w->scale);
    if (w->kind != WAVE_FILE) return SF_OK;
    const int rc = file_read(w, keys->file, dir);
    if (rc) waveform_free(w);
    return rc;
}

static double ramp(double y) { return y <= 0 ? 0 : y >= 1 ? 1 : y * y * y * (10 + y * (6 * y - 15)); }

double waveform_value(const struct waveform *w, double t)
{
    const double since = t - w->delay, x = w->scale > 0 ? since / w->scale : 0, square = x * x;
    switch (w->kind) {
    case WAVE_GAUSSIAN:
        return sfd_exp(-0.5 * square);
    case WAVE_DIFFERENTIATED_GAUSSIAN:
        return -x * sfd_exp(0.5 - 0.5 * square);
    case WAVE_RICKER:
        return (1 - 2 * square) * sfd_exp(-square);
    case WAVE_MODULATED_GAUSSIAN:
        return sfd_exp(-0.5 * square) * (sfd_cos(2 * pi_number * w->frequency * since + w->phase) - w->mean);
    case WAVE_RAMPED_SINE:
        if (!(t > 0)) return 0;
        return (w->delay > 0 ? ramp(t / w->delay) : 1) * sfd_sin(2 * pi_number * w->frequency * t + w->phase);
    case WAVE_FILE:
        return file_value(w, since);
    }
    return 0;
}

/* ---- spectrum ---------------------------------------------------------------------------------------------------- */

/* Amplitude of the spectrum at y = f / frequency over its largest, which is at y = 1. */
static double share_at(enum waveform_kind kind, double y)
{
    const double square = y * y;
    return kind == WAVE_RICKER ? square * sfd_exp(1 - square) : y * sfd_exp(0.5 * (1 - square));
}

/* Where share_at has fallen to `share`, between 1 and `far`, on which it falls. */
static double share_find(enum waveform_kind kind, double share, double far)
{
    double near = 1;
    for (int m = 0; m < 60; m++) {
        const double y = 0.5 * (near + far);
        if (share_at(kind, y) > share) near = y;
        else far = y;
    }
    return 0.5 * (near + far);
}

/* Amplitude of the spectrum of a modulated gaussian at f, over what exp(-x^2 / 2) alone has at 0: its two halves, and
 * the mean that is taken out. */
static double modulated_at(const struct waveform *w, double f)
{
    const double s = 2 * pi_number * w->scale, upper = gauss(s * (f - w->frequency)),
                 lower = gauss(s * (f + w->frequency));
    const double re = sfd_cos(w->phase) * (upper + lower) - 2 * w->mean * gauss(s * f),
                 im = sfd_sin(w->phase) * (upper - lower);
    return __builtin_sqrt(re * re + im * im);
}

/* Where modulated_at is `level`, between f where it is more and f where it is less. */
static double modulated_find(const struct waveform *w, double level, double more, double less)
{
    for (int m = 0; m < 60; m++) {
        const double f = 0.5 * (more + less);
        if (modulated_at(w, f) > level) more = f;
        else less = f;
    }
    return 0.5 * (more + less);
}

static void modulated_band(const struct waveform *w, double share, double *lowest, double *highest)
{
    const double step = (w->frequency + 10 / (2 * pi_number * w->scale)) / BAND_POINTS;
    double most = modulated_at(w, w->frequency);
    int low = 0, high = BAND_POINTS;
    for (int m = 0; m <= BAND_POINTS; m++) {
        const double here = modulated_at(w, m * step);
        if (here > most) most = here;
    }
    while (low < high && modulated_at(w, low * step) < share * most) low++;
    while (high > low && modulated_at(w, high * step) < share * most) high--;
    *lowest = low ? modulated_find(w, share * most, low * step, (low - 1) * step) : 0;
    *highest = modulated_find(w, share * most, high * step, (high + 1) * step);
}

/* Fast Fourier transform in place, n a power of two: re + i im of sum over m of value(m) exp(-2 pi i m k / n). */
static void fourier(double *re, double *im, int n)
{
    for (int m = 1, r = 0; m < n; m++) {
        int bit = n >> 1;
        for (; r & bit; bit >>= 1) r ^= bit;
        r ^= bit;
        if (m >= r) continue;
        const double a = re[m], b = im[m];
        re[m] = re[r], im[m] = im[r], re[r] = a, im[r] = b;
    }
    for (int half = 1; half < n; half *= 2)
        for (int k = 0; k < half; k++) {
            const double angle = -pi_number * k / half, c = sfd_cos(angle), s = sfd_sin(angle);
            for (int m = k; m < n; m += 2 * half) {
                const int o = m + half;
                const double a = re[o] * c - im[o] * s, b = re[o] * s + im[o] * c;
                re[o] = re[m] - a, im[o] = im[m] - b, re[m] += a, im[m] += b;
            }
        }
}

/* Pairs from which to which values are not all 0, and the shortest interval between. 0: all are. */
static int file_span(const struct waveform *w, int *first, int *last, double *shortest)
{
    int a = 0, b = w->n - 1;
    while (a < b && !(w->value[a] < 0 || w->value[a] > 0)) a++;
    while (b > a && !(w->value[b] < 0 || w->value[b] > 0)) b--;
    const int any = w->value[a] < 0 || w->value[a] > 0;
    *first = a > 0 ? a - 1 : 0, *last = b < w->n - 1 ? b + 1 : b;
    /* A line from or to a 0 that is far away is part of the wave as well. */
    *shortest = w->time[*first + 1] - w->time[*first];
    for (int m = *first + 1; m < *last; m++) *shortest = SF_MIN(*shortest, w->time[m + 1] - w->time[m]);
    return any;
}

/* The lines between samples `step` apart have the transform of the samples, which repeats, times sinc^2(f step). */
static double samples_at(const double *re, const double *im, int n, int m)
{
    const int k = m & (n - 1);
    const double x = pi_number * m / n, sinc = m ? sfd_sin(x) / x : 1;
    return sinc * sinc * __builtin_sqrt(re[k] * re[k] + im[k] * im[k]);
}

static void file_band(const struct waveform *w, double share, double *lowest, double *highest)
{
    enum { REPEATS = 4 };
    int first, last, n = SAMPLES_LEAST;
    double shortest, most = 0;
    const int any = file_span(w, &first, &last, &shortest);
    const double start = w->time[first], span = w->time[last] - start;
    *lowest = 0, *highest = 0.5 / shortest;
    if (!any) *highest = 0;
    while (any && n < SAMPLES_MOST && n < 4 * (span / shortest + 1)) n *= 2;
    double *const re = any ? malloc(2 * (size_t)n * sizeof *re) : NULL, *const im = re + n;
    if (!re) return;
    const double step = SF_MAX(shortest, span / (n / 4 - 1));
    for (int m = 0; m < n; m++) {
        const double t = start + m * step; /* a rounded last place is still within */
        re[m] = m * step > span * (1 + 1e-12) ? 0 : file_value(w, SF_MIN(t, w->time[last])), im[m] = 0;
    }
    fourier(re, im, n);
    for (int m = 0; m < REPEATS * n; m++) most = SF_MAX(most, samples_at(re, im, n, m));
    int low = 0, high = REPEATS * n - 1;
    while (low < high && samples_at(re, im, n, low) < share * most) low++;
    while (high > low && samples_at(re, im, n, high) < share * most) high--;
    free(re);
    *lowest = low / (n * step), *highest = (high + 1) / (n * step);
}

void waveform_band(const struct waveform *w, double share, double *lowest, double *highest)
{
    const double f = w->frequency, reach = __builtin_sqrt(-sfd_log(share) / ln2); /* of a gaussian, in half widths */
    *lowest = *highest = f;
    switch (w->kind) {
    case WAVE_GAUSSIAN:
        *lowest = 0, *highest = f * reach;
        return;
    case WAVE_DIFFERENTIATED_GAUSSIAN:
    case WAVE_RICKER:
        *lowest = f * share_find(w->kind, share, 0), *highest = f * share_find(w->kind, share, 40);
        return;
    case WAVE_MODULATED_GAUSSIAN:
        modulated_band(w, share, lowest, highest);
        return;
    case WAVE_RAMPED_SINE:
        if (w->delay > 0) *lowest = f - 3 / w->delay, *highest = f + 3 / w->delay;
        break;
    case WAVE_FILE:
        *lowest = *highest = 0;
        if (w->n) file_band(w, share, lowest, highest);
        return;
    }
    if (*lowest < 0) *lowest = 0;
}

double waveform_start(const struct waveform *w)
{
    int m = 0;
    switch (w->kind) {
    case WAVE_GAUSSIAN:
    case WAVE_MODULATED_GAUSSIAN:
        return w->delay - 6 * w->scale;
    case WAVE_DIFFERENTIATED_GAUSSIAN:
        return w->delay - 6.5 * w->scale;
    case WAVE_RICKER:
        return w->delay - 4.75 * w->scale;
    case WAVE_RAMPED_SINE:
        return 0;
    case WAVE_FILE:
        if (!w->n) return 0;
        while (m < w->n - 1 && !(w->value[m] < 0 || w->value[m] > 0)) m++;
        return w->delay + w->time[m > 0 ? m - 1 : 0];
    }
    return 0;
}

/* Of a line from a to b the area is (a + b) / 2, and that of its modulus, where it crosses 0, (a^2 + b^2) / (2 |a -
 * b|). */
double waveform_left(const struct waveform *w)
{
    double sum = 0, all = 0;
    if (w->kind != WAVE_FILE) return w->kind == WAVE_GAUSSIAN;
    for (int m = 0; m < w->n - 1; m++) {
        const double h = w->time[m + 1] - w->time[m], a = w->value[m], b = w->value[m + 1], area = 0.5 * (a + b);
        sum += h * area;
        all += h * (a * b < 0 ? 0.5 * (a * a + b * b) / __builtin_fabs(a - b) : __builtin_fabs(area));
    }
    return all > 0 ? __builtin_fabs(sum) / all : 0;
}

double waveform_end(const struct waveform *w)
{
    int m = w->n - 1;
    switch (w->kind) {
    case WAVE_GAUSSIAN:
    case WAVE_MODULATED_GAUSSIAN:
        return w->delay + 6 * w->scale;
    case WAVE_DIFFERENTIATED_GAUSSIAN:
        return w->delay + 6.5 * w->scale;
    case WAVE_RICKER:
        return w->delay + 4.75 * w->scale;
    case WAVE_RAMPED_SINE:
        return SFD_INF;
    case WAVE_FILE: /* zeros behind are no wave */
        if (!w->n) return 0;
        while (m > 0 && !(w->value[m] < 0 || w->value[m] > 0)) m--;
        return w->delay + w->time[m < w->n - 1 ? m + 1 : m];
    }
    return 0;
}
