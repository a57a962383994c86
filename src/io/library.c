/* Versions of netCDF and of the HDF5 below it. SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_DEFAULT */
#endif
#include "io/library.h"

#include <dlfcn.h>
#include <netcdf.h>
#include <stdio.h>
#include <string.h>

const char *library_version(void)
{
    static char text[128];
    /* HDF5 comes with netCDF and is not linked by name: ask it only where it is there. */
    int (*hdf5)(unsigned *, unsigned *, unsigned *);
    void *symbol = dlsym(RTLD_DEFAULT, "H5get_libversion");
    memcpy(&hdf5, &symbol, sizeof hdf5);
    unsigned major = 0, minor = 0, release = 0;
    const char *netcdf = nc_inq_libvers();
    const int n = (int)strcspn(netcdf, " ");
    if (hdf5 && hdf5(&major, &minor, &release) >= 0)
        snprintf(text, sizeof text, "netCDF %.*s, HDF5 %u.%u.%u", n, netcdf, major, minor, release);
    else snprintf(text, sizeof text, "netCDF %.*s", n, netcdf);
    return text;
}
