/* A GPU's memory and events as other processes of the machine see them, by the runtime's handles for processes. A
 * handle stands for a whole allocation; small ones lie together in blocks of 2 MiB, of which the other process would
 * see all. SPDX-License-Identifier: MIT */
#if SF_CUDA
#include "pipeline/peers.h"

#include <cuda_runtime.h>
#include <string.h>

_Static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(struct backend_handle), "a handle of memory fits");
_Static_assert(sizeof(cudaIpcEventHandle_t) == sizeof(struct backend_handle), "a handle of an event fits");

/* What fails here is done otherwise, and no failure of the device. */
static int is_good(cudaError_t e)
{
    if (e != cudaSuccess) cudaGetLastError();
    return e == cudaSuccess;
}

int peers_offer(void *memory, struct backend_handle *h)
{
    cudaIpcMemHandle_t handle;
    if (!is_good(cudaIpcGetMemHandle(&handle, memory))) return 0;
    memcpy(h->bytes, &handle, sizeof handle);
    return 1;
}

void *peers_open(const struct backend_handle *h)
{
    cudaIpcMemHandle_t handle;
    void *memory = NULL;
    memcpy(&handle, h->bytes, sizeof handle);
    return is_good(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess)) ? memory : NULL;
}

int peers_close(void *opened) { return cudaIpcCloseMemHandle(opened); }

void *peers_event_make(struct backend_handle *h)
{
    cudaIpcEventHandle_t handle;
    cudaEvent_t event;
    if (!is_good(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess))) return NULL;
    if (is_good(cudaIpcGetEventHandle(&handle, event)) && is_good(cudaEventRecord(event, backend_cuda.stream()))) {
        memcpy(h->bytes, &handle, sizeof handle);
        return event;
    }
    peers_event_free(event);
    return NULL;
}

void *peers_event_open(const struct backend_handle *h)
{
    cudaIpcEventHandle_t handle;
    cudaEvent_t event = NULL;
    memcpy(&handle, h->bytes, sizeof handle);
    return is_good(cudaIpcOpenEventHandle(&event, handle)) ? event : NULL;
}

void peers_event_free(void *event) { is_good(cudaEventDestroy(event)); }
#endif
