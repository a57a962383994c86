/* What ranks that are not at hand exchange and compute twice. SPDX-License-Identifier: MIT */
#pragma once

#include "command/limits.h"

/* Of a step, on a rank with neighbours on all sides that are cut. */
struct cut_cost {
    int parts_x, parts_y;
    double bytes; /* sent, and as many received */
    double again; /* cells computed that are another rank's, of its own */
};

/* Of a domain cut into parts_x columns and ranks / parts_x rows. rows: the same of rows alone, one a rank. Another cut
 * reaches as far: columns count beside it as rows do. */
struct cut_cost cut_cost(const struct grid *g, int ranks, int parts_x, const struct cut_cost *rows);

/* Lines of text, of the rank that e was made for: what it exchanges in a step, and computes beyond its own rows; the
 * same were the domain cut along x, too. */
void plan_ranks_print(const struct engine *e, const struct machine *m);
