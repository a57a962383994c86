/* The wind that takes the divergence out of columns at the start, against its definition: it is the same at all levels,
 * leaves what no column gains or loses, is a gradient that vanishes beyond open sides, and passes no wall. Masses and
 * fluxes are summed here from the state, in double. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 11, NY = 9, NZ = 10 };
static struct session session;
static const double unit = sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON;

static const char grid[] =
    "&case name = 'columns' /\n&grid nx = 11, ny = 9, nz = 10, dx = 20000, dy = 30000, dz = 600, stretch_ratio = 1.15 /\n"
    "&time duration = 4, dt = 2 /\n&base profile = 'constant_n', wind = 'constant', wind_u = 6, wind_v = -4%s /\n"
    "&initial shape = 'gaussian', 'cosine', 'gaussian', variable = 'u', 'v', 'theta', amplitude = 9, -12, 5,\n"
    "x = 3*90000, y = 3*120000, z = 1000, 4000, 2000, radius_x = 3*60000, radius_y = 3*80000, radius_z = 3*3000,\n"
    "column_divergence = '%s' /\n";

static const struct air_case {
    const char *of, *more;
    int open[4], round[2], is_moist;
} cases[] = {
    {"flat, open",
     "&boundary west = 'open', east = 'open', south = 'open', north = 'open' /\n",
     {1, 1, 1, 1},
     {0, 0},
     0},
    {"a hill on a map, moist, one side open",
     "&boundary west = 'open', east = 'wall', south = 'wall', north = 'symmetric' /\n&water scheme = 'kessler' /\n"
     "&map projection = 'lambert', centre_latitude = 50, standard_parallels = 45, 60, earth_radius = 6e5 /\n"
     "&terrain shape = 'bell', height = 1500, half_width = 40000, x = 100000, y = 130000 /\n",
     {1, 0, 0, 0},
     {0, 0},
     1},
    {"a hill between walls, periodic in x",
     "&boundary south = 'wall', north = 'wall' /\n"
     "&terrain shape = 'bell', height = 900, half_width = 40000, x = 100000, y = 130000, coordinate = 'hybrid' /\n",
     {0, 0, 0, 0},
     {1, 0},
     0},
    {"a hill, open", /* faces beyond the last ones are asked for, by cells beyond the sides */
     "&boundary west = 'open', east = 'open', south = 'open', north = 'open' /\n"
     "&terrain shape = 'bell', height = 900, half_width = 40000, x = 100000, y = 130000 /\n",
     {1, 1, 1, 1},
     {0, 0},
     0},
    {"a hill on a map of latitude and longitude",
     "&boundary west = 'open', east = 'wall', south = 'open', north = 'wall' /\n"
     "&map projection = 'latitude_longitude', centre_latitude = 50, earth_radius = 6e5 /\n"
     "&terrain shape = 'bell', height = 1500, half_width = 40000, x = 100000, y = 130000 /\n",
     {1, 0, 1, 0},
     {0, 0},
     0},
    {"periodic", "", {0, 0, 0, 0}, {1, 1}, 0},
    {"walls but in the north",
     "&boundary west = 'wall', east = 'wall', south = 'wall', north = 'open' /\n",
     {0, 0, 0, 1},
     {0, 0},
     0},
    {"open in x, periodic in y, moist",
     "&boundary west = 'open', east = 'open' /\n&water scheme = 'kessler' /\n",
     {1, 1, 0, 0},
     {0, 1},
     1},
};

static double field(int f, int i, int j, int k) { return (double)*weather_at(&session, f, i, j, k); }

/* Of a column: kg/m2 of its levels. */
static void masses(const struct air_case *c, int i, int j, double mass[NZ])
{
    const struct dynamics_own *const own = session.in.own;
    const struct dynamics *const d = &own->ctx;
    struct base_column b;
    cr_assert_eq(base_column_open(&b, own), 0);
    base_column_fill(&b, own, i, j);
    for (int k = 0; k < NZ; k++) {
        const double theta = b.theta[k] + field(F_TH, i, j, k), pi = b.pi0[k] + field(F_PI, i, j, k), T = theta * pi,
                     p = (double)d->p00 * pow(pi, 1 / (double)d->kappa), qv = c->is_moist ? field(F_QV, i, j, k) : 0,
                     qc = c->is_moist ? field(F_QC, i, j, k) : 0,
                     T_rho =
                         T * (1 + qv * (double)own->params.water_vapour_gas_constant / (double)d->R) / (1 + qv + qc);
        mass[k] = p / ((double)d->R * T_rho) * (terrain_z_f(own, i, j, k + 1) - terrain_z_f(own, i, j, k));
    }
    base_column_close(&b);
}

static double mass[NY][NX][NZ];

/* m along_y of the column on that side of face (i, j), or NULL. */
static const double *column(const struct air_case *c, int i, int j)
{
    if (c->round[0]) i = (i + NX) % NX;
    if (c->round[1]) j = (j + NY) % NY;
    return i < 0 || i >= NX || j < 0 || j >= NY ? NULL : mass[j][i];
}

static int is_closed(const struct air_case *c, int along_y, int i, int j)
{
    if (along_y) return !c->round[1] && ((j == 0 && !c->open[2]) || (j == NY && !c->open[3]));
    return !c->round[0] && ((i == 0 && !c->open[0]) || (i == NX && !c->open[1]));
}

/* The map factor at a face, along x or along y: on a map of latitude and longitude the latter is 1. */
static double factor(int along_y, int i, int j, int of_y)
{
    const struct dynamics_own *const own = session.in.own;
    return of_y && own->map.projection.kind == PROJECTION_LATITUDE_LONGITUDE ? 1
                                                                             : map_factor_beside(own, along_y, i, j);
}

/* The flux through a face over the map factor along it, and the mass on it. */
static double flux(const struct air_case *c, int along_y, int i, int j, double *on_it)
{
    const double *const a = column(c, i - !along_y, j - along_y), *const b = column(c, i, j);
    const int at_i = c->round[0] ? i % NX : i, at_j = c->round[1] ? j % NY : j;
    double sum = 0;
    *on_it = 0;
    if (is_closed(c, along_y, i, j)) return 0;
    for (int k = 0; k < NZ; k++) {
        const double m = a && b ? (a[k] + b[k]) / 2 : a ? a[k] : b[k];
        sum += m * field(along_y ? F_V : F_U, at_i, at_j, k), *on_it += m;
    }
    return sum / factor(along_y, i, j, !along_y);
}

/* Of all columns; *round: what rounding of winds to `real` may leave. */
static void divergence(const struct air_case *c, double d[NY][NX], double *round)
{
    const struct grid *const g = session.in.grid;
    *round = 0;
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) masses(c, i, j, mass[j][i]);
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            double on_it;
            d[j][i] = (flux(c, 0, i + 1, j, &on_it) - flux(c, 0, i, j, &on_it)) / g->dx;
            d[j][i] += (flux(c, 1, i, j + 1, &on_it) - flux(c, 1, i, j, &on_it)) / g->dy;
            *round = fmax(*round, 4 * on_it * 25 * unit / g->dx); /* four faces, winds below 25 m/s */
        }
}

static void opened(const struct air_case *c, const char *column_divergence)
{
    char text[2048];
    snprintf(text, sizeof text, grid, c->is_moist ? ", relative_humidity = 0.6" : "", column_divergence);
    strncat(text, c->more, sizeof text - strlen(text) - 1);
    weather_open(&session, text);
}

static double push_x[NY][NX + 1], push_y[NY + 1][NX];

/* What the key adds to the wind of level k over m, at all faces; the ones that go round are those they go to. */
static void push_find(const struct air_case *c, int k, int sign)
{
    for (int j = 0; j <= NY; j++)
        for (int i = 0; i <= NX; i++) {
            const int a = c->round[0] ? i % NX : i, b = c->round[1] ? j % NY : j;
            if (j < NY) {
                const double u = is_closed(c, 0, i, j) ? 0 : field(F_U, a, j, k);
                push_x[j][i] = sign < 0 ? -u : push_x[j][i] + u;
            }
            if (i < NX) {
                const double v = is_closed(c, 1, i, j) ? 0 : field(F_V, i, b, k);
                push_y[j][i] = sign < 0 ? -v : push_y[j][i] + v;
            }
        }
}

Test(divergence, columns_neither_gain_nor_lose)
{
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const struct air_case *const c = &cases[n];
        static double before[NY][NX], after[NY][NX];
        double round, most = 0;
        opened(c, "kept");
        divergence(c, before, &round);
        session_close(&session);
        opened(c, "removed");
        divergence(c, after, &round);
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++) most = fmax(most, fabs(before[j][i]));
        cr_assert_gt(most, 2000 * round, "%s: there is something to take out", c->of);
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++)
                cr_assert_float_eq(after[j][i], 0, round + 1e-8 * most,
                                   "%s: column %d %d gains %.3g of %.3g, %.3g rounding", c->of, i, j, -after[j][i],
                                   most, round);
        session_close(&session);
    }
}

Test(divergence, the_wind_is_a_gradient_at_all_levels)
{
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const struct air_case *const c = &cases[n];
        const struct grid *g;
        static double lowest_x[NY][NX + 1], lowest_y[NY + 1][NX];
        const double round = 60 * unit; /* of winds below 30 m/s, twice */
        double most = 0;
        for (int k = 0; k < NZ; k += NZ - 1) {
            opened(c, "kept");
            push_find(c, k, -1);
            session_close(&session);
            opened(c, "removed");
            push_find(c, k, 1);
            if (k == 0) memcpy(lowest_x, push_x, sizeof push_x), memcpy(lowest_y, push_y, sizeof push_y);
            if (k == 0) session_close(&session);
        }
        g = session.in.grid;
        for (int j = 0; j < NY; j++)
            for (int i = 0; i <= NX; i++) {
                cr_assert_float_eq(push_x[j][i], lowest_x[j][i], round, "%s: u %d %d", c->of, i, j);
                if (is_closed(c, 0, i, j)) cr_assert_eq(push_x[j][i], 0);
                push_x[j][i] *= g->dx / factor(0, i, j, 0), most = fmax(most, fabs(push_x[j][i]));
            }
        for (int j = 0; j <= NY; j++)
            for (int i = 0; i < NX; i++) {
                cr_assert_float_eq(push_y[j][i], lowest_y[j][i], round, "%s: v %d %d", c->of, i, j);
                if (is_closed(c, 1, i, j)) cr_assert_eq(push_y[j][i], 0);
                push_y[j][i] *= g->dy / factor(1, i, j, 1);
            }
        /* Round the corner of four columns, and along a row from beyond one open side to beyond the other. */
        const double slack = 8 * round * g->dy;
        cr_assert_gt(most, 100 * slack, "%s: %g", c->of, most);
        for (int j = 1; j < NY; j++)
            for (int i = 1; i < NX; i++)
                cr_assert_float_eq(push_x[j][i] - push_x[j - 1][i], push_y[j][i] - push_y[j][i - 1], slack,
                                   "%s: it turns round corner %d %d", c->of, i, j);
        for (int j = 0; j < NY; j++) {
            double sum = 0;
            for (int i = 0; i < NX + !c->round[0]; i++) sum += push_x[j][i];
            if (c->round[0] || (c->open[0] && c->open[1]))
                cr_assert_float_eq(sum, 0, 4 * slack, "%s: row %d, %g", c->of, j, sum);
        }
        session_close(&session);
    }
}

/* Air begins along the surfaces, with that wind too. */
Test(divergence, the_wind_climbs_with_it)
{
    const struct air_case *const c = &cases[2];
    static double w[NY][NX];
    opened(c, "kept");
    push_find(c, 0, -1);
    const struct slab *s = &session.state.host.s;
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) w[j][i] = -(double)s->f[F_GROUND_W][(j - s->j0) * s->sm + i];
    session_close(&session);
    opened(c, "removed");
    push_find(c, 0, 1);
    s = &session.state.host.s;
    double most = 0;
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            double rise[2][2], wanted = 0;
            terrain_rises(session.in.own, i, j, rise);
            w[j][i] += (double)s->f[F_GROUND_W][(j - s->j0) * s->sm + i];
            wanted += (rise[0][0] + rise[0][1]) / session.in.grid->dx * (push_x[j][i] + push_x[j][i + 1]) / 2;
            wanted += (rise[1][0] + rise[1][1]) / session.in.grid->dy * (push_y[j][i] + push_y[j + 1][i]) / 2;
            most = fmax(most, fabs(wanted));
            cr_assert_float_eq(w[j][i], wanted, 10 * unit, "%d %d: %g, not %g", i, j, w[j][i], wanted);
        }
    cr_assert_gt(most, 1000 * unit);
    session_close(&session);
}

Test(divergence, a_grid_that_moves_is_refused)
{
    weather_refused(
        "&case name = 'x' /\n&grid nx = 8, ny = 8, nz = 8, dx = 1000, dy = 1000, dz = 500, translation_u = 5 /\n"
        "&time duration = 4, dt = 2 /\n&initial column_divergence = 'removed' /\n",
        "initial%column_divergence", "moves");
}
