/* The machine's ceilings and the model's step, measured in turns. SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include "pipeline/traffic.h"
#include "dynamics/flops.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 20 };

static int courses_open(const struct bench *b, struct course *course)
{
    for (int n = 0; n < b->teams; n++) {
        course[n].stages = 1;
        SF_TRY(bench_open(&course[n].session, b, b->size, b->team[n]));
        SF_TRY(course_begin(&course[n], b, WARM_UP));
    }
    return SF_OK;
}

/* Advection and mixing of five fields apart, each kernel reading and writing every value once: bytes a point. */
static const double ideal_apart = 148.0 * sizeof(real) / 4;

static void fused_print(const struct course *c)
{
    const struct session *s = c->session;
    for (int n = 0; n < s->model->nstages; n++) {
        const struct plan_op *const o = course_op(c, n);
        if (!o || strcmp(s->model->stage[n].name, "advmix")) continue;
        const double bytes = traffic_of_op(&s->in, &s->engine.pass[0].plan, o);
        printf(
            "\n  The fused tendencies (advmix) move %.0f bytes a point by their declared accesses; ten ideal kernels, advection and mixing\n"
            "  of each field apart, %.0f: %.1f times as many. Counted arithmetic: %d flop, %d instructions of floating point.\n",
            bytes, ideal_apart, ideal_apart / bytes, FLOPS_ADVMIX_FOURTH, INSTRUCTIONS_ADVMIX_FOURTH);
    }
}

static void device_print(const struct bench *b, const struct course *c)
{
    const struct session *s = c->session;
    printf(
        "\nThe dry step, %d-bit: %d x %d x %d cells, three Runge-Kutta stages, 6 small steps in the last (10 in all), 4th-order "
        "mixing,\n%s sides, dt %.3g s, from a flow of %d steps\n\n",
        SF_PREC, s->grid.nx, s->grid.ny, s->grid.nz, b->sides, clock_dt(&s->clock, s->step), WARM_UP);
    bench_stages_print(b, c);
    fused_print(c);
    bench_rate_print(b, c, "point");
}

int bench_step(struct bench *b)
{
    struct course *course = calloc(BENCH_TEAMS, sizeof *course);
    SF_CHECK(course, SF_MEMORY, "no memory for the benchmark");
    const int rc = course_turns(b, course, courses_open);
    if (!rc && b->backend->is_device) device_print(b, course);
    else if (!rc) {
        bench_ceilings_print(b);
        bench_step_print(b, course);
    }
    fflush(stdout);
    for (int n = 0; n < b->teams; n++) bench_close(&course[n].session);
    free(course);
    return rc;
}
