/* How much memory there is, and some of it as a file. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* Bytes that can be had without swapping: the machine's, or what is left of the container's share. 0: not known. */
size_t memory_available(void);

/* A file of so much memory, without a name; where the system has none, one on disk or in /dev/shm that nobody else sees. To be
 * closed; -1: neither can be had. */
int memory_file(size_t bytes);
