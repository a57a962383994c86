/* What threads of a warp hand each other. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/launch.h"

enum { WARP = 32 };

/* What the thread before this one, or behind it, has; where there is none its own. By all threads of a warp. */
__device__ static inline real warp_before(real x) { return __shfl_up_sync(0xffffffffu, x, 1); }
__device__ static inline real warp_behind(real x) { return __shfl_down_sync(0xffffffffu, x, 1); }

/* What lane n of the warp has. By all threads of a warp. */
__device__ static inline real warp_of_lane(real x, int n) { return __shfl_sync(0xffffffffu, x, n); }
