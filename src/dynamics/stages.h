/* What the stages of the weather model know: its fields, its numbers, and each other by name.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/flops.h"
#include "dynamics/surface.h"
#include "dynamics/vapour.h"
#include "pipeline/model.h"

/* The fields of each tracer, and how many they are. */
enum family_field {
#define FIELD(...)
#define PROFILE(...)
#define FAMILY(id, ...) id,
#define MEMBER(...)
#include "dynamics/fields.def"
    F_FAMILY
};

enum dynamics_field {
#define FIELD(id, ...) id,
#define PROFILE(id, ...) id,
#define FAMILY(id, ...)
#define MEMBER(id, ...)
#include "dynamics/fields.def"
    F_Q, /* tracer n is F_Q + F_FAMILY n, its scratch fields follow it */
    /* Species of water are the first tracers, where there is water. */
    SPECIES = 3,
    F_QV = F_Q,
    F_QV_NEAR,
    F_QV_FAR,
    F_QC,
    F_QC_NEAR,
    F_QC_FAR,
    F_QR,
    F_QR_NEAR,
    F_QR_FAR,
    /* The energy of turbulence comes behind them; in dry air it is the first of all. */
    F_E,
    F_E_NEAR,
    F_E_FAR
};

/* Of the phase changes: with rain (PHASE_RAINS of water.h), with the simple set of equations (PHASE_SIMPLE). */
enum phase { PHASE_CLOUD_FULL, PHASE_RAIN_FULL, PHASE_CLOUD_SIMPLE, PHASE_RAIN_SIMPLE };

/* In the order of &water scheme and equations. */
enum water_scheme { SCHEME_NONE, SCHEME_SATURATION, SCHEME_KESSLER };
enum water_equations { EQUATIONS_FULL, EQUATIONS_SIMPLE };

/* In the order of &dynamics advection; ADVECTION_CENTRED is 4th order. */
enum advection { ADVECTION_CENTRED, ADVECTION_UPWIND3, ADVECTION_CENTRED4, ADVECTION_UPWIND5, ADVECTION_CENTRED6 };

/* In the order of &turbulence closure, cells and vertical. */
enum closure { CLOSURE_NONE, CLOSURE_SMAGORINSKY, CLOSURE_TKE };
enum cells { CELLS_AUTO, CELLS_CUBES, CELLS_FLAT };
enum vertical { VERTICAL_EXPLICIT, VERTICAL_IMPLICIT };

/* In the order of &terrain coordinate and shape. */
enum terrain_coordinate { COORDINATE_BASIC, COORDINATE_HYBRID, COORDINATE_SLEVE };
enum terrain_shape { TERRAIN_NONE, TERRAIN_BELL, TERRAIN_RIDGE, TERRAIN_SCHAER };

/* Profiles of &forcing (forcing.h), in the order of their keys; behind them those that follow. */
enum forced {
    FORCED_GEOSTROPHIC_U,
    FORCED_GEOSTROPHIC_V,
    FORCED_SUBSIDENCE,
    FORCED_U_RATE,
    FORCED_V_RATE,
    FORCED_THETA_RATE,
    FORCED_QV_RATE,
    FORCED_U, /* targets of nudging */
    FORCED_V,
    FORCED_THETA,
    FORCED_QV,
    FORCED_SHARE, /* of the rate of nudging, by level */
    FORCED_KEYS,
    FORCED_U_NUDGING = FORCED_KEYS, /* rates, 1/s; 0: none */
    FORCED_V_NUDGING,
    FORCED_THETA_NUDGING,
    FORCED_QV_NUDGING,
    FORCED_ALL
};

/* What the ground does to the lowest level. */
struct surface_numbers {
    int drag, heat; /* enum drag, enum heat */
    real height; /* of the lowest level, m */
    real roughness_heat; /* m; 0: that of the wind */
    real coefficient, friction; /* drag coefficient; u_star, m/s */
    real flux, vapour; /* K m/s, kg/kg m/s; 0 where they are not given */
    real viscosity; /* m2/s */
    real pressure, exner, exner_down; /* at the ground; what 2 m has more than the lowest level */
    double temperature, rate; /* of the ground at the start, K, where a map does not say more; K/s */
    real translation[2]; /* of the grid, m/s */
};

/* It takes wind or gives heat: there are stages and maps of it. */
static inline int surface_acts(const struct surface_numbers *n) { return n->drag != DRAG_NONE || n->heat != HEAT_NONE; }

/* It gives heat, and vapour to moist air. */
static inline int surface_gives(const struct surface_numbers *n) { return n->heat != HEAT_NONE; }

/* In the order of &dynamics mixing. */
enum mixing { MIXING_OFF, MIXING_SECOND, MIXING_FOURTH, MIXING_MONOTONE, MIXING_CONSTANT, MIXING_AUTO };

/* What stages need beside fields: plain numbers, the same on every rank and device. */
struct dynamics {
    int mixing; /* enum mixing */
    int kind; /* of tendencies: what is mixed and carried how, see advmix.h */
    int tracer_mixing; /* enum mix_kind */
    int over; /* 1: there is terrain */
    int kind_over; /* `kind`, where the air flows over terrain */
    int upwind; /* 1: the wind and theta' are carried upwind, of the odd order below that of pi' */
    int wide; /* 1: with differences over seven points, of 6th order; 0: over five, of 4th */
    int nk, tracers; /* of tracers the first `species` are water, and the first `named` have names of their own */
    int species; /* 0: the air is dry; SPECIES */
    int led; /* 1: a file leads the air at open sides (driver.h) */
    int named; /* water, and the energy of turbulence where it is carried */
    int closure; /* enum closure */
    int phase; /* enum phase */
    int ray_k; /* lowest level with Rayleigh damping */
    real rdx, rdy; /* 1/m */
    real ax_self, bx_self, ax_cross, bx_cross, ax, bx; /* advection in x: near and wide weights, 1/m */
    real ay_self, by_self, ay_cross, by_cross, ay, by;
    real mix_x, mix_y; /* mixing: index space or 1/dx2 times viscosity, 1/s */
    real cp, rcv; /* J/kg/K; R/cv */
    real off, off1; /* off-centring and 1 - off-centring */
    real damping;
    real f; /* Coriolis parameter of a plane, 1/s */
    real rearth; /* 1/m: of the Earth's radius, on a map; 0 */
    real true_along_x, true_along_y; /* 1: distances along that axis are true, and the map factor is that of the other;
                                        of x they never are */
    real open_speed, open_leaving_speed, open_rate, open_inflow_rate; /* open sides: m/s, m/s where air leaves, 1/s of
                                                                         the mean over a column, 1/s where air enters */
    real open_in[2], open_out[2]; /* what advection misses there, in cells from the side: open.h */
    real tracer_inflow; /* of the air that enters */
    int open[4], wall[4]; /* sides that are open; that nothing blows through */
    real vapour_ratio, heat_dry, heat_vapour, heat_liquid; /* Rv/R; cv, cvv, cl, J/kg/K: what the rest means, water.h */
    real pi_by_vapour, pi_by_liquid, theta_by_vapour, theta_by_liquid, gas_dry, gas_vapour, kappa_real, exner_density,
        exner_pressure, latent_0, latent_slope, latent_simple;
    real vapour_at_zero, vapour_slope, zero_celsius, vapour_offset, vapour_curve;
    real fall_speed, fall_power, fall_density, rain_rate_auto, rain_from, rain_accretion;
    real gravity, smagorinsky, upright; /* m/s2; Smagorinsky's constant; 0: turbulence is implicit along z, else 1 */
    real water_gain; /* what the water asks vapour to be more by, as a share of it */
    real pi_shift; /* what the mass asks pi' to be more by at the beginning of the step that follows */
    const real *forced; /* of &forcing, a table of the steps of a pass: [step][enum forced][nk], see forcing.h */
    ptrdiff_t forced_step; /* elements from one step to the next; 0: nothing changes in time */
    int lift_k; /* lowest level at which the buoyancy of moist air is added by itself, behind other tendencies of w */
    struct surface_numbers surface;
    double g, R, p00, cv_over_R, kappa, cv, cp_d, translation[2];
    double dv_xy; /* m2 */
    struct vapour vapour;
};

/* Over terrain something is carried or mixed by the mass of cells. */
static inline int weighs_cells(const struct dynamics *d) { return d->tracers > 0 || d->closure != CLOSURE_NONE; }

/* Element of the table d->forced where a profile of the step of a call begins. */
static inline ptrdiff_t forced_at(const struct call *c, const struct dynamics *d, enum forced of)
{
    return c->pass_step * d->forced_step + (ptrdiff_t)of * d->nk;
}

/* What kernels of the small steps of u and v do at the sides: all that those of w and pi' read of them, and they find
 * the rest themselves. */
enum {
    SIDES_COLUMN = SIDES_ZERO | SIDES_UNREAD,
    SIDES_WIND = SIDES_ZERO | SIDES_UNREAD | SIDES_FAR | SIDES_BOUND | SIDES_ROUND
};

/* Cells next to an open side whose tendencies know what enters. */
enum { OPEN_CELLS = 2 };

/* The forms that kernels of three stages come in. */
enum {
    ADVMIX_FORMS = 0
#define FORM(...) +1
#include "dynamics/advmix_forms.def"
    ,
    ADVMIX_WIDE_FORMS = 0
#define FORM(...) +1
#include "dynamics/advmix_wide_forms.def"
    ,
    WPI_FORMS = 0
#define FORM(...) +1
#include "dynamics/wpi_forms.def"
};

#ifdef __cplusplus
extern "C" {
#endif
/* advmix */
stage_launch advmix_made_run_gpu; /* as described */
extern const struct candidate advmix_candidate[ADVMIX_FORMS]; /* with 4th-order mixing */
/* advmix_wide */
stage_launch advmix_wide_made_run_gpu; /* as described */
extern const struct candidate advmix_wide_candidate[ADVMIX_WIDE_FORMS]; /* upwind, with 4th-order mixing */
/* wpi */
extern const struct candidate wpi_candidate[WPI_FORMS];
stage_launch wpi_made_run_gpu; /* as described; not for more levels than its form takes */
/* points */
stage_launch uv_start_run_gpu, uv_next_run_gpu;
/* made, and by hand in their place */
#define MADE(id, name, function, kernels, unit, ...)                                                                   \
    stage_function function;                                                                                           \
    stage_launch kernels;                                                                                              \
    unit
#define SWEEP(id, name, kernels, ...) stage_launch kernels;
#define SHAPED(...)
#define MADE_POINT
#define MADE_WORK(function) size_t function(int columns, int nk);
#define MADE_LOOPS(name) size_t name##_work_bytes(int columns, int nk);
#define MADE_COLUMN(name) MADE_LOOPS(name) size_t name##_device_bytes(int nk);
#include "dynamics/weather_made.def"
#undef MADE
#undef SWEEP
#undef SHAPED
#undef MADE_POINT
#undef MADE_WORK
#undef MADE_LOOPS
#undef MADE_COLUMN
#ifdef __cplusplus
}
#endif
