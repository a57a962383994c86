/* flux.nc: from sums of fields to power flow, and what round-off leaves of it. SPDX-License-Identifier: MIT */
#include "maxwell/monitor_noise.h"
#include "maxwell/monitor_parts.h"

#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <stdlib.h>
#include <string.h>

enum { FLOW, SQUARE_E, SQUARE_H, INTEGRALS }; /* over a plane: flux, |E|^2, |H|^2 of what lies along it */

/* ---- planes ------------------------------------------------------------------------------------------------------ */

/* Sums of a component along a line: of real parts, and of the imaginary parts of complex fields (sum NULL: real ones),
 * each times cos and - sin. */
struct sums_line {
    struct monitor_view of[2][2];
};

/* Re (0) or Im (1) of element i. */
static double sum_at(const struct sums_line *l, int part, int i)
{
    const double own = (double)monitor_view_at(&l->of[0][part], i);
    if (!l->of[1][0].sum) return own;
    return part ? own + (double)monitor_view_at(&l->of[1][0], i) : own - (double)monitor_view_at(&l->of[1][1], i);
}

static double product(const struct sums_line *a, const struct sums_line *b, int i)
{
    return sum_at(a, 0, i) * sum_at(b, 0, i) + sum_at(a, 1, i) * sum_at(b, 1, i);
}

/* 1/2 Re (E_u H_v* - E_v H_u*) dA, |E|^2 dA and |H|^2 dA of one row at every frequency, without the square of
 * dt_sample: along i, then over k. to[nfrequencies][INTEGRALS] */
static void row_integrals(const struct monitor *m, const struct state *st, int id, int j, double *to)
{
    const struct extent *const e = &m->box;
    const int levels = e->k1 - e->k0, u = (m->normal + 1) % 3, beyond = monitor_imaginary(st);
    for (int f = 0; f < m->nfrequencies; f++) {
        double *const all = to + (ptrdiff_t)f * INTEGRALS;
        for (int q = 0; q < INTEGRALS; q++) all[q] = 0;
        for (int k = 0; k < levels; k++) {
            struct sums_line line[4]; /* of E_u, H_v, E_v, H_u */
            memset(line, 0, sizeof line);
            for (int c = 0; c < 4; c++)
                for (int q = 0; q < 2; q++)
                    for (int imaginary = 0; imaginary <= (beyond > 0); imaginary++)
                        line[c].of[imaginary][q] = monitor_view(m, st, id + imaginary * beyond, j, k, c, f, q);
            double sum[INTEGRALS] = {0};
            for (int i = 0; i < e->i1 - e->i0; i++) {
                const int at[3] = {i, j - e->j0, k};
                double area[2] = {1, 1};
                for (int a = 0; a < 3; a++) {
                    area[0] *= (a == u ? m->cell : m->node)[a][at[a]];
                    area[1] *= (a == u ? m->node : m->cell)[a][at[a]];
                }
                sum[FLOW] += area[0] * product(&line[0], &line[1], i) - area[1] * product(&line[2], &line[3], i);
                sum[SQUARE_E] += area[0] * product(&line[0], &line[0], i) + area[1] * product(&line[2], &line[2], i);
                sum[SQUARE_H] += area[0] * product(&line[1], &line[1], i) + area[1] * product(&line[3], &line[3], i);
            }
            all[FLOW] += 0.5 * sum[FLOW], all[SQUARE_E] += sum[SQUARE_E], all[SQUARE_H] += sum[SQUARE_H];
        }
    }
}

/* Add what is integrated over one plane, its flux outward, to sum[nfrequencies][INTEGRALS] on rank 0: rows in their
 * global order. */
static int plane_add(const struct monitor *m, const struct state *st, int id, double dt_sample, double *sum)
{
    const struct field *const field = &st->in->field[id];
    const int each = INTEGRALS * m->nfrequencies, rows = m->box.j1 - m->box.j0;
    int ja, jb, first;
    size_t *const bytes = calloc((size_t)st->comm.size, sizeof *bytes);
    double *const row = malloc((size_t)rows * (size_t)each * sizeof *row);
    int rc =
        bytes && row ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the flux of monitor %s", m->name);
    rc = outcome_share(&st->comm, rc);
    for (int r = 0; r < st->comm.size && !rc; r++) {
        field_rows(field, &st->comm, st->grid, r, &ja, &jb, &first);
        bytes[r] = (size_t)SF_MAX(jb - ja, 0) * (size_t)each * sizeof *row;
    }
    field_rows(field, &st->comm, st->grid, st->comm.rank, &ja, &jb, &first);
    for (int j = ja; j < jb && !rc; j++) row_integrals(m, st, id, j, row + (ptrdiff_t)(j - ja) * each);
    if (!rc) rc = comm_gather(&st->comm, row, row, bytes);
    for (int q = 0; q < each && !rc && st->comm.rank == 0; q++) {
        double all = 0;
        for (int j = 0; j < rows; j++) all += row[(ptrdiff_t)j * each + q];
        sum[q] += (q % INTEGRALS == FLOW ? m->sign : 1) * all * dt_sample * dt_sample;
    }
    free(bytes);
    free(row);
    return rc;
}

/* ---- waveforms --------------------------------------------------------------------------------------------------- */

struct wave_sums *wave_sums_new(const struct monitors *m)
{
    struct wave_sums *const w = calloc((size_t)m->nwaves + 1, sizeof *w);
    for (int n = 0; w && n < m->nwaves; n++)
        if (!(w[n].sum = calloc(2 * (size_t)m->nfrequencies, sizeof *w->sum))) {
            wave_sums_free(w, m);
            return NULL;
        }
    return w;
}

void wave_sums_free(struct wave_sums *w, const struct monitors *m)
{
    for (int n = 0; w && n < m->nwaves; n++) free(w[n].sum);
    free(w);
}

/* The sample of all waveforms at the end of step `step`. */
static void waves_add(struct wave_sums *wave, const struct monitors *m, long step)
{
    const double t = (double)(step + 1) * m->dt;
    for (int n = 0; n < m->nwaves; n++) {
        const double value = m->wave[n].value(m->wave[n].source, t);
        if (!(value < 0 || value > 0)) continue; /* before the wave and behind it: most of a run */
        wave[n].a += value < 0 ? -value : value;
        wave[n].b2 += value * value;
        for (int f = 0; f < m->nfrequencies; f++) {
            const double turn = 6.283185307179586 * m->frequency[f] * t;
            wave[n].sum[2 * f] += value * sfd_cos(turn);
            wave[n].sum[2 * f + 1] -= value * sfd_sin(turn);
        }
    }
}

/* Take the sums to the present step, sampled as the fields were: from step 0 on in their order, so that the bits depend
 * neither on the output times nor on restarts. */
void monitor_waves_advance(const struct monitors *m, long step)
{
    struct monitor_results *const all = m->results;
    monitors_look(m, step);
    for (; all->wave_step < step; all->wave_step += m->every) waves_add(all->wave, m, all->wave_step);
}

static double square_of(const struct wave_sums *w, int f)
{
    return w->sum[2 * f] * w->sum[2 * f] + w->sum[2 * f + 1] * w->sum[2 * f + 1];
}

static double off_of(const struct wave_sums *w, const struct monitors *m, long steps)
{
    const double angle = 6.283185307179586 * m->frequency[m->nfrequencies - 1] * (double)steps * m->dt;
    return monitor_round_off(w->a, w->b2, (double)steps, angle);
}

/* Round-off as a share of the waveform's spectrum at frequency f; infinite where there is none. */
static double share_of_wave(const struct wave_sums *w, const struct monitors *m, int f, long steps)
{
    const double square = square_of(w, f);
    return square > 0 ? off_of(w, m, steps) / __builtin_sqrt(square) : SFD_INF;
}

/* The same of the waveform that has most at f. */
static double share_at(const struct wave_sums *w, const struct monitors *m, int f, long steps)
{
    double least = SFD_INF;
    for (int n = 0; n < m->nwaves; n++) {
        const double share = share_of_wave(&w[n], m, f, steps);
        if (share < least) least = share;
    }
    return least;
}

int monitors_beyond(struct monitors *m, long steps, double end, double *first, double *last)
{
    struct wave_sums *const w = wave_sums_new(m);
    int n = 0;
    for (long step = 0; w && (double)step * m->dt < end; step += m->every) waves_add(w, m, step);
    for (int f = 0; w && f < m->nfrequencies; f++) {
        m->beyond[f] = !monitor_is_worth(share_at(w, m, f, steps));
        if (!m->beyond[f]) continue;
        *last = m->frequency[f];
        if (!n++) *first = *last;
    }
    wave_sums_free(w, m);
    return n;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

int monitor_waveform_spectrum(const struct monitors *m, int wave, int f, double value[2])
{
    const struct wave_sums *const w = &m->results->wave[wave];
    for (int q = 0; q < 2; q++) value[q] = w->sum[2 * f + q] * m->dt_sample;
    return square_of(w, f) > 0 && monitor_is_worth(share_of_wave(w, m, f, m->look->step));
}

int monitor_wave_spectrum(const struct monitors *m, int f, double value[2])
{
    const int said = m->nwaves && monitor_waveform_spectrum(m, 0, f, value) && !m->beyond[f];
    for (int q = 0; q < 2 && m->nwaves; q++) value[q] *= m->amplitude;
    return said;
}

/* `power`: the flux over the square of the spectrum of what drives it. */
static void power_fill(const struct monitors *m, const double *sum, double *out)
{
    const int nf = m->nfrequencies, fluxes = m->results->fluxes;
    for (int f = 0; f < nf; f++) {
        double wave[2];
        const int said = monitor_wave_spectrum(m, f, wave);
        const double square = said ? wave[0] * wave[0] + wave[1] * wave[1] : 0;
        for (int n = 0; n < fluxes; n++) {
            const double flux = sum[((ptrdiff_t)n * nf + f) * INTEGRALS + FLOW];
            out[(ptrdiff_t)f * fluxes + n] = said ? flux / square : RESULT_NONE;
        }
    }
}

static int planes_of(const struct monitors *m, int of)
{
    int n = 0;
    for (int p = 0; p < m->nparts; p++) n += m->part[p].of == of;
    return n;
}

/* `cross_section`: the power over the intensity of a wave of 1 V/m, 1 / (2 impedance). Of closed boxes alone. */
static void section_fill(const struct monitors *m, const double *sum, double *out)
{
    const int fluxes = m->results->fluxes;
    power_fill(m, sum, out);
    for (ptrdiff_t n = 0; n < (ptrdiff_t)m->nfrequencies * fluxes; n++)
        if (planes_of(m, m->results->of[n % fluxes]) == 1) out[n] = RESULT_NONE;
        else if (out[n] < RESULT_NONE) out[n] *= 2 * m->impedance;
}

/* What the spectra of E (what: SQUARE_E) or H on a monitor are off by: the share of the sources' band at the frequency
 * where that is most, or the same share of a plane wave. 0: its frequencies are all beyond the band, and no wave is
 * there. */
static double fields_off(const struct monitors *m, const double *sum, int what, double area, double wave)
{
    double most = wave;
    for (int f = 0; f < m->nfrequencies; f++) {
        const double q = share_at(m->results->wave, m, f, m->look->step);
        if (m->beyond[f] || !monitor_is_worth(q)) continue;
        const double off = q * __builtin_sqrt(sum[f * INTEGRALS + what] / area);
        if (off > most) most = off;
    }
    return most;
}

static double area_of(const struct monitors *m, int of)
{
    double area = 0;
    for (int p = 0; p < m->nparts; p++) area += m->part[p].of == of ? m->part[p].area : 0;
    return area;
}

/* sum[fluxes][nfrequencies][INTEGRALS] */
static void round_off_fill(const struct monitors *m, const double *sum, double *out)
{
    const struct wave_sums *const w = m->results->wave;
    const int nf = m->nfrequencies, fluxes = m->results->fluxes;
    const double wave_e = m->incident * off_of(w, m, m->look->step) * m->dt_sample;
    for (int n = 0; n < fluxes; n++) {
        const double *const of = sum + (ptrdiff_t)n * nf * INTEGRALS, area = area_of(m, m->results->of[n]);
        const double de = fields_off(m, of, SQUARE_E, area, wave_e);
        const double dh = fields_off(m, of, SQUARE_H, area, wave_e > 0 ? wave_e / m->impedance : 0);
        for (int f = 0; f < nf; f++) {
            const double *const at = of + f * INTEGRALS;
            const double off = monitor_flux_round_off(area, at[SQUARE_E], at[SQUARE_H], de, dh);
            out[(ptrdiff_t)f * fluxes + n] = de > 0 || dh > 0 ? off : RESULT_NONE;
        }
    }
}

/* The flux itself. */
static void flow_fill(const struct monitors *m, const double *sum, double *out)
{
    const int nf = m->nfrequencies, fluxes = m->results->fluxes;
    for (int f = 0; f < nf; f++)
        for (int n = 0; n < fluxes; n++)
            out[(ptrdiff_t)f * fluxes + n] = sum[((ptrdiff_t)n * nf + f) * INTEGRALS + FLOW];
}

int monitor_flux_fill(const struct result *r, const struct state *st, double *const *out)
{
    static void (*const fill[FLUX_VARIABLES])(const struct monitors *m, const double *sum, double *out) = {
        [FLUX] = flow_fill, [POWER] = power_fill, [SECTION] = section_fill, [ROUND_OFF] = round_off_fill};
    const struct source_of *const own = r->own;
    const struct monitors *const m = own->all;
    const struct monitor_results *const all = m->results;
    const ptrdiff_t each = (ptrdiff_t)m->nfrequencies * INTEGRALS;
    double *const sum = calloc((size_t)all->fluxes * (size_t)each, sizeof *sum);
    int rc = sum ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for %d frequencies", m->nfrequencies);
    rc = outcome_share(&st->comm, rc);
    for (int n = 0; n < all->fluxes && !rc; n++)
        for (int p = 0; p < m->nparts && !rc; p++)
            if (m->part[p].of == all->of[n]) rc = plane_add(&m->part[p], st, F_SUMS + p, m->dt_sample, sum + n * each);
    if (!rc && out) monitor_waves_advance(m, st->step);
    for (int v = 0; v < r->nvariables && !rc && out; v++)
        if (out[v] && fill[own->variable[v]]) fill[own->variable[v]](m, sum, out[v]);
    free(sum);
    return rc;
}
