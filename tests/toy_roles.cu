/* Kernels of the model of roles: a thread takes a column. SPDX-License-Identifier: MIT */
#include "pipeline/launch.h"
#include "toy_roles_columns.h"

enum { WIDE = 32 };

#define COLUMNS(name)                                                                                                  \
    __global__ static void name##_kernel(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b, real dt)               \
    {                                                                                                                  \
        launch_wait();                                                                                                 \
        const int i = b.i0 + (int)(blockIdx.x * WIDE + threadIdx.x), j = b.j0 + (int)blockIdx.y;                       \
        if (i < b.i1) name(&s, b, dt, j, i);                                                                           \
    }                                                                                                                  \
    extern "C" void name##_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)             \
    {                                                                                                                  \
        SF_LAUNCH(name##_kernel, dim3(launch_blocks(b.i1 - b.i0, WIDE), (unsigned)(b.j1 - b.j0)), dim3(WIDE), stream,  \
                  *s, b, c->dt);                                                                                       \
    }

COLUMNS(roles_radiate)
COLUMNS(roles_warm)
COLUMNS(roles_mix)
COLUMNS(roles_rain)
