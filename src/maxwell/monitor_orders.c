/* Diffraction orders: from the sums of a plane to orders_NAME.nc. SPDX-License-Identifier: MIT */
#include "maxwell/monitor_orders.h"

#include "maxwell/bloch.h"
#include "maxwell/geometry.h"
#include "maxwell/monitor_parts.h"
#include "maxwell/place.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COMPONENTS = 4 }; /* E_u, H_v, E_v, H_u */
static const double pi = 3.14159265358979323846;

/* ---- the plane --------------------------------------------------------------------------------------------------- */

/* The highest order along u or v: as asked, or as travels in the medium. */
static int most_set(struct orders_monitor *o, int d)
{
    const double fits =
        o->period[d] * o->all->frequency[o->all->nfrequencies - 1] * o->index / em_c + fabs(o->shift[d]);
    const int wanted = o->asked ? o->asked : (int)(fits * (1 + 1e-9));
    o->most[d] = SF_MIN(wanted, (o->cells[d] - 1) / 2);
    free(o->number[d]);
    o->number[d] = malloc((size_t)(2 * o->most[d] + 1) * sizeof *o->number[d]);
    SF_CHECK(o->number[d], SF_MEMORY, "no memory for %d orders", o->most[d]);
    for (int q = -o->most[d]; q <= o->most[d]; q++) o->number[d][q + o->most[d]] = q;
    o->axis[ORDERS_U + d].n = 2 * o->most[d] + 1, o->axis[ORDERS_U + d].value = o->number[d];
    return SF_OK;
}

static int axis_take(struct orders_monitor *o, const struct monitor_setup *t, int d)
{
    const struct monitor *const m = &o->all->part[o->part];
    const int a = (o->normal + 1 + d) % 3, n = axis_cells(t->grid, a);
    const char *const name = o->name;
    double least = 1e300, most = 0;
    SF_CHECK(
        t->periodic[a] && m->plane[a][0] == 0 && m->plane[a][1] == n, SF_NAMELIST,
        "&monitor %s: kind = 'orders' is a plane that spans a domain with periodic sides along both axes across its normal, and along %c it does not",
        name, "xyz"[a]);
    for (int q = 0; q < n; q++)
        least = SF_MIN(least, place_cell(t->grid, a, q)), most = SF_MAX(most, place_cell(t->grid, a, q));
    SF_CHECK(most - least <= 1e-6 * most, SF_NAMELIST,
             "&monitor %s: cells along %c are %g to %g m large: orders are those of cells of one size", name, "xyz"[a],
             least, most);
    o->cells[d] = n, o->period[d] = place_at(t->grid, a, 1, n) - place_at(t->grid, a, 1, 0);
    o->shift[d] = t->bloch ? t->bloch->k[a] * o->period[d] / (2 * pi) : 0;
    return most_set(o, d);
}

int orders_new(struct monitors *all, const struct monitor_setup *t, int of, int part)
{
    struct orders_monitor *const o = calloc(1, sizeof *o);
    SF_CHECK(o, SF_MEMORY, "no memory for monitor %s", t->params->monitor_name[of]);
    all->orders[all->norders++] = o;
    *o = (struct orders_monitor){.all = all,
                                 .name = t->params->monitor_name[of],
                                 .of = of,
                                 .part = part,
                                 .normal = all->part[part].normal,
                                 .asked = t->params->monitor_orders[of],
                                 .index = 1};
    for (int d = 0; d < 2; d++) SF_TRY(axis_take(o, t, d));
    return SF_OK;
}

void orders_free(struct orders_monitor *o)
{
    if (!o) return;
    free(o->number[0]);
    free(o->number[1]);
    free(o);
}

int orders_medium(struct orders_monitor *o, struct geometry *g, const struct media *media)
{
    const struct monitor *const m = &o->all->part[o->part];
    int low[3], high[3], number = -1;
    unsigned char used[MEDIA_MAX];
    for (int a = 0; a < 3; a++) low[a] = m->plane[a][0] - (a == o->normal), high[a] = m->plane[a][1] + (a == o->normal);
    SF_TRY(geometry_media_of(g, low, high, used));
    for (int n = 0; n < media->n; n++) {
        const struct medium *const one = &media->medium[n];
        if (!used[n]) continue;
        SF_CHECK(
            number < 0 && n != MEDIUM_PEC && !(one->sigma > 0) && !(one->sigma_m > 0) && !one->npoles, SF_NAMELIST,
            "&monitor %s: beside its plane lies '%.64s'%s: orders are waves of one medium without losses; move the plane",
            o->name, one->name, number < 0 ? ", which conducts, loses energy or has poles" : " and another medium");
        number = n, o->index = __builtin_sqrt(one->epsilon * one->mu);
    }
    for (int d = 0; d < 2; d++) SF_TRY(most_set(o, d));
    return SF_OK;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static int goes_along(const struct orders_monitor *o)
{
    const struct monitor_travel *const t = &o->all->travel;
    return t->is_there && fabs(t->toward[o->normal]) > 1 - 1e-12;
}

void orders_describe(struct orders_monitor *o, const struct monitor_setup *t, struct result *r)
{
#define OVER_ALL 3, {ORDERS_FREQUENCY, ORDERS_U, ORDERS_V}, -1, NULL
    static const struct result_variable variable[ORDERS_VARIABLES] = {
        [ORDERS_FLUX] = {"flux", "power flow of an order, towards growing coordinates", "W Hz-2",
                         "1/2 Re of E x H* of its spectra, times the area; left out where the order does not travel",
                         OVER_ALL},
        [ORDERS_POWER] = {"power", "power flow of an order of a steady wave from a source of amplitude 1", "W",
                          "as in flux.nc", OVER_ALL},
        [ORDERS_EFFICIENCY] = {"efficiency", "power flow of an order, whichever way, over that of the plane wave", "1",
                               NULL, OVER_ALL},
        [ORDERS_THETA] = {"theta", "angle between an order and the normal of the plane", "degree", NULL, OVER_ALL}};
#undef OVER_ALL
    static const char *const axis[3] = {"order_x", "order_y", "order_z"};
    const struct monitors *const m = o->all;
    for (int v = 0; v < ORDERS_VARIABLES; v++) {
        if ((v == ORDERS_POWER && !m->nwaves) || (v == ORDERS_EFFICIENCY && !goes_along(o))) continue;
        o->variable[r->nvariables] = v;
        o->var[r->nvariables++] = variable[v];
    }
    o->axis[ORDERS_FREQUENCY] =
        (struct result_axis){"frequency", "frequency", "Hz", m->nfrequencies, m->frequency, NULL, NULL};
    for (int d = 0; d < 2; d++)
        o->axis[ORDERS_U + d] = (struct result_axis){axis[(o->normal + 1 + d) % 3],
                                                     "diffraction order: periods of its wave in the domain",
                                                     "1",
                                                     2 * o->most[d] + 1,
                                                     o->number[d],
                                                     NULL,
                                                     NULL};
    snprintf(o->file, sizeof o->file, "orders_%s.nc", t->params->monitor_name[o->of]);
    *r =
        (struct result){.file = o->file,
                        .comment = "spectra are Fourier integrals, sum of F(t) exp(-2 pi i f t) dt over the run so far",
                        .axis = o->axis,
                        .naxes = ORDERS_AXES,
                        .variable = o->var,
                        .nvariables = r->nvariables,
                        .fill = orders_fill,
                        .filling = 2 * COMPONENTS * sizeof(double) * (size_t)m->nfrequencies * (size_t)o->cells[0] *
                                   (size_t)o->cells[1],
                        .own = o};
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Values of one component, re or im, of all rows. */
static size_t values_of(const struct monitor *m)
{
    const struct extent *const e = &m->box;
    return (size_t)(e->i1 - e->i0) * (size_t)(e->j1 - e->j0) * (size_t)(e->k1 - e->k0) * (size_t)m->nfrequencies;
}

/* A component's spectrum at cell i along u, j along v. */
static double complex value_at(const struct orders_monitor *o, double *const rows[2], int f, int i, int j)
{
    const struct monitor *const m = &o->all->part[o->part];
    const struct extent *const e = &m->box;
    int at[3];
    at[o->normal] = m->plane[o->normal][0], at[(o->normal + 1) % 3] = i, at[(o->normal + 2) % 3] = j;
    const ptrdiff_t levels = e->k1 - e->k0, columns = e->i1 - e->i0;
    const ptrdiff_t n =
        (((at[AY] - e->j0) * (ptrdiff_t)m->nfrequencies + f) * levels + at[AZ] - e->k0) * columns + at[AX] - e->i0;
    return o->all->dt_sample * (rows[0][n] + I * rows[1][n]);
}

/* What the sums of one frequency are made of. */
struct orders_sums {
    double complex *turn[2]; /* [cells]: exp(j 2 pi i / cells), along u and v */
    double complex *shift[2]; /* [cells]: exp(j k i / cells), k the phase of &bloch from side to side */
    double complex *line[COMPONENTS]; /* [cells along v]: sums along u, for one p */
    double incident, square; /* see incident_of; |spectrum|^2 of what drives the run, 0: it says nothing */
    void *memory;
};

static int sums_make(struct orders_sums *w, const struct orders_monitor *o)
{
    const size_t n = 2 * (size_t)o->cells[0] + (COMPONENTS + 2) * (size_t)o->cells[1];
    double complex *at = malloc(n * sizeof *at);
    *w = (struct orders_sums){.memory = at};
    SF_CHECK(at, SF_MEMORY, "no memory for the orders of %s", o->name);
    for (int d = 0; d < 2; d++) {
        w->turn[d] = at, at += o->cells[d];
        w->shift[d] = at, at += o->cells[d];
        for (int m = 0; m < o->cells[d]; m++) {
            const double angle = 2 * pi * m / o->cells[d], shift = angle * o->shift[d];
            w->turn[d][m] = cos(angle) + I * sin(angle);
            w->shift[d][m] = cos(shift) + I * sin(shift);
        }
    }
    for (int c = 0; c < COMPONENTS; c++) w->line[c] = at, at += o->cells[1];
    return SF_OK;
}

/* exp(j (2 pi p + k) i / cells) */
static double complex turn(const struct orders_monitor *o, const struct orders_sums *w, int d, int p, int i)
{
    const long n = o->cells[d], at = (long)p * i % n;
    const double complex of = w->turn[d][at < 0 ? at + n : at];
    return o->shift[d] < 0 || o->shift[d] > 0 ? of * w->shift[d][i] : of;
}

/* Along u, of order p at one frequency. */
static void lines_sum(const struct orders_monitor *o, struct orders_sums *w, double *const rows[COMPONENTS][2], int f,
                      int p)
{
    for (int c = 0; c < COMPONENTS; c++)
        for (int j = 0; j < o->cells[1]; j++) {
            double complex sum = 0;
            for (int i = 0; i < o->cells[0]; i++) sum += turn(o, w, 0, p, i) * value_at(o, rows[c], f, i, j);
            w->line[c][j] = sum;
        }
}

/* F_pq of a component, of the sums along u for p. */
static double complex order_of(const struct orders_monitor *o, const struct orders_sums *w, int c, int q)
{
    double complex sum = 0;
    for (int j = 0; j < o->cells[1]; j++) sum += turn(o, w, 1, q, j) * w->line[c][j];
    return sum / ((double)o->cells[0] * o->cells[1]);
}

/* Sine of the angle to the normal; 1 and more: the order does not travel. */
static double sine_of(const struct orders_monitor *o, int f, int p, int q)
{
    const double wave = em_c / (o->index * o->all->frequency[f]);
    return hypot((p + o->shift[0]) * wave / o->period[0], (q + o->shift[1]) * wave / o->period[1]);
}

/* Of a wave with the wave numbers `across` on the grid: power flow over that of a wave of the same E across along the
 * normal, H the mean of half a cell on both sides: with W = 2 sin(w dt / 2) / dt n / c, K the part along the normal,
 * K^2 = W^2 - across^2, it is K / W of E normal to `across`, W / K of E along it, times cos(k d / 2). 0: below the
 * light line. */
static double turned_share(const struct monitor_travel *t, int normal, double W)
{
    const double u = t->across[0], v = t->across[1], square = u * u + v * v, K2 = W * W - square;
    if (!(K2 > 0)) return 0;
    const double K = sqrt(K2), sine = 0.5 * K * t->size;
    const double along = t->aim[(normal + 1) % 3] * u + t->aim[(normal + 2) % 3] * v, part = along * along / square;
    return ((1 - part) * K / W + part * W / K) * sqrt(fmax(1 - sine * sine, 0));
}

/* What the plane wave carries through the plane, W Hz-2, as it does where it enters its box; 0: nothing that is worth
 * it. */
static double incident_of(const struct orders_monitor *o, int f)
{
    double wave[2];
    if (!goes_along(o) || !monitor_wave_spectrum(o->all, f, wave)) return 0;
    const struct monitor_travel *const t = &o->all->travel;
    const double sine = t->index * t->size * sin(pi * o->all->frequency[f] * o->all->dt) / (em_c * o->all->dt);
    const int turns = t->across[0] < 0 || t->across[0] > 0 || t->across[1] < 0 || t->across[1] > 0;
    const double share = turns ? turned_share(t, o->normal, 2 * sine / t->size) : sqrt(fmax(1 - sine * sine, 0));
    return (wave[0] * wave[0] + wave[1] * wave[1]) / (2 * o->all->impedance) * share * o->period[0] * o->period[1];
}

static void order_put(const struct orders_monitor *o, const struct orders_sums *w, int f, int p, int q,
                      double *const all[ORDERS_VARIABLES])
{
    const ptrdiff_t at = ((ptrdiff_t)f * (2 * o->most[0] + 1) + p + o->most[0]) * (2 * o->most[1] + 1) + q + o->most[1];
    const double sine = sine_of(o, f, p, q);
    double value[ORDERS_VARIABLES] = {RESULT_NONE, RESULT_NONE, RESULT_NONE, RESULT_NONE};
    if (sine < 1) {
        double complex of[COMPONENTS];
        for (int c = 0; c < COMPONENTS; c++) of[c] = order_of(o, w, c, q);
        const double flux = 0.5 * creal(of[0] * conj(of[1]) - of[2] * conj(of[3])) * o->period[0] * o->period[1];
        value[ORDERS_FLUX] = flux, value[ORDERS_THETA] = asin(sine) * 180 / pi;
        if (w->square > 0) value[ORDERS_POWER] = flux / w->square;
        if (w->incident > 0) value[ORDERS_EFFICIENCY] = fabs(flux) / w->incident;
    }
    for (int v = 0; v < ORDERS_VARIABLES; v++)
        if (all[v]) all[v][at] = value[v];
}

static void frequency_fill(const struct orders_monitor *o, struct orders_sums *w, double *const rows[COMPONENTS][2],
                           int f, double *const all[ORDERS_VARIABLES])
{
    double wave[2];
    w->incident = incident_of(o, f);
    w->square = monitor_wave_spectrum(o->all, f, wave) ? wave[0] * wave[0] + wave[1] * wave[1] : 0;
    for (int p = -o->most[0]; p <= o->most[0]; p++) {
        lines_sum(o, w, rows, f, p);
        for (int q = -o->most[1]; q <= o->most[1]; q++) order_put(o, w, f, p, q, all);
    }
}

int orders_fill(const struct result *r, const struct state *st, double *const *out)
{
    const struct orders_monitor *const o = r->own;
    const struct monitor *const m = &o->all->part[o->part];
    const size_t each = values_of(m);
    double *const memory = malloc(2 * COMPONENTS * each * sizeof *memory);
    size_t *const bytes = calloc((size_t)st->comm.size, sizeof *bytes);
    double *rows[COMPONENTS][2], *all[ORDERS_VARIABLES] = {NULL};
    struct orders_sums w;
    int rc = sums_make(&w, o);
    if (!rc && !(memory && bytes))
        rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the orders of %s", o->name);
    rc = outcome_share(&st->comm, rc);
    for (int c = 0; c < COMPONENTS; c++)
        for (int part = 0; part < 2 && !rc; part++) {
            rows[c][part] = memory + (size_t)(2 * c + part) * each;
            rc = monitor_rows_gather(m, st, F_SUMS + o->part, c, part, rows[c][part], bytes);
        }
    if (!rc && out) monitor_waves_advance(o->all, st->step);
    for (int v = 0; v < r->nvariables && out; v++) all[o->variable[v]] = out[v];
    for (int f = 0; f < o->all->nfrequencies && !rc && out; f++) frequency_fill(o, &w, rows, f, all);
    free(w.memory);
    free(memory);
    free(bytes);
    return rc;
}
