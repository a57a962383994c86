/* The loops of surface_points.h. SPDX-License-Identifier: MIT */
#include "dynamics/surface_points.h"
