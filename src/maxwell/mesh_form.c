/* Triangles of files and of shapes that are turned, or are surfaces alone. SPDX-License-Identifier: MIT */
#include "maxwell/mesh.h"
#include "pipeline/error.h"
#include "pipeline/sferic.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* About x, then y, then z; whole quarter turns are exact. */
static void turn(const struct mesh_place *at, double x[3])
{
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        const double quarters = at->turn[a] / 90, whole = (double)(long)(quarters + (quarters < 0 ? -0.5 : 0.5));
        const double rest = (at->turn[a] - 90 * whole) * (pi / 180), cosine = sfd_cos(rest), sine = sfd_sin(rest);
        const double first = cosine * x[b] - sine * x[c], second = sine * x[b] + cosine * x[c];
        const int q = (int)((long)whole % 4 + 4) % 4;
        x[b] = q == 0 ? first : q == 1 ? -second : q == 2 ? -first : second;
        x[c] = q == 0 ? second : q == 1 ? first : q == 2 ? -second : -first;
    }
}

static void place(const struct mesh_place *at, double x[3])
{
    for (int a = 0; a < 3; a++) x[a] *= at->scale;
    turn(at, x);
    for (int a = 0; a < 3; a++) x[a] += at->centre[a];
}

static int placed(struct mesh **out, double (*corner)[3][3], int n, const struct mesh_place *at, const char *what)
{
    for (int t = 0; t < n; t++)
        for (int q = 0; q < 3; q++) place(at, corner[t][q]);
    return at->part == MESH_SOLID ? mesh_make(out, corner, n, what) : mesh_surface(out, corner, n, what);
}

/* ---- STL --------------------------------------------------------------------------------------------------------- */

enum { STL_HEAD = 84, STL_EACH = 50 };

static int whole_read(const char *path, char **text, size_t *n)
{
    FILE *const f = fopen(path, "rb");
    SF_CHECK(f, SF_INPUT, "cannot read the surface '%s': %s", path, strerror(errno));
    long size = -1;
    if (!fseek(f, 0, SEEK_END)) size = ftell(f);
    rewind(f);
    *text = size < 0 ? NULL : malloc((size_t)size + 1);
    *n = *text ? fread(*text, 1, (size_t)size, f) : 0;
    const int good = *text && *n == (size_t)size;
    fclose(f);
    SF_CHECK(good, SF_INPUT, "cannot read the surface '%s'", path);
    (*text)[*n] = '\0';
    return SF_OK;
}

static uint32_t four_bytes(const char *at)
{
    uint32_t x = 0;
    for (int m = 3; m >= 0; m--) x = x << 8 | (unsigned char)at[m];
    return x;
}

/* A binary file is as long as its number of triangles says, whatever its head begins with. */
static int is_binary(const char *text, size_t n)
{
    return n >= STL_HEAD && n == STL_HEAD + (size_t)four_bytes(text + 80) * STL_EACH;
}

static void binary_take(const char *text, int n, double (*corner)[3][3])
{
    for (int t = 0; t < n; t++)
        for (int q = 0; q < 9; q++) {
            const uint32_t bits = four_bytes(text + STL_HEAD + (size_t)t * STL_EACH + 12 + 4 * (size_t)q);
            float x;
            memcpy(&x, &bits, sizeof x);
            corner[t][q / 3][q % 3] = (double)x;
        }
}

/* Three numbers behind each word "vertex". Returns how many corners there are, -1: something else stands there. */
static int ascii_take(const char *text, double *to)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, "vertex")); n++) {
        char *end = (char *)at + 6;
        for (int a = 0; a < 3; a++) {
            const char *const from = end;
            const double x = strtod(from, &end);
            if (end == from) return -1;
            if (to) to[3 * n + a] = x;
        }
        at = end;
    }
    return n;
}

static int stl_take(const char *path, const char *text, size_t size, double (**corner)[3][3], int *n)
{
    const int binary = is_binary(text, size);
    const long long corners = binary ? 3LL * four_bytes(text + 80) : ascii_take(text, NULL);
    SF_CHECK(
        corners > 0 && corners % 3 == 0 && corners < 3LL * 100000000, SF_INPUT, "'%s' is no STL file: %s", path,
        binary
            ? "it says that it has no triangles"
            : "neither as long as a binary one with its number of triangles, nor one of text with `vertex x y z` three times a facet");
    *n = (int)(corners / 3);
    *corner = malloc((size_t)*n * sizeof **corner);
    SF_CHECK(*corner, SF_MEMORY, "no memory for the %d triangles of '%s'", *n, path);
    if (binary) binary_take(text, *n, *corner);
    else ascii_take(text, &(*corner)[0][0][0]);
    int finite = 1;
    for (int t = 0; t < *n; t++)
        for (int q = 0; q < 9; q++) finite &= __builtin_fabs((*corner)[t][q / 3][q % 3]) < 1e30;
    if (!finite) free(*corner), *corner = NULL;
    SF_CHECK(finite, SF_INPUT, "'%s' has corners that are no finite numbers", path);
    return SF_OK;
}

int mesh_read(struct mesh **out, const char *path, const struct mesh_place *at)
{
    char *text = NULL, what[1100];
    size_t size = 0;
    int n = 0;
    double(*corner)[3][3] = NULL;
    *out = NULL;
    int rc = whole_read(path, &text, &size);
    if (!rc) rc = stl_take(path, text, size, &corner, &n);
    free(text);
    SF_TRY(rc);
    snprintf(what, sizeof what, "the surface '%.1000s'", path);
    return placed(out, corner, n, at, what);
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static void triangle_put(double to[3][3], const double *a, const double *b, const double *c)
{
    memcpy(to[0], a, 3 * sizeof *a), memcpy(to[1], b, 3 * sizeof *b), memcpy(to[2], c, 3 * sizeof *c);
}

int mesh_box(struct mesh **out, const double size[3], const struct mesh_place *at)
{
    enum { N = 12 };
    double(*const corner)[3][3] = malloc(N * sizeof *corner), end[8][3];
    *out = NULL;
    SF_CHECK(corner, SF_MEMORY, "no memory for a box");
    for (int q = 0; q < 8; q++)
        for (int a = 0; a < 3; a++) end[q][a] = (q >> a & 1 ? 0.5 : -0.5) * size[a];
    for (int face = 0, t = 0; face < 6; face++, t += 2) {
        const int a = face / 2, b = 1 << (a + 1) % 3, c = 1 << (a + 2) % 3, from = face % 2 ? 1 << a : 0;
        triangle_put(corner[t], end[from], end[from + b], end[from + b + c]);
        triangle_put(corner[t + 1], end[from], end[from + b + c], end[from + c]);
        for (int m = t; m < t + 2 && face % 2 == 0; m++) /* outward */
            for (int q = 0; q < 3; q++) {
                const double other = corner[m][1][q];
                corner[m][1][q] = corner[m][2][q], corner[m][2][q] = other;
            }
    }
    return placed(out, corner, N, at, "a box that is turned");
}

/* Corners around an axis, farther out than the radius, for the area of the circle. */
static void ring_fill(int axis, double along, double radius, double ring[MESH_FACETS][3])
{
    enum { N = MESH_FACETS };
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const double wider = __builtin_sqrt(2 * pi / N / sfd_sin(2 * pi / N));
    for (int q = 0; q < N; q++) {
        const double angle = 2 * pi * (q + 0.5) / N;
        ring[q][axis] = along;
        ring[q][b] = wider * radius * sfd_cos(angle);
        ring[q][c] = wider * radius * sfd_sin(angle);
    }
}

int mesh_cone(struct mesh **out, int axis, double length, const double radius[2], const struct mesh_place *at)
{
    enum { N = MESH_FACETS };
    double(*const corner)[3][3] = malloc(4 * N * sizeof *corner), ring[2][N][3], middle[2][3] = {{0}};
    *out = NULL;
    SF_CHECK(corner, SF_MEMORY, "no memory for a cone");
    for (int high = 0; high < 2; high++) {
        middle[high][axis] = (high ? 0.5 : -0.5) * length;
        ring_fill(axis, middle[high][axis], radius[high], ring[high]);
    }
    for (int q = 0; q < N; q++) { /* behind those around it its two ends */
        const int next = (q + 1) % N;
        triangle_put(corner[2 * q], ring[0][q], ring[0][next], ring[1][next]);
        triangle_put(corner[2 * q + 1], ring[0][q], ring[1][next], ring[1][q]);
        triangle_put(corner[2 * N + 2 * q], middle[0], ring[0][next], ring[0][q]);
        triangle_put(corner[2 * N + 2 * q + 1], middle[1], ring[1][q], ring[1][next]);
    }
    return placed(out, corner, at->part == MESH_TUBE ? 2 * N : 4 * N, at, "a cone");
}

int mesh_disc(struct mesh **out, int axis, double radius, const struct mesh_place *at)
{
    double(*const corner)[3][3] = malloc(MESH_FACETS * sizeof *corner), ring[MESH_FACETS][3];
    *out = NULL;
    SF_CHECK(corner, SF_MEMORY, "no memory for a disc");
    ring_fill(axis, 0, radius, ring);
    for (int q = 0; q < MESH_FACETS; q++)
        triangle_put(corner[q], (const double[3]){0}, ring[q], ring[(q + 1) % MESH_FACETS]);
    return placed(out, corner, MESH_FACETS, at, "a disc");
}

int mesh_rectangle(struct mesh **out, int axis, const double size[3], const struct mesh_place *at)
{
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    double(*const corner)[3][3] = malloc(2 * sizeof *corner), end[4][3] = {{0}};
    *out = NULL;
    SF_CHECK(corner, SF_MEMORY, "no memory for a sheet");
    for (int q = 0; q < 4; q++) end[q][b] = (q & 1 ? 0.5 : -0.5) * size[b], end[q][c] = (q & 2 ? 0.5 : -0.5) * size[c];
    triangle_put(corner[0], end[0], end[1], end[3]);
    triangle_put(corner[1], end[0], end[3], end[2]);
    return placed(out, corner, 2, at, "a sheet that is turned");
}

/* ---- polygons ---- */

/* Twice the area of a, b, c: above 0 where they go round to the left. */
static double turn_of(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Does a place lie in the triangle, or on its sides? To the left of all. */
static int holds(const double *a, const double *b, const double *c, const double *x)
{
    return turn_of(a, b, x) >= 0 && turn_of(b, c, x) >= 0 && turn_of(c, a, x) >= 0;
}

static int same_place(const double *a, const double *b)
{
    return !(a[0] < b[0] || a[0] > b[0] || a[1] < b[1] || a[1] > b[1]);
}

/* Do two sides have a place in common? */
static int sides_meet(const double *a, const double *b, const double *c, const double *d)
{
    const double of_c = turn_of(a, b, c), of_d = turn_of(a, b, d), of_a = turn_of(c, d, a), of_b = turn_of(c, d, b);
    if (((of_c > 0 && of_d > 0) || (of_c < 0 && of_d < 0)) || ((of_a > 0 && of_b > 0) || (of_a < 0 && of_b < 0)))
        return 0;
    for (int q = 0; q < 2; q++) /* on one line they may lie apart */
        if (SF_MAX(a[q], b[q]) < SF_MIN(c[q], d[q]) || SF_MAX(c[q], d[q]) < SF_MIN(a[q], b[q])) return 0;
    return 1;
}

static int polygon_check(int n, const double *corner)
{
    for (int m = 0; m < n; m++)
        SF_CHECK(!same_place(corner + 2 * m, corner + 2 * ((m + 1) % n)), SF_NAMELIST,
                 "a polygon: its corners %d and %d are one place", m + 1, (m + 1) % n + 1);
    for (int m = 0; m < n; m++) {
        const double *const a = corner + 2 * m, *const b = corner + 2 * ((m + 1) % n),
                            *const c = corner + 2 * ((m + 2) % n);
        const double side = turn_of(a, b, c), ahead = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]);
        SF_CHECK(side < 0 || side > 0 || ahead > 0, SF_NAMELIST, "a polygon: it goes back on itself at corner %d",
                 (m + 1) % n + 1);
        for (int q = m + 2; q < n; q++) {
            if (m == 0 && q == n - 1) continue; /* neighbours */
            SF_CHECK(
                !sides_meet(a, b, corner + 2 * q, corner + 2 * ((q + 1) % n)), SF_NAMELIST,
                "a polygon: its sides from corner %d and from corner %d meet: give corners in the order in which they lie around it",
                m + 1, q + 1);
        }
    }
    return SF_OK;
}

static int is_ear(const double *corner, const int *left, int n, int m)
{
    const double *const a = corner + 2 * left[(m + n - 1) % n], *const b = corner + 2 * left[m],
                        *const c = corner + 2 * left[(m + 1) % n];
    if (!(turn_of(a, b, c) > 0)) return 0;
    for (int q = 0; q < n; q++) {
        const double *const x = corner + 2 * left[q];
        if (!same_place(x, a) && !same_place(x, b) && !same_place(x, c) && holds(a, b, c, x)) return 0;
    }
    return 1;
}

/* Cut off ear after ear (Meisters 1975, Am. Math. Mon. 82, 648), corners going round to the left: n - 2 triangles of
 * corners. What is left over where none is an ear has no area. */
static void ears_cut(const double *corner, int *left, int n, int (*triangle)[3])
{
    for (; n > 2; n--, triangle++) {
        int ear = 0;
        while (ear < n && !is_ear(corner, left, n, ear)) ear++;
        ear %= n;
        (*triangle)[0] = left[(ear + n - 1) % n], (*triangle)[1] = left[ear], (*triangle)[2] = left[(ear + 1) % n];
        memmove(left + ear, left + ear + 1, (size_t)(n - 1 - ear) * sizeof *left);
    }
}

static double polygon_area(int n, const double *corner)
{
    double sum = 0;
    for (int m = 1; m + 1 < n; m++) sum += turn_of(corner, corner + 2 * m, corner + 2 * m + 2);
    return 0.5 * sum;
}

static void corner_put(double to[3], int axis, const double *corner, double along)
{
    to[axis] = along, to[(axis + 1) % 3] = corner[0], to[(axis + 2) % 3] = corner[1];
}

int mesh_polygon(struct mesh **out, int axis, double length, int n, const double *corner, const struct mesh_place *at)
{
    *out = NULL;
    SF_TRY(polygon_check(n, corner));
    const size_t count = (size_t)n, all = 4 * count - 4; /* two ends of n - 2, two for each side */
    const int leftward = polygon_area(n, corner) > 0;
    double(*const to)[3][3] = malloc(all * sizeof *to);
    int *const left = malloc(count * sizeof *left), (*const triangle)[3] = malloc(count * sizeof *triangle);
    const int rc =
        to && left && triangle ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for %d corners", n);
    for (int m = 0; m < n && !rc; m++) left[m] = leftward ? m : n - 1 - m;
    for (int m = 0; m < n && !rc; m++) {
        const double *const a = corner + 2 * left[m], *const b = corner + 2 * left[(m + 1) % n];
        double low[2][3], high[2][3];
        corner_put(low[0], axis, a, -0.5 * length), corner_put(low[1], axis, b, -0.5 * length);
        corner_put(high[0], axis, a, 0.5 * length), corner_put(high[1], axis, b, 0.5 * length);
        triangle_put(to[2 * m], low[0], low[1], high[1]);
        triangle_put(to[2 * m + 1], low[0], high[1], high[0]);
    }
    if (!rc) ears_cut(corner, left, n, triangle);
    for (int m = 0; m < n - 2 && !rc; m++)
        for (int q = 0; q < 3; q++) {
            corner_put(to[2 * n + 2 * m][q], axis, corner + 2 * triangle[m][q], 0.5 * length);
            corner_put(to[2 * n + 2 * m + 1][2 - q], axis, corner + 2 * triangle[m][q], -0.5 * length);
        }
    free(left);
    free(triangle);
    if (rc) free(to);
    SF_TRY(rc);
    return placed(out, to, at->part == MESH_TUBE ? 2 * n : (int)all, at, "a polygon");
}
