/* Stages that compute each point of their box by itself, written once for the CPU and for a GPU.
 *
 * A family NAME of them is a struct and two functions that begin with SF_POINT:
 *
 *     struct NAME_line                             a line along i: where its points lie, and the numbers that they
 *                                                  share
 *     NAME_line(form, slab, numbers, call, at, k)  makes one; `at`: the element of i = 0
 *     NAME_point(form, &line, i)                   computes point i
 *
 * `form` is a literal that picks a member of the family, and folds away. `numbers` is the model's struct of plain
 * numbers, call->ctx. One line then makes a stage, STAGE_run, a vector loop, or STAGE_run_gpu, a kernel with its
 * launch, by who compiles it: a .c file and a .cu file include the same lines.
 *
 *     SF_POINT_STAGE(stage, NAME, form, struct numbers)
 *
 * A stage that computes parts of its box puts them together itself:
 *
 *     SF_POINT_PART(part, NAME, form, struct numbers)      part(s, b, c, stream) computes the box b
 *     SF_POINT_PART_PLAIN(part, ...)                       the same for points that loop themselves, which no vector
 *                                                          loop takes
 *     SF_PART_STAGE(stage, all)                            of all(s, b, c, stream), which calls parts
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#ifdef __cplusplus
#include "pipeline/launch.h"

#define SF_POINT static inline __host__ __device__

#define SF_POINT_PART(part, NAME, form, numbers)                                                                       \
    __global__ void part##_kernel(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b, SF_ARGUMENT(struct call) c,   \
                                  SF_ARGUMENT(numbers) n)                                                              \
    {                                                                                                                  \
        launch_wait();                                                                                                 \
        const struct launch_point p = launch_here(b);                                                                  \
        if (!p.is_inside) return;                                                                                      \
        const struct NAME##_line l = NAME##_line(form, &s, &n, &c, (p.j - s.j0) * s.sj + p.k * s.sk, p.k);             \
        NAME##_point(form, &l, p.i);                                                                                   \
    }                                                                                                                  \
    static void part(const struct slab *s, struct box b, const struct call *c, void *stream)                           \
    {                                                                                                                  \
        if (box_is_empty(b)) return;                                                                                   \
        SF_LAUNCH(part##_kernel, launch_grid(b, c->shape), launch_block(c->shape, b), stream, *s, b, *c,               \
                  *(const numbers *)c->ctx);                                                                           \
    }

#define SF_POINT_PART_PLAIN SF_POINT_PART

/* As many members as one launch takes: more take another, for a kernel's arguments are few. */
enum { MEMBERS_AT_ONCE = SF_PREC == 64 ? 8 : 12 };
struct members {
    struct member of[MEMBERS_AT_ONCE];
    ptrdiff_t n;
};

static inline struct members members_of(const struct call *c, int first)
{
    struct members x = {};
    x.n = SF_MIN(c->members - first, (int)MEMBERS_AT_ONCE);
    for (int m = 0; m < x.n; m++) x.of[m] = c->of[first + m];
    return x;
}

#define SF_PART_STAGE(stage, all)                                                                                      \
    extern "C" void stage##_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)            \
    {                                                                                                                  \
        all(s, b, c, stream);                                                                                          \
    }

#else
#include "pipeline/model.h"

#define SF_POINT static inline __attribute__((always_inline))

#define SF_POINT_PART_LOOP(part, NAME, form, numbers, vector)                                                          \
    static void part(const struct slab *s, struct box b, const struct call *c, void *stream)                           \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        for (int j = b.j0; j < b.j1; j++)                                                                              \
            for (int k = b.k0; k < b.k1; k++) {                                                                        \
                const struct NAME##_line l =                                                                           \
                    NAME##_line(form, s, (const numbers *)c->ctx, c, (j - s->j0) * s->sj + k * s->sk, k);              \
                vector for (int i = b.i0; i < b.i1; i++) NAME##_point(form, &l, i);                                    \
            }                                                                                                          \
    }
#define SF_POINT_PART(part, NAME, form, numbers) SF_POINT_PART_LOOP(part, NAME, form, numbers, _Pragma("omp simd"))
#define SF_POINT_PART_PLAIN(part, NAME, form, numbers) SF_POINT_PART_LOOP(part, NAME, form, numbers, )

#define SF_PART_STAGE(stage, all)                                                                                      \
    void stage##_run(const struct slab *s, struct box b, const struct call *c) { all(s, b, c, NULL); }
#endif

#define SF_POINT_STAGE(stage, NAME, form, numbers)                                                                     \
    SF_POINT_PART(stage##_points, NAME, form, numbers)                                                                 \
    SF_PART_STAGE(stage, stage##_points)
