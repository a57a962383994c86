/* What is shown and summed over terrain, by value: winds that are linear in x, y and z, of which differences along
 * surfaces and upward are exact over a ridge; heights, and air at heights; mass and energy; the base wind.
 * SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { NX = 8, NY = 6, NZ = 5 };

static const double dx = 1000, dy = 1500, lid = 3000, N = 0.01, g = 9.80665, cp = 1004.5, R_gas = 287, p00 = 1e5;
static const double epsilon = sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON;
static struct session session;
static real shown[NZ][NX]; /* a row */

/* A ridge along y, or along x, on surfaces that are evenly apart. */
static void open_case(int along_x, const char *more)
{
    char text[1024];
    snprintf(text, sizeof text,
             "&grid nx = 8, ny = 6, nz = 5, dx = 1000, dy = 1500, dz = 600, origin_x = -4000, origin_y = -4500 /\n"
             "&time duration = 1, dt = 1 /\n&base profile = 'constant_n', brunt_vaisala = 0.01, %s /\n"
             "&dynamics helicity_bottom = 500, helicity_top = 1900 /\n"
             "&terrain shape = 'ridge', height = 700, half_width = 1800, turn = %d, coordinate = 'basic' /\n",
             more, along_x ? 90 : 0);
    weather_open(&session, text);
}

static double x_c(int i) { return -4000 + dx * (i + 0.5); }
static double y_c(int j) { return -4500 + dy * (j + 0.5); }

/* Beyond the sides as they repeat. */
static double ground(int along_x, int i, int j)
{
    const double at = along_x ? y_c((j + 2 * NY) % NY) : x_c((i + 2 * NX) % NX);
    return 700 / (1 + at * at / (1800.0 * 1800));
}

/* Height of the surface of `level` cells over column i, j. */
static double height(int along_x, int i, int j, double level)
{
    const double zeta = 600 * level;
    return zeta + ground(along_x, i, j) * (1 - zeta / lid);
}

/* A wind on a face stands at the mean height of two columns, and J of four halves of three: what d/dz of it is off by.
 */
static double bent(int along_x, int i, int j)
{
    const double h = ground(along_x, i, j), low = ground(along_x, i - !along_x, j - along_x),
                 high = ground(along_x, i + !along_x, j + along_x);
    return fabs(low - 2 * h + high) / (4 * (lid - h));
}

static real *cell(int field, int i, int j, int k) { return weather_at(&session, field, i, j, k); }
static real *map(int field, int i, int j)
{
    const struct slab *const s = &session.state.host.s;
    return s->f[field] + (j - s->j0) * s->sm + i;
}

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

/* Of each wind what x, y and z bring, 1/s. */
static const double u_of[3] = {0, 2e-3, 5e-3}, v_of[3] = {7e-3, 0, -3e-3}, w_of[3] = {1e-3, 4e-3, 6e-3};

static double linear(const double a[3], double x, double y, double z) { return a[0] * x + a[1] * y + a[2] * z; }

static void winds_set(int along_x)
{
    for (int j = -1; j <= NY; j++)
        for (int i = -1; i <= NX; i++) {
            for (int k = -1; k <= NZ; k++) {
                const double z = height(along_x, i, j, k + 0.5), west = height(along_x, i - 1, j, k + 0.5),
                             south = height(along_x, i, j - 1, k + 0.5);
                *cell(F_U, i, j, k) = (real)linear(u_of, x_c(i) - dx / 2, y_c(j), (z + west) / 2);
                *cell(F_V, i, j, k) = (real)linear(v_of, x_c(i), y_c(j) - dy / 2, (z + south) / 2);
                *cell(F_W, i, j, k) = k > 0 ? (real)linear(w_of, x_c(i), y_c(j), height(along_x, i, j, k)) : R(0.0);
            }
            *map(F_GROUND_W, i, j) = (real)linear(w_of, x_c(i), y_c(j), ground(along_x, i, j));
        }
}

/* Inside, where differences do not reach around the domain. */
#define FOR_INSIDE                                                                                                     \
    for (int k = 0; k < NZ; k++)                                                                                       \
        for (int i = 1; i + 1 < NX; i++)

Test(terrain_show, winds_and_rotation)
{
    for (int along_x = 0; along_x < 2; along_x++) {
        open_case(along_x, "wind = 'calm', surface_theta = 300");
        winds_set(along_x);
        /* Differences of winds of 30 m/s, over 600 m at least. */
        const double slack = 16 * epsilon * 30 / 600;
        const struct {
            const char *name;
            double value;
        } curl[] = {
            {"vorticity_x", w_of[1] - v_of[2]}, {"vorticity_y", u_of[2] - w_of[0]}, {"vorticity_z", v_of[0] - u_of[1]}};
        for (int j = 1; j + 1 < NY; j++) {
            for (int n = 0; n < 3; n++) {
                row_of(curl[n].name, j);
                FOR_INSIDE cr_assert_float_eq((double)shown[k][i], curl[n].value, slack + 5e-3 * bent(along_x, i, j),
                                              "%s at %d %d %d: %g, not %g", curl[n].name, i, j, k, (double)shown[k][i],
                                              curl[n].value);
            }
            row_of("w", j);
            FOR_INSIDE
            {
                const double w = linear(w_of, x_c(i), y_c(j), height(along_x, i, j, k + 0.5));
                cr_assert_float_eq((double)shown[k][i], w, 4 * epsilon * 60, "w at %d %d %d: %g, not %g", i, j, k,
                                   (double)shown[k][i], w);
            }
            row_of("updraft_helicity", j);
            for (int i = 1; i + 1 < NX; i++) {
                double sum = 0;
                for (int k = 0; k < NZ; k++) {
                    const double h = ground(along_x, i, j), low = fmax(height(along_x, i, j, k) - h, 500),
                                 high = fmin(height(along_x, i, j, k + 1) - h, 1900);
                    if (high > low)
                        sum +=
                            (high - low) * curl[2].value * linear(w_of, x_c(i), y_c(j), height(along_x, i, j, k + 0.5));
                }
                cr_assert_float_eq((double)shown[0][i], sum, 1400 * 60 * (slack + 5e-3 * bent(along_x, i, j)),
                                   "helicity at %d %d: %g, not %g", i, j, (double)shown[0][i], sum);
            }
        }
        session_close(&session);
    }
}

Test(terrain_show, air_at_its_height)
{
    open_case(0, "wind = 'calm', surface_theta = 300");
    weather_stir(&session);
    for (int j = 0; j < NY; j++) {
        real all[4][NZ][NX];
        static const char *const name[4] = {"height", "theta", "temperature", "pressure"};
        for (int n = 0; n < 4; n++) row_of(name[n], j), memcpy(all[n], shown, sizeof shown);
        for (int k = 0; k < NZ; k++)
            for (int i = 0; i < NX; i++) {
                const double z = height(0, i, j, k + 0.5), theta_0 = 300 * exp(N * N * z / g),
                             pi_0 = 1 - g * g / (cp * N * N * 300) * (1 - exp(-N * N * z / g));
                const double theta = theta_0 + (double)*cell(F_TH, i, j, k), pi = pi_0 + (double)*cell(F_PI, i, j, k);
                cr_assert_float_eq((double)all[0][k][i], z, 2 * epsilon * z);
                cr_assert_float_eq((double)all[1][k][i], theta, 4 * epsilon * 320);
                /* pi_0 is the sum of levels 600 m apart: N^4 dz^2 z / (12 cp 300) at most, 1e-7 of 0.7. */
                cr_assert_float_eq((double)all[2][k][i], theta * pi, 320 * (2e-6 + 8 * epsilon), "%g, not %g",
                                   (double)all[2][k][i], theta * pi);
                cr_assert_float_eq((double)all[3][k][i], p00 * pow(pi, cp / R_gas), 3.5e5 * (2e-6 + 8 * epsilon));
            }
    }
    session_close(&session);
}

static double number(const char *name)
{
    double values[64], courant;
    cr_assert_eq(session.model->measure(&session.in, &session.state, 1, values, &courant), 0);
    for (int n = 0; n < session.in.nquantities; n++)
        if (!strcmp(session.in.quantity[n].name, name)) return values[n];
    cr_assert_fail("no %s", name);
    return 0;
}

/* All cells with their own base state, height and size; w on the ground is part of the lowest ones'. */
Test(terrain_show, mass_and_energy)
{
    open_case(1, "wind = 'calm', surface_theta = 300");
    weather_stir(&session);
    double mass = 0, energy = 0;
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            *map(F_GROUND_W, i, j) = (real)(3 + i - j);
            for (int k = 0; k < NZ; k++) {
                const double z = height(1, i, j, k + 0.5),
                             volume = dx * dy * (height(1, i, j, k + 1) - height(1, i, j, k));
                const double theta = 300 * exp(N * N * z / g) + (double)*cell(F_TH, i, j, k),
                             pi = 1 - g * g / (cp * N * N * 300) * (1 - exp(-N * N * z / g)) +
                                  (double)*cell(F_PI, i, j, k);
                const double rho = p00 / R_gas * pow(pi, cp / R_gas - 1) / theta;
                const double u = ((double)*cell(F_U, i, j, k) + (double)*cell(F_U, (i + 1) % NX, j, k)) / 2,
                             v = ((double)*cell(F_V, i, j, k) + (double)*cell(F_V, i, (j + 1) % NY, k)) / 2,
                             w = ((k ? (double)*cell(F_W, i, j, k) : (double)*map(F_GROUND_W, i, j)) +
                                  (k + 1 < NZ ? (double)*cell(F_W, i, j, k + 1) : 0)) /
                                 2;
                if (k == 0) *cell(F_W, i, j, 0) = R(0.0);
                mass += rho * volume;
                energy += rho * volume * ((u * u + v * v + w * w) / 2 + (cp - R_gas) * theta * pi + g * z);
            }
        }
    /* Of pi_0 of levels 600 m apart, and of J and theta_0 as reals. */
    const double share = 5e-6 + 4 * epsilon;
    const double is_mass = number("mass"), is_energy = number("energy");
    cr_assert_float_eq(is_mass, mass, share * mass, "%.9g, not %.9g", is_mass, mass);
    cr_assert_float_eq(is_energy, energy, share * energy, "%.9g, not %.9g", is_energy, energy);
    /* What w on the ground is: a cell of 4e9 kg has 2e11 J of it, a millionth of a millionth would not be seen. */
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) *map(F_GROUND_W, i, j) = 300;
    double more = 0;
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            const double z = height(1, i, j, 0.5), volume = dx * dy * (height(1, i, j, 1) - height(1, i, j, 0)),
                         pi = 1 - g * g / (cp * N * N * 300) * (1 - exp(-N * N * z / g)) + (double)*cell(F_PI, i, j, 0);
            const double rho = p00 / R_gas * pow(pi, cp / R_gas - 1) /
                               (300 * exp(N * N * z / g) + (double)*cell(F_TH, i, j, 0)),
                         before = ((double)(3 + i - j) + (double)*cell(F_W, i, j, 1)) / 2,
                         after = (300 + (double)*cell(F_W, i, j, 1)) / 2;
            more += rho * volume * (after * after - before * before) / 2;
        }
    cr_assert_float_eq(number("energy") - is_energy, more, 1e-4 * more + 1e-9 * energy, "%g, not %g",
                       number("energy") - is_energy, more);
    session_close(&session);
}

/* A wind that turns and grows with height begins as the base wind at the height where it is, to the bit. */
Test(terrain_show, base_wind_at_its_height)
{
    open_case(0, "wind = 'shear', wind_u = 2, wind_v = -3, wind_u_top = 32, wind_v_top = 12, shear_top = 3000");
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++)
            for (int k = 0; k < NZ; k++) {
                const double z = height(0, i, j, k + 0.5);
                cr_assert_float_eq((double)*cell(F_U0_OVER, i, j, k), 2 + 30 * z / 3000, 32 * epsilon);
                cr_assert_float_eq((double)*cell(F_V0_OVER, i, j, k), -3 + 15 * z / 3000, 32 * epsilon);
                const real u = R(0.5) * (*cell(F_U0_OVER, i - 1, j, k) + *cell(F_U0_OVER, i, j, k)),
                           v = R(0.5) * (*cell(F_V0_OVER, i, j - 1, k) + *cell(F_V0_OVER, i, j, k));
                cr_assert_eq(memcmp(cell(F_U, i, j, k), &u, sizeof u), 0, "u at %d %d %d", i, j, k);
                cr_assert_eq(memcmp(cell(F_V, i, j, k), &v, sizeof v), 0, "v at %d %d %d", i, j, k);
            }
    session_close(&session);
}
