/* The kernels of the small steps of w and pi', implicit in the column.
 *
 *     wpi_columns   a thread a column; between its two sweeps w holds the eliminated value and pid the star, as on the CPU
 *     wpi_blocks    a block 32 columns: every field is read once and written once. The levels are shared out among the warps, which
 *                   make the system and, in the end, the pressure; in between one warp solves it, out of shared memory
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/launch.h"

#include "dynamics/smallstep.h"
#include "dynamics/stages.h"

/* The fields of a small step, and where it starts from. Their elements are found by offsets in bytes. */
template <int start> struct column_fields {
    const real *u, *v, *th, *pi_t, *w_t, *w_from, *pi_from;
    real *w, *pi, *pid, *wa, *pia;
    ptrdiff_t sj, sk; /* bytes */
};

template <int start> __device__ static inline column_fields<start> column_fields_of(const struct slab &s)
{
    column_fields<start> x;
    x.u = s.f[F_U], x.v = s.f[F_V], x.th = s.f[F_TH], x.pi_t = s.f[F_PIT], x.w_t = s.f[F_WT];
    x.w = s.w[F_W], x.pi = s.w[F_PI], x.pid = s.w[F_PID];
    x.wa = start == START_HERE ? NULL : s.f[F_WA], x.pia = start == START_HERE ? NULL : s.f[F_PIA];
    x.w_from = start == START_SAVED ? x.wa : x.w, x.pi_from = start == START_SAVED ? x.pia : x.pi;
    x.sj = s.sj * REAL, x.sk = s.sk * REAL;
    return x;
}

/* The numbers of a level: of its cells, and of the faces below them. */
struct alignas(8 * sizeof(real)) cell_level {
    real pi_0, rdz, half_bottom, half_top, theta_f, cp_rdz_f;
};

__device__ static inline struct cell_level cell_level_at(const struct slab &s, const struct dynamics &d, int k, real dtau)
{
    const struct cell_level l = {s.f[P_PI0][k], s.f[P_RDZC][k], s.f[P_DPI0H][k], s.f[P_DPI0H][k + 1], s.f[P_TH0F][k],
                                 d.cp * dtau * s.f[P_RDZF][k]};
    return l;
}

/* The cell at n; w at its two faces. */
template <int start>
__device__ static inline struct cell_terms cell_at(const struct dynamics &d, const column_fields<start> &x, const struct cell_level &l,
                                                   ptrdiff_t n, real pi_old, real w_bottom, real w_top, real dtau)
{
    const real *const u = moved(x.u, n);
    const real div = divergence(u[0], u[1], d.rdx, *moved(x.v, n), *moved(x.v, n + x.sj), d.rdy);
    return cell_make(pi_old, l.pi_0, *moved(x.pi_t, n), d.rcv, l.rdz, l.half_bottom, l.half_top, div, w_bottom, w_top, dtau, d.off1);
}

/* pi'new once w' is known. */
__device__ static inline struct pressure pressure_at(const struct dynamics &d, const struct cell_level &l, real star, real pi_old,
                                                     real w_bottom, real w_top, real dtau)
{
    return cell_solve(star, pi_old, l.pi_0, d.rcv, l.rdz, l.half_bottom, l.half_top, w_bottom, w_top, d.off * dtau, d.damping);
}

/* ---- a thread a column; the elimination's ratios are [nk][columns of the block] in shared memory ------------------- */

template <int start>
__global__ void wpi_columns(const struct slab s, const struct box b, const struct dynamics d, const real dtau)
{
    SF_SHARED(real, ratios);
    const int i = b.i0 + (int)(blockIdx.x * blockDim.x + threadIdx.x), nk = d.nk, columns = (int)blockDim.x;
    if (i >= b.i1) return;
    const column_fields<start> x = column_fields_of<start>(s);
    real *const ratio = ratios + threadIdx.x;

    struct cell_terms lower = {R(0.0), R(0.0), R(0.0)};
    struct face_terms before = {R(0.0), R(0.0)};
    real pi_lower = R(0.0), th_lower = R(0.0), w_old = R(0.0);
    ptrdiff_t n = ((b.j0 + (int)blockIdx.y - s.j0) * s.sj + i) * REAL;
    for (int k = 0; k < nk; k++, n += x.sk) {
        const struct cell_level l = cell_level_at(s, d, k, dtau);
        const real pi_old = *moved(x.pi_from, n), w_top = k + 1 == nk ? R(0.0) : *moved(x.w_from, n + x.sk), th_upper = *moved(x.th, n);
        if (start == START_FIRST) *moved(x.pia, n) = pi_old, *moved(x.wa, n) = k ? w_old : *moved(x.w, n);
        const struct cell_terms upper = cell_at<start>(d, x, l, n, pi_old, w_old, w_top, dtau);
        struct face_terms face = {R(0.0), R(0.0)};
        if (k) {
            const real theta = theta_face(l.theta_f, th_lower, th_upper);
            face = face_eliminate(face_system(w_old, *moved(x.w_t, n), dtau, l.cp_rdz_f * theta, d.off, d.off1, pi_lower, pi_old, lower,
                                              upper), before);
        }
        *moved(x.pid, n) = upper.star, *moved(x.w, n) = face.value, ratio[k * columns] = face.ratio;
        lower = upper, before = face;
        pi_lower = pi_old, th_lower = th_upper, w_old = w_top;
    }
    real w_top = R(0.0);
    for (int k = nk - 1; k >= 0; k--) {
        n -= x.sk;
        const struct face_terms face = {ratio[k * columns], *moved(x.w, n)};
        const real w_new = face_solve(face, w_top);
        const struct pressure p =
            pressure_at(d, cell_level_at(s, d, k, dtau), *moved(x.pid, n), *moved(x.pi_from, n), w_new, w_top, dtau);
        *moved(x.w, n) = w_new, *moved(x.pi, n) = p.now, *moved(x.pid, n) = p.damped;
        w_top = w_new;
    }
}

/* ---- a block 32 columns ------------------------------------------------------------------------------------------- */

enum { COLUMNS = 32 };

/* Shared memory of a level: the system of the block's columns, and the level's numbers. Solving puts the ratio where `super` was and w'
 * where `right` was. */
struct column_level {
    real sub[COLUMNS], diagonal[COLUMNS], super[COLUMNS], right[COLUMNS];
    struct cell_level numbers;
};

__device__ static inline struct face_system system_of(const struct column_level &y, int lane)
{
    const struct face_system f = {y.sub[lane], y.diagonal[lane], y.super[lane], y.right[lane]};
    return f;
}

/* Up and down one column. Levels are fetched AHEAD at a time, before those at hand are solved: nothing but the elimination itself is
 * waited for. `levels` are a multiple of AHEAD; those beyond the lid have w' = 0. */
__device__ static inline void column_solve(struct column_level *y, int levels)
{
    enum { AHEAD = 4 };
    const int lane = (int)threadIdx.x;
    struct face_system next[AHEAD];
    struct face_terms at = {R(0.0), R(0.0)};
    for (int m = 0; m < AHEAD; m++) next[m] = system_of(y[m], lane);
    for (int k = 0; k < levels; k += AHEAD) {
        struct face_system now[AHEAD];
        for (int m = 0; m < AHEAD; m++) {
            now[m] = next[m];
            if (k + AHEAD < levels) next[m] = system_of(y[k + AHEAD + m], lane);
        }
        for (int m = 0; m < AHEAD; m++) {
            at = face_eliminate(now[m], at);
            y[k + m].super[lane] = at.ratio, y[k + m].right[lane] = at.value;
        }
    }
    struct face_terms below[AHEAD];
    for (int m = 0; m < AHEAD; m++) below[m] = {y[levels - 1 - m].super[lane], y[levels - 1 - m].right[lane]};
    real w = R(0.0);
    for (int k = levels - 1; k >= 0; k -= AHEAD) {
        struct face_terms now[AHEAD];
        for (int m = 0; m < AHEAD; m++) {
            now[m] = below[m];
            if (k - AHEAD >= 0) below[m] = {y[k - AHEAD - m].super[lane], y[k - AHEAD - m].right[lane]};
        }
        for (int m = 0; m < AHEAD; m++) {
            w = face_solve(now[m], w);
            y[k - m].right[lane] = w;
        }
    }
}

/* LEVELS a thread, of at most WARPS warps; BLOCKS such blocks a multiprocessor. */
template <int LEVELS_, int WARPS_, int BLOCKS_> struct column_block {
    enum { LEVELS = LEVELS_, WARPS = WARPS_, BLOCKS = BLOCKS_, MOST = LEVELS * WARPS };
};

/* Levels beyond the lid, to fill up those of the last warp, are the lid's again: no load waits for a branch. */
template <int start, class T>
__global__ void __launch_bounds__(COLUMNS *T::WARPS, T::BLOCKS)
    wpi_blocks(const struct slab s, const struct box b, const struct dynamics d, const real dtau)
{
    SF_SHARED(struct column_level, levels);
    const int lane = (int)threadIdx.x, i = b.i0 + (int)blockIdx.x * COLUMNS + lane, nk = d.nk, k0 = (int)threadIdx.y * T::LEVELS;
    const int is_inside = i < b.i1; /* else the last column is computed again, and not stored */
    const column_fields<start> x = column_fields_of<start>(s);
    struct column_level *const own = levels + k0;
    if (lane < T::LEVELS) own[lane].numbers = cell_level_at(s, d, SF_MIN(k0 + lane, nk - 1), dtau);
    __syncthreads();

    const ptrdiff_t bottom = ((b.j0 + (int)blockIdx.y - s.j0) * s.sj + k0 * s.sk + SF_MIN(i, b.i1 - 1)) * REAL;
    struct cell_terms lower = {R(0.0), R(0.0), R(0.0)};
    real pi_lower = R(0.0), th_lower = R(0.0), w_old = R(0.0), star[T::LEVELS], pi_old[T::LEVELS];
    if (k0) {
        const ptrdiff_t n = bottom - x.sk;
        const real w_below = *moved(x.w_from, n);
        pi_lower = *moved(x.pi_from, n), th_lower = *moved(x.th, n), w_old = *moved(x.w_from, bottom);
        lower = cell_at<start>(d, x, own[-1].numbers, n, pi_lower, k0 == 1 ? R(0.0) : w_below, w_old, dtau);
    }
    ptrdiff_t n = bottom;
#pragma unroll
    for (int m = 0; m < T::LEVELS; m++) {
        const int k = k0 + m, is_level = k < nk;
        const struct cell_level l = own[m].numbers;
        const real w_above = *moved(x.w_from, n + x.sk), w_top = k + 1 >= nk ? R(0.0) : w_above, th_upper = *moved(x.th, n);
        const real theta = theta_face(l.theta_f, th_lower, th_upper);
        pi_old[m] = *moved(x.pi_from, n);
        const struct cell_terms upper = cell_at<start>(d, x, l, n, pi_old[m], w_old, w_top, dtau);
        struct face_system f =
            face_system(w_old, *moved(x.w_t, n), dtau, l.cp_rdz_f * theta, d.off, d.off1, pi_lower, pi_old[m], lower, upper);
        if (k == 0 || !is_level) f = {R(0.0), R(1.0), R(0.0), R(0.0)}; /* w' = 0 */
        own[m].sub[lane] = f.sub, own[m].diagonal[lane] = f.diagonal, own[m].super[lane] = f.super, own[m].right[lane] = f.right;
        if (start == START_FIRST && is_level && is_inside) *moved(x.pia, n) = pi_old[m], *moved(x.wa, n) = k ? w_old : *moved(x.w, n);
        star[m] = upper.star;
        lower = upper;
        pi_lower = pi_old[m], th_lower = th_upper, w_old = w_top;
        n += k + 1 < nk ? x.sk : 0;
    }
    __syncthreads();
    if (threadIdx.y == 0) column_solve(levels, (int)blockDim.y * T::LEVELS);
    __syncthreads();
    n = bottom;
    real w_new = own[0].right[lane];
#pragma unroll
    for (int m = 0; m < T::LEVELS; m++, n += x.sk) {
        if (k0 + m >= nk) return;
        const real w_top = k0 + m + 1 == nk ? R(0.0) : own[m + 1].right[lane];
        const struct pressure p = pressure_at(d, own[m].numbers, star[m], pi_old[m], w_new, w_top, dtau);
        if (is_inside) *moved(x.w, n) = w_new, *moved(x.pi, n) = p.now, *moved(x.pid, n) = p.damped;
        w_new = w_top;
    }
}

/* ---- launches ----------------------------------------------------------------------------------------------------- */

template <int start> static void columns_launch(const struct slab *s, struct box b, const struct dynamics *d, real dtau, void *stream)
{
    int columns = 64; /* as many a block as the shared memory that every device gives can serve */
    while (columns > 1 && (size_t)columns * (size_t)d->nk * sizeof(real) > 48 * 1024) columns /= 2;
    const dim3 grid((unsigned)((b.i1 - b.i0 + columns - 1) / columns), (unsigned)(b.j1 - b.j0));
    SF_LAUNCH_BLOCKS((wpi_columns<start>), grid, dim3((unsigned)columns), (size_t)columns * (size_t)d->nk * sizeof(real), stream, *s,
                     b, *d, dtau);
}

/* For d->nk <= T::MOST. */
template <int start, class T>
static void blocks_launch(const struct slab *s, struct box b, const struct dynamics *d, real dtau, void *stream)
{
    const unsigned warps = (unsigned)((d->nk + T::LEVELS - 1) / T::LEVELS);
    const dim3 grid((unsigned)((b.i1 - b.i0 + COLUMNS - 1) / COLUMNS), (unsigned)(b.j1 - b.j0));
    SF_LAUNCH_BLOCKS((wpi_blocks<start, T>), grid, dim3(COLUMNS, warps), warps * T::LEVELS * sizeof(struct column_level), stream, *s, b,
                     *d, dtau);
}
