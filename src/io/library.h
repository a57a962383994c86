/* The libraries behind the files. NetCDF-C is not thread-safe: whoever calls it holds the library meanwhile, the main
 * thread, the writer's, and those that read ahead. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* "netCDF 4.9.0, HDF5 1.10.8", as found when the program runs. */
const char *library_version(void);

/* Bytes that this process has while a file is open, the libraries' included: found by writing a file of one number in
 * memory, which is forgotten. 0: not known. */
size_t library_resident(void);

/* Hold the library until library_release; a thread that holds it may hold it again. 1, for LIBRARY_HELD. */
int library_hold(void);
void library_release(const int *held);
int library_is_held(void); /* by this thread */

/* From here to the end of the block. */
#define LIBRARY_HELD __attribute__((cleanup(library_release), unused)) const int library_held_ = library_hold()

/* Let others call it while a thread that holds it, once, waits for what they bring; and go on. */
void library_yield(void);
void library_resume(void);
