/* Attributes and coordinates of output files. SPDX-License-Identifier: MIT */
#include "io/meta.h"

#include "pipeline/filed.h"
#include "pipeline/mapping.h"
#include "pipeline/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const axis_name[AXES] = {"x", "y", "z", "x_f", "y_f", "z_f"};

int meta_path(const struct output_info *info, const char *name, char *path, size_t size)
{
    const int n = snprintf(path, size, "%s/%s", info->directory, name);
    IO_CHECK(n >= 0 && (size_t)n < size, SF_IO, "the path of the output is too long: '%s/%s'", info->directory, name);
    return SF_OK;
}

int meta_global(struct ncfile *f, const struct output_info *info, const struct instance *in)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    const char *const text[][2] = {
        {"Conventions", "CF-1.11 SGRID-0.3"},
        {"title", info->title && info->title[0] ? info->title : info->case_name},
        {"institution", info->institution ? info->institution : host},
        {"source", info->source},
        {"history", info->history},
        {"references", info->references ? info->references : "the documents in docs/ of Sferic's source"},
        {"case", info->case_name},
        {"model", info->model},
        {"backend", info->backend},
        {"precision", SF_PREC == 64 ? "float64" : "float32"},
        {"namelist", info->namelist_text},
    };
    for (size_t n = 0; n < sizeof text / sizeof text[0]; n++) IO_TRY(ncfile_text(f, NC_GLOBAL, text[n][0], text[n][1]));
    for (int n = 0; n < in->nfacts; n++) {
        char comment[NC_MAX_NAME + 1];
        snprintf(comment, sizeof comment, "%s_comment", in->fact[n].name);
        IO_TRY(ncfile_number(f, NC_GLOBAL, in->fact[n].name, in->fact[n].value));
        IO_TRY(ncfile_text(f, NC_GLOBAL, comment, in->fact[n].about));
    }
    const struct config *c = in->config;
    if (c->grid_translation_u != 0 || c->grid_translation_v != 0) {
        IO_TRY(ncfile_number(f, NC_GLOBAL, "grid_translation_u", c->grid_translation_u));
        IO_TRY(ncfile_number(f, NC_GLOBAL, "grid_translation_v", c->grid_translation_v));
        IO_TRY(ncfile_text(
            f, NC_GLOBAL, "grid_translation_comment",
            "x and y move with the grid; over the ground a point lies at x + grid_translation_u t, "
            "y + grid_translation_v t, with speeds in m s-1 and t in s since the start; winds on faces are relative to the "
            "grid, those at centres to the ground"));
    }
    return SF_OK;
}

int meta_bounds_define(struct ncfile *f, const char *name, int dim, int var, int *ends, int *bounds)
{
    char text[NC_MAX_NAME + 1];
    if (*ends < 0) IO_TRY(ncfile_dim(f, "bnds", 2, ends));
    snprintf(text, sizeof text, "%s_bnds", name);
    IO_TRY(ncfile_var(f, text, NC_DOUBLE, 2, (const int[2]){dim, *ends}, NULL, "", "", "", bounds));
    return ncfile_text(f, var, "bounds", text);
}

/* What an axis is: words for people, and a CF standard name. */
struct axis_words {
    const char *long_name, *standard_name;
};

static struct axis_words words_of(const struct instance *in, int axis)
{
    static const struct axis_words flat[AXES] = {
        {"distance eastward, cell centres", ""}, {"distance northward, cell centres", ""},
        {"height, cell centres", "height"},      {"distance eastward, cell faces", ""},
        {"distance northward, cell faces", ""},  {"height, cell faces", "height"}};
    static const struct axis_words on_map[AXES] = {{"x of the map, cell centres", "projection_x_coordinate"},
                                                   {"y of the map, cell centres", "projection_y_coordinate"},
                                                   {"", ""},
                                                   {"x of the map, cell faces", "projection_x_coordinate"},
                                                   {"y of the map, cell faces", "projection_y_coordinate"},
                                                   {"", ""}};
    static const struct axis_words over_ground[] = {{"height over ground at sea level, cell centres", ""},
                                                    {"height over ground at sea level, cell faces", ""}};
    const int up = axis % 3 == AXIS_Z;
    if (up && in->heights) return over_ground[axis == AXIS_ZF];
    return in->mapping && !up ? on_map[axis] : flat[axis];
}

int meta_axes_define(struct ncfile *f, const struct instance *in, struct axes *a)
{
    a->ends = -1;
    for (int n = 0; n < AXES; n++) {
        if (!a->n[n]) continue;
        const int up = n % 3 == AXIS_Z;
        const struct axis_words words = words_of(in, n);
        IO_TRY(ncfile_dim(f, axis_name[n], (size_t)a->n[n], &a->dim[n]));
        IO_TRY(ncfile_var(f, axis_name[n], NC_DOUBLE, 1, &a->dim[n], NULL, words.long_name, "m", words.standard_name,
                          &a->var[n]));
        if (up) IO_TRY(ncfile_text(f, a->var[n], "positive", "up"));
        if (up && in->heights) IO_TRY(ncfile_text(f, a->var[n], FILED_HEIGHTS, in->heights));
        if (up || in->config->output_axis)
            IO_TRY(ncfile_text(f, a->var[n], "axis", (const char *[]){"X", "Y", "Z"}[n % 3]));
        IO_TRY(meta_bounds_define(f, axis_name[n], a->dim[n], a->var[n], &a->ends, &a->bounds[n]));
    }
    return SF_OK;
}

static double place_of(const struct grid *g, int axis, int at, int face)
{
    return axis == AXIS_X ? grid_x(g, at, face) : axis == AXIS_Y ? grid_y(g, at, face) : face ? g->z_f[at] : g->z_c[at];
}

/* The ends of the cell around centre or face `at` of `cells` cells along an axis. */
static void ends_of(const struct grid *g, int axis, int cells, int periodic, int at, int face, double end[2])
{
    const double low = place_of(g, axis, 0, 1), high = place_of(g, axis, cells, 1);
    if (!face) {
        end[0] = place_of(g, axis, at, 1), end[1] = place_of(g, axis, at + 1, 1);
        return;
    }
    end[0] = at > 0 ? place_of(g, axis, at - 1, 0) : periodic ? low - (high - place_of(g, axis, cells - 1, 0)) : low;
    end[1] = at < cells ? place_of(g, axis, at, 0) : high;
}

int meta_axes_put(struct ncfile *f, const struct instance *in, const struct axes *a)
{
    const struct grid *g = in->grid;
    for (int n = 0; n < AXES; n++) {
        if (!a->n[n]) continue;
        const size_t bytes = (size_t)a->n[n] * sizeof(double);
        const int axis = n % 3, face = n >= AXIS_XF, cells = axis == AXIS_X ? g->nx : axis == AXIS_Y ? g->ny : g->nz;
        const int periodic = face && field_is_periodic(in, (enum face[]){FACE_W, FACE_S, FACE_B}[axis]);
        double *const value = malloc(3 * bytes), *const end = value ? value + a->n[n] : NULL;
        IO_CHECK(value, SF_MEMORY, "no memory for the %d values of axis %s", a->n[n], axis_name[n]);
        for (int m = 0; m < a->n[n]; m++) {
            const int at = a->first[axis] + m;
            value[m] = place_of(g, axis, at, face);
            ends_of(g, axis, cells, periodic, at, face, end + 2 * m);
        }
        errno = 0;
        int rc = nc_put_var_double(f->id, a->var[n], value);
        if (!rc) rc = nc_put_var_double(f->id, a->bounds[n], end);
        free(value);
        if (rc != NC_NOERR) return ncfile_fail(__FILE__, __LINE__, f->path, axis_name[n], bytes, rc);
    }
    return SF_OK;
}

int meta_mapping_define(struct ncfile *f, const struct instance *in, struct axes *a)
{
    static const char *const name[2] = {"latitude", "longitude"}, *const unit[2] = {"degrees_north", "degrees_east"};
    const struct mapping *const m = in->mapping;
    int var;
    if (!m) return SF_OK;
    IO_TRY(ncfile_var(f, "crs", NC_INT, 0, NULL, NULL, "map of the Earth", "", "", &var));
    IO_TRY(ncfile_text(f, var, "grid_mapping_name", m->name));
    for (int n = 0; n < m->n; n++)
        NC_TRY(f->path, m->number[n].name, 0,
               nc_put_att_double(f->id, var, m->number[n].name, NC_DOUBLE, (size_t)m->number[n].n, m->number[n].value));
    for (int n = 0; n < 2; n++) {
        const int dims[2] = {a->dim[AXIS_Y], a->dim[AXIS_X]};
        IO_TRY(ncfile_var(f, name[n], NC_DOUBLE, 2, dims, NULL, name[n], unit[n], name[n], &a->place[n]));
    }
    return SF_OK;
}

int meta_mapping_put(struct ncfile *f, const struct instance *in, const struct axes *a)
{
    const int n = a->n[AXIS_X];
    if (!in->mapping) return SF_OK;
    double *const row = malloc(2 * (size_t)n * sizeof *row);
    IO_CHECK(row, SF_MEMORY, "no memory for the places of a row of %d columns", n);
    int rc = NC_NOERR;
    errno = 0;
    for (int j = 0; j < a->n[AXIS_Y] && !rc; j++) {
        for (int i = 0; i < n; i++)
            in->mapping->place(in, grid_x(in->grid, a->first[0] + i, 0), grid_y(in->grid, a->first[1] + j, 0), &row[i],
                               &row[n + i]);
        for (int m = 0; m < 2 && !rc; m++)
            rc = nc_put_vara_double(f->id, a->place[m], (const size_t[]){(size_t)j, 0}, (const size_t[]){1, (size_t)n},
                                    row + m * n);
    }
    free(row);
    if (rc != NC_NOERR)
        return ncfile_fail(__FILE__, __LINE__, f->path, "latitude and longitude", (size_t)n * sizeof *row, rc);
    return SF_OK;
}

int meta_mapping_name(struct ncfile *f, const struct instance *in, int var)
{
    if (!in->mapping) return SF_OK;
    IO_TRY(ncfile_text(f, var, "grid_mapping", "crs"));
    return ncfile_text(f, var, "coordinates", "latitude longitude");
}

int meta_time_define(struct ncfile *f, const struct instance *in, size_t frames, int *dim, int *var)
{
    char since[sizeof in->config->time_start + 32];
    snprintf(since, sizeof since, "seconds since %s", in->config->time_start);
    const char *unit = in->time_units ? in->time_units : since;
    const size_t chunk = frames < 1 ? 1 : frames > 4096 ? 4096 : frames;
    IO_TRY(ncfile_dim(f, "time", NC_UNLIMITED, dim));
    IO_TRY(ncfile_var(f, "time", NC_DOUBLE, 1, dim, &(struct ncstore){.chunk = &chunk}, "time", unit, "time", var));
    if (strstr(unit, " since ")) IO_TRY(ncfile_text(f, *var, "calendar", "standard"));
    return ncfile_text(f, *var, "axis", "T");
}

int meta_profiles_define(struct ncfile *f, const struct instance *in, const struct axes *a, int *var)
{
    for (int n = 0; n < in->nprofiles; n++) {
        const struct profile *p = &in->profile[n];
        IO_TRY(ncfile_var(f, p->name, NC_DOUBLE, 1, &a->dim[AXIS_Z], NULL, p->long_name, p->unit, p->standard_name,
                          &var[n]));
    }
    return SF_OK;
}

int meta_profiles_put(struct ncfile *f, const struct instance *in, const struct axes *a, const int *var)
{
    for (int n = 0; n < in->nprofiles; n++)
        NC_TRY(f->path, in->profile[n].name, (size_t)a->n[AXIS_Z] * sizeof(double),
               nc_put_var_double(f->id, var[n], in->profile[n].value + a->first[AXIS_Z]));
    return SF_OK;
}

int meta_late_define(struct ncfile *f, const struct instance *in, size_t frames, int time_dim, int *var)
{
    const size_t chunk = SF_MIN(SF_MAX(frames, 1), 4096);
    return ncfile_var(f, "time_h", NC_DOUBLE, 1, &time_dim, &(struct ncstore){.chunk = &chunk},
                      "time of the variables that name it", in->time_units, "", var);
}

int meta_place(struct ncfile *f, const struct instance *in, int var, unsigned stagger, int native, double late)
{
    const double position[3] = {native && stagger & STAG_Z ? 0 : 0.5, native && stagger & STAG_Y ? 0 : 0.5,
                                native && stagger & STAG_X ? 0 : 0.5};
    IO_TRY(ncfile_text(f, var, "axisLabels", "z y x"));
    NC_TRY(f->path, "position", 0, nc_put_att_double(f->id, var, "position", NC_DOUBLE, 3, position));
    IO_TRY(ncfile_number(f, var, "timeOffset", late * in->dt_fixed));
    return ncfile_text(f, var, "time_variable", late < 0 ? "time_h" : "time");
}

/* SGRID's grids: of two dimensions with a vertical one, and of three. */
static int is_3d(const struct instance *in)
{
    int edges = 0;
    for (int n = 0; n < in->nfields; n++) {
        const unsigned s = in->field[n].stagger;
        edges |= in->field[n].shape == SHAPE_FULL && (s & STAG_Z) && (s & (STAG_X | STAG_Y));
    }
    return edges;
}

static int sgrid_2d(struct ncfile *f, int var, const char *x, const char *y)
{
    char face[128], edge1[128], edge2[128];
    snprintf(face, sizeof face, "x: x_f (padding: %s) y: y_f (padding: %s)", x, y);
    snprintf(edge1, sizeof edge1, "x_f y: y_f (padding: %s)", y);
    snprintf(edge2, sizeof edge2, "x: x_f (padding: %s) y_f", x);
    const char *const text[][2] = {
        {"node_dimensions", "x_f y_f"},
        {"face_dimensions", face},
        {"edge1_dimensions", edge1},
        {"edge2_dimensions", edge2},
        {"vertical_dimensions", "z: z_f (padding: none)"},
        {"node_coordinates", "x_f y_f"},
        {"face_coordinates", "x y"},
        {"edge1_coordinates", "x_f y"},
        {"edge2_coordinates", "x y_f"},
    };
    for (size_t n = 0; n < sizeof text / sizeof text[0]; n++) IO_TRY(ncfile_text(f, var, text[n][0], text[n][1]));
    return SF_OK;
}

/* faceN is normal to, edgeN parallel to axis N. */
static int sgrid_3d(struct ncfile *f, int var, const char *const padding[3])
{
    static const char *const kind[3] = {"volume", "face", "edge"};
    IO_TRY(ncfile_text(f, var, "node_dimensions", "x_f y_f z_f"));
    IO_TRY(ncfile_text(f, var, "node_coordinates", "x_f y_f z_f"));
    for (int m = 0; m < 7; m++) {
        const int of = (m + 2) / 3, axis = (m + 2) % 3; /* 0: volume; 1 .. 3: faces; 4 .. 6: edges */
        char name[64], where[64] = "", text[192] = "";
        for (int a = 0; a < 3; a++) {
            const size_t used = strlen(text), at = strlen(where);
            const char c = "xyz"[a], *const gap = a ? " " : "";
            const int cell = of == 0 || (of == 1) == (a != axis);
            if (cell) snprintf(text + used, sizeof text - used, "%s%c: %c_f (padding: %s)", gap, c, c, padding[a]);
            else snprintf(text + used, sizeof text - used, "%s%c_f", gap, c);
            snprintf(where + at, sizeof where - at, "%s%c%s", gap, c, cell ? "" : "_f");
        }
        const char number[2] = {of ? (char)('1' + axis) : '\0', '\0'};
        snprintf(name, sizeof name, "%s%s_dimensions", kind[of], number);
        IO_TRY(ncfile_text(f, var, name, text));
        snprintf(name, sizeof name, "%s%s_coordinates", kind[of], number);
        IO_TRY(ncfile_text(f, var, name, where));
    }
    return SF_OK;
}

int meta_sgrid_define(struct ncfile *f, const struct instance *in, const struct axes *axes)
{
    const char *padding[3];
    for (int a = 0; a < 3; a++) padding[a] = axes->n[AXIS_XF + a] == axes->n[a] ? "high" : "none";
    int var;
    IO_TRY(ncfile_var(f, "grid", NC_INT, 0, NULL, NULL, "staggered grid", "", "", &var));
    const int dimensions = is_3d(in) ? 3 : 2;
    NC_TRY(f->path, "grid", 0, nc_put_att_int(f->id, var, "topology_dimension", NC_INT, 1, &dimensions));
    IO_TRY(ncfile_text(f, var, "cf_role", "grid_topology"));
    return dimensions == 3 ? sgrid_3d(f, var, padding) : sgrid_2d(f, var, padding[0], padding[1]);
}

const char *meta_sgrid_location(const struct instance *in, unsigned stagger)
{
    static const char *const of_3d[8] = {"volume", "face1", "face2", "edge3", "face3", "edge2", "edge1", "node"};
    if (is_3d(in)) return of_3d[stagger & 7];
    const int x = (stagger & STAG_X) != 0, y = (stagger & STAG_Y) != 0;
    return x && y ? "node" : x ? "edge1" : y ? "edge2" : "face";
}
