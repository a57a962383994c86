/* Filling far_NAME.nc: from sums to currents, and to what the far field says of them. SPDX-License-Identifier: MIT */
#include "maxwell/monitor_far.h"

#include "maxwell/monitor_parts.h"
#include "maxwell/place.h"
#include "maxwell/port.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- currents ---------------------------------------------------------------------------------------------------- */

enum { COMPONENTS = 4, MOST_SHEETS = 6 * COMPONENTS };

/* The currents of one frequency; memory[] of places, sizes and moments of all sheets. */
struct currents {
    struct far_sheet sheet[MOST_SHEETS];
    double *moment[MOST_SHEETS], *place[MOST_SHEETS], *rows;
    size_t *bytes;
};

/* m->component[c] is E_u, H_v, E_v, H_u; J = n x H, M = -n x E with n outward, u x v = n: which axis the current has,
 * and its sign. */
static const int is_second[COMPONENTS] = {1, 0, 0, 1}; /* 1: along v */
static const double turned[COMPONENTS] = {-1, -1, 1, 1};

static void range_get(const struct box *b, int lo[3], int hi[3])
{
    lo[AX] = b->i0, lo[AY] = b->j0, lo[AZ] = b->k0;
    hi[AX] = b->i1, hi[AY] = b->j1, hi[AZ] = b->k1;
}

/* Size of the cell around an element of an axis. */
static double own_size(const struct grid *g, int a, int node, int m)
{
    return node ? 0.5 * (place_cell(g, a, m - 1) + place_cell(g, a, m)) : place_cell(g, a, m);
}

/* Places of a sheet, and behind them sizes. */
static int sheet_make(struct currents *q, int n, const struct monitor *m, int c, const struct grid *g)
{
    struct far_sheet *const s = &q->sheet[n];
    const int axis[2] = {(m->normal + 1) % 3, (m->normal + 2) % 3}, is_h = m->component[c] >= 3;
    int lo[3], hi[3];
    range_get(&m->range[c], lo, hi);
    *s = (struct far_sheet){.normal = m->normal, .axis = axis[is_second[c]], .is_magnetic = !is_h};
    const int plane = lo[m->normal];
    s->at = is_h ? place_at(g, m->normal, 1, plane) : place_at(g, m->normal, 0, m->sign > 0 ? plane : plane - 1);
    for (int d = 0; d < 2; d++) s->n[d] = hi[axis[d]] - lo[axis[d]];
    const size_t all = (size_t)s->n[0] * (size_t)s->n[1];
    q->place[n] = malloc(2 * ((size_t)s->n[0] + (size_t)s->n[1]) * sizeof(double));
    q->moment[n] = malloc(2 * all * sizeof(double));
    if (!q->place[n] || !q->moment[n])
        return sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the currents of %s", m->name);
    double *to = q->place[n];
    for (int d = 0; d < 2; d++, to += 2 * s->n[d - 1]) {
        s->place[d] = to;
        for (int p = 0; p < s->n[d]; p++) {
            const int node = on_node(m->component[c], axis[d]);
            to[p] = place_at(g, axis[d], node, lo[axis[d]] + p);
            to[s->n[d] + p] = own_size(g, axis[d], node, lo[axis[d]] + p);
        }
    }
    s->moment[0] = q->moment[n], s->moment[1] = q->moment[n] + all;
    return SF_OK;
}

static void currents_free(struct currents *q)
{
    for (int n = 0; n < MOST_SHEETS; n++) free(q->moment[n]), free(q->place[n]);
    free(q->rows);
    free(q->bytes);
}

/* Values of all rows of a part, one component, re or im: doubles. */
static size_t part_values(const struct monitor *m)
{
    const struct extent *const e = &m->box;
    return (size_t)(e->k1 - e->k0) * (size_t)(e->i1 - e->i0) * (size_t)(e->j1 - e->j0);
}

static int currents_make(struct currents *q, const struct far_monitor *f, const struct state *st)
{
    size_t most = 1;
    int rc = SF_OK;
    *q = (struct currents){.rows = NULL};
    for (int p = f->first; p < f->first + f->nparts; p++) most = SF_MAX(most, part_values(&f->all->part[p]));
    q->rows = malloc(most * sizeof *q->rows);
    q->bytes = calloc((size_t)st->comm.size, sizeof *q->bytes);
    if (!q->rows || !q->bytes) rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the currents of a far field");
    for (int p = 0; p < f->nparts && st->comm.rank == 0; p++)
        for (int c = 0; c < COMPONENTS && !rc; c++)
            rc = sheet_make(q, p * COMPONENTS + c, &f->all->part[f->first + p], c, st->grid);
    return outcome_share(&st->comm, rc);
}

/* One component of a part at frequency number `at`, re or im, to rank 0, and there into its sheet. Collective. */
static int sheet_gather(struct currents *q, const struct far_monitor *f, const struct state *st, int p, int c, int at,
                        int part)
{
    const struct monitor *const m = &f->all->part[f->first + p];
    const struct extent *const e = &m->box;
    const int id = F_SUMS + f->first + p, levels = e->k1 - e->k0, columns = e->i1 - e->i0;
    const ptrdiff_t each = (ptrdiff_t)levels * columns;
    int ja, jb, first;
    for (int r = 0; r < st->comm.size; r++) {
        field_rows(&st->in->field[id], &st->comm, st->grid, r, &ja, &jb, &first);
        q->bytes[r] = (size_t)SF_MAX(jb - ja, 0) * (size_t)each * sizeof *q->rows;
    }
    field_rows(&st->in->field[id], &st->comm, st->grid, st->comm.rank, &ja, &jb, &first);
    for (int j = ja; j < jb; j++)
        for (int k = 0; k < levels; k++) {
            const struct monitor_view line = monitor_view(m, st, id, j, k, c, at, part);
            double *const to = q->rows + (j - ja) * each + (ptrdiff_t)k * columns;
            for (int i = 0; i < columns; i++) to[i] = (double)monitor_view_at(&line, i);
        }
    SF_TRY(comm_gather(&st->comm, q->rows, q->rows, q->bytes));
    if (st->comm.rank) return SF_OK;
    const struct far_sheet *const s = &q->sheet[p * COMPONENTS + c];
    const int axis[2] = {(m->normal + 1) % 3, (m->normal + 2) % 3};
    const double *const size_u = s->place[0] + s->n[0], *const size_v = s->place[1] + s->n[1];
    double *const moment = q->moment[p * COMPONENTS + c] + (part ? (ptrdiff_t)s->n[0] * s->n[1] : 0);
    int lo[3], hi[3], x[3];
    range_get(&m->range[c], lo, hi);
    x[m->normal] = lo[m->normal];
    for (int v = 0; v < s->n[1]; v++)
        for (int u = 0; u < s->n[0]; u++) {
            x[axis[0]] = lo[axis[0]] + u, x[axis[1]] = lo[axis[1]] + v;
            const double value = q->rows[(x[AY] - e->j0) * each + (ptrdiff_t)(x[AZ] - e->k0) * columns + x[AX] - e->i0];
            moment[(ptrdiff_t)v * s->n[0] + u] =
                m->sign * turned[c] * value * size_u[u] * size_v[v] * f->all->dt_sample;
        }
    return SF_OK;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

struct far_wave far_wave_at(const struct far_monitor *f, int at)
{
    const double index = __builtin_sqrt(f->epsilon * f->mu);
    return (struct far_wave){.omega = 2 * pi * f->all->frequency[at],
                             .dt = f->all->dt,
                             .speed = em_c / index,
                             .impedance = em_eta0 * __builtin_sqrt(f->mu / f->epsilon),
                             .mu = em_mu0 * f->mu,
                             .size = {f->size[0], f->size[1], f->size[2]}};
}

static struct far_box box_of(const struct far_monitor *f, const struct currents *q)
{
    struct far_box b = {.sheet = q->sheet, .nsheets = f->nparts * COMPONENTS};
    for (int a = 0; a < 3; a++) b.image[a] = f->image[a], b.mirror[a] = f->mirror[a], b.reference[a] = f->reference[a];
    return b;
}

/* Does a direction point behind a ground? */
static int is_behind(const struct far_monitor *f, const struct far_direction *d)
{
    const double toward[3] = {d->sin_theta * d->cos_phi, d->sin_theta * d->sin_phi, d->cos_theta};
    for (int a = 0; a < 3; a++)
        if (f->behind[a] * toward[a] > 1e-12) return 1;
    return 0;
}

/* Degrees between the two places of a cut where it has fallen to half of its largest value; a cut from -180 to 180 goes
 * round. None: RESULT_NONE. */
static double width_of(const double *value, int n, ptrdiff_t step, const double *angle)
{
    const int is_round = angle[n - 1] - angle[0] > 360 - 1e-9, count = is_round ? n - 1 : n;
    double end[2] = {0, 0};
    int top = 0;
    for (int m = 1; m < count; m++)
        if (value[m * step] > value[top * step]) top = m;
    const double half = 0.5 * value[top * step];
    if (!(half > 0)) return RESULT_NONE;
    for (int side = 0; side < 2; side++) {
        const int go = side ? 1 : -1;
        double here = 2 * half, from = 0, to = 0;
        for (int m = top, passed = 1; !(end[side] > 0); passed++, m = (m + go + count) % count) {
            const int next = (m + go + count) % count;
            if (passed == count || (!is_round && next != m + go)) return RESULT_NONE;
            /* steps may differ, but for the one from the last angle to the first of a round */
            to = from + __builtin_fabs(next == m + go ? angle[next] - angle[m] : angle[n - 1] - angle[n - 2]);
            const double there = value[next * step];
            if (there <= half) end[side] = from + (to - from) * (here - half) / (here - there);
            here = there, from = to;
        }
    }
    return end[0] + end[1];
}

/* |F|^2 over 2 eta, W/sr */
static double intensity_of(const double field[FAR_VALUES], double impedance)
{
    double square = 0;
    for (int q = 0; q < FAR_VALUES; q++) square += field[q] * field[q];
    return square / (2 * impedance);
}

/* What the plane wave is at the reference place: its spectrum there, V/m/Hz. 0: nothing but round-off. */
static int incident_at(const struct far_monitor *f, const struct far_wave *w, int at, double value[2])
{
    const struct monitor_travel *const t = &f->all->travel;
    double k[3], phase = 0, wave[2];
    if (!t->is_there || !monitor_wave_spectrum(f->all, at, wave) || !far_wave_vector(w, t->toward, k)) return 0;
    for (int a = 0; a < 3; a++) phase -= k[a] * (f->reference[a] - t->origin[a]);
    const double c = sfd_cos(phase), s = sfd_sin(phase);
    value[0] = wave[0] * c - wave[1] * s, value[1] = wave[0] * s + wave[1] * c;
    return 1;
}

/* Of the plane wave: cross-sections from F backward and forward, and from the power that is scattered. */
static int sections_fill(const struct far_monitor *f, const struct far_box *b, const struct far_wave *w, int at,
                         double power, double *const *all)
{
    const struct monitor_travel *const t = &f->all->travel;
    const double *const k = t->toward, level = __builtin_sqrt(k[0] * k[0] + k[1] * k[1]);
    const double c = level > 1e-12 ? k[0] / level : 1, s = level > 1e-12 ? k[1] / level : 0;
    const struct far_direction toward[2] = {{k[2], level, c, s}, {-k[2], level, -c, -s}};
    const double theta[3] = {k[2] * c, k[2] * s, -level}, phi[3] = {-s, c, 0};
    double field[2][FAR_VALUES], value[2], along[2] = {0, 0};
    if (!t->is_there || !incident_at(f, w, at, value)) return SF_OK;
    SF_TRY(far_fields(b, w, 2, toward, field));
    for (int a = 0; a < 3; a++)
        for (int q = 0; q < 2; q++) along[q] += t->aim[a] * (field[0][q] * theta[a] + field[0][2 + q] * phi[a]);
    const double square = value[0] * value[0] + value[1] * value[1];
    if (all[FAR_RCS_BACK])
        all[FAR_RCS_BACK][at] = 4 * pi * 2 * w->impedance * intensity_of(field[1], w->impedance) / square;
    if (all[FAR_SCATTERING]) all[FAR_SCATTERING][at] = power * 2 * w->impedance / square;
    if (all[FAR_EXTINCTION]) /* - (4 pi / k) Im(F / E) along E, for exp(+j w t) */
        all[FAR_EXTINCTION][at] = -4 * pi * w->speed / w->omega * (along[1] * value[0] - along[0] * value[1]) / square;
    return SF_OK;
}

/* The image of a port in a plane of symmetry is a port of its own; one that lies on a magnetic plane is one with its
 * image. */
static int has_other_ports(const struct far_monitor *f)
{
    int has = 0;
    for (int a = 0; a < 3; a++)
        has |= f->image[a] && !f->behind[a] &&
               (f->image[a] == FAR_ELECTRIC || !ports_lie_on(f->all->ports, a, f->low[a] > 0));
    return has;
}

static double over(double a, double b) { return b > 0 && b < 1e36 ? a / b : RESULT_NONE; }

/* taken, offered: W Hz-2, as ports_power has them, NULL without ports; intensity: of all directions, W sr-1 Hz-2. */
static void gains_fill(const struct far_monitor *f, int at, double power, const double *intensity, int top,
                       const double *taken, const double *offered, double *const *all)
{
    if (!taken) return;
    const int known = !has_other_ports(f), n = f->count[0] * f->count[1];
    const double strongest = intensity[top];
    for (int m = 0; m < n; m++) {
        const ptrdiff_t to = (ptrdiff_t)at * n + m;
        if (all[FAR_GAIN]) all[FAR_GAIN][to] = known ? over(4 * pi * intensity[m], taken[at]) : RESULT_NONE;
        if (all[FAR_REALISED]) all[FAR_REALISED][to] = known ? over(4 * pi * intensity[m], offered[at]) : RESULT_NONE;
    }
    if (all[FAR_ACCEPTED]) all[FAR_ACCEPTED][at] = taken[at];
    if (all[FAR_EFFICIENCY]) all[FAR_EFFICIENCY][at] = known ? over(power, taken[at]) : RESULT_NONE;
    if (all[FAR_GAIN_MAX]) all[FAR_GAIN_MAX][at] = known ? over(4 * pi * strongest, taken[at]) : RESULT_NONE;
    if (all[FAR_REALISED_MAX]) all[FAR_REALISED_MAX][at] = known ? over(4 * pi * strongest, offered[at]) : RESULT_NONE;
}

/* All of one frequency; field: of every direction, theta slowest. all[FAR_VARIABLES]: where each goes, or NULL. */
static int box_fill(const struct far_monitor *f, const struct far_box *b, const struct far_wave *w, int at,
                    const struct far_direction *toward, double (*field)[FAR_VALUES], double *intensity,
                    const double *ports, double *const *all)
{
    const int n = f->count[0] * f->count[1];
    double power, value[2], wave[2], part[2] = {0, 0};
    SF_TRY(far_fields(b, w, n, toward, field));
    if (b->stack) SF_TRY(far_layers_power(b, w, part));
    else SF_TRY(far_power(b, w, &part[0]));
    power = part[0] + part[1];
    const double below = b->stack && b->stack->has_below ? b->stack->below.impedance : w->impedance;
    for (int g = 0; g < f->grounds; g++) power *= 0.5;
    const int there = incident_at(f, w, at, value);
    const double incident = there ? value[0] * value[0] + value[1] * value[1] : 0;
    int top = 0;
    for (int m = 0; m < n; m++) {
        if (is_behind(f, &toward[m])) memset(field[m], 0, sizeof field[m]);
        const ptrdiff_t to = (ptrdiff_t)at * n + m;
        intensity[m] = intensity_of(field[m], toward[m].cos_theta < 0 ? below : w->impedance);
        for (int v = 0; v < FAR_VALUES; v++)
            if (all[FAR_E_THETA_RE + v]) all[FAR_E_THETA_RE + v][to] = field[m][v];
        if (intensity[m] > intensity[top]) top = m;
        if (all[FAR_INTENSITY]) all[FAR_INTENSITY][to] = intensity[m];
        if (all[FAR_DIRECTIVITY]) all[FAR_DIRECTIVITY][to] = power > 0 ? 4 * pi * intensity[m] / power : RESULT_NONE;
        if (all[FAR_RCS])
            all[FAR_RCS][to] = incident > 0 ? 4 * pi * 2 * w->impedance * intensity[m] / incident : RESULT_NONE;
    }
    for (int p = 0; p < f->count[1] && all[FAR_BEAM_WIDTH]; p++)
        all[FAR_BEAM_WIDTH][(ptrdiff_t)at * f->count[1] + p] =
            width_of(intensity + p, f->count[0], f->count[1], f->angle[0]);
    if (all[FAR_POWER]) all[FAR_POWER][at] = power;
    if (all[FAR_POWER_UP]) all[FAR_POWER_UP][at] = part[0];
    if (all[FAR_POWER_EACH])
        all[FAR_POWER_EACH][at] =
            monitor_wave_spectrum(f->all, at, wave) ? power / (wave[0] * wave[0] + wave[1] * wave[1]) : RESULT_NONE;
    if (all[FAR_DIRECTIVITY_MAX])
        all[FAR_DIRECTIVITY_MAX][at] = power > 0 ? 4 * pi * intensity[top] / power : RESULT_NONE;
    if (all[FAR_THETA_MAX]) all[FAR_THETA_MAX][at] = f->angle[0][top / f->count[1]];
    if (all[FAR_PHI_MAX]) all[FAR_PHI_MAX][at] = f->angle[1][top % f->count[1]];
    gains_fill(f, at, power, intensity, top, ports, ports ? ports + f->all->nfrequencies : NULL, all);
    return sections_fill(f, b, w, at, power, all);
}

static int frequency_fill(const struct far_monitor *f, const struct currents *q, int at,
                          const struct far_direction *toward, double (*field)[FAR_VALUES], double *intensity,
                          const double *ports, double *const *all)
{
    const struct far_wave w = far_wave_at(f, at);
    struct far_box whole = box_of(f, q), b;
    struct far_stack stack;
    double complex *levels = NULL;
    struct far_sheet sheet[MOST_SHEETS];
    double *memory[MOST_SHEETS] = {NULL};
    int rc = f->ground ? far_ground_stack(f, at, &stack, &levels) : SF_OK;
    if (f->ground) whole.stack = &stack;
    if (!rc) rc = far_shorten(&whole, &w, &b, sheet, memory);
    if (!rc) rc = box_fill(f, &b, &w, at, toward, field, intensity, ports, all);
    for (int s = 0; s < MOST_SHEETS; s++) free(memory[s]);
    free(levels);
    return rc;
}

int far_fill(const struct result *r, const struct state *st, double *const *out)
{
    const struct far_monitor *const f = r->own;
    const int n = f->count[0] * f->count[1];
    struct currents q;
    struct far_direction *toward = NULL;
    double(*field)[FAR_VALUES] = NULL, *intensity = NULL, *all[FAR_VARIABLES] = {NULL}, *ports = NULL;
    int rc = SF_OK;
    if (out) {
        toward = malloc((size_t)n * sizeof *toward), field = malloc((size_t)n * sizeof *field);
        intensity = malloc((size_t)n * sizeof *intensity);
        if (f->all->ports) ports = malloc(2 * (size_t)f->all->nfrequencies * sizeof *ports);
        if (!toward || !field || !intensity || (f->all->ports && !ports))
            rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for %d directions", n);
        for (int v = 0; v < r->nvariables; v++) all[f->variable[v]] = out[v];
        for (int m = 0; m < n && !rc; m++)
            toward[m] = far_direction(f->angle[0][m / f->count[1]], f->angle[1][m % f->count[1]]);
        monitor_waves_advance(f->all, st->step);
    }
    static const int of_wave[] = {FAR_RCS_BACK, FAR_SCATTERING, FAR_EXTINCTION};
    for (int v = 0; v < 3; v++)
        for (int at = 0; at < f->all->nfrequencies && all[of_wave[v]]; at++) all[of_wave[v]][at] = RESULT_NONE;
    rc = outcome_share(&st->comm, rc);
    if (!rc && f->all->ports) rc = ports_power(f->all->ports, st, ports);
    const int made = !rc;
    if (!rc) rc = currents_make(&q, f, st);
    for (int at = 0; at < f->all->nfrequencies && !rc; at++) {
        for (int p = 0; p < f->nparts && !rc; p++)
            for (int c = 0; c < COMPONENTS && !rc; c++)
                for (int part = 0; part < 2 && !rc; part++) rc = sheet_gather(&q, f, st, p, c, at, part);
        rc =
            outcome_share(&st->comm, !rc && out ? frequency_fill(f, &q, at, toward, field, intensity, ports, all) : rc);
    }
    if (made) currents_free(&q);
    free(toward);
    free(field);
    free(intensity);
    free(ports);
    return rc;
}

/* Currents of one frequency, rows on their way, directions. */
size_t far_filling(const struct far_monitor *f)
{
    const struct far_wave w = far_wave_at(f, f->all->nfrequencies - 1);
    size_t values = 0, most = 0;
    for (int p = f->first; p < f->first + f->nparts; p++) {
        const size_t n = part_values(&f->all->part[p]);
        size_t nodes = 2;
        for (int d = 1; d < 3; d++) {
            const int a = (f->all->part[p].normal + d) % 3, cells = f->high[a] - f->low[a];
            nodes *= (size_t)far_shorter(&w, f->size[a] * cells, cells + 1);
        }
        values += COMPONENTS * (2 * n + nodes), most = SF_MAX(most, n);
    }
    double square = 0;
    for (int a = 0; a < 3; a++) {
        const double length = f->size[a] * (f->high[a] - f->low[a] + 1) * (f->image[a] ? 2 : 1);
        square += length * length;
    }
    const size_t n = (size_t)f->count[0] * (size_t)f->count[1],
                 sphere = (size_t)far_power_directions(&w, 0.5 * __builtin_sqrt(square));
    const size_t each = sizeof(struct far_direction) + FAR_VALUES * sizeof(double);
    return (values + most) * sizeof(double) + (n + sphere) * each + n * sizeof(double);
}
