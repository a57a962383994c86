/* The loops of the stages of tendencies_wide.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/tendencies_wide_made.h"
