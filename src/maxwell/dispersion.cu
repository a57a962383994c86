/* Media that disperse, on a GPU: a thread takes one component at a point of several rows, and asks for all that it
 * needs of these before it writes any. One point a thread left the memory half idle: a number of the medium, E and the
 * memories, and what the mixture has of them, were waited for one after the other. SPDX-License-Identifier: MIT */
extern "C" {
#include "maxwell/dispersion.h"
}

#include "pipeline/launch.h"

enum { BLOCK = 128, ROWS = 4 };

struct dispersed {
    struct disperse of;
    real *e[3], *memory;
    const void *ids[3];
    ptrdiff_t sj, sk;
    struct box b;
    int j0, wide;
};

/* One row, of any number of poles. */
template <int AMONG>
__device__ static inline void disperse_any(const struct dispersed &x, int component, int j, int k, int i)
{
    const struct disperse_line l =
        disperse_line(&x.of, x.e[component], x.ids[component], x.wide, x.memory, x.sj, x.sk, j - x.j0, k, component);
    if (AMONG) disperse_point_among(&x.of, &l, i);
    else disperse_point(&x.of, &l, i);
}

/* `rows` of them, of SINGLES memories of real poles and N in all: held in registers between reads and writes. */
template <int AMONG, int SINGLES, int N>
__device__ static inline void disperse_rows(const struct dispersed &x, int component, int j, int rows, int k, int i)
{
    const struct disperse_line l =
        disperse_line(&x.of, x.e[component], x.ids[component], x.wide, x.memory, x.sj, x.sk, j - x.j0, k, component);
    const ptrdiff_t further = 3 * N * l.stride; /* from a memory to that of the next row */
    real *const e = l.e + i, *const y = l.memory + i;
    real own[ROWS], memory[ROWS][N], gain[ROWS][N], decay[N];
    unsigned id[ROWS], has[ROWS];
#pragma unroll
    for (int q = 0; q < ROWS; q++) id[q] = l.wide && q < rows ? id_at(l.ids, q * x.sj + i, l.wide) : 0;
#pragma unroll
    for (int q = 0; q < ROWS; q++) has[q] = q < rows ? x.of.has[id[q]] : (unsigned)DISPERSE_NONE;
#pragma unroll
    for (int q = 0; q < ROWS; q++) {
        if (AMONG ? has[q] != DISPERSE_AMONG : has[q] == DISPERSE_NONE) continue;
        own[q] = e[q * x.sj];
#pragma unroll
        for (int m = 0; m < N; m++) {
            memory[q][m] = y[q * further + m * l.stride];
            gain[q][m] = x.of.gain[id[q] * (unsigned)N + m];
        }
    }
#pragma unroll
    for (int m = 0; m < N; m++) decay[m] = x.of.decay[m];
#pragma unroll
    for (int q = 0; q < ROWS; q++) {
        if (AMONG ? has[q] != DISPERSE_AMONG : has[q] == DISPERSE_NONE) continue;
        if (!AMONG) e[q * x.sj] = own[q] = disperse_gained(SINGLES, N, memory[q], 1, own[q]);
        if (!AMONG && has[q] != DISPERSE_ALONE) continue;
        disperse_memories(SINGLES, N, decay, gain[q], memory[q], 1, own[q]);
#pragma unroll
        for (int m = 0; m < N; m++) y[q * further + m * l.stride] = memory[q][m];
    }
}

/* N 0: of any number. */
template <int AMONG, int SINGLES, int N>
__global__ void __launch_bounds__(BLOCK) disperse_points(__grid_constant__ SF_ARGUMENT(struct dispersed) x)
{
    launch_wait();
    const int ni = x.b.i1 - x.b.i0, at = (int)(blockIdx.x * BLOCK + threadIdx.x), component = (int)blockIdx.z;
    const int k = x.b.k0 + at / ni, i = x.b.i0 + at % ni, j = x.b.j0 + (int)blockIdx.y * ROWS,
              rows = SF_MIN(ROWS, x.b.j1 - j);
    if (k >= x.b.k1) return;
    if constexpr (N > 0) disperse_rows<AMONG, SINGLES, N>(x, component, j, rows, k, i);
    else
        for (int q = 0; q < rows; q++) disperse_any<AMONG>(x, component, j + q, k, i);
}

template <int AMONG, int SINGLES, int N> static void launch(const struct dispersed &p, void *stream)
{
    const unsigned points = (unsigned)(p.b.i1 - p.b.i0) * (unsigned)(p.b.k1 - p.b.k0);
    SF_LAUNCH((disperse_points<AMONG, SINGLES, N>),
              dim3(launch_blocks(points, BLOCK), launch_blocks(p.b.j1 - p.b.j0, ROWS), 3), dim3(BLOCK), stream, p);
}

template <int AMONG> static void points_launch(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct maxwell *const x = (const struct maxwell *)c->ctx;
    struct dispersed p = {};
    const struct dispersion *const d = &x->dispersion[c->member - x->nmonitors];
    p.of = d->point;
    p.b = b, p.j0 = s->j0, p.sj = s->sj, p.sk = s->sk, p.wide = x->e_wide, p.memory = s->w[F_SUMS];
    p.b.i0 = SF_MAX(b.i0, d->box.i0), p.b.i1 = SF_MIN(b.i1, d->box.i1);
    p.b.j0 = SF_MAX(b.j0, d->j0), p.b.j1 = SF_MIN(b.j1, d->j1);
    p.b.k0 = SF_MAX(b.k0, d->box.k0), p.b.k1 = SF_MIN(b.k1, d->box.k1);
    for (int n = 0; n < 3; n++) p.e[n] = AMONG ? (real *)s->f[F_EX + n] : s->w[F_EX + n], p.ids[n] = s->f[F_MEX + n];
    if (box_is_empty(p.b) || (AMONG && !d->mixes)) return;
    const int singles = d->point.singles, n = d->point.n;
    if (singles == 1 && n == 1) launch<AMONG, 1, 1>(p, stream); /* a debye pole, or a drude */
    else if (singles == 2 && n == 2) launch<AMONG, 2, 2>(p, stream);
    else if (singles == 0 && n == 2) launch<AMONG, 0, 2>(p, stream); /* a lorentz pole */
    else if (singles == 1 && n == 3) launch<AMONG, 1, 3>(p, stream);
    else if (singles == 0 && n == 4) launch<AMONG, 0, 4>(p, stream);
    else launch<AMONG, 0, 0>(p, stream);
}

extern "C" void disperse_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    points_launch<0>(s, b, c, stream);
}
extern "C" void disperse_among_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    points_launch<1>(s, b, c, stream);
}
