/* A case with another number of rows. SPDX-License-Identifier: MIT */
#include "command/trial.h"

#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trial_case trial_case_of(const struct session *s, const struct case_arguments *args)
{
    const struct trial_case x = {.args = args,
                                 .source = s->source,
                                 .source_len = s->source_len,
                                 .comm = &s->comm,
                                 .ny = s->grid.ny,
                                 .dy = s->config.grid_dy,
                                 .timing = s->timing,
                                 .lenient = !strcmp(s->model->name, "maxwell")    ? "maxwell%allow_coarse=.true."
                                            : !strcmp(s->model->name, "dynamics") ? "initial%file=''" /* of all rows */
                                                                                  : NULL};
    return x;
}

static int part_read(struct session *part, const struct trial_case *x, int rows, int is_whole)
{
    char ny[64], dy[64];
    snprintf(ny, sizeof ny, "grid%%ny=%d", rows);
    snprintf(dy, sizeof dy, "grid%%dy=%.17g", x->dy * x->ny / rows);
    const char *const more[] = {ny, dy, x->lenient, is_whole ? "pipeline%slabs=1" : NULL,
                                is_whole ? "pipeline%steps_per_pass=0" : NULL};
    struct case_arguments a = *x->args;
    for (int n = 0; n < (int)(sizeof more / sizeof more[0]); n++) {
        if (!more[n]) continue;
        SF_CHECK(a.nsets < CASE_SETS, SF_USAGE, "no room for an override");
        a.set[a.nsets++] = more[n];
    }
    return session_read(part, &(struct session_options){.path = a.path,
                                                        .source = x->source,
                                                        .source_len = x->source_len,
                                                        .set = a.set,
                                                        .nsets = a.nsets,
                                                        .comm = x->comm,
                                                        .timing = x->timing,
                                                        .is_part = 1,
                                                        .is_silent = 1});
}

int trial_open(struct session **part, const struct trial_case *x, int rows, int is_whole)
{
    sf_log_setup(x->comm->rank, 1);
    *part = calloc(1, sizeof **part);
    SF_TRY(outcome_share(x->comm, *part ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for a trial")));
    const int rc = part_read(*part, x, rows, is_whole);
    if (rc != SF_NAMELIST && rc != SF_INPUT && rc != SF_USAGE) return rc;
    sf_error_clear(); /* its sizes, or its files, are of all rows */
    session_close(*part);
    free(*part);
    *part = NULL;
    return SF_OK;
}

void trial_close(struct session *part, const struct trial_case *x, int quiet)
{
    sf_log_setup(x->comm->rank, quiet);
    if (part) session_close(part);
    free(part);
}
