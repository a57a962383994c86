/* The state at the start: base state and wind, or what a file has in their place, perturbations, noise, exact flows.
 * Everything is a function of the global coordinate, in double, so that every cut of the domain begins with the same
 * bits. SPDX-License-Identifier: MIT */
#include "dynamics/initial_parts.h"

#include "pipeline/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double pi_number = 3.14159265358979323846;

static double scaled(double at, double centre, double radius) { return radius > 0 ? (at - centre) / radius : 0; }

double initial_perturbation(const struct dynamics_own *own, int n, double x, double y, double z)
{
    const struct dynamics_params *p = &own->params;
    const double X = scaled(x, p->initial_x[n], p->initial_radius_x[n]),
                 Y = scaled(y, p->initial_y[n], p->initial_radius_y[n]);
    const double Z = scaled(z, p->initial_z[n], p->initial_radius_z[n]), square = (X * X + Y * Y) + Z * Z;
    const double L = __builtin_sqrt(square), lid = own->grid->top;
    double form = 0;
    switch ((enum shape_kind)p->initial_shape[n]) {
    case SHAPE_NONE:
        break;
    case SHAPE_COSINE:
        form = L < 1 ? 0.5 * (1 + sfd_cos(pi_number * L)) : 0;
        break;
    case SHAPE_COSINE_SQUARED:
        form = L < 1 ? sfd_cos(0.5 * pi_number * L) * sfd_cos(0.5 * pi_number * L) : 0;
        break;
    case SHAPE_GAUSSIAN:
        form = sfd_exp(-square);
        break;
    case SHAPE_WITCH_SINE:
        form = sfd_sin(pi_number * z / lid) / (1 + (X * X + Y * Y));
        break;
    case SHAPE_GAUSSIAN_SINE:
        form = sfd_sin(pi_number * z / lid) * sfd_exp(-(X * X + Y * Y));
        break;
    case SHAPE_WAVE:
        form = sfd_cos(2 * pi_number * X) * sfd_cos(2 * pi_number * Y) * sfd_cos(2 * pi_number * Z);
        break;
    }
    return p->initial_amplitude[n] * form * sfd_exp(p->initial_growth[n] * z);
}

double initial_perturbations(const struct dynamics_own *own, enum variable v, int tracer, double x, double y, double z)
{
    const struct dynamics_params *p = &own->params;
    double sum = 0;
    for (int n = 0; n < own->perturbations; n++)
        if (p->initial_variable[n] == (int)v && (v != ON_TRACER || p->initial_tracer[n] == tracer))
            sum += initial_perturbation(own, n, x, y, z);
    return sum;
}

static double perturbations(const struct dynamics_own *own, enum variable v, double x, double y, double z)
{
    return initial_perturbations(own, v, 0, x, y, z);
}

/* Uniform in (-1, 1), from the cell's number and the seed (SplitMix64 finaliser). */
static double noise_at(const struct grid *g, int seed, int j, int k, int i)
{
    uint64_t h = ((uint64_t)(uint32_t)seed << 32) ^
                 (((uint64_t)j * (uint64_t)g->nz + (uint64_t)k) * (uint64_t)g->nx + (uint64_t)i);
    h += 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    h ^= h >> 31;
    return (double)(h >> 11) * 0x1p-52 - 1;
}

/* The exact flows. Beltrami: curl u parallel to u, a steady (or uniformly decaying) solution; p' = -rho |u|^2 / 2.
 * Taylor-Green: two-dimensional, u = A cos kx sin ly, p' = -rho A^2 / 4 (cos 2kx + cos 2ly)
 * for k = l. */
struct flow_numbers initial_flow_of(const struct dynamics_own *own)
{
    const struct dynamics_params *p = &own->params;
    const struct grid *g = own->grid;
    return (struct flow_numbers){.kind = (enum flow)p->initial_flow,
                                 .A = p->initial_flow_speed,
                                 .k = 2 * pi_number * p->initial_flow_waves[0] / (g->nx * g->dx),
                                 .l = 2 * pi_number * p->initial_flow_waves[1] / (g->ny * g->dy),
                                 .m = pi_number * p->initial_flow_waves[2] / g->top,
                                 .x0 = g->x0,
                                 .y0 = g->y0};
}

static void flow_at(const struct flow_numbers *f, double x, double y, double z, double uvw[3], double *half_square)
{
    uvw[0] = uvw[1] = uvw[2] = *half_square = 0;
    if (f->kind == FLOW_NONE) return;
    const double X = f->k * (x - f->x0), Y = f->l * (y - f->y0), Z = f->m * z;
    const double sx = sfd_sin(X), cx = sfd_cos(X), sy = sfd_sin(Y), cy = sfd_cos(Y);
    if (f->kind == FLOW_TAYLOR_GREEN) {
        uvw[0] = f->A * cx * sy;
        uvw[1] = -f->A * f->k / f->l * sx * cy;
        *half_square = -f->A * f->A / 4 * (sfd_cos(2 * X) + sfd_cos(2 * Y));
        return;
    }
    const double sz = sfd_sin(Z), cz = sfd_cos(Z), level = f->k * f->k + f->l * f->l;
    const double lambda = __builtin_sqrt(level + f->m * f->m);
    uvw[0] = -f->A / level * (lambda * f->l * cx * sy * sz + f->m * f->k * sx * cy * cz);
    uvw[1] = f->A / level * (lambda * f->k * sx * cy * sz - f->m * f->l * cx * sy * cz);
    uvw[2] = f->A * cx * cy * sz;
    *half_square = -0.5 * (uvw[0] * uvw[0] + uvw[1] * uvw[1] + uvw[2] * uvw[2]);
}

/* theta of the atmosphere at height z less that of the base state, theta_0, there: zero, or another profile's. */
static double atmosphere_at(const struct dynamics_own *own, double z, double theta_0)
{
    const struct dynamics_params *p = &own->params;
    const struct dynamics *d = &own->ctx;
    double theta = theta_0;
    switch ((enum atmosphere)p->initial_atmosphere) {
    case ATMOSPHERE_BASE:
        break;
    case ATMOSPHERE_NEUTRAL:
        theta = p->initial_atmosphere_theta;
        break;
    case ATMOSPHERE_CONSTANT_N:
        theta = p->initial_atmosphere_theta *
                sfd_exp(p->initial_atmosphere_brunt_vaisala * p->initial_atmosphere_brunt_vaisala * z / d->g);
        break;
    case ATMOSPHERE_ISOTHERMAL: {
        const double T = p->initial_atmosphere_temperature;
        theta = T * sfd_pow(d->p00 / own->base.surface_pressure, d->kappa) * sfd_exp(d->g * z / (d->cp_d * T));
        break;
    }
    }
    return theta - theta_0;
}

static void atmosphere_fill(const struct dynamics_own *own, const struct base_column *b, double *theta_p)
{
    for (int k = 0; k < own->ctx.nk; k++) theta_p[k] = atmosphere_at(own, b->z[k], b->theta[k]);
}

/* d pi' / dz of air in balance whose theta departs so much. */
static double balance_slope(const struct dynamics *d, double theta_p, double theta_0)
{
    return d->g * theta_p / (theta_0 * d->cp_d * (theta_0 + theta_p));
}

/* pi' of another atmosphere at height z: it is zero at that of the lowest level over flat ground. */
static double balance_to(const struct dynamics_own *own, double z)
{
    enum { STEPS = 64 };
    const double from = own->grid->z_c[0], step = (z - from) / STEPS;
    double sum = 0;
    if (!own->ctx.over || own->params.initial_atmosphere == ATMOSPHERE_BASE) return 0;
    for (int n = 0; n < STEPS; n++) {
        const double at = from + (n + 0.5) * step;
        const double theta_0 = base_air_at(&own->base, at).theta;
        sum += balance_slope(&own->ctx, atmosphere_at(own, at, theta_0), theta_0);
    }
    return sum * step;
}

/* A sum that leaves the bits of what nothing is added to, the sign of a zero too. */
static double plus(double a, double b) { return b != 0 ? a + b : a; }

/* ---- water ---- */

/* Warms a cell in which vapour is at saturation, and all other water cloud, until theta_rho is theta_rho_0 (1 + share):
 * what is lacking goes into theta, in turns. Where there is less water than saturates, all of it is vapour. */
static void cell_lighten(const struct dynamics *d, const struct base_column *b, double share, int k,
                         const struct column *c)
{
    const double pi = b->pi0[k] + c->pi[k], pressure = d->p00 * sfd_pow(pi, 1 / d->kappa);
    const double all = c->qv[k] + c->qc[k], wanted = b->theta0[k] * (1 + share);
    for (int turn = 0; turn < 60; turn++) {
        const double theta = b->theta[k] + c->theta[k];
        const double full = vapour_saturated(&d->vapour, d->R, theta * pi, pressure);
        c->qv[k] = full < all ? full : all, c->qc[k] = all - c->qv[k];
        const double is = vapour_theta_rho(&d->vapour, d->R, theta, c->qv[k], c->qc[k] + c->qr[k]);
        c->theta[k] += (wanted - is) * theta / is;
    }
}

static double above_zero(double x) { return x >= 0 ? x : 0; }

static void column_wet(const struct dynamics_own *own, const struct base_column *b, double x, double y,
                       const struct column *from, const struct column *c)
{
    const struct dynamics *const d = &own->ctx;
    for (int k = 0; k < d->nk; k++) {
        const double z = b->z[k], humid = perturbations(own, ON_HUMIDITY, x, y, z);
        c->qv[k] = plus(from->qv[k], perturbations(own, ON_VAPOUR, x, y, z));
        c->qc[k] = above_zero(plus(from->qc[k], perturbations(own, ON_CLOUD, x, y, z)));
        c->qr[k] = above_zero(plus(from->qr[k], perturbations(own, ON_RAIN, x, y, z)));
        if (humid != 0) {
            const double pi = b->pi0[k] + c->pi[k];
            c->qv[k] += humid * vapour_saturated(&d->vapour, d->R, (b->theta[k] + c->theta[k]) * pi,
                                                 d->p00 * sfd_pow(pi, 1 / d->kappa));
        }
        c->qv[k] = above_zero(c->qv[k]);
        const double lighter = perturbations(own, ON_BUOYANCY, x, y, z) / 300;
        if (lighter != 0) cell_lighten(d, b, lighter, k, c);
    }
}

double start_density(const struct start *s, int k)
{
    const struct dynamics *const d = &s->own->ctx;
    const double theta_rho = s->base.theta0[k] + start_lightness(d, &s->base, &s->at, k),
                 pi = s->base.pi0[k] + s->at.pi[k];
    return d->p00 * sfd_pow(pi, 1 / d->kappa - 1) / (d->R * theta_rho);
}

/* ---- a column ---- */

/* What a column without perturbations has. */
static void from_base(const struct dynamics_own *own, const struct base_column *b, const struct column *c)
{
    const size_t bytes = (size_t)own->ctx.nk * sizeof *c->theta;
    atmosphere_fill(own, b, c->theta);
    if (c->qv) memcpy(c->qv, b->qv, bytes), memcpy(c->qc, b->qc, bytes);
}

static int start_open_file(struct start *s, const struct dynamics_own *own, const struct start_file *file,
                           start_quantities need)
{
    const size_t nk = (size_t)own->ctx.nk;
    *s = (struct start){.own = own, .flow = initial_flow_of(own)};
    s->memory = calloc(15 * nk + start_balance_numbers(own->ctx.nk), sizeof *s->memory);
    SF_CHECK(s->memory, SF_MEMORY, "no memory for a column of the initial state");
    for (size_t n = 0; n < 4; n++) s->wind[n / 2][n % 2] = s->memory + (10 + n) * nk;
    s->wind_at[0] = s->wind_at[1] = -1, s->spare = s->memory + 14 * nk, s->balance = s->spare + nk;
    SF_TRY(start_work_open(&s->work, own->ctx.nk));
    struct column *const column[] = {&s->from, &s->at};
    for (int n = 0; n < 2; n++) {
        double *const at = s->memory + 5 * nk * (size_t)n;
        column[n]->theta = at, column[n]->pi = at + nk;
        if (own->ctx.species) column[n]->qv = at + 2 * nk, column[n]->qc = at + 3 * nk, column[n]->qr = at + 4 * nk;
    }
    SF_TRY(base_column_open(&s->base, own));
    if (!own->ctx.over) from_base(own, &s->base, &s->from);
    return start_rows_open(&s->rows, own, file, need);
}

int start_open(struct start *s, const struct dynamics_own *own)
{
    return start_open_file(s, own, own->start, START_ALL);
}

int start_open_plain(struct start *s, const struct dynamics_own *own, const struct start_file *file,
                     start_quantities need)
{
    const int rc = start_open_file(s, own, file, need);
    s->is_plain = 1;
    return rc;
}

void start_close(struct start *s)
{
    start_rows_close(&s->rows);
    start_work_close(&s->work);
    base_column_close(&s->base);
    free(s->memory);
}

/* ---- columns of a row, by threads ---- */

/* A start of its own for each thread, with the rows of the one that reads. */
int start_team_open(struct start_team *t, struct start *lead, int threads)
{
    const struct start_file *const none = NULL;
    *t = (struct start_team){.lead = lead, .one = calloc((size_t)threads, sizeof *t->one)};
    SF_CHECK(t->one, SF_MEMORY, "no memory for %d threads of the initial state", threads);
    for (; t->n < threads; t->n++) {
        struct start *const s = &t->one[t->n];
        const int rc = start_open_file(s, lead->own, none, 0);
        if (rc) {
            start_close(s);
            return rc;
        }
        s->is_plain = lead->is_plain;
    }
    lead->rows.threads = threads;
    return SF_OK;
}

void start_team_close(struct start_team *t)
{
    for (int n = 0; n < t->n; n++) {
        t->one[n].rows = (struct start_rows){.own = NULL};
        start_close(&t->one[n]);
    }
    free(t->one);
    *t = (struct start_team){.n = 0};
}

void start_team_row(struct start_team *t, int columns, void (*take)(void *arg, struct start *s, int thread, int i),
                    void *arg)
{
#pragma omp parallel for schedule(static) num_threads(t->n)
    for (int n = 0; n < t->n; n++) {
        struct start *const s = &t->one[n];
        s->rows = t->lead->rows, s->push = t->lead->push;
        for (int i = (int)((long)columns * n / t->n); i < (int)((long)columns * (n + 1) / t->n); i++)
            take(arg, s, n, i);
    }
}

/* What the file has stands in place of the base state. */
static void column_from_file(struct start *s, int i, int j)
{
    double *const to[] = {s->from.theta, s->from.pi, s->from.qv, s->from.qc, s->from.qr};
    const int known = s->from.qv ? 5 : 2, n_pi = START_PI - START_THETA;
    const int has_pi = s->rows.file && s->rows.file->taken[START_THETA].form == FORM_TEMPERATURE &&
                       s->rows.value[START_PI]; /* the temperature has asked for it */
    for (int n = 0; n < known; n++)
        if (n == n_pi && has_pi) memcpy(to[n], s->work.pi, (size_t)s->own->ctx.nk * sizeof *to[n]);
        else start_values(&s->rows, (enum start_of)(START_THETA + n), i, j, &s->base, &s->work, to[n]);
}

/* So does the air of a jet; balanced anew from the lowest cell on, it gets the same pressure. */
static void column_from_jet(struct start *s, int j)
{
    const struct dynamics_own *const own = s->own;
    const ptrdiff_t row = (ptrdiff_t)j * own->ctx.nk;
    const double *const theta = own->jet.theta, *const pi = own->jet.pi;
    const int anew = own->params.initial_balance != BALANCE_NONE;
    for (int k = 0; k < own->ctx.nk && theta; k++)
        s->from.theta[k] = theta[row + k], s->from.pi[k] = pi[row + (anew ? 0 : k)];
}

/* theta' and pi' of a column. Balanced (start_balance.c), pi' is zero in the lowest cell. */
void start_column(struct start *s, int i, int j)
{
    const struct dynamics_own *const own = s->own;
    const struct dynamics_params *p = &own->params;
    const struct dynamics *d = &own->ctx;
    const struct base_column *const b = &s->base;
    const struct column c = s->at;
    const double x = grid_x(own->grid, i, 0), y = grid_y(own->grid, j, 0);
    const int nk = d->nk, other = p->initial_atmosphere != ATMOSPHERE_BASE;
    base_column_fill(&s->base, own, i, j);
    if (d->over) from_base(own, b, &s->from);
    column_from_file(s, i, j);
    column_from_jet(s, j);
    if (s->is_plain) {
        const size_t bytes = (size_t)nk * sizeof *c.theta;
        memcpy(c.theta, s->from.theta, bytes), memcpy(c.pi, s->from.pi, bytes);
        if (c.qv) memcpy(c.qv, s->from.qv, bytes), memcpy(c.qc, s->from.qc, bytes), memcpy(c.qr, s->from.qr, bytes);
    }
    for (int k = 0; k < nk && !s->is_plain; k++) {
        const double z = b->z[k];
        double uvw[3], half;
        flow_at(&s->flow, x, y, z, uvw, &half);
        c.theta[k] = plus(s->from.theta[k], perturbations(own, ON_THETA, x, y, z));
        c.theta[k] = plus(c.theta[k], perturbations(own, ON_TEMPERATURE, x, y, z) / b->pi0[k]);
        if (p->initial_noise > 0 && z <= p->initial_noise_top)
            c.theta[k] += p->initial_noise * noise_at(own->grid, p->initial_noise_seed, j, k, i);
        c.pi[k] = plus(s->from.pi[k], perturbations(own, ON_PI, x, y, z) + half / (d->cp_d * b->theta0[k]));
    }
    if (c.qv && !s->is_plain) column_wet(own, b, x, y, &s->from, &c);
    if (s->is_plain && p->initial_balance != BALANCE_GROUND) return;
    if (!other && p->initial_balance == BALANCE_NONE) return;
    if (p->initial_balance == BALANCE_GROUND && s->rows.file)
        return start_balance_ground(d, b, s->rows.file->taken[START_THETA].form == FORM_TEMPERATURE, &c, s->balance);
    double balance = balance_to(own, b->z[0]);
    c.pi[0] = plus(c.pi[0], balance);
    for (int k = 1; k < nk; k++) {
        balance += start_balance_step(d, b, 0.5 * (start_lightness(d, b, &c, k) + start_lightness(d, b, &c, k - 1)), k);
        c.pi[k] += balance;
    }
}

void start_tracer(struct start *s, int m, int i, int j, double *q)
{
    const struct dynamics_own *const own = s->own;
    const struct grid *const g = own->grid;
    const int named = own->ctx.named;
    const double x = grid_x(g, i, 0), y = grid_y(g, j, 0);
    if (!start_values(&s->rows, (enum start_of)(START_Q + m), i, j, &s->base, &s->work, q))
        memset(q, 0, (size_t)own->ctx.nk * sizeof *q);
    for (int k = 0; k < own->ctx.nk; k++) {
        const double z = s->base.z[k];
        q[k] = m < named ? above_zero(plus(q[k], perturbations(own, ON_TKE, x, y, z)))
                         : plus(q[k], initial_perturbations(own, ON_TRACER, m - named + 1, x, y, z));
    }
}

/* Height of level k on the western (x) or southern (y) face of a cell. */
static double z_beside(const struct dynamics_own *own, int i, int j, int x, int y, int k)
{
    return own->ctx.over ? 0.5 * (terrain_z_c(own, i - x, j - y, k) + terrain_z_c(own, i, j, k)) : own->grid->z_c[k];
}

void initial_winds(const struct dynamics_own *own, const struct flow_numbers *f, int i, int j, int k, double wind[3])
{
    const struct dynamics_params *p = &own->params;
    const struct grid *g = own->grid;
    const double x = grid_x(g, i, 0), y = grid_y(g, j, 0), xf = grid_x(g, i, 1), yf = grid_y(g, j, 1);
    const int is_made = f->kind != FLOW_NONE || own->perturbations; /* else heights do not matter */
    const double zu = is_made ? z_beside(own, i, j, 1, 0, k) : 0, zv = is_made ? z_beside(own, i, j, 0, 1, k) : 0,
                 zw = is_made ? terrain_z_f(own, i, j, k) : 0;
    double uvw[3], half;
    flow_at(f, xf, y, zu, uvw, &half);
    wind[0] = p->initial_wind_u + uvw[0] + perturbations(own, ON_U, xf, y, zu);
    if (own->jet.u) wind[0] += own->jet.u[(ptrdiff_t)j * own->ctx.nk + k];
    flow_at(f, x, yf, zv, uvw, &half);
    wind[1] = p->initial_wind_v + uvw[1] + perturbations(own, ON_V, x, yf, zv);
    flow_at(f, x, y, zw, uvw, &half);
    wind[2] = k ? uvw[2] + perturbations(own, ON_W, x, y, zw) : 0;
}

/* The base wind there, relative to the grid, as stages have it: over terrain the mean of the two columns. */
static real base_wind(const struct dynamics_own *own, const struct slab *to, int along_y, int i, int j, int k)
{
    if (!own->ctx.over) return to->f[along_y ? P_V0 : P_U0][k];
    return R(0.5) * (terrain_wind(own, along_y, i - !along_y, j - along_y, k) + terrain_wind(own, along_y, i, j, k));
}

/* Beyond the domain that of the last face. */
static double push_of(const struct start *s, int along_y, int i, int j)
{
    const struct grid *const g = s->own->grid;
    if (!s->push.x) return 0;
    return along_y ? s->push.y[(ptrdiff_t)SF_MIN(j, g->ny) * g->nx + SF_MIN(i, g->nx - 1)]
                   : s->push.x[(ptrdiff_t)SF_MIN(j, g->ny - 1) * (g->nx + 1) + SF_MIN(i, g->nx)];
}

/* What the file has, else the base wind as stages read it: 1 or 0. */
static int winds_from(struct start *s, const struct slab *to, int along_y, int i, int j, double *from)
{
    if (start_values(&s->rows, along_y ? START_V : START_U, i, j, &s->base, &s->work, from)) return 1;
    for (int k = 0; k < s->own->ctx.nk; k++) from[k] = (double)base_wind(s->own, to, along_y, i, j, k);
    return 0;
}

/* With what the namelist adds. */
static double wind_whole(const struct start *s, double from, int along_y, int i, int j, int k)
{
    double wind[3];
    initial_winds(s->own, &s->flow, i, j, k, wind);
    return (from + wind[along_y]) + push_of(s, along_y, i, j);
}

void start_winds(struct start *s, const struct slab *to, int along_y, int i, int j, double *wind)
{
    winds_from(s, to, along_y, i, j, wind);
    for (int k = 0; k < s->own->ctx.nk; k++) wind[k] = wind_whole(s, wind[k], along_y, i, j, k);
}

/* s->wind of column i, j: what is west of it was east of the one before. */
static void winds_around(struct start *s, const struct slab *to, int i, int j)
{
    double *const west = s->wind[0][0];
    if (s->wind_at[0] == i && s->wind_at[1] == j) s->wind[0][0] = s->wind[0][1], s->wind[0][1] = west;
    else winds_from(s, to, 0, i, j, west);
    winds_from(s, to, 1, i, j, s->wind[1][0]);
    if (!s->own->ctx.over) return;
    winds_from(s, to, 0, i + 1, j, s->wind[0][1]);
    winds_from(s, to, 1, i, j + 1, s->wind[1][1]);
    s->wind_at[0] = i + 1, s->wind_at[1] = j;
}

/* z_x u + z_y v at the start, of the wind of level k, on its surface or on the ground. */
static double climb_at(const struct start *s, double rise[2][2], const double factor[2], int i, int j, int k,
                       int on_ground)
{
    const struct dynamics_own *const own = s->own;
    const struct terrain *const t = &own->terrain;
    double sum = 0;
    for (int y = 0; y < 2; y++) {
        const double high =
            on_ground ? rise[y][0] + rise[y][1] : rise[y][0] * t->decay_c[0][k] + rise[y][1] * t->decay_c[1][k];
        for (int far = 0; far < 2; far++) {
            const double wind = wind_whole(s, s->wind[y][far][k], y, i + (far && !y), j + (far && y), k);
            sum += 0.5 * high * factor[y] / (y ? own->grid->dy : own->grid->dx) * wind;
        }
    }
    return sum;
}

/* The wind of a face: what the file has, or the base wind as stages read it, and what the namelist adds. */
static real wind_at(int is_filed, double from, double more)
{
    return is_filed ? (real)plus(from, more) : (real)from + (real)more;
}

void start_air_put(const struct start *s, const struct slab *to, int i, int j)
{
    const struct column *const c = &s->at;
    for (int k = 0; k < s->own->ctx.nk; k++) {
        const ptrdiff_t n = (j - to->j0) * to->sj + k * to->sk + i;
        to->f[F_TH][n] = (real)c->theta[k];
        to->f[F_PI][n] = (real)c->pi[k];
        if (c->qv) to->f[F_QV][n] = (real)c->qv[k], to->f[F_QC][n] = (real)c->qc[k], to->f[F_QR][n] = (real)c->qr[k];
    }
}

int start_rows_extra(const struct instance *in, const struct state *st)
{
    return in->field[F_V].ghost[FACE_N] == GHOST_OPEN && st->jb == in->grid->ny;
}

int start_columns_extra(const struct instance *in) { return in->field[F_U].ghost[FACE_E] == GHOST_OPEN; }

struct filling {
    const struct instance *in;
    const struct state *st;
    int j, has_air; /* has_air: theta', pi' and water are there */
};

static void cells_fill(void *arg, struct start *s, int thread, int i)
{
    const struct filling *const f = arg;
    const struct slab *const to = &f->st->host.s;
    const int j = f->j;
    const struct dynamics_own *own = s->own;
    const int water = own->ctx.species, has_u = start_has(own, START_U), has_v = start_has(own, START_V);
    double rise[2][2], below = 0, *const made = s->spare;
    (void)thread;
    if (f->has_air) base_column_fill(&s->base, own, i, j);
    else start_column(s, i, j), start_air_put(s, to, i, j);
    if (own->ctx.over && i < own->grid->nx && j < f->st->jb) terrain_column(f->in, f->st, &s->base, i, j);
    if (own->ctx.over) terrain_rises(own, i, j, rise);
    const double factor[2] = {own->ctx.over ? map_factor_at(own, i, j) : 1,
                              own->ctx.over ? map_factor_y_at(own, i, j) : 1};
    const double push[2] = {push_of(s, 0, i, j), push_of(s, 1, i, j)};
    winds_around(s, to, i, j);
    const int has_w = start_values(&s->rows, START_W, i, j, &s->base, &s->work, made);
    for (int k = 0; k < own->ctx.nk; k++) {
        const ptrdiff_t n = (j - to->j0) * to->sj + k * to->sk + i;
        double wind[3];
        initial_winds(own, &s->flow, i, j, k, wind);
        to->f[F_U][n] = wind_at(has_u, s->wind[0][0][k], wind[0] + push[0]);
        to->f[F_V][n] = wind_at(has_v, s->wind[1][0][k], wind[1] + push[1]);
        /* Air begins along the surfaces. */
        const double here = own->ctx.over ? climb_at(s, rise, factor, i, j, k, 0) : 0, face = 0.5 * (below + here);
        if (!has_w) wind[2] = plus(wind[2], face);
        to->f[F_W][n] = k ? wind_at(has_w, has_w ? made[k] : 0, wind[2]) : R(0.0);
        if (own->ctx.over && !k)
            to->f[F_GROUND_W][(j - to->j0) * to->sm + i] = (real)climb_at(s, rise, factor, i, j, 0, 1);
        below = here;
    }
    for (int m = water; m < own->ctx.tracers; m++) {
        start_tracer(s, m, i, j, made);
        for (int k = 0; k < own->ctx.nk; k++)
            to->f[F_Q + F_FAMILY * m][(j - to->j0) * to->sj + k * to->sk + i] = (real)made[k];
    }
}

/* Part n of so many of the rows, in which `threads` share each row. */
static int rows_begin(const struct instance *in, struct state *st, const struct start_push *push, int n, int parts,
                      int threads)
{
    const struct dynamics_own *const own = in->own;
    const struct grid *g = in->grid;
    const int over = start_columns_extra(in), rows = st->jb + start_rows_extra(in, st) - st->ja,
              has_air = push->x != NULL;
    const int first = st->ja + (int)((long)rows * n / parts), end = st->ja + (int)((long)rows * (n + 1) / parts);
    struct start s;
    struct start_team team = {.n = 0};
    start_quantities need = START_ALL;
    for (int of = START_THETA; of < START_Q + own->ctx.species && has_air; of++) need &= ~start_bit(of);
    int rc = start_open_file(&s, own, own->start, need);
    s.push = *push;
    if (!rc) rc = start_team_open(&team, &s, threads);
    for (int j = first; j < end && !rc; j++) {
        struct filling f = {in, st, j, has_air};
        rc = start_rows_need(&s.rows, j);
        if (!rc) start_team_row(&team, g->nx + over, cells_fill, &f);
        if (!rc) driver_row(own, &st->host.s, j);
    }
    start_team_close(&team);
    start_close(&s);
    return rc;
}

/* Threads take rows of their own, or, of a file, whose rows are read once, one behind the other, columns of each row.
 */
int initial_begin(const struct instance *in, struct state *st)
{
    const struct dynamics_own *const own = in->own;
    const int threads = state_threads(st), parts = own->start ? 1 : threads;
    struct start_push push = {NULL, NULL};
    dynamics_profiles_fill(in, st);
    int rc = own->params.initial_column_divergence == DIVERGENCE_REMOVED ? start_push_make(in, st, &push) : SF_OK;
    if (!rc) {
#pragma omp parallel for schedule(static) reduction(max : rc) num_threads(parts)
        for (int n = 0; n < parts; n++) rc = SF_MAX(rc, rows_begin(in, st, &push, n, parts, threads / parts));
    }
    start_push_free(&push);
    return rc ? rc : ground_fill(in, st);
}
