/* Means over levels and what departs from them (statistics.h), of the state of a case that `verify` runs.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "command/verify.h"
#include "dynamics/statistics.h"

enum { VERIFY_LEVELS_MOST = 128 };

struct verify_levels {
    const double *mean[MEANS], *departure[DEPARTURES]; /* [nz] each */
    double one[ROWS_ONE], memory[(MEANS + DEPARTURES) * VERIFY_LEVELS_MOST];
};

/* Of the state as it is, of VERIFY_LEVELS_MOST levels at most. Errors: SF_INTERNAL, SF_MEMORY, SF_COMM, SF_GPU. */
int verify_levels(struct session *s, struct verify_levels *x);
