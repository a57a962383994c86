/* Folded memory of a GPU. A row is written and read at one address while it is there, and what takes its place begins
 * when all of that has ended: nothing that counts is seen through two addresses at a time, which CUDA would not keep
 * coherent; a box that a kernel has brought (boxes.cuh) may have rows in it that are filled meanwhile, and that it does
 * not use. SPDX-License-Identifier: MIT */
#if SF_CUDA
#include "pipeline/folded.h"
#include "pipeline/driver.h"

#include <cuda.h>
#include <cuda_runtime.h>

static struct {
    int device, is_open;
    CUresult (*attribute)(int *, CUdevice_attribute, CUdevice);
    CUresult (*grain)(size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags);
    CUresult (*reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
    CUresult (*unreserve)(CUdeviceptr, size_t);
    CUresult (*create)(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long);
    CUresult (*release)(CUmemGenericAllocationHandle);
    CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
    CUresult (*unmap)(CUdeviceptr, size_t);
    CUresult (*access)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
} driver;

static CUmemAllocationProp memory_of(int device)
{
    return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}};
}

static int found(const char *name, void *function)
{
    const unsigned SINCE = 10020; /* the version of the driver that brought them */
    return driver_find(name, SINCE, function);
}

static int functions_find(void)
{
    return found("cuDeviceGetAttribute", &driver.attribute) && found("cuMemGetAllocationGranularity", &driver.grain) &&
           found("cuMemAddressReserve", &driver.reserve) && found("cuMemAddressFree", &driver.unreserve) &&
           found("cuMemCreate", &driver.create) && found("cuMemRelease", &driver.release) &&
           found("cuMemMap", &driver.map) && found("cuMemUnmap", &driver.unmap) &&
           found("cuMemSetAccess", &driver.access);
}

int folded_open(int device, size_t *grain)
{
    const CUmemAllocationProp memory = memory_of(device);
    int is_able = 0;
    *grain = 0;
    if (!driver.is_open && !functions_find()) {
        cudaGetLastError();
        return 0;
    }
    driver.device = device, driver.is_open = 1;
    return driver.attribute(&is_able, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device) ==
               CUDA_SUCCESS &&
           is_able && driver.grain(grain, &memory, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_SUCCESS && *grain > 0;
}

/* Of addresses the first `mapped` have memory. */
static void addresses_give(CUdeviceptr at, size_t bytes, size_t mapped, size_t period)
{
    for (size_t n = 0; n < mapped; n += period) driver.unmap(at + n, period);
    driver.unreserve(at, bytes);
}

void *folded_take(size_t bytes, size_t period, int *error)
{
    const CUmemAllocationProp memory = memory_of(driver.device);
    const CUmemAccessDesc access = {.location = memory.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr at = 0;
    size_t mapped = 0;
    CUresult e = driver.create(&handle, period, &memory, 0);
    *error = (int)e; /* numbers are those of the runtime */
    if (e != CUDA_SUCCESS) return NULL;
    e = driver.reserve(&at, bytes, 0, 0, 0);
    for (; e == CUDA_SUCCESS && mapped < bytes; mapped += e == CUDA_SUCCESS ? period : 0)
        e = driver.map(at + mapped, period, 0, handle, 0);
    driver.release(handle); /* it lasts as long as it is mapped */
    if (e == CUDA_SUCCESS) e = driver.access(at, bytes, &access, 1);
    *error = (int)e;
    if (e == CUDA_SUCCESS) return (void *)(size_t)at;
    if (at) addresses_give(at, bytes, mapped, period);
    return NULL;
}

void folded_give(void *memory, size_t bytes, size_t period)
{
    addresses_give((CUdeviceptr)(size_t)memory, bytes, bytes, period);
}
#endif
