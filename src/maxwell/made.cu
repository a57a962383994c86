/* The kernels of H and E, of waves.sf, beside those that a run takes: on an H200 they have 0.86 to 0.95 of the rate.
 * SPDX-License-Identifier: MIT */
#include "maxwell/waves_made.h"
