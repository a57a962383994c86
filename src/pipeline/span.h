/* When a lane was busy, and with what: for a timeline. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* Lanes of a timeline: those of the backend (enum lane), then the host. */
enum { SPAN_IN, SPAN_COMPUTE, SPAN_OUT, SPAN_HALO, SPAN_OUTPUT, SPAN_LANES };

struct span {
    int lane;
    int slab; /* of the pass, in the order they are computed; -1: of no slab */
    long step; /* that the pass begins with */
    int j0, j1; /* rows [j0, j1) of the domain; 0, 0: none in particular */
    double begin, end; /* s, of a clock that all ranks of a machine share */
    double bytes; /* moved; 0: none */
};
