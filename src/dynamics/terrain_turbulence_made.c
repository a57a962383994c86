/* The loops of the stages of terrain_turbulence.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/terrain_turbulence_made.h"
