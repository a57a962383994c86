/* Ceilings of a GPU: ceilings_gpu.c measures what the kernels of ceilings.cu do. SPDX-License-Identifier: MIT */
#pragma once

#include "command/ceilings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a kernel is to do. */
struct ceiling_work {
    real *memory;
    size_t bytes; /* of it */
    long rounds; /* of arithmetic, or over a cache */
    int multiprocessors;
    void *stream;
};

/* Launch the kernel of a ceiling that has one: bytes moved, flop, instructions, or 1 of CEILING_LAUNCH. */
double ceiling_launch(enum ceiling which, const struct ceiling_work *w);

#ifdef __cplusplus
}
#endif

double ceiling_of_device(struct ceiling_site *s, enum ceiling which);
