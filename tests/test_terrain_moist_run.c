/* Water, tracers and the ground over terrain, whole runs: flat ground and moist air at rest to the bit; a constant that
 * stays; heights, base state and budgets against formulas written anew. Stages: test_terrain_moist.c.
 * SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "dynamics/advmix.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NX = 12, NY = 9, NZ = 10 };
static struct session session;
static const struct dynamics_own *own(void) { return session.in.own; }
static double here(int field, int i, int j, int k) { return (double)*weather_at(&session, field, i, j, k); }
static double map_here(int field, int i, int j)
{
    const struct slab *const s = &session.state.host.s;
    return (double)s->f[field][(j - s->j0) * s->sm + i];
}

/* Levels of several heights, up to 6 km. */
#define GRID                                                                                                           \
    "&case name = 'terrain' /\n&grid nx = 12, ny = 9, nz = 10, dx = 1000, dy = 1500,\n"                                \
    "size_z = 400, 500, 500, 600, 600, 600, 700, 700, 700, 700 /\n&time duration = 80, dt = 2 /\n"
#define HILL "&terrain shape = 'bell', height = 900, half_width = 2500, x = 6000, y = 6750, coordinate = 'hybrid' /\n"
#define KESSLER "&water scheme = 'kessler' /\n"

static void opened(const char *more, const char *terrain)
{
    char text[4096];
    snprintf(text, sizeof text, GRID "%s\n%s\n", more, terrain);
    weather_open(&session, text);
    cr_assert_eq(own()->ctx.over, terrain[0] != '\0');
}

#define FOR_DOMAIN                                                                                                     \
    for (int j = 0; j < NY; j++)                                                                                       \
        for (int k = 0; k < NZ; k++)                                                                                   \
            for (int i = 0; i < NX; i++)

enum { KEPT = 64 };
static real one[KEPT][NY][NZ][NX];

/* The state after so many steps, maps and all that is carried too; values that differ from those of the last. */
static long stepped(const char *more, const char *terrain, int steps, long *moved)
{
    long other = 0;
    int n = 0;
    opened(more, terrain);
    cr_assert_eq(session_advance(&session, steps), SF_OK);
    cr_assert_eq(engine_refresh(&session.engine), SF_OK);
    *moved = 0;
    for (int f = 0; f < session.in.nfields; f++) {
        const struct field *const x = &session.in.field[f];
        const int is_over = f >= F_FLOW_X && f <= F_ACROSS;
        if (x->role != ROLE_PROGNOSTIC || f == F_GROUND_W || is_over) continue;
        cr_assert(n < KEPT);
        for (int j = 0; j < NY; j++)
            for (int k = 0; k < (x->shape == SHAPE_MAP ? 1 : NZ); k++)
                for (int i = 0; i < NX; i++) {
                    const struct slab *const s = &session.state.host.s;
                    const real q =
                        x->shape == SHAPE_MAP ? s->f[f][(j - s->j0) * s->sm + i] : *weather_at(&session, f, i, j, k);
                    other += memcmp(&q, &one[n][j][k][i], sizeof q) != 0, *moved += q > 0 || q < 0;
                    one[n][j][k][i] = q;
                }
        n++;
    }
    session_close(&session);
    return other;
}

#define STORM                                                                                                             \
    "&base profile = 'weisman_klemp', wind = 'shear', wind_u = 6, wind_u_top = 14, wind_v = -3, wind_v_top = 1 /\n"       \
    "&initial variable = 'theta', 'vapour', 'rain', 'tracer', shape = 'cosine', 'gaussian', 'cosine', 'cosine',\n"        \
    "amplitude = 6, 6e-3, 3e-3, 1, x = 5000, 6000, 7000, 5000, y = 6000, 7000, 8000, 7000, z = 1500, 1500, 1500, 2000,\n" \
    "radius_x = 3000, 3000, 3000, 4000, radius_y = 4000, 4000, 5000, 5000, radius_z = 1500, 1500, 1500, 1800,\n"          \
    "tracer = 1, 1, 1, 1, noise = 0.1 /\n"

Test(terrain_moist_run, flat_ground_has_the_bits_without)
{
    static const char *const of[] = {
        KESSLER "&dynamics advection = 'upwind3', mixing = 'off', hold_mass = 'off', tracers = 1 /\n",
        KESSLER
        "&dynamics advection = 'upwind3', mixing = 'off', hold_mass = 'off', tracers = 1, rayleigh_depth = 2000 /\n"
        "&boundary west = 'open', east = 'open', south = 'wall', north = 'wall' /\n",
        "&water scheme = 'kessler', equations = 'simple' /\n"
        "&dynamics advection = 'centred4', mixing = 'off', hold_mass = 'off', tracers = 1, coriolis_f = 1e-4 /\n"
        "&surface drag = 'roughness', roughness = 0.1, heat = 'temperature', temperature = 303, wetness = 1 /\n"
        "&boundary west = 'wall', east = 'open', south = 'open', north = 'open' /\n",
        KESSLER "&dynamics advection = 'upwind3', mixing = 'off', tracers = 1, hold_water = 'on', hold_steps = 5 /\n"
                "&surface drag = 'sea' /\n&boundary west = 'wall', east = 'wall', south = 'wall', north = 'wall' /\n",
        KESSLER "&dynamics advection = 'upwind3', hold_mass = 'off', tracers = 1 /\n&turbulence closure = 'tke' /\n"
                "&boundary west = 'open', east = 'open', south = 'wall', north = 'wall' /\n",
        KESSLER "&dynamics advection = 'upwind3', hold_mass = 'off', tracers = 1 /\n"
                "&turbulence closure = 'smagorinsky', vertical = 'implicit', cells = 'flat' /\n"
                "&surface drag = 'roughness', roughness = 0.1 /\n"};
    for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) {
        char more[2048];
        long moved;
        snprintf(more, sizeof more, "%s" STORM, of[n]);
        stepped(more, "", 12, &moved);
        cr_assert(moved > 5L * NX * NY * NZ, "%ld", moved);
        const char *const hold = n == 3 ? "hold_mass" : "";
        long other = stepped(more, "&terrain shape = 'ridge', height = 0, half_width = 1000 /", 12, &moved);
        if (hold[0]) { /* over terrain mass is held by itself: asked for on both sides */
            snprintf(more, sizeof more, "%s" STORM "&dynamics hold_mass = 'on' /\n", of[n]);
            stepped(more, "", 12, &moved);
            other = stepped(more, "&terrain shape = 'ridge', height = 0, half_width = 1000 /", 12, &moved);
        }
        cr_assert_eq(other, 0, "case %zu: %ld values are others", n, other);
    }
}

/* Dry air with a ground that gives heat, and a tracer. */
Test(terrain_moist_run, flat_ground_of_dry_air)
{
    static const char *const mixed[] = {
        "", "&turbulence closure = 'tke', vertical = 'implicit' /\n", "&turbulence closure = 'tke' /\n",
        "&turbulence closure = 'smagorinsky' /\n&boundary west = 'open', east = 'wall', south = 'open', north = 'wall' /\n"};
    for (int n = 0; n < 4; n++) {
        long moved;
        char more[1024];
        snprintf(
            more, sizeof more,
            "%s&dynamics advection = 'upwind3', mixing = '%s', hold_mass = 'off', tracers = 1 /\n"
            "&base profile = 'constant_n', wind = 'shear', wind_u = 6, wind_u_top = 14 /\n"
            "&surface drag = 'roughness', roughness = 0.1, heat = 'flux', heat_flux = 0.2 /\n"
            "&initial variable = 'theta', shape = 'cosine', amplitude = 4, x = 5000, y = 6000, z = 1500, radius_x = 3000,\n"
            "radius_y = 4000, radius_z = 1500 /\n",
            mixed[n], n ? "off" : "fourth");
        stepped(more, "", 12, &moved);
        cr_assert(moved > 4L * NX * NY * NZ, "%ld", moved);
        const long other = stepped(more, "&terrain shape = 'ridge', height = 0, half_width = 1000 /", 12, &moved);
        cr_assert_eq(other, 0, "case %d: %ld values are others", n, other);
    }
}

/* Air as the base state has it, over a hill: no wind, and water that stays. */
Test(terrain_moist_run, rest_stays)
{
    static const char *const of[] = {"&base profile = 'weisman_klemp' /\n",
                                     ("&base profile = 'constant_n', relative_humidity = 0.8 /\n"
                                      "&boundary west = 'open', east = 'open', south = 'wall', north = 'wall' /\n"),
                                     "&base profile = 'saturated', theta_e = 320, total_water = 0.02 /\n"};
    for (int n = 0; n < 3; n++) {
        char more[512];
        snprintf(more, sizeof more, "%s&water scheme = '%s' /\n", of[n], n == 2 ? "saturation" : "kessler");
        opened(more, HILL);
        static real qv[NY][NZ][NX], qc[NY][NZ][NX];
        FOR_DOMAIN qv[j][k][i] = *weather_at(&session, F_QV, i, j, k),
                   qc[j][k][i] = *weather_at(&session, F_QC, i, j, k);
        FOR_DOMAIN cr_assert_eq(here(F_QC0_OVER, i, j, k), here(F_QC, i, j, k));
        cr_assert_eq(here(F_QC, 3, 3, 3) > 0, n == 2);
        cr_assert_eq(session_advance(&session, 20), SF_OK);
        cr_assert_eq(engine_refresh(&session.engine), SF_OK);
        double most = 0;
        FOR_DOMAIN for (int f = F_U; f <= F_PI; f++) most = fmax(most, fabs(here(f, i, j, k)));
        if (n < 2) cr_assert_eq(most, 0, "case %d: %g", n, most);
        else cr_assert(most < 1e-3, "saturated air moves by %g", most); /* cloud condenses by what rounds */
        FOR_DOMAIN if (n < 2)
        {
            cr_assert(!memcmp(&qv[j][k][i], weather_at(&session, F_QV, i, j, k), sizeof(real)));
            cr_assert(!memcmp(&qc[j][k][i], weather_at(&session, F_QC, i, j, k), sizeof(real)));
        }
        session_close(&session);
    }
}

/* ---- the base state and the start, written anew ---- */

static const double g = 9.81, cp = 1004.5, Rd = 287, p00 = 1e5, Rv = 461.5;

static double saturation(double T, double p)
{
    const double es = 611.2 * exp(17.67 * (T - 273.15) / (T - 29.65));
    return Rd / Rv * es / (p - es);
}

/* theta of constant N, humidity a share of saturation; pi of Runge and Kutta's steps of 2 m from 0 up to z. */
static void air_exact(double z, double *theta, double *pi, double *qv)
{
    const int steps = (int)(fabs(z) / 2) + 1;
    const double dz = z / steps;
    *pi = 1;
    for (int n = 0; n <= steps; n++) {
        double slope[4], at_pi = *pi, at_z = n * dz;
        for (int m = 0; m < 4; m++) {
            const double th = 295 * exp(1.2e-4 * at_z / g), q = 0.7 * saturation(th * at_pi, p00 * pow(at_pi, cp / Rd));
            if (!m) *theta = th, *qv = q;
            slope[m] = -g / (cp * th * (1 + Rv / Rd * q) / (1 + q));
            at_pi = *pi + dz * slope[m] * (m < 2 ? 0.5 : 1), at_z = (n + (m < 2 ? 0.5 : 1)) * dz;
        }
        if (n < steps) *pi += dz * (slope[0] + 2 * slope[1] + 2 * slope[2] + slope[3]) / 6;
    }
}

#define CONSTANT_N                                                                                                         \
    "&base profile = 'constant_n', brunt_vaisala = 0.010954451150103323, surface_theta = 295, relative_humidity = 0.7 /\n" \
    "&dynamics gravity = 9.81 /\n"

/* The trapezoidal rule on levels of 400 to 700 m has pi_0 to 2e-5, of which the rest follows. */
Test(terrain_moist_run, base_state_at_true_heights)
{
    const double unit = sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON, of_pi = 2e-5;
    opened(KESSLER CONSTANT_N
           "&surface drag = 'roughness', roughness = 0.1 /\n&boundary south = 'wall', north = 'wall' /\n",
           HILL);
    const double pi_low = own()->base.pi0[0];
    FOR_DOMAIN
    {
        const double z = terrain_z_c(own(), i, j, k), z_f = terrain_z_f(own(), i, j, 0), flat = session.grid.z_c[k];
        double theta, pi, qv, flat_theta, flat_pi, flat_qv;
        air_exact(z, &theta, &pi, &qv), air_exact(flat, &flat_theta, &flat_pi, &flat_qv);
        const double is = here(F_PI0_OVER, i, j, k), rho = theta * (1 + Rv / Rd * qv) / (1 + qv);
        cr_assert_float_eq(is, pi, of_pi, "pi %.9g, not %.9g", is, pi);
        cr_assert_float_eq(here(F_THA_OVER, i, j, k), theta, 600 * unit, "theta");
        /* d ln qs / d ln pi is 25 at most */
        cr_assert_float_eq(here(F_QV0_OVER, i, j, k), qv, 25 * of_pi * qv + 4 * unit, "vapour %.9g, not %.9g",
                           here(F_QV0_OVER, i, j, k), qv);
        cr_assert_float_eq(here(F_TH0_OVER, i, j, k), rho, 0.01, "theta_rho");
        const double q = here(F_QV0_OVER, i, j, k);
        cr_assert_float_eq(here(F_EXCESS_OVER, i, j, k), (1 + Rv / Rd * q) / (1 + q) - 1, 4 * unit, "excess");
        cr_assert_float_eq(here(F_P0_OVER, i, j, k), p00 * pow(is, cp / Rd), 1e5 * 8 * unit, "pressure");
        cr_assert_float_eq(here(F_DEN0_OVER, i, j, k), p00 / Rd * pow(is, 717.5 / Rd), 400 * 8 * unit, "density");
        const double dense = p00 * pow(pi, 717.5 / Rd) / (Rd * rho),
                     flat_dense =
                         p00 * pow(flat_pi, 717.5 / Rd) / (Rd * flat_theta * (1 + Rv / Rd * flat_qv) / (1 + flat_qv));
        cr_assert_float_eq(here(F_DENSE, i, j, k), dense / flat_dense, 2e-4, "dense %.9g, not %.9g",
                           here(F_DENSE, i, j, k), dense / flat_dense);
        cr_assert_float_eq(here(F_SPARSE, i, j, k) * here(F_DENSE, i, j, k), here(F_THIN, i, j, k), 4 * unit, "sparse");
        const double below =
            k ? here(F_TH0_OVER, i, j, k - 1) : here(F_TH0F_OVER, i, j, 0) * 2 - here(F_TH0_OVER, i, j, 0);
        cr_assert_float_eq(here(F_BUOYM_OVER, i, j, k), g / (below + here(F_TH0_OVER, i, j, k)), 0.02 * 8 * unit,
                           "buoyancy");
        cr_assert_eq(here(F_BUOY_OVER, i, j, k), 0);
        /* The state begins so. */
        cr_assert_eq(here(F_QV, i, j, k), here(F_QV0_OVER, i, j, k));
        if (k) continue;
        double ground_theta, ground_pi, ground_qv;
        air_exact(z_f, &ground_theta, &ground_pi, &ground_qv);
        cr_assert_float_eq(map_here(F_LOWEST_OVER, i, j), z - z_f, 1e3 * unit, "height of the lowest level");
        cr_assert_float_eq(map_here(F_GROUND_PI_OVER, i, j), ground_pi, of_pi, "Exner function of the ground");
        cr_assert_float_eq(map_here(F_GROUND_P_OVER, i, j), p00 * pow(ground_pi, cp / Rd), 1e5 * 3.5 * of_pi,
                           "pressure");
        cr_assert_float_eq(map_here(F_EXNER_DOWN_OVER, i, j), g * (z - z_f - 2) / (cp * here(F_TH0_OVER, i, j, 0)),
                           1e-2 * 4 * unit, "down to 2 m");
        /* The mean of what is half a cell, 190 m, below the ground and above it. */
        cr_assert_float_eq(map_here(F_GROUND_RHO_OVER, i, j),
                           p00 * pow(ground_pi, 717.5 / Rd) /
                               (Rd * ground_theta * (1 + Rv / Rd * ground_qv) / (1 + ground_qv)),
                           1e-3, "density at the ground");
    }
    cr_assert(pi_low < 1);
    session_close(&session);
}

/* Vapour, a share of saturation, cloud and tracers of perturbations are those of the height where a cell is; warm air
 * is lighter by what was asked for. */
Test(terrain_moist_run, air_at_the_start)
{
    opened(KESSLER CONSTANT_N
           "&dynamics tracers = 1 /\n"
           "&initial variable = 'vapour', 'humidity', 'cloud', 'tracer', tracer = 1, 1, 1, 1, shape = 4*'gaussian',\n"
           "amplitude = 1e-3, 0.1, 2e-3, 3, x = 4*6000, y = 4*6000, z = 4*1500, radius_x = 4*4000, radius_y = 4*4000,\n"
           "radius_z = 4*900 /\n",
           HILL);
    FOR_DOMAIN
    {
        const double x = 1000 * (i + 0.5), y = 1500 * (j + 0.5), z = terrain_z_c(own(), i, j, k);
        const double shape = exp(-pow((x - 6000) / 4000, 2) - pow((y - 6000) / 4000, 2) - pow((z - 1500) / 900, 2));
        const double pi = here(F_PI0_OVER, i, j, k),
                     full = saturation(here(F_THA_OVER, i, j, k) * pi, p00 * pow(pi, cp / Rd));
        cr_assert_float_eq(here(F_QV, i, j, k), here(F_QV0_OVER, i, j, k) + shape * (1e-3 + 0.1 * full), 2e-8,
                           "vapour");
        cr_assert_float_eq(here(F_QC, i, j, k), 2e-3 * shape, 1e-9, "cloud");
        cr_assert_float_eq(here(F_Q + 3 * F_FAMILY, i, j, k), 3 * shape, 1e-6, "tracer");
    }
    session_close(&session);
}

/* Mixing along slopes is for winds and theta' alone. */
Test(terrain_moist_run, no_filter_along_slopes)
{
    for (int over = 0; over < 2; over++) {
        opened("&dynamics tracers = 1, mixing = 'fourth' /\n", over ? HILL : "");
        cr_assert_eq(own()->ctx.tracer_mixing, over ? MIX_NONE : MIX_FOURTH);
        session_close(&session);
    }
}

/* ---- what is kept ---- */

/* Moist air and what it carries in winds over a hill: a constant stays to the bit, nothing falls below 0. */
Test(terrain_moist_run, a_constant_stays)
{
    opened(KESSLER "&dynamics tracers = 2 /\n"
                   "&base profile = 'weisman_klemp', wind = 'constant', wind_u = 15, wind_v = -8 /\n",
           HILL);
    const int q1 = F_Q + 3 * F_FAMILY, q2 = q1 + F_FAMILY;
    FOR_DOMAIN
    {
        *weather_at(&session, q1, i, j, k) = R(0.7);
        *weather_at(&session, q2, i, j, k) = (i + j + k) % 3 ? R(0.0) : R(1.0);
    }
    cr_assert_eq(engine_refresh(&session.engine), SF_OK);
    cr_assert_eq(session_advance(&session, 40), SF_OK);
    cr_assert_eq(engine_refresh(&session.engine), SF_OK);
    double most = 0;
    FOR_DOMAIN
    {
        cr_assert_eq(*weather_at(&session, q1, i, j, k), R(0.7), "%d %d %d: %.9g", i, j, k, here(q1, i, j, k));
        cr_assert(here(q2, i, j, k) >= 0 && here(F_QV, i, j, k) >= 0 && here(F_QC, i, j, k) >= 0);
        most = fmax(most, fabs(here(F_W, i, j, k)));
    }
    cr_assert(most > 1, "%g", most);
    session_close(&session);
}

/* Mass of air, and water in it, of cells as high as they are, as the series has them. */
static double value_of(const char *name, const double *values)
{
    for (int n = 0; n < session.in.nquantities; n++)
        if (!strcmp(session.in.quantity[n].name, name)) return values[n];
    cr_assert(0, "no %s", name);
    return 0;
}

static double water_here(double *dry, double *energy)
{
    double water = 0;
    *dry = *energy = 0;
    FOR_DOMAIN
    {
        const double v = 1000. * 1500 * (terrain_z_f(own(), i, j, k + 1) - terrain_z_f(own(), i, j, k));
        const double qv = here(F_QV, i, j, k), ql = here(F_QC, i, j, k) + here(F_QR, i, j, k);
        const double pi = here(F_PI0_OVER, i, j, k) + here(F_PI, i, j, k),
                     T = (here(F_THA_OVER, i, j, k) + here(F_TH, i, j, k)) * pi;
        const double mass = p00 * pow(pi, cp / Rd) / ((Rd + Rv * qv) * T) * v;
        *dry += mass, water += mass * (qv + ql);
        const double u = (here(F_U, i, j, k) + here(F_U, (i + 1) % NX, j, k)) / 2,
                     v_ = (here(F_V, i, j, k) + here(F_V, i, (j + 1) % NY, k)) / 2,
                     w = (here(F_W, i, j, k) + (k ? 0 : map_here(F_GROUND_W, i, j)) +
                          (k + 1 < NZ ? here(F_W, i, j, k + 1) : 0)) /
                         2;
        *energy += mass * ((1 + qv + ql) * ((u * u + v_ * v_ + w * w) / 2 + 9.81 * terrain_z_c(own(), i, j, k)) +
                           717.5 * T + qv * (1408.5 * T + 2.501e6 + (4190 - 1870) * 273.15) + ql * 4190 * T);
        if (!k) water += map_here(F_RAIN, i, j) * 1000 * 1500;
    }
    return water;
}

Test(terrain_moist_run, budgets)
{
    double values[32], courant, dry, energy;
    opened(KESSLER "&dynamics gravity = 9.81, hold_water = 'off', tracers = 1 /\n" STORM, HILL);
    cr_assert_eq(session_advance(&session, 20), SF_OK);
    cr_assert_eq(engine_refresh(&session.engine), SF_OK);
    cr_assert_eq(session.model->measure(&session.in, &session.state, 2, values, &courant), SF_OK);
    const double water = water_here(&dry, &energy);
    cr_assert_float_eq(value_of("mass", values), dry, 1e-6 * dry, "mass");
    cr_assert_float_eq(value_of("water", values), water, 1e-6 * water, "water %.9g, not %.9g",
                       value_of("water", values), water);
    cr_assert_float_eq(value_of("energy", values), energy, 1e-6 * energy, "energy");
    session_close(&session);
}

static double flat_height(int k) { return own()->grid->z_f[k + 1] - own()->grid->z_f[k]; }

/* What turbulence knows of cells: the length of eddies, how flat they are, and what a step takes of them and of those
 * above and below, on a map whose grid is finer here and there. */
Test(terrain_moist_run, eddies_know_their_cells)
{
    static const char map[] =
        "&map projection = 'lambert', centre_latitude = 50, central_meridian = 3, standard_parallels = 45, 60,\n"
        "earth_radius = 2e5, rotation_rate = 1e-4 /\n";
    for (int n = 0; n < 4; n++) {
        const int flat = n & 1, implicit = n > 1;
        char more[512];
        snprintf(
            more, sizeof more,
            "%s&turbulence closure = '%s', cells = '%s', vertical = '%s', mixing_length = %d, expected_diffusivity = 50 /\n"
            "&boundary west = 'open', east = 'open', south = 'open', north = 'open' /\n"
            "&dynamics mixing = 'off' /\n&base profile = 'constant_n' /\n",
            map, implicit ? "tke" : "smagorinsky", flat ? "flat" : "cubes", implicit ? "implicit" : "explicit",
            n == 3 ? 90 : 0);
        opened(more, HILL);
        double away = 0, thin[NZ], wide[NZ], thinnest = 1;
        for (int k = 0; k < NZ; k++) thin[k] = INFINITY, wide[k] = 1;
        FOR_DOMAIN
        {
            const double across = sqrt(1000. * 1500.), floor = terrain_z_f(own(), i, j, 0),
                         thick = terrain_z_f(own(), i, j, k + 1) - terrain_z_f(own(), i, j, k),
                         above = 0.4 * (terrain_z_c(own(), i, j, k) - floor),
                         length = above / (1 + above / 90) / sqrt(0.1 / M_PI);
            const double size = n == 3 ? length : flat ? thick : cbrt(across * across * thick);
            const double ratio = flat ? across / size : 1, times = implicit ? ratio : ratio * ratio;
            cr_assert_float_eq(here(F_SIZE_OVER, i, j, k), size, 2e-6 * size, "size at %d %d %d: %g, not %g", i, j, k,
                               here(F_SIZE_OVER, i, j, k), size);
            cr_assert_float_eq(here(F_FLAT_OVER, i, j, k), times, 4e-6 * times);
            thin[k] = fmin(thin[k], thick / flat_height(k)), thinnest = fmin(thinnest, thin[k]);
            away = fmax(away, fabs(map_here(F_MAP_FACTOR, i, j) - 1));
            for (int y = 0; y < 2; y++) { /* sides are open: beyond them lies the same column */
                const int a = i && !y ? i - 1 : i, b = j && y ? j - 1 : j;
                const double next = terrain_z_f(own(), a, b, k + 1) - terrain_z_f(own(), a, b, k);
                wide[k] = fmax(wide[k], (thick + next) / 2 / fmin(thick, next));
            }
        }
        cr_assert(away > 5e-3 && thinnest < 0.9 && wide[0] > 1.01, "%g %g %g", away, thinnest, wide[0]);
        const double plane = own()->map.most * own()->map.most * (1e-6 + 1 / 2.25e6);
        double takes[NZ], limit = INFINITY;
        const double *const z = own()->grid->z_c;
        for (int k = 0; k < NZ; k++) {
            const double dz = thin[k] * flat_height(k), down = k ? fmin(thin[k], thin[k - 1]) * (z[k] - z[k - 1]) : dz,
                         up = k + 1 < NZ ? fmin(thin[k], thin[k + 1]) * (z[k + 1] - z[k]) : dz,
                         least = fmin(dz, fmin(up, down)), above = 0.4 * thinnest * z[k];
            const double size = n == 3 ? above / (1 + above / 90) / sqrt(0.1 / M_PI) : dz,
                         ratio = flat ? sqrt(1000. * 1500.) / size : 1, times = implicit ? ratio : ratio * ratio;
            takes[k] = 0.45 / (times * wide[k] * plane + (implicit ? 0 : 1 / (least * least)));
        }
        for (int k = 0; k < NZ; k++) {
            double most = takes[k];
            if (k) most = fmin(most, takes[k - 1]);
            if (k + 1 < NZ) most = fmin(most, takes[k + 1]);
            const double is = (double)session.state.host.s.f[P_MOST][k];
            cr_assert_float_eq(is, most, 1e-5 * most, "level %d takes %g, not %g", k, is, most);
            limit = fmin(limit, most / 50);
        }
        cr_assert_float_eq(turbulence_limit(own()), limit, 1e-9 * limit);
        session_close(&session);
    }
}

/* K of a row by itself is that of the row among all others. */
Test(terrain_moist_run, eddies_of_a_row)
{
    static real km[2][NZ][NX], whole[3][(NY + 8) * (NZ + 8) * (NX + 64)];
    for (int n = 0; n < 4; n++) {
        const int tke = n & 1, water = n > 1;
        char more[512];
        snprintf(more, sizeof more,
                 "%s&turbulence closure = '%s' /\n&dynamics mixing = 'off' /\n&base profile = 'constant_n'%s /\n",
                 water ? KESSLER : "", tke ? "tke" : "smagorinsky", water ? ", relative_humidity = 0.5" : "");
        opened(more, HILL);
        weather_stir(&session);
        struct slab s = session.state.host.s;
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++) s.f[F_GROUND_W][(j - s.j0) * s.sm + i] = (real)(i - 2 * j);
        const ptrdiff_t corner = (ptrdiff_t)(0 - s.j0) * s.sj + 4 * s.sk + 16;
        cr_assert(corner + NY * s.sj < (ptrdiff_t)(sizeof whole[0] / sizeof whole[0][0]));
        const int energy = F_Q + F_FAMILY * own()->ctx.species;
        s.f[F_KM] = s.w[F_KM] = whole[0] + 16 + 4 * s.sk, s.f[F_KH] = s.w[F_KH] = whole[1] + 16 + 4 * s.sk;
        if (tke) s.w[energy] = whole[2] + 16 + 4 * s.sk;
        const struct call c = {.dt = 2, .ctx = &own()->ctx};
        const struct box all = {0, NX, 0, NZ, 0, NY};
        if (water) stability_moist_over_run(&s, all, &c);
        (water ? tke ? tke_moist_over_run : smagorinsky_moist_over_run
         : tke ? tke_dry_over_run
               : smagorinsky_over_run)(&s, all, &c);
        long some = 0;
        for (int j = 0; j < NY; j++) {
            cr_assert_eq(turbulence_row(&own()->ctx, &session.state.host.s, j, 2, km[0][0], km[1][0]), 0);
            for (int k = 0; k < NZ; k++)
                for (int i = 0; i < NX; i++)
                    for (int f = 0; f < 2; f++) {
                        const real is = km[f][k][i], should = s.f[F_KM + f][(j - s.j0) * s.sj + k * s.sk + i];
                        cr_assert(!memcmp(&is, &should, sizeof is), "case %d at %d %d %d: %g, not %g", n, i, j, k,
                                  (double)is, (double)should);
                        some += is > 0;
                    }
        }
        cr_assert(some > NX * NY * NZ / 4, "%ld", some);
        session_close(&session);
    }
}

/* Eddies in air at rest over a hill, explicit or in columns: a tracer spreads along z and along surfaces, and none of
 * it comes or goes. */
Test(terrain_moist_run, eddies_keep_what_they_mix)
{
    for (int n = 0; n < 2; n++) {
        char more[1024];
        snprintf(
            more, sizeof more,
            "&turbulence closure = 'tke', vertical = '%s', cells = 'cubes' /\n&base profile = 'neutral' /\n"
            "&dynamics mixing = 'off', tracers = 1, hold_mass = 'off' /\n"
            "&initial variable = 'tke', 'tracer', shape = 'gaussian', 'cosine', amplitude = 20, 1, x = 0, 6500, y = 0, 6750,\n"
            "z = 0, 1800, radius_x = 1e6, 4000, radius_y = 1e6, 4000, radius_z = 1e6, 1500, tracer = 1, 1 /\n",
            n ? "implicit" : "explicit");
        opened(more, HILL);
        double sum[2] = {0}, most[2] = {0}, spread[2] = {0};
        for (int t = 0; t < 2; t++) {
            if (t) cr_assert_eq(session_advance(&session, 40), SF_OK);
            cr_assert_eq(engine_refresh(&session.engine), SF_OK);
            FOR_DOMAIN
            {
                const double q = here(F_Q + F_FAMILY, i, j, k);
                sum[t] += q * here(F_DENSE, i, j, k) * own()->base.rho0[k] *
                          (terrain_z_f(own(), i, j, k + 1) - terrain_z_f(own(), i, j, k));
                most[t] = fmax(most[t], q), spread[t] += q > 1e-4;
            }
        }
        cr_assert_float_eq(sum[1], sum[0], 1e-6 * sum[0], "%.9g of %.9g", sum[1], sum[0]);
        cr_assert(most[1] < 0.97 * most[0] && spread[1] > 1.2 * spread[0], "%g of %g, %g of %g", most[1], most[0],
                  spread[1], spread[0]);
        session_close(&session);
    }
}
