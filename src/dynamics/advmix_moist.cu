/* The slow tendencies of moist air on a GPU: those of advmix, theta_rho, and what water adds to pressure, in one visit.
 * SPDX-License-Identifier: MIT */
#include "dynamics/advmix_tiles.cuh"

/* As advmix.cu has it. */
typedef tile<SF_PREC == 64 ? 1 : 2, 16, 8, SF_PREC == 64 ? 2 : 3> chosen;

template <int kind>
static void moist_launch(const struct slab *s, struct box b, const struct dynamics *d, int vapour, void *stream)
{
    const struct water_fields water = {{s->f[vapour], s->f[vapour + F_FAMILY], s->f[vapour + 2 * F_FAMILY]}};
    const struct pieces w = pieces_of<chosen>(b);
    SF_LAUNCH_APART(pieces_are_apart<chosen>(&w), (advmix_moist_tiles<kind, chosen>), dim3(pieces_blocks(&w, b)),
                    dim3(chosen::ACROSS, chosen::ROWS), chosen::BYTES + moist_air<chosen>::BYTES, stream, *s, b, *d, w,
                    plane_maps_make<chosen>(s), water);
}

/* Buoyancy of the levels below lift_k. */
static void lift(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    struct dynamics numbers = *(const struct dynamics *)c->ctx;
    struct call all = *c;
    b.k1 = SF_MIN(b.k1, numbers.lift_k);
    numbers.lift_k = 0, all.ctx = &numbers;
    if (!box_is_empty(b)) moist_buoyancy_run_gpu(s, b, &all, stream);
}

/* Where a thread's points lie in the box and out of it, one after the other. */
static void both_run(const struct slab *s, struct box b, const struct call *c, int vapour, stage_launch *water,
                     void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    if (box_is_empty(b)) return;
    if (b.i0 % chosen::N || b.i1 % chosen::N) {
        advmix_run_gpu(s, b, c, stream);
        water(s, b, c, stream);
        lift(s, b, c, stream);
        return;
    }
    switch (d->kind) {
#define LITERAL_kind(kind)                                                                                             \
    case kind:                                                                                                         \
        moist_launch<kind>(s, b, d, vapour, stream);                                                                   \
        break;
#include "dynamics/weather_forms.def"
    }
}

extern "C" void advmix_moist_first_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    both_run(s, b, c, F_QV, moist_first_run_gpu, stream);
}

extern "C" void advmix_moist_second_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    both_run(s, b, c, F_QV_NEAR, moist_second_run_gpu, stream);
}

extern "C" void advmix_moist_third_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    both_run(s, b, c, F_QV_FAR, moist_third_run_gpu, stream);
}
