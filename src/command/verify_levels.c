/* Means over levels of a case that `verify` runs. SPDX-License-Identifier: MIT */
#include "command/verify_levels.h"

#include "pipeline/error.h"

int verify_levels(struct session *s, struct verify_levels *x)
{
    const int nk = s->grid.nz;
    SF_CHECK(nk <= VERIFY_LEVELS_MOST, SF_INTERNAL, "%d levels, and room for %d", nk, VERIFY_LEVELS_MOST);
    for (int n = 0; n < MEANS; n++) x->mean[n] = x->memory + n * nk;
    for (int n = 0; n < DEPARTURES; n++) x->departure[n] = x->memory + (MEANS + n) * nk;
    SF_TRY(engine_refresh(&s->engine));
    return statistics_levels(&s->in, &s->state, clock_dt(&s->clock, s->step), x->memory, x->memory + MEANS * nk,
                             x->one);
}
