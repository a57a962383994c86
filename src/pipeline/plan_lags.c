/* How far the ops of a segment stay behind each other. SPDX-License-Identifier: MIT */
#include "pipeline/plan_lags.h"

#include "pipeline/error.h"

#include <limits.h>
#include <stdlib.h>

enum way { NORTHWARD, SOUTHWARD, UPWARD };

static int ahead_of(const struct plan_access *a, enum way way)
{
    return way == UPWARD ? a->reach.kp : way == SOUTHWARD ? a->reach.jm : a->reach.jp;
}
static int behind_of(const struct plan_access *a, enum way way)
{
    return way == UPWARD ? a->reach.km : way == SOUTHWARD ? a->reach.jp : a->reach.jm;
}

/* Rows that `later` must stay behind `earlier` because of one storage both touch. At a physical side row -m is made from
 * row m - 1, or from row m where the field sits on the faces: a reader near the start of a sweep waits for those, and one
 * near its end must be done before they change; hence the second terms. An op that extends computes the face beyond the
 * last row with that row, and so reaches as far beyond the side as one on faces. */
static int lag_between(const struct plan_access *earlier, const struct plan_access *later, enum way way, int on_face)
{
    const int inside = on_face ? 0 : 1;
    const int made = access_writes(earlier->mode), changes = access_writes(later->mode);
    if (!made && !changes) return INT_MIN;
    int lag = 0;
    if (made) lag = max_int(lag, max_int(ahead_of(later, way), behind_of(later, way) - inside));
    if (changes) lag = max_int(lag, max_int(behind_of(earlier, way), ahead_of(earlier, way) - inside));
    return lag;
}

static int sits_on_face(const struct plan *p, const struct field *field, int id, const struct plan_op *a, const struct plan_op *b,
                        enum way way)
{
    const int extended = a->stage->extend || b->stage->extend, across = way == UPWARD ? STAG_Z : STAG_Y;
    return (field[p->field_of[id]].stagger & (unsigned)across) || (extended && (way == UPWARD ? p->extend_t : p->extend_n));
}

static void lags_of_way(struct plan *p, const struct field *field, const struct plan_segment *g, enum way way, int *lag)
{
    for (int n = g->op0; n < g->op1; n++) {
        struct plan_op *o = &p->op[n];
        /* What no op of the segment made came with the front: a slab holds no rows beyond it. All levels are there. */
        int l = 0;
        for (int a = 0; a < o->naccess && way != UPWARD; a++) l = max_int(l, ahead_of(&o->access[a], way));
        for (int m = g->op0; m < n; m++)
            for (int a = 0; a < o->naccess; a++)
                for (int b = 0; b < p->op[m].naccess; b++) {
                    const int id = o->access[a].id;
                    if (p->op[m].access[b].id != id) continue;
                    const int between = lag_between(&p->op[m].access[b], &o->access[a], way,
                                                    sits_on_face(p, field, id, o, &p->op[m], way));
                    if (between >= 0) l = max_int(l, lag[m - g->op0] + between);
                }
        lag[n - g->op0] = l;
    }
}

/* Can windows be cut in levels? */
static int levels_part(const struct plan *p, const struct field *field, const struct plan_segment *g)
{
    for (int n = g->op0; n < g->op1; n++) {
        if (p->op[n].stage->unit != UNIT_POINT) return 0;
        for (int a = 0; a < p->op[n].naccess; a++)
            if (field[p->field_of[p->op[n].access[a].id]].ghost[FACE_B] == GHOST_PERIODIC) return 0;
    }
    return 1;
}

int plan_lags(struct plan *p, const struct field *field, struct plan_segment *g)
{
    int *lag = malloc((size_t)(g->op1 - g->op0) * sizeof *lag);
    SF_CHECK(lag, SF_MEMORY, "no memory for planning %d ops", g->op1 - g->op0);
    for (int dir = 0; dir < 2; dir++) {
        lags_of_way(p, field, g, dir ? SOUTHWARD : NORTHWARD, lag);
        for (int n = g->op0; n < g->op1; n++) {
            struct plan_op *o = &p->op[n];
            o->lag[dir] = lag[n - g->op0];
            int behind = 0;
            for (int a = 0; a < o->naccess; a++) behind = max_int(behind, behind_of(&o->access[a], dir ? SOUTHWARD : NORTHWARD));
            g->lag[dir] = max_int(g->lag[dir], o->lag[dir]);
            g->edge[dir] = max_int(g->edge[dir], o->lag[dir] + behind);
        }
    }
    g->lag_k = -1;
    if (levels_part(p, field, g)) {
        lags_of_way(p, field, g, UPWARD, lag);
        for (int n = g->op0; n < g->op1; n++) g->lag_k = max_int(g->lag_k, p->op[n].lag_k = lag[n - g->op0]);
    }
    free(lag);
    return SF_OK;
}
