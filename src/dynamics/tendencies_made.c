/* The loops of the stages of tendencies.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/tendencies_made.h"
