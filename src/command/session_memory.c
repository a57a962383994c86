/* How much memory a session takes, and how much there is. SPDX-License-Identifier: MIT */
#include "command/command.h"
#include "command/session_parts.h"
#include "io/history.h"
#include "io/restart.h"
#include "pipeline/error.h"
#include "pipeline/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a rank says of itself. */
struct need {
    char host[64];
    size_t bytes, buffers, minimum, available; /* buffers: of history */
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

int session_memory(const struct session *s, struct session_memory *m)
{
    memset(m, 0, sizeof *m);
    struct need mine = {.available = memory_available()};
    gethostname(mine.host, sizeof mine.host - 1);
    struct history_size history;
    int ja, jb;
    comm_rows(&s->comm, s->grid.ny, s->comm.rank, &ja, &jb);
    int rc = history_size(&s->in, jb - ja, &history);
    m->history = history.frame;
    if (!rc) rc = engine_memory(&s->in, &s->comm, &s->grid, &s->engine_options, &mine.bytes, &mine.minimum);
    /* The writer completes history before it writes a checkpoint. */
    const size_t saving = !rc && s->config.time_restart_interval > 0 ? restart_size(&s->in, &s->grid, s->comm.size) : 0;
    mine.buffers = s->comm.rank ? history.other : 2 * history.frame + history.chunk + SF_MAX(history.writing, saving);
    struct need *all = calloc((size_t)s->comm.size, sizeof *all);
    size_t *bytes = malloc((size_t)s->comm.size * sizeof *bytes);
    if (!rc && (!all || !bytes)) rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory to add up memory");
    rc = outcome_share(&s->comm, rc);
    for (int r = 0; r < s->comm.size && !rc; r++) bytes[r] = sizeof mine;
    if (!rc) rc = comm_allgather(&s->comm, &mine, all, bytes);
    if (!rc) machines_add(all, s->comm.size, m);
    if (!rc) m->buffers = all[0].buffers;
    free(all);
    free(bytes);
    return rc;
}

int session_memory_check(const struct session *s)
{
    struct session_memory m;
    const double gib = 1024.0 * 1024.0 * 1024.0;
    SF_TRY(session_memory(s, &m));
    SF_CHECK(!m.available || m.host <= m.available, SF_MEMORY,
             "this run needs %.2f GiB of memory on one machine, where %.2f GiB are free: use fewer cells, more machines, "
             "or more slabs (&pipeline slabs)",
             (double)m.host / gib, (double)m.available / gib);
    return SF_OK;
}
