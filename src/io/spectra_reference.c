/* Comparing with a reference run, and reading it. SPDX-License-Identifier: MIT */
#include "io/spectra_reference.h"

#include "io/nc.h"
#include "pipeline/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

struct reading {
    const struct result *r;
    double **to; /* [nvariables] */
    char path[PATH_SIZE];
    int id;
};

int result_length(const struct result *r, const struct result_variable *v, int d) { return r->axis[v->dim[d]].n; }

size_t result_values(const struct result *r, int v)
{
    size_t n = 1;
    for (int d = 0; d < r->variable[v].ndims; d++) n *= (size_t)result_length(r, &r->variable[v], d);
    return n;
}

static int unfit(const struct reading *q, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static int unfit(const struct reading *q, int status, const char *fmt, ...)
{
    char why[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    return io_fail(SF_INPUT, __FILE__, __LINE__, "'%s' is no reference for this run: %s%s%s", q->path, why,
                   status ? ": " : "", status ? nc_strerror(status) : "");
}

static const char advice[] =
    "a reference has the mesh, the sources, the monitors and the frequencies of this run, and other media and shapes: run it again "
    "with these";

/* ---- axes -------------------------------------------------------------------------------------------------------- */

/* Which of the words of `text` is `word`, -1 when none. */
static int word_index(const char *text, const char *word)
{
    const size_t n = strlen(word);
    for (int m = 0; *text; m++) {
        const size_t length = strcspn(text, " ");
        if (length == n && !strncmp(text, word, n)) return m;
        text += length + strspn(text + length, " ");
    }
    return -1;
}

/* Where entry m of an axis of labels stands in the file. */
static int labels_match(const struct reading *q, const struct result_axis *a, int var, size_t n, size_t *index)
{
    size_t length = 0;
    int rc = nc_inq_attlen(q->id, var, "flag_meanings", &length);
    char *text = rc || length > 1 << 20 ? NULL : calloc(length + 1, 1);
    if (!text) return unfit(q, rc, "no names in '%s'", a->name);
    rc = nc_get_att_text(q->id, var, "flag_meanings", text);
    int bad = -1;
    for (int m = 0; m < a->n && !rc && bad < 0; m++) {
        const int at = word_index(text, a->label[m]);
        if (at < 0 || (size_t)at >= n) bad = m;
        else index[m] = (size_t)at;
    }
    free(text);
    if (rc) return unfit(q, rc, "no names in '%s'", a->name);
    return bad < 0 ? SF_OK : unfit(q, 0, "it lacks '%s'; %s", a->label[bad], advice);
}

static int values_match(const struct reading *q, const struct result_axis *a, int var, size_t n, size_t *index)
{
    if (n != (size_t)a->n)
        return unfit(q, 0, "it has other values of '%s', %zu of them, and this run has %d; %s", a->name, n, a->n,
                     advice);
    double *value = malloc(n * sizeof *value + 1);
    IO_CHECK(value, SF_MEMORY, "no memory to compare with '%s'", q->path);
    const int rc = nc_get_var_double(q->id, var, value);
    int other = -1;
    for (int m = 0; m < a->n && !rc && other < 0; m++) {
        const double step =
            m ? fabs(a->value[m] - a->value[m - 1]) : 0; /* a node at 0 m is as exact as the cells beside it */
        if (!(fabs(value[m] - a->value[m]) <= 1e-9 * fmax(fabs(a->value[m]), step))) other = m;
        index[m] = (size_t)m;
    }
    const double there = other < 0 ? 0 : value[other];
    free(value);
    if (rc) return unfit(q, rc, "no values of '%s'", a->name);
    return other < 0 ? SF_OK
                     : unfit(q, 0, "it has other values of '%s': number %d is %.9g %s there, %.9g %s here; %s", a->name,
                             other + 1, there, a->unit, a->value[other], a->unit, advice);
}

/* index[a->n]: where the entries of an axis stand in the file. *n: how many it has there. */
static int axis_match(const struct reading *q, const struct result_axis *a, int dim, size_t *n, size_t *index)
{
    char name[NC_MAX_NAME + 1];
    int var, ndims = 0, dims[NC_MAX_VAR_DIMS];
    int rc = nc_inq_dim(q->id, dim, name, n);
    if (!rc && strcmp(name, a->name)) return unfit(q, 0, "it has another dimension than '%s'", a->name);
    if (!rc) rc = nc_inq_varid(q->id, a->name, &var);
    if (!rc) rc = nc_inq_var(q->id, var, NULL, NULL, &ndims, dims, NULL);
    if (rc || ndims != 1 || dims[0] != dim) return unfit(q, rc, "no values of '%s'", a->name);
    return a->label ? labels_match(q, a, var, *n, index) : values_match(q, a, var, *n, index);
}

static int axes_match(const struct reading *q)
{
    for (int m = 0; m < q->r->naxes; m++) {
        const struct result_axis *const a = &q->r->axis[m];
        size_t n = 0;
        int dim;
        const int bad = nc_inq_dimid(q->id, a->name, &dim);
        if (bad) return unfit(q, bad, "it lacks '%s'", a->name);
        size_t *const index = malloc((size_t)a->n * sizeof *index + 1);
        IO_CHECK(index, SF_MEMORY, "no memory to compare with '%s'", q->path);
        const int rc = axis_match(q, a, dim, &n, index);
        free(index);
        IO_TRY(rc);
    }
    return SF_OK;
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

static int text_match(const struct reading *q, const struct result_fact *f, int var)
{
    char there[sizeof f->text] = "";
    size_t length = 0;
    if (nc_inq_attlen(q->id, var, f->name, &length) || length >= sizeof there ||
        nc_get_att_text(q->id, var, f->name, there))
        return unfit(q, 0, "%s has no %s there, and '%s' here; %s", f->of, f->name, f->text, advice);
    return strcmp(there, f->text)
               ? unfit(q, 0, "%s: %s is '%s' there, '%s' here; %s", f->of, f->name, there, f->text, advice)
               : SF_OK;
}

static void numbers_print(char *to, size_t size, const double *value, int n)
{
    size_t at = 0;
    for (int m = 0; m < n && at < size; m++)
        at += (size_t)snprintf(to + at, size - at, "%s%.9g", m ? ", " : "", value[m]);
}

static int numbers_match(const struct reading *q, const struct result_fact *f, int var)
{
    double there[FACT_VALUES], largest = 0;
    size_t length = 0;
    if (nc_inq_attlen(q->id, var, f->name, &length) || length != (size_t)f->n ||
        nc_get_att_double(q->id, var, f->name, there))
        return unfit(q, 0, "%s has no %s of %d numbers there; %s", f->of, f->name, f->n, advice);
    int same = 1;
    for (int m = 0; m < f->n; m++) largest = fmax(largest, fabs(f->value[m])); /* of a place, a direction: as a whole */
    for (int m = 0; m < f->n; m++) same = same && fabs(there[m] - f->value[m]) <= 1e-9 * largest;
    if (same) return SF_OK;
    char a[FACT_VALUES * 24], b[FACT_VALUES * 24];
    numbers_print(a, sizeof a, there, f->n);
    numbers_print(b, sizeof b, f->value, f->n);
    return unfit(q, 0, "%s: %s is %s %s there, %s %s here; %s", f->of, f->name, a, f->unit, b, f->unit, advice);
}

/* A file without any fact. */
static int age_check(const struct reading *q)
{
    int var;
    if (!q->r->nfacts || !nc_inq_varid(q->id, q->r->fact[0].of, &var)) return SF_OK;
    return unfit(
        q, 0,
        "an earlier version wrote it, which does not say from which sources and monitors: run it again with this one");
}

static int facts_match(const struct reading *q)
{
    int var;
    for (const struct result_fact *f = q->r->fact; f < q->r->fact + q->r->nfacts; f++) {
        if (nc_inq_varid(q->id, f->of, &var)) return unfit(q, 0, "it has no '%s'; %s", f->of, advice);
        IO_TRY(f->n ? numbers_match(q, f, var) : text_match(q, f, var));
    }
    return SF_OK;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Entries of the file's variable, [result_values], in the order of this run. */
static int entries_pick(const struct reading *q, const struct result_variable *v, int var, const size_t *extent,
                        size_t *const *index, size_t total, double *out)
{
    size_t all = 1;
    for (int d = 0; d < v->ndims; d++) all *= extent[d];
    double *file = all <= (size_t)1 << 28 ? malloc(all * sizeof *file + 1) : NULL;
    IO_CHECK(file, SF_MEMORY, "no memory for the %zu values of '%s' in '%s'", all, v->name, q->path);
    const int rc = nc_get_var_double(q->id, var, file);
    for (size_t m = 0; m < total && !rc; m++) {
        size_t left = m, at = 0, step = 1;
        for (int d = v->ndims - 1; d >= 0; d--) {
            const size_t n = (size_t)result_length(q->r, v, d);
            at += index[d][left % n] * step;
            left /= n, step *= extent[d];
        }
        out[m] = file[at];
    }
    free(file);
    return rc ? unfit(q, rc, "it cannot give '%s'", v->name) : SF_OK;
}

/* What the file has under the name of v, which is a variable of this run. */
static int variable_read(const struct reading *q, const struct result_variable *v, size_t total, double *out)
{
    int var, ndims = 0, dims[NC_MAX_VAR_DIMS];
    size_t extent[RESULT_MAX_DIMS] = {0}, *index[RESULT_MAX_DIMS] = {NULL};
    int rc = nc_inq_varid(q->id, v->name, &var);
    if (!rc) rc = nc_inq_var(q->id, var, NULL, NULL, &ndims, dims, NULL);
    if (rc || ndims != v->ndims) return unfit(q, rc, "it has no such variable: '%s'", v->name);
    for (int d = 0; d < v->ndims && !rc; d++) {
        index[d] = malloc((size_t)result_length(q->r, v, d) * sizeof *index[d] + 1);
        rc = index[d] ? axis_match(q, &q->r->axis[v->dim[d]], dims[d], &extent[d], index[d])
                      : io_fail(SF_MEMORY, __FILE__, __LINE__, "no memory to compare with '%s'", q->path);
    }
    if (!rc) rc = entries_pick(q, v, var, extent, index, total, out);
    for (int d = 0; d < v->ndims; d++) free(index[d]);
    return rc;
}

/* 0 in the place of what is round-off, or is not said. */
static int round_off_drop(const struct reading *q, const char *name, size_t total, double *value)
{
    int of = 0;
    while (of < q->r->nvariables && strcmp(q->r->variable[of].name, name)) of++;
    IO_CHECK(of < q->r->nvariables, SF_INTERNAL, "no variable '%s' in %s", name, q->r->file);
    double *const least = malloc(total * sizeof *least + 1);
    IO_CHECK(least, SF_MEMORY, "no memory for the reference '%s'", q->path);
    const int rc = variable_read(q, &q->r->variable[of], total, least);
    for (size_t m = 0; m < total && !rc; m++)
        if (!(fabs(value[m]) >= RESULT_LEAST * least[m])) value[m] = 0;
    free(least);
    return rc;
}

static int shares_read(const struct reading *q)
{
    for (int v = 0; v < q->r->nvariables; v++) {
        const struct result_variable *const share = &q->r->variable[v];
        if (share->share_of < 0) continue;
        const size_t total = result_values(q->r, v);
        q->to[v] = malloc(total * sizeof **q->to + 1);
        IO_CHECK(q->to[v], SF_MEMORY, "no memory for the reference '%s'", q->path);
        IO_TRY(variable_read(q, &q->r->variable[share->share_of], total, q->to[v]));
        if (share->round_off) IO_TRY(round_off_drop(q, share->round_off, total, q->to[v]));
    }
    return SF_OK;
}

static int reading_job(void *arg)
{
    struct reading *const q = arg;
    const int open = nc_open(q->path, NC_NOWRITE, &q->id);
    if (open) return unfit(q, open, "it cannot be read: '%s'", q->r->file);
    int rc = age_check(q);
    if (!rc) rc = axes_match(q);
    if (!rc) rc = facts_match(q);
    if (!rc) rc = shares_read(q);
    nc_close(q->id);
    return rc;
}

int reference_read(const struct result *r, struct writer *writer, double **to)
{
    struct reading q = {.r = r, .to = to};
    const int length = snprintf(q.path, sizeof q.path, "%s/%s", r->reference, r->file);
    SF_CHECK(length >= 0 && (size_t)length < sizeof q.path, SF_INPUT, "the path of the reference run is too long: '%s'",
             r->reference);
    if (!writer) return reading_job(&q);
    SF_TRY(writer_submit(writer, reading_job, &q, NULL));
    return writer_drain(writer);
}

/* A share over two axes, the second of names: how much of each is left out. */
void reference_judge(const struct result *r, double *const *reference, struct complaints *to)
{
    for (int v = 0; v < r->nvariables; v++) {
        const struct result_variable *const share = &r->variable[v];
        if (!reference[v] || share->ndims != 2 || !r->axis[share->dim[1]].label) continue;
        const int rows = result_length(r, share, 0), columns = result_length(r, share, 1);
        char text[512] = "";
        size_t at = 0;
        for (int c = 0; c < columns; c++) {
            int none = 0;
            for (int m = 0; m < rows; m++) none += !(fabs(reference[v][(size_t)m * (size_t)columns + (size_t)c]) > 0);
            if (none && at < sizeof text)
                at += (size_t)snprintf(text + at, sizeof text - at, "%s'%s' at %d", at ? ", " : "",
                                       r->axis[share->dim[1]].label[c], none);
        }
        if (at)
            sf_complain_mildly(
                to, "spectrum%reference", -1,
                "`%s` is left out where the reference '%s' has nothing but round-off: %s %s of %d values of %s; its `%s` there is none to take a "
                "share of",
                share->name, r->reference, r->axis[share->dim[1]].name, text, rows, r->axis[share->dim[0]].name,
                r->variable[share->share_of].name);
    }
}
