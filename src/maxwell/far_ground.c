/* Layers around the box of a far field: found beside it, and what they are at a frequency.
 * SPDX-License-Identifier: MIT */
#include "maxwell/monitor_far.h"

#include "maxwell/geometry.h"
#include "maxwell/place.h"
#include "pipeline/error.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* ---- finding ----------------------------------------------------------------------------------------------------- */

/* The column beside the corner of the box, within the domain. */
static void column_of(const struct far_monitor *f, int at[2])
{
    for (int a = 0; a < 2; a++) at[a] = f->low[a] > 0 ? f->low[a] - 1 : f->high[a];
}

/* Of row j what lies beside the box, below it or above it is of one medium level by level: that of the column. */
static int row_check(const struct far_monitor *f, const struct geometry *g, int j, const unsigned char *cell,
                     const unsigned char *level)
{
    const int first = SF_MAX(f->low[AX] - 1, 0), last = SF_MIN(f->high[AX], g->axis[AX].n - 1);
    const int beside = j < f->low[AY] || j >= f->high[AY];
    for (int k = 0; k < g->axis[AZ].n; k++)
        for (int i = first; i <= last; i++) {
            const int within = !beside && i >= f->low[AX] && i < f->high[AX] && k >= f->low[AZ] && k < f->high[AZ];
            SF_CHECK(
                within || cell[(ptrdiff_t)(k + 1) * (g->axis[AX].n + 2) + i + 1] == level[k], SF_NAMELIST,
                "%s and around its box there are several media at z = %.6g m: layers are of one medium each beside, "
                "below and above the box; let the box hold all that is not",
                f->layers_of, g->axis[AZ].centre[k]);
        }
    return SF_OK;
}

static int rows_check(const struct far_monitor *f, struct geometry *g)
{
    const int levels = g->axis[AZ].n, line = g->axis[AX].n + 2;
    unsigned char *const memory = malloc((size_t)line * ((size_t)levels + 2) + (size_t)levels), *const level = memory;
    SF_CHECK(memory, SF_MEMORY, "no memory for a row of media");
    unsigned char *const cell = memory + levels;
    int at[2], rc = SF_OK;
    column_of(f, at);
    for (int pass = 0; pass < 2; pass++) { /* the column; then all rows */
        const int from = pass ? SF_MAX(f->low[AY] - 1, 0) : at[AY],
                  to = pass ? SF_MIN(f->high[AY], g->axis[AY].n - 1) : at[AY];
        for (int j = from; j <= to && !rc; j++) {
            rc = geometry_load(g, j, j + 1);
            if (!rc) geometry_row(g, j, cell);
            for (int k = 0; k < levels && !pass; k++) level[k] = cell[(ptrdiff_t)(k + 1) * line + at[AX] + 1];
            if (!rc && pass) rc = row_check(f, g, j, cell, level);
        }
    }
    free(memory);
    return rc;
}

/* Numbers up the column: of Ex and Hz at nodes, of Ez and Hx in cells. */
static int numbers_take(struct far_ground *q, struct geometry *g, const int column[2])
{
    static const int component[2][2] = {{0, 2}, {5, 3}};
    const ptrdiff_t line = g->axis[AX].n + 1;
    const size_t all = (size_t)line * ((size_t)q->n + 1) * 2;
    unsigned char *const memory = malloc(4 * all);
    SF_CHECK(memory, SF_MEMORY, "no memory for a row of media");
    void *id[6] = {NULL};
    for (int n = 0; n < 4; n++)
        if (q->paint.wide[n / 2]) id[component[n / 2][n % 2]] = memory + (size_t)n * all;
    const int rc = paint_rows(&q->paint, g, column[AY], column[AY] + 1, id, 0, line);
    for (int n = 0; n < 4 && !rc; n++)
        for (int k = 0; k <= q->n; k++) {
            const int wide = q->paint.wide[n / 2];
            q->number[n / 2][n % 2][k] = wide ? id_at(id[component[n / 2][n % 2]], k * line + column[AX], wide) : 0;
        }
    free(memory);
    return rc;
}

static int ground_fill(struct far_monitor *f, struct geometry *g, const struct maxwell_params *p)
{
    struct far_ground *const q = f->ground;
    int column[2], used = 0;
    column_of(f, column);
    SF_TRY(numbers_take(q, g, column));
    for (int k = 0; k <= q->n; k++) q->node[k] = g->axis[AZ].node[k];
    const int bottom = side_of(p, AZ, 0);
    q->floor = bottom == EM_PEC ? FAR_ELECTRIC : bottom == EM_PMC ? FAR_MAGNETIC : FAR_NO_IMAGE;
    for (int k = 0; k <= q->n; k++)
        if (paint_means(&q->paint, q->media, 0, (int)q->number[0][0][k]).conducts)
            q->first = k, q->floor = FAR_ELECTRIC;
    SF_CHECK(q->first < f->high[AZ], SF_NAMELIST,
             "%s and a conductor lies above or beside its box: nothing comes from above, or goes there", f->layers_of);
    for (int end = 0; end < 2; end++) {
        const int k = end ? q->n - 1 : q->first;
        const struct paint_means e = paint_means(&q->paint, q->media, 0, (int)q->number[0][1][k]),
                                 h = paint_means(&q->paint, q->media, 1, (int)q->number[1][1][k]);
        used = !(e.loss > 0) && !(h.loss > 0) && !e.has_poles;
        SF_CHECK(used || !end, SF_NAMELIST,
                 "%s and the highest layer has losses or poles: far fields and plane waves are of a medium without",
                 f->layers_of);
        if (end) f->epsilon = e.inertia, f->mu = h.inertia;
        else q->has_below = q->floor == FAR_NO_IMAGE && used;
    }
    f->size[AZ] = q->node[q->n] - q->node[q->n - 1];
    return SF_OK;
}

int far_ground_make(struct far_monitor *f, struct geometry *g, const struct media *media,
                    const struct maxwell_params *p)
{
    const size_t n = (size_t)g->axis[AZ].n + 1;
    struct far_ground *const q = f->ground = calloc(1, sizeof *q);
    SF_CHECK(q, SF_MEMORY, "no memory for layers");
    q->media = media, q->n = g->axis[AZ].n;
    q->node = malloc(n * sizeof *q->node);
    int good = q->node != NULL;
    for (int m = 0; m < 4; m++) good &= (q->number[m / 2][m % 2] = calloc(n, sizeof **q->number[0])) != NULL;
    SF_CHECK(good, SF_MEMORY, "no memory for %zu levels", n);
    SF_TRY(rows_check(f, g));
    SF_TRY(paint_init(&q->paint, g, media));
    return ground_fill(f, g, p);
}

void far_ground_free(struct far_ground *g)
{
    if (!g) return;
    for (int m = 0; m < 4; m++) free(g->number[m / 2][m % 2]);
    free(g->node);
    paint_free(&g->paint);
    free(g);
}

/* ---- at a frequency ---------------------------------------------------------------------------------------------- */

static struct far_wave wave_below(const struct far_monitor *f, int at)
{
    const struct far_ground *const q = f->ground;
    const double epsilon = paint_means(&q->paint, q->media, 0, (int)q->number[0][1][q->first]).inertia,
                 mu = paint_means(&q->paint, q->media, 1, (int)q->number[1][1][q->first]).inertia;
    return (struct far_wave){.omega = 2 * pi * f->all->frequency[at],
                             .dt = f->all->dt,
                             .speed = em_c / __builtin_sqrt(epsilon * mu),
                             .impedance = em_eta0 * __builtin_sqrt(mu / epsilon),
                             .mu = em_mu0 * mu,
                             .size = {f->size[0], f->size[1], q->node[q->first + 1] - q->node[q->first]}};
}

int far_ground_at(const struct far_ground *q, double frequency, double dt, struct far_stack *to,
                  double complex **memory)
{
    const size_t n = (size_t)(q->n - q->first) + 1;
    double complex *const values = *memory = malloc(4 * n * sizeof *values);
    SF_CHECK(values, SF_MEMORY, "no memory for %zu levels", n);
    for (int m = 0; m < 4; m++)
        for (size_t k = 0; k < n; k++) {
            double value[2];
            paint_stepped(&q->paint, q->media, m / 2, (int)q->number[m / 2][m % 2][(size_t)q->first + k], frequency, dt,
                          value);
            values[(size_t)m * n + k] = value[0] - I * value[1];
        }
    *to = (struct far_stack){.n = q->n - q->first,
                             .node = q->node + q->first,
                             .epsilon = {values, values + n},
                             .mu = {values + 2 * n, values + 3 * n},
                             .floor = q->floor,
                             .has_below = q->has_below};
    return SF_OK;
}

int far_ground_stack(const struct far_monitor *f, int at, struct far_stack *to, double complex **memory)
{
    SF_TRY(far_ground_at(f->ground, f->all->frequency[at], f->all->dt, to, memory));
    to->below = wave_below(f, at);
    return SF_OK;
}
