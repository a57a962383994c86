/* Terrain by value: heights of coordinate surfaces, the height of cells, the base state there and air at the start
 * against formulas written anew; flat ground and air at rest to the bit; the time step; and what is refused.
 * SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "dynamics/limits.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NX = 12, NY = 9, NZ = 10 };

static const double dx = 1000, dy = 1500, lid = 6000, g = 9.80665, cp = 1004.5;
/* Of what is rounded to `real`; in double, of differences of heights that are ten times as large. */
static const double unit = sizeof(real) == 8 ? 32 * DBL_EPSILON : FLT_EPSILON;
static struct session session;
static char path[64];

/* The domain begins at (-3000, 2000) m; levels of several heights, up to the lid. */
#define GRID                                                                                                               \
    "&case name = 'terrain' /\n&grid nx = 12, ny = 9, nz = 10, dx = 1000, dy = 1500, origin_x = -3000, origin_y = 2000,\n" \
    "size_z = 400, 500, 500, 600, 600, 600, 700, 700, 700, 700 /\n&time duration = 40, dt = 0.5 /\n"

static const struct dynamics_own *own(void) { return session.in.own; }
static double x_of(int i) { return -3000 + dx * (i + 0.5); }
static double y_of(int j) { return 2000 + dy * (j + 0.5); }
static double at(int field, int i, int j, int k) { return (double)*weather_at(&session, field, i, j, k); }
static double map_at(int field, int i, int j)
{
    const struct slab *const s = &session.state.host.s;
    return (double)s->f[field][(j - s->j0) * s->sm + i];
}
static double level(int profile, int k) { return (double)session.state.host.s.f[profile][k]; }

static void near(double is, double wanted, double error, const char *what, int i, int j, int k)
{
    cr_assert(fabs(is - wanted) <= error, "%s at %d %d %d: %.17g, not %.17g", what, i, j, k, is, wanted);
}

static void terrain_open(const char *more, const char *terrain)
{
    char text[2048];
    snprintf(text, sizeof text, GRID "%s\n&terrain %s /\n", more, terrain);
    weather_open(&session, text);
}

#define FOR_COLUMNS                                                                                                    \
    for (int j = 0; j < NY; j++)                                                                                       \
        for (int i = 0; i < NX; i++)

/* ---- the ground, written anew ---- */

enum { PERIODIC, WALL, OPEN };
static const char *const side_name[] = {"periodic", "wall", "open"};

/* Three hills. */
#define HILLS                                                                                                           \
    "shape = 'bell', 'ridge', 'schaer', height = 600, -150, 250, half_width = 2000, 3000, 4000, x = 1200, 2000, 4100, " \
    "y = 9000, 7000, 8000, wavelength = 0, 0, 5000, turn = 0, 30, -60"

static double hills(double x, double y)
{
    const double across = (x - 2000) * cos(M_PI / 6) + (y - 7000) * sin(M_PI / 6),
                 along = (x - 4100) * cos(M_PI / 3) - (y - 8000) * sin(M_PI / 3);
    return 600 * pow(1 + (pow(x - 1200, 2) + pow(y - 9000, 2)) / 4e6, -1.5) - 150 / (1 + across * across / 9e6) +
           250 * exp(-along * along / 16e6) * pow(cos(M_PI * along / 5000), 2);
}

static double ground[NY][NX];
static int sides[2]; /* along x and y */

static int beside(int n, int most, int side)
{
    if (n >= 0 && n < most) return n;
    if (side == PERIODIC) return (n + most) % most;
    if (side == OPEN) return n < 0 ? 0 : most - 1;
    return n < 0 ? -1 - n : 2 * most - 1 - n;
}

static double ground_at(int i, int j) { return ground[beside(j, NY, sides[1])][beside(i, NX, sides[0])]; }

/* A plain double sum of weights that are products. */
static double large_at(int i, int j, double length)
{
    double sum = 0, all = 0;
    const int m = (int)(4 * length / dx) + 1, n = (int)(4 * length / dy) + 1;
    for (int b = -n; b <= n; b++)
        for (int a = -m; a <= m; a++) {
            const double weight = exp(-(pow(a * dx, 2) + pow(b * dy, 2)) / (2 * length * length));
            sum += weight * ground_at(i + a, j + b), all += weight;
        }
    return sum / all;
}

static const struct coordinate {
    const char *keys;
    int kind;
    double flat, large, small, length;
} coordinates[] = {{"coordinate = 'basic'", COORDINATE_BASIC, 0, 0, 0, 0},
                   {"coordinate = 'hybrid'", COORDINATE_HYBRID, 6000, 0, 0, 0},
                   {"coordinate = 'hybrid', flat_above = 4300", COORDINATE_HYBRID, 4300, 0, 0, 0},
                   {"coordinate = 'sleve', smoothing = 1600", COORDINATE_SLEVE, 0, 3000, 2500, 1600},
                   {"coordinate = 'sleve', smoothing = 1300, sleve_large = 5000, sleve_small = 1800", COORDINATE_SLEVE,
                    0, 5000, 1800, 1300}};
enum { COORDINATES = sizeof coordinates / sizeof coordinates[0] };

static double share(const struct coordinate *c, int part, double zeta)
{
    if (c->kind == COORDINATE_SLEVE) {
        const double s = part ? c->small : c->large;
        return sinh((lid - zeta) / s) / sinh(lid / s);
    }
    if (part) return 0;
    if (c->kind == COORDINATE_BASIC) return (lid - zeta) / lid;
    return zeta < c->flat ? pow(cos(M_PI / 2 * zeta / c->flat), 6) : 0;
}

static double part_at(const struct coordinate *c, int part, int i, int j)
{
    const int x = beside(i, NX, sides[0]), y = beside(j, NY, sides[1]);
    const double large = c->kind == COORDINATE_SLEVE ? large_at(x, y, c->length) : ground[y][x];
    return part ? ground[y][x] - large : large;
}

/* Between a column and the one west or south of it, by Lagrange's polynomial of third degree. */
static double side_at(const struct coordinate *c, int part, int along_y, int i, int j)
{
    static const double weight[4] = {-1.0 / 16, 9.0 / 16, 9.0 / 16, -1.0 / 16};
    double sum = 0;
    for (int m = 0; m < 4; m++)
        sum += weight[m] * part_at(c, part, i + (along_y ? 0 : m - 2), j + (along_y ? m - 2 : 0));
    return sum;
}

static double height_of(const struct coordinate *c, int i, int j, double zeta)
{
    return zeta + part_at(c, 0, i, j) * share(c, 0, zeta) + part_at(c, 1, i, j) * share(c, 1, zeta);
}

static double zeta_f(int k) { return session.grid.z_f[k]; }
static double zeta_c(int k) { return 0.5 * (session.grid.z_f[k] + session.grid.z_f[k + 1]); }

static void opened(const char *keys, int x, int y)
{
    char more[512], text[1024];
    snprintf(more, sizeof more,
             "&boundary west = '%s', east = '%s', south = '%s', north = '%s' /\n&base profile = 'constant_n' /\n",
             side_name[x], side_name[x], side_name[y], side_name[y]);
    snprintf(text, sizeof text, "%s, %s", HILLS, keys);
    terrain_open(more, text);
    sides[0] = x, sides[1] = y;
    FOR_COLUMNS ground[j][i] = hills(x_of(i), y_of(j));
}

/* Heights, in double but for pi's digits; J of a cell and across faces, of both forms that stages read. */
static void surfaces_check(const struct coordinate *c)
{
    for (int j = -1; j <= NY; j++)
        for (int i = -1; i <= NX; i++) {
            const double h = ground_at(i, j);
            near(terrain_z_f(own(), i, j, 0), h, 1e-9, "the ground", i, j, 0);
            near(terrain_z_f(own(), i, j, NZ), lid, 1e-9, "the lid", i, j, NZ);
            near(map_at(F_TERRAIN, i, j), h, 2e3 * unit, "height", i, j, 0);
            near(map_at(F_TERRAIN_LARGE, i, j), part_at(c, 0, i, j), 2e3 * unit, "large part", i, j, 0);
            near(map_at(F_TERRAIN_SMALL, i, j), part_at(c, 1, i, j), 2e3 * unit, "small part", i, j, 0);
            for (int part = 0; part < 2 && i >= 0 && i < NX && j >= 0 && j < NY; part++)
                for (int side = 0; side < 4; side++) {
                    static const int of[4] = {F_LARGE_WEST, F_LARGE_EAST, F_LARGE_SOUTH, F_LARGE_NORTH};
                    near(map_at(of[side] + part, i, j), side_at(c, part, side / 2, i + (side == 1), j + (side == 3)),
                         4e3 * unit, "height of a side", i, j, side);
                }
            double below = h;
            for (int k = 0; k < NZ; k++) {
                const double z = height_of(c, i, j, zeta_c(k)), above = height_of(c, i, j, zeta_f(k + 1));
                near(terrain_z_c(own(), i, j, k), z, 1e-8, "a centre", i, j, k);
                near(terrain_z_f(own(), i, j, k + 1), above, 1e-8, "a face", i, j, k + 1);
                const double thin = (zeta_f(k + 1) - zeta_f(k)) / (above - below);
                near(at(F_THIN, i, j, k), thin, 2 * unit * thin, "1 / J", i, j, k);
                /* three products and sums of numbers of about 1 */
                const double J = 1 + level(P_STRETCH_L, k) * map_at(F_TERRAIN_LARGE, i, j) +
                                 level(P_STRETCH_S, k) * map_at(F_TERRAIN_SMALL, i, j);
                near(at(F_THIN, i, j, k) * J, 1, 8 * unit, "J of profiles", i, j, k);
                if (k) {
                    const double gap = z - height_of(c, i, j, zeta_c(k - 1)), flat = zeta_c(k) - zeta_c(k - 1);
                    near(at(F_THIN_FACE, i, j, k), flat / gap, 2 * unit * flat / gap, "1 / J of a face", i, j, k);
                }
                below = above;
            }
        }
}

Test(terrain, surfaces_by_value)
{
    static const int of[][2] = {{PERIODIC, PERIODIC}, {WALL, OPEN}, {OPEN, WALL}, {PERIODIC, WALL}, {WALL, PERIODIC}};
    for (int n = 0; n < COORDINATES; n++) {
        opened(coordinates[n].keys, of[n][0], of[n][1]);
        surfaces_check(&coordinates[n]);
        session_close(&session);
    }
    for (int n = 0; n < 5; n++) {
        opened(coordinates[3].keys, of[n][0], of[n][1]);
        surfaces_check(&coordinates[3]);
        session_close(&session);
    }
}

/* The length that the large part has by itself: 4 cells; a section has no other axis. */
Test(terrain, large_part_by_itself)
{
    weather_open(&session,
                 "&grid nx = 60, ny = 1, nz = 8, dx = 500, dy = 9000, dz = 500 /\n&time duration = 1, dt = 0.5 /\n"
                 "&terrain shape = 'ridge', height = 300, half_width = 1500, x = 9000, coordinate = 'sleve' /\n");
    for (int i = 0; i < 60; i++) {
        double sum = 0, all = 0;
        for (int m = -17; m <= 17; m++) {
            const double x = 500 * ((i + m + 60) % 60 + 0.5), weight = exp(-m * m / 32.0);
            sum += weight * 300 / (1 + pow((x - 9000) / 1500, 2)), all += weight;
        }
        near(map_at(F_TERRAIN_LARGE, i, 0), sum / all, 600 * unit, "large part", i, 0, 0);
    }
    session_close(&session);
}

/* Shares of the level, beyond the ground and the lid those of the outermost; weights of a mean gradient: of four
 * differences a quarter, on the ground and the lid of two a half. */
Test(terrain, profiles_by_value)
{
    for (int n = 0; n < COORDINATES; n++) {
        const struct coordinate *const c = &coordinates[n];
        opened(c->keys, PERIODIC, PERIODIC);
        for (int k = -2; k <= NZ + 2; k++) {
            const int centre = k < 0 ? 0 : k < NZ ? k : NZ - 1, face = k < 0 ? 0 : k < NZ ? k : NZ;
            const double dz = zeta_f(centre + 1) - zeta_f(centre);
            for (int part = 0; part < 2; part++) {
                near(level(P_DECAY_L + part, k), share(c, part, zeta_c(centre)), unit, "share", part, 0, k);
                near(level(P_DECAYF_L + part, k), share(c, part, zeta_f(face)), unit, "share of a face", part, 0, k);
                near(level(P_STRETCH_L + part, k),
                     (share(c, part, zeta_f(centre + 1)) - share(c, part, zeta_f(centre))) / dz, unit / dz, "stretch",
                     part, 0, k);
            }
            near(level(P_ON_GROUND, k), k < 0 ? 2 : k == 0, 0, "on the ground", 0, 0, k);
            if (k < 0 || k >= NZ) continue;
            /* Of a parabola in two columns they make its slope at the centre; on the lid that at the face below. */
            const int top = k + 1 == NZ;
            double is = 0, wanted = top ? zeta_c(k) + zeta_c(k - 1) : 2 * zeta_c(k), line = 0;
            const double weight[3] = {level(P_LAPSE_B, k), level(P_LAPSE_A, k), level(P_LAPSE_S, k)};
            for (int m = 0; m < 3 && k + m - 1 < NZ - 1; m++) {
                if (k + m < 1) continue;
                const double low = zeta_c(k + m - 1), high = zeta_c(k + m);
                is += 2 * weight[m] * (high * high - low * low), line += 2 * weight[m] * (high - low);
            }
            /* Between cells of two heights a mean of two slopes is that of a place between: half of what they differ
             * by. */
            const double off = k && !top ? fabs(zeta_c(k + 1) - 2 * zeta_c(k) + zeta_c(k - 1)) / 2 : 0;
            near(is, wanted, off + 40 * unit * lid, "slope of a parabola", 0, 0, k);
            near(line, 1, 16 * unit, "slope of a line", 0, 0, k);
            near(weight[2], k ? 0 : weight[2], 0, "weight of the second face", 0, 0, k);
            near(weight[1], top ? 0 : weight[1], 0, "weight of a face above the lid", 0, 0, k);
        }
        session_close(&session);
    }
}

/* ---- the base state there ---- */

/* Exact: theta of constant N, T of an isothermal atmosphere; and the Exner function of both. 1e5 Pa on the ground. */
static double theta_exact(int isothermal, double z)
{
    return isothermal ? 260 * exp(g * z / (cp * 260)) : 300 * exp(1.2e-4 * z / g);
}
static double pi_exact(int isothermal, double z)
{
    return isothermal ? exp(-g * z / (cp * 260)) : 1 + g * g / (cp * 300 * 1.2e-4) * (exp(-1.2e-4 * z / g) - 1);
}

static double base_error(int isothermal, int levels)
{
    char text[1024];
    double worst = 0;
    snprintf(text, sizeof text,
             "&grid nx = 12, ny = 9, nz = %d, dx = 1000, dy = 1500, dz = %g, origin_x = -3000, origin_y = 2000 /\n"
             "&time duration = 1, dt = 0.5 /\n&base profile = '%s', temperature = 260, brunt_vaisala = %.17g /\n"
             "&dynamics gravity = 9.80665, heat_capacity = 1004.5, gas_constant = 287 /\n&terrain %s /\n",
             levels, lid / levels, isothermal ? "isothermal" : "constant_n", sqrt(1.2e-4), HILLS);
    weather_open(&session, text);
    FOR_COLUMNS for (int k = 0; k <= levels; k++)
    {
        const double z = terrain_z_c(own(), i, j, k < levels ? k : levels - 1);
        const double z_f = terrain_z_f(own(), i, j, k);
        const double low = k ? terrain_z_c(own(), i, j, k - 1) : 2 * z_f - z, high = k < levels ? z : 2 * z_f - z;
        const double below = theta_exact(isothermal, low), above = theta_exact(isothermal, high),
                     mean = (below + above) / 2;
        if (k < levels) {
            near(at(F_TH0_OVER, i, j, k), theta_exact(isothermal, z), 300 * 2 * unit, "theta_0", i, j, k);
            worst = fmax(worst, fabs(at(F_PI0_OVER, i, j, k) - pi_exact(isothermal, z)));
            near(at(F_DPI0H_OVER, i, j, k), -g / (2 * cp * mean), unit * 2e-5, "half of d pi_0 / dz", i, j, k);
            near(at(F_DTH0H_OVER, i, j, k), (above - below) / (2 * (high - low)), unit * 0.01 + 1e-12,
                 "half of d theta_0 / dz", i, j, k);
            near(at(F_BUOY_OVER, i, j, k), g / (2 * mean), unit * 0.02, "g / (2 theta_0)", i, j, k);
            near(at(F_TH0F_OVER, i, j, k), mean, 300 * 2 * unit, "theta_0 of a face", i, j, k);
        }
    }
    session_close(&session);
    return worst;
}

/* pi_0 comes of the trapezoidal rule on levels 300 m apart, whose error is dz^2 / 12 of its second derivative in
 * height: no more than 3e-6 in 6 km. */
Test(terrain, base_state_at_true_heights)
{
    for (int isothermal = 0; isothermal < 2; isothermal++) {
        const double coarse = base_error(isothermal, 20), fine = base_error(isothermal, 40);
        cr_assert(coarse < 1e-5, "%g", coarse);
        cr_assert(fine < coarse / 3 + 2 * unit, "%g, then %g", coarse, fine);
    }
}

/* Air begins along surfaces, with the base wind of its own height, and perturbations of theirs. */
Test(terrain, air_at_the_start)
{
    opened("coordinate = 'hybrid'", PERIODIC, WALL);
    session_close(&session);
    terrain_open(
        "&boundary south = 'wall', north = 'wall' /\n&base profile = 'constant_n', wind = 'shear', wind_u = 3, "
        "wind_u_top = 21, wind_v = -4, wind_v_top = 8, shear_top = 6000 /\n&initial variable = 'theta', 'w', shape = "
        "'gaussian', 'gaussian', amplitude = 2, 0.5, x = 1000, 2000, y = 8000, 8000, z = 900, 1500, radius_x = 3000, "
        "2500, radius_y = 4000, 4000, radius_z = 800, 700 /\n",
        HILLS ", coordinate = 'hybrid'");
    const struct coordinate *const c = &coordinates[1];
    FOR_COLUMNS for (int k = 0; k < NZ; k++)
    {
        double climb = 0;
        for (int m = k ? k - 1 : 0; m <= k; m++) {
            const double decay = k ? share(c, 0, zeta_c(m)) : 1, z = height_of(c, i, j, zeta_c(m)),
                         ze = height_of(c, i + 1, j, zeta_c(m)), zw = height_of(c, i - 1, j, zeta_c(m)),
                         zn = height_of(c, i, j + 1, zeta_c(m)), zs = height_of(c, i, j - 1, zeta_c(m));
            const double half = k ? 0.25 : 0.5; /* of two faces, and of one or two levels */
            climb += half * decay * (side_at(c, 0, 0, i + 1, j) - side_at(c, 0, 0, i, j)) / dx *
                     ((3 + 18 * (z + ze) / 2 / 6000) + (3 + 18 * (z + zw) / 2 / 6000));
            climb += half * decay * (side_at(c, 0, 1, i, j + 1) - side_at(c, 0, 1, i, j)) / dy *
                     ((-4 + 12 * (z + zn) / 2 / 6000) + (-4 + 12 * (z + zs) / 2 / 6000));
        }
        const double z = height_of(c, i, j, zeta_c(k)), z_f = height_of(c, i, j, zeta_f(k));
        const double more =
            0.5 * exp(-pow((x_of(i) - 2000) / 2500, 2) - pow((y_of(j) - 8000) / 4000, 2) - pow((z_f - 1500) / 700, 2));
        near(k ? at(F_W, i, j, k) : map_at(F_GROUND_W, i, j), climb + (k ? more : 0), 20 * unit + 1e-11, "w", i, j, k);
        near(at(F_U, i, j, k), 3 + 18 * (z + height_of(c, i - 1, j, zeta_c(k))) / 2 / 6000, 40 * unit + 1e-11, "u", i,
             j, k);
        near(at(F_TH, i, j, k),
             2 * exp(-pow((x_of(i) - 1000) / 3000, 2) - pow((y_of(j) - 8000) / 4000, 2) - pow((z - 900) / 800, 2)),
             4 * unit + 1e-11, "theta'", i, j, k);
    }
    session_close(&session);
}

/* ---- a file ---- */

static void need(int rc) { cr_assert_eq(rc, NC_NOERR, "%s", nc_strerror(rc)); }

/* 200 + 30 j + 7 i of its unit, of rows j and columns i that are there: bit 0 x, bit 1 y. */
static void file_make(const char *name, const char *units, const char *standard, int axes, double shift)
{
    int nc, dim[2], place[2], var;
    double y[NY], x[NX], value[NY * NX];
    snprintf(path, sizeof path, "/tmp/sferic-terrain-%ld.nc", (long)getpid());
    need(nc_create(path, NC_CLOBBER | NC_NETCDF4, &nc));
    need(nc_def_dim(nc, "y", NY, &dim[0])), need(nc_def_dim(nc, "x", NX, &dim[1]));
    for (int a = 0; a < 2; a++) {
        need(nc_def_var(nc, a ? "x" : "y", NC_DOUBLE, 1, &dim[a], &place[a]));
        need(nc_put_att_text(nc, place[a], "units", 1, "m")),
            need(nc_put_att_text(nc, place[a], "axis", 1, a ? "X" : "Y"));
    }
    need(nc_def_var(nc, name, NC_DOUBLE, axes == 3 ? 2 : 1, axes == 1 ? dim + 1 : dim, &var));
    need(nc_put_att_text(nc, var, "units", strlen(units), units));
    if (standard) need(nc_put_att_text(nc, var, "standard_name", strlen(standard), standard));
    need(nc_enddef(nc));
    for (int j = 0; j < NY; j++) y[j] = y_of(j);
    for (int i = 0; i < NX; i++) x[i] = x_of(i) + shift;
    const int columns = axes & 1 ? NX : 1, rows = axes & 2 ? NY : 1;
    const double scale = strcmp(units, "cm") ? 1 : 100;
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) value[j * columns + i] = scale * (200 + 30 * j + 7 * i);
    need(nc_put_var_double(nc, place[0], y)), need(nc_put_var_double(nc, place[1], x)),
        need(nc_put_var_double(nc, var, value));
    need(nc_close(nc));
}

Test(terrain, file_by_value)
{
    static const struct {
        const char *name, *unit, *standard;
        int axes, hill;
    } files[] = {{"terrain_height", "m", NULL, 3, 0}, {"HGT", "m", NULL, 3, 1},
                 {"orog", "cm", NULL, 3, 1},          {"z0", "m", "surface_altitude", 3, 0},
                 {"terrain_height", "m", NULL, 1, 1}, {"terrain_height", "m", NULL, 2, 0}};
    for (size_t n = 0; n < sizeof files / sizeof files[0]; n++) {
        char text[1024];
        file_make(files[n].name, files[n].unit, files[n].standard, files[n].axes, 0);
        snprintf(text, sizeof text, "%s%sfile = '%s'", files[n].hill ? HILLS : "", files[n].hill ? ", " : "", path);
        terrain_open("", text);
        FOR_COLUMNS near(map_at(F_TERRAIN, i, j),
                         200 + (files[n].axes & 2 ? 30 * j : 0) + (files[n].axes & 1 ? 7 * i : 0) +
                             (files[n].hill ? hills(x_of(i), y_of(j)) : 0),
                         2e3 * unit, files[n].name, i, j, (int)n);
        session_close(&session);
        unlink(path);
    }
}

/* ---- to the bit ---- */

enum { KEPT = 5 };
static const int kept[KEPT] = {F_U, F_V, F_W, F_TH, F_PI};
static real one[KEPT][NY + 1][NZ][NX + 1];

/* The state after 20 steps; `other`: values that differ from those of the last. */
static long stepped(const char *more, const char *terrain, long *moved)
{
    char text[2048];
    long other = 0;
    snprintf(text, sizeof text, GRID "%s\n%s\n", more, terrain);
    weather_open(&session, text);
    cr_assert_eq(own()->ctx.over, terrain[0] != '\0');
    cr_assert_eq(session_advance(&session, 20), SF_OK);
    cr_assert_eq(engine_refresh(&session.engine), SF_OK);
    *moved = 0;
    for (int f = 0; f < KEPT; f++) FOR_COLUMNS for (int k = 0; k < NZ; k++)
        {
            const real x = *weather_at(&session, kept[f], i, j, k);
            other += memcmp(&x, &one[f][j][k][i], sizeof x) != 0, *moved += x > 0 || x < 0;
            one[f][j][k][i] = x;
        }
    session_close(&session);
    return other;
}

Test(terrain, flat_ground_has_the_bits_without)
{
    static const char *const of[] = {
        "&dynamics advection = 'upwind3', mixing = 'fourth', hold_mass = 'off', coriolis_f = 1e-4 /\n",
        "&dynamics advection = 'centred4', mixing = 'off', hold_mass = 'off' /\n"
        "&boundary west = 'open', east = 'open', south = 'wall', north = 'wall' /\n",
        "&dynamics advection = 'upwind3', mixing = 'fourth', hold_mass = 'off', rayleigh_depth = 2000 /\n"
        "&boundary west = 'wall', east = 'open', south = 'open', north = 'open' /\n"};
    for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) {
        char more[1024];
        long moved;
        snprintf(
            more, sizeof more,
            "%s&base profile = 'constant_n', wind = 'shear', wind_u = 6, wind_u_top = 14, wind_v = -3, wind_v_top = 1 /\n"
            "&initial variable = 'theta', 'u', shape = 'cosine', 'gaussian', amplitude = 4, 3, x = 2000, 3000, y = 8000, 9000, "
            "z = 1500, 2500, radius_x = 3000, 3000, radius_y = 4000, 4000, radius_z = 1500, 1500, noise = 0.1 /\n",
            of[n]);
        stepped(more, "", &moved);
        cr_assert(moved > KEPT * NX * NY * NZ * 9 / 10, "%ld", moved);
        const long other = stepped(more, "&terrain shape = 'ridge', height = 0, half_width = 1000 /", &moved);
        cr_assert_eq(other, 0, "case %zu: %ld values are others", n, other);
    }
}

Test(terrain, rest_stays)
{
    static const char *const of[] = {
        "&base profile = 'isothermal' /",
        "&base profile = 'constant_n' /\n&boundary west = 'open', east = 'open', south = 'wall', north = 'wall' /"};
    for (int n = 0; n < 2; n++) {
        long moved;
        stepped(of[n], "&terrain shape = 'bell', height = 1200, half_width = 2500, x = 3000, y = 8750 /", &moved);
        cr_assert_eq(moved, 0, "case %d: %ld values are not zero", n, moved);
    }
}

/* ---- the time step ---- */

Test(terrain, steep_surfaces_limit_the_time_step)
{
    static const double off[] = {0.6, 0.65, 0.7, 0.9}, bound[] = {1.17, 1.32, 1.47, 1.47};
    for (int n = 0; n < 4; n++) {
        char more[256];
        snprintf(more, sizeof more,
                 "&dynamics off_centring = %g, small_steps = 8, divergence_damping = 0.1 /\n&base wind = 'calm' /",
                 off[n]);
        terrain_open(more,
                     "shape = 'bell', height = 1500, half_width = 1500, x = 2600, y = 8700, coordinate = 'basic'");
        double slope = 0, thinnest = 1, least = 1e9, mean = 0;
        sides[0] = sides[1] = PERIODIC;
        FOR_COLUMNS ground[j][i] = 1500 * pow(1 + (pow(x_of(i) - 2600, 2) + pow(y_of(j) - 8700, 2)) / 2.25e6, -1.5);
        FOR_COLUMNS
        {
            const double x = (ground_at(i, j) - ground_at(i - 1, j)) / dx,
                         y = (ground_at(i, j) - ground_at(i, j - 1)) / dy;
            slope = fmax(slope, sqrt(x * x + y * y)), thinnest = fmin(thinnest, 1 - ground[j][i] / lid),
            mean += ground[j][i] / (NX * NY);
        }
        least = 400 * thinnest;
        const struct terrain *const t = &own()->terrain;
        cr_assert_float_eq(t->slope, slope, 1e-9, "slope %g, not %g", t->slope, slope);
        cr_assert_float_eq(t->thinnest, thinnest, 1e-9, "%g, not %g", t->thinnest, thinnest);
        cr_assert_float_eq(t->least_dz, least, 1e-6, "%g, not %g", t->least_dz, least);
        cr_assert_float_eq(t->mean, mean, 1e-6, "%g, not %g", t->mean, mean);
        struct limits_of x = {.sound = 340,
                              .dx = dx,
                              .dy = dy,
                              .dz = least,
                              .courant = 1,
                              .small_steps = 8,
                              .first_steps = 1,
                              .divergence_damping = 0.1,
                              .off_centring = off[n]};
        const double wave = 340 * sqrt(1 / (dx * dx) + 1 / (dy * dy));
        cr_assert(limits_make(&x).terrain >= NO_LIMIT);
        x.slope = slope;
        const double wanted = 8 * bound[n] / (wave * (1 + slope));
        cr_assert_float_eq(limits_make(&x).terrain, wanted, 1e-9 * wanted, "%g, not %g", limits_make(&x).terrain,
                           wanted);
        if (n == 0) cr_assert(strstr(session.in.dt_limit_by, "slopes"), "limited by %s", session.in.dt_limit_by);
        session_close(&session);
    }
}

/* ---- what is refused ---- */

static void refused_on(const char *grid, const char *more, const char *terrain, const char *key, const char *says)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s\n&terrain %s /\n", grid, more, terrain);
    weather_refused(text, key, says);
}

static void refused(const char *more, const char *terrain, const char *key, const char *says)
{
    refused_on(GRID, more, terrain, key, says);
}

Test(terrain, what_it_does_not_go_with)
{
    static const struct {
        const char *more, *key, *says;
    } bad[] = {
        {"&dynamics side_budget = true /\n&boundary west = 'open', east = 'open' /", "side_budget",
         "terrain does not go with budgets"},
        {"&forcing z = 0, 1000, subsidence = 0, -0.01 /", "forcing", "terrain does not go with what a larger scale"},
        {"&initial flow = 'beltrami' /", "flow", "terrain does not go with an exact flow"},
        {"&output staggered = true /", "staggered", "terrain does not go with output on faces"},
        {"&statistics interval = 10 /", "interval", "terrain does not go with statistics"},
        {"&dynamics advection = 'upwind5' /", "advection", "terrain does not go with advection of 5th"},
        {"&dynamics advection = 'centred6' /", "advection", "terrain does not go with advection of 5th"},
        {"&dynamics mixing = 'second' /", "mixing", "terrain does not go with this mixing"},
        {"&dynamics mixing = 'monotone' /", "mixing", "terrain does not go with this mixing"},
        {"&dynamics mixing = 'constant', viscosity = 10 /", "mixing", "terrain does not go with this mixing"},
        {"&dynamics off_centring = 0.55 /", "off_centring", "off_centring is 0.6 at least"}};
    for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++)
        refused(bad[n].more, "shape = 'ridge', height = 100, half_width = 2000", bad[n].key, bad[n].says);
}

Test(terrain, a_grid_that_moves_leaves_it)
{
    static const char *const key[] = {"translation_u", "translation_v"};
    for (int n = 0; n < 2; n++) {
        char grid[256];
        snprintf(grid, sizeof grid,
                 "&grid nx = 12, ny = 9, nz = 10, dx = 1000, dy = 1500, dz = 500, %s = -3 /\n"
                 "&time duration = 1, dt = 1 /\n",
                 key[n]);
        refused_on(grid, "", "shape = 'ridge', height = 100, half_width = 2000", key[n],
                   "terrain stands, and a grid that moves leaves it");
    }
}

Test(terrain, what_cannot_be_is_refused)
{
    static const struct {
        const char *terrain, *key, *says;
    } bad[] = {
        {"shape = 'ridge', half_width = 2000", "height", "1 of shape, but 0 of height"},
        {"shape = 'ridge', height = 200", "half_width", "1 of shape, but 0 of half_width"},
        {"shape = 'bell', height = 200, half_width = 0", "half_width", "a hill needs a half_width above 0 m"},
        {"shape = 'ridge', 'bell', height = 200, 100, half_width = 2000", "half_width",
         "2 of shape, but 1 of half_width"},
        {"shape = 'ridge', height = 200, half_width = 2000, x = 0, 5", "x", "1 of shape, but 2 of x"},
        {"shape = 'ridge', height = 200, half_width = 2000, turn = 0, 5", "turn", "1 of shape, but 2 of turn"},
        {"shape = 'schaer', height = 200, half_width = 2000", "wavelength", "needs a wavelength above 0 m"},
        {"shape = 'ridge', height = 2500, half_width = 2000, x = 2500", "coordinate", "all but meet or cross"},
        {"shape = 'ridge', height = 5750, half_width = 2000, x = 2500, coordinate = 'basic'", "coordinate", "0.0417"},
        {"shape = 'ridge', 'ridge', height = -900, -900, half_width = 2000, 2000, x = 2500, 2500", "height",
         "the base state begins at 0 m"},
        {"file = '/tmp/there/is/none.nc'", "file", "none.nc"}};
    for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) refused("", bad[n].terrain, bad[n].key, bad[n].says);
    /* A share of 0.0517 is taken. */
    terrain_open("", "shape = 'ridge', height = 5690, half_width = 2000, x = 2500, coordinate = 'basic'");
    session_close(&session);
    static const struct {
        const char *name, *unit;
        double shift;
        const char *says;
    } files[] = {{"theta", "K", 0, "holds no terrain_height"},
                 {"terrain_height", "K", 0, "unit"},
                 {"terrain_height", "m", 300, "lies at x"}};
    for (int n = 0; n < 3; n++) {
        char text[256];
        file_make(files[n].name, files[n].unit, NULL, 3, files[n].shift);
        snprintf(text, sizeof text, "file = '%s'", path);
        refused("", text, "file", files[n].says);
        unlink(path);
    }
}
