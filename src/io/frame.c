/* Choosing the variables of a history file and collecting their values. SPDX-License-Identifier: MIT */
#include "io/frame.h"

#include "pipeline/error.h"
#include "pipeline/outcome.h"
#include "pipeline/taken.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NAMES_SIZE = 896 };

int frame_fields_given(const struct config *c)
{
    const int most = (int)(sizeof c->output_fields / sizeof c->output_fields[0]);
    int given = 0;
    for (int n = 0; n < most; n++) given += c->output_fields[n][0] != '\0';
    return given;
}

static int is_named(const struct config *c, const char *name)
{
    const int most = (int)(sizeof c->output_fields / sizeof c->output_fields[0]);
    for (int n = 0; n < most; n++)
        if (!strcasecmp(c->output_fields[n], name)) return 1;
    return 0;
}

/* ---- the region -------------------------------------------------------------------------------------------------- */

static double centre_of(const struct grid *g, int axis, int n)
{
    return axis == 0 ? grid_x(g, n, 0) : axis == 1 ? grid_y(g, n, 0) : g->z_c[n];
}

/* Cells [*first, *first + *n) of `cells` along an axis whose centres lie between the ends, within round-off; where none
 * does, the one nearest to their middle. */
static void cells_between(const struct grid *g, int axis, int cells, const double end[2], int *first, int *n)
{
    const double low = centre_of(g, axis, 0), high = centre_of(g, axis, cells - 1);
    const double slack = cells > 1 ? GRID_TIE * (high - low) / (cells - 1) : 0, middle = 0.5 * (end[0] + end[1]);
    int from = 0, to = cells;
    while (from < cells && centre_of(g, axis, from) < end[0] - slack) from++;
    while (to > from && centre_of(g, axis, to - 1) > end[1] + slack) to--;
    *first = to > from ? from : grid_nearest(g, axis, 0, SF_MIN(SF_MAX(middle, low), high));
    *n = SF_MAX(to - from, 1);
}

static int region_is_given(const struct config *c)
{
    int given = 0;
    for (int n = 0; n < 6; n++) given |= c->output_region[n] != 0;
    return given;
}

static struct box region_of(const struct instance *in)
{
    const struct grid *g = in->grid;
    const double *const end = in->config->output_region;
    int first[3] = {0}, n[3] = {g->nx, g->ny, g->nz};
    for (int a = 0; a < 3 && region_is_given(in->config); a++) cells_between(g, a, n[a], end + 2 * a, &first[a], &n[a]);
    return (struct box){.i0 = first[0],
                        .i1 = first[0] + n[0],
                        .j0 = first[1],
                        .j1 = first[1] + n[1],
                        .k0 = first[2],
                        .k1 = first[2] + n[2]};
}

static void region_check(const struct instance *in, struct complaints *to)
{
    static const char *const side[] = {"west", "east", "south", "north", "bottom", "top"};
    const struct grid *g = in->grid;
    const double *const end = in->config->output_region;
    const double low[] = {g->x0, g->y0, g->z_f[0]}, high[] = {grid_x(g, g->nx, 1), grid_y(g, g->ny, 1), g->top};
    for (int a = 0; a < 3 && region_is_given(in->config); a++) {
        const double slack = GRID_TIE * (high[a] - low[a]) / (double[]){g->nx, g->ny, g->nz}[a];
        if (end[2 * a] > end[2 * a + 1])
            sf_complain(to, "output%region", 2 * a, "its %s end, %g m, lies beyond its %s end, %g m", side[2 * a],
                        end[2 * a], side[2 * a + 1], end[2 * a + 1]);
        else if (end[2 * a] > high[a] + slack || end[2 * a + 1] < low[a] - slack)
            sf_complain(to, "output%region", 2 * a,
                        "from %g to %g m along %c it lies outside the domain, which is from %g to %g m", end[2 * a],
                        end[2 * a + 1], "xyz"[a], low[a], high[a]);
    }
}

/* The part of a variable that lies in the region: with the faces at both its ends, where they exist. */
static void region_cut(struct variable *v, const struct box *r)
{
    const int face[3] = {(v->stagger & STAG_X) != 0, (v->stagger & STAG_Y) != 0, (v->stagger & STAG_Z) != 0};
    if (v->shape != SHAPE_LEVELS) {
        v->i0 = r->i0, v->ni = SF_MIN(r->i1 + face[0], v->ni) - r->i0;
        v->j0 = r->j0, v->nj = SF_MIN(r->j1 + face[1], v->nj) - r->j0;
    }
    if (v->shape != SHAPE_MAP) v->k0 = r->k0, v->nk = SF_MIN(r->k1 + face[2], v->nk) - r->k0;
}

/* ---- the variables ----------------------------------------------------------------------------------------------- */

static struct variable of_diagnostic(const struct instance *in, int n)
{
    const struct diagnostic *d = &in->diagnostic[n];
    return (struct variable){.name = d->name,
                             .long_name = d->long_name,
                             .unit = d->unit,
                             .standard_name = d->standard_name,
                             .late = d->late,
                             .diagnostic = d,
                             .shape = d->is_map ? SHAPE_MAP : SHAPE_FULL,
                             .ni = in->grid->nx,
                             .nk = d->is_map ? 1 : in->grid->nz,
                             .nj = in->grid->ny};
}

static struct variable of_field(const struct instance *in, int id)
{
    const struct field *f = &in->field[id];
    struct variable v = {.name = f->name,
                         .long_name = f->long_name,
                         .unit = f->unit,
                         .standard_name = f->standard_name,
                         .late = f->late,
                         .field = id,
                         .stagger = f->stagger,
                         .shape = f->shape};
    field_extent(f, in->grid, &v.ni, &v.nk, &v.nj);
    if (v.shape != SHAPE_FULL) v.nk = v.shape == SHAPE_MAP ? 1 : in->grid->nz;
    if (v.shape == SHAPE_LEVELS) v.ni = v.nj = 1;
    return v;
}

/* Variable n, of n = 0 .. candidates - 1; 0: there is none. At cell centres: the diagnostics, and behind them maps
 * (field_is_shown), which stand in one plane; on the native grid: fields that are kept. */
static int candidates(const struct instance *in, int native) { return in->nfields + (native ? 0 : in->ndiagnostics); }

static int candidate(const struct instance *in, int native, int n, struct variable *v)
{
    const int id = native ? n : n - in->ndiagnostics;
    if (id < 0) return *v = of_diagnostic(in, n), 1;
    const struct field *const f = &in->field[id];
    *v = of_field(in, id);
    return native ? field_is_kept(f) && f->shape != SHAPE_BOX : field_is_shown(f);
}

/* 1: with other parameters there would be such a variable. */
static int is_of_others(const struct instance *in, const char *name)
{
    int found = 0;
    for (int n = in->ndiagnostics; n < in->ndiagnostics_most; n++) found |= !strcasecmp(name, in->diagnostic[n].name);
    for (int n = 0; in->model && n < in->model->nfields; n++) {
        const struct field *const f = field_of_others(in, n);
        found |= f && !strcasecmp(name, f->name);
    }
    return found;
}

/* The native grid has the model's own fields alone. */
static int is_centred_only(const struct instance *in, const char *name)
{
    int found = 0;
    for (int n = 0; n < in->ndiagnostics; n++) found |= !strcasecmp(name, in->diagnostic[n].name);
    return found;
}

void frame_check(const struct instance *in, struct complaints *to)
{
    const struct config *c = in->config;
    const int most = (int)(sizeof c->output_fields / sizeof c->output_fields[0]), native = c->output_staggered;
    region_check(in, to);
    for (int g = 0; g < most; g++) {
        const char *given = c->output_fields[g];
        char names[NAMES_SIZE] = "";
        int known = !given[0];
        for (int m = 0; m < candidates(in, native) && !known; m++) {
            struct variable v;
            if (!candidate(in, native, m, &v)) continue;
            const size_t used = strlen(names);
            known = !strcasecmp(given, v.name);
            snprintf(names + used, sizeof names - used, " %s", v.name);
        }
        if (!known && native && is_centred_only(in, given))
            sf_complain(to, "output%fields", g,
                        "'%.64s' is known at cell centres only: leave it out, or write with staggered = "
                        ".false.; on the native grid there are:%s",
                        given, names);
        else if (!known)
            sf_complain(to, "output%fields", g, "there is no history variable '%.64s'%s; there are:%s", given,
                        is_of_others(in, given) ? " with these parameters" : "", names);
    }
}

/* Names in one file must differ by more than case. */
static int names_differ(const struct frame_set *set, const struct instance *in)
{
    for (int n = 0; n < set->n; n++) {
        const char *name = set->v[n].name;
        int clash = name_is_taken(name);
        for (int m = 0; m < n; m++) clash |= !strcasecmp(name, set->v[m].name);
        for (int m = 0; m < in->nprofiles; m++) clash |= !strcasecmp(name, in->profile[m].name);
        SF_CHECK(!clash, SF_INTERNAL, "two history variables would be called '%s'", name);
    }
    return SF_OK;
}

int frame_set_init(struct frame_set *set, const struct instance *in)
{
    const struct config *c = in->config;
    const int native = c->output_staggered, listed = frame_fields_given(c) > 0;
    const int most = candidates(in, native);
    *set = (struct frame_set){.v = calloc((size_t)most + 1, sizeof *set->v), .region = region_of(in)};
    SF_CHECK(set->v, SF_MEMORY, "no memory for a list of %d history variables", most);
    for (int n = 0; n < most; n++) set->n += candidate(in, native, n, &set->v[set->n]);

    const int possible = set->n;
    set->n = 0;
    for (int n = 0; n < possible; n++) {
        struct variable v = set->v[n];
        if (listed ? !is_named(c, v.name) : v.diagnostic && !v.diagnostic->initial) continue;
        region_cut(&v, &set->region);
        const size_t row = (size_t)v.ni * (size_t)v.nk;
        v.at = set->elements;
        set->elements += row * (size_t)v.nj;
        set->row_most = SF_MAX(set->row_most, row);
        set->v[set->n++] = v;
    }
    return names_differ(set, in);
}

void frame_set_free(struct frame_set *set)
{
    free(set->v);
    *set = (struct frame_set){0};
}

/* ---- collecting -------------------------------------------------------------------------------------------------- */

/* Rows [*ja, *jb) of the domain of the variable are given by `rank`; the last rank has the face beyond the last cell as
 * well. */
static void rows_of(const struct variable *v, const struct comm *c, const struct grid *g, int rank, int *ja, int *jb)
{
    if (v->shape == SHAPE_LEVELS) {
        *ja = 0;
        *jb = rank == 0;
        return;
    }
    comm_rows(c, g->ny, rank, ja, jb);
    if (*jb == g->ny) *jb = SF_MAX(*jb, v->j0 + v->nj);
    *ja = SF_MAX(*ja, v->j0);
    *jb = SF_MAX(SF_MIN(*jb, v->j0 + v->nj), *ja);
}

size_t frame_own_elements(const struct frame_set *set, const struct state *st)
{
    return set->row_most * (size_t)(st->jb - st->ja + 1);
}

/* `whole`: room for a row of the domain where the variable is only a part of it, else NULL. */
static void fill_row(const struct variable *v, const struct state *st, int j, real *restrict out, real *restrict whole)
{
    const struct slab *s = &st->host.s;
    const size_t line = (size_t)v->ni * sizeof *out;
    if (v->diagnostic) {
        v->diagnostic->row(s, st->in->ctx, j, whole ? whole : out);
        for (int k = 0; whole && k < v->nk; k++)
            memcpy(out + (size_t)k * (size_t)v->ni, whole + (size_t)(v->k0 + k) * (size_t)s->ni + v->i0, line);
        return;
    }
    const real *f = s->f[v->field];
    if (v->shape == SHAPE_MAP) f += (j - s->j0) * s->sm;
    else if (v->shape == SHAPE_FULL) f += (j - s->j0) * s->sj;
    const ptrdiff_t step = v->shape == SHAPE_LEVELS ? 1 : s->sk;
    for (int k = 0; k < v->nk; k++) memcpy(out + (size_t)k * (size_t)v->ni, f + (v->k0 + k) * step + v->i0, line);
}

/* Rows [ja, jb), on the threads of the state. Errors: SF_MEMORY. */
static int fill_rows(const struct variable *v, const struct state *st, int ja, int jb, real *into)
{
    const struct grid *g = st->grid;
    const size_t row = (size_t)v->ni * (size_t)v->nk;
    const int part = v->diagnostic && (v->ni < g->nx || (v->shape != SHAPE_MAP && v->nk < g->nz));
    int lacking = 0;
#pragma omp parallel reduction(| : lacking) num_threads(state_threads(st))
    {
        real *const whole = part ? malloc((size_t)g->nx * (size_t)g->nz * sizeof *whole) : NULL;
        lacking = part && !whole;
#pragma omp for schedule(static)
        for (int j = ja; j < jb; j++)
            if (!lacking) fill_row(v, st, j, into + (size_t)(j - ja) * row, whole);
        free(whole);
    }
    SF_CHECK(!lacking, SF_MEMORY, "no memory for a row of the domain");
    return SF_OK;
}

int frame_collect(const struct frame_set *set, const struct state *st, real *all, real *own)
{
    const struct comm *c = &st->comm;
    size_t *bytes = malloc((size_t)c->size * sizeof *bytes);
    int rc = bytes ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the sizes of %d ranks", c->size);
    rc = outcome_share(c, rc);
    for (int n = 0; n < set->n && !rc; n++) {
        const struct variable *v = &set->v[n];
        const size_t row = (size_t)v->ni * (size_t)v->nk;
        int ja, jb;
        for (int r = 0; r < c->size; r++) {
            rows_of(v, c, st->grid, r, &ja, &jb);
            bytes[r] = (size_t)(jb - ja) * row * sizeof(real);
        }
        rows_of(v, c, st->grid, c->rank, &ja, &jb);
        real *into = c->rank == 0 ? all + v->at : own;
        rc = outcome_share(c, fill_rows(v, st, ja, jb, into));
        if (!rc) rc = comm_gather(c, into, into, bytes);
    }
    free(bytes);
    return rc;
}
