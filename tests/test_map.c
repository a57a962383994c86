/* Maps of the round Earth in runs, by value: what stages read against the formulas of Snyder 1987, written anew; the
 * output; a map of one factor, to the bit; flow that is steady on the sphere; what is refused. Projections themselves:
 * see test_projection.c, stages: test_terrain_stages.c. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "dynamics/budget.h"
#include "io/history.h"
#include "io/writer.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NX = 14, NY = 11, NZ = 4 };

static const double earth = 6371229, omega = 7.292115e-5, dx = 40e3, dy = 30e3;
static const double unit = sizeof(real) == 8 ? 64 * DBL_EPSILON : FLT_EPSILON;
static struct session session;

static const struct dynamics_own *own(void) { return session.in.own; }
static double radians(double degrees) { return degrees * M_PI / 180; }
static double at(int field, int i, int j, int k) { return (double)*weather_at(&session, field, i, j, k); }
static real *map_place(int field, int i, int j)
{
    const struct slab *const s = &session.state.host.s;
    return &s->f[field][(j - s->j0) * s->sm + i];
}
static double map_at(int field, int i, int j) { return (double)*map_place(field, i, j); }

static void near(double is, double wanted, double error, const char *what, int i, int j)
{
    cr_assert(fabs(is - wanted) <= error, "%s at %d %d: %.12g, not %.12g", what, i, j, is, wanted);
}

#define FOR_COLUMNS                                                                                                    \
    for (int j = 0; j < NY; j++)                                                                                       \
        for (int i = 0; i < NX; i++)

/* ---- what stages read ---- */

/* The place of x, y of a Lambert map with standard parallels of 35 and 55 degrees, centred on 48 N 12 E: m, latitude,
 * longitude, angle between the map's x and east, from rho and theta. */
struct place {
    double m, latitude, longitude, turn;
};

static double t_of(double latitude) { return tan(M_PI / 4 - latitude / 2); }

static struct place lambert(double x, double y)
{
    const double p1 = radians(35), p2 = radians(55);
    const double n = log(cos(p1) / cos(p2)) / log(t_of(p1) / t_of(p2)), F = cos(p1) * pow(t_of(p1), -n) / n;
    const double meridian = 20, rho_0 = earth * F * pow(t_of(radians(48)), n), from = n * radians(12 - meridian);
    /* The middle of the domain, at (100, 200) km, is the centre of the map. */
    const double X = x - 100e3 + rho_0 * sin(from), Y = y - 200e3 + rho_0 * (1 - cos(from));
    const double rho = hypot(X, rho_0 - Y), theta = atan2(X, rho_0 - Y);
    const double latitude = M_PI / 2 - 2 * atan(pow(rho / (earth * F), 1 / n));
    return (struct place){n * rho / (earth * cos(latitude)), latitude, meridian + theta / n * 180 / M_PI, -theta};
}

#define LAMBERT                                                                                                            \
    "&grid nx = 14, ny = 11, nz = 4, dx = 40e3, dy = 30e3, dz = 500, origin_x = -180e3, origin_y = 35e3 /\n"               \
    "&time duration = 40, dt = 20 /\n&map projection = 'lambert', centre_latitude = 48, centre_longitude = 12,\n"          \
    "standard_parallels = 35, 55, central_meridian = 20 /\n&boundary west = 'open', east = 'wall', south = 'symmetric',\n" \
    "north = 'open' /\n"

#define LATITUDES                                                                                                      \
    "&grid nx = 14, ny = 11, nz = 4, dx = 40e3, dy = 30e3, dz = 500, origin_x = -180e3, origin_y = 35e3 /\n"           \
    "&time duration = 40, dt = 20 /\n&map projection = 'latitude_longitude', centre_latitude = 60,\n"                  \
    "centre_longitude = 12, standard_parallels = 48 /\n&boundary west = 'open', east = 'wall', south = 'open',\n"      \
    "north = 'symmetric' /\n"

static double x_of(double i) { return -180e3 + dx * i; }
static double y_of(double j) { return 35e3 + dy * j; }

Test(map, fields_by_value)
{
    weather_open(&session, LAMBERT);
    FOR_COLUMNS
    {
        const struct place c = lambert(x_of(i + 0.5), y_of(j + 0.5)), w = lambert(x_of(i), y_of(j + 0.5)),
                           e = lambert(x_of(i + 1), y_of(j + 0.5)), s = lambert(x_of(i + 0.5), y_of(j)),
                           n = lambert(x_of(i + 0.5), y_of(j + 1));
        near(map_at(F_MAP_FACTOR, i, j), c.m, unit, "m", i, j);
        near(map_at(F_MAP_WEST, i, j), w.m, unit, "m of u", i, j);
        near(map_at(F_MAP_SOUTH, i, j), s.m, unit, "m of v", i, j);
        near(map_at(F_MAP_WEST, i + 1, j), e.m, unit, "m of u in the east", i, j);
        near(map_at(F_MAP_SOUTH, i, j + 1), n.m, unit, "m of v in the north", i, j);
        near(map_at(F_CORIOLIS, i, j), 2 * omega * sin(c.latitude), 2e-4 * unit, "f", i, j);
        near(map_at(F_TILT_X, i, j), 2 * omega * cos(c.latitude) * cos(c.turn), 2e-4 * unit, "e cos", i, j);
        near(map_at(F_TILT_Y, i, j), 2 * omega * cos(c.latitude) * sin(c.turn), 2e-4 * unit, "e sin", i, j);
    }
    near((double)own()->ctx.rearth, 1 / earth, unit / earth, "1/a", 0, 0);
    double columns = 0, least = 2, most = 0;
    FOR_COLUMNS
    {
        const double m = lambert(x_of(i + 0.5), y_of(j + 0.5)).m;
        columns += 1 / (m * m), least = fmin(least, m), most = fmax(most, m);
    }
    near(own()->map.columns, columns, 1e-9 * columns, "columns", 0, 0);
    near(own()->map.least, least, 1e-12, "the least factor", 0, 0),
        near(own()->map.most, most, 1e-12, "the most", 0, 0);
    /* Sound limits the time step by the shortest true distances. */
    const double sound = own()->base.figures.sound_max,
                 wanted = 3 / (sound * most * sqrt(1 / (dx * dx) + 1 / (dy * dy)));
    near(session.in.dt_limit, wanted, 1e-9 * wanted, "the time step", 0, 0);
    session_close(&session);
}

/* True scale at the centre and no turn where only that is said. Rows of a section are their own neighbours. */
Test(map, by_itself_true_at_the_centre)
{
    static const char *const of[] = {"lambert", "polar_stereographic", "mercator"};
    for (int n = 0; n < 3; n++) {
        char text[512];
        snprintf(text, sizeof text,
                 "&grid nx = 3, ny = 3, nz = 4, dx = 1000, dy = 1000, dz = 500 /\n&time duration = 1, dt = 1 /\n"
                 "&map projection = '%s', centre_latitude = -50, centre_longitude = 190, rotation_rate = 1e-4 /\n"
                 "&boundary west = 'wall', east = 'wall', south = 'wall', north = 'wall' /\n",
                 of[n]);
        weather_open(&session, text);
        near(map_at(F_MAP_FACTOR, 1, 1), 1, unit, of[n], 1, 1),
            near(map_at(F_TILT_Y, 1, 1), 0, 1e-4 * unit, of[n], 1, 1);
        near(map_at(F_CORIOLIS, 1, 1), -2e-4 * sin(radians(50)), 1e-4 * unit, of[n], 1, 1);
        session_close(&session);
    }
    weather_open(&session,
                 "&grid nx = 8, ny = 1, nz = 4, dx = 1000, dy = 90e3, dz = 500 /\n&time duration = 1, dt = 1 /\n"
                 "&map projection = 'mercator', centre_latitude = 50, standard_parallels = 10 /\n");
    const double m = cos(radians(10)) / cos(radians(50));
    for (int i = 0; i < 8; i++) {
        near(map_at(F_MAP_SOUTH, i, 0), m, 2 * unit, "m", i, 0);
        near(map_at(F_MAP_SOUTH, i, 1), map_at(F_MAP_SOUTH, i, 0), 0, "m in the north", i, 0);
    }
    session_close(&session);
}

/* u = U cos(latitude) eastward turns with 2 U / a sin(latitude) about the vertical. */
static void solid_wind(double speed)
{
    const struct grid *const g = &session.grid;
    for (int j = 0; j <= g->ny; j++)
        for (int i = 0; i <= g->nx; i++)
            for (int y = 0; y < 2; y++) {
                const struct projection_place p =
                    projection_at(&own()->map.projection, grid_x(g, i, !y) - own()->map.false_easting,
                                  grid_y(g, j, y) - own()->map.false_northing);
                const double east = speed * cos(radians(p.latitude));
                for (int k = 0; k < g->nz; k++)
                    *weather_at(&session, y ? F_V : F_U, i, j, k) = (real)(y ? -east * p.sin_turn : east * p.cos_turn);
            }
}

/* ---- sums and extremes ---- */

static double value_of(const char *name)
{
    double values[64], courant;
    cr_assert_eq(session.model->measure(&session.in, &session.state, 20, values, &courant), SF_OK);
    for (int n = 0; n < session.in.nquantities; n++)
        if (!strcmp(session.in.quantity[n].name, name)) return values[n];
    cr_assert_fail("no %s", name);
    return 0;
}

/* Mass lies on the true area of cells, and winds pass true distances. */
Test(map, mass_and_courant_number)
{
    weather_open(&session, LAMBERT);
    double mass = 0, courant = 0;
    weather_stir(&session);
    FOR_COLUMNS
    {
        const double m = lambert(x_of(i + 0.5), y_of(j + 0.5)).m;
        for (int k = 0; k < NZ; k++) {
            const double exner = at(F_PI0_OVER, i, j, k) + at(F_PI, i, j, k),
                         theta = at(F_TH0_OVER, i, j, k) + at(F_TH, i, j, k);
            mass += 1e5 * pow(exner, 717.5 / 287) / (287 * theta) * dx * dy / (m * m) * 500;
            courant = fmax(courant, 20 * (m * fabs(at(F_U, i, j, k)) / dx + m * fabs(at(F_V, i, j, k)) / dy +
                                          fabs(at(F_W, i, j, k)) / 500));
        }
    }
    near(value_of("mass"), mass, 20 * unit * mass, "mass", 0, 0);
    near(value_of("courant"), courant, 4 * unit, "the Courant number", 0, 0);
    session_close(&session);
}

/* Of latitude and longitude the factor is that along x, cos(phi_1) / cos(phi): areas, steps, slopes, vorticity, what
 * leaves. */
/* Solid rotation of 20 m/s at the equator has 2 (20 m/s / earth) sin(latitude). */
static void vorticity_look(double (*latitude)(double x, double y))
{
    solid_wind(20);
    cr_assert_eq(engine_refresh(&session.engine), SF_OK);
    const struct diagnostic *d = session.in.diagnostic;
    while (strcmp(d->name, "vorticity_z")) d++;
    real row[NZ * NX];
    for (int j = 2; j < NY - 2; j++) {
        d->row(&session.state.host.s, session.in.ctx, j, row);
        for (int i = 2; i < NX - 2; i++)
            near((double)row[i], 40 / earth * sin(latitude(x_of(i + 0.5), y_of(j + 0.5))), 4e-9, "vorticity", i, j);
    }
}

static double latitude_north(double x, double y) { return (void)x, radians(60) + (y - 200e3) / earth; }
static double latitude_lambert(double x, double y) { return lambert(x, y).latitude; }

Test(map, latitudes_and_longitudes)
{
    weather_open(&session, LATITUDES
                 "&terrain shape = 'ridge', height = 1200, half_width = 90e3, x = 60e3, turn = 40, coordinate = "
                 "'basic' /\n");
    double mass = 0, courant = 0, columns = 0, most = 0;
    weather_stir(&session);
    FOR_COLUMNS
    {
        const double phi = radians(60) + (y_of(j + 0.5) - 200e3) / earth, m = cos(radians(48)) / cos(phi),
                     south = cos(radians(48)) / cos(phi - dy / 2 / earth);
        near(map_at(F_MAP_FACTOR, i, j), m, 2 * unit, "m", i, j),
            near(map_at(F_MAP_WEST, i, j), m, 2 * unit, "m of u", i, j);
        near(map_at(F_MAP_SOUTH, i, j), south, 2 * unit, "m of v", i, j);
        near(map_at(F_CORIOLIS, i, j), 2 * omega * sin(phi), 2e-4 * unit, "f", i, j);
        near(map_at(F_TILT_X, i, j), 2 * omega * cos(phi), 2e-4 * unit, "e", i, j);
        near(map_at(F_TILT_Y, i, j), 0, 0, "e sin", i, j);
        columns += 1 / m, most = fmax(most, m);
        for (int k = 0; k < NZ; k++) {
            const double exner = at(F_PI0_OVER, i, j, k) + at(F_PI, i, j, k),
                         theta = at(F_TH0_OVER, i, j, k) + at(F_TH, i, j, k), thin = at(F_THIN, i, j, k);
            mass += 1e5 * pow(exner, 717.5 / 287) / (287 * theta) * dx * dy / m * 500 / thin;
            courant = fmax(courant, 20 * (m * fabs(at(F_U, i, j, k)) / dx + fabs(at(F_V, i, j, k)) / dy +
                                          thin * fabs(at(F_W, i, j, k)) / 500));
        }
    }
    near(own()->map.columns, columns, 1e-9 * columns, "columns", 0, 0);
    near(own()->map.most, most, 1e-12, "the most", 0, 0), near(own()->map.most_y, 1, 0, "the most along y", 0, 0);
    near(value_of("mass"), mass, 20 * unit * mass, "mass", 0, 0);
    near(value_of("courant"), courant, 4 * unit, "the Courant number", 0, 0);
    const double sound = own()->base.figures.sound_max,
                 wanted = 3 / (sound * sqrt(most * most / (dx * dx) + 1 / (dy * dy)));
    cr_assert(session.in.dt_limit <= wanted * (1 + 1e-9));
    near(session.in.dt_limit, wanted, 1e-9 * wanted, "the time step", 0, 0);
    session_close(&session);

    weather_open(&session, LATITUDES);
    vorticity_look(latitude_north);
    double latitude, longitude;
    session.in.mapping->place(&session.in, 100e3, 200e3, &latitude, &longitude);
    near(latitude, 60, 1e-11, "latitude", 0, 0), near(longitude, 12, 1e-11, "longitude", 0, 0);
    cr_assert_str_eq(session.in.mapping->name, "latitude_longitude");
    session_close(&session);
}

/* Distances along y are true whatever the factor along x is, above 1 or below: they limit the step of turbulence. */
Test(map, turbulence_of_latitudes_and_longitudes)
{
    static const double parallel[] = {0, 60}, factor[] = {1, 0.5};
    for (int n = 0; n < 2; n++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "&case name = 'map' /\n&grid nx = 8, ny = 8, nz = 10, dx = 4e3, dy = 1e3, dz = 400 /\n"
            "&map projection = 'latitude_longitude', centre_latitude = 0, standard_parallels = %g /\n"
            "&boundary south = 'wall', north = 'wall' /\n&turbulence closure = 'smagorinsky', expected_diffusivity = 2e4 /\n&time duration = 1 /\n"
            "&initial wind_u = 1 /\n",
            parallel[n]);
        weather_open(&session, text);
        const double across = factor[n] / 4e3, a = turbulence_most(own(), 5) / TURBULENCE_SHARE,
                     level =
                         1 / (across * across + 1e-6); /* of K along x and y, where it is that along z times a number */
        const double flat = (1 / a - 1 / (400. * 400.)) * level;
        session_close(&session);
        static double first;
        if (!n) first = flat;
        near(flat, first, 1e-3 * first, "share of K along x and y", 0, 0);
    }
}

/* What falls on a cell's ground, or comes from there, does so by its true area. */
Test(map, cell_of_true_size)
{
    const real theta = 300, exner = 1, thin = R(0.5), none = 0, factor = 2;
    const struct budget_line line = {.theta0 = &theta,
                                     .pi0 = &exner,
                                     .thin = &thin,
                                     .large = &none,
                                     .small = &none,
                                     .factor = &factor,
                                     .level = {.volume = 48, .area = 8}};
    struct budget_line latitudes = line;
    latitudes.true_along_y = 1;
    const struct budget_level cell = budget_cell(&line, 0), half = budget_cell(&latitudes, 0);
    near(cell.area, 2, 0, "area", 0, 0), near(cell.volume, 24, 0, "volume", 0, 0);
    near(half.area, 4, 0, "area", 0, 0), near(half.volume, 48, 0, "volume", 0, 0);
    const real sum = 6, lost = R(0.5);
    struct out_line out = {.sum = {&sum}, .lost = {&lost}, .factor = &factor, .area = 8};
    near(out_at(&out, 0, 0), 5.5 * 2, 0, "a sum over the ground", 0, 0);
    out.true_along_y = 1;
    near(out_at(&out, 0, 0), 5.5 * 4, 0, "a sum over the ground", 0, 0);
    out.factor = NULL;
    near(out_at(&out, 0, 0), 5.5 * 8, 0, "a sum over flat ground", 0, 0);
}

/* The series of a run on a map has what the ground gave to each cell's true area. */
Test(map, what_the_ground_gave)
{
    weather_open(&session, LATITUDES "&surface heat = 'flux', heat_flux = 0.1 /\n");
    double want = 0;
    FOR_COLUMNS
    {
        const struct slab *const s = &session.state.host.s;
        s->f[F_GROUND_ENERGY][(j - s->j0) * s->sm + i] = (real)(3 + i - 2 * j);
        want += (3 + i - 2 * j) * dx * dy / map_at(F_MAP_FACTOR, i, j);
    }
    near(value_of("ground_energy"), want, 1e-9 * dx * dy, "what the ground gave", 0, 0);
    session_close(&session);
}

/* A ridge: slopes, and the wind that begins along them, are of true distances; the mean height is that of true areas.
 */
static void hills_check(const char *map, double (*factor)(int, int), double (*factor_y)(int, int))
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s", map,
             "&terrain shape = 'ridge', height = 1200, half_width = 90e3, x = 60e3, turn = 40, coordinate = "
             "'basic' /\n&base wind = 'constant', wind_u = 12, wind_v = -7 /\n&initial wind_u = 90 /\n");
    weather_open(&session, text);
    double slope = 0, sum = 0, columns = 0, rate = 0;
    FOR_COLUMNS
    {
        const double m = factor(i, j), n = factor_y(i, j), h = map_at(F_TERRAIN, i, j),
                     rise_x = map_at(F_LARGE_EAST, i, j) - map_at(F_LARGE_WEST, i, j),
                     rise_y = map_at(F_LARGE_NORTH, i, j) - map_at(F_LARGE_SOUTH, i, j);
        near(map_at(F_GROUND_W, i, j), m * 102 * rise_x / dx - n * 7 * rise_y / dy, 200 * unit, "w on the ground", i,
             j);
        sum += h / (m * n), columns += 1 / (m * n), rate = fmax(rate, m * 102 / dx + n * 7 / dy);
        if (!i || !j) continue;
        slope =
            fmax(slope, hypot(m * (h - map_at(F_TERRAIN, i - 1, j)) / dx, n * (h - map_at(F_TERRAIN, i, j - 1)) / dy));
    }
    near(own()->terrain.slope, slope, 4e3 * unit / dx, "the steepest slope", 0, 0);
    near(own()->terrain.mean, sum / columns, 2e3 * unit, "the mean height", 0, 0);
    near(own()->start_rate, rate, 4 * unit * rate, "the rate of the start", 0, 0);
    session_close(&session);
}

static double of_lambert(int i, int j) { return lambert(x_of(i + 0.5), y_of(j + 0.5)).m; }
static double of_latitude(int i, int j)
{
    return i < 0 ? 0 : cos(radians(48)) / cos(radians(60) + (y_of(j + 0.5) - 200e3) / earth);
}
static double one(int i, int j) { return i + j < 0 ? 0 : 1; }

Test(map, hills_on_a_map)
{
    hills_check(LAMBERT, of_lambert, of_lambert);
    hills_check(LATITUDES, of_latitude, one);
}

/* ---- diagnostics ---- */

Test(map, vorticity_of_solid_rotation)
{
    weather_open(&session, LAMBERT);
    vorticity_look(latitude_lambert);
    session_close(&session);
}

/* ---- a map of one factor ---- */

static const int kept[] = {F_U, F_V, F_W, F_TH, F_PI};
enum { KEPT = 5, CELLS = 12, LEVELS = 8 };
static real values[KEPT][CELLS][LEVELS][CELLS];

/* Two times the distances and a map factor of 2 make the same numbers, for all products with powers of 2 are exact; on
 * one of latitude and longitude those along x. */
static long stepped(double scale, int latitudes, const char *sides)
{
    const double y = latitudes ? 1 : scale;
    char text[2048];
    snprintf(text, sizeof text,
             "&grid nx = 12, ny = 12, nz = 8, dx = %.17g, dy = %.17g, dz = 500 /\n&time duration = 40, dt = 1 /\n"
             "&dynamics mixing_rate = 5e-3, hold_mass = 'off', advection = 'upwind3' /\n&boundary %s /\n"
             "&base profile = 'constant_n' /\n&initial variable = 'theta', 'pi', shape = 'gaussian', 'gaussian', "
             "amplitude = 4, 1e-4, x = %.17g, %.17g, y = %.17g, %.17g, z = 900, 1500, radius_x = %.17g, %.17g, "
             "radius_y = %.17g, %.17g, radius_z = 700, 900 /\n&terrain shape = '%s', height = 300, half_width = "
             "%.17g, x = %.17g, y = %.17g, coordinate = '%s' /\n",
             500 * scale, 625 * y, sides, 3000 * scale, 4000 * scale, 3500 * y, 2000 * y, 1500 * scale, 2000 * scale,
             1800 * y, 2500 * y, latitudes ? "ridge" : "bell", 1000 * scale, 2500 * scale, 4000 * y,
             latitudes ? "basic" : "sleve");
    weather_open(&session, text);
    for (int f = F_MAP_FACTOR; f <= F_MAP_SOUTH; f++)
        for (int j = 0; j <= CELLS; j++)
            for (int i = 0; i <= CELLS; i++) *map_place(f, i, j) = (real)scale;
    ((struct dynamics_own *)session.in.own)->ctx.true_along_y = (real)latitudes;
    cr_assert_eq(engine_refresh(&session.engine), SF_OK);
    cr_assert_eq(session_advance(&session, 15), SF_OK);
    long other = 0;
    for (int f = 0; f < KEPT; f++)
        for (int j = 0; j < CELLS; j++)
            for (int k = 0; k < LEVELS; k++)
                for (int i = 0; i < CELLS; i++) {
                    const real x = *weather_at(&session, kept[f], i, j, k);
                    other += memcmp(&x, &values[f][j][k][i], sizeof x) != 0, values[f][j][k][i] = x;
                }
    session_close(&session);
    return other;
}

Test(map, one_factor_is_another_spacing)
{
    static const char *const sides[] = {"west = 'periodic', east = 'periodic'",
                                        "west = 'open', east = 'open', south = 'wall', north = 'open'",
                                        "west = 'wall', east = 'open', south = 'open', north = 'symmetric'"};
    for (int n = 0; n < 6; n++) {
        const long all = stepped(1, n / 3, sides[n % 3]), other = stepped(2, n / 3, sides[n % 3]);
        cr_assert(all > KEPT * CELLS * LEVELS * CELLS / 2 && !other, "sides %d: %ld of %ld values are others", n, other,
                  all);
    }
}

/* ---- flow on the sphere ---- */

/* In a section on Mercator's map a uniform wind turns with f: (u, v) = U (cos ft, -sin ft). e and curvature let it rise
 * by U^2/a + e U, which the lid turns into pressure; of U this is 3e-4. */
Test(map, inertial_oscillation)
{
    weather_open(&session,
                 "&grid nx = 4, ny = 1, nz = 4, dx = 20e3, dy = 20e3, dz = 250 /\n&time duration = 20000, dt = 25 /\n"
                 "&map projection = 'mercator', centre_latitude = -40, standard_parallels = 0 /\n"
                 "&initial wind_u = 10 /\n&base profile = 'neutral' /\n&dynamics hold_mass = 'off' /\n");
    cr_assert_eq(session_advance(&session, 640), SF_OK);
    const double phase = 2 * omega * sin(radians(-40)) * 16000;
    for (int k = 0; k < 4; k++) {
        near(at(F_U, 1, 0, k), 10 * cos(phase), 0.02, "u", 1, k),
            near(at(F_V, 1, 0, k), -10 * sin(phase), 0.02, "v", 1, k);
    }
    session_close(&session);
}

/* Air that turns as a solid body, U cos(latitude) eastward, is steady with
 *
 *     cp theta pi' = (Omega a U + U^2 / 2) cos^2(latitude) + (2 Omega U + U^2 / a) cos^2(latitude) z
 *
 * but for what z/a makes of the second part. Returns the largest departure of the horizontal wind, m/s, of 1200 s, of
 * cells that nothing from the sides has reached. */
static double drift(const char *map, int cells)
{
    const double speed = 40, length = 2400e3, theta = 300, cp = 1004.5;
    char text[1024];
    snprintf(text, sizeof text,
             "&grid nx = %d, ny = %d, nz = 2, dx = %.17g, dy = %.17g, dz = 250 /\n&time duration = 1200, dt = %g /\n"
             "&boundary west = 'open', east = 'open', south = 'open', north = 'open' /\n&map %s /\n"
             "&base profile = 'neutral', surface_theta = 300 /\n&dynamics hold_mass = 'off', mixing = 'off' /\n",
             cells, cells, length / cells, length / cells, 2400.0 / cells, map);
    weather_open(&session, text);
    solid_wind(speed);
    const struct grid *const g = &session.grid;
    for (int j = 0; j < g->ny; j++)
        for (int i = 0; i < g->nx; i++) {
            double latitude, longitude;
            session.in.mapping->place(&session.in, grid_x(g, i, 0), grid_y(g, j, 0), &latitude, &longitude);
            const double square = pow(cos(radians(latitude)), 2);
            for (int k = 0; k < g->nz; k++)
                *weather_at(&session, F_PI, i, j, k) =
                    (real)((omega * earth * speed + speed * speed / 2 +
                            (2 * omega * speed + speed * speed / earth) * g->z_c[k]) *
                           square / (cp * theta));
        }
    cr_assert_eq(engine_refresh(&session.engine), SF_OK);
    static real u[96][96], v[96][96];
    for (int j = 0; j < cells; j++)
        for (int i = 0; i < cells; i++)
            u[j][i] = *weather_at(&session, F_U, i, j, 0), v[j][i] = *weather_at(&session, F_V, i, j, 0);
    cr_assert_eq(session_advance(&session, session_steps_left(&session)), SF_OK);
    double most = 0;
    for (int j = cells / 3; j < cells - cells / 3; j++)
        for (int i = cells / 3; i < cells - cells / 3; i++)
            most = fmax(most, fmax(fabs(at(F_U, i, j, 0) - (double)u[j][i]), fabs(at(F_V, i, j, 0) - (double)v[j][i])));
    session_close(&session);
    return most;
}

Test(map, solid_rotation_is_steady, .timeout = 300)
{
    static const char *const of[] = {
        "projection = 'lambert', centre_latitude = 50, centre_longitude = 15, standard_parallels = 35, 60, central_meridian = -10",
        "projection = 'lambert', centre_latitude = -35, centre_longitude = 150, central_meridian = 130",
        "projection = 'polar_stereographic', centre_latitude = 85, centre_longitude = 30, central_meridian = -100, standard_parallels = 60",
        "projection = 'polar_stereographic', centre_latitude = -60, centre_longitude = -70, central_meridian = 0",
        "projection = 'mercator', centre_latitude = -30, centre_longitude = 30, standard_parallels = 0",
        "projection = 'latitude_longitude', centre_latitude = 40, centre_longitude = 30, standard_parallels = 35"};
    for (int n = 0; n < 6; n++) {
        const double coarse = drift(of[n], 24), fine = drift(of[n], 48);
        cr_assert(coarse < 0.03, "%s: the wind changes by %g m/s", of[n], coarse);
        cr_assert(fine < 5e-4, "%s: the wind changes by %g m/s, then %g", of[n], coarse, fine);
    }
}

/* ---- the output ---- */

static int file_id(const char *dir, const char *name)
{
    char path[128];
    int id;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    cr_assert_eq(nc_open(path, NC_NOWRITE, &id), NC_NOERR, "no %s", path);
    unlink(path);
    return id;
}

static void text_check(int id, const char *variable, const char *name, const char *wanted)
{
    char text[256] = "";
    int var;
    cr_assert_eq(nc_inq_varid(id, variable, &var), NC_NOERR, "no %s", variable);
    cr_assert_eq(nc_get_att_text(id, var, name, text), NC_NOERR, "no %s of %s", name, variable);
    cr_assert_str_eq(text, wanted, "%s of %s: '%s'", name, variable, text);
}

static void history_made(const char *text, const char *dir)
{
    struct history *h;
    struct output_info info = {.directory = dir,
                               .case_name = "map",
                               .model = "dynamics",
                               .backend = "cpu",
                               .source = "test",
                               .history = "test",
                               .namelist_text = ""};
    weather_open(&session, text);
    cr_assert_eq(writer_open(&info.writer), SF_OK);
    cr_assert_eq(history_open(&h, &session.in, &session.state, &info), SF_OK);
    cr_assert_eq(history_write(h, &session.state, 0), SF_OK);
    cr_assert_eq(history_close(&h, &session.state), SF_OK);
    writer_close(&info.writer);
}

/* Of a region, whose first column and row are not those of the domain. */
Test(map, history_says_where_it_is)
{
    char dir[] = "/tmp/sferic-map-XXXXXX", name[64];
    cr_assert(mkdtemp(dir));
    history_made(LAMBERT "&output region = -80e3, 300e3, 100e3, 280e3, 0, 1900 /\n", dir);
    snprintf(name, sizeof name, "history_%s.nc", "00000000.000");
    const int id = file_id(dir, name);
    rmdir(dir);
    double number[2];
    static const struct {
        const char *name;
        size_t n;
        double value[2];
    } of[] = {{"standard_parallel", 2, {35, 55}},
              {"longitude_of_central_meridian", 1, {20}},
              {"latitude_of_projection_origin", 1, {48}},
              {"earth_radius", 1, {6371229}}};
    int crs, var;
    cr_assert_eq(nc_inq_varid(id, "crs", &crs), NC_NOERR);
    text_check(id, "crs", "grid_mapping_name", "lambert_conformal_conic");
    for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) {
        size_t length = 0;
        cr_assert_eq(nc_inq_attlen(id, crs, of[n].name, &length), NC_NOERR, "no %s", of[n].name);
        cr_assert_eq(length, of[n].n);
        cr_assert_eq(nc_get_att_double(id, crs, of[n].name, number), NC_NOERR);
        for (size_t m = 0; m < of[n].n; m++) near(number[m], of[n].value[m], 0, of[n].name, (int)m, 0);
    }
    /* x less false_easting and y less false_northing are the map's own: of (100, 200) km those of 48 N 12 E. */
    const double p1 = radians(35), p2 = radians(55);
    const double n = log(cos(p1) / cos(p2)) / log(t_of(p1) / t_of(p2)),
                 rho = earth * cos(p1) * pow(t_of(radians(48)) / t_of(p1), n) / n;
    cr_assert_eq(nc_get_att_double(id, crs, "false_easting", number), NC_NOERR);
    near(number[0], 100e3 - rho * sin(n * radians(-8)), 1e-6, "false_easting", 0, 0);
    cr_assert_eq(nc_get_att_double(id, crs, "false_northing", number), NC_NOERR);
    near(number[0], 200e3 - rho * (1 - cos(n * radians(-8))), 1e-6, "false_northing", 0, 0);

    cr_assert_neq(nc_inq_varid(id, "terrain_height", &var), NC_NOERR, "flat ground is shown");
    static const char *const shown[] = {"u", "w", "theta_p", "map_factor", "coriolis_parameter"};
    for (int m = 0; m < 5; m++)
        text_check(id, shown[m], "grid_mapping", "crs"), text_check(id, shown[m], "coordinates", "latitude longitude");
    text_check(id, "x", "standard_name", "projection_x_coordinate"),
        text_check(id, "y", "standard_name", "projection_y_coordinate");
    text_check(id, "latitude", "units", "degrees_north"), text_check(id, "longitude", "units", "degrees_east");
    text_check(id, "latitude", "standard_name", "latitude"), text_check(id, "longitude", "standard_name", "longitude");
    cr_assert_neq(nc_inq_attlen(id, (nc_inq_varid(id, "theta_0", &var), var), "grid_mapping", &(size_t){0}), NC_NOERR);
    text_check(id, "u", "long_name", "wind along x");

    /* Columns 2 .. 11 and rows 2 .. 7. */
    double latitude[6][10], longitude[6][10];
    cr_assert_eq(nc_inq_varid(id, "latitude", &var), NC_NOERR);
    cr_assert_eq(nc_get_var_double(id, var, &latitude[0][0]), NC_NOERR);
    cr_assert_eq(nc_inq_varid(id, "longitude", &var), NC_NOERR);
    cr_assert_eq(nc_get_var_double(id, var, &longitude[0][0]), NC_NOERR);
    nc_close(id);
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 10; i++) {
            const struct place p = lambert(x_of(i + 2.5), y_of(j + 2.5));
            near(latitude[j][i], p.latitude * 180 / M_PI, 1e-11, "latitude", i, j);
            near(longitude[j][i], p.longitude, 1e-11, "longitude", i, j);
        }
    session_close(&session);
}

/* Names and numbers of CF's appendix F. */
Test(map, mappings_of_other_maps)
{
    static const struct {
        const char *keys, *name, *number[6];
        double value[6];
    } of[] = {
        {"projection = 'polar_stereographic', centre_latitude = -70, central_meridian = 30, standard_parallels = -60",
         "polar_stereographic",
         {"straight_vertical_longitude_from_pole", "latitude_of_projection_origin", "standard_parallel",
          "earth_radius"},
         {30, -90, -60, 6371229}},
        {"projection = 'mercator', centre_longitude = 20, standard_parallels = 60, earth_radius = 1e6",
         "mercator",
         {"longitude_of_projection_origin", "standard_parallel", "false_easting", "false_northing", "earth_radius"},
         {20, 60, 1000, 1000, 1e6}},
        {"projection = 'lambert', centre_latitude = 40",
         "lambert_conformal_conic",
         {"standard_parallel", "latitude_of_projection_origin", "longitude_of_central_meridian", "false_easting"},
         {40, 40, 0, 1000}}};
    for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "&grid nx = 4, ny = 4, nz = 4, dx = 500, dy = 500, dz = 500 /\n&time duration = 1, dt = 1 /\n&map %s /\n"
            "&boundary west = 'wall', east = 'wall', south = 'wall', north = 'wall' /\n",
            of[n].keys);
        weather_open(&session, text);
        const struct mapping *const m = session.in.mapping;
        cr_assert_str_eq(m->name, of[n].name);
        for (int a = 0; a < 6 && of[n].number[a]; a++) {
            int at = 0;
            while (at < m->n && strcmp(m->number[at].name, of[n].number[a])) at++;
            cr_assert(at < m->n, "%s has no %s", m->name, of[n].number[a]);
            cr_assert_eq(m->number[at].n, 1);
            near(m->number[at].value[0], of[n].value[a], 1e-8, of[n].number[a], (int)n, a);
        }
        double latitude, longitude;
        m->place(&session.in, 1000, 1000, &latitude, &longitude);
        near(latitude, n == 0 ? -70 : n == 1 ? 0 : 40, 1e-11, "latitude of the centre", 0, 0);
        near(longitude, n == 1 ? 20 : 0, 1e-11, "longitude of the centre", 0, 0);
        session_close(&session);
    }
    weather_open(&session, "&grid nx = 4, ny = 4, nz = 4 /\n&time duration = 1, dt = 1 /\n");
    cr_assert(!session.in.mapping);
    session_close(&session);
}

static void line_add(void *to, const char *line) { strcat(strcat(to, line), "\n"); }

Test(map, check_tells_of_it)
{
    char told[8192] = "";
    weather_open(&session, LAMBERT);
    session.model->report(&session.in, 10, line_add, told);
    double f[2] = {1, 0};
    FOR_COLUMNS
    {
        const double here = 2 * omega * sin(lambert(x_of(i + 0.5), y_of(j + 0.5)).latitude);
        f[0] = fmin(f[0], here), f[1] = fmax(f[1], here);
    }
    char wanted[256];
    snprintf(wanted, sizeof wanted,
             "map: Lambert conformal conic, factors from %.5g to %.5g, f from %.4g to %.4g 1/s\n", own()->map.least,
             own()->map.most, f[0], f[1]);
    cr_assert(strstr(told, wanted), "'%s' is not in: %s", wanted, told);
    const struct place sw = lambert(x_of(0), y_of(0)), ne = lambert(x_of(NX), y_of(NY));
    snprintf(wanted, sizeof wanted, "south-west %.3f %.3f, ", sw.latitude * 180 / M_PI, sw.longitude);
    cr_assert(strstr(told, wanted), "'%s' is not in: %s", wanted, told);
    snprintf(wanted, sizeof wanted, "north-east %.3f %.3f\n", ne.latitude * 180 / M_PI, ne.longitude);
    cr_assert(strstr(told, wanted), "'%s' is not in: %s", wanted, told);
    cr_assert(!strstr(told, "terrain:"), "flat ground is told: %s", told);
    session_close(&session);
}

/* ---- what is refused ---- */

Test(map, what_cannot_be_is_refused)
{
    static const char walls[] = "&boundary west = 'wall', east = 'wall', south = 'wall', north = 'wall' /\n",
                      round[] = "&boundary south = 'wall', north = 'wall' /\n";
    static const char small[] = "dx = 5000, dy = 5000", large[] = "dx = 300e3, dy = 300e3",
                      wide[] = "dx = 4e6, dy = 1e5";
    static const struct {
        const char *cells, *sides, *map, *more, *key, *says;
    } bad[] = {
        {small, round, "'lambert', centre_latitude = 40", "", "west", "changes along x"},
        {small, round, "'polar_stereographic', centre_latitude = 40", "", "west", "changes along x"},
        {small, "", "'mercator'", "", "south", "change along y"},
        {small, walls, "'lambert'", "", "projection", "take 'mercator'"},
        {small, walls, "'lambert', centre_latitude = 40, standard_parallels = 90", "", "standard_parallels",
         "lies at a pole"},
        {small, walls, "'lambert', centre_latitude = 40, standard_parallels = 30, -30", "", "standard_parallels",
         "take 'mercator'"},
        {small, walls, "'lambert', centre_latitude = 90, standard_parallels = 60", "", "standard_parallels",
         "take 'polar_stereographic'"},
        {large, walls, "'lambert', centre_latitude = 85, standard_parallels = 60", "", "projection",
         "holds the north pole"},
        {large, walls, "'lambert', centre_latitude = -85, standard_parallels = -60", "", "projection",
         "holds the south pole"},
        {wide, walls, "'lambert', centre_latitude = 40, standard_parallels = 15", "", "nx",
         "beyond the edge of the map"},
        {wide, round, "'mercator'", "", "nx", "beyond the edge of the map"},
        {small, walls, "'mercator', centre_latitude = 90", "", "centre_latitude", "true scale"},
        {small, walls, "'mercator', centre_latitude = -90, standard_parallels = 10", "", "standard_parallels",
         "does not show"},
        {small, round, "'mercator', standard_parallels = 10, 20", "", "standard_parallels",
         "one latitude of true scale"},
        {small, walls, "'polar_stereographic'", "", "projection", "which pole"},
        {small, round, "'mercator'", "&dynamics coriolis_f = 1e-4 /\n", "coriolis_f", "is for a plane"},
        {"dx = 5000, dy = 5000, translation_u = 3", round, "'mercator'", "", "translation_u", "a map stands"},
        {"dx = 5000, dy = 5000, translation_v = -3", round, "'mercator'", "", "translation_v", "a map stands"},
        {small, round, "'mercator', centre_latitude = 91", "", "centre_latitude", "90"},
        {small, round, "'mercator'", "&statistics interval = 1 /\n", "interval", "a map does not go with statistics"},
        {small, round, "'mercator'", "&output staggered = true /\n", "staggered",
         "a map does not go with output on faces"},
        {small, round, "'none', centre_latitude = 3", "&dynamics tracers = 33 /\n", "centre_latitude",
         "changes nothing here"}};
    for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "&grid nx = 12, ny = 9, nz = 6, dz = 500, %s /\n&time duration = 1, dt = 1 /\n%s%s&map projection = %s /\n",
            bad[n].cells, bad[n].sides, bad[n].more, bad[n].map);
        cr_assert_eq(weather_refused(text, bad[n].key, bad[n].says), SF_NAMELIST, "%s", text);
    }
}
