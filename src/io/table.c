/* Growing and writing a table. SPDX-License-Identifier: MIT */
#include "io/table_parts.h"

#include "io/journal.h"
#include "pipeline/mapping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_VALUES = 1 << 20 };

const char *const table_file[TABLES] = {"series.nc", "profiles.nc", "probes.nc", "probes.nc"};
static const char *const journal_name[TABLES] = {"series.journal", "profiles.journal", "probes.journal",
                                                 "probes.journal"};

const char *const table_place[3] = {"probe_x", "probe_y", "probe_z"};

int table_is_of_probes(const struct table *t) { return t->kind == TABLE_PROBES || t->kind == TABLE_TRACES; }

/* Where probe n was asked for. */
void table_place_of(const struct table *t, int n, double place[3])
{
    const struct config *const c = t->in->config;
    place[0] = c->output_probe_x[n], place[1] = c->output_probe_y[n], place[2] = c->output_probe_z[n];
}

struct column table_column(const struct table *t, int n)
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
    t->length = kind == TABLE_PROFILES ? in->grid->nz
                : kind == TABLE_PROBES ? sample->nprobes
                : kind == TABLE_TRACES ? in->traces.nprobes
                                       : 1;
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
        IO_CHECK(row, SF_MEMORY, "no memory for %zu entries of %s: choose %s", capacity, table_file[t->kind],
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
    t->saved = SF_MIN(t->saved, t->n);
    t->n++;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Probes are numbered as in the namelist: cdo warns of names, which are texts. The coordinates are told of the file,
 * not of its variables: cdo also warns of metres that it cannot place on the globe, and xarray reads them here. */
enum { PLACES = 6 }; /* variables of x, y, z, number, and on a map of latitude and longitude */
static int probes_define(struct ncfile *f, const struct instance *in, int dim, int var[PLACES])
{
    static const char *const long_name[] = {"distance eastward of the probe", "distance northward of the probe",
                                            "height of the probe"};
    IO_TRY(ncfile_var(f, "probe", NC_INT, 1, &dim, NULL, "number of the probe in the namelist", "1", "", &var[3]));
    for (int n = 0; n < 3; n++)
        IO_TRY(ncfile_var(f, table_place[n], NC_DOUBLE, 1, &dim, NULL, long_name[n], "m", n == 2 ? "height" : "",
                          &var[n]));
    IO_TRY(ncfile_text(f, var[2], "positive", "up"));
    if (!in->mapping) return ncfile_text(f, NC_GLOBAL, "coordinates", "probe_x probe_y probe_z");
    IO_TRY(ncfile_var(f, "probe_latitude", NC_DOUBLE, 1, &dim, NULL, "latitude of the probe", "degrees_north",
                      "latitude", &var[4]));
    IO_TRY(ncfile_var(f, "probe_longitude", NC_DOUBLE, 1, &dim, NULL, "longitude of the probe", "degrees_east",
                      "longitude", &var[5]));
    return ncfile_text(f, NC_GLOBAL, "coordinates", "probe_x probe_y probe_z probe_latitude probe_longitude");
}

static int probes_put(struct ncfile *f, const struct table *t, const int var[PLACES])
{
    for (int n = 0; n < t->length; n++) {
        const size_t at = (size_t)n;
        const int number = n + 1;
        double place[3];
        table_place_of(t, n, place);
        NC_TRY(f->path, "probe", sizeof number, nc_put_var1_int(f->id, var[3], &at, &number));
        for (int m = 0; m < 3; m++)
            NC_TRY(f->path, table_place[m], sizeof place[m], nc_put_var1_double(f->id, var[m], &at, &place[m]));
        if (!t->in->mapping) continue;
        double on_earth[2];
        t->in->mapping->place(t->in, place[0], place[1], &on_earth[0], &on_earth[1]);
        for (int m = 0; m < 2; m++)
            NC_TRY(f->path, "the place of a probe", sizeof on_earth[m],
                   nc_put_var1_double(f->id, var[4 + m], &at, &on_earth[m]));
    }
    return SF_OK;
}

/* Traces lie on a staggered grid in space and time: Ex_x is the x at which Ex is taken, time_h the time of what is
 * late. */
static int traces_define(struct ncfile *f, const struct table *t, const int dims[2], int *late_var, int *var)
{
    static const char *const long_name[] = {"distance eastward of where it is taken",
                                            "distance northward of where it is taken", "height of where it is taken"};
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
                NC_TRY(f->path, "a place", sizeof place[a],
                       nc_put_var1_double(f->id, var[3 * n + a], &index, &place[a]));
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
        NC_TRY(f->path, table_column(t, n).name, t->n * (size_t)t->length * sizeof *out,
               nc_put_vara_double(f->id, var[n], start, count, out));
    }
    return SF_OK;
}

/* Entries of a chunk: chunks of one size, as few as there can be. */
static size_t chunk_entries(const struct table *t) { return ncfile_part(t->n, CHUNK_VALUES / (size_t)t->length); }

static int table_write(struct ncfile *f, const struct table *t, int *var, double *out)
{
    char path[TABLE_PATH];
    struct axes axes = {0};
    int dims[2], time_var, place[PLACES], late_var;
    int *const trace_var = var + t->columns; /* of traces: three more each */
    const int flat = t->kind == TABLE_SERIES;
    size_t chunk[2] = {chunk_entries(t), (size_t)t->length};
    IO_TRY(meta_path(t->info, table_file[t->kind], path, sizeof path));
    IO_TRY(ncfile_begin(f, path, t->n * t->width * sizeof *t->row));
    IO_TRY(meta_global(f, t->info, t->in));
    IO_TRY(meta_time_define(f, t->in, t->n, &dims[0], &time_var));
    if (t->kind == TABLE_PROFILES) {
        axes.n[AXIS_Z] = t->length;
        IO_TRY(meta_axes_define(f, t->in, &axes));
        dims[1] = axes.dim[AXIS_Z];
    }
    if (table_is_of_probes(t)) {
        IO_TRY(ncfile_dim(f, "probe", (size_t)t->length, &dims[1]));
        IO_TRY(probes_define(f, t->in, dims[1], place));
    }
    if (t->kind == TABLE_TRACES) IO_TRY(traces_define(f, t, dims, &late_var, trace_var));
    for (int n = 0; n < t->columns; n++) {
        const struct column c = table_column(t, n);
        const struct ncstore how = {.chunk = chunk, .is_whole = 1};
        IO_TRY(
            ncfile_var(f, c.name, NC_DOUBLE, flat ? 1 : 2, dims, &how, c.long_name, c.unit, c.standard_name, &var[n]));
        if (t->kind == TABLE_PROFILES) IO_TRY(ncfile_text(f, var[n], "cell_methods", "area: mean"));
        if (t->kind == TABLE_TRACES && t->in->traces.trace[n].late < 0)
            IO_TRY(ncfile_text(f, var[n], "time_variable", "time_h"));
    }
    NC_TRY(path, "its header", 0, nc_enddef(f->id));
    IO_TRY(meta_axes_put(f, t->in, &axes));
    if (table_is_of_probes(t)) IO_TRY(probes_put(f, t, place));
    if (t->kind == TABLE_TRACES) IO_TRY(traces_put(f, t, late_var, trace_var, out));
    IO_TRY(columns_put(f, t, time_var, var, out));
    size_t bytes;
    return ncfile_commit(f, &bytes);
}

/* One way of bringing a table to disk, with the rows that it takes. */
struct saving {
    struct table t; /* its rows are all, or in a journal those that are new */
    struct journal_head head; /* of the journal */
    int whole, begin; /* the file, or a journal that begins or goes on */
    char journal[TABLE_PATH];
};

static int write_whole(const struct saving *s)
{
    const struct table *t = &s->t;
    struct ncfile f = {0};
    int *var = malloc((4 * (size_t)t->columns + 1) * sizeof *var);
    double *out = malloc(t->n * (size_t)t->length * sizeof *out);
    const int rc = var && out ? table_write(&f, t, var, out)
                              : io_fail(SF_MEMORY, __FILE__, __LINE__, "no memory to write %s", table_file[t->kind]);
    ncfile_abandon(&f);
    free(var);
    free(out);
    if (!rc) journal_remove(s->journal);
    return rc;
}

static int write_job(void *arg)
{
    const struct saving *s = arg;
    return s->whole ? write_whole(s) : journal_append(s->journal, &s->head, s->begin, s->t.row, s->t.n);
}

static void saving_release(void *arg)
{
    struct saving *s = arg;
    free(s->t.row);
    free(s);
}

int table_journal(const struct table *t, char *path, size_t size)
{
    return meta_path(t->info, journal_name[t->kind], path, size);
}

/* Is the file to be written, rather than what is new? When it is small, or has doubled: so all that is written of a
 * table is less than three times what it holds at last, beside its journals, which are what it holds once. */
static int is_due(const struct table *t)
{
    enum { SMALL = 64 << 10 };
    return t->saved < t->whole || !t->whole || t->n * t->width * sizeof *t->row <= SMALL || t->n >= 2 * t->whole;
}

int table_submit(struct table *t, int whole)
{
    const int all = whole ? t->saved < t->n || t->has_journal : is_due(t);
    if (!t->n || (whole && !all) || (!all && t->saved == t->n)) return SF_OK;
    const size_t first = all ? 0 : t->saved, n = t->n - first;
    struct saving *s = calloc(1, sizeof *s);
    double *row = malloc(n * t->width * sizeof *row);
    int rc = s && row ? table_journal(t, s->journal, sizeof s->journal)
                      : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for a copy of the %zu entries of %s", n,
                                table_file[t->kind]);
    if (rc) {
        free(s);
        free(row);
        return rc;
    }
    memcpy(row, t->row + first * t->width, n * t->width * sizeof *row);
    s->t = *t;
    s->t.row = row, s->t.n = n;
    s->whole = all, s->begin = !t->has_journal;
    s->head = (struct journal_head){t->width, t->whole, t->digest};
    if (all) t->whole = t->n, t->digest = journal_digest(t->row, t->n * t->width);
    t->has_journal = !all;
    t->saved = t->n;
    return writer_submit(t->info->writer, write_job, s, saving_release);
}

static size_t on_disk(const struct table *t, size_t text)
{
    const size_t chunk = chunk_entries(t), chunks = (t->n + chunk - 1) / chunk;
    const size_t times = t->kind == TABLE_TRACES ? 2 : 1,
                 places = t->kind == TABLE_TRACES ? 4 + 3 * (size_t)t->columns : 4;
    const size_t values = chunks * chunk * (size_t)t->columns * (size_t)t->length + times * t->n;
    return values * sizeof(double) +
           (size_t)ncfile_overhead(text, (int)places, t->columns + (int)times, t->kind == TABLE_SERIES ? 1 : 2);
}

/* As table_submit hands it out, one output time after the other. */
void table_size(const struct table *of, size_t n, long outputs, size_t text, struct table_size *size)
{
    enum { MANY = 100000 }; /* output times; with more, the file is written near the last of them */
    struct table t = *of;
    const size_t entry = t.width * sizeof *t.row;
    *size = (struct table_size){.rows = n * entry, .copy = outputs > MANY ? n * entry : 0};
    t.n = n;
    size->disk = (double)on_disk(&t, text);
    size->writing = n * (size_t)t.length * sizeof *t.row + 2 * chunk_entries(&t) * (size_t)t.length * sizeof *t.row;
    t.saved = t.whole = 0;
    for (long q = 0; q <= outputs && outputs <= MANY; q++) {
        t.n = outputs > 0 ? (size_t)((double)n * (double)q / (double)outputs) : n;
        const int all = is_due(&t);
        size->copy = SF_MAX(size->copy, (all ? t.n : t.n - t.saved) * entry);
        if (all) t.whole = t.n;
        t.has_journal = !all, t.saved = t.n;
    }
    size->last = t.has_journal || outputs > MANY ? n * entry : 0;
}
