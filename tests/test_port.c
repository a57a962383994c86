/* Lumped elements and ports: the media of elements against their admittances, what a port sees of a loaded line against
 * the chain of its cells, and waves of guides. SPDX-License-Identifier: MIT */
#include "support_ports.h"
#include "support_weather.h"

#include "maxwell/lump.h"
#include "maxwell/own.h"
#include "pipeline/error.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct session session;

/* ---- media of elements ---- */

/* Of the medium of an element, times j w area / length. */
static double complex admittance_of(const struct lump *l, double w)
{
    double chi[2] = {l->epsilon, 0};
    for (int n = 0; n < l->npoles; n++) pole_add(&l->pole[n], w, chi);
    return (I * w * em_eps0 * (chi[0] + I * chi[1]) + l->sigma) * l->area / l->length;
}

static void admittance_check(const struct lump_keys *k, double complex (*want)(double w), double tolerance)
{
    struct lump l = {.length = 3e-3, .area = 2e-6};
    lump_medium(&l, k);
    for (double w = 1e7; w < 1e12; w *= 3) {
        const double complex is = admittance_of(&l, w), of = want(w);
        cr_assert(cabs(is - of) <= tolerance * cabs(of), "%g: %g %+gi, not %g %+gi", w, creal(is), cimag(is), creal(of),
                  cimag(of));
    }
}

static const double ohm = 37, henry = 2.5e-9, farad = 0.8e-12;
static double complex of_r(double w) { return 1 / ohm + 0 * w; }
static double complex of_l(double w) { return 1 / (I * w * henry); }
static double complex of_c(double w) { return I * w * farad; }
static double complex of_parallel(double w) { return of_r(w) + of_l(w) + of_c(w); }
static double complex of_r_and_c(double w) { return of_r(w) + of_c(w); }
static double complex of_rl(double w) { return 1 / (ohm + I * w * henry); }
static double complex of_rc(double w) { return 1 / (ohm + 1 / (I * w * farad)); }
static double complex of_lc(double w) { return 1 / (I * w * henry + 1 / (I * w * farad)); }
static double complex of_rlc(double w) { return 1 / (ohm + I * w * henry + 1 / (I * w * farad)); }

/* An inductance alone has the least damping that a pole can have: a share of its plasma frequency. */
Test(port, elements_have_their_admittance)
{
    const double pure = 1e-6 * sqrt(3e-3 / (2e-6 * henry * em_eps0)) / 1e7; /* over the lowest w */
    admittance_check(&(struct lump_keys){.resistance = ohm}, of_r, 1e-14);
    admittance_check(&(struct lump_keys){.capacitance = farad}, of_c, 1e-14);
    admittance_check(&(struct lump_keys){.inductance = henry}, of_l, 1.01 * pure);
    admittance_check(&(struct lump_keys){ohm, henry, farad, 0}, of_parallel, 1.01 * pure);
    admittance_check(&(struct lump_keys){.resistance = ohm, .in_series = 1}, of_r, 1e-14);
    admittance_check(&(struct lump_keys){.capacitance = farad, .in_series = 1}, of_c, 1e-14);
    admittance_check(&(struct lump_keys){.resistance = ohm, .inductance = henry, .in_series = 1}, of_rl, 1e-9);
    admittance_check(&(struct lump_keys){.resistance = ohm, .capacitance = farad, .in_series = 1}, of_rc, 1e-9);
    admittance_check(&(struct lump_keys){.inductance = henry, .capacitance = farad, .in_series = 1}, of_lc, 1e-9);
    admittance_check(&(struct lump_keys){ohm, henry, farad, 1}, of_rlc, 1e-9);
}

/* Whatever the steps make of an element takes power at every frequency, W = (2 / dt) tan(w dt / 2): of any inductance
 * and capacitance, where memories fade within a step, too. */
Test(port, elements_take_power_in_any_step)
{
    const double dt = 1.9e-12;
    int moved = 0;
    for (double l = 1e-13; l < 1e-8; l *= 1.03)
        for (int series_c = 0; series_c < 12; series_c++) {
            struct lump e = {.length = 8e-3, .area = 1e-6};
            lump_medium(&e, &(struct lump_keys){50, l, series_c ? 1e-15 * pow(3, series_c) : 0, 1});
            struct pole p[LUMP_POLES];
            for (int n = 0; n < e.npoles; n++) {
                p[n] = pole_stepped(&e.pole[n], dt);
                moved += p[n].s[0] < e.pole[n].s[0] || p[n].s[0] > e.pole[n].s[0];
            }
            for (double w = 1e6 / dt / 1e6; w < 1e4 / dt; w *= 1.5) {
                double chi[2] = {0, 0};
                for (int n = 0; n < e.npoles; n++) pole_add(&p[n], w, chi);
                const double size = em_eps0 * w * hypot(chi[0], chi[1]) + e.sigma;
                cr_assert(e.sigma - em_eps0 * w * chi[1] >= -1e-9 * size, "L %g, C %d, W dt %g: %g of %g", l, series_c,
                          w * dt, e.sigma - em_eps0 * w * chi[1], size);
            }
        }
    cr_assert(moved > 50);
}

/* ---- a line between two plates ---- */

enum { CELLS = 12, LOAD_AT = 5, FREQUENCIES = 4, HIGH = 2, WIDE = 3 };
static const double dx = 1e-3, dy = 1.5e-3, dz = 0.8e-3, resistance = 120, first = 2e9, last = 8e9;

/* The chain of a line's cells: V of nodes at whole steps, I of cells between them; loads[] in what lies within the
 * domain, as the steps make them. Returns what goes in at node 0 over V there. */
static double complex chain_admittance(double w, double dt, const double complex load[CELLS + 1])
{
    const double area = HIGH * dz, width = WIDE * dy, c = em_eps0 * width * dx / area, l = em_mu0 * area * dx / width;
    const double complex jw = I * 2 / dt * sin(0.5 * w * dt);
    double complex in = 0.5 * jw * c + load[CELLS]; /* of the last node and what lies behind */
    for (int n = CELLS - 1; n >= 0; n--) in = 1 / (jw * l + 1 / in) + (n ? jw * c : 0.5 * jw * c) + load[n];
    return in;
}

static void line_open(const char *more, double duration)
{
    char text[3000];
    snprintf(
        text, sizeof text,
        "&case model = 'maxwell' /\n&grid nx = %d, ny = %d, nz = %d, dx = %.17g, dy = %.17g, dz = %.17g /\n"
        "&time duration = %.17g /\n"
        "&boundary west = 'pmc', east = 'pmc', south = 'pmc', north = 'pmc', bottom = 'pec', top = 'pec' /\n"
        "&port kind = 'lumped', axis = 'z', x = 0, y = %.17g, z = %.17g, size_y = %.17g, size_z = %.17g, resistance = %g /\n"
        "&excitation port = 1, frequency = 5e9, bandwidth = 6e9 /\n"
        "&spectrum from = %g, to = %g, count = %d, every = 1 /\n%s\n",
        CELLS, WIDE, HIGH, dx, dy, dz, duration, 0.5 * WIDE * dy, 0.5 * HIGH * dz, WIDE * dy, HIGH * dz, resistance,
        first, last, FREQUENCIES, more);
    weather_open(&session, text);
}

/* What an element has in a step: its admittance at (2 / dt) tan(w dt / 2), as the mean of two times. */
static double complex stepped(double complex (*of)(double w), double w, double dt)
{
    return cos(0.5 * w * dt) * of(2 / dt * tan(0.5 * w * dt));
}

/* The plane of a magnetic conductor shares the port, and the element at the far end, with their images. */
static void line_check(const char *keys, double complex (*of)(double w), int at, double tolerance)
{
    char more[600];
    snprintf(more, sizeof more,
             "&element axis = 'z', x = %.17g, y = %.17g, z = %.17g, size_y = %.17g, size_z = %.17g, %s /\n", at * dx,
             0.5 * WIDE * dy, 0.5 * HIGH * dz, WIDE * dy, HIGH * dz, keys);
    line_open(more, 6e-9);
    cr_assert_eq(session_advance(&session, session_steps_left(&session)), SF_OK, "%s", sf_error_text());
    double *memory[2];
    const double *const re = ports_variable(&session, "input_resistance", &memory[0]),
                        *const im = ports_variable(&session, "input_reactance", &memory[1]), dt = session.dt;
    for (int f = 0; f < FREQUENCIES; f++) {
        const double w = 2 * M_PI * (first + f * (last - first) / (FREQUENCIES - 1));
        double complex load[CELLS + 1] = {0};
        load[at] = stepped(of, w, dt) * (at == CELLS ? 0.5 : 1);
        const double complex want = cos(0.5 * w * dt) / (2 * chain_admittance(w, dt, load)), is = re[f] + I * im[f];
        cr_assert(cabs(is - want) <= tolerance * cabs(want), "%s, %g Hz: %.9g %+.9gi, not %.9g %+.9gi", keys,
                  w / (2 * M_PI), creal(is), cimag(is), creal(want), cimag(want));
    }
    free(memory[0]), free(memory[1]);
    session_close(&session);
}

/* Round-off of sums in single precision, 3e-7 of the peak, shows where a port sees little; in double what is under way
 * when the run ends, and the least damping that an inductance has. */
static const double line_tolerance = sizeof(real) == 8 ? 1e-5 : 3e-4;

Test(port, sees_a_loaded_line, .timeout = 120)
{
    line_check("resistance = 37, capacitance = 0.8e-12", of_r_and_c, CELLS, line_tolerance);
    line_check("inductance = 2.5e-9, resistance = 37, connection = 'series'", of_rl, CELLS, line_tolerance);
    line_check("capacitance = 0.8e-12, resistance = 37, connection = 'series'", of_rc, LOAD_AT, line_tolerance);
    line_check("capacitance = 0.8e-12, resistance = 37, inductance = 2.5e-9", of_parallel, CELLS, line_tolerance);
}

/* The resonance is moved to where steps have it: s to (2 / dt) tanh(s dt / 2), with C kept. */
static double line_dt;
static double complex of_rlc_moved(double w)
{
    const double half = 0.5 * ohm / henry, W = sqrt(1 / (henry * farad) - half * half);
    const double complex s = 2 / line_dt * ctanh(0.5 * line_dt * (-half + I * W));
    return I * w * farad * creal(s * conj(s)) / ((I * w - s) * (I * w - conj(s)));
}

Test(port, sees_a_resonant_element, .timeout = 120)
{
    line_open("", 1e-10);
    line_dt = session.dt;
    session_close(&session);
    line_check("resistance = 37, inductance = 2.5e-9, capacitance = 0.8e-12, connection = 'series'", of_rlc_moved,
               CELLS, line_tolerance);
}

/* ---- two ports ---- */

/* Matched ends: all of a comes through to the other port, and nothing returns. What the magnetic planes share with
 * their images counts as both together, so half of the line's impedance matches. */
Test(port, lumped_ports_keep_power)
{
    char more[600];
    snprintf(
        more, sizeof more,
        "&port kind = 'lumped', axis = 'z', x = %.17g, y = %.17g, z = %.17g, size_y = %.17g, size_z = %.17g, resistance = "
        "60 /\n",
        CELLS * dx, 0.5 * WIDE * dy, 0.5 * HIGH * dz, WIDE * dy, HIGH * dz);
    line_open(more, 6e-9);
    cr_assert_eq(session_advance(&session, session_steps_left(&session)), SF_OK, "%s", sf_error_text());
    double *memory[3];
    const double *const re = ports_variable(&session, "s_re", &memory[0]),
                        *const im = ports_variable(&session, "s_im", &memory[1]),
                        *const power = ports_variable(&session, "power", &memory[2]);
    for (int f = 0; f < FREQUENCIES; f++) {
        const double w = 2 * M_PI * (first + f * (last - first) / (FREQUENCIES - 1)), dt = session.dt;
        double complex load[CELLS + 1] = {0};
        load[CELLS] = cos(0.5 * w * dt) / (2 * 60);
        const double complex z = cos(0.5 * w * dt) / (2 * chain_admittance(w, dt, load)),
                             want = (z - resistance) / (z + resistance), is = re[2 * f] + I * im[2 * f];
        const double through = re[2 * f + 1] * re[2 * f + 1] + im[2 * f + 1] * im[2 * f + 1];
        cr_assert(cabs(is - want) <= line_tolerance, "%g: %g %+gi, not %g %+gi", w, creal(is), cimag(is), creal(want),
                  cimag(want));
        cr_assert(fabs(through + cabs(is) * cabs(is) - 1) <= 2 * line_tolerance, "%g: %g", w, through);
        cr_assert(fabs(power[2 * f] + power[2 * f + 1]) <= line_tolerance * power[2 * f]);
    }
    for (int n = 0; n < 3; n++) free(memory[n]);
    session_close(&session);
}

/* ---- guides ---- */

/* A guide of 40 x 20 mm: waves of TE_10 between two planes have the grid's own phase, and what the layers return, and a
 * source behind the other plane, shows in a of the second port. Frequencies up from 1.3 of the cut-off, 3.75 GHz. */
static void guide_check(const char *axes, const char *toward, const char *sizes, int axis)
{
    char text[3000];
    snprintf(
        text, sizeof text,
        "&case model = 'maxwell' /\n%s&time duration = 14e-9 /\n&maxwell allow_coarse = .true. /\n&cpml cells = 16 /\n"
        "&port kind = 'guide', 'guide', %s, toward = %s, mode_m = %d, %d, mode_n = %d, %d, shift = 0, 0.02 /\n"
        "&excitation port = 1, frequency = 6e9, bandwidth = 2e9 /\n&spectrum from = 5e9, to = 7e9, count = 3 /\n",
        sizes, axes, toward, axis == AX, axis == AX, axis != AX, axis != AX);
    weather_open(&session, text);
    cr_assert_eq(session_advance(&session, session_steps_left(&session)), SF_OK, "%s", sf_error_text());
    double *memory[2];
    const double *const re = ports_variable(&session, "s_re", &memory[0]), *const im = ports_variable(&session, "s_im",
                                                                                                      &memory[1]);
    for (int f = 0; f < 3; f++) {
        const double frequency = 5e9 + f * 1e9, dt = session.dt, d = 2e-3;
        const double across = sin(0.5 * M_PI / 20) / d, slow = sin(M_PI * frequency * dt) / (em_c * dt);
        const double k = 2 / d * asin(d * sqrt(slow * slow - across * across));
        const double complex want = cexp(-I * k * (0.06 - 0.02)), is = re[2 * f + 1] + I * im[2 * f + 1];
        cr_assert(cabs(is - want) <= 3e-3, "%g: %g %+gi, not %g %+gi", frequency, creal(is), cimag(is), creal(want),
                  cimag(want));
        cr_assert(hypot(re[2 * f], im[2 * f]) <= 3e-3);
    }
    free(memory[0]), free(memory[1]);
    session_close(&session);
}

/* Layers of 16 cells return 2e-3 of such waves. */
Test(port, guides_carry_waves_of_the_grid, .timeout = 240)
{
    guide_check("axis = 'x', 'x', x = 0.05, 0.11, y = 0.02, 0.02, z = 0.01, 0.01", "'+', '-'",
                "&grid nx = 80, ny = 20, nz = 4, dx = 2e-3, dy = 2e-3, dz = 5e-3 /\n"
                "&boundary south = 'pec', north = 'pec', bottom = 'pec', top = 'pec' /\n",
                AX);
    guide_check("axis = 'y', 'y', y = 0.11, 0.05, x = 0.02, 0.02, z = 0.01, 0.01", "'-', '+'",
                "&grid nx = 20, ny = 80, nz = 4, dx = 2e-3, dy = 2e-3, dz = 5e-3 /\n"
                "&boundary west = 'pec', east = 'pec', bottom = 'pec', top = 'pec' /\n",
                AY);
}
