/* What a netCDF file says of itself, as text. Of the main thread while no writer is open.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Dimensions, variables with their attributes, global attributes: as `ncdump -h`, less the attribute `namelist`.
 * Errors: SF_INPUT when it is no netCDF file or a damaged one, SF_MEMORY. */
int header_print(FILE *to, const char *path);

/* The last `rows` values of all numbers by time alone, one time a line, separated by commas, below a line of names.
 * Errors: as above. */
int header_series_print(FILE *to, const char *path, size_t rows);

/* A global attribute of text; empty where there is none, or no such file. */
void header_attribute(const char *path, const char *name, char *text, size_t size);
