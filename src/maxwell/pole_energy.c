/* The energy that poles hold, from their memories.
 *
 * Behind a step the polarisation of a pole over eps0, P' = s P + r E by the trapezoidal rule, is
 *
 *     P = dt den / (1 - e) (y - g E / (1 + e)),    e, y, g: decay, memory and gain of pole.h, den of E's update
 *
 * and holds, per volume, of eps0 / 2: a debye P^2 / strength; a drude (P' / omega)^2, which is P^2 |s / r|; a lorentz
 * (P^2 + (P' / omega)^2) / strength, of both of its poles together. What is given as a pair or a critical point counts
 * for nothing: its energy is not of P alone. With it E(n)^2 and H(n - 1/2) H(n + 1/2) make what the scheme keeps, or
 * loses. A mixture has a share w of P, and so P^2 / w. SPDX-License-Identifier: MIT */
#include "maxwell/own.h"
#include "pipeline/error.h"
#include "pipeline/reduce.h"

#include <complex.h>

static double complex of(const double x[2]) { return x[0] + I * x[1]; }
static double square(double x) { return x * x; }

/* What a sum over rows is made of. */
struct holders {
    const struct maxwell *x;
    const struct dispersions *all;
    const struct energies *parts; /* sizes of elements */
    int field, memories; /* Ex and the first medium's memories, or their imaginary parts */
};

/* Of one edge, over eps0 / 2, before w; gain of its mixture, y[m stride] its memories, e as it is stored. */
static double held(const struct holders *h, int number, double den, const real *gain, const real *y, ptrdiff_t stride,
                   double e)
{
    const struct dispersion *const d = &h->all->of[number];
    const int poles = (d->point.singles + d->point.n) / 2;
    double sum = 0;
    double complex first = 0, first_slope = 0;
    for (int m = 0, at = 0; m < poles; m++) {
        const struct pole *const p = &h->all->pole[number][m];
        const int is_pair = m >= d->point.singles;
        const double complex decay = of(h->all->step[number][m].decay), s = of(p->s), r = of(p->r);
        const double complex g = gain[at] + (is_pair ? I * (double)gain[at + 1] : 0),
                             memory = (double)y[at * stride] + (is_pair ? I * (double)y[(at + 1) * stride] : 0);
        const double complex polarised = h->x->dt * den / (1 - decay) * (memory - g / (1 + decay) * e),
                             slope = s * polarised;
        at += 1 + is_pair;
        if (p->warps) sum += (square(creal(polarised)) + square(creal(slope) / cabs(s))) / (-2 * creal(r / s));
        else if (p->other < 0 && p->s[0] > p->other) first = polarised, first_slope = slope;
        else if (p->other < 0)
            sum += (square(creal(first + polarised)) + square(creal(first_slope + slope)) / (p->s[0] * p->other)) /
                   p->strength;
        else if (!is_pair) sum += square(creal(polarised)) * cabs(s / r);
    }
    return sum;
}

/* Of the edges of one component in a row that one medium's box holds. */
static double row_held(const struct state *st, const struct holders *h, int number, int c, int j)
{
    const struct maxwell *const x = h->x;
    const struct dispersion *const d = &h->all->of[number];
    const struct slab *const s = &st->host.s;
    const double across = h->parts->part[1][on_node(c, 1)][j];
    double sum = 0;
    for (int k = d->box.k0; k < d->box.k1; k++) {
        const ptrdiff_t line = (j - s->j0) * s->sj + k * s->sk;
        const real *const y =
            state_line(st, h->memories + number, j, c * d->point.n * d->point.levels + k - d->point.k0);
        for (int i = d->box.i0; i < d->box.i1; i++) {
            const unsigned id = x->e_wide ? id_at((const char *)s->f[F_MEX + c] + line * x->e_wide, i, x->e_wide) : 0;
            const real *const gain = d->point.gain + (ptrdiff_t)id * d->point.n;
            const double size = across * h->parts->part[2][on_node(c, 2)][k] * h->parts->part[0][on_node(c, 0)][i];
            if (d->point.has[id] == DISPERSE_NONE || !(size > 0)) continue;
            const double open = x->e.whole ? 1 / (double)x->e.whole[id] : 1,
                         den = open / (em_eps0 * (double)x->e.turn[id]),
                         share = (double)gain[0] * den / h->all->step[number][0].gain[0];
            sum += 0.5 * em_eps0 * size / (share * open) *
                   held(h, number, den, gain, y + i - d->point.i0, (ptrdiff_t)d->point.levels * d->point.columns,
                        (double)s->f[h->field + c][line + i]);
        }
    }
    return sum;
}

static void row_sum(const struct state *st, int j, double *out, void *ctx)
{
    const struct holders *const h = ctx;
    out[0] = 0;
    for (int number = 0; number < h->all->n; number++)
        for (int c = 0; c < 3; c++)
            for (int row = j; row < j + energy_rows(h->parts, c, j); row++) {
                const struct dispersion *const d = &h->all->of[number];
                if (row >= d->j0 && row < d->j1) out[0] += row_held(st, h, number, c, row);
            }
}

int poles_energy(struct maxwell_own *own, const struct state *st, double *energy)
{
    const struct maxwell *const x = &own->ctx;
    struct holders h = {x, own->dispersions, &own->energies, F_EX, F_SUMS + x->nmonitors};
    const struct reduction r = {.sums = 1, .row = row_sum, .ctx = &h};
    double imaginary = 0;
    SF_TRY(reduce_rows(&st->comm, st, &r, energy));
    h.field = F_EX_IM, h.memories += x->nmonitors + x->ndispersions;
    if (own->bloch.is_there) SF_TRY(reduce_rows(&st->comm, st, &r, &imaginary));
    *energy += imaginary;
    return SF_OK;
}
