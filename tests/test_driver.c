/* Sides that a file leads, and starts from a file over terrain, by value: weights, levels in time and heights of files
 * of linear functions, which straight lines give back; the stages on random air; pressure balanced upward from the
 * ground; and what is refused. SPDX-License-Identifier: MIT */
#include "support_driver.h"
#include "support_weather.h"

#include "dynamics/driver.h"
#include "dynamics/initial_parts.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NX = 12, NY = 9, NZ = 10 };
static struct session session;
static char path[64];
static const double unit = sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON;

#define GRID                                                                                                           \
    "&case name = 'driven' /\n&grid nx = 12, ny = 9, nz = 10, dx = 1000, dy = 1500,\n"                                 \
    "size_z = 400, 500, 500, 600, 600, 600, 700, 700, 700, 700 /\n&time duration = 1200, dt = 2 /\n"
#define HILL "&terrain shape = 'bell', height = 900, half_width = 2500, x = 6000, y = 6750, coordinate = 'hybrid' /\n"
#define OPEN "&boundary west = 'open', east = 'open', south = 'open', north = 'open' /\n"
#define FOR_CELLS                                                                                                      \
    for (int j = 0; j < NY; j++)                                                                                       \
        for (int k = 0; k < NZ; k++)                                                                                   \
            for (int i = 0; i < NX; i++)

static const struct dynamics_own *own(void) { return session.in.own; }
static double here(int field, int i, int j, int k) { return (double)*weather_at(&session, field, i, j, k); }

static double u_form(double x, double y, double z, double t) { return driver_variable[DRIVER_U].of(x, y, z, t); }
static double v_form(double x, double y, double z, double t) { return driver_variable[DRIVER_V].of(x, y, z, t); }
static double theta_form(double x, double y, double z, double t)
{
    return driver_variable[DRIVER_THETA].of(x, y, z, t);
}
static double vapour_form(double x, double y, double z, double t) { return driver_variable[DRIVER_QV].of(x, y, z, t); }
static double height_in_km(double x, double y, double z, double t)
{
    return 1e-3 * driver_variable[DRIVER_HEIGHT].of(x, y, z, t);
}
static double temperature_form(double x, double y, double z, double t)
{
    return theta_form(x, y, z, t) * driver_exner(x, y, z, t);
}
static const struct driver_variable *const all = driver_variable;
enum { WINDS_AND_AIR = 5, WITH_HEIGHTS = 6 };

/* Times 600 s apart. */
static void file_make(const struct driver_variable *v, int variables, int times, double first, int by_column)
{
    snprintf(path, sizeof path, "/tmp/sferic-driver-%ld.nc", (long)getpid());
    driver_file_make(path, &(struct driver_of){NX, NY, times, 1000, 1500, first, 600}, v, variables, by_column);
}

static void opened(const char *more, const char *terrain)
{
    char text[4096];
    snprintf(text, sizeof text, GRID "%s\n%s\n", more, terrain);
    weather_open(&session, text);
}

static const char driven[] =
    OPEN "&water scheme = 'kessler' /\n&base profile = 'constant_n', relative_humidity = 0.3 /\n"
         "&driver file = '%s', rows = 3, scale = 1.5 /\n";

static void driven_open(const char *more, const char *terrain)
{
    char text[2048];
    int n = snprintf(text, sizeof text, driven, path);
    snprintf(text + n, sizeof text - (size_t)n, "%s", more);
    opened(text, terrain);
}

/* ---- weights ---- */

static double weight(double away) { return away < 3 ? 1 - tanh((away > 0 ? away : 0) / 1.5) : 0; }

static double toward(int field, int i, int j)
{
    const struct slab *const s = &session.state.host.s;
    return (double)s->f[field][(j - s->j0) * s->sm + i];
}

Test(driver, weights_by_value)
{
    file_make(all, WINDS_AND_AIR, 3, 0, 0);
    for (int n = 0; n < 2; n++) {
        char text[2048];
        snprintf(text, sizeof text, driven, path);
        if (n)
            memcpy(strstr(text, "east = 'open'"), "east = 'wall'", 13),
                memcpy(strstr(text, "south = 'open'"), "south = 'wall'", 14);
        opened(text, "");
        for (int j = 0; j <= NY; j++)
            for (int i = 0; i <= NX; i++) {
                const double away = fmin(fmin(i, n ? 99 : NX - 1 - i), fmin(n ? 99 : j, NY - 1 - j));
                const double away_u = fmin(fmin(i - 0.5, n ? 99 : NX - 0.5 - i), fmin(n ? 99 : j, NY - 1 - j));
                const double away_v = fmin(fmin(i, n ? 99 : NX - 1 - i), fmin(n ? 99 : j - 0.5, NY - 0.5 - j));
                if (i < NX && j < NY) cr_assert_float_eq(toward(F_TOWARD, i, j), weight(away), unit);
                /* On a wall nothing blows, and nobody asks. */
                if (j < NY && !(n && i == NX))
                    cr_assert_float_eq(toward(F_TOWARD_U, i, j), weight(away_u), unit, "u at %d %d", i, j);
                if (i < NX && !(n && j == 0))
                    cr_assert_float_eq(toward(F_TOWARD_V, i, j), weight(away_v), unit,
                                       "v at %d %d of case %d: %g, not %g", i, j, n, toward(F_TOWARD_V, i, j),
                                       weight(away_v));
            }
        session_close(&session);
    }
    unlink(path);
}

/* ---- levels in time ---- */

static void level_check(int later, double asked, double time, double of, int over)
{
    struct slab to = session.state.host.s;
    double at = asked;
    static const int field[] = {F_DRIVER_U, F_DRIVER_V, F_DRIVER_TH, F_DRIVER_PI, F_DRIVER_QV};
    for (int f = 0; f < 5; f++) {
        at = asked;
        if (!session.in.field[field[f]].is_fed_along)
            cr_assert_eq(session.model->feed(&session.in, &to, &session.state.host.lay, field[f], later, &at), SF_OK);
        else at = time;
        cr_assert(at == time, "%g for %g, not %g", at, asked, time);
        for (int j = 0; j < NY + (f == 1); j++)
            for (int k = 0; k < NZ; k++)
                for (int i = 0; i < NX + (f == 0); i++) {
                    const int a = i < NX ? i : NX - 1, b = j < NY ? j : NY - 1;
                    const double zc = terrain_z_c(own(), a, b, k),
                                 z = f == 0   ? (terrain_z_c(own(), i - 1, b, k) + terrain_z_c(own(), i, b, k)) / 2
                                     : f == 1 ? (terrain_z_c(own(), a, j - 1, k) + terrain_z_c(own(), a, j, k)) / 2
                                              : zc;
                    /* On the sides themselves stands what is next to them. */
                    const double x = f ? 1000 * (a + 0.5) : fmin(fmax(1000. * i, 500), 1000 * NX - 500),
                                 y = f == 1 ? fmin(fmax(1500. * j, 750), 1500 * NY - 750) : 1500 * (b + 0.5);
                    const struct base_point p = base_air_at(&own()->base, zc);
                    const double wanted = f == 0   ? u_form(x, y, z, of)
                                          : f == 1 ? v_form(x, y, z, of)
                                          : f == 2 ? theta_form(x, y, z, of) - p.theta
                                          : f == 3 ? driver_exner(x, y, z, of) - p.pi0
                                                   : vapour_form(x, y, z, of);
                    const double scale = f == 2 ? 400 : f == 3 ? 1 : f == 4 ? 0.01 : 20;
                    cr_assert_float_eq((double)*weather_at(&session, field[f], i, j, k), wanted,
                                       4 * unit * scale + (over ? 2e-10 : 1e-12),
                                       "field %d at %d %d %d, %g s: %.9g, not %.9g", f, i, j, k, of,
                                       (double)*weather_at(&session, field[f], i, j, k), wanted);
                }
    }
}

Test(driver, levels_in_time)
{
    for (int over = 0; over < 2; over++) {
        file_make(all, WINDS_AND_AIR, 3, 0, 0);
        driven_open("", over ? HILL : "");
        cr_assert_eq(own()->driver.times, 3);
        cr_assert(!own()->holds_mass);
        level_check(0, 0, 0, 0, over), level_check(1, 0, 600, 600, over);
        level_check(0, 599, 0, 0, over), level_check(1, 599, 600, 600, over);
        level_check(0, 600, 600, 600, over), level_check(1, 601, 1200, 1200, over);
        level_check(0, 1200, 1200, 1200, over), level_check(1, 1200, INFINITY, 1200, over);
        session_close(&session);
        file_make(all, WINDS_AND_AIR, 1, 300, 0); /* one time holds all along */
        session.in.own = NULL;
        file_make(all, WINDS_AND_AIR, 1, 0, 0);
        driven_open("", over ? HILL : "");
        level_check(0, 700, 700, 0, over), level_check(1, 700, INFINITY, 0, over);
        session_close(&session);
        unlink(path);
    }
}

/* Around a channel the eastern face of the last column is the western one of the first. */
Test(driver, a_channel_is_closed)
{
    file_make(all, WINDS_AND_AIR, 2, 0, 0);
    char text[2048];
    snprintf(text, sizeof text,
             "&boundary south = 'open', north = 'open' /\n&time duration = 600 /\n&driver file = '%s', rows = 3 /\n",
             path);
    opened(text, "");
    for (int f = F_DRIVER_U; f <= F_DRIVER_PI; f++) {
        struct slab to = session.state.host.s;
        double at = 0;
        if (!session.in.field[f].is_fed_along)
            cr_assert_eq(session.model->feed(&session.in, &to, &session.state.host.lay, f, 0, &at), SF_OK);
        for (int j = 0; j < NY; j++)
            for (int k = 0; k < NZ; k++) {
                cr_assert_eq(here(f, NX, j, k), here(f, 0, j, k), "field %d", f);
                cr_assert_eq(here(f, -1, j, k), here(f, NX - 1, j, k), "field %d", f);
                cr_assert_neq(here(f, 1, j, k), here(f, 0, j, k));
            }
        for (int k = 0; k < NZ && f == F_DRIVER_U; k++) /* between columns on both sides of the seam */
            cr_assert_float_eq(
                here(f, 0, 2, k),
                (u_form(500, 3750, own()->grid->z_c[k], 0) + u_form(11500, 3750, own()->grid->z_c[k], 0)) / 2,
                20 * 4 * unit);
    }
    session_close(&session);
    unlink(path);
}

/* ---- the stages ---- */

Test(driver, stages_by_value)
{
    enum { NI = 5, NJ = 4, NK = 3 };
    static struct air air;
    static const int of[] = {F_U, F_V, F_W, F_TH, F_PI, F_QV, F_QC, F_QR},
                     to[] = {F_DRIVER_U, F_DRIVER_V, -1, F_DRIVER_TH, F_DRIVER_PI, F_DRIVER_QV, -1, -1},
                     by[] = {F_TOWARD_U, F_TOWARD_V, F_TOWARD, F_TOWARD, F_TOWARD, F_TOWARD, F_TOWARD, F_TOWARD};
    for (int over = 0; over < 2; over++) {
        air_make(&air, NI, NJ, NK, 1);
        air.d.rdx = R(0.5), air.d.rdy = R(0.25);
        for (int f = 0; f < 8; f++) air_fill(&air, of[f], 9, 1 << 10);
        for (int f = F_DRIVER_U; f <= F_DRIVER_QV; f++) air_fill(&air, f, 9, 1 << 10);
        for (int f = F_LARGE_WEST; f <= F_SMALL_NORTH; f++) air_fill(&air, f, 2, 1 << 8);
        air_fill(&air, F_MAP_FACTOR, 2, 1 << 8);
        air_levels(&air, P_DECAY_L, 0.1, 1, 1 << 8), air_levels(&air, P_DECAY_S, 0.1, 1, 1 << 8);
        for (int k = -3; k < NK + 3; k++) air.s.f[P_ON_GROUND][k] = (real)(k < 0 ? 2 : !k);
        for (int j = -1; j <= NJ; j++)
            for (int i = -1; i <= NI; i++)
                for (int f = F_TOWARD; f <= F_TOWARD_V; f++)
                    air.s.f[f][j * air.s.sm + i] = (real)(i % 2 ? air_random(0, 1) : 0);
        static double before[8][NJ][NK][NI];
        for (int f = 0; f < 8; f++)
            for (int j = 0; j < NJ; j++)
                for (int k = 0; k < NK; k++)
                    for (int i = 0; i < NI; i++) before[f][j][k][i] = (double)*air_at(&air, of[f], i, j, k);
        const struct call c = {.dt = 1, .ctx = &air.d};
        (over ? drive_w_over_run : drive_w_run)(&air.s, air_box(&air, 0), &c);
        drive_run(&air.s, air_box(&air, 0), &c), drive_wind_run(&air.s, air_box(&air, 0), &c);
        drive_water_run(&air.s, air_box(&air, 0), &c);
        for (int f = 0; f < 8; f++)
            for (int j = 0; j < NJ; j++)
                for (int k = 0; k < NK; k++)
                    for (int i = 0; i < NI; i++) {
                        const double w = (double)air.s.f[by[f]][j * air.s.sm + i];
                        double wanted = to[f] < 0 ? 0 : (double)*air_at(&air, to[f], i, j, k);
                        for (int m = k - 1; f == 2 && over && k && m <= k; m++) {
                            double slope[2];
                            for (int y = 0; y < 2; y++) {
                                const ptrdiff_t at = j * air.s.sm + i;
                                const int low = y ? F_LARGE_SOUTH : F_LARGE_WEST,
                                          high = y ? F_LARGE_NORTH : F_LARGE_EAST;
                                slope[y] =
                                    (y ? 0.25 : 0.5) * (double)air.s.f[F_MAP_FACTOR][at] *
                                    ((double)air.s.f[P_DECAY_L][m] * (double)(air.s.f[high][at] - air.s.f[low][at]) +
                                     (double)air.s.f[P_DECAY_S][m] *
                                         (double)(air.s.f[high + 1][at] - air.s.f[low + 1][at]));
                            }
                            wanted += 0.25 * (slope[0] * ((double)*air_at(&air, F_DRIVER_U, i, j, m) +
                                                          (double)*air_at(&air, F_DRIVER_U, i + 1, j, m)) +
                                              slope[1] * ((double)*air_at(&air, F_DRIVER_V, i, j, m) +
                                                          (double)*air_at(&air, F_DRIVER_V, i, j + 1, m)));
                        }
                        const double is = (double)*air_at(&air, of[f], i, j, k), had = before[f][j][k][i];
                        cr_assert_float_eq(is, had + w * (wanted - had), 64 * unit * 9,
                                           "field %d at %d %d %d: %.9g, not %.9g", f, i, j, k, is,
                                           had + w * (wanted - had));
                        if (!(w > 0)) cr_assert_eq(is, had);
                    }
        air_free(&air);
    }
}

static double same_u(double x, double y, double z, double t) { return (void)x, (void)y, (void)z, (void)t, 30; }
static double same_v(double x, double y, double z, double t) { return (void)x, (void)y, (void)z, (void)t, -12; }
static double same_theta(double x, double y, double z, double t) { return (void)x, (void)y, (void)z, (void)t, 300; }
static double same_departure(double x, double y, double z, double t) { return (void)x, (void)y, (void)z, (void)t, 0; }

/* ---- what a file gives ---- */

static double number_of(const char *name)
{
    double values[64], courant;
    cr_assert_leq(session.in.nquantities, 64);
    cr_assert_eq(session.model->measure(&session.in, &session.state, 2, values, &courant), SF_OK);
    for (int n = 0; n < session.in.nquantities; n++)
        if (!strcmp(session.in.quantity[n].name, name)) return values[n];
    cr_assert_fail("no %s", name);
    return 0;
}

static void budget_open(int wet, const char *sides)
{
    char text[3072];
    snprintf(text, sizeof text,
             "&water scheme = '%s' /\n&base profile = 'neutral'%s /\n&dynamics side_budget = .true. /\n"
             "&driver file = '%s', rows = 3, scale = 1.5 /\n%s",
             wet ? "kessler" : "none", wet ? ", relative_humidity = 0.3" : "", path, sides);
    opened(text, "");
}

/* What stages draw to the file changes mass, energy and water of the air by what is counted before them: the
 * difference of two sums of the series, which are of another header. Those are in double, of numbers of `real` that
 * both sides have alike; heights of levels and g z are rounded to `real` in stages. */
Test(driver, what_is_given_is_what_changes)
{
    static const char *const name[] = {"mass", "energy", "water"}, *const out[] = {"mass_out", "energy_out",
                                                                                   "water_out"};
    file_make(all, WINDS_AND_AIR, 3, 0, 0);
    for (int n = 0; n < 4; n++) {
        const int wet = n & 1;
        budget_open(wet, n < 2 ? OPEN : "&boundary west = 'open', east = 'wall', south = 'wall', north = 'open' /\n");
        weather_stir(&session);
        FOR_CELLS for (int q = 0; q < 3 && wet; q++) * weather_at(&session, F_Q + F_FAMILY * q, i, j, k) =
            (real)air_random(1e-3, 9e-3);
        struct slab s = session.state.host.s;
        for (int f = F_DRIVER_U; f <= (wet ? F_DRIVER_QV : F_DRIVER_PI); f++) {
            double time = 0;
            if (session.in.field[f].is_fed_along) continue;
            cr_assert_eq(session.model->feed(&session.in, &s, &session.state.host.lay, f, 0, &time), SF_OK);
        }
        for (int k = 0; k < NZ && n > 1; k++) { /* nothing blows through walls */
            for (int j = -1; j <= NY; j++) *weather_at(&session, F_U, NX, j, k) = 0;
            for (int i = -1; i <= NX; i++) *weather_at(&session, F_V, i, 0, k) = 0;
        }
        for (int j = -1; j <= NY; j++)
            for (int i = -1; i <= NX; i++) *weather_at(&session, F_W, i, j, 0) = 0;
        double before[3], after[3];
        for (int m = 0; m < 2 + wet; m++) before[m] = number_of(name[m]);
        for (int f = 0; f < SF_MAX_CHANGED; f++) s.w[f] = s.f[f];
        static real work[1 << 14];
        const struct call c = {.dt = 2, .ctx = session.in.ctx, .work = work};
        const struct box box = {0, NX, 0, NZ, 0, NY}, faces = {0, NX + (n < 2), 0, NZ, 0, NY + 1};
        (wet ? driven_wet_run : driven_run)(&s, box, &c);
        drive_w_run(&s, box, &c), drive_run(&s, box, &c);
        if (wet) drive_water_run(&s, box, &c);
        drive_wind_run(&s, faces, &c);
        for (int m = 0; m < 2 + wet; m++) {
            after[m] = number_of(name[m]);
            const double change = after[m] - before[m], gave = -number_of(out[m]);
            cr_assert_float_eq(gave, change, 2e-6 * fabs(change) + 1e-13 * before[m], "%d: %s: %.12g given, %.12g more",
                               n, name[m], gave, change);
            cr_assert_gt(fabs(change), 1e-4 * fabs(before[m]));
        }
        session_close(&session);
    }
    unlink(path);
}

/* Of a run: what the domain has more came through its sides, or from the file. A wind of 32 m/s carries two thirds of
 * the air out of this box in 300 s; guarded at twice of what is open then, of all: the air of vapour that comes is not
 * in balance, and rings. With vapour of the base state on sides a quarter of the water would be. */
Test(driver, a_led_box_has_what_it_was_given, .timeout = 300)
{
    const struct driver_variable v[] = {{"u", "m s-1", same_u},
                                        {"v", "m s-1", same_v},
                                        {"theta", "K", same_theta},
                                        {"pi_p", "1", same_departure},
                                        {"qv", "kg kg-1", vapour_form}};
    file_make(v, 5, 3, 0, 0);
    char text[2048];
    snprintf(text, sizeof text, OPEN "&initial file = '%s', file_time = 0 /\n", path);
    budget_open(1, text);
    double before[3];
    static const double open[] = {2e-3, 8e-4, 9e-4};
    static const char *const name[] = {"mass", "energy", "water"};
    static const char *const out[] = {"mass_out", "energy_out", "water_out"};
    for (int m = 0; m < 3; m++) before[m] = number_of(name[m]);
    cr_assert_eq(session_advance(&session, 150), SF_OK);
    cr_assert_eq(engine_refresh(&session.engine), SF_OK);
    for (int m = 0; m < 3; m++) {
        const double rain = m == 1 ? number_of("rain_energy") : 0, change = number_of(name[m]) - before[m] + rain,
                     came = -number_of(out[m]);
        cr_assert_lt(fabs(change - came), open[m] * before[m], "%s: %g more, %g came, of %g", name[m], change, came,
                     before[m]);
        cr_assert(m != 2 || fabs(number_of("water_out")) < 0.01 * before[2]);
    }
    session_close(&session);
    unlink(path);
}

/* ---- nothing else leads ---- */

/* A wind that is the same everywhere, in air as the base state has it, stays to the bit, whatever the base wind is. */
Test(driver, a_wind_that_is_the_same_stays)
{
    const struct driver_variable v[] = {
        {"u", "m s-1", same_u}, {"v", "m s-1", same_v}, {"theta", "K", same_theta}, {"pi_p", "1", same_departure}};
    for (int n = 0; n < 2; n++) {
        char text[1024];
        file_make(v, 4, 2, 0, 0);
        snprintf(
            text, sizeof text,
            OPEN
            "&time duration = 400 /\n&base profile = 'neutral', wind = '%s', wind_u = 7 /\n&dynamics rayleigh_depth = 2000 /\n"
            "&initial file = '%s', file_time = 0 /\n&driver file = '%s', rows = 3 /\n",
            n ? "constant" : "calm", path, path);
        opened(text, "");
        cr_assert_eq(session_advance(&session, 50), SF_OK);
        cr_assert_eq(engine_refresh(&session.engine), SF_OK);
        FOR_CELLS
        {
            cr_assert_eq(here(F_U, i, j, k), 30, "u at %d %d %d: %.9g", i, j, k, here(F_U, i, j, k));
            cr_assert_eq(here(F_V, i, j, k), -12);
            cr_assert_eq(here(F_W, i, j, k), 0);
            cr_assert_eq(here(F_TH, i, j, k), 0);
            cr_assert_eq(here(F_PI, i, j, k), 0);
        }
        session_close(&session);
        unlink(path);
    }
}

/* What &initial adds is none of the file's at the sides. */
Test(driver, the_atmosphere_of_the_start_is_not_added)
{
    file_make(all, WINDS_AND_AIR, 3, 0, 0);
    driven_open(
        "&initial atmosphere = 'constant_n', atmosphere_theta = 290, atmosphere_brunt_vaisala = 0.01,\n"
        "variable = 'theta', shape = 'gaussian', amplitude = 5, radius_x = 9000, radius_y = 9000, radius_z = 3000 /\n",
        "");
    level_check(0, 0, 0, 0, 0);
    session_close(&session);
    unlink(path);
}

/* ---- a start over terrain ---- */

static void start_open_file(const char *more, const char *terrain, const char *keys)
{
    char text[2048];
    snprintf(text, sizeof text,
             OPEN "&water scheme = 'kessler' /\n&base profile = 'constant_n', relative_humidity = 0.3 /\n%s"
                  "&initial file = '%s'%s /\n",
             more, path, keys);
    opened(text, terrain);
}

Test(driver, a_start_takes_true_heights)
{
    struct driver_variable far[DRIVER_VARIABLES];
    memcpy(far, all, sizeof far);
    far[DRIVER_HEIGHT].units = "km", far[DRIVER_HEIGHT].of = height_in_km;
    for (int n = 0; n < 4; n++) { /* heights of the file's levels; by column, in m and in km; flat ground with those */
        file_make(n == 2 ? far : all, n ? WITH_HEIGHTS : WINDS_AND_AIR, 1, 0, n > 0);
        start_open_file("", n < 3 ? HILL : "", "");
        FOR_CELLS
        {
            const double x = 1000 * (i + 0.5), y = 1500 * (j + 0.5), z = terrain_z_c(own(), i, j, k);
            const struct base_point p = base_air_at(&own()->base, z);
            cr_assert_float_eq(here(F_TH, i, j, k), theta_form(x, y, z, 0) - p.theta, 400 * 4 * unit + 1e-9,
                               "theta' at %d %d %d: %.9g, not %.9g", i, j, k, here(F_TH, i, j, k),
                               theta_form(x, y, z, 0) - p.theta);
            cr_assert_float_eq(here(F_PI, i, j, k), driver_exner(x, y, z, 0) - p.pi0, 4 * unit + 1e-12, "pi'");
            cr_assert_float_eq(here(F_QV, i, j, k), vapour_form(x, y, z, 0), 0.01 * 4 * unit + 1e-12, "vapour");
            if (!i || !j) continue;
            const double z_u = (terrain_z_c(own(), i - 1, j, k) + z) / 2,
                         z_v = (terrain_z_c(own(), i, j - 1, k) + z) / 2;
            cr_assert_float_eq(here(F_U, i, j, k), u_form(1000. * i, y, z_u, 0), 20 * 4 * unit + 1e-5, "u");
            cr_assert_float_eq(here(F_V, i, j, k), v_form(x, 1500. * j, z_v, 0), 20 * 4 * unit + 1e-5, "v");
        }
        session_close(&session);
        unlink(path);
    }
}

/* Air begins along the surfaces, of the file's wind. */
Test(driver, a_start_goes_along_slopes)
{
    file_make(all, WINDS_AND_AIR, 1, 0, 0);
    start_open_file("", HILL, "");
    const struct slab *const s = &session.state.host.s;
    for (int j = 1; j + 1 < NY; j++)
        for (int i = 1; i + 1 < NX; i++)
            for (int k = 1; k < NZ; k++) {
                double wanted = 0;
                for (int m = k - 1; m <= k; m++) {
                    const ptrdiff_t at = (j - s->j0) * s->sm + i;
                    const double a = (double)s->f[P_DECAY_L][m];
                    wanted += 0.25 * a * (double)(s->f[F_LARGE_EAST][at] - s->f[F_LARGE_WEST][at]) / 1000 *
                                  (here(F_U, i, j, m) + here(F_U, i + 1, j, m)) +
                              0.25 * a * (double)(s->f[F_LARGE_NORTH][at] - s->f[F_LARGE_SOUTH][at]) / 1500 *
                                  (here(F_V, i, j, m) + here(F_V, i, j + 1, m));
                }
                cr_assert_float_eq(here(F_W, i, j, k), wanted, 100 * unit, "w at %d %d %d: %.9g, not %.9g", i, j, k,
                                   here(F_W, i, j, k), wanted);
            }
    session_close(&session);
    unlink(path);
}

/* Upward from the file's pressure of the lowest cell, with the model's own gradient and theta_rho; temperature, or
 * theta, stays. A step of such air makes next to no wind upward. */
static void balance_check(int is_temperature, const char *terrain, const char *more)
{
    const struct driver_variable air[] = {
        is_temperature ? (struct driver_variable){"temperature", "K", temperature_form} : all[2], all[3], all[4]};
    file_make(air, 3, 1, 0, 0);
    start_open_file("", terrain, more);
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            double rho = 0, pi = 0, z = 0;
            for (int k = 0; k < NZ; k++) {
                const double x = 1000 * (i + 0.5), y = 1500 * (j + 0.5), at = terrain_z_c(own(), i, j, k), low = z;
                const struct base_point p = base_air_at(&own()->base, at);
                const double theta = p.theta + here(F_TH, i, j, k), is = p.pi0 + here(F_PI, i, j, k),
                             q = here(F_QV, i, j, k);
                const double now = theta * (1 + 461.5 / 287 * q) / (1 + q), below = pi;
                if (!k) cr_assert_float_eq(is, driver_exner(x, y, at, 0), 4 * unit + 1e-12);
                else {
                    const double step = -9.80665 * (at - low) / (1004.5 * (rho + now) / 2);
                    /* Over terrain the balance is one of departures: pi_0 at both heights is of a trapezoid up to 700 m
                     * high, off by 700^3/12 of g/cp (1/theta)'', 1.2e-14/m3. */
                    cr_assert_float_eq(is - below, step, 8 * unit + (terrain[0] ? 7e-7 : 1e-9),
                                       "%d %d %d: %.9g, not %.9g", i, j, k, is - below, step);
                }
                /* T is of straight lines between levels 500 m apart: off by (500 m)^2 / 8 of its second derivative */
                if (is_temperature)
                    cr_assert_float_eq(theta * is, temperature_form(x, y, at, 0), 400 * 4 * unit + 1e-2, "T");
                else cr_assert_float_eq(theta, theta_form(x, y, at, 0), 400 * 4 * unit + 1e-9, "theta");
                rho = now, pi = is, z = at;
            }
        }
    session_close(&session);
    unlink(path);
}

Test(driver, pressure_upward_from_the_ground)
{
    for (int n = 0; n < 8; n++)
        balance_check(n % 2, n & 2 ? HILL : "",
                      n < 4 ? ", balance = 'ground'" : ", balance = 'ground', column_divergence = 'removed'");
}

/* Turn behind turn, level by level: what start_balance_ground makes of all turns at once. */
static void turns_plain(const struct dynamics *d, const struct base_column *b, const struct column *c)
{
    double kept[32], light[32];
    for (int k = 0; k < d->nk; k++)
        kept[k] = (b->theta[k] + c->theta[k]) * (b->pi0[k] + c->pi[k]), light[k] = start_lightness(d, b, c, k);
    for (int turn = 0; turn < 12; turn++)
        for (int k = 1; k < d->nk; k++) {
            c->pi[k] = c->pi[k - 1] + start_balance_step(d, b, 0.5 * (light[k] + light[k - 1]), k);
            c->theta[k] = kept[k] / (b->pi0[k] + c->pi[k]) - b->theta[k];
            light[k] = start_lightness(d, b, c, k);
        }
}

/* To the bit, of columns of one level and of more and fewer levels than turns. */
Test(driver, all_turns_of_a_balance_at_once)
{
    enum { MOST = 32, COLUMNS = 6 };
    static double z[MOST], theta[MOST], theta0[MOST], theta0_f[MOST], pi0[MOST], air[2][5][MOST];
    double *const memory = malloc(start_balance_numbers(MOST) * sizeof *memory);
    const struct base_column b = {.z = z, .theta = theta, .theta0 = theta0, .theta0_f = theta0_f, .pi0 = pi0};
    struct dynamics d = {.g = 9.80665, .cp_d = 1004.5, .R = 287, .vapour = {.Rv = 461.5}};
    for (int n = 0; n < COLUMNS; n++) {
        d.nk = (int[]){1, 2, 3, 11, 12, 31}[n];
        for (int wet = 0; wet < 2; wet++) {
            struct column c[2];
            for (int k = 0; k < d.nk; k++) {
                z[k] = 50 + 300 * k + air_random(-20, 20), theta[k] = 290 + 2 * k + air_random(-1, 1);
                theta0[k] = theta[k] + wet * 0.5, pi0[k] = 1 - 0.02 * k;
                theta0_f[k] = k ? (theta0[k] + theta0[k - 1]) / 2 : theta0[k];
                for (int of = 0; of < 5; of++)
                    air[0][of][k] = air[1][of][k] = of ? air_random(0, of == 1 ? 2e-3 : 5e-3) : air_random(-5, 5);
            }
            for (int m = 0; m < 2; m++)
                c[m] = (struct column){air[m][0], air[m][1], wet ? air[m][2] : NULL, air[m][3], air[m][4]};
            start_balance_ground(&d, &b, 1, &c[0], memory);
            turns_plain(&d, &b, &c[1]);
            for (int k = 0; k < d.nk; k++)
                cr_assert(!memcmp(&air[0][0][k], &air[1][0][k], sizeof(double)) &&
                              !memcmp(&air[0][1][k], &air[1][1][k], sizeof(double)),
                          "%d levels, wet %d, level %d: theta' %.17g and pi' %.17g, not %.17g and %.17g", d.nk, wet, k,
                          air[0][0][k], air[0][1][k], air[1][0][k], air[1][1][k]);
        }
    }
    free(memory);
}

/* ---- what is refused ---- */

static void refused(const char *more, const char *key, const char *says)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s\n", GRID, more);
    weather_refused(text, key, says);
}

Test(driver, what_cannot_be_is_refused)
{
    char more[1024];
    file_make(all, WINDS_AND_AIR, 3, 0, 0);
    static const struct {
        const char *keys, *key, *says;
    } bad[] = {{"", "driver%file", "none is open"},
               {OPEN "&dynamics hold_mass = 'on' /\n", "hold_mass", "brings mass and takes it"},
               {OPEN "&grid translation_u = 3 /\n", "driver%file", "this grid moves"},
               {OPEN "&time duration = 1800 /\n", "driver%file", "its times end at 1200 s, and the run at 1800 s"},
               {"&initial balance = 'ground' /\n" OPEN, "balance", "pressure that a file has"}};
    for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) {
        snprintf(more, sizeof more, "%s&driver file = '%s' /\n", bad[n].keys, path);
        refused(more, bad[n].key, bad[n].says);
    }
    snprintf(more, sizeof more, OPEN "&driver file = '%s' /\n", path);
    file_make(all, WINDS_AND_AIR, 2, 300, 0);
    refused(more, "driver%file", "its times begin at 300 s, after the start of the run");
    file_make(all, 3, 3, 0, 0);
    refused(more, "driver%file", "has no pressure, which leads the sides");
    file_make(all + 1, 4, 3, 0, 0);
    refused(more, "driver%file", "has no u, which leads the sides");
    snprintf(more, sizeof more, OPEN "&initial balance = 'ground', file = '%s' /\n", path);
    file_make(all, 3, 1, 0, 0);
    refused(more, "initial%balance", "the file needs both");
    unlink(path);
}
