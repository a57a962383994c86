/* The heat equation on the engine: opens it, runs it from a start, and gathers what came out.
 * SPDX-License-Identifier: MIT */
#include "support_heat.h"

#include "pipeline/error.h"

#include <stdlib.h>
#include <string.h>

int heat_open(struct heat *h, const int *cells, const double *sizes, int sides_x, int sides_y, double kappa)
{
    *h = (struct heat){.config = {.grid_nx = cells[0],
                                  .grid_ny = cells[1],
                                  .grid_nz = cells[2],
                                  .grid_dx = sizes[0],
                                  .grid_dy = sizes[1],
                                  .grid_dz = sizes[2],
                                  .grid_stretch_ratio = 1,
                                  .grid_dz_max = sizes[2]},
                       .params = {.heat_kappa = kappa, .sides = {sides_x, sides_y, SIDE_SYMMETRIC}}};
    SF_TRY(grid_init(&h->grid, &h->config, &(struct grid_sizes){0}));
    h->in = (struct instance){.model = &heat_model, .config = &h->config, .grid = &h->grid};
    return heat_model.bind(&h->in, &h->params, NULL, NULL, ".");
}

void heat_close(struct heat *h)
{
    heat_model.unbind(&h->in);
    grid_free(&h->grid);
}

static int state_advance(const struct heat *h, struct engine *e, struct state *st, heat_start *start, const void *how,
                         double dt, int steps)
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

real *heat_run(const struct heat *h, const struct comm *c, const struct engine_options *o, heat_start *start,
               const void *how, double dt, int steps, int *rc)
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
