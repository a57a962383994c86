/* The kernels of the stages of slow.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/slow_made.h"
