/* The kernels of the five tendencies.
 *
 *     advmix_plain   a thread a point, neighbours through the first-level cache
 *     advmix_rows    a thread some rows of one (i, k), neighbours likewise
 *     advmix_tiles   tiles of the i-k plane that march along j: each field is read from memory once
 *
 * A thread that goes along j keeps its lines along y in registers. What two rows have in common of them, sums of the wind and
 * products at the faces between, is kept by the compiler where it sees the rows at once. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/copies.cuh"

#include "dynamics/advmix_line.h"

/* The fields and, in the same order, their tendencies: counted from F_U and F_UT. */
enum { OF_U, OF_V, OF_W, OF_TH, OF_PI, ADVMIX_FIELDS };
static_assert(F_PI == F_U + OF_PI && F_PIT == F_UT + OF_PI, "the fields of advmix are in order");

template <int kind>
__global__ void advmix_plain(const struct slab s, const struct box b, const struct dynamics d)
{
    launch_wait();
    const struct launch_point p = launch_here(b);
    if (!p.is_inside) return;
    const ptrdiff_t sj = s.sj, sk = s.sk, at = (p.j - s.j0) * sj + p.k * sk;
    const int i = p.i, k = p.k;
    const real *const u = s.f[F_U] + at, *const v = s.f[F_V] + at, *const w = s.f[F_W] + at;
    const real *const th = s.f[F_TH] + at, *const pi = s.f[F_PI] + at;
    const struct star qu = STAR(u), qv = STAR(v), qw = STAR(w), qth = STAR(th), qpi = STAR(pi);
    const struct pairs v_of_u = PAIRS(v, sj, 1), w_of_u = PAIRS(w, sk, 1), u_of_v = PAIRS(u, 1, sj), w_of_v = PAIRS(w, sk, sj);
    const struct pairs u_of_w = PAIRS(u, 1, sk), v_of_w = PAIRS(v, sj, sk);
    const struct level l = level_make(&s, k);
    const struct weights m = weights_centre(&d, &l);
    const real ut = u_tendency(kind, qu, v_of_u, w_of_u, l.u0, weights_u(&d, &l));
    const real vt = v_tendency(kind, qv, u_of_v, w_of_v, l.v0, weights_v(&d, &l));
    const real wt = w_tendency(kind, qw, u_of_w, v_of_w, weights_w(&d, &l), l.rho_f.c, l.buoyancy_f, qth.z.m1, qth.z.c);
    const real tht = theta_tendency(kind, qth, FACES(u, 1), FACES(v, sj), FACES(w, sk), m, l.slope_bottom, l.slope_top);
    const real pit = scalar_advection(qpi, FACES(u, 1), FACES(v, sj), FACES(w, sk), m);
    s.w[F_UT][at + i] = ut, s.w[F_VT][at + i] = vt, s.w[F_WT][at + i] = wt, s.w[F_THT][at + i] = tht, s.w[F_PIT][at + i] = pit;
}

/* ---- a thread's points on one row -------------------------------------------------------------------------------- */

/* N values side by side. */
template <int N> struct alignas(N * sizeof(real)) points {
    real at[N];
};

/* A thread's N points and two more on either side. */
template <int N> struct window {
    real at[N + 4];
};

/* And on levels k-2 .. k+2. */
template <int N> struct upright {
    points<N> at[5];
};

/* On rows j-2 .. j+2, each field; and of v, on rows j-1 .. j+2, the value west of the first point, and those below. */
template <int N> struct rows5 {
    points<N> at[ADVMIX_FIELDS][5];
    real v_west[4];
    points<N> v_below[4];
};

/* A place knows where the thread's points of one row lie: place.load<n>(field, i, k), n values from (i, k) off the first. */

template <int N, class P> __device__ static inline window<N> window_load(const P &p, int f, int k, points<N> own)
{
    window<N> x;
    const points<2> low = p.template load<2>(f, -2, k), high = p.template load<2>(f, N, k);
    x.at[0] = low.at[0], x.at[1] = low.at[1];
    for (int n = 0; n < N; n++) x.at[2 + n] = own.at[n];
    x.at[2 + N] = high.at[0], x.at[3 + N] = high.at[1];
    return x;
}

template <int N, class P> __device__ static inline upright<N> upright_load(const P &p, int f, points<N> own)
{
    upright<N> z;
    for (int k = -2; k <= 2; k++) z.at[k + 2] = k ? p.template load<N>(f, 0, k) : own;
    return z;
}

/* Row j - 2 + n has come. */
template <int N, class P> __device__ static inline void row_take(rows5<N> &q, int n, const P &p)
{
    for (int f = 0; f < ADVMIX_FIELDS; f++) q.at[f][n] = p.template load<N>(f, 0, 0);
    if (!n) return;
    q.v_west[n - 1] = p.template load<1>(OF_V, -1, 0).at[0];
    q.v_below[n - 1] = p.template load<N>(OF_V, 0, -1);
}

template <int N> __device__ static inline void row_leave(rows5<N> &q)
{
    for (int f = 0; f < ADVMIX_FIELDS; f++)
        for (int n = 0; n < 4; n++) q.at[f][n] = q.at[f][n + 1];
    for (int n = 0; n < 3; n++) q.v_west[n] = q.v_west[n + 1], q.v_below[n] = q.v_below[n + 1];
}

template <int N> __device__ static inline struct star star_of(window<N> x, const points<N> *y, upright<N> z, int n)
{
    const struct star s = {{x.at[n], x.at[n + 1], x.at[n + 2], x.at[n + 3], x.at[n + 4]},
                           {y[0].at[n], y[1].at[n], y[2].at[n], y[3].at[n], y[4].at[n]},
                           {z.at[0].at[n], z.at[1].at[n], z.at[2].at[n], z.at[3].at[n], z.at[4].at[n]}};
    return s;
}

template <int N> __device__ static inline struct line4 line4_x(window<N> x, int n)
{
    const struct line4 l = {x.at[n + 1], x.at[n + 2], x.at[n + 3], x.at[n + 4]};
    return l;
}

template <int N> __device__ static inline struct line4 line4_of(const points<N> *q, int n)
{
    const struct line4 l = {q[0].at[n], q[1].at[n], q[2].at[n], q[3].at[n]};
    return l;
}

/* Of the points west of those; `west`: west of the first. */
template <int N> __device__ static inline struct line4 line4_west(const points<N> *q, const real *west, int n)
{
    if (n) return line4_of<N>(q, n - 1);
    const struct line4 l = {west[0], west[1], west[2], west[3]};
    return l;
}

#define STAR_OF(f) star_of<N>(x[f], q.at[f], z[f], n)
#define FACES_OF(l) l.f0, l.f1, l.f2, l.f3

/* The tendencies of a thread's points on row j; `here` is their place, `south` that on row j - 1. */
template <int kind, int N, class P>
__device__ static inline void tendencies(points<N> *t, const rows5<N> &q, const P &here, const P &south, const struct level &l,
                                         const struct dynamics &d)
{
    window<N> x[ADVMIX_FIELDS];
    upright<N> z[ADVMIX_FIELDS];
    for (int f = 0; f < ADVMIX_FIELDS; f++) {
        x[f] = window_load<N>(here, f, 0, q.at[f][2]);
        z[f] = upright_load<N>(here, f, q.at[f][2]);
    }
    const window<N> u_south = window_load<N>(south, OF_U, 0, q.at[OF_U][1]),
                    u_below = window_load<N>(here, OF_U, -1, z[OF_U].at[1]);
    const upright<N> w_south = upright_load<N>(south, OF_W, q.at[OF_W][1]);
    real w_west[4];
    for (int k = -1; k <= 2; k++) w_west[k + 1] = k ? here.template load<1>(OF_W, -1, k).at[0] : x[OF_W].at[1];
    const struct weights mu = weights_u(&d, &l), mv = weights_v(&d, &l), mw = weights_w(&d, &l), m = weights_centre(&d, &l);
    for (int n = 0; n < N; n++) {
        const struct line4 u_x = line4_x<N>(x[OF_U], n), v_y = line4_of<N>(q.at[OF_V] + 1, n),
                           w_z = line4_of<N>(z[OF_W].at + 1, n);
        const struct pairs v_of_u = {v_y, line4_west<N>(q.at[OF_V] + 1, q.v_west, n)};
        const struct pairs w_of_u = {w_z, line4_west<N>(z[OF_W].at + 1, w_west, n)};
        const struct pairs u_of_v = {u_x, line4_x<N>(u_south, n)}, w_of_v = {w_z, line4_of<N>(w_south.at + 1, n)};
        const struct pairs u_of_w = {u_x, line4_x<N>(u_below, n)}, v_of_w = {v_y, line4_of<N>(q.v_below, n)};
        t[OF_U].at[n] = u_tendency(kind, STAR_OF(OF_U), v_of_u, w_of_u, l.u0, mu);
        t[OF_V].at[n] = v_tendency(kind, STAR_OF(OF_V), u_of_v, w_of_v, l.v0, mv);
        t[OF_W].at[n] = w_tendency(kind, STAR_OF(OF_W), u_of_w, v_of_w, mw, l.rho_f.c, l.buoyancy_f, z[OF_TH].at[1].at[n],
                                   z[OF_TH].at[2].at[n]);
        t[OF_TH].at[n] = theta_tendency(kind, STAR_OF(OF_TH), FACES_OF(u_x), FACES_OF(v_y), FACES_OF(w_z), m, l.slope_bottom,
                                        l.slope_top);
        t[OF_PI].at[n] = scalar_advection(STAR_OF(OF_PI), FACES_OF(u_x), FACES_OF(v_y), FACES_OF(w_z), m);
    }
}

/* To the points from column i on that lie in the box; at: bytes to the first of them. */
template <int N>
__device__ static inline void tendencies_store(const struct slab &s, const struct box &b, ptrdiff_t at, int i,
                                               const points<N> *t)
{
    if (i >= b.i0 && i + N <= b.i1)
        for (int f = 0; f < ADVMIX_FIELDS; f++) *reinterpret_cast<points<N> *>(moved(s.w[F_UT + f], at)) = t[f];
    else if constexpr (N > 1)
        for (int n = 0; n < N; n++)
            if (i + n >= b.i0 && i + n < b.i1)
                for (int f = 0; f < ADVMIX_FIELDS; f++) moved(s.w[F_UT + f], at)[n] = t[f].at[n];
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* In memory. */
struct memory_place {
    const struct slab &s;
    ptrdiff_t at;
    template <int N> __device__ points<N> load(int f, int i, int k) const
    {
        points<N> p;
        for (int n = 0; n < N; n++) p.at[n] = s.f[F_U + f][at + k * s.sk + i + n];
        return p;
    }
};

/* Blocks of 32 x LEVELS threads; ROWS rows each. */
template <int LEVELS_, int ROWS_> struct strip {
    enum { WIDTH = 32, LEVELS = LEVELS_, ROWS = ROWS_, DEEP = ROWS, THREADS = 32 * LEVELS, BYTES = 0 };
};

template <int kind, class T>
__global__ void __launch_bounds__(T::THREADS) advmix_rows(const struct slab s, const struct box b, const struct dynamics d)
{
    launch_wait();
    const int i = b.i0 + (int)(blockIdx.x * 32 + threadIdx.x), k = b.k0 + (int)(blockIdx.y * T::LEVELS + threadIdx.y);
    const int j0 = b.j0 + (int)blockIdx.z * T::ROWS;
    if (i >= b.i1 || k >= b.k1) return;
    const ptrdiff_t sj = s.sj, at = (j0 - s.j0) * sj + k * s.sk + i;
    const struct level l = level_make(&s, k);
    rows5<1> q;
    for (int n = 0; n < 4; n++) row_take(q, n, memory_place{s, at + (n - 2) * sj});
#pragma unroll
    for (int r = 0; r < T::ROWS; r++) {
        if (j0 + r >= b.j1) return;
        const ptrdiff_t row = at + r * sj;
        row_take(q, 4, memory_place{s, row + 2 * sj});
        points<1> t[ADVMIX_FIELDS];
        tendencies<kind, 1>(t, q, memory_place{s, row}, memory_place{s, row - sj}, l, d);
        tendencies_store<1>(s, b, row * REAL, i, t);
        row_leave(q);
    }
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

/* A block of 32 x LEVELS threads computes 32 N x LEVELS points of a row, N of them in i each thread; BLOCKS of them a
 * multiprocessor. Shared memory holds, of the tile and its edge, rows j-1 .. j+2, row j+3 on its way in, and the numbers of
 * the levels: in registers they would be 28. ROWS rows are unrolled: 5, after which slots and lines along y have gone round
 * and nothing needs to be moved, or 1 for short code. */
template <int N_, int LEVELS_, int ROWS_, int BLOCKS_> struct tile {
    enum {
        N = N_, LEVELS = LEVELS_, ROWS = ROWS_, BLOCKS = BLOCKS_,
        SLOTS = 5, REACH = 2, WIDTH = 32 * N, THREADS = 32 * LEVELS, DEEP = 64, /* rows a block at most */
        PIECE = 16 / (int)sizeof(real), /* what is copied at once */
        PITCH = WIDTH + 2 * PIECE, FIELD = PITCH * (LEVELS + 2 * REACH), SLOT = ADVMIX_FIELDS * FIELD,
        PIECES = PITCH / PIECE, COPIES = PIECES * (LEVELS + 2 * REACH), ROUNDS = (COPIES + THREADS - 1) / THREADS,
        BYTES = SLOTS * SLOT * (int)sizeof(real) + LEVELS * (int)sizeof(struct level)
    };
};

/* In a slot. Steps of two and of N values are aligned to them. */
template <class T> struct slot_place {
    const real *at;
    template <int N> __device__ points<N> load(int f, int i, int k) const
    {
        const real *const p = at + f * T::FIELD + k * T::PITCH + i;
        if constexpr (N <= T::N) {
            return *reinterpret_cast<const points<N> *>(p);
        } else {
            points<N> q;
            for (int n = 0; n < N; n++) q.at[n] = p[n];
            return q;
        }
    }
};

/* The share of a thread in copying a row of the tile: pieces of one level each. */
template <class T> struct copies {
    ptrdiff_t from[T::ROUNDS]; /* bytes from the first element of the row */
    int to[T::ROUNDS];         /* < 0: none */
};

template <class T> __device__ static inline copies<T> copies_make(const struct slab &s, const struct box &b, int i0, int k0)
{
    copies<T> c;
    for (int r = 0; r < T::ROUNDS; r++) {
        const int n = (int)(threadIdx.y * 32 + threadIdx.x) + r * T::THREADS, level = n / T::PIECES, piece = n % T::PIECES;
        const int i = i0 + (piece - 1) * T::PIECE, k = k0 - T::REACH + level;
        const int is_needed = n < T::COPIES && i < b.i1 + T::REACH && i + T::PIECE > b.i0 - T::REACH && k < b.k1 + T::REACH;
        c.from[r] = (i + k * s.sk) * REAL;
        c.to[r] = is_needed ? level * T::PITCH + piece * T::PIECE : -1;
    }
    return c;
}

template <class T> __device__ static inline void row_copy(real *slot, const copies<T> &c, const struct slab &s, ptrdiff_t row)
{
    for (int r = 0; r < T::ROUNDS; r++)
        if (c.to[r] >= 0)
            for (int f = 0; f < ADVMIX_FIELDS; f++)
                copy_piece(slot + f * T::FIELD + c.to[r], moved(s.f[F_U + f], row + c.from[r]));
    copies_close();
}

/* `rows` of the box a block. The first tile begins where a piece does. */
template <int kind, class T>
__global__ void __launch_bounds__(T::THREADS, T::BLOCKS)
    advmix_tiles(const struct slab s, const struct box b, const struct dynamics d, const int rows)
{
    launch_wait();
    SF_SHARED(real, shared);
    struct level *const levels = reinterpret_cast<struct level *>(shared + T::SLOTS * T::SLOT);
    const int i0 = (b.i0 & -T::PIECE) + (int)blockIdx.x * T::WIDTH, k0 = b.k0 + (int)blockIdx.y * T::LEVELS;
    const int lane = (int)threadIdx.x * T::N, level = (int)threadIdx.y, i = i0 + lane, k = k0 + level, is_level = k < b.k1;
    const int j0 = b.j0 + (int)blockIdx.z * rows, j1 = SF_MIN(j0 + rows, b.j1);
    const int own = (level + T::REACH) * T::PITCH + T::PIECE + lane;
    const copies<T> c = copies_make<T>(s, b, i0, k0);
    real *slot[T::SLOTS]; /* of rows j-2 .. j+2; the first is free for row j+3 */
    for (int n = 0; n < T::SLOTS; n++) slot[n] = shared + n * T::SLOT;

    const ptrdiff_t sj = s.sj * REAL, first = (j0 - s.j0) * sj;
    for (int n = 0; n < 4; n++) row_copy<T>(slot[n], c, s, first + (n - 2) * sj);
    if (is_level && threadIdx.x == 0) levels[level] = level_make(&s, k);
    copies_wait();
    __syncthreads();
    rows5<T::N> q;
    for (int n = 0; n < 4; n++) row_take(q, n, slot_place<T>{slot[n] + own});
    row_copy<T>(slot[4], c, s, first + 2 * sj);

    ptrdiff_t ahead = first + 3 * sj, at = first + (k * s.sk + i) * REAL;
    for (int j = j0; j < j1;)
#pragma unroll
        for (int r = 0; r < T::ROWS; r++) {
            copies_wait();
            __syncthreads();
            if (j + 1 < j1) row_copy<T>(slot[0], c, s, ahead);
            row_take(q, 4, slot_place<T>{slot[4] + own});
            points<T::N> t[ADVMIX_FIELDS];
            tendencies<kind, T::N>(t, q, slot_place<T>{slot[2] + own}, slot_place<T>{slot[1] + own}, levels[level], d);
            if (is_level) tendencies_store<T::N>(s, b, at, i, t);
            row_leave(q);
            real *const free = slot[0];
            for (int n = 0; n < 4; n++) slot[n] = slot[n + 1];
            slot[4] = free;
            at += sj, ahead += sj;
            if (++j >= j1) return;
        }
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* A form is a type: plain, strip or tile. form_launch puts it into the stream, form_kernel is what is launched. */

struct plain {
    enum { WIDTH = LAUNCH_I, LEVELS = LAUNCH_K, DEEP = 1, THREADS = LAUNCH_I * LAUNCH_K, BYTES = 0 };
};

static inline unsigned blocks_of(int n, int each) { return (unsigned)((n + each - 1) / each); }

template <int kind> static void form_launch(plain, const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    SF_LAUNCH((advmix_plain<kind>), launch_grid(b), launch_block(), stream, *s, b, *d);
}

template <int kind, int L, int R>
static void form_launch(strip<L, R>, const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    const dim3 grid(blocks_of(b.i1 - b.i0, 32), blocks_of(b.k1 - b.k0, L), blocks_of(b.j1 - b.j0, R));
    SF_LAUNCH((advmix_rows<kind, strip<L, R> >), grid, dim3(32, L), stream, *s, b, *d);
}

/* Rows a block: every multiprocessor of a large device shall have several blocks, of which each reads four rows more than it
 * computes. */
static inline int tile_rows(int rows, unsigned tiles, int most)
{
    return (int)SF_MIN(SF_MAX((long)rows * tiles / 1024, 8), most);
}

template <int kind, int N, int L, int R, int B>
static void form_launch(tile<N, L, R, B>, const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    typedef tile<N, L, R, B> T;
    const unsigned across = blocks_of(b.i1 - (b.i0 & -T::PIECE), T::WIDTH), up = blocks_of(b.k1 - b.k0, L);
    const int rows = tile_rows(b.j1 - b.j0, across * up, T::DEEP);
    SF_LAUNCH_BLOCKS((advmix_tiles<kind, T>), dim3(across, up, blocks_of(b.j1 - b.j0, rows)), dim3(32, L), T::BYTES, stream, *s,
                     b, *d, rows);
}

template <int kind> static const void *form_kernel(plain) { return (const void *)advmix_plain<kind>; }
template <int kind, int L, int R> static const void *form_kernel(strip<L, R>)
{
    return (const void *)advmix_rows<kind, strip<L, R>>;
}
template <int kind, int N, int L, int R, int B> static const void *form_kernel(tile<N, L, R, B>)
{
    return (const void *)advmix_tiles<kind, tile<N, L, R, B> >;
}
