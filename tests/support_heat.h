/* The toy heat model on the engine, between insulated floor and lid. SPDX-License-Identifier: MIT */
#pragma once

#include "toy_heat.h"
#include "pipeline/engine.h"

/* The instance of a namelist with these values. */
struct heat {
    struct config config;
    struct heat_params params;
    struct grid grid;
    struct instance in;
};

/* nx x ny x nz cells of dx, dy, dz m; sides are enum side. */
int heat_open(struct heat *h, const int *cells, const double *sizes, int sides_x, int sides_y, double kappa);
void heat_close(struct heat *h);

/* Value at time 0 of global cell (j, k, i). */
typedef double heat_start(const struct heat *h, const void *how, int j, int k, int i);

/* u [nj][nk][ni] on rank 0 (NULL elsewhere) after `steps` steps of dt s. Caller frees. */
real *heat_run(const struct heat *h, const struct comm *c, const struct engine_options *o, heat_start *start,
               const void *how, double dt, int steps, int *rc);
