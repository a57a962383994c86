/* The loops of sides.h. SPDX-License-Identifier: MIT */
#include "dynamics/sides.h"
