/* The plane wave: its box, its line and the tables of a pass. SPDX-License-Identifier: MIT */
#include "maxwell/incident_parts.h"

#include "maxwell/conformal.h"
#include "maxwell/place.h"
#include "pipeline/error.h"
#include "pipeline/tables.h"

#include <stdlib.h>
#include <string.h>

static const double pi_number = 3.14159265358979323846;

enum { WAVE_NONE, WAVE_AXIS_FIRST, WAVE_OBLIQUE = 7 };

/* ---- the box ----------------------------------------------------------------------------------------------------- */

/* Node of one side of the box, or the domain's own where that side needs no face. */
static int side_node(const struct incident *in, const struct maxwell_params *p, int a, int high, int given)
{
    const struct axis_lines *const ax = &in->axis[a];
    const int side = side_of(p, a, high), end = high ? ax->n : 0, inward = high ? -1 : 1;
    if (given) {
        const double at = p->plane_wave_box[2 * a + high], edge = place_at(in->grid, a, 1, end);
        return (high ? at >= edge : at <= edge) ? end : grid_nearest(in->grid, a, 1, at);
    }
    if (side == EM_PERIODIC && in->k[a] * in->k[a] < 1e-20) return end;
    return end + inward * ((high ? ax->high : ax->low) + p->plane_wave_margin);
}

/* Across the wave the box may reach a conductor if nothing is zero there that the wave has: E is normal to an electric
 * one, H to a magnetic one. */
static int reach_check(const struct incident *in, int a, int high, int side)
{
    if (side != EM_PEC && side != EM_PMC) return SF_OK;
    const double *const f = side == EM_PEC ? in->aim : in->h;
    const double b = f[(a + 1) % 3], c = f[(a + 2) % 3];
    SF_CHECK(
        b * b + c * c < 1e-20, SF_NAMELIST,
        "&plane_wave: its box reaches the %s side, '%s', and %c is not normal to it: turn polarisation, or end the box at least a "
        "cell before",
        side_name(a, high), side == EM_PEC ? "pec" : "pmc", side == EM_PEC ? 'E' : 'H');
    return SF_OK;
}

static int box_make(struct incident *in, const struct maxwell_params *p)
{
    int given = 0;
    for (int m = 0; m < 6; m++) given |= p->plane_wave_box[m] < 0 || p->plane_wave_box[m] > 0;
    for (int a = 0; a < 3; a++) {
        const int n = in->axis[a].n;
        in->low[a] = side_node(in, p, a, 0, given), in->high[a] = side_node(in, p, a, 1, given);
        SF_CHECK(
            in->low[a] < in->high[a], SF_NAMELIST,
            "&plane_wave: no room for its box along %c: nodes %d to %d of %d cells; give a smaller margin or another box",
            "xyz"[a], in -> low[a], in -> high[a], n);
        const int across = in->k[a] * in->k[a] < 1e-20;
        for (int high = 0; high < 2; high++) {
            const int at = high ? n - in->high[a] : in->low[a], side = side_of(p, a, high);
            const int layer = high ? in->axis[a].high : in->axis[a].low;
            in->face[a][high] = at > 0;
            if (!at && a == in->along && high == (in->sign > 0)) continue; /* total field to the far side */
            SF_CHECK(
                at > 0 || (across && side != EM_CPML), SF_NAMELIST,
                "&plane_wave: its box must end at least a cell before the %s side of the domain%s", side_name(a, high),
                p->plane_wave_layers && a == AZ && side == EM_PEC
                    ? ": over a conducting plane paint a half_space of 'pec' some cells thick, and end the box in it"
                    : "");
            if (!at) SF_TRY(reach_check(in, a, high, side));
            SF_CHECK(at == 0 || at > layer, SF_NAMELIST,
                     "&plane_wave: its box reaches into the absorbing layer at the %s side", side_name(a, high));
        }
        SF_CHECK(in->face[a][0] == in->face[a][1] || side_of(p, a, 0) != EM_PERIODIC, SF_NAMELIST,
                 "&plane_wave: along %c, which is periodic, the box must have both faces or none", "xyz"[a]);
    }
    return SF_OK;
}

/* ---- the directions ---------------------------------------------------------------------------------------------- */

static double whole(double x) { return x * x < 1e-30 ? 0 : x; }

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; c++) out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void directions_make(struct incident *in, const struct maxwell_params *p)
{
    const double degree = pi_number / 180, turn = p->plane_wave_polarisation * degree;
    const double ct = whole(sfd_cos(turn)), st = whole(sfd_sin(turn));
    in->along = -1;
    in->turn[0] = ct, in->turn[1] = st;
    if (p->plane_wave_direction != WAVE_OBLIQUE) {
        const int m = p->plane_wave_direction - WAVE_AXIS_FIRST;
        in->along = m / 2, in->sign = m % 2 ? -1 : 1;
        in->k[in->along] = in->sign;
        in->aim[(in->along + 1) % 3] = ct, in->aim[(in->along + 2) % 3] = st;
        return;
    }
    const double theta = p->plane_wave_theta * degree, phi = p->plane_wave_phi * degree;
    const double c = whole(sfd_cos(theta)), s = whole(sfd_sin(theta)), cp = whole(sfd_cos(phi)),
                 sp = whole(sfd_sin(phi));
    const double k[3] = {s * cp, s * sp, c}, grow_theta[3] = {c * cp, c * sp, -s}, grow_phi[3] = {-sp, cp, 0};
    in->round[0] = cp, in->round[1] = sp;
    for (int a = 0; a < 3; a++) in->k[a] = k[a], in->aim[a] = ct * grow_theta[a] + st * grow_phi[a];
}

/* ---- along an axis ----------------------------------------------------------------------------------------------- */

int incident_cells(const struct incident *in)
{
    const int a = in->along, far = in->sign > 0, all = in->high[a] - in->low[a];
    return in->face[a][far] ? all : all - (far ? in->axis[a].high : in->axis[a].low);
}

/* The grid's own cells and rounded coefficients from the first face on; beyond the last, cells like the last. */
static int aligned_make(struct incident *in)
{
    const struct axis_lines *const ax = &in->axis[in->along];
    const int cells = incident_cells(in), start = in->sign > 0 ? in->low[in->along] : in->high[in->along];
    const double turn_e = sf_rounded(in->dt / (em_eps0 * in->eps)), turn_h = sf_rounded(in->dt / (em_mu0 * in->mu));
    SF_TRY(wave_line_make(&in->line, cells + 1));
    for (int m = 0; m <= in->line.n; m++) {
        const int step = SF_MIN(m, cells), cell = SF_MIN(m, cells - 1);
        const double re = (double)ax->e[start + in->sign * step];
        const double rh = (double)ax->h[in->sign > 0 ? start + cell : start - 1 - cell];
        wave_line_set(&in->line, m, turn_e * (m > cells ? rh : re), turn_h * rh);
    }
    in->length = in->row = cells + 2;
    in->first = 0, in->lead = 0;
    return SF_OK;
}

/* ---- oblique ----------------------------------------------------------------------------------------------------- */

/* Sum of sin^2(k_a d_a / 2) / d_a^2 for wave number k, and its K / 2. */
static double grid_square(const struct incident *in, const double d[3], double k, double half[3])
{
    for (int a = 0; a < 3; a++) half[a] = sfd_sin(0.5 * k * in->k[a] * d[a]) / d[a];
    return dot(half, half);
}

/* Wave number at which the grid's square is `want`; the square grows with k up to k d = pi of the largest cell. */
static int grid_wave_number(const struct incident *in, const double d[3], double want, double *k)
{
    double half[3], low = 0, high = pi_number / SF_MAX(d[0], SF_MAX(d[1], d[2]));
    SF_CHECK(grid_square(in, d, high, half) > want, SF_NAMELIST,
             "&plane_wave: cells of up to %g m are too coarse for the middle of its band", pi_number / high);
    for (int m = 0; m < 100; m++) {
        const double middle = 0.5 * (low + high);
        if (grid_square(in, d, middle, half) < want) low = middle;
        else high = middle;
    }
    *k = 0.5 * (low + high);
    return SF_OK;
}

int incident_number(const struct incident *in, const double d[3], double omega, double *k)
{
    const double v = em_c / __builtin_sqrt(in->eps * in->mu), swing = sfd_sin(0.5 * omega * in->dt) / (v * in->dt);
    return grid_wave_number(in, d, swing * swing, k);
}

/* Spacing of the line for which sin(k d / 2) / d is `want`: it falls as d grows. At least v dt, where the line is
 * stable. */
static double line_spacing(double k, double want, double least)
{
    double low = least, high = pi_number / k;
    for (int m = 0; m < 100; m++) {
        const double middle = 0.5 * (low + high);
        if (sfd_sin(0.5 * k * middle) > want * middle) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}

static int places_make(struct incident *in)
{
    for (int a = 0; a < 3; a++) {
        const int n = in->axis[a].n;
        const double corner = place_at(in->grid, a, 1, in->k[a] < 0 ? in->high[a] : in->low[a]);
        table_free(in->place[a]);
        in->place[a] = table_alloc((2 * (size_t)n + 1) * sizeof *in->place[a]);
        SF_CHECK(in->place[a], SF_MEMORY, "no memory for the places of %d cells", n);
        for (int m = 0; m <= 2 * n; m++)
            in->place[a][m] = in->k[a] * (place_at(in->grid, a, m % 2 == 0, m / 2) - corner) / in->step_line;
    }
    return SF_OK;
}

/* Lagrange's weights of eight points around a place f nodes beyond the fourth. */
static void weights_make(struct incident *in)
{
    for (int f = 0; f < LINE_FINE; f++)
        for (int m = 0; m < LINE_POINTS; m++) {
            double w = 1;
            for (int o = 0; o < LINE_POINTS; o++)
                if (o != m) w *= ((double)f / LINE_FINE + (LINE_POINTS / 2 - 1) - o) / (m - o);
            in->weight[f][m] = w;
        }
}

/* E normal to K / 2 = half and H along K x E at the middle of the band, and as aimed where waves are long: between, the
 * change goes with K^2, which on the line is a second difference. */
static void bends_make(struct incident *in, const double half[3], double size)
{
    const double off = dot(in->aim, half) / (size * size), square = 4 * size * size * in->step_line * in->step_line;
    double e[3], h[3];
    for (int a = 0; a < 3; a++) e[a] = in->aim[a] - off * half[a];
    const double length = __builtin_sqrt(dot(e, e));
    for (int a = 0; a < 3; a++) e[a] /= length;
    cross(half, e, h);
    cross(in->k, in->aim, in->h);
    for (int a = 0; a < 3; a++) {
        in->e[a] = whole(in->aim[a]), in->h[a] = whole(in->h[a]);
        in->bend_e[a] = whole(e[a] - in->e[a]) / square, in->bend_h[a] = whole(h[a] / size - in->h[a]) / square;
    }
}

static int oblique_make(struct incident *in)
{
    const double v = em_c / __builtin_sqrt(in->eps * in->mu), dt = in->dt;
    double d[3], K[3], low, high, k = 0, extent = 0, cell = 0;
    waveform_band(&in->wave, 0.5, &low, &high);
    for (int a = 0; a < 3; a++) {
        const double size = place_at(in->grid, a, 1, in->high[a]) - place_at(in->grid, a, 1, in->low[a]);
        d[a] = size / (in->high[a] - in->low[a]);
        extent += __builtin_fabs(in->k[a]) * (size + d[a]);
        cell += __builtin_fabs(in->k[a]) * d[a];
    }
    const double w = 2 * pi_number * (0.5 * (low + high)), swing = sfd_sin(0.5 * w * dt) / (v * dt),
                 want = swing * swing;
    SF_TRY(grid_wave_number(in, d, want, &k));
    const double size = __builtin_sqrt(grid_square(in, d, k, K));
    in->step_line = line_spacing(k, size, v * dt);
    bends_make(in, K, size);
    in->ahead = 5 + (int)(cell / in->step_line);
    const int nodes = in->ahead + (int)(extent / in->step_line) + 2 + LINE_POINTS;
    SF_TRY(wave_line_make(&in->line, nodes));
    for (int m = 0; m <= in->line.n; m++)
        wave_line_set(&in->line, m, dt / (em_eps0 * in->eps * in->step_line), dt / (em_mu0 * in->mu * in->step_line));
    in->length = LINE_FINE * nodes, in->row = 3 * in->length;
    in->lead = in->ahead * in->step_line * k / w; /* phase velocity w / k */
    in->first = -(long)(in->lead / dt) - 2;
    weights_make(in);
    return places_make(in);
}

/* A component at the line's nodes, then at every quarter of a node. Nearer to the start than interpolation reaches
 * nothing is asked for. */
static void refine(const struct incident *in, const double *restrict from, double aim, double bend, double *restrict to)
{
    enum { BEFORE = LINE_POINTS / 2 - 1 };
    double *restrict const work = in->line.work;
    const int nodes = in->length / LINE_FINE;
    for (int m = 1; m < nodes + LINE_POINTS; m++)
        work[m] = aim * from[m] + bend * (2 * from[m] - (from[m - 1] + from[m + 1]));
    for (int m = 0; m < LINE_FINE * (BEFORE + 1); m++) to[m] = 0;
    for (int m = BEFORE + 1; m < nodes; m++)
        for (int f = 0; f < LINE_FINE; f++) {
            double sum = 0;
            for (int o = 0; o < LINE_POINTS; o++) sum += in->weight[f][o] * work[m - BEFORE + o];
            to[LINE_FINE * m + f] = sum;
        }
}

/* ---- a pass ------------------------------------------------------------------------------------------------------ */

static void line_discard(struct incident *in)
{
    free(in->line.memory);
    in->line = (struct wave_line){0};
    in->dt = 0;
}

static int line_begin(struct incident *in, double dt)
{
    line_discard(in);
    in->dt = dt;
    const int turns = incident_turns(in);
    const int rc = in->over         ? incident_layers_begin(in)
                   : turns          ? incident_bloch_begin(in)
                   : in->along >= 0 ? aligned_make(in)
                                    : oblique_make(in);
    if (rc) {
        line_discard(in);
        return rc;
    }
    if (!in->over) in->capacity = 0;
    if (!in->over && !turns) wave_line_reset(&in->line, in->first);
    return incident_faces_make(in);
}

static int tables_fit(struct incident *in, int steps)
{
    if (steps <= in->capacity) return SF_OK;
    const size_t size = (size_t)steps * (size_t)in->row;
    table_free(in->table_e);
    in->capacity = 0;
    in->table_e = table_alloc(2 * size * sizeof *in->table_e);
    SF_CHECK(in->table_e, SF_MEMORY, "no memory for %d steps of the plane wave", steps);
    in->table_h = in->table_e + size;
    in->capacity = steps;
    return SF_OK;
}

static void record_oblique(const struct incident *in, const double *from, const double aim[3], const double bend[3],
                           double *to)
{
    for (int a = 0; a < 3; a++) refine(in, from, aim[a], bend[a], to + (ptrdiff_t)a * in->length);
}

static void record_e(const struct incident *in, double *to)
{
    if (in->along < 0) record_oblique(in, in->line.e, in->e, in->bend_e, to);
    else memcpy(to, in->line.e, ((size_t)in->length - 1) * sizeof *to);
}

static void record_h(const struct incident *in, double *to)
{
    if (in->along < 0) {
        record_oblique(in, in->line.h, in->h, in->bend_h, to);
        return;
    }
    to[0] = in->line.before;
    memcpy(to + 1, in->line.h, ((size_t)in->length - 1) * sizeof *to);
}

int incident_size(struct incident *in, double dt, size_t *bytes)
{
    *bytes = 0;
    if (!in->over) return SF_OK; /* a line is small */
    if (dt < in->dt || dt > in->dt) SF_TRY(line_begin(in, dt));
    *bytes = incident_layers_size(in);
    return SF_OK;
}

int incident_prepare(struct incident *in, long step, int steps, double dt)
{
    struct wave_line *const l = &in->line;
    if (dt < in->dt || dt > in->dt) SF_TRY(line_begin(in, dt));
    if (in->over) return incident_layers_prepare(in, step, steps);
    SF_TRY(tables_fit(in, steps));
    if (in->turned) {
        incident_bloch_prepare(in, step, steps);
        return SF_OK;
    }
    if (step < l->step) wave_line_reset(l, in->first);
    for (long n = l->step; n < step + steps; n++) {
        const double next = in->amplitude * waveform_value(&in->wave, (double)(n + 1) * dt + in->lead);
        const ptrdiff_t row = n >= step ? (n - step) * in->row : -1;
        if (row >= 0) record_e(in, in->table_e + row);
        wave_line_h(l, next);
        if (row >= 0) record_h(in, in->table_h + row);
        wave_line_e(l, next);
    }
    return SF_OK;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static int fill(struct incident *in, const struct maxwell_params *p, const char *dir)
{
    const struct waveform_keys keys = {.kind = p->plane_wave_waveform,
                                       .frequency = p->plane_wave_frequency,
                                       .bandwidth = p->plane_wave_bandwidth,
                                       .delay = p->plane_wave_delay,
                                       .phase = p->plane_wave_phase,
                                       .file = p->plane_wave_file};
    in->amplitude = p->plane_wave_amplitude;
    in->rows = p->boundary_south == EM_PERIODIC ? in->axis[AY].n : 0;
    directions_make(in, p);
    memcpy(in->e, in->aim, sizeof in->e);
    cross(in->k, in->aim, in->h);
    SF_TRY(box_make(in, p));
    SF_TRY(incident_bloch_check(in));
    return waveform_make(&in->wave, &keys, dir);
}

int incident_make(struct incident **out, const struct maxwell_params *p, const struct grid *grid,
                  const struct axis_lines axis[3], const struct bloch *bloch, const struct medium *background,
                  const char *dir)
{
    *out = NULL;
    if (p->plane_wave_direction == WAVE_NONE) return SF_OK;
    SF_CHECK(background, SF_NAMELIST,
             "&plane_wave: no wave travels in a background of 'pec': give &geometry another background");
    SF_CHECK(
        !(background->sigma > 0 || background->sigma_m > 0), SF_NAMELIST,
        "&plane_wave: the background, '%.64s', has losses (sigma or sigma_m), which the wave at the faces of its box cannot have: "
        "give &geometry a background without, and paint what has them inside of the box",
        background->name);
    SF_CHECK(
        !background->npoles, SF_NAMELIST,
        "&plane_wave: the background, '%.64s', disperses (&pole), which the wave at the faces of its box cannot follow: give &geometry a "
        "background without poles, and paint what has them inside of the box",
        background->name);
    struct incident *const in = calloc(1, sizeof *in);
    SF_CHECK(in, SF_MEMORY, "no memory for the plane wave");
    in->grid = grid, in->axis = axis, in->bloch = bloch, in->eps = background->epsilon, in->mu = background->mu;
    const int rc = fill(in, p, dir);
    if (rc) {
        incident_free(in);
        return rc;
    }
    *out = in;
    return SF_OK;
}

static int is_alike(const struct medium *a, const struct medium *b)
{
    const double of_a[] = {a->epsilon, a->mu, a->sigma, a->sigma_m}, of_b[] = {b->epsilon, b->mu, b->sigma, b->sigma_m};
    return !memcmp(of_a, of_b, sizeof of_a) && !a->npoles && !b->npoles;
}

/* The cells on both sides of a face mend what they hold with the wave of the background. */
static int face_check(const struct incident *in, struct geometry *g, const struct media *media, int a, int high)
{
    const int plane = high ? in->high[a] : in->low[a];
    int first[3], last[3], node_low[3], node_high[3];
    unsigned char used[MEDIA_MAX];
    for (int b = 0; b < 3; b++) {
        node_low[b] = in->low[b], node_high[b] = in->high[b];
        first[b] = in->low[b] - in->face[b][0], last[b] = in->high[b] + in->face[b][1];
    }
    node_low[a] = node_high[a] = plane;
    first[a] = plane - 1, last[a] = plane + 1;
    SF_TRY(geometry_media_of(g, first, last, used));
    const double at = place_at(in->grid, a, 1, plane);
    for (int n = 0; n < media->n && !in->over; n++)
        SF_CHECK(
            !used[n] || (n != MEDIUM_PEC && is_alike(&media->medium[n], &media->medium[g->background])), SF_NAMELIST,
            "&plane_wave: the %s face of its box, %c = %.6g m, lies in '%.64s': its faces and the cells beside them must lie in "
            "the background, '%.64s'; end the box elsewhere, or see the guide for a half space",
            side_name(a, high), "xyz"[a], at, media -> medium[n].name, media->medium[g->background].name);
    int cut;
    SF_TRY(conformal_meets(g, first, last, &cut));
    SF_CHECK(!cut, SF_NAMELIST,
             "&plane_wave: the %s face of its box, %c = %.6g m, meets the surface of 'pec': end the box elsewhere",
             side_name(a, high), "xyz"[a], at);
    SF_CHECK(!geometry_has_sheet(g, node_low, node_high), SF_NAMELIST,
             "&plane_wave: the %s face of its box, %c = %.6g m, meets a sheet, shell or wire: end the box elsewhere",
             side_name(a, high), "xyz"[a], at);
    return SF_OK;
}

int incident_check(struct incident *in, struct geometry *g, const struct media *media, const struct maxwell_params *p)
{
    if (in && p->plane_wave_direction == WAVE_OBLIQUE && p->plane_wave_layers)
        SF_TRY(incident_layers_make(in, g, media, p));
    for (int a = 0; in && a < 3; a++)
        for (int high = 0; high < 2; high++)
            if (in->face[a][high]) SF_TRY(face_check(in, g, media, a, high));
    return SF_OK;
}

void incident_free(struct incident *in)
{
    if (!in) return;
    waveform_free(&in->wave);
    free(in->line.memory);
    for (int a = 0; a < 3; a++) table_free(in->place[a]);
    if (!in->over) table_free(in->table_e);
    incident_layers_free(in);
    incident_bloch_free(in);
    table_free(in->value[0]);
    free(in);
}

void incident_keep_values(struct incident *in) { in->keeps_values = 1; }

void incident_strength(const struct incident *in, double *amplitude, double *impedance, double *index)
{
    *amplitude = __builtin_fabs(in->amplitude);
    *index = __builtin_sqrt(in->mu * in->eps);
    *impedance = em_eta0 * __builtin_sqrt(in->mu / in->eps);
}

int incident_is_layered(const struct incident *in) { return in->over != NULL; }

const struct waveform *incident_waveform(const struct incident *in) { return &in->wave; }

void incident_travel(const struct incident *in, double toward[3], double aim[3], double origin[3])
{
    memcpy(toward, in->k, sizeof in->k);
    memcpy(aim, in->aim, sizeof in->aim);
    for (int a = 0; a < 3; a++) origin[a] = place_at(in->grid, a, 1, in->k[a] < 0 ? in->high[a] : in->low[a]);
}

void incident_box(const struct incident *in, int low[3], int high[3])
{
    memcpy(low, in->low, sizeof in->low);
    memcpy(high, in->high, sizeof in->high);
}
