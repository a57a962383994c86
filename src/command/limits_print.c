/* The speed limit as check and run tell it. SPDX-License-Identifier: MIT */
#include "command/limits.h"

#include "command/rows.h"
#include "pipeline/traffic.h"

#include <stdio.h>

void limit_print(FILE *to, const struct engine *e, const struct machine *m, double rate)
{
    const struct traffic t = traffic_of(e->in, &e->pass[0].plan);
    const struct limit l = limit_of_step(e, m);
    char cached[96] = "", reached[64] = "";
    if (!(t.flops > 0) || !(t.ops > 0)) return;
    if (t.least > 0)
        snprintf(cached, sizeof cached, "; %.1f where a pass stays in cache (%.1f bytes)", t.flops / t.least, t.least);
    rows_print(to, "operations",
               "%.2f flop a byte of memory where every op goes to memory (%.0f flop, %.0f bytes a point and step)%s",
               t.flops / t.ops, t.flops, t.ops, cached);
    if (!(l.seconds > 0) || !(m->memory > 0)) return;
    if (rate > 0) snprintf(reached, sizeof reached, "; the trial reached %.0f %% of it", 100 * rate * l.seconds);
    rows_print(to, "limit", "%.4g Mpoint/s, set by %s; %.4g GB/s, %.4g GF/s on %s here%s%s", 1e-6 / l.seconds,
               limit_name(l.by), m->memory * 1e-9, m->fma * 1e-9,
               m->backend->is_device ? m->backend->device()->name : "the CPU",
               m->backend->is_device && !l.is_counted ? "; instructions are not counted" : "", reached);
}

void limit_print_run(const struct engine *e, const struct machine *m, double rate)
{
    const struct limit l = limit_of_step(e, m);
    if (!(l.seconds > 0) || !(m->memory > 0)) return;
    printf("  speed      %.4g Mpoint/s, %.4g GB/s, %.4g GF/s; %.1f %% of the limit of %.4g Mpoint/s, set by %s%s\n",
           rate * 1e-6, rate * l.bytes * 1e-9, rate * l.flops * 1e-9, 100 * rate * l.seconds, 1e-6 / l.seconds,
           limit_name(l.by), m->backend->is_device && !l.is_counted ? "; instructions are not counted" : "");
}
