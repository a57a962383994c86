/* Ceilings by the name of the processor or the GPU, and by how many work on it. SPDX-License-Identifier: MIT */
#include "command/machine.h"

#include "command/cache.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 128, KEY = 256, TRIES = 3 };

/* What is asked for, in the order that it is remembered in; of a CPU there is no last one. */
static enum ceiling ceiling_of(const struct backend *b, int n)
{
    const enum ceiling all[] = {b->is_device ? CEILING_COPY : CEILING_STREAM, CEILING_CACHE, CEILING_FMA,
                                CEILING_ISSUE};
    return all[n];
}

enum { KNOWN = 4 };

static void processor_name(char name[NAME])
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(name, NAME, "processor");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "model name : %127[^\t\n]", name) == 1) break;
    if (f) fclose(f);
}

static void key_make(char key[KEY], const struct backend *b, int ranks, int threads)
{
    char name[NAME];
    if (b->is_device) {
        const struct device_figures *const d = b->device();
        snprintf(key, KEY, "ceilings %d %s %d %.0f %d %d", SF_PREC, d->name, d->multiprocessors, d->clock * 1e-6,
                 d->devices, ranks);
        return;
    }
    processor_name(name);
    snprintf(key, KEY, "ceilings %d %s %ld %d %d", SF_PREC, name, sysconf(_SC_NPROCESSORS_ONLN), threads, ranks);
}

static void machine_set(struct machine *m, const struct backend *b, const double value[KNOWN])
{
    *m = (struct machine){.backend = b, .memory = value[0], .cache = value[1], .fma = value[2], .issue = value[3]};
}

/* Far beyond the last-level cache of most processors, and no more than takes a fraction of a second to touch. */
static size_t bytes_of(const struct backend *b, int ranks)
{
    enum { CPU_BYTES = 384 << 20, LEAST = 16 << 20 };
    if (b->is_device) return SF_MAX((size_t)LEAST, SF_MIN((size_t)1 << 30, b->device()->memory / 16));
    return SF_MAX((size_t)LEAST, (size_t)CPU_BYTES / (size_t)ranks);
}

/* All ranks at once, as they run. Of a rank that has no memory nothing is known. */
static int machine_measure(const struct comm *c, const struct backend *b, int threads, double value[KNOWN])
{
    struct ceiling_site s = {.backend = b, .threads = threads, .bytes = bytes_of(b, c->size), .effort = 0.1};
    const int closed = ceilings_open(&s);
    if (closed) sf_error_clear();
    for (int n = 0; n < KNOWN; n++) {
        value[n] = 0;
        SF_TRY(comm_barrier(c));
        for (int t = 0; t < TRIES && !closed && ceiling_exists(&s, ceiling_of(b, n)); t++)
            value[n] = SF_MAX(value[n], ceiling_measure(&s, ceiling_of(b, n)));
    }
    ceilings_close(&s);
    SF_TRY(outcome_share(c, b->is_device ? b->sync(LANE_COMPUTE) : SF_OK));
    for (int n = 0; n < KNOWN; n++) { /* as fast as the slowest */
        double slowest = -value[n];
        SF_TRY(comm_max_double(c, &slowest));
        value[n] = -slowest * c->size;
    }
    return SF_OK;
}

int machine_know(struct machine *m, const struct comm *c, const struct backend *backend, int threads)
{
    char key[KEY];
    double value[KNOWN];
    key_make(key, backend, c->size, threads);
    int found = c->rank == 0 && cache_get(key, value, KNOWN);
    SF_TRY(comm_bcast(c, &found, sizeof found));
    SF_TRY(comm_bcast(c, value, sizeof value));
    if (!found) SF_TRY(machine_measure(c, backend, threads, value));
    if (!found && c->rank == 0 && value[0] > 0) cache_put(key, value, KNOWN);
    machine_set(m, backend, value);
    return SF_OK;
}

void machine_learn(struct machine *m, const struct backend *backend, int threads, const double *rate)
{
    char key[KEY];
    double value[KNOWN];
    for (int n = 0; n < KNOWN; n++) value[n] = rate[ceiling_of(backend, n)];
    key_make(key, backend, 1, threads);
    cache_put(key, value, KNOWN);
    machine_set(m, backend, value);
}
