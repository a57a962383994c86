/* sferic bench: what this machine can do at most, and what the model makes of it. SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include "command/command.h"
#include "pipeline/error.h"
#include "pipeline/threads.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    {"--quick", NULL, NULL, "shorter measurements, smaller sizes"},
    {"--backend", NULL, "NAME", "what to measure: auto (a GPU where there is one), cpu or cuda"},
    {"--tune", NULL, NULL,
     "try the shapes that stages can have, of kernels or windows; of kernels the best are kept for run"},
    {"--stream", NULL, NULL,
     "slabs that stream through a quarter of the memory they need on the GPU, against the domain resident"},
    {"--size", NULL, "NXxNYxNZ", "cells of the step that is taken apart (128x128x64, on a GPU 512x512x128)"},
    {"--threads", NULL, "N", "threads of the second column (OMP_NUM_THREADS or all cores)"},
    {"--model", NULL, "dynamics|maxwell|all", "the weather, EM waves, or both (all)"},
    {"--sides", NULL, "periodic|wall", "sides of the domain (periodic)"},
    {"--set", NULL, "G%K=VALUE", "of CASE.nml: put VALUE in place of the namelist's"},
};

enum { REPEATS = 7, REPEATS_QUICK = 3, REPEATS_GPU = 11 };

static int number_read(const char *name, const char *text, int low, int high, int *value)
{
    char *end;
    const long n = strtol(text, &end, 10);
    SF_CHECK(end != text && !*end && n >= low && n <= high, SF_USAGE, "%s %s: expected a number from %d to %d", name,
             text, low, high);
    *value = (int)n;
    return SF_OK;
}

static int size_read(const char *text, int size[3])
{
    int end = 0;
    const int n = sscanf(text, "%dx%dx%d%n", &size[0], &size[1], &size[2], &end);
    SF_CHECK(n == 3 && !text[end] && size[0] >= 8 && size[1] >= 8 && size[2] >= 8 && size[0] <= 100000 &&
                 size[1] <= 100000 && size[2] <= 10000,
             SF_USAGE, "--size %s: expected cells west-east, south-north and up, 8 or more each, as 128x128x64", text);
    return SF_OK;
}

static int backend_read(const char *text, int *choice)
{
    static const char *const word[] = {"auto", "cpu", "cuda"};
    for (int n = 0; n < 3; n++)
        if (!strcmp(text, word[n])) {
            *choice = n;
            return SF_OK;
        }
    SF_FAIL(SF_USAGE, "--backend %s: choose auto, cpu or cuda", text);
}

static int option_take(void *to, const struct option *o, const char *value)
{
    struct bench *b = to;
    int taken = 1;
    if (!o || !strcmp(o->name, "--set")) return case_take(&b->of, o, value, &taken);
    if (!strcmp(o->name, "--quick")) b->quick = 1;
    else if (!strcmp(o->name, "--tune")) b->tune = 1;
    else if (!strcmp(o->name, "--stream")) b->stream = 1;
    else if (!strcmp(o->name, "--backend")) SF_TRY(backend_read(value, &b->choice));
    else if (!strcmp(o->name, "--size")) {
        b->sized = 1;
        SF_TRY(size_read(value, b->size));
    } else if (!strcmp(o->name, "--threads")) SF_TRY(number_read(o->name, value, 1, THREADS_MOST, &b->threads));
    else if (!strcmp(o->name, "--model")) {
        SF_CHECK(!strcmp(value, "dynamics") || !strcmp(value, "maxwell") || !strcmp(value, "all"), SF_USAGE,
                 "--model %s: choose dynamics, maxwell or all", value);
        b->model = value;
    } else {
        SF_CHECK(!strcmp(value, "periodic") || !strcmp(value, "wall"), SF_USAGE, "--sides %s: choose periodic or wall",
                 value);
        b->sides = value;
    }
    return SF_OK;
}

/* ---- what the parts share ---------------------------------------------------------------------------------------- */

int bench_open(struct session **s, const struct bench *b, const int size[3], int threads)
{
    const double top = 16000, dx = 1000;
    char set[14][64];
    const char *sets[14];
    int n = 0;
    for (int a = 0; a < 3; a++) snprintf(set[n++], sizeof set[0], "grid%%n%c=%d", "xyz"[a], size[a]);
    snprintf(set[n++], sizeof set[0], "grid%%dz=%.9g", top / size[2]);
    snprintf(set[n++], sizeof set[0], "initial%%x=%.9g", 0.5 * dx * size[0]);
    snprintf(set[n++], sizeof set[0], "initial%%y=%.9g", 0.5 * dx * size[1]);
    snprintf(set[n++], sizeof set[0], "pipeline%%threads=%d", threads);
    snprintf(set[n++], sizeof set[0], "pipeline%%backend='%s'", b->backend->name);
    static const char *const side[] = {"west", "east", "south", "north"};
    for (int a = 0; a < 4; a++) snprintf(set[n++], sizeof set[0], "boundary%%%s='%s'", side[a], b->sides);
    for (int m = 0; m < n; m++) sets[m] = set[m];
    return bench_open_sets(s, b, b->path, sets, n);
}

int bench_open_sets(struct session **s, const struct bench *b, const char *path, const char *const *set, int nsets)
{
    enum { MOST = CASE_SETS + 32 };
    const char *sets[MOST];
    int n = 0;
    SF_CHECK(nsets + b->nsets <= MOST, SF_INTERNAL, "more settings than bench can hold");
    for (int m = 0; m < nsets; m++) sets[n++] = set[m];
    for (int m = 0; m < b->nsets; m++) sets[n++] = b->set[m];
    *s = calloc(1, sizeof **s);
    SF_CHECK(*s, SF_MEMORY, "no memory for a session");
    SF_TRY(session_open(*s, &(struct session_options){
                                .path = path, .set = sets, .nsets = n, .untuned = b->tune, .has_fixed_threads = 1}));
    sf_log_setup(0, 1); /* the sessions behind the first would note the same again */
    return SF_OK;
}

double bench_points(const struct session *s) { return (double)s->grid.nx * s->grid.ny * s->grid.nz; }

void bench_close(struct session **s)
{
    if (*s) session_close(*s);
    free(*s);
    *s = NULL;
    malloc_trim(0); /* so that memory is counted for who uses it */
}

/* What is measured, and how often. */
static int place_choose(struct bench *b)
{
    static const int gpu[3] = {512, 512, 128}, gpu_quick[3] = {256, 256, 128};
    SF_TRY(backend_choose(&b->backend, b->choice, 0));
    if (!b->threads) b->threads = threads_available(NULL);
    SF_CHECK(b->threads <= threads_most(), SF_USAGE,
             "--threads %d: at most %d are taken here, %d for each core that this process may run on", b->threads,
             threads_most(), THREADS_A_CORE);
    b->repeats = b->quick ? REPEATS_QUICK : REPEATS;
    b->team[b->teams++] = 1;
    SF_CHECK(!b->stream || !b->tune, SF_USAGE, "--stream and --tune are two measurements: ask for one of them");
    const int refusal = b->choice == BACKEND_CPU ? SF_USAGE : SF_GPU;
    SF_CHECK(!b->stream || b->backend->is_device, refusal,
             "--stream: slabs stream through a GPU, and none is used here");
    if (b->backend->is_device) {
        b->threads = 1;
        b->repeats = REPEATS_GPU;
        if (!b->sized) memcpy(b->size, b->quick ? gpu_quick : gpu, sizeof b->size);
    } else if (b->threads > 1) b->team[b->teams++] = b->threads;
    return SF_OK;
}

/* Options that make the program's own cases what they are. */
static int case_judge(const struct bench *b)
{
    SF_CHECK(b->of.path || !b->of.nsets, SF_USAGE, "--set needs a case: sferic bench CASE.nml --set GROUP%%KEY=VALUE");
    SF_CHECK(!b->of.path || (!b->model && !b->sides && !b->stream), SF_USAGE,
             "--model, --sides and --stream are for the program's own cases: a namelist says its own");
    return SF_OK;
}

static int bench_all(struct bench *b)
{
    SF_TRY(case_judge(b));
    if (!b->model) b->model = "all";
    if (!b->sides) b->sides = "periodic";
    SF_TRY(place_choose(b));
    if (b->of.path) SF_TRY(bench_case_read(b));
    SF_TRY(bench_directory_make(b));
    if (b->stream) return bench_stream(b);
    if (b->backend->is_device) {
        SF_TRY(bench_ceilings(b));
        bench_ceilings_print(b);
    }
    if (b->tune) return bench_tune(b);
    if (b->of.path) return bench_case(b);
    if (strcmp(b->model, "maxwell")) {
        SF_TRY(bench_step(b));
        SF_TRY(bench_sizes(b));
        SF_TRY(bench_history(b));
    }
    return strcmp(b->model, "dynamics") ? bench_wave(b) : SF_OK;
}

int command_bench(struct comm *c, int argc, char **argv)
{
    static const struct usage usage = {
        .name = "bench",
        .arguments = "[CASE.nml | NAME]",
        .option = options,
        .noptions = (int)(sizeof options / sizeof options[0]),
        .take = option_take,
        .about =
            "Measure what this machine can do at most, and what the models make of it: the step and each of its\nstages, "
            "cost and memory by size, cost of history output, EM waves. With CASE.nml: the step and stages of that case,\n"
            "of whatever model. Everything that is compared takes turns."};
    struct bench *b = calloc(1, sizeof *b);
    SF_CHECK(b, SF_MEMORY, "no memory for the benchmark");
    *b = (struct bench){.size = {128, 128, 64}};
    int rc = options_read(&usage, c->rank, argc, argv, b);
    if (!rc && b->of.path) rc = case_check(c, &b->of, "bench");
    if (!rc) rc = bench_all(b);
    bench_directory_remove(b);
    free(b);
    return rc;
}
