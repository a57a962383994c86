/* Scattering parameters from waves of several runs, and the text of Touchstone files. SPDX-License-Identifier: MIT */
#include "io/scattering.h"
#include "io/nc.h"
#include "pipeline/error.h"
#include "pipeline/model.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double value_of(int n) { return sin(12.9898 * n + 0.7 * n * n); }

static void make(struct scattering *x, int n, int nf)
{
    const size_t all = (size_t)nf * (size_t)n * (size_t)n;
    cr_assert_eq(scattering_begin(x, n), SF_OK);
    x->nf = nf;
    x->frequency = calloc((size_t)nf, sizeof(double)), x->said = calloc((size_t)nf, 1);
    x->a = calloc(all, sizeof *x->a), x->b = calloc(all, sizeof *x->b), x->s = calloc(all, sizeof *x->s);
    for (int f = 0; f < nf; f++) x->frequency[f] = 1e9 * (f + 1);
    for (int m = 0; m < n; m++) x->number[m] = m + 1, x->resistance[m] = 50;
}

/* b = S a for waves of which no port is without. */
Test(scattering, what_ends_return_counts_for_nothing)
{
    enum { N = 5, FREQUENCIES = 3 };
    struct scattering x;
    double complex s[FREQUENCIES][N][N];
    int at = 1;
    make(&x, N, FREQUENCIES);
    for (int f = 0; f < FREQUENCIES; f++) {
        double complex *const a = x.a + f * N * N, *const b = x.b + f * N * N;
        for (int r = 0; r < N; r++)
            for (int c = 0; c < N; c++) {
                s[f][r][c] = value_of(at) + I * value_of(at + 1), at += 2;
                a[r * N + c] = 1e-12 * (value_of(at) + I * value_of(at + 1)), at += 2;
            }
        if (f == 1) a[0] = 0; /* a pivot that is none */
        for (int r = 0; r < N; r++)
            for (int c = 0; c < N; c++)
                for (int m = 0; m < N; m++) b[r * N + c] += s[f][r][m] * a[m * N + c];
    }
    x.a[2 * N * N + 7] = RESULT_NONE; /* what is not said */
    scattering_solve(&x);
    cr_assert(x.said[0] && x.said[1] && !x.said[2]);
    for (int f = 0; f < 2; f++)
        for (int r = 0; r < N; r++)
            for (int c = 0; c < N; c++) cr_assert(cabs(x.s[(f * N + r) * N + c] - s[f][r][c]) < 1e-12);
    scattering_free(&x);
}

/* Two runs that are the same tell nothing. */
Test(scattering, runs_must_differ)
{
    struct scattering x;
    make(&x, 2, 1);
    for (int m = 0; m < 4; m++) x.a[m] = m < 2 ? 1 : 3, x.b[m] = 1;
    scattering_solve(&x);
    cr_assert(!x.said[0]);
    scattering_free(&x);
}

Test(scattering, judges_reciprocity_and_power)
{
    struct scattering x;
    double unlike, most;
    make(&x, 2, 2);
    const double complex s[8] = {0.3, 0.5 * I, 0.4 * I, 0.6, 9, 9, 0, 9};
    memcpy(x.s, s, sizeof s);
    x.said[0] = 1; /* the second is not said */
    scattering_judge(&x, &unlike, &most);
    cr_assert_float_eq(unlike, 0.1, 1e-15);
    cr_assert_float_eq(most, 0.25 + 0.36, 1e-15);
    scattering_free(&x);
}

static void text_check(struct scattering *x, const char *want)
{
    char directory[] = "/tmp/sferic-scattering-XXXXXX", path[256], text[4096] = "";
    cr_assert(mkdtemp(directory));
    cr_assert_eq(scattering_write(x, directory, "case", "a test"), SF_OK, "%s", sf_error_text());
    snprintf(path, sizeof path, "%s/case.s%dp", directory, x->n);
    FILE *const f = fopen(path, "r");
    cr_assert(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    cr_assert_str_eq(text, want);
    unlink(path);
    snprintf(path, sizeof path, "%s/sparameters.nc", directory);
    int nc, var;
    double re[64];
    cr_assert_eq(nc_open(path, NC_NOWRITE, &nc), NC_NOERR);
    cr_assert(!nc_inq_varid(nc, "s_re", &var) && !nc_get_var_double(nc, var, re));
    double none = 0;
    int no_fill = 1;
    cr_assert(!nc_inq_var_fill(nc, var, &no_fill, &none) && !no_fill && !(none < RESULT_NONE) && !(none > RESULT_NONE));
    cr_assert_eq(nc_inq_att(nc, var, "_FillValue", NULL, NULL), NC_NOERR);
    for (int m = 0; m < x->n * x->n; m++) cr_assert_float_eq(re[m], x->said[0] ? creal(x->s[m]) : RESULT_NONE, 1e-15);
    nc_close(nc);
    unlink(path), rmdir(directory);
}

/* s[port][driven] is 10 port + driven, and a tenth of that imaginary; a frequency that is not said is left out. */
static void numbers_put(struct scattering *x)
{
    for (int f = 0; f < x->nf; f++, x->said[f - 1] = f != 2)
        for (int r = 0; r < x->n; r++)
            for (int c = 0; c < x->n; c++) x->s[(f * x->n + r) * x->n + c] = (1 + 0.1 * I) * (10 * (r + 1) + c + 1);
}

#define HEAD(n, s) "! scattering parameters of " #n " port" s ", made by a test\n"

Test(scattering, touchstone_is_read_by_others)
{
    struct scattering x;
    make(&x, 1, 1), numbers_put(&x);
    text_check(&x, HEAD(1, "") "# Hz S RI R 50\n1000000000 11 1.1\n");
    scattering_free(&x);
    make(&x, 2, 3), numbers_put(&x); /* S11 S21 S12 S22 */
    text_check(&x, HEAD(2, "s") "# Hz S RI R 50\n1000000000 11 1.1 21 2.1 12 1.2 22 2.2\n"
                                "3000000000 11 1.1 21 2.1 12 1.2 22 2.2\n");
    x.resistance[0] = 0; /* a guide */
    text_check(
        &x, HEAD(2, "s") "! port 1 is a guide: its waves are those of the mode's own impedance, whatever stands below\n"
                         "# Hz S RI R 50\n1000000000 11 1.1 21 2.1 12 1.2 22 2.2\n"
                         "3000000000 11 1.1 21 2.1 12 1.2 22 2.2\n");
    x.resistance[0] = 75;
    text_check(&x,
               HEAD(2, "s") "[Version] 2.0\n# Hz S RI R 50\n[Number of Ports] 2\n[Two-Port Data Order] 21_12\n"
                            "[Number of Frequencies] 2\n[Reference] 75 50\n[Network Data]\n"
                            "1000000000 11 1.1 21 2.1 12 1.2 22 2.2\n3000000000 11 1.1 21 2.1 12 1.2 22 2.2\n[End]\n");
    scattering_free(&x);
    make(&x, 3, 1), numbers_put(&x); /* a row a line */
    text_check(&x, HEAD(3, "s") "# Hz S RI R 50\n1000000000 11 1.1 12 1.2 13 1.3\n 21 2.1 22 2.2 23 2.3\n"
                                " 31 3.1 32 3.2 33 3.3\n");
    scattering_free(&x);
    make(&x, 5, 1), numbers_put(&x); /* four pairs a line at most */
    text_check(&x, HEAD(5, "s") "# Hz S RI R 50\n1000000000 11 1.1 12 1.2 13 1.3 14 1.4\n 15 1.5\n"
                                " 21 2.1 22 2.2 23 2.3 24 2.4\n 25 2.5\n 31 3.1 32 3.2 33 3.3 34 3.4\n 35 3.5\n"
                                " 41 4.1 42 4.2 43 4.3 44 4.4\n 45 4.5\n 51 5.1 52 5.2 53 5.3 54 5.4\n 55 5.5\n");
    scattering_free(&x);
}
