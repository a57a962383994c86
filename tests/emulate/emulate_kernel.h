/* The part of CUDA's C++ that kernels are written in, and how they are launched on an emulated GPU. Included by
 * cuda_runtime.h. SPDX-License-Identifier: MIT */
#pragma once

#include <functional>
#include <stdint.h>
#include <string.h>
#include <tuple>
#include <type_traits>

/* ---- the language ------------------------------------------------------------------------------------------------ */

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
/* Shared arrays of all kernels lie side by side, to be filled with NaN before a block runs. A kernel with one is a
 * static function: those of inline functions and templates with external linkage cannot share a section with it. */
#define __shared__ static __attribute__((section("emulate_shared")))

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
static const int warpSize = 32;

#define EMULATE_VECTORS(type, name, align)                                                                             \
    struct __align__(2 * sizeof(type)) name##2 { type x, y; };                                                         \
    struct name##3 { type x, y, z; };                                                                                  \
    struct __align__(align) name##4 { type x, y, z, w; };                                                              \
    static inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                            \
    static inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                                 \
    static inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
EMULATE_VECTORS(float, float, 16)
EMULATE_VECTORS(double, double, 16)
EMULATE_VECTORS(int, int, 16)
EMULATE_VECTORS(unsigned char, uchar, 4)
#undef EMULATE_VECTORS
struct __align__(16) uint4 { unsigned x, y, z, w; };

template <class T> static inline T __ldg(const T *at) { return *at; }
template <class T> static inline T __ldcs(const T *at) { return *at; }
template <class T> static inline T __ldcg(const T *at) { return *at; }
template <class T> static inline void __stcs(T *at, T value) { *at = value; }
template <class T> static inline void __stcg(T *at, T value) { *at = value; }
static inline float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
static inline int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
static inline unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
static inline float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
static inline long long __double_as_longlong(double value) { return __builtin_bit_cast(long long, value); }
static inline double __longlong_as_double(long long bits) { return __builtin_bit_cast(double, bits); }
static inline void __threadfence() {}
static inline void __threadfence_block() {}

template <class T> struct emulate_same {
    typedef T type; /* so that T is taken from the address alone */
};

#define EMULATE_ATOMIC(name, operation)                                                                                \
    template <class T> static inline T name(T *at, typename emulate_same<T>::type value)                               \
    {                                                                                                                  \
        const T old = *at;                                                                                             \
        *at = operation;                                                                                               \
        return old;                                                                                                    \
    }
EMULATE_ATOMIC(atomicAdd, old + value)
EMULATE_ATOMIC(atomicSub, old - value)
EMULATE_ATOMIC(atomicMax, old < value ? value : old)
EMULATE_ATOMIC(atomicMin, value < old ? value : old)
EMULATE_ATOMIC(atomicOr, old | value)
EMULATE_ATOMIC(atomicAnd, old &value)
EMULATE_ATOMIC(atomicExch, value)
#undef EMULATE_ATOMIC
template <class T>
static inline T atomicCAS(T *at, typename emulate_same<T>::type expected, typename emulate_same<T>::type value)
{
    const T old = *at;
    if (old == expected) *at = value;
    return old;
}

/* ---- threads of a block ------------------------------------------------------------------------------------------ */

/* A barrier is known by its place in the source: threads that wait at different ones do not meet. */
int emulate_barrier(const char *file, int line, int predicate, int is_of_warp);
#define __syncthreads() ((void)emulate_barrier(__FILE__, __LINE__, 0, 0))
#define __syncthreads_or(predicate) (emulate_barrier(__FILE__, __LINE__, !!(predicate), 0) > 0)
#define __syncthreads_count(predicate) emulate_barrier(__FILE__, __LINE__, !!(predicate), 0)
#define __syncthreads_and(predicate) (emulate_barrier(__FILE__, __LINE__, !(predicate), 0) == 0)
#define __syncwarp(...) ((void)emulate_barrier(__FILE__, __LINE__, 0, 1))

enum { EMULATE_THREADS = 1024, EMULATE_LANES = 32 }; /* of a block, at most; of a warp */
static inline int emulate_thread()
{
    return (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}
static inline int emulate_threads() { return (int)(blockDim.x * blockDim.y * blockDim.z); }

/* All threads of a warp hand over what they have; each takes that of the one `by` places before it (up), or behind
 * (down), or where there is none its own. */
template <class T> static inline T emulate_shuffle(T x, int by)
{
    static T handed[EMULATE_THREADS];
    const int mine = emulate_thread(), from = mine + by;
    const int is_there = from >= 0 && from / EMULATE_LANES == mine / EMULATE_LANES && from < emulate_threads();
    handed[mine] = x;
    __syncwarp();
    const T taken = handed[is_there ? from : mine];
    __syncwarp();
    return taken;
}
static inline int __any_sync(unsigned, int predicate)
{
    static int handed[EMULATE_THREADS];
    const int mine = emulate_thread(), first = mine / EMULATE_LANES * EMULATE_LANES;
    int any = 0;
    handed[mine] = predicate != 0;
    __syncwarp();
    for (int n = first; n < first + EMULATE_LANES && n < emulate_threads(); n++) any |= handed[n];
    __syncwarp();
    return any;
}
template <class T> static inline T __shfl_up_sync(unsigned, T x, unsigned by) { return emulate_shuffle(x, -(int)by); }
template <class T> static inline T __shfl_down_sync(unsigned, T x, unsigned by) { return emulate_shuffle(x, (int)by); }
template <class T> static inline T __shfl_sync(unsigned, T x, int lane)
{
    return emulate_shuffle(x, lane - emulate_thread() % EMULATE_LANES);
}

/* Copies to shared memory behind the threads' backs: done at once, or as late as when they are waited for. */
void emulate_copy_async(void *to, const void *from, size_t bytes, size_t zeros);
void emulate_copy_commit();
void emulate_copy_wait(unsigned groups);
static inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
    emulate_copy_async(to, from, bytes, zeros);
}
static inline void __pipeline_commit() { emulate_copy_commit(); }
static inline void __pipeline_wait_prior(unsigned groups) { emulate_copy_wait(groups); }

/* A barrier in shared memory, see mbarrier in pipeline/copies.cuh; threads that wait for a phase that nobody ends are
 * told. A thread's copies arrive at once, or as late as when nobody can go on without them. */
struct __align__(8) emulate_mbarrier
{
    unsigned short expected, pending;
    unsigned phase;
    int bytes; /* of boxes that are to come before the phase ends */
};
void emulate_mbarrier_make(emulate_mbarrier *b, int n);
void emulate_mbarrier_arrive(emulate_mbarrier *b);
void emulate_mbarrier_arrive_behind(emulate_mbarrier *b);
void emulate_mbarrier_wait(const emulate_mbarrier *b, int phase);
int emulate_mbarrier_is_over(const emulate_mbarrier *b, int phase);

/* Boxes, see pipeline/boxes.cuh: they come at once, or as late as when nobody can go on without them. */
struct CUtensorMap_st;
int emulate_is_elected();
void emulate_mbarrier_expect(emulate_mbarrier *b, int bytes);
void emulate_box_copy(void *to, const struct CUtensorMap_st *map, int i, int k, int row, emulate_mbarrier *b);

/* ---- launches ---------------------------------------------------------------------------------------------------- */

struct emulate_launch {
    const char *name;
    const void *kernel;
    dim3 grid, block;
    size_t shared_bytes;
    bool has_barriers;
    std::function<void()> thread; /* what one thread does */
};

void emulate_enqueue(emulate_launch launch, void *stream);
void emulate_hide(void *parameter, size_t bytes);
void *emulate_shared_bytes();

template <auto kernel, class... P, class... A>
void emulate_put(void (*)(P...), const char *name, dim3 grid, dim3 block, size_t shared_bytes, bool has_barriers,
                 void *stream, A... arguments)
{
    std::tuple<std::remove_cv_t<std::remove_reference_t<P>>...> values{arguments...};
    std::apply([](auto &...p) { (emulate_hide(&p, sizeof p), ...); }, values);
    emulate_enqueue({name, (const void *)kernel, grid, block, shared_bytes, has_barriers,
                     [values] { std::apply([](const auto &...p) { kernel(p...); }, values); }},
                    stream);
}

/* A statement; `kernel` in parentheses where it is a template. */
#define EMULATE_LAUNCH(has_barriers, kernel, grid, block, shared_bytes, stream, ...)                                   \
    emulate_put<kernel>(kernel, #kernel, grid, block, shared_bytes, has_barriers,                                      \
                        (void *)(stream)__VA_OPT__(, ) __VA_ARGS__)
