/* The surface layer by value: zeta against a bisection in double, over all that it is made for; the stages against
 * formulas written anew, for every kind of ground; the log law; an Ekman spiral; and what the keys say.
 * SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "dynamics/surface.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const double karman = 0.4, g = 9.81, cp = 1004.5, Rv = 461.5, Rd = 287, rcv = 0.4, cv = cp - Rd, p00 = 1e5;
static const double cvv = 1408.5, cl = 4190, L0 = 3.1e6;

/* ---- in double: phi by its formula, psi by integrating (1 - phi) / zeta ---- */

static double phi(int heat, double x)
{
    if (x < 0) return pow(1 + (heat ? 7.9 : 3.6) * pow(-x, 2.0 / 3), -0.5);
    const double tail = 2.0 / 3 * exp(-0.35 * x) * (1 + 5 - 0.35 * x);
    return 1 + x * ((heat ? sqrt(1 + 2 * x / 3) : 1) + tail);
}

/* The integral of phi / zeta from zeta z0/z to zeta: of ln, so that no end of it is singular. Simpson's rule. */
static double profile(int heat, double share, double x)
{
    enum { STEPS = 2000 };
    const double width = -log(share) / STEPS;
    double sum = 0;
    for (int n = 0; n <= STEPS; n++)
        sum += (n == 0 || n == STEPS ? 1 : n & 1 ? 4 : 2) * phi(heat, x * share * exp(n * width));
    return sum * width / 3;
}

Test(surface, profiles_are_integrals_of_phi)
{
    for (int heat = 0; heat < 2; heat++)
        for (double x = -40; x < 6; x += x < -1 ? 3.3 : 0.37) {
            const struct surface_rough r = surface_rough(R(10.0), R(0.02));
            const double is = (double)surface_profile(heat, r, (real)x), wanted = profile(heat, 0.002, x);
            cr_assert_float_eq(is, wanted, 1e-5 * (1 + fabs(wanted)), "%d, zeta %g: %g, not %g", heat, x, is, wanted);
            cr_assert_float_eq((double)surface_turn(heat, r, (real)x), phi(heat, x) - phi(heat, 0.002 * x),
                               2e-5 * phi(heat, x));
        }
}

/* By closed forms, which the test above holds to integrals; bisection. */
static double psi(int heat, double x)
{
    if (x < 0) return 3 * log((1 + 1 / phi(heat, x)) / 2);
    const double tail = 2.0 / 3 * (x - 5 / 0.35) * exp(-0.35 * x) + 2.0 / 3 * 5 / 0.35;
    return -((heat ? pow(1 + 2 * x / 3, 1.5) - 1 : x) + tail);
}

static double closed(int heat, double z, double z0, double x)
{
    return log(z / z0) - psi(heat, x) + psi(heat, x * z0 / z);
}

static double bulk_exact(double ri, double z, double z0, double z0h)
{
    double low = ri < 0 ? -1e5 : 0, high = ri < 0 ? 0 : 1e5;
    for (int n = 0; n < 200; n++) {
        const double x = (low + high) / 2, m = closed(0, z, z0, x), is = x * closed(1, z, z0h, x) / (m * m);
        if (is < ri) low = x;
        else high = x;
    }
    return (low + high) / 2;
}

static const double rough[][3] = {{10, 0.1, 0.1},  {10, 0.1, 0.01},  {10, 1e-4, 1e-4},
                                  {25, 0.5, 0.05}, {10, 2e-4, 2e-5}, {5, 0.03, 0.003}};
enum { ROUGH = (int)(sizeof rough / sizeof rough[0]) };

Test(surface, zeta_of_a_bulk_number)
{
    double worst = 0;
    for (int n = 0; n < ROUGH; n++)
        for (int m = 0; m < 120; m++) {
            const double *const r = rough[n], ri = m < 80 ? -10 * pow(10, -m / 16.0) : (m - 79) * 0.35 / 40;
            const double exact = bulk_exact(ri, r[0], r[1], r[2]);
            const double x = (double)surface_from_bulk((real)ri, surface_rough((real)r[0], (real)r[1]),
                                                       surface_rough((real)r[0], (real)r[2]));
            const double is = pow(closed(0, r[0], r[1], x), -2), wanted = pow(closed(0, r[0], r[1], exact), -2);
            worst = fmax(worst, fabs(is / wanted - 1));
            cr_assert(fabs(is / wanted - 1) < 1e-4, "z0 %g, Ri %g: C_D %g, not %g", r[1], ri, is, wanted);
        }
    cr_assert(worst > 1e-9 && worst < (sizeof(real) == 8 ? 2e-5 : 1e-4), "%g", worst);
}

static double flux_exact(double wind, double b, double z, double z0)
{
    double low = 1e-4, high = 20;
    for (int n = 0; n < 200; n++) {
        const double u = (low + high) / 2, is = u * closed(0, z, z0, -karman * z * b / (u * u * u));
        if (is < karman * wind) low = u;
        else high = u;
    }
    return low;
}

Test(surface, friction_of_a_flux)
{
    for (int n = 0; n < ROUGH; n++)
        for (int m = 0; m < 40; m++) {
            const double *const r = rough[n], b = pow(10, -5 + m / 13.0);
            for (int k = 0; k < 4; k++) {
                const double wind = 0.1 * pow(6, k), exact = flux_exact(wind, b, r[0], r[1]);
                const double u =
                    (double)surface_from_flux((real)wind, (real)b, (real)r[0], surface_rough((real)r[0], (real)r[1]));
                cr_assert(fabs(u * u / (exact * exact) - 1) < 1e-4, "wind %g, B %g: %g, not %g", wind, b, u, exact);
            }
        }
    /* Stable, with a wind that has such a flux. */
    const double exact = flux_exact(5, -2e-4, 10, 0.1);
    cr_assert_float_eq((double)surface_from_flux(5, R(-2e-4), 10, surface_rough(10, R(0.1))), exact, 1e-4 * exact);
    /* None has: between a tenth of that of neutral air and that. */
    const double most = karman / log(100), none = (double)surface_from_flux(1, R(-1.0), 10, surface_rough(10, R(0.1)));
    cr_assert(none > 0.099 * most && none < 1.001 * most, "%g", none);
}

/* ---- the stages ---- */

enum { NI = 5, NJ = 4, NK = 3 };
static struct air air;

static double at(int f, int i, int j) { return (double)*air_at(&air, f, i, j, 0); }
static double *map_value(int f, int i, int j)
{
    static double value;
    value = (double)air.s.f[f][j * air.s.sm + i];
    return &value;
}
static double map(int f, int i, int j) { return *map_value(f, i, j); }

static void fill(int f, double low, double high) { air_spread(&air, f, low, high); }

static struct surface_numbers numbers(int drag, int heat)
{
    struct surface_numbers n = {.drag = drag, .heat = heat, .height = 12, .roughness_heat = R(0.01)};
    n.coefficient = R(2e-3), n.friction = R(0.28), n.viscosity = 3;
    n.temperature = 295, n.rate = -1e-4, n.pressure = 99000, n.exner = R(0.997), n.exner_down = R(3e-4);
    n.translation[0] = 3, n.translation[1] = -2;
    if (heat == HEAT_FLUX) n.flux = R(0.06), n.vapour = R(5e-5);
    return n;
}

static void open_air(int drag, int heat, int wet)
{
    air_make(&air, NI, NJ, NK, 1);
    struct dynamics *const d = &air.d;
    d->surface = numbers(drag, heat);
    if (!wet) d->surface.vapour = 0;
    d->exner_density = (real)(cv / Rd);
    d->heat_dry = (real)cv, d->heat_vapour = (real)cvv, d->heat_liquid = (real)cl, d->latent_0 = (real)L0;
    d->gravity = (real)g, d->cp = (real)cp, d->rcv = (real)rcv, d->vapour_ratio = (real)(Rv / Rd),
    d->species = wet ? SPECIES : 0;
    d->vapour_at_zero = R(611.2), d->vapour_slope = R(17.67), d->zero_celsius = R(273.15), d->vapour_offset = R(29.65);
    for (int k = -1; k <= NK; k++) {
        air.s.f[P_THA][k] = 294, air.s.f[P_PI0][k] = R(0.996), air.s.f[P_RHOF][k] = R(1.2);
        air.s.f[P_ADZC][k] = (real)(2.0 / 3 / (1.15 * 24)), air.s.f[P_RDZC][k] = (real)(1.0 / 24);
        air.s.f[P_DEN0][k] = (real)(p00 * pow(0.996, cv / Rd) / Rd), air.s.f[P_GZ][k] = 512;
    }
    fill(F_U, -8, 2), fill(F_V, -3, 6), fill(F_TH, -3, 3), fill(F_PI, -1e-3, 1e-3), fill(F_QV, 0.002, 0.012);
    fill(F_QC, 0, 1e-3), fill(F_QR, 0, 1e-3);
    for (int f = F_TRANSFER; f <= F_WIND10M; f++) /* of maps the first level holds the rows */
        for (int j = -1; j <= NJ; j++)
            for (int i = -1; i <= NI; i++) air.s.f[f][j * air.s.sm + i] = (real)air_random(0.1, 0.4);
    for (int j = -1; j <= NJ; j++)
        for (int i = -1; i <= NI; i++) {
            const ptrdiff_t at = j * air.s.sm + i;
            air.s.f[F_GROUND_WARMER][at] = 0, air.s.f[F_WETNESS][at] = R(0.6), air.s.f[F_ROUGHNESS][at] = R(0.05);
        }
}

/* A third of the columns are sea. */
static void uneven_ground(void)
{
    for (int j = 0; j < NJ; j++)
        for (int i = 0; i < NI; i++) {
            const ptrdiff_t at = j * air.s.sm + i;
            air.s.f[F_GROUND_WARMER][at] = (real)air_random(-2, 2), air.s.f[F_WETNESS][at] = (real)air_random(0.1, 1);
            air.s.f[F_ROUGHNESS][at] = (i + j) % 3 ? (real)air_random(0.02, 0.5) : R(0.0);
        }
}

static void run(stage_function *stage)
{
    const struct call c = {.dt = 2, .time = 1800, .ctx = &air.d};
    stage(&air.s, air_box(&air, 0), &c);
}

/* away: of a difference of temperatures of 300 K, or humidities, that rounding may leave. */
static double away = 1e-12;
static void near(double is, double wanted, double tolerance, const char *what)
{
    cr_assert_float_eq(is, wanted, tolerance * fabs(wanted) + away, "%s: %.10g, not %.10g", what, is, wanted);
}

/* u_star, what scalars are taken by, zeta: of a wind, virtual temperatures over that of the air, a flux of buoyancy. */
static void pull(const struct surface_numbers *n, double rough, double wind, double ri, double b, double before,
                 double *u, double *heat)
{
    const double z = 12, sea = 0.011 * before * before / g + 0.11 * 1.5e-5 / before,
                 z0 = n->drag == DRAG_SEA || !(rough > 0) ? sea : rough,
                 z0h = (double)n->roughness_heat > 0 && (n->drag != DRAG_ROUGHNESS || rough > 0)
                           ? (double)n->roughness_heat
                           : z0;
    switch ((enum drag)n->drag) {
    case DRAG_NONE:
        return;
    case DRAG_NO_SLIP:
        *heat = 3 / z, *u = sqrt(*heat * wind);
        return;
    case DRAG_COEFFICIENT:
        *heat = 2e-3 * wind, *u = sqrt(*heat * wind);
        return;
    case DRAG_FRICTION:
        *u = 0.28, *heat = karman * *u / log(z / z0h);
        return;
    case DRAG_ROUGHNESS:
    case DRAG_SEA:
        break;
    }
    if (n->heat == HEAT_TEMPERATURE) {
        const double x = bulk_exact(ri, z, z0, z0h);
        *u = karman * wind / closed(0, z, z0, x), *heat = karman * *u / closed(1, z, z0h, x);
    } else *u = flux_exact(wind, b, z, z0);
}

static void surface_by_value(int drag, int heat, int wet)
{
    open_air(drag, heat, wet);
    uneven_ground();
    if (drag == DRAG_SEA) air.d.surface.roughness_heat = 0;
    const struct surface_numbers *const n = &air.d.surface;
    double before[NJ][NI];
    for (int j = 0; j < NJ; j++)
        for (int i = 0; i < NI; i++) before[j][i] = map(F_USTAR, i, j);
    run(wet ? surface_wet_run : surface_run);
    const double light = Rv / Rd - 1;
    for (int j = 0; j < NJ; j++)
        for (int i = 0; i < NI; i++) {
            const double skin = 294.82 + map(F_GROUND_WARMER, i, j), ground = skin / 0.997,
                         es = 611.2 * exp(17.67 * (skin - 273.15) / (skin - 29.65)), full = Rd / Rv * es / (99000 - es),
                         wetness = map(F_WETNESS, i, j);
            const double u = (at(F_U, i, j) + at(F_U, i + 1, j)) / 2 + 3,
                         v = (at(F_V, i, j) + at(F_V, i, j + 1)) / 2 - 2;
            const double wind = fmax(hypot(u, v), 0.1), theta = 294 + at(F_TH, i, j), qv = wet ? at(F_QV, i, j) : 0;
            const double tv = theta * (1 + light * qv),
                         there = ground * (1 + light * (wet ? qv + wetness * (full - qv) : 0));
            double q = heat == HEAT_FLUX ? 0.06 : 0, e = heat == HEAT_FLUX && wet ? 5e-5 : 0, ustar = 0, taken = 0;
            pull(n, map(F_ROUGHNESS, i, j), wind, g * 12 * (tv - there) / (tv * wind * wind),
                 g / tv * (q * (1 + light * qv) + light * theta * e), before[j][i], &ustar, &taken);
            if (heat == HEAT_TEMPERATURE) { /* what is there at the end of a step of 2 s in a level of 24 m */
                const double share = 1.2 * 2 / (1.15 * 24), moist = wetness * taken;
                q = taken * (ground - theta) / (1 + share * taken);
                e = wet ? moist * (full - qv) / (1 + share * moist) : 0;
            }
            const double b = g / tv * (q * (1 + light * qv) + light * theta * e), pi = 0.996 + at(F_PI, i, j);
            const double inverse = ustar > 0 ? -karman * b / pow(ustar, 3) : 0;
            cr_assert(drag == DRAG_NONE ? !(map(F_USTAR, i, j) > 0) : fabs(map(F_USTAR, i, j) / ustar - 1) < 1e-4,
                      "drag %d heat %d wet %d wind %g: %g, not %g", drag, heat, wet, wind, map(F_USTAR, i, j), ustar);
            near(map(F_TRANSFER, i, j), ustar * ustar / wind, 2e-4, "transfer");
            if (heat == HEAT_TEMPERATURE) near(map(F_SKIN, i, j), skin, 1e-6, "temperature of the ground");
            away = 1e-4 * taken, near(map(F_THETA_FLUX, i, j), q, 3e-4, "flux of theta");
            away = 1e-5, near(map(F_INVERSE_L, i, j), inverse, 6e-4, "1/L");
            away = 0.12 * taken;
            near(map(F_SENSIBLE, i, j), 1.2 * cp * pi * q, 3e-4, "heat");
            away = 1e-8, near(map(F_EVAPORATION, i, j), 1.2 * e / (1 + qv), 3e-4, "vapour");
            away = 1e-5;
            if (drag == DRAG_NO_SLIP || drag == DRAG_NONE) continue;
            const double x = 12 * inverse, down = log(12 / 10.) - psi(0, x) + psi(0, 10 * inverse),
                         warm = theta + q / (karman * ustar) * (log(6) - psi(1, x) + psi(1, 2 * inverse));
            near(map(F_WIND10M, i, j), fmax(0, wind - ustar / karman * down), 1e-4, "wind at 10 m");
            const double held =
                heat == HEAT_TEMPERATURE ? fmin(fmax(warm, fmin(ground, theta)), fmax(ground, theta)) : warm;
            near(map(F_T2M, i, j), held * (pi + 3e-4), 1e-5, "temperature at 2 m");
            double damp = qv + e / (karman * ustar) * (log(6) - psi(1, x) + psi(1, 2 * inverse));
            if (warm > theta || warm < theta) damp = qv + (damp - qv) * (held - theta) / (warm - theta);
            const double evaporates = qv + wetness * (full - qv);
            if (heat == HEAT_TEMPERATURE) damp = fmin(fmax(damp, fmin(qv, evaporates)), fmax(qv, evaporates));
            if (wet) away = 1e-7, near(map(F_QV2M, i, j), fmax(0, damp), 1e-4, "vapour at 2 m"), away = 1e-5;
        }
    air_free(&air);
}

Test(surface, every_ground_by_value)
{
    surface_by_value(DRAG_NONE, HEAT_FLUX, 1), surface_by_value(DRAG_NONE, HEAT_FLUX, 0);
    for (int drag = DRAG_ROUGHNESS; drag <= DRAG_NO_SLIP; drag++)
        for (int heat = HEAT_NONE; heat <= HEAT_TEMPERATURE; heat++)
            surface_by_value(drag, heat, 1), surface_by_value(drag, heat, 0);
}

/* T at 2 m of every column, of air that is warmer than the ground or loses heat to it, under a wind of `wind`. */
static void still_air(int drag, int heat, double wind)
{
    open_air(drag, heat, 0);
    struct surface_numbers *const n = &air.d.surface;
    n->translation[0] = n->translation[1] = 0;
    fill(F_U, wind, wind), fill(F_V, 0, 0), fill(F_TH, 0, 6);
    if (heat == HEAT_FLUX) n->flux = R(-0.1);
    else n->temperature = 280;
    run(surface_run);
}

/* A flux that no wind as weak can carry: no profile has it, and what Newton's steps leave would be colder by thousands
 * of kelvins. */
Test(surface, two_metres_under_a_flux_beyond_the_wind)
{
    still_air(DRAG_ROUGHNESS, HEAT_FLUX, 0.5);
    for (int j = 0; j < NJ; j++)
        for (int i = 0; i < NI; i++) {
            const double theta = 294 + at(F_TH, i, j), pi = 0.996 + at(F_PI, i, j);
            const double neutral = karman * 0.5 / log(12 / 0.05), u = map(F_USTAR, i, j);
            cr_assert(u > 0.0999 * neutral && u < 1.0001 * neutral, "%g of %g", u, neutral);
            near(map(F_T2M, i, j), (theta - theta * 0.25 / (g * 12)) * (pi + 3e-4), 1e-6, "temperature at 2 m");
        }
    air_free(&air);
    still_air(DRAG_FRICTION, HEAT_FLUX, 0.5); /* a friction velocity that is given stands for more wind */
    for (int i = 0; i < NI; i++) {
        const double theta = 294 + at(F_TH, i, 0), x = karman * 12 * g * 0.1 / (theta * pow(0.28, 3));
        const double warm = theta - 0.1 / (karman * 0.28) * (log(6) - psi(1, x) + psi(1, x / 6)),
                     bound = theta * 0.49 / (g * 12);
        cr_assert(warm < theta - bound, "the bound is not met");
        near(map(F_T2M, i, 0), (theta - bound) * (0.9963 + at(F_PI, i, 0)), 1e-6, "temperature at 2 m");
    }
    air_free(&air);
    still_air(DRAG_ROUGHNESS, HEAT_FLUX, 8); /* of a wind that carries it, as it is */
    for (int i = 0; i < NI; i++) {
        const double theta = 294 + at(F_TH, i, 0), u = flux_exact(8, -0.1 * g / theta, 12, 0.05),
                     x = karman * 12 * g * 0.1 / (theta * pow(u, 3)),
                     warm = theta - 0.1 / (karman * u) * (log(6) - psi(1, x) + psi(1, x / 6));
        near(map(F_T2M, i, 0), warm * (0.9963 + at(F_PI, i, 0)), 1e-5, "temperature at 2 m");
    }
    air_free(&air);
}

/* Vapour goes as far of its way as theta does. */
Test(surface, vapour_at_two_metres_keeps_to_what_there_is)
{
    const double es = 611.2 * exp(17.67 * (279.82 - 273.15) / (279.82 - 29.65)), full = Rd / Rv * es / (99000 - es);
    still_air(DRAG_ROUGHNESS, HEAT_FLUX, 0.5);
    air.d.surface.vapour = R(1e-4), run(surface_wet_run);
    for (int i = 0; i < NI; i++) {
        const double theta = map(F_T2M, i, 0) / (0.9963 + at(F_PI, i, 0)), goes = theta - (294 + at(F_TH, i, 0));
        away = 2e-7, near(map(F_QV2M, i, 0), fmax(0, at(F_QV, i, 0) - 1e-4 / 0.1 * goes), 1e-4, "vapour under a flux");
    }
    air_free(&air);
    still_air(DRAG_FRICTION, HEAT_TEMPERATURE, 3);
    air.d.surface.friction = R(0.05), run(surface_wet_run);
    int between = 0;
    for (int j = 0; j < NJ; j++)
        for (int i = 0; i < NI; i++) {
            const double qv = at(F_QV, i, j), there = qv + 0.6 * (full - qv), q = map(F_QV2M, i, j);
            cr_assert(q > fmin(qv, there) - 1e-8 && q < fmax(qv, there) + 1e-8, "%g is not between %g and %g", q, qv,
                      there);
            between += fabs(q - qv) > 1e-6;
        }
    cr_assert(between > 0);
    air_free(&air);
}

Test(surface, two_metres_between_ground_and_level)
{
    const double ground = (280 - 0.18) / 0.997;
    still_air(DRAG_FRICTION, HEAT_TEMPERATURE, 3);
    air.d.surface.friction = R(0.05), run(surface_run); /* the profile would turn by more than there is */
    for (int i = 0; i < NI; i++) near(map(F_T2M, i, 0), ground * (0.9963 + at(F_PI, i, 0)), 1e-6, "temperature at 2 m");
    air_free(&air);
    for (double wind = 0.2; wind < 10; wind *= 2) {
        still_air(DRAG_ROUGHNESS, HEAT_TEMPERATURE, wind);
        for (int i = 0; i < NI; i++) {
            const double pi = 0.9963 + at(F_PI, i, 0), warm = map(F_T2M, i, 0) / pi;
            cr_assert(warm > ground - 1e-3 && warm < 294 + at(F_TH, i, 0) + 1e-3, "wind %g: %g K", wind, warm);
        }
        air_free(&air);
    }
}

/* The wind of a surface layer rises no faster than along a straight line from the ground. */
Test(surface, ten_metres_above_a_low_level)
{
    still_air(DRAG_ROUGHNESS, HEAT_FLUX, 0.5);
    air.d.surface.height = 5, run(surface_run);
    for (int i = 0; i < NI; i++) near(map(F_WIND10M, i, 0), 0.5 * 2, 1e-6, "wind at 10 m");
    air_free(&air);
}

/* Dry air over a square metre, kg, and the energy of a kg of it with its water. */
static double holds(int wet, double theta, double pi, double qv)
{
    if (wet) return 24 * p00 * pow(pi, cv / Rd) / (Rd * theta * (1 + Rv / Rd * qv));
    return 1.15 * 24 * pow(pi / 0.996, cv / Rd) * 294 / theta;
}
static double energy(double theta, double pi, double qv, double ql)
{
    return (cv + cvv * qv + cl * ql) * theta * pi + L0 * qv + (1 + qv + ql) * 512;
}
static double summed(int f, int i, int j) { return map(f, i, j) - map(f + 1, i, j); }
static void sums_begin(double joule, double kilos)
{
    for (int f = F_GROUND_ENERGY; f <= F_GROUND_WATER_LOST; f++)
        for (int j = 0; j < NJ; j++)
            for (int i = 0; i < NI; i++)
                air.s.f[f][j * air.s.sm + i] = (real)(f == F_GROUND_ENERGY ? joule : f == F_GROUND_WATER ? kilos : 0);
}

static void ground_by_value(int wet)
{
    double joule[NJ][NI] = {{0}}, kilos[NJ][NI] = {{0}};
    static const int field[] = {F_U, F_V, F_TH, F_PI, F_QV};
    const double least = sizeof(real) == 8 ? 1e-11 : 2e-6; /* of differences of 3e5 J/kg that are 30 J/kg */
    open_air(DRAG_ROUGHNESS, HEAT_FLUX, wet), sums_begin(0, 0);
    for (int turn = 0; turn < 2; turn++) { /* the second adds to the sums of the first */
        double before[5][NJ][NI];
        for (int n = 0; n < 5; n++)
            for (int j = 0; j < NJ; j++)
                for (int i = 0; i < NI; i++) before[n][j][i] = at(field[n], i, j);
        const double above = (double)*air_at(&air, F_U, 2, 2, 1);
        run(ground_run), run(wet ? ground_wets_run : ground_warms_run);
        for (int j = 0; j < NJ; j++)
            for (int i = 0; i < NI; i++) {
                const double over = 2 / (1.15 * 24), a = (map(F_TRANSFER, i - 1, j) + map(F_TRANSFER, i, j)) / 2,
                             c = (map(F_TRANSFER, i, j - 1) + map(F_TRANSFER, i, j)) / 2;
                const double u = before[0][j][i], v = before[1][j][i], th = before[2][j][i], pi = before[3][j][i],
                             q0 = before[4][j][i];
                const double rho = p00 * pow(0.996 + pi, cv / Rd) / (Rd * (294 + th) * (1 + Rv / Rd * q0));
                const double gain = 1.2 * over * map(F_THETA_FLUX, i, j), e = 2.0 / 24 * map(F_EVAPORATION, i, j) / rho,
                             qv = q0 + e;
                near(at(F_U, i, j), (u + 3) / (1 + 1.2 * over * a) - 3, 1e-5, "u"),
                    near(at(F_V, i, j), (v - 2) / (1 + 1.2 * over * c) + 2, 1e-5, "v");
                near(at(F_TH, i, j), th + gain, 1e-5, "theta'");
                const double wanted = pi + rcv * (0.996 + pi) * (gain / (294 + th) + (wet ? e / (Rd / Rv + qv) : 0));
                cr_assert_float_eq(at(F_PI, i, j), wanted, 1e-8, "pi' %.9g, not %.9g", at(F_PI, i, j), wanted);
                near(at(F_QV, i, j), wet ? qv : q0, 1e-5, "vapour");
                /* What the air holds behind rounding is what the sums have. */
                const double mass = holds(wet, 294 + th, 0.996 + pi, q0),
                             ql = wet ? at(F_QC, i, j) + at(F_QR, i, j) : 0, v0 = wet ? q0 : 0,
                             v1 = wet ? at(F_QV, i, j) : 0;
                joule[j][i] += mass * (energy(294 + at(F_TH, i, j), 0.996 + at(F_PI, i, j), v1, ql) -
                                       energy(294 + th, 0.996 + pi, v0, ql));
                kilos[j][i] += mass * (v1 - v0);
                cr_assert_float_eq(summed(F_GROUND_ENERGY, i, j) / joule[j][i], 1, least, "%.10g J/m2, not %.10g",
                                   summed(F_GROUND_ENERGY, i, j), joule[j][i]);
                if (wet)
                    cr_assert_float_eq(summed(F_GROUND_WATER, i, j) / kilos[j][i], 1, least, "%.10g kg/m2, not %.10g",
                                       summed(F_GROUND_WATER, i, j), kilos[j][i]);
            }
        cr_assert_eq((double)*air_at(&air, F_U, 2, 2, 1), above);
    }
    air_free(&air);
}

Test(surface, ground_by_value) { ground_by_value(0), ground_by_value(1); }

/* What is given by small steps, of which a sum in single precision would lose a part. */
Test(surface, sums_of_many_steps_are_not_lost)
{
    for (int wet = 0; wet < 2; wet++) {
        open_air(DRAG_ROUGHNESS, HEAT_FLUX, wet), sums_begin(3e9, 3e3);
        for (int j = 0; j < NJ; j++)
            for (int i = 0; i < NI; i++)
                air.s.f[F_THETA_FLUX][j * air.s.sm + i] = R(1e-3), air.s.f[F_EVAPORATION][j * air.s.sm + i] = R(1e-6);
        double joule = 0, kilos = 0;
        for (int n = 0; n < 1000; n++) {
            const double th = at(F_TH, 1, 1), pi = at(F_PI, 1, 1), qv = at(F_QV, 1, 1),
                         ql = wet ? at(F_QC, 1, 1) + at(F_QR, 1, 1) : 0,
                         mass = holds(wet, 294 + th, 0.996 + pi, wet ? qv : 0);
            run(wet ? ground_wets_run : ground_warms_run);
            joule += mass * (energy(294 + at(F_TH, 1, 1), 0.996 + at(F_PI, 1, 1), wet ? at(F_QV, 1, 1) : 0, ql) -
                             energy(294 + th, 0.996 + pi, wet ? qv : 0, ql));
            kilos += mass * (at(F_QV, 1, 1) - qv);
        }
        const double gained = summed(F_GROUND_ENERGY, 1, 1) - 3e9, wetter = summed(F_GROUND_WATER, 1, 1) - 3e3;
        cr_assert(joule > 1e3 && fabs(gained / joule - 1) < 1e-5, "%g J/m2, not %g", gained, joule);
        cr_assert(!wet || (kilos > 1e-3 && fabs(wetter / kilos - 1) < 1e-5), "%g kg/m2, not %g", wetter, kilos);
        air_free(&air);
    }
}

/* A log law has the u_star that it was made with, and its own wind at 10 m. */
Test(surface, log_law)
{
    open_air(DRAG_ROUGHNESS, HEAT_NONE, 0);
    fill(F_U, 0.3 / karman * log(12 / 0.05) - 3, 0.3 / karman * log(12 / 0.05) - 3), fill(F_V, 2, 2);
    run(surface_run);
    cr_assert_float_eq(map(F_USTAR, 2, 2), 0.3, 1e-6);
    cr_assert_float_eq(map(F_WIND10M, 2, 2), 0.3 / karman * log(10 / 0.05), 1e-3 * 0.3);
    cr_assert_float_eq(map(F_INVERSE_L, 2, 2), 0, 1e-12);
    air_free(&air);
}

/* ---- Ekman's spiral ---- */

static struct session session;

/* Largest departure from u + i v = U (1 - exp(-(1 + i) z / d)), d = sqrt(2 K / f), over U, where levels are so high. */
static double spiral(int levels, double dt)
{
    char text[1024];
    const double f = 1e-3, K = 5, d = sqrt(2 * K / f), top = 960, U = 10;
    snprintf(text, sizeof text,
             "&grid nx = 1, ny = 1, nz = %d, dx = 1e6, dy = 1e6, dz = %.17g /\n&time duration = 1600, dt = %.17g /\n"
             "&dynamics mixing = 'constant', viscosity = %g, coriolis_f = %g, expected_speed = 0 /\n"
             "&base wind = 'constant', wind_u = %g /\n&surface drag = 'no_slip' /\n",
             levels, top / levels, dt, K, f, U);
    weather_open(&session, text);
    const struct grid *const grid = &session.grid;
    for (int j = -1; j <= 1; j++)
        for (int k = 0; k < levels; k++)
            for (int i = -1; i <= 1; i++) {
                const double z = grid->z_c[k] / d;
                *weather_at(&session, F_U, i, j, k) = (real)(U * (1 - exp(-z) * cos(z)));
                *weather_at(&session, F_V, i, j, k) = (real)(U * exp(-z) * sin(z));
            }
    cr_assert_eq(session_advance(&session, session_steps_left(&session)), SF_OK);
    double sum = 0;
    for (int k = 0; k < levels; k++) {
        const double z = grid->z_c[k] / d, u = (double)*weather_at(&session, F_U, 0, 0, k) - U * (1 - exp(-z) * cos(z)),
                     v = (double)*weather_at(&session, F_V, 0, 0, k) - U * exp(-z) * sin(z);
        sum += (u * u + v * v) / levels;
    }
    session_close(&session);
    return sqrt(sum) / U;
}

Test(surface, ekman_spiral_is_of_second_order)
{
    /* The ground comes behind mixing, of first order in time: of thinner levels sooner. */
    const double coarse = spiral(24, 4), fine = spiral(48, 0.5);
    cr_assert(fine < 3e-3 && coarse / fine > pow(2, 1.9) && coarse / fine < 4.5, "%g, %g: %g", coarse, fine,
              log2(coarse / fine));
}

/* ---- cases ---- */

static int ops_of(const char *name)
{
    int found = 0;
    for (int n = 0; n < session.in.nops; n++)
        found += !strcmp(session.in.model->stage[session.in.op[n].stage].name, name);
    return found;
}

static void open_case(const char *more)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "&grid nx = 4, ny = 4, nz = 8, dx = 100, dy = 100, dz = 40, translation_u = 2 /\n&time duration = 1, dt = 0.2 /\n%s\n",
        more);
    weather_open(&session, text);
}

Test(surface, program_has_the_ground_that_is_asked_for)
{
    open_case("");
    cr_assert_eq(ops_of("surface") + ops_of("ground") + ops_of("ground_warms"), 0);
    cr_assert_eq(session.in.field[F_USTAR].shape, SHAPE_BOX);
    session_close(&session);
    open_case("&surface drag = 'roughness', roughness = 0.2, heat = 'flux', heat_flux = 0.1 /");
    cr_assert(ops_of("surface") == 1 && ops_of("ground") == 1 && ops_of("ground_warms") == 1);
    cr_assert_eq(session.in.field[F_USTAR].shape, SHAPE_MAP);
    const struct surface_numbers *n = &((const struct dynamics *)session.in.ctx)->surface;
    cr_assert_float_eq((double)n->height, 20, 1e-6);
    cr_assert_float_eq((double)n->roughness_heat, 0, 1e-9, "that of the wind");
    cr_assert_float_eq((double)n->exner, 1, 1e-6);
    cr_assert_float_eq((double)n->exner_down, 9.80665 * 18 / (1004.5 * 300), 1e-7);
    cr_assert_float_eq((double)n->translation[0], 2, 1e-6);
    session_close(&session);
    open_case(
        "&surface drag = 'sea', heat = 'temperature', temperature = 300, heat_flux = 0.1, wetness = 1 /\n&water scheme = 'kessler' /");
    n = &((const struct dynamics *)session.in.ctx)->surface;
    cr_assert(ops_of("surface_wet") == 1 && ops_of("ground") == 1 && ops_of("ground_wets") == 1);
    cr_assert_float_eq((double)n->roughness_heat, 0, 1e-9);
    cr_assert_float_eq((double)n->flux, 0, 1e-9, "a flux that is not asked for");
    session_close(&session);
    open_case("&surface drag = 'roughness' /\n&water scheme = 'kessler' /");
    cr_assert(ops_of("ground") == 1 && !ops_of("ground_wets"), "a ground that takes wind alone");
    cr_assert_eq(session.in.field[F_GROUND_ENERGY].shape, SHAPE_BOX);
    session_close(&session);
    open_case("&surface heat = 'flux', heat_flux = 0.1 /");
    cr_assert(!ops_of("ground") && ops_of("ground_warms") == 1, "a ground that takes no wind");
    cr_assert_eq(session.in.field[F_GROUND_ENERGY].shape, SHAPE_MAP);
    session_close(&session);
}

/* Each key is where its formula looks for it. */
Test(surface, numbers_are_those_of_the_keys)
{
    open_case("&surface drag = 'friction', friction_velocity = 0.31, drag_coefficient = 3e-3, roughness = 0.07, heat = "
              "'flux', heat_flux = -0.02, vapour_flux = 3e-5 /\n&water scheme = 'kessler' /");
    const struct surface_numbers n = ((const struct dynamics *)session.in.ctx)->surface;
    cr_assert(n.drag == DRAG_FRICTION && n.heat == HEAT_FLUX);
    cr_assert_float_eq((double)n.friction, 0.31, 1e-7);
    cr_assert_float_eq((double)n.coefficient, 3e-3, 1e-9);
    cr_assert_float_eq((double)n.flux, -0.02, 1e-8);
    cr_assert_float_eq((double)n.vapour, 3e-5, 1e-11);
    cr_assert_float_eq((double)n.roughness_heat, 0.07, 1e-8,
                       "of heat that of the wind, which friction does not ask for");
    session_close(&session);
    open_case("&surface drag = 'no_slip', roughness_heat = 0.02, heat = 'temperature', temperature = 301, "
              "temperature_rate = 2e-3 /\n&dynamics mixing = 'constant', viscosity = 7 /");
    const struct surface_numbers m = ((const struct dynamics *)session.in.ctx)->surface;
    cr_assert(m.drag == DRAG_NO_SLIP && m.heat == HEAT_TEMPERATURE);
    cr_assert_float_eq((double)m.viscosity, 7, 1e-6);
    cr_assert_float_eq((double)m.roughness_heat, 0.02, 1e-8);
    cr_assert_float_eq(m.temperature, 301, 1e-12);
    cr_assert_float_eq(m.rate, 2e-3, 1e-15);
    session_close(&session);
}

/* A column that the ground warms and cools the wind of: what it gains is what the ground gives. */
Test(surface, a_column_gains_what_the_ground_gives)
{
    open_case("&surface drag = 'roughness', heat = 'flux', heat_flux = 0.1 /\n&base wind = 'constant', wind_u = 5 /\n"
              "&turbulence closure = 'tke' /\n&time duration = 20 /");
    const struct base_state *const b = &((const struct dynamics_own *)session.in.own)->base;
    cr_assert_eq(session_advance(&session, session_steps_left(&session)), SF_OK);
    double sum = 0;
    for (int k = 0; k < 8; k++) sum += b->rho0[k] * 40 * (double)*weather_at(&session, F_TH, 1, 1, k);
    cr_assert_float_eq(sum, 20 * 0.1 * b->rho0_f[0], 2e-4 * sum, "%g", sum);
    const double u = (double)*weather_at(&session, F_U, 1, 1, 0) + 2;
    cr_assert(u < 4.99 && u > 4, "%g", u);
    session_close(&session);
}

/* ---- a domain that the ground wets ---- */

/* Vapour of a flux stays: what is held is what the domain began with and what the ground gave. The first frame has the
 * air of the lowest level at 2 m. */
Test(surface, what_evaporates_is_not_taken_back)
{
    const double flux = 1e-3;
    weather_open(&session,
                 "&grid nx = 4, ny = 4, nz = 8, dx = 1000, dy = 1000, dz = 500 /\n&time duration = 60, dt = 2 /\n"
                 "&water scheme = 'saturation' /\n&base relative_humidity = 0.3 /\n"
                 "&surface heat = 'flux', vapour_flux = 1e-3 /\n");
    const struct dynamics_own *const own = session.in.own;
    const double warm = (double)((session.state.host.s.f[P_THA][0] + *weather_at(&session, F_TH, 1, 1, 0)) *
                                 (session.state.host.s.f[P_PI0][0] + *weather_at(&session, F_PI, 1, 1, 0) +
                                  own->ctx.surface.exner_down));
    cr_assert_float_eq(
        (double)session.state.host.s.f[F_T2M][(1 - session.state.host.s.j0) * session.state.host.s.sm + 1], warm, 1e-4);
    cr_assert(own->holds_water);
    double before = 0, after = 0;
    for (int k = 0; k < 8; k++)
        before += (double)session.state.host.s.f[P_RHOF][k] * (double)*weather_at(&session, F_QV, 1, 1, k);
    cr_assert_eq(session_advance(&session, session_steps_left(&session)), SF_OK);
    cr_assert_eq(engine_refresh(&session.engine), SF_OK);
    for (int k = 0; k < 8; k++)
        after += (double)session.state.host.s.f[P_RHOF][k] * (double)*weather_at(&session, F_QV, 1, 1, k);
    const double given = 60 * flux * (double)session.state.host.s.f[P_RHOF][0] / 500;
    cr_assert_float_eq((after - before) / given, 1, 0.05, "%g of what the ground gave", (after - before) / given);
    session_close(&session);
}
