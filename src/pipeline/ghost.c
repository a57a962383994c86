/* Mirrors, wraps and copies of edge values. SPDX-License-Identifier: MIT */
#include "pipeline/ghost.h"

#include <string.h>

/* Where index `at` beyond the low or high face takes its value from; NONE gives up. */
static int source_of(int at, int n, int staggered, enum ghost low, enum ghost high, int *from, int *sign)
{
    *sign = 1;
    for (int bounce = 0; bounce < 64; bounce++) {
        if (at >= 0 && at < n) {
            if (staggered && at == 0 && low == GHOST_ODD) *sign = 0;
            *from = at;
            return 1;
        }
        const int below = at < 0;
        const enum ghost rule = below ? low : high;
        switch (rule) {
        case GHOST_NONE:
            return 0;
        case GHOST_PERIODIC:
            at += below ? n : -n;
            break;
        case GHOST_OPEN:
            *from = below ? 0 : n - !staggered;
            return 1;
        case GHOST_EVEN:
        case GHOST_ODD:
            if (staggered && !below && at == n) {
                *from = rule == GHOST_ODD ? n - 1 : n;
                if (rule == GHOST_ODD) *sign = 0;
                return 1;
            }
            if (rule == GHOST_ODD) *sign = -*sign;
            at = below ? -at - !staggered : 2 * n - !staggered - at;
            break;
        }
    }
    return 0;
}

static void add(struct ghost_map *m, int to, int from, int sign, int beyond)
{
    m->entry[m->n++] = (struct ghost_entry){.beyond = (short)beyond, .sign = (signed char)sign, .to = to, .from = from};
}

void ghost_map_make(struct ghost_map *m, int n, int depth, int staggered, enum ghost low, enum ghost high, int seam)
{
    int from, sign;
    m->n = 0;
    if (seam && low == GHOST_PERIODIC) return;
    /* The faces themselves first: values beyond them may be made from them. */
    if (staggered && low == GHOST_ODD) add(m, 0, 0, 0, 0);
    if (staggered && high == GHOST_ODD) add(m, n, n - 1, 0, 0);
    for (int d = 1; d <= depth; d++) {
        if (source_of(-d, n, staggered, low, high, &from, &sign) && from != -d) add(m, -d, from, sign, -d);
        const int at = n - 1 + d;
        if (source_of(at, n, staggered, low, high, &from, &sign) && from != at) add(m, at, from, sign, d);
    }
}

int ghost_is_due(const struct ghost_entry *g, int low, int high)
{
    return g->beyond == 0 || (g->beyond < 0 ? -g->beyond <= low : g->beyond <= high);
}

/* The face beyond the last cell may go with it. What a stage computes where a field has a ghost is filled again. */
static int entries_follow(const struct ghost_map *m, int low, int high, int first, int end)
{
    int follow = 0;
    for (int e = 0; e < m->n && first < end; e++) {
        const struct ghost_entry *const g = &m->entry[e];
        const int is_source = g->from >= first && g->from <= end, is_there = g->to >= first && g->to < end;
        follow |= ghost_is_due(g, low, high) && (is_source || is_there);
    }
    return follow;
}

int ghosts_follow(const struct ghost_maps *m, struct reach depth, struct box b)
{
    if (box_is_empty(b)) return 0;
    return entries_follow(&m->x, depth.im, depth.ip, b.i0, b.i1) ||
           entries_follow(&m->z, depth.km, depth.kp, b.k0, b.k1) ||
           entries_follow(&m->y, depth.jm, depth.jp, b.j0, b.j1);
}

int ghost_level_is_written(const struct ghost_entry *g, struct box b, int nk)
{
    return g->from >= b.k0 && (g->from < b.k1 || b.k1 >= nk);
}

/* Is the source written by the thread that owns columns [i0, i1) of n? The face beyond the last cell goes with it. */
static int is_mine(const struct ghost_entry *e, int i0, int i1, int n)
{
    const int from = e->from < n ? e->from : n - 1;
    return from >= i0 && from < i1;
}

static void line_copy(real *to, const real *from, int sign, int i0, int i1)
{
    if (sign > 0) memcpy(to + i0, from + i0, (size_t)(i1 - i0) * sizeof *to);
    else if (sign < 0)
        for (int i = i0; i < i1; i++) to[i] = -from[i];
    else memset(to + i0, 0, (size_t)(i1 - i0) * sizeof *to);
}

/* The same for one entry and the columns that belong to [i0, i1): their own and the ghosts made from them. */
static void line_fill(real *to, const real *from, int sign, const struct ghost_map *x, struct reach depth, int i0,
                      int i1, int ni)
{
    line_copy(to, from, sign, i0, i1);
    for (int e = 0; e < x->n; e++) {
        const struct ghost_entry *g = &x->entry[e];
        if (g->to >= i0 && g->to < i1) continue;
        if (ghost_is_due(g, depth.im, depth.ip) && is_mine(g, i0, i1, ni)) line_copy(to, from, sign, g->to, g->to + 1);
    }
}

static void row_fill(real *row, const struct layout *l, int levels, const struct ghost_maps *m, struct reach depth,
                     struct box b)
{
    const int k0 = levels > 1 ? b.k0 : 0, k1 = levels > 1 ? b.k1 : levels;
    for (int e = 0; e < m->x.n; e++) {
        const struct ghost_entry *g = &m->x.entry[e];
        if (!ghost_is_due(g, depth.im, depth.ip) || !is_mine(g, b.i0, b.i1, l->ni)) continue;
        for (int k = k0; k < k1; k++) {
            real *const line = row + k * l->sk;
            const real v = line[g->from];
            line[g->to] = g->sign > 0 ? v : g->sign < 0 ? -v : R(0.0);
        }
    }
}

/* A row beyond a physical side: the levels that were written, and those beyond made from them. */
static void row_mirror(real *to, const real *row, int sign, const struct layout *l, enum shape shape,
                       const struct ghost_maps *m, struct reach depth, struct box b)
{
    if (shape != SHAPE_FULL) {
        line_fill(to, row, sign, &m->x, depth, b.i0, b.i1, l->ni);
        return;
    }
    const int whole = b.k0 <= 0 && b.k1 >= l->nk;
    const int k0 = whole ? -depth.km : b.k0, k1 = whole ? l->nk + SF_MAX(depth.kp, 1) : b.k1;
    for (int k = k0; k < k1; k++) line_fill(to + k * l->sk, row + k * l->sk, sign, &m->x, depth, b.i0, b.i1, l->ni);
    for (int e = 0; e < m->z.n && !whole; e++) {
        const struct ghost_entry *g = &m->z.entry[e];
        if (ghost_is_due(g, depth.km, depth.kp) && ghost_level_is_written(g, b, l->nk))
            line_fill(to + g->to * l->sk, row + g->to * l->sk, sign, &m->x, depth, b.i0, b.i1, l->ni);
    }
}

void ghost_fill(const struct slab *s, const struct layout *l, enum shape shape, int id, const struct ghost_maps *m,
                struct reach depth, struct box b)
{
    const int levels = shape == SHAPE_FULL ? l->nk : 1;
    const ptrdiff_t sj = shape == SHAPE_FULL ? l->sj : l->sm, sk = l->sk;
    for (int j = b.j0; j < b.j1; j++) {
        real *const row = s->f[id] + (j - s->j0) * sj;
        row_fill(row, l, levels, m, depth, b);
        for (int e = 0; e < m->z.n && shape == SHAPE_FULL; e++) {
            const struct ghost_entry *g = &m->z.entry[e];
            if (ghost_is_due(g, depth.km, depth.kp) && ghost_level_is_written(g, b, l->nk))
                line_fill(row + g->to * sk, row + g->from * sk, g->sign, &m->x, depth, b.i0, b.i1, l->ni);
        }
    }
    /* Rows beyond a physical side, levels and columns that were just filled included. */
    for (int e = 0; e < m->y.n; e++) {
        const struct ghost_entry *g = &m->y.entry[e];
        if (g->from < b.j0 || g->from >= b.j1 || !ghost_is_due(g, depth.jm, depth.jp)) continue;
        if (g->to < s->j0 || g->to >= s->j0 + s->rows) continue;
        row_mirror(s->f[id] + (g->to - s->j0) * sj, s->f[id] + (g->from - s->j0) * sj, g->sign, l, shape, m, depth, b);
    }
}

void ghost_fill_rows(const struct slab *s, const struct layout *l, enum shape shape, int id, const struct ghost_map *y,
                     int j0, int j1)
{
    const int n = (int)(layout_row_bytes(l, &(struct form){.shape = shape}) / sizeof(real));
    for (int e = 0; e < y->n; e++) {
        const struct ghost_entry *g = &y->entry[e];
        if (g->from < j0 || g->from >= j1 || g->to < s->j0 || g->to >= s->j0 + s->rows) continue;
        line_copy(storage_row(s, l, &(struct form){.shape = shape}, id, g->to),
                  storage_row(s, l, &(struct form){.shape = shape}, id, g->from), g->sign, 0, n);
    }
}
