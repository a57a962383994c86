/* Waveforms: 1 at their largest, at rest at the start and after their end, with the spectrum that their keys ask for; files, and
 * what is wrong with them. SPDX-License-Identifier: MIT */
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
    cr_assert_eq(read_text("# time value\n1e-9 0\n\n 2e-9, 4 ! peak\r\n4e-9\t-2", &w, -1), SF_OK, "%s", sf_error_text());
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
