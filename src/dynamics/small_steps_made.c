/* The loops of the stages of small_steps.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/small_steps_made.h"
