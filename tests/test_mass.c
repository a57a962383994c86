/* The shift of pi' that gives a domain its mass back, against sums in plain double. SPDX-License-Identifier: MIT */
#include "dynamics/mass.h"

#include "command/session.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 60 };
static const double R_air = 287, cp = 1004.5, p00 = 1e5;

/* Air from 300 K at the ground to 500 K at 20 km, in cells of different size: rho = p / (R T), p = p00 pi^(cp/R), T =
 * theta pi. */
static double theta_of(int n) { return 300 + 200.0 * n / CELLS; }
static double exner_of(int n) { return 1.02 - 0.6 * n / CELLS; }
static double volume_of(int n) { return 1e8 * (1 + n % 3); }

static double mass_of(double shift)
{
    double mass = 0;
    for (int n = 0; n < CELLS; n++) {
        const double exner = exner_of(n) + shift;
        mass += volume_of(n) * p00 * pow(exner, cp / R_air) / (R_air * theta_of(n) * exner);
    }
    return mass;
}

static double shift_towards(double target, double from)
{
    double mass = 0, slope = 0;
    for (int n = 0; n < CELLS; n++) {
        const double rho = air_density(theta_of(n), exner_of(n) + from, p00, R_air, (cp - R_air) / R_air);
        mass += volume_of(n) * rho;
        slope += volume_of(n) * air_density_slope(rho, exner_of(n) + from, (cp - R_air) / R_air);
    }
    cr_assert_lt(fabs(mass / mass_of(from) - 1), 1e-13, "mass %.17g, not %.17g", mass, mass_of(from));
    return mass_shift(target, mass, slope);
}

Test(mass, a_step_of_newton_leaves_what_is_second_order)
{
    const double whole = mass_of(0), power = (cp - R_air) / R_air;
    for (double lost = 1e-2; lost > 1e-7; lost /= 10)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double target = whole * (1 + sign * lost), shift = shift_towards(target, 0), after = mass_of(shift);
            const double bound =
                0.5 * power * (power - 1) * pow(shift / (exner_of(CELLS - 1) - fabs(shift)), 2) + 1e-14;
            cr_assert(sign * shift > 0, "more mass takes more pressure");
            cr_assert_lt(fabs(after / target - 1), bound, "%g of the mass: %g left, of %g at most", sign * lost,
                         after / target - 1, bound);
        }
    cr_assert_lt(fabs(shift_towards(whole, 0)), 1e-15, "nothing is lacking");
    cr_assert(mass_shift(1, 0, 0) <= 0 && mass_shift(1, 0, 0) >= 0, "no air, no shift");
}

/* A store that loses loss(n) in interval n and is given what hold_given says: what lacks at the end of each. */
static void lacks_of(double loss, double growth, double *lacks, int intervals)
{
    double lacking = 0, known[HOLD_KNOWN] = {0};
    for (int n = 0; n < intervals; n++) {
        lacking += loss + growth * n - hold_given(lacking, known);
        lacks[n] = lacking;
    }
}

Test(mass, what_an_interval_is_known_to_lose_is_given_within_it)
{
    double lacks[8];
    lacks_of(3, 0, lacks, 8);
    cr_expect_float_eq(lacks[0], 3, 1e-12, "nothing is known of the first");
    cr_expect_float_eq(lacks[1], -1.5, 1e-12, "half of what began at once is taken to go on growing");
    for (int n = 2; n < 8; n++) cr_expect_float_eq(lacks[n], 0, 1e-12, "interval %d: %g", n, lacks[n]);
    lacks_of(0, 2, lacks, 8);
    for (int n = 2; n < 8; n++) cr_expect_float_eq(lacks[n], 1, 1e-12, "interval %d: %g", n, lacks[n]);
}

/* A loss of 1 and -1 in turn, the worst swing: three times as much is lacking, never more. */
Test(mass, what_swings_with_the_looks_grows_threefold)
{
    double lacking = 0, known[HOLD_KNOWN] = {0};
    for (int n = 0; n < 9; n++) {
        const double loss = n % 2 ? -1 : 1;
        lacking += loss - hold_given(lacking, known);
        if (n > 2) cr_expect_float_eq(lacking, 3 * loss, 1e-12, "interval %d: %g", n, lacking);
    }
}

/* Of a whole domain: the largest drift of the series, looked at after every step. */
static double drift_of(const char *hold, const char *sides)
{
    static const char text[] =
        "&case name = 'mass' /\n&grid nx = 24 ny = 1 nz = 10 dx = 500 dz = 500 /\n&time duration = 150 dt = 1.5 /\n"
        "&initial shape = 'cosine' amplitude = -12 x = 6000 z = 2000 radius_x = 3000 radius_z = 2000 wind_u = 15 /\n";
    char path[] = "/tmp/sferic_mass_XXXXXX", set[3][64];
    FILE *const f = fdopen(mkstemp(path), "w");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    snprintf(set[0], sizeof set[0], "dynamics%%hold_mass=%s", hold);
    snprintf(set[1], sizeof set[1], "boundary%%west=%s", sides);
    snprintf(set[2], sizeof set[2], "boundary%%east=%s", sides);
    const char *const sets[] = {set[0], set[1], set[2], "dynamics%hold_steps=2"};
    struct session s;
    cr_assert_eq(session_open(&s, &(struct session_options){.path = path, .set = sets, .nsets = 4}), SF_OK, "%s",
                 sf_error_text());
    double values[64], courant, most = 0, start = 0;
    const int mass = s.in.quantity_told - 1;
    cr_assert(s.in.nquantities <= 64 && mass > 0 && !strcmp(s.in.quantity[mass].name, "mass"));
    while (session_steps_left(&s) > 0) {
        cr_assert_eq(s.model->measure(&s.in, &s.state, s.dt, values, &courant), SF_OK);
        if (s.step == 0) start = values[mass];
        most = fmax(most, fabs(values[mass] / start - 1));
        cr_assert_eq(session_advance(&s, 1), SF_OK);
    }
    session_close(&s);
    remove(path);
    return most;
}

/* In two steps of 1.5 s sound carries out of 12 km no more than a share of what a single cold pool of 12 K lacks. */
Test(mass, an_open_domain_keeps_its_mass)
{
    const double free = drift_of("off", "open"), held = drift_of("auto", "open");
    cr_expect_lt(held, 1e-4, "%g", held);
    cr_expect_lt(held, 0.5 * free, "%g, and %g where nothing holds it", held, free);
}

/* In a closed box nothing is lost but what single precision rounds away, and what the small step's form of the pressure
 * equation does. */
Test(mass, a_closed_box_is_held_where_it_is_asked_for)
{
    const double free = drift_of("auto", "wall"), off = drift_of("off", "wall"), held = drift_of("on", "wall");
    cr_expect(free >= off && free <= off, "a closed box is left alone by itself");
    cr_expect_lt(held, SF_MAX(free, 1e-6), "%g, and %g where nothing holds it", held, free);
}
