/* For tests of files that lead sides or begin runs: a netCDF file of linear functions of place and time, which straight
 * lines give back. SPDX-License-Identifier: MIT */
#pragma once

/* Of x, y, z, m, and time, s. */
struct driver_variable {
    const char *name, *units;
    double (*of)(double x, double y, double z, double t);
};

/* u, v, theta, pressure, qv, and height, which lifts levels by column. */
enum { DRIVER_U, DRIVER_V, DRIVER_THETA, DRIVER_PRESSURE, DRIVER_QV, DRIVER_HEIGHT, DRIVER_VARIABLES };
extern const struct driver_variable driver_variable[DRIVER_VARIABLES];
double driver_exner(double x, double y, double z, double t);

/* Columns of a model whose domain begins at 0, 0; 15 levels from -200 m on, 500 m apart; times from `first` on. */
struct driver_of {
    int nx, ny, times;
    double dx, dy, first, interval;
};

/* by_column: values other than "height" lie where DRIVER_HEIGHT says. Ends the program when the file cannot be written.
 */
void driver_file_make(const char *path, const struct driver_of *d, const struct driver_variable *v, int variables,
                      int by_column);
