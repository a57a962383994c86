/* What whole runs of a closed box keep, of momentum, heat, water and what is carried: to rounding where no sound stirs
 * the air; where eddies do, what the equations of pi' and of the wind lose, which is told in docs/numerics.md.
 * SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct session session;
static const struct dynamics_own *own;

static double at(int field, int i, int j, int k) { return (double)*weather_at(&session, field, i, j, k); }

static void open_case(const char *more)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "&grid nx = 8, ny = 8, nz = 16, dx = 200, dy = 200, dz = 100 /\n&time duration = 7200, dt = 2 /\n"
             "&base wind = 'table', table_z = 0, 400, 1600, table_u = -5, 5, 8, table_v = 0, 3, -2 /\n"
             "&dynamics mixing = 'off' /\n&turbulence closure = 'tke' /\n%s\n",
             more);
    weather_open(&session, text);
    own = session.in.own;
}

static void advance(int steps) { cr_assert_eq(session_advance(&session, steps), SF_OK, "%s", sf_error_text()); }

static double measured(const char *name)
{
    double values[64], courant;
    cr_assert_leq(session.in.nquantities, 64);
    cr_assert_eq(session.model->measure(&session.in, &session.state, 2, values, &courant), SF_OK, "%s",
                 sf_error_text());
    for (int n = 0; n < session.in.nquantities; n++)
        if (!strcmp(session.in.quantity[n].name, name)) return values[n];
    cr_assert_fail("no %s", name);
    return 0;
}

#define FOR_CELLS                                                                                                      \
    for (int j = 0; j < session.grid.ny; j++)                                                                          \
        for (int k = 0; k < session.grid.nz; k++)                                                                      \
            for (int i = 0; i < session.grid.nx; i++)

/* ---- air that no sound stirs ---- */

/* Of u, v, a tracer, weighed by the density of the base state; and what their sizes sum to. */
static void flat_sums(double sum[3], double size[3])
{
    static const int field[3] = {F_U, F_V, F_Q + F_FAMILY}; /* behind the energy of turbulence */
    memset(sum, 0, 3 * sizeof *sum), memset(size, 0, 3 * sizeof *size);
    FOR_CELLS for (int n = 0; n < 3; n++)
    {
        const double mass = own->base.rho0[k] * (session.grid.z_f[k + 1] - session.grid.z_f[k]),
                     q = at(field[n], i, j, k);
        sum[n] += mass * q, size[n] += mass * fabs(q);
    }
}

/* Neutral air whose wind is the same all along a level: eddies mix the wind and a tracer that it carries, and nothing
 * moves upward. The whole program runs. A step rounds a value thrice at most, by half of the last digit each, and not
 * always the same way. */
Test(closed, momentum_and_tracers_stay, .timeout = 300)
{
    enum { STEPS = 300 };
    for (int implicit = 0; implicit < 2; implicit++) {
        open_case(implicit
                      ? "&base profile = 'neutral' /\n&dynamics tracers = 1 /\n&turbulence vertical = 'implicit' /\n"
                        "&initial shape = 'gaussian', variable = 'tracer', amplitude = 1, x = 800, y = 800,\n"
                        "  z = 500, radius_x = 400, radius_y = 400, radius_z = 300 /"
                      : "&base profile = 'neutral' /\n&dynamics tracers = 1 /\n"
                        "&initial shape = 'gaussian', variable = 'tracer', amplitude = 1, x = 800, y = 800,\n"
                        "  z = 500, radius_x = 400, radius_y = 400, radius_z = 300 /");
        double before[3], after[3], size[3], left[3], mixed = 0;
        flat_sums(before, size);
        advance(STEPS);
        flat_sums(after, left);
        for (int n = 0; n < 3; n++)
            cr_assert_float_eq(after[n], before[n], STEPS * 1.5 * (sizeof(real) == 8 ? 1.2e-16 : 6e-8) * size[n],
                               "implicit %d, %d of u, v, tracer: %.17g of %.17g, %g", implicit, n, after[n], before[n],
                               (after[n] - before[n]) / size[n]);
        FOR_CELLS
        {
            cr_assert_float_eq(at(F_W, i, j, k), 0, 1e-30);
            mixed = fmax(mixed, fabs(at(F_U, i, j, k) - own->base.u0[k]));
        }
        cr_assert_gt(mixed, 0.3, "the wind is mixed by %g m/s", mixed);
        session_close(&session);
    }
}

/* ---- eddies ---- */

/* With the density that the air has: momentum of all air, and theta by dry air, which stays as entropy does. */
struct stirred {
    double u, v, heat, size_u, size_v;
};

static double dry_density(int i, int j, int k)
{
    const double theta = own->base.theta[k] + at(F_TH, i, j, k), exner = own->base.pi0[k] + at(F_PI, i, j, k);
    return 1e5 * pow(exner, 717.5 / 287) / (287 * theta * (1 + 461.5 / 287 * at(F_QV, i, j, k)));
}

static double density(int i, int j, int k)
{
    return dry_density(i, j, k) * (1 + at(F_QV, i, j, k) + at(F_QC, i, j, k));
}

static struct stirred stirred(void)
{
    struct stirred s = {0};
    const int nx = session.grid.nx, ny = session.grid.ny;
    FOR_CELLS
    {
        const double dz = session.grid.z_f[k + 1] - session.grid.z_f[k], u = at(F_U, i, j, k), v = at(F_V, i, j, k);
        const double rho = density(i, j, k), west = density((i + nx - 1) % nx, j, k),
                     south = density(i, (j + ny - 1) % ny, k);
        s.u += dz * u * (rho + west) / 2, s.size_u += dz * fabs(u) * (rho + west) / 2;
        s.v += dz * v * (rho + south) / 2, s.size_v += dz * fabs(v) * (rho + south) / 2;
        s.heat += dz * dry_density(i, j, k) * (own->base.theta[k] + at(F_TH, i, j, k));
    }
    return s;
}

#define HUMID                                                                                                          \
    "&base profile = 'constant_n', relative_humidity = 0.5 /\n&water scheme = 'saturation' /\n&initial noise = 0.1 /\n"

static void eddies_keep(const char *advection, double of_u, double of_v)
{
    static char text[512];
    snprintf(text, sizeof text, HUMID "&dynamics hold_water = 'off', advection = '%s' /\n", advection);
    open_case(text);
    const double water = measured("water");
    const struct stirred before = stirred();
    advance(300);
    const struct stirred after = stirred();
    cr_assert_gt(measured("w_max"), 0.05);
    cr_assert_lt(fabs(after.u - before.u), of_u * before.size_u, "%s: u %g", advection,
                 (after.u - before.u) / before.size_u);
    cr_assert_lt(fabs(after.v - before.v), of_v * before.size_v, "%s: v %g", advection,
                 (after.v - before.v) / before.size_v);
    cr_assert_lt(fabs(after.heat - before.heat), (sizeof(real) == 8 ? 3e-9 : 3e-7) * before.heat, "%s: heat %g",
                 advection, (after.heat - before.heat) / before.heat);
    cr_assert_lt(fabs(measured("water") - water), 5e-7 * water, "%s: water %g", advection,
                 measured("water") / water - 1);
    session_close(&session);
}

/* Guarded at about twice of what is there. The flux form loses of momentum what rho_0 stands for rho in, and the
 * advective one what its divergence of 4th order leaves. */
Test(closed, eddies_lose_what_is_told, .timeout = 300)
{
    eddies_keep("upwind5", 4e-6, 8e-6);
    eddies_keep("centred", 5e-5, 2e-4);
}

/* ---- water that is held ---- */

enum { FIRST = 40, LOOKS = 12 };

/* What the box lacks of the water that it began with, behind each of some steps. */
static void lacks(const char *held, double *lack)
{
    static char text[512];
    snprintf(text, sizeof text, HUMID "&dynamics hold_water = '%s', hold_steps = 1 /\n", held);
    open_case(text);
    const double water = measured("water");
    for (int n = 0; n < LOOKS; n++) {
        advance(n ? 1 : FIRST);
        cr_assert_eq(engine_refresh(&session.engine), SF_OK);
        lack[n] = 1 - measured("water") / water;
    }
    session_close(&session);
}

/* What is lacking of water that is held at every step is what the last one lost beyond what the two before it let
 * expect: 1.5 of the one before less 0.5 of that before it (mass.h). The losses are those of a run that holds nothing;
 * nothing else is lost. Of vapour that is given 1 % lacks, for it takes room of dry air; and a swing of sound has
 * 4 times of a loss at a time: 5 % of the largest. 32 bits round the water of all cells by more than that. */
Test(closed, water_lacks_what_was_not_expected, .timeout = 300)
{
    double off[LOOKS], on[LOOKS], want[LOOKS], most = 0;
    lacks("off", off), lacks("on", on);
    for (int n = 3; n < LOOKS; n++) {
        const double lost = off[n] - off[n - 1], before = off[n - 1] - off[n - 2], earlier = off[n - 2] - off[n - 3];
        want[n] = lost - 1.5 * before + 0.5 * earlier;
        most = fmax(most, fabs(want[n]));
    }
    cr_assert(sizeof(real) == 4 || (most > 1e-10 && most < 1e-8), "%g", most);
    for (int n = 3; n < LOOKS; n++)
        cr_assert_float_eq(on[n], want[n], sizeof(real) == 8 ? 0.05 * most : 1e-6,
                           "step %d: %g of the water lacks, not %g", FIRST + n, on[n], want[n]);
}
