/* Every shape against a point test of every cell, what covers what, the cells beyond the sides, sheets, what is
 * refused, and figures of the faces. SPDX-License-Identifier: MIT */
#include "support_media.h"

#include "pipeline/complaint.h"

#include <math.h>
#include <stdlib.h>

static double size_of(int n, int a)
{
    return (a == 0 ? params.geometry_size_x : a == 1 ? params.geometry_size_y : params.geometry_size_z)[n];
}

/* Is the point in shape n? Written from the meaning of the keys. */
static int point_in(int n, const double at[3])
{
    const double c[3] = {params.geometry_x[n], params.geometry_y[n], params.geometry_z[n]},
                 r = params.geometry_radius[n];
    const int axis = params.geometry_axis[n];
    double square = 0, across = 0;
    int box = 1;
    for (int a = 0; a < 3; a++) {
        const double d = at[a] - c[a];
        square += d * d;
        if (a != axis) across += d * d;
        box &= fabs(d) <= size_of(n, a) / 2;
    }
    const double along = at[axis] - c[axis];
    switch (params.geometry_shape[n]) {
    case BOX:
        return box;
    case SPHERE:
        return sqrt(square) <= r;
    case CYLINDER:
        return sqrt(across) <= r && fabs(along) <= size_of(n, axis) / 2;
    case HALF_SPACE:
        return params.geometry_side[n] ? along <= 0 : along >= 0;
    case LAYER:
        return fabs(along) <= size_of(n, axis) / 2;
    default:
        return 0;
    }
}

static int cell_expected(int j, int k, int i)
{
    const double at[3] = {grid_x(&grid, i, 0), grid_y(&grid, j, 0), grid_z(&grid, k, 0)};
    int medium = media_find(&media, params.geometry_background);
    for (int n = 0; n < 256; n++)
        if (point_in(n, at)) medium = media_find(&media, params.geometry_medium[n]);
    return medium;
}

static unsigned char cells[200 * 200];
static int cell_at(int k, int i) { return cells[(k + 1) * (grid.nx + 2) + i + 1]; }

/* All cells of the domain; returns how many are not of the background. */
static long all_cells_agree(void)
{
    long painted = 0;
    for (int j = 0; j < grid.ny; j++) {
        geometry_row(&geometry, j, cells);
        for (int k = 0; k < grid.nz; k++)
            for (int i = 0; i < grid.nx; i++) {
                const int want = cell_expected(j, k, i);
                painted += want != geometry.background;
                cr_assert_eq(cell_at(k, i), want, "cell %d %d %d (i j k): %d, not %d", i, j, k, cell_at(k, i), want);
            }
    }
    return painted;
}

static double place_in(double low, double high) { return low + (high - low) * random_number(); }

static void shape_random(int n, int form, int medium)
{
    shape_put(n, form, medium, random_below(3), place_in(-0.01, 0.03), place_in(0.015, 0.05), place_in(-0.003, 0.025));
    params.geometry_side[n] = random_below(2);
    params.geometry_radius[n] = place_in(0.001, 0.012);
    sizes_put(n, place_in(1e-3, 0.03), place_in(1e-3, 0.03), place_in(1e-3, 0.03));
}

static void shapes_agree(int form)
{
    long painted = 0;
    for (int trial = 0; trial < 40; trial++) {
        grid_make(23, 19, 17, trial % 2 ? 0.7 : 0);
        params_make(trial % 4, 3);
        shape_random(0, form, 2);
        geometry_ready(NULL);
        painted += all_cells_agree();
        geometry_free(&geometry);
        grid_free(&grid);
    }
    cr_assert_gt(painted, 1000);
}

Test(geometry, box) { shapes_agree(BOX); }
Test(geometry, sphere) { shapes_agree(SPHERE); }
Test(geometry, cylinder) { shapes_agree(CYLINDER); }
Test(geometry, half_space) { shapes_agree(HALF_SPACE); }
Test(geometry, layer) { shapes_agree(LAYER); }

Test(geometry, many_shapes_in_their_order)
{
    for (int trial = 0; trial < 10; trial++) {
        grid_make(31, 13, 22, trial % 2);
        params_make(trial % 4, 6);
        snprintf(params.geometry_background, sizeof params.geometry_background, "M4");
        for (int n = 0; n < 200; n++)
            if (n % 3) shape_random(n, BOX + random_below(5), random_below(8));
        geometry_ready(NULL);
        all_cells_agree();
        geometry_free(&geometry);
        grid_free(&grid);
    }
}

Test(geometry, the_later_shape_covers_the_earlier)
{
    grid_make(9, 9, 9, 0);
    for (int swap = 0; swap < 2; swap++) {
        params_make(0, 2);
        shape_put(swap, BOX, 2, AZ, -2.5e-3, 24.5e-3, 3.5e-3);
        sizes_put(swap, 5e-3, 5e-3, 5e-3);
        shape_put(1 - swap, SPHERE, 3, AZ, -2.5e-3, 24.5e-3, 3.5e-3);
        params.geometry_radius[1 - swap] = 1.1e-3;
        geometry_ready(NULL);
        geometry_row(&geometry, 4, cells);
        cr_assert_eq(cell_at(4, 4), swap ? 2 : 3);
        cr_assert_eq(cell_at(4, 5), swap ? 2 : 3);
        cr_assert_eq(cell_at(5, 5), 2);
        cr_assert_eq(cell_at(6, 6), 2);
        cr_assert_eq(cell_at(7, 6), 0);
        geometry_free(&geometry);
    }
}

/* A surface that passes through centres: round-off must not decide, whichever side it comes from. */
Test(geometry, centres_on_the_surface_are_inside)
{
    grid_make(40, 40, 40, 0);
    params_make(0, 1);
    for (int m = 4; m < 36; m++) {
        shape_put(0, BOX, 2, AZ, grid_x(&grid, m, 0), grid_y(&grid, m, 0), grid_z(&grid, m, 0));
        sizes_put(0, 6e-3, 6e-3, 6e-3);
        geometry_ready(NULL);
        for (int a = 0; a < 3; a++)
            cr_assert(geometry.solid->low[a] == m - 3 && geometry.solid->high[a] == m + 4, "axis %d, cell %d: %d to %d",
                      a, m, geometry.solid->low[a], geometry.solid->high[a]);
        geometry_free(&geometry);
    }
    shape_put(0, SPHERE, 2, AZ, grid_x(&grid, 20, 0), grid_y(&grid, 20, 0), grid_z(&grid, 20, 0));
    params.geometry_radius[0] = 5e-3; /* 3, 4, 5: such centres lie on it */
    geometry_ready(NULL);
    for (int s = -1; s <= 1; s += 2) {
        geometry_row(&geometry, 20 + 3 * s, cells);
        cr_assert(cell_at(24, 20) == 2 && cell_at(16, 20) == 2 && cell_at(20, 24) == 2 && cell_at(20, 16) == 2);
        cr_assert(cell_at(25, 20) == 0 && cell_at(24, 21) == 0);
    }
    geometry_free(&geometry);
}

Test(geometry, beyond_the_sides)
{
    for (int periodic = 0; periodic < 4; periodic++) {
        grid_make(7, 5, 6, 0.5);
        params_make(periodic, 8);
        for (int n = 0; n < 30; n++) shape_random(n, BOX + random_below(2), 2 + random_below(8));
        geometry_ready(NULL);
        static unsigned char inside[5][8 * 9];
        for (int j = 0; j < 5; j++) geometry_row(&geometry, j, inside[j]);
        for (int j = -12; j < 17; j++) {
            geometry_row(&geometry, j, cells);
            int from = periodic & 1 ? ((j % 5) + 5) % 5 : ((j % 10) + 10) % 10;
            from = from < 5 ? from : 9 - from;
            cr_assert_arr_eq(cells, inside[from], sizeof inside[0], "row %d", j);
        }
        for (int j = 0; j < 5; j++) {
            geometry_row(&geometry, j, cells);
            for (int k = -1; k <= 6; k++) {
                cr_assert_eq(cell_at(k, -1), cell_at(k, periodic & 1 ? 6 : 0));
                cr_assert_eq(cell_at(k, 7), cell_at(k, periodic & 1 ? 0 : 6));
            }
            for (int i = -1; i <= 7; i++) {
                cr_assert_eq(cell_at(-1, i), cell_at(periodic & 2 ? 5 : 0, i));
                cr_assert_eq(cell_at(6, i), cell_at(periodic & 2 ? 0 : 5, i));
            }
        }
        geometry_free(&geometry);
        grid_free(&grid);
    }
}

Test(geometry, nodes_beyond_the_sides)
{
    const struct geometry_axis walls = {.n = 4}, ring = {.n = 4, .periodic = 1};
    static const int wall_node[] = {3, 2, 1, 0, 1, 2, 3, 4, 3, 2, 1}, ring_node[] = {1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
    for (int m = -3; m <= 7; m++) {
        cr_assert_eq(geometry_node(&walls, m), wall_node[m + 3]);
        cr_assert_eq(geometry_node(&ring, m), ring_node[m + 3]);
    }
}

/* ---- sheets ---- */

static int sheet_has(const struct sheet *s, int c, int i, int j, int k)
{
    return c != s->axis && sheet_has_along(s, &geometry.axis[AX], c, AX, i) &&
           sheet_has_along(s, &geometry.axis[AY], c, AY, j) && sheet_has_along(s, &geometry.axis[AZ], c, AZ, k);
}

/* The plate of 25 x 100 cells of Roden and Gedney: 25 edges by 101 lines one way, 100 by 26 the other, its rim
 * included. */
Test(geometry, a_plate_has_its_rim)
{
    grid_make(51, 126, 26, 0);
    params_make(0, 0);
    shape_put(0, SHEET, MEDIUM_PEC, AZ, (-7 + 13 + 12.5) * 1e-3, (20 + 13 + 50) * 1e-3, (-1 + 13.2) * 1e-3);
    sizes_put(0, 25e-3, 100e-3, 1e9);
    geometry_ready(NULL);
    cr_assert_eq(geometry.nsheets, 1);
    cr_assert_eq(geometry.nsolids, 0);
    int x = 0, y = 0, z = 0;
    for (int j = 0; j <= 126; j++)
        for (int k = 0; k <= 26; k++)
            for (int i = 0; i <= 51; i++) {
                const int inside_x = i >= 13 && i < 38 && j >= 13 && j <= 113 && k == 13;
                const int inside_y = i >= 13 && i <= 38 && j >= 13 && j < 113 && k == 13;
                cr_assert_eq(sheet_has(geometry.sheet, AX, i, j, k), inside_x, "Ex %d %d %d", i, j, k);
                cr_assert_eq(sheet_has(geometry.sheet, AY, i, j, k), inside_y, "Ey %d %d %d", i, j, k);
                x += inside_x, y += inside_y, z += sheet_has(geometry.sheet, AZ, i, j, k);
            }
    cr_assert(x == 25 * 101 && y == 100 * 26 && z == 0);
}

/* A strip as wide as a cell, centred on a line of nodes: the edges of that line, and none that sticks out across it. */
Test(geometry, a_narrow_strip_is_a_line)
{
    grid_make(9, 9, 12, 0);
    params_make(0, 0);
    for (double width = 0.2e-3; width < 2e-3; width += 0.4e-3) {
        shape_put(0, SHEET, MEDIUM_PEC, AX, -3e-3, 24e-3, 5e-3);
        sizes_put(0, 1e9, width, 8e-3);
        geometry_ready(NULL);
        int held = 0;
        for (int c = 0; c < 3; c++)
            for (int j = 0; j <= 9; j++)
                for (int k = 0; k <= 12; k++)
                    for (int i = 0; i <= 9; i++) {
                        const int is = c == AZ && i == 4 && j == 4 && k >= 2 && k < 10;
                        cr_assert_eq(sheet_has(geometry.sheet, c, i, j, k), is, "%g m, E%c %d %d %d", width, "xyz"[c],
                                     i, j, k);
                        held += is;
                    }
        cr_assert_eq(held, 8);
        geometry_free(&geometry);
    }
}

/* Both ends of an edge lie within: written from the meaning of the keys. */
static int edge_in(int n, int c, const int at[3])
{
    const int axis = params.geometry_axis[n];
    const double centre[3] = {params.geometry_x[n], params.geometry_y[n], params.geometry_z[n]};
    for (int end = 0; end < 2; end++)
        for (int a = 0; a < 3; a++) {
            const int m = at[a] + (a == c ? end : 0);
            const double place = a == 0 ? grid_x(&grid, m, 1) : a == 1 ? grid_y(&grid, m, 1) : grid_z(&grid, m, 1);
            if (a == axis ? m != grid_nearest(&grid, a, 1, centre[a]) : fabs(place - centre[a]) > size_of(n, a) / 2)
                return 0;
        }
    return c != axis;
}

Test(geometry, sheets_of_any_size)
{
    long held = 0;
    for (int trial = 0; trial < 60; trial++) {
        grid_make(13, 9, 11, trial % 2 ? 0.7 : 0);
        params_make(0, 0);
        shape_put(0, SHEET, MEDIUM_PEC, random_below(3), place_in(-6e-3, 2e-3), place_in(0.021, 0.028),
                  place_in(0, 9e-3));
        sizes_put(0, place_in(1e-3, 0.02), place_in(1e-3, 0.02), place_in(1e-3, 0.02));
        geometry_ready(NULL);
        const int n[3] = {13, 9, 11};
        for (int c = 0; c < 3; c++)
            for (int j = 0; j < n[AY] + (c != AY); j++)
                for (int k = 0; k < n[AZ] + (c != AZ); k++)
                    for (int i = 0; i < n[AX] + (c != AX); i++) {
                        const int is = geometry.nsheets && sheet_has(geometry.sheet, c, i, j, k),
                                  should = edge_in(0, c, (int[3]){i, j, k});
                        cr_assert_eq(is, should, "trial %d, E%c %d %d %d", trial, "xyz"[c], i, j, k);
                        held += should;
                    }
        geometry_free(&geometry);
        grid_free(&grid);
    }
    cr_assert_gt(held, 1000);
}

/* Sheets that hold a node but no edge, or none: told, and left out. A strip that loses more than a cell of its width:
 * told. */
Test(geometry, sheets_too_small)
{
    static const struct {
        double y, width, length;
        int sheets, warnings;
        const char *text;
    } strips[] = {{24e-3, 0.9e-3, 0.9e-3, 0, 1, "shape(1), a sheet, holds no whole edge of a cell"},
                  {24.5e-3, 0.9e-3, 5e-3, 0, 1, "shape(1), a sheet, holds no whole edge of a cell"},
                  {24e-3, 1e-3, 4e-3, 1, 0, ""},
                  {24e-3, 1.8e-3, 4e-3, 1, 1,
                   "shape(1), a sheet, is drawn from y = 0.024 to 0.024 m, narrower than its 0.0018 m"},
                  {24.5e-3, 1e-3, 4e-3, 1, 0, ""},
                  {24.5e-3, 1e9, 4e-3, 1, 0, ""},
                  {20e-3, 3.6e-3, 4e-3, 1, 0, ""}};
    grid_make(8, 8, 8, 0);
    for (size_t n = 0; n < sizeof strips / sizeof strips[0]; n++) {
        static struct complaints to;
        params_make(0, 0);
        shape_put(0, SHEET, MEDIUM_PEC, AX, -3e-3, strips[n].y, 3e-3);
        sizes_put(0, 0, strips[n].width, strips[n].length);
        memset(&to, 0, sizeof to);
        cr_assert_eq(geometry_make(&geometry, &params, &media, &grid, "", NULL, &to), SF_OK);
        cr_assert_eq(geometry.nsheets, strips[n].sheets, "strip %zu", n);
        cr_assert_eq(to.n, strips[n].warnings, "strip %zu", n);
        if (to.n) cr_assert(strstr(to.list[0].text, strips[n].text), "%s", to.list[0].text);
        cr_assert_eq(to.errors, 0);
        geometry_free(&geometry);
    }
}

/* A film of 0.4 cells on a conductor whose face lies on a node counts; where the face lies between nodes, cells leave
 * it out, which is told. */
Test(geometry, films_beside_conductors)
{
    static const struct {
        double face, film; /* cells from a node: the conductor's upper face, the film's lower one */
        int round, warnings;
    } plates[] = {{3, 3, 0, 0}, {3.3, 3.55, 0, 1}, {3.3, 5.55, 0, 0}, {1.3, 2.05, 0, 1}, {3, 3, 1, 1}};
    grid_make(8, 8, 8, 0);
    for (size_t n = 0; n < sizeof plates / sizeof plates[0]; n++) {
        static struct complaints to;
        params_make(0, 1);
        params.geometry_subpixel = 1;
        shape_put(0, LAYER, 2, AZ, 0, 0, -1e-3 + 1e-3 * (plates[n].film + 0.2));
        sizes_put(0, 1e9, 1e9, 0.4e-3);
        shape_put(1, plates[n].round ? CYLINDER : LAYER, MEDIUM_PEC, AZ, -3e-3, 24e-3, -1e-3 + 0.5e-3 * plates[n].face);
        sizes_put(1, 1e9, 1e9, 1e-3 * plates[n].face);
        params.geometry_radius[1] = 3e-3;
        memset(&to, 0, sizeof to);
        cr_assert_eq(geometry_make(&geometry, &params, &media, &grid, "", NULL, &to), SF_OK);
        cr_assert_eq(to.n, plates[n].warnings, "plate %zu: %d, %s", n, to.n, to.n ? to.list[0].text : "");
        if (to.n)
            cr_assert(strstr(
                to.list[0].text,
                "shape(1) holds no centre of a cell, and cells that the surface of the conductor shape(2) crosses"));
        cr_assert_eq(to.errors, 0);
        geometry_free(&geometry);
    }
}

/* A box of nodes meets a sheet where an edge of it lies on, or ends at, one of them. */
Test(geometry, boxes_that_meet_a_sheet)
{
    grid_make(9, 9, 12, 0);
    params_make(0, 0);
    shape_put(0, SHEET, MEDIUM_PEC, AX, -3e-3, 24e-3, 5e-3);
    sizes_put(0, 0, 3e-3, 8e-3); /* nodes 4; 3 to 5; 2 to 10 */
    geometry_ready(NULL);
    static const struct {
        int low[3], high[3], meets;
    } boxes[] = {{{4, 5, 10}, {6, 8, 11}, 1}, {{0, 0, 0}, {9, 9, 12}, 1}, {{4, 6, 2}, {4, 9, 10}, 0},
                 {{4, 3, 11}, {4, 5, 12}, 0}, {{5, 3, 2}, {9, 5, 10}, 0}, {{0, 0, 0}, {3, 9, 12}, 0},
                 {{4, 0, 0}, {4, 2, 12}, 0},  {{4, 0, 0}, {4, 3, 2}, 1},  {{4, 4, 0}, {4, 4, 1}, 0}};
    for (size_t n = 0; n < sizeof boxes / sizeof boxes[0]; n++)
        cr_assert_eq(geometry_has_sheet(&geometry, boxes[n].low, boxes[n].high), boxes[n].meets, "box %zu", n);
}

/* On a ring the last plane of nodes is the first; a sheet on either holds both. */
Test(geometry, a_sheet_on_the_seam)
{
    grid_make(6, 5, 8, 0);
    params_make(3, 0);
    shape_put(0, SHEET, MEDIUM_PEC, AX, -1e-3, 22.5e-3, 3e-3);
    shape_put(1, SHEET, MEDIUM_PEC, AX, -7e-3, 22.5e-3, 3e-3);
    shape_put(2, SHEET, MEDIUM_PEC, AZ, -1.5e-3, 22.5e-3, 3e-3);
    sizes_put(2, 3.2e-3, 1e9, 1e9); /* nodes 4 to 6 */
    geometry_ready(NULL);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i <= 6; i++)
            cr_assert_eq(sheet_has(&geometry.sheet[s], AZ, i, 2, 2), i == 0 || i == 6, "sheet %d, %d", s, i);
    for (int i = 0; i <= 6; i++) cr_assert_eq(sheet_has(&geometry.sheet[2], AY, i, 2, 4), i == 0 || i >= 4, "%d", i);
}

/* ---- a file ---- */

static int reads;
static unsigned char volume_value(int j, int k, int i)
{
    return (unsigned char)((7 * j + 3 * k + 5 * i + i * k % 3) % 4);
}
static int volume_stub(const char *path, int ni, int nk, int nj, int j0, int j1, int count, unsigned char *medium)
{
    cr_assert_str_eq(path, "/nowhere/else.nc");
    cr_assert(ni == 9 && nk == 6 && nj == 11 && count == 4);
    cr_assert(0 <= j0 && j0 <= j1 && j1 <= nj);
    reads++;
    for (int j = j0; j < j1; j++)
        for (int k = 0; k < nk; k++)
            for (int i = 0; i < ni; i++) medium[((j - j0) * nk + k) * ni + i] = volume_value(j, k, i);
    return SF_OK;
}

Test(geometry, a_file_below_the_shapes)
{
    grid_make(9, 11, 6, 0);
    for (int periodic = 0; periodic < 4; periodic++) {
        params_make(periodic, 2);
        snprintf(params.geometry_file, sizeof params.geometry_file, "/nowhere/else.nc");
        shape_put(0, LAYER, 3, AZ, 0, 0, grid_z(&grid, 2, 0));
        params.geometry_size_z[0] = 1e-3;
        reads = 0;
        geometry_ready(volume_stub);
        cr_assert_eq(reads, 1); /* a look at its head */
        cr_assert_eq(geometry_media_used(&geometry), 4);
        cr_assert_eq(geometry_load(&geometry, -3, 14), SF_OK);
        for (int j = -3; j < 14; j++) {
            geometry_row(&geometry, j, cells);
            const int from = geometry_cell(&geometry.axis[AY], j);
            for (int k = 0; k < 6; k++)
                for (int i = 0; i < 9; i++)
                    cr_assert_eq(cell_at(k, i), k == 2 ? 3 : volume_value(from, k, i), "%d %d %d", i, j, k);
        }
        reads = 0;
        cr_assert_eq(geometry_load(&geometry, 2, 5), SF_OK);
        cr_assert_eq(reads, 0); /* held already */
        geometry_free(&geometry);
    }
}

static int volume_refuses(const char *path, int ni, int nk, int nj, int j0, int j1, int count, unsigned char *medium)
{
    (void)ni, (void)nk, (void)nj, (void)j0, (void)j1, (void)count, (void)medium;
    SF_FAIL(SF_INPUT, "'%s' is not good", path);
}

/* ---- what is refused ---- */

Test(geometry, refused)
{
    grid_make(8, 8, 8, 0);
    params_make(0, 1);
    snprintf(params.geometry_background, sizeof params.geometry_background, "vacum");
    refused(geometry_try(NULL), SF_NAMELIST,
            "&geometry: background = 'vacum': there is no such medium; did you mean 'vacuum'");
    params_make(0, 1);
    shape_put(4, BOX, 2, AZ, 0, 0, 0);
    snprintf(params.geometry_medium[4], sizeof params.geometry_medium[4], "gold");
    refused(geometry_try(NULL), SF_NAMELIST, "&geometry: medium(5) = 'gold'");
    shape_put(4, SPHERE, 2, AZ, 0, 0, 0);
    refused(geometry_try(NULL), SF_NAMELIST, "radius(5)");
    shape_put(4, CYLINDER, 2, AZ, 0, 0, 0);
    refused(geometry_try(NULL), SF_NAMELIST, "radius(5)");
    shape_put(4, BOX, 2, AZ, 0, 0, 0);
    sizes_put(4, 1, 0, 1);
    refused(geometry_try(NULL), SF_NAMELIST, "size_y(5) = 0; a conductor without thickness is a 'sheet'");
    shape_put(4, SHEET, MEDIUM_PEC, AY, 0, 0.024, 0);
    cr_assert_eq(geometry_try(NULL), SF_OK, "%s", sf_error_text()); /* its own axis may have no size */
    geometry_free(&geometry);
    shape_put(4, SHEET, MEDIUM_PEC, AX, 0, 0.024, 0);
    refused(geometry_try(NULL), SF_NAMELIST, "size_y(5) = 0");
    sizes_put(4, 1, 1, 1);
    shape_put(4, SHEET, 2, AY, 0, 0.024, 0);
    refused(geometry_try(NULL), SF_NAMELIST, "can be of 'pec' only, not of 'm2'");
    shape_put(4, SHEET, MEDIUM_PEC, AY, 0, 0.019, 0);
    refused(geometry_try(NULL), SF_NAMELIST, "outside of the domain: y(5) = 0.019 m");
    params_make(0, 1);
    snprintf(params.geometry_file, sizeof params.geometry_file, "/nowhere/else.nc");
    refused(geometry_try(volume_refuses), SF_INPUT, "'/nowhere/else.nc' is not good");
    refused(geometry_try(NULL), SF_INTERNAL, "");
    snprintf(params.geometry_file, sizeof params.geometry_file, "else.nc");
    sf_error_clear();
    refused(geometry_make(&geometry, &params, &media, &grid, "/nowhere", volume_refuses, NULL), SF_INPUT,
            "beside the namelist, in /nowhere");
    cr_assert_null(geometry.memory);
}

/* Too thin for any centre, or beside the domain: painted nowhere, not in use, and not refused. */
Test(geometry, shapes_without_a_cell)
{
    grid_make(8, 8, 8, 0);
    params_make(0, 4);
    shape_put(0, LAYER, 2, AZ, 0, 0, 1e-3);
    params.geometry_size_z[0] = 0.4e-3;
    shape_put(1, SPHERE, 3, AZ, -3e-3, 24e-3, 3e-3);
    params.geometry_radius[1] = 0.86e-3; /* the nearest centres are sqrt(3) / 2 mm away */
    shape_put(2, BOX, 4, AZ, 5, 5, 5);
    sizes_put(2, 1, 1, 1);
    geometry_ready(NULL);
    cr_assert_eq(geometry.nsolids, 0);
    cr_assert_eq(geometry_media_used(&geometry), 1);
    geometry_free(&geometry);
    params.geometry_radius[1] = 0.87e-3;
    geometry_ready(NULL);
    cr_assert(geometry.nsolids == 1 && geometry.used[3] && geometry_media_used(&geometry) == 2);
    cr_assert_eq(all_cells_agree(), 8);
}

/* ---- figures ---- */

Test(geometry, cell_sizes)
{
    grid_make(5, 1, 7, 0.9);
    params_make(0, 0);
    geometry_ready(NULL);
    double most = 0;
    for (int i = 0; i < 5; i++) most = fmax(most, config.grid_size_x[i]);
    for (int k = 0; k < 7; k++) most = fmax(most, config.grid_size_z[k]);
    cr_assert_float_eq(geometry_largest_cell(&geometry), most, 1e-15);
    cr_assert(geometry.axis[AX].graded && geometry.axis[AZ].graded && !geometry.axis[AY].graded);
    for (int i = 1; i < 5; i++) {
        const double low = config.grid_size_x[i - 1], share = low / (low + config.grid_size_x[i]);
        cr_assert_float_eq(geometry_share(&geometry.axis[AX], i), SHARE_WHOLE * share, 0.6);
    }
    cr_assert_eq(geometry_share(&geometry.axis[AX], 0), SHARE_WHOLE / 2); /* beyond a wall is the image */
    cr_assert_eq(geometry_share(&geometry.axis[AX], 5), SHARE_WHOLE / 2);
    cr_assert_eq(geometry_share(&geometry.axis[AX], -2) + geometry_share(&geometry.axis[AX], 2), SHARE_WHOLE);
}

/* Which media the outermost cells have, by looking at each. */
static void face_expected(int face, unsigned char used[MEDIA_MAX])
{
    const int low[3] = {face == FACE_E ? grid.nx - 1 : 0, face == FACE_N ? grid.ny - 1 : 0,
                        face == FACE_T ? grid.nz - 1 : 0};
    const int high[3] = {face == FACE_W ? 1 : grid.nx, face == FACE_S ? 1 : grid.ny, face == FACE_B ? 1 : grid.nz};
    memset(used, 0, MEDIA_MAX);
    for (int j = low[1]; j < high[1]; j++)
        for (int k = low[2]; k < high[2]; k++)
            for (int i = low[0]; i < high[0]; i++) used[cell_expected(j, k, i)] = 1;
}

Test(geometry, media_of_the_faces)
{
    static unsigned char is[FACES][MEDIA_MAX], should[MEDIA_MAX];
    for (int trial = 0; trial < 10; trial++) {
        grid_make(14, 9, 11, trial % 2);
        params_make(0, 6);
        for (int n = 0; n < 20; n++) shape_random(n, BOX + random_below(5), random_below(8));
        params.geometry_shape[40] = HALF_SPACE; /* the western face is a conductor and nothing else */
        shape_put(40, HALF_SPACE, MEDIUM_PEC, AX, grid_x(&grid, 1, 1), 0, 0);
        params.geometry_side[40] = 1;
        geometry_ready(NULL);
        cr_assert_eq(geometry_face_media(&geometry, is), SF_OK);
        for (int face = 0; face < FACES; face++) {
            face_expected(face, should);
            cr_assert(!memcmp(is[face], should, MEDIA_MAX), "face %d", face);
        }
        memset(should, 0, MEDIA_MAX);
        should[MEDIUM_PEC] = 1;
        cr_assert(!memcmp(is[FACE_W], should, MEDIA_MAX));
        geometry_free(&geometry);
        grid_free(&grid);
    }
}
