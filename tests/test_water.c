/* Water by value: each stage on random air against formulas in double, written anew from their sources; saturation
 * against a bisection at constant density and energy; rest, and air in which nothing is to happen, to the bit.
 * SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "dynamics/water.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

enum { NI = 6, NJ = 4, NK = 8 };

static struct air air;
static const double Rd = 287, cp = 1004.5, cv = 717.5, T0 = 273.15, p00 = 1e5, g = 9.81;

/* What &water says, its defaults: es = at_zero exp(slope t / (t + beyond)), t in degrees Celsius; Kessler's rain. */
static double Rv = 461.5, cpv = 1870, cvv = 1408.5, cl = 4190, L0 = 2.501e6;
static double at_zero = 611.2, slope = 17.67, beyond = 243.5;
static double made_at = 1e-3, made_from = 1e-3, accretion = 2.2, fall_speed = 14.34, fall_power = 0.1346;

/* All of them others, for tests that call it before they open air. */
#define OTHER_NUMBERS                                                                                                  \
    ", saturation = 'tetens', vapour_gas_constant = 440, vapour_heat_capacity = 1950, liquid_heat_capacity = 4400, "   \
    "latent_heat = 2.4e6, autoconversion_rate = 4e-3, autoconversion_from = 3e-4, accretion_rate = 1.3, "              \
    "fall_speed = 9, fall_exponent = 0.2"
static void numbers_are_others(void)
{
    Rv = 440, cpv = 1950, cvv = 1510, cl = 4400, L0 = 2.4e6;
    at_zero = 610.78, slope = 17.27, beyond = 237.3;
    made_at = 4e-3, made_from = 3e-4, accretion = 1.3, fall_speed = 9, fall_power = 0.2;
}

#define FOR_CELLS                                                                                                      \
    for (int j = 0; j < NJ; j++)                                                                                       \
        for (int k = 0; k < NK; k++)                                                                                   \
            for (int i = 0; i < NI; i++)

static double at(int field, int i, int j, int k) { return (double)*air_at(&air, field, i, j, k); }
static double written(int field, int i, int j, int k) { return (double)*air_written(&air, field, i, j, k); }
static double level(int profile, int k) { return (double)air.s.f[profile][k]; }

/* Roundings of a formula: each puts in half a unit of what is largest in it; 24 are more than any of them has. */
static double tolerance(double scale) { return 12 * (sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON) * scale; }

static double excess_of(double qv, double qc, double qr) { return (1 + Rv / Rd * qv) / (1 + qv + qc + qr) - 1; }

static void fill(int field, double low, double high) { air_spread(&air, field, low, high); }

static void numbers_take(const char *water)
{
    char text[512];
    snprintf(text, sizeof text, "&dynamics gravity = 9.81 /\n&water %s /\n", water);
    air_numbers(&air, text);
}

/* A tropospheric column, with departures from it at random, humid and cloudy by turns. */
static void open_air(const char *water, int in_place)
{
    air_make(&air, NI, NJ, NK, in_place);
    numbers_take(water);
    for (int k = -AIR_GHOSTS; k < NK + AIR_GHOSTS; k++) {
        const double z = 1000 * (k + 0.5), theta = 300 + 4e-3 * z, pi = 1 - 3e-5 * z, qv = 0.014 * exp(-z / 3000);
        air.s.f[P_THA][k] = (real)theta, air.s.f[P_PI0][k] = (real)pi;
        air.s.f[P_QV0][k] = (real)qv, air.s.f[P_EXCESS][k] = (real)excess_of(qv, 0, 0);
        air.s.f[P_P0][k] = (real)(p00 * pow((double)air.s.f[P_PI0][k], cp / Rd));
        air.s.f[P_DEN0][k] = (real)(p00 / Rd * pow((double)air.s.f[P_PI0][k], cv / Rd));
        air.s.f[P_DPI0H][k] = (real)(-0.5 * g / (cp * theta)), air.s.f[P_RDZC][k] = (real)(1e-3 * (1 + 0.02 * k));
        air.s.f[P_BUOYM][k] = (real)(0.5 * g / theta), air.s.f[P_GZ][k] = (real)(g * z);
    }
    fill(F_TH, -5, 5), fill(F_PI, -4e-3, 4e-3);
    fill(F_U, -20, 20), fill(F_V, -20, 20), fill(F_W, -9, 9), fill(F_THR, -5, 5);
    fill(F_UT, -1, 1), fill(F_VT, -1, 1), fill(F_WT, -1, 1), fill(F_THT, -0.1, 0.1), fill(F_PIT, -1e-4, 1e-4);
    for (int f = F_QV; f <= F_QR_FAR; f++) fill(f, 0, 0.02);
}

static void run(stage_function *stage, double dt)
{
    static real work[1 << 16];
    const struct call c = {.dt = (real)dt, .ctx = &air.d, .work = work};
    stage(&air.s, air_box(&air, 0), &c);
}

/* ---- Runge-Kutta stages ---- */

static double before[F_QR_FAR + 1][NJ][NK][NI];
static void keep(void)
{
    for (int f = 0; f <= F_QR_FAR; f++)
        if (f <= F_THR || f >= F_Q) FOR_CELLS before[f][j][k][i] = at(f, i, j, k);
}

static double divergence(int i, int j, int k)
{
    return (at(F_U, i + 1, j, k) - at(F_U, i, j, k)) / 500 + (at(F_V, i, j + 1, k) - at(F_V, i, j, k)) / 400 +
           (at(F_W, i, j, k + 1) - at(F_W, i, j, k)) * level(P_RDZC, k);
}

/* theta_rho less that of the base state, and what Pi1 adds (water.h). */
static void stage_of_rho(const char *water, stage_function *stage, int qv_at)
{
    open_air(water, 0);
    keep();
    run(stage, 2);
    FOR_CELLS
    {
        const double th = before[F_TH][j][k][i], theta = level(P_THA, k) + th, qv = at(qv_at, i, j, k),
                     qc = at(qv_at + 3, i, j, k), qr = at(qv_at + 6, i, j, k);
        const double rho = theta * (1 + excess_of(qv, qc, qr)) - level(P_THA, k) * (1 + level(P_EXCESS, k));
        cr_assert_float_eq(at(F_THR, i, j, k), rho, tolerance(20) + 3e-13, "theta_rho' %.17g, not %.17g",
                           at(F_THR, i, j, k), rho);
        const double cpm = cp + cpv * qv + cl * (qc + qr), cvm = cv + cvv * qv + cl * (qc + qr);
        const double add =
            -(Rd / cp * cpm / cvm - Rd / cv) * (level(P_PI0, k) + before[F_PI][j][k][i]) * divergence(i, j, k);
        cr_assert_float_eq(at(F_PIT, i, j, k), before[F_PIT][j][k][i] + add, tolerance(2e-2), "pi_t %g, not %g",
                           at(F_PIT, i, j, k), before[F_PIT][j][k][i] + add);
        cr_assert_eq(at(F_WT, i, j, k), before[F_WT][j][k][i]);
    }
    air_free(&air);
}

Test(water, theta_rho_of_every_stage)
{
    stage_of_rho("scheme = 'kessler'", moist_first_run, F_QV);
    stage_of_rho("scheme = 'kessler'", moist_second_run, F_QV_NEAR);
    stage_of_rho("scheme = 'kessler'", moist_third_run, F_QV_FAR);
}
Test(water, theta_rho_of_other_numbers)
{
    numbers_are_others();
    stage_of_rho("scheme = 'kessler'" OTHER_NUMBERS, moist_first_run, F_QV);
}

/* The simple set has the pressure equation of dry air. */
Test(water, simple_set_leaves_pressure)
{
    open_air("scheme = 'kessler', equations = 'simple'", 0);
    keep();
    run(moist_second_run, 2);
    FOR_CELLS cr_assert_eq(at(F_PIT, i, j, k), before[F_PIT][j][k][i]);
    air_free(&air);
}

/* Of the levels from lift_k on. */
static void buoyancy_from(int lift_k)
{
    open_air("scheme = 'kessler'", 0);
    air.d.lift_k = lift_k;
    keep();
    run(moist_buoyancy_run, 4);
    FOR_CELLS
    {
        const double lift = level(P_BUOYM, k) * (at(F_THR, i, j, k) + at(F_THR, i, j, k - 1));
        cr_assert_float_eq(at(F_WT, i, j, k), before[F_WT][j][k][i] + (k < lift_k ? 0 : lift), tolerance(2));
    }
    air_free(&air);
}

Test(water, buoyancy_of_both_levels) { buoyancy_from(0), buoyancy_from(NK / 2), buoyancy_from(NK); }

/* A device makes what loops make one after the other in one stage, and then buoyancy, too, where nothing else comes
 * before it. */
static int ops_of(const struct instance *in, const char *name)
{
    int found = 0;
    for (int n = 0; n < in->nops; n++) found += !strcmp(in->model->stage[in->op[n].stage].name, name);
    return found;
}

static void program_check(const char *more)
{
    static struct session s;
    char text[512];
    snprintf(text, sizeof text,
             "&grid nx = 4, ny = 4, nz = 8, dx = 500, dy = 400, dz = 300 /\n&time duration = 1, dt = 1 /\n"
             "&base profile = 'weisman_klemp' /\n&water scheme = 'kessler' /\n%s\n",
             more);
    weather_open(&s, text);
    const struct dynamics *const d = s.in.ctx;
    const int is_one = s.in.device_room > 0 && !d->wide;
    cr_assert_eq(d->lift_k, is_one ? d->ray_k : 0, "%s: lift_k %d", more, d->lift_k);
    cr_assert_eq(ops_of(&s.in, "moist_first"), !is_one);
    cr_assert_eq(ops_of(&s.in, "moist_second") + ops_of(&s.in, "moist_third"), is_one ? 0 : 2);
    cr_assert_eq(ops_of(&s.in, "advmix_moist_first"), is_one);
    cr_assert_eq(ops_of(&s.in, "advmix") + ops_of(&s.in, "advmix_wide"), is_one ? 0 : 3);
    cr_assert_eq(ops_of(&s.in, "moist_buoyancy"), d->lift_k < d->nk ? 3 : 0);
    cr_assert_eq(ops_of(&s.in, "uv_moist") + ops_of(&s.in, "wpi_moist"), 14);
    session_close(&s);
}

Test(water, loops_make_water_behind_tendencies)
{
    program_check("");
    program_check("&dynamics rayleigh_depth = 900 /");
    program_check("&dynamics advection = 'upwind5' /");
}

/* -Theta1 theta div, of the div that changed pi' as it did: a pi' that is made with one div everywhere gives that back.
 * What was before the small steps is in the other bank. */
static void mean_divergence(const char *water)
{
    const double dt = 4;
    open_air(water, 0);
    keep();
    static double div[NJ][NK][NI];
    for (int j = 0; j < NJ; j++)
        for (int k = 0; k <= NK; k++)
            for (int i = 0; i < NI; i++) *air_written(&air, F_W, i, j, k) = (real)air_random(-9, 9);
    FOR_CELLS
    {
        div[j][k][i] = air_random(-5e-3, 5e-3);
        const double low = 0.5 * (at(F_W, i, j, k) + written(F_W, i, j, k)),
                     high = 0.5 * (at(F_W, i, j, k + 1) + written(F_W, i, j, k + 1));
        const double carried = level(P_DPI0H, k) * low + level(P_DPI0H, k + 1) * high;
        *air_written(&air, F_PI, i, j, k) =
            (real)(at(F_PI, i, j, k) + dt * (at(F_PIT, i, j, k) - carried - Rd / cv * level(P_PI0, k) * div[j][k][i]));
    }
    run(theta_moist_run, dt);
    FOR_CELLS
    {
        const double qv = at(F_QV, i, j, k), ql = at(F_QC, i, j, k) + at(F_QR, i, j, k);
        const double cpm = cp + cpv * qv + cl * ql, cvm = cv + cvv * qv + cl * ql, Rm = Rd + Rv * qv;
        const double want = before[F_TH][j][k][i] +
                            dt * (before[F_THT][j][k][i] - (Rm - Rd / cp * cpm) / cvm * level(P_THA, k) * div[j][k][i]);
        /* Theta1 theta / (R/cv) = 20 K times roundings of pi' */
        cr_assert_float_eq(written(F_TH, i, j, k), want, tolerance(6), "theta' %g, not %g", written(F_TH, i, j, k),
                           want);
    }
    air_free(&air);
}

Test(water, mean_divergence_of_a_stage) { mean_divergence("scheme = 'kessler'"); }
Test(water, mean_divergence_of_other_numbers)
{
    numbers_are_others();
    mean_divergence("scheme = 'kessler'" OTHER_NUMBERS);
}

/* ---- phase changes ---- */

static double saturated(double t, double p)
{
    const double es = fmin(at_zero * exp(slope * (t - T0) / (t - T0 + beyond)), p / 2);
    return Rd / Rv * es / (p - es);
}

/* d ln es / dT. */
static double steepness(double t) { return slope * beyond / ((t - T0 + beyond) * (t - T0 + beyond)); }

struct cell {
    double t, qv, qc, qr, rho, p;
};

static struct cell cell_at(int i, int j, int k)
{
    struct cell c = {.qv = at(F_QV, i, j, k), .qc = at(F_QC, i, j, k), .qr = at(F_QR, i, j, k)};
    const double theta = level(P_THA, k) + at(F_TH, i, j, k), pi = level(P_PI0, k) + at(F_PI, i, j, k);
    c.t = theta * pi, c.p = p00 * pow(pi, cp / Rd);
    c.rho = c.p / (Rd * c.t * (1 + Rv / Rd * c.qv));
    return c;
}

static double energy_of(struct cell c)
{
    return (cv + cvv * c.qv + cl * (c.qc + c.qr)) * c.t + (L0 - (cpv - cl) * T0) * c.qv;
}

/* What Kessler's cloud and rain become in dt before saturation, and the temperature with that. simple: at constant
 * pressure, with L / cp of dry air. */
static struct cell collided(int simple, struct cell c, double dt)
{
    const double made = fmin(dt * (made_at * fmax(c.qc - made_from, 0) + accretion * c.qc * pow(c.qr, 0.875)), c.qc);
    const double qs = saturated(c.t, c.p), drops = c.rho * c.qr, cvm = cv + cvv * c.qv + cl * (c.qc + c.qr);
    const double warm = simple ? L0 / cp : (L0 + (cpv - cl) * (c.t - T0) - Rv * c.t) / cvm;
    const double rises = steepness(c.t) - (simple ? 0 : 1 / c.t - Rv / (Rd + Rv * c.qv) / warm);
    const double lack = (qs - c.qv) / (1 + warm * qs * (1 + Rv / Rd * qs) * rises);
    const double rate = (1.6 + 30.3922 * pow(drops, 0.2046)) * (1 - c.qv / qs) * pow(drops, 0.525) /
                        ((2.03e4 + 9.584e6 / (qs * c.p)) * c.rho);
    const double lost = lack > 0 ? fmin(fmin(dt * rate, c.qr), lack) : 0;
    struct cell to = c;
    to.qc -= made, to.qr += made - lost, to.qv += lost;
    return to;
}

/* The state that has this energy, water and density, with vapour at saturation or without cloud. */
static struct cell settled(struct cell c, double energy)
{
    double low = -c.qc, high = c.qv; /* what condenses */
    for (int n = 0; n < 200; n++) {
        const double x = (low + high) / 2, qv = c.qv - x, ql = c.qc + c.qr + x;
        const double t = (energy - (L0 - (cpv - cl) * T0) * qv) / (cv + cvv * qv + cl * ql);
        if (qv > saturated(t, c.rho * (Rd + Rv * qv) * t)) low = x;
        else high = x;
    }
    c.qv -= high, c.qc += high;
    c.t = (energy - (L0 - (cpv - cl) * T0) * c.qv) / (cv + cvv * c.qv + cl * (c.qc + c.qr));
    c.p = c.rho * (Rd + Rv * c.qv) * c.t;
    return c;
}

/* Vapour from 80 to 105 % of saturation, cloud in every second cell, rain in two of three; some cells above saturation
 * have neither. */
static void wet_fill(void)
{
    int n = 0;
    FOR_CELLS
    {
        const struct cell c = cell_at(i, j, k);
        const double kind = air_random(0, 1);
        *air_at(&air, F_QV, i, j, k) =
            (real)(saturated(c.t, c.p) * (n % 2 || n % 3 == 0 ? air_random(0.97, 1.05) : air_random(0.8, 0.99)));
        *air_at(&air, F_QC, i, j, k) = n % 2 ? (real)air_random(0, 4e-3) : R(0.0);
        *air_at(&air, F_QR, i, j, k) = n % 3 ? (real)(kind * 4e-3) : R(0.0);
        n++;
    }
}

static void phase_changes(const char *water)
{
    const double dt = 8;
    open_air(water, 1);
    wet_fill();
    static struct cell c[NJ][NK][NI];
    FOR_CELLS c[j][k][i] = cell_at(i, j, k);
    run(water_run, dt);
    int cloudy = 0, rains = 0;
    FOR_CELLS
    {
        const struct cell was = c[j][k][i], is = cell_at(i, j, k),
                          wanted = settled(collided(0, was, dt), energy_of(was));
        /* Two Newton steps from 5 % beyond saturation or 20 % below leave less than 4e-4 K; roundings of T add 1e-4 K.
         */
        cr_assert_float_eq(is.t, wanted.t, 5e-4, "T %.7g, not %.7g", is.t, wanted.t);
        cr_assert_float_eq(is.qv, wanted.qv, 2e-7, "qv %.7g, not %.7g", is.qv, wanted.qv);
        cr_assert_float_eq(is.qc, wanted.qc, 2e-7);
        cr_assert_float_eq(is.qr, wanted.qr, 2e-9 + tolerance(8e-3), "qr %.9g, not %.9g", is.qr, wanted.qr);
        /* Water, energy and density stay, to rounding. */
        cr_assert_float_eq(is.qv + is.qc + is.qr, was.qv + was.qc + was.qr, tolerance(0.03));
        cr_assert_float_eq(is.rho, was.rho, tolerance(2.5));
        cr_assert_float_eq(energy_of(is), energy_of(was), fmin(tolerance(3e5), 1e-6 * energy_of(was)),
                           "energy %.9g, not %.9g", energy_of(is), energy_of(was));
        cr_assert(is.qv >= 0 && is.qc >= 0 && is.qr >= 0);
        cloudy += is.qc > 0, rains += is.qr > was.qr;
    }
    cr_assert(cloudy > NI * NJ * NK / 4 && rains > NI * NJ * NK / 8, "%d %d", cloudy, rains);
    air_free(&air);
}

Test(water, phase_changes_of_a_step) { phase_changes("scheme = 'kessler'"); }
Test(water, phase_changes_of_other_numbers) { numbers_are_others(), phase_changes("scheme = 'kessler'" OTHER_NUMBERS); }

/* Vapour at saturation, or no cloud, at the pressure that there is. */
static struct cell settled_simply(struct cell c)
{
    double low = -c.qc, high = c.qv;
    for (int n = 0; n < 200; n++) {
        const double x = (low + high) / 2;
        if (c.qv - x > saturated(c.t + L0 / cp * x, c.p)) low = x;
        else high = x;
    }
    c.qv -= high, c.qc += high, c.t += L0 / cp * high;
    return c;
}

/* Condensation at constant pressure with the heat L / cp of dry air. */
static void simple_changes(const char *water, int rains)
{
    open_air(water, 1);
    wet_fill();
    static struct cell c[NJ][NK][NI];
    FOR_CELLS c[j][k][i] = cell_at(i, j, k), before[F_PI][j][k][i] = at(F_PI, i, j, k);
    run(water_run, 8);
    int dries = 0;
    FOR_CELLS
    {
        const struct cell was = c[j][k][i], is = cell_at(i, j, k);
        struct cell then = rains ? collided(1, was, 8) : was;
        dries += then.qv > was.qv;
        then.t -= L0 / cp * (then.qv - was.qv);
        const struct cell wanted = settled_simply(then);
        const double warmer = L0 / cp * (was.qv - is.qv);
        cr_assert_eq(at(F_PI, i, j, k), before[F_PI][j][k][i]);
        cr_assert_float_eq(is.t - was.t, warmer, tolerance(300), "%g K, not %g", is.t - was.t, warmer);
        cr_assert_float_eq(is.t, wanted.t, 5e-4, "T %.7g, not %.7g", is.t, wanted.t);
        cr_assert_float_eq(is.qv, wanted.qv, 2e-7, "qv %.7g, not %.7g", is.qv, wanted.qv);
        cr_assert_float_eq(is.qc, wanted.qc, 2e-7, "qc %.7g, not %.7g", is.qc, wanted.qc);
        cr_assert_float_eq(is.qr, wanted.qr, rains ? 2e-9 + tolerance(8e-3) : 0, "qr %.9g, not %.9g", is.qr, wanted.qr);
    }
    cr_assert(rains ? dries > NI * NJ * NK / 8 : !dries, "%d", dries);
    air_free(&air);
}

Test(water, simple_phase_changes) { simple_changes("scheme = 'saturation', equations = 'simple'", 0); }
Test(water, simple_rain) { simple_changes("scheme = 'kessler', equations = 'simple'", 1); }
Test(water, simple_rain_of_other_numbers)
{
    numbers_are_others();
    simple_changes("scheme = 'kessler', equations = 'simple'" OTHER_NUMBERS, 1);
}

/* Of hot air of low pressure no more than half of the pressure is that of vapour. */
Test(water, hot_thin_air_is_half_vapour)
{
    numbers_take("scheme = 'kessler'");
    const struct dynamics *const d = &air.d;
    for (int n = 0; n < 40; n++) {
        const double t = 200 + 5 * n, p = 3e4;
        const double is = (double)water_saturated((real)t, (real)p, d->vapour_ratio, d->vapour_at_zero, d->vapour_slope,
                                                  d->zero_celsius, d->vapour_offset);
        cr_assert_float_eq(is, saturated(t, p), tolerance(30 * saturated(t, p)), "%g K: %.8g, not %.8g", t, is,
                           saturated(t, p));
    }
    cr_assert_float_eq(saturated(390, 3e4), Rd / Rv, 1e-12);
}

/* Air that is not saturated, without cloud and rain, stays as it is, to the bit. */
Test(water, nothing_happens_in_clear_air)
{
    open_air("scheme = 'kessler'", 1);
    FOR_CELLS
    {
        const struct cell c = cell_at(i, j, k);
        *air_at(&air, F_QV, i, j, k) = (real)(saturated(c.t, c.p) * air_random(0, 0.9999));
        *air_at(&air, F_QC, i, j, k) = *air_at(&air, F_QR, i, j, k) = R(0.0);
    }
    keep();
    run(rainfall_run, 10), run(water_run, 10);
    for (int f = 0; f <= F_QR_FAR; f++)
        if (f <= F_THR || f >= F_Q) FOR_CELLS cr_assert_eq(at(f, i, j, k), before[f][j][k][i], "field %d", f);
    air_free(&air);
}

/* ---- rain falls ---- */

static void rain_falls(const char *water)
{
    const double dt = 12;
    open_air(water, 1);
    FOR_CELLS *air_at(&air, F_QR, i, j, k) = k > 1 && k < NK - 1 ? (real)air_random(1e-4, 5e-3) : R(0.0);
    static struct cell c[NJ][NK][NI];
    FOR_CELLS c[j][k][i] = cell_at(i, j, k);
    static double rain[NJ][NI], taken[NJ][NI];
    for (int n = 0; n < 3; n++) {
        run(rainfall_run, dt);
        for (int j = 0; j < NJ; j++)
            for (int i = 0; i < NI; i++) {
                double flux = 0, above = 0;
                for (int k = NK - 1; k >= 0; k--) {
                    struct cell *const x = &c[j][k][i];
                    const double v =
                        x->qr > 1e-8 ? fall_speed * pow(x->rho * x->qr, fall_power) * sqrt(1.15 / x->rho) : above;
                    const double share = dt * level(P_RDZC, k);
                    const double was = x->qr;
                    x->qr = (x->rho * x->qr + share * flux) / (x->rho * (1 + share * v));
                    taken[j][i] += x->rho * (was - x->qr) / level(P_RDZC, k) * (cl * x->t + level(P_GZ, k));
                    flux = x->rho * v * x->qr, above = v;
                    cr_assert_float_eq(at(F_QR, i, j, k), x->qr, tolerance(2e-2), "qr %g, not %g", at(F_QR, i, j, k),
                                       x->qr);
                }
                rain[j][i] += dt * flux;
                const double ground = (double)air.s.f[F_RAIN][j * air.s.sm + i];
                cr_assert_float_eq(ground, rain[j][i], 1e-6 * (1 + rain[j][i]), "rain %g, not %g", ground, rain[j][i]);
                cr_assert_float_eq((double)air.s.f[F_RAIN_RATE][j * air.s.sm + i], flux, tolerance(1));
                const double energy = (double)air.s.f[F_RAIN_ENERGY][j * air.s.sm + i];
                cr_assert_float_eq(energy, taken[j][i], tolerance(1e8), "%g J/m2, not %g", energy, taken[j][i]);
            }
    }
    cr_assert_gt(rain[1][1], 1e-4);
    air_free(&air);
}

Test(water, rain_falls_by_backward_euler) { rain_falls("scheme = 'kessler'"); }
Test(water, rain_of_other_numbers_falls) { numbers_are_others(), rain_falls("scheme = 'kessler'" OTHER_NUMBERS); }

/* Sums of many small amounts: what is rounded away is carried. */
Test(water, rain_of_many_steps_is_not_lost)
{
    enum { STEPS = 20000 };
    open_air("scheme = 'kessler'", 1);
    double sum = 0, energy = 0;
    const double each = cl * cell_at(2, 0, 0).t + level(P_GZ, 0);
    for (int n = 0; n < STEPS; n++) {
        FOR_CELLS *air_at(&air, F_QR, i, j, k) = k ? R(0.0) : R(1.7e-3);
        run(rainfall_run, 0.5);
        sum += 0.5 * (double)air.s.f[F_RAIN_RATE][2];
        energy += 0.5 * (double)air.s.f[F_RAIN_RATE][2] * each;
    }
    const double taken = (double)air.s.f[F_RAIN_ENERGY][2];
    cr_assert_float_eq(taken, energy, 3e-6 * energy, "%.9g, not %.9g", taken, energy);
    cr_assert_float_eq((double)air.s.f[F_RAIN][2], sum, 3e-7 * sum, "%.9g, not %.9g", (double)air.s.f[F_RAIN][2], sum);
    air_free(&air);
}

/* ---- whole steps ---- */

static struct session session;

/* Rain on the ground, mm, after 1200 s, of a shaft of 4 g/kg at 6 km, a Gaussian of 1 km, in air of 1.15 kg/m3 exp(-z /
 * 9 km): the stage's scheme in double, in air that stays where it is. */
static double shaft_still(double dz, double dt)
{
    enum { MOST = 960 };
    static double rho[MOST], qr[MOST];
    const int n = (int)(12000 / dz);
    double rain = 0;
    for (int k = 0; k < n; k++) {
        const double z = (k + 0.5) * dz;
        rho[k] = 1.15 * exp(-z / 9000), qr[k] = 4e-3 * exp(-(z - 6000) * (z - 6000) / 1e6);
    }
    for (int step = 0; step < lround(1200 / dt); step++) {
        double flux = 0, above = 0;
        for (int k = n - 1; k >= 0; k--) {
            const double v = qr[k] > 1e-8 ? 14.34 * pow(rho[k] * qr[k], 0.1346) * sqrt(1.15 / rho[k]) : above;
            qr[k] = (rho[k] * qr[k] + dt / dz * flux) / (rho[k] * (1 + dt / dz * v));
            flux = rho[k] * v * qr[k], above = v;
        }
        rain += dt * flux;
    }
    return rain;
}

/* The program's step in that air, isothermal and so cold that vapour is of no account. */
static double shaft_run(double dt)
{
    char text[1024];
    snprintf(text, sizeof text,
             "&grid nx = 1, ny = 1, nz = 48, dx = 2000, dy = 2000, dz = 250 /\n&time duration = 1200, dt = %g /\n"
             "&dynamics gravity = %.17g, mixing = 'off', hold_water = 'off' /\n&water scheme = 'kessler' /\n"
             "&base profile = 'isothermal', temperature = 200, surface_pressure = %.17g, relative_humidity = 1 /\n"
             "&initial shape = 'gaussian', variable = 'rain', amplitude = 4e-3, z = 6000, radius_z = 1000 /\n",
             dt, Rd * 200 / 9000, 1.15 * Rd * 200);
    weather_open(&session, text);
    cr_assert_eq(session_advance(&session, session_steps_left(&session)), SF_OK);
    const double rain = (double)*state_line(&session.state, F_RAIN, 0, 0);
    session_close(&session);
    return rain;
}

/* Figures of the scheme on these levels, of another program; its error is of first order in time, and a twentieth of
 * the level has what finer ones come to. */
Test(water, a_shaft_of_rain)
{
    static const double step[] = {3, 6, 12}, other[] = {3.635, 3.615, 3.575};
    double still[3];
    for (int n = 0; n < 3; n++) {
        still[n] = shaft_still(250, step[n]);
        cr_assert_float_eq(still[n], other[n], 1e-3, "%g mm of %g s, not %g", still[n], step[n], other[n]);
        /* The weight of rain moves the air by 0.1 m/s, to and fro, where rain falls with 7. */
        const double rain = shaft_run(step[n]);
        cr_assert_float_eq(rain, still[n], 1.5e-3, "%g mm of %g s, not %g", rain, step[n], still[n]);
    }
    const double order = log2((still[2] - still[1]) / (still[1] - still[0]));
    cr_assert(order > 0.95 && order < 1.05, "order %g", order);
    const double fine = shaft_still(12.5, 0.15), finer = 2 * fine - shaft_still(25, 0.3);
    cr_assert_float_eq(finer, 3.978, 5e-3, "%g mm, limit %g", fine, finer);
}

/* Moist air at rest is in discrete balance: nothing moves, to the bit. */
Test(water, moist_air_at_rest_stays)
{
    weather_open(&session,
                 "&grid nx = 6, ny = 4, nz = 20, dx = 1000, dy = 1000, dz = 500 /\n&time duration = 40, dt = 2 /\n"
                 "&water scheme = 'kessler' /\n&base profile = 'weisman_klemp' /\n");
    cr_assert_eq(session_advance(&session, 20), SF_OK);
    const struct dynamics_own *const own = session.in.own;
    for (int j = 0; j < 4; j++)
        for (int k = 0; k < 20; k++)
            for (int i = 0; i < 6; i++) {
                for (int f = F_U; f <= F_PI; f++)
                    cr_assert_eq(*weather_at(&session, f, i, j, k), R(0.0), "field %d is %g", f,
                                 (double)*weather_at(&session, f, i, j, k));
                cr_assert_eq(*weather_at(&session, F_QV, i, j, k), (real)own->base.qv[k]);
                cr_assert_eq(*weather_at(&session, F_QC, i, j, k), R(0.0));
            }
    session_close(&session);
}

/* What enters through an open side has the vapour of the base state: in a wind that is the same everywhere it stays. */
Test(water, vapour_enters_as_that_of_the_base_state)
{
    weather_open(&session,
                 "&grid nx = 8, ny = 8, nz = 12, dx = 1000, dy = 1000, dz = 500 /\n&time duration = 400, dt = 2 /\n"
                 "&dynamics mixing = 'fourth', tracers = 1 /\n"
                 "&water scheme = 'kessler' /\n&base profile = 'weisman_klemp', wind = 'constant', wind_u = 20, "
                 "wind_v = -15 /\n&boundary west = 'open', east = 'open', south = 'open', north = 'open', "
                 "tracer_inflow = 0.25 /\n");
    cr_assert_eq(session_advance(&session, 200), SF_OK);
    const struct dynamics_own *const own = session.in.own;
    for (int k = 0; k < 12; k++) {
        /* vapour stays to the bit; of the other tracer 8 km of air entered in the time */
        cr_assert_eq(*weather_at(&session, F_QV, 3, 4, k), (real)own->base.qv[k]);
        cr_assert_eq(*weather_at(&session, F_QV, 0, 7, k), (real)own->base.qv[k]);
        cr_assert_float_eq((double)*weather_at(&session, F_Q + F_FAMILY * SPECIES, 0, 7, k), 0.25, 1e-4);
        cr_assert_eq(*weather_at(&session, F_QR, 0, 7, k), R(0.0));
    }
    session_close(&session);
}

/* And the cloud, where that has one: air in cloud stays in cloud. */
Test(water, cloud_enters_as_that_of_the_base_state)
{
    weather_open(
        &session,
        "&grid nx = 8, ny = 8, nz = 10, dx = 1000, dy = 1000, dz = 300 /\n&time duration = 400, dt = 2 /\n"
        "&water scheme = 'saturation' /\n&base profile = 'saturated', wind = 'constant', wind_u = 20, wind_v = -15 /\n"
        "&boundary west = 'open', east = 'open', south = 'open', north = 'open' /\n");
    cr_assert_eq(session_advance(&session, 200), SF_OK);
    const struct dynamics_own *const own = session.in.own;
    for (int k = 0; k < 10; k++)
        for (int n = 0; n < 2; n++) /* what is rounded at saturation moves the air by little */
            cr_assert_float_eq((double)*weather_at(&session, F_QC, n ? 0 : 4, n ? 7 : 4, k), own->base.qc[k], 1e-4,
                               "cloud %g at level %d, not %g",
                               (double)*weather_at(&session, F_QC, n ? 0 : 4, n ? 7 : 4, k), k, own->base.qc[k]);
    session_close(&session);
}

/* Saturated air that is made lighter: theta_rho as wanted, all its water there, vapour at saturation. */
Test(water, buoyancy_of_saturated_air)
{
    weather_open(&session,
                 "&grid nx = 10, ny = 1, nz = 10, dx = 500, dy = 500, dz = 500 /\n&time duration = 1, dt = 1 /\n"
                 "&water scheme = 'saturation' /\n&base profile = 'saturated' /\n"
                 "&initial shape = 'cosine_squared', variable = 'buoyancy', amplitude = 2, x = 2750, z = 2250, "
                 "radius_x = 2000, radius_z = 2000 /\n");
    const struct dynamics_own *const own = session.in.own;
    for (int k = 0; k < 10; k++) {
        const double theta = own->base.theta[k] + (double)*weather_at(&session, F_TH, 5, 0, k),
                     qv = (double)*weather_at(&session, F_QV, 5, 0, k),
                     qc = (double)*weather_at(&session, F_QC, 5, 0, k), pi = own->base.pi0[k];
        const double L = fabs(500 * (k + 0.5) - 2250) / 2000, form = L < 1 ? pow(cos(acos(0.0) * L), 2) : 0;
        cr_assert_float_eq(theta * (1 + excess_of(qv, qc, 0)), own->base.theta0[k] * (1 + 2 * form / 300),
                           tolerance(300));
        cr_assert_float_eq(qv + qc, 0.02, tolerance(0.02));
        cr_assert_float_eq(qv, saturated(theta * pi, p00 * pow(pi, cp / Rd)), 1e-6 * qv + tolerance(0.02));
    }
    session_close(&session);
}

/* Vapour, cloud and rain that perturbations give, by value: less than none is none. */
Test(water, perturbations_of_species)
{
    weather_open(
        &session,
        "&grid nx = 6, ny = 1, nz = 8, dx = 500, dy = 500, dz = 500 /\n&time duration = 1, dt = 1 /\n"
        "&water scheme = 'kessler' /\n&base profile = 'constant_n', relative_humidity = 0.3 /\n"
        "&initial shape = 'cosine', variable = 'vapour', amplitude = 1e-3, x = 1750, z = 2250, radius_x = 1500, radius_z = 1500 /\n"
        "&initial shape = 'cosine', variable = 'cloud', amplitude = 2e-3, x = 1750, z = 2250, radius_x = 1500, radius_z = 1500 /\n"
        "&initial shape = 'cosine', variable = 'rain', amplitude = 3e-3, x = 1750, z = 2250, radius_x = 1500, radius_z = 1500 /\n"
        "&initial shape = 'cosine', variable = 'rain', amplitude = -9e-3, x = 1750, z = 3750, radius_x = 1500, radius_z = 700 /\n");
    const struct dynamics_own *const own = session.in.own;
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 6; i++) {
            const double x = 500 * (i + 0.5) - 1750, z = 500 * (k + 0.5), L = hypot(x / 1500, (z - 2250) / 1500),
                         M = hypot(x / 1500, (z - 3750) / 700), pi_number = 2 * acos(0.0);
            const double form = L < 1 ? 0.5 * (1 + cos(pi_number * L)) : 0,
                         less = M < 1 ? 0.5 * (1 + cos(pi_number * M)) : 0;
            cr_assert_float_eq((double)*weather_at(&session, F_QV, i, 0, k), own->base.qv[k] + 1e-3 * form,
                               tolerance(0.02));
            cr_assert_float_eq((double)*weather_at(&session, F_QC, i, 0, k), 2e-3 * form, tolerance(2e-3));
            cr_assert_float_eq((double)*weather_at(&session, F_QR, i, 0, k), fmax(3e-3 * form - 9e-3 * less, 0),
                               tolerance(9e-3));
        }
    session_close(&session);
}
