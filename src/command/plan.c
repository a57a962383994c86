/* sferic plan: the schedule of a case and the speed that it allows. SPDX-License-Identifier: MIT */
#include "command/command.h"

#include "command/session.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct option options[] = {CASE_OPTIONS};

static int option_take(void *to, const struct option *o, const char *value)
{
    int taken;
    return case_take(to, o, value, &taken);
}

static void line_print(void *to, const char *text) { fprintf(to, "%s\n", text); }

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Bytes per second of a = b + c * x over arrays far beyond the caches, the best of a few tries; 0 without memory. */
static double memory_rate(void)
{
    enum { TRIES = 4, ELEMENTS = 32 << 20 };
    float *a = malloc(ELEMENTS * sizeof *a), *b = malloc(ELEMENTS * sizeof *b), *c = malloc(ELEMENTS * sizeof *c);
    double best = 0;
    for (int t = 0; a && b && c && t < TRIES; t++) {
        const double began = seconds_now();
#pragma omp parallel for simd schedule(static)
        for (int n = 0; n < ELEMENTS; n++) {
            if (t == 0) a[n] = b[n] = c[n] = 1; /* the first touch places the pages */
            else a[n] = b[n] + 0.5f * c[n];
        }
        const double rate = 3.0 * ELEMENTS * sizeof *a / (seconds_now() - began);
        if (t > 0) best = SF_MAX(best, rate);
    }
    free(a);
    free(b);
    free(c);
    return best;
}

/* What the ops of a pass touch of full fields, per point and step: in bytes. */
static double bytes_of_ops(const struct plan *p, double *flops)
{
    double bytes = 0;
    *flops = 0;
    for (int n = 0; n < p->nops; n++) {
        const struct plan_op *o = &p->op[n];
        const double share = 1.0 / SF_MAX(o->op.every, 1);
        for (int a = 0; a < o->naccess; a++) {
            if (p->shape[o->access[a].id] != SHAPE_FULL) continue;
            bytes += share * (o->access[a].mode == ACCESS_UPDATE ? 2 : 1) * (double)sizeof(real);
        }
        *flops += share * o->stage->flops;
    }
    *flops /= p->steps;
    return bytes / p->steps;
}

/* The least that a pass can move: kept fields in and out, static ones in. */
static double bytes_of_pass(const struct instance *in, int steps)
{
    double bytes = 0;
    for (int f = 0; f < in->nfields; f++) {
        const struct field *x = &in->field[f];
        if (x->shape == SHAPE_FULL) bytes += (field_is_kept(x) ? 2 : x->role == ROLE_STATIC) * (double)sizeof(real);
    }
    return bytes / steps;
}

static void bound_print(const struct session *s)
{
    const struct plan *p = &s->engine.pass[0].plan;
    double flops;
    const double ops = bytes_of_ops(p, &flops), least = bytes_of_pass(&s->in, p->steps);
    const double points = (double)s->grid.nx * s->grid.nz * (s->state.jb - s->state.ja), rate = memory_rate();
    printf("moved per point and step: %.1f bytes when every op goes to memory, %.1f when a pass stays in cache", ops, least);
    if (flops > 0) printf("; %.0f flop", flops);
    printf("\n");
    if (rate > 0 && least > 0)
        printf("bound: memory gives %.1f GB/s here (triad), so %.1f to %.1f Mpoint/s, %.4g to %.4g steps/s of this rank\n",
               rate * 1e-9, rate / ops * 1e-6, rate / least * 1e-6, rate / ops / points, rate / least / points);
}

int command_plan(struct comm *c, int argc, char **argv)
{
    static const struct usage usage = {.name = "plan", .arguments = "CASE.nml", .option = options,
                                       .noptions = (int)(sizeof options / sizeof options[0]), .take = option_take,
                                       .about = "The schedule of a case: ops with what they read (' '), update (+) and write (=), "
                                                "rows exchanged and\nrecomputed, slabs, bytes moved, and the bound they imply."};
    struct case_arguments a = {0};
    SF_TRY(options_read(&usage, c->rank, argc, argv, &a));
    SF_TRY(case_check(&a, "plan"));
    struct session *s = calloc(1, sizeof *s);
    SF_CHECK(s, SF_MEMORY, "no memory for a session");
    const int rc = session_open(s, &(struct session_options){.path = a.path, .set = a.set, .nsets = a.nsets, .comm = c});
    if (!rc && c->rank == 0) {
        engine_print(&s->engine, line_print, stdout);
        bound_print(s);
    }
    session_close(s);
    free(s);
    return rc;
}
