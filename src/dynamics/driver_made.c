/* The loops of the stages of driver.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/driver_made.h"
