/* The tendencies by tiles of the i-k plane that march along j: each field is read from memory once.
 *
 *     shared memory   rows j-1 .. j+2 of the tile and its edge, five fields, and row j+3 on its way in
 *     registers       the points of a thread on rows j-2 .. j+2, five fields, and what of v stands west of and below them: the
 *                     lines along y. What two rows share of them (products at the faces between) is kept by the compiler, that
 *                     sees T::ROWS rows at once; these are also the rows after which the five slots and the five rows of a
 *                     line have gone round, so that nothing needs to be moved
 *
 * The numbers of a level lie in shared memory too: in registers they would be 28. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/copies.cuh"

#include "dynamics/advmix_line.h"

/* A block of 32 x LEVELS threads computes 32 NX x LEVELS points of a row, NX of them in i each thread; ROWS rows unrolled. */
template <int NX_, int LEVELS_, int ROWS_, int BLOCKS_> struct tile {
    enum {
        NX = NX_, LEVELS = LEVELS_, ROWS = ROWS_, BLOCKS = BLOCKS_,
        FIELDS = 5, SLOTS = 5, REACH = 2,
        WIDTH = 32 * NX, THREADS = 32 * LEVELS,
        PIECE = 16 / (int)sizeof(real), /* what is copied at once */
        PITCH = WIDTH + 2 * PIECE, FIELD = PITCH * (LEVELS + 2 * REACH), SLOT = FIELDS * FIELD,
        PIECES = PITCH / PIECE, COPIES = PIECES * (LEVELS + 2 * REACH), ROUNDS = (COPIES + THREADS - 1) / THREADS,
        BYTES = SLOTS * SLOT * (int)sizeof(real) + LEVELS * (int)sizeof(struct level)
    };
};

enum { TILE_U, TILE_V, TILE_W, TILE_TH, TILE_PI };
static_assert(F_PI == F_U + TILE_PI, "the fields of a tile are in order");

/* Points of a thread, side by side. */
template <int NX> struct alignas(NX * sizeof(real)) points {
    real at[NX];
};

/* With two more on either side. */
template <int NX> struct window {
    real at[NX + 4];
};

template <int NX> __device__ static inline points<NX> points_load(const real *p) { return *reinterpret_cast<const points<NX> *>(p); }

/* Around `own`, which is known; p: where it lies. */
template <int NX> __device__ static inline window<NX> window_load(const real *p, points<NX> own)
{
    window<NX> x;
    const points<2> low = NX == 1 ? points<2>{{p[-2], p[-1]}} : points_load<2>(p - 2);
    const points<2> high = NX == 1 ? points<2>{{p[1], p[2]}} : points_load<2>(p + NX);
    x.at[0] = low.at[0], x.at[1] = low.at[1];
    for (int n = 0; n < NX; n++) x.at[2 + n] = own.at[n];
    x.at[2 + NX] = high.at[0], x.at[3 + NX] = high.at[1];
    return x;
}

/* Values on rows j-2 .. j+2 of each field, and of v on rows j-1 .. j+2 west of the first point and below. */
template <int NX> struct along_y {
    points<NX> y[5][5];
    real v_west[4];
    points<NX> v_below[4];
};

template <class T> __device__ static inline void row_take(along_y<T::NX> &q, int n, const real *slot)
{
    for (int f = 0; f < T::FIELDS; f++) q.y[f][n] = points_load<T::NX>(slot + f * T::FIELD);
    if (!n) return;
    q.v_west[n - 1] = slot[TILE_V * T::FIELD - 1];
    q.v_below[n - 1] = points_load<T::NX>(slot + TILE_V * T::FIELD - T::PITCH);
}

template <class T> __device__ static inline void row_leave(along_y<T::NX> &q)
{
    for (int f = 0; f < T::FIELDS; f++)
        for (int n = 0; n < 4; n++) q.y[f][n] = q.y[f][n + 1];
    for (int n = 0; n < 3; n++) q.v_west[n] = q.v_west[n + 1], q.v_below[n] = q.v_below[n + 1];
}

/* The vertical line of a field through each point: levels k-2 .. k+2. */
template <int NX> struct along_z {
    points<NX> z[5];
};

template <class T> __device__ static inline along_z<T::NX> upright_load(const real *p, points<T::NX> own)
{
    along_z<T::NX> q;
    for (int n = 0; n < 5; n++) q.z[n] = n == 2 ? own : points_load<T::NX>(p + (n - 2) * T::PITCH);
    return q;
}

template <int NX> __device__ static inline struct star star_at(window<NX> x, const points<NX> *y, along_z<NX> z, int n)
{
    const struct star s = {{x.at[n], x.at[n + 1], x.at[n + 2], x.at[n + 3], x.at[n + 4]},
                           {y[0].at[n], y[1].at[n], y[2].at[n], y[3].at[n], y[4].at[n]},
                           {z.z[0].at[n], z.z[1].at[n], z.z[2].at[n], z.z[3].at[n], z.z[4].at[n]}};
    return s;
}

template <int NX> __device__ static inline struct line4 line4_x(window<NX> x, int n)
{
    const struct line4 l = {x.at[n + 1], x.at[n + 2], x.at[n + 3], x.at[n + 4]};
    return l;
}

template <int NX> __device__ static inline struct line4 line4_of(const points<NX> *q, int n)
{
    const struct line4 l = {q[0].at[n], q[1].at[n], q[2].at[n], q[3].at[n]};
    return l;
}

/* The same of the points west of them. */
template <int NX> __device__ static inline struct line4 line4_west(const points<NX> *q, const real *west, int n)
{
    if (n) return line4_of(q, n - 1);
    const struct line4 l = {west[0], west[1], west[2], west[3]};
    return l;
}

#define FACES_OF(l) l.f0, l.f1, l.f2, l.f3

/* The tendencies of a thread's points on row j: `now` and `before` are where they lie in the slots of rows j and j - 1. */
template <int kind, class T>
__device__ static inline void tendencies(points<T::NX> *t, const along_y<T::NX> &q, const real *now, const real *before,
                                         const struct level &l, const struct dynamics &d)
{
    enum { NX = T::NX, FIELD = T::FIELD, PITCH = T::PITCH };
    window<NX> x[5];
    along_z<NX> z[5];
    for (int f = 0; f < T::FIELDS; f++) {
        x[f] = window_load<NX>(now + f * FIELD, q.y[f][2]);
        z[f] = upright_load<T>(now + f * FIELD, q.y[f][2]);
    }
    const window<NX> u_south = window_load<NX>(before + TILE_U * FIELD, q.y[TILE_U][1]);
    const window<NX> u_below = window_load<NX>(now + TILE_U * FIELD - PITCH, z[TILE_U].z[1]);
    const along_z<NX> w_south = upright_load<T>(before + TILE_W * FIELD, q.y[TILE_W][1]);
    const real *const w_at = now + TILE_W * FIELD - 1;
    const real w_west[4] = {w_at[-PITCH], x[TILE_W].at[1], w_at[PITCH], w_at[2 * PITCH]};
    const struct weights mu = weights_u(&d, &l), mv = weights_v(&d, &l), mw = weights_w(&d, &l), m = weights_centre(&d, &l);
    for (int n = 0; n < NX; n++) {
        const struct line4 u_x = line4_x<NX>(x[TILE_U], n), v_y = line4_of<NX>(q.y[TILE_V] + 1, n), w_z = line4_of<NX>(z[TILE_W].z + 1, n);
        const struct pairs v_of_u = {v_y, line4_west<NX>(q.y[TILE_V] + 1, q.v_west, n)};
        const struct pairs w_of_u = {w_z, line4_west<NX>(z[TILE_W].z + 1, w_west, n)};
        const struct pairs u_of_v = {u_x, line4_x<NX>(u_south, n)}, w_of_v = {w_z, line4_of<NX>(w_south.z + 1, n)};
        const struct pairs u_of_w = {u_x, line4_x<NX>(u_below, n)}, v_of_w = {v_y, line4_of<NX>(q.v_below, n)};
#define STAR_OF(f) star_at<NX>(x[f], q.y[f], z[f], n)
        t[TILE_U].at[n] = u_tendency(kind, STAR_OF(TILE_U), v_of_u, w_of_u, l.u0, mu);
        t[TILE_V].at[n] = v_tendency(kind, STAR_OF(TILE_V), u_of_v, w_of_v, l.v0, mv);
        t[TILE_W].at[n] = w_tendency(kind, STAR_OF(TILE_W), u_of_w, v_of_w, mw, l.rho_f.c, l.buoyancy_f, z[TILE_TH].z[1].at[n],
                                     z[TILE_TH].z[2].at[n]);
        t[TILE_TH].at[n] = theta_tendency(kind, STAR_OF(TILE_TH), FACES_OF(u_x), FACES_OF(v_y), FACES_OF(w_z), m, l.slope_bottom,
                                          l.slope_top);
        t[TILE_PI].at[n] = scalar_advection(STAR_OF(TILE_PI), FACES_OF(u_x), FACES_OF(v_y), FACES_OF(w_z), m);
#undef STAR_OF
    }
}

/* The share of a thread in copying a row of the tile: pieces of one level each. */
template <class T> struct copies {
    ptrdiff_t from[T::ROUNDS]; /* from the first element of the row */
    int to[T::ROUNDS];         /* < 0: none */
};

template <class T> __device__ static inline copies<T> copies_make(const struct slab &s, const struct box &b, int i0, int k0)
{
    copies<T> c;
    const int thread = (int)(threadIdx.y * 32 + threadIdx.x);
    for (int r = 0; r < T::ROUNDS; r++) {
        const int n = thread + r * T::THREADS, level = n / T::PIECES, piece = n % T::PIECES;
        const int i = i0 + (piece - 1) * T::PIECE, k = k0 - T::REACH + level;
        const int is_needed = n < T::COPIES && i < b.i1 + T::REACH && i + T::PIECE > b.i0 - T::REACH && k < b.k1 + T::REACH;
        c.from[r] = i + k * s.sk;
        c.to[r] = is_needed ? level * T::PITCH + piece * T::PIECE : -1;
    }
    return c;
}

template <class T> __device__ static inline void row_copy(real *slot, const copies<T> &c, const struct slab &s, ptrdiff_t row)
{
    for (int r = 0; r < T::ROUNDS; r++)
        if (c.to[r] >= 0)
            for (int f = 0; f < T::FIELDS; f++) copy_piece(slot + f * T::FIELD + c.to[r], s.f[F_U + f] + row + c.from[r]);
    copies_close();
}

template <class T> __device__ static inline void tendencies_store(const struct slab &s, const struct box &b, ptrdiff_t at, int i,
                                                                  const points<T::NX> *t)
{
    if (i >= b.i0 && i + T::NX <= b.i1)
        for (int f = 0; f < T::FIELDS; f++) *reinterpret_cast<points<T::NX> *>(s.w[F_UT + f] + at) = t[f];
    else
        for (int n = 0; n < T::NX; n++)
            if (i + n >= b.i0 && i + n < b.i1)
                for (int f = 0; f < T::FIELDS; f++) s.w[F_UT + f][at + n] = t[f].at[n];
}
static_assert(F_PIT == F_UT + TILE_PI, "and their tendencies");

/* `rows` of the box a block. The first tile begins where a piece does. */
template <int kind, class T>
__global__ void __launch_bounds__(T::THREADS, T::BLOCKS)
    advmix_tiles(const struct slab s, const struct box b, const struct dynamics d, const int rows)
{
    SF_SHARED(real, shared);
    struct level *const levels = reinterpret_cast<struct level *>(shared + T::SLOTS * T::SLOT);
    const int i0 = (b.i0 & -T::PIECE) + (int)blockIdx.x * T::WIDTH, k0 = b.k0 + (int)blockIdx.y * T::LEVELS;
    const int lane = (int)threadIdx.x * T::NX, level = (int)threadIdx.y, i = i0 + lane, k = k0 + level;
    const int j0 = b.j0 + (int)blockIdx.z * rows, j1 = SF_MIN(j0 + rows, b.j1), is_level = k < b.k1;
    const int own = (level + T::REACH) * T::PITCH + T::PIECE + lane;
    const copies<T> c = copies_make<T>(s, b, i0, k0);
    real *slot[T::SLOTS]; /* of rows j-2 .. j+2; the first is free for row j+3 */
    for (int n = 0; n < T::SLOTS; n++) slot[n] = shared + n * T::SLOT;

    ptrdiff_t row = (j0 - s.j0) * s.sj;
    for (int n = 0; n < 4; n++) row_copy<T>(slot[n], c, s, row + (n - 2) * s.sj);
    if (is_level && threadIdx.x == 0) levels[level] = level_make(&s, k);
    copies_wait();
    __syncthreads();
    along_y<T::NX> q;
    for (int n = 0; n < 4; n++) row_take<T>(q, n, slot[n] + own);
    row_copy<T>(slot[4], c, s, row + 2 * s.sj);

    for (int j = j0; j < j1;)
#pragma unroll
        for (int r = 0; r < T::ROWS; r++) {
            copies_wait();
            __syncthreads();
            if (j + 1 < j1) row_copy<T>(slot[0], c, s, row + 3 * s.sj);
            row_take<T>(q, 4, slot[4] + own);
            points<T::NX> t[5];
            tendencies<kind, T>(t, q, slot[2] + own, slot[1] + own, levels[level], d);
            if (is_level) tendencies_store<T>(s, b, row + k * s.sk + i, i, t);
            row_leave<T>(q);
            real *const free = slot[0];
            for (int n = 0; n < 4; n++) slot[n] = slot[n + 1];
            slot[4] = free;
            row += s.sj;
            if (++j >= j1) return;
        }
}
