/* What flat faces leave of a cell of E: volumes, normals and effective media against overlaps taken in double; balls
 * and thin films; what is too much for it. SPDX-License-Identifier: MIT */
#include "support_media.h"

#include "maxwell/paint_parts.h"
#include "maxwell/paint_smooth.h"
#include "pipeline/complaint.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
static struct complaints told;
static unsigned char alike[MEDIA_MAX];

/* Places of faces are rounded to 2^-32 of a cell along each axis; three axes and the last rounding to 2^-48. */
static const double exact = 8e-10;

static double place_in(double low, double high) { return low + (high - low) * random_number(); }
static double node(int a, int m)
{
    return a == 0 ? grid_x(&grid, m, 1) : a == 1 ? grid_y(&grid, m, 1) : grid_z(&grid, m, 1);
}
static double middle(int a, int m)
{
    return a == 0 ? grid_x(&grid, m, 0) : a == 1 ? grid_y(&grid, m, 0) : grid_z(&grid, m, 0);
}
static int cells(int a) { return a == 0 ? grid.nx : a == 1 ? grid.ny : grid.nz; }

static void subpixel_make(int periodic, int n)
{
    params_make(periodic, n);
    params.geometry_subpixel = 1;
    for (int m = 0; m < MEDIA_MAX; m++) alike[m] = (unsigned char)m;
}

static void told_ready(void)
{
    memset(&told, 0, sizeof told);
    cr_assert_eq(geometry_make(&geometry, &params, &media, &grid, "", NULL, &told), SF_OK, "%s", sf_error_text());
}

static struct mixture mixture_at(int c, int i, int j, int k)
{
    struct mixture x;
    memset(&x, 0xee, sizeof x);
    cr_assert_neq(smooth_mixture(&geometry, alike, c, (const int[3]){i, j, k}, &x), SMOOTH_NONE);
    uint64_t sum = 0;
    for (int n = 0; n < MIXTURE_PARTS; n++) sum += x.part[n] >> 8;
    cr_assert(sum == WEIGHT_WHOLE, "parts of E%c at %d %d %d make %g of the whole", "xyz"[c], i, j, k,
              (double)sum * 0x1p-48);
    return x;
}

static double share_of(const struct mixture *x, int medium)
{
    for (int n = 0; n < MIXTURE_PARTS && x->part[n]; n++)
        if ((int)(x->part[n] & 0xff) == medium) return (double)(x->part[n] >> 8) * 0x1p-48;
    return 0;
}

/* Share of a component's cell along one axis that lies in [low, high]; beyond a wall its image, beyond a periodic side
 * the other. */
static double overlap(int c, int a, int m, double low, double high)
{
    double lies = 0, length = 0;
    for (int half = 0; half < 2; half++) {
        const int n = cells(a), periodic = geometry.axis[a].periodic;
        double from, to;
        if (a == c) {
            if (half) break;
            from = node(a, m), to = node(a, m + 1);
        } else {
            int cell = half ? m : m - 1, upper = !half;
            if (cell < 0) cell = periodic ? n - 1 : 0, upper = periodic;
            if (cell == n) cell = periodic ? 0 : n - 1, upper = !periodic;
            from = upper ? middle(a, cell) : node(a, cell), to = upper ? node(a, cell + 1) : middle(a, cell);
        }
        length += to - from;
        lies += fmax(0, fmin(to, high) - fmax(from, low));
    }
    return lies / length;
}

/* ---- volumes ---- */

static void box_put(int n, int medium, const double low[3], const double high[3])
{
    shape_put(n, BOX, medium, AZ, 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]));
    sizes_put(n, high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

/* One box anywhere: the product of its overlaps along the axes, at walls and periodic sides too. */
Test(shares, a_box_of_any_size)
{
    double most = 0;
    for (int trial = 0; trial < 60; trial++) {
        grid_make(7, 6, 5, trial % 2 ? 0.8 : 0);
        subpixel_make(trial % 4, 1);
        double low[3], high[3];
        for (int a = 0; a < 3; a++) {
            low[a] = place_in(node(a, 0) - 1e-3, node(a, cells(a) - 1));
            high[a] = low[a] + place_in(0.02e-3, trial % 3 ? 1.5e-3 : 5e-3);
        }
        box_put(0, 2, low, high);
        told_ready();
        if (geometry.nsolids)
            for (int c = 0; c < 3; c++)
                for (int j = 0; j < 6 + (c != AY); j++)
                    for (int k = 0; k < 5 + (c != AZ); k++)
                        for (int i = 0; i < 7 + (c != AX); i++) {
                            const struct mixture x = mixture_at(c, i, j, k);
                            const double should = overlap(c, 0, i, low[0], high[0]) *
                                                  overlap(c, 1, j, low[1], high[1]) * overlap(c, 2, k, low[2], high[2]);
                            most = fmax(most, fabs(share_of(&x, 2) - should));
                            /* 1e-6 of the smallest cell: what lies closer to a node or the middle of a cell lies on
                             * it */
                            cr_assert(fabs(share_of(&x, 2) - should) <= 3e-6,
                                      "trial %d, E%c %d %d %d: %.12g, not %.12g", trial, "xyz"[c], i, j, k,
                                      share_of(&x, 2), should);
                        }
        geometry_free(&geometry);
        grid_free(&grid);
    }
    cr_assert(most <= exact, "off by up to %g", most); /* no face of these is so close */
}

/* Whole films: 0.98 of a cell about a node, thinner ones, one that covers part of another; what is left is the
 * background. */
Test(shares, films)
{
    static const double at[] = {4.0, 4.5, 4.37, 4.02}, thick[] = {0.98, 0.5, 1e-3, 3e-6};
    grid_make(9, 9, 9, 0);
    for (int axis = 0; axis < 3; axis++)
        for (int p = 0; p < 4; p++)
            for (int t = 0; t < 4; t++) {
                subpixel_make(0, 2);
                const double centre = node(axis, 0) + at[p] * 1e-3;
                shape_put(0, LAYER, 2, axis, centre, centre, centre);
                sizes_put(0, thick[t] * 1e-3, thick[t] * 1e-3, thick[t] * 1e-3);
                shape_put(1, HALF_SPACE, 3, axis, centre, centre, centre);
                params.geometry_side[1] = 1; /* its lower half is covered */
                told_ready();
                cr_assert_eq(geometry.nsolids, 2);
                for (int c = 0; c < 3; c++) {
                    double film = 0, below = 0;
                    for (int m = 3; m <= 5; m++) {
                        int ijk[3] = {4, 4, 4};
                        ijk[axis] = m;
                        const struct mixture x = mixture_at(c, ijk[0], ijk[1], ijk[2]);
                        film += share_of(&x, 2), below += share_of(&x, 3);
                    }
                    const double from = c == axis ? 3.0 : 2.5; /* where the first of these cells begins */
                    cr_assert(fabs(film - 0.5 * thick[t]) <= exact, "axis %d, %g at %g, E%c: %.12g", axis, thick[t],
                              at[p], "xyz"[c], film);
                    cr_assert(fabs(below - (at[p] - from)) <= 3 * exact, "axis %d, at %g, E%c: %.12g below", axis,
                              at[p], "xyz"[c], below);
                }
                geometry_free(&geometry);
            }
}

/* A hundred layers within a cell; more faces than are held apart are sampled, to 1/64. */
Test(shares, stacks_within_a_cell)
{
    for (int n = 100; n <= 200; n += 100) {
        grid_make(5, 5, 5, 0);
        subpixel_make(0, 1);
        double sum = 0;
        for (int s = 0; s < n; s++) {
            const double d = 0.9e-3 / n * (0.2 + 0.6 * random_number());
            shape_put(s, LAYER, 2, AZ, 0, 0, node(AZ, 2) + 0.05e-3 + 0.9e-3 * (s + 0.5) / n);
            params.geometry_size_z[s] = d, sum += d / 1e-3;
        }
        told_ready();
        const struct mixture x = mixture_at(AZ, 2, 2, 2);
        cr_assert(fabs(share_of(&x, 2) - sum) <= (n == 100 ? n * exact : 0.5), "%d layers: %g, not %g", n,
                  share_of(&x, 2), sum);
        if (n == 100) cr_assert_eq(x.normal, NORMAL_WHOLE);
        geometry_free(&geometry);
        grid_free(&grid);
    }
}

/* What is sampled as well: a cell through which a curved surface goes. Beside it a disc has its two flat faces and no
 * others. */
Test(shares, a_disc_thinner_than_a_cell)
{
    grid_make(12, 12, 6, 0);
    subpixel_make(0, 1);
    shape_put(0, CYLINDER, 2, AZ, node(AX, 6), node(AY, 6), node(AZ, 3) + 0.1e-3);
    params.geometry_radius[0] = 3.4e-3, params.geometry_size_z[0] = 0.21e-3;
    told_ready();
    const struct mixture z = mixture_at(AZ, 6, 6, 3), x = mixture_at(AX, 6, 6, 3), outside = mixture_at(AX, 10, 6, 3);
    cr_assert(fabs(share_of(&z, 2) - 0.205) <= exact && fabs(share_of(&x, 2) - 0.21) <= exact);
    cr_assert(z.normal == NORMAL_WHOLE && x.normal == 0);
    cr_assert_eq(share_of(&outside, 2), 0);
    const struct mixture rim = mixture_at(AX, 9, 6, 3); /* from 3 to 4 cells */
    cr_assert(share_of(&rim, 2) > 0.04 && share_of(&rim, 2) < 0.13);
}

/* Volumes of all cells of Ex are that of the ball. They are rounded to 1/64 each, as good as at random: some N = 1.5 x
 * 4 pi r^2 of them, of rms 1 / (64 sqrt(12)); a sample stands for 1/512, whose count is off by no more than that. Six
 * sigma of both. */
Test(shares, volume_of_a_ball)
{
    for (int trial = 0; trial < 3; trial++) {
        grid_make(18, 18, 18, 0);
        subpixel_make(0, 1);
        const double r = 6.2 + 0.4 * trial, at = 8.7 + 0.17 * trial;
        shape_put(0, SPHERE, 2, AZ, node(AX, 0) + at * 1e-3, node(AY, 0) + at * 1e-3, node(AZ, 0) + at * 1e-3);
        params.geometry_radius[0] = r * 1e-3;
        told_ready();
        double sum = 0;
        for (int j = 0; j < 18; j++)
            for (int k = 0; k < 18; k++)
                for (int i = 0; i < 18; i++) {
                    const struct mixture x = mixture_at(AX, i, j, k);
                    sum += share_of(&x, 2);
                }
        const double ball = 4 * pi / 3 * r * r * r, sigma = sqrt(1.5 * 4 * pi * r * r / 12) / 64;
        cr_assert(fabs(sum - ball) <= 6 * sqrt(2) * sigma, "radius %g cells: %g, not %g within %g", r, sum, ball,
                  6 * sqrt(2) * sigma);
        geometry_free(&geometry);
        grid_free(&grid);
    }
}

/* ---- normals and effective media ---- */

/* epsilon, relative, and sigma, S/m, that the coefficients of a mixture stand for. */
static void effective(const struct mixture *x, double *epsilon, double *sigma)
{
    static struct paint paint;
    struct coefficients e, h;
    const double dt = 1.7e-12;
    cr_assert_eq(paint_init(&paint, &geometry, &media), SF_OK);
    const int n = dictionary_number(&paint.dictionary[0], x);
    cr_assert_geq(n, 0);
    cr_assert_eq(paint_coefficients(&paint, &media, NULL, dt, &e, &h), SF_OK);
    const double keep = (double)e.keep[n], turn = (double)e.turn[n], s = (1 - keep) / (1 + keep);
    *epsilon = dt / (turn * (1 + s) * em_eps0);
    *sigma = 2 * s / dt * *epsilon * em_eps0;
    paint_free(&paint);
}

/* A lossy film of 3/8 cell at 0.3 of a cell: side by side along it, in series through it. */
Test(shares, effective_media_of_a_film)
{
    const double eps = 12, sig = 0.9, w = 0.375;
    for (int axis = 0; axis < 3; axis++) {
        grid_make(8, 8, 8, 0);
        subpixel_make(0, 1);
        params.medium_epsilon[0] = eps, params.medium_sigma[0] = sig;
        cr_assert_eq(media_make(&media, &params, 1, NULL), SF_OK);
        shape_put(0, LAYER, 2, axis, node(AX, 3) + 0.3e-3, node(AY, 3) + 0.3e-3, node(AZ, 3) + 0.3e-3);
        sizes_put(0, w * 1e-3, w * 1e-3, w * 1e-3);
        told_ready();
        for (int c = 0; c < 3; c++) {
            const struct mixture x = mixture_at(c, 3, 3, 3);
            const double series = 1 / (1 - w + w / eps), mean = 1 + (eps - 1) * w;
            double epsilon, sigma;
            cr_assert_eq(x.normal, c == axis ? NORMAL_WHOLE : 0);
            effective(&x, &epsilon, &sigma);
            cr_assert(fabs(epsilon - (c == axis ? series : mean)) <= 1e-6 * mean, "axis %d, E%c: %g", axis, "xyz"[c],
                      epsilon);
            cr_assert(fabs(sigma - (c == axis ? series * series * w * sig / (eps * eps) : w * sig)) <= 1e-4 * sig,
                      "axis %d, E%c: sigma %g", axis, "xyz"[c], sigma);
        }
        geometry_free(&geometry);
        grid_free(&grid);
    }
}

/* The corner of a box within a cell: its faces there have areas y z, z x, x y of what it takes of the lengths. */
Test(shares, normal_of_a_corner)
{
    for (int trial = 0; trial < 40; trial++) {
        grid_make(8, 8, 8, trial % 2 ? 0.6 : 0);
        subpixel_make(0, 1);
        double low[3], high[3], of[3], length[3], q[3], sum = 0;
        for (int a = 0; a < 3; a++) {
            low[a] = node(a, 1);
            high[a] = place_in(0.98 * node(a, 4) + 0.02 * middle(a, 4), 0.9 * middle(a, 4) + 0.1 * node(a, 4));
        }
        box_put(0, 2, low, high);
        told_ready();
        for (int c = 0; c < 3; c++) {
            for (int a = 0; a < 3; a++) {
                length[a] = a == c ? node(a, 5) - node(a, 4) : middle(a, 4) - middle(a, 3);
                of[a] = overlap(c, a, 4, low[a], high[a]);
            }
            sum = 0;
            for (int a = 0; a < 3; a++) q[a] = pow(of[(a + 1) % 3] * of[(a + 2) % 3] / length[a], 4), sum += q[a];
            const struct mixture x = mixture_at(c, 4, 4, 4);
            cr_assert(fabs((double)x.normal / NORMAL_WHOLE - q[c] / sum) <= 0.5 / NORMAL_WHOLE + 1e-5,
                      "trial %d, E%c: %g, not %g", trial, "xyz"[c], (double)x.normal / NORMAL_WHOLE, q[c] / sum);
        }
        geometry_free(&geometry);
        grid_free(&grid);
    }
}

/* A coated cube whose faces lie between nodes: mirror images and exchanged axes have the same mixtures. */
Test(shares, a_cube_is_symmetric)
{
    enum { HALF = 6, N = 2 * HALF };
    cube_make(HALF);
    subpixel_make(0, 2);
    for (int s = 0; s < 2; s++) {
        shape_put(s, BOX, 2 + s, AZ, 0, 0, 0);
        const double size = s ? 5.57e-3 : 6.83e-3;
        sizes_put(s, size, size, size);
    }
    told_ready();
    int mixed = 0;
    for (int j = 0; j <= N; j++)
        for (int k = 0; k <= N; k++)
            for (int i = 0; i < N; i++) {
                const struct mixture x = mixture_at(0, i, j, k);
                const struct mixture image[5] = {mixture_at(0, N - 1 - i, j, k), mixture_at(0, i, N - j, k),
                                                 mixture_at(0, i, k, j), mixture_at(1, k, i, j),
                                                 mixture_at(2, j, k, i)};
                for (int m = 0; m < 5; m++)
                    cr_assert_arr_eq(&x, &image[m], sizeof x, "image %d of %d %d %d", m, i, j, k);
                mixed += x.part[2] > 0;
            }
    cr_assert_gt(mixed, 20);
}

/* ---- what is left to whole cells, and what is told ---- */

Test(shares, conductors_and_nine_media_are_left_alone)
{
    struct mixture x;
    double epsilon, sigma, inverse = 0.2;
    grid_make(6, 6, 6, 0);
    subpixel_make(0, 8);
    for (int s = 0; s < 8; s++) {
        shape_put(s, LAYER, 2 + s, AZ, 0, 0, node(AZ, 2) + (0.15 + 0.1 * s) * 1e-3);
        params.geometry_size_z[s] = 0.1e-3, inverse += 0.1 / (s + 2);
    }
    told_ready();
    cr_assert_eq(smooth_mixture(&geometry, alike, AZ, (const int[3]){2, 2, 2}, &x),
                 0); /* the background is the ninth */
    params.geometry_shape[7] = NONE, inverse += 0.1 - 0.1 / 9;
    geometry_free(&geometry);
    told_ready();
    x = mixture_at(AZ, 2, 2, 2);
    for (int m = 2; m < 9; m++) cr_assert(fabs(share_of(&x, m) - 0.1) <= exact);
    effective(&x, &epsilon, &sigma);
    cr_assert(fabs(epsilon * inverse - 1) <= 1e-6, "%g, not %g", epsilon, 1 / inverse); /* all in series */
    alike[5] = 4;
    x = mixture_at(AZ, 2, 2, 2);
    cr_assert(fabs(share_of(&x, 4) - 0.2) <= exact && fabs(share_of(&x, 0) - 0.3) <= exact);
    geometry_free(&geometry);
    shape_put(0, BOX, MEDIUM_PEC, AZ, middle(AX, 2), middle(AY, 2), node(AZ, 1) + 0.5e-3);
    sizes_put(0, 1e-3, 1e-3, 1e-3);
    told_ready();
    cr_assert_eq(smooth_mixture(&geometry, alike, AX, (const int[3]){2, 2, 2}, &x), 0);
}

static void told_is(const char *text)
{
    told_ready();
    cr_assert_eq(told.n, text[0] != 0, "%d told", told.n);
    if (told.n) cr_assert(strstr(told.list[0].text, text), "'%s' lacks '%s'", told.list[0].text, text);
    cr_assert_eq(told.errors, 0);
    geometry_free(&geometry);
}

Test(shares, films_without_a_centre_are_told_where_they_are_left_out)
{
    grid_make(8, 8, 8, 0);
    subpixel_make(0, 2);
    shape_put(0, LAYER, 2, AZ, 0, 0, node(AZ, 3));
    params.geometry_size_z[0] = 0.98e-3;
    told_is("");
    params.geometry_subpixel = 0;
    told_is(
        "holds no centre of a cell: it is too small for the grid and left out; with subpixel = .true. its volume counts");
    params.geometry_subpixel = 1;
    params.medium_mu[0] = 3;
    cr_assert_eq(media_make(&media, &params, 2, NULL), SF_OK);
    told_is("mu and sigma_m of 'm2' count by whole cells and are left out");
    shape_put(0, LAYER, MEDIUM_PEC, AZ, 0, 0, node(AZ, 3));
    told_is("left out; a conductor without thickness is a 'sheet'");
    shape_put(0, LAYER, 3, AZ, 0, 0, node(AZ, 8) + 0.4e-3);
    params.geometry_size_z[0] = 0.8e-3; /* it ends at the wall */
    told_is("outside of the domain");
    shape_put(0, SPHERE, 3, AZ, node(AX, 3), node(AY, 3), node(AZ, 3));
    params.geometry_radius[0] = 0.4e-3;
    told_is("its volume is taken from 8 x 8 x 8 points");
    shape_put(0, CYLINDER, 3, AZ, node(AX, 4), node(AY, 4), node(AZ, 3)); /* a disc: its ends are flat */
    params.geometry_radius[0] = 2e-3;
    told_is("");
}

/* Kept without a centre: its medium is in use, and the cells are the background's. */
Test(shares, a_film_paints_no_cell)
{
    static unsigned char row[10 * 10];
    grid_make(8, 8, 8, 0);
    for (int axis = 0; axis < 3; axis++) {
        subpixel_make(0, 1);
        shape_put(0, LAYER, 2, axis, node(AX, 8) - 0.1e-3, node(AY, 8) - 0.1e-3, node(AZ, 8) - 0.1e-3);
        sizes_put(0, 0.1e-3, 0.1e-3, 0.1e-3);
        told_ready();
        cr_assert(geometry.nsolids == 1 && geometry.used[2]);
        for (int j = -1; j <= 8; j++) {
            geometry_row(&geometry, j, row);
            for (int n = 0; n < 100; n++) cr_assert_eq(row[n], 0);
        }
        geometry_free(&geometry);
    }
}
