/* Runs a program: passes over the rank's rows, with one slab that stays or many that stream through slots, exchanging
 * halos behind the computing. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/backend.h"
#include "pipeline/barrier.h"
#include "pipeline/route.h"
#include "pipeline/ghost.h"
#include "pipeline/halo.h"
#include "pipeline/periods.h"
#include "pipeline/plan.h"
#include "pipeline/reduce.h"
#include "pipeline/span.h"
#include "pipeline/state.h"
#include "pipeline/team.h"
#include "pipeline/threads.h"

/* Do fewer threads compute where others keep cores busy? */
enum adapts {
    ADAPTS_NEVER,
    ADAPTS_TO_LOAD,
    ADAPTS_AT_RANDOM /* for tests: as many as the number of a step says */
};

/* How to cut and run; from &pipeline. */
struct engine_options {
    int threads; /* the most that a CPU computes with */
    enum adapts adapts;
    int slabs, overlapped, steps_per_pass, window_rows, window_levels;
    int exchange; /* enum exchange */
    int timing; /* 1: measure every stage */
    int timeline; /* 1: keep when lanes were busy */
    int poison; /* 1: for tests: NaN in all memory that the plan does not fill */
    const struct backend *backend; /* NULL: the CPU */
    const struct candidate *const *shape; /* of a GPU, per stage of the model: what its kernels are launched in, NULL:
                                             what they find fit; all NULL: so do all. The caller's */
    size_t device_memory; /* bytes of a device to use at most; 0: what is left of it */
};

struct engine_stage_time {
    double seconds; /* of the stage alone on a device, where the kernels that fill ghosts behind it have `ghosts`; on a
                       CPU with them */
    double ghosts;
    double points;
    struct backend_launch launch; /* of a device, measured or not, */
    double launch_points; /* and the points that it is called for */
};

enum { ENGINE_SLOTS = 3, ENGINE_PASSES = 10 /* of at most 1000 steps */ };

/* What kernels find out about the state on a device. */
struct engine_look {
    int bad;
    double courant;
};

/* Streamed slabs, between two passes. */
struct engine_stream {
    struct halo halo[2]; /* of the pass to come and of the one after it, by turns */
    int turn; /* which is of the pass to come */
    struct storage keep[2]; /* ghost rows that wait for the pass to come, and for its far side */
    int flows; /* 1: passes of skewed slabs follow each other; 0: the host has the state after each */
    int dir; /* of the pass to come */
    struct span_rows have; /* rows that the pass to come finds in its slot; none: it begins with what the host has */
    long number; /* slabs so far */
    long *left; /* per row of the slot: the piece of a slab that was the last to want it there */
    int deep; /* rows that a rank needs of the next one, at most */
    int hold; /* 1: rows of the slot are on their way out that the pass to come would change */
    int unsent, awaits; /* 1: rows for other ranks are still on their way out; of others still to come */
};

/* What streaming came to. */
struct engine_lanes {
    double seconds[SPAN_LANES], bytes[SPAN_LANES];
    long slabs[SPAN_LANES], timed[SPAN_LANES]; /* of those, the ones whose time was taken */
    double wall; /* s */
    double brought; /* bytes that came in with passes that follow no other, of those above */
    long begun; /* such passes */
    double fetched; /* bytes of streamed slabs that came home between passes, in none of the above */
    struct span trip; /* what comes or goes between batches */
    int is_under_way; /* 1: it is not known yet how long it took */
    struct span *span; /* of the timeline */
    size_t nspans, room, lost;
};

/* One plan and the halos of its segments. */
struct engine_pass {
    struct plan plan;
    struct halo
        *halo; /* of every segment; where passes overlap their exchanges, one more of the first, used by turns */
};

struct engine {
    const struct instance *in;
    struct engine_options opt;
    struct comm comm;
    struct state *state;
    struct engine_pass pass[ENGINE_PASSES]; /* of steps_per_pass steps, of half as many, and so on to one */
    int npasses;
    struct engine_pass even[2]; /* of other numbers of steps, as they come */
    struct halo refresh;
    struct ghost_maps *maps; /* per field */
    long prepared; /* the step that tables of the model begin with */
    struct periods periods;
    struct engine_fed *fed; /* of every field: levels in time that are at hand; NULL: none is fed */
    struct engine_feeder *feeder; /* reads levels to come; NULL: nothing does */
    double fed_until, fed_time; /* s: the first of the later ones; of the last step */
    double *since; /* of the steps from `prepared` on and every period: see periods_step */
    int periodic, seam_s, seam_n;
    int gj, gs, gn; /* ghost rows: at physical sides, and all that are stored south and north */
    int extend_e, extend_n, extend_t;
    int slabs, edge;
    int slot_rows, scratch_rows; /* rows that a slot has at a time, and of scratch fields and second banks */
    size_t grain; /* of memory that is folded */
    const struct backend *backend;
    struct storage device; /* of a device: the slab that stays */
    int host_is_old, device_is_old; /* 1: the other one has moved on */
    struct engine_look *look; /* a table: what kernels find out */
    double *rows; /* another, of rows_bytes: what they make of rows for a reduction */
    size_t rows_bytes;
    struct storage slot[ENGINE_SLOTS]; /* of overlapped slabs; skewed ones have one, which is folded */
    struct engine_stream stream;
    struct engine_lanes lanes;
    struct engine_marks *lane_marks;
    int is_watched; /* see engine_watch */
    int is_last; /* 1: the batch under way ends what was asked for */
    int looks; /* 1: the pass under way, or the last one, also looks at what it finishes */
    struct reduction survey; /* see engine_survey; without kernels: none */
    int surveys; /* 1: the pass under way, or the last one, makes its rows */
    double look_dt; /* the time step of the Courant number in *look */
    int leave; /* 1: what goes out in the next pass goes to leave_to, kept fields of another copy of the state */
    struct slab leave_to;
    void *work[THREADS_MOST], *device_work; /* scratch space of threads, and of a device */
    struct barrier barrier;
    int window_rows,
        window_levels; /* pushed through the ops together: what opt asks for, or what suits the team; levels 0: all */
    struct team team; /* of the threads that sweep, at most opt.threads */
    double swept,
        late; /* s that sweeps took since the last pass, halo waits left out; and that their team was held up */
    int direction;
    struct halo_pool
        pool[2]; /* messages of segments, and of the next ones, on the CPU; of a device the first, for all */
    int shares; /* 1: ranks have opened each other's memory, or may have, and close together */
    int received[2]; /* messages between devices: through the host, and from one device to another */
    int turn, is_early; /* which halo the first segment of the pass to come has, and 1: its exchange has begun */
    struct engine_snapshot *snapshot;
    int snapshot_refused; /* 1: there is no memory for one */
    /* Called once while a device computes the steps that it was just given, by another thread or, of several ranks, by
     * this one, which is not to pass rows on for more than `seconds`; what it sets here is called behind the pass to
     * come. */
    int (*meanwhile)(void *of, double seconds);
    void *meanwhile_of;
    double step_seconds; /* of the last steps, each */
    struct engine_stage_time *stage_time; /* per stage of the model; the last is of ops that settle */
    struct engine_mark *marks; /* of a device: ops that were marked, and how many marks they have */
    int nmarked, nmarks;
    int steps_asked; /* of a pass; 0: none were */
    double halo_wait_seconds;
    double seconds; /* of computing: on a device by its own clock */
    size_t bytes; /* of all fields, slots and buffers of this rank on the host */
    size_t bytes_least; /* of the same fields, and nothing else: see engine_memory */
    size_t device_bytes; /* and on the device */
    size_t device_whole, device_most; /* what that would be with one slab; what it may be */
};

struct engine_options engine_options_of(const struct config *c);

/* Plan, allocate the state's rows and the slots. `st->comm`, `st->grid`, `st->in` are set. The state's fields are zero;
 * the model fills them, then engine_refresh. Errors: SF_MEMORY, SF_INTERNAL, SF_USAGE (more ranks than rows),
 * SF_GPU. */
int engine_open(struct engine *e, const struct instance *in, struct state *st, const struct engine_options *opt);
void engine_close(struct engine *e);
/* Plan alone: for engine_schedule, and to be closed like any other. `st` as for engine_open; no memory of fields is
 * taken. */
int engine_preview(struct engine *e, const struct instance *in, struct state *st, const struct engine_options *opt);

/* Bring the state on the host up to date: before anybody reads it. What a device holds stays the same. Errors:
 * SF_GPU. */
int engine_fetch(struct engine *e);

/* The state on the host was changed by other hands: what a device holds is no longer it. */
void engine_changed(struct engine *e);

/* The levels in time of fields that are fed become those around `time` s; engine_run sees to it for its steps. Errors:
 * those of model.feed, SF_INTERNAL, SF_GPU. */
int engine_feed(struct engine *e, double time);

/* On the host: fill the ghosts of all kept and static fields from the rank's own rows and exchange a row with the
 * neighbours: before the first pass, and before diagnostics look at neighbours. Fetches. Collective. */
int engine_refresh(struct engine *e);

/* Where a device is ahead of the host and has memory for it (*taken): keep a copy of the state there, and bring it to
 * the host while steps go on. Errors: SF_GPU. */
int engine_snapshot(struct engine *e, int *taken);
/* That copy, ghosts filled as by engine_refresh; it lasts until the next one is taken. Collective. Errors: SF_GPU,
 * SF_COMM. */
int engine_snapshot_state(struct engine *e, const struct state **st);

/* May there be NaN or Inf in the state? Looks on the device where the host's state is old; else, and where it says so,
 * it is for state_find_bad to tell what it is and where. The same on all ranks. Collective. Errors: SF_GPU. */
int engine_find_bad(struct engine *e, int *found);

/* The Courant number of model.measure, where the host's state is old and the model has kernels for it (*known).
 * Collective. Errors: SF_GPU. */
int engine_courant(struct engine *e, double dt, double *courant, int *known);

/* Is a device ahead of the host, and holds all rows of its rank? Then reductions (reduce.h) need no copy of the state.
 * The same on all ranks. */
int engine_is_ahead(const struct engine *e);
/* state.rows. */
int engine_rows(struct engine *e, const struct reduction *r, double *out, int *done);

/* Behind the steps to come somebody asks for NaN and the Courant number (1, as it is at first), or nobody does (0).
 * Where slabs stream they are looked at on their way; who asks all the same has the host look. The same on all
 * ranks. */
void engine_watch(struct engine *e, int is_watched);

/* Behind the steps to come the state is reduced so, or is not (NULL): where slabs stream, kernels make the rows as the
 * last pass finishes them, and neither the state comes home nor the passes pause for it. Errors: SF_MEMORY. */
int engine_survey(struct engine *e, const struct reduction *r);

/* Advance `steps` time steps: number `step` and on, beginning at time[0 .. steps - 1] s, each dt s long. Collective. */
int engine_run(struct engine *e, long step, const double *time, double dt, int steps);

/* Steps that are best taken in one call: the host is not needed between them. */
int engine_batch(const struct engine *e);

/* Passes that so many steps take which nothing interrupts: streamed ones are as even as can be, others are halved. Of a
 * preview, too. */
long engine_passes(const struct engine *e, long steps);

/* What a rank exchanges with others in a step, in the mean of a pass. Of a preview, too. */
struct engine_exchange {
    double times, messages; /* exchanges; messages sent, one to each neighbour in each */
    double bytes; /* that it sends, as many as it receives */
};
struct engine_exchange engine_exchange_of(const struct engine *e, int rank);

/* Memory that engine_open will take on this rank's host, in bytes, without taking it. `minimum`: the least that its
 * plan needs, every field once on the rank's rows with the fewest ghosts that any op reads; no padding, no messages, no
 * slots, no scratch space, none of the deeper ghost rows that save exchanges. */
int engine_memory(const struct instance *in, const struct comm *c, const struct grid *g,
                  const struct engine_options *opt, size_t *bytes, size_t *minimum);

/* Bytes of its device that an engine of this rank may take: what was asked for, else nearly all that is left. */
size_t engine_room(const struct backend *b, const struct comm *c, size_t asked);

/* Threads that such an engine computes with: those asked for, or OMP_NUM_THREADS, or this rank's part of the machine's
 * cores; but no more than its points feed. */
int engine_threads(const struct engine_options *o, const struct grid *g, const struct comm *c);
/* Threads of what the host does itself beside a device: set-up, sums, output. */
int engine_host_threads(const struct engine_options *o, const struct grid *g, const struct comm *c);

/* What a streamed pass of this rank moves while others follow it: bytes in and out, the rows of a slab, and of those on
 * the device. */
struct engine_schedule {
    int rows, rows_on_device, skew;
    double in, out;
};
struct engine_schedule engine_schedule(const struct engine *e);

/* Times of the lanes up to now. Errors: SF_GPU. */
int engine_lanes_take(struct engine *e);
/* s that a lane was busy. */
double engine_lane_seconds(const struct engine *e, int lane);
/* For the timeline: the host did something of `lane` from `begin` on until now, of seconds_now. */
void engine_span(struct engine *e, int lane, long step, double begin);

/* Of the second-level cache of a core, as far as the system tells. */
double engine_cache_bytes(void);

/* Print the plan: ops, reaches, lags, rows, exchanges, slabs, bytes. */
void engine_print(const struct engine *e, void (*line)(void *to, const char *text), void *to);
