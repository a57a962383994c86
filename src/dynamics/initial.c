/* The state at the start: base state and wind, perturbations, noise, exact flows. Everything is a function of the
 * global coordinate, in double, so that every cut of the domain begins with the same bits.
 * SPDX-License-Identifier: MIT */
#include "dynamics/initial_parts.h"

#include "pipeline/error.h"

#include <stdint.h>
#include <stdlib.h>

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

void initial_atmosphere(const struct dynamics_own *own, double *theta_p)
{
    const struct dynamics_params *p = &own->params;
    const struct dynamics *d = &own->ctx;
    for (int k = 0; k < d->nk; k++) {
        const double z = own->grid->z_c[k];
        double theta = own->base.theta[k];
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
        theta_p[k] = theta - own->base.theta[k];
    }
}

/* ---- water ---- */

int initial_column_make(const struct dynamics_own *own, struct column *c, double **atmosphere, double **memory)
{
    const size_t nk = (size_t)own->ctx.nk;
    double *const work = *memory = malloc(6 * nk * sizeof *work);
    SF_CHECK(work, SF_MEMORY, "no memory for a column of the initial state");
    *c = (struct column){.theta = work, .pi = work + nk};
    if (own->ctx.species) c->qv = work + 2 * nk, c->qc = work + 3 * nk, c->qr = work + 4 * nk;
    *atmosphere = work + 5 * nk;
    return SF_OK;
}

/* Warms a cell in which vapour is at saturation, and all other water cloud, until theta_rho is theta_rho_0 (1 + share):
 * what is lacking goes into theta, in turns. Where there is less water than saturates, all of it is vapour. */
static void cell_lighten(const struct dynamics_own *own, double share, int k, const struct column *c)
{
    const struct dynamics *const d = &own->ctx;
    const struct base_state *const b = &own->base;
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

static double above_zero(double x) { return x > 0 ? x : 0; }

static void column_wet(const struct dynamics_own *own, double x, double y, const struct column *c)
{
    const struct dynamics *const d = &own->ctx;
    const struct base_state *const b = &own->base;
    for (int k = 0; k < d->nk; k++) {
        const double z = own->grid->z_c[k], humid = perturbations(own, ON_HUMIDITY, x, y, z);
        c->qv[k] = b->qv[k] + perturbations(own, ON_VAPOUR, x, y, z);
        c->qc[k] = above_zero(b->qc[k] + perturbations(own, ON_CLOUD, x, y, z));
        c->qr[k] = above_zero(perturbations(own, ON_RAIN, x, y, z));
        if (humid != 0) {
            const double pi = b->pi0[k] + c->pi[k];
            c->qv[k] += humid * vapour_saturated(&d->vapour, d->R, (b->theta[k] + c->theta[k]) * pi,
                                                 d->p00 * sfd_pow(pi, 1 / d->kappa));
        }
        c->qv[k] = above_zero(c->qv[k]);
        const double lighter = perturbations(own, ON_BUOYANCY, x, y, z) / 300;
        if (lighter != 0) cell_lighten(own, lighter, k, c);
    }
}

/* What buoyancy knows of a level, less that of the base state. */
static double lightness(const struct dynamics_own *own, const struct column *c, int k)
{
    if (!c->qv) return c->theta[k];
    return vapour_theta_rho(&own->ctx.vapour, own->ctx.R, own->base.theta[k] + c->theta[k], c->qv[k],
                            c->qc[k] + c->qr[k]) -
           own->base.theta0[k];
}

/* theta' and pi' of a column. Balance: cp theta_f dpi'/dz = g theta'_f / theta_0f, discretely, in the order and the
 * numbers of the model; pi' is zero in the lowest cell. */
void initial_column(const struct dynamics_own *own, const struct flow_numbers *f, const double *atmosphere, double x,
                    double y, int i, int j, struct column c)
{
    const struct dynamics_params *p = &own->params;
    const struct dynamics *d = &own->ctx;
    const struct base_state *b = &own->base;
    const int nk = d->nk, other = p->initial_atmosphere != ATMOSPHERE_BASE;
    for (int k = 0; k < nk; k++) {
        const double z = own->grid->z_c[k];
        double uvw[3], half;
        flow_at(f, x, y, z, uvw, &half);
        c.theta[k] = atmosphere[k] + perturbations(own, ON_THETA, x, y, z) +
                     perturbations(own, ON_TEMPERATURE, x, y, z) / b->pi0[k];
        if (p->initial_noise > 0 && z <= p->initial_noise_top)
            c.theta[k] += p->initial_noise * noise_at(own->grid, p->initial_noise_seed, j, k, i);
        c.pi[k] = perturbations(own, ON_PI, x, y, z) + half / (d->cp_d * b->theta0[k]);
    }
    if (c.qv) column_wet(own, x, y, &c);
    if (!other && p->initial_balance == 0) return;
    double balance = 0;
    for (int k = 1; k < nk; k++) {
        const double th = 0.5 * (lightness(own, &c, k) + lightness(own, &c, k - 1)), th0 = b->theta0_f[k];
        balance += (own->grid->z_c[k] - own->grid->z_c[k - 1]) * d->g * th / (th0 * d->cp_d * (th0 + th));
        c.pi[k] += balance;
    }
}

void initial_winds(const struct dynamics_own *own, const struct flow_numbers *f, int i, int j, int k, double wind[3])
{
    const struct dynamics_params *p = &own->params;
    const struct grid *g = own->grid;
    const double x = grid_x(g, i, 0), y = grid_y(g, j, 0), z = g->z_c[k], xf = grid_x(g, i, 1), yf = grid_y(g, j, 1);
    double uvw[3], half;
    flow_at(f, xf, y, z, uvw, &half);
    wind[0] = p->initial_wind_u + uvw[0] + perturbations(own, ON_U, xf, y, z);
    flow_at(f, x, yf, z, uvw, &half);
    wind[1] = p->initial_wind_v + uvw[1] + perturbations(own, ON_V, x, yf, z);
    flow_at(f, x, y, g->z_f[k], uvw, &half);
    wind[2] = k ? uvw[2] + perturbations(own, ON_W, x, y, g->z_f[k]) : 0;
}

int initial_begin(const struct instance *in, struct state *st)
{
    const struct dynamics_own *own = in->own;
    const struct grid *g = in->grid;
    const struct slab *s = &st->host.s;
    const struct flow_numbers f = initial_flow_of(own);
    struct column c;
    double *work = NULL, *atmosphere = NULL;
    SF_TRY(initial_column_make(own, &c, &atmosphere, &work));
    initial_atmosphere(own, atmosphere);
    dynamics_profiles_fill(in, st);
    const int extra = in->field[F_V].ghost[FACE_N] == GHOST_OPEN && st->jb == g->ny;
    const int over = in->field[F_U].ghost[FACE_E] == GHOST_OPEN;
    for (int j = st->ja; j < st->jb + extra; j++)
        for (int i = 0; i < g->nx + over; i++) {
            const double x = grid_x(g, i, 0), y = grid_y(g, j, 0);
            initial_column(own, &f, atmosphere, x, y, i, j, c);
            for (int k = 0; k < g->nz; k++) {
                const ptrdiff_t n = (j - s->j0) * s->sj + k * s->sk + i;
                double wind[3];
                const double z = g->z_c[k];
                initial_winds(own, &f, i, j, k, wind);
                s->f[F_U][n] = s->f[P_U0][k] + (real)wind[0];
                s->f[F_V][n] = s->f[P_V0][k] + (real)wind[1];
                s->f[F_W][n] = (real)wind[2];
                s->f[F_TH][n] = (real)c.theta[k];
                s->f[F_PI][n] = (real)c.pi[k];
                const int water = own->ctx.species;
                if (water) s->f[F_QV][n] = (real)c.qv[k], s->f[F_QC][n] = (real)c.qc[k], s->f[F_QR][n] = (real)c.qr[k];
                for (int m = water; m < own->ctx.tracers; m++)
                    s->f[F_Q + F_FAMILY * m][n] = (real)initial_perturbations(own, ON_TRACER, m - water + 1, x, y, z);
            }
        }
    free(work);
    return SF_OK;
}
