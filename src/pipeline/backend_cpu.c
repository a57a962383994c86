/* The CPU as a device: transfers are copies, and every lane is done when the call returns.
 * SPDX-License-Identifier: MIT */
#include "pipeline/backend.h"

#include "pipeline/error.h"
#include "pipeline/memory.h"
#include "pipeline/seconds.h"
#include "pipeline/sferic.h"
#include "pipeline/threads.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20, LINE = 64 };

/* New pages are filled by the system when they are touched, which takes longer than to write them: all threads share
 * it. */
static void clear(char *at, size_t bytes)
{
    enum { PIECE = 8 * HUGE_PAGE };
    const long pieces = (long)((bytes + PIECE - 1) / PIECE);
    const int threads = (int)SF_MIN((long)threads_decided(), SF_MAX(pieces, 1));
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) schedule(static)
    for (long n = 0; n < pieces; n++) {
        const size_t from = (size_t)n * PIECE;
        memset(at + from, 0, SF_MIN(bytes - from, (size_t)PIECE));
    }
}

static void *alloc(size_t bytes, size_t *room)
{
    void *memory;
    *room = 0;
    /* What is left behind the last huge page stays on small ones. */
    if (posix_memalign(&memory, HUGE_PAGE, bytes)) return NULL;
    madvise(memory, bytes, MADV_HUGEPAGE);
    clear(memory, bytes);
    return memory;
}

static int grain(size_t *bytes)
{
    *bytes = (size_t)sysconf(_SC_PAGESIZE);
    return SF_OK;
}

static void unfold(void *memory, size_t bytes, size_t period)
{
    (void)period;
    munmap(memory, bytes);
}

static void *fold(size_t bytes, size_t period, size_t *room)
{
    *room = 0;
    const int file = memory_file(period);
    if (file < 0) return NULL;
    char *const all = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t done = all == MAP_FAILED ? bytes : 0;
    while (done < bytes &&
           mmap(all + done, period, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED)
        done += period;
    close(file);
    if (all == MAP_FAILED) return NULL;
    if (done == bytes) return all;
    unfold(all, bytes, period);
    return NULL;
}

static void pin(void *host, size_t bytes) { (void)host, (void)bytes; }
static void unpin(void *host) { (void)host; }

static void *table(size_t bytes)
{
    void *memory;
    if (posix_memalign(&memory, LINE, bytes)) return NULL;
    return memset(memory, 0, bytes);
}

static void *send(const void *from, size_t bytes)
{
    void *const at = malloc(bytes);
    return at ? memcpy(at, from, bytes) : NULL;
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
static int lane_sync(enum lane lane)
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
                                    .grain = grain,
                                    .fold = fold,
                                    .unfold = unfold,
                                    .pin = pin,
                                    .unpin = unpin,
                                    .table_alloc = table,
                                    .table_free = free,
                                    .send = send,
                                    .unsend = free,
                                    .copy_in = copy,
                                    .copy_out = copy,
                                    .copy_within = copy_within,
                                    .record = record,
                                    .wait = wait,
                                    .await = await,
                                    .sync = lane_sync,
                                    .check = check,
                                    .mark = mark,
                                    .seconds = seconds,
                                    .rates = rates,
                                    .range = range};
