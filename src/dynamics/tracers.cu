/* The kernels of tracers.h. SPDX-License-Identifier: MIT */
#include "dynamics/tracers.h"
