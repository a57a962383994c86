/* What monitors sum. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* H on a plane between two of its places. */
SF_FORMULA real monitor_between(real w0, real below, real w1, real above) { return w0 * below + w1 * above; }

/* A sum over time with the real or imaginary part of the step's phase. */
SF_FORMULA real monitor_sum(real sum, real phase, real value) { return sf_fma(phase, value, sum); }
