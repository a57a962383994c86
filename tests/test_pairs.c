/* Core and rim of a domain that takes two steps together: every element lies in one of them, once; the core keeps off
 * what is special, and the first step is there wherever the second, or what records it, reads it.
 * SPDX-License-Identifier: MIT */
#include "maxwell/dispersion.h"
#include "maxwell/pairs.h"
#include "support_plan.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static unsigned state;
static int between(int a, int b)
{
    state = state * 1664525u + 1013904223u;
    return a + (int)((state >> 8) % (unsigned)(b - a + 1));
}

enum { PLACES = 4, NI = 300, NK = 48, NJ = 70 };

struct domain {
    struct maxwell x;
    struct place_range place[2 * PLACES];
    struct pairs_places places;
    struct pairs *pairs;
};

static struct place_range place_in(const int n[3])
{
    struct place_range r;
    for (int a = 0; a < 3; a++) {
        r.low[a] = between(0, n[a] - 1);
        r.high[a] = SF_MIN(r.low[a] + between(1, 12), n[a]);
    }
    return r;
}

static void domain_make(struct domain *d, unsigned seed)
{
    *d = (struct domain){0};
    state = seed * 7919u + 1;
    const int n[3] = {between(8, NI), between(3, NJ), between(3, NK)};
    for (int a = 0; a < 3; a++) {
        struct axis_lines *const l = &d->x.axis[a];
        d->x.periodic[a] = !between(0, 3);
        l->n = n[a];
        if (d->x.periodic[a] || !between(0, 2)) continue;
        const int whole = a == AX ? 8 : 1; /* as many as are stored */
        l->wide_low = SF_MIN(between(0, 2) * whole, n[a] / 2), l->wide_high = SF_MIN(between(0, 2) * whole, n[a] / 2);
    }
    for (int m = 0; m < 2 * PLACES; m++) d->place[m] = place_in(n);
    d->places = (struct pairs_places){.driven = d->place,
                                      .seen = d->place + PLACES,
                                      .ndriven = between(0, PLACES),
                                      .nseen = between(0, PLACES),
                                      .every = between(1, 3)};
    d->places.nprobes = between(0, d->places.nseen);
    cr_assert_eq(pairs_make(&d->pairs, &d->x, &d->places), 0);
}

/* How many of the boxes have each element of rows [j0, j0 + rows). */
static unsigned char count[NJ + 8][NK][NI];

static void boxes_count(const struct domain *d, const struct box *b, int n, int j0)
{
    memset(count, 0, sizeof count);
    for (int m = 0; m < n; m++) {
        cr_assert(b[m].i0 >= 0 && b[m].i1 <= d->x.axis[AX].n && b[m].k0 >= 0 && b[m].k1 <= d->x.axis[AZ].n);
        for (int j = b[m].j0; j < b[m].j1; j++)
            for (int k = b[m].k0; k < b[m].k1; k++)
                for (int i = b[m].i0; i < b[m].i1; i++) count[j - j0][k][i]++;
    }
}

/* Of the tiles of the core, each within a block's columns and levels. */
static void core_count(const struct domain *d, struct box b)
{
    const struct terrain t = {.n = {d->x.axis[AX].n, d->x.axis[AY].n, d->x.axis[AZ].n}, .pack = 1};
    const struct tiling c = {pairs_core(d->pairs, b), PAIR_COLUMNS,   PAIR_LEVELS,    PAIR_COLUMNS,
                             between(1, 40),          between(1, 20), &d->pairs->core};
    const int n = c.b.j0 < c.b.j1 && c.b.i0 < c.b.i1 && c.b.k0 < c.b.k1 ? tiles_make(&c, &t, NULL, NULL) : 0;
    struct tile *const tile = malloc((size_t)n * sizeof *tile + 1);
    struct box *const to = malloc((size_t)n * sizeof *to + 1);
    if (n) cr_assert_eq(tiles_make(&c, &t, NULL, tile), n);
    for (int m = 0; m < n; m++) {
        to[m] = (struct box){tile[m].i, tile[m].i1, tile[m].k, tile[m].k1, tile[m].ja, tile[m].jb};
        cr_assert(to[m].i1 - to[m].i0 <= PAIR_COLUMNS && to[m].k1 - to[m].k0 <= PAIR_LEVELS && to[m].j0 < to[m].j1);
        cr_assert(to[m].k0 >= b.k0 && to[m].k1 <= b.k1 && to[m].j0 >= b.j0 && to[m].j1 <= b.j1);
    }
    boxes_count(d, to, n, b.j0);
    free(tile);
    free(to);
}

static unsigned char part[3][NJ + 8][NK][NI]; /* of core, rim, the first step */

static void parts_make(const struct domain *d, struct box b, long step)
{
    struct box *const to = malloc((size_t)pairs_most(d->pairs) * sizeof *to);
    core_count(d, b);
    memcpy(part[0], count, sizeof count);
    for (int p = 1; p < 3; p++) {
        const int n = p == 1 ? pairs_rim(d->pairs, b, to) : pairs_first(d->pairs, step, b, to);
        cr_assert(n <= pairs_most(d->pairs));
        boxes_count(d, to, n, b.j0);
        memcpy(part[p], count, sizeof count);
    }
    free(to);
}

static int meets(const struct place_range *r, int i, int k, int j, int reach, int rows)
{
    for (int image = -1; image <= 1; image++) {
        const int at = j + image * rows;
        if ((rows || !image) && i >= r->low[AX] - reach && i < r->high[AX] + reach && k >= r->low[AZ] - reach &&
            k < r->high[AZ] + reach && at >= r->low[AY] - reach && at < r->high[AY] + reach)
            return 1;
    }
    return 0;
}

static void core_check(const struct domain *d, int i, int k, int j)
{
    const int at[3] = {i, j, k};
    for (int a = 0; a < 3; a++) {
        const struct axis_lines *const l = &d->x.axis[a];
        if (a == AY && d->x.periodic[AY]) continue;
        cr_assert(at[a] >= l->wide_low + PAIR_REACH && at[a] < l->n - l->wide_high - 1, "axis %d, element %d of %d", a,
                  at[a], l->n);
    }
    for (int m = 0; m < d->places.ndriven; m++)
        cr_assert(!meets(&d->places.driven[m], i, k, j, PAIR_REACH, d->x.periodic[AY] ? d->x.axis[AY].n : 0));
}

/* All that is read of the first step for element (i, k, j), one further and half a pack of columns, lies in it. */
static void first_check(const struct domain *d, struct box b, int i, int k, int j)
{
    for (int dj = -1; dj <= 1; dj++)
        for (int dk = -1; dk <= 1; dk++)
            for (int di = -1; di <= 1; di++) {
                const int x = i + di, z = k + dk, y = j + dj;
                if (x < 0 || x >= d->x.axis[AX].n || z < b.k0 || z >= b.k1 || y < b.j0 || y >= b.j1) continue;
                cr_assert(part[2][y - b.j0][z][x], "(%d, %d, %d) of (%d, %d, %d)", x, y, z, i, j, k);
            }
}

Test(pairs, core_and_rim_are_all_and_apart)
{
    double core = 0;
    for (unsigned seed = 0; seed < 60; seed++) {
        struct domain d;
        domain_make(&d, seed);
        const int ni = d.x.axis[AX].n, nk = d.x.axis[AZ].n, nj = d.x.axis[AY].n, beyond = d.x.periodic[AY] ? 3 : 0;
        const long step = between(0, 5);
        struct box b = {.i1 = ni, .k1 = nk, .j0 = -beyond, .j1 = nj + beyond};
        if (between(0, 1)) b.j0 = between(0, nj - 1), b.j1 = between(b.j0 + 1, nj); /* a slab */
        if (!between(0, 3)) b.k0 = between(0, nk - 1), b.k1 = between(b.k0 + 1, nk); /* a window of levels */
        parts_make(&d, b, step);
        for (int j = b.j0; j < b.j1; j++)
            for (int k = b.k0; k < b.k1; k++)
                for (int i = 0; i < ni; i++) {
                    const int is_core = part[0][j - b.j0][k][i], is_rim = part[1][j - b.j0][k][i];
                    cr_assert_eq(is_core + is_rim, 1, "seed %u: (%d, %d, %d) lies in %d and %d", seed, i, j, k, is_core,
                                 is_rim);
                    core += is_core;
                    if (is_core) core_check(&d, i, k, j);
                    else first_check(&d, b, i, k, j);
                    for (int m = 0; m < (step % d.places.every ? d.places.nprobes : d.places.nseen); m++)
                        if (meets(&d.places.seen[m], i, k, j, 0, 0))
                            cr_assert(part[2][j - b.j0][k][i], "seed %u: what is read", seed);
                }
        pairs_free(d.pairs);
    }
    cr_assert(core > 0);
}

/* Beside blocks that are not of the core tiles go on as if they were: no more of them than of a core without holes, but
 * those that run together last, which are cut in four. */
static void tiles_are_long(const struct domain *d, int slices)
{
    const struct terrain t = {.n = {d->x.axis[AX].n, d->x.axis[AY].n, d->x.axis[AZ].n}, .pack = 1};
    const struct tiling c = {d->pairs->core.b, PAIR_COLUMNS, PAIR_LEVELS,    PAIR_COLUMNS,
                             PAIR_ROWS,        132,          &d->pairs->core};
    const int n = tiles_make(&c, &t, NULL, NULL), parts = (896 + PAIR_ROWS / 2) / PAIR_ROWS;
    cr_assert(n >= slices * parts - 4 && n <= slices * parts + 3 * 264, "%d tiles of %d columns and levels", n, slices);
}

Test(pairs, boxes_are_few)
{
    struct domain d = {0};
    const int n[3] = {1000, 900, 800};
    for (int a = 0; a < 3; a++) d.x.axis[a].n = n[a];
    d.place[0] = (struct place_range){{500, 450, 400}, {501, 451, 401}};
    d.places = (struct pairs_places){.driven = d.place, .ndriven = 1, .every = 1};
    cr_assert_eq(pairs_make(&d.pairs, &d.x, &d.places), 0);
    cr_assert_eq(d.pairs->nholes, 1);
    const double sector = 32.0 / sizeof(real); /* columns before the core and behind it */
    const int slices = (int)(ceil((1000 - 2 * sector) / PAIR_COLUMNS) * ceil(796.0 / PAIR_LEVELS)),
              rows = 896 / PAIR_BLOCK_ROWS;
    cr_assert_eq(d.pairs->ncore, slices * rows - 4, "%d blocks: the source lies where four meet", d.pairs->ncore);
    tiles_are_long(&d, slices);
    cr_assert_float_eq(pairs_can(&d.x), (1000 - 2 * sector) / 1000 * 896 / 900 * 796 / 800, 1e-12);
    pairs_free(d.pairs);
    pairs_free(NULL);
}

/* Two planes that are read: one of x within the rim, one of y across the core, of which what the rim has is left out.
 * Levels are one deep for the fringe, columns a pack. */
Test(pairs, what_the_rim_has_is_not_made_again)
{
    struct domain d = {0};
    const int n[3] = {1000, 900, 800}, sector = 32 / (int)sizeof(real);
    for (int a = 0; a < 3; a++) d.x.axis[a].n = n[a];
    d.place[0] = (struct place_range){{sector + 1, 0, 0}, {sector + 2, 900, 800}};
    d.place[1] = (struct place_range){{0, 450, 0}, {1000, 451, 800}};
    d.places = (struct pairs_places){.seen = d.place, .nseen = 2, .nprobes = 1, .every = 3};
    cr_assert_eq(pairs_make(&d.pairs, &d.x, &d.places), 0);
    struct box to[16], all = {.i1 = 1000, .k1 = 800, .j1 = 900};
    cr_assert(pairs_most(d.pairs) <= 16 && d.pairs->nholes == 0);
    const int rim = pairs_first(d.pairs, 1, all, to), both = pairs_first(d.pairs, 3, all, to);
    cr_assert_eq(rim, 6, "%d boxes of the rim alone", rim);
    cr_assert_eq(both, 7, "%d boxes with what is read", both);
    const struct box b = to[6];
    cr_assert(b.i0 == sector + BOTH_PACK && b.i1 == 1000 - sector - BOTH_PACK, "columns %d to %d", b.i0, b.i1);
    cr_assert(b.k0 == PAIR_REACH + 1 && b.k1 == 800 - PAIR_REACH - 1 && b.j0 == 449 && b.j1 == 451);
    pairs_free(d.pairs);
}

/* Boxes of 100 x 40 x 20 and of 50 x 900 x 8 edges, one along an axis that repeats, of 1000 x 900 x 800 cells. */
Test(pairs, what_disperses_is_left_out)
{
    static const struct dispersion of[] = {
        {.box = {.i0 = 100, .i1 = 200, .k0 = 50, .k1 = 70, .j0 = 0, .j1 = 900}, .j0 = 30, .j1 = 70},
        {.box = {.i0 = 0, .i1 = 50, .k0 = 0, .k1 = 8, .j0 = 0, .j1 = 900}, .j0 = INT_MIN, .j1 = INT_MAX}};
    struct maxwell x = {.ni = 1000, .nj = 900, .nk = 800, .dispersion = of, .ndispersions = 2};
    const int n[3] = {1000, 900, 800};
    for (int a = 0; a < 3; a++) x.axis[a].n = n[a];
    const struct place_range r = dispersion_range(&of[0], &x), all = dispersion_range(&of[1], &x);
    cr_assert(r.low[AX] == 100 && r.high[AX] == 200 && r.low[AY] == 30 && r.high[AY] == 70 && r.low[AZ] == 50 &&
              r.high[AZ] == 70);
    cr_assert(all.low[AY] == 0 && all.high[AY] == 900);
    const double part = (100.0 * 40 * 20 + 50.0 * 900 * 8) / (1000.0 * 900 * 800), sector = 32.0 / sizeof(real);
    cr_assert_float_eq(dispersions_part(&x), part, 1e-15);
    cr_assert_float_eq(pairs_can(&x), (1 - part) * (1000 - 2 * sector) / 1000 * 896 / 900 * 796 / 800, 1e-12);
    x.ni = 10, x.nj = 10, x.nk = 10;
    cr_assert_float_eq(dispersions_part(&x), 1, 0, "more than all is all");
}

/* ---- ghosts ------------------------------------------------------------------------------------------------------ */

static int stage_named(const char *name)
{
    for (int n = 0; n < maxwell_model.nstages; n++)
        if (!strcmp(maxwell_model.stage[n].name, name)) return n;
    cr_assert(0, "no stage %s", name);
    return -1;
}

static const struct field field_table[] = {
#define LATE(id, its_name, meaning, its_unit, standard, where, what, its_shape, its_banks, when)                       \
    {.name = its_name, .stagger = where, .role = what, .shape = its_shape, .banks = its_banks},
#define FIELD(...) LATE(__VA_ARGS__, 0)
#define MEDIA(id, its_name, ...) {.name = its_name, .role = ROLE_STATIC, .shape = SHAPE_BOX, .banks = 1},
#define MEMORY {.name = "memory of a layer", .shape = SHAPE_BOX, .banks = 2},
#define SHELL(...) MEMORY MEMORY MEMORY MEMORY
#include "maxwell/fields.def"
};

/* Fields of two steps together, between sides that conduct, with sums of one monitor, or memories of one medium. */
static void fields_fill(struct field field[F_SUMS + 1])
{
    static const unsigned across[3] = {STAG_X, STAG_Y, STAG_Z};
    memcpy(field, field_table, sizeof field_table);
    field[F_SUMS] = (struct field){
        .name = "sums", .role = ROLE_PROGNOSTIC, .shape = SHAPE_BOX, .banks = 1, .box = {40, 60, 40, 60, 40, 60, 2}};
    for (int c = 0; c < 6; c++)
        for (int face = 0; face < FACES; face++)
            field[F_EX + c].ghost[face] = field[F_MID_EX + c].ghost[face] =
                field[F_EX + c].stagger & across[face / 2] ? GHOST_ODD : GHOST_EVEN;
    for (int c = 0; c < 6; c++) field[F_EX + c].banks = 2;
}

/* Every fill of ghosts is kernels of a device. Sweeps see to sides; monitors read within the domain; memories of poles
 * stay zero where E is. So nothing is left to fill, at 0.4 ms a step of 768^3. */
Test(pairs, nothing_is_filled_behind_them)
{
    static const char *const name[] = {"he_pair", "disperse_rim", "monitor_rim", "probe_rim",
                                       "he_rim",  "disperse",     "monitor",     "probe"};
    enum { OPS = sizeof name / sizeof *name };
    static struct field field[F_SUMS + 1];
    struct op op[OPS];
    fields_fill(field);
    for (int n = 0; n < OPS; n++)
        op[n] = (struct op){.stage = stage_named(name[n]), .dt_factor = 1, .every = 1, .step = n >= OPS / 2};
    const struct plan_program program = {.op = op, .nops = OPS, .pair = op, .npair = OPS};
    struct plan p;
    cr_assert_eq(plan_make(&p, field, F_SUMS + 1, maxwell_model.stage, maxwell_model.nstages, &program, 4, &on_device),
                 0);
    cr_assert_eq(p.nops, 2 * OPS);
    for (int n = 0; n < p.nops; n++)
        cr_assert_eq(p.op[n].nfill, 0, "behind %s ghosts of %s", p.op[n].stage->name,
                     p.op[n].nfill ? field[p.op[n].fill[0].field].name : "");
    plan_free(&p);
}
