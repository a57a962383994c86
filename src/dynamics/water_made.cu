/* The kernels of the stages of water.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/water_made.h"
