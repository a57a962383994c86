/* The weather model: nonhydrostatic, fully compressible air on an Arakawa C-grid, as departures from a base state at
 * rest in hydrostatic balance.
 *
 *     du/dt = -cp theta dpi'/dx + f (v - v_0) + M_u          d/dt the material derivative, M mixing
 *     dv/dt = -cp theta dpi'/dy - f (u - u_0) + M_v
 *     dw/dt = -cp theta dpi'/dz + g theta'/theta_0 + M_w
 *     dtheta'/dt = -w dtheta_0/dz + M_theta
 *     dpi'/dt = -w dpi_0/dz - (R/cv) (pi_0 + pi') div v      not linearised
 *     rho_0 dq/dt = -div(rho_0 v q) + q div(rho_0 v) + M_q   tracers, never below zero: transport.h
 *
 * Over terrain and on maps of the round Earth see terrain.h and map.sf. With water theta_rho takes the place of theta
 * in the first three, and water.h has what else changes.
 *
 *          w[k+1]              u[i] lies at the western face of cell i, v[j] at the southern, w[k] at the bottom.
 *        +---^---+             theta', pi' and tracers lie at the centre.
 *        |       |             A wall has its normal wind on it, zero: u[0] and u[ni], v[0] and v[nj], w[0] and w[nk].
 *   u[i] >  pi   > u[i+1]      u[ni], v[nj] and w[nk] are ghosts: made by the rule of their side. On an open side they
 *        |       |             are the model's own and move with the wind that leaves.
 *        +---^---+
 *          w[k]
 *
 * Time: three Runge-Kutta stages (Wicker and Skamarock 2002) from the same start, over dt/3, dt/2 and dt. Each
 * evaluates the slow tendencies once (advmix) and then takes M, N/2 and N acoustic small steps (Klemp and Wilhelmson
 * 1978; Skamarock and Klemp 2008): u and v forward, w and pi' together, implicit in the vertical. Buoyancy and
 * advection of the base theta are slow terms: N dt must stay below 1.7, which `check` prints.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/base.h"
#include "dynamics/budget.h"
#include "dynamics/forced.h"
#include "dynamics/ground.h"
#include "dynamics/jet.h"
#include "dynamics/parcel.h"
#include "dynamics/projection.h"
#include "dynamics/stages.h"
#include "pipeline/mapping.h"
#include "pipeline/state.h"

enum side { SIDE_PERIODIC, SIDE_WALL, SIDE_OPEN, SIDE_SYMMETRIC };

enum atmosphere { ATMOSPHERE_BASE, ATMOSPHERE_NEUTRAL, ATMOSPHERE_ISOTHERMAL, ATMOSPHERE_CONSTANT_N };

enum hold { HOLD_AUTO, HOLD_ON, HOLD_OFF };

enum {
    INITIAL_TRACER = 3,
    INITIAL_U,
    INITIAL_V,
    INITIAL_W,
    INITIAL_VAPOUR,
    INITIAL_HUMIDITY,
    INITIAL_BUOYANCY,
    INITIAL_CLOUD,
    INITIAL_RAIN,
    INITIAL_TKE
}; /* of &initial variable, behind theta, temperature and pi */

struct dynamics_params {
    struct base_params base;
#define PARAM SF_PARAM_MEMBER
#define PARAMS SF_PARAMS_MEMBER
#define ENTRIES SF_PARAMS_MEMBER
#include "dynamics/params.def"
};

/* Small steps of the first Runge-Kutta stage. */
static inline int dynamics_first_steps(const struct dynamics_params *p)
{
    return p->dynamics_first_small_steps > 0 ? p->dynamics_first_small_steps : (p->dynamics_small_steps + 5) / 6;
}

/* Of waves through an open side where air leaves, m/s: that where it enters, unless the namelist says another. */
static inline double dynamics_leaving_speed(const struct dynamics_params *p)
{
    return p->dynamics_open_leaving_speed < 0 ? p->dynamics_open_phase_speed : p->dynamics_open_leaving_speed;
}

extern const struct model dynamics_model;

/* Heights and base state of a column: levels [nk] at centres, [nk + 1] at faces. Over flat ground those of the grid and
 * of the base state, which all columns share. */
struct base_column {
    const double *z, *z_f, *theta, *theta0, *theta0_f, *pi0, *qv, *qc;
    double *to[8], *memory; /* over terrain: the same, from level -1 to nk; NULL */
};

/* Maps of the whole domain, [ny][nx], m, and what is known of them. */
struct terrain {
    double *part[2]; /* large, and the rest */
    double *decay[2], *decay_c[2]; /* [nz + 1], [nz]: their shares of the surfaces through faces and centres */
    /* [nz], of all cells of a level: the height of the thinnest by that over flat ground; the largest mean height of
     * two neighbours by the lesser. */
    double *thin, *wide;
    double mean, lowest, highest, slope, thinnest, least_dz,
        neighbours; /* m; least J; m; rise to the next column in cells */
    int thinnest_k, hills, asked; /* asked 0: the ground is flat, and the coordinate is there for a map */
    struct filed_list list; /* of the file; path[0] 0: there is none */
    char path[BASE_PATH];
};

/* The file that leads the air at open sides: driver.h. */
struct driver {
    struct start_file *file; /* NULL: there is none */
    int times;
    double unit; /* s, of its times */
};

/* The map of the round Earth, and what is known of it. x and y of the grid are those of the projection plus
 * false_easting and false_northing, m. */
struct map {
    struct projection projection; /* kind 0: there is none, and the numbers below are those of a plane */
    double false_easting, false_northing;
    double least, most, most_y, f_least, f_most; /* map factors along x, and the largest along y; f */
    double columns; /* sum over columns of 1 / m^2: the ground's area over that of a cell of the grid */
    struct mapping mapping;
};

/* The model's memory behind an instance. */
struct dynamics_own {
    struct dynamics ctx;
    struct base_state base;
    struct dynamics_params params;
    const struct grid *grid;
    struct notes notes;
    int perturbations; /* entries of the list in &initial */
    struct profile profile[8];
    struct quantity quantity[28]; /* those that this run has */
    struct parcel_figures parcel; /* of moist air under gravity */
    struct fact fact[5]; /* of these figures */
    struct diagnostic *diagnostic; /* where names differ from those of dry air; NULL: they do not */
    struct statistics *statistics; /* statistics.h; NULL: there are none */
    struct input input[6];
    struct start_file *start; /* start.h: the file of the state at the start; NULL: there is none */
    struct ground ground; /* what the ground is like */
    struct terrain terrain;
    struct driver driver;
    struct map map;
    struct jet jet; /* at the start */
    struct forcing forcing; /* what a larger scale does */
    double *values; /* memory of the profiles */
    char (*names)[32];
    struct budget_level *level; /* a table; NULL until the first measurement */
    double mass_start, water_start; /* kg */
    double
        water_hold[HOLD_KNOWN + 1]; /* mass.h: what is known of an interval; the gain of vapour in each of its steps */
    struct measure_of held; /* of the reduction that looks at mass and water */
    int mass_known, holds_mass, holds_water, counts_sides;
    double expected_speed, expected_vertical; /* m/s */
    double expected_diffusivity; /* m2/s; 0: turbulence has no closure */
    int is_flat; /* cells are, to turbulence */
    int doubted; /* it was told that the time step cuts K */
    double start_rate; /* 1/s: the largest sum of winds over spacings at the start, where it was looked for, or 0 */
    char start_text[384];
};

/* profiles.c: fill the profiles that stages read; before initial_begin's own work and before a restart is read. */
void dynamics_profiles_fill(const struct instance *in, struct state *st);
/* limits.c: rates that the namelist leaves open (before any is used); in->dt_limit; what `check` prints of limits. */
void dynamics_rates_pick(struct dynamics_own *own, const struct grid *g);
void dynamics_limits_make(struct instance *in);
void dynamics_report(const struct instance *in, double dt, void (*line)(void *, const char *), void *to);
/* uses.c: complain of keys that were given and count for nothing; `auto` is resolved. */
void dynamics_uses_check(const struct dynamics_params *p, int (*values)(const void *, const char *, const char *),
                         const void *names, struct complaints *to);
/* ground.c: judge what the ground is like, of keys and a file (errors: SF_NAMELIST, without a message; SF_MEMORY); its
 * maps of the rank's own rows; what `check` prints. */
int ground_make(struct instance *in, struct dynamics_own *own, int (*values)(const void *, const char *, const char *),
                const void *names, const char *dir);
/* A variable of file `path` is a map of the ground, on the columns of the grid. Errors: SF_INPUT. */
int ground_map_check(const char *path, const struct grid *g, const struct filed *f);
void ground_free(struct ground *x);
int ground_fill(const struct instance *in, struct state *st);
void ground_report(const struct dynamics_own *own, void (*line)(void *, const char *), void *to);
/* terrain.c: is there any? Judge it, and make its maps (errors: SF_NAMELIST, without a message; SF_MEMORY); what
 * `check` prints. */
int terrain_is_asked(struct dynamics_own *own, int (*values)(const void *, const char *, const char *),
                     const void *names);
int terrain_make(struct instance *in, struct dynamics_own *own, int (*values)(const void *, const char *, const char *),
                 const void *names, const char *dir);
void terrain_free(struct terrain *t);
void terrain_report(const struct dynamics_own *own, void (*line)(void *, const char *), void *to);
/* map.c: is one asked for? Judge it, with values as above, and make it before terrain (errors: SF_NAMELIST, without a
 * message); what `check` prints. */
int map_is_asked(const struct dynamics_own *own);
int map_make(struct instance *in, struct dynamics_own *own, int (*values)(const void *, const char *, const char *),
             const void *names);
void map_report(const struct dynamics_own *own, void (*line)(void *, const char *), void *to);
/* The map factor at the centre of column i, j, which may lie beyond a side; 1 on a plane. */
double map_factor_at(const struct dynamics_own *own, int i, int j);
/* The same of distances along y; and along x at the middle of its western or, along y, of its southern side. */
double map_factor_y_at(const struct dynamics_own *own, int i, int j);
double map_factor_beside(const struct dynamics_own *own, int along_y, int i, int j);
/* The maps of column i, j that stages read, at offset `map` of the slab. */
void map_column(const struct dynamics_own *own, const struct slab *s, int i, int j, ptrdiff_t map);
/* Height of centre or face k over column i, j, which may lie beyond a side, m. */
double terrain_z_c(const struct dynamics_own *own, int i, int j, int k);
double terrain_z_f(const struct dynamics_own *own, int i, int j, int k);
/* By how much each part of the terrain is higher at the eastern side of column i, j than at its western, and at its
 * northern than at its southern, m: [x, y][part]. */
void terrain_rises(const struct dynamics_own *own, int i, int j, double rise[2][2]);
/* The base wind at that centre, along x or y, relative to the grid, m/s. */
real terrain_wind(const struct dynamics_own *own, int along_y, int i, int j, int k);
/* driver.c: the file of &driver; weights of row j; a level in time of a field, for model.feed; a line for `check`.
 * Errors: SF_NAMELIST, SF_INPUT, SF_MEMORY. */
int driver_make(const struct instance *in, struct dynamics_own *own, const char *dir);
void driver_free(struct driver *x);
void driver_row(const struct dynamics_own *own, const struct slab *s, int j);
int driver_feed(const struct instance *in, const struct slab *to, const struct layout *l, int field, int later,
                double *time);
void driver_report(const struct instance *in, void (*line)(void *, const char *), void *to);

/* Over terrain: fields and maps of column i, j that stages read, of which c is; level n of profiles. */
void terrain_column(const struct instance *in, const struct state *st, const struct base_column *c, int i, int j);
void terrain_level(const struct dynamics_own *own, const struct slab *s, int n);
/* A column's heights and base state. The caller closes it. Errors: SF_MEMORY. */
int base_column_open(struct base_column *c, const struct dynamics_own *own);
void base_column_close(struct base_column *c);
void base_column_fill(struct base_column *c, const struct dynamics_own *own, int i, int j);
/* Its heights alone. */
void base_column_heights(struct base_column *c, const struct dynamics_own *own, int i, int j);
/* water.c: the numbers of water, from the parameters and from those of dry air. */
void water_make(struct dynamics *d, const struct dynamics_params *p);
/* Complain of keys of water that contradict others; own->perturbations must be known. */
void water_check(const struct dynamics_own *own, struct complaints *to);
/* surface.c: the numbers of the ground, from the parameters and, once it is there, from the base state; complain of
 * keys that contradict others. */
void surface_make(struct dynamics *d, const struct dynamics_params *p, const struct grid *g);
void surface_settle(struct dynamics *d, const struct base_state *b);
/* What the surface layer makes of the air at the start; as model.derive. */
void dynamics_derive(const struct instance *in, struct state *st, double dt);
void surface_check(const struct dynamics_own *own, const struct grid *g, struct complaints *to);
/* forcing.c: complain of keys that contradict others; profiles by level, of the namelist or its file, once the base
 * state is there (errors: SF_NAMELIST, without a message; SF_MEMORY); the table of a pass; what `check` prints. */
void forcing_check(struct dynamics_own *own, int (*values)(const void *, const char *, const char *), const void *names,
                   struct complaints *to);
int forcing_make(struct instance *in, struct dynamics_own *own, const char *dir);
void forcing_free(struct forcing *f);
int forcing_prepare(struct dynamics_own *own, int steps, const double *time);
void forcing_report(const struct dynamics_own *own, double dt, void (*line)(void *, const char *), void *to);
/* turbulence.c: what the namelist leaves open, before any of it is used; complain of keys that contradict others. */
void turbulence_pick(struct dynamics_own *own, const struct grid *g);
void turbulence_check(const struct dynamics_own *own, struct complaints *to);
/* Of cells dz high at z above the ground: the length of their eddies, m, and how much more they mix along the ground.
 */
double turbulence_size(const struct dynamics_own *own, double dz, double z);
double turbulence_flatness(const struct dynamics_own *own, double size);
/* The largest K dt (1/dx2 + 1/dy2 + 1/dz2), with K along z, that leaves some of what a cell has, and the K dt of level
 * k that has it, m2, in all columns. */
#define TURBULENCE_SHARE 0.45
double turbulence_most(const struct dynamics_own *own, int k);
/* turbulence_row.c: K of row j of fields on the host, whose ghosts are valid to depth 1, as a step of dt s has it:
 * km[nk][ni], kh[nk][ni]. 1: there is no memory. */
int turbulence_row(const struct dynamics *d, const struct slab *of, int j, double dt, real *km, real *kh);
/* The share of the cells whose K a step of dt s cuts, and the most by which K dt is beyond what a step bears; of 64
 * rows at most. Collective. Errors: SF_MEMORY, SF_COMM. */
int turbulence_cut(const struct dynamics_own *own, const struct state *st, double dt, double *share, double *most);
/* Tell once of a K that the time step cuts; as model.doubt. */
int dynamics_doubt(struct instance *in, const struct state *st, double time, double dt);
/* The longest step, s, of the diffusivity that is expected; 0: there is none. */
double turbulence_limit(const struct dynamics_own *own);
/* doubts.c: tell of values of &water, &surface and &turbulence that are allowed, and unlike those of this Earth. */
void doubts_check(const struct dynamics_own *own, struct complaints *to);
/* doubts.c: tell of open sides that the wind goes in and out through so often that waves grow between them. After what
 * leads the sides is known. */
void doubts_sides(const struct instance *in);
/* initial.c */
void initial_check(const struct instance *in); /* initial_check.c: perturbations that touch no cell */
/* initial_check.c: complain of air that cannot be, by cell and perturbation; in->dt_start. Looks at all cells only
 * where the sum of all perturbations could be too much, by itself the same on every rank. Errors: SF_MEMORY. */
int initial_judge(struct instance *in);
int initial_begin(const struct instance *in, struct state *st);
/* measure.c */
#if SF_CUDA
/* measure.cu */
void dynamics_courant_gpu(const struct instance *in, const struct slab *s, int ja, int jb, double dt, double *courant,
                          void *stream);
/* Of a reduction (reduce.h); ctx: struct budget_of. */
void budget_rows_gpu(const struct slab *s, int ja, int jb, double *out, const void *ctx, void *stream);
void held_rows_gpu(const struct slab *s, int ja, int jb, double *out, const void *ctx, void *stream);
void out_rows_gpu(const struct slab *s, int ja, int jb, double *out, const void *ctx, void *stream);
#endif
int dynamics_measure(const struct instance *in, const struct state *st, double dt, double *values, double *courant);
/* The shift of pi' that gives the domain the mass back that it began with, for the step that follows. */
int dynamics_survey(struct instance *in, const struct state *st);
int dynamics_survey_rows(struct instance *in, const struct state *st, struct reduction *r);
int dynamics_prepare(const struct instance *in, long step, int steps, const double *time, double dt);
extern const int dynamics_told; /* the quantity that the end of a run tells */
void dynamics_quantities_make(struct instance *in, struct dynamics_own *own);
/* show.c: the diagnostics, known from the parameters alone; the base profiles. */
void show_name(struct instance *in, const struct dynamics_params *p);
/* Complain of a layer of updraft_helicity that cannot be. */
void show_check(const struct instance *in, int (*values)(const void *, const char *, const char *), const void *names);
int show_make(struct dynamics_own *own, struct instance *in);
/* With a moist sounding: names and standard names say that theta and what follows from it are virtual. Errors:
 * SF_MEMORY. */
int show_moist(struct dynamics_own *own, struct instance *in);
/* And over terrain (errors: SF_MEMORY). */
int show_terrain(struct dynamics_own *own, struct instance *in);
