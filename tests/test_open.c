/* Open sides by value: the wind through a side, and what it carries, against the equations of numerics.md in double
 * precision, and advection next to a side against the textbook's differences with the values that belong beyond it.
 * SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "dynamics/open.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NI = 67, NJ = 6, NK = 4, CELLS_NEAR = 2 }; /* more columns than have their means made together */

static const double epsilon = SF_PREC == 64 ? DBL_EPSILON : FLT_EPSILON;

/* ---- the formula of the wind ---- */

/* du/dt of a side in the east (sign = 1) or west, term by term. */
static double wind_of(double u, double inside, double base, double sign, double c, double c_out, double dx, double mean,
                      double tau, double tau_in)
{
    const double outward = sign * u;
    double speed, t = -mean / tau;
    if (outward < 0) speed = c + outward > 0 ? c + outward : 0, t -= (u - base) / tau_in;
    else speed = outward > c_out ? outward : c_out;
    return t - speed * (u - inside) / dx;
}

Test(open, wind_leaves_with_itself_or_the_waves)
{
    const double winds[] = {40, 26, 24, 3, 0, -3, -24, -26, -40};
    for (size_t n = 0; n < sizeof winds / sizeof winds[0]; n++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double u = winds[n], should = wind_of(u, u - 2, 5, sign, 25, 8, 500, 0.75, 600, 7200);
            const real is = open_wind((real)u, (real)(u - 2), R(5.0), (real)sign, R(25.0), R(8.0), (real)(1.0 / 500),
                                      R(0.75), (real)(1.0 / 600), (real)(1.0 / 7200));
            cr_assert_float_eq((double)is, should, 8 * epsilon * (fabs(should) + 0.2), "u %g, sign %d: %g, not %g", u,
                               sign, (double)is, should);
        }
    /* A wave that comes with the base wind: carried with half of c it would be half of this. */
    cr_assert_float_eq(
        (double)open_wind(R(10.0), R(9.0), R(10.0), R(1.0), R(25.0), R(25.0), R(0.002), R(0.0), R(1.0), R(1.0)), -0.05,
        4 * epsilon);
    /* Where none is given the two speeds are one. */
    struct dynamics_params p = {.dynamics_open_phase_speed = 30, .dynamics_open_leaving_speed = -1};
    cr_assert_eq(dynamics_leaving_speed(&p), 30);
    p.dynamics_open_leaving_speed = 0;
    cr_assert_eq(dynamics_leaving_speed(&p), 0);
    /* The base wind itself stays, whichever way it blows. */
    for (int way = -1; way <= 1; way += 2)
        cr_assert_eq(open_wind((real)(10 * way), (real)(10 * way), (real)(10 * way), R(1.0), R(25.0), R(25.0), R(0.002),
                               R(0.0), R(1.0), R(1.0)),
                     R(0.0));
}

/* ---- advection next to a side ---- */

static const struct scheme {
    const char *name;
    double enters[7], leaves[7]; /* of values 3 cells towards the side .. 3 cells inward, for wind inward and outward */
    int wide;
} schemes[] = {
    {"centred", {0, 1. / 12, -8. / 12, 0, 8. / 12, -1. / 12, 0}, {0, 1. / 12, -8. / 12, 0, 8. / 12, -1. / 12, 0}, 0},
    {"upwind3", {0, 1. / 6, -1, 1. / 2, 1. / 3, 0, 0}, {0, 0, -1. / 3, -1. / 2, 1, -1. / 6, 0}, 0},
    {"centred6",
     {-1. / 60, 9. / 60, -45. / 60, 0, 45. / 60, -9. / 60, 1. / 60},
     {-1. / 60, 9. / 60, -45. / 60, 0, 45. / 60, -9. / 60, 1. / 60},
     1},
    {"upwind5",
     {-2. / 60, 15. / 60, -1, 20. / 60, 30. / 60, -3. / 60, 0},
     {0, 3. / 60, -30. / 60, -20. / 60, 1, -15. / 60, 2. / 60},
     1},
};

static struct session session;

/* The numbers of the model as a namelist makes them. */
static struct dynamics numbers_of(const char *advection)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "&case name = 'open' /\n&grid nx = %d ny = %d nz = %d dx = 400 dy = 250 dz = 500 /\n&time duration = 1 dt = 1 /\n"
        "&boundary west = 'open' east = 'open' south = 'open' north = 'open' /\n"
        "&dynamics advection = '%s' mixing = 'off' open_relax_time = 500 open_inflow_time = 4000 open_leaving_speed = 12 /\n",
        NI, NJ, NK, advection);
    weather_open(&session, text);
    const struct dynamics d = ((const struct dynamics_own *)session.in.own)->ctx;
    session_close(&session);
    return d;
}

/* What stands n cells inward (n < 0: beyond the side) on the line of a cell, as it should be. */
static double beyond(const struct air *a, int field, int side, int i, int j, int k, int n, int enters, double outside)
{
    const int x = side == FACE_W || side == FACE_E, high = side == FACE_E || side == FACE_N, last = (x ? NI : NJ) - 1;
    const int m = n < 0 ? 0 : n, at = high ? last - m : m, next = high ? last - 1 : 1;
    const double edge = (double)(x ? *air_at(a, field, at, j, k) : *air_at(a, field, i, at, k));
    if (n >= 0) return edge;
    const double inside = (double)(x ? *air_at(a, field, next, j, k) : *air_at(a, field, i, next, k));
    return enters ? outside : edge + n * (inside - edge);
}

/* One wind through one side, nothing else: the tendency of theta' is -U dq/dn with the scheme's own weights. */
Test(open, advection_knows_what_enters_and_what_leaves)
{
    for (size_t m = 0; m < sizeof schemes / sizeof schemes[0]; m++) {
        const struct dynamics d = numbers_of(schemes[m].name);
        for (int side = 0; side < 4; side++)
            for (int enters = 0; enters < 2; enters++) {
                struct air a;
                air_make(&a, NI, NJ, NK, 0);
                a.d = d;
                const int x = side == FACE_W || side == FACE_E, high = side == FACE_E || side == FACE_N;
                const double inward = enters ? 12 : -12, wind = high ? -inward : inward;
                air_fill(&a, F_TH, 1, 1 << 10);
                for (int j = -AIR_GHOSTS; j < NJ + AIR_GHOSTS; j++)
                    for (int k = -AIR_GHOSTS; k < NK + AIR_GHOSTS; k++)
                        for (int i = -AIR_GHOSTS; i < NI + AIR_GHOSTS; i++) {
                            *air_at(&a, x ? F_U : F_V, i, j, k) = (real)wind;
                            const int ii = i < 0 ? 0 : i >= NI ? NI - 1 : i, jj = j < 0 ? 0 : j >= NJ ? NJ - 1 : j;
                            if (k >= 0 && k < NK) *air_at(&a, F_TH, i, j, k) = *air_at(&a, F_TH, ii, jj, k);
                        }
                const struct call c = {.dt = 1, .ctx = &a.d};
                (schemes[m].wide ? advmix_wide_run : advmix_run)(&a.s, air_box(&a, 0), &c);
                /* open_run adds in place to what the bank of tendencies holds. */
                open_run(&a.s, air_box(&a, 0), &c);
                for (int j = 0; j < NJ; j++)
                    for (int k = 0; k < NK; k++)
                        for (int i = 0; i < NI; i++) {
                            const int along = x ? i : j, depth = high ? (x ? NI : NJ) - 1 - along : along;
                            if (depth >= CELLS_NEAR) continue;
                            double slope = 0;
                            for (int n = 0; n < 7; n++)
                                slope += (enters ? schemes[m].enters : schemes[m].leaves)[n] *
                                         beyond(&a, F_TH, side, i, j, k, depth + n - 3, enters, 0);
                            const double should = -inward * slope / (x ? 400 : 250);
                            const double is = (double)*air_at(&a, F_THT, i, j, k);
                            cr_assert_float_eq(is, should, 40 * epsilon * 0.2,
                                               "%s, side %d, enters %d, at %d %d %d: %g, not %g", schemes[m].name, side,
                                               enters, i, j, k, is, should);
                        }
                air_free(&a);
            }
    }
}

/* ---- the stages, on random fields ---- */

/* Memory for loops over columns. */
static void *work_of(size_t bytes)
{
    void *const work = malloc(bytes);
    cr_assert_not_null(work);
    memset(work, 0xff, bytes);
    return work;
}

static double value(const struct air *a, int field, int i, int j, int k) { return (double)*air_at(a, field, i, j, k); }

/* What a side adds to a cell's tendency. base: what enters. */
static double added(const struct air *a, int side, int field, int i, int j, int k, double base)
{
    const int x = side == FACE_W || side == FACE_E, high = side == FACE_E || side == FACE_N, last = (x ? NI : NJ) - 1;
    const int along = x ? i : j, depth = high ? last - along : along;
    if (depth >= CELLS_NEAR || i >= NI || j >= NJ) return 0;
    const int wind = x ? F_U : F_V, edge = high ? last : 0, next = high ? last - 1 : 1, face = high ? last + 1 : 0;
    const int fi = x ? face : i, fj = x ? j : face;
    double u = value(a, wind, fi, fj, k), other = u;
    if (field == F_W) other = value(a, wind, fi, fj, k - 1);
    if (field == F_U || field == F_V) other = x ? value(a, wind, fi, fj - 1, k) : value(a, wind, fi - 1, fj, k);
    const double inward = (high ? -1 : 1) * 0.5 * (u + other), per_cell = 1.0 / (x ? 400 : 250);
    const double q0 = x ? value(a, field, edge, j, k) : value(a, field, i, edge, k);
    const double q1 = x ? value(a, field, next, j, k) : value(a, field, i, next, k);
    static const double in[CELLS_NEAR] = {-7. / 12, 1. / 12},
                        out[CELLS_NEAR] = {1. / 2, -1. / 12}; /* centred: sums of its weights */
    return -inward * per_cell * (inward > 0 ? in[depth] * (base - q0) : out[depth] * (q1 - q0));
}

static double normal(const struct air *a, int side, int i, int j, int k)
{
    const int x = side == FACE_W || side == FACE_E, high = side == FACE_E || side == FACE_N, field = x ? F_U : F_V;
    const int step = high ? -1 : 1, profile = x ? P_U0 : P_V0;
    double mean = 0;
    for (int m = 0; m < NK; m++)
        mean += (double)a->s.f[P_SHARE][m] * (value(a, field, i, j, m) - (double)a->s.f[profile][m]);
    return wind_of(value(a, field, i, j, k), value(a, field, i + (x ? step : 0), j + (x ? 0 : step), k),
                   (double)a->s.f[profile][k], high ? 1 : -1, 25, 12, x ? 400 : 250, mean, 500, 4000);
}

Test(open, stage_on_random_fields)
{
    struct air a;
    air_make(&a, NI, NJ, NK, 1);
    a.d = numbers_of("centred");
    for (int f = F_U; f <= F_PID; f++) air_fill(&a, f, 40, 1 << 10);
    air_levels(&a, P_U0, -20, 20, 1 << 10), air_levels(&a, P_V0, -20, 20, 1 << 10),
        air_levels(&a, P_SHARE, 0.1, 0.4, 1 << 10);
    static double t[4][NJ + 1][NK][NI + 1];
    static const int field[4] = {F_U, F_V, F_W, F_TH}, tendency[4] = {F_UT, F_VT, F_WT, F_THT};
    for (int n = 0; n < 4; n++)
        for (int j = 0; j <= NJ; j++)
            for (int k = 0; k < NK; k++)
                for (int i = 0; i <= NI; i++) {
                    double sum = value(&a, tendency[n], i, j, k);
                    const double base = n == 0 ? (double)a.s.f[P_U0][k] : n == 1 ? (double)a.s.f[P_V0][k] : 0;
                    for (int side = 0; side < 4; side++) {
                        const int x = side == FACE_W || side == FACE_E;
                        if (!(n == 0 && x) && !(n == 1 && !x)) sum += added(&a, side, field[n], i, j, k, base);
                    }
                    if (n == 0 && (i == 0 || i == NI) && j < NJ) sum = normal(&a, i ? FACE_E : FACE_W, i, j, k);
                    if (n == 1 && (j == 0 || j == NJ) && i < NI) sum = normal(&a, j ? FACE_N : FACE_S, i, j, k);
                    t[n][j][k][i] = sum;
                }
    const struct call c = {.dt = 1, .ctx = &a.d, .work = work_of(open_wind_work_bytes(NI, NK))};
    open_run(&a.s, air_box(&a, 1), &c), open_wind_run(&a.s, air_box(&a, 1), &c);
    free(c.work);
    for (int n = 0; n < 4; n++)
        for (int j = 0; j <= NJ; j++)
            for (int k = 0; k < NK; k++)
                for (int i = 0; i <= NI; i++) {
                    if ((i == NI && n != 0) || (j == NJ && n != 1) || (i == NI && j == NJ))
                        continue; /* no such value */
                    const double is = value(&a, tendency[n], i, j, k);
                    /* A dozen roundings of terms up to 40 (80) / 250. */
                    cr_assert_float_eq(is, t[n][j][k][i], 24 * epsilon * 60, "field %d at %d %d %d: %g, not %g", n, i,
                                       j, k, is, t[n][j][k][i]);
                }
    air_free(&a);
}

/* ---- what leaves ---- */

enum { OUT_MAPS = 3 };

/* The same number of a cell with 1 / spacing along the side's axis, the wind outward, of the ground, and q on the side.
 */
struct leaving {
    double mass, energy, water;
};

/* 5th-order upwind: of values 3 cells upstream .. 2 cells downstream. */
static double on_face(const double *q, double wind)
{
    const double w[] = {2, -13, 47, 27, -3};
    double sum = 0;
    for (int n = 0; n < 5; n++) sum += w[n] * q[wind > 0 ? n : 5 - n];
    return sum / 60;
}

static double level(const struct air *a, int p, int k) { return (double)a->s.f[p][k]; }

/* What leaves column i, j through a side in a second. */
static struct leaving leaving_of(const struct air *a, int side, int i, int j, int is_wet)
{
    const int x = side == FACE_W || side == FACE_E, high = side == FACE_E || side == FACE_N, in = high ? -1 : 1;
    const double R_gas = 287, cp = 1004.5, Rv = 461.5, cpv = 1870, cl = 4190, g = 9.80665, drift[2] = {4, -2};
    struct leaving sum = {0};
    double z = 0;
    for (int k = 0; k < NK; k++) {
        const double dz = 1 / level(a, P_RDZC, k), part = dz / (x ? 400 : 250);
        const double n = (high ? 1 : -1) * (x ? value(a, F_U, i + high, j, k) : value(a, F_V, i, j + high, k));
        double q[3] = {0};
        for (int m = 0; m < 3 && is_wet; m++) {
            double line[6];
            for (int c = 0; c < 3; c++) line[2 - c] = value(a, F_QV_FAR + 3 * m, i + x * in * c, j + !x * in * c, k);
            for (int c = 1; c <= 3; c++)
                line[2 + c] = n < 0 ? (m < 2 ? level(a, m ? P_QC0 : P_QV0, k) : 0) : line[2] + c * (line[2] - line[1]);
            q[m] = on_face(line, n);
        }
        const double pi = level(a, P_PI0, k) + value(a, F_PI, i, j, k);
        const double t = (level(a, P_THA, k) + value(a, F_TH, i, j, k)) * pi, p = 1e5 * pow(pi, cp / R_gas);
        const double here = is_wet ? value(a, F_QV_FAR, i, j, k) : 0, rho = p / (t * (R_gas + Rv * here));
        const double u = (value(a, F_U, i, j, k) + value(a, F_U, i + 1, j, k)) / 2 + drift[0];
        const double v = (value(a, F_V, i, j, k) + value(a, F_V, i, j + 1, k)) / 2 + drift[1];
        const double w = (value(a, F_W, i, j, k) + (k + 1 < NK ? value(a, F_W, i, j, k + 1) : 0)) / 2;
        const double all = q[0] + q[1] + q[2], latent = 2.501e6 + (cl - cpv) * 273.15;
        const double inside = (cp - R_gas) * t + (cpv - Rv) * q[0] * t + cl * (q[1] + q[2]) * t + latent * q[0];
        sum.mass += part * rho * n, sum.water += part * rho * n * all;
        sum.energy += part * (rho * n * ((1 + all) * ((u * u + v * v + w * w) / 2 + g * (z + dz / 2)) + inside) +
                              p * (n + (high ? 1 : -1) * drift[!x]));
        z += dz;
    }
    return sum;
}

static double counted(const struct air *a, int m, int i, int j)
{
    const ptrdiff_t at = j * a->s.sm + i;
    return (double)a->s.f[F_MASS_OUT + 2 * m][at] - (double)a->s.f[F_MASS_OUT + 2 * m + 1][at];
}

static void air_stir(struct air *a, int is_wet)
{
    char text[512];
    snprintf(text, sizeof text,
             "&case name = 'open' /\n&grid nx = %d ny = %d nz = %d dx = 400 dy = 250 dz = 500 translation_u = 4\n"
             "translation_v = -2 /\n&time duration = 1 dt = 1 /\n&water scheme = '%s' /\n"
             "&boundary west = 'open' east = 'open' south = 'open' north = 'open' /\n",
             NI, NJ, NK, is_wet ? "kessler" : "none");
    weather_open(&session, text);
    air_make(a, NI, NJ, NK, 0);
    a->d = *(const struct dynamics *)session.in.ctx;
    session_close(&session);
    for (int f = F_U; f <= F_W; f++) air_fill(a, f, 20, 1 << 10);
    air_fill(a, F_TH, 9, 1 << 10), air_fill(a, F_PI, 2e-3, 1 << 20);
    for (int n = 0; n < SPECIES; n++) air_fill(a, F_QV_FAR + F_FAMILY * n, 0.02, 1 << 20);
    air_levels(a, P_THA, 290, 310, 1), air_levels(a, P_PI0, 0.8, 1, 1 << 10);
    air_levels(a, P_RDZC, 1. / 512, 1. / 300, 1 << 20);
    air_levels(a, P_QV0, 0, 0.02, 1 << 20), air_levels(a, P_QC0, 0, 0.002, 1 << 20);
}

/* Over two steps, of every column; a corner counts for both of its sides. */
Test(open, what_leaves_is_counted)
{
    for (int is_wet = 0; is_wet < 2; is_wet++) {
        struct air a;
        air_stir(&a, is_wet);
        for (int step = 0; step < 2; step++) {
            const struct call c = {
                .dt = step ? R(1.5) : R(3.0), .ctx = &a.d, .work = work_of(outflow_wet_work_bytes(NI, NK))};
            (is_wet ? outflow_wet_run : outflow_run)(&a.s, air_box(&a, 0), &c);
            free(c.work);
        }
        for (int j = 0; j < NJ; j++)
            for (int i = 0; i < NI; i++) {
                const int beside[] = {
                    [FACE_W] = i == 0, [FACE_E] = i == NI - 1, [FACE_S] = j == 0, [FACE_N] = j == NJ - 1};
                struct leaving want = {0};
                for (int side = 0; side < 4; side++) {
                    if (!beside[side]) continue;
                    const struct leaving one = leaving_of(&a, side, i, j, is_wet);
                    want.mass += 4.5 * one.mass, want.energy += 4.5 * one.energy, want.water += 4.5 * one.water;
                }
                const double should[OUT_MAPS] = {want.mass, want.energy, want.water};
                /* 20 m/s of 1.4 kg/m3 through four layers of 500 m and two sides; 6e5 J/kg; 0.1 kg/kg */
                const double flow = 4.5 * 20 * 1.4 * 4 * 500 * (1. / 400 + 1. / 250), of[OUT_MAPS] = {1, 6e5, 0.1};
                for (int m = 0; m < (is_wet ? 3 : 2); m++)
                    cr_assert_float_eq(counted(&a, m, i, j), should[m], 4 * epsilon * flow * of[m],
                                       "map %d, column %d %d: %.9g, not %.9g", m, i, j, counted(&a, m, i, j),
                                       should[m]);
            }
        air_free(&a);
    }
}

/* Steps that each add less than a real of the sum can tell. */
Test(open, what_leaves_adds_up)
{
    struct air a;
    air_stir(&a, 1);
    const double before = 1 << 28, steps = 100, dt = 1e-3;
    for (int m = 0; m < OUT_MAPS; m++) a.s.f[F_MASS_OUT + 2 * m][2] = (real)before;
    const struct call c = {.dt = (real)dt, .ctx = &a.d, .work = work_of(outflow_wet_work_bytes(NI, NK))};
    for (int n = 0; n < (int)steps; n++) outflow_wet_run(&a.s, air_box(&a, 0), &c);
    const struct leaving one = leaving_of(&a, FACE_S, 2, 0, 1);
    const double should[OUT_MAPS] = {one.mass, one.energy, one.water};
    for (int m = 0; m < OUT_MAPS; m++)
        cr_assert_float_eq(counted(&a, m, 2, 0) - before, steps * dt * should[m], 1e-4 * steps * dt * fabs(should[m]),
                           "map %d: %.9g, not %.9g", m, counted(&a, m, 2, 0) - before, steps * dt * should[m]);
    free(c.work);
    air_free(&a);
}
