/* sferic plan: the schedule of a case and the speed that it allows. SPDX-License-Identifier: MIT */
#include "command/command.h"

#include "command/due.h"
#include "command/limits.h"
#include "command/machine.h"
#include "command/schedule.h"
#include "command/session.h"
#include "command/session_parts.h"
#include "pipeline/traffic.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>

static const struct option options[] = {CASE_OPTIONS};

static int option_take(void *to, const struct option *o, const char *value)
{
    int taken;
    return case_take(to, o, value, &taken);
}

static void line_print(void *to, const char *text) { fprintf(to, "%s\n", text); }

static void bound_print(const struct session *s, const struct engine *e, const struct machine *m)
{
    const struct plan *p = &e->pass[0].plan;
    const struct traffic t = traffic_of(&s->in, p);
    const double ops = t.ops, least = t.least;
    const double points = (double)s->grid.nx * s->grid.nz * s->grid.ny, rate = m->memory;
    const int caches = !s->backend->is_device; /* a GPU takes all rows through an op before the next */
    printf("moved per point and step: %.1f bytes when every op goes to memory", ops);
    if (caches) printf(", %.1f when a pass stays in cache", least);
    if (t.flops > 0) printf("; %.0f flop", t.flops);
    printf("\n");
    if (!(rate > 0 && least > 0)) return;
    if (!caches) {
        const struct limit l = limit_of_step(e, m);
        if (l.seconds > 0)
            printf("bound: %s allows %.1f Mpoint/s, %.4g steps/s; what instructions allow is not in it\n",
                   limit_name(l.by), 1e-6 / l.seconds, 1 / (l.seconds * points));
        return;
    }
    printf("bound: memory gives %.1f GB/s here, so %.1f Mpoint/s, %.4g steps/s", rate * 1e-9, rate / ops * 1e-6,
           rate / ops / points);
    printf(", and up to %.1f and %.4g from cache", rate / least * 1e-6, rate / least / points);
    printf("\n");
}

static void plan_print(const struct session *s, const struct engine *e, const struct machine *m)
{
    if (s->comm.rank) return;
    engine_print(e, line_print, stdout);
    schedule_print(e, m, due_mean(s, e));
    bound_print(s, e, m);
}

/* Where the case does not fit this machine its plan is told all the same, without the memory that it would take. */
static int plan_tell(struct session *s, const struct machine *m)
{
    const int lacks = session_memory_check(s);
    if (lacks && lacks != SF_MEMORY) return lacks;
    if (!lacks) {
        SF_TRY(session_start(s, NULL));
        plan_print(s, &s->engine, m);
        return SF_OK;
    }
    sf_warn("%s", sf_error_text());
    sf_error_clear();
    struct state none;
    struct engine e;
    const int rc = session_preview(s, &e, &none);
    if (!rc) plan_print(s, &e, m);
    engine_close(&e);
    return rc;
}

int command_plan(struct comm *c, int argc, char **argv)
{
    static const struct usage usage = {
        .name = "plan",
        .arguments = "CASE.nml",
        .option = options,
        .noptions = (int)(sizeof options / sizeof options[0]),
        .take = option_take,
        .about = "The schedule of a case: ops with what they read (' '), update (+) and write (=), "
                 "rows exchanged and\nrecomputed, slabs, bytes moved, and the bound they imply."};
    struct case_arguments a = {0};
    SF_TRY(options_read(&usage, c->rank, argc, argv, &a));
    SF_TRY(case_check(&a, "plan"));
    struct session *s = calloc(1, sizeof *s);
    SF_CHECK(s, SF_MEMORY, "no memory for a session");
    struct machine m;
    int rc = session_read(s, &(struct session_options){.path = a.path, .set = a.set, .nsets = a.nsets, .comm = c});
    if (!rc) rc = machine_know(&m, c, s->backend, engine_threads(&s->engine_options, &s->grid, &s->comm));
    if (!rc) rc = plan_tell(s, &m);
    session_close(s);
    free(s);
    return rc;
}
