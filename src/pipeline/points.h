/* What loops on the CPU and kernels of a GPU share: a .c file and a .cu file include the same lines.
 *
 *     SF_POINT                    begins a function of either
 *     SF_PART_STAGE(stage, all)   STAGE_run, or STAGE_run_gpu, by who compiles it, of all(s, b, c, stream)
 *     members_of(call, first)     of a family as many members as a launch takes, from one on
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#ifdef __cplusplus
#include "pipeline/launch.h"

#define SF_POINT static inline __host__ __device__

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

#define SF_PART_STAGE(stage, all)                                                                                      \
    void stage##_run(const struct slab *s, struct box b, const struct call *c) { all(s, b, c, NULL); }
#endif
