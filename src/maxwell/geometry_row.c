/* Rows of cells painted with the geometry, and what its outer faces are made of. SPDX-License-Identifier: MIT */
#include "maxwell/geometry.h"

#include "maxwell/shell.h"
#include "maxwell/wire.h"
#include "pipeline/error.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 << 20 };

/* Square of the distance from a cell's centre along one axis, 0 where the solid is not round along it. */
double solid_square(const struct geometry *g, const struct solid *s, int a, int m)
{
    if (!(s->round >> a & 1)) return 0;
    const double d = g->axis[a].centre[m] - s->centre[a];
    return d * d;
}

int solid_has_cell(const struct geometry *g, const struct solid *s, const int at[3])
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        if (at[a] < s->low[a] || at[a] >= s->high[a]) return 0;
        sum += solid_square(g, s, a, at[a]);
    }
    if (s->mesh)
        return solid_has_place(
            s, (const double[3]){g->axis[AX].centre[at[AX]], g->axis[AY].centre[at[AY]], g->axis[AZ].centre[at[AZ]]});
    return sum <= s->square;
}

/* The cell of [low, high) whose centre is nearest to the solid's: a square that falls, then grows, has its least
 * there. */
int solid_nearest(const struct geometry *g, const struct solid *s, int a)
{
    const double *const c = g->axis[a].centre;
    int low = s->low[a], high = s->high[a] - 1;
    while (low < high) {
        const int m = (low + high) / 2;
        if (s->centre[a] - c[m] <= c[m + 1] - s->centre[a]) high = m;
        else low = m + 1;
    }
    return low;
}

/* Cells i0 .. i1 - 1 at levels k0 .. k1 - 1 of row j of the domain: cell[(k - k0) stride + i - i0]. */
struct window {
    int i0, i1, k0, k1, j;
    ptrdiff_t stride;
    unsigned char *cell;
};

/* Columns of a solid that lie within its radius at a level: of squares x, (y, z) added in this order, x falls towards
 * the nearest column from either side. */
static void columns_find(const struct geometry *g, const struct solid *s, double y, double z, int nearest, int *i0,
                         int *i1)
{
    *i0 = s->low[AX], *i1 = s->high[AX];
    if ((solid_square(g, s, AX, nearest) + y) + z > s->square) *i1 = *i0;
    else if (s->round & 1) {
        for (int end = nearest; *i0 < end;) { /* the first within */
            const int m = (*i0 + end) / 2;
            if ((solid_square(g, s, AX, m) + y) + z > s->square) *i0 = m + 1;
            else end = m;
        }
        for (int from = nearest + 1; from < *i1;) { /* the first beyond */
            const int m = (from + *i1) / 2;
            if ((solid_square(g, s, AX, m) + y) + z > s->square) *i1 = m;
            else from = m + 1;
        }
    }
}

/* Where a run of columns of one medium is put. */
struct run {
    const struct window *w;
    unsigned char *line; /* column i0 of the window */
    int medium;
};

static void run_put(void *to, int low, int high)
{
    const struct run *const r = to;
    const int i0 = SF_MAX(low, r->w->i0), i1 = SF_MIN(high, r->w->i1);
    if (i0 < i1) memset(r->line + (i0 - r->w->i0), r->medium, (size_t)(i1 - i0));
}

static void mesh_paint(const struct geometry *g, const struct solid *s, const struct window *w)
{
    const int k1 = SF_MIN(w->k1, s->high[AZ]);
    for (int k = SF_MAX(w->k0, s->low[AZ]); k < k1; k++) {
        struct run r = {w, w->cell + (k - w->k0) * w->stride, s->medium};
        solid_columns(g, s, g->axis[AY].centre[w->j], g->axis[AZ].centre[k], run_put, &r);
    }
}

static void solid_paint(const struct geometry *g, const struct solid *s, const struct window *w)
{
    if (w->j < s->low[AY] || w->j >= s->high[AY] || s->low[AX] >= s->high[AX]) return;
    if (s->mesh) {
        mesh_paint(g, s, w);
        return;
    }
    const double y = solid_square(g, s, AY, w->j);
    const int nearest = solid_nearest(g, s, AX), k1 = SF_MIN(w->k1, s->high[AZ]);
    for (int k = SF_MAX(w->k0, s->low[AZ]); k < k1; k++) {
        int i0, i1;
        columns_find(g, s, y, solid_square(g, s, AZ, k), nearest, &i0, &i1);
        i0 = SF_MAX(i0, w->i0), i1 = SF_MIN(i1, w->i1);
        if (i0 < i1) memset(w->cell + (k - w->k0) * w->stride + (i0 - w->i0), s->medium, (size_t)(i1 - i0));
    }
}

/* `volume`: the file's media of this row, [k][i]; NULL: none. */
static void window_paint(const struct geometry *g, const struct window *w, const unsigned char *volume)
{
    const size_t width = (size_t)(w->i1 - w->i0);
    for (int k = w->k0; k < w->k1; k++) {
        unsigned char *const line = w->cell + (k - w->k0) * w->stride;
        if (volume) memcpy(line, volume + (ptrdiff_t)k * g->axis[AX].n + w->i0, width);
        else memset(line, g->background, width);
    }
    for (int n = 0; n < g->nsolids; n++) solid_paint(g, &g->solid[n], w);
}

/* The file's media of row j, which may lie beyond the domain. */
static const unsigned char *volume_row(const struct geometry *g, int j)
{
    if (!g->path) return NULL;
    assert(g->volume && j >= g->volume_j0 && j < g->volume_j1);
    return g->volume + (ptrdiff_t)(j - g->volume_j0) * g->axis[AX].n * g->axis[AZ].n;
}

int geometry_of_file(const struct geometry *g, int j, int k, int i)
{
    const ptrdiff_t level = geometry_cell(&g->axis[AZ], k);
    return volume_row(g, j)[level * g->axis[AX].n + geometry_cell(&g->axis[AX], i)];
}

void geometry_row(const struct geometry *g, int j, unsigned char *cell)
{
    const int ni = g->axis[AX].n, nk = g->axis[AZ].n;
    const ptrdiff_t stride = ni + 2;
    unsigned char *const first = cell + stride + 1;
    const struct window w = {.i1 = ni, .k1 = nk, .j = geometry_cell(&g->axis[AY], j), .stride = stride, .cell = first};
    window_paint(g, &w, volume_row(g, j));
    const int west = geometry_cell(&g->axis[AX], -1), east = geometry_cell(&g->axis[AX], ni);
    for (int k = 0; k < nk; k++) {
        unsigned char *const line = first + k * stride;
        line[-1] = line[west], line[ni] = line[east];
    }
    memcpy(cell, cell + (geometry_cell(&g->axis[AZ], -1) + 1) * stride, (size_t)stride);
    memcpy(cell + (nk + 1) * stride, cell + (geometry_cell(&g->axis[AZ], nk) + 1) * stride, (size_t)stride);
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

int geometry_media_used(const struct geometry *g)
{
    int n = 0;
    for (int m = 0; m < MEDIA_MAX; m++) n += g->used[m];
    return n;
}

double geometry_largest_cell(const struct geometry *g)
{
    double most = 0;
    for (int a = 0; a < 3; a++)
        for (int m = 0; m < g->axis[a].n && g->axis[a].n > 1; m++) most = SF_MAX(most, geometry_size(&g->axis[a], m));
    return most;
}

struct census {
    long long cells[FACES][MEDIA_MAX];
};

/* Count the cells of a window of row j by medium. `cell` has room for a row. */
static void cells_count(const struct geometry *g, int j, struct window w, unsigned char *cell, long long *cells)
{
    w.j = j, w.cell = cell, w.stride = w.i1 - w.i0;
    window_paint(g, &w, volume_row(g, j));
    const ptrdiff_t n = w.stride * (w.k1 - w.k0);
    for (ptrdiff_t m = 0; m < n; m++) cells[cell[m]]++;
}

static void row_count(const struct geometry *g, int j, unsigned char *cell, struct census *c)
{
    const int ni = g->axis[AX].n, nk = g->axis[AZ].n, nj = g->axis[AY].n;
    cells_count(g, j, (struct window){.i0 = 0, .i1 = 1, .k1 = nk}, cell, c->cells[FACE_W]);
    cells_count(g, j, (struct window){.i0 = ni - 1, .i1 = ni, .k1 = nk}, cell, c->cells[FACE_E]);
    cells_count(g, j, (struct window){.i1 = ni, .k0 = 0, .k1 = 1}, cell, c->cells[FACE_B]);
    cells_count(g, j, (struct window){.i1 = ni, .k0 = nk - 1, .k1 = nk}, cell, c->cells[FACE_T]);
    if (j == 0) cells_count(g, j, (struct window){.i1 = ni, .k1 = nk}, cell, c->cells[FACE_S]);
    if (j == nj - 1) cells_count(g, j, (struct window){.i1 = ni, .k1 = nk}, cell, c->cells[FACE_N]);
}

int geometry_media_of(struct geometry *g, const int low[3], const int high[3], unsigned char used[MEDIA_MAX])
{
    long long cells[MEDIA_MAX] = {0};
    const struct window w = {.i0 = low[AX], .i1 = high[AX], .k0 = low[AZ], .k1 = high[AZ]};
    unsigned char *const cell = malloc((size_t)(w.i1 - w.i0) * (size_t)(w.k1 - w.k0));
    SF_CHECK(cell, SF_MEMORY, "no memory for a row of cells");
    const int rows = geometry_rows_at_once(g);
    int rc = SF_OK;
    for (int j0 = low[AY]; j0 < high[AY] && !rc; j0 += rows) {
        const int j1 = SF_MIN(j0 + rows, high[AY]);
        rc = geometry_load(g, j0, j1);
        for (int j = j0; j < j1 && !rc; j++) cells_count(g, j, w, cell, cells);
    }
    free(cell);
    for (int n = 0; n < MEDIA_MAX; n++) used[n] = cells[n] > 0;
    return rc;
}

/* Along its axis a sheet is one node; along another the nodes that its edges reach. */
int geometry_has_sheet(const struct geometry *g, const int low[3], const int high[3])
{
    for (const struct sheet *s = g->sheet; s < g->sheet + g->nsheets; s++) {
        int meets = 1;
        for (int a = 0; a < 3; a++) {
            const int first = a == s->axis ? s->plane : s->low[a], last = a == s->axis ? s->plane : s->high[a] - 1;
            meets = meets && first <= high[a] && last >= low[a];
        }
        if (meets) return 1;
    }
    return shells_meet(g, low, high) || wires_meet(g, low, high);
}

int geometry_rows_at_once(const struct geometry *g)
{
    const long long row = (long long)g->axis[AX].n * g->axis[AZ].n;
    return g->path ? (int)SF_MAX(SF_MIN(BLOCK_BYTES / row, (long long)g->axis[AY].n), 1LL) : g->axis[AY].n;
}

static int faces_count(struct geometry *g, unsigned char *cell, struct census *c)
{
    const int nj = g->axis[AY].n, rows = geometry_rows_at_once(g);
    for (int j0 = 0; j0 < nj; j0 += rows) {
        const int j1 = SF_MIN(j0 + rows, nj);
        SF_TRY(geometry_load(g, j0, j1));
        for (int j = j0; j < j1; j++) row_count(g, j, cell, c);
    }
    return SF_OK;
}

int geometry_face_media(struct geometry *g, unsigned char used[FACES][MEDIA_MAX])
{
    struct census c = {0};
    unsigned char *const cell = malloc((size_t)g->axis[AX].n * (size_t)g->axis[AZ].n);
    SF_CHECK(cell, SF_MEMORY, "no memory for a row of cells");
    const int rc = faces_count(g, cell, &c);
    free(cell);
    SF_TRY(rc);
    for (int face = 0; face < FACES; face++)
        for (int m = 0; m < MEDIA_MAX; m++) used[face][m] = c.cells[face][m] > 0;
    return SF_OK;
}
