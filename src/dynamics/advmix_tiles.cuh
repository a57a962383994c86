/* The five tendencies by tiles of the i-j plane that go up along k: each field is read from memory once. Shared memory
 * holds the planes k-1 .. k+2 of the tile and its edge, two more on their way in, and the numbers of all levels.
 * Mbarriers tell threads what is there and what is read, so that warps of a block may be up to a level apart.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/advmix_moist.cuh"

/* A block of ACROSS x ROWS threads, N points in i each; BLOCKS of them a multiprocessor. TURN levels are unrolled,
 * after which planes have gone round half of their places. */
template <int N_, int ACROSS_, int ROWS_, int BLOCKS_> struct tile {
    enum {
        FIELDS = ADVMIX_FIELDS, /* that come */
        N = N_,
        ACROSS = ACROSS_,
        ROWS = ROWS_,
        BLOCKS = BLOCKS_,
        WIDTH = N * ACROSS,
        THREADS = ACROSS * ROWS,
        REACH = 2,
        SIDE = REACH, /* columns beside a thread's points; N is 1 or 2 */
        TURN = 3,
        GATES = TURN,
        PLANES = 2 * TURN,
        AHEAD = 2,
        LEVELS = 0, /* of the candidate: all */
        DEEP = ROWS,
        MOST = 128, /* levels a block at most */
        PIECE = 16 / (int)sizeof(real), /* what is copied at once */
        EDGE = PIECE,
        PITCH = WIDTH + 2 * EDGE,
        BOX = PITCH * (ROWS + 2 * REACH), /* of a field */
        FIELD = (BOX * (int)sizeof(real) + 127) / 128 * 128 / (int)sizeof(real),
        PLANE = FIELDS * FIELD,
        PIECES = PITCH / PIECE,
        COPIES = PIECES * (ROWS + 2 * REACH),
        ROUNDS = (COPIES + THREADS - 1) / THREADS,
        BYTES = PLANES * PLANE * (int)sizeof(real) + MOST * 16 * (int)sizeof(real) + (GATES + 1) * (int)sizeof(mbarrier)
    };
};

/* ---- what threads tell each other -------------------------------------------------------------------------------- */

/* Counted from a block's first level: phase n / TURN of gate[n % TURN] ends when plane n + 2 is there and nobody reads
 * plane n - 2 again, at which all threads arrive. Boxes that no level waits for, the first, come to one gate more. In a
 * turn n is that of the turn's level, so that the gate is known when the program is compiled, and `turn` says whether
 * those before it are odd. */
template <class T> __device__ static inline mbarrier *gate_of(mbarrier *gate, int n) { return gate + n % T::TURN; }

/* The thread does not read plane n - 2 again. */
template <class T> __device__ static inline void thread_has_read(mbarrier *gate, int n)
{
    mbarrier_arrive(gate_of<T>(gate, n));
}

/* Level n may begin. */
template <class T> __device__ static inline int gate_is_open(mbarrier *gate, int n, int turn)
{
    return mbarrier_is_over(gate_of<T>(gate, n), turn + n / T::TURN);
}
template <class T> __device__ static inline void gate_wait(mbarrier *gate, int n, int turn)
{
    mbarrier_wait(gate_of<T>(gate, n), turn + n / T::TURN);
}

/* ---- a level ----------------------------------------------------------------------------------------------------- */

/* Where a thread's tendencies go. */
template <class T> struct target {
    const struct slab &s;
    ptrdiff_t at; /* bytes to the first */
    int from, to; /* of the thread's points those that lie in the box */
    __device__ int is_inside(void) const { return from <= 0 && to > 0; } /* the first of them; all where none is cut */
    template <int is_cut> __device__ void put(int f, const points<T::N> &t) const { put_in<is_cut>(F_UT + f, t); }
    /* is_cut: some threads have points in the box and others. */
    template <int is_cut> __device__ void put_in(int f, const points<T::N> &t) const
    {
        real *const field = moved(s.w[f], at);
        if constexpr (!is_cut) {
            if (is_inside()) *reinterpret_cast<points<T::N> *>(field) = t;
        } else {
            for (int n = 0; n < T::N; n++)
                if (n >= from && n < to) field[n] = t.at[n];
        }
    }
};

/* Level n. One field after the other, so that few registers hold what is for one alone; each is read while the one
 * before is computed. `e`: of this level, and then of the next; air: of this one. Returns 1 when the next is known to
 * be free to begin. */
template <int kind, int is_cut, class T, class A>
__device__ static inline int level_up(columns<T::N> &c, const stand<T> &a, const struct dynamics &d, A &air,
                                      const typename A::level &level, const target<T> &to, early<T> &e, mbarrier *gate,
                                      int n, int turn)
{
    constexpr int N = T::N;
    flow_climb<T>(c, a.above, a.step.rho_f);
    around<N> pi = e.pi;
    pi.next = a.above.load(OF_PI, 0, 0);
    const points<N> own_w = own_of(c, OF_W);
    const around<N> w = {a.here.along_x(OF_W, 0, own_w), a.here.along_y(OF_W, own_w), a.above.load(OF_W, 0, 0)};
    const window<N, 2> u_below = a.below.along_x(OF_U, 0, a.below.load(OF_U, 0, 0));
    const rows<N, 5> v_below = a.below.along_y(OF_V, a.below.load(OF_V, 0, 0));
    thread_has_read<T>(gate, n + 1); /* the plane below */
    points<N> pi_t = pi_level<T>(c, a, d, pi);
    if constexpr (!A::IS_MOIST) to.template put<is_cut>(OF_PI, pi_t);

    const points<N> own_th = own_of(c, OF_TH);
    const around<N> th = {a.here.along_x(OF_TH, 0, own_th), a.here.along_y(OF_TH, own_th), a.above.load(OF_TH, 0, 0)};
    points<N> w_t = w_level<kind, T>(c, a, d, w, u_below, v_below);
    if constexpr (!A::IS_MOIST) to.template put<is_cut>(OF_W, w_t);

    const around<N> u = {{}, a.here.along_y(OF_U, own_of(c, OF_U)), a.above.load(OF_U, 0, 0)};
    const real *const west = a.here.at + OF_V * T::FIELD - 1;
    const struct line4 v_west = {west[-T::PITCH], west[0], west[T::PITCH], west[2 * T::PITCH]};
    to.template put<is_cut>(OF_TH, theta_level<kind, T>(c, a, d, th));
    if constexpr (A::IS_MOIST) {
        to.template put_in<is_cut>(F_THR, air.add(pi_t, w_t, c, a, d, level, (turn + n) & 1));
        to.template put<is_cut>(OF_PI, pi_t), to.template put<is_cut>(OF_W, w_t);
    }

    const around<N> v = {a.here.along_x(OF_V, 0, own_of(c, OF_V)), {}, a.above.load(OF_V, 0, 0)};
    const window<N, 2> u_south = a.here.along_x(OF_U, -1, u.y.at[1]);
    to.template put<is_cut>(OF_U, u_level<kind, T>(c, a, d, u, v_west));

    const points<N> own_pi = own_of(c, OF_PI);
    e.pi = {a.next.along_x(OF_PI, 0, own_pi), a.next.along_y(OF_PI, own_pi), {}};
    e.u = a.next.along_x(OF_U, 0, own_of(c, OF_U));
    to.template put<is_cut>(OF_V, v_level<kind, T>(c, a, d, v, u_south));
    const int is_open = gate_is_open<T>(gate, n + 1, turn);
    e.v = a.next.along_y(OF_V, own_of(c, OF_V));
    return is_open;
}

/* ---- planes ------------------------------------------------------------------------------------------------------ */

/* Where planes lie in shared memory: a block's level k in place k - k0, modulo their number, in two halves of which
 * `first` is that of the level at hand. */
template <class T> struct places {
    real *first, *second;
    __device__ real *of(int n) const
    {
        n = (n + T::PLANES) % T::PLANES;
        return (n < T::TURN ? first : second) + n % T::TURN * T::PLANE;
    }
};

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

/* A block a piece. The first tile begins where a piece that is copied does. air: dry_air, or moist_air of which fields.
 */
template <int kind, int is_cut, class T, class A>
__device__ static inline void tiles_go(const struct slab &s, const struct box &b, const struct dynamics &d,
                                       const struct pieces &w, const struct plane_maps &maps, A air)
{
    constexpr int WARP = 32, FREE = T::THREADS - bringer<T>::ASKING; /* threads that make steps */
    static_assert(T::THREADS % WARP == 0 && FREE > 0,
                  "a block has whole warps, one of which at least does not ask for planes");
    SF_SHARED(real, shared);
    typename A::level *level = reinterpret_cast<typename A::level *>(shared + T::PLANES * T::PLANE);
    mbarrier *const gate = reinterpret_cast<mbarrier *>(level + T::MOST);
    places<T> places = {shared, shared + T::TURN * T::PLANE};
    const struct piece p = piece_at(w, b, (int)blockIdx.x);
    const int i0 = (b.i0 & -T::PIECE) + p.tile % w.across * T::WIDTH, j0 = b.j0 + p.tile / w.across * T::ROWS;
    const int thread = (int)(threadIdx.y * T::ACROSS + threadIdx.x), levels = p.k1 - p.k0;
    const int lane = (int)threadIdx.x * T::N, i = i0 + lane, j = j0 + (int)threadIdx.y, is_row = j < b.j1;
    const int own = ((int)threadIdx.y + T::REACH) * T::PITCH + T::EDGE + lane;
    const ptrdiff_t sk = s.sk * REAL;
    bringer<T> planes(s, b, maps, thread, i0 - T::EDGE, j0, p.k0);

    planes.begin(places, gate, levels);
    struct step first[4]; /* of planes -2 .. 1 */
    for (int n = 0; n < 4; n++) first[n] = step_begin(s, p.k0 + n - 2);
    for (int n = thread - bringer<T>::ASKING; n >= 0 && n < levels; n += FREE) level[n] = A::level_of(s, d, p.k0 + n);
    planes.await(places, gate, levels);
    columns<T::N> q = {};
    for (int n = -2; n < 2; n++) columns_begin<kind, T>(q, {places.of(n) + own}, first[n + 2]);
    thread_has_read<T>(gate, 0);

    early<T> e = early_make<T>(q, {places.of(0) + own});
    target<T> to = {s, ((j - s.j0) * s.sj + p.k0 * s.sk + i) * REAL, b.i0 - i, is_row ? b.i1 - i : 0};
    if constexpr (A::IS_MOIST)
        air.begin(reinterpret_cast<points<T::N> *>(gate + T::GATES + 1) + thread, s, d, q, to.at, p.k0, to.is_inside());
    int is_open = 0, turn = 0;
    for (int k = p.k0; k < p.k1;) {
#pragma unroll
        for (int r = 0; r < T::TURN; r++) {
            if constexpr (A::IS_MOIST) {
                air.ask((turn + r + 1) & 1, to.at + sk, to.is_inside());
                copies_wait<1>();
            }
            if (!is_open) gate_wait<T>(gate, r, turn);
            if (k + T::AHEAD < p.k1) planes.bring(places.of(r + 2 + T::AHEAD), gate_of<T>(gate, r + T::AHEAD));
            const stand<T> a = {{places.of(r - 1) + own},
                                {places.of(r) + own},
                                {places.of(r + 1) + own},
                                {places.of(r + 2) + own},
                                e.u,
                                e.v,
                                level->step,
                                {level->step.at, {}, {}, {}}};
            is_open = level_up<kind, is_cut, T>(q, a, d, air, *level, to, e, gate, r, turn);
            if (++k >= p.k1) return;
            to.at += sk, planes.up(), level++;
        }
        places = {places.second, places.first};
        turn ^= 1;
    }
}

template <int kind, int is_cut, class T>
__global__ void __launch_bounds__(T::THREADS, T::BLOCKS)
    advmix_tiles(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b, SF_ARGUMENT(struct dynamics) d,
                 SF_ARGUMENT(struct pieces) w, __grid_constant__ SF_ARGUMENT(struct plane_maps) maps)
{
    launch_wait();
    tiles_go<kind, is_cut, T>(s, b, d, w, maps, dry_air());
}

/* With theta_rho, and what water adds to pi_t. */
template <int kind, class T>
__global__ void __launch_bounds__(T::THREADS, T::BLOCKS)
    advmix_moist_tiles(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b, SF_ARGUMENT(struct dynamics) d,
                       SF_ARGUMENT(struct pieces) w, __grid_constant__ SF_ARGUMENT(struct plane_maps) maps,
                       __grid_constant__ SF_ARGUMENT(struct water_fields) water)
{
    launch_wait();
    tiles_go<kind, 0, T>(s, b, d, w, maps, moist_air<T>{water, NULL, {}});
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

template <int kind, int is_cut, class T>
static void tiles_launch(const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    if (box_is_empty(b)) return;
    const struct pieces w = pieces_of<T>(b);
    SF_LAUNCH_APART(pieces_are_apart<T>(&w), (advmix_tiles<kind, is_cut, T>), dim3(pieces_blocks(&w, b)),
                    dim3(T::ACROSS, T::ROWS), T::BYTES, stream, *s, b, *d, w, plane_maps_make<T>(s));
}

/* The kernels that its description makes, one of each field. */
struct advmix_made {
    enum { WIDTH = LAUNCH_I, LEVELS = LAUNCH_K, DEEP = 1, THREADS = LAUNCH_I * LAUNCH_K, BYTES = 0 };
};

template <int kind>
static void form_launch(advmix_made, const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    struct dynamics numbers = *d;
    struct call c = {};
    numbers.kind = kind, c.ctx = &numbers;
    advmix_made_run_gpu(s, b, &c, stream);
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
