/* What descriptions of stages (stages/describe.h) are printed for: a loop in a .c file, a kernel in a .cu file
 * (printed_kernels.h).
 * SPDX-License-Identifier: MIT
 *
 * A stage NAME comes as
 *
 *     struct NAME_pack                 all that it reads and writes, by name, and the numbers that it needs
 *     NAME_pack(slab, call)            makes one, for a kernel to be handed
 *     NAME_box(box, call)              the part of a box that it computes
 *     struct NAME_line                 a line along i: where its points lie, and the numbers that they share
 *     NAME_line(&pack, at, map, k)     makes one; at, map: the element of i = 0 of a full field and of a map
 *     NAME_point(form, &line, i)       computes and stores point i, in a loop
 *     NAME_values(form, &line, i)      computes it, in a kernel: struct NAME_values
 *     NAME_store(&line, i, &values)    puts them where they belong
 *     NAME_only(form, &line, i)        1: the point changes; of a stage with `only where`
 *     SF_MADE_POINT(NAME, KERNELS)     NAME_run, or KERNELS_run_gpu, of them
 *     SF_MADE_VECTORS_POINT(NAME, KERNELS)  the same, where threads of kernels take vectors of columns, row after row:
 *         struct NAME_around          what a row of a vector reads, and what of it the next one does
 *         NAME_begin(&line, i, &around), NAME_next(&line, i, end, goes_on, &around)
 *                                     before the first row; before each, whose columns end there
 *         NAME_on(&line)              makes it the line of the next row
 *         NAME_values(form, &line, i, m, &around), NAME_put(&line, i, values)
 *                                     of column m of the vector; of all of them
 *         NAME_BLOCKS                 blocks of a multiprocessor that its registers suffice for
 *     SF_MADE_NEAR_POINT(NAME, KERNELS)   the same, where kernels count places from where fields begin:
 *         NAME_values(form, &line, i, &strides)
 *         NAME_LEVELS, NAME_from(&pack, rows)   levels that a thread takes together; its fields begin further on
 *
 * and one of columns, whose parts 0, 1, 2, ... come one behind the other, as
 *
 *     NAME_line(&pack, at, map, k, &column)         a level
 *     NAME_1(&line, i, m)                           in a loop over columns i, of which this one is the m-th: computes
 *                                                   and stores a level of part 1
 *     NAME_1_IS_ONLY, NAME_1_only(&line, i, m)      1: the part has `only where`; the level may change something
 *     NAME_1_read(&line, i, m)                      in a kernel: what it reads, as struct NAME_1_reads
 *     NAME_1(&line, i, m, &reads, &carried)         the same there, with the variables of the column
 *     NAME_SLOTS, NAME_CARRIED                      values that are kept a level; variables of a column
 *     NAME_PARTS                                    SF_COLUMN_ONCE(NAME, 0) SF_COLUMN_UP(NAME, 1) ...
 *     SF_MADE_COLUMN(NAME, KERNELS)                 NAME_run and NAME_work_bytes, or KERNELS_run_gpu and
 *                                                   NAME_device_bytes
 *     SF_MADE_COLUMN_PART(NAME)                     NAME_part alone: what a stage does beside one open side
 *     SF_MADE_BLOCKS_COLUMN(NAME, KERNELS)          in place of SF_MADE_COLUMN, of a stage with, for kernels,
 *         NAME_SYSTEMS, NAME_DEEP                   systems of a column; levels below one that it must know
 *         NAME_maps, NAME_ahead, NAME_levels        what it reads of maps, of the level above, and knows by profiles
 *         NAME_raise(...)                           a level on the way up, whose equations wait
 *         NAME_lower(..., found)                    on the way down: found[2 n] of system n, and of the level above
 *         NAME_BEFORE, NAME_BEHIND                  what comes once a column, before them and behind
 *
 * one of all members of a family at once as one of points, with
 *
 *     NAME_member(&line, member, at)                makes it a line of one member
 *     SF_MADE_EACH(PART, NAME, FORM)                PART_part(s, b, c, stream): all members in a box
 *
 * and of columns of all members as one of columns, whose line is of the member that `column` points at, with
 *
 *     SF_MADE_EACH_COLUMN(NAME, KERNELS)            in place of SF_MADE_COLUMN, SF_MADE_BLOCKS_EACH_COLUMN likewise
 *
 * and one of elements, whose body is C, as
 *
 *     struct PACK_pack, NAME_pack(slab)             the lists of fields that it names; one in which they are
 *     NAME_elements(&pack, box, call)               the body, and NAME_elements_gpu(..., stream)
 *     SF_MADE_HANDED(NAME, PACK, LOOP, KERNELS)     NAME_run, or NAME_run_gpu: such a body, handed NAME_pack(slab); or
 *                                                   stages of points, handed a slab that shows other fields
 *
 * form: a literal, of a stage that has forms; MADE_SIDES in it: values may lie beyond open sides. Where a stage
 * computes its results apart, point comes for each, as NAME_RESULT_point, for SF_MADE_LOOPS, and values and store for
 * SF_MADE_NEAR_KERNEL_MUCH, which computes all of them. */
#pragma once

#include "pipeline/columns.h"
#include "pipeline/points.h"
#include "pipeline/tridiagonal.h"

/* Distances between rows, levels and rows of a map; the first row. */
struct made_grid {
    ptrdiff_t sj, sk, sm;
    int j0, unused;
};

#define SF_MADE_GRID(s)                                                                                                \
    {                                                                                                                  \
        (s)->sj, (s)->sk, (s)->sm, (s)->j0, 0                                                                          \
    }

/* Where a group of columns keeps what a level of it leaves for a later part, [slot][level][wide], and, on a CPU, its
 * variables; of a family, the member that is computed. */
struct made_column {
    real *keep, *carried;
    ptrdiff_t apart;
    int wide, k0, k1, unused;
    const struct member *of;
};

/* How the metric terms of a grid are there, a literal of whoever compiles the stages: as profiles; as profiles times a
 * map, s->f[SF_METRIC_MAP], of the column; as fields of three dimensions in the place of the profiles. */
#define METRIC_PROFILE 0
#define METRIC_MAP 1
#define METRIC_FIELD 2
#ifndef SF_METRIC
#define SF_METRIC METRIC_PROFILE
#endif
#if SF_METRIC == METRIC_FIELD
#define SF_METRIC_OF(profile, field) field
#define SF_METRIC_AT(level, element) (element)
#define SF_METRIC_LEVELS(...)
#define SF_METRIC_FULL(...) __VA_ARGS__
#else
#define SF_METRIC_OF(profile, field) profile
#define SF_METRIC_LEVELS(...) __VA_ARGS__
#define SF_METRIC_FULL(...)
#endif
#if SF_METRIC == METRIC_MAP && defined __cplusplus
#error kernels take metric terms as profiles or as fields
#endif
#if SF_METRIC == METRIC_MAP
#define SF_METRIC_AT(level, element) (l->r_metric[i] * (level))
#define SF_METRIC_MAPPED(...) __VA_ARGS__
#else
#define SF_METRIC_MAPPED(...)
#endif
#if SF_METRIC == METRIC_PROFILE
#define SF_METRIC_AT(level, element) (level)
#endif

/* In a form: next to open sides. And the form without. */
enum { MADE_SIDES = 1 << 20 };
#define SF_FORM_OF(form) ((form) & ~MADE_SIDES)

/* A result of a point where `only` holds; elsewhere what was there, which a kernel does not come to. */
#ifdef __cplusplus
#define SF_ONLY(result, was) (result)
#else
#define SF_ONLY(result, was) (only ? (result) : (was))
#endif

/* What a box has of the columns that are `cell` columns from a side, 0 the next one; on_face: of the faces that lie on
 * it. Rows beyond the last are like all others where the north is periodic, and faces of v alone where it is open. */
static inline struct box made_beside(const struct slab *s, struct box b, int side, int cell, int on_face,
                                     const int *open)
{
    const int i = side == FACE_W ? cell : s->ni - 1 - cell + on_face,
              j = side == FACE_S ? cell : s->nj - 1 - cell + on_face;
    if (side == FACE_W || side == FACE_E) {
        b.i0 = SF_MAX(b.i0, i), b.i1 = SF_MIN(b.i1, i + 1);
        if (open[FACE_N]) b.j1 = SF_MIN(b.j1, s->nj);
    } else {
        b.j0 = SF_MAX(b.j0, j), b.j1 = SF_MIN(b.j1, j + 1);
        b.i1 = SF_MIN(b.i1, s->ni);
    }
    return b;
}

/* A program of made kernels alone, without the bodies of elements, has defined it as nothing. */
#ifdef SF_MADE_HANDED
#elif defined __cplusplus
#define SF_MADE_HANDED(NAME, PACK, LOOP, KERNELS)                                                                      \
    void NAME##_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)                        \
    {                                                                                                                  \
        const struct PACK p = NAME##_pack(s);                                                                          \
        KERNELS(&p, b, c, stream);                                                                                     \
    }
#else
#define SF_MADE_HANDED(NAME, PACK, LOOP, KERNELS)                                                                      \
    void NAME##_run(const struct slab *s, struct box b, const struct call *c)                                          \
    {                                                                                                                  \
        const struct PACK p = NAME##_pack(s);                                                                          \
        LOOP(&p, b, c);                                                                                                \
    }
#endif

SF_FORMULA real printed_min(real a, real b) { return a < b ? a : b; }
SF_FORMULA real printed_max(real a, real b) { return a > b ? a : b; }
SF_FORMULA double printed_min_twice(double a, double b) { return a < b ? a : b; }
SF_FORMULA double printed_max_twice(double a, double b) { return a > b ? a : b; }

#ifdef __cplusplus
#define SF_MAKE(type, ...) (type{__VA_ARGS__})
#include "pipeline/printed_kernels.h"
#else
#define SF_MAKE(type, ...) ((struct type){__VA_ARGS__})
#define SF_MADE_PART(NAME) SF_MADE_LOOPS(NAME, NAME, SF_MADE_LOOP(NAME, 0))
#define SF_MADE_LOOP(OF, FORM) _Pragma("omp simd") for (int i = of.i0; i < of.i1; i++) OF##_point(FORM, &l, i);
/* Of a stage that changes few points: OF_only says which. Cells of which none does are passed over. */
enum { MADE_ONLY_CELLS = 64 };
#define SF_MADE_LOOP_ONLY(OF, FORM)                                                                                    \
    for (int i0 = of.i0; i0 < of.i1; i0 += MADE_ONLY_CELLS) {                                                          \
        const int i1 = SF_MIN(i0 + MADE_ONLY_CELLS, of.i1);                                                            \
        int any = 0;                                                                                                   \
        _Pragma("omp simd reduction(| : any)") for (int i = i0; i < i1; i++) any |= OF##_only(FORM, &l, i);            \
        if (!any) continue;                                                                                            \
        _Pragma("omp simd") for (int i = i0; i < i1; i++) OF##_point(FORM, &l, i);                                     \
    }
/* One line after the other, with all its loops: their operands are in the cache. */
#define SF_MADE_LOOPS(PART, NAME, ...)                                                                                 \
    static void PART##_part(const struct slab *s, struct box b, const struct call *c, void *stream)                    \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        const struct box of = NAME##_box(b, c);                                                                        \
        const struct NAME##_pack p = NAME##_pack(s, c);                                                                \
        for (int j = of.j0; j < of.j1; j++)                                                                            \
            for (int k = of.k0; k < of.k1; k++) {                                                                      \
                const ptrdiff_t row = j - s->j0;                                                                       \
                const struct NAME##_line l = NAME##_line(&p, row * s->sj + k * s->sk, row * s->sm, k);                 \
                __VA_ARGS__                                                                                            \
            }                                                                                                          \
    }

/* A line of one member after the other: what they share is in the cache. */
#define SF_MADE_EACH_BY(PART, NAME, LOOP)                                                                              \
    static void PART##_part(const struct slab *s, struct box of, const struct call *c, void *stream)                   \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        const struct NAME##_pack p = NAME##_pack(s, c);                                                                \
        for (int j = of.j0; j < of.j1; j++)                                                                            \
            for (int k = of.k0; k < of.k1; k++) {                                                                      \
                const ptrdiff_t row = j - s->j0, at = row * s->sj + k * s->sk;                                         \
                struct NAME##_line l = NAME##_line(&p, at, row * s->sm, k);                                            \
                for (int n = 0; n < c->members; n++) {                                                                 \
                    NAME##_member(&l, &c->of[n], at);                                                                  \
                    LOOP                                                                                               \
                }                                                                                                      \
            }                                                                                                          \
    }
/* Next to sides are few points: one loop, whose form no literal says, is compiled for all, and takes one at a time. */
#define SF_MADE_ONE(NAME, FORM, changes)                                                                               \
    for (int i = of.i0; i < of.i1; i++)                                                                                \
        if (changes) NAME##_point(FORM, &l, i);
#define SF_MADE_EACH_ONE(PART, NAME, FORM) SF_MADE_EACH_BY(PART, NAME, SF_MADE_ONE(NAME, FORM, 1))
#define SF_MADE_EACH_ONLY_ONE(PART, NAME, FORM)                                                                        \
    SF_MADE_EACH_BY(PART, NAME, SF_MADE_ONE(NAME, FORM, NAME##_only(FORM, &l, i)))
#define SF_MADE_SIDES_IN(EACH, NAME, FORM)
#define SF_MADE_SIDES_ANY(EACH, NAME, form) EACH##_ONE(NAME##_sides, NAME, (form) | MADE_SIDES)
#define SF_MADE_SIDES_RUN(NAME, FORM, boxes)                                                                           \
    for (int n = 0; n < 4; n++) NAME##_sides_part(s, boxes[n], c, stream);
#define SF_MADE_EACH(PART, NAME, FORM) SF_MADE_EACH_BY(PART, NAME, SF_MADE_LOOP(NAME, FORM))
#define SF_MADE_EACH_ONLY(PART, NAME, FORM) SF_MADE_EACH_BY(PART, NAME, SF_MADE_LOOP_ONLY(NAME, FORM))

/* So many columns beside each other that what is kept of them stays in the second-level cache. */
enum { COLUMN_BLOCK = 128 };
/* Variable n of column m of a block, which in double precision takes two places. */
#define SF_CARRIED(type, l, n, m) ((type *)((l)->carried + (n)*COLUMN_BLOCK))[m]

#define SF_COLUMN_LEVEL(NAME, N, k)                                                                                    \
    {                                                                                                                  \
        const struct NAME##_line l = NAME##_line(&p, row * s->sj + (k)*s->sk, row * s->sm, k, &x);                     \
        int any = !NAME##_##N##_IS_ONLY;                                                                               \
        _Pragma("omp simd reduction(| : any)") for (int m = 0; m < (NAME##_##N##_IS_ONLY ? n : 0); m++) any |=         \
            NAME##_##N##_only(&l, i0 + m, m);                                                                          \
        if (any) _Pragma("omp simd") for (int m = 0; m < n; m++) NAME##_##N(&l, i0 + m, m);                            \
    }
#define SF_COLUMN_ONCE(NAME, N) SF_COLUMN_LEVEL(NAME, N, b.k0)
#define SF_COLUMN_UP(NAME, N)                                                                                          \
    for (int k = b.k0; k < b.k1; k++) SF_COLUMN_LEVEL(NAME, N, k)
#define SF_COLUMN_DOWN(NAME, N)                                                                                        \
    for (int k = b.k1 - 1; k >= b.k0; k--) SF_COLUMN_LEVEL(NAME, N, k)

/* Of each of MEMBERS, number n of which is OF. */
#define SF_COLUMN_LOOPS(NAME, MEMBERS, OF)                                                                             \
    static void NAME##_part(const struct slab *s, struct box b, const struct call *c, void *stream)                    \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        const struct NAME##_pack p = NAME##_pack(s, c);                                                                \
        real *const work = (real *)c->work;                                                                            \
        struct made_column x = {.keep = work + NAME##_CARRIED * COLUMN_BLOCK,                                          \
                                .carried = work,                                                                       \
                                .apart = (ptrdiff_t)(b.k1 - b.k0) * COLUMN_BLOCK,                                      \
                                .wide = COLUMN_BLOCK,                                                                  \
                                .k0 = b.k0,                                                                            \
                                .k1 = b.k1};                                                                           \
        for (int j = b.j0; j < b.j1; j++)                                                                              \
            for (int i0 = b.i0; i0 < b.i1; i0 += COLUMN_BLOCK) {                                                       \
                const ptrdiff_t row = j - s->j0;                                                                       \
                const int n = SF_MIN(COLUMN_BLOCK, b.i1 - i0);                                                         \
                for (int one = 0; one < (MEMBERS); one++) {                                                            \
                    x.of = OF;                                                                                         \
                    NAME##_PARTS                                                                                       \
                }                                                                                                      \
            }                                                                                                          \
    }
/* What stage NAME wants to work in, where a column wants what one of OF does. */
#define SF_COLUMN_WORK(NAME, OF)                                                                                       \
    size_t NAME##_work_bytes(int columns, int levels);                                                                 \
    size_t NAME##_work_bytes(int columns, int levels)                                                                  \
    {                                                                                                                  \
        (void)columns;                                                                                                 \
        return ((size_t)OF##_CARRIED + (size_t)OF##_SLOTS * ((size_t)levels + 1)) * COLUMN_BLOCK * sizeof(real);       \
    }
#define SF_COLUMN_STAGE(NAME) SF_COLUMN_WORK(NAME, NAME) SF_PART_STAGE(NAME, NAME##_part)
#define SF_MADE_COLUMN_PART(NAME) SF_COLUMN_LOOPS(NAME, 1, NULL)
#define SF_MADE_COLUMN(NAME, KERNELS) SF_MADE_COLUMN_PART(NAME) SF_COLUMN_STAGE(NAME)
#define SF_MADE_EACH_COLUMN(NAME, KERNELS) SF_COLUMN_LOOPS(NAME, c->members, &c->of[one]) SF_COLUMN_STAGE(NAME)
#define SF_MADE_BLOCKS_COLUMN(NAME, KERNELS) SF_MADE_COLUMN(NAME, KERNELS)
#define SF_MADE_BLOCKS_EACH_COLUMN(NAME, KERNELS) SF_MADE_EACH_COLUMN(NAME, KERNELS)

/* NAME_row of what is shown: struct diagnostic. */
#define SF_MADE_ROW(NAME)                                                                                              \
    void NAME##_row(const struct slab *s, const void *ctx, int j, real *__restrict out);                               \
    void NAME##_row(const struct slab *s, const void *ctx, int j, real *__restrict out)                                \
    {                                                                                                                  \
        const struct call c = {.ctx = ctx};                                                                            \
        const struct NAME##_pack p = NAME##_pack(s, &c);                                                               \
        const ptrdiff_t row = j - s->j0;                                                                               \
        for (int k = 0; k < s->nk; k++) {                                                                              \
            const struct NAME##_line l = NAME##_line(&p, row * s->sj + k * s->sk, row * s->sm, k);                     \
            _Pragma("omp simd") for (int i = 0; i < s->ni; i++) out[(ptrdiff_t)k * s->ni + i] =                        \
                NAME##_value(0, &l, i);                                                                                \
        }                                                                                                              \
    }

#define SF_MADE_POINT(NAME, KERNELS)                                                                                   \
    SF_MADE_PART(NAME)                                                                                                 \
    SF_PART_STAGE(NAME, NAME##_part)
#define SF_MADE_NEAR_POINT SF_MADE_POINT
#define SF_MADE_VECTORS_POINT SF_MADE_POINT
#endif
