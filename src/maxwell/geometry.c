/* Solids and sheets from the namelist, and rows of cells painted with them. SPDX-License-Identifier: MIT */
#include "maxwell/geometry.h"

#include "maxwell/rows.h"
#include "maxwell/shell.h"
#include "maxwell/wire.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum kind {
    FORM_NONE,
    FORM_BOX,
    FORM_SPHERE,
    FORM_CYLINDER,
    FORM_HALF_SPACE,
    FORM_LAYER,
    FORM_SHEET,
    FORM_WIRE,
    FORM_CONE,
    FORM_STL,
    FORM_POLYGON,
    FORM_DISC
}; /* as in params.def */
enum { SHAPES = 256, BELOW = 1 };

static const char *const form_name[] = {"none",  "box",  "sphere", "cylinder", "half_space", "layer",
                                        "sheet", "wire", "cone",   "stl",      "polygon",    "disc"};
static const char axis_name[] = "xyz";

/* ---- axes -------------------------------------------------------------------------------------------------------- */

static int modulo(int m, int n) { return (m % n + n) % n; }

int geometry_cell(const struct geometry_axis *a, int m)
{
    if (a->periodic) return modulo(m, a->n);
    const int r = modulo(m, 2 * a->n);
    return r < a->n ? r : 2 * a->n - 1 - r;
}

int geometry_node(const struct geometry_axis *a, int m)
{
    if (a->periodic) return modulo(m, a->n);
    const int r = modulo(m, 2 * a->n);
    return r <= a->n ? r : 2 * a->n - r;
}

double geometry_size(const struct geometry_axis *a, int m) { return a->node[m + 1] - a->node[m]; }

/* Rounded, so that cells whose sizes differ by round-off make no mixtures of their own. */
int geometry_share(const struct geometry_axis *a, int m)
{
    if (!a->graded) return SHARE_WHOLE / 2;
    const double low = geometry_size(a, geometry_cell(a, m - 1)), high = geometry_size(a, geometry_cell(a, m));
    return (int)(SHARE_WHOLE * (low / (low + high)) + 0.5);
}

static double place(const struct grid *grid, int axis, int on_node, int m)
{
    return axis == AX ? grid_x(grid, m, on_node) : axis == AY ? grid_y(grid, m, on_node) : grid_z(grid, m, on_node);
}

static void axis_fill(struct geometry_axis *a, const struct grid *grid, int axis)
{
    for (int m = 0; m <= a->n; m++) a->node[m] = place(grid, axis, 1, m);
    for (int m = 0; m < a->n; m++) a->centre[m] = place(grid, axis, 0, m);
    double least = geometry_size(a, 0), most = least;
    for (int m = 1; m < a->n; m++) {
        const double size = geometry_size(a, m);
        least = SF_MIN(least, size), most = SF_MAX(most, size);
    }
    a->graded = most - least > 1e-6 * most;
}

/* Those of at[0 .. n - 1], which grow, that lie in [low, high] are [*first, *end). */
static void range_find(const double *at, int n, double low, double high, int *first, int *end)
{
    int a = 0, b = n;
    while (a < b) {
        const int m = (a + b) / 2;
        if (at[m] < low) a = m + 1;
        else b = m;
    }
    *first = a;
    b = n;
    while (a < b) {
        const int m = (a + b) / 2;
        if (at[m] <= high) a = m + 1;
        else b = m;
    }
    *end = a;
}

/* ---- from the namelist ------------------------------------------------------------------------------------------- */

struct entry {
    const struct maxwell_params *p;
    int n;
    enum kind form;
    int axis;
    double centre[3], size[3], slack;
};

static struct entry entry_of(const struct maxwell_params *p, int n, double slack)
{
    return (struct entry){.p = p,
                          .n = n,
                          .form = (enum kind)p->geometry_shape[n],
                          .axis = p->geometry_axis[n],
                          .centre = {p->geometry_x[n], p->geometry_y[n], p->geometry_z[n]},
                          .size = {p->geometry_size_x[n], p->geometry_size_y[n], p->geometry_size_z[n]},
                          .slack = slack};
}

static int entry_check(const struct entry *e)
{
    const char *const form = form_name[e->form];
    const int radial = e->form == FORM_SPHERE || e->form == FORM_CYLINDER || e->form == FORM_DISC;
    SF_CHECK(
        e->form != FORM_CONE || e->p->geometry_radius[e->n] > 0 || e->p->geometry_radius_top[e->n] > 0, SF_NAMELIST,
        "&geometry: shape(%d), a cone, has no radius: give radius(%d) of its low end, radius_top(%d) of its high one, or both",
        e->n + 1, e->n + 1, e->n + 1);
    SF_CHECK(e->form != FORM_CONE || e->size[e->axis] < 1e9, SF_NAMELIST,
             "&geometry: shape(%d), a cone, has no length: give size_%c(%d)", e->n + 1, axis_name[e->axis], e->n + 1);
    SF_CHECK(!radial || e->p->geometry_radius[e->n] > 0, SF_NAMELIST,
             "&geometry: shape(%d), a %s, has no radius: give radius(%d)", e->n + 1, form, e->n + 1);
    for (int a = 0; a < 3; a++) {
        const int counts =
            e->form == FORM_BOX || (e->form == FORM_SHEET && a != e->axis) ||
            ((e->form == FORM_CYLINDER || e->form == FORM_LAYER || e->form == FORM_CONE || e->form == FORM_POLYGON) &&
             a == e->axis);
        SF_CHECK(!counts || e->size[a] > 0, SF_NAMELIST,
                 "&geometry: shape(%d), a %s, has no extent along %c: size_%c(%d) = 0%s", e->n + 1, form, axis_name[a],
                 axis_name[a], e->n + 1, e->form == FORM_SHEET ? "" : "; a conductor without thickness is a 'sheet'");
    }
    return SF_OK;
}

/* Half the extent along an axis, m; negative: without bounds. */
static double half_extent(const struct entry *e, int a)
{
    const double radius = e->p->geometry_radius[e->n];
    switch (e->form) {
    case FORM_SPHERE:
        return radius;
    case FORM_CYLINDER:
        return a == e->axis ? 0.5 * e->size[a] : radius;
    case FORM_LAYER:
        return a == e->axis ? 0.5 * e->size[a] : -1;
    case FORM_BOX:
    case FORM_SHEET:
        return 0.5 * e->size[a];
    case FORM_NONE:
    case FORM_HALF_SPACE:
    case FORM_WIRE:
    case FORM_CONE:
    case FORM_STL:
    case FORM_POLYGON:
    case FORM_DISC: /* their box is that of their mesh */
        break;
    }
    return -1;
}

/* Does a face at `at` lie in the domain, and not on one of its nodes? */
static int face_is_off(const struct geometry_axis *a, double at, double slack)
{
    if (!(at > a->node[0] && at < a->node[a->n])) return 0;
    int m = 0;
    while (a->node[m + 1] < at) m++;
    const double nearest = SF_MIN(at - a->node[m], a->node[m + 1] - at);
    return nearest > slack;
}

static void solid_fill(const struct geometry *g, struct solid *s, const struct entry *e)
{
    struct mesh *const mesh = s->mesh;
    *s = (struct solid){
        .centre = {e->centre[0], e->centre[1], e->centre[2]}, .mesh = mesh, .is_of_file = e->form == FORM_STL};
    const double radius = e->p->geometry_radius[e->n] + e->slack;
    if (e->form == FORM_SPHERE) s->round = 7;
    if (e->form == FORM_CYLINDER && !mesh) s->round = 7u & ~(1u << e->axis);
    s->square = s->round ? radius * radius : 0, s->radius = s->round ? e->p->geometry_radius[e->n] : 0;
    for (int a = 0; a < 3; a++) {
        const double half = half_extent(e, a);
        double low = e->centre[a] - half, high = e->centre[a] + half;
        if (half < 0) low = -1e30, high = 1e30;
        if (e->form == FORM_HALF_SPACE && a == e->axis) {
            if (e->p->geometry_side[e->n] == BELOW) high = e->centre[a];
            else low = e->centre[a];
        }
        if (mesh) low = mesh->low[a], high = mesh->high[a];
        s->face[a][0] = low, s->face[a][1] = high;
        range_find(g->axis[a].centre, g->axis[a].n, low - e->slack, high + e->slack, &s->low[a], &s->high[a]);
        if (mesh) s->off_low |= 1u << a, s->off_high |= 1u << a;
        if (mesh || s->round >> a & 1) continue;
        if (face_is_off(&g->axis[a], low, e->slack)) s->off_low |= 1u << a;
        if (face_is_off(&g->axis[a], high, e->slack)) s->off_high |= 1u << a;
    }
}

static int sheet_fill(const struct geometry *g, const struct grid *grid, struct sheet *s, const struct entry *e)
{
    *s = (struct sheet){.number = e->n, .axis = e->axis, .plane = grid_nearest(grid, e->axis, 1, e->centre[e->axis])};
    SF_CHECK(s->plane >= 0, SF_NAMELIST, "&geometry: shape(%d), a sheet, lies outside of the domain: %c(%d) = %g m",
             e->n + 1, axis_name[e->axis], e->n + 1, e->centre[e->axis]);
    for (int a = 0; a < 3; a++) {
        if (a == e->axis) continue;
        const double low = e->centre[a] - half_extent(e, a) - e->slack,
                     high = e->centre[a] + half_extent(e, a) + e->slack;
        range_find(g->axis[a].node, g->axis[a].n + 1, low, high, &s->low[a], &s->high[a]);
    }
    return SF_OK;
}

/* Squares along the axes are added x, y, z: the nearest cell of each axis decides whether any lies within. */
static void seen(void *to, int low, int high) { *(int *)to |= low < high; }

static int mesh_has_centre(const struct geometry *g, const struct solid *s)
{
    int any = 0;
    for (int k = s->low[AZ]; k < s->high[AZ] && !any; k++)
        for (int j = s->low[AY]; j < s->high[AY] && !any; j++)
            solid_columns(g, s, g->axis[AY].centre[j], g->axis[AZ].centre[k], seen, &any);
    return any;
}

int solid_has_centre(const struct geometry *g, const struct solid *s)
{
    double sum = 0;
    if (s->mesh) return mesh_has_centre(g, s);
    for (int a = 0; a < 3; a++) {
        if (s->low[a] >= s->high[a]) return 0;
        sum += solid_square(g, s, a, solid_nearest(g, s, a));
    }
    return sum <= s->square;
}

/* Does it reach into the domain? */
static int solid_is_inside(const struct geometry *g, const struct solid *s)
{
    int inside = 1;
    for (int a = 0; a < 3; a++) {
        const struct geometry_axis *const x = &g->axis[a];
        inside = inside && s->face[a][0] < x->node[x->n] - g->slack && s->face[a][1] > x->node[0] + g->slack;
    }
    return inside;
}

/* It paints no cell; 1: and is left out. */
static int solid_without_centre(const struct geometry *g, const struct solid *s, const struct entry *e,
                                const struct medium *m, struct complaints *to)
{
    const int inside = solid_is_inside(g, s), is_pec = s->medium == MEDIUM_PEC;
    const int magnetic = m->mu < 1 || m->mu > 1 || m->sigma_m > 0;
    if (!inside || !s->smooth)
        sf_complain_mildly(to, "geometry%shape", e->n,
                           "&geometry: shape(%d), a %s, holds no centre of a cell: it is %s", e->n + 1,
                           form_name[e->form],
                           !inside  ? "outside of the domain"
                           : is_pec ? "too small for the grid and left out; a conductor without thickness is a 'sheet'"
                           : e->p->geometry_subpixel
                               ? "too small for the grid and left out"
                               : "too small for the grid and left out; with subpixel = .true. its volume counts");
    else if (magnetic)
        sf_complain_mildly(
            to, "geometry%shape", e->n,
            "&geometry: shape(%d), a %s, holds no centre of a cell: mu and sigma_m of '%.64s' count by whole cells and are "
            "left out; epsilon and sigma count by its volume",
            e->n + 1, form_name[e->form], m->name);
    else if (s->round && e->p->geometry_radius[e->n] < geometry_largest_cell(g))
        sf_complain_mildly(
            to, "geometry%shape", e->n,
            "&geometry: shape(%d), a %s, holds no centre of a cell: its volume is taken from 8 x 8 x 8 points of a cell, "
            "which is coarse for it",
            e->n + 1, form_name[e->form]);
    return !inside || !s->smooth;
}

static int sheet_is_empty(const struct sheet *s)
{
    const int a = (s->axis + 1) % 3, b = (s->axis + 2) % 3;
    const int nodes_a = s->high[a] - s->low[a], nodes_b = s->high[b] - s->low[b];
    return nodes_a < 1 || nodes_b < 1 || (nodes_a < 2 && nodes_b < 2);
}

/* How far the rims lie beyond the sheet's outermost nodes along an axis, both together, over the larger of the cells
 * that they cross. */
static double sheet_lacks(const struct geometry_axis *x, const struct sheet *s, const struct entry *e, int a)
{
    const int first = s->low[a], last = s->high[a] - 1;
    const double low = x->node[first] - (e->centre[a] - half_extent(e, a)),
                 high = e->centre[a] + half_extent(e, a) - x->node[last];
    const double below = first > 0 ? geometry_size(x, first - 1) : 0, above = last < x->n ? geometry_size(x, last) : 0;
    const double lacks = (first > 0 ? low : 0) + (last < x->n ? high : 0);
    return lacks > 0 ? lacks / SF_MAX(below, above) : 0;
}

static void sheet_warn(const struct geometry *g, const struct sheet *s, const struct entry *e, struct complaints *to)
{
    static const char *const key[] = {"geometry%size_x geometry%shape", "geometry%size_y geometry%shape",
                                      "geometry%size_z geometry%shape"};
    for (int a = 0; a < 3; a++) {
        const struct geometry_axis *const x = &g->axis[a];
        if (a == s->axis || sheet_lacks(x, s, e, a) <= 1.001) continue;
        sf_complain_mildly(
            to, key[a], e->n,
            "&geometry: shape(%d), a sheet, is drawn from %c = %.6g to %.6g m, narrower than its %g m: a sheet is made of "
            "edges that lie wholly within it; put its rims on nodes",
            e->n + 1, axis_name[a], x->node[s->low[a]], x->node[s->high[a] - 1], 2 * half_extent(e, a));
    }
}

/* Drawn by faces (shell.h). */
static int is_shell(const struct entry *e)
{
    const int solid = e->form == FORM_BOX || e->form == FORM_SPHERE || e->form == FORM_CYLINDER ||
                      e->form == FORM_CONE || e->form == FORM_STL || e->form == FORM_POLYGON;
    return e->form == FORM_DISC || (e->form == FORM_SHEET && geometry_is_turned(e->p, e->n)) ||
           (solid && e->p->geometry_shell[e->n]);
}

static int medium_check(const struct media *m, const struct entry *e, int *medium)
{
    char what[64];
    snprintf(what, sizeof what, "&geometry: medium(%d)", e->n + 1);
    SF_TRY(media_need(m, e->p->geometry_medium[e->n], what, medium));
    SF_CHECK(
        (e->form != FORM_SHEET && e->form != FORM_WIRE && !is_shell(e)) || *medium == MEDIUM_PEC, SF_NAMELIST,
        "&geometry: shape(%d), a %s%s, can be of 'pec' only, not of '%.64s'; a thin 'layer', 'box' or 'cylinder' has thickness",
        e->n + 1, e->form != FORM_SHEET && e->form != FORM_WIRE && e->p->geometry_shell[e->n] ? "shell of a " : "",
        form_name[e->form], m->medium[*medium].name);
    return SF_OK;
}

static int sheet_add(struct geometry *g, const struct grid *grid, const struct entry *e, struct complaints *to)
{
    struct sheet *const s = &g->sheet[g->nsheets];
    SF_TRY(sheet_fill(g, grid, s, e));
    if (sheet_is_empty(s))
        sf_complain_mildly(
            to, "geometry%shape", e->n,
            "&geometry: shape(%d), a sheet, holds no whole edge of a cell: it is outside of the domain or too small for "
            "the grid",
            e->n + 1);
    else {
        sheet_warn(g, s, e, to);
        g->nsheets++;
    }
    return SF_OK;
}

/* Largest of the cells that a solid reaches along an axis, or lies beside. */
static double cells_beside(const struct geometry *g, const struct solid *s, int a)
{
    double most = 0;
    for (int m = SF_MAX(s->low[a] - 1, 0); m < SF_MIN(s->high[a] + 1, g->axis[a].n); m++)
        most = SF_MAX(most, geometry_size(&g->axis[a], m));
    return most;
}

/* What is told of a surface that was drawn; `s`, the solid that it is around. */
static void shell_look(const struct geometry *g, const struct solid *s, const struct shell *sh, const struct entry *e,
                       struct complaints *to)
{
    int inside = 1, around = 1, thin = 0, opened = 0;
    for (int a = 0; a < 3; a++) {
        const struct geometry_axis *const x = &g->axis[a];
        const int below = s->face[a][0]<x->node[0] - g->slack, above = s->face[a][1]> x->node[x->n] + g->slack;
        inside = inside && s->face[a][0] <= x->node[x->n] + g->slack && s->face[a][1] >= x->node[0] - g->slack;
        around = around && below && above;
        thin |= s->face[a][1] - s->face[a][0] < cells_beside(g, s, a) - g->slack;
        opened |= x->periodic && below != above;
    }
    if (!sh->faces)
        sf_complain_mildly(
            to, "geometry%shape", e->n,
            "&geometry: shape(%d), a %s without thickness, makes no face of a cell conduct: it is %s", e->n + 1,
            form_name[e->form],
            around && e->form == FORM_STL
                ? "larger than the domain and beyond it on all sides; is stl_scale right, 1e-3 of a file in mm?"
            : around ? "larger than the domain and beyond it on all sides"
            : inside ? "too small for the grid and left out"
                     : "outside of the domain");
    else if (sh->is_closed && thin)
        sf_complain_mildly(
            to, "geometry%shape", e->n,
            "&geometry: shape(%d), the shell of a %s, is thinner than a cell: where both of its sides lie between the "
            "same centres of cells they are one sheet",
            e->n + 1, form_name[e->form]);
    else if (sh->is_closed && opened)
        sf_complain_mildly(
            to, "geometry%shape", e->n,
            "&geometry: shape(%d), the shell of a %s, reaches beyond a periodic side: what lies in the domain is repeated, "
            "so that it is open there",
            e->n + 1, form_name[e->form]);
}

/* Of a cylinder what lies in the domain along its axis: it may go on for ever. */
static double round_area(const struct geometry *g, const struct solid *s, const struct entry *e)
{
    static const double pi = 3.14159265358979323846;
    const struct geometry_axis *const x = &g->axis[e->axis];
    const double r = s->radius, low = s->face[e->axis][0], high = s->face[e->axis][1];
    if (e->form == FORM_SPHERE) return 4 * pi * r * r;
    const int ends = e->p->geometry_open_ends[e->n] ? 0 : (low > x->node[0]) + (high < x->node[x->n]);
    return pi * r * (2 * (SF_MIN(high, x->node[x->n]) - SF_MAX(low, x->node[0])) + ends * r);
}

static int shell_add(struct geometry *g, const struct entry *e, const char *dir, struct complaints *to)
{
    struct shell *const sh = &g->shell[g->nshells];
    struct solid s = {0};
    const int ends = !e->p->geometry_open_ends[e->n];
    SF_TRY(geometry_surface(&s.mesh, e->p, e->n, dir));
    solid_fill(g, &s, e);
    s.number = e->n;
    *sh = (struct shell){.number = e->n,
                         .triangles = s.mesh ? s.mesh->n : 0,
                         .is_of_file = s.is_of_file,
                         .is_closed = s.mesh ? s.mesh->is_closed : ends || e->form == FORM_SPHERE,
                         .area = s.mesh ? s.mesh->area : round_area(g, &s, e)};
    const int rc = shell_draw(g, &s, e->axis, ends || e->form == FORM_SPHERE, sh);
    if (!rc) shell_look(g, &s, sh, e, to);
    g->nshells += !rc && sh->faces;
    mesh_free(s.mesh);
    return rc;
}

/* So thin that both sides of it may lie on one edge, or that it may slip between edges. */
static int solid_is_thin(const struct geometry *g, const struct solid *s)
{
    int thin = 0;
    for (int a = 0; a < 3; a++) {
        const double cells = s->round >> a & 1 ? 2 : 1;
        thin |= s->face[a][1] - s->face[a][0] < cells * cells_beside(g, s, a) - g->slack;
    }
    return thin;
}

/* A conductor painted before, in part or whole, has a new surface where this one covers it. */
static void cuts_find(struct geometry *g, struct solid *s, struct complaints *to)
{
    const int off_cells = s->round || s->off_low || s->off_high;
    int bounds = s->medium == MEDIUM_PEC || g->background == MEDIUM_PEC;
    for (int n = 0; n < g->nsolids; n++) bounds |= g->solid[n].medium == MEDIUM_PEC && !g->solid[n].in_cells;
    s->in_cells = s->medium == MEDIUM_PEC && off_cells && solid_is_thin(g, s);
    s->cuts = off_cells && bounds && !s->in_cells;
    g->ncuts += s->cuts;
    if (s->in_cells)
        sf_complain_mildly(
            to, "geometry%shape", s->number,
            "&geometry: shape(%d) is thinner than a cell, or its diameter less than two: it is drawn in whole cells, whatever maxwell%%conformal says",
            s->number + 1);
}

/* Does its box reach beyond both ends of all axes? */
static int covers_domain(const struct geometry *g, const struct solid *s)
{
    int covers = 1;
    for (int a = 0; a < 3; a++)
        covers = covers && s->face[a][0] < g->axis[a].node[0] && s->face[a][1] > g->axis[a].node[g->axis[a].n];
    return covers;
}

/* Triangles that are not turned alike: what lies in an even number of shells is a hole. */
static void shells_look(const struct solid *s, const struct entry *e, struct complaints *to)
{
    if (!s->mesh->is_turned_alike)
        sf_complain_mildly(
            to, "geometry%stl", e->n,
            "&geometry: shape(%d), an stl, has triangles that are not turned alike: what lies in one of its shells, or in three, is painted, and what lies "
            "in two is a hole; turn them all outward, and shells that overlap are one",
            e->n + 1);
}

/* Volume over what is seen of it along an axis, one side: how thick it is there on average. */
static double thick_along(const struct mesh *m, int a)
{
    const int u = (a + 1) % 3, v = (a + 2) % 3;
    double twice = 0;
    for (int t = 0; t < m->n; t++) {
        const double(*const c)[3] = (const double(*)[3])m->corner[t];
        twice +=
            0.5 * __builtin_fabs((c[1][u] - c[0][u]) * (c[2][v] - c[0][v]) - (c[1][v] - c[0][v]) * (c[2][u] - c[0][u]));
    }
    return twice > 0 ? 2 * m->volume / twice : 0;
}

/* A conductor that is so thin on average falls apart in whole cells where it lies across them: one that is turned, by
 * twice its volume over its surface; another, which may lie along the grid, if along an axis it has less than 0.8 of a
 * cell. */
static void plate_look(const struct geometry *g, const struct solid *s, const struct entry *e, struct complaints *to)
{
    const double *const turn[3] = {e->p->geometry_turn_x, e->p->geometry_turn_y, e->p->geometry_turn_z};
    double most = 0, thick = 2 * s->mesh->volume / s->mesh->area;
    int turned = 0, thin = 0;
    for (int a = 0; a < 3; a++)
        most = SF_MAX(most, cells_beside(g, s, a)), turned |= turn[a][e->n] < 0 || turn[a][e->n] > 0;
    for (int a = 0; a < 3 && !turned && !thin; a++) {
        thick = thick_along(s->mesh, a), most = cells_beside(g, s, a);
        thin = thick < 0.8 * most;
    }
    if (s->medium == MEDIUM_PEC && !(g->conformal > 0) && (turned ? thick < most : thin))
        sf_complain_mildly(
            to, "geometry%shape", e->n,
            "&geometry: shape(%d), a conductor, is %.3g m thick, less than a cell of %.3g m: cells are of it where it holds their centre, so it has gaps "
            "where it lies across them; make it two cells thick, or a 'sheet', which may be turned",
            e->n + 1, thick, most);
}

static int solid_add(struct geometry *g, const struct media *m, const struct entry *e, int medium, const char *dir,
                     struct complaints *to)
{
    struct solid *const s = &g->solid[g->nsolids];
    SF_TRY(geometry_mesh(&s->mesh, g, e->p, e->n, dir));
    solid_fill(g, s, e);
    s->medium = medium, s->number = e->n;
    s->smooth = e->p->geometry_subpixel && medium != MEDIUM_PEC && (s->round || s->off_low || s->off_high);
    if (!solid_has_centre(g, s) && solid_without_centre(g, s, e, &m->medium[medium], to)) {
        mesh_free(s->mesh);
        return SF_OK;
    }
    if (s->is_of_file) shells_look(s, e, to);
    if (s->mesh) plate_look(g, s, e, to);
    if (s->is_of_file && covers_domain(g, s))
        sf_complain_mildly(
            to, "geometry%stl_scale geometry%stl", e->n,
            "&geometry: shape(%d), an stl of x %.4g to %.4g, y %.4g to %.4g, z %.4g to %.4g m, reaches beyond the domain along all axes: is "
            "stl_scale right, 1e-3 of a file in mm?",
            e->n + 1, s->face[0][0], s->face[0][1], s->face[1][0], s->face[1][1], s->face[2][0], s->face[2][1]);
    if (g->conformal > 0) cuts_find(g, s, to);
    g->nmeshes += s->mesh != NULL;
    g->nsolids++;
    g->used[medium] = 1;
    return SF_OK;
}

static int shape_make(struct geometry *g, const struct media *m, const struct grid *grid, const struct entry *e,
                      const char *dir, struct complaints *to)
{
    static const char *const centre[] = {"geometry%x geometry%shape", "geometry%y geometry%shape",
                                         "geometry%z geometry%shape"};
    const int before = to ? to->errors : 0;
    int medium;
    SF_TRY(sf_complain_or_fail(to, "geometry%shape", e->n, entry_check(e)));
    SF_TRY(sf_complain_or_fail(to, "geometry%medium geometry%shape", e->n, medium_check(m, e, &medium)));
    if (to && to->errors > before) return SF_OK;
    if (e->form == FORM_WIRE) return sf_complain_or_fail(to, "geometry%shape", e->n, wire_add(g, e->p, e->n, to));
    if (is_shell(e)) return sf_complain_or_fail(to, "geometry%shape geometry%stl", e->n, shell_add(g, e, dir, to));
    if (e->form == FORM_SHEET) return sf_complain_or_fail(to, centre[e->axis], e->n, sheet_add(g, grid, e, to));
    return sf_complain_or_fail(to, "geometry%shape geometry%stl", e->n, solid_add(g, m, e, medium, dir, to));
}

int sheet_has_along(const struct sheet *s, const struct geometry_axis *a, int c, int axis, int at)
{
    if (axis == c) {
        const int m = geometry_cell(a, at);
        return m >= s->low[axis] && m + 1 < s->high[axis];
    }
    const int m = geometry_node(a, at), also = a->periodic && m == 0 ? a->n : m; /* the last node is the first */
    if (axis == s->axis) return m == s->plane || also == s->plane;
    return (m >= s->low[axis] && m < s->high[axis]) || (also >= s->low[axis] && also < s->high[axis]);
}

int geometry_thin_has(const struct geometry *g, int c, const int at[3])
{
    for (int n = 0; n < g->nsheets; n++)
        if (sheet_has_edge(g, &g->sheet[n], c, at)) return 1;
    return shells_have_edge(g, c, at);
}

int sheet_has_edge(const struct geometry *g, const struct sheet *s, int c, const int at[3])
{
    int has = c != s->axis;
    for (int a = 0; a < 3; a++) has = has && sheet_has_along(s, &g->axis[a], c, a, at[a]);
    return has;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static int file_find(struct geometry *g, const char *file, const char *dir)
{
    const size_t size = strlen(file) + (dir ? strlen(dir) : 0) + 2;
    struct stat st;
    g->path = malloc(size);
    SF_CHECK(g->path, SF_MEMORY, "no memory for the name of '%s'", file);
    input_path(g->path, size, file, dir);
    SF_CHECK(file[0] == '/' || !stat(g->path, &st), SF_INPUT, /* of others whoever reads it tells */
             "&geometry: file '%s' is neither beside the namelist, in %s, nor in the current directory", file,
             dir && dir[0] ? dir : ".");
    return SF_OK;
}

static int file_take(struct geometry *g, const struct maxwell_params *p, const struct media *m, const char *dir,
                     volume_reader *read)
{
    if (!p->geometry_file[0]) return SF_OK;
    SF_CHECK(read, SF_INTERNAL, "nothing reads files of media here");
    SF_TRY(file_find(g, p->geometry_file, dir));
    g->read = read;
    memset(g->used, 1, (size_t)m->n); /* what it holds is known only after it was read */
    return read(g->path, g->axis[AX].n, g->axis[AZ].n, g->axis[AY].n, 0, 0, m->n, NULL);
}

int geometry_load(struct geometry *g, int j0, int j1)
{
    if (!g->path || (g->volume && g->volume_j0 <= j0 && j1 <= g->volume_j1)) return SF_OK;
    const struct geometry_axis *const y = &g->axis[AY];
    const size_t row = (size_t)g->axis[AX].n * (size_t)g->axis[AZ].n, rows = (size_t)(j1 - j0);
    free(g->volume);
    g->volume = malloc(row * rows);
    SF_CHECK(g->volume, SF_MEMORY, "no memory for %zu rows of '%s'", rows, g->path);
    g->volume_j0 = g->volume_j1 = j0;
    while (g->volume_j1 < j1) { /* rows of the domain that follow each other are read at once */
        const int j = g->volume_j1, from = geometry_cell(y, j);
        int n = 1;
        while (j + n < j1 && geometry_cell(y, j + n) == from + n) n++;
        SF_TRY(g->read(g->path, g->axis[AX].n, g->axis[AZ].n, y->n, from, from + n, g->media,
                       g->volume + row * (size_t)(j - j0)));
        g->volume_j1 += n;
    }
    return SF_OK;
}

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

static int memory_make(struct geometry *g)
{
    size_t lines = 0;
    for (int a = 0; a < 3; a++) lines += 2 * (size_t)g->axis[a].n + 1;
    const size_t line_bytes = lines * sizeof(double), solid_bytes = SHAPES * sizeof(struct solid),
                 wire_bytes = SHAPES * sizeof(struct wire), sheet_bytes = SHAPES * sizeof(struct sheet);
    char *const block = malloc(line_bytes + solid_bytes + wire_bytes + sheet_bytes + SHAPES * sizeof(struct shell));
    SF_CHECK(block, SF_MEMORY, "no memory for the geometry");
    g->memory = block;
    double *at = (double *)(void *)block;
    for (int a = 0; a < 3; a++) {
        g->axis[a].node = at;
        g->axis[a].centre = at + g->axis[a].n + 1;
        at += 2 * g->axis[a].n + 1;
    }
    g->solid = (struct solid *)(void *)(block + line_bytes);
    g->wire = (struct wire *)(void *)(block + line_bytes + solid_bytes);
    g->sheet = (struct sheet *)(void *)(block + line_bytes + solid_bytes + wire_bytes);
    g->shell = (struct shell *)(void *)(block + line_bytes + solid_bytes + wire_bytes + sheet_bytes);
    return SF_OK;
}

static double smallest_cell(const struct geometry *g)
{
    double least = 1e30;
    for (int a = 0; a < 3; a++)
        for (int m = 0; m < g->axis[a].n; m++) least = SF_MIN(least, geometry_size(&g->axis[a], m));
    return least;
}

/* 4 / (c dt)^2 of a step that is `conformal` times the longest of whole cells. */
static double largest_square(const struct geometry *g)
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        double least = 1e30;
        for (int m = 0; m < g->axis[a].n; m++) least = SF_MIN(least, geometry_size(&g->axis[a], m));
        if (g->axis[a].n > 1 || !g->axis[a].periodic) sum += 4 / (least * least);
    }
    return g->conformal > 0 ? sum / (g->conformal * g->conformal) : 0;
}

static int geometry_fill(struct geometry *g, const struct maxwell_params *p, const struct media *m,
                         const struct grid *grid, const char *dir, volume_reader *read, struct complaints *to)
{
    SF_TRY(memory_make(g));
    for (int a = 0; a < 3; a++) axis_fill(&g->axis[a], grid, a);
    SF_TRY(sf_complain_or_fail(to, "geometry%background", -1,
                               media_need(m, p->geometry_background, "&geometry: background", &g->background)));
    if (!p->geometry_file[0] && g->background >= 0) g->used[g->background] = 1;
    SF_TRY(sf_complain_or_fail(to, "geometry%file", -1, file_take(g, p, m, dir, read)));
    g->slack = 1e-6 * smallest_cell(g);
    g->largest_square = largest_square(g);
    for (int n = 0; n < SHAPES; n++) {
        const struct entry e = entry_of(p, n, g->slack);
        if (e.form != FORM_NONE) SF_TRY(shape_make(g, m, grid, &e, dir, to));
    }
    geometry_films_check(g, to);
    wires_join(g);
    return SF_OK;
}

int geometry_make(struct geometry *g, const struct maxwell_params *p, const struct media *m, const struct grid *grid,
                  const char *dir, volume_reader *read, struct complaints *to)
{
    *g = (struct geometry){
        .media = m->n, .conformal = p->maxwell_conformal, .axis = {{.n = grid->nx}, {.n = grid->ny}, {.n = grid->nz}}};
    g->axis[AX].periodic = p->boundary_west == EM_PERIODIC;
    g->axis[AY].periodic = p->boundary_south == EM_PERIODIC;
    g->axis[AZ].periodic = p->boundary_bottom == EM_PERIODIC;
    const int rc = geometry_fill(g, p, m, grid, dir, read, to);
    if (rc) geometry_free(g);
    return rc;
}

void geometry_free(struct geometry *g)
{
    for (int n = 0; n < g->nsolids; n++) mesh_free(g->solid[n].mesh);
    free(g->memory);
    free(g->edge);
    free(g->path);
    free(g->volume);
    memset(g, 0, sizeof *g);
}
