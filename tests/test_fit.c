/* Permittivities of tables: Debye poles that made one are found again, tissue is followed within what fewer poles
 * allow, what Debye poles cannot follow stays passive and is told as off; files, and what is wrong with them.
 * SPDX-License-Identifier: MIT */
#include "maxwell/fit.h"

#include "maxwell/medium.h"
#include "pipeline/error.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 400 };
static double row[3 * MOST];
static struct fit fit;

typedef double complex epsilon_function(double frequency);

static double complex debye(double f, double d, double tau) { return d / (1 + 2 * M_PI * I * f * tau); }
static double complex conduct(double f, double sigma) { return sigma / (2 * M_PI * I * f * em_eps0); }

static double complex water(double f) { return 5.16 + debye(f, 73.2, 8.27e-12); }
static double complex clay(double f)
{
    return 6 + debye(f, 3, 9e-12) + debye(f, 8, 2.1e-10) + debye(f, 40, 4e-9) + conduct(f, 0.03);
}
/* Gabriel, Lau and Gabriel 1996, Phys. Med. Biol. 41, 2271. */
static double complex muscle(double f)
{
    static const double d[] = {50, 7000, 1.2e6, 2.5e7}, tau[] = {7.234e-12, 353.68e-9, 318.31e-6, 2.274e-3},
                        alpha[] = {0.1, 0.1, 0.1, 0};
    double complex e = 4 + conduct(f, 0.2);
    for (int n = 0; n < 4; n++) e += d[n] / (1 + cpow(2 * M_PI * I * f * tau[n], 1 - alpha[n]));
    return e;
}
static double complex crystal(double f) { return 2 + 3 / (1 - f * f / 4e18 + 0.1 * I * f / 2e9); }
static double complex metal(double f) { return 9 - 9e30 / (f * f - I * f * 2e13); }

/* n lines, even in log f, each off by up to `noise` of itself. */
static void table_make(epsilon_function *of, double low, double high, int n, double noise)
{
    unsigned r = 1;
    for (int m = 0; m < n; m++) {
        double shake[2];
        for (int q = 0; q < 2; q++) r = r * 1664525u + 1013904223u, shake[q] = noise * (r / 2147483648.0 - 1);
        const double f = low * pow(high / low, (double)m / (n - 1));
        const double complex e = of(f) * (1 + shake[0] + I * shake[1]);
        row[3 * m] = f, row[3 * m + 1] = creal(e), row[3 * m + 2] = -cimag(e) > 0 ? -cimag(e) : 0;
    }
    cr_assert_eq(fit_make(&fit, row, n), SF_OK);
}

/* What is told of the fit, against its formula written anew; and that it takes energy only. */
static void told_rightly(int n)
{
    double largest = 0, sum = 0, at = 0;
    for (int m = 0; m < n; m++) {
        const double f = row[3 * m];
        double complex e = fit.epsilon + conduct(f, fit.sigma), should = row[3 * m + 1] - I * row[3 * m + 2];
        double of[2];
        for (int p = 0; p < fit.npoles; p++) e += debye(f, fit.strength[p], fit.tau[p]);
        fit_permittivity(&fit, f, of);
        cr_assert(cabs(of[0] - I * of[1] - e) <= 1e-13 * cabs(e));
        const double off = cabs(e - should) / cabs(should);
        sum += off * off;
        if (off > largest) largest = off, at = f;
    }
    cr_assert_float_eq(fit.largest, largest, 1e-12 + 1e-9 * largest);
    cr_assert_float_eq(fit.rms, sqrt(sum / n), 1e-12 + 1e-9 * largest);
    if (largest > 1e-9) cr_assert_float_eq(fit.worst, at, 1e-9 * at);
    cr_assert(fit.epsilon >= 1 && fit.sigma >= 0 && fit.npoles <= FIT_POLES);
    for (int p = 0; p < fit.npoles; p++) cr_assert(fit.strength[p] > 0 && fit.tau[p] > 0);
    for (int p = 1; p < fit.npoles; p++) cr_assert(fit.tau[p] >= fit.tau[p - 1]);
}

static void near(double is, double should, double tolerance, const char *what)
{
    cr_assert(fabs(is - should) <= tolerance * fabs(should), "%s: %.12g, not %.12g", what, is, should);
}

Test(fit, poles_that_made_a_table_are_found)
{
    static const double bands[][3] = {{1e9, 5e10, 24}, {3e8, 1e11, 7}, {5e9, 3e10, 3}};
    for (int b = 0; b < 3; b++) {
        table_make(water, bands[b][0], bands[b][1], (int)bands[b][2], 0);
        told_rightly((int)bands[b][2]);
        cr_assert_eq(fit.npoles, 1);
        near(fit.epsilon, 5.16, 1e-6, "epsilon"), near(fit.strength[0], 73.2, 1e-6, "strength"),
            near(fit.tau[0], 8.27e-12, 1e-6, "tau");
        cr_assert(fit.sigma < 1e-9);
    }
    static const double d[] = {3, 8, 40}, tau[] = {9e-12, 2.1e-10, 4e-9};
    table_make(clay, 1e6, 3e10, 90, 0);
    told_rightly(90);
    cr_assert_eq(fit.npoles, 3);
    near(fit.epsilon, 6, 1e-6, "epsilon"), near(fit.sigma, 0.03, 1e-6, "sigma");
    for (int p = 0; p < 3; p++) near(fit.strength[p], d[p], 1e-6, "strength"), near(fit.tau[p], tau[p], 1e-6, "tau");
}

/* Three poles from 0.1 to 10 GHz are within 0.65 %; between the lines, too. Wider bands take more. */
Test(fit, tissue_takes_few_poles)
{
    table_make(muscle, 1e8, 1e10, 41, 0);
    told_rightly(41);
    cr_assert(fit.npoles <= 3 && fit.largest <= 6.5e-3, "%d poles, %g", fit.npoles, fit.largest);
    for (double f = 1e8; f < 1e10; f *= 1.013) {
        double of[2];
        fit_permittivity(&fit, f, of);
        cr_assert(cabs(of[0] - I * of[1] - muscle(f)) <= 6.6e-3 * cabs(muscle(f)));
    }
    table_make(muscle, 1e6, 1e11, 120, 0);
    told_rightly(120);
    cr_assert(fit.largest <= FIT_GOOD && fit.npoles <= 8);
    table_make(muscle, 10, 1e11, 201, 0);
    told_rightly(201);
    cr_assert(fit.largest <= FIT_GOOD && fit.npoles <= 13);
}

/* Noise takes no poles of its own, and is averaged: 60 lines are off by up to 4 %. Of tissue over five decades the grid
 * alone has nine. */
Test(fit, noise_takes_no_poles)
{
    table_make(muscle, 1e6, 1e11, 120, 0.05);
    told_rightly(120);
    cr_assert(fit.npoles <= 6 && fit.largest < 0.12, "%d poles, %g", fit.npoles, fit.largest);
    table_make(water, 1e9, 5e10, 60, 0.03);
    told_rightly(60);
    cr_assert(fit.npoles <= 2 && fit.largest > 0.02 && fit.largest < 0.06);
    for (double f = 1e9; f < 5e10; f *= 1.1) {
        double of[2];
        fit_permittivity(&fit, f, of);
        cr_assert(cabs(of[0] - I * of[1] - water(f)) <= 0.012 * cabs(water(f)), "%g at %g",
                  cabs(of[0] - I * of[1] - water(f)) / cabs(water(f)), f);
    }
}

Test(fit, what_poles_cannot_follow_stays_passive)
{
    table_make(crystal, 1e8, 1e10, 60, 0), told_rightly(60);
    cr_assert(fit.largest > 0.3);
    table_make(metal, 3e14, 8e14, 40, 0), told_rightly(40);
    cr_assert(fit.largest > 0.3);
    for (int m = 0; m < 5; m++) row[3 * m] = 1e9 * (m + 1), row[3 * m + 1] = 2.5, row[3 * m + 2] = 0;
    cr_assert_eq(fit_make(&fit, row, 5), SF_OK);
    told_rightly(5);
    cr_assert_eq(fit.npoles, 0);
    near(fit.epsilon, 2.5, 1e-12, "glass");
}

/* ---- files ---- */

static struct maxwell_params params;
static struct media media;
static double unit = 1; /* Hz */

static int table_read(const char *text)
{
    char path[64];
    memset(&params, 0, sizeof params);
    for (int n = 0; n < 254; n++)
        params.medium_epsilon[n] = params.medium_mu[n] = 1, params.medium_table_unit[n] = unit;
    strcpy(params.medium_name[0], "vapour"), strcpy(params.medium_name[1], "matter");
    snprintf(path, sizeof path, "/tmp/sferic-table-%ld.txt", (long)getpid());
    snprintf(params.medium_table[1], sizeof params.medium_table[1], "%s", path + 5);
    FILE *const f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    sf_error_clear();
    cr_assert_eq(media_make(&media, &params, 2, NULL), SF_OK);
    const int rc = media_tables(&media, &params, "/tmp", NULL);
    unlink(path);
    return rc;
}

static void refused(const char *text, const char *message)
{
    cr_assert_eq(table_read(text), SF_INPUT, "accepted:\n%s", text);
    cr_assert(strstr(sf_error_text(), message), "'%s' lacks '%s'", sf_error_text(), message);
}

static void again(int code, const char *message)
{
    sf_error_clear();
    cr_assert_eq(media_make(&media, &params, 2, NULL), SF_OK);
    cr_assert_eq(media_tables(&media, &params, "/tmp", NULL), code);
    cr_assert(strstr(sf_error_text(), message), "'%s' lacks '%s'", sf_error_text(), message);
}

Test(fit, media_take_files)
{
    char text[4000] = "# Hz, real, loss\n";
    for (int m = 0; m < 20; m++) {
        const double f = 1e9 * pow(1.2, m);
        const double complex e = water(f) + conduct(f, 4);
        snprintf(text + strlen(text), 200, "%.17g, %.17g\t%.17g ! line %d\n\n", f, creal(e), -cimag(e), m);
    }
    cr_assert_eq(table_read(text), SF_OK, "%s", sf_error_text());
    cr_assert_eq(media_poles(&media, &params, 0, 1e-12, NULL), SF_OK, "%s", sf_error_text());
    const struct medium *const m = &media.medium[MEDIUM_GIVEN + 1];
    cr_assert(m->rows == 20 && m->npoles == 1 && !m->is_metal && !media.medium[MEDIUM_GIVEN].table,
              "%d lines, %d poles", m->rows, m->npoles);
    near(m->lowest, 1e9, 1e-15, "lowest"), near(m->highest, 1e9 * pow(1.2, 19), 1e-14, "highest");
    for (double f = 1e8; f < 1e12; f *= 3) {
        double of[2];
        medium_permittivity(m, f, of);
        near(of[0], creal(water(f)), 1e-6, "real"), near(of[1], -cimag(water(f) + conduct(f, 4)), 1e-6, "loss");
    }
    strcpy(params.medium_material[1], "water"), again(SF_NAMELIST, "has a material and a table");
    params.medium_material[1][0] = 0, params.medium_sigma[1] = 1, again(SF_NAMELIST, "leave out those of the entry");
    params.medium_sigma[1] = 0, again(SF_INPUT, ".txt: cannot be opened");
}

/* The same lines in GHz. */
Test(fit, tables_in_another_unit)
{
    char text[4000] = "";
    unit = 1e9;
    for (int m = 0; m < 20; m++) {
        const double f = 1e9 * pow(1.2, m);
        snprintf(text + strlen(text), 200, "%.17g %.17g %.17g\n", f / 1e9, creal(water(f)), -cimag(water(f)));
    }
    cr_assert_eq(table_read(text), SF_OK, "%s", sf_error_text());
    const struct medium *const m = &media.medium[MEDIUM_GIVEN + 1];
    double of[2];
    near(m->lowest, 1e9, 1e-12, "lowest");
    medium_permittivity(m, 1e10, of);
    near(of[0], creal(water(1e10)), 1e-6, "real"), near(of[1], -cimag(water(1e10)), 1e-6, "loss");
    refused("1 2 0\n2 2 -1e-3\n3 2 0\n", "at 2e+09 Hz the loss is -0.001");
}

Test(fit, files_that_are_wrong)
{
    refused("1e9 2 0\n2e9 2 0\n", "fewer than three lines of a permittivity");
    refused("1e9 2 0\n2e9 2\n3e9 2 0\n",
            ".txt:2: expected a frequency and the two parts of epsilon, real and loss, three numbers");
    refused("1e9 2 0 1\n", ".txt:1: more than a frequency");
    refused("1e9 2 0\n3e9 2 0\n2e9 2 0\n", ".txt:3: frequency 2e+09 units does not follow 3e+09 units");
    refused("1e9 2 0\n2e9 2 -1e-3\n3e9 2 0\n", "at 2e+09 Hz the loss is -0.001");
    refused("0 2 0\n2e9 2 0\n3e9 2 0\n", "frequency 0 Hz: give frequencies above 0");
    refused("1e9 2 0\n2e9 0 0\n3e9 2 0\n", "at 2e+09 Hz the permittivity is 0");
    refused("1e9 inf 0\n2e9 2 0\n3e9 2 0\n", ".txt:1: expected");
    cr_assert_eq(table_read("1e9 2 0\n2e9 2 0\n3e9 2 0"), SF_OK, "%s", sf_error_text());
}
