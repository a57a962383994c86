/* Currents and fields of dipoles and modes; the stages that apply them and the plane wave.
 * SPDX-License-Identifier: MIT */
#include "maxwell/source.h"

#include "maxwell/conformal.h"
#include "maxwell/incident.h"
#include "maxwell/place.h"
#include "pipeline/error.h"
#include "pipeline/tables.h"

#include <stdlib.h>

enum source_kind { SOURCE_NONE, SOURCE_ELECTRIC, SOURCE_MAGNETIC, SOURCE_MODE };

/* ---- making ------------------------------------------------------------------------------------------------------ */

static int conducts(int side) { return side == EM_PEC || side == EM_CPML; }

/* Along one axis: the element that is nearest. A component that lies in a conducting side is zero there. */
static int place_find(struct source *s, const struct maxwell_params *p, int m, const struct grid *g,
                      const struct axis_lines axis[3], int a)
{
    const double at[3] = {p->source_x[m], p->source_y[m], p->source_z[m]};
    const int node = on_node(s->component, a), n = grid_nearest(g, a, node, at[a]);
    SF_CHECK(n >= 0, SF_NAMELIST, "&source: source %d: %c = %g m lies outside of the domain", m + 1, "xyz"[a], at[a]);
    s->at[a] = side_of(p, a, 0) == EM_PERIODIC && n == axis[a].n ? 0 : n;
    const int low = s->at[a] == 0, high = s->at[a] == axis[a].n;
    const int zero = (low && conducts(side_of(p, a, 0))) || (high && conducts(side_of(p, a, 1)));
    SF_CHECK(!zero || !node, SF_NAMELIST,
             "&source: source %d: %c%c at the %s end of %c lies in a conductor, where it stays zero", m + 1,
             s->component < 3 ? 'E' : 'H', "xyz"[s->component % 3], low ? "low" : "high", "xyz"[a]);
    return SF_OK;
}

/* Does the element lie in an absorbing layer? What it sends out is damped there, and the grading is not what it is
 * meant for. */
static void layer_look(const struct source *s, int m, const struct axis_lines axis[3], int a, const char *keys,
                       struct complaints *to)
{
    const int at = 2 * s->at[a] + !on_node(s->component, a), low = 2 * axis[a].low,
              high = 2 * (axis[a].n - axis[a].high);
    if (at < low || at > high)
        sf_complain_mildly(
            to, keys, m, "source %d lies in the absorbing layer at the %s side, which damps what it sends out: move %c",
            m + 1, side_name(a, at > high), "xyz"[a]);
}

static const char *const place_keys[] = {"source%x source%kind", "source%y source%kind", "source%z source%kind"};

static int dipole_make(struct source *s, const struct maxwell_params *p, int m, const struct grid *g,
                       const struct axis_lines axis[3], struct complaints *to)
{
    const int before = to ? to->errors : 0;
    double volume = 1;
    s->component = p->source_axis[m] + (p->source_kind[m] == SOURCE_MAGNETIC ? 3 : 0);
    for (int a = 0; a < 3; a++) {
        SF_TRY(sf_complain_or_fail(to, place_keys[a], m, place_find(s, p, m, g, axis, a)));
        volume *= place_size(&axis[a], on_node(s->component, a), s->at[a]);
    }
    for (int a = 0; a < 3 && (!to || to->errors == before); a++) layer_look(s, m, axis, a, place_keys[a], to);
    if (s->drive == DRIVE_CURRENT) s->amplitude = -s->amplitude / volume;
    return SF_OK;
}

/* Where E along the plane is free; the far plane of a periodic axis is the first. */
static int plane_check(struct mode *mode, const struct maxwell_params *p, const struct axis_lines axis[3], int number)
{
    const int a = mode->axis, n = axis[a].n;
    if (side_of(p, a, 0) == EM_PERIODIC && mode->low[a] == n) mode->low[a] = mode->high[a] = 0;
    for (int high = 0; high < 2; high++) {
        const int side = side_of(p, a, high), cells = high ? n - mode->low[a] : mode->low[a];
        SF_CHECK(
            side != EM_PEC || cells > 0, SF_NAMELIST,
            "&source: source %d: the plane of its mode is the %s side, a conductor, where it would be zero: move %c into the "
            "domain",
            number, side_name(a, high), "xyz"[a]);
        SF_CHECK(
            side != EM_CPML || cells >= (high ? axis[a].high : axis[a].low), SF_NAMELIST,
            "&source: source %d: the plane of its mode lies in the absorbing layer at the %s side: move %c out of it",
            number, side_name(a, high), "xyz"[a]);
    }
    return SF_OK;
}

/* Walls on sides of the domain must conduct. What is uniform along a periodic axis needs none across it. */
static int walls_check(const struct mode *mode, const struct mode_keys *keys, const struct maxwell_params *p,
                       const struct axis_lines axis[3], int number)
{
    for (int which = 0; which < 2; which++) {
        const int a = (mode->axis + 1 + which) % 3, waves = which ? keys->n : keys->m;
        const int whole = mode->low[a] == 0 && mode->high[a] == axis[a].n;
        if (whole && !waves && side_of(p, a, 0) == EM_PERIODIC) continue;
        for (int high = 0; high < 2; high++) {
            const int reached = high ? mode->high[a] == axis[a].n : mode->low[a] == 0;
            SF_CHECK(
                !reached || side_of(p, a, high) == EM_PEC, SF_NAMELIST,
                "&source: source %d: the guide of its mode ends at the %s side, which is no conductor: make that side 'pec', or "
                "paint a guide in 'pec' and give its inner size, size_%c",
                number, side_name(a, high), "ab"[which]);
        }
    }
    return SF_OK;
}

static int guide_make(struct source *s, const struct maxwell_params *p, int m, const struct grid *g,
                      const struct axis_lines axis[3], struct complaints *to)
{
    const struct mode_keys keys = {.axis = p->source_axis[m],
                                   .m = p->source_mode_m[m],
                                   .n = p->source_mode_n[m],
                                   .centre = {p->source_x[m], p->source_y[m], p->source_z[m]},
                                   .size_b = p->source_size_a[m],
                                   .size_c = p->source_size_b[m]};
    s->is_mode = 1;
    const int before = to ? to->errors : 0;
    SF_TRY(sf_complain_or_fail(to, "source%kind", m, mode_make(&s->mode, &keys, g, axis, m + 1)));
    if (to && to->errors > before) return SF_OK;
    SF_TRY(sf_complain_or_fail(to, place_keys[keys.axis], m, plane_check(&s->mode, p, axis, m + 1)));
    SF_TRY(sf_complain_or_fail(to, "source%kind", m, walls_check(&s->mode, &keys, p, axis, m + 1)));
    if (s->drive == DRIVE_CURRENT)
        s->amplitude = -s->amplitude / place_size(&axis[keys.axis], 1, s->mode.low[keys.axis]);
    return SF_OK;
}

static int source_make(struct source *s, const struct maxwell_params *p, int m, const struct grid *g,
                       const struct axis_lines axis[3], const char *dir, struct complaints *to)
{
    const struct waveform_keys keys = {.kind = p->source_waveform[m],
                                       .frequency = p->source_frequency[m],
                                       .bandwidth = p->source_bandwidth[m],
                                       .delay = p->source_delay[m],
                                       .phase = p->source_phase[m],
                                       .file = p->source_file[m]};
    *s = (struct source){.number = m + 1,
                         .drive = (enum source_drive)p->source_drive[m],
                         .amplitude = p->source_amplitude[m],
                         .rows = p->boundary_south == EM_PERIODIC ? axis[AY].n : 0};
    const char *const of_wave =
        keys.kind == WAVE_FILE ? "source%file source%waveform" : "source%waveform source%frequency";
    SF_TRY(sf_complain_or_fail(to, of_wave, m, waveform_make(&s->wave, &keys, dir)));
    return p->source_kind[m] == SOURCE_MODE ? guide_make(s, p, m, g, axis, to) : dipole_make(s, p, m, g, axis, to);
}

int sources_make(struct source **source, int *n, const struct maxwell_params *p, int given, const struct grid *grid,
                 const struct axis_lines axis[3], const char *dir, struct complaints *to)
{
    *source = NULL, *n = 0;
    if (!given) return SF_OK;
    *source = calloc((size_t)given, sizeof **source);
    SF_CHECK(*source, SF_MEMORY, "no memory for %d sources", given);
    for (int m = 0; m < given; m++)
        if (p->source_kind[m] != SOURCE_NONE) {
            ++*n; /* before: what fails is freed, too */
            SF_TRY(source_make(&(*source)[*n - 1], p, m, grid, axis, dir, to));
        }
    return SF_OK;
}

void sources_free(struct source *source, int n)
{
    for (int m = 0; m < n; m++) {
        waveform_free(&source[m].wave);
        mode_free(&source[m].mode);
        table_free(source[m].value);
    }
    free(source);
}

/* ---- conductors -------------------------------------------------------------------------------------------------- */

/* Rows of cells as geometry_row gives them, of even and odd number. */
struct rows {
    struct geometry *g;
    unsigned char *cell[2];
    int j[2], held[2];
};

static int cell_look(struct rows *r, const int at[3], int *pec)
{
    const int odd = at[AY] & 1;
    if (!r->held[odd] || r->j[odd] != at[AY]) {
        SF_TRY(geometry_load(r->g, at[AY], at[AY] + 1));
        geometry_row(r->g, at[AY], r->cell[odd]);
        r->j[odd] = at[AY], r->held[odd] = 1;
    }
    *pec = r->cell[odd][(ptrdiff_t)(at[AZ] + 1) * (r->g->axis[AX].n + 2) + at[AX] + 1] == MEDIUM_PEC;
    return SF_OK;
}

/* Is the edge of component c in a cell or a sheet that conducts? */
static int edge_look(struct rows *r, int c, const int at[3], int *pec)
{
    *pec = 0;
    if (r->g->ncuts) {
        SF_TRY(conformal_load(r->g, at[AY], at[AY] + 1));
        *pec = !conformal_edge(r->g, c, at, NULL);
        return SF_OK;
    }
    for (int m = 0; m < 4 && !*pec; m++) {
        int cell[3] = {at[0], at[1], at[2]};
        cell[(c + 1) % 3] -= m & 1, cell[(c + 2) % 3] -= m >> 1;
        SF_TRY(cell_look(r, cell, pec));
    }
    for (const struct sheet *s = r->g->sheet; s < r->g->sheet + r->g->nsheets && !*pec; s++) {
        *pec = c != s->axis;
        for (int a = 0; a < 3; a++) *pec = *pec && sheet_has_along(s, &r->g->axis[a], c, a, at[a]);
    }
    return SF_OK;
}

/* H is shut in where all four edges around it conduct. */
static int component_look(struct rows *r, int component, const int at[3], int *pec)
{
    if (component < 3) return edge_look(r, component, at, pec);
    const int b = (component + 1) % 3, c = (component + 2) % 3;
    *pec = 1;
    for (int m = 0; m < 4 && *pec; m++) {
        int edge[3] = {at[0], at[1], at[2]};
        edge[m & 1 ? c : b] += m >> 1;
        SF_TRY(edge_look(r, m & 1 ? b : c, edge, pec));
    }
    return SF_OK;
}

/* A current goes along the open part of an edge. A field that is set or added would be that of the whole edge, and a
 * magnetic current flows through a whole face. */
static int cut_look(const struct source *s, struct geometry *g)
{
    if (!g->ncuts || s->is_mode || (s->component < 3 && s->drive == DRIVE_CURRENT)) return SF_OK;
    SF_TRY(conformal_load(g, s->at[AY], s->at[AY] + 1));
    SF_CHECK(
        !conformal_is_cut(g, s->component, s->at), SF_NAMELIST,
        "&source: source %d: its %c%c lies on the surface of 'pec', which cuts its cell (maxwell%%conformal): move it by a cell%s",
        s->number, s->component < 3 ? 'E' : 'H', "xyz"[s->component % 3],
        s -> component < 3 ? ", or take drive = 'current'" : "");
    return SF_OK;
}

static int source_look(const struct source *s, struct rows *r)
{
    int pec = 0;
    if (!s->is_mode) SF_TRY(component_look(r, s->component, s->at, &pec));
    SF_CHECK(
        !pec, SF_NAMELIST,
        "&source: source %d: its %c%c lies in 'pec' that &geometry paints, where the field stays zero: move it, or leave a gap "
        "there",
        s->number, s->component < 3 ? 'E' : 'H', "xyz"[s->component % 3]);
    return cut_look(s, r->g);
}

/* Edges of a mode's plane that its profile drives, and those of them that conduct. */
static int mode_look(const struct source *s, struct rows *r, int *driven_edges, int *shut)
{
    const struct mode *const m = &s->mode;
    const int along_b = (m->axis + 1) % 3, along_c = (m->axis + 2) % 3;
    *driven_edges = *shut = 0;
    for (int which = 0; which < 2; which++) {
        const int c = which ? along_c : along_b;
        const struct place_range range = mode_range(m, c);
        int at[3], pec;
        for (at[1] = range.low[1]; at[1] < range.high[1]; at[1]++)
            for (at[2] = range.low[2]; at[2] < range.high[2]; at[2]++)
                for (at[0] = range.low[0]; at[0] < range.high[0]; at[0]++) {
                    const double share = (double)m->factor[which][0][at[along_b] - m->low[along_b]] *
                                         (double)m->factor[which][1][at[along_c] - m->low[along_c]];
                    if (share * share < 1e-12) continue;
                    SF_TRY(edge_look(r, c, at, &pec));
                    ++*driven_edges, *shut += pec || conformal_is_cut(r->g, c, at);
                }
    }
    return SF_OK;
}

/* A profile that conductors cut is no mode of what is left. */
static int modes_look(const struct source *source, int n, struct rows *r, struct complaints *to)
{
    for (const struct source *s = source; s < source + n; s++) {
        int all, shut;
        if (!s->is_mode) continue;
        SF_TRY(mode_look(s, r, &all, &shut));
        if (shut)
            sf_complain_mildly(
                to, "source%size_a source%size_b source%kind", s->number - 1,
                "source %d: %d of the %d edges that its mode drives lie in 'pec' that &geometry paints, or are cut by it: its profile is that of a guide of %d x %d "
                "cells and not of the one that is there; give size_a and size_b, the guide's inner size, and its centre",
                s->number, shut, all, s->mode.high[(s->mode.axis + 1) % 3] - s->mode.low[(s->mode.axis + 1) % 3],
                s->mode.high[(s->mode.axis + 2) % 3] - s->mode.low[(s->mode.axis + 2) % 3]);
    }
    return SF_OK;
}

static int modes_drive_look(const struct source *source, int n, struct rows *r)
{
    for (const struct source *s = source; s < source + n; s++) {
        int all, shut;
        if (!s->is_mode || s->drive == DRIVE_CURRENT || !r->g->ncuts) continue;
        SF_TRY(mode_look(s, r, &all, &shut));
        SF_CHECK(
            !shut, SF_NAMELIST,
            "&source: source %d: conductors lie on or cut edges of its mode's plane (maxwell%%conformal), where it sets or adds a field: take drive = 'current'",
            s->number);
    }
    return SF_OK;
}

static int all_look(const struct source *source, int n, struct rows *r, struct complaints *to)
{
    for (const struct source *s = source; s < source + n; s++)
        SF_TRY(sf_complain_or_fail(to, "source%kind", s->number - 1, source_look(s, r)));
    return SF_OK;
}

int sources_check(const struct source *source, int n, struct geometry *g, struct complaints *to)
{
    if (!n || (!g->used[MEDIUM_PEC] && !g->nsheets)) return SF_OK;
    const size_t size = ((size_t)g->axis[AX].n + 2) * ((size_t)g->axis[AZ].n + 2);
    unsigned char *const cells = malloc(2 * size);
    SF_CHECK(cells, SF_MEMORY, "no memory for two rows of cells");
    struct rows r = {.g = g, .cell = {cells, cells + size}};
    int rc = all_look(source, n, &r, to);
    if (!rc) rc = modes_look(source, n, &r, to);
    if (!rc) rc = sf_complain_or_fail(to, "source%drive", -1, modes_drive_look(source, n, &r));
    free(cells);
    return rc;
}

/* ---- a pass ------------------------------------------------------------------------------------------------------ */

/* Steps after its beginning at which the step takes the waveform. */
static double moment_of(const struct source *s)
{
    const int magnetic = !s->is_mode && s->component >= 3;
    return (s->drive == DRIVE_CURRENT ? 0.5 : 1) - (magnetic ? 0.5 : 0);
}

int sources_prepare(struct source *source, int n, int steps, const double *time, double dt)
{
    for (struct source *s = source; s < source + n; s++) {
        if (steps > s->capacity) {
            table_free(s->value);
            s->capacity = 0;
            s->value = table_alloc((size_t)steps * sizeof *s->value);
            SF_CHECK(s->value, SF_MEMORY, "no memory for %d steps of a source", steps);
            s->capacity = steps;
        }
        const double later = moment_of(s) * dt;
        for (int m = 0; m < steps; m++) s->value[m] = (real)(s->amplitude * waveform_value(&s->wave, time[m] + later));
    }
    return SF_OK;
}

void sources_band(const struct source *source, int n, const struct incident *in, double share, double *lowest,
                  double *highest)
{
    *lowest = *highest = 0;
    for (int m = 0; m < n + (in != NULL); m++) {
        double low, high;
        waveform_band(m < n ? &source[m].wave : incident_waveform(in), share, &low, &high);
        if (!m || low < *lowest) *lowest = low;
        if (!m || high > *highest) *highest = high;
    }
}

double sources_end(const struct source *source, int n, const struct incident *in)
{
    double end = in ? waveform_end(incident_waveform(in)) : 0;
    for (int m = 0; m < n; m++) end = SF_MAX(end, waveform_end(&source[m].wave));
    return end;
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

/* On one element: `at` its offset. */
static void drive(const struct source *source, const struct maxwell *x, const struct slab *s, int component,
                  ptrdiff_t at, real value)
{
    real *const f = s->w[F_EX + component] + at;
    *f = driven(*f, source->drive, place_turn(x, s, component, at), value);
}

static void dipole_run(const struct source *source, const struct slab *s, struct box b, const struct call *c)
{
    const int i = source->at[AX], k = source->at[AZ];
    if (i < b.i0 || i >= b.i1 || k < b.k0 || k >= b.k1) return;
    for (int j = b.j0; j < b.j1; j++)
        if (place_row(j, source->rows) == source->at[AY])
            drive(source, c->ctx, s, source->component, (j - s->j0) * s->sj + k * s->sk + i,
                  source->value[c->pass_step]);
}

/* Component c of a mode; `which`: 0 the first that follows its axis, 1 the second. */
static void profile_run(const struct source *source, int c, int which, const struct slab *s, struct box b,
                        const struct call *call)
{
    const struct mode *const m = &source->mode;
    const struct place_range r = mode_range(m, c);
    const int along_b = (m->axis + 1) % 3, along_c = (m->axis + 2) % 3;
    const int i0 = SF_MAX(b.i0, r.low[AX]), i1 = SF_MIN(b.i1, r.high[AX]);
    const int k0 = SF_MAX(b.k0, r.low[AZ]), k1 = SF_MIN(b.k1, r.high[AZ]);
    for (int j = b.j0; j < b.j1; j++) {
        const int row = place_row(j, source->rows);
        if (row < r.low[AY] || row >= r.high[AY]) continue;
        for (int k = k0; k < k1; k++)
            for (int i = i0; i < i1; i++) {
                const int n[3] = {i, row, k};
                const real *const of_b = m->factor[which][0], *const of_c = m->factor[which][1];
                const real share = of_b[n[along_b] - m->low[along_b]] * of_c[n[along_c] - m->low[along_c]];
                drive(source, call->ctx, s, c, (j - s->j0) * s->sj + k * s->sk + i,
                      share * source->value[call->pass_step]);
            }
    }
}

static void sources_run(const struct slab *s, struct box b, const struct call *c, int is_e)
{
    const struct maxwell *const x = c->ctx;
    for (const struct source *n = x->source; n < x->source + x->nsources; n++) {
        if (n->is_mode) {
            for (int which = 0; is_e && which < 2; which++)
                profile_run(n, (n->mode.axis + 1 + which) % 3, which, s, b, c);
        } else if ((n->component < 3) == is_e) dipole_run(n, s, b, c);
    }
}

void source_h_run(const struct slab *s, struct box b, const struct call *c)
{
    const struct maxwell *const x = c->ctx;
    if (x->incident) incident_h_run(x->incident, s, b, c);
    sources_run(s, b, c, 0);
}

void source_e_run(const struct slab *s, struct box b, const struct call *c)
{
    const struct maxwell *const x = c->ctx;
    if (x->incident) incident_e_run(x->incident, s, b, c);
    sources_run(s, b, c, 1);
}

/* ---- what they change -------------------------------------------------------------------------------------------- */

/* `rows`: after which y repeats, 0: never. Where it does, all rows of a box that has an image of one. */
static void range_join(struct box *all, struct box b, const struct place_range *r, int rows)
{
    struct box x = {.i0 = SF_MAX(b.i0, r->low[AX]),
                    .i1 = SF_MIN(b.i1, r->high[AX]),
                    .k0 = SF_MAX(b.k0, r->low[AZ]),
                    .k1 = SF_MIN(b.k1, r->high[AZ]),
                    .j0 = SF_MAX(b.j0, r->low[AY]),
                    .j1 = SF_MIN(b.j1, r->high[AY])};
    if (rows) x.j0 = b.j0, x.j1 = b.j1;
    if (x.i0 >= x.i1 || x.k0 >= x.k1 || !place_rows_meet(r->low[AY], r->high[AY], rows, b.j0, b.j1)) return;
    if (all->i0 >= all->i1) *all = x;
    *all = (struct box){.i0 = SF_MIN(all->i0, x.i0),
                        .i1 = SF_MAX(all->i1, x.i1),
                        .k0 = SF_MIN(all->k0, x.k0),
                        .k1 = SF_MAX(all->k1, x.k1),
                        .j0 = SF_MIN(all->j0, x.j0),
                        .j1 = SF_MAX(all->j1, x.j1)};
}

static struct box sources_change(const struct maxwell *x, struct box b, int is_e)
{
    const int rows = x->periodic[AY] ? x->nj : 0;
    struct box all = {0};
    if (x->incident) {
        const struct place_range r = incident_range(x->incident, is_e);
        range_join(&all, b, &r, rows);
    }
    for (const struct source *n = x->source; n < x->source + x->nsources; n++) {
        const int *const at = n->at;
        const struct place_range one = {.low = {at[0], at[1], at[2]}, .high = {at[0] + 1, at[1] + 1, at[2] + 1}};
        if (!n->is_mode && (n->component < 3) == is_e) range_join(&all, b, &one, rows);
        for (int which = 0; n->is_mode && is_e && which < 2; which++) {
            const struct place_range r = mode_range(&n->mode, (n->mode.axis + 1 + which) % 3);
            range_join(&all, b, &r, rows);
        }
    }
    return all;
}

struct box source_h_changes(const struct call *c, struct box b) { return sources_change(c->ctx, b, 0); }
struct box source_e_changes(const struct call *c, struct box b) { return sources_change(c->ctx, b, 1); }
