/* How much memory there is. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* Bytes that can be had without swapping: the machine's, or what is left of the container's share. 0: not known. */
size_t memory_available(void);
