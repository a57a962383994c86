/* What the history shows, by value: every diagnostic of a random state against its definition in plain double; base
 * profiles. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { NX = 6, NY = 4, NZ = 5 };

static const double dx = 1000, dy = 1500, R_gas = 287, cp = 1004.5, p00 = 1e5, moving[2] = {4, -2};
static const double epsilon = sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON;
static struct session session;
static const struct dynamics_own *own;
static real shown[NZ][NX]; /* a row */

static void open_case(void)
{
    weather_open(&session,
                 "&grid nx = 6, ny = 4, nz = 5, dx = 1000, dy = 1500, dz = 400, stretch_ratio = 1.3,\n"
                 "      translation_u = 4, translation_v = -2 /\n&time duration = 1, dt = 1 /\n"
                 "&base profile = 'constant_n', wind = 'shear', wind_u_top = 20, wind_v_top = 10, shear_top = 2000 /\n"
                 "&dynamics tracers = 2 /\n");
    own = session.in.own;
    weather_stir(&session);
}

static double at(int field, int i, int j, int k) { return (double)*weather_at(&session, field, i, j, k); }

static void row_of(const char *name, int j)
{
    for (int n = 0; n < session.in.ndiagnostics; n++) {
        const struct diagnostic *const d = &session.in.diagnostic[n];
        if (strcmp(d->name, name)) continue;
        d->row(&session.state.host.s, session.in.ctx, j, &shown[0][0]);
        return;
    }
    cr_assert_fail("no %s", name);
}

/* `want` of every cell. scale: the largest number that enters; roundings: how many times it is rounded to a real. */
static void expect(const char *name, double (*want)(int i, int j, int k), double scale, int roundings)
{
    for (int j = 0; j < NY; j++) {
        row_of(name, j);
        for (int k = 0; k < NZ; k++)
            for (int i = 0; i < NX; i++) {
                const double error = fabs((double)shown[k][i] - want(i, j, k));
                cr_assert(error <= roundings * epsilon * scale, "%s at %d %d %d: %.9g, not %.9g", name, i, j, k,
                          (double)shown[k][i], want(i, j, k));
            }
    }
}

/* ---- what is stored, moved to the centres ---- */

static double u_at(int i, int j, int k) { return (at(F_U, i, j, k) + at(F_U, i + 1, j, k)) / 2 + moving[0]; }
static double v_at(int i, int j, int k) { return (at(F_V, i, j, k) + at(F_V, i, j + 1, k)) / 2 + moving[1]; }
static double w_at(int i, int j, int k) { return (at(F_W, i, j, k) + at(F_W, i, j, k + 1)) / 2; }
static double theta_p_at(int i, int j, int k) { return at(F_TH, i, j, k); }
static double pi_p_at(int i, int j, int k) { return at(F_PI, i, j, k); }
static double q1_at(int i, int j, int k) { return at(F_Q, i, j, k); }
static double q2_at(int i, int j, int k) { return at(F_Q + F_FAMILY, i, j, k); }

Test(show, winds_at_centres_relative_to_the_ground)
{
    open_case();
    expect("u", u_at, 40, 2), expect("v", v_at, 40, 2), expect("w", w_at, 40, 2);
    session_close(&session);
}

Test(show, scalars_as_they_are)
{
    open_case();
    expect("theta_p", theta_p_at, 0, 0), expect("pi_p", pi_p_at, 0, 0), expect("q1", q1_at, 0, 0),
        expect("q2", q2_at, 0, 0);
    session_close(&session);
}

/* ---- thermodynamics: T = theta pi, p = p00 pi^(cp/R), rho = p / (R T) ---- */

static double theta_at(int i, int j, int k) { return own->base.theta0[k] + at(F_TH, i, j, k); }
static double pi_at(int i, int j, int k) { return own->base.pi0[k] + at(F_PI, i, j, k); }
static double T_at(int i, int j, int k) { return theta_at(i, j, k) * pi_at(i, j, k); }
static double p_at(int i, int j, int k) { return p00 * pow(pi_at(i, j, k), cp / R_gas); }
static double rho_at(int i, int j, int k) { return p_at(i, j, k) / (R_gas * T_at(i, j, k)); }

/* Base values are rounded to reals, too; the power 7/2 multiplies a relative error. */
Test(show, thermodynamics)
{
    open_case();
    expect("theta", theta_at, 400, 2), expect("temperature", T_at, 400, 3);
    expect("pressure", p_at, 1e5, 6), expect("density", rho_at, 1.3, 6);
    session_close(&session);
}

/* ---- vorticity at centres: winds averaged to centres, differenced over the two neighbours ---- */

static double x_slope(double (*wind)(int, int, int), int i, int j, int k)
{
    return (wind(i + 1, j, k) - wind(i - 1, j, k)) / (2 * dx);
}
static double y_slope(double (*wind)(int, int, int), int i, int j, int k)
{
    return (wind(i, j + 1, k) - wind(i, j - 1, k)) / (2 * dy);
}
static double z_slope(double (*wind)(int, int, int), int i, int j, int k)
{
    return (wind(i, j, k + 1) - wind(i, j, k - 1)) / (session.grid.z_c[k + 1] - session.grid.z_c[k - 1]);
}
static double vorticity_x(int i, int j, int k) { return y_slope(w_at, i, j, k) - z_slope(v_at, i, j, k); }
static double vorticity_y(int i, int j, int k) { return z_slope(u_at, i, j, k) - x_slope(w_at, i, j, k); }
static double vorticity_z(int i, int j, int k) { return x_slope(v_at, i, j, k) - y_slope(u_at, i, j, k); }

/* Rows, columns and levels that lack no neighbour but the one layer of ghosts that means are taken of. */
static void expect_vorticity(const char *name, double (*want)(int i, int j, int k))
{
    for (int j = 1; j < NY - 1; j++) {
        row_of(name, j);
        for (int k = 1; k < NZ - 1; k++)
            for (int i = 1; i < NX - 1; i++) {
                /* two slopes below 20 m/s over 400 m, each with ten roundings */
                cr_assert_float_eq((double)shown[k][i], want(i, j, k), 20 * epsilon * 40 / 400,
                                   "%s at %d %d %d: %.9g, not %.9g", name, i, j, k, (double)shown[k][i], want(i, j, k));
            }
    }
}

Test(show, vorticity)
{
    open_case();
    expect_vorticity("vorticity_x", vorticity_x), expect_vorticity("vorticity_y", vorticity_y),
        expect_vorticity("vorticity_z", vorticity_z);
    session_close(&session);
}

/* ---- base profiles: those of the base state, wind over the ground ---- */

Test(show, base_profiles)
{
    open_case();
    const struct base_state *const b = &own->base;
    const double *const from[] = {b->theta0, b->pi0, b->rho0, b->p0, b->u0, b->v0};
    static const char *const name[] = {"theta_0", "pi_0", "rho_0", "p_0", "u_0", "v_0"};
    for (int n = 0; n < 6; n++) {
        int found = 0;
        for (int m = 0; m < session.in.nprofiles; m++)
            if (!strcmp(session.in.profile[m].name, name[n])) {
                found++;
                for (int k = 0; k < NZ; k++)
                    cr_assert_eq(session.in.profile[m].value[k], from[n][k], "%s at %d", name[n], k);
            }
        cr_assert_eq(found, 1, "%s", name[n]);
    }
    cr_assert(b->u0[NZ - 1] > b->u0[0] && b->v0[NZ - 1] < b->u0[NZ - 1]);
    session_close(&session);
}
