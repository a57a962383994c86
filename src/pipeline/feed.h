/* Fields of role FED on the host: two levels in time and, for who looks beyond a side, what lies between them.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/model.h"
#include "pipeline/storage.h"

/* For model.feed: every value of field f that slab `to` stores, ghosts too, from its place, which may lie beyond a
 * side. Of a map k is 0; of a box with several values a point all of these are the same. */
void feed_fill(const struct slab *to, const struct layout *l, const struct field *about, int f,
               real (*value)(const void *of, int j, int k, int i), const void *of);
/* The same of n fields of one shape, from f on, row by row, each with its own of[m]. */
void feed_fill_along(const struct slab *to, const struct layout *l, const struct field *about, int f, int n,
                     real (*value)(const void *of, int j, int k, int i), const void *const *of);
