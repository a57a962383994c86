/* What the state at the start is made from: initial.c makes it, initial_check.c judges it.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/start.h"

enum shape_kind {
    SHAPE_NONE,
    SHAPE_COSINE,
    SHAPE_COSINE_SQUARED,
    SHAPE_GAUSSIAN,
    SHAPE_WITCH_SINE,
    SHAPE_GAUSSIAN_SINE,
    SHAPE_WAVE
};
enum variable {
    ON_THETA,
    ON_TEMPERATURE,
    ON_PI,
    ON_TRACER = INITIAL_TRACER,
    ON_U = INITIAL_U,
    ON_V = INITIAL_V,
    ON_W = INITIAL_W,
    ON_VAPOUR = INITIAL_VAPOUR,
    ON_HUMIDITY = INITIAL_HUMIDITY,
    ON_BUOYANCY = INITIAL_BUOYANCY,
    ON_CLOUD = INITIAL_CLOUD,
    ON_RAIN = INITIAL_RAIN,
    ON_TKE = INITIAL_TKE
};
enum balance { BALANCE_NONE, BALANCE_HYDROSTATIC, BALANCE_GROUND };
enum divergence { DIVERGENCE_KEPT, DIVERGENCE_REMOVED };
enum flow { FLOW_NONE, FLOW_BELTRAMI, FLOW_TAYLOR_GREEN };

/* Perturbation n at a point, in the unit of its variable. */
double initial_perturbation(const struct dynamics_own *own, int n, double x, double y, double z);
/* All perturbations of one variable at a point; of tracers, those of the one with this number. */
double initial_perturbations(const struct dynamics_own *own, enum variable v, int tracer, double x, double y, double z);

struct flow_numbers {
    enum flow kind;
    double A, k, l, m, x0, y0;
};

struct flow_numbers initial_flow_of(const struct dynamics_own *own);

/* Wind that the start adds to all levels of a column, m/s: through western faces [ny][nx + 1], southern [ny + 1][nx].
 */
struct start_push {
    double *x, *y; /* NULL: none */
};

struct column {
    double *theta, *pi; /* departures at the centres of one column */
    double *qv, *qc, *qr; /* kg/kg; NULL: the air is dry */
};

/* What makes the state at the start: a column at a time, which perturbations, noise, flow and balance make of what the
 * namelist or its file has. */
struct start {
    const struct dynamics_own *own;
    struct flow_numbers flow;
    struct column from, at;
    struct base_column base;
    struct start_rows rows;
    struct start_work work;
    double *memory, *spare, *balance; /* spare: [nk], between calls for whoever wants it; balance: of start_balance.c */
    /* [y][far][nk]: the wind on the western (y 0) or southern side of a column, and on the side across, less what the
     * namelist adds; at[2]: the column and row of which wind[0][1] is. */
    double *wind[2][2];
    int wind_at[2];
    int is_plain; /* as its file has it: the namelist adds nothing */
    struct start_push push;
};

/* The caller closes it, after a failure too. Errors: SF_MEMORY. */
int start_open(struct start *s, const struct dynamics_own *own);
/* Of a file alone, without what the namelist adds; need: as start_rows_open takes it. */
int start_open_plain(struct start *s, const struct dynamics_own *own, const struct start_file *file,
                     start_quantities need);
void start_close(struct start *s);
/* Fill s->at, theta' and pi' and water of a column; its row must have been asked for (start_rows_need). */
void start_column(struct start *s, int i, int j);

/* Threads that share a row: each has a start of its own, with the rows and the push of `lead`. */
struct start_team {
    const struct start *lead;
    struct start *one;
    int n;
};

/* The threads convert the rows of `lead`, too. The caller closes it, after a failure too. Errors: SF_MEMORY. */
int start_team_open(struct start_team *t, struct start *lead, int threads);
void start_team_close(struct start_team *t);
/* take(arg, s, thread, i) of columns 0 .. columns - 1 of the row that `lead` has asked for; s: of that thread, 0 .. n
 * - 1. */
void start_team_row(struct start_team *t, int columns, void (*take)(void *arg, struct start *s, int thread, int i),
                    void *arg);

/* ---- balance: start_balance.c ---- */

/* What buoyancy knows of a level, K, less that of the base state. */
double start_lightness(const struct dynamics *d, const struct base_column *b, const struct column *c, int k);
/* What pi' gains from the centre below to that of level k, in balance: th is the mean lightness of the two, K. */
double start_balance_step(const struct dynamics *d, const struct base_column *b, double th, int k);
/* pi' upward from the lowest cell. keeps_temperature 1: theta follows, in 12 turns, each of which leaves a tenth of
 * what was wrong; 0: theta stays. memory: start_balance_numbers(d->nk) numbers. */
void start_balance_ground(const struct dynamics *d, const struct base_column *b, int keeps_temperature,
                          const struct column *c, double *memory);
size_t start_balance_numbers(int nk);

/* Of level k of the column that start_column filled, with its water, kg/m3. */
double start_density(const struct start *s, int k);
/* Through the western or southern faces of cells of column i, j, relative to the grid, m/s, [nk]; its row must have
 * been asked for. to: where the profiles of the base state are. */
void start_winds(struct start *s, const struct slab *to, int along_y, int i, int j, double *wind);

/* theta', pi' and water of the column that start_column filled, i, j, to the state. */
void start_air_put(const struct start *s, const struct slab *to, int i, int j);
/* Rows behind st->jb, and columns behind the last, that the start fills, too: 0 or 1. */
int start_rows_extra(const struct instance *in, const struct state *st);
int start_columns_extra(const struct instance *in);

/* start_divergence.c: the wind that takes the divergence out of columns; the caller frees it, after a failure too. What
 * it weighs of a rank's own columns stands in the state then, all that the start fills of them: theta', pi' and water.
 * Collective. Errors: SF_INPUT, SF_MEMORY, SF_COMM. */
int start_push_make(const struct instance *in, const struct state *st, struct start_push *p);
void start_push_free(struct start_push *p);

/* Does perturbation n reach no cell? initial_check.c. */
int initial_is_away(const struct dynamics_own *own, const struct grid *g, int n);

/* initial_vapour.c: what vapour there is, cell by cell of a state or, with i below 0, level by level of the base state:
 * how many are beyond saturation, which has most to condense, and which has most vapour. */
struct vapour_cell {
    int i, j, k;
    double qv, full, pressure; /* kg/kg, of saturation; Pa */
};
struct vapour_seen {
    long cells, beyond;
    struct vapour_cell dampest, richest;
};
void vapour_see(struct vapour_seen *v, const struct dynamics *d, int i, int j, int k, double theta, double pi,
                double qv);
/* What b saw, too, of columns behind those of a in the same rows. */
void vapour_seen_join(struct vapour_seen *a, const struct vapour_seen *b);
/* Complain mildly of it, as of `keys`. */
void vapour_seen_tell(const struct instance *in, const struct vapour_seen *v, const char *keys);
/* The same of the base state, and of perturbations of water. */
void initial_vapour_check(const struct instance *in);

/* u at the western, v at the southern and w at the lower face of a cell, less the base wind or that of the file, m/s.
 */
void initial_winds(const struct dynamics_own *own, const struct flow_numbers *f, int i, int j, int k, double wind[3]);
/* Member m of the family, which is no water: the energy of turbulence, or a tracer, of the column that start_column
 * filled, [nk]. */
void start_tracer(struct start *s, int m, int i, int j, double *q);
