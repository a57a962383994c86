/* Lists and reads the fields of a netCDF file: see pipeline/filed.h.
 *
 *     float theta(time, z, y, x)      of any type of numbers and any file format; packed ones, too
 *
 * Any of the dimensions may be missing, none may stand elsewhere. What a dimension's name (x, nx, lon, x_f, ...) or the
 * attribute `axis` of its coordinate tells counts; others are taken as they stand. Coordinates are in m or km.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/filed.h"

/* Listing: from the thread that makes all netCDF calls; it holds no file open. Reading: also while a writer is open,
 * between its jobs. */
filed_lister filed_list;
/* No more than 8 MiB are held beside `values`, or one line; and of compressed or chunked variables, until the file is
 * closed, unpacked chunks of 256 MiB in all, or one chunk of each. */
filed_reader filed_read;
