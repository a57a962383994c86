/* Memory of small tables that stages read on the CPU and on a GPU under one address: spacings, coefficients, waveforms
 * of a pass.
 *
 * The host fills them while no kernel runs: when a model is bound, and in `prepare` and `collect`, between two passes;
 * one that nobody knows yet at once after it was made, which waits for the kernels before it.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

struct backend;

/* Zeroed, aligned to 64 bytes; NULL when there is no memory. */
void *table_alloc(size_t bytes);
void table_free(void *table); /* NULL: nothing */

/* A copy of a table that nobody changes and stages alone read: it lies in the memory where they run, which of a GPU the
 * host cannot touch, and comes there in its place among stages, while those before it run. */
struct sent {
    void *at; /* NULL: there was no memory */
    const struct backend *on;
};
struct sent table_send(const void *from, size_t bytes);
void table_unsend(struct sent sent); /* once no stage reads it; at NULL: nothing */
