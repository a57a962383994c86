/* The loops of H and E, of waves.sf. SPDX-License-Identifier: MIT */
#include "maxwell/waves_made.h"
