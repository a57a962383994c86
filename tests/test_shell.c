/* Sheets of any orientation and curvature: which edges they hold, against lines and triangles in double and against
 * sheets along the grid; lines through corners; walls that do not leak; what lies within, against a cavity in a block
 * of metal. SPDX-License-Identifier: MIT */
#include "support_media.h"

#include "command/verify_em.h"
#include "maxwell/own.h"
#include "maxwell/shell.h"
#include "pipeline/complaint.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { POLYGON = 10, DISC = 11 };

static const double pi = 3.14159265358979323846;

static void shell_put(int n, int form, int axis, double x, double y, double z)
{
    shape_put(n, form, MEDIUM_PEC, axis, x, y, z);
    params.geometry_shell[n] = 1;
}

static void turn_put(int n, double x, double y, double z)
{
    params.geometry_turn_x[n] = x, params.geometry_turn_y[n] = y, params.geometry_turn_z[n] = z;
}

static int edge_numbers(int c, int a) { return geometry.axis[a].n + (a == c ? 0 : 1); }

/* Every edge of the domain, one after the other. */
#define EACH_EDGE(c, at)                                                                                               \
    for (int c = 0; c < 3; c++)                                                                                        \
        for (int at[3] = {0}; at[1] < edge_numbers(c, 1); at[1]++)                                                     \
            for (at[2] = 0; at[2] < edge_numbers(c, 2); at[2]++)                                                       \
                for (at[0] = 0; at[0] < edge_numbers(c, 0); at[0]++)

/* ---- along the grid ---- */

/* A sheet that is turned by quarters, its rims on nodes, has the edges of the sheet that lies so. Sides are periodic or
 * not, the sheet lies within or at a side. */
Test(shell, quarter_turns_are_sheets)
{
    static const double turned[3][3][3] = {{{0, 0, 180}, {0, 0, 90}, {0, 90, 0}},
                                           {{0, 0, -90}, {180, 0, 0}, {90, 0, 0}},
                                           {{0, -90, 0}, {-90, 0, 0}, {0, 180, 0}}}; /* [of][to] */
    long edges = 0;
    for (int trial = 0; trial < 4; trial++)
        for (int of = 0; of < 3; of++)
            for (int to = 0; to < 3; to++)
                for (int plane = 0; plane <= 9; plane += 3) {
                    static unsigned char flat[3][10][10][10];
                    config = cells_config(9, 9, 9, -2e-3, 1e-3, 0);
                    cr_assert_eq(grid_init(&grid, &config, &(struct grid_sizes){0}), SF_OK);
                    double at[3] = {2e-3, 6e-3, 5e-3}, size[3] = {4e-3, 2e-3, 6e-3}, own[3];
                    at[to] = config.grid_origin_x * (to == 0) + config.grid_origin_y * (to == 1) + plane * 1e-3;
                    params_make(trial, 0);
                    shape_put(0, SHEET, MEDIUM_PEC, to, at[0], at[1], at[2]);
                    sizes_put(0, size[0], size[1], size[2]);
                    geometry_ready(NULL);
                    EACH_EDGE(c, e) flat[c][e[1]][e[2]][e[0]] = (unsigned char)geometry_thin_has(&geometry, c, e);
                    geometry_free(&geometry);
                    memcpy(own, size, sizeof own);
                    if (of != to) own[to] = size[of];
                    params_make(trial, 0);
                    shape_put(0, SHEET, MEDIUM_PEC, of, at[0], at[1], at[2]);
                    sizes_put(0, own[0], own[1], own[2]);
                    turn_put(0, turned[of][to][0], turned[of][to][1], turned[of][to][2]);
                    geometry_ready(NULL);
                    cr_assert(geometry.nsheets == 0 && geometry.nshells == 1);
                    cr_assert_float_eq(geometry.shell[0].drawn, size[(to + 1) % 3] * size[(to + 2) % 3], 1e-12);
                    cr_assert_float_eq(geometry.shell[0].area, geometry.shell[0].drawn, 1e-12);
                    cr_assert_eq(geometry.shell[0].faces, llround(geometry.shell[0].drawn * 1e6));
                    EACH_EDGE(c, e)
                    {
                        cr_assert_eq(geometry_thin_has(&geometry, c, e), flat[c][e[1]][e[2]][e[0]],
                                     "%d to %d, plane %d: E%c %d %d %d", of, to, plane, "xyz"[c], e[0], e[1], e[2]);
                        edges += flat[c][e[1]][e[2]][e[0]];
                    }
                    geometry_free(&geometry);
                }
    cr_assert_gt(edges, 1000);
}

/* ---- by value ---- */

enum { MOST = 40 };

static struct mesh *surface_make(int n, double (*corner)[3][3])
{
    struct mesh *m;
    double(*const own)[3][3] = malloc((size_t)n * sizeof *own);
    memcpy(own, corner, (size_t)n * sizeof *own);
    cr_assert_eq(mesh_surface(&m, own, n, "a surface"), SF_OK, "%s", sf_error_text());
    return m;
}

static struct shell surface_draw(int n, double (*corner)[3][3])
{
    struct solid s = {.mesh = surface_make(n, corner)};
    struct shell sh = {0};
    cr_assert_eq(shell_draw(&geometry, &s, AZ, 1, &sh), SF_OK, "%s", sf_error_text());
    mesh_free(s.mesh);
    return sh;
}

static double det3(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Does the line from p, d long, cross the triangle? By Cramer's rule; -1: too near to tell. */
static int line_crosses(const double t[3][3], const double p[3], const double d[3])
{
    double ab[3], ac[3], ap[3], minus[3];
    for (int a = 0; a < 3; a++)
        ab[a] = t[1][a] - t[0][a], ac[a] = t[2][a] - t[0][a], ap[a] = p[a] - t[0][a], minus[a] = -d[a];
    const double all = det3(ab, ac, minus);
    if (fabs(all) < 1e-18) return 0;
    const double b = det3(ap, ac, minus) / all, c = det3(ab, ap, minus) / all, s = det3(ab, ac, ap) / all;
    const double least = fmin(fmin(fmin(b, c), 1 - b - c), fmin(s, 1 - s));
    return least > 1e-6 ? 1 : least < -1e-6 ? 0 : -1;
}

/* A face of component c: does the surface lie between the centres beside it, or at a side within the domain? */
static int face_has(int n, double (*t)[3][3], int c, const int at[3])
{
    const struct geometry_axis *const x = &geometry.axis[c];
    int has = 0;
    for (int high = 0; high < 2; high++) { /* on either side of it */
        double p[3], d[3] = {0, 0, 0};
        const int node = x->periodic && (at[c] == 0 || at[c] == x->n) ? (high ? 0 : x->n) : at[c];
        const int cell = high ? node : node - 1;
        if (cell < 0 || cell >= x->n) continue;
        for (int a = 0; a < 3; a++) p[a] = a == c ? x->node[node] : geometry.axis[a].centre[at[a]];
        d[c] = x->centre[cell] - x->node[node];
        for (int m = 0; m < n; m++) {
            const int one = line_crosses((const double(*)[3])t[m], p, d);
            if (one < 0) return -1;
            has |= one;
        }
    }
    return has;
}

/* An edge is held where one of the four faces beside it conducts. */
static int edge_has(int n, double (*t)[3][3], int c, const int at[3])
{
    int has = 0, doubt = 0;
    for (int q = 0; q < 4; q++) {
        const int normal = (c + 1 + q % 2) % 3, across = (c + 2 - q % 2) % 3;
        int face[3] = {at[0], at[1], at[2]};
        face[across] -= q / 2;
        if (geometry.axis[across].periodic) face[across] = geometry_cell(&geometry.axis[across], face[across]);
        if (face[across] < 0 || face[across] >= geometry.axis[across].n) continue;
        const int one = face_has(n, t, normal, face);
        has |= one > 0, doubt |= one < 0;
    }
    return has ? 1 : doubt ? -1 : 0;
}

/* Triangles anywhere, also across sides, in cells of one size and of many, with sides of all kinds. */
Test(shell, faces_whose_line_crosses)
{
    long held = 0, open = 0, sides = 0;
    for (int trial = 0; trial < 60; trial++) {
        double t[3][3][3];
        grid_make(8, 7, 9, trial % 2 ? 0.8 : 0);
        params_make(trial % 4, 0);
        geometry_ready(NULL);
        for (int m = 0; m < 3; m++)
            for (int q = 0; q < 3; q++)
                for (int a = 0; a < 3; a++) {
                    const struct geometry_axis *const x = &geometry.axis[a];
                    t[m][q][a] = x->node[0] + (1.4 * random_number() - 0.2) * (x->node[x->n] - x->node[0]);
                }
        const struct shell sh = surface_draw(3, t);
        double area = 0;
        for (int c = 0; c < 3; c++)
            for (int at[3] = {0}; at[1] < geometry.axis[1].n + (c == 1); at[1]++)
                for (at[2] = 0; at[2] < geometry.axis[2].n + (c == 2); at[2]++)
                    for (at[0] = 0; at[0] < geometry.axis[0].n + (c == 0); at[0]++) {
                        if (geometry.axis[c].periodic && at[c] == geometry.axis[c].n) continue; /* the first */
                        const int b = (c + 1) % 3, d = (c + 2) % 3, has = face_has(3, t, c, at);
                        if (has < 0) goto doubtful;
                        area += has * geometry_size(&geometry.axis[b], at[b]) * geometry_size(&geometry.axis[d], at[d]);
                    }
        cr_assert_float_eq(sh.drawn, area, 1e-12);
        EACH_EDGE(c, at)
        {
            const int want = edge_has(3, t, c, at), is = geometry_thin_has(&geometry, c, at);
            cr_assert_eq(is, want, "trial %d: E%c %d %d %d: %d", trial, "xyz"[c], at[0], at[1], at[2], is);
            held += is, open += !is;
            for (int a = 0; a < 3; a++) sides += is && a != c && (at[a] == 0 || at[a] == geometry.axis[a].n);
        }
    doubtful:
        geometry_free(&geometry);
        grid_free(&grid);
    }
    cr_assert(held > 5000 && open > held && sides > 500, "%ld %ld %ld", held, open, sides);
}

/* ---- lines through corners and edges ---- */

/* Cells of 2^-10 m, and corners at nodes and centres: lines meet edges and corners, centres lie in planes. That is
 * decided as if everything were moved back by a small step along x, one smaller by 2^-10 along y, and again along z. In
 * units of half a cell, of which the domain has 16, twice a triangle's area has up to 2^9 of them. */
static void corners_move(int n, double (*t)[3][3], double to[][3][3])
{
    for (int m = 0; m < n; m++)
        for (int q = 0; q < 3; q++)
            for (int a = 0; a < 3; a++) to[m][q][a] = t[m][q][a] - ldexp(1, -11 - 10 * (a + 1));
}

static void dyadic_make(void)
{
    config = cells_config(8, 8, 8, 0, 0, 0);
    config.grid_dx = config.grid_dy = config.grid_dz = 0x1p-10;
    cr_assert_eq(grid_init(&grid, &config, &(struct grid_sizes){0}), SF_OK);
}

static int edges_alike(const uint64_t *edge, size_t n)
{
    return geometry.nedges == n && (!n || !memcmp(geometry.edge, edge, n * sizeof *edge));
}

Test(shell, ties_are_small_steps)
{
    long held = 0;
    dyadic_make();
    params_make(0, 0);
    for (int trial = 0; trial < 2000; trial++) {
        double t[2][3][3], moved[2][3][3];
        for (int m = 0; m < 2; m++)
            for (int q = 0; q < 3; q++)
                for (int a = 0; a < 3; a++) t[m][q][a] = (2 + random_below(13)) * 0x1p-11;
        if (trial % 4 == 0) /* in a plane of centres or nodes */
            for (int q = 1; q < 3; q++) t[0][q][trial / 4 % 3] = t[0][0][trial / 4 % 3];
        corners_move(2, t, moved);
        geometry_ready(NULL);
        surface_draw(2, t);
        const size_t n = geometry.nedges;
        uint64_t *const edge = geometry.edge;
        geometry.edge = NULL, geometry.nedges = 0;
        surface_draw(2, moved);
        cr_assert(edges_alike(edge, n), "trial %d", trial);
        held += (long)n;
        free(edge);
        geometry_free(&geometry);
    }
    cr_assert_gt(held, 20000);
}

/* ---- leaks ---- */

/* Does the face between a cell and the next along an axis conduct: all four edges do? */
static int is_wall(const int cell[3], int axis)
{
    const int b = (axis + 1) % 3, d = (axis + 2) % 3;
    int wall = 1;
    for (int q = 0; q < 4; q++) {
        int at[3] = {cell[0], cell[1], cell[2]};
        at[axis]++, at[q % 2 ? b : d] += q / 2;
        wall = wall && geometry_thin_has(&geometry, q % 2 ? d : b, at);
    }
    return wall;
}

enum { WIDE = 24 };

/* Which cells are reached from those at the domain's corner through faces that do not conduct? */
static void flood(unsigned char reached[WIDE][WIDE][WIDE])
{
    static int list[WIDE * WIDE * WIDE][3];
    int n = 1;
    memset(reached, 0, WIDE * WIDE * WIDE);
    list[0][0] = list[0][1] = list[0][2] = 0, reached[0][0][0] = 1;
    while (n) {
        n--;
        const int cell[3] = {list[n][0], list[n][1], list[n][2]};
        for (int way = 0; way < 6; way++) {
            int next[3] = {cell[0], cell[1], cell[2]}, low[3] = {cell[0], cell[1], cell[2]};
            const int a = way / 2;
            next[a] += way % 2 ? 1 : -1;
            if (next[a] < 0 || next[a] >= geometry.axis[a].n) continue;
            if (way % 2 == 0) low[a]--;
            if (reached[next[0]][next[1]][next[2]] || is_wall(low, a)) continue;
            reached[next[0]][next[1]][next[2]] = 1;
            memcpy(list[n++], next, sizeof next);
        }
    }
}

/* A ball of 8 facets, each cut in four twice, with radii at random: 128 triangles that turn their backs and edges to
 * anything. */
static int blob_cut(double t[][3][3], int n)
{
    for (int m = n - 1; m >= 0; m--) {
        double half[3][3], own[3][3];
        memcpy(own, t[m], sizeof own);
        for (int q = 0; q < 3; q++)
            for (int a = 0; a < 3; a++) half[q][a] = 0.5 * (own[q][a] + own[(q + 1) % 3][a]);
        for (int q = 0; q < 3; q++) {
            memcpy(t[4 * m + q][0], own[q], sizeof own[q]);
            memcpy(t[4 * m + q][1], half[q], sizeof half[q]);
            memcpy(t[4 * m + q][2], half[(q + 2) % 3], sizeof half[q]);
        }
        memcpy(t[4 * m + 3], half, sizeof half);
    }
    return 4 * n;
}

static int blob_make(double t[128][3][3], const double middle[3], double least, double most)
{
    const unsigned long seed = (unsigned long)random_below(1 << 30);
    for (int m = 0; m < 8; m++)
        for (int q = 0; q < 3; q++)
            for (int a = 0; a < 3; a++) t[m][q][a] = a == q ? (m >> a & 1 ? 1 : -1) : 0;
    const int n = blob_cut(t, blob_cut(t, 8));
    for (int m = 0; m < n; m++)
        for (int q = 0; q < 3; q++) {
            double *const x = t[m][q], far = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
            const unsigned long corner = seed + (unsigned long)(16 * (x[0] + 1) + 400 * (x[1] + 1) + 9000 * (x[2] + 1));
            const double radius = least + (most - least) * 0.5 * (1 + em_random(corner)); /* the same of a place */
            for (int a = 0; a < 3; a++) x[a] = middle[a] + radius / far * x[a];
        }
    return n;
}

/* From the outside all cells are reached whose centres lie outside, and none within. Half of the surfaces have their
 * corners on nodes and centres, where lines meet them, and cells whose centre lies on them may be either. */
Test(shell, closed_ones_do_not_leak, .timeout = 120)
{
    static unsigned char reached[WIDE][WIDE][WIDE];
    static double t[128][3][3];
    long within = 0, outside = 0;
    config = cells_config(WIDE, WIDE, WIDE, 0, 0, 0);
    config.grid_dx = config.grid_dy = config.grid_dz = 0x1p-10;
    cr_assert_eq(grid_init(&grid, &config, &(struct grid_sizes){0}), SF_OK);
    params_make(0, 0);
    for (int trial = 0; trial < 300; trial++) {
        const double cell = 0x1p-10;
        double middle[3];
        for (int a = 0; a < 3; a++) middle[a] = cell * (12 + random_number() - 0.5);
        const int n = blob_make(t, middle, 3 * cell, 10.5 * cell);
        for (int m = 0; m < n && trial % 2; m++)
            for (int q = 0; q < 9; q++) t[m][q / 3][q % 3] = floor(t[m][q / 3][q % 3] * 2 / cell + 0.5) * cell / 2;
        geometry_ready(NULL);
        surface_draw(n, t);
        flood(reached);
        struct mesh *solid;
        double(*const own)[3][3] = malloc((size_t)n * sizeof *own);
        memcpy(own, t, (size_t)n * sizeof *own);
        cr_assert_eq(mesh_make(&solid, own, n, "a blob"), SF_OK, "%s", sf_error_text());
        const struct solid s = {.mesh = solid};
        for (int c = 0; c < WIDE * WIDE * WIDE; c++) {
            const int i = c % WIDE, j = c / WIDE % WIDE, k = c / WIDE / WIDE;
            int in = 0, all = 0;
            for (int q = 0; q < (trial % 2 ? 8 : 1); q++) { /* near the centre, if it may lie on the surface */
                const double off = trial % 2 ? 1e-3 * cell : 0;
                const double at[3] = {geometry.axis[0].centre[i] + (q & 1 ? off : -off),
                                      geometry.axis[1].centre[j] + (q & 2 ? off : -off),
                                      geometry.axis[2].centre[k] + (q & 4 ? off : -off)};
                in += solid_has_place(&s, at), all++;
            }
            if (in == all) cr_assert_not(reached[i][j][k], "trial %d leaks at %d %d %d", trial, i, j, k);
            within += in == all, outside += !in && reached[i][j][k];
        }
        mesh_free(solid);
        geometry_free(&geometry);
    }
    cr_assert(within > 300L * 500 && outside > 300L * 5000, "%ld %ld", within, outside);
}

/* ---- what is round ---- */

static int round_holds(int is_tube, int axis, double radius, double length, const double at[3])
{
    double square = 0;
    for (int a = 0; a < 3; a++) square += a == axis && is_tube ? 0 : at[a] * at[a];
    return square <= radius * radius && (!is_tube || fabs(at[axis]) <= length / 2);
}

/* Faces between cells that a ball or a cylinder holds and others; of a tube none across its axis. */
Test(shell, round_ones_follow_their_solid)
{
    enum { N = 9 };
    for (int form = 0; form < 5; form++) {
        const int tube = form > 0, axis = tube ? (form - 1) % 3 : 2, open = form == 4;
        const double radius = 2.8e-3, length = 5.2e-3;
        long held = 0;
        config = cells_config(N, N, N, -4.4e-3, -4.6e-3, -4.3e-3);
        cr_assert_eq(grid_init(&grid, &config, &(struct grid_sizes){0}), SF_OK);
        params_make(0, 0);
        shell_put(0, tube ? CYLINDER : SPHERE, axis, 0, 0, 0);
        params.geometry_radius[0] = radius, params.geometry_open_ends[0] = open;
        sizes_put(0, length, length, length);
        geometry_ready(NULL);
        cr_assert_eq(geometry.nsolids, 0);
        cr_assert_float_eq(geometry.shell[0].area,
                           !tube  ? 4 * pi * radius * radius
                           : open ? 2 * pi * radius * length
                                  : 2 * pi * radius * (length + radius),
                           1e-15);
        cr_assert_eq(geometry.shell[0].is_closed, !open);
        EACH_EDGE(c, at)
        {
            int want = 0;
            for (int q = 0; q < 4; q++) {
                const int normal = (c + 1 + q % 2) % 3, across = (c + 2 - q % 2) % 3;
                double low[3], high[3];
                int cell[3] = {at[0], at[1], at[2]};
                cell[across] -= q / 2;
                for (int a = 0; a < 3; a++) low[a] = high[a] = geometry.axis[a].node[0] + (cell[a] + 0.5) * 1e-3;
                low[normal] -= 1e-3;
                want |= (normal != axis || !open) &&
                        round_holds(tube, axis, radius, length, low) != round_holds(tube, axis, radius, length, high);
            }
            cr_assert_eq(geometry_thin_has(&geometry, c, at), want, "form %d: E%c %d %d %d", form, "xyz"[c], at[0],
                         at[1], at[2]);
            held += want;
        }
        cr_assert_gt(held, 100);
        geometry_free(&geometry);
    }
}

/* A tube and two discs are the closed cylinder, edge by edge, however it is turned. */
Test(shell, a_tube_and_two_discs_are_closed)
{
    for (int trial = 0; trial < 20; trial++) {
        const double turn[3] = {360 * random_number(), 360 * random_number(), 360 * random_number()};
        uint64_t *edge[2];
        size_t n[2];
        for (int apart = 0; apart < 2; apart++) {
            const int form = trial % 2 ? CONE : CYLINDER;
            config = cells_config(20, 20, 20, -10.1e-3, -9.8e-3, -10.2e-3);
            cr_assert_eq(grid_init(&grid, &config, &(struct grid_sizes){0}), SF_OK);
            params_make(0, 0);
            shell_put(0, form, AZ, 0, 0, 0);
            params.geometry_radius[0] = 5e-3, params.geometry_radius_top[0] = 3e-3, params.geometry_size_z[0] = 6e-3;
            params.geometry_open_ends[0] = apart;
            turn_put(0, turn[0], turn[1], turn[2]);
            for (int high = 0; high < 2 && apart; high++) {
                double at[3] = {0, 0, high ? 3e-3 : -3e-3};
                for (int a = 0; a < 3; a++) { /* about x, y, z */
                    const int b = (a + 1) % 3, d = (a + 2) % 3;
                    const double c = cos(turn[a] * pi / 180), s = sin(turn[a] * pi / 180), x = at[b], y = at[d];
                    at[b] = c * x - s * y, at[d] = s * x + c * y;
                }
                shape_put(1 + high, DISC, MEDIUM_PEC, AZ, at[0], at[1], at[2]);
                params.geometry_radius[1 + high] = high && form == CONE ? 3e-3 : 5e-3;
                turn_put(1 + high, turn[0], turn[1], turn[2]);
            }
            geometry_ready(NULL);
            cr_assert_eq(geometry.nshells, apart ? 3 : 1);
            edge[apart] = geometry.edge, n[apart] = geometry.nedges;
            if (apart) {
                const double corner = 5e-3 * sqrt(2 * pi / 256 / sin(2 * pi / 256)); /* of the circle's area */
                cr_assert_float_eq(geometry.shell[1].area, pi * 25e-6, 1e-12);
                if (form == CYLINDER)
                    cr_assert_float_eq(geometry.shell[0].area, 512 * corner * sin(pi / 256) * 6e-3, 1e-12);
            }
            geometry.edge = NULL, geometry.nedges = 0;
            geometry_free(&geometry);
        }
        cr_assert(n[0] > 500 && n[0] == n[1] && !memcmp(edge[0], edge[1], n[0] * sizeof *edge[0]), "trial %d: %zu %zu",
                  trial, n[0], n[1]);
        free(edge[0]), free(edge[1]);
    }
}

/* ---- what is told and refused ---- */

static void complained(const char *text)
{
    static struct complaints to;
    memset(&to, 0, sizeof to);
    cr_assert_eq(geometry_make(&geometry, &params, &media, &grid, "", NULL, &to), SF_OK, "%s", sf_error_text());
    int found = 0;
    for (int n = 0; n < to.n; n++) found |= strstr(to.list[n].text, text) != NULL;
    cr_assert(found || !text[0], "nothing says '%s': %s", text, to.n ? to.list[0].text : "");
    cr_assert(text[0] || !to.n, "%s", to.n ? to.list[0].text : "");
    geometry_free(&geometry);
}

Test(shell, what_is_told)
{
    grid_make(20, 20, 20, 0); /* x from -7, y from 20, z from -1 mm */
    const double x = 3e-3, y = 30e-3, z = 9e-3;
    params_make(0, 1);
    shell_put(0, SPHERE, AZ, x, y, z);
    params.geometry_radius[0] = 4e-3;
    complained("");
    params.geometry_radius[0] = 0.3e-3;
    complained(
        "&geometry: shape(1), a sphere without thickness, makes no face of a cell conduct: it is too small for the grid and left out");
    params.geometry_x[0] = 1;
    complained("it is outside of the domain");
    params.geometry_x[0] = x, params.geometry_radius[0] = 30e-3;
    complained("it is larger than the domain and beyond it on all sides");
    shell_put(0, BOX, AZ, x, y, z + 0.2e-3);
    sizes_put(0, 4e-3, 4e-3, 0.3e-3);
    complained("shape(1), the shell of a box, is thinner than a cell");
    sizes_put(0, 4e-3, 4e-3, 4e-3);
    complained("");
    shape_put(0, SHEET, MEDIUM_PEC, AZ, x, y, z);
    sizes_put(0, 4e-3, 4e-3, 0);
    turn_put(0, 0, 30, 0);
    complained("");
    sizes_put(0, 4e-3, 1e9, 0);
    refused(geometry_try(NULL), SF_NAMELIST, "a sheet that is turned, needs its size along both axes: give size_y(1)");
    sizes_put(0, 4e-3, 1e3, 0);
    refused(geometry_try(NULL), SF_NAMELIST, "too far for a sheet or shell: make it smaller, or move it nearer");
    shape_put(0, SHEET, 2, AZ, x, y, z);
    refused(geometry_try(NULL), SF_NAMELIST, "a sheet, can be of 'pec' only, not of 'm2'");
    shape_put(0, DISC, MEDIUM_PEC, AZ, x, y, z);
    params.geometry_radius[0] = 0;
    refused(geometry_try(NULL), SF_NAMELIST, "a disc, has no radius: give radius(1)");
    shell_put(0, BOX, AZ, x, y, z);
    params_make(1, 0);
    shell_put(0, SPHERE, AZ, -7e-3, y, z);
    params.geometry_radius[0] = 4e-3;
    complained("shape(1), the shell of a sphere, reaches beyond a periodic side");
}

/* Boxes of nodes that meet an edge or an end of one. */
Test(shell, boxes_of_nodes)
{
    config = cells_config(9, 9, 9, 0, 0, 0);
    cr_assert_eq(grid_init(&grid, &config, &(struct grid_sizes){0}), SF_OK);
    for (int trial = 0; trial < 300; trial++) {
        double t[1][3][3];
        int low[3], high[3], want = 0;
        params_make(trial % 4, 0);
        geometry_ready(NULL);
        for (int q = 0; q < 9; q++) t[0][q / 3][q % 3] = (trial % 3 || q % 3 ? 9e-3 : 1e-3) * random_number();
        surface_draw(1, t);
        for (int a = 0; a < 3; a++) low[a] = random_below(10), high[a] = low[a] + random_below(3);
        if (trial % 3 == 0) low[0] = high[0] = 9, low[2] = 0; /* seen across the seam */
        EACH_EDGE(c, at)
        {
            int meets = geometry_thin_has(&geometry, c, at);
            for (int a = 0; a < 3; a++) meets = meets && at[a] <= high[a] && at[a] + (a == c) >= low[a];
            want |= meets;
        }
        cr_assert_eq(geometry_has_sheet(&geometry, low, high), want, "trial %d", trial);
        geometry_free(&geometry);
    }
}

/* ---- within a wall is a cavity ---- */

static void stl_write(const char *path)
{
    static double t[128][3][3];
    const double middle[3] = {0.3e-3, -0.2e-3, 0.1e-3};
    FILE *const f = fopen(path, "w");
    cr_assert_not_null(f);
    const int n = blob_make(t, middle, 6.4e-3, 6.5e-3);
    fprintf(f, "solid blob\n");
    for (int m = 0; m < n; m++) {
        fprintf(f, "facet normal 0 0 0\nouter loop\n");
        for (int q = 0; q < 3; q++) fprintf(f, "vertex %.9g %.9g %.9g\n", t[m][q][0], t[m][q][1], t[m][q][2]);
        fprintf(f, "endloop\nendfacet\n");
    }
    fprintf(f, "endsolid\n");
    cr_assert_eq(fclose(f), 0);
}

Test(shell, a_file_in_mm)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/shell-mm-%ld.stl", (long)getpid());
    stl_write(path);
    grid_make(20, 20, 20, 0); /* x from -7, y from 20, z from -1 mm */
    params_make(0, 1);
    shell_put(0, STL, AZ, 3e-3, 30e-3, 9e-3);
    snprintf(params.geometry_stl[0], sizeof params.geometry_stl[0], "%s", path);
    params.geometry_stl_scale[0] = 1;
    complained("");
    params.geometry_stl_scale[0] = 6;
    complained("beyond it on all sides; is stl_scale right, 1e-3 of a file in mm?");
    params.geometry_stl_scale[0] = 1e3;
    refused(geometry_try(NULL), SF_NAMELIST, "is stl_scale right, 1e-3 of a file in mm?");
    remove(path);
}

static void cavity_open(struct session *s, const char *shape, int is_shell)
{
    cr_assert_eq(
        verify_open(s,
                    "&case name='cavity' model='maxwell' /\n&time duration=1e-9 /\n&maxwell allow_coarse=.true. /\n"
                    "&grid nx=18 ny=18 nz=18 dx=1e-3 dy=1e-3 dz=1e-3 origin_x=-9e-3 origin_y=-9e-3 origin_z=-9e-3 /\n"
                    "&boundary west='%s' east='%s' south='pec' north='pec' bottom='pmc' top='pec' /\n"
                    "&geometry background='%s' %s medium='%s' shell=%s /\n"
                    "&source kind='electric' axis='y' frequency=3e10 delay=2e-11 /\n",
                    is_shell ? "periodic" : "pec", is_shell ? "periodic" : "pec", is_shell ? "vacuum" : "pec", shape,
                    is_shell ? "pec" : "vacuum", is_shell ? ".true." : ".false."),
        SF_OK, "%s", sf_error_text());
    cr_assert_eq(session_advance(s, 300), SF_OK, "%s", sf_error_text());
}

static real *element_of(const struct session *s, int c, const int at[3])
{
    const struct slab *const x = &s->state.host.s;
    return x->f[F_EX + c] + (at[AY] - x->j0) * x->sj + at[AZ] * x->sk + at[AX];
}

/* What a source within radiates has the bits of a cavity in a block of metal, whatever sides the domain has; outside
 * nothing is but zero. Of surfaces without dents: a line that goes out and in again between two centres is a wall of
 * the shell's, and none of the block's. */
Test(shell, inside_is_a_cavity, .timeout = 120)
{
    char path[64], stl[128];
    snprintf(path, sizeof path, "/tmp/shell-%ld.stl", (long)getpid());
    stl_write(path);
    snprintf(stl, sizeof stl, "shape='stl' stl='%s'", path);
    const char *const shape[] = {
        "shape='sphere' radius=6.3e-3 x=0.2e-3",
        "shape='cylinder' axis='y' radius=5.7e-3 size_y=9.4e-3",
        "shape='cylinder' axis='x' radius=5.2e-3 size_x=9.4e-3 turn_y=31 turn_z=7",
        "shape='box' size_x=9.1e-3 size_y=10.3e-3 size_z=7.7e-3 turn_x=20 turn_y=33 turn_z=-50",
        "shape='box' size_x=9.1e-3 size_y=10.3e-3 size_z=7.7e-3",
        "shape='cone' axis='y' radius=6.3e-3 radius_top=3.1e-3 size_y=9.3e-3 turn_x=40",
        "shape='polygon' axis='z' size_z=9.3e-3 corner_count=4 corners=-7.1e-3,-5.3e-3, 6.2e-3,-6.4e-3, "
        "0.7e-3,1.9e-3, -5.2e-3,6.8e-3 turn_y=21",
        stl};
    for (size_t n = 0; n < sizeof shape / sizeof shape[0]; n++) {
        struct session shell, block;
        long within = 0, outside = 0, wrong = 0;
        double most = 0;
        cavity_open(&shell, shape[n], 1);
        cavity_open(&block, shape[n], 0);
        cr_assert(geometry_has_thin(&((const struct maxwell_own *)shell.in.own)->geometry));
        for (int c = 0; c < 6; c++) {
            int at[3] = {0};
            do {
                const real is = *element_of(&shell, c, at), want = *element_of(&block, c, at);
                const int open = want > 0 || want < 0;
                wrong += open ? is != want : is > 0 || is < 0;
                within += open, outside += !open, most = fmax(most, fabs((double)want));
            } while (em_next(&block, c, at));
        }
        cr_assert(!wrong && most > 0 && within > 1500 && outside > within, "%s: %ld of %ld and %ld are wrong", shape[n],
                  wrong, within, outside);
        session_close(&shell);
        session_close(&block);
    }
    remove(path);
}
