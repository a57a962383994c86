/* Exact solutions. SPDX-License-Identifier: MIT */
#include "command/verify_exact.h"

#include <math.h>

/* ---- gravity wave ---- */

struct modes {
    double m, s, delta, c2, rho_s;
};

static struct modes modes_of(const struct gravity_case *c)
{
    const double gamma = c->cp / (c->cp - c->R);
    struct modes n = {.m = M_PI / c->height,
                      .delta = c->g / (c->R * c->T0),
                      .c2 = gamma * c->R * c->T0,
                      .rho_s = c->surface_pressure / (c->R * c->T0)};
    n.s = (n.delta / 2 - c->g / n.c2) / n.m;
    return n;
}

/* y = W, P, D, B after h seconds: sum over n of (h M)^n / n! y. */
static void taylor_step(const struct modes *n, double g, double k, double h, double y[4])
{
    enum { TERMS = 24 };
    double t[4] = {y[0], y[1], y[2], y[3]};
    for (int term = 1; term <= TERMS; term++) {
        const double W = t[0], P = t[1], D = t[2], B = t[3], f = h / term;
        t[0] = f * ((n->m + n->s * n->delta / 2) * P - g * B) / n->rho_s;
        t[1] = -f * n->rho_s * n->c2 * (D + n->m * W);
        t[2] = f * k * k * P / n->rho_s;
        t[3] = f * n->rho_s * (n->delta * W / 2 - n->s * D);
        for (int v = 0; v < 4; v++) y[v] += t[v];
    }
}

void gravity_wave_make(struct gravity_wave *g, const struct gravity_case *c, double time)
{
    *g = (struct gravity_wave){.c = *c, .time = time};
    const struct modes n = modes_of(c);
    const double longest = 0.5;
    const long steps = (long)ceil(time / longest);
    for (int mode = 0; mode < GRAVITY_MODES; mode++) {
        const double k = 2 * M_PI * mode / c->length;
        /* Fourier coefficients of the spot; the images of the periodic channel are far below round-off. */
        const double spot = c->amplitude * c->radius * sqrt(M_PI) / c->length * exp(-k * k * c->radius * c->radius / 4);
        double y[4] = {0, 0, 0, -n.rho_s * (mode ? 2 : 1) * spot / c->T0};
        for (long step = 0; step < steps; step++) taylor_step(&n, c->g, k, time / (double)steps, y);
        g->W[mode] = y[0], g->P[mode] = y[1], g->D[mode] = y[2], g->B[mode] = y[3];
    }
}

struct gravity_column gravity_wave_column(const struct gravity_wave *g, double x)
{
    struct gravity_column c = {0};
    const double k1 = 2 * M_PI / g->c.length, X = x - g->c.centre - g->c.wind * g->time;
    for (int mode = 0; mode < GRAVITY_MODES; mode++) {
        const double k = k1 * mode, co = cos(k * X);
        c.w += g->W[mode] * co;
        c.p += g->P[mode] * co;
        c.b += g->B[mode] * co;
        if (mode) c.u += g->D[mode] / k * sin(k * X); /* U = D / (i k) */
    }
    return c;
}

struct gravity_point gravity_column_at(const struct gravity_wave *g, const struct gravity_column *c, double z)
{
    const struct modes n = modes_of(&g->c);
    const double co = cos(n.m * z), si = sin(n.m * z), up = exp(n.delta * z / 2), form = co + n.s * si;
    const double p_b = c->p * form, rho_b = c->b * si + c->p / n.c2 * co;
    return (struct gravity_point){.u = up * c->u * form,
                                  .w = up * c->w * si,
                                  .p = p_b / up,
                                  .rho = rho_b / up,
                                  .T = up * g->c.T0 * (p_b / (n.rho_s * g->c.R * g->c.T0) - rho_b / n.rho_s)};
}

struct gravity_point gravity_wave_at(const struct gravity_wave *g, double x, double z)
{
    const struct gravity_column c = gravity_wave_column(g, x);
    return gravity_column_at(g, &c, z);
}

/* ---- waves ---- */

double phase_ratio(double points)
{
    const double a = 2 * M_PI / points;
    return (8 * sin(a) - sin(2 * a)) / (6 * a);
}

double phase_ratio_tracer(double points)
{
    const double a = 2 * M_PI / points;
    return (45 * sin(a) - 9 * sin(2 * a) + sin(3 * a)) / (30 * a);
}

double phase_amplitude_tracer(double points) { return exp(-points * pow(2 - 2 * cos(2 * M_PI / points), 3) / 60); }

void rk3_factor(double z, double *re, double *im)
{
    *re = 1 - z * z / 2;
    *im = z - z * z * z / 6;
}

int slotted_cylinder(double x, double y)
{
    const double along = y - 16;
    return x * x + along * along < 100 && !(fabs(x) < 2 && along < 4);
}

/* ---- Beltrami flow ---- */

struct beltrami_terms {
    double uvw[3], by[3][3]; /* by[a][b]: derivative of component b along axis a */
};

static struct beltrami_terms beltrami_terms_at(const struct beltrami *f, double x, double y, double z)
{
    const double k = f->k, l = f->l, m = f->m, h = k * k + l * l, lambda = sqrt(h + m * m), A = f->A / h;
    const double sx = sin(k * x), cx = cos(k * x), sy = sin(l * y), cy = cos(l * y), sz = sin(m * z), cz = cos(m * z);
    return (struct beltrami_terms){
        .uvw = {-A * (lambda * l * cx * sy * sz + m * k * sx * cy * cz),
                A * (lambda * k * sx * cy * sz - m * l * cx * sy * cz), f->A * cx * cy * sz},
        .by = {{-A * k * (-lambda * l * sx * sy * sz + m * k * cx * cy * cz),
                A * k * (lambda * k * cx * cy * sz + m * l * sx * sy * cz), -f->A * k * sx * cy * sz},
               {-A * l * (lambda * l * cx * cy * sz - m * k * sx * sy * cz),
                A * l * (-lambda * k * sx * sy * sz - m * l * cx * cy * cz), -f->A * l * cx * sy * sz},
               {-A * m * (lambda * l * cx * sy * cz - m * k * sx * cy * sz),
                A * m * (lambda * k * sx * cy * cz + m * l * cx * sy * sz), f->A * m * cx * cy * cz}}};
}

void beltrami_at(const struct beltrami *b, double x, double y, double z, double uvw[3])
{
    const struct beltrami_terms t = beltrami_terms_at(b, x, y, z);
    for (int c = 0; c < 3; c++) uvw[c] = t.uvw[c];
}

void beltrami_advection(const struct beltrami *b, double x, double y, double z, double uvw_t[3])
{
    const struct beltrami_terms t = beltrami_terms_at(b, x, y, z);
    for (int c = 0; c < 3; c++) uvw_t[c] = -(t.uvw[0] * t.by[0][c] + t.uvw[1] * t.by[1][c] + t.uvw[2] * t.by[2][c]);
}
