/* The five tendencies by tiles of the i-j plane that go up along k: each field is read from memory once, and what two levels have in
 * common, products of wind and difference and fluxes of mixing between them, is computed once and kept in registers.
 *
 * Neighbours along x and y come through shared memory. It holds the planes k-1 .. k+2 of the tile and its edge, two more on their
 * way in, and the numbers of all levels. The fields are computed one after the other, so that the lines of one at a time are in
 * registers. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/copies.cuh"

#include "dynamics/advmix_rows.cuh"

/* A block of ACROSS x ROWS threads, N points in i each; BLOCKS of them a multiprocessor. TURN levels are unrolled, after which
 * planes and lines along z have gone round half of their places and nothing needs to be moved. */
template <int N_, int ACROSS_, int ROWS_, int BLOCKS_> struct tile {
    enum {
        N = N_,
        ACROSS = ACROSS_,
        ROWS = ROWS_,
        BLOCKS = BLOCKS_,
        WIDTH = N * ACROSS,
        THREADS = ACROSS * ROWS,
        REACH = 2,
        TURN = 3,
        PLANES = 2 * TURN,
        AHEAD = 2,
        LEVELS = 0, /* of the candidate: all */
        DEEP = ROWS,
        MOST = 128, /* levels a block at most */
        PIECE = 16 / (int)sizeof(real), /* what is copied at once */
        PITCH = WIDTH + 2 * PIECE,
        FIELD = PITCH * (ROWS + 2 * REACH),
        PLANE = ADVMIX_FIELDS * FIELD,
        PIECES = PITCH / PIECE,
        COPIES = PIECES * (ROWS + 2 * REACH),
        ROUNDS = (COPIES + THREADS - 1) / THREADS,
        BYTES = PLANES * PLANE * (int)sizeof(real) + (MOST + 2) * 16 * (int)sizeof(real)
    };
};

/* ---- values of a thread ------------------------------------------------------------------------------------------ */

/* N points side by side. */
template <int N> struct alignas(N * sizeof(real)) points {
    real at[N];
};

/* Those and two more on either side. */
template <int N> struct window {
    real at[N + 4];
};

/* Those and the same on two rows to either side. */
template <int N> struct rows5 {
    points<N> at[5];
};

/* One of the planes in shared memory; `at`: the thread's first point in it. load<M>: M values from i columns and j rows off that;
 * steps of M columns are aligned to them. */
template <class T> struct plane {
    const real *at;
    template <int M = T::N> __device__ points<M> load(int f, int i, int j) const
    {
        return *reinterpret_cast<const points<M> *>(at + f * T::FIELD + j * T::PITCH + i);
    }
    __device__ window<T::N> along_x(int f, int j, points<T::N> own) const
    {
        window<T::N> x;
        for (int i = 0; i < T::N; i++) x.at[i + 2] = own.at[i];
        for (int i = 0; i < 2; i += T::N) { /* N is 1 or 2 */
            const points<T::N> low = load(f, i - 2, j), high = load(f, i + T::N, j);
            for (int n = 0; n < T::N; n++) x.at[i + n] = low.at[n], x.at[T::N + 2 + i + n] = high.at[n];
        }
        return x;
    }
    __device__ rows5<T::N> along_y(int f, points<T::N> own) const
    {
        rows5<T::N> y;
        for (int j = -2; j <= 2; j++) y.at[j + 2] = j ? load(f, 0, j) : own;
        return y;
    }
};

template <int N> __device__ static inline struct line5 line5_x(const window<N> &x, int n)
{
    return {x.at[n], x.at[n + 1], x.at[n + 2], x.at[n + 3], x.at[n + 4]};
}

template <int N> __device__ static inline struct line4 line4_x(const window<N> &x, int n)
{
    return {x.at[n + 1], x.at[n + 2], x.at[n + 3], x.at[n + 4]};
}

template <int N> __device__ static inline struct line5 line5_y(const rows5<N> &y, int n)
{
    return {y.at[0].at[n], y.at[1].at[n], y.at[2].at[n], y.at[3].at[n], y.at[4].at[n]};
}

template <int N> __device__ static inline struct line4 line4_y(const rows5<N> &y, int n)
{
    return {y.at[1].at[n], y.at[2].at[n], y.at[3].at[n], y.at[4].at[n]};
}

/* ---- going up ---------------------------------------------------------------------------------------------------- */

/* What shared memory holds of a level k: its numbers, and the profiles at k + 2. */
struct alignas(16) step {
    struct rung at;
    real rho_f, u0, v0;
};
static_assert(sizeof(struct step) == 16 * sizeof(real), "a step is as large as a tile takes it to be");

__device__ static inline struct step step_make(const struct slab &s, int k)
{
    return {level_make(&s, k).at, s.f[P_RHOF][k + 2], s.f[P_U0][k + 2], s.f[P_V0][k + 2]};
}

/* What level k takes over of a field's line along z: the field at k-1, k and k+1, and less its base profile; of k-1, at the face
 * below k, products of wind and difference, and fluxes; products over two levels, of k-2 and k-1. */
struct climb {
    real m1, c, p1, less_m1, less_c, less_p1;
    real product, upwind, flux, product_m2, product_m1;
};

/* Up by a level: q and `less`, at k + 2, come. e and ee: the wind as advect4 takes it. The bits are those of lift_of. */
template <int kind>
__device__ static inline struct lift climb_on(struct climb &a, real q, real less, real e, real ee, real parts,
                                              const struct weights &m)
{
    const real product = e * (a.p1 - a.c), wide = ee * (q - a.c);
    struct lift l = {advect4_sum(a.product, product, a.product_m2, wide, m.z_near, m.z_wide), R(0.0), R(0.0)};
    if (kind & ADVECT_UPWIND) {
        const real upwind = upwind_face(a.m1, a.c, a.p1, q, e);
        l.upwind = parts * m.z_wide * (a.upwind - upwind);
        a.upwind = upwind;
    }
    if ((kind & MIX_MASK) != MIX_NONE) {
        const real flux = mix_flux(kind & MIX_MASK, a.less_m1, a.less_c, a.less_p1, less);
        l.mixing = mix_between(a.flux, flux, m.z_top, m.z_bottom);
        a.flux = flux;
    }
    a.m1 = a.c, a.c = a.p1, a.p1 = q;
    a.less_m1 = a.less_c, a.less_c = a.less_p1, a.less_p1 = less;
    a.product = product, a.product_m2 = a.product_m1, a.product_m1 = wide;
    return l;
}

/* The vertical wind times rho_0 on a level, as u, v and the others take it. */
template <int N> struct flow {
    points<N> u, v, w;
};

template <class T> __device__ static inline flow<T::N> flow_make(const plane<T> &p, real rho)
{
    const points<T::N> w = p.load(OF_W, 0, 0), south = p.load(OF_W, 0, -1);
    const real west = p.at[OF_W * T::FIELD - 1];
    flow<T::N> f;
    for (int n = 0; n < T::N; n++) {
        f.u.at[n] = rho * (w.at[n] + (n ? w.at[SF_MAX(n, 1) - 1] : west));
        f.v.at[n] = rho * (w.at[n] + south.at[n]);
        f.w.at[n] = rho * w.at[n];
    }
    return f;
}

/* A thread's columns on their way: their lines, and the flow through k, k+1 and k+2. */
template <int N> struct columns {
    struct climb line[ADVMIX_FIELDS][N];
    flow<N> here, next, last;
};

/* A field's lines go up by a level, to which q is the next; m: weights of the level that they leave. */
template <int kind, int N>
__device__ static inline void lines_climb(struct lift *l, columns<N> &c, int f, const points<N> &q,
                                          const struct step &s, const struct weights &m)
{
    for (int n = 0; n < N; n++) {
        struct climb &a = c.line[f][n];
        const real u = c.next.u.at[n], v = c.next.v.at[n], w = c.next.w.at[n], x = q.at[n];
        switch (f) {
        case OF_U:
            l[n] = climb_on<kind>(a, x, x - s.u0, u, u + c.last.u.at[n], R(2.0), m);
            break;
        case OF_V:
            l[n] = climb_on<kind>(a, x, x - s.v0, v, v + c.last.v.at[n], R(2.0), m);
            break;
        case OF_W:
            l[n] = climb_on<kind>(a, x, x, w + c.here.w.at[n], c.last.w.at[n] + c.here.w.at[n], R(1.0), m);
            break;
        default:
            l[n] = climb_on<kind>(a, x, x, w, w + c.last.w.at[n], R(2.0), m);
        }
    }
}

template <class T> __device__ static inline void flow_climb(columns<T::N> &c, const plane<T> &p, real rho)
{
    c.here = c.next, c.next = c.last, c.last = flow_make<T>(p, rho);
}

/* Without tendencies, up to below level k of a block: from above it the columns begin with what levels k-2 .. k+1 leave. */
template <int kind, class T>
__device__ static inline void columns_begin(columns<T::N> &c, const plane<T> &p, const struct slab &s, int k)
{
    const struct step profiles = {{}, s.f[P_RHOF][k], s.f[P_U0][k], s.f[P_V0][k]};
    const struct weights none = {};
    struct lift l[T::N];
    flow_climb<T>(c, p, profiles.rho_f);
    for (int f = 0; f < ADVMIX_FIELDS; f++) lines_climb<kind, T::N>(l, c, f, p.load(f, 0, 0), profiles, none);
}

/* ---- a level ----------------------------------------------------------------------------------------------------- */

/* What all fields of it need: planes k-1, k and k+2; u along x and v along y at k; its numbers. */
template <class T> struct stand {
    plane<T> below, here, above;
    window<T::N> u;
    rows5<T::N> v;
    struct step step;
    struct level level; /* its numbers alone */
};

template <int N> __device__ static inline points<N> own_of(const columns<N> &c, int f)
{
    points<N> q;
    for (int n = 0; n < N; n++) q.at[n] = c.line[f][n].c;
    return q;
}

template <class T>
__device__ static inline stand<T> stand_make(const columns<T::N> &c, const real *below, const real *here,
                                             const real *above, const struct step &s)
{
    stand<T> a = {{below}, {here}, {above}, {}, {}, s, {s.at, {}, {}, {}}};
    a.u = a.here.along_x(OF_U, 0, own_of(c, OF_U));
    a.v = a.here.along_y(OF_V, own_of(c, OF_V));
    return a;
}

#define FACES_OF(l) l.f0, l.f1, l.f2, l.f3

template <class T>
__device__ static inline points<T::N> pi_level(columns<T::N> &c, const stand<T> &a, const struct dynamics &d)
{
    constexpr int N = T::N;
    const struct weights m = weights_centre(&d, &a.level);
    const points<N> own = own_of(c, OF_PI);
    const window<N> x = a.here.along_x(OF_PI, 0, own);
    const rows5<N> y = a.here.along_y(OF_PI, own);
    struct lift z[N];
    lines_climb<MIX_NONE, N>(z, c, OF_PI, a.above.load(OF_PI, 0, 0), a.step, m);
    points<N> t;
    for (int n = 0; n < N; n++) {
        const struct line4 u = line4_x<N>(a.u, n), v = line4_y<N>(a.v, n);
        t.at[n] = scalar_sum(line5_x<N>(x, n), line5_y<N>(y, n), FACES_OF(u), FACES_OF(v), z[n], m);
    }
    return t;
}

/* Before theta's lines climb, and w's. */
template <int kind, class T>
__device__ static inline points<T::N> w_level(columns<T::N> &c, const stand<T> &a, const struct dynamics &d)
{
    constexpr int N = T::N;
    const struct weights m = weights_w(&d, &a.level);
    const points<N> own = own_of(c, OF_W);
    const window<N> x = a.here.along_x(OF_W, 0, own), u_below = a.below.along_x(OF_U, 0, a.below.load(OF_U, 0, 0));
    const rows5<N> y = a.here.along_y(OF_W, own), v_below = a.below.along_y(OF_V, a.below.load(OF_V, 0, 0));
    struct lift z[N];
    lines_climb<kind, N>(z, c, OF_W, a.above.load(OF_W, 0, 0), a.step, m);
    points<N> t;
    for (int n = 0; n < N; n++) {
        const struct climb &theta = c.line[OF_TH][n];
        const struct pairs u = {line4_x<N>(a.u, n), line4_x<N>(u_below, n)},
                           v = {line4_y<N>(a.v, n), line4_y<N>(v_below, n)};
        t.at[n] =
            w_sum(kind, line5_x<N>(x, n), line5_y<N>(y, n), u, v, z[n], m, a.level.at.buoyancy_f, theta.m1, theta.c);
    }
    return t;
}

/* After w's lines have climbed. */
template <int kind, class T>
__device__ static inline points<T::N> theta_level(columns<T::N> &c, const stand<T> &a, const struct dynamics &d)
{
    constexpr int N = T::N;
    const struct weights m = weights_centre(&d, &a.level);
    const points<N> own = own_of(c, OF_TH);
    const window<N> x = a.here.along_x(OF_TH, 0, own);
    const rows5<N> y = a.here.along_y(OF_TH, own);
    struct lift z[N];
    lines_climb<kind, N>(z, c, OF_TH, a.above.load(OF_TH, 0, 0), a.step, m);
    points<N> t;
    for (int n = 0; n < N; n++) {
        const struct climb &w = c.line[OF_W][n];
        const struct line4 u = line4_x<N>(a.u, n), v = line4_y<N>(a.v, n);
        t.at[n] = theta_sum(kind, line5_x<N>(x, n), line5_y<N>(y, n), FACES_OF(u), FACES_OF(v), w.m1, w.c, z[n], m,
                            a.level.at.slope_bottom, a.level.at.slope_top);
    }
    return t;
}

template <int kind, class T>
__device__ static inline points<T::N> u_level(columns<T::N> &c, const stand<T> &a, const struct dynamics &d)
{
    constexpr int N = T::N;
    const struct weights m = weights_u(&d, &a.level);
    const rows5<N> y = a.here.along_y(OF_U, own_of(c, OF_U));
    const real *const west = a.here.at + OF_V * T::FIELD - 1;
    struct lift z[N];
    lines_climb<kind, N>(z, c, OF_U, a.above.load(OF_U, 0, 0), a.step, m);
    points<N> t;
    for (int n = 0; n < N; n++) {
        const struct line4 v_west = {west[-T::PITCH], west[0], west[T::PITCH], west[2 * T::PITCH]};
        const struct pairs v = {line4_y<N>(a.v, n), n ? line4_y<N>(a.v, SF_MAX(n, 1) - 1) : v_west};
        t.at[n] = u_sum(kind, line5_x<N>(a.u, n), line5_y<N>(y, n), v, z[n], m);
    }
    return t;
}

template <int kind, class T>
__device__ static inline points<T::N> v_level(columns<T::N> &c, const stand<T> &a, const struct dynamics &d)
{
    constexpr int N = T::N;
    const struct weights m = weights_v(&d, &a.level);
    const window<N> x = a.here.along_x(OF_V, 0, own_of(c, OF_V)),
                    u_south = a.here.along_x(OF_U, -1, a.here.load(OF_U, 0, -1));
    struct lift z[N];
    lines_climb<kind, N>(z, c, OF_V, a.above.load(OF_V, 0, 0), a.step, m);
    points<N> t;
    for (int n = 0; n < N; n++) {
        const struct pairs u = {line4_x<N>(a.u, n), line4_x<N>(u_south, n)};
        t.at[n] = v_sum(kind, line5_x<N>(x, n), line5_y<N>(a.v, n), u, z[n], m);
    }
    return t;
}

/* Where a thread's tendencies go. */
template <class T> struct target {
    const struct slab &s;
    ptrdiff_t at; /* bytes to the first */
    int from, to; /* of the thread's points those that lie in the box */
    /* is_cut: some threads have points in the box and others. */
    template <int is_cut> __device__ void put(int f, const points<T::N> &t) const
    {
        real *const field = moved(s.w[F_UT + f], at);
        if constexpr (!is_cut) {
            if (from <= 0 && to > 0) *reinterpret_cast<points<T::N> *>(field) = t;
        } else {
            for (int n = 0; n < T::N; n++)
                if (n >= from && n < to) field[n] = t.at[n];
        }
    }
};

/* One field after the other, so that few registers hold what is for one alone. */
template <int kind, int is_cut, class T>
__device__ static inline void level_make_all(columns<T::N> &c, const stand<T> &a, const struct dynamics &d,
                                             const target<T> &to)
{
    flow_climb<T>(c, a.above, a.step.rho_f);
    to.template put<is_cut>(OF_PI, pi_level<T>(c, a, d));
    to.template put<is_cut>(OF_W, w_level<kind, T>(c, a, d));
    to.template put<is_cut>(OF_TH, theta_level<kind, T>(c, a, d));
    to.template put<is_cut>(OF_U, u_level<kind, T>(c, a, d));
    to.template put<is_cut>(OF_V, v_level<kind, T>(c, a, d));
}

/* ---- planes ------------------------------------------------------------------------------------------------------ */

/* The share of a thread in copying a plane of the tile: pieces of one row each. */
template <class T> struct copies {
    ptrdiff_t from[T::ROUNDS]; /* bytes from the first element of level 0 */
    int to[T::ROUNDS]; /* < 0: none */
};

template <class T>
__device__ static inline copies<T> copies_make(const struct slab &s, const struct box &b, int i0, int j0)
{
    copies<T> c;
    for (int r = 0; r < T::ROUNDS; r++) {
        const int n = (int)(threadIdx.y * T::ACROSS + threadIdx.x) + r * T::THREADS, row = n / T::PIECES,
                  piece = n % T::PIECES;
        const int i = i0 + (piece - 1) * T::PIECE, j = j0 - T::REACH + row;
        const int is_needed =
            n < T::COPIES && i < b.i1 + T::REACH && i + T::PIECE > b.i0 - T::REACH && j < b.j1 + T::REACH;
        c.from[r] = ((j - s.j0) * s.sj + i) * REAL;
        c.to[r] = is_needed ? row * T::PITCH + piece * T::PIECE : -1;
    }
    return c;
}

/* `level`: bytes to it. */
template <class T>
__device__ static inline void plane_copy(real *plane, const copies<T> &c, const struct slab &s, ptrdiff_t level)
{
    for (int r = 0; r < T::ROUNDS; r++)
        if (c.to[r] >= 0)
            for (int f = 0; f < ADVMIX_FIELDS; f++)
                copy_piece(plane + f * T::FIELD + c.to[r], moved(s.f[F_U + f], level + c.from[r]));
}

/* Where planes lie in shared memory: a block's level k in place k - k0, modulo their number, in two halves of which `first` is that of
 * the level at hand. */
template <class T> struct places {
    real *first, *second;
    __device__ real *of(int n) const
    {
        n = (n + T::PLANES) % T::PLANES;
        return (n < T::TURN ? first : second) + n % T::TURN * T::PLANE;
    }
};

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

/* `levels` of the box a block. The first tile begins where a piece does. */
template <int kind, int is_cut, class T>
__global__ void __launch_bounds__(T::THREADS, T::BLOCKS)
    advmix_tiles(const struct slab s, const struct box b, const struct dynamics d, const int levels)
{
    launch_wait();
    SF_SHARED(real, shared);
    struct step *step = reinterpret_cast<struct step *>(shared + T::PLANES * T::PLANE);
    places<T> places = {shared, shared + T::TURN * T::PLANE};
    const int i0 = (b.i0 & -T::PIECE) + (int)blockIdx.x * T::WIDTH, j0 = b.j0 + (int)blockIdx.y * T::ROWS;
    const int k0 = b.k0 + (int)blockIdx.z * levels, k1 = SF_MIN(k0 + levels, b.k1);
    const int lane = (int)threadIdx.x * T::N, i = i0 + lane, j = j0 + (int)threadIdx.y, is_row = j < b.j1;
    const int own = ((int)threadIdx.y + T::REACH) * T::PITCH + T::PIECE + lane;
    const copies<T> c = copies_make<T>(s, b, i0, j0);
    const ptrdiff_t sk = s.sk * REAL;

    for (int n = -2; n < 2 + T::AHEAD; n++) {
        if (k0 + n < k1 + T::REACH) plane_copy<T>(places.of(n), c, s, (k0 + n) * sk);
        if (n > 0) copies_close();
    }
    for (int n = (int)(threadIdx.y * T::ACROSS + threadIdx.x); n < k1 - k0; n += T::THREADS)
        step[n] = step_make(s, k0 + n);
    copies_wait<T::AHEAD>();
    __syncthreads();
    columns<T::N> q = {};
    for (int n = -2; n < 2; n++) columns_begin<kind, T>(q, {places.of(n) + own}, s, k0 + n);

    target<T> to = {s, ((j - s.j0) * s.sj + k0 * s.sk + i) * REAL, b.i0 - i, is_row ? b.i1 - i : 0};
    ptrdiff_t ahead = (k0 + 2 + T::AHEAD) * sk;
    for (int k = k0; k < k1;) {
#pragma unroll
        for (int r = 0; r < T::TURN; r++) {
            copies_wait<T::AHEAD - 1>(); /* plane k + 2 is there */
            __syncthreads();
            if (k + T::AHEAD < k1) plane_copy<T>(places.of(r + 2 + T::AHEAD), c, s, ahead);
            copies_close();
            const stand<T> a =
                stand_make<T>(q, places.of(r - 1) + own, places.of(r) + own, places.of(r + 2) + own, *step);
            level_make_all<kind, is_cut, T>(q, a, d, to);
            if (++k >= k1) return;
            to.at += sk, ahead += sk, step++;
        }
        places = {places.second, places.first};
    }
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* Levels a block: so many that all blocks end soonest, in rounds of those that the multiprocessors hold at once. To begin costs a block
 * about as much as START levels. */
static inline int tile_levels(int levels, unsigned tiles, unsigned at_once, int most)
{
    enum { START = 4, CUTS = 32 };
    const int fewest = (levels + most - 1) / most;
    int best = 0;
    long least = 0;
    for (int cuts = fewest; cuts <= SF_MAX(fewest, CUTS) && cuts <= levels; cuts++) {
        const int each = (levels + cuts - 1) / cuts;
        const long time = ((long)tiles * cuts + at_once - 1) / at_once * (each + START);
        if (!best || time < least) best = each, least = time;
    }
    return best;
}

template <int kind, int is_cut, class T>
static void tiles_launch(const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    const unsigned across = blocks_of(b.i1 - (b.i0 & -T::PIECE), T::WIDTH), along = blocks_of(b.j1 - b.j0, T::ROWS);
    const int levels =
        tile_levels(b.k1 - b.k0, across * along, (unsigned)(launch_multiprocessors() * T::BLOCKS), T::MOST);
    SF_LAUNCH_BLOCKS((advmix_tiles<kind, is_cut, T>), dim3(across, along, blocks_of(b.k1 - b.k0, levels)),
                     dim3(T::ACROSS, T::ROWS), T::BYTES, stream, *s, b, *d, levels);
}

template <int kind, int N, int A, int R, int B>
static void form_launch(tile<N, A, R, B>, const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    if (b.i0 % N || b.i1 % N) tiles_launch<kind, (N > 1), tile<N, A, R, B>>(s, b, d, stream);
    else tiles_launch<kind, 0, tile<N, A, R, B>>(s, b, d, stream);
}

template <int kind, int N, int A, int R, int B> static const void *form_kernel(tile<N, A, R, B>)
{
    return (const void *)advmix_tiles<kind, 0, tile<N, A, R, B>>;
}
