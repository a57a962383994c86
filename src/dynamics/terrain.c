/* The ground's height, coordinate surfaces over it, and what stages read of both. See terrain.h.
 * SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"
#include "dynamics/hill.h"
#include "dynamics/initial_parts.h"
#include "dynamics/water.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi_number = 3.14159265358979323846;

/* Cells may be as thin as this share of those over flat ground: less, and surfaces all but touch. */
static const double thinnest = 0.05;

/* ---- coordinate surfaces ----------------------------------------------------------------------------------------- */

/* sinh((lid - zeta) / s) / sinh(lid / s), without numbers beyond those of doubles. */
static double sinh_share(double zeta, double lid, double s)
{
    return sfd_exp(-zeta / s) * (1 - sfd_exp(-2 * (lid - zeta) / s)) / (1 - sfd_exp(-2 * lid / s));
}

/* Share of the large (0) or small (1) part of the terrain that the surface of zeta has. */
static double decay_at(const struct dynamics_own *own, int part, double zeta)
{
    const struct dynamics_params *const p = &own->params;
    const double lid = own->grid->top;
    switch ((enum terrain_coordinate)p->terrain_coordinate) {
    case COORDINATE_BASIC:
        return part ? 0 : 1 - zeta / lid;
    case COORDINATE_HYBRID: {
        const double flat = p->terrain_flat_above > 0 ? p->terrain_flat_above : lid;
        if (part || zeta >= flat) return 0;
        const double c = sfd_cos(0.5 * pi_number * zeta / flat), square = c * c;
        return square * square * square;
    }
    case COORDINATE_SLEVE:
        return sinh_share(zeta, lid,
                          part                         ? p->terrain_sleve_small
                          : p->terrain_sleve_large > 0 ? p->terrain_sleve_large
                                                       : 0.5 * lid);
    }
    return 0;
}

/* Column i, or row j, that stands for one beyond a side: the other end's, a mirror's, or the outermost. */
static int inside(int at, int n, int is_periodic, int is_open)
{
    if (at >= 0 && at < n) return at;
    if (is_periodic) return (at % n + n) % n;
    if (is_open) return SF_MIN(SF_MAX(at, 0), n - 1);
    const int turn = (at % (2 * n) + 2 * n) % (2 * n); /* walls on both sides mirror each other */
    return turn < n ? turn : 2 * n - 1 - turn;
}

static size_t column_at(const struct dynamics_own *own, int i, int j)
{
    const struct dynamics *const d = &own->ctx;
    const struct grid *const g = own->grid;
    const int x = inside(i, g->nx, !d->wall[FACE_W] && !d->open[FACE_W], i < 0 ? d->open[FACE_W] : d->open[FACE_E]),
              y = inside(j, g->ny, !d->wall[FACE_S] && !d->open[FACE_S], j < 0 ? d->open[FACE_S] : d->open[FACE_N]);
    return (size_t)y * (size_t)g->nx + (size_t)x;
}

/* Height over column i, j of the surface whose shares of the two parts are those of level k. */
static double height_at(const struct dynamics_own *own, int i, int j, double *const share[2], double zeta, int k)
{
    const struct terrain *const t = &own->terrain;
    const size_t at = column_at(own, i, j);
    return zeta + (t->part[0][at] * share[0][k] + t->part[1][at] * share[1][k]);
}

/* Height of a part of the terrain between column i, j and the one west (0) or south (1) of it: on a line of third
 * degree through the four around. */
static double between(const struct dynamics_own *own, int part, int along_y, int i, int j)
{
    const double *const h = own->terrain.part[part];
    double at[4];
    for (int m = 0; m < 4; m++) at[m] = h[along_y ? column_at(own, i, j + m - 2) : column_at(own, i + m - 2, j)];
    return (9 * (at[1] + at[2]) - (at[0] + at[3])) / 16;
}

void terrain_rises(const struct dynamics_own *own, int i, int j, double rise[2][2])
{
    for (int y = 0; y < 2; y++)
        for (int part = 0; part < 2; part++)
            rise[y][part] = between(own, part, y, i + !y, j + y) - between(own, part, y, i, j);
}

double terrain_z_c(const struct dynamics_own *own, int i, int j, int k)
{
    const double zeta = own->grid->z_c[k];
    return own->ctx.over ? height_at(own, i, j, own->terrain.decay_c, zeta, k) : zeta;
}

double terrain_z_f(const struct dynamics_own *own, int i, int j, int k)
{
    const double zeta = own->grid->z_f[k];
    return own->ctx.over ? height_at(own, i, j, own->terrain.decay, zeta, k) : zeta;
}

/* ---- a column ---------------------------------------------------------------------------------------------------- */

int base_column_open(struct base_column *c, const struct dynamics_own *own)
{
    const struct base_state *const b = &own->base;
    const size_t levels = (size_t)own->ctx.nk + 2;
    *c = (struct base_column){.z = own->grid->z_c,
                              .z_f = own->grid->z_f,
                              .theta = b->theta,
                              .theta0 = b->theta0,
                              .theta0_f = b->theta0_f,
                              .pi0 = b->pi0,
                              .qv = b->qv,
                              .qc = b->qc};
    enum { ALL = sizeof c->to / sizeof *c->to };
    if (!own->ctx.over) return SF_OK;
    c->memory = calloc(ALL * levels, sizeof *c->memory);
    SF_CHECK(c->memory, SF_MEMORY, "no memory for the heights of a column");
    for (int n = 0; n < ALL; n++) c->to[n] = c->memory + (size_t)n * levels + 1;
    c->z = c->to[0], c->z_f = c->to[1], c->theta0 = c->to[2], c->theta0_f = c->to[3], c->pi0 = c->to[4];
    c->theta = c->to[5], c->qv = c->to[6], c->qc = c->to[7];
    return SF_OK;
}

void base_column_close(struct base_column *c) { free(c->memory); }

void base_column_heights(struct base_column *c, const struct dynamics_own *own, int i, int j)
{
    const int nk = own->ctx.nk;
    if (!own->ctx.over) return;
    for (int k = 0; k <= nk; k++) c->to[1][k] = terrain_z_f(own, i, j, k);
    for (int k = 0; k < nk; k++) c->to[0][k] = terrain_z_c(own, i, j, k);
    c->to[0][-1] = 2 * c->z_f[0] - c->z[0], c->to[0][nk] = 2 * c->z_f[nk] - c->z[nk - 1];
}

void base_column_fill(struct base_column *c, const struct dynamics_own *own, int i, int j)
{
    const int nk = own->ctx.nk;
    if (!own->ctx.over) return;
    base_column_heights(c, own, i, j);
    for (int k = -1; k <= nk; k++) {
        const struct base_point p = base_air_at(&own->base, c->z[k]);
        c->to[2][k] = p.theta0, c->to[4][k] = p.pi0, c->to[5][k] = p.theta, c->to[6][k] = p.qv, c->to[7][k] = p.qc;
    }
    for (int k = 0; k <= nk; k++) c->to[3][k] = (c->theta0[k - 1] + c->theta0[k]) / 2;
}

real terrain_wind(const struct dynamics_own *own, int along_y, int i, int j, int k)
{
    double wind[2];
    base_wind_at(&own->base, terrain_z_c(own, i, j, k), &wind[0], &wind[1]);
    return (real)(wind[along_y] - own->ctx.translation[along_y]);
}

/* What carries tracers, and weighs what the ground gives. */
static void carriers_put(const struct dynamics_own *own, const struct slab *s, const struct base_column *c,
                         ptrdiff_t at, int k, double thin)
{
    const struct dynamics *const d = &own->ctx;
    const struct base_constants *const constants = base_constants_of(&own->base);
    const double dense = base_density(constants, c->theta0[k], c->pi0[k]) / own->base.rho0[k];
    if (weighs_cells(d)) s->f[F_DENSE][at] = (real)dense;
    if (weighs_cells(d) || surface_acts(&d->surface)) s->f[F_SPARSE][at] = (real)(thin / dense);
}

/* What turbulence knows of a level, of the cells of a column. */
static void eddies_put(const struct dynamics_own *own, const struct slab *s, const struct base_column *c, ptrdiff_t at,
                       int k)
{
    const double size = turbulence_size(own, c->z_f[k + 1] - c->z_f[k], c->z[k] - c->z_f[0]);
    s->f[F_SIZE_OVER][at] = (real)size;
    s->f[F_FLAT_OVER][at] = (real)turbulence_flatness(own, size);
}

static void moist_put(const struct dynamics_own *own, const struct slab *s, const struct base_column *c, ptrdiff_t at,
                      int k)
{
    const struct dynamics *const d = &own->ctx;
    const struct base_constants *const constants = base_constants_of(&own->base);
    s->f[F_THA_OVER][at] = (real)c->theta[k];
    s->f[F_EXCESS_OVER][at] = water_excess(d->vapour_ratio, (real)c->qv[k], (real)c->qc[k], R(0.0));
    s->f[F_QV0_OVER][at] = (real)c->qv[k], s->f[F_QC0_OVER][at] = (real)c->qc[k];
    s->f[F_P0_OVER][at] = (real)base_pressure(constants, c->pi0[k]);
    s->f[F_DEN0_OVER][at] = (real)(d->p00 / d->R * sfd_pow(c->pi0[k], d->cv_over_R));
}

/* What the ground's stages know of flat land as numbers: pressure there is that of the base state at its height. */
static void ground_put(const struct dynamics_own *own, const struct slab *s, const struct base_column *c, ptrdiff_t map)
{
    const struct dynamics *const d = &own->ctx;
    const struct base_constants *const constants = base_constants_of(&own->base);
    const double above = base_air_at(&own->base, c->z_f[0]).pi0 - base_air_at(&own->base, 0).pi0;
    const double flat = sfd_pow(own->base.surface_pressure / d->p00, d->kappa);
    s->f[F_LOWEST_OVER][map] = (real)(c->z[0] - c->z_f[0]);
    s->f[F_GROUND_PI_OVER][map] = (real)(flat + above);
    s->f[F_GROUND_P_OVER][map] = (real)(own->base.surface_pressure * sfd_pow((flat + above) / flat, 1 / d->kappa));
    s->f[F_EXNER_DOWN_OVER][map] = (real)(d->g * (c->z[0] - c->z_f[0] - 2) / (d->cp_d * c->theta0[0]));
    s->f[F_GROUND_RHO_OVER][map] =
        (real)((base_density(constants, c->theta0[-1], c->pi0[-1]) + base_density(constants, c->theta0[0], c->pi0[0])) /
               2);
}

void terrain_column(const struct instance *in, const struct state *st, const struct base_column *c, int i, int j)
{
    const struct dynamics_own *const own = in->own;
    const struct dynamics *const d = &own->ctx;
    const struct terrain *const t = &own->terrain;
    const struct grid *const g = in->grid;
    const struct slab *const s = &st->host.s;
    const size_t from = column_at(own, i, j);
    const ptrdiff_t map = (j - s->j0) * s->sm + i, base = (j - s->j0) * s->sj + i;
    map_column(own, s, i, j, map);
    s->f[F_TERRAIN][map] = (real)(t->part[0][from] + t->part[1][from]);
    for (int part = 0; part < 2; part++) {
        s->f[F_TERRAIN_LARGE + part][map] = (real)t->part[part][from];
        s->f[F_LARGE_WEST + part][map] = (real)between(own, part, 0, i, j);
        s->f[F_LARGE_SOUTH + part][map] = (real)between(own, part, 1, i, j);
        s->f[F_LARGE_EAST + part][map] = (real)between(own, part, 0, i + 1, j);
        s->f[F_LARGE_NORTH + part][map] = (real)between(own, part, 1, i, j + 1);
    }
    for (int k = 0; k <= g->nz; k++) {
        const ptrdiff_t at = base + k * s->sk;
        const double gap = c->z[k] - c->z[k - 1], flat_gap = g->z_c[k] - g->z_c[k - 1];
        const double high = k < g->nz ? c->theta[k] : c->theta[k - 1], low = k ? c->theta[k - 1] : c->theta[-1];
        s->f[F_TH0F_OVER][at] = (real)c->theta0_f[k];
        s->f[F_DPI0H_OVER][at] = (real)(-0.5 * d->g / (d->cp_d * c->theta0_f[k]));
        s->f[F_DTH0H_OVER][at] = (real)(0.5 * ((high - low) / gap));
        s->f[F_BUOY_OVER][at] = d->species ? R(0.0) : (real)(0.5 * d->g / c->theta0_f[k]);
        if (d->species) s->f[F_BUOYM_OVER][at] = (real)(0.5 * d->g / c->theta0_f[k]);
        s->f[F_THIN_FACE][at] = (real)(flat_gap / gap);
        if (k == g->nz) continue;
        s->f[F_TH0_OVER][at] = (real)c->theta0[k], s->f[F_PI0_OVER][at] = (real)c->pi0[k];
        s->f[F_U0_OVER][at] = terrain_wind(own, 0, i, j, k), s->f[F_V0_OVER][at] = terrain_wind(own, 1, i, j, k);
        const double thin = (g->z_f[k + 1] - g->z_f[k]) / (c->z_f[k + 1] - c->z_f[k]);
        s->f[F_THIN][at] = (real)thin;
        carriers_put(own, s, c, at, k, thin);
        if (d->species) moist_put(own, s, c, at, k);
        if (d->closure) eddies_put(own, s, c, at, k);
    }
    if (surface_acts(&d->surface)) ground_put(own, s, c, map);
}

void terrain_level(const struct dynamics_own *own, const struct slab *s, int n)
{
    const struct grid *const g = own->grid;
    const int nk = g->nz, k = SF_MIN(SF_MAX(n, 0), nk - 1), f = SF_MIN(SF_MAX(n, 0), nk);
    for (int part = 0; part < 2; part++) {
        const double dz = g->z_f[k + 1] - g->z_f[k];
        const double *const face = own->terrain.decay[part];
        s->f[P_DECAY_L + part][n] = (real)own->terrain.decay_c[part][k];
        s->f[P_STRETCH_L + part][n] = (real)((face[k + 1] - face[k]) / dz);
        s->f[P_DECAYF_L + part][n] = (real)face[f];
    }
    s->f[P_ON_GROUND][n] = n < 0 ? R(2.0) : n ? R(0.0) : R(1.0);
    /* Of two columns; on the ground the line through two faces, on the lid the one below. */
    const double to_below = 1 / (g->z_c[k] - g->z_c[k - 1]), to_above = 1 / (g->z_c[k + 1] - g->z_c[k]),
                 to_second = k + 2 < nk ? 1 / (g->z_c[k + 2] - g->z_c[k + 1]) : 0;
    const int is_low = k == 0, is_high = k + 1 == nk;
    const double apart = is_low && nk > 2 ? (g->z_c[1] - g->z_c[0]) / (g->z_c[2] - g->z_c[0]) : 0;
    s->f[P_LAPSE_B][n] = is_low ? R(0.0) : (real)((is_high ? 0.5 : 0.25) * to_below);
    s->f[P_LAPSE_A][n] = is_high ? R(0.0) : (real)((is_low ? 0.5 * (1 + apart) : 0.25) * to_above);
    s->f[P_LAPSE_S][n] = (real)(-0.5 * apart * to_second);
}

/* ---- the ground -------------------------------------------------------------------------------------------------- */

static double hill_at(const struct dynamics_params *p, int n, double x, double y)
{
    const double a = p->terrain_half_width[n], angle = p->terrain_turn[n] * (pi_number / 180);
    const double dx = x - p->terrain_x[n], dy = y - p->terrain_y[n];
    const double across =
        p->terrain_turn[n] > 0 || p->terrain_turn[n] < 0 ? dx * sfd_cos(angle) + dy * sfd_sin(angle) : dx;
    switch ((enum terrain_shape)p->terrain_shape[n]) {
    case TERRAIN_NONE:
        break;
    case TERRAIN_BELL:
        return hill_bell(p->terrain_height[n], a, dx, dy);
    case TERRAIN_RIDGE:
        return hill_ridge(p->terrain_height[n], a, across);
    case TERRAIN_SCHAER:
        return hill_schaer(p->terrain_height[n], a, p->terrain_wavelength[n], across);
    }
    return 0;
}

/* Along one axis: a Gaussian of `length`, cut at 4 lengths; beyond sides as the fields have it. */
static int smooth_axis(const struct dynamics_own *own, double *h, double length, int along_y)
{
    const struct grid *const g = own->grid;
    const int n = along_y ? g->ny : g->nx, lines = along_y ? g->nx : g->ny;
    const int most = (int)(4 * length / (along_y ? g->dy : g->dx)) + 1;
    double *const line = malloc((size_t)n * sizeof *line), *const weight = malloc((size_t)(most + 1) * sizeof *weight);
    int rc = line && weight ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory to smooth the terrain");
    double sum = 0;
    for (int m = 0; m <= most && !rc; m++) {
        const double at = m * (along_y ? g->dy : g->dx) / length;
        weight[m] = sfd_exp(-0.5 * at * at), sum += m ? 2 * weight[m] : weight[m];
    }
    for (int l = 0; l < lines && !rc; l++) {
        for (int k = 0; k < n; k++) {
            double all = 0;
            for (int m = -most; m <= most; m++)
                all += weight[abs(m)] * h[along_y ? column_at(own, l, k + m) : column_at(own, k + m, l)];
            line[k] = all / sum;
        }
        for (int k = 0; k < n; k++)
            h[along_y ? (size_t)k * (size_t)g->nx + (size_t)l : (size_t)l * (size_t)g->nx + (size_t)k] = line[k];
    }
    free(line), free(weight);
    return rc;
}

/* Of the terrain the large part, of SLEVE's surfaces; the rest is the small one. */
static int parts_split(struct dynamics_own *own)
{
    struct terrain *const t = &own->terrain;
    const struct grid *const g = own->grid;
    const size_t columns = (size_t)g->nx * (size_t)g->ny;
    const double given = own->params.terrain_smoothing,
                 length = given > 0 ? given : 4 * SF_MAX(g->dx, g->ny > 1 ? g->dy : 0);
    if (own->params.terrain_coordinate != COORDINATE_SLEVE) return SF_OK;
    memcpy(t->part[1], t->part[0], columns * sizeof *t->part[0]);
    SF_TRY(smooth_axis(own, t->part[0], length, 0));
    if (g->ny > 1) SF_TRY(smooth_axis(own, t->part[0], length, 1));
    for (size_t n = 0; n < columns; n++) t->part[1][n] -= t->part[0][n];
    return SF_OK;
}

static int variable_find(const struct filed_list *list)
{
    static const char *const name[] = {"terrain_height", "HGT", "orog"};
    for (size_t m = 0; m < sizeof name / sizeof *name; m++)
        for (int n = 0; n < list->n; n++)
            if (!strcmp(list->field[n].name, name[m])) return n;
    for (int n = 0; n < list->n; n++)
        if (!strcmp(list->field[n].standard_name, "surface_altitude")) return n;
    return -1;
}

static int file_read(const struct instance *in, struct dynamics_own *own, const char *dir)
{
    struct terrain *const t = &own->terrain;
    const struct grid *const g = own->grid;
    char *const path = t->path;
    double scale = 1, offset = 0;
    SF_CHECK(in->filed_list && in->filed_read, SF_INTERNAL, "nothing reads files of fields here");
    SF_TRY(file_find("file", own->params.terrain_file, dir, path, sizeof t->path));
    SF_TRY(in->filed_list(path, -1, &t->list));
    const int n = variable_find(&t->list);
    SF_CHECK(n >= 0, SF_INPUT, "'%s' holds no terrain_height, nor a variable of CF standard name surface_altitude",
             path);
    const struct filed *const f = &t->list.field[n];
    SF_TRY(ground_map_check(path, g, f));
    SF_TRY(ground_unit_find(GROUND_HEIGHT, f, path, &scale, &offset));
    const int nx = filed_count(f, FILED_X), ny = filed_count(f, FILED_Y);
    double *const value = malloc((size_t)nx * (size_t)ny * sizeof *value);
    SF_CHECK(value, SF_MEMORY, "no memory for the terrain of '%s'", path);
    int rc = in->filed_read(&t->list, n, 0, ny, value);
    in->filed_read(&t->list, n, 0, 0, NULL);
    for (int j = 0; j < g->ny && !rc; j++)
        for (int i = 0; i < g->nx; i++)
            t->part[0][(size_t)j * (size_t)g->nx + (size_t)i] +=
                value[(ny > 1 ? (size_t)j * (size_t)nx : 0) + (size_t)(nx > 1 ? i : 0)] * scale + offset;
    free(value);
    if (!rc) notes_add(&own->notes, "terrain: %s of '%s'", f->name, path);
    return rc;
}

/* Of the cell of level k over a ground of these two parts, m. */
static double thickness(const struct dynamics_own *own, double large, double small, int k)
{
    const struct terrain *const t = &own->terrain;
    return (own->grid->z_f[k + 1] - own->grid->z_f[k]) +
           (large * (t->decay[0][k + 1] - t->decay[0][k]) + small * (t->decay[1][k + 1] - t->decay[1][k]));
}

/* Ranges, the steepest slope of any surface, and the thinnest cell. */
static void extremes_find(struct dynamics_own *own)
{
    struct terrain *const t = &own->terrain;
    const struct grid *const g = own->grid;
    const int nk = g->nz;
    double sum = 0;
    t->lowest = t->thinnest = INFINITY, t->highest = -INFINITY, t->slope = t->neighbours = 0;
    for (int k = 0; k < nk; k++) t->thin[k] = INFINITY, t->wide[k] = 1;
    for (int j = 0; j < g->ny; j++)
        for (int i = 0; i < g->nx; i++) {
            const size_t here = column_at(own, i, j), west = column_at(own, i - 1, j), south = column_at(own, i, j - 1);
            const double a = t->part[0][here], b = t->part[1][here];
            const double x[2] = {(a - t->part[0][west]) / g->dx, (b - t->part[1][west]) / g->dx},
                         y[2] = {(a - t->part[0][south]) / g->dy, (b - t->part[1][south]) / g->dy};
            const size_t beside[2] = {west, south};
            const double factor = map_factor_at(own, i, j);
            const double by_y = map_factor_y_at(own, i, j) / factor; /* 1 on maps that keep angles */
            sum += (a + b) / (factor * factor * by_y), t->lowest = SF_MIN(t->lowest, a + b),
                                                       t->highest = SF_MAX(t->highest, a + b);
            for (int k = 0; k < nk; k++) {
                const double l = t->decay[0][k], m = t->decay[1][k], sx = x[0] * l + x[1] * m, sy = y[0] * l + y[1] * m;
                t->slope = SF_MAX(t->slope, factor * __builtin_sqrt(sx * sx + (sy * by_y) * (sy * by_y)));
                const double cells = thickness(own, a, b, k), share = cells / (g->z_f[k + 1] - g->z_f[k]);
                t->thin[k] = SF_MIN(t->thin[k], share);
                for (int n = 0; n < 2; n++) {
                    const double next = thickness(own, t->part[0][beside[n]], t->part[1][beside[n]], k);
                    t->wide[k] = SF_MAX(t->wide[k], 0.5 * (cells + next) / SF_MIN(cells, next));
                }
                if (share < t->thinnest) t->thinnest = share, t->thinnest_k = k;
                t->least_dz = k || i || j ? SF_MIN(t->least_dz, cells) : cells;
                t->neighbours = SF_MAX(t->neighbours, SF_MAX(fabs(sx) * g->dx, fabs(sy) * g->dy) / cells);
            }
        }
    t->mean = sum / own->map.columns;
}

static int maps_make(const struct instance *in, struct dynamics_own *own, const char *dir)
{
    struct terrain *const t = &own->terrain;
    const struct grid *const g = own->grid;
    const size_t columns = (size_t)g->nx * (size_t)g->ny, faces = (size_t)g->nz + 1;
    t->thin = calloc(2 * (size_t)g->nz, sizeof *t->thin);
    SF_CHECK(t->thin, SF_MEMORY, "no memory for %d levels", g->nz);
    t->wide = t->thin + g->nz;
    for (int part = 0; part < 2; part++) {
        t->part[part] = calloc(columns, sizeof *t->part[part]),
        t->decay[part] = calloc(2 * faces, sizeof *t->decay[part]);
        t->decay_c[part] = t->decay[part] + faces;
        SF_CHECK(t->part[part] && t->decay[part], SF_MEMORY, "no memory for a terrain of %d x %d columns", g->nx,
                 g->ny);
        for (int k = 0; k <= g->nz; k++) t->decay[part][k] = decay_at(own, part, g->z_f[k]);
        for (int k = 0; k < g->nz; k++) t->decay_c[part][k] = decay_at(own, part, g->z_c[k]);
    }
    for (int n = 0; n < t->hills; n++)
        for (int j = 0; j < g->ny; j++)
            for (int i = 0; i < g->nx; i++)
                t->part[0][(size_t)j * (size_t)g->nx + (size_t)i] +=
                    hill_at(&own->params, n, grid_x(g, i, 0), grid_y(g, j, 0));
    if (own->params.terrain_file[0]) SF_TRY(file_read(in, own, dir));
    SF_TRY(parts_split(own));
    extremes_find(own);
    return SF_OK;
}

/* ---- judged ------------------------------------------------------------------------------------------------------ */

int terrain_is_asked(struct dynamics_own *own, int (*values)(const void *, const char *, const char *),
                     const void *names)
{
    const struct dynamics_params *const p = &own->params;
    own->terrain.hills = values(names, "terrain", "shape");
    int is = p->terrain_file[0] != '\0';
    for (int n = 0; n < own->terrain.hills; n++) is |= p->terrain_shape[n] != TERRAIN_NONE;
    return own->terrain.asked = is;
}

/* What does not know of terrain yet, or not at all. */
static void companions_check(const struct dynamics_own *own, int is_native, struct complaints *to)
{
    const struct dynamics_params *const p = &own->params;
    const struct dynamics *const d = &own->ctx;
    const struct {
        int is_there;
        const char *keys, *what;
    } other[] = {
        {p->dynamics_side_budget, "dynamics%side_budget terrain%shape", "budgets of sides: leave side_budget out"},
        {p->statistics_interval > 0, "statistics%interval terrain%shape", "statistics: leave &statistics out"},
        {own->forcing.given || p->forcing_file[0], "forcing%file forcing%z terrain%shape",
         "what a larger scale does, by level: leave &forcing out"},
        {p->initial_flow != FLOW_NONE, "initial%flow terrain%shape",
         "an exact flow, which knows no ground: leave flow out"},
        {is_native, "output%staggered terrain%shape",
         "output on faces, whose lowest w is not that on slopes: leave staggered out"},
        {d->wide, "dynamics%advection terrain%shape", "advection of 5th or 6th order: take 'upwind3' or 'centred4'"},
        {d->mixing == MIXING_SECOND || d->mixing == MIXING_MONOTONE || d->mixing == MIXING_CONSTANT,
         "dynamics%mixing terrain%shape", "this mixing: take 'fourth' or 'off'"},
    };
    for (size_t n = 0; n < sizeof other / sizeof *other; n++)
        if (other[n].is_there)
            sf_complain(to, other[n].keys, -1, "%s does not go with %s", own->terrain.asked ? "terrain" : "a map",
                        other[n].what);
    if (own->terrain.asked &&
        (d->translation[0] < 0 || d->translation[0] > 0 || d->translation[1] < 0 || d->translation[1] > 0))
        sf_complain(to, "grid%translation_u grid%translation_v terrain%shape", -1,
                    "terrain stands, and a grid that moves leaves it: leave translation_u and translation_v out");
    if (own->terrain.asked && p->dynamics_off_centring < 0.6)
        sf_complain(to, "dynamics%off_centring terrain%shape", -1,
                    "over terrain off_centring is 0.6 at least: with %g waves on slopes grow",
                    p->dynamics_off_centring);
}

static void shapes_check(const struct dynamics_own *own, int (*values)(const void *, const char *, const char *),
                         const void *names, struct complaints *to)
{
    const struct dynamics_params *const p = &own->params;
    static const char *const key[] = {"height", "half_width", "x", "y", "wavelength", "turn"};
    const int n = own->terrain.hills;
    for (size_t m = 0; m < sizeof key / sizeof *key; m++) {
        const int given = values(names, "terrain", key[m]);
        char both[64];
        snprintf(both, sizeof both, "terrain%%%s terrain%%shape", key[m]);
        if (given > n || (m < 2 && given < n))
            sf_complain(to, both, given > n ? n : -1, "%d of shape, but %d of %s: give as many", n, given, key[m]);
    }
    for (int m = 0; m < n; m++) {
        if (p->terrain_shape[m] == TERRAIN_NONE) continue;
        if (!(p->terrain_half_width[m] > 0))
            sf_complain(to, "terrain%half_width terrain%shape", m, "a hill needs a half_width above 0 m");
        if (p->terrain_shape[m] == TERRAIN_SCHAER && !(p->terrain_wavelength[m] > 0))
            sf_complain(to, "terrain%wavelength terrain%shape", m, "shape = 'schaer' needs a wavelength above 0 m");
    }
}

/* Open sides that no file leads take the air beyond them for that of flat ground. */
static void sides_check(const struct dynamics_own *own, struct complaints *to)
{
    enum { DEEP = 4 };
    static const char *const keys[] = {"boundary%west terrain%x", "boundary%east terrain%x", "boundary%south terrain%y",
                                       "boundary%north terrain%y"};
    static const char *const name[] = {"western", "eastern", "southern", "northern"};
    const struct dynamics *const d = &own->ctx;
    const struct terrain *const t = &own->terrain;
    const struct grid *const g = own->grid;
    for (int side = FACE_W; side <= FACE_N && !own->params.driver_file[0]; side++) {
        double most = 0;
        const int along_x = side == FACE_W || side == FACE_E, n = along_x ? g->nx : g->ny,
                  rows = along_x ? g->ny : g->nx;
        for (int deep = 0; deep < SF_MIN(DEEP, n - 1) && d->open[side]; deep++)
            for (int m = 0; m < rows; m++) {
                const int at = side == FACE_E || side == FACE_N ? n - 1 - deep : deep,
                          next = side == FACE_E || side == FACE_N ? at - 1 : at + 1;
                const size_t a = along_x ? column_at(own, at, m) : column_at(own, m, at),
                             b = along_x ? column_at(own, next, m) : column_at(own, m, next);
                most = SF_MAX(most, fabs((t->part[0][a] + t->part[1][a]) - (t->part[0][b] + t->part[1][b])) /
                                        (along_x ? g->dx : g->dy));
            }
        if (most > 0.01)
            sf_complain_mildly(
                to, keys[side], -1,
                "the ground rises by %.2g m a m next to the open %s side, which takes it for flat: waves "
                "are returned there; move the hills inward",
                most, name[side]);
    }
}

int terrain_make(struct instance *in, struct dynamics_own *own, int (*values)(const void *, const char *, const char *),
                 const void *names, const char *dir)
{
    struct terrain *const t = &own->terrain;
    struct complaints *const to = in->complaints;
    if (!own->ctx.over) return SF_OK;
    shapes_check(own, values, names, to);
    companions_check(own, in->config->output_staggered, to);
    const int rc = maps_make(in, own, dir);
    if (rc == SF_INPUT) {
        sf_complain_failure(to, "terrain%file", -1, rc);
        return SF_NAMELIST;
    }
    SF_TRY(rc);
    if (!(t->thinnest > thinnest))
        sf_complain(
            to, "terrain%coordinate terrain%height terrain%file grid%nz", -1,
            "over %.0f m of ground the coordinate surfaces of level %d all but meet or cross: a cell there has %.3g of "
            "its height over flat ground, and %g is the least; take another coordinate, raise the lid or lower the "
            "ground",
            t->highest, t->thinnest_k, t->thinnest, thinnest);
    if (t->lowest < -1000)
        sf_complain(to, "terrain%height terrain%file", -1,
                    "the ground reaches down to %.0f m: the base state begins at 0 m", t->lowest);
    sides_check(own, to);
    return SF_OK;
}

void terrain_free(struct terrain *t)
{
    for (int part = 0; part < 2; part++) free(t->part[part]), free(t->decay[part]);
    free(t->thin);
    filed_free(&t->list);
}

void terrain_report(const struct dynamics_own *own, void (*line)(void *, const char *), void *to)
{
    const struct terrain *const t = &own->terrain;
    char text[256];
    if (!own->terrain.asked) return;
    snprintf(text, sizeof text,
             "terrain: %.5g to %.5g m; steepest slope %.3g (%.3g degrees), cells %.3g of their height and more",
             t->lowest, t->highest, t->slope, atan(t->slope) * 180 / pi_number, t->thinnest);
    line(to, text);
    if (own->ctx.tracers && own->ctx.mixing != MIXING_OFF)
        line(
            to,
            "over terrain mixing filters winds and theta' alone: of what is carried a filter along slopes would mix what "
            "differs by height");
    if (t->neighbours > 3) {
        snprintf(
            text, sizeof text,
            "advice: neighbouring columns differ by up to %.2g cells in height, and beyond 3 pressure gradients along "
            "slopes are doubtful; smooth the terrain, or take thicker cells",
            t->neighbours);
        line(to, text);
    }
}
