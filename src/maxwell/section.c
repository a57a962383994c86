/* Cross-sections of lines. SPDX-License-Identifier: MIT */
#include "maxwell/section.h"

#include "maxwell/paint.h"
#include "maxwell/place.h"
#include "pipeline/error.h"

#include <stdlib.h>
#include <string.h>

/* ---- one row ----------------------------------------------------------------------------------------------------- */

/* Numbers of mixtures of all components in a row. */
struct row {
    struct paint paint;
    const struct media *m;
    void *id[6];
    ptrdiff_t line; /* columns */
};

static struct paint_means means_at(const struct row *r, int component, const int at[3])
{
    const int is_h = component >= 3, wide = r->paint.wide[is_h];
    const unsigned number = wide ? id_at(r->id[component], at[AZ] * r->line + at[AX], wide) : 0;
    return paint_means(&r->paint, r->m, is_h, (int)number);
}

/* Does an edge or node lie on a side of the domain that conducts? Only its axes across count that it lies on. */
static int on_side(const struct section *s, const struct geometry *g, const struct maxwell_params *p, int except,
                   const int at[3])
{
    int on = 0;
    for (int a = 0; a < 3; a++)
        for (int high = 0; high < 2 && a != s->axis && a != except; high++)
            on |= at[a] == (high ? g->axis[a].n : 0) && side_of(p, a, high) != EM_PMC && !g->axis[a].periodic;
    return on;
}

static void node_take(struct section *s, const struct row *r, const struct geometry *g, const struct maxwell_params *p,
                      const int at[3])
{
    const int a = s->axis, b = (a + 1) % 3, c = (a + 2) % 3;
    struct section_node *const n = &s->node[(at[c] - s->low[c]) * s->wide + at[b] - s->low[b]];
    const struct paint_means cell = means_at(r, 3 + a, at);
    n->conducts = means_at(r, a, at).conducts || on_side(s, g, p, a, at);
    n->cell_conducts = cell.conducts, n->cell_area = cell.open, n->cell_mu = cell.inertia;
    for (int which = 0; which < 2; which++) {
        const int along = which ? c : b;
        const struct paint_means e = means_at(r, along, at), h = means_at(r, 3 + (which ? b : c), at);
        n->edge[which] = (struct section_edge){.conducts = e.conducts || on_side(s, g, p, along, at),
                                               .epsilon = e.inertia,
                                               .open = e.open,
                                               .mu = h.inertia,
                                               .area = h.open,
                                               .face_conducts = h.conducts,
                                               .loses = e.loss > 0 || h.loss > 0,
                                               .has_poles = e.has_poles,
                                               .has_load = e.has_load};
    }
}

static int row_take(struct section *s, struct row *r, struct geometry *g, const struct maxwell_params *p, int j)
{
    int at[3] = {0, j, 0};
    SF_TRY(paint_rows(&r->paint, g, j, j + 1, r->id, 0, r->line));
    for (at[AZ] = s->low[AZ]; at[AZ] <= s->high[AZ]; at[AZ]++)
        for (at[AX] = s->low[AX]; at[AX] <= s->high[AX]; at[AX]++) node_take(s, r, g, p, at);
    return SF_OK;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int rows_take(struct section *s, struct row *r, struct geometry *g, const struct maxwell_params *p)
{
    const size_t all = (size_t)r->line * ((size_t)g->axis[AZ].n + 1) * 2;
    unsigned char *const memory = malloc(6 * all);
    int rc = memory ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for a row of media");
    for (int c = 0; c < 6; c++) r->id[c] = memory && r->paint.wide[c / 3] ? memory + (size_t)c * all : NULL;
    for (int j = s->low[AY]; j <= s->high[AY] && !rc; j++) rc = row_take(s, r, g, p, j);
    free(memory);
    return rc;
}

int section_take(struct section *s, struct geometry *g, const struct media *m, const struct maxwell_params *p, int axis,
                 const int low[3], const int high[3], int plane)
{
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    *s = (struct section){.axis = axis, .wide = high[b] - low[b] + 1, .lines = high[c] - low[c] + 1};
    memcpy(s->low, low, sizeof s->low), memcpy(s->high, high, sizeof s->high);
    s->low[axis] = s->high[axis] = plane;
    s->node = calloc((size_t)s->wide * (size_t)s->lines, sizeof *s->node);
    SF_CHECK(s->node, SF_MEMORY, "no memory for a cross-section of %d x %d nodes", s->wide, s->lines);
    struct row r = {.m = m, .line = g->axis[AX].n + 1};
    SF_TRY(paint_init(&r.paint, g, m));
    const int rc = rows_take(s, &r, g, p);
    paint_free(&r.paint);
    return rc;
}

void section_free(struct section *s)
{
    free(s->node);
    s->node = NULL;
}

static int same(double a, double b) { return __builtin_fabs(a - b) <= 1e-3 * __builtin_fabs(a + b); }

static int edges_same(const struct section_edge *a, const struct section_edge *b)
{
    return a->conducts == b->conducts && a->face_conducts == b->face_conducts && a->has_load == b->has_load &&
           (a->conducts || (same(a->epsilon, b->epsilon) && same(a->open, b->open))) &&
           (a->face_conducts || (same(a->mu, b->mu) && same(a->area, b->area)));
}

int section_same(const struct section *a, const struct section *b)
{
    int is = a->wide == b->wide && a->lines == b->lines;
    for (int n = 0; n < a->wide * a->lines && is; n++) {
        const int x = n % a->wide, y = n / a->wide;
        is = a->node[n].conducts == b->node[n].conducts;
        for (int which = 0; which < 2 && is; which++)
            if (which ? y < a->lines - 1 : x < a->wide - 1)
                is = edges_same(&a->node[n].edge[which], &b->node[n].edge[which]);
    }
    return is;
}
