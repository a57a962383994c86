/* The grid: uniform levels to the last bit, stretched ones in a constant ratio up to the cap, mirrored beyond floor and
 * lid. SPDX-License-Identifier: MIT */
#include "pipeline/error.h"
#include "pipeline/grid.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { G = GRID_GHOST_LEVELS };

static struct config config_make(int nz, double dz, double ratio, double from, double dz_max)
{
    return (struct config){.grid_nx = 8,
                           .grid_ny = 6,
                           .grid_nz = nz,
                           .grid_dx = 250,
                           .grid_dy = 500,
                           .grid_dz = dz,
                           .grid_stretch_ratio = ratio,
                           .grid_stretch_from = from,
                           .grid_dz_max = dz_max,
                           .grid_origin_x = -1000,
                           .grid_origin_y = 30};
}

Test(grid, columns_and_rows)
{
    const struct config c = config_make(4, 100, 1, 0, 1e6);
    struct grid g;
    cr_assert_eq(grid_init(&g, &c, &(struct grid_sizes){0}), 0);
    cr_assert_eq(grid_x(&g, 0, 1), -1000.0);
    cr_assert_eq(grid_x(&g, 0, 0), -875.0);
    cr_assert_eq(grid_x(&g, 8, 1), 1000.0);
    cr_assert_eq(grid_y(&g, 2, 0), 30 + 2.5 * 500);
    cr_assert_eq(grid_y(&g, -1, 1), 30 - 500.0);
    cr_assert(g.nx == 8 && g.ny == 6 && g.nz == 4 && g.dx == 250 && g.dy == 500);
    grid_free(&g);
    cr_assert_null(g.z_f);
}

Test(grid, uniform_levels_are_exact)
{
    const struct config c = config_make(70, 0.1, 1, 0, 1e6);
    struct grid g;
    cr_assert_eq(grid_init(&g, &c, &(struct grid_sizes){0}), 0);
    /* Adding 0.1 seventy times does not give 7; k dz is what every cut of the domain can repeat. */
    for (int k = 0; k <= 70; k++) cr_assert_eq(g.z_f[k], k * 0.1);
    for (int k = 0; k < 70; k++) cr_assert_float_eq(g.z_c[k], (k + 0.5) * 0.1, 1e-14);
    cr_assert_eq(g.top, 70 * 0.1);
    for (int m = 1; m <= G; m++) {
        cr_assert_float_eq(g.z_f[-m], -m * 0.1, 1e-14);
        cr_assert_float_eq(g.z_f[70 + m], (70 + m) * 0.1, 1e-13);
    }
    grid_free(&g);
}

Test(grid, cells_grow_in_a_constant_ratio_up_to_the_cap)
{
    /* 100 100 100 | 110 121 133.1 140 140 ...: faces at 100, 200, 300 lie at or above stretch_from only from 300 on. */
    const struct config c = config_make(9, 100, 1.1, 250, 140);
    static const double height[] = {100, 100, 100, 110, 121, 133.1, 140, 140, 140};
    struct grid g;
    cr_assert_eq(grid_init(&g, &c, &(struct grid_sizes){0}), 0);
    double top = 0;
    for (int k = 0; k < 9; k++) {
        cr_assert_float_eq(g.z_f[k + 1] - g.z_f[k], height[k], 1e-9, "cell %d is %g m high", k,
                           g.z_f[k + 1] - g.z_f[k]);
        cr_assert_eq(g.z_c[k], 0.5 * (g.z_f[k] + g.z_f[k + 1]));
        top += height[k];
    }
    cr_assert_float_eq(g.top, top, 1e-9);
    cr_assert_eq(g.top, g.z_f[9]);
    grid_free(&g);
}

/* Also where there are fewer cells than ghost levels: beyond the last mirrored face heights go on evenly. */
Test(grid, ghost_levels_mirror_and_rise)
{
    for (int nz = 2; nz <= 12; nz++)
        for (int stretched = 0; stretched < 2; stretched++) {
            const struct config c = config_make(nz, 50, stretched ? 1.2 : 1, 60, 1e6);
            struct grid g;
            cr_assert_eq(grid_init(&g, &c, &(struct grid_sizes){0}), 0);
            for (int m = 1; m <= G && m <= nz; m++) {
                cr_assert_float_eq(g.z_f[-m], -g.z_f[m], 1e-9);
                cr_assert_float_eq(g.z_f[nz + m] - g.top, g.top - g.z_f[nz - m], 1e-9);
                cr_assert_float_eq(g.z_c[-m], -g.z_c[m - 1], 1e-9);
            }
            for (int k = -G; k < nz + G; k++)
                cr_assert(g.z_f[k] < g.z_c[k] && g.z_c[k] < g.z_f[k + 1], "nz %d, k %d", nz, k);
            grid_free(&g);
        }
}

/* Cells of given sizes: faces are their sums, centres lie between; one size is the same as a step. */
Test(grid, cells_of_given_sizes)
{
    static const double size[] = {3, 1, 0.5, 2, 4};
    struct config c = config_make(5, 7, 1, 0, 1e6);
    c.grid_nx = c.grid_ny = 5;
    c.grid_origin_x = c.grid_origin_y = 0;
    c.grid_origin_x = -2, c.grid_origin_z = 10;
    for (int m = 0; m < 5; m++) c.grid_size_x[m] = c.grid_size_z[m] = size[m], c.grid_size_y[m] = 2.5;
    struct grid g;
    cr_assert_eq(grid_init(&g, &c, &(struct grid_sizes){5, 5, 5}), 0);
    double at = 0;
    for (int m = 0; m < 5; m++) {
        cr_assert_float_eq(grid_x(&g, m, 1), at - 2, 1e-12);
        cr_assert_float_eq(grid_x(&g, m, 0), at - 2 + 0.5 * size[m], 1e-12);
        cr_assert_float_eq(grid_z(&g, m, 1), at + 10, 1e-12);
        cr_assert_float_eq(grid_z(&g, m, 0), at + 10 + 0.5 * size[m], 1e-12);
        cr_assert_float_eq(grid_y(&g, m, 1), m * 2.5, 1e-12);
        at += size[m];
    }
    cr_assert_float_eq(grid_x(&g, 5, 1), at - 2, 1e-12);
    cr_assert_float_eq(g.top, at + 10, 1e-12);
    cr_assert(g.graded && g.x_f && !g.y_f && g.dy == 2.5);
    cr_assert_float_eq(g.z_f[-1], 10 - 3, 1e-12);
    cr_assert_float_eq(g.z_f[6], g.top + 4, 1e-12);
    grid_free(&g);
    cr_assert_eq(grid_init(&g, &c, &(struct grid_sizes){4, 0, 0}), SF_NAMELIST);
    grid_free(&g);
}

/* The nearest face and centre, against a search of all; none beyond half a cell outside. */
Test(grid, the_nearest_face_and_centre)
{
    static const double size[] = {3, 1, 0.5, 2, 4};
    struct config c = config_make(5, 7, 1, 0, 1e6);
    c.grid_nx = c.grid_ny = 5;
    c.grid_origin_x = c.grid_origin_y = 0;
    for (int m = 0; m < 5; m++) c.grid_size_x[m] = size[m];
    struct grid g;
    cr_assert_eq(grid_init(&g, &c, &(struct grid_sizes){5, 0, 0}), 0);
    for (double x = -1.4; x < 12.4; x += 0.13)
        for (int on_face = 0; on_face < 2; on_face++) {
            int best = 0;
            for (int m = 1; m < 5 + on_face; m++)
                if (fabs(grid_x(&g, m, on_face) - x) < fabs(grid_x(&g, best, on_face) - x) + 1e-9)
                    best = m; /* of two the upper */
            cr_assert_eq(grid_nearest(&g, 0, on_face, x), best, "%g: %d, not %d", x, grid_nearest(&g, 0, on_face, x),
                         best);
        }
    cr_assert_eq(grid_nearest(&g, 0, 1, -1.6), -1);
    cr_assert_eq(grid_nearest(&g, 0, 1, 12.6), -1);
    cr_assert_eq(grid_nearest(&g, 2, 0, 3 * 7 + 1), 3);
    grid_free(&g);
}

/* Places half-way between two, as sums of steps, products and decimal numbers write them, belong to the upper one. */
Test(grid, ties_go_up)
{
    static struct config c;
    static const double step[] = {5e-3, 0.1, 1.039e-3, 7e-9, 1.0 / 3}, start[] = {0, -0.25, 0.7};
    c.grid_stretch_ratio = 1, c.grid_dz_max = 1e6, c.grid_nx = c.grid_ny = 3;
    c.grid_dx = c.grid_dy = 1, c.grid_nz = 200;
    for (int n = 0; n < 15; n++) {
        const double d = step[n % 5];
        struct grid g;
        c.grid_dz = d, c.grid_origin_z = start[n / 5] * d * 100;
        cr_assert_eq(grid_init(&g, &c, &(struct grid_sizes){0, 0, 0}), SF_OK);
        for (int m = 1; m < 200; m++) {
            char text[32];
            snprintf(text, sizeof text, "%.9g", c.grid_origin_z + m * d);
            const double node[] = {c.grid_origin_z + m * d,
                                   g.z_f[m],
                                   strtod(text, NULL),
                                   c.grid_origin_z + (m - 0.5) * d + 0.5 * d,
                                   c.grid_origin_z + m * d - 0.9 * GRID_TIE * d,
                                   c.grid_origin_z + m * d + 0.9 * GRID_TIE * d};
            for (int w = 0; w < 6; w++) {
                cr_assert_eq(grid_nearest(&g, 2, 0, node[w]), m, "a node's upper cell is %d, not %d", m,
                             grid_nearest(&g, 2, 0, node[w]));
                cr_assert_eq(grid_nearest(&g, 2, 1, node[w] + 0.5 * d), m + 1);
            }
            cr_assert_eq(grid_nearest(&g, 2, 0, c.grid_origin_z + m * d - 3 * GRID_TIE * d), m - 1);
        }
        /* Half a cell beyond the domain is still there. */
        cr_assert_eq(grid_nearest(&g, 2, 0, c.grid_origin_z - 0.5 * d), 0);
        cr_assert_eq(grid_nearest(&g, 2, 1, c.grid_origin_z + 200.5 * d), 200);
        cr_assert_eq(grid_nearest(&g, 2, 1, c.grid_origin_z + 200.51 * d), -1);
        grid_free(&g);
    }
}
