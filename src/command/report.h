/* What a report gathers of an output directory. SPDX-License-Identifier: MIT */
#pragma once

#include "command/bundle.h"
#include "command/scrub.h"

struct report {
    const char *out; /* the output directory */
    struct scrub scrub;
    struct bundle bundle;
    char top[128];
    char **left; /* names and sizes of what is not in the bundle */
    int nleft;
    FILE *files, *heads; /* files.txt and headers.txt, while they grow */
};

/* Add a text, without what is private in it and in its name. Errors: SF_MEMORY. */
int report_text(struct report *r, const char *name, const char *text, size_t size);

/* All of a file that may be read: NULL and *size 0 where it cannot. Of one larger than `most` bytes the beginning and
 * the end. The caller frees it. */
char *report_load(const char *path, size_t most, size_t *size);

/* Go through the output directory: texts into the bundle, a line of each file into files.txt, heads of netCDF files
 * into headers.txt, the last of series.nc into series.txt. Errors: SF_MEMORY, SF_INPUT when it cannot be read. */
int report_files(struct report *r);
