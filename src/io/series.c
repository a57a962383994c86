/* The tables of a run and what fills them. SPDX-License-Identifier: MIT */
#include "io/series.h"

#include "io/sample.h"
#include "io/table.h"

#include <stdlib.h>
#include <string.h>

struct series {
    struct output_info info;
    struct sample sample;
    struct table table[TABLES]; /* on rank 0 */
    int kept[TABLES];
    int rank, changed;
};

static int is_sampled(const struct series *s, int table) { return s->kept[table] && table != TABLE_TRACES; }

/* The model sees the entries of a run that goes on as it saw them when they were new. */
static void traces_watch(const struct traces *r, const struct table *t, size_t first)
{
    for (size_t m = first; r->watch && m < t->n; m++) r->watch(r->own, t->row[m * t->width], t->row + m * t->width + 1);
}

static int tables_resume(struct series *s, double time)
{
    for (int n = 0; n < TABLES; n++)
        if (s->kept[n]) SF_TRY(table_resume(&s->table[n], time));
    if (s->kept[TABLE_TRACES]) traces_watch(&s->table[TABLE_TRACES].in->traces, &s->table[TABLE_TRACES], 0);
    return SF_OK;
}

static void kept_find(const struct instance *in, int shown, int nprobes, int kept[TABLES])
{
    const int traced = in->traces.n > 0 && in->traces.nprobes > 0;
    kept[TABLE_SERIES] = 1;
    kept[TABLE_PROFILES] = in->config->output_profiles && shown;
    kept[TABLE_PROBES] = !traced && nprobes > 0 && shown;
    kept[TABLE_TRACES] = traced;
}

void series_size(const struct instance *in, int nprobes, double entries, double steps, long outputs, size_t text,
                 struct series_size *size)
{
    const struct sample sample = {.nshown = sample_shown(in), .nprobes = nprobes};
    int kept[TABLES];
    *size = (struct series_size){0};
    kept_find(in, sample.nshown, nprobes, kept);
    for (int n = 0; n < TABLES; n++) {
        struct table t;
        struct table_size part;
        if (!kept[n]) continue;
        table_init(&t, (enum table_kind)n, in, NULL, &sample);
        table_size(&t, (size_t)(n == TABLE_TRACES ? steps : entries), outputs, text, &part);
        size->rows += part.rows, size->copies += part.copy, size->last += part.last, size->disk += part.disk;
        size->writing = SF_MAX(size->writing, part.writing);
        size->largest = SF_MAX(size->largest, part.disk);
    }
}

static int series_prepare(struct series *s, const struct instance *in, const struct state *st, int nprobes,
                          const double *resume)
{
    const int traced = in->traces.n > 0 && in->traces.nprobes > 0;
    SF_TRY(outcome_share(&st->comm, sample_init(&s->sample, in, st, traced ? 0 : nprobes)));
    kept_find(in, s->sample.nshown, nprobes, s->kept);
    for (int n = 0; n < TABLES; n++) table_init(&s->table[n], (enum table_kind)n, in, &s->info, &s->sample);
    return outcome_share(&st->comm, resume && s->rank == 0 ? tables_resume(s, *resume) : SF_OK);
}

static void series_free(struct series **at)
{
    struct series *s = *at;
    for (int n = 0; n < TABLES; n++) table_drop(&s->table[n]);
    sample_free(&s->sample);
    free(s);
    *at = NULL;
}

int series_open(struct series **out, const struct instance *in, const struct state *st, const struct output_info *info,
                int nprobes, const double *resume)
{
    struct series *s = calloc(1, sizeof *s);
    int rc = outcome_share(&st->comm, s ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the series"));
    if (!rc) {
        s->info = *info;
        s->rank = st->comm.rank;
        rc = series_prepare(s, in, st, nprobes, resume);
    }
    if (rc && s) series_free(&s);
    *out = s;
    return rc;
}

int series_samples(const struct series *s) { return s->kept[TABLE_PROFILES] || s->kept[TABLE_PROBES]; }

int series_add(struct series *s, const struct instance *in, const struct state *st, double time, const double *values)
{
    double *to[TABLES] = {NULL};
    int rc = SF_OK;
    for (int n = 0; n < TABLES && !rc && s->rank == 0; n++)
        if (is_sampled(s, n)) rc = table_next(&s->table[n], &to[n]);
    SF_TRY(outcome_share(&st->comm, rc));
    if (series_samples(s)) SF_TRY(sample_take(&s->sample, st, to[TABLE_PROFILES], to[TABLE_PROBES]));
    if (s->rank) return SF_OK;
    memcpy(to[TABLE_SERIES], values, (size_t)in->nquantities * sizeof *values);
    for (int n = 0; n < TABLES; n++)
        if (is_sampled(s, n)) table_add(&s->table[n], time);
    s->changed = 1;
    return SF_OK;
}

/* ---- traces ------------------------------------------------------------------------------------------------------ */

/* Values of one step: where each comes from, and where the ranks' values begin in what is gathered. */
struct gathering {
    int columns, *owner; /* [columns] rank */
    size_t *bytes; /* [ranks] */
    real *mine, *all; /* [n][own columns], of each rank in turn */
};

static int gathering_make(struct gathering *g, const struct traces *r, const struct state *st, long n)
{
    const int nj = st->grid->ny;
    *g = (struct gathering){.columns = r->n * r->nprobes};
    g->owner = malloc((size_t)g->columns * sizeof *g->owner);
    g->bytes = calloc((size_t)st->comm.size, sizeof *g->bytes);
    g->mine = malloc((size_t)n * (size_t)g->columns * sizeof *g->mine);
    g->all = st->comm.rank ? NULL : malloc((size_t)n * (size_t)g->columns * sizeof *g->all);
    SF_CHECK(g->owner && g->bytes && g->mine && (g->all || st->comm.rank), SF_MEMORY,
             "no memory to gather %ld steps of %d probes", n, r->nprobes);
    for (int c = 0; c < g->columns; c++) {
        g->owner[c] = comm_owner(&st->comm, nj, SF_MIN(r->place[c].j, nj - 1));
        g->bytes[g->owner[c]] += (size_t)n * sizeof *g->mine;
    }
    return SF_OK;
}

static void gathering_free(struct gathering *g)
{
    free(g->owner);
    free(g->bytes);
    free(g->mine);
    free(g->all);
}

static int record_gather(struct gathering *g, const struct trace_record *r, const struct comm *c)
{
    real *to = g->mine;
    for (long n = 0; n < r->n; n++)
        for (int q = 0; q < g->columns; q++)
            if (g->owner[q] == c->rank) *to++ = r->value[n * g->columns + q];
    return comm_gather(c, g->mine, g->all, g->bytes);
}

/* Entries of the table from what all ranks gave. */
static int record_add(struct series *s, const struct gathering *g, const struct trace_record *r, const struct comm *c,
                      const struct clock *clock)
{
    struct table *const t = &s->table[TABLE_TRACES];
    double *value;
    for (long n = 0; n < r->n; n++) {
        SF_TRY(table_next(t, &value));
        const real *from = g->all;
        for (int rank = 0; rank < c->size; rank++) {
            const ptrdiff_t own = (ptrdiff_t)(g->bytes[rank] / sizeof *from) / r->n;
            const real *column = from + n * own;
            for (int q = 0; q < g->columns; q++)
                if (g->owner[q] == rank) value[q] = *column++;
            from += r->n * own;
        }
        table_add(t, clock_time(clock, r->first + n + 1));
        traces_watch(&t->in->traces, t, t->n - 1);
    }
    return SF_OK;
}

int series_record(struct series *s, const struct instance *in, const struct state *st, const struct clock *clock)
{
    const struct traces *const traces = &in->traces;
    struct trace_record r;
    struct gathering g;
    if (!s->kept[TABLE_TRACES]) return SF_OK;
    traces->take(traces->own, &r);
    if (r.n == 0) return SF_OK;
    int rc = gathering_make(&g, traces, st, r.n), worst = rc;
    SF_TRY(comm_max(&st->comm, &worst)); /* a rank alone would wait for ever */
    if (!rc && worst) rc = sf_fail(worst, __FILE__, __LINE__, "a rank has no memory to gather its probes");
    if (!rc) rc = record_gather(&g, &r, &st->comm);
    if (!rc && s->rank == 0) rc = record_add(s, &g, &r, &st->comm, clock);
    gathering_free(&g);
    s->changed = 1;
    return rc == SF_COMM ? rc : outcome_share(&st->comm, rc);
}

static int tables_submit(struct series *s, int whole)
{
    if (s->rank) return SF_OK;
    for (int n = 0; n < TABLES; n++)
        if (s->kept[n]) SF_TRY(table_submit(&s->table[n], whole));
    s->changed = 0;
    return SF_OK;
}

int series_write(struct series *s) { return s->changed ? tables_submit(s, 0) : SF_OK; }

int series_close(struct series **at, const struct state *st)
{
    struct series *s = *at;
    if (!s) return SF_OK;
    int rc = tables_submit(s, 1);
    if (s->rank == 0) {
        const int drained = writer_drain(s->info.writer);
        if (!rc) rc = drained;
    }
    series_free(at);
    return outcome_share(&st->comm, rc);
}
