/* What descriptions of stages (stages/describe.h) are printed for: a loop in a .c file, a kernel in a .cu file.
 *
 * A stage NAME comes as
 *
 *     struct NAME_pack                 all that it reads and writes, by name, and the numbers that it needs: what a
 * kernel is handed NAME_pack(slab, call)            makes one NAME_box(box, call)              the part of a box that
 * it computes struct NAME_line                 a line along i: where its points lie, and the numbers that they share
 *     NAME_line(&pack, at, map, k)     makes one; at, map: the element of i = 0 of a full field and of a map
 *     NAME_point(&line, i)             computes and stores point i, in a loop
 *     NAME_values(&line, i)            computes it, in a kernel: struct NAME_values
 *     NAME_store(&line, i, &values)    puts them where they belong
 *     SF_MADE_POINT(NAME)              NAME_run or NAME_run_gpu of them
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/points.h"

/* Distances between rows, levels and rows of a map; the first row. */
struct made_grid {
    ptrdiff_t sj, sk, sm;
    int j0, unused;
};

#define SF_MADE_GRID(s)                                                                                                \
    {                                                                                                                  \
        (s)->sj, (s)->sk, (s)->sm, (s)->j0, 0                                                                          \
    }

SF_FORMULA real printed_min(real a, real b) { return a < b ? a : b; }
SF_FORMULA real printed_max(real a, real b) { return a > b ? a : b; }
SF_FORMULA double printed_min_twice(double a, double b) { return a < b ? a : b; }
SF_FORMULA double printed_max_twice(double a, double b) { return a > b ? a : b; }

#ifdef __cplusplus
#define SF_MAKE(type, ...) (type{__VA_ARGS__})
/* A thread computes the same place of several rows: fewer threads begin, and what they begin with is there for all of
 * them. Some rows are computed together before any is stored, so that what they read comes at once. As many rows as
 * leave every multiprocessor enough threads. */
enum { MADE_ROWS = 8, MADE_TOGETHER = 2, MADE_BLOCKS = 32 };
#define MADE_AT(p, j, k) ((j) - (p).grid.j0) * (p).grid.sj + (k) * (p).grid.sk, ((j) - (p).grid.j0) * (p).grid.sm
static inline int made_rows(dim3 grid)
{
    const double blocks = (double)grid.x * grid.y * grid.z / (MADE_BLOCKS * (double)launch_multiprocessors());
    return blocks >= MADE_ROWS ? MADE_ROWS : blocks >= 2 ? (int)blocks : 1;
}

#define SF_MADE_PART(NAME)                                                                                             \
    __global__ void NAME##_kernel(SF_ARGUMENT(struct NAME##_pack) p, SF_ARGUMENT(struct box) b, const int rows)        \
    {                                                                                                                  \
        launch_wait();                                                                                                 \
        const struct launch_point x = launch_here(b);                                                                  \
        if (!x.is_inside) return;                                                                                      \
        const int first = b.j0 + (int)blockIdx.z * rows, end = SF_MIN(first + rows, b.j1);                             \
        int j = first;                                                                                                 \
        for (; j + MADE_TOGETHER <= end; j += MADE_TOGETHER) {                                                         \
            struct NAME##_line l[MADE_TOGETHER];                                                                       \
            struct NAME##_values y[MADE_TOGETHER];                                                                     \
            _Pragma("unroll") for (int m = 0; m < MADE_TOGETHER; m++)                                                  \
            {                                                                                                          \
                l[m] = NAME##_line(&p, MADE_AT(p, j + m, x.k), x.k);                                                   \
                y[m] = NAME##_values(&l[m], x.i);                                                                      \
            }                                                                                                          \
            _Pragma("unroll") for (int m = 0; m < MADE_TOGETHER; m++) NAME##_store(&l[m], x.i, &y[m]);                 \
        }                                                                                                              \
        for (; j < end; j++) {                                                                                         \
            const struct NAME##_line l = NAME##_line(&p, MADE_AT(p, j, x.k), x.k);                                     \
            const struct NAME##_values y = NAME##_values(&l, x.i);                                                     \
            NAME##_store(&l, x.i, &y);                                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    static void NAME##_part(const struct slab *s, struct box b, const struct call *c, void *stream)                    \
    {                                                                                                                  \
        const struct box of = NAME##_box(b, c);                                                                        \
        if (box_is_empty(of)) return;                                                                                  \
        dim3 grid = launch_grid(of, c->shape);                                                                         \
        const int rows = c->shape ? c->shape->rows : made_rows(grid);                                                  \
        grid.z = launch_blocks(of.j1 - of.j0, rows);                                                                   \
        SF_LAUNCH(NAME##_kernel, grid, launch_block(c->shape), stream, NAME##_pack(s, c), of, rows);                   \
    }
#else
#define SF_MAKE(type, ...) ((type){__VA_ARGS__})
#define SF_MADE_PART(NAME)                                                                                             \
    static void NAME##_part(const struct slab *s, struct box b, const struct call *c, void *stream)                    \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        const struct box of = NAME##_box(b, c);                                                                        \
        const struct NAME##_pack p = NAME##_pack(s, c);                                                                \
        for (int j = of.j0; j < of.j1; j++)                                                                            \
            for (int k = of.k0; k < of.k1; k++) {                                                                      \
                const ptrdiff_t row = j - s->j0;                                                                       \
                const struct NAME##_line l = NAME##_line(&p, row * s->sj + k * s->sk, row * s->sm, k);                 \
                _Pragma("omp simd") for (int i = of.i0; i < of.i1; i++) NAME##_point(&l, i);                           \
            }                                                                                                          \
    }

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
            _Pragma("omp simd") for (int i = 0; i < s->ni; i++) out[(ptrdiff_t)k * s->ni + i] = NAME##_value(&l, i);   \
        }                                                                                                              \
    }

#endif

#define SF_MADE_POINT(NAME)                                                                                            \
    SF_MADE_PART(NAME)                                                                                                 \
    SF_PART_STAGE(NAME, NAME##_part)
