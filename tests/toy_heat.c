/* The heat equation as tables: two fields, two stages, two ops. SPDX-License-Identifier: MIT */
#include "toy_heat.h"

#include "pipeline/error.h"

#include <stdlib.h>
#include <string.h>

struct heat_constants {
    real cx, cy, cz; /* kappa / dx^2 ... */
};

static const struct field fields[HEAT_FIELDS] = {
    [HEAT_U] = {.name = "u", .long_name = "temperature", .unit = "K", .standard_name = "", .role = ROLE_PROGNOSTIC, .banks = 1},
    [HEAT_LAPLACIAN] = {.name = "lap", .long_name = "heating", .unit = "K s-1", .standard_name = "", .role = ROLE_SCRATCH,
                        .banks = 1},
};

static void laplacian_run(const struct slab *s, struct box b, const struct call *c)
{
    const struct heat_constants *q = c->ctx;
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++) {
            const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk;
            const real *const u = s->f[HEAT_U] + at;
            real *const lap = s->w[HEAT_LAPLACIAN] + at;
            for (int i = b.i0; i < b.i1; i++)
                lap[i] = q->cx * ((u[i - 1] + u[i + 1]) - 2 * u[i]) + q->cy * ((u[i - s->sj] + u[i + s->sj]) - 2 * u[i]) +
                         q->cz * ((u[i - s->sk] + u[i + s->sk]) - 2 * u[i]);
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
    {.name = "laplacian", .run = laplacian_run, .unit = UNIT_POINT,
     .access = {{.field = HEAT_U, .mode = ACCESS_READ, .reach = {1, 1, 1, 1, 1, 1}},
                {.field = HEAT_LAPLACIAN, .mode = ACCESS_WRITE}}},
    {.name = "update", .run = update_run, .unit = UNIT_POINT,
     .access = {{.field = HEAT_LAPLACIAN, .mode = ACCESS_READ}, {.field = HEAT_U, .mode = ACCESS_UPDATE}}},
};

static const struct param params[] = {
    {"heat", "kappa", PARAM_REAL, offsetof(struct heat_params, heat_kappa), sizeof(double), 1, "1", 0, 1e9, NULL, "m2 s-1",
     "diffusivity"},
};

static enum ghost ghost_of(int side)
{
    return side == SIDE_PERIODIC ? GHOST_PERIODIC : side == SIDE_WALL ? GHOST_ODD : GHOST_EVEN;
}

static int heat_bind(struct instance *in, const void *values, int (*given)(const void *, const char *, const char *),
                     const void *names, const char *dir)
{
    const struct heat_params *p = values;
    const struct config *c = in->config;
    const int side[FACES] = {p->sides[0], p->sides[0], p->sides[1], p->sides[1], SIDE_SYMMETRIC,
                             SIDE_SYMMETRIC};
    struct heat_constants *q = malloc(sizeof *q);
    (void)given, (void)names, (void)dir;
    in->op = malloc(2 * sizeof *in->op);
    in->own = q;
    in->ctx = q;
    SF_CHECK(q && in->op, SF_MEMORY, "no memory for the heat model");
    q->cx = (real)(p->heat_kappa / (c->grid_dx * c->grid_dx));
    q->cy = (real)(p->heat_kappa / (c->grid_dy * c->grid_dy));
    q->cz = (real)(p->heat_kappa / (c->grid_dz * c->grid_dz));
    for (int f = 0; f < HEAT_FIELDS; f++) {
        in->field[f] = fields[f];
        for (int n = 0; n < FACES; n++) in->field[f].ghost[n] = ghost_of(side[n]);
    }
    in->nfields = HEAT_FIELDS;
    for (int n = 0; n < 2; n++) in->op[n] = (struct op){.stage = n, .dt_factor = 1, .every = 1};
    in->nops = 2;
    return SF_OK;
}

static void heat_unbind(struct instance *in)
{
    free(in->op);
    free(in->own);
}

const struct model heat_model = {.name = "heat", .title = "heat in a box", .param = params, .nparams = 1,
                                 .params_bytes = sizeof(struct heat_params), .stage = stages, .nstages = 2,
                                 .bind = heat_bind, .unbind = heat_unbind};

int heat_open(struct heat *h, const int *cells, const double *sizes, int sides_x, int sides_y, double kappa)
{
    *h = (struct heat){.config = {.grid_nx = cells[0], .grid_ny = cells[1], .grid_nz = cells[2], .grid_dx = sizes[0],
                                  .grid_dy = sizes[1], .grid_dz = sizes[2], .grid_stretch_ratio = 1, .grid_dz_max = sizes[2]},
                       .params = {.heat_kappa = kappa, .sides = {sides_x, sides_y}}};
    SF_TRY(grid_init(&h->grid, &h->config, &(struct grid_sizes){0}));
    h->in = (struct instance){.model = &heat_model, .config = &h->config, .grid = &h->grid};
    return heat_model.bind(&h->in, &h->params, NULL, NULL, ".");
}

void heat_close(struct heat *h)
{
    heat_model.unbind(&h->in);
    grid_free(&h->grid);
}

static int state_advance(const struct heat *h, struct engine *e, struct state *st, heat_start *start, const void *how, double dt,
                         int steps)
{
    const struct slab *s = &st->host.s;
    for (int j = st->ja; j < st->jb; j++)
        for (int k = 0; k < s->nk; k++)
            for (int i = 0; i < s->ni; i++)
                s->f[HEAT_U][(j - s->j0) * s->sj + k * s->sk + i] = (real)start(h, how, j, k, i);
    double *time = malloc((size_t)(steps + 1) * sizeof *time);
    SF_CHECK(time, SF_MEMORY, "no memory for %d times", steps);
    for (int n = 0; n < steps; n++) time[n] = n * dt;
    int rc = engine_refresh(e);
    if (!rc) rc = engine_run(e, 0, time, dt, steps);
    if (!rc) rc = state_fetch(st);
    free(time);
    return rc;
}

real *heat_run(const struct heat *h, const struct comm *c, const struct engine_options *o, heat_start *start, const void *how,
               double dt, int steps, int *rc)
{
    struct engine e;
    struct state st = {.comm = *c, .grid = &h->grid, .in = &h->in};
    *rc = engine_open(&e, &h->in, &st, o);
    if (*rc) return NULL;
    *rc = state_advance(h, &e, &st, start, how, dt, steps);
    const struct slab *s = &st.host.s;
    const size_t line = (size_t)s->ni, row = line * (size_t)s->nk;
    real *out = malloc(row * (size_t)s->nj * sizeof *out), *mine = malloc(row * (size_t)(st.jb - st.ja) * sizeof *mine);
    size_t bytes[64];
    for (int r = 0; r < c->size; r++) {
        int ja, jb;
        comm_rows(c, s->nj, r, &ja, &jb);
        bytes[r] = row * (size_t)(jb - ja) * sizeof *out;
    }
    for (int j = st.ja; j < st.jb; j++)
        for (int k = 0; k < s->nk; k++)
            memcpy(mine + ((size_t)(j - st.ja) * (size_t)s->nk + (size_t)k) * line,
                   s->f[HEAT_U] + (j - s->j0) * s->sj + k * s->sk, line * sizeof *mine);
    if (!*rc) *rc = comm_gather(c, mine, out, bytes);
    free(mine);
    engine_close(&e);
    if (c->rank == 0) return out;
    free(out);
    return NULL;
}
