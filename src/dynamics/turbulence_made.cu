/* The kernels of the stages of turbulence.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/turbulence_made.h"
