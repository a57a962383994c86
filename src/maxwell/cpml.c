/* Spacings and grading of one axis. SPDX-License-Identifier: MIT */
#include "maxwell/cpml.h"

#include "pipeline/error.h"
#include "pipeline/tables.h"

struct grade {
    double kappa, b, a;
};

/* At a depth of `share` of the layer's thickness, 0 outside. `cell`: size of a cell of the layer, m. */
static struct grade grade_at(double share, double cell, double index, const struct cpml_options *o, double dt)
{
    if (!(share > 0)) return (struct grade){1, 0, 0};
    const double power = o->order > 0 ? sfd_pow(share, o->order) : 1;
    const double sigma = o->sigma_factor * 0.8 * (o->order + 1) / (em_eta0 * cell * index) * power;
    const double kappa = 1 + (o->kappa - 1) * power, alpha = o->alpha / (em_eta0 * cell);
    const double b = sfd_exp(-(sigma / kappa + alpha) * dt / em_eps0);
    return (struct grade){kappa, b, sigma > 0 ? sigma * (b - 1) / (kappa * (sigma + kappa * alpha)) : 0};
}

struct layers {
    int n;
    const double *edge;
    const struct cpml_face *face;
    const struct cpml_options *o;
    double dt;
};

/* Of position x on the axis. */
static struct grade layers_at(const struct layers *l, double x)
{
    const double *const e = l->edge;
    const int low = l->face[0].cells, high = l->face[1].cells, n = l->n;
    if (low && x < e[low]) return grade_at((e[low] - x) / (e[low] - e[0]), (e[low] - e[0]) / low, l->face[0].index, l->o, l->dt);
    if (high && x > e[n - high])
        return grade_at((x - e[n - high]) / (e[n] - e[n - high]), (e[n] - e[n - high]) / high, l->face[1].index, l->o, l->dt);
    return (struct grade){1, 0, 0};
}

int cpml_wide(int cells, int room, int vector) { return SF_MIN(room, (cells + vector - 1) / vector * vector); }

int axis_lines_make(struct axis_lines *l, void **memory, int n, const double *edge, int periodic, const struct cpml_face face[2],
                    const struct cpml_options *o, int vector, double dt)
{
    const size_t length = (size_t)n + 2;
    char *const block = table_alloc(length * (sizeof(double) + 6 * sizeof(real)));
    *memory = block;
    SF_CHECK(block, SF_MEMORY, "no memory for the spacings of %d cells", n);
    double *const size = (double *)(void *)block + 1;
    real *const h = (real *)(void *)(block + length * sizeof(double)), *const e = h + length, *const bh = h + 2 * length;
    real *const ah = h + 3 * length, *const be = h + 4 * length, *const ae = h + 5 * length;
    for (int m = 0; m < n; m++) size[m] = edge[m + 1] - edge[m];
    size[-1] = periodic ? size[n - 1] : size[0]; /* beyond a conductor lies the mirror image */
    size[n] = periodic ? size[0] : size[n - 1];
    const struct layers layers = {.n = n, .edge = edge, .face = face, .o = o, .dt = dt};
    for (int m = 0; m <= n; m++) {
        const double node = 0.5 * (size[m - 1] + size[m]);
        const struct grade ge = layers_at(&layers, edge[m]);
        e[m] = (real)(1 / (ge.kappa * node)), be[m] = (real)ge.b, ae[m] = (real)(ge.a / node);
        const struct grade gh = m < n ? layers_at(&layers, 0.5 * (edge[m] + edge[m + 1])) : (struct grade){1, 0, 0};
        h[m] = (real)(1 / (gh.kappa * size[m])), bh[m] = (real)gh.b, ah[m] = (real)(gh.a / size[m]);
    }
    *l = (struct axis_lines){.n = n, .low = face[0].cells, .high = face[1].cells,
                             .wide_low = cpml_wide(face[0].cells, n - face[1].cells, vector),
                             .wide_high = cpml_wide(face[1].cells, n - face[0].cells, vector),
                             .h = h, .e = e, .bh = bh, .ah = ah, .be = be, .ae = ae, .size = size};
    return SF_OK;
}
