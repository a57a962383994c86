/* Numbers that were measured once and hold for this machine: a text file, $XDG_CACHE_HOME/sferic/measured or
 * ~/.cache/sferic/measured. Nothing depends on it: what cannot be read is not there, what cannot be written is lost.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* Where the file is, or would be: 1; 0: nowhere, for neither variable names a place. */
int cache_path(char *path, size_t size);

/* 1: `value` holds the n numbers that were put there under this key; 0: there are none. */
int cache_get(const char *key, double *value, int n);

/* Keep them, in place of what the key held. A key is text without tabs and line ends. */
void cache_put(const char *key, const double *value, int n);
