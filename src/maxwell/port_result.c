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
                             .n = monitor_values(m)};
    return SF_OK;
}

static int plane_sums(struct monitor *m, const struct mode *mode, const struct monitor_setup *t)
{
    const int u = (mode->axis + 1) % 3, v = (mode->axis + 2) % 3;
    struct region r;
    for (int a = 0; a < 3; a++) r.lo[a] = m->plane[a][0] = mode->low[a], r.hi[a] = m->plane[a][1] = mode->high[a];
    m->normal = mode->axis;
    m->below = m->above = R(0.5); /* cells around the plane are of one size */
    m->ncomponents = 4;
    m->component[0] = u, m->component[1] = 3 + v, m->component[2] = v, m->component[3] = 3 + u;
    monitor_ranges_make(m, t, &r);
    return SF_OK;
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
        SF_TRY(port_is_plane(q) ? plane_sums(m, &q->mode, t) : lumped_sums(m, q->lump));
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
    [PORT_VOLTAGE_RE] =
        {"voltage_re", "voltage across a lumped port or line, real part", "V Hz-1",
         "of a lumped port's upper end against its lower one; of a line's signal conductor, at the reference plane",
         OVER_BOTH},
    [PORT_VOLTAGE_IM] = {"voltage_im", "voltage across a lumped port or line, imaginary part", "V Hz-1", NULL,
                         OVER_BOTH},
    [PORT_CURRENT_RE] = {"current_re", "current of a lumped port or line into the device, real part", "A Hz-1", NULL,
                         OVER_BOTH},
    [PORT_CURRENT_IM] = {"current_im", "current of a lumped port or line into the device, imaginary part", "A Hz-1",
                         NULL, OVER_BOTH},
    [PORT_POWER] = {"power", "power that the device takes at the port", "W Hz-2", "(|a|^2 - |b|^2) / 2", OVER_BOTH},
    [PORT_Z_RE] = {"input_resistance", "real part of voltage over current at the driven port", "ohm",
                   "of a lumped port, the capacitance of its own cells included; of a line, at the reference plane",
                   OVER_FREQUENCY},
    [PORT_Z_IM] = {"input_reactance", "imaginary part of voltage over current at the driven port", "ohm", NULL,
                   OVER_FREQUENCY},
    [PORT_RESISTANCE] =
        {"reference_resistance", "resistance that waves of a lumped port or line are counted by", "ohm",
         "of a line its impedance, that of long waves; left out of guides, whose waves are those of their own impedance",
         OVER_PORT},
    [PORT_INDEX] =
        {"index", "speed of light over that of a line's long waves", "1",
         "its square is the effective permittivity times the effective permeability; left out of lumped ports and guides",
         OVER_PORT},
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

/* The sum of a component of a plane by the weights of its wave. */
static double complex weighted(const struct port *q, const struct monitors *all, double *const value[][2], int c, int f)
{
    const struct monitor *const m = &all->part[q->part];
    const struct box *const range = &m->range[c];
    const struct mode *const k = &q->mode;
    const int b = (k->axis + 1) % 3, along = (k->axis + 2) % 3;
    int at[3] = {range->i0, range->j0, range->k0};
    double complex sum = 0;
    do
        sum += q->test[c][plane_index(k->wide, k->low[b], k->low[along], at[b], at[along])] *
               value_at(m, value, c, f, at, all->dt_sample);
    while (next_of(range, at));
    return sum;
}

static struct seen plane_see(const struct port *q, const struct ports *p, double *const value[][2], int f)
{
    const struct monitors *const all = p->monitors;
    const double d = q->size[q->mode.axis], frequency = all->frequency[f], wave = port_wave(q, frequency, all->dt);
    struct seen s = {.said = wave > 0 && wave * d < 1};
    if (q->number == p->driven) {
        double spectrum[2];
        s.said &= monitor_waveform_spectrum(all, p->wave, f, spectrum);
    }
    if (!s.said) return s;
    const double complex u = weighted(q, all, value, 0, f) + weighted(q, all, value, 2, f),
                         j = weighted(q, all, value, 1, f) + weighted(q, all, value, 3, f);
    const double z = port_impedance(q, frequency, all->dt), root = sqrt(z);
    const double complex shift = cexp(-I * (2 * asin(wave * d) / d) * q->shift);
    s.a = (u + q->toward * z * j) / (2 * root) * shift;
    s.b = (u - q->toward * z * j) / (2 * root) / shift;
    s.voltage = (s.a + s.b) * root, s.current = (s.a - s.b) / root;
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
        const int has_s = driven && driven->said && s->said && cabs(driven->a) > 0,
                  has_voltage = p->of[n].kind != PORT_GUIDE && s->said;
        put(out, PORT_A_RE, at, s->said ? s->a : none), put(out, PORT_B_RE, at, s->said ? s->b : none);
        put(out, PORT_S_RE, at, has_s ? s->b / driven->a : none);
        put(out, PORT_VOLTAGE_RE, at, has_voltage ? s->voltage : none);
        put(out, PORT_CURRENT_RE, at, has_voltage ? s->current : none);
        const double a = cabs(s->a), b = cabs(s->b);
        if (out[PORT_POWER]) out[PORT_POWER][at] = s->said ? 0.5 * (a * a - b * b) : RESULT_NONE;
        if (s == driven && has_voltage && cabs(s->current) > 0) z = s->voltage / s->current;
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
            seen[(ptrdiff_t)f * p->n + n] = port_is_plane(q) ? plane_see(q, p, value, f) : lumped_see(q, p, value, f);
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
    if (!*rc && st->comm.rank == 0) monitor_waves_advance(p->monitors, st->step);
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

static double resistance_of(const struct port *q)
{
    return q->kind == PORT_GUIDE ? RESULT_NONE : q->kind == PORT_LINE ? q->tem.impedance : q->resistance;
}

int ports_fill(const struct result *r, const struct state *st, double *const *out)
{
    const struct ports *const p = r->own;
    int rc;
    struct seen *const seen = seen_make(p, st, &rc);
    SF_TRY(rc);
    for (int f = 0; f < p->monitors->nfrequencies && out; f++) frequency_put(p, f, seen + (ptrdiff_t)f * p->n, out);
    for (int n = 0; n < p->n && out; n++) {
        if (out[PORT_RESISTANCE]) out[PORT_RESISTANCE][n] = resistance_of(&p->of[n]);
        if (out[PORT_INDEX]) out[PORT_INDEX][n] = p->of[n].kind == PORT_LINE ? p->of[n].tem.index : RESULT_NONE;
        if (out[PORT_DRIVEN]) out[PORT_DRIVEN][n] = p->of[n].number == p->driven;
    }
    free(seen);
    return SF_OK;
}
