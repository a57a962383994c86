/* The kernels of the small steps of w and pi', implicit in the column.
 *
 *     wpi_columns   a thread a column; between its two sweeps w holds the eliminated value and pid the star, as on the
 *                   CPU
 *     wpi_levels    the same, some levels at a time: the next ones are read while these are computed, and of these all
 *                   is made
 *                   side by side that does not wait for the elimination
 *     wpi_blocks    a block 32 columns: every field is read once and written once. The levels are shared out among the
 *                   warps,
 *                   which make the system and, in the end, the pressure; in between one warp solves it, out of shared
 *                   memory
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/copies.cuh"
#include "pipeline/printed.h"
#include "pipeline/warp.cuh"

#include "dynamics/smallstep.h"
#include "dynamics/stages.h"

/* The fields of a small step, and what it starts from: w and pi themselves, or their other banks. Their elements are
 * found by offsets in bytes. */
struct column_fields {
    const real *u, *v, *th, *pi_t, *w_t, *w_from, *pi_from;
    real *w, *pi, *pid;
    ptrdiff_t sj, sk; /* bytes */
};

/* Moist air gives theta_rho in place of theta'. */
__host__ __device__ static inline int theta_of(const struct dynamics &d) { return d.species ? F_THR : F_TH; }

__device__ static inline struct column_fields column_fields_of(const struct slab &s, const struct dynamics &d)
{
    struct column_fields x;
    x.u = s.f[F_U], x.v = s.f[F_V], x.th = s.f[theta_of(d)], x.pi_t = s.f[F_PIT], x.w_t = s.f[F_WT];
    x.w = s.w[F_W], x.pi = s.w[F_PI], x.pid = s.w[F_PID];
    x.w_from = s.f[F_W], x.pi_from = s.f[F_PI];
    x.sj = s.sj * REAL, x.sk = s.sk * REAL;
    return x;
}

/* The numbers of a level: of its cells, and of the faces below them. */
struct alignas(8 * sizeof(real)) cell_level {
    real pi_0, rdz, half_bottom, half_top, theta_f, cp_rdz_f;
};

__device__ static inline struct cell_level cell_level_at(const struct slab &s, const struct dynamics &d, int k,
                                                         real dtau)
{
    const struct cell_level l = {s.f[P_PI0][k],       s.f[P_RDZC][k], s.f[P_DPI0H][k],
                                 s.f[P_DPI0H][k + 1], s.f[P_TH0F][k], d.cp * dtau * s.f[P_RDZF][k]};
    return l;
}

/* The cell at n; w at its two faces. */
__device__ static inline struct cell_terms cell_at(const struct dynamics &d, const struct column_fields &x,
                                                   const struct cell_level &l, ptrdiff_t n, real pi_old, real w_bottom,
                                                   real w_top, real dtau)
{
    const real *const u = moved(x.u, n);
    const real div = divergence(u[0], u[1], d.rdx, *moved(x.v, n), *moved(x.v, n + x.sj), d.rdy);
    return cell_make(pi_old, l.pi_0, *moved(x.pi_t, n), d.rcv, l.rdz, l.half_bottom, l.half_top, div, w_bottom, w_top,
                     dtau, d.off1);
}

/* pi'new once w' is known. */
__device__ static inline struct pressure pressure_at(const struct dynamics &d, const struct cell_level &l, real star,
                                                     real pi_old, real w_bottom, real w_top, real dtau)
{
    return cell_solve(star, pi_old, l.pi_0, d.rcv, l.rdz, l.half_bottom, l.half_top, w_bottom, w_top, d.off * dtau,
                      d.damping);
}

/* ---- a thread a column; the elimination's ratios are [nk][columns of the block] in shared memory ----------------- */

__global__ static void wpi_columns(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b,
                                   SF_ARGUMENT(struct dynamics) d, const real dtau)
{
    launch_wait_first();
    SF_SHARED(real, ratios);
    const int i = b.i0 + (int)(blockIdx.x * blockDim.x + threadIdx.x), nk = d.nk, columns = (int)blockDim.x;
    if (i >= b.i1) return;
    const struct column_fields x = column_fields_of(s, d);
    real *const ratio = ratios + threadIdx.x;

    struct cell_terms lower = {R(0.0), R(0.0), R(0.0)};
    struct tridiagonal before = {R(0.0), R(0.0)};
    real pi_lower = R(0.0), th_lower = R(0.0), w_old = R(0.0);
    ptrdiff_t n = ((b.j0 + (int)blockIdx.y - s.j0) * s.sj + i) * REAL;
    for (int k = 0; k < nk; k++, n += x.sk) {
        const struct cell_level l = cell_level_at(s, d, k, dtau);
        const real pi_old = *moved(x.pi_from, n), w_top = k + 1 == nk ? R(0.0) : *moved(x.w_from, n + x.sk),
                   th_upper = *moved(x.th, n);
        const struct cell_terms upper = cell_at(d, x, l, n, pi_old, w_old, w_top, dtau);
        struct tridiagonal face = {R(0.0), R(0.0)};
        if (k) {
            const real theta = theta_face(l.theta_f, th_lower, th_upper);
            face = face_eliminate(face_equation_make(w_old, *moved(x.w_t, n), dtau, l.cp_rdz_f * theta, d.off, d.off1,
                                                     pi_lower, pi_old, lower, upper),
                                  before);
        }
        *moved(x.pid, n) = upper.star, *moved(x.w, n) = face.value, ratio[k * columns] = face.ratio;
        lower = upper, before = face;
        pi_lower = pi_old, th_lower = th_upper, w_old = w_top;
    }
    real w_top = R(0.0);
    for (int k = nk - 1; k >= 0; k--) {
        n -= x.sk;
        const struct tridiagonal face = {ratio[k * columns], *moved(x.w, n)};
        const real w_new = face_solve(face, w_top);
        const struct pressure p =
            pressure_at(d, cell_level_at(s, d, k, dtau), *moved(x.pid, n), *moved(x.pi_from, n), w_new, w_top, dtau);
        *moved(x.w, n) = w_new, *moved(x.pi, n) = p.now, *moved(x.pid, n) = p.damped;
        w_top = w_new;
    }
}

/* ---- a thread a column, TOGETHER levels at a time ---------------------------------------------------------------- */

/* A warp a block. Star and eliminated w go through the second-level cache: kept on chip by the same warp they would
 * leave room for half as many columns, which is slower (H200, 128 levels, 32 bits: 59 Gpoint/s, on chip 51, wpi_columns
 * 24). */
enum { TOGETHER = 8 };

/* What the upward sweep reads at one level. */
struct wpi_level {
    real pi_old, w_top, th, u_low, u_high, v_low, v_high, pi_t, w_t;
};

/* Rows that it reads, at column 0 and level 0: threads add a 32-bit offset. */
struct wpi_rows {
    const real *u, *v_low, *v_high, *th, *pi_t, *w_t, *w, *pi;
};

__device__ static inline struct wpi_level level_read(const struct wpi_rows &r, unsigned at, unsigned sk, int is_lid)
{
    struct wpi_level x;
    x.pi_old = r.pi[at], x.w_top = r.w[at + sk];
    x.u_low = r.u[at], x.u_high = r.u[at + 1], x.v_high = r.v_high[at];
    x.th = read_once(r.th + at), x.pi_t = read_once(r.pi_t + at), x.w_t = read_once(r.w_t + at),
    x.v_low = read_once(r.v_low + at);
    if (is_lid) x.w_top = R(0.0);
    return x;
}

/* WHOLE: nk is a multiple of TOGETHER. */
template <int WHOLE>
__global__ void __launch_bounds__(WARP)
    wpi_levels(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b, SF_ARGUMENT(struct dynamics) d, const real dtau)
{
    launch_wait_first();
    SF_SHARED(real, chip);
    const int nk = d.nk, i = b.i0 + (int)(blockIdx.x * WARP + threadIdx.x);
    struct cell_level *const levels = (struct cell_level *)(chip + WARP * nk);
    for (int k = (int)threadIdx.x; k < nk; k += WARP) levels[k] = cell_level_at(s, d, k, dtau);
    __syncthreads();
    if (i >= b.i1) return;
    const ptrdiff_t row = (b.j0 + (int)blockIdx.y - s.j0) * s.sj;
    real *const w = s.w[F_W] + row, *const pi = s.w[F_PI] + row, *const pid = s.w[F_PID] + row;
    const struct wpi_rows x = {s.f[F_U] + row,   s.f[F_V] + row,  s.f[F_V] + row + s.sj, s.f[theta_of(d)] + row,
                               s.f[F_PIT] + row, s.f[F_WT] + row, s.f[F_W] + row,        s.f[F_PI] + row};
    const unsigned sk = (unsigned)s.sk, column = (unsigned)i, lid = column + (unsigned)(nk - 1) * sk;
    real *const ratio = chip + threadIdx.x;

    struct wpi_level now[TOGETHER], next[TOGETHER];
    unsigned ahead = column;
#pragma unroll
    for (int q = 0; q < TOGETHER; q++) {
        now[q] = level_read(x, ahead, sk, ahead == lid);
        ahead = ahead < lid ? ahead + sk : lid;
    }
    struct cell_terms lower = {R(0.0), R(0.0), R(0.0)};
    struct tridiagonal before = {R(0.0), R(0.0)};
    real pi_lower = R(0.0), th_lower = R(0.0), w_old = R(0.0);
    unsigned at = column;
    for (int k0 = 0; k0 < nk; k0 += TOGETHER, at += TOGETHER * sk) {
        struct cell_terms cell[TOGETHER];
        struct face_equation equation[TOGETHER];
#pragma unroll
        for (int q = 0; q < TOGETHER; q++) {
            next[q] = level_read(x, ahead, sk, ahead == lid);
            ahead = ahead < lid ? ahead + sk : lid;
        }
#pragma unroll
        for (int q = 0; q < TOGETHER; q++) {
            const struct cell_level y = levels[WHOLE || k0 + q < nk ? k0 + q : nk - 1];
            const struct wpi_level c = now[q];
            const real w_bottom = q ? now[q - 1].w_top : w_old;
            const real div = divergence(c.u_low, c.u_high, d.rdx, c.v_low, c.v_high, d.rdy);
            cell[q] = cell_make(c.pi_old, y.pi_0, c.pi_t, d.rcv, y.rdz, y.half_bottom, y.half_top, div, w_bottom,
                                c.w_top, dtau, d.off1);
            const real theta = theta_face(y.theta_f, q ? now[q - 1].th : th_lower, c.th);
            equation[q] =
                face_equation_make(w_bottom, c.w_t, dtau, y.cp_rdz_f * theta, d.off, d.off1,
                                   q ? now[q - 1].pi_old : pi_lower, c.pi_old, q ? cell[q - 1] : lower, cell[q]);
        }
#pragma unroll
        for (int q = 0; q < TOGETHER; q++) {
            const struct tridiagonal face = face_eliminate(equation[q], before);
            before = face;
            if (q == 0 && k0 == 0) before.ratio = before.value = R(0.0); /* w[0] = 0 */
            if (!WHOLE && k0 + q >= nk) continue;
            ratio[(k0 + q) * WARP] = before.ratio;
            pid[at + q * sk] = cell[q].star, w[at + q * sk] = before.value;
        }
        lower = cell[TOGETHER - 1];
        pi_lower = now[TOGETHER - 1].pi_old, th_lower = now[TOGETHER - 1].th, w_old = now[TOGETHER - 1].w_top;
#pragma unroll
        for (int q = 0; q < TOGETHER; q++) now[q] = next[q];
    }
    /* Down: w', then the pressure of the cell above each face. */
    const real b_dtau = d.off * dtau;
    struct {
        real old, star, value;
    } here[TOGETHER], below[TOGETHER];
    real w_top = R(0.0), w_new[TOGETHER];
    int k = nk - 1;
    ahead = lid;
#pragma unroll
    for (int q = 0; q<TOGETHER; q++, k = k> 0 ? k - 1 : 0, ahead = column + (unsigned)k * sk)
        here[q].old = x.pi[ahead], here[q].star = pid[ahead], here[q].value = w[ahead];
    at = lid;
    for (int k0 = nk - 1; k0 >= 0; k0 -= TOGETHER, at -= TOGETHER * sk) {
#pragma unroll
        for (int q = 0; q<TOGETHER; q++, k = k> 0 ? k - 1 : 0, ahead = column + (unsigned)k * sk)
            below[q].old = x.pi[ahead], below[q].star = pid[ahead], below[q].value = w[ahead];
#pragma unroll
        for (int q = 0; q < TOGETHER; q++) {
            const struct tridiagonal face = {ratio[(WHOLE || k0 >= q ? k0 - q : 0) * WARP], here[q].value};
            w_new[q] = face_solve(face, q ? w_new[q - 1] : w_top);
        }
#pragma unroll
        for (int q = 0; q < TOGETHER; q++) {
            if (!WHOLE && k0 < q) continue;
            const struct cell_level y = levels[k0 - q];
            const struct pressure p = cell_solve(here[q].star, here[q].old, y.pi_0, d.rcv, y.rdz, y.half_bottom,
                                                 y.half_top, w_new[q], q ? w_new[q - 1] : w_top, b_dtau, d.damping);
            write_once(w + (at - q * sk), w_new[q]), write_once(pi + (at - q * sk), p.now);
            write_once(pid + (at - q * sk), p.damped);
        }
        w_top = w_new[TOGETHER - 1];
#pragma unroll
        for (int q = 0; q < TOGETHER; q++) here[q] = below[q];
    }
}

/* ---- a block 32 columns, or 16 ----------------------------------------------------------------------------------- */

/* Shared memory of a level: the system of the block's COLUMNS columns, and the level's numbers. Solving puts the ratio
 * where `super` was and w' where `right` was. */
template <int COLUMNS> struct column_level {
    real sub[COLUMNS], diagonal[COLUMNS], super[COLUMNS], right[COLUMNS];
    struct cell_level numbers;
};

/* In 320 bytes, so that an H100 holds two blocks of 256 levels: they make 45 Gpoint/s at 512 x 512 and at 256 x 256
 * columns (levels together 41 and 37). Three blocks, of 288 bytes a level, whose two halves of a warp take turns at the
 * banks, made 44 and 41. */
template <> struct column_level<16> {
    real sub[16], diagonal[16], super[16], right[16];
    struct cell_level numbers;
    real apart[8];
};

/* EACH levels a thread, of at most PARTS parts of a column; BLOCKS such blocks of COLUMNS columns a multiprocessor;
 * AHEAD levels are asked for before they are read. */
template <int EACH_, int PARTS_, int BLOCKS_, int AHEAD_, int COLUMNS_ = WARP> struct column_block {
    typedef struct column_level<COLUMNS_> level;
    enum {
        EACH = EACH_,
        PARTS = PARTS_,
        BLOCKS = BLOCKS_,
        AHEAD = AHEAD_,
        COLUMNS = COLUMNS_,
        WIDTH = COLUMNS,
        MOST = EACH * PARTS,
        LEVELS = MOST,
        DEEP = 1,
        THREADS = COLUMNS * PARTS,
        BYTES = MOST * (int)sizeof(level),
        CALLED = COLUMNS / 8
    };
};

/* What the upward half reads: of each level a line of memory from each of READS rows, with 64 bits two, of which the
 * first is called. */
enum { READS = 8 };

struct lines_called {
    const real *from;
    ptrdiff_t sk;
    int k, nk;
};

/* A lane calls one of COLUMNS / READS levels of one row. */
__device__ static inline struct lines_called lines_called_of(const struct column_fields &x, ptrdiff_t row, int k,
                                                             int nk)
{
    const int lane = (int)threadIdx.x;
    const real *from = x.u;
    switch (lane % READS) {
    case 1:
        from = x.v;
        break;
    case 2:
        from = moved(x.v, x.sj);
        break;
    case 3:
        from = x.th;
        break;
    case 4:
        from = x.pi_t;
        break;
    case 5:
        from = x.w_t;
        break;
    case 6:
        from = x.w_from;
        break;
    case 7:
        from = x.pi_from;
        break;
    }
    const struct lines_called c = {moved(from, row), x.sk, k + lane / READS, nk};
    return c;
}

__device__ static inline void lines_call(const struct lines_called &c, int level)
{
    if (c.k + level < c.nk) read_soon(moved(c.from, (c.k + level) * c.sk));
}

/* Blocks that begin together go on together: all read, and then all wait for their columns to be solved. The first ones
 * of a launch of many therefore begin by turns, as many turns as a multiprocessor holds blocks. On an H200 a step of
 * 1024 x 112 x 128 cells makes 3.46 Gpoint-steps/s with no turns, 3.53, 3.56, 3.50 with turns of 4, 5.5 and 7 us; 512 x
 * 512 x 128 0.6 % more. */
struct turns {
    int each, n; /* blocks of a turn, turns */
    long long clocks;
};

static inline struct turns turns_of(dim3 grid, int blocks, int nk)
{
    enum { FEW = 3, CLOCKS_OF_LEVEL = 77 };
    const int each = launch_multiprocessors(), is_many = (long long)grid.x * grid.y >= (long long)FEW * each * blocks;
    return {each, is_many ? blocks : 0, (long long)CLOCKS_OF_LEVEL * nk};
}

__device__ static inline void turn_await(const struct turns &t)
{
    const int turn = (int)(blockIdx.y * gridDim.x + blockIdx.x) / t.each;
    if (turn < t.n) launch_pause(turn * t.clocks);
}

/* Levels beyond the lid, to fill up those of the last warp, are the lid's again: no load waits for a branch. */
template <class T>
__global__ void __launch_bounds__(T::THREADS, T::BLOCKS)
    wpi_blocks(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b, SF_ARGUMENT(struct dynamics) d, const real dtau,
               SF_ARGUMENT(struct turns) turns)
{
    launch_wait_first();
    SF_SHARED(typename T::level, levels);
    turn_await(turns);
    const int lane = (int)threadIdx.x, i = b.i0 + (int)blockIdx.x * T::COLUMNS + lane, nk = d.nk,
              k0 = (int)threadIdx.y * T::EACH;
    const int is_inside = i < b.i1; /* else the last column is computed again, and not stored */
    const struct column_fields x = column_fields_of(s, d);
    typename T::level *const own = levels + k0;
    const struct lines_called called = lines_called_of(
        x, ((b.j0 + (int)blockIdx.y - s.j0) * s.sj + b.i0 + (int)blockIdx.x * T::COLUMNS) * REAL, k0, nk);
#pragma unroll
    for (int m = T::CALLED; m < T::CALLED + T::AHEAD && m < T::EACH; m += T::CALLED) lines_call(called, m);
    if (lane < T::EACH) own[lane].numbers = cell_level_at(s, d, SF_MIN(k0 + lane, nk - 1), dtau);
    __syncthreads();

    const ptrdiff_t bottom = ((b.j0 + (int)blockIdx.y - s.j0) * s.sj + k0 * s.sk + SF_MIN(i, b.i1 - 1)) * REAL;
    struct cell_terms lower = {R(0.0), R(0.0), R(0.0)};
    real pi_lower = R(0.0), th_lower = R(0.0), w_old = R(0.0), star[T::EACH], pi_old[T::EACH];
    if (k0) {
        const ptrdiff_t n = bottom - x.sk;
        const real w_below = *moved(x.w_from, n);
        pi_lower = *moved(x.pi_from, n), th_lower = *moved(x.th, n), w_old = *moved(x.w_from, bottom);
        lower = cell_at(d, x, own[-1].numbers, n, pi_lower, k0 == 1 ? R(0.0) : w_below, w_old, dtau);
    }
    ptrdiff_t n = bottom;
#pragma unroll
    for (int m = 0; m < T::EACH; m++) {
        const int k = k0 + m, is_level = k < nk;
        if (T::AHEAD > 0 && m % T::CALLED == 0 && m && m + T::AHEAD < T::EACH) lines_call(called, m + T::AHEAD);
        const struct cell_level l = own[m].numbers;
        const real w_above = *moved(x.w_from, n + x.sk), w_top = k + 1 >= nk ? R(0.0) : w_above,
                   th_upper = *moved(x.th, n);
        const real theta = theta_face(l.theta_f, th_lower, th_upper);
        pi_old[m] = *moved(x.pi_from, n);
        const struct cell_terms upper = cell_at(d, x, l, n, pi_old[m], w_old, w_top, dtau);
        struct face_equation f = face_equation_make(w_old, *moved(x.w_t, n), dtau, l.cp_rdz_f * theta, d.off, d.off1,
                                                    pi_lower, pi_old[m], lower, upper);
        if (k == 0 || !is_level) f = {R(0.0), R(1.0), R(0.0), R(0.0)}; /* w' = 0 */
        own[m].sub[lane] = f.sub, own[m].diagonal[lane] = f.diagonal, own[m].super[lane] = f.super,
        own[m].right[lane] = f.right;
        star[m] = upper.star;
        lower = upper;
        pi_lower = pi_old[m], th_lower = th_upper, w_old = w_top;
        n += k + 1 < nk ? x.sk : 0;
    }
    __syncthreads();
    if (threadIdx.y == 0)
        column_solve<(int)(sizeof(typename T::level) / sizeof(real)), T::COLUMNS>(
            reinterpret_cast<real *>(levels) + lane, (int)blockDim.y * T::EACH);
    __syncthreads();
    n = bottom;
    real w_new = own[0].right[lane];
#pragma unroll
    for (int m = 0; m < T::EACH; m++, n += x.sk) {
        if (k0 + m >= nk) return;
        const real w_top = k0 + m + 1 == nk ? R(0.0) : own[m + 1].right[lane];
        const struct pressure p = pressure_at(d, own[m].numbers, star[m], pi_old[m], w_new, w_top, dtau);
        if (is_inside) *moved(x.w, n) = w_new, *moved(x.pi, n) = p.now, *moved(x.pid, n) = p.damped;
        w_new = w_top;
    }
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* The other two forms as types, as column_block is one. BYTES: for MOST levels, the most that the form is for. */
struct column_threads {
    enum { WIDTH = 64, MOST = 1 << 12, LEVELS = MOST, DEEP = 1, THREADS = WIDTH, BYTES = 0 };
};

struct column_levels {
    enum {
        LEVEL_BYTES = WARP * (int)sizeof(real) + (int)sizeof(struct cell_level),
        MOST = LAUNCH_SHARED_MOST / LEVEL_BYTES,
        WIDTH = WARP,
        LEVELS = MOST,
        DEEP = 1,
        THREADS = WARP,
        BYTES = 0
    };
};

static void form_launch(column_threads, const struct slab *s, struct box b, const struct dynamics *d, real dtau,
                        void *stream)
{
    int columns = column_threads::WIDTH; /* as many a block as the shared memory that every device gives can serve */
    while (columns > 1 && (size_t)columns * (size_t)d->nk * sizeof(real) > LAUNCH_SHARED_UNASKED) columns /= 2;
    const dim3 grid(launch_blocks(b.i1 - b.i0, columns), (unsigned)(b.j1 - b.j0));
    SF_LAUNCH_BLOCKS(wpi_columns, grid, dim3((unsigned)columns), (size_t)columns * (size_t)d->nk * sizeof(real), stream,
                     *s, b, *d, dtau);
}

/* As its description makes it. The numbers are those of a thread a column, which it is where no block has room. */
struct column_made {
    enum { WIDTH = COLUMN_WIDE, MOST = COLUMN_CHIP / (COLUMN_WIDE * (int)sizeof(real)), LEVELS = MOST };
    enum { DEEP = 1, THREADS = COLUMN_WIDE, BYTES = 0 };
};

static void form_launch(column_made, const struct slab *s, struct box b, const struct dynamics *d, real dtau,
                        void *stream)
{
    struct call c = {};
    c.dt = dtau, c.ctx = d;
    struct slab air = *s;
    air.f[F_TH] = s->f[theta_of(*d)];
    wpi_made_run_gpu(&air, b, &c, stream);
}

static void form_launch(column_levels, const struct slab *s, struct box b, const struct dynamics *d, real dtau,
                        void *stream)
{
    const size_t bytes = (size_t)d->nk * column_levels::LEVEL_BYTES;
    const dim3 grid(launch_blocks(b.i1 - b.i0, WARP), (unsigned)(b.j1 - b.j0));
    if (d->nk % TOGETHER == 0) SF_LAUNCH_BLOCKS(wpi_levels<1>, grid, dim3(WARP), bytes, stream, *s, b, *d, dtau);
    else SF_LAUNCH_BLOCKS(wpi_levels<0>, grid, dim3(WARP), bytes, stream, *s, b, *d, dtau);
}

template <int L, int P, int B, int A, int C>
static void form_launch(column_block<L, P, B, A, C>, const struct slab *s, struct box b, const struct dynamics *d,
                        real dtau, void *stream)
{
    const unsigned parts = launch_blocks(d->nk, L);
    const dim3 grid(launch_blocks(b.i1 - b.i0, C), (unsigned)(b.j1 - b.j0));
    SF_LAUNCH_BLOCKS((wpi_blocks<column_block<L, P, B, A, C>>), grid, dim3(C, parts),
                     parts * L * sizeof(struct column_level<C>), stream, *s, b, *d, dtau, turns_of(grid, B, d->nk));
}

static inline const void *form_kernel(column_threads) { return (const void *)wpi_columns; }
static inline const void *form_kernel(column_levels) { return (const void *)wpi_levels<1>; }
template <int L, int P, int B, int A, int C> static const void *form_kernel(column_block<L, P, B, A, C>)
{
    return (const void *)wpi_blocks<column_block<L, P, B, A, C>>;
}
