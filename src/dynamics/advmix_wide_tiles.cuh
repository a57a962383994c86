/* The five tendencies with lines of seven points by tiles of the i-j plane that go up along k. Shared memory holds the
 * planes k-1 .. k+3 of the tile and its edge, more on their way in, and the numbers of all levels. Every warp has a
 * role, the field whose tendency it computes.
 *
 * Two kernels share the tendencies: one takes u and v, one the rest. Loops of all roles together have 43 KB of
 * instructions or more, and their warps wait for these half of the time (H200); up to about 32 KB they do not. That is
 * worth reading u, v and w twice. For the same reason no levels are unrolled. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/advmix_wide_columns.cuh"

/* Which tendencies a kernel computes, a role each: those of u and of v, which take no scalars; of w, and of theta' and
 * pi'. */
enum wide_part { WIDE_WIND, WIDE_REST };

/* A block has ROLES times ACROSS x ROWS threads, N points in i each; BLOCKS of them a multiprocessor. */
template <int PART, int ROWS_, int BLOCKS_> struct wide_tile {
    enum {
        IS_WIND = PART == WIDE_WIND,
        FIELDS = IS_WIND ? OF_W + 1 : ADVMIX_FIELDS, /* that come */
        N = SF_PREC == 64 ? 2 : 4,
        ACROSS = 8,
        ROWS = ROWS_,
        ROLES = 2,
        BLOCKS = BLOCKS_,
        WIDTH = N * ACROSS,
        GROUP = ACROSS * ROWS, /* threads of a role */
        THREADS = ROLES * GROUP,
        REACH = 3,
        SIDE = (REACH + N - 1) / N * N, /* columns beside a thread's points, in whole reads */
        AHEAD = 2,
        PLANES = 2 * REACH + AHEAD, /* as many as come first */
        GATES = 4,
        LEVELS = 0, /* of the candidate: all */
        DEEP = ROWS,
        MOST = 128, /* levels a block at most */
        PIECE = 16 / (int)sizeof(real), /* what is copied at once */
        EDGE = (REACH + PIECE - 1) / PIECE * PIECE,
        PITCH = WIDTH + 2 * EDGE,
        BOX = PITCH * (ROWS + 2 * REACH), /* of a field */
        FIELD = (BOX * (int)sizeof(real) + 127) / 128 * 128 / (int)sizeof(real),
        PLANE = FIELDS * FIELD,
        PIECES = PITCH / PIECE,
        COPIES = PIECES * (ROWS + 2 * REACH),
        ROUNDS = (COPIES + THREADS - 1) / THREADS,
        BYTES = PLANES * PLANE * (int)sizeof(real) + MOST * (int)sizeof(struct wide_step) +
                (GATES + 1) * (int)sizeof(mbarrier)
    };
};

/* Where planes lie in shared memory, counted from a block's first level. */
template <class T> struct ring {
    real *at;
    __device__ real *of(int n) const
    {
        static_assert((T::PLANES & (T::PLANES - 1)) == 0, "places are found by masks");
        return at + (n & (T::PLANES - 1)) * T::PLANE;
    }
};

/* Phase n / GATES of gate n % GATES ends when plane n + 3 is there and nobody reads plane n - 2 again. */
template <class T> __device__ static inline mbarrier *wide_gate_of(mbarrier *gate, int n)
{
    static_assert((T::GATES & (T::GATES - 1)) == 0, "gates are found by masks");
    return gate + (n & (T::GATES - 1));
}

/* Where a thread's tendencies of level n go. */
template <class T> struct wide_target {
    const struct slab &s;
    mbarrier *gate;
    ptrdiff_t at; /* bytes to the first */
    int from, to; /* of the thread's points those that lie in the box */
    int n;
    __device__ void put(int f, const points<T::N> &t) const
    {
        real *const field = moved(s.w[F_UT + f], at);
        if (from <= 0 && to >= T::N) *reinterpret_cast<points<T::N> *>(field) = t;
        else
            for (int i = 0; i < T::N; i++)
                if (i >= from && i < to) field[i] = t.at[i];
    }
    __device__ void has_read(void) const { mbarrier_arrive(wide_gate_of<T>(gate, n + 1)); }
};

/* What a thread does once all may read the first planes. own: its first point in a plane; rho_f: of the first planes;
 * u0 and v0 around the level below the block's. is_asking: its warp may bring planes. */
template <class R, int is_asking, class T>
__device__ static inline void role_run(const ring<T> &planes_at, bringer<T> &planes, wide_target<T> to,
                                       const struct wide_step *step, const struct wide_weights &weights,
                                       const struct wide_step *first, int own, int levels)
{
    R role = {};
#pragma unroll
    for (int n = -T::REACH; n < T::REACH; n++) role.begin({planes_at.of(n) + own}, first[n + T::REACH]);
    mbarrier_arrive(wide_gate_of<T>(to.gate, 0));
    const ptrdiff_t sk = to.s.sk * REAL;
#pragma unroll 1
    for (int n = 0; n < levels; n++) {
        mbarrier_wait(wide_gate_of<T>(to.gate, n), n / T::GATES);
        if (is_asking && n + T::AHEAD < levels)
            planes.bring(planes_at.of(n + T::REACH + T::AHEAD), wide_gate_of<T>(to.gate, n + T::AHEAD));
        to.n = n;
        const stand6<T> a = {{planes_at.of(n - 1) + own},
                             {planes_at.of(n) + own},
                             {planes_at.of(n + 1) + own},
                             {planes_at.of(n + T::REACH) + own},
                             step[n],
                             weights};
        role.level(a, to);
        to.at += sk, planes.up();
    }
}

/* A block a piece. The first tile begins where a piece that is copied does. */
template <int kind, class T>
__global__ void __launch_bounds__(T::THREADS, T::BLOCKS)
    advmix_wide_tiles(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b, SF_ARGUMENT(struct wide_weights) weights,
                      SF_ARGUMENT(struct pieces) w, __grid_constant__ SF_ARGUMENT(struct plane_maps) maps)
{
    launch_wait();
    constexpr int WARP = 32, FREE = T::THREADS - bringer<T>::ASKING; /* threads that make steps */
    static_assert(T::GROUP % WARP == 0, "a role has whole warps");
    SF_SHARED(real, shared);
    struct wide_step *const step = reinterpret_cast<struct wide_step *>(shared + T::PLANES * T::PLANE);
    mbarrier *const gate = reinterpret_cast<mbarrier *>(step + T::MOST);
    const ring<T> at = {shared};
    const struct piece p = piece_at(w, b, (int)blockIdx.x);
    const int i0 = (b.i0 & -T::PIECE) + p.tile % w.across * T::WIDTH, j0 = b.j0 + p.tile / w.across * T::ROWS;
    const int thread = (int)threadIdx.x, levels = p.k1 - p.k0;
    const int of_role = thread % T::GROUP, lane = of_role % T::ACROSS * T::N, row = of_role / T::ACROSS;
    const int i = i0 + lane, j = j0 + row;
    const int own = (row + T::REACH) * T::PITCH + T::EDGE + lane;
    bringer<T> planes(s, b, maps, thread, i0 - T::EDGE, j0, p.k0);

    planes.begin(at, gate, levels);
    struct wide_step first[2 * T::REACH] = {};
    for (int n = 0; n < 2 * T::REACH; n++) first[n].rho_f = s.f[P_RHOF][p.k0 + n - T::REACH];
    first[2 * T::REACH - 1].u0 = four_of(s.f[P_U0], p.k0 - 1);
    first[2 * T::REACH - 1].v0 = four_of(s.f[P_V0], p.k0 - 1);
    for (int n = thread - bringer<T>::ASKING; n >= 0 && n < levels; n += FREE) step[n] = wide_step_make(s, p.k0 + n);
    planes.await(at, gate, levels);

    const wide_target<T> to = {s, gate, ((j - s.j0) * s.sj + p.k0 * s.sk + i) * REAL, b.i0 - i, j < b.j1 ? b.i1 - i : 0,
                               0};
    constexpr int all_ask = bringer<T>::ASKING == 0;
    const int is_second = warp_of(thread) >= T::GROUP / WARP;
    if constexpr (T::IS_WIND) {
        if (is_second) role_run<role_v<kind, T>, all_ask, T>(at, planes, to, step, weights, first, own, levels);
        else role_run<role_u<kind, T>, 1, T>(at, planes, to, step, weights, first, own, levels);
    } else {
        if (is_second) role_run<role_scalars<kind, T>, all_ask, T>(at, planes, to, step, weights, first, own, levels);
        else role_run<role_w<kind, T>, 1, T>(at, planes, to, step, weights, first, own, levels);
    }
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* The kernels that its description makes, one of each field. */
struct advmix_wide_made {
    enum { WIDTH = LAUNCH_I, LEVELS = LAUNCH_K, DEEP = 1, THREADS = LAUNCH_I * LAUNCH_K, BYTES = 0 };
};

template <int kind>
static void form_launch(advmix_wide_made, const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    struct dynamics numbers = *d;
    struct call c = {};
    numbers.kind = kind, c.ctx = &numbers;
    advmix_wide_made_run_gpu(s, b, &c, stream);
}

/* A kernel of each part, of so many rows and blocks a multiprocessor. */
template <int WIND_ROWS, int WIND_BLOCKS, int REST_ROWS> struct wide_pair {
    typedef wide_tile<WIDE_WIND, WIND_ROWS, WIND_BLOCKS> wind;
    typedef wide_tile<WIDE_REST, REST_ROWS, 1> rest;
    enum {
        WIDTH = rest::WIDTH,
        LEVELS = rest::LEVELS,
        DEEP = rest::DEEP,
        THREADS = rest::THREADS,
        BYTES = (int)wind::BYTES > (int)rest::BYTES ? (int)wind::BYTES : (int)rest::BYTES
    };
};

/* What is taken where nobody asks for another: of the forms the fastest on an H200. With 16 rows u and v spill 56 bytes
 * a thread, and both together take 11 % longer. */
typedef wide_pair<12, SF_PREC == 64 ? 1 : 2, SF_PREC == 64 ? 12 : 16> wide_chosen;

template <int kind, class T>
static void part_launch(const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    const struct pieces w = pieces_of<T>(b);
    SF_LAUNCH_APART(pieces_are_apart<T>(&w), (advmix_wide_tiles<kind, T>), dim3(pieces_blocks(&w, b)), dim3(T::THREADS),
                    T::BYTES, stream, *s, b, wide_weights_make(d), w, plane_maps_make<T>(s));
}

/* Where a multiprocessor has no room for a block: as described. */
template <int kind, int W, int B, int R>
static void form_launch(wide_pair<W, B, R>, const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    typedef wide_pair<W, B, R> T;
    if (box_is_empty(b)) return;
    if (launch_shared_room() < T::BYTES) {
        form_launch<kind>(advmix_wide_made(), s, b, d, stream);
        return;
    }
    part_launch<kind, typename T::wind>(s, b, d, stream);
    part_launch<kind, typename T::rest>(s, b, d, stream);
}

template <int kind, int W, int B, int R> static const void *form_kernel(wide_pair<W, B, R>)
{
    return (const void *)advmix_wide_tiles<kind, typename wide_pair<W, B, R>::rest>;
}
