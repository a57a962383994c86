/* Reading a table back: its file, and what the journal has beyond it. SPDX-License-Identifier: MIT */
#include "io/table_parts.h"

#include "io/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct resume {
    struct table *t;
    double time;
    char path[TABLE_PATH], journal[TABLE_PATH];
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
        table_place_of(r->t, n, place);
        for (int m = 0; m < 3; m++) {
            const size_t at = (size_t)n;
            double value = 0;
            int var;
            int rc = nc_inq_varid(id, table_place[m], &var);
            if (!rc) rc = nc_get_var1_double(id, var, &at, &value);
            if (rc) return misfit(r, table_place[m], rc);
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
    if (!rc && table_is_of_probes(t)) rc = places_check(r, id);
    for (size_t m = 0; !rc && m < n; m++) t->row[m * t->width] = out[m];
    for (int c = 0; !rc && c < t->columns; c++) {
        const size_t length = (size_t)t->length;
        rc = column_read(r, id, table_column(t, c).name, n, length, out);
        for (size_t m = 0; !rc && m < n; m++)
            memcpy(t->row + m * t->width + 1 + (size_t)c * length, out + m * length, length * sizeof *out);
    }
    if (!rc) t->n = n;
    free(out);
    return rc;
}

/* The entries that the journal has beyond those of the file, as if they came again. */
static int journal_fold(struct resume *r)
{
    struct table *const t = r->t;
    const struct journal_head head = {t->width, t->n, journal_digest(t->row, t->n * t->width)};
    double *row, *to;
    size_t n;
    IO_TRY(journal_read(r->journal, &head, &row, &n));
    for (size_t m = 0; m < n; m++) {
        if (table_next(t, &to)) {
            free(row);
            return SF_MEMORY;
        }
        memcpy(to, row + m * t->width + 1, (t->width - 1) * sizeof *to);
        table_add(t, row[m * t->width]);
    }
    free(row);
    return SF_OK;
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
    if (!rc) rc = journal_fold(r);
    struct table *const t = r->t;
    while (!rc && t->n && t->row[(t->n - 1) * t->width] > r->time) t->n--;
    t->has_journal = !access(r->journal, F_OK);
    return rc;
}

int table_resume(struct table *t, double time)
{
    struct resume r = {.t = t, .time = time};
    SF_TRY(meta_path(t->info, table_file[t->kind], r.path, sizeof r.path));
    SF_TRY(table_journal(t, r.journal, sizeof r.journal));
    SF_TRY(writer_submit(t->info->writer, resume_job, &r, NULL));
    return writer_drain(t->info->writer);
}
