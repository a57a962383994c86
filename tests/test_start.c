/* A file as the state at the start, by value: files of known functions, made here, in every form that may be taken,
 * beside plain interpolation in double. The domain begins at (-3000, 2000) m; cells of 1000 x 1500 m, 400 m high at the
 * ground and 1.2 times as high each. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "dynamics/start.h"
#include "io/filed.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NX = 6, NY = 5, NZ = 7, LEVELS_MOST = 16 };

static struct session session;
static const struct dynamics_own *own;
static char path[64];

#define FOR_CELLS                                                                                                      \
    for (int j = 0; j < NY; j++)                                                                                       \
        for (int k = 0; k < NZ; k++)                                                                                   \
            for (int i = 0; i < NX; i++)

static double x_of(int i, int on_face) { return -3000 + 1000 * (i + (on_face ? 0 : 0.5)); }
static double y_of(int j, int on_face) { return 2000 + 1500 * (j + (on_face ? 0 : 0.5)); }
static double z_face(int k) { return 400 * (pow(1.2, k) - 1) / 0.2; }
static double z_of(int k, int on_face) { return on_face ? z_face(k) : (z_face(k) + z_face(k + 1)) / 2; }

static double value(int field, int i, int j, int k) { return (double)*weather_at(&session, field, i, j, k); }

/* ---- files ---- */

/* Values of a field at x, y, z and time; kinks lie between all levels of files that are used. */
typedef double form(double x, double y, double z, double t);

struct axis {
    int n;
    double at[LEVELS_MOST];
    const char *unit; /* NULL: there is no coordinate */
};

struct variable_of {
    const char *name, *unit, *standard_name, *dims; /* of "tzyxZYX": small centres or own levels, large faces */
    form *of;
    int type; /* of netCDF */
};

struct file_of {
    struct axis z, zf, x, xf, y, yf;
    int times;
    double translation[2];
};

static void need(int rc) { cr_assert_eq(rc, NC_NOERR, "%s", nc_strerror(rc)); }

static struct axis centres(int n, double (*at)(int, int), int on_face)
{
    struct axis a = {.n = n, .unit = "m"};
    for (int m = 0; m < n; m++) a.at[m] = at(m, on_face);
    return a;
}

/* Columns and levels of the model; faces as many as periodic sides have, of z all. */
static struct file_of file_plain(void)
{
    return (struct file_of){.z = centres(NZ, z_of, 0),
                            .zf = centres(NZ + 1, z_of, 1),
                            .x = centres(NX, x_of, 0),
                            .xf = centres(NX, x_of, 1),
                            .y = centres(NY, y_of, 0),
                            .yf = centres(NY, y_of, 1),
                            .translation = {4, -2}};
}

static void variable_put(int nc, const struct file_of *f, const struct variable_of *v, int var)
{
    const struct axis *const axis[] = {&f->z, &f->y, &f->x, &f->zf, &f->yf, &f->xf};
    const int nt = strchr(v->dims, 't') ? f->times : 1;
    const struct axis none = {.n = 1}, *of[3] = {&none, &none, &none};
    for (int a = 0; a < 6; a++)
        if (strchr(v->dims, "zyxZYX"[a])) of[a % 3] = axis[a];
    const size_t n = (size_t)(nt * of[0]->n * of[1]->n * of[2]->n);
    double *const values = malloc(n * sizeof *values), *to = values;
    for (int t = 0; t < nt; t++)
        for (int k = 0; k < of[0]->n; k++)
            for (int j = 0; j < of[1]->n; j++)
                for (int i = 0; i < of[2]->n; i++) {
                    const double km = of[0]->unit && !strcmp(of[0]->unit, "km") ? 1000 : 1;
                    *to++ = v->of(of[2]->at[i], of[1]->at[j], of[0]->at[k] * km, 600.0 * t);
                }
    need(nc_put_var_double(nc, var, values));
    free(values);
}

static void file_make(const struct file_of *f, const struct variable_of *v, int variables)
{
    static const char *const name[] = {"z", "y", "x", "z_f", "y_f", "x_f"};
    const struct axis *const axis[] = {&f->z, &f->y, &f->x, &f->zf, &f->yf, &f->xf};
    int nc, dim[7], at[7] = {0}, var[8];
    snprintf(path, sizeof path, "/tmp/sferic-start-%ld.nc", (long)getpid());
    need(nc_create(path, NC_CLOBBER | NC_NETCDF4, &nc));
    for (int a = 0; a < 6; a++) {
        need(nc_def_dim(nc, name[a], (size_t)axis[a]->n, &dim[a]));
        if (!axis[a]->unit) continue;
        need(nc_def_var(nc, name[a], NC_DOUBLE, 1, &dim[a], &at[a]));
        need(nc_put_att_text(nc, at[a], "units", strlen(axis[a]->unit), axis[a]->unit));
        need(nc_put_var_double(nc, at[a], axis[a]->at));
    }
    need(nc_def_dim(nc, "time", NC_UNLIMITED, &dim[6]));
    need(nc_def_var(nc, "time", NC_DOUBLE, 1, &dim[6], &at[6]));
    for (size_t t = 0; t < (size_t)f->times; t++) need(nc_put_var1_double(nc, at[6], &t, &(double){600.0 * (double)t}));
    need(nc_put_att_double(nc, NC_GLOBAL, "grid_translation_u", NC_DOUBLE, 1, &f->translation[0]));
    need(nc_put_att_double(nc, NC_GLOBAL, "grid_translation_v", NC_DOUBLE, 1, &f->translation[1]));
    for (int n = 0; n < variables; n++) {
        int dims[4], d = 0;
        for (const char *c = v[n].dims; *c; c++) dims[d++] = dim[*c == 't' ? 6 : strchr("zyxZYX", *c) - "zyxZYX"];
        need(nc_def_var(nc, v[n].name, v[n].type ? v[n].type : NC_FLOAT, d, dims, &var[n]));
        if (v[n].unit) need(nc_put_att_text(nc, var[n], "units", strlen(v[n].unit), v[n].unit));
        if (v[n].standard_name)
            need(nc_put_att_text(nc, var[n], "standard_name", strlen(v[n].standard_name), v[n].standard_name));
    }
    for (int n = 0; n < variables; n++) variable_put(nc, f, &v[n], var[n]);
    need(nc_close(nc));
}

static void open_text(const char *more, const char *initial)
{
    static char text[4096];
    snprintf(
        text, sizeof text,
        "&grid nx = %d, ny = %d, nz = %d, dx = 1000, dy = 1500, dz = 400, stretch_ratio = 1.2, origin_x = -3000, origin_y = 2000,\n"
        "      translation_u = 4, translation_v = -2 /\n"
        "&time duration = 1, dt = 1 /\n&dynamics tracers = 2 /\n%s\n&initial file = '%s', %s /\n",
        NX, NY, NZ, more, path, initial);
    weather_open(&session, text);
    own = session.in.own;
}

static void done(void)
{
    session_close(&session);
    unlink(path);
}

static void expect(int field, int i, int j, int k, double want, double scale)
{
    const double allowed = (sizeof(real) == 8 ? 1e-12 : 2 * FLT_EPSILON + 1e-12) * scale;
    cr_assert_float_eq(value(field, i, j, k), want, allowed, "field %d at %d %d %d: %.9g, not %.9g", field, i, j, k,
                       value(field, i, j, k), want);
}

/* ---- forms ---- */

static double hash_at(double x, double y, double z, double t)
{
    return sin(x * 0.013 + 1) * cos(y * 0.0071 + 2) * sin(z * 0.0037 + 3) + 1e-3 * t;
}
static double wind_form(double x, double y, double z, double t) { return 9 * hash_at(x, y, z, t); }
static double pi_form(double x, double y, double z, double t) { return 2e-3 * hash_at(y, x, z, t); }
static double share_form(double x, double y, double z, double t) { return 0.005 * (1.1 + hash_at(x, z, y, t)); }
static double gram_form(double x, double y, double z, double t) { return 1000 * share_form(x, y, z, t); }
static double theta_form(double x, double y, double z, double t)
{
    return 300 + 0.004 * z + 1e-8 * z * z + hash_at(x, y, 0, t);
}
static double celsius_form(double x, double y, double z, double t) { return theta_form(x, y, z, t) - 273.15; }
static double temperature_form(double x, double y, double z, double t) { return 290 - 0.007 * z + hash_at(x, y, 0, t); }
static double pressure_form(double x, double y, double z, double t)
{
    return 1e5 * exp(-z / 8400) + 30 * hash_at(x, y, 0, t);
}
static double hecto_form(double x, double y, double z, double t) { return pressure_form(x, y, z, t) / 100; }

/* ---- as they are ---- */

/* What the file holds, to the bit: winds on faces relative to the grid that the file tells, w above the ground. */
Test(start, fields_of_the_own_grid_keep_their_bits)
{
    const struct file_of f = file_plain();
    static const struct variable_of v[] = {
        {"u", "m s-1", NULL, "zyX", wind_form, 0}, {"v", "m s-1", NULL, "zYx", wind_form, 0},
        {"w", "m s-1", NULL, "Zyx", wind_form, 0}, {"theta_p", "K", NULL, "zyx", wind_form, 0},
        {"pi_p", "1", NULL, "zyx", pi_form, 0},    {"q1", "1", NULL, "zyx", share_form, 0},
        {"q2", "1", NULL, "zyx", wind_form, 0}};
    file_make(&f, v, 7);
    open_text("", "");
    FOR_CELLS
    {
        const double x = x_of(i, 0), y = y_of(j, 0), z = z_of(k, 0);
        cr_assert_eq(value(F_U, i, j, k), (float)wind_form(x_of(i, 1), y, z, 0));
        cr_assert_eq(value(F_V, i, j, k), (float)wind_form(x, y_of(j, 1), z, 0));
        cr_assert_eq(value(F_W, i, j, k), k ? (float)wind_form(x, y, z_of(k, 1), 0) : 0);
        cr_assert_eq(value(F_TH, i, j, k), (float)wind_form(x, y, z, 0));
        cr_assert_eq(value(F_PI, i, j, k), (float)pi_form(x, y, z, 0));
        cr_assert_eq(value(F_Q, i, j, k), (float)share_form(x, y, z, 0));
        cr_assert_eq(value(F_Q + F_FAMILY, i, j, k), (float)wind_form(x, y, z, 0));
    }
    done();
}

/* Where sides are open the faces beyond the last cells have values of their own. */
Test(start, faces_beyond_the_last_cells)
{
    struct file_of f = file_plain();
    static const struct variable_of v[] = {{"u", "m/s", NULL, "zyX", wind_form, 0},
                                           {"v", "m/s", NULL, "zYx", wind_form, 0}};
    f.xf = centres(NX + 1, x_of, 1), f.yf = centres(NY + 1, y_of, 1);
    file_make(&f, v, 2);
    open_text("&boundary west = 'open', east = 'open', south = 'open', north = 'open' /", "");
    for (int k = 0; k < NZ; k++) {
        for (int j = 0; j < NY; j++)
            cr_assert_eq(value(F_U, NX, j, k), (float)wind_form(x_of(NX, 1), y_of(j, 0), z_of(k, 0), 0));
        for (int i = 0; i < NX; i++)
            cr_assert_eq(value(F_V, i, NY, k), (float)wind_form(x_of(i, 0), y_of(NY, 1), z_of(k, 0), 0));
    }
    done();
}

/* ---- from centres ---- */

static void expect_means(int periodic)
{
    FOR_CELLS
    {
        const double x = x_of(i, 0), y = y_of(j, 0), z = z_of(k, 0);
        const int west = i ? i - 1 : periodic ? NX - 1 : 0, south = j ? j - 1 : periodic ? NY - 1 : 0;
        const double below = z_of(k - 1, 0), share = k ? (z_of(k, 1) - below) / (z - below) : 0;
        if (periodic || i)
            expect(F_U, i, j, k, (wind_form(x, y, z, 0) + wind_form(x_of(west, 0), y, z, 0)) / 2 - 4, 15);
        if (periodic || j)
            expect(F_V, i, j, k, (wind_form(x, y, z, 0) + wind_form(x, y_of(south, 0), z, 0)) / 2 + 2, 15);
        const double w = k ? (1 - share) * wind_form(x, y, below, 0) + share * wind_form(x, y, z, 0) : 0;
        expect(F_W, i, j, k, w, 15);
    }
}

/* Winds at centres are relative to the ground, whatever grid the file's moved with. */
Test(start, winds_of_centres_come_to_faces_as_means)
{
    const struct file_of f = file_plain();
    static const struct variable_of v[] = {{"u", "m s-1", NULL, "zyx", wind_form, NC_DOUBLE},
                                           {"v", "m s-1", NULL, "zyx", wind_form, NC_DOUBLE},
                                           {"w", "m s-1", NULL, "zyx", wind_form, NC_DOUBLE}};
    for (int periodic = 0; periodic < 2; periodic++) {
        file_make(&f, v, 3);
        open_text(periodic ? "" : "&boundary west = 'open', east = 'open', south = 'open', north = 'open' /", "");
        expect_means(periodic);
        if (!periodic) {
            expect(F_U, 0, 1, 2, wind_form(x_of(0, 0), y_of(1, 0), z_of(2, 0), 0) - 4, 15);
            expect(F_U, NX, 1, 2, wind_form(x_of(NX - 1, 0), y_of(1, 0), z_of(2, 0), 0) - 4, 15);
            expect(F_V, 1, NY, 2, wind_form(x_of(1, 0), y_of(NY - 1, 0), z_of(2, 0), 0) + 2, 15);
        }
        done();
    }
}

/* ---- other heights ---- */

static const double heights[] = {150, 470, 900, 1500, 1800, 2900, 3700};
enum { HEIGHTS = (int)(sizeof heights / sizeof heights[0]) };

static struct file_of file_of_heights(int down, const char *unit)
{
    struct file_of f = file_plain();
    f.z = (struct axis){.n = HEIGHTS, .unit = unit};
    for (int m = 0; m < HEIGHTS; m++) f.z.at[m] = heights[down ? HEIGHTS - 1 - m : m] / (strcmp(unit, "km") ? 1 : 1000);
    return f;
}

/* Of values at the heights, plainly: the ends stand for what lies beyond. */
static double between(form *of, double x, double y, double z)
{
    if (z <= heights[0]) return of(x, y, heights[0], 0);
    for (int m = 1; m < HEIGHTS; m++)
        if (z <= heights[m]) {
            const double low = of(x, y, heights[m - 1], 0), high = of(x, y, heights[m], 0);
            return low + (high - low) * (z - heights[m - 1]) / (heights[m] - heights[m - 1]);
        }
    return of(x, y, heights[HEIGHTS - 1], 0);
}

Test(start, other_heights_are_met_along_straight_lines)
{
    static const struct variable_of v[] = {{"u", NULL, NULL, "zyX", wind_form, NC_DOUBLE},
                                           {"w", "m s-1", NULL, "zyx", wind_form, NC_DOUBLE},
                                           {"theta_p", "K", NULL, "zyx", wind_form, NC_DOUBLE},
                                           {"q2", "1", NULL, "zyx", share_form, NC_DOUBLE}};
    for (int n = 0; n < 4; n++) {
        const struct file_of f = file_of_heights(n & 1, n & 2 ? "km" : "m");
        file_make(&f, v, 4);
        open_text("", "");
        FOR_CELLS
        {
            const double x = x_of(i, 0), y = y_of(j, 0), z = z_of(k, 0);
            expect(F_U, i, j, k, between(wind_form, x_of(i, 1), y, z), 15);
            expect(F_W, i, j, k, k ? between(wind_form, x, y, z_of(k, 1)) : 0, 15);
            expect(F_TH, i, j, k, between(wind_form, x, y, z), 15);
            expect(F_Q + F_FAMILY, i, j, k, between(share_form, x, y, z), 0.02);
            expect(F_Q, i, j, k, 0, 0);
        }
        done();
    }
}

/* The base state in plain double: constant N, in the discrete balance of the model. */
static double base_theta(double z) { return 300 * exp(0.012 * 0.012 * z / 9.80665); }

static double base_pi(int k)
{
    double pi =
        pow(0.98, 287 / 1004.5) - 9.80665 * z_of(0, 0) / (1004.5 * (base_theta(0) + base_theta(z_of(0, 0))) / 2);
    for (int m = 1; m <= k; m++)
        pi -= 9.80665 * (z_of(m, 0) - z_of(m - 1, 0)) /
              (1004.5 * (base_theta(z_of(m - 1, 0)) + base_theta(z_of(m, 0))) / 2);
    return pi;
}

static const char base[] =
    "&base profile = 'constant_n', surface_theta = 300, brunt_vaisala = 0.012, surface_pressure = 98000 /";

/* A profile of the levels of the model at a height between. */
static double level_line(double (*of)(int), double z)
{
    int k = 0;
    while (k + 2 < NZ && z_of(k + 1, 0) < z) k++;
    const double share = (z - z_of(k, 0)) / (z_of(k + 1, 0) - z_of(k, 0));
    return of(k) + share * (of(k + 1) - of(k));
}

static double theta_of_level(int k) { return base_theta(z_of(k, 0)); }

/* Beyond the ends of the file the departure from the base state stays. */
static double departure(form *of, double (*base_of)(int), double x, double y, double z)
{
    const double at = z < heights[0] ? heights[0] : z > heights[HEIGHTS - 1] ? heights[HEIGHTS - 1] : z;
    return between(of, x, y, at) - level_line(base_of, at);
}

static double exner_form(double x, double y, double z, double t)
{
    return pow(pressure_form(x, y, z, t) / 1e5, 287 / 1004.5);
}

/* From 1500 m on there are levels of the model within those of the file; the lowest lies at 200 m. */
Test(start, theta_and_pressure_become_departures)
{
    static const char *const theta[] = {"theta", "THETA", "warmth"};
    for (int n = 0; n < 3; n++) {
        const struct file_of f = file_of_heights(n == 1, "m");
        const struct variable_of v[] = {{theta[n], n == 1 ? "degC" : "K", "air_potential_temperature", "zyx",
                                         n == 1 ? celsius_form : theta_form, NC_DOUBLE},
                                        {n == 2 ? "p" : "pressure", n ? "hPa" : "Pa", "air_pressure", "zyx",
                                         n ? hecto_form : pressure_form, NC_DOUBLE}};
        file_make(&f, v, 2);
        open_text(base, "");
        FOR_CELLS
        {
            const double x = x_of(i, 0), y = y_of(j, 0), z = z_of(k, 0);
            expect(F_TH, i, j, k, departure(theta_form, theta_of_level, x, y, z), 320);
            expect(F_PI, i, j, k, departure(exner_form, base_pi, x, y, z), 1);
        }
        done();
    }
}

/* theta = T / pi: of the file's pressure, else of the base state's. */
Test(start, temperature_takes_the_pressure_that_there_is)
{
    const struct file_of f = file_plain();
    static const struct variable_of v[] = {{"temperature", "K", NULL, "zyx", temperature_form, NC_DOUBLE},
                                           {"pressure", "Pa", NULL, "zyx", pressure_form, NC_DOUBLE}};
    for (int both = 0; both < 2; both++) {
        file_make(&f, v, 1 + both);
        open_text(base, "");
        FOR_CELLS
        {
            const double x = x_of(i, 0), y = y_of(j, 0), z = z_of(k, 0);
            const double pi = both ? exner_form(x, y, z, 0) : base_pi(k);
            expect(F_TH, i, j, k, temperature_form(x, y, z, 0) / pi - base_theta(z), 320);
            expect(F_PI, i, j, k, pi - base_pi(k), 1);
        }
        done();
    }
}

/* What the namelist asks for is added; pressure follows theta where it is to. */
Test(start, perturbations_add_to_the_file_and_balance_follows)
{
    const struct file_of f = file_plain();
    static const struct variable_of v[] = {{"theta", "K", NULL, "zyx", theta_form, NC_DOUBLE},
                                           {"u", "m s-1", NULL, "zyX", wind_form, NC_DOUBLE},
                                           {"pressure", "Pa", NULL, "zyx", pressure_form, NC_DOUBLE}};
    file_make(&f, v, 3);
    open_text(base, "balance = 'hydrostatic', wind_u = 3, shape = 'wave', amplitude = 2, radius_x = 3000");
    FOR_CELLS
    {
        const double x = x_of(i, 0), y = y_of(j, 0), z = z_of(k, 0), wave = 2 * cos(2 * acos(-1) * x / 3000);
        expect(F_TH, i, j, k, theta_form(x, y, z, 0) + wave - base_theta(z), 320);
        expect(F_U, i, j, k, wind_form(x_of(i, 1), y, z, 0) + 3, 15);
        if (!k) expect(F_PI, i, j, k, 0, 0);
        if (!k) continue;
        const double low = z_of(k - 1, 0), theta = (theta_form(x, y, z, 0) + theta_form(x, y, low, 0)) / 2 + wave;
        const double want = -9.80665 * (z - low) / (1004.5 * theta) - (base_pi(k) - base_pi(k - 1));
        cr_assert_float_eq(value(F_PI, i, j, k) - value(F_PI, i, j, k - 1), want, 2e-8 + 4 * FLT_EPSILON * 1e-3);
    }
    done();
}

/* ---- dimensions that are missing, times, packing, water ---- */

static double profile_form(double x, double y, double z, double t) { return (void)x, (void)y, wind_form(0, 0, z, t); }

Test(start, what_lacks_a_dimension_is_the_same_all_along_it)
{
    const struct file_of f = file_of_heights(0, "m");
    static const struct variable_of v[] = {{"u", "m s-1", NULL, "z", profile_form, NC_DOUBLE},
                                           {"v", "m s-1", NULL, "zx", wind_form, NC_DOUBLE},
                                           {"theta_p", "K", NULL, "zy", wind_form, NC_DOUBLE}};
    file_make(&f, v, 3);
    open_text("", "");
    FOR_CELLS
    {
        const double x = x_of(i, 0), y = y_of(j, 0), z = z_of(k, 0);
        expect(F_U, i, j, k, between(profile_form, x, y, z) - 4, 15);
        expect(F_V, i, j, k, between(wind_form, x, 0, z) + 2, 15);
        expect(F_TH, i, j, k, between(wind_form, 0, y, z), 15);
    }
    done();
}

Test(start, the_last_time_or_one_that_is_named)
{
    struct file_of f = file_plain();
    static const struct variable_of v[] = {{"theta_p", "K", NULL, "tzyx", wind_form, 0},
                                           {"q1", "1", NULL, "zyx", share_form, 0}};
    f.times = 4;
    for (int n = 0; n < 3; n++) {
        static const char *const key[] = {"", "file_time = 600", "file_time = 0"};
        static const double time[] = {1800, 600, 0};
        file_make(&f, v, 2);
        open_text("", key[n]);
        FOR_CELLS
        {
            const double x = x_of(i, 0), y = y_of(j, 0), z = z_of(k, 0);
            cr_assert_eq(value(F_TH, i, j, k), (float)wind_form(x, y, z, time[n]));
            cr_assert_eq(value(F_Q, i, j, k), (float)share_form(x, y, z, 0));
        }
        done();
    }
}

/* Water in g/kg and in kg/kg, as fields and as packed numbers; tracers keep their own numbers behind it. */
Test(start, water_in_its_units)
{
    const struct file_of f = file_plain();
    static const struct variable_of v[] = {
        {"qv", "g/kg", NULL, "zyx", gram_form, NC_DOUBLE},
        {"cloud", "1", "cloud_liquid_water_mixing_ratio", "zyx", share_form, NC_DOUBLE},
        {"qr", "kg kg-1", NULL, "zyx", share_form, NC_DOUBLE},
        {"q1", "1", NULL, "zyx", wind_form, NC_DOUBLE}};
    file_make(&f, v, 4);
    open_text("&water scheme = 'kessler' /", "shape = 'wave', variable = 'rain', amplitude = 1e-3");
    FOR_CELLS
    {
        const double x = x_of(i, 0), y = y_of(j, 0), z = z_of(k, 0), share = share_form(x, y, z, 0);
        expect(F_QV, i, j, k, share, 0.02), expect(F_QC, i, j, k, share, 0.02);
        expect(F_QR, i, j, k, share + 1e-3, 0.02);
        expect(F_Q + 3 * F_FAMILY, i, j, k, wind_form(x, y, z, 0), 15), expect(F_Q + 4 * F_FAMILY, i, j, k, 0, 0);
    }
    done();
}

static double humidity_form(double x, double y, double z, double t) { return 0.6 + 0.3 * hash_at(y, z, x, t); }
static double percent_form(double x, double y, double z, double t) { return 100 * humidity_form(x, y, z, t); }

/* By the formula of Bolton (1980); e of the saturation pressure es gives Rd/Rv e / (p - e). */
static double vapour_of(double humidity, double T, double p)
{
    const double es = 611.2 * exp(17.67 * (T - 273.15) / (T - 29.65));
    return humidity * 287 / 461.5 * es / (p - es);
}

/* Vapour of other measures of it: by all air, and by saturation at the temperature and pressure of the file or, where
 * it has none, of the base state. qv itself comes first. */
Test(start, vapour_of_humidity)
{
    const struct file_of f = file_plain();
    static const struct variable_of v[] = {{"relative_humidity", "%", NULL, "zyx", percent_form, NC_DOUBLE},
                                           {"temperature", "K", NULL, "zyx", temperature_form, NC_DOUBLE},
                                           {"pressure", "Pa", NULL, "zyx", pressure_form, NC_DOUBLE},
                                           {"hus", "g kg-1", "specific_humidity", "zyx", gram_form, NC_DOUBLE},
                                           {"qv", "kg kg-1", NULL, "zyx", share_form, NC_DOUBLE}};
    for (int n = 1; n <= 5; n++) {
        file_make(&f, v, n);
        open_text("&water scheme = 'saturation' /", "");
        FOR_CELLS
        {
            const double x = x_of(i, 0), y = y_of(j, 0), z = z_of(k, 0), share = share_form(x, y, z, 0);
            const double exner = n < 3 ? own->base.pi0[k] : exner_form(x, y, z, 0), p = 1e5 * pow(exner, 1004.5 / 287);
            const double T = n < 2 ? own->base.theta[k] * exner : temperature_form(x, y, z, 0);
            const double want = vapour_of(humidity_form(x, y, z, 0), T, p);
            expect(F_QV, i, j, k, n < 4 ? want : n < 5 ? share / (1 - share) : share, 0.02);
        }
        done();
    }
}

static double count_form(double x, double y, double z, double t)
{
    return (void)t, (double)(long)((x + 3000) / 1000 + 10 * (y - 2000) / 1500 + z / 100) - 60;
}

Test(start, packed_numbers)
{
    const struct file_of f = file_plain();
    static const struct variable_of v[] = {{"theta_p", "K", NULL, "zyx", count_form, NC_SHORT}};
    const double scale = 0.25, offset = -3;
    int nc, var;
    file_make(&f, v, 1);
    need(nc_open(path, NC_WRITE, &nc));
    need(nc_inq_varid(nc, "theta_p", &var));
    need(nc_redef(nc));
    need(nc_put_att_double(nc, var, "scale_factor", NC_DOUBLE, 1, &scale));
    need(nc_put_att_double(nc, var, "add_offset", NC_DOUBLE, 1, &offset));
    need(nc_close(nc));
    open_text("", "");
    FOR_CELLS expect(F_TH, i, j, k, 0.25 * count_form(x_of(i, 0), y_of(j, 0), z_of(k, 0), 0) - 3, 0);
    done();
}

/* ---- rows ---- */

static double tall_form(double x, double y, double z, double t) { return (void)t, x + 37 * y - 0.5 * z; }

/* More than a piece of the reader holds, read in every order of rows: all, from the middle, one by one. */
Test(start, rows_of_a_large_field)
{
    enum { LI = 200, LK = 90, LJ = 50 };
    struct filed_list list;
    int nc, dim[3], var;
    double *const v = malloc(LI * LK * LJ * sizeof *v);
    snprintf(path, sizeof path, "/tmp/sferic-start-%ld.nc", (long)getpid());
    for (int n = 0; n < 3; n++) {
        static const size_t chunk[3][3] = {{0}, {16, 7, 64}, {LK, 1, LI}};
        need(nc_create(path, NC_CLOBBER | NC_NETCDF4, &nc));
        need(nc_def_dim(nc, "z", LK, &dim[0]));
        need(nc_def_dim(nc, "y", LJ, &dim[1]));
        need(nc_def_dim(nc, "x", LI, &dim[2]));
        need(nc_def_var(nc, "q", NC_DOUBLE, 3, dim, &var));
        if (n) need(nc_def_var_chunking(nc, var, NC_CHUNKED, chunk[n]));
        for (int m = 0; m < LI * LK * LJ; m++) v[m] = tall_form(m % LI, m / LI % LJ, m / LI / LJ, 0);
        need(nc_put_var_double(nc, var, v));
        need(nc_close(nc));
        cr_assert_eq(filed_list(path, -1, &list), SF_OK, "%s", sf_error_text());
        cr_assert(list.n == 1 && !list.field[0].refusal[0] && list.field[0].n[FILED_Y] == LJ &&
                  !list.field[0].at[FILED_Z]);
        static const int rows[][2] = {{0, LJ}, {17, 31}, {LJ - 1, LJ}};
        for (int r = 0; r < 3; r++) {
            const int j0 = rows[r][0], j1 = rows[r][1];
            memset(v, 0, LI * LK * LJ * sizeof *v);
            cr_assert_eq(filed_read(&list, 0, j0, j1, v), SF_OK, "%s", sf_error_text());
            for (int j = j0; j < j1; j++)
                for (int k = 0; k < LK; k++)
                    for (int i = 0; i < LI; i++)
                        if (fabs(v[((j - j0) * LK + k) * LI + i] - tall_form(i, j, k, 0)) > 0)
                            cr_assert_fail("layout %d: %d %d %d", n, i, j, k);
        }
        filed_free(&list);
        unlink(path);
    }
    free(v);
}

static int rows_told;
static int read_counted(const struct filed_list *list, int field, int j0, int j1, double *values)
{
    rows_told += j1 - j0;
    return filed_read(list, field, j0, j1, values);
}

/* Row by row upward, each time but one: those that the row before wanted, too, are there, and none is read twice but
 * what goes round. The values are those of all rows at once. */
Test(start, rows_are_read_once)
{
    const struct file_of f = file_plain();
    static const struct variable_of v[] = {{"u", "m s-1", NULL, "zyx", wind_form, 0},
                                           {"v", "m s-1", NULL, "zyx", wind_form, 0},
                                           {"theta", "K", NULL, "zyx", theta_form, 0},
                                           {"pressure", "Pa", NULL, "zyx", pressure_form, 0},
                                           {"q1", "1", NULL, "zx", share_form, 0}};
    file_make(&f, v, 5);
    open_text("", "");
    struct start_file file = *own->start;
    struct start_rows all, few;
    struct start_work work;
    double x[2][NZ];
    struct base_column base;
    file.read = read_counted;
    cr_assert(!start_rows_open(&all, own, own->start, START_ALL) && !start_work_open(&work, NZ) &&
              !base_column_open(&base, own) && !start_rows_need(&all, 0));
    for (int most = 1; most < 4; most++) {
        cr_assert_eq(start_rows_open(&few, own, &file, START_ALL), SF_OK);
        few.most = most, rows_told = 0;
        for (int j = 0; j <= NY; j++) {
            cr_assert_eq(start_rows_need(&few, j), SF_OK, "%s", sf_error_text());
            for (int of = START_U; of <= START_Q; of++)
                for (int i = 0; i < NX; i++) {
                    const int has = start_values(&all, (enum start_of)of, i, j, &base, &work, x[0]);
                    cr_assert_eq(start_values(&few, (enum start_of)of, i, j, &base, &work, x[1]), has);
                    for (int k = 0; k < NZ && has; k++)
                        cr_assert(!(x[0][k] < x[1][k]) && !(x[0][k] > x[1][k]), "%d rows: %d at %d %d %d", most, of, i,
                                  j, k);
                }
        }
        const int beyond = 3; /* the row before the first, the face beyond the last, and what is north of that */
        cr_assert_eq(rows_told, 4 * (NY + beyond) + 1, "%d rows: %d were read", most, rows_told);
        start_rows_close(&few);
    }
    base_column_close(&base), start_work_close(&work), start_rows_close(&all);
    done();
}

/* Over a hill quantities share the places of their levels where these are the same, and only there: whatever was asked
 * for before, a quantity is what it is to one who asks for nothing else. */
Test(start, levels_over_a_hill_are_shared_where_they_agree)
{
    const struct file_of f = file_plain();
    static const struct variable_of v[] = {{"u", "m s-1", NULL, "zyx", wind_form, 0},
                                           {"theta", "K", NULL, "zyx", theta_form, 0},
                                           {"pressure", "Pa", NULL, "Zyx", pressure_form, 0},
                                           {"q1", "1", NULL, "zyx", share_form, 0},
                                           {"q2", "1", NULL, "Zyx", share_form, 0}};
    static const int order[] = {START_Q, START_THETA, START_U, START_Q, START_Q + 1, START_PI, START_Q};
    file_make(&f, v, 5);
    open_text("&terrain shape = 'bell', height = 300, half_width = 2000, x = 0, y = 5000 /\n"
              "&grid translation_u = 0, translation_v = 0 /\n",
              "");
    struct start_rows rows;
    struct start_work work, other;
    struct base_column base;
    double x[2][NZ];
    cr_assert(!start_rows_open(&rows, own, own->start, START_ALL) && !start_work_open(&work, NZ) &&
              !base_column_open(&base, own) && !start_rows_need(&rows, 0));
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++)
            for (size_t n = 0; n < sizeof order / sizeof *order; n++) {
                base_column_fill(&base, own, i, j);
                cr_assert_eq(start_work_open(&other, NZ), SF_OK);
                cr_assert(start_values(&rows, (enum start_of)order[n], i, j, &base, &work, x[0]) &&
                          start_values(&rows, (enum start_of)order[n], i, j, &base, &other, x[1]));
                cr_assert(!memcmp(x[0], x[1], sizeof x[0]), "quantity %d at %d %d", order[n], i, j);
                start_work_close(&other);
            }
    start_rows_close(&rows), start_work_close(&work), base_column_close(&base);
    done();
}

static void line_make(const char *name, double value)
{
    int nc, dim, var;
    need(nc_create(name, NC_CLOBBER | NC_NETCDF4, &nc));
    need(nc_def_dim(nc, "x", 1, &dim));
    need(nc_def_var(nc, "q", NC_DOUBLE, 1, &dim, &var));
    need(nc_put_var_double(nc, var, &value));
    need(nc_close(nc));
}

/* The reader leaves a file open: one that takes its place is read all the same, and one that is written anew behind the
 * last row that was wanted. */
Test(start, a_file_in_the_place_of_another_is_read)
{
    char other[128];
    struct filed_list list;
    double q;
    snprintf(path, sizeof path, "/tmp/sferic-start-%ld.nc", (long)getpid());
    snprintf(other, sizeof other, "%s.other", path);
    line_make(path, 1);
    cr_assert_eq(filed_list(path, -1, &list), SF_OK, "%s", sf_error_text());
    cr_assert(!filed_read(&list, 0, 0, 1, &q) && q > 0.5 && q < 1.5);
    line_make(other, 2);
    cr_assert_eq(rename(other, path), 0);
    cr_assert(!filed_read(&list, 0, 0, 1, &q) && q > 1.5 && q < 2.5);
    cr_assert_eq(filed_read(&list, 0, 0, 0, NULL), SF_OK);
    line_make(path, 3);
    cr_assert(!filed_read(&list, 0, 0, 1, &q) && q > 2.5);
    cr_assert_eq(filed_read(&list, 0, 0, 0, NULL), SF_OK);
    filed_free(&list);
    unlink(path);
}
