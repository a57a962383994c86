/* Ports from the namelist, and the source of the one that is driven. SPDX-License-Identifier: MIT */
#include "maxwell/port.h"

#include "maxwell/conductors.h"
#include "maxwell/lump.h"
#include "maxwell/source.h"
#include "pipeline/error.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* ---- guides ------------------------------------------------------------------------------------------------------ */

static double square(double x) { return x * x; }

double port_wave(const struct port *q, double frequency, double dt)
{
    const int n = q->mode.axis, is_line = q->kind == PORT_LINE;
    const double speed = em_c / (is_line ? q->tem.index : __builtin_sqrt(q->epsilon * q->mu));
    double sum = square(sfd_sin(pi * frequency * dt) / (speed * dt));
    for (int a = 0; a < 3; a++) {
        const int cells = q->mode.high[a] - q->mode.low[a];
        if (a != n && !is_line) sum -= square(sfd_sin(0.5 * pi * q->waves[a] / cells) / q->size[a]);
    }
    return sum > 0 ? __builtin_sqrt(sum) : 0;
}

double port_impedance(const struct port *q, double frequency, double dt)
{
    const double wave = port_wave(q, frequency, dt), sine = wave * q->size[q->mode.axis],
                 cosine = __builtin_sqrt(SF_MAX(1 - sine * sine, 0));
    if (q->kind == PORT_LINE) return q->tem.impedance / cosine;
    return em_mu0 * q->mu * (sfd_sin(pi * frequency * dt) / dt) / wave / cosine;
}

static struct mode_keys mode_of(const struct maxwell_params *p, int m)
{
    const double size[3] = {p->port_size_x[m], p->port_size_y[m], p->port_size_z[m]};
    const int a = p->port_axis[m];
    return (struct mode_keys){.axis = a,
                              .m = p->port_mode_m[m],
                              .n = p->port_mode_n[m],
                              .centre = {p->port_x[m], p->port_y[m], p->port_z[m]},
                              .size_b = size[(a + 1) % 3],
                              .size_c = size[(a + 2) % 3],
                              .group = "&port: port"};
}

/* Cells of one size along the axis: else waves are not told apart; and across a guide, else the profile is not the
 * grid's. */
static int cells_check(struct port *q, const struct axis_lines axis[3])
{
    const int n = q->mode.axis;
    for (int a = 0; a < 3; a++) {
        const int low = a == n ? SF_MAX(q->mode.low[a] - PORT_BEHIND - 1, 0) : q->mode.low[a],
                  high = a == n ? SF_MIN(q->mode.low[a] + PORT_BEHIND + 1, axis[a].n) : q->mode.high[a];
        q->size[a] = axis[a].size[low];
        for (int m = low; m < high && (a == n || q->kind == PORT_GUIDE); m++)
            SF_CHECK(
                __builtin_fabs(axis[a].size[m] - q->size[a]) <= 1e-6 * q->size[a], SF_NAMELIST,
                "&port: port %d: cells along %c are not of one size in its guide or line, %g and %g m: waves are told apart by those of equal cells",
                q->number, "xyz"[a], q -> size[a], axis[a].size[m]);
    }
    return SF_OK;
}

/* The source lies behind the plane, and both away from sides and layers. */
static int room_check(const struct port *q, const struct axis_lines axis[3])
{
    const int a = q->mode.axis, plane = q->mode.low[a],
              least = SF_MAX(axis[a].low, 1) + (q->toward > 0 ? PORT_BEHIND : 0),
              most = axis[a].n - SF_MAX(axis[a].high, 1) - (q->toward < 0 ? PORT_BEHIND : 0);
    SF_CHECK(
        plane >= least && plane <= most, SF_NAMELIST,
        "&port: port %d: its plane lies %d cells from the low end of %c; with its source %d cells behind it must lie between %d and %d, outside of "
        "absorbing layers",
        q->number, plane, "xyz"[a], PORT_BEHIND, least, most);
    return SF_OK;
}

/* Of a node of a guide what it has of it along an axis, m: the halves of the cells beside it. At a seam the last node
 * is the first. */
static double node_share(const struct axis_lines *l, int low, int high, int seam, int m)
{
    if (seam && m == high) return 0;
    return 0.5 * ((m > low ? l->size[m - 1] : seam ? l->size[high - 1] : 0) + (m < high ? l->size[m] : 0));
}

/* Area of an element of E_b (0) or E_c with numbers m along b and n along c from the guide's low walls, m2. */
static double element_area(const struct mode *k, const struct maxwell_params *p, const struct axis_lines axis[3],
                           int which, int m, int n)
{
    double area = 1;
    for (int across = 0; across < 2; across++) {
        const int a = (k->axis + 1 + across) % 3, at = k->low[a] + (across ? n : m),
                  seam = side_of(p, a, 0) == EM_PERIODIC && k->high[a] - k->low[a] == axis[a].n;
        area *= across == which ? axis[a].size[at] : node_share(&axis[a], k->low[a], k->high[a], seam, at);
    }
    return area;
}

/* The profile by itself, normalised; H of the mode is n x e. */
static int guide_weights(struct port *q, const struct maxwell_params *p, const struct axis_lines axis[3])
{
    const struct mode *const k = &q->mode;
    const int c = (k->axis + 2) % 3, lines = k->high[c] - k->low[c] + 1, nodes = k->wide * lines;
    double norm = 0;
    q->memory = calloc((size_t)TEM_TESTS * (size_t)nodes, sizeof(double));
    SF_CHECK(q->memory, SF_MEMORY, "no memory for the weights of a port");
    for (int n = 0; n < TEM_TESTS; n++) q->test[n] = (double *)q->memory + (ptrdiff_t)n * nodes;
    for (int which = 0; which < 2; which++)
        for (int n = 0; n < lines - which; n++)
            for (int m = 0; m < k->wide - !which; m++) {
                const ptrdiff_t at = plane_index(k->wide, 0, 0, m, n);
                const double e = (double)k->profile[which][at];
                q->test[2 * which][at] = element_area(k, p, axis, which, m, n) * e;
                norm += q->test[2 * which][at] * e;
            }
    for (int n = 0; n < 2 * nodes; n++) {
        double *const of_e = &q->test[n < nodes ? 0 : 2][n % nodes];
        *of_e /= __builtin_sqrt(norm);
        q->test[n < nodes ? 1 : 3][n % nodes] = n < nodes ? *of_e : -*of_e;
    }
    return SF_OK;
}

/* A line's window: its wave is found once what is painted there is known. */
static int window_make(struct port *q, const struct mode_keys *k, const struct maxwell_params *p,
                       const struct grid *grid, const struct axis_lines axis[3])
{
    SF_TRY(mode_walls(&q->mode, k, grid, axis, q->number));
    for (int a = 0; a < 3; a++) {
        q->centre[a] = k->centre[a];
        SF_CHECK(
            a == k->axis || side_of(p, a, 0) != EM_PERIODIC || (q->mode.low[a] > 0 && q->mode.high[a] < axis[a].n),
            SF_NAMELIST,
            "&port: port %d: its window reaches a periodic side along %c: make these sides 'pmc' where the line is uniform along %c, or give a "
            "smaller size_%c",
            q->number, "xyz"[a], "xyz"[a], "xyz"[a]);
    }
    return mode_alloc(&q->mode);
}

static int plane_make(struct port *q, const struct maxwell_params *p, const struct grid *grid,
                      const struct axis_lines axis[3])
{
    const struct mode_keys k = mode_of(p, q->number - 1);
    if (q->kind == PORT_LINE) SF_TRY(window_make(q, &k, p, grid, axis));
    else SF_TRY(mode_make(&q->mode, &k, grid, axis, q->number));
    q->waves[(k.axis + 1) % 3] = k.m, q->waves[(k.axis + 2) % 3] = k.n;
    SF_TRY(cells_check(q, axis));
    SF_TRY(room_check(q, axis));
    return q->kind == PORT_GUIDE ? guide_weights(q, p, axis) : SF_OK;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static int port_make(struct port *q, const struct maxwell_params *p, const struct lump *lump, int nlumps,
                     const struct grid *grid, const struct axis_lines axis[3], struct complaints *to)
{
    const int m = q->number - 1;
    q->resistance = p->port_resistance[m], q->shift = p->port_shift[m];
    q->toward = p->port_toward[m] ? -1 : 1;
    q->epsilon = q->mu = 1;
    for (const struct lump *l = lump; l < lump + nlumps; l++)
        if (l->is_port && l->number == q->number) q->lump = l;
    if (!port_is_plane(q)) return SF_OK;
    return sf_complain_or_fail(to, "port%kind port%x port%y port%z", m, plane_make(q, p, grid, axis));
}

static int ports_fill_in(struct ports *all, const struct maxwell_params *p, int given, const struct lump *lump,
                         int nlumps, const struct grid *grid, const struct axis_lines axis[3], struct complaints *to)
{
    int driven = all->driven == 0;
    all->of = calloc((size_t)given, sizeof *all->of), all->number = calloc((size_t)given, sizeof *all->number);
    SF_CHECK(all->of && all->number, SF_MEMORY, "no memory for %d ports", given);
    for (int m = 0; m < given; m++) {
        if (p->port_kind[m] == PORT_NONE) continue;
        struct port *const q = &all->of[all->n];
        all->number[all->n++] = m + 1;
        *q = (struct port){.number = m + 1, .kind = (enum port_kind)p->port_kind[m]};
        SF_TRY(port_make(q, p, lump, nlumps, grid, axis, to));
        driven |= q->number == all->driven;
    }
    if (!driven)
        return sf_complain_or_fail(to, "excitation%port", -1,
                                   sf_fail(SF_NAMELIST, __FILE__, __LINE__,
                                           "&excitation: port = %d, and &port has no such entry: there are %d ports",
                                           all->driven, all->n));
    return SF_OK;
}

int ports_make(struct ports **out, const struct maxwell_params *p, int given, const struct lump *lump, int nlumps,
               const struct grid *grid, const struct axis_lines axis[3], struct complaints *to)
{
    int any = 0;
    *out = NULL;
    for (int m = 0; m < given; m++) any |= p->port_kind[m] != PORT_NONE;
    if (!any) return SF_OK;
    struct ports *const all = *out = calloc(1, sizeof *all);
    SF_CHECK(all, SF_MEMORY, "no memory for %d ports", given);
    all->driven = p->excitation_port, all->amplitude = p->excitation_amplitude;
    for (int a = 0; a < 3; a++) all->cells[a] = axis[a].n;
    return ports_fill_in(all, p, given, lump, nlumps, grid, axis, to);
}

void ports_free(struct ports **at)
{
    struct ports *const p = *at;
    if (!p) return;
    for (int n = 0; n < p->n; n++) {
        mode_free(&p->of[n].mode);
        tem_free(&p->of[n].tem);
        free(p->of[n].memory);
    }
    free(p->of);
    free(p->number);
    free(p);
    *at = NULL;
}

int ports_lie_on(const struct ports *p, int axis, int high)
{
    int all = 1;
    for (const struct port *q = p->of; q < p->of + p->n; q++)
        all = all && (q->lump ? q->lump->axis != axis &&
                                    (high ? q->lump->at.high[axis] > p->cells[axis] : q->lump->at.low[axis] == 0)
                              : q->kind == PORT_LINE && q->tem.on_side[axis][high]);
    return all;
}

/* ---- what fills them --------------------------------------------------------------------------------------------- */

/* From the source to as far before the plane. */
static int filling_find(struct port *q, struct geometry *g, const struct media *m)
{
    unsigned char used[MEDIA_MAX] = {0};
    int low[3], high[3], number = -1;
    for (int a = 0; a < 3; a++) low[a] = q->mode.low[a], high[a] = q->mode.high[a];
    low[q->mode.axis] = SF_MAX(low[q->mode.axis] - PORT_BEHIND, 0);
    high[q->mode.axis] = SF_MIN(high[q->mode.axis] + PORT_BEHIND, g->axis[q->mode.axis].n);
    SF_TRY(geometry_media_of(g, low, high, used));
    for (int n = 0; n < m->n; n++) {
        const struct medium *const one = &m->medium[n];
        if (!used[n]) continue;
        SF_CHECK(
            n != MEDIUM_PEC && number < 0, SF_NAMELIST,
            "&port: port %d: %s lies in its guide around its plane: a guide is filled with one medium; give its inner size and centre",
            q->number, n == MEDIUM_PEC ? "'pec'" : "more than one medium");
        SF_CHECK(
            !(one->sigma > 0) && !(one->sigma_m > 0) && !one->npoles, SF_NAMELIST,
            "&port: port %d: '%.64s' fills its guide, which has losses or poles: waves are told apart in a medium without",
            q->number, one->name);
        number = n, q->epsilon = one->epsilon, q->mu = one->mu;
    }
    return SF_OK;
}

/* The wall of a guide at an end of one of its axes, in a plane across it: every edge along it conducts, or that side of
 * the domain does. */
static int wall_check(const struct port *q, const struct maxwell_params *p, struct conductors *r, int a, int high,
                      int plane)
{
    const struct mode *const m = &q->mode;
    const struct geometry_axis *const axis = r->g->axis;
    const int along = 3 - m->axis - a, wall = high ? m->high[a] : m->low[a];
    const int on_side = high ? wall == axis[a].n : wall == 0, whole = m->low[a] == 0 && m->high[a] == axis[a].n;
    if (on_side && side_of(p, a, high) == EM_PEC) return SF_OK;
    if (whole && !q->waves[a] && axis[a].periodic) return SF_OK;
    int at[3], pec = 1;
    at[m->axis] = plane, at[a] = wall;
    for (at[along] = m->low[along]; at[along] < m->high[along] && pec; at[along]++)
        SF_TRY(conductors_edge(r, along, at, &pec));
    SF_CHECK(
        pec, SF_NAMELIST,
        "&port: port %d: its guide has no conducting wall at %c = %.6g m: a guide port is the mode between walls of 'pec', sides of the domain "
        "or painted; give the guide's inner size, size_%c, and its centre",
        q->number, "xyz"[a], axis[a].node[wall], "xyz"[a]);
    return SF_OK;
}

static int walls_check(const struct port *q, const struct maxwell_params *p, struct conductors *r)
{
    for (int behind = 0; behind < 2; behind++)
        for (int which = 1; which < 3; which++)
            for (int high = 0; high < 2; high++)
                SF_TRY(wall_check(q, p, r, (q->mode.axis + which) % 3, high,
                                  q->mode.low[q->mode.axis] - behind * q->toward * PORT_BEHIND));
    return SF_OK;
}

static int guide_check(struct port *q, const struct maxwell_params *p, struct geometry *g, const struct media *m,
                       struct conductors *r)
{
    SF_TRY(filling_find(q, g, m));
    return walls_check(q, p, r);
}

int ports_check(struct ports *all, const struct maxwell_params *p, struct geometry *g, const struct media *m,
                const struct axis_lines axis[3], struct complaints *to)
{
    struct conductors r;
    int rc = SF_OK;
    if (!all) return SF_OK;
    SF_TRY(conductors_open(&r, g));
    for (struct port *q = all->of; q < all->of + all->n && !rc; q++)
        if (port_is_plane(q))
            rc = sf_complain_or_fail(to, "port%kind", q->number - 1,
                                     q->kind == PORT_LINE ? port_line_settle(q, p, g, m, axis)
                                                          : guide_check(q, p, g, m, &r));
    conductors_close(&r);
    return rc;
}

/* ---- the source -------------------------------------------------------------------------------------------------- */

int ports_drive(const struct ports *p, const struct maxwell_params *params, const struct axis_lines axis[3],
                const char *dir, struct source *source, int *n, struct complaints *to)
{
    const struct port *q = NULL;
    for (int m = 0; p && m < p->n; m++)
        if (p->of[m].number == p->driven) q = &p->of[m];
    if (!q) return SF_OK;
    const struct waveform_keys wave = {.kind = params->excitation_waveform,
                                       .frequency = params->excitation_frequency,
                                       .bandwidth = params->excitation_bandwidth,
                                       .delay = params->excitation_delay,
                                       .phase = params->excitation_phase,
                                       .file = params->excitation_file};
    struct source *const s = &source[(*n)++];
    *s = (struct source){.number = q->number,
                         .is_port = 1,
                         .is_mode = port_is_plane(q),
                         .is_line = q->kind == PORT_LINE,
                         .drive = DRIVE_CURRENT,
                         .given = p->amplitude,
                         .rows = params->boundary_south == EM_PERIODIC ? axis[AY].n : 0};
    SF_TRY(sf_complain_or_fail(to, "excitation%file excitation%waveform excitation%frequency", -1,
                               waveform_make(&s->wave, &wave, dir)));
    if (!port_is_plane(q)) {
        s->component = q->lump->axis, s->at = q->lump->at;
        s->amplitude = -p->amplitude / (q->resistance * q->lump->area);
        return SF_OK;
    }
    const int a = q->mode.axis, is_line = q->kind == PORT_LINE;
    s->amplitude = p->amplitude / q->size[a] * (is_line ? q->tem.sheet / (q->tem.impedance * q->tem.images) : -1);
    return mode_copy(&s->mode, &q->mode, q->mode.low[a] - q->toward * PORT_BEHIND);
}
