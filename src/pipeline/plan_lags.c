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

/* How a storage lies on the axis of a sweep. */
struct lie {
    int on_face; /* 1: its field sits on the faces across that axis */
    int extended; /* 1: one of the two ops computes the face beyond the last row, with that row */
};

/* Rows beyond a physical side are made from rows inside: row m from the side on lies m rows beyond it, 1 being the
 * first, and is made from the row that lies m - inside rows within, 0 being the outermost. At a low side row -m is made
 * from row m - 1, or from row m where the field sits on faces. At a high one of n rows, n - 1 + m is made from n - m,
 * or on faces from n + 1 - m, for n is a face itself: zero, or computed with row n - 1. An op that extends reaches a
 * row further. */
static int inside_of(const struct lie *l, int is_high)
{
    if (is_high) return (l->on_face ? 2 : 1) - l->extended;
    return l->on_face || l->extended ? 0 : 1;
}

/* Rows that `later` must stay behind `earlier` because of one storage both touch. A reader near the start of a sweep
 * waits for what rows beyond the side are made from, and one near its end must be done before that changes; hence the
 * second terms. */
static int lag_between(const struct plan_access *earlier, const struct plan_access *later, enum way way,
                       const struct lie *l)
{
    const int begins = inside_of(l, way == SOUTHWARD), ends = inside_of(l, way != SOUTHWARD);
    const int made = access_writes(earlier->mode), changes = access_writes(later->mode);
    if (!made && !changes) return INT_MIN;
    int lag = 0;
    if (made) lag = max_int(lag, max_int(ahead_of(later, way), behind_of(later, way) - begins));
    if (changes) lag = max_int(lag, max_int(behind_of(earlier, way), ahead_of(earlier, way) - ends));
    return lag;
}

static struct lie lie_of(const struct plan *p, const struct field *field, int id, const struct plan_op *a,
                         const struct plan_op *b, enum way way)
{
    const unsigned across = way == UPWARD ? STAG_Z : STAG_Y;
    const int extends = way == UPWARD ? p->extend_t : p->extend_n;
    return (struct lie){!!(field[p->field_of[id]].stagger & across), extends && (a->stage->extend || b->stage->extend)};
}

static int settling_of(const struct plan *p)
{
    int settling = 0;
    while (settling < p->nops && p->op[p->nops - 1 - settling].settles) settling++;
    return settling;
}

/* From an op to the one like it two turns of the program later. */
static int to_twin(const struct plan *p) { return 2 * ((p->nops - settling_of(p)) / (p->steps / p->period)); }

int plan_far(const struct plan *p) { return to_twin(p) + settling_of(p); }

static void lags_of_way(struct plan *p, const struct field *field, const struct plan_segment *g, enum way way, int *lag)
{
    const int far = plan_far(p);
    for (int n = g->op0; n < g->op1; n++) {
        struct plan_op *o = &p->op[n];
        /* What no op of the segment made came with the front: a slab holds no rows beyond it. All levels are there. */
        int l = 0;
        for (int a = 0; a < o->naccess && way != UPWARD; a++) l = max_int(l, ahead_of(&o->access[a], way));
        for (int m = max_int(g->op0, n - far); m < n; m++)
            for (int a = 0; a < o->naccess; a++)
                for (int b = 0; b < p->op[m].naccess; b++) {
                    const int id = o->access[a].id;
                    if (p->op[m].access[b].id != id) continue;
                    const struct lie lie = lie_of(p, field, id, o, &p->op[m], way);
                    const int between = lag_between(&p->op[m].access[b], &o->access[a], way, &lie);
                    if (between >= 0) l = max_int(l, lag[m - g->op0] + between);
                }
        lag[n - g->op0] = l;
    }
}

/* Does op `b`, for its access y, keep less behind op `a`, were that `lag_a` behind the front, with its access x to the
 * same storage? */
static int is_too_near(const struct plan *p, const struct field *field, enum way way, const struct plan_op *a,
                       int lag_a, const struct plan_access *x, const struct plan_op *b, const struct plan_access *y)
{
    const struct lie lie = lie_of(p, field, x->id, a, b, way);
    const int lag_b = way == UPWARD ? b->lag_k : b->lag[way], between = lag_between(x, y, way, &lie);
    return between >= 0 && lag_b < lag_a + between;
}

int plan_lag_missing(const struct plan *p, const struct field *field, const struct plan_segment *g,
                     const struct plan_op *a, const struct plan_access *x, const struct plan_op *b,
                     const struct plan_access *y)
{
    for (enum way way = NORTHWARD; way <= (g->lag_k < 0 ? SOUTHWARD : UPWARD); way++)
        if (is_too_near(p, field, way, a, way == UPWARD ? a->lag_k : a->lag[way], x, b, y)) return 1;
    return 0;
}

/* Would all ops behind op `n` still be right, were that `lag` behind the front? It stays ahead of the one like it, as
 * all do. */
static int can_lag(const struct plan *p, const struct field *field, const struct plan_segment *g, int n, enum way way,
                   int lag)
{
    const struct plan_op *const o = &p->op[n];
    const int end = SF_MIN(g->op1, n + 1 + plan_far(p)), twin = n + to_twin(p);
    int behind = 0;
    if (twin < g->op1 && !p->op[twin].settles && p->op[twin].lag[way] < lag) return 0;
    for (int a = 0; a < o->naccess + o->nfill; a++) {
        const struct plan_access fills = {.id = a < o->naccess ? 0 : o->fill[a - o->naccess].id, .mode = ACCESS_UPDATE};
        const struct plan_access *const x = a < o->naccess ? &o->access[a] : &fills;
        behind = max_int(behind, behind_of(x, way));
        for (int m = n + 1; m < end; m++)
            for (int b = 0; b < p->op[m].naccess; b++)
                if (p->op[m].access[b].id == x->id &&
                    is_too_near(p, field, way, o, lag, x, &p->op[m], &p->op[m].access[b]))
                    return 0;
    }
    return lag + behind <= g->edge[way];
}

void plan_lag_raise(struct plan *p, const struct field *field, const struct plan_segment *g, int n,
                    const struct plan_op *ahead)
{
    struct plan_op *const o = &p->op[n];
    for (enum way way = NORTHWARD; way <= SOUTHWARD; way++)
        if (o->lag[way] < ahead->lag[way] && can_lag(p, field, g, n, way, ahead->lag[way]))
            o->lag[way] = ahead->lag[way];
}

/* Can windows be cut in levels? */
static int levels_part(const struct plan *p, const struct field *field, const struct plan_segment *g)
{
    for (int n = g->op0; n < g->op1; n++) {
        if (p->op[n].stage->unit != UNIT_POINT) return 0;
        for (int a = 0; a < p->op[n].naccess; a++)
            if (field[p->field_of[p->op[n].access[a].id]].ghost[FACE_B] == GHOST_PERIODIC ||
                field_has_made(&field[p->field_of[p->op[n].access[a].id]]))
                return 0;
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
            for (int a = 0; a < o->naccess; a++)
                behind = max_int(behind, behind_of(&o->access[a], dir ? SOUTHWARD : NORTHWARD));
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
