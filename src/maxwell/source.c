/* Currents and fields of dipoles and modes; the stages that apply them and the plane wave.
 * SPDX-License-Identifier: MIT */
#include "maxwell/source.h"

#include "maxwell/incident.h"
#include "maxwell/place.h"
#include "pipeline/error.h"
#include "pipeline/tables.h"

#include <stdio.h>
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
    s->at.low[a] = side_of(p, a, 0) == EM_PERIODIC && n == axis[a].n ? 0 : n;
    s->at.high[a] = s->at.low[a] + 1;
    const int low = s->at.low[a] == 0, high = s->at.low[a] == axis[a].n;
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
    const int at = 2 * s->at.low[a] + !on_node(s->component, a), low = 2 * axis[a].low,
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
        volume *= place_size(&axis[a], on_node(s->component, a), s->at.low[a]);
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
                                   .group = "&source: source",
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
                         .given = p->source_amplitude[m],
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
    *n = 0;
    *source = calloc((size_t)given + 1, sizeof **source);
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

const char *source_name(const struct source *s, char name[32])
{
    snprintf(name, 32, "%s %d", s->is_port ? "port" : "source", s->number);
    return name;
}

const char *source_keys(const struct source *s, const char *of_source, const char *of_port)
{
    return s->is_port ? of_port : of_source;
}

int source_index(const struct source *s) { return s->is_port ? -1 : s->number - 1; }

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

/* On one element of component `component` of E, or else of H: `at` its offset. */
static void drive(const struct source *source, const struct maxwell *x, const struct source_pack *p, int is_e,
                  int component, ptrdiff_t at, real value)
{
    real *const f = &p->f[component][at];
    *f = driven(*f, source->drive, media_turn(x, is_e, p->media[component], at), value);
}

static void block_run(const struct source *source, const struct source_pack *p, struct box b, const struct call *c)
{
    const int is_e = source->component < 3, component = source->component % 3;
    const struct place_range *const r = &source->at;
    const int i0 = SF_MAX(b.i0, r->low[AX]), i1 = SF_MIN(b.i1, r->high[AX]);
    const int k0 = SF_MAX(b.k0, r->low[AZ]), k1 = SF_MIN(b.k1, r->high[AZ]);
    for (int j = b.j0; j < b.j1; j++) {
        const int row = place_row(j, source->rows);
        if (row < r->low[AY] || row >= r->high[AY]) continue;
        for (int k = k0; k < k1; k++)
            for (int i = i0; i < i1; i++)
                drive(source, c->ctx, p, is_e, component, (j - p->j0) * p->sj + k * p->sk + i,
                      source->value[c->pass_step]);
    }
}

/* Component c of E of a mode; `which`: 0 the first that follows its axis, 1 the second. */
static void profile_run(const struct source *source, int c, int which, const struct source_pack *p, struct box b,
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
                const real share =
                    m->profile[which][plane_index(m->wide, m->low[along_b], m->low[along_c], n[along_b], n[along_c])];
                drive(source, call->ctx, p, 1, c, (j - p->j0) * p->sj + k * p->sk + i,
                      share * source->value[call->pass_step]);
            }
    }
}

/* Of the sources the plane wave alone has an imaginary part. */
static void sources_run(const struct source_pack *p, struct box b, const struct call *c, int is_e)
{
    const struct maxwell *const x = c->ctx;
    if (x->incident) incident_run(x->incident, p, b, c, is_e);
    if (p->imaginary) return;
    for (const struct source *n = x->source; n < x->source + x->nsources; n++) {
        if (n->is_mode) {
            for (int which = 0; is_e && which < 2; which++)
                profile_run(n, (n->mode.axis + 1 + which) % 3, which, p, b, c);
        } else if ((n->component < 3) == is_e) block_run(n, p, b, c);
    }
}

void source_h_elements(const struct source_pack *p, struct box b, const struct call *c) { sources_run(p, b, c, 0); }
void source_e_elements(const struct source_pack *p, struct box b, const struct call *c) { sources_run(p, b, c, 1); }

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
        if (!n->is_mode && (n->component < 3) == is_e) range_join(&all, b, &n->at, rows);
        for (int which = 0; n->is_mode && is_e && which < 2; which++) {
            const struct place_range r = mode_range(&n->mode, (n->mode.axis + 1 + which) % 3);
            range_join(&all, b, &r, rows);
        }
    }
    return all;
}

struct box source_h_changes(const struct call *c, struct box b) { return sources_change(c->ctx, b, 0); }
struct box source_e_changes(const struct call *c, struct box b) { return sources_change(c->ctx, b, 1); }
