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
};

/* Of formulas that descriptions of stages call. */
#define FLOPS_IN_cell_above 2
#define FLOPS_IN_cell_below 2
#define FLOPS_IN_cell_compress 2
#define FLOPS_IN_cell_damped 3
#define FLOPS_IN_cell_now 5
#define FLOPS_IN_cell_pressure 11
#define FLOPS_IN_cell_star 9
#define FLOPS_IN_coriolis 6
#define FLOPS_IN_divergence 5
#define FLOPS_IN_driven_gain 1
#define FLOPS_IN_driven_level 178
#define FLOPS_IN_driver_toward 3
#define FLOPS_IN_eddy_energy 19
#define FLOPS_IN_eddy_length 4
#define FLOPS_IN_eddy_level 3
#define FLOPS_IN_eddy_mean 4
#define FLOPS_IN_eddy_most 0
#define FLOPS_IN_eddy_prandtl 3
#define FLOPS_IN_eddy_smagorinsky 6
#define FLOPS_IN_eddy_square 1
#define FLOPS_IN_eddy_stability 4
#define FLOPS_IN_eddy_stability_moist 29
#define FLOPS_IN_eddy_step 1
#define FLOPS_IN_eddy_upright 5
#define FLOPS_IN_face_beyond 1
#define FLOPS_IN_face_diagonal 3
#define FLOPS_IN_face_of 17
#define FLOPS_IN_face_right 9
#define FLOPS_IN_face_weight 2
#define FLOPS_IN_flux_added 3
#define FLOPS_IN_forcing_energy 16
#define FLOPS_IN_forcing_exner 8
#define FLOPS_IN_forcing_gain 6
#define FLOPS_IN_open_carried 4
#define FLOPS_IN_open_wind 10
#define FLOPS_IN_outflow_gain 2
#define FLOPS_IN_outflow_level 194
#define FLOPS_IN_outflow_side 19
#define FLOPS_IN_outflow_top 2
#define FLOPS_IN_over_known 5
#define FLOPS_IN_over_spread 5
#define FLOPS_IN_over_square 3
#define FLOPS_IN_over_theta_tendency 98
#define FLOPS_IN_over_u 94
#define FLOPS_IN_over_v 94
#define FLOPS_IN_over_w 98
#define FLOPS_IN_over_wind_step 11
#define FLOPS_IN_pi_tendency_wide 91
#define FLOPS_IN_relax 2
#define FLOPS_IN_scalar_advection 51
#define FLOPS_IN_scalar_step 2
#define FLOPS_IN_sf_audible 0
#define FLOPS_IN_surface_inverse 11
#define FLOPS_IN_surface_is_known 0
#define FLOPS_IN_surface_low 699
#define FLOPS_IN_surface_pull 3639
#define FLOPS_IN_surface_skin 1
#define FLOPS_IN_theta_face 3
#define FLOPS_IN_theta_tendency 98
#define FLOPS_IN_theta_tendency_wide 128
#define FLOPS_IN_tracer_carried 28
#define FLOPS_IN_tracer_last 13
#define FLOPS_IN_tracer_limited 19
#define FLOPS_IN_tracer_share 7
#define FLOPS_IN_tracer_whole 7
#define FLOPS_IN_u_tendency 94
#define FLOPS_IN_u_tendency_wide 126
#define FLOPS_IN_v_tendency 94
#define FLOPS_IN_v_tendency_wide 126
#define FLOPS_IN_w_tendency 98
#define FLOPS_IN_w_tendency_wide 130
#define FLOPS_IN_water_dry_density 22
#define FLOPS_IN_water_excess 6
#define FLOPS_IN_water_exner_gain 26
#define FLOPS_IN_water_fall_speed 61
#define FLOPS_IN_water_fallen 7
#define FLOPS_IN_water_heat 4
#define FLOPS_IN_water_lack 18
#define FLOPS_IN_water_more 0
#define FLOPS_IN_water_power 17
#define FLOPS_IN_water_pressure 4
#define FLOPS_IN_water_pressure_tendency 6
#define FLOPS_IN_water_rain_lost 98
#define FLOPS_IN_water_rain_made 9
#define FLOPS_IN_water_saturated 31
#define FLOPS_IN_water_spread 10
#define FLOPS_IN_water_theta_gain 4
#define FLOPS_IN_water_theta_rho 5
#define FLOPS_IN_water_theta_tendency 6
#define FLOPS_IN_water_warming 3
#define FLOPS_IN_wind_step 9
