/* Core and rim of a domain that takes two steps together. SPDX-License-Identifier: MIT */
#include "maxwell/pairs.h"

#include "maxwell/dispersion.h"
#include "maxwell/tiles.h"
#include "pipeline/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static const int block_size[3] = {PAIR_COLUMNS, PAIR_BLOCK_ROWS, PAIR_LEVELS}; /* x, y, z */

/* The core keeps off sides and layers; along x it begins with a sector of memory. Rows that repeat have no side. */
static void limits_find(const struct maxwell *x, int low[3], int high[3])
{
    enum { SECTOR = 32 / (int)sizeof(real) };
    for (int a = 0; a < 3; a++) {
        const struct axis_lines *const l = &x->axis[a];
        const int whole = a == AX ? SECTOR : 1;
        low[a] = (l->wide_low + PAIR_REACH + whole - 1) / whole * whole;
        high[a] = (l->n - l->wide_high - PAIR_REACH) / whole * whole;
        if (a == AY && x->periodic[AY]) low[a] = 0, high[a] = l->n;
    }
}

double pairs_can(const struct maxwell *x)
{
    int low[3], high[3];
    double share = 1 - dispersions_part(x);
    limits_find(x, low, high);
    for (int a = 0; a < 3; a++) share *= (double)SF_MAX(high[a] - low[a], 0) / x->axis[a].n;
    return share;
}

static int blocks_of(const struct pairs *p, int a)
{
    return SF_MAX(p->high[a] - p->low[a] + block_size[a] - 1, 0) / block_size[a];
}

/* Elements [at[0], at[1]) of an axis that block m has. */
static void block_span(const struct pairs *p, int a, int m, int *first, int *last)
{
    *first = p->low[a] + m * block_size[a];
    *last = SF_MIN(*first + block_size[a], p->high[a]);
}

static struct box block_box(const struct pairs *p, int mi, int mk, int mj)
{
    struct box b;
    block_span(p, AX, mi, &b.i0, &b.i1), block_span(p, AY, mj, &b.j0, &b.j1), block_span(p, AZ, mk, &b.k0, &b.k1);
    return b;
}

static struct box box_grown(struct box b, int i, int k, int j)
{
    return (struct box){b.i0 - i, b.i1 + i, b.k0 - k, b.k1 + k, b.j0 - j, b.j1 + j};
}

static int is_near(const struct pairs *p, const struct box *b, const struct place_range *r)
{
    return r->low[AX] < b->i1 && b->i0 < r->high[AX] && r->low[AZ] < b->k1 && b->k0 < r->high[AZ] &&
           place_rows_meet(r->low[AY], r->high[AY], p->periodic_j ? p->n[AY] : 0, b->j0, b->j1);
}

/* Which blocks are the core's, into p->core.has. */
static void blocks_mark(struct pairs *p, const struct maxwell *x, const struct place_range *place, int nplaces)
{
    unsigned char *is_core = p->core.has;
    for (int mj = 0; mj < blocks_of(p, AY); mj++)
        for (int mk = 0; mk < blocks_of(p, AZ); mk++)
            for (int mi = 0; mi < blocks_of(p, AX); mi++) {
                const struct box b = block_box(p, mi, mk, mj), near = box_grown(b, PAIR_GUARD, PAIR_GUARD, PAIR_GUARD);
                struct box media = near;
                int medium, is = 1;
                if (!p->periodic_j) media.j0 = SF_MAX(media.j0, 0), media.j1 = SF_MIN(media.j1, p->n[AY]);
                media.i0 = SF_MAX(media.i0, 0), media.i1 = SF_MIN(media.i1, p->n[AX]);
                media.k0 = SF_MAX(media.k0, 0), media.k1 = SF_MIN(media.k1, p->n[AZ]);
                if (x->e_wide) is = bricks_agree(x->bricks, media, &medium);
                for (int n = 0; n < nplaces && is; n++) is = !is_near(p, &near, &place[n]);
                p->ncore += is;
                *is_core++ = (unsigned char)is;
            }
}

/* ---- boxes of blocks --------------------------------------------------------------------------------------------- */

struct boxes {
    struct box *at;
    int n, room, lacks;
};

static void boxes_add(struct boxes *l, struct box b)
{
    if (l->n == l->room) {
        const int room = 2 * l->room + 16;
        struct box *const at = realloc(l->at, (size_t)room * sizeof *at);
        if (!at) {
            l->lacks = 1;
            return;
        }
        l->at = at, l->room = room;
    }
    l->at[l->n++] = b;
}

/* A box that ended where this one begins grows instead: along z, along y. */
static int is_above(const struct box *a, const struct box *b)
{
    return a->k1 == b->k0 && a->i0 == b->i0 && a->i1 == b->i1 && a->j0 == b->j0 && a->j1 == b->j1;
}
static int is_behind(const struct box *a, const struct box *b)
{
    return a->j1 == b->j0 && a->i0 == b->i0 && a->i1 == b->i1 && a->k0 == b->k0 && a->k1 == b->k1;
}

/* Boxes of one row of blocks, from `from` on: each may go on one that ended there. */
static void rows_join(struct boxes *l, int from)
{
    int to = from;
    for (int n = from; n < l->n; n++) {
        const struct box b = l->at[n];
        int m = 0;
        while (m < from && !is_behind(&l->at[m], &b)) m++;
        if (m < from) l->at[m].j1 = b.j1;
        else l->at[to++] = b;
    }
    l->n = to;
}

/* Of all blocks that are not the core's: runs along x, of which those above each other join, and then those behind each
 * other. */
static struct boxes holes_of(const struct pairs *p)
{
    struct boxes l = {0};
    const int across = blocks_of(p, AX), along = blocks_of(p, AZ);
    for (int mj = 0; mj < blocks_of(p, AY); mj++) {
        const int from = l.n;
        for (int mk = 0; mk < along; mk++)
            for (int mi = 0, end; mi < across; mi = end) {
                const unsigned char *const line = p->core.has + ((ptrdiff_t)mj * along + mk) * across;
                for (end = mi + 1; end < across && line[end] == line[mi];) end++;
                if (line[mi]) continue;
                struct box b = block_box(p, mi, mk, mj);
                b.i1 = block_box(p, end - 1, mk, mj).i1;
                int m = from;
                while (m < l.n && !is_above(&l.at[m], &b)) m++;
                if (m < l.n) l.at[m].k1 = b.k1;
                else boxes_add(&l, b);
            }
        rows_join(&l, from);
    }
    return l;
}

/* In whole packs of columns, with what H lies half a cell below. */
static struct box seen_box(const struct pairs *p, const struct place_range *r)
{
    const int i0 = SF_MAX(r->low[AX] - 1, 0) / BOTH_PACK * BOTH_PACK,
              i1 = (r->high[AX] + BOTH_PACK - 1) / BOTH_PACK * BOTH_PACK;
    return (struct box){
        i0,         SF_MIN(i1, p->n[AX]), SF_MAX(r->low[AZ] - 1, 0), SF_MIN(r->high[AZ], p->n[AZ]), r->low[AY] - 1,
        r->high[AY]};
}

int pairs_make(struct pairs **out, const struct maxwell *x, const struct pairs_places *places)
{
    struct pairs *const p = *out = calloc(1, sizeof *p);
    SF_CHECK(p, SF_MEMORY, "no memory for the core of the domain");
    p->periodic_j = x->periodic[AY];
    for (int a = 0; a < 3; a++) p->n[a] = x->axis[a].n;
    limits_find(x, p->low, p->high);
    p->core = (struct tile_mask){.b = {p->low[AX], p->high[AX], p->low[AZ], p->high[AZ], p->low[AY], p->high[AY]},
                                 .rows = PAIR_BLOCK_ROWS};
    p->core.has = malloc((size_t)blocks_of(p, AX) * (size_t)blocks_of(p, AY) * (size_t)blocks_of(p, AZ) + 1);
    SF_CHECK(p->core.has, SF_MEMORY, "no memory for the core of the domain");
    blocks_mark(p, x, places->driven, places->ndriven);
    const struct boxes hole = holes_of(p);
    p->hole = hole.at, p->nholes = hole.n;
    SF_CHECK(!hole.lacks, SF_MEMORY, "no memory for the core of the domain");
    p->seen = malloc(((size_t)places->nseen + 1) * sizeof *p->seen);
    SF_CHECK(p->seen, SF_MEMORY, "no memory for what is read between two steps");
    p->nseen = places->nseen, p->nprobes = places->nprobes, p->every = SF_MAX(places->every, 1);
    for (int n = 0; n < p->nseen; n++) p->seen[n] = seen_box(p, &places->seen[n]);
    return SF_OK;
}

void pairs_free(struct pairs *p)
{
    if (!p) return;
    free(p->core.has);
    free(p->hole);
    free(p->seen);
    free(p);
}

/* ---- what of them lies in some rows ------------------------------------------------------------------------------ */

enum { SHELLS = 6 };

int pairs_most(const struct pairs *p) { return SHELLS + p->nholes + p->nseen; }

struct box pairs_core(const struct pairs *p, struct box b)
{
    return p->ncore ? box_common(p->core.b, b) : (struct box){0};
}

/* Adds what `a` has within b, if anything. */
static int part_add(struct box *to, int n, struct box a, const struct box *b)
{
    a = box_common(a, *b);
    if (box_is_empty(a)) return n;
    to[n] = a;
    return n + 1;
}

/* What lies around the blocks is the rim; its fringe, in whole packs of columns, reaches into them. Returns what it
 * leaves: empty where all is rim. */
static struct box rim_leaves(const struct pairs *p, int with_fringe)
{
    const int k = with_fringe, i = with_fringe * BOTH_PACK;
    const struct box b = {p->low[AX] + i,  p->high[AX] - i, p->low[AZ] + k,
                          p->high[AZ] - k, p->low[AY] + k,  p->high[AY] - k};
    return p->ncore && !box_is_empty(b) ? b : (struct box){0};
}

static int rim_parts(const struct pairs *p, int with_fringe, struct box b, struct box *to)
{
    const int k = with_fringe, i = with_fringe * BOTH_PACK, most = INT_MAX / 2;
    const struct box in = rim_leaves(p, with_fringe);
    if (box_is_empty(in)) return part_add(to, 0, b, &b);
    const struct box shell[SHELLS] = {
        {-most, in.i0, -most, most, -most, most},   {in.i1, most, -most, most, -most, most}, /* west and east, */
        {in.i0, in.i1, -most, most, -most, in.j0},  {in.i0, in.i1, -most, most, in.j1, most}, /* south and north, */
        {in.i0, in.i1, -most, in.k0, in.j0, in.j1}, {in.i0, in.i1, in.k1, most, in.j0, in.j1} /* below and above */
    };
    int n = 0;
    for (int m = 0; m < SHELLS; m++) n = part_add(to, n, shell[m], &b);
    for (int m = 0; m < p->nholes; m++) n = part_add(to, n, box_grown(p->hole[m], i, k, k), &b);
    return n;
}

int pairs_rim(const struct pairs *p, struct box b, struct box *to) { return rim_parts(p, 0, b, to); }

/* What is read of the first step is made where the rim does not have it already. */
int pairs_first(const struct pairs *p, long step, struct box b, struct box *to)
{
    const int seen = step % p->every ? p->nprobes : p->nseen;
    const struct box in = box_common(rim_leaves(p, 1), b);
    int n = rim_parts(p, 1, b, to);
    for (int m = 0; m < seen; m++) n = part_add(to, n, p->seen[m], &in);
    return n;
}
