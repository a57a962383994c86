/* Filling, writing and comparing results. SPDX-License-Identifier: MIT */
#include "io/spectra.h"

#include "io/spectra_reference.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096, CHUNK_BYTES = 1 << 24, FACT_BYTES = 120, FACTS_BYTES = 820 };

struct spectra {
    pthread_mutex_t lock; /* guards under_way */
    pthread_cond_t written;
    int under_way; /* files that the writer has still to write */
    const struct instance *in;
    struct output_info info;
    double ***reference; /* [nresults][nvariables]: of shares on rank 0, in the order of this run; else NULL */
    int rank;
};

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static int references_read(struct spectra *s)
{
    s->reference = calloc((size_t)s->in->nresults + 1, sizeof *s->reference);
    SF_CHECK(s->reference, SF_MEMORY, "no memory for %d results", s->in->nresults);
    for (int n = 0; n < s->in->nresults; n++) {
        const struct result *const r = &s->in->result[n];
        s->reference[n] = calloc((size_t)r->nvariables + 1, sizeof **s->reference);
        SF_CHECK(s->reference[n], SF_MEMORY, "no memory for %s", r->file);
        if (r->reference && r->reference[0]) SF_TRY(reference_read(r, s->info.writer, s->reference[n]));
    }
    return SF_OK;
}

static void locks_init(struct spectra *s)
{
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->written, NULL);
}

int spectra_open(struct spectra **out, const struct instance *in, const struct state *st,
                 const struct output_info *info)
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

int spectra_check(const struct instance *in, struct complaints *to)
{
    struct spectra *s = calloc(1, sizeof *s);
    SF_CHECK(s, SF_MEMORY, "no memory for spectra");
    *s = (struct spectra){.in = in};
    locks_init(s);
    ncfile_quiet();
    const int rc = references_read(s);
    for (int n = 0; n < in->nresults && !rc; n++) reference_judge(&in->result[n], s->reference[n], to);
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

static int axis_define(struct ncfile *f, const struct result_axis *a, const char *standard, int *dim, int *var)
{
    IO_TRY(ncfile_dim(f, a->name, (size_t)a->n, dim));
    IO_TRY(ncfile_var(f, a->name, a->label ? NC_INT : NC_DOUBLE, 1, dim, NULL, a->long_name, a->unit, standard, var));
    if (!strcmp(standard, "height")) IO_TRY(ncfile_text(f, *var, "positive", "up"));
    if (!strcmp(standard, "time")) {
        IO_TRY(ncfile_text(f, *var, "calendar", "standard"));
        IO_TRY(ncfile_text(f, *var, "axis", "T"));
    }
    if (!a->label) return SF_OK;
    size_t length = 1;
    for (int m = 0; m < a->n; m++) length += strlen(a->label[m]) + 1;
    char *text = calloc(length, 1);
    int *number = malloc((size_t)a->n * sizeof *number + 1);
    int rc =
        text && number ? SF_OK : io_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the names of '%s'", a->name);
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
    for (int d = 0; d < v->ndims; d++) bytes *= chunk[d] = (size_t)result_length(r, v, d);
    for (int d = 0; d < v->ndims && bytes > CHUNK_BYTES; d++) bytes /= chunk[d], chunk[d] = 1;
    return bytes;
}

static int variable_define(struct ncfile *f, const struct result *r, const struct result_variable *v, const int *axis,
                           int *var)
{
    int dims[RESULT_MAX_DIMS];
    size_t chunk[RESULT_MAX_DIMS];
    chunk_extent(r, v, chunk);
    for (int d = 0; d < v->ndims; d++) dims[d] = axis[v->dim[d]];
    const struct ncstore how = {.chunk = chunk, .is_whole = 1};
    const struct result_names about = r->variable_names ? r->variable_names[v - r->variable] : (struct result_names){0};
    IO_TRY(ncfile_var(f, v->name, NC_DOUBLE, v->ndims, dims, &how, v->long_name, v->unit,
                      about.standard_name ? about.standard_name : "", var));
    IO_TRY(ncfile_text(f, *var, "cell_methods", about.cell_methods));
    const double none = RESULT_NONE;
    NC_TRY(f->path, v->name, 0, nc_def_var_fill(f->id, *var, NC_FILL, &none));
    char share[160];
    snprintf(share, sizeof share, "left out where the reference is nothing%s%s%s",
             v->round_off ? ", or less than five times its " : "", v->round_off ? v->round_off : "",
             v->round_off ? ", which is round-off" : "");
    return ncfile_text(f, *var, "comment", v->share_of >= 0 && !v->comment ? share : v->comment);
}

/* A variable that holds nothing but attributes, for every group of facts; of numbers another attribute says the
 * unit. */
static int facts_define(struct ncfile *f, const struct result *r)
{
    int var = -1;
    for (int n = 0; n < r->nfacts; n++) {
        const struct result_fact *const fact = &r->fact[n];
        if (!n || strcmp(fact->of, fact[-1].of))
            IO_TRY(ncfile_var(f, fact->of, NC_INT, 0, NULL, NULL,
                              r->facts_are ? r->facts_are : "what a reference run must have in common", "", "", &var));
        if (!fact->n) {
            IO_TRY(ncfile_text(f, var, fact->name, fact->text));
            continue;
        }
        char unit[NC_MAX_NAME];
        snprintf(unit, sizeof unit, "%s_units", fact->name);
        NC_TRY(f->path, fact->of, 0,
               nc_put_att_double(f->id, var, fact->name, NC_DOUBLE, (size_t)fact->n, fact->value));
        IO_TRY(ncfile_text(f, var, unit, fact->unit));
    }
    return SF_OK;
}

/* What stands before x, y, z is what a viewer steps through: of four dimensions the reader of VTK and ParaView refuses
 * all but those that begin with an axis T. */
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
    for (int v = 0; v < r->nvariables; v++) bytes += result_values(r, v) * sizeof(double);
    IO_TRY(meta_path(&p->info, r->file, path, sizeof path));
    IO_TRY(ncfile_begin(f, path, bytes));
    IO_TRY(meta_global(f, &p->info, p->in));
    IO_TRY(ncfile_text(f, NC_GLOBAL, "comment", r->comment));
    IO_TRY(ncfile_number(f, NC_GLOBAL, "run_time", p->time));
    for (int a = 0; a < r->naxes; a++) {
        const char *const standard = r->axis_names ? r->axis_names[a].standard_name : NULL;
        IO_TRY(axis_define(f, &r->axis[a], standard ? standard : "", &dim[a], &axis[a]));
        if (is_before_space(r, a)) IO_TRY(ncfile_text(f, axis[a], "axis", "T"));
        if (r->axis[a].bounds) IO_TRY(meta_bounds_define(f, r->axis[a].name, dim[a], axis[a], &ends, &bounds[a]));
    }
    for (int v = 0; v < r->nvariables; v++) IO_TRY(variable_define(f, r, &r->variable[v], dim, &var[v]));
    IO_TRY(facts_define(f, r));
    NC_TRY(path, "its header", 0, nc_enddef(f->id));
    for (int a = 0; a < r->naxes; a++) {
        IO_TRY(axis_put(f, &r->axis[a], axis[a]));
        if (r->axis[a].bounds)
            NC_TRY(path, r->axis[a].name, 2 * (size_t)r->axis[a].n * sizeof(double),
                   nc_put_var_double(f->id, bounds[a], r->axis[a].bounds));
    }
    for (int v = 0; v < r->nvariables; v++)
        NC_TRY(path, r->variable[v].name, result_values(r, v) * sizeof(double),
               nc_put_var_double(f->id, var[v], p->value[v]));
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
        p->value[v] = malloc(result_values(r, v) * sizeof **p->value + 1);
        SF_CHECK(p->value[v], SF_MEMORY, "no memory for the %zu values of %s in %s", result_values(r, v),
                 r->variable[v].name, r->file);
    }
    return SF_OK;
}

static void share_fill(double *out, const double *value, const double *reference, size_t n)
{
    for (size_t m = 0; m < n; m++) {
        const int said = fabs(reference[m]) > 0 && fabs(reference[m]) < RESULT_NONE && fabs(value[m]) < RESULT_NONE;
        out[m] = said ? value[m] / reference[m] : RESULT_NONE;
    }
}

static int result_fill(const struct spectra *s, const struct state *st, int n, struct parcel *p)
{
    const struct result *const r = &s->in->result[n];
    SF_TRY(r->fill(r, st, p ? p->value : NULL));
    for (int v = 0; v < r->nvariables && p; v++) {
        const int of = r->variable[v].share_of;
        if (of >= 0) share_fill(p->value[v], p->value[of], s->reference[n][v], result_values(r, v));
    }
    return SF_OK;
}

int spectra_write(struct spectra *s, const struct state *st, double time)
{
    parcels_wait(s);
    for (int n = 0; n < s->in->nresults; n++) {
        struct parcel *p = NULL;
        const struct result *const r = &s->in->result[n];
        if (r->ready && !r->ready(r)) continue;
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

/* ---- what it takes ----------------------------------------------------------------------------------------------- */

/* Measured as ncfile_overhead was. */
static double facts_size(const struct result *r)
{
    double size = 0;
    for (int n = 0; n < r->nfacts; n++)
        size += FACT_BYTES + (!n || strcmp(r->fact[n].of, r->fact[n - 1].of) ? FACTS_BYTES : 0);
    return size;
}

void spectra_size(const struct instance *in, size_t text, struct spectra_size *size)
{
    enum { COPIES = 2 }; /* that the library makes of a chunk on its way out */
    *size = (struct spectra_size){0};
    for (int n = 0; n < in->nresults; n++) {
        const struct result *const r = &in->result[n];
        double file = ncfile_overhead(text, 2 * r->naxes, r->nvariables, RESULT_MAX_DIMS) + facts_size(r);
        for (int a = 0; a < r->naxes; a++) file += (double)r->axis[a].n * sizeof(double) * (r->axis[a].bounds ? 3 : 1);
        for (int v = 0; v < r->nvariables; v++) {
            const size_t bytes = result_values(r, v) * sizeof(double);
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
