/* The small steps of w and pi' on a GPU. SPDX-License-Identifier: MIT */
#include "dynamics/wpi_kernels.cuh"

template <int start> static void wpi_launch(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    const size_t chip = (size_t)d->nk * (WARP * sizeof(real) + sizeof(struct cell_level));
    if (chip <= LAUNCH_SHARED_MOST) levels_launch<start>(s, b, d, c->dt, stream);
    else columns_launch<start>(s, b, d, c->dt, stream);
}

extern "C" void wpi_first_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    wpi_launch<START_FIRST>(s, b, c, stream);
}

extern "C" void wpi_start_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    wpi_launch<START_SAVED>(s, b, c, stream);
}

extern "C" void wpi_next_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    wpi_launch<START_HERE>(s, b, c, stream);
}
