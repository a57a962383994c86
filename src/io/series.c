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

static int tables_resume(struct series *s, double time)
{
    for (int n = 0; n < TABLES; n++)
        if (s->kept[n]) SF_TRY(table_resume(&s->table[n], time));
    return SF_OK;
}

static int series_prepare(struct series *s, const struct instance *in, const struct state *st, int nprobes,
                          const double *resume)
{
    SF_TRY(outcome_share(&st->comm, sample_init(&s->sample, in, st, nprobes)));
    s->kept[TABLE_SERIES] = 1;
    s->kept[TABLE_PROFILES] = s->sample.profiles && s->sample.nshown;
    s->kept[TABLE_PROBES] = nprobes > 0 && s->sample.nshown;
    for (int n = 0; n < TABLES; n++) table_init(&s->table[n], (enum table_kind)n, in, &s->info, &s->sample);
    return outcome_share(&st->comm, resume && s->rank == 0 ? tables_resume(s, *resume) : SF_OK);
}

static void series_free(struct series **at)
{
    struct series *s = *at;
    for (int n = 0; n < TABLES; n++) table_free(&s->table[n]);
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

int series_add(struct series *s, const struct instance *in, const struct state *st, double time, const double *values)
{
    double *to[TABLES] = {NULL};
    int rc = SF_OK;
    for (int n = 0; n < TABLES && !rc && s->rank == 0; n++)
        if (s->kept[n]) rc = table_next(&s->table[n], &to[n]);
    SF_TRY(outcome_share(&st->comm, rc));
    SF_TRY(sample_take(&s->sample, st, to[TABLE_PROFILES], to[TABLE_PROBES]));
    if (s->rank) return SF_OK;
    memcpy(to[TABLE_SERIES], values, (size_t)in->nquantities * sizeof *values);
    for (int n = 0; n < TABLES; n++)
        if (s->kept[n]) table_add(&s->table[n], time);
    s->changed = 1;
    return SF_OK;
}

int series_write(struct series *s)
{
    if (s->rank || !s->changed) return SF_OK;
    for (int n = 0; n < TABLES; n++)
        if (s->kept[n]) SF_TRY(table_submit(&s->table[n]));
    s->changed = 0;
    return SF_OK;
}

int series_close(struct series **at, const struct state *st)
{
    struct series *s = *at;
    if (!s) return SF_OK;
    int rc = series_write(s);
    if (s->rank == 0) {
        const int drained = writer_drain(s->info.writer);
        if (!rc) rc = drained;
    }
    series_free(at);
    return outcome_share(&st->comm, rc);
}
