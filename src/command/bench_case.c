/* A user's case: its step and stages, whatever model it is of. SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include "pipeline/error.h"
#include "pipeline/traffic.h"

#include <stdio.h>
#include <stdlib.h>

enum { CASE_WARM_UP = 4, CASE_STEPS = 1000000 };

int bench_case_read(struct bench *b)
{
    struct session *const s = calloc(1, sizeof *s);
    SF_CHECK(s, SF_MEMORY, "no memory for a session");
    const char *sets[CASE_SETS + 1];
    char backend[64];
    int n = 0;
    snprintf(backend, sizeof backend, "pipeline%%backend='%s'", b->backend->name);
    for (; n < b->of.nsets; n++) sets[n] = b->of.set[n];
    sets[n++] = backend;
    const int rc = session_read(s, &(struct session_options){.path = b->of.path, .set = sets, .nsets = n});
    if (!rc) {
        const int size[3] = {s->grid.nx, s->grid.ny, s->grid.nz};
        for (int a = 0; a < 3 && !b->sized; a++) b->size[a] = size[a];
        b->duration = SF_MAX(s->config.time_duration, CASE_STEPS * clock_dt(&s->clock, 0));
    }
    session_close(s);
    free(s);
    return rc;
}

int bench_case_open(struct session **s, const struct bench *b, const char *const *more, int nmore, int threads)
{
    enum { MOST = CASE_SETS + 16 };
    const char *sets[MOST];
    char set[6][64];
    int n = 0, m = 0;
    for (; n < b->of.nsets; n++) sets[n] = b->of.set[n];
    for (int a = 0; a < 3; a++) snprintf(set[m++], sizeof set[0], "grid%%n%c=%d", "xyz"[a], b -> size[a]);
    snprintf(set[m++], sizeof set[0], "time%%duration=%.17g", b->duration);
    snprintf(set[m++], sizeof set[0], "pipeline%%threads=%d", threads);
    snprintf(set[m++], sizeof set[0], "pipeline%%backend='%s'", b->backend->name);
    SF_CHECK(n + m + nmore <= MOST, SF_INTERNAL, "more settings than bench can hold");
    for (int q = 0; q < m; q++) sets[n++] = set[q];
    for (int q = 0; q < nmore; q++) sets[n++] = more[q];
    return bench_open_sets(s, b, b->of.path, sets, n);
}

static int courses_open(const struct bench *b, struct course *course)
{
    for (int n = 0; n < b->teams; n++) {
        course[n].stages = 1;
        SF_TRY(bench_case_open(&course[n].session, b, NULL, 0, b->team[n]));
        SF_TRY(course_begin(&course[n], b, CASE_WARM_UP));
    }
    return SF_OK;
}

void bench_case_head(const struct session *s)
{
    const struct engine *const e = &s->engine;
    printf("\nThe step of %s, model %s, %d-bit: %d x %d x %d cells, dt %.3g s; %d step%s in a pass",
           s->config.case_name, s->model->name, SF_PREC, s->grid.nx, s->grid.ny, s->grid.nz,
           clock_dt(&s->clock, s->step), e->pass[0].plan.steps, e->pass[0].plan.steps > 1 ? "s" : "");
    if (!s->backend->is_device) printf(", windows of %d rows", e->window_rows);
    if (!s->backend->is_device && e->window_levels) printf(" and %d levels", e->window_levels);
    printf("\n");
}

static void case_print(const struct bench *b, const struct course *course)
{
    bench_case_head(course[0].session);
    printf("\n");
    if (b->backend->is_device) {
        bench_stages_print(b, &course[0]);
        bench_rate_print(b, &course[0], "point");
    } else bench_teams_print(b, course);
}

int bench_case(struct bench *b)
{
    struct course *const course = calloc(BENCH_TEAMS, sizeof *course);
    SF_CHECK(course, SF_MEMORY, "no memory for the benchmark");
    const int rc = course_turns(b, course, courses_open);
    if (!rc && !b->backend->is_device) bench_ceilings_print(b);
    if (!rc) case_print(b, course);
    fflush(stdout);
    for (int n = 0; n < b->teams; n++) bench_close(&course[n].session);
    free(course);
    return rc;
}
