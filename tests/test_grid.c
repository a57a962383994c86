/* The grid: uniform levels to the last bit, stretched ones in a constant ratio up to the cap, mirrored beyond floor and lid.
 * SPDX-License-Identifier: MIT */
#include "pipeline/grid.h"

#include <criterion/criterion.h>
#include <math.h>

enum { G = GRID_GHOST_LEVELS };

static struct config config_make(int nz, double dz, double ratio, double from, double dz_max)
{
    return (struct config){.grid_nx = 8, .grid_ny = 6, .grid_nz = nz, .grid_dx = 250, .grid_dy = 500, .grid_dz = dz,
                           .grid_stretch_ratio = ratio, .grid_stretch_from = from, .grid_dz_max = dz_max,
                           .grid_origin_x = -1000, .grid_origin_y = 30};
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
        cr_assert_float_eq(g.z_f[k + 1] - g.z_f[k], height[k], 1e-9, "cell %d is %g m high", k, g.z_f[k + 1] - g.z_f[k]);
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
            for (int k = -G; k < nz + G; k++) cr_assert(g.z_f[k] < g.z_c[k] && g.z_c[k] < g.z_f[k + 1], "nz %d, k %d", nz, k);
            grid_free(&g);
        }
}
