/* Surfaces of triangles, and of round solids, drawn by faces of the grid. SPDX-License-Identifier: MIT */
#include "maxwell/shell.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdlib.h>

__extension__ typedef __int128 wide;

enum {
    DOMAIN_BITS = 36,
    PLACE_BITS = 39
}; /* of the domain's extent, of a corner: products of three lengths have 123 */

/* ---- numbers of edges and faces ---------------------------------------------------------------------------------- */

/* By rows, then components, levels, columns: a line of edges is a range. */
static uint64_t number_of(const struct geometry *g, int c, const int at[3])
{
    const uint64_t ni = (uint64_t)g->axis[AX].n + 1, nk = (uint64_t)g->axis[AZ].n + 1;
    return (((uint64_t)at[AY] * 3 + (uint64_t)c) * nk + (uint64_t)at[AZ]) * ni + (uint64_t)at[AX];
}

static int number_split(const struct geometry *g, uint64_t number, int at[3])
{
    const uint64_t ni = (uint64_t)g->axis[AX].n + 1, nk = (uint64_t)g->axis[AZ].n + 1;
    at[AX] = (int)(number % ni), at[AZ] = (int)(number / ni % nk), at[AY] = (int)(number / ni / nk / 3);
    return (int)(number / ni / nk % 3);
}

struct numbers {
    size_t n, room;
    uint64_t *of;
};

static int number_add(struct numbers *s, uint64_t number)
{
    if (s->n == s->room) {
        const size_t room = s->room ? 2 * s->room : 256;
        uint64_t *const of = realloc(s->of, room * sizeof *of);
        SF_CHECK(of, SF_MEMORY, "no memory for %zu faces of a sheet", room);
        s->of = of, s->room = room;
    }
    s->of[s->n++] = number;
    return SF_OK;
}

static int number_order(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* In their order, each once; returns how many. */
static size_t numbers_settle(uint64_t *of, size_t n)
{
    size_t kept = 0;
    if (n) qsort(of, n, sizeof *of, number_order);
    for (size_t m = 0; m < n; m++)
        if (!kept || of[m] != of[kept - 1]) of[kept++] = of[m];
    return kept;
}

/* The first that is no less. */
static size_t number_find(const struct geometry *g, uint64_t number)
{
    size_t low = 0, high = g->nedges;
    while (low < high) {
        const size_t m = (low + high) / 2;
        if (g->edge[m] < number) low = m + 1;
        else high = m;
    }
    return low;
}

/* ---- exact places ------------------------------------------------------------------------------------------------ */

struct exact {
    double origin[3], quantum; /* m */
    long long *centre[3], side[3][2]; /* of cells; of the domain's sides, a slack further out */
};

static long long whole_of(const struct exact *e, int a, double x)
{
    return (long long)floor((x - e->origin[a]) / e->quantum + 0.5);
}

static int exact_open(struct exact *e, const struct geometry *g)
{
    double longest = 0;
    int power;
    size_t cells = 0;
    for (int a = 0; a < 3; a++) {
        const struct geometry_axis *const x = &g->axis[a];
        e->origin[a] = x->node[0], longest = SF_MAX(longest, x->node[x->n] - x->node[0]), cells += (size_t)x->n;
    }
    (void)frexp(longest, &power);
    e->quantum = ldexp(1, power - DOMAIN_BITS);
    e->centre[0] = malloc(cells * sizeof *e->centre[0]);
    SF_CHECK(e->centre[0], SF_MEMORY, "no memory for places of %zu cells", cells);
    for (int a = 0; a < 3; a++) {
        const struct geometry_axis *const x = &g->axis[a];
        if (a) e->centre[a] = e->centre[a - 1] + g->axis[a - 1].n;
        for (int m = 0; m < x->n; m++) e->centre[a][m] = whole_of(e, a, x->centre[m]);
        e->side[a][0] = whole_of(e, a, x->node[0] - g->slack), e->side[a][1] = whole_of(e, a, x->node[x->n] + g->slack);
    }
    return SF_OK;
}

/* On which side of the edge from a to b a line along `axis` lies; 0: the edge is a point, seen along it. */
static int side_of(const long long *a, const long long *b, int axis, const long long *at)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const long long du = b[u] - a[u], dv = b[v] - a[v];
    const wide twice = (wide)du * (at[v] - a[v]) - (wide)dv * (at[u] - a[u]);
    const int by_u = (dv < 0) - (dv > 0), by_v = (du > 0) - (du < 0); /* of a small step along u, and v */
    if (twice) return twice > 0 ? 1 : -1;
    return u < v ? (by_u ? by_u : by_v) : by_v ? by_v : by_u;
}

struct facet {
    long long corner[3][3];
    wide normal[3];
};

static int sign_of(wide x) { return (x > 0) - (x < 0); }

/* Does a place lie above the facet's plane, along an axis that it is not parallel to? */
static int is_above(const struct facet *f, int axis, const long long *at)
{
    wide height = 0;
    for (int a = 0; a < 3; a++) height += f->normal[a] * (at[a] - f->corner[0][a]);
    int sign = sign_of(height);
    for (int a = 0; a < 3 && !sign; a++) sign = sign_of(f->normal[a]);
    return sign * sign_of(f->normal[axis]) > 0;
}

/* ---- faces that a triangle makes conduct ------------------------------------------------------------------------- */

struct drawing {
    struct geometry *g;
    struct exact e;
    struct numbers faces;
};

static int face_add(struct drawing *d, int axis, int plane, const int cell[3])
{
    int at[3] = {cell[0], cell[1], cell[2]};
    at[axis] = geometry_node(&d->g->axis[axis], plane);
    return number_add(&d->faces, number_of(d->g, axis, at));
}

/* Centres low .. high - 1 of an axis that lie between two places. */
static void centres_between(const struct drawing *d, int a, long long from, long long until, int *low, int *high)
{
    const long long *const c = d->e.centre[a];
    int first = 0, end = d->g->axis[a].n;
    while (first < end) {
        const int m = (first + end) / 2;
        if (c[m] < from) first = m + 1;
        else end = m;
    }
    *low = first, end = d->g->axis[a].n;
    while (first < end) {
        const int m = (first + end) / 2;
        if (c[m] <= until) first = m + 1;
        else end = m;
    }
    *high = first;
}

/* Of a line along an axis that crosses the facet: between which centres, or beside which side of the domain? */
static int crossing_add(struct drawing *d, const struct facet *f, int axis, int cell[3], const int range[3][2])
{
    const int n = d->g->axis[axis].n;
    long long at[3];
    int first = range[axis][0], end = range[axis][1]; /* those before lie below, those behind above */
    for (int a = 0; a < 3; a++) at[a] = a == axis ? 0 : d->e.centre[a][cell[a]];
    while (first < end) {
        const int m = (first + end) / 2;
        at[axis] = d->e.centre[axis][m];
        if (is_above(f, axis, at)) end = m;
        else first = m + 1;
    }
    if (first == 0 || first == n) {
        at[axis] = d->e.side[axis][first == n];
        if (is_above(f, axis, at) != (first == n)) return SF_OK; /* beyond the side */
    }
    return face_add(d, axis, first, cell);
}

static int facet_draw(struct drawing *d, const struct facet *f)
{
    int range[3][2], cell[3];
    for (int a = 0; a < 3; a++) {
        const long long x = f->corner[0][a], y = f->corner[1][a], z = f->corner[2][a];
        centres_between(d, a, SF_MIN(SF_MIN(x, y), z), SF_MAX(SF_MAX(x, y), z), &range[a][0], &range[a][1]);
    }
    for (int axis = 0; axis < 3; axis++) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        if (!f->normal[axis]) continue;
        cell[axis] = 0;
        for (cell[v] = range[v][0]; cell[v] < range[v][1]; cell[v]++)
            for (cell[u] = range[u][0]; cell[u] < range[u][1]; cell[u]++) {
                long long at[3] = {0};
                at[u] = d->e.centre[u][cell[u]], at[v] = d->e.centre[v][cell[v]];
                const int side = side_of(f->corner[0], f->corner[1], axis, at);
                if (side_of(f->corner[1], f->corner[2], axis, at) != side ||
                    side_of(f->corner[2], f->corner[0], axis, at) != side)
                    continue;
                SF_TRY(crossing_add(d, f, axis, cell, range));
            }
    }
    return SF_OK;
}

static int mesh_draw(struct drawing *d, const struct solid *s)
{
    const double most = ldexp(d->e.quantum, PLACE_BITS);
    for (int a = 0; a < 3; a++)
        SF_CHECK(
            s->mesh->high[a] - d->e.origin[a] < most && d->e.origin[a] - s->mesh->low[a] < most, SF_NAMELIST,
            "&geometry: shape(%d) reaches from %c = %.4g to %.4g m, farther from the domain than eight times its longest side, which is too far for a "
            "sheet or shell: %s",
            s->number + 1, "xyz"[a], s -> mesh -> low[a], s -> mesh -> high[a],
            s -> is_of_file ? "is stl_scale right, 1e-3 of a file in mm?" : "make it smaller, or move it nearer");
    for (int t = 0; t < s->mesh->n; t++) {
        struct facet f;
        long long along[2][3];
        for (int q = 0; q < 3; q++)
            for (int a = 0; a < 3; a++) f.corner[q][a] = whole_of(&d->e, a, s->mesh->corner[t][q][a]);
        for (int q = 0; q < 2; q++)
            for (int a = 0; a < 3; a++) along[q][a] = f.corner[q + 1][a] - f.corner[0][a];
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            f.normal[a] = (wide)along[0][b] * along[1][c] - (wide)along[0][c] * along[1][b];
        }
        SF_TRY(facet_draw(d, &f));
    }
    return SF_OK;
}

/* ---- faces around a round solid ---------------------------------------------------------------------------------- */

/* Of a line along an axis, which a round solid holds a run of, through the cell nearest to its centre: both ends. */
static int round_ends_add(struct drawing *d, const struct solid *s, int axis, int cell[3])
{
    const int nearest = solid_nearest(d->g, s, axis);
    for (int high = 0; high < 2; high++) {
        int in = nearest, out = high ? s->high[axis] : s->low[axis] - 1; /* of the box no cell beyond is held */
        cell[axis] = in;
        if (!solid_has_cell(d->g, s, cell)) return SF_OK;
        while (out - in > 1 || in - out > 1) {
            const int m = (in + out) / 2;
            cell[axis] = m;
            if (solid_has_cell(d->g, s, cell)) in = m;
            else out = m;
        }
        if (out >= 0 && out < d->g->axis[axis].n) SF_TRY(face_add(d, axis, in + high, cell)); /* at a side it goes on */
    }
    return SF_OK;
}

static int round_draw(struct drawing *d, const struct solid *s, int axis, int ends)
{
    int cell[3];
    for (int a = 0; a < 3; a++)
        if (s->low[a] >= s->high[a]) return SF_OK;
    for (int a = 0; a < 3; a++) {
        const int u = (a + 1) % 3, v = (a + 2) % 3;
        if (a == axis && !ends) continue;
        for (cell[v] = s->low[v]; cell[v] < s->high[v]; cell[v]++)
            for (cell[u] = s->low[u]; cell[u] < s->high[u]; cell[u]++) SF_TRY(round_ends_add(d, s, a, cell));
    }
    return SF_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static double face_area(const struct geometry *g, int c, const int at[3])
{
    const int u = (c + 1) % 3, v = (c + 2) % 3;
    return geometry_size(&g->axis[u], at[u]) * geometry_size(&g->axis[v], at[v]);
}

/* The four edges around each face. */
static int edges_add(struct geometry *g, const struct numbers *faces, struct shell *sh)
{
    struct numbers edges = {g->nedges, g->nedges, g->edge};
    int rc = SF_OK;
    for (size_t n = 0; n < faces->n && !rc; n++) {
        int face[3];
        const int c = number_split(g, faces->of[n], face);
        sh->drawn += face_area(g, c, face);
        for (int q = 0; q < 4 && !rc; q++) {
            const int along = (c + 1 + q % 2) % 3, across = (c + 2 - q % 2) % 3;
            int at[3] = {face[0], face[1], face[2]};
            at[across] = geometry_node(&g->axis[across], at[across] + q / 2);
            rc = number_add(&edges, number_of(g, along, at));
        }
    }
    g->edge = edges.of, g->nedges = edges.n;
    sh->faces = (long long)faces->n;
    return rc;
}

int shell_draw(struct geometry *g, const struct solid *s, int axis, int ends, struct shell *sh)
{
    struct drawing d = {.g = g};
    int rc = exact_open(&d.e, g);
    if (!rc) rc = s->mesh ? mesh_draw(&d, s) : round_draw(&d, s, axis, ends);
    d.faces.n = numbers_settle(d.faces.of, d.faces.n);
    if (!rc) rc = edges_add(g, &d.faces, sh);
    g->nedges = numbers_settle(g->edge, g->nedges);
    free(d.faces.of);
    free(d.e.centre[0]);
    return rc;
}

int shells_have_edge(const struct geometry *g, int c, const int at[3])
{
    int own[3];
    if (!g->nedges) return 0;
    for (int a = 0; a < 3; a++) own[a] = a == c ? geometry_cell(&g->axis[a], at[a]) : geometry_node(&g->axis[a], at[a]);
    const uint64_t number = number_of(g, c, own);
    const size_t n = number_find(g, number);
    return n < g->nedges && g->edge[n] == number;
}

int shells_line(const struct geometry *g, int c, int j, int k, unsigned char *mark)
{
    const struct geometry_axis *const x = &g->axis[AX], *const y = &g->axis[AY], *const z = &g->axis[AZ];
    int at[3] = {0, c == AY ? geometry_cell(y, j) : geometry_node(y, j),
                 c == AZ ? geometry_cell(z, k) : geometry_node(z, k)};
    const uint64_t first = number_of(g, c, at), end = first + (uint64_t)x->n + 1;
    size_t n = number_find(g, first);
    if (n == g->nedges || g->edge[n] >= end) return 0;
    for (int i = 0; i <= x->n; i++) mark[i] = 0;
    for (; n < g->nedges && g->edge[n] < end; n++) mark[g->edge[n] - first] = 1;
    mark[x->n] = mark[c == AX ? geometry_cell(x, x->n) : geometry_node(x, x->n)];
    return 1;
}

int shells_meet(const struct geometry *g, const int low[3], const int high[3])
{
    for (size_t n = 0; n < g->nedges; n++) {
        int at[3], meets = 1;
        const int c = number_split(g, g->edge[n], at);
        for (int a = 0; a < 3; a++) {
            const int again =
                g->axis[a].periodic && a != c && at[a] == 0 ? g->axis[a].n : at[a]; /* the first node is the last */
            meets =
                meets && ((at[a] <= high[a] && at[a] + (a == c) >= low[a]) || (again <= high[a] && again >= low[a]));
        }
        if (meets) return 1;
    }
    return 0;
}
