/* What kernels of the slow tendencies have in common, whose tiles of the i-j plane go up along k: planes of the five
 * fields that come to shared memory, what a thread reads of them, and how blocks are put on the device. T: the tile,
 * see advmix_tiles.cuh and advmix_wide_tiles.cuh. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/boxes.cuh"

#include "dynamics/advmix_line.h"

/* The fields and, in the same order, their tendencies: counted from F_U and F_UT. */
enum { OF_U, OF_V, OF_W, OF_TH, OF_PI, ADVMIX_FIELDS };
static_assert(F_PI == F_U + OF_PI && F_PIT == F_UT + OF_PI, "the fields of advmix are in order");

/* ---- values of a thread ------------------------------------------------------------------------------------------ */

/* N points side by side and SIDE more on either side. */
template <int N, int SIDE> struct window {
    real at[N + 2 * SIDE];
};

/* N points side by side in each of so many rows. */
template <int N, int ROWS> struct rows {
    points<N> at[ROWS];
};

/* One of the planes in shared memory; `at`: the thread's first point in it. load<M>: M values from i columns and j rows
 * off that; steps of M columns are aligned to them. */
template <class T> struct plane {
    const real *at;
    template <int M = T::N> __device__ points<M> load(int f, int i, int j) const
    {
        return *reinterpret_cast<const points<M> *>(at + f * T::FIELD + j * T::PITCH + i);
    }
    __device__ window<T::N, T::SIDE> along_x(int f, int j, points<T::N> own) const
    {
        window<T::N, T::SIDE> x;
        for (int i = 0; i < T::N; i++) x.at[i + T::SIDE] = own.at[i];
        for (int i = 0; i < T::SIDE; i += T::N) {
            const points<T::N> low = load(f, i - T::SIDE, j), high = load(f, i + T::N, j);
            for (int n = 0; n < T::N; n++) x.at[i + n] = low.at[n], x.at[T::N + T::SIDE + i + n] = high.at[n];
        }
        return x;
    }
    __device__ rows<T::N, 2 * T::REACH + 1> along_y(int f, points<T::N> own) const
    {
        rows<T::N, 2 * T::REACH + 1> y;
        for (int j = -T::REACH; j <= T::REACH; j++) y.at[j + T::REACH] = j ? load(f, 0, j) : own;
        return y;
    }
};

/* ---- planes that come -------------------------------------------------------------------------------------------- */

/* The fields that boxes are brought of. */
struct plane_maps {
    struct box_map of[ADVMIX_FIELDS];
};

/* How planes come, two ways with the same functions: begin and await ask for the first 2 REACH + AHEAD of a block's
 * `levels`, await returns when all threads may read planes -REACH .. REACH - 1, and bring asks for one more, for the
 * gate that it opens. at.of(n): the place of plane n. ASKING: threads that have to do with that between begin and
 * await. The first column of a plane is i0, its row of threads j0. */
#if SF_BOXES
/* A thread asks for a box of each field. The engine takes one in 60 ns, so that the planes that come later are asked
 * for behind the barrier, which waits for that thread. */
template <class T> struct bringer {
    enum { BYTES = T::FIELDS * T::BOX * REAL /* of a plane */, ASKING = 32 };
    const struct plane_maps &maps;
    int warp, i, k, row; /* of the box that comes next, in its map */

    __device__ bringer(const struct slab &s, const struct box &, const struct plane_maps &m, int thread, int i0, int j0,
                       int k0)
        : maps(m), warp(warp_of(thread)), i(i0 + T::EDGE), k(k0 + T::REACH), row(j0 - T::REACH - s.j0)
    {
    }
    __device__ void ask(real *plane, mbarrier *gate, int level) const
    {
        for (int f = 0; f < T::FIELDS; f++) box_copy(plane + f * T::FIELD, &maps.of[f], i, level, row, gate);
    }
    template <class P> __device__ void begin(const P &at, mbarrier *gate, int)
    {
        mbarrier *const first = gate + T::GATES;
        if (warp == 0 && is_elected()) {
            for (int n = 0; n < T::GATES; n++) mbarrier_make(&gate[n], 1 + T::THREADS);
            mbarrier_make(first, 1);
            mbarriers_made();
            mbarrier_expect(first, 2 * T::REACH * BYTES);
#pragma unroll 1
            for (int n = -T::REACH; n < T::REACH; n++) ask(at.of(n), first, k + n);
        }
        k += T::REACH;
    }
    template <class P> __device__ void await(const P &at, mbarrier *gate, int levels)
    {
        __syncthreads();
        if (warp == 0 && is_elected())
#pragma unroll 1
            for (int n = 0; n < SF_MIN(T::AHEAD, levels); n++) {
                mbarrier_expect(gate + n, BYTES);
                ask(at.of(n + T::REACH), gate + n, k + n);
            }
        k += T::AHEAD;
        mbarrier_wait(gate + T::GATES, 0);
    }
    __device__ void bring(real *plane, mbarrier *gate) const
    {
        if (warp == 0 && is_elected()) {
            mbarrier_expect(gate, BYTES);
            ask(plane, gate, k);
        }
    }
    __device__ void up(void) { k++; }
};
#else
/* Every thread asks for pieces of one row each. */
template <class T> struct bringer {
    enum { ASKING = 0 };
    const struct slab &s;
    ptrdiff_t from[T::ROUNDS], level; /* bytes from the first element of level 0; to the level that comes next */
    int to[T::ROUNDS]; /* < 0: none */
    int is_first;

    __device__ bringer(const struct slab &slab, const struct box &b, const struct plane_maps &, int thread, int i0,
                       int j0, int k0)
        : s(slab), level((k0 - T::REACH) * slab.sk * REAL), is_first(thread == 0)
    {
        for (int r = 0; r < T::ROUNDS; r++) {
            const int n = thread + r * T::THREADS, row = n / T::PIECES, piece = n % T::PIECES;
            const int i = i0 + piece * T::PIECE, j = j0 - T::REACH + row;
            const int is_needed =
                n < T::COPIES && i < b.i1 + T::REACH && i + T::PIECE > b.i0 - T::REACH && j < b.j1 + T::REACH;
            from[r] = ((j - s.j0) * s.sj + i) * REAL;
            to[r] = is_needed ? row * T::PITCH + piece * T::PIECE : -1;
        }
    }
    __device__ void ask(real *plane) const
    {
        for (int r = 0; r < T::ROUNDS; r++)
            if (to[r] >= 0)
                for (int f = 0; f < T::FIELDS; f++)
                    copy_piece_of_line(plane + f * T::FIELD + to[r], moved(s.f[F_U + f], level + from[r]));
    }
    template <class P> __device__ void begin(const P &at, mbarrier *gate, int levels)
    {
        if (is_first)
            for (int n = 0; n < T::GATES; n++) mbarrier_make(&gate[n], 2 * T::THREADS);
        for (int n = -T::REACH; n < T::REACH + T::AHEAD; n++) {
            if (n < levels + T::REACH) ask(at.of(n));
            if (n >= T::REACH - 1) copies_close();
            up();
        }
    }
    template <class P> __device__ void await(const P &, mbarrier *gate, int levels) const
    {
        copies_wait<T::AHEAD>();
        __syncthreads();
        for (int n = 0; n < SF_MIN(T::AHEAD, levels); n++) copies_arrive(gate + n);
    }
    __device__ void bring(real *plane, mbarrier *gate) const
    {
        ask(plane);
        copies_arrive(gate);
    }
    __device__ void up(void) { level += s.sk * REAL; }
};
#endif

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* What blocks take: of `whole` tiles all levels at once. Each of the other tiles is cut in parts, the lowest of `first`
 * levels and those above of `each`; the lowest parts of all of these tiles come before their second, so that neighbours
 * are at about the same level. */
struct pieces {
    int across, tiles, whole, first, each;
};

struct piece {
    int tile, k0, k1;
};

__device__ static inline struct piece piece_at(const struct pieces &w, const struct box &b, int n)
{
    if (n < w.whole) return {n, b.k0, b.k1};
    const int rest = w.tiles - w.whole, part = (n - w.whole) / rest, top = b.k0 + w.first + part * w.each;
    return {n - part * rest, part ? top - w.each : b.k0, SF_MIN(top, b.k1)};
}

enum { PIECE_START = 5 }; /* to begin costs a piece about as much as so many levels */

/* The time of n blocks, of which one takes 1: rounds of `blocks` a multiprocessor. In the last they may be fewer, which
 * are then faster: LONE of a block's time is its own, the rest goes with the number of those beside it (an H200 holds
 * three; where it holds two, each takes 0.8 of the time). */
static inline double rounds_of(long n, int multiprocessors, int blocks)
{
    const double LONE = 0.4;
    const long at_once = (long)multiprocessors * blocks, rest = n % at_once;
    const double share = (double)((rest + multiprocessors - 1) / multiprocessors) / blocks;
    return (double)(n / at_once) + (rest ? LONE + (1 - LONE) * share : 0);
}

/* Levels a block, of `most` at most, where all have as many: so many that they end soonest. */
static inline int tile_levels(int levels, int tiles, int multiprocessors, int blocks, int most)
{
    enum { CUTS = 32 };
    const int fewest = (levels + most - 1) / most;
    int best = 0;
    double least = 0;
    for (int cuts = fewest; cuts <= SF_MAX(fewest, CUTS) && cuts <= levels; cuts++) {
        const int each = (levels + cuts - 1) / cuts;
        const double time =
            rounds_of((long)tiles * ((levels + each - 1) / each), multiprocessors, blocks) * (each + PIECE_START);
        if (!best || time < least) best = each, least = time;
    }
    return best;
}

/* As many rounds of whole columns as fill all multiprocessors, of `blocks` each; the rest either whole too, or first a
 * part somewhat smaller than a block's share of it and then still smaller ones, for all to end together: LATE of the
 * last part is lost, in the mean. */
static inline struct pieces pieces_make(int across, int along, int levels, int multiprocessors, int blocks, int most)
{
    enum { PARTS = 8 };
    const double LATE = 0.3, FIRST = 0.75;
    const int tiles = across * along, at_once = multiprocessors * blocks;
    if (tiles < at_once || levels > most) {
        const int each = tile_levels(levels, tiles, multiprocessors, blocks, most);
        return {across, tiles, 0, each, each};
    }
    struct pieces best = {across, tiles, tiles / at_once * at_once, levels, levels};
    const int rest = tiles - best.whole;
    const double share = (double)rest / at_once;
    double least = rounds_of(rest, multiprocessors, blocks) * (levels + PIECE_START);
    for (int n = 1; n <= PARTS && n < levels; n++) {
        const int first = SF_MAX((int)(FIRST * share * levels), (levels + n) / (n + 1));
        const int each = (levels - first + n - 1) / n;
        const double time =
            SF_MAX(share * (levels + (n + 1) * PIECE_START), first + PIECE_START) + LATE * (each + PIECE_START);
        if (each > 0 && time < least) least = time, best.first = first, best.each = each;
    }
    return best;
}

/* A box in tiles, whose columns begin where a piece that is copied does; it is not empty. And how many blocks take it.
 */
template <class T> static struct pieces pieces_of(struct box b)
{
    return pieces_make((int)launch_blocks(b.i1 - (b.i0 & -T::PIECE), T::WIDTH),
                       (int)launch_blocks(b.j1 - b.j0, T::ROWS), b.k1 - b.k0, launch_multiprocessors(), T::BLOCKS,
                       T::MOST);
}

static inline unsigned pieces_blocks(const struct pieces *w, struct box b)
{
    const int parts = 1 + (b.k1 - b.k0 - w->first + w->each - 1) / w->each;
    return (unsigned)(w->whole + (w->tiles - w->whole) * parts);
}

/* Where tiles fill the multiprocessors, blocks do not overlap the kernel before: they would be put where it leaves
 * room, of neighbours several in one place, and the first round takes a sixth longer (H200). */
template <class T> static int pieces_are_apart(const struct pieces *w)
{
    return w->tiles >= launch_multiprocessors() * T::BLOCKS;
}

/* Maps begin EDGE columns and REACH levels before the first, and a level has room for all columns from there on, see
 * layout_make. Where devices have no copy engine there are none, and no code that would read them. */
template <class T> static struct plane_maps plane_maps_make(const struct slab *s)
{
    const int extent[] = {(int)s->sk, s->nk + 2 * T::REACH, s->rows}, box[] = {T::PITCH, 1, T::ROWS + 2 * T::REACH};
    struct plane_maps m = {};
    if (!boxes_are_brought()) return m;
    for (int f = 0; f < T::FIELDS; f++)
        if (!box_map_make(&m.of[f], s->f[F_U + f] - T::EDGE - T::REACH * s->sk, extent, s->sk, s->sj, box)) break;
    return m;
}
