/* Filling, writing and comparing results. SPDX-License-Identifier: MIT */
#include "io/spectra.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096, CHUNK_BYTES = 1 << 24 };

struct spectra {
    pthread_mutex_t lock; /* guards under_way */
    pthread_cond_t written;
    int under_way; /* files that the writer has still to write */
    const struct instance *in;
    struct output_info info;
    double ***reference; /* [nresults][nvariables]: of shares on rank 0, in the order of this run; else NULL */
    int rank;
};

static int length_of(const struct result *r, const struct result_variable *v, int d) { return r->axis[v->dim[d]].n; }

static size_t values_of(const struct result *r, int v)
{
    size_t n = 1;
    for (int d = 0; d < r->variable[v].ndims; d++) n *= (size_t)length_of(r, &r->variable[v], d);
    return n;
}

/* ---- the reference run ------------------------------------------------------------------------------------------- */

struct reading {
    const struct result *r;
    double **to; /* [nvariables] */
    char path[PATH_SIZE];
    int id;
};

static int unfit(const struct reading *q, const char *what, const char *name, int status)
{
    return io_fail(SF_INPUT, __FILE__, __LINE__, "'%s' is no reference for this run: %s '%s'%s%s", q->path, what, name,
                   status ? ": " : "", status ? nc_strerror(status) : "");
}

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
    if (!text) return unfit(q, "no names in", a->name, rc);
    rc = nc_get_att_text(q->id, var, "flag_meanings", text);
    int bad = -1;
    for (int m = 0; m < a->n && !rc && bad < 0; m++) {
        const int at = word_index(text, a->label[m]);
        if (at < 0 || (size_t)at >= n) bad = m;
        else index[m] = (size_t)at;
    }
    free(text);
    if (rc) return unfit(q, "no names in", a->name, rc);
    return bad < 0 ? SF_OK : unfit(q, "it lacks", a->label[bad], 0);
}

static int values_match(const struct reading *q, const struct result_axis *a, int var, size_t n, size_t *index)
{
    double *value = n == (size_t)a->n ? malloc(n * sizeof *value + 1) : NULL;
    if (!value) return unfit(q, "other values of", a->name, 0);
    const int rc = nc_get_var_double(q->id, var, value);
    int same = !rc;
    for (int m = 0; m < a->n && same; m++) {
        same = fabs(value[m] - a->value[m]) <= 1e-9 * fabs(a->value[m]);
        index[m] = (size_t)m;
    }
    free(value);
    return same ? SF_OK : unfit(q, "other values of", a->name, rc);
}

/* index[a->n]: where the entries of an axis stand in the file. *n: how many it has there. */
static int axis_match(const struct reading *q, const struct result_axis *a, int dim, size_t *n, size_t *index)
{
    char name[NC_MAX_NAME + 1];
    int var, ndims = 0, dims[NC_MAX_VAR_DIMS];
    int rc = nc_inq_dim(q->id, dim, name, n);
    if (!rc && strcmp(name, a->name)) return unfit(q, "it has another dimension than", a->name, 0);
    if (!rc) rc = nc_inq_varid(q->id, a->name, &var);
    if (!rc) rc = nc_inq_var(q->id, var, NULL, NULL, &ndims, dims, NULL);
    if (rc || ndims != 1 || dims[0] != dim) return unfit(q, "no values of", a->name, rc);
    return a->label ? labels_match(q, a, var, *n, index) : values_match(q, a, var, *n, index);
}

static int is_told(double value) { return fabs(value) < RESULT_NONE; }

/* What is so little that it is round-off, beside the largest of the file, counts as nothing. */
static double worth(double value, double largest) { return fabs(value) >= SPECTRA_LEAST * largest ? value : 0; }

/* Entries of the file's variable, [values_of], in the order of this run; 0 where there is too little to take a share of. */
static int entries_pick(const struct reading *q, const struct result_variable *v, int var, const size_t *extent,
                        size_t *const *index, size_t total, double *out)
{
    size_t all = 1;
    for (int d = 0; d < v->ndims; d++) all *= extent[d];
    double *file = all <= (size_t)1 << 28 ? malloc(all * sizeof *file + 1) : NULL;
    IO_CHECK(file, SF_MEMORY, "no memory for the %zu values of '%s' in '%s'", all, v->name, q->path);
    const int rc = nc_get_var_double(q->id, var, file);
    double largest = 0;
    for (size_t m = 0; m < all && !rc; m++) largest = fmax(largest, is_told(file[m]) ? fabs(file[m]) : 0);
    for (size_t m = 0; m < total && !rc; m++) {
        size_t left = m, at = 0, step = 1;
        for (int d = v->ndims - 1; d >= 0; d--) {
            const size_t n = (size_t)length_of(q->r, v, d);
            at += index[d][left % n] * step;
            left /= n, step *= extent[d];
        }
        out[m] = worth(file[at], largest);
    }
    free(file);
    return rc ? unfit(q, "it cannot give", v->name, rc) : SF_OK;
}

static int variable_read(const struct reading *q, const struct result_variable *v, size_t total, double *out)
{
    int var, ndims = 0, dims[NC_MAX_VAR_DIMS];
    size_t extent[RESULT_MAX_DIMS] = {0}, *index[RESULT_MAX_DIMS] = {NULL};
    int rc = nc_inq_varid(q->id, v->name, &var);
    if (!rc) rc = nc_inq_var(q->id, var, NULL, NULL, &ndims, dims, NULL);
    if (rc || ndims != v->ndims) return unfit(q, "it has no such variable:", v->name, rc);
    for (int d = 0; d < v->ndims && !rc; d++) {
        index[d] = malloc((size_t)length_of(q->r, v, d) * sizeof *index[d] + 1);
        rc = index[d] ? axis_match(q, &q->r->axis[v->dim[d]], dims[d], &extent[d], index[d])
                      : io_fail(SF_MEMORY, __FILE__, __LINE__, "no memory to compare with '%s'", q->path);
    }
    if (!rc) rc = entries_pick(q, v, var, extent, index, total, out);
    for (int d = 0; d < v->ndims; d++) free(index[d]);
    return rc;
}

static int shares_read(const struct reading *q)
{
    for (int v = 0; v < q->r->nvariables; v++) {
        const int of = q->r->variable[v].share_of;
        if (of < 0) continue;
        const size_t total = values_of(q->r, v);
        q->to[v] = malloc(total * sizeof **q->to + 1);
        IO_CHECK(q->to[v], SF_MEMORY, "no memory for the reference '%s'", q->path);
        IO_TRY(variable_read(q, &q->r->variable[of], total, q->to[v]));
    }
    return SF_OK;
}

static int reading_job(void *arg)
{
    struct reading *const q = arg;
    const int open = nc_open(q->path, NC_NOWRITE, &q->id);
    if (open) return unfit(q, "it cannot be read:", q->r->file, open);
    const int rc = shares_read(q);
    nc_close(q->id);
    return rc;
}

static int reference_read(struct spectra *s, int n)
{
    const struct result *const r = &s->in->result[n];
    struct reading q = {.r = r, .to = s->reference[n]};
    const int length = snprintf(q.path, sizeof q.path, "%s/%s", r->reference, r->file);
    SF_CHECK(length >= 0 && (size_t)length < sizeof q.path, SF_INPUT, "the path of the reference run is too long: '%s'",
             r->reference);
    if (!s->info.writer) return reading_job(&q);
    SF_TRY(writer_submit(s->info.writer, reading_job, &q, NULL));
    return writer_drain(s->info.writer);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static int references_read(struct spectra *s)
{
    s->reference = calloc((size_t)s->in->nresults + 1, sizeof *s->reference);
    SF_CHECK(s->reference, SF_MEMORY, "no memory for %d results", s->in->nresults);
    for (int n = 0; n < s->in->nresults; n++) {
        const struct result *const r = &s->in->result[n];
        s->reference[n] = calloc((size_t)r->nvariables + 1, sizeof **s->reference);
        SF_CHECK(s->reference[n], SF_MEMORY, "no memory for %s", r->file);
        if (r->reference && r->reference[0]) SF_TRY(reference_read(s, n));
    }
    return SF_OK;
}

static void locks_init(struct spectra *s)
{
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->written, NULL);
}

int spectra_open(struct spectra **out, const struct instance *in, const struct state *st, const struct output_info *info)
{
    struct spectra *s = calloc(1, sizeof *s);
    int rc = s ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for spectra");
    if (s) {
        *s = (struct spectra){.in = in, .info = *info, .rank = st->comm.rank};
        locks_init(s);
    }
    if (s && s->rank == 0) rc = references_read(s);
    rc = outcome_share(&st->comm, rc);
    if (rc) spectra_close(&s);
    *out = s;
    return rc;
}

int spectra_check(const struct instance *in)
{
    struct spectra *s = calloc(1, sizeof *s);
    SF_CHECK(s, SF_MEMORY, "no memory for spectra");
    *s = (struct spectra){.in = in};
    locks_init(s);
    ncfile_quiet();
    const int rc = references_read(s);
    spectra_close(&s);
    return rc;
}

void spectra_close(struct spectra **at)
{
    struct spectra *s = *at;
    if (!s) return;
    for (int n = 0; s->reference && n < s->in->nresults && s->reference[n]; n++) {
        for (int v = 0; v < s->in->result[n].nvariables; v++) free(s->reference[n][v]);
        free(s->reference[n]);
    }
    free(s->reference);
    pthread_cond_destroy(&s->written);
    pthread_mutex_destroy(&s->lock);
    free(s);
    *at = NULL;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* A file on its way to the writer. */
struct parcel {
    struct spectra *of;
    const struct instance *in;
    struct output_info info;
    const struct result *r;
    double time;
    double *value[]; /* [nvariables] */
};

static int axis_define(struct ncfile *f, const struct result_axis *a, int *dim, int *var)
{
    IO_TRY(ncfile_dim(f, a->name, (size_t)a->n, dim));
    IO_TRY(ncfile_var(f, a->name, a->label ? NC_INT : NC_DOUBLE, 1, dim, NULL, a->long_name, a->unit, "", var));
    if (!a->label) return SF_OK;
    size_t length = 1;
    for (int m = 0; m < a->n; m++) length += strlen(a->label[m]) + 1;
    char *text = calloc(length, 1);
    int *number = malloc((size_t)a->n * sizeof *number + 1);
    int rc = text && number ? SF_OK : io_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the names of '%s'", a->name);
    for (int m = 0; m < a->n && !rc; m++) {
        if (m) strcat(text, " ");
        strcat(text, a->label[m]);
        number[m] = m + 1;
    }
    const int bad = rc ? NC_NOERR : nc_put_att_int(f->id, *var, "flag_values", NC_INT, (size_t)a->n, number);
    if (!rc && bad) rc = ncfile_fail(__FILE__, __LINE__, f->path, "flag_values", 0, bad);
    if (!rc) rc = ncfile_text(f, *var, "flag_meanings", text);
    free(text);
    free(number);
    return rc;
}

static int axis_put(struct ncfile *f, const struct result_axis *a, int var)
{
    if (!a->label) {
        NC_TRY(f->path, a->name, (size_t)a->n * sizeof(double), nc_put_var_double(f->id, var, a->value));
        return SF_OK;
    }
    for (int m = 0; m < a->n; m++) {
        const size_t at = (size_t)m;
        const int number = m + 1;
        NC_TRY(f->path, a->name, sizeof number, nc_put_var1_int(f->id, var, &at, &number));
    }
    return SF_OK;
}

/* The whole variable, or of a large one the part that its last dimensions make. Returns its bytes. */
static size_t chunk_extent(const struct result *r, const struct result_variable *v, size_t chunk[RESULT_MAX_DIMS])
{
    size_t bytes = sizeof(double);
    for (int d = 0; d < v->ndims; d++) bytes *= chunk[d] = (size_t)length_of(r, v, d);
    for (int d = 0; d < v->ndims && bytes > CHUNK_BYTES; d++) bytes /= chunk[d], chunk[d] = 1;
    return bytes;
}

static int variable_define(struct ncfile *f, const struct result *r, const struct result_variable *v, const int *axis, int *var)
{
    int dims[RESULT_MAX_DIMS];
    size_t chunk[RESULT_MAX_DIMS];
    chunk_extent(r, v, chunk);
    for (int d = 0; d < v->ndims; d++) dims[d] = axis[v->dim[d]];
    const struct ncstore how = {.chunk = chunk, .is_whole = 1};
    IO_TRY(ncfile_var(f, v->name, NC_DOUBLE, v->ndims, dims, &how, v->long_name, v->unit, "", var));
    const double none = RESULT_NONE;
    NC_TRY(f->path, v->name, 0, nc_def_var_fill(f->id, *var, NC_FILL, &none));
    char share[160];
    snprintf(share, sizeof share, "left out where the reference is less than %g of its largest value, or nothing", SPECTRA_LEAST);
    return ncfile_text(f, *var, "comment", v->share_of >= 0 && !v->comment ? share : v->comment);
}

/* What stands before x, y, z is what a viewer steps through: of four dimensions the reader of VTK and ParaView refuses all but
 * those that begin with an axis T. */
static int is_before_space(const struct result *r, int a)
{
    int before = 0;
    for (int v = 0; v < r->nvariables; v++) before |= r->variable[v].ndims == 4 && r->variable[v].dim[0] == a;
    return before;
}

/* bounds[naxes]: the variables of cells of axes, where there are any */
static int result_write(struct ncfile *f, const struct parcel *p, int *dim, int *axis, int *bounds, int *var)
{
    const struct result *const r = p->r;
    char path[PATH_SIZE];
    size_t bytes = 0;
    int ends = -1;
    for (int v = 0; v < r->nvariables; v++) bytes += values_of(r, v) * sizeof(double);
    IO_TRY(meta_path(&p->info, r->file, path, sizeof path));
    IO_TRY(ncfile_begin(f, path, bytes));
    IO_TRY(meta_global(f, &p->info, p->in));
    IO_TRY(ncfile_text(f, NC_GLOBAL, "comment", r->comment));
    IO_TRY(ncfile_number(f, NC_GLOBAL, "run_time", p->time));
    for (int a = 0; a < r->naxes; a++) {
        IO_TRY(axis_define(f, &r->axis[a], &dim[a], &axis[a]));
        if (is_before_space(r, a)) IO_TRY(ncfile_text(f, axis[a], "axis", "T"));
        if (r->axis[a].bounds) IO_TRY(meta_bounds_define(f, r->axis[a].name, dim[a], axis[a], &ends, &bounds[a]));
    }
    for (int v = 0; v < r->nvariables; v++) IO_TRY(variable_define(f, r, &r->variable[v], dim, &var[v]));
    NC_TRY(path, "its header", 0, nc_enddef(f->id));
    for (int a = 0; a < r->naxes; a++) {
        IO_TRY(axis_put(f, &r->axis[a], axis[a]));
        if (r->axis[a].bounds)
            NC_TRY(path, r->axis[a].name, 2 * (size_t)r->axis[a].n * sizeof(double), nc_put_var_double(f->id, bounds[a], r->axis[a].bounds));
    }
    for (int v = 0; v < r->nvariables; v++)
        NC_TRY(path, r->variable[v].name, values_of(r, v) * sizeof(double), nc_put_var_double(f->id, var[v], p->value[v]));
    return ncfile_commit(f, &bytes);
}

static int write_job(void *arg)
{
    const struct parcel *const p = arg;
    struct ncfile f = {0};
    const size_t axes = (size_t)p->r->naxes;
    int *const id = malloc((3 * axes + (size_t)p->r->nvariables + 1) * sizeof *id);
    const int rc = id ? result_write(&f, p, id, id + axes, id + 2 * axes, id + 3 * axes)
                      : io_fail(SF_MEMORY, __FILE__, __LINE__, "no memory to write %s", p->r->file);
    ncfile_abandon(&f);
    free(id);
    return rc;
}

static void parcel_release(void *arg)
{
    struct parcel *const p = arg;
    struct spectra *const s = p->of;
    for (int v = 0; v < p->r->nvariables; v++) free(p->value[v]);
    free(p);
    pthread_mutex_lock(&s->lock);
    s->under_way--;
    pthread_cond_signal(&s->written);
    pthread_mutex_unlock(&s->lock);
}

static void parcels_wait(struct spectra *s)
{
    pthread_mutex_lock(&s->lock);
    while (s->under_way) pthread_cond_wait(&s->written, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

/* Room for all values, on rank 0. */
static int parcel_make(struct parcel **out, struct spectra *s, const struct result *r, double time)
{
    struct parcel *p = *out = calloc(1, sizeof *p + (size_t)r->nvariables * sizeof *p->value);
    SF_CHECK(p, SF_MEMORY, "no memory for %s", r->file);
    pthread_mutex_lock(&s->lock);
    s->under_way++;
    pthread_mutex_unlock(&s->lock);
    p->of = s, p->in = s->in, p->info = s->info, p->r = r, p->time = time;
    for (int v = 0; v < r->nvariables; v++) {
        p->value[v] = malloc(values_of(r, v) * sizeof **p->value + 1);
        SF_CHECK(p->value[v], SF_MEMORY, "no memory for the %zu values of %s in %s", values_of(r, v), r->variable[v].name,
                 r->file);
    }
    return SF_OK;
}

static void share_fill(double *out, const double *value, const double *reference, size_t n)
{
    for (size_t m = 0; m < n; m++) {
        const int said = fabs(reference[m]) > 0 && is_told(reference[m]) && is_told(value[m]);
        out[m] = said ? value[m] / reference[m] : RESULT_NONE;
    }
}

static int result_fill(const struct spectra *s, const struct state *st, int n, struct parcel *p)
{
    const struct result *const r = &s->in->result[n];
    for (int v = 0; v < r->nvariables; v++) {
        const int of = r->variable[v].share_of;
        if (of < 0) SF_TRY(r->fill(r, st, v, p ? p->value[v] : NULL));
        else if (p) share_fill(p->value[v], p->value[of], s->reference[n][v], values_of(r, v));
    }
    return SF_OK;
}

int spectra_write(struct spectra *s, const struct state *st, double time)
{
    parcels_wait(s);
    for (int n = 0; n < s->in->nresults; n++) {
        struct parcel *p = NULL;
        int rc = outcome_share(&st->comm, s->rank == 0 ? parcel_make(&p, s, &s->in->result[n], time) : SF_OK);
        if (!rc) rc = result_fill(s, st, n, p);
        if (rc) {
            if (p) parcel_release(p);
            return rc;
        }
        SF_TRY(outcome_share(&st->comm, p ? writer_submit(s->info.writer, write_job, p, parcel_release) : SF_OK));
    }
    return SF_OK;
}

/* ---- what it takes ------------------------------------------------------------------------------------------------ */

void spectra_size(const struct instance *in, size_t text, struct spectra_size *size)
{
    enum { COPIES = 2 }; /* that the library makes of a chunk on its way out */
    *size = (struct spectra_size){0};
    for (int n = 0; n < in->nresults; n++) {
        const struct result *const r = &in->result[n];
        double file = ncfile_overhead(text, 2 * r->naxes, r->nvariables, RESULT_MAX_DIMS);
        for (int v = 0; v < r->nvariables; v++) {
            const size_t bytes = values_of(r, v) * sizeof(double);
            size_t chunk[RESULT_MAX_DIMS];
            size->values += bytes, file += (double)bytes;
            size->writing = SF_MAX(size->writing, COPIES * chunk_extent(r, &r->variable[v], chunk));
            if (r->variable[v].share_of >= 0) size->kept += bytes;
        }
        size->filling = SF_MAX(size->filling, r->filling);
        size->disk += file;
        size->largest = SF_MAX(size->largest, file);
    }
}
