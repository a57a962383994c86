/* Wires thinner than a cell: their formulas, which elements lie beside them, what tables of coefficients make of them,
 * the capacitance that a lattice with these coefficients has, and the longest step. SPDX-License-Identifier: MIT */
#include "support_media.h"

#include "maxwell/dispersion.h"
#include "maxwell/lump.h"
#include "maxwell/paint.h"
#include "maxwell/wire.h"

#include <math.h>
#include <stdlib.h>

static const double euler = 0.57721566490153286, dt = 1.7e-12;

static void domain_make(int nx, int ny, int nz, double dy, int periodic)
{
    config = cells_config(nx, ny, nz, 0, 0, 0);
    config.grid_dy = dy;
    cr_assert_eq(grid_init(&grid, &config, &(struct grid_sizes){0}), SF_OK);
    params_make(periodic, 2);
}

/* From node low to node high along an axis; radius in mm. */
static void wire_put(int n, int axis, int x, int y, int z, int low, int high, double radius)
{
    const double d[3] = {1e-3, config.grid_dy, 1e-3}, middle = 0.5 * (low + high) * d[axis],
                 size = (high - low) * d[axis];
    shape_put(n, WIRE, MEDIUM_PEC, axis, axis == AX ? middle : x * d[0], axis == AY ? middle : y * d[1],
              axis == AZ ? middle : z * d[2]);
    sizes_put(n, size, size, size);
    params.geometry_radius[n] = 1e-3 * radius;
}

/* m of elements that lie along a, b across. */
static double factor_of(double radius, double a, double b)
{
    const double p = b / a, own = exp(-euler) / 4 * hypot(a, b);
    return 1 / (1 + p / 2 / atan(p) * log(own / radius));
}

Test(wire, formulas)
{
    cr_assert_float_eq(wire_own_radius(1, 1), 0.198506, 1e-6);
    cr_assert_float_eq(wire_own_radius(0.3, 0.4), exp(-euler) * 0.125, 1e-15);
    for (int n = 0; n < 200; n++) {
        const double a = 0.1 + random_number(), b = 0.1 + random_number(), r = 0.4 * random_number() * fmin(a, b);
        cr_assert_float_eq(wire_factor(r, a, b) / factor_of(r, a, b), 1, 1e-13);
    }
    cr_assert_float_eq(wire_factor(0.1, 1, 1), 1 / (1 + 2 / M_PI * log(1.98506)), 1e-5);
    const double table[5][2] = {{0.03, 0.84}, {0.1, 0.61}, {0.1985, 0.46}, {0.3, 0.35}, {sqrt(0.003), 0.725}};
    for (int n = 0; n < 5; n++) cr_assert_float_eq(wire_end(table[n][0] * 7, 7), table[n][1], 1e-12);
}

/* ---- which elements ---- */

static int on_wire(int n, const int node[3])
{
    const struct wire *const w = &geometry.wire[n];
    int on = 1;
    for (int a = 0; a < 3; a++)
        on = on && (a == w->axis ? node[a] >= w->low && node[a] <= w->high : node[a] == w->at[a]);
    return on;
}

/* The edge along c from a node on. */
static int edge_ends(int n, int c, const int at[3])
{
    int end[3] = {at[0], at[1], at[2]};
    end[c]++;
    return on_wire(n, at) + on_wire(n, end);
}

/* Does it touch the wire and not belong to it; does one of its four edges belong to it? Along which axis it leads away
 * from it. */
static int leads(int n, int component, const int at[3])
{
    const int axis = geometry.wire[n].axis, c = component % 3;
    if (component < 3) return c != axis && edge_ends(n, c, at) ? c : -1;
    int has = 0;
    for (int m = 0; m < 4; m++) {
        const int along = m & 1 ? (c + 2) % 3 : (c + 1) % 3;
        int edge[3] = {at[0], at[1], at[2]};
        edge[3 - c - along] += m >> 1;
        has |= along == axis && edge_ends(n, along, edge) == 2;
    }
    return has ? 3 - c - axis : -1;
}

/* Three wires, two of which meet as a corner, and one that goes through the other. */
static void wires_make(int periodic)
{
    domain_make(9, 8, 7, 0.7e-3, periodic);
    wire_put(0, AZ, 4, 5, 0, 2, 5, 0.1);
    wire_put(1, AX, 0, 5, 5, 4, 8, 0.03);
    wire_put(2, AY, 6, 0, 5, 1, 7, 0.2);
    geometry_ready(NULL);
    cr_assert_eq(geometry.nwires, 3);
    cr_assert_eq(geometry.nthin, 3);
}

Test(wire, elements_beside_it)
{
    const double d[3] = {1e-3, 0.7e-3, 1e-3};
    int beside = 0;
    wires_make(0);
    for (int component = 0; component < 6; component++)
        for (int n = 0; n < 9 * 8 * 7; n++) {
            const int at[3] = {n % 9, n / 9 % 8, n / 72};
            double least = 0;
            for (int m = 0; m < 3; m++) {
                const int to = leads(m, component, at), axis = geometry.wire[m].axis;
                const double f = to < 0 ? 0 : factor_of(params.geometry_radius[m], d[to], d[3 - axis - to]);
                if (to >= 0 && (least <= 0 || f < least)) least = f;
            }
            beside += least > 0;
            const double is = (double)wire_number(&geometry, component, at) * 0x1p-32;
            cr_assert_float_eq(is, least, 1e-9, "component %d at %d %d %d", component, at[0], at[1], at[2]);
            if (is > 0) cr_assert(wire_is_near(&geometry, at[1], at[2]));
        }
    cr_assert_gt(beside, 80);
    cr_assert(!wire_is_near(&geometry, 7, 2) && !wire_is_near(&geometry, 4, 0));
    cr_assert(wires_meet(&geometry, (const int[3]){0, 6, 0}, (const int[3]){3, 6, 2}));
    cr_assert(geometry_has_sheet(&geometry, (const int[3]){0, 6, 0}, (const int[3]){3, 6, 2}));
    cr_assert(!wires_meet(&geometry, (const int[3]){0, 6, 0}, (const int[3]){2, 6, 2}));
    cr_assert(!wires_meet(&geometry, (const int[3]){0, 6, 0}, (const int[3]){3, 6, 1}));
}

/* Elements beyond a side, or a seam, are those of their images. */
Test(wire, images)
{
    int seen = 0;
    for (int trial = 0; trial < 2; trial++) {
        domain_make(6, 6, 6, 1e-3, trial ? 3 : 0);
        wire_put(0, AZ, trial ? 6 : 3, 0, 0, 0, 6, 0.1);
        wire_put(1, AX, 0, 3, 0, trial ? 2 : 0, trial ? 6 : 4, 0.1);
        params.geometry_y[0] = trial ? 6e-3 : 0;
        params.boundary_south = params.boundary_north = trial ? EM_PERIODIC : EM_PMC;
        geometry_ready(NULL);
        for (int component = 0; component < 6; component++)
            for (int n = 0; n < 10 * 10 * 10; n++) {
                const int at[3] = {n % 10 - 2, n / 10 % 10 - 2, n / 100 - 2};
                int image[3];
                for (int a = 0; a < 3; a++) {
                    const int node = component < 3 ? component != a : component - 3 == a, m = at[a];
                    image[a] = trial ? (m + 6) % 6 : m < 0 ? -m - !node : m >= 6 + node ? 12 - m - !node : m;
                }
                const uint64_t is = wire_number(&geometry, component, at);
                cr_assert_eq(is, wire_number(&geometry, component, image), "%d: %d at %d %d %d", trial, component,
                             at[0], at[1], at[2]);
                if (is) cr_assert(wire_is_near(&geometry, at[1], at[2]));
                seen += is > 0;
            }
        const int x[3] = {0, 0, 2}, before[3] = {5, 0, 2}, y[3] = {trial ? 0 : 3, 5, 2}, first[3] = {0, 2, 0};
        cr_assert_eq(wire_number(&geometry, 0, x) > 0, trial); /* around x = 0, the seam */
        cr_assert_eq(wire_number(&geometry, 0, before) > 0, trial);
        cr_assert_eq(wire_number(&geometry, 1, y) > 0, trial);
        cr_assert_gt(wire_number(&geometry, 1, first), 0); /* its last node is the first */
        geometry_free(&geometry);
        grid_free(&grid);
    }
    cr_assert_gt(seen, 200);
}

/* Between two wires alike the edge of a feed: faces around it, no edges. */
Test(wire, the_gap_of_a_feed)
{
    const int in[3] = {3, 3, 4};
    for (int trial = 0; trial < 3; trial++) {
        domain_make(6, 6, 9, 1e-3, 0);
        wire_put(0, AZ, 3, 3, 0, 1, 4, 0.1);
        wire_put(1, AZ, 3, 3, 0, trial == 1 ? 6 : 5, 8, trial == 2 ? 0.11 : 0.1);
        geometry_ready(NULL);
        cr_assert_eq(wire_number(&geometry, 4, in) > 0, !trial);
        cr_assert_eq(wire_number(&geometry, 2, in), 0);
        cr_assert_gt(wire_number(&geometry, 0, in), 0);
        cr_assert_eq(wire_number(&geometry, 4, (const int[3]){3, 3, 8}), 0);
        geometry_free(&geometry);
        grid_free(&grid);
    }
}

/* ---- coefficients ---- */

static unsigned short ids[6][40 + 1][3][40 + 1]; /* [j][k][i] */
static struct paint paint;
static struct coefficients e, h;

static void coefficients_make(int nj)
{
    void *to[6];
    for (int c = 0; c < 6; c++) to[c] = ids[c];
    cr_assert_eq(paint_init(&paint, &geometry, &media), SF_OK);
    cr_assert(paint.wide[0] == 2 && paint.wide[1] == 2);
    paint.threads = 2;
    cr_assert_eq(paint_rows(&paint, &geometry, 0, nj + 1, to, 3 * 41, 41), SF_OK, "%s", sf_error_text());
    cr_assert_eq(paint_coefficients(&paint, &media, NULL, dt, &e, &h), SF_OK);
}

/* m of a number as a table has it, in vacuum. */
static double m_of(int component, int i, int j, int k)
{
    const int id = ids[component][j][k][i];
    return component < 3 ? dt / em_eps0 / (double)e.turn[id] : (double)h.turn[id] * em_mu0 / dt;
}

/* C over eps of a wire in a square box of 32 mm, by over-relaxation of the potential with epsilon of the edges at level
 * 1; of a strip along x of 2 half cells. */
static double capacitance(int nx, int ny, int half)
{
    static double v[41][41];
    const double dx = 1e-3, dy = config.grid_dy;
    double charge = 0;
    memset(v, 0, sizeof v);
    for (int i = -half; i <= half; i++) v[nx / 2 + i][ny / 2] = 1;
    for (int sweep = 0; sweep < 600; sweep++)
        for (int i = 1; i < nx; i++)
            for (int j = 1; j < ny; j++) {
                if (abs(i - nx / 2) <= half && j == ny / 2) continue;
                const double w[4] = {m_of(0, i - 1, j, 1) * dy / dx, m_of(0, i, j, 1) * dy / dx,
                                     m_of(1, i, j - 1, 1) * dx / dy, m_of(1, i, j, 1) * dx / dy};
                const double sum = w[0] * v[i - 1][j] + w[1] * v[i + 1][j] + w[2] * v[i][j - 1] + w[3] * v[i][j + 1];
                v[i][j] += 1.82 * (sum / (w[0] + w[1] + w[2] + w[3]) - v[i][j]);
            }
    for (int n = 1; n < nx; n++) charge += m_of(1, n, 0, 1) * dx / dy * v[n][1] * 2; /* all sides alike in pairs */
    for (int n = 1; n < ny; n++) charge += m_of(0, 0, n, 1) * dy / dx * v[1][n] * 2;
    return charge;
}

/* 2 pi / ln(R / r), R the conformal radius of the square, 4 sqrt(pi) / Gamma(1/4)^2 of its side. At the walls the
 * lattice has its own logarithm, off by the square of the cell over the side: 1e-4 here. */
Test(wire, capacitance_in_a_box)
{
    for (int trial = 0; trial < 2; trial++) {
        const int nx = 32, ny = trial ? 40 : 32;
        const double size_y = 32e-3 / ny, own = exp(-euler) / 4 * hypot(1, size_y * 1e3);
        const double radius[5] = {0.3, own, 0.1, 0.03, 0.01};
        for (int n = 0; n < 5; n++) {
            domain_make(nx, ny, 2, size_y, 2);
            wire_put(0, AZ, nx / 2, ny / 2, 0, 0, 2, radius[n]);
            geometry_ready(NULL);
            coefficients_make(ny);
            const double exact = 2 * M_PI / log(32 * 4 * sqrt(M_PI) / pow(tgamma(0.25), 2) / radius[n]),
                         is = capacitance(nx, ny, 0);
            cr_assert_float_eq(is / exact, 1, 2e-4, "radius %g: %g, not %g", radius[n], is, exact);
            for (int c = 0; c < 2; c++) /* mu over m where epsilon is times m, and nowhere else */
                for (int m = 0; m < 9; m++) {
                    const int i = nx / 2 - 1 + m % 3, j = ny / 2 - 1 + m / 3;
                    cr_assert_float_eq(m_of(c, i, j, 1), m_of(c ? 3 : 4, i, j, 1), 1e-5);
                }
            paint_free(&paint);
            geometry_free(&geometry);
            grid_free(&grid);
        }
    }
}

/* Of n cells it is that of a strip of n + 2 x sqrt(2) / 4 cells, as good as a wire of a quarter of that: to a hundredth
 * of a cell of 4. */
Test(wire, width_of_a_strip)
{
    domain_make(32, 32, 2, 1e-3, 2);
    wire_put(0, AZ, 16, 16, 0, 0, 2, exp(-euler) / sqrt(8)); /* whose m is 1 */
    geometry_ready(NULL);
    coefficients_make(32);
    for (int half = 2; half <= 4; half += 2) {
        const double square = 32 * 4 * sqrt(M_PI) / pow(tgamma(0.25), 2);
        const double wide = 4 * square * exp(-2 * M_PI / capacitance(32, 32, half));
        cr_assert_float_eq(wide, 2 * half + sqrt(0.5), 0.02, "%d cells act as %g", 2 * half, wide);
    }
    paint_free(&paint);
}

/* Loss stays with what it is of, conductors stay conductors, and E is E. */
Test(wire, media_beside_it)
{
    domain_make(9, 8, 2, 1e-3, 2);
    params.medium_epsilon[0] = 4, params.medium_sigma[0] = 0.3, params.medium_mu[0] = 2, params.medium_sigma_m[0] = 1e4;
    cr_assert_eq(media_make(&media, &params, 2, NULL), SF_OK);
    snprintf(params.geometry_background, sizeof params.geometry_background, "m2");
    wire_put(0, AZ, 4, 4, 0, 0, 2, 0.05);
    wire_put(1, AX, 0, 4, 1, 4, 6, 0.05);
    geometry_ready(NULL);
    coefficients_make(8);
    const double m = factor_of(0.05, 1, 1), s = 0.3 * dt / (8 * em_eps0), s_m = 1e4 * dt / (4 * em_mu0);
    const int ex = ids[0][4][1][3], in = ids[0][4][1][4], hy = ids[4][4][1][3], far = ids[0][2][1][2],
              far_h = ids[4][2][1][2];
    cr_assert_float_eq((double)e.keep[ex] / ((1 - s) / (1 + s)), 1, 1e-6);
    cr_assert_float_eq((double)e.turn[ex] / (dt / (4 * em_eps0) / (1 + s) / m), 1, 1e-6);
    cr_assert_float_eq((double)h.keep[hy] / ((1 - s_m) / (1 + s_m)), 1, 1e-6);
    cr_assert_float_eq((double)h.turn[hy] / (dt / (2 * em_mu0) / (1 + s_m) * m), 1, 1e-6);
    cr_assert_float_eq((double)e.turn[far] / (dt / (4 * em_eps0) / (1 + s)), 1, 1e-6);
    cr_assert_float_eq((double)h.turn[far_h] / (dt / (2 * em_mu0) / (1 + s_m)), 1, 1e-6);
    cr_assert(!(e.turn[in] > 0) && !(e.keep[in] > 0));
    cr_assert(!(e.turn[ids[2][4][1][4]] > 0));
    cr_assert_null(e.whole);
    paint_free(&paint);
}

/* epsilon_inf and poles, both times m: keep and the gains stay. */
Test(wire, poles_beside_it)
{
    struct dispersions *d = NULL;
    struct maxwell x = {.dt = dt};
    domain_make(9, 8, 2, 1e-3, 2);
    snprintf(params.pole_medium[0], sizeof params.pole_medium[0], "m2");
    params.pole_kind[0] = POLE_DEBYE, params.pole_strength[0] = 3, params.pole_tau[0] = 1e-11;
    cr_assert_eq(media_poles(&media, &params, 1, dt, NULL), SF_OK);
    snprintf(params.geometry_background, sizeof params.geometry_background, "m2");
    wire_put(0, AZ, 4, 4, 0, 0, 2, 0.05);
    geometry_ready(NULL);
    for (int a = 0; a < 3; a++) x.axis[a].n = geometry.axis[a].n;
    x.ni = 9, x.nj = 8, x.nk = 2;
    cr_assert_eq(dispersions_make(&d, &x, &media, &geometry), SF_OK);
    coefficients_make(8);
    cr_assert_eq(paint_coefficients(&paint, &media, d, dt, &e, &h), SF_OK);
    const double m = factor_of(0.05, 1, 1);
    const int ex = ids[0][4][1][3], far = ids[0][2][1][2];
    cr_assert_float_eq((double)(e.turn[far] / e.turn[ex]), m, 1e-6);
    cr_assert_float_eq(e.inertia[ex] / e.inertia[far], m, 1e-6);
    cr_assert_float_eq((double)e.keep[ex], (double)e.keep[far], 1e-6);
    paint_free(&paint);
    dispersions_free(d);
}

/* A lumped element has its own medium beside that, as it is elsewhere. */
Test(wire, an_element_beside_it)
{
    const struct lump one = {.number = 1, .axis = AX, .at = {{3, 4, 1}, {4, 5, 2}}, .epsilon = 5, .sigma = 0.1};
    domain_make(9, 8, 2, 1e-3, 2);
    wire_put(0, AZ, 4, 4, 0, 0, 2, 0.05);
    geometry_ready(NULL);
    geometry.lump = &one, geometry.nlumps = 1;
    coefficients_make(8);
    const double epsilon = factor_of(0.05, 1, 1) + 5, s = 0.1 * dt / (2 * epsilon * em_eps0);
    const int ex = ids[0][4][1][3];
    cr_assert_float_eq((double)e.keep[ex] / ((1 - s) / (1 + s)), 1, 1e-6);
    cr_assert_float_eq((double)e.turn[ex] / (dt / (epsilon * em_eps0) / (1 + s)), 1, 1e-6);
    paint_free(&paint);
}

/* ---- the longest step ---- */

typedef double component[9 + 1][8 + 1][7 + 1];
static component inverse_e[3], inverse_h[3], field_e[3], field_h[3];

/* The largest eigenvalue of curl (1 / mu) curl / eps in a closed box, from below: by its powers. */
static double largest_eigenvalue(int times)
{
    const double size[3] = {1e-3, config.grid_dy, 1e-3};
    double is = 0;
    memset(field_h, 0, sizeof field_h);
    for (int c = 0; c < 3; c++)
        for (int n = 0; n < 10 * 9 * 8; n++)
            (&field_e[c][0][0][0])[n] = (&inverse_e[c][0][0][0])[n] > 0 ? random_number() - 0.5 : 0;
    for (int time = 0; time < times; time++) {
        double square = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int c = 0; c < 3; c++)
                for (int n = 0; n < 9 * 8 * 7; n++) {
                    const int i = n % 9, j = n / 9 % 8, k = n / 72, a = (c + 1) % 3, b = (c + 2) % 3, s = pass ? -1 : 1;
                    component *const f = pass ? field_h : field_e;
                    int of_a[3] = {i, j, k}, of_b[3] = {i, j, k};
                    of_a[a] += s, of_b[b] += s;
                    if (pass && !(inverse_e[c][i][j][k] > 0)) continue;
                    const double curl = s * ((f[b][of_a[0]][of_a[1]][of_a[2]] - f[b][i][j][k]) / size[a] -
                                             (f[a][of_b[0]][of_b[1]][of_b[2]] - f[a][i][j][k]) / size[b]);
                    if (!pass) field_h[c][i][j][k] = inverse_h[c][i][j][k] * curl;
                    else {
                        field_e[c][i][j][k] = inverse_e[c][i][j][k] * curl;
                        square += curl * curl * inverse_e[c][i][j][k];
                    }
                }
        is = sqrt(square);
        for (int c = 0; c < 3; c++)
            for (int n = 0; n < 10 * 9 * 8; n++) (&field_e[c][0][0][0])[n] /= is;
    }
    return is;
}

static void inverses_fill(void)
{
    for (int component = 0; component < 6; component++)
        for (int n = 0; n < 9 * 8 * 7; n++) {
            const int at[3] = {n % 9, n / 9 % 8, n / 72}, c = component % 3;
            const uint64_t m = wire_number(&geometry, component, at);
            const double share = m ? (double)m * 0x1p-32 : 1;
            int shut = 0;
            for (int w = 0; w < geometry.nwires; w++) shut |= geometry.wire[w].axis == c && edge_ends(w, c, at) == 2;
            for (int a = 0; a < 3; a++) shut |= a != c && at[a] == 0;
            if (component < 3) inverse_e[c][at[0]][at[1]][at[2]] = shut ? 0 : 1 / share;
            else inverse_h[c][at[0]][at[1]][at[2]] = share;
        }
}

/* (c dt)^2 is no more than 4 over that; and not much less, by the ends of wires a tenth. */
Test(wire, no_step_is_too_long)
{
    double nearest = 0;
    for (int trial = 0; trial < 8; trial++) {
        random_state = (uint64_t)trial + 1;
        domain_make(9, 8, 7, trial % 2 ? 0.6e-3 : 1e-3, 0);
        for (int n = 0; n < 1 + trial % 4; n++) {
            const int axis = random_below(3), low = random_below(3);
            wire_put(n, axis, 2 + random_below(6), 2 + random_below(5), 2 + random_below(4), low,
                     low + 2 + random_below(4), 0.4 * config.grid_dy * 1e3 * pow(0.001, random_number()));
        }
        geometry_ready(NULL);
        inverses_fill();
        const double found = largest_eigenvalue(150), bound = wires_square(&geometry);
        cr_assert_leq(found, bound * (1 + 1e-9), "trial %d: %g", trial, found / bound);
        cr_assert_geq(found, 0.72 * bound, "trial %d: %g", trial, found / bound);
        nearest = fmax(nearest, found / bound);
        geometry_free(&geometry);
        grid_free(&grid);
    }
    cr_assert_gt(nearest, 0.85);
}

/* Cubes: (c dt)^2 12 of an end of a wire, of one without ends, of a thick one; one of the grid's radius asks for
 * nothing. */
Test(wire, steps_by_value)
{
    static const double radius[4] = {0.01, 0.01, 0.4, 0}, longest[3] = {0.7427, 0.7823, 1.0108};
    for (int trial = 0; trial < 4; trial++) {
        domain_make(9, 9, 9, 1e-3, trial ? 3 : 0);
        wire_put(0, AZ, 4, 4, 0, trial ? 0 : 3, trial ? 9 : 6, radius[trial]);
        geometry_ready(NULL);
        const double square = wires_square(&geometry) * 1e-6;
        if (trial == 3) cr_assert_eq(square, 0);
        else cr_assert_float_eq(sqrt(12 / square), longest[trial], 2e-3, "%d: %g", trial, sqrt(12 / square));
        geometry_free(&geometry);
        grid_free(&grid);
    }
}

/* ---- the namelist ---- */

Test(wire, what_it_is_made_of)
{
    domain_make(9, 8, 7, 1e-3, 0);
    wire_put(0, AZ, 4, 5, 0, 2, 5, 0.1);
    params.geometry_x[0] = 4.4e-3, params.geometry_y[0] = 4.6e-3, params.geometry_z[0] = 3.3e-3,
    params.geometry_size_z[0] = 3.3e-3;
    wire_put(1, AX, 0, 2, 2, 0, 9, 0);
    params.geometry_size_x[1] = 1e9;
    geometry_ready(NULL);
    const struct wire *const w = geometry.wire;
    cr_assert(w[0].at[0] == 4 && w[0].at[1] == 5 && w[0].low == 2 && w[0].high == 5 && w[0].number == 0);
    cr_assert(w[1].low == 0 && w[1].high == 9 && !(w[1].radius > 0));
    cr_assert_float_eq(w[1].own, 0.198506e-3, 1e-9);
    cr_assert_eq(geometry.nthin, 1);
    for (int m = 0; m < 7; m++)
        for (int c = 0; c < 3; c++) {
            const int at[3] = {4, 5, m};
            const struct sheet *const s = &geometry.sheet[w[0].sheet];
            int has = c != s->axis;
            for (int a = 0; a < 3; a++) has = has && sheet_has_along(s, &geometry.axis[a], c, a, at[a]);
            cr_assert_eq(has, c == AZ && m >= 2 && m < 5);
        }
    geometry_free(&geometry);
    params.geometry_radius[0] = 0.41e-3;
    refused(geometry_try(NULL), SF_NAMELIST, "has a radius of 0.00041 m, more than 0.4 of the cells across it");
    params.geometry_radius[0] = 0.1e-3, params.geometry_x[0] = 9.1e-3;
    refused(geometry_try(NULL), SF_NAMELIST, "lies outside of the domain: x(1) = 0.0091 m");
    params.geometry_x[0] = 4e-3, params.geometry_z[0] = 9e-3, params.geometry_size_z[0] = 1e-3;
    geometry_ready(NULL);
    cr_assert_eq(geometry.nwires, 1);
    cr_assert_eq(geometry.nthin, 0);
}
