/* sferic plan: the schedule of a case and the speed that it allows. SPDX-License-Identifier: MIT */
#include "command/command.h"

#include "command/due.h"
#include "command/limits.h"
#include "command/machine.h"
#include "command/plan_ranks.h"
#include "command/schedule.h"
#include "command/session.h"
#include "command/session_parts.h"
#include "pipeline/backend_paper.h"
#include "pipeline/error.h"
#include "pipeline/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    CASE_OPTIONS,
    {"--ranks", NULL, "N", "plan for N ranks that are not at hand, as of one in their middle"},
    {"--node", NULL, "M", "of which M are on each machine: 8 where it is not given"},
    {"--gpu", NULL, "NAME", "each with a GPU that is not at hand: h100 or h200"}};

/* The arguments of plan. */
struct plan_arguments {
    struct case_arguments of; /* first: case_take takes it */
    int ranks, node; /* 0: not given */
    const char *gpu; /* NULL: not given */
};

static int number_take(const char *name, const char *value, int *to)
{
    enum { MOST = 1000000 };
    char *end;
    const long n = strtol(value, &end, 10);
    SF_CHECK(*value && !*end && n >= 1 && n <= MOST, SF_USAGE, "%s %s: a number from 1 to %d", name, value, MOST);
    *to = (int)n;
    return SF_OK;
}

static int option_take(void *to, const struct option *o, const char *value)
{
    struct plan_arguments *const a = to;
    int taken;
    SF_TRY(case_take(&a->of, o, value, &taken));
    if (taken) return SF_OK;
    if (!strcmp(o->name, "--ranks")) return number_take(o->name, value, &a->ranks);
    if (!strcmp(o->name, "--node")) return number_take(o->name, value, &a->node);
    SF_CHECK(backend_paper(value, 1), SF_USAGE, "--gpu %s: choose h100 or h200", value);
    a->gpu = value;
    return SF_OK;
}

/* The ranks that the plan is for: those that are here, or imagined ones. */
static int ranks_of(const struct plan_arguments *a, const struct comm *here, struct comm *c)
{
    enum { NODE = 8 };
    *c = *here;
    SF_CHECK(a->ranks || !a->node, SF_USAGE, "--node tells how many of --ranks are on a machine: give --ranks, too");
    if (!a->ranks && !a->gpu) return SF_OK;
    SF_CHECK(here->size == 1, SF_USAGE, "--ranks and --gpu imagine what is not at hand: start one process alone");
    c->size = SF_MAX(a->ranks, 1);
    c->imagined = SF_MIN(a->node ? a->node : NODE, c->size);
    return SF_OK;
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
    if (s->comm.rank && !s->comm.imagined) return;
    engine_print(e, line_print, stdout);
    schedule_print(stdout, e, m, due_mean(s, e));
    bound_print(s, e, m);
    if (s->comm.size > 1) plan_ranks_print(e, m);
}

/* Of ranks in the middle of those that are imagined. */
static int plan_imagine(struct session *s, const struct machine *m)
{
    struct state none;
    struct engine e;
    SF_CHECK(s->comm.size <= s->grid.ny, SF_USAGE, "%d ranks are more than the %d rows of the grid: use at most %d",
             s->comm.size, s->grid.ny, s->grid.ny);
    s->comm.rank = s->comm.size / 2;
    const int rc = session_preview(s, &e, &none);
    if (!rc) plan_print(s, &e, m);
    engine_close(&e);
    return rc;
}

/* Where the case does not fit this machine its plan is told all the same, without the memory that it would take. */
static int plan_tell(struct session *s, const struct machine *m)
{
    if (s->comm.imagined) return plan_imagine(s, m);
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

/* What is known of the machine, or of the GPU on paper. */
static int machine_of(struct machine *m, const struct comm *c, const struct session *s)
{
    double in, out;
    if (!s->comm.imagined || !s->backend->is_device)
        return machine_know(m, c, s->backend, engine_threads(&s->engine_options, &s->grid, &s->comm));
    *m = (struct machine){0};
    return s->backend->rates(&in, &out, &m->memory);
}

int command_plan(struct comm *c, int argc, char **argv)
{
    static const struct usage usage = {
        .name = "plan",
        .arguments = "CASE.nml | NAME",
        .option = options,
        .noptions = (int)(sizeof options / sizeof options[0]),
        .take = option_take,
        .about = "The schedule of a case: ops with what they read (' '), update (+) and write (=), "
                 "rows exchanged and\nrecomputed, slabs, bytes moved, and the bound they imply; of this machine, or of "
                 "ranks and GPUs on paper."};
    struct plan_arguments a = {0};
    struct comm ranks;
    SF_TRY(options_read(&usage, c->rank, argc, argv, &a));
    SF_TRY(case_check(c, &a.of, "plan"));
    SF_TRY(ranks_of(&a, c, &ranks));
    struct session *s = calloc(1, sizeof *s);
    SF_CHECK(s, SF_MEMORY, "no memory for a session");
    struct machine m;
    int rc = session_read(s, &(struct session_options){.path = a.of.path,
                                                       .set = a.of.set,
                                                       .nsets = a.of.nsets,
                                                       .comm = &ranks,
                                                       .backend = a.gpu ? backend_paper(a.gpu, ranks.imagined) : NULL});
    if (!rc) rc = machine_of(&m, c, s);
    if (!rc) rc = plan_tell(s, &m);
    session_close(s);
    free(s);
    return rc;
}
