/* What was found is a line of the cache: the candidate, how many there were, and what their names sum up to.
 * SPDX-License-Identifier: MIT */
#include "command/tune.h"

#include "command/cache.h"
#include "pipeline/error.h"

#include <stdio.h>

enum { KEY = 256, KEPT = 3, CLASSES = 48 };

int tune_class(double points)
{
    int n = 0;
    for (; points >= 1.5 && n < CLASSES; points /= 2) n++;
    return n;
}

/* Differs where the candidates do. */
static double names_sum(const struct tunable *t)
{
    unsigned sum = 2166136261u;
    for (int n = 0; n < t->ncandidates; n++)
        for (const char *c = t->candidate[n].name; *c; c++) sum = (sum ^ (unsigned char)*c) * 16777619u;
    return (double)(sum % 1000000007u);
}

static void key_make(char key[KEY], const struct backend *b, const struct model *m, int stage, int class)
{
    snprintf(key, KEY, "shape %d %s %s %s %d", SF_PREC, b->device()->name, m->name, m->stage[stage].name, class);
}

static int class_find(const struct backend *b, const struct model *m, int stage, int class)
{
    const struct tunable *const t = tunable_of(m, stage);
    char key[KEY];
    double kept[KEPT];
    key_make(key, b, m, stage, class);
    if (!cache_get(key, kept, KEPT)) return TUNE_NONE;
    const int is_same = (int)kept[1] == t->ncandidates && (int)kept[2] == (int)names_sum(t);
    return is_same && kept[0] >= -1 && kept[0] < t->ncandidates ? (int)kept[0] : TUNE_NONE;
}

int tune_find(const struct backend *b, const struct model *m, int stage, double points)
{
    const int class = tune_class(points);
    for (int off = 0; off < CLASSES && tunable_of(m, stage); off++) {
        const int above = class_find(b, m, stage, class + off),
                  below = off && class >= off ? class_find(b, m, stage, class - off) : TUNE_NONE;
        if (above != TUNE_NONE || below != TUNE_NONE) return above != TUNE_NONE ? above : below;
    }
    return TUNE_NONE;
}

void tune_keep(const struct backend *b, const struct model *m, int stage, double points, int candidate)
{
    const struct tunable *const t = tunable_of(m, stage);
    char key[KEY];
    const double kept[KEPT] = {candidate, t->ncandidates, names_sum(t)};
    key_make(key, b, m, stage, tune_class(points));
    cache_put(key, kept, KEPT);
}

int tune_apply(struct session *s)
{
    const struct grid *g = &s->grid;
    const double points = (double)g->nx * g->ny * g->nz / s->comm.size;
    if (!s->backend->is_device) return SF_OK;
    for (int n = 0; n < s->model->nstages; n++) {
        int found = s->comm.rank == 0 ? tune_find(s->backend, s->model, n, points) : TUNE_NONE;
        if (!tunable_of(s->model, n)) continue;
        SF_TRY(comm_bcast(&s->comm, &found, sizeof found));
        s->shape[n] = found >= 0 ? &tunable_of(s->model, n)->candidate[found] : NULL;
    }
    return SF_OK;
}
