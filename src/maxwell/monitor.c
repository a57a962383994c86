/* Monitors: from the namelist to sums, and the running sums. SPDX-License-Identifier: MIT */
#include "maxwell/monitor.h"

#include "maxwell/monitor_far.h"
#include "maxwell/monitor_orders.h"
#include "maxwell/monitor_parts.h"
#include "maxwell/monitor_sum.h"
#include "maxwell/place.h"
#include "maxwell/port.h"
#include "pipeline/error.h"
#include "pipeline/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE = 256, LONGEST_NAME = 63 }; /* values of a line that are read at once */
enum { KIND_FLUX, KIND_FLUX_BOX, KIND_FIELDS, KIND_FAR, KIND_ORDERS };

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* What samples of a line add to its sums of one component: [frequency][re, im], `stride` apart. phase: of the first,
 * and 4 nfrequencies further of each that follows. A value is read once. */
static inline __attribute__((always_inline)) void samples_add(real *restrict sums, ptrdiff_t stride,
                                                              const real (*restrict value)[LINE], int samples, int n,
                                                              const real *phase, int nfrequencies)
{
    for (int f = 0; f < nfrequencies; f++) {
        real *restrict const re = sums + 2 * f * stride, *restrict const im = re + stride;
#pragma omp simd
        for (int m = 0; m < n; m++) {
            real a = re[m], b = im[m];
            for (int s = 0; s < samples; s++) {
                const real *const p = phase + 4 * s * nfrequencies + 2 * f;
                a = monitor_sum(a, p[0], value[s][m]);
                b = monitor_sum(b, p[1], value[s][m]);
            }
            re[m] = a, im[m] = b;
        }
    }
}

static void line_add(real *sums, ptrdiff_t stride, const real (*value)[LINE], int samples, int n, const real *phase,
                     int nfrequencies)
{
    if (samples == 1) samples_add(sums, stride, value, 1, n, phase, nfrequencies);
    else if (samples == 2) samples_add(sums, stride, value, 2, n, phase, nfrequencies);
    else if (samples == 3) samples_add(sums, stride, value, 3, n, phase, nfrequencies);
    else samples_add(sums, stride, value, MONITOR_TOGETHER, n, phase, nfrequencies);
}

/* n values from `from` on, `step` apart; of H on a plane between them and those `below` before them. */
static inline void line_read(real *restrict value, const real *from, ptrdiff_t step, int n, ptrdiff_t below,
                             const struct monitor *m)
{
    if (!below) {
        for (int q = 0; q < n; q++) value[q] = from[q * step];
        return;
    }
    const real w0 = m->below, w1 = m->above;
    for (int q = 0; q < n; q++) value[q] = monitor_between(w0, from[q * step - below], w1, from[q * step]);
}

/* Lines run along i; of a single column along k. turn: of this sample; the last of them adds all. */
static void component_add(const struct monitor_pack *s, const struct box *b, const struct monitor *m, int c,
                          const real *phase, int turn)
{
    const struct extent *const e = &m->box;
    const int upward = e->i1 - e->i0 == 1, columns = e->i1 - e->i0, field = m->component[c];
    const ptrdiff_t stride = (ptrdiff_t)(e->k1 - e->k0) * columns, step = upward ? s->sk : 1;
    const ptrdiff_t across[3] = {1, s->sj, s->sk};
    const ptrdiff_t below = m->normal >= 0 && field >= 3 ? across[m->normal] : 0;
    const int first = upward ? b->k0 : b->i0, last = upward ? b->k1 : b->i1, line_end = upward ? b->k0 + 1 : b->k1;
    real value[MONITOR_TOGETHER][LINE];
    for (int j = b->j0; j < b->j1; j++)
        for (int k = b->k0; k < line_end; k++)
            for (int at = first; at < last; at += LINE) {
                const int n = SF_MIN(LINE, last - at), i = upward ? b->i0 : at, level = upward ? at : k;
                const real *const from = s->f[field] + ((j - s->j0) * s->sj + level * s->sk + i);
                real *const row = s->sums + ((ptrdiff_t)(j - s->j0) * e->n * stride +
                                             (ptrdiff_t)(level - e->k0) * columns + i - e->i0);
                real *const waiting = row + (2 * m->ncomponents * m->nfrequencies + c * (m->together - 1)) * stride;
                line_read(value[turn], from, step, n, below, m);
                if (turn + 1 < m->together) {
                    memcpy(waiting + turn * stride, value[turn], (size_t)n * sizeof *waiting);
                    continue;
                }
                for (int w = 0; w < turn; w++) memcpy(value[w], waiting + w * stride, (size_t)n * sizeof *waiting);
                line_add(row + 2 * c * m->nfrequencies * stride, stride, (const real(*)[LINE])value, m->together, n,
                         phase + (field < 3 ? 0 : 2 * m->nfrequencies), m->nfrequencies);
            }
}

void monitor_elements(const struct monitor_pack *s, struct box b, const struct call *c)
{
    const struct maxwell *const x = c->ctx;
    const struct monitor *const m = &x->monitor[member_of(x, c, s->imaginary)];
    const real *const phase = m->phase + (ptrdiff_t)c->pass_step * m->together * 4 * m->nfrequencies;
    for (int n = 0; n < m->ncomponents; n++) {
        const struct box part = box_common(b, m->range[n]);
        if (!box_is_empty(part)) component_add(s, &part, m, n, phase, monitor_turn(m, c->step));
    }
}

/* ---- tables of a pass -------------------------------------------------------------------------------------------- */

int monitors_every(double highest, double dt)
{
    if (!(highest > 0)) return 1;
    const double most = 1 / (5 * highest * dt);
    return most > 1000000 ? 1000000 : most > 1 ? (int)most : 1;
}

/* Of a step that begins at `time` s: [of E, of H][frequency][cos, -sin]. */
static void phases_make(const struct monitors *m, double time, double dt, real *e)
{
    const double two_pi = 6.283185307179586;
    real *const h = e + 2 * m->nfrequencies;
    for (int f = 0; f < m->nfrequencies; f++) {
        const double at_e = two_pi * m->frequency[f] * (time + dt), at_h = two_pi * m->frequency[f] * (time + 0.5 * dt);
        e[2 * f] = (real)sfd_cos(at_e), e[2 * f + 1] = (real)-sfd_sin(at_e);
        h[2 * f] = (real)sfd_cos(at_h), h[2 * f + 1] = (real)-sfd_sin(at_h);
    }
}

/* Of sample number n of the run. */
static double sample_time(const struct monitors *m, long n, double dt) { return (double)(n * m->every) * dt; }

static int phases_room(struct monitors *m, int steps)
{
    const size_t each = 4 * (size_t)m->nfrequencies * sizeof *m->phase;
    if (steps <= m->capacity) return SF_OK;
    free(m->phase);
    m->capacity = 0;
    m->phase = malloc((size_t)steps * (size_t)m->together * each);
    SF_CHECK(m->phase, SF_MEMORY, "no memory for the phases of %d frequencies in %d steps", m->nfrequencies, steps);
    m->capacity = steps;
    for (int p = 0; p < m->nparts; p++) m->part[p].phase = m->phase;
    return SF_OK;
}

int monitors_prepare(struct monitors *m, long step, int steps, const double *time, double dt)
{
    const ptrdiff_t each = 4 * (ptrdiff_t)m->nfrequencies;
    SF_TRY(phases_room(m, steps));
    for (int q = 0; q < steps; q++) {
        const long last = (step + q) / m->every;
        real *const to = m->phase + q * m->together * each;
        if ((step + q) % m->every || (last + 1) % m->together) continue;
        for (int w = 0; w + 1 < m->together; w++)
            phases_make(m, sample_time(m, last + 1 - m->together + w, dt), dt, to + w * each);
        phases_make(m, time[q], dt, to + (m->together - 1) * each);
    }
    return SF_OK;
}

void monitors_look(const struct monitors *m, long step)
{
    struct monitor_look *const look = m->look;
    const long all = (step + m->every - 1) / m->every; /* samples that a state of so many steps has */
    if (look->step == step) return;
    look->step = step, look->nwaiting = (int)(all % m->together);
    for (int w = 0; w < look->nwaiting; w++)
        phases_make(m, sample_time(m, all - look->nwaiting + w, m->dt), m->dt,
                    look->waiting + w * 4 * (ptrdiff_t)m->nfrequencies);
}

struct monitor_view monitor_view(const struct monitor *m, const struct state *st, int id, int j, int k, int c, int f,
                                 int part)
{
    const int levels = m->box.k1 - m->box.k0, nf = m->nfrequencies;
    struct monitor_view v = {.sum = state_line(st, id, j, ((c * nf + f) * 2 + part) * levels + k)};
    if (!m->all) return v;
    monitors_look(m->all, st->step);
    v.n = m->all->look->nwaiting;
    for (int w = 0; w < v.n; w++) {
        v.sample[w] = state_line(st, id, j, (2 * m->ncomponents * nf + c * (m->together - 1) + w) * levels + k);
        v.phase[w] = m->all->look->waiting[4 * w * nf + (m->component[c] < 3 ? 0 : 2 * nf) + 2 * f + part];
    }
    return v;
}

/* ---- geometry ---------------------------------------------------------------------------------------------------- */

static double face(const struct grid *g, int axis, int m)
{
    return axis == AX ? grid_x(g, m, 1) : axis == AY ? grid_y(g, m, 1) : grid_z(g, m, 1);
}

static int cells(const struct grid *g, int axis) { return axis == AX ? g->nx : axis == AY ? g->ny : g->nz; }

/* The elements lo .. hi - 1 of one axis that a region has on nodes and on cells; of a plane of nodes the cells on both
 * sides. Of a conductor's far node nothing is computed, and of a periodic side it is node 0. */
static void range_of(const struct monitor_setup *t, const struct region *r, int axis, int node, int *lo, int *hi)
{
    const int n = cells(t->grid, axis);
    *lo = r->lo[axis];
    if (node) *hi = SF_MIN(r->hi[axis] + 1, n + t->open[axis]);
    else *lo -= r->hi[axis] == r->lo[axis], *hi = SF_MAX(r->hi[axis], r->lo[axis] + 1);
}

static int reaches_seam(const struct monitor_setup *t, const struct region *r, int axis)
{
    return t->periodic[axis] && r->hi[axis] == cells(t->grid, axis);
}

void monitor_ranges_make(struct monitor *m, const struct monitor_setup *t, const struct region *r)
{
    struct extent *const e = &m->box;
    *e = (struct extent){.i0 = r->lo[AX], .j0 = r->lo[AY], .k0 = r->lo[AZ], .n = monitor_values(m)};
    for (int c = 0; c < m->ncomponents; c++) {
        int lo[3], hi[3];
        for (int a = 0; a < 3; a++) range_of(t, r, a, a == m->normal || on_node(m->component[c], a), &lo[a], &hi[a]);
        m->range[c] = (struct box){lo[AX], hi[AX], lo[AZ], hi[AZ], lo[AY], hi[AY]};
        e->i0 = SF_MIN(e->i0, lo[AX]), e->j0 = SF_MIN(e->j0, lo[AY]), e->k0 = SF_MIN(e->k0, lo[AZ]);
        e->i1 = SF_MAX(e->i1, hi[AX]), e->j1 = SF_MAX(e->j1, hi[AY]), e->k1 = SF_MAX(e->k1, hi[AZ]);
    }
}

/* Shares of the area of a plane, by place in its box: of its cells, and of its nodes, which own the halves of the cells
 * beside them. The last node of a periodic axis is node 0. */
int monitor_areas_make(struct monitor *m, const struct monitor_setup *t, const struct region *r)
{
    const struct grid *const g = t->grid;
    const int from[3] = {m->box.i0, m->box.j0, m->box.k0};
    for (int a = 0; a < 3; a++) {
        const int lo = from[a], hi = r->hi[a], n = cells(g, a);
        double *const node = m->node[a] = calloc((size_t)(hi - lo) + 2, sizeof *node);
        double *const cell = m->cell[a] = calloc((size_t)(hi - lo) + 2, sizeof *cell);
        SF_CHECK(node && cell, SF_MEMORY, "no memory for monitor %s", m->name);
        if (a == m->normal) node[0] = cell[0] = 1;
        for (int p = r->lo[a]; p < hi; p++) {
            const double size = face(g, a, p + 1) - face(g, a, p);
            cell[p - lo] = size;
            node[p - lo] += 0.5 * size;
            node[p + 1 - lo] += 0.5 * size;
        }
        if (reaches_seam(t, r, a) && a != m->normal) node[0] += node[n], node[n] = 0;
    }
    return SF_OK;
}

/* ---- one field of sums ------------------------------------------------------------------------------------------- */

int monitor_part_new(struct monitors *all, const struct monitor_setup *t, int of, const char *side,
                     struct monitor **out)
{
    SF_CHECK(all->nparts < t->room, SF_NAMELIST,
             "&monitor: more than the %d planes and boxes that there is room for; a closed box has six planes",
             t->room);
    struct monitor *const m = *out = &all->part[all->nparts++];
    *m = (struct monitor){.normal = -1,
                          .of = of,
                          .sign = 1,
                          .nfrequencies = all->nfrequencies,
                          .every = SF_MAX(all->every, 1),
                          .together = all->together,
                          .all = all};
    if (of < 0) snprintf(m->name, sizeof m->name, "%s", side); /* a port, which no monitor shares its name with */
    else
        snprintf(m->name, sizeof m->name, "sums_%.*s%s%s", LONGEST_NAME, t->params->monitor_name[of],
                 side[0] ? "_" : "", side);
    snprintf(m->name_im, sizeof m->name_im, "%s_im", m->name);
    return SF_OK;
}

/* Values that do not lie where they were asked for, or are left out. */
static void fields_look(const struct monitor_setup *t, const struct monitor *m, int a, const struct region *r)
{
    static const char *const keys[3] = {"monitor%west monitor%east", "monitor%south monitor%north",
                                        "monitor%bottom monitor%top"};
    const char *const name = t->params->monitor_name[m->of];
    if (t->staggered) return;
    if (r->lo[a] == r->hi[a] && m->plane[a][0] < m->plane[a][1] && cells(t->grid, a) > 1)
        sf_complain_mildly(
            t->complaints, keys[a], m->of,
            "monitor %s: its plane %c = %.6g m lies on a side of the domain: its fields are those at the centres of the outermost cells, %c = %.6g m",
            name, "xyz"[a], face(t->grid, a, r->lo[a]), "xyz"[a], place_at(t->grid, a, 0, m->plane[a][0]));
    if (m->far[a] == FAR_UNKNOWN && m->plane[a][1] == cells(t->grid, a))
        sf_complain_mildly(
            t->complaints, keys[a], m->of,
            "monitor %s: it ends at a periodic side along %c and begins elsewhere: components on faces are left out in its last cell; begin at the other side, or end a cell before",
            name, "xyz"[a]);
}

static int fields_add(struct monitors *all, const struct monitor_setup *t, int of, const struct region *r)
{
    struct monitor *m = NULL;
    struct region inside = *r;
    SF_TRY(monitor_part_new(all, t, of, "", &m));
    for (int a = 0; a < 3; a++) {
        const int n = cells(t->grid, a), on_side = r->lo[a] == 0 || r->lo[a] == n;
        if (r->hi[a] == r->lo[a] && on_side) { /* a plane on a side: the outermost cells; node n of a seam is node 0 */
            inside.lo[a] = t->periodic[a] ? 0 : SF_MIN(r->lo[a], n - 1);
            inside.hi[a] = inside.lo[a] + 1;
        }
        m->plane[a][0] = inside.lo[a], m->plane[a][1] = inside.hi[a];
        m->far[a] = t->open[a] ? n : !t->periodic[a] ? FAR_ZERO : inside.lo[a] ? FAR_UNKNOWN : 0;
        if (t->complaints) fields_look(t, m, a, r);
    }
    m->ncomponents = MONITOR_COMPONENTS;
    for (int c = 0; c < m->ncomponents; c++) m->component[c] = c;
    monitor_ranges_make(m, t, &inside);
    return SF_OK;
}

/* Power that passes within an absorbing layer is less than what came in. */
static void layer_look(const struct monitor_setup *t, int of, int normal, int plane)
{
    const int from_high = cells(t->grid, normal) - plane, at_high = from_high < t->layer[normal][1];
    if (plane >= t->layer[normal][0] && !at_high) return;
    sf_complain_mildly(t->complaints, "monitor%name", of,
                       "monitor %s: its plane %c = %.6g m lies in the absorbing layer at the %s side",
                       t->params->monitor_name[of], "xyz"[normal], face(t->grid, normal, plane),
                       side_name(normal, at_high));
}

/* The plane of nodes r->lo = r->hi of axis `normal`. */
static int plane_add(struct monitors *all, const struct monitor_setup *t, int of, const char *side, int normal,
                     double sign, const struct region *r)
{
    const int u = (normal + 1) % 3, v = (normal + 2) % 3, p = r->lo[normal];
    const char *const name = t->params->monitor_name[of];
    SF_CHECK(p > 0 && p < cells(t->grid, normal), SF_NAMELIST,
             "&monitor %s: its plane %c = %g m lies on the side of the domain; it must lie between two cells", name,
             "xyz"[normal], face(t->grid, normal, p));
    SF_CHECK(r->hi[u] > r->lo[u] && r->hi[v] > r->lo[v], SF_NAMELIST, "&monitor %s: its plane covers no cell", name);
    layer_look(t, of, normal, p);
    struct monitor *m = NULL;
    SF_TRY(monitor_part_new(all, t, of, side, &m));
    const double low = face(t->grid, normal, p) - face(t->grid, normal, p - 1);
    const double high = face(t->grid, normal, p + 1) - face(t->grid, normal, p);
    m->normal = normal;
    m->sign = sign;
    for (int a = 0; a < 3; a++) m->plane[a][0] = r->lo[a], m->plane[a][1] = r->hi[a];
    m->below = (real)(high / (low + high)), m->above = (real)(low / (low + high));
    m->is_far = t->params->monitor_kind[of] == KIND_FAR;
    m->is_orders = t->params->monitor_kind[of] == KIND_ORDERS;
    if (m->is_far) m->below = (real)(sign < 0), m->above = (real)(sign > 0);
    m->area = (face(t->grid, u, r->hi[u]) - face(t->grid, u, r->lo[u])) *
              (face(t->grid, v, r->hi[v]) - face(t->grid, v, r->lo[v]));
    m->ncomponents = 4;
    m->component[0] = u, m->component[1] = 3 + v, m->component[2] = v, m->component[3] = 3 + u;
    struct region held = *r; /* a plane that ends at a seam needs node 0, where the seam is computed */
    for (int a = 0; a < 3; a++)
        if (reaches_seam(t, r, a)) held.lo[a] = 0;
    monitor_ranges_make(m, t, &held);
    return monitor_areas_make(m, t, r);
}

/* ---- the namelist ------------------------------------------------------------------------------------------------ */

static int name_check(const struct monitor_setup *t, int of)
{
    const char *const name = t->params->monitor_name[of];
    const size_t n = strlen(name);
    SF_CHECK(n > 0 && n <= LONGEST_NAME, SF_NAMELIST, "&monitor: name %d must have 1 to %d characters; it is '%s'",
             of + 1, LONGEST_NAME, name);
    SF_CHECK(strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == n, SF_NAMELIST,
             "&monitor: name '%s' may have letters, digits, - and _ only", name);
    for (int q = 0; q < of; q++)
        SF_CHECK(strcasecmp(name, t->params->monitor_name[q]), SF_NAMELIST, "&monitor: the name '%s' is used twice",
                 name);
    return SF_OK;
}

/* Nearest nodes of the ends along an axis, which reach as far as the domain. *flat: the two ends are the same. */
static int ends_find(const struct monitor_setup *t, int of, int a, struct region *r, int *flat)
{
    const struct maxwell_params *const p = t->params;
    const double low[3] = {p->monitor_west[of], p->monitor_south[of], p->monitor_bottom[of]};
    const double high[3] = {p->monitor_east[of], p->monitor_north[of], p->monitor_top[of]};
    const double first = face(t->grid, a, 0), last = face(t->grid, a, cells(t->grid, a));
    const double slack = GRID_TIE * (last - first) / cells(t->grid, a); /* sizes add up but for round-off */
    SF_CHECK(low[a] <= high[a], SF_NAMELIST, "&monitor %s: it begins at %c = %g m and ends before, at %g m",
             p->monitor_name[of], "xyz"[a], low[a], high[a]);
    SF_CHECK(low[a] <= last + slack && high[a] >= first - slack, SF_NAMELIST,
             "&monitor %s: it lies at %c = %g to %g m, outside the domain, %g to %g m", p->monitor_name[of], "xyz"[a],
             low[a], high[a], first, last);
    *flat = !(low[a] < high[a]);
    r->lo[a] = grid_nearest(t->grid, a, 1, SF_MAX(low[a], first));
    r->hi[a] = grid_nearest(t->grid, a, 1, SF_MIN(high[a], last));
    return SF_OK;
}

/* Sides of the closed box, outward. What lies on the side of the domain is left out: nothing passes a conductor, and
 * what leaves by a periodic side comes in by the other. */
static int box_add(struct monitors *all, const struct monitor_setup *t, int of, const struct region *r)
{
    static const char *const side[3][2] = {{"west", "east"}, {"south", "north"}, {"bottom", "top"}};
    const int before = all->nparts;
    for (int a = 0; a < 3; a++) {
        const int n = cells(t->grid, a), at_low = r->lo[a] == 0, at_high = r->hi[a] == n;
        SF_CHECK(r->hi[a] > r->lo[a], SF_NAMELIST, "&monitor %s: its box covers no cell along %c",
                 t->params->monitor_name[of], "xyz"[a]);
        SF_CHECK(!t->periodic[a] || at_low == at_high, SF_NAMELIST,
                 "&monitor %s: one side of its box lies on a periodic side of the domain along %c, the other does not",
                 t->params->monitor_name[of], "xyz"[a]);
        struct region low = *r, high = *r;
        low.hi[a] = low.lo[a], high.lo[a] = high.hi[a];
        if (!at_low) SF_TRY(plane_add(all, t, of, side[a][0], a, -1, &low));
        if (!at_high) SF_TRY(plane_add(all, t, of, side[a][1], a, 1, &high));
    }
    SF_CHECK(all->nparts > before, SF_NAMELIST,
             "&monitor %s: its box is the whole domain, and no side of it lies inside", t->params->monitor_name[of]);
    return SF_OK;
}

static int region_add(struct monitors *all, const struct monitor_setup *t, int of, const struct region *r,
                      const int flat[3])
{
    if (t->params->monitor_kind[of] == KIND_FIELDS) return fields_add(all, t, of, r);
    if (t->params->monitor_kind[of] == KIND_FLUX_BOX) return box_add(all, t, of, r);
    if (t->params->monitor_kind[of] == KIND_FAR) {
        struct far_monitor *f;
        SF_TRY(far_new(all, t, of, r->lo, r->hi, &f));
        SF_TRY(box_add(all, t, of, r));
        f->nparts = all->nparts - f->first;
        return SF_OK;
    }
    SF_CHECK(flat[0] + flat[1] + flat[2] == 1, SF_NAMELIST,
             "&monitor %s: a plane has the same two ends along one axis (such as west and east), and this one along %d",
             t->params->monitor_name[of], flat[0] + flat[1] + flat[2]);
    SF_TRY(plane_add(all, t, of, "", flat[AX] ? AX : flat[AY] ? AY : AZ, 1, r));
    return t->params->monitor_kind[of] == KIND_ORDERS ? orders_new(all, t, of, all->nparts - 1) : SF_OK;
}

static int errors_of(const struct monitor_setup *t) { return t->complaints ? t->complaints->errors : 0; }

static int monitor_add(struct monitors *all, const struct monitor_setup *t, int of)
{
    static const char *const ends[] = {"monitor%west monitor%east monitor%name",
                                       "monitor%south monitor%north monitor%name",
                                       "monitor%bottom monitor%top monitor%name"};
    const int before = errors_of(t);
    struct region r;
    int flat[3];
    SF_TRY(sf_complain_or_fail(t->complaints, "monitor%name", of, name_check(t, of)));
    for (int a = 0; a < 3; a++)
        SF_TRY(sf_complain_or_fail(t->complaints, ends[a], of, ends_find(t, of, a, &r, &flat[a])));
    if (errors_of(t) > before) return SF_OK;
    return sf_complain_or_fail(t->complaints, "monitor%kind monitor%name", of, region_add(all, t, of, &r, flat));
}

static int frequencies_make(struct monitors *m, const struct monitor_setup *t)
{
    const struct maxwell_params *const p = t->params;
    const int n = m->nfrequencies = t->listed ? t->listed : p->spectrum_count;
    SF_CHECK(n > 0, SF_NAMELIST,
             "&spectrum: the monitors need frequencies: give from, to and count, or a list of frequencies");
    SF_CHECK(!t->listed || !p->spectrum_count, SF_NAMELIST,
             "&spectrum: give from, to and count or a list of frequencies, not both");
    SF_CHECK(t->listed || p->spectrum_to >= p->spectrum_from, SF_NAMELIST,
             "&spectrum: to (%g Hz) lies below from (%g Hz)", p->spectrum_to, p->spectrum_from);
    m->frequency = calloc((size_t)n, sizeof *m->frequency);
    SF_CHECK(m->frequency, SF_MEMORY, "no memory for %d frequencies", n);
    const double step = n > 1 ? (p->spectrum_to - p->spectrum_from) / (n - 1) : 0;
    for (int f = 0; f < n; f++) m->frequency[f] = t->listed ? p->spectrum_frequencies[f] : p->spectrum_from + f * step;
    for (int f = 1; f < n; f++)
        SF_CHECK(m->frequency[f] > m->frequency[f - 1], SF_NAMELIST,
                 "&spectrum: frequencies must grow; number %d is %g Hz after %g Hz", f + 1, m->frequency[f],
                 m->frequency[f - 1]);
    return SF_OK;
}

static int sampling_make(struct monitors *m, const struct monitor_setup *t)
{
    const double last = m->frequency[m->nfrequencies - 1], most = 0.5 / t->dt;
    SF_CHECK(
        last <= most, SF_NAMELIST,
        "&spectrum: %g Hz is more than steps of %g s show, which is %g Hz: ask for lower frequencies, or take smaller cells (their time step is shorter)",
        last, t->dt, most);
    /* What sources make above that is not in the run either. */
    const double highest = SF_MAX(SF_MIN(t->highest, most), last);
    const int asked = t->params->spectrum_every;
    m->every = asked ? asked : monitors_every(highest, t->dt);
    m->dt = t->dt;
    m->dt_sample = m->every * t->dt;
    SF_CHECK(2 * highest * m->dt_sample <= 1, SF_NAMELIST,
             "&spectrum: a sample every %d steps of %g s is too seldom for %g Hz; every = %d would do", m->every, t->dt,
             highest, monitors_every(highest, t->dt));
    return SF_OK;
}

/* Without frequencies that are right, one that lets the monitors be looked at. */
static int spectrum_make(struct monitors *m, const struct monitor_setup *t)
{
    static const char keys[] = "spectrum%from spectrum%to spectrum%count spectrum%frequencies monitor%name";
    const int before = errors_of(t);
    SF_TRY(sf_complain_or_fail(t->complaints, t->listed ? "spectrum%frequencies" : keys, -1, frequencies_make(m, t)));
    if (errors_of(t) == before)
        return sf_complain_or_fail(t->complaints, "spectrum%every spectrum%to spectrum%frequencies", -1,
                                   sampling_make(m, t));
    if (m->frequency) return SF_OK;
    m->frequency = calloc(1, sizeof *m->frequency);
    SF_CHECK(m->frequency, SF_MEMORY, "no memory for a frequency");
    m->nfrequencies = 1;
    return SF_OK;
}

static int monitors_fill(struct monitors *m, const struct monitor_setup *t)
{
    SF_TRY(spectrum_make(m, t));
    m->together = monitors_together(m->nfrequencies);
    m->look = calloc(1, sizeof *m->look);
    if (m->look)
        m->look->step = -1,
        m->look->waiting = malloc((size_t)m->together * 4 * (size_t)m->nfrequencies * sizeof *m->look->waiting);
    m->part = calloc((size_t)SF_MAX(t->room, 1), sizeof *m->part);
    m->beyond = calloc((size_t)m->nfrequencies, 1);
    m->far = calloc((size_t)t->given + 1, sizeof *m->far);
    m->orders = calloc((size_t)t->given + 1, sizeof *m->orders);
    SF_CHECK(m->part && m->beyond && m->far && m->orders && m->look && m->look->waiting, SF_MEMORY,
             "no memory for %d monitors", t->given);
    for (int n = 0; n < t->given; n++) SF_TRY(monitor_add(m, t, n));
    if (t->ports) SF_TRY(ports_sums(t->ports, m, t));
    m->ports = t->ports;
    return monitor_results_make(m, t);
}

int monitors_make(struct monitors **out, const struct monitor_setup *t)
{
    *out = NULL;
    if (!t->given && !t->ports) return SF_OK;
    struct monitors *m = calloc(1, sizeof *m);
    SF_CHECK(m, SF_MEMORY, "no memory for %d monitors", t->given);
    m->wave = calloc((size_t)t->nwaves + 1, sizeof *m->wave);
    if (m->wave && t->nwaves) memcpy(m->wave, t->wave, (size_t)t->nwaves * sizeof *m->wave);
    m->nwaves = t->nwaves, m->amplitude = t->amplitude, m->incident = t->incident, m->impedance = t->impedance,
    m->travel = t->travel, m->bloch = t->bloch;
    const int rc =
        m->wave ? monitors_fill(m, t) : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for %d waveforms", t->nwaves);
    if (rc) monitors_free(&m);
    *out = m;
    return rc;
}

int monitors_have_flux(const struct monitors *m)
{
    int n = 0;
    for (int p = 0; m && p < m->nparts; p++) n += monitor_is_flux(&m->part[p]);
    return n > 0;
}

void monitors_free(struct monitors **at)
{
    struct monitors *m = *at;
    if (!m) return;
    for (int n = 0; n < m->nparts; n++) {
        for (int a = 0; a < 3; a++) free(m->part[n].node[a]), free(m->part[n].cell[a]);
        free(m->part[n].medium);
    }
    monitor_results_free(m);
    for (int n = 0; n < m->nfar; n++) far_free(m->far[n]);
    for (int n = 0; n < m->norders; n++) orders_free(m->orders[n]);
    free(m->orders);
    free(m->far);
    free(m->part);
    free(m->wave);
    free(m->fact);
    free(m->frequency);
    free(m->beyond);
    free(m->phase);
    if (m->look) free(m->look->waiting);
    free(m->look);
    free(m);
    *at = NULL;
}
