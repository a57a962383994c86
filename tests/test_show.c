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

/* ---- updraft helicity: integral of w zeta over a layer, one value a column ---- */

static void open_layer(const char *side, double low, double high)
{
    static char text[1024];
    snprintf(text, sizeof text,
             "&grid nx = 6, ny = 4, nz = 5, dx = 1000, dy = 1500, dz = 400, stretch_ratio = 1.3 /\n"
             "&time duration = 1, dt = 1 /\n&base profile = 'constant_n' /\n"
             "&dynamics helicity_bottom = %.17g, helicity_top = %.17g /\n"
             "&boundary west = '%s', east = '%s', south = '%s', north = '%s' /\n",
             low, high, side, side, side, side);
    weather_open(&session, text);
    own = session.in.own;
}

/* A vortex that turns as a solid body, in an updraft w = z (top - z) / 1e5: of a cell the mean of w over its height is
 * the mean of its faces and, w being square in z, -w''/12 times the square of its height more. */
Test(show, updraft_helicity_of_a_vortex)
{
    const double faces[] = {0, 400, 920, 1596, 2474.8, 3617.24}, spin = 4e-3, bend = -2e-5;
    open_layer("periodic", faces[1], faces[4]);
    const double *const z = session.grid.z_f, top = z[NZ];
    for (int j = -1; j <= NY; j++)
        for (int k = 0; k <= NZ; k++)
            for (int i = -1; i <= NX; i++) {
                *weather_at(&session, F_U, i, j, k) = (real)(-spin * (j * dy));
                *weather_at(&session, F_V, i, j, k) = (real)(spin * (i * dx));
                *weather_at(&session, F_W, i, j, k) = (real)(z[k] * (top - z[k]) * 1e-5);
            }
    double integral = (top * (z[4] * z[4] - z[1] * z[1]) / 2 - (pow(z[4], 3) - pow(z[1], 3)) / 3) * 1e-5;
    for (int k = 1; k < 4; k++) integral += bend / 12 * pow(z[k + 1] - z[k], 3);
    for (int j = 0; j < NY; j++) {
        row_of("updraft_helicity", j);
        for (int i = 0; i < NX; i++)
            cr_assert_float_eq((double)shown[0][i], 2 * spin * integral, 8 * epsilon * 2 * spin * integral,
                               "%d %d: %.9g, not %.9g", i, j, (double)shown[0][i], 2 * spin * integral);
    }
    session_close(&session);
}

/* Where column i of the domain, or one beyond a side, has its value: at the other side, or at the same. */
static int around(int i, int n, int repeats)
{
    return i < 0 ? (repeats ? n - 1 : 0) : i >= n ? (repeats ? 0 : n - 1) : i;
}

/* The wind through the side n, which a wall stops, an open side has, a periodic one shares with the first. */
static double across(int field, int i, int j, int k, int is_far, const char *side)
{
    if (!is_far) return at(field, i, j, k);
    if (*side == 'w') return 0;
    return *side == 'o' ? at(field, i, j, k) : at(field, field == F_U ? 0 : i, field == F_V ? 0 : j, k);
}

static double spin_beside(int i, int j, int k, const char *side)
{
    const int repeats = *side == 'p';
    double along[2] = {0}, up[2] = {0};
    for (int m = 0; m < 2; m++)
        for (int n = 0; n < 2; n++) {
            const int x = around(i + 2 * m - 1, NX, repeats), y = around(j + 2 * m - 1, NY, repeats);
            along[m] += across(F_V, x, j + n, k, j + n == NY, side) / 2;
            up[m] += across(F_U, i + n, y, k, i + n == NX, side) / 2;
        }
    return (along[1] - along[0]) / (2 * dx) - (up[1] - up[0]) / (2 * dy);
}

/* Of random winds, over a layer whose ends lie within cells, next to all kinds of sides. */
Test(show, updraft_helicity)
{
    static const char *const side[] = {"periodic", "wall", "open"};
    const double low = 700, high = 2000;
    for (int n = 0; n < 3; n++) {
        open_layer(side[n], low, high);
        weather_stir(&session);
        cr_assert_eq(engine_refresh(&session.engine), SF_OK);
        const double *const z = session.grid.z_f;
        for (int j = 0; j < NY; j++) {
            row_of("updraft_helicity", j);
            for (int i = 0; i < NX; i++) {
                double want = 0;
                for (int k = 0; k < NZ; k++)
                    want += (at(F_W, i, j, k) + (k + 1 < NZ ? at(F_W, i, j, k + 1) : 0)) / 2 *
                            spin_beside(i, j, k, side[n]) * fmax(fmin(z[k + 1], high) - fmax(z[k], low), 0);
                /* winds of 20 m/s, their slopes over 2 km, 1300 m of height: each with some ten roundings */
                cr_assert_float_eq((double)shown[0][i], want, 10 * epsilon * 20 * 0.04 * 1300,
                                   "%s at %d %d: %.9g, not %.9g", side[n], i, j, (double)shown[0][i], want);
            }
        }
        session_close(&session);
    }
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

/* ---- moist air, of vapour to 20 g/kg, cloud and rain to 5 ---- */

static void open_moist_case(void)
{
    weather_open(&session, "&grid nx = 6, ny = 4, nz = 5, dx = 1000, dy = 1500, dz = 400, stretch_ratio = 1.3 /\n"
                           "&time duration = 1, dt = 1 /\n&water scheme = 'kessler' /\n&dynamics tracers = 1 /\n"
                           "&base profile = 'constant_n', relative_humidity = 0.5 /\n");
    own = session.in.own;
    weather_stir(&session);
    for (int j = 0; j < NY; j++)
        for (int k = 0; k < NZ; k++)
            for (int i = 0; i < NX; i++) {
                *weather_at(&session, F_QV, i, j, k) = (real)air_random(1e-3, 0.02);
                *weather_at(&session, F_QC, i, j, k) = (real)air_random(0, 5e-3);
                *weather_at(&session, F_QR, i, j, k) = (i + k) % 3 ? (real)air_random(1e-6, 5e-3) : R(0.0);
            }
}

static double qv_at(int i, int j, int k) { return at(F_QV, i, j, k); }
static double qc_at(int i, int j, int k) { return at(F_QC, i, j, k); }
static double qr_at(int i, int j, int k) { return at(F_QR, i, j, k); }
static double third_at(int i, int j, int k) { return at(F_Q + F_FAMILY * SPECIES, i, j, k); }
static double moist_theta(int i, int j, int k) { return own->base.theta[k] + at(F_TH, i, j, k); }
static double moist_T(int i, int j, int k) { return moist_theta(i, j, k) * pi_at(i, j, k); }
static double water_at(int i, int j, int k) { return qv_at(i, j, k) + qc_at(i, j, k) + qr_at(i, j, k); }
static double dry_density(int i, int j, int k)
{
    return p_at(i, j, k) / (moist_T(i, j, k) * (R_gas + 461.5 * qv_at(i, j, k)));
}
static double moist_density(int i, int j, int k) { return dry_density(i, j, k) * (1 + water_at(i, j, k)); }
/* p = rho R theta_rho pi */
static double moist_theta_rho(int i, int j, int k)
{
    return p_at(i, j, k) / (moist_density(i, j, k) * R_gas * pi_at(i, j, k));
}
static double humidity_at(int i, int j, int k)
{
    const double t = moist_T(i, j, k), es = 611.2 * exp(17.67 * (t - 273.15) / (t - 29.65));
    return qv_at(i, j, k) / (R_gas / 461.5 * es / (p_at(i, j, k) - es)); /* of mixing ratios, not of pressures */
}
static double theta_e_at(int i, int j, int k)
{
    const double t = moist_T(i, j, k), qv = qv_at(i, j, k), heat = cp + 4190 * water_at(i, j, k),
                 dry = p_at(i, j, k) * R_gas / (R_gas + 461.5 * qv), latent = 2.501e6 + (1870 - 4190) * (t - 273.15);
    return t * pow(p00 / dry, R_gas / heat) * pow(humidity_at(i, j, k), -461.5 * qv / heat) *
           exp(latent * qv / heat / t);
}
/* The sixth moment of n0 exp(-lambda D) by a sum over diameters of 0.02 mm. */
static double reflectivity_at(int i, int j, int k)
{
    const double n0 = 8e6, rain = dry_density(i, j, k) * qr_at(i, j, k), step = 2e-5;
    if (rain <= 0) return -35;
    const double lambda = pow(2 * acos(0.0) * 1000 * n0 / rain, 0.25);
    double sum = 0;
    for (int n = 0; n < 2000; n++) {
        const double D = (n + 0.5) * step;
        sum += n0 * exp(-lambda * D) * pow(1e3 * D, 6) * step; /* mm6 m-3 */
    }
    return fmax(10 * log10(sum), -35);
}

Test(show, moist_air)
{
    open_moist_case();
    expect("qv", qv_at, 0, 0), expect("qc", qc_at, 0, 0), expect("qr", qr_at, 0, 0), expect("q1", third_at, 0, 0);
    expect("theta", moist_theta, 400, 2), expect("temperature", moist_T, 400, 3);
    expect("density", moist_density, 1.3, 8), expect("theta_rho", moist_theta_rho, 400, 3);
    /* saturation multiplies the relative error of T by 20 */
    expect("relative_humidity", humidity_at, 4, 60), expect("theta_e", theta_e_at, 500, 20);
    /* the sum over diameters is good to 0.01 dB, but for the smallest drops */
    expect("reflectivity", reflectivity_at, 0.02 / epsilon, 1);
    session_close(&session);
}

/* ---- what eddies mix by ---- */

static const int wind_of[3] = {F_U, F_V, F_W};

static double spacing(int axis, int k, int on_face)
{
    const double *const z = session.grid.z_f;
    if (axis < 2) return axis ? dy : dx;
    return on_face ? (z[k + 1] - z[k - 1]) / 2 : z[k + 1] - z[k];
}

/* dv_a/dx_b from the point before to this one; along its own axis from this one on. */
static double wind_slope(int a, int b, int i, int j, int k)
{
    const int n = a == b, d[3] = {b == 0, b == 1, b == 2}, m = n ? 1 : -1;
    const double other = at(wind_of[a], i + m * d[0], j + m * d[1], k + m * d[2]), here = at(wind_of[a], i, j, k);
    return (n ? other - here : here - other) / spacing(b, k, !n);
}

static double shear2(int i, int j, int k)
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        const double own_slope = wind_slope(a, a, i, j, k);
        sum += 2 * own_slope * own_slope;
        for (int b = a + 1; b < 3; b++)
            for (int p = 0; p < 2; p++)
                for (int q = 0; q < 2; q++) {
                    const int n[3] = {i + p * (a == 0), j + p * (a == 1) + q * (b == 1), k + q * (b == 2)};
                    const double s = wind_slope(a, b, n[0], n[1], n[2]) + wind_slope(b, a, n[0], n[1], n[2]);
                    sum += s * s / 4;
                }
    }
    return sum;
}

static double theta_here(int i, int j, int k) { return own->base.theta[k] + at(F_TH, i, j, k); }

/* Of the face below k, in air without cloud. */
static double face_n2(int i, int j, int k)
{
    const double gap = spacing(2, k, 1), rise = theta_here(i, j, k) - theta_here(i, j, k - 1);
    if (!own->ctx.species) return 9.80665 * rise / gap / theta_here(i, j, k); /* of the cell: see eddy_n2 */
    double qv = 0, all = 0, dqv = 0, dall = 0;
    for (int n = 0; n < 2; n++) {
        const double v = at(F_QV, i, j, k - n), a = v + at(F_QC, i, j, k - n) + at(F_QR, i, j, k - n);
        qv += v / 2, all += a / 2, dqv += (n ? -1 : 1) * v / gap, dall += (n ? -1 : 1) * a / gap;
    }
    const double ratio = 461.5 / R_gas, mean = (theta_here(i, j, k) + theta_here(i, j, k - 1)) / 2;
    return 9.80665 * (rise / gap / mean + ratio * dqv / (1 + ratio * qv) - dall / (1 + all));
}

static double eddy_n2(int i, int j, int k)
{
    if (own->ctx.species) return (face_n2(i, j, k) + face_n2(i, j, k + 1)) / 2;
    return (face_n2(i, j, k) + face_n2(i, j, k + 1) * theta_here(i, j, k + 1) / theta_here(i, j, k)) / 2;
}

/* K_m and K_h of a cell that touches neither ground nor lid. */
static void eddies(int i, int j, int k, double *km, double *kh)
{
    const double size = cbrt(dx * dy * spacing(2, k, 0)), n2 = eddy_n2(i, j, k);
    if (own->ctx.closure == CLOSURE_SMAGORINSKY) {
        const double left = shear2(i, j, k) - 3 * n2;
        *km = left > 0 ? 0.18 * size * 0.18 * size * sqrt(left) : 0, *kh = 3 * *km;
        return;
    }
    const double q = sqrt(at(F_Q + F_FAMILY * own->ctx.species, i, j, k));
    const double length = n2 > 1e-6 ? fmax(1e-3 * size, fmin(size, sqrt(2.0 / 3) * q / sqrt(n2))) : size;
    *km = 0.1 * length * q, *kh = (1 + 2 * length / size) * *km;
}

/* What the closure asks for, of steps that would cut all of it, too. */
Test(show, what_eddies_mix_by)
{
    for (int n = 0; n < 4; n++) {
        static char text[1024];
        const int wet = n & 1;
        snprintf(
            text, sizeof text,
            "&grid nx = 6, ny = 4, nz = 5, dx = 1000, dy = 1500, dz = 400, stretch_ratio = 1.3 /\n"
            "&time duration = 1e5, dt = 1e4, allow_unstable = .true. /\n&dynamics tracers = 2, expected_vertical_speed = 0 /\n"
            "&base profile = 'constant_n'%s /\n&water scheme = '%s' /\n&turbulence closure = '%s' /\n",
            wet ? ", relative_humidity = 0.5" : "", wet ? "kessler" : "none", n & 2 ? "tke" : "smagorinsky");
        weather_open(&session, text);
        own = session.in.own;
        weather_stir(&session);
        for (int j = -1; j <= NY; j++)
            for (int k = 0; k < NZ; k++)
                for (int i = -1; i <= NX && wet; i++) {
                    *weather_at(&session, F_QV, i, j, k) = (real)air_random(1e-3, 0.02);
                    *weather_at(&session, F_QC, i, j, k) = 0;
                    *weather_at(&session, F_QR, i, j, k) = (real)air_random(0, 5e-3);
                }
        for (int j = 0; j < NY; j++)
            for (int k = 0; k < NZ; k++)
                for (int i = 0; i < NX && n & 2; i++)
                    *weather_at(&session, F_Q + F_FAMILY * own->ctx.species, i, j, k) = (real)air_random(0, 3);
        int none = 0, seen = 0;
        for (int of_heat = 0; of_heat < 2; of_heat++)
            for (int j = 0; j < NY; j++) {
                row_of(of_heat ? "diffusivity" : "viscosity", j);
                for (int k = 1; k < NZ - 1; k++)
                    for (int i = 0; i < NX; i++) {
                        double k_of[2];
                        eddies(i, j, k, &k_of[0], &k_of[1]);
                        none += !(k_of[0] > 1), seen++;
                        /* N2 is a difference of theta, 330 K, over 2 K */
                        cr_assert_float_eq((double)shown[k][i], k_of[of_heat], 400 * epsilon * fmax(k_of[1], 1e3),
                                           "%d, heat %d, at %d %d %d: %.9g, not %.9g", n, of_heat, i, j, k,
                                           (double)shown[k][i], k_of[of_heat]);
                    }
            }
        cr_assert(none < seen / 2);
        session_close(&session);
    }
}
