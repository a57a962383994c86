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
        case GHOST_GIVEN:
        case GHOST_FLUX:
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

static int is_within(int beyond, int low, int high)
{
    return beyond == 0 || (beyond < 0 ? -beyond <= low : beyond <= high);
}

int ghost_is_due(const struct ghost_entry *g, int low, int high) { return is_within(g->beyond, low, high); }

static int made_is_due(const struct ghost_made *g, int low, int high) { return is_within(g->beyond, low, high); }

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

static int made_follow(const struct ghost_maker *m, int axis, int low, int high, int first, int end)
{
    int follow = 0;
    for (int n = 0; n < m->n[axis]; n++) {
        const struct ghost_made *const g = &m->entry[axis][n];
        follow |= made_is_due(g, low, high) && ((g->from >= first && g->from < end) || (g->to >= first && g->to < end));
    }
    return follow;
}

static int any_made_follows(const struct ghost_maker *m, struct reach depth, struct box b)
{
    return m &&
           (made_follow(m, 0, depth.im, depth.ip, b.i0, b.i1) || made_follow(m, 1, depth.jm, depth.jp, b.j0, b.j1) ||
            made_follow(m, 2, depth.km, depth.kp, b.k0, b.k1));
}

int ghosts_follow(const struct ghost_maps *m, struct reach depth, struct box b)
{
    if (box_is_empty(b)) return 0;
    return entries_follow(&m->x, depth.im, depth.ip, b.i0, b.i1) ||
           entries_follow(&m->z, depth.km, depth.kp, b.k0, b.k1) ||
           entries_follow(&m->y, depth.jm, depth.jp, b.j0, b.j1) || any_made_follows(m->maker, depth, b);
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

/* ---- given values, and gradients --------------------------------------------------------------------------------- */

static void made_add(struct ghost_maker *m, int axis, struct ghost_made g) { m->entry[axis][m->n[axis]++] = g; }

void ghost_maker_axis(struct ghost_maker *m, int axis, int n, int depth, int staggered, enum ghost low, enum ghost high,
                      const double apart[2][GHOST_MAX_DEPTH])
{
    m->n[axis] = 0;
    for (int side = 0; side < 2; side++) {
        const enum ghost rule = side ? high : low;
        const int face = 2 * axis + side, edge = side ? n - 1 : 0;
        const struct ghost_source *const from = &m->source[face];
        const int stays = !from->is_fed && from->form.shape != SHAPE_BOX; /* it is looked at inside */
        for (int d = !staggered; d <= depth && rule == GHOST_GIVEN; d++) {
            const int to = side ? n - !staggered + d : -d; /* d = 0: the side itself */
            const int beyond = d == 0 ? 0 : side ? d + staggered : -d;
            if (beyond > depth) continue;
            made_add(m, axis,
                     (struct ghost_made){
                         .beyond = (short)beyond, .face = face, .to = to, .from = edge, .place = stays ? edge : to});
        }
        for (int d = 1; d <= depth && rule == GHOST_FLUX; d++)
            made_add(m, axis,
                     (struct ghost_made){.beyond = (short)(side ? d : -d),
                                         .is_flux = 1,
                                         .face = face,
                                         .to = side ? n - 1 + d : -d,
                                         .from = side ? n - d : d - 1,
                                         .place = edge,
                                         .along = (real)((side ? 2 : -2) * apart[side][d - 1])});
    }
}

struct made_view ghost_source_view(const struct slab *s, const struct layout *l, const struct ghost_source *from)
{
    const enum shape shape = from->form.shape;
    const struct extent *const b = &from->form.box;
    const int gi = from->is_fed ? l->gi : 0, gk = from->is_fed ? l->gk : 0;
    struct made_view v = {.at = s->f[from->field],
                          .si = shape != SHAPE_LEVELS,
                          .sk = shape == SHAPE_MAP      ? 0
                                : shape == SHAPE_LEVELS ? 1
                                                        : l->sk,
                          .sj = shape == SHAPE_MAP      ? l->sm
                                : shape == SHAPE_LEVELS ? 0
                                                        : l->sj,
                          .i0 = -gi,
                          .i1 = l->ni + gi - 1,
                          .k0 = -gk,
                          .k1 = l->nk + gk - 1,
                          .j0 = s->j0,
                          .j1 = s->j0 + s->rows - 1};
    if (shape == SHAPE_BOX) {
        v.sk = b->i1 - b->i0, v.sj = v.sk * b->n * (b->k1 - b->k0);
        v.i0 = b->i0, v.i1 = b->i1 - 1, v.k0 = b->k0, v.k1 = b->k1 - 1;
        v.origin = -b->k0 * v.sk - b->i0;
        if (b->j0 > 0 || b->j1 < l->nj) v.j0 = SF_MAX(v.j0, b->j0), v.j1 = SF_MIN(v.j1, b->j1 - 1);
    }
    v.origin -= s->j0 * v.sj;
    return v;
}

/* What makes ghosts of one storage, in a slab. */
struct making {
    const struct layout *l;
    const struct ghost_maps *m;
    const struct ghost_maker *maker;
    struct made_view view[FACES];
    struct reach depth;
    int full;
    ptrdiff_t sj;
    int i0, i1; /* columns of the thread; their ghosts go with them */
};

static struct making making_of(const struct slab *s, const struct layout *l, enum shape shape,
                               const struct ghost_maker *maker)
{
    struct making w = {.l = l, .maker = maker, .full = shape == SHAPE_FULL, .sj = shape == SHAPE_FULL ? l->sj : l->sm};
    for (int axis = 0; axis < 3; axis++)
        for (int n = 0; n < maker->n[axis]; n++) {
            const int face = maker->entry[axis][n].face;
            if (!w.view[face].at) w.view[face] = ghost_source_view(s, l, &maker->source[face]);
        }
    return w;
}

static real made_value(const struct making *w, const struct ghost_made *g, real inside, int j, int k, int i)
{
    const real v = made_look(&w->view[g->face], j, k, i);
    return g->is_flux ? made_by_gradient(inside, g->along, v) : v;
}

static int is_our_entry(const struct making *w, const struct ghost_entry *g)
{
    return ghost_is_due(g, w->depth.im, w->depth.ip) && is_mine(g, w->i0, w->i1, w->l->ni);
}
static int is_our_made(const struct making *w, const struct ghost_made *g)
{
    return made_is_due(g, w->depth.im, w->depth.ip) && g->from >= w->i0 && g->from < w->i1;
}

static void with_sign_to(real *to, real v, int sign) { *to = sign > 0 ? v : sign < 0 ? -v : R(0.0); }

/* Columns beyond the sides of a row, and their levels beyond other rules. */
static void columns_make(const struct making *w, real *row, int j, int k0, int k1)
{
    const ptrdiff_t sk = w->l->sk;
    for (int n = 0; n < w->maker->n[0]; n++) {
        const struct ghost_made *const g = &w->maker->entry[0][n];
        if (!is_our_made(w, g)) continue;
        for (int k = k0; k < k1; k++) row[k * sk + g->to] = made_value(w, g, row[k * sk + g->from], j, k, g->place);
        for (int e = 0; e < w->m->z.n && w->full; e++) {
            const struct ghost_entry *const z = &w->m->z.entry[e];
            if (ghost_is_due(z, w->depth.km, w->depth.kp))
                with_sign_to(&row[z->to * sk + g->to], row[z->from * sk + g->to], z->sign);
        }
    }
}

/* A level beyond floor or lid. */
static void level_make(const struct making *w, real *row, const struct ghost_made *z, int j)
{
    real *const to = row + z->to * w->l->sk;
    const real *const from = row + z->from * w->l->sk;
    for (int i = w->i0; i < w->i1; i++) to[i] = made_value(w, z, from[i], j, z->place, i);
    for (int n = 0; n < w->maker->n[0]; n++) {
        const struct ghost_made *const g = &w->maker->entry[0][n];
        if (is_our_made(w, g)) to[g->to] = made_value(w, z, from[g->to], j, z->place, g->to);
    }
    for (int e = 0; e < w->m->x.n; e++) {
        const struct ghost_entry *const x = &w->m->x.entry[e];
        if (is_our_entry(w, x)) with_sign_to(&to[x->to], to[x->from], x->sign);
    }
}

/* Columns [i0, i1) of a line beyond a side in y. y: how, with the source at row j; NULL: by sign. */
static void line_make(const struct making *w, real *to, const real *from, const struct ghost_made *y, int sign, int k,
                      int i0, int i1)
{
    for (int i = i0; i < i1; i++)
        if (y) to[i] = made_value(w, y, from[i], y->place, k, i);
        else with_sign_to(&to[i], from[i], sign);
}

/* A row beyond a side in y: the thread's columns with their ghosts. */
static void row_make(const struct making *w, real *to, const real *from, const struct ghost_made *y, int sign)
{
    const int k0 = w->full ? -w->depth.km : 0, k1 = w->full ? w->l->nk + SF_MAX(w->depth.kp, 1) : 1;
    for (int k = k0; k < k1; k++) {
        const ptrdiff_t at = k * w->l->sk;
        line_make(w, to + at, from + at, y, sign, k, w->i0, w->i1);
        for (int n = 0; n < w->maker->n[0]; n++) {
            const struct ghost_made *const g = &w->maker->entry[0][n];
            if (is_our_made(w, g)) line_make(w, to + at, from + at, y, sign, k, g->to, g->to + 1);
        }
        for (int e = 0; e < w->m->x.n; e++) {
            const struct ghost_entry *const x = &w->m->x.entry[e];
            if (is_our_entry(w, x)) line_make(w, to + at, from + at, y, sign, k, x->to, x->to + 1);
        }
    }
}

/* Behind other rules, whole columns at a time. */
static void ghosts_make(const struct slab *s, const struct layout *l, enum shape shape, int id,
                        const struct ghost_maps *m, struct reach depth, struct box b)
{
    struct making w = making_of(s, l, shape, m->maker);
    w.m = m, w.depth = depth, w.i0 = b.i0, w.i1 = b.i1;
    const struct ghost_maker *const maker = m->maker;
    for (int j = b.j0; j < b.j1; j++) {
        real *const row = s->f[id] + (j - s->j0) * w.sj;
        columns_make(&w, row, j, w.full ? b.k0 : 0, w.full ? b.k1 : 1);
        for (int n = 0; n < maker->n[2] && w.full; n++)
            if (made_is_due(&maker->entry[2][n], depth.km, depth.kp)) level_make(&w, row, &maker->entry[2][n], j);
    }
    for (int e = 0; e < m->y.n && maker->n[0] + maker->n[2]; e++) {
        const struct ghost_entry *const g = &m->y.entry[e];
        if (g->from < b.j0 || g->from >= b.j1 || !ghost_is_due(g, depth.jm, depth.jp)) continue;
        if (g->to < s->j0 || g->to >= s->j0 + s->rows) continue;
        row_make(&w, s->f[id] + (g->to - s->j0) * w.sj, s->f[id] + (g->from - s->j0) * w.sj, NULL, g->sign);
    }
    for (int n = 0; n < maker->n[1]; n++) {
        const struct ghost_made *const g = &maker->entry[1][n];
        if (g->from < b.j0 || g->from >= b.j1 || !made_is_due(g, depth.jm, depth.jp)) continue;
        if (g->to < s->j0 || g->to >= s->j0 + s->rows) continue;
        row_make(&w, s->f[id] + (g->to - s->j0) * w.sj, s->f[id] + (g->from - s->j0) * w.sj, g, 1);
    }
}

void ghost_make_rows(const struct slab *s, const struct layout *l, enum shape shape, int id,
                     const struct ghost_maker *m, int j0, int j1)
{
    const struct making w = making_of(s, l, shape, m);
    const int k0 = w.full ? -l->gk : 0, k1 = w.full ? l->nk + l->gk : 1;
    for (int n = 0; n < m->n[1]; n++) {
        const struct ghost_made *const g = &m->entry[1][n];
        if (g->from < j0 || g->from >= j1 || g->to < s->j0 || g->to >= s->j0 + s->rows) continue;
        for (int k = k0; k < k1; k++)
            line_make(&w, s->f[id] + (g->to - s->j0) * w.sj + k * l->sk,
                      s->f[id] + (g->from - s->j0) * w.sj + k * l->sk, g, 1, k, -l->gi, l->ni + l->gi);
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
    if (m->maker) ghosts_make(s, l, shape, id, m, depth, b);
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
