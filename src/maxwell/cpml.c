/* Spacings and grading of one axis. SPDX-License-Identifier: MIT */
#include "maxwell/cpml.h"

#include "pipeline/error.h"
#include "pipeline/tables.h"

static const double pi_number = 3.14159265358979323846;
static const double alpha_most = 0.08,
                    alpha_waves = 3; /* a trade of near fields and long waves, measured in docs/validation.md */

double cpml_alpha(const struct cpml_options *o, double cell)
{
    if (o->alpha >= 0) return o->alpha;
    const double of_waves = alpha_waves * 2 * pi_number * o->lowest * cell / em_c;
    return o->lowest > 0 && of_waves < alpha_most ? of_waves : alpha_most;
}

static double power_of(double x, double power) { return power > 0 ? x > 0 ? sfd_pow(x, power) : 0 : 1; }

struct cpml_grade cpml_grade_at(double share, double cell, double index, const struct cpml_options *o, double dt)
{
    if (!(share > 0)) return (struct cpml_grade){1, 0, 0};
    const double power = power_of(share, o->order);
    const double sigma = o->sigma_factor * 0.8 * (o->order + 1) / (em_eta0 * cell * index) * power;
    const double kappa = 1 + (o->kappa - 1) * power;
    const double alpha = cpml_alpha(o, cell) / (em_eta0 * cell) * power_of(1 - share, o->alpha_order);
    const double b = sfd_exp(-(sigma / kappa + alpha) * dt / em_eps0);
    return (struct cpml_grade){kappa, b, sigma > 0 ? sigma * (b - 1) / (kappa * (sigma + kappa * alpha)) : 0};
}

struct layers {
    int n;
    const double *edge;
    const struct cpml_face *face;
    const struct cpml_options *o;
    double dt;
};

/* Of position x on the axis. */
static struct cpml_grade layers_at(const struct layers *l, double x)
{
    const double *const e = l->edge;
    const int low = l->face[0].cells, high = l->face[1].cells, n = l->n;
    if (low && x < e[low])
        return cpml_grade_at((e[low] - x) / (e[low] - e[0]), (e[low] - e[0]) / low, l->face[0].index, l->o, l->dt);
    if (high && x > e[n - high])
        return cpml_grade_at((x - e[n - high]) / (e[n] - e[n - high]), (e[n] - e[n - high]) / high, l->face[1].index,
                             l->o, l->dt);
    return (struct cpml_grade){1, 0, 0};
}

int cpml_wide(int cells, int room, int vector) { return SF_MIN(room, (cells + vector - 1) / vector * vector); }

int axis_lines_make(struct axis_lines *l, void **memory, int n, const double *edge, int periodic,
                    const struct cpml_face face[2], const struct cpml_options *o, int vector, double dt)
{
    const size_t length = (size_t)n + 2;
    char *const block = table_alloc(length * (sizeof(double) + 6 * sizeof(real)));
    *memory = block;
    SF_CHECK(block, SF_MEMORY, "no memory for the spacings of %d cells", n);
    double *const size = (double *)(void *)block + 1;
    real *const h = (real *)(void *)(block + length * sizeof(double)), *const e = h + length,
                *const bh = h + 2 * length;
    real *const ah = h + 3 * length, *const be = h + 4 * length, *const ae = h + 5 * length;
    for (int m = 0; m < n; m++) size[m] = edge[m + 1] - edge[m];
    size[-1] = periodic ? size[n - 1] : size[0]; /* beyond a conductor lies the mirror image */
    size[n] = periodic ? size[0] : size[n - 1];
    const struct layers layers = {.n = n, .edge = edge, .face = face, .o = o, .dt = dt};
    for (int m = 0; m <= n; m++) {
        const double node = 0.5 * (size[m - 1] + size[m]);
        const struct cpml_grade ge = layers_at(&layers, edge[m]);
        e[m] = (real)(1 / (ge.kappa * node)), be[m] = (real)ge.b, ae[m] = (real)(ge.a / node);
        const struct cpml_grade gh =
            m < n ? layers_at(&layers, 0.5 * (edge[m] + edge[m + 1])) : (struct cpml_grade){1, 0, 0};
        h[m] = (real)(1 / (gh.kappa * size[m])), bh[m] = (real)gh.b, ah[m] = (real)(gh.a / size[m]);
    }
    *l = (struct axis_lines){.n = n,
                             .low = face[0].cells,
                             .high = face[1].cells,
                             .wide_low = cpml_wide(face[0].cells, n - face[1].cells, vector),
                             .wide_high = cpml_wide(face[1].cells, n - face[0].cells, vector),
                             .h = h,
                             .e = e,
                             .bh = bh,
                             .ah = ah,
                             .be = be,
                             .ae = ae,
                             .size = size};
    return SF_OK;
}
