/* From sums to files: flux.nc and dft_NAME.nc. SPDX-License-Identifier: MIT */
#include "maxwell/monitor.h"

#include "pipeline/error.h"
#include "pipeline/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FREQUENCY, MONITOR, FLUX_AXES };
enum { FLUX, POWER, TRANSMISSION, FLUX_VARIABLES };
enum { FIELD_Z = 1, FIELD_ZF, FIELD_Y, FIELD_YF, FIELD_X, FIELD_XF, FIELD_AXES }; /* after FREQUENCY */
enum { FIELD_VARIABLES = 2 * MONITOR_COMPONENTS, NAME = 96 };

/* What one file is made of: its result points to this. */
struct source_of {
    const struct monitors *all;
    int part;               /* of fields: its number */
    int variable[FLUX_VARIABLES]; /* of flux.nc: what each is */
    struct result_axis axis[FIELD_AXES];
    struct result_variable var[FIELD_VARIABLES];
    char file[NAME], name[FIELD_VARIABLES][8];
    double *place[FIELD_AXES];
};

struct monitor_results {
    int n, fluxes;
    const char **label; /* [fluxes]: names of the monitors of flux */
    int *of;            /* [fluxes]: their numbers in the namelist */
    struct result *result;      /* [n] */
    struct source_of *source; /* [n] */
    double *wave;  /* [nfrequencies][re, im]: sums of the waveform over the samples before wave_step; on rank 0 */
    long wave_step;
};

static const char phasors[] =
    "spectra are Fourier integrals, sum of F(t) exp(-2 pi i f t) dt over the run so far, E at its time t and H at its own, "
    "t - dt/2";

/* The worst outcome of all ranks: one alone would wait for ever. Collective. */
static int all_ready(const struct comm *c, int rc)
{
    int worst = rc;
    SF_TRY(comm_max(c, &worst));
    SF_CHECK(rc || !worst, worst, "a rank has no memory to gather its sums");
    return rc;
}

/* ---- flux -------------------------------------------------------------------------------------------------------- */

/* 1/2 Re (E_u H_v* - E_v H_u*) dA of one row at every frequency, without the square of dt_sample: along i, then over k. */
static void row_flux(const struct monitor *m, const struct state *st, int id, int j, double *flux)
{
    const struct extent *const e = &m->box;
    const int levels = e->k1 - e->k0, u = (m->normal + 1) % 3;
    for (int f = 0; f < m->nfrequencies; f++) {
        flux[f] = 0;
        for (int k = 0; k < levels; k++) {
            const real *line[4][2]; /* of E_u, H_v, E_v, H_u: re, im */
            for (int c = 0; c < 4; c++)
                for (int q = 0; q < 2; q++) line[c][q] = state_line(st, id, j, ((c * m->nfrequencies + f) * 2 + q) * levels + k);
            double sum = 0;
            for (int i = 0; i < e->i1 - e->i0; i++) {
                const int at[3] = {i, j - e->j0, k};
                double area[2] = {1, 1};
                for (int a = 0; a < 3; a++) {
                    area[0] *= (a == u ? m->cell : m->node)[a][at[a]];
                    area[1] *= (a == u ? m->node : m->cell)[a][at[a]];
                }
                const double first = (double)line[0][0][i] * line[1][0][i] + (double)line[0][1][i] * line[1][1][i];
                const double second = (double)line[2][0][i] * line[3][0][i] + (double)line[2][1][i] * line[3][1][i];
                sum += area[0] * first - area[1] * second;
            }
            flux[f] += 0.5 * sum;
        }
    }
}

/* Add the flux through one plane, outward, to sum[nfrequencies] on rank 0: rows in their global order. */
static int plane_flux(const struct monitor *m, const struct state *st, int id, double dt_sample, double *sum)
{
    const struct field *const field = &st->in->field[id];
    const int nf = m->nfrequencies, rows = m->box.j1 - m->box.j0;
    int ja, jb, first;
    size_t *const bytes = calloc((size_t)st->comm.size, sizeof *bytes);
    double *const flux = malloc((size_t)rows * (size_t)nf * sizeof *flux);
    int rc = bytes && flux ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the flux of monitor %s", m->name);
    rc = all_ready(&st->comm, rc);
    for (int r = 0; r < st->comm.size && !rc; r++) {
        field_rows(field, &st->comm, st->grid, r, &ja, &jb, &first);
        bytes[r] = (size_t)SF_MAX(jb - ja, 0) * (size_t)nf * sizeof *flux;
    }
    field_rows(field, &st->comm, st->grid, st->comm.rank, &ja, &jb, &first);
    for (int j = ja; j < jb && !rc; j++) row_flux(m, st, id, j, flux + (ptrdiff_t)(j - ja) * nf);
    if (!rc) rc = comm_gather(&st->comm, flux, flux, bytes);
    for (int f = 0; f < nf && !rc && st->comm.rank == 0; f++) {
        double all = 0;
        for (int j = 0; j < rows; j++) all += flux[(ptrdiff_t)j * nf + f];
        sum[f] += m->sign * all * dt_sample * dt_sample;
    }
    free(bytes);
    free(flux);
    return rc;
}

/* Take the sums of the waveform of the source to the present step, sampled as the fields were: from step 0 on in their order, so
 * that the bits depend neither on the output times nor on restarts. */
static void wave_advance(const struct monitors *m)
{
    struct monitor_results *const all = m->results;
    for (; all->wave_step < m->steps; all->wave_step += m->every) {
        const double t = (double)(all->wave_step + 1) * m->dt, value = m->waveform(m->source, t);
        for (int f = 0; f < m->nfrequencies; f++) {
            const double turn = 6.283185307179586 * m->frequency[f] * t;
            all->wave[2 * f] += value * sfd_cos(turn);
            all->wave[2 * f + 1] -= value * sfd_sin(turn);
        }
    }
}

/* out[nfrequencies][fluxes] */
static int flux_fill(const struct result *r, const struct state *st, int v, double *out)
{
    const struct source_of *const own = r->own;
    const struct monitors *const m = own->all;
    const struct monitor_results *const all = m->results;
    const int nf = m->nfrequencies;
    double *const sum = malloc((size_t)nf * sizeof *sum);
    int rc = sum ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for %d frequencies", nf);
    rc = all_ready(&st->comm, rc);
    for (int n = 0; n < all->fluxes && !rc; n++) {
        for (int f = 0; f < nf; f++) sum[f] = 0;
        for (int p = 0; p < m->nparts && !rc; p++)
            if (m->part[p].of == all->of[n]) rc = plane_flux(&m->part[p], st, F_SUMS + p, m->dt_sample, sum);
        for (int f = 0; f < nf && !rc && st->comm.rank == 0; f++) out[(ptrdiff_t)f * all->fluxes + n] = sum[f];
    }
    const int wanted = !rc && st->comm.rank == 0 && own->variable[v] == POWER;
    if (wanted) wave_advance(m);
    for (int f = 0; f < nf && wanted; f++) {
        const double *const w = &all->wave[2 * f];
        const double scale = m->amplitude * m->dt_sample, square = (w[0] * w[0] + w[1] * w[1]) * scale * scale;
        for (int n = 0; n < all->fluxes; n++) {
            double *const at = &out[(ptrdiff_t)f * all->fluxes + n];
            *at = square > 0 ? *at / square : RESULT_NONE;
        }
    }
    free(sum);
    return rc;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Rows of one component, re or im, [row][frequency][level][column], those of all ranks in order on rank 0. */
static int rows_gather(const struct monitor *m, const struct state *st, int id, int c, int part, double *rows, size_t *bytes)
{
    const struct field *const field = &st->in->field[id];
    const struct extent *const e = &m->box;
    const int levels = e->k1 - e->k0, columns = e->i1 - e->i0;
    const ptrdiff_t each = (ptrdiff_t)m->nfrequencies * levels * columns;
    int ja, jb, first;
    for (int r = 0; r < st->comm.size; r++) {
        field_rows(field, &st->comm, st->grid, r, &ja, &jb, &first);
        bytes[r] = (size_t)SF_MAX(jb - ja, 0) * (size_t)each * sizeof *rows;
    }
    field_rows(field, &st->comm, st->grid, st->comm.rank, &ja, &jb, &first);
    for (int j = ja; j < jb; j++)
        for (int f = 0; f < m->nfrequencies; f++)
            for (int k = 0; k < levels; k++) {
                const real *const line = state_line(st, id, j, ((c * m->nfrequencies + f) * 2 + part) * levels + k);
                double *const to = rows + (j - ja) * each + ((ptrdiff_t)f * levels + k) * columns;
                for (int i = 0; i < columns; i++) to[i] = line[i];
            }
    return comm_gather(&st->comm, rows, rows, bytes);
}

/* out[frequency][level][row][column] where the component exists */
static void rows_turn(const struct monitor *m, int c, double dt_sample, const double *rows, double *out)
{
    const struct extent *const e = &m->box;
    const struct box *const b = &m->range[c];
    const ptrdiff_t levels = e->k1 - e->k0, columns = e->i1 - e->i0, each = m->nfrequencies * levels * columns;
    for (int f = 0; f < m->nfrequencies; f++)
        for (int k = b->k0; k < b->k1; k++)
            for (int j = b->j0; j < b->j1; j++) {
                const double *const from = rows + (j - e->j0) * each + (f * levels + k - e->k0) * columns - e->i0;
                for (int i = b->i0; i < b->i1; i++) *out++ = from[i] * dt_sample;
            }
}

static int fields_fill(const struct result *r, const struct state *st, int v, double *out)
{
    const struct source_of *const own = r->own;
    const struct monitor *const m = &own->all->part[own->part];
    const struct extent *const e = &m->box;
    int ja = e->j0, jb = e->j1, first;
    if (st->comm.rank > 0) field_rows(&st->in->field[F_SUMS + own->part], &st->comm, st->grid, st->comm.rank, &ja, &jb, &first);
    const size_t mine = (size_t)SF_MAX(jb - ja, 0); /* rank 0 takes the rows of all */
    const size_t values = mine * (size_t)(e->k1 - e->k0) * (size_t)(e->i1 - e->i0) * (size_t)m->nfrequencies;
    double *const rows = malloc(values * sizeof *rows + 1);
    size_t *const bytes = calloc((size_t)st->comm.size, sizeof *bytes);
    int rc = rows && bytes ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for %zu values of %s", values, m->name);
    rc = all_ready(&st->comm, rc);
    if (!rc) rc = rows_gather(m, st, F_SUMS + own->part, v / 2, v % 2, rows, bytes);
    if (!rc && st->comm.rank == 0) rows_turn(m, v / 2, own->all->dt_sample, rows, out);
    free(rows);
    free(bytes);
    return rc;
}

/* ---- descriptions ------------------------------------------------------------------------------------------------ */

static struct result_axis frequency_axis(const struct monitors *m)
{
    return (struct result_axis){"frequency", "frequency", "Hz", m->nfrequencies, m->frequency, NULL, NULL};
}

static void flux_describe(struct monitors *m, struct result *r, struct source_of *own, const struct monitor_setup *t)
{
    static const struct result_variable variable[FLUX_VARIABLES] = {
        [FLUX] = {"flux", "power flow, towards growing coordinates or out of a closed box", "W Hz-2",
                  "1/2 Re of the integral of E x H* over the area, of the spectra E in V m-1 Hz-1 and H in A m-1 Hz-1; the energy "
                  "that passes is the integral of 4 flux over frequencies above 0, in J",
                  2, {FREQUENCY, MONITOR}, -1},
        [POWER] = {"power", "power flow of a steady wave from a source of amplitude 1", "W",
                   "flux over the square of the spectrum of amplitude times waveform, of the plane wave where there is one, else of the first "
                   "source; other sources keep their share", 2,
                   {FREQUENCY, MONITOR}, -1},
        [TRANSMISSION] = {"transmission", "power flow as a share of that of the reference run", "1", NULL, 2,
                          {FREQUENCY, MONITOR}, 0},
    };
    for (int v = 0; v < FLUX_VARIABLES; v++) {
        if (v == POWER && !m->waveform) continue;
        if (v == TRANSMISSION && !t->params->spectrum_reference[0]) continue;
        own->variable[r->nvariables] = v;
        own->var[r->nvariables++] = variable[v];
    }
    own->axis[FREQUENCY] = frequency_axis(m);
    own->axis[MONITOR] = (struct result_axis){"monitor", "number of the monitor in this file", "1", m->results->fluxes, NULL,
                                              m->results->label, NULL};
    r->file = "flux.nc";
    r->reference = t->params->spectrum_reference;
    r->naxes = FLUX_AXES;
    r->fill = flux_fill;
}

static double place_of(const struct grid *g, int a, int at, int node)
{
    return a == AX ? grid_x(g, at, node) : a == AY ? grid_y(g, at, node) : grid_z(g, at, node);
}

/* The axis of cells or nodes of a part: where the components that lie so exist. */
static int axis_describe(struct source_of *own, const struct monitor *m, const struct grid *g, int n, int a, int node)
{
    static const char *const name[3][2] = {{"x", "x_f"}, {"y", "y_f"}, {"z", "z_f"}};
    static const char *const long_name[3][2] = {{"distance eastward, cell centres", "distance eastward, cell faces"},
                                                {"distance northward, cell centres", "distance northward, cell faces"},
                                                {"height, cell centres", "height, cell faces"}};
    int c = 0;
    while (on_node(c, a) != node) c++;
    const struct box *const b = &m->range[c];
    const int lo = a == AX ? b->i0 : a == AY ? b->j0 : b->k0, hi = a == AX ? b->i1 : a == AY ? b->j1 : b->k1;
    double *const place = own->place[n] = malloc(3 * (size_t)(hi - lo) * sizeof *place), *const end = place ? place + (hi - lo) : NULL;
    SF_CHECK(place, SF_MEMORY, "no memory for the places of monitor %s", m->name);
    for (int q = lo; q < hi; q++) {
        place[q - lo] = place_of(g, a, q, node);
        /* Of a cell its faces, of a node the centres around it; on the first and last node of the domain that node itself. */
        const int cells = a == AX ? g->nx : a == AY ? g->ny : g->nz;
        end[2 * (q - lo)] = node && q == 0 ? place[q - lo] : place_of(g, a, q - node, !node);
        end[2 * (q - lo) + 1] = node && q == cells ? place[q - lo] : place_of(g, a, q + !node, !node);
    }
    own->axis[n] = (struct result_axis){name[a][node], long_name[a][node], "m", hi - lo, place, NULL, end};
    return SF_OK;
}

static int fields_describe(struct monitors *m, struct result *r, struct source_of *own, const struct monitor_setup *t)
{
    static const char *const component[MONITOR_COMPONENTS] = {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"};
    static const char *const text[2][2] = {
        {"spectrum of the electric field, real part", "spectrum of the electric field, imaginary part"},
        {"spectrum of the magnetic field, real part", "spectrum of the magnetic field, imaginary part"}};
    const struct monitor *const part = &m->part[own->part];
    own->axis[FREQUENCY] = frequency_axis(m);
    for (int a = 0; a < 3; a++)
        for (int node = 0; node < 2; node++)
            SF_TRY(axis_describe(own, part, t->grid, FIELD_X - 2 * a + node, a, node));
    for (int v = 0; v < FIELD_VARIABLES; v++) {
        const int c = v / 2;
        snprintf(own->name[v], sizeof own->name[v], "%s_%s", component[c], v % 2 ? "im" : "re");
        own->var[v] = (struct result_variable){
            own->name[v], text[c >= 3][v % 2], c < 3 ? "V m-1 Hz-1" : "A m-1 Hz-1", NULL, 4,
            {FREQUENCY, FIELD_Z + on_node(c, AZ), FIELD_Y + on_node(c, AY), FIELD_X + on_node(c, AX)}, -1};
    }
    snprintf(own->file, sizeof own->file, "dft_%s.nc", t->params->monitor_name[part->of]);
    r->file = own->file;
    r->naxes = FIELD_AXES;
    r->nvariables = FIELD_VARIABLES;
    r->fill = fields_fill;
    r->filling = sizeof(double) * (size_t)part->nfrequencies * (size_t)(part->box.k1 - part->box.k0) *
                 (size_t)(part->box.j1 - part->box.j0) * (size_t)(part->box.i1 - part->box.i0);
    return SF_OK;
}

/* Planes of one monitor follow each other. */
static void fluxes_list(struct monitors *m, const struct monitor_setup *t)
{
    struct monitor_results *const all = m->results;
    for (int p = 0; p < m->nparts; p++) {
        const int of = m->part[p].of;
        if (m->part[p].normal < 0 || (all->fluxes && all->of[all->fluxes - 1] == of)) continue;
        all->of[all->fluxes] = of;
        all->label[all->fluxes++] = t->params->monitor_name[of];
    }
}

static int results_fill(struct monitors *m, const struct monitor_setup *t)
{
    struct monitor_results *const all = m->results;
    fluxes_list(m, t);
    for (int p = all->fluxes ? -1 : 0; p < m->nparts; p++) {
        if (p >= 0 && m->part[p].normal >= 0) continue;
        struct source_of *const own = &all->source[all->n];
        struct result *const r = &all->result[all->n++];
        *own = (struct source_of){.all = m, .part = p};
        *r = (struct result){.comment = phasors, .axis = own->axis, .variable = own->var, .own = own};
        if (p < 0) flux_describe(m, r, own, t);
        else SF_TRY(fields_describe(m, r, own, t));
    }
    return SF_OK;
}

int monitor_results_make(struct monitors *m, const struct monitor_setup *t)
{
    struct monitor_results *const all = m->results = calloc(1, sizeof *all);
    SF_CHECK(all, SF_MEMORY, "no memory for the results of monitors");
    const size_t n = (size_t)m->nparts + 1;
    all->label = calloc(n, sizeof *all->label);
    all->of = calloc(n, sizeof *all->of);
    all->result = calloc(n, sizeof *all->result);
    all->source = calloc(n, sizeof *all->source);
    all->wave = calloc(2 * (size_t)m->nfrequencies, sizeof *all->wave);
    SF_CHECK(all->label && all->of && all->result && all->source && all->wave, SF_MEMORY, "no memory for the results of monitors");
    return results_fill(m, t);
}

void monitor_results_free(struct monitor_results **at)
{
    struct monitor_results *all = *at;
    if (!all) return;
    for (int n = 0; n < all->n && all->source; n++)
        for (int a = 0; a < FIELD_AXES; a++) free(all->source[n].place[a]);
    free(all->label);
    free(all->of);
    free(all->result);
    free(all->source);
    free(all->wave);
    free(all);
    *at = NULL;
}

const struct result *monitors_results(const struct monitors *m, int *n)
{
    *n = m ? m->results->n : 0;
    return m ? m->results->result : NULL;
}
