/* What stands beyond the faces: the maps are reflections and wraps of the line, and filling puts them where a stage
 * looks, no deeper than asked, whoever of the threads does it. SPDX-License-Identifier: MIT */
#include "pipeline/backend.h"
#include "pipeline/ghost.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* The first entry for `to`; a wall may be listed twice, in the same words. */
static const struct ghost_entry *entry_at(const struct ghost_map *m, int to)
{
    const struct ghost_entry *found = NULL;
    cr_assert(m->n <= GHOST_MAP_SIZE);
    for (int e = m->n - 1; e >= 0; e--) {
        if (m->entry[e].to != to) continue;
        cr_assert(!found || (found->sign == 0 && m->entry[e].sign == 0), "two entries for %d", to);
        found = &m->entry[e];
    }
    return found;
}

static void expect(const struct ghost_map *m, int to, int from, int sign)
{
    const struct ghost_entry *e = entry_at(m, to);
    cr_assert_not_null(e, "nothing for %d", to);
    cr_assert(e->sign == sign && (sign == 0 || e->from == from), "%d comes from %d with sign %d", to, e->from, e->sign);
}

static struct ghost_map map_of(int n, int depth, int staggered, enum ghost low, enum ghost high)
{
    struct ghost_map m;
    ghost_map_make(&m, n, depth, staggered, low, high, 0);
    return m;
}

/* ---- maps by hand ---- */

Test(ghost, four_cells_between_mirrors)
{
    struct ghost_map m = map_of(4, 3, 0, GHOST_EVEN, GHOST_ODD);
    cr_assert_eq(m.n, 6);
    expect(&m, -1, 0, 1), expect(&m, -2, 1, 1), expect(&m, -3, 2, 1);
    expect(&m, 4, 3, -1), expect(&m, 5, 2, -1), expect(&m, 6, 1, -1);
    cr_assert(entry_at(&m, -2)->beyond == -2 && entry_at(&m, 6)->beyond == 3);
}

Test(ghost, four_faces_between_walls)
{
    struct ghost_map m = map_of(4, 3, 1, GHOST_ODD, GHOST_ODD);
    expect(&m, 0, 0, 0), expect(&m, 4, 0, 0); /* the walls themselves */
    expect(&m, -1, 1, -1), expect(&m, -2, 2, -1), expect(&m, -3, 3, -1);
    expect(&m, 5, 3, -1), expect(&m, 6, 2, -1);
    cr_assert(entry_at(&m, 0)->beyond == 0);
    cr_assert(entry_at(&m, 4)->from < 4, "a wall is filled by who has the last cell");
}

Test(ghost, faces_on_a_symmetry_plane_and_an_open_side_own_the_last_one)
{
    struct ghost_map m = map_of(4, 3, 1, GHOST_EVEN, GHOST_EVEN);
    cr_assert_null(entry_at(&m, 4));
    cr_assert_null(entry_at(&m, 0));
    expect(&m, -1, 1, 1), expect(&m, 5, 3, 1), expect(&m, 6, 2, 1);
    m = map_of(4, 3, 1, GHOST_OPEN, GHOST_OPEN);
    cr_assert_null(entry_at(&m, 4));
    expect(&m, -1, 0, 1), expect(&m, -3, 0, 1), expect(&m, 5, 4, 1), expect(&m, 6, 4, 1);
}

Test(ghost, open_sides_repeat_the_outermost_cell)
{
    struct ghost_map m = map_of(4, 2, 0, GHOST_OPEN, GHOST_OPEN);
    expect(&m, -1, 0, 1), expect(&m, -2, 0, 1), expect(&m, 4, 3, 1), expect(&m, 5, 3, 1);
}

Test(ghost, seams_are_left_to_exchanges)
{
    struct ghost_map m;
    ghost_map_make(&m, 5, 3, 0, GHOST_PERIODIC, GHOST_PERIODIC, 1);
    cr_assert_eq(m.n, 0);
    ghost_map_make(&m, 5, 3, 0, GHOST_EVEN, GHOST_EVEN, 1);
    cr_assert_eq(m.n, 6);
    m = map_of(5, 3, 0, GHOST_NONE, GHOST_NONE);
    cr_assert_eq(m.n, 0);
}

/* ---- maps against closed forms, also for fewer cells than ghosts ---- */

static int modulo(int a, int n) { return ((a % n) + n) % n; }

Test(ghost, maps_are_reflections_and_wraps_of_the_line)
{
    for (int n = 1; n <= 6; n++)
        for (int d = -GHOST_MAX_DEPTH; d < n + GHOST_MAX_DEPTH; d++) {
            if (d >= 0 && d < n) continue;
            struct ghost_map m = map_of(n, GHOST_MAX_DEPTH, 0, GHOST_PERIODIC, GHOST_PERIODIC);
            expect(&m, d, modulo(d, n), 1);
            /* Cells: the line folded every n, and turned over at each fold. */
            const int period = modulo(d, 2 * n), back = period < n ? period : 2 * n - 1 - period;
            const int folds = (int)floor((double)d / n), odd = modulo(folds, 2) ? -1 : 1;
            m = map_of(n, GHOST_MAX_DEPTH, 0, GHOST_EVEN, GHOST_EVEN);
            expect(&m, d, back, 1);
            m = map_of(n, GHOST_MAX_DEPTH, 0, GHOST_ODD, GHOST_ODD);
            expect(&m, d, back, odd);
            /* Faces: folded about themselves; zero on the walls. */
            const int face = period <= n ? period : 2 * n - period;
            m = map_of(n, GHOST_MAX_DEPTH, 1, GHOST_ODD, GHOST_ODD);
            if (face == 0 || face == n) expect(&m, d, 0, 0);
            else expect(&m, d, face, period <= n ? 1 : -1);
            m = map_of(n, GHOST_MAX_DEPTH, 1, GHOST_EVEN, GHOST_EVEN);
            if (d != n) expect(&m, d, face, 1);
        }
}

/* ---- filling ---- */

enum { NI = 70, NK = 3, NJ = 4, DEEP = 2 };

struct filled {
    struct storage st;
    struct ghost_maps maps;
    enum shape shape;
};

static real value_of(int j, int k, int i) { return (real)(1000 * j + 100 * k + i + 1); }

static real *place(struct filled *f, int j, int k, int i)
{
    const struct slab *s = &f->st.s;
    return s->f[0] + (f->shape == SHAPE_MAP ? (j - s->j0) * s->sm + i : (j - s->j0) * s->sj + k * s->sk + i);
}

/* A field with all ghosts NaN, staggered in x onto an open side: column NI is its own. */
static void filled_open(struct filled *f, enum shape shape)
{
    const struct layout l = layout_make(LAYOUT_LINE, NI, NK, NJ, DEEP, DEEP);
    f->shape = shape;
    f->maps.maker = NULL;
    cr_assert_eq(storage_init(&f->st, &backend_cpu, &l, 1, &(struct form){.shape = shape}, NULL, -DEEP, NJ + 2 * DEEP),
                 0);
    ghost_map_make(&f->maps.x, NI, DEEP, 1, GHOST_ODD, GHOST_OPEN, 0);
    ghost_map_make(&f->maps.y, NJ, DEEP, 0, GHOST_EVEN, GHOST_ODD, 0);
    ghost_map_make(&f->maps.z, NK, DEEP, 0, GHOST_ODD, GHOST_EVEN, 0);
    const int deep = shape == SHAPE_FULL ? DEEP : 0, nk = shape == SHAPE_FULL ? NK : 1;
    for (int j = -DEEP; j < NJ + DEEP; j++)
        for (int k = -deep; k < nk + deep; k++)
            for (int i = -DEEP; i < NI + DEEP; i++)
                *place(f, j, k, i) =
                    j >= 0 && j < NJ && k >= 0 && k < nk && i >= 0 && i <= NI ? value_of(j, k, i) : (real)NAN;
}

/* The value at any index by the rules of filled_open. */
static double want(int j, int k, int i)
{
    double sign = 1;
    if (j < 0) j = -1 - j;
    if (j >= NJ) j = 2 * NJ - 1 - j, sign = -sign;
    if (k < 0) k = -1 - k, sign = -sign;
    if (k >= NK) k = 2 * NK - 1 - k;
    if (i == 0) return 0;
    if (i < 0) i = -i, sign = -sign;
    if (i > NI) i = NI;
    return sign * (double)value_of(j, k, i);
}

static const struct reach all = {DEEP, DEEP, DEEP, DEEP, DEEP, DEEP};

static void filled_check(struct filled *f)
{
    const int deep = f->shape == SHAPE_FULL ? DEEP : 0, nk = f->shape == SHAPE_FULL ? NK : 1;
    for (int j = -DEEP; j < NJ + DEEP; j++)
        for (int k = -deep; k < nk + deep; k++)
            for (int i = -DEEP; i < NI + DEEP; i++)
                cr_assert((double)*place(f, j, k, i) == want(j, k, i), "%s, %d %d %d: %g, not %g",
                          f->shape == SHAPE_MAP ? "map" : "full", j, k, i, (double)*place(f, j, k, i), want(j, k, i));
}

/* Corners too; columns shared out in parts and rows in windows, in either order, give what one call gives. */
Test(ghost, every_ghost_is_filled_whoever_fills_it)
{
    static const int cuts[][4] = {{0, NI + 1, NI + 1, NI + 1}, {0, 32, NI + 1, NI + 1}, {0, 16, 48, NI + 1}};
    static const enum shape shapes[] = {SHAPE_FULL, SHAPE_MAP};
    for (int s = 0; s < 2; s++)
        for (int c = 0; c < 3; c++)
            for (int rows = 1; rows <= NJ; rows++)
                for (int south = 0; south < 2; south++) {
                    struct filled f;
                    filled_open(&f, shapes[s]);
                    for (int w = 0; w < NJ; w += rows)
                        for (int part = 0; part < 3; part++) {
                            if (cuts[c][part] >= cuts[c][part + 1]) continue;
                            const int j1 = SF_MIN(w + rows, NJ);
                            ghost_fill(&f.st.s, &f.st.lay, f.shape, 0, &f.maps, all,
                                       (struct box){.i0 = cuts[c][part],
                                                    .i1 = cuts[c][part + 1],
                                                    .k1 = NK,
                                                    .j0 = south ? NJ - j1 : w,
                                                    .j1 = south ? NJ - w : j1});
                        }
                    filled_check(&f);
                    storage_free(&f.st);
                }
}

Test(ghost, no_deeper_than_asked)
{
    struct filled f;
    filled_open(&f, SHAPE_FULL);
    const struct reach depth = {.im = 1, .ip = 0, .km = 0, .kp = 1, .jm = 0, .jp = 1};
    ghost_fill(&f.st.s, &f.st.lay, f.shape, 0, &f.maps, depth, (struct box){.i1 = NI + 1, .k1 = NK, .j1 = NJ});
    for (int j = -DEEP; j < NJ + DEEP; j++)
        for (int k = -DEEP; k < NK + DEEP; k++)
            for (int i = -DEEP; i < NI + DEEP; i++) {
                const int due = i >= -1 && i <= NI && k >= 0 && k <= NK && j >= 0 && j <= NJ;
                const double v = (double)*place(&f, j, k, i);
                cr_assert(due ? v == want(j, k, i) : isnan(v), "%d %d %d: %g", j, k, i, v);
            }
    storage_free(&f.st);
}

static int between(unsigned *r, int low, int high)
{
    *r = *r * 1664525u + 1013904223u;
    return low + (int)((*r >> 8) % (unsigned)(high - low + 1));
}

enum { NUMBERS = (NI + 2 * DEEP) * (NK + 2 * DEEP) * (NJ + 2 * DEEP) };

static void numbers_take(struct filled *f, real *to)
{
    for (int j = -DEEP; j < NJ + DEEP; j++)
        for (int k = -DEEP; k < NK + DEEP; k++)
            for (int i = -DEEP; i < NI + DEEP; i++) *to++ = *place(f, j, k, i);
}

/* Where none follow from a box, what it holds may change, and filling all changes no ghost. */
Test(ghost, none_follow_from_within)
{
    static real was[NUMBERS], is[NUMBERS];
    struct filled f;
    unsigned r = 1;
    int none[8] = {0};
    filled_open(&f, SHAPE_FULL);
    const struct box whole = {.i1 = NI + 1, .k1 = NK, .j1 = NJ};
    for (int n = 0; n < 4000; n++) {
        struct reach d = {(signed char)between(&r, 0, 2), (signed char)between(&r, 0, 2),
                          (signed char)between(&r, 0, 2), (signed char)between(&r, 0, 2),
                          (signed char)between(&r, 0, 2), (signed char)between(&r, 0, 2)};
        struct box b = {.i0 = between(&r, 0, NI), .k0 = between(&r, 0, NK - 1), .j0 = between(&r, 0, NJ - 1)};
        b.i1 = between(&r, b.i0 + 1, NI + 1), b.k1 = between(&r, b.k0 + 1, NK), b.j1 = between(&r, b.j0 + 1, NJ);
        if (n % 8 & 1) d.im = d.ip = 0, b.i0 = SF_MAX(b.i0, 1), b.i1 = SF_MAX(b.i1, b.i0);
        if (n % 8 & 2) d.km = d.kp = 0;
        if (n % 8 & 4) d.jm = d.jp = 0;
        ghost_fill(&f.st.s, &f.st.lay, SHAPE_FULL, 0, &f.maps, d, whole);
        for (int j = b.j0; j < b.j1; j++)
            for (int k = b.k0; k < b.k1; k++)
                for (int i = b.i0; i < b.i1; i++) *place(&f, j, k, i) += 1;
        numbers_take(&f, was);
        ghost_fill(&f.st.s, &f.st.lay, SHAPE_FULL, 0, &f.maps, d, whole);
        numbers_take(&f, is);
        if (ghosts_follow(&f.maps, d, b)) continue;
        none[n % 8]++;
        cr_assert_eq(memcmp(was, is, sizeof is), 0, "columns %d:%d, levels %d:%d, rows %d:%d", b.i0, b.i1, b.k0, b.k1,
                     b.j0, b.j1);
    }
    for (int n = 0; n < 8; n++) cr_assert(none[n] > 0, "depths %d", n);
    cr_assert(!ghosts_follow(&f.maps, all, (struct box){.i0 = DEEP + 1, .i1 = NI - DEEP, .k1 = 0, .j1 = NJ}),
              "an empty box");
    const struct reach up = {.kp = 1};
    const struct box top = {.i0 = 10, .i1 = 11, .k0 = NK, .k1 = NK + 1, .j0 = 1, .j1 = 2};
    cr_assert(ghosts_follow(&f.maps, up, top), "a ghost itself");
    storage_free(&f.st);
}

/* Ghost rows that a rank makes from rows it received, ghost columns and levels of those included. */
Test(ghost, rows_beyond_sides_from_rows_that_came)
{
    struct filled f;
    filled_open(&f, SHAPE_FULL);
    const struct reach inside = {DEEP, DEEP, DEEP, DEEP, 0, 0};
    ghost_fill(&f.st.s, &f.st.lay, f.shape, 0, &f.maps, inside, (struct box){.i1 = NI + 1, .k1 = NK, .j1 = NJ});
    cr_assert(isnan((double)*place(&f, -1, 0, 5)));
    ghost_fill_rows(&f.st.s, &f.st.lay, f.shape, 0, &f.maps.y, 1, NJ);
    cr_assert(isnan((double)*place(&f, -1, 0, 5)), "row -1 comes from row 0");
    ghost_fill_rows(&f.st.s, &f.st.lay, f.shape, 0, &f.maps.y, 0, 1);
    filled_check(&f);
    storage_free(&f.st);
}
