/* What is launched for H and E of a step in one sweep on a GPU (yee_both.cuh): which tiles, of how many rows, in which
 * order. And for two steps together: their core in one kernel, the rim around it in both steps one after the other.
 * SPDX-License-Identifier: MIT */
#include "maxwell/yee_both.cuh"

#include <limits.h>
#include <stdlib.h>

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

/* A tile of the list a block. follows: see launch_begin. */
template <class T, int kind>
__global__ static void __launch_bounds__(T::THREADS, RESIDENT / T::THREADS)
    both_halves(__grid_constant__ SF_ARGUMENT(struct half) h, __grid_constant__ SF_ARGUMENT(struct half) e,
                __grid_constant__ SF_ARGUMENT(struct drives) w, const struct tile *list, int follows)
{
    launch_begin(follows);
    SF_SHARED(T, s);
    const struct tile mine = list[blockIdx.x]; /* else it would be read anew behind every write */
    rows_march<T, kind>(s, h, e, w, mine);
    launch_end();
}

static struct terrain terrain_make(const struct maxwell *x, const struct half *h, const struct drives *w)
{
    struct terrain t = {};
    for (int a = 0; a < 3; a++)
        t.n[a] = h->n[a], t.low[a] = h->low[a], t.high[a] = h->high[a], t.repeats[a] = h->repeats[a];
    t.pack = PACK, t.media_of_e = x->e_wide > 0, t.media_of_h = x->h_wide > 0, t.nranges = w->n;
    t.whole = h->whole && launch_shared_room() >= BOTH_SHARED_LAYERS(BOTH_GROUPS, BOTH_LEVELS);
    for (int m = 0; m < w->n; m++) t.range[m] = w->one[m].range;
    return t;
}

/* What a launch is made of. */
struct sweep {
    struct half h, e;
    struct drives w;
    struct terrain t;
    const struct maxwell *x;
    void *stream;
    int follows; /* 1: a kernel of this sweep was launched */
};

template <class T, int kind> static void kind_launch(struct sweep *s, const struct tile_list &l)
{
    const dim3 grid((unsigned)(l.first[kind + 1] - l.first[kind]));
    if (!grid.x) return;
    const size_t shared = has_memories(kind) ? BOTH_SHARED_LAYERS(T::GROUPS, T::LEVELS) : sizeof(T);
    SF_LAUNCH_BLOCKS((both_halves<T, kind>), grid, dim3(T::THREADS), shared, s->stream, s->h, s->e, s->w,
                     l.tile + l.first[kind], s->follows);
    s->follows = 1;
}

/* Those that take longest first. */
template <class T> static void tiles_launch(struct sweep *s, const struct tile_list &l)
{
    static_assert(sizeof(T) == BOTH_SHARED(T::GROUPS, T::LEVELS), "the shapes that are told are those that run");
    kind_launch<T, TILE_ANY>(s, l);
    kind_launch<T, TILE_LAYERS>(s, l);
    kind_launch<T, TILE_LAYERS_ONE>(s, l);
    kind_launch<T, TILE_ACROSS_ONE>(s, l);
    kind_launch<T, TILE_ALONG_ONE>(s, l);
    kind_launch<T, TILE_PLAIN>(s, l);
    kind_launch<T, TILE_PLAIN_ONE>(s, l);
}

/* Rows of tiles, where no shape was chosen: blocks enough for the device, but rows enough that the one before them,
 * computed again, costs little. The fewer, the less blocks that run together drift apart, which read what lies between
 * them from the cache. */
enum { ROWS_LEAST = 4, ROWS_MOST = 16, ROWS_MOST_STRIP = 24, FEW_ROWS = 256 };

static int tiles_about(const struct box &b)
{
    return (int)(launch_blocks(b.i1 - b.i0, BOTH_COLUMNS) * launch_blocks(b.k1 - b.k0, BOTH_LEVELS));
}

/* tiles: of all boxes that are launched together, as if none were cut along j. */
static int rows_picked(const struct box &b, int tiles, int most)
{
    enum { BLOCKS = 1024 };
    const int nj = b.j1 - b.j0;
    const int parts = SF_MAX(SF_MAX(1, SF_MIN((BLOCKS + tiles - 1) / tiles, nj / ROWS_LEAST)), nj / most);
    return (nj + parts - 1) / parts;
}

/* Tilings of boxes, by the shape of their tiles. */
struct tilings {
    struct tiling *strip, *wide;
    int nstrips, nwide;
    int rows, tiles; /* rows of a tile, 0: picked by the tiles that there are about */
};

/* Tiles of a shape, `step` columns from one to the next. */
template <class T> static struct tiling tiling_of(const struct tilings *of, const struct box &b, int step, int most)
{
    const int together = RESIDENT / T::THREADS * launch_multiprocessors();
    const struct tiling c = {
        b, T::COLUMNS, T::LEVELS, step, of->rows ? of->rows : rows_picked(b, of->tiles, most), together, NULL};
    return c;
}

/* Where there is room for plain tiles, strips along the west and east side have their layers. */
static void box_cut(struct tilings *to, const struct sweep *s, const struct box &b)
{
    const int *const n = s->h.n, low = s->h.low[AX], high = s->h.high[AX], east = (n[AX] - high) / PACK * PACK;
    const int most = b.j1 - b.j0 < FEW_ROWS ? ROWS_MOST : ROWS_MOST_STRIP;
    const int is_cut = (low || high) && !b.i0 && b.i1 == n[AX] && b.i1 - east <= strip_tile::COLUMNS &&
                       east - strip_tile::COLUMNS >= wide_tile::COLUMNS;
    struct box within = b;
    if (!is_cut && b.i1 - b.i0 <= strip_tile::COLUMNS) {
        to->strip[to->nstrips++] = tiling_of<strip_tile>(to, b, strip_tile::COLUMNS, most);
        return;
    }
    if (is_cut) {
        to->strip[to->nstrips++] = tiling_of<strip_tile>(to, b, east, most);
        within.i0 = strip_tile::COLUMNS, within.i1 = east;
    }
    to->wide[to->nwide++] = tiling_of<wide_tile>(to, within, wide_tile::COLUMNS, ROWS_MOST);
}

static struct tile_list list_of(const struct sweep *s, const struct tiling *c, int n)
{
    return tile_list_of(s->x->tiles, c, n, &s->t, s->x->bricks);
}

/* Tiles of a step, by their shapes. */
struct tile_lists_of {
    struct tile_list strips, wide;
};

/* Of one step of `n` boxes; rows: of tiles, 0: picked. Returns 0 without memory. */
static int sweep_lists(struct tile_lists_of *to, const struct sweep *s, const struct box *b, int n, int rows)
{
    enum { FEW = 8 };
    struct tiling few[2 * FEW], *const many = n > FEW ? (struct tiling *)malloc(2 * (size_t)n * sizeof *many) : NULL;
    struct tiling *const room = many ? many : few;
    struct tilings c = {room, room + n, 0, 0, rows, 0};
    if (n > FEW && !many) return 0;
    for (int m = 0; m < n; m++) c.tiles += tiles_about(b[m]);
    for (int m = 0; m < n; m++) box_cut(&c, s, b[m]);
    *to = {list_of(s, c.strip, c.nstrips), list_of(s, c.wide, c.nwide)};
    free(many);
    return 1;
}

/* Lists are there before the first launch of a stage, for only that waits for them. */
static void sweep_launch(struct sweep *s, const struct tile_lists_of &l)
{
    tiles_launch<strip_tile>(s, l.strips);
    tiles_launch<wide_tile>(s, l.wide);
}

static struct sweep sweep_make(const struct slab *s, const struct box &b, const struct call *c, void *stream)
{
    const struct maxwell *const x = (const struct maxwell *)c->ctx;
    struct sweep w;
    if (x->incident) incident_values_launch(x->incident, b.j0 - 1, b.j1, c->pass_step, stream);
    w.h = half_make(s, x, 0), w.e = half_make(s, x, 1), w.w = drives_make(x, c->pass_step), w.stream = stream;
    w.t = terrain_make(x, &w.h, &w.w), w.x = x, w.follows = 0;
    return w;
}

extern "C" void yee_both_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    if (box_is_empty(b)) return;
    struct sweep w = sweep_make(s, b, c, stream);
    struct tile_lists_of l;
    if (sweep_lists(&l, &w, &b, 1, c->shape ? c->shape->rows : 0)) sweep_launch(&w, l);
}

/* ---- two steps together ------------------------------------------------------------------------------------------ */

/* E and H between the steps take the place of what is read, or written. */
static struct slab between_steps(const struct slab *s, int reads, int writes)
{
    struct slab v = *s;
    for (int c = 0; c < 6; c++) {
        if (reads) v.f[F_EX + c] = s->f[F_MID_EX + c];
        if (writes) v.w[F_EX + c] = s->w[F_MID_EX + c];
    }
    return v;
}

/* Of one step: boxes where it is made, as `of` counts them. */
template <class F> static struct tile_lists_of rim_lists(const struct sweep *w, const F &of)
{
    struct box *const boxes = (struct box *)malloc((size_t)pairs_most(w->x->pairs) * sizeof *boxes);
    struct tile_lists_of l = {};
    if (!boxes || !sweep_lists(&l, w, boxes, of(boxes), 0)) tile_lists_fail(w->x->tiles);
    free(boxes);
    return l;
}

static struct tile_list core_list(const struct sweep *w, const struct box &b)
{
    const struct pairs *const p = w->x->pairs;
    const struct tiling c = {pairs_core(p, b),         PAIR_COLUMNS, PAIR_LEVELS, PAIR_COLUMNS, PAIR_ROWS,
                             launch_multiprocessors(), &p->core};
    return list_of(w, &c, !box_is_empty(c.b));
}

int pair_fits(void) { return sizeof(real) == 4 && launch_shared_room() >= (int)sizeof(struct pair_block); }

/* Blocks of the rim begin where the last of the core, of which each fills a multiprocessor, leave room; those that end
 * beside others of the rim would leave none for the core. */
extern "C" void yee_pair_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct slab v = between_steps(s, 0, 1);
    if (box_is_empty(b)) return;
    struct sweep rim = sweep_make(&v, b, c, stream);
    const struct half h = half_make(s, rim.x, 0), e = half_make(s, rim.x, 1);
    const struct tile_list core = core_list(&rim, b);
    const struct tile_lists_of first =
        rim_lists(&rim, [&](struct box *to) { return pairs_first(rim.x->pairs, c->step, b, to); });
    const dim3 grid((unsigned)(core.first[TILE_KINDS] - core.first[0]));
    if (grid.x)
        SF_LAUNCH_BLOCKS(both_steps, grid, dim3(PAIR_THREADS), sizeof(struct pair_block), stream, h, e, core.tile, 0);
    rim.follows = grid.x > 0;
    sweep_launch(&rim, first);
}

extern "C" void yee_rim_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct slab v = between_steps(s, 1, 0);
    if (box_is_empty(b)) return;
    struct sweep w = sweep_make(&v, b, c, stream);
    sweep_launch(&w, rim_lists(&w, [&](struct box *to) { return pairs_rim(w.x->pairs, b, to); }));
}
