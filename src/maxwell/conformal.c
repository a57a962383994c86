/* Open lengths and areas beside conductors. SPDX-License-Identifier: MIT */
#include "maxwell/conformal.h"

#include "maxwell/element.h"
#include "maxwell/open_cell.h"
#include "maxwell/paint_smooth.h"
#include "pipeline/error.h"

#include <stdlib.h>

static double square(double d) { return d * d; }

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* A piece of a line along an axis; at[]: where it lies along the others, m. */
struct line {
    int axis;
    double at[3], low, high;
};

/* The part of a line that a solid holds. What lies within the slack of a conductor's face conducts. */
static int solid_meets(const struct solid *s, double slack, const struct line *l, double *low, double *high)
{
    const double grown = s->medium == MEDIUM_PEC ? slack : -slack;
    double left = square(s->radius + grown);
    for (int a = 0; a < 3; a++) {
        if (a == l->axis) continue;
        if (s->round >> a & 1) left -= square(l->at[a] - s->centre[a]);
        else if (l->at[a] < s->face[a][0] - grown || l->at[a] > s->face[a][1] + grown) return 0;
    }
    if (s->round && left < 0) return 0;
    const int is_round = s->round >> l->axis & 1;
    const double half = is_round ? __builtin_sqrt(left) : 0;
    const double from = is_round ? s->centre[l->axis] - half : s->face[l->axis][0] - grown,
                 to = is_round ? s->centre[l->axis] + half : s->face[l->axis][1] + grown;
    *low = SF_MAX(l->low, from), *high = SF_MIN(l->high, to);
    return *low < *high;
}

/* Parts of a line that conduct, one behind the other. */
enum { SPANS = 128 };
struct spans {
    int n;
    double low[SPANS], high[SPANS];
};

static void span_put(struct spans *s, double low, double high)
{
    if (low < high && s->n < SPANS) s->low[s->n] = low, s->high[s->n] = high, s->n++;
}

static void spans_add(struct spans *s, double low, double high)
{
    const struct spans old = *s;
    int m = 0;
    s->n = 0;
    for (; m < old.n && old.high[m] < low; m++) span_put(s, old.low[m], old.high[m]);
    for (; m < old.n && old.low[m] <= high; m++) low = SF_MIN(low, old.low[m]), high = SF_MAX(high, old.high[m]);
    span_put(s, low, high);
    for (; m < old.n; m++) span_put(s, old.low[m], old.high[m]);
}

static void spans_remove(struct spans *s, double low, double high)
{
    const struct spans old = *s;
    s->n = 0;
    for (int m = 0; m < old.n; m++) {
        span_put(s, old.low[m], SF_MIN(old.high[m], low));
        span_put(s, SF_MAX(old.low[m], high), old.high[m]);
    }
}

/* What a mesh holds of a line conducts, or no longer does. */
static void mesh_spans(struct spans *s, const struct solid *one, const struct line *l)
{
    double cross[MESH_MOST];
    const int n = mesh_line(one->mesh, l->axis, l->at, cross);
    for (int q = 0; q + 1 < n; q += 2) {
        const double low = SF_MAX(cross[q], l->low), high = SF_MIN(cross[q + 1], l->high);
        if (!(low < high)) continue;
        if (one->medium == MEDIUM_PEC) spans_add(s, low, high);
        else spans_remove(s, low, high);
    }
}

/* As solids are painted. Those of whole cells, and what a file has, are looked at by cells. */
static struct spans spans_find(const struct geometry *g, const struct line *l)
{
    struct spans s;
    s.n = 0;
    if (g->background == MEDIUM_PEC && !g->path) span_put(&s, l->low, l->high);
    for (int n = 0; n < g->nsolids; n++) {
        const struct solid *const one = &g->solid[n];
        double low, high;
        if (one->mesh && !one->in_cells) mesh_spans(&s, one, l);
        if (one->mesh || one->in_cells || (one->medium != MEDIUM_PEC && !s.n) ||
            !solid_meets(one, g->slack, l, &low, &high))
            continue;
        if (one->medium == MEDIUM_PEC) spans_add(&s, low, high);
        else spans_remove(&s, low, high);
    }
    return s;
}

static double open_of(const struct spans *s, const struct line *l)
{
    double shut = 0;
    for (int m = 0; m < s->n; m++) shut += s->high[m] - s->low[m];
    return 1 - shut / (l->high - l->low);
}

/* The middle of the longest open part. */
static void middle_find(const struct spans *s, const struct line *l, double place[3])
{
    double from = l->low, longest = -1;
    for (int a = 0; a < 3; a++) place[a] = l->at[a];
    for (int m = 0; m <= s->n; m++) {
        const double to = m < s->n ? s->low[m] : l->high;
        if (to - from > longest) longest = to - from, place[l->axis] = 0.5 * (from + to);
        if (m < s->n) from = s->high[m];
    }
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

/* A node of a periodic side has two places, either of which may conduct. */
static int images_of(const struct geometry_axis *a, int m, double place[2])
{
    const int node = geometry_node(a, m);
    place[0] = a->node[node], place[1] = a->node[a->n];
    return a->periodic && node == 0 ? 2 : 1;
}

static int is_shut_cell(const struct geometry *g, const int at[3])
{
    const int cell[3] = {geometry_cell(&g->axis[AX], at[AX]), geometry_cell(&g->axis[AY], at[AY]),
                         geometry_cell(&g->axis[AZ], at[AZ])};
    for (int n = g->nsolids - 1; n >= 0; n--)
        if (solid_has_cell(g, &g->solid[n], cell)) return g->solid[n].medium == MEDIUM_PEC && g->solid[n].in_cells;
    return g->path && geometry_of_file(g, at[AY], at[AZ], at[AX]) == MEDIUM_PEC;
}

/* By cells that conduct as a whole, or a sheet. */
static int edge_is_shut(const struct geometry *g, int c, const int at[3])
{
    int by_cells = g->path != NULL;
    for (int n = 0; n < g->nsolids && !by_cells; n++) by_cells = g->solid[n].in_cells;
    for (int m = 0; m < 4 && by_cells; m++) {
        int cell[3] = {at[0], at[1], at[2]};
        cell[(c + 1) % 3] -= m & 1, cell[(c + 2) % 3] -= m >> 1;
        if (is_shut_cell(g, cell)) return 1;
    }
    return geometry_thin_has(g, c, at);
}

static struct line edge_line(const struct geometry *g, int c, const int at[3])
{
    const int cell = geometry_cell(&g->axis[c], at[c]);
    return (struct line){.axis = c, .low = g->axis[c].node[cell], .high = g->axis[c].node[cell + 1]};
}

/* Beside triangles lines to all four sides count as well, closer than anyone means: what lies on a conductor's face
 * conducts. */
static double beside_open(const struct geometry *g, const struct line *l)
{
    const int b = (l->axis + 1) % 3, d = (l->axis + 2) % 3;
    double open = 2;
    for (int q = 0; q < 4; q++) {
        struct line beside = *l;
        beside.at[b] += q & 1 ? g->slack : -g->slack, beside.at[d] += q & 2 ? g->slack : -g->slack;
        const struct spans s = spans_find(g, &beside);
        open = SF_MIN(open, open_of(&s, &beside));
    }
    return open;
}

/* May the line lie on a conductor's triangles? */
static int mesh_is_near(const struct geometry *g, const struct line *l)
{
    for (int n = 0; n < g->nsolids && g->nmeshes; n++) {
        const struct solid *const s = &g->solid[n];
        int near = s->mesh && s->medium == MEDIUM_PEC && l->low < s->face[l->axis][1] && l->high > s->face[l->axis][0];
        for (int a = 0; a < 3; a++)
            near = near && (a == l->axis ||
                            (l->at[a] > s->face[a][0] - 2 * g->slack && l->at[a] < s->face[a][1] + 2 * g->slack));
        if (near) return 1;
    }
    return 0;
}

static double edge_open(const struct geometry *g, int c, const int at[3], double place[3])
{
    const int b = (c + 1) % 3, d = (c + 2) % 3;
    double of_b[2], of_d[2], open = 2;
    const int nb = images_of(&g->axis[b], at[b], of_b), nd = images_of(&g->axis[d], at[d], of_d);
    if (edge_is_shut(g, c, at)) return 0;
    struct line l = edge_line(g, c, at);
    for (int m = 0; m < nb * nd; m++) {
        l.at[b] = of_b[m % nb], l.at[d] = of_d[m / nb];
        const struct spans s = spans_find(g, &l);
        double one = open_of(&s, &l);
        if (one > 0 && mesh_is_near(g, &l)) one = SF_MIN(one, beside_open(g, &l));
        if (one >= open) continue;
        open = one;
        if (place) middle_find(&s, &l, place);
    }
    return open;
}

double conformal_length(const struct geometry *g, int c, const int at[3]) { return edge_open(g, c, at, NULL); }

static int rounded(double open)
{
    const int n = (int)(OPEN_WHOLE * open + 0.5);
    return SF_MIN(SF_MAX(n, 0), OPEN_WHOLE);
}

int conformal_edge(const struct geometry *g, int c, const int at[3], double place[3])
{
    return rounded(edge_open(g, c, at, place));
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */

/* Places where the open length of lines across a face may have a kink. */
enum { BREAKS = 256 };
struct breaks {
    int n;
    double at[BREAKS];
};

static void break_add(struct breaks *s, double at, double low, double high)
{
    if (!(at > low && at < high) || s->n == BREAKS) return;
    int m = s->n++;
    for (; m > 0 && s->at[m - 1] > at; m--) s->at[m] = s->at[m - 1];
    s->at[m] = at;
}

/* A face normal to an axis: lines go along `across`, from one to the next along `along`. */
struct cell_face {
    int normal, across, along;
    double plane, low[3], high[3];
};

/* Where triangles cross the two sides along `along`; and every eighth of it, for they have kinks anywhere. */
static void mesh_breaks(const struct solid *s, const struct cell_face *f, struct breaks *to)
{
    const double first = f->low[f->along], last = f->high[f->along];
    double cross[MESH_MOST], at[3] = {0};
    at[f->normal] = f->plane;
    for (int high = 0; high < 2; high++) {
        at[f->across] = high ? f->high[f->across] : f->low[f->across];
        const int n = mesh_line(s->mesh, f->along, at, cross);
        for (int q = 0; q < n; q++) break_add(to, cross[q], first, last);
    }
    for (int q = 1; q < 8; q++) break_add(to, first + q * (last - first) / 8, first, last);
}

/* Where a solid's outline crosses the two sides along `along`, and where it begins and ends. */
static void solid_breaks(const struct geometry *g, const struct solid *s, const struct cell_face *f, struct breaks *to)
{
    const double first = f->low[f->along], last = f->high[f->along],
                 grown = s->medium == MEDIUM_PEC ? g->slack : -g->slack;
    struct line side = {.axis = f->along, .low = first, .high = last};
    side.at[f->normal] = f->plane;
    if (s->mesh) {
        mesh_breaks(s, f, to);
        return;
    }
    for (int high = 0; high < 2; high++) {
        double from, until;
        side.at[f->across] = high ? f->high[f->across] : f->low[f->across];
        if (!solid_meets(s, g->slack, &side, &from, &until)) continue;
        break_add(to, from, first, last), break_add(to, until, first, last);
    }
    if (!(s->round >> f->along & 1)) {
        break_add(to, s->face[f->along][0] - grown, first, last);
        break_add(to, s->face[f->along][1] + grown, first, last);
        return;
    }
    const double left =
        square(s->radius + grown) - (s->round >> f->normal & 1 ? square(f->plane - s->centre[f->normal]) : 0);
    if (!(left > 0)) return;
    break_add(to, s->centre[f->along] - __builtin_sqrt(left), first, last);
    break_add(to, s->centre[f->along] + __builtin_sqrt(left), first, last);
}

/* Between two breaks: u = 3 t^2 - 2 t^3 takes the ends of round outlines, which are vertical there, out of what Gauss'
 * rule of eight points in t is exact for up to degree 15. */
static double piece_area(const struct geometry *g, const struct cell_face *f, double low, double high)
{
    static const double node[4] = {0.18343464249564980, 0.52553240991632899, 0.79666647741362674, 0.96028985649753623};
    static const double weight[4] = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447,
                                     0.10122853629037626};
    struct line l = {.axis = f->across, .low = f->low[f->across], .high = f->high[f->across]};
    double sum = 0;
    l.at[f->normal] = f->plane;
    for (int m = 0; m < 8; m++) {
        const double t = 0.5 + (m & 1 ? 0.5 : -0.5) * node[m >> 1];
        l.at[f->along] = low + (high - low) * t * t * (3 - 2 * t);
        const struct spans s = spans_find(g, &l);
        sum += 0.5 * weight[m >> 1] * 6 * t * (1 - t) * open_of(&s, &l);
    }
    return sum * (high - low);
}

/* Does the box around a solid meet the face? */
static int may_meet(const struct solid *s, const struct cell_face *f, double slack)
{
    int meets = f->plane >= s->face[f->normal][0] - slack && f->plane <= s->face[f->normal][1] + slack;
    for (int m = 0; m < 2; m++) {
        const int a = m ? f->along : f->across;
        meets = meets && f->low[a] < s->face[a][1] && f->high[a] > s->face[a][0];
    }
    return meets;
}

static double plane_open(const struct geometry *g, const struct cell_face *f)
{
    const double low = f->low[f->along], high = f->high[f->along];
    struct breaks b;
    double area = 0, from = low;
    int near = 0;
    b.n = 0;
    for (int n = 0; n < g->nsolids; n++) {
        if (g->solid[n].in_cells || !may_meet(&g->solid[n], f, g->slack)) continue;
        solid_breaks(g, &g->solid[n], f, &b);
        near++;
    }
    const int parts = near > 1 ? 4 : 1; /* outlines may cross within the face, where lines have a kink as well */
    for (int m = 0; m <= b.n; m++) {
        const double to = m < b.n ? b.at[m] : high, each = (to - from) / parts;
        for (int p = 0; p < parts && each > 0; p++) area += piece_area(g, f, from + p * each, from + (p + 1) * each);
        from = to;
    }
    return area / (high - low);
}

double conformal_area(const struct geometry *g, int c, const int at[3])
{
    struct cell_face f = {.normal = c, .across = (c + 1) % 3, .along = (c + 2) % 3};
    double plane[2], open = 2;
    for (int a = 0; a < 3; a++) {
        const int cell = geometry_cell(&g->axis[a], at[a]);
        f.low[a] = g->axis[a].node[cell], f.high[a] = g->axis[a].node[cell + 1];
    }
    const int images = images_of(&g->axis[c], at[c], plane);
    for (int m = 0; m < images; m++) {
        f.plane = plane[m];
        const double one = plane_open(g, &f);
        open = SF_MIN(open, one);
    }
    return open;
}

/* Edge number m of four around a face of component c. */
static int edge_of(int c, int m, const int at[3], int edge[3])
{
    const int along = m & 1 ? (c + 2) % 3 : (c + 1) % 3, across = m & 1 ? (c + 1) % 3 : (c + 2) % 3;
    for (int a = 0; a < 3; a++) edge[a] = at[a];
    edge[across] += m >> 1;
    return along;
}

/* A as edges allow it, rounded: 0 where all four conduct. */
static double face_alone(const struct geometry *g, int c, const int at[3], double place[3])
{
    int edges = 0, longest = 0;
    double bound = 0, all = 0;
    for (int m = 0; m < 4; m++) {
        int edge[3];
        double middle[3] = {0, 0, 0};
        const int along = edge_of(c, m, at, edge), across = 3 - c - along;
        const int open = conformal_edge(g, along, edge, middle);
        const double weight = square(geometry_inverse(&g->axis[across], at[across]));
        if (open > longest && place)
            for (int q = 0; q < 3; q++) place[q] = middle[q];
        longest = SF_MAX(longest, open);
        bound += weight * open / OPEN_WHOLE, all += weight, edges += open;
    }
    if (!edges) return 0;
    const double area = (double)rounded(conformal_area(g, c, at)) / OPEN_WHOLE,
                 least = all > 0 ? square(g->conformal) * (bound / all) : 0;
    return SF_MAX(area, least);
}

static double open_of_edge(const struct geometry *g, int c, const int at[3])
{
    return (double)conformal_edge(g, c, at, NULL) / OPEN_WHOLE;
}

static double open_of_face(const struct geometry *g, int c, const int at[3]) { return face_alone(g, c, at, NULL); }

/* l of its edges and A of its faces. */
static struct open_cell cell_make(const struct geometry *g, const int at[3])
{
    struct open_cell cell;
    open_cell_fill(&cell, g, at, open_of_edge, open_of_face);
    return cell;
}

static double grown_square(const struct open_cell *cell, double factor, double limit)
{
    struct open_cell grown = *cell;
    for (int f = 0; f < SIDES_OF_CELL; f++) grown.area[f] = SF_MIN(factor * cell->area[f], 1);
    return open_cell_square(&grown, limit);
}

/* What its areas must grow by, none beyond 1. */
static double cell_factor(const struct geometry *g, const int at[3])
{
    static const double more = 1.01;
    const struct open_cell cell = cell_make(g, at);
    double factor = 1, least = 1;
    for (int f = 0; f < SIDES_OF_CELL; f++) least = cell.area[f] > 0 ? SF_MIN(least, cell.area[f]) : least;
    while (factor * least < 1 && grown_square(&cell, factor, g->largest_square) > g->largest_square) factor *= more;
    return factor;
}

int conformal_face(const struct geometry *g, int c, const int at[3], double place[3])
{
    const double alone = face_alone(g, c, at, place);
    double factor = 1;
    for (int side = 0; side < 2 && alone > 0 && alone < 1; side++) {
        int cell[3] = {at[0], at[1], at[2]};
        cell[c] -= side;
        const double one = cell_factor(g, cell); /* beyond a side lies an image of what is within */
        factor = SF_MAX(factor, one);
    }
    const double area = AREA_WHOLE * SF_MIN(alone * factor, 1);
    return (int)area + (area > (int)area);
}

/* Areas look at the cells on both sides of a face, and these at cells around their edges. */
int conformal_load(struct geometry *g, int j0, int j1) { return geometry_load(g, j0 - 2, j1 + 1); }

/* ---- media ------------------------------------------------------------------------------------------------------- */

int conformal_medium(const struct geometry *g, const double place[3], const int at[3])
{
    for (int n = g->nsolids - 1; n >= 0; n--) {
        const struct solid *const s = &g->solid[n];
        double left = square(s->radius);
        int within = !s->in_cells;
        for (int a = 0; a < 3; a++) {
            if (s->round >> a & 1) left -= square(place[a] - s->centre[a]);
            else within = within && place[a] >= s->face[a][0] && place[a] <= s->face[a][1];
        }
        if (within && s->mesh) within = solid_has_place(s, place);
        if (within && left >= 0) return s->medium;
    }
    return g->path ? geometry_of_file(g, at[AY], at[AZ], at[AX]) : g->background;
}

/* ---- how many ---------------------------------------------------------------------------------------------------- */

/* Both ends open, and the conductor between goes on to all sides: a wall, which edges along it do not see. */
static int edge_is_walled(const struct geometry *g, int c, const int at[3])
{
    const int b = (c + 1) % 3, d = (c + 2) % 3;
    struct line l = edge_line(g, c, at);
    l.at[b] = g->axis[b].node[geometry_node(&g->axis[b], at[b])];
    l.at[d] = g->axis[d].node[geometry_node(&g->axis[d], at[d])];
    const struct spans s = spans_find(g, &l);
    if (s.n < 1 || !(s.low[0] > l.low + g->slack && s.high[s.n - 1] < l.high - g->slack)) return 0;
    const double middle = 0.5 * (s.low[0] + s.high[0]);
    for (int m = 0; m < 4; m++) {
        const int aside = m & 1 ? b : d;
        struct line other = l;
        other.at[aside] +=
            (m & 2 ? 0.25 : -0.25) * geometry_size(&g->axis[aside], geometry_cell(&g->axis[aside], at[aside]));
        const struct spans t = spans_find(g, &other);
        int shut = 0;
        for (int q = 0; q < t.n; q++) shut |= t.low[q] <= middle && middle <= t.high[q];
        if (!shut) return 0;
    }
    return 1;
}

static void element_count(const struct geometry *g, int component, const int at[3], struct cuts *to)
{
    const int c = component % 3;
    if (component >= 3) {
        const int area = conformal_face(g, c, at, NULL);
        to->faces += area > 0 && area < AREA_WHOLE;
        to->raised += area > 0 && area > AREA_WHOLE / OPEN_WHOLE * rounded(conformal_area(g, c, at));
        return;
    }
    const int open = conformal_edge(g, c, at, NULL);
    to->edges += open > 0 && open < OPEN_WHOLE;
    if (open > 0 && open < OPEN_WHOLE && edge_is_walled(g, c, at) && !to->walled++) {
        for (int a = 0; a < 3; a++) to->wall[a] = at[a];
        to->wall_along = c;
    }
}

/* Elements of all components that belong to cells low .. high - 1, whose nodes `past` them are taken, too, along an
 * axis where past is 1. */
struct range {
    int low[3], high[3], past[3];
};

static int range_end(const struct range *r, int component, int a)
{
    return r->high[a] + (r->past[a] && on_node(component, a));
}

static void row_count(const struct geometry *g, const struct smooth *near, const struct range *r, int component, int j,
                      unsigned char *mark, struct cuts *to)
{
    struct smooth_row row;
    if (j >= range_end(r, component, AY) || !smooth_row_find(near, component, j, &row)) return;
    for (int k = r->low[AZ]; k < range_end(r, component, AZ); k++) {
        if (!smooth_line(near, &row, k, mark)) continue;
        for (int i = r->low[AX]; i < range_end(r, component, AX); i++)
            if (mark[i]) element_count(g, component, (const int[3]){i, j, k}, to);
    }
}

static int range_count(struct geometry *g, const struct range *r, struct cuts *to)
{
    struct smooth near;
    SF_TRY(smooth_init(&near, g, SURFACES_CUT));
    unsigned char *const mark = malloc((size_t)g->axis[AX].n + 1);
    int rc = mark ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for a row of cells");
    const int rows = geometry_rows_at_once(g), end = r->high[AY] + r->past[AY];
    for (int j = r->low[AY]; j < end && !rc; j++) {
        if ((j - r->low[AY]) % rows == 0) rc = conformal_load(g, j, SF_MIN(j + rows, end));
        for (int component = 0; component < 6 && !rc; component++) row_count(g, &near, r, component, j, mark, to);
    }
    free(mark);
    smooth_free(&near);
    return rc;
}

int conformal_count(struct geometry *g, struct cuts *cuts)
{
    struct range all = {.low = {0, 0, 0}};
    for (int a = 0; a < 3; a++) all.high[a] = g->axis[a].n, all.past[a] = !g->axis[a].periodic;
    *cuts = (struct cuts){0};
    if (!g->ncuts) return SF_OK;
    SF_TRY(range_count(g, &all, cuts));
    if (cuts->edges || cuts->faces) return SF_OK;
    g->ncuts = 0;
    for (int n = 0; n < g->nsolids; n++) g->solid[n].cuts = 0;
    return SF_OK;
}

int conformal_is_cut(const struct geometry *g, int component, const int at[3])
{
    if (!g->ncuts) return 0;
    const int open =
        component < 3 ? conformal_edge(g, component, at, NULL) : conformal_face(g, component - 3, at, NULL);
    return open > 0 && open < (component < 3 ? OPEN_WHOLE : AREA_WHOLE);
}

int conformal_meets(struct geometry *g, const int low[3], const int high[3], int *meets)
{
    struct range r = {.past = {1, 1, 1}};
    struct cuts cuts = {0};
    for (int a = 0; a < 3; a++) r.low[a] = low[a], r.high[a] = high[a];
    *meets = 0;
    if (!g->ncuts) return SF_OK;
    SF_TRY(range_count(g, &r, &cuts));
    *meets = cuts.edges + cuts.faces > 0;
    return SF_OK;
}
