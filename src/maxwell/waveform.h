/* Functions of time that drive sources. All are 1 at their largest (of a carrier: its envelope) and, with the default
 * delay, below 2e-8 at time 0. f: frequency, d: delay, p: phase, B: bandwidth (0: f / 2), x = (t - d) / s.
 *
 *     gaussian                 exp(-x^2 / 2)                           s = sqrt(2 ln 2) / (2 pi f), d = 6 s
 *                              the spectrum is largest at 0 and has fallen to half at f
 *     differentiated_gaussian  -x exp((1 - x^2) / 2)                   s = 1 / (2 pi f), d = 6.5 s
 *                              the spectrum is largest at f; +1 at t = d - s, then -1 at d + s
 *     ricker                   (1 - 2 x^2) exp(-x^2)                   s = 1 / (pi f), d = 4.75 s
 *                              the spectrum is largest at f
 *     modulated_gaussian       exp(-x^2 / 2) (cos(2 pi f (t - d) + p) - m)   s = sqrt(2 ln 2) / (pi B), d = 6 s
 *                              the spectrum is largest at f and, where it is half, B wide; m = cos p exp(-(2 pi f s)^2
 *                              / 2), 4e-12 of a B
 *                              of a third of f, 1.5e-5 of half, 0.06 of f, makes the integral 0
 *     ramped_sine              r(t / d) sin(2 pi f t + p)              d = 5 / f
 *                              r(y) = 10 y^3 - 15 y^4 + 6 y^5 rises from 0 to 1
 *     file                     pairs of time and value, linear between them, zero before the first and after the last
 *                              d, here 0, is added to the times
 *
 * The integral of a current is charge that stays. It is s sqrt(2 pi) of a gaussian, what a file holds of its pairs, and
 * 0 of the others; a ramped sine, which does not end, swings about nearly 0.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

enum waveform_kind {
    WAVE_GAUSSIAN,
    WAVE_DIFFERENTIATED_GAUSSIAN,
    WAVE_RICKER,
    WAVE_MODULATED_GAUSSIAN,
    WAVE_RAMPED_SINE,
    WAVE_FILE
};

/* The keys of a namelist that describe one; phase in degrees, delay < 0: the default, bandwidth 0: the default. */
struct waveform_keys {
    int kind;
    double frequency, bandwidth, delay, phase;
    const char *file;
};

struct waveform {
    enum waveform_kind kind;
    double frequency, bandwidth; /* Hz */
    double delay, scale; /* s; d and s above */
    double phase; /* rad */
    double mean; /* m above */
    int n; /* pairs of a file */
    double *time, *value; /* one block, owned */
};

/* dir: where a file without leading / lies. Errors: SF_INPUT, SF_MEMORY; of a file then nothing is left: a wave that is
 * 0 at all times, over at 0. */
int waveform_make(struct waveform *w, const struct waveform_keys *keys, const char *dir);
void waveform_free(struct waveform *w);

/* At t s; any t, before 0 too. The same bits on every machine. */
double waveform_value(const struct waveform *w, double t);

/* The frequencies between which the amplitude of the spectrum is at least `share` (0 to 1) of its largest, Hz. A share
 * of 0.01 is 40 dB of power. Of a file: of the lines between its pairs, from the first value that is not 0 to the last;
 * what spans more than a million of its shortest intervals is seen as a million samples show it. Of a ramped sine: its
 * frequency and what the ramp spreads, 3 / delay to both sides. Errors: none; without memory the band of a file is
 * taken from 0 to half a swing per shortest interval. */
void waveform_band(const struct waveform *w, double share, double *lowest, double *highest);

/* Time before which it stays below 2e-8 of its largest value, s. */
double waveform_start(const struct waveform *w);

/* |integral| over the integral of |value|, 0 to 1: what a current leaves behind. 0 of a ramped sine. */
double waveform_left(const struct waveform *w);

/* Time after which it stays below 2e-8 of its largest value, s; infinite for a ramped sine. */
double waveform_end(const struct waveform *w);
