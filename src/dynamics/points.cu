/* The kernels of points.h. SPDX-License-Identifier: MIT */
#include "dynamics/points.h"
