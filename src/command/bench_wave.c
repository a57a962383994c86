/* The EM model's step: rate, set-up, memory, and what a plane of spectra adds. SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include "pipeline/error.h"
#include "pipeline/seconds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLAIN, SPECTRA, CASES, WARM_UP = 8, FREQUENCIES = 20 };

static const double bytes_least = 48.0 * sizeof(real) / 4; /* of a cell and step: E and H read and written once */
static const double gib = 1024.0 * 1024.0 * 1024.0;

struct wave {
    struct course course[CASES];
    struct tally stream; /* of memory, beside it */
    double setup; /* s */
    double bytes; /* a cell: of fields and media */
};

/* ---- the case ---------------------------------------------------------------------------------------------------- */

/* A dipole beside a sphere of glass, layers on all sides, a probe; sizes are set below. */
static int namelist_make(const struct bench *b, char *path, size_t size)
{
    snprintf(path, size, "%s/wave.nml", b->dir);
    unlink(path); /* of the run before */
    FILE *f = fopen(path, "wxe");
    SF_CHECK(f, SF_IO, "%s cannot be written", path);
    fprintf(
        f,
        "&case name = 'wave' model = 'maxwell' /\n&grid dx = 1e-3 dy = 1e-3 dz = 1e-3 /\n"
        "&time duration = 1 /\n&medium name = 'glass' epsilon = 2.25 /\n&geometry shape = 'sphere' medium = 'glass' /\n"
        "&source kind = 'electric' axis = 'z' waveform = 'differentiated_gaussian' frequency = 5e9 /\n");
    const int bad = ferror(f), unclosed = fclose(f);
    SF_CHECK(!bad && !unclosed, SF_IO, "%s cannot be written", path);
    return SF_OK;
}

static int wave_open(struct session **s, const struct bench *b, int cells, int threads, int which)
{
    static const struct {
        const char *key;
        double at; /* of half the domain */
    } place[] = {{"geometry%x", 0.6},     {"geometry%y", 1.0},    {"geometry%z", 1.0}, {"geometry%radius", 0.25},
                 {"source%x", 1.2},       {"source%y", 1.0},      {"source%z", 1.0},   {"output%probe_x", 1.4},
                 {"output%probe_y", 1.0}, {"output%probe_z", 1.0}};
    char set[32][64], path[BENCH_PATH + 16];
    const char *sets[32];
    int n = 0;
    SF_TRY(namelist_make(b, path, sizeof path));
    for (int a = 0; a < 3; a++) snprintf(set[n++], sizeof set[0], "grid%%n%c=%d", "xyz"[a], cells);
    for (size_t p = 0; p < sizeof place / sizeof place[0]; p++)
        snprintf(set[n++], sizeof set[0], "%s=%.9g", place[p].key, place[p].at * 0.5e-3 * cells);
    snprintf(set[n++], sizeof set[0], "pipeline%%threads=%d", threads);
    snprintf(set[n++], sizeof set[0], "pipeline%%backend='%s'", b->backend->name);
    if (which == SPECTRA) {
        snprintf(set[n++], sizeof set[0], "monitor%%name='plane'");
        snprintf(set[n++], sizeof set[0], "monitor%%kind='fields'");
        snprintf(set[n++], sizeof set[0], "monitor%%bottom=%.9g", 0.75e-3 * cells);
        snprintf(set[n++], sizeof set[0], "monitor%%top=%.9g", 0.75e-3 * cells);
        snprintf(set[n++], sizeof set[0], "spectrum%%from=1e9");
        snprintf(set[n++], sizeof set[0], "spectrum%%to=1e10");
        snprintf(set[n++], sizeof set[0], "spectrum%%count=%d", FREQUENCIES);
    }
    for (int m = 0; m < n; m++) sets[m] = set[m];
    return bench_open_sets(s, b, path, sets, n);
}

int bench_wave_open(struct session **s, const struct bench *b, int cells, int threads)
{
    return wave_open(s, b, cells, threads, PLAIN);
}

/* As many cells a side as are asked for, or fit the device with what a plane of spectra adds, in half of it: two
 * sessions. */
int bench_wave_cells(const struct bench *b)
{
    enum { CPU = 256, CPU_QUICK = 128, GPU = 768, GPU_QUICK = 512, GRAIN = 64, LEAST = 32 /* with the layers */ };
    const double cell = 14 * sizeof(real) + 6; /* bytes: fields and their second banks, layers, media */
    if (b->sized) return SF_MAX(b->size[0], LEAST);
    if (!b->backend->is_device) return b->quick ? CPU_QUICK : CPU;
    int cells = b->quick ? GPU_QUICK : GPU;
    while (cells > GRAIN && cell * cells * cells * cells > 0.45 * (double)b->backend->device()->memory) cells -= GRAIN;
    return cells;
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

/* Bytes a cell of E, H and media, padding and ghosts included; the memory of layers apart. */
static double fields_bytes(const struct session *s)
{
    const struct layout *l = &s->state.host.lay;
    double bytes = 0;
    for (int f = 0; f < s->in.nfields; f++) {
        const struct form form = form_of(&s->in.field[f]);
        if (form.shape == SHAPE_FULL) bytes += (double)layout_row_bytes(l, &form) * s->state.host.s.rows;
    }
    return bytes / bench_points(s);
}

static int cases_open(const struct bench *b, struct wave *w, int cells, int threads)
{
    for (int c = 0; c < CASES; c++) {
        const double began = seconds_now();
        w->course[c].stages = b->backend->is_device && c == PLAIN;
        SF_TRY(wave_open(&w->course[c].session, b, cells, threads, c));
        if (c == PLAIN) w->setup = seconds_now() - began;
        SF_TRY(course_begin(&w->course[c], b, WARM_UP));
    }
    w->bytes = fields_bytes(w->course[PLAIN].session);
    return SF_OK;
}

static int turns_take(struct bench *b, struct wave *wave, int cells, struct ceiling_site *site)
{
    for (int n = 0; n < b->teams; n++) SF_TRY(cases_open(b, &wave[n], cells, b->team[n]));
    for (int r = 0; r < b->repeats; r++)
        for (int n = 0; n < b->teams; n++) {
            site->threads = b->team[n];
            if (!b->backend->is_device) tally_add(&wave[n].stream, ceiling_measure(site, CEILING_STREAM));
            for (int c = 0; c < CASES; c++) SF_TRY(course_measure(&wave[n].course[c]));
        }
    return SF_OK;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void case_print(const struct wave *w, int cells)
{
    const struct session *s = w->course[PLAIN].session;
    printf(
        "\nThe EM step, %d-bit: %d^3 cells, absorbing layers of 10 cells on all sides, a sphere of glass, a dipole, a probe;\n"
        "%d steps in a pass",
        SF_PREC, cells, s->engine.pass[0].plan.steps);
    if (!s->backend->is_device)
        printf(", windows of %d rows and %d levels on one thread", s->engine.window_rows, s->engine.window_levels);
    printf("\n\n");
}

static void threads_print(const struct bench *b, const struct wave *wave)
{
    printf("  %-8s %13s %7s %15s %22s %26s %8s\n", "threads", "Mcell-steps/s", "spread", "in place, GB/s",
           "of it at 48 B a step", "with a plane of 20 spectra", "set-up");
    for (int n = 0; n < b->teams; n++) {
        const double plain = wave[n].course[PLAIN].step.best, spectra = wave[n].course[SPECTRA].step.best;
        printf("  %-8d %13.1f %5.0f %% %15.1f %20.0f %% %13.1f, -%4.1f %% %7.2f s\n", b->team[n], plain * 1e-6,
               tally_spread(&wave[n].course[PLAIN].step), wave[n].stream.best * 1e-9,
               100 * plain * bytes_least / wave[n].stream.best, spectra * 1e-6, 100 - 100 * spectra / plain,
               wave[n].setup);
    }
    printf(
        "\n  %.1f bytes a cell for fields and media. of it: more than 100 %% cannot come from memory, rows stay in cache over steps.\n"
        "  Meep, measured on a two-core server guest: 46 on one core (64-bit, as Debian has it), 163 on two ranks at its best.\n",
        wave[0].bytes);
}

static void device_print(const struct bench *b, const struct wave *w)
{
    const double plain = tally_median(&w->course[PLAIN].step), spectra = tally_median(&w->course[SPECTRA].step);
    bench_stages_print(b, &w->course[PLAIN]);
    bench_rate_print(b, &w->course[PLAIN], "cell");
    printf("  With a plane of %d spectra: %.3f, %+.1f %%. Set-up %.2f s; %.1f bytes a cell for fields and media.\n",
           FREQUENCIES, spectra * 1e-9, 100 * spectra / plain - 100, w->setup, w->bytes);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int plain_open(struct session **s, const struct bench *b, const int size[3])
{
    return bench_wave_open(s, b, size[0], b->threads);
}

static int sizes_measure(const struct bench *b)
{
    static const int size[][3] = {{64, 64, 64}, {128, 128, 128}, {256, 256, 256}, {512, 512, 512}};
    const struct bench_sweep w = {.title =
                                      "Cost by size, on the GPU: the same case on more cells; memory of the device",
                                  .unit = "cell",
                                  .size = size,
                                  .nsizes = (int)(sizeof size / sizeof size[0]),
                                  .seconds = b->quick ? 6 : 20,
                                  .open = plain_open};
    return b->backend->is_device ? bench_sweep(b, &w) : SF_OK;
}

int bench_wave(struct bench *b)
{
    const int cells = bench_wave_cells(b);
    struct ceiling_site site = {.backend = b->backend, .bytes = (size_t)(b->quick ? gib / 2 : gib), .effort = 1};
    struct wave *wave = calloc(BENCH_TEAMS, sizeof *wave);
    int rc = wave ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the benchmark");
    if (!rc && !b->backend->is_device) rc = ceilings_open(&site);
    if (!rc) rc = turns_take(b, wave, cells, &site);
    if (!rc) {
        case_print(wave, cells);
        if (b->backend->is_device) device_print(b, wave);
        else threads_print(b, wave);
        fflush(stdout);
    }
    ceilings_close(&site);
    for (int n = 0; wave && n < b->teams; n++)
        for (int c = 0; c < CASES; c++) bench_close(&wave[n].course[c].session);
    free(wave);
    return rc ? rc : sizes_measure(b);
}
