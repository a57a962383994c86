/* The weather model: nonhydrostatic, fully compressible air on an Arakawa C-grid, as departures from a base state at rest
 * in hydrostatic balance.
 *
 *     du/dt = -cp theta dpi'/dx + f (v - v_0) + M_u          d/dt the material derivative, M mixing
 *     dv/dt = -cp theta dpi'/dy - f (u - u_0) + M_v
 *     dw/dt = -cp theta dpi'/dz + g theta'/theta_0 + M_w
 *     dtheta'/dt = -w dtheta_0/dz + M_theta
 *     dpi'/dt = -w dpi_0/dz - (R/cv) (pi_0 + pi') div v      not linearised
 *
 *          w[k+1]              u[i] lies at the western face of cell i, v[j] at the southern, w[k] at the bottom.
 *        +---^---+             theta', pi' and tracers lie at the centre.
 *        |       |             A wall has its normal wind on it, zero: u[0] and u[ni], v[0] and v[nj], w[0] and w[nk].
 *   u[i] >  pi   > u[i+1]      u[ni], v[nj] and w[nk] are ghosts: made by the rule of their side. On an open side they
 *        |       |             are the model's own and move with the wind that leaves.
 *        +---^---+
 *          w[k]
 *
 * Time: three Runge-Kutta stages (Wicker and Skamarock 2002) from the same start, over dt/3, dt/2 and dt. Each evaluates
 * the slow tendencies once (advmix) and then takes 1, N/2 and N acoustic small steps (Klemp and Wilhelmson 1978;
 * Skamarock and Klemp 2008): u and v forward, w and pi' together, implicit in the vertical. Buoyancy and advection of the
 * base theta are slow terms: N dt must stay below 1.7, which `check` prints.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/base.h"
#include "pipeline/state.h"

enum dynamics_field {
#define FIELD(id, ...) id,
#define PROFILE(id, ...) id,
#define FAMILY(id, ...)
#include "dynamics/fields.def"
    F_Q, /* tracer n is F_Q + F_FAMILY n, its start and its tendency follow it */
    F_FAMILY_START = 1,
    F_FAMILY_TENDENCY = 2,
    F_FAMILY = 3
};

enum side { SIDE_PERIODIC, SIDE_WALL, SIDE_OPEN, SIDE_SYMMETRIC };

enum mixing { MIXING_OFF, MIXING_SECOND, MIXING_FOURTH, MIXING_MONOTONE, MIXING_CONSTANT };

enum atmosphere { ATMOSPHERE_BASE, ATMOSPHERE_NEUTRAL, ATMOSPHERE_ISOTHERMAL, ATMOSPHERE_CONSTANT_N };

enum { INITIAL_TRACER = 3, INITIAL_U, INITIAL_V, INITIAL_W }; /* of &initial variable, behind theta, temperature and pi */

struct dynamics_params {
    struct base_params base;
#define PARAM SF_PARAM_MEMBER
#define PARAMS SF_PARAMS_MEMBER
#include "dynamics/params.def"
};

/* What stages need beside fields: plain numbers, the same on every rank and device. */
struct dynamics {
    int mixing;          /* enum mixing */
    int upwind;          /* 1: the wind, theta' and tracers are carried 3rd-order upwind */
    int nk, tracers;
    real rdx, rdy;       /* 1/m */
    real ax_self, bx_self, ax_cross, bx_cross, ax, bx; /* advection in x: near and wide weights, 1/m */
    real ay_self, by_self, ay_cross, by_cross, ay, by;
    real mix_x, mix_y;   /* mixing: index space or 1/dx2 times viscosity, 1/s */
    real cp, rcv;        /* J/kg/K; R/cv */
    real off, off1;      /* off-centring and 1 - off-centring */
    real damping;
    real f;              /* Coriolis parameter, 1/s */
    real open_speed, open_rate; /* m/s, 1/s */
    int open[4], ray_k;  /* open sides; lowest level with Rayleigh damping */
    double g, R, p00, cv_over_R, kappa, cv, cp_d, translation[2];
    double dv_xy;        /* m2 */
};

extern const struct model dynamics_model;

/* The model's memory behind an instance. */
struct dynamics_own {
    struct dynamics ctx;
    struct base_state base;
    struct dynamics_params params;
    const struct grid *grid;
    struct notes notes;
    int perturbations; /* entries of the list in &initial */
    struct profile profile[8];
    struct input input[1];
    double *values; /* memory of the profiles */
    char (*names)[32];
    double mass_start;
    int mass_known;
    double expected_speed;
};

/* advmix.c */
stage_function advmix_run, tracer_run;
/* acoustic.c */
stage_function uv_first_run, uv_start_run, uv_next_run, wpi_first_run, wpi_start_run, wpi_next_run;
size_t wpi_work_bytes(int columns, int nk);
/* slow.c */
stage_function coriolis_run, rayleigh_run, open_run, scalar_first_run, scalar_next_run;
/* profiles.c: fill the profiles that stages read; before initial_begin's own work and before a restart is read. */
void dynamics_profiles_fill(const struct instance *in, struct state *st);
/* initial.c */
void initial_check(const struct instance *in);
int initial_begin(const struct instance *in, struct state *st);
/* measure.c */
#if SF_CUDA
/* measure.cu */
void dynamics_courant_gpu(const struct instance *in, const struct slab *s, int ja, int jb, double dt, double *courant, void *stream);
#endif
int dynamics_measure(const struct instance *in, const struct state *st, double dt, double *values, double *courant);
extern const struct quantity dynamics_quantity[];
extern const int dynamics_quantities;
/* show.c: the diagnostics, known from the number of tracers alone; the base profiles. */
void show_name(struct instance *in, int tracers);
int show_make(struct dynamics_own *own, struct instance *in);
