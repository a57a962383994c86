/* The numbers of the time series: energy and extremes.
 *
 * The energy pairs E with an H half a step older, since the state holds no other. Of a wave of frequency f that neither gains nor
 * loses it swings by sin(pi f dt) about a mean that stays, twice a period. What the scheme conserves, E(n)^2 with
 * H(n - 1/2) H(n + 1/2), takes half a step more. SPDX-License-Identifier: MIT */
#include "maxwell/own.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"
#include "pipeline/reduce.h"

#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 256 }; /* elements of a line whose energies are held at once */
enum { Q_ENERGY, Q_ELECTRIC, Q_MAGNETIC, Q_E_MAX, Q_H_MAX, Q_ALL };

const struct quantity maxwell_quantity[] = {
    {"energy", "energy of the fields, E at the entry's time, H half a step before: swings by up to sin(pi f dt) about its mean", "J"},
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

/* Half of eps or mu of each number, from its coefficients: m = dt (1 + keep) / (2 turn); 0 in a perfect conductor. NULL without memory. */
static double *halves_make(const struct coefficients *c, double dt)
{
    double *const half = malloc(((size_t)c->n + 1) * sizeof *half);
    for (int id = 0; half && id < c->n; id++) {
        const double turn = (double)c->turn[id];
        half[id] = turn > 0 ? 0.5 * (dt * (1 + (double)c->keep[id]) / (2 * turn)) : 0;
    }
    return half;
}

struct work {
    const struct maxwell *x;
    const double *part[6]; /* along x, of each component */
    const double *half[2]; /* of eps and mu, by the number of a medium */
    int maxima; /* 2, or 0 */
};

/* Elements of a line of component c, levels, and rows from j on. What lies on a far magnetic conductor is part of the domain;
 * its row goes with the last. */
static void lines_of(const struct maxwell *x, int c, int j, int *n, int *levels, int *rows)
{
    *n = x->ni + (x->ext_i && on_node(c, AX));
    *levels = x->nk + (x->ext_k && on_node(c, AZ));
    *rows = 1 + (j + 1 == x->nj && x->ext_j && on_node(c, AY));
}

/* A line of one component: its values, its parts along x, its media. */
struct energy_line {
    const real *f;
    const double *part, *half;
    const void *id; /* by bytes of one: NULL, unsigned char, unsigned short */
    int wide;
};

/* Energies of elements per area. */
static void energies_fill(const struct energy_line *l, int first, int n, double *restrict value)
{
    const real *const f = l->f + first;
    const double *const part = l->part + first, *const half = l->half;
    const unsigned char *const bytes = l->id;
    const unsigned short *const words = l->id;
    if (l->wide == 0)
        for (int i = 0; i < n; i++) value[i] = half[0] * part[i] * (double)f[i] * (double)f[i];
    else if (l->wide == 1)
        for (int i = 0; i < n; i++) value[i] = half[bytes[first + i]] * part[i] * (double)f[i] * (double)f[i];
    else
        for (int i = 0; i < n; i++) value[i] = half[words[first + i]] * part[i] * (double)f[i] * (double)f[i];
}

/* Energy of elements first .. first + n - 1 per area: the sum of reduce_tree, made block by block. */
static double line_energy(const struct energy_line *l, int first, int n)
{
    double value[BLOCK];
    if (n > BLOCK) return line_energy(l, first, n / 2) + line_energy(l, first + n / 2, n - n / 2);
    energies_fill(l, first, n, value);
    return reduce_tree(value, n);
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

/* Energies of a row, sums along a line by pairs, then upward; behind them, where they are asked for, the largest magnitudes. */
static void measure_row(const struct state *st, int j, double *out, void *ctx)
{
    const struct work *const w = ctx;
    const struct maxwell *const x = w->x;
    const struct slab *const s = &st->host.s;
    const int wide[2] = {x->e_wide, x->h_wide};
    for (int n = 0; n < 2 + w->maxima; n++) out[n] = 0;
    for (int c = 0; c < 6; c++) {
        int n, levels, rows;
        lines_of(x, c, j, &n, &levels, &rows);
        for (int row = j; row < j + rows; row++)
            for (int k = 0; k < levels; k++) {
                const double area = part_of(x, c, AY, row) * part_of(x, c, AZ, k);
                const ptrdiff_t at = (row - s->j0) * s->sj + k * s->sk;
                const struct energy_line l = {.f = s->f[c] + at, .part = w->part[c], .half = w->half[c / 3], .wide = wide[c / 3],
                                              .id = wide[c / 3] ? (const char *)s->f[F_MEX + c] + at * wide[c / 3] : NULL};
                if (w->maxima) out[2 + c / 3] = SF_MAX(out[2 + c / 3], (double)line_most(l.f, n));
                if (area > 0) out[c / 3] += area * line_energy(&l, 0, n);
            }
    }
}

/* Electric and magnetic energy, J, and, of maxima 2, not 0, the largest components of E and H. Collective. */
static int numbers_of(const struct maxwell *x, const struct state *st, int maxima, double *number)
{
    const size_t n = (size_t)x->ni + 1;
    double *const part = malloc(6 * n * sizeof *part), *const e = halves_make(&x->e, x->dt), *const h = halves_make(&x->h, x->dt);
    struct work w = {.x = x, .half = {e, h}, .maxima = maxima};
    int rc = part && e && h ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for %d cells of a line", x->ni);
    rc = outcome_share(&st->comm, rc);
    for (int c = 0; c < 6 && !rc; c++) {
        for (size_t i = 0; i < n; i++) part[(size_t)c * n + i] = part_of(x, c, AX, (int)i);
        w.part[c] = part + (size_t)c * n;
    }
    if (!rc) rc = reduce_rows(&st->comm, st, 2, maxima, measure_row, &w, number);
    free(part);
    free(e);
    free(h);
    return rc;
}

int maxwell_measure(const struct instance *in, const struct state *st, double dt, double *values, double *courant)
{
    struct maxwell_own *own = in->own;
    double number[4];
    *courant = dt / in->dt_limit; /* above 1 where the namelist allows it */
    if (!values) return SF_OK;
    SF_TRY(numbers_of(&own->ctx, st, 2, number));
    values[Q_ENERGY] = number[0] + number[1];
    values[Q_ELECTRIC] = number[0];
    values[Q_MAGNETIC] = number[1];
    values[Q_E_MAX] = number[2];
    values[Q_H_MAX] = number[3];
    return SF_OK;
}

/* s: two periods of the lowest frequency, but no less than light takes across the domain and back. */
static double quiet_wanted(const struct maxwell_own *own, const struct grid *g)
{
    const double x = grid_x(g, g->nx, 1) - grid_x(g, 0, 1), y = grid_y(g, g->ny, 1) - grid_y(g, 0, 1), z = g->top - g->z_f[0];
    const double across = 2 * __builtin_sqrt(x * x + y * y + z * z) / em_c, waves = own->lowest > 0 ? 2 / own->lowest : 0;
    return own->params.stop_probe_time > 0 ? own->params.stop_probe_time : SF_MAX(waves, across);
}

static void energy_reason(struct maxwell_own *own, double energy)
{
    snprintf(own->end_reason, sizeof own->end_reason, "the energy has fallen to %.3g of its largest, %.4g J (stop%%energy = %g)",
             energy / own->energy_peak, own->energy_peak, own->params.stop_energy);
}

static void probe_reason(struct maxwell_own *own, double quiet)
{
    snprintf(own->end_reason, sizeof own->end_reason, "|E| at every probe has stayed below %g of its largest for %.4g s (stop%%probe)",
             own->params.stop_probe, quiet);
}

int maxwell_is_over(const struct instance *in, const struct state *st, double time, int *over)
{
    struct maxwell_own *own = in->own;
    const struct maxwell_params *const p = &own->params;
    int energy_low = 0, probes_low = 0;
    *over = 0;
    if (p->stop_energy > 0) {
        double energy[2];
        SF_TRY(numbers_of(&own->ctx, st, 0, energy));
        own->energy_peak = SF_MAX(own->energy_peak, energy[0] + energy[1]);
        energy_low = own->energy_peak > 0 && energy[0] + energy[1] <= p->stop_energy * own->energy_peak;
        if (energy_low) energy_reason(own, energy[0] + energy[1]);
    }
    if (p->stop_probe > 0 && own->probes) {
        double quiet;
        SF_TRY(probes_quiet(own->probes, &st->comm, &quiet));
        probes_low = quiet > 0 && quiet >= quiet_wanted(own, in->grid);
        if (probes_low && !energy_low) probe_reason(own, quiet);
    }
    const int driven = time < sources_end(own->source, own->ctx.nsources, own->incident);
    *over = !driven && (energy_low || probes_low);
    return SF_OK;
}
