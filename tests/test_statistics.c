/* Statistics of turbulence against sums that are taken in another way: raw moments, and neighbours by their number.
 * SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "dynamics/statistics.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPACE                                                                                                          \
    "&grid nx = 6, ny = 5, nz = 4, dx = 100, dy = 80, dz = 50, stretch_ratio = 1.1 /\n"                                \
    "&time duration = 60, dt = 0.2 /\n&base profile = 'constant_n', wind = 'calm' /\n"
#define EVERY "&statistics interval = 10, average = 20 /\n"

enum { NX = 6, NY = 5, NZ = 4 };

static struct session s;
static double mean[MEANS * NZ], departure[DEPARTURES * NZ], one[ROWS_ONE];

static double near_to(double is, double wanted, double scale) { return fabs(is - wanted) / scale; }

static const double unit = sizeof(real) == 4 ? 1e-6 : 1e-13;

#define NEAR(is, wanted, scale)                                                                                        \
    cr_assert(near_to(is, wanted, scale) < 30 * unit, "%.17g, not %.17g, of level %d", is, wanted, k)

static double at(int f, int i, int j, int k) { return (double)*weather_at(&s, f, i, j, k); }

/* A state that differs from point to point, its ghosts as the run has them. */
static void open_case(const char *text)
{
    weather_open(&s, text);
    weather_stir(&s);
    for (int k = 0; k < NZ; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++) {
                const int wet = ((const struct dynamics_own *)s.in.own)->ctx.species > 0;
                if (wet) {
                    *weather_at(&s, F_QV, i, j, k) = (real)air_random(0.002, 0.015);
                    *weather_at(&s, F_QC, i, j, k) = (real)(air_random(0, 1) > 0.5 ? air_random(1e-5, 2e-3) : 0);
                    *weather_at(&s, F_QR, i, j, k) = (real)air_random(0, 1e-3);
                } else if (((const struct dynamics_own *)s.in.own)->ctx.closure == CLOSURE_TKE)
                    *weather_at(&s, F_Q, i, j, k) = (real)air_random(0.1, 2);
            }
    const struct slab *const x = &s.state.host.s;
    for (int j = -1; j <= NY && s.in.field[F_TRANSFER].shape == SHAPE_MAP; j++)
        for (int i = -1; i <= NX; i++) {
            const ptrdiff_t m = (j - x->j0) * x->sm + i;
            x->f[F_TRANSFER][m] = (real)air_random(0.001, 0.01), x->f[F_THETA_FLUX][m] = (real)air_random(0, 0.3);
            x->f[F_EVAPORATION][m] = (real)air_random(0, 1e-4), x->f[F_USTAR][m] = (real)air_random(0, 0.5);
        }
    cr_assert_eq(engine_refresh(&s.engine), SF_OK);
    cr_assert_eq(statistics_levels(&s.in, &s.state, 0.2, mean, departure, one), SF_OK, "%s", sf_error_text());
}

static void close_case(void) { session_close(&s); }

/* ---- independent sums -------------------------------------------------------------------------------------------- */

typedef double value_at(int i, int j, int k);

/* Mean over columns from i0, rows from j0 on. */
static double mean_of(value_at *a, int i0, int j0, int k)
{
    double sum = 0;
    for (int i = NX - 1; i >= i0; i--)
        for (int j = NY - 1; j >= j0; j--) sum += a(i, j, k);
    return sum / ((NX - i0) * (NY - j0));
}

static value_at *first, *second;
static double product(int i, int j, int k) { return first(i, j, k) * second(i, j, k); }

/* <a'b'> as <ab> - <a><b>, of departures from any constants. */
static double covariance(value_at *a, value_at *b, int i0, int j0, int k)
{
    first = a, second = b;
    return mean_of(product, i0, j0, k) - mean_of(a, i0, j0, k) * mean_of(b, i0, j0, k);
}

static double u_of(int i, int j, int k) { return at(F_U, i, j, k); }
static double v_of(int i, int j, int k) { return at(F_V, i, j, k); }
static double w_of(int i, int j, int k) { return k ? at(F_W, i, j, k) : 0; }
static double th_of(int i, int j, int k) { return at(F_TH, i, j, k); }
static double qv_of(int i, int j, int k) { return at(F_QV, i, j, k); }
static double pi_of(int i, int j, int k) { return at(F_PI, i, j, k); }
static double on_face(value_at *a, int i, int j, int k) { return (a(i, j, k) + a(i, j, k - 1)) / 2; }
static double th_face(int i, int j, int k) { return on_face(th_of, i, j, k); }
static double qv_face(int i, int j, int k) { return on_face(qv_of, i, j, k); }
static double pi_face(int i, int j, int k) { return on_face(pi_of, i, j, k); }
/* Of the level as a whole, whatever columns count. */
static double level_mean[2][NZ];

/* <w'u'> of faces that count: w' is from the mean over all cells, u' from that of what counts. */
static double flux_u(int i0, int k)
{
    double sum = 0;
    for (int j = 0; j < NY; j++)
        for (int i = i0; i < NX; i++)
            sum += ((w_of(i, j, k) + w_of(i - 1, j, k)) / 2 - level_mean[1][k]) *
                   (on_face(u_of, i, j, k) - (mean_of(u_of, i0, 0, k) + mean_of(u_of, i0, 0, k - 1)) / 2);
    return sum / ((NX - i0) * NY);
}

static double flux_v(int j0, int k)
{
    double sum = 0;
    for (int j = j0; j < NY; j++)
        for (int i = 0; i < NX; i++)
            sum += ((w_of(i, j, k) + w_of(i, j - 1, k)) / 2 - level_mean[1][k]) *
                   (on_face(v_of, i, j, k) - (mean_of(v_of, 0, j0, k) + mean_of(v_of, 0, j0, k - 1)) / 2);
    return sum / (NX * (NY - j0));
}

static double cubed(int i, int j, int k)
{
    const double w = w_of(i, j, k) - level_mean[1][k];
    return w * w * w;
}

static double energy_of(int i, int j, int k)
{
    const double u0 = at(F_U, i, j, k) - mean[M_U * NZ + k], u1 = at(F_U, i + 1, j, k) - mean[M_U * NZ + k],
                 v0 = at(F_V, i, j, k) - mean[M_V * NZ + k], v1 = at(F_V, i, j + 1, k) - mean[M_V * NZ + k],
                 w0 = w_of(i, j, k) - level_mean[1][k], w1 = k + 1 < NZ ? w_of(i, j, k + 1) - level_mean[1][k + 1] : 0;
    return (u0 * u0 + u1 * u1 + v0 * v0 + v1 * v1 + w0 * w0 + w1 * w1) / 4;
}
static double energy_flux(int i, int j, int k)
{
    return (w_of(i, j, k) - level_mean[1][k]) * on_face(energy_of, i, j, k);
}

static void resolved_check(int i0, int j0)
{
    for (int k = 0; k < NZ; k++) level_mean[1][k] = mean_of(w_of, 0, 0, k);
    for (int k = 0; k < NZ; k++) {
        NEAR(mean[M_U * NZ + k], mean_of(u_of, i0, 0, k), 20);
        NEAR(mean[M_V * NZ + k], mean_of(v_of, 0, j0, k), 20);
        NEAR(mean[M_W * NZ + k], level_mean[1][k], 20);
        NEAR(mean[M_THETA * NZ + k], mean_of(th_of, 0, 0, k), 9);
        NEAR(mean[M_EXNER * NZ + k], mean_of(pi_of, 0, 0, k), 2e-3);
        NEAR(departure[D_UU * NZ + k], covariance(u_of, u_of, i0, 0, k), 400);
        NEAR(departure[D_VV * NZ + k], covariance(v_of, v_of, 0, j0, k), 400);
        NEAR(departure[D_WW * NZ + k], covariance(w_of, w_of, 0, 0, k), 400);
        NEAR(departure[D_WWW * NZ + k], mean_of(cubed, 0, 0, k), 8000);
        NEAR(departure[D_TT * NZ + k], covariance(th_of, th_of, 0, 0, k), 81);
        if (!k) continue;
        NEAR(departure[D_UW * NZ + k], flux_u(i0, k), 400);
        NEAR(departure[D_VW * NZ + k], flux_v(j0, k), 400);
        NEAR(departure[D_TW * NZ + k], covariance(w_of, th_face, 0, 0, k), 180);
        NEAR(departure[D_PW * NZ + k], covariance(w_of, pi_face, 0, 0, k), 0.04);
        NEAR(departure[D_EW * NZ + k], mean_of(energy_flux, 0, 0, k), 8000);
    }
}

Test(statistics, moments_where_all_sides_are_periodic)
{
    open_case(SPACE);
    resolved_check(0, 0);
    close_case();
}

Test(statistics, faces_on_walls_do_not_count)
{
    open_case(SPACE "&boundary west = 'wall', east = 'open', south = 'symmetric', north = 'wall' /\n");
    resolved_check(1, 1);
    close_case();
}

/* ---- below the grid ---------------------------------------------------------------------------------------------- */

static double dz_of(int k) { return s.grid.z_f[k + 1] - s.grid.z_f[k]; }
static double gap_of(int k) { return s.grid.z_c[k] - s.grid.z_c[k - 1]; }
static const struct base_state *base(void) { return &((const struct dynamics_own *)s.in.own)->base; }

/* Potential temperature of a level; beyond ground and lid the mirror image. */
static double theta_at(int i, int j, int k)
{
    const int m = k < 0 ? -1 - k : k >= NZ ? 2 * NZ - 1 - k : k;
    return base()->theta[m] + at(F_TH, i, j, m);
}

/* K_m and K_h of dry air with an energy. */
static void eddies_at(int i, int j, int k, double *km, double *kh)
{
    i = (i + NX) % NX, j = (j + NY) % NY;
    const double size = cbrt(100 * 80 * dz_of(k)), q = sqrt(at(F_Q, i, j, k));
    const double slope_low = k ? (theta_at(i, j, k) - theta_at(i, j, k - 1)) / gap_of(k) : 0,
                 slope_high = k + 1 < NZ ? (theta_at(i, j, k + 1) - theta_at(i, j, k)) / gap_of(k + 1) : 0;
    const double n2 = 9.80665 / theta_at(i, j, k) * (slope_low + slope_high) / 2;
    const double l = n2 > 1e-6 ? fmax(fmin(size, sqrt(2.0 / 3.0) * q / sqrt(n2)), 1e-3 * size) : size;
    *km = 0.1 * l * q, *kh = (1 + 2 * l / size) * *km;
}

static double km_of(int i, int j, int k)
{
    double km, kh;
    eddies_at(i, j, k, &km, &kh);
    return km;
}
static double kh_of(int i, int j, int k)
{
    double km, kh;
    eddies_at(i, j, k, &km, &kh);
    return kh;
}
static double sgs_u(int i, int j, int k)
{
    const double km = (km_of(i, j, k) + km_of(i - 1, j, k) + km_of(i, j, k - 1) + km_of(i - 1, j, k - 1)) / 4;
    return -km * ((u_of(i, j, k) - u_of(i, j, k - 1)) / gap_of(k) + (w_of(i, j, k) - w_of(i - 1, j, k)) / 100);
}
static double sgs_v(int i, int j, int k)
{
    const double km = (km_of(i, j, k) + km_of(i, j - 1, k) + km_of(i, j, k - 1) + km_of(i, j - 1, k - 1)) / 4;
    return -km * ((v_of(i, j, k) - v_of(i, j, k - 1)) / gap_of(k) + (w_of(i, j, k) - w_of(i, j - 1, k)) / 80);
}
static double sgs_theta(int i, int j, int k)
{
    return -(kh_of(i, j, k) + kh_of(i, j, k - 1)) / 2 * (theta_at(i, j, k) - theta_at(i, j, k - 1)) / gap_of(k);
}
static double map_of(int f, int i, int j)
{
    const struct slab *const x = &s.state.host.s;
    return (double)x->f[f][(j - x->j0) * x->sm + i];
}
static double ground_u(int i, int j, int k)
{
    return -(map_of(F_TRANSFER, i, j) + map_of(F_TRANSFER, (i + NX - 1) % NX, j)) / 2 * (u_of(i, j, k) + 3);
}
static double ground_v(int i, int j, int k)
{
    return -(map_of(F_TRANSFER, i, j) + map_of(F_TRANSFER, i, (j + NY - 1) % NY)) / 2 * (v_of(i, j, k) - 2);
}
static double ground_theta(int i, int j, int k) { return (void)k, map_of(F_THETA_FLUX, i, j); }
static double ground_star(int i, int j, int k) { return (void)k, map_of(F_USTAR, i, j); }

#define GROUND                                                                                                         \
    "&surface drag = 'roughness', heat = 'flux', heat_flux = 0.1 /\n"                                                  \
    "&turbulence closure = 'tke', cells = 'cubes' /\n"
#define MOVING                                                                                                         \
    "&grid nx = 6, ny = 5, nz = 4, dx = 100, dy = 80, dz = 50, stretch_ratio = 1.1, translation_u = 3, "               \
    "translation_v = -2 /\n&time duration = 60, dt = 0.2 /\n&base profile = 'constant_n', wind = 'calm' /\n"

Test(statistics, fluxes_of_the_closure_and_the_ground)
{
    open_case(MOVING GROUND);
    resolved_check(0, 0);
    for (int k = 0; k < NZ; k++) {
        NEAR(mean[M_KM * NZ + k], mean_of(km_of, 0, 0, k), 10);
        NEAR(mean[M_KH * NZ + k], mean_of(kh_of, 0, 0, k), 30);
        if (!k) continue;
        NEAR(departure[D_UW_SGS * NZ + k], mean_of(sgs_u, 0, 0, k), 5);
        NEAR(departure[D_VW_SGS * NZ + k], mean_of(sgs_v, 0, 0, k), 5);
        NEAR(departure[D_TW_SGS * NZ + k], mean_of(sgs_theta, 0, 0, k), 5);
    }
    const int k = 0;
    NEAR(departure[D_UW_SGS * NZ], mean_of(ground_u, 0, 0, 0), 0.1);
    NEAR(departure[D_VW_SGS * NZ], mean_of(ground_v, 0, 0, 0), 0.1);
    NEAR(departure[D_TW_SGS * NZ], mean_of(ground_theta, 0, 0, 0), 0.3);
    NEAR(one[R_USTAR], mean_of(ground_star, 0, 0, 0), 0.5);
    close_case();
}

/* K_m = (C D)^2 sqrt(S2) of neutral air is asked for at every point: K_m S2 = K_m^3 / (C D)^4. */
static double strain_of(int i, int j, int k)
{
    double sum = 0;
    const double dx[3] = {100, 80, 0};
    for (int a = 0; a < 3; a++) /* twice the squares of stretching */
        sum += 2 * pow((at(F_U + a, i + (a == 0), j + (a == 1), k + (a == 2)) - at(F_U + a, i, j, k)) /
                           (a < 2 ? dx[a] : dz_of(k)),
                       2);
    for (int a = 0; a < 3; a++)
        for (int b = a + 1; b < 3; b++)
            for (int corner = 0; corner < 4; corner++) { /* a quarter of the squares of shear on edges around */
                const int p = corner & 1, q = corner >> 1, da[3] = {a == 0, a == 1, a == 2},
                          db[3] = {b == 0, b == 1, b == 2};
                const int x = i + p * da[0] + q * db[0], y = j + p * da[1] + q * db[1], z = k + p * da[2] + q * db[2];
                const double along_b = b == 2 ? s.grid.z_c[z] - s.grid.z_c[z - 1] : dx[b];
                sum += pow((at(F_U + a, x, y, z) - at(F_U + a, x - db[0], y - db[1], z - db[2])) / along_b +
                               (at(F_U + b, x, y, z) - at(F_U + b, x - da[0], y - da[1], z - da[2])) / dx[a],
                           2) /
                       4;
            }
    return sum;
}
static double smagorinsky_of(int i, int j, int k)
{
    return pow(0.18 * cbrt(100 * 80 * dz_of(k)), 2) * sqrt(strain_of(i, j, k));
}
/* The same strain times that of the mean wind, edge by edge: sum of twice stretching and a quarter of each edge. */
static double mean_slope(int a, int k)
{
    const int row = (a == 0 ? M_U : M_V) * NZ;
    return k > 0 && k < NZ ? (mean[row + k] - mean[row + k - 1]) / gap_of(k) : 0;
}
static double strain_mean_of(int i, int j, int k)
{
    const double dx[2] = {100, 80}, w0 = k ? mean[M_W * NZ + k] : 0, w1 = k + 1 < NZ ? mean[M_W * NZ + k + 1] : 0;
    double sum = 2 * (at(F_W, i, j, k + 1) - at(F_W, i, j, k)) * (w1 - w0) / (dz_of(k) * dz_of(k));
    for (int a = 0; a < 2; a++)
        for (int z = k; z <= k + 1; z++)
            for (int side = 0; side < 2; side++) {
                const int x = i + (a == 0 ? side : 0), y = j + (a == 1 ? side : 0);
                const double gap = s.grid.z_c[z] - s.grid.z_c[z - 1];
                sum += mean_slope(a, z) / 4 *
                       ((at(F_U + a, x, y, z) - at(F_U + a, x, y, z - 1)) / gap +
                        (at(F_W, x, y, z) - at(F_W, x - (a == 0), y - (a == 1), z)) / dx[a]);
            }
    return sum;
}
static double taken_mean_of(int i, int j, int k) { return smagorinsky_of(i, j, k) * strain_mean_of(i, j, k); }
static double taken_of(int i, int j, int k) { return smagorinsky_of(i, j, k) * strain_of(i, j, k); }

Test(statistics, what_the_closure_takes)
{
    open_case("&grid nx = 6, ny = 5, nz = 4, dx = 100, dy = 80, dz = 50, stretch_ratio = 1.1 /\n"
              "&time duration = 60, dt = 0.2 /\n&base profile = 'neutral', wind = 'calm' /\n"
              "&turbulence closure = 'smagorinsky', cells = 'cubes' /\n&dynamics gravity = 0 /\n");
    for (int k = 0; k < NZ; k++) {
        NEAR(mean[M_KM * NZ + k], mean_of(smagorinsky_of, 0, 0, k), 300);
        NEAR(mean[M_KH * NZ + k], 3 * mean_of(smagorinsky_of, 0, 0, k), 900);
        NEAR(departure[D_STRAIN * NZ + k], mean_of(taken_of, 0, 0, k), 100);
        NEAR(departure[D_STRAIN_MEAN * NZ + k], mean_of(taken_mean_of, 0, 0, k), 100);
    }
    close_case();
}

/* Without eddies the closure takes of the mean wind alone. */
Test(statistics, of_no_eddies_nothing_is_taken)
{
    open_case(MOVING GROUND);
    for (int k = 0; k < NZ; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++) {
                *weather_at(&s, F_U, i, j, k) = (real)(2 + 3 * sqrt(k)), *weather_at(&s, F_V, i, j, k) = (real)(-k * k);
                *weather_at(&s, F_W, i, j, k) = k ? (real)0.03 * (real)k : 0;
                *weather_at(&s, F_TH, i, j, k) = *weather_at(&s, F_PI, i, j, k) = 0;
                *weather_at(&s, F_Q, i, j, k) = (real)(0.5 + 0.1 * k);
            }
    cr_assert_eq(engine_refresh(&s.engine), SF_OK);
    cr_assert_eq(statistics_levels(&s.in, &s.state, 0.2, mean, departure, one), SF_OK);
    for (int k = 0; k < NZ; k++) {
        const double all = departure[D_STRAIN * NZ + k], of_mean = departure[D_STRAIN_MEAN * NZ + k];
        cr_assert(all > 1e-4, "%g of level %d", all, k);
        cr_assert(fabs(of_mean - all) < 1e-6 * all, "%.17g, not %.17g, of level %d", of_mean, all, k);
    }
    close_case();
}

Test(statistics, primes_of_a_line)
{
    static const int of[][2] = {{1, 1}, {2, 2}, {96, 3}, {97, 97}, {118, 59}, {49, 7}, {30030, 13}};
    for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) cr_assert_eq(statistics_prime(of[n][0]), of[n][1]);
}

/* ---- water ------------------------------------------------------------------------------------------------------- */

static double theta_v_of(int i, int j, int k)
{
    const double qv = at(F_QV, i, j, k), all = qv + at(F_QC, i, j, k) + at(F_QR, i, j, k);
    return (base()->theta[k] + at(F_TH, i, j, k)) * (1 + 461.5 / 287 * qv) / (1 + all) - 300;
}
static double theta_v_face(int i, int j, int k) { return on_face(theta_v_of, i, j, k); }
static double cloud_of(int i, int j, int k) { return at(F_QC, i, j, k) > 1e-6; }
static double level_buoyancy[NZ];
static double core_of(int i, int j, int k) { return cloud_of(i, j, k) * (theta_v_of(i, j, k) > level_buoyancy[k]); }
static double cover_of(int i, int j, int k)
{
    double is = 0;
    for (int m = 0; m < NZ; m++) is = fmax(is, cloud_of(i, j, m));
    return (void)k, is;
}
static double path_of(int i, int j, int k)
{
    double sum = 0;
    for (int m = NZ - 1; m >= 0; m--) sum += at(F_QC, i, j, m) * dz_of(m) * base()->rho0[m];
    return (void)k, sum;
}

Test(statistics, water)
{
    open_case(SPACE "&water scheme = 'kessler' /\n&turbulence closure = 'tke' /\n"
                    "&surface drag = 'roughness', heat = 'flux', heat_flux = 0.1, vapour_flux = 1e-4 /\n");
    resolved_check(0, 0);
    for (int k = 0; k < NZ; k++) {
        level_buoyancy[k] = mean_of(theta_v_of, 0, 0, k);
        NEAR(mean[M_THETA_V * NZ + k] + base()->theta0[k] - 300, level_buoyancy[k], 9);
        NEAR(mean[M_QV * NZ + k], mean_of(qv_of, 0, 0, k), 0.015);
        NEAR(mean[M_CLOUD * NZ + k], mean_of(cloud_of, 0, 0, k), 1);
        NEAR(departure[D_CORE * NZ + k], mean_of(core_of, 0, 0, k), 1);
        NEAR(departure[D_QQ * NZ + k], covariance(qv_of, qv_of, 0, 0, k), 2e-4);
        if (!k) continue;
        NEAR(departure[D_QW * NZ + k], covariance(w_of, qv_face, 0, 0, k), 0.3);
        NEAR(departure[D_BW * NZ + k], covariance(w_of, theta_v_face, 0, 0, k), 200);
    }
    const int k = 0;
    NEAR(one[R_COVER], mean_of(cover_of, 0, 0, 0), 1);
    NEAR(one[R_PATH], mean_of(path_of, 0, 0, 0), 0.1);
    double vapour = 0, buoyant = 0;
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            /* theta_v of a little more heat and vapour, less theta_v as it is. */
            const double part = 1e-6, qv = at(F_QV, i, j, 0),
                         q = map_of(F_EVAPORATION, i, j) * (1 + qv) / base()->rho0_f[0],
                         ql = at(F_QC, i, j, 0) + at(F_QR, i, j, 0), theta = base()->theta[0] + at(F_TH, i, j, 0),
                         ratio = 461.5 / 287;
            double side[2];
            for (int m = 0; m < 2; m++) {
                const double h = part * (m ? 1 : -1), more = qv + h * q;
                side[m] = (theta + h * map_of(F_THETA_FLUX, i, j)) * (1 + ratio * more) / (1 + more + ql);
            }
            vapour += q / (NX * NY), buoyant += (side[1] - side[0]) / (2 * part) / (NX * NY);
        }
    NEAR(departure[D_QW_SGS * NZ], vapour, 1e-4);
    cr_assert(fabs(departure[D_BW_SGS * NZ] - buoyant) < 1e-5, "%g, not %g", departure[D_BW_SGS * NZ], buoyant);
    close_case();
}

/* ---- spectra ----------------------------------------------------------------------------------------------------- */

Test(statistics, a_wave_is_a_line_of_its_spectrum)
{
    enum { LINES = 3 };
    static const int lengths[] = {1, 2, 7, 12, 15, 36, 97};
    for (size_t q = 0; q < sizeof lengths / sizeof lengths[0]; q++)
        for (int wave = 0; wave <= lengths[q] / 2; wave++) {
            const int n = lengths[q];
            real plane[97 * LINES];
            double out[49];
            for (int j = 0; j < LINES; j++)
                for (int i = 0; i < n; i++) plane[i * LINES + j] = (real)(5 + 3 * cos(2 * M_PI * wave * i / n));
            cr_assert_eq(statistics_spectrum(plane, 5, n, LINES, LINES, 1, out), SF_OK);
            const double line = wave && 2 * wave < n ? 4.5 : 9;
            for (int m = 0; m <= n / 2; m++)
                cr_assert(fabs(out[m] - (m == wave ? line : 0)) < 40 * unit, "n %d, wave %d: %g at %d", n, wave, out[m],
                          m);
        }
}

Test(statistics, a_spectrum_sums_to_the_variance)
{
    enum { N = 30, LINES = 7 };
    real plane[N * LINES];
    double out[N / 2 + 1], sum = 0, square = 0, all = 0;
    for (int n = 0; n < N * LINES; n++) {
        plane[n] = (real)air_random(-2, 5);
        sum += (double)plane[n] / (N * LINES), square += (double)plane[n] * (double)plane[n] / (N * LINES);
    }
    cr_assert_eq(statistics_spectrum(plane, sum, N, 1, LINES, N, out), SF_OK);
    for (int m = 0; m <= N / 2; m++) all += out[m];
    cr_assert(fabs(all - (square - sum * sum)) < 1e-12, "%g, not %g", all, square - sum * sum);
    /* By the definition, one wavenumber at a time. */
    for (int m = 0; m <= N / 2; m++) {
        double power = 0;
        for (int j = 0; j < LINES; j++) {
            double re = 0, im = 0;
            for (int i = 0; i < N; i++) {
                re += ((double)plane[j * N + i] - sum) * cos(2 * M_PI * m * i / N) / N;
                im += ((double)plane[j * N + i] - sum) * sin(2 * M_PI * m * i / N) / N;
            }
            power += (m && 2 * m < N ? 2 : 1) * (re * re + im * im) / LINES;
        }
        cr_assert(fabs(out[m] - power) < 1e-12, "%g, not %g, at %d", out[m], power, m);
    }
}

/* ---- columns and averages ---------------------------------------------------------------------------------------- */

static const struct result *result(void) { return s.in.result; }

static int variable_of(const char *name)
{
    for (int v = 0; v < result()->nvariables; v++)
        if (!strcmp(result()->variable[v].name, name)) return v;
    cr_assert(0, "no %s", name);
    return 0;
}

/* All values of statistics.nc of one variable; to be freed. */
static double *values_of(const char *name)
{
    const int wanted = variable_of(name);
    double *out[128] = {NULL}, *kept = NULL;
    for (int v = 0; v < result()->nvariables; v++) {
        size_t n = 1;
        for (int d = 0; d < result()->variable[v].ndims; d++)
            n *= (size_t)result()->axis[result()->variable[v].dim[d]].n;
        out[v] = calloc(n + 1, sizeof(double));
    }
    cr_assert_eq(result()->fill(result(), &s.state, out), SF_OK);
    for (int v = 0; v < result()->nvariables; v++)
        if (v == wanted) kept = out[v];
        else free(out[v]);
    return kept;
}

Test(statistics, averages_are_of_the_samples_of_their_interval)
{
    open_case(SPACE EVERY);
    cr_assert_eq(result()->ready(result()), 0);
    double u[7] = {0}, ww[7], www[7];
    for (long n = 1; n <= 6; n++) { /* samples of 10 s, averages of 20 s, a run of 60 s; the third is missed */
        *weather_at(&s, F_U, 0, 0, 1) = (real)n, *weather_at(&s, F_W, 2, 3, 2) = (real)(n * n);
        cr_assert_eq(engine_refresh(&s.engine), SF_OK);
        cr_assert_eq(statistics_levels(&s.in, &s.state, 0.2, mean, departure, one), SF_OK);
        u[n] = mean[M_U * NZ + 1], ww[n] = departure[D_WW * NZ + 2], www[n] = departure[D_WWW * NZ + 2];
        if (n == 3) continue;
        cr_assert_eq(dynamics_sample(&s.in, &s.state, n, 0.2), SF_OK);
        cr_assert_eq(result()->ready(result()), n >= 2);
        cr_assert_eq(result()->axis[0].n, n / 2);
    }
    double *const is = values_of("u"), *const samples = values_of("samples"), *const skew = values_of("w_skewness");
    const int k = 1;
    NEAR(is[k], (u[1] + u[2]) / 2, 20);
    NEAR(is[NZ + k], u[4], 20);
    NEAR(is[2 * NZ + k], (u[5] + u[6]) / 2, 20);
    cr_assert(samples[0] == 2 && samples[1] == 1 && samples[2] == 2);
    NEAR(skew[2], (www[1] + www[2]) / 2 / pow((ww[1] + ww[2]) / 2, 1.5), 1);
    cr_assert(skew[0] >= RESULT_NONE, "w is 0 on the ground");
    cr_assert(result()->axis[0].value[1] == 40 && result()->axis[0].bounds[2] == 20 &&
              result()->axis[0].bounds[3] == 40);
    cr_assert_eq(dynamics_sample(&s.in, &s.state, 7, 0.2), SF_OK); /* beyond the last interval */
    cr_assert_eq(result()->axis[0].n, 3);
    free(is), free(samples), free(skew);
    close_case();
}

Test(statistics, budget_of_energy)
{
    open_case(MOVING GROUND EVERY);
    cr_assert_eq(dynamics_sample(&s.in, &s.state, 1, 0.2), SF_OK);
    cr_assert_eq(dynamics_sample(&s.in, &s.state, 2, 0.2), SF_OK);
    cr_assert_eq(result()->ready(result()), 1);
    static const char *const names[] = {"tke_res",         "tke_shear", "tke_buoyancy", "tke_transport", "tke_pressure",
                                        "tke_dissipation", "u",         "theta",        "pi_p_mean",     "uw_res",
                                        "thetaw_sgs"};
    double *is[11];
    for (int n = 0; n < 11; n++) is[n] = values_of(names[n]);
    const double *const M = mean, *const D = departure, *const rho_f = base()->rho0_f;
    double shear[NZ + 1] = {0}, lift[NZ + 1] = {0}, ew[NZ + 1] = {0}, pw[NZ + 1] = {0}, sum = 0;
    for (int k = 1; k < NZ; k++) {
        const double du = (M[M_U * NZ + k] - M[M_U * NZ + k - 1]) / gap_of(k),
                     dv = (M[M_V * NZ + k] - M[M_V * NZ + k - 1]) / gap_of(k);
        shear[k] = -(D[D_UW * NZ + k] * du + D[D_VW * NZ + k] * dv);
        lift[k] = 9.80665 * D[D_TW * NZ + k] / ((base()->theta0[k] + base()->theta0[k - 1]) / 2);
        ew[k] = rho_f[k] * D[D_EW * NZ + k], pw[k] = D[D_PW * NZ + k];
    }
    for (int k = 0; k < NZ; k++) {
        const double w_low = D[D_WW * NZ + k], w_high = k + 1 < NZ ? D[D_WW * NZ + k + 1] : 0;
        NEAR(is[0][k], (D[D_UU * NZ + k] + D[D_VV * NZ + k] + (w_low + w_high) / 2) / 2, 400);
        NEAR(is[1][k], (shear[k] + shear[k + 1]) / 2, 10);
        NEAR(is[2][k], (lift[k] + lift[k + 1]) / 2, 5);
        NEAR(is[3][k], (ew[k] - ew[k + 1]) / dz_of(k) / base()->rho0[k], 100);
        NEAR(is[4][k], 1004.5 * (base()->theta[k] + M[M_THETA * NZ + k]) * (pw[k] - pw[k + 1]) / dz_of(k), 100);
        NEAR(is[5][k], D[D_STRAIN_MEAN * NZ + k] - D[D_STRAIN * NZ + k], 10);
        NEAR(is[6][k], M[M_U * NZ + k] + 3, 20);
        NEAR(is[7][k], base()->theta[k] + M[M_THETA * NZ + k], 300);
        NEAR(is[9][k], D[D_UW * NZ + k], 400);
        NEAR(is[10][k], D[D_TW_SGS * NZ + k], 5);
        sum += M[M_EXNER * NZ + k] * dz_of(k) / s.grid.top;
    }
    const int k = 0;
    NEAR(is[8][0], sum, 2e-3);
    NEAR(is[9][NZ], 0.0, 1);
    for (int n = 0; n < 11; n++) free(is[n]);
    close_case();
}

Test(statistics, spectra_of_levels)
{
    open_case(SPACE "&statistics interval = 10, average = 10, spectra_z = 120, 0 /\n");
    cr_assert_eq(dynamics_sample(&s.in, &s.state, 1, 0.2), SF_OK);
    cr_assert_eq(result()->ready(result()), 1);
    /* 120 m: centres at 25, 77.5, 135.25 ..., faces at 0, 50, 105, 165.5. */
    const struct {
        const char *name;
        int field, waves, level[2];
        double scale;
    } of[] = {{"spectrum_x_u", D_UU, NX / 2 + 1, {2, 0}, 400},    {"spectrum_y_u", D_UU, NY / 2 + 1, {2, 0}, 400},
              {"spectrum_x_v", D_VV, NX / 2 + 1, {2, 0}, 400},    {"spectrum_y_v", D_VV, NY / 2 + 1, {2, 0}, 400},
              {"spectrum_x_w", D_WW, NX / 2 + 1, {2, 1}, 400},    {"spectrum_y_w", D_WW, NY / 2 + 1, {2, 1}, 400},
              {"spectrum_x_theta", D_TT, NX / 2 + 1, {2, 0}, 81}, {"spectrum_y_theta", D_TT, NY / 2 + 1, {2, 0}, 81}};
    for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) {
        double *const is = values_of(of[n].name);
        for (int h = 0; h < 2; h++) {
            const int k = of[n].level[h];
            double sum = 0;
            for (int m = 0; m < of[n].waves; m++) sum += is[h * of[n].waves + m];
            NEAR(sum, departure[of[n].field * NZ + k], of[n].scale);
        }
        free(is);
    }
    /* One wave along y, by the definition. */
    double *const is = values_of("spectrum_y_theta");
    double power = 0;
    for (int i = 0; i < NX; i++) {
        double re = 0, im = 0;
        for (int j = 0; j < NY; j++) {
            const double angle = 2 * M_PI * 2 * j / NY, x = (double)*weather_at(&s, F_TH, i, j, 0) / NY;
            re += x * cos(angle), im += x * sin(angle);
        }
        power += 2 * (re * re + im * im) / NX;
    }
    cr_assert(fabs(is[NY / 2 + 1 + 2] - power) < 81 * 30 * unit, "%g, not %g", is[NY / 2 + 1 + 2], power);
    free(is);
    cr_assert(fabs(result()->axis[4].value[1] - 2 * M_PI / 600) < 1e-15);
    cr_assert(fabs(result()->axis[5].value[2] - 2 * M_PI / 200) < 1e-15);
    close_case();
}

Test(statistics, spectra_of_one_direction)
{
    open_case(SPACE
              "&statistics interval = 10, average = 10, spectra_z = 60 /\n&boundary west = 'wall', east = 'wall' /\n");
    cr_assert_eq(result()->naxes, 5);
    cr_assert_str_eq(result()->axis[4].name, "wavenumber_y");
    cr_assert_eq(dynamics_sample(&s.in, &s.state, 1, 0.2), SF_OK);
    cr_assert_eq(result()->ready(result()), 1);
    double *const is = values_of("spectrum_y_theta");
    double sum = 0;
    const int k = 1;
    for (int m = 0; m <= NY / 2; m++) sum += is[m];
    NEAR(sum, departure[D_TT * NZ + k], 81);
    free(is);
    close_case();
}
