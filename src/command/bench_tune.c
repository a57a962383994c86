/* Candidates of every stage: predicted, measured, and what the picks cost against the best.
 * SPDX-License-Identifier: MIT */
#include "command/bench_tune.h"

#include "pipeline/error.h"

#include <stdio.h>
#include <string.h>

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const double pico = 1e12;

double trial_seconds(const struct bench *b, const struct trial *t)
{
    return t->rate.n ? 1 / tally_told(&t->rate, b) : 0;
}

int trials_best(const struct bench *b, const struct trial *t, int n, int predicted)
{
    int best = -1;
    double least = 0;
    for (int m = 0; m < n; m++) {
        const double seconds = predicted ? t[m].predicted.seconds : trial_seconds(b, &t[m]);
        if (!t[m].rate.n || !(seconds > 0) || (best >= 0 && seconds >= least)) continue;
        best = m, least = seconds;
    }
    return best;
}

static void heads_print(const struct session *s, const char *what)
{
    printf("\nShapes of %s, %s, %d x %d x %d: ps a point, predicted and measured\n\n", what, s->model->name, s->grid.nx,
           s->grid.ny, s->grid.nz);
    printf("  %-30s %7s %5s %8s %9s %7s %6s", "shape", "threads", "regs", "resident",
           s->backend->is_device ? "shared" : "in cache", "instr", "loads");
    for (int p = 0; p < PREDICTS; p++) printf(" %10s", predict_name((enum predict_by)p));
    printf(" %10s %10s %6s\n", "predicted", "measured", "ratio");
}

static void number_print(int width, int digits, double x)
{
    if (x > 0) printf(" %*.*f", width, digits, x);
    else printf(" %*s", width, "-");
}

static void trial_print(const struct bench *b, const struct trial *t, int is_own)
{
    const double measured = pico * trial_seconds(b, t), predicted = pico * t->predicted.seconds;
    printf("  %c%-29s", is_own ? '*' : ' ', t->name);
    if (t->without) {
        printf(" %s\n", t->without);
        return;
    }
    number_print(7, 0, t->threads), number_print(5, 0, t->registers), number_print(8, 0, t->resident);
    number_print(9, 0, t->kept);
    printf(" %c", t->is_counted ? ' ' : '~');
    printf("%5.0f", instructions_all(&t->count));
    number_print(6, 2, t->loads);
    for (int p = 0; p < PREDICTS; p++) number_print(10, 2, pico * t->predicted.part[p]);
    number_print(10, 2, predicted), number_print(10, 2, measured);
    number_print(6, 2, predicted > 0 ? measured / predicted : 0);
    printf("\n");
}

void trials_print(const struct bench *b, const struct session *s, const char *what, const struct trial *t, int n,
                  int own)
{
    const int best = trials_best(b, t, n, 0), pick = trials_best(b, t, n, 1);
    heads_print(s, what);
    for (int m = 0; m < n; m++) trial_print(b, &t[m], m == own);
    if (best < 0) return;
    const double least = trial_seconds(b, &t[best]);
    printf("\n  fastest: %s, %.4g Gpoint/s", t[best].name, 1e-9 / least);
    if (pick >= 0)
        printf("; the model would pick %s, %+.1f %% of time", t[pick].name,
               100 * (trial_seconds(b, &t[pick]) / least - 1));
    if (t[own].rate.n) printf("; *, the own pick, %+.1f %%", 100 * (trial_seconds(b, &t[own]) / least - 1));
    printf("\n");
    fflush(stdout);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static void legend_print(const struct bench *b)
{
    printf(
        "\nPredicted: the longest of what issue, loads and stores, the second-level cache, memory and latency take. ~: "
        "instructions\nare not counted but estimated, of flop and reaches. ");
    if (b->backend->is_device)
        printf("rows: that a block goes through. Shapes of all stages take turns together; medians.\n");
    else
        printf(
            "in cache: bytes of a window and of what its lags reach back to; %.0f KiB\nof second-level cache each thread. "
            "Best of all turns.\n",
            engine_cache_bytes() / 1024);
}

static int dry_open(struct session **s, const struct bench *b, int threads)
{
    return bench_open(s, b, b->size, threads);
}
static int wave_open(struct session **s, const struct bench *b, int threads)
{
    return bench_wave_open(s, b, bench_wave_cells(b), threads);
}
static int case_open(struct session **s, const struct bench *b, int threads)
{
    return bench_case_open(s, b, NULL, 0, threads);
}

/* From small domains to that of the step that is taken apart. */
static int sizes_tune(struct bench *b, int is_wave)
{
    static const int small[][3] = {{64, 64, 64}, {128, 128, 128}, {256, 256, 128}};
    const int n = b->sized ? 0 : b->quick ? 1 : (int)(sizeof small / sizeof small[0]);
    int rc = SF_OK;
    for (int q = 0; q <= n && !rc; q++) {
        struct session *s = NULL;
        rc = is_wave ? bench_wave_open(&s, b, q < n ? small[q][0] : bench_wave_cells(b), 1)
                     : bench_open(&s, b, q < n ? small[q] : b->size, 1);
        if (!rc) rc = bench_tune_kernels(b, s);
        bench_close(&s);
    }
    return rc;
}

static int case_tune(const struct bench *b)
{
    struct session *s = NULL;
    int rc = case_open(&s, b, 1);
    if (!rc) rc = bench_tune_kernels(b, s);
    bench_close(&s);
    return rc;
}

int bench_tune(struct bench *b)
{
    const int device = b->backend->is_device, dry = strcmp(b->model, "maxwell"), wave = strcmp(b->model, "dynamics");
    legend_print(b);
    if (b->of.path) return device ? case_tune(b) : bench_tune_windows(b, case_open);
    if (dry) SF_TRY(device ? sizes_tune(b, 0) : bench_tune_windows(b, dry_open));
    if (wave) SF_TRY(device ? sizes_tune(b, 1) : bench_tune_windows(b, wave_open));
    return SF_OK;
}
