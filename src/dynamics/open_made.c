/* The loops of the stages of open.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/open_made.h"
