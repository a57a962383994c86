/* The EM model's step: rate, set-up, memory, and what a plane of spectra adds. SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PLAIN, SPECTRA, CASES, WARM_UP = 8, STEPS = 16, FREQUENCIES = 20 };

static const double bytes_least = 48;   /* of a cell and step: E and H read and written once, 32-bit */
static const double gib = 1024.0 * 1024.0 * 1024.0;

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct wave {
    struct session *session[CASES];
    struct tally rate[CASES];
    double setup; /* s */
    double bytes; /* a cell: of fields and media */
};

/* A dipole beside a sphere of glass, layers on all sides, a probe. */
static int namelist_make(const struct bench *b, int cells, char *path, size_t size)
{
    const double middle = 0.5e-3 * cells;
    snprintf(path, size, "%s/wave.nml", b->dir);
    FILE *f = fopen(path, "w");
    SF_CHECK(f, SF_IO, "%s cannot be written", path);
    fprintf(f, "&case name = 'wave' model = 'maxwell' /\n&grid nx = %d ny = %d nz = %d dx = 1e-3 dy = 1e-3 dz = 1e-3 /\n", cells, cells,
            cells);
    fprintf(f, "&time duration = 1 /\n&medium name = 'glass' epsilon = 2.25 /\n"
               "&geometry shape = 'sphere' medium = 'glass' x = %.9g y = %.9g z = %.9g radius = %.9g /\n", 0.6 * middle, middle, middle,
            0.25 * middle);
    fprintf(f, "&source kind = 'electric' axis = 'z' x = %.9g y = %.9g z = %.9g waveform = 'differentiated_gaussian' frequency = 5e9 /\n",
            1.2 * middle, middle, middle);
    fprintf(f, "&output probe_x = %.9g probe_y = %.9g probe_z = %.9g /\n", 1.4 * middle, middle, middle);
    const int bad = ferror(f), unclosed = fclose(f);
    SF_CHECK(!bad && !unclosed, SF_IO, "%s cannot be written", path);
    return SF_OK;
}

static int case_open(struct wave *w, int which, const char *path, int cells, int threads)
{
    char set[8][64];
    const char *sets[8];
    int n = 0;
    snprintf(set[n++], sizeof set[0], "pipeline%%threads=%d", threads);
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
    w->session[which] = calloc(1, sizeof *w->session[which]);
    SF_CHECK(w->session[which], SF_MEMORY, "no memory for a session");
    const double began = seconds_now();
    SF_TRY(session_open(w->session[which], &(struct session_options){.path = path, .set = sets, .nsets = n}));
    if (which == PLAIN) w->setup = seconds_now() - began;
    return session_advance(w->session[which], WARM_UP);
}

/* Bytes a cell of E, H and media, padding and ghosts included; the memory of layers apart. */
static double fields_bytes(const struct session *s)
{
    const struct layout *l = &s->state.host.lay;
    double bytes = 0;
    for (int f = 0; f < s->in.nfields; f++) {
        const struct form form = form_of(&s->in.field[f]);
        if (form.shape == SHAPE_FULL) bytes += (double)layout_row_bytes(l, &form) * s->state.host.s.rows;
    }
    return bytes / ((double)s->grid.nx * s->grid.ny * s->grid.nz);
}

static int case_measure(struct wave *w, int which)
{
    struct session *s = w->session[which];
    const double before = s->seconds, cells = (double)s->grid.nx * s->grid.ny * s->grid.nz;
    SF_TRY(session_advance(s, STEPS));
    tally_add(&w->rate[which], STEPS * cells / (s->seconds - before));
    return SF_OK;
}

static int turns_take(struct bench *b, struct wave *wave, struct tally *stream, const char *path, int cells, real *arena, size_t bytes)
{
    for (int n = 0; n < b->teams; n++) {
        for (int c = 0; c < CASES; c++) SF_TRY(case_open(&wave[n], c, path, cells, b->team[n]));
        wave[n].bytes = fields_bytes(wave[n].session[PLAIN]);
    }
    for (int r = 0; r < b->repeats; r++)
        for (int n = 0; n < b->teams; n++) {
            tally_add(&stream[n], ceiling_measure(CEILING_STREAM, b->team[n], arena, bytes));
            for (int c = 0; c < CASES; c++) SF_TRY(case_measure(&wave[n], c));
        }
    return SF_OK;
}

static void wave_print(const struct bench *b, const struct wave *wave, const struct tally *stream, int cells)
{
    const double least = bytes_least * (double)sizeof(real) / 4;
    const struct session *s = wave[0].session[PLAIN];
    printf("\nThe EM step, %d-bit: %d^3 cells, absorbing layers of 10 cells on all sides, a sphere of glass, a dipole, a probe;\n"
           "%d steps in a pass, windows of %d rows and %d levels on one thread\n\n", SF_PREC, cells, s->engine.pass[0].plan.steps,
           s->engine.opt.window_rows, s->engine.opt.window_levels);
    printf("  %-8s %13s %7s %15s %22s %26s %8s\n", "threads", "Mcell-steps/s", "spread", "in place, GB/s", "of it at 48 B a step",
           "with a plane of 20 spectra", "set-up");
    for (int n = 0; n < b->teams; n++)
        printf("  %-8d %13.1f %5.0f %% %15.1f %20.0f %% %13.1f, -%4.1f %% %7.2f s\n", b->team[n], wave[n].rate[PLAIN].best * 1e-6,
               tally_spread(&wave[n].rate[PLAIN]), stream[n].best * 1e-9, 100 * wave[n].rate[PLAIN].best * least / stream[n].best,
               wave[n].rate[SPECTRA].best * 1e-6, 100 - 100 * wave[n].rate[SPECTRA].best / wave[n].rate[PLAIN].best, wave[n].setup);
    printf("\n  %.1f bytes a cell for fields and media. of it: more than 100 %% cannot come from memory, rows stay in cache over steps.\n"
           "  Meep, measured on a two-core server guest: 46 on one core (64-bit, as Debian has it), 163 on two ranks at its best.\n",
           wave[0].bytes);
    fflush(stdout);
}

int bench_wave(struct bench *b)
{
    const int cells = b->quick ? 128 : 256;
    const size_t bytes = (size_t)(b->quick ? gib / 2 : gib);
    struct wave *wave = calloc(BENCH_TEAMS, sizeof *wave);
    struct tally stream[BENCH_TEAMS] = {{0}};
    char path[BENCH_PATH + 16];
    real *arena = ceiling_arena(bytes);
    int rc = SF_OK;
    if (!wave || !arena) rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no %.2g GiB of memory to measure in", (double)bytes / gib);
    if (!rc) rc = namelist_make(b, cells, path, sizeof path);
    if (!rc) rc = turns_take(b, wave, stream, path, cells, arena, bytes);
    if (!rc) wave_print(b, wave, stream, cells);
    free(arena);
    for (int n = 0; wave && n < b->teams; n++)
        for (int c = 0; c < CASES; c++) bench_close(&wave[n].session[c]);
    free(wave);
    return rc;
}
