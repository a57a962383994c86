/* The CPU as a device: transfers are copies, and every lane is done when the call returns.
 * SPDX-License-Identifier: MIT */
#include "pipeline/backend.h"

#include "pipeline/error.h"
#include "pipeline/seconds.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, LINE = 64 };

static void *alloc(size_t bytes, size_t *room)
{
    void *memory;
    *room = 0;
    /* What is left behind the last huge page stays on small ones. */
    if (posix_memalign(&memory, HUGE_PAGE, bytes)) return NULL;
    madvise(memory, bytes, MADV_HUGEPAGE);
    return memset(memory, 0, bytes);
}

static void pin(void *host, size_t bytes) { (void)host, (void)bytes; }
static void unpin(void *host) { (void)host; }

static void *table(size_t bytes)
{
    void *memory;
    if (posix_memalign(&memory, LINE, bytes)) return NULL;
    return memset(memory, 0, bytes);
}

static void copy(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
static void copy_within(const struct backend_copy *c, int n)
{
    for (int m = 0; m < n; m++) memcpy(c[m].to, c[m].from, c[m].bytes);
}
static void record(enum lane lane, int event) { (void)lane, (void)event; }
static void wait(enum lane lane, enum lane of, int event) { (void)lane, (void)of, (void)event; }
static int await(enum lane of, int event)
{
    (void)of, (void)event;
    return SF_OK;
}
static int sync(enum lane lane)
{
    (void)lane;
    return SF_OK;
}

static double marked[BACKEND_MARKS];

static void mark(enum lane lane, int n)
{
    (void)lane;
    marked[n] = seconds_now();
}

static double seconds(int from, int to) { return marked[to] - marked[from]; }

static int rates(double *in, double *out, double *within)
{
    *in = *out = *within = 0; /* nothing is gained by knowing */
    return SF_OK;
}
static int check(const char *what)
{
    (void)what;
    return SF_OK;
}

static void range(const char *name) { (void)name; }

const struct backend backend_cpu = {.name = "cpu",
                                    .line = LAYOUT_LINE,
                                    .alloc = alloc,
                                    .free = free,
                                    .pin = pin,
                                    .unpin = unpin,
                                    .table_alloc = table,
                                    .table_free = free,
                                    .copy_in = copy,
                                    .copy_out = copy,
                                    .copy_within = copy_within,
                                    .record = record,
                                    .wait = wait,
                                    .await = await,
                                    .sync = sync,
                                    .check = check,
                                    .mark = mark,
                                    .seconds = seconds,
                                    .rates = rates,
                                    .range = range};
