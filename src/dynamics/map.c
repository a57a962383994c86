/* The map of the round Earth that a run computes on: its keys, what is refused, and the maps that stages read. See
 * projection.h. SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdio.h>

static const char *const name_of[] = {[PROJECTION_NONE] = "",
                                      [PROJECTION_LAMBERT] = "Lambert conformal conic",
                                      [PROJECTION_POLAR_STEREOGRAPHIC] = "polar stereographic",
                                      [PROJECTION_MERCATOR] = "Mercator",
                                      [PROJECTION_LATITUDE_LONGITUDE] = "latitude-longitude"};

int map_is_asked(const struct dynamics_own *own) { return own->params.map_projection != PROJECTION_NONE; }

/* ---- places ------------------------------------------------------------------------------------------------------ */

static struct projection_place place_at(const struct dynamics_own *own, double x, double y)
{
    return projection_at(&own->map.projection, x - own->map.false_easting, y - own->map.false_northing);
}

/* A row that is its own neighbour to the south and to the north: nothing changes along y, the map factor neither. */
static int is_section(const struct dynamics_own *own)
{
    return own->grid->ny == 1 && own->params.boundary_south == SIDE_PERIODIC;
}

/* Of a column's centre, or of its western or southern side. */
static struct projection_place column_place(const struct dynamics_own *own, int i, int j, int west, int south)
{
    const struct grid *const g = own->grid;
    return place_at(own, grid_x(g, i, west), is_section(own) ? grid_y(g, 0, 0) : grid_y(g, j, south));
}

double map_factor_at(const struct dynamics_own *own, int i, int j)
{
    return own->map.projection.kind ? column_place(own, i, j, 0, 0).factor : 1;
}

double map_factor_beside(const struct dynamics_own *own, int along_y, int i, int j)
{
    return own->map.projection.kind ? column_place(own, i, j, !along_y, along_y).factor : 1;
}

double map_factor_y_at(const struct dynamics_own *own, int i, int j)
{
    return own->map.projection.kind ? column_place(own, i, j, 0, 0).factor_y : 1;
}

static void place_tell(const struct instance *in, double x, double y, double *latitude, double *longitude)
{
    const struct projection_place at = place_at(in->own, x, y);
    *latitude = at.latitude, *longitude = at.longitude;
}

void map_column(const struct dynamics_own *own, const struct slab *s, int i, int j, ptrdiff_t map)
{
    const struct projection_place at = column_place(own, i, j, 0, 0);
    s->f[F_MAP_FACTOR][map] = (real)at.factor;
    s->f[F_MAP_WEST][map] = (real)column_place(own, i, j, 1, 0).factor;
    s->f[F_MAP_SOUTH][map] = (real)column_place(own, i, j, 0, 1).factor;
    if (i + 1 == own->grid->nx && own->params.boundary_east != SIDE_PERIODIC)
        s->f[F_MAP_WEST][map + 1] = (real)column_place(own, i + 1, j, 1, 0).factor;
    if (j + 1 == own->grid->ny && own->params.boundary_north != SIDE_PERIODIC)
        s->f[F_MAP_SOUTH][map + s->sm] = (real)column_place(own, i, j + 1, 0, 1).factor;
    if (!own->map.projection.kind) return;
    s->f[F_CORIOLIS][map] = (real)at.f;
    s->f[F_TILT_X][map] = (real)(at.e * at.cos_turn), s->f[F_TILT_Y][map] = (real)(at.e * at.sin_turn);
}

/* ---- what the output says ---------------------------------------------------------------------------------------- */

static void number_add(struct mapping *m, const char *name, int n, double a, double b)
{
    m->number[m->n++] = (struct mapping_number){name, n, {a, b}};
}

/* CF-1.11, appendix F. */
static void mapping_make(struct dynamics_own *own, const double parallels[2])
{
    const struct projection *const p = &own->map.projection;
    struct mapping *const m = &own->map.mapping;
    *m = (struct mapping){.place = place_tell};
    switch (p->kind) {
    case PROJECTION_NONE:
        return;
    case PROJECTION_LAMBERT:
        m->name = "lambert_conformal_conic";
        number_add(m, "standard_parallel", parallels[0] < parallels[1] || parallels[0] > parallels[1] ? 2 : 1,
                   parallels[0], parallels[1]);
        number_add(m, "longitude_of_central_meridian", 1, p->meridian, 0);
        number_add(m, "latitude_of_projection_origin", 1, own->params.map_centre_latitude, 0);
        break;
    case PROJECTION_POLAR_STEREOGRAPHIC:
        m->name = "polar_stereographic";
        number_add(m, "straight_vertical_longitude_from_pole", 1, p->meridian, 0);
        number_add(m, "latitude_of_projection_origin", 1, 90 * p->hemisphere, 0);
        number_add(m, "standard_parallel", 1, parallels[0], 0);
        break;
    case PROJECTION_MERCATOR:
        m->name = "mercator";
        number_add(m, "longitude_of_projection_origin", 1, p->meridian, 0);
        number_add(m, "standard_parallel", 1, parallels[0], 0);
        break;
    case PROJECTION_LATITUDE_LONGITUDE: /* of CF the name and earth_radius: it has none for x and y in metres */
        m->name = "latitude_longitude";
        number_add(m, "longitude_of_central_meridian", 1, p->meridian, 0);
        number_add(m, "standard_parallel", 1, parallels[0], 0);
        break;
    }
    number_add(m, "false_easting", 1, own->map.false_easting, 0);
    number_add(m, "false_northing", 1, own->map.false_northing, 0);
    number_add(m, "earth_radius", 1, p->radius, 0);
}

/* ---- judged ------------------------------------------------------------------------------------------------------ */

static void sides_check(const struct dynamics_own *own, struct complaints *to)
{
    const struct dynamics_params *const p = &own->params;
    if (p->boundary_west == SIDE_PERIODIC && p->map_projection < PROJECTION_MERCATOR)
        sf_complain(to, "boundary%west map%projection", -1,
                    "the map factor, or f, of a %s map changes along x: let west and east be 'wall' or 'open'",
                    name_of[p->map_projection]);
    if (p->boundary_south == SIDE_PERIODIC && !is_section(own))
        sf_complain(to, "boundary%south map%projection", -1,
                    "the map factor and f change along y: let south and north be 'wall' or 'open'");
}

static void companions_check(const struct dynamics_own *own, const struct config *c, struct complaints *to)
{
    const struct dynamics_params *const p = &own->params;
    if (p->dynamics_coriolis_f > 0 || p->dynamics_coriolis_f < 0)
        sf_complain(to, "dynamics%coriolis_f map%projection", -1,
                    "coriolis_f is for a plane, and on a map f follows from the latitude: leave one of the two out");
    if (c->grid_translation_u > 0 || c->grid_translation_u < 0 || c->grid_translation_v > 0 ||
        c->grid_translation_v < 0)
        sf_complain(to, "grid%translation_u grid%translation_v map%projection", -1,
                    "a map stands, and a grid that moves leaves its place: leave translation_u and translation_v out");
}

/* Does the domain lie on the map? Lambert's has one pole as a point, at which m is none, and a gap opposite to the
 * central meridian. */
static int domain_check(const struct dynamics_own *own, struct complaints *to)
{
    const struct projection *const p = &own->map.projection;
    const struct grid *const g = own->grid;
    const double pole[2] = {own->map.false_easting, own->map.false_northing + p->hemisphere * p->rho_origin};
    const double east = grid_x(g, g->nx, 1), north = grid_y(g, g->ny, 1);
    if (p->kind == PROJECTION_LAMBERT && pole[0] >= g->x0 && pole[0] <= east && pole[1] >= g->y0 && pole[1] <= north) {
        sf_complain(to, "map%projection grid%nx grid%ny", -1,
                    "the domain holds the %s pole, where Lambert's map has no factor: take 'polar_stereographic', or a "
                    "smaller domain",
                    p->hemisphere > 0 ? "north" : "south");
        return 0;
    }
    int out = 0;
    for (int j = 0; j <= g->ny; j++)
        for (int i = 0; i <= g->nx; i += j % g->ny ? g->nx : 1)
            out |= !projection_shows(p, grid_x(g, i, 1) - own->map.false_easting,
                                     grid_y(g, j, 1) - own->map.false_northing);
    const double reach = SF_MAX(own->map.false_northing - g->y0, north - own->map.false_northing);
    if (p->kind == PROJECTION_LATITUDE_LONGITUDE && reach > p->radius * (89 * 3.14159265358979323846 / 180)) {
        sf_complain(
            to, "map%projection grid%ny", -1,
            "the domain comes within a degree of a pole, where a row of a latitude-longitude map is too short to compute "
            "on: take 'polar_stereographic', or a smaller domain");
        return 0;
    }
    if (out)
        sf_complain(to, "map%central_meridian map%centre_longitude grid%nx", -1,
                    "the domain reaches beyond the edge of the map, half a turn from its central meridian, %g degrees "
                    "east: let that run through the domain",
                    p->meridian);
    return !out;
}

static void extremes_find(struct dynamics_own *own)
{
    const struct grid *const g = own->grid;
    struct map *const m = &own->map;
    m->least = m->f_least = INFINITY, m->most = m->most_y = m->f_most = -INFINITY, m->columns = 0;
    for (int j = 0; j < g->ny; j++) {
        double row = 0;
        for (int i = 0; i < g->nx; i++) {
            const struct projection_place at = column_place(own, i, j, 0, 0);
            m->least = SF_MIN(m->least, at.factor), m->most = SF_MAX(m->most, at.factor);
            m->f_least = SF_MIN(m->f_least, at.f), m->f_most = SF_MAX(m->f_most, at.f);
            m->most_y = SF_MAX(m->most_y, at.factor_y);
            row += 1 / (at.factor * at.factor_y);
        }
        m->columns += row;
    }
}

int map_make(struct instance *in, struct dynamics_own *own, int (*values)(const void *, const char *, const char *),
             const void *names)
{
    const struct dynamics_params *const p = &own->params;
    const struct grid *const g = own->grid;
    struct map *const m = &own->map;
    struct complaints *const to = in->complaints;
    *m = (struct map){.least = 1, .most = 1, .most_y = 1, .columns = (double)g->nx * g->ny};
    if (!map_is_asked(own)) return SF_OK;
    companions_check(own, in->config, to);
    sides_check(own, to);
    const int given = values(names, "map", "standard_parallels");
    const double *const of = p->map_standard_parallels;
    const double parallels[2] = {given ? of[0] : p->map_centre_latitude, given > 1   ? of[1]
                                                                         : given > 0 ? of[0]
                                                                                     : p->map_centre_latitude};
    if (given > 1 && p->map_projection != PROJECTION_LAMBERT)
        sf_complain(to, "map%standard_parallels map%projection", 1,
                    "a %s map has one latitude of true scale, and two are given", name_of[p->map_projection]);
    const double meridian =
        values(names, "map", "central_meridian") ? p->map_central_meridian : p->map_centre_longitude;
    const char *const wrong =
        projection_make(&m->projection, (enum projection_kind)p->map_projection, p->map_earth_radius,
                        p->map_rotation_rate, parallels, meridian, p->map_centre_latitude);
    if (wrong) {
        sf_complain(to, given ? "map%standard_parallels map%projection" : "map%centre_latitude map%projection", -1,
                    "%s", wrong);
        return SF_NAMELIST;
    }
    double x, y;
    projection_forward(&m->projection, p->map_centre_latitude, p->map_centre_longitude, &x, &y);
    m->false_easting = 0.5 * (g->x0 + grid_x(g, g->nx, 1)) - x;
    m->false_northing = 0.5 * (g->y0 + grid_y(g, g->ny, 1)) - y;
    if (!domain_check(own, to)) return SF_NAMELIST;
    extremes_find(own);
    own->ctx.true_along_y = (real)(m->projection.kind == PROJECTION_LATITUDE_LONGITUDE);
    own->ctx.rearth = (real)(1 / m->projection.radius);
    mapping_make(own, parallels);
    in->mapping = &m->mapping;
    return SF_OK;
}

void map_report(const struct dynamics_own *own, void (*line)(void *, const char *), void *to)
{
    const struct map *const m = &own->map;
    const struct grid *const g = own->grid;
    char text[256];
    if (!m->projection.kind) return;
    snprintf(text, sizeof text, "map: %s, factors from %.5g to %.5g, f from %.4g to %.4g 1/s",
             name_of[m->projection.kind], m->least, m->most, m->f_least, m->f_most);
    line(to, text);
    const double x[2] = {g->x0, grid_x(g, g->nx, 1)}, y[2] = {g->y0, grid_y(g, g->ny, 1)};
    const struct projection_place sw = place_at(own, x[0], y[0]), se = place_at(own, x[1], y[0]),
                                  nw = place_at(own, x[0], y[1]), ne = place_at(own, x[1], y[1]);
    snprintf(text, sizeof text,
             "map: corners, degrees north and east: south-west %.3f %.3f, south-east %.3f %.3f, north-west %.3f %.3f, "
             "north-east %.3f %.3f",
             sw.latitude, sw.longitude, se.latitude, se.longitude, nw.latitude, nw.longitude, ne.latitude,
             ne.longitude);
    line(to, text);
}
