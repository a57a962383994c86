/* The kernels of the stages of map.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/map_made.h"
