/* Sums along rows and interpolation at points. SPDX-License-Identifier: MIT */
#include "io/sample.h"

#include "pipeline/error.h"

#include <stdlib.h>
#include <strings.h>
#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_thread_num(void) { return 0; }
#endif

/* Labels have no mean, maps no levels. */
static int is_shown(const struct config *c, const struct diagnostic *d)
{
    if (d->is_label || d->is_map) return 0;
    const int most = (int)(sizeof c->output_fields / sizeof c->output_fields[0]);
    int shown = d->initial != 0;
    for (int n = 0; n < most; n++) shown |= !strcasecmp(c->output_fields[n], d->name);
    return shown;
}

/* Cell and weight of position `at`, in cells from the first centre, among n centres. */
static void locate(double at, int n, int *cell, double *weight)
{
    if (!(at > 0)) at = 0;
    if (at > n - 1) at = n - 1;
    *cell = (int)at;
    *weight = at - *cell;
}

void sample_check(const struct grid *g, const struct config *c, int nprobes, struct complaints *to)
{
    static const char *const key[] = {
        "output%probe_x grid%origin_x grid%nx grid%dx", "output%probe_y grid%origin_y grid%ny grid%dy",
        "output%probe_z grid%nz grid%dz grid%stretch_ratio grid%stretch_from grid%dz_max"};
    const double low[] = {g->x0, g->y0, g->z_f[0]}, high[] = {grid_x(g, g->nx, 1), grid_y(g, g->ny, 1), g->top};
    for (int n = 0; n < nprobes; n++) {
        const double at[] = {c->output_probe_x[n], c->output_probe_y[n], c->output_probe_z[n]};
        for (int axis = 0; axis < 3; axis++) {
            const double slack = GRID_TIE * (high[axis] - low[axis]) / (double[]){g->nx, g->ny, g->nz}[axis];
            if (!(at[axis] >= low[axis] - slack && at[axis] <= high[axis] + slack))
                sf_complain(to, key[axis], n, "probe %d at %c = %g m lies outside the domain, which is from %g to %g m",
                            n + 1, "xyz"[axis], at[axis], low[axis], high[axis]);
        }
    }
}

static void probe_init(struct probe *p, const struct instance *in, int n)
{
    const struct config *c = in->config;
    const struct grid *g = in->grid;
    *p = (struct probe){.x = c->output_probe_x[n], .y = c->output_probe_y[n], .z = c->output_probe_z[n]};
    locate((p->x - g->x0) / g->dx - 0.5, g->nx, &p->i, &p->wi);
    locate((p->y - g->y0) / g->dy - 0.5, g->ny, &p->j, &p->wj);
    while (p->k < g->nz - 1 && g->z_c[p->k + 1] <= p->z) p->k++;
    if (p->z > g->z_c[p->k] && p->k < g->nz - 1) p->wk = (p->z - g->z_c[p->k]) / (g->z_c[p->k + 1] - g->z_c[p->k]);
}

int sample_shown(const struct instance *in)
{
    int n = 0;
    for (int d = 0; d < in->ndiagnostics; d++) n += is_shown(in->config, &in->diagnostic[d]);
    return n;
}

size_t sample_size(const struct instance *in, int rows, int ranks, int threads, int nprobes)
{
    const size_t shown = (size_t)sample_shown(in), levels = (size_t)in->grid->nz;
    const size_t sums = in->config->output_profiles ? (size_t)rows * shown * levels : 0,
                 picks = 2 * (size_t)ranks * (size_t)nprobes * shown;
    return (sums + picks) * sizeof(double) + (size_t)threads * levels * (size_t)in->grid->nx * sizeof(real);
}

int sample_init(struct sample *p, const struct instance *in, const struct state *st, int nprobes)
{
    const struct grid *g = in->grid;
    *p = (struct sample){.profiles = in->config->output_profiles,
                         .nprobes = nprobes,
                         .threads = SF_MAX(st->threads_most, state_threads(st))};
    p->shown = calloc((size_t)in->ndiagnostics + 1, sizeof *p->shown);
    p->probe = calloc((size_t)nprobes + 1, sizeof *p->probe);
    SF_CHECK(p->shown && p->probe, SF_MEMORY, "no memory for %d probes", nprobes);
    for (int n = 0; n < in->ndiagnostics; n++)
        if (is_shown(in->config, &in->diagnostic[n])) p->shown[p->nshown++] = &in->diagnostic[n];
    for (int n = 0; n < nprobes; n++) probe_init(&p->probe[n], in, n);

    const size_t shown = (size_t)p->nshown, ranks = st->comm.rank == 0 ? (size_t)st->comm.size : 1;
    const size_t rows = (size_t)(st->comm.rank == 0 ? g->ny : st->jb - st->ja);
    p->sum = malloc((p->profiles ? rows * shown * (size_t)g->nz : 0) * sizeof(double) + 1);
    p->pick = calloc(ranks * (size_t)nprobes * 2 * shown + 1, sizeof(double));
    p->scratch = malloc((size_t)p->threads * (size_t)g->nz * (size_t)g->nx * sizeof(real));
    p->bytes = malloc((size_t)st->comm.size * sizeof *p->bytes);
    SF_CHECK(p->sum && p->pick && p->scratch && p->bytes, SF_MEMORY, "no memory for profiles and probes");
    return SF_OK;
}

void sample_free(struct sample *p)
{
    free(p->shown);
    free(p->probe);
    free(p->sum);
    free(p->pick);
    free(p->scratch);
    free(p->bytes);
    *p = (struct sample){0};
}

/* The second value counts only where it weighs something: it may be of a cell that does not exist. */
static double blend(const double a[2], double weight)
{
    return weight > 0 ? (1 - weight) * a[0] + weight * a[1] : a[0];
}

static double pick_point(const struct probe *p, const real *row, int ni)
{
    double level[2] = {0};
    for (int m = 0; m <= (p->wk > 0); m++) {
        const real *at = row + (ptrdiff_t)(p->k + m) * ni + p->i;
        const double pair[2] = {at[0], p->wi > 0 ? at[1] : at[0]};
        level[m] = blend(pair, p->wi);
    }
    return blend(level, p->wk);
}

/* In double, several sums side by side: one alone waits for itself. */
static double line_sum(const real *x, int n)
{
    enum { LANES = 8 };
    double lane[LANES] = {0}, sum = 0;
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) lane[l] += (double)x[i + l];
    for (; i < n; i++) sum += (double)x[i];
    for (int l = 0; l < LANES; l++) sum += lane[l];
    return sum;
}

static void sample_row(const struct sample *p, const struct state *st, int j, real *row)
{
    const int ni = st->grid->nx, nk = st->grid->nz;
    int wanted = p->profiles;
    for (int n = 0; n < p->nprobes; n++) wanted |= p->probe[n].j == j || p->probe[n].j + 1 == j;
    if (!wanted) return;
    for (int d = 0; d < p->nshown; d++) {
        p->shown[d]->row(&st->host.s, st->in->ctx, j, row);
        double *sum = p->sum + ((ptrdiff_t)(j - st->ja) * p->nshown + d) * nk;
        for (int k = 0; p->profiles && k < nk; k++) sum[k] = line_sum(row + (ptrdiff_t)k * ni, ni);
        for (int n = 0; n < p->nprobes; n++) {
            const int side = j - p->probe[n].j;
            if (side == 0 || side == 1) p->pick[(n * 2 + side) * p->nshown + d] = pick_point(&p->probe[n], row, ni);
        }
    }
}

static int means_gather(const struct sample *p, const struct state *st, double *mean)
{
    const struct comm *c = &st->comm;
    const struct grid *g = st->grid;
    const ptrdiff_t row = (ptrdiff_t)p->nshown * g->nz;
    for (int r = 0; r < c->size; r++) {
        int ja, jb;
        comm_rows(c, g->ny, r, &ja, &jb);
        p->bytes[r] = (size_t)(jb - ja) * (size_t)row * sizeof(double);
    }
    SF_TRY(comm_gather(c, p->sum, p->sum, p->bytes));
    if (c->rank) return SF_OK;
    for (ptrdiff_t n = 0; n < row; n++) {
        double s = 0;
        for (int j = 0; j < g->ny; j++) s += p->sum[j * row + n];
        mean[n] = s / ((double)g->nx * g->ny);
    }
    return SF_OK;
}

static int points_gather(const struct sample *p, const struct state *st, double *point)
{
    const struct comm *c = &st->comm;
    const int ny = st->grid->ny;
    const size_t each = (size_t)p->nprobes * 2 * (size_t)p->nshown;
    for (int r = 0; r < c->size; r++) p->bytes[r] = each * sizeof(double);
    SF_TRY(comm_gather(c, p->pick, p->pick, p->bytes));
    if (c->rank) return SF_OK;
    for (int n = 0; n < p->nprobes; n++) {
        const struct probe *q = &p->probe[n];
        const double *low = p->pick + (size_t)comm_owner(c, ny, q->j) * each;
        const double *high = q->wj > 0 ? p->pick + (size_t)comm_owner(c, ny, q->j + 1) * each : low;
        for (int d = 0; d < p->nshown; d++) {
            const double pair[2] = {low[(n * 2) * p->nshown + d], high[(n * 2 + 1) * p->nshown + d]};
            point[d * p->nprobes + n] = blend(pair, q->wj);
        }
    }
    return SF_OK;
}

int sample_take(const struct sample *p, const struct state *st, double *mean, double *point)
{
    const ptrdiff_t cells = (ptrdiff_t)st->grid->nz * st->grid->nx;
#pragma omp parallel for schedule(static) num_threads(SF_MIN(p->threads, state_threads(st)))
    for (int j = st->ja; j < st->jb; j++) sample_row(p, st, j, p->scratch + omp_get_thread_num() * cells);
    if (p->profiles) SF_TRY(means_gather(p, st, mean));
    return p->nprobes ? points_gather(p, st, point) : SF_OK;
}
