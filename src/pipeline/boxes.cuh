/* Boxes of a field, brought to shared memory by the device's copy engine (TMA): one thread asks for one, and it comes
 * to an mbarrier. Devices of compute capability 9.0 have it; SF_BOXES is 1 in code for these.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/copies.cuh"
#include "pipeline/driver.h"
#include "pipeline/launch.h"

#include <cuda.h>

#if CUDART_VERSION < 12000
#error CUDA 12.0 or later is needed
#endif
#if defined SF_EMULATE
#define SF_BOXES (SF_EMULATE >= 90)
#elif defined __CUDA_ARCH__
#define SF_BOXES (__CUDA_ARCH__ >= 900)
#else
#define SF_BOXES 0
#endif

/* ---- maps -------------------------------------------------------------------------------------------------------- */

/* Where a field lies, of which boxes are brought, and how large these are; an argument of a kernel, as
 * __grid_constant__. */
struct box_map {
    CUtensorMap tensor;
};

/* `at`: element (0, 0, 0) of a field of extent[0] elements side by side, extent[1] levels of these and extent[2] rows,
 * strides `sk` and `sj` in elements; at and strides: multiples of 16 bytes. A box has the extents box[], of which
 * box[0] makes a multiple of 16 bytes; none is above 256. Where a box is not in the field zeros come; what is there is
 * read whether it is used or not. 1; 0 where the driver does not make it. By one thread of the host. */
static inline int box_map_make(struct box_map *m, const real *at, const int extent[3], ptrdiff_t sk, ptrdiff_t sj,
                               const int box[3])
{
    static CUresult (*encode)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                              const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                              CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    const unsigned SINCE = 12000; /* the version of CUDA that brought it */
    if (!encode && !driver_find("cuTensorMapEncodeTiled", SINCE, (void **)&encode)) return 0;
    const cuuint64_t extents[] = {(cuuint64_t)extent[0], (cuuint64_t)extent[1], (cuuint64_t)extent[2]};
    const cuuint64_t strides[] = {(cuuint64_t)sk * sizeof(real), (cuuint64_t)sj * sizeof(real)};
    const cuuint32_t sizes[] = {(cuuint32_t)box[0], (cuuint32_t)box[1], (cuuint32_t)box[2]}, steps[] = {1, 1, 1};
    return encode(&m->tensor, SF_PREC == 64 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3,
                  (void *)at, extents, strides, sizes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
/* Has the device in use a copy engine? All devices of a run are alike. */
static inline int boxes_are_brought(void)
{
    static int major;
    int device;
    if (!major && (cudaGetDevice(&device) || cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)))
        major = 1;
    return major >= 9;
}

/* ---- in kernels -------------------------------------------------------------------------------------------------- */

/* The warp of a thread of a block, known to be that of all in it. */
#ifdef SF_EMULATE
static inline int warp_of(int thread) { return thread / 32; }
#else
__device__ static inline int warp_of(int thread) { return __shfl_sync(~0u, thread / 32, 0); }
#endif

#if SF_BOXES
#ifdef SF_EMULATE
__device__ static inline int is_elected(void) { return emulate_is_elected(); }
__device__ static inline void mbarriers_made(void) {}
__device__ static inline void mbarrier_expect(mbarrier *b, int bytes) { emulate_mbarrier_expect(b, bytes); }
__device__ static inline void box_copy(void *shared, const struct box_map *m, int i, int k, int row, mbarrier *b)
{
    emulate_box_copy(shared, &m->tensor, i, k, row, b);
}
#else
/* 1 for one thread of a warp, where all come by. */
__device__ static inline int is_elected(void)
{
    int is;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.s32 %0, 1, 0, p; }" : "=r"(is));
    return is;
}

/* By the thread that made mbarriers, before it asks for boxes that come to them. */
__device__ static inline void mbarriers_made(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* The thread arrives, and the phase does not end before so many bytes of boxes are there. */
__device__ static inline void mbarrier_expect(mbarrier *b, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(b)),
                 "r"(bytes)
                 : "memory");
}

/* The box whose first element is (i, k, row), to shared memory aligned to 128 bytes. */
__device__ static inline void box_copy(void *shared, const struct box_map *m, int i, int k, int row, mbarrier *b)
{
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::
            "r"((unsigned)__cvta_generic_to_shared(shared)),
        "l"(&m->tensor), "r"(i), "r"(k), "r"(row), "r"((unsigned)__cvta_generic_to_shared(b))
        : "memory");
}
#endif
#endif
