/* The limits of the time step, each against the scheme that it is the limit of: at the limit no wave grows, a little
 * beyond it one does. SPDX-License-Identifier: MIT */
#include "dynamics/courant.h"
#include "dynamics/limits.h"
#include "support_weather.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>

static const double pi_number = 3.14159265358979323846;

/* What three Runge-Kutta stages (dt/3, dt/2, dt) make of q' = a q in a step, z = a dt. */
static double grows(double complex z) { return cabs(1 + z * (1 + z / 2 * (1 + z / 3))) - 1; }

/* A case in which nothing but sound has a limit. */
static struct limits_of calm(void)
{
    return (struct limits_of){.sound = 340,
                              .dx = 400,
                              .dy = 300,
                              .dz = 100,
                              .courant = courant_limit(0, 0),
                              .filter_order = 4,
                              .small_steps = 6,
                              .first_steps = 1};
}

static void near(double a, double b, const char *what)
{
    cr_assert_lt(fabs(a - b), 1e-12 * fabs(b), "%s: %.17g, not %.17g", what, a, b);
}

/* ---- sound ------------------------------------------------------------------------------------------------------- */

/* A small step of a wave whose differences are s = c dtau 2 sqrt(1/dx2 + 1/dy2): forward in u by pi' and the share d of
 * its last change, which is s u, then backward in pi'. */
struct small_step {
    double uu, up, pu, pp;
};

static struct small_step after(struct small_step a, double s, double d)
{
    const struct small_step m = {1 - d * s * s, -s, s * (1 - d * s * s), 1 - s * s};
    return (struct small_step){m.uu * a.uu + m.up * a.pu, m.uu * a.up + m.up * a.pp, m.pu * a.uu + m.pp * a.pu,
                               m.pu * a.up + m.pp * a.pp};
}

/* How much more the fastest-growing wave is after the steps of a stage, of which the first has no damping. */
static double stage_grows(int steps, double c, double dtau, double dx, double dy, double d)
{
    const double most = 2 * c * dtau * sqrt(1 / (dx * dx) + (dy > 0 ? 1 / (dy * dy) : 0));
    double grows = 0;
    for (int n = 1; n <= 4000; n++) {
        struct small_step a = {1, 0, 0, 1};
        for (int m = 0; m < steps; m++) a = after(a, most * n / 4000, m ? d : 0);
        const double half = (a.uu + a.pp) / 2;
        const double complex root = csqrt(half * half - (a.uu * a.pp - a.up * a.pu));
        grows = fmax(grows, fmax(cabs(half + root), cabs(half - root)) - 1);
    }
    return grows;
}

Test(limits, sound)
{
    for (int flat = 0; flat < 2; flat++)
        for (int n = 2; n <= 24; n += 2)
            for (int damping = 0; damping <= 5; damping++) {
                struct limits_of x = calm();
                x.small_steps = n, x.divergence_damping = 0.1 * damping;
                if (flat) x.dy = 0;
                const double small = limits_make(&x).small / n;
                cr_assert_lt(stage_grows(n, x.sound, 0.999 * small, x.dx, x.dy, x.divergence_damping), 1e-9,
                             "%d small steps, damping %g", n, x.divergence_damping);
                /* Few steps with much damping bear a little more than many. */
                if (damping <= 1)
                    cr_assert_gt(stage_grows(n, x.sound, 1.03 * small, x.dx, x.dy, x.divergence_damping), 0.02,
                                 "%d small steps, damping %g", n, x.divergence_damping);
                /* What grows in the first stage ends with it: a fifth does no harm. */
                for (x.first_steps = 1; x.first_steps <= 8; x.first_steps++) {
                    const double dtau = limits_make(&x).stage1 / (3 * x.first_steps);
                    cr_assert_lt(stage_grows(x.first_steps, x.sound, 0.999 * dtau, x.dx, x.dy, x.divergence_damping),
                                 0.2);
                    if (damping > 1) continue;
                    cr_assert_gt(stage_grows(x.first_steps, x.sound, 1.05 * dtau, x.dx, x.dy, x.divergence_damping),
                                 0.2);
                }
            }
}

/* Nothing else binds still air that is not stratified, not mixed, and has no layer and no open side. */
Test(limits, what_is_not_there_does_not_bind)
{
    const struct limits_of x = calm();
    const struct limits l = limits_make(&x);
    cr_assert(l.advection >= NO_LIMIT && l.buoyancy >= NO_LIMIT && l.mixing >= NO_LIMIT && l.damping >= NO_LIMIT &&
              l.open >= NO_LIMIT);
}

/* ---- advection --------------------------------------------------------------------------------------------------- */

/* The fastest of all waves: centred differences of 4th order (wide = 0) or 6th, upwind with the dissipation of the odd
 * order below. */
static double wave_grows(double courant, int wide, int upwind)
{
    double most = -1;
    for (int n = 1; n < 2000; n++) {
        const double k = pi_number * n / 2000, half = 2 * (1 - cos(k));
        const double slope = wide ? (45 * sin(k) - 9 * sin(2 * k) + sin(3 * k)) / 30 : (8 * sin(k) - sin(2 * k)) / 6;
        const double loss = !upwind ? 0
                            : wide  ? half * half * half / 60
                                    : half * half / 12; /* the sixth and the fourth difference */
        most = fmax(most, grows(-courant * (loss + I * slope)));
    }
    return most;
}

Test(limits, advection)
{
    for (int wide = 0; wide < 2; wide++) {
        cr_assert_lt(wave_grows(courant_limit(wide, 0), wide, 0), 1e-12);
        cr_assert_gt(wave_grows(1.01 * courant_limit(wide, 0), wide, 0), 1e-3);
        cr_assert_lt(wave_grows(1.25 * courant_limit(wide, 0), wide, 1),
                     1e-12); /* 1.62 and 1.43: pi', which is centred, binds */
    }
    struct limits_of x = calm();
    x.wind_u = 7, x.wind_v = 11, x.speed = 20, x.vertical = 3;
    near(limits_make(&x).advection * ((7 + 20) / 400.0 + (11 + 20) / 300.0 + 3 / 100.0), courant_limit(0, 0),
         "sum of Courant numbers");
    x.dy = 0; /* nothing moves across a section */
    near(limits_make(&x).advection * ((7 + 20) / 400.0 + 3 / 100.0), courant_limit(0, 0), "of a section");
}

/* ---- slow terms -------------------------------------------------------------------------------------------------- */

Test(limits, buoyancy)
{
    struct limits_of x = calm();
    x.n2 = 4e-4;
    const double dt = limits_make(&x).buoyancy;
    cr_assert_lt(grows(I * 0.02 * dt), 1e-12);
    cr_assert_gt(grows(I * 0.02 * 1.03 * dt), 1e-3);
    x.n2 = -1e-4; /* unstable air grows, and has no wave */
    cr_assert(limits_make(&x).buoyancy >= NO_LIMIT);
}

Test(limits, rayleigh_layer)
{
    struct limits_of x = calm();
    x.damping_time = 12;
    const double dt = limits_make(&x).damping;
    cr_assert_lt(grows(-dt / 12), 1e-12);
    cr_assert_gt(grows(-1.02 * dt / 12), 1e-3);
}

/* The wave of two cells in every direction. */
Test(limits, viscosity)
{
    for (int flat = 0; flat < 2; flat++) {
        struct limits_of x = calm();
        x.viscosity = 75;
        if (flat) x.dy = 0;
        const double rate = 4 * 75 * (1 / (400.0 * 400) + (flat ? 0 : 1 / (300.0 * 300)) + 1 / (100.0 * 100)),
                     dt = limits_make(&x).mixing;
        cr_assert_lt(grows(-rate * dt), 1e-12);
        cr_assert_gt(grows(-1.02 * rate * dt), 1e-3);
    }
}

/* 4 rate of a direction for the 2nd order. Of the 4th order it is 16, and the limit is that of Euler's step, 16 rate dt
 * < 2, which a filter must not exceed if it is not to turn a wave over in one stage. */
Test(limits, filters)
{
    for (int directions = 2; directions <= 3; directions++) {
        struct limits_of x = calm();
        x.filter_rate = 2e-3;
        if (directions == 2) x.dy = 0;
        near(16 * 2e-3 * directions * limits_make(&x).mixing, 2, "4th order");
        x.filter_order = 2;
        const double rate = 4 * 2e-3 * directions, dt = limits_make(&x).mixing;
        cr_assert_lt(grows(-rate * dt), 1e-12);
        cr_assert_gt(grows(-1.02 * rate * dt), 1e-3);
    }
}

/* One-sided differences: a dt = C (exp(-i k) - 1). */
Test(limits, open_sides)
{
    struct limits_of x = calm();
    x.wind_u = 5, x.wind_v = 50, x.speed = 10, x.open_speed = 30, x.open_x = 1;
    const double dt = limits_make(&x).open, courant = (5 + 10 + 30) * dt / 400;
    for (int far = 0; far < 2; far++) {
        double most = -1;
        for (int n = 1; n <= 2000; n++)
            most = fmax(most, grows((far ? 1.02 : 1) * courant * (cexp(-I * pi_number * n / 2000) - 1)));
        if (far) cr_assert_gt(most, 1e-3);
        else cr_assert_lt(most, 1e-12);
    }
    x.open_y = 1;
    near((50 + 10 + 30) * limits_make(&x).open / 300, courant, "the faster side counts");
}

/* ---- what the namelist leaves open ------------------------------------------------------------------------------- */

Test(limits, rates_follow_the_length_of_cells)
{
    near(limits_vertical(20, 100), 20, "updrafts of short cells");
    near(limits_vertical(20, 2500), 20, "updrafts at 2.5 km");
    near(limits_vertical(20, 5000), 5, "updrafts at 5 km");
    near(limits_vertical(20, 30000), 20 / 144.0, "ascent at 30 km");
    near(limits_filter_rate(1000), 5e-4, "filter of short cells");
    near(limits_filter_rate(25000), 5e-5, "filter at 25 km");
}

/* 30 km x 30 km x 150 m: neither the thin cells nor the mixing make the step, but sound and buoyancy do. */
Test(limits, flat_cells)
{
    struct limits_of x = {.sound = 347,
                          .dx = 30e3,
                          .dy = 30e3,
                          .dz = 150,
                          .speed = 20,
                          .vertical = limits_vertical(20, 30e3),
                          .courant = courant_limit(0, 0),
                          .filter_order = 4,
                          .filter_rate = limits_filter_rate(30e3),
                          .small_steps = 6,
                          .first_steps = 1};
    const struct limits l = limits_make(&x);
    cr_assert_lt(l.stage1, l.advection);
    cr_assert_lt(l.stage1, l.mixing);
    near(l.stage1, 3 * 30e3 / (347 * sqrt(2)), "sound");
}

/* ---- of a case --------------------------------------------------------------------------------------------------- */

static double hopeless; /* s: of the last case */
static const char *hopeless_by;

/* Limits of a case whose cells are thinnest in the middle: dt_limit, and dt_calm. */
static double case_limit(double dx, double dy, const char *more, double *calm_limit)
{
    static struct session session;
    char text[2048];
    snprintf(text, sizeof text,
             "&case name = 'limits' /\n&grid nx = 6, ny = 5, nz = 4, dx = %g, dy = %g, size_z = 200, 50, 100, 200,\n"
             "      translation_u = 4, translation_v = -2 /\n&time duration = 1, dt = 0.001 /\n%s",
             dx, dy, more);
    weather_open(&session, text);
    const double limit = session.in.dt_limit;
    *calm_limit = session.in.dt_calm;
    hopeless = session.in.dt_hopeless, hopeless_by = session.in.dt_hopeless_by;
    session_close(&session);
    return limit;
}

Test(limits, of_a_case)
{
    double quiet;
    const double sound = sqrt(1004.5 / 717.5 * 287 * 300);
    /* Advection: the thinnest cell, and the winds of the base state and of the start over the grid that moves. */
    double dt = case_limit(400, 300,
                           "&dynamics mixing = 'off', expected_speed = 20, expected_vertical_speed = 60 /\n"
                           "&base profile = 'neutral', wind = 'constant', wind_u = 7, wind_v = -11 /\n"
                           "&initial wind_u = 5, wind_v = -3 /\n",
                           &quiet);
    near(dt * ((7 - 4 + 5 + 20) / 400.0 + (11 - 2 + 3 + 20) / 300.0 + 60 / 50.0), courant_limit(0, 0), "advection");
    cr_assert_float_eq(quiet * sound * sqrt(1 / 9e4 + 1 / 16e4), 3, 0.01);
    /* Sound: of the first stage a sixth of the small steps, rounded up, or as many as it is told. */
    static const struct {
        const char *steps;
        int first;
    } of_first[] = {{"small_steps = 4", 1},
                    {"small_steps = 6", 1},
                    {"small_steps = 8", 2},
                    {"small_steps = 6, first_small_steps = 2", 2},
                    {"small_steps = 24", 4}};
    for (int n = 0; n < (int)(sizeof of_first / sizeof of_first[0]); n++) {
        char more[200];
        snprintf(more, sizeof more,
                 "&dynamics mixing = 'off', divergence_damping = 0, %s /\n&base profile = 'neutral' /\n",
                 of_first[n].steps);
        case_limit(400, 300, more, &quiet);
        cr_assert_float_eq(quiet * sound * sqrt(1 / 9e4 + 1 / 16e4), 3 * of_first[n].first, 0.04, "%s",
                           of_first[n].steps);
    }
    /* The ascent that cells hold follows their longer side. */
    dt = case_limit(3000, 6000, "&dynamics mixing = 'off' /\n&base profile = 'neutral' /\n", &quiet);
    near(dt * (24 / 3000.0 + 22 / 6000.0 + limits_vertical(20, 6000) / 50), courant_limit(0, 0), "ascent");
    /* Buoyancy of an atmosphere that is not the base state. */
    dt = case_limit(4e4, 3e4,
                    "&dynamics mixing = 'off', expected_speed = 0 /\n&base profile = 'neutral' /\n"
                    "&initial atmosphere = 'constant_n', atmosphere_theta = 300, atmosphere_brunt_vaisala = 0.02 /\n",
                    &quiet);
    near(dt * 0.02, 1.7, "buoyancy, constant N");
    dt = case_limit(4e4, 3e4,
                    "&dynamics mixing = 'off', expected_speed = 0 /\n&base profile = 'neutral' /\n"
                    "&initial atmosphere = 'isothermal', atmosphere_temperature = 250 /\n",
                    &quiet);
    near(dt * 9.80665 / sqrt(1004.5 * 250), 1.7, "buoyancy, isothermal");
    /* An open side binds adaptive steps as well. */
    dt = case_limit(400, 300,
                    "&boundary west = 'open', east = 'open' /\n"
                    "&dynamics mixing = 'off', open_phase_speed = 400, expected_vertical_speed = 0 /\n"
                    "&base profile = 'neutral' /\n",
                    &quiet);
    near(dt * (4 + 20 + 400) / 400, 1.25, "open sides");
    near(quiet, dt, "open sides, calm");
}

/* One and a half times what the fastest of sound, mixing and the damping layer allows. Winds, buoyancy, open sides and
 * the first stage do not end every run. */
Test(limits, without_hope)
{
    double quiet;
    const double sound = sqrt(1004.5 / 717.5 * 287 * 300), wave = sqrt(1 / 9e4 + 1 / 16e4);
    static const char base[] = "&base profile = 'neutral', wind = 'constant', wind_u = 250 /\n"
                               "&boundary west = 'open', east = 'open' /\n"
                               "&initial atmosphere = 'constant_n', atmosphere_brunt_vaisala = 0.1 /\n";
    static const struct {
        const char *keys;
        double limit; /* s; of sound: of c = 1, times the length of a cell */
        int is_sound;
        const char *by;
    } row[] = {
        {"mixing = 'off', small_steps = 12, divergence_damping = 0.1", 12 / 1.09544512, 1, "sound in the small steps"},
        {"mixing = 'off', small_steps = 2, divergence_damping = 0.1", 2 / 1.48323970, 1, "sound in two small steps"},
        {"mixing = 'fourth', mixing_rate = 0.5", 0.125 / 3 / 0.5, 0, "mixing"},
        {"mixing = 'constant', viscosity = 1e5", 2.5 / (4e5 * (1 / 16e4 + 1 / 9e4 + 1 / 2500.0)), 0, "mixing"},
        {"mixing = 'off', rayleigh_depth = 300, rayleigh_time = 0.02", 0.05, 0, "the Rayleigh layer"}};
    for (size_t n = 0; n < sizeof row / sizeof row[0]; n++) {
        char more[1024];
        snprintf(more, sizeof more, "%s&dynamics %s /\n", base, row[n].keys);
        case_limit(400, 300, more, &quiet);
        cr_expect_float_eq(hopeless / (1.5 * row[n].limit / (row[n].is_sound ? sound * wave : 1)), 1,
                           row[n].is_sound ? 0.02 : 1e-6, "%s: %g s", row[n].keys, hopeless);
        cr_expect(!strncmp(hopeless_by, row[n].by, strlen(row[n].by)), "%s: %s", row[n].keys, hopeless_by);
    }
}

/* Whatever carries the wind: no more air enters a cell than it holds. */
Test(limits, tracers_take_whole_cells)
{
    for (int wide = 0; wide < 2; wide++) near(courant_limit(wide, 3), 1, "of tracers");
}

/* ---- open sides -------------------------------------------------------------------------------------------------- */

/* Of a wave that goes against the wind with 1 and comes back with b, both of one frequency, u = e^(i w (t + x / s)) +
 * b e^(i w (t - x / r)), the side x = 0 asks for u_t = C u_x, C from open.h. */
Test(limits, sides_return_waves_that_go_against_the_wind)
{
    static const struct {
        double waves, wind, speed, leaving;
    } row[] = {{156, 20, 25, 5}, {156, 20, 60, 40}, {32, 20, 25, 5},
               {32, 10, 25, 15}, {64, 30, 25, 0},   {50, 0, 80, 80}};
    const double w = 0.003;
    for (size_t n = 0; n < sizeof row / sizeof row[0]; n++) {
        const double against = row[n].waves - row[n].wind, with = row[n].waves + row[n].wind, c = row[n].leaving;
        const double complex there = I * w - c * I * w / against, back = I * w + c * I * w / with;
        const double complex b = -there / back;
        cr_expect_lt(fabs(cimag(b)), 1e-12, "a real share");
        cr_expect_float_eq(limits_returned(row[n].waves, row[n].wind, row[n].speed), -creal(b), 1e-12,
                           "waves of %g m/s in a wind of %g, open_phase_speed %g", row[n].waves, row[n].wind,
                           row[n].speed);
    }
    cr_expect_eq(limits_returned(20, 20, 25), 0, "no wave goes against a wind as fast as it is");
    cr_expect_eq(limits_returned(20, 30, 25), 0, "nor against a faster one");
}
