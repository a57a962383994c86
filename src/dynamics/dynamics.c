/* The weather model as tables, and the program of a time step. SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"

#include "dynamics/advmix.h"
#include "dynamics/start.h"
#include "dynamics/statistics.h"
#include "dynamics/water.h"
#include "pipeline/error.h"
#include "pipeline/program.h"
#include "pipeline/tables.h"
#include "pipeline/uses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters ---- */

/* The keys of &base lead the block: their offsets are those within struct base_params. */
static const struct param param_table[] = {
#define SF_PARAM_STRUCT struct base_params
#define PARAM SF_PARAM_ROW
#define PARAMS SF_PARAMS_ROW
#include "dynamics/base.def"
#undef SF_PARAM_STRUCT
#define SF_PARAM_STRUCT struct dynamics_params
#define PARAM SF_PARAM_ROW
#define PARAMS SF_PARAMS_ROW
#define ENTRIES SF_ENTRIES_ROW
#include "dynamics/params.def"
};
_Static_assert(offsetof(struct dynamics_params, base) == 0, "the keys of &base lead the block");

/* ---- fields ---- */

static const struct field field_table[] = {
#define FIELD(id, its_name, meaning, its_unit, standard, where, what, its_shape, its_banks)                            \
    {.name = its_name,                                                                                                 \
     .long_name = meaning,                                                                                             \
     .unit = its_unit,                                                                                                 \
     .standard_name = standard,                                                                                        \
     .stagger = where,                                                                                                 \
     .role = what,                                                                                                     \
     .shape = its_shape,                                                                                               \
     .banks = its_banks},
#define PROFILE(id, its_name, meaning)                                                                                 \
    {.name = its_name,                                                                                                 \
     .long_name = meaning,                                                                                             \
     .unit = "",                                                                                                       \
     .standard_name = "",                                                                                              \
     .role = ROLE_STATIC,                                                                                              \
     .shape = SHAPE_LEVELS,                                                                                            \
     .banks = 1},
#define FAMILY(n, ...) FIELD(n, __VA_ARGS__)
#define MEMBER(...)
#include "dynamics/fields.def"
};

/* What the first members of the family are called: species of water, and behind them the energy of turbulence. */
static const struct member_name {
    const char *name, *long_name, *unit, *standard_name;
} species_table[(SPECIES + 1) * F_FAMILY] = {
#define FIELD(...)
#define PROFILE(...)
#define FAMILY(...)
#define MEMBER(id, ...) [id - F_Q] = {__VA_ARGS__},
#include "dynamics/fields.def"
};

static enum ghost ghost_of(int side, int normal)
{
    if (side == SIDE_PERIODIC) return GHOST_PERIODIC;
    if (side == SIDE_OPEN) return GHOST_OPEN;
    return normal ? GHOST_ODD : GHOST_EVEN; /* a free-slip wall is a plane of symmetry */
}

static void ghosts_set(struct field *f, const struct dynamics_params *c, int is_wind)
{
    const int x = (f->stagger & STAG_X) != 0, y = (f->stagger & STAG_Y) != 0, z = (f->stagger & STAG_Z) != 0;
    f->ghost[FACE_W] = ghost_of(c->boundary_west, x);
    f->ghost[FACE_E] = ghost_of(c->boundary_east, x);
    f->ghost[FACE_S] = ghost_of(c->boundary_south, y);
    f->ghost[FACE_N] = ghost_of(c->boundary_north, y);
    f->ghost[FACE_B] = f->ghost[FACE_T] = ghost_of(SIDE_WALL, z);
    /* What stages know of the ground itself is no wind, and no zero. */
    if (f->role == ROLE_STATIC && z) f->ghost[FACE_B] = GHOST_EVEN;
    for (int face = FACE_W; face <= FACE_N && f->role == ROLE_STATIC; face++)
        if (f->ghost[face] == GHOST_ODD) f->ghost[face] = GHOST_EVEN;
    /* A wind on a wall is zero whatever adds to it: nobody looks at a tendency there. */
    for (int face = 0; face < FACES && f->role == ROLE_SCRATCH && !is_wind; face++)
        if (f->ghost[face] == GHOST_ODD) f->ghost[face] = GHOST_NONE;
}

/* Fields first to last; those that a run does without are a box of no columns each, which takes no memory. */
static void fields_set(struct instance *in, int first, int last, enum role role, enum shape shape, int are_there)
{
    for (struct field *f = &in->field[first]; f <= &in->field[last]; f++)
        f->role = are_there ? role : ROLE_STATIC, f->shape = are_there ? shape : SHAPE_BOX;
}

static void maps_set(struct instance *in, int first, int last, int are_there)
{
    fields_set(in, first, last, ROLE_PROGNOSTIC, SHAPE_MAP, are_there);
}

static void scratch_set(struct instance *in, int f, int is_there)
{
    if (!is_there) in->field[f].role = ROLE_STATIC, in->field[f].shape = SHAPE_BOX;
}

/* What stages over terrain, on a map, and where a file leads read. */
static void over_begin(struct instance *in, const struct dynamics_own *own)
{
    const struct dynamics *const d = &own->ctx;
    const int water = d->species > 0, over = d->over, over_ground = over && surface_acts(&d->surface),
              is_led = own->params.driver_file[0] != '\0', is_map = map_is_asked(own);
    for (int f = F_FLOW_X; f <= F_ACROSS; f++) scratch_set(in, f, over);
    for (int f = F_TH0_OVER; f <= F_THIN_FACE; f++) scratch_set(in, f, over);
    scratch_set(in, F_DENSE, over && weighs_cells(d));
    scratch_set(in, F_SPARSE, over_ground || (over && weighs_cells(d)));
    for (int f = F_SIZE_OVER; f <= F_FLAT_OVER; f++) scratch_set(in, f, over && d->closure);
    for (int f = F_THA_OVER; f <= F_BUOYM_OVER; f++) scratch_set(in, f, over && water);
    fields_set(in, F_TERRAIN, F_LOWEST_OVER - 1, ROLE_STATIC, SHAPE_MAP, over);
    fields_set(in, F_LOWEST_OVER, F_GROUND_RHO_OVER, ROLE_STATIC, SHAPE_MAP, over_ground);
    for (int f = F_TERRAIN; f <= F_TERRAIN_SMALL && !own->terrain.asked; f++) in->field[f].long_name = "";
    fields_set(in, F_MAP_FACTOR, F_CORIOLIS - 1, ROLE_STATIC, SHAPE_MAP, over);
    fields_set(in, F_CORIOLIS, F_TILT_Y, ROLE_STATIC, SHAPE_MAP, over && is_map);
    if (!is_map) in->field[F_MAP_FACTOR].long_name = "";
    fields_set(in, F_DRIVER_U, F_DRIVER_QV - 1, ROLE_FED, SHAPE_FULL, is_led);
    fields_set(in, F_DRIVER_QV, F_DRIVER_QV, ROLE_FED, SHAPE_FULL, is_led && water);
    in->field[F_DRIVER_PI].is_fed_along = is_led; /* one column gives both */
    fields_set(in, F_TOWARD, F_TOWARD_V, ROLE_STATIC, SHAPE_MAP, is_led);
    maps_set(in, F_GROUND_W, F_GROUND_W, over);
}

/* Those without tracers: named already where the air cannot be made, so that output%fields is judged all the same. */
static void fields_begin(struct instance *in, struct dynamics_own *own)
{
    const int water = own->ctx.species, has_ground = surface_acts(&own->ctx.surface);
    for (int f = 0; f < F_Q; f++) in->field[f] = field_table[f];
    scratch_set(in, F_THR, water);
    scratch_set(in, F_KM, own->ctx.closure), scratch_set(in, F_KH, own->ctx.closure);
    over_begin(in, own);
    own->counts_sides = own->params.dynamics_side_budget;
    maps_set(in, F_TRANSFER, F_SKIN, has_ground);
    maps_set(in, F_GROUND_ENERGY, F_GROUND_ENERGY_LOST, surface_gives(&own->ctx.surface));
    maps_set(in, F_GROUND_WATER, F_GROUND_WATER_LOST, water && surface_gives(&own->ctx.surface));
    fields_set(in, F_GROUND_WARMER, F_WETNESS, ROLE_STATIC, SHAPE_MAP, has_ground);
    /* What counts for nothing is not shown. */
    if (!water) in->field[F_QV2M].long_name = "";
    if (own->ctx.surface.heat != HEAT_TEMPERATURE) in->field[F_SKIN].long_name = in->field[F_WETNESS].long_name = "";
    if (own->ctx.surface.drag != DRAG_ROUGHNESS) in->field[F_ROUGHNESS].long_name = "";
    maps_set(in, F_RAIN, F_RAIN_RATE, water && own->ctx.phase & PHASE_RAINS);
    maps_set(in, F_MASS_OUT, F_ENERGY_OUT_LOST, own->counts_sides);
    maps_set(in, F_WATER_OUT, F_WATER_OUT_LOST, water && own->counts_sides);
    in->nfields = F_Q;
}

/* Tracers are q1, q2, ...: their fields behind all others. Water comes before them, and then the energy of turbulence.
 */
static void fields_make(struct instance *in, struct dynamics_own *own)
{
    const int water = own->ctx.species, named = own->ctx.named;
    in->nfields = F_Q + F_FAMILY * own->ctx.tracers;
    for (int n = 0; n < own->ctx.tracers; n++)
        for (int m = 0; m < F_FAMILY; m++) {
            struct field *f = &in->field[F_Q + F_FAMILY * n + m];
            char *name = own->names[F_FAMILY * n + m];
            *f = field_table[F_Q + m];
            if (n < named) {
                const struct member_name *const of = &species_table[F_FAMILY * (n < water ? n : SPECIES) + m];
                f->name = of->name, f->long_name = of->long_name, f->unit = of->unit,
                f->standard_name = of->standard_name;
                continue;
            }
            const char *behind = f->name + 1; /* q, q_near: the number follows the q */
            snprintf(name, sizeof own->names[0], "q%d%s", n - named + 1, behind);
            f->name = name;
        }
    for (int f = 0; f < in->nfields; f++) ghosts_set(&in->field[f], &own->params, f >= F_FLOW_X && f <= F_ACROSS);
}

/* ---- stages ---- */

enum stage_id {
#define MADE(id, ...) id,
#define SWEEP(id, ...) id,
#define SHAPED(...)
#define READ(...)
#define UPDATE(...)
#define WRITE(...)
#define READ_OTHER(...)
#define READ_BESIDE(...)
#define REWRITE(...)
#define LEVELS(...)
#define Q_READ(...)
#define Q_READ_OTHER(...)
#define Q_WRITE(...)
#define Q_UPDATE(...)
#include "dynamics/stages.def"
    STAGES
};

static const struct stage stage_table[] = {
#define MADE(id, its_name, function, kernels, its_unit, its_extend, its_sides, its_flops, ...)                         \
    {.name = its_name,                                                                                                 \
     SF_STAGE_BY(function, kernels),                                                                                   \
     its_unit,                                                                                                         \
     .extend = its_extend,                                                                                             \
     .sides = its_sides,                                                                                               \
     .access = {__VA_ARGS__},                                                                                          \
     .flops = its_flops},
#define SWEEP(id, ...) SF_STAGE_SWEEP(__VA_ARGS__)
#define SHAPED(...)
#define MADE_POINT .unit = UNIT_POINT
#define MADE_WORK(function) MADE_POINT, .work_bytes = function
#define MADE_LOOPS(name) .unit = UNIT_COLUMN, .work_bytes = name##_work_bytes
#if SF_CUDA
#define MADE_COLUMN(name) MADE_LOOPS(name), .device_bytes = name##_device_bytes
#else
#define MADE_COLUMN(name) MADE_LOOPS(name)
#endif
#define READ(its_field, is_rare, im, ip, km, kp, jm, jp)                                                               \
    {.field = its_field, .mode = ACCESS_READ, .reach = {im, ip, km, kp, jm, jp}, .rare = is_rare},
#define UPDATE(its_field, is_rare) {.field = its_field, .mode = ACCESS_UPDATE, .rare = is_rare},
#define WRITE(its_field, is_rare) {.field = its_field, .mode = ACCESS_WRITE, .rare = is_rare},
#define READ_OTHER(its_field, is_rare, im, ip, km, kp, jm, jp)                                                         \
    {.field = its_field, .mode = ACCESS_READ_OTHER, .reach = {im, ip, km, kp, jm, jp}, .rare = is_rare},
#define READ_BESIDE(its_field, is_rare, im, ip, km, kp, jm, jp)                                                        \
    {.field = its_field, .mode = ACCESS_READ_BESIDE, .reach = {im, ip, km, kp, jm, jp}, .rare = is_rare},
#define REWRITE(its_field, is_rare) {.field = its_field, .mode = ACCESS_REWRITE, .rare = is_rare},
#define LEVELS(its_field) {.field = its_field, .mode = ACCESS_READ},
#define Q_READ_AS(how, n, is_rare, im, ip, km, kp, jm, jp)                                                             \
    {.field = F_Q + (n), .mode = how, .reach = {im, ip, km, kp, jm, jp}, .rare = is_rare, .family = F_FAMILY, .nth = n},
#define Q_READ(...) Q_READ_AS(ACCESS_READ, __VA_ARGS__)
#define Q_READ_OTHER(...) Q_READ_AS(ACCESS_READ_OTHER, __VA_ARGS__)
#define Q_WRITE(n, is_rare) {.field = F_Q + (n), .mode = ACCESS_WRITE, .rare = is_rare, .family = F_FAMILY, .nth = n},
#define Q_UPDATE(n, is_rare) {.field = F_Q + (n), .mode = ACCESS_UPDATE, .rare = is_rare, .family = F_FAMILY, .nth = n},
#include "dynamics/stages.def"
};

/* ---- the program ---- */

static int op_add(struct instance *in, int stage, double dt_factor, int members)
{
    return program_add(&in->op, &in->nops,
                       (struct op){.stage = stage, .dt_factor = dt_factor, .every = 1, .members = members});
}

/* A stage that computes the levels from one on. */
static int op_add_from(struct instance *in, const struct dynamics *d, int stage, double dt_factor, int level)
{
    return program_add(
        &in->op, &in->nops,
        (struct op){.stage = stage, .dt_factor = dt_factor, .every = 1, .share = (d->nk - level) / (double)d->nk});
}

/* On a GPU one kernel makes the slow tendencies and what water adds to them, which reads what they have at hand. */
static int is_in_one(const struct instance *in, const struct dynamics *d)
{
    return d->species && !d->wide && in->device_room > 0;
}

/* The slow tendencies; of moist air with what water adds to pressure, and theta_rho. */
static int tendencies_add(struct instance *in, const struct dynamics *d, int rk, double span)
{
    static const int both[3] = {S_ADVMIX_MOIST_FIRST, S_ADVMIX_MOIST_SECOND, S_ADVMIX_MOIST_THIRD},
                     water[3] = {S_MOIST_FIRST, S_MOIST_SECOND, S_MOIST_THIRD};
    static const int over_water[3] = {S_MOIST_OVER_FIRST, S_MOIST_OVER_SECOND, S_MOIST_OVER_THIRD};
    if (d->over) {
        SF_TRY(op_add(in, S_OVER_WIND, span, 0));
        SF_TRY(op_add(in, S_ADVMIX_OVER, span, 0));
        return d->species ? op_add(in, over_water[rk], span, 0) : SF_OK;
    }
    if (is_in_one(in, d)) return op_add(in, both[rk], span, 0);
    SF_TRY(op_add(in, d->wide ? S_ADVMIX_WIDE : S_ADVMIX, span, 0));
    return d->species ? op_add(in, water[rk], span, 0) : SF_OK;
}

/* Behind the Runge-Kutta stages: eddies; then all that they mix. */
static int turbulence_add(struct instance *in, const struct dynamics *d)
{
    enum { STABILITY, SMAGORINSKY, TKE, STIR, SINK, STRESS, SINK_WIND, STIR_HEAT, SINK_HEAT, STAGES };
    static const int stages[4][STAGES] = {
        {-1, S_SMAGORINSKY, S_TKE, S_STIR, S_SINK, S_STRESS, S_SINK_WIND, S_STIR_HEAT, S_SINK_HEAT},
        {S_STABILITY_MOIST, S_SMAGORINSKY_MOIST, S_TKE_MOIST, S_STIR, S_SINK, S_STRESS, S_SINK_WIND, S_STIR_HEAT_MOIST,
         S_SINK_HEAT},
        {-1, S_SMAGORINSKY_OVER, S_TKE_OVER, S_STIR_OVER, S_SINK_OVER, S_STRESS_OVER, S_SINK_WIND_OVER,
         S_STIR_HEAT_OVER, S_SINK_HEAT_OVER},
        {S_STABILITY_MOIST_OVER, S_SMAGORINSKY_MOIST_OVER, S_TKE_MOIST_OVER, S_STIR_OVER, S_SINK_OVER, S_STRESS_OVER,
         S_SINK_WIND_OVER, S_STIR_HEAT_MOIST_OVER, S_SINK_HEAT_MOIST_OVER}};
    const int is_moist = d->species > 0, implicit = !(d->upright > R(0.0));
    const int *const of = stages[2 * d->over + is_moist];
    if (d->closure == CLOSURE_NONE) return SF_OK;
    if (is_moist) SF_TRY(op_add(in, of[STABILITY], 1, 0));
    SF_TRY(op_add(in, of[d->closure == CLOSURE_TKE ? TKE : SMAGORINSKY], 1, 0));
    if (d->tracers) SF_TRY(op_add(in, of[STIR], 1, d->tracers));
    if (d->tracers && implicit) SF_TRY(op_add(in, of[SINK], 1, d->tracers));
    SF_TRY(op_add(in, of[STRESS], 1, 0));
    if (implicit) SF_TRY(op_add(in, of[SINK_WIND], 1, 0));
    SF_TRY(op_add(in, of[STIR_HEAT], 1, 0));
    return implicit ? op_add(in, of[SINK_HEAT], 1, 0) : SF_OK;
}

/* Fluxes, then the wind that the ground takes, and what it gives. */
static int ground_add(struct instance *in, const struct dynamics *d)
{
    static const int fluxes[2][2] = {{S_SURFACE, S_SURFACE_WET}, {S_SURFACE_OVER, S_SURFACE_WET_OVER}},
                     gives[2][2] = {{S_GROUND_WARMS, S_GROUND_WETS}, {S_GROUND_WARMS_OVER, S_GROUND_WETS_OVER}};
    const int wet = d->species > 0;
    if (!surface_acts(&d->surface)) return SF_OK;
    SF_TRY(op_add(in, fluxes[d->over][wet], 1, 0));
    if (d->surface.drag != DRAG_NONE) SF_TRY(op_add(in, d->over ? S_GROUND_OVER : S_GROUND, 1, 0));
    return surface_gives(&d->surface) ? op_add(in, gives[d->over][wet], 1, 0) : SF_OK;
}

/* What a larger scale adds to winds, heat and water, behind the Runge-Kutta stages. */
static int forcing_add(struct instance *in, const struct dynamics_own *own)
{
    const struct forcing *const f = &own->forcing;
    const int heat = own->ctx.species ? S_FORCE_MOIST : S_FORCE_HEAT;
    struct op op = {.dt_factor = 1, .every = 1, .every_s = own->params.forcing_interval};
    op.stage = S_FORCE_WIND;
    if (f->has_wind) SF_TRY(program_add(&in->op, &in->nops, op));
    op.stage = heat;
    return f->has_heat ? program_add(&in->op, &in->nops, op) : SF_OK;
}

/* The first stage of the list is for the first small step of a time step, the next for that of a Runge-Kutta stage, the
 * last for all others. */
static int small_steps_add(struct instance *in, const struct dynamics *d, int rk, int steps, double part)
{
    static const int uv[4][3] = {{S_UV_FIRST, S_UV_START, S_UV_NEXT},
                                 {S_UV_MOIST_FIRST, S_UV_MOIST_START, S_UV_MOIST_NEXT},
                                 {S_UV_OVER_FIRST, S_UV_OVER_START, S_UV_OVER},
                                 {S_UV_MOIST_OVER_FIRST, S_UV_MOIST_OVER_START, S_UV_MOIST_OVER}},
                     wpi[4][3] = {{S_WPI_FIRST, S_WPI_START, S_WPI_NEXT},
                                  {S_WPI_MOIST_FIRST, S_WPI_MOIST_START, S_WPI_MOIST_NEXT},
                                  {S_WPI_OVER_FIRST, S_WPI_OVER_START, S_WPI_OVER},
                                  {S_WPI_MOIST_OVER_FIRST, S_WPI_MOIST_OVER_START, S_WPI_MOIST_OVER}};
    const int of = 2 * d->over + (d->species > 0);
    if (d->over && rk) SF_TRY(op_add(in, S_OVER_START, 1, 0));
    for (int n = 0; n < steps; n++) {
        const int nth = n ? 2 : rk ? 1 : 0;
        SF_TRY(op_add(in, uv[of][nth], part, 0));
        SF_TRY(op_add(in, wpi[of][nth], part, 0));
    }
    return SF_OK;
}

static int program_make(struct instance *in, const struct dynamics_own *own)
{
    const struct dynamics *const d = &own->ctx;
    const double span[3] = {1.0 / 3.0, 1.0 / 2.0, 1.0};
    const int small_steps = own->params.dynamics_small_steps;
    const int steps[3] = {dynamics_first_steps(&own->params), small_steps / 2, small_steps};
    static const int all_tracers[2][4] = {
        {S_TRACERS_FIRST, S_TRACERS_SECOND, S_TRACERS_SHARE, S_TRACERS_LAST},
        {S_TRACERS_OVER_FIRST, S_TRACERS_OVER_SECOND, S_TRACERS_OVER_SHARE, S_TRACERS_OVER_LAST}};
    const int *const of_tracers = all_tracers[d->over];
    const int *const tracers[4] = {of_tracers, of_tracers + 1, of_tracers + 2, of_tracers + 4};
    static const int all_theta[3][2] = {{S_THETA_FIRST, S_THETA_NEXT},
                                        {S_THETA_MOIST_FIRST, S_THETA_MOIST},
                                        {S_THETA_MOIST_OVER_FIRST, S_THETA_MOIST_OVER}};
    const int *const theta = all_theta[d->species ? 1 + d->over : 0];
    const int any_open = d->open[FACE_W] || d->open[FACE_E] || d->open[FACE_S] || d->open[FACE_N];
    if (own->driver.file) {
        if (own->counts_sides) SF_TRY(op_add(in, d->species ? S_DRIVEN_WET : S_DRIVEN, 1, 0));
        SF_TRY(op_add(in, d->over ? S_DRIVE_W_OVER : S_DRIVE_W, 1, 0));
        SF_TRY(op_add(in, S_DRIVE, 1, 0));
        SF_TRY(op_add(in, S_DRIVE_WIND, 1, 0));
        if (d->species) SF_TRY(op_add(in, S_DRIVE_WATER, 1, 0));
    }
    if (own->holds_mass)
        SF_TRY(program_add(&in->op, &in->nops, (struct op){.stage = S_HOLD, .every = in->survey_every}));
    if (own->holds_water) SF_TRY(program_add(&in->op, &in->nops, (struct op){.stage = S_HOLD_WATER, .every = 1}));
    for (int rk = 0; rk < 3; rk++) {
        const double part = span[rk] / steps[rk];
        if (own->counts_sides && rk == 2) SF_TRY(op_add(in, d->species ? S_OUTFLOW_WET : S_OUTFLOW, 1, 0));
        SF_TRY(tendencies_add(in, d, rk, span[rk]));
        for (const int *stage = tracers[rk]; d->tracers && stage < tracers[rk + 1]; stage++)
            SF_TRY(op_add(in, *stage, span[rk], d->tracers));
        if (own->map.projection.kind) SF_TRY(op_add(in, S_CORIOLIS_MAP, span[rk], 0));
        else if (d->f > R(0.0) || d->f < R(0.0))
            SF_TRY(op_add(in,
                          own->forcing.has_geostrophic ? S_GEOSTROPHIC
                          : d->over                    ? S_CORIOLIS_OVER
                                                       : S_CORIOLIS,
                          span[rk], 0));
        if (d->ray_k < d->nk)
            SF_TRY(op_add_from(in, d,
                               d->led    ? S_RAYLEIGH_DRIVER
                               : d->over ? S_RAYLEIGH_OVER
                                         : S_RAYLEIGH,
                               span[rk], d->ray_k));
        if (any_open) SF_TRY(op_add(in, d->over ? S_OPEN_OVER : S_OPEN, span[rk], 0));
        if (any_open) SF_TRY(op_add(in, d->over ? S_OPEN_WIND_OVER : S_OPEN_WIND, span[rk], 0));
        if (d->species && d->lift_k < d->nk)
            SF_TRY(op_add_from(in, d, d->over ? S_MOIST_BUOYANCY_OVER : S_MOIST_BUOYANCY, span[rk], d->lift_k));
        SF_TRY(small_steps_add(in, d, rk, steps[rk], part));
        SF_TRY(op_add(in, theta[rk > 0], span[rk], 0));
    }
    SF_TRY(forcing_add(in, own));
    SF_TRY(turbulence_add(in, d));
    SF_TRY(ground_add(in, d));
    if (d->species && d->phase & PHASE_RAINS) SF_TRY(op_add(in, d->over ? S_FALL_OVER : S_FALL, 1, 0));
    if (d->species) SF_TRY(op_add(in, d->over ? S_WATER_OVER : S_WATER, 1, 0));
    return SF_OK;
}

/* ---- numbers ---- */

/* Weights of the values 1, 2 and 3 cells upstream in the difference of a scheme, for wind that enters; and for wind
 * that leaves, of the same values, which are downstream then: see open.h. */
static void open_weights_make(struct dynamics *d)
{
    static const double centred[2][3] = {{-8.0 / 12, 1.0 / 12, 0}, {-45.0 / 60, 9.0 / 60, -1.0 / 60}};
    static const double enters[2][3] = {{-6.0 / 6, 1.0 / 6, 0}, {-60.0 / 60, 15.0 / 60, -2.0 / 60}};
    static const double leaves[2][3] = {{-2.0 / 6, 0, 0}, {-30.0 / 60, 3.0 / 60, 0}};
    const double *const in = d->upwind ? enters[d->wide] : centred[d->wide], *const out = d->upwind ? leaves[d->wide]
                                                                                                    : centred[d->wide];
    for (int m = 0; m < OPEN_CELLS; m++) {
        double sum = 0, moment = 0;
        for (int g = 1; m + g <= 3; g++) sum += in[m + g - 1], moment += g * out[m + g - 1];
        d->open_in[m] = (real)sum, d->open_out[m] = (real)-moment;
    }
}

static void numbers_make(struct dynamics *d, const struct dynamics_params *p, const struct config *c,
                         const struct grid *g)
{
    *d = (struct dynamics){
        .mixing = p->dynamics_mixing,
        .upwind = p->dynamics_advection == ADVECTION_UPWIND3 || p->dynamics_advection == ADVECTION_UPWIND5,
        .wide = p->dynamics_advection == ADVECTION_UPWIND5 || p->dynamics_advection == ADVECTION_CENTRED6,
        .nk = g->nz,
        .species = p->water_scheme == SCHEME_NONE ? 0 : SPECIES,
        .closure = p->turbulence_closure,
        .g = p->dynamics_gravity,
        .R = p->dynamics_gas_constant,
        .p00 = p->dynamics_reference_pressure,
        .cp_d = p->dynamics_heat_capacity,
        .cv = p->dynamics_heat_capacity - p->dynamics_gas_constant,
        .dv_xy = g->dx * g->dy,
        .translation = {c->grid_translation_u, c->grid_translation_v}};
    d->named = d->species + (d->closure == CLOSURE_TKE), d->tracers = d->named + p->dynamics_tracers;
    d->gravity = (real)d->g, d->smagorinsky = (real)p->turbulence_smagorinsky_constant;
    d->upright = p->turbulence_vertical == VERTICAL_IMPLICIT ? R(0.0) : R(1.0);
    d->kappa = d->R / d->cp_d;
    d->cv_over_R = d->cv / d->R;
    d->rdx = (real)(1 / g->dx), d->rdy = (real)(1 / g->dy);
    d->ax_self = (real)(1 / (3 * g->dx)), d->bx_self = (real)(1 / (24 * g->dx));
    d->ax_cross = d->ax_self, d->bx_cross = (real)(1 / (48 * g->dx));
    d->ax = (real)(2 / (3 * g->dx)), d->bx = d->bx_self;
    d->ay_self = (real)(1 / (3 * g->dy)), d->by_self = (real)(1 / (24 * g->dy));
    d->ay_cross = d->ay_self, d->by_cross = (real)(1 / (48 * g->dy));
    d->ay = (real)(2 / (3 * g->dy)), d->by = d->by_self;
    static const int mixed[] = {[MIXING_OFF] = MIX_NONE,
                                [MIXING_SECOND] = MIX_SECOND,
                                [MIXING_FOURTH] = MIX_FOURTH,
                                [MIXING_MONOTONE] = MIX_MONOTONE,
                                [MIXING_CONSTANT] = MIX_SECOND};
    d->kind = mixed[d->mixing] + (d->upwind ? ADVECT_UPWIND : 0);
    d->kind_over = d->kind;
    d->tracer_mixing = mixed[d->mixing];
    const int constant = d->mixing == MIXING_CONSTANT;
    d->mix_x = (real)(constant ? p->dynamics_viscosity / (g->dx * g->dx) : p->dynamics_mixing_rate);
    d->mix_y = (real)(constant ? p->dynamics_viscosity / (g->dy * g->dy) : p->dynamics_mixing_rate);
    d->cp = (real)d->cp_d, d->rcv = (real)(d->R / d->cv);
    d->off = (real)p->dynamics_off_centring, d->off1 = (real)(1 - p->dynamics_off_centring);
    d->damping = (real)p->dynamics_divergence_damping;
    d->f = (real)p->dynamics_coriolis_f;
    d->open_speed = (real)p->dynamics_open_phase_speed;
    d->open_leaving_speed = (real)dynamics_leaving_speed(p);
    d->open_rate = (real)(1 / p->dynamics_open_relax_time);
    d->open_inflow_rate = (real)(1 / p->dynamics_open_inflow_time), d->tracer_inflow = (real)p->boundary_tracer_inflow;
    open_weights_make(d);
    water_make(d, p);
    surface_make(d, p, g);
    const int side[] = {[FACE_W] = p->boundary_west,
                        [FACE_E] = p->boundary_east,
                        [FACE_S] = p->boundary_south,
                        [FACE_N] = p->boundary_north};
    for (int face = FACE_W; face <= FACE_N; face++) {
        d->open[face] = ghost_of(side[face], 1) == GHOST_OPEN;
        d->wall[face] = ghost_of(side[face], 1) == GHOST_ODD;
    }
    d->ray_k = g->nz;
    for (int k = g->nz - 1; k >= 0 && p->dynamics_rayleigh_depth > 0; k--)
        if (g->z_c[k] > g->top - p->dynamics_rayleigh_depth) d->ray_k = k;
}

/* ---- binding ---- */

/* 0: there are no constants to make an atmosphere with. */
static int params_check(const struct dynamics_params *p, const struct grid *g, struct complaints *to)
{
    if ((p->boundary_west == SIDE_PERIODIC) != (p->boundary_east == SIDE_PERIODIC))
        sf_complain(to, "boundary%west boundary%east", -1, "west and east must both be 'periodic', or neither");
    if ((p->boundary_south == SIDE_PERIODIC) != (p->boundary_north == SIDE_PERIODIC))
        sf_complain(to, "boundary%south boundary%north", -1, "south and north must both be 'periodic', or neither");
    if (g->x_f) sf_complain(to, "grid%size_x", -1, "the weather model takes cells of one size along x: give dx");
    if (g->y_f) sf_complain(to, "grid%size_y", -1, "the weather model takes cells of one size along y: give dy");
    if (g->z_f[0] < 0 || g->z_f[0] > 0)
        sf_complain(to, "grid%origin_z", -1, "the weather model has the ground at origin_z = 0");
    if (p->dynamics_small_steps % 2)
        sf_complain(to, "dynamics%small_steps", -1,
                    "small_steps must be even, not %d: the second Runge-Kutta stage takes half "
                    "of them",
                    p->dynamics_small_steps);
    if (3 * p->dynamics_first_small_steps > p->dynamics_small_steps + 2)
        sf_complain_mildly(
            to, "dynamics%first_small_steps dynamics%small_steps", -1,
            "%d small steps in the first Runge-Kutta stage are shorter than the %d of the last, and bring nothing: %d "
            "are as short",
            p->dynamics_first_small_steps, p->dynamics_small_steps, (p->dynamics_small_steps + 2) / 3);
    if (p->dynamics_mixing == MIXING_CONSTANT && !(p->dynamics_viscosity > 0))
        sf_complain(to, "dynamics%viscosity dynamics%mixing", -1, "mixing = 'constant' needs a viscosity above 0 m2/s");
    base_check(&p->base, to);
    if (p->dynamics_heat_capacity > p->dynamics_gas_constant) return 1;
    sf_complain(to, "dynamics%heat_capacity dynamics%gas_constant", -1, "heat_capacity must exceed gas_constant");
    return 0;
}

/* The table of the wind: as many values as heights. */
static void table_check(const struct dynamics_params *p, int (*values)(const void *, const char *, const char *),
                        const void *names, struct complaints *to)
{
    static const char *const key[2] = {"table_u", "table_v"};
    const int heights = values(names, "base", "table_z");
    if (p->base.base_wind != WIND_TABLE) return;
    for (int n = 0; n < heights; n++)
        if (p->base.base_table_z[n] < 0)
            sf_complain(to, "base%table_z", n, "heights of the table are above the ground: %g m is not",
                        p->base.base_table_z[n]);
    for (int m = 0; m < 2; m++) {
        const int given = values(names, "base", key[m]);
        if (given && given != heights)
            sf_complain(to, m ? "base%table_v base%table_z" : "base%table_u base%table_z", -1,
                        "%d of table_z, but %d of %s: give as many", heights, given, key[m]);
    }
}

/* The list of &initial: as many entries of every key as there are shapes, or none. */
static int list_check(const struct dynamics_params *p, int (*values)(const void *, const char *, const char *),
                      const void *names, struct complaints *to)
{
    const int n = values(names, "initial", "shape"), most = (int)(sizeof p->initial_shape / sizeof p->initial_shape[0]);
    for (size_t k = 0; k < sizeof param_table / sizeof param_table[0]; k++) {
        const struct param *key = &param_table[k];
        if (strcmp(key->group, "initial") || key->count != most || !strcmp(key->key, "shape")) continue;
        const int given = values(names, "initial", key->key);
        if (!given || given == n) continue;
        char both[64];
        snprintf(both, sizeof both, "initial%%%s initial%%shape", key->key);
        sf_complain(to, both, given > n ? n : -1,
                    "%d of shape, but %d of %s: give every key of the list as many entries, or "
                    "leave it out",
                    n, given, key->key);
    }
    for (int i = 0; i < n; i++) {
        if (p->initial_variable[i] != INITIAL_TRACER || p->initial_tracer[i] <= p->dynamics_tracers) continue;
        sf_complain(to,
                    p->dynamics_tracers ? "initial%tracer initial%variable dynamics%tracers"
                                        : "initial%variable initial%tracer dynamics%tracers",
                    i,
                    "perturbation %d is of tracer q%d, but there %s %d: set "
                    "&dynamics tracers = %d or more",
                    i + 1, p->initial_tracer[i], p->dynamics_tracers == 1 ? "is" : "are", p->dynamics_tracers,
                    p->initial_tracer[i]);
    }
    return n;
}

/* What the base state is made from, in the order of the likely culprits. */
static const char *base_keys(const struct base_params *p, int rc)
{
    if (rc == SF_INPUT) return "base%sounding base%profile base%wind";
    if (!p->base_sounding[0] && (p->base_profile == BASE_SOUNDING || p->base_wind == WIND_SOUNDING))
        return p->base_profile == BASE_SOUNDING ? "base%sounding base%profile" : "base%sounding base%wind";
    if (p->base_afternoon_temperature > 0)
        return "base%afternoon_temperature base%afternoon_dewpoint base%sounding grid%nz grid%dz";
    return "base%profile grid%nz grid%dz grid%stretch_ratio grid%stretch_from grid%dz_max base%surface_theta base%temperature "
           "base%brunt_vaisala base%surface_pressure base%sounding dynamics%gravity";
}

/* What `check` and the files tell of a parcel of the base state. */
static void parcel_bind(struct instance *in, struct dynamics_own *own, const struct base_constants *c)
{
    const struct base_state *const b = &own->base;
    const struct parcel_air air = {b->nk, b->z, b->pi0, b->theta, b->qv, b->u0, b->v0, b->surface_pressure};
    struct parcel_figures *const f = &own->parcel;
    parcel_figures_make(f, &air, c);
    const struct fact fact[] = {
        {"parcel_cape", "what a parcel of the lowest level of the base state could gain, J kg-1", f->cape},
        {"parcel_cin", "what holds it down, J kg-1", f->cin},
        {"parcel_lcl", "height where it condenses, m", f->lcl},
        {"parcel_lfc", "height from which it rises by itself, m", f->lfc},
        {"parcel_el", "height to which it does, m", f->el}};
    in->fact = own->fact;
    for (size_t n = 0; n < sizeof fact / sizeof fact[0]; n++)
        if (n < 2 || fact[n].value >= 0) own->fact[in->nfacts++] = fact[n]; /* a height that there is */
}

static int base_bind(struct instance *in, struct dynamics_own *own, const char *dir)
{
    const struct base_params *p = &own->params.base;
    const struct grid *g = in->grid;
    const struct base_constants constants = {.g = own->ctx.g,
                                             .cp = own->ctx.cp_d,
                                             .R = own->ctx.R,
                                             .p00 = own->ctx.p00,
                                             .vapour = own->ctx.species ? &own->ctx.vapour : NULL};
    const int rc = base_make(&own->base, p, &constants, dir, g->nz, g->z_c, g->z_f, &own->notes);
    if (!rc && own->ctx.species && own->ctx.g > 0) parcel_bind(in, own, &constants); /* else no parcel rises */
    if (rc != SF_NAMELIST && rc != SF_INPUT) return rc;
    sf_complain_failure(in->complaints, base_keys(p, rc), -1, rc);
    return SF_NAMELIST;
}

static int start_bind(struct instance *in, struct dynamics_own *own, const char *dir)
{
    const int rc = start_file_make(in, own, dir);
    if (rc != SF_INPUT) return rc;
    sf_complain_failure(in->complaints, "initial%file", -1, rc);
    return SF_NAMELIST;
}

static void dynamics_unbind(struct instance *in)
{
    struct dynamics_own *own = in->own;
    if (!own) return;
    base_free(&own->base);
    start_file_free(&own->start);
    driver_free(&own->driver);
    statistics_free(&own->statistics);
    forcing_free(&own->forcing);
    ground_free(&own->ground);
    terrain_free(&own->terrain);
    jet_free(&own->jet);
    table_free(own->level);
    free(own->values);
    free(own->diagnostic);
    free(own->names);
    free(own);
    free(in->op);
    in->own = NULL;
    in->op = NULL;
}

/* Does the wind of the start blow against a wall? Sound rings between walls that stop it. */
static int wind_meets_wall(const struct dynamics_own *own)
{
    const struct dynamics *const d = &own->ctx;
    const int wall_x = d->wall[FACE_W] || d->wall[FACE_E], wall_y = d->wall[FACE_S] || d->wall[FACE_N];
    int meets = 0;
    for (int k = 0; k < d->nk; k++) {
        const double u = own->base.u0[k] - d->translation[0] + own->params.initial_wind_u,
                     v = own->base.v0[k] - d->translation[1] + own->params.initial_wind_v;
        meets |= (wall_x && u != 0) || (wall_y && v != 0);
    }
    return meets;
}

/* Water swings with sound, as fast as that: what is given 10 steps later makes it worse. */
static int steps_between_looks(const struct dynamics_own *own)
{
    if (own->params.dynamics_hold_steps > 0) return own->params.dynamics_hold_steps;
    return !own->holds_water ? 20 : wind_meets_wall(own) ? 1 : 10;
}

static int bind_all(struct instance *in, struct dynamics_own *own,
                    int (*values)(const void *, const char *, const char *), const void *names, const char *dir)
{
    const struct dynamics_params *p = &own->params;
    turbulence_pick(own, in->grid);
    show_name(in, p);
    const int is_sound = params_check(p, in->grid, in->complaints);
    own->perturbations = list_check(p, values, names, in->complaints);
    dynamics_uses_check(p, values, names, in->complaints);
    water_check(own, in->complaints);
    turbulence_check(own, in->complaints);
    surface_check(own, in->grid, in->complaints);
    table_check(p, values, names, in->complaints);
    forcing_check(own, values, names, in->complaints);
    show_check(in, values, names);
    const int over = terrain_is_asked(own, values, names) | map_is_asked(own);
    initial_check(in);
    if (!is_sound) return SF_NAMELIST;
    dynamics_rates_pick(own, in->grid);
    numbers_make(&own->ctx, p, in->config, in->grid);
    own->ctx.over = over;
    /* A filter along slopes would mix what differs by height; the transport of tracers needs none. */
    if (over) own->ctx.tracer_mixing = MIX_NONE;
    fields_begin(in, own);
    SF_TRY(base_bind(in, own, dir));
    SF_TRY(map_make(in, own, values, names));
    SF_TRY(terrain_make(in, own, values, names, dir));
    surface_settle(&own->ctx, &own->base);
    SF_TRY(ground_make(in, own, values, names, dir));
    doubts_check(own, in->complaints);
    SF_TRY(forcing_make(in, own, dir));
    maps_set(in, F_FORCED_ENERGY, F_FORCED_ENERGY_LOST, own->forcing.has_heat);
    maps_set(in, F_FORCED_WATER, F_FORCED_WATER_LOST, own->forcing.has_heat && own->ctx.species);
    SF_TRY(start_bind(in, own, dir));
    SF_TRY(jet_make(in, own));
    SF_TRY(driver_make(in, own, dir));
    doubts_sides(in);
    in->levels = own->driver.times;
    if (!in->complaints || !in->complaints->errors) notes_print(&own->notes);
    own->names = calloc(F_FAMILY * (size_t)SF_MAX(own->ctx.tracers, 1), sizeof *own->names);
    SF_CHECK(own->names, SF_MEMORY, "no memory for the names of tracers");
    const int any_open =
        own->ctx.open[FACE_W] || own->ctx.open[FACE_E] || own->ctx.open[FACE_S] || own->ctx.open[FACE_N];
    if (p->dynamics_side_budget && !any_open)
        sf_complain(in->complaints, "dynamics%side_budget boundary%west", -1,
                    "side_budget counts what leaves through open sides, and none is open");
    own->holds_mass = p->dynamics_hold_mass == HOLD_ON ||
                      (p->dynamics_hold_mass == HOLD_AUTO && (any_open || own->ctx.over) && !own->driver.file);
    own->holds_water =
        own->ctx.species && !any_open &&
        (p->dynamics_hold_water == HOLD_ON || (p->dynamics_hold_water == HOLD_AUTO && !own->forcing.has_water));
    in->survey_every = own->holds_mass || own->holds_water ? steps_between_looks(own) : 0;
    if (!in->survey_every && values(names, "dynamics", "hold_steps") &&
        param_is_set(&dynamics_model, p, "dynamics%hold_steps", 0))
        sf_complain_mildly(in->complaints, "dynamics%hold_steps dynamics%hold_mass", -1,
                           "hold_steps changes nothing here: neither mass nor water is held; leave it out");
    in->carried = own->water_hold;
    in->ncarried = own->holds_water ? (int)(sizeof own->water_hold / sizeof *own->water_hold) : 0;
    in->quantity_told = dynamics_told;
    fields_make(in, own);
    own->ctx.lift_k = is_in_one(in, &own->ctx) && !any_open && !own->ctx.over ? own->ctx.ray_k : 0;
    SF_TRY(program_make(in, own));
    SF_TRY(initial_judge(in));
    dynamics_limits_make(in);
    SF_TRY(show_make(own, in));
    in->ctx = &own->ctx;
    SF_TRY(statistics_make(in, own, values, names));
    dynamics_quantities_make(in, own);
    SF_TRY(show_terrain(own, in));
    if (own->base.is_moist) SF_TRY(show_moist(own, in));
    in->input = own->input;
    if (own->base.sounding[0]) own->input[in->ninputs++] = (struct input){"base", "sounding", 0, own->base.sounding};
    if (own->ground.list.path[0])
        own->input[in->ninputs++] = (struct input){"surface", "file", 0, own->ground.list.path};
    if (own->terrain.path[0]) own->input[in->ninputs++] = (struct input){"terrain", "file", 0, own->terrain.path};
    if (own->forcing.path[0]) own->input[in->ninputs++] = (struct input){"forcing", "file", 0, own->forcing.path};
    if (own->driver.file) own->input[in->ninputs++] = (struct input){"driver", "file", 0, own->driver.file->list.path};
    if (own->start) own->input[in->ninputs++] = (struct input){"initial", "file", 0, own->start->list.path};
    return SF_OK;
}

static int dynamics_bind(struct instance *in, const void *params,
                         int (*values)(const void *, const char *, const char *), const void *names, const char *dir)
{
    struct dynamics_own *own = calloc(1, sizeof *own);
    SF_CHECK(own, SF_MEMORY, "no memory for the weather model");
    in->own = own;
    own->params = *(const struct dynamics_params *)params;
    own->grid = in->grid;
    const int rc = bind_all(in, own, values, names, dir);
    if (rc) {
        show_name(in, params); /* names of its own go with it */
        dynamics_unbind(in);
    }
    return rc;
}

#if SF_CUDA
static const struct tunable tunable_table[] = {
    {advmix_run_gpu, advmix_candidate, ADVMIX_FORMS},
    {wpi_run_gpu, wpi_candidate, WPI_FORMS},
    {advmix_wide_run_gpu, advmix_wide_candidate, ADVMIX_WIDE_FORMS},
#define MADE(...)
#define SWEEP(...)
#define SHAPED(kernels, shapes) {kernels, shapes, ROW_SHAPES},
#include "dynamics/stages.def"
};
#endif

const struct model dynamics_model = {
    .name = "dynamics",
    .title = "nonhydrostatic, fully compressible weather",
    .param = param_table,
    .nparams = (int)(sizeof param_table / sizeof param_table[0]),
    .params_bytes = sizeof(struct dynamics_params),
    .stage = stage_table,
    .nstages = STAGES,
    .field = field_table,
    .nfields = F_Q,
    .bind = dynamics_bind,
    .unbind = dynamics_unbind,
    .begin = initial_begin,
    .feed = driver_feed,
    .derive = dynamics_derive,
    .report = dynamics_report,
    .measure = dynamics_measure,
    .measures_north = 1,
    .sample = dynamics_sample,
    .doubt = dynamics_doubt,
    .survey = dynamics_survey,
    .survey_rows = dynamics_survey_rows,
    .prepare = dynamics_prepare,
#if SF_CUDA
    .tunable = tunable_table,
    .ntunables = (int)(sizeof tunable_table / sizeof tunable_table[0]),
    .courant_launch = dynamics_courant_gpu,
#endif
};
