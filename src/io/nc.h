/* NetCDF-4 files that appear whole or not at all, and netCDF calls that say what failed, where and how large it was.
 *
 * Callers hold the library (library.h): NC_TRY demands it. Errors: SF_IO, SF_MEMORY, SF_INTERNAL.
 * A file whose write or close failed is left open inside HDF5, whose handlers at exit then crash: after SF_IO a program
 * must leave by _exit. SPDX-License-Identifier: MIT */
#pragma once

#include "io/writer.h"

#include <errno.h>
#include <netcdf.h>
#include <stddef.h>

/* A file being written. */
struct ncfile {
    int id;
    char *path, *temporary; /* NULL when none is open */
};

/* How a variable is stored. */
struct ncstore {
    int deflate; /* level, 0: none */
    int keep_bits; /* mantissa bits kept, 0: all */
    const size_t *chunk; /* extents of a chunk; NULL: contiguous, without checksum */
    int is_whole; /* 1: every chunk is written once and whole, so that the library need not keep it until the file is
                     closed */
};

/* Is bit rounding built into the netCDF library? */
#if defined(NC_QUANTIZE_BITROUND)
enum { NCFILE_ROUNDS = 1 };
#else
enum { NCFILE_ROUNDS = 0 };
#endif

/* Keep HDF5 from printing its own account of failures that netCDF-C expects and handles. The setting is one of each
 * thread; writer_open makes it for its caller and for the writer. */
void ncfile_quiet(void);

/* Begin the file `path` under a temporary name. `bytes`: the least size it will have, 0 when not known; a disk or a
 * file-size limit that cannot hold it is told before anything is written. */
int ncfile_begin(struct ncfile *f, const char *path, size_t bytes);
/* Is there room for `bytes` more? Errors: SF_IO. */
int ncfile_room(const struct ncfile *f, size_t bytes);
/* Close, bring to disk, give the final name. *bytes: its size. Whatever happens, f is empty afterwards. */
int ncfile_commit(struct ncfile *f, size_t *bytes);
/* Remove the temporary file; makes no netCDF call. Does nothing to an empty f. */
void ncfile_abandon(struct ncfile *f);

int ncfile_text(struct ncfile *f, int var, const char *name, const char *value); /* NULL and "": no attribute */
int ncfile_number(struct ncfile *f, int var, const char *name, double value);
int ncfile_dim(struct ncfile *f, const char *name, size_t n, int *dim);

/* Define a variable with its attributes; texts may be NULL or "". A stored chunk carries a fletcher32 checksum. */
int ncfile_var(struct ncfile *f, const char *name, nc_type type, int ndims, const int *dims, const struct ncstore *how,
               const char *long_name, const char *unit, const char *standard_name, int *var);

/* n in parts of one size, as few as there can be of `most` at most (no less than 1): the size of one. As extent of a
 * chunk it wastes least, for a file holds its last chunk whole, however little of it is used. */
size_t ncfile_part(size_t n, size_t most);

/* About how many bytes a file has beside its values and `text` bytes of its global attributes: what HDF5 keeps of every
 * variable and its attributes, most of it the index of the chunks. plain: variables without chunks; chunked: those
 * with, of `dims` dimensions. */
double ncfile_overhead(size_t text, int plain, int chunked, int dims);

/* 1: a file could not be written by this process. After a failed close HDF5 crashes in its exit handler. */
int ncfile_has_failed(void);
int ncfile_fail(const char *file, int line, const char *path, const char *what, size_t bytes, int status);

/* A function that calls netCDF without the library fails at once, and not where two threads meet. */
#define LIBRARY_DEMAND() IO_CHECK(library_is_held(), SF_INTERNAL, "netCDF is called by a thread that does not hold it")

/* Make a netCDF call. what: the thing that is written ("variable w"); bytes: its size, 0 when not known. */
#define NC_TRY(path, what, bytes, call)                                                                                \
    do {                                                                                                               \
        LIBRARY_DEMAND();                                                                                              \
        errno = 0;                                                                                                     \
        const int nc_rc_ = (call);                                                                                     \
        if (nc_rc_ != NC_NOERR) return ncfile_fail(__FILE__, __LINE__, path, what, bytes, nc_rc_);                     \
    } while (0)
