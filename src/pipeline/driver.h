/* Functions of the CUDA driver, which come through the runtime: a program built with CUDA also begins where there is no
 * driver. SPDX-License-Identifier: MIT */
#pragma once

#include <cuda_runtime.h>

/* The driver's function `name`, in the form that CUDA of version `since` gave it (major * 1000 + minor * 10; before
 * CUDA 12.5 in that of the runtime's version), to *function: 1, or 0 where there is none. */
static inline int driver_find(const char *name, unsigned since, void **function)
{
    enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t e = cudaGetDriverEntryPointByVersion(name, function, since, cudaEnableDefault, &result);
#else
    const cudaError_t e = cudaGetDriverEntryPoint(name, function, cudaEnableDefault, &result);
    (void)since;
#endif
    if (e != cudaSuccess) cudaGetLastError(); /* it is no error of what runs */
    return e == cudaSuccess && result == cudaDriverEntryPointSuccess;
}
