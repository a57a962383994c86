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

static int file_row(const struct ground *x, const struct grid *g, int of, int j, double *line, double *to)
{
    const struct filed *const f = &x->list.field[x->field[of]];
    const int row = f->n[FILED_Y] ? j : 0;
    SF_TRY(x->read(&x->list, x->field[of], row, row + 1, line));
    for (int i = 0; i < g->nx; i++) {
        to[i] = line[f->n[FILED_X] ? i : 0] * x->scale[of] + x->offset[of];
        SF_CHECK(
            to[i] >= about[of].least && to[i] <= about[of].most, SF_INPUT,
            "'%s': %s of %g %s at y %d, x %d (from 0) lies outside of %g to %g: no ground is so; are its units right?",
            x->list.path, f->name, line[f->n[FILED_X] ? i : 0], f->unit, j, f->n[FILED_X] ? i : 0, about[of].least,
            about[of].most);
    }
    return SF_OK;
}

static void patch_row(const struct dynamics_params *p, int n, const struct grid *g, double y, double *const *to)
{
    if (!(y >= p->surface_patch_south[n] && y < p->surface_patch_north[n])) return;
    for (int i = 0; i < g->nx; i++) {
        const double x = grid_x(g, i, 0);
        if (!(x >= p->surface_patch_west[n] && x < p->surface_patch_east[n])) continue;
        if (p->surface_patch_temperature[n] > 0) to[GROUND_TEMPERATURE][i] = p->surface_patch_temperature[n];
        if (p->surface_patch_roughness[n] >= 0) to[GROUND_ROUGHNESS][i] = p->surface_patch_roughness[n];
        if (p->surface_patch_wetness[n] >= 0) to[GROUND_WETNESS][i] = p->surface_patch_wetness[n];
    }
}

/* Of row j: to[of][nx]; line[nx] is room. Errors: SF_INPUT. */
static int row_make(const struct dynamics_own *own, int j, double *line, double *const *to)
{
    const struct dynamics_params *const p = &own->params;
    const struct grid *const g = own->grid;
    for (int i = 0; i < g->nx; i++) {
        to[GROUND_TEMPERATURE][i] = p->surface_temperature, to[GROUND_ROUGHNESS][i] = p->surface_roughness;
        to[GROUND_WETNESS][i] = p->surface_wetness;
    }
    for (int of = 0; of < GROUND_MAPS && own->ground.list.path[0]; of++)
        if (own->ground.field[of] >= 0) SF_TRY(file_row(&own->ground, g, of, j, line, to[of]));
    for (int n = 0; n < own->ground.patches; n++) patch_row(p, n, g, grid_y(g, j, 0), to);
    return SF_OK;
}

/* Memory of a row of each map, and of one more. */
static double *rows_alloc(const struct grid *g, double **line, double **to)
{
    double *const memory = malloc((size_t)(GROUND_MAPS + 1) * (size_t)g->nx * sizeof *memory);
    *line = memory;
    for (int of = 0; of < GROUND_MAPS && memory; of++) to[of] = memory + (size_t)(1 + of) * (size_t)g->nx;
    return memory;
}

int ground_fill(const struct instance *in, struct state *st)
{
    const struct dynamics_own *const own = in->own;
    const struct slab *const s = &st->host.s;
    if (own->ctx.surface.drag == DRAG_NONE && own->ctx.surface.heat == HEAT_NONE) return SF_OK;
    double *line, *to[GROUND_MAPS], *const memory = rows_alloc(own->grid, &line, to);
    SF_CHECK(memory, SF_MEMORY, "no memory for rows of the ground");
    int rc = SF_OK;
    for (int j = st->ja; j < st->jb && !rc; j++) {
        const ptrdiff_t at = (j - s->j0) * s->sm;
        rc = row_make(own, j, line, to);
        for (int i = 0; i < own->grid->nx && !rc; i++) {
            s->f[F_GROUND_WARMER][at + i] = (real)(to[GROUND_TEMPERATURE][i] - own->ctx.surface.temperature);
            s->f[F_ROUGHNESS][at + i] = (real)to[GROUND_ROUGHNESS][i];
            s->f[F_WETNESS][at + i] = (real)to[GROUND_WETNESS][i];
        }
    }
    free(memory);
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
    for (int n = 3; n < 7; n++) {
        char both[64];
        snprintf(both, sizeof both, "surface%%%s surface%%patch_temperature", key[n]);
        if (given[n] > own->ground.patches)
            sf_complain(to, both, own->ground.patches,
                        "%d edges, but %d grounds: give patch_temperature, patch_roughness or patch_wetness as many",
                        given[n], own->ground.patches);
    }
    for (int n = 0; n < own->ground.patches; n++) {
        const double w = p->surface_patch_west[n], e = p->surface_patch_east[n], s = p->surface_patch_south[n],
                     o = p->surface_patch_north[n];
        int columns = 0, rows = 0;
        for (int i = 0; i < g->nx; i++) columns += grid_x(g, i, 0) >= w && grid_x(g, i, 0) < e;
        for (int j = 0; j < g->ny; j++) rows += grid_y(g, j, 0) >= s && grid_y(g, j, 0) < o;
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

/* A word more in a list of them, as far as there is room. */
static void word_add(char *list, size_t size, const char *word)
{
    const size_t used = strlen(list);
    if (used + strlen(word) + 3 > size) return;
    memcpy(list + used, ", ", used ? 2 : 0);
    memcpy(list + used + (used ? 2 : 0), word, strlen(word) + 1);
}

static int file_look(struct dynamics_own *own, const struct instance *in, const char *dir)
{
    struct ground *const x = &own->ground;
    const int closed[2] = {0, 0};
    char path[BASE_PATH], taken[3 * FILED_NAME + 8] = "", others[256] = "";
    int on_face, some = 0;
    SF_CHECK(in->filed_list && in->filed_read, SF_INTERNAL, "nothing reads files of fields here");
    SF_TRY(file_find("file", own->params.surface_file, dir, path, sizeof path));
    SF_TRY(in->filed_list(path, 0, &x->list));
    x->read = in->filed_read;
    for (int of = 0; of < GROUND_MAPS; of++) {
        const int n = x->field[of] = variable_find(&x->list, of);
        if (n < 0) continue;
        const struct filed *const f = &x->list.field[n];
        some = 1;
        SF_CHECK(!f->refusal[0], SF_INPUT, "'%s': %s cannot be read: %s", path, f->name, f->refusal);
        SF_CHECK(f->n[FILED_Z] <= 1, SF_INPUT, "'%s': %s has %d levels, and the ground has none", path, f->name,
                 f->n[FILED_Z]);
        SF_TRY(start_columns_check(path, closed, own->grid, f, FILED_X, 0, &on_face));
        SF_TRY(start_columns_check(path, closed, own->grid, f, FILED_Y, 0, &on_face));
        SF_TRY(ground_unit_find((enum ground_of)of, f, path, &x->scale[of], &x->offset[of]));
        if (!is_wanted(&own->params, of)) {
            sf_complain_mildly(in->complaints, "surface%file", -1, "%s of the file changes nothing: it is for %s",
                               f->name, of == GROUND_ROUGHNESS ? "drag = 'roughness'" : "heat = 'temperature'");
            continue;
        }
        word_add(taken, sizeof taken, f->name);
    }
    for (int n = 0; n < x->list.n; n++)
        if (n != x->field[0] && n != x->field[1] && n != x->field[2])
            word_add(others, sizeof others, x->list.field[n].name);
    SF_CHECK(some, SF_INPUT, "'%s' holds none of surface_temperature, roughness and wetness; it holds: %s", path,
             others[0] ? others : "no field");
    if (taken[0]) notes_add(&own->notes, "surface: of '%s': %s", path, taken);
    if (others[0]) notes_add(&own->notes, "surface: not read of '%s': %s", path, others);
    return SF_OK;
}

static int ranges_find(struct dynamics_own *own)
{
    struct ground *const x = &own->ground;
    const struct grid *const g = own->grid;
    double *line, *to[GROUND_MAPS], *const memory = rows_alloc(g, &line, to);
    SF_CHECK(memory, SF_MEMORY, "no memory for rows of the ground");
    int rc = SF_OK;
    double sea = 0;
    for (int of = 0; of < GROUND_MAPS; of++) x->least[of] = INFINITY, x->most[of] = -INFINITY;
    for (int j = 0; j < g->ny && !rc; j++) {
        rc = row_make(own, j, line, to);
        for (int i = 0; i < g->nx && !rc; i++) {
            for (int of = 0; of < GROUND_MAPS; of++)
                x->least[of] = fmin(x->least[of], to[of][i]), x->most[of] = fmax(x->most[of], to[of][i]);
            sea += !(to[GROUND_ROUGHNESS][i] > 0);
        }
    }
    x->sea = sea / ((double)g->nx * g->ny);
    free(memory);
    return rc;
}

static void ranges_check(const struct dynamics_own *own, struct complaints *to)
{
    const struct dynamics_params *const p = &own->params;
    const struct ground *const x = &own->ground;
    const double low = own->grid->z_c[0];
    if (p->surface_heat == HEAT_TEMPERATURE && !(x->least[GROUND_TEMPERATURE] > 150))
        sf_complain(to, "surface%temperature surface%heat", -1,
                    "heat = 'temperature' needs the ground's temperature, in K, and above 150 K");
    if (p->surface_heat == HEAT_TEMPERATURE && x->most[GROUND_WETNESS] > 0 && p->water_scheme == SCHEME_NONE)
        sf_complain(to, "surface%wetness water%scheme", -1,
                    "a wet ground needs water in the air: set &water scheme = 'kessler', or leave wetness out");
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
