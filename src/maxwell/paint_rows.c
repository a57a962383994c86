/* Numbers of the mixtures around every component, line by line. SPDX-License-Identifier: MIT */
#include "maxwell/paint.h"

#include "maxwell/conformal.h"
#include "maxwell/paint_parts.h"
#include "maxwell/paint_smooth.h"
#include "maxwell/shell.h"
#include "maxwell/wire.h"
#include "pipeline/error.h"

#include <stdlib.h>
#include <string.h>

enum { RECENT = 4096 }; /* mixtures that a thread remembers, of E and of H */

/* Cells around a component and their shares (of the cell before, along one axis and the other), and the number they
 * got. */
struct recent {
    unsigned char cell[4];
    int share[2], number;
};

/* One thread's work. */
struct painter {
    struct paint *p;
    const struct geometry *g;
    unsigned char *row[2]; /* cells of rows j - 1 and j, as geometry_row fills them */
    int *share_x; /* of nodes 0 .. ni */
    const struct smooth *smooth;
    struct smooth_row near; /* surfaces that the component meets in its row */
    const struct smooth *cuts; /* of conductors, and those in a row */
    struct smooth_row near_cuts;
    unsigned char *mark; /* of a line: 1 where the component's own cell is sampled */
    int single[2][MEDIA_MAX]; /* numbers of single media, -1: not asked for yet */
    struct recent *recent[2];
    int failed; /* 0, or why the dictionary gave no number */
};

/* One component along one line: the cells around node or cell i are around[0 .. n - 1][i], those before along the first
 * of its axes at even places. */
struct line {
    int c, is_h, n, j, k;
    int axis[2]; /* of the cells around: those across an edge, the one along a face's normal (twice) */
    int share[2];
    const unsigned char *around[4];
};

/* ---- one mixture ------------------------------------------------------------------------------------------------- */

static void part_add(struct mixture *x, int *n, uint64_t weight, int medium)
{
    int at = 0;
    if (!weight) return;
    while (at < *n && (int)(x->part[at] & 0xff) < medium) at++;
    if (at < *n && (int)(x->part[at] & 0xff) == medium) {
        x->part[at] += weight << 8;
        return;
    }
    for (int m = (*n)++; m > at; m--) x->part[m] = x->part[m - 1];
    x->part[at] = mixture_part(weight, medium);
}

/* Weights are products of shares, whole numbers: sums of them have no order. */
static struct mixture mixture_make(const struct paint *p, const struct line *l, const struct recent *r)
{
    struct mixture x = {.part = {0}};
    int parts = 0;
    for (int m = 0; m < l->n; m++) {
        const uint64_t a = (uint64_t)(m & 1 ? SHARE_WHOLE - r->share[0] : r->share[0]);
        const uint64_t b = (uint64_t)(l->is_h ? SHARE_WHOLE : m & 2 ? SHARE_WHOLE - r->share[1] : r->share[1]);
        if (r->cell[m] != MEDIUM_PEC) part_add(&x, &parts, a * b, p->alike[l->is_h][r->cell[m]]);
        else if (!l->is_h) return (struct mixture){.part = {0}};
    }
    if (parts == 1) x.part[0] = mixture_part(WEIGHT_WHOLE, (int)(x.part[0] & 0xff));
    return x;
}

/* 0 stands in for a number that cannot be had: the failure is told at the end. */
static int number_get(struct painter *w, int is_h, const struct mixture *x)
{
    int number;
#pragma omp critical(paint_dictionary)
    number = dictionary_number(&w->p->dictionary[is_h], x);
    if (number >= 0) return number;
    w->failed = number;
    return 0;
}

static int number_single(struct painter *w, int is_h, int medium)
{
    int *const number = &w->single[is_h][medium];
    if (*number < 0) {
        const int pec = medium == MEDIUM_PEC;
        const struct mixture x = {.part = {pec ? 0 : mixture_part(WEIGHT_WHOLE, w->p->alike[is_h][medium])}};
        *number = number_get(w, is_h, &x);
    }
    return *number;
}

static unsigned recent_hash(const struct recent *r)
{
    uint32_t cells;
    memcpy(&cells, r->cell, sizeof cells);
    const uint64_t h = (cells * 0x9e3779b1u) ^ ((uint64_t)r->share[0] << 20) ^ ((uint64_t)r->share[1] << 40);
    return (unsigned)(h * 0xbf58476d1ce4e5b9u >> 52);
}
_Static_assert(RECENT == 1 << (64 - 52), "the hash is an index of what is remembered");

static int number_mixed(struct painter *w, const struct line *l, int i)
{
    struct recent r = {
        .share = {l->axis[0] == AX ? w->share_x[i] : l->share[0], l->axis[1] == AX ? w->share_x[i] : l->share[1]}};
    for (int m = 0; m < l->n; m++) r.cell[m] = l->around[m][i];
    struct recent *const old = &w->recent[l->is_h][recent_hash(&r)];
    if (old->number >= 0 && !memcmp(old->cell, r.cell, sizeof r.cell) && old->share[0] == r.share[0] &&
        old->share[1] == r.share[1])
        return old->number;
    const struct mixture x = mixture_make(w->p, l, &r);
    r.number = number_get(w, l->is_h, &x);
    *old = r;
    return r.number;
}

/* ---- one line ---------------------------------------------------------------------------------------------------- */

static void numbers_put(void *id, int wide, ptrdiff_t at, int n, int number)
{
    if (wide == 1) memset((unsigned char *)id + at, number, (size_t)n);
    else
        for (int m = 0; m < n; m++) ((unsigned short *)id)[at + m] = (unsigned short)number;
}

/* From `i` on, up to `end`: where the cells around are no longer all of one medium. Eight at a time. */
static int run_end(const struct line *l, int i, int end, unsigned char medium)
{
    for (int m = 1; m < l->n; m++)
        if (l->around[m][i] != medium) return i;
    const uint64_t all = medium * 0x0101010101010101u;
    for (uint64_t differ = 0; i + 8 <= end; i += 8) {
        for (int m = 0; m < l->n; m++) {
            uint64_t eight;
            memcpy(&eight, l->around[m] + i, sizeof eight);
            differ |= eight ^ all;
        }
        if (differ) break;
    }
    for (; i < end; i++)
        for (int m = 0; m < l->n; m++)
            if (l->around[m][i] != medium) return i;
    return end;
}

static void line_paint(struct painter *w, const struct line *l, void *id, ptrdiff_t at)
{
    const int end = w->g->axis[AX].n + 1, wide = w->p->wide[l->is_h];
    for (int i = 0; i < end;) {
        const unsigned char medium = l->around[0][i];
        const int next = run_end(l, i, end, medium);
        if (next > i) numbers_put(id, wide, at + i, next - i, number_single(w, l->is_h, medium));
        else numbers_put(id, wide, at + i, 1, number_mixed(w, l, i));
        i = SF_MAX(next, i + 1);
    }
}

static int beside_conductor(const struct line *l, int i)
{
    for (int m = 0; m < l->n; m++)
        if (l->around[m][i] == MEDIUM_PEC) return 1;
    return 0;
}

static int has_metal(const struct paint *p, const struct mixture *x)
{
    int any = 0;
    for (int n = 0; n < MIXTURE_PARTS && x->part[n]; n++) any |= p->metal[x->part[n] & 0xff];
    return any;
}

/* The medium that has most of it; of several the first. */
static struct mixture most_of(const struct mixture *x)
{
    int most = 0;
    for (int n = 1; n < MIXTURE_PARTS && x->part[n]; n++)
        if (x->part[n] >> 8 > x->part[most] >> 8) most = n;
    return (struct mixture){.part = {mixture_part(WEIGHT_WHOLE, (int)(x->part[most] & 0xff))}};
}

/* In place of what the centres of cells say, where a surface crosses the cell of a component. No mean of a metal: by
 * flat surfaces the cells decide, by curved ones the larger part of the component's own cell. */
static void surfaces_paint(struct painter *w, const struct line *l, void *id, ptrdiff_t at)
{
    struct mixture x;
    if (!smooth_line(w->smooth, &w->near, l->k, w->mark)) return;
    for (int i = 0; i <= w->g->axis[AX].n; i++) {
        if (!w->mark[i] || beside_conductor(l, i)) continue;
        const enum smooth_kind kind = smooth_mixture(w->g, w->p->alike[0], l->c, (const int[3]){i, l->j, l->k}, &x);
        const int is_metal = kind != SMOOTH_NONE && has_metal(w->p, &x);
        if (kind == SMOOTH_NONE || (is_metal && kind == SMOOTH_FLAT)) continue;
        if (is_metal) x = most_of(&x);
        numbers_put(id, w->p->wide[0], at + i, 1, number_get(w, 0, &x));
    }
}

/* Of cells around a component that do not conduct; 0: there is nothing but conductors. */
static int open_mixture(const struct painter *w, const struct line *l, int i, const double place[3], struct mixture *x)
{
    const unsigned char *const alike = w->p->alike[l->is_h];
    struct mixture parts = {.part = {0}};
    int n = 0;
    uint64_t all = 0, given = 0;
    for (int m = 0; m < l->n; m++) {
        const int first = l->axis[0] == AX ? w->share_x[i] : l->share[0],
                  second = l->axis[1] == AX ? w->share_x[i] : l->share[1];
        const uint64_t a = (uint64_t)(m & 1 ? SHARE_WHOLE - first : first),
                       b = (uint64_t)(l->is_h ? SHARE_WHOLE
                                      : m & 2 ? SHARE_WHOLE - second
                                              : second);
        if (l->around[m][i] == MEDIUM_PEC) continue;
        part_add(&parts, &n, a * b, alike[l->around[m][i]]);
        all += a * b;
    }
    if (!n) {
        const int medium = conformal_medium(w->g, place, (const int[3]){i, l->j, l->k});
        if (medium == MEDIUM_PEC) return 0;
        parts.part[n++] = mixture_part(all = WEIGHT_WHOLE, alike[medium]);
    }
    *x = (struct mixture){.part = {0}};
    for (int m = 0; m < n; m++) { /* whole numbers that are whole together */
        const double share = (double)(parts.part[m] >> 8) / (double)all;
        const uint64_t weight = m == n - 1 ? WEIGHT_WHOLE - given : (uint64_t)(share * (double)WEIGHT_WHOLE);
        x->part[m] = mixture_part(weight, (int)(parts.part[m] & 0xff)), given += weight;
    }
    return 1;
}

static int all_conduct(const struct line *l, int i)
{
    for (int m = 0; m < l->n; m++)
        if (l->around[m][i] != MEDIUM_PEC) return 0;
    return 1;
}

/* In place of what whole cells say, where the surface of a conductor may cut an edge or a face. */
static void cuts_paint(struct painter *w, const struct line *l, void *id, ptrdiff_t at)
{
    const int whole = l->is_h ? AREA_WHOLE : OPEN_WHOLE, pec = number_single(w, l->is_h, MEDIUM_PEC);
    if (!smooth_line(w->cuts, &w->near_cuts, l->k, w->mark)) return;
    for (int i = 0; i <= w->g->axis[AX].n; i++) {
        const int element[3] = {i, l->j, l->k};
        double place[3] = {0, 0, 0};
        struct mixture x;
        if (!w->mark[i]) continue;
        const int open =
            l->is_h ? conformal_face(w->g, l->c, element, place) : conformal_edge(w->g, l->c, element, place);
        const int stays = l->is_h ? !all_conduct(l, i) : !beside_conductor(l, i);
        if (open == whole && stays) continue;
        const int is_open = open > 0 && open_mixture(w, l, i, place, &x);
        if (is_open) x.open = open == whole ? 0 : (uint64_t)open;
        numbers_put(id, w->p->wide[l->is_h], at + i, 1, is_open ? number_get(w, l->is_h, &x) : pec);
    }
}

static void sheet_paint(struct painter *w, const struct line *l, const struct sheet *s, void *id, ptrdiff_t at)
{
    const struct geometry_axis *const a = w->g->axis;
    if (l->c == s->axis || !sheet_has_along(s, &a[AY], l->c, AY, l->j) || !sheet_has_along(s, &a[AZ], l->c, AZ, l->k))
        return;
    const int pec = number_single(w, 0, MEDIUM_PEC);
    for (int i = 0; i <= a[AX].n; i++)
        if (sheet_has_along(s, &a[AX], l->c, AX, i)) numbers_put(id, w->p->wide[0], at + i, 1, pec);
}

static void shells_paint(struct painter *w, const struct line *l, void *id, ptrdiff_t at)
{
    if (!shells_line(w->g, l->c, l->j, l->k, w->mark)) return;
    const int pec = number_single(w, 0, MEDIUM_PEC);
    for (int i = 0; i <= w->g->axis[AX].n; i++)
        if (w->mark[i]) numbers_put(id, w->p->wide[0], at + i, 1, pec);
}

/* What it is made of, and m of a wire beside it. A conductor stays one. */
static int number_wired(struct painter *w, int is_h, unsigned number, uint64_t wire)
{
    struct mixture x;
    if (w->failed) return 0;
#pragma omp critical(paint_dictionary)
    x = w->p->dictionary[is_h].mixture[number];
    x.wire = wire;
    return x.part[0] ? number_get(w, is_h, &x) : (int)number;
}

static void wires_paint(struct painter *w, const struct line *l, void *id, ptrdiff_t at)
{
    const int wide = w->p->wide[l->is_h];
    for (int i = 0; i <= w->g->axis[AX].n; i++) {
        const uint64_t wire = wire_number(w->g, l->c + 3 * l->is_h, (const int[3]){i, l->j, l->k});
        if (wire) numbers_put(id, wide, at + i, 1, number_wired(w, l->is_h, id_at(id, at + i, wide), wire));
    }
}

/* ---- layers ---- */

/* Does an element of a component lie in a layer along an axis? */
static int in_layer(const struct painter *w, int is_h, int c, int axis, int m)
{
    const int *const cells = w->p->layer[axis], n = w->g->axis[axis].n, node = is_h ? c == axis : c != axis;
    return (cells[0] && m < cells[0]) || (cells[1] && m > n - cells[1] - !node);
}

/* The same mixture of the media that stand for its own. */
static int number_layered(struct painter *w, unsigned number)
{
    struct mixture x, to;
    int n = 0, any = 0;
    if (w->failed) return 0;
#pragma omp critical(paint_dictionary)
    x = w->p->dictionary[0].mixture[number];
    to = x;
    memset(to.part, 0, sizeof to.part);
    for (int m = 0; m < MIXTURE_PARTS && x.part[m]; m++) {
        const int medium = (int)(x.part[m] & 0xff), other = w->p->in_layer[medium];
        any |= other;
        part_add(&to, &n, x.part[m] >> 8, other ? other : medium);
    }
    return any ? number_get(w, 0, &to) : (int)number;
}

static void layers_paint(struct painter *w, const struct line *l, void *id, ptrdiff_t at)
{
    const int wide = w->p->wide[0], all = in_layer(w, 0, l->c, AY, l->j) || in_layer(w, 0, l->c, AZ, l->k);
    unsigned last = 0;
    int to = -1;
    for (int i = 0; i <= w->g->axis[AX].n; i++) {
        if (!all && !in_layer(w, 0, l->c, AX, i)) continue;
        const unsigned number = id_at(id, at + i, wide);
        if (to < 0 || number != last) last = number, to = number_layered(w, number);
        if (to != (int)number) numbers_put(id, wide, at + i, 1, to);
    }
}

/* The number of what number `from` stands for with an element beside it; a conductor's own stays. */
static int number_loaded(struct painter *w, int from, int load)
{
    struct mixture x;
#pragma omp critical(paint_dictionary)
    x = w->p->dictionary[0].mixture[from];
    x.load = (uint64_t)load;
    return x.part[0] ? number_get(w, 0, &x) : from;
}

static void lump_paint(struct painter *w, const struct line *l, int number, void *id, ptrdiff_t at)
{
    const struct lump *const one = &w->g->lump[number];
    const struct geometry_axis *const a = w->g->axis;
    if (l->c != one->axis || !lump_has_along(one, &a[AY], AY, l->j) || !lump_has_along(one, &a[AZ], AZ, l->k)) return;
    for (int i = 0; i <= a[AX].n; i++)
        if (lump_has_along(one, &a[AX], AX, i))
            numbers_put(id, w->p->wide[0], at + i, 1,
                        number_loaded(w, (int)id_at(id, at + i, w->p->wide[0]), number + 1));
}

/* The lines of cells around a component: before and after along each of its axes. */
static void around_fill(const struct painter *w, struct line *l)
{
    const ptrdiff_t stride = w->g->axis[AX].n + 2;
    for (int m = 0; m < l->n; m++) {
        int step[3] = {1, 1, 1}; /* 0: the cell before; the other axes stay at the component's own cell */
        step[l->axis[0]] = m & 1;
        if (!l->is_h) step[l->axis[1]] = m >> 1;
        l->around[m] = w->row[step[AY]] + (l->k + step[AZ]) * stride + step[AX];
    }
}

static void component_paint(struct painter *w, int component, int j, void *id, ptrdiff_t at, ptrdiff_t sk)
{
    const int is_h = component >= 3, c = component % 3;
    const struct geometry_axis *const a = w->g->axis;
    struct line l = {
        .c = c, .is_h = is_h, .n = is_h ? 2 : 4, .j = j, .axis = {is_h ? c : (c + 1) % 3, is_h ? c : (c + 2) % 3}};
    const int smooth = !is_h && smooth_row_find(w->smooth, c, j, &w->near),
              cuts = smooth_row_find(w->cuts, component, j, &w->near_cuts);
    for (l.k = 0; l.k <= a[AZ].n; l.k++) {
        for (int m = 0; m < 2; m++)
            if (l.axis[m] != AX) l.share[m] = geometry_share(&a[l.axis[m]], l.axis[m] == AY ? j : l.k);
        around_fill(w, &l);
        line_paint(w, &l, id, at + l.k * sk);
        if (smooth) surfaces_paint(w, &l, id, at + l.k * sk);
        if (cuts) cuts_paint(w, &l, id, at + l.k * sk);
        for (int n = 0; n < w->g->nsheets && !is_h; n++) sheet_paint(w, &l, &w->g->sheet[n], id, at + l.k * sk);
        if (w->g->nedges && !is_h) shells_paint(w, &l, id, at + l.k * sk);
        if (wire_is_near(w->g, j, l.k)) wires_paint(w, &l, id, at + l.k * sk);
        if (w->p->stands && !is_h) layers_paint(w, &l, id, at + l.k * sk);
        for (int n = 0; n < w->g->nlumps && !is_h; n++) lump_paint(w, &l, n, id, at + l.k * sk);
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static int painter_open(struct painter *w, struct paint *p, const struct geometry *g, const struct smooth smooth[2])
{
    const int ni = g->axis[AX].n;
    const size_t cells = ((size_t)ni + 2) * ((size_t)g->axis[AZ].n + 2);
    *w = (struct painter){.p = p, .g = g, .smooth = &smooth[SURFACES_SMOOTH], .cuts = &smooth[SURFACES_CUT]};
    w->recent[0] = malloc(2 * RECENT * sizeof(struct recent) + ((size_t)ni + 1) * (sizeof(int) + 1) + 2 * cells);
    if (!w->recent[0]) return MIXTURE_NO_MEMORY;
    w->recent[1] = w->recent[0] + RECENT;
    w->share_x = (int *)(void *)(w->recent[1] + RECENT);
    w->row[0] = (unsigned char *)(w->share_x + ni + 1);
    w->row[1] = w->row[0] + cells;
    w->mark = w->row[1] + cells;
    for (int n = 0; n < 2 * RECENT; n++) w->recent[0][n].number = -1;
    for (int n = 0; n < MEDIA_MAX; n++) w->single[0][n] = w->single[1][n] = -1;
    for (int i = 0; i <= ni; i++) w->share_x[i] = geometry_share(&g->axis[AX], i);
    return 0;
}

/* Threads take rows in blocks; each remembers the row before. */
static int rows_paint(struct paint *p, const struct geometry *g, const struct smooth smooth[2], int j0, int j1,
                      int first, void *const id[6], ptrdiff_t sj, ptrdiff_t sk)
{
    int failed = 0;
#pragma omp parallel reduction(min : failed) num_threads(p->threads > 0 ? p->threads : 1)
    {
        struct painter w;
        int last = j0 - 2; /* the row of cells that w.row[1] holds */
        failed = painter_open(&w, p, g, smooth);
#pragma omp for schedule(static)
        for (int j = j0; j < j1; j++) {
            if (failed) continue;
            unsigned char *const before = w.row[0];
            w.row[0] = w.row[1], w.row[1] = before;
            if (last != j - 1) geometry_row(g, j - 1, w.row[0]);
            geometry_row(g, j, w.row[1]);
            last = j;
            for (int c = 0; c < 6; c++)
                if (id[c] && p->wide[c / 3]) component_paint(&w, c, j, id[c], (j - first) * sj, sk);
            failed = w.failed;
        }
        free(w.recent[0]);
    }
    return failed;
}

static int blocks_paint(struct paint *p, struct geometry *g, const struct smooth smooth[2], int j0, int j1,
                        void *const id[6], ptrdiff_t sj, ptrdiff_t sk)
{
    const int rows = geometry_rows_at_once(g);
    for (int j = j0; j < j1; j += rows) {
        const int end = SF_MIN(j + rows, j1);
        SF_TRY(g->ncuts ? conformal_load(g, j, end) : geometry_load(g, j - 1, end));
        const int failed = rows_paint(p, g, smooth, j, end, j0, id, sj, sk);
        SF_CHECK(failed != MIXTURE_NO_MEMORY, SF_MEMORY, "no memory for the mixtures of media");
        SF_CHECK(
            failed != MIXTURE_TOO_MANY, SF_NAMELIST,
            "&geometry: interfaces between media make more than %d different mixtures; where the grid is graded use equal "
            "cells where they lie (&grid size_x, size_y, size_z); else fewer media, or geometry%%subpixel = .false., maxwell%%conformal = 0",
            p->dictionary[0].limit);
    }
    return SF_OK;
}

int paint_rows(struct paint *p, struct geometry *g, int j0, int j1, void *const id[6], ptrdiff_t sj, ptrdiff_t sk)
{
    struct smooth smooth[2] = {{0}};
    int rc = smooth_init(&smooth[SURFACES_SMOOTH], g, SURFACES_SMOOTH);
    if (!rc) rc = smooth_init(&smooth[SURFACES_CUT], g, SURFACES_CUT);
    if (!rc) rc = blocks_paint(p, g, smooth, j0, j1, id, sj, sk);
    for (int n = 0; n < 2; n++) smooth_free(&smooth[n]);
    return rc;
}
