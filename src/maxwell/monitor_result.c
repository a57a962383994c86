/* From sums to files: flux.nc and dft_NAME.nc. SPDX-License-Identifier: MIT */
#include "maxwell/bloch.h"
#include "maxwell/monitor_far.h"
#include "maxwell/monitor_orders.h"
#include "maxwell/monitor_parts.h"
#include "maxwell/place.h"
#include "maxwell/port.h"

#include "pipeline/error.h"
#include "pipeline/outcome.h"
#include "pipeline/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PHASORS                                                                                                        \
    "spectra are Fourier integrals, sum of F(t) exp(-2 pi i f t) dt over the run so far, E at its time t and H at its own, t - dt/2"

static const char
    phasors[] = PHASORS,
    phasors_at_centres[] = PHASORS
    "; components are means of the places around a cell's centre, or around a plane where the region has no extent";

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* From sums of what is stored to those of E, along a line of a component that exists there. */
static void columns_whole(const struct maxwell *x, const struct slab *s, const struct monitor *m, int c, int j, int k,
                          double *to)
{
    const struct box *const b = &m->range[c];
    if (j < b->j0 || j >= b->j1 || k < b->k0 || k >= b->k1) return;
    const ptrdiff_t line = (j - s->j0) * s->sj + k * s->sk;
    for (int i = b->i0; i < b->i1; i++)
        to[i - m->box.i0] *= (double)coefficient_at(x->e.whole, s->f[F_MEX + m->component[c]], line + i, x->e_wide);
}

/* Of complex fields: j times the sums of the imaginary part, whose real part belongs to Im, and Im, negative, to Re. */
static void imaginary_add(const struct monitor_view *line, int part, int n, double *to)
{
    for (int i = 0; i < n; i++) {
        const double own = (double)monitor_view_at(line, i);
        to[i] += part ? own : -own;
    }
}

/* Rows of one component, re or im, [row][frequency][level][column], those of all ranks in order on rank 0. */
int monitor_rows_gather(const struct monitor *m, const struct state *st, int id, int c, int part, double *rows,
                        size_t *bytes)
{
    const struct field *const field = &st->in->field[id];
    const struct extent *const e = &m->box;
    const struct maxwell *const x = st->in->ctx;
    const int levels = e->k1 - e->k0, columns = e->i1 - e->i0, beyond = monitor_imaginary(st);
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
                const struct monitor_view line = monitor_view(m, st, id, j, k, c, f, part);
                double *const to = rows + (j - ja) * each + ((ptrdiff_t)f * levels + k) * columns;
                for (int i = 0; i < columns; i++) to[i] = (double)monitor_view_at(&line, i);
                if (beyond) {
                    const struct monitor_view other = monitor_view(m, st, id + beyond, j, k, c, f, !part);
                    imaginary_add(&other, part, columns, to);
                }
                if (m->component[c] < 3 && x && x->e.whole) columns_whole(x, &st->host.s, m, c, j, e->k0 + k, to);
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

/* Where a value of a component is taken from along one axis: two places, and their weights. */
struct mean {
    int at[2];
    double weight[2];
    int is_unknown; /* 1: one of the two is not kept */
    int crosses; /* 1: the second lies beyond a periodic side, where complex fields turn */
};

/* Number p of the values along axis a, of a component on nodes or on cells: at the centre of a cell, or on the plane of
 * nodes that a region without extent is. Means of two places are exact where a field is linear. */
static struct mean mean_of(const struct monitor *m, const struct grid *g, int a, int node, int p)
{
    const int lo = m->plane[a][0], cell = lo + p, cells = a == AX ? g->nx : a == AY ? g->ny : g->nz;
    if (lo == m->plane[a][1]) {
        if (node) return (struct mean){{lo, lo}, {1, 0}, 0, 0};
        const double below = place_at(g, a, 0, lo - 1), above = place_at(g, a, 0, lo),
                     share = (place_at(g, a, 1, lo) - below) / (above - below);
        return (struct mean){{lo - 1, lo}, {1 - share, share}, 0, 0};
    }
    if (!node) return (struct mean){{cell, cell}, {1, 0}, 0, 0};
    const int next = cell + 1 < cells ? cell + 1 : m->far[a];
    if (next == FAR_UNKNOWN) return (struct mean){{cell, cell}, {0.5, 0}, 1, 0};
    return next < 0 ? (struct mean){{cell, cell}, {0.5, 0}, 0, 0}
                    : (struct mean){{cell, next}, {0.5, 0.5}, 0, next == 0};
}

/* How many values a field has along an axis where all its components are in one place. */
static int means_count(const struct monitor *m, int a) { return SF_MAX(m->plane[a][1] - m->plane[a][0], 1); }

/* One part, re (0) or im, of complex fields, and the other one: what turns beyond a side takes both. */
struct part_rows {
    int turns; /* 0: nothing does */
    const double *own, *other;
    double turn[1 << 3][2]; /* of own and other: across the axes of a sum of 1 << axis */
};

/* The turn is exp(-j k L) across each axis. */
static struct part_rows part_rows_of(const struct bloch *b, int part, const double *own, const double *other)
{
    struct part_rows p = {.turns = b != NULL, .own = own, .other = other};
    for (int crossed = 0; crossed < 1 << 3 && b; crossed++) {
        double angle = 0;
        for (int a = 0; a < 3; a++) angle += crossed & 1 << a ? b->k[a] * b->period[a] : 0;
        const double sine = sfd_sin(angle);
        p.turn[crossed][0] = sfd_cos(angle), p.turn[crossed][1] = part ? -sine : sine;
    }
    return p;
}

/* Value `at`, turned as beyond the axes in `crossed`. */
static double part_at(const struct part_rows *p, int crossed, ptrdiff_t at)
{
    if (!p->turns || !crossed) return p->own[at];
    return p->turn[crossed][0] * p->own[at] + p->turn[crossed][1] * p->other[at];
}

/* out[frequency][level][row][column] of means; work: one for every column */
static void rows_mean(const struct monitor *m, const struct grid *g, int c, double dt_sample, const struct part_rows *p,
                      struct mean *work, double *out)
{
    const struct extent *const e = &m->box;
    const ptrdiff_t levels = e->k1 - e->k0, columns = e->i1 - e->i0, each = m->nfrequencies * levels * columns;
    const int ni = means_count(m, AX);
    for (int i = 0; i < ni; i++) work[i] = mean_of(m, g, AX, on_node(c, AX), i);
    for (int f = 0; f < m->nfrequencies; f++)
        for (int k = 0; k < means_count(m, AZ); k++)
            for (int j = 0; j < means_count(m, AY); j++, out += ni) {
                const struct mean z = mean_of(m, g, AZ, on_node(c, AZ), k), y = mean_of(m, g, AY, on_node(c, AY), j);
                memset(out, 0, (size_t)ni * sizeof *out);
                for (int q = 0; q < 4; q++) {
                    const double weight = z.weight[q / 2] * y.weight[q % 2] * dt_sample;
                    const ptrdiff_t from =
                        (y.at[q % 2] - e->j0) * each + (f * levels + z.at[q / 2] - e->k0) * columns - e->i0;
                    const int crossed = (z.crosses && q / 2) << AZ | (y.crosses && q % 2) << AY;
                    for (int i = 0; i < ni && weight > 0; i++) {
                        const struct mean *const x = &work[i];
                        const double one = part_at(p, crossed, from + x->at[0]),
                                     two = part_at(p, crossed | x->crosses << AX, from + x->at[1]);
                        out[i] += weight * (x->weight[0] * one + x->weight[1] * two);
                    }
                }
                for (int i = 0; i < ni; i++)
                    if (z.is_unknown || y.is_unknown || work[i].is_unknown) out[i] = RESULT_NONE;
            }
}

/* Values of one field in the cells of a monitor. */
static size_t cells_count(const struct monitor *m)
{
    return (size_t)m->nfrequencies * (size_t)means_count(m, AX) * (size_t)means_count(m, AY) *
           (size_t)means_count(m, AZ);
}

/* Of a component that is complete, re behind im: its square on edges joins those in the cells, by the same means. */
static void squares_add(const struct monitor *m, const struct grid *g, int c, double dt_sample, const double *on_edges,
                        struct mean *work, double *one, double *square)
{
    const struct part_rows p = {.own = on_edges};
    rows_mean(m, g, c, dt_sample * dt_sample, &p, work, one);
    for (size_t q = 0; q < cells_count(m); q++)
        square[q] = one[q] < RESULT_NONE && square[q] < RESULT_NONE ? square[q] + one[q] : RESULT_NONE;
}

static int fields_fill(const struct result *r, const struct state *st, double *const *out)
{
    const struct source_of *const own = r->own;
    const struct monitor *const m = &own->all->part[own->part];
    const struct extent *const e = &m->box;
    int ja = e->j0, jb = e->j1, first;
    if (st->comm.rank > 0)
        field_rows(&st->in->field[F_SUMS + own->part], &st->comm, st->grid, st->comm.rank, &ja, &jb, &first);
    const size_t mine = (size_t)SF_MAX(jb - ja, 0); /* rank 0 takes the rows of all */
    const size_t values = mine * (size_t)(e->k1 - e->k0) * (size_t)(e->i1 - e->i0) * (size_t)m->nfrequencies;
    const struct maxwell *const x = st->in->ctx;
    const struct bloch *const bloch = own->all->staggered || !x ? NULL : x->bloch;
    double *const rows = malloc((bloch ? 2 : 1) * values * sizeof *rows + 1), *const other = rows + values;
    size_t *const bytes = calloc((size_t)st->comm.size, sizeof *bytes);
    struct mean *const work = malloc((size_t)means_count(m, AX) * sizeof *work);
    const int losses = out && r->nvariables > FIELD_PARTS && (out[FIELD_LOSS] || out[FIELD_SAR]);
    const size_t cells = losses ? cells_count(m) : 0;
    double *const square = calloc(2 * cells + (losses ? values : 0) + 1,
                                  sizeof *square), /* in cells, of one component, on edges */
        *const one = square ? square + cells : NULL, *const on_edges = square ? one + cells : NULL;
    int rc = rows && bytes && work && square
                 ? SF_OK
                 : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for %zu values of %s", values, m->name);
    rc = outcome_share(&st->comm, rc);
    for (int v = 0; v < FIELD_PARTS && !rc; v++) {
        rc = monitor_rows_gather(m, st, F_SUMS + own->part, v / 2, v % 2, rows, bytes);
        if (!rc && bloch) rc = monitor_rows_gather(m, st, F_SUMS + own->part, v / 2, !(v % 2), other, bytes);
        if (rc || !out) continue;
        for (size_t q = 0; q < values && losses && v / 2 < 3; q++)
            on_edges[q] = rows[q] * rows[q] + (v % 2 ? on_edges[q] : 0);
        if (losses && v / 2 < 3 && v % 2)
            squares_add(m, st->grid, v / 2, own->all->dt_sample, on_edges, work, one, square);
        if (!out[v]) continue;
        if (own->all->staggered) rows_turn(m, v / 2, own->all->dt_sample, rows, out[v]);
        else {
            const struct part_rows p = part_rows_of(bloch, v % 2, rows, other);
            rows_mean(m, st->grid, v / 2, own->all->dt_sample, &p, work, out[v]);
        }
    }
    if (losses && !rc) monitor_loss_fill(own->all, m, st->in->own, st->step, square, out[FIELD_LOSS], out[FIELD_SAR]);
    free(square);
    free(rows);
    free(bytes);
    free(work);
    return rc;
}

/* ---- descriptions ------------------------------------------------------------------------------------------------ */

static struct result_axis frequency_axis(const struct monitors *m)
{
    return (struct result_axis){"frequency", "frequency", "Hz", m->nfrequencies, m->frequency, NULL, NULL};
}

/* axis, then centres and nodes */
static const char *const axis_name[3][2] = {{"x", "x_f"}, {"y", "y_f"}, {"z", "z_f"}};
static const char *const axis_long_name[3][2] = {{"distance eastward, cell centres", "distance eastward, cell faces"},
                                                 {"distance northward, cell centres", "distance northward, cell faces"},
                                                 {"height, cell centres", "height, cell faces"}};

/* Elements lo .. hi - 1 of axis a, on cells or nodes, and their cells: of a cell its faces, of a node the centres
 * around it; on the first and last node of the domain that node itself. */
static int places_describe(struct source_of *own, const struct grid *g, int n, int a, int node, int lo, int hi)
{
    const int cells = a == AX ? g->nx : a == AY ? g->ny : g->nz;
    double *const place = own->place[n] = malloc(3 * (size_t)(hi - lo) * sizeof *place), *const end =
                                                                                             place ? place + (hi - lo)
                                                                                                   : NULL;
    SF_CHECK(place, SF_MEMORY, "no memory for the places of a monitor, %d of %s", hi - lo, axis_name[a][node]);
    for (int q = lo; q < hi; q++) {
        place[q - lo] = place_at(g, a, node, q);
        end[2 * (q - lo)] = node && q == 0 ? place[q - lo] : place_at(g, a, !node, q - node);
        end[2 * (q - lo) + 1] = node && q == cells ? place[q - lo] : place_at(g, a, !node, q + !node);
    }
    own->axis[n] = (struct result_axis){axis_name[a][node], axis_long_name[a][node], "m", hi - lo, place, NULL, end};
    return SF_OK;
}

/* Is some flux that of more than one plane? */
static int has_box(const struct monitors *m)
{
    int planes = 0;
    for (int p = 0; p < m->nparts; p++) planes += monitor_is_flux(&m->part[p]);
    return planes > m->results->fluxes;
}

static int flux_describe(struct monitors *m, struct result *r, struct source_of *own, const struct monitor_setup *t)
{
    static const struct result_variable variable[FLUX_VARIABLES] = {
        [FLUX] =
            {"flux",
             "power flow, towards growing coordinates or out of a closed box",
             "W Hz-2",
             "1/2 Re of the integral of E x H* over the area, of the spectra E in V m-1 Hz-1 and H in A m-1 Hz-1; the energy "
             "that passes is the integral of 4 flux over frequencies above 0, in J",
             2,
             {FREQUENCY, MONITOR},
             -1,
             NULL},
        [POWER] =
            {"power",
             "power flow of a steady wave from a source of amplitude 1",
             "W",
             "flux over the square of the spectrum of amplitude times waveform, of the plane wave where there is one, else of the first "
             "source; other sources keep their share; left out where round-off may change it by more than a fifth",
             2,
             {FREQUENCY, MONITOR},
             -1,
             NULL},
        [SECTION] =
            {"cross_section",
             "power over the intensity of the plane wave",
             "m2",
             "of closed boxes: what the object scatters where only the scattered field is on the box, less what it absorbs where the "
             "whole field is; of a plane wave of amplitude 1 the intensity is 1 V m-1 squared over twice the wave impedance around it",
             2,
             {FREQUENCY, MONITOR},
             -1,
             NULL},
        [ROUND_OFF] =
            {"flux_round_off",
             "what round-off may have put into flux",
             "W Hz-2",
             "of fields that are off by the share of the waveform's spectrum that round-off leaves; a flux of less than five times as "
             "much is none to divide by",
             2,
             {FREQUENCY, MONITOR},
             -1,
             NULL},
        [TRANSMISSION] = {"transmission",
                          "power flow as a share of that of the reference run",
                          "1",
                          NULL,
                          2,
                          {FREQUENCY, MONITOR},
                          0,
                          "flux_round_off"},
    };
    for (int v = 0; v < FLUX_VARIABLES; v++) {
        if ((v == POWER || v == ROUND_OFF) && !m->nwaves) continue;
        if (v == SECTION && (t->bloch || !(has_box(m) && (m->incident > 0 || m->incident < 0)))) continue;
        if (v == TRANSMISSION && !t->params->spectrum_reference[0]) continue;
        own->variable[r->nvariables] = v;
        own->var[r->nvariables++] = variable[v];
    }
    own->axis[FREQUENCY] = frequency_axis(m);
    own->axis[MONITOR] = (struct result_axis){
        "monitor", "number of the monitor in this file", "1", m->results->fluxes, NULL, m->results->label, NULL};
    const int cells[3] = {t->grid->nx, t->grid->ny, t->grid->nz}; /* the mesh, which no variable counts by */
    for (int a = 0; a < 3; a++) SF_TRY(places_describe(own, t->grid, FLUX_X - a, a, 1, 0, cells[a] + 1));
    r->file = "flux.nc";
    r->reference = t->params->spectrum_reference;
    r->naxes = FLUX_AXES;
    r->fill = monitor_flux_fill;
    return SF_OK;
}

/* The axis of cells or nodes of a part: where the components that lie so exist. */
static int axis_describe(struct source_of *own, const struct monitor *m, const struct grid *g, int n, int a, int node)
{
    int c = 0;
    while (on_node(c, a) != node) c++;
    const struct box *const b = &m->range[c];
    const int lo = a == AX ? b->i0 : a == AY ? b->j0 : b->k0, hi = a == AX ? b->i1 : a == AY ? b->j1 : b->k1;
    return places_describe(own, g, n, a, node, lo, hi);
}

/* The three axes of centres of a part, or of the plane of nodes that it is. */
static int centres_describe(struct source_of *own, const struct monitor *m, const struct grid *g)
{
    static const char *const of_plane[3] = {"distance eastward, of the plane", "distance northward, of the plane",
                                            "height, of the plane"};
    for (int a = 0; a < 3; a++) {
        const int lo = m->plane[a][0], is_plane = lo == m->plane[a][1], n = FIELD_PLACE + AZ - a;
        SF_TRY(places_describe(own, g, n, a, is_plane, lo, lo + means_count(m, a)));
        own->axis[n].name = axis_name[a][0];
        if (is_plane) own->axis[n].long_name = of_plane[a];
    }
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
    if (!m->staggered) SF_TRY(centres_describe(own, part, t->grid));
    for (int a = 0; a < 3 && m->staggered; a++)
        for (int node = 0; node < 2; node++) SF_TRY(axis_describe(own, part, t->grid, FIELD_X - 2 * a + node, a, node));
    for (int v = 0; v < FIELD_PARTS; v++) {
        const int c = v / 2;
        snprintf(own->name[v], sizeof own->name[v], "%s_%s", component[c], v % 2 ? "im" : "re");
        own->var[v] = (struct result_variable){own->name[v],
                                               text[c >= 3][v % 2],
                                               c < 3 ? "V m-1 Hz-1" : "A m-1 Hz-1",
                                               NULL,
                                               4,
                                               {FREQUENCY, FIELD_PLACE, FIELD_PLACE + 1, FIELD_PLACE + 2},
                                               -1,
                                               NULL};
        for (int a = 0; a < 3 && m->staggered; a++) own->var[v].dim[1 + AZ - a] = FIELD_X - 2 * a + on_node(c, a);
    }
    snprintf(own->file, sizeof own->file, "dft_%s.nc", t->params->monitor_name[part->of]);
    r->file = own->file;
    r->naxes = m->staggered ? FIELD_AXES : FIELD_PLACE + 3;
    if (!m->staggered) r->comment = phasors_at_centres;
    r->nvariables = FIELD_PARTS;
    if (!m->staggered && monitor_has_loss(t->params)) {
        static const char *const comment =
            "of a steady wave from a source of amplitude 1, as power of flux.nc: w eps0 epsilon'' |E|^2 / 2 in each cell, of its medium and the means of squares on its edges";
        own->var[FIELD_LOSS] = (struct result_variable){"power_loss",
                                                        "power that the medium takes",
                                                        "W m-3",
                                                        comment,
                                                        4,
                                                        {FREQUENCY, FIELD_PLACE, FIELD_PLACE + 1, FIELD_PLACE + 2},
                                                        -1,
                                                        NULL};
        own->var[FIELD_SAR] =
            (struct result_variable){"sar",    "specific absorption rate",
                                     "W kg-1", comment,
                                     4,        {FREQUENCY, FIELD_PLACE, FIELD_PLACE + 1, FIELD_PLACE + 2},
                                     -1,       NULL};
        r->nvariables = FIELD_VARIABLES;
    }
    r->fill = fields_fill;
    r->filling = sizeof(double) * (size_t)part->nfrequencies * (size_t)(part->box.k1 - part->box.k0) *
                 (size_t)(part->box.j1 - part->box.j0) * (size_t)(part->box.i1 - part->box.i0);
    if (t->bloch && !m->staggered) r->filling *= 2;
    if (r->nvariables > FIELD_PARTS)
        r->filling += r->filling / MONITOR_COMPONENTS + 2 * sizeof(double) * cells_count(part);
    return SF_OK;
}

/* Planes of one monitor follow each other. */
static void fluxes_list(struct monitors *m, const struct monitor_setup *t)
{
    struct monitor_results *const all = m->results;
    for (int p = 0; p < m->nparts; p++) {
        const int of = m->part[p].of;
        if (!monitor_is_flux(&m->part[p]) || (all->fluxes && all->of[all->fluxes - 1] == of)) continue;
        all->of[all->fluxes] = of;
        all->label[all->fluxes++] = t->params->monitor_name[of];
    }
}

static int results_fill(struct monitors *m, const struct monitor_setup *t)
{
    struct monitor_results *const all = m->results;
    fluxes_list(m, t);
    for (int p = all->fluxes ? -1 : 0; p < m->nparts; p++) {
        if (p >= 0 && (m->part[p].normal >= 0 || m->part[p].is_port)) continue; /* of a flux, a far field or a port */
        struct source_of *const own = &all->source[all->n];
        struct result *const r = &all->result[all->n++];
        *own = (struct source_of){.all = m, .part = p};
        *r = (struct result){.comment = phasors, .axis = own->axis, .variable = own->var, .own = own};
        if (p < 0) SF_TRY(flux_describe(m, r, own, t));
        else SF_TRY(fields_describe(m, r, own, t));
    }
    for (int n = 0; n < m->nfar; n++) {
        all->source[all->n] = (struct source_of){.all = m, .part = m->far[n]->first};
        SF_TRY(far_describe(m->far[n], t, &all->result[all->n++]));
    }
    for (int n = 0; n < m->norders; n++) {
        all->source[all->n] = (struct source_of){.all = m, .part = m->orders[n]->part};
        orders_describe(m->orders[n], t, &all->result[all->n++]);
    }
    if (m->ports) {
        all->source[all->n] = (struct source_of){.all = m};
        ports_describe(m->ports, &all->result[all->n++]);
    }
    return SF_OK;
}

int monitor_results_make(struct monitors *m, const struct monitor_setup *t)
{
    struct monitor_results *const all = m->results = calloc(1, sizeof *all);
    SF_CHECK(all, SF_MEMORY, "no memory for the results of monitors");
    m->staggered = t->staggered;
    const size_t n = (size_t)m->nparts + 2;
    all->label = calloc(n, sizeof *all->label);
    all->of = calloc(n, sizeof *all->of);
    all->result = calloc(n, sizeof *all->result);
    all->source = calloc(n, sizeof *all->source);
    all->wave = wave_sums_new(m);
    SF_CHECK(all->label && all->of && all->result && all->source && all->wave, SF_MEMORY,
             "no memory for the results of monitors");
    return results_fill(m, t);
}

void monitor_results_identify(struct monitors *m)
{
    for (int n = 0; n < m->results->n; n++)
        if (m->results->source[n].part < 0)
            m->results->result[n].fact = m->fact, m->results->result[n].nfacts = m->nfacts;
}

void monitor_results_free(struct monitors *m)
{
    struct monitor_results *all = m->results;
    if (!all) return;
    for (int n = 0; n < all->n && all->source; n++)
        for (int a = 0; a < FIELD_AXES; a++) free(all->source[n].place[a]);
    free(all->label);
    free(all->of);
    free(all->result);
    free(all->source);
    wave_sums_free(all->wave, m);
    free(all);
    m->results = NULL;
}

const struct result *monitors_results(const struct monitors *m, int *n)
{
    *n = m ? m->results->n : 0;
    return m ? m->results->result : NULL;
}
