/* Versions of netCDF and of the HDF5 below it. SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_DEFAULT */
#endif
#include "io/library.h"

#include "pipeline/memory.h"

#include <dlfcn.h>
#include <netcdf.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int held;

int library_hold(void)
{
    if (!held++) pthread_mutex_lock(&library);
    return 1;
}

void library_release(const int *by)
{
    if (*by && !--held) pthread_mutex_unlock(&library);
}

int library_is_held(void) { return held > 0; }
void library_yield(void) { pthread_mutex_unlock(&library); }
void library_resume(void) { pthread_mutex_lock(&library); }

size_t library_resident(void)
{
    LIBRARY_HELD;
    const size_t start[2] = {0, 0}, count[2] = {1, 1};
    const float value = 0;
    int id, dims[2], var;
    if (nc_create("library", NC_NETCDF4 | NC_DISKLESS, &id)) return memory_resident();
    const int bad = nc_def_dim(id, "time", NC_UNLIMITED, &dims[0]) || nc_def_dim(id, "x", 1, &dims[1]) ||
                    nc_def_var(id, "value", NC_FLOAT, 2, dims, &var) ||
                    nc_def_var_chunking(id, var, NC_CHUNKED, count) || nc_def_var_fletcher32(id, var, NC_FLETCHER32) ||
                    nc_put_att_text(id, var, "units", 1, "1") || nc_enddef(id) ||
                    nc_put_vara(id, var, start, count, &value);
    const size_t bytes = memory_resident();
    (void)(nc_close(id) || bad); /* what a run cannot write it will tell */
    return bytes;
}

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
