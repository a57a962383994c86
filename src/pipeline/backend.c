/* Which backend, and memory that host and device share. SPDX-License-Identifier: MIT */
#include "pipeline/backend.h"

#include "pipeline/error.h"
#include "pipeline/tables.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

/* A device that was taken may be used by any run of this process from then on. */
static const struct backend *shared = &backend_cpu;

int backend_choose(const struct backend **backend, int choice, int local)
{
    *backend = &backend_cpu;
    if (choice == BACKEND_CPU) return SF_OK;
#if SF_CUDA
    int found = 0;
    SF_TRY(backend_cuda_open(local, &found));
    if (found) *backend = shared = &backend_cuda;
    SF_CHECK(
        found || choice != BACKEND_CUDA, SF_GPU,
        "backend cuda: this machine has no GPU that can be used; use --backend auto or cpu, or look at nvidia-smi");
#else
    (void)local;
    SF_CHECK(choice != BACKEND_CUDA, SF_GPU,
             "backend cuda: this program was built without CUDA; use --backend auto or cpu, or build with CUDA=1");
#endif
    return SF_OK;
}

const char *backend_label(const struct backend *b)
{
    static char label[320];
    if (!b->is_device) return b->name;
    snprintf(label, sizeof label, "%s, %s", b->name, b->device()->name);
    return label;
}

const char *backend_toolkit(void)
{
#if SF_CUDA
    return backend_cuda_toolkit();
#else
    return "none";
#endif
}

/* Before each table stands whose memory it is. */
void *table_alloc(size_t bytes)
{
    char *const block = shared->table_alloc(bytes + LINE);
    if (!block) return NULL;
    memcpy(block, &shared, sizeof shared);
    return block + LINE;
}

void table_free(void *table)
{
    if (!table) return;
    char *const block = (char *)table - LINE;
    const struct backend *of;
    memcpy(&of, block, sizeof of);
    of->table_free(block);
}

struct sent table_send(const void *from, size_t bytes) { return (struct sent){shared->send(from, bytes), shared}; }

void table_unsend(struct sent sent)
{
    if (sent.at) sent.on->unsend(sent.at);
}
