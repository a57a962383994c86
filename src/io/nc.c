/* The wrapper around netCDF-C. SPDX-License-Identifier: MIT */
#include "io/nc.h"

#include "io/commit.h"
#include "pipeline/sferic.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* NetCDF-C turns the printing off on the first thread that it meets and no other. HDF5 is not linked to by name, so the
 * function is looked up; where it is missing (another storage library) there is nothing to turn off. */
void ncfile_quiet(void)
{
    void *program = dlopen(NULL, RTLD_LAZY);
    if (!program) return;
    int (*set_auto)(int64_t stack, void *print, void *data);
    *(void **)&set_auto = dlsym(program, "H5Eset_auto2");
    if (set_auto) set_auto(0, NULL, NULL);
    dlclose(program);
}

/* Bytes that the file system of `path` can still take; -1 when not known. */
static double bytes_free(const char *path)
{
    char *dir = strdup(path);
    if (!dir) return -1;
    char *slash = strrchr(dir, '/');
    if (slash) slash[slash == dir] = '\0';
    struct statvfs fs;
    const int rc = statvfs(slash ? dir : ".", &fs);
    free(dir);
    return rc ? -1 : (double)fs.f_bavail * (double)fs.f_frsize;
}

static int has_failed;

int ncfile_has_failed(void) { return has_failed; }

/* HDF5 hides the reason of a failed write; errno still tells it. */
int ncfile_fail(const char *file, int line, const char *path, const char *what, size_t bytes, int status)
{
    const int why = errno;
    has_failed = 1;
    char size[64] = "", reason[128] = "", room[64] = "";
    const double left = bytes_free(path);
    if (bytes) snprintf(size, sizeof size, " (%zu bytes)", bytes);
    if (status && why == EFBIG)
        snprintf(reason, sizeof reason, ": %s; it exceeds the limit of a file (ulimit -f)", strerror(why));
    else if (status < 0 && why) snprintf(reason, sizeof reason, ": %s", strerror(why));
    if (left >= 0) snprintf(room, sizeof room, "; %.0f bytes are free there", left);
    /* A file that no room is left for even to begin with: HDF5 speaks of permission. */
    const int is_full = left >= 0 && left < 1;
    return io_fail(SF_IO, file, line, "cannot write '%s': %s%s: %s%s%s", path, what, size,
                   is_full ? strerror(ENOSPC) : nc_strerror(status), reason, room);
}

int ncfile_room(const struct ncfile *f, size_t bytes)
{
    struct rlimit limit;
    struct stat st;
    const double left = bytes_free(f->path);
    IO_CHECK(left < 0 || (double)bytes <= left, SF_IO,
             "cannot write '%s': it needs %zu bytes more and %.0f are free; free some, or write to another directory",
             f->path, bytes, left);
    const double size = stat(f->temporary, &st) ? 0 : (double)st.st_size;
    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY)
        IO_CHECK(size + (double)bytes <= (double)limit.rlim_cur, SF_IO,
                 "cannot write '%s': it needs %.0f bytes and the limit of a file is %.0f (ulimit -f)", f->path,
                 size + (double)bytes, (double)limit.rlim_cur);
    return SF_OK;
}

int ncfile_begin(struct ncfile *f, const char *path, size_t bytes)
{
    *f = (struct ncfile){.path = strdup(path)};
    IO_CHECK(f->path, SF_MEMORY, "no memory for the name of '%s'", path);
    IO_TRY(commit_name(path, &f->temporary));
    IO_TRY(ncfile_room(f, bytes));
    NC_TRY(path, "the file", bytes, nc_create(f->temporary, NC_NETCDF4 | NC_NOCLOBBER, &f->id));
    return SF_OK;
}

static void forget(struct ncfile *f)
{
    free(f->path);
    free(f->temporary);
    *f = (struct ncfile){0};
}

void ncfile_abandon(struct ncfile *f)
{
    if (f->temporary) unlink(f->temporary);
    forget(f);
}

static int close_file(struct ncfile *f, size_t *bytes)
{
    NC_TRY(f->path, "its last part", 0, nc_close(f->id));
    struct stat st = {0};
    stat(f->temporary, &st);
    *bytes = (size_t)st.st_size;
    return commit_file(f->temporary, f->path);
}

int ncfile_commit(struct ncfile *f, size_t *bytes)
{
    const int rc = close_file(f, bytes);
    if (rc) ncfile_abandon(f);
    else forget(f);
    return rc;
}

int ncfile_text(struct ncfile *f, int var, const char *name, const char *value)
{
    if (!value || !value[0]) return SF_OK;
    NC_TRY(f->path, name, strlen(value), nc_put_att_text(f->id, var, name, strlen(value), value));
    return SF_OK;
}

int ncfile_number(struct ncfile *f, int var, const char *name, double value)
{
    NC_TRY(f->path, name, sizeof value, nc_put_att_double(f->id, var, name, NC_DOUBLE, 1, &value));
    return SF_OK;
}

int ncfile_dim(struct ncfile *f, const char *name, size_t n, int *dim)
{
    NC_TRY(f->path, name, 0, nc_def_dim(f->id, name, n, dim));
    return SF_OK;
}

int ncfile_var(struct ncfile *f, const char *name, nc_type type, int ndims, const int *dims, const struct ncstore *how,
               const char *long_name, const char *unit, const char *standard_name, int *var)
{
    NC_TRY(f->path, name, 0, nc_def_var(f->id, name, type, ndims, dims, var));
    if (how && how->chunk) {
        NC_TRY(f->path, name, 0, nc_def_var_chunking(f->id, *var, NC_CHUNKED, how->chunk));
        /* A cache of one byte holds no chunk: what is written goes to the file at once. */
        if (how->is_whole) NC_TRY(f->path, name, 0, nc_set_var_chunk_cache(f->id, *var, 1, 1, 0));
        NC_TRY(f->path, name, 0, nc_def_var_fletcher32(f->id, *var, NC_FLETCHER32));
        if (how->deflate) NC_TRY(f->path, name, 0, nc_def_var_deflate(f->id, *var, 1, 1, how->deflate));
#if defined(NC_QUANTIZE_BITROUND)
        if (how->keep_bits)
            NC_TRY(f->path, name, 0, nc_def_var_quantize(f->id, *var, NC_QUANTIZE_BITROUND, how->keep_bits));
#endif
    }
    IO_TRY(ncfile_text(f, *var, "long_name", long_name));
    IO_TRY(ncfile_text(f, *var, "units", unit));
    return ncfile_text(f, *var, "standard_name", standard_name);
}

/* Measured on files of all kinds that the program writes, of 4 to 32 variables, with netCDF 4.9 and HDF5 1.10: within 8
 * kB of each. */
double ncfile_overhead(size_t text, int plain, int chunked, int dims)
{
    static const double file = 9500, variable = 820, index = 2500, dimension = 430;
    return (double)text + file + variable * plain + (index + dimension * dims) * chunked;
}

size_t ncfile_part(size_t n, size_t most)
{
    const size_t each = SF_MAX(most, 1), parts = SF_MAX((n + each - 1) / each, 1);
    return SF_MAX((n + parts - 1) / parts, 1);
}
