/* Sessions that are measured in turns, their stages too. SPDX-License-Identifier: MIT */
#include "command/bench.h"

#include "pipeline/error.h"

#include <string.h>

/* s of a measurement: of a CPU so that a burst of other work does not fill it. */
static const double seconds_cpu = 1.0, seconds_gpu = 0.1, quicker = 0.4;

/* Marks between the stages keep a GPU from starting the next while one ends: the step is timed without them. */
static int advance(struct course *c, long steps, int timing, double *seconds)
{
    struct session *const s = c->session;
    const double before = s->seconds;
    s->engine.opt.timing = timing;
    SF_TRY(session_advance(s, steps));
    *seconds = s->seconds - before;
    return SF_OK;
}

int course_stages(const struct course *c) { return c->session->model->nstages + 1; }

static void stages_note(struct course *c)
{
    for (int n = 0; n < course_stages(c); n++) {
        const struct engine_stage_time *now = &c->session->engine.stage_time[n];
        const double seconds = now->seconds - c->last[n].seconds, points = now->points - c->last[n].points;
        if (seconds > 0) tally_add(&c->stage[n], points / seconds);
        c->last[n] = *now;
    }
}

int course_begin(struct course *c, const struct bench *b, long warm_up)
{
    enum { LEAST = 2, MOST = 4000 };
    const int pass = c->session->engine.pass[0].plan.steps;
    const double aim = (b->backend->is_device ? seconds_gpu : seconds_cpu) * (b->quick ? quicker : 1);
    double seconds = 0;
    SF_CHECK(course_stages(c) <= BENCH_STAGES, SF_INTERNAL, "more stages than bench can hold");
    if (warm_up > 0) SF_TRY(advance(c, warm_up, 0, &seconds)); /* a flow, not the state at rest */
    SF_TRY(advance(c, pass, c->stages, &seconds));
    SF_TRY(advance(c, pass, 0, &seconds));
    const double fit = aim / SF_MAX(seconds, 1e-9);
    c->steps = pass * (fit > MOST / pass ? MOST / pass : SF_MAX((LEAST + pass - 1) / pass, (long)fit));
    stages_note(c);
    memset(c->stage, 0, sizeof c->stage);
    return SF_OK;
}

int course_measure(struct course *c)
{
    const int apart = c->session->backend->is_device;
    double seconds = 0;
    SF_TRY(advance(c, c->steps, c->stages && !apart, &seconds));
    tally_add(&c->step, (double)c->steps * bench_points(c->session) / seconds);
    if (c->stages && apart) SF_TRY(advance(c, c->steps, 1, &seconds));
    stages_note(c);
    return SF_OK;
}

double course_share(const struct course *c, int stage)
{
    double sum = 0, ghosts = 0;
    for (int n = 0; n < course_stages(c); n++)
        ghosts += c->last[n].ghosts, sum += c->last[n].seconds + c->last[n].ghosts;
    return sum > 0 ? (stage < course_stages(c) ? c->last[stage].seconds : ghosts) / sum : 0;
}

const struct plan_op *course_op(const struct course *c, int stage)
{
    const struct plan *p = &c->session->engine.pass[0].plan;
    for (int n = 0; n < p->nops; n++)
        if (p->op[n].op.stage == stage) return &p->op[n];
    return NULL;
}

int course_turns(struct bench *b, struct course *course, int (*open)(const struct bench *b, struct course *course))
{
    const int is_device = b->backend->is_device; /* its ceilings are known */
    struct ceiling_site site = {.backend = b->backend};
    int rc = is_device ? SF_OK : bench_site_open(b, &site);
    if (!rc) rc = open(b, course);
    for (int r = 0; r < b->repeats; r++)
        for (int n = 0; n < b->teams && !rc; n++) {
            if (!is_device) rc = bench_ceilings_turn(b, &site, n);
            if (!rc) rc = course_measure(&course[n]);
        }
    ceilings_close(&site);
    return rc;
}
