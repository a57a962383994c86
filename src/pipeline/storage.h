/* Memory of the rows of all fields: one arena, laid out so that a row is one contiguous copy.
 *
 * Columns are padded to a multiple of 64 bytes and the ghost columns west of a level lie in the padding behind the level
 * below it. Fields start at different cache sets. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/model.h"

struct layout {
    int ni, nk, nj;         /* global extents */
    int gi, gk;             /* ghost columns and levels on each side */
    ptrdiff_t sk, sj, sm;   /* strides in elements: level, row, row of a map */
};

struct storage {
    struct layout lay;
    struct slab s;     /* the view that stages get: s.f[id], rows s.j0 .. s.j0 + s.rows - 1 */
    void *arena;
    size_t bytes;
};

struct layout layout_make(int ni, int nk, int nj, int gi, int gk);

/* Bytes of one row of a field of this shape (0 for a profile, which is not cut in rows). */
size_t layout_row_bytes(const struct layout *l, enum shape shape);

/* Bytes storage_init would take. shape[id] for every id below n; skip[id] (may be NULL): no memory, pointer NULL. */
size_t storage_bytes(const struct layout *l, int n, const enum shape *shape, const unsigned char *skip, int rows);
size_t storage_pages(size_t bytes); /* the same in whole pages: what storage_init takes */

/* Allocate `rows` rows from global row j0 on, all zero. Errors: SF_MEMORY. */
int storage_init(struct storage *st, const struct layout *l, int n, const enum shape *shape, const unsigned char *skip,
                 int j0, int rows);
void storage_free(struct storage *st);

/* First element of row j of field id, ghost columns and levels included: layout_row_bytes() from here on. */
real *storage_row(const struct slab *s, const struct layout *l, enum shape shape, int id, int j);
