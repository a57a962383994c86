/* Tables in a GPU's own memory: what table_send is there. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* A copy of `from`, made in `stream`, a cudaStream_t, by a kernel: the copy engines may be at work on slabs. NULL when
 * there is no memory. */
void *sent_take(const void *from, size_t bytes, void *stream);
/* Once no kernel reads it. */
void sent_give(void *at);
