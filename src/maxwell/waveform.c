/* Waveforms: formulas, and pairs read from a file. SPDX-License-Identifier: MIT */
#include "maxwell/waveform.h"

#include "pipeline/error.h"
#include "pipeline/sferic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi_number = 3.14159265358979323846;
static const double ln2 = 0.69314718055994530942;

enum { MAX_PAIRS = 10000000, MAX_LINE = 1024, SAMPLES = 4096 };

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int pair_add(struct waveform *w, int *capacity, double time, double value, const char *path)
{
    SF_CHECK(w->n < MAX_PAIRS, SF_INPUT, "%s: more than %d pairs of time and value", path, (int)MAX_PAIRS);
    if (w->n == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 256;
        double *const more = realloc(w->time, 2 * (size_t)*capacity * sizeof *more);
        SF_CHECK(more, SF_MEMORY, "%s: no memory for %d pairs", path, *capacity);
        w->time = more; /* pairs, one after the other, while the file is read */
    }
    w->time[2 * w->n] = time, w->time[2 * w->n + 1] = value;
    w->n++;
    return SF_OK;
}

static int is_finite(double x) { return x - x < 1; }

static const char *skip(const char *s)
{
    while (*s == ' ' || *s == '\t' || *s == ',' || *s == '\r' || *s == '\n') s++;
    return *s == '#' || *s == '!' ? s + strlen(s) : s;
}

/* One line: nothing, or two numbers; the rest of a line after # or ! is a comment. */
static int line_read(struct waveform *w, int *capacity, const char *text, const char *path, int line)
{
    const char *at = skip(text);
    if (!*at) return SF_OK;
    double pair[2];
    for (int m = 0; m < 2; m++) {
        char *end;
        pair[m] = strtod(at, &end);
        SF_CHECK(end > at && is_finite(pair[m]), SF_INPUT, "%s:%d: expected a time in s and a value, two numbers", path, line);
        at = skip(end);
    }
    SF_CHECK(!*at, SF_INPUT, "%s:%d: more than a time and a value", path, line);
    SF_CHECK(!w->n || pair[0] > w->time[2 * w->n - 2], SF_INPUT, "%s:%d: time %.9g s does not follow %.9g s", path, line, pair[0],
             w->n ? w->time[2 * w->n - 2] : 0.0);
    return pair_add(w, capacity, pair[0], pair[1], path);
}

static int lines_read(struct waveform *w, FILE *f, const char *path)
{
    char text[MAX_LINE];
    int capacity = 0;
    for (int line = 1; fgets(text, sizeof text, f); line++) {
        SF_CHECK(strlen(text) + 1 < sizeof text, SF_INPUT, "%s:%d: a line of more than %zu bytes", path, line, sizeof text - 2);
        SF_TRY(line_read(w, &capacity, text, path, line));
    }
    SF_CHECK(!ferror(f), SF_INPUT, "%s: cannot be read", path);
    SF_CHECK(w->n >= 2, SF_INPUT, "%s: fewer than two pairs of time and value", path);
    return SF_OK;
}

/* From pairs to all times, then all values. */
static int pairs_sort_out(struct waveform *w, const char *path)
{
    const size_t n = (size_t)w->n;
    double *const block = malloc(2 * n * sizeof *block);
    SF_CHECK(block, SF_MEMORY, "%s: no memory for %d pairs", path, w->n);
    for (size_t m = 0; m < n; m++) block[m] = w->time[2 * m], block[n + m] = w->time[2 * m + 1];
    free(w->time);
    w->time = block, w->value = block + n;
    return SF_OK;
}

static int file_read(struct waveform *w, const char *file, const char *dir)
{
    char path[1024];
    SF_CHECK(file && *file, SF_INPUT, "a waveform 'file' needs the name of its file");
    const int absolute = file[0] == '/' || !dir || !*dir;
    const int length = snprintf(path, sizeof path, "%s%s%s", absolute ? "" : dir, absolute ? "" : "/", file);
    SF_CHECK(length > 0 && (size_t)length < sizeof path, SF_INPUT, "%s: a name too long", file);
    FILE *const f = fopen(path, "r");
    SF_CHECK(f, SF_INPUT, "%s: cannot be opened", path);
    const int rc = lines_read(w, f, path);
    fclose(f);
    return rc ? rc : pairs_sort_out(w, path);
}

static double file_value(const struct waveform *w, double t)
{
    if (!(t >= w->time[0] && t <= w->time[w->n - 1])) return 0;
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

int waveform_make(struct waveform *w, const struct waveform_keys *keys, const char *dir)
{
    const double f = keys->frequency, half = __builtin_sqrt(2 * ln2); /* exp(-half^2 / 2) = 1/2 */
    *w = (struct waveform){.kind = (enum waveform_kind)keys->kind, .frequency = f,
                           .bandwidth = keys->bandwidth > 0 ? keys->bandwidth : 0.5 * f, .phase = keys->phase * (pi_number / 180)};
    double delay = 0;
    switch (w->kind) {
    case WAVE_GAUSSIAN: w->scale = half / (2 * pi_number * f), delay = 6 * w->scale; break;
    case WAVE_DIFFERENTIATED_GAUSSIAN: w->scale = 1 / (2 * pi_number * f), delay = 6.5 * w->scale; break;
    case WAVE_RICKER: w->scale = 1 / (pi_number * f), delay = 4.75 * w->scale; break;
    case WAVE_MODULATED_GAUSSIAN: w->scale = half / (pi_number * w->bandwidth), delay = 6 * w->scale; break;
    case WAVE_RAMPED_SINE: delay = 5 / f; break;
    case WAVE_FILE: break;
    }
    w->delay = keys->delay >= 0 ? keys->delay : delay;
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
    case WAVE_GAUSSIAN: return sfd_exp(-0.5 * square);
    case WAVE_DIFFERENTIATED_GAUSSIAN: return -x * sfd_exp(0.5 - 0.5 * square);
    case WAVE_RICKER: return (1 - 2 * square) * sfd_exp(-square);
    case WAVE_MODULATED_GAUSSIAN: return sfd_exp(-0.5 * square) * sfd_cos(2 * pi_number * w->frequency * since + w->phase);
    case WAVE_RAMPED_SINE:
        if (!(t > 0)) return 0;
        return (w->delay > 0 ? ramp(t / w->delay) : 1) * sfd_sin(2 * pi_number * w->frequency * t + w->phase);
    case WAVE_FILE: return file_value(w, since);
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

/* Amplitude at angle a a sample (Goertzel). */
static double tone(const double *sample, double a)
{
    const double c = 2 * sfd_cos(a);
    double s1 = 0, s2 = 0;
    for (int m = 0; m < SAMPLES; m++) {
        const double s0 = sample[m] + c * s1 - s2;
        s2 = s1, s1 = s0;
    }
    const double power = s1 * s1 + s2 * s2 - c * s1 * s2;
    return power > 0 ? __builtin_sqrt(power) : 0;
}

static void file_band(const struct waveform *w, double share, double *lowest, double *highest)
{
    static double sample[SAMPLES], size[SAMPLES];
    const double span = w->time[w->n - 1] - w->time[0], step = span / (SAMPLES - 1);
    double most = 0;
    for (int m = 0; m < SAMPLES; m++) sample[m] = file_value(w, w->time[0] + m * step);
    for (int m = 0; m < SAMPLES; m++) {
        size[m] = tone(sample, pi_number * m / SAMPLES);
        if (size[m] > most) most = size[m];
    }
    int low = 0, high = SAMPLES - 1;
    while (low < high && size[low] < share * most) low++;
    while (high > low && size[high] < share * most) high--;
    *lowest = low / (2 * SAMPLES * step), *highest = (high + 1) / (2 * SAMPLES * step);
}

void waveform_band(const struct waveform *w, double share, double *lowest, double *highest)
{
    const double f = w->frequency, reach = __builtin_sqrt(-sfd_log(share) / ln2); /* of a gaussian, in half widths */
    *lowest = *highest = f;
    switch (w->kind) {
    case WAVE_GAUSSIAN: *lowest = 0, *highest = f * reach; return;
    case WAVE_DIFFERENTIATED_GAUSSIAN:
    case WAVE_RICKER: *lowest = f * share_find(w->kind, share, 0), *highest = f * share_find(w->kind, share, 40); return;
    case WAVE_MODULATED_GAUSSIAN: *lowest = f - 0.5 * w->bandwidth * reach, *highest = f + 0.5 * w->bandwidth * reach; break;
    case WAVE_RAMPED_SINE:
        if (w->delay > 0) *lowest = f - 3 / w->delay, *highest = f + 3 / w->delay;
        break;
    case WAVE_FILE: file_band(w, share, lowest, highest); return;
    }
    if (*lowest < 0) *lowest = 0;
}

double waveform_end(const struct waveform *w)
{
    switch (w->kind) {
    case WAVE_GAUSSIAN:
    case WAVE_MODULATED_GAUSSIAN: return w->delay + 6 * w->scale;
    case WAVE_DIFFERENTIATED_GAUSSIAN: return w->delay + 6.5 * w->scale;
    case WAVE_RICKER: return w->delay + 4.75 * w->scale;
    case WAVE_RAMPED_SINE: return SFD_INF;
    case WAVE_FILE: return w->delay + w->time[w->n - 1];
    }
    return 0;
}
