/* Tables in a GPU's own memory. They lie in chunks, in which they follow each other; a chunk has as much pinned memory
 * of the host, where a table waits for its copy, and goes when its last table goes. SPDX-License-Identifier: MIT */
#if SF_CUDA
#include "pipeline/sent.h"

#include "pipeline/kernels.h"

#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

struct chunk {
    char *host, *device;
    size_t bytes, used;
    int tables;
    struct chunk *next;
};

static struct chunk *chunks;

static void chunk_free(struct chunk *c)
{
    if (c->host) cudaFreeHost(c->host);
    if (c->device) cudaFree(c->device);
    free(c);
}

static struct chunk *chunk_make(size_t bytes)
{
    struct chunk *const c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->bytes = bytes;
    if (cudaMallocHost((void **)&c->host, bytes) == cudaSuccess &&
        cudaMalloc((void **)&c->device, bytes) == cudaSuccess)
        return c;
    cudaGetLastError(); /* told by who asked */
    chunk_free(c);
    return NULL;
}

void *sent_take(const void *from, size_t bytes, void *stream)
{
    const size_t usual = (size_t)8 << 20, grain = 256, room = (bytes + grain - 1) / grain * grain;
    if (!chunks || chunks->bytes - chunks->used < room) {
        struct chunk *const c = chunk_make(room > usual ? room : usual);
        if (!c) return NULL;
        c->next = chunks;
        chunks = c;
    }
    struct chunk *const c = chunks;
    const struct backend_copy copy = {c->device + c->used, c->host + c->used, bytes};
    memcpy(c->host + c->used, from, bytes);
    kernel_copies(&copy, 1, stream);
    c->used += room;
    c->tables++;
    return copy.to;
}

void sent_give(void *at)
{
    struct chunk **place = &chunks;
    while (*place && ((char *)at < (*place)->device || (char *)at >= (*place)->device + (*place)->bytes))
        place = &(*place)->next;
    struct chunk *const c = *place;
    if (!c || --c->tables > 0) return;
    *place = c->next;
    chunk_free(c);
}
#endif
