/* Copies from memory to shared memory behind the computing: a thread starts some, closes the batch, and waits for all
 * of its own before the barrier that shows them to the block, or has them arrive at an mbarrier.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <cuda_runtime.h>

/* 16 bytes, aligned to 16. */
__device__ static inline void copy_piece(void *shared, const void *memory)
{
#ifdef SF_EMULATE
    emulate_copy_async(shared, memory, 16, 0);
#else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(shared)),
                 "l"(memory));
#endif
}

/* 8 bytes, aligned to 8. */
__device__ static inline void copy_half_piece(void *shared, const void *memory)
{
#ifdef SF_EMULATE
    emulate_copy_async(shared, memory, 8, 0);
#else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"((unsigned)__cvta_generic_to_shared(shared)),
                 "l"(memory));
#endif
}

/* 16 bytes; all of their line of 128 bytes comes to the second-level cache, for other blocks soon ask for the rest. */
__device__ static inline void copy_piece_of_line(void *shared, const void *memory)
{
#ifdef SF_EMULATE
    copy_piece(shared, memory);
#else
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(shared)),
                 "l"(memory));
#endif
}

/* The same, where other blocks take what lies beside it, and some of it again: all of its line of 128 bytes comes to
 * the second-level cache, and goes from there last. */
__device__ static inline void copy_piece_shared(void *shared, const void *memory)
{
#ifdef SF_EMULATE
    copy_piece(shared, memory);
#else
    unsigned long long last;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(last));
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(shared)),
                 "l"(memory), "l"(last));
#endif
}

/* What will be read later is brought to the second-level cache. */
__device__ static inline void read_soon(const void *memory)
{
#if defined __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(memory));
#else
    (void)memory;
#endif
}

/* The compiler holds nothing of memory in registers over this place. */
__device__ static inline void reads_again(void) { asm volatile("" ::: "memory"); }

/* Of 16 bytes, which nobody reads soon. */
template <class V> __device__ static inline void write_pack_once(V *at, const V &x)
{
    static_assert(sizeof(V) == 16, "packs have 16 bytes");
#if defined __CUDA_ARCH__
    __stcs((float4 *)at, *(const float4 *)&x);
#else
    *at = x;
#endif
}

__device__ static inline void copies_close(void)
{
#ifdef SF_EMULATE
    emulate_copy_commit();
#else
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* For all batches but the last LEFT. */
template <int LEFT = 0> __device__ static inline void copies_wait(void)
{
#ifdef SF_EMULATE
    emulate_copy_wait(LEFT);
#else
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}

/* ---- mbarriers --------------------------------------------------------------------------------------------------- */

/* A barrier in shared memory at which threads arrive without waiting (mbarrier of PTX). It has phases, counted from 0:
 * one ends with the n-th arrival, and the next begins. A thread that may wait for a phase arrives for the one after it
 * when it has waited, and not before: what it waits for is told from the next by its parity alone. */
#ifdef SF_EMULATE
typedef struct emulate_mbarrier mbarrier;
__device__ static inline void mbarrier_make(mbarrier *b, int n) { emulate_mbarrier_make(b, n); }
__device__ static inline void mbarrier_arrive(mbarrier *b) { emulate_mbarrier_arrive(b); }
__device__ static inline void mbarrier_wait(const mbarrier *b, int phase) { emulate_mbarrier_wait(b, phase); }
__device__ static inline void copies_arrive(mbarrier *b) { emulate_mbarrier_arrive_behind(b); }
__device__ static inline int mbarrier_is_over(const mbarrier *b, int phase)
{
    return emulate_mbarrier_is_over(b, phase);
}
#else
struct alignas(8) mbarrier {
    unsigned long long state;
};

/* By one thread, before a barrier of the block. */
__device__ static inline void mbarrier_make(mbarrier *b, int n)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(b)), "r"(n) : "memory");
}
__device__ static inline void mbarrier_arrive(mbarrier *b)
{
    asm volatile(
        "{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"((unsigned)__cvta_generic_to_shared(b))
        : "memory");
}

/* By all threads of a warp, which go on together: the vote sees to it, without which the compiler would take it for
 * granted. Devices of Hopper's kind and later let the warp sleep meanwhile. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
#define MBARRIER_WAIT "mbarrier.try_wait.parity.shared.b64"
#else
#define MBARRIER_WAIT "mbarrier.test_wait.parity.shared.b64"
#endif
__device__ static inline void mbarrier_wait(const mbarrier *b, int phase)
{
    asm volatile("{ .reg .pred mine, all;\n"
                 "AGAIN: " MBARRIER_WAIT " mine, [%0], %1;\n"
                 "vote.sync.all.pred all, mine, 0xffffffff;\n"
                 "@!all bra AGAIN; }" ::"r"((unsigned)__cvta_generic_to_shared(b)),
                 "r"((unsigned)phase & 1)
                 : "memory");
}

/* The same without waiting: 1 where the phase has ended for all threads of the warp. */
__device__ static inline int mbarrier_is_over(const mbarrier *b, int phase)
{
    int is_over;
    asm volatile("{ .reg .pred mine, all;\n"
                 "mbarrier.test_wait.parity.shared.b64 mine, [%1], %2;\n"
                 "vote.sync.all.pred all, mine, 0xffffffff;\n"
                 "selp.s32 %0, 1, 0, all; }"
                 : "=r"(is_over)
                 : "r"((unsigned)__cvta_generic_to_shared(b)), "r"((unsigned)phase & 1)
                 : "memory");
    return is_over;
}

/* The thread arrives when all that it copies by now is there. */
__device__ static inline void copies_arrive(mbarrier *b)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(b))
                 : "memory");
}
#endif
