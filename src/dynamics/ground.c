/* Maps of what the ground is like, from numbers and from a file. See ground.h. SPDX-License-Identifier: MIT */
#include "dynamics/ground.h"
#include "dynamics/dynamics.h"
#include "dynamics/start.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Name in the file, and CF standard name; what no ground has. */
static const struct {
    const char *name, *standard;
    double least, most;
} about[GROUND_MAPS] = {{"surface_temperature", "surface_temperature", 150, 400},
                        {"roughness", "surface_roughness_length", 0, 10},
                        {"wetness", NULL, 0, 1}};

static int is_wanted(const struct dynamics_params *p, int of)
{
    return of == GROUND_ROUGHNESS ? p->surface_drag == DRAG_ROUGHNESS : p->surface_heat == HEAT_TEMPERATURE;
}

/* ---- a row of columns -------------------------------------------------------------------------------------------- */

/* Rows j0 .. j1 - 1 of the file's variables, in the unit of the model, read at once. */
struct rows {
    const struct ground *x;
    int j0, j1, most;
    double *value[GROUND_MAPS]; /* [most][nx]; of what has no rows the first alone; NULL: the file has none */
    double *to[GROUND_MAPS]; /* a row of each map: [nx] */
};

static void rows_close(struct rows *r)
{
    if (r->x->list.path[0]) r->x->read(&r->x->list, 0, 0, 0, NULL);
    for (int of = 0; of < GROUND_MAPS; of++) free(r->value[of]), free(r->to[of]);
}

static int rows_open(struct rows *r, const struct dynamics_own *own)
{
    const struct ground *const x = &own->ground;
    const int nx = own->grid->nx, at_once = SF_MAX(1, (4 << 20) / nx); /* 32 MiB a map */
    int failed = 0;
    *r = (struct rows){.x = x, .most = SF_MIN(own->grid->ny, at_once)};
    for (int of = 0; of < GROUND_MAPS; of++) {
        const int is_read = x->list.path[0] && x->field[of] >= 0;
        r->to[of] = malloc((size_t)nx * sizeof *r->to[of]);
        if (is_read) r->value[of] = malloc((size_t)r->most * (size_t)nx * sizeof *r->value[of]);
        failed |= !r->to[of] || (is_read && !r->value[of]);
    }
    if (failed) rows_close(r);
    SF_CHECK(!failed, SF_MEMORY, "no memory for rows of the ground");
    return SF_OK;
}

static int values_convert(const struct ground *x, int of, int row, int nx, double *value)
{
    static const char *const unit[GROUND_MAPS] = {"K", "m", ""};
    for (int i = 0; i < nx; i++) {
        const double was = value[i];
        value[i] = was * x->scale[of] + x->offset[of];
        SF_CHECK(
            value[i] >= about[of].least && value[i] <= about[of].most, SF_INPUT,
            "'%s': %s of %g %s (%g of the file) at y %d, x %d (from 0) lies outside of %g to %g: no ground is so; are its "
            "units right?",
            x->list.path, x->list.field[x->field[of]].name, value[i], unit[of], was, row, i, about[of].least,
            about[of].most);
    }
    return SF_OK;
}

/* See to it that row j of the file is there. */
static int rows_need(struct rows *r, const struct dynamics_own *own, int j)
{
    const struct ground *const x = &own->ground;
    if (j >= r->j0 && j < r->j1) return SF_OK;
    const int is_first = r->j1 == 0;
    r->j0 = j, r->j1 = SF_MIN(j + r->most, own->grid->ny);
    for (int of = 0; of < GROUND_MAPS; of++) {
        if (!r->value[of]) continue;
        const struct filed *const f = &x->list.field[x->field[of]];
        const int has_rows = f->n[FILED_Y] > 0, nx = filed_count(f, FILED_X);
        if (!has_rows && !is_first) continue;
        const int from = has_rows ? r->j0 : 0, to = has_rows ? r->j1 : 1;
        SF_TRY(x->read(&x->list, x->field[of], from, to, r->value[of]));
        for (int m = from; m < to; m++)
            SF_TRY(values_convert(x, of, m, nx, r->value[of] + (size_t)(m - from) * (size_t)nx));
    }
    return SF_OK;
}

/* Patch n has columns at x, and rows at y. */
static int patch_has_x(const struct dynamics_params *p, int n, double x)
{
    return x >= p->surface_patch_west[n] && x < p->surface_patch_east[n];
}
static int patch_has_y(const struct dynamics_params *p, int n, double y)
{
    return y >= p->surface_patch_south[n] && y < p->surface_patch_north[n];
}

static void patch_row(const struct dynamics_params *p, int n, const struct grid *g, double *const *to)
{
    for (int i = 0; i < g->nx; i++) {
        if (!patch_has_x(p, n, grid_x(g, i, 0))) continue;
        if (p->surface_patch_temperature[n] > 0) to[GROUND_TEMPERATURE][i] = p->surface_patch_temperature[n];
        if (p->surface_patch_roughness[n] >= 0) to[GROUND_ROUGHNESS][i] = p->surface_patch_roughness[n];
        if (p->surface_patch_wetness[n] >= 0) to[GROUND_WETNESS][i] = p->surface_patch_wetness[n];
    }
}

/* Row j of all maps, in r->to. Errors: SF_INPUT, SF_MEMORY. */
static int row_make(const struct dynamics_own *own, int j, struct rows *r)
{
    const struct dynamics_params *const p = &own->params;
    const struct grid *const g = own->grid;
    const double same[GROUND_MAPS] = {p->surface_temperature, p->surface_roughness, p->surface_wetness};
    SF_TRY(rows_need(r, own, j));
    for (int of = 0; of < GROUND_MAPS; of++) {
        const struct filed *const f = r->value[of] ? &own->ground.list.field[own->ground.field[of]] : NULL;
        const double *const row =
            f ? r->value[of] + (f->n[FILED_Y] ? (size_t)(j - r->j0) * (size_t)filed_count(f, FILED_X) : 0) : &same[of];
        for (int i = 0; i < g->nx; i++) r->to[of][i] = row[f && f->n[FILED_X] ? i : 0];
    }
    for (int n = 0; n < own->ground.patches; n++)
        if (patch_has_y(p, n, grid_y(g, j, 0))) patch_row(p, n, g, r->to);
    return SF_OK;
}

int ground_fill(const struct instance *in, struct state *st)
{
    const struct dynamics_own *const own = in->own;
    const struct slab *const s = &st->host.s;
    if (!surface_acts(&own->ctx.surface)) return SF_OK;
    struct rows r;
    SF_TRY(rows_open(&r, own));
    int rc = SF_OK;
    for (int j = st->ja; j < st->jb && !rc; j++) {
        const ptrdiff_t at = (j - s->j0) * s->sm;
        rc = row_make(own, j, &r);
        for (int i = 0; i < own->grid->nx && !rc; i++) {
            s->f[F_GROUND_WARMER][at + i] = (real)(r.to[GROUND_TEMPERATURE][i] - own->ctx.surface.temperature);
            s->f[F_ROUGHNESS][at + i] = (real)r.to[GROUND_ROUGHNESS][i];
            s->f[F_WETNESS][at + i] = (real)r.to[GROUND_WETNESS][i];
        }
    }
    rows_close(&r);
    return rc;
}

/* ---- judged ------------------------------------------------------------------------------------------------------ */

static void patches_check(struct dynamics_own *own, int (*values)(const void *, const char *, const char *),
                          const void *names, struct complaints *to)
{
    static const char *const key[] = {"patch_temperature", "patch_roughness", "patch_wetness", "patch_west",
                                      "patch_east",        "patch_south",     "patch_north"};
    const struct dynamics_params *const p = &own->params;
    const struct grid *const g = own->grid;
    int given[7];
    own->ground.patches = 0;
    for (int n = 0; n < 7; n++) given[n] = values(names, "surface", key[n]);
    for (int n = 0; n < 3; n++) own->ground.patches = SF_MAX(own->ground.patches, given[n]);
    const int grounds = own->ground.patches, edges = SF_MAX(SF_MAX(given[3], given[4]), SF_MAX(given[5], given[6]));
    if (!grounds && edges)
        sf_complain(
            to, "surface%patch_west surface%patch_temperature", -1,
            "there are edges of patches, and no ground: give patch_temperature, patch_roughness or patch_wetness");
    for (int n = 3; n < 7 && grounds; n++) {
        char both[64];
        snprintf(both, sizeof both, "surface%%%s surface%%patch_temperature", key[n]);
        if (given[n] > grounds)
            sf_complain(to, both, grounds, "%d of %s, but %d ground%s: give as many", given[n], key[n], grounds,
                        grounds > 1 ? "s" : "");
    }
    for (int n = SF_MAX(edges, 1); n < grounds; n++)
        sf_complain_mildly(to, "surface%patch_temperature surface%patch_west", -1,
                           "patch %d has no edge: it is all of the ground, upon what was said before", n + 1);
    for (int n = 0; n < own->ground.patches; n++) {
        const double w = p->surface_patch_west[n], e = p->surface_patch_east[n], s = p->surface_patch_south[n],
                     o = p->surface_patch_north[n];
        int columns = 0, rows = 0;
        for (int i = 0; i < g->nx; i++) columns += patch_has_x(p, n, grid_x(g, i, 0));
        for (int j = 0; j < g->ny; j++) rows += patch_has_y(p, n, grid_y(g, j, 0));
        if (!(w < e))
            sf_complain(to, "surface%patch_west surface%patch_east", n,
                        "patch %d ends at %g m, before it begins, at %g m", n + 1, e, w);
        else if (!(s < o))
            sf_complain(to, "surface%patch_south surface%patch_north", n,
                        "patch %d ends at %g m, before it begins, at %g m", n + 1, o, s);
        else if (!columns || !rows)
            sf_complain_mildly(to, columns ? "surface%patch_south" : "surface%patch_west", n,
                               "patch %d has no column's centre: it changes nothing", n + 1);
    }
}

/* What the file has of a quantity; -1: nothing. */
static int variable_find(const struct filed_list *list, int of)
{
    for (int n = 0; n < list->n; n++)
        if (!strcmp(list->field[n].name, about[of].name)) return n;
    for (int n = 0; n < list->n && about[of].standard; n++)
        if (!strcmp(list->field[n].standard_name, about[of].standard)) return n;
    return -1;
}

int ground_map_check(const char *path, const struct grid *g, const struct filed *f)
{
    const int closed[2] = {0, 0};
    int on_face;
    SF_CHECK(!f->refusal[0], SF_INPUT, "'%s': %s cannot be read: %s", path, f->name, f->refusal);
    SF_CHECK(f->time <= 0, SF_INPUT,
             "'%s': %s has %d times, and the ground begins with one: keep that one alone (ncks -d time,0)", path,
             f->name, f->time + 1);
    SF_CHECK(f->n[FILED_Z] <= 1, SF_INPUT, "'%s': %s has %d levels, and the ground has none", path, f->name,
             f->n[FILED_Z]);
    SF_TRY(start_columns_check(path, closed, g, f, FILED_X, 0, &on_face));
    return start_columns_check(path, closed, g, f, FILED_Y, 0, &on_face);
}

static int file_look(struct dynamics_own *own, const struct instance *in, const char *dir)
{
    struct ground *const x = &own->ground;
    char path[BASE_PATH], taken[3 * FILED_NAME + 8] = "", others[256] = "";
    int some = 0;
    SF_CHECK(in->filed_list && in->filed_read, SF_INTERNAL, "nothing reads files of fields here");
    SF_TRY(file_find("file", own->params.surface_file, dir, path, sizeof path));
    SF_TRY(in->filed_list(path, -1, &x->list));
    x->read = in->filed_read;
    int found[GROUND_MAPS];
    for (int of = 0; of < GROUND_MAPS; of++) {
        const int n = found[of] = x->field[of] = variable_find(&x->list, of);
        if (n < 0) continue;
        const struct filed *const f = &x->list.field[n];
        some = 1;
        SF_TRY(ground_map_check(path, own->grid, f));
        SF_TRY(ground_unit_find((enum ground_of)of, f, path, &x->scale[of], &x->offset[of]));
        if (is_wanted(&own->params, of)) words_add(taken, sizeof taken, "%s", f->name);
        else x->field[of] = -1;
    }
    /* A file with all three serves runs that take some of them. */
    for (int of = 0; of < GROUND_MAPS; of++) {
        if (found[of] < 0 || x->field[of] >= 0) continue;
        const char *const name = x->list.field[found[of]].name, *const why = of == GROUND_ROUGHNESS
                                                                                 ? "drag = 'roughness'"
                                                                                 : "heat = 'temperature'";
        if (taken[0]) notes_add(&own->notes, "surface: not taken of '%s': %s, which is for %s", path, name, why);
        else
            sf_complain_mildly(in->complaints, "surface%file", -1, "%s of the file changes nothing: it is for %s", name,
                               why);
    }
    for (int n = 0; n < x->list.n; n++)
        if (n != found[0] && n != found[1] && n != found[2])
            words_add(others, sizeof others, "%s", x->list.field[n].name);
    SF_CHECK(some, SF_INPUT, "'%s' holds none of surface_temperature, roughness and wetness; it holds: %s", path,
             others[0] ? others : "no field");
    if (taken[0]) notes_add(&own->notes, "surface: of '%s': %s", path, taken);
    if (others[0]) notes_add(&own->notes, "surface: not read of '%s': %s", path, others);
    return SF_OK;
}

/* The patches that a row has, bit n for patch n: where no file differs by row, rows that have the same are the same. */
static unsigned patches_of(const struct dynamics_own *own, int j)
{
    const struct dynamics_params *const p = &own->params;
    const double y = grid_y(own->grid, j, 0);
    unsigned has = 0;
    for (int n = 0; n < own->ground.patches; n++)
        if (patch_has_y(p, n, y)) has |= 1u << n;
    return has;
}

static int ranges_find(struct dynamics_own *own)
{
    struct ground *const x = &own->ground;
    const struct grid *const g = own->grid;
    struct rows r;
    SF_TRY(rows_open(&r, own));
    int rc = SF_OK;
    double sea = 0, of_row = 0;
    int by_row = 0;
    unsigned before = 0;
    x->smooth = INFINITY;
    for (int of = 0; of < GROUND_MAPS; of++) x->least[of] = INFINITY, x->most[of] = -INFINITY;
    for (int of = 0; of < GROUND_MAPS; of++) by_row |= r.value[of] && x->list.field[x->field[of]].n[FILED_Y];
    for (int j = 0; j < g->ny && !rc; j++, sea += of_row) {
        const unsigned has = patches_of(own, j);
        if (j && !by_row && has == before) continue;
        rc = row_make(own, j, &r);
        before = has, of_row = 0;
        for (int i = 0; i < g->nx && !rc; i++) {
            for (int of = 0; of < GROUND_MAPS; of++)
                x->least[of] = fmin(x->least[of], r.to[of][i]), x->most[of] = fmax(x->most[of], r.to[of][i]);
            if (r.to[GROUND_ROUGHNESS][i] > 0) x->smooth = fmin(x->smooth, r.to[GROUND_ROUGHNESS][i]);
            else of_row++;
        }
    }
    x->sea = sea / ((double)g->nx * g->ny);
    rows_close(&r);
    return rc;
}

static void ranges_check(const struct dynamics_own *own, struct complaints *to)
{
    const struct dynamics_params *const p = &own->params;
    const struct ground *const x = &own->ground;
    const struct grid *const g = own->grid;
    const double low = g->z_c[0];
    const int is_by_place = x->patches > 0 || x->list.path[0];
    if (p->surface_heat == HEAT_TEMPERATURE && !(x->least[GROUND_TEMPERATURE] > 150))
        sf_complain(to,
                    p->surface_temperature > 150 ? "surface%patch_temperature surface%heat"
                                                 : "surface%temperature surface%heat",
                    -1, "heat = 'temperature' needs the ground's temperature, in K, and above 150 K");
    if (p->surface_heat == HEAT_TEMPERATURE && x->most[GROUND_WETNESS] > 0 && p->water_scheme == SCHEME_NONE)
        sf_complain(to,
                    p->surface_wetness > 0 ? "surface%wetness water%scheme"
                    : x->patches > 0       ? "surface%patch_wetness water%scheme"
                                           : "surface%file water%scheme",
                    -1, "a wet ground needs water in the air: set &water scheme = 'kessler', or leave wetness out");
    if (p->surface_drag == DRAG_ROUGHNESS && x->smooth < 1e-9)
        sf_complain(to, "surface%patch_roughness surface%drag", -1,
                    "no ground is as smooth as %g m: of sea the roughness is 0, and 0 is sea", x->smooth);
    if (is_by_place && (fabs(own->ctx.translation[0]) > 0 || fabs(own->ctx.translation[1]) > 0))
        sf_complain_mildly(
            to, "grid%translation_u grid%translation_v", -1,
            "patches and maps of the ground move with the grid: let the grid stand still where they are places");
    if (p->surface_drag == DRAG_ROUGHNESS && !(x->most[GROUND_ROUGHNESS] < 0.5 * low))
        sf_complain(to, "surface%roughness grid%dz", -1,
                    "the lowest level, at %g m, lies within the roughness of %g m: lower the roughness or raise dz",
                    low, x->most[GROUND_ROUGHNESS]);
}

int ground_make(struct instance *in, struct dynamics_own *own, int (*values)(const void *, const char *, const char *),
                const void *names, const char *dir)
{
    patches_check(own, values, names, in->complaints);
    int rc = own->params.surface_file[0] ? file_look(own, in, dir) : SF_OK;
    if (!rc) rc = ranges_find(own);
    if (rc == SF_INPUT) {
        sf_complain_failure(in->complaints, "surface%file", -1, rc);
        return SF_NAMELIST;
    }
    if (!rc) ranges_check(own, in->complaints);
    return rc;
}

void ground_free(struct ground *x) { filed_free(&x->list); }

void ground_report(const struct dynamics_own *own, void (*line)(void *, const char *), void *to)
{
    static const struct {
        const char *name, *unit;
    } what[GROUND_MAPS] = {{"temperature", " K"}, {"roughness", " m"}, {"wetness", ""}};
    const struct ground *const x = &own->ground;
    char text[256] = "";
    for (int of = 0; of < GROUND_MAPS; of++) {
        const size_t used = strlen(text);
        if (!is_wanted(&own->params, of) || !(x->least[of] < x->most[of])) continue;
        snprintf(text + used, sizeof text - used, "%s%s %.5g to %.5g%s", used ? ", " : "ground: ", what[of].name,
                 x->least[of], x->most[of], what[of].unit);
    }
    const size_t used = strlen(text);
    if (used && is_wanted(&own->params, GROUND_ROUGHNESS) && x->sea > 0)
        snprintf(text + used, sizeof text - used, "; sea in %.3g %% of the columns", 100 * x->sea);
    if (used) line(to, text);
}
