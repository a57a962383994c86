/* Memory of a GPU that lies at many addresses again and again (storage.h): what the CUDA runtime does not offer and the
 * driver does. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* Can this device do so? *grain: what sizes are multiples of. */
int folded_open(int device, size_t *grain);

/* `bytes` of addresses with `period` bytes of memory; what it holds is undefined. NULL: *error, the number of a
 * cudaError_t, says why. */
void *folded_take(size_t bytes, size_t period, int *error);
/* Once the device is at rest. */
void folded_give(void *memory, size_t bytes, size_t period);
