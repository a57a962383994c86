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
