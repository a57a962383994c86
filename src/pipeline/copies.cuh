/* Copies from memory to shared memory behind the computing: a thread starts some, closes the batch, and waits for all of its own
 * before the barrier that shows them to the block. SPDX-License-Identifier: MIT */
#pragma once

#include <cuda_runtime.h>

/* 16 bytes, aligned to 16. */
__device__ static inline void copy_piece(void *shared, const void *memory)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(shared)), "l"(memory));
#else
    struct alignas(16) piece {
        char bytes[16];
    };
    *static_cast<piece *>(shared) = *static_cast<const piece *>(memory);
#endif
}

/* The same; all of its line of 128 bytes comes to the second-level cache, for other blocks soon ask for the rest. */
__device__ static inline void copy_piece_of_line(void *shared, const void *memory)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(shared)), "l"(memory));
#else
    copy_piece(shared, memory);
#endif
}

/* The same, where other blocks take what lies beside it, and some of it again: all of its line of 128 bytes comes to the
 * second-level cache, and goes from there last. */
__device__ static inline void copy_piece_shared(void *shared, const void *memory)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    unsigned long long last;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(last));
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(shared)), "l"(memory), "l"(last));
#else
    copy_piece(shared, memory);
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
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* For all batches but the last LEFT. */
template <int LEFT = 0> __device__ static inline void copies_wait(void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}
