/* The kernels of the stages of tracers.sf. SPDX-License-Identifier: MIT */
#include "dynamics/tracers_tiles.cuh"

/* Those of the inner cells, of tiles; what is made of the description takes the cells next to open sides. */
#define CARRY_INNER(stage, name, mixing)                                                                               \
    CARRY_TILES(stage##_##mixing, CARRY_##stage | (mixing), name##_in_##mixing##_part)
#define LITERAL_tracer_mixing(mixing)                                                                                  \
    CARRY_INNER(FIRST, tracers_first, mixing)                                                                          \
    CARRY_INNER(SECOND, tracers_second, mixing)                                                                        \
    CARRY_INNER(SHARE, tracers_share, mixing)                                                                          \
    CARRY_FEW(LAST_##mixing, mixing)
#include "dynamics/weather_forms.def"

typedef void carry_part(const struct slab *s, struct box b, const struct call *c, void *stream);
static const struct carry_parts {
    carry_part *inner, *sides;
} parts[][4] = {
#define CARRY_PAIR(stage, name, mixing)                                                                                \
    {                                                                                                                  \
        stage##_##mixing, name##_in_##mixing##_sides_part                                                              \
    }
#define LITERAL_tracer_mixing(mixing)                                                                                  \
    {CARRY_PAIR(FIRST, tracers_first, mixing), CARRY_PAIR(SECOND, tracers_second, mixing),                             \
     CARRY_PAIR(SHARE, tracers_share, mixing), CARRY_PAIR(LAST, tracers_last, mixing)},
#include "dynamics/weather_forms.def"
};

static void parts_run(int nth, const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *const d = (const struct dynamics *)c->ctx;
    const struct carry_parts *const of = &parts[d->tracer_mixing][nth];
    const struct open_value_boxes x = open_value_boxes(s, b, d);
    of->inner(s, x.inner, c, stream);
    for (int side = 0; side < 4; side++) of->sides(s, x.side[side], c, stream);
}

#define CARRY_STAGE_OF(function, nth)                                                                                  \
    static void function##_parts(const struct slab *s, struct box b, const struct call *c, void *stream)               \
    {                                                                                                                  \
        parts_run(nth, s, b, c, stream);                                                                               \
    }                                                                                                                  \
    SF_PART_STAGE(function, function##_parts)
CARRY_STAGE_OF(tracers_first, 0)
CARRY_STAGE_OF(tracers_second, 1)
CARRY_STAGE_OF(tracers_share, 2)
CARRY_STAGE_OF(tracers_last, 3)
