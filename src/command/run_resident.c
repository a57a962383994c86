/* How fast rows that stream would be if they stayed on the GPU: measured after the run, on as many as can stay.
 * SPDX-License-Identifier: MIT */
#include "command/run.h"

#include "command/session_parts.h"
#include "io/signals.h"
#include "pipeline/error.h"

#include <stdio.h>

/* Is it worth the time? A run of less does not end with a trial unless it tells all. */
static const double worth_seconds = 5;

int resident_plan(const struct run *r, struct resident *x)
{
    const struct session *s = &r->session;
    const struct engine *e = &s->engine;
    const double share = 0.9; /* of the memory: rounding takes some */
    const long steps = s->step - r->first_step;
    double lacks = e->device_whole > 0 ? -share * (double)e->device_most / (double)e->device_whole : 0;
    int is_worth = !r->opt.quiet && s->backend->is_device && e->slabs > 1 && steps > 0 &&
                   (r->opt.verbose || s->seconds >= worth_seconds) && !signals_stop_reason(s->config.time_wall_limit);
    *x = (struct resident){.of = trial_case_of(s, &r->opt.args)};
    SF_TRY(comm_bcast(&s->comm, &is_worth, sizeof is_worth)); /* seconds differ between ranks */
    SF_TRY(comm_max_double(&s->comm, &lacks));
    if (!is_worth) return SF_OK;
    x->rows = (int)SF_MIN(-lacks * s->grid.ny, (double)s->grid.ny);
    x->rate = (double)s->grid.nx * s->grid.ny * s->grid.nz * (double)steps / SF_MAX(s->seconds, 1e-9);
    return SF_OK;
}

static int seconds_of(struct session *part, long steps, double *seconds)
{
    part->seconds = 0;
    SF_TRY(session_advance(part, steps));
    *seconds = part->seconds;
    return comm_max_double(&part->comm, seconds);
}

/* points/s of the case on those rows; 0: there are no steps. The first ones count where they take long. */
static int rate_measure(struct session *part, double *rate)
{
    enum { FIRST = 4, FEWEST = 8, MOST = 1000 };
    const double long_enough = 0.5, longer = 2; /* s */
    double seconds = 0;
    SF_TRY(session_start(part, NULL));
    long steps = SF_MIN(FIRST, session_steps_left(part));
    SF_TRY(seconds_of(part, steps, &seconds)); /* pages and caches */
    const long left = session_steps_left(part),
               usual = (long)SF_MIN(long_enough * FIRST / SF_MAX(seconds, 1e-6), (double)MOST);
    if (left > 0 && seconds < longer) {
        steps = SF_MIN(SF_MAX(usual, FEWEST), left);
        SF_TRY(seconds_of(part, steps, &seconds));
    }
    if (seconds > 0) *rate = (double)part->grid.nx * part->grid.ny * part->grid.nz * (double)steps / seconds;
    return SF_OK;
}

/* Would all of its rows stay? Of several ranks some memory does not shrink with them. */
static int part_stays(const struct session *part, int *stays)
{
    struct engine e;
    struct state none;
    const int rc = session_preview(part, &e, &none);
    *stays = !rc && e.slabs == 1;
    engine_close(&e);
    return rc;
}

/* On as many rows as stay. *rows 0: on none. */
static int trial_make(const struct resident *x, int quiet, int *rows, double *rate)
{
    enum { FEWEST = 16 }; /* of a rank */
    for (*rows = x->rows; *rows >= FEWEST * x->of.comm->size; *rows -= *rows / 4) {
        struct session *part = NULL;
        int stays = 0, rc = trial_open(&part, &x->of, *rows, 1);
        if (!rc && part) rc = part_stays(part, &stays);
        if (!rc && stays) rc = rate_measure(part, rate);
        if (rc == SF_COMM) return rc; /* nothing is safe to free */
        const int is_over = rc || !part || stays;
        trial_close(part, &x->of, quiet);
        if (is_over) return rc;
    }
    *rows = 0;
    return SF_OK;
}

/* The run is over and its results are there: what keeps the trial from being made is no error of it, but for ranks that
 * are lost. */
int resident_tell(const struct resident *x, int quiet)
{
    int rows = 0;
    double rate = 0;
    if (!x->rows) return SF_OK;
    const int rc = trial_make(x, quiet, &rows, &rate);
    if (rc == SF_COMM) return rc;
    if (rc) sf_error_clear();
    if (x->of.comm->rank) return SF_OK;
    if (rate > 0)
        printf(
            "  resident   %.1f %% of the speed of rows that stay on the GPU: %.4g Mpoint/s, measured on %d of them\n",
            100 * x->rate / rate, rate * 1e-6, rows);
    else printf("  resident   not measured: this case has no smaller one whose rows stay on the GPU\n");
    fflush(stdout);
    return SF_OK;
}
