/* What a larger scale does: each stage by value against double precision and exact profiles; files of profiles; cases
 * with exact solutions, and their budgets. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "dynamics/forcing.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NI = 4, NJ = 3, NK = 7, SLICES = 2 };
static const double R = 287, cv = 717.5, Rv = 461.5, cvv = 1408.5, cl = 4190, L0 = 3.1e6, dt = 8, p00 = 1e5;

static struct air air;
static real table[SLICES][FORCED_ALL][NK];
static double z_f[NK + 1], z_c[NK];

static double at(int field, int i, int j, int k) { return (double)*air_at(&air, field, i, j, k); }
static double map(int field, int i, int j) { return (double)air.s.f[field][j * air.s.sm + i]; }
static double forced(enum forced of, int k) { return (double)table[1][of][k]; }

static void fill(int field, double low, double high) { air_spread(&air, field, low, high); }

#define FOR_CELLS                                                                                                      \
    for (int j = 0; j < NJ; j++)                                                                                       \
        for (int k = 0; k < NK; k++)                                                                                   \
            for (int i = 0; i < NI; i++)

/* Levels of 80 to 120 m, rising air below and sinking air above, each table in its second slice. */
static void open_air(int wet)
{
    air_make(&air, NI, NJ, NK, 1);
    struct dynamics *const d = &air.d;
    d->forced = &table[0][0][0], d->forced_step = FORCED_ALL * NK, d->species = wet ? SPECIES : 0;
    d->rcv = (real)(R / cv), d->exner_density = (real)(cv / R), d->vapour_ratio = (real)(Rv / R);
    d->heat_dry = (real)cv, d->heat_vapour = (real)cvv, d->heat_liquid = (real)cl, d->latent_0 = (real)L0;
    for (int k = 0; k < NK; k++) z_f[k + 1] = z_f[k] + 80 + 40.0 * ((k * 5) % NK) / NK;
    for (int k = 0; k < NK; k++) z_c[k] = (z_f[k] + z_f[k + 1]) / 2;
    for (int k = -1; k <= NK; k++) {
        const int c = k < 0 ? 0 : k >= NK ? NK - 1 : k;
        air.s.f[P_RDZC][k] = (real)(1 / (z_f[c + 1] - z_f[c]));
        air.s.f[P_RDZF][k] = (real)(c > 0 ? 1 / (z_c[c] - z_c[c - 1]) : 1e3); /* beyond the ground nothing is read */
        if (k == NK) air.s.f[P_RDZF][k] = R(1e3);
        air.s.f[P_THA][k] = (real)(300 + 0.4 * c), air.s.f[P_PI0][k] = (real)(0.99 - 0.003 * c);
        air.s.f[P_DTH0H][k] = (real)(c > 0 ? 0.2 / (z_c[c] - z_c[c - 1]) : 7);
        air.s.f[P_DEN0][k] = (real)(p00 / R * pow((double)air.s.f[P_PI0][k], cv / R));
        air.s.f[P_GZ][k] = (real)(9.8 * z_c[c]);
    }
    fill(F_U, -8, 8), fill(F_V, -8, 8), fill(F_TH, -3, 3), fill(F_PI, -2e-3, 2e-3);
    fill(F_QV, 5e-3, 15e-3), fill(F_QC, 0, 1e-3), fill(F_QR, 0, 1e-3);
    for (int of = 0; of < FORCED_ALL; of++)
        for (int k = 0; k < NK; k++) {
            table[0][of][k] = R(1e9);
            table[1][of][k] = (real)air_random(-1e-3, 1e-3);
        }
    for (int k = 0; k < NK; k++) {
        table[1][FORCED_SUBSIDENCE][k] = (real)(k == 3 ? 0 : k < 3 ? 2 + 0.1 * k : -3 + 0.2 * k);
        table[1][FORCED_U][k] = (real)air_random(-5, 5), table[1][FORCED_V][k] = (real)air_random(-5, 5);
        table[1][FORCED_THETA][k] = (real)air_random(-2, 2), table[1][FORCED_QV][k] = (real)air_random(0, 0.02);
        table[1][FORCED_QV_RATE][k] = (real)air_random(-1e-5, 1e-5);
        for (int of = FORCED_KEYS; of < FORCED_ALL; of++) table[1][of][k] = (real)air_random(0.01, 0.05);
    }
    for (int f = F_FORCED_ENERGY; f <= F_FORCED_WATER_LOST; f++)
        for (int j = 0; j < NJ; j++)
            for (int i = 0; i < NI; i++) air.s.f[f][j * air.s.sm + i] = 0;
}

static void run(stage_function *stage)
{
    const struct call c = {.dt = (real)dt, .ctx = &air.d, .pass_step = 1, .work = malloc(1 << 16)};
    stage(&air.s, air_box(&air, 0), &c);
    free(c.work);
}

static double before[AIR_ALL][NJ][NK][NI];
static void keep(void)
{
    static const int of[] = {F_U, F_V, F_TH, F_PI, F_QV, F_QC, F_QR, F_UT, F_VT};
    for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) FOR_CELLS before[of[n]][j][k][i] = at(of[n], i, j, k);
}

/* What q gains: the gradient is that towards the level that air comes from; at the ends that of the only side. slope:
 * that of the base state across each face. */
static double gain(int field, int i, int j, int k, const double *slope, double rate, double nudging, double target)
{
    const double w = forced(FORCED_SUBSIDENCE, k), q = before[field][j][k][i];
    const int up = w < 0, face = k == NK - 1 ? k : k == 0 ? 1 : k + up;
    const double gradient = (before[field][j][face][i] - before[field][j][face - 1][i]) / (z_c[face] - z_c[face - 1]) +
                            (slope ? slope[face] : 0);
    return dt * (rate + nudging * (target - q) - w * gradient);
}

Test(forcing, wind_by_value)
{
    open_air(0), keep();
    run(force_wind_run);
    FOR_CELLS
    {
        const double u = gain(F_U, i, j, k, NULL, forced(FORCED_U_RATE, k), forced(FORCED_U_NUDGING, k),
                              forced(FORCED_U, k)),
                     v = gain(F_V, i, j, k, NULL, forced(FORCED_V_RATE, k), forced(FORCED_V_NUDGING, k),
                              forced(FORCED_V, k));
        cr_assert_float_eq(at(F_U, i, j, k) - before[F_U][j][k][i], u, 4e-6, "u %d %d %d", i, j, k);
        cr_assert_float_eq(at(F_V, i, j, k) - before[F_V][j][k][i], v, 4e-6, "v %d %d %d", i, j, k);
    }
    air_free(&air);
}

Test(forcing, geostrophic_by_value)
{
    open_air(0), keep();
    air.d.f = R(0.25);
    for (int k = 0; k < NK; k++) air.s.f[P_U0][k] = air.s.f[P_V0][k] = R(1e9); /* the base wind has no part in it */
    run(geostrophic_run);
    FOR_CELLS
    {
        double u = 0, v = 0;
        for (int m = 0; m < 2; m++)
            for (int n = 0; n < 2; n++) v += at(F_V, i - m, j + n, k) / 4, u += at(F_U, i + m, j - n, k) / 4;
        cr_assert_float_eq(at(F_UT, i, j, k), 0.25 * (v - forced(FORCED_GEOSTROPHIC_V, k)), 2e-6);
        cr_assert_float_eq(at(F_VT, i, j, k), -0.25 * (u - forced(FORCED_GEOSTROPHIC_U, k)), 2e-6);
    }
    air_free(&air);
}

/* Density of dry air, and the energy of a kg of it: of all that it holds. */
static double density(double theta, double exner, double qv)
{
    return p00 / R * pow(exner, cv / R) / (theta * (1 + Rv / R * qv));
}
static double energy(double theta, double exner, double qv, double ql, double height)
{
    return (cv + cvv * qv + cl * ql) * theta * exner + L0 * qv + (1 + qv + ql) * height;
}

/* theta, water and pi' by value; then the mass of dry air, which is to stay, and the sums of what a column gained. */
static void heat_by_value(int wet)
{
    static const int water[] = {F_QV, F_QC, F_QR};
    double slope[NK + 1] = {0};
    open_air(wet);
    for (int k = 1; k < NK; k++) slope[k] = 2 * (double)air.s.f[P_DTH0H][k];
    double joule[NJ][NI] = {{0}}, kilos[NJ][NI] = {{0}};
    for (int turn = 0; turn < 2; turn++) { /* the second adds to the sums of the first */
        keep();
        run(wet ? force_moist_run : force_heat_run);
        FOR_CELLS
        {
            const double theta = (double)air.s.f[P_THA][k], pi = (double)air.s.f[P_PI0][k],
                         volume = 1 / (double)air.s.f[P_RDZC][k], gz = (double)air.s.f[P_GZ][k];
            const double th = gain(F_TH, i, j, k, slope, forced(FORCED_THETA_RATE, k), forced(FORCED_THETA_NUDGING, k),
                                   forced(FORCED_THETA, k));
            cr_assert_float_eq(at(F_TH, i, j, k) - before[F_TH][j][k][i], th, 2e-6, "theta' %d %d %d: %g, not %g", i, j,
                               k, at(F_TH, i, j, k) - before[F_TH][j][k][i], th);
            for (int n = 0; n < 3; n++) {
                const int vapour = !n;
                const double q = gain(water[n], i, j, k, NULL, vapour ? forced(FORCED_QV_RATE, k) : 0,
                                      vapour ? forced(FORCED_QV_NUDGING, k) : 0, forced(FORCED_QV, k)),
                             want = wet ? fmax(before[water[n]][j][k][i] + q, 0) : before[water[n]][j][k][i];
                cr_assert_float_eq(at(water[n], i, j, k), want, 5e-9, "water %d: %g, not %g", n, at(water[n], i, j, k),
                                   want);
            }
            const double v0 = wet ? before[F_QV][j][k][i] : 0, v1 = wet ? at(F_QV, i, j, k) : 0,
                         l0 = wet ? before[F_QC][j][k][i] + before[F_QR][j][k][i] : 0,
                         l1 = wet ? at(F_QC, i, j, k) + at(F_QR, i, j, k) : 0;
            const double t0 = theta + before[F_TH][j][k][i], t1 = theta + at(F_TH, i, j, k),
                         p0 = pi + before[F_PI][j][k][i], p1 = pi + at(F_PI, i, j, k);
            const double exner = R / cv * p0 * ((t1 - t0) / t0 + (v1 - v0) / (R / Rv + v0));
            cr_assert_float_eq(p1 - p0, exner, 2e-9, "pi' %g, not %g", p1 - p0, exner);
            cr_assert_float_eq(density(t1, p1, v1) / density(t0, p0, v0), 1, wet ? 2e-4 : 2e-5,
                               "mass stays, to second order");
            const double mass = density(t0, p0, v0) * volume;
            joule[j][i] += mass * (energy(t1, p1, v1, l1, gz) - energy(t0, p0, v0, l0, gz));
            kilos[j][i] += mass * (v1 + l1 - v0 - l0);
        }
    }
    for (int j = 0; j < NJ; j++)
        for (int i = 0; i < NI; i++) {
            const double is = map(F_FORCED_ENERGY, i, j) - map(F_FORCED_ENERGY_LOST, i, j),
                         wetter = map(F_FORCED_WATER, i, j) - map(F_FORCED_WATER_LOST, i, j);
            cr_assert_float_eq(is, joule[j][i], 2e-5 * fabs(joule[j][i]) + 5, "%g J/m2, not %g", is, joule[j][i]);
            cr_assert_float_eq(wetter, kilos[j][i], 1e-5 * fabs(kilos[j][i]) + 2e-6, "%g kg/m2, not %g", wetter,
                               kilos[j][i]);
        }
    air_free(&air);
}

Test(forcing, heat_by_value) { heat_by_value(0); }
Test(forcing, heat_and_water_by_value) { heat_by_value(1); }

/* What a column gains by small steps, of which its sum in single precision would lose a part. */
Test(forcing, sums_of_many_steps_are_not_lost)
{
    open_air(1);
    for (int f = F_FORCED_ENERGY; f <= F_FORCED_WATER; f += 2)
        for (int j = 0; j < NJ; j++)
            for (int i = 0; i < NI; i++) air.s.f[f][j * air.s.sm + i] = f == F_FORCED_ENERGY ? R(3e9) : R(3e3);
    for (int of = 0; of < FORCED_ALL; of++)
        for (int k = 0; k < NK; k++) table[1][of][k] = R(0.0);
    for (int k = 0; k < NK; k++) table[1][FORCED_QV_RATE][k] = R(1e-9);
    double water = 0, joule = 0, from[NK];
    for (int k = 0; k < NK; k++) from[k] = at(F_QV, 1, 1, k);
    for (int n = 0; n < 1000; n++) run(force_moist_run);
    for (int k = 0; k < NK; k++) {
        const double theta = (double)air.s.f[P_THA][k] + at(F_TH, 1, 1, k),
                     pi = (double)air.s.f[P_PI0][k] + at(F_PI, 1, 1, k);
        const double more =
            (at(F_QV, 1, 1, k) - from[k]) * density(theta, pi, at(F_QV, 1, 1, k)) / (double)air.s.f[P_RDZC][k];
        water += more, joule += more * (L0 + cvv * theta * pi);
    }
    const double is = map(F_FORCED_WATER, 1, 1) - map(F_FORCED_WATER_LOST, 1, 1) - 3e3,
                 gained = map(F_FORCED_ENERGY, 1, 1) - map(F_FORCED_ENERGY_LOST, 1, 1) - 3e9;
    cr_assert(water > 5e-3 && fabs(is / water - 1) < 1e-3, "%g kg/m2, not %g", is, water);
    cr_assert(fabs(gained / joule - 1) < 0.1, "%g J/m2, not %g", gained, joule);
    air_free(&air);
}

/* A profile that is linear sinks as it is, at every level; a wave, with an error of first order. */
static double sunk(int levels, int is_wave)
{
    enum { MOST = 128 };
    static real sinks[FORCED_ALL][MOST];
    const double depth = 1000, w = -0.5, dz = depth / levels, end = 200, step = 0.4 * dz / fabs(w);
    air_make(&air, 1, 1, levels, 1);
    air.d.forced = &sinks[0][0];
    memset(sinks, 0, sizeof sinks);
    for (int k = 0; k < levels; k++) ((real *)sinks)[FORCED_SUBSIDENCE * levels + k] = (real)w;
    for (int k = -1; k <= levels; k++) {
        const double x = (k + 0.5) * dz;
        air.s.f[P_RDZF][k] = (real)(1 / dz);
        *air_at(&air, F_U, 0, 0, k) = (real)(is_wave ? sin(6.283185307 * x / depth) : 3 + 0.01 * x);
    }
    const int steps = (int)lround(end / step);
    const struct call c = {.dt = (real)(end / steps), .ctx = &air.d, .work = malloc(1 << 16)};
    for (int n = 0; n < steps; n++) force_wind_run(&air.s, air_box(&air, 0), &c);
    free(c.work);
    double sum = 0;
    for (int k = 0; k < levels; k++) {
        const double x = (k + 0.5) * dz - w * end, most = is_wave ? depth * 0.8 : 1e9;
        const double e = at(F_U, 0, 0, k) - (is_wave ? sin(6.283185307 * x / depth) : 3 + 0.01 * x);
        if (x < most) sum = fmax(sum, fabs(e)); /* what came through the lid nobody knows */
    }
    air_free(&air);
    return sum;
}

Test(forcing, subsidence_of_a_line_and_a_wave)
{
    cr_assert_lt(sunk(20, 0), 2e-5);
    const double coarse = sunk(64, 1), fine = sunk(128, 1);
    cr_assert(fine < 0.03 && coarse / fine > pow(2, 0.9) && coarse / fine < pow(2, 1.1), "%g, %g", coarse, fine);
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

static struct session session;

static void open_case(const char *more)
{
    static char text[2048];
    snprintf(
        text, sizeof text,
        "&grid nx = 4, ny = 4, nz = 8, dx = 2000, dy = 2000, dz = 100, translation_u = 2, translation_v = -1 /\n%s\n",
        more);
    weather_open(&session, text);
}
static void go(void)
{
    cr_assert_eq(session_advance(&session, session_steps_left(&session)), SF_OK, "%s", sf_error_text());
}
static double value(int field, int k) { return (double)*weather_at(&session, field, 1, 2, k); }
static double height(int k) { return session.grid.z_c[k]; }

static int ops_of(const char *name)
{
    int found = 0;
    for (int n = 0; n < session.in.nops; n++)
        found += !strcmp(session.in.model->stage[session.in.op[n].stage].name, name);
    return found;
}

Test(forcing, program_has_what_is_asked_for)
{
    open_case("&time duration = 10, dt = 5 /\n&dynamics coriolis_f = 1e-4 /");
    cr_assert_eq(ops_of("coriolis"), 3);
    cr_assert_eq(ops_of("geostrophic"), 0);
    cr_assert_eq(session.in.field[F_FORCED_ENERGY].shape, SHAPE_BOX);
    session_close(&session);
    open_case("&time duration = 10, dt = 5 /\n&dynamics coriolis_f = 1e-4 /\n&forcing z = 0, geostrophic_u = 3 /");
    cr_assert_eq(ops_of("coriolis"), 0);
    cr_assert_eq(ops_of("geostrophic"), 3);
    cr_assert_eq(ops_of("force_wind") + ops_of("force_heat"), 0);
    session_close(&session);
    open_case("&time duration = 10, dt = 5 /\n&forcing z = 0, u_rate = 1e-3 /");
    cr_assert_eq(ops_of("force_wind"), 1);
    cr_assert_eq(ops_of("force_heat"), 0);
    session_close(&session);
    open_case("&time duration = 10, dt = 5 /\n&forcing z = 0, subsidence = -0.1 /\n&water scheme = 'saturation' /");
    cr_assert_eq(ops_of("force_wind"), 1);
    cr_assert_eq(ops_of("force_moist"), 1);
    cr_assert_eq(ops_of("force_heat"), 0);
    cr_assert_eq(session.in.field[F_FORCED_WATER].shape, SHAPE_MAP);
    cr_assert_not(((const struct dynamics_own *)session.in.own)->holds_water);
    session_close(&session);
}

/* Neutral air without weight cools at the rate that is given by height, between heights and beyond them. */
Test(forcing, cooling_of_a_column)
{
    for (int seldom = 0; seldom < 2; seldom++) {
        char text[512];
        snprintf(text, sizeof text,
                 "&time duration = 100, dt = 2 /\n&dynamics gravity = 0, mixing = 'off' /\n"
                 "&forcing z = 200, 600, theta_rate = -1e-4, -3e-4, interval = %d /",
                 seldom ? 10 : 0);
        open_case(text), go();
        for (int k = 0; k < 8; k++) {
            const double share = fmin(fmax((height(k) - 200) / 400, 0), 1), rate = -1e-4 - 2e-4 * share;
            cr_assert_float_eq(value(F_TH, k), (seldom ? 90 : 100) * rate, 3e-5, "level %d: %g", k, value(F_TH, k));
        }
        session_close(&session);
    }
}

/* Wind and theta return to a profile as exp(-t / time), forward in time; where the share is 0 they stay. */
Test(forcing, nudging_decays)
{
    open_case("&time duration = 200, dt = 2 /\n&dynamics gravity = 0, mixing = 'off' /\n"
              "&base wind = 'constant', wind_u = 10, wind_v = 4 /\n"
              "&forcing z = 300, 301, nudging_time = 100, nudging_share = 1, 0, nudging_u = 2*2, nudging_v = 2*-6, "
              "nudging_theta = 2*300.1 /");
    go();
    const double left = pow(1 - 0.02, 100);
    for (int k = 0; k < 8; k++) {
        const int is = height(k) < 300;
        cr_assert_float_eq(value(F_U, k) + 2, is ? 2 + 8 * left : 10, 1e-3, "u of level %d: %g", k, value(F_U, k) + 2);
        cr_assert_float_eq(value(F_V, k) - 1, is ? -6 + 10 * left : 4, 1e-3, "v of level %d: %g", k, value(F_V, k) - 1);
        cr_assert_float_eq(value(F_TH, k), is ? 0.1 * (1 - left) : 0, 3e-4, "theta of level %d: %g", k, value(F_TH, k));
    }
    session_close(&session);
}

/* The wind turns around the geostrophic one, which is not that of the base state: an exact circle. */
Test(forcing, wind_turns_around_the_geostrophic)
{
    open_case("&time duration = 2000, dt = 5 /\n&dynamics coriolis_f = 1e-3, mixing = 'off' /\n"
              "&base wind = 'constant', wind_u = 3, wind_v = 1 /\n"
              "&forcing z = 0, 800, geostrophic_u = 10, 10, geostrophic_v = 0, -8 /");
    go();
    for (int k = 0; k < 8; k++) {
        const double vg = -height(k) / 100, c = cos(2), s = sin(2), u = 10 + (3 - 10) * c + (1 - vg) * s,
                     v = vg + (1 - vg) * c - (3 - 10) * s;
        cr_assert_float_eq(value(F_U, k) + 2, u, 2e-3, "u of level %d: %g, not %g", k, value(F_U, k) + 2, u);
        cr_assert_float_eq(value(F_V, k) - 1, v, 2e-3, "v of level %d: %g, not %g", k, value(F_V, k) - 1, v);
    }
    session_close(&session);
}

/* Ekman's spiral below a geostrophic wind that is given, in a base state at rest: exact to second order of its levels,
 * and that of a base wind, but for rounding. */
static double spiral(const char *by, double wind[2][48])
{
    static char text[1024];
    const double f = 1e-3, K = 5, d = sqrt(2 * K / f), U = 10;
    double sum = 0;
    snprintf(text, sizeof text,
             "&grid nx = 1, ny = 1, nz = 48, dx = 1e6, dy = 1e6, dz = 20 /\n&time duration = 1600, dt = 0.5 /\n"
             "&dynamics mixing = 'constant', viscosity = 5, coriolis_f = 1e-3, expected_speed = 0 /\n"
             "&surface drag = 'no_slip' /\n%s\n",
             by);
    weather_open(&session, text);
    for (int k = 0; k < 48; k++)
        for (int j = -1; j <= 1; j++)
            for (int i = -1; i <= 1; i++) {
                const double z = session.grid.z_c[k] / d;
                *weather_at(&session, F_U, i, j, k) = (real)(U * (1 - exp(-z) * cos(z)));
                *weather_at(&session, F_V, i, j, k) = (real)(U * exp(-z) * sin(z));
            }
    go();
    for (int k = 0; k < 48; k++) {
        const double z = session.grid.z_c[k] / d;
        wind[0][k] = (double)*weather_at(&session, F_U, 0, 0, k),
        wind[1][k] = (double)*weather_at(&session, F_V, 0, 0, k);
        sum += pow(wind[0][k] - U * (1 - exp(-z) * cos(z)), 2) + pow(wind[1][k] - U * exp(-z) * sin(z), 2);
    }
    session_close(&session);
    return sqrt(sum / 48) / U;
}

Test(forcing, ekman_spiral_of_a_given_wind, .timeout = 240)
{
    double given[2][48], base[2][48];
    cr_assert_lt(spiral("&forcing z = 0, geostrophic_u = 10 /", given), 3e-3);
    spiral("&base wind = 'constant', wind_u = 10 /", base);
    for (int k = 0; k < 48; k++)
        for (int n = 0; n < 2; n++) cr_assert_float_eq(given[n][k], base[n][k], 1e-3, "%d %d", n, k);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static char path[64];
static void file_write(const char *text)
{
    strcpy(path, "/tmp/sferic_forcing_XXXXXX");
    const int fd = mkstemp(path);
    cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !close(fd));
}

/* Rates that change in time: those at the beginning of each step are added up, before the first of the times and behind
 * the last, too. Ten steps a pass or one make no difference. */
Test(forcing, values_between_times)
{
    double found[2][8];
    file_write("# two columns, three times\nz theta_rate u_rate ! names\ntime 50\n0 0 1e-3\n800, 0, 1e-3\n"
               "time = 100\n0 -1e-3 1e-3\n800 -1e-3 1e-3\ntime 200\n0 2e-3 0\n400 2e-3 0\n800 1e-3 0\n");
    for (int n = 0; n < 2; n++) {
        char text[512];
        snprintf(text, sizeof text,
                 "&time duration = 260, dt = 2 /\n&dynamics gravity = 0, mixing = 'off' /\n&forcing file = '%s' /\n"
                 "&pipeline steps_per_pass = %d /",
                 path, n ? 10 : 1);
        open_case(text), go();
        double theta[2] = {0, 0}, u = 0;
        for (int s = 0; s < 130; s++) {
            const double t = 2 * s, first = fmin(fmax((t - 50) / 50, 0), 1), then = fmin(fmax((t - 100) / 100, 0), 1);
            theta[0] += 2 * (t < 100 ? -1e-3 * first : -1e-3 + 3e-3 * then);
            theta[1] += 2 * (t < 100 ? -1e-3 * first : -1e-3 + (3e-3 - 1e-3 * 350 / 400) * then);
            u += 2 * 1e-3 * (1 - then);
        }
        cr_assert_float_eq(value(F_TH, 2), theta[0], 2e-4, "%g, not %g", value(F_TH, 2), theta[0]);
        cr_assert_float_eq(value(F_TH, 7), theta[1], 2e-4, "%g, not %g", value(F_TH, 7), theta[1]);
        cr_assert_float_eq(value(F_U, 3) + 2, u, 2e-4, "%g, not %g", value(F_U, 3) + 2, u);
        for (int k = 0; k < 8; k++) found[n][k] = value(F_TH, k);
        session_close(&session);
    }
    cr_assert_arr_eq(found[0], found[1], sizeof found[0]);
    unlink(path);
}

/* A mistake in a file, and what is said of it. */
Test(forcing, mistakes_of_files_are_told)
{
    static const struct {
        const char *text, *said;
    } of[] = {{"theta_rate z\n0 1\n", "line 1: the first line names the columns"},
              {"z warmth\n0 1\n", "there is no profile 'warmth'"},
              {"z theta_rate theta_rate\n0 1 1\n", "two columns are theta_rate"},
              {"z\n0\n", "no column beside the heights"},
              {"0 1\n", "line 1: the first line names the columns"},
              {"z theta_rate\n0 1e-4\n0 1e-4\n", "line 3: heights must rise: 0 m follows 0 m"},
              {"z theta_rate\n-5 1e-4\n", "heights are above the ground"},
              {"z theta_rate\n0 5\n", "theta_rate of 5 K s-1 lies outside of -1 to 1"},
              {"z theta_rate\n0 x1\n", "line 2: 'x1' is no number"},
              {"z theta_rate\nz u_rate\n", "line 2: the names of columns came before"},
              {"z theta_rate\n0 1e-4x\n", "'1e-4x' is no number"},
              {"z theta_rate\n0\n", "1 numbers, but 2 columns"},
              {"z theta_rate\n0 1e-4 1\n", "more numbers than the 2 columns"},
              {"z theta_rate\n0 1e-4\ntime 5\n0 1e-4\n", "values stand before the first line of a time"},
              {"z theta_rate\ntime 5\n0 1e-4\ntime 5\n0 1e-4\n", "times must rise: 5 s follows 5 s"},
              {"z theta_rate\ntime 5\ntime 6\n0 1e-4\n", "no values before this line"},
              {"z theta_rate\ntime 5\n", "at its end: no values"},
              {"Z Theta_Rate\n", "has no rows below the names of its columns"},
              {"z theta_rate\n0 1d-4x\n", "is no number"},
              {"# nothing\n", "is empty: its first line names the columns"}};
    for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) {
        struct forced_blocks b = {0};
        const struct instance in = {.model = &dynamics_model};
        file_write(of[n].text);
        sf_error_clear();
        cr_assert_eq(forced_read(&b, path, &in), SF_INPUT, "%s", of[n].text);
        cr_assert_not_null(strstr(sf_error_text(), of[n].said), "%s: %s", of[n].said, sf_error_text());
        forced_free(&b);
        unlink(path);
    }
}

/* ---- budgets ----------------------------------------------------------------------------------------------------- */

static double quantity(const char *name)
{
    static double values[64];
    double courant;
    cr_assert_eq(engine_refresh(&session.engine), SF_OK);
    cr_assert_eq(session.in.model->measure(&session.in, &session.state, 2, values, &courant), SF_OK);
    for (int n = 0; n < session.in.nquantities; n++)
        if (!strcmp(session.in.quantity[n].name, name)) return values[n];
    cr_assert_fail("no %s", name);
    return 0;
}

/* What energy and water the air has more is what forcing gave; and its mass stays. */
Test(forcing, budgets_have_what_was_given, .timeout = 240)
{
    weather_open(&session,
                 "&grid nx = 4, ny = 6, nz = 12, dx = 2000, dy = 2000, dz = 250 /\n&time duration = 600, dt = 2 /\n"
                 "&base profile = 'constant_n', relative_humidity = 0.6 /\n&water scheme = 'saturation' /\n"
                 "&dynamics mixing = 'off' /\n"
                 "&forcing z = 0, 1500, 3000, subsidence = 0, -0.05, 0, theta_rate = 3*-1e-3, qv_rate = 3*-2e-7 /\n");
    const double water = quantity("water"), energy_then = quantity("energy");
    cr_assert_eq(quantity("forcing_water"), 0);
    cr_assert_eq(quantity("forcing_energy"), 0);
    go();
    const double wetter = quantity("water") - water, warmer = quantity("energy") - energy_then,
                 wet = quantity("forcing_water"), warm = quantity("forcing_energy");
    cr_assert(wet < -3e-3 * water && warm < -1e-3 * energy_then, "%g kg of %g, %g J of %g", wet, water, warm,
              energy_then);
    cr_assert_float_eq(wetter, wet, 3e-6 * water, "%g kg more, %g given, of %g", wetter, wet, water);
    cr_assert_float_eq(warmer, warm, 3e-6 * energy_then, "%g J more, %g given, of %g", warmer, warm, energy_then);
    cr_assert_lt(fabs(quantity("mass_drift")), 2e-6);
    session_close(&session);
}
