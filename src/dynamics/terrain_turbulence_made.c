/* The loops of the stages of terrain_turbulence.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
/* So many fields are read that clang would rather not ask which of them lie apart: loops of the energy are plain. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
#include "dynamics/terrain_turbulence_made.h"
