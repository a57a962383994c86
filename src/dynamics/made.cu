/* The kernels of stages that are described in .sf files. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/weather_made.h"
