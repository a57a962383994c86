/* The loops of the stages of terrain.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/terrain_made.h"
