/* The kernels of the stages of surface.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/surface_made.h"
