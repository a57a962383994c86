/* Surfaces of triangles: bins, lines, and whether they are closed. SPDX-License-Identifier: MIT */
#include "maxwell/mesh.h"

#include "pipeline/error.h"
#include "pipeline/sferic.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { BINS_MOST = 512 };

/* ---- closed? ----------------------------------------------------------------------------------------------------- */

static int corner_order(const double *a, const double *b)
{
    for (int q = 0; q < 3; q++)
        if (a[q] < b[q] || a[q] > b[q]) return a[q] < b[q] ? -1 : 1;
    return 0;
}

struct edge {
    const double *end[2]; /* in their order */
    int way; /* of the triangle along it: 1, or -1 */
};

static int edge_order(const void *a, const void *b)
{
    const struct edge *const x = a, *const y = b;
    const int first = corner_order(x->end[0], y->end[0]);
    return first ? first : corner_order(x->end[1], y->end[1]);
}

/* Every edge is shared by two triangles, or an even number, else `alone` counts it, the first at *where. Those of no
 * length are none. And are triangles turned alike? */
static int edges_look(struct mesh *m, size_t *alone, const double **where)
{
    struct edge *const edge = malloc(3 * (size_t)m->n * sizeof *edge);
    size_t n = 0;
    *alone = 0;
    SF_CHECK(edge, SF_MEMORY, "no memory for the edges of %d triangles", m->n);
    for (int t = 0; t < m->n; t++)
        for (int q = 0; q < 3; q++) {
            const double *const a = m->corner[t][q], *const b = m->corner[t][(q + 1) % 3];
            const int order = corner_order(a, b);
            if (order) edge[n++] = order < 0 ? (struct edge){{a, b}, 1} : (struct edge){{b, a}, -1};
        }
    qsort(edge, n, sizeof *edge, edge_order);
    m->is_turned_alike = 1;
    for (size_t first = 0, end; first < n; first = end) {
        int ways = edge[first].way;
        for (end = first + 1; end < n && !edge_order(&edge[first], &edge[end]);) ways += edge[end++].way;
        m->is_turned_alike &= ways == 0;
        if ((end - first) % 2 && !(*alone)++) *where = edge[first].end[0];
    }
    free(edge);
    m->is_closed = *alone == 0;
    return SF_OK;
}

static int closed_check(struct mesh *m, const char *what)
{
    size_t alone;
    const double *where = NULL;
    SF_TRY(edges_look(m, &alone, &where));
    SF_CHECK(
        !alone, SF_INPUT,
        "%s is not closed: %zu edges belong to one triangle alone, the first at (%.6g, %.6g, %.6g) m; a solid needs a surface without gaps",
        what, alone, where[0], where[1], where[2]);
    return SF_OK;
}

/* ---- bins -------------------------------------------------------------------------------------------------------- */

static double least_of(const double t[3][3], int a) { return SF_MIN(SF_MIN(t[0][a], t[1][a]), t[2][a]); }
static double most_of(const double t[3][3], int a) { return SF_MAX(SF_MAX(t[0][a], t[1][a]), t[2][a]); }

static int bin_of(const struct mesh_bins *b, int d, double at)
{
    const double u = (at - b->low[d]) / b->size[d];
    return u <= 0 ? 0 : u >= b->n[d] - 1 ? b->n[d] - 1 : (int)u;
}

/* Bins that a triangle touches. */
static void bins_of(const struct mesh_bins *b, int axis, const double t[3][3], int low[2], int high[2])
{
    for (int d = 0; d < 2; d++) {
        const int a = (axis + 1 + d) % 3;
        low[d] = bin_of(b, d, least_of(t, a)), high[d] = bin_of(b, d, most_of(t, a));
    }
}

static int bins_make(struct mesh *m, int axis)
{
    struct mesh_bins *const b = &m->bins[axis];
    const int each = SF_MIN(BINS_MOST, 1 + (int)__builtin_sqrt(m->n));
    int low[2], high[2];
    for (int d = 0; d < 2; d++) {
        const int a = (axis + 1 + d) % 3;
        b->n[d] = each, b->low[d] = m->low[a], b->size[d] = (m->high[a] - m->low[a]) / each;
    }
    b->first = calloc((size_t)each * (size_t)each + 2, sizeof *b->first);
    SF_CHECK(b->first, SF_MEMORY, "no memory for the bins of %d triangles", m->n);
    for (int pass = 0; pass < 2; pass++) { /* count, then put: behind it first[] has moved to where it belongs */
        for (int t = 0; t < m->n; t++) {
            bins_of(b, axis, (const double(*)[3])m->corner[t], low, high);
            for (int v = low[1]; v <= high[1]; v++)
                for (int u = low[0]; u <= high[0]; u++) {
                    int *const at = &b->first[v * each + u + (pass ? 1 : 2)];
                    if (pass) b->list[*at] = t;
                    ++*at;
                }
        }
        for (int q = 2; !pass && q < each * each + 2; q++) {
            SF_CHECK(b->first[q] <= INT_MAX - b->first[q - 1], SF_MEMORY, "no room for the bins of %d triangles", m->n);
            b->first[q] += b->first[q - 1];
        }
        if (!pass) b->list = malloc((size_t)b->first[each * each + 1] * sizeof *b->list + 1);
        SF_CHECK(b->list, SF_MEMORY, "no memory for the bins of %d triangles", m->n);
    }
    return SF_OK;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static double volume_of(const double t[3][3])
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        sum += t[0][a] * (t[1][b] * t[2][c] - t[1][c] * t[2][b]);
    }
    return sum / 6;
}

static double area_of(const double t[3][3])
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        const double twice = (t[1][b] - t[0][b]) * (t[2][c] - t[0][c]) - (t[1][c] - t[0][c]) * (t[2][b] - t[0][b]);
        sum += twice * twice;
    }
    return 0.5 * __builtin_sqrt(sum);
}

static void extents_fill(struct mesh *m)
{
    for (int a = 0; a < 3; a++) {
        m->low[a] = m->high[a] = m->corner[0][0][a];
        for (int t = 0; t < m->n; t++) {
            m->low[a] = SF_MIN(m->low[a], least_of((const double(*)[3])m->corner[t], a));
            m->high[a] = SF_MAX(m->high[a], most_of((const double(*)[3])m->corner[t], a));
        }
    }
    for (int t = 0; t < m->n; t++) m->area += area_of((const double(*)[3])m->corner[t]);
}

static int mesh_fill(struct mesh *m, const char *what)
{
    extents_fill(m);
    for (int a = 0; a < 3; a++)
        SF_CHECK(m->high[a] > m->low[a], SF_INPUT, "%s is flat: it has no extent along %c", what, "xyz"[a]);
    for (int t = 0; t < m->n; t++) m->volume += volume_of((const double(*)[3])m->corner[t]);
    m->volume = __builtin_fabs(m->volume);
    SF_TRY(closed_check(m, what));
    for (int a = 0; a < 3; a++) SF_TRY(bins_make(m, a));
    return SF_OK;
}

static int mesh_take(struct mesh **out, double (*corner)[3][3], int n, const char *what)
{
    *out = calloc(1, sizeof **out);
    if (*out) (*out)->n = n, (*out)->corner = corner;
    else free(corner);
    SF_CHECK(*out, SF_MEMORY, "no memory for %s", what);
    return SF_OK;
}

int mesh_surface(struct mesh **out, double (*corner)[3][3], int n, const char *what)
{
    size_t alone;
    const double *where;
    SF_TRY(mesh_take(out, corner, n, what));
    extents_fill(*out);
    int rc = edges_look(*out, &alone, &where);
    if (!rc && !((*out)->area > 0)) rc = sf_fail(SF_INPUT, __FILE__, __LINE__, "%s has no area", what);
    if (rc) mesh_free(*out), *out = NULL;
    return rc;
}

int mesh_make(struct mesh **out, double (*corner)[3][3], int n, const char *what)
{
    SF_TRY(mesh_take(out, corner, n, what));
    struct mesh *const m = *out;
    int rc = SF_OK;
    if (n < 4) rc = sf_fail(SF_INPUT, __FILE__, __LINE__, "%s has %d triangles: a solid has four at least", what, n);
    if (!rc) rc = mesh_fill(m, what);
    if (rc) mesh_free(m), *out = NULL;
    return rc;
}

void mesh_free(struct mesh *m)
{
    if (!m) return;
    for (int a = 0; a < 3; a++) free(m->bins[a].first), free(m->bins[a].list);
    free(m->corner);
    free(m);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Twice the area that an edge and the line span, seen along the axis, and on which side the line lies: never 0 but for
 * an edge that is a point there. */
static int side_of_edge(const double *a, const double *b, int u, int v, const double at[3], double *area)
{
    const int swapped = corner_order(a, b) > 0;
    const double *const p = swapped ? b : a, *const q = swapped ? a : b;
    const double du = q[u] - p[u], dv = q[v] - p[v], twice = du * (at[v] - p[v]) - dv * (at[u] - p[u]);
    int side = twice > 0 ? 1 : twice < 0 ? -1 : dv < 0 ? 1 : dv > 0 ? -1 : du > 0 ? 1 : du < 0 ? -1 : 0;
    *area = swapped ? -twice : twice;
    return swapped ? -side : side;
}

/* Not 0: the line crosses the triangle, at *place, and on which side of its edges it lies. */
static int triangle_meets(const double t[3][3], int axis, const double at[3], double *place)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double area[3];
    int side = 0;
    for (int q = 0; q < 3; q++) {
        const int one = side_of_edge(t[(q + 1) % 3], t[(q + 2) % 3], u, v, at, &area[q]);
        if (!one || (q && one != side)) return 0;
        side = one;
    }
    const double all = area[0] + area[1] + area[2];
    *place = __builtin_fabs(all) > 0 ? (area[0] * t[0][axis] + area[1] * t[1][axis] + area[2] * t[2][axis]) / all
                                     : t[0][axis];
    return side;
}

/* Crossings in their order, and the side of each; returns how many, and *sides, their sum. */
static int crossings_find(const struct mesh *m, int axis, const double at[3], double *to, signed char *side, int *sides)
{
    const struct mesh_bins *const b = &m->bins[axis];
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    *sides = 0;
    if (at[u] < m->low[u] || at[u] > m->high[u] || at[v] < m->low[v] || at[v] > m->high[v]) return 0;
    const int bin = bin_of(b, 1, at[v]) * b->n[0] + bin_of(b, 0, at[u]);
    int n = 0;
    for (int q = b->first[bin]; q < b->first[bin + 1]; q++) {
        double place;
        const int one = triangle_meets((const double(*)[3])m->corner[b->list[q]], axis, at, &place);
        if (!one || n == MESH_MOST) continue;
        int e = n++;
        for (; e > 0 && to[e - 1] > place; e--) to[e] = to[e - 1], side[e] = side[e - 1];
        to[e] = place, side[e] = (signed char)one;
        *sides += one;
    }
    return n;
}

/* Of crossings those where what is counted begins to be other than 0, or ends to be. */
static int ends_keep(const struct mesh *m, double *to, const signed char *side, int n)
{
    int kept = 0, within = 0;
    for (int q = 0; q < n; q++) {
        const int before = within;
        within = m->is_turned_alike ? within + side[q] : !within;
        if (!before != !within) to[kept++] = to[q];
    }
    return kept - kept % 2;
}

/* Sides that do not cancel, or an odd number of crossings, are round-off's where the line passes a corner: it is moved
 * by less than anyone means. */
int mesh_line(const struct mesh *m, int axis, const double at[3], double *to)
{
    double moved[3] = {at[0], at[1], at[2]};
    signed char side[MESH_MOST];
    int sides, n = crossings_find(m, axis, moved, to, side, &sides);
    for (int again = 1; (n % 2 || (m->is_turned_alike && sides)) && again < 8; again++) {
        for (int a = 0; a < 3; a++) moved[a] = at[a] + again * 1e-12 * (m->high[a] - m->low[a]);
        n = crossings_find(m, axis, moved, to, side, &sides);
    }
    return ends_keep(m, to, side, n);
}

void mesh_reach(const struct mesh *m, const double low[3], const double high[3],
                void (*see)(void *to, double from, double until), void *to)
{
    const struct mesh_bins *const b = &m->bins[0];
    for (int a = 1; a < 3; a++)
        if (low[a] > m->high[a] || high[a] < m->low[a]) return;
    for (int v = bin_of(b, 1, low[2]); v <= bin_of(b, 1, high[2]); v++)
        for (int u = bin_of(b, 0, low[1]); u <= bin_of(b, 0, high[1]); u++)
            for (int q = b->first[v * b->n[0] + u]; q < b->first[v * b->n[0] + u + 1]; q++) {
                const double(*const t)[3] = (const double(*)[3])m->corner[b->list[q]];
                int meets = 1;
                for (int a = 1; a < 3; a++) meets &= least_of(t, a) <= high[a] && most_of(t, a) >= low[a];
                if (meets) see(to, least_of(t, 0), most_of(t, 0));
            }
}
