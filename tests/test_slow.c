/* Coriolis force, Rayleigh layer and steps of scalars by value. Fields are whole numbers and rates are powers of two,
 * so that every sum is exact in either precision and results must be equal. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "dynamics/slow.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

enum { NI = 5, NJ = 4, NK = 6 };

static struct air air;

static void open_air(void)
{
    air_make(&air, NI, NJ, NK, 0);
    for (int f = F_U; f <= F_PID; f++) air_fill(&air, f, 50, 1);
    air_levels(&air, P_U0, -20, 20, 1), air_levels(&air, P_V0, -20, 20, 1);
}

#define FOR_CELLS                                                                                                      \
    for (int j = 0; j < NJ; j++)                                                                                       \
        for (int k = 0; k < NK; k++)                                                                                   \
            for (int i = 0; i < NI; i++)

static double at(int field, int i, int j, int k) { return (double)*air_at(&air, field, i, j, k); }
static double level(int profile, int k) { return (double)air.s.f[profile][k]; }

static double before[AIR_FIELDS][NJ][NK][NI];
static void keep(void)
{
    for (int f = F_U; f <= F_PID; f++) FOR_CELLS before[f][j][k][i] = at(f, i, j, k);
}

/* What stages that add to tendencies must leave as it was. */
static void expect_kept(int first, int last)
{
    for (int f = first; f <= last; f++)
        FOR_CELLS cr_assert_eq(at(f, i, j, k), before[f][j][k][i], "field %d at %d %d %d", f, i, j, k);
}

static void run(stage_function *stage)
{
    const struct call c = {.dt = 1, .ctx = &air.d};
    keep();
    stage(&air.s, air_box(&air, 0), &c);
}

/* ---- Coriolis force: du/dt = f (v - v_0), dv/dt = -f (u - u_0), the other wind being the mean of the four values
 * around ---- */

Test(slow, coriolis_weighs_four_values_alike)
{
    for (int n = 0; n < 4; n++) {
        const real q[4] = {n == 0, n == 1, n == 2, n == 3};
        cr_assert_eq(coriolis(R(8.0), q[0], q[1], q[2], q[3], R(0.0)), R(2.0), "value %d", n);
    }
    cr_assert_eq(coriolis(R(8.0), 0, 0, 0, 0, R(3.0)), R(-24.0));
}

/* The four-point mean is exact for a linear wind, wherever one of the four lies. Coordinates are in half cells: u[i]
 * lies at (2 i, 2 j + 1), v[j] at (2 i + 1, 2 j). */
Test(slow, coriolis_in_a_linear_shear)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        open_air();
        air.d.f = (real)(0.25 * sign);
        for (int j = -1; j <= NJ; j++)
            for (int k = 0; k < NK; k++)
                for (int i = -1; i <= NI; i++) {
                    *air_at(&air, F_U, i, j, k) = (real)(3 * (2 * i) - 5 * (2 * j + 1) + k);
                    *air_at(&air, F_V, i, j, k) = (real)(7 * (2 * i + 1) + 2 * (2 * j) - 3 * k);
                }
        run(coriolis_run);
        FOR_CELLS
        {
            const double v_at_u = 7 * (2 * i) + 2 * (2 * j + 1) - 3 * k, u_at_v = 3 * (2 * i + 1) - 5 * (2 * j) + k;
            cr_assert_eq(at(F_UT, i, j, k) - before[F_UT][j][k][i], 0.25 * sign * (v_at_u - level(P_V0, k)));
            cr_assert_eq(at(F_VT, i, j, k) - before[F_VT][j][k][i], -0.25 * sign * (u_at_v - level(P_U0, k)));
        }
        expect_kept(F_U, F_PI), expect_kept(F_WT, F_PID);
        air_free(&air);
    }
}

/* Each of the four by itself: random winds tell any other stencil that is exact for a linear one. */
Test(slow, coriolis_of_random_winds)
{
    open_air();
    air.d.f = R(0.5);
    run(coriolis_run);
    FOR_CELLS
    {
        double v = 0, u = 0;
        for (int m = 0; m < 2; m++)
            for (int n = 0; n < 2; n++) v += at(F_V, i - m, j + n, k) / 4, u += at(F_U, i + m, j - n, k) / 4;
        cr_assert_eq(at(F_UT, i, j, k) - before[F_UT][j][k][i], 0.5 * (v - level(P_V0, k)));
        cr_assert_eq(at(F_VT, i, j, k) - before[F_VT][j][k][i], -0.5 * (u - level(P_U0, k)));
    }
    air_free(&air);
}

/* The base wind is in balance with a pressure gradient that the equations leave out: nothing accelerates it. */
Test(slow, geostrophic_wind_stays)
{
    open_air();
    air.d.f = R(0.5);
    for (int j = -1; j <= NJ; j++)
        for (int k = 0; k < NK; k++)
            for (int i = -1; i <= NI; i++)
                *air_at(&air, F_U, i, j, k) = air.s.f[P_U0][k], *air_at(&air, F_V, i, j, k) = air.s.f[P_V0][k];
    run(coriolis_run);
    expect_kept(F_UT, F_PID);
    air_free(&air);
}

/* ---- Rayleigh layer: dq/dt = -rate (q - profile) ---- */

Test(slow, relax_goes_to_its_profile)
{
    cr_assert_eq(relax(R(0.5), R(10.0), R(4.0)), R(-3.0));
    cr_assert_eq(relax(R(0.5), R(4.0), R(10.0)), R(3.0));
    cr_assert_eq(relax(R(0.5), R(4.0), R(4.0)), R(0.0));
}

Test(slow, rayleigh_layer_by_field_and_level)
{
    open_air();
    air.d.ray_k = 2;
    air_levels(&air, P_RAYC, 1, 9, 1), air_levels(&air, P_RAYF, 11, 19, 1);
    run(rayleigh_run);
    FOR_CELLS
    {
        const double c = k < 2 ? 0 : level(P_RAYC, k), f = k < 2 ? 0 : level(P_RAYF, k);
        cr_assert_eq(at(F_UT, i, j, k) - before[F_UT][j][k][i], -c * (at(F_U, i, j, k) - level(P_U0, k)));
        cr_assert_eq(at(F_VT, i, j, k) - before[F_VT][j][k][i], -c * (at(F_V, i, j, k) - level(P_V0, k)));
        cr_assert_eq(at(F_WT, i, j, k) - before[F_WT][j][k][i], -f * at(F_W, i, j, k));
        cr_assert_eq(at(F_THT, i, j, k) - before[F_THT][j][k][i], -c * at(F_TH, i, j, k));
    }
    expect_kept(F_U, F_PI), expect_kept(F_PIT, F_PID); /* pressure is not damped */
    air_free(&air);
}

/* ---- the step of theta': start + dt tendency, into the other bank ---- */

Test(slow, theta_goes_on_from_where_it_was)
{
    open_air();
    air_fill(&air, F_TH, 50, 1), air_fill(&air, F_THT, 50, 1);
    const struct call c = {.dt = R(0.25), .ctx = &air.d};
    theta_first_run(&air.s, air_box(&air, 0), &c);
    FOR_CELLS cr_assert_eq((double)*air_written(&air, F_TH, i, j, k), at(F_TH, i, j, k) + 0.25 * at(F_THT, i, j, k));
    air_free(&air);
}

/* ---- a whole time step ---- */

/* Uniform fields without gravity feel nothing but one slow process each, dq/dt = lambda q. Three Runge-Kutta stages
 * from the same start over dt/3, dt/2 and dt make q (1 + z + z^2/2 + z^3/6), z = lambda dt, of it. Every field is
 * stored some twenty times a step, rounded to half a unit in its last place. */
static double tolerance(double scale) { return 20 * (sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON) * scale; }

static struct session session;

Test(slow, rayleigh_layer_in_a_step)
{
    weather_open(&session,
                 "&grid nx = 4, ny = 4, nz = 10, dx = 1000, dy = 1000, dz = 100 /\n&time duration = 2, dt = 2 /\n"
                 "&base wind = 'constant', wind_u = 10, wind_v = -5 /\n"
                 "&dynamics gravity = 0, mixing = 'off', rayleigh_depth = 600, rayleigh_time = 4 /\n"
                 "&initial wind_u = 3, wind_v = 2, shape = 'wave', amplitude = 1 /\n");
    cr_assert_eq(session_advance(&session, 1), SF_OK);
    for (int k = 0; k < 10; k++) {
        const double share = (100 * (k + 0.5) - 400) / 600, angle = share > 0 ? acos(0.0) * share : 0;
        const double z = -2 * sin(angle) * sin(angle) / 4, left = 1 + z + z * z / 2 + z * z * z / 6;
        cr_assert_float_eq((double)*weather_at(&session, F_U, 1, 2, k), 10 + 3 * left, tolerance(13), "u at level %d",
                           k);
        cr_assert_float_eq((double)*weather_at(&session, F_V, 1, 2, k), -5 + 2 * left, tolerance(7), "v at level %d",
                           k);
        cr_assert_float_eq((double)*weather_at(&session, F_TH, 1, 2, k), left, tolerance(1), "theta' at level %d", k);
    }
    session_close(&session);
}

/* An inertial oscillation about the geostrophic wind: z = -i f dt of (u - u_0) + i (v - v_0). */
Test(slow, coriolis_in_a_step)
{
    weather_open(&session,
                 "&grid nx = 4, ny = 4, nz = 4, dx = 1e5, dy = 1e5, dz = 100 /\n&time duration = 200, dt = 200 /\n"
                 "&base wind = 'constant', wind_u = 10, wind_v = -5 /\n"
                 "&dynamics gravity = 0, mixing = 'off', coriolis_f = 1e-3 /\n&initial wind_u = 3, wind_v = 2 /\n");
    cr_assert_eq(session_advance(&session, 1), SF_OK);
    const double z = 1e-3 * 200, c = 1 - z * z / 2, s = z - z * z * z / 6;
    for (int k = 0; k < 4; k++) {
        cr_assert_float_eq((double)*weather_at(&session, F_U, 2, 1, k), 10 + (3 * c + 2 * s), tolerance(13),
                           "u at level %d", k);
        cr_assert_float_eq((double)*weather_at(&session, F_V, 2, 1, k), -5 + (2 * c - 3 * s), tolerance(7),
                           "v at level %d", k);
    }
    session_close(&session);
}
