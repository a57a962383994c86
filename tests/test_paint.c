/* Mixtures of media around every component against means taken cell by cell; how wide their numbers are; cuts.
 * SPDX-License-Identifier: MIT */
#include "support_media.h"

#include "maxwell/paint.h"

#include <math.h>
#include <stdlib.h>

static const double dt = 1.7e-12;

static struct paint paint;
static struct coefficients table[2];

/* ---- fields of numbers, with a margin that must stay as it is ---- */

enum { LOWEST = -3, MARGIN = 0xa5 };

struct numbers {
    int j0, j1;
    ptrdiff_t sk, sj;
    size_t bytes;
    unsigned char *id[6];
    void *at[6]; /* of row j0, column and level 0 */
};

static struct numbers numbers_make(int j0, int j1, const int wide[2])
{
    struct numbers f = {.j0 = j0, .j1 = j1, .sk = grid.nx + 5};
    f.sj = f.sk * (grid.nz + 3);
    f.bytes = (size_t)(f.sj * (j1 - j0)) * 2;
    for (int c = 0; c < 6; c++) {
        f.id[c] = malloc(f.bytes);
        memset(f.id[c], MARGIN, f.bytes);
        f.at[c] = f.id[c] + (f.sk + 2) * wide[c / 3];
    }
    return f;
}

static void numbers_free(struct numbers *f)
{
    for (int c = 0; c < 6; c++) free(f->id[c]);
}

static unsigned number_at(const struct numbers *f, int wide, int c, int j, int k, int i)
{
    const ptrdiff_t at = (j - f->j0) * f->sj + k * f->sk + i;
    return wide == 0 ? 0 : wide == 1 ? ((unsigned char *)f->at[c])[at] : ((unsigned short *)f->at[c])[at];
}

static real keep_at(const struct numbers *f, const struct paint *p, const struct coefficients t[2], int c, int j, int k,
                    int i)
{
    return t[c / 3].keep[number_at(f, p->wide[c / 3], c, j, k, i)];
}
static real turn_at(const struct numbers *f, const struct paint *p, const struct coefficients t[2], int c, int j, int k,
                    int i)
{
    return t[c / 3].turn[number_at(f, p->wide[c / 3], c, j, k, i)];
}

/* Geometry to tables of coefficients; the caller frees the numbers. */
static struct numbers all_painted(int j0, int j1)
{
    cr_assert_eq(paint_init(&paint, &geometry, &media), SF_OK);
    paint.threads = 3;
    struct numbers f = numbers_make(j0, j1, paint.wide);
    cr_assert_eq(paint_rows(&paint, &geometry, j0, j1, f.at, f.sj, f.sk), SF_OK, "%s", sf_error_text());
    cr_assert_eq(paint_coefficients(&paint, &media, NULL, dt, &table[0], &table[1]), SF_OK);
    return f;
}

/* ---- means, cell by cell ---- */

static unsigned char *volume; /* [j][k][i] of the domain */

static void volume_fill(void)
{
    const size_t row = (size_t)(grid.nx + 2) * (size_t)(grid.nz + 2);
    unsigned char *const cells = malloc(row);
    volume = malloc((size_t)grid.nx * (size_t)grid.ny * (size_t)grid.nz);
    for (int j = 0; j < grid.ny; j++) {
        geometry_row(&geometry, j, cells);
        for (int k = 0; k < grid.nz; k++)
            memcpy(volume + (j * grid.nz + k) * grid.nx, cells + (k + 1) * (grid.nx + 2) + 1, (size_t)grid.nx);
    }
    free(cells);
}

static int fold(int a, int m)
{
    const int n = geometry.axis[a].n;
    if (geometry.axis[a].periodic) return (m + 4 * n) % n;
    while (m < 0 || m >= n) m = m < 0 ? -1 - m : 2 * n - 1 - m;
    return m;
}
static double size_at(int a, int m)
{
    m = fold(a, m);
    return a == 0   ? grid_x(&grid, m + 1, 1) - grid_x(&grid, m, 1)
           : a == 1 ? grid_y(&grid, m + 1, 1) - grid_y(&grid, m, 1)
                    : grid_z(&grid, m + 1, 1) - grid_z(&grid, m, 1);
}
static int cell_at(const int at[3])
{
    return volume[(fold(1, at[1]) * grid.nz + fold(2, at[2])) * grid.nx + fold(0, at[0])];
}

/* What resists and what consumes, relative and SI; 1: a perfect conductor. */
static int electric_mean(int c, const int at[3], double *inertia, double *loss)
{
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    double area = 0;
    *inertia = *loss = 0;
    for (int m = 0; m < 4; m++) {
        int cell[3] = {at[0], at[1], at[2]};
        cell[a] -= m & 1, cell[b] -= m >> 1;
        const struct medium *const x = &media.medium[cell_at(cell)];
        const double w = size_at(a, cell[a]) * size_at(b, cell[b]);
        if (cell_at(cell) == MEDIUM_PEC) return 1;
        *inertia += w * x->epsilon, *loss += w * x->sigma, area += w;
    }
    *inertia *= em_eps0 / area, *loss /= area;
    return 0;
}

static int magnetic_mean(int c, const int at[3], double *inertia, double *loss)
{
    double length = 0, inverse = 0, lost = 0;
    for (int m = 0; m < 2; m++) {
        int cell[3] = {at[0], at[1], at[2]};
        cell[c] -= m;
        const struct medium *const x = &media.medium[cell_at(cell)];
        if (cell_at(cell) == MEDIUM_PEC) continue;
        const double w = size_at(c, cell[c]);
        inverse += w / x->mu, lost += w * x->sigma_m / (x->mu * x->mu), length += w;
    }
    if (!(length > 0)) return 1;
    *inertia = em_mu0 * length / inverse, *loss = lost / length / ((inverse / length) * (inverse / length));
    return 0;
}

static void agrees(const struct numbers *f, int c, int j, int k, int i)
{
    const int at[3] = {i, j, k};
    double inertia = 1, loss = 0;
    const int pec = c < 3 ? electric_mean(c, at, &inertia, &loss) : magnetic_mean(c - 3, at, &inertia, &loss);
    const double s = loss * dt / (2 * inertia), keep = pec ? 0 : (1 - s) / (1 + s),
                 turn = pec ? 0 : dt / inertia / (1 + s);
    const double found_keep = (double)keep_at(f, &paint, table, c, j, k, i),
                 found_turn = (double)turn_at(f, &paint, table, c, j, k, i);
    if (pec && c >= 3 && paint.wide[1] == 0) return; /* between conductors H is never changed: any number serves */
    cr_assert(fabs(found_keep - keep) <= 4e-7, "component %d at %d %d %d: keep %.9g, not %.9g", c, i, j, k, found_keep,
              keep);
    cr_assert(fabs(found_turn - turn) <= 4e-7 * turn, "component %d at %d %d %d: turn %.9g, not %.9g", c, i, j, k,
              found_turn, turn);
}

static void all_agree(const struct numbers *f)
{
    volume_fill();
    for (int c = 0; c < 6; c++)
        for (int j = f->j0; j < f->j1; j++)
            for (int k = 0; k <= grid.nz; k++)
                for (int i = 0; i <= grid.nx; i++) agrees(f, c, j, k, i);
    free(volume);
}

/* Nothing else was written: in a row of sj elements lie nz + 1 lines of nx + 1. */
static void margin_is_whole(const struct numbers *f)
{
    for (int c = 0; c < 6; c++) {
        const int wide = paint.wide[c / 3] ? paint.wide[c / 3] : 1;
        const unsigned char *const at = f->id[c];
        for (ptrdiff_t n = 0; n < f->sj * (f->j1 - f->j0); n++) {
            const ptrdiff_t k = n % f->sj / f->sk - 1, i = n % f->sk - 2;
            if (k >= 0 && k <= grid.nz && i >= 0 && i <= grid.nx && paint.wide[c / 3]) continue;
            cr_assert(at[n * wide] == MARGIN && at[n * wide + wide - 1] == MARGIN,
                      "component %d, level %td, column %td", c, k, i);
        }
    }
}

static void media_lossy(int n)
{
    for (int m = 0; m < n; m++) {
        params.medium_epsilon[m] = 1 + 11 * random_number();
        params.medium_mu[m] = 1 + 4 * random_number();
        params.medium_sigma[m] = m % 2 ? 3 * random_number() : 0;
        params.medium_sigma_m[m] = m % 3 ? 3e5 * random_number() : 0;
    }
    cr_assert_eq(media_make(&media, &params, n, NULL), SF_OK);
}

static void boxes_random(int n, int most)
{
    for (int s = 0; s < n; s++) {
        shape_put(s, random_below(2) ? BOX : SPHERE, random_below(most), AZ, -7e-3 + 0.03 * random_number(),
                  0.02 + 0.02 * random_number(), 0.02 * random_number());
        sizes_put(s, 1e-3 + 0.01 * random_number(), 1e-3 + 0.01 * random_number(), 1e-3 + 0.01 * random_number());
        params.geometry_radius[s] = 1e-3 + 5e-3 * random_number();
    }
}

Test(paint, means_of_random_media)
{
    for (int trial = 0; trial < 16; trial++) {
        const int n = trial % 4 < 2 ? 4 : 12;
        grid_make(20, 9, 14, trial % 2 ? 0.8 : 0);
        params_make(trial / 4, n);
        media_lossy(n);
        boxes_random(25, n + 2);
        geometry_ready(NULL);
        struct numbers f = all_painted(LOWEST, grid.ny + 4);
        all_agree(&f);
        margin_is_whole(&f);
        numbers_free(&f);
        paint_free(&paint);
        geometry_free(&geometry);
        grid_free(&grid);
    }
}

static void turn_is(const struct numbers *f, int c, int j, int k, int i, double relative)
{
    const double want = dt / (relative * (c < 3 ? em_eps0 : em_mu0));
    const real turn = turn_at(f, &paint, table, c, j, k, i);
    cr_assert_eq(turn, (real)want, "component %d at %d %d %d: %.9g, not %.9g", c, i, j, k, (double)turn, want);
    cr_assert_eq(keep_at(f, &paint, table, c, j, k, i), R(1.0));
}

/* A corner of a medium of epsilon 4 and mu 3 fills cells i >= 3, j >= 2, k >= 4. */
Test(paint, a_corner_of_equal_cells)
{
    grid_make(8, 6, 7, 0);
    params_make(0, 1);
    params.medium_epsilon[0] = 4, params.medium_mu[0] = 3;
    cr_assert_eq(media_make(&media, &params, 1, NULL), SF_OK);
    shape_put(0, BOX, 2, AZ, -4e-3 + 0.5, 22e-3 + 0.5, 3e-3 + 0.5);
    sizes_put(0, 1, 1, 1);
    geometry_ready(NULL);
    struct numbers f = all_painted(0, 7);
    cr_assert(paint.wide[0] == 1 && paint.wide[1] == 1);
    for (int i = 0; i < 8; i++) {
        const double in = i >= 3;
        turn_is(&f, 0, 2, 4, i, 1 + 3 * in / 4); /* the edge of the box along x */
        turn_is(&f, 0, 2, 5, i, 1 + 3 * in / 2); /* its southern face */
        turn_is(&f, 0, 3, 4, i, 1 + 3 * in / 2);
        turn_is(&f, 0, 3, 5, i, 1 + 3 * in);
        turn_is(&f, 0, 1, 5, i, 1);
        turn_is(&f, 0, 6, 7, i, 1 + 3 * in); /* on the outer faces */
    }
    for (int j = 0; j < 6; j++) turn_is(&f, 1, j, 4, 3, j >= 2 ? 1.75 : 1), turn_is(&f, 1, j, 4, 8, j >= 2 ? 2.5 : 1);
    for (int k = 0; k < 7; k++) turn_is(&f, 2, 2, k, 3, k >= 4 ? 1.75 : 1);
    turn_is(&f, 3, 2, 4, 3, 1.5); /* 1 / mu = (1 + 1/3) / 2 */
    turn_is(&f, 3, 2, 4, 4, 3);
    turn_is(&f, 3, 2, 4, 2, 1);
    turn_is(&f, 3, 2, 4, 8, 3);
    turn_is(&f, 4, 2, 5, 5, 1.5);
    turn_is(&f, 4, 3, 5, 5, 3);
    turn_is(&f, 5, 3, 4, 5, 1.5);
    turn_is(&f, 5, 3, 7, 5, 3);
    numbers_free(&f);
}

/* Cells of 1, 3 and 1 mm: an interface at the first node has shares 1/4 and 3/4. */
Test(paint, graded_weights)
{
    params_make(0, 1);
    params.medium_epsilon[0] = 5, params.medium_mu[0] = 2;
    cr_assert_eq(media_make(&media, &params, 1, NULL), SF_OK);
    config = (struct config){.grid_nx = 3, .grid_ny = 3, .grid_nz = 3, .grid_stretch_ratio = 1};
    for (int m = 0; m < 3; m++)
        config.grid_size_x[m] = config.grid_size_y[m] = config.grid_size_z[m] = m == 1 ? 3e-3 : 1e-3;
    cr_assert_eq(grid_init(&grid, &config, &(struct grid_sizes){3, 3, 3}), SF_OK);
    shape_put(0, HALF_SPACE, 2, AZ, 0, 0, 1e-3);
    shape_put(1, HALF_SPACE, 0, AY, 0, 1e-3, 0);
    params.geometry_side[1] = 1; /* so vacuum is where y or z is less than 1 mm */
    geometry_ready(NULL);
    struct numbers f = all_painted(0, 4);
    cr_assert_eq(paint.wide[0], 2);
    turn_is(&f, 0, 1, 1, 1, 1 + 4 * 9.0 / 16);
    turn_is(&f, 0, 2, 1, 1, 1 + 4 * 3.0 / 4);
    turn_is(&f, 0, 1, 2, 1, 1 + 4 * 3.0 / 4);
    turn_is(&f, 1, 1, 1, 1, 1 + 4 * 3.0 / 4);
    turn_is(&f, 0, 3, 1, 1, 1 + 4 * 3.0 / 4);
    turn_is(&f, 5, 1, 1, 1, 1 / (0.25 + 0.75 / 2));
    turn_is(&f, 4, 1, 1, 1, 1 / (0.25 + 0.75 / 2));
    turn_is(&f, 5, 1, 2, 1, 2);
    numbers_free(&f);
}

/* One cell of a conductor takes all twelve edges around it and no more; H beside it is that of the medium. */
Test(paint, a_conducting_cell)
{
    grid_make(7, 7, 7, 0);
    params_make(0, 2);
    params.medium_mu[0] = 3;
    cr_assert_eq(media_make(&media, &params, 1, NULL), SF_OK);
    snprintf(params.geometry_background, sizeof params.geometry_background, "m2");
    shape_put(0, BOX, 1, AZ, grid_x(&grid, 3, 0), grid_y(&grid, 3, 0), grid_z(&grid, 3, 0));
    sizes_put(0, 1e-3, 1e-3, 1e-3);
    geometry_ready(NULL);
    struct numbers f = all_painted(0, 8);
    cr_assert(paint.wide[0] == 1 && paint.wide[1] == 0);
    cr_assert_eq(paint.dictionary[0].n, 2);
    int edges = 0;
    for (int c = 0; c < 3; c++)
        for (int j = 0; j <= 7; j++)
            for (int k = 0; k <= 7; k++)
                for (int i = 0; i <= 7; i++) {
                    const int at[3] = {i, j, k};
                    int on = 1;
                    for (int a = 0; a < 3; a++) on &= at[a] == 3 || (a != c && at[a] == 4);
                    const int zero = sf_abs(keep_at(&f, &paint, table, c, j, k, i)) +
                                         sf_abs(turn_at(&f, &paint, table, c, j, k, i)) <=
                                     0;
                    cr_assert_eq(zero, on, "component %d at %d %d %d", c, i, j, k);
                    edges += on;
                }
    cr_assert_eq(edges, 12);
    cr_assert_eq(table[1].n, 1);
    turn_is(&f, 3, 3, 3, 3, 3);
    numbers_free(&f);
}

/* Beside a conductor H is that of the other medium, which has one number however it lies. */
Test(paint, a_conductor_makes_no_mixture_of_h)
{
    grid_make(6, 3, 3, 0);
    params_make(0, 1);
    params.medium_mu[0] = 3;
    cr_assert_eq(media_make(&media, &params, 1, NULL), SF_OK);
    shape_put(0, HALF_SPACE, 2, AX, grid_x(&grid, 2, 1), 0, 0);
    shape_put(1, HALF_SPACE, 1, AX, grid_x(&grid, 4, 1), 0, 0);
    geometry_ready(NULL);
    struct numbers f = all_painted(0, 4);
    all_agree(&f);
    cr_assert_eq(paint.dictionary[1].n, 4); /* vacuum, the mean, the medium, the conductor */
    cr_assert_eq(number_at(&f, 1, 3, 1, 1, 4), number_at(&f, 1, 3, 1, 1, 3));
    numbers_free(&f);
}

Test(paint, sheets_lie_on_edges)
{
    grid_make(9, 8, 7, 0);
    params_make(0, 1);
    shape_put(0, SHEET, MEDIUM_PEC, AX, grid_x(&grid, 4, 1), grid_y(&grid, 4, 1), grid_z(&grid, 3, 1));
    sizes_put(0, 0, 4e-3, 2e-3);
    shape_put(1, HALF_SPACE, 2, AY, 0, grid_y(&grid, 4, 1), 0); /* covers no sheet */
    geometry_ready(NULL);
    struct numbers f = all_painted(0, 9);
    int held = 0;
    for (int c = 0; c < 3; c++)
        for (int j = 0; j <= 8; j++)
            for (int k = 0; k <= 7; k++)
                for (int i = 0; i <= 9; i++) {
                    const int y = i == 4 && c == 1 && j >= 2 && j < 6 && k >= 2 && k <= 4;
                    const int z = i == 4 && c == 2 && j >= 2 && j <= 6 && k >= 2 && k < 4;
                    const int zero = sf_abs(turn_at(&f, &paint, table, c, j, k, i)) <= 0;
                    cr_assert_eq(zero, y || z, "component %d at %d %d %d", c, i, j, k);
                    held += zero;
                }
    cr_assert_eq(held, 4 * 3 + 5 * 2);
    numbers_free(&f);
}

/* ---- widths and the dictionary ---- */

static void widths_are(int e, int h, const char *what)
{
    int wide[2];
    geometry_ready(NULL);
    paint_width(&geometry, &media, wide);
    cr_assert(wide[0] == e && wide[1] == h, "%s: %d and %d, not %d and %d", what, wide[0], wide[1], e, h);
    cr_assert_eq(paint_init(&paint, &geometry, &media), SF_OK);
    cr_assert(paint.wide[0] == e && paint.wide[1] == h);
    paint_free(&paint);
    geometry_free(&geometry);
}

static void cubes(int n)
{
    for (int s = 0; s < n; s++) shape_put(s, BOX, 2 + s, AZ, 0, 0.03, 5e-3);
}

Test(paint, widths)
{
    grid_make(8, 8, 8, 0);
    params_make(0, 40);
    widths_are(0, 0, "vacuum");
    snprintf(params.geometry_background, sizeof params.geometry_background, "m3");
    widths_are(0, 0, "one medium");
    shape_put(0, SHEET, MEDIUM_PEC, AX, 0, 0.02, 0);
    widths_are(1, 0, "and a sheet");
    shape_put(0, BOX, MEDIUM_PEC, AX, 0, 0.02, 0);
    widths_are(1, 0, "and a conductor");
    params_make(0, 40);
    cubes(6);
    widths_are(1, 0, "seven media have 210 mixtures");
    cubes(7);
    widths_are(2, 0, "eight have 330");
    for (int m = 0; m < 40; m++) params.medium_mu[m] = 2 + m, params.medium_epsilon[m] = 1;
    cr_assert_eq(media_make(&media, &params, 40, NULL), SF_OK);
    cubes(21);
    widths_are(0, 1, "22 magnetic media have 253 pairs");
    cubes(22);
    widths_are(0, 2, "23 have 276");
    for (int m = 0; m < 40; m++) params.medium_sigma_m[m] = 3, params.medium_mu[m] = 1;
    cr_assert_eq(media_make(&media, &params, 40, NULL), SF_OK);
    widths_are(0, 1, "all alike but vacuum");
    snprintf(params.geometry_background, sizeof params.geometry_background, "m2");
    widths_are(0, 0, "all alike");
    snprintf(params.geometry_background, sizeof params.geometry_background, "pec");
    memset(params.geometry_shape, 0, sizeof params.geometry_shape);
    widths_are(0, 0, "nothing but a conductor");
    grid_free(&grid);
    grid_make(8, 8, 8, 0.3);
    params_make(0, 2);
    widths_are(0, 0, "graded, vacuum");
    shape_put(0, SHEET, MEDIUM_PEC, AX, 0, 0.02, 0);
    widths_are(1, 0, "graded, vacuum and a sheet");
    cubes(1);
    widths_are(2, 0, "graded, two media");
}

Test(paint, one_medium_has_coefficients_without_numbers)
{
    grid_make(5, 4, 3, 0);
    params_make(0, 1);
    params.medium_sigma[0] = 2, params.medium_mu[0] = 7;
    cr_assert_eq(media_make(&media, &params, 1, NULL), SF_OK);
    snprintf(params.geometry_background, sizeof params.geometry_background, "m2");
    geometry_ready(NULL);
    struct numbers f = all_painted(0, 5);
    all_agree(&f);
    margin_is_whole(&f);
    cr_assert(table[0].n == 1 && table[1].n == 1);
    cr_assert_lt(table[0].keep[0], R(1.0));
    numbers_free(&f);
    paint_free(&paint);
    geometry_free(&geometry);
    snprintf(params.geometry_background, sizeof params.geometry_background, "pec");
    geometry_ready(NULL);
    f = all_painted(0, 5);
    cr_assert(table[0].n == 1 && sf_abs(table[0].keep[0]) + sf_abs(table[0].turn[0]) <= 0);
    numbers_free(&f);
}

static int chequered(const char *path, int ni, int nk, int nj, int j0, int j1, int count, unsigned char *medium)
{
    (void)path, (void)nj, (void)count;
    for (int j = j0; j < j1; j++)
        for (int k = 0; k < nk; k++)
            for (int i = 0; i < ni; i++) medium[((j - j0) * nk + k) * ni + i] = (unsigned char)((i + j + k) % 2 * 2);
    return SF_OK;
}

/* Two media in turn: four cells around an edge have two opposite of each, and weights that the grading makes its
 * own. */
Test(paint, more_mixtures_than_numbers)
{
    grid_make(40, 16, 60, 0.5);
    params_make(0, 1);
    snprintf(params.geometry_file, sizeof params.geometry_file, "/chequered");
    geometry_ready(chequered);
    struct numbers f = all_painted(0, 16);
    cr_assert_gt(paint.dictionary[0].n, 1000);
    all_agree(&f);
    numbers_free(&f);
    paint_free(&paint);
    geometry_free(&geometry);
    grid_free(&grid);
    grid_make(200, 200, 200, 0.5);
    geometry_ready(chequered);
    cr_assert_eq(paint_init(&paint, &geometry, &media), SF_OK);
    f = numbers_make(0, 6, paint.wide);
    refused(paint_rows(&paint, &geometry, 0, 6, f.at, f.sj, f.sk), SF_NAMELIST, "more than 65535 different mixtures");
    cr_assert_eq(paint.dictionary[0].n, 65535);
    numbers_free(&f);
    paint_free(&paint);
    paint_free(&paint);
}

/* ---- cuts ---- */

static void same_values(const struct numbers *a, const struct paint *p, const struct coefficients t[2],
                        const struct numbers *b, const struct paint *q, const struct coefficients u[2])
{
    for (int c = 0; c < 6; c++)
        for (int j = b->j0; j < b->j1; j++)
            for (int k = 0; k <= grid.nz; k++)
                for (int i = 0; i <= grid.nx; i++) {
                    const real x[2] = {keep_at(a, p, t, c, j, k, i), turn_at(a, p, t, c, j, k, i)};
                    const real y[2] = {keep_at(b, q, u, c, j, k, i), turn_at(b, q, u, c, j, k, i)};
                    cr_assert_arr_eq(x, y, sizeof x, "component %d at %d %d %d", c, i, j, k);
                }
}

Test(paint, pieces_equal_the_whole)
{
    for (int trial = 0; trial < 8; trial++) {
        grid_make(19, 23, 13, trial % 2 ? 0.6 : 0);
        params_make(trial / 2, 5);
        media_lossy(5);
        boxes_random(30, 7);
        shape_put(40, SHEET, MEDIUM_PEC, AY, 0, 0.031, 0);
        if (trial >= 4) snprintf(params.geometry_file, sizeof params.geometry_file, "/chequered");
        geometry_ready(chequered);
        struct numbers whole = all_painted(LOWEST, 27);
        for (int j0 = LOWEST; j0 < 27; j0 += 4) {
            struct paint piece;
            struct coefficients part[2];
            cr_assert_eq(paint_init(&piece, &geometry, &media), SF_OK);
            struct numbers f = numbers_make(j0, SF_MIN(j0 + 4, 27), piece.wide);
            cr_assert_eq(paint_rows(&piece, &geometry, f.j0, f.j1, f.at, f.sj, f.sk), SF_OK);
            cr_assert_eq(paint_coefficients(&piece, &media, NULL, dt, &part[0], &part[1]), SF_OK);
            same_values(&whole, &paint, table, &f, &piece, part);
            numbers_free(&f);
            paint_free(&piece);
        }
        numbers_free(&whole);
        paint_free(&paint);
        geometry_free(&geometry);
        grid_free(&grid);
    }
}

/* What a caller does not want is not written; what it wants does not change for that. */
Test(paint, some_components_only)
{
    grid_make(9, 6, 5, 0);
    params_make(0, 3);
    boxes_random(8, 5);
    geometry_ready(NULL);
    struct numbers f = all_painted(0, 6), g = numbers_make(0, 6, paint.wide);
    void *const some[6] = {NULL, g.at[1], NULL, NULL, NULL, NULL};
    cr_assert_eq(paint_rows(&paint, &geometry, 0, 6, some, g.sj, g.sk), SF_OK);
    cr_assert_arr_eq(g.id[1], f.id[1], f.bytes / 2);
    for (size_t n = 0; n < g.bytes; n++) cr_assert(g.id[0][n] == MARGIN && g.id[2][n] == MARGIN);
    numbers_free(&f);
    numbers_free(&g);
}

/* ---- surfaces that do not follow the cells ---- */

static void nothing_left(struct numbers *f)
{
    numbers_free(f);
    paint_free(&paint);
    geometry_free(&geometry);
}

/* Relative epsilon of a component without loss. */
static double epsilon_at(const struct numbers *f, int c, int j, int k, int i)
{
    return dt / ((double)turn_at(f, &paint, table, c, j, k, i) * em_eps0);
}

/* What a plane through `on` with the normal n makes of the cell of component c at 4, 4, 4, of 1 mm: epsilon `high`
 * behind it. */
static double plane_epsilon(int c, const double on[3], const double n[3], double high)
{
    enum { FINE = 100 };
    const double node[3] = {grid_x(&grid, 4, 1), grid_y(&grid, 4, 1), grid_z(&grid, 4, 1)};
    int behind = 0;
    for (int p = 0; p < FINE * FINE * FINE; p++) {
        const int at[3] = {p % FINE, p / FINE % FINE, p / FINE / FINE};
        double height = 0;
        for (int a = 0; a < 3; a++)
            height += n[a] * (node[a] + 1e-3 * ((at[a] + 0.5) / FINE - (a == c ? 0 : 0.5)) - on[a]);
        behind += height < 0;
    }
    const double w = behind / (double)(FINE * FINE * FINE), mean = 1 + w * (high - 1), inverse = 1 - w + w / high;
    const double g =
        n[c] * n[c] * n[c] * n[c] / (n[0] * n[0] * n[0] * n[0] + n[1] * n[1] * n[1] * n[1] + n[2] * n[2] * n[2] * n[2]);
    return 1 / (g * inverse + (1 - g) / mean);
}

/* A sphere of 1 m is a plane to cells of 1 mm. */
Test(paint, a_slanted_plane)
{
    enum { TRIALS = 60 };
    double off = 0;
    grid_make(9, 9, 9, 0);
    for (int trial = 0; trial < TRIALS; trial++) {
        double n[3], on[3], centre[3], square = 0;
        for (int a = 0; a < 3; a++) n[a] = random_number() - 0.5, square += n[a] * n[a];
        const double node[3] = {grid_x(&grid, 4, 1), grid_y(&grid, 4, 1), grid_z(&grid, 4, 1)};
        for (int a = 0; a < 3; a++) {
            n[a] /= sqrt(square);
            on[a] = node[a] + 0.8e-3 * (random_number() - 0.5), centre[a] = on[a] - n[a];
        }
        params_make(0, 1);
        params.geometry_subpixel = 1, params.medium_epsilon[0] = 4, params.geometry_radius[0] = 1;
        cr_assert_eq(media_make(&media, &params, 1, NULL), SF_OK);
        shape_put(0, SPHERE, 2, AZ, centre[0], centre[1], centre[2]);
        geometry_ready(NULL);
        struct numbers f = all_painted(0, 10);
        for (int c = 0; c < 3; c++) {
            const double is = epsilon_at(&f, c, 4, 4, 4), should = plane_epsilon(c, on, n, 4);
            off += fabs(is / should - 1) / (3 * TRIALS);
            cr_assert(fabs(is - should) <= 0.06 * should, "trial %d, component %d, normal %g %g %g: %g, not %g", trial,
                      c, n[0], n[1], n[2], is, should);
        }
        nothing_left(&f);
    }
    cr_assert(off <= 0.01, "off by %g on average", off);
}

/* Three eighths of a cell of a medium: in series along the normal, side by side across it, and so are the losses. */
Test(paint, a_face_between_nodes)
{
    for (int axis = 0; axis < 3; axis++) {
        grid_make(8, 8, 8, 0);
        params_make(0, 1);
        params.geometry_subpixel = 1, params.medium_epsilon[0] = 5, params.medium_sigma[0] = 0.7;
        cr_assert_eq(media_make(&media, &params, 1, NULL), SF_OK);
        shape_put(0, HALF_SPACE, 2, axis, grid_x(&grid, 3, 1) + 0.375e-3, grid_y(&grid, 3, 1) + 0.375e-3,
                  grid_z(&grid, 3, 1) + 0.375e-3);
        params.geometry_side[0] = 1; /* below */
        geometry_ready(NULL);
        struct numbers f = all_painted(0, 9);
        cr_assert(paint.wide[0] == 2 && paint.wide[1] == 0);
        for (int c = 0; c < 3; c++) {
            const double w =
                c == axis ? 0.375 : 0.875; /* the cell of those along the face begins half a cell before the node */
            const double mean = 1 + 4 * w, series = 1 / (1 - w + w / 5);
            const double epsilon = c == axis ? series : mean,
                         sigma = c == axis ? series * series * w * 0.7 / 25 : w * 0.7;
            const double s = sigma * dt / (2 * epsilon * em_eps0);
            const double keep = (double)keep_at(&f, &paint, table, c, 3, 3, 3),
                         turn = (double)turn_at(&f, &paint, table, c, 3, 3, 3);
            cr_assert(fabs(keep - (1 - s) / (1 + s)) <= 2e-7, "component %d, axis %d: keep %.9g, not %.9g", c, axis,
                      keep, (1 - s) / (1 + s));
            cr_assert(fabs(turn * epsilon * em_eps0 * (1 + s) / dt - 1) <= 2e-7, "component %d, axis %d: turn", c,
                      axis);
        }
        nothing_left(&f);
        grid_free(&grid);
    }
}

static void widths_of_surfaces(void)
{
    shape_put(0, BOX, 2, AZ, 0, 0.024, 3e-3);
    sizes_put(0, 4e-3, 2e-3, 2e-3);
    widths_are(1, 0, "a box on nodes");
    sizes_put(0, 4e-3 + 1.9e-9, 2e-3, 2e-3);
    widths_are(1, 0, "a box within a millionth of nodes");
    sizes_put(0, 4e-3 + 2.1e-9, 2e-3, 2e-3);
    widths_are(2, 0, "a box between nodes");
    params.geometry_radius[0] = 3e-3;
    shape_put(0, SPHERE, 2, AZ, 0, 0.024, 3e-3);
    widths_are(2, 0, "a sphere");
    shape_put(0, CYLINDER, 2, AY, 0, 0.024, 3e-3);
    widths_are(2, 0, "a cylinder");
    shape_put(0, CYLINDER, 0, AY, 0, 0.024, 3e-3);
    widths_are(0, 0, "a cylinder of the background");
    shape_put(0, CYLINDER, MEDIUM_PEC, AY, 0, 0.024, 3e-3);
    widths_are(1, 0, "a cylinder of a conductor");
    shape_put(1, BOX, 2, AZ, 0, 0.024, 3e-3);
    widths_are(1, 0, "and a box without faces inside");
    params.geometry_subpixel = 0;
    shape_put(0, SPHERE, 2, AZ, 0, 0.024, 3e-3);
    widths_are(1, 0, "a sphere of whole cells");
}

Test(paint, widths_with_surfaces)
{
    grid_make(14, 8, 8, 0);
    params_make(0, 3);
    params.geometry_subpixel = 1;
    widths_of_surfaces();
}

/* Boxes on nodes, conductors and H have the same coefficients with and without a word about surfaces. */
Test(paint, faces_on_nodes_stay)
{
    for (int trial = 0; trial < 6; trial++) {
        grid_make(15, 11, 9, trial % 2 ? 0.5 : 0);
        params_make(trial / 2, 4);
        media_lossy(4);
        for (int s = 0; s < 12; s++) {
            const int low[3] = {random_below(12), random_below(8), random_below(6)},
                      high[3] = {low[0] + 2, low[1] + 3, low[2] + 2};
            const double at[2][3] = {{grid_x(&grid, low[0], 1), grid_y(&grid, low[1], 1), grid_z(&grid, low[2], 1)},
                                     {grid_x(&grid, high[0], 1), grid_y(&grid, high[1], 1), grid_z(&grid, high[2], 1)}};
            shape_put(s, BOX, random_below(6), AZ, (at[0][0] + at[1][0]) / 2, (at[0][1] + at[1][1]) / 2,
                      (at[0][2] + at[1][2]) / 2);
            sizes_put(s, at[1][0] - at[0][0], at[1][1] - at[0][1], at[1][2] - at[0][2]);
        }
        shape_put(12, SPHERE, MEDIUM_PEC, AZ, 0, 0.025, 4e-3);
        params.geometry_radius[12] = 2.3e-3;
        params.geometry_subpixel = 1;
        geometry_ready(NULL);
        struct numbers f = all_painted(LOWEST, 12);
        all_agree(&f);
        nothing_left(&f);
        grid_free(&grid);
    }
}

static void round_solids(int n, int most)
{
    params.geometry_subpixel = 1;
    for (int s = 0; s < n; s++) {
        shape_put(s, BOX + random_below(3), random_below(2) == 1 ? random_below(most) : 2 + random_below(most - 2),
                  random_below(3), -7e-3 + 0.02 * random_number(), 0.02 + 0.02 * random_number(),
                  0.015 * random_number());
        sizes_put(s, 2e-3 + 8e-3 * random_number(), 2e-3 + 8e-3 * random_number(), 2e-3 + 8e-3 * random_number());
        params.geometry_radius[s] = 1e-3 + 5e-3 * random_number();
    }
}

Test(paint, pieces_with_surfaces_equal_the_whole)
{
    for (int trial = 0; trial < 8; trial++) {
        grid_make(19, 23, 13, trial % 2 ? 0.6 : 0);
        params_make(trial % 4, 5);
        media_lossy(5);
        round_solids(14, 7);
        if (trial >= 4) snprintf(params.geometry_file, sizeof params.geometry_file, "/chequered");
        geometry_ready(chequered);
        struct numbers whole = all_painted(LOWEST, 27);
        int crossed = 0;
        for (int n = 0; n < paint.dictionary[0].n; n++) crossed += paint.dictionary[0].mixture[n].normal > 0;
        cr_assert_gt(crossed, 100);
        for (int j0 = LOWEST; j0 < 27; j0 += 5) {
            struct paint piece;
            struct coefficients part[2];
            cr_assert_eq(paint_init(&piece, &geometry, &media), SF_OK);
            struct numbers f = numbers_make(j0, SF_MIN(j0 + 5, 27), piece.wide);
            cr_assert_eq(paint_rows(&piece, &geometry, f.j0, f.j1, f.at, f.sj, f.sk), SF_OK);
            cr_assert_eq(paint_coefficients(&piece, &media, NULL, dt, &part[0], &part[1]), SF_OK);
            same_values(&whole, &paint, table, &f, &piece, part);
            numbers_free(&f);
            paint_free(&piece);
        }
        margin_is_whole(&whole);
        nothing_left(&whole);
        grid_free(&grid);
    }
}

/* A coated sphere amid a cube: mirror images and exchanged axes have the same bits. */
Test(paint, a_sphere_is_symmetric)
{
    enum { HALF = 11, N = 2 * HALF };
    cube_make(HALF);
    params_make(0, 2);
    media_lossy(2);
    params.geometry_subpixel = 1;
    shape_put(0, SPHERE, 2, AZ, 0, 0, 0);
    shape_put(1, SPHERE, 3, AZ, 0, 0, 0);
    params.geometry_radius[0] = 8.2e-3, params.geometry_radius[1] = 7e-3;
    geometry_ready(NULL);
    struct numbers f = all_painted(0, N + 1);
    for (int j = 0; j <= N; j++)
        for (int k = 0; k <= N; k++)
            for (int i = 0; i < N; i++) {
                const real e = turn_at(&f, &paint, table, 0, j, k, i), kept = keep_at(&f, &paint, table, 0, j, k, i);
                const real image[5] = {turn_at(&f, &paint, table, 0, j, k, N - 1 - i),
                                       turn_at(&f, &paint, table, 0, N - j, k, i),
                                       turn_at(&f, &paint, table, 0, k, j, i), turn_at(&f, &paint, table, 1, i, k, j),
                                       turn_at(&f, &paint, table, 2, j, i, k)};
                for (int m = 0; m < 5; m++)
                    cr_assert_arr_eq(&e, &image[m], sizeof e, "image %d of %d %d %d", m, i, j, k);
                const real other = keep_at(&f, &paint, table, 1, i, k, j);
                cr_assert_arr_eq(&kept, &other, sizeof kept, "loss at %d %d %d", i, j, k);
            }
    cr_assert_gt(paint.dictionary[0].n, 100);
    nothing_left(&f);
}

/* The mean of epsilon over all cells of Ex is that of the volumes where the normal plays no part: of a column along
 * x. */
Test(paint, volume_of_a_cylinder)
{
    grid_make(3, 30, 30, 0);
    params_make(0, 1);
    params.medium_epsilon[0] = 3, params.geometry_subpixel = 1, params.geometry_radius[0] = 9.37e-3;
    cr_assert_eq(media_make(&media, &params, 1, NULL), SF_OK);
    shape_put(0, CYLINDER, 2, AX, -5.5e-3, 0.0351e-0, 0.0142);
    geometry_ready(NULL);
    struct numbers f = all_painted(0, 31);
    double sum = 0;
    for (int j = 0; j < 30; j++)
        for (int k = 0; k < 30; k++) sum += (epsilon_at(&f, 0, j, k, 1) - 1) / 2;
    const double area = 3.14159265358979 * 9.37 * 9.37;
    cr_assert(fabs(sum - area) <= 0.003 * area, "%g mm2, not %g", sum, area);
    nothing_left(&f);
}

/* An edge is of a metal ball or is not, as its middle is in it, a tenth of a cell more or less; of a box that ends
 * between nodes as the cells are, with means on its faces. */
Test(paint, a_metal_is_in_no_mean)
{
    enum { HALF = 9, N = 2 * HALF };
    cube_make(HALF);
    params_make(0, 1);
    params.geometry_subpixel = 1, params.geometry_radius[0] = 6.37e-3;
    media.medium[2].is_metal = 1;
    shape_put(0, SPHERE, 2, AZ, 0, 0, 0);
    geometry_ready(NULL);
    struct numbers f = all_painted(0, N + 1);
    for (int c = 0; c < 3; c++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                for (int i = 0; i < N; i++) {
                    const int at[3] = {i, j, k};
                    double square = 0;
                    for (int a = 0; a < 3; a++) square += pow((a == c ? at[a] + 0.5 : at[a]) - HALF, 2);
                    const double epsilon = epsilon_at(&f, c, j, k, i), beyond = sqrt(square) - 6.37;
                    cr_assert(fabs(epsilon - 1) < 1e-6 || fabs(epsilon - 2) < 1e-6, "%d at %d %d %d: %g", c, i, j, k,
                              epsilon);
                    if (fabs(beyond) > 0.1)
                        cr_assert_eq(epsilon<2, beyond> 0, "%d at %d %d %d: %g, %g cells outside", c, i, j, k, epsilon,
                                     beyond);
                }
    nothing_left(&f);
    shape_put(0, BOX, 2, AZ, 0, 0, 0);
    sizes_put(0, 4.6e-3, 1, 1);
    geometry_ready(NULL);
    f = all_painted(0, N + 1);
    cr_expect_float_eq(epsilon_at(&f, 1, HALF, HALF, HALF - 2), 1.5, 1e-6, "a face's mean");
    cr_expect_float_eq(epsilon_at(&f, 1, HALF, HALF, HALF - 1), 2, 1e-6);
    nothing_left(&f);
}

/* In layers another medium stands for one, in its mixtures too: edges on the first node of a layer are before it. */
Test(paint, media_in_layers)
{
    enum { HALF = 6, N = 2 * HALF, LOW = 2, HIGH = 3 };
    cube_make(HALF);
    params_make(0, 2);
    media.medium[2].in_layer = 3, media.medium[3].stands_for = 2;
    shape_put(0, BOX, 2, AZ, 0, 0, -3e-3);
    sizes_put(0, 1, 1, 6e-3);
    geometry_ready(NULL);
    geometry.used[3] = 1;
    cr_assert_eq(paint_init(&paint, &geometry, &media), SF_OK);
    for (int a = 0; a < 3; a++) paint.layer[a][0] = a == AY ? 0 : LOW, paint.layer[a][1] = a == AX ? HIGH : 0;
    struct numbers f = numbers_make(LOWEST, N + 1, paint.wide);
    cr_assert_eq(paint_rows(&paint, &geometry, LOWEST, N + 1, f.at, f.sj, f.sk), SF_OK, "%s", sf_error_text());
    cr_assert_eq(paint_coefficients(&paint, &media, NULL, dt, &table[0], &table[1]), SF_OK);
    for (int c = 0; c < 3; c++)
        for (int j = LOWEST; j < N; j++)
            for (int k = 0; k < N; k++)
                for (int i = 0; i < N; i++) {
                    const double x = i + (c == AX ? 0.5 : 0), z = k + (c == AZ ? 0.5 : 0),
                                 within = x < LOW || x > N - HIGH || z < LOW ? 3 : 2,
                                 share = z < HALF   ? 1
                                         : z > HALF ? 0
                                                    : 0.5;
                    cr_assert(fabs(epsilon_at(&f, c, j, k, i) - (1 + share * (within - 1))) < 1e-6,
                              "%d at %d %d %d: %g", c, i, j, k, epsilon_at(&f, c, j, k, i));
                }
    nothing_left(&f);
}
