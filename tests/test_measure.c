/* Energy and extremes: all that lies in the domain, far magnetic conductors included, and nothing beyond.
 * SPDX-License-Identifier: MIT */
#include "maxwell/own.h"
#include "pipeline/backend.h"
#include "pipeline/error.h"
#include "pipeline/tables.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { NX = 700, NY = 3, NZ = 4 }; /* lines are longer than a block of energies */

static const double dt = 1e-12, eps = 2, mu = 3;

static struct grid grid;
static struct config config;
static struct maxwell_own own;
static struct instance in;
static struct state st;

static void open_domain(int magnetic)
{
    static const int cells[3] = {NX, NY, NZ};
    static const struct cpml_face none[2] = {{0, 1}, {0, 1}};
    static const struct cpml_options options = {.order = 3, .sigma_factor = 1, .kappa = 1};
    struct form form[SF_MAX_FIELDS] = {{.shape = SHAPE_FULL}};
    unsigned char skip[SF_MAX_FIELDS] = {0};
    config = (struct config){.grid_nx = NX,
                             .grid_ny = NY,
                             .grid_nz = NZ,
                             .grid_dx = 1,
                             .grid_dy = 2,
                             .grid_dz = 3,
                             .grid_stretch_ratio = 1,
                             .grid_dz_max = 1e6};
    cr_assert_eq(grid_init(&grid, &config, &(struct grid_sizes){0}), SF_OK);
    struct maxwell *const x = &own.ctx;
    *x = (struct maxwell){
        .ni = NX, .nk = NZ, .nj = NY, .ext_i = magnetic, .ext_k = magnetic, .ext_j = magnetic, .dt = dt};
    for (int a = 0; a < 3; a++) {
        double edge[NX + 1];
        for (int m = 0; m <= cells[a]; m++)
            edge[m] = a == AX ? grid_x(&grid, m, 1) : a == AY ? grid_y(&grid, m, 1) : grid_z(&grid, m, 1);
        cr_assert_eq(axis_lines_make(&x->axis[a], &own.lines[a], cells[a], edge, 0, none, &options, 1, dt), SF_OK);
    }
    static real keep[2] = {1, 1}, turn[2];
    turn[0] = (real)(dt / eps), turn[1] = (real)(dt / mu);
    x->e = (struct coefficients){1, &keep[0], &turn[0], NULL, NULL},
    x->h = (struct coefficients){1, &keep[1], &turn[1], NULL, NULL};
    for (int n = 0; n < F_SUMS; n++) skip[n] = n > F_HZ;
    const struct layout l = layout_make(LAYOUT_LINE, NX, NZ, NY, 1, 1);
    in = (struct instance){.grid = &grid, .config = &config, .own = &own, .dt_limit = 2 * dt};
    st = (struct state){.comm = {.size = 1}, .grid = &grid, .in = &in, .ja = 0, .jb = NY};
    cr_assert_eq(storage_init(&st.host, &backend_cpu, &l, F_SUMS, form, skip, -1, NY + 2), SF_OK);
}

static void close_domain(void)
{
    storage_free(&st.host);
    energies_free(&own.energies);
    for (int a = 0; a < 3; a++) table_free(own.lines[a]);
    grid_free(&grid);
}

static real *at(int c, int i, int j, int k)
{
    const struct slab *const s = &st.host.s;
    return &s->f[c][(j - s->j0) * s->sj + k * s->sk + i];
}

static void measure(double values[5])
{
    double courant;
    cr_assert_eq(maxwell_measure(&in, &st, dt, values, &courant), SF_OK);
}

Test(measure, extremes_on_far_magnetic_conductors)
{
    static const int place[6][3] = {{5, 1, NZ}, {NX, 1, 2}, {NX, NY, 1},
                                    {NX, 0, 0}, {3, NY, 3}, {7, 2, NZ}}; /* of Ex .. Hz */
    for (int magnetic = 0; magnetic < 2; magnetic++)
        for (int c = 0; c < 6; c++) {
            double values[5];
            open_domain(magnetic);
            *at(c, place[c][0], place[c][1], place[c][2]) = -5;
            measure(values);
            cr_expect_eq(values[3], magnetic && c < 3 ? 5 : 0, "component %d: e_max %g", c, values[3]);
            cr_expect_eq(values[4], magnetic && c >= 3 ? 5 : 0, "component %d: h_max %g", c, values[4]);
            close_domain();
        }
}

/* What lies beyond the domain is not looked at: of Ex there is no element NX. */
Test(measure, nothing_beyond_the_domain)
{
    double values[5];
    open_domain(1);
    *at(0, NX, 1, 1) = *at(1, 1, NY, 1) = *at(2, 1, 1, NZ) = *at(3, 1, NY, 1) = *at(4, NX, 1, 1) = *at(5, NX, 1, 1) = 5;
    measure(values);
    for (int q = 0; q < 5; q++) cr_expect_eq(values[q], 0, "number %d is %g", q, values[q]);
    close_domain();
}

/* 1/2 eps E^2 and 1/2 mu H^2 of fields that vary along x, element by element. */
Test(measure, energy_of_long_lines)
{
    double values[5], want[2] = {0};
    open_domain(1);
    for (int c = 0; c < 6; c++)
        for (int j = 0; j <= NY; j++)
            for (int k = 0; k <= NZ; k++)
                for (int i = 0; i <= NX; i++) {
                    const int m[3] = {i, j, k}, n[3] = {NX, NY, NZ};
                    const real value = *at(c, i, j, k) = (real)(1 + (i * 37 + j * 11 + k * 5 + c) % 101);
                    double volume = 1 * 2 * 3;
                    for (int a = 0; a < 3; a++) volume *= on_node(c, a) ? (m[a] % n[a] ? 1 : 0.5) : m[a] < n[a] ? 1 : 0;
                    want[c / 3] += 0.5 * (c < 3 ? eps : mu) * volume * (double)value * (double)value;
                }
    measure(values);
    const double accuracy = sizeof(real) == 8 ? 1e-13 : 1e-6; /* of the coefficients */
    for (int q = 0; q < 2; q++)
        cr_expect(fabs(values[1 + q] - want[q]) < accuracy * want[q], "%.12g J, not %.12g", values[1 + q], want[q]);
    cr_expect_eq(values[0], values[1] + values[2]);
    close_domain();
}

/* Lines of several media, numbered in one or two bytes: each element has the eps of its own, a line of one medium that
 * of all. */
Test(measure, energy_of_media)
{
    static const double of[3] = {2, 5, 11};
    for (int wide = 1; wide <= 2; wide++) {
        open_domain(0);
        const struct slab *const s = &st.host.s;
        static real keep[3] = {1, 1, 1}, turn[3];
        double values[5], want = 0;
        unsigned char *const ids = calloc((size_t)(s->rows + 1) * (size_t)s->sj, (size_t)wide);
        for (int m = 0; m < 3; m++) turn[m] = (real)(dt / of[m]);
        own.ctx.e = (struct coefficients){3, keep, turn, NULL, NULL}, own.ctx.e_wide = wide;
        for (int c = 0; c < 3; c++)
            st.host.s.f[F_MEX + c] = (real *)(void *)(ids + s->sj * wide); /* row 0 is the second that is stored */
        for (int j = 0; j < NY; j++)
            for (int k = 0; k < NZ; k++)
                for (int i = 0; i < NX; i++) {
                    const int id = k == 0 ? 1 : k == 1 ? (i >= 300) : k == 2 ? (i == NX - 1 ? 2 : 1) : (i * 7 + j) % 3;
                    const ptrdiff_t e = (j - s->j0) * s->sj + k * s->sk + i;
                    ids[(s->sj + e) * wide] = (unsigned char)id; /* the lower byte */
                    *at(AX, i, j, k) = 3;
                    want += 0.5 * of[id] * 9 * (j ? 2 : 1) * (k ? 3 : 1.5);
                }
        measure(values);
        cr_expect(fabs(values[1] - want) < (sizeof(real) == 8 ? 1e-13 : 1e-6) * want, "%d bytes: %.12g J, not %.12g",
                  wide, values[1], want);
        for (int c = 0; c < 3; c++) st.host.s.f[F_MEX + c] = NULL;
        free(ids);
        close_domain();
    }
}
