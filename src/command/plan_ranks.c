/* Ranks on paper: rows along y, and what a second cut along x would save. SPDX-License-Identifier: MIT */
#include "command/plan_ranks.h"

#include <stdio.h>

static const double mib = 1048576.0, link = 50e9; /* bytes/s: 400 Gbit/s of a GPU's link to other machines */

struct cut_cost cut_cost(const struct grid *g, int ranks, int parts_x, const struct cut_cost *rows)
{
    const int parts_y = ranks / parts_x;
    const double wide = (double)g->nx / parts_x, deep = (double)g->ny / parts_y, had = (double)g->ny / ranks,
                 beyond = rows->again * had; /* rows computed again */
    return (struct cut_cost){
        .parts_x = parts_x,
        .parts_y = parts_y,
        .bytes = rows->bytes * ((parts_y > 1 ? wide / g->nx : 0) + (parts_x > 1 ? deep / g->nx : 0)),
        .again = (1 + (parts_y > 1 ? beyond / deep : 0)) * (1 + (parts_x > 1 ? beyond / wide : 0)) - 1};
}

/* What a step takes beyond computing the own cells: those computed again, and what goes to one neighbour of each kind
 * on another machine. */
static double cut_seconds(const struct cut_cost *x, double compute)
{
    return x->again * compute + 0.5 * x->bytes / link;
}

/* Of all cuts into so many parts the one that takes least. compute: s, of the own cells. */
static struct cut_cost cut_best(const struct grid *g, int ranks, const struct cut_cost *rows, double compute)
{
    struct cut_cost best = *rows;
    for (int parts = 2; parts <= ranks && parts <= g->nx; parts++) {
        if (ranks % parts || ranks / parts > g->ny) continue;
        const struct cut_cost x = cut_cost(g, ranks, parts, rows);
        if (cut_seconds(&x, compute) < cut_seconds(&best, compute)) best = x;
    }
    return best;
}

/* Machines, whose ends are seams of ranks. */
static void machines_print(const struct engine *e, double bytes)
{
    const int machines = (e->comm.size + comm_locals(&e->comm) - 1) / comm_locals(&e->comm),
              seams = machines > 1 ? machines - !e->periodic : 0;
    if (seams)
        printf("       %d machines: %.3g GiB a step between them, each rank at an end %.2f MiB to the next\n", machines,
               seams * bytes / mib / 1024, 0.5 * bytes / mib);
}

void plan_ranks_print(const struct engine *e, const struct machine *m)
{
    const struct grid *const g = e->in->grid;
    const int ranks = e->comm.size, own = e->state->jb - e->state->ja;
    const struct engine_exchange x = engine_exchange_of(e, e->comm.rank);
    const struct limit step = limit_of_step(e, m);
    const double compute = step.seconds * (double)g->nx * g->nz * own;
    const struct cut_cost rows = {.parts_x = 1, .parts_y = ranks, .bytes = x.bytes, .again = step.rows - 1},
                          best = cut_best(g, ranks, &rows, compute);
    printf("ranks: %d, %d of a machine, %d rows each; a step sends %.2f MiB in %.3g exchanges of %.3g messages, and "
           "computes %.1f %% more rows than its own\n",
           ranks, comm_locals(&e->comm), own, x.bytes / mib, x.times, x.times > 0 ? x.messages / x.times : 0,
           100 * rows.again);
    machines_print(e, x.bytes);
    if (!(compute > 0)) return;
    printf(
        "       %.3g ms to compute its own rows; %.3g ms more for what is computed again and %.2f MiB to another machine at "
        "50 GB/s, where nothing hides them\n",
        1e3 * compute, 1e3 * cut_seconds(&rows, compute), 0.5 * x.bytes / mib);
    if (best.parts_x > 1)
        printf("       cut into %d columns and %d rows of ranks: %.2f MiB, %.1f %% computed again, %.3g ms more\n",
               best.parts_x, best.parts_y, best.bytes / mib, 100 * best.again, 1e3 * cut_seconds(&best, compute));
    else printf("       a second cut, along x, would save nothing\n");
}
