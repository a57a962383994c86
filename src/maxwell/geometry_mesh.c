/* Solids and sheets made of triangles: from the namelist, and what of lines lies within solids.
 *
 * SPDX-License-Identifier: MIT */
#include "maxwell/geometry.h"
#include "maxwell/rows.h"

#include "pipeline/error.h"

#include <stdio.h>

enum {
    OF_BOX = 1,
    OF_SPHERE = 2,
    OF_CYLINDER = 3,
    OF_SHEET = 6,
    OF_CONE = 8,
    OF_STL = 9,
    OF_POLYGON = 10,
    OF_DISC = 11
}; /* of GEOMETRY_SHAPES */

/* Lines through the centres of cells, and as many along the other axes, must find room for all crossings. */
static int crossings_check(const struct mesh *m, const struct geometry *g, int n)
{
    double cross[MESH_MOST];
    int most = 0;
    for (int a = 0; a < 3; a++) {
        const struct geometry_axis *const u = &g->axis[(a + 1) % 3], *const v = &g->axis[(a + 2) % 3];
        for (int p = 0; p < u->n; p++)
            for (int q = 0; q < v->n; q++) {
                double at[3] = {0};
                at[(a + 1) % 3] = u->centre[p], at[(a + 2) % 3] = v->centre[q];
                const int one = mesh_line(m, a, at, cross);
                most = SF_MAX(most, one);
            }
    }
    SF_CHECK(
        most <= MESH_ALLOWED, SF_NAMELIST,
        "&geometry: shape(%d): a line goes into it and out of it more than %d times: give its parts as several shapes",
        n + 1, MESH_ALLOWED / 2);
    return SF_OK;
}

int geometry_corners(const struct maxwell_params *p, int given)
{
    enum { SHAPES = (int)(sizeof p->geometry_shape / sizeof p->geometry_shape[0]) };
    int polygons = 0, numbers = 0;
    for (int n = 0; n < SHAPES; n++) {
        if (p->geometry_shape[n] != OF_POLYGON) continue;
        if (p->geometry_corner_count[n] < 3) return SF_OK; /* told of the shape */
        polygons++, numbers += 2 * p->geometry_corner_count[n];
    }
    SF_CHECK(
        !polygons || given == numbers, SF_NAMELIST,
        "&geometry: corners holds %d numbers, the corner_counts need %d: give a pair for each corner; the corners of all polygons stand in one list, "
        "one after the other in the order of the shapes",
        given, numbers);
    return SF_OK;
}

/* The corners of all polygons lie in one list, in their order. */
static int polygon_find(struct mesh **out, const struct maxwell_params *p, int n, const struct mesh_place *at)
{
    enum { MOST = (int)(sizeof p->geometry_corners / sizeof p->geometry_corners[0]) };
    const double size[3] = {p->geometry_size_x[n], p->geometry_size_y[n], p->geometry_size_z[n]};
    const int axis = p->geometry_axis[n], corners = p->geometry_corner_count[n];
    long long before = 0;
    for (int m = 0; m < n; m++) before += p->geometry_shape[m] == OF_POLYGON ? p->geometry_corner_count[m] : 0;
    SF_CHECK(
        corners >= 3, SF_NAMELIST,
        "&geometry: shape(%d), a polygon, has %d corners, and needs three at least: give corner_count(%d), and a pair of numbers for each in corners",
        n + 1, corners, n + 1);
    SF_CHECK(2 * (before + corners) <= MOST, SF_NAMELIST,
             "&geometry: shape(%d), a polygon: all of them together have room for %d corners", n + 1, MOST / 2);
    SF_CHECK(size[axis] < 1e9, SF_NAMELIST, "&geometry: shape(%d), a polygon, has no length: give size_%c(%d)", n + 1,
             "xyz"[axis], n + 1);
    return mesh_polygon(out, axis, size[axis], corners, p->geometry_corners + 2 * before, at);
}

int geometry_is_turned(const struct maxwell_params *p, int n)
{
    const double turn[3] = {p->geometry_turn_x[n], p->geometry_turn_y[n], p->geometry_turn_z[n]};
    int turned = 0;
    for (int a = 0; a < 3; a++) turned |= turn[a] < 0 || turn[a] > 0;
    return turned;
}

static struct mesh_place place_of(const struct maxwell_params *p, int n, enum mesh_part part)
{
    return (struct mesh_place){.centre = {p->geometry_x[n], p->geometry_y[n], p->geometry_z[n]},
                               .turn = {p->geometry_turn_x[n], p->geometry_turn_y[n], p->geometry_turn_z[n]},
                               .scale = p->geometry_shape[n] == OF_STL ? p->geometry_stl_scale[n] : 1,
                               .part = part};
}

static int mesh_find(struct mesh **out, const struct maxwell_params *p, int n, enum mesh_part part, const char *dir)
{
    const struct mesh_place at = place_of(p, n, part);
    const double size[3] = {p->geometry_size_x[n], p->geometry_size_y[n], p->geometry_size_z[n]},
                 wide = p->geometry_radius[n], radius[2] = {wide, p->geometry_radius_top[n]}, even[2] = {wide, wide};
    const int shape = p->geometry_shape[n], axis = p->geometry_axis[n], turned = geometry_is_turned(p, n);
    *out = NULL;
    if (shape == OF_STL) {
        char path[4096];
        SF_CHECK(p->geometry_stl[n][0], SF_NAMELIST, "&geometry: shape(%d), an stl, has no file: give stl(%d)", n + 1,
                 n + 1);
        input_path(path, sizeof path, p->geometry_stl[n], dir);
        return mesh_read(out, path, &at);
    }
    if (shape == OF_POLYGON) return polygon_find(out, p, n, &at);
    if (shape == OF_CONE) return mesh_cone(out, axis, size[axis], radius, &at);
    if (!turned && (part == MESH_SOLID || shape == OF_CYLINDER || shape == OF_SPHERE))
        return SF_OK; /* round, or a box */
    SF_CHECK(shape == OF_BOX || shape == OF_CYLINDER, SF_NAMELIST,
             "&geometry: shape(%d) cannot be turned: boxes, cylinders, cones, polygons, sheets, discs and stl can",
             n + 1);
    SF_CHECK(shape != OF_CYLINDER || size[axis] < 1e9, SF_NAMELIST,
             "&geometry: shape(%d), a cylinder that is turned, needs its length: give size_%c(%d)", n + 1, "xyz"[axis],
             n + 1);
    if (shape == OF_CYLINDER) return mesh_cone(out, axis, size[axis], even, &at);
    for (int a = 0; a < 3; a++)
        SF_CHECK(
            size[a] < 1e9, SF_NAMELIST,
            "&geometry: shape(%d), a box that is turned or a shell, needs its size along all axes: give size_%c(%d)",
            n + 1, "xyz"[a], n + 1);
    return mesh_box(out, size, &at);
}

int geometry_surface(struct mesh **out, const struct maxwell_params *p, int n, const char *dir)
{
    const enum mesh_part part = p->geometry_open_ends[n] ? MESH_TUBE : MESH_SURFACE;
    const struct mesh_place at = place_of(p, n, part);
    const double size[3] = {p->geometry_size_x[n], p->geometry_size_y[n], p->geometry_size_z[n]};
    const int shape = p->geometry_shape[n], axis = p->geometry_axis[n];
    *out = NULL;
    if (shape == OF_DISC) return mesh_disc(out, axis, p->geometry_radius[n], &at);
    if (shape != OF_SHEET) return mesh_find(out, p, n, part, dir);
    for (int a = 0; a < 3; a++)
        SF_CHECK(a == axis || size[a] < 1e9, SF_NAMELIST,
                 "&geometry: shape(%d), a sheet that is turned, needs its size along both axes: give size_%c(%d)",
                 n + 1, "xyz"[a], n + 1);
    return mesh_rectangle(out, axis, size, &at);
}

int geometry_mesh(struct mesh **out, const struct geometry *g, const struct maxwell_params *p, int n, const char *dir)
{
    SF_TRY(mesh_find(out, p, n, MESH_SOLID, dir));
    const int rc = *out ? crossings_check(*out, g, n) : SF_OK;
    if (rc) mesh_free(*out), *out = NULL;
    return rc;
}

/* ---- what lies within -------------------------------------------------------------------------------------------- */

void solid_columns(const struct geometry *g, const struct solid *s, double y, double z,
                   void (*see)(void *to, int low, int high), void *to)
{
    const double at[3] = {0, y, z}, *const centre = g->axis[AX].centre;
    double cross[MESH_MOST];
    const int n = mesh_line(s->mesh, AX, at, cross);
    int i = s->low[AX];
    for (int q = 0; q + 1 < n; q += 2) {
        while (i < s->high[AX] && centre[i] < cross[q] - g->slack) i++;
        const int first = i;
        while (i < s->high[AX] && centre[i] <= cross[q + 1] + g->slack) i++;
        if (first < i) see(to, first, i);
    }
}

int solid_has_place(const struct solid *s, const double at[3])
{
    double cross[MESH_MOST];
    const int n = mesh_line(s->mesh, AX, at, cross);
    int within = 0;
    for (int q = 0; q + 1 < n; q += 2) within |= at[AX] >= cross[q] && at[AX] <= cross[q + 1];
    return within;
}

double solid_volume(const struct geometry *g, const struct solid *s)
{
    const struct geometry_axis *const y = &g->axis[AY], *const z = &g->axis[AZ];
    double cross[MESH_MOST], sum = 0;
    for (int k = s->low[AZ]; k < s->high[AZ]; k++)
        for (int j = s->low[AY]; j < s->high[AY]; j++) {
            const int n = mesh_line(s->mesh, AX, (const double[3]){0, y->centre[j], z->centre[k]}, cross);
            for (int q = 0; q + 1 < n; q += 2)
                sum += (cross[q + 1] - cross[q]) * geometry_size(y, j) * geometry_size(z, k);
        }
    return sum;
}
