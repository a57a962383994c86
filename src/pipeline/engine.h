/* Runs a program: passes over the rank's rows, with one slab that stays or many that stream through slots, exchanging
 * halos behind the computing. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/barrier.h"
#include "pipeline/ghost.h"
#include "pipeline/halo.h"
#include "pipeline/plan.h"
#include "pipeline/state.h"

/* How to cut and run; from &pipeline. */
struct engine_options {
    int threads, slabs, overlapped, steps_per_pass, window_rows;
    int exchange; /* enum exchange */
    int timing;   /* 1: measure every stage */
    int poison;   /* 1: for tests: NaN in all memory that the plan does not fill */
};

struct engine_stage_time {
    double seconds;
    double points;
};

enum { ENGINE_SLOTS = 3, ENGINE_MAX_THREADS = 1024 };

/* One plan and the halos of its segments. */
struct engine_pass {
    struct plan plan;
    struct halo *halo;
};

struct engine {
    const struct instance *in;
    struct engine_options opt;
    struct comm comm;
    struct state *state;
    struct engine_pass pass[2]; /* of steps_per_pass steps, and of one */
    struct halo refresh;
    struct ghost_maps *maps; /* per field */
    int periodic, seam_s, seam_n;
    int gj, gs, gn; /* ghost rows: at physical sides, and all that are stored south and north */
    int extend_e, extend_n;
    int slabs, slot_rows, edge;
    struct storage slot[ENGINE_SLOTS];
    void *work[ENGINE_MAX_THREADS];
    struct barrier barrier;
    int direction;
    struct engine_stage_time *stage_time; /* per stage of the model */
    double halo_wait_seconds;
    size_t bytes; /* of all fields, slots and buffers of this rank */
};

struct engine_options engine_options_of(const struct config *c);

/* Plan, allocate the state's rows and the slots. `st->comm`, `st->grid`, `st->in` are set. The state's fields are zero; the
 * model fills them, then state_refresh. Errors: SF_MEMORY, SF_INTERNAL, SF_USAGE (more ranks than rows). */
int engine_open(struct engine *e, const struct instance *in, struct state *st, const struct engine_options *opt);
void engine_close(struct engine *e);

/* Fill the ghosts of all kept and static fields from the rank's own rows and exchange a row with the neighbours: before
 * the first pass, and before diagnostics look at neighbours. Collective. */
int engine_refresh(struct engine *e);

/* Advance `steps` time steps: number `step` and on, beginning at time[0 .. steps - 1] s, each dt s long. Collective. */
int engine_run(struct engine *e, long step, const double *time, double dt, int steps);

/* Memory that engine_open will take on this rank, in bytes, without taking it. `minimum`: one copy of every field that the
 * plan needs, without any ghosts, padding or slots. */
int engine_memory(const struct instance *in, const struct comm *c, const struct grid *g,
                  const struct engine_options *opt, size_t *bytes, size_t *minimum);

/* Print the plan: ops, reaches, lags, rows, exchanges, slabs, bytes. */
void engine_print(const struct engine *e, void (*line)(void *to, const char *text), void *to);
