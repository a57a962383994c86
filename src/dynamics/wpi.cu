/* The small steps of w and pi' on a GPU. SPDX-License-Identifier: MIT */
#include "dynamics/wpi_kernels.cuh"

/* Columns that fit on the chip are solved there. */
template <int start> static void wpi_launch(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    typedef column_block<16, 8, SF_PREC == 64 ? 1 : 3> low;
    typedef column_block<16, 16, 1> high;
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    const int most = (int)(launch_most() / sizeof(struct column_level)) / low::LEVELS * low::LEVELS;
    if (d->nk <= SF_MIN(low::MOST, most)) blocks_launch<start, low>(s, b, d, c->dt, stream);
    else if (d->nk <= SF_MIN(high::MOST, most)) blocks_launch<start, high>(s, b, d, c->dt, stream);
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
