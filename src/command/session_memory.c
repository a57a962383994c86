/* How much memory a session takes, and how much there is. SPDX-License-Identifier: MIT */
#include "command/command.h"
#include "command/session_parts.h"
#include "io/history.h"
#include "io/restart.h"
#include "io/sample.h"
#include "io/series.h"
#include "io/spectra.h"
#include "pipeline/error.h"
#include "pipeline/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a rank says of itself. */
struct need {
    char host[64];
    size_t bytes, buffers, minimum, available; /* buffers: of history, and tables of waves */
};

static void machines_add(const struct need *all, int n, struct session_memory *m)
{
    double worst = -1;
    for (int r = 0; r < n; r++) {
        size_t sum = 0;
        for (int q = 0; q < n; q++)
            if (!strcmp(all[q].host, all[r].host)) sum += all[q].bytes + all[q].buffers;
        const double share = all[r].available ? (double)sum / (double)all[r].available : 0;
        if (share > worst) worst = share, m->host = sum, m->available = all[r].available;
        if (all[r].bytes > m->rank) m->rank = all[r].bytes, m->minimum = all[r].minimum;
    }
}

/* Of means, values at probes and results, which a rank of `rows` rows gathers; rank 0 those of all. */
static size_t sums_size(const struct session *s, int rows, int ranks)
{
    struct spectra_size spectra;
    spectra_size(&s->in, 0, &spectra);
    const int threads = engine_host_threads(&s->engine_options, &s->grid, &s->comm),
              probes = s->in.traces.n ? 0 : s->nprobes;
    const size_t filling = s->comm.rank ? spectra.filling / (size_t)s->grid.ny * (size_t)rows : spectra.filling;
    return filling + sample_size(&s->in, rows, ranks, threads, probes);
}

/* Of output on rank 0: what stays to the end; what comes and goes, of which the largest is there however fast the
 * writer is, and the sum when it is behind. *behind: the difference. entries: of the time series; steps: of the run. */
static size_t output_size(const struct session *s, const struct history_size *history, size_t saving, double entries,
                          double steps, size_t *behind)
{
    const size_t text = strlen(s->text);
    struct series_size series;
    struct spectra_size spectra;
    series_size(&s->in, s->nprobes, entries, steps, s->clock.gaps, text, &series);
    spectra_size(&s->in, text, &spectra);
    const size_t frames = history->frame + history->chunk, results = spectra.values;
    const size_t written = SF_MAX(SF_MAX(history->writing, saving), SF_MAX(spectra.writing, series.writing));
    const size_t during =
        frames + SF_MAX(SF_MAX(history->writing, saving), /* the writer completes one thing before the next */
                        SF_MAX(results + spectra.writing, series.copies ? series.copies + series.writing : 0));
    const size_t end = series.last ? series.last + series.writing : 0; /* frames are gone by then */
    const size_t one = SF_MAX(during, end),
                 all = SF_MAX(end, frames + history->frame + results + series.copies + written);
    *behind = all - one;
    return series.rows + spectra.kept + sums_size(s, s->grid.ny, s->comm.size) + all;
}

int session_memory(const struct session *s, struct session_memory *m)
{
    memset(m, 0, sizeof *m);
    struct need mine = {.available = memory_available()};
    gethostname(mine.host, sizeof mine.host - 1);
    struct history_size history;
    int ja, jb;
    comm_rows(&s->comm, s->grid.ny, s->comm.rank, &ja, &jb);
    int rc = history_size(&s->in, jb - ja, 0, &history);
    if (!rc) rc = engine_memory(&s->in, &s->comm, &s->grid, &s->engine_options, &mine.bytes, &mine.minimum);
    const size_t checkpoint = rc ? 0 : restart_size(&s->in, &s->grid, s->comm.size),
                 saving = s->config.time_restart_interval > 0 ? checkpoint : 0;
    size_t tables = 0;
    if (!rc && s->model->tables) rc = s->model->tables(&s->in, clock_dt(&s->clock, 0), &tables);
    size_t at_start = mine.buffers = tables + history.other + sums_size(s, jb - ja, 1);
    if (s->comm.rank == 0) {
        at_start = tables + output_size(s, &history, saving, 1, 1, &m->behind);
        const double entries = session_entries(s), steps = (double)clock_steps_total(&s->clock);
        mine.buffers = tables + output_size(s, &history, saving, entries, steps, &m->behind);
        size_t behind;
        const size_t stopped = tables + output_size(s, &history, checkpoint, entries, steps, &behind) - behind;
        m->stopping = stopped - SF_MIN(stopped, mine.buffers - m->behind);
    }
    struct need *all = calloc((size_t)s->comm.size, sizeof *all);
    size_t *bytes = malloc((size_t)s->comm.size * sizeof *bytes);
    if (!rc && (!all || !bytes)) rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory to add up memory");
    rc = outcome_share(&s->comm, rc);
    for (int r = 0; r < s->comm.size && !rc; r++) bytes[r] = sizeof mine;
    if (!rc) rc = comm_allgather(&s->comm, &mine, all, bytes);
    if (!rc) machines_add(all, s->comm.size, m);
    mine.buffers -= SF_MIN(at_start, mine.buffers); /* from here on: what grows */
    if (!rc) rc = comm_bcast(&s->comm, &mine.buffers, sizeof mine.buffers);
    if (!rc) m->buffers = all[0].buffers, m->growing = mine.buffers;
    free(all);
    free(bytes);
    return rc;
}

double session_entries(const struct session *s)
{
    const double every = s->config.time_series_interval, most = (double)clock_steps_total(&s->clock) + 1;
    return every > 0 ? SF_MIN(s->clock.duration / every + 2, most) : (double)s->clock.gaps + 1;
}

static const double gib = 1024.0 * 1024.0 * 1024.0;

int session_memory_lacks(const struct session *s, const struct session_memory *m)
{
    return m->available && m->host - (s->in.may_end ? m->growing : 0) > m->available;
}

static int start_check(const struct session_memory *m)
{
    SF_CHECK(
        !m->available || m->host - m->growing <= m->available, SF_MEMORY,
        "this run needs %.2f GiB of memory on one machine, where %.2f GiB are free: use fewer cells, more machines, "
        "or more slabs (&pipeline slabs)",
        (double)(m->host - m->growing) / gib, (double)m->available / gib);
    return SF_OK;
}

int session_memory_start(const struct session *s)
{
    struct session_memory m;
    SF_TRY(session_memory(s, &m));
    return start_check(&m);
}

int session_memory_check(const struct session *s)
{
    static const char text[] =
        "this run needs %.2f GiB of memory on one machine%s, where %.2f GiB are free: %.2f GiB of it for entries of series and probes "
        "that stay until the end; let them be fewer (&time series_interval, probes, profiles), or the run shorter";
    struct session_memory m;
    SF_TRY(session_memory(s, &m));
    SF_TRY(start_check(&m));
    if (!m.available || m.host <= m.available) return SF_OK;
    const double needs = (double)m.host / gib, free = (double)m.available / gib, growing = (double)m.growing / gib;
    if (session_memory_lacks(s, &m)) return sf_fail(SF_MEMORY, __FILE__, __LINE__, text, needs, "", free, growing);
    if (s->comm.rank == 0) sf_warn(text, needs, " if nothing ends it before time%duration", free, growing);
    return SF_OK;
}
