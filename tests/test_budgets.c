/* The numbers of the weather's time series, by value: extremes and budgets of a random state against plain sums in
 * double. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { NX = 7, NY = 5, NZ = 6 };

static const double dx = 1000, dy = 1500, R_gas = 287, cp = 1004.5, p00 = 1e5, g = 9.80665, moving[2] = {4, -2};
static struct session session;
static const struct dynamics_own *own;
static double values[64], courant;

static void open_sides(int ny, const char *side)
{
    static char text[1024];
    snprintf(
        text, sizeof text,
        "&grid nx = %d, ny = %d, nz = %d, dx = 1000, dy = 1500, dz = 400, stretch_ratio = 1.3,\n"
        "      translation_u = 4, translation_v = -2 /\n&time duration = 1, dt = 1 /\n&base profile = 'constant_n' /\n"
        "&boundary west = '%s', east = '%s', south = '%s', north = '%s' /\n",
        NX, ny, NZ, side, side, side, side);
    weather_open(&session, text);
    own = session.in.own;
    weather_stir(&session);
}

static void open_case(int ny) { open_sides(ny, "periodic"); }

static double at(int field, int i, int j, int k) { return (double)*weather_at(&session, field, i, j, k); }

static void measure(double dt)
{
    cr_assert_leq(session.in.nquantities, 64);
    cr_assert_eq(session.model->measure(&session.in, &session.state, dt, values, &courant), SF_OK, "%s",
                 sf_error_text());
}

static double value_of(const char *name)
{
    for (int n = 0; n < session.in.nquantities; n++)
        if (!strcmp(session.in.quantity[n].name, name)) return values[n];
    cr_assert_fail("no %s", name);
    return 0;
}

static void expect(const char *name, double want)
{
    /* some hundred numbers are summed in double */
    cr_assert_float_eq(value_of(name), want, 1e-13 * fabs(want), "%s: %.17g, not %.17g", name, value_of(name), want);
}

#define FOR_CELLS                                                                                                      \
    for (int j = 0; j < NY; j++)                                                                                       \
        for (int k = 0; k < NZ; k++)                                                                                   \
            for (int i = 0; i < NX; i++)

Test(budgets, extremes)
{
    open_case(NY);
    measure(1);
    double w_max = -1e9, w_min = 1e9, t_max = -1e9, t_min = 1e9, speed = 0;
    FOR_CELLS
    {
        w_max = fmax(w_max, at(F_W, i, j, k)), w_min = fmin(w_min, at(F_W, i, j, k));
        t_max = fmax(t_max, at(F_TH, i, j, k)), t_min = fmin(t_min, at(F_TH, i, j, k));
        speed = fmax(speed, hypot(at(F_U, i, j, k) + moving[0], at(F_V, i, j, k) + moving[1]));
    }
    expect("w_max", w_max), expect("w_min", w_min), expect("theta_p_max", t_max), expect("theta_p_min", t_min),
        expect("speed_max", speed);
    session_close(&session);
}

/* One value, wherever it lies, is found, and of either sign. */
Test(budgets, extremes_of_one_cell)
{
    open_case(NY);
    for (int sign = -1; sign <= 1; sign += 2) FOR_CELLS
        {
            const real w = *weather_at(&session, F_W, i, j, k), t = *weather_at(&session, F_TH, i, j, k);
            *weather_at(&session, F_W, i, j, k) = (real)(50 * sign),
                                             *weather_at(&session, F_TH, i, j, k) = (real)(70 * sign);
            measure(1);
            cr_assert_eq(value_of(sign > 0 ? "w_max" : "w_min"), 50 * sign);
            cr_assert_eq(value_of(sign > 0 ? "theta_p_max" : "theta_p_min"), 70 * sign);
            *weather_at(&session, F_W, i, j, k) = w, *weather_at(&session, F_TH, i, j, k) = t;
        }
    session_close(&session);
}

/* The sum of |u| dt / dx, |v| dt / dy and |w| dt / dz of the thinner of the cells around the face; a section has no
 * dy. */
Test(budgets, courant_number)
{
    for (int section = 0; section < 2; section++) {
        open_case(section ? 1 : NY);
        measure(3);
        double most = 0;
        for (int j = 0; j < (section ? 1 : NY); j++)
            for (int k = 0; k < NZ; k++)
                for (int i = 0; i < NX; i++) {
                    const double *const z = session.grid.z_f, above = z[k + 1] - z[k],
                                        below = k ? z[k] - z[k - 1] : above;
                    const double across = section ? 0 : fabs(at(F_V, i, j, k)) / dy;
                    most = fmax(
                        most, 3 * (fabs(at(F_U, i, j, k)) / dx + across + fabs(at(F_W, i, j, k)) / fmin(above, below)));
                }
        /* 1 / spacing is a real */
        cr_assert_float_eq(value_of("courant"), most, (sizeof(real) == 8 ? 1e-14 : FLT_EPSILON) * most);
        cr_assert_float_eq(courant, value_of("courant") / 1.26, 1e-15, "%.17g", courant);
        session_close(&session);
    }
}

/* A wind on a face: what lies beyond the last cell, in ghosts, is noise here. On a periodic side it is that of the
 * first face, on a wall and on the lid 0, and on an open side the model's own. */
static double wind(int field, int i, int j, int k, const char *side)
{
    const int is_far = field == F_U ? i == NX : j == NY, wraps = is_far && !strcmp(side, "periodic");
    if (k == NZ || (is_far && !strcmp(side, "wall"))) return 0;
    return at(field, wraps && field == F_U ? 0 : i, wraps && field == F_V ? 0 : j, k);
}

/* rho = p00 pi^(cv/R) / (R theta); energy of a cell: rho (kinetic + cv T + g z), winds averaged to the centre. */
static void expect_budgets(const char *side)
{
    open_sides(NY, side);
    measure(1);
    double mass = 0, energy = 0, pi = 0, volume = 0;
    FOR_CELLS
    {
        const double v = dx * dy * (session.grid.z_f[k + 1] - session.grid.z_f[k]),
                     z = (session.grid.z_f[k + 1] + session.grid.z_f[k]) / 2;
        const double theta = own->base.theta0[k] + at(F_TH, i, j, k), exner = own->base.pi0[k] + at(F_PI, i, j, k),
                     T = theta * exner;
        const double rho = p00 * pow(exner, cp / R_gas) / (R_gas * T);
        const double uc = (at(F_U, i, j, k) + wind(F_U, i + 1, j, k, side)) / 2 + moving[0];
        const double vc = (at(F_V, i, j, k) + wind(F_V, i, j + 1, k, side)) / 2 + moving[1];
        const double wc = (at(F_W, i, j, k) + wind(F_W, i, j, k + 1, side)) / 2;
        mass += rho * v, pi += at(F_PI, i, j, k) * v, volume += v;
        energy += rho * v * ((uc * uc + vc * vc + wc * wc) / 2 + (cp - R_gas) * T + g * z);
    }
    expect("mass", mass), expect("energy", energy);
    cr_assert_float_eq(value_of("pi_p_mean"), pi / volume, 1e-16);
    session_close(&session);
}

Test(budgets, mass_energy_and_mean_pressure) { expect_budgets("periodic"); }
Test(budgets, the_same_between_walls) { expect_budgets("wall"); }
Test(budgets, the_same_between_open_sides) { expect_budgets("open"); }

/* Relative to the first state that is measured. */
Test(budgets, drift_of_mass)
{
    open_case(NY);
    FOR_CELLS *weather_at(&session, F_TH, i, j, k) = *weather_at(&session, F_PI, i, j, k) = 0;
    measure(1);
    cr_assert_eq(value_of("mass_drift"), 0);
    const double start = value_of("mass");
    FOR_CELLS *weather_at(&session, F_TH, i, j, k) = 3;
    measure(1);
    cr_assert(value_of("mass") < start);
    cr_assert_float_eq(value_of("mass_drift"), (value_of("mass") - start) / start, 1e-15);
    session_close(&session);
}

/* ---- water ---- */

static real *map_at(int field, int i, int j)
{
    const struct slab *const s = &session.state.host.s;
    return s->f[field] + (j - s->j0) * s->sm + i;
}

static void open_moist_case(const char *hold)
{
    static char text[1024];
    snprintf(text, sizeof text,
             "&grid nx = %d, ny = %d, nz = %d, dx = 1000, dy = 1500, dz = 400, stretch_ratio = 1.3,\n"
             "      translation_u = 4, translation_v = -2 /\n&time duration = 4, dt = 1 /\n"
             "&base profile = 'constant_n', relative_humidity = 0.5 /\n&water scheme = 'kessler' /\n&dynamics %s /\n",
             NX, NY, NZ, hold);
    weather_open(&session, text);
    own = session.in.own;
    weather_stir(&session);
    FOR_CELLS
    {
        *weather_at(&session, F_QV, i, j, k) = (real)air_random(1e-3, 0.02);
        *weather_at(&session, F_QC, i, j, k) = (real)air_random(0, 5e-3);
        *weather_at(&session, F_QR, i, j, k) = (real)air_random(0, 5e-3);
        *map_at(F_RAIN, i, j) = (real)air_random(0, 9), *map_at(F_RAIN_RATE, i, j) = (real)air_random(0, 1e-2);
        *map_at(F_RAIN_ENERGY, i, j) = (real)air_random(0, 1e7);
        *map_at(F_RAIN_ENERGY_LOST, i, j) = (real)air_random(-1, 1);
    }
}

struct sums {
    double mass, energy, vapour, cloud, rain, fallen, taken, qc_max, qr_max, rate_max;
};

/* rho_d by the ideal gas; energy: that of dry air, of vapour and of water, with the heat that vapour would give. */
static struct sums moist_sums(void)
{
    struct sums s = {0};
    FOR_CELLS
    {
        const double v = dx * dy * (session.grid.z_f[k + 1] - session.grid.z_f[k]),
                     z = (session.grid.z_f[k + 1] + session.grid.z_f[k]) / 2;
        const double qv = at(F_QV, i, j, k), qc = at(F_QC, i, j, k), qr = at(F_QR, i, j, k);
        const double exner = own->base.pi0[k] + at(F_PI, i, j, k), T = (own->base.theta[k] + at(F_TH, i, j, k)) * exner;
        const double mass = p00 * pow(exner, cp / R_gas) / ((R_gas + 461.5 * qv) * T) * v;
        const double uc = (at(F_U, i, j, k) + wind(F_U, i + 1, j, k, "periodic")) / 2 + moving[0];
        const double vc = (at(F_V, i, j, k) + wind(F_V, i, j + 1, k, "periodic")) / 2 + moving[1];
        const double wc = (at(F_W, i, j, k) + wind(F_W, i, j, k + 1, "periodic")) / 2;
        const double of_dry = (cp - R_gas) * T, of_vapour = 1408.5 * T + 2.501e6 + (4190 - 1870) * 273.15,
                     of_liquid = 4190 * T;
        s.energy += mass * ((1 + qv + qc + qr) * ((uc * uc + vc * vc + wc * wc) / 2 + g * z) + of_dry + qv * of_vapour +
                            (qc + qr) * of_liquid);
        s.mass += mass, s.vapour += mass * qv, s.cloud += mass * qc, s.rain += mass * qr;
        s.qc_max = fmax(s.qc_max, qc), s.qr_max = fmax(s.qr_max, qr);
        if (!k) s.fallen += (double)*map_at(F_RAIN, i, j) * dx * dy;
        if (!k) s.taken += ((double)*map_at(F_RAIN_ENERGY, i, j) - (double)*map_at(F_RAIN_ENERGY_LOST, i, j)) * dx * dy;
        s.rate_max = fmax(s.rate_max, (double)*map_at(F_RAIN_RATE, i, j));
    }
    return s;
}

Test(budgets, water)
{
    open_moist_case("");
    measure(1);
    const struct sums s = moist_sums();
    expect("mass", s.mass), expect("energy", s.energy), expect("vapour", s.vapour), expect("cloud_water", s.cloud);
    expect("rain_water", s.rain), expect("rain", s.fallen), expect("rain_energy", s.taken),
        expect("water", s.vapour + s.cloud + s.rain + s.fallen);
    expect("qc_max", s.qc_max), expect("qr_max", s.qr_max), expect("rain_rate_max", s.rate_max);
    session_close(&session);
}

static double gain_of_vapour(void)
{
    cr_assert_eq(session.model->survey(&session.in, &session.state), SF_OK);
    const double time = 0;
    cr_assert_eq(session.model->prepare(&session.in, 0, 1, &time, 5), SF_OK);
    return (double)own->ctx.water_gain;
}

/* In the steps of an interval vapour gets back, in shares of it, what the water has lost since it was first looked at,
 * and what that interval is expected to lose (mass.h): as much again, and half of what that is more than before. */
Test(budgets, water_that_is_held)
{
    open_moist_case("hold_water = 'on', hold_steps = 4");
    cr_assert_eq(gain_of_vapour(), 0);
    const struct sums was = moist_sums();
    FOR_CELLS
    {
        *weather_at(&session, F_QR, i, j, k) = R(0.5) * *weather_at(&session, F_QR, i, j, k);
        if (!k) *map_at(F_RAIN, i, j) += R(1.0);
    }
    const double first = gain_of_vapour(), second = gain_of_vapour();
    const struct sums is = moist_sums();
    const double lost = (was.vapour + was.cloud + was.rain + was.fallen) - (is.vapour + is.cloud + is.rain + is.fallen);
    cr_assert(fabs(lost) > 0.01 * is.vapour);
    const double share = lost / is.vapour / 4, bound = (sizeof(real) == 8 ? 1e-12 : 2e-7) * fabs(share);
    cr_assert_float_eq(first, 2.5 * share, bound);
    cr_assert_float_eq(second, 4.25 * share, 2 * bound, "nothing has come back: 2.5 were lost, 1.5 more than before");
    session_close(&session);
}

/* What the ground and &forcing gave is held with what the domain began with. */
Test(budgets, water_that_was_given_is_held)
{
    open_moist_case("hold_water = 'on', hold_steps = 4 /\n&surface heat = 'flux', vapour_flux = 1e-4 /\n"
                    "&forcing z = 0, qv_rate = 1e-7");
    cr_assert_eq(gain_of_vapour(), 0);
    const struct sums was = moist_sums();
    double given = 0;
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            *map_at(F_GROUND_WATER, i, j) = (real)air_random(1, 3), *map_at(F_GROUND_WATER_LOST, i, j) = R(0.25);
            *map_at(F_FORCED_WATER, i, j) = (real)air_random(-4, -3), *map_at(F_FORCED_WATER_LOST, i, j) = R(-0.5);
            given +=
                ((double)*map_at(F_GROUND_WATER, i, j) - 0.25 + (double)*map_at(F_FORCED_WATER, i, j) + 0.5) * dx * dy;
        }
    const double share = given / was.vapour / 4, bound = (sizeof(real) == 8 ? 1e-12 : 2e-7) * fabs(share);
    cr_assert(fabs(given) > 1e-3 * was.vapour);
    const double gain = gain_of_vapour(); /* which each call of it changes */
    cr_assert_float_eq(gain, 2.5 * share, bound, "%.9g, not %.9g", gain, 2.5 * share);
    session_close(&session);
}

static int looks_every(const char *more)
{
    open_moist_case(more);
    const int every = session.in.survey_every;
    session_close(&session);
    return every;
}

/* Where nothing is said: often where water is held, and in every step where sound rings between walls. */
Test(budgets, steps_between_looks)
{
    cr_expect_eq(looks_every("hold_steps = 7"), 7);
    cr_expect_eq(looks_every("hold_water = 'off'"), 0, "nothing is held");
    cr_expect_eq(looks_every("hold_water = 'off', hold_mass = 'on'"), 20);
    cr_expect_eq(looks_every("hold_mass = 'on'"), 10);
    cr_expect_eq(looks_every("hold_steps = 0 /\n&boundary west = 'open', east = 'open'"), 20, "water is not held");
    static const char *const walled[] = {
        "hold_steps = 0 /\n&boundary west = 'wall', east = 'wall'",
        "hold_steps = 0 /\n&boundary south = 'wall', north = 'wall'",
        "hold_steps = 0 /\n&boundary west = 'wall', east = 'wall' /\n&initial wind_u = 4",
        "hold_steps = 0 /\n&boundary south = 'wall', north = 'wall' /\n&initial wind_v = -2"};
    for (int n = 0; n < 4; n++)
        cr_expect_eq(looks_every(walled[n]), n < 2 ? 1 : 10, "walls go with the grid, the air too or not: %s",
                     walled[n]);
}

/* ---- what left through open sides ---- */

/* Maps of what left, and of what &forcing and the ground gave, each with what it rounded away, over the ground. */
Test(budgets, what_left_and_what_was_given_is_summed)
{
    open_moist_case("side_budget = .true. /\n&boundary west = 'open', east = 'open' /\n"
                    "&surface heat = 'flux', heat_flux = 0.1 /\n&forcing z = 0, theta_rate = 1e-3");
    static const struct {
        const char *name;
        int map;
    } of[] = {{"mass_out", F_MASS_OUT},          {"energy_out", F_ENERGY_OUT},
              {"water_out", F_WATER_OUT},        {"forcing_energy", F_FORCED_ENERGY},
              {"forcing_water", F_FORCED_WATER}, {"ground_energy", F_GROUND_ENERGY},
              {"ground_water", F_GROUND_WATER}};
    enum { MAPS = sizeof of / sizeof *of };
    double want[MAPS] = {0};
    for (int m = 0; m < MAPS; m++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++) {
                *map_at(of[m].map, i, j) = (real)air_random(-900, 900);
                *map_at(of[m].map + 1, i, j) = (real)air_random(-1, 1);
                want[m] += ((double)*map_at(of[m].map, i, j) - (double)*map_at(of[m].map + 1, i, j)) * dx * dy;
            }
    measure(1);
    for (int m = 0; m < MAPS; m++)
        cr_assert_float_eq(value_of(of[m].name), want[m], 1e-12 * 900 * NX * NY * dx * dy, "%s: %.17g, not %.17g",
                           of[m].name, value_of(of[m].name), want[m]);
    session_close(&session);
}

static int has(const char *name)
{
    int n = 0;
    while (n < session.in.nquantities && strcmp(session.in.quantity[n].name, name) != 0) n++;
    return n < session.in.nquantities;
}

/* Who gives nothing has no entry: a ground that takes wind alone, one that warms dry air. */
Test(budgets, entries_of_the_ground_that_there_is)
{
    open_case(NY);
    cr_expect(!has("ground_energy") && !has("ground_water"));
    session_close(&session);
    open_moist_case(" /\n&surface drag = 'roughness'");
    cr_expect(!has("ground_energy") && !has("ground_water"));
    session_close(&session);
    open_moist_case(" /\n&surface heat = 'flux'");
    cr_expect(has("ground_energy") && has("ground_water"));
    session_close(&session);
    weather_open(&session, "&grid nx = 4, ny = 4, nz = 4 /\n&time duration = 1, dt = 1 /\n&surface heat = 'flux' /\n");
    cr_expect(has("ground_energy") && !has("ground_water"));
    session_close(&session);
}

/* A box with open sides and a wind of 16 m/s, which carries something out of it. */
static void open_box(const char *scheme, const char *what)
{
    static char text[1024];
    snprintf(text, sizeof text,
             "&grid nx = 20, ny = 16, nz = 8, dx = 1000, dy = 1000, dz = 600 /\n&time duration = 1500, dt = 5 /\n"
             "&water scheme = '%s' /\n&dynamics side_budget = .true., hold_mass = 'off', mixing = 'off' /\n"
             "&base profile = 'constant_n', wind = 'constant', wind_u = 15, wind_v = 6 /\n"
             "&boundary west = 'open', east = 'open', south = 'open', north = 'open' /\n"
             "&initial shape = 'cosine', %s, x = 12000, y = 7000, z = 2000, radius_x = 4000, radius_y = 4000,\n"
             "  radius_z = 1500 /\n",
             scheme, what);
    weather_open(&session, text);
    own = session.in.own;
    measure(5);
}

/* Vapour: what the box lacks has left. Between what tracers keep, rho_0 q, and water, rho q, lies what rho and rho_0
 * differ by: of air that 1 g/kg of vapour and a wind of its own disturb, 1e-3 at most. A sum over the ends of steps in
 * place of their middles would be off by half a step of what leaves, 2e-2. */
Test(budgets, vapour_that_lacks_has_left, .timeout = 300)
{
    open_box("saturation", "variable = 'vapour', amplitude = 1e-3");
    const double began = value_of("water");
    double part = 0;
    for (int n = 0; n < 3; n++) {
        cr_assert_eq(session_advance(&session, n ? 70 : 90), SF_OK, "%s", sf_error_text());
        measure(5);
        const double lacks = began - value_of("water"), left = value_of("water_out");
        cr_assert_float_eq(left, lacks, 1e-3 * lacks, "%g kg lack and %g kg have left", lacks, left);
        cr_assert(n || (lacks > 0.02 * began && lacks < 0.7 * began));
        part = lacks / began;
    }
    cr_assert_gt(part, 0.98);
    session_close(&session);
}

/* Rain: the energy that a closed box lacks went with it, to the ground and on its way. It moves the air a little, whose
 * energy keeps to 1e-6 of all. */
Test(budgets, energy_that_rain_takes, .timeout = 300)
{
    weather_open(&session,
                 "&grid nx = 1, ny = 1, nz = 48, dx = 2000, dy = 2000, dz = 250 /\n&time duration = 1200, dt = 3 /\n"
                 "&dynamics mixing = 'off' /\n&water scheme = 'kessler' /\n"
                 "&base profile = 'isothermal', temperature = 200, relative_humidity = 1 /\n"
                 "&initial shape = 'gaussian', variable = 'rain', amplitude = 4e-3, z = 6000, radius_z = 1000 /\n");
    own = session.in.own;
    measure(3);
    const double energy = value_of("energy");
    cr_assert_eq(session_advance(&session, 400), SF_OK, "%s", sf_error_text());
    measure(3);
    const double lost = energy - value_of("energy"), taken = value_of("rain_energy");
    cr_assert_float_eq(lost, taken, 1e-6 * energy, "%g J less, %g J with the rain, of %g", lost, taken, energy);
    cr_assert_gt(taken, 1e-3 * energy);
    session_close(&session);
}

/* Warm air: mass comes in where it goes, and energy goes. rho is that of the cell at the side, half a cell off; the
 * equations of pi' and theta' keep mass no better than to 1e-5 of all, the energy, which is that of pressure above
 * all, to 1e-6. */
Test(budgets, warmth_that_lacks_has_left, .timeout = 300)
{
    open_box("none", "variable = 'theta', amplitude = 3");
    const double mass = value_of("mass"), energy = value_of("energy");
    cr_assert_eq(session_advance(&session, 200), SF_OK, "%s", sf_error_text());
    measure(5);
    const double gained = value_of("mass") - mass, lost = energy - value_of("energy");
    cr_assert_float_eq(gained, -value_of("mass_out"), 1e-5 * mass, "%g kg more, %g kg out", gained,
                       value_of("mass_out"));
    cr_assert_float_eq(lost, value_of("energy_out"), 1e-6 * energy, "%g J less, %g J out", lost,
                       value_of("energy_out"));
    cr_assert(fabs(gained) > 3e-5 * mass && fabs(lost) > 5e-5 * energy, "%g of the mass, %g of the energy",
              gained / mass, lost / energy);
    session_close(&session);
}

/* ---- a closed box over ground that gives heat and vapour ---- */

/* What `energy` or `water` has gained is what entries of the series tell: the ground and &forcing gave it, rain took
 * it. */
static double gained(const char *what, double since, const char *ground, const char *forcing, const char *rain)
{
    double gain = value_of(what) - since;
    if (has(ground)) gain -= value_of(ground);
    if (has(forcing)) gain -= value_of(forcing);
    if (rain && has(rain)) gain += value_of(rain);
    return gain;
}

/* Water, which is held: rounding, and what the last step lost beyond what was expected. Energy, less, as a share of
 * what the ground gave: of a column that hardly moves 5e-5; eddies take some from heat, and nothing comes back when
 * friction ends them: 3e-4 in half an hour. */
static void box_over_ground(const char *more, int columns, int steps, double of_energy)
{
    static char text[1024];
    snprintf(
        text, sizeof text,
        "&grid nx = %d, ny = %d, nz = 16, dx = 200, dy = 200, dz = 100 /\n&time duration = 7200, dt = 2 /\n"
        "&base profile = 'constant_n' /\n&dynamics mixing = 'off' /\n&surface heat = 'flux', heat_flux = 0.2 /\n%s\n",
        columns, columns, more);
    weather_open(&session, text);
    own = session.in.own;
    measure(2);
    const int wet = has("water");
    const double energy = value_of("energy"), water = wet ? value_of("water") : 0;
    cr_assert_eq(value_of("ground_energy"), 0);
    cr_assert_eq(session_advance(&session, steps), SF_OK, "%s", sf_error_text());
    cr_assert_eq(engine_refresh(&session.engine), SF_OK);
    measure(2);
    const double warm = value_of("ground_energy"),
                 open = gained("energy", energy, "ground_energy", "forcing_energy", "rain_energy");
    cr_assert(warm > 2e-4 * energy);
    cr_assert_lt(fabs(open / warm), of_energy, "%g J from the ground, %g J from nowhere: %g", warm, open, open / warm);
    if (wet) {
        const double given = value_of("ground_water"),
                     from = gained("water", water, "ground_water", "forcing_water", NULL);
        cr_assert(given > 2e-3 * water);
        cr_assert_lt(fabs(from / water), sizeof(real) == 8 ? 3e-8 : 1e-6, "%g kg from the ground, %g kg from nowhere",
                     given, from);
        const double flux = 3e-4 * own->base.rho0_f[0] / (1 + own->base.qv[0]); /* by dry air */
        cr_assert_float_eq(given, steps * 2 * flux * columns * columns * 4e4, 3e-3 * given, "%g kg, not %g", given,
                           steps * 2 * flux * columns * columns * 4e4);
    }
    session_close(&session);
}

#define HUMID "&base relative_humidity = 0.5 /\n&dynamics hold_steps = 1 /\n&surface vapour_flux = 3e-4 /\n"
#define EDDIES "&surface drag = 'roughness' /\n&turbulence closure = 'tke' /\n&initial noise = 0.1 /\n"
Test(budgets, a_closed_box_has_what_the_ground_gave, .timeout = 300)
{
    box_over_ground("", 1, 300, 1e-4);
    box_over_ground(HUMID "&water scheme = 'saturation' /\n", 1, 300, 1e-4);
    box_over_ground(HUMID EDDIES "&water scheme = 'saturation' /\n", 8, 900, 1e-3);
}

/* And what &forcing gave, less what rain took. */
Test(budgets, a_closed_box_has_what_all_gave, .timeout = 300)
{
    box_over_ground(HUMID EDDIES
                    "&water scheme = 'kessler', autoconversion_from = 0 /\n&base relative_humidity = 0.95 /\n"
                    "&dynamics hold_water = 'on' /\n&forcing z = 0, 800, 1600, subsidence = 0, -0.02, 0,\n"
                    "theta_rate = 3*-5e-4, qv_rate = 3*1e-7, u_rate = 3*1e-4 /\n",
                    8, 450, 1e-3);
}
