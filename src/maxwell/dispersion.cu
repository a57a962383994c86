/* Media that disperse, on a GPU: a thread takes one component at a point of several rows, and asks for all that it
 * needs of these before it writes any. One point a thread left the memory half idle: a number of the medium, E and the
 * memories, and what the mixture has of them, were waited for one after the other. SPDX-License-Identifier: MIT */
extern "C" {
#include "maxwell/dispersion.h"
}

#include "pipeline/launch.h"

enum { BLOCK = 128, ROWS = 4 };

/* P: the pack of a stage, which says whether it may change E. */
template <class P> struct dispersed {
    struct disperse of;
    P at;
    struct box b;
    int wide;
};
template <class P> constexpr bool is_among = false;
template <> constexpr bool is_among<struct disperse_among_pack> = true;

template <class P>
__device__ static inline struct disperse_line line_of(const struct dispersed<P> &x, int component, int j, int k)
{
    const P &p = x.at;
    return disperse_line(&x.of, p.media[component], x.wide, p.sums, p.sj, p.sk, j - p.j0, k, component);
}

/* One row, of any number of poles. */
template <class P>
__device__ static inline void disperse_any(const struct dispersed<P> &x, int component, int j, int k, int i)
{
    const struct disperse_line l = line_of(x, component, j, k);
    if constexpr (is_among<P>) disperse_point_among(&x.of, &l, x.at.e[component] + l.at, i);
    else disperse_point(&x.of, &l, x.at.e[component] + l.at, i);
}

/* `rows` of them, of SINGLES memories of real poles and N in all: held in registers between reads and writes. */
template <class P, int SINGLES, int N>
__device__ static inline void disperse_rows(const struct dispersed<P> &x, int component, int j, int rows, int k, int i)
{
    constexpr bool AMONG = is_among<P>;
    const struct disperse_line l = line_of(x, component, j, k);
    const ptrdiff_t further = 3 * N * l.stride; /* from a memory to that of the next row */
    auto *const e = x.at.e[component] + l.at + i;
    real *const y = l.memory + i;
    real own[ROWS], memory[ROWS][N], gain[ROWS][N], decay[N];
    unsigned id[ROWS], has[ROWS];
#pragma unroll
    for (int q = 0; q < ROWS; q++) id[q] = l.wide && q < rows ? id_at(l.ids, q * x.at.sj + i, l.wide) : 0;
#pragma unroll
    for (int q = 0; q < ROWS; q++) has[q] = q < rows ? x.of.has[id[q]] : (unsigned)DISPERSE_NONE;
#pragma unroll
    for (int q = 0; q < ROWS; q++) {
        if (AMONG ? has[q] != DISPERSE_AMONG : has[q] == DISPERSE_NONE) continue;
        own[q] = e[q * x.at.sj];
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
        if constexpr (!AMONG) e[q * x.at.sj] = own[q] = disperse_gained(SINGLES, N, memory[q], 1, own[q]);
        if (!AMONG && has[q] != DISPERSE_ALONE) continue;
        disperse_memories(SINGLES, N, decay, gain[q], memory[q], 1, own[q]);
#pragma unroll
        for (int m = 0; m < N; m++) y[q * further + m * l.stride] = memory[q][m];
    }
}

/* N 0: of any number. */
template <class P, int SINGLES, int N>
__global__ void __launch_bounds__(BLOCK) disperse_points(__grid_constant__ SF_ARGUMENT(struct dispersed<P>) x)
{
    launch_wait();
    const int ni = x.b.i1 - x.b.i0, at = (int)(blockIdx.x * BLOCK + threadIdx.x), component = (int)blockIdx.z;
    const int k = x.b.k0 + at / ni, i = x.b.i0 + at % ni, j = x.b.j0 + (int)blockIdx.y * ROWS,
              rows = SF_MIN(ROWS, x.b.j1 - j);
    if (k >= x.b.k1) return;
    if constexpr (N > 0) disperse_rows<P, SINGLES, N>(x, component, j, rows, k, i);
    else
        for (int q = 0; q < rows; q++) disperse_any<P>(x, component, j + q, k, i);
}

template <class P, int SINGLES, int N> static void launch(const struct dispersed<P> &p, void *stream)
{
    const unsigned points = (unsigned)(p.b.i1 - p.b.i0) * (unsigned)(p.b.k1 - p.b.k0);
    SF_LAUNCH((disperse_points<P, SINGLES, N>),
              dim3(launch_blocks(points, BLOCK), launch_blocks(p.b.j1 - p.b.j0, ROWS), 3), dim3(BLOCK), stream, p);
}

template <class P> static void points_launch(const P *at, struct box b, const struct call *c, void *stream)
{
    const struct maxwell *const x = (const struct maxwell *)c->ctx;
    const struct dispersion *const d = dispersion_of(x, c, at->imaginary);
    struct dispersed<P> p = {};
    p.of = d->point, p.at = *at, p.b = dispersion_part(d, b), p.wide = x->e_wide;
    if (box_is_empty(p.b) || (is_among<P> && !d->mixes)) return;
    const int singles = d->point.singles, n = d->point.n;
    if (singles == 1 && n == 1) launch<P, 1, 1>(p, stream); /* a debye pole, or a drude */
    else if (singles == 2 && n == 2) launch<P, 2, 2>(p, stream);
    else if (singles == 0 && n == 2) launch<P, 0, 2>(p, stream); /* a lorentz pole */
    else if (singles == 1 && n == 3) launch<P, 1, 3>(p, stream);
    else if (singles == 0 && n == 4) launch<P, 0, 4>(p, stream);
    else launch<P, 0, 0>(p, stream);
}

extern "C" void disperse_elements_gpu(const struct disperse_pack *p, struct box b, const struct call *c, void *stream)
{
    points_launch(p, b, c, stream);
}
extern "C" void disperse_among_elements_gpu(const struct disperse_among_pack *p, struct box b, const struct call *c,
                                            void *stream)
{
    points_launch(p, b, c, stream);
}
