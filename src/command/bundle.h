/* A tar archive of texts, packed by gzip: owners, groups and modes are the same whoever makes it.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdio.h>

struct bundle {
    FILE *to; /* in memory */
    char *text;
    size_t size;
    const char *top; /* the directory that all of it lies in; the caller's */
    int files;
};

/* top: at most 100 bytes, and outlives b. Errors: SF_MEMORY. */
int bundle_begin(struct bundle *b, const char *top);

/* Add a file; of a name longer than 100 bytes the end is kept. Errors: SF_MEMORY. */
int bundle_add(struct bundle *b, const char *name, const char *text, size_t size);

/* Pack it to the file `path`, which appears whole or not at all; *bytes: its size. Errors: SF_IO: the disk is full, the
 * place may not be written, there is no gzip; SF_MEMORY. */
int bundle_write(struct bundle *b, const char *path, size_t *bytes);

void bundle_free(struct bundle *b);
