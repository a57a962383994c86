/* Ceilings of the machine, and how rates are told. SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double gib = 1024.0 * 1024.0 * 1024.0;

/* ---- tallies ----------------------------------------------------------------------------------------------------- */

void tally_add(struct tally *t, double rate)
{
    t->best = t->n ? SF_MAX(t->best, rate) : rate;
    t->worst = t->n ? SF_MIN(t->worst, rate) : rate;
    if (t->n < TALLY_MOST) t->value[t->n] = rate;
    t->n++;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double tally_median(const struct tally *t)
{
    double sorted[TALLY_MOST];
    const int n = SF_MIN(t->n, TALLY_MOST);
    if (!n) return 0;
    memcpy(sorted, t->value, sizeof sorted);
    qsort(sorted, (size_t)n, sizeof sorted[0], by_value);
    return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
}

double tally_spread(const struct tally *t) { return t->best > 0 ? 100 * (t->best - t->worst) / t->best : 0; }

double tally_told(const struct tally *t, const struct bench *b)
{
    return b->backend->is_device ? tally_median(t) : t->best;
}

/* ---- ceilings ---------------------------------------------------------------------------------------------------- */

/* Of a GPU many times its cache, as far as there is memory. */
static size_t site_bytes(const struct bench *b)
{
    enum { SHARE = 16 };
    if (!b->backend->is_device) return (size_t)(b->quick ? gib / 2 : gib);
    const size_t most = (size_t)2 << 30, some = b->backend->device()->memory / SHARE;
    return SF_MIN(most, some);
}

int bench_site_open(const struct bench *b, struct ceiling_site *s)
{
    *s = (struct ceiling_site){.backend = b->backend, .threads = 1, .bytes = site_bytes(b), .effort = 1};
    return ceilings_open(s);
}

int bench_ceilings_turn(struct bench *b, struct ceiling_site *s, int n)
{
    s->threads = b->team[n];
    for (int c = 0; c < CEILINGS; c++)
        if (ceiling_exists(s, (enum ceiling)c)) tally_add(&b->ceiling[n][c], ceiling_measure(s, (enum ceiling)c));
    return b->backend->sync(LANE_COMPUTE);
}

int bench_ceilings(struct bench *b)
{
    struct ceiling_site s;
    int rc = bench_site_open(b, &s);
    for (int r = 0; r < b->repeats && !rc; r++) rc = bench_ceilings_turn(b, &s, 0);
    ceilings_close(&s);
    return rc;
}

struct machine bench_machine(const struct bench *b, int n)
{
    struct machine m;
    double rate[CEILINGS];
    for (int c = 0; c < CEILINGS; c++) rate[c] = tally_told(&b->ceiling[n][c], b);
    machine_learn(&m, b->backend, b->team[n], rate);
    return m;
}

static void heads_print(const struct bench *b)
{
    if (b->backend->is_device) {
        const struct device_figures *const d = b->backend->device();
        printf(
            "Ceilings of %s, %d multiprocessors, %.0f MHz at most, %.1f GiB of memory, %.0f MiB of second-level cache: median of %d,\n"
            "and how far the worst was below the best; arrays of %.2g GiB\n\n",
            d->name, d->multiprocessors, d->clock * 1e-6, (double)d->memory / gib, (double)d->l2 / 1048576.0,
            b->repeats, (double)site_bytes(b) / gib);
        return;
    }
    printf("Ceilings of this machine: best of %d, and how far the worst was below it; arrays of %.2g GiB\n\n",
           b->repeats, (double)site_bytes(b) / gib);
    printf("  %-36s", "");
    for (int n = 0; n < b->teams; n++) printf("  %6d thread%s    ", b->team[n], b->team[n] > 1 ? "s" : " ");
    printf("\n");
}

void bench_ceilings_print(const struct bench *b)
{
    heads_print(b);
    for (int c = 0; c < CEILINGS; c++) {
        if (!b->ceiling[0][c].n) continue;
        printf("  %-36s", ceiling_name((enum ceiling)c));
        for (int n = 0; n < b->teams; n++) {
            const struct tally *t = &b->ceiling[n][c];
            printf("  %8.1f %s -%2.0f %%", tally_told(t, b) * ceiling_scale((enum ceiling)c),
                   ceiling_unit((enum ceiling)c), tally_spread(t));
        }
        printf("\n");
    }
    if (!b->backend->is_device) return;
    const struct device_figures *const d = b->backend->device();
    printf("  %-36s  %8.1f G/s, by its figures: multiprocessors x 4 x 32 x clock\n", "instructions of threads",
           d->multiprocessors * 4.0 * 32.0 * d->clock * 1e-9);
    fflush(stdout);
}
