/* The models that come as text files, against exact solutions. Where the scheme has a closed form of its own, a single
 * wave, the figure is held to that within round-off; else to the equation, within the error that halving the cells
 * shows. SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include "pipeline/error.h"
#include "pipeline/state.h"

#include <math.h>
#include <string.h>

static double value_at(const struct session *s, int field, int i, int j, int k)
{
    return (double)state_line(&s->state, field, j, k)[i];
}

/* A number of the series, as it is now. */
static int number_now(const struct session *s, const char *name, double *x)
{
    double value[64], courant;
    SF_CHECK(s->in.nquantities <= 64, SF_INTERNAL, "too many numbers in the series");
    SF_TRY(s->model->measure(&s->in, &s->state, s->dt, value, &courant));
    for (int n = 0; n < s->in.nquantities; n++)
        if (!strcmp(s->in.quantity[n].name, name)) *x = value[n];
    return SF_OK;
}

/* What n roundings of a number of that size may come to. */
static double roundings(double n, double size) { return n * size * (SF_PREC == 64 ? 0x1p-53 : 0x1p-24); }

/* What differences of 2nd and 4th order make of -d2/dx2 of a wave, without the digits that 1 - cos loses. */
static double square(double x) { return x * x; }
static double bent2(double k, double h) { return square(2 / h * sin(k * h / 2)); }
static double bent4(double k, double h)
{
    return (64 * square(sin(k * h / 2)) - 4 * square(sin(k * h))) / (12 * h * h);
}

/* y after n steps of y' += dt y_t, y_t -= dt kappa y, which begins with y = 1, y_t = 0: cos n a - tan(a/2) sin n a. */
static double leapfrog(double kappa, double dt, double n)
{
    const double a = 2 * asin(0.5 * dt * sqrt(kappa));
    return cos(n * a) - tan(0.5 * a) * sin(n * a);
}

static int heat(struct verify *v)
{
    enum { STEPS = 400 };
    const double dt = 0.125, k = 2 * M_PI / 128;
    struct session s;
    int rc = verify_open(&s, "&case model = 'heat.sf' / &grid nx = 64, nz = 64, dx = 1, dy = 1, dz = 1 /\n"
                             "&time duration = 50, dt = 0.125 / &boundary west = 'mirror', east = 'mirror' /\n");
    const double begins = rc ? 0 : value_at(&s, 0, 0, 0, 0);
    if (!rc) rc = verify_finish(&s);
    if (!rc) {
        const double ratio = value_at(&s, 0, 0, 0, 0) / begins, exact = pow(1 - dt * 2 * bent2(k, 1), STEPS);
        verify_near(v, "heat.sf: a wave decays, of its start", ratio, exact, roundings(STEPS, 1),
                    "the scheme's own factor of a wave");
        verify_near(v, "  the same", ratio, exp(-2 * k * k * 50), 2e-4, "exp(-kappa k^2 t); dx^2 k^2 / 12 of it");
    }
    session_close(&s);
    return rc;
}

static int acoustic(struct verify *v)
{
    enum { STEPS = 300 };
    const double dt = 0x1p-11, kx = 2 * M_PI / 64, kz = 2 * M_PI / 32, c = 340;
    struct session s;
    int rc = verify_open(
        &s, "&case model = 'acoustic.sf' / &grid nx = 64, nz = 64, dx = 0.5, dy = 0.5, dz = 0.5 /\n"
            "&parameters wave = 1, source = 0, wave_x = 64, wave_z = 32 /\n"
            "&time duration = 0.146484375, dt = 0.00048828125 / &boundary west = 'mirror', east = 'mirror' /\n");
    const double begins = rc ? 0 : value_at(&s, 0, 0, 0, 0);
    if (!rc) rc = verify_finish(&s);
    if (!rc)
        verify_near(v, "acoustic.sf: a standing wave after 7 periods", value_at(&s, 0, 0, 0, 0) / begins,
                    leapfrog(c * c * (bent4(kx, 0.5) + bent4(kz, 0.5)), dt, STEPS), roundings(4 * STEPS, 1),
                    "the scheme's own frequency of a wave");
    session_close(&s);
    return rc;
}

static int shallow_water(struct verify *v)
{
    const double dt = 50, k = 2 * M_PI / 128e3, depth = 10, wave = 0.02;
    struct session s;
    int rc =
        verify_open(&s, "&case model = 'shallow_water.sf' / &grid nx = 64, nz = 2, dx = 1000, dy = 1000, dz = 1 /\n"
                        "&parameters wave = 0.02, wave_x = 128e3 / &time duration = 10000, dt = 50 /\n"
                        "&boundary west = 'mirror', east = 'mirror' /\n");
    double begins = 0, ends = 0;
    if (!rc) rc = number_now(&s, "volume", &begins);
    const double first = rc ? 0 : value_at(&s, 0, 0, 0, 0) - depth;
    if (!rc) rc = verify_finish(&s);
    if (!rc) rc = number_now(&s, "volume", &ends);
    if (!rc) {
        verify_near(v, "shallow_water.sf: a wave after 10000 s, of its start",
                    (value_at(&s, 0, 0, 0, 0) - depth) / first, leapfrog(9.81 * depth * bent2(k, 1000), dt, 200),
                    4 * wave / depth + roundings(400, depth / wave), "waves of no height: height / depth off");
        verify_near(v, "  change of the volume of water", ends / begins - 1, 0, roundings(200, 1),
                    "what flows out flows in");
    }
    session_close(&s);
    return rc;
}

static int gray_scott(struct verify *v)
{
    const double f = 0.06, d = 0.04, u = (1 - sqrt(1 - 4 * (f + d) * (f + d) / f)) / 2, w = f / (f + d) * (1 - u);
    struct session s;
    int rc = verify_open(
        &s,
        "&case model = 'gray_scott.sf' / &grid nx = 16, nz = 16, dx = 0.01, dy = 0.01, dz = 0.01 /\n"
        "&parameters feed = 0.06, decay = 0.04, start_u = 0.25, start_v = 0.5, seed = 0 /\n&time duration = 500, dt = 0.5 /\n");
    if (!rc) rc = verify_finish(&s);
    if (!rc) {
        verify_near(v, "gray_scott.sf: u comes to rest at", value_at(&s, 0, 3, 0, 5), u, roundings(100, 1),
                    "(1 - sqrt(1 - 4 (F + k)^2 / F)) / 2");
        verify_near(v, "  v", value_at(&s, 1, 3, 0, 5), w, roundings(100, 1), "F / (F + k) (1 - u)");
    }
    session_close(&s);
    return rc;
}

/* Largest error of u after 1 s, on n cells a wave. */
static int burgers_error(int n, double *error)
{
    const double nu = 0.1, h = 2 * M_PI / n, e = exp(-3 * nu);
    struct session s;
    int rc = verify_open(
        &s,
        "&case model = 'burgers.sf' / &grid nx = %d, ny = %d, nz = %d, dx = %.17g, dy = %.17g, dz = %.17g /\n"
        "&time duration = 1, dt = %.17g / &boundary bottom = 'periodic', top = 'periodic' /\n",
        n, n, n, h, h, h, 0.5 / n);
    if (!rc) rc = verify_finish(&s);
    *error = 0;
    for (int j = 0; j < n && !rc; j++)
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n; i++) {
                const double x = (i + 0.5) * h, y = (j + 0.5) * h, z = (k + 0.5) * h;
                const double exact = 2 * nu * e * sin(x) * cos(y) * cos(z) / (2 + e * cos(x) * cos(y) * cos(z));
                *error = fmax(*error, fabs(value_at(&s, 0, i, j, k) - exact));
            }
    session_close(&s);
    return rc;
}

static int burgers(struct verify *v)
{
    double coarse, fine;
    SF_TRY(burgers_error(16, &coarse));
    SF_TRY(burgers_error(32, &fine));
    verify_near(v, "burgers.sf: order of the error of u", log2(coarse / fine), 2, 0.2,
                "Cole (1951), Hopf (1950), three-dimensional");
    verify_most(v, "  its largest error on 32 cells a wave, m/s", fine, 1e-3, "the same; u reaches 0.1 m/s");
    return SF_OK;
}

static int schroedinger(struct verify *v)
{
    struct session s;
    int rc = verify_open(
        &s,
        "&case model = 'schroedinger.sf' / &grid nx = 128, nz = 128, dx = 0.1, dy = 1, dz = 0.1, origin_x = -6.4, origin_z = -6.4 /\n"
        "&time duration = %.17g / &boundary west = 'mirror', east = 'mirror' /\n",
        M_PI);
    double begins = 0, ends = 0, place = 0;
    if (!rc) rc = number_now(&s, "probability", &begins);
    if (!rc) rc = verify_finish(&s);
    if (!rc) rc = number_now(&s, "probability", &ends);
    if (!rc) rc = number_now(&s, "mean_x", &place);
    if (!rc) {
        verify_near(v, "schroedinger.sf: place of a coherent state, half a period on", place / ends, -2, 0.01,
                    "Ehrenfest (1927): 2 cos(omega t)");
        verify_near(v, "  its probability, of that at the start", ends / begins, 1, 0.005,
                    "it is kept; a and b are half a step apart");
    }
    session_close(&s);
    return rc;
}

/* Mixing and falling are implicit: a wave along z decays by the scheme's own factor, and of water that falls as well
 * none is lost. */
static int drizzle(struct verify *v)
{
    enum { LEVELS = 40, STEPS = 100 };
    const double dt = 10, dz = 50, k = 2 * M_PI / (2 * LEVELS * dz), kappa = 50;
    struct session s;
    int rc = verify_open(&s, "&case model = 'drizzle.sf' / &grid nx = 3, nz = 40, dx = 50, dy = 50, dz = 50 /\n"
                             "&time duration = 1000, dt = 10 / &parameters cloud = 0, wave = 1, speed = 0 /\n");
    const double first = rc ? 0 : value_at(&s, 0, 1, 0, 0);
    if (!rc) rc = verify_finish(&s);
    if (!rc)
        verify_near(v, "drizzle.sf: a wave mixes, of its start", value_at(&s, 0, 1, 0, 0) / first,
                    pow(1 + dt * kappa * bent2(k, dz), -STEPS), roundings(4 * STEPS, 1),
                    "the scheme's own factor of a wave");
    session_close(&s);
    if (rc) return rc;
    rc = verify_open(&s, "&case model = 'drizzle.sf' / &grid nx = 3, nz = 40, dx = 50, dy = 50, dz = 50 /\n"
                         "&time duration = 1000, dt = 10 /\n");
    double begins = 0, ends = 0;
    if (!rc) rc = number_now(&s, "water", &begins);
    if (!rc) rc = verify_finish(&s);
    if (!rc) rc = number_now(&s, "water", &ends);
    if (!rc) {
        double ground = 0;
        for (int i = 0; i < 3; i++)
            ground += (double)s.state.host.s.f[1][i - s.state.host.s.j0 * s.state.host.s.sm] * 50 * 50;
        verify_near(v, "  water in the air and on the ground, of that at the start", (ends + ground) / begins, 1,
                    roundings(2 * STEPS, 1), "what leaves a level comes to the one below");
    }
    session_close(&s);
    return rc;
}

int verify_models(struct verify *v)
{
    SF_TRY(heat(v));
    SF_TRY(acoustic(v));
    SF_TRY(shallow_water(v));
    SF_TRY(gray_scott(v));
    SF_TRY(burgers(v));
    SF_TRY(schroedinger(v));
    return drizzle(v);
}
