/* The numbers of the time series: extremes and budgets. SPDX-License-Identifier: MIT */
#include "dynamics/courant.h"
#include "dynamics/dynamics.h"
#include "dynamics/mass.h"

#include "pipeline/error.h"
#include "pipeline/reduce.h"

#include <stdlib.h>

enum { Q_W_MAX, Q_W_MIN, Q_TH_MIN, Q_TH_MAX, Q_SPEED, Q_COURANT, Q_MASS, Q_DRIFT, Q_ENERGY, Q_PI_MEAN, Q_DT, Q_ALL };

const struct quantity dynamics_quantity[] = {
    {"w_max", "largest upward wind", "m s-1"},
    {"w_min", "smallest upward wind", "m s-1"},
    {"theta_p_min", "smallest theta'", "K"},
    {"theta_p_max", "largest theta'", "K"},
    {"speed_max", "largest horizontal wind relative to the ground", "m s-1"},
    {"courant", "largest sum of the advective Courant numbers", "1"},
    {"mass", "mass of dry air", "kg"},
    {"mass_drift", "mass less that at the start, relative", "1"},
    {"energy", "kinetic, internal and potential energy", "J"},
    {"pi_p_mean", "mean of pi' over the volume", "1"},
    {"dt", "length of the step that follows", "s"}};
const int dynamics_quantities = Q_ALL;
const int dynamics_told = Q_DRIFT;

static double largest(double a, double b) { return a > b ? a : b; }

/* What is asked of a row: budgets, if any, and extremes behind them. */
enum { BUDGETS = 3 };
struct measure_of {
    const struct dynamics_own *own;
    double dt;
    int sums;   /* BUDGETS, or 0 */
    int failed; /* 1: no memory for some row */
};

enum { E_W_MAX, E_W_MIN, E_TH_MIN, E_TH_MAX, E_SPEED2, E_COURANT, E_ALL };

/* Largest w, -w, -theta', theta', wind speed squared, Courant number of a row. */
static void extremes_row(const struct state *st, int j, double *out, const struct measure_of *x)
{
    const struct dynamics *d = &x->own->ctx;
    const struct slab *s = &st->host.s;
    const double dtx = x->dt * (double)d->rdx, dty = st->grid->ny > 1 ? x->dt * (double)d->rdy : 0;
    for (int n = 0; n < E_ALL; n++) out[n] = -1e300;
    for (int k = 0; k < s->nk; k++) {
        const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk;
        const real *const u = s->f[F_U] + at, *const v = s->f[F_V] + at, *const w = s->f[F_W] + at, *const th = s->f[F_TH] + at;
        const double dtz = x->dt * courant_thin(s->f[P_RDZC][k], s->f[P_RDZC][k - 1]);
        real w_max = w[0], w_min = w[0], th_max = th[0], th_min = th[0];
        double speed = 0, courant = 0;
        for (int i = 0; i < s->ni; i++) {
            w_max = w[i] > w_max ? w[i] : w_max;
            w_min = w[i] < w_min ? w[i] : w_min;
            th_max = th[i] > th_max ? th[i] : th_max;
            th_min = th[i] < th_min ? th[i] : th_min;
            const double U = (double)u[i], V = (double)v[i], ug = U + d->translation[0], vg = V + d->translation[1];
            speed = largest(speed, ug * ug + vg * vg);
            courant = largest(courant, courant_sum(u[i], v[i], w[i], dtx, dty, dtz));
        }
        out[E_W_MAX] = largest(out[E_W_MAX], (double)w_max);
        out[E_W_MIN] = largest(out[E_W_MIN], -(double)w_min);
        out[E_TH_MIN] = largest(out[E_TH_MIN], -(double)th_min);
        out[E_TH_MAX] = largest(out[E_TH_MAX], (double)th_max);
        out[E_SPEED2] = largest(out[E_SPEED2], speed);
        out[E_COURANT] = largest(out[E_COURANT], courant);
    }
}

/* Mass, energy and pi' times volume of a row: sums inside a level by pairs, then upward. */
static void budget_row(const struct state *st, int j, double *out, struct measure_of *b)
{
    const struct dynamics_own *own = b->own;
    const struct dynamics *d = &own->ctx;
    const struct slab *s = &st->host.s;
    double *const line = malloc(3 * (size_t)s->ni * sizeof *line);
    out[0] = out[1] = out[2] = 0;
    if (!line) __atomic_store_n(&b->failed, 1, __ATOMIC_RELAXED);
    for (int k = 0; k < s->nk && line; k++) {
        const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk;
        const real *const u = s->f[F_U] + at, *const v = s->f[F_V] + at, *const w = s->f[F_W] + at;
        const real *const th = s->f[F_TH] + at, *const pi = s->f[F_PI] + at;
        const double volume = d->dv_xy * (st->grid->z_f[k + 1] - st->grid->z_f[k]), height = d->g * st->grid->z_c[k];
        for (int i = 0; i < s->ni; i++) {
            const double theta = own->base.theta0[k] + (double)th[i], exner = own->base.pi0[k] + (double)pi[i];
            const double rho = air_density(theta, exner, d->p00, d->R, d->cv_over_R);
            const double uc = 0.5 * ((double)u[i] + (double)u[i + 1]) + d->translation[0];
            const double vc = 0.5 * ((double)v[i] + (double)v[i + s->sj]) + d->translation[1];
            const double wc = 0.5 * ((double)w[i] + (double)w[i + s->sk]);
            line[i] = rho * volume;
            line[s->ni + i] = rho * volume * (0.5 * (uc * uc + vc * vc + wc * wc) + d->cv * theta * exner + height);
            line[2 * s->ni + i] = (double)pi[i] * volume;
        }
        for (int n = 0; n < 3; n++) out[n] += reduce_tree(line + (ptrdiff_t)n * s->ni, s->ni);
    }
    free(line);
}

static void measure_row(const struct state *st, int j, double *out, void *ctx)
{
    struct measure_of *const x = ctx;
    if (x->sums) budget_row(st, j, out, x);
    extremes_row(st, j, out + x->sums, x);
}

int dynamics_measure(const struct instance *in, const struct state *st, double dt, double *values, double *courant)
{
    struct dynamics_own *own = in->own;
    struct measure_of x = {.own = own, .dt = dt, .sums = values ? BUDGETS : 0};
    double number[BUDGETS + E_ALL], *const b = number, *const e = number + x.sums;
    SF_TRY(reduce_rows(&st->comm, st, x.sums, E_ALL, measure_row, &x, number));
    *courant = e[E_COURANT] / courant_limit(own->ctx.wide);
    if (!values) return SF_OK;
    SF_TRY(comm_max(&st->comm, &x.failed));
    SF_CHECK(!x.failed, SF_MEMORY, "no memory for the budgets of a row of %d cells", in->grid->nx);
    if (!own->mass_known) {
        own->mass_start = b[0];
        own->mass_known = 1;
    }
    const double volume = own->ctx.dv_xy * (double)in->grid->nx * in->grid->ny * in->grid->top;
    values[Q_W_MAX] = e[E_W_MAX];
    values[Q_W_MIN] = -e[E_W_MIN];
    values[Q_TH_MIN] = -e[E_TH_MIN];
    values[Q_TH_MAX] = e[E_TH_MAX];
    values[Q_SPEED] = __builtin_sqrt(e[E_SPEED2]);
    values[Q_COURANT] = e[E_COURANT];
    values[Q_MASS] = b[0];
    values[Q_DRIFT] = b[0] / own->mass_start - 1;
    values[Q_ENERGY] = b[1];
    values[Q_PI_MEAN] = b[2] / volume;
    values[Q_DT] = dt;
    return SF_OK;
}

/* ---- what holds the mass ------------------------------------------------------------------------------------------ */

/* Mass of a row, and what it gains with pi'; in the order of budget_row. */
static void mass_row(const struct state *st, int j, double *out, void *ctx)
{
    struct measure_of *const b = ctx;
    const struct dynamics_own *own = b->own;
    const struct dynamics *d = &own->ctx;
    const struct slab *s = &st->host.s;
    double *const line = malloc(2 * (size_t)s->ni * sizeof *line);
    out[0] = out[1] = 0;
    if (!line) __atomic_store_n(&b->failed, 1, __ATOMIC_RELAXED);
    for (int k = 0; k < s->nk && line; k++) {
        const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk;
        const real *const th = s->f[F_TH] + at, *const pi = s->f[F_PI] + at;
        const double volume = d->dv_xy * (st->grid->z_f[k + 1] - st->grid->z_f[k]);
        for (int i = 0; i < s->ni; i++) {
            const double theta = own->base.theta0[k] + (double)th[i], exner = own->base.pi0[k] + (double)pi[i];
            const double rho = air_density(theta, exner, d->p00, d->R, d->cv_over_R);
            line[i] = rho * volume;
            line[s->ni + i] = air_density_slope(rho, exner, d->cv_over_R) * volume;
        }
        for (int n = 0; n < 2; n++) out[n] += reduce_tree(line + (ptrdiff_t)n * s->ni, s->ni);
    }
    free(line);
}

int dynamics_survey(struct instance *in, const struct state *st)
{
    struct dynamics_own *const own = in->own;
    struct measure_of x = {.own = own};
    double sum[2];
    SF_TRY(reduce_rows(&st->comm, st, 2, 0, mass_row, &x, sum));
    SF_TRY(comm_max(&st->comm, &x.failed));
    SF_CHECK(!x.failed, SF_MEMORY, "no memory for the mass of a row of %d cells", in->grid->nx);
    if (!own->mass_known) own->mass_start = sum[0];
    own->mass_known = 1;
    own->ctx.pi_shift = (real)mass_shift(own->mass_start, sum[0], sum[1]);
    return SF_OK;
}
