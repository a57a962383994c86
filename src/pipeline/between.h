/* The value between two levels in time. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* share: of the way from one level to the next, 0 .. 1. */
SF_FORMULA real between_levels(real before, real after, real share) { return sf_fma(share, after - before, before); }
