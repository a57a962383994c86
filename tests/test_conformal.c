/* Open lengths and areas beside conductors against inside tests at many places and closed forms; what tables of
 * coefficients make of them; which elements they are said to cut. SPDX-License-Identifier: MIT */
#include "support_media.h"

#include "maxwell/conformal.h"
#include "maxwell/paint.h"

#include <math.h>
#include <stdlib.h>

enum { FINE = 400, FIRST = 182, LAST = 190 };

/* ---- an inside test of its own ---- */

/* As it was before the shape was turned: about x, then y, then z. */
static void turn_back(int n, double d[3])
{
    const double degrees[3] = {params.geometry_turn_x[n], params.geometry_turn_y[n], params.geometry_turn_z[n]};
    for (int a = 2; a >= 0; a--) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        const double angle = -degrees[a] * M_PI / 180, of_b = d[b], of_c = d[c];
        d[b] = cos(angle) * of_b - sin(angle) * of_c, d[c] = sin(angle) * of_b + cos(angle) * of_c;
    }
}

/* m: of the last shape that holds a place, or of the background; 1: it conducts. */
static int conducts(const double x[3])
{
    int pec = !strcmp(params.geometry_background, "pec");
    for (int n = 0; n < 256 && params.geometry_shape[n]; n++) {
        double d[3] = {x[0] - params.geometry_x[n], x[1] - params.geometry_y[n], x[2] - params.geometry_z[n]};
        turn_back(n, d);
        const double half[3] = {0.5 * params.geometry_size_x[n], 0.5 * params.geometry_size_y[n],
                                0.5 * params.geometry_size_z[n]};
        const int form = params.geometry_shape[n], axis = params.geometry_axis[n];
        double square = 0;
        int in = 1;
        for (int a = 0; a < 3; a++) {
            const int is_round = form == SPHERE || ((form == CYLINDER || form == CONE) && a != axis);
            if (is_round) square += d[a] * d[a];
            else in = in && fabs(d[a]) < half[a];
        }
        const double low = params.geometry_radius[n], along = 0.5 + d[axis] / (2 * half[axis]);
        const double radius = form == CONE ? low + along * (params.geometry_radius_top[n] - low) : low;
        if (in && square <= radius * radius) pec = !strcmp(params.geometry_medium[n], "pec");
    }
    return pec;
}

static double node(int a, int m) { return geometry.axis[a].node[m]; }

static double sampled_length(int c, const int at[3])
{
    double x[3] = {node(0, at[0]), node(1, at[1]), node(2, at[2])}, open = 0;
    for (int n = 0; n < FINE; n++) {
        x[c] = node(c, at[c]) + (n + 0.5) / FINE * (node(c, at[c] + 1) - node(c, at[c]));
        open += !conducts(x);
    }
    return open / FINE;
}

static double sampled_area(int c, const int at[3])
{
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    double x[3] = {node(0, at[0]), node(1, at[1]), node(2, at[2])}, open = 0;
    for (int m = 0; m < FINE; m++)
        for (int n = 0; n < FINE; n++) {
            x[a] = node(a, at[a]) + (m + 0.5) / FINE * (node(a, at[a] + 1) - node(a, at[a]));
            x[b] = node(b, at[b]) + (n + 0.5) / FINE * (node(b, at[b] + 1) - node(b, at[b]));
            open += !conducts(x);
        }
    return open / FINE / FINE;
}

/* Every element of the domain; returns how many of them are cut. */
static int all_compared(void)
{
    int cut = 0;
    for (int c = 0; c < 3; c++)
        for (int j = 0; j < grid.ny; j++)
            for (int k = 0; k < grid.nz; k++)
                for (int i = 0; i < grid.nx; i++) {
                    const int at[3] = {i, j, k};
                    const double length = conformal_length(&geometry, c, at), area = conformal_area(&geometry, c, at);
                    cr_assert_float_eq(length, sampled_length(c, at), 1.01 / FINE * 2, "l of %d at %d %d %d: %g", c, i,
                                       j, k, length);
                    if (area > 1e-9 && area < 1 - 1e-9 && ++cut % 3 == 0) /* else the same in every sample */
                        cr_assert_float_eq(area, sampled_area(c, at), 1.5e-3, "A of %d at %d %d %d: %g, not %g", c, i,
                                           j, k, area, sampled_area(c, at));
                }
    return cut;
}

static void domain_make(double spread, double conformal, int periodic)
{
    grid_make(9, 8, 7, spread); /* from (-7, 20, -1) mm on */
    params_make(periodic, 1);
    params.maxwell_conformal = conformal;
}

static void shape_at(int n, int form, int medium, int axis, double x, double y, double z, double radius)
{
    shape_put(n, form, medium, axis, 1e-3 * x, 1e-3 * y, 1e-3 * z);
    params.geometry_radius[n] = 1e-3 * radius;
}

Test(conformal, a_ball_among_graded_cells)
{
    domain_make(0.3, 0.8, 0);
    shape_at(0, SPHERE, MEDIUM_PEC, AZ, -2.1, 24.3, 2.7, 2.9);
    geometry_ready(NULL);
    cr_assert_eq(geometry.ncuts, 1);
    cr_assert_gt(all_compared(), 60);
}

/* A hole in a block, a rod across it, a brick of glass that takes a corner off the rod, and another ball on all. */
Test(conformal, shapes_in_their_order)
{
    domain_make(0, 0.8, 0);
    snprintf(params.geometry_background, sizeof params.geometry_background, "pec");
    shape_at(0, SPHERE, MEDIUM_VACUUM, AZ, -2.1, 24.3, 2.7, 3.1);
    shape_at(1, CYLINDER, MEDIUM_PEC, AX, 0, 24.1, 2.2, 1.3);
    shape_at(2, BOX, 2, AZ, -3.3, 23.2, 1.4, 0);
    sizes_put(2, 2.3e-3, 1.9e-3, 2.1e-3);
    shape_at(3, SPHERE, MEDIUM_PEC, AZ, -1.2, 25.8, 3.4, 1.4);
    sizes_put(1, 4.6e-3, 1, 1);
    geometry_ready(NULL);
    cr_assert_eq(geometry.ncuts, 4);
    cr_assert_gt(all_compared(), 60);
}

/* Turned about all axes: a block, a rod of glass through it, and a cone over the corner of another. */
Test(conformal, shapes_that_are_turned, .timeout = 60)
{
    domain_make(0.2, 0.8, 0);
    shape_at(0, BOX, MEDIUM_PEC, AZ, -2.6, 24.6, 2.9, 0);
    sizes_put(0, 4.1e-3, 3.2e-3, 2.7e-3);
    params.geometry_turn_x[0] = 31, params.geometry_turn_y[0] = -17, params.geometry_turn_z[0] = 52;
    shape_at(1, CYLINDER, 2, AY, -2.2, 24.3, 2.6, 0.9);
    sizes_put(1, 1, 7e-3, 1);
    params.geometry_turn_x[1] = 24, params.geometry_turn_z[1] = 133;
    shape_at(2, CONE, MEDIUM_PEC, AX, -3.9, 25.1, 3.6, 2.2);
    params.geometry_radius_top[2] = 0.4e-3;
    sizes_put(2, 2.9e-3, 1, 1);
    params.geometry_turn_y[2] = 40;
    geometry_ready(NULL);
    cr_assert_eq(geometry.ncuts, 3);
    cr_assert_gt(all_compared(), 60);
}

/* Quarter turns are exact: a block on nodes that is turned onto them cuts nothing, and what lies on its faces conducts.
 */
Test(conformal, a_block_turned_onto_the_nodes)
{
    domain_make(0, 0.8, 0);
    shape_at(0, BOX, MEDIUM_PEC, AZ, -3, 24, 2, 0);
    sizes_put(0, 2e-3, 4e-3, 6e-3);
    params.geometry_turn_x[0] = 90;
    geometry_ready(NULL);
    for (int c = 0; c < 3; c++)
        for (int j = 0; j < grid.ny; j++)
            for (int k = 0; k < grid.nz; k++)
                for (int i = 0; i < grid.nx; i++) {
                    const int low[3] = {3, 1, 1}, high[3] = {5, 7, 5}, at[3] = {i, j, k}; /* nodes */
                    int within = 1;
                    for (int a = 0; a < 3; a++) within = within && at[a] >= low[a] && at[a] < high[a] + (a != c);
                    cr_assert_eq(conformal_edge(&geometry, c, at, NULL), within ? 0 : OPEN_WHOLE, "%d: %d %d %d", c, i,
                                 j, k);
                }
}

/* The face of a brick goes through cells 37 hundredths from their lower end: exact. */
Test(conformal, a_face_between_nodes)
{
    domain_make(0, 0.8, 0);
    shape_at(0, BOX, MEDIUM_PEC, AZ, -7 + 3.37 + 1, 24, 2, 0);
    sizes_put(0, 2e-3, 1, 1);
    geometry_ready(NULL);
    const int cut[3] = {3, 4, 3}, before[3] = {2, 4, 3};
    cr_assert_float_eq(conformal_length(&geometry, AX, cut), 0.37, 1e-5);
    cr_assert_float_eq(conformal_area(&geometry, AY, cut), 0.37, 1e-5);
    cr_assert_float_eq(conformal_area(&geometry, AZ, cut), 0.37, 1e-5);
    cr_assert_eq(conformal_edge(&geometry, AX, cut, NULL), 189); /* 0.37 x 512 = 189.4 */
    cr_assert_eq(conformal_edge(&geometry, AY, cut, NULL), 512);
    cr_assert_eq(conformal_face(&geometry, AY, cut, NULL), 189 * 8);
    cr_assert_eq(conformal_face(&geometry, AX, cut, NULL), 4096);
    cr_assert_eq(conformal_face(&geometry, AY, before, NULL), 4096);
    cr_assert(conformal_is_cut(&geometry, AX, cut) && conformal_is_cut(&geometry, 3 + AY, cut));
    cr_assert(!conformal_is_cut(&geometry, AY, cut) && !conformal_is_cut(&geometry, 3 + AX, cut));
    cr_assert(!conformal_is_cut(&geometry, AX, before));
}

/* By the formula of conformal.h: nothing is smaller, most of what was too small is as large as that, and no more than
 * cells ask for. */
Test(conformal, areas_leave_room_for_the_step)
{
    int raised = 0, more = 0;
    for (int trial = 0; trial < 2; trial++) {
        domain_make(trial ? 2.5 : 0, 0.7, 0);
        shape_at(0, SPHERE, MEDIUM_PEC, AZ, 2, 26, 4, 4.2);
        geometry_ready(NULL);
        for (int c = 0; c < 3; c++)
            for (int n = 0; n < 6 * 6 * 6; n++) {
                const int at[3] = {n % 6, n / 6 % 6, n / 36}, a = (c + 1) % 3, b = (c + 2) % 3;
                int next_a[3] = {at[0], at[1], at[2]}, next_b[3] = {at[0], at[1], at[2]};
                next_a[a]++, next_b[b]++;
                const double size_a = node(a, at[a] + 1) - node(a, at[a]), size_b = node(b, at[b] + 1) - node(b, at[b]);
                const double of_a = conformal_edge(&geometry, a, at, NULL) + conformal_edge(&geometry, a, next_b, NULL),
                             of_b = conformal_edge(&geometry, b, at, NULL) + conformal_edge(&geometry, b, next_a, NULL);
                const double least = 0.49 / 512 * (of_a / (size_b * size_b) + of_b / (size_a * size_a)) /
                                     (2 / (size_a * size_a) + 2 / (size_b * size_b));
                const double is = conformal_face(&geometry, c, at, NULL) / 4096.0,
                             was = conformal_area(&geometry, c, at);
                if (!(of_a + of_b > 0)) {
                    cr_assert_eq(is, 0);
                    continue;
                }
                cr_assert_geq(is, least);
                cr_assert(is > fmax(was, least) - 0.51 / 512 && is < 1.5 * fmax(was, least) + 0.51 / 512,
                          "%d at %d %d %d: %g, not %g or %g", c, at[0], at[1], at[2], is, was, least);
                raised += least > was + 0.01, more += is > fmax(was, least) + 0.51 / 512;
            }
        geometry_free(&geometry);
        grid_free(&grid);
    }
    cr_assert_gt(raised, 20);
    cr_assert_lt(more, raised);
}

/* ---- the longest step ---- */

/* Elements of one component of the domain, with one more at each end. */
typedef double component[9 + 2][8 + 2][7 + 2];
static component open_length[3], open_area[3], field_e[3], field_h[3];

/* curl of f: of E at faces (step 1), of H at edges (step -1). */
static double curl_of(component f[3], int c, const int at[3], int step, const double size[3])
{
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    int of_a[3] = {at[0], at[1], at[2]}, of_b[3] = {at[0], at[1], at[2]};
    of_a[a] += step, of_b[b] += step;
    const double here_b = f[b][at[0]][at[1]][at[2]], here_a = f[a][at[0]][at[1]][at[2]];
    return step * ((f[b][of_a[0]][of_a[1]][of_a[2]] - here_b) / size[a] -
                   (f[a][of_b[0]][of_b[1]][of_b[2]] - here_a) / size[b]);
}

/* The largest eigenvalue of l curl (1 / A) curl in a closed box, from below: by its powers. */
static double largest_eigenvalue(int times)
{
    const double size[3] = {node(0, 1) - node(0, 0), node(1, 1) - node(1, 0), node(2, 1) - node(2, 0)};
    const int n[3] = {9, 8, 7};
    double is = 0;
    memset(field_e, 0, sizeof field_e), memset(field_h, 0, sizeof field_h);
    for (int time = 0; time <= times; time++) {
        double square = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int c = 0; c < 3; c++)
                for (int i = 0; i < n[0]; i++)
                    for (int j = 0; j < n[1]; j++)
                        for (int k = 0; k < n[2]; k++) {
                            const int at[3] = {i, j, k};
                            double *const e = &field_e[c][i][j][k], *const h = &field_h[c][i][j][k];
                            const double area = open_area[c][i][j][k];
                            const int on_side = (c != 0 && !i) || (c != 1 && !j) || (c != 2 && !k);
                            if (!pass) *h = area > 0 && time ? curl_of(field_e, c, at, 1, size) / area : 0;
                            else if (on_side) continue;
                            else
                                *e = open_length[c][i][j][k] *
                                     (time ? curl_of(field_h, c, at, -1, size) : random_number() - 0.5);
                            if (pass && open_length[c][i][j][k] > 0) square += *e * *e / open_length[c][i][j][k];
                        }
        const double norm = sqrt(square);
        is = norm;
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < n[0]; i++)
                for (int j = 0; j < n[1]; j++)
                    for (int k = 0; k < n[2]; k++) field_e[c][i][j][k] /= norm;
    }
    return is;
}

/* Balls, rods and bricks of chance, of metal or cut out of it: (c dt)^2 is no more than 4 over that. Without what cells
 * ask for number 185 would grow. */
Test(conformal, no_step_is_too_long)
{
    double nearest = 0;
    for (int trial = FIRST; trial < LAST; trial++) {
        const int hollow = trial % 2;
        random_state = (uint64_t)trial + 1;
        domain_make(0, 0.8, 0);
        if (hollow) snprintf(params.geometry_background, sizeof params.geometry_background, "pec");
        for (int n = 0; n < 3; n++) {
            shape_at(n,
                     n == 0   ? SPHERE
                     : n == 1 ? CYLINDER
                              : BOX,
                     hollow ? MEDIUM_VACUUM : MEDIUM_PEC, n, -7 + 9 * random_number(), 20 + 8 * random_number(),
                     -1 + 7 * random_number(), 1.5 + 2 * random_number());
            sizes_put(n, 1e-3 * (1 + 4 * random_number()), 1e-3 * (1 + 4 * random_number()),
                      1e-3 * (1 + 4 * random_number()));
        }
        geometry_ready(NULL);
        for (int c = 0; c < 3; c++)
            for (int n = 0; n < 9 * 8 * 7; n++) {
                const int at[3] = {n % 9, n / 9 % 8, n / 72};
                open_length[c][at[0]][at[1]][at[2]] = conformal_edge(&geometry, c, at, NULL) / 512.0;
                open_area[c][at[0]][at[1]][at[2]] = conformal_face(&geometry, c, at, NULL) / 4096.0;
            }
        const double found = largest_eigenvalue(300), most = 4 * 3e6 / 0.64;
        cr_assert(found <= most * (1 + 1e-9), "trial %d: %g of what a step takes", trial, found / most);
        nearest = fmax(nearest, found / most);
        geometry_free(&geometry);
        grid_free(&grid);
    }
    cr_assert_gt(nearest, 0.7);
}

/* ---- coefficients ---- */

static const double dt = 1.7e-12;

/* Each number means the medium's own coefficients, l and A times and over: the ball lies in vacuum, half of it in
 * glass. */
Test(conformal, coefficients_know_what_is_open)
{
    static unsigned short ids[6][8][7 + 1][9 + 1];
    void *to[6];
    struct paint paint;
    struct coefficients e, h;
    int cut = 0;
    domain_make(0, 0.8, 0);
    params.medium_epsilon[0] = 4;
    cr_assert_eq(media_make(&media, &params, 1, NULL), SF_OK);
    shape_at(0, BOX, 2, AZ, -4, 24, 1, 0); /* below the node at 3 mm */
    sizes_put(0, 1, 1, 4e-3);
    shape_at(1, SPHERE, MEDIUM_PEC, AZ, -2.1, 24.3, 2.7, 2.9);
    geometry_ready(NULL);
    cr_assert_eq(paint_init(&paint, &geometry, &media), SF_OK);
    cr_assert_eq(paint.wide[0], 2);
    cr_assert_eq(paint.wide[1], 2);
    paint.threads = 2;
    for (int c = 0; c < 6; c++) to[c] = ids[c];
    cr_assert_eq(paint_rows(&paint, &geometry, 0, 8, to, 80, 10), SF_OK, "%s", sf_error_text());
    cr_assert_eq(paint_coefficients(&paint, &media, NULL, dt, &e, &h), SF_OK);
    cr_assert(e.whole);
    for (int c = 0; c < 6; c++)
        for (int j = 1; j < 8; j++)
            for (int k = 1; k < 7; k++)
                for (int i = 1; i < 9; i++) {
                    const int at[3] = {i, j, k}, is_h = c >= 3, id = ids[c][j][k][i];
                    const double open = is_h ? conformal_face(&geometry, c - 3, at, NULL) / 4096.0
                                             : conformal_edge(&geometry, c, at, NULL) / 512.0;
                    const double turn = (double)(is_h ? h.turn : e.turn)[id],
                                 keep = (double)(is_h ? h.keep : e.keep)[id];
                    if (!(open > 0)) {
                        cr_assert(turn == 0 && keep == 0, "component %d at %d %d %d conducts", c, i, j, k);
                        continue;
                    }
                    cr_assert_eq(keep, 1);
                    if (is_h) cr_assert_float_eq(turn * em_mu0 / dt * open, 1, 1e-6);
                    const double epsilon =
                        dt / em_eps0 * open / turn; /* along the interface between the two, or in one */
                    const int low = c == 2 ? k < 4 : k < 5, high = c == 2 ? k >= 4 : k > 3;
                    if (!is_h) cr_assert(epsilon > (high ? 0.999 : 3.999) && epsilon < (low ? 4.001 : 1.001));
                    if (!is_h) cr_assert_float_eq((double)e.whole[id] * open, 1, 1e-6);
                    cut += open < 1;
                }
    cr_assert_gt(cut, 100);
    paint_free(&paint);
}

/* ---- what is cut ---- */

static struct cuts counted(void)
{
    struct cuts cuts;
    geometry_ready(NULL);
    cr_assert_eq(conformal_count(&geometry, &cuts), SF_OK);
    return cuts;
}

/* Every element is asked. */
Test(conformal, counts_are_those_of_all_elements)
{
    domain_make(0, 0.8, 0);
    shape_at(0, SPHERE, MEDIUM_PEC, AZ, -2.1, 24.3, 2.7, 2.9);
    const struct cuts cuts = counted();
    long long n[2] = {0, 0};
    int meets;
    for (int component = 0; component < 6; component++)
        for (int j = 0; j <= 8; j++)
            for (int k = 0; k <= 7; k++)
                for (int i = 0; i <= 9; i++) {
                    const int at[3] = {i, j, k}, last[3] = {9, 8, 7};
                    int is_there = 1;
                    for (int a = 0; a < 3; a++)
                        is_there =
                            is_there && (at[a] < last[a] || (component < 3 ? component != a : component - 3 == a));
                    n[component / 3] += is_there && conformal_is_cut(&geometry, component, at);
                }
    cr_assert_eq(cuts.edges, n[0]);
    cr_assert_eq(cuts.faces, n[1]);
    cr_assert(cuts.raised > 0 && cuts.raised < cuts.faces);
    cr_assert_eq(cuts.walled, 0);
    cr_assert_eq(conformal_meets(&geometry, (const int[3]){0, 0, 0}, (const int[3]){1, 8, 7}, &meets), SF_OK);
    cr_assert_eq(meets, 0);
    cr_assert_eq(conformal_meets(&geometry, (const int[3]){1, 0, 0}, (const int[3]){3, 8, 7}, &meets), SF_OK);
    cr_assert_eq(meets, 1);
}

/* Conductors that follow the cells, or stay in cells, change nothing. */
Test(conformal, what_follows_cells_stays_as_it_is)
{
    int wide[2];
    domain_make(0, 0.8, 0);
    shape_at(0, BOX, MEDIUM_PEC, AZ, -3, 24, 2, 0);
    sizes_put(0, 2e-3, 2e-3, 2e-3);
    cr_assert_eq(counted().edges, 0);
    cr_assert_eq(geometry.ncuts, 0);
    shape_at(1, BOX, MEDIUM_PEC, AZ, -3, 24, 4.45, 0); /* nine tenths of a cell */
    sizes_put(1, 2e-3, 2e-3, 0.9e-3);
    shape_at(2, CYLINDER, MEDIUM_PEC, AZ, 0.5, 26.5, 2, 0.9);
    shape_at(3, SPHERE, 2, AZ, -5, 22, 1, 1.4); /* glass, with conductors elsewhere: nothing of them is cut */
    cr_assert_eq(counted().edges, 0);
    cr_assert_eq(geometry.ncuts, 0);
    paint_width(&geometry, &media, wide);
    cr_assert_eq(wide[1], 0);
    params.maxwell_conformal = 0;
    shape_at(2, SPHERE, MEDIUM_PEC, AZ, -2.1, 24.3, 2.7, 2.9);
    cr_assert_eq(counted().edges, 0);
    cr_assert_eq(geometry.ncuts, 0);
}

/* A shell of half a cell; one of two cells is none. */
Test(conformal, thin_walls_are_told)
{
    for (int trial = 0; trial < 2; trial++) {
        domain_make(0, 0.8, 0);
        shape_at(0, SPHERE, MEDIUM_PEC, AZ, -2.1, 24.3, 2.7, 3.1);
        shape_at(1, SPHERE, MEDIUM_VACUUM, AZ, -2.1, 24.3, 2.7, trial ? 1.3 : 2.6);
        cr_assert_eq(counted().walled > 0, !trial);
        geometry_free(&geometry);
        grid_free(&grid);
    }
}

/* A node of a periodic side lies at both ends. */
Test(conformal, both_sides_of_a_seam)
{
    domain_make(0, 0.8, 1);
    shape_at(0, SPHERE, MEDIUM_PEC, AZ, 1.2, 24.3, 2.7, 2.1); /* beyond the eastern side, at 2 mm */
    geometry_ready(NULL);
    int seen = 0;
    for (int j = 0; j < 8; j++)
        for (int k = 0; k < 7; k++) {
            const int first[3] = {0, j, k}, last[3] = {9, j, k};
            seen += conformal_is_cut(&geometry, AY, first) + conformal_is_cut(&geometry, 3 + AX, first);
            cr_assert_eq(conformal_edge(&geometry, AY, first, NULL), conformal_edge(&geometry, AY, last, NULL));
            cr_assert_eq(conformal_face(&geometry, AX, first, NULL), conformal_face(&geometry, AX, last, NULL));
        }
    cr_assert_gt(seen, 8);
}

/* A file of vacuum with a cell of metal beside the ball, and metal where the ball is: read a few rows at a time. */
static int one_cell(const char *path, int ni, int nk, int nj, int j0, int j1, int n, unsigned char *medium)
{
    (void)path, (void)nj, (void)n;
    for (int j = j0; j < j1 && medium; j++)
        for (int k = 0; k < nk; k++)
            for (int i = 0; i < ni; i++) medium[((j - j0) * nk + k) * ni + i] = i == 8 && j == 4 && k == 3;
    return SF_OK;
}

Test(conformal, cells_of_a_file_are_whole)
{
    static unsigned short ids[6][8][7 + 1][9 + 1];
    void *to[6];
    struct paint paint;
    struct coefficients e, h;
    struct cuts cuts;
    domain_make(0, 0.8, 0);
    snprintf(params.geometry_file, sizeof params.geometry_file, "/cells.nc");
    shape_at(0, SPHERE, MEDIUM_PEC, AZ, -2.1, 24.3, 2.7, 2.9);
    geometry_ready(one_cell);
    cr_assert_eq(conformal_count(&geometry, &cuts), SF_OK);
    cr_assert_gt(cuts.edges, 100);
    cr_assert_eq(paint_init(&paint, &geometry, &media), SF_OK);
    for (int c = 0; c < 6; c++) to[c] = ids[c];
    cr_assert_eq(paint_rows(&paint, &geometry, 0, 8, to, 80, 10), SF_OK, "%s", sf_error_text());
    cr_assert_eq(paint_coefficients(&paint, &media, NULL, dt, &e, &h), SF_OK);
    for (int m = 0; m < 4; m++) {
        const int at[3] = {8 + (m & 1), 4 + (m >> 1), 3}, beside[3] = {8, 3, 3};
        cr_assert_eq(conformal_load(&geometry, at[AY], at[AY] + 1), SF_OK);
        cr_assert_eq(conformal_edge(&geometry, AZ, at, NULL), 0);
        cr_assert_gt(conformal_edge(&geometry, AZ, beside, NULL), 0);
        cr_assert(!(e.turn[ids[AZ][at[1]][at[2]][at[0]]] > 0));
    }
    paint_free(&paint);
}

/* Elements beyond a side are those of their images. */
Test(conformal, images_beyond_sides)
{
    int raised = 0;
    domain_make(0, 0.8, 0);
    shape_at(0, SPHERE, MEDIUM_PEC, AZ, -2.1, 20.3, 2.7, 2.9); /* across the southern side */
    geometry_ready(NULL);
    for (int c = 0; c < 3; c++)
        for (int n = 0; n < 9 * 7 * 3; n++) {
            const int j = n / 63, at[3] = {n % 9, j, n / 9 % 7};
            const int face[3] = {at[0], c == AY ? -j : -1 - j, at[2]}, edge[3] = {at[0], c == AY ? -1 - j : -j, at[2]};
            const int area = conformal_face(&geometry, c, at, NULL);
            cr_assert_eq(conformal_face(&geometry, c, face, NULL), area);
            cr_assert_eq(conformal_edge(&geometry, c, edge, NULL), conformal_edge(&geometry, c, at, NULL));
            raised += area > 4096 * conformal_area(&geometry, c, at) + 8;
        }
    cr_assert_gt(raised, 10);
}
