/* Memory of the rows of all fields, laid out so that a row is one contiguous copy.
 *
 * Columns are padded to whole cache lines and the ghost columns west of a level lie in the padding behind the level
 * below it; on a device there is room for 16 bytes of them at least. Fields start at different cache sets.
 *
 * Where a few rows at a time suffice, a storage is folded: every row has an address of its own, always the same, but
 * there is memory for some rows only, which lies at these addresses again and again. Rows that follow each other, as
 * many as there is memory for, are contiguous wherever they begin; one further on takes the place of one that it has
 * left behind. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/model.h"

#include <limits.h>

struct backend;

enum { LAYOUT_LINE = 64 }; /* bytes of a processor's cache line */
enum { STORAGE_MOVES = INT_MIN }; /* in place of a first row: storage_place says which, again and again */

struct layout {
    int line; /* bytes that columns 0 of all levels are aligned to */
    int ni, nk, nj; /* global extents */
    int gi, gk; /* ghost columns and levels on each side */
    ptrdiff_t sk, sj, sm; /* strides in elements: level, row, row of a map */
};

/* How the rows of one storage lie: of a field, or of its second bank. */
struct form {
    enum shape shape;
    struct extent box; /* of SHAPE_BOX */
    int bytes; /* of an element; 0: those of a real */
};

/* Addresses of a storage that is folded, and after how many bytes they come to the same memory again. */
struct fold {
    char *at;
    size_t bytes, period; /* period 0: it is not folded */
};

struct storage {
    struct layout lay;
    struct slab s; /* the view that stages get: s.f[id], rows s.j0 .. s.j0 + s.rows - 1 */
    void *arena; /* all storages that are not folded */
    size_t bytes; /* of the arena */
    struct fold fold[SF_MAX_FIELDS];
    const struct backend *on; /* whose memory it is */
    struct form form[SF_MAX_FIELDS];
    char *base[SF_MAX_FIELDS]; /* of fields of SHAPE_BOX: the first row that is stored */
    int n, moves; /* 1: its rows may be others later, so boxes have as many as can ever be among them */
};

/* line: a multiple of LAYOUT_LINE. */
struct layout layout_make(int line, int ni, int nk, int nj, int gi, int gk);

struct form form_of(const struct field *f);

/* The rows of a form among [*j0, *j1) of a domain of nj: all, or of a box those that it covers. A box over all rows of
 * the domain has ghost rows too. 0 when there are none. */
int form_rows(const struct form *f, int nj, int *j0, int *j1);

/* Bytes of one row (0 for a profile, which is not cut in rows). */
size_t layout_row_bytes(const struct layout *l, const struct form *f);

/* Does a box cover `rows` rows at most, and not all of a domain of nj? */
int form_is_short(const struct form *f, int nj, int rows);

/* Bytes storage_init would take of `rows` rows from j0 on. form[id] for every id below n; skip[id] (may be NULL): no
 * memory, pointer NULL. */
size_t storage_bytes(const struct layout *l, int n, const struct form *form, const unsigned char *skip, int j0,
                     int rows);
size_t storage_pages(size_t bytes); /* the same in whole pages: what storage_init takes */
/* What no layout goes below: every element of rows [j0, j1) once, with as many ghost columns and levels as `l` has. */
size_t storage_least(const struct layout *l, int n, const struct form *form, const unsigned char *skip, int j0, int j1);

/* Allocate `rows` rows from global row j0 on, or wherever storage_place will put them, all zero, in the memory of `on`.
 * Errors: SF_MEMORY. */
int storage_init(struct storage *st, const struct backend *on, const struct layout *l, int n, const struct form *form,
                 const unsigned char *skip, int j0, int rows);
void storage_free(struct storage *st);

/* The same of storages of which held[id] rows are wanted at a time: those are folded that take less memory so. grain:
 * what memory of `on` is folded in multiples of. */
size_t storage_bytes_folded(const struct layout *l, size_t grain, int n, const struct form *form, const int *held,
                            int rows);
int storage_init_folded(struct storage *st, const struct backend *on, const struct layout *l, size_t grain, int n,
                        const struct form *form, const int *held, int j0, int rows);

/* The rows of one that moves are to be those from j0 on; what they hold is undefined. */
void storage_place(struct storage *st, int j0);

/* First byte of row j of field id, ghost columns and levels included: layout_row_bytes() from here on. */
void *storage_row(const struct slab *s, const struct layout *l, const struct form *f, int id, int j);
