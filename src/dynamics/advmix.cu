/* The fused stage on a GPU: all five tendencies of a point in one visit. SPDX-License-Identifier: MIT */
#include "dynamics/advmix_kernels.cuh"

/* Twice the registers in double precision: one block a multiprocessor. */
typedef tile<1, 8, 5, SF_PREC == 64 ? 1 : 2> chosen_tile;

extern "C" void advmix_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    switch (kind_of(d)) {
#define KIND(name, kind) \
    case kind: tiles_launch<kind, chosen_tile>(s, b, d, stream); break;
#include "dynamics/kinds.def"
    }
}
