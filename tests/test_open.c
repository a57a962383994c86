/* Open sides by value: the wind through a side, and what it carries, against the equations of numerics.md in double
 * precision, and advection next to a side against the textbook's differences with the values that belong beyond it.
 * SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "dynamics/open.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { NI = 7, NJ = 6, NK = 4, CELLS_NEAR = 2 };

static const double epsilon = SF_PREC == 64 ? DBL_EPSILON : FLT_EPSILON;

/* ---- the formula of the wind ---- */

/* du/dt of a side in the east (sign = 1) or west, term by term. */
static double wind_of(double u, double inside, double base, double sign, double c, double dx, double mean, double tau,
                      double tau_in)
{
    const double outward = sign * u;
    double speed, t = -mean / tau;
    if (outward < 0) speed = c + outward > 0 ? c + outward : 0, t -= (u - base) / tau_in;
    else speed = outward > c ? outward : c;
    return t - speed * (u - inside) / dx;
}

Test(open, wind_leaves_with_itself_or_the_waves)
{
    const double winds[] = {40, 26, 24, 3, 0, -3, -24, -26, -40};
    for (size_t n = 0; n < sizeof winds / sizeof winds[0]; n++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double u = winds[n], should = wind_of(u, u - 2, 5, sign, 25, 500, 0.75, 600, 7200);
            const real is = open_wind((real)u, (real)(u - 2), R(5.0), (real)sign, R(25.0), (real)(1.0 / 500), R(0.75),
                                      (real)(1.0 / 600), (real)(1.0 / 7200));
            cr_assert_float_eq((double)is, should, 8 * epsilon * (fabs(should) + 0.2), "u %g, sign %d: %g, not %g", u,
                               sign, (double)is, should);
        }
    /* A wave that comes with the base wind: carried with half of c it would be half of this. */
    cr_assert_float_eq((double)open_wind(R(10.0), R(9.0), R(10.0), R(1.0), R(25.0), R(0.002), R(0.0), R(1.0), R(1.0)),
                       -0.05, 4 * epsilon);
    /* The base wind itself stays, whichever way it blows. */
    for (int way = -1; way <= 1; way += 2)
        cr_assert_eq(open_wind((real)(10 * way), (real)(10 * way), (real)(10 * way), R(1.0), R(25.0), R(0.002), R(0.0),
                               R(1.0), R(1.0)),
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
        "&dynamics advection = '%s' mixing = 'off' open_relax_time = 500 open_inflow_time = 4000 /\n",
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

/* ---- the stage, on random fields ---- */

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
                   (double)a->s.f[profile][k], high ? 1 : -1, 25, x ? 400 : 250, mean, 500, 4000);
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
    const struct call c = {.dt = 1, .ctx = &a.d};
    open_run(&a.s, air_box(&a, 1), &c);
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
