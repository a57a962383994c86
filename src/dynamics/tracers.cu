/* The kernels of the stages of tracers.sf. SPDX-License-Identifier: MIT */
#include "dynamics/tracers_few.cuh"
#include "dynamics/tracers_tiles.cuh"

/* The literal of a run: its mixing, and MADE_SIDES where a side is open. */
static int form_of(const struct slab *s, const struct dynamics *d)
{
    const struct open_value_sides o = open_value_sides(s, d);
    const int is_open = o.open[FACE_W] || o.open[FACE_E] || o.open[FACE_S] || o.open[FACE_N];
    return d->tracer_mixing | (is_open ? MADE_SIDES : 0);
}

template <int stage> static void tiles_run(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    switch (form_of(s, (const struct dynamics *)c->ctx)) {
#define LITERAL_tracer_mixing(mixing)                                                                                  \
    case mixing:                                                                                                       \
        return carry_tiles_launch<stage | (mixing)>(s, b, c, stream);                                                  \
    case (mixing) | MADE_SIDES:                                                                                        \
        return carry_tiles_launch<stage | (mixing) | MADE_SIDES>(s, b, c, stream);
#include "dynamics/weather_forms.def"
    }
}

static void few_run(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    switch (form_of(s, (const struct dynamics *)c->ctx)) {
#define LITERAL_tracer_mixing(mixing)                                                                                  \
    case mixing:                                                                                                       \
        return carry_few_launch<mixing>(s, b, c, stream);                                                              \
    case (mixing) | MADE_SIDES:                                                                                        \
        return carry_few_launch<(mixing) | MADE_SIDES>(s, b, c, stream);
#include "dynamics/weather_forms.def"
    }
}

/* Tiles, or where they do not fit what is made of the description. */
#define CARRY_STAGE_OF(name, stage)                                                                                    \
    static void name##_parts(const struct slab *s, struct box b, const struct call *c, void *stream)                   \
    {                                                                                                                  \
        if (box_takes_tiles(b, s)) tiles_run<stage>(s, b, c, stream);                                                  \
        else name##_all(s, b, c, stream);                                                                              \
    }                                                                                                                  \
    SF_PART_STAGE(name, name##_parts)
CARRY_STAGE_OF(tracers_first, CARRY_FIRST)
CARRY_STAGE_OF(tracers_second, CARRY_SECOND)
CARRY_STAGE_OF(tracers_share, CARRY_SHARE)
SF_PART_STAGE(tracers_last, few_run)
