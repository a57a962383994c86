/* The numbers of the time series: energy and extremes.
 *
 * The energy pairs E with an H half a step older, since the state holds no other. Of a wave of frequency f that neither
 * gains nor loses it swings by sin(pi f dt) about a mean that stays, twice a period. What the scheme conserves, E(n)^2
 * with H(n - 1/2) H(n + 1/2), takes half a step more. SPDX-License-Identifier: MIT */
#include "maxwell/own.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"
#include "pipeline/reduce.h"
#include "pipeline/tables.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 256 }; /* elements of a line whose energies are held at once */
enum { Q_ENERGY, Q_ELECTRIC, Q_MAGNETIC, Q_E_MAX, Q_H_MAX, Q_POLES, Q_ALL };

const struct quantity maxwell_quantity[] = {
    {"energy",
     "energy of the fields, E at the entry's time, H half a step before: swings by up to sin(pi f dt) about its mean",
     "J"},
    {"energy_e", "electric energy", "J"},
    {"energy_h", "magnetic energy", "J"},
    {"e_max", "largest component of E", "V m-1"},
    {"h_max", "largest component of H", "A m-1"},
    {"energy_poles",
     "energy that the poles of media hold, beside that of the fields; of pairs and critical points none", "J"}};
const int maxwell_quantities = Q_ALL;

/* Part of cell m or, of node 1, of node m along axis a that lies in the domain, m: of a cell all, of a node half a cell
 * on each side. */
static double part_of(const struct maxwell *x, int node, int a, int m)
{
    const struct axis_lines *const l = &x->axis[a];
    if (!node) return m < l->n ? l->size[m] : 0;
    const int round = x->periodic[a];
    return 0.5 * ((m > 0 || round ? l->size[m - 1] : 0) + (m < l->n ? l->size[m] : 0));
}

/* Half of eps or mu of each number, from its coefficients: m = dt (1 + keep) / (2 turn); 0 in a perfect conductor. Of
 * what has poles eps is that above all of them: what these hold is not of the fields. */
static void halves_make(double *half, const struct coefficients *c, double dt)
{
    for (int id = 0; id < c->n; id++) {
        const double turn = (double)c->turn[id];
        half[id] = turn > 0 ? 0.5 * (dt * (1 + (double)c->keep[id]) / (2 * turn)) : 0;
        if (c->inertia && c->inertia[id] > 0) half[id] = 0.5 * c->inertia[id];
    }
}

void energies_free(struct energies *e)
{
    table_free(e->memory);
    *e = (struct energies){.memory = NULL};
}

int energies_make(struct energies *e, const struct maxwell *x)
{
    const int cells[3] = {x->ni, x->nj, x->nk};
    size_t n = (size_t)x->e.n + (size_t)x->h.n;
    for (int a = 0; a < 3; a++) n += 2 * ((size_t)cells[a] + 1);
    double *to = table_alloc(n * sizeof *to);
    SF_CHECK(to, SF_MEMORY, "no memory for the sizes of %d cells of a line", x->ni);
    *e = (struct energies){.memory = to,
                           .ni = x->ni,
                           .nk = x->nk,
                           .nj = x->nj,
                           .ext = {x->ext_i, x->ext_j, x->ext_k},
                           .wide = {x->e_wide, x->h_wide},
                           .media = F_MEX,
                           .whole = x->e.whole};
    for (int a = 0; a < 3; a++)
        for (int node = 0; node < 2; node++, to += cells[a] + 1) {
            for (int m = 0; m <= cells[a]; m++) to[m] = part_of(x, node, a, m);
            e->part[a][node] = to;
        }
    halves_make(to, &x->e, x->dt), e->half[0] = to, to += x->e.n;
    halves_make(to, &x->h, x->dt), e->half[1] = to;
    return SF_OK;
}

/* Half of eps or mu of elements first .. first + n - 1, where they have one medium: then nothing is looked up; else
 * NULL. */
static const double *half_of_all(const struct energy_line *l, int first, int n)
{
    const char *const id = l->wide ? (const char *)l->id + (ptrdiff_t)first * l->wide : NULL;
    if (!id) return l->half;
    if (memcmp(id, id + l->wide, (size_t)(n - 1) * (size_t)l->wide)) return NULL;
    return l->half + id_at(id, 0, l->wide);
}

/* Energies of elements per area. */
static void energies_fill(const struct energy_line *l, int first, int n, double *restrict value)
{
    const real *const f = l->f + first;
    const double *const part = l->part + first, *const half = l->half;
    const unsigned char *const bytes = l->id;
    const unsigned short *const words = l->id;
    const double *const one = half_of_all(l, first, n);
    if (one)
        for (int i = 0; i < n; i++) value[i] = energy_of(*one, part[i], f[i]);
    else if (l->wide == 1)
        for (int i = 0; i < n; i++) value[i] = energy_of(half[bytes[first + i]], part[i], f[i]);
    else
        for (int i = 0; i < n; i++) value[i] = energy_of(half[words[first + i]], part[i], f[i]);
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

/* The same of E where conductors cut edges. */
static real cut_line_most(const struct energy_line *l)
{
    real all = 0;
    for (int i = 0; i < l->n; i++) {
        const real one = magnitude_at(l, i);
        all = one > all ? one : all;
    }
    return all;
}

/* Energies of a row, sums along a line by pairs, then of lines in their order; behind them, where they are asked for,
 * the largest magnitudes. */
static void measure_row(const struct state *st, int j, double *out, void *ctx)
{
    const struct energies *const e = ctx;
    for (int kind = 0; kind < 2; kind++) {
        const int lines = energy_lines(e, kind, j);
        double sum = 0, most = 0;
        for (int m = 0; m < lines; m++) {
            const struct energy_line l = energy_line(e, &st->host.s, kind, j, m);
            if (e->maxima) most = reduce_larger((double)(l.whole ? cut_line_most(&l) : line_most(l.f, l.n)), most);
            if (l.weight > 0) sum += l.weight * line_energy(&l, 0, l.n);
        }
        out[kind] = sum;
        if (e->maxima) out[2 + kind] = most;
    }
}

/* Electric and magnetic energy, J, and, of maxima 2, not 0, the largest components of E and H. Collective. */
static int numbers_of(struct maxwell_own *own, const struct state *st, int maxima, double *number)
{
    struct energies *const e = &own->energies;
    struct reduction r = {.sums = 2, .maxima = maxima, .row = measure_row, .ctx = e};
#if SF_CUDA
    r.launch = energy_rows_gpu;
#endif
    SF_TRY(outcome_share(&st->comm, e->memory ? SF_OK : energies_make(e, &own->ctx)));
    e->maxima = maxima;
    for (int part = 0; part < 1 + own->bloch.is_there; part++) {
        double one[4];
        e->field = part ? F_EX_IM : F_EX;
        SF_TRY(reduce_rows(&st->comm, st, &r, part ? one : number));
        for (int n = 0; n < 2 + maxima && part; n++)
            number[n] = n < 2 ? number[n] + one[n] : reduce_larger(one[n], number[n]);
    }
    return SF_OK;
}

int maxwell_measure(const struct instance *in, const struct state *st, double dt, double *values, double *courant)
{
    struct maxwell_own *own = in->own;
    double number[4];
    *courant = dt / in->dt_limit; /* above 1 where the namelist allows it */
    if (!values) return SF_OK;
    SF_TRY(numbers_of(own, st, 2, number));
    values[Q_ENERGY] = number[0] + number[1];
    values[Q_ELECTRIC] = number[0];
    values[Q_MAGNETIC] = number[1];
    values[Q_E_MAX] = number[2];
    values[Q_H_MAX] = number[3];
    return own->dispersions ? poles_energy(own, st, &values[Q_POLES]) : SF_OK;
}

/* s: two periods of the lowest frequency, but no less than light takes across the domain and back. */
static double quiet_wanted(const struct maxwell_own *own, const struct grid *g)
{
    const double x = grid_x(g, g->nx, 1) - grid_x(g, 0, 1), y = grid_y(g, g->ny, 1) - grid_y(g, 0, 1),
                 z = g->top - g->z_f[0];
    const double across = 2 * __builtin_sqrt(x * x + y * y + z * z) / em_c,
                 waves = own->lowest > 0 ? 2 / own->lowest : 0;
    return own->params.stop_probe_time > 0 ? own->params.stop_probe_time : SF_MAX(waves, across);
}

static void energy_reason(struct maxwell_own *own, double energy, int over)
{
    snprintf(own->end_reason, sizeof own->end_reason, "the energy %s %.3g of its largest, %.4g J (stop%%energy = %g)",
             over ? "has fallen to" : "is still at", energy / own->energy_peak, own->energy_peak,
             own->params.stop_energy);
}

static void probe_reason(struct maxwell_own *own, double quiet, int over)
{
    snprintf(own->end_reason, sizeof own->end_reason,
             over ? "|E| at every probe has stayed below %g of its largest for %.4g s (stop%%probe)"
                  : "|E| at some probe has been above %g of its largest within the last %.4g s (stop%%probe)",
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
        SF_TRY(numbers_of(own, st, 0, energy));
        own->energy_peak = SF_MAX(own->energy_peak, energy[0] + energy[1]);
        energy_low = own->energy_peak > 0 && energy[0] + energy[1] <= p->stop_energy * own->energy_peak;
        energy_reason(own, energy[0] + energy[1], energy_low);
    }
    if (p->stop_probe > 0 && own->probes) {
        double quiet;
        SF_TRY(probes_quiet(own->probes, &st->comm, &quiet));
        const double wanted = quiet_wanted(own, in->grid);
        probes_low = quiet > 0 && quiet >= wanted;
        if (!energy_low && (probes_low || !(p->stop_energy > 0)))
            probe_reason(own, probes_low ? quiet : wanted, probes_low);
    }
    const int driven = time < sources_end(own->source, own->ctx.nsources, own->incident);
    if (driven)
        snprintf(own->end_reason, sizeof own->end_reason, "the sources are not over (stop%%energy, stop%%probe)");
    *over = !driven && (energy_low || probes_low);
    return SF_OK;
}
