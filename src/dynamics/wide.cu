/* The kernels of wide.h. SPDX-License-Identifier: MIT */
#include "dynamics/wide.h"
