/* Arithmetic of the functions of sfmath.h, counted by `make flops`; tests/flops.sh holds it to the count.
 * SPDX-License-Identifier: MIT */
#pragma once

enum function_flops {
    FLOPS_EXP = 43,
    FLOPS_LOG = 47,
    FLOPS_POW = 134,
    FLOPS_SIN = 65,
    FLOPS_COS = 65,
};
