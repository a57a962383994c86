/* A domain larger than the device, as its memory is capped: streamed slabs against the same domain resident.
 * SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include "command/schedule.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <string.h>

static const double mib = 1048576.0, share_of_need = 0.25;

enum {
    FIRST = 3,
    STEPS = 96,
    TIMES = 3
}; /* steps that fill pages, and those of a measurement, and how many there are */

/* How a domain is cut. */
struct way {
    int slabs, steps; /* 0: as the engine chooses */
    int is_capped; /* 1: by a quarter of the memory that it needs resident */
};

struct streamed {
    struct tally rate; /* points/s */
    unsigned long long digest;
    double need; /* MiB on the device */
};

static int way_open(struct session **s, struct bench *b, int is_wave, const struct way *w, double need)
{
    static char set[3][64];
    b->nsets = 0;
    if (w && w->is_capped)
        snprintf(set[b->nsets++], sizeof set[0], "pipeline%%device_memory_mib=%.9g", share_of_need * need);
    if (w && w->slabs) snprintf(set[b->nsets++], sizeof set[0], "pipeline%%slabs=%d", w->slabs);
    if (w && w->steps) snprintf(set[b->nsets++], sizeof set[0], "pipeline%%steps_per_pass=%d", w->steps);
    for (int n = 0; n < b->nsets; n++) b->set[n] = set[n];
    const int rc = is_wave ? bench_wave_open(s, b, b->size[0], 1) : bench_open(s, b, b->size, 1);
    b->nsets = 0;
    return rc;
}

static int times_of(const struct bench *b) { return b->quick ? 1 : TIMES; }

static int measure(const struct bench *b, struct session *s, struct streamed *r, struct schedule_lanes *lanes)
{
    SF_TRY(session_advance(s, FIRST));
    for (int n = 0; n < times_of(b); n++) {
        const struct schedule_lanes before = schedule_lanes(&s->engine);
        const double began = s->seconds;
        SF_TRY(session_advance(s, STEPS));
        SF_TRY(engine_lanes_take(&s->engine));
        tally_add(&r->rate, STEPS * bench_points(s) / (s->seconds - began));
        *lanes = schedule_lanes_since(&s->engine, &before);
    }
    SF_TRY(engine_fetch(&s->engine));
    r->need = (double)s->engine.device_bytes / mib;
    return session_digest(s, &r->digest);
}

static void row_print(const struct session *s, const struct way *w, const struct streamed *whole,
                      const struct streamed *r, const struct schedule_lanes *l)
{
    const double rate = tally_median(&r->rate);
    char slabs[16] = "resident";
    if (w) snprintf(slabs, sizeof slabs, "%d%s", s->engine.slabs, w->slabs ? "" : ", auto");
    printf("  %-9s %5d%-6s %9.0f %9.3f -%2.0f %%", slabs, s->engine.pass[0].plan.steps, w && !w->steps ? ", auto" : "",
           r->need, rate * 1e-9, tally_spread(&r->rate));
    if (w)
        printf(" %7.1f %% %7.1f %% %8.3f %8.3f %8.3f %8.3f  %s", 100 * rate / tally_median(&whole->rate),
               100 * l->hidden, l->in, l->compute, l->out, l->wall,
               r->digest == whole->digest ? "the same" : "OTHER BITS");
    else printf(" %9s %9s %8s %8s %8s %8s  %016llx", "", "", "", "", "", "", r->digest);
    printf("\n");
    fflush(stdout);
}

static int way_measure(struct bench *b, int is_wave, const struct way *w, struct streamed *whole)
{
    struct session *s = NULL;
    struct streamed r = {.need = 0};
    struct schedule_lanes lanes = {.wall = 0};
    int rc = way_open(&s, b, is_wave, w, whole->need);
    if (rc == SF_MEMORY && w && w->is_capped) {
        char why[512];
        snprintf(why, sizeof why, "%s", sf_error_text());
        bench_close(&s);
        sf_error_clear();
        SF_FAIL(
            SF_MEMORY,
            "bench --stream: %d x %d x %d cells do not stream through a quarter of the memory that they take; more rows (--size) may. %s",
            b->size[0], b->size[1], b->size[2], why);
    }
    if (!rc) rc = measure(b, s, &r, &lanes);
    if (!rc && !w) *whole = r;
    if (!rc) row_print(s, w, whole, &r, &lanes);
    bench_close(&s);
    SF_CHECK(rc || r.digest == whole->digest, SF_VERIFY,
             "slabs that stream have other bits than the domain that stays: please report this");
    return rc;
}

static int ways_measure(struct bench *b, int is_wave, const struct way *way, int n)
{
    struct streamed whole = {.need = 0};
    printf("\n%s streamed, %d-bit: %d x %d x %d cells, %d steps a measurement, %d of them\n\n",
           is_wave ? "EM waves" : "Weather", SF_PREC, b->size[0], b->size[1], b->size[2], STEPS, times_of(b));
    printf("  %-9s %-11s %9s %9s %5s %9s %9s %8s %8s %8s %8s  %s\n", "slabs", "steps/pass", "MiB there", "Gpoint/s", "",
           "resident", "hidden", "in, s", "comp., s", "out, s", "wall, s", "bits");
    SF_TRY(way_measure(b, is_wave, NULL, &whole));
    for (int m = 0; m < n; m++) SF_TRY(way_measure(b, is_wave, &way[m], &whole));
    return SF_OK;
}

int bench_stream(struct bench *b)
{
    static const int size[2][3] = {{1024, 1024, 128}, {1024, 1024, 1024}},
                     small[2][3] = {{512, 512, 128}, {512, 512, 512}};
    static const struct way weather[] = {{0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {0, 4, 1}, {3, 0, 0}, {5, 0, 0}, {9, 0, 0}},
                            wave[] = {{0, 0, 1},  {0, 1, 1}, {0, 2, 1}, {0, 8, 1},
                                      {0, 24, 1}, {3, 0, 0}, {5, 0, 0}, {9, 0, 0}};
    for (int is_wave = 0; is_wave < 2; is_wave++) {
        if (strcmp(b->model, "all") && strcmp(b->model, is_wave ? "maxwell" : "dynamics")) continue;
        if (!b->sized) memcpy(b->size, b->quick ? small[is_wave] : size[is_wave], sizeof b->size);
        const int all = is_wave ? (int)(sizeof wave / sizeof wave[0]) : (int)(sizeof weather / sizeof weather[0]);
        SF_TRY(ways_measure(b, is_wave, is_wave ? wave : weather, b->quick ? 1 : all));
    }
    printf(
        "\n  resident: share of the speed of the domain that stays; hidden: of the transfers behind computing, (in + computing + out - wall)\n"
        "  / (in + computing + out - the longest of them), of the last measurement. Auto: at a quarter of the memory.\n");
    return SF_OK;
}
