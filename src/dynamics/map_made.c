/* The loops of the stages of map.sf. SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
/* So many fields are read that clang would rather not ask which of them lie apart: its loop is plain. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
#include "dynamics/map_made.h"
