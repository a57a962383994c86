/* Arithmetic per point of the weather model, counted by `make flops` from the formulas themselves: FLOPS with a fused
 * multiply-add as two, INSTRUCTIONS with it as one. tests/flops.sh holds this file to the count; see
 * tools/count_flops.cc for what counts. SPDX-License-Identifier: MIT */
#pragma once

enum flops {
    FLOPS_U_OFF = 61, /* tendency of u, mixing off */
    FLOPS_V_OFF = 61, /* tendency of v, mixing off */
    FLOPS_W_OFF = 65, /* tendency of w, mixing off */
    FLOPS_PI_OFF = 51, /* tendency of pi, mixing off */
    FLOPS_THETA_OFF = 65, /* tendency of theta, mixing off */
    FLOPS_ADVMIX_OFF = 303, /* all five, mixing off */
    FLOPS_U_SECOND = 82, /* tendency of u, mixing second */
    FLOPS_V_SECOND = 82, /* tendency of v, mixing second */
    FLOPS_W_SECOND = 86, /* tendency of w, mixing second */
    FLOPS_PI_SECOND = 51, /* tendency of pi, mixing second */
    FLOPS_THETA_SECOND = 86, /* tendency of theta, mixing second */
    FLOPS_ADVMIX_SECOND = 387, /* all five, mixing second */
    FLOPS_U_FOURTH = 94, /* tendency of u, mixing fourth */
    FLOPS_V_FOURTH = 94, /* tendency of v, mixing fourth */
    FLOPS_W_FOURTH = 98, /* tendency of w, mixing fourth */
    FLOPS_PI_FOURTH = 51, /* tendency of pi, mixing fourth */
    FLOPS_THETA_FOURTH = 98, /* tendency of theta, mixing fourth */
    FLOPS_ADVMIX_FOURTH = 435, /* all five, mixing fourth */
    FLOPS_U_MONOTONE = 106, /* tendency of u, mixing monotone */
    FLOPS_V_MONOTONE = 106, /* tendency of v, mixing monotone */
    FLOPS_W_MONOTONE = 110, /* tendency of w, mixing monotone */
    FLOPS_PI_MONOTONE = 51, /* tendency of pi, mixing monotone */
    FLOPS_THETA_MONOTONE = 110, /* tendency of theta, mixing monotone */
    FLOPS_ADVMIX_MONOTONE = 483, /* all five, mixing monotone */
    FLOPS_ADVMIX_CENTRED6 = 583, /* all five, 6th-order centred, mixing fourth */
    FLOPS_ADVMIX_UPWIND5 = 799, /* all five, 5th-order upwind, mixing fourth */
    FLOPS_TRACER_STAGE = 79, /* a tracer in the first and second stage, mixing fourth */
    FLOPS_TRACER_SHARE = 105, /* the last stage and its factors */
    FLOPS_UV = 18, /* small step of u and v */
    FLOPS_WPI = 64, /* small step of w and pi, solved in the column */
    FLOPS_SCALAR = 2, /* step of theta */
    FLOPS_CORIOLIS = 14, /* Coriolis force on u and v */
    FLOPS_RAYLEIGH = 12, /* damping of u, v, w and theta below the lid */
};

enum flop_instructions {
    INSTRUCTIONS_U_OFF = 58,
    INSTRUCTIONS_V_OFF = 58,
    INSTRUCTIONS_W_OFF = 61,
    INSTRUCTIONS_PI_OFF = 48,
    INSTRUCTIONS_THETA_OFF = 61,
    INSTRUCTIONS_ADVMIX_OFF = 286,
    INSTRUCTIONS_U_SECOND = 77,
    INSTRUCTIONS_V_SECOND = 77,
    INSTRUCTIONS_W_SECOND = 80,
    INSTRUCTIONS_PI_SECOND = 48,
    INSTRUCTIONS_THETA_SECOND = 80,
    INSTRUCTIONS_ADVMIX_SECOND = 362,
    INSTRUCTIONS_U_FOURTH = 85,
    INSTRUCTIONS_V_FOURTH = 85,
    INSTRUCTIONS_W_FOURTH = 88,
    INSTRUCTIONS_PI_FOURTH = 48,
    INSTRUCTIONS_THETA_FOURTH = 88,
    INSTRUCTIONS_ADVMIX_FOURTH = 394,
    INSTRUCTIONS_U_MONOTONE = 103,
    INSTRUCTIONS_V_MONOTONE = 103,
    INSTRUCTIONS_W_MONOTONE = 106,
    INSTRUCTIONS_PI_MONOTONE = 48,
    INSTRUCTIONS_THETA_MONOTONE = 106,
    INSTRUCTIONS_ADVMIX_MONOTONE = 466,
    INSTRUCTIONS_ADVMIX_CENTRED6 = 512,
    INSTRUCTIONS_ADVMIX_UPWIND5 = 680,
    INSTRUCTIONS_TRACER_STAGE = 63,
    INSTRUCTIONS_TRACER_SHARE = 108,
    INSTRUCTIONS_UV = 14,
    INSTRUCTIONS_WPI = 47,
    INSTRUCTIONS_SCALAR = 2,
    INSTRUCTIONS_CORIOLIS = 14,
    INSTRUCTIONS_RAYLEIGH = 12,
};
