/* Memory of rows: every element has a place of its own inside the arena, levels and rows start on cache lines, and a row is
 * one contiguous copy. SPDX-License-Identifier: MIT */
#include "pipeline/backend.h"
#include "pipeline/storage.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, PER_LINE = LINE / (int)sizeof(real) };

Test(storage, strides_by_hand)
{
    /* 30 columns and 2 ghosts on either side need 34 elements: the next multiple of a cache line. 5 levels and one ghost
     * level on either side are 7. */
    const struct layout l = layout_make(LAYOUT_LINE, 30, 5, 9, 2, 1);
    const ptrdiff_t sk = (34 + PER_LINE - 1) / PER_LINE * PER_LINE;
    cr_assert_eq(l.sk, sk);
    cr_assert_eq(l.sm, sk);
    cr_assert_eq(l.sj, 7 * sk);
    cr_assert_eq(layout_row_bytes(&l, &(struct form){.shape = SHAPE_FULL}), (size_t)(7 * sk) * sizeof(real));
    cr_assert_eq(layout_row_bytes(&l, &(struct form){.shape = SHAPE_MAP}), (size_t)sk * sizeof(real));
    cr_assert_eq(layout_row_bytes(&l, &(struct form){.shape = SHAPE_LEVELS}), 0);
}

/* Rows a multiple of 2 KiB apart compete for the same sets of a cache. */
Test(storage, rows_do_not_alias)
{
    for (int ni = 1; ni < 600; ni += 13)
        for (int nk = 2; nk < 70; nk++) {
            const struct layout l = layout_make(LAYOUT_LINE, ni, nk, 4, 2, 2);
            cr_assert(l.sj % PER_LINE == 0 && l.sk % PER_LINE == 0 && l.sk >= ni + 4 && l.sj >= l.sk * (nk + 4));
            cr_assert(l.sj * (ptrdiff_t)sizeof(real) % 2048 != 0, "%d columns, %d levels", ni, nk);
            cr_assert(l.sj - l.sk * (nk + 4) <= PER_LINE);
        }
}

static const struct form shapes[] = {{.shape = SHAPE_FULL}, {.shape = SHAPE_LEVELS}, {.shape = SHAPE_MAP},
                                     {.shape = SHAPE_FULL}, {.shape = SHAPE_MAP}, {.shape = SHAPE_FULL}};
enum { FIELDS = 6 };

static real *element(const struct storage *st, int id, int j, int k, int i)
{
    const struct slab *s = &st->s;
    if (shapes[id].shape == SHAPE_LEVELS) return s->f[id] + k;
    if (shapes[id].shape == SHAPE_MAP) return s->f[id] + (j - s->j0) * s->sm + i;
    return s->f[id] + (j - s->j0) * s->sj + k * s->sk + i;
}

/* Calls `each` for every element that a stage may touch, ghosts included. */
static void all_elements(const struct storage *st, void (*each)(const struct storage *st, real *at, long number))
{
    const struct layout *l = &st->lay;
    long number = 0;
    for (int id = 0; id < FIELDS; id++) {
        if (!st->s.f[id]) continue;
        const int full = shapes[id].shape == SHAPE_FULL, levels = shapes[id].shape == SHAPE_LEVELS;
        const int j1 = levels ? st->s.j0 + 1 : st->s.j0 + st->s.rows, k0 = shapes[id].shape == SHAPE_MAP ? 0 : -l->gk;
        const int k1 = full ? l->nk + l->gk : levels ? l->nk + 1 + l->gk : 1;
        for (int j = st->s.j0; j < j1; j++)
            for (int k = k0; k < k1; k++)
                for (int i = levels ? 0 : -l->gi; i < (levels ? 1 : l->ni + l->gi); i++)
                    each(st, element(st, id, j, k, i), number++);
    }
}

static void mark(const struct storage *st, real *at, long number)
{
    const char *const low = st->arena, *const byte = (const char *)at;
    cr_assert(byte >= low && byte + sizeof *at <= low + st->bytes, "element %ld is outside of the arena", number);
    cr_assert(*at == 0, "element %ld is not zero, or its place was given twice", number);
    *at = (real)(number + 1);
}

static void compare(const struct storage *st, real *at, long number)
{
    (void)st;
    cr_assert(*at == (real)(number + 1), "element %ld was overwritten by element %.0f", number, (double)*at - 1);
}

Test(storage, no_two_elements_share_a_place)
{
    static const int sizes[][5] = {{1, 2, 1, 1, 1}, {13, 2, 3, 2, 1}, {12, 3, 2, 2, 3}, {31, 4, 5, 1, 2}, {64, 5, 2, 3, 3}};
    for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++) {
        const int *z = sizes[n], j0 = -2 + (int)n;
        const struct layout l = layout_make(LAYOUT_LINE, z[0], z[1], 99, z[3], z[4]);
        struct storage st;
        cr_assert_eq(storage_init(&st, &backend_cpu, &l, FIELDS, shapes, NULL, j0, z[2]), 0);
        cr_assert(st.s.j0 == j0 && st.s.rows == z[2] && st.s.ni == z[0] && st.s.nk == z[1] && st.s.nj == 99);
        cr_assert(st.bytes >= storage_bytes(&l, FIELDS, shapes, NULL, z[2]));
        all_elements(&st, mark);
        all_elements(&st, compare);
        storage_free(&st);
        cr_assert_null(st.arena);
    }
}

Test(storage, columns_start_on_cache_lines_and_fields_in_different_sets)
{
    const struct layout l = layout_make(LAYOUT_LINE, 60, 14, 9, 2, 1);
    struct storage st;
    cr_assert_eq(storage_init(&st, &backend_cpu, &l, FIELDS, shapes, NULL, 3, 8), 0);
    for (int id = 0; id < FIELDS; id++)
        for (int j = 3; j < 11; j++)
            for (int k = 0; k < 14 && shapes[id].shape != SHAPE_LEVELS; k++)
                cr_assert_eq((uintptr_t)element(&st, id, j, shapes[id].shape == SHAPE_MAP ? 0 : k, 0) % LINE, 0);
    const uintptr_t a = (uintptr_t)st.s.f[0] % 4096, b = (uintptr_t)st.s.f[3] % 4096, c = (uintptr_t)st.s.f[5] % 4096;
    cr_assert(a != b && b != c && a != c);
    storage_free(&st);
}

/* What is copied between host, slots and ranks. */
Test(storage, a_row_is_one_contiguous_copy)
{
    const struct layout l = layout_make(LAYOUT_LINE, 11, 3, 9, 2, 1);
    struct storage from, to;
    cr_assert_eq(storage_init(&from, &backend_cpu, &l, FIELDS, shapes, NULL, 0, 5), 0);
    cr_assert_eq(storage_init(&to, &backend_cpu, &l, FIELDS, shapes, NULL, 2, 2), 0);
    for (int id = 0; id < FIELDS; id++) {
        if (shapes[id].shape == SHAPE_LEVELS) continue;
        const int k0 = shapes[id].shape == SHAPE_MAP ? 0 : -1, k1 = shapes[id].shape == SHAPE_MAP ? 1 : 4;
        for (int j = 0; j < 5; j++)
            for (int k = k0; k < k1; k++)
                for (int i = -2; i < 13; i++) *element(&from, id, j, k, i) = (real)(((id * 9 + j) * 9 + k) * 99 + i);
        cr_assert_eq(storage_row(&to.s, &l, &shapes[id], id, 2), element(&to, id, 2, k0, -2));
        memcpy(storage_row(&to.s, &l, &shapes[id], id, 2), storage_row(&from.s, &l, &shapes[id], id, 2),
               2 * layout_row_bytes(&l, &shapes[id]));
        for (int j = 2; j < 4; j++)
            for (int k = k0; k < k1; k++)
                for (int i = -2; i < 13; i++) cr_assert_eq(*element(&to, id, j, k, i), *element(&from, id, j, k, i));
    }
    storage_free(&from);
    storage_free(&to);
}

Test(storage, what_is_skipped_takes_no_memory)
{
    const struct layout l = layout_make(LAYOUT_LINE, 100, 50, 9, 2, 1);
    const unsigned char skip[FIELDS] = {0, 0, 0, 1, 0, 1};
    const size_t all = storage_bytes(&l, FIELDS, shapes, NULL, 40), less = storage_bytes(&l, FIELDS, shapes, skip, 40);
    const size_t full = 40 * layout_row_bytes(&l, &(struct form){.shape = SHAPE_FULL});
    cr_assert(all - less >= 2 * full && all - less < 2 * full + 4096);
    struct storage st;
    cr_assert_eq(storage_init(&st, &backend_cpu, &l, FIELDS, shapes, skip, 0, 40), 0);
    for (int id = 0; id < FIELDS; id++) cr_assert_eq(st.s.f[id] == NULL, skip[id] == 1);
    storage_free(&st);
}
