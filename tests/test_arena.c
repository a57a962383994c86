/* Rows that slide through an arena: what a slab needs is where it looks, and nothing that is still wanted is overwritten.
 * SPDX-License-Identifier: MIT */
#include "pipeline/arena.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { NOTHING = -100000, MOST = 4096 };

static unsigned state;
static int between(int a, int b)
{
    state = state * 1664525u + 1013904223u;
    return a + (int)((state >> 8) % (unsigned)(b - a + 1));
}

/* An arena that remembers which row lies where. */
struct memory {
    int row[MOST], rows, base;
};

static int row_at(const struct memory *m, int base, int j)
{
    return j - base >= 0 && j - base < m->rows ? m->row[j - base] : NOTHING;
}

/* Rows [j.a, j.b) of the domain are there when the arena begins with `base`. */
static int are_there(const struct memory *m, int base, struct span_rows j)
{
    for (int r = j.a; r < j.b; r++)
        if (row_at(m, base, r) != r) return 0;
    return 1;
}

static struct span_rows turned(const struct slide *x, int a, int b)
{
    return rows_turned(x->dir, x->mirror, (struct span_rows){a, SF_MAX(a, b)});
}

/* Rows move all at once, as a kernel moves them: none may lie where another goes to. */
static void rows_move(struct memory *m, int from, int to, struct span_rows j, const char *what)
{
    cr_assert(abs(from - to) >= j.b - j.a || j.a >= j.b, "%s: %d rows move by %d", what, j.b - j.a, abs(from - to));
    cr_assert(are_there(m, from, j), "%s: a row that moves is not there", what);
    for (int r = j.a; r < j.b; r++) m->row[r - to] = r;
}

/* The slab is placed while the one before it is computed and the one before that goes out: their rows stay as they are. */
static void place_check(struct memory *m, struct slide *x, int c, int wanted, const char *what)
{
    const struct slide before = *x;
    const struct slide_place p = slide_next(x, c);
    const int base = slide_row(x, p.base);
    const struct span_rows kept = turned(x, wanted, before.base + before.rows);
    const struct span_rows taken = turned(x, p.lap ? p.moves.a : p.comes.a, p.comes.b);
    struct memory was = *m;
    if (p.lap) rows_move(m, slide_row(&before, p.base_before), base, turned(x, p.moves.a, p.moves.b), what);
    const struct span_rows comes = turned(x, p.comes.a, p.comes.b);
    for (int r = comes.a; r < comes.b; r++) {
        cr_assert(r - base >= 0 && r - base < m->rows, "%s: row %d lies outside of the arena", what, r);
        m->row[r - base] = r;
    }
    cr_assert(are_there(m, base, turned(x, SF_MAX(x->low, p.front0 - x->reach), p.front1)), "%s: slab %d misses rows",
              what, c);
    for (int r = taken.a; r < taken.b && c > 0; r++) { /* by row: where it goes lay none that is still wanted */
        const int old = was.row[r - base], stale = old - slide_row(&before, before.base) != r - base;
        cr_assert(old == NOTHING || old == r || stale || old < kept.a || old >= kept.b,
                  "%s: slab %d takes the place of row %d", what, c, old);
    }
}

static void passes_check(int j0, int span, int slabs, int more, int reach, int mirror)
{
    static struct memory m;
    char what[128];
    m.rows = arena_rows(span, slabs, more, reach), m.base = 0;
    cr_assert(m.rows <= MOST && m.rows <= span);
    for (int n = 0; n < m.rows; n++) m.row[n] = NOTHING;
    struct span_rows have = {0, 0};
    for (int pass = 0; pass < 5; pass++) {
        struct slide x = slide_begin(pass & 1, mirror, j0, j0 + span, slabs, more, reach, m.rows, m.base, have);
        const struct span_rows end = slide_end(x, 0);
        int covered = x.low;
        snprintf(what, sizeof what, "%d rows from %d on, %d slabs, %d more, reach %d, pass %d", span, j0, slabs, more,
                 reach, pass);
        for (int c = 0; c < slabs; c++) {
            const int wanted = c < 2 ? x.low : slide_edge(&x, c - 1) - reach;
            cr_assert_eq(slide_edge(&x, c), covered, "%s", what);
            place_check(&m, &x, c, wanted, what);
            covered = slide_edge(&x, c + 1);
        }
        cr_assert_eq(covered, x.high, "%s: rows are left over", what);
        m.base = slide_row(&x, x.base), have = end;
        cr_assert(are_there(&m, m.base, have), "%s: what the next pass takes over is not there", what);
        const struct span_rows last = turned(&x, slide_edge(&x, slabs - 1), x.high);
        cr_assert(have.a <= last.a && have.b >= last.b, "%s: the next pass does not find the last slab", what);
    }
}

Test(arena, rows_are_where_they_are_looked_for)
{
    int laps = 0;
    for (int n = 0; n < 20000; n++) {
        state = (unsigned)n * 2654435761u + 1;
        const int more = between(0, 4), reach = between(more, 40), span = between(more + 1, 400),
                  slabs = between(1, SF_MIN(span - more, 30));
        const int j0 = between(-20, 20);
        passes_check(j0, span, slabs, more, reach, 2 * j0 + span - 1 + between(-3, 3));
        laps += arena_rows(span, slabs, more, reach) < span;
    }
    cr_assert(laps > 2000, "%d of them had to lap", laps);
}

Test(arena, what_is_small_stays)
{
    cr_assert_eq(arena_rows(20, 3, 2, 30), 20);
    const struct slide x = slide_begin(0, 19, 0, 20, 3, 2, 30, 20, 0, (struct span_rows){0, 0});
    const struct span_rows all = slide_end(x, 0);
    cr_assert(all.a == 0 && all.b == 20);
    struct slide back = slide_begin(1, 19, 0, 20, 3, 2, 30, 20, 0, all);
    for (int c = 0; c < 3; c++) {
        const struct slide_place p = slide_next(&back, c);
        cr_assert(!p.lap && p.comes.a >= p.comes.b, "slab %d comes again", c);
    }
}
