/* For .cu files: how a stage becomes a kernel. SPDX-License-Identifier: MIT */
#pragma once

extern "C" {
#include "pipeline/backend.h"
}
#include "pipeline/model.h"

#include <cuda_runtime.h>

#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
#error the kernels need GPUs of compute capability 8.0 or later: CUDA_ARCH=80, or more
#endif

/* Bytes that the threads of a block may share: what every device from sm_80 on has, and what it gives unasked. */
enum { LAUNCH_SHARED_MOST = 96 * 1024, LAUNCH_SHARED_UNASKED = 48 * 1024 };

/* Where launches are noted, see backend.h; NULL: nowhere. */
extern "C" {
inline struct backend_launch *launch_noted = NULL;
__attribute__((used)) inline int launch_overlaps =
    0; /* 1: the device can begin a kernel while the one before it ends; set by the backend */
inline struct launch_last {
    const void *stream, *by;
} launch_last = {NULL, NULL};
}

/* The stage whose launch was the last one in this stream, where that stage has signed its launch (launch_sign); NULL
 * otherwise. */
static inline const void *launch_by(const void *stream) { return stream == launch_last.stream ? launch_last.by : NULL; }
static inline void launch_sign(const void *stage) { launch_last.by = stage; }

static inline int launch_ask(const struct backend_launch *l, struct kernel_figures *f)
{
    struct cudaFuncAttributes a;
    int blocks = 0;
    cudaError_t e = cudaFuncGetAttributes(&a, l->kernel);
    if (!e) e = cudaFuncGetName(&f->name, l->kernel);
    if (!e) e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, l->kernel, l->block, l->shared);
    if (e) return (int)e;
    f->registers = a.numRegs, f->resident = blocks * l->block;
    f->shared = a.sharedSizeBytes + l->shared, f->local = a.localSizeBytes;
    return 0;
}

/* Before a launch; returns the grid. */
static inline dim3 launch_note(const void *kernel, dim3 grid, dim3 block, size_t shared, const void *stream)
{
    const double threads = (double)grid.x * grid.y * grid.z * block.x * block.y * block.z;
    if (shared > LAUNCH_SHARED_UNASKED)
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (launch_noted && threads >= launch_noted->threads)
        *launch_noted = {kernel, threads, (int)(block.x * block.y * block.z), shared, launch_ask};
    launch_last = {stream, NULL};
    return grid;
}

/* Kernels are launched by these alone, so that a build that emulates a GPU on the CPU (CUDA=emulate) can stand in for
 * nvcc:
 *
 *     SF_LAUNCH(kernel, grid, block, stream, arguments...)          no thread of it waits for another
 *     SF_LAUNCH_BLOCKS(kernel, grid, block, bytes, stream, ...)     its blocks synchronise, and share `bytes` beside
 *                                                                   static arrays
 *     SF_LAUNCH_APART(is_apart, kernel, grid, block, bytes, ...)    the same; 1: its blocks come when the kernel before
 *                                                                   it has ended
 *     SF_SHARED(type, name)                                         in such kernels: a pointer to those bytes
 *
 * A kernel that is a template is put in parentheses: SF_LAUNCH((advect<4>), ...). A structure that is handed to one,
 * and ends with a number beside unused bytes, is zeroed first: to an emulated GPU both together may look like an
 * address of the host's, which it hides. Every kernel begins with launch_wait(), launch_wait_first() or launch_begin():
 * where the device can, and it is not launched apart, its blocks are there when the last of the kernel before it end,
 * and wait for what those have written. */

#ifndef SF_EMULATE
struct launch_order {
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attribute;
};

static inline const cudaLaunchConfig_t *launch_config(struct launch_order *o, int is_apart, dim3 grid, dim3 block,
                                                      size_t bytes, void *stream)
{
    o->attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    o->attribute.val.programmaticStreamSerializationAllowed = 1;
    o->config.gridDim = grid, o->config.blockDim = block, o->config.dynamicSmemBytes = bytes;
    o->config.stream = (cudaStream_t)stream, o->config.attrs = &o->attribute,
    o->config.numAttrs = launch_overlaps && !is_apart ? 1 : 0;
    return &o->config;
}

/* Waits until the kernel before this one in the stream has ended: all that it wrote can be read from here on. */
__device__ static inline void launch_await(void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}
/* Allows the next kernel of the stream to begin: its blocks start, where a multiprocessor has room, once every block of
 * this kernel has made this call or has ended. */
__device__ static inline void launch_let(void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

__device__ static inline void launch_wait(void) { launch_let(), launch_await(); }

/* Waits, and only then allows the next kernel to begin. When blocks of that one start, all that was written before this
 * kernel is in memory; they may read at once whatever this kernel does not write. */
__device__ static inline void launch_wait_first(void) { launch_await(), launch_let(); }

/* A group of kernels A, B, C, launched one behind the other, may run side by side when none of them reads or writes
 * what another of them writes. Each begins with launch_begin(follows) and ends with launch_end().
 *
 *   - A is the first (follows = 0). A waits for the kernel before the group, and then allows B to begin.
 *   - B and C (follows = 1) do not wait: A has waited, so that all that was written before the group is in memory.
 *   - At their end, one block of B waits for A, and one block of C for B. A kernel D behind the group waits for C, and
 * so for all three. Only one block waits, since a block that waits keeps its place on a multiprocessor.
 *
 * Example: the sweep of E and H has a kernel for each kind of tile, and every cell belongs to one tile.
 *
 * A kernel K may also begin with launch_begin(1) when the kernel J before it began with launch_wait_first() and K
 * reads, at first, nothing that J writes. Every block of K calls launch_await() before it writes, or reads what J
 * wrote. */
__device__ static inline void launch_begin(int follows)
{
    if (!follows) launch_await();
    launch_let();
}
__device__ static inline void launch_end(void)
{
    if (blockIdx.x + 1 == gridDim.x && blockIdx.y + 1 == gridDim.y && blockIdx.z + 1 == gridDim.z) launch_await();
}

#define SF_LAUNCH(kernel, grid, block, stream, ...) SF_LAUNCH_BLOCKS(kernel, grid, block, 0, stream, __VA_ARGS__)
#define SF_LAUNCH_BLOCKS(kernel, grid, block, bytes, stream, ...)                                                      \
    SF_LAUNCH_APART(0, kernel, grid, block, bytes, stream, __VA_ARGS__)
#define SF_LAUNCH_APART(is_apart, kernel, grid, block, bytes, stream, ...)                                             \
    do {                                                                                                               \
        struct launch_order order_ = {};                                                                               \
        const dim3 grid_ = launch_note((const void *)(kernel), grid, block, bytes, stream);                            \
        cudaLaunchKernelEx(launch_config(&order_, is_apart, grid_, block, bytes, stream),                              \
                           kernel __VA_OPT__(, ) __VA_ARGS__);                                                         \
    } while (0)
/* A structure among a kernel's arguments, which the kernel only reads. Threads of an emulated GPU share one: a copy for
 * each took longer than the kernels. */
#define SF_ARGUMENT(type) const type
#define SF_SHARED(type, name)                                                                                          \
    extern __shared__ __align__(128) unsigned char sf_shared_bytes[];                                                  \
    type *const name = reinterpret_cast<type *>(sf_shared_bytes)
#else
#define SF_LAUNCH(kernel, grid, block, stream, ...)                                                                    \
    EMULATE_LAUNCH(0, kernel, launch_note((const void *)(kernel), grid, block, 0, stream), block, 0, stream,           \
                   __VA_ARGS__)
#define SF_LAUNCH_BLOCKS(kernel, grid, block, bytes, stream, ...)                                                      \
    EMULATE_LAUNCH(1, kernel, launch_note((const void *)(kernel), grid, block, bytes, stream), block, bytes, stream,   \
                   __VA_ARGS__)
#define SF_LAUNCH_APART(is_apart, ...) ((void)(is_apart), SF_LAUNCH_BLOCKS(__VA_ARGS__))
#define SF_ARGUMENT(type) const type &
#define SF_SHARED(type, name) type *const name = static_cast<type *>(emulate_shared_bytes())
__device__ static inline void launch_wait(void) {}
__device__ static inline void launch_wait_first(void) {}
__device__ static inline void launch_await(void) {}
__device__ static inline void launch_begin(int follows) { (void)follows; }
__device__ static inline void launch_end(void) {}
#endif

/* Of the device in use; all devices of a run are alike. */
static inline int launch_multiprocessors(void)
{
    static int n;
    int device;
    if (!n && (cudaGetDevice(&device) || cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, device))) n = 1;
    return n;
}

/* Bytes that the threads of a block may share there: LAUNCH_SHARED_MOST at least, on devices that are supported. */
static inline int launch_shared_room(void)
{
    static int n;
    int device;
    if (!n && (cudaGetDevice(&device) || cudaDeviceGetAttribute(&n, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)))
        n = LAUNCH_SHARED_MOST;
    return n;
}

/* read_once, write_once: of what a kernel reads and writes once: it need not stay in the second-level cache.
 * launch_pause: let so many clocks go by. */
#ifdef SF_EMULATE
static inline void launch_pause(long long clocks) { (void)clocks; }
static inline real read_once(const real *at) { return *at; }
static inline void write_once(real *at, real x) { *at = x; }
#else
__device__ static inline void launch_pause(long long clocks)
{
    enum { DOZE = 100 }; /* ns */
    for (const long long begin = clock64(); clock64() - begin < clocks;) __nanosleep(DOZE);
}
__device__ static inline real read_once(const real *at) { return __ldcs(at); }
__device__ static inline void write_once(real *at, real x) { __stcs(at, x); }
#endif

/* So many of `each` as hold n. */
static inline unsigned launch_blocks(ptrdiff_t n, int each) { return (unsigned)((n + each - 1) / each); }

/* One thread a point: blocks of a shape's columns and levels, or (shape NULL) of LAUNCH_I by LAUNCH_K, narrower and
 * taller where the box has few columns, as next to a side; of one row. */
enum { LAUNCH_I = 64, LAUNCH_K = 4 };

static inline dim3 launch_block(const struct candidate *shape, struct box b)
{
    enum { NARROWEST = 4 };
    unsigned wide = LAUNCH_I;
    if (shape) return dim3((unsigned)shape->tile_i, (unsigned)shape->tile_k, 1);
    while (wide > NARROWEST && (int)wide / 2 >= b.i1 - b.i0) wide /= 2;
    return dim3(wide, LAUNCH_I * LAUNCH_K / wide, 1);
}

static inline dim3 launch_grid(struct box b, const struct candidate *shape)
{
    const dim3 block = launch_block(shape, b);
    return dim3(launch_blocks(b.i1 - b.i0, (int)block.x), launch_blocks(b.k1 - b.k0, (int)block.y),
                (unsigned)(b.j1 - b.j0));
}

/* The point of a thread of such a grid; outside of the box: is_inside is 0. */
struct launch_point {
    int i, k, j, is_inside;
};

__device__ static inline struct launch_point launch_here(const struct box b)
{
    struct launch_point p;
    p.i = b.i0 + (int)(blockIdx.x * blockDim.x + threadIdx.x);
    p.k = b.k0 + (int)(blockIdx.y * blockDim.y + threadIdx.y);
    p.j = b.j0 + (int)blockIdx.z;
    p.is_inside = p.i < b.i1 && p.k < b.k1;
    return p;
}

/* `bytes` from an element on: kernels that walk through many fields keep one offset, in bytes, and add it to each
 * pointer. */
template <class V> __device__ static inline V *moved(V *p, ptrdiff_t bytes) { return (V *)((char *)p + bytes); }

enum { REAL = (int)sizeof(real) };

/* N values side by side, as a thread reads and writes them at once. */
template <int N> struct alignas(N * sizeof(real)) points {
    real at[N];
};

/* A form of a kernel as a shape to choose from: the type of the form knows its numbers. levels: see struct
 * candidate. */
template <class T> static constexpr struct candidate candidate_of(const char *name, int levels = 0)
{
    return {name, T::WIDTH, T::LEVELS, T::DEEP, T::THREADS, (size_t)T::BYTES, levels};
}
