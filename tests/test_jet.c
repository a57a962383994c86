/* The jet at the start (&initial jet), by value: its wind, the air that it is in balance with, by the differences of
 * the model and by those of no model, and what is refused. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

static struct session session;
static const double f = 1e-4, cp = 1004.5, g = 9.80665, dy = 150e3, axis = 1800e3, lid = 12e3;

#define HEAD                                                                                                           \
    "&grid nx = 6, ny = 20, nz = 14, dx = 200e3, dy = 150e3, dz = 500, stretch_ratio = 1.1, origin_y = 50e3 /\n"       \
    "&base profile = 'constant_n', brunt_vaisala = 0.012, surface_theta = 290 /\n"                                     \
    "&boundary south = 'wall', north = 'symmetric' /\n"
#define PLANE "&dynamics coriolis_f = 1e-4, mixing = 'off', expected_speed = 40 /\n"
#define BRIEF "&time duration = 1, dt = 1 /\n"
#define CORE "jet = 'core', jet_speed = 40, jet_height = 8000, jet_width = 2400e3, jet_offset = 250e3"

static const struct dynamics_own *own(void) { return session.in.own; }
static double at(int field, int j, int k) { return (double)*weather_at(&session, field, 2, j, k); }
static double z_of(int k) { return session.grid.z_c[k]; }
static double y_of(int j) { return 50e3 + dy * (j + 0.5); }

static double shape(double y) { return fabs(y - axis) < 1200e3 ? pow(cos(M_PI * (y - axis) / 2400e3), 2) : 0; }
static double core(double y, double z) { return 40 * shape(y) * z / 8e3 * exp(0.5 - 0.5 * pow(z / 8e3, 2)); }

/* As the formula has it, but for what the balance of differences adds. */
Test(jet, wind_by_value)
{
    weather_open(&session, HEAD PLANE BRIEF "&initial " CORE " /\n");
    double most = 0;
    for (int j = 0; j < 20; j++)
        for (int k = 0; k < 14; k++) {
            most = fmax(most, at(F_U, j, k));
            cr_assert_float_eq(at(F_U, j, k), core(y_of(j), z_of(k)), 2e-3, "%d %d: %g", j, k, at(F_U, j, k));
            for (int i = 0; i < 6; i++) cr_assert(!((double)*weather_at(&session, F_U, i, j, k) - at(F_U, j, k) != 0));
            cr_assert(!(at(F_V, j, k) != 0) && !(at(F_W, j, k) != 0));
        }
    cr_assert(most > 38);
    session_close(&session);
    weather_open(&session,
                 HEAD PLANE BRIEF "&initial jet = 'shear', jet_speed = -20 /\n&time duration = 1, dt = 1 /\n");
    const double top = session.grid.top;
    for (int j = 0; j < 20; j++)
        for (int k = 0; k < 14; k++) cr_assert_float_eq(at(F_U, j, k), -20 * z_of(k) / top, 2e-3);
    session_close(&session);
}

/* The table of the jet, in double, against both equations of the model, as dynamics/jet.h has them. */
static void balanced(double speed_of_base)
{
    const struct base_state *const b = &own()->base;
    const struct jet *const x = &own()->jet;
    for (int j = 0; j < 20; j++)
        for (int k = 0; k < 14; k++) {
            const ptrdiff_t n = j * 14 + k, south = n - 14, below = n - 1;
            if (j) {
                const double theta = b->theta0[k] + 0.5 * (x->theta[n] + x->theta[south]),
                             push = cp * theta * (x->pi[n] - x->pi[south]) / dy,
                             turn = (double)own()->ctx.f * 0.5 * (x->u[n] + x->u[south]);
                cr_assert_float_eq(push, -turn, 1e-12, "%d %d: %g %g", j, k, push, turn);
            }
            if (k) {
                const double more = 0.5 * (x->theta[n] + x->theta[below]), theta = b->theta0_f[k] + more,
                             push = cp * theta * (x->pi[n] - x->pi[below]) / (z_of(k) - z_of(k - 1)),
                             weight = g * more / b->theta0_f[k];
                cr_assert_float_eq(push, weight, 1e-12, "%d %d: %g %g", j, k, push, weight);
            }
            const double unit = sizeof(real) == 8 ? 1e-13 : 1e-6;
            cr_assert_float_eq(at(F_TH, j, k), x->theta[n], unit * 30);
            cr_assert_float_eq(at(F_PI, j, k), x->pi[n], unit * 0.1);
            cr_assert_float_eq(at(F_U, j, k), speed_of_base + x->u[n], unit * 60);
        }
}

Test(jet, differences_in_balance)
{
    weather_open(&session, HEAD PLANE BRIEF "&initial " CORE " /\n");
    balanced(0);
    session_close(&session);
    weather_open(&session, HEAD PLANE BRIEF
                 "&initial jet = 'shear', jet_speed = -20, jet_offset = -1e6, balance = 'hydrostatic' /\n");
    balanced(0);
    session_close(&session);
    weather_open(
        &session,
        "&grid nx = 6, ny = 20, nz = 14, dx = 200e3, dy = 150e3, dz = 500, stretch_ratio = 1.1, origin_y = 50e3 /\n"
        "&base profile = 'constant_n', brunt_vaisala = 0.012, surface_theta = 290, wind = 'constant', wind_u = 7 /\n"
        "&boundary south = 'wall', north = 'wall' /\n" PLANE BRIEF "&initial " CORE " /\n");
    balanced(7);
    session_close(&session);
}

/* theta' and pi' against thermal wind without differences: u d/dy (1/theta) ... to first order in the jet
 *
 *     cp pi' = -f integral of u / theta_0 dy from the axis       theta' = (cp theta_0^2 / g) dpi'/dz
 *
 * with u = 20 z / lid, the same at all y, and N constant, so that d(u / theta_0)/dz is known. What is left is of second
 * order, theta' / theta_0 of it, and the differences'. */
Test(jet, thermal_wind)
{
    weather_open(&session, "&grid nx = 4, ny = 40, nz = 40, dx = 1e5, dy = 50e3, dz = 300 /\n"
                           "&base profile = 'constant_n', brunt_vaisala = 0.012, surface_theta = 290 /\n"
                           "&boundary south = 'wall', north = 'wall' /\n" PLANE BRIEF
                           "&initial jet = 'shear', jet_speed = 20 /\n");
    double warm = 0, cold = 0;
    for (int j = 0; j < 40; j++)
        for (int k = 0; k < 40; k++) {
            const double y = 50e3 * (j + 0.5) - 1e6, z = z_of(k), theta_0 = 290 * exp(0.012 * 0.012 * z / g);
            const double shear = 20 / lid, pi = -f * y * shear * z / (cp * theta_0),
                         theta = -f * y * theta_0 / g * (shear - shear * z * 0.012 * 0.012 / g);
            const double second = 0.05 + fabs(theta) / theta_0;
            cr_assert_float_eq(at(F_TH, j, k), theta, second * fmax(fabs(theta), 0.2), "%d %d: %g %g", j, k,
                               at(F_TH, j, k), theta);
            cr_assert_float_eq(at(F_PI, j, k), pi, 0.02 * fabs(pi) + 1e-6, "%d %d: %g %g", j, k, at(F_PI, j, k), pi);
            warm = fmax(warm, at(F_TH, j, k)), cold = fmin(cold, at(F_TH, j, k));
        }
    cr_assert(warm > 4 && cold < -4, "%g %g", warm, cold);
    session_close(&session);
}

/* A day: what rounding moves, and no more. 'none' and 'hydrostatic' have the same pressure. */
Test(jet, stays_as_it_is, .timeout = 120)
{
    static const char *const of[] = {"none", "hydrostatic"};
    for (int n = 0; n < 2; n++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD PLANE "&time duration = 86400, dt = 120 /\n&initial " CORE ", balance = '%s' /\n", of[n]);
        weather_open(&session, text);
        cr_assert_eq(session_advance(&session, session_steps_left(&session)), 0);
        const double unit = sizeof(real) == 8 ? DBL_EPSILON / FLT_EPSILON : 1;
        for (int j = 0; j < 20; j++)
            for (int k = 0; k < 14; k++) {
                const double u = own()->jet.u[j * 14 + k];
                cr_assert_float_eq(at(F_U, j, k), u, 1e-3 * unit, "%s: %d %d: %g %g", of[n], j, k, at(F_U, j, k), u);
                cr_assert_float_eq(at(F_V, j, k), 0, 1e-3 * unit, "%s: %d %d: v = %g", of[n], j, k, at(F_V, j, k));
                cr_assert_float_eq(at(F_W, j, k), 0, 1e-4 * unit, "%s: %d %d: w = %g", of[n], j, k, at(F_W, j, k));
            }
        session_close(&session);
    }
}

/* A perturbation beside it adds to theta', and its pressure is that of its weight. */
Test(jet, perturbed)
{
    weather_open(&session, HEAD PLANE BRIEF
                 "&initial " CORE ", balance = 'hydrostatic', shape = 'wave', variable = 'theta', amplitude = 2 /\n");
    const struct base_state *const b = &own()->base;
    const struct jet *const x = &own()->jet;
    const double unit = sizeof(real) == 8 ? 1e-13 : 1e-6;
    double pi = x->pi[5 * 14];
    cr_assert_float_eq(at(F_PI, 5, 0), pi, 0.1 * unit);
    for (int k = 0; k < 14; k++) {
        cr_assert_float_eq(at(F_TH, 5, k), x->theta[5 * 14 + k] + 2, 30 * unit);
        if (!k) continue;
        const double more = 0.5 * (x->theta[5 * 14 + k] + x->theta[5 * 14 + k - 1]) + 2;
        pi += g * more / b->theta0_f[k] / (cp * (b->theta0_f[k] + more)) * (z_of(k) - z_of(k - 1));
        cr_assert_float_eq(at(F_PI, 5, k), pi, 0.1 * unit);
    }
    session_close(&session);
}

/* North of this jet air is more stable than the base state, and south of it warmer. */
Test(jet, limits_of_the_step)
{
    weather_open(&session, HEAD PLANE BRIEF "&initial " CORE " /\n");
    const struct base_state *const b = &own()->base;
    double n2 = 0, sound = 0;
    for (int j = 0; j < 20; j++)
        for (int k = 0; k < 14; k++) {
            const double *const theta = own()->jet.theta + j * 14, high = b->theta[k] + theta[k];
            sound = fmax(sound, sqrt(1.4 * 287 * high * (b->pi0[k] + own()->jet.pi[j * 14 + k])));
            if (!k) continue;
            const double low = b->theta[k - 1] + theta[k - 1];
            n2 = fmax(n2, 2 * g * (high - low) / ((high + low) * (z_of(k) - z_of(k - 1))));
        }
    cr_assert(n2 > 1.2 * b->figures.n2_max, "%g", n2);
    cr_assert_float_eq(own()->jet.n2_most, n2, 1e-12);
    cr_assert_float_eq(own()->jet.sound_most, sound, 1e-9);
    cr_assert(session.in.dt_limit <= 1.7 / sqrt(n2) * (1 + 1e-12), "%g", session.in.dt_limit);
    session_close(&session);
}

Test(jet, what_cannot_be_is_refused)
{
    static const struct {
        const char *text, *key, *says;
    } bad[] = {
        {HEAD BRIEF "&initial jet = 'core' /\n", "jet", "coriolis_f is 0"},
        {HEAD BRIEF "&initial jet = 'core' /\n&map projection = 'mercator' /\n", "jet", "on a map f changes"},
        {HEAD BRIEF
         "&dynamics coriolis_f = 1e-4, gravity = 0 /\n&base profile = 'neutral' /\n&initial jet = 'core' /\n",
         "jet", "gravity is 0"},
        {"&boundary south = 'open', north = 'wall' /\n" PLANE BRIEF "&initial jet = 'core' /\n", "south",
         "let south and north be 'wall'"},
        {"&boundary south = 'periodic', north = 'periodic' /\n" PLANE BRIEF "&initial jet = 'core' /\n", "south",
         "let south and north be 'wall'"},
        {"&boundary south = 'wall', north = 'wall', west = 'open', east = 'open' /\n" PLANE BRIEF
         "&initial jet = 'core' /\n",
         "west", "be 'periodic'"},
        {HEAD PLANE BRIEF "&initial jet = 'core' /\n&terrain shape = 'ridge', height = 100, half_width = 5e5 /\n",
         "jet", "over flat ground"},
        {HEAD PLANE BRIEF "&initial jet = 'core' /\n&water scheme = 'kessler' /\n", "jet", "dry air"},
        {HEAD PLANE BRIEF "&initial jet = 'core', atmosphere = 'isothermal' /\n", "jet", "the base state on its axis"},
        {HEAD "&dynamics coriolis_f = 1e-3, expected_speed = 300 /\n" BRIEF
              "&initial jet = 'shear', jet_speed = 300 /\n",
         "jet_speed", "no air is in balance"}};
    for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) weather_refused(bad[n].text, bad[n].key, bad[n].says);
}
