/* A case, from its namelist to its final state, in one process: what run, check, plan, verify and tests share. It
 * writes no file and may be opened as often as wanted.
 *
 *     session_open, session_advance ..., session_digest, session_close
 *
 * A session holds pointers into itself: it stays where it was opened. All functions are collective and have the same
 * outcome on all ranks (SF_COMM excepted). After a failed session_read, session_start or session_open only
 * session_close is called. SPDX-License-Identifier: MIT */
#pragma once

#include "io/namelist.h"
#include "pipeline/clock.h"
#include "pipeline/engine.h"

struct session_options {
    const char *path; /* the namelist */
    const char *source; /* on rank 0: its text, where it has been read before; NULL: read it */
    size_t source_len;
    const char *const *set; /* overrides, group%key=value */
    int nsets;
    const struct comm *comm; /* NULL: this process alone */
    const struct backend *backend; /* where a plan would compute, in place of what the namelist chooses; NULL: that */
    const char *restart; /* of session_open: the checkpoint to go on from, NULL: time 0 */
    int timing; /* 1: measure every stage */
    int timeline; /* 1: keep when lanes were busy */
    int untuned; /* 1: kernels have the shapes that stages pick themselves */
    int is_part; /* 1: a trial on part of a domain that was looked at as a whole, or no user's case: warns of nothing */
    int has_fixed_threads; /* 1: all threads compute, however busy their cores are: to measure that number of them */
    int is_silent; /* 1: tells of no error either; its code does */
};

struct session {
    struct comm comm;
    const struct model *model;
    const struct model *described; /* it, where a file describes it; NULL: it is one of ours */
    struct config config;
    void *params; /* the model's */
    struct schema schema;
    char *source; /* on rank 0: the text of the namelist as it was read, which a pipe gives only once */
    size_t source_len;
    char *text; /* the resolved namelist, as it stands beside the output and the copies of input files there */
    char *identity; /* what a checkpoint of this run must agree on */
    int nprobes;
    struct grid grid;
    struct instance in;
    int is_bound, timing, untuned;
    double dt; /* longest step, s */
    struct clock clock;
    const struct backend *backend;
    struct engine_options engine_options;
    const struct candidate **shape; /* per stage, see engine_options */
    struct state state;
    struct engine engine;
    long step;
    double seconds; /* of computing */
};

/* Namelist, overrides, checks, grid, model, steps; little memory. Errors: SF_NAMELIST, SF_USAGE, SF_INPUT, SF_GPU,
 * SF_MEMORY. */
int session_read(struct session *s, const struct session_options *o);

/* Memory, and the state at time 0 or that of a checkpoint (restart may be NULL), ghosts included. Errors: SF_MEMORY
 * (before any is taken, where it cannot suffice), SF_USAGE, SF_RESTART. */
int session_start(struct session *s, const char *restart);

/* Both. */
int session_open(struct session *s, const struct session_options *o);
void session_close(struct session *s);

/* Warn, on rank 0, of steps that are longer than the model takes to be stable. */
void session_step_warn(const struct session *s);

/* Take `steps` steps, or as many as are left. */
int session_advance(struct session *s, long steps);
long session_steps_left(const struct session *s);
double session_time(const struct session *s); /* s */
/* A sample of the state, which is due after the last step (due.h). */
int session_sample(struct session *s);
struct restart_info;
/* What a checkpoint of this moment says beside the fields. */
void session_restart_info(const struct session *s, struct restart_info *info);
/* The engine that it would have, without memory; engine_close ends it, after a failure too, and `none`, which is
 * filled, lives as long. Collective. Errors: SF_GPU, SF_MEMORY. */
int session_preview(const struct session *s, struct engine *e, struct state *none);

/* Does a device make the numbers of model.measure of the state as it is, so that nothing of it needs to come to the
 * host? The same on all ranks. */
int session_is_measured_ahead(const struct session *s);
int session_digest(const struct session *s, unsigned long long *digest);

/* Memory in bytes. */
struct session_memory {
    size_t rank; /* the largest of any rank, output apart */
    size_t minimum; /* of that rank: the least that its plan needs */
    size_t buffers; /* of output on rank 0, at most: frames, series, results and checkpoints under way */
    size_t behind; /* of these, those that are there only while the writer is behind */
    size_t growing; /* of these, those that come with the entries of a whole run */
    size_t stopping; /* beside these, where no checkpoint is asked for: for the one of a run that is stopped */
    size_t host; /* of all ranks of the machine that needs most of what it has, beside what programs have anyway */
    size_t available; /* there; 0: not known */
};
int session_memory(const struct session *s, struct session_memory *m);
/* Entries of the time series, at most: one a step, and one wherever there is a frame. */
double session_entries(const struct session *s);
