/* Reading, solving and judging scattering parameters. SPDX-License-Identifier: MIT */
#include "io/scattering.h"

#include "io/nc.h"
#include "pipeline/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATH_SIZE = 4096 };

int scattering_begin(struct scattering *x, int n)
{
    *x = (struct scattering){.n = n};
    x->number = calloc((size_t)n, sizeof *x->number), x->resistance = calloc((size_t)n, sizeof *x->resistance);
    IO_CHECK(x->number && x->resistance, SF_MEMORY, "no memory for %d ports", n);
    return SF_OK;
}

void scattering_free(struct scattering *x)
{
    free(x->frequency), free(x->number), free(x->resistance);
    free(x->a), free(x->b), free(x->s), free(x->said);
    *x = (struct scattering){.n = 0};
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int variable_read(int nc, const char *path, const char *name, size_t want, double *to)
{
    int var, ndims = 0, dims[NC_MAX_VAR_DIMS];
    size_t all = 1;
    int bad = nc_inq_varid(nc, name, &var);
    if (!bad) bad = nc_inq_var(nc, var, NULL, NULL, &ndims, dims, NULL);
    for (int d = 0; d < ndims && !bad; d++) {
        size_t n = 0;
        bad = nc_inq_dimlen(nc, dims[d], &n);
        all *= n;
    }
    if (!bad && all == want) bad = nc_get_var_double(nc, var, to);
    IO_CHECK(!bad && all == want, SF_INPUT,
             "'%s' does not have '%s' of all ports and frequencies%s%s: run it again with --force", path, name,
             bad ? ": " : "", bad ? nc_strerror(bad) : "");
    return SF_OK;
}

static int room_make(struct scattering *x, int nf)
{
    const size_t all = (size_t)nf * (size_t)x->n * (size_t)x->n;
    x->nf = nf;
    x->frequency = calloc((size_t)nf, sizeof *x->frequency), x->said = calloc((size_t)nf, 1);
    x->a = calloc(all, sizeof *x->a), x->b = calloc(all, sizeof *x->b), x->s = calloc(all, sizeof *x->s);
    IO_CHECK(x->frequency && x->said && x->a && x->b && x->s, SF_MEMORY, "no memory for %d ports at %d frequencies",
             x->n, nf);
    return SF_OK;
}

/* One wave of all ports in a run. */
static int waves_read(const struct scattering *x, int nc, const char *path, const char *const name[2], int driven,
                      double *work, double complex *to)
{
    const size_t each = (size_t)x->nf * (size_t)x->n;
    for (int part = 0; part < 2; part++) IO_TRY(variable_read(nc, path, name[part], each, work + (size_t)part * each));
    for (size_t m = 0; m < each; m++) to[m * (size_t)x->n + (size_t)driven] = work[m] + I * work[each + m];
    return SF_OK;
}

static int same(const double *a, const double *b, int n)
{
    int is = 1;
    for (int m = 0; m < n; m++) is = is && fabs(a[m] - b[m]) <= 1e-9 * fabs(b[m]);
    return is;
}

static int run_take(struct scattering *x, int driven, int nc, const char *path, double *work)
{
    static const char *const of_a[2] = {"a_re", "a_im"}, *const of_b[2] = {"b_re", "b_im"};
    const size_t n = (size_t)x->n;
    double *const first = driven ? work : x->frequency;
    IO_TRY(variable_read(nc, path, "frequency", (size_t)x->nf, first));
    IO_CHECK(same(first, x->frequency, x->nf), SF_INPUT,
             "'%s' has other frequencies than the runs of other ports: run them again with --force", path);
    IO_TRY(variable_read(nc, path, "driven", n, work));
    IO_CHECK(work[driven] > 0.5, SF_INPUT, "'%s' is of a run that drove another port: run it again with --force", path);
    IO_TRY(variable_read(nc, path, "port", n, x->number));
    IO_TRY(variable_read(nc, path, "reference_resistance", n, x->resistance));
    for (size_t m = 0; m < n; m++)
        if (!(x->resistance[m] < RESULT_NONE / 2)) x->resistance[m] = 0;
    IO_TRY(waves_read(x, nc, path, of_a, driven, work, x->a));
    return waves_read(x, nc, path, of_b, driven, work, x->b);
}

int scattering_read(struct scattering *x, int driven, const char *directory)
{
    LIBRARY_HELD;
    char path[PATH_SIZE];
    int nc, dim;
    size_t nf = 0;
    snprintf(path, sizeof path, "%s/ports.nc", directory);
    const int open = nc_open(path, NC_NOWRITE, &nc);
    IO_CHECK(!open, SF_INPUT, "cannot read '%s': %s", path, nc_strerror(open));
    int rc = SF_OK, bad = nc_inq_dimid(nc, "frequency", &dim);
    if (!bad) bad = nc_inq_dimlen(nc, dim, &nf);
    if (!bad && !x->nf) rc = room_make(x, (int)nf);
    if (!rc && (bad || (int)nf != x->nf))
        rc = io_fail(SF_INPUT, __FILE__, __LINE__,
                     "'%s' has other frequencies than the runs of other ports: run it again with --force", path);
    double *const work = malloc((2 * (size_t)x->nf * (size_t)x->n + (size_t)x->nf + (size_t)x->n) * sizeof *work + 1);
    if (!rc && !work) rc = io_fail(SF_MEMORY, __FILE__, __LINE__, "no memory to read '%s'", path);
    if (!rc) rc = run_take(x, driven, nc, path, work);
    free(work);
    nc_close(nc);
    return rc;
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

static int all_said(const double complex *a, int n)
{
    int said = 1;
    for (int m = 0; m < n; m++) said = said && fabs(creal(a[m])) < 1e36 && fabs(cimag(a[m])) < 1e36;
    return said;
}

/* Rows x of x A = B, one elimination for all: the columns of A' x' = B', the largest pivot of each column first. a, b:
 * [n][n], overwritten; returns 0 where A has no inverse. */
static int rows_solve(int n, double complex *a, double complex *b)
{
    for (int c = 0; c < n; c++) { /* columns of A are operated on, so that x A = B stays true */
        int best = c;
        for (int m = c + 1; m < n; m++)
            if (cabs(a[c * n + m]) > cabs(a[c * n + best])) best = m;
        if (!(cabs(a[c * n + best]) > 0)) return 0;
        for (int r = 0; r < n; r++) {
            const double complex of_a = a[r * n + c], of_b = b[r * n + c];
            a[r * n + c] = a[r * n + best], a[r * n + best] = of_a;
            b[r * n + c] = b[r * n + best], b[r * n + best] = of_b;
        }
        const double complex pivot = a[c * n + c];
        for (int r = 0; r < n; r++) a[r * n + c] /= pivot, b[r * n + c] /= pivot;
        for (int m = 0; m < n; m++) {
            const double complex factor = a[c * n + m];
            for (int r = 0; r < n && m != c; r++)
                a[r * n + m] -= factor * a[r * n + c], b[r * n + m] -= factor * b[r * n + c];
        }
    }
    return 1;
}

void scattering_solve(struct scattering *x)
{
    const int n = x->n, each = n * n;
    for (int f = 0; f < x->nf; f++) {
        double complex *const a = x->a + (ptrdiff_t)f * each, *const b = x->b + (ptrdiff_t)f * each,
                              *const s = x->s + (ptrdiff_t)f * each;
        x->said[f] = (unsigned char)(all_said(a, each) && all_said(b, each));
        for (int m = 0; m < each; m++) s[m] = b[m];
        if (x->said[f]) x->said[f] = (unsigned char)rows_solve(n, a, s);
    }
}

void scattering_judge(const struct scattering *x, double *unlike, double *most)
{
    const int n = x->n;
    *unlike = *most = 0;
    for (int f = 0; f < x->nf; f++) {
        const double complex *const s = x->s + (ptrdiff_t)f * n * n;
        for (int c = 0; c < n && x->said[f]; c++) {
            double out = 0;
            for (int r = 0; r < n; r++) {
                out += creal(s[r * n + c] * conj(s[r * n + c]));
                *unlike = fmax(*unlike, cabs(s[r * n + c] - s[c * n + r]));
            }
            *most = fmax(*most, out);
        }
    }
}
