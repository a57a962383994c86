/* The numbers of the time series: energy and extremes. SPDX-License-Identifier: MIT */
#include "maxwell/own.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"
#include "pipeline/reduce.h"

#include <stdlib.h>

enum { Q_ENERGY, Q_ELECTRIC, Q_MAGNETIC, Q_E_MAX, Q_H_MAX, Q_ALL };

const struct quantity maxwell_quantity[] = {
    {"energy", "energy of the fields, E at the entry's time, H half a step before", "J"},
    {"energy_e", "electric energy", "J"},
    {"energy_h", "magnetic energy", "J"},
    {"e_max", "largest component of E", "V m-1"},
    {"h_max", "largest component of H", "A m-1"}};
const int maxwell_quantities = Q_ALL;

/* Part of element m along axis a that lies in the domain, m: of a cell all, of a node half a cell on each side. */
static double part_of(const struct maxwell *x, int c, int a, int m)
{
    const struct axis_lines *const l = &x->axis[a];
    if (!on_node(c, a)) return m < l->n ? l->size[m] : 0;
    const int round = x->periodic[a];
    return 0.5 * ((m > 0 || round ? l->size[m - 1] : 0) + (m < l->n ? l->size[m] : 0));
}

static unsigned id_of(const struct slab *s, const struct maxwell *x, int c, ptrdiff_t at)
{
    const int wide = c < 3 ? x->e_wide : x->h_wide;
    const void *const ids = s->f[F_MEX + c];
    return !wide ? 0 : wide == 1 ? ((const unsigned char *)ids)[at] : ((const unsigned short *)ids)[at];
}

/* eps or mu of each number, from its coefficients: m = dt (1 + keep) / (2 turn); 0 in a perfect conductor. */
static double matter_of(const struct coefficients *c, double dt, unsigned id)
{
    const double turn = (double)c->turn[id];
    return turn > 0 ? dt * (1 + (double)c->keep[id]) / (2 * turn) : 0;
}

struct work {
    const struct maxwell *x;
    const double *part[6]; /* along x, of each component */
};

/* Energies of a row: sums along a line by pairs, then upward. */
static void energy_row(const struct state *st, int j, double *out, void *ctx)
{
    const struct work *const w = ctx;
    const struct maxwell *const x = w->x;
    const struct slab *const s = &st->host.s;
    const int ni = x->ni + 1, nk = x->nk + 1, rows = j + 1 == x->nj ? 2 : 1; /* the last row has the nodes beyond it */
    double *const line = malloc((size_t)ni * sizeof *line);
    out[0] = out[1] = 0;
    for (int c = 0; c < 6 && line; c++)
        for (int row = j; row < j + rows; row++)
            for (int k = 0; k < nk; k++) {
                const double area = part_of(x, c, AY, row) * part_of(x, c, AZ, k);
                const struct coefficients *const media = c < 3 ? &x->e : &x->h;
                const int last = x->ni + (x->ext_i && on_node(c, AX));
                if (!(area > 0) || (k == x->nk && !(x->ext_k && on_node(c, AZ))) ||
                    (row == x->nj && !(x->ext_j && on_node(c, AY))))
                    continue;
                const ptrdiff_t at = (row - s->j0) * s->sj + k * s->sk;
                const real *const f = s->f[c] + at;
                const int mixed = (c < 3 ? x->e_wide : x->h_wide) > 0;
                const double whole = matter_of(media, x->dt, id_of(s, x, c, at));
                for (int i = 0; i < last; i++) {
                    const double matter = mixed ? matter_of(media, x->dt, id_of(s, x, c, at + i)) : whole;
                    line[i] = 0.5 * matter * w->part[c][i] * (double)f[i] * (double)f[i];
                }
                out[c / 3] += area * reduce_tree(line, last);
            }
    free(line);
}

/* Largest magnitude of a line: several maxima side by side, for compilers do not vectorise one. */
static real line_most(const real *restrict f, int n)
{
    enum { LANES = 16 };
    real most[LANES] = {0}, all = 0;
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) most[l] = sf_abs(f[i + l]) > most[l] ? sf_abs(f[i + l]) : most[l];
    for (; i < n; i++) all = sf_abs(f[i]) > all ? sf_abs(f[i]) : all;
    for (int l = 0; l < LANES; l++) all = most[l] > all ? most[l] : all;
    return all;
}

static void extremes_row(const struct state *st, int j, double *out, void *ctx)
{
    const struct slab *const s = &st->host.s;
    (void)ctx;
    out[0] = out[1] = 0;
    for (int c = 0; c < 6; c++)
        for (int k = 0; k < s->nk; k++)
            out[c / 3] = SF_MAX(out[c / 3], (double)line_most(s->f[c] + (j - s->j0) * s->sj + k * s->sk, s->ni));
}

/* Electric and magnetic energy, J. Collective. */
static int energy_of(const struct maxwell *x, const struct state *st, double energy[2])
{
    const size_t n = (size_t)x->ni + 1;
    double *part = malloc(6 * n * sizeof *part);
    SF_TRY(outcome_share(&st->comm, part ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for %d cells of a line", x->ni)));
    struct work w = {.x = x};
    for (int c = 0; c < 6; c++) {
        for (size_t i = 0; i < n; i++) part[(size_t)c * n + i] = part_of(x, c, AX, (int)i);
        w.part[c] = part + (size_t)c * n;
    }
    const int rc = reduce_sum(&st->comm, st, 2, energy_row, &w, energy);
    free(part);
    return rc;
}

int maxwell_measure(const struct instance *in, const struct state *st, double dt, double *values, double *courant)
{
    struct maxwell_own *own = in->own;
    double energy[2], most[2];
    /* Refused at the start where it is not stable, unless that is wanted. */
    *courant = SF_MIN(dt / in->dt_limit, 1);
    if (!values) return SF_OK;
    SF_TRY(energy_of(&own->ctx, st, energy));
    SF_TRY(reduce_max(&st->comm, st, 2, extremes_row, NULL, most));
    values[Q_ENERGY] = energy[0] + energy[1];
    values[Q_ELECTRIC] = energy[0];
    values[Q_MAGNETIC] = energy[1];
    values[Q_E_MAX] = most[0];
    values[Q_H_MAX] = most[1];
    return SF_OK;
}

/* s: two periods of the lowest frequency, but no less than light takes across the domain and back. */
static double quiet_wanted(const struct maxwell_own *own, const struct grid *g)
{
    const double x = grid_x(g, g->nx, 1) - grid_x(g, 0, 1), y = grid_y(g, g->ny, 1) - grid_y(g, 0, 1), z = g->top - g->z_f[0];
    const double across = 2 * __builtin_sqrt(x * x + y * y + z * z) / em_c, waves = own->lowest > 0 ? 2 / own->lowest : 0;
    return own->params.stop_probe_time > 0 ? own->params.stop_probe_time : SF_MAX(waves, across);
}

int maxwell_is_over(const struct instance *in, const struct state *st, double time, int *over)
{
    struct maxwell_own *own = in->own;
    const struct maxwell_params *const p = &own->params;
    int energy_low = 0, probes_low = 0;
    *over = 0;
    if (p->stop_energy > 0) {
        double energy[2];
        SF_TRY(energy_of(&own->ctx, st, energy));
        own->energy_peak = SF_MAX(own->energy_peak, energy[0] + energy[1]);
        energy_low = own->energy_peak > 0 && energy[0] + energy[1] <= p->stop_energy * own->energy_peak;
    }
    if (p->stop_probe > 0 && own->probes) {
        double quiet;
        SF_TRY(probes_quiet(own->probes, &st->comm, &quiet));
        probes_low = quiet > 0 && quiet >= quiet_wanted(own, in->grid);
    }
    const int driven = time < sources_end(own->source, own->ctx.nsources, own->incident);
    *over = !driven && (energy_low || probes_low);
    return SF_OK;
}
