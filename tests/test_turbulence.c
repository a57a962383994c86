/* Turbulence by value: the stress tensor, the sources of its energy and the mixing of scalars against formulas in
 * double, written anew; the energy in uniform shear against its exact solution; what a closed box keeps; rotation has
 * no stress; the order of diffusion; and what the keys say. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { NI = 6, NJ = 5, NK = 7, G = AIR_GHOSTS };

static struct air air;
static const double dx = 120, dy = 90, g = 9.81, cp = 1004.5, Rd = 287, Rv = 461.5, rcv = 0.4, dt = 2;
static const double unit = sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON;

static double at(int field, int i, int j, int k) { return (double)*air_at(&air, field, i, j, k); }
static double written(int field, int i, int j, int k) { return (double)*air_written(&air, field, i, j, k); }
static double level(int profile, int k) { return (double)air.s.f[profile][k]; }

#define FOR_CELLS                                                                                                      \
    for (int j = 0; j < NJ; j++)                                                                                       \
        for (int k = 0; k < NK; k++)                                                                                   \
            for (int i = 0; i < NI; i++)

static void run(stage_function *stage)
{
    struct call c = {.dt = (real)dt, .ctx = &air.d, .members = air.d.tracers, .of = air.of};
    stage(&air.s, air_box(&air, 0), &c);
}

static void fill(int field, double low, double high) { air_spread(&air, field, low, high); }

/* Levels of several heights; air of the size of that of a boundary layer. Over terrain cells have heights, density and
 * a base state of their own, all of them at random, and the grid is finer where the map factor is larger: that of the
 * cell whose formula it is. */
static int over; /* terrain; 2: on a map of latitude and longitude */
static double factor_here = 1;
static double two(int f, int i, int j, int k, int along) /* between two columns, or in one */
{
    const double here = at(f, i, j, k);
    return along == 0 ? 0.5 * (at(f, i - 1, j, k) + here) : along == 1 ? 0.5 * (at(f, i, j - 1, k) + here) : here;
}
static double level_height(int k) { return 60 * (1 + 0.06 * k); }
static double level_gap(int k) { return 0.5 * (level_height(k) + level_height(k - 1)); }
static double level_rho(int k) { return 1.2 - 0.02 * k; }
static double level_rho_face(int k) { return 0.5 * (level_rho(k) + level_rho(k - 1)); }

/* At centres of columns (along 2), or at faces between two along x or y, where what divides by heights is the mean. */
static double height(int i, int j, int k) { return level_height(k) / (over ? at(F_THIN, i, j, k) : 1); }
static double gap(int i, int j, int k, int along)
{
    return level_gap(k) / (over ? two(F_THIN_FACE, i, j, k, along) : 1);
}
static double rho(int i, int j, int k) { return level_rho(k) * (over ? at(F_DENSE, i, j, k) : 1); }
static double rho_face(int i, int j, int k, int along)
{
    return level_rho_face(k) * (over ? (two(F_DENSE, i, j, k, along) + two(F_DENSE, i, j, k - 1, along)) / 2 : 1);
}
/* Mass of a cell by area. */
static double weight(int i, int j, int k, int along)
{
    return level_rho(k) * level_height(k) / (over ? two(F_SPARSE, i, j, k, along) : 1);
}
static double number(int profile, int field, int i, int j, int k)
{
    return over ? at(field, i, j, k) : level(profile, k);
}
static double flatness(int i, int j, int k) { return number(P_FLAT, F_FLAT_OVER, i, j, k); }
static double size_of(int i, int j, int k) { return number(P_SIZE, F_SIZE_OVER, i, j, k); }
static double exner_of(int i, int j, int k) { return number(P_PI0, F_PI0_OVER, i, j, k); }
/* Across the ground there is none. */
static double base_lapse(int i, int j, int k) { return over && !k ? 0 : 2 * number(P_DTH0H, F_DTH0H_OVER, i, j, k); }
static double spacing_of(int axis) { return axis && over > 1 ? dy : (axis ? dy : dx) / factor_here; }
static void here_is(int i, int j) { factor_here = over ? at(F_MAP_FACTOR, i, 0, j) : 1; }

static void levels_set(int k)
{
    air.s.f[P_RDZC][k] = (real)(1 / level_height(k)), air.s.f[P_RDZF][k] = (real)(1 / level_gap(k));
    air.s.f[P_RHOC][k] = (real)level_rho(k), air.s.f[P_RHOF][k] = (real)level_rho_face(k);
    air.s.f[P_ADZC][k] = (real)(2.0 / 3 / (level_rho(k) * level_height(k)));
    air.s.f[P_ADZF][k] = (real)(1.0 / 3 / (level_rho_face(k) * level_gap(k)));
    air.s.f[P_SIZE][k] = (real)(80 + 3 * k), air.s.f[P_FLAT][k] = (real)(1.5 + 0.1 * k), air.s.f[P_MOST][k] = R(1e9);
    air.s.f[P_THA][k] = (real)(300 + 0.3 * k), air.s.f[P_DTH0H][k] = (real)(0.5 * 0.3 / level_gap(k));
    air.s.f[P_PI0][k] = (real)(1 - 2e-3 * k), air.s.f[P_ON_GROUND][k] = (real)!k;
}

static void terrain_set(void)
{
    static const struct {
        int field;
        double low, high;
    } of[] = {{F_THIN, 0.7, 1.4},      {F_THIN_FACE, 0.7, 1.4},  {F_DENSE, 0.8, 1.2},      {F_MAP_FACTOR, 0.9, 1.1},
              {F_GROUND_W, -2, 2},     {F_SIZE_OVER, 80, 100},   {F_FLAT_OVER, 1.5, 2},    {F_TH0_OVER, 300, 303},
              {F_THA_OVER, 304, 306},  {F_DTH0H_OVER, 0, 0.003}, {F_PI0_OVER, 0.97, 1},    {F_LARGE_WEST, -50, 50},
              {F_LARGE_EAST, -50, 50}, {F_LARGE_SOUTH, -50, 50}, {F_LARGE_NORTH, -50, 50}, {F_SMALL_WEST, -9, 9},
              {F_SMALL_EAST, -9, 9},   {F_SMALL_SOUTH, -9, 9},   {F_SMALL_NORTH, -9, 9},   {F_MAP_WEST, 0.9, 1.1},
              {F_MAP_SOUTH, 0.9, 1.1}};
    for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) fill(of[n].field, of[n].low, of[n].high);
    for (int j = -G; j < NJ + G; j++)
        for (int k = -G; k < NK + G; k++)
            for (int i = -G; i < NI + G; i++)
                *air_at(&air, F_SPARSE, i, j, k) = *air_at(&air, F_THIN, i, j, k) / *air_at(&air, F_DENSE, i, j, k);
    for (int k = -G; k < NK + G; k++) { /* of levels, what no stage should look at */
        air.s.f[P_SIZE][k] = R(7.0), air.s.f[P_FLAT][k] = R(9.0);
        air.s.f[P_THA][k] = R(200.0), air.s.f[P_DTH0H][k] = R(0.1), air.s.f[P_PI0][k] = R(0.2);
        air.s.f[P_STRETCH_L][k] = (real)(-1e-3 * (k + 4)), air.s.f[P_STRETCH_S][k] = (real)(-2e-3 * (k + 4));
    }
}

static void open_air(int water)
{
    air_make(&air, NI, NJ, NK, 0);
    struct dynamics *const d = &air.d;
    d->rdx = (real)(1 / dx), d->rdy = (real)(1 / dy), d->gravity = (real)g, d->smagorinsky = R(0.18),
    d->rcv = (real)rcv;
    d->cp = (real)cp, d->gas_dry = (real)Rd, d->gas_vapour = (real)Rv, d->vapour_ratio = (real)(Rv / Rd);
    d->latent_0 = (real)(2.501e6 + 2320 * 273.15), d->latent_slope = (real)(-2320 - Rv);
    d->upright = 1, d->closure = CLOSURE_TKE, d->species = water ? SPECIES : 0, d->named = d->species + 1,
    d->tracers = AIR_MEMBERS;
    for (int k = -G; k < NK + G; k++) levels_set(k);
    fill(F_U, -9, 9), fill(F_V, -9, 9), fill(F_W, -4, 4), fill(F_TH, -2, 2), fill(F_PI, -1e-3, 1e-3);
    fill(F_KM, 1, 30), fill(F_KH, 1, 60);
    for (int n = 0; n < AIR_MEMBERS; n++) fill(F_Q + F_FAMILY * n, 0, n < d->species ? 0.01 : 3);
    air.s.w[F_PI] = air.s.f[F_PI]; /* what is changed where it is */
    if (over) terrain_set();
    air.d.true_along_y = (real)(over > 1);
}

static void near(double is, double wanted, double scale, const char *what)
{
    cr_assert_float_eq(is, wanted, 40 * unit * scale, "%s: %.17g, not %.17g", what, is, wanted);
}

/* ---- stresses ---- */

/* du_a/dx_b where it lies: axes 0, 1, 2; i, j, k of the cell, or of the edge at its low sides. */
static double wind(int a, int i, int j, int k) { return at(F_U + a, i, j, k); }

static double slope(int a, int b, int i, int j, int k)
{
    const int p = b == 0, q = b == 1, r = b == 2;
    const double away = b < 2 ? spacing_of(b) : a == b ? height(i, j, k) : gap(i, j, k, a);
    /* On the ground w is what the wind along it makes. */
    const double floor = over && a == 2 && b == 2 && !k ? at(F_GROUND_W, i, 0, j) : 0;
    if (a == b) return (wind(a, i + p, j + q, k + r) - wind(a, i, j, k) - floor) / away;
    return (wind(a, i, j, k) - wind(a, i - p, j - q, k - r)) / away;
}

static double strain(int a, int b, int i, int j, int k) { return slope(a, b, i, j, k) + slope(b, a, i, j, k); }

static double viscosity(int a, int b, int i, int j, int k)
{
    double sum = 0;
    if (a == b) return at(F_KM, i, j, k);
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++) {
            int n[3] = {i, j, k};
            n[a] -= p, n[b] -= q;
            sum += at(F_KM, n[0], n[1], n[2]);
        }
    return sum / 4;
}

/* Of the cell whose force it is. */
static double flat_here;
static double tau(int a, int b, int i, int j, int k)
{
    return (a < 2 && b < 2 ? flat_here : 1) * viscosity(a, b, i, j, k) * strain(a, b, i, j, k);
}

/* 1/rho d(rho tau_ab)/dx_b at the place of wind a. */
static double force(int a, int i, int j, int k)
{
    double sum = 0;
    here_is(i, j), flat_here = flatness(i, j, k);
    for (int b = 0; b < 3; b++) {
        int n[3] = {i, j, k};
        const int other = a == b ? -1 : 1;
        n[b] += other;
        const double there = tau(a, b, n[0], n[1], n[2]), own = tau(a, b, i, j, k);
        if (b < 2) {
            sum += other * (there - own) / spacing_of(b);
            continue;
        }
        const double high = a == 2 ? rho(i, j, k - 1) : rho_face(i, j, k + 1, a),
                     low = a == 2 ? rho(i, j, k) : rho_face(i, j, k, a),
                     mass = a == 2 ? rho_face(i, j, k, 2) * gap(i, j, k, 2) : weight(i, j, k, a);
        sum += other * (high * there - low * own) / mass;
    }
    return sum;
}

Test(turbulence, forces_are_those_of_the_stress_tensor)
{
    for (over = 0; over < 3; over++) {
        open_air(0);
        run(over ? stress_over_run : stress_run);
        FOR_CELLS for (int a = 0; a < 3; a++)
            near(written(F_U + a, i, j, k), wind(a, i, j, k) + dt * force(a, i, j, k), 30, a ? a > 1 ? "w" : "v" : "u");
        air_free(&air);
    }
}

Test(turbulence, rotation_has_no_stress)
{
    open_air(0);
    for (int j = -G; j < NJ + G; j++)
        for (int k = -G; k < NK + G; k++)
            for (int i = -G; i < NI + G; i++) {
                *air_at(&air, F_U, i, j, k) = (real)(-0.03125 * 90 * j),
                                         *air_at(&air, F_V, i, j, k) = (real)(0.03125 * 120 * i);
                *air_at(&air, F_W, i, j, k) = 0;
            }
    run(stress_run), run(smagorinsky_run);
    fill(F_TH, 0, 0);
    for (int k = -G; k < NK + G; k++) air.s.f[P_DTH0H][k] = 0;
    run(smagorinsky_run);
    FOR_CELLS
    {
        for (int a = 0; a < 3; a++) near(written(F_U + a, i, j, k), wind(a, i, j, k), 40, "a wind");
        near(at(F_KM, i, j, k), 0, 1e4, "viscosity");
    }
    air_free(&air);
}

/* ---- what they mix by ---- */

/* weight: of strain along the ground alone. */
static double shear_square(int i, int j, int k, double weight)
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        const double d = slope(a, a, i, j, k);
        sum += 2 * (a < 2 ? weight : 1) * d * d;
        for (int b = a + 1; b < 3; b++) {
            double four = 0;
            for (int p = 0; p < 2; p++)
                for (int q = 0; q < 2; q++) {
                    int n[3] = {i, j, k};
                    n[a] += p, n[b] += q;
                    const double s = strain(a, b, n[0], n[1], n[2]);
                    four += s * s;
                }
            sum += (b < 2 ? weight : 1) * four / 4;
        }
    }
    return sum;
}

static double theta_0(int i, int j, int k) { return number(P_THA, air.d.species ? F_THA_OVER : F_TH0_OVER, i, j, k); }
static double theta(int i, int j, int k) { return theta_0(i, j, k) + at(F_TH, i, j, k); }

static double lapse(int i, int j, int k)
{
    return base_lapse(i, j, k) + (at(F_TH, i, j, k) - at(F_TH, i, j, k - 1)) / gap(i, j, k, 2);
}

static double stability_dry(int i, int j, int k)
{
    return g * 0.5 * (lapse(i, j, k) + lapse(i, j, k + 1)) / theta(i, j, k);
}

static double mean2(int f, int i, int j, int k) { return 0.5 * (at(f, i, j, k) + at(f, i, j, k - 1)); }

/* Durran and Klemp (1982), eq. 36, of the face below k; below saturation the logarithm of theta_rho. */
static double stability_face(int i, int j, int k)
{
    const double th = 0.5 * (theta(i, j, k) + theta(i, j, k - 1)),
                 pi = 0.5 * (exner_of(i, j, k) + exner_of(i, j, k - 1)) + mean2(F_PI, i, j, k), t = th * pi,
                 qv = mean2(F_QV, i, j, k), ql = mean2(F_QC, i, j, k) + mean2(F_QR, i, j, k);
    const double dv = (at(F_QV, i, j, k) - at(F_QV, i, j, k - 1)) / gap(i, j, k, 2),
                 dl = (at(F_QC, i, j, k) + at(F_QR, i, j, k) - at(F_QC, i, j, k - 1) - at(F_QR, i, j, k - 1)) /
                      gap(i, j, k, 2);
    const double dln = lapse(i, j, k) / th, L = 2.501e6 - 2320 * (t - 273.15);
    if (fmin(at(F_QC, i, j, k), at(F_QC, i, j, k - 1)) > 1e-6)
        return g *
               ((1 + L * qv / (Rd * t)) / (1 + Rd / Rv * L * L * qv / (cp * Rd * t * t)) * (dln + L / (cp * t) * dv) -
                (dv + dl));
    return g * (dln + Rv / Rd * dv / (1 + Rv / Rd * qv) - (dv + dl) / (1 + qv + ql));
}

static double stability_moist(int i, int j, int k)
{
    return 0.5 * (stability_face(i, j, k) + stability_face(i, j, k + 1));
}

static void smagorinsky_by_value(int water)
{
    static stage_function *const stage[2][2] = {{smagorinsky_run, smagorinsky_moist_run},
                                                {smagorinsky_over_run, smagorinsky_moist_over_run}};
    open_air(water);
    if (water)
        for (int j = -G; j < NJ + G; j++) /* of every other column, clouds in every other level */
            for (int k = -G; k < NK + G; k++)
                for (int i = -G; i < NI + G; i++)
                    if ((i + j) & k & 1) *air_at(&air, F_QC, i, j, k) = 0;
    if (water) run(over ? stability_moist_over_run : stability_moist_run);
    run(stage[over > 0][water]);
    int none = 0;
    FOR_CELLS
    {
        here_is(i, j);
        const double l = 0.18 * size_of(i, j, k), s2 = shear_square(i, j, k, 1),
                     n2 = water ? stability_moist(i, j, k) : stability_dry(i, j, k), left = s2 - 3 * n2;
        const double wanted = left > 0 ? l * l * sqrt(left) : 0;
        none += !(left > 0);
        near(at(F_KM, i, j, k), wanted, 300, "viscosity"), near(at(F_KH, i, j, k), 3 * wanted, 900, "diffusivity");
    }
    cr_assert(none < NI * NJ * NK / 2);
    air_free(&air);
}

Test(turbulence, smagorinsky_by_value)
{
    for (over = 0; over < 3; over++)
        for (int water = 0; water < 2; water++) smagorinsky_by_value(water);
}

/* Where air is stable beyond shear, nothing mixes. */
Test(turbulence, smagorinsky_ends_at_a_third)
{
    open_air(0);
    fill(F_W, 0, 0), fill(F_V, 0, 0), fill(F_TH, 0, 0);
    for (int n = 0; n < 2; n++) {
        const double n2 = n ? 1.02e-4 / 3 : 0.98e-4 / 3; /* beside S2 = 1e-4 */
        for (int k = -G; k < NK + G; k++) {
            air.s.f[P_DTH0H][k] = (real)(0.5 * n2 * 300 / g), air.s.f[P_THA][k] = 300, air.s.f[P_RDZF][k] = R(0.01);
            for (int j = -G; j < NJ + G; j++)
                for (int i = -G; i < NI + G; i++) *air_at(&air, F_U, i, j, k) = (real)k;
        }
        run(smagorinsky_run);
        FOR_CELLS cr_assert(n ? at(F_KM, i, j, k) <= 0 : at(F_KM, i, j, k) > 0.1, "%g", at(F_KM, i, j, k));
    }
    air_free(&air);
}

static void tke_by_value(int water)
{
    static stage_function *const stage[2][2] = {{tke_dry_run, tke_moist_run}, {tke_dry_over_run, tke_moist_over_run}};
    open_air(water);
    const int f = water ? F_E : F_Q;
    static double before[NJ][NK][NI];
    air.s.w[f] = air.s.f[f];
    *air_at(&air, f, 2, 2, 2) = 0;
    for (int k = 0; k < NK; k++) /* of a row almost nothing, so that the least length counts */
        for (int i = 0; i < NI; i++) *air_at(&air, f, i, 1, k) = R(1e-7);
    FOR_CELLS before[j][k][i] = at(f, i, j, k);
    if (water) run(over ? stability_moist_over_run : stability_moist_run);
    run(stage[over > 0][water]);
    int limited = 0;
    FOR_CELLS
    {
        here_is(i, j);
        const double e = before[j][k][i], D = size_of(i, j, k),
                     n2 = water ? stability_moist(i, j, k) : stability_dry(i, j, k);
        const double s2 = shear_square(i, j, k, flatness(i, j, k));
        double l = D;
        if (n2 > 1e-6) l = fmax(1e-3 * D, fmin(D, sqrt(2.0 / 3 * e / n2)));
        limited += l < D;
        const double km = 0.1 * l * sqrt(e), kh = (1 + 2 * l / D) * km, c2 = 0.1 * M_PI * M_PI - 0.2;
        near(at(F_KM, i, j, k), km, j == 1 ? 20 * km : 60, "viscosity"),
            near(at(F_KH, i, j, k), kh, j == 1 ? 20 * kh : 180, "diffusivity");
        /* dq/dt = a - b q^2 */
        const double a = 0.05 * l * (s2 - (1 + 2 * l / D) * n2), b = (0.2 + c2 * l / D) / (2 * l);
        const double q = (sqrt(e) + a * dt) / (1 + b * dt * sqrt(e)), wanted = q > 1e-5 ? q * q : 1e-10;
        near(at(f, i, j, k), wanted, 30, "energy");
    }
    cr_assert(limited > 10 && limited < NI * NJ * NK, "%d", limited);
    air_free(&air);
}

Test(turbulence, energy_by_value)
{
    for (over = 0; over < 3; over++)
        for (int water = 0; water < 2; water++) tke_by_value(water);
}

/* No more than a step takes: half of it for what has twice the viscosity. */
Test(turbulence, no_more_than_a_step_takes)
{
    for (over = 0; over < 3; over++) {
        open_air(0);
        for (int k = -G; k < NK + G; k++) air.s.f[P_MOST][k] = R(1.5);
        run(over ? tke_dry_over_run : tke_dry_run);
        double most = 0;
        FOR_CELLS
        {
            cr_assert(at(F_KM, i, j, k) <= 0.75 / dt && at(F_KH, i, j, k) <= 1.5 / dt);
            most = fmax(most, at(F_KH, i, j, k));
        }
        cr_assert_float_eq(most, 1.5 / dt, 1e-6);
        run(over ? smagorinsky_over_run : smagorinsky_run);
        FOR_CELLS cr_assert(at(F_KM, i, j, k) <= 0.75 / dt && at(F_KH, i, j, k) <= 1.5 / dt);
        air_free(&air);
    }
}

/* Uniform shear in neutral air: sqrt(e) = q8 tanh(S sqrt(c_m c_eps) t/2 + atanh(q0/q8)), q8 = l S sqrt(c_m / c_eps). */
static void shear_set(double shear, double stability, double size, double energy)
{
    fill(F_W, 0, 0), fill(F_V, 0, 0), fill(F_TH, 0, 0), fill(F_Q, energy, energy);
    air.s.w[F_Q] = air.s.f[F_Q];
    for (int k = -G; k < NK + G; k++) {
        air.s.f[P_SIZE][k] = (real)size, air.s.f[P_THA][k] = 300, air.s.f[P_RDZF][k] = R(0.01);
        air.s.f[P_DTH0H][k] = (real)(0.5 * stability * 300 / g);
        for (int j = -G; j < NJ + G; j++)
            for (int i = -G; i < NI + G; i++) *air_at(&air, F_U, i, j, k) = (real)(100 * shear * k);
    }
}

static void tke_step(double step)
{
    struct call c = {.dt = (real)step, .ctx = &air.d};
    tke_dry_run(&air.s, air_box(&air, 0), &c);
}

Test(turbulence, energy_in_shear_is_exact)
{
    const double S = 0.02, l = 100, cm = 0.1, ce = 0.1 * M_PI * M_PI, q8 = l * S * sqrt(cm / ce), q0 = sqrt(1e-3);
    open_air(0);
    shear_set(S, 0, l, 1e-3);
    for (int n = 1; n <= 600; n++) {
        tke_step(1);
        if (n != 60 && n != 120 && n != 300 && n != 600) continue;
        const double q = q8 * tanh(S * sqrt(cm * ce) * n / 2 + atanh(q0 / q8));
        cr_assert_float_eq(at(F_Q, 1, 1, 1) / (q * q), 1, 1e-4, "%d s: %.8g, not %.8g", n, at(F_Q, 1, 1, 1), q * q);
    }
    /* Figures of the formula, computed elsewhere: so that both have the same constants. */
    cr_assert_float_eq(at(F_Q, 1, 1, 1), 0.37282, 6e-5);
    for (int n = 0; n < 4000; n++) tke_step(1);
    cr_assert_float_eq(at(F_Q, 1, 1, 1), 0.40528, 1e-4);
    tke_step(1);
    cr_assert_float_eq(at(F_KM, 1, 1, 1), 6.366, 1e-3);
    air_free(&air);
}

/* Of stable air that limits the length, Ri = 1/4 parts growth from decay. */
Test(turbulence, a_quarter_is_critical)
{
    for (int n = 0; n < 2; n++) {
        const double ri = n ? 0.27 : 0.23, S = 0.04;
        open_air(0);
        shear_set(S, ri * S * S, 1e4, 0.5); /* of cells so large that 2 l/D is little */
        double before = 0.5;
        for (int t = 0; t < 300; t++) {
            tke_step(4);
            const double now = at(F_Q, 2, 2, 2);
            cr_assert(n ? now < before : now > before, "Ri %g, step %d: %g after %g", ri, t, now, before);
            before = now;
        }
        cr_assert(n ? before < 0.45 : before > 0.55, "Ri %g: %g", ri, before);
        air_free(&air);
    }
}

/* Strongly stable air loses all of it, and never more. */
Test(turbulence, stable_air_comes_to_rest)
{
    open_air(0);
    shear_set(0.001, 1e-3, 100, 2);
    for (int t = 0; t < 4000; t++) tke_step(30);
    cr_assert_float_eq(at(F_Q, 1, 1, 1), 1e-10, 1e-15);
    air_free(&air);
}

/* ---- scalars ---- */

static double face_k(int f, int i, int j, int k, int a)
{
    return 0.5 * (at(f, i, j, k) + at(f, i - (a == 0), j - (a == 1), k - (a == 2)));
}

/* The mass on a side of a cell by that of the cell: J of the terrain there and the mean density of both columns. */
static double side(int along, int far, int i, int j, int k)
{
    if (!over) return 1;
    static const int large[2][2] = {{F_LARGE_WEST, F_LARGE_EAST}, {F_LARGE_SOUTH, F_LARGE_NORTH}},
                     small[2][2] = {{F_SMALL_WEST, F_SMALL_EAST}, {F_SMALL_SOUTH, F_SMALL_NORTH}};
    const double jacobian = 1 + level(P_STRETCH_L, k) * at(large[along][far], i, 0, j) +
                            level(P_STRETCH_S, k) * at(small[along][far], i, 0, j);
    return at(F_SPARSE, i, j, k) * two(F_DENSE, i + (along == 0 && far), j + (along == 1 && far), k, along) * jacobian;
}

/* 1/rho div(rho K grad q); base: theta, whose slope along z is that of the base state, too. */
static double mixed(int q, int f, double times, int i, int j, int k, int base)
{
    double sum = 0;
    here_is(i, j);
    for (int a = 0; a < 3; a++) {
        const int p = a == 0, r = a == 1, s = a == 2;
        double flux[2];
        for (int n = 0; n < 2; n++) {
            const double away = a < 2 ? spacing_of(a) : gap(i, j, k + n, 2);
            double d =
                (at(q, i + p * n, j + r * n, k + s * n) - at(q, i + p * (n - 1), j + r * (n - 1), k + s * (n - 1))) /
                away;
            if (a == 2 && base) d += base_lapse(i, j, k + n);
            flux[n] = (a == 2 ? rho_face(i, j, k + n, 2) : flatness(i, j, k) * side(a, n, i, j, k)) * times *
                      face_k(f, i + p * n, j + r * n, k + s * n, a) * d;
        }
        sum += (flux[1] - flux[0]) / (a < 2 ? spacing_of(a) : weight(i, j, k, 2));
    }
    return sum;
}

Test(turbulence, heat_by_value)
{
    for (int n = 0; n < 4; n++) {
        const int water = n & 1;
        over = n > 1;
        open_air(water);
        static double pi[NJ][NK][NI];
        FOR_CELLS /* what was the vapour before lies where stages read, what it is where they write */
        {
            *air_written(&air, F_QV, i, j, k) = (real)air_random(0, 0.01);
            pi[j][k][i] = at(F_PI, i, j, k);
        }
        run(over ? water ? stir_heat_moist_over_run : stir_heat_over_run : water ? stir_heat_moist_run : stir_heat_run);
        FOR_CELLS
        {
            const double gain = dt * mixed(F_TH, F_KH, 1, i, j, k, 1), old = at(F_QV, i, j, k),
                         qv = written(F_QV, i, j, k), exner = exner_of(i, j, k) + pi[j][k][i];
            const double wet = water ? (qv - old) / (Rd / Rv + qv) : 0;
            near(written(F_TH, i, j, k), at(F_TH, i, j, k) + gain, 3, "theta'");
            near(at(F_PI, i, j, k), pi[j][k][i] + rcv * exner * (gain / theta(i, j, k) + wet), 0.01, "pi'");
        }
        air_free(&air);
    }
}

Test(turbulence, all_that_is_carried_is_mixed)
{
    for (int n = 0; n < 4; n++) {
        const int water = n & 1;
        over = n > 1;
        open_air(water);
        run(over ? stir_over_run : stir_run);
        FOR_CELLS for (int m = 0; m < AIR_MEMBERS; m++)
        {
            const int f = F_Q + F_FAMILY * m, energy = m == (water ? SPECIES : 0);
            const double gain = dt * (energy ? mixed(f, F_KM, 2, i, j, k, 0) : mixed(f, F_KH, 1, i, j, k, 0));
            near(written(f, i, j, k), at(f, i, j, k) + gain, m < air.d.species ? 0.02 : 5, "a member");
        }
        air_free(&air);
    }
}

/* ---- implicit along z ---- */

/* What goes along z of a wind, du/dz of it alone, and of w twice: of values q(i, j, k), beyond the ground and the lid
 * none. */
static double sunk(int f, int i, int j, int k, double (*q)(int, int, int, int))
{
    double flux[2];
    const int along = f == F_U ? 0 : f == F_V ? 1 : 2;
    for (int n = 0; n < 2; n++) {
        const int m = k + n;
        if (f == F_W) {
            const double low = m > 1  ? q(f, i, j, m - 1)
                               : over ? at(F_GROUND_W, i, 0, j)
                                      : 0,
                         high = m < NK ? q(f, i, j, m) : 0;
            flux[n] = rho(i, j, m - 1) * 2 * at(F_KM, i, j, m - 1) * (high - low) / height(i, j, m - 1);
            continue;
        }
        if (m == 0 || m == NK) {
            flux[n] = 0;
            continue;
        }
        const double K = f == F_U   ? viscosity(0, 2, i, j, m)
                         : f == F_V ? viscosity(1, 2, i, j, m)
                         : f == F_E ? 2 * face_k(F_KM, i, j, m, 2)
                                    : face_k(F_KH, i, j, m, 2);
        const double base = f == F_TH ? base_lapse(i, j, m) : 0;
        flux[n] = rho_face(i, j, m, along) * K * ((q(f, i, j, m) - q(f, i, j, m - 1)) / gap(i, j, m, along) + base);
    }
    return (flux[1] - flux[0]) / (f == F_W ? rho_face(i, j, k, 2) * gap(i, j, k, 2) : weight(i, j, k, along));
}

static void is_solved(int f, const double (*before)[NK][NI])
{
    FOR_CELLS if (f != F_W || k > 0)
    {
        const double wanted = before[j][k][i] + dt * sunk(f, i, j, k, written);
        near(written(f, i, j, k), wanted, f == F_TH ? 10 : f <= F_W ? 100 : 20, "a solution");
    }
    double moved = 0;
    FOR_CELLS moved += fabs(written(f, i, j, k) - before[j][k][i]);
    cr_assert(moved > 1e-3, "field %d: %g", f, moved);
}

Test(turbulence, columns_are_solved)
{
    static double before[5][NJ][NK][NI], pi[NJ][NK][NI];
    static const int field[] = {F_U, F_V, F_W, F_TH, F_E};
    static real work[1 << 14];
    for (over = 0; over < 2; over++) {
        open_air(1);
        air.d.upright = 0;
        for (int n = 0; n < 5; n++) air.s.w[field[n]] = air.s.f[field[n]];
        for (int m = 0; m < AIR_MEMBERS; m++) air.of[m].w[0] = air.of[m].f[0];
        FOR_CELLS
        {
            for (int n = 0; n < 5; n++) before[n][j][k][i] = at(field[n], i, j, k);
            pi[j][k][i] = at(F_PI, i, j, k);
        }
        struct call c = {.dt = (real)dt, .ctx = &air.d, .members = AIR_MEMBERS, .of = air.of, .work = work};
        (over ? sink_wind_over_run : sink_wind_run)(&air.s, air_box(&air, 0), &c);
        (over ? sink_heat_moist_over_run : sink_heat_run)(&air.s, air_box(&air, 0), &c);
        (over ? sink_over_run : sink_run)(&air.s, air_box(&air, 0), &c);
        for (int n = 0; n < 5; n++) is_solved(field[n], before[n]);
        FOR_CELLS
        {
            if (!k) near(written(F_W, i, j, 0), 0, 1, "w on the ground");
            const double th = theta_0(i, j, k) + before[3][j][k][i], gain = written(F_TH, i, j, k) - before[3][j][k][i];
            near(at(F_PI, i, j, k), pi[j][k][i] + rcv * (exner_of(i, j, k) + pi[j][k][i]) * gain / th, 0.02, "pi'");
        }
        air_free(&air);
    }
}

/* With what goes along z left out, explicit stages have all the rest, to rounding. */
Test(turbulence, explicit_parts_leave_what_columns_do)
{
    static const int field[] = {F_U, F_V, F_W, F_TH, F_E, F_QV};
    static double all[6][NJ][NK][NI];
    static stage_function *const stage[2][3] = {{stress_run, stir_heat_run, stir_run},
                                                {stress_over_run, stir_heat_moist_over_run, stir_over_run}};
    for (over = 0; over < 2; over++) {
        open_air(1);
        for (int j = -G; j < NJ + G; j++)
            for (int i = -G; i < NI + G; i++) *air_at(&air, F_W, i, j, 0) = 0;
        for (int n = 0; n < 3; n++) run(stage[over > 0][n]);
        FOR_CELLS for (int n = 0; n < 6; n++) all[n][j][k][i] = written(field[n], i, j, k);
        air.d.upright = 0;
        for (int n = 0; n < 3; n++) run(stage[over > 0][n]);
        FOR_CELLS for (int n = 0; n < 6; n++) if (k > 0 && k < NK - 1)
            near(all[n][j][k][i] - written(field[n], i, j, k), dt * sunk(field[n], i, j, k, at), n < 3 ? 60 : 20,
                 "what goes along z");
        air_free(&air);
    }
}

/* ---- what a closed box keeps ---- */

/* Ghosts of a box that repeats along x and y between planes of symmetry: odd: w, which is zero on them. */
static void ghosts_make(int f, int odd)
{
    for (int j = -G; j < NJ + G; j++)
        for (int k = -G; k < NK + G; k++)
            for (int i = -G; i < NI + G; i++) {
                const int low = k < 0, high = odd ? k > NK : k >= NK;
                const int from = low ? (odd ? -k : -1 - k) : high ? (odd ? 2 * NK - k : 2 * NK - 1 - k) : k;
                const double sign = odd && (low || high) ? -1 : 1;
                const int ii = (i + NI) % NI, jj = (j + NJ) % NJ;
                *air_at(&air, f, i, j, k) =
                    odd && (from == 0 || from == NK) ? R(0.0) : (real)(sign * (double)*air_at(&air, f, ii, jj, from));
            }
}

static void box_mirror(void)
{
    static const int profile[] = {P_RDZC, P_RHOC, P_ADZC, P_SIZE, P_FLAT, P_THA, P_PI0},
                     on_face[] = {P_RDZF, P_RHOF, P_ADZF, P_DTH0H};
    for (size_t n = 0; n < sizeof profile / sizeof profile[0]; n++) {
        real *const p = air.s.f[profile[n]];
        p[-1] = p[0], p[NK] = p[NK - 1];
    }
    for (size_t n = 0; n < sizeof on_face / sizeof on_face[0]; n++)
        air.s.f[on_face[n]][-1] = air.s.f[on_face[n]][1], air.s.f[on_face[n]][NK + 1] = air.s.f[on_face[n]][NK - 1];
    air.s.f[P_DTH0H][0] = air.s.f[P_DTH0H][NK] = 0;
}

static double mass(int f, int of_new, int k)
{
    (void)of_new;
    return f == F_W ? level_rho_face(k) * level_gap(k) : level_rho(k) * level_height(k);
}

static double total(int f, int of_new, double *size)
{
    double sum = 0;
    *size = 0;
    FOR_CELLS
    {
        const double q = of_new ? written(f, i, j, k) : at(f, i, j, k), m = mass(f, of_new, k);
        if (f == F_W && k == 0) continue;
        sum += m * q, *size += m * fabs(q);
    }
    return sum;
}

Test(turbulence, a_closed_box_keeps_all)
{
    open_air(0);
    box_mirror();
    static const int whole[] = {F_U, F_V, F_TH, F_Q, F_Q + F_FAMILY};
    for (int f = F_U; f <= F_PI; f++) ghosts_make(f, f == F_W);
    ghosts_make(F_KM, 0), ghosts_make(F_KH, 0), ghosts_make(F_Q, 0), ghosts_make(F_Q + F_FAMILY, 0);
    run(stress_run), run(stir_heat_run), run(stir_run);
    for (size_t n = 0; n < sizeof whole / sizeof whole[0]; n++) {
        double size, left, moved = 0;
        const double before = total(whole[n], 0, &size), after = total(whole[n], 1, &left);
        FOR_CELLS moved += fabs(written(whole[n], i, j, k) - at(whole[n], i, j, k));
        cr_assert_float_eq(after, before, (sizeof(real) == 8 ? 1e-12 : 4e-7) * size, "field %d: %.17g of %.17g",
                           whole[n], after, before);
        cr_assert(moved > 0.1, "field %d is mixed", whole[n]);
    }
    /* Nothing comes to a face that nothing blows through. */
    for (int j = 0; j < NJ; j++)
        for (int i = 0; i < NI; i++) near(written(F_W, i, j, 0), 0, 10, "w on the ground");
    air_free(&air);
}

/* The same of moist air, and of what goes along z by columns: momentum, heat, water and all that is carried. */
Test(turbulence, a_moist_closed_box_keeps_all)
{
    static const int whole[] = {F_U, F_V, F_TH, F_QV, F_QC, F_QR, F_E};
    enum { WHOLE = sizeof whole / sizeof whole[0] };
    static real work[1 << 14];
    for (int implicit = 0; implicit < 2; implicit++) {
        open_air(1);
        box_mirror();
        if (implicit) air.d.upright = 0;
        for (int f = F_U; f <= F_PI; f++) ghosts_make(f, f == F_W);
        ghosts_make(F_KM, 0), ghosts_make(F_KH, 0);
        for (int m = 0; m < AIR_MEMBERS; m++) ghosts_make(F_Q + F_FAMILY * m, 0);
        double before[WHOLE], size[WHOLE], left;
        for (int n = 0; n < WHOLE; n++) before[n] = total(whole[n], 0, &size[n]);
        run(stress_run), run(stir_heat_moist_run), run(stir_run);
        if (implicit) { /* in place of what these have written */
            for (int n = 0; n < WHOLE; n++) air.s.f[whole[n]] = air.s.w[whole[n]];
            air.s.f[F_W] = air.s.w[F_W];
            for (int m = 0; m < AIR_MEMBERS; m++) air.of[m].f[0] = air.of[m].w[0];
            const struct call c = {.dt = (real)dt, .ctx = &air.d, .members = AIR_MEMBERS, .of = air.of, .work = work};
            sink_wind_run(&air.s, air_box(&air, 0), &c), sink_heat_run(&air.s, air_box(&air, 0), &c);
            sink_run(&air.s, air_box(&air, 0), &c);
        }
        for (int n = 0; n < WHOLE; n++) {
            const double after = total(whole[n], 1, &left);
            cr_assert_float_eq(after, before[n], (sizeof(real) == 8 ? 1e-12 : 6e-7) * size[n],
                               "implicit %d, field %d: %.17g of %.17g", implicit, whole[n], after, before[n]);
        }
        air_free(&air);
    }
}

/* ---- order ---- */

/* What one step adds to a wave of theta' and of u, of so many cells a wavelength, over what diffusion would add. */
static double wave_loss(int cells, int of_wind)
{
    open_air(0);
    const double k1 = 2 * M_PI / cells, length = 1000.0 / cells;
    struct dynamics *const d = &air.d;
    d->rdx = (real)(1 / length), d->rdy = (real)(1 / length);
    for (int k = -G; k < NK + G; k++) {
        air.s.f[P_RDZC][k] = air.s.f[P_RDZF][k] = (real)(1 / length), air.s.f[P_RHOC][k] = air.s.f[P_RHOF][k] = 1;
        air.s.f[P_ADZC][k] = (real)(2 / (3 * length)), air.s.f[P_ADZF][k] = (real)(1 / (3 * length));
        air.s.f[P_FLAT][k] = 1, air.s.f[P_DTH0H][k] = 0;
    }
    fill(F_KM, 10, 10), fill(F_KH, 10, 10), fill(F_V, 0, 0), fill(F_U, 0, 0), fill(F_W, 0, 0);
    const int f = of_wind ? F_U : F_TH;
    for (int j = -G; j < NJ + G; j++)
        for (int k = -G; k < NK + G; k++)
            for (int i = -G; i < NI + G; i++)
                *air_at(&air, f, i, j, k) =
                    (real)(of_wind ? cos(k1 * j) * cos(k1 * k) : cos(k1 * i) * cos(k1 * j) * cos(k1 * k));
    run(of_wind ? stress_run : stir_heat_run);
    const double gain = written(f, 0, 0, 0) - at(f, 0, 0, 0), k2 = pow(2 * M_PI / 1000, 2) * (of_wind ? 2 : 3);
    air_free(&air);
    return gain / (-dt * 10 * k2);
}

Test(turbulence, diffusion_is_of_second_order)
{
    for (int of_wind = 0; of_wind < 2; of_wind++) {
        const double coarse = 1 - wave_loss(8, of_wind), fine = 1 - wave_loss(16, of_wind);
        cr_assert(coarse > 0 && fabs(log2(coarse / fine) - 2) < 0.05, "%g, %g", coarse, fine);
    }
}

/* ---- cases ---- */

static struct session session;
static const struct dynamics *open_case(const char *more)
{
    char text[1024];
    snprintf(text, sizeof text,
             "&grid nx = 6, ny = 5, nz = 8, dx = 200, dy = 150, dz = 100 /\n&time duration = 1, dt = 0.2 /\n%s\n",
             more);
    weather_open(&session, text);
    return session.in.ctx;
}

static int ops_of(const char *name)
{
    int found = 0;
    for (int n = 0; n < session.in.nops; n++)
        found += !strcmp(session.in.model->stage[session.in.op[n].stage].name, name);
    return found;
}

Test(turbulence, program_has_what_is_asked_for)
{
    const struct dynamics *d = open_case("&dynamics tracers = 1 /");
    cr_assert_eq(d->mixing, MIXING_FOURTH);
    cr_assert_eq(ops_of("stress") + ops_of("stir") + ops_of("stir_heat"), 0);
    cr_assert_eq(session.in.field[F_KM].shape, SHAPE_BOX);
    session_close(&session);
    d = open_case("&turbulence closure = 'smagorinsky', smagorinsky_constant = 0.13 /");
    cr_assert_eq(d->mixing, MIXING_OFF);
    cr_assert_float_eq((double)d->smagorinsky, 0.13, 1e-7);
    cr_assert_eq(d->tracers, 0);
    cr_assert_eq(ops_of("smagorinsky") + ops_of("stress") + ops_of("stir_heat"), 3);
    cr_assert_eq(ops_of("stir"), 0);
    session_close(&session);
    d = open_case(
        "&turbulence closure = 'tke' /\n&dynamics tracers = 2, mixing = 'monotone' /\n&water scheme = 'kessler' /");
    cr_assert_eq(d->mixing, MIXING_MONOTONE);
    cr_assert_eq(d->tracers, 6);
    cr_assert_eq(d->named, 4);
    cr_assert_eq(ops_of("tke_moist") + ops_of("stress") + ops_of("stir_heat_moist") + ops_of("stir"), 4);
    cr_assert_str_eq(session.in.field[F_E].name, "tke");
    cr_assert_str_eq(session.in.field[F_E + F_FAMILY].name, "q1");
    session_close(&session);
    d = open_case("&turbulence closure = 'tke' /\n&dynamics tracers = 1 /\n"
                  "&initial shape = 2*'gaussian', variable = 'tke', 'tracer', amplitude = 3, 5 /");
    cr_assert_str_eq(session.in.field[F_Q].name, "tke");
    cr_assert_str_eq(session.in.field[F_Q + F_FAMILY].name, "q1");
    cr_assert_float_eq((double)*weather_at(&session, F_Q, 3, 3, 3), 3, 1e-6);
    cr_assert_float_eq((double)*weather_at(&session, F_Q + F_FAMILY, 3, 3, 3), 5, 1e-6);
    cr_assert_eq(ops_of("tke_dry"), 1);
    session_close(&session);
}

/* K_h = 3 K_m = 0.3 D sqrt(e) of air at rest; two of five rows have e of 4 and the rest of 1 m2/s2. */
Test(turbulence, what_a_step_cuts_is_known)
{
    double share, most;
    open_case("&turbulence closure = 'tke' /");
    for (int j = -1; j <= 5; j++)
        for (int k = -1; k <= 8; k++)
            for (int i = -1; i <= 6; i++) *weather_at(&session, F_Q, i, j, k) = j < 2 ? 4 : 1;
    const double bears = 0.45 / (1 / 4e4 + 1 / 22500.0 + 1e-4), least = bears / (0.3 * cbrt(200.0 * 150 * 100));
    for (int n = 0; n < 3; n++) {
        const double step = least * (n ? n > 1 ? 1.1 : 0.6 : 0.4);
        cr_assert_eq(turbulence_cut(session.in.own, &session.state, step, &share, &most), SF_OK);
        cr_assert_float_eq(most, 2 * step / least, 2e-5, "%g, not %g", most, 2 * step / least);
        cr_assert_float_eq(share, n ? n > 1 ? 1 : 0.4 : 0, 1e-12, "%g", share);
    }
    session_close(&session);
}

static double of_level(int profile, int k) { return (double)session.state.host.s.f[profile][k]; }

Test(turbulence, implicit_steps_are_as_long_as_cells_are)
{
    open_case(
        "&turbulence closure = 'tke', vertical = 'implicit', expected_diffusivity = 1e5 /\n&dynamics tracers = 1 /");
    cr_assert_float_eq(session.in.dt_limit, 0.45 / (1 / 4e4 + 1 / 22500.0) / 1e5, 1e-6);
    cr_assert_eq(ops_of("sink") + ops_of("sink_wind") + ops_of("sink_heat"), 3);
    session_close(&session);
}

/* In neutral air of uniform shear S, where what it makes of e is lost at once, K is (l S) l of Blackadar's l. */
Test(turbulence, a_mixing_length_is_that_of_neutral_shear)
{
    for (int n = 0; n < 2; n++) {
        char text[256];
        snprintf(text, sizeof text,
                 "&turbulence closure = '%s', cells = 'flat', mixing_length = 80, vertical = 'implicit' /\n",
                 n ? "smagorinsky" : "tke");
        open_case(text);
        double size[3], length[3];
        for (int k = 0; k < 3; k++) {
            const double z = 0.4 * (50 + 100 * k);
            size[k] = of_level(P_SIZE, k), length[k] = z / (1 + z / 80);
            cr_assert_float_eq(of_level(P_FLAT, k), pow(sqrt(200.0 * 150) / size[k], n ? 2 : 1), 1e-3);
        }
        const double highest = 0.4 * (session.in.grid->z_c[session.in.grid->nz - 1]);
        const double told = ((const struct dynamics_own *)session.in.own)->expected_diffusivity;
        cr_assert_float_eq(told, 0.3 * highest / (1 + highest / 80) / (n ? 0.18 : sqrt(0.1 / M_PI)) * 20 / 8,
                           1e-2 * told);
        const double flat = of_level(P_FLAT, 0);
        cr_assert_float_eq(of_level(P_MOST, 1), 0.45 / (flat * (1 / 4e4 + 1 / 22500.0)), 1e-3 * of_level(P_MOST, 1));
        session_close(&session);
        open_air(0);
        for (int k = 0; k < 3; k++) {
            shear_set(0.01, 0, size[k], 1);
            for (int t = 0; t < 4000 && !n; t++) tke_step(30);
            if (n) run(smagorinsky_run);
            cr_assert_float_eq(at(F_KM, 1, 1, 1), length[k] * length[k] * 0.01, 1e-3 * length[k] * length[k] * 0.01,
                               "K %g, of a length of %g m", at(F_KM, 1, 1, 1), length[k]);
        }
        air_free(&air);
    }
}

Test(turbulence, sizes_of_cells)
{
    open_case("&turbulence closure = 'tke' /");
    cr_assert_float_eq(of_level(P_SIZE, 3), cbrt(200.0 * 150 * 100), 1e-3);
    cr_assert_float_eq(of_level(P_FLAT, 3), 1, 1e-7);
    cr_assert_float_eq(of_level(P_MOST, 3), 0.45 / (1 / 4e4 + 1 / 22500.0 + 1e-4), 1e-2);
    const double limit = 0.45 / (1 / 4e4 + 1 / 22500.0 + 1e-4) / (0.3 * cbrt(200.0 * 150 * 100) * 20 / 8);
    double told = ((const struct dynamics_own *)session.in.own)->expected_diffusivity;
    cr_assert_float_eq(told, 0.3 * cbrt(200.0 * 150 * 100) * 20 / 8, 1e-3);
    session_close(&session);
    open_case("&turbulence closure = 'tke', cells = 'flat', expected_diffusivity = 1e5 /");
    cr_assert_float_eq(of_level(P_SIZE, 3), 100, 1e-3);
    cr_assert_float_eq(of_level(P_FLAT, 3), sqrt(200.0 * 150) / 100, 1e-5);
    cr_assert_float_eq(session.in.dt_limit, 0.45 / (sqrt(3.0) * (1 / 4e4 + 1 / 22500.0) + 1e-4) / 1e5, 1e-6, "%g",
                       session.in.dt_limit);
    cr_assert(limit > session.in.dt_limit);
    session_close(&session);
    open_case("&turbulence closure = 'smagorinsky', cells = 'flat' /");
    cr_assert_float_eq(of_level(P_FLAT, 3), 3, 1e-5);
    session_close(&session);
    /* 1 km wide, 100 m high. */
    open_case("&turbulence closure = 'tke' /\n&grid dx = 1000, dy = 1000 /");
    cr_assert_float_eq(of_level(P_SIZE, 0), 100, 1e-3);
    cr_assert_float_eq(of_level(P_FLAT, 0), 10, 1e-5);
    session_close(&session);
    open_case("&turbulence closure = 'tke', cells = 'cubes', mixing_length = 80 /\n&grid dx = 1000, dy = 1000 /");
    cr_assert_float_eq(of_level(P_SIZE, 0), cbrt(1e8), 1e-2);
    cr_assert_float_eq(of_level(P_FLAT, 0), 1, 1e-7);
    session_close(&session);
}
