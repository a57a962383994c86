/* Probes of the EM model: native places, every step once and by one rank, decay. SPDX-License-Identifier: MIT */
#include "maxwell/probe.h"
#include "maxwell/probe_place.h"
#include "pipeline/backend.h"
#include "pipeline/error.h"
#include "pipeline/state.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { NX = 6, NY = 5, NZ = 4, PROBES = 3 };

static struct config config;
static struct grid grid;
static struct probes *probes;
static const int none[3] = {0, 0, 0};

static void open_grid(void)
{
    config = (struct config){.grid_nx = NX,
                             .grid_ny = NY,
                             .grid_nz = NZ,
                             .grid_dx = 1,
                             .grid_dy = 2,
                             .grid_dz = 0.5,
                             .grid_stretch_ratio = 1,
                             .grid_dz_max = 1e6};
    cr_assert_eq(grid_init(&grid, &config, &(struct grid_sizes){0}), SF_OK);
}

static int make(double x, double y, double z, const int open[3], const int periodic[3])
{
    return probes_make(&probes, &grid, 1, 1, &x, &y, &z, open, periodic, 0.1);
}

static void check_place(int c, double x, double y, double z, int i, int j, int k)
{
    const struct trace_place *const p = &probes->place[c];
    const struct box *const at = &probes->at[c];
    cr_expect(fabs(p->x - x) < 1e-12 && fabs(p->y - y) < 1e-12 && fabs(p->z - z) < 1e-12, "component %d at %g %g %g", c,
              p->x, p->y, p->z);
    cr_expect(at->i0 == i && at->j0 == j && at->k0 == k && p->j == j, "component %d is element %d %d %d", c, at->i0,
              at->j0, at->k0);
}

Test(probe, nearest_native_places)
{
    open_grid();
    cr_assert_eq(make(2.1, 4.5, 0.7, none, none), SF_OK);
    check_place(0, 2.5, 4, 0.5, 2, 2, 1); /* Ex: centre, node, node */
    check_place(1, 2, 5, 0.5, 2, 2, 1);
    check_place(2, 2, 4, 0.75, 2, 2, 1);
    check_place(3, 2, 5, 0.75, 2, 2, 1); /* Hx: node, centre, centre */
    check_place(4, 2.5, 4, 0.75, 2, 2, 1);
    check_place(5, 2.5, 5, 0.5, 2, 2, 1);
    probes_free(&probes);
    cr_assert_eq(make(6, 10, 2, none, none), SF_OK); /* the far corner: nodes of conductors hold nothing */
    check_place(0, 5.5, 8, 1.5, 5, 4, 3);
    probes_free(&probes);
    cr_assert_eq(make(6, 10, 2, (const int[]){1, 1, 1}, none), SF_OK);
    check_place(0, 5.5, 10, 2, 5, 5, 4);
    probes_free(&probes);
    cr_assert_eq(make(6, 10, 2, none, (const int[]){1, 1, 1}), SF_OK); /* it is the near one */
    check_place(0, 5.5, 10, 2, 5, 0, 0);
    probes_free(&probes);
    cr_assert_eq(make(6.01, 1, 1, none, none), SF_NAMELIST);
    cr_expect(strstr(sf_error_text(), "probe 1") && !probes, "%s", sf_error_text());
    grid_free(&grid);
}

/* The northern side of a domain that ends with a magnetic conductor has a row of nodes more than there are rows of
 * cells: it goes with the last of these, and with no other. */
Test(probe, the_row_beyond_the_last_has_one_owner)
{
    const struct box all = {0, NX, 0, NZ, 0, NY + 1};
    struct box at = {.i0 = 2, .k0 = 1, .j0 = NY};
    cr_expect(probe_is_here(&at, &all, NY, 3, NY) && !probe_is_here(&at, &all, NY, 0, 3));
    cr_expect(!probe_is_here(&at, &(struct box){0, NX, 0, NZ, 0, NY}, NY, 3, NY), "what was not computed is not read");
    at.j0 = NY - 1;
    cr_expect(probe_is_here(&at, &all, NY, 3, NY) && !probe_is_here(&at, &all, NY, 0, 3));
    at.j0 = 2;
    cr_expect(probe_is_here(&at, &all, NY, 0, 3) && !probe_is_here(&at, &all, NY, 3, NY));
}

static real value_at(int c, int j, int k, int i, long step)
{
    return (real)(c * 1000 + j * 100 + k * 10 + i + 7000 * step);
}

/* The rank that owns rows [ja, jb) takes `steps` steps, its boxes cut at column i and level k. */
static void pass(struct storage *s, long first, int steps, int ja, int jb, int i, int k)
{
    const struct maxwell x = {.probes = probes};
    const int ci[] = {0, i, NX}, ck[] = {0, k, NZ};
    probes_rows(probes, ja, jb);
    cr_assert_eq(probes_prepare(probes, steps), SF_OK);
    for (int m = 0; m < steps; m++) {
        for (int c = 0; c < 6; c++)
            for (int j = s->s.j0; j < s->s.j0 + s->s.rows; j++)
                for (int q = 0; q < NZ; q++)
                    for (int p = 0; p < NX; p++)
                        s->s.f[c][(j - s->s.j0) * s->s.sj + q * s->s.sk + p] = value_at(c, j, q, p, first + m);
        const struct call call = {.step = first + m, .pass_step = m, .ctx = &x};
        for (int j = ja - 1; j < jb + 1; j++) /* a ghost row is computed too, and is not this rank's */
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++)
                    probe_run(&s->s, (struct box){ci[a], ci[a + 1], ck[b], ck[b + 1], j, j + 1}, &call);
    }
    cr_assert_eq(probes_collect(probes, first, steps), SF_OK, "%s", sf_error_text());
}

static void rows_open(struct storage *s, int ja, int jb)
{
    struct form form[6] = {{.shape = SHAPE_FULL}};
    const struct layout l = layout_make(LAYOUT_LINE, NX, NZ, NY, 1, 1);
    cr_assert_eq(storage_init(s, &backend_cpu, &l, 6, form, NULL, ja - 1, jb - ja + 2), SF_OK);
}

Test(probe, every_step_once_by_the_rank_that_owns_it)
{
    const double x[] = {0.2, 3.4, 5.9}, y[] = {1.2, 4.9, 9.1}, z[] = {0.1, 0.9, 1.9};
    const int cut[] = {0, 2, 3, NY};
    open_grid();
    double sum[7 * 6 * PROBES] = {0};
    for (int r = 0; r < 3; r++) {
        struct storage s;
        struct trace_record record;
        cr_assert_eq(probes_make(&probes, &grid, PROBES, 1, x, y, z, none, none, 0), SF_OK);
        const struct traces t = probes_traces(probes);
        cr_assert(t.n == 6 && t.nprobes == PROBES);
        rows_open(&s, cut[r], cut[r + 1]);
        pass(&s, 0, 2, cut[r], cut[r + 1], 3, 2);
        pass(&s, 2, 3, cut[r], cut[r + 1], 5, 1);
        t.take(t.own, &record);
        cr_assert(record.first == 0 && record.n == 5);
        for (int m = 0; m < 5 * 6 * PROBES; m++) sum[m] += (double)record.value[m];
        t.take(t.own, &record);
        cr_assert_eq(record.n, 0, "taken twice");
        pass(&s, 5, 2, cut[r], cut[r + 1], NX, NZ);
        t.take(t.own, &record);
        cr_assert(record.first == 5 && record.n == 2, "%ld from %ld on", record.n, record.first);
        for (int m = 0; m < 2 * 6 * PROBES; m++) sum[5 * 6 * PROBES + m] += (double)record.value[m];
        if (r < 2) probes_free(&probes);
        storage_free(&s);
    }
    for (int step = 0; step < 7; step++)
        for (int m = 0; m < 6 * PROBES; m++) { /* of all ranks one has the value, the others 0 */
            const struct box *const at = &probes->at[m];
            const double want = (double)value_at(m / PROBES, at->j0, at->k0, at->i0, step);
            const double got = sum[step * 6 * PROBES + m];
            cr_expect_eq(got, want, "step %d, component %d of probe %d: %g, not %g", step, m / PROBES, m % PROBES, got,
                         want);
        }
    probes_free(&probes);
    grid_free(&grid);
}

Test(probe, decay)
{
    const double x[] = {1, 2}, y[] = {1, 2}, z[] = {1, 1};
    const struct comm one = {.size = 1};
    double quiet;
    open_grid();
    cr_assert_eq(probes_make(&probes, &grid, 2, 1, x, y, z, none, none, 0.1), SF_OK);
    const struct traces t = probes_traces(probes);
    /* [Ex Ey Ez ..][probe] */
    double v[12] = {0};
    v[0] = 3, v[2] = 4; /* |E| = 5 at the first; the second has seen nothing */
    t.watch(t.own, 1, v);
    v[0] = v[2] = 0;
    t.watch(t.own, 2, v);
    cr_assert_eq(probes_quiet(probes, &one, &quiet), SF_OK);
    cr_expect_eq(quiet, 0, "a probe that has seen nothing is not quiet");
    v[5] = 2; /* Ez of the second */
    t.watch(t.own, 3, v);
    v[5] = 0.19, v[0] = 0.49, v[6] = 1e9; /* a tenth of 2 and of 5 are not reached; H does not count */
    t.watch(t.own, 4, v);
    probes_quiet(probes, &one, &quiet);
    cr_expect_eq(quiet, 1);
    v[0] = 0.31, v[2] = 0.4; /* |E| > 0.5 */
    t.watch(t.own, 5, v);
    probes_quiet(probes, &one, &quiet);
    cr_expect_eq(quiet, 0);
    v[0] = 0.29;
    t.watch(t.own, 7.5, v);
    probes_quiet(probes, &one, &quiet);
    cr_expect_eq(quiet, 2.5);
    probes_free(&probes);
    grid_free(&grid);
}
