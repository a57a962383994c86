/* Kernels that do one thing as fast as a GPU can. SPDX-License-Identifier: MIT */
extern "C" {
#include "command/ceilings_parts.h"
}
#include "pipeline/launch.h"

enum { THREADS = 256, PIECES = 4, BLOCKS_EACH = 16, CHAINS = 8 };

/* A thread moves PIECES of 16 bytes, a block apart: loads first, so that they are under way together. */
struct packs {
    float4 x[PIECES];
};

__device__ static inline size_t piece_at(int m)
{
    return (size_t)blockIdx.x * (THREADS * PIECES) + (size_t)(m * THREADS) + threadIdx.x;
}

__device__ static inline struct packs packs_read(const float4 *a, size_t n)
{
    struct packs p;
#pragma unroll
    for (int m = 0; m < PIECES; m++) p.x[m] = piece_at(m) < n ? a[piece_at(m)] : float4{0, 0, 0, 0};
    return p;
}

__device__ static inline void packs_write(float4 *a, size_t n, const struct packs &p)
{
#pragma unroll
    for (int m = 0; m < PIECES; m++)
        if (piece_at(m) < n) a[piece_at(m)] = p.x[m];
}

__device__ static inline float4 scaled(float4 x, float c, float4 d)
{
    return float4{x.x * c + d.x, x.y * c + d.y, x.z * c + d.z, x.w * c + d.w};
}

__global__ void ceiling_copy(float4 *to, const float4 *from, size_t n)
{
    launch_wait();
    packs_write(to, n, packs_read(from, n));
}

__global__ void ceiling_stream(float4 *a, size_t n)
{
    launch_wait();
    struct packs p = packs_read(a, n);
#pragma unroll
    for (int m = 0; m < PIECES; m++) p.x[m] = scaled(p.x[m], 0.5f, float4{1, 1, 1, 1});
    packs_write(a, n, p);
}

__global__ void ceiling_triad(float4 *a, const float4 *b, const float4 *c, size_t n)
{
    launch_wait();
    struct packs p = packs_read(b, n);
    const struct packs q = packs_read(c, n);
#pragma unroll
    for (int m = 0; m < PIECES; m++) p.x[m] = scaled(q.x[m], 0.5f, p.x[m]);
    packs_write(a, n, p);
}

/* What is read comes to something, so that it is read; the value asked for is none that memory holds. */
__global__ void ceiling_read(float4 *a, size_t n, float none)
{
    launch_wait();
    const struct packs p = packs_read(a, n);
    float sum = 0;
#pragma unroll
    for (int m = 0; m < PIECES; m++) sum += p.x[m].x + p.x[m].y + p.x[m].z + p.x[m].w;
    if (sum == none) a[0].x = sum;
}

/* Again and again over a part of the second-level cache, past the first. */
__global__ void ceiling_cache(float4 *a, size_t n, long rounds)
{
    launch_wait();
    const size_t step = (size_t)gridDim.x * THREADS;
    for (long r = 0; r < rounds; r++)
        for (size_t m = (size_t)blockIdx.x * THREADS + threadIdx.x; m < n; m += step) {
            const float4 x = __ldcg(&a[m]);
            a[m] = scaled(x, 0.5f, float4{1, 1, 1, 1});
        }
}

/* Chains that do not wait for each other. */
__global__ void ceiling_fma(real *to, long rounds, real none)
{
    launch_wait();
    real a[CHAINS], sum = R(0.0);
#pragma unroll
    for (int m = 0; m < CHAINS; m++) a[m] = (real)threadIdx.x + (real)m;
#pragma unroll 16
    for (long r = 0; r < rounds; r++)
#pragma unroll
        for (int m = 0; m < CHAINS; m++) a[m] = sf_fma(a[m], R(0.5), R(1.0));
#pragma unroll
    for (int m = 0; m < CHAINS; m++) sum += a[m];
    if (sum == none) *to = sum;
}

/* Two of three on floating-point numbers of 32 bits, one on integers: what a multiprocessor starts at most. */
__global__ void ceiling_issue(real *to, long rounds, unsigned none)
{
    launch_wait();
    float a[CHAINS];
    unsigned b[CHAINS / 2], sum = 0;
#pragma unroll
    for (int m = 0; m < CHAINS; m++) a[m] = (float)threadIdx.x + (float)m;
#pragma unroll
    for (int m = 0; m < CHAINS / 2; m++) b[m] = threadIdx.x + (unsigned)m;
#pragma unroll 16
    for (long r = 0; r < rounds; r++)
#pragma unroll
        for (int m = 0; m < CHAINS; m++) {
            a[m] = __builtin_fmaf(a[m], 0.5f, 1.0f);
            if (m % 2 == 0) b[m / 2] = (b[m / 2] << 3) + none;
        }
#pragma unroll
    for (int m = 0; m < CHAINS; m++) sum += (unsigned)a[m] + b[m / 2];
    if (sum == none) *to = (real)sum;
}

__global__ void ceiling_nothing(void) { launch_wait(); }

static unsigned blocks_of(size_t n) { return launch_blocks((ptrdiff_t)n, THREADS * PIECES); }

extern "C" double ceiling_launch(enum ceiling which, const struct ceiling_work *w)
{
    float4 *const a = (float4 *)w->memory;
    const size_t n = w->bytes / sizeof *a, half = n / 2, third = n / 3;
    const dim3 threads(THREADS), all((unsigned)(w->multiprocessors * BLOCKS_EACH));
    const double each = (double)w->rounds * all.x * THREADS;
    switch (which) {
    case CEILING_COPY:
        SF_LAUNCH(ceiling_copy, dim3(blocks_of(half)), threads, w->stream, a + half, a, half);
        return (double)half * 32;
    case CEILING_STREAM:
        SF_LAUNCH(ceiling_stream, dim3(blocks_of(n)), threads, w->stream, a, n);
        return (double)n * 32;
    case CEILING_TRIAD:
        SF_LAUNCH(ceiling_triad, dim3(blocks_of(third)), threads, w->stream, a, a + third, a + 2 * third, third);
        return (double)third * 48;
    case CEILING_READ:
        SF_LAUNCH(ceiling_read, dim3(blocks_of(n)), threads, w->stream, a, n, -1e30f);
        return (double)n * 16;
    case CEILING_CACHE:
        SF_LAUNCH(ceiling_cache, all, threads, w->stream, a, n, w->rounds);
        return (double)n * 32 * (double)w->rounds;
    case CEILING_FMA:
        SF_LAUNCH(ceiling_fma, all, threads, w->stream, w->memory, w->rounds, R(-1.0));
        return each * CHAINS * 2;
    case CEILING_ISSUE:
        SF_LAUNCH(ceiling_issue, all, threads, w->stream, w->memory, w->rounds, 0xfffffff0u);
        return each * (CHAINS + CHAINS / 2);
    default:
        SF_LAUNCH(ceiling_nothing, dim3(1), dim3(32), w->stream);
        return 1;
    }
}
