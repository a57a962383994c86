/* Memory of rows: every element has a place of its own inside the arena, levels and rows start on cache lines, a row is
 * one contiguous copy, and rows of folded memory keep out of each other's way. SPDX-License-Identifier: MIT */
#include "pipeline/backend.h"
#include "pipeline/storage.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, PER_LINE = LINE / (int)sizeof(real) };

Test(storage, strides_by_hand)
{
    /* 30 columns and 2 ghosts on either side need 34 elements: the next multiple of a cache line. 5 levels and one
     * ghost level on either side are 7. */
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
                                     {.shape = SHAPE_FULL}, {.shape = SHAPE_MAP},    {.shape = SHAPE_FULL}};
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
    static const int sizes[][5] = {
        {1, 2, 1, 1, 1}, {13, 2, 3, 2, 1}, {12, 3, 2, 2, 3}, {31, 4, 5, 1, 2}, {64, 5, 2, 3, 3}};
    for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++) {
        const int *z = sizes[n], j0 = -2 + (int)n;
        const struct layout l = layout_make(LAYOUT_LINE, z[0], z[1], 99, z[3], z[4]);
        struct storage st;
        cr_assert_eq(storage_init(&st, &backend_cpu, &l, FIELDS, shapes, NULL, j0, z[2]), 0);
        cr_assert(st.s.j0 == j0 && st.s.rows == z[2] && st.s.ni == z[0] && st.s.nk == z[1] && st.s.nj == 99);
        cr_assert(st.bytes >= storage_bytes(&l, FIELDS, shapes, NULL, j0, z[2]));
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
    const size_t all = storage_bytes(&l, FIELDS, shapes, NULL, 0, 40),
                 less = storage_bytes(&l, FIELDS, shapes, skip, 0, 40);
    const size_t full = 40 * layout_row_bytes(&l, &(struct form){.shape = SHAPE_FULL});
    cr_assert(all - less >= 2 * full && all - less < 2 * full + 4096);
    struct storage st;
    cr_assert_eq(storage_init(&st, &backend_cpu, &l, FIELDS, shapes, skip, 0, 40), 0);
    for (int id = 0; id < FIELDS; id++) cr_assert_eq(st.s.f[id] == NULL, skip[id] == 1);
    storage_free(&st);
}

/* What stays has the rows of a box that are among its own, and no others; what moves as many as may come. */
Test(storage, rows_of_a_box_that_lie_elsewhere_take_no_memory)
{
    const struct form form[] = {{.shape = SHAPE_BOX, .box = {.i1 = 40, .k1 = 9, .j0 = 20, .j1 = 40, .n = 3}}};
    const struct layout l = layout_make(LAYOUT_LINE, 60, 14, 90, 2, 1);
    const size_t row = layout_row_bytes(&l, form), beside = 1024;
    static const int first[] = {0, 10, 15, 25, 35, 60}, some[] = {0, 5, 10, 15, 5, 0};
    for (int n = 0; n < 6; n++) {
        struct storage st;
        const size_t bytes = storage_bytes(&l, 1, form, NULL, first[n], n == 0 ? 20 : 15);
        cr_assert(bytes >= (size_t)some[n] * row && bytes <= (size_t)some[n] * row + beside, "from row %d: %zu bytes",
                  first[n], bytes);
        cr_assert_eq(storage_init(&st, &backend_cpu, &l, 1, form, NULL, first[n], n == 0 ? 20 : 15), 0);
        for (int j = SF_MAX(first[n], 20); j < SF_MIN(first[n] + (n == 0 ? 20 : 15), 40); j++) {
            const char *const at = storage_row(&st.s, &l, form, 0, j);
            cr_assert(at >= (char *)st.arena && at + row <= (char *)st.arena + bytes, "row %d of those from %d", j,
                      first[n]);
        }
        storage_free(&st);
    }
    cr_assert_geq(storage_bytes(&l, 1, form, NULL, STORAGE_MOVES, 15), 15 * row);
}

/* ---- folded ---- */

enum { ROWS = 300, HELD = 10 };

static void row_fill(const struct storage *st, int id, int j)
{
    real *const at = storage_row(&st->s, &st->lay, &st->form[id], id, j);
    for (size_t n = 0; n < layout_row_bytes(&st->lay, &st->form[id]) / sizeof(real); n++)
        at[n] = (real)(j + (int)(n % 7));
}

static int row_is(const struct storage *st, int id, int j)
{
    const real *const at = storage_row(&st->s, &st->lay, &st->form[id], id, j);
    for (size_t n = 0; n < layout_row_bytes(&st->lay, &st->form[id]) / sizeof(real); n++)
        if (at[n] != (real)(j + (int)(n % 7))) return 0;
    return 1;
}

static void storage_fold(struct storage *st, const struct form *form, const int *held, int n)
{
    const struct layout l = layout_make(LAYOUT_LINE, 60, 14, ROWS, 2, 1);
    size_t grain, periods = 0;
    cr_assert_eq(backend_cpu.grain(&grain), 0);
    cr_assert_eq(storage_init_folded(st, &backend_cpu, &l, grain, n, form, held, -3, ROWS), 0);
    for (int id = 0; id < n; id++) periods += st->fold[id].period;
    cr_assert_eq(st->bytes + periods, storage_bytes_folded(&l, grain, n, form, held, ROWS));
    cr_assert_leq(st->bytes + periods, storage_pages(storage_bytes(&l, n, form, NULL, STORAGE_MOVES, ROWS)));
}

/* As many rows as are held stay what they are, wherever they begin and whichever way they go. */
Test(storage, rows_that_follow_each_other_lie_in_folded_memory)
{
    const struct form form[] = {{.shape = SHAPE_FULL},
                                {.shape = SHAPE_MAP},
                                {.shape = SHAPE_FULL},
                                {.shape = SHAPE_BOX, .box = {.i1 = 13, .k1 = 5, .j1 = ROWS, .n = 3}},
                                {.shape = SHAPE_BOX, .box = {.i1 = 40, .k1 = 9, .j0 = 20, .j1 = 200, .n = 3}}};
    const int held[] = {HELD, HELD, HELD, HELD, HELD};
    struct storage st;
    storage_fold(&st, form, held, 5);
    for (int id = 0; id < 5; id++) {
        int first = -3, last = ROWS - 3, fewest = 0;
        cr_assert(form_rows(&form[id], ROWS, &first, &last));
        cr_assert(st.fold[id].period >= HELD * layout_row_bytes(&st.lay, &form[id]));
        for (int way = 0; way < 2; way++)
            for (int n = 0; n < last - first; n++) {
                const int j = way ? last - 1 - n : first + n, back = way ? -1 : 1;
                row_fill(&st, id, j);
                for (int m = 0; m < HELD && m <= n; m++)
                    cr_assert(row_is(&st, id, j - m * back), "storage %d, row %d after row %d", id, j - m * back, j);
                fewest += n >= 2 * HELD && !row_is(&st, id, j - 2 * HELD * back);
            }
        cr_assert(id == 1 || fewest > 200, "storage %d keeps too many rows", id);
    }
    storage_free(&st);
    cr_assert(!st.arena && !st.fold[0].at);
}

/* What would take no less memory is not folded, nor what is wanted whole. */
Test(storage, whole_where_folding_gains_nothing)
{
    const struct form form[] = {{.shape = SHAPE_FULL},
                                {.shape = SHAPE_FULL},
                                {.shape = SHAPE_LEVELS},
                                {.shape = SHAPE_BOX, .box = {.i1 = 1, .k1 = 1, .j1 = ROWS, .n = 1}},
                                {.shape = SHAPE_BOX, .box = {.i1 = 60, .k1 = 14, .j0 = 4, .j1 = 9, .n = 1}},
                                {.shape = SHAPE_BOX}};
    const int held[] = {HELD, ROWS, HELD, HELD, ROWS, HELD};
    struct storage st;
    storage_fold(&st, form, held, 6);
    for (int id = 0; id < 6; id++) cr_assert_eq(st.fold[id].period > 0, id == 0, "storage %d", id);
    for (int j = 4; j < 9; j++) row_fill(&st, 4, j);
    for (int j = -3; j < ROWS - 3; j++) row_fill(&st, 1, j);
    for (int j = 4; j < 9; j++) cr_assert(row_is(&st, 4, j));
    for (int j = -3; j < ROWS - 3; j++) cr_assert(row_is(&st, 1, j));
    storage_free(&st);
}

Test(storage, folded_fields_start_in_different_sets)
{
    const struct form form[] = {{.shape = SHAPE_FULL}, {.shape = SHAPE_FULL}, {.shape = SHAPE_FULL}};
    const int held[] = {HELD, HELD, HELD};
    struct storage st;
    storage_fold(&st, form, held, 3);
    const uintptr_t a = (uintptr_t)st.s.f[0] % 4096, b = (uintptr_t)st.s.f[1] % 4096, c = (uintptr_t)st.s.f[2] % 4096;
    cr_assert(a != b && b != c && a != c && a % LINE == 0 && b % LINE == 0 && c % LINE == 0);
    storage_free(&st);
}
