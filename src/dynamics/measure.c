/* The numbers of the time series: extremes and budgets. SPDX-License-Identifier: MIT */
#include "dynamics/budget.h"
#include "dynamics/dynamics.h"
#include "dynamics/water.h"

#include "pipeline/error.h"
#include "pipeline/outcome.h"
#include "pipeline/reduce.h"
#include "pipeline/tables.h"

#include <stdlib.h>
#include <string.h>

enum { Q_W_MAX, Q_W_MIN, Q_TH_MIN, Q_TH_MAX, Q_SPEED, Q_COURANT, Q_MASS, Q_DRIFT, Q_ENERGY, Q_PI_MEAN, Q_DT, Q_ALL };
/* And with water. */
enum { Q_WATER = Q_ALL, Q_VAPOUR, Q_CLOUD, Q_RAIN, Q_FALLEN, Q_TAKEN, Q_CLOUD_MAX, Q_RAIN_MAX, Q_RATE_MAX, Q_WET };

static const struct quantity quantities[] = {
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
    {"dt", "length of the step that follows", "s"},
    {"water", "all water: in the air, and rain on the ground", "kg"},
    {"vapour", "water vapour", "kg"},
    {"cloud_water", "cloud water", "kg"},
    {"rain_water", "rain water in the air", "kg"},
    {"rain", "rain on the ground since the start", "kg"},
    {"rain_energy", "energy lost by rain that falls: to the ground, less what it gains in warmer air on its way", "J"},
    {"qc_max", "largest mixing ratio of cloud water", "kg kg-1"},
    {"qr_max", "largest mixing ratio of rain water", "kg kg-1"},
    {"rain_rate_max", "heaviest rain on the ground", "kg m-2 s-1"}};
/* Behind them, in the order of their sums, where it is counted. */
static const struct quantity out_quantities[OUTS] = {
    {"mass_out", "dry air that left through open sides, less what came in", "kg"},
    {"energy_out", "energy that left through open sides, with the work of pressure there, less what came in", "J"},
    {"water_out", "water that left through open sides, less what came in", "kg"}};
/* And behind those. */
static const struct quantity forced_quantities[FORCED_SUMS] = {
    {"forcing_energy", "internal, latent and potential energy that the air gained by &forcing since the start", "J"},
    {"forcing_water", "water that the air gained by &forcing since the start", "kg"}};
static const struct quantity ground_quantities[GROUND_SUMS] = {
    {"ground_energy", "internal, latent and potential energy that the air gained from the ground since the start", "J"},
    {"ground_water", "water that the air gained from the ground since the start", "kg"}};
const int dynamics_told = Q_DRIFT;

/* Sums of maps, two fields each from `map` on: so many of `all` are counted in this run. */
struct out_group {
    const struct quantity *quantity;
    int map, all, there;
};
enum { OUT_GROUPS = 3, OUT_QUANTITIES = OUTS + FORCED_SUMS + GROUND_SUMS };

static void out_groups_make(const struct dynamics_own *own, struct out_group group[OUT_GROUPS])
{
    const int wet = own->ctx.species > 0, gives = surface_gives(&own->ctx.surface);
    group[0] = (struct out_group){out_quantities, F_MASS_OUT, OUTS, !own->counts_sides ? 0 : wet ? OUTS : OUT_WATER};
    group[1] = (struct out_group){forced_quantities, F_FORCED_ENERGY, FORCED_SUMS,
                                  !own->forcing.has_heat ? 0
                                  : wet                  ? FORCED_SUMS
                                                         : FORCED_SUM_WATER};
    group[2] = (struct out_group){ground_quantities, F_GROUND_ENERGY, GROUND_SUMS,
                                  !gives ? 0
                                  : wet  ? GROUND_SUMS
                                         : GROUND_SUM_WATER};
}

/* Those of this run, and behind them those of other parameters. */
void dynamics_quantities_make(struct instance *in, struct dynamics_own *own)
{
    _Static_assert(Q_WET + OUT_QUANTITIES <= sizeof own->quantity / sizeof own->quantity[0],
                   "room for the numbers of the series");
    const int n = own->ctx.species ? Q_WET : Q_ALL;
    struct out_group group[OUT_GROUPS];
    struct quantity *to = own->quantity;
    out_groups_make(own, group);
    memcpy(to, quantities, (size_t)n * sizeof *quantities), to += n;
    for (int g = 0; g < OUT_GROUPS; to += group[g++].there)
        memcpy(to, group[g].quantity, (size_t)group[g].there * sizeof *to);
    in->quantity = own->quantity, in->nquantities = (int)(to - own->quantity);
    in->nquantities_most = Q_WET + OUT_QUANTITIES;
    memcpy(to, quantities + n, (size_t)(Q_WET - n) * sizeof *quantities), to += Q_WET - n;
    for (int g = 0; g < OUT_GROUPS; to += group[g].all - group[g].there, g++)
        memcpy(to, group[g].quantity + group[g].there, (size_t)(group[g].all - group[g].there) * sizeof *to);
}

/* The table of levels, and behind it zeros, is made once. */
static int measure_make(struct measure_of *x, struct dynamics_own *own, const struct state *st, double dt, int sums)
{
    const struct dynamics *const d = &own->ctx;
    const struct grid *const g = st->grid;
    const size_t levels = (size_t)g->nz * sizeof *own->level;
    struct budget_level *const level = own->level ? own->level : table_alloc(levels + (size_t)g->nx * sizeof(real));
    memset(x, 0, sizeof *x);
    for (int k = 0; level && !own->level && k < g->nz; k++)
        level[k] = (struct budget_level){.area = k ? 0 : d->dv_xy,
                                         .theta0 = own->base.theta[k],
                                         .pi0 = own->base.pi0[k],
                                         .height = d->g * g->z_c[k],
                                         .volume = d->dv_xy * (g->z_f[k + 1] - g->z_f[k])};
    own->level = level;
    SF_TRY(outcome_share(
        &st->comm,
        level ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the budgets of %d levels", g->nz)));
    x->b.zeros = (const real *)(const void *)(level + g->nz);
    x->b.level = level;
    x->b.p00 = d->p00, x->b.R = d->R, x->b.cv = d->cv, x->b.cv_over_R = d->cv_over_R;
    x->b.over = d->over, x->b.g = d->g, x->b.true_along_y = d->true_along_y > R(0.0);
    x->b.species = d->species, x->b.rains = d->species && d->phase & PHASE_RAINS;
    x->b.ground_wets = d->species && surface_gives(&d->surface);
    x->b.forcing_wets = d->species && own->forcing.has_heat;
    x->b.ratio = d->species ? d->vapour.Rv / d->R : 0;
    x->b.cvv = d->vapour.cpv - d->vapour.Rv, x->b.cl = d->vapour.cl, x->b.latent = vapour_latent(&d->vapour, 0);
    x->b.translation[0] = d->translation[0], x->b.translation[1] = d->translation[1];
    x->b.dt = dt, x->b.dtx = dt * (double)d->rdx, x->b.dty = g->ny > 1 ? dt * (double)d->rdy : 0;
    x->b.wall_e = d->wall[FACE_E], x->b.wall_n = d->wall[FACE_N];
    x->b.round_e = !d->wall[FACE_E] && !d->open[FACE_E];
    x->b.round_n = !d->wall[FACE_N] && !d->open[FACE_N] && st->comm.size == 1;
    x->b.nj = g->ny, x->b.nk = g->nz;
    x->sums = sums;
    return SF_OK;
}

/* Extremes of a row: several of each side by side, for compilers do not vectorise one. */
static void extremes_row(const struct state *st, int j, double *out, const struct budget_of *of)
{
    enum { LANES = 8 };
    const struct budget_of b = *of;
    double most[E_ALL][LANES];
    for (int n = 0; n < E_ALL; n++)
        for (int m = 0; m < LANES; m++) most[n][m] = E_LEAST;
    for (int k = 0; k < b.nk; k++) {
        const struct budget_line l = budget_line(&b, &st->host.s, j, k);
        for (int i = 0; i < l.n; i += LANES) {
            const int lanes = SF_MIN(LANES, l.n - i);
#pragma omp simd
            for (int m = 0; m < lanes; m++) {
                double here[E_ALL];
                extremes_at(&b, &l, i + m, here);
                for (int n = 0; n < E_ALL; n++) most[n][m] = reduce_larger(here[n], most[n][m]);
            }
        }
    }
    for (int n = 0; n < E_ALL; n++) {
        out[n] = E_LEAST;
        for (int m = 0; m < LANES; m++) out[n] = reduce_larger(most[n][m], out[n]);
    }
}

/* Of the cells of a line. */
static void sums_set(const struct budget_sums *sum, double *to, ptrdiff_t n)
{
    to[BUDGET_MASS * n] = sum->mass, to[BUDGET_ENERGY * n] = sum->energy, to[BUDGET_PI * n] = sum->pi;
    to[BUDGET_VAPOUR * n] = sum->vapour, to[BUDGET_CLOUD * n] = sum->cloud, to[BUDGET_RAIN * n] = sum->rain;
    to[BUDGET_FALLEN * n] = sum->fallen, to[BUDGET_TAKEN * n] = sum->taken;
}

/* to: [BUDGETS][n]. */
static void line_budgets(const struct budget_of *of, const struct budget_line *line, double *to, ptrdiff_t n)
{
    const struct budget_of b = *of;
    const struct budget_line l = *line;
    const int last = l.n - 1;
    for (int i = 0; i < l.n; i++) { /* of the last one u beyond it may be a ghost that nobody filled */
        const struct budget_sums sum = budget_at(&b, &l, i, l.u[i + 1]);
        sums_set(&sum, to + i, n);
    }
    const struct budget_sums sum = budget_at(&b, &l, last, l.u_end);
    sums_set(&sum, to + last, n);
}

/* to: [HELD][n]. */
static void line_held(const struct budget_of *of, const struct budget_line *line, double *to, ptrdiff_t n)
{
    const struct budget_of b = *of;
    const struct budget_line l = *line;
    for (int i = 0; i < l.n; i++) {
        const struct held_sums sum = held_at(&b, &l, i);
        to[HELD_MASS * n + i] = sum.mass, to[HELD_SLOPE * n + i] = sum.slope;
        to[HELD_VAPOUR * n + i] = sum.vapour, to[HELD_WATER * n + i] = sum.water;
    }
}

/* Sums of a row: inside a level by pairs, then upward. */
static void sums_row(const struct state *st, int j, double *out, struct measure_of *x)
{
    const ptrdiff_t n = st->host.s.ni;
    double *const line = malloc((size_t)x->sums * (size_t)n * sizeof *line);
    for (int m = 0; m < x->sums; m++) out[m] = 0;
    if (!line) __atomic_store_n(&x->failed, 1, __ATOMIC_RELAXED);
    for (int k = 0; k < x->b.nk && line; k++) {
        const struct budget_line l = budget_line(&x->b, &st->host.s, j, k);
        if (x->sums == HELD) line_held(&x->b, &l, line, n);
        else line_budgets(&x->b, &l, line, n);
        for (int m = 0; m < x->sums; m++) out[m] += reduce_tree(line + m * n, l.n);
    }
    free(line);
}

static void measure_row(const struct state *st, int j, double *out, void *ctx)
{
    struct measure_of *const x = ctx;
    if (x->sums) sums_row(st, j, out, x);
    if (x->sums != HELD) extremes_row(st, j, out + x->sums, &x->b);
}

static void out_row(const struct state *st, int j, double *out, void *ctx)
{
    struct measure_of *const x = ctx;
    const struct out_line l = out_line(&x->b, &st->host.s, j);
    double *const line = malloc((size_t)l.n * sizeof *line);
    if (!line) __atomic_store_n(&x->failed, 1, __ATOMIC_RELAXED);
    for (int m = 0; m < OUTS; m++) {
        for (int i = 0; line && i < l.n; i++) line[i] = out_at(&l, m, i);
        out[m] = line ? reduce_tree(line, l.n) : 0;
    }
    free(line);
}

/* What is counted of a group. */
static int out_measure(const struct state *st, struct measure_of *x, const struct out_group *group, double *values)
{
    double out[OUTS];
    if (!group->there) return SF_OK;
    x->b.map = group->map, x->b.maps = group->there;
    struct reduction r = {.sums = OUTS, .row = out_row, .ctx = x};
#if SF_CUDA
    r.launch = out_rows_gpu;
#endif
    SF_TRY(reduce_rows(&st->comm, st, &r, out));
    memcpy(values, out, (size_t)group->there * sizeof *out);
    return SF_OK;
}

int dynamics_measure(const struct instance *in, const struct state *st, double dt, double *values, double *courant)
{
    struct dynamics_own *own = in->own;
    struct measure_of x;
    SF_TRY(measure_make(&x, own, st, dt, values ? BUDGETS : 0));
    double number[BUDGETS + E_ALL], *const b = number, *const e = number + x.sums;
    struct reduction r = {.sums = x.sums, .maxima = E_ALL, .row = measure_row, .ctx = &x};
#if SF_CUDA
    if (values && st->comm.size == 1)
        r.launch = budget_rows_gpu; /* of other ranks' rows, which energies look at, a device has no news */
#endif
    SF_TRY(reduce_rows(&st->comm, st, &r, number));
    *courant = e[E_COURANT] / courant_limit(own->ctx.wide, own->ctx.tracers);
    if (!values) return SF_OK;
    struct out_group group[OUT_GROUPS];
    double *behind = values + (own->ctx.species ? Q_WET : Q_ALL);
    out_groups_make(own, group);
    for (int g = 0; g < OUT_GROUPS; behind += group[g++].there) SF_TRY(out_measure(st, &x, &group[g], behind));
    SF_TRY(comm_max(&st->comm, &x.failed));
    SF_CHECK(!x.failed, SF_MEMORY, "no memory for the budgets of a row of %d cells", in->grid->nx);
    if (!own->mass_known) {
        own->mass_start = b[BUDGET_MASS];
        own->water_start = b[BUDGET_VAPOUR] + b[BUDGET_CLOUD] + b[BUDGET_RAIN] + b[BUDGET_FALLEN];
        own->mass_known = 1;
    }
    const double volume = own->ctx.dv_xy * own->map.columns * (in->grid->top - own->terrain.mean);
    values[Q_W_MAX] = e[E_W_MAX];
    values[Q_W_MIN] = 0 - e[E_W_MIN];
    values[Q_TH_MIN] = 0 - e[E_TH_MIN];
    values[Q_TH_MAX] = e[E_TH_MAX];
    values[Q_SPEED] = __builtin_sqrt(e[E_SPEED2]);
    values[Q_COURANT] = e[E_COURANT];
    values[Q_MASS] = b[BUDGET_MASS];
    values[Q_DRIFT] = b[BUDGET_MASS] / own->mass_start - 1;
    values[Q_ENERGY] = b[BUDGET_ENERGY];
    values[Q_PI_MEAN] = b[BUDGET_PI] / volume;
    values[Q_DT] = dt;
    if (!own->ctx.species) return SF_OK;
    values[Q_VAPOUR] = b[BUDGET_VAPOUR], values[Q_CLOUD] = b[BUDGET_CLOUD], values[Q_RAIN] = b[BUDGET_RAIN];
    values[Q_FALLEN] = b[BUDGET_FALLEN], values[Q_TAKEN] = b[BUDGET_TAKEN];
    values[Q_WATER] = b[BUDGET_VAPOUR] + b[BUDGET_CLOUD] + b[BUDGET_RAIN] + b[BUDGET_FALLEN];
    values[Q_CLOUD_MAX] = e[E_CLOUD], values[Q_RAIN_MAX] = e[E_RAIN], values[Q_RATE_MAX] = e[E_RATE];
    return SF_OK;
}

/* ---- what holds the mass ----------------------------------------------------------------------------------------- */

int dynamics_survey_rows(struct instance *in, const struct state *st, struct reduction *r)
{
    struct dynamics_own *const own = in->own;
    *r = (struct reduction){.sums = HELD, .row = measure_row, .ctx = &own->held};
#if SF_CUDA
    r->launch = held_rows_gpu;
#endif
    return measure_make(&own->held, own, st, 0, HELD);
}

int dynamics_survey(struct instance *in, const struct state *st)
{
    struct dynamics_own *const own = in->own;
    double sum[HELD];
    struct reduction r;
    SF_TRY(dynamics_survey_rows(in, st, &r));
    SF_TRY(reduce_rows(&st->comm, st, &r, sum));
    SF_TRY(comm_max(&st->comm, &own->held.failed));
    SF_CHECK(!own->held.failed, SF_MEMORY, "no memory for the mass of a row of %d cells", in->grid->nx);
    if (!own->mass_known) own->mass_start = sum[HELD_MASS], own->water_start = sum[HELD_WATER];
    own->mass_known = 1;
    own->ctx.pi_shift = (real)mass_shift(own->mass_start, sum[HELD_MASS], sum[HELD_SLOPE]);
    const double given = hold_given(own->water_start - sum[HELD_WATER], own->water_hold),
                 vapour = in->survey_every * sum[HELD_VAPOUR];
    own->water_hold[HOLD_KNOWN] = vapour > 0 ? given / vapour : 0;
    return SF_OK;
}

int dynamics_prepare(const struct instance *in, long step, int steps, const double *time, double dt)
{
    struct dynamics_own *const own = in->own;
    (void)step, (void)dt;
    own->ctx.water_gain = (real)own->water_hold[HOLD_KNOWN];
    return forcing_prepare(own, steps, time);
}
