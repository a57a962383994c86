/* Mass, energy, pi' and extremes of cells, line by line: the sums of the time series, and of what holds the mass. In
 * double.
 *
 *     mass = rho V        energy = rho V (1/2 |v|^2 + cv theta pi + g z)        rho: mass.h
 *
 * rho is that of dry air. With water, q_t in all, its energy is
 *
 *     rho V ((1 + q_t) (1/2 |v|^2 + g z) + (cv + cvv qv + cl (qc + qr)) T + (L0 - (cpv - cl) T0) qv)
 *
 * A row has a line for each level. Winds are those of the centre, the mean of the cell's two faces; what lies on walls
 * is zero. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/courant.h"
#include "dynamics/mass.h"
#include "dynamics/stages.h"
#include "pipeline/points.h"

enum {
    BUDGET_MASS,
    BUDGET_ENERGY,
    BUDGET_PI,
    BUDGET_VAPOUR,
    BUDGET_CLOUD,
    BUDGET_RAIN,
    BUDGET_FALLEN, /* rain on the ground */
    BUDGET_TAKEN, /* energy that rain took */
    BUDGETS
}; /* sums: kg, J, m3, kg, kg, kg, kg, J */
enum {
    E_W_MAX,
    E_W_MIN,
    E_TH_MIN,
    E_TH_MAX,
    E_SPEED2,
    E_COURANT,
    E_CLOUD,
    E_RAIN,
    E_RATE,
    E_ALL
}; /* maxima: of -w and -theta' for the least */
enum {
    HELD_MASS,
    HELD_SLOPE,
    HELD_VAPOUR,
    HELD_WATER,
    HELD
}; /* sums: kg; kg, what a shift of pi' adds; kg, of all water, rain on the ground too, less what was given */

enum { OUT_MASS, OUT_ENERGY, OUT_WATER, OUTS }; /* sums of maps: kg, J, kg; fields from F_MASS_OUT on, two each */
enum { FORCED_SUM_ENERGY, FORCED_SUM_WATER, FORCED_SUMS }; /* likewise, from F_FORCED_ENERGY on: J, kg */
enum { GROUND_SUM_ENERGY, GROUND_SUM_WATER, GROUND_SUMS }; /* and from F_GROUND_ENERGY on */

/* What a maximum of no cells is. */
#define E_LEAST (-1e300)

/* The base state of a level, the volume of its cells, m3, and g z, J/kg. */
struct budget_level {
    double theta0, pi0, volume, height;
    double area; /* m2 of ground under its cells: of the lowest level, else 0 */
};

struct budget_of {
    const struct budget_level *level; /* a table */
    const real *zeros; /* another: a line of wind on a wall */
    double p00, R, cv, cv_over_R, translation[2];
    double ratio, cvv, cl, latent; /* Rv/R; J/kg/K; J/kg at 0 K: where there is water */
    int species, rains, over;
    int ground_wets, forcing_wets; /* 1: there are maps of the water that the ground, or &forcing, gave */
    int true_along_y; /* of the map: its factor is that along x alone */
    double g;
    int map, maps; /* sums of maps: so many of OUTS, fields from `map` on, two each */
    double dt, dtx, dty; /* of the Courant number: s; s/m, time step over spacing */
    int wall_e, wall_n; /* 1: nothing blows there */
    int round_e,
        round_n; /* 1: the face beyond the last cell is that of the first, in the same row or on the same rank */
    int nj, nk;
};

/* What is asked of a row of the state (measure.c). */
struct measure_of {
    struct budget_of b; /* first: kernels take it */
    int sums; /* BUDGETS or HELD; 0: extremes alone */
    int failed; /* 1: no memory for some row */
};

/* A line of cells: the values from its first on, those a row or a level further, and u beyond the last cell. */
struct budget_line {
    const real *u, *v, *w, *th, *pi, *v_north, *w_top, *qv, *qc, *qr, *rain, *rate, *taken,
        *taken_lost; /* of dry air zeros */
    const real *ground_wet, *ground_lost, *forced_wet, *forced_lost; /* the water that was given; else zeros */
    const real *theta0, *pi0, *thin, *large, *small, *factor; /* over terrain, with the map factor; NULL */
    const real *ground; /* w there, below the lowest cells; else zeros */
    double decay_large, decay_small, flat_theta0, flat_pi0; /* of the level over flat ground, as stages have it */
    struct budget_level level;
    double dtz, weight;
    int true_along_y;
    real u_end;
    int n;
};

SF_POINT struct budget_line budget_line(const struct budget_of *b, const struct slab *s, int j, int k)
{
    const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk, map = (j - s->j0) * s->sm;
    struct budget_line l;
    l.u = s->f[F_U] + at, l.v = s->f[F_V] + at, l.w = s->f[F_W] + at, l.th = s->f[F_TH] + at, l.pi = s->f[F_PI] + at;
    l.qv = b->species ? s->f[F_QV] + at : b->zeros, l.qc = b->species ? s->f[F_QC] + at : b->zeros;
    l.qr = b->species ? s->f[F_QR] + at : b->zeros;
    const int ground = b->rains && k == 0;
    l.rain = ground ? s->f[F_RAIN] + map : b->zeros;
    l.rate = ground ? s->f[F_RAIN_RATE] + map : b->zeros;
    l.taken = ground ? s->f[F_RAIN_ENERGY] + map : b->zeros;
    l.taken_lost = ground ? s->f[F_RAIN_ENERGY_LOST] + map : b->zeros;
    const int ground_wets = b->ground_wets && k == 0, forcing_wets = b->forcing_wets && k == 0;
    l.ground_wet = ground_wets ? s->f[F_GROUND_WATER] + map : b->zeros;
    l.ground_lost = ground_wets ? s->f[F_GROUND_WATER_LOST] + map : b->zeros;
    l.forced_wet = forcing_wets ? s->f[F_FORCED_WATER] + map : b->zeros;
    l.forced_lost = forcing_wets ? s->f[F_FORCED_WATER_LOST] + map : b->zeros;
    l.v_north = l.v + s->sj, l.w_top = k + 1 < b->nk ? l.w + s->sk : b->zeros;
    if (j + 1 == b->nj && b->wall_n) l.v_north = b->zeros;
    if (j + 1 == b->nj && b->round_n) l.v_north = s->f[F_V] + (0 - s->j0) * s->sj + k * s->sk;
    l.u_end = b->wall_e ? R(0.0) : l.u[b->round_e ? 0 : s->ni];
    l.level = b->level[k];
    l.dtz = b->dt * courant_thin(s->f[P_RDZC][k], s->f[P_RDZC][k - 1]);
    l.weight = 1, l.n = s->ni, l.true_along_y = b->true_along_y;
    l.theta0 = l.pi0 = l.thin = l.large = l.small = l.factor = NULL, l.ground = b->zeros;
    if (b->over) {
        l.theta0 = s->f[b->species ? F_THA_OVER : F_TH0_OVER] + at, l.pi0 = s->f[F_PI0_OVER] + at,
        l.thin = s->f[F_THIN] + at;
        if (k == 0) l.ground = s->f[F_GROUND_W] + map;
        l.factor = s->f[F_MAP_FACTOR] + map;
        l.large = s->f[F_TERRAIN_LARGE] + map, l.small = s->f[F_TERRAIN_SMALL] + map;
        l.flat_theta0 = (double)s->f[P_THA][k], l.flat_pi0 = (double)s->f[P_PI0][k];
        l.decay_large = b->g * (double)s->f[P_DECAY_L][k], l.decay_small = b->g * (double)s->f[P_DECAY_S][k];
    }
    return l;
}

/* The square of a map factor, or the factor where distances along y are true: what an area of the grid is by that of
 * the Earth. */
SF_POINT double budget_square(real factor, int true_along_y)
{
    return (double)factor * (true_along_y ? 1 : (double)factor);
}

/* Of a cell: the level's, or its own over terrain. */
SF_POINT struct budget_level budget_cell(const struct budget_line *l, int i)
{
    struct budget_level c = l->level;
    if (!l->theta0) return c;
    c.theta0 = c.theta0 + ((double)l->theta0[i] - l->flat_theta0), c.pi0 = c.pi0 + ((double)l->pi0[i] - l->flat_pi0);
    const double square = budget_square(l->factor[i], l->true_along_y);
    c.volume = c.volume / (double)l->thin[i];
    c.volume = c.volume / square, c.area = c.area / square;
    c.height = c.height + (l->decay_large * (double)l->large[i] + l->decay_small * (double)l->small[i]);
    return c;
}

struct budget_sums {
    double mass, energy, pi, vapour, cloud, rain, fallen, taken;
};
struct held_sums {
    double mass, slope, vapour, water;
};

/* Of cell i, with u on its eastern face. */
SF_POINT struct budget_sums budget_at(const struct budget_of *b, const struct budget_line *l, int i, real east)
{
    const struct budget_level c = budget_cell(l, i);
    const double theta = c.theta0 + (double)l->th[i], exner = c.pi0 + (double)l->pi[i];
    const double qv = (double)l->qv[i], ql = (double)l->qc[i] + (double)l->qr[i];
    const double rho = air_density(theta * (1 + b->ratio * qv), exner, b->p00, b->R, b->cv_over_R);
    const double uc = 0.5 * ((double)l->u[i] + (double)east) + b->translation[0];
    const double vc = 0.5 * ((double)l->v[i] + (double)l->v_north[i]) + b->translation[1];
    const double wc = 0.5 * (((double)l->w[i] + (double)l->ground[i]) + (double)l->w_top[i]);
    struct budget_sums sum;
    sum.mass = rho * c.volume;
    const double moves = 0.5 * (uc * uc + vc * vc + wc * wc);
    sum.energy =
        rho * c.volume * air_energy(b->species, moves, c.height, theta, exner, b->cv, b->cvv, b->cl, b->latent, qv, ql);
    sum.pi = (double)l->pi[i] * c.volume;
    sum.vapour = sum.mass * qv, sum.cloud = sum.mass * (double)l->qc[i], sum.rain = sum.mass * (double)l->qr[i];
    sum.fallen = (double)l->rain[i] * c.area;
    sum.taken = ((double)l->taken[i] - (double)l->taken_lost[i]) * c.area;
    return sum;
}

/* most[E_ALL]: w, -w, -theta', theta', the square of the wind relative to the ground, the Courant number. */
SF_POINT void extremes_at(const struct budget_of *b, const struct budget_line *l, int i, double *most)
{
    const double u = (double)l->u[i] + b->translation[0], v = (double)l->v[i] + b->translation[1];
    most[E_W_MAX] = (double)l->w[i], most[E_W_MIN] = -(double)l->w[i];
    most[E_TH_MIN] = -(double)l->th[i], most[E_TH_MAX] = (double)l->th[i];
    most[E_SPEED2] = u * u + v * v;
    most[E_CLOUD] = (double)l->qc[i], most[E_RAIN] = (double)l->qr[i], most[E_RATE] = (double)l->rate[i];
    const double factor = l->factor ? (double)l->factor[i] : 1;
    most[E_COURANT] =
        courant_sum(l->u[i], l->v[i], l->w[i], b->dtx * factor, b->true_along_y ? b->dty : b->dty * factor,
                    l->thin ? l->dtz * (double)l->thin[i] : l->dtz);
}

/* Mass, and what it gains with pi'; water, and of that what nobody gave. */
SF_POINT struct held_sums held_at(const struct budget_of *b, const struct budget_line *l, int i)
{
    const struct budget_level c = budget_cell(l, i);
    const double theta = c.theta0 + (double)l->th[i], exner = c.pi0 + (double)l->pi[i];
    const double rho = air_density(theta * (1 + b->ratio * (double)l->qv[i]), exner, b->p00, b->R, b->cv_over_R);
    struct held_sums sum;
    sum.mass = rho * c.volume;
    sum.vapour = sum.mass * (double)l->qv[i];
    const double given =
        ((double)l->ground_wet[i] - (double)l->ground_lost[i]) + ((double)l->forced_wet[i] - (double)l->forced_lost[i]);
    sum.water = sum.vapour + sum.mass * ((double)l->qc[i] + (double)l->qr[i]) + ((double)l->rain[i] - given) * c.area;
    sum.slope = air_density_slope(rho, exner, b->cv_over_R) * c.volume;
    return sum;
}

/* What left through the sides of a row of columns, or &forcing or the ground gave. factor: of the map, or NULL. */
struct out_line {
    const real *sum[OUTS], *lost[OUTS], *factor;
    double area, weight;
    int true_along_y, n;
};

SF_POINT struct out_line out_line(const struct budget_of *b, const struct slab *s, int j)
{
    const ptrdiff_t at = (j - s->j0) * s->sm;
    struct out_line l;
    for (int m = 0; m < OUTS; m++) {
        const int f = b->map + (m < b->maps ? 2 * m : 0); /* beyond those that are there nobody asks */
        l.sum[m] = s->f[f] + at, l.lost[m] = s->f[f + 1] + at;
    }
    l.factor = b->over ? s->f[F_MAP_FACTOR] + at : NULL, l.true_along_y = b->true_along_y;
    l.area = b->level[0].area, l.weight = 1, l.n = s->ni;
    return l;
}

SF_POINT double out_at(const struct out_line *l, int m, int i)
{
    const double area = l->factor ? l->area / budget_square(l->factor[i], l->true_along_y) : l->area;
    return ((double)l->sum[m][i] - (double)l->lost[m][i]) * area;
}
