/* What a machine can do at most: memory, cache and arithmetic, measured with loops that do nothing else.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/backend.h"
#include "pipeline/seconds.h"

enum ceiling {
    CEILING_STREAM, /* bytes/s read and written: x = c x + d over an array far beyond the caches */
    CEILING_TRIAD, /* bytes/s read and written: a = b + c x, the read of a before it is overwritten not counted */
    CEILING_CACHE, /* bytes/s read and written: x = c x + d over half (of a GPU a quarter) of the second-level cache */
    CEILING_FMA, /* flop/s: fused multiply-adds in registers */
    CEILINGS_CPU,
    CEILING_COPY = CEILINGS_CPU, /* of a GPU: bytes/s read and written, */
    CEILING_READ, /* read, */
    CEILING_ISSUE, /* instructions/s, each counted once a thread, arithmetic on floating-point numbers and integers, */
    CEILING_LAUNCH, /* kernels/s that do nothing, */
    CEILING_IN, /* bytes/s from pinned memory of the host, */
    CEILING_OUT, /* to it, */
    CEILING_BOTH, /* and both at once */
    CEILINGS
};

/* Where they are measured. The caller sets what stands before `memory`. */
struct ceiling_site {
    const struct backend *backend;
    int threads; /* of a CPU */
    size_t bytes; /* of memory to measure in */
    double effort; /* 1: a tenth of a second a measurement on a CPU, milliseconds on a GPU */
    real *memory, *host[2];
    double turns[CEILINGS]; /* of a GPU: how much a measurement does */
};

const char *ceiling_name(enum ceiling c);
const char *ceiling_unit(enum ceiling c); /* what it is told in, and how many of it 1/s is */
double ceiling_scale(enum ceiling c);
int ceiling_exists(const struct ceiling_site *s, enum ceiling c);

/* Errors: SF_MEMORY; ceilings_close is called in any case. */
int ceilings_open(struct ceiling_site *s);
void ceilings_close(struct ceiling_site *s);

/* One measurement; 0 where the site cannot make it. */
double ceiling_measure(struct ceiling_site *s, enum ceiling which);
