/* The five tendencies by tiles of the i-j plane that go up along k: each field is read from memory once. Shared memory
 * holds the planes k-1 .. k+2 of the tile and its edge, two more on their way in, and the numbers of all levels.
 * Mbarriers tell threads what is there and what is read, so that warps of a block may be up to a level apart.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/boxes.cuh"

#include "dynamics/advmix_columns.cuh"

/* A block of ACROSS x ROWS threads, N points in i each; BLOCKS of them a multiprocessor. TURN levels are unrolled,
 * after which planes have gone round half of their places. */
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
        BOX = PITCH * (ROWS + 2 * REACH), /* of a field */
        FIELD = (BOX * (int)sizeof(real) + 127) / 128 * 128 / (int)sizeof(real),
        PLANE = ADVMIX_FIELDS * FIELD,
        PIECES = PITCH / PIECE,
        COPIES = PIECES * (ROWS + 2 * REACH),
        ROUNDS = (COPIES + THREADS - 1) / THREADS,
        BYTES = PLANES * PLANE * (int)sizeof(real) + MOST * 16 * (int)sizeof(real) + (TURN + 1) * (int)sizeof(mbarrier)
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

/* Level n. One field after the other, so that few registers hold what is for one alone; each is read while the one
 * before is computed. `e`: of this level, and then of the next. Returns 1 when that is known to be free to begin. */
template <int kind, int is_cut, class T>
__device__ static inline int level_up(columns<T::N> &c, const stand<T> &a, const struct dynamics &d,
                                      const target<T> &to, early<T> &e, mbarrier *gate, int n, int turn)
{
    constexpr int N = T::N;
    flow_climb<T>(c, a.above, a.step.rho_f);
    around<N> pi = e.pi;
    pi.next = a.above.load(OF_PI, 0, 0);
    const points<N> own_w = own_of(c, OF_W);
    const around<N> w = {a.here.along_x(OF_W, 0, own_w), a.here.along_y(OF_W, own_w), a.above.load(OF_W, 0, 0)};
    const window<N> u_below = a.below.along_x(OF_U, 0, a.below.load(OF_U, 0, 0));
    const rows5<N> v_below = a.below.along_y(OF_V, a.below.load(OF_V, 0, 0));
    thread_has_read<T>(gate, n + 1); /* the plane below */
    to.template put<is_cut>(OF_PI, pi_level<T>(c, a, d, pi));

    const points<N> own_th = own_of(c, OF_TH);
    const around<N> th = {a.here.along_x(OF_TH, 0, own_th), a.here.along_y(OF_TH, own_th), a.above.load(OF_TH, 0, 0)};
    to.template put<is_cut>(OF_W, w_level<kind, T>(c, a, d, w, u_below, v_below));

    const around<N> u = {{}, a.here.along_y(OF_U, own_of(c, OF_U)), a.above.load(OF_U, 0, 0)};
    const real *const west = a.here.at + OF_V * T::FIELD - 1;
    const struct line4 v_west = {west[-T::PITCH], west[0], west[T::PITCH], west[2 * T::PITCH]};
    to.template put<is_cut>(OF_TH, theta_level<kind, T>(c, a, d, th));

    const around<N> v = {a.here.along_x(OF_V, 0, own_of(c, OF_V)), {}, a.above.load(OF_V, 0, 0)};
    const window<N> u_south = a.here.along_x(OF_U, -1, u.y.at[1]);
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

/* The fields that boxes are brought of. */
struct plane_maps {
    struct box_map of[ADVMIX_FIELDS];
};

/* How planes come, two ways with the same functions: begin and await ask for the first 4 + AHEAD of a block's `levels`,
 * await returns when all threads may read planes -2 .. 1, and bring asks for one more, for the gate that it opens.
 * ASKING: threads that have to do with that between begin and await. The first column of a plane is i0, its row of
 * threads j0. */
#if SF_BOXES
/* A thread asks for a box of each field. The engine takes one in 60 ns, so that the planes that come later are asked
 * for behind the barrier, which waits for that thread. */
template <class T> struct bringer {
    enum { BYTES = ADVMIX_FIELDS * T::BOX * REAL /* of a plane */, ASKING = 32 };
    const struct plane_maps &maps;
    int warp, i, k, row; /* of the box that comes next, in its map */

    __device__ bringer(const struct slab &s, const struct box &, const struct plane_maps &m, int thread, int i0, int j0,
                       int k0)
        : maps(m), warp(warp_of(thread)), i(i0 + T::PIECE), k(k0 + T::REACH), row(j0 - T::REACH - s.j0)
    {
    }
    __device__ void ask(real *plane, mbarrier *gate, int level) const
    {
        for (int f = 0; f < ADVMIX_FIELDS; f++) box_copy(plane + f * T::FIELD, &maps.of[f], i, level, row, gate);
    }
    __device__ void begin(const places<T> &at, mbarrier *gate, int)
    {
        mbarrier *const first = gate + T::TURN;
        if (warp == 0 && is_elected()) {
            for (int n = 0; n < T::TURN; n++) mbarrier_make(&gate[n], 1 + T::THREADS);
            mbarrier_make(first, 1);
            mbarriers_made();
            mbarrier_expect(first, 4 * BYTES);
#pragma unroll 1
            for (int n = -2; n < 2; n++) ask(at.of(n), first, k + n);
        }
        k += 2;
    }
    __device__ void await(const places<T> &at, mbarrier *gate, int levels)
    {
        __syncthreads();
        if (warp == 0 && is_elected())
#pragma unroll 1
            for (int n = 0; n < SF_MIN(T::AHEAD, levels); n++) {
                mbarrier_expect(gate + n, BYTES);
                ask(at.of(n + 2), gate + n, k + n);
            }
        k += T::AHEAD;
        mbarrier_wait(gate + T::TURN, 0);
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
                for (int f = 0; f < ADVMIX_FIELDS; f++)
                    copy_piece_of_line(plane + f * T::FIELD + to[r], moved(s.f[F_U + f], level + from[r]));
    }
    __device__ void begin(const places<T> &at, mbarrier *gate, int levels)
    {
        if (is_first)
            for (int n = 0; n < T::TURN; n++) mbarrier_make(&gate[n], 2 * T::THREADS);
        for (int n = -2; n < 2 + T::AHEAD; n++) {
            if (n < levels + T::REACH) ask(at.of(n));
            if (n > 0) copies_close();
            up();
        }
    }
    __device__ void await(const places<T> &, mbarrier *gate, int levels) const
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

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

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

/* A block a piece. The first tile begins where a piece that is copied does. */
template <int kind, int is_cut, class T>
__global__ void __launch_bounds__(T::THREADS, T::BLOCKS)
    advmix_tiles(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b, SF_ARGUMENT(struct dynamics) d,
                 SF_ARGUMENT(struct pieces) w, __grid_constant__ SF_ARGUMENT(struct plane_maps) maps)
{
    launch_wait();
    constexpr int WARP = 32, FREE = T::THREADS - bringer<T>::ASKING; /* threads that make steps */
    static_assert(T::THREADS % WARP == 0 && FREE > 0,
                  "a block has whole warps, one of which at least does not ask for planes");
    SF_SHARED(real, shared);
    struct step *step = reinterpret_cast<struct step *>(shared + T::PLANES * T::PLANE);
    mbarrier *const gate = reinterpret_cast<mbarrier *>(step + T::MOST);
    places<T> places = {shared, shared + T::TURN * T::PLANE};
    const struct piece p = piece_at(w, b, (int)blockIdx.x);
    const int i0 = (b.i0 & -T::PIECE) + p.tile % w.across * T::WIDTH, j0 = b.j0 + p.tile / w.across * T::ROWS;
    const int thread = (int)(threadIdx.y * T::ACROSS + threadIdx.x), levels = p.k1 - p.k0;
    const int lane = (int)threadIdx.x * T::N, i = i0 + lane, j = j0 + (int)threadIdx.y, is_row = j < b.j1;
    const int own = ((int)threadIdx.y + T::REACH) * T::PITCH + T::PIECE + lane;
    const ptrdiff_t sk = s.sk * REAL;
    bringer<T> planes(s, b, maps, thread, i0 - T::PIECE, j0, p.k0);

    planes.begin(places, gate, levels);
    struct step first[4]; /* of planes -2 .. 1 */
    for (int n = 0; n < 4; n++) first[n] = step_begin(s, p.k0 + n - 2);
    for (int n = thread - bringer<T>::ASKING; n >= 0 && n < levels; n += FREE) step[n] = step_make(s, p.k0 + n);
    planes.await(places, gate, levels);
    columns<T::N> q = {};
    for (int n = -2; n < 2; n++) columns_begin<kind, T>(q, {places.of(n) + own}, first[n + 2]);
    thread_has_read<T>(gate, 0);

    early<T> e = early_make<T>(q, {places.of(0) + own});
    target<T> to = {s, ((j - s.j0) * s.sj + p.k0 * s.sk + i) * REAL, b.i0 - i, is_row ? b.i1 - i : 0};
    int is_open = 0, turn = 0;
    for (int k = p.k0; k < p.k1;) {
#pragma unroll
        for (int r = 0; r < T::TURN; r++) {
            if (!is_open) gate_wait<T>(gate, r, turn);
            if (k + T::AHEAD < p.k1) planes.bring(places.of(r + 2 + T::AHEAD), gate_of<T>(gate, r + T::AHEAD));
            const stand<T> a = {{places.of(r - 1) + own},
                                {places.of(r) + own},
                                {places.of(r + 1) + own},
                                {places.of(r + 2) + own},
                                e.u,
                                e.v,
                                *step,
                                {step->at, {}, {}, {}}};
            is_open = level_up<kind, is_cut, T>(q, a, d, to, e, gate, r, turn);
            if (++k >= p.k1) return;
            to.at += sk, planes.up(), step++;
        }
        places = {places.second, places.first};
        turn ^= 1;
    }
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

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

/* Maps begin PIECE columns and REACH levels before the first, and a level has room for all columns from there on, see
 * layout_make. Where devices have no copy engine there are none, and no code that would read them. */
template <class T> static struct plane_maps plane_maps_make(const struct slab *s)
{
    const int extent[] = {(int)s->sk, s->nk + 2 * T::REACH, s->rows}, box[] = {T::PITCH, 1, T::ROWS + 2 * T::REACH};
    struct plane_maps m = {};
    if (!boxes_are_brought()) return m;
    for (int f = 0; f < ADVMIX_FIELDS; f++)
        if (!box_map_make(&m.of[f], s->f[F_U + f] - T::PIECE - T::REACH * s->sk, extent, s->sk, s->sj, box)) break;
    return m;
}

/* Where tiles fill the multiprocessors, blocks do not overlap the kernel before: they would be put where it leaves
 * room, of neighbours several in one place, and the first round takes a sixth longer (H200). */
template <int kind, int is_cut, class T>
static void tiles_launch(const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    if (b.i0 >= b.i1 || b.k0 >= b.k1 || b.j0 >= b.j1) return;
    const int across = (int)launch_blocks(b.i1 - (b.i0 & -T::PIECE), T::WIDTH),
              along = (int)launch_blocks(b.j1 - b.j0, T::ROWS);
    const int levels = b.k1 - b.k0, multiprocessors = launch_multiprocessors();
    const struct pieces w = pieces_make(across, along, levels, multiprocessors, T::BLOCKS, T::MOST);
    const int parts = 1 + (levels - w.first + w.each - 1) / w.each;
    SF_LAUNCH_APART(w.tiles >= multiprocessors * T::BLOCKS, (advmix_tiles<kind, is_cut, T>),
                    dim3((unsigned)(w.whole + (w.tiles - w.whole) * parts)), dim3(T::ACROSS, T::ROWS), T::BYTES, stream,
                    *s, b, *d, w, plane_maps_make<T>(s));
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
