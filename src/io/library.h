/* The libraries behind the files. SPDX-License-Identifier: MIT */
#pragma once

/* "netCDF 4.9.0, HDF5 1.10.8", as found when the program runs. */
const char *library_version(void);
