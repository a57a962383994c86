/* Trials: a few steps of a case on fewer of its rows. SPDX-License-Identifier: MIT */
#pragma once

#include "command/command.h"
#include "command/session.h"

/* What a trial needs of the case. */
struct trial_case {
    const struct case_arguments *args;
    const char *source; /* the text of its namelist, which stays the session's, on rank 0 */
    size_t source_len;
    const struct comm *comm;
    int ny, timing;
    double dy; /* m */
    const char *lenient; /* override with which such cells do, NULL: none */
};

struct trial_case trial_case_of(const struct session *s, const struct case_arguments *args);

/* Opens the case on `rows` rows for session_start; they lie farther apart, so that what it is about stays where it is.
 * is_whole: in one slab. *part NULL: it cannot be had on so few. Nothing is told until trial_close. Collective. Errors:
 * SF_MEMORY, SF_GPU, SF_COMM. */
int trial_open(struct session **part, const struct trial_case *x, int rows, int is_whole);

/* `quiet`: how messages are from now on. part may be NULL. */
void trial_close(struct session *part, const struct trial_case *x, int quiet);
