/* What a state has to do with its checkpoint: which rows are whose, and the header. Part of restart.h.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "io/restart_file.h"

enum restart_way { RESTART_PACK, RESTART_UNPACK };

/* Bytes of every rank in a piece of a field of the state, which lies in the order of ranks because its rows do. */
void restart_shares(const struct state *st, const struct restart_field *f, struct piece p, size_t *bytes);

/* Copy the own rows of a piece between the storage and `values`. */
void restart_rows(const struct state *st, const struct restart_field *f, struct piece p, real *values,
                  enum restart_way way);

/* identity stays the caller's. Errors: SF_INTERNAL. */
int restart_head_make(struct restart_head *h, const struct state *st, const struct restart_info *info);

/* Does the file fit the run? identity NULL: not compared. May be called by a job of a writer. Errors: SF_RESTART. */
int restart_head_compare(const char *path, const struct restart_head *file, const struct restart_head *run,
                         const char *identity);
