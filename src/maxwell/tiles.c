/* Tiles of the sweep of E and H, and bricks of one medium. SPDX-License-Identifier: MIT */
#include "maxwell/tiles.h"

#include "maxwell/maxwell.h"
#include "pipeline/tables.h"

#include <stdlib.h>
#include <string.h>

/* ---- bricks ------------------------------------------------------------------------------------------------------ */

/* `rows` rows from this one on have `medium` and no other; 0: this one has several. */
struct brick {
    unsigned short medium, rows;
};

struct bricks {
    int across, along, j0, rows; /* bricks of a row: along x and z */
    struct brick *at; /* [rows][along][across] */
};

enum { LONGEST = 65535 };

static int bricks_of(int elements, int each) { return (elements + each - 1) / each; }

static unsigned number_at(const void *id, int wide, ptrdiff_t at)
{
    return wide == 1 ? ((const unsigned char *)id)[at] : ((const unsigned short *)id)[at];
}

/* Are n numbers from `at` on all the same as `first`? */
static int line_agrees(const void *id, int wide, ptrdiff_t at, int n, unsigned first)
{
    unsigned differs = 0;
    if (wide == 1)
        for (int i = 0; i < n; i++) differs |= ((const unsigned char *)id)[at + i] ^ first;
    else
        for (int i = 0; i < n; i++) differs |= ((const unsigned short *)id)[at + i] ^ first;
    return !differs;
}

/* The brick whose first element lies at `at`. */
static struct brick brick_of(const void *const id[3], int wide, ptrdiff_t at, ptrdiff_t sk, int columns, int levels)
{
    const unsigned first = number_at(id[0], wide, at);
    for (int k = 0; k < levels; k++)
        for (int c = 0; c < 3; c++)
            if (!line_agrees(id[c], wide, at + k * sk, columns, first)) return (struct brick){0, 0};
    return (struct brick){(unsigned short)first, 1};
}

static void bricks_fill(struct bricks *b, const void *const id[3], int wide, ptrdiff_t sj, ptrdiff_t sk, int ni, int nk)
{
    const ptrdiff_t row = (ptrdiff_t)b->across * b->along;
    for (int j = b->rows - 1; j >= 0; j--)
        for (int n = 0; n < b->along; n++)
            for (int m = 0; m < b->across; m++) {
                const int i = m * BRICK_COLUMNS, k = n * BRICK_LEVELS;
                struct brick *const x = &b->at[j * row + (ptrdiff_t)n * b->across + m], *const next = x + row;
                *x = brick_of(id, wide, j * sj + k * sk + i, sk, SF_MIN(BRICK_COLUMNS, ni - i),
                              SF_MIN(BRICK_LEVELS, nk - k));
                if (x->rows && j + 1 < b->rows && next->rows && next->medium == x->medium)
                    x->rows = (unsigned short)SF_MIN(LONGEST, next->rows + 1);
            }
}

struct bricks *bricks_make(const void *const id[3], int wide, ptrdiff_t sj, ptrdiff_t sk, int ni, int nk, int j0,
                           int rows)
{
    struct bricks *const b = malloc(sizeof *b);
    if (!b) return NULL;
    *b = (struct bricks){
        .across = bricks_of(ni, BRICK_COLUMNS), .along = bricks_of(nk, BRICK_LEVELS), .j0 = j0, .rows = rows};
    b->at = malloc((size_t)rows * (size_t)b->across * (size_t)b->along * sizeof *b->at);
    if (!b->at) {
        free(b);
        return NULL;
    }
    bricks_fill(b, id, wide, sj, sk, ni, nk);
    return b;
}

void bricks_free(struct bricks *b)
{
    if (b) free(b->at);
    free(b);
}

int bricks_agree(const struct bricks *b, struct box box, int *medium)
{
    if (!b || box.j0 < b->j0 || box.j1 > b->j0 + b->rows) return 0;
    const struct brick *const row = b->at + (ptrdiff_t)(box.j0 - b->j0) * b->across * b->along;
    *medium = row[box.k0 / BRICK_LEVELS * b->across + box.i0 / BRICK_COLUMNS].medium;
    for (int n = box.k0 / BRICK_LEVELS; n < bricks_of(box.k1, BRICK_LEVELS); n++)
        for (int m = box.i0 / BRICK_COLUMNS; m < bricks_of(box.i1, BRICK_COLUMNS); m++) {
            const struct brick *const x = &row[n * b->across + m];
            if (x->rows < SF_MIN(box.j1 - box.j0, LONGEST) || x->medium != *medium) return 0;
        }
    return box.j1 - box.j0 <= LONGEST;
}

/* ---- kinds of tiles ---------------------------------------------------------------------------------------------- */

static int meet(int a0, int a1, int b0, int b1) { return a0 < b1 && b0 < a1; }

/* Do elements low <= m < high of an axis lie in a layer? */
static int layers_meet(const struct terrain *t, int axis, int low, int high)
{
    const int n = t->n[axis];
    return SF_MAX(low, 0) < t->low[axis] || SF_MIN(high, n) > n - t->high[axis];
}

/* b: the elements that a block computes H of; has_one: E has one medium. What lies beyond a low side that repeats may
 * have a source that lies elsewhere. */
static enum tile_kind kind_of(const struct terrain *t, struct box b, int has_one)
{
    const int repeats = t->repeats[AY] || (b.i0 < 0 && t->repeats[AX]) || (b.k0 < 0 && t->repeats[AZ]);
    if (t->media_of_h || b.i1 % t->pack) return TILE_ANY;
    for (int m = 0; m < t->nranges; m++) {
        const struct place_range *const p = &t->range[m];
        if (repeats || (meet(b.i0, b.i1, p->low[AX], p->high[AX]) && meet(b.k0, b.k1, p->low[AZ], p->high[AZ]) &&
                        meet(b.j0, b.j1, p->low[AY], p->high[AY])))
            return TILE_ANY;
    }
    const int across = layers_meet(t, AX, b.i0, b.i1) || ((b.i0 < 0 || b.i1 >= t->n[AX]) && !t->repeats[AX]);
    const int along = layers_meet(t, AY, b.j0, b.j1) || layers_meet(t, AZ, b.k0, b.k1) ||
                      ((b.k0 < 0 || b.k1 >= t->n[AZ]) && !t->repeats[AZ]) || (b.j0 <= 0 && t->repeats[AY] <= 1) ||
                      (b.j1 >= t->n[AY] && !t->repeats[AY]);
    if (!across && !along) return has_one ? TILE_PLAIN_ONE : TILE_PLAIN;
    if (!t->whole) return TILE_ANY;
    return !has_one ? TILE_LAYERS : across && along ? TILE_LAYERS_ONE : across ? TILE_ACROSS_ONE : TILE_ALONG_ONE;
}

/* Rows of layers along y, and the row behind the southern one, whose tile begins with H of the row before its own, are
 * tiles of their own. */
static void ends_of(const struct tiling *c, const struct terrain *t, int *south, int *north)
{
    const int low = t->low[AY], high = t->high[AY], n = t->n[AY];
    *south = low && c->b.j0 == 0 && c->b.j1 > low + 1 ? low + 1 : 0;
    *north = high && c->b.j1 == n && n - high > c->b.j0 + *south ? high : 0;
}

/* The tile of those elements, in a box that goes on up to i1 and k1. */
static struct tile tile_of(const struct terrain *t, const struct bricks *b, struct box own, int i1, int k1)
{
    struct box of_h = own;
    of_h.i0--, of_h.k0--, of_h.j0 -= own.j0 > 0 || t->repeats[AY] > 1;
    int medium = 0;
    const int has_one = !t->media_of_e || bricks_agree(b, own, &medium);
    return (struct tile){.i = own.i0,
                         .k = own.k0,
                         .ja = own.j0,
                         .jb = own.j1,
                         .i1 = i1,
                         .k1 = k1,
                         .kind = (int)kind_of(t, of_h, has_one),
                         .medium = medium};
}

/* Of a tile's columns and levels on rows [j0, j1) the first that the tiling has; returns 0 when it has none. */
static int rows_had(const struct tiling *c, struct box *own)
{
    const struct tile_mask *const m = c->mask;
    if (!m) return own->j0 < own->j1;
    const int across = bricks_of(m->b.i1 - m->b.i0, c->columns), along = bricks_of(m->b.k1 - m->b.k0, c->levels);
    const unsigned char *const has =
        m->has + (own->k0 - m->b.k0) / c->levels * across + (own->i0 - m->b.i0) / c->columns;
    int n = (own->j0 - m->b.j0) / m->rows;
    while (own->j0 < own->j1 && !has[(ptrdiff_t)n * along * across]) own->j0 = m->b.j0 + ++n * m->rows;
    int end = own->j0;
    while (end < own->j1 && has[(ptrdiff_t)n * along * across]) end = m->b.j0 + ++n * m->rows;
    own->j1 = SF_MIN(end, own->j1);
    return own->j0 < own->j1;
}

/* Where the block of an axis ends that has element m; blocks of `each` from `first` on, before `last`. */
static int block_end(int m, int first, int each, int last)
{
    return SF_MIN(first + ((m - first) / each + 1) * each, last);
}

/* Tiles of a part of the box, all of its rows. None has parts of two blocks of a mask's columns or levels. */
static int slice_make(const struct tiling *c, const struct terrain *t, const struct bricks *b, struct box x,
                      struct tile *to)
{
    const struct tile_mask *const m = c->mask;
    struct box own;
    int n = 0;
    for (own.k0 = x.k0; own.k0 < x.k1; own.k0 = own.k1) {
        own.k1 = block_end(own.k0, m ? m->b.k0 : own.k0, c->levels, x.k1);
        for (own.i0 = x.i0; own.i0 < x.i1; own.i0 = m ? own.i1 : own.i0 + c->step) {
            own.i1 = block_end(own.i0, m ? m->b.i0 : own.i0, c->columns, x.i1);
            for (own.j0 = x.j0, own.j1 = x.j1; rows_had(c, &own); own.j0 = own.j1, own.j1 = x.j1, n++)
                if (to) to[n] = tile_of(t, b, own, m ? own.i1 : x.i1, m ? own.k1 : x.k1);
        }
    }
    return n;
}

static struct box rows_of(struct box b, int ja, int jb)
{
    b.j0 = ja, b.j1 = jb;
    return b;
}

/* Band m of all: levels with as many tiles as run together, or more. Returns how many bands there are. */
static int band_of(const struct tiling *c, int m, struct box *band)
{
    const int along = bricks_of(c->b.k1 - c->b.k0, c->levels), across = bricks_of(c->b.i1 - c->b.i0, c->step);
    const int n = SF_MAX(1, along / bricks_of(SF_MAX(1, c->together), across));
    *band = c->b;
    band->k0 = c->b.k0 + along * m / n * c->levels,
    band->k1 = SF_MIN(c->b.k0 + along * (m + 1) / n * c->levels, c->b.k1);
    return n;
}

/* The last tiles of all are shorter, so that those that run together end together: of so many rows half, a quarter and
 * a quarter. */
static int ends_make(const struct tiling *c, const struct terrain *t, const struct bricks *b, struct box x,
                     struct tile *to)
{
    enum { LEAST = 4 };
    int n = 0;
    for (int left = x.j1 - x.j0; left >= 2 * LEAST; left = x.j1 - x.j0) {
        n += slice_make(c, t, b, rows_of(x, x.j0, x.j0 + (left + 1) / 2), to ? to + n : NULL);
        x.j0 += (left + 1) / 2;
    }
    return n + slice_make(c, t, b, x, to ? to + n : NULL);
}

int tiles_make(const struct tiling *c, const struct terrain *t, const struct bricks *b, struct tile *to)
{
    struct box band;
    int south, north, n = 0;
    ends_of(c, t, &south, &north);
    const int begin = c->b.j0 + south, end = c->b.j1 - north, parts = SF_MAX(1, (end - begin + c->rows / 2) / c->rows);
    if (south) n += slice_make(c, t, b, rows_of(c->b, c->b.j0, begin), to ? to + n : NULL);
    if (north) n += slice_make(c, t, b, rows_of(c->b, end, c->b.j1), to ? to + n : NULL);
    for (int m = 0, bands = band_of(c, 0, &band); begin < end && m < bands; m++)
        for (int p = 0; p < parts; p++) {
            band_of(c, m, &band);
            const struct box x =
                rows_of(band, begin + (end - begin) * p / parts, begin + (end - begin) * (p + 1) / parts);
            const int ends = m + 1 == bands && p + 1 == parts && bands * parts > 1;
            n += (ends ? ends_make : slice_make)(c, t, b, x, to ? to + n : NULL);
        }
    return n;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

struct made {
    struct tiling *of; /* [n] */
    int n, whole;
    struct tile_list list;
    struct sent sent; /* its tiles */
    struct made *next;
};

/* In a ring: boxes come by turns, in every pass the same, so behind the list that was found last is the next. */
struct tile_lists {
    struct made *found; /* NULL: there is none */
    int lacks;
};

struct tile_lists *tile_lists_new(void) { return calloc(1, sizeof(struct tile_lists)); }

static void made_free(struct made *m)
{
    table_unsend(m->sent);
    free(m->of);
    free(m);
}

void tile_lists_free(struct tile_lists *l)
{
    struct made *m = l && l->found ? l->found->next : NULL;
    if (m) l->found->next = NULL;
    while (m) {
        struct made *const next = m->next;
        made_free(m);
        m = next;
    }
    free(l);
}

int tile_lists_lack(const struct tile_lists *l) { return l->lacks; }
void tile_lists_fail(struct tile_lists *l) { l->lacks = 1; }

static int is_same(const struct tiling *a, const struct tiling *b)
{
    const struct box x = a->b, y = b->b;
    return x.i0 == y.i0 && x.i1 == y.i1 && x.k0 == y.k0 && x.k1 == y.k1 && x.j0 == y.j0 && x.j1 == y.j1 &&
           a->columns == b->columns && a->levels == b->levels && a->step == b->step && a->rows == b->rows &&
           a->together == b->together && a->mask == b->mask;
}

/* By kind; within each neighbours follow each other. */
static void list_order(struct tile_list *l, const struct tile *from, int n, struct tile *to)
{
    int at = 0;
    for (int kind = 0; kind < TILE_KINDS; kind++) {
        l->first[kind] = at;
        for (int m = 0; m < n; m++)
            if (from[m].kind == kind) to[at++] = from[m];
    }
    l->first[TILE_KINDS] = at;
}

static struct made *list_make(const struct tiling *c, int boxes, const struct terrain *t, const struct bricks *b)
{
    struct made *const m = calloc(1, sizeof *m);
    struct tiling *const of = malloc((size_t)boxes * sizeof *of);
    int n = 0, at = 0;
    for (int x = 0; x < boxes; x++) n += tiles_make(&c[x], t, b, NULL);
    struct tile *const from = malloc(2 * (size_t)n * sizeof *from + 1);
    if (m && of && from) {
        memcpy(of, c, (size_t)boxes * sizeof *of);
        *m = (struct made){.of = of, .n = boxes, .whole = t->whole};
        for (int x = 0; x < boxes; x++) at += tiles_make(&c[x], t, b, from + at);
        list_order(&m->list, from, n, from + n);
        if (n) m->sent = table_send(from + n, (size_t)n * sizeof *from);
        m->list.tile = m->sent.at;
    }
    free(from);
    if (m && m->of && (m->list.tile || !n)) return m;
    free(of);
    free(m);
    return NULL;
}

static int is_of(const struct made *m, const struct tiling *c, int n, const struct terrain *t)
{
    if (m->n != n || m->whole != t->whole) return 0;
    for (int x = 0; x < n; x++)
        if (!is_same(&m->of[x], &c[x])) return 0;
    return 1;
}

struct tile_list tile_list_of(struct tile_lists *l, const struct tiling *c, int n, const struct terrain *t,
                              const struct bricks *b)
{
    struct made *const last = l->found, *m = last ? last->next : NULL;
    if (!n) return (struct tile_list){0};
    while (m && m != last && !is_of(m, c, n, t)) m = m->next;
    if (!m || !is_of(m, c, n, t)) {
        m = list_make(c, n, t, b);
        l->lacks |= !m;
        if (!m) return (struct tile_list){0};
        m->next = last ? last->next : m;
        if (last) last->next = m;
    }
    l->found = m;
    return m->list;
}
