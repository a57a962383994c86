/* The kernels of tracers.h. SPDX-License-Identifier: MIT */
#include "dynamics/tracers_few.cuh"
#include "dynamics/tracers_tiles.cuh"

/* A stage of parts, one for the inner cells, of tiles, and one for those at open sides, of points. */
#define CARRY_SIDE(stage, name, mixing)                                                                                \
    SF_MEMBERS_PART(stage##_##name##_sides, carry, CARRY_##stage | (mixing) | CARRY_SIDES, struct dynamics)
#define CARRY_PART(stage, name, mixing)                                                                                \
    CARRY_TILES(stage##_##name, CARRY_##stage | (mixing)) CARRY_SIDE(stage, name, mixing)
#define KIND(name, mixing)                                                                                             \
    CARRY_PART(FIRST, name, mixing)                                                                                    \
    CARRY_PART(SECOND, name, mixing)                                                                                   \
    CARRY_PART(SHARE, name, mixing)                                                                                    \
    CARRY_FEW(LAST_##name, CARRY_LAST | (mixing)) CARRY_SIDE(LAST, name, mixing)
#include "dynamics/mixings.def"

typedef void carry_part(const struct slab *s, struct box b, const struct call *c, void *stream);
static const struct carry_parts {
    carry_part *inner, *sides;
} parts[][4] = {
#define CARRY_PAIR(stage, name)                                                                                        \
    {                                                                                                                  \
        stage##_##name, stage##_##name##_sides                                                                         \
    }
#define KIND(name, mixing)                                                                                             \
    {CARRY_PAIR(FIRST, name), CARRY_PAIR(SECOND, name), CARRY_PAIR(SHARE, name), CARRY_PAIR(LAST, name)},
#include "dynamics/mixings.def"
};

static void parts_run(int nth, const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *const d = (const struct dynamics *)c->ctx;
    const struct carry_parts *const of = &parts[d->kind & MIX_MASK][nth];
    const struct carry_boxes x = carry_boxes(s, b, d);
    of->inner(s, x.inner, c, stream);
    for (int side = 0; side < 4; side++) of->sides(s, x.side[side], c, stream);
}

#define CARRY_STAGE_OF(function, nth)                                                                                  \
    static void function##_all(const struct slab *s, struct box b, const struct call *c, void *stream)                 \
    {                                                                                                                  \
        parts_run(nth, s, b, c, stream);                                                                               \
    }                                                                                                                  \
    SF_PART_STAGE(function, function##_all)
CARRY_STAGE_OF(tracers_first, 0)
CARRY_STAGE_OF(tracers_second, 1)
CARRY_STAGE_OF(tracers_share, 2)
CARRY_STAGE_OF(tracers_last, 3)
