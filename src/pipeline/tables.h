/* Memory of small tables that stages read on the CPU and on a GPU under one address: spacings, coefficients, waveforms of a pass.
 *
 * The host fills them while no kernel runs: when a model is bound, and in `prepare` and `collect`, between two passes; one that nobody
 * knows yet at once after it was made, which waits for the kernels before it.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* Zeroed, aligned to 64 bytes; NULL when there is no memory. */
void *table_alloc(size_t bytes);
void table_free(void *table); /* NULL: nothing */
