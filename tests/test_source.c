/* Dipoles and modes: a hard source is its waveform, a current leaves the charge and the field that it should, a mode
 * keeps its profile, and the domain may be cut in any way. SPDX-License-Identifier: MIT */
#include "support_yee.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/error.h"
#include "maxwell/cpml.h"
#include "pipeline/tables.h"

#if SF_PREC == 64
static const double digits = 1e-12;
#else
static const double digits = 1e-4;
#endif

enum { NONE, ELECTRIC, MAGNETIC, MODE };
static const int closed[3] = {0, 0, 0};
static const double cube[3] = {0.01, 0.01, 0.01}, brick[3] = {0.01, 0.012, 0.009};
static struct yee_world world, other;

/* Source m at the place of element `at` of its component. */
static void dipole_set(struct yee_world *w, int m, int kind, int drive, int axis, int i, int j, int k)
{
    struct maxwell_params *const p = &w->p;
    const int c = axis + (kind == MAGNETIC ? 3 : 0);
    p->source_kind[m] = kind, p->source_drive[m] = drive, p->source_axis[m] = axis;
    p->source_x[m] = place_at(&w->grid, AX, on_node(c, AX), i);
    p->source_y[m] = place_at(&w->grid, AY, on_node(c, AY), j);
    p->source_z[m] = place_at(&w->grid, AZ, on_node(c, AZ), k);
    p->source_waveform[m] = WAVE_GAUSSIAN;
    p->source_frequency[m] = em_c / (10 * 0.01);
}

static void bind(struct yee_world *w, int given)
{
    cr_assert_eq(yee_world_bind(w, given), SF_OK, "%s", sf_error_text());
}

static double value(const struct yee_world *w, int component, int i, int j, int k)
{
    return (double)w->s.f[F_EX + component][yee_at(w, i, j, k)];
}

Test(source, hard)
{
    const int n[3] = {12, 11, 10};
    yee_world_make(&world, n, brick, 1.02, closed, 0.99, 1, 1);
    dipole_set(&world, 0, ELECTRIC, DRIVE_HARD, AX, 4, 5, 6);
    dipole_set(&world, 1, MAGNETIC, DRIVE_HARD, AY, 8, 5, 3);
    world.p.source_amplitude[0] = 2.5, world.p.source_amplitude[1] = -0.01;
    bind(&world, 2);
    for (int step = 0; step < 60; step++) {
        yee_world_step(&world);
        const double t = step * world.x.dt + world.x.dt;
        cr_assert_eq((real)value(&world, 0, 4, 5, 6), (real)(2.5 * waveform_value(&world.source[0].wave, t)));
        const double want = -0.01 * waveform_value(&world.source[1].wave, step * world.x.dt + 0.5 * world.x.dt);
        cr_assert(fabs(value(&world, 4, 8, 5, 3) - want) <= 1e-7 * fabs(want));
    }
    yee_world_free(&world);
}

/* A soft source alone, without the update: the sum of what was added. */
Test(source, soft)
{
    const int n[3] = {8, 8, 8};
    yee_world_make(&world, n, cube, 1, closed, 0.99, 1, 1);
    dipole_set(&world, 0, ELECTRIC, DRIVE_SOFT, AY, 3, 4, 2);
    bind(&world, 1);
    double sum = 0;
    const struct box all = {0, 8, 0, 8, 0, 8};
    for (int step = 0; step < 50; step++) {
        const double time = step * world.x.dt;
        cr_assert(!sources_prepare(world.source, 1, 1, &time, world.x.dt));
        const struct call c = {.ctx = &world.x, .time = time};
        source_h_run(&world.s, all, &c);
        source_e_run(&world.s, all, &c);
        sum += waveform_value(&world.source[0].wave, time + world.x.dt);
    }
    cr_assert(sum > 3);
    cr_assert(fabs(value(&world, 1, 3, 4, 2) - sum) < 1e-5 * sum);
    yee_world_free(&world);
}

/* Divergence of E (or H) around a node (or in a cell), times its volume: the flux out of it. */
static double flux(const struct yee_world *w, int magnetic, int i, int j, int k)
{
    const int at[3] = {i, j, k};
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        const double face = place_size(&w->axis[b], !magnetic, at[b]) * place_size(&w->axis[c], !magnetic, at[c]);
        int low[3] = {i, j, k}, high[3] = {i, j, k};
        if (magnetic) high[a]++;
        else low[a]--;
        const int f = a + (magnetic ? 3 : 0);
        sum += face * (value(w, f, high[0], high[1], high[2]) - value(w, f, low[0], low[1], low[2]));
    }
    return sum;
}

/* A current moves charge, the integral of moment dt over the length of its edge, from its low end to its high one. */
Test(source, current_leaves_its_charge)
{
    const int n[3] = {14, 13, 12};
    for (int magnetic = 0; magnetic < 2; magnetic++)
        for (int axis = 0; axis < 3; axis++) {
            yee_world_make(&world, n, brick, 1.03, closed, 0.99, 1, 1);
            dipole_set(&world, 0, magnetic ? MAGNETIC : ELECTRIC, DRIVE_CURRENT, axis, 6, 7, 5);
            world.p.source_amplitude[0] = 2;
            bind(&world, 1);
            double moment = 0;
            for (int step = 0; step < 90; step++) {
                yee_world_step(&world);
                moment +=
                    2 * world.x.dt * waveform_value(&world.source[0].wave, (step + (magnetic ? 0 : 0.5)) * world.x.dt);
            }
            const struct waveform *const w = &world.source[0].wave;
            cr_assert(fabs(moment / (2 * w->scale * sqrt(2 * M_PI)) - 1) < 1e-6);
            const int at[3] = {6, 7, 5};
            const double length = place_size(&world.axis[axis], magnetic, at[axis]);
            const double charge = moment / length / (magnetic ? em_mu0 : em_eps0);
            int before[3] = {6, 7, 5}, after[3] = {6, 7, 5};
            if (magnetic) before[axis]--;
            else after[axis]++;
            const double plus = flux(&world, magnetic, after[0], after[1], after[2]);
            const double minus = flux(&world, magnetic, before[0], before[1], before[2]);
            cr_assert(fabs(plus / charge - 1) < digits, "%.17g of %.17g", plus, charge);
            cr_assert(fabs(minus / charge + 1) < digits, "%.17g of %.17g", minus, -charge);
            cr_assert(fabs(flux(&world, magnetic, 9, 9, 9)) < digits * charge);
            yee_world_free(&world);
        }
}

/* After a pulse of current the field of a static dipole stays, E = (3 (p r) r - p) / (4 pi eps0 r^3), p = integral of
 * moment dt, as long as nothing has come back from the walls. */
Test(source, current_leaves_a_dipole, .timeout = 120)
{
    const int n[3] = {61, 61, 61}, r = 10;
    yee_world_make(&world, n, cube, 1, closed, 0.99, 1, 1);
    dipole_set(&world, 0, ELECTRIC, DRIVE_CURRENT, AZ, 30, 30, 30);
    bind(&world, 1);
    while ((double)world.step * world.x.dt < waveform_end(&world.source[0].wave) + 14 * 0.01 / em_c)
        yee_world_step(&world);
    cr_assert((double)world.step * world.x.dt < world.source[0].wave.delay + 48 * 0.01 / em_c);
    const double p = world.source[0].wave.scale * sqrt(2 * M_PI), unit = p / (4 * M_PI * em_eps0 * pow(r * 0.01, 3));
    const double along = value(&world, 2, 30, 30, 30 + r) / unit, across = value(&world, 2, 30 - r, 30, 30) / unit;
    cr_assert(fabs(along / 2 - 1) < 0.05, "%g", along);
    cr_assert(fabs(across + 1) < 0.05, "%g", across);
    cr_assert(fabs(value(&world, 2, 30, 30 + r, 30) / unit + 1) < 0.05);
    yee_world_free(&world);
}

/* The mode's profile is an eigenvector: all there is in the guide is a multiple of it, plane by plane, and H along the
 * guide. */
static void expect_profile(const struct yee_world *w, int i, int m, int n, double tolerance)
{
    const double wide = w->n[1], high = w->n[2];
    const double ky = sin(M_PI * m / (2 * wide)) / w->axis[1].size[1],
                 kz = sin(M_PI * n / (2 * high)) / w->axis[2].size[1];
    double most = 0, wrong = 0, share = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j <= w->n[1]; j++)
            for (int k = 0; k <= w->n[2]; k++) {
                const double ey = j < w->n[1] ? -kz * cos(m * M_PI * (j + 0.5) / wide) * sin(n * M_PI * k / high) : 0;
                const double ez = k < w->n[2] ? ky * sin(m * M_PI * j / wide) * cos(n * M_PI * (k + 0.5) / high) : 0;
                const double got_y = value(w, 1, i, j, k), got_z = value(w, 2, i, j, k);
                if (!pass && fabs(ez) > most) most = fabs(ez), share = got_z / ez;
                if (pass) wrong = fmax(wrong, fmax(fabs(got_y - share * ey), fabs(got_z - share * ez)));
                if (pass) wrong = fmax(wrong, fabs(value(w, 0, i, j, k)));
            }
    cr_assert(fabs(share) * most > 1e-3, "nothing arrived at %d", i);
    cr_assert(wrong < tolerance * fabs(share) * most, "%g of %g", wrong, fabs(share) * most);
}

Test(source, mode_keeps_its_profile)
{
    const int n[3] = {40, 20, 9};
    for (int other_mode = 0; other_mode < 2; other_mode++) {
        const int m = 1 + other_mode, q = other_mode;
        yee_world_make(&world, n, brick, 1, closed, 0.99, 1, 1);
        struct maxwell_params *const p = &world.p;
        p->source_kind[0] = MODE, p->source_axis[0] = AX, p->source_drive[0] = other_mode ? DRIVE_SOFT : DRIVE_CURRENT;
        p->source_x[0] = place_at(&world.grid, AX, 1, 12), p->source_mode_m[0] = m, p->source_mode_n[0] = q;
        p->source_waveform[0] = WAVE_DIFFERENTIATED_GAUSSIAN;
        p->source_frequency[0] = 2.5e9;
        bind(&world, 1);
        for (int step = 0; step < 110; step++) yee_world_step(&world);
        expect_profile(&world, 12, m, q, SF_PREC == 64 ? 1e-11 : 3e-4);
        expect_profile(&world, 25, m, q, SF_PREC == 64 ? 1e-11 : 3e-4);
        yee_world_free(&world);
    }
}

/* A sheet of 1 A/m launches -Z/2 to each side, Z = eta / sqrt(1 - (fc/f)^2): a narrow band, before anything returns. */
Test(source, mode_amplitude, .timeout = 120)
{
    const int n[3] = {400, 16, 4};
    yee_world_make(&world, n, cube, 1, closed, 0.99, 1, 1);
    struct maxwell_params *const p = &world.p;
    const double cutoff = em_c / (2 * 0.16), f = 1.6 * cutoff;
    p->source_kind[0] = MODE, p->source_axis[0] = AX, p->source_x[0] = 2.1, p->source_mode_m[0] = 1;
    p->source_waveform[0] = WAVE_MODULATED_GAUSSIAN, p->source_frequency[0] = f, p->source_bandwidth[0] = 0.25 * f;
    bind(&world, 1);
    double east = 0, west = 0;
    while ((double)world.step * world.x.dt < 3.6 / em_c) {
        yee_world_step(&world);
        east = fmax(east, fabs(value(&world, 2, 210, 8, 2))), west = fmax(west, fabs(value(&world, 2, 190, 8, 2)));
    }
    const double want = em_eta0 / sqrt(1 - cutoff * cutoff / (f * f)) / 2;
    cr_assert_eq((real)east, (real)west);
    cr_assert(fabs(east / want - 1) < 0.04, "%g for %g", east, want);
    yee_world_free(&world);
}

Test(source, any_cut)
{
    const int n[3] = {14, 13, 12}, periodic[3] = {1, 0, 1};
    for (int m = 0; m < 2; m++) {
        struct yee_world *const w = m ? &other : &world;
        yee_world_make(w, n, brick, 1.02, periodic, 0.99, 1, 1);
        w->pieces = m;
        dipole_set(w, 0, ELECTRIC, DRIVE_CURRENT, AZ, 14, 5, 11);
        dipole_set(w, 1, MAGNETIC, DRIVE_CURRENT, AX, 4, 9, 0);
        dipole_set(w, 2, ELECTRIC, DRIVE_SOFT, AX, 9, 4, 12);
        w->p.source_kind[3] = NONE;
        dipole_set(w, 4, MAGNETIC, DRIVE_HARD, AY, 10, 10, 10);
        w->p.source_kind[5] = MODE, w->p.source_axis[5] = AY, w->p.source_y[5] = -0.12, w->p.source_mode_m[5] = 2;
        w->p.source_x[5] = place_at(&w->grid, AX, 1, 7), w->p.source_size_b[5] = 0.08; /* walls within the domain: */
        w->p.source_z[5] = place_at(&w->grid, AZ, 1, 6),
        w->p.source_size_a[5] = 0.06; /* painted by whoever needs them */
        w->p.source_mode_n[5] = 1, w->p.source_frequency[5] = 3e9;
        bind(w, 6);
        cr_assert_eq(w->x.nsources, 5);
        cr_assert_eq(w->source[3].number, 5);
        for (int step = 0; step < 50; step++) yee_world_step(w);
    }
    cr_assert_eq(memcmp(world.memory, other.memory, 6 * world.size * sizeof(real)), 0);
    cr_assert(fabs(value(&world, 2, 0, 5, 11)) > 0); /* node 14 of a periodic axis is node 0 */
    yee_world_free(&world);
    yee_world_free(&other);
}

/* A current enters with the coefficient of the medium at its own place, in either width of the ids; a conductor keeps
 * it out. */
Test(source, medium_of_its_place)
{
    const int n[3] = {8, 8, 8};
    const double time = 1e-10;
    for (int wide = 1; wide <= 2; wide++)
        for (int id = 0; id < 3; id++) {
            yee_world_make(&world, n, cube, 1, closed, 0.99, 1, 1);
            dipole_set(&world, 0, ELECTRIC, DRIVE_CURRENT, AZ, 3, 4, 5);
            real keep[3] = {1, 1, 1}, turn[3] = {1, R(0.25), 0};
            unsigned char *const ids = calloc(world.size, 2);
            const ptrdiff_t start = world.s.f[F_EX] - world.memory, at = start + yee_at(&world, 3, 4, 5);
            if (wide == 1) ids[at] = (unsigned char)id;
            else ((unsigned short *)(void *)ids)[at] = (unsigned short)id;
            world.s.f[F_MEZ] = (real *)(void *)(ids + start * wide);
            world.x.e = (struct coefficients){3, keep, turn, NULL, NULL}, world.x.e_wide = wide;
            bind(&world, 1);
            cr_assert(!sources_prepare(world.source, 1, 1, &time, world.x.dt));
            const struct call c = {.ctx = &world.x};
            source_e_run(&world.s, (struct box){0, 8, 0, 8, 0, 8}, &c);
            const double want = -waveform_value(&world.source[0].wave, time + world.x.dt / 2) / 1e-6 * (double)turn[id];
            cr_assert(fabs(value(&world, 2, 3, 4, 5) - want) <= 1e-6 * fabs(want), "%g", want);
            free(ids);
            yee_world_free(&world);
        }
}

Test(source, images_of_rows)
{
    for (int rows = 0; rows <= 5; rows++)
        for (int low = 0; low < (rows ? rows : 5); low++)
            for (int high = low; high <= (rows ? rows : 5); high++)
                for (int j0 = -12; j0 < 12; j0++)
                    for (int j1 = j0; j1 < 14; j1++) {
                        int meet = 0;
                        for (int j = j0; j < j1; j++) meet |= place_row(j, rows) >= low && place_row(j, rows) < high;
                        cr_assert_eq(place_rows_meet(low, high, rows, j0, j1), meet, "%d:%d of %d in %d:%d", low, high,
                                     rows, j0, j1);
                    }
}

/* What a dipole changes is one element, and nothing where a box does not hold it. */
Test(source, tells_what_it_changes)
{
    const int n[3] = {8, 9, 7};
    yee_world_make(&world, n, cube, 1, closed, 0.99, 1, 1);
    dipole_set(&world, 0, ELECTRIC, DRIVE_CURRENT, AZ, 3, 4, 5);
    dipole_set(&world, 1, MAGNETIC, DRIVE_CURRENT, AZ, 6, 7, 2);
    bind(&world, 2);
    const struct call c = {.ctx = &world.x};
    const struct box all = {0, 8, 0, 7, 0, 9}, e = source_e_changes(&c, all), h = source_h_changes(&c, all);
    cr_assert(e.i0 == 3 && e.i1 == 4 && e.j0 == 4 && e.j1 == 5 && e.k0 == 5 && e.k1 == 6);
    cr_assert(h.i0 == 6 && h.i1 == 7 && h.j0 == 7 && h.j1 == 8 && h.k0 == 2 && h.k1 == 3);
    const struct box none = source_e_changes(&c, (struct box){4, 8, 0, 7, 0, 9});
    cr_assert(none.i0 >= none.i1);
    yee_world_free(&world);
}

/* Rows beyond the seam of a periodic domain get what the rows get that they repeat. */
Test(source, rows_beyond_the_seam)
{
    const int n[3] = {8, 6, 8}, periodic[3] = {0, 1, 0};
    const double time = 1e-10;
    yee_world_make(&world, n, cube, 1, periodic, 0.99, 1, 1);
    dipole_set(&world, 0, ELECTRIC, DRIVE_CURRENT, AZ, 3, 0, 4);
    dipole_set(&world, 1, ELECTRIC, DRIVE_CURRENT, AX, 3, 5, 4);
    bind(&world, 2);
    cr_assert(!sources_prepare(world.source, 2, 1, &time, world.x.dt));
    const struct call c = {.ctx = &world.x};
    yee_sources_run(&world, 1, (struct box){0, 8, 0, 8, -1, 7}, &c);
    cr_assert(fabs(value(&world, 2, 3, 0, 4)) > 0 && fabs(value(&world, 0, 3, 5, 4)) > 0);
    cr_assert_eq((real)value(&world, 2, 3, 0, 4), (real)value(&world, 2, 3, 6, 4));
    cr_assert_eq((real)value(&world, 0, 3, 5, 4), (real)value(&world, 0, 3, -1, 4));
    yee_world_free(&world);
}

Test(source, band_and_end)
{
    const int n[3] = {20, 18, 16};
    double low, high;
    yee_world_make(&world, n, cube, 1, closed, 0.99, 1, 1);
    sources_band(NULL, 0, NULL, 0.01, &low, &high);
    cr_assert(low <= 0 && high <= 0 && sources_end(NULL, 0, NULL) <= 0);
    dipole_set(&world, 0, ELECTRIC, DRIVE_CURRENT, AZ, 3, 4, 4);
    dipole_set(&world, 1, ELECTRIC, DRIVE_CURRENT, AZ, 3, 4, 4);
    world.p.source_waveform[0] = WAVE_RICKER, world.p.source_frequency[0] = 1e9;
    world.p.source_waveform[1] = WAVE_RICKER, world.p.source_frequency[1] = 3e9;
    world.p.plane_wave_direction = 1, world.p.plane_wave_margin = 4, world.p.plane_wave_waveform = WAVE_RICKER;
    world.p.plane_wave_frequency = 2e9;
    bind(&world, 2);
    double low_0, high_1, none;
    waveform_band(&world.source[0].wave, 0.01, &low_0, &none);
    waveform_band(&world.source[1].wave, 0.01, &none, &high_1);
    sources_band(world.source, 2, world.incident, 0.01, &low, &high);
    cr_assert_eq(low, low_0);
    cr_assert_eq(high, high_1);
    cr_assert_eq(sources_end(world.source, 2, world.incident), waveform_end(&world.source[0].wave));
    yee_world_free(&world);
    yee_world_make(&world, n, cube, 1, closed, 0.99, 1, 1); /* the plane wave counts as well */
    dipole_set(&world, 0, ELECTRIC, DRIVE_CURRENT, AZ, 3, 4, 4);
    world.p.source_waveform[0] = WAVE_RICKER, world.p.source_frequency[0] = 1e9;
    world.p.plane_wave_direction = 1, world.p.plane_wave_margin = 4, world.p.plane_wave_waveform = WAVE_RICKER;
    world.p.plane_wave_frequency = 0.5e9;
    bind(&world, 1);
    waveform_band(incident_waveform(world.incident), 0.01, &low_0, &none);
    sources_band(world.source, 1, world.incident, 0.01, &low, &high);
    cr_assert_eq(low, low_0);
    cr_assert_eq(sources_end(world.source, 1, world.incident), waveform_end(incident_waveform(world.incident)));
    yee_world_free(&world);
}

static void expect_refused(const char *message)
{
    sf_error_clear();
    cr_assert_eq(yee_world_bind(&world, 1), SF_NAMELIST);
    cr_assert(strstr(sf_error_text(), message), "'%s' lacks '%s'", sf_error_text(), message);
    yee_world_free(&world);
}

Test(source, refused)
{
    const int n[3] = {8, 8, 8};
    yee_world_make(&world, n, cube, 1, closed, 0.99, 1, 1);
    dipole_set(&world, 0, ELECTRIC, DRIVE_SOFT, AZ, 3, 4, 4);
    world.p.source_y[0] = 4;
    expect_refused("source 1: y = 4 m lies outside");
    yee_world_make(&world, n, cube, 1, closed, 0.99, 1, 1);
    dipole_set(&world, 0, ELECTRIC, DRIVE_SOFT, AZ, 0, 4, 4);
    expect_refused("source 1: Ez at the low end of x lies in a conductor");
    yee_world_make(&world, n, cube, 1, closed, 0.99, 1, 1);
    dipole_set(&world, 0, MODE, DRIVE_SOFT, AZ, 3, 4, 4);
    world.p.source_mode_m[0] = 8;
    expect_refused("8 x 8 cells are too few for TE_8,0");
    yee_world_make(&world, n, cube, 1, closed, 0.99, 1, 1);
    dipole_set(&world, 0, MODE, DRIVE_SOFT, AZ, 3, 4, 4);
    expect_refused("no mode TE_00");
}

/* TE_10 across the whole domain: b is y for a plane x, and z. */
static void mode_set(struct yee_world *w, int axis, int node)
{
    double *const at[3] = {&w->p.source_x[0], &w->p.source_y[0], &w->p.source_z[0]};
    w->p.source_kind[0] = MODE, w->p.source_drive[0] = DRIVE_CURRENT, w->p.source_axis[0] = axis,
    w->p.source_mode_m[0] = 1;
    w->p.source_frequency[0] = 3e9;
    for (int a = 0; a < 3; a++) *at[a] = place_at(&w->grid, a, 1, a == axis ? node : w->n[a] / 2);
}

static double most_of(const struct yee_world *w, int component, int i)
{
    double most = 0;
    for (int j = 0; j < w->n[1]; j++)
        for (int k = 0; k < w->n[2]; k++) most = fmax(most, fabs(value(w, component, i, j, k)));
    return most;
}

Test(source, planes_where_a_mode_would_be_zero)
{
    const int n[3] = {20, 8, 8}, along[3] = {1, 0, 0};
    for (int high = 0; high < 2; high++) {
        yee_world_make(&world, n, cube, 1, closed, 0.99, 1, 1);
        mode_set(&world, AX, high ? 20 : 0);
        expect_refused(high ? "the plane of its mode is the east side" : "the plane of its mode is the west side");
        for (int cells = 3; cells <= 4; cells++) { /* from the end; the layer has 4 */
            yee_world_make(&world, n, cube, 1, closed, 0.99, 1, 1);
            world.p.boundary_west = world.p.boundary_east = EM_CPML;
            world.axis[AX].low = world.axis[AX].high = 4;
            mode_set(&world, AX, high ? 20 - cells : cells);
            if (cells == 3)
                expect_refused(high ? "in the absorbing layer at the east side"
                                    : "in the absorbing layer at the west side");
            else bind(&world, 1), yee_world_free(&world);
        }
    }
    for (int m = 0; m < 2; m++) { /* the last plane of a periodic axis is the first */
        struct yee_world *const w = m ? &other : &world;
        yee_world_make(w, n, brick, 1, along, 0.99, 1, 1);
        mode_set(w, AX, m ? 20 : 0);
        bind(w, 1);
        for (int step = 0; step < 40; step++) yee_world_step(w);
        cr_assert(most_of(w, 2, 0) > 1e-3);
    }
    cr_assert_eq(memcmp(world.memory, other.memory, 6 * world.size * sizeof(real)), 0);
    yee_world_free(&world);
    yee_world_free(&other);
}

Test(source, guides_without_walls)
{
    const int n[3] = {20, 8, 8};
    static const char *const name[3][2] = {{"west", "east"}, {"south", "north"}, {"bottom", "top"}};
    for (int a = 1; a < 3; a++)
        for (int high = 0; high < 2; high++)
            for (int side = EM_PERIODIC; side <= EM_CPML; side++)
                for (int sized = 0; sized < 2; sized++) {
                    char message[64];
                    yee_world_make(&world, n, cube, 1, closed, 0.99, 1, 1);
                    int *const is[3][2] = {{0},
                                           {&world.p.boundary_south, &world.p.boundary_north},
                                           {&world.p.boundary_bottom, &world.p.boundary_top}};
                    *is[a][high] = side;
                    if (side == EM_PERIODIC) *is[a][!high] = side;
                    mode_set(&world, AX, 10);
                    world.p.source_mode_n[0] = 1;
                    if (sized)
                        world.p.source_size_a[0] = world.p.source_size_b[0] = 0.04; /* inside: somebody paints it */
                    const int both = side == EM_PERIODIC;
                    snprintf(message, sizeof message, "ends at the %s side", name[a][both ? 0 : high]);
                    if (sized || side == EM_PEC) bind(&world, 1), yee_world_free(&world);
                    else expect_refused(message);
                }
    /* Uniform along a periodic axis: the field of the guide between plates. */
    const int plates[3] = {0, 0, 1};
    yee_world_make(&world, n, cube, 1, plates, 0.99, 1, 1);
    mode_set(&world, AX, 10);
    bind(&world, 1);
    for (int step = 0; step < 30; step++) yee_world_step(&world);
    const double most = value(&world, 2, 12, 4, 0);
    cr_assert(fabs(most) > 1e-3);
    for (int j = 0; j <= 8; j++)
        for (int k = 0; k < 8; k++)
            cr_assert(fabs(value(&world, 2, 12, j, k) - most * sin(M_PI * j / 8)) <
                      (SF_PREC == 64 ? 1e-11 : 3e-4) * fabs(most));
    yee_world_free(&world);
}

/* A block of cells [3, 6) in x, [2, 5) in y, [4, 7) in z, and a sheet on node 9 of x over cells 2 .. 4 of y and 4 .. 6
 * of z: what lies in or on them is refused, found here by counting the elements that conduct. */
static struct geometry geometry;
static struct media media;

static int in_block(int i, int j, int k, const int n[3], const int periodic[3])
{
    int at[3] = {i, j, k};
    for (int a = 0; a < 3; a++) {
        if (periodic[a]) at[a] = (at[a] + n[a]) % n[a];
        else at[a] = at[a] < 0 ? 0 : at[a] >= n[a] ? n[a] - 1 : at[a];
    }
    return (at[0] >= 3 && at[0] < 6 && at[1] >= 2 && at[1] < 5 && at[2] >= 4 && at[2] < 7) ||
           (at[1] == 8 && at[0] == 1);
}

static int edge_conducts(int c, int i, int j, int k, const int n[3], const int periodic[3])
{
    const int dx = c != 0, dy = c != 1, dz = c != 2;
    if (c == 1 && i == 9 && j >= 2 && j < 5 && k >= 4 && k <= 7) return 1;
    if (c == 2 && i == 9 && j >= 2 && j <= 5 && k >= 4 && k < 7) return 1;
    int any = 0;
    for (int x = 0; x <= dx; x++)
        for (int y = 0; y <= dy; y++)
            for (int z = 0; z <= dz; z++) any |= in_block(i - x, j - y, k - z, n, periodic);
    return any;
}

static int place_conducts(int component, int i, int j, int k, const int n[3], const int periodic[3])
{
    if (component < 3) return edge_conducts(component, i, j, k, n, periodic);
    const int b = (component + 1) % 3, c = (component + 2) % 3;
    return edge_conducts(b, i, j, k, n, periodic) && edge_conducts(c, i, j, k, n, periodic) &&
           edge_conducts(b, i + (c == 0), j + (c == 1), k + (c == 2), n, periodic) &&
           edge_conducts(c, i + (b == 0), j + (b == 1), k + (b == 2), n, periodic);
}

static void shape_set(struct maxwell_params *p, int m, int shape, const int low[3], const int high[3])
{
    double *const centre[3] = {&p->geometry_x[m], &p->geometry_y[m], &p->geometry_z[m]};
    double *const size[3] = {&p->geometry_size_x[m], &p->geometry_size_y[m], &p->geometry_size_z[m]};
    p->geometry_shape[m] = shape, p->geometry_axis[m] = AX;
    snprintf(p->geometry_medium[m], sizeof p->geometry_medium[m], "pec");
    for (int a = 0; a < 3; a++) {
        const double from = place_at(&world.grid, a, 1, low[a]), to = place_at(&world.grid, a, 1, high[a]);
        *centre[a] = 0.5 * (from + to), *size[a] = to - from;
    }
}

Test(source, in_conductors, .timeout = 120)
{
    const int n[3] = {11, 9, 10}, periodic[3] = {0, 1, 0};
    enum { BOX_SHAPE = 1, SHEET_SHAPE = 6 };
    yee_world_make(&world, n, cube, 1, periodic, 0.99, 1, 1);
    struct maxwell_params *const p = &world.p;
    snprintf(p->geometry_background, sizeof p->geometry_background, "vacuum");
    shape_set(p, 0, BOX_SHAPE, (int[3]){3, 2, 4}, (int[3]){6, 5, 7});
    shape_set(p, 1, SHEET_SHAPE, (int[3]){9, 2, 4}, (int[3]){9, 5, 7});
    shape_set(p, 2, BOX_SHAPE, (int[3]){1, 8, 0}, (int[3]){2, 9, 10}); /* at the seam of y */
    cr_assert_eq(media_make(&media, p, 0, NULL), SF_OK);
    cr_assert_eq(geometry_make(&geometry, p, &media, &world.grid, "", NULL, NULL), SF_OK, "%s", sf_error_text());
    int within = 0, outside = 0;
    struct source one[2] = {{.number = 3, .is_mode = 1}, {.number = 7}};
    for (int c = 0; c < 6; c++)
        for (int j = 0; j < n[1]; j++)
            for (int k = 0; k < n[2]; k++)
                for (int i = 0; i < n[0]; i++) {
                    const int want = place_conducts(c, i, j, k, n, periodic);
                    one[1].component = c, one[1].at = (struct place_range){{i, j, k}, {i + 1, j + 1, k + 1}};
                    sf_error_clear();
                    const int rc = sources_check(one, 2, &geometry, NULL);
                    cr_assert_eq(rc, want ? SF_NAMELIST : SF_OK, "%d at %d %d %d", c, i, j, k);
                    if (want)
                        cr_assert(strstr(sf_error_text(), "source 7: its ") &&
                                  strstr(sf_error_text(), "'pec' that &geometry"));
                    *(want ? &within : &outside) += 1;
                }
    one[0] = (struct source){
        .number = 1, .component = 1, .at = {{4, 0, 5}, {5, 1, 6}}}; /* the second lies two rows farther */
    one[1] = (struct source){.number = 2, .component = 1, .at = {{4, 2, 5}, {5, 3, 6}}};
    cr_assert_eq(sources_check(one, 1, &geometry, NULL), SF_OK);
    cr_assert_eq(sources_check(one, 2, &geometry, NULL), SF_NAMELIST);
    cr_assert(within > 300 && outside > 4000, "%d %d", within, outside);
    geometry_free(&geometry);
    yee_world_free(&world);
}

/* The field of a current alone, two steps from rest, with a pulse as short as a step: the currents at t + dt/2 (of H at
 * t), and what curl curl takes from the first, 4 / cell^2 of cubes. */
Test(source, moments_of_a_current)
{
    const int n[3] = {8, 8, 8};
    for (int magnetic = 0; magnetic < 2; magnetic++) {
        yee_world_make(&world, n, cube, 1, closed, 0.99, 1, 1);
        dipole_set(&world, 0, magnetic ? MAGNETIC : ELECTRIC, DRIVE_CURRENT, AZ, 3, 4, 4);
        const double dt = world.x.dt, turn_e = dt / em_eps0, turn_h = dt / em_mu0;
        world.p.source_frequency[0] = sqrt(2 * log(2)) / (2 * M_PI * 1.5 * dt); /* half a width of 1.5 steps */
        world.p.source_delay[0] = 2.5 * dt;
        bind(&world, 1);
        double moment[2];
        for (int m = 0; m < 2; m++) {
            const double steps = m + (magnetic ? 0 : 0.5) - 2.5;
            moment[m] = -exp(-0.5 * steps * steps / (1.5 * 1.5)) / 1e-6 * (magnetic ? turn_h : turn_e);
            yee_world_step(&world);
            const double want = m ? moment[0] * (1 - 4 * turn_e * turn_h / 1e-4) + moment[1] : moment[0];
            const double got = value(&world, magnetic ? 5 : 2, 3, 4, 4);
            cr_assert(fabs(got / want - 1) < digits, "step %d: %.9g for %.9g", m, got, want);
        }
        yee_world_free(&world);
    }
}

/* A modulated gaussian as broad as its frequency moves no charge in the end, where its mean would have left 6 % of what
 * a gaussian of its width leaves. */
Test(source, broad_carrier_leaves_no_charge)
{
    const int n[3] = {14, 13, 12};
    yee_world_make(&world, n, brick, 1.03, closed, 0.99, 1, 1);
    dipole_set(&world, 0, ELECTRIC, DRIVE_CURRENT, AZ, 6, 7, 5);
    world.p.source_waveform[0] = WAVE_MODULATED_GAUSSIAN, world.p.source_bandwidth[0] = world.p.source_frequency[0];
    bind(&world, 1);
    while ((double)world.step * world.x.dt < waveform_end(&world.source[0].wave)) yee_world_step(&world);
    const double charge = world.source[0].wave.scale * sqrt(2 * M_PI) / place_size(&world.axis[2], 0, 5) / em_eps0;
    cr_assert(fabs(flux(&world, 0, 6, 7, 6) / charge) < 1e-4, "%g", flux(&world, 0, 6, 7, 6) / charge);
    cr_assert(fabs(flux(&world, 0, 6, 7, 5) / charge) < 1e-4);
    yee_world_free(&world);
}

/* The same source in vacuum, and in a medium: a current enters with dt / (eps V), dual cell V, whatever the sizes of
 * cells. */
Test(source, scaling_of_a_current)
{
    const int n[3] = {8, 9, 7};
    for (int magnetic = 0; magnetic < 2; magnetic++)
        for (int axis = 0; axis < 3; axis++) {
            const double eps = 2.5, mu = 1.5;
            yee_world_make(&world, n, brick, 1.05, closed, 0.5, eps, mu);
            dipole_set(&world, 0, magnetic ? MAGNETIC : ELECTRIC, DRIVE_CURRENT, axis, 3, 4, 2);
            world.p.source_amplitude[0] = 7, world.p.source_delay[0] = 0; /* the peak is at 0 */
            bind(&world, 1);
            yee_world_step(&world);
            const int at[3] = {3, 4, 2};
            double volume = 1;
            for (int a = 0; a < 3; a++) {
                const double size[3] = {brick[a] * pow(1.05, at[a] - 1), brick[a] * pow(1.05, at[a]), 0};
                const int node = magnetic ? a == axis : a != axis;
                volume *= node ? (size[0] + size[1]) / 2 : size[1];
            }
            const double late = magnetic ? 0 : 0.5 * world.x.dt, s = world.source[0].wave.scale;
            const double want =
                -7 / volume * world.x.dt / (magnetic ? em_mu0 * mu : em_eps0 * eps) * exp(-late * late / (2 * s * s));
            const double got = value(&world, axis + 3 * magnetic, 3, 4, 2);
            cr_assert(fabs(got / want - 1) < 1e-6, "%.9g instead of %.9g", got, want);
            yee_world_free(&world);
        }
}

/* The profile by value on a graded grid: E = (-C_b D_c, D_b C_c), C the half waves at centres, D their slopes at nodes,
 * over the largest, positive next to the low corner; a sheet enters with dt / (eps d), d around its plane. */
Test(source, profile_and_scaling_of_a_mode)
{
    static const int waves[][2] = {{1, 0}, {0, 1}, {1, 2}, {2, 1}};
    const int n[3] = {9, 10, 8}, plane = 4;
    for (size_t t = 0; t < sizeof waves / sizeof *waves; t++) {
        yee_world_make(&world, n, brick, 1.05, closed, 0.5, 1, 1);
        struct maxwell_params *const p = &world.p;
        p->source_kind[0] = MODE, p->source_axis[0] = AX, p->source_drive[0] = DRIVE_CURRENT;
        p->source_x[0] = place_at(&world.grid, AX, 1, plane);
        p->source_mode_m[0] = waves[t][0], p->source_mode_n[0] = waves[t][1];
        p->source_waveform[0] = WAVE_GAUSSIAN, p->source_frequency[0] = em_c / (10 * 0.01);
        p->source_amplitude[0] = 7, p->source_delay[0] = 0; /* the peak is at 0 */
        bind(&world, 1);
        double c[2][12], d[2][12], most_c[2] = {0}, most_d[2] = {0};
        for (int a = 0; a < 2; a++) {
            const double low = place_at(&world.grid, a + 1, 1, 0),
                         all = place_at(&world.grid, a + 1, 1, n[a + 1]) - low;
            for (int m = 0; m < n[a + 1]; m++) {
                c[a][m] = cos(waves[t][a] * M_PI * (place_at(&world.grid, a + 1, 0, m) - low) / all);
                most_c[a] = fmax(most_c[a], fabs(c[a][m]));
            }
            d[a][0] = d[a][n[a + 1]] = 0;
            for (int m = 1; m < n[a + 1]; m++) {
                d[a][m] = (c[a][m] - c[a][m - 1]) /
                          (place_at(&world.grid, a + 1, 0, m) - place_at(&world.grid, a + 1, 0, m - 1));
                most_d[a] = fmax(most_d[a], fabs(d[a][m]));
            }
        }
        const double most = (waves[t][0] ? -1 : 1) * fmax(most_c[0] * most_d[1], most_d[0] * most_c[1]);
        const double around = place_at(&world.grid, AX, 0, plane) - place_at(&world.grid, AX, 0, plane - 1);
        const double s = world.source[0].wave.scale, late = 0.5 * world.x.dt;
        const double sheet = -7 / around * world.x.dt / em_eps0 * exp(-late * late / (2 * s * s));
        yee_world_step(&world);
        for (int j = 0; j <= n[1]; j++)
            for (int k = 0; k <= n[2]; k++) {
                const double y = j < n[1] ? -c[0][j] * d[1][k] / most : 0, z = k < n[2] ? d[0][j] * c[1][k] / most : 0;
                if (j < n[1]) cr_assert(fabs(value(&world, 1, plane, j, k) / sheet - y) < 1e-6, "Ey at %d %d", j, k);
                if (k < n[2]) cr_assert(fabs(value(&world, 2, plane, j, k) / sheet - z) < 1e-6, "Ez at %d %d", j, k);
            }
        /* what is positive: Ez of TE_m0 and Ey of TE_0n next to the low corner */
        cr_assert(waves[t][0] ? d[0][1] * c[1][0] / most > 0 : -c[0][0] * d[1][1] / most > 0);
        yee_world_free(&world);
    }
}

/* The profile on cells that are not in geometric progression: slopes are over the distance of centres. */
Test(source, profile_of_a_mode_on_any_cells)
{
    enum { N = 8 };
    static const double size[N] = {1, 2, 1, 3, 1, 2, 2, 1};
    static const struct cpml_face none[2] = {{0, 1}, {0, 1}};
    const struct cpml_options o = {.order = 3, .sigma_factor = 1, .kappa = 1};
    struct config config = {.grid_nx = N, .grid_ny = N, .grid_nz = N, .grid_stretch_ratio = 1, .grid_dz_max = 1e6};
    struct grid grid;
    struct axis_lines axis[3];
    void *memory[3];
    double edge[N + 1] = {0}, c[N], d[N + 1] = {0}, most = 0;
    for (int m = 0; m < N; m++) {
        config.grid_size_x[m] = config.grid_size_y[m] = config.grid_size_z[m] = size[m];
        edge[m + 1] = edge[m] + size[m];
    }
    cr_assert_eq(grid_init(&grid, &config, &(struct grid_sizes){N, N, N}), SF_OK);
    for (int a = 0; a < 3; a++)
        cr_assert_eq(axis_lines_make(&axis[a], &memory[a], N, edge, 0, none, &o, 1, 1e-9), SF_OK);
    struct mode mode;
    cr_assert_eq(mode_make(&mode, &(struct mode_keys){.axis = AX, .m = 1, .centre = {3, 6, 6}}, &grid, axis, 1), SF_OK);
    for (int m = 0; m < N; m++) c[m] = cos(M_PI * (edge[m] + edge[m + 1]) / 2 / edge[N]);
    for (int m = 1; m < N; m++) d[m] = (c[m] - c[m - 1]) / ((size[m] + size[m - 1]) / 2), most = fmax(most, fabs(d[m]));
    for (int m = 0; m <= N; m++) cr_assert(fabs((double)mode.profile[1][m] + d[m] / most) < 1e-6, "node %d", m);
    for (int m = 0; m < N; m++)
        cr_assert(fabs((double)mode.profile[1][m * mode.wide + 3] / (double)mode.profile[1][3] - 1) < 1e-6);
    mode_free(&mode);
    for (int a = 0; a < 3; a++) table_free(memory[a]);
    grid_free(&grid);
}
