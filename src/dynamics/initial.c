/* The state at the start: base state and wind, perturbations, noise, exact flows. Everything is a function of the global
 * coordinate, in double, so that every cut of the domain begins with the same bits. SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"

#include "pipeline/error.h"

#include <stdint.h>
#include <stdlib.h>

static const double pi_number = 3.14159265358979323846;

enum shape_kind { SHAPE_NONE, SHAPE_COSINE, SHAPE_COSINE_SQUARED, SHAPE_GAUSSIAN, SHAPE_WITCH_SINE, SHAPE_GAUSSIAN_SINE,
                  SHAPE_WAVE };
enum variable { ON_THETA, ON_TEMPERATURE, ON_PI, ON_TRACER = INITIAL_TRACER, ON_U = INITIAL_U, ON_V = INITIAL_V, ON_W = INITIAL_W };
enum flow { FLOW_NONE, FLOW_BELTRAMI, FLOW_TAYLOR_GREEN };

static double scaled(double at, double centre, double radius) { return radius > 0 ? (at - centre) / radius : 0; }

/* Perturbation n at a point, in the unit of its variable. */
static double perturbation(const struct dynamics_own *own, int n, double x, double y, double z)
{
    const struct dynamics_params *p = &own->params;
    const double X = scaled(x, p->initial_x[n], p->initial_radius_x[n]), Y = scaled(y, p->initial_y[n], p->initial_radius_y[n]);
    const double Z = scaled(z, p->initial_z[n], p->initial_radius_z[n]), square = (X * X + Y * Y) + Z * Z;
    const double L = __builtin_sqrt(square), lid = own->grid->top;
    double form = 0;
    switch ((enum shape_kind)p->initial_shape[n]) {
    case SHAPE_NONE: break;
    case SHAPE_COSINE: form = L < 1 ? 0.5 * (1 + sfd_cos(pi_number * L)) : 0; break;
    case SHAPE_COSINE_SQUARED: form = L < 1 ? sfd_cos(0.5 * pi_number * L) * sfd_cos(0.5 * pi_number * L) : 0; break;
    case SHAPE_GAUSSIAN: form = sfd_exp(-square); break;
    case SHAPE_WITCH_SINE: form = sfd_sin(pi_number * z / lid) / (1 + (X * X + Y * Y)); break;
    case SHAPE_GAUSSIAN_SINE: form = sfd_sin(pi_number * z / lid) * sfd_exp(-(X * X + Y * Y)); break;
    case SHAPE_WAVE: form = sfd_cos(2 * pi_number * X) * sfd_cos(2 * pi_number * Y) * sfd_cos(2 * pi_number * Z); break;
    }
    return p->initial_amplitude[n] * form * sfd_exp(p->initial_growth[n] * z);
}

/* All perturbations of one variable at a point; of tracers, those of the one with this number. */
static double perturbations_of(const struct dynamics_own *own, enum variable v, int tracer, double x, double y, double z)
{
    const struct dynamics_params *p = &own->params;
    double sum = 0;
    for (int n = 0; n < own->perturbations; n++)
        if (p->initial_variable[n] == (int)v && (v != ON_TRACER || p->initial_tracer[n] == tracer))
            sum += perturbation(own, n, x, y, z);
    return sum;
}

static double perturbations(const struct dynamics_own *own, enum variable v, double x, double y, double z)
{
    return perturbations_of(own, v, 0, x, y, z);
}

/* ---- does a perturbation reach any point? ---- */

/* Distance, in radii, from its centre to the nearest of n points first, first + step, ... */
static double nearest(double centre, double radius, double first, double step, int n)
{
    if (!(radius > 0)) return 0;
    double at = (centre - first) / step;
    at = at < 0 ? 0 : at > n - 1 ? n - 1 : at;
    const double low = first + (double)(long)at * step, high = low + step; /* beyond the last point only where low is nearer */
    const double below = centre > low ? centre - low : low - centre, above = centre > high ? centre - high : high - centre;
    return (below < above || (long)at == n - 1 ? below : above) / radius;
}

static double nearest_level(double centre, double radius, const double *z, int n)
{
    double least = 1e300;
    for (int k = 0; k < n && radius > 0; k++) {
        const double d = (z[k] > centre ? z[k] - centre : centre - z[k]) / radius;
        least = d < least ? d : least;
    }
    return radius > 0 ? least : 0;
}

/* Beyond this distance from its centre, in radii, a shape is nothing; 0: it has no such distance. */
static double extent_of(enum shape_kind kind)
{
    const double gaussian = 6; /* exp(-36): no bit of a sum with anything */
    switch (kind) {
    case SHAPE_COSINE: case SHAPE_COSINE_SQUARED: return 1;
    case SHAPE_GAUSSIAN: case SHAPE_GAUSSIAN_SINE: return gaussian;
    case SHAPE_NONE: case SHAPE_WITCH_SINE: case SHAPE_WAVE: break;
    }
    return 0;
}

/* A warning, not an error: such a run is well defined, and moving the perturbation away is a way to switch it off. */
void initial_check(const struct instance *in)
{
    const struct dynamics_own *own = in->own;
    const struct dynamics_params *p = &own->params;
    const struct grid *g = in->grid;
    for (int n = 0; n < own->perturbations; n++) {
        const enum shape_kind kind = (enum shape_kind)p->initial_shape[n];
        const int on = p->initial_variable[n];
        const double X = nearest(p->initial_x[n], p->initial_radius_x[n], grid_x(g, 0, on == ON_U), g->dx, g->nx);
        const double Y = nearest(p->initial_y[n], p->initial_radius_y[n], grid_y(g, 0, on == ON_V), g->dy, g->ny);
        const double Z = kind == SHAPE_GAUSSIAN_SINE ? 0
                         : nearest_level(p->initial_z[n], p->initial_radius_z[n], on == ON_W ? g->z_f : g->z_c, g->nz);
        const double most = extent_of(kind);
        if (most > 0 && X * X + Y * Y + Z * Z >= most * most)
            sf_complain_mildly(in->complaints, X >= most ? "initial%x initial%radius_x grid%origin_x grid%nx grid%dx" :
                               Y >= most ? "initial%y initial%radius_y grid%origin_y grid%ny grid%dy" :
                               "initial%z initial%radius_z initial%x initial%y initial%radius_x initial%radius_y grid%nz grid%dz", n,
                               "perturbation %d touches no cell: the domain is from %g to %g m, %g to %g m, 0 to %g m, its cells "
                               "%g m x %g m x %g m and more", n + 1, g->x0, g->x0 + g->nx * g->dx, g->y0, g->y0 + g->ny * g->dy,
                               g->top, g->dx, g->dy, g->z_f[1]);
    }
}

/* Uniform in (-1, 1), from the cell's number and the seed (SplitMix64 finaliser). */
static double noise_at(const struct grid *g, int seed, int j, int k, int i)
{
    uint64_t h = ((uint64_t)(uint32_t)seed << 32) ^ (((uint64_t)j * (uint64_t)g->nz + (uint64_t)k) * (uint64_t)g->nx + (uint64_t)i);
    h += 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    h ^= h >> 31;
    return (double)(h >> 11) * 0x1p-52 - 1;
}

/* The exact flows. Beltrami: curl u parallel to u, a steady (or uniformly decaying) solution; p' = -rho |u|^2 / 2.
 * Taylor-Green: two-dimensional, u = A cos kx sin ly, p' = -rho A^2 / 4 (cos 2kx + cos 2ly)
 * for k = l. */
struct flow_numbers {
    enum flow kind;
    double A, k, l, m, x0, y0;
};

static struct flow_numbers flow_of(const struct dynamics_own *own)
{
    const struct dynamics_params *p = &own->params;
    const struct grid *g = own->grid;
    return (struct flow_numbers){.kind = (enum flow)p->initial_flow, .A = p->initial_flow_speed,
                                 .k = 2 * pi_number * p->initial_flow_waves[0] / (g->nx * g->dx),
                                 .l = 2 * pi_number * p->initial_flow_waves[1] / (g->ny * g->dy),
                                 .m = pi_number * p->initial_flow_waves[2] / g->top, .x0 = g->x0, .y0 = g->y0};
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

/* theta of the atmosphere less that of the base state at every level: zero, or another profile's. */
static void atmosphere_make(const struct dynamics_own *own, double *theta_p)
{
    const struct dynamics_params *p = &own->params;
    const struct dynamics *d = &own->ctx;
    for (int k = 0; k < d->nk; k++) {
        const double z = own->grid->z_c[k];
        double theta = own->base.theta0[k];
        switch ((enum atmosphere)p->initial_atmosphere) {
        case ATMOSPHERE_BASE: break;
        case ATMOSPHERE_NEUTRAL: theta = p->initial_atmosphere_theta; break;
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
        theta_p[k] = theta - own->base.theta0[k];
    }
}

struct column {
    double *theta, *pi; /* departures at the centres of one column */
};

/* theta' and pi' of a column. Balance: cp theta_f dpi'/dz = g theta'_f / theta_0f, discretely, in the order and the numbers
 * of the model; pi' is zero in the lowest cell. */
static void column_make(const struct dynamics_own *own, const struct flow_numbers *f, const double *atmosphere, double x,
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
    if (!other && p->initial_balance == 0) return;
    double balance = 0;
    for (int k = 1; k < nk; k++) {
        const double th = 0.5 * (c.theta[k] + c.theta[k - 1]), th0 = b->theta0_f[k];
        balance += (own->grid->z_c[k] - own->grid->z_c[k - 1]) * d->g * th / (th0 * d->cp_d * (th0 + th));
        c.pi[k] += balance;
    }
}

int initial_begin(const struct instance *in, struct state *st)
{
    const struct dynamics_own *own = in->own;
    const struct dynamics_params *p = &own->params;
    const struct grid *g = in->grid;
    const struct slab *s = &st->host.s;
    const struct flow_numbers f = flow_of(own);
    double *work = malloc(3 * (size_t)g->nz * sizeof *work);
    SF_CHECK(work, SF_MEMORY, "no memory for a column of the initial state");
    const struct column c = {.theta = work, .pi = work + g->nz};
    double *const atmosphere = work + 2 * g->nz;
    atmosphere_make(own, atmosphere);
    dynamics_profiles_fill(in, st);
    const int extra = in->field[F_V].ghost[FACE_N] == GHOST_OPEN && st->jb == g->ny;
    const int over = in->field[F_U].ghost[FACE_E] == GHOST_OPEN;
    for (int j = st->ja; j < st->jb + extra; j++)
        for (int i = 0; i < g->nx + over; i++) {
            const double x = grid_x(g, i, 0), y = grid_y(g, j, 0), xf = grid_x(g, i, 1), yf = grid_y(g, j, 1);
            column_make(own, &f, atmosphere, x, y, i, j, c);
            for (int k = 0; k < g->nz; k++) {
                const ptrdiff_t n = (j - s->j0) * s->sj + k * s->sk + i;
                double uvw[3], half;
                const double z = g->z_c[k];
                flow_at(&f, xf, y, z, uvw, &half);
                s->f[F_U][n] = s->f[P_U0][k] + (real)(p->initial_wind_u + uvw[0] + perturbations(own, ON_U, xf, y, z));
                flow_at(&f, x, yf, z, uvw, &half);
                s->f[F_V][n] = s->f[P_V0][k] + (real)(p->initial_wind_v + uvw[1] + perturbations(own, ON_V, x, yf, z));
                flow_at(&f, x, y, g->z_f[k], uvw, &half);
                s->f[F_W][n] = k ? (real)(uvw[2] + perturbations(own, ON_W, x, y, g->z_f[k])) : R(0.0);
                s->f[F_TH][n] = (real)c.theta[k];
                s->f[F_PI][n] = (real)c.pi[k];
                for (int m = 0; m < own->ctx.tracers; m++)
                    s->f[F_Q + F_FAMILY * m][n] = (real)perturbations_of(own, ON_TRACER, m + 1, x, y, z);
            }
        }
    free(work);
    return SF_OK;
}
