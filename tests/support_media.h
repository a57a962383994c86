/* A grid, media and shapes for tests of the EM model's set-up. Everything is static: one test is one process.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/geometry.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/error.h"

static struct config config;
static struct grid grid;
static struct maxwell_params params;
static struct media media;
static struct geometry geometry;

static uint64_t random_state = 1;
static inline double random_number(void) /* in (0, 1) */
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(random_state >> 11) + 0.5) * 0x1p-53;
}
static inline int random_below(int n) { return (int)(random_number() * n); }

/* Cells of 1 mm from (x, y, z) m on. */
static inline struct config cells_config(int nx, int ny, int nz, double x, double y, double z)
{
    return (struct config){.grid_nx = nx,
                           .grid_ny = ny,
                           .grid_nz = nz,
                           .grid_dx = 1e-3,
                           .grid_dy = 1e-3,
                           .grid_dz = 1e-3,
                           .grid_stretch_ratio = 1,
                           .grid_dz_max = 1,
                           .grid_origin_x = x,
                           .grid_origin_y = y,
                           .grid_origin_z = z};
}

/* Cells of random sizes from 1 to 1 + spread mm; spread 0: cells of 1 mm. */
static inline void grid_make(int nx, int ny, int nz, double spread)
{
    config = cells_config(nx, ny, nz, -7e-3, 0.02, -1e-3);
    for (int m = 0; m < nx; m++) config.grid_size_x[m] = 1e-3 * (1 + spread * random_number());
    for (int m = 0; m < ny; m++) config.grid_size_y[m] = 1e-3 * (1 + spread * random_number());
    for (int m = 0; m < nz; m++) config.grid_size_z[m] = 1e-3 * (1 + spread * random_number());
    const struct grid_sizes sizes = spread > 0 ? (struct grid_sizes){nx, ny, nz} : (struct grid_sizes){0};
    cr_assert_eq(grid_init(&grid, &config, &sizes), SF_OK);
}

/* A cube of 2 half cells of 1 mm a side, its middle at 0. */
static inline void cube_make(int half)
{
    const double low = -half * 1e-3;
    config = cells_config(2 * half, 2 * half, 2 * half, low, low, low);
    cr_assert_eq(grid_init(&grid, &config, &(struct grid_sizes){0}), SF_OK);
}

/* Everything as if the namelist were empty but for sides and `n` media m2, m3, ... */
static inline void params_make(int periodic, int n)
{
    memset(&params, 0, sizeof params);
    params.boundary_west = params.boundary_east = params.boundary_south = params.boundary_north =
        periodic & 1 ? EM_PERIODIC : EM_PEC;
    params.boundary_bottom = params.boundary_top = periodic & 2 ? EM_PERIODIC : EM_PMC;
    snprintf(params.geometry_background, sizeof params.geometry_background, "vacuum");
    for (int m = 0; m < n; m++) {
        snprintf(params.medium_name[m], sizeof params.medium_name[m], "m%d", m + 2);
        params.medium_epsilon[m] = m + 2, params.medium_mu[m] = 1;
    }
    for (int s = 0; s < 256; s++) {
        params.geometry_axis[s] = AZ;
        params.geometry_size_x[s] = params.geometry_size_y[s] = params.geometry_size_z[s] = 1e9;
    }
    cr_assert_eq(media_make(&media, &params, n, NULL), SF_OK);
}

enum { NONE, BOX, SPHERE, CYLINDER, HALF_SPACE, LAYER, SHEET, WIRE, CONE, STL };

static inline void shape_put(int n, int form, int medium, int axis, double x, double y, double z)
{
    params.geometry_shape[n] = form, params.geometry_axis[n] = axis;
    params.geometry_x[n] = x, params.geometry_y[n] = y, params.geometry_z[n] = z;
    snprintf(params.geometry_medium[n], sizeof params.geometry_medium[n], "%s", media.medium[medium].name);
}
static inline void sizes_put(int n, double x, double y, double z)
{
    params.geometry_size_x[n] = x, params.geometry_size_y[n] = y, params.geometry_size_z[n] = z;
}

static inline int geometry_try(volume_reader *read)
{
    sf_error_clear();
    return geometry_make(&geometry, &params, &media, &grid, "", read, NULL);
}
static inline void geometry_ready(volume_reader *read)
{
    cr_assert_eq(geometry_try(read), SF_OK, "%s", sf_error_text());
}
static inline void refused(int rc, int code, const char *text)
{
    cr_assert_eq(rc, code, "code %d: %s", rc, sf_error_text());
    cr_assert(strstr(sf_error_text(), text), "'%s' lacks '%s'", sf_error_text(), text);
}
