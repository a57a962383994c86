/* The kernels of tracers.h. SPDX-License-Identifier: MIT */
#include "dynamics/tracers_tiles.cuh"

#define CARRY_PLAIN(part, form) SF_MEMBERS_PART(part, carry, form, struct dynamics)

CARRY_STAGE_OF(CARRY_TILES, CARRY_PLAIN, FIRST, tracers_first)
CARRY_STAGE_OF(CARRY_TILES, CARRY_PLAIN, SECOND, tracers_second)
CARRY_STAGE_OF(CARRY_TILES, CARRY_PLAIN, SHARE, tracers_share)
CARRY_STAGE_OF(CARRY_FEW, CARRY_PLAIN, LAST, tracers_last)
