/* Tiles of the sweep of E and H: where E has one medium, which tiles a box is cut into, what each of them is, and lists
 * of them, against elements counted one by one. SPDX-License-Identifier: MIT */
#include "maxwell/maxwell.h"
#include "maxwell/tiles.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int between(unsigned *r, int low, int high)
{
    *r = *r * 1664525u + 1013904223u;
    return low + (int)((*r >> 8) % (unsigned)(high - low + 1));
}

static int one_in(unsigned *r, int n) { return between(r, 1, n) == 1; }

/* ---- bricks of one medium ---- */

enum { COLUMNS = 70, LEVELS = 21, ROWS = 9, STRIDE = COLUMNS + 3, NUMBERS = ROWS * (LEVELS + 2) * STRIDE };

/* Numbers of the media of E, of elements 0 .. ni - 1, 0 .. nk - 1 and rows j0 .. j0 + rows - 1; between rows and levels
 * lie others. */
struct media {
    int wide, ni, nk, j0, rows;
    ptrdiff_t sj, sk;
    unsigned short number[3][NUMBERS];
    unsigned char byte[3][NUMBERS];
    const void *id[3];
    struct bricks *bricks;
};

static unsigned number_of(const struct media *m, int c, int i, int j, int k)
{
    return m->number[c][(j - m->j0) * m->sj + k * m->sk + i];
}

/* Every element from its own number, by component. */
static void media_box(struct media *m, int c, struct box b, unsigned number)
{
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++)
            for (int i = b.i0; i < b.i1; i++)
                m->number[c][(j - m->j0) * m->sj + k * m->sk + i] = (unsigned short)number;
}

static struct box box_within(unsigned *r, const struct media *m)
{
    struct box b = {
        .i0 = between(r, 0, m->ni - 1), .k0 = between(r, 0, m->nk - 1), .j0 = between(r, m->j0, m->j0 + m->rows - 1)};
    b.i1 = between(r, b.i0 + 1, m->ni), b.k1 = between(r, b.k0 + 1, m->nk),
    b.j1 = between(r, b.j0 + 1, m->j0 + m->rows);
    return b;
}

/* Few media: boxes of all three components, and now and then an element of one. */
static void media_make(struct media *m, unsigned *r, int ni, int nk, int j0, int rows)
{
    const unsigned most = (m->wide = between(r, 1, 2)) == 1 ? 255 : 65535;
    m->ni = ni, m->nk = nk, m->j0 = j0, m->rows = rows;
    m->sk = ni + between(r, 0, 3), m->sj = m->sk * (nk + between(r, 0, 2));
    for (int n = 0; n < 3 * NUMBERS; n++) m->number[n / NUMBERS][n % NUMBERS] = (unsigned short)(200 + n % 5);
    const unsigned number[3] = {(unsigned)between(r, 0, 2), most, most - 1};
    for (int c = 0; c < 3; c++) media_box(m, c, (struct box){.i1 = ni, .k1 = nk, .j0 = j0, .j1 = j0 + rows}, number[0]);
    for (int n = between(r, 0, 3); n > 0; n--) {
        const struct box b = box_within(r, m);
        const unsigned of = number[between(r, 0, 2)];
        for (int c = 0; c < 3; c++) media_box(m, c, b, of);
    }
    for (int n = between(r, 0, 2); n > 0; n--) {
        struct box b = box_within(r, m);
        b.i1 = b.i0 + 1, b.k1 = b.k0 + 1, b.j1 = b.j0 + 1;
        media_box(m, between(r, 0, 2), b, number[between(r, 0, 2)]);
    }
    for (int c = 0; c < 3; c++) {
        for (int n = 0; n < NUMBERS; n++) m->byte[c][n] = (unsigned char)m->number[c][n];
        m->id[c] = m->wide == 1 ? (const void *)m->byte[c] : (const void *)m->number[c];
    }
    m->bricks = bricks_make(m->id, m->wide, m->sj, m->sk, ni, nk, j0, rows);
    cr_assert_not_null(m->bricks);
}

/* Have all elements of a box, of all components, the medium of the first? */
static int media_agree(const struct media *m, struct box b, int *medium)
{
    *medium = (int)number_of(m, 0, b.i0, b.j0, b.k0);
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++)
            for (int i = b.i0; i < b.i1; i++)
                for (int c = 0; c < 3; c++)
                    if ((int)number_of(m, c, i, j, k) != *medium) return 0;
    return 1;
}

/* The box of all bricks that box b touches. */
static struct box box_of_bricks(const struct media *m, struct box b)
{
    b.i0 -= b.i0 % BRICK_COLUMNS, b.k0 -= b.k0 % BRICK_LEVELS;
    while (b.i1 % BRICK_COLUMNS && b.i1 < m->ni) b.i1++;
    while (b.k1 % BRICK_LEVELS && b.k1 < m->nk) b.k1++;
    return b;
}

Test(tiles, bricks_agree_where_their_elements_do)
{
    static struct media m;
    unsigned r = 1;
    int agreed[3] = {0};
    for (int n = 0; n < 3000; n++) {
        media_make(&m, &r, between(&r, 1, COLUMNS), between(&r, 1, LEVELS), between(&r, -3, 5), between(&r, 1, ROWS));
        for (int t = 0; t < 8; t++) {
            const struct box b =
                t ? box_within(&r, &m) : (struct box){.i1 = m.ni, .k1 = m.nk, .j0 = m.j0, .j1 = m.j0 + m.rows};
            int medium = -1, want = -1;
            const int agree = bricks_agree(m.bricks, b, &medium);
            cr_assert_eq(agree, media_agree(&m, box_of_bricks(&m, b), &want),
                         "columns %d:%d, levels %d:%d, rows %d:%d: %d", b.i0, b.i1, b.k0, b.k1, b.j0, b.j1, agree);
            cr_assert(!agree || medium == want, "medium %d, not %d", medium, want);
            agreed[agree ? m.wide : 0]++;
        }
        bricks_free(m.bricks);
    }
    for (int n = 0; n < 3; n++) cr_assert(agreed[n] > 1000, "%d of %d", agreed[n], n);
}

Test(tiles, nothing_is_known_of_rows_without_bricks)
{
    static const unsigned char none[ROWS];
    int medium;
    struct bricks *const b = bricks_make((const void *const[3]){none, none, none}, 1, 1, 1, 1, 1, -2, 5);
    cr_assert_not_null(b);
    for (int j0 = -4; j0 < 4; j0++)
        for (int j1 = j0 + 1; j1 < 6; j1++)
            cr_assert_eq(bricks_agree(b, (struct box){.i1 = 1, .k1 = 1, .j0 = j0, .j1 = j1}, &medium),
                         j0 >= -2 && j1 <= 3, "%d:%d", j0, j1);
    cr_assert(!bricks_agree(NULL, (struct box){.i1 = 1, .k1 = 1, .j1 = 1}, &medium));
    bricks_free(b);
    bricks_free(NULL);
}

/* Rows that agree are counted as far as they are told apart. */
Test(tiles, many_rows_agree_as_few_do)
{
    enum { MANY = 65600 };
    unsigned char *const id = calloc(MANY, 1);
    int medium;
    cr_assert_not_null(id);
    id[MANY - 1] = 1;
    struct bricks *const b = bricks_make((const void *const[3]){id, id, id}, 1, 1, 1, 1, 1, 0, MANY);
    cr_assert_not_null(b);
    for (int rows = 1; rows < MANY; rows = rows * 2 + 1)
        for (int ends = 0; ends < 2; ends++) {
            const struct box x = {.i1 = 1, .k1 = 1, .j0 = MANY - rows - ends, .j1 = MANY - ends};
            cr_assert_eq(bricks_agree(b, x, &medium), rows == 1 || ends, "%d rows, ends %d", rows, ends);
        }
    cr_assert(!bricks_agree(b, (struct box){.i1 = 1, .k1 = 1, .j1 = MANY}, &medium));
    bricks_free(b);
    free(id);
}

/* ---- what tiles are ---- */

enum { PACK_MOST = 4 };

struct scene {
    struct terrain t;
    struct tiling c;
    struct media m; /* of E, where it has several */
};

static void axis_make(struct terrain *t, unsigned *r, int axis, int n)
{
    t->n[axis] = n;
    t->repeats[axis] = one_in(r, 3) ? n : 0;
    t->low[axis] = t->high[axis] = 0;
    if (!t->repeats[axis] && !one_in(r, 3)) t->low[axis] = between(r, 1, SF_MAX(n / 3, 1));
    if (!t->repeats[axis] && !one_in(r, 3)) t->high[axis] = between(r, 1, SF_MAX(n / 3, 1));
}

static void ranges_make(struct terrain *t, unsigned *r)
{
    t->nranges = one_in(r, 2) ? 0 : between(r, 1, 3);
    for (int m = 0; m < t->nranges; m++)
        for (int a = 0; a < 3; a++) {
            t->range[m].low[a] = between(r, 0, t->n[a] - 1);
            t->range[m].high[a] = between(r, t->range[m].low[a] + 1, SF_MIN(t->n[a], t->range[m].low[a] + 2));
        }
}

/* Boxes of all columns and levels or of some; rows beyond the domain's where y repeats. */
static void scene_make(struct scene *s, unsigned *r)
{
    struct terrain *const t = &s->t;
    const int pack = t->pack = one_in(r, 2) ? 2 : PACK_MOST;
    axis_make(t, r, AX, between(r, 1, COLUMNS)), axis_make(t, r, AY, between(r, 1, ROWS)),
        axis_make(t, r, AZ, between(r, 1, LEVELS));
    t->whole = !one_in(r, 3), t->media_of_h = one_in(r, 8), t->media_of_e = one_in(r, 2);
    ranges_make(t, r);
    s->c = (struct tiling){.columns = pack * between(r, 1, 8),
                           .levels = between(r, 1, 8),
                           .rows = between(r, 1, ROWS),
                           .together = between(r, 1, 40)};
    s->c.step = s->c.columns + (one_in(r, 3) ? pack * between(r, 0, 6) : 0);
    const int beyond = t->repeats[AY] > 1 ? 3 : 0;
    s->c.b = (struct box){.i1 = t->n[AX], .k1 = t->n[AZ], .j1 = t->n[AY]};
    if (one_in(r, 2))
        s->c.b.j0 = between(r, -beyond, t->n[AY] - 1), s->c.b.j1 = between(r, s->c.b.j0 + 1, t->n[AY] + beyond);
    if (one_in(r, 3))
        s->c.b.i0 = pack * between(r, 0, (t->n[AX] - 1) / pack), s->c.b.i1 = between(r, s->c.b.i0 + 1, t->n[AX]);
    if (one_in(r, 3)) s->c.b.k0 = between(r, 0, t->n[AZ] - 1), s->c.b.k1 = between(r, s->c.b.k0 + 1, t->n[AZ]);
    s->m.bricks = NULL;
    if (t->media_of_e) media_make(&s->m, r, t->n[AX], t->n[AZ], -beyond, SF_MIN(t->n[AY] + 2 * beyond, ROWS));
}

/* What an element of H has. */
struct seen {
    int across, along,
        source; /* of a layer or side along x, along y or z; a source of H, of itself or of what it repeats */
    int maybe; /* it may repeat what has one */
};

static int is_layer(const struct terrain *t, int axis, int m)
{
    return m >= 0 && m < t->n[axis] && (m < t->low[axis] || m >= t->n[axis] - t->high[axis]);
}

/* Beyond a side or along it. */
static int is_side(const struct terrain *t, int axis, int m)
{
    return !t->repeats[axis] && (m < 0 || m == t->n[axis] - 1);
}

static int repeated(const struct terrain *t, int axis, int m)
{
    const int n = t->repeats[axis];
    return n ? (m % n + n) % n : m;
}

static void look_at(struct seen *s, const struct terrain *t, int i, int j, int k)
{
    const int first = j <= 0 && t->repeats[AY] <= 1; /* no row lies before it */
    s->across |= is_layer(t, AX, i) || is_side(t, AX, i);
    s->along |= is_layer(t, AY, j) || is_layer(t, AZ, k) || is_side(t, AY, j) || is_side(t, AZ, k) || first;
    for (int m = 0; m < t->nranges; m++) {
        s->source |= place_range_has(&t->range[m], repeated(t, AX, i), repeated(t, AY, j), repeated(t, AZ, k));
        s->maybe |= t->repeats[AY] || (i < 0 && t->repeats[AX]) || (k < 0 && t->repeats[AZ]);
    }
}

/* Of all elements that a tile computes H of: its own, the column to the west, the level below, the row before, where
 * there is one. */
static struct seen seen_by(const struct scene *s, const struct tile *p, int i1, int k1)
{
    const int first = p->ja > 0 || s->t.repeats[AY] > 1 ? p->ja - 1 : p->ja;
    struct seen seen = {0};
    for (int j = first; j < p->jb; j++)
        for (int k = p->k - 1; k < k1; k++)
            for (int i = p->i - 1; i < i1; i++) look_at(&seen, &s->t, i, j, k);
    return seen;
}

/* Does the kind of a tile say what it has? */
static int kind_is_right(const struct scene *s, const struct tile *p, struct box own)
{
    const struct seen seen = seen_by(s, p, own.i1, own.k1);
    const int special = seen.across || seen.along;
    int medium = 0;
    const int rows_told = !s->t.media_of_e || (own.j0 >= s->m.j0 && own.j1 <= s->m.j0 + s->m.rows);
    const int one = !s->t.media_of_e || (rows_told && media_agree(&s->m, box_of_bricks(&s->m, own), &medium));
    if (s->t.media_of_h || (own.i1 - own.i0) % s->t.pack || seen.source || (special && !s->t.whole))
        return p->kind == TILE_ANY;
    if (p->kind == TILE_ANY) return seen.maybe;
    if (one && p->medium != medium) return 0;
    if (!special) return p->kind == (one ? TILE_PLAIN_ONE : TILE_PLAIN);
    if (!one) return p->kind == TILE_LAYERS;
    return p->kind == (seen.across && seen.along ? TILE_LAYERS_ONE : seen.across ? TILE_ACROSS_ONE : TILE_ALONG_ONE);
}

static struct box box_of(const struct tiling *c, const struct tile *p)
{
    return (struct box){.i0 = p->i,
                        .i1 = SF_MIN(p->i + c->columns, c->b.i1),
                        .k0 = p->k,
                        .k1 = SF_MIN(p->k + c->levels, c->b.k1),
                        .j0 = p->ja,
                        .j1 = p->jb};
}

/* Every element that lies in the first columns of a step belongs to one tile, every other to none. */
static void cover_check(const struct scene *s, const struct tile *tile, int n)
{
    static unsigned char owners[ROWS + 6][LEVELS][COLUMNS];
    const struct box all = s->c.b;
    memset(owners, 0, sizeof owners);
    for (int t = 0; t < n; t++) {
        const struct box b = box_of(&s->c, &tile[t]);
        cr_assert(b.j0 >= all.j0 && b.j0 < b.j1 && b.j1 <= all.j1 && b.k0 >= all.k0);
        for (int j = b.j0; j < b.j1; j++)
            for (int k = b.k0; k < b.k1; k++)
                for (int i = b.i0; i < b.i1; i++) owners[j + 3][k][i]++;
    }
    for (int j = -3; j < ROWS + 3; j++)
        for (int k = 0; k < LEVELS; k++)
            for (int i = 0; i < COLUMNS; i++) {
                const int within = j >= all.j0 && j < all.j1 && k >= all.k0 && k < all.k1 && i >= all.i0 && i < all.i1;
                const int due = within && (i - all.i0) % s->c.step < s->c.columns;
                cr_assert_eq(owners[j + 3][k][i], due, "%d tiles have element %d %d %d", owners[j + 3][k][i], i, j, k);
            }
}

/* No tile has rows of a layer along y beside others, but those that the southern one takes with it; the others have as
 * many rows as each other, but for one, and not many more than asked, but for the last of all, which become shorter to
 * the end. Returns how many of those there are. */
static int ends_check(const struct scene *s, const struct tile *tile, int count)
{
    const struct terrain *const t = &s->t;
    const struct box b = s->c.b;
    const int south = t->low[AY] && b.j0 == 0 && b.j1 > t->low[AY] + 1, n = t->n[AY],
              middle = south ? t->low[AY] + 1 : b.j0;
    const int north = t->high[AY] && b.j1 == n && n - t->high[AY] > middle;
    const int end = north ? n - t->high[AY] : b.j1;
    int least = INT_MAX, most = 0, shorter = 0, longest = 0;
    for (const struct tile *p = tile; p < tile + count; p++)
        if (p->ja >= middle && p->jb <= end) longest = SF_MAX(longest, p->jb - p->ja);
    for (const struct tile *p = tile; p < tile + count; p++) {
        const int rows = p->jb - p->ja;
        if (p->ja >= middle && p->jb <= end && rows < longest - 1) {
            shorter++;
            cr_assert(end - p->ja <= longest && rows >= SF_MIN(4, longest), "rows %d:%d of %d", p->ja, p->jb, end);
            for (const struct tile *q = p + 1; q < tile + count; q++)
                cr_assert(q->jb - q->ja <= rows && q->ja >= p->ja, "rows %d:%d behind %d:%d", q->ja, q->jb, p->ja,
                          p->jb);
            continue;
        }
        if (south && p->ja < middle) cr_assert(p->ja == 0 && p->jb == middle, "south: rows %d:%d", p->ja, p->jb);
        else if (north && p->jb > n - t->high[AY])
            cr_assert(p->ja == n - t->high[AY] && p->jb == n, "north: rows %d:%d", p->ja, p->jb);
        else least = SF_MIN(least, rows), most = SF_MAX(most, rows);
    }
    cr_assert(!most || (most - least <= 1 && 2 * most <= 3 * s->c.rows), "%d to %d rows, %d asked", least, most,
              s->c.rows);
    return shorter;
}

/* Between a tile and the one of the rows that follow it lie as many as run together, and hardly more than twice as
 * many: else what both read has left the cache. Returns how many pairs are apart as they would not be without bands. */
static int bands_check(const struct scene *s, const struct tile *tile, int count)
{
    const int across = (s->c.b.i1 - s->c.b.i0 + s->c.step - 1) / s->c.step,
              along = (s->c.b.k1 - s->c.b.k0 + s->c.levels - 1) / s->c.levels;
    int nearer = 0;
    for (int t = 0; t < count; t++)
        for (int u = t + 1; u < count; u++) {
            if (tile[u].i != tile[t].i || tile[u].k != tile[t].k || tile[u].ja != tile[t].jb) continue;
            if (tile[t].ja == s->c.b.j0) break; /* it may be of a layer, or have one before it */
            cr_assert(u - t >= SF_MIN(s->c.together, across * along), "%d tiles apart, %d run together", u - t,
                      s->c.together);
            cr_assert(u - t < 2 * (s->c.together + across), "%d tiles apart, %d run together", u - t, s->c.together);
            nearer += u - t < across * along;
            break;
        }
    return nearer;
}

Test(tiles, every_element_has_one_tile_and_that_is_of_the_right_kind)
{
    static struct scene s;
    static struct tile tile[4 * ROWS * LEVELS * COLUMNS];
    unsigned r = 1;
    int kinds[TILE_KINDS] = {0}, ends = 0, banded = 0, shorter = 0;
    for (int round = 0; round < 3000; round++) {
        scene_make(&s, &r);
        const int n = tiles_make(&s.c, &s.t, s.m.bricks, NULL);
        cr_assert(n > 0 && n <= (int)(sizeof tile / sizeof tile[0]));
        cr_assert_eq(tiles_make(&s.c, &s.t, s.m.bricks, tile), n);
        cover_check(&s, tile, n);
        shorter += ends_check(&s, tile, n);
        if (n < 2000) banded += bands_check(&s, tile, n);
        for (int t = 0; t < n; t++) {
            const struct tile *const p = &tile[t];
            cr_assert(kind_is_right(&s, p, box_of(&s.c, p)), "round %d: column %d, level %d, rows %d:%d is of kind %d",
                      round, p->i, p->k, p->ja, p->jb, p->kind);
            kinds[p->kind]++, ends += p->jb - p->ja > s.c.rows;
        }
        bricks_free(s.m.bricks);
    }
    for (int kind = 0; kind < TILE_KINDS; kind++)
        cr_assert(kinds[kind] > 500, "%d tiles of kind %d", kinds[kind], kind);
    cr_assert(ends > 100 && banded > 1000 && shorter > 100, "%d longer tiles, %d in bands, %d shorter", ends, banded,
              shorter);
}

/* ---- lists ---- */

static void list_check(const struct tile_list *l, const struct scene *s)
{
    const int n = tiles_make(&s->c, &s->t, s->m.bricks, NULL);
    struct tile *const want = calloc((size_t)n, sizeof *want);
    cr_assert_not_null(want);
    tiles_make(&s->c, &s->t, s->m.bricks, want);
    cr_assert(l->first[0] == 0 && l->first[TILE_KINDS] == n);
    for (int kind = 0, at = 0; kind < TILE_KINDS; kind++) {
        cr_assert_eq(l->first[kind], at);
        for (int t = 0; t < n; t++)
            if (want[t].kind == kind)
                cr_assert_eq(memcmp(&l->tile[at++], &want[t], sizeof want[t]), 0, "kind %d", kind);
        cr_assert_eq(l->first[kind + 1], at);
    }
    free(want);
}

/* As often as it is asked for; what differs in anything has another. */
Test(tiles, lists_are_made_once)
{
    static struct scene s;
    unsigned r = 7;
    for (int round = 0; round < 100; round++) {
        scene_make(&s, &r);
        struct tile_lists *const l = tile_lists_new();
        cr_assert_not_null(l);
        const struct scene was = s;
        int *const part[] = {&s.c.b.i0,    &s.c.b.i1,   &s.c.b.k0, &s.c.b.k1, &s.c.b.j0,     &s.c.b.j1,
                             &s.c.columns, &s.c.levels, &s.c.step, &s.c.rows, &s.c.together, &s.t.whole};
        enum { PARTS = sizeof part / sizeof part[0] };
        struct tile_list list[PARTS + 1];
        list[PARTS] = tile_list_of(l, &s.c, 1, &s.t, s.m.bricks);
        for (int p = 0; p < PARTS; p++) {
            const int value = *part[p];
            *part[p] = p == PARTS - 1        ? !value
                       : p < 6 && p % 2 == 0 ? value + (value + 1 < *part[p + 1])
                                             : value + (p >= 6);
            if (p < 6 && p % 2) *part[p] -= value - 1 > *part[p - 1];
            list[p] = tile_list_of(l, &s.c, 1, &s.t, s.m.bricks);
            list_check(&list[p], &s);
            cr_assert_eq(list[p].tile == list[PARTS].tile, *part[p] == value, "part %d", p);
            cr_assert_eq(tile_list_of(l, &s.c, 1, &s.t, s.m.bricks).tile, list[p].tile);
            *part[p] = value;
        }
        cr_assert_eq(memcmp(&was.c, &s.c, sizeof was.c), 0);
        list_check(&list[PARTS], &s);
        cr_assert_eq(tile_list_of(l, &s.c, 1, &s.t, s.m.bricks).tile, list[PARTS].tile);
        /* Of two boxes as many tiles of each kind as of both; and another list than of one. */
        const struct tiling both[2] = {s.c, s.c};
        const struct tile_list two = tile_list_of(l, both, 2, &s.t, s.m.bricks),
                               none = tile_list_of(l, both, 0, &s.t, s.m.bricks);
        cr_assert(two.tile != list[PARTS].tile && !none.tile && !none.first[TILE_KINDS]);
        for (int kind = 0; kind <= TILE_KINDS; kind++) cr_assert_eq(two.first[kind], 2 * list[PARTS].first[kind]);
        cr_assert_eq(tile_list_of(l, both, 2, &s.t, s.m.bricks).tile, two.tile);
        cr_assert(!tile_lists_lack(l));
        tile_lists_free(l);
        bricks_free(s.m.bricks);
    }
    tile_lists_free(NULL);
}
