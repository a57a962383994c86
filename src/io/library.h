/* The libraries behind the files. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* "netCDF 4.9.0, HDF5 1.10.8", as found when the program runs. */
const char *library_version(void);

/* Bytes that this process has while a file is open, the libraries' included: found by writing a file of one number in
 * memory, which is forgotten. 0: not known. */
size_t library_resident(void);
