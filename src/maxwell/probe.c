/* Recording at probes, and whether the fields there have decayed. SPDX-License-Identifier: MIT */
#include "maxwell/probe.h"

#include "pipeline/comm.h"
#include "pipeline/error.h"
#include "pipeline/tables.h"

#include <stdlib.h>
#include <string.h>

static const struct trace trace[2 * PROBE_COMPONENTS] = {
    {"Ex", "electric field, x component", "V m-1", 0},
    {"Ey", "electric field, y component", "V m-1", 0},
    {"Ez", "electric field, z component", "V m-1", 0},
    {"Hx", "magnetic field, x component", "A m-1", -0.5},
    {"Hy", "magnetic field, y component", "A m-1", -0.5},
    {"Hz", "magnetic field, z component", "A m-1", -0.5},
    {"Ex_im", "electric field, x component, imaginary part", "V m-1", 0},
    {"Ey_im", "electric field, y component, imaginary part", "V m-1", 0},
    {"Ez_im", "electric field, z component, imaginary part", "V m-1", 0},
    {"Hx_im", "magnetic field, x component, imaginary part", "A m-1", -0.5},
    {"Hy_im", "magnetic field, y component, imaginary part", "A m-1", -0.5},
    {"Hz_im", "magnetic field, z component, imaginary part", "A m-1", -0.5},
};

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Element of one axis and where it lies. The far node of a conductor holds nothing: the one before it is taken. */
static int nearest(const struct grid *g, int axis, int node, double at, int open, int periodic, double *place)
{
    const int n = axis == AX ? g->nx : axis == AY ? g->ny : g->nz;
    int m = grid_nearest(g, axis, node, at);
    const int wraps = node && m == n && periodic;
    if (node && m == n && !open && !periodic) m = n - 1;
    *place = axis == AX ? grid_x(g, m, node) : axis == AY ? grid_y(g, m, node) : grid_z(g, m, node);
    return wraps ? 0 : m;
}

static int probe_place(struct probes *p, const struct grid *g, int n, const double at[3], const int open[3],
                       const int periodic[3])
{
    const double low[3] = {grid_x(g, 0, 1), grid_y(g, 0, 1), grid_z(g, 0, 1)};
    const double high[3] = {grid_x(g, g->nx, 1), grid_y(g, g->ny, 1), grid_z(g, g->nz, 1)};
    for (int a = 0; a < 3; a++) {
        const double slack = GRID_TIE * (high[a] - low[a]) / (double[]){g->nx, g->ny, g->nz}[a];
        SF_CHECK(at[a] >= low[a] - slack && at[a] <= high[a] + slack, SF_NAMELIST,
                 "&output: probe %d at (%g, %g, %g) m lies outside the domain: x %g to %g, y %g to %g, z %g to %g",
                 n + 1, at[AX], at[AY], at[AZ], low[AX], high[AX], low[AY], high[AY], low[AZ], high[AZ]);
    }
    for (int c = 0; c < PROBE_COMPONENTS; c++) {
        int m[3];
        double place[3];
        for (int a = 0; a < 3; a++) m[a] = nearest(g, a, on_node(c, a), at[a], open[a], periodic[a], &place[a]);
        for (int part = 0; part < p->parts; part++)
            p->place[(part * PROBE_COMPONENTS + c) * p->n + n] =
                (struct trace_place){place[AX], place[AY], place[AZ], m[AY]};
        p->at[c * p->n + n] = (struct box){.i0 = m[AX], .j0 = m[AY], .k0 = m[AZ]};
        p->first_row = SF_MIN(p->first_row, m[AY]), p->last_row = SF_MAX(p->last_row, m[AY]);
    }
    return SF_OK;
}

int probes_make(struct probes **out, const struct grid *g, int n, int parts, const double *x, const double *y,
                const double *z, const int open[3], const int periodic[3], double share)
{
    struct probes *p = *out = calloc(1, sizeof *p);
    SF_CHECK(p, SF_MEMORY, "no memory for %d probes", n);
    const size_t places = (size_t)n * PROBE_COMPONENTS + 1;
    *p = (struct probes){
        .n = n, .parts = parts, .share = share, .rows = g->ny, .jb = g->ny, .first_row = g->ny, .last_row = -1};
    p->place = calloc(places * (size_t)parts, sizeof *p->place);
    p->at = table_alloc(places * sizeof *p->at);
    p->peak = calloc((size_t)n + 1, sizeof *p->peak);
    p->whole = calloc(places, sizeof *p->whole);
    for (size_t m = 0; p->whole && m < places; m++) p->whole[m] = R(1.0);
    int rc = p->place && p->at && p->peak && p->whole
                 ? SF_OK
                 : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for %d probes", n);
    for (int m = 0; m < n && !rc; m++) rc = probe_place(p, g, m, (const double[3]){x[m], y[m], z[m]}, open, periodic);
    if (rc) probes_free(out);
    return rc;
}

void probes_free(struct probes **at)
{
    struct probes *p = *at;
    if (!p) return;
    free(p->place);
    table_free(p->at);
    free(p->peak);
    free(p->whole);
    table_free(p->pass);
    free(p->kept);
    free(p);
    *at = NULL;
}

void probes_rows(struct probes *p, int ja, int jb) { p->ja = ja, p->jb = jb; }

void probes_media(struct probes *p, const struct maxwell *x, const struct slab *s)
{
    const struct box all = {0, s->ni + 1, 0, s->nk + 1, p->ja, p->jb + 1};
    for (int m = 0; m < 3 * p->n && x->e.whole; m++) {
        const struct box *const at = &p->at[m];
        const ptrdiff_t offset = (at->j0 - s->j0) * s->sj + at->k0 * s->sk + at->i0;
        if (probe_is_here(at, &all, p->rows, p->ja, p->jb)) p->whole[m] = place_share(x, s, m / p->n, offset);
    }
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

/* Values of a step. */
static size_t each_of(const struct probes *p) { return (size_t)p->n * PROBE_COMPONENTS * (size_t)p->parts; }

int probes_prepare(struct probes *p, int steps)
{
    if (steps <= p->capacity) return SF_OK;
    const size_t each = each_of(p);
    table_free(p->pass);
    p->capacity = 0;
    p->pass = table_alloc(((size_t)steps * each + 1) * sizeof *p->pass); /* what others own stays 0 */
    SF_CHECK(p->pass, SF_MEMORY, "no memory for %d steps of %d probes", steps, p->n);
    p->capacity = steps;
    return SF_OK;
}

real *probes_to(const struct probes *p, const struct call *c, int imaginary)
{
    return p->pass + ((ptrdiff_t)c->pass_step * p->parts + imaginary) * PROBE_COMPONENTS * p->n;
}

void probe_elements(const struct probe_pack *of, struct box b, const struct call *c)
{
    const struct probes *const p = ((const struct maxwell *)c->ctx)->probes;
    real *const to = probes_to(p, c, of->imaginary);
    for (int m = 0; m < PROBE_COMPONENTS * p->n; m++) {
        const struct box *const at = &p->at[m];
        if (!probe_is_here(at, &b, p->rows, p->ja, p->jb)) continue;
        to[m] = of->f[m / p->n][(at->j0 - of->j0) * of->sj + at->k0 * of->sk + at->i0];
    }
}

int probes_collect(struct probes *p, long step, int steps)
{
    const size_t each = each_of(p), places = (size_t)p->n * PROBE_COMPONENTS;
    if (p->taken || !p->nkept) p->first = step, p->nkept = p->taken = 0;
    SF_CHECK(p->first + p->nkept == step, SF_INTERNAL, "probes hold steps to %ld and are given step %ld",
             p->first + p->nkept, step);
    if (p->nkept + steps > p->room) {
        const long room = SF_MAX(2 * p->room, p->nkept + SF_MAX(steps, 256));
        real *kept = realloc(p->kept, (size_t)room * each * sizeof *kept + 1);
        SF_CHECK(kept, SF_MEMORY, "no memory for %ld steps of %d probes: choose a shorter &time output_interval", room,
                 p->n);
        p->kept = kept, p->room = room;
    }
    real *const to = p->kept + (size_t)p->nkept * each;
    for (size_t q = 0; q < (size_t)steps; q++)
        for (size_t m = 0; m < each; m++) to[q * each + m] = p->whole[m % places] * p->pass[q * each + m];
    p->nkept += steps;
    return SF_OK;
}

/* ---- what io sees ------------------------------------------------------------------------------------------------ */

static void probes_take(void *own, struct trace_record *r)
{
    struct probes *const p = own;
    *r = (struct trace_record){p->first, p->taken ? 0 : p->nkept, p->kept};
    p->taken = 1;
}

static void probes_watch(void *own, double time, const double *value)
{
    struct probes *const p = own;
    for (int n = 0; n < p->n; n++) {
        double square = 0;
        for (int part = 0; part < p->parts; part++) {
            const double *const of = value + (ptrdiff_t)part * PROBE_COMPONENTS * p->n;
            const double ex = of[n], ey = of[p->n + n], ez = of[2 * p->n + n];
            square += ex * ex + ey * ey + ez * ez;
        }
        if (square > p->peak[n]) p->peak[n] = square;
        if (square > 0 && square >= p->share * p->share * p->peak[n]) p->loud = time;
    }
    p->now = time;
}

struct traces probes_traces(struct probes *p)
{
    return (struct traces){.n = PROBE_COMPONENTS * p->parts,
                           .nprobes = p->n,
                           .trace = trace,
                           .place = p->place,
                           .take = probes_take,
                           .watch = probes_watch,
                           .own = p};
}

int probes_quiet(const struct probes *p, const struct comm *c, double *seconds)
{
    *seconds = p->now - p->loud;
    for (int n = 0; n < p->n; n++)
        if (!(p->peak[n] > 0)) *seconds = 0;
    return comm_bcast(c, seconds, sizeof *seconds);
}
