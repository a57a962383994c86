/* Tables of the model of roles. SPDX-License-Identifier: MIT */
#include "toy_roles_columns.h"

#define COLUMNS(name)                                                                                                  \
    static void name##_run(const struct slab *s, struct box b, const struct call *c)                                   \
    {                                                                                                                  \
        for (int j = b.j0; j < b.j1; j++)                                                                              \
            for (int i = b.i0; i < b.i1; i++) name(s, b, c->dt, j, i);                                                 \
    }

COLUMNS(roles_radiate)
COLUMNS(roles_warm)
COLUMNS(roles_mix)
COLUMNS(roles_rain)

#if SF_CUDA
stage_launch roles_radiate_run_gpu, roles_warm_run_gpu, roles_mix_run_gpu, roles_rain_run_gpu;
#endif

#define AROUND                                                                                                         \
    {                                                                                                                  \
        1, 1, 1, 1, 1, 1                                                                                               \
    }

const struct stage roles_stages[ROLES_STAGES] = {
    [ROLES_RADIATE] = {.name = "radiate",
                       SF_STAGE(roles_radiate_run),
                       .unit = UNIT_COLUMN,
                       .access = {{.field = ROLES_TEMP, .mode = ACCESS_READ, .reach = {2, 1, 0, 0, 2, 1}},
                                  {.field = ROLES_GROUND, .mode = ACCESS_READ, .reach = {1, 0, 0, 0, 0, 1}},
                                  {.field = ROLES_HEAT, .mode = ACCESS_WRITE}}},
    [ROLES_WARM] = {.name = "warm",
                    SF_STAGE(roles_warm_run),
                    .unit = UNIT_COLUMN,
                    .access = {{.field = ROLES_TEMP, .mode = ACCESS_READ},
                               {.field = ROLES_SUN, .mode = ACCESS_READ, .reach = {.im = 1}},
                               {.field = ROLES_GROUND, .mode = ACCESS_UPDATE},
                               {.field = ROLES_FLUX, .mode = ACCESS_WRITE}}},
    [ROLES_MIX] = {.name = "mix",
                   SF_STAGE(roles_mix_run),
                   .unit = UNIT_COLUMN,
                   .access = {{.field = ROLES_TEMP, .mode = ACCESS_READ, .reach = AROUND},
                              {.field = ROLES_HEAT, .mode = ACCESS_READ, .reach = {.jp = 1}},
                              {.field = ROLES_GROUND, .mode = ACCESS_READ, .reach = {.im = 1, .jp = 1}},
                              {.field = ROLES_FORCE, .mode = ACCESS_READ, .reach = {.im = 1, .jp = 1}},
                              {.field = ROLES_WEST, .mode = ACCESS_READ, .reach = {.im = 1}},
                              {.field = ROLES_SOUTH, .mode = ACCESS_READ, .reach = {.jm = 1}},
                              {.field = ROLES_TEMP, .mode = ACCESS_WRITE}}},
    [ROLES_FALL] = {.name = "rain",
                    SF_STAGE(roles_rain_run),
                    .unit = UNIT_COLUMN,
                    .access = {{.field = ROLES_TEMP, .mode = ACCESS_UPDATE},
                               {.field = ROLES_RAIN, .mode = ACCESS_UPDATE}}},
};
