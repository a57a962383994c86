/* How fast rows that stream would be if they stayed on the GPU: measured after the run, on as many as can stay. SPDX-License-Identifier: MIT */
#include "command/run.h"

#include "pipeline/error.h"

#include <stdio.h>

/* Is it worth the time? A run of less does not end with a trial unless it tells all. */
static const double worth_seconds = 5;

int resident_plan(const struct run *r, struct resident *x)
{
    const struct session *s = &r->session;
    const struct engine *e = &s->engine;
    const double share = 0.9; /* of the memory: rounding takes some */
    double lacks = e->device_whole > 0 ? -share * (double)e->device_most / (double)e->device_whole : 0;
    int is_worth = !r->opt.quiet && s->backend->is_device && e->slabs > 1 && (r->opt.verbose || s->seconds >= worth_seconds);
    *x = (struct resident){.of = trial_case_of(s, &r->opt.args)};
    SF_TRY(comm_bcast(&s->comm, &is_worth, sizeof is_worth)); /* seconds differ between ranks */
    SF_TRY(comm_max_double(&s->comm, &lacks));
    if (!is_worth) return SF_OK;
    x->rows = SF_MIN(s->grid.ny, (int)(-lacks * s->grid.ny));
    x->rate = (double)s->grid.nx * s->grid.ny * s->grid.nz * (double)(s->step - r->first_step) / SF_MAX(s->seconds, 1e-9);
    return SF_OK;
}

/* points/s of the case on those rows; 0: they do not stay, or there are no steps. */
static int rate_measure(struct session *part, double *rate)
{
    enum { FIRST = 4, FEWEST = 8, MOST = 1000 };
    const double long_enough = 0.5; /* s */
    SF_TRY(session_start(part, NULL));
    if (part->engine.slabs > 1) return SF_OK;
    SF_TRY(session_advance(part, SF_MIN(FIRST, session_steps_left(part)))); /* pages and caches */
    double each = part->seconds / FIRST;
    SF_TRY(comm_max_double(&part->comm, &each));
    const long usual = (long)SF_MIN(long_enough / SF_MAX(each, 1e-6), (double)MOST);
    const long steps = SF_MIN(SF_MAX(usual, FEWEST), session_steps_left(part));
    part->seconds = 0;
    SF_TRY(session_advance(part, steps));
    double seconds = part->seconds;
    SF_TRY(comm_max_double(&part->comm, &seconds));
    if (seconds > 0) *rate = (double)part->grid.nx * part->grid.ny * part->grid.nz * (double)steps / seconds;
    return SF_OK;
}

/* The run is over and its results are there: whatever keeps the trial from being made is no error of it. */
int resident_tell(const struct resident *x, int quiet)
{
    enum { FEWEST = 16 }; /* rows of a rank */
    struct session *part = NULL;
    double rate = 0;
    if (x->rows < FEWEST * x->of.comm->size) return SF_OK;
    int rc = trial_open(&part, &x->of, x->rows, "pipeline%slabs=1");
    if (!rc && part) rc = rate_measure(part, &rate);
    trial_close(part, &x->of, quiet);
    if (rc == SF_COMM) return rc;
    if (rc) sf_error_clear();
    else if (rate > 0 && x->of.comm->rank == 0)
        printf("  resident   %.1f %% of the speed of rows that stay on the GPU: %.4g Mpoint/s, measured on %d of them\n", 100 * x->rate / rate,
               rate * 1e-6, x->rows);
    return SF_OK;
}
