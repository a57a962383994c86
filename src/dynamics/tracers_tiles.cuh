/* The stages that carry tracers by tiles of the i-j plane that go up along k. Each face is computed once: by the thread
 * of the cell above it, along y between the rows of a thread and along z from level to level; the eastern face of a
 * cell comes from the lane beside it.
 *
 * A block has a tile of 32 columns for one tracer; blocks of all tracers of a tile are neighbours, so that they find
 * the wind in the cache. Each of its warps but the last has ROWS rows. It keeps their lines along z in registers, six
 * values of each, and puts the plane k + 2 into shared memory, from where lines along x and y come. The last warp
 * brings what lies beside the tile, and computes the eastern faces of its last column a level ahead. One barrier a
 * level.
 *
 * Tiles are whole: the last ones of a box begin so early that they end with it, and compute some cells twice.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/tracers.h"
#include "pipeline/warp.cuh"

struct carry_tile {
    enum {
        LANES = 32,
        ROWS = 2, /* of a warp */
        WARPS = 7,
        ALONG = ROWS * WARPS,
        THREADS = LANES * (WARPS + 1),
        BLOCKS = SF_PREC == 64 ? 2 : 3, /* of a multiprocessor at least: so many registers may a thread have */
        SIDE = 3,
        ACROSS = LANES + 2 * SIDE,
        PITCH = ACROSS + 1, /* odd: a column lies in all banks */
        PLANES = 3,
        LEAST = 16, /* levels of a block, where there are more blocks than the device holds at once */
        MOST = 128
    };
};
static_assert((int)carry_tile::ALONG <= (int)carry_tile::LANES, "the last warp has a lane for each row");

/* A plane of a tracer; numbers of a level. */
struct carry_plane {
    real at[carry_tile::ALONG + 2 * carry_tile::SIDE][carry_tile::PITCH];
};
struct alignas(4 * sizeof(real)) carry_level {
    real bottom, top;
    struct pair mix;
};
/* And parts of the faces east of the tile. */
struct carry_shared {
    struct carry_level level[carry_tile::MOST];
    struct carry_plane plane[carry_tile::PLANES];
    struct face_flux east[2][carry_tile::ALONG];
};

/* Where a block is. Elements are counted in bytes from the south-western corner of what lies around its tile, on level
 * 0: so that they have no sign, and 32 bits. */
struct carry_block {
    unsigned row; /* from row to row */
    ptrdiff_t sk;
    const real *u, *v, *w;
    struct carry_member q;
    int top; /* the highest level that a line along z reaches */
    /* On level k in place of 0; and up by one. Products of k for each pointer cost a sixth of a kernel. */
    __device__ void begin(int k)
    {
        const ptrdiff_t by = k * sk;
        u += by, v += by, w += by, q.now += by, q.start += by, q.to += by;
        if (q.factor) q.factor += by;
    }
    __device__ void up(void)
    {
        u += sk, v += sk, w += sk, q.start += sk, q.to += sk;
        if (q.factor) q.factor += sk;
    }
    __device__ unsigned element(int i, int j) const
    {
        return (unsigned)(j + carry_tile::SIDE) * row + (unsigned)(i + carry_tile::SIDE) * (unsigned)REAL;
    }
};

__device__ static inline real value_at(const real *p, unsigned element)
{
    return *(const real *)((const char *)p + element);
}

/* What a kernel of a stage knows at compile time. */
template <int form> struct carry_form {
    enum {
        KIND = form & MIX_MASK,
        HAS_MIXING = (form & MIX_MASK) != MIX_NONE,
        IS_FIRST = (form & CARRY_STAGE) == CARRY_FIRST,
        IS_LAST = (form & CARRY_STAGE) == CARRY_SHARE
    };
};

/* The block's threads meet, wherever they are: both loops below have as many barriers. */
__device__ static inline void carry_meet(void) { __syncthreads(); }

/* Planes of levels k, k + 1 and k + 2, and which of the two places is that of level k's eastern faces. */
struct carry_turn {
    struct carry_plane *here, *next, *later;
    int odd;
    __device__ void up(void)
    {
        struct carry_plane *const free = here;
        here = next, next = later, later = free, odd = !odd;
    }
};

/* ---- the last warp ----------------------------------------------------------------------------------------------- */

/* What lies beside the tile on level k. */
__device__ static inline void sides_bring(const struct carry_block &t, struct carry_plane *p, int k, int lane)
{
    typedef carry_tile T;
    const real *const q = t.q.now + k * t.sk;
#pragma unroll
    for (int n = 0; n < 2 * T::SIDE; n++) {
        const int j = n < T::SIDE ? n - T::SIDE : T::ALONG + n - T::SIDE;
        p->at[j + T::SIDE][lane + T::SIDE] = value_at(q, t.element(lane, j));
    }
#pragma unroll
    for (int n = 0; n < 2 * T::SIDE * T::ALONG; n += T::LANES) {
        const int j = (n + lane) / (2 * T::SIDE), m = (n + lane) % (2 * T::SIDE);
        const int i = m < T::SIDE ? m - T::SIDE : T::LANES + m - T::SIDE;
        if (j < T::ALONG) p->at[j + T::SIDE][i + T::SIDE] = value_at(q, t.element(i, j));
    }
}

/* The faces east of the tile on level k, a row each. */
template <int form>
__device__ static inline void east_make(const struct carry_block &t, real times, real mix, const struct carry_plane &p,
                                        struct face_flux *east, int k, int lane)
{
    typedef carry_tile T;
    typedef carry_form<form> F;
    if (lane >= T::ALONG) return;
    const unsigned at = t.element(T::LANES, lane);
    const real *const q = &p.at[lane + T::SIDE][T::LANES + T::SIDE];
    const real u = value_at(t.u + k * t.sk, at);
    struct face_flux f = face_of(F::KIND, u, {q[-3], q[-2], q[-1], q[0], q[1], q[2]});
    if (F::IS_LAST) {
        const real *const start = t.q.start + k * t.sk;
        f.value =
            flux_added(F::KIND, times * u, mix, face_beyond(f, u, value_at(start, at - REAL), value_at(start, at)));
    }
    east[lane] = f;
}

template <int form>
__device__ static inline void sides_run(const struct carry_block &t, const struct carry_line &l,
                                        struct carry_shared *shared, struct carry_turn at, int k0, int k1, int lane)
{
    sides_bring(t, at.here, k0, lane), sides_bring(t, at.next, k0 + 1, lane);
    carry_meet();
    east_make<form>(t, l.x, l.mix.x, *at.here, shared->east[at.odd], k0, lane);
    carry_meet();
#pragma unroll 1
    for (int k = k0; k < k1; k++, at.up()) {
        sides_bring(t, at.later, k + 2, lane);
        east_make<form>(t, l.x, l.mix.x, *at.next, shared->east[!at.odd], k + 1, lane);
        carry_meet();
    }
}

/* ---- the others -------------------------------------------------------------------------------------------------- */

/* What a thread keeps of a row from level to level: q from k - 2 to k + 3, the face below and the wind through it; in
 * the last stage q of the start at k - 1 and k. */
struct carry_column {
    real q[6], w;
    struct face_flux below;
    real start_below, start;
};

/* A level of a thread's rows, where the block is on. at: their elements, from the row before them to the row behind
 * them. */
template <int form>
__device__ static inline void level_carry(const struct carry_block &t, real lx, real ly, real mix_x, real mix_y,
                                          const struct carry_level &l, const struct carry_plane &p,
                                          const struct face_flux *east, struct carry_column *c, const unsigned *at,
                                          int first, int lane)
{
    typedef carry_tile T;
    typedef carry_form<form> F;
    const real *const start = t.q.start, *const start_above_at = start + t.sk, *const w_above = t.w + t.sk;
    real *const to = t.q.to, *const factor = t.q.factor;

    /* Along y: rows -3 .. ROWS + 2 of the thread's; in the last stage of the start rows -1 .. ROWS. */
    real y[T::ROWS + 2 * T::SIDE], row[T::ROWS + 2], wind[T::ROWS + 1];
    struct face_flux south[T::ROWS + 1];
#pragma unroll
    for (int r = 0; r < T::ROWS + 2 * T::SIDE; r++)
        y[r] = r < T::SIDE || r >= T::ROWS + T::SIDE ? p.at[first + r][lane + T::SIDE] : c[r - T::SIDE].q[2];
#pragma unroll
    for (int r = 0; r < T::ROWS + 2; r++)
        row[r] = !F::IS_LAST ? R(0.0) : r == 0 || r == T::ROWS + 1 ? value_at(start, at[r]) : c[r - 1].start;
#pragma unroll
    for (int r = 0; r <= T::ROWS; r++) {
        wind[r] = value_at(t.v, at[r + 1]);
        south[r] = face_of(F::KIND, wind[r], {y[r], y[r + 1], y[r + 2], y[r + 3], y[r + 4], y[r + 5]});
        if (F::IS_LAST)
            south[r].value =
                flux_added(F::KIND, ly * wind[r], mix_y, face_beyond(south[r], wind[r], row[r], row[r + 1]));
    }
#pragma unroll
    for (int r = 0; r < T::ROWS; r++) {
        const unsigned own = at[r + 1];
        const real *const x = &p.at[first + r + T::SIDE][lane + T::SIDE];
        const real u_low = value_at(t.u, own), u_high = value_at(t.u, own + REAL), w_high = value_at(w_above, own);
        const real now = c[r].q[2];
        const struct around m = {
            {lx * u_low, lx * u_high}, {ly * wind[r], ly * wind[r + 1]}, {l.bottom * c[r].w, l.top * w_high}};
        struct face_flux west = face_of(F::KIND, u_low, {x[-3], x[-2], x[-1], now, x[1], x[2]}), next;
        struct face_flux above =
            face_of(F::KIND, w_high, {c[r].q[0], c[r].q[1], c[r].q[2], c[r].q[3], c[r].q[4], c[r].q[5]});
        if (!F::IS_LAST) {
            next.value = warp_behind(west.value), next.mixed = F::HAS_MIXING ? warp_behind(west.mixed) : R(0.0);
            if (lane == T::LANES - 1) next = east[first + r];
            const struct faces_around f = {{west, next}, {south[r], south[r + 1]}, {c[r].below, above}};
            const real from = F::IS_FIRST ? now : value_at(start, own);
            *moved(to, own) = tracer_carried(F::KIND, from, now, f, m, {mix_x, mix_y, l.mix});
        } else {
            const real start_west = value_at(start, own - REAL), start_east = value_at(start, own + REAL),
                       start_above = value_at(start_above_at, own);
            west.value = flux_added(F::KIND, m.x.low, mix_x, face_beyond(west, u_low, start_west, c[r].start));
            next.value = warp_behind(west.value);
            if (lane == T::LANES - 1) next.value = east[first + r].value;
            above = face_beyond(above, w_high, c[r].start, start_above);
            const struct around a = {{west.value, next.value},
                                     {south[r].value, south[r + 1].value},
                                     {flux_added(F::KIND, m.z.low, l.mix.low, c[r].below),
                                      flux_added(F::KIND, m.z.high, l.mix.high, above)}};
            const struct lines3 q = {{start_west, c[r].start, start_east},
                                     {row[r], c[r].start, row[r + 2]},
                                     {c[r].start_below, c[r].start, start_above}};
            const struct limited x_of = tracer_limited(q, now, a, m);
            *moved(factor, own) = tracer_share(x_of);
            *moved(to, own) = sf_audible(tracer_whole(x_of));
            c[r].start_below = c[r].start, c[r].start = start_above;
        }
        c[r].w = w_high, c[r].below = above;
    }
}

/* Rows below the level that the block is on. */
template <int form>
__device__ static inline void rows_begin(const struct carry_block &t, struct carry_column *c, const unsigned *at)
{
    typedef carry_tile T;
    typedef carry_form<form> F;
    const ptrdiff_t sk = t.sk;
#pragma unroll
    for (int r = 0; r < T::ROWS; r++) {
        const real *const q = moved(t.q.now, at[r + 1]);
        c[r].w = value_at(t.w, at[r + 1]);
        c[r].below = face_of(F::KIND, c[r].w, {q[-3 * sk], q[-2 * sk], q[-sk], q[0], q[sk], q[2 * sk]});
        if (F::IS_LAST) {
            const real *const start = moved(t.q.start, at[r + 1]);
            c[r].start_below = start[-sk], c[r].start = start[0];
            c[r].below = face_beyond(c[r].below, c[r].w, c[r].start_below, c[r].start);
        }
#pragma unroll
        for (int m = 0; m < 6; m++) c[r].q[m] = q[(m - 2) * sk];
    }
}

template <int form>
__device__ static inline void rows_run(struct carry_block t, const struct carry_line &l,
                                       const struct carry_shared *shared, struct carry_turn turn, int k0, int k1,
                                       int first, int lane)
{
    typedef carry_tile T;
    struct carry_column c[T::ROWS];
    unsigned at[T::ROWS + 2];
#pragma unroll
    for (int r = 0; r < T::ROWS + 2; r++) at[r] = t.element(lane, first + r - 1);
    t.begin(k0);
    rows_begin<form>(t, c, at);
    const real *coming_at = t.q.now + SF_MIN(4, t.top - k0) * t.sk;
#pragma unroll
    for (int r = 0; r < T::ROWS; r++) {
        turn.here->at[first + r + T::SIDE][lane + T::SIDE] = c[r].q[2];
        turn.next->at[first + r + T::SIDE][lane + T::SIDE] = c[r].q[3];
    }
    carry_meet();
    carry_meet();
#pragma unroll 3
    for (int k = k0; k < k1; k++, turn.up(), t.up()) {
        real coming[T::ROWS];
#pragma unroll
        for (int r = 0; r < T::ROWS; r++) {
            coming[r] = value_at(coming_at, at[r + 1]);
            turn.later->at[first + r + T::SIDE][lane + T::SIDE] = c[r].q[4];
        }
        level_carry<form>(t, l.x, l.y, l.mix.x, l.mix.y, shared->level[k - k0], *turn.here, shared->east[turn.odd], c,
                          at, first, lane);
#pragma unroll
        for (int r = 0; r < T::ROWS; r++) {
#pragma unroll
            for (int m = 0; m < 5; m++) c[r].q[m] = c[r].q[m + 1];
            c[r].q[5] = coming[r];
        }
        if (k + 4 < t.top) coming_at += t.sk;
        carry_meet();
    }
}

template <int form>
__global__ void __launch_bounds__(carry_tile::THREADS, carry_tile::BLOCKS)
    carry_tiles(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b, SF_ARGUMENT(struct call) call,
                SF_ARGUMENT(struct dynamics) d, SF_ARGUMENT(struct members) all, int across, int levels)
{
    launch_wait();
    typedef carry_tile T;
    SF_SHARED(struct carry_shared, shared);
    const int lane = (int)threadIdx.x, warp = (int)threadIdx.y;
    const int n = (int)(blockIdx.x % (unsigned)all.n), tile = (int)(blockIdx.x / (unsigned)all.n);
    const int i0 = SF_MIN(b.i0 + tile % across * T::LANES, b.i1 - T::LANES),
              j0 = SF_MIN(b.j0 + tile / across * T::ALONG, b.j1 - T::ALONG);
    const int k0 = b.k0 + (int)blockIdx.y * levels, k1 = SF_MIN(k0 + levels, b.k1);
    const ptrdiff_t corner = (j0 - T::SIDE - s.j0) * s.sj + i0 - T::SIDE;
    struct carry_block t;
    t.row = (unsigned)s.sj * (unsigned)REAL, t.sk = s.sk, t.top = b.k1 + T::SIDE - 1;
    t.u = s.f[F_U] + corner, t.v = s.f[F_V] + corner, t.w = s.f[F_W] + corner;
    t.q = carry_member(form, NULL, &all.of[n], corner);
    for (int k = k0 + warp * T::LANES + lane; k < k1; k += T::THREADS) {
        const struct carry_line l = carry_line(form, &s, &d, &call, 0, k);
        shared->level[k - k0] = {l.bottom, l.top, l.mix.z};
    }
    const struct carry_line l = carry_line(form, &s, &d, &call, 0, k0);
    const struct carry_turn turn = {&shared->plane[0], &shared->plane[1], &shared->plane[2], 0};
    if (warp == T::WARPS) sides_run<form>(t, l, shared, turn, k0, k1, lane);
    else rows_run<form>(t, l, shared, turn, k0, k1, warp * T::ROWS, lane);
}

/* Do tiles fit in the box? */
static inline int box_takes_tiles(struct box b, const struct slab *s)
{
    typedef carry_tile T;
    const double bytes = (double)(T::ALONG + 2 * T::SIDE) * (double)s->sj * REAL;
    return b.i1 - b.i0 >= T::LANES && b.j1 - b.j0 >= T::ALONG && bytes < 2e9;
}

template <int form>
static void carry_tiles_launch(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    typedef carry_tile T;
    const int across = (int)launch_blocks(b.i1 - b.i0, T::LANES), along = (int)launch_blocks(b.j1 - b.j0, T::ALONG);
    const int all = b.k1 - b.k0;
    for (int first = 0; first < c->members; first += MEMBERS_AT_ONCE) {
        const struct members x = members_of(c, first);
        const int blocks = across * along * (int)x.n, wanted = 2 * T::BLOCKS * launch_multiprocessors();
        const int most = SF_MAX(1, all / (int)T::LEAST);
        const int pieces = SF_MAX(SF_MIN(most, (wanted + blocks - 1) / blocks), (all + T::MOST - 1) / (int)T::MOST);
        const int levels = (all + pieces - 1) / pieces;
        SF_LAUNCH_BLOCKS((carry_tiles<form>), dim3((unsigned)blocks, launch_blocks(all, levels)),
                         dim3(T::LANES, T::WARPS + 1), sizeof(struct carry_shared), stream, *s, b, *c,
                         *(const struct dynamics *)c->ctx, x, across, levels);
    }
}

/* Tiles, or where they do not fit points. */
#define CARRY_TILES(part, form)                                                                                        \
    SF_MEMBERS_PART(part##_points, carry, form, struct dynamics)                                                       \
    static void part(const struct slab *s, struct box b, const struct call *c, void *stream)                           \
    {                                                                                                                  \
        if (box_takes_tiles(b, s)) carry_tiles_launch<(form)>(s, b, c, stream);                                        \
        else part##_points(s, b, c, stream);                                                                           \
    }

/* ---- cells that a factor below 1 belongs to ---------------------------------------------------------------------- */

/* A block looks at CELLS cells side by side of each of its threads, and then computes those that it found, each by the
 * next thread. */
struct carry_look {
    enum { THREADS = 256, CELLS = 4, ACROSS = 32, UP = THREADS / ACROSS, ALL = THREADS * CELLS };
};
struct carry_found {
    int n;
    unsigned short cell[carry_look::ALL];
};

template <int form>
__global__ void __launch_bounds__(carry_look::THREADS)
    carry_few(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b, SF_ARGUMENT(struct call) call,
              SF_ARGUMENT(struct dynamics) d, SF_ARGUMENT(struct members) all)
{
    launch_wait();
    typedef carry_look T;
    SF_SHARED(struct carry_found, found);
    const int lane = (int)threadIdx.x, warp = (int)threadIdx.y, thread = warp * T::ACROSS + lane;
    const int j = b.j0 + (int)blockIdx.z, n = (int)(blockIdx.y % (unsigned)all.n);
    const int i0 = (b.i0 & -T::CELLS) + (int)blockIdx.x * T::ACROSS * T::CELLS,
              k0 = b.k0 + (int)(blockIdx.y / (unsigned)all.n) * T::UP;
    const int i = i0 + lane * T::CELLS, k = k0 + warp;
    if (thread == 0) found->n = 0;
    __syncthreads();
    const ptrdiff_t at = (j - s.j0) * s.sj + k * s.sk + i;
    if (i < b.i1 && k < b.k1) {
        typedef points<T::CELLS> cells;
        const real *const factor = all.of[n].f[F_FAMILY_NEAR] + at;
        const cells own = *(const cells *)factor, south = *(const cells *)(factor - s.sj),
                    north = *(const cells *)(factor + s.sj), below = *(const cells *)(factor - s.sk),
                    above = *(const cells *)(factor + s.sk);
        real least = lesser(factor[-1], factor[T::CELLS]);
#pragma unroll
        for (int m = 0; m < T::CELLS; m++)
            least = lesser(
                least, lesser(lesser(own.at[m], lesser(south.at[m], north.at[m])), lesser(below.at[m], above.at[m])));
        if (least < R(1.0))
            for (int m = 0; m < T::CELLS; m++)
                if (i + m >= b.i0 && i + m < b.i1)
                    found->cell[atomicAdd(&found->n, 1)] = (unsigned short)(thread * T::CELLS + m);
    }
    __syncthreads();
    for (int m = thread; m < found->n; m += T::THREADS) {
        const int cell = found->cell[m], up = cell / (T::ACROSS * T::CELLS), at_i = i0 + cell % (T::ACROSS * T::CELLS);
        const ptrdiff_t line = (j - s.j0) * s.sj + (k0 + up) * s.sk;
        const struct carry_line l = carry_line(form, &s, &d, &call, line, k0 + up);
        const struct carry_member q = carry_member(form, &l, &all.of[n], line);
        const struct carry_here h = carry_here(form, &l, at_i);
        carry_point(form, &l, &h, &q, at_i);
    }
}

template <int form> static void carry_few_launch(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    typedef carry_look T;
    if (box_is_empty(b)) return;
    for (int first = 0; first < c->members; first += MEMBERS_AT_ONCE) {
        const struct members x = members_of(c, first);
        const dim3 grid(launch_blocks(b.i1 - (b.i0 & -T::CELLS), T::ACROSS * T::CELLS),
                        launch_blocks(b.k1 - b.k0, T::UP) * (unsigned)x.n, (unsigned)(b.j1 - b.j0));
        SF_LAUNCH_BLOCKS((carry_few<form>), grid, dim3(T::ACROSS, T::UP), sizeof(struct carry_found), stream, *s, b, *c,
                         *(const struct dynamics *)c->ctx, x);
    }
}

#define CARRY_FEW(part, form)                                                                                          \
    static void part(const struct slab *s, struct box b, const struct call *c, void *stream)                           \
    {                                                                                                                  \
        carry_few_launch<(form)>(s, b, c, stream);                                                                     \
    }
