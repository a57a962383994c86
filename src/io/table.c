/* Growing, writing and reading a table. SPDX-License-Identifier: MIT */
#include "io/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, CHUNK_VALUES = 1 << 20 };

static const char *const file_name[TABLES] = {"series.nc", "profiles.nc", "probes.nc", "probes.nc"};

static const char *const place_name[] = {"probe_x", "probe_y", "probe_z"};

struct column {
    const char *name, *long_name, *unit, *standard_name;
};

static int is_of_probes(const struct table *t) { return t->kind == TABLE_PROBES || t->kind == TABLE_TRACES; }

/* Where probe n was asked for. */
static void place_of(const struct table *t, int n, double place[3])
{
    const struct config *const c = t->in->config;
    place[0] = c->output_probe_x[n], place[1] = c->output_probe_y[n], place[2] = c->output_probe_z[n];
}

static struct column column_of(const struct table *t, int n)
{
    if (t->kind == TABLE_TRACES) {
        const struct trace *const r = &t->in->traces.trace[n];
        return (struct column){r->name, r->long_name, r->unit, ""};
    }
    if (t->kind == TABLE_SERIES) {
        const struct quantity *q = &t->in->quantity[n];
        return (struct column){q->name, q->long_name, q->unit, ""};
    }
    const struct diagnostic *d = t->sample->shown[n];
    return (struct column){d->name, d->long_name, d->unit, d->standard_name};
}

void table_init(struct table *t, enum table_kind kind, const struct instance *in, const struct output_info *info,
                const struct sample *sample)
{
    *t = (struct table){.kind = kind, .in = in, .info = info, .sample = sample};
    t->columns = kind == TABLE_SERIES ? in->nquantities : kind == TABLE_TRACES ? in->traces.n : sample->nshown;
    t->length = kind == TABLE_PROFILES ? in->grid->nz : kind == TABLE_PROBES ? sample->nprobes
                : kind == TABLE_TRACES ? in->traces.nprobes : 1;
    t->width = 1 + (size_t)t->columns * (size_t)t->length;
}

void table_drop(struct table *t)
{
    free(t->row);
    *t = (struct table){0};
}

int table_next(struct table *t, double **values)
{
    if (t->n == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 64;
        double *row = realloc(t->row, capacity * t->width * sizeof *row);
        IO_CHECK(row, SF_MEMORY, "no memory for %zu entries of %s: choose %s", capacity, file_name[t->kind],
                 t->kind == TABLE_TRACES ? "fewer probes or steps" : "a longer &time series_interval");
        t->row = row;
        t->capacity = capacity;
    }
    *values = t->row + t->n * t->width + 1;
    return SF_OK;
}

void table_add(struct table *t, double time)
{
    const double *from = t->row + t->n * t->width;
    while (t->n && t->row[(t->n - 1) * t->width] >= time) t->n--;
    double *to = t->row + t->n * t->width;
    if (to != from) memmove(to, from, t->width * sizeof *to);
    to[0] = time;
    t->n++;
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

/* Probes are numbered as in the namelist: cdo warns of names, which are texts. The coordinates are told of the file, not
 * of its variables: cdo also warns of metres that it cannot place on the globe, and xarray reads them here. */
static int probes_define(struct ncfile *f, int dim, int var[4])
{
    static const char *const long_name[] = {"distance eastward of the probe", "distance northward of the probe",
                                            "height of the probe"};
    IO_TRY(ncfile_var(f, "probe", NC_INT, 1, &dim, NULL, "number of the probe in the namelist", "1", "", &var[3]));
    for (int n = 0; n < 3; n++)
        IO_TRY(ncfile_var(f, place_name[n], NC_DOUBLE, 1, &dim, NULL, long_name[n], "m", n == 2 ? "height" : "",
                          &var[n]));
    IO_TRY(ncfile_text(f, var[2], "positive", "up"));
    return ncfile_text(f, NC_GLOBAL, "coordinates", "probe_x probe_y probe_z");
}

static int probes_put(struct ncfile *f, const struct table *t, const int var[4])
{
    for (int n = 0; n < t->length; n++) {
        const size_t at = (size_t)n;
        const int number = n + 1;
        double place[3];
        place_of(t, n, place);
        NC_TRY(f->path, "probe", sizeof number, nc_put_var1_int(f->id, var[3], &at, &number));
        for (int m = 0; m < 3; m++)
            NC_TRY(f->path, place_name[m], sizeof place[m], nc_put_var1_double(f->id, var[m], &at, &place[m]));
    }
    return SF_OK;
}

/* Traces lie on a staggered grid in space and time: Ex_x is the x at which Ex is taken, time_h the time of what is late. */
static int traces_define(struct ncfile *f, const struct table *t, const int dims[2], int *late_var, int *var)
{
    static const char *const long_name[] = {"distance eastward of where it is taken", "distance northward of where it is taken",
                                            "height of where it is taken"};
    const size_t chunk = SF_MIN(SF_MAX(t->n, 1), 4096);
    IO_TRY(ncfile_var(f, "time_h", NC_DOUBLE, 1, &dims[0], &(struct ncstore){.chunk = &chunk},
                      "time of the variables that name it", t->in->time_units, "", late_var));
    for (int n = 0; n < t->columns; n++)
        for (int a = 0; a < 3; a++) {
            char name[NC_MAX_NAME + 1];
            snprintf(name, sizeof name, "%s_%c", t->in->traces.trace[n].name, "xyz"[a]);
            IO_TRY(ncfile_var(f, name, NC_DOUBLE, 1, &dims[1], NULL, long_name[a], "m", "", &var[3 * n + a]));
        }
    return SF_OK;
}

/* The `late` of what has one: 0 when all is taken at the end of a step. */
static double late_of(const struct table *t)
{
    double late = 0;
    for (int n = 0; n < t->columns; n++)
        if (t->in->traces.trace[n].late < 0) late = t->in->traces.trace[n].late;
    return late;
}

/* out: room for t->n values. */
static int traces_put(struct ncfile *f, const struct table *t, int late_var, const int *var, double *out)
{
    const size_t start = 0;
    const double late = late_of(t) * t->in->dt_fixed;
    for (size_t m = 0; m < t->n; m++) out[m] = t->row[m * t->width] + late;
    NC_TRY(f->path, "time_h", t->n * sizeof *out, nc_put_vara_double(f->id, late_var, &start, &t->n, out));
    for (int n = 0; n < t->columns; n++)
        for (int p = 0; p < t->length; p++) {
            const struct trace_place *const at = &t->in->traces.place[n * t->length + p];
            const double place[3] = {at->x, at->y, at->z};
            const size_t index = (size_t)p;
            for (int a = 0; a < 3; a++)
                NC_TRY(f->path, "a place", sizeof place[a], nc_put_var1_double(f->id, var[3 * n + a], &index, &place[a]));
        }
    return SF_OK;
}

/* Column n of the table, [t->n][length]. */
static void column_copy(const struct table *t, int n, double *out)
{
    const size_t length = (size_t)t->length;
    for (size_t m = 0; m < t->n; m++)
        memcpy(out + m * length, t->row + m * t->width + 1 + (size_t)n * length, length * sizeof *out);
}

static int columns_put(struct ncfile *f, const struct table *t, int time_var, const int *var, double *out)
{
    const size_t start[2] = {0, 0}, count[2] = {t->n, (size_t)t->length};
    for (size_t m = 0; m < t->n; m++) out[m] = t->row[m * t->width];
    NC_TRY(f->path, "time", t->n * sizeof *out, nc_put_vara_double(f->id, time_var, start, count, out));
    for (int n = 0; n < t->columns; n++) {
        column_copy(t, n, out);
        NC_TRY(f->path, column_of(t, n).name, t->n * (size_t)t->length * sizeof *out,
               nc_put_vara_double(f->id, var[n], start, count, out));
    }
    return SF_OK;
}

static int table_write(struct ncfile *f, const struct table *t, int *var, double *out)
{
    char path[PATH_SIZE];
    struct axes axes = {0};
    int dims[2], time_var, place[4], late_var;
    int *const trace_var = var + t->columns; /* of traces: three more each */
    const int flat = t->kind == TABLE_SERIES;
    size_t chunk[2] = {SF_MAX(SF_MIN(t->n, CHUNK_VALUES / (size_t)t->length), 1), (size_t)t->length};
    IO_TRY(meta_path(t->info, file_name[t->kind], path, sizeof path));
    IO_TRY(ncfile_begin(f, path, t->n * t->width * sizeof *t->row));
    IO_TRY(meta_global(f, t->info, t->in));
    IO_TRY(meta_time_define(f, t->in, t->n, &dims[0], &time_var));
    if (t->kind == TABLE_PROFILES) {
        axes.n[AXIS_Z] = t->length;
        IO_TRY(meta_axes_define(f, t->in, &axes));
        dims[1] = axes.dim[AXIS_Z];
    }
    if (is_of_probes(t)) {
        IO_TRY(ncfile_dim(f, "probe", (size_t)t->length, &dims[1]));
        IO_TRY(probes_define(f, dims[1], place));
    }
    if (t->kind == TABLE_TRACES) IO_TRY(traces_define(f, t, dims, &late_var, trace_var));
    for (int n = 0; n < t->columns; n++) {
        const struct column c = column_of(t, n);
        const struct ncstore how = {.chunk = chunk};
        IO_TRY(ncfile_var(f, c.name, NC_DOUBLE, flat ? 1 : 2, dims, &how, c.long_name, c.unit, c.standard_name, &var[n]));
        if (t->kind == TABLE_PROFILES) IO_TRY(ncfile_text(f, var[n], "cell_methods", "area: mean"));
        if (t->kind == TABLE_TRACES && t->in->traces.trace[n].late < 0) IO_TRY(ncfile_text(f, var[n], "time_variable", "time_h"));
    }
    NC_TRY(path, "its header", 0, nc_enddef(f->id));
    IO_TRY(meta_axes_put(f, t->in, &axes));
    if (is_of_probes(t)) IO_TRY(probes_put(f, t, place));
    if (t->kind == TABLE_TRACES) IO_TRY(traces_put(f, t, late_var, trace_var, out));
    IO_TRY(columns_put(f, t, time_var, var, out));
    size_t bytes;
    return ncfile_commit(f, &bytes);
}

static int write_job(void *arg)
{
    const struct table *t = arg;
    struct ncfile f = {0};
    int *var = malloc((4 * (size_t)t->columns + 1) * sizeof *var);
    double *out = malloc(t->n * (size_t)t->length * sizeof *out);
    const int rc = var && out ? table_write(&f, t, var, out)
                              : io_fail(SF_MEMORY, __FILE__, __LINE__, "no memory to write %s", file_name[t->kind]);
    ncfile_abandon(&f);
    free(var);
    free(out);
    return rc;
}

static void copy_release(void *arg)
{
    struct table *t = arg;
    table_drop(t);
    free(t);
}

int table_submit(const struct table *t)
{
    if (!t->n) return SF_OK;
    struct table *copy = malloc(sizeof *copy);
    double *row = malloc(t->n * t->width * sizeof *row);
    if (!copy || !row) {
        free(copy);
        free(row);
        SF_FAIL(SF_MEMORY, "no memory for a copy of the %zu entries of %s", t->n, file_name[t->kind]);
    }
    memcpy(row, t->row, t->n * t->width * sizeof *row);
    *copy = *t;
    copy->row = row;
    return writer_submit(t->info->writer, write_job, copy, copy_release);
}

/* ---- going on ----------------------------------------------------------------------------------------------------- */

struct resume {
    struct table *t;
    double time;
    char path[PATH_SIZE];
};

static int misfit(const struct resume *r, const char *what, int status)
{
    return io_fail(SF_RESTART, __FILE__, __LINE__,
                   "'%s' cannot be continued: %s%s%s; move it away, and the run begins a new one", r->path, what,
                   status ? ": " : "", status ? nc_strerror(status) : "");
}

/* Values [n][length] of variable `name`, which must have exactly this shape. */
static int column_read(const struct resume *r, int id, const char *name, size_t n, size_t length, double *out)
{
    int var, ndims = 0, dims[NC_MAX_VAR_DIMS];
    size_t total = 1;
    int rc = nc_inq_varid(id, name, &var);
    if (!rc) rc = nc_inq_var(id, var, NULL, NULL, &ndims, dims, NULL);
    for (int d = 0; !rc && d < ndims; d++) {
        size_t extent = 0;
        rc = nc_inq_dimlen(id, dims[d], &extent);
        total = d < 2 ? total * extent : 0;
    }
    if (rc) return misfit(r, name, rc);
    if (ndims < 1 || total != n * length) return misfit(r, "a variable has another shape than in this run", 0);
    rc = nc_get_var_double(id, var, out);
    return rc ? misfit(r, name, rc) : SF_OK;
}

/* A series of values belongs to one place. */
static int places_check(const struct resume *r, int id)
{
    for (int n = 0; n < r->t->length; n++) {
        double place[3];
        place_of(r->t, n, place);
        for (int m = 0; m < 3; m++) {
            const size_t at = (size_t)n;
            double value = 0;
            int var;
            int rc = nc_inq_varid(id, place_name[m], &var);
            if (!rc) rc = nc_get_var1_double(id, var, &at, &value);
            if (rc) return misfit(r, place_name[m], rc);
            if (value < place[m] || value > place[m]) return misfit(r, "a probe has been moved", 0);
        }
    }
    return SF_OK;
}

static int entries_read(struct resume *r, int id)
{
    struct table *t = r->t;
    size_t n = 0;
    int dim;
    int rc = nc_inq_dimid(id, "time", &dim);
    if (!rc) rc = nc_inq_dimlen(id, dim, &n);
    if (rc) return misfit(r, "time", rc);
    if (n > (size_t)1 << 40 || (n && t->width > SIZE_MAX / sizeof(double) / n)) return misfit(r, "it is too long", 0);
    double *out = malloc(n * (size_t)t->length * sizeof *out + sizeof *out);
    t->row = malloc(n * t->width * sizeof *t->row + sizeof *t->row);
    if (!out || !t->row) {
        free(out);
        return io_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the %zu entries of '%s'", n, r->path);
    }
    t->capacity = n;
    rc = column_read(r, id, "time", n, 1, out);
    if (!rc && is_of_probes(t)) rc = places_check(r, id);
    for (size_t m = 0; !rc && m < n; m++) t->row[m * t->width] = out[m];
    for (int c = 0; !rc && c < t->columns; c++) {
        const size_t length = (size_t)t->length;
        rc = column_read(r, id, column_of(t, c).name, n, length, out);
        for (size_t m = 0; !rc && m < n; m++)
            memcpy(t->row + m * t->width + 1 + (size_t)c * length, out + m * length, length * sizeof *out);
    }
    while (!rc && t->n < n && t->row[t->n * t->width] <= r->time) t->n++;
    free(out);
    return rc;
}

static int resume_job(void *arg)
{
    struct resume *r = arg;
    if (access(r->path, F_OK)) return SF_OK;
    int id;
    int rc = nc_open(r->path, NC_NOWRITE, &id);
    if (rc) return misfit(r, "it cannot be read", rc);
    rc = entries_read(r, id);
    nc_close(id);
    return rc;
}

int table_resume(struct table *t, double time)
{
    struct resume r = {.t = t, .time = time};
    SF_TRY(meta_path(t->info, file_name[t->kind], r.path, sizeof r.path));
    SF_TRY(writer_submit(t->info->writer, resume_job, &r, NULL));
    return writer_drain(t->info->writer);
}
