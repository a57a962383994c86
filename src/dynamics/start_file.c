/* Which variables of a file a start takes, and whether they fit the model's grid. SPDX-License-Identifier: MIT */
#include "dynamics/initial_parts.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int start_has(const struct dynamics_own *own, enum start_of of)
{
    return own->start && own->start->taken[of].field >= 0;
}

/* ---- where values lie -------------------------------------------------------------------------------------------- */

static double place_of(const struct grid *g, enum filed_axis a, int m, int on_face)
{
    return a == FILED_X ? grid_x(g, m, on_face) : grid_y(g, m, on_face);
}

/* Do all lie where the model's centres, or faces, do? *bad: the first that does not. */
static int places_agree(const struct grid *g, enum filed_axis a, const struct filed *f, int on_face, int *bad)
{
    const double slack = start_slack * (a == FILED_X ? g->dx : g->dy);
    for (*bad = 0; *bad < f->n[a]; ++*bad)
        if (fabs(f->at[a][*bad] - place_of(g, a, *bad, on_face)) > slack) return 0;
    return 1;
}

/* Columns along x or y: those of the model, or the same all along. may_face: it may lie on faces. */
int start_columns_check(const char *path, const int periodic[2], const struct grid *g, const struct filed *f,
                        enum filed_axis a, int may_face, int *on_face)
{
    const int cells = a == FILED_X ? g->nx : g->ny, faces = cells + !periodic[a == FILED_Y], n = f->n[a];
    int bad = 0;
    *on_face = 0;
    if (!n || (n == cells && !f->at[a]) || (n == cells && places_agree(g, a, f, 0, &bad))) return SF_OK;
    const int centre = bad;
    *on_face = may_face && n == faces && (!f->at[a] || places_agree(g, a, f, 1, &bad));
    if (*on_face) return SF_OK;
    const char c = "zyx"[a];
    SF_CHECK(
        n != cells, SF_INPUT,
        "'%s': value %d (from 0) of %s lies at %c = %.10g m, and column %d of this run at %.10g m: give the run the columns of the file "
        "(&grid origin_%c, d%c), or the file those of the run",
        path, centre, f->name, c, f->at[a][centre], centre, place_of(g, a, centre, 0), c, c);
    if (may_face && n == faces)
        SF_FAIL(SF_INPUT,
                "'%s': %s has %d values along %c, as the run has faces, but not where those are: %.10g m, not %.10g m",
                path, f->name, n, c, f->at[a][bad], place_of(g, a, bad, 1));
    char or_faces[64] = "";
    if (may_face) snprintf(or_faces, sizeof or_faces, ", or %d faces", faces);
    SF_FAIL(
        SF_INPUT,
        "'%s': %s has %d values along %c, and this run %d cells%s (&grid n%c); what is the same all along %c needs no such dimension",
        path, f->name, n, c, cells, or_faces, c, c);
}

/* Heights of the file; where it says none, those of the model. */
static int heights_find(const struct start_file *s, const struct grid *g, const struct filed *f, int may_face,
                        const double **z)
{
    const int n = f->n[FILED_Z];
    *z = f->at[FILED_Z] ? f->at[FILED_Z] : n == g->nz ? g->z_c : g->z_f;
    SF_CHECK(n, SF_INPUT, "'%s': %s has no dimension along z", s->list.path, f->name);
    SF_CHECK(
        f->at[FILED_Z] || n == g->nz || (may_face && n == g->nz + 1), SF_INPUT,
        "'%s': %s has %d levels and does not say where: give its dimension a coordinate of heights, or it has the %d levels of this run",
        s->list.path, f->name, n, g->nz);
    for (int m = 2; m < n; m++)
        SF_CHECK(((*z)[m] - (*z)[m - 1]) * ((*z)[1] - (*z)[0]) > 0, SF_INPUT,
                 "'%s': heights of %s go neither up nor down throughout: %.10g m follows %.10g m", s->list.path,
                 f->name, (*z)[m], (*z)[m - 1]);
    SF_CHECK(n < 2 || (*z)[1] - (*z)[0] != 0, SF_INPUT, "'%s': two levels of %s lie at %.10g m", s->list.path, f->name,
             (*z)[0]);
    return SF_OK;
}

/* The base state between its levels. */
static double base_at(const struct base_state *b, const double *value, double z)
{
    return sounding_line(b->nk + 2 * BASE_GHOST_LEVELS, b->z - BASE_GHOST_LEVELS, value - BASE_GHOST_LEVELS, z);
}

/* Where level k of the model lies among those of the file. *beyond counts levels of the model beyond all of them;
 * *between those that lie on none. */
static void level_find(const struct dynamics_own *own, struct start_taken *t, const double *z, int n, int on_face,
                       int k, int *beyond, int *between)
{
    const struct grid *g = own->grid;
    const double slack = start_slack * (g->z_f[k + 1] - g->z_f[k]);
    double at = on_face ? g->z_f[k] : g->z_c[k];
    const int up = n < 2 || z[1] > z[0], step = up ? 1 : -1;
    int m = up ? 0 : n - 1; /* the highest level at or below */
    for (int next = m + step; next >= 0 && next < n && z[next] <= at + slack; next += step) m = next;
    const int next = m + step, is_last = next < 0 || next >= n;
    t->level[k][0] = m, t->level[k][1] = is_last ? m : next;
    t->share[k] = 0;
    if (fabs(z[m] - at) > slack && (is_last || z[m] > at)) {
        ++*beyond;
        at = z[m];
        t->theta_0[k] = base_at(&own->base, own->base.theta, at), t->pi_0[k] = base_at(&own->base, own->base.pi0, at);
        return;
    }
    if (fabs(z[m] - at) > slack) ++*between, t->share[k] = (at - z[m]) / (z[next] - z[m]);
    t->theta_0[k] = own->base.theta[k], t->pi_0[k] = own->base.pi0[k];
}

/* ---- the base state of the file ---------------------------------------------------------------------------------- */

/* A departure is one from the base state of the run that wrote it: the file has that, as profiles. */
static int departure_check(const struct start_file *s, const struct dynamics_own *own, const struct start_taken *t,
                           const char *profile, const double *ours, int between, enum start_form form)
{
    const struct filed *const what = &s->list.field[t->field], *f = NULL;
    int n = 0;
    for (; n < s->list.n && !f; n++)
        if (!strcmp(s->list.field[n].name, profile)) f = &s->list.field[n];
    if (!f || f->refusal[0] || f->n[FILED_Z] != what->n[FILED_Z] || f->n[FILED_X] || f->n[FILED_Y]) return SF_OK;
    double *const theirs = malloc((size_t)f->n[FILED_Z] * sizeof *theirs);
    SF_CHECK(theirs, SF_MEMORY, "no memory for a profile of '%s'", s->list.path);
    int rc = s->read(&s->list, n - 1, 0, 1, theirs);
    s->read(&s->list, 0, 0, 0, NULL);
    const double most = between ? 1e-2 : 1e-5; /* straight lines are not the profile itself */
    const double *const z = s->by_column ? f->at[FILED_Z] : NULL;
    for (int k = 0; k < (z ? f->n[FILED_Z] : own->ctx.nk) && !rc; k++) {
        const double a = theirs[t->level[z ? 0 : k][0]];
        const struct base_point p = base_air_at(&own->base, z ? z[k] : own->base.z[k]);
        const double there = z ? theirs[k] : a + t->share[k] * (theirs[t->level[k][1]] - a),
                     wanted = !z                   ? ours[k]
                              : form == FORM_THETA ? p.theta
                                                   : p.pi0,
                     at = z ? z[k] : own->base.z[k];
        if (fabs(there - wanted) > most * wanted)
            rc = sf_fail(
                SF_INPUT, __FILE__, __LINE__,
                "'%s': %s is a departure from a base state whose %s is %.7g at %.6g m, and that of this run is %.7g: give this run that "
                "base state (&base), write theta and pressure themselves (&output fields), or leave %s out of the file",
                s->list.path, what->name, profile, there, at, wanted, profile);
    }
    free(theirs);
    return rc;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

enum { TEXT = 1024 };

struct choice {
    const struct instance *in;
    struct dynamics_own *own;
    struct start_file *file;
    const char *group; /* of the namelist, which names the file */
    char as_they_are[TEXT], between[TEXT], means[TEXT], beyond[TEXT], left[TEXT], unitless[TEXT];
    char *why; /* [list.n]: not 0: told of already */
};

/* The variable of this name, else the first with its standard name that no name claims; -1: none. */
static int field_find(const struct choice *c, const struct start_name *name)
{
    const struct filed_list *const list = &c->file->list;
    struct start_name other;
    for (int n = 0; n < list->n; n++)
        if (!strcasecmp(list->field[n].name, name->name)) return n;
    for (int n = 0; n < list->n; n++)
        for (int s = 0; s < 2 && name->standard[s]; s++) {
            int claimed = 0;
            for (int m = 0; start_name_of(&c->own->ctx, m, &other) && !claimed; m++)
                claimed = !strcasecmp(list->field[n].name, other.name);
            if (!claimed && !strcmp(list->field[n].standard_name, name->standard[s])) return n;
        }
    return -1;
}

static int memory_cut(struct start_file *s, int nk)
{
    const size_t each = (size_t)nk * (sizeof(int[2]) + 3 * sizeof(double));
    s->memory = calloc(START_MOST, each);
    SF_CHECK(s->memory, SF_MEMORY, "no memory for the levels of '%s'", s->list.path);
    double *number = (double *)(void *)s->memory;
    int(*pair)[2] = (int(*)[2])(void *)(number + 3 * (size_t)nk * START_MOST);
    for (int of = 0; of < START_MOST; of++, number += 3 * nk, pair += nk)
        s->taken[of] = (struct start_taken){
            .field = -1, .share = number, .theta_0 = number + nk, .pi_0 = number + 2 * nk, .level = pair};
    return SF_OK;
}

/* Heights by column are those of this variable, too, and a file whose levels follow the ground has them. */
static int column_check(const struct start_file *s, const struct filed *f)
{
    SF_CHECK(
        s->height >= 0 || !f->heights[0], SF_INPUT,
        "'%s': levels of %s follow the ground, and the file lacks %s, which says where they lie: write it with %s among "
        "output%%fields",
        s->list.path, f->name, f->heights, f->heights);
    if (s->height < 0) return SF_OK;
    const struct filed *const h = &s->list.field[s->height];
    SF_CHECK(f->n[FILED_Z] == h->n[FILED_Z], SF_INPUT,
             "'%s': %s has %d levels, and %s says where %d are: give it these, or leave %s out of the file",
             s->list.path, f->name, f->n[FILED_Z], h->name, h->n[FILED_Z], h->name);
    return SF_OK;
}

/* Where levels lie at other heights in each column: are some of the model's beyond the file's? */
static int column_beyond(const struct dynamics_own *own, const struct start_file *s, const struct filed *f)
{
    const double *const z = f->at[FILED_Z];
    if (s->height >= 0) return s->is_beyond;
    if (!z) return 0;
    const int n = f->n[FILED_Z];
    const double low = SF_MIN(z[0], z[n - 1]), high = SF_MAX(z[0], z[n - 1]);
    return low > own->terrain.lowest + own->grid->z_c[0] || high < own->grid->z_c[own->grid->nz - 1];
}

/* Of a row of heights by column, as the file has them. */
static int row_beyond(const struct dynamics_own *own, const struct start_file *s, int j, const double *z)
{
    const struct grid *const g = own->grid;
    const struct filed *const f = &s->list.field[s->height];
    const int ni = filed_count(f, FILED_X), top = g->nz - 1;
    const double *const last = z + (ptrdiff_t)(filed_count(f, FILED_Z) - 1) * ni;
    for (int i = 0; i < g->nx; i++) {
        const int at = ni > 1 ? i : 0;
        const double low = s->height_scale * SF_MIN(z[at], last[at]), high = s->height_scale * SF_MAX(z[at], last[at]);
        if (low > terrain_z_c(own, i, j, 0) + start_slack * (g->z_f[1] - g->z_f[0]) ||
            high < terrain_z_c(own, i, j, top) - start_slack * (g->z_f[top + 1] - g->z_f[top]))
            return 1;
    }
    return 0;
}

/* Heights by column: their unit, their columns, and whether they reach as far as the model's. */
static int height_look(const struct dynamics_own *own, struct start_file *s)
{
    const struct filed *const f = &s->list.field[s->height];
    const int ny = own->grid->ny;
    int face;
    double none;
    SF_TRY(ground_unit_find(GROUND_HEIGHT, f, s->list.path, &s->height_scale, &none));
    SF_TRY(start_columns_check(s->list.path, s->periodic, own->grid, f, FILED_X, 0, &face));
    SF_TRY(start_columns_check(s->list.path, s->periodic, own->grid, f, FILED_Y, 0, &face));
    enum { FIT = 1 << 19 };
    const int line = filed_count(f, FILED_X) * filed_count(f, FILED_Z), rows = filed_count(f, FILED_Y),
              most = SF_MIN(rows, SF_MAX(1, FIT / line));
    double *const z = malloc((size_t)line * (size_t)most * sizeof *z);
    SF_CHECK(z, SF_MEMORY, "no memory for rows of '%s'", s->list.path);
    int rc = SF_OK;
    for (int j = 0, n; j < ny && !rc && !s->is_beyond; j += n) {
        n = rows > 1 ? SF_MIN(most, ny - j) : ny;
        rc = s->read(&s->list, s->height, rows > 1 ? j : 0, rows > 1 ? j + n : 1, z);
        for (int m = 0; m < n && !rc && !s->is_beyond; m++)
            s->is_beyond = row_beyond(own, s, j + m, z + (rows > 1 ? (ptrdiff_t)m * line : 0));
    }
    s->read(&s->list, 0, 0, 0, NULL);
    free(z);
    return rc;
}

static int field_take(struct choice *c, const struct start_name *name, int n)
{
    struct start_file *const s = c->file;
    const struct grid *g = c->own->grid;
    const struct filed *const f = &s->list.field[n];
    struct start_taken *const t = &s->taken[name->of];
    const double *z;
    int face[2], beyond = 0, between = 0;
    const int upright = name->of == START_W;
    SF_CHECK(!f->refusal[0], SF_INPUT, "'%s': %s cannot be taken: %s", s->list.path, f->name, f->refusal);
    SF_TRY(start_columns_check(s->list.path, s->periodic, g, f, FILED_X, name->of == START_U, &face[0]));
    SF_TRY(start_columns_check(s->list.path, s->periodic, g, f, FILED_Y, name->of == START_V, &face[1]));
    SF_TRY(heights_find(s, g, f, upright, &z));
    SF_TRY(start_unit_find(name, f, s->list.path, &t->scale, &t->offset));
    t->field = n, t->form = name->form, t->bound = name->bound;
    t->on_face = face[name->of == START_V];
    SF_TRY(column_check(s, f));
    for (int k = 0; k < g->nz; k++) level_find(c->own, t, z, f->n[FILED_Z], upright, k, &beyond, &between);
    t->has_levels = s->by_column && s->height < 0 && !f->at[FILED_Z];
    if (s->by_column) beyond = column_beyond(c->own, s, f), between = !t->has_levels;
    const int is_mean =
        (name->of == START_U && f->n[FILED_X] && !t->on_face) || (name->of == START_V && f->n[FILED_Y] && !t->on_face);
    if (t->form == FORM_SELF && name->of == START_THETA)
        SF_TRY(departure_check(s, c->own, t, "theta_0", c->own->base.theta, between, FORM_THETA));
    if (t->form == FORM_SELF && name->of == START_PI)
        SF_TRY(departure_check(s, c->own, t, "pi_0", c->own->base.pi0, between, FORM_PRESSURE));
    char levels[32];
    if (s->by_column) snprintf(levels, sizeof levels, "some");
    else snprintf(levels, sizeof levels, "%d", beyond);
    words_add(between ? c->between : is_mean ? c->means : c->as_they_are, TEXT, "%s", f->name);
    if (between && is_mean) words_add(c->means, TEXT, "%s", f->name);
    if (beyond) words_add(c->beyond, TEXT, "%s at %s", f->name, levels);
    if (!f->unit[0]) words_add(c->unitless, TEXT, "%s in %s", f->name, start_unit_of(name));
    if (f->is_guess)
        sf_warn("'%s': %s is taken for (z, y, x): neither names nor sizes of its dimensions tell", s->list.path,
                f->name);
    return SF_OK;
}

/* Do levels of two variables lie in the same places? */
static int levels_agree(const struct filed *a, const struct filed *b)
{
    const double *const x = a->at[FILED_Z], *const y = b->at[FILED_Z];
    int n = 0;
    if (a->n[FILED_Z] != b->n[FILED_Z] || !x != !y) return 0;
    while (x && n < a->n[FILED_Z] && !(x[n] < y[n]) && !(x[n] > y[n])) n++;
    return !x || n == a->n[FILED_Z];
}

static void likes_find(struct start_file *s)
{
    for (int of = START_THETA; of < START_MOST; of++) {
        struct start_taken *const t = &s->taken[of];
        for (t->like = START_THETA; t->like < of; t->like++) {
            const struct start_taken *const other = &s->taken[t->like];
            if (t->field >= 0 && other->field >= 0 && other->has_levels == t->has_levels &&
                levels_agree(&s->list.field[other->field], &s->list.field[t->field]))
                break;
        }
    }
}

static int all_take(struct choice *c)
{
    const int is_start = !strcmp(c->group, "initial");
    const int is_balanced = is_start && c->own->params.initial_balance == BALANCE_HYDROSTATIC;
    struct start_name name;
    for (int m = 0; start_name_of(&c->own->ctx, m, &name); m++) {
        const int n = field_find(c, &name);
        if (n < 0 || c->why[n]) continue;
        const char *const found = c->file->list.field[n].name;
        c->why[n] = 1;
        if (!name.is_there)
            words_add(c->left, TEXT, "%s (%s)", found,
                      name.of >= START_Q && name.bound > 0 ? "the air is dry"
                      : !strcmp(name.name, "tke")          ? "turbulence has no energy"
                                                           : "there are fewer tracers");
        else if (name.of == START_PI && is_balanced) words_add(c->left, TEXT, "%s (balance makes the pressure)", found);
        else if (c->file->taken[name.of].field >= 0)
            words_add(c->left, TEXT, "%s (%s is taken)", found,
                      c->file->list.field[c->file->taken[name.of].field].name);
        else SF_TRY(field_take(c, &name, n));
    }
    return SF_OK;
}

/* What no name claims; profiles of the base state of the run that wrote the file are no fields. */
static void rest_tell(struct choice *c)
{
    static const char *const base[] = {"theta_0", "pi_0", "rho_0", "p_0", "u_0", "v_0", "qv_0", "qc_0"};
    const struct filed_list *const list = &c->file->list;
    for (int n = 0; n < list->n; n++) {
        int known = c->why[n];
        for (size_t b = 0; b < sizeof base / sizeof base[0]; b++) known |= !strcmp(list->field[n].name, base[b]);
        known |= n == c->file->height;
        if (!known) words_add(c->left, TEXT, "%s", list->field[n].name);
    }
}

static void choice_tell(const struct choice *c)
{
    static const char *const quantity[] = {"u", "v", "w", "theta", "pressure", "qv", "qc", "qr"};
    const struct dynamics_own *own = c->own;
    struct notes *const to = &c->own->notes;
    char time[64] = "", absent[TEXT] = "", number[16];
    const int is_start = !strcmp(c->group, "initial");
    if (c->file->list.has_time && is_start) snprintf(time, sizeof time, ", time %.10g", c->file->list.time);
    notes_add(to, "%s: file %s%s", c->group, c->file->list.path, time);
    if (c->as_they_are[0]) notes_add(to, "%s: taken as they are: %s", c->group, c->as_they_are);
    if (c->means[0]) notes_add(to, "%s: taken from centres to faces, as means of two: %s", c->group, c->means);
    if (c->between[0])
        notes_add(to, "%s: taken to the heights of this run along straight lines: %s", c->group, c->between);
    if (c->beyond[0])
        notes_add(
            to,
            "%s: levels of this run beyond those of the file, which get what the nearest has (of theta and pressure the departure from the "
            "base state): %s",
            c->group, c->beyond);
    if (c->unitless[0]) notes_add(to, "%s: without units, taken as the model's: %s", c->group, c->unitless);
    if (c->left[0]) notes_add(to, "%s: not taken: %s", c->group, c->left);
    for (int of = 0; of < START_Q + own->ctx.tracers && is_start; of++) {
        if (c->file->taken[of].field >= 0) continue;
        snprintf(number, sizeof number, "q%d", of - START_Q - own->ctx.named + 1);
        const char *const named = of < START_Q + own->ctx.species ? quantity[of] : "tke";
        words_add(absent, TEXT, "%s", of < START_Q + own->ctx.named ? named : number);
    }
    if (absent[0]) notes_add(to, "%s: not from the file, as the namelist has it: %s", c->group, absent);
    if (own->base.is_moist && c->file->taken[START_THETA].field >= 0)
        notes_add(to, "%s: this air is dry and its theta virtual, by the sounding: so is what the file has", c->group);
}

static void keys_check(const struct instance *in, const struct dynamics_own *own)
{
    const struct dynamics_params *const p = &own->params;
    const struct start_taken *const taken = own->start->taken;
    if (p->initial_balance == BALANCE_GROUND && (taken[START_THETA].field < 0 || taken[START_PI].field < 0))
        sf_complain(
            in->complaints, "initial%balance initial%file", -1,
            "balance = 'ground' goes upward from the pressure of the lowest cell with the temperature above: the file needs both");
    if (taken[START_THETA].field < 0) return;
    if (p->initial_atmosphere != ATMOSPHERE_BASE)
        sf_complain(in->complaints, "initial%atmosphere initial%file", -1,
                    "the file has the atmosphere, as %s: leave atmosphere out",
                    own->start->list.field[taken[START_THETA].field].name);
    if (taken[START_PI].field < 0 && !p->initial_balance)
        sf_complain_mildly(
            in->complaints, "initial%file initial%balance", -1,
            "the file has %s and no pressure, which begins as that of the base state: balance = 'hydrostatic' lets it follow",
            own->start->list.field[taken[START_THETA].field].name);
}

/* Heights that differ by column; -1: there are none. */
static int height_find(const struct filed_list *list)
{
    for (int n = 0; n < list->n; n++) {
        const struct filed *const f = &list->field[n];
        if (!strcmp(f->name, "height") && !f->refusal[0] && f->n[FILED_Z] && (f->n[FILED_X] || f->n[FILED_Y])) return n;
    }
    return -1;
}

static int file_look(struct choice *c, const char *name, double time, const char *dir)
{
    struct start_file *const s = c->file;
    char path[BASE_PATH];
    SF_TRY(file_find("file", name, dir, path, sizeof path));
    SF_TRY(c->in->filed_list(path, time, &s->list));
    SF_TRY(memory_cut(s, c->own->ctx.nk));
    s->height = height_find(&s->list);
    s->by_column = c->own->ctx.over || s->height >= 0;
    if (s->height >= 0) SF_TRY(height_look(c->own, s));
    c->why = calloc((size_t)s->list.n + 1, 1);
    SF_CHECK(c->why, SF_MEMORY, "no memory for the list of what '%s' holds", path);
    SF_TRY(all_take(c));
    likes_find(s);
    rest_tell(c);
    int some = 0;
    for (int of = 0; of < START_MOST; of++) some |= s->taken[of].field >= 0;
    SF_CHECK(some, SF_INPUT, "'%s' holds nothing that a start takes, such as theta, u, v, w or qv; it holds: %s", path,
             c->left[0] ? c->left : "no field");
    choice_tell(c);
    return SF_OK;
}

int start_file_open(const struct instance *in, struct dynamics_own *own, const char *group, const char *name,
                    double time, const char *dir, struct start_file **file)
{
    SF_CHECK(in->filed_list && in->filed_read, SF_INTERNAL, "nothing reads files of fields here");
    struct choice *const c = calloc(1, sizeof *c);
    struct start_file *s = calloc(1, sizeof *s);
    int rc = c && s ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory to look at a file");
    if (!rc) {
        *c = (struct choice){.in = in, .own = own, .file = s, .group = group};
        s->read = in->filed_read;
        s->periodic[0] = own->params.boundary_west == SIDE_PERIODIC;
        s->periodic[1] = own->params.boundary_south == SIDE_PERIODIC;
        rc = file_look(c, name, time, dir);
        free(c->why);
    }
    free(c);
    if (rc) start_file_free(&s);
    *file = s;
    return rc;
}

int start_file_make(const struct instance *in, struct dynamics_own *own, const char *dir)
{
    if (!own->params.initial_file[0]) {
        if (own->params.initial_balance == BALANCE_GROUND)
            sf_complain(
                in->complaints, "initial%balance initial%file", -1,
                "balance = 'ground' goes upward from the pressure that a file has: give file, or balance = 'hydrostatic'");
        if (own->params.initial_file_time >= 0)
            sf_complain_mildly(in->complaints, "initial%file_time initial%file", -1,
                               "there is no file whose time this could be: give file");
        return SF_OK;
    }
    SF_TRY(
        start_file_open(in, own, "initial", own->params.initial_file, own->params.initial_file_time, dir, &own->start));
    keys_check(in, own);
    return SF_OK;
}

void start_file_free(struct start_file **file)
{
    struct start_file *const s = *file;
    if (!s) return;
    filed_free(&s->list);
    free(s->memory);
    free(s);
    *file = NULL;
}
