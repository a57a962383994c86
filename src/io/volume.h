/* Reads a volume of small whole numbers, the media of all cells, from a netCDF file.
 *
 *     integer medium(z, y, x)      of any integer type and file format, with the extents of the grid
 *
 * Dimensions may have any names. A name that tells an axis (x, nx, i, lon, longitude, ...), or the attribute `axis` of
 * its coordinate, must tell that of its place. Where no rows are read, a warning says that neither names nor sizes tell
 * two of them apart.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* Rows j0 .. j1 - 1 of the file's variable `medium` into values[j - j0][k][i]; all must lie in 0 .. count - 1 (count 1
 * .. 256). No rows (then `values` may be NULL): only look whether it is the variable that is wanted. No more than 20
 * MiB are held beside `values`, or one line, and unpacked chunks of 256 MiB. From the thread that makes all netCDF
 * calls. Errors: SF_INPUT, SF_MEMORY. */
int volume_read(const char *path, int ni, int nk, int nj, int j0, int j1, int count, unsigned char *values);
