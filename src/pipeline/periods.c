/* Multiples of periods, and the steps that come first behind them. SPDX-License-Identifier: MIT */
#include "pipeline/periods.h"

#include "pipeline/error.h"

#include <math.h>

/* What rounding may take from the ratio of a time and a period. */
static const double slack = 1e-9;

static int period_add(struct periods *p, const struct op *o)
{
    int n = 0;
    if (!(o->every_s > 0)) return SF_OK;
    while (n < p->n && (p->every[n] < o->every_s || p->every[n] > o->every_s)) n++;
    if (n < p->n) return SF_OK;
    SF_CHECK(n < PERIODS_MOST, SF_INTERNAL, "ops of more than %d periods", PERIODS_MOST);
    p->every[p->n++] = o->every_s;
    return SF_OK;
}

int periods_make(struct periods *p, const struct instance *in)
{
    *p = (struct periods){.n = 0};
    for (int n = 0; n < in->nops; n++) SF_TRY(period_add(p, &in->op[n]));
    for (int n = 0; n < in->npair; n++) SF_TRY(period_add(p, &in->pair[n]));
    return SF_OK;
}

int periods_find(const struct periods *p, double every_s)
{
    int n = 0;
    while (n + 1 < p->n && (p->every[n] < every_s || p->every[n] > every_s)) n++;
    return n;
}

static double multiple_of(double time, double every) { return floor(time / every + slack); }

double periods_step(struct periods *p, int n, long step, double time)
{
    const int first = step == 0;
    if (!first && !(multiple_of(time, p->every[n]) > multiple_of(p->last[n], p->every[n]))) return -1;
    const double since = first ? 0 : time - p->last[n];
    p->last[n] = time;
    return since;
}
