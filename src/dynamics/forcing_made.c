/* The loops of the stages of forcing.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/forcing_made.h"
