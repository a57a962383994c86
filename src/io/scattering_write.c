/* sparameters.nc, and Touchstone files (Touchstone File Format Specification 2.0, 2009; 1.1 of 2002).
 * SPDX-License-Identifier: MIT */
#include "io/scattering.h"

#include "io/nc.h"
#include "pipeline/model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, PAIRS = 4 }; /* of a line */

/* ---- Touchstone -------------------------------------------------------------------------------------------------- */

/* A guide's waves have an impedance of their own, which goes with frequency: readers get the usual 50 ohm. */
static double reference_of(const struct scattering *x, int n) { return x->resistance[n] > 0 ? x->resistance[n] : 50; }

/* Ports whose resistances differ: what version 1 has no words for. */
static int references_differ(const struct scattering *x)
{
    int differ = 0;
    for (int n = 1; n < x->n; n++) differ |= fabs(reference_of(x, n) - reference_of(x, 0)) > 1e-12 * reference_of(x, 0);
    return differ;
}

static void head_put(const struct scattering *x, const char *source, FILE *to)
{
    fprintf(to, "! scattering parameters of %d port%s, made by %s\n", x->n, x->n > 1 ? "s" : "", source);
    for (int n = 0; n < x->n; n++)
        if (!(x->resistance[n] > 0))
            fprintf(to,
                    "! port %d is a guide: its waves are those of the mode's own impedance, whatever stands below\n",
                    n + 1);
    if (!references_differ(x)) {
        fprintf(to, "# Hz S RI R %.17g\n", reference_of(x, 0));
        return;
    }
    int said = 0;
    for (int f = 0; f < x->nf; f++) said += x->said[f];
    fprintf(to, "[Version] 2.0\n# Hz S RI R 50\n[Number of Ports] %d\n", x->n);
    if (x->n == 2) fprintf(to, "[Two-Port Data Order] 21_12\n");
    fprintf(to, "[Number of Frequencies] %d\n[Reference]", said);
    for (int n = 0; n < x->n; n++) fprintf(to, " %.17g", reference_of(x, n));
    fprintf(to, "\n[Network Data]\n");
}

/* Row by row, four pairs a line; of two ports S11 S21 S12 S22 in one. */
static void frequency_put(const struct scattering *x, int f, FILE *to)
{
    const double complex *const s = x->s + (ptrdiff_t)f * x->n * x->n;
    const int n = x->n;
    fprintf(to, "%.17g", x->frequency[f]);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            const double complex v = n == 2 ? s[c * n + r] : s[r * n + c];
            if (n > 2 && ((c == 0 && r) || (c && c % PAIRS == 0))) fprintf(to, "\n");
            fprintf(to, " %.12g %.12g", creal(v), cimag(v));
        }
    fprintf(to, "\n");
}

static int touchstone_put(const struct scattering *x, const char *path, const char *source)
{
    FILE *const to = fopen(path, "w");
    IO_CHECK(to, SF_IO, "cannot write '%s': %s", path, strerror(errno));
    head_put(x, source, to);
    for (int f = 0; f < x->nf; f++)
        if (x->said[f]) frequency_put(x, f, to);
    if (references_differ(x)) fprintf(to, "[End]\n");
    const int bad = fflush(to) || ferror(to) || fsync(fileno(to));
    const int worse = fclose(to);
    IO_CHECK(!bad && !worse, SF_IO, "cannot write '%s': %s", path, strerror(errno));
    return SF_OK;
}

/* A file appears whole, or not at all. */
static int touchstone_write(const struct scattering *x, const char *directory, const char *name, const char *source)
{
    char path[PATH_SIZE], aside[PATH_SIZE + 8];
    snprintf(path, sizeof path, "%s/%s.s%dp", directory, name, x->n);
    snprintf(aside, sizeof aside, "%s.tmp", path);
    const int rc = touchstone_put(x, aside, source);
    if (rc) unlink(aside);
    IO_TRY(rc);
    IO_CHECK(!rename(aside, path), SF_IO, "cannot write '%s': %s", path, strerror(errno));
    return SF_OK;
}

/* ---- netCDF ------------------------------------------------------------------------------------------------------ */

struct variables {
    int frequency, port, driven, resistance, s[2];
};

static int define(const struct scattering *x, struct ncfile *f, struct variables *v, const char *source)
{
    int dim[3];
    IO_TRY(ncfile_text(f, NC_GLOBAL, "Conventions", "CF-1.8"));
    IO_TRY(ncfile_text(f, NC_GLOBAL, "source", source));
    IO_TRY(ncfile_text(
        f, NC_GLOBAL, "comment",
        "S = B inverse(A), of the waves a into and b out of all ports in runs that drove one of them each"));
    IO_TRY(ncfile_dim(f, "frequency", (size_t)x->nf, &dim[0]));
    IO_TRY(ncfile_dim(f, "port", (size_t)x->n, &dim[1]));
    IO_TRY(ncfile_dim(f, "driven", (size_t)x->n, &dim[2]));
    IO_TRY(ncfile_var(f, "frequency", NC_DOUBLE, 1, &dim[0], NULL, "frequency", "Hz", "", &v->frequency));
    IO_TRY(ncfile_var(f, "port", NC_DOUBLE, 1, &dim[1], NULL, "number of the port that waves come out of", "1", "",
                      &v->port));
    IO_TRY(ncfile_var(f, "driven", NC_DOUBLE, 1, &dim[2], NULL, "number of the port that waves go into", "1", "",
                      &v->driven));
    IO_TRY(ncfile_var(f, "reference_resistance", NC_DOUBLE, 1, &dim[1], NULL,
                      "resistance that waves are counted by; 0: those of a guide, by its own impedance", "ohm", "",
                      &v->resistance));
    IO_TRY(ncfile_var(f, "s_re", NC_DOUBLE, 3, dim, NULL, "scattering parameter, real part", "1", "", &v->s[0]));
    IO_TRY(ncfile_var(f, "s_im", NC_DOUBLE, 3, dim, NULL, "scattering parameter, imaginary part", "1", "", &v->s[1]));
    const double none = RESULT_NONE; /* of a frequency that is left out */
    for (int q = 0; q < 2; q++)
        NC_TRY(f->path, "_FillValue", sizeof none, nc_def_var_fill(f->id, v->s[q], NC_FILL, &none));
    return SF_OK;
}

static int values_put(const struct scattering *x, const struct ncfile *f, const struct variables *v)
{
    const size_t each = (size_t)x->n * (size_t)x->n, all = (size_t)x->nf * each;
    double *const part = malloc(all * sizeof *part + 1);
    IO_CHECK(part, SF_MEMORY, "no memory for %d ports at %d frequencies", x->n, x->nf);
    int bad = nc_put_var_double(f->id, v->frequency, x->frequency);
    if (!bad) bad = nc_put_var_double(f->id, v->port, x->number);
    if (!bad) bad = nc_put_var_double(f->id, v->driven, x->number);
    if (!bad) bad = nc_put_var_double(f->id, v->resistance, x->resistance);
    for (int q = 0; q < 2 && !bad; q++) {
        for (size_t m = 0; m < all; m++)
            part[m] = !x->said[m / each] ? RESULT_NONE : q ? cimag(x->s[m]) : creal(x->s[m]);
        bad = nc_put_var_double(f->id, v->s[q], part);
    }
    free(part);
    return bad ? ncfile_fail(__FILE__, __LINE__, f->path, "scattering parameters", all * sizeof(double), bad) : SF_OK;
}

static int netcdf_write(const struct scattering *x, const char *directory, const char *source)
{
    LIBRARY_HELD;
    char path[PATH_SIZE];
    struct ncfile f;
    struct variables v;
    size_t bytes;
    snprintf(path, sizeof path, "%s/sparameters.nc", directory);
    ncfile_quiet();
    IO_TRY(ncfile_begin(&f, path, 0));
    int rc = define(x, &f, &v, source);
    if (!rc) {
        const int bad = nc_enddef(f.id);
        if (bad) rc = ncfile_fail(__FILE__, __LINE__, path, "the header", 0, bad);
    }
    if (!rc) rc = values_put(x, &f, &v);
    if (!rc) return ncfile_commit(&f, &bytes);
    ncfile_abandon(&f);
    return rc;
}

int scattering_write(const struct scattering *x, const char *directory, const char *name, const char *source)
{
    IO_TRY(netcdf_write(x, directory, source));
    return touchstone_write(x, directory, name, source);
}
