/* How much memory there is, and some of it as a file. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* Bytes that can be had without swapping: the machine's, or what is left of the container's share. 0: not known. */
size_t memory_available(void);

/* Bytes that this process has now, code and libraries included, and the most that it ever had. 0: not known. */
size_t memory_resident(void);
size_t memory_peak(void);

/* Give back what was freed and is kept for the next malloc, where the system can. */
void memory_trim(void);

/* A file of so much memory, without a name; where the system has none, one on disk or in /dev/shm that nobody else
 * sees. To be closed; -1: neither can be had. */
int memory_file(size_t bytes);
