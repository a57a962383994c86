/* Functions of the CUDA driver, which come through the runtime: a program built with CUDA also begins where there is no driver.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <cuda_runtime.h>

/* The function `name` of a driver of version `since` (major * 1000 + minor * 10) or later to *function: 1, or 0 where there is none. */
static inline int driver_find(const char *name, unsigned since, void **function)
{
    enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t e = cudaGetDriverEntryPointByVersion(name, function, since, cudaEnableDefault, &result);
#else
    const cudaError_t e = cudaGetDriverEntryPoint(name, function, cudaEnableDefault, &result);
    (void)since;
#endif
    return e == cudaSuccess && result == cudaDriverEntryPointSuccess;
}
