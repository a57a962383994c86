/* Waveforms: 1 at their largest, at rest at the start and after their end, with the spectrum that their keys ask for;
 * files, and what is wrong with them. SPDX-License-Identifier: MIT */
#include "maxwell/waveform.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/error.h"

static const double f0 = 2.5e9;

static struct waveform make(enum waveform_kind kind)
{
    struct waveform w;
    const struct waveform_keys keys = {.kind = (int)kind, .frequency = f0, .delay = -1, .bandwidth = 8e8};
    cr_assert_eq(waveform_make(&w, &keys, ""), SF_OK);
    return w;
}

/* Amplitude of the spectrum at f, by the trapezoidal rule over all of the waveform. */
static double spectrum(const struct waveform *w, double f)
{
    const double end = waveform_end(w), step = 1 / (64 * f0);
    double re = 0, im = 0;
    for (double t = 0; t < end; t += step) {
        re += waveform_value(w, t) * cos(2 * M_PI * f * t) * step;
        im += waveform_value(w, t) * sin(2 * M_PI * f * t) * step;
    }
    return hypot(re, im);
}

static void expect_near(double got, double want, double tolerance)
{
    cr_assert(fabs(got - want) <= tolerance, "%.17g instead of %.17g", got, want);
}

Test(waveform, peak_and_rest)
{
    for (int kind = WAVE_GAUSSIAN; kind <= WAVE_RAMPED_SINE; kind++) {
        const struct waveform w = make((enum waveform_kind)kind);
        const double end = kind == WAVE_RAMPED_SINE ? 20 / f0 : waveform_end(&w);
        double most = 0;
        for (int m = 0; m <= 200000; m++) most = fmax(most, fabs(waveform_value(&w, end * m / 200000)));
        expect_near(most, 1, 1e-7);
        cr_assert(fabs(waveform_value(&w, 0)) < 2e-8, "kind %d begins with %g", kind, waveform_value(&w, 0));
        for (int m = 0; m < 1000 && kind != WAVE_RAMPED_SINE; m++)
            cr_assert(fabs(waveform_value(&w, end * (1 + m * 0.01))) < 2e-8);
    }
    const struct waveform g = make(WAVE_GAUSSIAN), r = make(WAVE_RICKER), d = make(WAVE_DIFFERENTIATED_GAUSSIAN);
    cr_assert_eq(waveform_value(&g, g.delay), 1);
    cr_assert_eq(waveform_value(&r, r.delay), 1);
    cr_assert_eq(waveform_value(&d, d.delay), 0);
    expect_near(waveform_value(&d, d.delay - d.scale), 1, 1e-14);
    expect_near(waveform_value(&d, d.delay + d.scale), -1, 1e-14);
    const struct waveform s = make(WAVE_RAMPED_SINE);
    cr_assert(isinf(waveform_end(&s)));
    expect_near(waveform_value(&s, 2.75 / f0), -0.593126875, 1e-12); /* y = 0.55 */
    expect_near(waveform_value(&s, 7.25 / f0), 1, 1e-12);
    cr_assert_eq(waveform_value(&s, -1e-9), 0);
}

Test(waveform, spectrum)
{
    const struct waveform g = make(WAVE_GAUSSIAN), r = make(WAVE_RICKER), d = make(WAVE_DIFFERENTIATED_GAUSSIAN);
    const struct waveform m = make(WAVE_MODULATED_GAUSSIAN);
    expect_near(spectrum(&g, f0) / spectrum(&g, 0), 0.5, 1e-7);
    expect_near(spectrum(&m, f0 + 4e8) / spectrum(&m, f0), 0.5, 1e-6);
    expect_near(spectrum(&m, f0 - 4e8) / spectrum(&m, f0), 0.5, 1e-6);
    for (int n = 1; n < 40; n++)
        if (n != 10) {
            cr_assert(spectrum(&r, n * f0 / 10) < spectrum(&r, f0));
            cr_assert(spectrum(&d, n * f0 / 10) < spectrum(&d, f0));
        }
    const struct waveform *const all[] = {&g, &m, &d, &r};
    for (int n = 0; n < 4; n++) {
        double low, high, low_60, high_60;
        waveform_band(all[n], 0.01, &low, &high);
        waveform_band(all[n], 0.001, &low_60, &high_60);
        const double peak = spectrum(all[n], n ? f0 : 0);
        expect_near(spectrum(all[n], high) / peak, 0.01, 1e-6);
        expect_near(spectrum(all[n], high_60) / peak, 0.001, 1e-6);
        if (n) expect_near(spectrum(all[n], low) / peak, 0.01, 1e-6);
        else cr_assert_eq(low, 0);
        cr_assert(low_60 <= low && high_60 > high);
    }
}

Test(waveform, keys)
{
    struct waveform w;
    struct waveform_keys keys = {.kind = WAVE_MODULATED_GAUSSIAN, .frequency = f0, .delay = 3e-9, .phase = 90};
    cr_assert_eq(waveform_make(&w, &keys, ""), SF_OK);
    expect_near(waveform_value(&w, 3e-9), 0, 1e-15);
    expect_near(w.bandwidth, f0 / 2, 0);
    cr_assert(waveform_value(&w, 3e-9 + 0.05 / f0) < -0.2); /* a cosine, a quarter ahead, falls */
    keys.kind = WAVE_RAMPED_SINE, keys.delay = 0;
    cr_assert_eq(waveform_make(&w, &keys, ""), SF_OK);
    expect_near(waveform_value(&w, 1 / f0), 1, 1e-12);
}

static char scratch[64];

static int read_text(const char *text, struct waveform *w, double delay)
{
    snprintf(scratch, sizeof scratch, "/tmp/sferic-waveform-%ld.txt", (long)getpid());
    FILE *const f = fopen(scratch, "w");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    sf_error_clear();
    const struct waveform_keys keys = {.kind = WAVE_FILE, .frequency = 1, .delay = delay, .file = scratch + 5};
    const int rc = waveform_make(w, &keys, "/tmp");
    unlink(scratch);
    return rc;
}

static void expect_refused(const char *text, const char *message)
{
    struct waveform w;
    cr_assert_eq(read_text(text, &w, -1), SF_INPUT, "accepted:\n%s", text);
    cr_assert(strstr(sf_error_text(), message), "'%s' lacks '%s'", sf_error_text(), message);
    cr_assert_null(w.time);
}

Test(waveform, file)
{
    struct waveform w;
    cr_assert_eq(read_text("# time value\n1e-9 0\n\n 2e-9, 4 ! peak\r\n4e-9\t-2", &w, -1), SF_OK, "%s",
                 sf_error_text());
    expect_near(waveform_value(&w, 1.5e-9), 2, 1e-14);
    expect_near(waveform_value(&w, 3e-9), 1, 1e-14);
    cr_assert_eq(waveform_value(&w, 2e-9), 4);
    cr_assert_eq(waveform_value(&w, 4e-9), -2);
    cr_assert_eq(waveform_value(&w, 0.99e-9), 0);
    cr_assert_eq(waveform_value(&w, 4.01e-9), 0);
    expect_near(waveform_end(&w), 4e-9, 0);
    waveform_free(&w);
    cr_assert_eq(read_text("0 1\n1 2\n", &w, 0.5), SF_OK);
    expect_near(waveform_value(&w, 1), 1.5, 1e-14);
    expect_near(waveform_start(&w), 0.5, 1e-15);
    expect_near(waveform_end(&w), 1.5, 1e-15);
    waveform_free(&w);

    expect_refused("0 1\n1\n", ".txt:2: expected a time");
    expect_refused("0 1\n1 2 3\n", ".txt:2: more than");
    expect_refused("0 1\n\n0 2\n", ".txt:3: time 0 s does not follow 0 s");
    expect_refused("0 1\n1 nan\n", ".txt:2: expected");
    expect_refused("0 1\none two\n", ".txt:2: expected");
    expect_refused("0 1\n", "fewer than two");
    expect_refused("", "fewer than two");
    const struct waveform_keys missing = {.kind = WAVE_FILE, .frequency = 1, .delay = -1, .file = "/tmp/no/such/file"};
    sf_error_clear();
    cr_assert_eq(waveform_make(&w, &missing, "/tmp"), SF_INPUT);
    /* What is left of it is no wave: whoever goes on, to tell all errors at once, may ask for anything. */
    double low = 1, high = 1;
    waveform_band(&w, 0.01, &low, &high);
    cr_assert(low == 0 && high == 0);
    cr_assert(waveform_value(&w, 0) == 0 && waveform_start(&w) == 0 && waveform_end(&w) == 0 && waveform_left(&w) == 0);
}

/* A file of samples of a ricker has nearly a ricker's band. */
Test(waveform, file_band)
{
    const struct waveform r = make(WAVE_RICKER);
    static char text[200000];
    size_t at = 0;
    for (int m = 0; m <= 1000; m++) {
        const double t = waveform_end(&r) * m / 1000;
        at += (size_t)snprintf(text + at, sizeof text - at, "%.17g %.17g\n", t, waveform_value(&r, t));
    }
    struct waveform w;
    cr_assert_eq(read_text(text, &w, -1), SF_OK);
    double low, high, low_r, high_r;
    waveform_band(&r, 0.01, &low_r, &high_r);
    waveform_band(&w, 0.01, &low, &high);
    expect_near(high / high_r, 1, 0.05);
    expect_near(low / f0, low_r / f0, 0.2);
    waveform_free(&w);
}

/* Each against its formula, written anew, with a delay, a phase and a bandwidth of its own. */
Test(waveform, formulas)
{
    for (int n = -60; n <= 60; n++) {
        const double delay = 3e-9, phase = 0.7, B = 1.9e9, t = delay + n * 2e-11, y = t - delay;
        for (int kind = WAVE_GAUSSIAN; kind <= WAVE_RAMPED_SINE; kind++) {
            struct waveform w;
            const struct waveform_keys keys = {
                .kind = kind, .frequency = f0, .delay = delay, .bandwidth = B, .phase = phase * 180 / M_PI};
            cr_assert_eq(waveform_make(&w, &keys, ""), SF_OK);
            const double s_half = sqrt(2 * log(2)), of_gauss = s_half / (2 * M_PI * f0), of_band = s_half / (M_PI * B),
                         r = fmin(t / delay, 1);
            const double mean = cos(phase) * exp(-pow(2 * M_PI * f0 * of_band, 2) / 2);
            const double want[] = {exp(-y * y / (2 * of_gauss * of_gauss)),
                                   -(2 * M_PI * f0 * y) * exp(0.5 - pow(2 * M_PI * f0 * y, 2) / 2),
                                   (1 - 2 * pow(M_PI * f0 * y, 2)) * exp(-pow(M_PI * f0 * y, 2)),
                                   exp(-y * y / (2 * of_band * of_band)) * (cos(2 * M_PI * f0 * y + phase) - mean),
                                   (10 * pow(r, 3) - 15 * pow(r, 4) + 6 * pow(r, 5)) * sin(2 * M_PI * f0 * t + phase)};
            expect_near(waveform_value(&w, t), want[kind], 1e-13);
        }
    }
}

/* Integral by the trapezoidal rule, which of what is smooth and at rest at both ends is exact to the last digits: s
 * sqrt(2 pi) of a gaussian and 0 of the others, however broad a modulated one is and whatever its phase. */
Test(waveform, integrals)
{
    for (int n = 0; n < 15; n++) {
        const int kind = n < 3 ? n : WAVE_MODULATED_GAUSSIAN;
        struct waveform w;
        const struct waveform_keys keys = {
            .kind = kind, .frequency = f0, .delay = -1, .bandwidth = (n % 4 + 1) * 0.5 * f0, .phase = 30.0 * (n / 4)};
        cr_assert_eq(waveform_make(&w, &keys, ""), SF_OK);
        const double end = waveform_end(&w), step = end / 20000;
        double sum = 0;
        for (int m = 0; m <= 20000; m++) sum += step * waveform_value(&w, m * step);
        expect_near(sum / w.scale, kind == WAVE_GAUSSIAN ? sqrt(2 * M_PI) : 0, 2e-8);
        cr_assert_eq(waveform_left(&w), kind == WAVE_GAUSSIAN);
        for (int m = 0; m < 100; m++) cr_assert(fabs(waveform_value(&w, waveform_start(&w) - m * w.scale / 10)) < 3e-8);
        cr_assert(fabs(waveform_value(&w, waveform_start(&w) + 1.5 * w.scale)) > 3e-8);
    }
    const struct waveform s = make(WAVE_RAMPED_SINE);
    cr_assert_eq(waveform_start(&s), 0);
    cr_assert_eq(waveform_left(&s), 0);
}

/* A carrier as broad as its frequency, and broader: the band is where the spectrum, summed from the waveform, has the
 * share. */
Test(waveform, band_of_a_broad_carrier)
{
    for (int n = 0; n < 6; n++) {
        struct waveform w;
        const struct waveform_keys keys = {.kind = WAVE_MODULATED_GAUSSIAN,
                                           .frequency = f0,
                                           .delay = -1,
                                           .bandwidth = (1 + n / 3) * f0,
                                           .phase = 45.0 * (n % 3)};
        cr_assert_eq(waveform_make(&w, &keys, ""), SF_OK);
        double most = 0, low, high;
        for (int m = 1; m < 400; m++) most = fmax(most, spectrum(&w, m * f0 / 100));
        for (int t = 0; t < 3; t++) {
            const double share = t == 0 ? 0.5 : t == 1 ? 0.1 : 0.01;
            waveform_band(&w, share, &low, &high);
            cr_assert(low > 0 && low < high);
            expect_near(spectrum(&w, low) / most, share, 1e-4);
            expect_near(spectrum(&w, high) / most, share, 1e-4);
        }
    }
}

/* Three pairs, a triangle of half width T: its spectrum is sinc^2(f T), 1/2 at 0.4429 / T, 1/10 at 0.7378 / T; lobes of
 * more than 1/100 end with the third, below 3 / T. Zeros before and after it, near or far, change nothing, and neither
 * does more than one pair on a line. */
Test(waveform, band_of_pairs)
{
    static const char *const text[] = {
        "0 0\n1e-10 1\n2e-10 0\n", "0 0\n1e-10 1\n2e-10 0\n1e-3 0\n", "0 0\n1e-3 0\n1.0000001e-3 1\n1.0000002e-3 0\n",
        "0 0\n0.2e-10 0.2\n1e-10 1\n1.5e-10 0.5\n2e-10 0\n9 0\n", "-7 0\n-1 0\n0 0\n1e-10 -3e9\n2e-10 0\n5 0\n6 0\n"};
    for (int n = 0; n < 5; n++) {
        struct waveform w;
        double low, high;
        cr_assert_eq(read_text(text[n], &w, -1), SF_OK);
        waveform_band(&w, 0.5, &low, &high);
        cr_assert_eq(low, 0);
        expect_near(high * 1e-10, 0.4429, 0.002);
        waveform_band(&w, 0.1, &low, &high);
        expect_near(high * 1e-10, 0.7378, 0.002);
        waveform_band(&w, 0.01, &low, &high);
        cr_assert(high * 1e-10 > 2.5 && high * 1e-10 < 3, "%g", high);
        cr_assert_eq(waveform_left(&w), 1);
        expect_near(waveform_start(&w), w.time[n == 2 ? 1 : n == 4 ? 2 : 0], 1e-20);
        expect_near(waveform_end(&w), w.time[n < 2 ? 2 : n == 2 ? 3 : 4], 1e-20);
        waveform_free(&w);
    }
    struct waveform w;
    double low, high;
    cr_assert_eq(read_text("0 0\n1 0\n2 0\n", &w, -1), SF_OK); /* nothing at all */
    waveform_band(&w, 0.1, &low, &high);
    cr_assert(low == 0 && high == 0);
    cr_assert_eq(waveform_left(&w), 0);
    waveform_free(&w);
    cr_assert_eq(read_text("0 0\n1 2\n2 -2\n3 0\n", &w, -1), SF_OK);
    cr_assert_eq(waveform_left(&w), 0);
    waveform_free(&w);
    cr_assert_eq(read_text("0 0\n1 2\n2 0\n3 -1\n4 0\n", &w, -1), SF_OK);
    expect_near(waveform_left(&w), 1.0 / 3, 1e-15);
    waveform_free(&w);
    cr_assert_eq(read_text("0 0\n1 3\n2 -1\n3 0\n", &w, -1), SF_OK); /* areas 1.5, 1.125 - 0.125, -0.5 */
    expect_near(waveform_left(&w), 2.0 / (1.5 + 1.125 + 0.125 + 0.5), 1e-15);
    waveform_free(&w);
}

/* A long carrier, 200 periods at 1e9 Hz, 20 pairs each: a peak a few MHz wide. */
Test(waveform, band_of_a_long_carrier)
{
    static char text[400000];
    size_t at = 0;
    for (int m = 0; m <= 4000; m++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%.9g %.9g\n", m * 5e-11,
                               sin(M_PI * m / 10) * pow(sin(M_PI * m / 4000), 2));
    struct waveform w;
    double low, high;
    cr_assert_eq(read_text(text, &w, -1), SF_OK);
    waveform_band(&w, 0.5, &low, &high); /* of a squared sine of 2e-7 s: half at 1 / 2e-7 s to either side */
    expect_near(low, 1e9 - 5e6, 1.3e6);
    expect_near(high, 1e9 + 5e6, 1.3e6);
    waveform_free(&w);
}

/* A ramp of T leaves f -+ 3 / T, whatever the share; nothing below 0. A sine without a ramp has its frequency alone. */
Test(waveform, band_of_a_ramp)
{
    for (int periods = 0; periods <= 6; periods += 2) {
        struct waveform w;
        const struct waveform_keys keys = {.kind = WAVE_RAMPED_SINE, .frequency = f0, .delay = periods / f0};
        double low, high;
        cr_assert_eq(waveform_make(&w, &keys, ""), SF_OK);
        waveform_band(&w, 0.01, &low, &high);
        expect_near(low / f0, periods ? fmax(1 - 3.0 / periods, 0) : 1, 1e-14);
        expect_near(high / f0, periods ? 1 + 3.0 / periods : 1, 1e-14);
    }
}
