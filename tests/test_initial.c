/* The state at the start by value: every shape, variable and exact flow at every cell of a small stretched grid, in
 * plain double from the formulas that `explain initial` tells; noise by its statistics. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "dynamics/courant.h"
#include "dynamics/initial_parts.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NX = 6, NY = 5, NZ = 7 };

static const double pi_number = 3.14159265358979323846;
static struct session session;
static const struct dynamics_own *own;

#define FOR_CELLS                                                                                                      \
    for (int j = 0; j < NY; j++)                                                                                       \
        for (int k = 0; k < NZ; k++)                                                                                   \
            for (int i = 0; i < NX; i++)

/* The domain begins at (-3000, 2000) m; cells of 1000 x 1500 m, 400 m high at the ground and 1.2 times as high each. */
static void open_case(const char *base, const char *initial)
{
    static char text[4096];
    snprintf(
        text, sizeof text,
        "&grid nx = %d, ny = %d, nz = %d, dx = 1000, dy = 1500, dz = 400, stretch_ratio = 1.2, origin_x = -3000, origin_y = 2000,\n"
        "      translation_u = 4, translation_v = -2 /\n"
        "&time duration = 1, dt = 1 /\n&dynamics tracers = 2 /\n&base %s /\n&initial %s /\n",
        NX, NY, NZ, base, initial);
    weather_open(&session, text);
    own = session.in.own;
}

static double x_of(int i, int on_face) { return -3000 + 1000 * (i + (on_face ? 0 : 0.5)); }
static double y_of(int j, int on_face) { return 2000 + 1500 * (j + (on_face ? 0 : 0.5)); }
static double z_face(int k) { return 400 * (pow(1.2, k) - 1) / 0.2; }
static double z_of(int k, int on_face) { return on_face ? z_face(k) : (z_face(k) + z_face(k + 1)) / 2; }

static double value(int field, int i, int j, int k) { return (double)*weather_at(&session, field, i, j, k); }

/* A number is rounded once to a real; formulas in double differ by some roundings of their own. scale: the largest that
 * enters. */
static void expect(int field, int i, int j, int k, double want, double scale)
{
    const double allowed = (sizeof(real) == 8 ? 1e-13 : 0.5 * FLT_EPSILON + 1e-13) * scale;
    cr_assert_float_eq(value(field, i, j, k), want, allowed, "field %d at %d %d %d: %.9g, not %.9g", field, i, j, k,
                       value(field, i, j, k), want);
}

/* ---- shapes ---- */

enum figure { COSINE, COSINE_SQUARED, GAUSSIAN, WITCH_SINE, GAUSSIAN_SINE, WAVE, SHAPES };
static const char *const shape_name[] = {"cosine", "cosine_squared", "gaussian", "witch_sine", "gaussian_sine", "wave"};

/* X, Y, Z: distance from the centre in radii; height: z over that of the lid. */
static double shape_of(enum figure kind, double X, double Y, double Z, double height)
{
    const double L = sqrt(X * X + Y * Y + Z * Z);
    switch (kind) {
    case COSINE:
        return L < 1 ? (1 + cos(pi_number * L)) / 2 : 0;
    case COSINE_SQUARED:
        return L < 1 ? pow(cos(pi_number * L / 2), 2) : 0;
    case GAUSSIAN:
        return exp(-L * L);
    case WITCH_SINE:
        return sin(pi_number * height) / (1 + X * X + Y * Y);
    case GAUSSIAN_SINE:
        return sin(pi_number * height) * exp(-X * X - Y * Y);
    case WAVE:
        return cos(2 * pi_number * X) * cos(2 * pi_number * Y) * cos(2 * pi_number * Z);
    case SHAPES:
        break;
    }
    return 0;
}

/* Centre (-500, 5500, 1500) m, radii 2100, 3300 and 1900 m. */
static double form_at(enum figure kind, double x, double y, double z)
{
    return shape_of(kind, (x + 500) / 2100, (y - 5500) / 3300, (z - 1500) / 1900, z / z_face(NZ));
}

static void open_shape(enum figure kind, const char *variable, const char *more)
{
    char text[512];
    snprintf(text, sizeof text,
             "shape = '%s', variable = '%s', amplitude = 3, x = -500, y = 5500, z = 1500, radius_x = 2100, "
             "radius_y = 3300, radius_z = 1900 %s",
             shape_name[kind], variable, more);
    open_case("profile = 'constant_n'", text);
}

Test(initial, shapes)
{
    for (enum figure kind = COSINE; kind < SHAPES; kind++) {
        int some = 0;
        open_shape(kind, "theta", "");
        FOR_CELLS
        {
            expect(F_TH, i, j, k, 3 * form_at(kind, x_of(i, 0), y_of(j, 0), z_of(k, 0)), 3);
            some += fabs(value(F_TH, i, j, k)) > 0.1;
        }
        cr_assert(some > 10, "%s: %d cells", shape_name[kind], some);
        session_close(&session);
    }
}

/* Where a radius is 0 a shape is uniform along that axis; growth multiplies by exp(growth z). */
Test(initial, uniform_axes_and_growth)
{
    open_case("profile = 'neutral'", "shape = 'gaussian', amplitude = -2, y = 5000, radius_y = 2000, growth = 3e-4");
    FOR_CELLS
    {
        const double Y = (y_of(j, 0) - 5000) / 2000, z = z_of(k, 0);
        expect(F_TH, i, j, k, -2 * exp(-Y * Y) * exp(3e-4 * z), 2 * exp(3e-4 * z));
    }
    session_close(&session);
}

/* ---- variables ---- */

Test(initial, variables_lie_where_the_grid_has_them)
{
    static const char *const name[] = {"u", "v", "w", "pi", "tracer"};
    static const int field[] = {F_U, F_V, F_W, F_PI, F_Q + F_FAMILY};
    for (int n = 0; n < 5; n++) {
        open_shape(GAUSSIAN, name[n], n == 4 ? ", tracer = 2" : "");
        FOR_CELLS
        {
            const double form = form_at(GAUSSIAN, x_of(i, n == 0), y_of(j, n == 1), z_of(k, n == 2));
            expect(field[n], i, j, k, (n == 2 && k == 0 ? 0 : 3 * form) - (n == 0 ? 4 : n == 1 ? -2 : 0), 7);
            for (int f = F_W; f <= F_PI; f++)
                if (f != field[n]) expect(f, i, j, k, 0, 0);
            expect(F_Q, i, j, k, 0, 0);
        }
        session_close(&session);
    }
}

/* T' = theta' pi at the pressure of the base state. */
Test(initial, temperature_is_that_at_the_base_pressure)
{
    open_shape(COSINE, "temperature", "");
    FOR_CELLS expect(F_TH, i, j, k, 3 * form_at(COSINE, x_of(i, 0), y_of(j, 0), z_of(k, 0)) / own->base.pi0[k],
                     3 / own->base.pi0[k]);
    session_close(&session);
}

Test(initial, perturbations_add)
{
    open_case(
        "wind = 'constant', wind_u = 7, wind_v = 3",
        "wind_u = 1.5, wind_v = -0.5, shape = 3*'cosine', variable = 'theta', 'theta', 'tracer', amplitude = 1, 10, 100");
    FOR_CELLS
    {
        expect(F_TH, i, j, k, 11, 11), expect(F_Q, i, j, k, 100, 100), expect(F_Q + F_FAMILY, i, j, k, 0, 0);
        expect(F_U, i, j, k, 7 - 4 + 1.5, 12), expect(F_V, i, j, k, 3 + 2 - 0.5, 6);
    }
    session_close(&session);
}

/* ---- other atmospheres and balance ---- */

/* cp theta dpi/dz = -g holds between centres for the sum of base state and departure, theta the mean of the two. */
static void expect_balance(void)
{
    const struct dynamics *const d = &own->ctx;
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            cr_assert_eq(value(F_PI, i, j, 0), 0);
            for (int k = 1; k < NZ; k++) {
                const double theta =
                    (own->base.theta0[k] + value(F_TH, i, j, k) + own->base.theta0[k - 1] + value(F_TH, i, j, k - 1)) /
                    2;
                const double step =
                    own->base.pi0[k] - own->base.pi0[k - 1] + value(F_PI, i, j, k) - value(F_PI, i, j, k - 1);
                const double force = d->cp_d * theta * step / (z_of(k, 0) - z_of(k - 1, 0));
                /* pi' and theta' are rounded to reals: pi' below 1, theta' below 100 K */
                const double allowed =
                    (sizeof(real) == 8 ? 1e-12 : FLT_EPSILON) * (d->cp_d * theta / 300 + 100 / theta * d->g);
                cr_assert_float_eq(force, -d->g, allowed, "%.9g m/s2 at %d %d %d", force, i, j, k);
            }
        }
}

Test(initial, hydrostatic_balance)
{
    open_shape(COSINE, "theta", ", balance = 'hydrostatic'");
    expect_balance();
    cr_assert(value(F_PI, 2, 2, NZ - 1) > 1e-5);
    session_close(&session);
}

/* theta of another atmosphere; without it the departure is zero. */
Test(initial, other_atmospheres)
{
    static const char *const text[] = {
        "atmosphere = 'neutral', atmosphere_theta = 310", "atmosphere = 'isothermal', atmosphere_temperature = 240",
        "atmosphere = 'constant_n', atmosphere_theta = 290, atmosphere_brunt_vaisala = 0.015"};
    for (int n = 0; n < 3; n++) {
        open_case("profile = 'isothermal', temperature = 280, surface_pressure = 9e4", text[n]);
        FOR_CELLS
        {
            const double z = z_of(k, 0), g = 9.80665, cp = 1004.5, kappa = 287 / cp;
            /* T / pi, pi = (p_s / p_00)^kappa exp(-g z / cp T) */
            const double isothermal = 240 * pow(1e5 / 9e4, kappa) * exp(g * z / (cp * 240));
            const double theta = n == 0 ? 310 : n == 1 ? isothermal : 290 * exp(0.015 * 0.015 * z / g);
            expect(F_TH, i, j, k, theta - own->base.theta0[k], 700);
        }
        expect_balance();
        session_close(&session);
    }
}

/* ---- exact flows ---- */

/* w = A cos X cos Y sin Z, X = k x, Y = l y, Z = m z. That curl u = lambda u and div u = 0 demands of the horizontal
 * wind a potential phi with lap phi = -dw/dz and a stream function psi with lap psi = lambda w: u = dphi/dx - dpsi/dy,
 * v = dphi/dy + dpsi/dx. */
static void beltrami(double x, double y, double z, double uvw[3])
{
    const double A = 5, k = 2 * pi_number / (NX * 1000), l = 2 * pi_number / (NY * 1500),
                 m = pi_number * 3 / z_face(NZ);
    const double lambda = sqrt(k * k + l * l + m * m), share = 1 / (k * k + l * l);
    const double X = k * (x + 3000), Y = l * (y - 2000), Z = m * z;
    const double phi_x = -share * A * m * k * sin(X) * cos(Y) * cos(Z),
                 phi_y = -share * A * m * l * cos(X) * sin(Y) * cos(Z);
    const double psi_x = share * lambda * A * k * sin(X) * cos(Y) * sin(Z),
                 psi_y = share * lambda * A * l * cos(X) * sin(Y) * sin(Z);
    uvw[0] = phi_x - psi_y, uvw[1] = phi_y + psi_x, uvw[2] = A * cos(X) * cos(Y) * sin(Z);
}

/* A steady flow with curl u parallel to u: p' = -rho u^2 / 2, pi' = p' / (rho cp theta_0). */
Test(initial, beltrami_flow)
{
    open_case("profile = 'neutral', surface_theta = 300", "flow = 'beltrami', flow_speed = 5, flow_waves = 1, 1, 3");
    FOR_CELLS
    {
        double u[3], v[3], w[3], centre[3];
        beltrami(x_of(i, 1), y_of(j, 0), z_of(k, 0), u), beltrami(x_of(i, 0), y_of(j, 1), z_of(k, 0), v);
        beltrami(x_of(i, 0), y_of(j, 0), z_of(k, 1), w), beltrami(x_of(i, 0), y_of(j, 0), z_of(k, 0), centre);
        const double square = centre[0] * centre[0] + centre[1] * centre[1] + centre[2] * centre[2];
        expect(F_U, i, j, k, u[0] - 4, 20), expect(F_V, i, j, k, v[1] + 2, 20), expect(F_W, i, j, k, k ? w[2] : 0, 5);
        expect(F_PI, i, j, k, -square / 2 / (1004.5 * 300), 400 / 6e5);
    }
    session_close(&session);
}

/* u = A cos X sin Y and what has no divergence with it; p' = -rho A^2 (cos 2X + cos 2Y) / 4. */
Test(initial, taylor_green_flow)
{
    open_case("profile = 'neutral', surface_theta = 300",
              "flow = 'taylor_green', flow_speed = 5, flow_waves = 2, 1, 1");
    const double k0 = 2 * pi_number * 2 / (NX * 1000), l0 = 2 * pi_number / (NY * 1500);
    FOR_CELLS
    {
        const double X = k0 * (x_of(i, 0) + 3000), Y = l0 * (y_of(j, 0) - 2000);
        const double Xf = k0 * (x_of(i, 1) + 3000), Yf = l0 * (y_of(j, 1) - 2000);
        expect(F_U, i, j, k, 5 * cos(Xf) * sin(Y) - 4, 10),
            expect(F_V, i, j, k, -5 * k0 / l0 * sin(X) * cos(Yf) + 2, 20);
        expect(F_W, i, j, k, 0, 0);
        expect(F_PI, i, j, k, -25.0 / 4 * (cos(2 * X) + cos(2 * Y)) / (1004.5 * 300), 25 / 6e5);
    }
    session_close(&session);
}

/* ---- noise ---- */

static void noise_read(double *to, int seed, double top)
{
    static char text[1024];
    snprintf(text, sizeof text,
             "&grid nx = 40, ny = 20, nz = 10, dz = 100 /\n&time duration = 1, dt = 1 /\n"
             "&initial noise = 0.5, noise_seed = %d, noise_top = %g /\n",
             seed, top);
    weather_open(&session, text);
    for (int j = 0; j < 20; j++)
        for (int k = 0; k < 10; k++)
            for (int i = 0; i < 40; i++) *to++ = value(F_TH, i, j, k) / 0.5;
    session_close(&session);
}

/* Uniform in (-1, 1): mean 0, variance 1/3, no correlation with the neighbours, each within five standard deviations of
 * what N cells have by chance: sqrt(1 / 3 N), sqrt(4 / 45 N) and 1 / 3 sqrt(N). */
Test(initial, noise_is_uniform)
{
    enum { N = 20 * 10 * 40, SEEDS = 3 };
    static double x[SEEDS][N];
    for (int s = 0; s < SEEDS; s++) {
        double mean = 0, square = 0, product[3] = {0}, least = 1, most = -1;
        const int step[3] = {1, 40, 400};
        noise_read(x[s], 7 + s, 1e6);
        for (int n = 0; n < N; n++) {
            mean += x[s][n] / N, square += x[s][n] * x[s][n] / N;
            least = fmin(least, x[s][n]), most = fmax(most, x[s][n]);
            for (int a = 0; a < 3; a++) product[a] += x[s][n] * x[s][(n + step[a]) % N] / N;
        }
        cr_assert(fabs(mean) < 5 * sqrt(1 / 3.0 / N) && fabs(square - 1 / 3.0) < 5 * sqrt(4 / 45.0 / N), "%g %g", mean,
                  square);
        for (int a = 0; a < 3; a++) cr_assert(fabs(product[a]) < 5 / (3 * sqrt(N)), "axis %d: %g", a, product[a]);
        /* the chance that no cell of N lies in the last 0.5 % at an end is 4e-18 */
        cr_assert(least >= -1 && least < -0.99 && most <= 1 && most > 0.99, "%g %g", least, most);
    }
    for (int a = 0; a < SEEDS; a++) {
        double product = 0;
        for (int n = 0; n < N; n++) product += x[a][n] * x[(a + 1) % SEEDS][n] / N;
        cr_assert(fabs(product) < 5 / (3 * sqrt(N)), "seeds %d and %d: %g", 7 + a, 7 + (a + 1) % SEEDS, product);
    }
}

Test(initial, noise_ends_at_its_top)
{
    static double x[2][20][10][40];
    noise_read(&x[0][0][0][0], 7, 1e6), noise_read(&x[1][0][0][0], 7, 450); /* the fifth centre */
    for (int j = 0; j < 20; j++)
        for (int k = 0; k < 10; k++)
            for (int i = 0; i < 40; i++) cr_assert_eq(x[1][j][k][i], k < 5 ? x[0][j][k][i] : 0);
}

/* ---- the fastest wind ---- */

/* What the first step may be follows from the winds of the state: at the ground, where this w would be largest, it is
 * 0. */
Test(initial, first_step_follows_the_winds_of_the_state)
{
    open_case("profile = 'neutral'",
              "shape = 'gaussian', variable = 'w', amplitude = 30, z = 0, radius_z = 900, x = -500, radius_x = 2100");
    double rate = 0;
    FOR_CELLS
    {
        const double above = z_face(k + 1) - z_face(k), below = k ? z_face(k) - z_face(k - 1) : above;
        rate = fmax(rate, fabs(value(F_U, i, j, k)) / 1000 + fabs(value(F_V, i, j, k)) / 1500 +
                              fabs(value(F_W, i, j, k)) / fmin(above, below));
    }
    cr_assert_float_eq(session.in.dt_start * rate / courant_limit(own->ctx.wide, own->ctx.tracers), 1, 1e-6);
    session_close(&session);
}

/* ---- vapour beyond saturation ---- */

/* Bolton (1980), eq. 10, and the mixing ratio of e: Rd/Rv e / (p - e). */
static double saturated(double t, double p)
{
    const double e = 611.2 * exp(17.67 * (t - 273.15) / (t - 29.65));
    return 287 / 461.5 * e / (p - e);
}

/* 0.99 % too much is what a dew point told to 0.1 K may be off, 2 % is a fault. The place told is that with most to
 * condense, not that of the highest humidity; of air that can hold its vapour the moistest. */
Test(initial, vapour_that_cannot_stay_is_told)
{
    static struct complaints to;
    open_case("profile = 'neutral', relative_humidity = 0.5 /\n&water scheme = 'kessler'", "noise = 1");
    const struct dynamics *const d = &own->ctx;
    const double pi = 0.9, p = 1e5 * pow(pi, 1004.5 / 287), warm = saturated(300 * pi, p),
                 cold = saturated(250 * pi, p);
    struct instance in = session.in;
    in.complaints = &to;
    struct vapour_seen seen = {0};
    vapour_see(&seen, d, -1, -1, 0, 300, pi, 1.0099 * warm);
    vapour_see(&seen, d, -1, -1, 1, 300, pi, 0.5 * warm);
    cr_assert(seen.cells == 2 && seen.beyond == 0);
    cr_assert_float_eq(seen.dampest.full, warm, 1e-12);
    cr_assert_float_eq(seen.dampest.pressure, p, 1e-6);
    vapour_seen_tell(&in, &seen, "base%sounding");
    cr_assert_eq(to.n, 0);
    vapour_see(&seen, d, -1, -1, 2, 300, pi, 1.02 * warm);
    vapour_see(&seen, d, -1, -1, 3, 250, pi, 1.2 * cold); /* 1.2 of 0.3 g/kg have less to lose than 0.02 of 12 */
    cr_assert(seen.cells == 4 && seen.beyond == 2 && seen.dampest.k == 2);
    vapour_seen_tell(&in, &seen, "base%sounding");
    char want[256];
    snprintf(
        want, sizeof want,
        "beyond saturation at 2 of 4 levels, most at %.0f m: relative humidity 102 %%, vapour %.3g g/kg, of which it can "
        "hold %.3g;",
        z_of(2, 0), 1020 * warm, 1000 * warm);
    cr_assert(to.n == 1 && to.warnings == 1 && strstr(to.list[0].text, want), "%s", to.list[0].text);

    seen = (struct vapour_seen){0}, to = (struct complaints){0};
    vapour_see(&seen, d, 1, 2, 3, 380, pi, 0.059);
    vapour_seen_tell(&in, &seen, "initial%file");
    cr_assert_eq(to.n, 0);
    vapour_see(&seen, d, 2, 2, 3, 380, pi, 0.061), vapour_see(&seen, d, 3, 2, 3, 380, pi, 0.02);
    vapour_seen_tell(&in, &seen, "initial%file");
    snprintf(want, sizeof want, "the air at x = %g m, y = %g m, z = %g m has 61 g/kg of vapour, %.0f of its %.0f hPa",
             x_of(2, 0), y_of(2, 0), z_of(3, 0), 0.01 * p * 0.061 / (0.061 + 287 / 461.5), 0.01 * p);
    cr_assert(to.n == 1 && to.warnings == 1 && strstr(to.list[0].text, want), "%s", to.list[0].text);
    session_close(&session);
}
