/* SPDX-License-Identifier: MIT */
#include "support_driver.h"

#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 15, VARIABLES_MOST = 8 };

static double u_form(double x, double y, double z, double t) { return 5 + 1e-4 * x - 2e-4 * y + 1e-3 * z + 2e-3 * t; }
static double v_form(double x, double y, double z, double t) { return -3 - 2e-4 * x + 1e-4 * y + 5e-4 * z - 1e-3 * t; }
static double theta_form(double x, double y, double z, double t)
{
    return 296 + 1e-4 * x + 2e-4 * y + 4e-3 * z + 5e-4 * t;
}
double driver_exner(double x, double y, double z, double t)
{
    return 1.001 + 1e-7 * x - 1e-7 * y - 3.1e-5 * z + 1e-7 * t;
}
static double pressure_form(double x, double y, double z, double t)
{
    return 1e5 * pow(driver_exner(x, y, z, t), 1004.5 / 287);
}
static double vapour_form(double x, double y, double z, double t)
{
    return 8e-3 + 1e-8 * x + 1e-8 * y - 1e-6 * z + 1e-7 * t;
}

static double height_of(int m) { return 500 * m - 200; }
static double height_form(double x, double y, double z, double t) { return (void)t, z + 0.01 * x - 0.005 * y; }

const struct driver_variable driver_variable[DRIVER_VARIABLES] = {
    {"u", "m s-1", u_form},         {"v", "m s-1", v_form},
    {"theta", "K", theta_form},     {"pressure", "Pa", pressure_form},
    {"qv", "kg kg-1", vapour_form}, {"height", "m", height_form}};

static void need(int rc)
{
    if (rc == NC_NOERR) return;
    fprintf(stderr, "%s\n", nc_strerror(rc));
    abort();
}

void driver_file_make(const char *path, const struct driver_of *d, const struct driver_variable *v, int variables,
                      int by_column)
{
    int nc, dim[4], at[4], var[VARIABLES_MOST];
    static const char *const name[4] = {"time", "z", "y", "x"};
    const size_t n[4] = {(size_t)d->times, LEVELS, (size_t)d->ny, (size_t)d->nx};
    const double from[4] = {d->first, height_of(0), 0.5 * d->dy, 0.5 * d->dx},
                 step[4] = {d->interval, height_of(1) - height_of(0), d->dy, d->dx};
    need(nc_create(path, NC_CLOBBER | NC_NETCDF4, &nc));
    for (int a = 0; a < 4; a++) {
        need(nc_def_dim(nc, name[a], n[a], &dim[a]));
        need(nc_def_var(nc, name[a], NC_DOUBLE, 1, &dim[a], &at[a]));
        need(nc_put_att_text(nc, at[a], "units", 1, a ? "m" : "s"));
    }
    for (int m = 0; m < variables; m++) {
        need(nc_def_var(nc, v[m].name, NC_DOUBLE, 4, dim, &var[m]));
        need(nc_put_att_text(nc, var[m], "units", strlen(v[m].units), v[m].units));
    }
    need(nc_enddef(nc));
    for (int a = 0; a < 4; a++)
        for (size_t m = 0; m < n[a]; m++)
            need(nc_put_var1_double(nc, at[a], &m, &(double){from[a] + step[a] * (double)m}));
    double *const line = malloc(n[3] * sizeof *line);
    if (!line) abort();
    for (int m = 0; m < variables; m++)
        for (size_t row = 0; row < n[0] * n[1] * n[2]; row++) {
            const size_t place[4] = {row / (n[1] * n[2]), row / n[2] % n[1], row % n[2], 0}, count[4] = {1, 1, 1, n[3]};
            const double t = from[0] + step[0] * (double)place[0], y = from[2] + step[2] * (double)place[2];
            for (size_t i = 0; i < n[3]; i++) {
                const double x = from[3] + step[3] * (double)i, z = height_of((int)place[1]);
                line[i] = v[m].of(x, y, by_column && strcmp(v[m].name, "height") != 0 ? height_form(x, y, z, t) : z, t);
            }
            need(nc_put_vara_double(nc, var[m], place, count, line));
        }
    free(line);
    need(nc_close(nc));
}
