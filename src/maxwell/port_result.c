/* Ports: their sums, and what the file ports.nc has of them. SPDX-License-Identifier: MIT */
#include "maxwell/lump.h"
#include "maxwell/monitor_parts.h"
#include "maxwell/port.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static int lumped_sums(struct monitor *m, const struct lump *l)
{
    const int *const low = l->at.low, *const high = l->at.high;
    m->ncomponents = 1, m->component[0] = l->axis;
    m->range[0] = (struct box){low[AX], high[AX], low[AZ], high[AZ], low[AY], high[AY]};
    m->box = (struct extent){.i0 = low[AX],
                             .i1 = high[AX],
                             .k0 = low[AZ],
                             .k1 = high[AZ],
                             .j0 = low[AY],
                             .j1 = high[AY],
                             .n = 2 * m->nfrequencies};
    return SF_OK;
}

static int guide_sums(struct monitor *m, const struct mode *mode, const struct monitor_setup *t)
{
    const int u = (mode->axis + 1) % 3, v = (mode->axis + 2) % 3;
    struct region r;
    for (int a = 0; a < 3; a++) r.lo[a] = m->plane[a][0] = mode->low[a], r.hi[a] = m->plane[a][1] = mode->high[a];
    m->normal = mode->axis;
    m->below = m->above = R(0.5); /* cells around the plane are of one size */
    m->ncomponents = 4;
    m->component[0] = u, m->component[1] = 3 + v, m->component[2] = v, m->component[3] = 3 + u;
    monitor_ranges_make(m, t, &r);
    return monitor_areas_make(m, t, &r);
}

int ports_sums(struct ports *p, struct monitors *all, const struct monitor_setup *t)
{
    p->monitors = all, p->wave = t->port_wave;
    for (struct port *q = p->of; q < p->of + p->n; q++) {
        struct monitor *m;
        char name[32];
        snprintf(name, sizeof name, "port_sums_%d", q->number);
        q->part = all->nparts;
        SF_TRY(monitor_part_new(all, t, -1, name, &m));
        m->is_port = 1;
        SF_TRY(q->is_guide ? guide_sums(m, &q->mode, t) : lumped_sums(m, q->lump));
    }
    return SF_OK;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

#define OVER_BOTH 2, {PORT_FREQUENCY, PORT_NUMBER}, -1, NULL
#define OVER_FREQUENCY 1, {PORT_FREQUENCY}, -1, NULL
#define OVER_PORT 1, {PORT_NUMBER}, -1, NULL
static const struct result_variable variable_table[PORT_VARIABLES] = {
    [PORT_S_RE] =
        {"s_re", "scattering parameter from the driven port, real part", "1",
         "b of the port over a of the driven one; others end in their resistances, or in what absorbs behind them; left out where "
         "round-off may change it by more than a fifth, and below a guide's cut-off",
         OVER_BOTH},
    [PORT_S_IM] = {"s_im", "scattering parameter from the driven port, imaginary part", "1", NULL, OVER_BOTH},
    [PORT_A_RE] = {"a_re", "wave into the device, real part", "W1/2 Hz-1", "its power is |a|^2 / 2", OVER_BOTH},
    [PORT_A_IM] = {"a_im", "wave into the device, imaginary part", "W1/2 Hz-1", NULL, OVER_BOTH},
    [PORT_B_RE] = {"b_re", "wave out of the device, real part", "W1/2 Hz-1", NULL, OVER_BOTH},
    [PORT_B_IM] = {"b_im", "wave out of the device, imaginary part", "W1/2 Hz-1", NULL, OVER_BOTH},
    [PORT_VOLTAGE_RE] = {"voltage_re", "voltage across a lumped port, real part", "V Hz-1",
                         "of its upper end against its lower one", OVER_BOTH},
    [PORT_VOLTAGE_IM] = {"voltage_im", "voltage across a lumped port, imaginary part", "V Hz-1", NULL, OVER_BOTH},
    [PORT_CURRENT_RE] = {"current_re", "current of a lumped port into the device, real part", "A Hz-1", NULL,
                         OVER_BOTH},
    [PORT_CURRENT_IM] = {"current_im", "current of a lumped port into the device, imaginary part", "A Hz-1", NULL,
                         OVER_BOTH},
    [PORT_POWER] = {"power", "power that the device takes at the port", "W Hz-2", "(|a|^2 - |b|^2) / 2", OVER_BOTH},
    [PORT_Z_RE] = {"input_resistance", "real part of voltage over current at the driven port", "ohm",
                   "of a lumped port, the capacitance of its own cells included", OVER_FREQUENCY},
    [PORT_Z_IM] = {"input_reactance", "imaginary part of voltage over current at the driven port", "ohm", NULL,
                   OVER_FREQUENCY},
    [PORT_RESISTANCE] = {"reference_resistance", "resistance that waves of a lumped port are counted by", "ohm",
                         "left out of guides, whose waves are those of their own impedance", OVER_PORT},
    [PORT_DRIVEN] = {"driven", "1: the port that was driven", "1", NULL, OVER_PORT},
};

void ports_describe(struct ports *p, struct result *r)
{
    const struct monitors *const m = p->monitors;
    for (int v = 0; v < PORT_VARIABLES; v++) p->var[v] = variable_table[v];
    p->axis[PORT_FREQUENCY] =
        (struct result_axis){"frequency", "frequency", "Hz", m->nfrequencies, m->frequency, NULL, NULL};
    p->axis[PORT_NUMBER] = (struct result_axis){"port", "number of the port", "1", p->n, p->number, NULL, NULL};
    *r =
        (struct result){.file = "ports.nc",
                        .comment = "spectra are Fourier integrals, sum of F(t) exp(-2 pi i f t) dt over the run so far",
                        .axis = p->axis,
                        .naxes = PORT_AXES,
                        .variable = p->var,
                        .nvariables = PORT_VARIABLES,
                        .fill = ports_fill,
                        .own = p};
}

/* ---- waves ------------------------------------------------------------------------------------------------------- */

/* What a port has at one frequency; `said`: it has waves there. */
struct seen {
    double complex a, b, voltage, current;
    int said;
};

/* A component's spectrum at an element, V/m/Hz or A/m/Hz; value[component][re, im]: rows as they are gathered. */
static double complex value_at(const struct monitor *m, double *const value[][2], int c, int f, const int at[3],
                               double dt_sample)
{
    const struct extent *const e = &m->box;
    const ptrdiff_t levels = e->k1 - e->k0, columns = e->i1 - e->i0;
    const ptrdiff_t n =
        (((at[AY] - e->j0) * (ptrdiff_t)m->nfrequencies + f) * levels + at[AZ] - e->k0) * columns + at[AX] - e->i0;
    return dt_sample * (value[c][0][n] + I * value[c][1][n]);
}

/* Next element of a range, x fastest; 0: that was the last. */
static int next_of(const struct box *b, int at[3])
{
    if (++at[AX] < b->i1) return 1;
    at[AX] = b->i0;
    if (++at[AZ] < b->k1) return 1;
    at[AZ] = b->k0;
    return ++at[AY] < b->j1;
}

static double complex voltage_of(const struct port *q, const struct monitors *all, double *const value[][2], int f)
{
    const struct monitor *const m = &all->part[q->part];
    const struct box *const b = &m->range[0];
    int at[3] = {b->i0, b->j0, b->k0};
    double complex sum = 0;
    do sum += lump_weight(q->lump, at) * value_at(m, value, 0, f, at, all->dt_sample);
    while (next_of(b, at));
    return -cos(pi * all->frequency[f] * all->dt) * sum;
}

static struct seen lumped_see(const struct port *q, const struct ports *p, double *const value[][2], int f)
{
    struct seen s = {.voltage = voltage_of(q, p->monitors, value, f), .said = 1};
    double complex source = 0;
    if (q->number == p->driven) {
        double wave[2];
        s.said = monitor_waveform_spectrum(p->monitors, p->wave, f, wave);
        source = p->amplitude * (wave[0] + I * wave[1]);
    }
    s.current = (source - s.voltage) / q->resistance;
    const double root = sqrt(q->resistance);
    s.a = (s.voltage + q->resistance * s.current) / (2 * root);
    s.b = (s.voltage - q->resistance * s.current) / (2 * root);
    return s;
}

/* The profile's E along b (which 0) or c at an element of that component. */
static double profile_at(const struct mode *m, int which, const int at[3])
{
    const int b = (m->axis + 1) % 3, c = (m->axis + 2) % 3;
    return (double)m->factor[which][0][at[b] - m->low[b]] * (double)m->factor[which][1][at[c] - m->low[c]];
}

static struct seen guide_see(const struct port *q, const struct ports *p, double *const value[][2], int f)
{
    const struct monitors *const all = p->monitors;
    const struct monitor *const m = &all->part[q->part];
    const int n = q->mode.axis, axis[2] = {(n + 1) % 3, (n + 2) % 3};
    const double d = q->size[n], wave = port_guide_wave(q, all->frequency[f], all->dt), phase = 2 * asin(wave * d);
    double complex u = 0, j = 0;
    double norm = 0;
    struct seen s = {.said = wave > 0 && wave * d < 1};
    for (int which = 0; which < 2; which++) { /* E_u with H_v, E_v with H_u */
        const struct box *const b = &m->range[2 * which];
        int at[3] = {b->i0, b->j0, b->k0};
        do {
            const int from[3] = {at[AX] - m->box.i0, at[AY] - m->box.j0, at[AZ] - m->box.k0};
            const double e = profile_at(&q->mode, which, at),
                         area = (which ? m->node : m->cell)[axis[0]][from[axis[0]]] *
                                (which ? m->cell : m->node)[axis[1]][from[axis[1]]];
            u += area * e * value_at(m, value, 2 * which, f, at, all->dt_sample);
            j += (which ? -area : area) * e * value_at(m, value, 2 * which + 1, f, at, all->dt_sample);
            norm += area * e * e;
        } while (next_of(b, at));
    }
    if (q->number == p->driven) {
        double spectrum[2];
        s.said &= monitor_waveform_spectrum(all, p->wave, f, spectrum);
    }
    if (!s.said) return s;
    const double z = em_mu0 * q->mu * (sin(pi * all->frequency[f] * all->dt) / all->dt) / wave / cos(0.5 * phase);
    const double scale = sqrt(norm / z) / (2 * norm);
    const double complex shift = cexp(-I * (phase / d) * q->shift);
    s.a = scale * (u + q->toward * z * j) * shift;
    s.b = scale * (u - q->toward * z * j) / shift;
    return s;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void put(double *const *out, enum port_variable re, size_t at, double complex value)
{
    if (out[re]) out[re][at] = creal(value);
    if (out[re + 1]) out[re + 1][at] = cimag(value);
}

static const double complex none = RESULT_NONE + I * RESULT_NONE;

/* What all ports have seen at a frequency, seen[n]. */
static void frequency_put(const struct ports *p, int f, const struct seen *seen, double *const *out)
{
    const struct seen *driven = NULL;
    for (int n = 0; n < p->n; n++)
        if (p->of[n].number == p->driven) driven = &seen[n];
    double complex z = none;
    for (int n = 0; n < p->n; n++) {
        const struct seen *const s = &seen[n];
        const size_t at = (size_t)f * (size_t)p->n + (size_t)n;
        const int has_s = driven && driven->said && s->said && cabs(driven->a) > 0, lumped = !p->of[n].is_guide;
        put(out, PORT_A_RE, at, s->said ? s->a : none), put(out, PORT_B_RE, at, s->said ? s->b : none);
        put(out, PORT_S_RE, at, has_s ? s->b / driven->a : none);
        put(out, PORT_VOLTAGE_RE, at, lumped ? s->voltage : none);
        put(out, PORT_CURRENT_RE, at, lumped ? s->current : none);
        const double a = cabs(s->a), b = cabs(s->b);
        if (out[PORT_POWER]) out[PORT_POWER][at] = s->said ? 0.5 * (a * a - b * b) : RESULT_NONE;
        if (s == driven && lumped && s->said && cabs(s->current) > 0) z = s->voltage / s->current;
    }
    put(out, PORT_Z_RE, (size_t)f, z);
}

/* Rows of all its components, of all ranks, on rank 0: value[component][re, im]. */
static int port_gather(const struct port *q, const struct ports *p, const struct state *st, double *memory, size_t each,
                       size_t *bytes, double *value[4][2])
{
    const struct monitor *const m = &p->monitors->part[q->part];
    for (int c = 0; c < m->ncomponents; c++)
        for (int part = 0; part < 2; part++) {
            value[c][part] = memory + (size_t)(2 * c + part) * each;
            SF_TRY(monitor_rows_gather(m, st, F_SUMS + q->part, c, part, value[c][part], bytes));
        }
    return SF_OK;
}

/* Values of one component, re or im, of all rows. */
static size_t values_of(const struct monitor *m)
{
    const struct extent *const e = &m->box;
    return (size_t)(e->i1 - e->i0) * (size_t)(e->j1 - e->j0) * (size_t)(e->k1 - e->k0) * (size_t)m->nfrequencies;
}

static int all_see(const struct ports *p, const struct state *st, double *memory, size_t each, size_t *bytes,
                   struct seen *seen)
{
    const int nf = p->monitors->nfrequencies;
    for (int n = 0; n < p->n; n++) {
        const struct port *const q = &p->of[n];
        double *value[4][2];
        SF_TRY(port_gather(q, p, st, memory, each, bytes, value));
        for (int f = 0; f < nf && st->comm.rank == 0; f++)
            seen[(ptrdiff_t)f * p->n + n] = q->is_guide ? guide_see(q, p, value, f) : lumped_see(q, p, value, f);
    }
    return SF_OK;
}

/* [nfrequencies][n] of what all ports have seen, on rank 0. NULL without memory, or after a failure, *rc. */
static struct seen *seen_make(const struct ports *p, const struct state *st, int *rc)
{
    const int nf = p->monitors->nfrequencies;
    size_t each = 1;
    for (int n = 0; n < p->n; n++) each = SF_MAX(each, values_of(&p->monitors->part[p->of[n].part]));
    double *const memory = malloc(8 * each * sizeof *memory);
    size_t *const bytes = calloc((size_t)st->comm.size, sizeof *bytes);
    struct seen *seen = calloc((size_t)nf * (size_t)p->n, sizeof *seen);
    *rc = memory && bytes && seen ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for %d ports", p->n);
    *rc = outcome_share(&st->comm, *rc);
    if (!*rc && st->comm.rank == 0) monitor_waves_advance(p->monitors);
    if (!*rc) *rc = all_see(p, st, memory, each, bytes, seen);
    free(memory);
    free(bytes);
    if (*rc) free(seen), seen = NULL;
    return seen;
}

int ports_power(const struct ports *p, const struct state *st, double *power)
{
    const int nf = p->monitors->nfrequencies;
    int rc;
    struct seen *const seen = seen_make(p, st, &rc);
    SF_TRY(rc);
    for (int f = 0; f < nf && power; f++) {
        double taken = 0, offered = 0;
        int said = 1;
        for (int n = 0; n < p->n; n++) {
            const struct seen *const s = &seen[(ptrdiff_t)f * p->n + n];
            const double a = cabs(s->a), b = cabs(s->b);
            said &= s->said;
            taken += 0.5 * (a * a - b * b);
            if (p->of[n].number == p->driven) offered = 0.5 * a * a;
        }
        power[f] = said ? taken : RESULT_NONE, power[nf + f] = said ? offered : RESULT_NONE;
    }
    free(seen);
    return SF_OK;
}

int ports_fill(const struct result *r, const struct state *st, double *const *out)
{
    const struct ports *const p = r->own;
    int rc;
    struct seen *const seen = seen_make(p, st, &rc);
    SF_TRY(rc);
    for (int f = 0; f < p->monitors->nfrequencies && out; f++) frequency_put(p, f, seen + (ptrdiff_t)f * p->n, out);
    for (int n = 0; n < p->n && out; n++) {
        if (out[PORT_RESISTANCE]) out[PORT_RESISTANCE][n] = p->of[n].is_guide ? RESULT_NONE : p->of[n].resistance;
        if (out[PORT_DRIVEN]) out[PORT_DRIVEN][n] = p->of[n].number == p->driven;
    }
    free(seen);
    return SF_OK;
}
