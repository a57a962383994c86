/* The loops of the stages of terrain_moist.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/terrain_moist_made.h"
