/* The heat equation as tables: two fields, two stages, two ops. SPDX-License-Identifier: MIT */
#include "toy_heat.h"

#include "pipeline/error.h"

#include <stdlib.h>

static const struct field fields[HEAT_FIELDS] = {
    {.name = "u", .long_name = "temperature", .unit = "K", .standard_name = "", .role = ROLE_PROGNOSTIC, .banks = 1},
    {.name = "lap", .long_name = "heating", .unit = "K s-1", .standard_name = "", .role = ROLE_SCRATCH, .banks = 1},
};

static void laplacian_run(const struct slab *s, struct box b, const struct call *c)
{
    const real *const rate = c->ctx; /* kappa / dx^2 ... */
    const ptrdiff_t next[3] = {1, s->sj, s->sk};
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++)
            for (int i = b.i0; i < b.i1; i++) {
                const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk + i;
                const real *const u = s->f[HEAT_U] + at;
                real sum = 0;
                for (int x = 0; x < 3; x++) sum += rate[x] * ((u[-next[x]] + u[next[x]]) - 2 * u[0]);
                s->w[HEAT_LAPLACIAN][at] = sum;
            }
}

static void update_run(const struct slab *s, struct box b, const struct call *c)
{
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++) {
            const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk;
            for (int i = b.i0; i < b.i1; i++) s->w[HEAT_U][at + i] += c->dt * s->f[HEAT_LAPLACIAN][at + i];
        }
}

static const struct stage stages[] = {
    {.name = "laplacian",
     .run = laplacian_run,
     .access = {{.field = HEAT_U, .mode = ACCESS_READ, .reach = {1, 1, 1, 1, 1, 1}},
                {.field = HEAT_LAPLACIAN, .mode = ACCESS_WRITE}}},
    {.name = "update",
     .run = update_run,
     .access = {{.field = HEAT_LAPLACIAN, .mode = ACCESS_READ}, {.field = HEAT_U, .mode = ACCESS_UPDATE}}},
};

static struct op ops[] = {{.stage = 0, .dt_factor = 1, .every = 1}, {.stage = 1, .dt_factor = 1, .every = 1}};

static const struct param params[] = {{"heat", "kappa", PARAM_REAL, offsetof(struct heat_params, heat_kappa),
                                       sizeof(double), 1, "1", 0, 1e9, NULL, "m2 s-1", "diffusivity", 0}};

static int heat_bind(struct instance *in, const void *values, int (*given)(const void *, const char *, const char *),
                     const void *names, const char *dir)
{
    static const enum ghost rule[] = {
        [SIDE_PERIODIC] = GHOST_PERIODIC, [SIDE_WALL] = GHOST_ODD, [SIDE_SYMMETRIC] = GHOST_EVEN};
    const struct heat_params *p = values;
    const double size[3] = {in->config->grid_dx, in->config->grid_dy, in->config->grid_dz};
    real *rate = in->own = malloc(3 * sizeof *rate);
    (void)given, (void)names, (void)dir;
    SF_CHECK(rate, SF_MEMORY, "no memory for the heat model");
    for (int x = 0; x < 3; x++) rate[x] = (real)(p->heat_kappa / (size[x] * size[x]));
    for (int f = 0; f < HEAT_FIELDS; f++) {
        in->field[f] = fields[f];
        for (int n = 0; n < FACES; n++) in->field[f].ghost[n] = rule[p->sides[n / 2]];
    }
    in->ctx = rate, in->op = ops, in->nfields = HEAT_FIELDS, in->nops = 2;
    return SF_OK;
}

static void heat_unbind(struct instance *in) { free(in->own); }

const struct model heat_model = {.name = "heat",
                                 .title = "heat in a box",
                                 .param = params,
                                 .nparams = 1,
                                 .params_bytes = sizeof(struct heat_params),
                                 .stage = stages,
                                 .nstages = 2,
                                 .bind = heat_bind,
                                 .unbind = heat_unbind};
