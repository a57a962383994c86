/* SPDX-License-Identifier: MIT */
#include "support_yee.h"

#include "maxwell/cpml.h"
#include "pipeline/error.h"
#include "pipeline/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fatal(int rc)
{
    if (!rc) return;
    fprintf(stderr, "yee_world: %s\n", sf_error_text());
    abort();
}

/* The domain begins at (0.1, -0.2, 0.3) m. */
static void grid_make(struct yee_world *w, const double d[3], double ratio)
{
    struct config *const c = &w->config;
    double *const size[3] = {c->grid_size_x, c->grid_size_y, c->grid_size_z};
    c->grid_nx = w->n[0], c->grid_ny = w->n[1], c->grid_nz = w->n[2];
    c->grid_origin_x = 0.1, c->grid_origin_y = -0.2, c->grid_origin_z = 0.3;
    c->grid_stretch_ratio = 1, c->grid_dz_max = 1e6;
    for (int a = 0; a < 3; a++)
        for (int m = 0; m < w->n[a]; m++) size[a][m] = d[a] * pow(ratio, m);
    const struct grid_sizes given = {w->n[0], w->n[1], w->n[2]};
    fatal(grid_init(&w->grid, c, &given));
}

static void axes_make(struct yee_world *w)
{
    const struct cpml_face none[2] = {{0, 1}, {0, 1}};
    const struct cpml_options o = {.order = 3, .sigma_factor = 1, .kappa = 7, .alpha = 0.05};
    for (int a = 0; a < 3; a++) {
        double *const edge = malloc(((size_t)w->n[a] + 1) * sizeof *edge);
        for (int m = 0; m <= w->n[a]; m++) edge[m] = place_at(&w->grid, a, 1, m);
        fatal(axis_lines_make(&w->axis[a], &w->lines[a], w->n[a], edge, w->periodic[a], none, &o, 1, w->x.dt));
        free(edge);
        w->x.axis[a] = w->axis[a], w->x.periodic[a] = w->periodic[a];
    }
}

void yee_world_make(struct yee_world *w, const int n[3], const double d[3], double ratio, const int periodic[3],
                    double courant, double eps, double mu)
{
    memset(w, 0, sizeof *w);
    double sum = 0;
    for (int a = 0; a < 3; a++) w->n[a] = n[a], w->periodic[a] = periodic[a], sum += 1 / (d[a] * d[a]);
    int *const side[6] = {&w->p.boundary_west,  &w->p.boundary_east,   &w->p.boundary_south,
                          &w->p.boundary_north, &w->p.boundary_bottom, &w->p.boundary_top};
    for (int m = 0; m < 6; m++) *side[m] = periodic[m / 2] ? EM_PERIODIC : EM_PEC;
    grid_make(w, d, ratio);
    w->x.dt = courant * sqrt(eps * mu) / (em_c * sqrt(sum));
    axes_make(w);
    w->coefficient[0] = w->coefficient[2] = 1;
    w->coefficient[1] = (real)(w->x.dt / (em_eps0 * eps)), w->coefficient[3] = (real)(w->x.dt / (em_mu0 * mu));
    w->x.e = (struct coefficients){1, &w->coefficient[0], &w->coefficient[1], NULL, NULL};
    w->x.h = (struct coefficients){1, &w->coefficient[2], &w->coefficient[3], NULL, NULL};
    w->x.ni = n[0], w->x.nj = n[1], w->x.nk = n[2];
    w->s = (struct slab){
        .sk = n[0] + 2, .sj = (ptrdiff_t)(n[0] + 2) * (n[2] + 2), .ni = n[0], .nk = n[2], .nj = n[1], .rows = n[1]};
    w->size = (size_t)w->s.sj * (size_t)(n[1] + 2);
    w->memory = calloc(6 * w->size, sizeof(real));
    for (int f = 0; f < 6; f++)
        w->s.f[F_EX + f] = w->s.w[F_EX + f] = w->memory + (size_t)f * w->size + w->s.sj + w->s.sk + 1;
    w->p.plane_wave_amplitude = 1, w->p.plane_wave_delay = -1;
    for (int m = 0; m < 64; m++) w->p.source_amplitude[m] = 1, w->p.source_delay[m] = -1;
}

int yee_world_bind(struct yee_world *w, int given)
{
    const double eps = w->x.dt / (double)w->coefficient[1] / em_eps0, mu = w->x.dt / (double)w->coefficient[3] / em_mu0;
    const struct medium matter = {.name = "matter", .epsilon = eps, .mu = mu};
    SF_TRY(sources_make(&w->source, &w->x.nsources, &w->p, given, &w->grid, w->axis, "", NULL));
    SF_TRY(incident_make(&w->incident, &w->p, &w->grid, w->axis, NULL, &matter, ""));
    w->x.source = w->source, w->x.incident = w->incident;
    return SF_OK;
}

/* One axis of the ghosts of one component: a copy, or zero; on a conductor its own plane, too. */
static void ghosts_fill(struct yee_world *w, int component, int a)
{
    const int n = w->n[a], b = (a + 1) % 3, c = (a + 2) % 3;
    real *const f = w->s.f[F_EX + component];
    for (int u = -1; u <= w->n[b]; u++)
        for (int v = -1; v <= w->n[c]; v++) {
            int at[3];
            at[b] = u, at[c] = v;
            ptrdiff_t offset[4];
            const int from[4] = {-1, 0, n - 1, n};
            for (int m = 0; m < 4; m++) at[a] = from[m], offset[m] = yee_at(w, at[0], at[1], at[2]);
            if (w->periodic[a]) f[offset[0]] = f[offset[2]], f[offset[3]] = f[offset[1]];
            else if (on_node(component, a)) f[offset[1]] = f[offset[3]] = 0;
        }
}

/* Are elements i0 .. i1 - 1 of a line other than they were? */
static int is_changed(const real *line, const real *was, int i0, int i1)
{
    return i1 > i0 && memcmp(line + i0, was + i0, (size_t)(i1 - i0) * sizeof *line);
}

void yee_sources_run(const struct yee_world *w, int is_e, struct box b, const struct call *c)
{
    real *const before = malloc(6 * w->size * sizeof *before);
    const struct box told = (is_e ? source_e_changes : source_h_changes)(c, b);
    const int end = w->n[0] + 1;
    int beyond = 0;
    if (!before) abort();
    memcpy(before, w->memory, 6 * w->size * sizeof *before);
    (is_e ? source_e_run : source_h_run)(&w->s, b, c);
    for (int f = F_EX; f < F_EX + 6; f++)
        for (int j = SF_MIN(b.j0, 0); j < b.j1; j++)
            for (int k = 0; k <= w->n[2]; k++) {
                const real *const line = &w->s.f[f][yee_at(w, 0, j, k)], *const was = &before[line - w->memory];
                const int is_told = k >= told.k0 && k < told.k1 && j >= told.j0 && j < told.j1 && told.i0 < told.i1;
                beyond += is_changed(line, was, 0, is_told ? SF_MIN(told.i0, end) : end);
                beyond += is_told && is_changed(line, was, SF_MAX(told.i1, 0), end);
            }
    free(before);
    if (!beyond) return;
    fprintf(stderr, "yee_world: sources change %d lines where they do not tell of it\n", beyond);
    abort();
}

static void sources_step(const struct yee_world *w, int is_e, const struct call *c)
{
    const struct box all = {0, w->n[0], 0, w->n[2], 0, w->n[1]};
    if (!w->pieces) {
        yee_sources_run(w, is_e, all, c);
        return;
    }
    const int si = 5, sk = 3, sj = 4;
    for (int j = all.j0; j < all.j1; j += sj)
        for (int k = all.k0; k < all.k1; k += sk)
            for (int i = all.i0; i < all.i1; i += si)
                yee_sources_run(
                    w, is_e,
                    (struct box){i, SF_MIN(i + si, all.i1), k, SF_MIN(k + sk, all.k1), j, SF_MIN(j + sj, all.j1)}, c);
}

void yee_world_step(struct yee_world *w)
{
    const double dt = w->x.dt;
    const int within = (int)(w->step % YEE_PASS);
    if (!within) {
        double time[YEE_PASS];
        for (int m = 0; m < YEE_PASS; m++) time[m] = (double)(w->step + m) * dt;
        fatal(sources_prepare(w->source, w->x.nsources, YEE_PASS, time, dt));
        if (w->incident) fatal(incident_prepare(w->incident, w->step, YEE_PASS, dt));
    }
    struct call c = {.dt = (real)dt, .step = w->step, .pass_step = within, .time = (double)w->step * dt, .ctx = &w->x};
    const struct box all = {0, w->n[0], 0, w->n[2], 0, w->n[1]};
    h_run(&w->s, all, &c);
    sources_step(w, 0, &c);
    for (int m = 0; m < 9; m++) ghosts_fill(w, 3 + m / 3, m % 3);
    e_run(&w->s, all, &c);
    sources_step(w, 1, &c);
    for (int m = 0; m < 9; m++) ghosts_fill(w, m / 3, m % 3);
    w->step++;
}

void yee_world_free(struct yee_world *w)
{
    sources_free(w->source, w->x.nsources);
    incident_free(w->incident);
    grid_free(&w->grid);
    for (int a = 0; a < 3; a++) table_free(w->lines[a]);
    free(w->memory);
}
