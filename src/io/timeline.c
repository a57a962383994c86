/* Spans of all ranks, piece by piece, into a Chrome trace. Google: Trace Event Format, JSON object format.
 *
 * Numbers are printed as whole ones, in ns and the like, with a point set by hand: printf's own follows the locale.
 * SPDX-License-Identifier: MIT */
#include "io/timeline.h"

#include "io/commit.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"
#include "pipeline/seconds.h"
#include "pipeline/sferic.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1 << 14 }; /* spans that travel at once: 1 MiB */

static const char *const lane_name[SPAN_LANES] = {"in", "compute", "out", "halo", "output"};
static const double longest = 1e9; /* s; what lies farther apart is no run */

/* The file that rank 0 writes. */
struct trace_file {
    const char *path;
    char *temporary;
    FILE *to;
    int why; /* errno of the first failure; nothing is written after it */
    int any; /* event is there */
};

static void put(struct trace_file *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct trace_file *f, const char *fmt, ...)
{
    if (f->why) return;
    va_list ap;
    va_start(ap, fmt);
    if (vfprintf(f->to, fmt, ap) < 0) f->why = errno ? errno : EIO;
    va_end(ap);
}

static void event_begin(struct trace_file *f)
{
    put(f, f->any ? ",\n" : "\n");
    f->any = 1;
}

static void name_put(struct trace_file *f, const char *what, int rank, int lane, const char *name, int number)
{
    event_begin(f);
    put(f, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"args\":{", what, rank, lane);
    if (!name) put(f, "\"sort_index\":%d}}", number);
    else if (number < 0) put(f, "\"name\":\"%s\"}}", name);
    else put(f, "\"name\":\"%s %d\"}}", name, number);
}

static void rank_put(struct trace_file *f, int rank)
{
    name_put(f, "process_name", rank, 0, "rank", rank);
    name_put(f, "process_sort_index", rank, 0, NULL, rank);
    for (int lane = 0; lane < SPAN_LANES; lane++) {
        name_put(f, "thread_name", rank, lane, lane_name[lane], -1);
        name_put(f, "thread_sort_index", rank, lane, NULL, lane);
    }
}

/* Bytes a nanosecond are GB/s. */
static void bytes_put(struct trace_file *f, double bytes, long long ns)
{
    if (!isfinite(bytes) || bytes <= 0) return;
    put(f, ",\"bytes\":%.0f", bytes);
    const double rate = bytes / (double)ns;
    if (ns <= 0 || rate > 1e9) return;
    const long long micro = llround(rate * 1e6);
    put(f, ",\"GB/s\":%lld.%06lld", micro / 1000000, micro % 1000000);
}

static int is_sound(const struct span *s)
{
    return s->lane >= 0 && s->lane < SPAN_LANES && isfinite(s->begin) && isfinite(s->end);
}

/* Both ends are rounded, not the duration: spans that follow each other do so in the file. */
static void span_put(struct trace_file *f, int rank, const struct span *s, double origin)
{
    const double from = s->begin - origin, to = s->end - origin;
    if (!is_sound(s) || fabs(from) > longest || fabs(to) > longest) return;
    const long long begin = SF_MAX(llround(from * 1e9), 0), ns = SF_MAX(llround(to * 1e9) - begin, 0);
    event_begin(f);
    put(f, "{\"ph\":\"X\",\"name\":\"");
    if (s->slab >= 0) put(f, "slab %d", s->slab);
    else put(f, "%s", lane_name[s->lane]);
    put(f, "\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%lld.%03lld,\"dur\":%lld.%03lld,\"args\":{",
        lane_name[s->lane], rank, s->lane, begin / 1000, begin % 1000, ns / 1000, ns % 1000);
    if (s->slab >= 0) put(f, "\"slab\":%d,", s->slab);
    put(f, "\"step\":%ld", s->step);
    if (s->j1 > s->j0) put(f, ",\"rows\":[%d,%d]", s->j0, s->j1);
    bytes_put(f, s->bytes, ns);
    put(f, "}}");
}

static int file_begin(struct trace_file *f, int ranks)
{
    SF_TRY(commit_name(f->path, &f->temporary));
    f->to = fopen(f->temporary, "wxe");
    SF_CHECK(f->to, SF_IO, "cannot write the timeline '%s': %s", f->path, strerror(errno));
    put(f, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"program\":\"sferic\",\"ranks\":%d},\"traceEvents\":[", ranks);
    return SF_OK;
}

static int file_end(struct trace_file *f)
{
    put(f, "\n]}\n");
    FILE *const to = f->to;
    f->to = NULL;
    if (fclose(to) && !f->why) f->why = errno;
    if (!f->why) return commit_file(f->temporary, f->path);
    unlink(f->temporary);
    SF_FAIL(SF_IO, "cannot write the timeline '%s': %s", f->path, strerror(f->why));
}

static void file_abandon(struct trace_file *f)
{
    if (f->to) {
        fclose(f->to);
        unlink(f->temporary);
    }
    free(f->temporary);
}

/* ---- all ranks --------------------------------------------------------------------------------------------------- */

/* What rank 0 must know of a rank before its spans. */
struct about {
    size_t n;
    double clock; /* where its times count from */
};

struct gathering {
    const struct comm *c;
    size_t *bytes; /* [ranks] */
    struct about *about; /* [ranks], on rank 0, as the piece is */
    struct span *piece;
    double origin; /* the earliest begin of all, each by its clock */
};

static int gathering_init(struct gathering *g, const struct comm *c)
{
    *g = (struct gathering){.c = c};
    g->bytes = malloc((size_t)c->size * sizeof *g->bytes);
    g->about = c->rank ? NULL : malloc((size_t)c->size * sizeof *g->about);
    g->piece = c->rank ? NULL : malloc(PIECE * sizeof *g->piece);
    SF_CHECK(g->bytes && (c->rank || (g->about && g->piece)), SF_MEMORY, "no memory to gather the timeline of %d ranks",
             c->size);
    return SF_OK;
}

static void gathering_free(struct gathering *g)
{
    free(g->bytes);
    free(g->about);
    free(g->piece);
}

/* On one machine the clock is the same; on several one common moment is told by all of them. */
static int clock_common(const struct comm *c, double *clock)
{
    *clock = 0;
    if (comm_locals(c) == c->size) return SF_OK;
    SF_TRY(comm_barrier(c));
    *clock = seconds_now();
    return SF_OK;
}

static int about_gather(struct gathering *g, const struct span *span, size_t n)
{
    struct about mine = {.n = n};
    SF_TRY(clock_common(g->c, &mine.clock));
    double latest = -INFINITY; /* of the begins, all negated */
    for (size_t m = 0; m < n; m++)
        if (is_sound(&span[m])) latest = SF_MAX(latest, mine.clock - span[m].begin);
    SF_TRY(comm_max_double(g->c, &latest));
    g->origin = -latest;
    for (int r = 0; r < g->c->size; r++) g->bytes[r] = sizeof mine;
    return comm_gather(g->c, &mine, g->about, g->bytes);
}

/* Rank r's spans to rank 0, and there into the file. When that has failed they are taken all the same: ranks are
 * sending. */
static int spans_gather(struct gathering *g, int r, const struct span *span, size_t n, struct trace_file *f)
{
    const int rank = g->c->rank;
    const size_t all = rank == 0 ? g->about[r].n : r == rank ? n : 0;
    for (size_t at = 0; at < all; at += PIECE) {
        const size_t m = SF_MIN(all - at, (size_t)PIECE);
        g->bytes[r] = m * sizeof *span;
        SF_TRY(comm_gather(g->c, r == rank ? span + at : g->piece, g->piece, g->bytes));
        for (size_t k = 0; k < m && rank == 0; k++) span_put(f, r, &g->piece[k], g->origin + g->about[r].clock);
    }
    g->bytes[r] = 0;
    return SF_OK;
}

static int timeline_gather(struct gathering *g, const struct span *span, size_t n, struct trace_file *f)
{
    SF_TRY(about_gather(g, span, n));
    memset(g->bytes, 0, (size_t)g->c->size * sizeof *g->bytes);
    for (int r = 0; r < g->c->size; r++) {
        if (g->c->rank == 0) rank_put(f, r);
        SF_TRY(spans_gather(g, r, span, n, f));
    }
    return SF_OK;
}

int timeline_check(const char *path)
{
    struct trace_file f = {.path = path};
    const int rc = file_begin(&f, 1);
    file_abandon(&f);
    return rc;
}

int timeline_write(const char *path, const struct comm *c, const struct span *span, size_t n)
{
    struct gathering g;
    struct trace_file f = {.path = path};
    int rc = gathering_init(&g, c);
    if (!rc && c->rank == 0) rc = file_begin(&f, c->size);
    rc = outcome_share(c, rc);
    if (!rc) {
        rc = timeline_gather(&g, span, n, &f);
        if (!rc && c->rank == 0) rc = file_end(&f);
        rc = outcome_share(c, rc);
    }
    file_abandon(&f);
    gathering_free(&g);
    return rc;
}
