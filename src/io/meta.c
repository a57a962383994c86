/* Attributes and coordinates of output files. SPDX-License-Identifier: MIT */
#include "io/meta.h"

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
    const struct config *c = in->config;
    if (c->grid_translation_u != 0 || c->grid_translation_v != 0) {
        IO_TRY(ncfile_number(f, NC_GLOBAL, "grid_translation_u", c->grid_translation_u));
        IO_TRY(ncfile_number(f, NC_GLOBAL, "grid_translation_v", c->grid_translation_v));
        IO_TRY(ncfile_text(f, NC_GLOBAL, "grid_translation_comment",
                           "x and y move with the grid; over the ground a point lies at x + grid_translation_u t, "
                           "y + grid_translation_v t, with speeds in m s-1 and t in s since the start"));
    }
    return SF_OK;
}

int meta_axes_define(struct ncfile *f, const struct instance *in, struct axes *a)
{
    static const char *const long_name[AXES] = {"distance eastward, cell centres", "distance northward, cell centres",
                                                "height, cell centres",            "distance eastward, cell faces",
                                                "distance northward, cell faces",  "height, cell faces"};
    for (int n = 0; n < AXES; n++) {
        if (!a->n[n]) continue;
        const int up = n % 3 == AXIS_Z;
        IO_TRY(ncfile_dim(f, axis_name[n], (size_t)a->n[n], &a->dim[n]));
        IO_TRY(ncfile_var(f, axis_name[n], NC_DOUBLE, 1, &a->dim[n], NULL, long_name[n], "m", up ? "height" : "",
                          &a->var[n]));
        if (up) IO_TRY(ncfile_text(f, a->var[n], "positive", "up"));
        if (up || in->config->output_axis)
            IO_TRY(ncfile_text(f, a->var[n], "axis", (const char *[]){"X", "Y", "Z"}[n % 3]));
    }
    return SF_OK;
}

int meta_axes_put(struct ncfile *f, const struct instance *in, const struct axes *a)
{
    const struct grid *g = in->grid;
    for (int n = 0; n < AXES; n++) {
        if (!a->n[n]) continue;
        const size_t bytes = (size_t)a->n[n] * sizeof(double);
        double *value = malloc(bytes);
        IO_CHECK(value, SF_MEMORY, "no memory for the %d values of axis %s", a->n[n], axis_name[n]);
        for (int m = 0; m < a->n[n]; m++) {
            const int face = n >= AXIS_XF;
            if (n % 3 == AXIS_X) value[m] = grid_x(g, m, face);
            else if (n % 3 == AXIS_Y) value[m] = grid_y(g, m, face);
            else value[m] = face ? g->z_f[m] : g->z_c[m];
        }
        errno = 0;
        const int rc = nc_put_var_double(f->id, a->var[n], value);
        free(value);
        if (rc != NC_NOERR) return ncfile_fail(__FILE__, __LINE__, f->path, axis_name[n], bytes, rc);
    }
    return SF_OK;
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

int meta_profiles_put(struct ncfile *f, const struct instance *in, const int *var)
{
    for (int n = 0; n < in->nprofiles; n++)
        NC_TRY(f->path, in->profile[n].name, (size_t)in->grid->nz * sizeof(double),
               nc_put_var_double(f->id, var[n], in->profile[n].value));
    return SF_OK;
}

int meta_sgrid_define(struct ncfile *f, int periodic_x, int periodic_y)
{
    const char *x = periodic_x ? "high" : "none", *y = periodic_y ? "high" : "none";
    char face[128], edge1[128], edge2[128];
    snprintf(face, sizeof face, "x: x_f (padding: %s) y: y_f (padding: %s)", x, y);
    snprintf(edge1, sizeof edge1, "x_f y: y_f (padding: %s)", y);
    snprintf(edge2, sizeof edge2, "x: x_f (padding: %s) y_f", x);
    int var;
    IO_TRY(ncfile_var(f, "grid", NC_INT, 0, NULL, NULL, "staggered grid", "", "", &var));
    const int two = 2;
    NC_TRY(f->path, "grid", 0, nc_put_att_int(f->id, var, "topology_dimension", NC_INT, 1, &two));
    const char *const text[][2] = {
        {"cf_role", "grid_topology"},
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

const char *meta_sgrid_location(unsigned stagger)
{
    const int x = (stagger & STAG_X) != 0, y = (stagger & STAG_Y) != 0;
    return x && y ? "node" : x ? "edge1" : y ? "edge2" : "face";
}
