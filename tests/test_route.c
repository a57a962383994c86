/* Rows that come and go in folded memory: what a slab needs is there, and nothing that is still wanted is overwritten.
 * SPDX-License-Identifier: MIT */
#include "pipeline/route.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { NOTHING = -100000, MOST = 1 << 15, AT_ONCE = 2 * ROUTE_PIECES + 1 };

static unsigned state;
static int between(int a, int b)
{
    state = state * 1664525u + 1013904223u;
    return a + (int)((state >> 8) % (unsigned)(b - a + 1));
}

/* Memory of `period` cells, which rows of `row` cells lie in one behind the other, again and again; a cell knows whose
 * it is. */
struct memory {
    int cell[MOST], period, row, j0;
};

static int *cell_of(struct memory *m, int j, int n) { return &m->cell[((j - m->j0) * m->row + n) % m->period]; }

static int is_there(struct memory *m, int j)
{
    for (int n = 0; n < m->row; n++)
        if (*cell_of(m, j, n) != j) return 0;
    return 1;
}

static int are_there(struct memory *m, struct span_rows j)
{
    for (int r = j.a; r < j.b; r++)
        if (!is_there(m, r)) return 0;
    return 1;
}

static struct span_rows turned(const struct route *x, int a, int b)
{
    return rows_turned(x->dir, x->mirror, (struct span_rows){a, SF_MAX(a, b)});
}

/* While slab c comes, the one before it is computed and the one before that goes out: rows from `wanted` on, q, stay as
 * they are. A piece takes the place of none that goes at the same time or later, but for a row where slabs are not all
 * as long. */
static void piece_check(struct memory *m, const struct route *x, int c, int piece, int reach, const char *what)
{
    const struct span_rows comes = route_piece(route_comes(x, c), piece), j = turned(x, comes.a, comes.b),
                           gone = route_displaced(x, comes), displaced = turned(x, gone.a, gone.b);
    const int wanted = SF_MAX(x->low, route_edge(x, SF_MAX(c - 1, 0)) - reach);
    cr_assert(gone.a >= gone.b || gone.b <= wanted, "%s: slab %d waits for rows that are still wanted", what, c);
    const int first = route_edge(x, SF_MAX(c - 2, 0)), next = route_edge(x, SF_MAX(c - 1, 0));
    const int is_whole = route_comes(x, c).a == route_edge(x, c);
    cr_assert(!is_whole || c < 2 || gone.a >= gone.b ||
                  gone.b <= first - reach + (next - first) * piece / ROUTE_PIECES + x->more + 2,
              "%s: piece %d of slab %d waits for what goes later", what, piece, c);
    for (int r = j.a; r < j.b; r++)
        for (int n = 0; n < m->row; n++) {
            const int old = *cell_of(m, r, n);
            cr_assert(old == NOTHING || old == r || (old >= displaced.a && old < displaced.b),
                      "%s: slab %d takes the place of row %d", what, c, old);
            *cell_of(m, r, n) = r;
        }
}

static void slab_check(struct memory *m, const struct route *x, int c, int reach, const char *what)
{
    for (int piece = 0; piece < ROUTE_PIECES; piece++) piece_check(m, x, c, piece, reach, what);
    cr_assert(are_there(m, turned(x, SF_MAX(x->low, route_edge(x, c) - reach), route_edge(x, c + 1))),
              "%s: slab %d misses rows", what, c);
}

static void others_forget(struct memory *m, struct span_rows kept)
{
    for (int n = 0; n < m->period; n++)
        if (m->cell[n] < kept.a || m->cell[n] >= kept.b) m->cell[n] = NOTHING;
}

static void passes_check(int j0, int span, int slabs, int more, int reach, int mirror)
{
    static struct memory m;
    char what[160];
    const int fewest = route_rows(span, slabs, more, reach, AT_ONCE) + between(0, 3), rows = SF_MIN(fewest, span),
              grain = between(1, 40);
    m.row = between(1, 9), m.j0 = j0, m.period = (rows * m.row + grain - 1) / grain * grain;
    cr_assert(m.period <= MOST);
    for (int n = 0; n < m.period; n++) m.cell[n] = NOTHING;
    struct span_rows have = {0, 0};
    for (int pass = 0; pass < 5; pass++) {
        struct route x = route_begin(pass & 1, mirror, j0, j0 + span, slabs, more, rows, have);
        int covered = x.low;
        const int anew = between(-8, 8); /* rows of the far side that are made elsewhere */
        if (anew > 0) x.held = SF_MAX(x.low, SF_MIN(x.held, x.high - anew));
        snprintf(what, sizeof what, "%d rows from %d on, %d slabs, %d more, reach %d, rows of %d in %d, pass %d", span,
                 j0, slabs, more, reach, m.row, m.period, pass);
        for (int c = 0; c < slabs; c++) {
            cr_assert_eq(route_edge(&x, c), covered, "%s", what);
            slab_check(&m, &x, c, reach, what);
            covered = route_edge(&x, c + 1);
        }
        cr_assert_eq(covered, x.high, "%s: rows are left over", what);
        cr_assert(x.high - route_edge(&x, slabs - 1) > more, "%s: the last slab is too short", what);
        const struct span_rows stays = route_stays(&x);
        have = turned(&x, stays.a, stays.b);
        cr_assert(are_there(&m, have), "%s: what the next pass takes over is not there", what);
        cr_assert(stays.b - stays.a == rows && stays.a <= SF_MAX(x.low, route_edge(&x, slabs - 1) - reach),
                  "%s: the next pass does not find the last slab", what);
        others_forget(&m, have);
    }
}

static void geometry(int n, void (*check)(int j0, int span, int slabs, int more, int reach, int mirror))
{
    state = (unsigned)n * 2654435761u + 1;
    const int more = between(0, 4), reach = between(more, 40), span = between(more + 1, 400),
              slabs = between(1, SF_MIN(span - more, 30)), j0 = between(-20, 20);
    check(j0, span, slabs, more, reach, 2 * j0 + span - 1 + between(-3, 3));
}

Test(route, rows_are_where_they_are_looked_for)
{
    for (int n = 0; n < 20000; n++) geometry(n, passes_check);
}

/* Tiles of kernels have 8 rows: long slabs are made of whole ones, but for the last, which is no stump. Others are as
 * even as they can be. */
static int whole;
static void tiles_check(int j0, int span, int slabs, int more, int reach, int mirror)
{
    const struct route x = route_begin(0, mirror, j0, j0 + span, slabs, more, span, (struct span_rows){0, 0});
    const int first = route_edge(&x, 1) - x.low, last = span - more - (route_edge(&x, slabs - 1) - x.low),
              even = (span - more) / slabs;
    (void)reach;
    for (int c = 0; slabs > 1 && c + 1 < slabs; c++) {
        const int rows = route_edge(&x, c + 1) - route_edge(&x, c);
        cr_assert(rows >= even && rows <= even + 8, "%d rows of %d in %d slabs", rows, span, slabs);
        if (even < 64) cr_assert(rows - even <= 1, "%d rows where %d are even", rows, even);
    }
    cr_assert(slabs == 1 || 2 * last >= first, "slabs of %d rows and one of %d", first, last);
    if (slabs == 1 || even < 64 || 2 * (span - more - (slabs - 1) * ((even + 8) / 8 * 8)) < even + 8) return;
    cr_assert_eq(first % 8, 0, "slabs of %d rows and one of %d", first, last);
    whole++;
}

Test(route, long_slabs_have_whole_tiles)
{
    for (int n = 0; n < 20000; n++) geometry(n, tiles_check);
    cr_assert(whole > 500, "%d times", whole);
}

static int fewer;

/* The fewest rows that hold any n slabs in a row and what lies behind them. */
static void rows_check(int j0, int span, int slabs, int more, int reach, int mirror)
{
    const struct route x = route_begin(0, mirror, j0, j0 + span, slabs, more, span, (struct span_rows){0, 0});
    for (int n = 1; n <= 3; n++) {
        int most = 0;
        for (int c = 0; c < slabs; c++)
            most = SF_MAX(most, route_edge(&x, SF_MIN(c + n, slabs)) - SF_MAX(x.low, route_edge(&x, c) - reach));
        const int rows = route_rows(span, slabs, more, reach, n * ROUTE_PIECES);
        cr_assert(rows >= most && rows <= span, "%d of %d rows for %d slabs of %d", rows, span, n, slabs);
        cr_assert(rows <= most + reach + more + 1, "%d rows where %d would do", rows, most);
        fewer += rows < span;
    }
}

Test(route, rows_for_some_slabs)
{
    for (int n = 0; n < 20000; n++) geometry(n, rows_check);
    cr_assert(fewer > 20000, "%d times fewer than all", fewer);
}

Test(route, what_is_small_stays)
{
    cr_assert_eq(route_rows(20, 3, 2, 30, AT_ONCE), 20);
    const struct route x = route_begin(0, 19, 0, 20, 3, 2, 20, (struct span_rows){0, 0});
    const struct span_rows all = route_stays(&x);
    cr_assert(all.a == 0 && all.b == 20);
    const struct route back = route_begin(1, 19, 0, 20, 3, 2, 20, all);
    for (int c = 0; c < 3; c++) {
        const struct span_rows comes = route_comes(&back, c), displaced = route_displaced(&back, comes);
        cr_assert(comes.a >= comes.b && displaced.a >= displaced.b, "slab %d comes again", c);
    }
}
