/* Runs with wires thinner than a cell: their steps, and the energy beside them. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "maxwell/own.h"
#include "maxwell/wire.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

enum { NX = 12, NY = 11, NZ = 10 };

static struct session session;

static void open_case(double radius, double courant)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "&case model = 'maxwell' /\n&time duration = 1e-9, check_interval = 4 /\n&maxwell allow_coarse = .true., courant = %g /\n"
        "&grid nx = 12, ny = 11, nz = 10, dx = 1e-3, dy = 1e-3, dz = 1e-3 /\n"
        "&geometry shape = 'wire', x = 6e-3, y = 5e-3, z = 5e-3, size_z = 6e-3, radius = %g /\n"
        "&boundary west = 'pec', east = 'pec', south = 'pec', north = 'pec', bottom = 'pec', top = 'pec' /\n"
        "&source kind = 'electric', axis = 'x', x = 7.5e-3, y = 5e-3, z = 5e-3, frequency = 3e10, delay = 1e-11 /\n",
        courant, radius);
    weather_open(&session, text);
}

/* Of cubes: 0.9343 of the longest for a tenth of a cell (wire.h); shorter ones are taken as they are. */
Test(wire_run, steps_are_shorter)
{
    const double full = 1e-3 / (em_c * sqrt(3.0));
    static const double radius[4] = {1e-4, 1e-4, 0, 3e-4}, courant[4] = {0.99, 0.9, 0.99, 1},
                        share[4] = {0.9343, 0.9, 0.99, 1};
    for (int n = 0; n < 4; n++) {
        open_case(radius[n], courant[n]);
        cr_assert_float_eq(session.in.dt_fixed, share[n] * full, 1e-4 * full);
        session_close(&session);
    }
}

/* Halves of m eps E^2 and mu H^2 / m. */
Test(wire_run, energy_beside_a_wire)
{
    double sum[2] = {0, 0}, value[8], courant;
    int beside = 0;
    open_case(3e-5, 0.99);
    const struct maxwell_own *const own = session.in.own;
    cr_assert_eq(session_advance(&session, 40), SF_OK);
    for (int c = 0; c < 6; c++)
        for (int j = 0; j < NY; j++)
            for (int k = 0; k < NZ; k++)
                for (int i = 0; i < NX; i++) {
                    const uint64_t number = wire_number(&own->geometry, c, (const int[3]){i, j, k});
                    const double f = (double)*weather_at(&session, c, i, j, k),
                                 m = number ? (double)number * 0x1p-32 : 1;
                    sum[c / 3] += 0.5e-9 * f * f * (c < 3 ? em_eps0 * m : em_mu0 / m);
                    beside += number && fabs(f) > 0;
                }
    cr_assert_eq(session.model->measure(&session.in, &session.state, session.dt, value, &courant), SF_OK);
    cr_assert_float_eq(value[1], sum[0], 2e-5 * sum[0], "electric: %g, not %g", value[1], sum[0]);
    cr_assert_float_eq(value[2], sum[1], 2e-5 * sum[1], "magnetic: %g, not %g", value[2], sum[1]);
    cr_assert_gt(beside, 40);
    session_close(&session);
}
